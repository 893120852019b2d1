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
	roots []int32   // by rune below 0x10000: the node that it leads to from the first one; 0 = none
	heads [2]firsts // the first three letters of terms as written, and of their lemmas
}

// letters are those of the Latin alphabet.
const letters = 26

// firsts is a set of three letters, one bit each; the last word is not full.
type firsts [(letters*letters*letters + 63) / 64]uint64

// head is the place of the first three letters of a word; false where it begins otherwise.
func head(word []rune) (int, bool) {
	if len(word) < 3 {
		return 0, false
	}
	at := 0
	for _, r := range word[:3] {
		if r < 'a' || r > 'z' {
			return 0, false
		}
		at = at*letters + int(r-'a')
	}
	return at, true
}

// mark notes the first three letters below a node.
func (t *trie) mark(heads *firsts, n int32, at, depth int) {
	if depth == 3 {
		heads[at/64] |= 1 << (at % 64)
		return
	}
	for _, e := range t.edges[t.nodes[n].first : t.nodes[n].first+t.nodes[n].count] {
		if e.r >= 'a' && e.r <= 'z' {
			t.mark(heads, e.to, at*letters+int(e.r-'a'), depth+1)
		}
	}
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

// grown is a node while the trie is built: its children are a list, newest first.
type grown struct {
	r       rune
	synset  int32
	child   int32 // 0 = none
	sibling int32 // 0 = none
	fanout  int32
	own     bool // the key is a term as written, not the lemma of another spelling
}

type grower struct {
	nodes []grown
	roots map[uint64]int32 // children of nodes with many of them, by node and rune
}

// Above this many children a node is searched by the map.
const manyChildren = 16

// build makes the trie of all terms, as written and by lemma. Of two terms with
// one lemma key the one written like the key wins, then the earlier one.
func build(synsets []synset) trie {
	g := &grower{nodes: make([]grown, 1, 32*len(synsets)+1), roots: make(map[uint64]int32, 4096)}
	g.nodes[0].synset = -1
	var runes, lemma []rune
	for s, set := range synsets {
		for _, term := range set.terms {
			runes = runes[:0]
			for _, r := range term {
				if r == '-' {
					r = ' '
				}
				runes = append(runes, r)
			}
			g.insert(runes, int32(s), true)
			if text.IsHan(runes[0]) {
				continue
			}
			lemma = appendLemma(append(lemma[:0], lemmaMark), runes)
			g.insert(lemma, int32(s), slices.Equal(lemma[1:], runes))
		}
	}
	return g.flatten()
}

// insert puts a key in; a key that is there keeps its synset unless the new one is
// its own term and the old one is not.
func (g *grower) insert(key []rune, synset int32, own bool) {
	n := int32(0)
	for _, r := range key {
		c := g.find(n, r)
		if c == 0 {
			c = int32(len(g.nodes))
			parent := &g.nodes[n]
			parent.fanout++
			if parent.fanout == manyChildren {
				for k := parent.child; k != 0; k = g.nodes[k].sibling {
					g.roots[uint64(n)<<32|uint64(g.nodes[k].r)] = k
				}
			}
			if parent.fanout >= manyChildren {
				g.roots[uint64(n)<<32|uint64(r)] = c
			}
			sibling := parent.child
			parent.child = c
			g.nodes = append(g.nodes, grown{r: r, synset: -1, sibling: sibling})
		}
		n = c
	}
	if at := &g.nodes[n]; at.synset < 0 || own && !at.own {
		at.synset, at.own = synset, own
	}
}

// find returns the child r of n, 0 if there is none.
func (g *grower) find(n int32, r rune) int32 {
	if g.nodes[n].fanout >= manyChildren {
		return g.roots[uint64(n)<<32|uint64(r)]
	}
	for k := g.nodes[n].child; k != 0; k = g.nodes[k].sibling {
		if g.nodes[k].r == r {
			return k
		}
	}
	return 0
}

// flatten writes the nodes in the order of their numbers with sorted runs of edges.
func (g *grower) flatten() trie {
	t := trie{nodes: make([]node, len(g.nodes)), edges: make([]edge, 0, len(g.nodes))}
	for n := range g.nodes {
		first := len(t.edges)
		for k := g.nodes[n].child; k != 0; k = g.nodes[k].sibling {
			t.edges = append(t.edges, edge{g.nodes[k].r, k})
		}
		if len(t.edges)-first > 1 {
			slices.SortFunc(t.edges[first:], func(a, b edge) int { return int(a.r - b.r) })
		}
		t.nodes[n] = node{first: int32(first), count: int32(len(t.edges) - first), synset: g.nodes[n].synset}
	}
	t.roots = make([]int32, 1<<16)
	for _, e := range t.edges[t.nodes[0].first : t.nodes[0].first+t.nodes[0].count] {
		if e.r >= 0 && int(e.r) < len(t.roots) {
			t.roots[e.r] = e.to
		}
	}
	t.mark(&t.heads[0], 0, 0, 0)
	if lemmas := t.step(0, lemmaMark); lemmas > 0 {
		t.mark(&t.heads[1], lemmas, 0, 0)
	}
	return t
}

// step follows the edge r from n; -1 if there is none.
func (t *trie) step(n int32, r rune) int32 {
	switch {
	case n < 0:
		return -1
	case n == 0 && r >= 0 && int(r) < len(t.roots):
		if to := t.roots[r]; to != 0 {
			return to
		}
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
	kind := 0
	if lemma {
		n, kind = t.step(n, lemmaMark), 1
	}
	// A word of three letters and more begins like a term, and a lemma keeps three letters.
	if h, ok := head(folded[at:]); ok && t.heads[kind][h/64]&(1<<(h%64)) == 0 {
		return end, synset
	}
	var buf [maxTermRunes]rune
	for n >= 0 && i < len(folded) {
		r := folded[i]
		switch {
		case text.IsHan(r):
			n = t.step(n, r)
			i++
		case text.IsWord(r):
			if t.step(n, r) < 0 { // a lemma keeps its first rune too
				return end, synset
			}
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
				if n = t.step(n, w); n < 0 {
					return end, synset
				}
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

// lemmaKey is the key of a term in which each word is its lemma.
func lemmaKey(term []rune) []rune { return appendLemma([]rune{lemmaMark}, term) }

// appendLemma appends the term with each word replaced by its lemma.
func appendLemma(out, term []rune) []rune {
	for i := 0; i < len(term); {
		if text.IsHan(term[i]) || !text.IsWord(term[i]) {
			out = append(out, term[i])
			i++
			continue
		}
		e := i
		for e < len(term) && text.IsWord(term[e]) {
			e++
		}
		start := len(out)
		out = append(out, term[i:e]...)
		out = out[:start+len(lemmaOf(out[start:]))]
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
