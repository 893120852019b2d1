package fact

import (
	"os"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text/lexicon"
)

// coverCase is a page with what fills some needs.
type coverCase struct {
	Text  string
	Title string
	Needs []struct {
		Question, Class, Subject, Attribute, Expect, Unit, Time string
		Given                                                   []string
		Want                                                    string // in the first filler; "" = none
	}
}

func TestCover(t *testing.T) {
	e := New(Config{Dictionary: lexicon.Default(), Contrasts: lexicon.DefaultContrasts(), Related: lexicon.DefaultRelated()})
	files, err := os.ReadDir("testdata/cover")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		data, err := os.ReadFile("testdata/cover/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		var cases []coverCase
		if err := yaml.Unmarshal(data, &cases); err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		if len(cases) == 0 {
			t.Fatalf("%s has no cases", f.Name())
		}
		for _, c := range cases {
			p := e.Read(Source{Text: c.Text, Title: c.Title})
			for _, n := range c.Needs {
				t.Run(f.Name()+"/"+n.Question, func(t *testing.T) {
					need := Need{Question: n.Question, Class: n.Class, Subject: n.Subject, Attribute: n.Attribute, Expect: n.Expect, Unit: n.Unit, Given: n.Given, TimeText: n.Time, HasTime: n.Time != ""}
					cov := e.Cover([]Need{need}, []*Page{p}, []Meta{{Title: c.Title}})[0]
					got := ""
					if cov.State != StateEmpty && len(cov.Fillers) > 0 {
						got = p.Quote(cov.Fillers[0].Span)
						if v := cov.Fillers[0].Value; !v.Empty() && cov.Fillers[0].Fact >= 0 {
							got += " = " + p.Quote(v)
						}
					}
					if n.Want == "" && got != "" || !strings.Contains(got, n.Want) {
						t.Errorf("%q is filled by %q, want %q", n.Question, got, n.Want)
					}
				})
			}
		}
	}
}
