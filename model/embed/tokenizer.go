package embed

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenizer is the XLM-R unigram tokenizer over a cut vocabulary: normalise,
// collapse spaces, Viterbi over the whole string.
type tokenizer struct {
	ids     map[string]int32
	scores  []float64
	norm    map[rune]string
	lengths map[rune][]int32 // byte lengths of the pieces that begin with the rune, ascending
	unknown float64
}

// spaceMark stands for a space inside pieces.
const spaceMark = "▁"

// unknownPenalty is what an unknown character costs below the rarest piece.
const unknownPenalty = 10

func newTokenizer(vocab, norm string) (*tokenizer, error) {
	t := &tokenizer{norm: make(map[rune]string, 5000), lengths: make(map[rune][]int32, 16000)}
	rows := strings.Count(vocab, "\n") + 1
	t.ids = make(map[string]int32, rows)
	t.scores = make([]float64, 0, rows)
	lowest := math.Inf(1)
	for len(vocab) > 0 {
		var line string
		line, vocab, _ = strings.Cut(vocab, "\n")
		piece, number, ok := strings.Cut(line, "\t")
		if !ok || piece == "" {
			return nil, fmt.Errorf("vocabulary line %d: no piece and score", len(t.scores)+1)
		}
		score, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return nil, fmt.Errorf("vocabulary line %d: %w", len(t.scores)+1, err)
		}
		t.ids[piece] = int32(len(t.scores))
		t.scores = append(t.scores, score)
		lowest = min(lowest, score)
		first, _ := utf8.DecodeRuneInString(piece)
		t.lengths[first] = insertLength(t.lengths[first], int32(len(piece)))
	}
	if len(t.scores) == 0 {
		return nil, fmt.Errorf("vocabulary is empty")
	}
	t.unknown = lowest - unknownPenalty
	for line := range strings.Lines(norm) {
		from, to, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		code, err := strconv.ParseUint(from, 16, 32)
		if err != nil {
			return nil, fmt.Errorf("normalisation table: %w", err)
		}
		var b strings.Builder
		for _, f := range strings.Fields(to) {
			r, err := strconv.ParseUint(f, 16, 32)
			if err != nil {
				return nil, fmt.Errorf("normalisation table: %w", err)
			}
			b.WriteRune(rune(r))
		}
		t.norm[rune(code)] = b.String()
	}
	return t, nil
}

// insertLength keeps the lengths of one first rune ascending and distinct.
func insertLength(lengths []int32, n int32) []int32 {
	i := len(lengths)
	for i > 0 && lengths[i-1] >= n {
		if lengths[i-1] == n {
			return lengths
		}
		i--
	}
	lengths = append(lengths, 0)
	copy(lengths[i+1:], lengths[i:])
	lengths[i] = n
	return lengths
}

// normalise maps the code points, collapses runs of spaces, puts one in front
// and marks spaces.
func (t *tokenizer) normalise(s string) string {
	var mapped strings.Builder
	mapped.Grow(len(s) + 8)
	for _, r := range s {
		if r >= 'a' && r <= 'z' {
			mapped.WriteByte(byte(r))
			continue
		}
		if to, ok := t.norm[r]; ok {
			mapped.WriteString(to)
			continue
		}
		mapped.WriteRune(r)
	}
	in := mapped.String()
	var out strings.Builder
	out.Grow(len(in) + len(in)/4 + len(spaceMark))
	if !strings.HasPrefix(in, " ") {
		out.WriteString(spaceMark)
	}
	space := false
	for i := 0; i < len(in); i++ {
		if in[i] != ' ' {
			out.WriteByte(in[i])
			space = false
			continue
		}
		if !space {
			out.WriteString(spaceMark)
		}
		space = true
	}
	return out.String()
}

// node is the best way to reach a byte offset.
type node struct {
	score float64
	start int32 // -1: not reached
	id    int32
}

// tokenize returns the token ids in order; 0 is unknown, and consecutive unknown
// characters are one token. Invalid UTF-8 counts as U+FFFD.
func (t *tokenizer) tokenize(s string) []int32 {
	in := t.normalise(s)
	best := make([]node, len(in)+1)
	for i := range best {
		best[i].start = -1
	}
	for i := 0; i < len(in); {
		r, size := utf8.DecodeRuneInString(in[i:])
		here := best[i].score
		single := false
		for _, n := range t.lengths[r] {
			end := i + int(n)
			if end > len(in) {
				break
			}
			id, ok := t.ids[in[i:end]]
			if !ok {
				continue
			}
			if int(n) == size {
				single = true
			}
			// Strictly greater wins, so that the earliest start wins a tie.
			if score := here + t.scores[id]; best[end].start < 0 || score > best[end].score {
				best[end] = node{score, int32(i), id}
			}
		}
		if !single {
			end := i + size
			if score := here + t.unknown; best[end].start < 0 || score > best[end].score {
				best[end] = node{score, int32(i), 0}
			}
		}
		i += size
	}
	var ids []int32
	for at := len(in); at > 0; at = int(best[at].start) {
		id := best[at].id
		if id == 0 && len(ids) > 0 && ids[len(ids)-1] == 0 {
			continue
		}
		ids = append(ids, id)
	}
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids
}
