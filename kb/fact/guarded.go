package fact

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// guardedPattern is a pattern that looks at a text only where the text has a literal without
// which the pattern matches nothing. Most sentences have none, and one pass for the literals
// costs a twentieth of what the pattern costs.
type guardedPattern struct {
	*regexp.Regexp
	guard func() *literals // nil = none: the pattern is always tried
}

// guarded compiles a pattern, whose literals are found when it is first asked.
func guarded(expr string) *guardedPattern {
	return &guardedPattern{Regexp: regexp.MustCompile(expr), guard: sync.OnceValue(func() *literals {
		tree, err := syntax.Parse(expr, syntax.Perl)
		if err != nil {
			return nil
		}
		words, ok := requiredBy(tree)
		if !ok {
			return nil
		}
		return newLiterals(words)
	})}
}

func (g *guardedPattern) may(s string) bool {
	words := g.guard()
	return words == nil || words.in(s)
}

// The methods of regexp.Regexp that are called on folded text.

func (g *guardedPattern) MatchString(s string) bool { return g.may(s) && g.Regexp.MatchString(s) }

func (g *guardedPattern) FindString(s string) string {
	if !g.may(s) {
		return ""
	}
	return g.Regexp.FindString(s)
}

func (g *guardedPattern) FindStringIndex(s string) []int {
	if !g.may(s) {
		return nil
	}
	return g.Regexp.FindStringIndex(s)
}

func (g *guardedPattern) FindAllStringIndex(s string, n int) [][]int {
	if !g.may(s) {
		return nil
	}
	return g.Regexp.FindAllStringIndex(s, n)
}

func (g *guardedPattern) FindAllString(s string, n int) []string {
	if !g.may(s) {
		return nil
	}
	return g.Regexp.FindAllString(s, n)
}

func (g *guardedPattern) FindStringSubmatch(s string) []string {
	if !g.may(s) {
		return nil
	}
	return g.Regexp.FindStringSubmatch(s)
}

func (g *guardedPattern) FindStringSubmatchIndex(s string) []int {
	if !g.may(s) {
		return nil
	}
	return g.Regexp.FindStringSubmatchIndex(s)
}

func (g *guardedPattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !g.may(s) {
		return nil
	}
	return g.Regexp.FindAllStringSubmatch(s, n)
}

func (g *guardedPattern) ReplaceAllString(s, by string) string {
	if !g.may(s) {
		return s
	}
	return g.Regexp.ReplaceAllString(s, by)
}

// Limits of the literals of a pattern.
const (
	mostLiterals = 200
	widestClass  = 16 // characters of a class that are taken one by one
)

// requiredBy lists literals of which every match of a pattern holds one; false where it may
// match without any, or where they are shorter than two bytes.
func requiredBy(r *syntax.Regexp) ([]string, bool) {
	switch r.Op {
	case syntax.OpLiteral:
		if s := string(r.Rune); r.Flags&syntax.FoldCase == 0 && len(s) > 1 {
			return []string{s}, true
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredBy(r.Sub[0])
	case syntax.OpRepeat:
		if r.Min > 0 {
			return requiredBy(r.Sub[0])
		}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i+1 < len(r.Rune); i += 2 {
			for c := r.Rune[i]; c <= r.Rune[i+1]; c++ {
				if out = append(out, string(c)); len(out) > widestClass || len(string(c)) < 2 {
					return nil, false
				}
			}
		}
		return out, len(out) > 0
	case syntax.OpAlternate:
		var out []string
		for _, sub := range r.Sub {
			words, ok := requiredBy(sub)
			if out = append(out, words...); !ok || len(out) > mostLiterals {
				return nil, false
			}
		}
		return out, true
	case syntax.OpConcat:
		var best []string
		for _, sub := range r.Sub {
			words, ok := requiredBy(sub)
			if !ok {
				continue
			}
			if best == nil || shortest(words) > shortest(best) || shortest(words) == shortest(best) && len(words) < len(best) {
				best = words
			}
		}
		return best, best != nil
	}
	return nil, false
}

// shortest is the least length of some words in bytes.
func shortest(words []string) int {
	least := len(words[0])
	for _, w := range words {
		least = min(least, len(w))
	}
	return least
}

// literals finds whether a text has one of some words of at least two bytes.
type literals struct {
	first [64]uint64          // by the first two bytes of a word, see bitOf
	words map[uint16][]string // by the same
}

// bitOf spreads two bytes over the bits of literals.first.
func bitOf(k uint16) (word, bit uint16) {
	k *= 0x9e37
	return k >> 10, k >> 4 & 63
}

func newLiterals(words []string) *literals {
	out := &literals{words: map[uint16][]string{}}
	for _, w := range words {
		k := uint16(w[0])<<8 | uint16(w[1])
		word, bit := bitOf(k)
		out.first[word] |= 1 << bit
		if !slices.Contains(out.words[k], w) {
			out.words[k] = append(out.words[k], w)
		}
	}
	return out
}

func (l *literals) in(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		k := uint16(s[i])<<8 | uint16(s[i+1])
		if word, bit := bitOf(k); l.first[word]&(1<<bit) == 0 {
			continue
		}
		for _, w := range l.words[k] {
			if strings.HasPrefix(s[i:], w) {
				return true
			}
		}
	}
	return false
}
