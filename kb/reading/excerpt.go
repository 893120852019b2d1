package reading

import (
	"strings"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// Excerpt is the part of a passage that a small model reads at once, under the title
// and the headings of the passage.
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
)

// ExcerptOf is the part of a passage around a span: whole sentences on both sides of
// it, as many as a window holds.
func ExcerptOf(p kb.Passage, page *fact.Page, around text.Span) Excerpt {
	head := headOf(p)
	out := Excerpt{Span: stretch(page, around), Head: utf8.RuneCountInString(head)}
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
// them.
func stretch(page *fact.Page, span text.Span) text.Span {
	limit := excerptOther
	han := 0
	for _, r := range page.Runes[:min(len(page.Runes), 400)] {
		if text.IsHan(r) {
			han++
		}
	}
	if 5*han > min(len(page.Runes), 400) {
		limit = excerptHan
	}
	if len(page.Runes) <= limit {
		return text.Span{Start: 0, End: len(page.Runes)}
	}
	first := 0 // the sentence with the beginning of the span
	for i, s := range page.Sentences {
		if s.Start <= span.Start {
			first = i
		}
	}
	if len(page.Sentences) == 0 {
		return text.Span{Start: 0, End: limit}
	}
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
	return text.Span{Start: page.Sentences[from].Start, End: page.Sentences[to].End}
}
