package evaluate

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
)

func TestWithoutTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		text, answer, want string
		ok                 bool
	}{
		"zh":           {"灯塔建于1912年。灯塔高31米。看守人住在岛上。", "31米", "灯塔建于1912年。看守人住在岛上。", true},
		"en":           {"The mill stands by the weir. It burned in 1903. It was rebuilt.", "1903", "The mill stands by the weir. It was rebuilt.", true},
		"nothing left": {"It burned in 1903.", "1903", "", false},
		"not there":    {"It burned down.", "1903", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := without(c.text, c.answer, -1)
			if got != c.want || ok != c.ok {
				t.Errorf("%q, %v; want %q, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestGridLacking(t *testing.T) {
	g := grid{head: 1, rows: [][]string{{"Harbour", "Berths", "Depth"}, {"Oake", "12", "4.5"}, {"Tarn", "30", "6"}}}
	cell, ok := g.lacking("30", false)
	if diff := cmp.Diff([][]string{{"Harbour", "Berths", "Depth"}, {"Oake", "12", "4.5"}, {"Tarn", "", "6"}}, cell.rows); diff != "" || !ok {
		t.Errorf("cell, %v (-want +got):\n%s", ok, diff)
	}
	row, ok := g.lacking("30", true)
	if diff := cmp.Diff([][]string{{"Harbour", "Berths", "Depth"}, {"Oake", "12", "4.5"}}, row.rows); diff != "" || !ok {
		t.Errorf("row, %v (-want +got):\n%s", ok, diff)
	}
	if _, ok := g.lacking("99", false); ok {
		t.Error("a value that is not there was taken out")
	}
}

func TestOtherYear(t *testing.T) {
	page := []kb.Passage{{Text: "The weir was built in 1931 and raised in 1929 and 1934."}}
	if got, ok := otherYear("Who built the weir in 1931?", page); !ok || got != "Who built the weir in 1927?" {
		t.Errorf("%q, %v; want a year of which the page knows nothing", got, ok)
	}
	for _, question := range []string{"Who built the weir?", "What was done in 1929 and 1934?"} {
		if got, ok := otherYear(question, page); ok {
			t.Errorf("%q became %q", question, got)
		}
	}
	if got, ok := otherYear("Who swam in 1931?", []kb.Passage{{Text: "No year here."}}); ok {
		t.Errorf("%q though the page says no year", got)
	}
}

func TestContradicting(t *testing.T) {
	const page = "堤坝高31米，建于1931年。"
	for answer, same := range map[string]bool{"31米": true, "1931年": true, "堤坝": false, "3米": false} {
		got, ok := contradicting(page, answer, 5)
		if ok != same || ok && (got == page || strings.Contains(got, answer)) {
			t.Errorf("%s: %q, %v", answer, got, ok)
		}
	}
}

// Tuning examples are no test examples, and a part of the others.
func TestTuning(t *testing.T) {
	tuning := 0
	for i := range 600 {
		e := SufficiencyExample{Group: strings.Repeat("x", i+1)}
		if e.Tuning() {
			tuning++
		}
		e.Test = true
		if e.Tuning() {
			t.Fatalf("group %d is of the test side", i)
		}
	}
	if tuning < 60 || tuning > 150 {
		t.Errorf("%d of 600, want a sixth", tuning)
	}
}

func TestSampled(t *testing.T) {
	var all []SufficiencyExample
	for i := range 40 {
		all = append(all, SufficiencyExample{Source: []string{"a", "b"}[i%2], Question: strings.Repeat("q", i)})
	}
	got := map[string]int{}
	for _, e := range Sampled(all, 7) {
		got[e.Source]++
	}
	if got["a"] != 7 || got["b"] != 7 {
		t.Errorf("%v, want 7 of each", got)
	}
}

func TestAUROC(t *testing.T) {
	labels := []bool{true, true, false, false}
	for _, c := range []struct {
		scores []float64
		want   float64
	}{{[]float64{4, 3, 2, 1}, 1}, {[]float64{1, 2, 3, 4}, 0}, {[]float64{1, 1, 1, 1}, 0.5}, {[]float64{3, 1, 2, 0}, 0.75}} {
		if got := auroc(labels, c.scores); got != c.want {
			t.Errorf("%v: %v, want %v", c.scores, got, c.want)
		}
	}
	if got := auroc([]bool{true}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("one label: %v, want NaN", got)
	}
}

func TestCaseSufficiency(t *testing.T) {
	dir := t.TempDir()
	text := `
- name: one
  command: assess
  input: {question: "When does the kiln cool?", as_of: 2024-03-01, passages: [{id: p, text: "The kiln cools at dusk.", valid_from: 2024-01-01}]}
  expect: [outcome == ANSWERED]
- name: two
  command: ask
  input: {question: 窑什么时候熄火？, passages: [{id: p, text: 窑在山脚。}]}
  expect: [outcome == INSUFFICIENT]
- name: three
  command: assess
  input: {question: "q", passages: [{id: p, text: "t"}]}
  expect: [outcome == CONFLICTING]
`
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := CaseSufficiency(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[1].Kind != "refused" || got[2].Kind != "conflict" || got[2].Sufficient || !got[0].Sufficient || got[1].Sufficient || got[0].Language != "en" || got[1].Language != "zh" || got[0].AsOf.IsZero() || got[0].Passages[0].ValidFrom.IsZero() {
		t.Errorf("%+v", got)
	}
	if _, err := CaseSufficiency(filepath.Join(dir, "none")); !errors.Is(err, ErrNoData) {
		t.Errorf("error %v, want ErrNoData", err)
	}
}

// No passage of the test side stands in a train example.
func TestSufficiencySetsKeepTheSplit(t *testing.T) {
	examples, err := SufficiencySets(Shared(filepath.Join("..")), 60)
	if errors.Is(err, ErrNoData) {
		t.Skip("the public sets are not there; set SUFFICE_SHARED")
	}
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string][2]int{}
	for _, e := range examples {
		n := labels[e.Language]
		if e.Sufficient {
			n[0]++
		} else {
			n[1]++
		}
		labels[e.Language] = n
		for _, p := range e.Passages {
			// What was cut is a train text by what it was cut from.
			if !e.Test && IsTest(p.Text) && !strings.HasSuffix(p.ID, "-cut") && e.Kind != "cell" && e.Kind != "row" && e.Kind != "cut" {
				t.Fatalf("%s: train example %q holds the test passage %s", e.Set(), e.Question, p.ID)
			}
		}
	}
	for language, n := range labels {
		if n[0] < n[1]/2 || n[1] < n[0]/2 {
			t.Errorf("%s: %d sufficient, %d not", language, n[0], n[1])
		}
	}
}
