package fact

import (
	"math/big"
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
var pieceWords = guarded(`每|\b(?:every|each|per|a|an|apiece)\b`)

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
			given, sentence := []bool(nil), -1 // by case: whether the sentence has it
			for i := range source.page.Facts {
				r := &source.page.Facts[i]
				if r.Value.Quantity == nil || !r.Value.Quantity.Point() || r.Value.Quantity.Lo == nil || r.Threshold || r.Clause < 0 || !unitsAlike(v, r.Value.Quantity) || k.fit(w, topic, source, i) < 0.3 {
					continue
				}
				if r.Sentence != sentence {
					given, sentence = given[:0], r.Sentence
					for n := range cases {
						given = append(given, source.givesValue(sentence, &cases[n]))
					}
				}
				for n, x := range cases {
					if given[n] {
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
	per := r.Value.Quantity.Unit.Per != "" || source.toldOf(r.Clause).per
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
	var bases []base
	if per {
		bases = source.basesOf(r, x, v)
	}
	free := func() bool { // the first ones cost nothing
		_, allowed := source.limitsOf(r, x)
		return slices.ContainsFunc(allowed, func(upTo *big.Rat) bool { return x.Lo.Cmp(upTo) > 0 })
	}
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
		if steps.Cmp(big.NewRat(1, 1)) > 0 && is(new(big.Rat).Mul(rate.Lo, steps)) && !free() {
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
	if pieces.Cmp(big.NewRat(1, 1)) > 0 && is(new(big.Rat).Mul(rate.Lo, pieces)) && !free() {
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
}

// freeUpTo matches a clause by which so much costs nothing.
var freeUpTo = guarded(`免|不收|不计|不另收|包含在|已含|含在|\b(?:free|no charge|not charged|without charge|included|is in the price|are in the price|costs? nothing)\b`)

// clauseRate is what the words of a clause say of what it charges.
type clauseRate struct {
	per  bool // for each of something
	free bool // nothing, up to a limit
}

// toldOf is what a clause says of what it charges, found once.
func (s *sheet) toldOf(clause int) *clauseRate {
	return s.rates.get(clause, func() *clauseRate {
		said := s.clauseText(clause)
		return &clauseRate{pieceWords.MatchString(said), freeUpTo.MatchString(said)}
	})
}

// firstBeside is the first clause of the sentence before that of a rate.
func (s *sheet) firstBeside(r *Fact) int {
	return s.page.Sentences[max(0, r.Sentence-1)].Clauses[0]
}

// limitsOf are the limits of the unit of x beside a rate, in its sentence up to its clause or
// in the one before, and those of them up to which nothing is charged.
func (s *sheet) limitsOf(r *Fact, x *quantity.Quantity) (limits, allowed []*big.Rat) {
	for i := s.firstBeside(r); i <= r.Clause; i++ {
		cl := &s.page.Clauses[i]
		for n := range cl.Quantities {
			q := &cl.Quantities[n]
			if q.Unit.Dim != x.Unit.Dim || q.Weak || i == r.Clause && pieceWords.MatchString(string(s.foldedText()[max(cl.Start, q.Start-12):q.Start])) {
				continue
			}
			limit := q.Hi
			if limit == nil {
				limit = q.Lo
			}
			if limit != nil {
				limits = append(limits, limit)
				if s.toldOf(i).free {
					allowed = append(allowed, limit)
				}
			}
		}
	}
	return limits, allowed
}

// basesOf are the bases beside a rate: in its sentence or the one before, a value of the unit of
// v with a limit of the unit of x in the same sentence; a limit alone is a base of nothing.
func (s *sheet) basesOf(r *Fact, x, v *quantity.Quantity) []base {
	var out []base
	limits, allowed := s.limitsOf(r, x)
	if len(limits) == 0 {
		return nil
	}
	var values []int
	for i := s.firstBeside(r); i <= r.Clause; i++ {
		cl := &s.page.Clauses[i]
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(s.page.Facts); f++ {
			if q := s.page.Facts[f].Value.Quantity; q != nil && q.Point() && q.Lo != nil && &s.page.Facts[f] != r && unitsAlike(v, q) {
				values = append(values, f)
			}
		}
	}
	own := factIndex(s.page, r)
	for _, l := range allowed {
		out = append(out, base{new(big.Rat), l, own})
	}
	for _, l := range limits {
		if r.Value.Quantity.Unit.Dim == quantity.Ratio { // what exceeds a limit, from nothing on
			out = append(out, base{new(big.Rat), l, own})
		}
		for _, f := range values {
			out = append(out, base{s.page.Facts[f].Value.Quantity.Lo, l, f})
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

// factIndex is the first fact of a fact's clause with its value.
func factIndex(page *Page, f *Fact) int {
	of := page.Clauses[f.Clause].Facts
	for i := of[0]; i < of[1] && i < len(page.Facts); i++ {
		if o := &page.Facts[i]; o.Value.Span == f.Value.Span && o.Value.Kind == f.Value.Kind {
			return i
		}
	}
	return -1
}
