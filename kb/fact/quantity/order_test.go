package quantity

import (
	"math/big"
	"testing"
)

// order is big.Rat.Cmp, for numbers small and large.
func TestOrder(t *testing.T) {
	var numbers []*big.Rat
	for _, s := range []string{"0", "1", "-1", "1/10", "3/10", "-7/20", "1000000007", "2147483647", "2147483648", "-2147483649", "4503599627370495", "4503599627370497",
		"1/2147483647", "1/2147483649", "2147483648/3", "123456789012345678901234567890", "123456789012345678901234567890/7"} {
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatal(s)
		}
		numbers = append(numbers, r)
	}
	for _, a := range numbers {
		for _, b := range numbers {
			if got, want := order(a, b), a.Cmp(b); got != want {
				t.Errorf("order(%v, %v) = %d, want %d", a, b, got, want)
			}
		}
	}
}
