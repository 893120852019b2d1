package validate

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/text"
)

// writing checks an answer of a model while it grows or at its end.
//
// A sentence is released when it is supported, when the next one has begun (a mark or a
// limit of it may follow), and when the sentences up to it tell something that is asked:
// from there on the answer can only become longer. Nothing of a conflict is released
// before both its sides are told. A sentence that was released is never judged again.
type writing struct {
	g        *generation
	given    []kb.Passage
	place    map[string]int // candidate of a passage
	conflict bool
	out      *kb.AnswerResult
	laid     *assembly
	release  func(kb.Claim) // nil = nobody reads along

	how string // the sentences came about; "" = written

	judged  int // code points of the answer that were judged
	kept    []sentence
	newest  bool // the claim judged last is the last of kept
	said    map[string]bool
	limited int             // sentences of kept whose limits were looked for
	limits  map[string]bool // limits that were added
	ready   []sentence      // kept, with their limits
	laidOut int             // of ready, in the answer
	sent    int             // of those, released
	count   AnswerCheck
}

func newWriting(g *generation, indexes []int, conflict bool, out *kb.AnswerResult, release func(kb.Claim)) *writing {
	w := &writing{g: g, conflict: conflict, out: out, release: release, place: map[string]int{}, said: map[string]bool{}, limits: map[string]bool{}}
	for _, n := range indexes {
		w.given = append(w.given, g.req.Candidates[n].Passage)
	}
	for i := len(indexes) - 1; i >= 0; i-- {
		w.place[w.given[i].ID] = indexes[i]
	}
	lead := ""
	if conflict {
		lead = disagree(g.language == "zh")
	}
	w.laid = newAssembly(g.req, lead, conflict, conflict, out) // how long it gets is not known: running text
	return w
}

// written lets the model write and checks what it writes.
func (w *writing) written(ctx context.Context, task WriteTask) error {
	answer, err := w.g.model.Write(ctx, task, func(soFar string) error { return w.grow(ctx, soFar) })
	if err != nil {
		return err
	}
	if !w.g.speaks(answer) {
		return ErrModelLanguage
	}
	return w.end(ctx, answer)
}

// chosen lets the model choose from what it stated and checks that as an answer: what
// small models can do that cannot word one.
func (w *writing) chosen(ctx context.Context, task ChooseTask) error {
	if len(task.Facts) == 0 {
		return ErrModelUnfounded
	}
	picked, err := w.g.model.Choose(ctx, task)
	if err != nil {
		return err
	}
	if len(picked) == 0 {
		return ErrModelUnfounded
	}
	w.how = "chosen by the model from what it stated"
	var lines []string
	for _, i := range picked {
		if i < 0 || i >= len(task.Facts) {
			return ErrModelForm
		}
		lines = append(lines, task.Facts[i])
	}
	answer := strings.Join(lines, "\n")
	if !w.g.speaks(answer) {
		return ErrModelLanguage
	}
	return w.end(ctx, answer)
}

// closers may end a sentence.
const closers = ".!?;。！？；\n"

// grow is told of the answer as far as it goes.
func (w *writing) grow(ctx context.Context, soFar string) error {
	runes := []rune(soFar)
	if len(runes) > 60 && !w.g.speaks(soFar) {
		return ErrModelLanguage
	}
	if w.release == nil || w.judged >= len(runes) || !strings.ContainsAny(string(runes[w.judged:]), closers) {
		return nil
	}
	marks, plain := stripMarks(runes)
	parts := claimSpans(w.g.reader.Engine().Read(fact.Source{Text: string(plain), Published: w.g.req.Analysis.AsOf}), marks)
	if len(parts) < 2 || parts[len(parts)-2].whole.End <= w.judged {
		return nil
	}
	if err := w.judge(ctx, string(runes[:parts[len(parts)-2].whole.End])); err != nil {
		return err
	}
	w.limit(!w.newest)
	if w.g.speaks(soFar) && w.certain() {
		w.send()
	}
	return nil
}

// end is told of the whole answer. It returns ErrModelUnfounded where nothing that is
// asked is left of it.
func (w *writing) end(ctx context.Context, answer string) error {
	if err := w.judge(ctx, answer); err != nil {
		return err
	}
	w.limit(true)
	w.g.observe.AnswerChecked(w.count)
	if !w.certain() {
		return ErrModelUnfounded // the sources hold it; what failed is the model
	}
	w.send()
	return nil
}

// certain reports whether what is there will stay the beginning of the answer.
func (w *writing) certain() bool {
	_, told := w.g.open(w.ready)
	return told > 0 && (!w.conflict || tellsBoth(w.g.draft, w.ready))
}

// send lays out what is ready and releases it.
func (w *writing) send() {
	for _, s := range w.ready[w.laidOut:] {
		claim := w.laid.add(s)
		w.laidOut++
		if w.release != nil {
			w.release(claim)
			w.sent++
		}
	}
}

// judge judges the claims of an answer that were not judged before and keeps what may
// leave: supported claims with the marks of the passages that support them; for a claim
// that left out a limit, the sentence of its source.
func (w *writing) judge(ctx context.Context, answer string) error {
	g := w.g
	judged, err := g.check(ctx, kb.VerifyRequest{Question: g.req.Analysis.Question, Answer: answer, Passages: w.given, AsOf: g.req.Analysis.AsOf}, false)
	if err != nil {
		return err
	}
	from := w.judged
	w.judged = len([]rune(answer))
	for _, c := range judged {
		if c.Start < from || c.Verdict == kb.NotAClaim {
			continue
		}
		w.newest = false
		var quotes []quote
		for _, e := range c.Citations {
			i := w.place[e.PassageID]
			q := quote{passage: i, span: text.Span{Start: e.Start, End: e.End}, text: e.Quote}
			if !reading.Orders(g.draft.page(g.reader, i), q.span) {
				quotes = append(quotes, q)
			}
		}
		_, bare := stripMarks([]rune(c.Text))
		s := sentence{text: tidy(string(bare)), quotes: quotes, probability: c.Probability, reason: w.how}
		switch {
		case len(quotes) == 0 || len(quotes) < len(c.Citations):
			w.count.Cut++
			continue
		case c.Verdict == kb.ClaimSupported:
			if c.misnamed {
				s.reason = join(w.how, c.Reason)
				w.count.Remarked++
			} else {
				w.count.Kept++
			}
		case c.limited && hanShare(quotes[0].text) > 0.3 == (g.language == "zh"):
			s.quotes = quotes[:1]
			s.text, s.reason = flatten(quotes[0].text), "in the words of the source: "+c.Reason
			w.count.Restored++
		default:
			w.count.Cut++
			continue
		}
		if !w.said[s.text] {
			w.said[s.text] = true
			w.kept, w.newest = append(w.kept, s), true
		}
	}
	return nil
}

// limit adds, behind a sentence, the one that limits its source and that the answer
// does not cite: a rule does not leave without its exception. Unless all, the last
// sentence waits: the model may be about to tell the limit itself.
func (w *writing) limit(all bool) {
	for ; w.limited < len(w.kept) && (all || w.limited < len(w.kept)-1); w.limited++ {
		s := w.kept[w.limited]
		if w.limits[s.text] {
			continue // it was added, and then told
		}
		w.ready = append(w.ready, s)
		for _, q := range s.quotes {
			page := w.g.draft.page(w.g.reader, q.passage)
			wide := withException(page, q.span)
			rest := text.Span{Start: q.span.End, End: wide.End}
			words := flatten(page.Quote(rest))
			if words == "" || w.limits[words] || w.cites(q.passage, rest) || reading.Orders(page, rest) {
				continue
			}
			for rest.Start < rest.End && unicode.IsSpace(page.Runes[rest.Start]) {
				rest.Start++
			}
			w.limits[words] = true
			w.count.Restored++
			w.ready = append(w.ready, sentence{text: words, probability: s.probability, reason: "limits the sentence before it",
				quotes: []quote{{passage: q.passage, span: rest, text: page.Quote(rest)}}})
		}
	}
}

// cites reports whether a sentence of the answer rests on a stretch of a passage.
func (w *writing) cites(passage int, span text.Span) bool {
	return slices.ContainsFunc(w.kept, func(s sentence) bool {
		return slices.ContainsFunc(s.quotes, func(q quote) bool { return q.passage == passage && q.span.Overlaps(span) })
	})
}

// extract ends an answer whose model failed after a part of it was released: what that
// part leaves open is told in the words of the sources.
func (w *writing) extract() {
	w.g.observe.AnswerChecked(w.count)
	w.ready = w.ready[:w.sent]
	open, _ := w.g.open(w.ready)
	quotes, said := w.g.checked(w.g.req, w.g.draft)
	for i, q := range quotes {
		fills := slices.ContainsFunc(open, func(slot string) bool { return q.slots[slot] })
		if fills && !slices.ContainsFunc(w.ready, func(s sentence) bool { return s.text == said[i] }) {
			w.ready = append(w.ready, sentence{text: said[i], quotes: quotes[i : i+1], probability: 0.99})
		}
	}
	w.send()
}

// finish sets the outcome by what the answer tells, of two outcomes the more careful
// one, and names what is missing.
func (w *writing) finish() {
	open, _ := w.g.open(w.ready)
	w.out.Missing = slices.Clone(w.out.Missing)
	for _, slot := range open {
		w.out.Missing = append(w.out.Missing, kb.Missing{Slot: slot, Text: unverifiable(w.g.req)})
	}
	if len(open) > 0 {
		w.out.Outcome = kb.Partial
	}
	w.laid.finish()
}
