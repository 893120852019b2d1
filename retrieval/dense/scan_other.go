//go:build !amd64

package dense

func scan(dots []int32, q, rows []int8) { scanPortable(dots, q, rows) }
