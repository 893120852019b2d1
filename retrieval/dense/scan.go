package dense

// scanPortable sets dots[r] to the scalar product of q and row r.
func scanPortable(dots []int32, q, rows []int8) {
	dims := len(q)
	for r := range dots {
		row := rows[r*dims : (r+1)*dims]
		var sum int32
		for i, x := range row {
			sum += int32(q[i]) * int32(x)
		}
		dots[r] = sum
	}
}
