package quantity

import (
	"errors"
	"math/big"

	"suffice.dev/suffice/kb/fact/relation"
)

// ErrOperands says that quantities cannot be added: other units, bounds, or no values.
var ErrOperands = errors.New("quantity: operands of different units or without a value")

// Sum adds quantities of one unit, currency, counted thing and denominator. A range
// adds to a range; the step is that of the coarsest operand, and the sum is
// approximate when one operand is. The spans are empty.
func Sum(qs ...Quantity) (Quantity, error) { return combine(qs, false) }

// Difference subtracts b from a.
func Difference(a, b Quantity) (Quantity, error) { return combine([]Quantity{a, b}, true) }

func combine(qs []Quantity, subtract bool) (Quantity, error) {
	if len(qs) == 0 {
		return Quantity{}, ErrOperands
	}
	out := Quantity{Unit: qs[0].Unit, Approx: qs[0].Approx, Step: qs[0].Step, Noun: qs[0].Noun}
	for i, q := range qs {
		if q.Lo == nil || q.Hi == nil {
			return Quantity{}, ErrOperands
		}
		if i == 0 {
			out.Lo, out.Hi = q.Lo, q.Hi
			continue
		}
		if !addable(qs[0], q) {
			return Quantity{}, ErrOperands
		}
		if subtract {
			out.Lo, out.Hi = new(big.Rat).Sub(out.Lo, q.Hi), new(big.Rat).Sub(out.Hi, q.Lo)
		} else {
			out.Lo, out.Hi = add(out.Lo, q.Lo), add(out.Hi, q.Hi)
		}
		out.Approx = out.Approx || q.Approx
		if q.Step != nil && (out.Step == nil || q.Step.Cmp(out.Step) > 0) {
			out.Step = q.Step
		}
	}
	return out, nil
}

func addable(a, b Quantity) bool {
	switch a.Unit.Dim {
	case Ordinal, ClockTime, Temperature:
		return false
	}
	if a.Unit.Dim != b.Unit.Dim || a.Unit.Per != b.Unit.Per {
		return false
	}
	switch a.Unit.Dim {
	case Money:
		return a.Unit.Name == b.Unit.Name
	case Count:
		return sameThing(a.Unit.Name, b.Unit.Name, nil)
	}
	return true
}

// Share is a divided by b as a bare ratio: "A is a third of B". Both must be points
// of one unit, and b not zero.
func Share(a, b Quantity) (Quantity, error) {
	if !a.Point() || !b.Point() || b.Lo.Sign() == 0 || !addable(a, b) {
		return Quantity{}, ErrOperands
	}
	v := new(big.Rat).Quo(a.Lo, b.Lo)
	return Quantity{Lo: v, Hi: v, Approx: a.Approx || b.Approx, Unit: Unit{Dim: Ratio, Name: "%"}}, nil
}

// Growth is the change from a to b as a share of a, with its sign in Delta: from 40
// to 50 is +25 %.
func Growth(a, b Quantity) (Quantity, error) {
	d, err := Difference(b, a)
	if err != nil || !a.Point() || !b.Point() || a.Lo.Sign() == 0 {
		return Quantity{}, ErrOperands
	}
	v := new(big.Rat).Quo(d.Lo, a.Lo)
	out := Quantity{Approx: a.Approx || b.Approx, Unit: Unit{Dim: Ratio, Name: "%"}, Delta: v.Sign()}
	v = new(big.Rat).Abs(v)
	out.Lo, out.Hi = v, v
	return out, nil
}

// Derived is how a claimed value follows from stated ones.
type Derived struct {
	Kind string // sum, difference, share, growth
	A, B int    // indices of the operands for difference, share, growth (claim = A-B, A/B, from A to B)
	All  []int  // operands of a sum
}

// maxOperands bounds the search of Derive.
const maxOperands = 12

// Derive looks for the arithmetic by which the claim follows from the operands: the
// sum of all, the sum, difference or share of two, or the growth from one to another. A derived
// value is compared like any other: the digits that the claim states must agree.
// It looks at the first twelve operands only.
func Derive(claim Quantity, operands []Quantity) (Derived, bool) {
	if !claim.Point() {
		return Derived{}, false
	}
	if len(operands) > maxOperands {
		operands = operands[:maxOperands]
	}
	agrees := func(q Quantity, err error) bool {
		if err != nil {
			return false
		}
		c := claim
		if q.Unit.Dim == Ratio {
			if c.Step == nil && c.Unit.Dim == Ratio && c.Unit.Factor != nil {
				// A share is hardly ever whole: 33 % of three is stated rounded.
				c.Step = c.Unit.Factor
			}
			c.Delta, q.Delta = 0, 0
			c.Unit = q.Unit
			return c.Lo.Cmp(q.Lo) == 0 || rounds(q.Lo, c.Lo, c.Step)
		}
		if !addable(c, q) {
			return false
		}
		c.Delta, q.Delta = 0, 0
		r, _ := Compare(c, q)
		return r == relation.Same
	}
	if n := len(operands); n >= 2 {
		if agrees(Sum(operands...)) {
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			return Derived{Kind: "sum", All: all}, true
		}
	}
	for i, a := range operands {
		for j, b := range operands {
			if i == j {
				continue
			}
			if i < j && agrees(Sum(a, b)) {
				return Derived{Kind: "sum", A: i, B: j, All: []int{i, j}}, true
			}
			if agrees(Difference(a, b)) {
				return Derived{Kind: "difference", A: i, B: j}, true
			}
			if claim.Unit.Dim != Ratio {
				continue
			}
			if claim.Delta == 0 && agrees(Share(a, b)) {
				return Derived{Kind: "share", A: i, B: j}, true
			}
			if g, err := Growth(a, b); err == nil && (claim.Delta == 0 || claim.Delta == g.Delta) && agrees(g, nil) {
				return Derived{Kind: "growth", A: i, B: j}, true
			}
		}
	}
	return Derived{}, false
}

// String is a canonical form for display and logs: the value in the base unit, the
// unit, the denominator; "≥3 kg", "3..5 day", "~35 %". It is not meant to be read back.
func (q Quantity) String() string {
	s := ""
	if q.Approx {
		s = "~"
	}
	w := written(&q)
	num := func(v *big.Rat) string {
		if v.IsInt() {
			return v.Num().String()
		}
		t := v.FloatString(6)
		for t[len(t)-1] == '0' {
			t = t[:len(t)-1]
		}
		return t
	}
	switch {
	case w.Lo == nil && w.Hi == nil:
		return "none"
	case w.Hi == nil && q.LoOpen:
		s += ">" + num(w.Lo)
	case w.Hi == nil:
		s += "≥" + num(w.Lo)
	case w.Lo == nil && q.HiOpen:
		s += "<" + num(w.Hi)
	case w.Lo == nil:
		s += "≤" + num(w.Hi)
	case w.Point():
		s += num(w.Lo)
	default:
		s += num(w.Lo) + ".." + num(w.Hi)
	}
	if q.Delta > 0 {
		s = "+" + s
	} else if q.Delta < 0 {
		s = "-" + s
	}
	name := q.Unit.Name
	if f := q.Unit.Factor; f != nil && f.Cmp(one) != 0 && q.Unit.Dim != Ratio {
		name = "×" + f.RatString() + " " + name
	}
	if name != "" {
		s += " " + name
	}
	if q.Unit.Per != "" {
		s += "/" + q.Unit.Per
	}
	return s
}
