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

// What stands in the passage as it is told, and values of the same thing in the other language, are
// facts' to judge.
func TestHeardLiteralAndForeign(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict fact.Verdict
		ground  fact.Ground
		words   Words
		heard   string
	}{
		{"a copy", fact.SupportedClaim, fact.OnWords, Words{Best: 1, Run: 0.95}, ""},
		{"the same words in another order", fact.SupportedClaim, fact.OnWords, Words{Best: 1, Run: 0.5}, "SUPPORTED/words"},
		{"a value of the other language", fact.SupportedClaim, fact.OnValues, Words{Foreign: true}, ""},
		{"words of the other language", fact.SupportedClaim, fact.OnWords, Words{Foreign: true}, "SUPPORTED/words"},
		{"another value in the other language", fact.ContradictedClaim, fact.OnValues, Words{Foreign: true}, ""},
		{"a denial in the other language", fact.ContradictedClaim, fact.OnStance, Words{Foreign: true}, "CONTRADICTED/stance"},
	} {
		got, ok := Heard(fact.Support{Verdict: c.verdict, Ground: c.ground}, c.words)
		if got != c.heard || ok != (c.heard != "") {
			t.Errorf("%s: heard %q, %v; want %q", c.name, got, ok, c.heard)
		}
	}
}
