package perturb_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/evaluate/perturb"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/text/lexicon"
	"suffice.dev/suffice/validate"
)

func open(t testing.TB) (*validate.Local, *reading.Reader) {
	t.Helper()
	model, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	r := reading.New(fact.New(fact.Config{Dictionary: lexicon.Default(), Similarity: model.Similarity}), 0, nil)
	v, err := validate.New(validate.Default(), r, validate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v, r
}

// TestPerturbations checks sentences of public passages as they stand and with one
// thing changed. It reports every rate and holds the bounds that verification
// promises.
func TestPerturbations(t *testing.T) {
	shared := evaluate.Shared("../..")
	v, r := open(t)
	sets := []struct {
		name, language string
		passages       int
	}{{"cmrc2018", "zh", 150}, {"squad2", "en", 150}}
	for _, set := range sets {
		t.Run(set.name, func(t *testing.T) {
			paragraphs, err := evaluate.Squad(shared, set.name)
			if errors.Is(err, evaluate.ErrNoData) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			var passages []kb.Passage
			for _, p := range paragraphs {
				if !evaluate.IsTest(p.Text) && sampled(p.Text, len(paragraphs), set.passages) {
					passages = append(passages, kb.Passage{ID: p.ID, Text: p.Text, Title: p.Title})
				}
			}
			measure(t, v, r, passages)
		})
	}
}

// sampled picks about n of the texts, always the same ones.
func sampled(s string, of, n int) bool {
	h := fnv.New32a()
	h.Write([]byte(s))
	return int(h.Sum32()%uint32(max(of, 1))) < n
}

func measure(t *testing.T, v *validate.Local, r *reading.Reader, passages []kb.Passage) {
	t.Helper()
	right, all := map[perturb.Edit]int{}, map[perturb.Edit]int{}
	misses := 0
	for i, p := range passages {
		others := perturb.Names([]rune(passages[(i+1)%len(passages)].Text))
		given := []kb.Passage{p, passages[(i+7)%len(passages)], passages[(i+13)%len(passages)]}
		for _, c := range perturb.Of(r.Page(p), others) {
			got, err := v.Verify(context.Background(), kb.VerifyRequest{Answer: c.Text, Passages: given})
			if err != nil {
				t.Fatal(err)
			}
			ok := (got.Verdict == kb.Supported) == (c.Edit == perturb.None)
			if got.Verdict == kb.NoClaims && c.Edit == perturb.None {
				continue
			}
			all[c.Edit]++
			if ok {
				right[c.Edit]++
			} else if misses++; misses <= 12 {
				reason := ""
				for _, x := range got.Claims {
					reason += " | " + string(x.Verdict) + " " + x.Reason
				}
				t.Logf("missed %s: %s (was %s)%s", c.Edit, c.Text, c.Was, reason)
			}
		}
	}
	var b strings.Builder
	caught, edited := 0, 0
	for _, e := range perturb.Edits {
		if all[e] == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-10s %4d of %4d  %.1f %%\n", e, right[e], all[e], 100*float64(right[e])/float64(all[e]))
		if e != perturb.None {
			caught, edited = caught+right[e], edited+all[e]
		}
	}
	fmt.Fprintf(&b, "caught     %4d of %4d  %.1f %%", caught, edited, 100*float64(caught)/float64(max(edited, 1)))
	t.Log("\n" + b.String())
	if edited < 200 || all[perturb.None] < 200 {
		t.Fatalf("%d edits of %d sentences are too few to measure", edited, all[perturb.None])
	}
	if share := float64(caught) / float64(edited); share < 0.98 {
		t.Errorf("%.1f %% of the edits are caught, want 98 %%", 100*share)
	}
	if share := float64(right[perturb.None]) / float64(all[perturb.None]); share < 0.97 {
		t.Errorf("%.1f %% of the untouched sentences are supported, want 97 %%", 100*share)
	}
}
