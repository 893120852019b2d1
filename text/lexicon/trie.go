package lexicon

import (
	"slices"

	"suffice.dev/suffice/text"
)

// lemmaMark starts the keys of inflected forms, so that "us" never meets the
// shortened form of another word.
const lemmaMark = '\x01'

// trie is a flat prefix tree. Node 0 is the root; the edges of a node are the
// run edges[first:first+count], in the order of their runes.
type trie struct {
	nodes []node
	edges []edge
}

type node struct {
	first  int32
	count  int32
	synset int32 // -1: no term ends here
}

type edge struct {
	r  rune
	to int32
}

type key struct {
	runes  []rune
	synset int32
}

// build makes the trie of all terms, as written and by lemma. Of two terms with
// one lemma key the one written like the key wins, then the earlier one.
func build(synsets []synset) trie {
	keys := make([]key, 0, 8*len(synsets))
	lemmas := make(map[string]int, 4*len(synsets))
	for s, set := range synsets {
		for _, term := range set.terms {
			runes := []rune(term)
			for i, r := range runes {
				if r == '-' {
					runes[i] = ' '
				}
			}
			keys = append(keys, key{runes, int32(s)})
			if text.IsHan(runes[0]) {
				continue
			}
			lk := lemmaKey(runes)
			name := string(lk)
			own := name[1:] == term
			if at, ok := lemmas[name]; ok {
				if own {
					keys[at].synset = int32(s)
				}
				continue
			}
			lemmas[name] = len(keys)
			keys = append(keys, key{lk, int32(s)})
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := slices.Compare(a.runes, b.runes); c != 0 {
			return c
		}
		return int(a.synset - b.synset)
	})
	t := trie{nodes: make([]node, 0, 8*len(keys)), edges: make([]edge, 0, 8*len(keys))}
	t.add(keys, 0)
	return t
}

// add makes the node for keys that share their first depth runes.
func (t *trie) add(keys []key, depth int) int32 {
	id := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{synset: -1})
	for len(keys) > 0 && len(keys[0].runes) == depth {
		if t.nodes[id].synset < 0 {
			t.nodes[id].synset = keys[0].synset
		}
		keys = keys[1:]
	}
	starts := make([]int, 0, 8)
	for i := range keys {
		if i == 0 || keys[i].runes[depth] != keys[i-1].runes[depth] {
			starts = append(starts, i)
		}
	}
	first := int32(len(t.edges))
	t.nodes[id].first, t.nodes[id].count = first, int32(len(starts))
	for _, s := range starts {
		t.edges = append(t.edges, edge{r: keys[s].runes[depth]})
	}
	for i, s := range starts {
		end := len(keys)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		t.edges[first+int32(i)].to = t.add(keys[s:end], depth+1)
	}
	return id
}

// step follows the edge r from n; -1 if there is none.
func (t *trie) step(n int32, r rune) int32 {
	if n < 0 {
		return -1
	}
	lo, hi := t.nodes[n].first, t.nodes[n].first+t.nodes[n].count
	end := hi
	for lo < hi {
		mid := (lo + hi) / 2
		if t.edges[mid].r < r {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < end && t.edges[lo].r == r {
		return t.edges[lo].to
	}
	return -1
}

// longest walks from folded[at] and returns the end and synset of the longest
// term; synset -1 if none. With lemma it walks the inflected forms.
func (t *trie) longest(folded []rune, at int, lemma bool) (end int, synset int32) {
	n, i := int32(0), at
	end, synset = at, -1
	if lemma {
		n = t.step(n, lemmaMark)
	}
	var buf [maxTermRunes]rune
	for n >= 0 && i < len(folded) {
		r := folded[i]
		switch {
		case text.IsHan(r):
			n = t.step(n, r)
			i++
		case text.IsWord(r):
			e := i
			for e < len(folded) && text.IsWord(folded[e]) {
				e++
			}
			word := folded[i:e]
			if lemma {
				// A lemma keeps the first two runes; look before doing the work.
				if len(word) > 1 && t.step(t.step(n, word[0]), word[1]) < 0 {
					return end, synset
				}
				if len(word) > len(buf) {
					return end, synset
				}
				word = lemmaOf(append(buf[:0], word...))
			}
			for _, w := range word {
				n = t.step(n, w)
			}
			i = e
		default:
			if r == '-' || r == '\u2010' || r == '\u2011' {
				r = ' '
			}
			n = t.step(n, r)
			i++
			continue
		}
		if n >= 0 && t.nodes[n].synset >= 0 {
			end, synset = i, t.nodes[n].synset
		}
	}
	return end, synset
}

// lemmaKey replaces each word of a term by its lemma.
func lemmaKey(term []rune) []rune {
	out := []rune{lemmaMark}
	for i := 0; i < len(term); {
		if text.IsHan(term[i]) || !text.IsWord(term[i]) {
			out = append(out, term[i])
			i++
			continue
		}
		e := i
		for e < len(term) && text.IsWord(term[e]) && !text.IsHan(term[e]) {
			e++
		}
		out = append(out, lemmaOf(append([]rune(nil), term[i:e]...))...)
		i = e
	}
	return out
}

// lemmaOf cuts plural and verb endings (s, es, ies, ed, ing), a final e and a
// doubled consonant. It leaves -er, -ment, -tion and the like: employer and
// employment are not one word. It works in place and keeps three letters.
func lemmaOf(w []rune) []rune {
	for _, r := range w {
		if r < 'a' || r > 'z' {
			return w
		}
	}
	n := len(w)
	ends := func(s string) bool {
		if n < len(s)+3 {
			return false
		}
		for i, r := range s {
			if w[n-len(s)+i] != r {
				return false
			}
		}
		return true
	}
	hasVowel := func(k int) bool {
		for _, r := range w[:k] {
			switch r {
			case 'a', 'e', 'i', 'o', 'u', 'y':
				return true
			}
		}
		return false
	}
	switch {
	case ends("ies"):
		w[n-3] = 'y'
		n -= 2
	case ends("sses"), ends("xes"), ends("ches"), ends("shes"), ends("zes"):
		n -= 2
	case ends("s") && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		n--
	}
	switch {
	case ends("ied"):
		w[n-3] = 'y'
		n -= 2
	case ends("ed") && w[n-3] != 'e' && hasVowel(n-2):
		n -= 2
	case ends("ing") && hasVowel(n-3):
		n -= 3
	}
	if n > 3 && w[n-1] == 'e' {
		n--
	}
	if n > 3 && w[n-1] == w[n-2] {
		switch w[n-1] {
		case 'a', 'e', 'i', 'o', 'u':
		default:
			n--
		}
	}
	return w[:n]
}
