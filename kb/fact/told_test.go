package fact

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

// toldCase is two sentences with what a reader points at in each (testdata/told.yaml).
type toldCase struct {
	Name  string
	Why   string
	Need  Need
	A, B  string
	AtA   string `yaml:"at_a"`
	AtB   string `yaml:"at_b"`
	Kind  string // empty = both can be true, or speak of two cases
	Title string // of the first
}

func TestTold(t *testing.T) {
	data, err := os.ReadFile("testdata/told.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []toldCase
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(&cases); err != nil {
		t.Fatal(err)
	}
	e := conflictEngine()
	at := func(page int, s, part string) Pointed {
		i := strings.LastIndex(s, part)
		if i < 0 {
			t.Fatalf("%q is not in %q", part, s)
		}
		start := len([]rune(s[:i]))
		return Pointed{Page: page, Span: text.Span{Start: start, End: start + len([]rune(part))}}
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			a, b := e.Read(Source{Text: c.A, Title: c.Title}), e.Read(Source{Text: c.B})
			round := e.Round([]*Page{a, b}, []Meta{{ID: "a", Title: c.Title}, {ID: "b"}})
			pa, pb := at(0, c.A, c.AtA), at(1, c.B, c.AtB)
			got, ok := round.Told(&c.Need, pa, pb)
			if ok != (c.Kind != "") || got.Kind != c.Kind {
				t.Errorf("%s: %q (%s), want %q", c.Why, got.Kind, got.Reason, c.Kind)
			}
			if ok && (got.A.Page != 0 || got.B.Page != 1 || got.A.Span.Empty() || got.Need < 0) {
				t.Errorf("sides %+v and %+v", got.A, got.B)
			}
			back, turned := round.Told(&c.Need, pb, pa)
			if turned != ok || back.Kind != got.Kind {
				t.Errorf("the other way round: %q, %v", back.Kind, turned)
			}
			if _, same := round.Told(&c.Need, pa, pa); same {
				t.Error("a page clashes with itself")
			}
		})
	}
}
