package services

// EditDistance counts the insertions, deletions, replacements and swaps of neighbours, in
// code points, between a word and one that it may have been meant for. A word of more than
// 64 is as far as it is long.
func EditDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 { // no name of a field or key is nearly as long
		return len(x)
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}
