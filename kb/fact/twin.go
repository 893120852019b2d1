package fact

import (
	"strings"
	"unicode"

	"suffice.dev/suffice/text"
)

// leastTwin is the least length, in letters, of a clause that two pages may be said to
// share.
const leastTwin = 6

// twinned reports whether one of two facts of different pages is stated in the very
// words on the other page too. Then that page holds both, and they are two cases of
// one text (秘密级 ten years, 绝密级 thirty) or a matter of that page alone, but no
// conflict between the two.
func (v *view) twinned(f *Fact, o *view, g *Fact) bool {
	return o.states(v.clauseText(f)) || v.states(o.clauseText(g))
}

// states reports whether the page has a clause with these letters.
func (v *view) states(letters string) bool {
	if letters == "" {
		return false
	}
	if v.said == nil {
		v.said = make(map[string]bool, len(v.page.Clauses))
		for i := range v.page.Clauses {
			if s := v.page.Clauses[i].Span; s.Len() >= leastTwin {
				v.said[lettersOf(v.page.Runes[s.Start:s.End])] = true
			}
		}
	}
	return v.said[letters]
}

// clauseText is the letters and digits of the clause of a fact; of a table cell, of its
// headings and value.
func (v *view) clauseText(f *Fact) string {
	c := v.clauseOf(f)
	if c == nil || c.Span.Len() < leastTwin {
		return ""
	}
	return lettersOf(v.page.Runes[c.Start:c.End])
}

// readTitle folds the title, once: title as it is, bareTitle without the mark of a
// version.
func (v *view) readTitle() {
	if v.title == "" && v.meta.Title != "" {
		v.title = fold(v.meta.Title)
		v.bareTitle = strings.TrimSpace(versionMark.ReplaceAllString(v.title, ""))
	}
}

// articleMark is the length of the number of an article at the beginning of a text.
func articleMark(folded []rune) int {
	if len(folded) > 2 && folded[0] == '第' {
		for i := 1; i < len(folded) && i < 9; i++ {
			if folded[i] == '条' {
				return i + 1
			}
		}
	}
	return 0
}

// lettersOf is a text folded, without white space and punctuation.
func lettersOf(runes []rune) string {
	folded := text.Fold(runes)
	folded = folded[articleMark(folded):]
	out := folded[:0]
	for _, r := range folded {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%' || r == '.' || r == '-' {
			out = append(out, r)
		}
	}
	return string(out)
}
