package index_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

var update = flag.Bool("update", false, "write the ranking goldens")

// TestRanking keeps the ranking of a small bilingual set as a file, so that a
// change of ranking shows as a diff: for each question the rank of the wanted
// document by route and fused, and the sums.
func TestRanking(t *testing.T) {
	data, err := os.ReadFile("testdata/ranking.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var set struct {
		Documents []struct{ ID, Text string }
		Questions []struct{ Q, Want string }
	}
	if err := yaml.Unmarshal(data, &set); err != nil {
		t.Fatal(err)
	}
	var docs []kb.Document
	for _, d := range set.Documents {
		docs = append(docs, kb.Document{ID: d.ID, Text: d.Text})
	}
	x := open(t, t.TempDir())
	synced(t, x, retrievaltest.NewFeed(docs...))
	h := hybrid(t, x)
	ways := []struct {
		name string
		only []kb.Route
	}{{"dense", []kb.Route{kb.Dense}}, {"bm25", []kb.Route{kb.BM25}}, {"graph", []kb.Route{kb.Graph}}, {"fused", nil}}
	var b strings.Builder
	sums := make([][4]float64, len(ways))
	fmt.Fprintf(&b, "%6s %6s %6s %6s  question\n", "dense", "bm25", "graph", "fused")
	for _, q := range set.Questions {
		for i, way := range ways {
			got, err := h.Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: q.Q, AsOf: date(t, "2026-03-01")}, Only: way.only})
			if err != nil {
				t.Fatal(err)
			}
			rank := 0
			for _, c := range got.Candidates {
				if c.DocumentID == q.Want {
					rank = c.Rank
					break
				}
			}
			if rank == 0 {
				fmt.Fprintf(&b, "%6s ", "-")
				continue
			}
			fmt.Fprintf(&b, "%6d ", rank)
			for j, k := range [3]int{1, 5, 10} {
				if rank <= k {
					sums[i][j]++
				}
			}
			sums[i][3] += 1 / float64(rank)
		}
		fmt.Fprintf(&b, " %s\n", q.Q)
	}
	n := float64(len(set.Questions))
	for i, way := range ways {
		fmt.Fprintf(&b, "%s: recall@1 %.3f recall@5 %.3f recall@10 %.3f mrr %.3f\n", way.name, sums[i][0]/n, sums[i][1]/n, sums[i][2]/n, sums[i][3]/n)
	}
	const golden = "testdata/ranking.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(b.String(), "\n")); diff != "" {
		t.Errorf("ranking changed; go test ./retrieval/index -run TestRanking -update (-want +got):\n%s", diff)
	}
}
