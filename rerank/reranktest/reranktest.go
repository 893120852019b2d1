// Package reranktest is the suite that every form of the rerank layer passes, in
// process or remote. It checks what rerank.Assessor promises, not how good it is.
package reranktest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/rerank"
)

func asked(question, attribute, unit string) kb.Analysis {
	return kb.Analysis{
		Question: question, Original: question, AsOf: time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC), Class: kb.Numeric, Probability: 1,
		Classes: []kb.ClassProbability{{Class: kb.Numeric, Probability: 1}}, Risk: kb.RiskHigh, Language: "mixed",
		Slots: []kb.Slot{{Name: "value", Role: kb.Asked, Required: true, Attribute: attribute, Expect: kb.ExpectQuantity, Unit: unit}},
	}
}

func handed(texts ...string) []kb.Candidate {
	var out []kb.Candidate
	for i, text := range texts {
		out = append(out, kb.Candidate{Passage: kb.Passage{ID: string(rune('a' + i)), Text: text}, Score: float64(10 - i), Rank: i + 1})
	}
	return out
}

// Run checks the assessor that open returns. open registers what is to be closed
// with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) rerank.Assessor) {
	assessor := open(t)
	requests := map[string]kb.AssessRequest{
		"chinese":     {Analysis: asked("苔原号快艇的续航是多少海里？", "续航", "海里"), Candidates: handed("苔原号快艇🚤的续航为310海里。", "码头每天六点开门。", "苔原号快艇的续航为260海里。")},
		"english":     {Analysis: asked("How many seats does the Larch ferry have?", "seats", "seats"), Candidates: handed("The pier opens at six.", "The Larch ferry has 84 seats.")},
		"no passages": {Analysis: asked("How many seats does the Larch ferry have?", "seats", "seats")},
	}
	for name, req := range requests {
		t.Run(name, func(t *testing.T) {
			got, err := assessor.Assess(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			consistent(t, req, got)
			again, err := assessor.Assess(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the same request gave another reply (-first +second):\n%s", diff)
			}
		})
	}
	t.Run("nothing to assess is insufficient", func(t *testing.T) {
		got, err := assessor.Assess(t.Context(), requests["no passages"])
		if err != nil || got.Outcome != kb.Insufficient || got.Sufficient {
			t.Errorf("outcome %s, %v; want INSUFFICIENT", got.Outcome, err)
		}
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := assessor.Assess(ctx, requests["english"]); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want context.Canceled", err)
		}
	})
}

// consistent checks what holds for every assessment.
func consistent(t *testing.T, req kb.AssessRequest, got kb.Assessment) {
	t.Helper()
	if got.Sufficient != (got.Outcome == kb.Answered) {
		t.Errorf("sufficient %v with outcome %s", got.Sufficient, got.Outcome)
	}
	for what, v := range map[string]float64{"sufficiency": got.Sufficiency, "fgc": got.FGC, "sid": got.SID} {
		if !(v >= 0 && v <= 1) {
			t.Errorf("%s is %v", what, v)
		}
	}
	if !(got.CDS >= 0) {
		t.Errorf("cds is %v", got.CDS)
	}
	texts := map[string][]rune{}
	order := map[string]int{}
	for i, c := range req.Candidates {
		texts[c.ID], order[c.ID] = []rune(c.Text), i
	}
	quote := func(e kb.Evidence) {
		text, ok := texts[e.PassageID]
		if !ok || e.Start < 0 || e.End > len(text) || e.Start > e.End || string(text[e.Start:e.End]) != e.Quote {
			t.Errorf("%+v is no span of its passage", e)
		}
	}
	for _, s := range got.Slots {
		for _, e := range s.Evidence {
			quote(e)
		}
		if (s.State == kb.Empty) != (len(s.Evidence) == 0) {
			t.Errorf("slot %s is %s with %d pieces of evidence", s.Name, s.State, len(s.Evidence))
		}
	}
	for _, c := range got.Conflicts {
		quote(c.A)
		quote(c.B)
		if (c.Prefer == "") != (c.Resolution == kb.Unresolved) {
			t.Errorf("a conflict that is %s prefers %q", c.Resolution, c.Prefer)
		}
	}
	for i := 1; i < len(got.Passages); i++ {
		a, b := got.Passages[i-1], got.Passages[i]
		if a.Score < b.Score || (a.Score == b.Score && order[a.ID] > order[b.ID]) {
			t.Errorf("%s (%v) stands before %s (%v)", a.ID, a.Score, b.ID, b.Score)
		}
	}
}
