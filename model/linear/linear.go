// Package linear is a multinomial logistic model over hashed features and, beside
// them, a vector of numbers: small, quick to load and without dependencies. It
// predicts and, for the training command, learns.
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
	magic    = "SLM2"
	maxBits  = 22
	maxDense = 1 << 14
)

// Model maps hashed features to class probabilities. It is safe for concurrent
// use once it is built.
type Model struct {
	bits        uint
	classes     int
	bias        []float32
	scale       []float32 // per class: weight = quantised * scale
	weights     []int8    // [feature][class]
	dense       []float32 // [number][class]
	temperature float32
}

// Input is what is read: a set of features and a vector of Dense numbers.
type Input struct {
	Features []uint32  // hashes; only the low bits count, order does not
	Dense    []float32 // as long as the model's Dense, or nil for zeros
}

// Classes is the number of classes.
func (m *Model) Classes() int { return m.classes }

// Dense is the number of numbers beside the features.
func (m *Model) Dense() int { return len(m.dense) / m.classes }

// Predict writes the probability of each class to out, which has Classes entries.
// It allocates nothing.
func (m *Model) Predict(in Input, out []float64) {
	norm := 1.0
	if n := len(in.Features); n > 0 {
		norm = 1 / math.Sqrt(float64(n))
	}
	mask := uint32(1)<<m.bits - 1
	for c := range out {
		out[c] = 0
	}
	for _, f := range in.Features {
		row := m.weights[int(f&mask)*m.classes:]
		for c := range m.classes {
			out[c] += float64(row[c])
		}
	}
	for c := range m.classes {
		out[c] = out[c]*float64(m.scale[c])*norm + float64(m.bias[c])
	}
	for i, x := range in.Dense[:min(len(in.Dense), m.Dense())] {
		row := m.dense[i*m.classes:][:m.classes]
		for c, w := range row {
			out[c] += float64(w * x)
		}
	}
	out = out[:m.classes]
	for c := range out {
		out[c] /= float64(m.temperature)
	}
	softmax(out)
}

// Lead says what puts class c before class d: how much each feature of in, in their
// order, and the numbers beside them add to the log-odds of c against d. The difference
// of the two biases is in neither.
func (m *Model) Lead(in Input, c, d int) (features []float64, numbers float64) {
	norm := 1 / float64(m.temperature)
	for i, x := range in.Dense[:min(len(in.Dense), m.Dense())] {
		row := m.dense[i*m.classes:][:m.classes]
		numbers += float64((row[c]-row[d])*x) * norm
	}
	if n := len(in.Features); n > 0 {
		norm /= math.Sqrt(float64(n))
	}
	mask := uint32(1)<<m.bits - 1
	features = make([]float64, len(in.Features))
	for i, f := range in.Features {
		row := m.weights[int(f&mask)*m.classes:]
		features[i] = (float64(row[c])*float64(m.scale[c]) - float64(row[d])*float64(m.scale[d])) * norm
	}
	return features, numbers
}

// Encode returns the bytes that Decode reads.
func (m *Model) Encode() []byte {
	b := append([]byte(magic), byte(m.bits), byte(m.classes))
	b = binary.LittleEndian.AppendUint16(b, uint16(m.Dense()))
	put := func(f float32) { b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f)) }
	put(m.temperature)
	for c := range m.classes {
		put(m.bias[c])
		put(m.scale[c])
	}
	for _, w := range m.dense {
		put(w)
	}
	for _, w := range m.weights {
		b = append(b, byte(w))
	}
	return b
}

// Decode reads a model; errors are ErrModel.
func Decode(b []byte) (*Model, error) {
	if len(b) < len(magic)+8 || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: no %s header", ErrModel, magic)
	}
	m := &Model{bits: uint(b[4]), classes: int(b[5])}
	dense := int(binary.LittleEndian.Uint16(b[6:]))
	b = b[8:]
	if m.bits == 0 || m.bits > maxBits || m.classes < 2 || dense > maxDense {
		return nil, fmt.Errorf("%w: %d bits, %d classes, %d numbers", ErrModel, m.bits, m.classes, dense)
	}
	want := 4 + 8*m.classes + 4*dense*m.classes + m.classes<<m.bits
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
	m.dense = make([]float32, dense*m.classes)
	for i := range m.dense {
		m.dense[i] = next()
		finite = finite && !math.IsNaN(float64(m.dense[i])) && !math.IsInf(float64(m.dense[i]), 0)
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

// Example is one labelled input.
type Example struct {
	Input
	Class  int
	Weight float64 // 1 counts once
}

// Training says how to learn.
type Training struct {
	Bits    uint    // 2^Bits rows
	Classes int     // number of classes
	Dense   int     // numbers beside the features
	Epochs  int     // passes over the examples
	Rate    float64 // first step size of AdaGrad
	Decay   float64 // L2 weight decay per step on the rows in use
	Seed    uint64
}

// Train learns a model by AdaGrad; the same examples and settings give the same
// model.
func Train(t Training, examples []Example) (*Model, error) {
	if t.Bits == 0 || t.Bits > maxBits || t.Classes < 2 || t.Classes > 255 || t.Dense < 0 || t.Dense > maxDense {
		return nil, fmt.Errorf("train: %d bits, %d classes, %d numbers", t.Bits, t.Classes, t.Dense)
	}
	for i, e := range examples {
		if e.Dense != nil && len(e.Dense) != t.Dense {
			return nil, fmt.Errorf("train: example %d has %d numbers, want %d", i, len(e.Dense), t.Dense)
		}
	}
	rows := 1 << t.Bits
	w := make([]float64, rows*t.Classes)
	g := make([]float64, rows*t.Classes)
	d, gd := make([]float64, t.Dense*t.Classes), make([]float64, t.Dense*t.Classes)
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
			for i, x := range e.Dense {
				for c := range t.Classes {
					p[c] += d[i*t.Classes+c] * float64(x)
				}
			}
			softmax(p)
			p[e.Class]--
			step := func(w, sum *float64, slope float64) {
				*sum += slope * slope
				*w -= t.Rate * slope / (1e-6 + math.Sqrt(*sum))
			}
			for c := range t.Classes {
				step(&bias[c], &gb[c], p[c]*e.Weight)
			}
			for _, f := range e.Features {
				at := int(f&mask) * t.Classes
				for c := range t.Classes {
					step(&w[at+c], &g[at+c], p[c]*e.Weight*norm+t.Decay*w[at+c])
				}
			}
			for i, x := range e.Dense {
				for c := range t.Classes {
					at := i*t.Classes + c
					step(&d[at], &gd[at], p[c]*e.Weight*float64(x)+t.Decay*d[at])
				}
			}
		}
	}
	m := &Model{bits: t.Bits, classes: t.Classes, temperature: 1, weights: make([]int8, len(w)), dense: make([]float32, len(d))}
	for i, x := range d {
		m.dense[i] = float32(x)
	}
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
			m.Predict(e.Input, out)
			loss -= math.Log(math.Max(out[e.Class], 1e-9))
		}
		if loss < best {
			best, bestT = loss, m.temperature
		}
	}
	m.temperature = bestT
	return best / float64(max(1, len(examples)))
}

// softmax turns log-odds into probabilities, in place.
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
