package evaluate_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
)

// TestRAMDocs prints the table of docs/measurements.md. SUFFICE_MISSES=ramdocs lists
// the misses.
func TestRAMDocs(t *testing.T) {
	groups, err := evaluate.RAMGroups(evaluate.Shared(".."))
	if errors.Is(err, evaluate.ErrNoData) {
		t.Skipf("%v; set SUFFICE_SHARED to the folder that holds data/ramdocs", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	pre, err := precheck.New(precheck.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := evaluate.RAMDocs(t.Context(), engine(t), pre.Analyze, rerank.Needs, groups)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SUFFICE_MISSES") == "ramdocs" {
		for k, list := range r.Kinds {
			t.Logf("%s:\n%s", k, strings.Join(list, "\n"))
		}
	}
	var b strings.Builder
	if err := evaluate.WriteRAM(&b, r); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
}
