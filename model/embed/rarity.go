package embed

import "math"

// Bounds of Rarity, in natural logarithms of the tokenizer's probabilities: the
// most frequent content words lie near the first, names in several pieces beyond
// the second.
const (
	commonWord = 7.5
	rareWord   = 20.0
)

// Rarity says how rare a word is in the language, 0 (everyday) to 1, by the
// probability that the tokenizer gives its pieces. An empty word is 1.
func (m *Model) Rarity(word string) float64 {
	mark, marked := m.tok.piece(spaceMark)
	sum := 0.0
	for i, id := range m.tok.tokenize(word) {
		switch {
		case id == 0:
			sum -= m.tok.unknown
		case i == 0 && marked && id == mark: // every word begins with one
		default:
			sum -= m.tok.scores[id]
		}
	}
	return math.Min(1, math.Max(0, (sum-commonWord)/(rareWord-commonWord)))
}

// piece is the id of a piece of the vocabulary.
func (t *tokenizer) piece(s string) (int32, bool) {
	at := int32(0)
	for i := range len(s) {
		if at = t.pieces.next(at, s[i]); at < 0 {
			return 0, false
		}
	}
	id := t.pieces.id[at]
	return id, id >= 0
}
