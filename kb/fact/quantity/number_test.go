package quantity

import (
	"math/big"
	"testing"
)

func TestMul(t *testing.T) {
	for _, a := range []string{"0", "-3", "7/2", "9223372036854775807", "-9223372036854775808", "4294967296", "1/3", "123456789012345678901234567890"} {
		for _, b := range []string{"1", "-1", "60", "4294967296", "2/7", "-9223372036854775808"} {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if got, want := mul(x, y), new(big.Rat).Mul(x, y); got.Cmp(want) != 0 || got.RatString() != want.RatString() {
				t.Errorf("%s times %s: %s, want %s", a, b, got, want)
			}
		}
	}
}
