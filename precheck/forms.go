package precheck

import (
	"fmt"
	"strings"

	"suffice.dev/suffice/text"
)

// form is one compiled question form: a chain of elements.
type form struct {
	rule  int32
	elems []elem
}

// elem is a gap or a set of alternatives that stands right after the one before.
type elem struct {
	gap  bool
	keep bool // the matched words stay content
	alts [][]rune
}

// Zero-width alternatives.
const (
	markStart = '\x01'
	markEnd   = '\x02'
)

// compileForm parses the notation of the rule file.
func compileForm(src string) ([]elem, error) {
	var out []elem
	keep := false
	var lit []rune
	flush := func() {
		if len(lit) > 0 {
			out = append(out, elem{keep: keep, alts: [][]rune{text.Fold(lit)}})
			lit = nil
		}
	}
	runes := []rune(src)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '…':
			flush()
			out = append(out, elem{gap: true})
		case '{':
			flush()
			keep = true
		case '}':
			flush()
			keep = false
		case '^':
			flush()
			out = append(out, elem{alts: [][]rune{{markStart}}})
		case '$':
			flush()
			out = append(out, elem{alts: [][]rune{{markEnd}}})
		case '(':
			flush()
			end := i + 1
			for end < len(runes) && runes[end] != ')' && runes[end] != '(' {
				end++
			}
			if end == len(runes) || runes[end] != ')' {
				return nil, fmt.Errorf("form %q: a bracket is not closed", src)
			}
			e := elem{keep: keep}
			for alt := range strings.SplitSeq(string(runes[i+1:end]), "|") {
				switch alt {
				case "^":
					e.alts = append(e.alts, []rune{markStart})
				case "$":
					e.alts = append(e.alts, []rune{markEnd})
				default:
					if strings.ContainsAny(alt, "^${}…") {
						return nil, fmt.Errorf("form %q: %q inside brackets; ^ and $ are alternatives of their own", src, alt)
					}
					e.alts = append(e.alts, text.Fold([]rune(alt)))
				}
			}
			out = append(out, e)
			i = end
		case ')', '|':
			return nil, fmt.Errorf("form %q: %q outside brackets", src, r)
		default:
			lit = append(lit, r)
		}
	}
	flush()
	if len(out) == 0 || out[0].gap {
		return nil, fmt.Errorf("form %q: nothing to start with", src)
	}
	return out, nil
}

// index finds forms by the first rune that can begin them. Forms that may begin
// with any rune are refused by the loader.
type index struct {
	forms []form
	byRun map[rune][]int32
	start []int32 // forms anchored at the start of the clause
}

func (x *index) add(f form) error {
	id := int32(len(x.forms))
	x.forms = append(x.forms, f)
	if first := f.elems[0].alts; len(first) == 1 && len(first[0]) == 1 && first[0][0] == markStart {
		x.start = append(x.start, id)
		return nil
	}
	seen := map[rune]bool{}
	for _, e := range f.elems {
		if e.gap {
			return fmt.Errorf("begins with a part that may be empty")
		}
		empty := false
		for _, a := range e.alts {
			if len(a) == 0 {
				empty = true
				continue
			}
			if !seen[a[0]] {
				seen[a[0]] = true
				x.byRun[a[0]] = append(x.byRun[a[0]], id)
			}
		}
		if !empty {
			return nil
		}
	}
	return fmt.Errorf("may be empty as a whole")
}

// piece is a matched part of a form.
type piece struct {
	start, end int
	keep       bool
}

// matcher runs forms over one clause.
type matcher struct {
	folded     []rune
	inside     []uint8 // 1: no alternative of one character matches; 2: none at all begins
	start, end int     // effective clause: without politeness, closing marks and particles
	pieces     [12]piece
	n          int
	steps      int
}

// maxSteps bounds the work on one clause, whatever the text.
const maxSteps = 20000

// match tries f at position i.
func (m *matcher) match(f *form, i int) bool {
	m.n = 0
	return m.from(f.elems, i, true)
}

func (m *matcher) from(elems []elem, i int, fresh bool) bool {
	if m.steps++; m.steps > maxSteps {
		return false
	}
	if len(elems) == 0 {
		return m.border(i)
	}
	e := &elems[0]
	if e.gap {
		if !m.border(i) {
			return false
		}
		saved := m.n
		for j := i; j <= m.end; j++ {
			if m.from(elems[1:], j, true) {
				return true
			}
			m.n = saved
		}
		return false
	}
	for _, a := range e.alts {
		if len(a) == 1 && a[0] == markStart {
			if i == m.start && m.from(elems[1:], i, fresh) {
				return true
			}
			continue
		}
		if len(a) == 1 && a[0] == markEnd {
			if i >= m.end && m.from(elems[1:], i, true) {
				return true
			}
			continue
		}
		if len(a) == 0 {
			if m.from(elems[1:], i, fresh) {
				return true
			}
			continue
		}
		if i+len(a) > m.end || !equal(m.folded[i:i+len(a)], a) || fresh && !m.border(i) {
			continue
		}
		if m.inside != nil && !e.keep && text.IsHan(a[0]) && (m.inside[i] == 2 && fresh || m.inside[i] > 0 && len(a) == 1) {
			continue
		}
		saved := m.n
		if m.n < len(m.pieces) {
			m.pieces[m.n] = piece{i, i + len(a), e.keep}
			m.n++
		}
		if m.from(elems[1:], i+len(a), false) {
			return true
		}
		m.n = saved
	}
	return false
}

// border reports whether i is no place inside a Latin word.
func (m *matcher) border(i int) bool {
	if i <= 0 || i >= len(m.folded) {
		return true
	}
	if m.folded[i] == '-' && isLatin(m.folded[i-1]) && i+1 < len(m.folded) && isLatin(m.folded[i+1]) {
		return false // purpose-built is one word
	}
	return !(isLatin(m.folded[i-1]) && isLatin(m.folded[i]))
}

func isLatin(r rune) bool { return r != '\'' && text.IsWord(r) }

func equal(a, b []rune) bool {
	for i := range b {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// phrases is a set of literal phrases found by their first rune, longest first.
type phrases struct {
	byRun   map[rune][][]rune
	longest int // of all phrases, in code points
}

func newPhrases(lists ...[]string) phrases {
	p := phrases{byRun: map[rune][][]rune{}}
	for _, list := range lists {
		for _, s := range list {
			r := text.Fold([]rune(s))
			if len(r) == 0 {
				continue
			}
			p.longest = max(p.longest, len(r))
			set := p.byRun[r[0]]
			at := len(set)
			for at > 0 && len(set[at-1]) < len(r) {
				at--
			}
			set = append(set, nil)
			copy(set[at+1:], set[at:])
			set[at] = r
			p.byRun[r[0]] = set
		}
	}
	return p
}

// at returns the end of the longest phrase that starts at i and stays inside end.
func (p phrases) at(folded []rune, i, end int) (int, bool) {
	if i >= end || i >= len(folded) {
		return i, false
	}
	if i > 0 && isLatin(folded[i-1]) && isLatin(folded[i]) {
		return i, false
	}
	for _, w := range p.byRun[folded[i]] {
		e := i + len(w)
		if e > end || !equal(folded[i:e], w) {
			continue
		}
		if e < len(folded) && isLatin(folded[e-1]) && isLatin(folded[e]) {
			continue
		}
		return e, true
	}
	return i, false
}

// anywhere reports whether a phrase stands in folded[start:end].
func (p phrases) anywhere(folded []rune, start, end int) bool {
	for i := start; i < end; i++ {
		if _, ok := p.at(folded, i, end); ok {
			return true
		}
	}
	return false
}

// suffix returns the length of the longest phrase that ends folded[start:end].
func (p phrases) suffix(folded []rune, start, end int) int {
	for i := max(start, end-p.longest); i < end; i++ {
		if e, ok := p.at(folded, i, end); ok && e == end {
			return end - i
		}
	}
	return 0
}

// begins reports whether a phrase stands at start.
func (p phrases) begins(folded []rune, start, end int) bool {
	_, ok := p.at(folded, start, end)
	return ok
}

// whole reports whether w is a phrase.
func (p phrases) whole(w []rune) bool {
	e, ok := p.at(w, 0, len(w))
	return ok && e == len(w)
}
