package fact

import (
	"slices"
	"strings"
	"testing"
	"time"

	"suffice.dev/suffice/text"
)

// FuzzReadIsLinear repeats a text: ten times as much of it must not take sixty times as
// long. A machine that was busy in between is given other tries.
func FuzzReadIsLinear(f *testing.F) {
	for _, s := range []string{"如果，", "除外；", "|a|1", "5 and ", "(the \"Y\") ", "不", "as follows:\n- ", "\n\n# x\n", "for 3 to ", "第二条 ", "no "} {
		f.Add(s)
	}
	e := benchEngine()
	f.Fuzz(func(t *testing.T, unit string) {
		if unit == "" || len(unit) > 60 {
			t.Skip("nothing to repeat, or too long a unit")
		}
		measure := func(n int) time.Duration {
			s := strings.Repeat(unit, n/len(unit)+1)
			begin := processTime(t)
			e.Read(Source{Text: s})
			return processTime(t) - begin
		}
		var short, long time.Duration
		for range 4 {
			if short, long = measure(1500), measure(15000); long <= 60*short+50*time.Millisecond {
				return
			}
		}
		t.Errorf("%q: 1,500 bytes take %v, 15,000 take %v", unit, short, long)
	})
}

// FuzzRound covers and compares two texts under a question: nothing panics, and every
// span lies inside the text it points into.
func FuzzRound(f *testing.F) {
	f.Add("渡船每日8时起航，载客26人。", "渡船每日9时起航，载客62人。", "渡船几时起航？", "渡船")
	f.Add("| Boat | Seats |\n| - | - |\n| Tern | 26 |", "The Tern has 62 seats unless it rains.", "How many seats has the Tern?", "Tern")
	f.Add("First soak, then rinse.", "First rinse, then soak.", "How is it cleaned?", "")
	e := benchEngine()
	f.Fuzz(func(t *testing.T, a, b, question, subject string) {
		if len(a)+len(b) > 3000 || len(question)+len(subject) > 300 {
			t.Skip("long enough")
		}
		pages := read(e, []Source{{Text: a, Title: "A"}, {Text: b, Title: "B"}})
		metas := []Meta{{ID: "a"}, {ID: "b"}}
		inside := func(r Ref) {
			t.Helper()
			if r.Page < 0 || r.Page > 1 {
				t.Fatalf("no page %d", r.Page)
			}
			n := len(pages[r.Page].Runes)
			for _, s := range []text.Span{r.Span, r.Value} {
				if s.Start < 0 || s.End > n || s.Start > s.End {
					t.Errorf("span %v outside a text of %d code points", s, n)
				}
			}
		}
		for _, expect := range []string{"QUANTITY", "TIME", "BOOLEAN", "ENTITY", ""} {
			needs := []Need{{Name: "value", Class: "NUMERIC", Question: question, Subject: subject, Attribute: question, Expect: expect}}
			round := e.Round(pages, metas)
			for _, c := range round.Cover(t.Context(), needs) {
				for _, r := range slices.Concat(c.Fillers, c.Near) {
					inside(r)
				}
			}
			for _, c := range round.Conflicts(t.Context(), needs) {
				inside(c.A)
				inside(c.B)
			}
		}
		for i, p := range pages {
			if d := e.Density(p, metas[i], []string{"subject", "attribute", "value", "time"}); d < 0 || d > 1 {
				t.Errorf("density %v", d)
			}
		}
	})
}
