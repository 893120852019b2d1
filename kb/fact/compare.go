package fact

import (
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
)

// compareValues compares two values as statements about one thing.
func compareValues(a, b Value) (relation.Relation, string) {
	switch {
	case a.Quantity != nil && b.Quantity != nil:
		return quantity.Compare(*a.Quantity, *b.Quantity)
	case a.Time != nil && b.Time != nil:
		return when.Compare(*a.Time, *b.Time)
	case a.Kind == EntityValue && b.Kind == EntityValue:
		fa, fb := fold(a.Text), fold(b.Text)
		if fa == fb || strings.Contains(fa, fb) || strings.Contains(fb, fa) {
			return relation.Same, "one name"
		}
		return relation.Excludes, "two names"
	}
	return relation.Unknown, "values of different kinds"
}

// Compare says how two facts stand to each other. They are compared only when they
// speak of one thing: the caller, or aligned, has seen to subject and attribute;
// times, conditions, modality and polarity are compared here.
func (e *Engine) Compare(a, b *Fact) (relation.Relation, string) {
	if a.Value.Kind != TimeValue && when.Scope(a.Times, b.Times) == relation.Differs {
		return relation.Differs, "another time"
	}
	if (a.Modality == Planned) != (b.Modality == Planned) {
		return relation.Differs, "plan and actual"
	}
	if r := e.conditions(a, b); r == relation.Differs {
		return relation.Differs, "another condition"
	}
	if a.Value.Kind == BooleanValue && b.Value.Kind == BooleanValue {
		return stances(a, b)
	}
	r, why := compareValues(a.Value, b.Value)
	if r == relation.Same && a.Negative() != b.Negative() {
		return relation.Excludes, "stated and denied"
	}
	if r == relation.Excludes && (a.Negative() || b.Negative()) {
		return relation.Unknown, "a denied value leaves the others open"
	}
	return r, why
}

// stances compares two clauses that say the same in their words: polarity,
// modality, quantifier.
func stances(a, b *Fact) (relation.Relation, string) {
	if a.Negative() != b.Negative() {
		if a.Modality == NeedNot || b.Modality == NeedNot || a.Modality == Possible || b.Modality == Possible {
			return relation.Unknown, "modality"
		}
		return relation.Excludes, "polarity"
	}
	if modalityClash(a.Modality, b.Modality) {
		return relation.Excludes, "modality"
	}
	if quantifierClash(a.Quantifier, b.Quantifier) {
		return relation.Excludes, "quantifier"
	}
	return relation.Same, "one statement"
}

// modalityClash reports whether two ways to bind cannot both be the rule.
func modalityClash(a, b Modality) bool {
	pair := func(x, y Modality) bool { return a == x && b == y || a == y && b == x }
	return pair(Must, NeedNot) || pair(Must, MustNot) || pair(Must, May) || pair(May, MustNot) || pair(MustNot, Caution) ||
		pair(MustNot, NeedNot) || pair(MustNot, Should) || pair(Must, Should) || pair(Should, NeedNot) || pair(Must, Caution)
}

func quantifierClash(a, b Quantifier) bool {
	pair := func(x, y Quantifier) bool { return a == x && b == y || a == y && b == x }
	return pair(All, Some) || pair(All, NoneOf) || pair(Some, NoneOf) || pair(All, Only)
}

// conditions compares what limits two facts: Same when neither is limited or both
// alike, Differs when their conditions name different cases, Unknown when one is
// limited and the other is not.
func (e *Engine) conditions(a, b *Fact) relation.Relation {
	ca, cb := limits(a), limits(b)
	switch {
	case len(ca) == 0 && len(cb) == 0:
		return relation.Same
	case len(ca) == 0 || len(cb) == 0:
		return relation.Unknown
	}
	for _, x := range ca {
		for _, y := range cb {
			if e.sameCase(x, y) {
				return relation.Same
			}
		}
	}
	return relation.Differs
}

// limits are the conditions that narrow a fact to a case.
func limits(f *Fact) []Condition {
	var out []Condition
	for _, c := range f.Conditions {
		if c.Kind == If || c.Kind == OnlyIf {
			out = append(out, c)
		}
	}
	return out
}

// sameCase reports whether two conditions name one case: their words overlap and
// their thresholds do not exclude each other.
func (e *Engine) sameCase(a, b Condition) bool {
	for _, x := range a.Quantities {
		for _, y := range b.Quantities {
			if r, _ := quantity.Compare(x, y); r == relation.Excludes {
				return false
			}
		}
	}
	if a.Negated != b.Negated {
		return false
	}
	if len(a.Terms) == 0 || len(b.Terms) == 0 {
		return len(a.Quantities) > 0 && len(b.Quantities) > 0 || len(a.Terms) == len(b.Terms)
	}
	return shareOf(a.Terms, b.Terms) >= 0.5 || shareOf(b.Terms, a.Terms) >= 0.5
}

// shareOf is the share of the weight of a's terms that b has.
func shareOf(a, b []Term) float64 {
	have := newBag(len(b))
	for _, t := range b {
		have.add(t.Text, t.Synset, 1)
	}
	sum, total := 0.0, 0.0
	for _, t := range a {
		total += t.Weight
		if have.has(t.Text, t.Synset) {
			sum += t.Weight
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// meets reports whether a value of one list is the same as one of the other.
func meets(a, b []quantity.Quantity) bool {
	for _, x := range a {
		for _, y := range b {
			if r, _ := quantity.Compare(x, y); r == relation.Same {
				return true
			}
		}
	}
	return false
}
