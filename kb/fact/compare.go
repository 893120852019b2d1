package fact

import (
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
)

// compareValues compares two values as statements about one thing.
func compareValues(a, b *Value) (relation.Relation, string) {
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
	r, why := compareValues(&a.Value, &b.Value)
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
func (e *Engine) conditions(a, b *Fact) relation.Relation { return sameCases(a, b, shareOf) }

// sameCases is Engine.conditions with a function for the share of the weight of the terms
// of one condition that another has.
func sameCases(a, b *Fact, share func(x, y *Condition) float64) relation.Relation {
	switch la, lb := limited(a), limited(b); {
	case !la && !lb:
		return relation.Same
	case !la || !lb:
		return relation.Unknown
	}
	for i := range a.Conditions {
		for k := range b.Conditions {
			if x, y := &a.Conditions[i], &b.Conditions[k]; x.limits() && y.limits() && sameCase(x, y, share) {
				return relation.Same
			}
		}
	}
	return relation.Differs
}

// limits reports whether a condition narrows its fact to a case.
func (c *Condition) limits() bool { return c.Kind == If || c.Kind == OnlyIf }

// limited reports whether a fact has a condition that narrows it to a case.
func limited(f *Fact) bool {
	for i := range f.Conditions {
		if f.Conditions[i].limits() {
			return true
		}
	}
	return false
}

// sameCase reports whether two conditions name one case: their words overlap and
// their thresholds do not exclude each other.
func sameCase(a, b *Condition, share func(x, y *Condition) float64) bool {
	for i := range a.Quantities {
		for k := range b.Quantities {
			if r, _ := quantity.Compare(a.Quantities[i], b.Quantities[k]); r == relation.Excludes {
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
	return share(a, b) >= 0.5 || share(b, a) >= 0.5
}

// shareOf is the share of the weight of a's terms that b has.
func shareOf(a, b *Condition) float64 { return shareIn(a.Terms, termBag(b.Terms)) }

// termBag is a bag of some terms.
func termBag(terms []Term) *bag {
	b := newBag(len(terms))
	for i := range terms {
		b.add(terms[i].Text, terms[i].Synset, 1)
	}
	return b
}

// shareIn is the share of the weight of some terms that a bag has.
func shareIn(a []Term, have *bag) float64 {
	sum, total := 0.0, 0.0
	for i := range a {
		total += a[i].Weight
		if have.has(a[i].Text, a[i].Synset) {
			sum += a[i].Weight
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
