package reading

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// Excerpt is the part of a passage that a small model reads at once, under the title
// and the headings of the passage and, for rows from the middle of a table, under the
// table's heading rows: a row says nothing without them.
type Excerpt struct {
	Text string
	Head int       // code points of Text before the passage's own
	Span text.Span // of the passage that stands behind them
}

// What one window of the reader holds beside a question, in code points; other scripts
// than Han have more of them in a token.
const (
	excerptHan   = 330
	excerptOther = 900
	longestHead  = 120
	// share of a window that the heading rows of a table may take from its rows: one in three
	headingShare = 3
)

// ExcerptOf is the part of a passage around a span: whole sentences on both sides of
// it, as many as a window holds.
func ExcerptOf(p kb.Passage, page *fact.Page, around text.Span) Excerpt {
	span, above := stretch(page, around)
	head := headOf(p)
	if !above.Empty() {
		head += strings.TrimRight(string(page.Runes[above.Start:above.End]), "\n") + "\n"
	}
	out := Excerpt{Span: span, Head: utf8.RuneCountInString(head)}
	out.Text = head + string(page.Runes[out.Span.Start:out.Span.End])
	return out
}

// In is the place in the passage of a span of the excerpt's text; false where it
// begins in the head.
func (e Excerpt) In(s text.Span) (text.Span, bool) {
	s.Start += e.Span.Start - e.Head
	s.End += e.Span.Start - e.Head
	return s, s.Start >= e.Span.Start && s.End <= e.Span.End && s.Start < s.End
}

// headOf is the line of title and headings, each once; the headings nearest to the
// passage where not all of them fit.
func headOf(p kb.Passage) string {
	var parts []string
	size := 0
	all := append([]string{p.Title}, p.HeadingPath...)
	for i := len(all) - 1; i >= 0; i-- {
		part := strings.Join(strings.Fields(all[i]), " ")
		seen := part == ""
		for _, other := range parts {
			seen = seen || other == part
		}
		if n := utf8.RuneCountInString(part); !seen && size+n <= longestHead {
			parts, size = append([]string{part}, parts...), size+n
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " ") + "\n"
}

// stretch widens a span to whole sentences on both sides, as long as a window holds
// them. Above are the heading rows of the table that it begins in, where they stand
// before it.
func stretch(page *fact.Page, span text.Span) (out, above text.Span) {
	first := 0 // the sentence with the beginning of the span
	for i, s := range page.Sentences {
		if s.Start <= span.Start {
			first = i
		}
	}
	limit := window(page, first)
	if len(page.Runes) <= limit {
		return text.Span{Start: 0, End: len(page.Runes)}, text.Span{}
	}
	if len(page.Sentences) == 0 {
		return text.Span{Start: 0, End: limit}, text.Span{}
	}
	if above = headingRows(page, first); above.End-above.Start > limit/headingShare {
		above = text.Span{}
	}
	limit -= above.End - above.Start
	from, to := first, first
	size := func() int { return page.Sentences[to].End - page.Sentences[from].Start }
	for grown := true; grown; {
		grown = false
		if to+1 < len(page.Sentences) {
			if to++; size() > limit {
				to--
			} else {
				grown = true
			}
		}
		if from > 0 {
			if from--; size() > limit {
				from++
			} else {
				grown = true
			}
		}
	}
	out = text.Span{Start: page.Sentences[from].Start, End: page.Sentences[to].End}
	if out.Start < above.End {
		above = text.Span{} // they are in it
	}
	return out, above
}

// window is how many code points of a page one window of the reader holds. Digits and
// marks, of which tables are made, are tokens of their own more often than letters are: a
// row of figures takes about twice the tokens of prose.
func window(page *fact.Page, sentence int) int {
	sample := page.Runes[:min(len(page.Runes), 400)]
	han, figures := 0, 0
	for _, r := range sample {
		switch {
		case text.IsHan(r):
			han++
		case !unicode.IsLetter(r) && !unicode.IsSpace(r):
			figures++
		}
	}
	switch {
	case 5*han > len(sample):
		return excerptHan
	case sentence < len(page.Sentences) && page.Sentences[sentence].Kind == fact.Row:
		return excerptOther * len(sample) / (len(sample) + figures)
	}
	return excerptOther
}

// headingRows are the heading rows of the table that a sentence is a row of, with the line
// before them, which often says what the table is of and in which unit; empty where it is
// no row or its table has none.
func headingRows(page *fact.Page, row int) text.Span {
	k := row
	for k >= 0 && page.Sentences[k].Kind == fact.Row {
		k--
	}
	if k == row || k < 0 || page.Sentences[k].Kind != fact.HeaderRow {
		return text.Span{}
	}
	out := page.Sentences[k].Span
	for k > 0 && page.Sentences[k-1].Kind == fact.HeaderRow {
		k--
	}
	if k > 0 && page.Sentences[k-1].End-page.Sentences[k-1].Start <= longestHead {
		k--
	}
	out.Start = page.Sentences[k].Start
	return out
}
