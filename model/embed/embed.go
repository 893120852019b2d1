// Package embed turns Chinese and English text into vectors with the static
// embedding that is compiled into the binary: a sum of token vectors, 256
// dimensions, a few microseconds a question.
package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"

	"suffice.dev/suffice/models/embed/static"
	"suffice.dev/suffice/text"
)

// Model is a static embedding. It is safe for concurrent use.
type Model struct {
	name   string
	hash   string
	dims   int
	tok    *tokenizer
	scales []float32
	rows   string // rows × dims int8
	cache  *lru.Cache[string, []float32]
}

// cached is how many short texts Similarity keeps the vectors of (about 1 KB each).
const cached = 2048

var load = sync.OnceValues(func() (*Model, error) {
	return New("static-e5-zh-en", static.Table, static.Vocab, static.Norm)
})

// Static returns the built-in model, read on the first call (about 35 ms).
func Static() (*Model, error) { return load() }

// New reads a model from the text of its three files; package static says in which
// form they are.
func New(name, table, vocab, norm string) (*Model, error) {
	const head = 12
	if len(table) < head || table[:4] != "SEMB" {
		return nil, fmt.Errorf("embedding %s: not a token table", name)
	}
	rows := int(binary.LittleEndian.Uint32([]byte(table[4:8])))
	dims := int(binary.LittleEndian.Uint32([]byte(table[8:12])))
	if dims <= 0 || rows <= 0 || len(table) != head+4*rows+rows*dims {
		return nil, fmt.Errorf("embedding %s: %d rows × %d dims do not fit %d bytes", name, rows, dims, len(table))
	}
	tok, err := newTokenizer(vocab, norm)
	if err != nil {
		return nil, fmt.Errorf("embedding %s: %w", name, err)
	}
	if len(tok.scores) != rows {
		return nil, fmt.Errorf("embedding %s: %d pieces for %d rows", name, len(tok.scores), rows)
	}
	m := &Model{name: name, dims: dims, tok: tok, scales: make([]float32, rows), rows: table[head+4*rows:]}
	for i := range m.scales {
		at := head + 4*i
		bits := uint32(table[at]) | uint32(table[at+1])<<8 | uint32(table[at+2])<<16 | uint32(table[at+3])<<24
		m.scales[i] = math.Float32frombits(bits)
	}
	m.hash = fingerprint(name, table, vocab, norm)
	if m.cache, err = lru.New[string, []float32](cached); err != nil {
		return nil, fmt.Errorf("embedding %s: %w", name, err)
	}
	return m, nil
}

// fingerprint samples the table, so that loading stays fast: its head with all
// scales, which change with any other training, and the lengths of the files.
func fingerprint(name, table, vocab, norm string) string {
	h := sha256.New()
	head := min(len(table), 1<<18)
	fmt.Fprintf(h, "%s %d %d %d\n", name, len(table), len(vocab), len(norm))
	h.Write([]byte(table[:head]))
	h.Write([]byte(table[len(table)-min(len(table), 1<<12):]))
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Name is the model's name.
func (m *Model) Name() string { return m.name }

// Hash tells two models apart; vectors of models with different hashes are not
// comparable. 16 hexadecimal digits.
func (m *Model) Hash() string { return m.hash }

// Dims is the length of every vector.
func (m *Model) Dims() int { return m.dims }

// Tokens returns the token ids of the text; 0 is an unknown stretch.
func (m *Model) Tokens(s string) []int32 { return m.tok.tokenize(s) }

// Piece is one token of a text: its id, 0 for an unknown stretch, and the code
// points of the text it stands for, without the space in front of it; a space alone
// has none.
type Piece struct {
	ID         int32
	Start, End int32
}

// AppendPieces appends the tokens of the text with their places to dst; the ids are
// those of Tokens. Pieces may share a code point that normalising splits in several.
func (m *Model) AppendPieces(dst []Piece, s string) []Piece { return m.tok.appendPieces(dst, s) }

// Pieces is the number of pieces in the vocabulary; ids are below it.
func (m *Model) Pieces() int { return len(m.tok.scores) }

// Embed returns the vector of the text, of length 1. A blank text and one
// without any known token give the zero vector.
func (m *Model) Embed(s string) []float32 {
	v := make([]float32, m.dims)
	if strings.TrimSpace(s) == "" {
		return v // the tokenizer would see one space
	}
	for _, id := range m.tok.tokenize(s) {
		if id == 0 {
			continue
		}
		scale := m.scales[id]
		row := m.rows[int(id)*m.dims : (int(id)+1)*m.dims][:len(v)] // no bounds checks below
		for i := range v {
			v[i] += float32(int8(row[i])) * scale
		}
	}
	Normalize(v)
	return v
}

// Normalize scales v to length 1 in place; a vector of zeros stays.
func Normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	f := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= f
	}
}

// Window sizes in code points: a static sum blurs beyond them.
const (
	windowHan   = 160
	windowOther = 360
)

// Windows returns the vectors of the text's windows: runs of whole sentences of at
// most 160 code points where Chinese prevails, else 360. A short text has one
// window, an empty one none. The similarity of a passage is that of its best window.
func (m *Model) Windows(s string) [][]float32 {
	spans := Split(s)
	runes := []rune(s)
	out := make([][]float32, 0, len(spans))
	for _, span := range spans {
		out = append(out, m.Embed(string(runes[span.Start:span.End])))
	}
	return out
}

// Split returns the spans of the windows of a text, in order, without overlap.
func Split(s string) []text.Span { return SplitWithin(s, windowHan, windowOther) }

// SplitWithin is Split with windows of other sizes, in code points: where Chinese
// prevails, and elsewhere.
func SplitWithin(s string, han, other int) []text.Span {
	runes := []rune(s)
	limit := other
	chinese := 0
	for _, r := range runes {
		if text.IsHan(r) {
			chinese++
		}
	}
	if chinese*5 > len(runes) {
		limit = han
	}
	sentences := text.Sentences(runes)
	if len(sentences) == 0 {
		return nil
	}
	if whole := (text.Span{Start: sentences[0].Start, End: sentences[len(sentences)-1].End}); whole.Len() <= limit {
		return []text.Span{whole}
	}
	var out []text.Span
	var cur text.Span
	flush := func() {
		if !cur.Empty() {
			out = append(out, cur)
		}
		cur = text.Span{}
	}
	for _, sentence := range sentences {
		if !cur.Empty() && sentence.End-cur.Start > limit {
			flush()
		}
		for sentence.Len() > limit {
			out = append(out, text.Span{Start: sentence.Start, End: sentence.Start + limit})
			sentence.Start += limit
		}
		if cur.Empty() {
			cur = sentence
			continue
		}
		cur.End = sentence.End
	}
	flush()
	return out
}

// Cosine is the scalar product of two vectors of length 1; 0 if their dimensions
// differ.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return float64(s0 + s1 + s2 + s3)
}

// Similarity is the cosine of two short texts (-1..1), 1 for equal ones. Vectors
// of recent texts are kept.
func (m *Model) Similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	return Cosine(m.recent(a), m.recent(b))
}

// longest is the longest text in bytes whose vector is kept.
const longest = 512

func (m *Model) recent(s string) []float32 {
	if len(s) > longest {
		return m.Embed(s)
	}
	if v, ok := m.cache.Get(s); ok {
		return v
	}
	v := m.Embed(s)
	m.cache.Add(s, v)
	return v
}
