package retrieval_test

import (
	"slices"
	"testing"
	"time"

	"suffice.dev/suffice/retrieval"
)

// TestStoredAndWanted: what an index decides by numbers is what Admits decides.
func TestStoredAndWanted(t *testing.T) {
	days := []time.Time{{}, time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2023, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(1969, 7, 20, 0, 0, 0, 0, time.UTC)}
	n := 0
	for _, from := range days {
		for _, to := range days {
			for _, replacedFrom := range days {
				for i := range 12 {
					v := retrieval.Visibility{Collection: "a", ValidFrom: from, ValidTo: to, Replaced: i%2 == 0, ReplacedFrom: replacedFrom}
					if i%3 == 0 {
						v.Readers = []string{"group:x", "group:y"}
					}
					if i%4 == 0 {
						v.Collection = "b"
					}
					if i%5 > 0 {
						v.Domain = []string{"law", "medicine"}[i%2]
					}
					for _, a := range days {
						for _, b := range days {
							f := retrieval.Filter{Collection: "a", From: a, To: b}
							if i%6 == 3 {
								f.Readers = []string{"group:y"}
							}
							if i > 8 {
								f.Domains = []string{"finance", "law"}
							}
							s, w := v.Stored(), f.Wanted()
							got := s.Collection == w.Collection && (len(w.Domains) == 0 || slices.Contains(w.Domains, s.Domain)) && slices.ContainsFunc(s.Readers, func(r string) bool { return slices.Contains(w.Readers, r) }) &&
								s.From <= w.To && s.To >= w.From && s.Replaced >= w.After
							if want := f.Admits(v); got != want {
								t.Fatalf("%+v of %+v: %t, Admits says %t", f, v, got, want)
							}
							n++
						}
					}
				}
			}
		}
	}
	if n < 10000 {
		t.Errorf("only %d compared", n)
	}
}
