package reader_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"suffice.dev/suffice/evaluate"
)

// The trainer's split (split.py) and evaluate.IsTest must agree: both read the same
// cases.
func TestSplitAgreesWithTrainer(t *testing.T) {
	data, err := os.ReadFile("testdata/split.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text string `json:"text"`
		Test bool   `json:"test"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	sides := map[bool]int{}
	for _, c := range cases {
		sides[c.Test]++
		if got := evaluate.IsTest(c.Text); got != c.Test {
			t.Errorf("IsTest(%q) = %v, the trainer says %v", c.Text, got, c.Test)
		}
	}
	if sides[true] == 0 || sides[false] == 0 {
		t.Errorf("cases of one side only: %v", sides)
	}
}

// Where the trainer's pairs are at hand (data.py writes them to the user's cache
// folder), none of their passages may be on the test side.
func TestNoTrainingPassageIsTest(t *testing.T) {
	dir := os.Getenv("SUFFICE_READER_PAIRS")
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Skipf("no cache folder: %v", err)
		}
		dir = filepath.Join(cache, "suffice", "reader", "data")
	}
	for _, name := range []string{"train.jsonl", "dev.jsonl"} {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("no pairs in %s: build them with models/reader/data.py or name their folder in SUFFICE_READER_PAIRS", dir)
		}
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		n := 0
		for lines.Scan() {
			var row struct {
				Source, Text string
			}
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatalf("%s, line %d: %v", name, n+1, err)
			}
			n++
			if evaluate.IsTest(row.Text) {
				t.Errorf("%s, line %d: a test passage of %s is trained on", name, n, row.Source)
			}
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			t.Errorf("%s is empty", name)
		}
	}
}
