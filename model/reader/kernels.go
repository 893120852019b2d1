package reader

import "math"

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

var portable = kernels{
	name: "portable",
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
