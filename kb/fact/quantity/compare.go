package quantity

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/relation"
)

var (
	fivePercent = big.NewRat(1, 20)
	maxMonth    = big.NewRat(31, 1)
	minMonth    = big.NewRat(28, 1)
	daySeconds  = big.NewRat(86400, 1)
)

// Nouns tells whether two normalised names of counted things mean the same, such
// as "room" and 间. It is asked only for names that are not equal.
type Nouns func(a, b string) bool

// CompareWith is Compare with a judge of counted things; nil means equal names only.
func CompareWith(a, b Quantity, same Nouns) (relation.Relation, string) {
	return compare(&a, &b, same)
}

func compare(a, b *Quantity, same Nouns) (relation.Relation, string) {
	if a.Lo == nil && a.Hi == nil || b.Lo == nil && b.Hi == nil {
		return relation.Unknown, "no value"
	}
	ad, bd := a.Unit.Dim, b.Unit.Dim
	switch {
	case ad == Ordinal && bd == Ordinal:
		if a.Unit.Name != "" && b.Unit.Name != "" && a.Unit.Name != b.Unit.Name && (same == nil || !same(a.Unit.Name, b.Unit.Name)) {
			return relation.Differs, "other things numbered"
		}
		return points(a, b)
	case ad == Ordinal || bd == Ordinal:
		return relation.Differs, "a rank and an amount"
	case ad == ClockTime != (bd == ClockTime):
		return relation.Differs, "a time of day and an amount"
	}
	if (a.Delta != 0) != (b.Delta != 0) && !(a.Discount || b.Discount) {
		return relation.Differs, "a change and a level"
	}
	if a.Delta != 0 && b.Delta != 0 && a.Delta != b.Delta && ad == bd {
		return relation.Excludes, "opposite changes"
	}
	if ad != bd && Pounds(*a, *b) {
		return points(written(a), written(b))
	}
	if ad != bd {
		if r, why, ok := acrossDimensions(a, b); ok {
			return r, why
		}
	}
	switch {
	case ad == Money && bd == Money && a.Unit.Name != b.Unit.Name:
		return relation.Differs, "another currency"
	case ad == Count && bd == Count && !sameThing(a.Unit.Name, b.Unit.Name, same):
		return relation.Differs, "another thing counted"
	case ad == Frequency && bd == Frequency && a.Unit.Name != b.Unit.Name:
		return relation.Differs, "another kind of frequency"
	case ad == Ratio && bd == Ratio:
		if r, why, ok := discounts(a, b); ok {
			return r, why
		}
	}
	if a.Unit.Per != b.Unit.Per && a.Unit.Per != "" && b.Unit.Per != "" {
		k := perScale(a.Unit.Per, b.Unit.Per)
		if k == nil {
			return relation.Differs, "another denominator"
		}
		c := *b
		c.Lo, c.Hi, c.Step = times(b.Lo, k), times(b.Hi, k), times(b.Step, k)
		r, why := points(a, &c)
		if r == relation.Excludes && ad == Money {
			return relation.Differs, "another denominator"
		}
		return r, why
	}
	return points(a, b)
}

// perScale is what an amount per b must be multiplied by to be one per a; nil when
// the two cannot be converted.
func perScale(a, b string) *big.Rat {
	for _, t := range [...]map[string]*big.Rat{perDays, perMonths} {
		if x, y := t[a], t[b]; x != nil && y != nil {
			return new(big.Rat).Quo(x, y)
		}
	}
	return nil
}

func times(v, k *big.Rat) *big.Rat {
	if v == nil {
		return nil
	}
	return mul(v, k)
}

// acrossDimensions compares quantities of two dimensions; ok is false where the
// values may be compared as they stand.
func acrossDimensions(a, b *Quantity) (relation.Relation, string, bool) {
	ad, bd := a.Unit.Dim, b.Unit.Dim
	if ad == None || bd == None {
		// A bare number against one with a unit: the number as it was written counts.
		x, y := a, b
		if ad == None {
			y = written(b)
		} else {
			x = written(a)
		}
		r, why := points(x, y)
		if r == relation.Same {
			why += ", unit missing on one side"
		}
		return r, why, true
	}
	pair := func(x, y Dimension) bool { return ad == x && bd == y || ad == y && bd == x }
	switch {
	case pair(Duration, WorkingDays):
		return relation.Excludes, "unit: days and working days", true
	case pair(Duration, Months):
		days, months := a, b
		if ad == Months {
			days, months = b, a
		}
		return daysMonths(days, months)
	case pair(Months, WorkingDays):
		return relation.Differs, "unit: months and working days", true
	case pair(Ratio, Points):
		return relation.Differs, "unit: percent and percentage points", true
	case pair(Count, Ratio), pair(Count, Money):
		return relation.Differs, "another dimension", true
	}
	return relation.Differs, "another dimension", true
}

// daysMonths: a month has 28 to 31 days. Lengths that no calendar makes equal
// exclude each other.
func daysMonths(days, months *Quantity) (relation.Relation, string, bool) {
	if days.Point() && months.Point() {
		d := new(big.Rat).Quo(days.Lo, daySeconds)
		lo, hi := mul(months.Lo, minMonth), mul(months.Lo, maxMonth)
		if d.Cmp(lo) < 0 || d.Cmp(hi) > 0 {
			return relation.Excludes, "lengths differ: days and months", true
		}
	} else if days.Lo != nil && months.Lo != nil || days.Hi != nil && months.Hi != nil {
		x, y := days.Lo, months.Lo
		if x == nil || y == nil {
			x, y = days.Hi, months.Hi
		}
		if x == nil || y == nil {
			return relation.Differs, "unit: days and calendar months", true
		}
		d := new(big.Rat).Quo(x, daySeconds)
		if d.Cmp(mul(y, minMonth)) < 0 || d.Cmp(mul(y, maxMonth)) > 0 {
			return relation.Excludes, "limits differ: days and months", true
		}
	}
	return relation.Differs, "unit: days and calendar months", true
}

// written gives the quantity in its own unit rather than the base unit.
func written(q *Quantity) *Quantity {
	f := q.Unit.Factor
	if f == nil || f.Sign() == 0 || q.Unit.Dim == Temperature {
		return q
	}
	div := func(v *big.Rat) *big.Rat {
		if v == nil {
			return nil
		}
		return new(big.Rat).Quo(v, f)
	}
	out := *q
	out.Lo, out.Hi, out.Step = div(q.Lo), div(q.Hi), div(q.Step)
	return &out
}

// Pounds reports whether both quantities are written in pounds, one read as a mass and the
// other as money: by themselves the words do not tell.
func Pounds(a, b Quantity) bool {
	in := func(x, y Quantity) bool {
		return x.Unit.Dim == Money && x.Unit.Name == "GBP" && y.Unit.Dim == Mass && strings.Contains(x.Raw, "pound") && strings.Contains(y.Raw, "pound")
	}
	return in(a, b) || in(b, a)
}

// OneNumber reports whether two points are written with one number, whatever their units.
func OneNumber(a, b Quantity) bool {
	if !a.Point() || !b.Point() || a.Lo == nil || b.Lo == nil {
		return false
	}
	return written(&a).Lo.Cmp(written(&b).Lo) == 0
}

// Below reports whether the number of a point, as it is written, is less than n.
func Below(q Quantity, n int64) bool {
	return q.Lo != nil && written(&q).Lo.Cmp(big.NewRat(n, 1)) < 0
}

// discounts compares 七五折 with 25 % off.
func discounts(a, b *Quantity) (relation.Relation, string, bool) {
	fa, fb := a.Unit.Name == "折", b.Unit.Name == "折"
	switch {
	case fa == fb:
		if a.Discount != b.Discount && !fa && a.Point() && b.Point() {
			if r, why := points(a, b); r == relation.Same {
				return r, why, true
			}
			if r, _ := points(complement(a), b); r == relation.Same {
				return relation.Same, "equal as price after discount", true
			}
		}
		return 0, "", false
	case fb:
		a, b = b, a
	}
	// a is a share of the price.
	if b.Discount {
		r, why := points(complement(a), b)
		return r, why, true
	}
	if r, why := points(a, b); r == relation.Same {
		return r, why, true
	}
	if r, _ := points(complement(a), b); r == relation.Same {
		return relation.Same, "equal as discount", true
	}
	return relation.Excludes, "another discount", true
}

// Complement is one minus a ratio: what is left of a price after a discount. Other
// quantities come back unchanged.
func (q Quantity) Complement() Quantity { return *complement(&q) }

func complement(q *Quantity) *Quantity {
	if q.Unit.Dim != Ratio {
		return q
	}
	sub := func(v *big.Rat) *big.Rat {
		if v == nil {
			return nil
		}
		return new(big.Rat).Sub(one, v)
	}
	out := *q
	out.Lo, out.Hi = sub(q.Hi), sub(q.Lo)
	out.LoOpen, out.HiOpen = q.HiOpen, q.LoOpen
	return &out
}

// sameThing: equal names, one missing, a Chinese counting word against a noun, or
// what the judge says.
func sameThing(a, b string, same Nouns) bool {
	if a == b || a == "" || b == "" {
		return true
	}
	if same != nil && same(a, b) {
		return true
	}
	ca, cb := isCounter(a), isCounter(b)
	if ca != cb {
		return true
	}
	return ca && cb && (a == "个" || b == "个" || oneMeasure(a, b))
}

// alikeMeasures are Chinese measure words that one thing may be counted by.
var alikeMeasures = []string{"本册", "台架", "台辆", "名位人", "家间", "座栋幢", "条根", "次回趟", "起宗", "起件", "枝支", "粒颗", "只头", "张幅", "处座"}

func oneMeasure(a, b string) bool {
	return slices.ContainsFunc(alikeMeasures, func(m string) bool { return strings.Contains(m, a) && strings.Contains(m, b) })
}

func isCounter(name string) bool {
	for _, r := range name {
		return r >= 0x4e00
	}
	return false
}

// points compares the values themselves, in one unit.
func points(a, b *Quantity) (relation.Relation, string) {
	ap, bp := a.point(), b.point()
	switch {
	case ap && bp:
		return twoPoints(a, b)
	case ap || bp:
		p, iv := a, b
		if bp {
			p, iv = b, a
		}
		if inside(p.Lo, iv) && !short(p, iv) {
			return relation.Same, "within the bound"
		}
		if short(p, iv) {
			return relation.Excludes, "nearly, and not beyond it"
		}
		if (p.Approx || iv.Approx) && nearEnd(p.Lo, iv) {
			return relation.Same, "about at the bound"
		}
		return relation.Excludes, "outside the bound"
	}
	// Two bounds or ranges.
	if equalEnd(a.Lo, b.Lo) && equalEnd(a.Hi, b.Hi) {
		if a.Lo != nil && a.LoOpen != b.LoOpen || a.Hi != nil && a.HiOpen != b.HiOpen {
			return relation.Differs, "same limit, excluded on one side"
		}
		return relation.Same, "equal bounds"
	}
	if disjoint(a, b) {
		return relation.Excludes, "disjoint ranges"
	}
	aLow, aHigh := a.Hi == nil, a.Lo == nil
	bLow, bHigh := b.Hi == nil, b.Lo == nil
	switch {
	case aLow && bHigh || aHigh && bLow:
		return relation.Differs, "a lower and an upper limit"
	case aLow && bLow:
		if (a.Approx || b.Approx) && near(a.Lo, b.Lo) {
			return relation.Same, "about equal limits"
		}
		return relation.Excludes, "two lower limits"
	case aHigh && bHigh:
		if (a.Approx || b.Approx) && near(a.Hi, b.Hi) {
			return relation.Same, "about equal limits"
		}
		return relation.Excludes, "two upper limits"
	case !aLow && !aHigh && !bLow && !bHigh:
		if a.Approx || b.Approx {
			return relation.Same, "overlapping approximate ranges"
		}
		return relation.Excludes, "two ranges"
	}
	// A range against a limit.
	r, l := a, b
	if aLow || aHigh {
		r, l = b, a
	}
	if l.Hi == nil && order(r.Lo, l.Lo) >= 0 || l.Lo == nil && order(r.Hi, l.Hi) <= 0 {
		return relation.Same, "range within the bound"
	}
	return relation.Excludes, "range beyond the bound"
}

// Words that leave a value below or above the number that they stand beside.
var (
	nearlyWords = []string{"近", "将近", "接近", "nearly ", "almost ", "close to "}
	overWords   = []string{"多", "余"}
)

// short reports whether a value stays on the other side of the very number that a bound
// begins at: nearly 60 % are not over 60 %, 一千多 not below 一千.
func short(p, bound *Quantity) bool {
	if !p.Approx || p.Raw == "" {
		return false
	}
	begins := func(w string) bool { return strings.HasPrefix(p.Raw, w) }
	if bound.Lo != nil && bound.Hi == nil && order(p.Lo, bound.Lo) == 0 && slices.ContainsFunc(nearlyWords, begins) {
		return true
	}
	return bound.Hi != nil && bound.Lo == nil && order(p.Lo, bound.Hi) == 0 && !strings.Contains(p.Raw, "差不多") && slices.ContainsFunc(overWords, func(w string) bool { return strings.Contains(p.Raw, w) })
}

func equalEnd(a, b *big.Rat) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return order(a, b) == 0
}

func inside(v *big.Rat, iv *Quantity) bool {
	if iv.Lo != nil {
		if c := order(v, iv.Lo); c < 0 || c == 0 && iv.LoOpen {
			return false
		}
	}
	if iv.Hi != nil {
		if c := order(v, iv.Hi); c > 0 || c == 0 && iv.HiOpen {
			return false
		}
	}
	return true
}

func nearEnd(v *big.Rat, iv *Quantity) bool {
	return iv.Lo != nil && near(v, iv.Lo) || iv.Hi != nil && near(v, iv.Hi)
}

func disjoint(a, b *Quantity) bool {
	before := func(x, y *Quantity) bool { // x wholly below y
		if x.Hi == nil || y.Lo == nil {
			return false
		}
		c := order(x.Hi, y.Lo)
		return c < 0 || c == 0 && (x.HiOpen || y.LoOpen)
	}
	return before(a, b) || before(b, a)
}

// near reports a difference of at most 5 % of the larger absolute value.
func near(a, b *big.Rat) bool {
	if x, y, ok := small(a, b); ok {
		return 20*abs(x-y) <= max(abs(x), abs(y))
	}
	d := new(big.Rat).Sub(a, b)
	d.Abs(d)
	if d.Sign() == 0 {
		return true
	}
	m := larger(a, b)
	return d.Cmp(mul(m, fivePercent)) <= 0
}

// small gives two whole numbers below 2^52, with which one may reckon without big
// numbers; ok is false for others.
func small(a, b *big.Rat) (x, y int64, ok bool) {
	if !a.IsInt() || !b.IsInt() || a.Num().BitLen() > 52 || b.Num().BitLen() > 52 {
		return 0, 0, false
	}
	return a.Num().Int64(), b.Num().Int64(), true
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// order compares two numbers as big.Rat.Cmp does, without big numbers where both are
// fractions of small ones.
func order(a, b *big.Rat) int {
	if x, y, ok := small(a, b); ok {
		return cmp.Compare(x, y)
	}
	x, p, ok := fraction(a)
	y, q, both := fraction(b)
	if !ok || !both {
		return a.Cmp(b)
	}
	return cmp.Compare(x*q, y*p)
}

// fraction gives numerator and denominator below 2^31.
func fraction(r *big.Rat) (num, denom int64, ok bool) {
	n := r.Num()
	if n.BitLen() > 31 {
		return 0, 0, false
	}
	if r.IsInt() {
		return n.Int64(), 1, true
	}
	d := r.Denom()
	if d.BitLen() > 31 {
		return 0, 0, false
	}
	return n.Int64(), d.Int64(), true
}

func larger(a, b *big.Rat) *big.Rat {
	x, y := new(big.Rat).Abs(a), new(big.Rat).Abs(b)
	if x.Cmp(y) < 0 {
		return y
	}
	return x
}

// rounds reports whether v rounds to q at q's last stated digit.
func rounds(v, q, step *big.Rat) bool {
	if step == nil || step.Sign() <= 0 {
		return false
	}
	d := new(big.Rat).Sub(v, q)
	d.Abs(d)
	return d.Cmp(mul(step, half)) <= 0
}

func twoPoints(a, b *Quantity) (relation.Relation, string) {
	if order(a.Lo, b.Lo) == 0 {
		return relation.Same, "equal"
	}
	if a.Approx && rounds(b.Lo, a.Lo, a.lastDigit()) || b.Approx && rounds(a.Lo, b.Lo, b.lastDigit()) {
		return relation.Same, "equal after rounding to the stated digits"
	}
	if !near(a.Lo, b.Lo) {
		return relation.Excludes, "values differ"
	}
	if a.Approx || b.Approx {
		return relation.Same, "within 5 % of an approximate value"
	}
	if rounds(b.Lo, a.Lo, a.Step) || rounds(a.Lo, b.Lo, b.Step) {
		return relation.Same, "equal after rounding to the stated digits"
	}
	return relation.Excludes, "values differ"
}

// lastDigit is the step to which an approximate value is rounded: its last stated
// digit, or the last that is not zero (about 900).
func (q *Quantity) lastDigit() *big.Rat {
	if q.Step != nil {
		return q.Step
	}
	if q.Unit.Dim == Temperature || q.Lo == nil {
		return nil
	}
	w := written(q)
	if !w.Lo.IsInt() || w.Lo.Sign() == 0 {
		return nil
	}
	if q.Unit.Dim != Ratio && w.Lo.Num().BitLen() < 7 {
		return nil
	}
	zeros := 0
	s := w.Lo.Num().String()
	for k := len(s) - 1; k > 0 && s[k] == '0' && zeros < 30; k-- {
		zeros++
	}
	step := pow10[zeros]
	if q.Unit.Factor != nil {
		step = mul(step, q.Unit.Factor)
	}
	return step
}

// RelativeDifference is the difference of two points relative to the larger absolute value, 0..2; ok is
// false when one is no point. For display and for thresholds such as 20 %, never
// for equality.
func RelativeDifference(a, b Quantity) (float64, bool) {
	if !a.Point() || !b.Point() {
		return 0, false
	}
	if x, y, ok := small(a.Lo, b.Lo); ok {
		if x == y {
			return 0, true
		}
		return float64(abs(x-y)) / float64(max(abs(x), abs(y))), true
	}
	d := new(big.Rat).Sub(a.Lo, b.Lo)
	if d.Sign() == 0 {
		return 0, true
	}
	d.Abs(d)
	f, _ := d.Quo(d, larger(a.Lo, b.Lo)).Float64()
	return f, true
}
