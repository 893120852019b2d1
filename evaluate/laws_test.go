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
	for _, need := range []bool{true, false} {
		r, err := evaluate.Laws(t.Context(), e, pairs, need)
		if err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
		if os.Getenv("SUFFICE_MISSES") == "laws" {
			t.Logf("need %v, missed:\n%s", need, strings.Join(r.MissedBy, "\n"))
			t.Logf("need %v, false:\n%s", need, strings.Join(r.FalselyFound, "\n"))
		}
	}
	var b strings.Builder
	if err := evaluate.WriteLaws(&b, reports...); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
}
