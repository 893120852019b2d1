// Package reader runs a small bilingual transformer, in Chinese and English: it reads
// a question or a claim against a passage, and embeds texts.
//
// The encoder is multilingual-e5-small (12 layers, 384 wide) with int8 weights and
// exact integer products; package models/reader holds the files. One Base, with the
// word table and the lowest layers, serves both the trained Model and the Embedder.
//
// All functions are safe for concurrent use. They use as many processors as there
// are, stop between two layers when their context ends, and keep what they write in
// a pool.
package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"suffice.dev/suffice/model/embed"
	files "suffice.dev/suffice/models/reader"
	"suffice.dev/suffice/text"
)

// ErrHead says that the model was not trained for what it is asked.
var ErrHead = errors.New("reader model without this head")

// The heads.
const (
	headHolds = "holds"
	headClaim = "claim"
	headSpan  = "span"
)

// Prefixes of what is read, as in training.
const (
	prefixQuery   = "query: "
	prefixClaim   = "claim: "
	prefixPassage = "passage: "
)

// longestAnswer is how many pieces behind its first one an answer may end.
const longestAnswer = 40

// hanShare is the share of Han letters in a passage above which its calibration is
// the Chinese one.
const hanShare = 0.2

// linear is a head: out rows over what it reads.
type linear struct {
	weights []float32
	bias    []float32
}

// apply writes the logits for x.
func (l *linear) apply(dst []float64, x []float32) {
	for o := range l.bias {
		sum := float64(l.bias[o])
		for i, w := range l.weights[o*len(x) : (o+1)*len(x)] {
			sum += float64(w) * float64(x[i])
		}
		dst[o] = sum
	}
}

// calibration is the numbers of one head in one language.
type calibration struct {
	A    float64         `json:"a"`
	B    json.RawMessage `json:"b"`
	T    float64         `json:"t"`
	None float64         `json:"none"`

	shift [3]float64 // B
}

// Model reads questions and claims against passages.
type Model struct {
	*encoder
	file  *file
	heads map[string]*linear
	tuned map[string][2]calibration // by head: English, Chinese
}

// Judgment is what a passage says of a claim: three probabilities with sum 1.
type Judgment struct{ Supported, Contradicted, NotStated float64 }

// Reading is what a passage has for a question.
type Reading struct {
	Holds  float64 // probability that the passage holds what the question asks, 0..1
	Answer Answer
}

// Answer is the stretch of a passage that best answers a question, in code points.
type Answer struct {
	Start, End  int     // End is behind the last one; both 0 where there is none
	Probability float64 // that it is there, 0..1
}

var base = sync.OnceValues(func() (*Base, error) {
	tokens, err := embed.Static()
	if err != nil {
		return nil, err
	}
	return NewBase("base.bin", files.Base, tokens)
})

var model = sync.OnceValues(func() (*Model, error) {
	b, err := base()
	if err != nil {
		return nil, err
	}
	return New("reader.bin", files.Reader, b)
})

// BuiltIn returns the trained model that is compiled into the binary, read on the
// first call.
func BuiltIn() (*Model, error) { return model() }

// BuiltInBase returns the base that is compiled into the binary, read on the first call.
func BuiltInBase() (*Base, error) { return base() }

// Hash is the base's SHA-256, as the files that belong to it name it.
func (b *Base) Hash() string { return b.file.hash }

// Kernels names the loops that this processor runs: avx512-vnni, avx2 or portable.
func Kernels() string { return fastest().name }

// New reads the text of a trained model for the base; name is what errors call it.
func New(name, data string, b *Base) (*Model, error) {
	f, err := parse(name, kindReader, data)
	if err != nil {
		return nil, err
	}
	e, err := b.encoder(name, f)
	if err != nil {
		return nil, err
	}
	m := &Model{encoder: e, file: f, heads: map[string]*linear{}, tuned: map[string][2]calibration{}}
	w := f.Window
	if room := w.Tokens - marks - w.Question; w.Question <= 0 || w.Overlap < 0 || w.Tokens > b.file.Config.Positions || room < w.Overlap+leastWindow {
		return nil, fmt.Errorf("%w %s: windows of %d tokens with questions of %d and an overlap of %d; at most %d tokens, of them %d for the passage beyond the overlap",
			ErrFile, name, w.Tokens, w.Question, w.Overlap, b.file.Config.Positions, leastWindow)
	}
	for head, h := range f.Heads {
		width, ok := map[string]int{"first+mean": 2 * b.width, "token": b.width}[h.In]
		out := map[string]int{headHolds: 1, headClaim: 3, headSpan: 2}[head]
		if !ok || h.Out != out || (head == headSpan) != (h.In == "token") {
			return nil, fmt.Errorf("%w %s: head %s over %q with %d outputs is unknown", ErrFile, name, head, h.In, h.Out)
		}
		l := &linear{}
		if l.weights, err = f.floats("head."+head+".w", out, width); err != nil {
			return nil, err
		}
		if l.bias, err = f.floats("head."+head+".b", out); err != nil {
			return nil, err
		}
		m.heads[head] = l
		if m.tuned[head], err = f.calibration(head); err != nil {
			return nil, fmt.Errorf("%w %s: calibration of %s: %w", ErrFile, name, head, err)
		}
	}
	return m, nil
}

// leastWindow is how many pieces of a passage a window must add at least.
const leastWindow = 32

// calibration reads the numbers of a head; without any, logits are taken as they are.
func (f *file) calibration(head string) (out [2]calibration, err error) {
	for i, language := range []string{"en", "zh"} {
		c := &out[i]
		c.A, c.T = 1, 1
		raw, ok := f.Calibration[head][language]
		if !ok {
			continue
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(raw, &fields); err != nil {
			return out, err
		}
		for name, value := range fields {
			var err error
			switch {
			case name == "a":
				err = json.Unmarshal(value, &c.A)
			case name == "t":
				err = json.Unmarshal(value, &c.T)
			case name == "none":
				err = json.Unmarshal(value, &c.None)
			case name == "b" && head == headClaim:
				err = json.Unmarshal(value, &c.shift)
			case name == "b":
				err = json.Unmarshal(value, &c.shift[0])
			}
			if err != nil {
				return out, fmt.Errorf("%s.%s: %w", language, name, err)
			}
		}
		if c.T <= 0 || c.A <= 0 {
			return out, fmt.Errorf("%s: a = %v, t = %v must be above 0", language, c.A, c.T)
		}
	}
	return out, nil
}

// Name is the model's name, Hash tells two apart: 16 hexadecimal digits.
func (m *Model) Name() string { return m.file.Name }

// Hash tells two models apart: 16 hexadecimal digits of the file's SHA-256.
func (m *Model) Hash() string { return m.file.hash[:16] }

// Layers is the number of the encoder's layers.
func (m *Model) Layers() int { return len(m.layers) }

func (m *Model) head(name string) (*linear, error) {
	h := m.heads[name]
	if h == nil {
		return nil, fmt.Errorf("%w: %s of %s", ErrHead, name, m.file.Name)
	}
	return h, nil
}

// Holds returns, for each passage, the probability that it holds what the question
// asks. A long passage counts as its best window; a blank one, and any for a blank
// question, is 0. The error is ctx's, or ErrHead.
func (m *Model) Holds(ctx context.Context, question string, passages []string) ([]float64, error) {
	h, err := m.head(headHolds)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(passages))
	err = m.read(ctx, prefixQuery, question, passages, func(i int, s *scene) {
		out[i] = max(out[i], m.holds(h, s))
	})
	if err != nil {
		return nil, fmt.Errorf("reading for a question: %w", err)
	}
	return out, nil
}

func (m *Model) holds(h *linear, s *scene) float64 {
	var logit [1]float64
	h.apply(logit[:], s.pooled)
	c := m.tuned[headHolds][s.language]
	return sigmoid(c.A*logit[0] + c.shift[0])
}

// Read returns, for each passage, what Holds says and the best answer in it, in one
// pass. Without a head for answers they are empty.
func (m *Model) Read(ctx context.Context, question string, passages []string) ([]Reading, error) {
	h, err := m.head(headHolds)
	if err != nil {
		return nil, err
	}
	span := m.heads[headSpan]
	out := make([]Reading, len(passages))
	err = m.read(ctx, prefixQuery, question, passages, func(i int, s *scene) {
		r := &out[i]
		r.Holds = max(r.Holds, m.holds(h, s))
		if span == nil {
			return
		}
		if a := m.answer(span, s); a.Probability > r.Answer.Probability {
			r.Answer = a
		}
	})
	if err != nil {
		return nil, fmt.Errorf("reading for a question: %w", err)
	}
	return out, nil
}

// Span returns the best answer to the question in the passage. The error is ctx's, or
// ErrHead.
func (m *Model) Span(ctx context.Context, question, passage string) (Answer, error) {
	h, err := m.head(headSpan)
	if err != nil {
		return Answer{}, err
	}
	var best Answer
	err = m.read(ctx, prefixQuery, question, []string{passage}, func(_ int, s *scene) {
		if a := m.answer(h, s); a.Probability > best.Probability {
			best = a
		}
	})
	if err != nil {
		return Answer{}, fmt.Errorf("reading for an answer: %w", err)
	}
	return best, nil
}

// answer is the best pair of a start and an end, against the first mark, which stands
// for no answer.
func (m *Model) answer(h *linear, s *scene) Answer {
	width := m.width
	rows := len(s.hidden) / width
	logits := s.logits(2 * rows)
	for r := range rows {
		h.apply(logits[2*r:2*r+2], s.hidden[r*width:][:width])
	}
	best := math.Inf(-1)
	var out Answer
	for i, from := range s.places {
		if from.end == from.start {
			continue
		}
		for j := i; j < min(i+longestAnswer+1, rows); j++ {
			to := s.places[j]
			if sum := logits[2*i] + logits[2*j+1]; to.end > to.start && sum > best {
				best, out.Start, out.End = sum, int(from.start), int(to.end)
			}
		}
	}
	if math.IsInf(best, -1) {
		return Answer{}
	}
	c := m.tuned[headSpan][s.language]
	out.Probability = sigmoid((best - logits[0] - logits[1] - c.None) / c.T)
	return out
}

// Claim returns what each passage says of the claim. A long passage counts as the
// window that is most certain to support or to contradict; a blank passage, and any
// for a blank claim, states nothing. The error is ctx's, or ErrHead.
func (m *Model) Claim(ctx context.Context, claim string, passages []string) ([]Judgment, error) {
	h, err := m.head(headClaim)
	if err != nil {
		return nil, err
	}
	out := make([]Judgment, len(passages))
	for i := range out {
		out[i].NotStated = 1
	}
	err = m.read(ctx, prefixClaim, claim, passages, func(i int, s *scene) {
		var logits [3]float64
		h.apply(logits[:], s.pooled)
		c := m.tuned[headClaim][s.language]
		peak := math.Inf(-1)
		for k := range logits {
			logits[k] = c.A*logits[k]/c.T + c.shift[k]
			peak = max(peak, logits[k])
		}
		sum := 0.0
		for k := range logits {
			logits[k] = math.Exp(logits[k] - peak)
			sum += logits[k]
		}
		j := Judgment{logits[0] / sum, logits[1] / sum, logits[2] / sum}
		if max(j.Supported, j.Contradicted) > max(out[i].Supported, out[i].Contradicted) {
			out[i] = j
		}
	})
	if err != nil {
		return nil, fmt.Errorf("reading for a claim: %w", err)
	}
	return out, nil
}

// scene is what a head sees of one window.
type scene struct {
	hidden   []float32 // tokens × width
	places   []place
	pooled   []float32 // the first token and the mean
	language int       // 0 English, 1 Chinese
	w        *workspace
}

// logits returns room for n numbers.
func (s *scene) logits(n int) []float64 {
	s.w.logits = grown(s.w.logits, n)
	return s.w.logits
}

// marks is how many marks a pair has: one begins it, two stand between, one ends it.
const marks = 4

// read runs the encoder over the question with each window of each passage, and calls
// see for each, in the order of the passages.
func (m *Model) read(ctx context.Context, prefix, question string, passages []string, see func(passage int, s *scene)) error {
	if strings.TrimSpace(question) == "" {
		return ctx.Err()
	}
	w := m.take()
	defer m.give(w)
	w.pieces = m.tokens.AppendPieces(w.pieces[:0], prefix+question)
	w.question = w.question[:0]
	for _, p := range w.pieces[:min(len(w.pieces), m.file.Window.Question)] {
		w.question = append(w.question, p.ID)
	}
	w.owners = w.owners[:0]
	flush := func() error {
		if err := m.forward(ctx, w); err != nil {
			return err
		}
		w.pooled = grown(w.pooled, 2*m.width)
		for i, q := range w.sequences {
			owner := w.owners[i]
			s := scene{hidden: w.x[q.start*m.width : q.end*m.width], places: w.places[q.start:q.end], pooled: w.pooled, w: w}
			if chinese(passages[owner]) {
				s.language = 1
			}
			copy(s.pooled, s.hidden[:m.width])
			mean(s.pooled[m.width:], s.hidden)
			see(owner, &s)
		}
		w.reset()
		w.owners = w.owners[:0]
		return nil
	}
	for i, passage := range passages {
		if strings.TrimSpace(passage) == "" {
			continue
		}
		w.pieces = m.tokens.AppendPieces(w.pieces[:0], prefixPassage+passage)
		head := 0
		for head < len(w.pieces) && int(w.pieces[head].Start) < len(prefixPassage)-1 {
			head++
		}
		body := w.pieces[head:]
		room := m.file.Window.Tokens - marks - len(w.question) - head
		for at := 0; ; at += room - m.file.Window.Overlap {
			last := at+room >= len(body)
			if last {
				at = max(0, len(body)-room) // the last window is as long as the others
			}
			window := body[at:min(at+room, len(body))]
			if n := len(window) + head + len(w.question) + marks; len(w.ids)+n > groupTokens && len(w.ids) > 0 {
				if err := flush(); err != nil {
					return err
				}
			}
			m.lay(w, head, window)
			w.owners = append(w.owners, i)
			if last {
				break
			}
		}
	}
	if len(w.ids) == 0 {
		return ctx.Err()
	}
	return flush()
}

// lay appends one pair: the question, and a window of the passage behind its prefix.
func (m *Model) lay(w *workspace, head int, window []embed.Piece) {
	w.ids = append(w.ids, m.begin)
	w.ids = append(w.ids, w.question...)
	w.ids = append(w.ids, m.finish, m.finish)
	for _, p := range w.pieces[:head] {
		w.ids = append(w.ids, p.ID)
	}
	for len(w.places) < len(w.ids) {
		w.places = append(w.places, place{})
	}
	const before = int32(len(prefixPassage))
	for _, p := range window {
		w.ids = append(w.ids, p.ID)
		w.places = append(w.places, place{max(0, p.Start-before), max(0, p.End-before)})
	}
	w.ids = append(w.ids, m.finish)
	w.places = append(w.places, place{})
	w.add()
}

// mean writes the mean of the rows.
func mean(dst, rows []float32) {
	clear(dst)
	for at := 0; at < len(rows); at += len(dst) {
		row := rows[at : at+len(dst)]
		for i := range dst {
			dst[i] += row[i]
		}
	}
	f := float32(len(dst)) / float32(len(rows))
	for i := range dst {
		dst[i] *= f
	}
}

func chinese(s string) bool {
	han, all := 0, 0
	for _, r := range s {
		all++
		if text.IsHan(r) {
			han++
		}
	}
	return float64(han) > hanShare*float64(all)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
