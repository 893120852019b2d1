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
func IsTest(passage string) bool {
	norm := strings.Join(strings.Fields(string(text.Fold([]rune(passage)))), " ")
	sum := sha256.Sum256([]byte(norm))
	return sum[0]%5 == 0
}
