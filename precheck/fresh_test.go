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

// freshCase is a question with everything that is read from it.
type freshCase struct {
	Q     string
	Class []kb.Class
	Asked []string
	Or    []string // a second set of asked slots that is right too
	Of    []string // the subject of each asked slot; "" = not judged
	Time  string   // from/to
}

// freshFigures counts what is right.
type freshFigures struct {
	n, class, asked, subjects, named, times, timed, all int
}

// measureFresh counts classes, exact sets of asked slots, exact subjects and intervals.
func measureFresh(tb testing.TB, p *Precheck, cases []freshCase) (f freshFigures, wrong []string) {
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
				subjects = append(subjects, s.Subject)
			}
		}
		f.n++
		class := slices.Contains(c.Class, a.Class)
		asked := slices.Equal(names, c.Asked) || len(c.Or) > 0 && slices.Equal(names, c.Or)
		named := slices.ContainsFunc(c.Of, func(s string) bool { return s != "" })
		held := true
		for i, of := range c.Of {
			if of != "" && (i >= len(subjects) || !sameSubject(subjects[i], of)) {
				held = false
			}
		}
		interval := ""
		if a.Time != nil {
			interval = kb.FormatDay(a.Time.From) + "/" + kb.FormatDay(a.Time.To)
		}
		timed := c.Time == "" || interval == c.Time
		count := func(to *int, ok bool) {
			if ok {
				*to++
			}
		}
		count(&f.class, class)
		count(&f.asked, asked)
		count(&f.named, named)
		count(&f.subjects, named && held)
		count(&f.timed, c.Time != "")
		count(&f.times, c.Time != "" && timed)
		count(&f.all, class && asked && held && timed)
		if !class || !asked || !held || !timed {
			wrong = append(wrong, fmt.Sprintf("%s: %s asks %v of %q in %s; want %v %v of %q in %s", c.Q, a.Class, names, subjects, interval, c.Class, c.Asked, c.Of, c.Time))
		}
	}
	return f, wrong
}

// sameSubject compares the subject of an asked slot with the labelled one, articles and spaces
// aside; " + " joins two things that one slot is about.
func sameSubject(got, want string) bool {
	plain := func(s string) string {
		var out []string
		for w := range strings.FieldsSeq(strings.ToLower(s)) {
			if w != "the" && w != "a" && w != "an" && w != "+" {
				out = append(out, w)
			}
		}
		return strings.Join(out, " ")
	}
	return plain(got) == plain(want)
}

// TestFresh measures class, asked slots, subjects and time together.
func TestFresh(t *testing.T) {
	p := newPrecheck(t)
	var cases map[string][]freshCase
	load(t, "testdata/asked-fresh.yaml", &cases)
	for _, lang := range []string{"zh", "en"} {
		f, wrong := measureFresh(t, p, cases[lang])
		t.Logf("%s: %d questions; class %d, asked set exact %d, subjects exact %d of %d, time %d of %d, all of it %d",
			lang, f.n, f.class, f.asked, f.subjects, f.named, f.times, f.timed, f.all)
		if f.n < 60 || f.class*10 < f.n*9 || f.asked*10 < f.n*9 || f.times < f.timed || f.subjects*3 < f.named*2 {
			t.Errorf("%s: class, asked set, subjects or times of too many questions are wrong", lang)
		}
		if os.Getenv("ASKED_SHOW") != "" {
			t.Log(strings.Join(wrong, "\n"))
		}
	}
}
