package reader

import "golang.org/x/sys/cpu"

// available are the kernel sets that this processor says it runs, the best first.
//
// The products are VPMADDWD on pairs of int16: on processors without VNNI it costs
// as much as VPMADDUBSW on int8 (both are followed by an addition in 32 bits, and
// VPMADDUBSW needs VPMADDWD after it and saturates), and leaves 14 bits for an
// activation. With VNNI, VPDPWSSD is both in one instruction, and the sums are the same.
func available() []*kernels {
	var out []*kernels
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI {
			out = append(out, &vnni)
		}
		out = append(out, &avx2)
	}
	return out
}

// vnni has the products of AVX-512 VNNI; the rest is AVX2's.
var vnni = kernels{
	name: "avx512-vnni",
	expand: func(dst []int16, src []int8) {
		_ = dst[len(src)-1]
		expandAVX512(&dst[0], &src[0], len(src))
	},
	expandBlocks: func(dst []int16, src []int8, steps []int16) {
		_, _ = dst[len(src)-1], steps[len(src)/blockWidth*2-1]
		expandBlocksAVX512(&dst[0], &src[0], &steps[0], len(src)/(blockWidth*lanes))
	},
	panel: func(out []float32, stride int, a []int16, in, rows int, w []int16, rowScales, colScales, bias []float32) {
		_, _, _ = out[(rows-1)*stride+lanes-1], a[rows*in-1], w[in*lanes-1]
		_, _, _ = rowScales[rows-1], colScales[lanes-1], bias[lanes-1]
		panelAVX512(&out[0], 4*stride, &a[0], 2*in, rows, &w[0], in/2, &rowScales[0], &colScales[0], &bias[0])
	},
	matmul: avx2.matmul, softmax: avx2.softmax, gelu: avx2.gelu, quantize: avx2.quantize, addNorm: avx2.addNorm,
}

var avx2 = kernels{
	name: "avx2",
	expand: func(dst []int16, src []int8) {
		_ = dst[len(src)-1]
		expandAVX2(&dst[0], &src[0], len(src))
	},
	expandBlocks: func(dst []int16, src []int8, steps []int16) {
		_, _ = dst[len(src)-1], steps[len(src)/blockWidth*2-1]
		expandBlocksAVX2(&dst[0], &src[0], &steps[0], len(src)/(blockWidth*lanes))
	},
	panel: func(out []float32, stride int, a []int16, in, rows int, w []int16, rowScales, colScales, bias []float32) {
		_, _, _ = out[(rows-1)*stride+lanes-1], a[rows*in-1], w[in*lanes-1]
		_, _, _ = rowScales[rows-1], colScales[lanes-1], bias[lanes-1]
		panelAVX2(&out[0], 4*stride, &a[0], 2*in, rows, &w[0], in/2, &rowScales[0], &colScales[0], &bias[0])
	},
	matmul: func(c []float32, cStride int, a []float32, aStride int, b []float32, bStride, m, n, k int) {
		_, _, _ = c[(m-1)*cStride+n-1], a[(m-1)*aStride+k-1], b[(k-1)*bStride+n-1]
		row := 0
		for ; row+4 <= m; row += 4 {
			matmul4AVX2(&c[row*cStride], 4*cStride, &a[row*aStride], 4*aStride, &b[0], 4*bStride, n, k)
		}
		for ; row < m; row++ {
			matmul1AVX2(&c[row*cStride], &a[row*aStride], &b[0], 4*bStride, n, k)
		}
	},
	softmax: func(row []float32, scale float32) { softmaxAVX2(&row[0], len(row), scale) },
	gelu:    func(x []float32) { geluAVX2(&x[0], len(x)) },
	quantize: func(dst []int16, src []float32, levels float32) float32 {
		_ = dst[len(src)-1]
		return quantizeAVX2(&dst[0], &src[0], len(src), levels, least)
	},
	addNorm: func(x, y, w, b []float32, eps float32) {
		_, _, _ = y[len(x)-1], w[len(x)-1], b[len(x)-1]
		addNormAVX2(&x[0], &y[0], &w[0], &b[0], len(x), 1/float32(len(x)), eps)
	},
}

//go:noescape
func expandAVX2(dst *int16, src *int8, n int)

//go:noescape
func expandBlocksAVX2(dst *int16, src *int8, steps *int16, blocks int)

//go:noescape
func panelAVX2(out *float32, outStride int, a *int16, aStride int, rows int, w *int16, pairs int, rowScales, colScales, bias *float32)

//go:noescape
func matmul4AVX2(c *float32, cStride int, a *float32, aStride int, b *float32, bStride int, n, k int)

//go:noescape
func matmul1AVX2(c, a, b *float32, bStride int, n, k int)

//go:noescape
func softmaxAVX2(row *float32, n int, scale float32)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func quantizeAVX2(dst *int16, src *float32, n int, levels, least float32) float32

//go:noescape
func addNormAVX2(x, y, w, b *float32, n int, share, eps float32)

//go:noescape
func expandAVX512(dst *int16, src *int8, n int)

//go:noescape
func expandBlocksAVX512(dst *int16, src *int8, steps *int16, blocks int)

//go:noescape
func panelAVX512(out *float32, outStride int, a *int16, aStride int, rows int, w *int16, pairs int, rowScales, colScales, bias *float32)
