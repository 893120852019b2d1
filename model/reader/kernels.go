package reader

import (
	"math"
	"slices"
	"sync"
)

// lanes is the number of outputs of one panel of a matrix.
const lanes = 16

// Activations are rounded to whole numbers in -levels..levels, weights have at most
// weightLevels, or fourBits × the most steps of their blocks. levels × weight × inputs
// stays below 2³¹, so that sums are exact. docs/measurements.md, "Reader", compares
// levels to int8.
const (
	activationLevels = 8191 // with weights of 8 bits, up to 1,536 inputs
	narrowSteps      = 511  // with 4 bits, up to 384 inputs
	narrowLevels     = 1368
	wideSteps        = 255 // with 4 bits, up to 1,536 inputs
	wideLevels       = 685
	narrowInputs     = 384
	fourBits         = 8
)

// weightLevels is the largest absolute value of a weight.
const weightLevels = 127

// least is the peak of a row below which the row counts as zeros: its scale would
// overflow.
const least = 1e-30

// kernels are the loops in which the time goes. Integer results of all sets are
// equal; floats differ by rounding: within 1e-5 of the largest value of a row.
//
// Lengths of rows are multiples of 16, numbers of rows of panel multiples of 4.
type kernels struct {
	name string
	// expand widens the weights of a panel.
	expand func(dst []int16, src []int8)
	// expandBlocks does so for weights in blocks of 32 inputs, and multiplies them by
	// the block's steps: for each block lanes times the step, twice.
	expandBlocks func(dst []int16, src []int8, steps []int16)
	// panel multiplies rows of activations (in values each) by one panel of weights:
	// out[r*stride+j] = Σ_i a[r*in+i]·w(i, j) · rowScales[r] · colScales[j] + bias[j].
	// w holds, for each pair of inputs, lanes times the two weights.
	panel func(out []float32, stride int, a []int16, in, rows int, w []int16, rowScales, colScales, bias []float32)
	// matmul is c = a·b in float32: m × k times k × n, n a multiple of 16.
	matmul func(c []float32, cStride int, a []float32, aStride int, b []float32, bStride, m, n, k int)
	// softmax replaces a row by the shares of e^(scale·x).
	softmax func(row []float32, scale float32)
	// gelu is x·Φ(x) with the error function, in place.
	gelu func(x []float32)
	// quantize rounds a row to -levels..levels and returns the scale.
	quantize func(dst []int16, src []float32, levels float32) float32
	// addNorm is the layer norm of x + y, into x.
	addNorm func(x, y, w, b []float32, eps float32)
}

// fastest is the best kernel set that this processor runs and that passes a check when it
// is first asked for: integers equal to the portable ones' on fixed data.
func fastest() *kernels {
	k, _ := chosen()
	return k
}

var chosen = sync.OnceValues(func() (k *kernels, refused []string) { return choose(available()) })

func choose(sets []*kernels) (k *kernels, refused []string) {
	for _, k := range sets {
		if k.agrees() {
			return k, refused
		}
		refused = append(refused, k.name)
	}
	return &portable, refused
}

// Refused names the kernel sets that this processor says it runs, but that failed the
// check against the portable ones: it is damaged, or emulated with a fault.
func Refused() []string {
	_, refused := chosen()
	return slices.Clone(refused)
}

// agrees reports whether the integers of k are the portable ones', on data of all signs and
// of the largest sums there can be; some 3 ms.
func (k *kernels) agrees() bool {
	state := uint64(1)
	next := func(n int) int { // the constants are Knuth's MMIX
		state = state*6364136223846793005 + 1442695040888963407
		return int(state >> 33 % uint64(n))
	}
	for _, in := range []int{2 * blockWidth, mostFFN} {
		const rows = 12 // once eight and four more
		src, steps := make([]int8, in*lanes), make([]int16, in/blockWidth*2*lanes)
		a := make([]int16, rows*in)
		for i := range a {
			a[i] = int16(next(2*activationLevels+1) - activationLevels)
		}
		for i := range in {
			a[i], a[in+i] = activationLevels, -activationLevels
		}
		for i := range steps {
			steps[i] = int16(next(2*narrowSteps+1) - narrowSteps)
		}
		got, want := make([]int16, len(src)), make([]int16, len(src))
		for i := range src {
			src[i] = int8(next(2*fourBits) - fourBits)
		}
		k.expandBlocks(got, src, steps)
		portable.expandBlocks(want, src, steps)
		if !slices.Equal(got, want) {
			return false
		}
		for i := range src {
			src[i] = int8(next(2*weightLevels+1) - weightLevels)
			if i%(2*lanes) < 2 { // the first output
				src[i] = weightLevels
			}
		}
		k.expand(got, src)
		portable.expand(want, src)
		if !slices.Equal(got, want) {
			return false
		}
		ones, zeros := make([]float32, lanes), make([]float32, lanes)
		for i := range ones {
			ones[i] = 1
		}
		sums, right := make([]float32, rows*lanes), make([]float32, rows*lanes)
		k.panel(sums, lanes, a, in, rows, want, ones, ones, zeros)
		portable.panel(right, lanes, a, in, rows, want, ones, ones, zeros)
		if !slices.Equal(sums, right) {
			return false
		}
	}
	return true
}

// Portable is the name of the kernels that every processor runs, some 40 times slower than
// those for one.
const Portable = "portable"

var portable = kernels{
	name: Portable,
	expand: func(dst []int16, src []int8) {
		dst = dst[:len(src)]
		for i, x := range src {
			dst[i] = int16(x)
		}
	},
	expandBlocks: func(dst []int16, src []int8, steps []int16) {
		dst = dst[:len(src)]
		for i, x := range src {
			dst[i] = int16(x) * steps[i/(blockWidth*lanes)*2*lanes+i%(2*lanes)]
		}
	},
	panel: func(out []float32, stride int, a []int16, in, rows int, w []int16, rowScales, colScales, bias []float32) {
		w = w[:in*lanes]
		for r := range rows {
			row := a[r*in : (r+1)*in]
			o := out[r*stride:][:lanes]
			for j := 0; j < lanes; j += 4 { // four sums stay in registers
				var s0, s1, s2, s3 int32
				for i, at := 0, 2*j; i+1 < len(row); i, at = i+2, at+2*lanes {
					x, y := int32(row[i]), int32(row[i+1])
					q := w[at : at+8 : at+8]
					s0 += x*int32(q[0]) + y*int32(q[1])
					s1 += x*int32(q[2]) + y*int32(q[3])
					s2 += x*int32(q[4]) + y*int32(q[5])
					s3 += x*int32(q[6]) + y*int32(q[7])
				}
				for k, s := range [4]int32{s0, s1, s2, s3} {
					o[j+k] = float32(s)*rowScales[r]*colScales[j+k] + bias[j+k]
				}
			}
		}
	},
	matmul: func(c []float32, cStride int, a []float32, aStride int, b []float32, bStride, m, n, k int) {
		for r := range m {
			out := c[r*cStride:][:n]
			clear(out)
			for i, x := range a[r*aStride:][:k] {
				from := b[i*bStride:][:n]
				for j := range out {
					out[j] += x * from[j]
				}
			}
		}
	},
	softmax: func(row []float32, scale float32) {
		peak := row[0]
		for _, x := range row {
			peak = max(peak, x)
		}
		sum := float32(0)
		for i, x := range row {
			row[i] = float32(math.Exp(float64((x - peak) * scale)))
			sum += row[i]
		}
		for i := range row {
			row[i] /= sum
		}
	},
	gelu: func(x []float32) {
		for i, v := range x {
			x[i] = float32(0.5 * float64(v) * (1 + math.Erf(float64(v)*math.Sqrt2/2)))
		}
	},
	quantize: func(dst []int16, src []float32, levels float32) float32 {
		dst = dst[:len(src)]
		peak := float32(0)
		for _, x := range src {
			peak = max(peak, x, -x)
		}
		if peak <= least {
			clear(dst)
			return 0
		}
		f := levels / peak
		for i, x := range src {
			dst[i] = int16(math.RoundToEven(float64(x * f)))
		}
		return peak / levels
	},
	addNorm: func(x, y, w, b []float32, eps float32) {
		sum := float32(0)
		for i := range x {
			x[i] += y[i]
			sum += x[i]
		}
		mean := sum / float32(len(x))
		sum = 0
		for i := range x {
			x[i] -= mean
			sum += x[i] * x[i]
		}
		f := 1 / float32(math.Sqrt(float64(sum/float32(len(x))+eps)))
		for i := range x {
			x[i] = x[i]*f*w[i] + b[i]
		}
	},
}
