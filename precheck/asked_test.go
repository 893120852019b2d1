package precheck

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
)

// askedCase is a question with the set of slots that it asks for.
type askedCase struct {
	Q     string
	Asked []string
	Or    []string // a second set that is right too
	Of    []string // names that the asked subjects must hold
}

// askedFigures are counts over one half and language.
type askedFigures struct {
	n, exact, named, holds, bare int
}

// measureAsked counts the questions whose required asked slots are exactly the
// labelled ones (exact), and of those that name a thing how many carry it in the
// subjects of the asked slots (holds) and nothing else there (bare). wrong lists
// what is not exact or not held.
func measureAsked(tb testing.TB, p *Precheck, cases []askedCase) (f askedFigures, wrong []string) {
	tb.Helper()
	for _, c := range cases {
		a, err := p.Analyze(context.Background(), kb.Question{Text: c.Q, AsOf: asOf})
		if err != nil {
			tb.Fatal(err)
		}
		var names, subjects []string
		for _, s := range a.Slots {
			if s.Role == kb.Asked && s.Required {
				names = append(names, s.Name)
				if !slices.Contains(subjects, s.Subject) {
					subjects = append(subjects, s.Subject)
				}
			}
		}
		f.n++
		right := slices.Equal(names, c.Asked) || len(c.Or) > 0 && slices.Equal(names, c.Or)
		if right {
			f.exact++
		}
		holds, bare := true, true
		for _, of := range c.Of {
			holds = holds && strings.Contains(strings.Join(subjects, " "), of)
			bare = bare && slices.Contains(subjects, of)
		}
		if a.Class == kb.Comparison && len(c.Of) == 2 {
			bare = holds && len(strings.Join(subjects, "")) <= len(strings.Join(c.Of, ""))+2
		}
		if len(c.Of) > 0 {
			f.named++
			if holds {
				f.holds++
			}
			if bare {
				f.bare++
			}
		}
		if !right || !holds {
			wrong = append(wrong, fmt.Sprintf("%s: asks %v of %q (%s), want %v of %q", c.Q, names, subjects, a.Class, c.Asked, c.Of))
		}
	}
	return f, wrong
}

// TestAsked measures the asked slots of the tuning half and of the held-apart one.
// Of the held-apart half it prints figures only.
func TestAsked(t *testing.T) {
	p := newPrecheck(t)
	for _, half := range []string{"tune", "held"} {
		var cases map[string][]askedCase
		load(t, "testdata/asked-"+half+".yaml", &cases)
		for _, lang := range []string{"zh", "en"} {
			f, wrong := measureAsked(t, p, cases[lang])
			t.Logf("%s, %s: %d questions; asked set exact %d; of %d with a name: held by the subject %d, alone there %d",
				half, lang, f.n, f.exact, f.named, f.holds, f.bare)
			if half == "tune" && os.Getenv("ASKED_SHOW") != "" {
				t.Log(strings.Join(wrong, "\n"))
			}
			if f.n < 100 || f.exact*10 < f.n*9 {
				t.Errorf("%s, %s: asked set exact for %d of %d questions, want nine of ten", half, lang, f.exact, f.n)
			}
		}
	}
}
