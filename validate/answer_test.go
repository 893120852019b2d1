package validate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
)

type answerCase struct {
	Name, Question, Language, Class string
	Passages                        []passage
	Slots                           []struct {
		Name     string
		Evidence []quoteOf
	}
	Conflict []quoteOf
	Missing  []struct{ Slot, Text string }
	Given    string // outcome of the assessment; ANSWERED if not said
	Outcome  string
	Answer   string
}

type quoteOf struct{ Passage, Quote string }

// place finds a quote in the passages.
func place(t *testing.T, q quoteOf, given []kb.Passage) kb.Evidence {
	t.Helper()
	for _, p := range given {
		if p.ID != q.Passage {
			continue
		}
		before, _, ok := strings.Cut(p.Text, q.Quote)
		if !ok {
			break
		}
		start := len([]rune(before))
		return kb.Evidence{PassageID: p.ID, Start: start, End: start + len([]rune(q.Quote)), Quote: q.Quote}
	}
	t.Fatalf("no passage %s with %q", q.Passage, q.Quote)
	return kb.Evidence{}
}

func TestAnswer(t *testing.T) {
	v := open(t)
	for _, c := range load[answerCase](t, "testdata/answer.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			given := passages(t, c.Passages)
			req := kb.AnswerRequest{Analysis: kb.Analysis{Question: c.Question, Original: c.Question, Class: kb.Class(c.Class), Language: c.Language}}
			req.Assessment.Outcome = kb.Answered
			if c.Given != "" {
				req.Assessment.Outcome = kb.Outcome(c.Given)
			}
			for _, p := range given {
				req.Candidates = append(req.Candidates, kb.Candidate{Passage: p})
			}
			for _, s := range c.Slots {
				slot := kb.Slot{Name: s.Name, Role: kb.Asked, Required: true}
				req.Analysis.Slots = append(req.Analysis.Slots, slot)
				state := kb.SlotFill{Slot: slot, State: kb.Empty}
				for _, q := range s.Evidence {
					state.State = kb.Filled
					state.Evidence = append(state.Evidence, place(t, q, given))
				}
				req.Assessment.Slots = append(req.Assessment.Slots, state)
			}
			if len(c.Conflict) == 2 {
				req.Assessment.Conflicts = []kb.Conflict{{Kind: "VALUE", Hard: true, OnAsked: true, Resolution: kb.Unresolved,
					A: place(t, c.Conflict[0], given), B: place(t, c.Conflict[1], given)}}
			}
			for _, m := range c.Missing {
				req.Assessment.Missing = append(req.Assessment.Missing, kb.Missing{Slot: m.Slot, Text: m.Text})
			}
			got, err := v.Answer(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Outcome) != c.Outcome {
				t.Errorf("outcome %s, want %s", got.Outcome, c.Outcome)
			}
			if diff := cmp.Diff(c.Answer, got.Answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			exact(t, got.Answer, got.Claims, given)
			for _, q := range got.Citations {
				for _, p := range given {
					if p.ID == q.EvidenceID && string([]rune(p.Text)[q.Start:q.End]) != q.Quote {
						t.Errorf("citation %d quotes %q", q.Number, q.Quote)
					}
				}
			}
			if got.Outcome == kb.Insufficient && (len(got.Citations) > 0 || len(got.Claims) > 0) {
				t.Errorf("a refusal with %d citations and %d claims", len(got.Citations), len(got.Claims))
			}
		})
	}
}
