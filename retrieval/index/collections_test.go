package index

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// TestCollectionsAreCounted: who sees which collection is what a look at every version
// gives, after any history and from a checkpoint, and is told without one.
func TestCollectionsAreCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	feed := retrievaltest.NewFeed()
	dir := t.TempDir()
	open := func() *Index {
		x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler), Replay: 1})
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	x := open()
	groups := [][]string{nil, {"*"}, {"crew"}, {"crew", "board"}, {"board", "board"}, {"*", "board"}}
	asked := [][]string{nil, {"crew"}, {"board", "guests"}, {"guests"}}
	for step := range 60 {
		doc := kb.Document{
			ID: fmt.Sprint("d", rng.IntN(12)), Collection: []string{"", "piers", "quays"}[rng.IntN(3)], Readers: groups[rng.IntN(len(groups))],
			Text: fmt.Sprintf("Pier %d has %d berths.", step, rng.IntN(90)),
		}
		switch rng.IntN(3) {
		case 0:
			feed.Delete(doc.ID)
		case 1:
			doc.ValidFrom = time.Date(2026, 1, 1+rng.IntN(90), 0, 0, 0, 0, time.UTC)
			feed.Put(doc)
		default:
			feed.Put(doc)
		}
		taken(t, x, feed)
		if step%20 == 19 {
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			x = open()
		}
		for _, readers := range asked {
			var want []string
			for _, v := range x.cat.versions {
				if v == nil || slices.Contains(want, v.vis.Collection) {
					continue
				}
				open := len(v.vis.Readers) == 0 || slices.Contains(v.vis.Readers, retrieval.Everyone)
				if open || slices.ContainsFunc(readers, func(r string) bool { return slices.Contains(v.vis.Readers, r) }) {
					want = append(want, v.vis.Collection)
				}
			}
			slices.Sort(want)
			versions := x.cat.versions
			x.cat.versions = nil // no look at them
			got := x.Collections(readers)
			for _, name := range []string{"default", "piers", "quays"} {
				if has := x.HasCollection(name, readers); has != slices.Contains(want, name) {
					t.Errorf("step %d: HasCollection(%s, %v) = %v", step, name, readers, has)
				}
			}
			x.cat.versions = versions
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("step %d: collections of %v (-want +got):\n%s", step, readers, diff)
			}
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}
