// Package quantity reads numbers with their units in Chinese and English and
// compares them by exact rational arithmetic.
package quantity

import (
	"math/big"

	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// Dimension is what a unit measures. Quantities of different dimensions are
// never the same and do not exclude each other, except that 30 days and 30
// working days are two claims about one thing.
type Dimension string

// Dimensions. Money is kept by currency (Unit.Name); counts by what is counted.
const (
	None        Dimension = "" // a bare number
	Money       Dimension = "money"
	Duration    Dimension = "duration" // exact: seconds to weeks
	Months      Dimension = "months"   // months, quarters, years
	WorkingDays Dimension = "workdays"
	Length      Dimension = "length"
	Area        Dimension = "area"
	Volume      Dimension = "volume"
	Mass        Dimension = "mass"
	Speed       Dimension = "speed"
	Temperature Dimension = "temperature"
	Energy      Dimension = "energy"
	Power       Dimension = "power"
	Data        Dimension = "data"
	DataRate    Dimension = "datarate"
	Frequency   Dimension = "frequency" // hertz, and "times a day"
	Ratio       Dimension = "ratio"     // %, ‰, fractions, 成, 折, times (倍)
	Points      Dimension = "points"    // percentage points, basis points
	Pressure    Dimension = "pressure"
	Angle       Dimension = "angle"
	Count       Dimension = "count"   // people, items, 家, 台, ...
	Ordinal     Dimension = "ordinal" // 第三, third, version and article numbers
	ClockTime   Dimension = "clock"   // 10:30, 9时, 3 pm: minutes since midnight
)

// Unit is a unit of a dimension. Base value = value × Factor (+ Offset for
// temperatures).
type Unit struct {
	Dim    Dimension
	Name   string   // canonical name: m, kg, day, CNY, %, person, 家 ...
	Factor *big.Rat // to the base unit of the dimension; nil = 1
	Per    string   // canonical denominator, such as "month", "person", "kg"; "" = none
}

// Quantity is a number, bound or range with its unit. Lo and Hi are in the base
// unit of the dimension; nil is unbounded.
type Quantity struct {
	text.Span           // number and unit, with bound or approximation words
	Number    text.Span // the digits alone
	Lo, Hi    *big.Rat
	LoOpen    bool     // Lo itself is excluded (超过, more than)
	HiOpen    bool     // Hi itself is excluded (不满, less than)
	Approx    bool     // 约, about, nearly, 左右, some
	Sig       int      // significant digits stated, for approximate values; 0 = exact by nature
	Step      *big.Rat // value of the last stated digit in base units: 8.9亿 → 10,000,000; nil = exact
	Unit      Unit
	Noun      string // the counted thing, as written ("office", "人次"); "" = none
	NounSpan  text.Span
	Delta     int    // +1 / -1: the quantity is a change (rose by, 下降了); 0: a level
	Raw       string // as written, folded
	Weak      bool   // 一个, one: may be no more than an article
	Discount  bool   // taken off a price (优惠25%, 25 % off), or with Unit.Name 折 the share of the price that is left
}

// Point reports whether the quantity is one value, not a bound or range.
func (q Quantity) Point() bool { return q.point() }

func (q *Quantity) point() bool {
	return q.Lo != nil && q.Hi != nil && (q.Lo == q.Hi || order(q.Lo, q.Hi) == 0)
}

// Find returns all quantities of a folded text (text.Fold), in order, without
// overlap. Calendar dates and years are left to package when: a Quantity may lie
// where when.Find finds an expression, and the caller prefers the expression.
// Linear time; never panics.
func Find(folded []rune) []Quantity {
	s := scanner{f: folded}
	s.run()
	elided(folded, s.out)
	listed(folded, s.out)
	return s.out
}

// Compare says how two quantities stand to each other when they are stated of
// one thing: Same (equal after conversion, rounding to the stated digits, within
// 5 % when one is approximate, or one lies within the other's bound), Excludes,
// Differs (another dimension, currency, counted thing or denominator), Unknown.
// The string is the reason in a few English words.
//
// Two limits of one direction are two statements of one rule: "at least 3" and
// "at least 5" exclude each other, and so do two different ranges. A lower and an
// upper limit differ, unless no value satisfies both.
func Compare(a, b Quantity) (relation.Relation, string) { return CompareWith(a, b, nil) }

// Words parses a whole string as one quantity; false if it is none.
func Words(s string) (Quantity, bool) {
	folded := text.Fold([]rune(s))
	found := Find(folded)
	if len(found) != 1 {
		return Quantity{}, false
	}
	for i, r := range folded {
		if (i < found[0].Start || i >= found[0].End) && r != ' ' && r != '\n' && r != '\t' && r != '.' && r != '。' {
			return Quantity{}, false
		}
	}
	return found[0], true
}
