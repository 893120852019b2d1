package evaluate

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
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

func TestSweepThresholds(t *testing.T) {
	example := func(sufficient bool, outcome kb.Outcome, p float64) JudgedExample {
		return JudgedExample{SufficiencyExample: &SufficiencyExample{Sufficient: sufficient}, Outcome: outcome, Sufficiency: p}
	}
	sweep := SweepThresholds([]JudgedExample{
		example(true, kb.Insufficient, 0.92), example(true, kb.Answered, 0.8), example(false, kb.Answered, 0.12), example(false, kb.Insufficient, 0.4),
	})
	best := sweep[0]
	if best.FalseRefusal != 0 || best.MissedRefusal != 0 {
		t.Errorf("best: %+v, want thresholds without an error", best)
	}
	i := slices.IndexFunc(sweep, func(f ThresholdFigures) bool { return f.Least == 0 && f.Sure == 2 })
	if i < 0 || sweep[i].FalseRefusal != 0.5 || sweep[i].MissedRefusal != 0.5 {
		t.Errorf("coverage alone: %+v", sweep[i])
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
	if len(got) != 2 || !got[0].Sufficient || got[1].Sufficient || got[0].Language != "en" || got[1].Language != "zh" || got[0].AsOf.IsZero() || got[0].Passages[0].ValidFrom.IsZero() {
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
