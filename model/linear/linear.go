// Package linear is a multinomial logistic model over hashed features: small,
// quick to load and without dependencies. It predicts and, for the training
// command, learns.
package linear

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// ErrModel says that the bytes of a model are not what Decode expects.
var ErrModel = errors.New("bad linear model")

const (
	magic   = "SLM1"
	maxBits = 22
)

// Model maps hashed features to class probabilities. It is safe for concurrent
// use once it is built.
type Model struct {
	bits        uint
	classes     int
	bias        []float32
	scale       []float32 // per class: weight = quantised * scale
	weights     []int8    // [feature][class]
	temperature float32
}

// Classes is the number of classes.
func (m *Model) Classes() int { return m.classes }

// Predict writes the probability of each class to out, which has Classes entries,
// for a set of features (hashes; only the low bits count). Order and repetition of
// features do not matter. It allocates nothing.
func (m *Model) Predict(features []uint32, out []float64) {
	norm := 1.0
	if n := len(features); n > 0 {
		norm = 1 / math.Sqrt(float64(n))
	}
	mask := uint32(1)<<m.bits - 1
	for c := range out {
		out[c] = 0
	}
	for _, f := range features {
		row := m.weights[int(f&mask)*m.classes:]
		for c := range m.classes {
			out[c] += float64(row[c])
		}
	}
	top := math.Inf(-1)
	for c := range m.classes {
		out[c] = (out[c]*float64(m.scale[c])*norm + float64(m.bias[c])) / float64(m.temperature)
		top = math.Max(top, out[c])
	}
	sum := 0.0
	for c := range m.classes {
		out[c] = math.Exp(out[c] - top)
		sum += out[c]
	}
	for c := range m.classes {
		out[c] /= sum
	}
}

// Encode returns the bytes that Decode reads.
func (m *Model) Encode() []byte {
	b := append([]byte(magic), byte(m.bits), byte(m.classes))
	put := func(f float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f)) }
	put(m.temperature)
	for c := range m.classes {
		put(m.bias[c])
		put(m.scale[c])
	}
	for _, w := range m.weights {
		b = append(b, byte(w))
	}
	return b
}

// Decode reads a model; errors are ErrModel.
func Decode(b []byte) (*Model, error) {
	if len(b) < len(magic)+6 || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no %s header", ErrModel, magic)
	}
	m := &Model{bits: uint(b[4]), classes: int(b[5])}
	b = b[6:]
	if m.bits == 0 || m.bits > maxBits || m.classes < 2 {
		return nil, fmt.Errorf("%w: %d bits, %d classes", ErrModel, m.bits, m.classes)
	}
	want := 4 + 8*m.classes + m.classes<<m.bits
	if len(b) != want {
		return nil, fmt.Errorf("%w: %d bytes, want %d", ErrModel, len(b), want)
	}
	next := func() float32 {
		f := math.Float32frombits(binary.LittleEndian.Uint32(b))
		b = b[4:]
		return f
	}
	m.temperature = next()
	for range m.classes {
		m.bias = append(m.bias, next())
		m.scale = append(m.scale, next())
	}
	finite := m.temperature > 0 && !math.IsInf(float64(m.temperature), 0)
	for c := range m.classes {
		sum := float64(m.bias[c]) + float64(m.scale[c])
		finite = finite && !math.IsNaN(sum) && !math.IsInf(sum, 0)
	}
	if !finite {
		return nil, fmt.Errorf("%w: a number that is not finite", ErrModel)
	}
	m.weights = make([]int8, len(b))
	for i, w := range b {
		m.weights[i] = int8(w)
	}
	return m, nil
}

// Example is one labelled set of features.
type Example struct {
	Features []uint32
	Class    int
	Weight   float64 // 1 counts once
}

// Training says how to learn.
type Training struct {
	Bits    uint    // 2^Bits rows
	Classes int     // number of classes
	Epochs  int     // passes over the examples
	Rate    float64 // first step size of AdaGrad
	Decay   float64 // L2 weight decay per step on the rows in use
	Seed    uint64
}

// Train learns a model by AdaGrad; the same examples and settings give the same
// model.
func Train(t Training, examples []Example) (*Model, error) {
	if t.Bits == 0 || t.Bits > maxBits || t.Classes < 2 || t.Classes > 255 {
		return nil, fmt.Errorf("train: %d bits, %d classes", t.Bits, t.Classes)
	}
	rows := 1 << t.Bits
	w := make([]float64, rows*t.Classes)
	g := make([]float64, rows*t.Classes)
	bias, gb := make([]float64, t.Classes), make([]float64, t.Classes)
	mask := uint32(rows - 1)
	rng := rand.New(rand.NewPCG(t.Seed, 7))
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	p := make([]float64, t.Classes)
	for range t.Epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, at := range order {
			e := examples[at]
			norm := 1.0
			if n := len(e.Features); n > 0 {
				norm = 1 / math.Sqrt(float64(n))
			}
			copy(p, bias)
			for _, f := range e.Features {
				row := w[int(f&mask)*t.Classes:]
				for c := range t.Classes {
					p[c] += row[c] * norm
				}
			}
			softmax(p)
			p[e.Class]--
			for c := range t.Classes {
				d := p[c] * e.Weight
				gb[c] += d * d
				bias[c] -= t.Rate * d / (1e-6 + math.Sqrt(gb[c]))
			}
			for _, f := range e.Features {
				at := int(f&mask) * t.Classes
				for c := range t.Classes {
					d := p[c]*e.Weight*norm + t.Decay*w[at+c]
					g[at+c] += d * d
					w[at+c] -= t.Rate * d / (1e-6 + math.Sqrt(g[at+c]))
				}
			}
		}
	}
	m := &Model{bits: t.Bits, classes: t.Classes, temperature: 1, weights: make([]int8, len(w))}
	for c := range t.Classes {
		top := 0.0
		for r := range rows {
			top = math.Max(top, math.Abs(w[r*t.Classes+c]))
		}
		scale := top / 127
		if scale == 0 {
			scale = 1
		}
		m.scale = append(m.scale, float32(scale))
		m.bias = append(m.bias, float32(bias[c]))
		for r := range rows {
			m.weights[r*t.Classes+c] = int8(math.Round(w[r*t.Classes+c] / scale))
		}
	}
	return m, nil
}

// Calibrate sets the temperature that gives the examples the lowest mean negative
// log-likelihood, and returns that.
func (m *Model) Calibrate(examples []Example) float64 {
	best, bestT := math.Inf(1), float32(1)
	out := make([]float64, m.classes)
	for t := 0.3; t <= 4; t *= 1.05 {
		m.temperature = float32(t)
		loss := 0.0
		for _, e := range examples {
			m.Predict(e.Features, out)
			loss -= math.Log(math.Max(out[e.Class], 1e-9))
		}
		if loss < best {
			best, bestT = loss, m.temperature
		}
	}
	m.temperature = bestT
	return best / float64(max(1, len(examples)))
}

func softmax(p []float64) {
	top := math.Inf(-1)
	for _, v := range p {
		top = math.Max(top, v)
	}
	sum := 0.0
	for i, v := range p {
		p[i] = math.Exp(v - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
}
