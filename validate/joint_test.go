package validate

import (
	"testing"

	"suffice.dev/suffice/kb/fact"
)

// A contradiction outranks the reader where it is of the same thing, and only there.
func TestHeardContradiction(t *testing.T) {
	for _, c := range []struct {
		name   string
		ground fact.Ground
		best   float64
		heard  string
	}{
		{"the number of the same sentence", fact.OnValues, 0.8, ""},
		{"a number of a sentence that has little of the claim", fact.OnValues, 0.3, "CONTRADICTED/values"},
		{"a denial of the same sentence", fact.OnStance, 0.7, ""},
		{"a denial in a sentence that has little of the claim", fact.OnStance, 0.4, "CONTRADICTED/stance"},
		{"a changed quote", fact.OnQuote, 0.4, ""},
		{"compared values", fact.OnComparison, 0.4, ""},
	} {
		got, ok := Heard(fact.Support{Verdict: fact.ContradictedClaim, Ground: c.ground}, Words{Best: c.best})
		if got != c.heard || ok != (c.heard != "") {
			t.Errorf("%s: heard %q, %v; want %q", c.name, got, ok, c.heard)
		}
	}
}
