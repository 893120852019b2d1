package fact

import (
	"context"
	"slices"
)

// Round is one question against one set of pages: coverage and conflicts share what
// they prepare and the facts that speak to each need. It is not safe for concurrent
// use.
type Round struct {
	engine  *Engine
	views   []*view
	st      *rarity
	links   *links
	fitting fitting
	needs   []Need // those prepared last
	prep    []*prepared
	cands   [][]candidate // by need
}

// Round prepares the pages for one question. metas run beside pages.
func (e *Engine) Round(pages []*Page, metas []Meta) *Round {
	views := e.views(pages, metas)
	l := newLinks(views)
	return &Round{engine: e, views: views, st: newRarity(views), links: l, fitting: fitting{engine: e, links: l}}
}

// Cover is Engine.Cover on the pages of the round. When ctx ends it stops, and what it
// returns says nothing.
func (r *Round) Cover(ctx context.Context, needs []Need) []Coverage {
	out := make([]Coverage, len(needs))
	for i, n := range r.prepare(ctx, needs) {
		cands := r.candidates(ctx, i)
		if ctx.Err() != nil {
			return out
		}
		out[i] = r.coverOne(n, cands)
		if out[i].State == StateEmpty && r.links.taken(n) {
			out[i] = r.second(ctx, n, out[i])
		}
		if out[i].State == StateEmpty {
			out[i] = r.lookedUp(n, out[i])
		}
		r.byColumn(n, &out[i])
		r.deny(n, &out[i])
		if r.leftOpen(n, &out[i]) {
			out[i].State, out[i].Near, out[i].Fillers, out[i].Excluded = StateEmpty, append(out[i].Fillers, out[i].Near...), nil, true
		}
	}
	return out
}

// second covers a need again with the names that pages take for granted; first is what
// was found without.
func (r *Round) second(ctx context.Context, n *prepared, first Coverage) Coverage {
	n.granted = r.links
	defer func() { n.granted = nil }()
	var cands []candidate
	for p := range r.views {
		if ctx.Err() != nil {
			return first
		}
		cands = append(cands, r.onPage(n, p)...)
	}
	c := r.coverOne(n, cands)
	if c.State == StateEmpty {
		return first
	}
	c.Confidence = min(c.Confidence, grantedConfidence)
	return c
}

// grantedConfidence is the most that a filler is trusted whose page takes a name for
// granted.
const grantedConfidence = 0.85

// prepare prepares the needs, once for the same slice. When ctx ends, those that are left
// are nil.
func (r *Round) prepare(ctx context.Context, needs []Need) []*prepared {
	if len(needs) == len(r.needs) && (len(needs) == 0 || &needs[0] == &r.needs[0]) {
		return r.prep
	}
	r.needs, r.prep, r.cands = needs, make([]*prepared, len(needs)), make([][]candidate, len(needs))
	for i := range needs {
		if ctx.Err() != nil {
			break
		}
		r.prep[i] = r.engine.prepare(&needs[i], r.st)
		for _, s := range siblingsIn(needs[i].Question) {
			if slices.ContainsFunc(r.views, func(v *view) bool { return writtenIn(v.foldedString(), s.name) }) {
				r.prep[i].known = append(r.prep[i].known, s)
			}
		}
	}
	return r.prep
}

// candidates lists the facts and clauses that could fill a prepared need, page by
// page. When ctx ends, not all of them.
func (r *Round) candidates(ctx context.Context, need int) []candidate {
	if r.cands[need] == nil {
		out := []candidate{}
		for p := range r.views {
			if ctx.Err() != nil {
				return nil
			}
			out = append(out, r.onPage(r.prep[need], p)...)
		}
		r.cands[need] = out
	}
	return r.cands[need]
}
