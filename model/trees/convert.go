package trees

import (
	"bytes"
	"encoding/binary"
	"math"
)

// legacy writes trees in the binary layout of XGBoost before 1.0, which is the one
// that leaves reads. The base score is left out (0): leaves would add it as it is,
// though binary:logistic stores a probability.
//
// leaves sends x left when x <= t, XGBoost when x < t, and values that equal a
// threshold are common since thresholds are values of the training data. The next
// smaller float32 as threshold makes both the same for float32 inputs.
func legacy(trees []tree, features int) []byte {
	var out bytes.Buffer
	number := func(values ...int) {
		for _, v := range values {
			_ = binary.Write(&out, binary.LittleEndian, int32(v)) // a bytes.Buffer does not fail
		}
	}
	zeros := func(n int) { number(make([]int, n)...) }
	text := func(s string) {
		_ = binary.Write(&out, binary.LittleEndian, uint64(len(s)))
		out.WriteString(s)
	}

	number(0, features, 0) // base score, features, classes
	zeros(31)
	text("binary:logistic")
	text("gbtree")
	number(len(trees), 1, features, 0, 0, 0, 1, 0) // trees, roots, features, padding, buffer (64 bits), groups, leaf vector
	zeros(32)
	for _, t := range trees {
		number(1, len(t), 0, 0, features, 0) // roots, nodes, deleted, depth, features, leaf vector
		zeros(31)
		record := make([]byte, 20)
		for _, n := range t {
			value, feature := n.value, uint32(n.feature)
			if n.left >= 0 {
				value = math.Nextafter32(value, float32(math.Inf(-1)))
				if n.missingLeft {
					feature |= 1 << 31
				}
			}
			binary.LittleEndian.PutUint32(record[0:], uint32(int32(n.parent)))
			binary.LittleEndian.PutUint32(record[4:], uint32(int32(n.left)))
			binary.LittleEndian.PutUint32(record[8:], uint32(int32(n.right)))
			binary.LittleEndian.PutUint32(record[12:], feature)
			binary.LittleEndian.PutUint32(record[16:], math.Float32bits(value))
			out.Write(record)
		}
		out.Write(make([]byte, 16*len(t))) // statistics, which leaves skips
	}
	zeros(len(trees)) // output group of each tree
	return out.Bytes()
}
