package lexicon

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/text"
)

func TestRelatedFind(t *testing.T) {
	r, err := ParseRelated("f", []byte("money:\n  - fee, charge, 费用, 学费\n  - fee, fare, 费用\nacts:\n  - take along, carry, 携带\n  - carry out, do\n"))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		in   string
		want []string // word and its clusters
	}{
		{"The fees were charged", []string{"fees [0 1]", "charged [0]"}},
		{"学费和费用", []string{"学费 [0]", "费用 [0 1]"}},
		{"Carrying a bag, take  along", []string{"Carrying [2]"}},
		{"take along, carried out", []string{"take along [2]", "carried out [3]"}},
		{"coffee feed", nil},
		{"ＦＥＥ", []string{"ＦＥＥ [0 1]"}},
		{"", nil},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			runes := []rune(tt.in)
			var got []string
			for _, f := range r.Find(text.Fold(runes)) {
				got = append(got, fmt.Sprintf("%s %v", string(runes[f.Start:f.End]), f.Clusters))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("found (-want +got):\n%s", d)
			}
		})
	}
	if got := (*Related)(nil).Find([]rune("fee")); got != nil {
		t.Errorf("nil Related found %v", got)
	}
}

func TestShare(t *testing.T) {
	tests := []struct {
		a, b []int32
		want bool
	}{
		{nil, nil, false},
		{[]int32{1}, nil, false},
		{[]int32{1, 5, 9}, []int32{2, 3, 4, 9}, true},
		{[]int32{9}, []int32{1, 2, 9}, true},
		{[]int32{1, 3, 5}, []int32{2, 4, 6}, false},
		{[]int32{7, 8}, []int32{1, 2}, false},
	}
	for _, tt := range tests {
		if got := Share(tt.a, tt.b); got != tt.want {
			t.Errorf("Share(%v, %v) = %v", tt.a, tt.b, got)
		}
		if got := Share(tt.b, tt.a); got != tt.want {
			t.Errorf("Share(%v, %v) = %v", tt.b, tt.a, got)
		}
	}
}

// related reports whether a word of one text shares a cluster with one of the other.
func related(r *Related, a, b string) bool {
	for _, x := range r.Find(text.Fold([]rune(a))) {
		for _, y := range r.Find(text.Fold([]rune(b))) {
			if Share(x.Clusters, y.Clusters) {
				return true
			}
		}
	}
	return false
}

func TestDefaultRelated(t *testing.T) {
	r := DefaultRelated()
	if r.Len() < 500 {
		t.Errorf("%d clusters, want 500 or more", r.Len())
	}
	tests := []struct {
		a, b string
		want bool
	}{
		{"electricity bill", "水费", false},
		{"husband", "妻子", false},
		{"earthquakes", "自然灾害", true},
		{"earthquakes", "洪水", false},
		{"fare", "费用", true},
		{"tuition", "how much", true},
		{"fares", "rents", false},
		{"headed", "负责人", true},
		{"guests", "旅客", true},
		{"broken", "故障", true},
		{"duration", "多长时间", true},
		{"minimum", "maximum", false},
		{"annual leave", "病假", false},
		{"成人", "儿童", false},
		{"income", "成本", false},
		{"increase", "下降", false},
		{"允许", "禁止", false},
	}
	for _, tt := range tests {
		if got := related(r, tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q: related %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// A cluster must not hold two sides of a group of contrast.yaml: the contrast says
// that a value of one is no value of the other.
func TestRelatedHoldsNoContrast(t *testing.T) {
	entries, err := readEntries("related.yaml", builtinRelated)
	if err != nil {
		t.Fatal(err)
	}
	c := DefaultContrasts()
	for _, e := range entries {
		sides := map[int32]Member{}
		words := map[int32]string{}
		for term := range strings.SplitSeq(e.terms, ",") {
			folded := text.Fold([]rune(strings.TrimSpace(term)))
			for _, f := range c.Find(folded) {
				if f.Len() != len(folded) {
					continue
				}
				if o, ok := sides[f.Group]; ok && o.Side != f.Side {
					t.Errorf("related.yaml:%d: %q and %q exclude each other", e.line, words[f.Group], string(folded))
				}
				sides[f.Group], words[f.Group] = f.Member, string(folded)
			}
		}
	}
}

func TestParseRelatedRefuses(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "f:1: the file is empty"},
		{"one term", "x:\n  - widget\n", "f:2: a cluster needs two terms"},
		{"one character", "x:\n  - widget, gadget\n  - widget, 税\n", "f:3: term \"税\" is a single Chinese character"},
		{"twice", "x:\n  - widget, Widget\n", "f:2: term \"widget\" stands twice"},
		{"punctuation", "x:\n  - widget, what?\n", "f:2: term \"what?\" holds '?'"},
		{"nested", "x:\n  - [a, b]\n", "f:2: an item is one line"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseRelated("f", []byte(tt.in))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// The fast reader and the YAML reader agree wherever the fast one dares to read.
func FuzzReadEntries(f *testing.F) {
	f.Add([]byte("# c\nx:\n  - a b, 年假\n\ny:\n  - c's, d/e&f\n"))
	f.Add([]byte("null:\n  - true, no\n"))
	f.Add([]byte("x:\n  - a\n    b\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fast, ok := plainEntries(data)
		if !ok {
			return
		}
		slow, err := yamlEntries("f", data)
		if err != nil {
			t.Fatalf("read %v, but YAML says %v", fast, err)
		}
		if d := cmp.Diff(slow, fast, cmp.AllowUnexported(entry{})); d != "" {
			t.Errorf("entries (-yaml +plain):\n%s", d)
		}
	})
}

func TestBuiltinFilesReadFast(t *testing.T) {
	for name, data := range map[string][]byte{"default.yaml": builtin, "related.yaml": builtinRelated} {
		fast, ok := plainEntries(data)
		if !ok {
			t.Errorf("%s is not of the plain form; start-up becomes slow", name)
			continue
		}
		slow, err := yamlEntries(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(slow, fast, cmp.AllowUnexported(entry{})); d != "" {
			t.Errorf("%s: entries (-yaml +plain):\n%s", name, d)
		}
	}
}

func BenchmarkParseRelated(b *testing.B) {
	for b.Loop() {
		if _, err := ParseRelated("related.yaml", builtinRelated); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRelatedFind(b *testing.B) {
	r := DefaultRelated()
	folded := text.Fold([]rune("Employees carrying the certificates applied for reimbursement of travel expenses 员工申请差旅费报销"))
	b.ReportAllocs()
	for b.Loop() {
		r.Find(folded)
	}
}
