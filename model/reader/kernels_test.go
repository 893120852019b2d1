package reader

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func random(n int, scale float64, rng *rand.Rand) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(rng.NormFloat64() * scale)
	}
	return out
}

func near(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	peak := 1e-30
	for _, x := range want {
		peak = max(peak, math.Abs(float64(x)))
	}
	for i := range want {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= tolerance*peak) {
			t.Fatalf("%s: [%d] = %v, want %v", what, i, got[i], want[i])
		}
	}
}

// TestKernelsAgree compares the kernels of this processor to the portable ones:
// integers exactly, floats within the stated tolerance.
func TestKernelsAgree(t *testing.T) {
	sets := available()
	if len(sets) == 0 {
		t.Skip("this processor has only the portable kernels")
	}
	for _, k := range sets {
		t.Run(k.name, func(t *testing.T) { kernelsAgree(t, k) })
	}
}

// TestFaultyKernelsAreRefused: a set whose integers differ anywhere is not used, and is
// named; one that agrees is.
func TestFaultyKernelsAreRefused(t *testing.T) {
	right := portable
	right.name = "right"
	faults := map[string]func(k *kernels){
		"expand": func(k *kernels) {
			k.expand = func(dst []int16, src []int8) {
				portable.expand(dst, src)
				dst[len(dst)-1]++
			}
		},
		"blocks": func(k *kernels) {
			k.expandBlocks = func(dst []int16, src []int8, steps []int16) {
				portable.expandBlocks(dst, src, steps)
				dst[0]--
			}
		},
		"saturates": func(k *kernels) { // as VPDPWSSDS would, one bit early
			k.panel = func(out []float32, stride int, a []int16, in, rows int, w []int16, rowScales, colScales, bias []float32) {
				portable.panel(out, stride, a, in, rows, w, rowScales, colScales, bias)
				for i := range out {
					out[i] = min(out[i], 1<<30)
				}
			}
		},
		"last row": func(k *kernels) {
			k.panel = func(out []float32, stride int, a []int16, in, rows int, w []int16, rowScales, colScales, bias []float32) {
				portable.panel(out, stride, a, in, rows, w, rowScales, colScales, bias)
				out[(rows-1)*stride+lanes-1]++
			}
		},
	}
	for name, fault := range faults {
		faulty := portable
		faulty.name = name
		fault(&faulty)
		if k, refused := choose([]*kernels{&faulty, &right}); k != &right || !slices.Equal(refused, []string{name}) {
			t.Errorf("%s: chose %s, refused %v", name, k.name, refused)
		}
		if k, _ := choose([]*kernels{&faulty}); k != &portable {
			t.Errorf("%s: chose %s", name, k.name)
		}
	}
	if len(Refused()) > 0 {
		t.Errorf("this processor's own kernels were refused: %v", Refused())
	}
}

func kernelsAgree(t *testing.T, k *kernels) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, in := range []int{32, 384, 1536} {
		src := make([]int8, in*lanes)
		for i := range src {
			src[i] = int8(rng.IntN(255) - 127)
		}
		w, w2 := make([]int16, len(src)), make([]int16, len(src))
		k.expand(w, src)
		portable.expand(w2, src)
		if diff := cmp.Diff(w2, w); diff != "" {
			t.Fatal(diff)
		}
		steps := make([]int16, in/blockWidth*2*lanes)
		for i := 0; i < len(steps); i += 2 {
			steps[i] = int16(rng.IntN(2*narrowSteps+1) - narrowSteps)
			steps[i+1] = steps[i]
		}
		for i := range src {
			src[i] = int8(rng.IntN(16) - fourBits)
		}
		b, b2 := make([]int16, len(src)), make([]int16, len(src))
		k.expandBlocks(b, src, steps)
		portable.expandBlocks(b2, src, steps)
		if diff := cmp.Diff(b2, b); diff != "" {
			t.Fatal(diff)
		}
		for _, rows := range []int{4, 8, 12, 20} {
			name := fmt.Sprintf("%d × %d", rows, in)
			a := make([]int16, rows*in)
			for i := range a {
				a[i] = int16(rng.IntN(2*activationLevels+1) - activationLevels)
			}
			for i := range in { // the largest sums there can be
				a[i], a[in+i] = activationLevels, -activationLevels
			}
			ones, zeros := make([]float32, rows+lanes), make([]float32, rows+lanes)
			for i := range ones {
				ones[i] = 1
			}
			stride := lanes + 5
			got, want := make([]float32, rows*stride), make([]float32, rows*stride)
			k.panel(got, stride, a, in, rows, w, ones, ones, zeros)
			portable.panel(want, stride, a, in, rows, w, ones, ones, zeros)
			if diff := cmp.Diff(want, got); diff != "" { // the integers themselves
				t.Fatalf("panel %s: %s", name, diff)
			}
			rowScales, colScales, bias := random(rows, 1e-3, rng), random(lanes, 1e-3, rng), random(lanes, 1, rng)
			k.panel(got, stride, a, in, rows, w, rowScales, colScales, bias)
			portable.panel(want, stride, a, in, rows, w, rowScales, colScales, bias)
			near(t, "scaled panel "+name, got, want, 1e-5)
		}
		x, y := random(in, 3, rng), random(in, 3, rng)
		q, q2 := make([]int16, in), make([]int16, in)
		if s, s2 := k.quantize(q, x, 127), portable.quantize(q2, x, 127); s != s2 || cmp.Diff(q, q2) != "" {
			t.Fatalf("quantize: %v %v, %s", s, s2, cmp.Diff(q2, q))
		}
		if s := k.quantize(q, make([]float32, in), activationLevels); s != 0 || q[0] != 0 || q[in-1] != 0 {
			t.Fatalf("quantize zeros: %v", s)
		}
		weight, bias := random(in, 1, rng), random(in, 1, rng)
		x2 := append([]float32(nil), x...)
		k.addNorm(x, y, weight, bias, 1e-12)
		portable.addNorm(x2, y, weight, bias, 1e-12)
		near(t, "addNorm", x, x2, 1e-5)
		for _, scale := range []float64{0.1, 1, 5, 30} {
			x := random(in, scale, rng)
			x2 := append([]float32(nil), x...)
			k.gelu(x)
			portable.gelu(x2)
			near(t, "gelu", x, x2, 1e-6)
			x = random(in, scale, rng)
			for i := in - 3; i < in; i++ {
				x[i] = masked
			}
			x2 = append([]float32(nil), x...)
			k.softmax(x, 0.25)
			portable.softmax(x2, 0.25)
			near(t, "softmax", x, x2, 1e-5)
			if x[in-1] > 1e-30 {
				t.Fatalf("masked lane: %v", x[in-1])
			}
		}
	}
	for _, m := range []int{1, 3, 4, 9} {
		for _, n := range []int{16, 48} {
			for _, inner := range []int{1, 32, 77} {
				aStride, bStride, cStride := inner+3, n+8, n+16
				a, b := random(m*aStride, 1, rng), random(inner*bStride, 1, rng)
				got, want := make([]float32, m*cStride), make([]float32, m*cStride)
				k.matmul(got, cStride, a, aStride, b, bStride, m, n, inner)
				portable.matmul(want, cStride, a, aStride, b, bStride, m, n, inner)
				near(t, fmt.Sprintf("matmul %d %d %d", m, n, inner), got, want, 1e-5)
			}
		}
	}
}

func BenchmarkPanel(b *testing.B) {
	for _, k := range append(available(), &portable) {
		for _, in := range []int{384, 1536} {
			b.Run(fmt.Sprintf("%s/%d", k.name, in), func(b *testing.B) {
				const rows = 64
				a, w := make([]int16, rows*in), make([]int16, in*lanes)
				out, scales := make([]float32, rows*lanes), make([]float32, rows)
				began := spent(b)
				for b.Loop() {
					k.panel(out, lanes, a, in, rows, w, scales, scales, scales)
				}
				b.ReportMetric(float64(rows*in*lanes)*float64(b.N)/(spent(b)-began).Seconds()/1e9, "GMAC/cpu-s")
			})
		}
	}
}
