package trees

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dmitryikh/leaves"
	"github.com/google/go-cmp/cmp"
)

// Tolerances: leaves adds in float64, XGBoost in float32.
const (
	marginTolerance      = 1e-5
	probabilityTolerance = 1e-6
)

var names = []string{"f0", "f1", "f2", "f3", "f4", "f5"}

type golden struct {
	Features      []string     `json:"features"`
	Rounds        int          `json:"rounds"`
	Rows          [][]*float32 `json:"rows"`
	Margin        []float64    `json:"margin"`
	Probability   []float64    `json:"probability"`
	Contributions [][]float64  `json:"contributions"`
}

func (g golden) row(i int) []float32 {
	out := make([]float32, len(g.Rows[i]))
	for j, v := range g.Rows[i] {
		out[j] = float32(math.NaN())
		if v != nil {
			out[j] = *v
		}
	}
	return out
}

func load(t testing.TB, path string, features []string) *Model {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load(data, features)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

func goldens(t *testing.T) map[string]golden {
	t.Helper()
	paths, err := filepath.Glob("testdata/v*/*.golden.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	out := map[string]golden{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var g golden
		if err := json.Unmarshal(data, &g); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out[strings.TrimSuffix(path, ".golden.json")] = g
	}
	return out
}

func TestPredictAsXGBoost(t *testing.T) {
	t.Parallel()
	for stem, g := range goldens(t) {
		for _, ending := range []string{".ubj", ".json"} {
			t.Run(stem+ending, func(t *testing.T) {
				t.Parallel()
				m := load(t, stem+ending, g.Features)
				if m.Rounds() != g.Rounds {
					t.Errorf("Rounds() = %d, want %d", m.Rounds(), g.Rounds)
				}
				if want := strings.TrimPrefix(strings.Split(stem, "/")[1], "v"); m.Version() != want {
					t.Errorf("Version() = %s, want %s", m.Version(), want)
				}
				for i := range g.Rows {
					margin, probability, err := m.Predict(g.row(i))
					if err != nil {
						t.Fatal(err)
					}
					if math.Abs(margin-g.Margin[i]) > marginTolerance || math.Abs(probability-g.Probability[i]) > probabilityTolerance {
						t.Errorf("row %d: Predict = %v, %v; XGBoost: %v, %v", i, margin, probability, g.Margin[i], g.Probability[i])
					}
					contributions := m.Contributions(g.row(i))
					sum := 0.0
					for j, c := range contributions {
						if sum += c; math.Abs(c-g.Contributions[i][j]) > marginTolerance {
							t.Errorf("row %d: contribution %d = %v, XGBoost: %v", i, j, c, g.Contributions[i][j])
						}
					}
					if math.Abs(sum-margin) > marginTolerance {
						t.Errorf("row %d: contributions sum to %v, the margin is %v", i, sum, margin)
					}
				}
			})
		}
	}
}

// TestOracle proves the oracle against XGBoost bit for bit, then Predict against the
// oracle on many more rows, among them values that meet thresholds exactly.
func TestOracle(t *testing.T) {
	t.Parallel()
	for stem, g := range goldens(t) {
		t.Run(stem, func(t *testing.T) {
			t.Parallel()
			o := newOracle(t, stem+".json")
			for i := range g.Rows {
				if got := o.margin(g.row(i)); math.Abs(float64(got)-g.Margin[i]) > 5e-7 {
					t.Errorf("row %d: oracle %v, XGBoost %v", i, got, g.Margin[i])
				}
			}
			m := load(t, stem+".ubj", g.Features)
			random := rand.New(rand.NewPCG(1, 2))
			for range 2000 {
				row := oracleRow(o, random, len(g.Features))
				margin, _, err := m.Predict(row)
				if err != nil {
					t.Fatal(err)
				}
				if want := o.margin(row); math.Abs(margin-float64(want)) > marginTolerance {
					t.Fatalf("Predict(%v) = %v, oracle %v", row, margin, want)
				}
			}
		})
	}
}

// oracleRow mixes missing and random values with thresholds and their neighbours.
func oracleRow(o oracle, random *rand.Rand, width int) []float32 {
	row := make([]float32, width)
	for i := range row {
		row[i] = float32(random.NormFloat64() * 2)
		if random.IntN(8) == 0 {
			row[i] = float32(math.NaN())
		}
	}
	for range 3 {
		tree := o.trees[random.IntN(len(o.trees))]
		at := random.IntN(len(tree.Left))
		cut := float32(tree.Condition[at])
		if tree.Left[at] == -1 || math.IsInf(float64(cut), 0) {
			continue
		}
		switch random.IntN(3) {
		case 0:
			cut = math.Nextafter32(cut, float32(math.Inf(-1)))
		case 1:
			cut = math.Nextafter32(cut, float32(math.Inf(1)))
		}
		row[tree.Feature[at]] = cut
	}
	return row
}

func TestRefused(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"stopped":                   "save booster[:best_iteration + 1]",
		"wrong-rounds":              "calibrate again",
		"calibrated-without-rounds": "without the attribute rounds",
		"softprob":                  "objective \"multi:softprob\"",
		"squared":                   "objective \"reg:squarederror\"",
		"linear":                    "booster \"gblinear\"",
		"two-targets":               "num_target is 2",
		"vector-leaves":             "num_target is 2",
		"categorical":               "categorical",
	}
	checked := 0
	for name, reason := range reasons {
		paths, err := filepath.Glob("testdata/v*/" + name + ".*")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			checked++
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Load(data, names)
			if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: error %v, want ErrModel with %q", path, err, reason)
			}
		}
	}
	if checked < 60 {
		t.Errorf("only %d files to refuse were found", checked)
	}
}

func TestFeatureNames(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/v3.2.0/logistic.ubj")
	if err != nil {
		t.Fatal(err)
	}
	swapped := []string{"f1", "f0", "f2", "f3", "f4", "f5"}
	_, err = Load(data, swapped)
	if !errors.Is(err, ErrModel) {
		t.Fatalf("swapped names: %v, want ErrModel", err)
	}
	for _, list := range []string{`["f0" "f1" "f2" "f3" "f4" "f5"]`, `["f1" "f0" "f2" "f3" "f4" "f5"]`} {
		if !strings.Contains(err.Error(), list) {
			t.Errorf("%v does not print %s", err, list)
		}
	}
	if _, err = Load(data, names[:5]); !errors.Is(err, ErrModel) {
		t.Errorf("fewer names: %v, want ErrModel", err)
	}
}

func TestAttributes(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"testdata/v3.2.0/calibrated.ubj", "testdata/v3.4.1/calibrated.ubj", "testdata/v1.7.4/calibrated.ubj"} {
		m := load(t, path, names)
		if !m.Calibrated() {
			t.Errorf("%s: not calibrated", path)
		}
		var note string
		if err := json.Unmarshal([]byte(m.Attributes()["note"]), &note); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("校准于开发集", note); diff != "" {
			t.Errorf("%s: note (-want +got):\n%s", path, diff)
		}
	}
}

func TestPredictRefusesInput(t *testing.T) {
	t.Parallel()
	m := load(t, "testdata/v3.2.0/one-feature.ubj", names[:1])
	for _, row := range [][]float32{{}, {1, 2}, {float32(math.Inf(1))}, {float32(math.Inf(-1))}} {
		if _, _, err := m.Predict(row); !errors.Is(err, ErrFeatures) {
			t.Errorf("Predict(%v): %v, want ErrFeatures", row, err)
		}
		if got := m.Contributions(row); got != nil {
			t.Errorf("Contributions(%v) = %v, want nil", row, got)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	nested := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	tests := map[string]string{
		"empty":                "",
		"old binary":           "binf\x00\x00\x00\x00",
		"open object":          `{"a":1`,
		"trailing text":        `{"a":1} x`,
		"trailing comma":       `{"a":[1,]}`,
		"key twice":            `{"a":1,"a":2}`,
		"deep":                 nested,
		"bad escape":           `{"a":"\x"}`,
		"bad number":           `{"a":1e}`,
		"not UTF-8":            "{\"a\":\"\xff\"}",
		"ubj count too large":  "{U\x01a[$d#l\x7f\xff\xff\xff}",
		"ubj negative count":   "{U\x01a[#i\xff}",
		"ubj typed null":       "{U\x01a[$Z#l\x00\x00\x00\x01}",
		"ubj unknown type":     "{U\x01aQ}",
		"ubj float as length":  "{d\x3f\x80\x00\x00aZ}",
		"ubj typed, no count":  "{U\x01a[$dZ]}",
		"ubj bytes at the end": "{U\x01aZ}Z",
	}
	for name, text := range tests {
		if value, err := decode([]byte(text)); err == nil {
			t.Errorf("%s: decoded as %v", name, value)
		}
	}
}

func TestDecodeAgrees(t *testing.T) {
	t.Parallel()
	text := `{"a": [1, 2.5E0, -Infinity, 1E-45], "b": ["x", "\u4f60\ud83d\ude00\n"], "c": {"d": true, "e": null}, "f": []}`
	binary := "{U\x01a[$d#U\x04" + "\x3f\x80\x00\x00\x40\x20\x00\x00\xff\x80\x00\x00\x00\x00\x00\x01" +
		"U\x01b[#U\x02SU\x01xSU\x08你😀\nU\x01c{U\x01dTU\x01eZ}U\x01f[]}"
	want := map[string]any{
		"a": []float64{1, 2.5, math.Inf(-1), math.SmallestNonzeroFloat32},
		"b": []any{"x", "你😀\n"},
		"c": map[string]any{"d": true, "e": nil},
		"f": []float64{},
	}
	for name, data := range map[string]string{"json": text, "ubj": binary} {
		got, err := decode([]byte(data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(any(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestTruncated cuts small files at every byte: each cut must be refused.
func TestTruncated(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"testdata/v3.2.0/constant.ubj", "testdata/v3.4.1/constant.json"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n := range data {
			if _, err := Load(data[:n], names); !errors.Is(err, ErrModel) {
				t.Fatalf("%s cut at %d: %v, want ErrModel", path, n, err)
			}
		}
	}
}

// FuzzLoad feeds damaged files: never a panic, and what still loads is scored by
// leaves as a plain walk over the trees does.
func FuzzLoad(f *testing.F) {
	for _, stem := range []string{"v3.2.0/presence", "v3.4.1/presence", "v3.4.1/dart", "v1.7.4/constant", "v3.2.0/calibrated"} {
		for _, ending := range []string{".ubj", ".json"} {
			data, err := os.ReadFile("testdata/" + stem + ending)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	row := []float32{2, -1, float32(math.NaN()), 0.5, 0, 3.0e38}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Load(data, names)
		if err != nil {
			if !errors.Is(err, ErrModel) {
				t.Fatalf("%v is no ErrModel", err)
			}
			return
		}
		margin, _, err := m.Predict(row)
		if err != nil {
			t.Fatal(err)
		}
		want, scale := m.base, math.Abs(m.base)
		for _, tree := range m.trees {
			at := 0
			for tree[at].left >= 0 {
				at = tree[at].next(row)
			}
			want += float64(tree[at].value)
			scale += math.Abs(float64(tree[at].value))
		}
		if math.Abs(margin-want) > 1e-9*(1+scale) {
			t.Fatalf("margin %v, walk %v", margin, want)
		}
	})
}

// grown returns a model of complete trees with random splits, the size of a real one.
func grown(b *testing.B, count, depth, features int) (*Model, []float32) {
	b.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	m := &Model{a: 1}
	for i := range features {
		m.features = append(m.features, fmt.Sprintf("f%d", i))
	}
	for range count {
		var t tree
		var grow func(parent, level int) int
		grow = func(parent, level int) int {
			at := len(t)
			t = append(t, node{left: -1, right: -1, parent: parent, feature: random.IntN(features), value: float32(random.NormFloat64())})
			if level < depth {
				left := grow(at, level+1)
				right := grow(at, level+1)
				t[at].left, t[at].right = left, right
			}
			return at
		}
		grow(-1, 0)
		m.trees = append(m.trees, t)
	}
	var err error
	if m.ensemble, err = leaves.XGEnsembleFromReader(bufio.NewReader(bytes.NewReader(legacy(m.trees, features))), false); err != nil {
		b.Fatal(err)
	}
	row := make([]float32, features)
	for i := range row {
		row[i] = float32(random.NormFloat64())
	}
	return m, row
}

// The goldens are XGBoost's pred_contribs of every fourth row (testdata/shap.py).
func TestSHAPAsXGBoost(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/shap.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string][][]float64
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if len(want) < 40 {
		t.Fatalf("%d models", len(want))
	}
	all := goldens(t)
	for stem, rows := range want {
		t.Run(stem, func(t *testing.T) {
			t.Parallel()
			g := all["testdata/"+stem]
			m := load(t, "testdata/"+stem+".ubj", g.Features)
			for i, row := range rows {
				margin, _, err := m.Predict(g.row(4 * i))
				if err != nil {
					t.Fatal(err)
				}
				got, sum := m.SHAP(g.row(4*i)), 0.0
				if len(got) != len(row) {
					t.Fatalf("%d values, want %d", len(got), len(row))
				}
				for j, v := range got {
					if sum += v; math.Abs(v-row[j]) > marginTolerance {
						t.Errorf("row %d: SHAP of %d = %v, XGBoost: %v", 4*i, j, v, row[j])
					}
				}
				if math.Abs(sum-margin) > marginTolerance {
					t.Errorf("row %d: they sum to %v, the margin is %v", 4*i, sum, margin)
				}
			}
		})
	}
}

// Of a row that Predict refuses nothing is said.
func TestSHAPOfUnusableRows(t *testing.T) {
	m := load(t, "testdata/v3.2.0/logistic.ubj", names)
	for _, row := range [][]float32{nil, {1}, {0, 0, 0, 0, 0, float32(math.Inf(1))}} {
		if got := m.SHAP(row); got != nil {
			t.Errorf("SHAP(%v) = %v, want nil", row, got)
		}
	}
}

func BenchmarkSHAP(b *testing.B) {
	m, row := grown(b, 200, 6, 20)
	for b.Loop() {
		m.SHAP(row)
	}
}

func BenchmarkPredict(b *testing.B) {
	m, row := grown(b, 200, 6, 20)
	for b.Loop() {
		if _, _, err := m.Predict(row); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkContributions(b *testing.B) {
	m, row := grown(b, 200, 6, 20)
	for b.Loop() {
		m.Contributions(row)
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, ending := range []string{"ubj", "json"} {
		b.Run(ending, func(b *testing.B) {
			data, err := os.ReadFile("testdata/v3.2.0/sliced." + ending)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := Load(data, names); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
