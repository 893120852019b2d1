package evaluate

import (
	"crypto/sha256"
	"strings"

	"suffice.dev/suffice/text"
)

// IsTest reports whether a passage or document belongs to the test side of the one
// split that every model keeps: the first byte of the SHA-256 of its normalised text
// is 0 mod 5. No trainer reads a test text. Normalised means folded (text.Fold) with
// every run of white space as one space and none at the ends.
func IsTest(passage string) bool { return digest(passage)[0]%5 == 0 }

// IsJoining reports whether a written passage is kept from the trainers of single
// models, for fitting how their results are joined: of those that are not test, the
// second byte of the same digest is 0 mod 5.
func IsJoining(passage string) bool {
	sum := digest(passage)
	return sum[0]%5 != 0 && sum[1]%5 == 0
}

func digest(passage string) [sha256.Size]byte {
	norm := strings.Join(strings.Fields(string(text.Fold([]rune(passage)))), " ")
	return sha256.Sum256([]byte(norm))
}
