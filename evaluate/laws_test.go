package evaluate_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
)

// TestLaws prints the table of docs/measurements.md. SUFFICE_MISSES=laws lists the
// misses.
func TestLaws(t *testing.T) {
	pairs, err := evaluate.ArticlePairs(evaluate.Shared(".."))
	if errors.Is(err, evaluate.ErrNoData) {
		t.Skipf("%v; set SUFFICE_SHARED to the folder that holds data/laws-zh", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	e := engine(t)
	var reports []evaluate.LawsReport
	for _, set := range []struct {
		name  string
		pairs []evaluate.ArticlePair
	}{{"versions", pairs}, {"edited", evaluate.EditedPairs(pairs)}} {
		for _, need := range []bool{true, false} {
			r, err := evaluate.Laws(t.Context(), e, set.pairs, need)
			if err != nil {
				t.Fatal(err)
			}
			r.Set = set.name
			reports = append(reports, r)
			if os.Getenv("SUFFICE_MISSES") == "laws" {
				t.Logf("%s, need %v, missed:\n%s", set.name, need, strings.Join(r.MissedBy, "\n"))
				t.Logf("%s, need %v, false:\n%s", set.name, need, strings.Join(r.FalselyFound, "\n"))
			}
		}
	}
	var b strings.Builder
	if err := evaluate.WriteLaws(&b, reports...); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
}
