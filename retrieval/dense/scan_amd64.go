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

// dotSketches sets dots[r] to the sum of q times the four bits of sketch r; groups of
// sketchGroup components and rows are above 0, no value is -128.
//
//go:noescape
func dotSketches(dots *int32, q, sketches *int8, groups, count int)

func sketchDots(dots []int32, q, sketches []int8) {
	if !avx2 || len(dots) == 0 {
		sketchPortable(dots, q, sketches)
		return
	}
	_ = sketches[len(dots)*len(q)/2-1] // the assembly does not check bounds
	dotSketches(&dots[0], &q[0], &sketches[0], len(q)/sketchGroup, len(dots))
}

// dotRowsAt is dotRows of the rows at places, of which ahead more than count are read.
//
//go:noescape
func dotRowsAt(dots *int32, q, rows *int8, places *int32, dims, count int)

// scanAt sets dots[i] to the scalar product of q and the row at places[i]; the places
// behind them are written to.
func scanAt(dots []int32, q, rows []int8, places *[block + ahead]int32) {
	if !avx2 || len(q)%32 != 0 || len(dots) == 0 {
		scanAtPortable(dots, q, rows, places)
		return
	}
	for i := range ahead {
		places[len(dots)+i] = places[len(dots)-1]
	}
	for _, at := range places[:len(dots)] {
		_ = rows[(int(at)+1)*len(q)-1] // the assembly does not check bounds
	}
	dotRowsAt(&dots[0], &q[0], &rows[0], &places[0], len(q), len(dots))
}
