package lexicon

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"suffice.dev/suffice/text"
)

func TestDefault(t *testing.T) {
	l := Default()
	if l.Len() < 3000 {
		t.Errorf("%d synsets, want 3000 or more", l.Len())
	}
	both := 0
	for s := range l.Len() {
		zh, en := false, false
		for _, term := range l.Synonyms(int32(s)) {
			got, ok := l.Lookup(term)
			if !ok || got != int32(s) {
				t.Errorf("Lookup(%q) = %d %v, want %d", term, got, ok, s)
			}
			if text.IsHan([]rune(term)[0]) {
				zh = true
			} else {
				en = true
			}
		}
		if zh && en {
			both++
		}
	}
	if both < l.Len()*9/10 {
		t.Errorf("%d of %d synsets hold both languages, want nine of ten", both, l.Len())
	}
}

func TestMatch(t *testing.T) {
	tests := []struct {
		in, at string // at: where matching starts
		want   string // the matched words; "" = none
		same   string // a term of the synset
	}{
		{"The annual fees rose", "annual", "annual fees", "年费"},
		{"He was employed there", "employed", "employed", "雇用"},
		{"employers pay", "employers", "employers", "用人单位"},
		{"carrying 12 tons", "carrying", "carrying", "运送"},
		{"Carried by air", "Carried", "Carried", "承运"},
		{"applies to all", "applies", "applies", "申请"},
		{"the part-time staff", "part", "part-time", "兼职"},
		{"the part time staff", "part", "part time", "兼职"},
		{"overfeed", "feed", "", ""},
		{"feeder", "feeder", "", ""},
		{"员工的带薪年休假", "带薪", "带薪年休假", "annual leave"},
		{"员工的带薪年休假", "工", "", ""},
		{"ＦＥＥ表", "ＦＥＥ", "ＦＥＥ", "手续费"},
		{"let us use", "us", "", ""},
		{"", "", "", ""},
	}
	l := Default()
	for _, tt := range tests {
		t.Run(tt.in+"@"+tt.at, func(t *testing.T) {
			runes := []rune(tt.in)
			at := len([]rune(tt.in[:strings.Index(tt.in, tt.at)]))
			end, s, ok := l.Match(text.Fold(runes), at)
			got := ""
			if ok {
				got = string(runes[at:end])
			}
			if got != tt.want {
				t.Fatalf("matched %q, want %q", got, tt.want)
			}
			if !ok {
				return
			}
			if want, found := l.Lookup(tt.same); !found || want != s {
				t.Errorf("synset %v, want the one of %q: %v", l.Synonyms(s), tt.same, l.Synonyms(want))
			}
		})
	}
}

func TestMatchOutside(t *testing.T) {
	l := Default()
	for _, at := range []int{-1, 3, 9} {
		if _, _, ok := l.Match([]rune("fee"), at); ok {
			t.Errorf("Match at %d of a text of three matched", at)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "f:1: the file is empty"},
		{"no mapping", "- a, b\n", "f:1: the file is not a mapping"},
		{"no list", "x: a\n", "f:1: domain \"x\" holds no list"},
		{"list item", "x:\n  - a, bb\n  - [c, d]\n", "f:3: an item is one line"},
		{"one term", "x:\n  - widget\n", "f:2: a synset needs two terms"},
		{"one character", "x:\n  - widget, 税\n", "f:2: term \"税\" is a single Chinese character"},
		{"empty term", "x:\n  - widget, , gadget\n", "f:2: term \"\" is empty"},
		{"punctuation", "x:\n  - widget, what?\n", "f:2: term \"what?\" holds '?'"},
		{"two synsets", "x:\n  - widget, gadget\n  - gizmo, Gadget\n", "f:3: term \"gadget\" is already in the synset of line 2"},
		{"twice in line", "x:\n  - widget, Widget\n", "f:2: term \"widget\" stands twice"},
		{"domain twice", "x:\n  - widget, gadget\nx:\n  - gizmo, thing\n", "f:3:"},
		{"joins", "x:\n  - 学费, 运费\n", "f:2: the line joins two synsets"},
		{"yaml", "x:\n  - a, bb\n y: [\n", "f:"},
		{"long", "x:\n  - widget, " + strings.Repeat("a", 60) + "\n", "is longer than 48"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(Default(), "f", []byte(tt.in))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLoadExtends(t *testing.T) {
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte("plant:\n  - flux valve, 通量阀\n  - tuition, lesson money\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := l.Lookup("Flux valves"); !ok || l.Domain(s) != "plant" || l.Synonyms(s)[1] != "通量阀" {
		t.Errorf("own synset: %v %v", s, ok)
	}
	a, _ := l.Lookup("lesson money")
	b, _ := l.Lookup("学费")
	if a != b {
		t.Errorf("lesson money is in synset %d, 学费 in %d; want one", a, b)
	}
	if _, ok := Default().Lookup("lesson money"); ok {
		t.Error("the built-in dictionary was changed")
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v, want not exist", err)
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("The annual-leave 年休假 fees", 4)
	f.Add("a-b -", 0)
	f.Add("zyxel", 0)
	l := Default()
	f.Fuzz(func(t *testing.T, s string, at int) {
		folded := text.Fold([]rune(s))
		end, set, ok := l.Match(folded, at)
		if ok && (end <= at || end > len(folded) || l.Synonyms(set) == nil) {
			t.Errorf("Match(%q, %d) = %d, %d", s, at, end, set)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("x:\n  - a b, 年假\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse(nil, "f", data)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Fatal(err)
		}
		if err == nil && l.Len() > 0 && len(l.Synonyms(0)) < 2 {
			t.Error("a synset of one term")
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := Parse(nil, "default.yaml", builtin); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	l := Default()
	folded := text.Fold([]rune("Employees carrying the certificates applied for reimbursement of travel expenses 员工申请差旅费报销"))
	b.ReportAllocs()
	for b.Loop() {
		for i := range folded {
			l.Match(folded, i)
		}
	}
}

// Every term of the dictionary is found where it stands, and what the first letters of a
// word rule out would not be found without looking at them.
func TestMatchFindsEveryTerm(t *testing.T) {
	l := Default()
	open := *l
	for kind := range open.trie.heads {
		for i := range open.trie.heads[kind] {
			open.trie.heads[kind][i] = ^uint64(0)
		}
	}
	for set := range int32(l.Len()) {
		for _, term := range l.Synonyms(set) {
			folded := text.Fold([]rune(term))
			if end, _, ok := l.Match(folded, 0); !ok || end != len(folded) {
				t.Errorf("Match(%q) = %d, %v, want %d", term, end, ok, len(folded))
			}
			for _, tail := range []string{"s", "ed", "ing", "y", " of"} {
				other := append(slices.Clone(folded[:max(1, len(folded)-1)]), []rune(tail)...)
				end, found, ok := l.Match(other, 0)
				if wantEnd, want, wantOK := open.Match(other, 0); end != wantEnd || found != want || ok != wantOK {
					t.Errorf("Match(%q) = %d, %d, %v, want %d, %d, %v", string(other), end, found, ok, wantEnd, want, wantOK)
				}
			}
		}
	}
}

// Any three letters may begin a word, zzz too, which no term begins with.
func TestMatchOfAnyThreeLetters(t *testing.T) {
	l := Default()
	open := *l
	for kind := range open.trie.heads {
		for i := range open.trie.heads[kind] {
			open.trie.heads[kind][i] = ^uint64(0)
		}
	}
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			for c := 'a'; c <= 'z'; c++ {
				word := []rune{a, b, c, 's'}
				end, set, ok := l.Match(word, 0)
				if wantEnd, want, wantOK := open.Match(word, 0); end != wantEnd || set != want || ok != wantOK {
					t.Fatalf("Match(%q) = %d, %d, %v, want %d, %d, %v", string(word), end, set, ok, wantEnd, want, wantOK)
				}
			}
		}
	}
}
