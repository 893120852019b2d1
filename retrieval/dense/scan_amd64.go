package dense

import "golang.org/x/sys/cpu"

var avx2 = cpu.X86.HasAVX2

// dotRows sets dots[r] to the scalar product of q and row r; dims is a multiple of
// 32 and above 0, count above 0, no value is -128. Sums are exact in int32 up to
// 130,000 dims.
//
//go:noescape
func dotRows(dots *int32, q, rows *int8, dims, count int)

func scan(dots []int32, q, rows []int8) {
	if !avx2 || len(q)%32 != 0 || len(dots) == 0 {
		scanPortable(dots, q, rows)
		return
	}
	_ = rows[len(dots)*len(q)-1] // the assembly does not check bounds
	dotRows(&dots[0], &q[0], &rows[0], len(q), len(dots))
}
