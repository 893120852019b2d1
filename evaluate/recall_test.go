package evaluate_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// TestRecallOnPublicSets prints the table of docs/measurements.md and holds the
// embedded routes to what they reached.
func TestRecallOnPublicSets(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the public sets take a while")
	}
	floors := map[string]map[string]float64{ // recall@5
		"cmrc2018": {"bm25": 0.98, "dense": 0.90, "fused": 0.985},
		"squad2":   {"bm25": 0.91, "dense": 0.82, "fused": 0.93},
	}
	for name, floor := range floors {
		t.Run(name, func(t *testing.T) {
			set, err := evaluate.LoadRetrievalSet(evaluate.Shared(".."), name)
			if errors.Is(err, evaluate.ErrNoData) {
				t.Skipf("%v; set SUFFICE_SHARED to the folder that holds data/%s", err, name)
			}
			if err != nil {
				t.Fatal(err)
			}
			x, err := index.Open(t.TempDir(), index.Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			if err := x.Sync(t.Context(), retrievaltest.NewFeed(set.Documents...)); err != nil {
				t.Fatal(err)
			}
			h, err := x.Retriever(retrieval.Default(), index.DefaultTuning())
			if err != nil {
				t.Fatal(err)
			}
			rows, err := evaluate.Recall(t.Context(), set, evaluate.ByRoute(), nil, h.Retrieve)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := evaluate.WriteRecall(&b, rows); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d documents\n%s", len(set.Documents), b.String())
			for _, r := range rows {
				if r.R5 < floor[r.Route] {
					t.Errorf("%s %s: recall@5 %.3f, below %.3f", name, r.Route, r.R5, floor[r.Route])
				}
			}
		})
	}
}

func TestRecallCountsShares(t *testing.T) {
	set := evaluate.RetrievalSet{Name: "made", Questions: []evaluate.RetrievalQuestion{
		{Text: "a", Relevant: []string{"d1"}},
		{Text: "b", Relevant: []string{"d1", "d2"}},
	}}
	answers := map[string][]string{"a": {"d9", "d1"}, "b": {"d2", "d2", "d9", "d9", "d9", "d9", "d1"}}
	rows, err := evaluate.Recall(t.Context(), set, []evaluate.Variant{{Name: "x"}}, nil, fixed(answers))
	if err != nil {
		t.Fatal(err)
	}
	got := rows[0]
	if got.R1 != 0.25 || got.R5 != 0.75 || got.R10 != 1 || got.MRR != 0.75 {
		t.Errorf("R@1 %v, R@5 %v, R@10 %v, MRR %v; want 0.25, 0.75, 1, 0.75", got.R1, got.R5, got.R10, got.MRR)
	}
	degraded := func(_ context.Context, _ kb.RetrieveRequest) (kb.Retrieved, error) {
		return kb.Retrieved{Degraded: []kb.Degraded{{Part: "bm25", Reason: "late"}}}, nil
	}
	if _, err := evaluate.Recall(t.Context(), set, []evaluate.Variant{{Name: "x"}}, nil, degraded); err == nil {
		t.Error("a degraded reply was counted")
	}
}

func fixed(answers map[string][]string) func(context.Context, kb.RetrieveRequest) (kb.Retrieved, error) {
	return func(_ context.Context, r kb.RetrieveRequest) (kb.Retrieved, error) {
		var out kb.Retrieved
		for _, id := range answers[r.Analysis.Question] {
			out.Candidates = append(out.Candidates, kb.Candidate{Passage: kb.Passage{DocumentID: id}})
		}
		return out, nil
	}
}
