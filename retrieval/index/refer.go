package index

import (
	"context"
	"slices"
	"strings"

	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/text"
)

var _ retrieval.Referrer = (*Index)(nil)

// Referred implements retrieval.Referrer: places by headings or first words in the same
// document, other documents by their title, and the next chunk where a text breaks off
// before what it announces.
func (x *Index) Referred(ctx context.Context, q retrieval.Query, ids []string, limit int) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, errClosed()
	}
	var rows []int32
	admit := x.cat.admission(q.Filter)
	add := func(r int32) {
		if !slices.Contains(rows, r) && !slices.Contains(ids, x.cat.id(r)) && (admit == nil || admit(r)) {
			rows = append(rows, r)
		}
	}
	for _, id := range ids {
		r, ok := x.cat.find(id)
		if !ok {
			continue
		}
		body, err := x.body(r)
		if err != nil {
			return nil, err
		}
		v := x.cat.version(r)
		if next := r + 1; next < v.first+v.size && text.BreaksOff(body) {
			add(next)
		}
		for _, ref := range text.References(body) {
			found, err := x.pointed(q, v, ref)
			if err != nil {
				return nil, err
			}
			for _, r := range found {
				add(r)
			}
		}
	}
	var out []string
	for _, r := range rows[:min(limit, len(rows))] {
		out = append(out, x.cat.id(r))
	}
	return out, nil
}

func (x *Index) body(r int32) (string, error) {
	w := x.cat.row(r)
	data, err := x.file.read(nil, w.textAt, int(w.textLen))
	return string(data), err
}

// most is how many chunks a place or a document is represented by.
const most = 2

// pointed finds the chunks that a reference out of version v points to.
func (x *Index) pointed(q retrieval.Query, v *version, ref text.Reference) ([]int32, error) {
	versions := []*version{v}
	if ref.Title != "" {
		versions = x.titled(ref.Title, q.Filter)
	}
	var out []int32
	for _, v := range versions {
		for r := range v.rows() {
			if len(out) == most {
				return out, nil
			}
			named := slices.ContainsFunc(x.cat.place(r).headings, ref.Names)
			if !named && ref.Kind != "" {
				body, err := x.body(r)
				if err != nil {
					return nil, err
				}
				named = slices.ContainsFunc(strings.Split(body, "\n"), ref.Names)
			}
			if named {
				out = append(out, r)
			}
		}
		if ref.Kind == "" && v.size > 0 {
			out = append(out, x.nearest(q, v))
		}
	}
	return out, nil
}

// titled are the newest admitted versions of documents of a title.
func (x *Index) titled(title string, f retrieval.Filter) []*version {
	var out []*version
	for _, v := range x.cat.titled(title) {
		if f.Admits(*v.vis) {
			out = append(out, v)
		}
	}
	slices.SortFunc(out, func(a, b *version) int { return strings.Compare(a.key(), b.key()) })
	return out
}

// foldTitle is a title as it is looked up.
func foldTitle(s string) string {
	return strings.Join(strings.Fields(strings.Trim(string(text.Fold([]rune(s))), "《》\"“” ")), " ")
}

// nearest is the chunk of a document that is nearest to the question.
func (x *Index) nearest(q retrieval.Query, v *version) int32 {
	question := x.opt.Model.Embed(q.Text)
	return slices.MaxFunc(slices.Collect(v.rows()), func(a, b int32) int {
		switch sa, sb := x.matrix.Score(question, a), x.matrix.Score(question, b); {
		case sa < sb:
			return -1
		case sa > sb:
			return 1
		}
		return int(b - a)
	})
}
