package evaluate

import (
	"context"
	"testing"

	"suffice.dev/suffice/kb"
)

// The rerank order brings the covering passage up and the contradicting one down.
func TestMeasureOrder(t *testing.T) {
	var found []kb.Candidate
	for _, id := range []string{"noise", "against", "for", "right", "more", "else"} {
		found = append(found, kb.Candidate{Passage: kb.Passage{ID: id, DocumentID: id, Text: id}, Score: 0.5})
	}
	assess := func(_ context.Context, _ string, passages []kb.Candidate) (kb.Assessment, error) {
		has := map[string]bool{}
		var a kb.Assessment
		for _, p := range passages {
			has[p.ID] = true
		}
		for _, id := range []string{"right", "noise", "more", "else", "for", "against"} {
			if has[id] {
				a.Passages = append(a.Passages, kb.PassageScore{ID: id})
			}
		}
		if has["right"] {
			a.FGC, a.Sufficiency = 0.97, 0.9
		}
		if has["for"] && has["against"] {
			a.Conflicts = []kb.Conflict{{OnAsked: true, Resolution: kb.Unresolved}}
		}
		return a, nil
	}
	set := RetrievalSet{Name: "tiny", Questions: []RetrievalQuestion{{Text: "q", Relevant: []string{"right"}}, {Text: "not there", Relevant: []string{"elsewhere"}}}}
	got, err := MeasureOrder(t.Context(), set, func(context.Context, string, int) ([]kb.Candidate, error) { return found, nil }, assess)
	if err != nil {
		t.Fatal(err)
	}
	if got.Questions != 1 {
		t.Fatalf("%d questions, want the one whose document is found", got.Questions)
	}
	if got.Covered != 1 || got.Conflicts != 1 {
		t.Errorf("all together: %d covered, %d with a conflict; want one each", got.Covered, got.Conflicts)
	}
	if r := got.Orders[0]; r.Covered != 0 || r.Conflicts != 1 || r.Hits != [2]int{0, 0} || r.MRR != 0.25 {
		t.Errorf("retrieval: %+v", r)
	}
	if r := got.Orders[1]; r.Covered != 1 || r.Conflicts != 0 || r.Hits != [2]int{1, 1} || r.MRR != 1 {
		t.Errorf("rerank: %+v", r)
	}
}
