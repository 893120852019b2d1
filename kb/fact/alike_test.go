package fact

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

func TestInWordsOf(t *testing.T) {
	data, err := os.ReadFile("testdata/support/alike.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Source, Claim string
		Want          map[string]string
	}
	if err := yaml.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	e := New(Config{})
	for _, c := range cases {
		t.Run(c.Claim, func(t *testing.T) {
			p, a := e.Read(Source{Text: c.Source}), e.Read(Source{Text: c.Claim})
			k := e.Against([]*Page{p}, []Meta{{}})
			claim := Claim{Page: a, Span: text.Span{Start: 0, End: len(a.Runes)}}
			got := map[string]string{}
			for _, s := range k.InWordsOf(claim, 0, 0) {
				got[s.From] = s.To
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if n := k.ValuesIn(claim, 0, 0); n < len(c.Want) {
				t.Errorf("%d values of the claim are in the source, want at least %d", n, len(c.Want))
			}
		})
	}
}
