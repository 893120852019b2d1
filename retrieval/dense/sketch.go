package dense

import (
	"math"
	"math/bits"
)

// The scan is bound by how fast rows come out of memory. So each row has a sketch of half
// its size, four bits a component, and only rows that their sketches leave a chance are
// looked at themselves. What the scan finds does not change by that: with the sketch z of a
// row x, the rest x - z and a question q, Cauchy and Schwarz give
//
//	q·x = q·z + q·(x - z) ≤ q·z + |q| |x - z|
//
// and a row whose right side is below the score of the last chunk kept is left out. The
// lengths of the rests are stored, rounded up. The static embedding has a few components that are
// many times the others; 16 steps between their ends would leave a rest of 0.28. Rows are
// turned first, which keeps all products and makes their components alike, and the rest
// is 0.10 (docs/measurements.md).
const (
	sketchGroup = 64 // components: 32 bytes, those of the first half in the low four bits
	sketchTop   = 15 // the levels are the odd numbers from -15 to 15 times the factor of the row

	slackUnit = 1.0 / 1024 // of the stored length of a rest
	unbounded = 255        // as such a length: more, the row is always looked at
)

// step is the width of a level in standard deviations of the components, the best one for
// a normal distribution (Max, Quantizing for minimum distortion, 1960).
const step = 0.335

// sketched reports whether vectors of a length have sketches.
func sketched(dims int) bool { return dims%sketchGroup == 0 }

// turn multiplies a vector by an orthogonal matrix that mixes its components: random signs,
// then Hadamard's matrix, block by block.
func turn(v []float32) {
	block := 1 << bits.TrailingZeros(uint(len(v)))
	norm := float32(1 / math.Sqrt(float64(block)))
	state := uint64(1)
	for i := range v {
		if i%64 == 0 { // splitmix64: the same signs in every process
			state += 0x9e3779b97f4a7c15
		}
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		if (z^z>>31)>>(i%64)&1 == 0 {
			v[i] *= norm
		} else {
			v[i] *= -norm
		}
	}
	for from := 0; from < len(v); from += block {
		for half := 1; half < block; half *= 2 {
			for at := from; at < from+block; at += 2 * half {
				left, right := v[at:at+half:at+half], v[at+half:at+2*half:at+2*half]
				for i, a := range left {
					b := right[i]
					left[i], right[i] = a+b, a-b
				}
			}
		}
	}
}

// draw writes the sketch of a row. factor is that of its levels with the scale of the row, slack
// the length of the rest in slackUnits, reach the length of the sketch.
func draw(sketch, row []int8, scale float32) (factor float32, slack uint8, reach float32) {
	turned := make([]float32, len(row))
	square := 0.0
	for i, x := range row {
		turned[i] = float32(x)
		square += float64(x) * float64(x)
	}
	turn(turned)
	deviation := float32(math.Sqrt(square / float64(len(row))))
	if deviation == 0 {
		clear(sketch)
		return 0, 0, 0
	}
	levels := make([]int8, len(row))
	by := 1 / (step * deviation)
	product, own := 0.0, 0.0
	for i, x := range turned {
		k := 2*int(max(0, min(sketchTop, x*by+8))) - sketchTop
		levels[i] = int8(k)
		product += float64(x) * float64(k)
		own += float64(k * k)
	}
	width, rest := float64(float32(product/own)), 0.0 // the width that leaves the least
	for i, x := range turned {
		d := float64(x) - width*float64(levels[i])
		rest += d * d
	}
	for at := 0; at < len(row); at += sketchGroup {
		for i := range sketchGroup / 2 {
			low, high := levels[at+i], levels[at+sketchGroup/2+i]
			sketch[at/2+i] = int8(uint8(low+sketchTop)>>1 | uint8(high+sketchTop)>>1<<4)
		}
	}
	long := math.Ceil(float64(scale)*math.Sqrt(rest)/slackUnit + rounding/slackUnit)
	if !(long < unbounded) {
		long = unbounded
	}
	return float32(width) * scale, uint8(long), float32(width*math.Sqrt(own)) * scale
}

// rounding is more than what arithmetic in float32 can be wrong by in a product of two
// vectors of length 1.
const rounding = 1e-4

// outline is a question as it is compared with sketches.
type outline struct {
	values []int8 // turned
	sum    int32  // of values
	by     float32
	slack  float32 // for a unit of the row's slack
	rest   float32 // for any row
}

// outlined makes a side ready for sketches that are at most reach long.
func outlined(s *side, reach float32) outline {
	turned := make([]float32, len(s.small.Values))
	square := 0.0
	for i, x := range s.small.Values {
		turned[i] = float32(x)
		square += float64(x) * float64(x)
	}
	turn(turned)
	q := quantize(turned)
	out := outline{values: q.Values}
	left := 0.0
	for i, x := range q.Values {
		out.sum += int32(x)
		d := float64(turned[i]) - float64(q.Scale)*float64(x)
		left += d * d
	}
	scale := float64(s.small.Scale)
	length := scale * math.Sqrt(square)
	out.by = q.Scale * s.small.Scale
	out.slack = float32(slackUnit * length * (1 + rounding))
	out.rest = s.shift + float32(float64(reach)*(scale*math.Sqrt(left)+rounding*length)+rounding/100*(1+math.Abs(float64(s.shift))))
	return out
}

// bound is at least what the row scores whose sketch gave the dot.
func (o *outline) bound(dot int32, factor float32, slack uint8) float32 {
	return o.by*factor*float32(2*dot-sketchTop*o.sum) + o.slack*float32(slack) + o.rest
}

// sketchPortable sets dots[r] to the sum of q times the four bits of the sketches.
func sketchPortable(dots []int32, q, sketches []int8) {
	const half = sketchGroup / 2
	size := len(q) / 2
	for r := range dots {
		row := sketches[r*size : (r+1)*size]
		var sum int32
		for at := 0; at < size; at += half {
			low, high := q[2*at:2*at+half], q[2*at+half:2*at+2*half]
			for i, x := range row[at : at+half] {
				sum += int32(low[i])*int32(uint8(x)&15) + int32(high[i])*int32(uint8(x)>>4)
			}
		}
		dots[r] = sum
	}
}
