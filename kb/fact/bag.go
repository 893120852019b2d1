package fact

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/text"
)

// key stands for a word, a pair of Han characters or a concept of the dictionary in
// bags and indexes: a hash of 64 bits, so that words of different pages compare as
// integers without a common table. Two words of one key are as likely as a fault of
// the memory: of a million different words, one chance in thirty million.
type key uint64

// hashStart is where FNV-1a starts.
const hashStart = 14695981039346656037

// wordKey is the key of a folded word (FNV-1a).
func wordKey(s string) key {
	h := uint64(hashStart)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return mixed(h)
}

// pairKey is wordKey of two code points.
func pairKey(a, b rune) key {
	h := runeHash(runeHash(hashStart, a), b)
	return mixed(h)
}

// runesKey is wordKey of a folded word as runes.
func runesKey(runes []rune) key {
	h := uint64(hashStart)
	for _, r := range runes {
		h = runeHash(h, r)
	}
	return mixed(h)
}

// runeHash goes on with FNV-1a over the UTF-8 form of r.
func runeHash(h uint64, r rune) uint64 {
	if r < utf8.RuneSelf {
		return (h ^ uint64(r)) * 1099511628211
	}
	var buf [4]byte
	for _, b := range utf8.AppendRune(buf[:0], r) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return h
}

// conceptKey is the key of an entry of the dictionary; 0 for none.
func conceptKey(id int32) key {
	if id == 0 {
		return 0
	}
	return mixed(uint64(uint32(id)) ^ 0x9e3779b97f4a7c15)
}

// mixed spreads a hash over all bits; a key is never 0, which marks a free place.
func mixed(h uint64) key {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	if h == 0 {
		h = 1
	}
	return key(h)
}

// bag is what a fact carries: its anchor terms, their character pairs and their
// concepts, with the weight of their origin. It is a hash table with open places.
type bag struct {
	keys    []key // a power of two; 0 = free
	weights []float32
	n       int

	han, latin int // terms of each script
}

func newBag(terms int) *bag {
	b := &bag{}
	b.grow(1 << bits.Len(uint(terms+terms/2+2)))
	return b
}

func (b *bag) grow(size int) {
	keys, weights := b.keys, b.weights
	b.keys, b.weights = make([]key, size), make([]float32, size)
	for i, k := range keys {
		if k != 0 {
			at := b.find(k)
			b.keys[at], b.weights[at] = k, weights[i]
		}
	}
}

// find is the place of a key, or the free one where it would stand.
func (b *bag) find(k key) int {
	mask := len(b.keys) - 1
	for i := int(k) & mask; ; i = (i + 1) & mask {
		if b.keys[i] == k || b.keys[i] == 0 {
			return i
		}
	}
}

// weight is the weight of a key, 0 when the bag has not got it.
func (b *bag) weight(k key) float32 { return b.weights[b.find(k)] }

// put raises the weight of a key.
func (b *bag) put(k key, weight float32) {
	i := b.find(k)
	if weight <= b.weights[i] {
		return
	}
	if b.keys[i] == 0 {
		if b.n++; 4*b.n > 3*len(b.keys) {
			b.grow(2 * len(b.keys))
			i = b.find(k)
		}
		b.keys[i] = k
	}
	b.weights[i] = weight
}

// word is the weight of a folded word or pair of characters.
func (b *bag) word(s string) float32 { return b.weight(wordKey(s)) }

// has reports whether a term is in the bag, by its word or its concept.
func (b *bag) has(word string, synset int32) bool {
	return b.word(word) > 0 || synset != 0 && b.weight(conceptKey(synset)) > 0
}

// add puts a term in with a weight; the greatest weight of a term counts. A longer
// Han term also brings its character pairs, so that 退票手续费 covers 手续费.
func (b *bag) add(word string, synset int32, weight float32) {
	switch first := firstRune(word); {
	case text.IsHan(first):
		b.han++
	case unicode.IsLetter(first):
		b.latin++
	}
	b.put(wordKey(word), weight)
	if synset != 0 {
		b.put(conceptKey(synset), weight)
	}
	if len(word) > 6 && text.IsHan(firstRune(word)) {
		prev := rune(0)
		for _, r := range word {
			if prev != 0 && text.IsHan(prev) && text.IsHan(r) {
				b.put(pairKey(prev, r), weight)
			}
			prev = r
		}
	}
}

// addTerms puts anchor terms in, at the weight of their origin times scale.
func (b *bag) addTerms(terms []Term, scale float32) {
	for i := range terms {
		t := &terms[i]
		b.add(t.Text, t.Synset, scale*originWeight(t.Origin))
	}
}

// addWording puts the terms of a wording in.
func (b *bag) addWording(w *wording, weight float32) {
	for i := range w.terms {
		b.add(w.terms[i].Text, w.terms[i].Concept, weight)
	}
}

// addBag puts all of another bag in.
func (b *bag) addBag(o *bag) {
	b.han, b.latin = b.han+o.han, b.latin+o.latin
	for i, k := range o.keys {
		if k != 0 {
			b.put(k, o.weights[i])
		}
	}
}

func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}
