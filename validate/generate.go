package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sync/errgroup"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/validate/pack"
)

// leastReserve is the time that is kept for the extractive answer, should the model
// not be done; a tenth of the time left where that is more.
const leastReserve = 150 * time.Millisecond

// generate lets the model state, then write or decide, and checks all of it. before is
// what was found without it: outcome, missing parts, conflicts and packing. sent is how
// many claims were released. An error is the model's: the caller falls back to the
// extractive answer, and nothing was released.
func (l *Local) generate(ctx context.Context, req kb.AnswerRequest, d *draft, before kb.AnswerResult, release func(kb.Claim)) (made kb.AnswerResult, sent int, err error) {
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, left-max(leastReserve, left/10), ErrModelSlow)
		defer cancel()
	}
	g := &generation{Local: l, req: req, draft: d, before: before, language: "en"}
	if zh(req) {
		g.language = "zh"
	}
	for _, s := range req.Analysis.Slots {
		if s.Role == kb.Asked && s.Required {
			if a := strings.TrimSpace(s.Subject + " " + s.Attribute); a != "" && !slices.Contains(g.asked, a) {
				g.asked = append(g.asked, a)
			}
		}
	}
	gate, err := g.statements(ctx)
	if err != nil {
		return kb.AnswerResult{}, 0, err
	}
	out := before
	out.Gate = gate
	if gate.Total == 0 || gate.Rate < l.cfg.GateRate {
		made, err = g.decide(ctx, out)
		return made, 0, err
	}
	return g.write(ctx, out, release)
}

// generation is one answer of a model in the making.
type generation struct {
	*Local
	req      kb.AnswerRequest
	draft    *draft
	before   kb.AnswerResult
	language string
	asked    []string
}

// top are the packed pieces that statements are asked of: the first k in the order of
// selection.
func (g *generation) top(k int) []pack.Piece {
	out := slices.Clone(g.draft.packed.Pieces)
	slices.SortStableFunc(out, func(a, b pack.Piece) int { return a.Rank - b.Rank })
	return out[:min(k, len(out))]
}

// piece is a packed piece as the model reads it. Sentences that give orders to a
// machine are taken out: they are no evidence for anything.
func (g *generation) piece(n int, p pack.Piece) Piece {
	page := g.draft.page(g.reader, p.Index)
	content := p.Text
	var sentences []string
	for _, s := range page.Sentences {
		words := flatten(page.Quote(s.Span))
		switch {
		case reading.Orders(page, s.Span):
			content = strings.ReplaceAll(content, page.Quote(s.Span), "")
		case s.Kind == fact.HeaderRow || words == "" || slices.Contains(sentences, words):
		case slices.ContainsFunc(p.Kept, func(k text.Span) bool { return k.Contains(s.Span) }):
			sentences = append(sentences, words)
		}
	}
	out := pieceOf(n, g.req.Candidates[p.Index], strings.TrimSpace(content))
	out.Sentences = sentences
	return out
}

// stated is a packed piece cut down to what was stated of it, what fills a slot or is a
// side of a conflict, and what limits any of these.
func (g *generation) stated(p pack.Piece, facts []string) pack.Piece {
	page := g.draft.page(g.reader, p.Index)
	var spans []text.Span
	for _, f := range facts {
		span, ok := locate(page, f)
		if !ok {
			return p // said in other words: where, only all of it tells
		}
		spans = append(spans, span)
	}
	for _, q := range g.draft.quotes {
		if q.passage == p.Index {
			spans = append(spans, q.span)
		}
	}
	if len(spans) > 0 {
		p.Text, p.Kept, p.Whole = pack.Shorten(page, spans)
	}
	return p
}

// statements asks for one statement a passage, side by side, and checks each.
func (g *generation) statements(ctx context.Context) (kb.Gate, error) {
	pieces := g.top(g.cfg.GateK)
	out := make([]kb.Statement, len(pieces))
	for _, p := range pieces { // read before the calls run side by side: the draft has no lock
		g.draft.page(g.reader, p.Index)
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, p := range pieces {
		group.Go(func() error {
			st, err := g.statement(ctx, p)
			out[i] = st
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return kb.Gate{}, err
	}
	gate := kb.Gate{Statements: out}
	for _, st := range out {
		if st.Counted {
			gate.Total++
		}
		if st.Passed {
			gate.Passed++
		}
	}
	if gate.Total > 0 {
		gate.Rate = float64(gate.Passed) / float64(gate.Total)
	}
	return gate, nil
}

// Confidence of a statement, by its checks.
const (
	allHold       = 0.95
	heldAtRetry   = 0.90
	oneFails      = 0.70
	severalFail   = 0.30
	foreignSource = 0.10
)

// statement asks for the statement of one passage; one of which a single fact failed
// is asked for again, with the reason.
func (g *generation) statement(ctx context.Context, p pack.Piece) (kb.Statement, error) {
	task := StateTask{Question: g.req.Analysis.Question, Language: g.language, Asked: g.asked, Piece: g.piece(1, p)}
	st := kb.Statement{PassageID: task.Piece.ID}
	for try := 0; ; try++ {
		said, err := g.model.State(ctx, task)
		if errors.Is(err, ErrModelForm) && try < g.cfg.GateRetries {
			task.Reason, task.Rejected = err.Error(), nil
			continue
		}
		if err != nil {
			return st, err
		}
		st.Facts, st.Counted, st.Passed, st.Reason = said.Facts, len(said.Facts) > 0, false, ""
		failed := g.judge(p.Index, said, &st, try)
		g.log.Debug("statement", "evidence_id", st.PassageID, "facts", len(said.Facts), "failed", len(failed), "own_confidence", said.Confidence, "confidence", st.Confidence)
		if len(failed) != 1 || try >= g.cfg.GateRetries {
			return st, nil
		}
		task.Rejected, task.Reason = failed, st.Reason
	}
}

// judge checks one statement and sets its confidence; it returns the facts that do not
// hold.
func (g *generation) judge(passage int, said StatedFacts, st *kb.Statement, try int) (failed []string) {
	if said.Source != st.PassageID {
		st.Counted, st.Confidence, st.Reason = true, foreignSource, "its source is not the passage that was given"
		return nil
	}
	if !st.Counted {
		return nil
	}
	for _, f := range said.Facts {
		if why := g.holds(passage, f); why != "" {
			failed = append(failed, f)
			st.Reason = why
		}
	}
	switch {
	case len(failed) == 0 && try == 0:
		st.Passed, st.Confidence = true, allHold
	case len(failed) == 0:
		st.Passed, st.Confidence = true, heldAtRetry
	case len(failed) == 1:
		st.Confidence = oneFails
	default:
		st.Confidence, st.Reason = severalFail, fmt.Sprintf("%d facts do not hold: %s", len(failed), st.Reason)
	}
	return failed
}

// holds checks a stated fact against its passage: word for word; or kb/fact says the
// same and the wording agrees; or it compares two things of which both are there. ""
// means that it holds, else why not.
func (g *generation) holds(passage int, stated string) string {
	page := g.draft.page(g.reader, passage)
	if span, ok := locate(page, stated); ok {
		if reading.Orders(page, span) {
			return "the passage gives an order there, no information"
		}
		return ""
	}
	own := g.reader.Engine().Read(fact.Source{Text: stated, Published: g.req.Analysis.AsOf})
	checker := g.reader.Engine().Against([]*fact.Page{page}, []fact.Meta{reading.MetaOf(g.req.Candidates[passage].Passage)})
	said := 0
	for _, part := range claimSpans(own, nil) {
		s := checker.Check(fact.Claim{Page: own, Span: part.plain, AsOf: g.req.Analysis.AsOf})
		switch {
		case s.Verdict == fact.NoClaim:
			continue
		case s.Verdict != fact.SupportedClaim:
			return "not in the passage"
		case slices.ContainsFunc(s.Evidence, func(r fact.Ref) bool { return reading.Orders(page, r.Span) }):
			return "the passage gives an order there, no information"
		}
		said++
		if !g.wordingAgrees(own.Quote(part.plain), page, s) {
			return "the passage words it otherwise"
		}
	}
	if said == 0 {
		return "it states nothing"
	}
	return ""
}

// alike is the least similarity of a stated fact to its source where no reader judges.
const alike = 0.85

// wordingAgrees reports whether a supported fact may stand in other words than its
// source: across languages and for comparisons by values kb/fact has judged already.
func (g *generation) wordingAgrees(said string, page *fact.Page, s fact.Support) bool {
	if len(s.Evidence) != 1 || hanShare(said) > 0.5 != (hanShare(string(page.Runes)) > 0.5) {
		return true
	}
	return g.similarity == nil || g.similarity(said, page.Quote(s.Evidence[0].Span)) > alike
}

// locate finds a text on a page, whatever its white space, width and case.
func locate(page *fact.Page, s string) (text.Span, bool) {
	var folded []rune
	var at []int
	for i, r := range page.Runes {
		if !unicode.IsSpace(r) {
			folded, at = append(folded, text.FoldRune(r)), append(at, i)
		}
	}
	var wanted []rune
	for _, r := range s {
		if !unicode.IsSpace(r) {
			wanted = append(wanted, text.FoldRune(r))
		}
	}
	if len(wanted) < 2 {
		return text.Span{}, false
	}
	before, _, ok := strings.Cut(string(folded), string(wanted))
	if !ok {
		return text.Span{}, false
	}
	first := len([]rune(before))
	return text.Span{Start: at[first], End: at[first+len(wanted)-1] + 1}, true
}

// write asks for the answer out of the best passages that passed, and checks it.
func (g *generation) write(ctx context.Context, out kb.AnswerResult, release func(kb.Claim)) (kb.AnswerResult, int, error) {
	var pieces []Piece
	var indexes []int
	sides := map[int]bool{}
	for _, q := range g.draft.quotes {
		if q.side != "" {
			sides[q.passage] = true
		}
	}
	passed := map[string][]string{}
	var facts []string
	for _, st := range out.Gate.Statements {
		if !st.Passed || len(passed) >= g.cfg.AnswerTop {
			continue
		}
		passed[st.PassageID] = st.Facts
		for _, f := range st.Facts {
			if f = flatten(f); !slices.Contains(facts, f) {
				facts = append(facts, f)
			}
		}
	}
	for _, p := range g.draft.packed.Pieces {
		if said, ok := passed[g.req.Candidates[p.Index].ID]; ok || sides[p.Index] {
			pieces, indexes = append(pieces, g.piece(len(pieces)+1, g.stated(p, said))), append(indexes, p.Index)
		}
	}
	most := g.most(len(facts))
	task := WriteTask{
		Question: g.req.Analysis.Question, Language: g.language, Asked: g.asked, Pieces: pieces,
		Table: g.draft.packed.Mode == pack.StructuredShort, History: g.draft.packed.History, Conflict: len(sides) > 0, Single: most == 1,
	}
	for _, m := range g.req.Assessment.Missing {
		task.Missing = append(task.Missing, m.Text)
	}
	for _, p := range pieces {
		task.Tokens += 2 * len([]rune(p.Text)) // a model that goes on beyond what it was given invents
	}
	task.Tokens += leastTokens
	w := newWriting(g, indexes, len(sides) > 0, &out, release)
	err := w.written(ctx, task)
	if w.sent == 0 && (errors.Is(err, ErrModelUnfounded) || errors.Is(err, ErrModelLanguage) || errors.Is(err, ErrModelCut)) {
		w = newWriting(g, indexes, len(sides) > 0, &out, release)
		// Why the first try failed is the better reason, should this one fail, too.
		if e := w.chosen(ctx, ChooseTask{Question: task.Question, Language: g.language, Facts: facts, Most: most}); e == nil {
			err = nil
		}
	}
	if err != nil {
		if w.sent == 0 {
			return kb.AnswerResult{}, 0, err
		}
		w.extract() // what was released stays; the sources say the rest
		out.Degraded = append(out.Degraded, kb.Degraded{Part: "llm", Reason: modelFault(err)})
	}
	w.finish()
	return out, w.sent, nil
}

// leastTokens is what an answer may have whatever its evidence, in tokens.
const leastTokens = 64

// most is how many sentences an answer needs at most, out of some: one for each asked
// slot, both sides of a conflict; all where a list is asked.
func (g *generation) most(of int) int {
	n := 0
	for _, s := range g.req.Analysis.Slots {
		if s.Role != kb.Asked || !s.Required {
			continue
		}
		if n++; s.Expect == kb.ExpectList || s.Count > 1 {
			n = of
		}
	}
	for _, q := range g.draft.quotes {
		if q.side != "" {
			n = max(n, 2)
		}
	}
	switch g.req.Analysis.Class {
	case kb.Steps, kb.Condition, kb.Exception:
		n = of
	default:
	}
	return max(1, min(n, of))
}

// speaks reports whether a text is in the language of the answer.
func (g *generation) speaks(s string) bool {
	share := hanShare(s)
	if share < 0 {
		return true
	}
	return share > 0.3 == (g.language == "zh")
}

// hanShare is the share of Chinese in a text, a Latin word counting as two characters;
// -1 where it has neither.
func hanShare(s string) float64 {
	han, latin, inWord := 0, 0, false
	for _, r := range s {
		letter := unicode.IsLetter(r) && !text.IsHan(r)
		switch {
		case text.IsHan(r):
			han++
		case letter && !inWord:
			latin += 2
		}
		inWord = letter
	}
	if han+latin == 0 {
		return -1
	}
	return float64(han) / float64(han+latin)
}

// tidy removes what a blanked mark leaves: spaces before punctuation and at the ends.
func tidy(s string) string {
	s = flatten(s)
	for _, p := range []string{".", ",", ";", "。", "，", "；", "、"} {
		s = strings.ReplaceAll(s, " "+p, p)
	}
	return s
}

// tellsBoth reports whether both sides of the conflict are in the answer.
func tellsBoth(d *draft, in []sentence) bool {
	for _, side := range d.quotes {
		if side.side == "" {
			continue
		}
		if !slices.ContainsFunc(in, func(s sentence) bool {
			return slices.ContainsFunc(s.quotes, func(q quote) bool { return q.passage == side.passage && q.span.Overlaps(side.span) })
		}) {
			return false
		}
	}
	return true
}

// open lists the asked slots that were filled and that no sentence of an answer tells;
// told is how many some sentence does. A sentence tells a slot when it cites its
// evidence, or says its value.
func (g *generation) open(kept []sentence) (open []string, told int) {
	for _, s := range g.req.Assessment.Slots {
		if s.Role != kb.Asked || !s.Required || s.State == kb.Empty || slices.Contains(g.draft.packed.Lost, s.Name) {
			continue
		}
		if slices.ContainsFunc(kept, func(x sentence) bool { return g.fills(x, s) }) {
			told++
		} else {
			open = append(open, s.Name)
		}
	}
	return open, told
}

// fills reports whether a sentence tells what a slot asks: it rests on evidence of the
// slot and, where that is a value, says the value.
func (g *generation) fills(s sentence, slot kb.SlotFill) bool {
	said := string(text.Fold([]rune(strings.Join(strings.Fields(s.text), ""))))
	for _, e := range slot.Evidence {
		value := e.Value
		if value == "" && len([]rune(e.Quote)) <= 12 {
			value = e.Quote
		}
		value = string(text.Fold([]rune(strings.Join(strings.Fields(value), ""))))
		rests := slices.ContainsFunc(s.quotes, func(q quote) bool {
			return g.req.Candidates[q.passage].ID == e.PassageID && q.span.Overlaps(text.Span{Start: e.Start, End: e.End})
		})
		switch {
		case value != "" && strings.Contains(said, value) && rests:
			return true
		case rests && (value == "" || !strings.ContainsFunc(value, unicode.IsDigit) || g.sameValue(s.text, e)):
			return true
		}
	}
	return false
}

// sameValue reports whether a text has a value that kb/fact takes for the one of the
// evidence: 三百元 for 300元, "two weeks" for 14 days.
func (g *generation) sameValue(said string, e kb.Evidence) bool {
	i := g.draft.byID[e.PassageID]
	page := g.draft.page(g.reader, i)
	own := g.reader.Engine().Read(fact.Source{Text: said, Published: g.req.Analysis.AsOf})
	for a := range page.Facts {
		f := &page.Facts[a]
		if !(text.Span{Start: e.Start, End: e.End}).Overlaps(f.Value.Span) {
			continue
		}
		for b := range own.Facts {
			if fact.SameValue(f.Value, own.Facts[b].Value) {
				return true
			}
		}
	}
	return false
}

// decide asks for one of the three replies below the gate and checks it. What does not
// hold, and what is none of the three, is a refusal.
func (g *generation) decide(ctx context.Context, out kb.AnswerResult) (kb.AnswerResult, error) {
	task := DecideTask{Question: g.req.Analysis.Question, Language: g.language, Asked: g.asked}
	place := map[string]int{}
	for _, p := range g.top(g.cfg.GateK) {
		piece := g.piece(len(task.Pieces)+1, p)
		task.Pieces = append(task.Pieces, piece)
		place[piece.ID] = p.Index
	}
	d, err := g.model.Decide(ctx, task)
	if errors.Is(err, ErrModelForm) {
		return refuse(out, g.req), nil
	}
	if err != nil {
		return kb.AnswerResult{}, err
	}
	find := func(source, words string) (quote, bool) {
		i, ok := place[source]
		if !ok {
			return quote{}, false
		}
		page := g.draft.page(g.reader, i)
		span, ok := locate(page, words)
		if !ok || reading.Orders(page, span) || !g.onTopic(i, span) {
			return quote{}, false
		}
		span = withException(page, g.sentence(page, span))
		return quote{passage: i, span: span, text: page.Quote(span)}, true
	}
	switch d.Kind {
	case DecideQuote:
		q, ok := find(d.Source, d.Quote)
		if !ok {
			return refuse(out, g.req), nil
		}
		out.Outcome = kb.Partial
		for _, s := range g.req.Analysis.Slots {
			if s.Role == kb.Asked && s.Required {
				out.Missing = append(slices.Clone(out.Missing), kb.Missing{Slot: s.Name, Text: unverifiable(g.req)})
				break
			}
		}
		assemble(g.req, foreignLead([]quote{q}, g.language == "zh"), []sentence{{text: flatten(q.text), quotes: []quote{q}, probability: allHold}}, false, &out)
	case DecideConflict:
		a, okA := find(d.A.Source, d.A.Quote)
		b, okB := find(d.B.Source, d.B.Quote)
		if !okA || !okB || a.passage == b.passage && a.span.Overlaps(b.span) || !g.excludes(a, b) {
			return refuse(out, g.req), nil
		}
		a.side, b.side = "a", "b"
		out.Outcome = kb.Conflicting
		side := func(q quote) kb.Evidence {
			return kb.Evidence{PassageID: g.req.Candidates[q.passage].ID, Start: q.span.Start, End: q.span.End, Quote: q.text, Value: q.text}
		}
		out.Conflicts = append(slices.Clone(out.Conflicts), kb.Conflict{Kind: kb.ConflictValue, Hard: true, A: side(a), B: side(b), Resolution: kb.Unresolved, OnAsked: true})
		assemble(g.req, disagree(g.language == "zh"), []sentence{
			{text: flatten(a.text), quotes: []quote{a}, probability: allHold},
			{text: flatten(b.text), quotes: []quote{b}, probability: allHold},
		}, true, &out)
	default:
		return refuse(out, g.req), nil
	}
	return out, nil
}

// onTopic reports whether a quote has to do with what is asked: it touches evidence of
// the assessment, or shares a word with the question.
func (g *generation) onTopic(passage int, span text.Span) bool {
	for _, q := range g.draft.quotes {
		if q.passage == passage && q.span.Overlaps(span) {
			return true
		}
	}
	asked := map[string]bool{}
	for _, t := range text.Terms(text.Fold([]rune(g.req.Analysis.Question))) {
		asked[t.Text] = true
	}
	page := g.draft.page(g.reader, passage)
	for _, t := range text.Terms(text.Fold(page.Runes[span.Start:span.End])) {
		if asked[t.Text] {
			return true
		}
	}
	return false
}

// excludes reports whether kb/fact says of one quote that the other contradicts it.
func (g *generation) excludes(a, b quote) bool {
	for _, pair := range [][2]quote{{a, b}, {b, a}} {
		own := g.reader.Engine().Read(fact.Source{Text: pair[0].text})
		other := g.reader.Engine().Read(fact.Source{Text: pair[1].text})
		checker := g.reader.Engine().Against([]*fact.Page{other}, []fact.Meta{{}})
		for _, part := range claimSpans(own, nil) {
			if checker.Check(fact.Claim{Page: own, Span: part.plain}).Verdict == fact.ContradictedClaim {
				return true
			}
		}
	}
	return false
}
