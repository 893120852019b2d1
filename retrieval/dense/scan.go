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

// ahead is how many rows of places scanAt reads beyond those that it is asked for.
const ahead = 8

// scanAtPortable sets dots[i] to the scalar product of q and the row at places[i].
func scanAtPortable(dots []int32, q, rows []int8, places *[block + ahead]int32) {
	for i := range dots {
		at := int(places[i]) * len(q)
		scanPortable(dots[i:i+1], q, rows[at:at+len(q)])
	}
}
