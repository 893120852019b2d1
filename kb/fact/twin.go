package fact

import (
	"strings"
	"unicode"
)

// leastTwin is the least length, in letters, of a clause that two pages may be said to
// share.
const leastTwin = 6

// twinned reports whether one of two facts of different pages is stated in the very
// words on the other page too. Then that page holds both, and they are two cases of
// one text (秘密级 ten years, 绝密级 thirty) or a matter of that page alone, but no
// conflict between the two.
func (v *view) twinned(f *Fact, o *view, g *Fact) bool {
	return o.states(v.clauseLetters(f)) || v.states(o.clauseLetters(g))
}

// states reports whether the page has a clause with these letters; 0 = none.
func (s *sheet) states(letters key) bool {
	if letters == 0 {
		return false
	}
	return (*s.said.get(0, func() *map[key]bool {
		said := make(map[key]bool, len(s.page.Clauses))
		for i := range s.page.Clauses {
			said[s.lettersAt(i)] = true
		}
		return &said
	}))[letters]
}

// clauseLetters stands for the letters and digits of the clause of a fact; 0 for none.
func (s *sheet) clauseLetters(f *Fact) key {
	if s.clauseOf(f) == nil {
		return 0
	}
	return s.lettersAt(f.Clause)
}

// lettersAt stands for the letters and digits of a clause; 0 when it is too short to be
// told by them.
func (s *sheet) lettersAt(i int) key {
	return *s.letters.get(i, func() *key {
		var k key
		if c := &s.page.Clauses[i]; c.Len() >= leastTwin {
			if letters := lettersOf(s.foldedText()[c.Start:c.End]); letters != "" {
				k = wordKey(letters)
			}
		}
		return &k
	})
}

// titleForm is the title of a page as titles are compared.
type titleForm struct {
	folded     string
	words      string // without the mark of a version, spaces and signs
	yearless   string // the same without a year
	periodical bool
}

func (s *sheet) titleForm() *titleForm {
	return s.titles.get(0, func() *titleForm {
		if t, ok := s.engine.titles.get(s.title); ok {
			return t
		}
		t := &titleForm{folded: fold(s.title)}
		t.words = titleWords(strings.TrimSpace(versionMark.ReplaceAllString(t.folded, "")))
		t.yearless = titleWords(yearMark.ReplaceAllString(t.words, ""))
		t.periodical = periodical.MatchString(t.folded)
		s.engine.titles.put(s.title, t)
		return t
	})
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

// lettersOf is a folded text without white space and punctuation.
func lettersOf(folded []rune) string {
	folded = folded[articleMark(folded):]
	out := make([]rune, 0, len(folded))
	for _, r := range folded {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '%' || r == '.' || r == '-' {
			out = append(out, r)
		}
	}
	return string(out)
}
