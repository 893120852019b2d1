package fact

import (
	"math/big"
	"regexp"
	"slices"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// What a text tells by the piece, the step or the share need not stand in it for the case of a
// claim: 35 a day is 70 for two days, 32 up to 2,000 feet and 6 for every further 500 are 44 for
// 3,000. A claim that names the case and what comes out is compared with what the text says
// comes out.

// pieceWords show that a quantity is that of one piece or step.
var pieceWords = regexp.MustCompile(`每|\b(?:every|each|per|a|an|apiece)\b`)

// applied looks for a rate by which one value of a clause follows from another: which facts of
// the clause are met by it, and the sentences that say so. nil where there is none.
func (k *Checker) applied(c Claim, facts []int, w, topic *wording) ([]found, []int) {
	p := c.Page
	if len(facts) == 0 {
		return nil, nil
	}
	var all []int // what comes out may stand in another clause than the case
	for i := range p.Facts {
		if f := &p.Facts[i]; f.Sentence == p.Facts[facts[0]].Sentence && c.Span.Contains(f.Value.Span) && f.Value.Kind == QuantityValue {
			all = append(all, i)
		}
	}
	for _, a := range all {
		v := p.Facts[a].Value.Quantity
		if v == nil || !v.Point() || v.Lo == nil || v.Delta != 0 {
			continue
		}
		cases := k.casesBeside(c, &p.Facts[a])
		for page, source := range k.views {
			if !k.speaks(c, p.Facts[a].Times, source) || foreign(p, source.page) {
				continue
			}
			for i := range source.page.Facts {
				r := &source.page.Facts[i]
				if r.Value.Quantity == nil || !r.Value.Quantity.Point() || r.Value.Quantity.Lo == nil || r.Threshold || r.Clause < 0 || !unitsAlike(v, r.Value.Quantity) || k.fit(w, topic, source, i) < 0.3 {
					continue
				}
				for _, x := range cases {
					if source.givesValue(r.Sentence, &x) {
						continue // the text itself says what holds for it
					}
					if out := k.outOf(v, &x, source, r); out != nil && (slices.Contains(facts, a) || slices.ContainsFunc(facts, func(f int) bool {
						q := p.Facts[f].Value.Quantity
						return q != nil && q.Span == x.Span
					})) {
						for n := range out {
							out[n].page = page
						}
						met := []int{a}
						for _, f := range facts {
							if q := p.Facts[f].Value.Quantity; f != a && q != nil && q.Span == x.Span {
								met = append(met, f)
							}
						}
						return out, met
					}
				}
			}
		}
	}
	return nil, nil
}

// givesValue reports whether a sentence has a quantity.
func (v *view) givesValue(sentence int, q *quantity.Quantity) bool {
	info := v.page.Sentences[sentence]
	for i := info.Clauses[0]; i < info.Clauses[1] && i < len(v.page.Clauses); i++ {
		for _, t := range v.page.Clauses[i].Quantities {
			if got, _ := quantity.Compare(*q, t); got == relation.Same && t.Point() {
				return true
			}
		}
	}
	return false
}

// casesBeside are the other quantities of the sentence of a claim's value.
func (k *Checker) casesBeside(c Claim, f *Fact) []quantity.Quantity {
	var out []quantity.Quantity
	for i := range c.Page.Clauses {
		cl := &c.Page.Clauses[i]
		if cl.Sentence != f.Sentence || !c.Span.Contains(cl.Span) {
			continue
		}
		for _, q := range cl.Quantities {
			if q.Span != f.Value.Quantity.Span && !q.Span.Overlaps(f.Value.Span) && q.Point() && q.Lo != nil && q.Lo.Sign() > 0 && !q.Weak && q.Unit.Dim != quantity.Ordinal && q.Unit.Dim != quantity.ClockTime && q.Unit.Dim != quantity.Frequency {
				out = append(out, q)
			}
		}
	}
	return out
}

// unitsAlike reports whether two quantities are of one unit that can be multiplied.
func unitsAlike(a, b *quantity.Quantity) bool {
	switch a.Unit.Dim {
	case quantity.Ordinal, quantity.ClockTime, quantity.Temperature, quantity.None:
		return false
	case quantity.Money:
		return b.Unit.Dim == quantity.Money && a.Unit.Name == b.Unit.Name
	case quantity.Count:
		return b.Unit.Dim == quantity.Count && a.Unit.Name == b.Unit.Name
	}
	return a.Unit.Dim == b.Unit.Dim
}

// outOf tries the rate r of a source for a case x of a claim, with what a base gives: what comes
// out must be v. nil where it is not.
func (k *Checker) outOf(v, x *quantity.Quantity, source *view, r *Fact) []found {
	page := source.page
	cl := &page.Clauses[r.Clause]
	said := string(text.Fold(page.Runes[cl.Start:cl.End]))
	per := r.Value.Quantity.Unit.Per != "" || pieceWords.MatchString(said)
	rate := r.Value.Quantity
	is := func(y *big.Rat) bool {
		q := *rate
		q.Lo, q.Hi, q.Span, q.Unit.Per, q.Sig = y, y, text.Span{}, "", 0
		own := *v
		own.Unit.Per = ""
		got, _ := quantity.Compare(own, q)
		return got == relation.Same
	}
	at := found{fact: factIndex(page, r), clause: r.Clause, fit: 0.8, rel: relation.Same}
	bases := k.basesOf(page, r, x, v)
	free := slices.ContainsFunc(bases, func(b base) bool { return b.free && x.Lo.Cmp(b.upTo) > 0 }) // the first ones cost nothing
	// So much for each step of the case's own unit, beyond a base or from the beginning.
	for n := range cl.Quantities {
		s := &cl.Quantities[n]
		points := s.Unit.Dim == quantity.Points && x.Unit.Dim == quantity.Ratio
		if s.Span.Overlaps(r.Value.Span) || s.Weak || s.Unit.Dim != x.Unit.Dim && !points || s.Unit.Dim == quantity.None || x.Unit.Dim == quantity.Count && s.Unit.Name != x.Unit.Name {
			continue
		}
		size := s.Lo
		if size == nil || size.Sign() <= 0 {
			continue
		}
		if points {
			size = new(big.Rat).Quo(size, big.NewRat(100, 1))
		}
		steps := new(big.Rat).Quo(x.Lo, size)
		if !free && steps.Cmp(big.NewRat(1, 1)) > 0 && is(new(big.Rat).Mul(rate.Lo, steps)) {
			return []found{at}
		}
		if !per {
			continue
		}
		for _, b := range bases {
			beyond := new(big.Rat).Sub(x.Lo, b.upTo)
			if beyond.Sign() <= 0 {
				continue
			}
			n := whole(new(big.Rat).Quo(beyond, size))
			if is(new(big.Rat).Add(b.value, new(big.Rat).Mul(rate.Lo, n))) {
				return []found{at, {fact: b.fact, clause: page.Facts[b.fact].Clause, fit: 0.8, rel: relation.Same}}
			}
		}
	}
	// So much a piece: as many pieces, or as many beyond a base.
	if !per || !x.Lo.IsInt() || x.Unit.Dim == rate.Unit.Dim {
		return nil
	}
	one := unitSize(x)
	pieces := new(big.Rat).Quo(x.Lo, one)
	if !free && pieces.Cmp(big.NewRat(1, 1)) > 0 && is(new(big.Rat).Mul(rate.Lo, pieces)) {
		return []found{at}
	}
	for _, b := range bases {
		if beyond := new(big.Rat).Sub(x.Lo, b.upTo); beyond.Sign() > 0 && is(new(big.Rat).Add(b.value, new(big.Rat).Mul(rate.Lo, whole(new(big.Rat).Quo(beyond, one))))) {
			return []found{at, {fact: b.fact, clause: page.Facts[b.fact].Clause, fit: 0.8, rel: relation.Same}}
		}
	}
	return nil
}

// base is a value that holds up to a limit of the case.
type base struct {
	value, upTo *big.Rat
	fact        int
	free        bool // nothing is charged up to the limit
}

// freeUpTo matches a clause by which so much costs nothing.
var freeUpTo = regexp.MustCompile(`免|不收|不计|不另收|包含在|已含|含在|\b(?:free|no charge|not charged|without charge|included|is in the price|are in the price|costs? nothing)\b`)

// basesOf are the bases beside a rate: in its sentence or the one before, a value of the unit of
// v with a limit of the unit of x in the same sentence; a limit alone is a base of nothing.
func (k *Checker) basesOf(page *Page, r *Fact, x, v *quantity.Quantity) []base {
	var out []base
	var limits, allowed []*big.Rat
	var values []int
	for i := range page.Clauses {
		cl := &page.Clauses[i]
		if cl.Sentence != r.Sentence && cl.Sentence != r.Sentence-1 || i > r.Clause {
			continue
		}
		for n := range cl.Quantities {
			q := &cl.Quantities[n]
			if q.Unit.Dim != x.Unit.Dim || q.Weak || i == r.Clause && pieceWords.MatchString(fold(page.Quote(text.Span{Start: max(cl.Start, q.Start-12), End: q.Start}))) {
				continue
			}
			limit := q.Hi
			if limit == nil {
				limit = q.Lo
			}
			if limit != nil {
				limits = append(limits, limit)
				if freeUpTo.MatchString(fold(page.Quote(cl.Span))) {
					allowed = append(allowed, limit)
				}
			}
		}
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(page.Facts); f++ {
			if q := page.Facts[f].Value.Quantity; q != nil && q.Point() && q.Lo != nil && &page.Facts[f] != r && unitsAlike(v, q) {
				values = append(values, f)
			}
		}
	}
	for _, l := range allowed {
		out = append(out, base{new(big.Rat), l, factIndex(page, r), true})
	}
	for _, l := range limits {
		if r.Value.Quantity.Unit.Dim == quantity.Ratio { // what exceeds a limit, from nothing on
			out = append(out, base{new(big.Rat), l, factIndex(page, r), false})
		}
		for _, f := range values {
			out = append(out, base{page.Facts[f].Value.Quantity.Lo, l, f, false})
		}
	}
	return out
}

// unitSize is one of a quantity's unit, in base units.
func unitSize(q *quantity.Quantity) *big.Rat {
	if q.Unit.Factor != nil && q.Unit.Factor.Sign() > 0 {
		return q.Unit.Factor
	}
	return big.NewRat(1, 1)
}

// whole rounds up: a step that is begun counts.
func whole(x *big.Rat) *big.Rat {
	if x.IsInt() {
		return x
	}
	n := new(big.Int).Quo(x.Num(), x.Denom())
	return new(big.Rat).SetInt(n.Add(n, big.NewInt(1)))
}

func factIndex(page *Page, f *Fact) int {
	return slices.IndexFunc(page.Facts, func(o Fact) bool {
		return o.Value.Span == f.Value.Span && o.Clause == f.Clause && o.Value.Kind == f.Value.Kind
	})
}
