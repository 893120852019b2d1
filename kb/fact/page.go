package fact

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// pageVersion is the first byte of an encoded page. Raise it when the form changes;
// pages of another version are read anew from their text.
const pageVersion = 2

// ErrPage says that bytes are no page of this version.
var ErrPage = errors.New("not an encoded page")

// MarshalBinary encodes all of the page but its text, which the store has anyway.
// Strings and term lists that occur several times are written once.
func (p *Page) MarshalBinary() ([]byte, error) {
	w := &pageWriter{strings: map[string]uint64{}, lists: map[listKey]uint64{}, numbers: map[Term]int{}}
	w.uint(uint64(len(p.Sentences)))
	for _, s := range p.Sentences {
		w.span(s.Span)
		w.str(string(s.Kind))
		w.int(s.Clauses[0])
		w.int(s.Clauses[1])
		w.int(s.Item)
	}
	w.uint(uint64(len(p.Clauses)))
	for i := range p.Clauses {
		c := &p.Clauses[i]
		w.span(c.Span)
		w.int(c.Sentence)
		w.terms(c.Terms)
		w.terms(c.Context)
		w.part(c.Topic)
		w.quantities(c.Quantities)
		w.times(c.Times)
		w.conditions(c.Conditions)
		w.bits(c.Denied, c.Hedged, c.Imperative)
		w.str(string(c.Modality))
		w.str(string(c.Quantifier))
		w.int(c.Facts[0])
		w.int(c.Facts[1])
	}
	w.uint(uint64(len(p.Facts)))
	for i := range p.Facts {
		f := &p.Facts[i]
		w.span(f.Span)
		w.int(f.Sentence)
		w.int(f.Clause)
		w.part(f.Subject)
		w.part(f.Attribute)
		w.value(&f.Value)
		w.terms(f.Anchors)
		w.times(f.Times)
		w.conditions(f.Conditions)
		w.part(f.Place)
		w.bits(f.Denied, f.Hedged, f.Complete, f.Threshold, f.Relation != nil)
		w.str(string(f.Modality))
		w.str(string(f.Quantifier))
		w.str(string(f.Role))
		w.float(f.Confidence)
		if f.Relation != nil {
			w.str(f.Relation.Op)
			w.part(f.Relation.Word)
			w.part(f.Relation.Other)
		}
	}
	w.uint(uint64(len(p.Aliases)))
	for _, a := range p.Aliases {
		w.str(a.Short)
		w.str(a.Full)
	}
	w.uint(uint64(len(p.References)))
	for _, r := range p.References {
		w.span(r.Span)
		w.str(r.Target)
	}
	return append([]byte{pageVersion}, w.out...), nil
}

// UnmarshalBinary decodes what MarshalBinary wrote. Runes is left as it is. Bytes of
// another version, or damaged ones, give an error that is ErrPage.
func (p *Page) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != pageVersion {
		return fmt.Errorf("decode page: %w: unknown version", ErrPage)
	}
	r := &pageReader{data: data[1:]}
	var q struct {
		Sentences  []SentenceInfo
		Clauses    []Clause
		Facts      []Fact
		Aliases    []Alias
		References []Reference
	}
	q.Sentences = make([]SentenceInfo, r.count(5))
	for i := range q.Sentences {
		s := &q.Sentences[i]
		s.Span = r.span()
		s.Kind = SentenceKind(r.str())
		s.Clauses = [2]int{r.int(), r.int()}
		s.Item = r.int()
	}
	q.Clauses = make([]Clause, r.count(10))
	for i := range q.Clauses {
		c := &q.Clauses[i]
		c.Span = r.span()
		c.Sentence = r.int()
		c.Terms = r.terms()
		c.Context = r.terms()
		c.Topic = r.part()
		c.Quantities = r.quantities()
		c.Times = r.times()
		c.Conditions = r.conditions()
		b := r.bits()
		c.Denied, c.Hedged, c.Imperative = b[0], b[1], b[2]
		c.Modality, c.Quantifier = Modality(r.str()), Quantifier(r.str())
		c.Facts = [2]int{r.int(), r.int()}
	}
	q.Facts = make([]Fact, r.count(12))
	for i := range q.Facts {
		f := &q.Facts[i]
		f.Span = r.span()
		f.Sentence, f.Clause = r.int(), r.int()
		f.Subject, f.Attribute = r.part(), r.part()
		f.Value = r.value()
		f.Anchors = r.terms()
		f.Times = r.times()
		f.Conditions = r.conditions()
		f.Place = r.part()
		b := r.bits()
		f.Denied, f.Hedged, f.Complete, f.Threshold = b[0], b[1], b[2], b[3]
		f.Modality, f.Quantifier, f.Role = Modality(r.str()), Quantifier(r.str()), Role(r.str())
		f.Confidence = r.float()
		if b[4] {
			f.Relation = &Comparison{Op: r.str(), Word: r.part(), Other: r.part()}
		}
	}
	if n := r.count(2); n > 0 {
		q.Aliases = make([]Alias, n)
		for i := range q.Aliases {
			q.Aliases[i] = Alias{r.str(), r.str()}
		}
	}
	if n := r.count(3); n > 0 {
		q.References = make([]Reference, n)
		for i := range q.References {
			q.References[i] = Reference{r.span(), r.str()}
		}
	}
	if r.failed {
		return fmt.Errorf("decode page: %w: damaged", ErrPage)
	}
	p.Sentences, p.Clauses, p.Facts, p.Aliases, p.References = q.Sentences, q.Clauses, q.Facts, q.Aliases, q.References
	p.ready.Store(nil)
	p.cells.Store(nil)
	p.words.Store(nil)
	p.once.Clear()
	return nil
}

// listKey names a term list by its array: lists that clauses and facts share are
// written once.
type listKey struct {
	first *Term
	n     int
}

type pageWriter struct {
	out     []byte
	strings map[string]uint64
	lists   map[listKey]uint64
	numbers map[Term]int // without weight and origin
}

func (w *pageWriter) uint(v uint64) { w.out = binary.AppendUvarint(w.out, v) }
func (w *pageWriter) int(v int)     { w.out = binary.AppendVarint(w.out, int64(v)) }

// weightSteps are the steps between 0 and 1 that a stored weight distinguishes.
const weightSteps = 250

// float keeps four digits, which is all that confidences need.
func (w *pageWriter) float(v float64) { w.int(int(math.Round(v * 10000))) }

func (w *pageWriter) span(s text.Span) {
	w.int(s.Start)
	w.int(s.End - s.Start)
}

// str writes a string in full the first time and its number after that.
func (w *pageWriter) str(s string) {
	if n, ok := w.strings[s]; ok {
		w.uint(n)
		return
	}
	w.strings[s] = uint64(len(w.strings) + 1)
	w.uint(0)
	w.uint(uint64(len(s)))
	w.out = append(w.out, s...)
}

func (w *pageWriter) bits(bits ...bool) {
	var b byte
	for i, v := range bits {
		if v {
			b |= 1 << i
		}
	}
	w.out = append(w.out, b)
}

func (w *pageWriter) part(p Part) {
	w.str(p.Text)
	w.span(p.Span)
}

func (w *pageWriter) terms(ts []Term) {
	if len(ts) == 0 {
		w.uint(0)
		return
	}
	key := listKey{&ts[0], len(ts)}
	if n, ok := w.lists[key]; ok {
		w.uint(n)
		return
	}
	w.lists[key] = uint64(len(w.lists) + 2)
	w.uint(1)
	w.uint(uint64(len(ts)))
	prev := 0
	for i := range ts {
		t := &ts[i]
		key := *t
		key.Weight, key.Origin = 0, 0
		n, ok := w.numbers[key]
		if !ok {
			n = len(w.numbers)
			w.numbers[key] = n
		}
		w.int(n - prev) // neighbours in one list are neighbours in another
		prev = n
		if !ok {
			w.str(t.Text)
			w.span(t.Span)
			w.bits(t.Name)
			w.int(int(t.Synset))
		}
		w.out = append(w.out, byte(math.Round(t.Weight*weightSteps)), byte(t.Origin))
	}
}

func (w *pageWriter) rat(r *big.Rat) {
	if r == nil {
		w.str("")
		return
	}
	w.str(r.RatString())
}

func (w *pageWriter) quantity(q *quantity.Quantity) {
	w.span(q.Span)
	w.span(q.Number)
	w.rat(q.Lo)
	w.rat(q.Hi)
	w.bits(q.LoOpen, q.HiOpen, q.Approx, q.Weak, q.Discount)
	w.int(q.Sig)
	w.rat(q.Step)
	w.str(string(q.Unit.Dim))
	w.str(q.Unit.Name)
	w.rat(q.Unit.Factor)
	w.str(q.Unit.Per)
	w.str(q.Noun)
	w.span(q.NounSpan)
	w.int(q.Delta)
	w.str(q.Raw)
}

func (w *pageWriter) quantities(qs []quantity.Quantity) {
	w.uint(uint64(len(qs)))
	for i := range qs {
		w.quantity(&qs[i])
	}
}

func (w *pageWriter) day(t time.Time) {
	if t.IsZero() {
		w.int(math.MinInt32)
		return
	}
	w.int(int(math.Floor(float64(t.Unix()) / 86400)))
}

func (w *pageWriter) time(t *when.Expr) {
	w.span(t.Span)
	w.str(string(t.Kind))
	w.day(t.From)
	w.day(t.To)
	w.str(t.Text)
	w.str(t.Calendar)
	w.str(t.Grain)
}

func (w *pageWriter) times(ts []when.Expr) {
	w.uint(uint64(len(ts)))
	for i := range ts {
		w.time(&ts[i])
	}
}

func (w *pageWriter) conditions(cs []Condition) {
	w.uint(uint64(len(cs)))
	for i := range cs {
		c := &cs[i]
		w.str(string(c.Kind))
		w.str(c.Text)
		w.span(c.Span)
		w.terms(c.Terms)
		w.quantities(c.Quantities)
		w.times(c.Times)
		w.bits(c.Negated)
	}
}

func (w *pageWriter) value(v *Value) {
	w.str(string(v.Kind))
	w.str(v.Text)
	w.span(v.Span)
	w.bits(v.Quantity != nil, v.Time != nil)
	if v.Quantity != nil {
		w.quantity(v.Quantity)
	}
	if v.Time != nil {
		w.time(v.Time)
	}
}

type pageReader struct {
	data    []byte
	failed  bool
	strings []string
	lists   [][]Term
	known   []Term
	rats    map[string]*big.Rat
}

func (r *pageReader) uint() uint64 {
	v, n := binary.Uvarint(r.data)
	if n <= 0 {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return v
}

func (r *pageReader) int() int {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.failed, r.data = true, nil
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// count reads the length of a list whose elements take at least size bytes each.
func (r *pageReader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.data)/size) {
		r.failed, r.data = true, nil
		return 0
	}
	return int(n)
}

func (r *pageReader) float() float64 { return float64(r.int()) / 10000 }

func (r *pageReader) span() text.Span {
	start := r.int()
	return text.Span{Start: start, End: start + r.int()}
}

func (r *pageReader) str() string {
	n := r.uint()
	if n > 0 {
		if n > uint64(len(r.strings)) {
			r.failed = true
			return ""
		}
		return r.strings[n-1]
	}
	l := r.uint()
	if l > uint64(len(r.data)) {
		r.failed, r.data = true, nil
		return ""
	}
	s := string(r.data[:l])
	r.data = r.data[l:]
	r.strings = append(r.strings, s)
	return s
}

func (r *pageReader) bits() (out [8]bool) {
	if len(r.data) == 0 {
		r.failed = true
		return out
	}
	b := r.data[0]
	r.data = r.data[1:]
	for i := range out {
		out[i] = b&(1<<i) != 0
	}
	return out
}

func (r *pageReader) part() Part { return Part{Text: r.str(), Span: r.span()} }

func (r *pageReader) terms() []Term {
	k := r.uint()
	switch {
	case k == 0:
		return nil
	case k > 1:
		if k-2 >= uint64(len(r.lists)) {
			r.failed = true
			return nil
		}
		return r.lists[k-2]
	}
	out := make([]Term, r.count(3))
	prev := 0
	for i := range out {
		n := prev + r.int()
		prev = n
		switch {
		case n == len(r.known):
			t := Term{Text: r.str(), Span: r.span(), Name: r.bits()[0]}
			t.Synset = int32(r.int())
			r.known = append(r.known, t)
		case n < 0 || n > len(r.known):
			r.failed, r.data = true, nil
			return nil
		}
		out[i] = r.known[n]
		if len(r.data) < 2 {
			r.failed, r.data = true, nil
			return nil
		}
		out[i].Weight, out[i].Origin = float64(r.data[0])/weightSteps, Origin(r.data[1])
		r.data = r.data[2:]
	}
	r.lists = append(r.lists, out)
	return out
}

func (r *pageReader) rat() *big.Rat {
	s := r.str()
	if s == "" {
		return nil
	}
	if v, ok := r.rats[s]; ok {
		return v
	}
	v, ok := new(big.Rat).SetString(s)
	if !ok {
		r.failed = true
		return nil
	}
	if r.rats == nil {
		r.rats = map[string]*big.Rat{}
	}
	r.rats[s] = v
	return v
}

func (r *pageReader) quantity() quantity.Quantity {
	q := quantity.Quantity{Span: r.span(), Number: r.span(), Lo: r.rat(), Hi: r.rat()}
	b := r.bits()
	q.LoOpen, q.HiOpen, q.Approx, q.Weak, q.Discount = b[0], b[1], b[2], b[3], b[4]
	q.Sig = r.int()
	q.Step = r.rat()
	q.Unit = quantity.Unit{Dim: quantity.Dimension(r.str()), Name: r.str(), Factor: r.rat(), Per: r.str()}
	q.Noun = r.str()
	q.NounSpan = r.span()
	q.Delta = r.int()
	q.Raw = r.str()
	return q
}

func (r *pageReader) quantities() []quantity.Quantity {
	n := r.count(10)
	if n == 0 {
		return nil
	}
	out := make([]quantity.Quantity, n)
	for i := range out {
		out[i] = r.quantity()
	}
	return out
}

func (r *pageReader) day() time.Time {
	d := r.int()
	if d == math.MinInt32 {
		return time.Time{}
	}
	return time.Unix(int64(d)*86400, 0).UTC()
}

func (r *pageReader) time() when.Expr {
	return when.Expr{Span: r.span(), Kind: when.Kind(r.str()), From: r.day(), To: r.day(), Text: r.str(), Calendar: r.str(), Grain: r.str()}
}

func (r *pageReader) times() []when.Expr {
	n := r.count(7)
	if n == 0 {
		return nil
	}
	out := make([]when.Expr, n)
	for i := range out {
		out[i] = r.time()
	}
	return out
}

func (r *pageReader) conditions() []Condition {
	n := r.count(7)
	if n == 0 {
		return nil
	}
	out := make([]Condition, n)
	for i := range out {
		c := &out[i]
		c.Kind = ConditionKind(r.str())
		c.Text = r.str()
		c.Span = r.span()
		c.Terms = r.terms()
		c.Quantities = r.quantities()
		c.Times = r.times()
		c.Negated = r.bits()[0]
	}
	return out
}

func (r *pageReader) value() Value {
	v := Value{Kind: ValueKind(r.str()), Text: r.str(), Span: r.span()}
	b := r.bits()
	if b[0] {
		q := r.quantity()
		v.Quantity = &q
	}
	if b[1] {
		t := r.time()
		v.Time = &t
	}
	return v
}
