package text

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Trie finds the longest of a fixed set of phrases at a position of a folded text.
// Phrases of Latin letters match whole words only; a typographic apostrophe matches
// a plain one and any run of spaces a single one.
type Trie struct {
	edges []trieEdge // a hash table with open places, a power of two
	class []int16    // by node; 0 = no phrase ends here
	first [1 << 11]uint64
	lone  [1 << 11]uint64 // by first rune: a phrase is no longer than it
	pairs [1 << 8]uint64  // by the hash of the first two runes
}

// trieEdge leads from a node with a rune to another node; to 0 = a free place.
type trieEdge struct {
	key uint64 // node and rune
	to  int32
}

// place is where an edge stands, or would.
func place(edges []trieEdge, key uint64) int {
	mask := len(edges) - 1
	h := key * 0x9e3779b97f4a7c15
	for i := int(h>>32) & mask; ; i = (i + 1) & mask {
		if edges[i].key == key || edges[i].to == 0 {
			return i
		}
	}
}

// NewTrie builds a trie. Keys are phrases separated by '|'; each gets the class it
// is listed under, which must not be 0. A phrase listed twice keeps the last class.
func NewTrie(phrases map[int16]string) *Trie {
	t := &Trie{class: make([]int16, 1)}
	next := map[uint64]int32{}
	classes := make([]int, 0, len(phrases))
	for c := range phrases {
		classes = append(classes, int(c))
	}
	sortInts(classes)
	for _, c := range classes {
		for _, p := range strings.Split(phrases[int16(c)], "|") {
			t.insert(next, strings.TrimSpace(p), int16(c))
		}
	}
	t.edges = make([]trieEdge, 2<<bits.Len(uint(len(next))))
	for key, to := range next {
		t.edges[place(t.edges, key)] = trieEdge{key, to}
	}
	return t
}

func sortInts(a []int) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
		}
	}
}

func (t *Trie) insert(next map[uint64]int32, phrase string, class int16) {
	if phrase == "" {
		return
	}
	node := int32(0)
	lead := rune(-1)
	for i, r := range phrase {
		switch {
		case i == 0:
			h := uint32(r) & 0x1ffff
			t.first[h>>6] |= 1 << (h & 63)
			if utf8.RuneLen(r) == len(phrase) {
				t.lone[h>>6] |= 1 << (h & 63)
			}
			lead = r
		case lead >= 0:
			h := pairPlace(lead, r)
			t.pairs[h>>6] |= 1 << (h & 63)
			lead = -1
		}
		key := uint64(node)<<32 | uint64(uint32(r))
		n, ok := next[key]
		if !ok {
			n = int32(len(t.class))
			t.class = append(t.class, 0)
			next[key] = n
		}
		node = n
	}
	t.class[node] = class
}

// pairPlace is the place of two runes among the pairs.
func pairPlace(a, b rune) uint32 { return (uint32(a)*0x9e3779b1 ^ uint32(b)*0x85ebca6b) >> 18 }

// plain is a rune as phrases have it.
func plain(r rune) rune {
	switch r {
	case '’':
		return '\''
	case '\n', '\t':
		return ' '
	}
	return r
}

// Longest returns the end and the class of the longest phrase that starts at i.
func (t *Trie) Longest(folded []rune, i int) (end int, class int16, ok bool) {
	return t.longest(folded, i)
}

func (t *Trie) longest(f []rune, i int) (end int, class int16, ok bool) {
	h := uint32(f[i]) & 0x1ffff
	if t.first[h>>6]&(1<<(h&63)) == 0 {
		return 0, 0, false
	}
	if t.lone[h>>6]&(1<<(h&63)) == 0 {
		if i+1 == len(f) {
			return 0, 0, false
		}
		if h := pairPlace(plain(f[i]), plain(f[i+1])); t.pairs[h>>6]&(1<<(h&63)) == 0 {
			return 0, 0, false
		}
	}
	node := int32(0)
	for j := i; j < len(f); j++ {
		r := plain(f[j])
		key := uint64(node)<<32 | uint64(uint32(r))
		if node = t.edges[place(t.edges, key)].to; node == 0 {
			break
		}
		if c := t.class[node]; c != 0 && (IsHan(f[j]) || j+1 == len(f) || !isWordRune(f[j+1]) || IsHan(f[j+1])) {
			end, class, ok = j+1, c, true
		}
		if r == ' ' {
			for j+1 < len(f) && (f[j+1] == ' ' || f[j+1] == '\n' || f[j+1] == '\t') {
				j++
			}
		}
	}
	return end, class, ok
}
