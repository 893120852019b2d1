package fact

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text/lexicon"
)

// conflictCase is a pair of statements (testdata/conflict/*.yaml).
type conflictCase struct {
	Name     string
	Why      string
	Question string
	TitleA   string `yaml:"title_a"`
	TitleB   string `yaml:"title_b"`
	A, B     string
	DayA     time.Time `yaml:"day_a"` // when it was published
	DayB     time.Time `yaml:"day_b"`
	Document string    // both are chunks of this one; empty = of two that are not named
	Kinds    []string  // any of these; none = the two do not conflict
	Asked    *bool
	Need     *Need // what the question asks; nil = the passages alone
}

func conflictEngine() *Engine {
	return New(Config{Dictionary: lexicon.Default(), Contrasts: lexicon.DefaultContrasts()})
}

func TestConflicts(t *testing.T) {
	files, err := filepath.Glob("testdata/conflict/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conflict cases: %v", err)
	}
	e := conflictEngine()
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []conflictCase
		d := yaml.NewDecoder(strings.NewReader(string(data)))
		d.KnownFields(true)
		if err := d.Decode(&cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml") + "/" + c.Name
			if seen[name] {
				t.Errorf("%s occurs twice", name)
			}
			seen[name] = true
			t.Run(name, func(t *testing.T) {
				a, b := e.Read(Source{Text: c.A, Title: c.TitleA}), e.Read(Source{Text: c.B, Title: c.TitleB})
				// In either order, beside a question about something else.
				for _, pages := range [][]*Page{{a, b}, {b, a}} {
					metas := []Meta{{ID: "a", Title: c.TitleA, Document: c.Document, PublishedAt: c.DayA}, {ID: "b", Title: c.TitleB, Document: c.Document, PublishedAt: c.DayB}}
					if pages[0] == b {
						metas[0], metas[1] = metas[1], metas[0]
					}
					var needs []Need
					if c.Need != nil {
						n := *c.Need
						n.Question = c.Question
						needs = append(needs, n)
					}
					checkClashes(t, c, pages, e.Conflicts(needs, pages, metas))
				}
			})
		}
	}
}

func checkClashes(t *testing.T, c conflictCase, pages []*Page, got []Clash) {
	t.Helper()
	var found []string
	for _, g := range got {
		found = append(found, fmt.Sprintf("%s: %q / %q (%s)", g.Kind, pages[g.A.Page].Quote(g.A.Span), pages[g.B.Page].Quote(g.B.Span), g.Reason))
		if g.A.Page >= g.B.Page {
			t.Errorf("sides out of order: %d and %d", g.A.Page, g.B.Page)
		}
		if c.Need == nil && g.Need != -1 {
			t.Errorf("a conflict on need %d, and there is none", g.Need)
		}
	}
	switch {
	case len(c.Kinds) == 0 && len(got) > 0:
		t.Errorf("%s: conflicts %q, want none", c.Why, found)
	case len(c.Kinds) > 0 && !slices.ContainsFunc(got, func(g Clash) bool { return slices.Contains(c.Kinds, g.Kind) }):
		t.Errorf("%s: conflicts %q, want one of %s", c.Why, found, c.Kinds)
	}
}
