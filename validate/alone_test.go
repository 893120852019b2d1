package validate_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/text/lexicon"
	"suffice.dev/suffice/validate"
)

// TestReadAlone: what is about to be quoted is read alone. What does not hold what is
// asked is replaced by what does, or the question is refused, and no model is called; a
// reader that is down changes nothing.
func TestReadAlone(t *testing.T) {
	reader := reading.New(fact.New(fact.Config{Dictionary: lexicon.Default()}), 0, nil)
	const garage, seats = "The garage of the Marlow hall opens at 6:00.", "The Marlow hall has 240 seats."
	for name, c := range map[string]struct {
		holds   string // the reader finds the answer where this stands, in texts that have it
		fail    error
		count   int // of what is asked
		expect  kb.Expect
		outcome kb.Outcome
		answer  string
		reads   int
	}{
		"the quote holds it":           {holds: "opens at 6:00", outcome: kb.Answered, answer: garage + "[1]", reads: 1},
		"another sentence does":        {holds: "240 seats", outcome: kb.Answered, answer: seats + "[1]", reads: 3},
		"none does":                    {holds: "nowhere", outcome: kb.Insufficient, reads: 2},
		"a reader that is down":        {fail: errors.New("no memory"), outcome: kb.Answered, answer: garage + "[1]", reads: 1},
		"a time, which facts decide":   {holds: "nowhere", expect: kb.ExpectTime, outcome: kb.Answered, answer: garage + "[1]"},
		"several things are asked for": {holds: "nowhere", count: 2, outcome: kb.Answered, answer: garage + "[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			reads := 0
			m := &scripted{fail: map[string]error{"state": validate.ErrModelDown}}
			opts := validate.Options{Reads: func(_ context.Context, _ string, texts []string) ([]validate.Read, error) {
				reads++
				out := make([]validate.Read, len(texts))
				for i, s := range texts {
					out[i] = validate.Read{Holds: 0.1, Answer: 0.1}
					if before, _, ok := strings.Cut(s, c.holds); ok && c.holds != "" {
						start := len([]rune(before))
						out[i] = validate.Read{Holds: 0.9, Answer: 0.9, Span: text.Span{Start: start, End: start + len([]rune(c.holds))}}
					}
				}
				return out, c.fail
			}}
			if c.outcome == kb.Insufficient {
				opts.Model = m
			}
			v, err := validate.New(validate.Default(), reader, opts)
			if err != nil {
				t.Fatal(err)
			}
			req := asks(t, "How many people can sit in the Marlow hall?", "en", hall, quoteOf{"hall@1#1", "6:00"})
			req.Analysis.Slots[0].Count, req.Assessment.Slots[0].Count = c.count, c.count
			req.Analysis.Slots[0].Expect = c.expect
			got, err := v.Answer(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if down := len(got.Degraded) == 1 && got.Degraded[0] == (kb.Degraded{Part: "reader", Reason: "failed"}); down != (c.fail != nil && c.outcome == kb.Answered) {
				t.Errorf("degraded %v after a reader's error %v", got.Degraded, c.fail)
			}
			if got.Outcome != c.outcome || got.Answer != c.answer || reads != c.reads || len(m.calls) > 0 {
				t.Errorf("%s %q, %d readings, model asked for %v; want %s %q, %d readings and no model", got.Outcome, got.Answer, reads, m.calls, c.outcome, c.answer, c.reads)
			}
			exact(t, got.Answer, got.Claims, passages(t, hall))
		})
	}
}
