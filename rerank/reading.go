package rerank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/deadline"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/reader"
	"suffice.dev/suffice/text"
)

// Reader reads a question against passages; model/reader implements it. One reading a
// passage, in order; its error is ctx's or its own.
type Reader interface {
	Read(ctx context.Context, question string, passages []string) ([]reader.Reading, error)
}

// Mode says when the reader is asked.
type Mode string

// The modes.
const (
	ReadOff    Mode = "off"    // never
	ReadAuto   Mode = "auto"   // where the sufficiency of words and facts leaves doubt
	ReadAlways Mode = "always" // wherever one passage can answer
)

// Reading is when the reader is asked and what its say weighs.
type Reading struct {
	Mode     Mode
	Budget   time.Duration // that a reading may take; above 0
	Passages int           // read at most; above 0
	From, To float64       // doubt: sufficiency within these, 0..1
	// Sure is the probability of the answer pointed at from which its sentence is evidence
	// before the sentences that facts found, 0..1.
	Sure float64
}

// readable reports whether one passage could answer alone, and no fact rules that
// out: a fact that excludes a number, a date, a unit or a negation outranks the
// reader.
func (j *judged) readable() bool {
	if len(j.needs) != 1 || j.needs[0].Count > 1 || len(j.pages) == 0 || j.cover[0].Excluded {
		return false
	}
	switch j.outcome() {
	case kb.Answered, kb.Insufficient:
		return true
	}
	return false
}

// doubtful reports whether the reader is to be asked about a sufficiency.
func (c Reading) doubtful(sufficiency float64) bool {
	switch c.Mode {
	case ReadAuto:
		return sufficiency >= c.From && sufficiency <= c.To
	case ReadAlways:
		return true
	}
	return false
}

// read is what the reader found in a passage.
type read struct {
	holds  float64   // 0..1
	page   int       // of judged.pages
	span   text.Span // the answer, in the page; empty without one
	sure   float64   // that it is there
	around text.Span // what was read of the page lies around it
	rest   []read    // of the best passage: what was found in the others, in the order of reading
}

// stretch is a part of a page that is read.
type stretch struct {
	page  int
	span  text.Span
	score float64
}

// stretches picks what is read for a need: of the pages with the best facts and the nearest
// sentence the part around them, best first. What lost a resolved conflict is not read: the
// reader knows no authority and no dates, and would point at either side.
func (j *judged) stretches(most, need int) []stretch {
	best := map[int]stretch{}
	note := func(page int, span text.Span, score float64) {
		if old, ok := best[page]; !ok || score > old.score {
			best[page] = stretch{page, span, score}
		}
	}
	for k := range j.pages { // what nothing points at comes last, in the order of the passages
		note(k, text.Span{}, -float64(k+1))
	}
	for _, refs := range [][]fact.Ref{j.cover[need].Near, j.cover[need].Fillers} {
		for _, r := range refs {
			note(r.Page, r.Span, r.Score)
		}
	}
	if o := j.overlap; o.Best >= 0 {
		note(o.Best, o.BestSpan, 1)
	}
	lost := j.lost()
	out := make([]stretch, 0, len(best))
	for _, s := range best {
		if !lost[j.req.Candidates[j.live[s.page]].ID] || len(lost) >= len(j.pages) {
			out = append(out, s)
		}
	}
	sort.Slice(out, func(a, b int) bool {
		if out[a].score != out[b].score {
			return out[a].score > out[b].score
		}
		return out[a].page < out[b].page
	})
	return out[:min(most, len(out))]
}

// errAbsent says that a configuration wants a reader and there is none.
var errAbsent = errors.New("no reader in this process")

// lateError says that a reading took longer than it had.
type lateError struct{ limit time.Duration }

func (e lateError) Error() string { return fmt.Sprintf("not done within %v", e.limit) }

// read asks the reader a question for a need, within the budget and, where the context has a
// deadline, with time left to reply without it.
func (l *Local) read(ctx context.Context, j *judged, need int, question string) (*read, error) {
	if l.options.Reader == nil {
		return nil, errAbsent
	}
	parts := j.stretches(l.cfg.Reading.Passages, need)
	excerpts, found := make([]reading.Excerpt, len(parts)), make([]reader.Reading, len(parts))
	texts, places := map[string][]string{}, map[string][]int{} // by the question as it is asked
	var asked []string
	for i, s := range parts {
		excerpts[i] = reading.ExcerptOf(j.req.Candidates[j.live[s.page]].Passage, j.pages[s.page], s.span)
		q := j.asking(question, need, s.page)
		if texts[q] == nil {
			asked = append(asked, q)
		}
		texts[q], places[q] = append(texts[q], excerpts[i].Text), append(places[q], i)
	}
	limited, limit, cancel := deadline.Within(ctx, l.cfg.Reading.Budget)
	defer cancel()
	for _, q := range asked {
		got, err := deadline.Await(limited, func() ([]reader.Reading, error) { return l.options.Reader.Read(limited, q, texts[q]) })
		if errors.Is(err, context.DeadlineExceeded) {
			err = lateError{limit}
		}
		if err != nil {
			return nil, fmt.Errorf("read %d passages: %w", len(texts[q]), err)
		}
		for k, i := range places[q] {
			found[i] = got[k]
		}
	}
	best, all := 0, make([]read, len(found))
	for i, r := range found {
		all[i] = read{holds: r.Holds, page: parts[i].page, sure: r.Answer.Probability, around: parts[i].span}
		if at, ok := excerpts[i].In(text.Span{Start: r.Answer.Start, End: r.Answer.End}); ok {
			all[i].span = at
		}
		if r.Holds > all[best].holds {
			best = i
		}
	}
	if len(all) == 0 {
		return &read{}, nil
	}
	out := all[best]
	out.rest = slices.Delete(all, best, best+1)
	return &out, nil
}

// second asks the reader where its say counts, and returns the sufficiency after it.
// A reader that is late or absent changes nothing, and is named.
func (l *Local) second(ctx context.Context, j *judged, sufficiency float64, th Thresholds, out *kb.Assessment) (float64, error) {
	if !l.cfg.Reading.doubtful(sufficiency) || !j.readable() {
		return sufficiency, nil
	}
	found, err := l.read(ctx, j, 0, j.req.Analysis.Question)
	if err != nil {
		return sufficiency, l.unread(ctx, err, out)
	}
	joined := l.options.Joint.join(sufficiency, j.said(0, found))
	if j.eventAlone(found) { // the reader takes the event for its cause
		return math.Min(joined, th.Sufficiency/2), nil
	}
	j.read = found
	if !j.toldTwice(found) {
		return joined, nil
	}
	j.read = j.kept(found)
	out.CDS, out.Conflicts, out.Outcome = j.cds, j.clashes, j.outcome()
	j.fills = l.slots(j)
	out.Slots, out.FGC = j.fills, fgc(j.fills)
	j.features = features(l, j)
	if _, sufficiency, err = l.model.Predict(j.features); err != nil {
		return 0, fmt.Errorf("assess: sufficiency model: %w", err)
	}
	return l.options.Joint.join(sufficiency, j.said(0, j.read)), nil
}

// Where the reader holds with these probabilities that two passages answer one question, their
// answers are compared; docs/measurements.md shows what they were chosen on.
const (
	twiceHolds = 0.6 // that a passage holds what is asked
	twiceSure  = 0.5 // that its answer is where it points
)

// toldTwice notes conflicts between the answers that the reader points at in two passages each,
// which facts did not see because they are told in other words. It reports whether there are
// any.
func (j *judged) toldTwice(best *read) bool {
	var sure []read
	for _, r := range append([]read{*best}, best.rest...) {
		if r.holds >= twiceHolds && r.sure >= twiceSure && !r.span.Empty() {
			sure = append(sure, r)
		}
	}
	found := false
	for i, r := range sure {
		for _, s := range sure[i+1:] {
			clash, ok := j.round.Told(&j.needs[0], fact.Pointed{Page: r.page, Span: r.span}, fact.Pointed{Page: s.page, Span: s.span})
			if !ok || j.orders(clash.A) || j.orders(clash.B) {
				continue
			}
			a, b := j.req.Candidates[j.live[clash.A.Page]].Passage, j.req.Candidates[j.live[clash.B.Page]].Passage
			same := func(c kb.Conflict) bool {
				return c.A.PassageID == a.ID && c.B.PassageID == b.ID && touches(c.A, clash.A) && touches(c.B, clash.B) ||
					c.A.PassageID == b.ID && c.B.PassageID == a.ID && touches(c.A, clash.B) && touches(c.B, clash.A)
			}
			if slices.ContainsFunc(j.clashes, func(c kb.Conflict) bool { return c.OnAsked && same(c) }) {
				continue
			}
			found = true
			j.clashes = slices.DeleteFunc(j.clashes, same) // seen, but not that it is on what is asked
			j.conflict(clash, a, b, j.pages[clash.A.Page], j.pages[clash.B.Page], false)
		}
	}
	if found {
		slices.SortStableFunc(j.clashes, func(a, b kb.Conflict) int { // what is asked comes first
			switch {
			case a.OnAsked && !b.OnAsked:
				return -1
			case b.OnAsked && !a.OnAsked:
				return 1
			}
			return 0
		})
		j.cds = density(j, false)
	}
	return found
}

// orders reports whether a stretch of a page is an order to a machine.
func (j *judged) orders(r fact.Ref) bool {
	return reading.MayOrder(j.pages[r.Page]) && reading.Orders(j.pages[r.Page], r.Span)
}

// touches reports whether evidence and what a clash rests on have words in common.
func touches(e kb.Evidence, r fact.Ref) bool { return e.Start < r.Span.End && r.Span.Start < e.End }

// kept is the best reading of the passages that lost no resolved conflict.
func (j *judged) kept(best *read) *read {
	lost := j.lost()
	if !lost[j.req.Candidates[j.live[best.page]].ID] {
		return best
	}
	out := best
	for i := range best.rest {
		if r := &best.rest[i]; !lost[j.req.Candidates[j.live[r.page]].ID] && (out == best || r.holds > out.holds) {
			out = r
		}
	}
	return out
}

// eventAlone reports whether all that was found for a question why only tells what it asks the
// cause of: what the reader points at, and what facts filled it with.
func (j *judged) eventAlone(found *read) bool {
	page, sentence, ok := j.pointed(0, found)
	if !ok || !j.round.BareEvent(&j.needs[0], page, sentence) {
		return false
	}
	for _, f := range j.cover[0].Fillers {
		if !j.round.BareEvent(&j.needs[0], f.Page, f.Span) {
			return false
		}
	}
	return true
}

// unread names why the reader has no say; its error is the caller's end.
func (l *Local) unread(ctx context.Context, err error, out *kb.Assessment) error {
	reason := "failed"
	var late lateError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("assess: %w", ctx.Err())
	case errors.As(err, &late):
		reason = lateError{late.limit.Round(time.Millisecond)}.Error()
	case errors.Is(err, errAbsent):
		reason = errAbsent.Error()
	}
	out.Degraded = append(out.Degraded, kb.Degraded{Part: "reader", Reason: reason})
	return nil
}

// sentenceOf is the sentence of a page that holds the beginning of a span.
func sentenceOf(page *fact.Page, span text.Span) text.Span {
	for _, s := range page.Sentences {
		if s.Start <= span.Start && span.Start < s.End {
			return text.Span{Start: s.Start, End: max(s.End, span.End)}
		}
	}
	return span
}

// Reading asks the reader about a request, whatever the mode.
func (l *Local) Reading(ctx context.Context, req kb.AssessRequest) (Said, error) {
	if req.Analysis.Clarify != nil {
		return Said{}, nil
	}
	j, err := l.judge(ctx, req)
	if err != nil {
		return Said{}, fmt.Errorf("reading: %w", err)
	}
	if !j.readable() {
		return Said{}, nil
	}
	found, err := l.read(ctx, j, 0, req.Analysis.Question)
	if err != nil {
		return Said{}, err
	}
	return j.said(0, found), nil
}

// said is what the reader says for a need, with what weighs it.
func (j *judged) said(need int, r *read) Said {
	out := Said{Asked: true, Holds: r.holds, Answer: r.sure, Table: j.tabular(r.page), Expect: kb.Expect(j.needs[need].Expect), Class: j.req.Analysis.Class}
	page := j.pages[r.page]
	out.Foreign = text.Language(string(page.Runes)) != text.Language(j.req.Analysis.Question)
	at := r.span
	if at.Empty() {
		at = r.around
	}
	if at.Empty() && j.overlap.Best == r.page {
		at = j.overlap.BestSpan
	}
	if at.Empty() {
		at = text.Span{Start: 0, End: len(page.Runes)}
	}
	out.Spot = j.round.Spot(&j.needs[need], r.page, at)
	return out
}

// pointed is the sentence of the answer that the reader points at for a need; false where
// it points at none, or where a value or a time is asked and the sentence has none.
func (j *judged) pointed(need int, r *read) (page int, sentence text.Span, ok bool) {
	if r == nil || r.span.Empty() {
		return 0, text.Span{}, false
	}
	sentence = sentenceOf(j.pages[r.page], r.span)
	if !j.round.Spot(&j.needs[need], r.page, sentence).Kind {
		return 0, text.Span{}, false
	}
	return r.page, sentence, true
}

// redirect puts the sentence that the reader is sure of before the evidence of facts,
// where these found others.
func (j *judged) redirect(out *kb.Assessment, c Reading) {
	page, sentence, ok := j.pointed(0, j.read)
	if !ok || j.read.sure < c.Sure || out.Outcome != kb.Answered {
		return
	}
	passage := j.req.Candidates[j.live[page]].Passage
	for i := range out.Slots {
		s := &out.Slots[i]
		if s.Role != kb.Asked || !s.Required || s.State == kb.Empty {
			continue
		}
		if slices.ContainsFunc(s.Evidence, func(e kb.Evidence) bool {
			return e.PassageID == passage.ID && e.Start < sentence.End && sentence.Start < e.End
		}) {
			return
		}
		ref := fact.Ref{Page: page, Fact: -1, Span: sentence, Score: j.read.sure}
		s.Evidence = append([]kb.Evidence{evidence(passage, j.pages[page], ref)}, s.Evidence...)
	}
}

// tabular reports whether a page has a table.
func (j *judged) tabular(page int) bool {
	for _, s := range j.pages[page].Sentences {
		if s.Kind == fact.Row {
			return true
		}
	}
	return false
}
