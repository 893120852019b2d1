package fact

import (
	"slices"

	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Days of the week are sets: what holds from Tuesday to Sunday holds on Wednesday. And a
// day that is said of one clause of a sentence limits that clause, not the next one, which
// has a subject or an attribute of its own.

// onDays compares the days of the week that a claim's value is with those of a source's;
// Unknown where one of them is none. Other days with the opposite said of them (open from
// Tuesday on, closed on Mondays) exclude nothing.
func (k *Checker) onDays(cp *Page, f *Fact, v *view, o *Fact) relation.Relation {
	if f.Value.Time == nil || o.Value.Time == nil {
		return relation.Unknown
	}
	r := when.Within(*f.Value.Time, *o.Value.Time)
	if r != relation.Excludes {
		return r
	}
	if c := v.clauseOf(o); c == nil || f.Clause >= 0 && f.Clause < len(cp.Clauses) && antonyms(cp, &cp.Clauses[f.Clause], v.page, c) {
		return relation.Differs
	}
	return r
}

// sameAs compares a value of a claim with one of a source, days of the week as sets.
func (k *Checker) sameAs(cp *Page, f *Fact, v *view, o *Fact) (relation.Relation, string) {
	if days := k.onDays(cp, f, v, o); days != relation.Unknown {
		return days, "other days"
	}
	rel, why := sameValue(f.Value, o.Value)
	if rel == relation.Excludes && impliedAfter(f.Value.Time, o.Value.Time) {
		return relation.Same, "after what it holds from"
	}
	return rel, why
}

// limitsOther reports whether words of a source sentence that limit something, and that a
// claim leaves out at a place, limit another part of the sentence than the claim's: other
// days than those the claim names, or a clause beside the claim's.
func limitsOther(cp, sp *Page, n nearQuote, o op, at text.Span) bool {
	if t, ok := timeAt(sp, at); ok && when.WeekOf(t) != 0 && len(n.claim) > 0 {
		for _, t := range clauseTimes(cp, spanOf(n.claim, 0, len(n.claim))) {
			if saidOn(sp, n.sentence, t) {
				return true
			}
		}
	}
	limited := clauseAt(sp, at.Start)
	if limited < 0 {
		return false
	}
	if o.b1 == len(n.source) { // the claim ends before it
		return o.b0 > 0 && clauseAt(sp, n.source[o.b0-1].Start) != limited && namesOwn(sp, limited)
	}
	next := clauseAt(sp, n.source[o.b1].Start)
	if next < 0 || next == limited || !namesOwn(sp, next) {
		return false
	}
	if o.b0 == 0 {
		return true
	}
	before := n.source[o.b0-1].Span // of the other clause the claim has its topic only
	return clauseAt(sp, before.Start) != limited || sp.Clauses[limited].Topic.Span.Contains(before)
}

// saidOn reports whether something in a sentence is said of all days of a time.
func saidOn(p *Page, sentence int, t when.Expr) bool {
	for i := range p.Clauses {
		if c := &p.Clauses[i]; c.Sentence == sentence && slices.ContainsFunc(c.Times, func(o when.Expr) bool { return when.Within(t, o) == relation.Same }) {
			return true
		}
	}
	return false
}

// clauseAt is the clause that holds a place; -1 for none.
func clauseAt(p *Page, at int) int {
	for i := range p.Clauses {
		if c := &p.Clauses[i]; c.Start <= at && at < c.End {
			return i
		}
	}
	return -1
}

// namesOwn reports whether a clause itself names whom or what it speaks of.
func namesOwn(p *Page, i int) bool {
	c := &p.Clauses[i]
	inside := func(s text.Span) bool { return !s.Empty() && c.Contains(s) }
	if inside(c.Topic.Span) {
		return true
	}
	for k := c.Facts[0]; k < c.Facts[1] && k < len(p.Facts); k++ {
		if f := &p.Facts[k]; inside(f.Subject.Span) || f.Value.Kind == QuantityValue && inside(f.Attribute.Span) {
			return true
		}
	}
	return false
}
