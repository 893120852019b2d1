package cases

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// leastPassing is the number of handbook questions that have to pass. It only rises;
// docs/measurements.md says how it was measured.
const leastPassing = 85

// TestHandbookAnswers ingests the example with a built binary, asks all questions and
// prints those that fail. SUFFICE_TEST_BINARY names the binary.
func TestHandbookAnswers(t *testing.T) {
	binary := os.Getenv("SUFFICE_TEST_BINARY")
	if binary == "" {
		t.Skip("SUFFICE_TEST_BINARY is not set: build bin/suffice and pass its path")
	}
	if !filepath.IsAbs(binary) {
		binary = filepath.Join("../..", binary)
	}
	list, err := Load("../../testdata/handbook-questions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data")
	if out, err := exec.Command(binary, "ingest", "--data", data, "../../testdata/handbook").CombinedOutput(); err != nil {
		t.Fatalf("ingest: %v\n%s", err, out)
	}
	var input bytes.Buffer
	for _, c := range list {
		line, err := c.Line()
		if err != nil {
			t.Fatal(err)
		}
		input.Write(append(line, '\n'))
	}
	ask := exec.Command(binary, "ask", "--data", data, "--no-gaps")
	ask.Stdin = &input
	var problems bytes.Buffer
	ask.Stderr = &problems
	out, err := ask.Output()
	if err != nil {
		t.Fatalf("ask: %v\n%s", err, problems.Bytes())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(list) {
		t.Fatalf("%d replies for %d questions", len(lines), len(list))
	}
	passed, all := map[string]int{}, map[string]int{}
	total := 0
	for i, c := range list {
		kind := c.assertions[0].text
		all[kind]++
		wrong := c.Check(lines[i])
		if len(wrong) == 0 {
			passed[kind]++
			total++
			continue
		}
		t.Logf("%s: %v\n    %s", c.Name, c.Input["question"], strings.Join(wrong, "\n    "))
	}
	var counts []string
	for kind, n := range all {
		counts = append(counts, fmt.Sprintf("%s %d of %d", strings.TrimPrefix(kind, "outcome "), passed[kind], n))
	}
	t.Logf("%d of %d pass: %s", total, len(list), strings.Join(counts, ", "))
	if total < leastPassing {
		t.Errorf("%d of %d questions pass, %d did", total, len(list), leastPassing)
	}
}
