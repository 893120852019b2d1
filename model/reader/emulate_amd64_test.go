package reader

import (
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"
)

// emulated is one call of an assembly function, for docs/bench/vnni.py: an emulator of a
// processor that is not at hand runs it.
type emulated struct {
	Func    string
	Buffers []string // base64, as they are before; the first is the output
	Args    []int    // as the function takes them; -1 - i = the address of buffer i
	Want    string   // the output afterwards
}

func bytesOf[T any](s []T) string {
	return base64.StdEncoding.EncodeToString(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))))
}

// TestWriteCalls writes the calls to the file that SUFFICE_EMULATE names. What is wanted
// is what the portable kernels say, in floats what those for AVX2 do.
func TestWriteCalls(t *testing.T) {
	path := os.Getenv("SUFFICE_EMULATE")
	if path == "" {
		t.Skip("SUFFICE_EMULATE names no file for the calls")
	}
	rng := rand.New(rand.NewPCG(3, 9))
	var calls []emulated
	for _, in := range []int{blockWidth, 384, mostFFN} {
		src, steps := make([]int8, in*lanes), make([]int16, in/blockWidth*2*lanes)
		w := make([]int16, len(src))
		for i := range steps {
			steps[i] = int16(rng.IntN(2*narrowSteps+1) - narrowSteps)
		}
		for i := range src {
			src[i] = int8(rng.IntN(2*fourBits) - fourBits)
		}
		portable.expandBlocks(w, src, steps)
		calls = append(calls, emulated{"expandBlocksAVX512", []string{bytesOf(make([]int16, len(src))), bytesOf(src), bytesOf(steps)}, []int{-1, -2, -3, in / blockWidth}, bytesOf(w)})
		for i := range src {
			src[i] = int8(rng.IntN(2*weightLevels+1) - weightLevels)
			if i%(2*lanes) < 2 { // the largest sums, in the first output
				src[i] = weightLevels
			}
		}
		portable.expand(w, src)
		calls = append(calls, emulated{"expandAVX512", []string{bytesOf(make([]int16, len(src))), bytesOf(src)}, []int{-1, -2, len(src)}, bytesOf(w)})
		for _, rows := range []int{4, 8, 12, 20, 24} {
			a := make([]int16, rows*in)
			for i := range a {
				a[i] = int16(rng.IntN(2*activationLevels+1) - activationLevels)
			}
			for i := range in {
				a[i], a[in+i] = activationLevels, -activationLevels
			}
			rowScales, colScales, bias := random(rows, 1e-3, rng), random(lanes, 1e-3, rng), random(lanes, 1, rng)
			ones, zeros := make([]float32, max(rows, lanes)), make([]float32, lanes)
			for i := range ones {
				ones[i] = 1
			}
			const stride = lanes + 5 // what is between two rows must stay
			before := random(rows*stride, 1, rng)
			for _, c := range []struct {
				panel                      func([]float32, int, []int16, int, int, []int16, []float32, []float32, []float32)
				rowScales, colScales, bias []float32
			}{{portable.panel, ones, ones[:lanes], zeros}, {avx2.panel, rowScales, colScales, bias}} {
				out := append([]float32(nil), before...)
				c.panel(out, stride, a, in, rows, w, c.rowScales, c.colScales, c.bias)
				calls = append(calls, emulated{
					"panelAVX512",
					[]string{bytesOf(before), bytesOf(a), bytesOf(w), bytesOf(c.rowScales), bytesOf(c.colScales), bytesOf(c.bias)},
					[]int{-1, 4 * stride, -2, 2 * in, rows, -3, in / 2, -4, -5, -6},
					bytesOf(out),
				})
			}
		}
	}
	data, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
