package reading_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/text"
)

func TestExcerpt(t *testing.T) {
	engine := fact.New(fact.Config{})
	filler := strings.Repeat("仓库的灭火器每月检查一次，由保安记录。", 40)
	long := filler + "应收款满三年可以核销。" + filler
	for name, c := range map[string]struct {
		passage kb.Passage
		around  string // in the text
		head    string
		whole   bool
	}{
		"short, with its title":       {kb.Passage{Title: "财务手册", HeadingPath: []string{"核销"}, Text: "应收款满三年可以核销。"}, "三年", "财务手册 核销\n", true},
		"a heading that is the title": {kb.Passage{Title: "核销", HeadingPath: []string{"核销"}, Text: "应收款满三年可以核销。"}, "三年", "核销\n", true},
		"no title":                    {kb.Passage{Text: "The baths open at 7."}, "7", "", true},
		"long":                        {kb.Passage{Title: "财务手册", Text: long}, "三年", "财务手册\n", false},
		"a title longer than all":     {kb.Passage{Title: strings.Repeat("长", 500), HeadingPath: []string{"核销"}, Text: long}, "三年", "核销\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			at := utf8.RuneCountInString(c.passage.Text[:strings.Index(c.passage.Text, c.around)])
			span := text.Span{Start: at, End: at + utf8.RuneCountInString(c.around)}
			e := reading.ExcerptOf(c.passage, engine.Read(reading.SourceOf(c.passage)), span)
			if !strings.HasPrefix(e.Text, c.head) || e.Head != utf8.RuneCountInString(c.head) {
				t.Fatalf("head of %d in %.40q, want %q", e.Head, e.Text, c.head)
			}
			if whole := e.Span == (text.Span{Start: 0, End: utf8.RuneCountInString(c.passage.Text)}); whole != c.whole {
				t.Errorf("whole %t, want %t: %v", whole, c.whole, e.Span)
			}
			if n := utf8.RuneCountInString(e.Text); n > 500 {
				t.Errorf("%d code points", n)
			}
			runes := []rune(e.Text)
			in := strings.Index(e.Text, c.around)
			from := utf8.RuneCountInString(e.Text[:in])
			back, ok := e.In(text.Span{Start: from, End: from + utf8.RuneCountInString(c.around)})
			if !ok || string([]rune(c.passage.Text)[back.Start:back.End]) != c.around {
				t.Errorf("%v, %t in %q", back, ok, string(runes))
			}
			if _, ok := e.In(text.Span{Start: 0, End: 1}); ok == (e.Head > 0) {
				t.Errorf("a span in the head was placed in the passage: %t", ok)
			}
		})
	}
}

// A row from the middle of a long table stands under the heading rows, in one piece with
// the line that says of what the table is.
func TestExcerptOfALongTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("The depot lies in the harbour.\n\nBerths and dues, in euros:\n\n| Berth | Summer | Winter |\n| --- | --- | --- |\n")
	for i := range 60 {
		fmt.Fprintf(&b, "| Pier %c%d | %d | %d |\n", 'A'+i/10, i%10, 300+7*i, 200+5*i)
	}
	p := kb.Passage{Title: "Harbour", Text: b.String()}
	page := fact.New(fact.Config{}).Read(reading.SourceOf(p))
	for name, c := range map[string]struct {
		around string
		above  bool // the heading rows were put above it
	}{
		"the first row": {"| Pier A0 |", false},
		"a row within":  {"| Pier D4 |", true},
		"the last row":  {"| Pier F9 |", true},
	} {
		t.Run(name, func(t *testing.T) {
			at := strings.Index(p.Text, c.around)
			e := reading.ExcerptOf(p, page, text.Span{Start: at, End: at + len(c.around)})
			if !strings.Contains(e.Text, c.around) {
				t.Fatalf("the row is not in %q", e.Text)
			}
			if n := strings.Count(e.Text, "| Berth | Summer | Winter |"); n != 1 {
				t.Errorf("%d heading rows in %q", n, e.Text)
			}
			if !strings.Contains(e.Text, "in euros") {
				t.Errorf("no unit in %q", e.Text)
			}
			if above := e.Head > len("Harbour\n"); above != c.above {
				t.Errorf("head of %d, want above %t", e.Head, c.above)
			}
			if n := utf8.RuneCountInString(e.Text); n > 1020 {
				t.Errorf("%d code points", n)
			}
			in := strings.Index(e.Text, c.around)
			back, ok := e.In(text.Span{Start: in, End: in + len(c.around)})
			if !ok || p.Text[back.Start:back.End] != c.around {
				t.Errorf("%v, %t", back, ok)
			}
		})
	}
}
