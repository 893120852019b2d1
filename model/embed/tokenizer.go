package embed

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// tokenizer is the XLM-R unigram tokenizer over a cut vocabulary: normalise,
// collapse spaces, Viterbi over the whole string.
type tokenizer struct {
	pieces  trie
	scores  []float64
	norm    map[rune]string
	mapped  [1 << 13]uint64 // bit set of the runes below 2^19 that norm has
	unknown float64
	scratch sync.Pool // *workspace
}

// spaceMark stands for a space inside pieces.
const spaceMark = "▁"

// unknownPenalty is what an unknown character costs below the rarest piece.
const unknownPenalty = 10

func newTokenizer(vocab, norm string) (*tokenizer, error) {
	t := &tokenizer{norm: make(map[rune]string, 5000), pieces: newTrie(len(vocab))}
	rows := strings.Count(vocab, "\n") + 1
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
		t.pieces.add(piece, int32(len(t.scores)))
		t.scores = append(t.scores, score)
		lowest = min(lowest, score)
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
		if code < 64*uint64(len(t.mapped)) {
			t.mapped[code/64] |= 1 << (code % 64)
		}
	}
	return t, nil
}

// changes reports whether normalising maps the rune.
func (t *tokenizer) changes(r rune) bool {
	if int(r) < 64*len(t.mapped) {
		return t.mapped[r/64]&(1<<(uint(r)%64)) != 0
	}
	_, ok := t.norm[r]
	return ok
}

// workspace is what one tokenisation writes: the normalised text, for each of its
// bytes the code point of the source it comes from, and the best paths.
type workspace struct {
	text []byte
	from []int32
	best []node
}

// normalise maps the code points of s, collapses runs of spaces, puts one in front
// and marks spaces, into w.text. With places it fills w.from as well.
func (t *tokenizer) normalise(s string, w *workspace, places bool) {
	out, from := w.text[:0], w.from[:0]
	space := false // the last byte was a space
	place := int32(0)
	write := func(to string) {
		for i := 0; i < len(to); i++ {
			switch {
			case to[i] != ' ':
				if len(out) == 0 {
					out = append(out, spaceMark...)
				}
				out = append(out, to[i])
				space = false
			case !space:
				out = append(out, spaceMark...)
				space = true
			}
		}
		for places && len(from) < len(out) {
			from = append(from, place)
		}
	}
	for i := 0; i < len(s); place++ {
		if c := s[i]; c >= 'a' && c <= 'z' && len(out) > 0 {
			out = append(out, c)
			if places {
				from = append(from, place)
			}
			space = false
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case t.changes(r):
			write(t.norm[r])
		case r == utf8.RuneError && n == 1:
			write(string(utf8.RuneError))
		default:
			write(s[i : i+n])
		}
		i += n
	}
	if len(out) == 0 {
		write(" ")
	}
	w.text, w.from = out, from
}

// node is the best way to reach a byte offset.
type node struct {
	score float64
	start int32 // -1: not reached
	id    int32
}

// workspace takes one from the pool, or makes it; it goes back with t.scratch.Put.
func (t *tokenizer) workspace() *workspace {
	if w, ok := t.scratch.Get().(*workspace); ok {
		return w
	}
	return new(workspace)
}

// tokenize returns the token ids in order; 0 is unknown, and consecutive unknown
// characters are one token. Invalid UTF-8 counts as U+FFFD.
func (t *tokenizer) tokenize(s string) []int32 {
	w := t.workspace()
	defer t.scratch.Put(w)
	t.normalise(s, w, false)
	t.search(w)
	var ids []int32
	for at := len(w.text); at > 0; at = int(w.best[at].start) {
		id := w.best[at].id
		if id == 0 && len(ids) > 0 && ids[len(ids)-1] == 0 {
			continue
		}
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	return ids
}

// appendPieces appends the tokens of s with their places to dst.
func (t *tokenizer) appendPieces(dst []Piece, s string) []Piece {
	w := t.workspace()
	defer t.scratch.Put(w)
	t.normalise(s, w, true)
	t.search(w)
	first := len(dst)
	for at := len(w.text); at > 0; {
		n := w.best[at]
		start := int(n.start)
		p := Piece{ID: n.id, Start: w.from[start], End: w.from[at-1] + 1}
		if string(w.text[start:start+min(len(spaceMark), at-start)]) == spaceMark {
			if start += len(spaceMark); start < at {
				p.Start = w.from[start]
			} else {
				p.End = p.Start
			}
		}
		at = int(n.start)
		if last := len(dst) - 1; p.ID == 0 && last >= first && dst[last].ID == 0 {
			dst[last].Start = p.Start
			continue
		}
		dst = append(dst, p)
	}
	slices.Reverse(dst[first:])
	return dst
}

// search fills w.best for w.text.
func (t *tokenizer) search(w *workspace) {
	in := w.text
	if cap(w.best) < len(in)+1 {
		w.best = make([]node, len(in)+1, len(in)+len(in)/4+1)
	}
	best := w.best[:len(in)+1]
	for i := range best {
		best[i] = node{start: -1}
	}
	for i := 0; i < len(in); {
		_, size := utf8.DecodeRune(in[i:])
		here := best[i].score
		single := false
		at := int32(0)
		for end := i; end < len(in); {
			at = t.pieces.next(at, in[end])
			if at < 0 {
				break
			}
			end++
			id := t.pieces.id[at]
			if id < 0 {
				continue
			}
			if end-i == size {
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
	w.best = best
}

// trie finds the pieces that begin at a place, byte by byte. Its edges lie in one
// hash table with open addressing: no pointers, few cache lines.
type trie struct {
	edges []edge
	shift uint
	id    []int32 // by node: the piece that ends there, -1 = none
}

// edge leads from a node over a byte; its node is 0 where there is no edge.
type edge struct{ key, node uint32 }

// newTrie makes room for a vocabulary of so many bytes; more is made when needed.
func newTrie(size int) trie {
	bits := uint(10)
	for 1<<bits < size/8 { // most bytes of a vocabulary are shared beginnings, or scores
		bits++
	}
	return trie{edges: make([]edge, 1<<bits), shift: 32 - bits, id: []int32{-1}}
}

func (t *trie) slot(key uint32) uint32 { return key * 0x9E3779B1 >> t.shift }

// next is the node that a byte leads to, -1 = none.
func (t *trie) next(from int32, b byte) int32 {
	key := uint32(from)<<8 | uint32(b)
	for i := t.slot(key); ; i = (i + 1) & uint32(len(t.edges)-1) {
		switch e := &t.edges[i]; {
		case e.node == 0:
			return -1
		case e.key == key:
			return int32(e.node)
		}
	}
}

// add puts a piece in; of equal ones the last counts.
func (t *trie) add(piece string, id int32) {
	at := int32(0)
	for i := 0; i < len(piece); i++ {
		to := t.next(at, piece[i])
		if to < 0 {
			if 2*len(t.id) >= len(t.edges) {
				t.grow()
			}
			to = int32(len(t.id))
			t.id = append(t.id, -1)
			t.put(uint32(at)<<8|uint32(piece[i]), uint32(to))
		}
		at = to
	}
	t.id[at] = id
}

func (t *trie) put(key, node uint32) {
	i := t.slot(key)
	for t.edges[i].node != 0 {
		i = (i + 1) & uint32(len(t.edges)-1)
	}
	t.edges[i] = edge{key, node}
}

func (t *trie) grow() {
	old := t.edges
	t.edges = make([]edge, 2*len(old))
	t.shift--
	for _, e := range old {
		if e.node != 0 {
			t.put(e.key, e.node)
		}
	}
}
