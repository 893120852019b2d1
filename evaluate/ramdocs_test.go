package evaluate_test

import (
	"errors"
	"os"
	"path/filepath"
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

// The documents of all groups stand in one set, each once; those with the right answer are
// relevant to their question, those with a wrong one are not.
func TestRAMDocsAsRetrievalSet(t *testing.T) {
	shared := t.TempDir()
	dir := filepath.Join(shared, "data", "ramdocs")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lines := `{"question": "Who founded Orrel?", "gold_answers": ["Ada"], "documents": [{"text": "Ada founded Orrel.", "type": "correct", "answer": "Ada"}, {"text": "Bo founded Orrel.", "type": "misinfo", "answer": "Bo"}]}
{"question": "Who lives in Orrel?", "gold_answers": ["Ada", "Cy"], "documents": [{"text": "Cy lives in Orrel.", "type": "correct", "answer": "Cy"}]}
{"question": "By whom was Orrel founded?", "gold_answers": ["Ada"], "documents": [{"text": "Ada founded Orrel.", "type": "correct", "answer": "Ada"}]}
`
	if err := os.WriteFile(filepath.Join(dir, "ramdocs_first200.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := evaluate.LoadRetrievalSet(shared, "ramdocs")
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Documents) != 2 || len(set.Questions) != 2 {
		t.Fatalf("%d documents and %d questions, want two of each", len(set.Documents), len(set.Questions))
	}
	for _, q := range set.Questions {
		if len(q.Relevant) != 1 || q.Relevant[0] != set.Documents[0].ID || set.Documents[0].Text != "Ada founded Orrel." {
			t.Errorf("%+v, want the document with the right answer", q)
		}
	}
}
