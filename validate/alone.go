package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/deadline"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/text"
)

// A true sentence of the right passage may still answer another question. So what is
// about to be quoted is read once more, alone: a reader that does not find in it what is
// asked is asked where in the passages it stands, and if that does not hold alone either,
// the question is not answered.

// leastAlone is the least geometric mean of what a reader says of a quote (that it holds
// what is asked, that the answer stands at a place in it), 0..1. Chosen on questions of
// cmrc2018 and squad2 that are not on the test side; docs/measurements.md, "Verification".
const leastAlone = 0.25

// Read is what a reader finds of a question in one text.
type Read struct {
	Holds  float64   // probability that the text holds what is asked, 0..1
	Answer float64   // that the answer stands at Span, 0..1
	Span   text.Span // of the text; empty where there is none
}

func (r Read) alone() float64 { return math.Sqrt(r.Holds * r.Answer) }

// Reads asks a reader about a question, one reading a text, in order. An error leaves
// the reader out.
type Reads func(ctx context.Context, question string, texts []string) ([]Read, error)

// readAlone checks the quotes of a draft by the reader, and replaces them where another
// sentence holds what they do not. False: neither does. Only one thing that is asked and
// that prose words is checked: which number or date is meant is for facts to decide, and
// tables and lists mean what they mean by their headings and by being whole. A reader that is
// late or fails changes nothing, and out names it.
func (l *Local) readAlone(ctx context.Context, req kb.AnswerRequest, d *draft, out *kb.AnswerResult) (bool, error) {
	slot := ""
	for _, s := range req.Analysis.Slots {
		if s.Role == kb.Asked && s.Required {
			switch {
			case slot != "", s.Count > 1, s.Expect == kb.ExpectList, s.Expect == kb.ExpectQuantity, s.Expect == kb.ExpectTime, s.Expect == kb.ExpectDuration:
				return true, nil
			}
			slot = s.Name
		}
	}
	if l.reads == nil || slot == "" || req.Assessment.Outcome != kb.Answered || len(d.quotes) == 0 ||
		slices.ContainsFunc(d.quotes, func(q quote) bool { return q.side != "" || !l.isProse(d, q) }) {
		return true, nil
	}
	limited, limit, cancel := deadline.Within(ctx, l.cfg.VoteBudget)
	defer cancel()
	read := func(texts []string) []Read {
		got, err := deadline.Await(limited, func() ([]Read, error) { return l.reads(limited, req.Analysis.Question, texts) })
		if err != nil || len(got) != len(texts) {
			l.log.Warn("reader left out of an answer", "error", err, "readings", fmt.Sprint(len(got), " of ", len(texts)))
			reason := "failed"
			if errors.Is(err, context.DeadlineExceeded) {
				reason = fmt.Sprintf("not done within %v", limit.Round(time.Millisecond))
			}
			out.Degraded = append(out.Degraded, kb.Degraded{Part: "reader", Reason: reason})
			return nil
		}
		return got
	}
	own := read([]string{d.quoted()})
	if len(own) == 0 || own[0].alone() >= leastAlone {
		return true, ctx.Err()
	}

	var excerpts []reading.Excerpt
	var texts []string
	var from []int
	look := func(n int, at text.Span) {
		if len(from) < l.cfg.AnswerTop && !slices.Contains(from, n) {
			e := reading.ExcerptOf(req.Candidates[n].Passage, d.page(l.reader, n), at)
			excerpts, texts, from = append(excerpts, e), append(texts, e.Text), append(from, n)
		}
	}
	for _, q := range d.quotes {
		look(q.passage, q.span)
	}
	for n := range req.Candidates {
		look(n, text.Span{})
	}
	best := -1
	found := read(texts)
	if found == nil {
		return true, ctx.Err()
	}
	for i, r := range found {
		if best < 0 || r.Holds > found[best].Holds {
			best = i
		}
	}
	if best < 0 {
		return false, ctx.Err()
	}
	at, ok := excerpts[best].In(found[best].Span)
	if !ok {
		return false, ctx.Err()
	}
	before := d.quotes
	d.quotes = nil
	l.add(d, kb.Evidence{PassageID: req.Candidates[from[best]].ID, Start: at.Start, End: at.End}, slot, "")
	if len(d.quotes) == 0 || slices.ContainsFunc(d.quotes, func(q quote) bool { return !l.isProse(d, q) }) {
		return false, ctx.Err()
	}
	for _, q := range d.quotes {
		if slices.ContainsFunc(before, func(o quote) bool { return o.passage == q.passage && o.span == q.span }) {
			return false, ctx.Err()
		}
	}
	if own = read([]string{d.quoted()}); own == nil {
		d.quotes = before
		return true, ctx.Err()
	}
	return own[0].alone() >= 2*leastAlone, ctx.Err()
}

// quoted are the quotes, one a line.
func (d *draft) quoted() string {
	said := make([]string, len(d.quotes))
	for i, q := range d.quotes {
		said[i] = q.text
	}
	return strings.Join(said, "\n")
}

// isProse reports whether a quote stands in running text.
func (l *Local) isProse(d *draft, q quote) bool {
	for _, s := range d.page(l.reader, q.passage).Sentences {
		if s.Overlaps(q.span) && s.Kind != fact.Prose {
			return false
		}
	}
	return true
}
