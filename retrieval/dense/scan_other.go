//go:build !amd64

package dense

func scan(dots []int32, q, rows []int8) { scanPortable(dots, q, rows) }

func sketchDots(dots []int32, q, sketches []int8) { sketchPortable(dots, q, sketches) }

func scanAt(dots []int32, q, rows []int8, places *[block + ahead]int32) {
	scanAtPortable(dots, q, rows, places)
}
