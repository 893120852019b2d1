package fact

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// fitting lays one fact beside one need: how far the fact, what it inherits and what
// surrounds it carry each part of what is asked, and whether it speaks of another
// thing or case. A round has one and uses it for fact after fact; nothing in it holds
// beyond the next one.
type fitting struct {
	engine *Engine
	links  *links

	n    *prepared
	v    *view
	page int
	i    int
	f    *Fact

	whole   bool    // the clause answers as a whole, not a value in it
	foreign bool    // the page is in another language than the question
	unnamed bool    // no subject of its own that was not asked about
	scale   float64 // how much what the fact inherits counts
	bag     *bag    // what the fact is about
	link    *link   // what other pages say of its subject; nil = it has none
	first   int     // the fact whose words a parallel one leaves out; -1 = none
	tier    *bag    // what that one says for all

	siblingOf *prepared // what sibling was worked out for
	siblingOn *view
	sibling   bool

	parts      []part
	subject    float64 // share of the subject that the fact itself carries
	replaced   bool    // see substituted
	total, sum float64 // weight of the need, and of what is carried of it
	room       []float64
	spare      []float64
	implied    map[impliedKey][]int32
}

// part is a part of a need with how far each of its cells is carried.
type part struct {
	w     *wording
	cells []float64
	role  partRole
}

type partRole uint8

const (
	subjectPart partRole = iota
	attributePart
	givenPart
)

// leastFit is the least fit of a candidate.
const leastFit = 0.25

// fit measures how well a fact fills a need. What a candidate lacks is worked out only
// when its fit is above leastFit; its words are listed in gaps where that is not nil.
func (x *fitting) fit(n *prepared, v *view, page, i int, gaps *[]string) candidate {
	x.begin(n, v, page, i)
	x.layParts()
	for k := range x.parts {
		x.surround(&x.parts[k])
	}
	x.weigh()
	c := candidate{ref: Ref{Page: page, Fact: i, Span: x.f.Span, Value: x.f.Value.Span}}
	if x.total == 0 {
		// The question names nothing but the kind of answer; its own words decide.
		if x.total = n.all.total; x.total == 0 {
			return c
		}
		x.sum = n.all.scoreOn(x.bag) * x.total
	}
	c.fit = x.sum / x.total
	if x.f.Threshold { // a bound inside a condition is seldom what is asked
		c.fit *= 0.85
	}
	c.ref.Score = c.fit
	if c.fit <= leastFit {
		return c
	}
	c.own = x.ownFit()
	if x.attributeLost() {
		c.worst = 1
	}
	x.lack(&c, gaps)
	c.late = x.engine.elsewhere(n, v, i)
	if x.pieceLost() {
		c.worst = 1
	}
	if x.anotherThing() {
		c.worst, c.other = 1, true
	}
	if c.fit < fillFit+tierBonus && n.withinTier(v, i) {
		c.fit, c.worst = math.Min(1, c.fit+tierBonus), c.worst*tierGap
	}
	if x.ofSibling(n, v) {
		c.worst, c.other = 1, true
	}
	for k, o := range n.others {
		// The fact speaks of a sibling, not of this subject.
		if x.subject < 0.8 && o.scoreOn(x.bag) > 0.8 || told(n.subject, n.tell[k], x.parts[0].cells) < cellCovered && o.scoreOn(x.bag) >= leastSibling {
			c.worst = 1
		}
	}
	return c
}

// leastSibling is the least share of a sibling's name that a fact has which has none of what
// tells the asked thing from it.
const leastSibling = 0.5

// told is the share of the cells that tell a thing from a sibling that are carried; 1 where
// nothing tells them.
func told(w *wording, tell []bool, cells []float64) float64 {
	sum, total := 0.0, 0.0
	for k := range w.cells {
		if tell[k] {
			total += w.cells[k].weight
			sum += w.cells[k].weight * cells[k]
		}
	}
	if total == 0 {
		return 1
	}
	return sum / total
}

// OfSide reports whether what the sentences that a stretch of a page touches say and inherit
// has the words that tell the subject of a need from its siblings; true where it has none.
func (r *Round) OfSide(need *Need, page int, stretch text.Span) bool {
	if len(need.Others) == 0 {
		return true
	}
	n, v := r.engine.prepare(need, r.st), r.views[page]
	cells := make([]float64, len(n.subject.cells))
	for i := range v.page.Sentences {
		if s := v.page.Sentences[i].Span; s.Start < stretch.End && stretch.Start < s.End {
			n.subject.lay(v.sentenceBag(i), cells, math.MaxFloat64)
		}
	}
	for k := range n.others {
		if told(n.subject, n.tell[k], cells) < cellCovered {
			return false
		}
	}
	return true
}

// A value whose tier holds a value of the question, while the other tiers of its sentence do
// not, is the one meant: it may lack more of the question's words.
const (
	tierBonus = 0.15
	tierGap   = 0.6
)

// ofSibling reports whether a page is about another one of the kind that a need asks about.
func (x *fitting) ofSibling(n *prepared, v *view) bool {
	if len(n.known) == 0 || n.Class == "COMPARISON" || len(n.others) > 0 {
		return false
	}
	if x.siblingOf != n || x.siblingOn != v {
		x.siblingOf, x.siblingOn = n, v
		question := fold(n.Question)
		x.sibling = slices.ContainsFunc(n.known, func(s sibling) bool { return s.on(v, question) })
	}
	return x.sibling
}

// begin turns to another fact.
func (x *fitting) begin(n *prepared, v *view, page, i int) {
	f := &v.page.Facts[i]
	x.n, x.v, x.page, x.i, x.f = n, v, page, i, f
	x.whole = f.Value.Kind == BooleanValue || f.Value.Kind == TextValue || f.Value.Kind == EntityValue
	x.foreign = v.foreign(n)
	inherited := v.inheritedScale(i, n.asked)
	x.unnamed = inherited == 1
	if x.whole && f.Clause >= 0 && f.Clause < len(v.page.Clauses) {
		x.bag, x.scale = v.clauseBag(f.Clause), 1
	} else {
		x.bag, x.scale = v.factBag(i), inherited
	}
	x.link, x.replaced = x.links.of(page, f), false
	x.first, x.tier = v.elliptic(i), nil
	if x.first >= 0 {
		if c := v.page.Facts[x.first].Clause; c >= 0 && c < len(v.page.Clauses) {
			x.tier = v.clauseBag(c)
		}
	}
}

// layParts lays the parts of the need over the fact and what it implies.
func (x *fitting) layParts() {
	n := x.n
	x.parts = append(x.parts[:0], part{w: n.subject, role: subjectPart}, part{w: n.attribute, role: attributePart})
	for _, g := range n.given {
		x.parts = append(x.parts, part{w: g, role: givenPart})
	}
	cells := 0
	for _, p := range x.parts {
		cells += len(p.w.cells)
	}
	if cap(x.room) < cells {
		x.room = make([]float64, 2*cells)
	}
	room := x.room[:cells]
	clear(room)
	for k := range x.parts {
		p := &x.parts[k]
		p.cells, room = room[:len(p.w.cells):len(p.w.cells)], room[len(p.w.cells):]
		if x.whole {
			p.w.lay(x.bag, p.cells, math.MaxFloat64)
		} else {
			x.v.layFact(p.w, x.i, x.scale, p.cells)
		}
	}
	x.subject = n.subject.score(x.parts[0].cells)
	// What the asked quantity itself implies (weighs for a mass, costs for money).
	attribute := x.parts[1].cells
	switch q := x.f.Value.Quantity; {
	case q == nil:
	case x.f.Attribute.Text != "":
		x.liftImplied(q, n.attribute, attribute, true)
	default:
		x.liftImplied(q, n.attribute, attribute, false)
	}
	if x.f.Value.Kind == TimeValue {
		impliedByTime(n.attribute, attribute)
		if t := x.f.Value.Time; t != nil && !t.From.IsZero() && !t.To.IsZero() && hasAny(t.Text, []string{"自", "从", "from ", "between "}) {
			coverImplied(rangeWords, n.attribute, attribute)
		}
	}
}

// impliedKey names a wording beside a dimension.
type impliedKey struct {
	w     *wording
	dim   quantity.Dimension
	other bool
}

// liftImplied is impliedBy, or impliedByOther, with the cells found once for a dimension.
func (x *fitting) liftImplied(q *quantity.Quantity, w *wording, cells []float64, other bool) {
	k := impliedKey{w, q.Unit.Dim, other}
	found, ok := x.implied[k]
	if !ok {
		laid := make([]float64, len(w.cells))
		if other {
			impliedByOther(q, w, laid)
		} else {
			impliedBy(q, w, laid)
		}
		for i, c := range laid {
			if c > 0 {
				found = append(found, int32(i))
			}
		}
		if x.implied == nil {
			x.implied = map[impliedKey][]int32{}
		}
		x.implied[k] = found
	}
	for _, i := range found {
		cells[i] = max(cells[i], impliedMatch)
	}
}

// surround raises the cells of a part that the surroundings of the fact carry. A
// subject may be named once at the head of the page, or on a page that a shared name
// links; what is asked of it must stand nearer, but may be worded otherwise.
func (x *fitting) surround(p *part) {
	n, v, f, e := x.n, x.v, x.f, x.engine
	if p.role == subjectPart && n.substituted(p.w, p.cells, v.sentenceOf(f)) { // before anything else covers it
		x.replaced = true
	}
	if x.tier != nil {
		lift(p.w, p.cells, x.tier, 0.9)
	}
	if p.role != attributePart {
		x.liftWritten(p)
	}
	if p.role != attributePart {
		lift(p.w, p.cells, v.frameBag(), 0.75*x.scale)
	}
	// Who or where a thing is may be asked of a thing described elsewhere.
	if p.role != attributePart || n.Expect == "ENTITY" || n.Expect == "PLACE" {
		x.liftLinked(p.w, p.cells)
	}
	if p.role == attributePart {
		if !x.whole && x.first < 0 && v.foreignAttribute(x.i, n.asked) {
			x.ownAttribute(p)
		} else {
			e.liftSimilar(p.w, p.cells, v, f)
		}
	} else {
		x.links.complete(p.w, p.cells, v, f)
		if x.unnamed {
			x.links.ambient(p.w, p.cells, x.page)
		}
		if v.selfReference() {
			for k := range p.cells {
				if p.role == givenPart || p.w.cells[k].han || p.w.cells[k].name {
					p.cells[k] = math.Max(p.cells[k], selfReference)
				}
			}
		}
	}
	if n.granted != nil && x.unnamed {
		n.granted.granted(n.words, p.w, p.cells, x.page)
	}
	if x.foreign {
		e.liftForeign(p.w, p.cells, v, f)
	}
	if n.Class == "CAUSE" && x.whole { // the reason may stand behind what it explains
		v.liftBefore(p.w, p.cells, f.Sentence)
	}
	e.liftRelated(p.w, p.cells, v, x.i, relatedMatch[p.role])
	if x.whole {
		n.answersState(p.w, p.cells, v.factSides(x.i))
	}
}

// liftWritten covers words of a subject or a given that the clause of the fact has as they
// are written, though not as words of its own: a day that it holds on (on Saturdays), a
// number in a name (Editor 4.0); and those of a later clause that names its subject.
func (x *fitting) liftWritten(p *part) {
	f := x.f
	if f.Sentence < 0 || f.Sentence >= len(x.v.page.Sentences) || x.v.page.Sentences[f.Sentence].Kind == Row {
		return
	}
	if x.unnamed && f.Value.Kind != BooleanValue {
		x.liftWhole(p, x.v.sentenceBag(f.Sentence), laterClause)
	}
	if x.v.clauseOf(f) == nil {
		return
	}
	said := ""
	for g := range p.w.eachGap(p.cells, cellCovered) {
		if g.Len() < 2 && !unicode.IsDigit(p.w.folded[g.Start]) {
			continue
		}
		if said == "" {
			said = x.v.marksAt(f.Clause).folded
		}
		from := g.Start
		if unicode.IsDigit(p.w.folded[from]) { // a number is a name only behind the word it stands behind in the question
			for from > 0 && p.w.folded[from-1] == ' ' {
				from--
			}
			word := from
			for from > 0 && text.IsWord(p.w.folded[from-1]) && !unicode.IsDigit(p.w.folded[from-1]) {
				from--
			}
			if from == word {
				continue
			}
		}
		if !writtenIn(said, string(p.w.folded[from:g.End])) {
			continue
		}
		for k := range p.w.cells {
			if g.Span.Contains(p.w.cells[k].Span) {
				p.cells[k] = math.Max(p.cells[k], written)
			}
		}
	}
}

// liftWhole covers the stretches of a part that a bag carries from end to end.
func (x *fitting) liftWhole(p *part, b *bag, limit float64) {
	cells := x.buffer(len(p.cells))
	p.w.lay(b, cells, limit)
	for g := range p.w.eachGap(p.cells, cellCovered) {
		whole := true
		for k := range p.w.cells {
			whole = whole && (!g.Span.Contains(p.w.cells[k].Span) || cells[k] >= cellCovered)
		}
		if !whole {
			continue
		}
		for k := range p.w.cells {
			if g.Span.Contains(p.w.cells[k].Span) {
				p.cells[k] = math.Max(p.cells[k], cells[k])
			}
		}
	}
}

// How far words stand for those of a question that the sentence has elsewhere.
const (
	written     = 0.9
	laterClause = 0.75
)

// writtenIn reports whether a folded text has a stretch as whole words.
func writtenIn(said, stretch string) bool {
	for from := 0; ; {
		at := strings.Index(said[from:], stretch)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(said[:at])
		after, _ := utf8.DecodeRuneInString(said[at+len(stretch):])
		if first := firstRune(stretch); text.IsHan(first) || !text.IsWord(before) && !text.IsWord(after) {
			return true
		}
		from = at + len(stretch)
	}
}

// ownAttribute lowers the cells of the attribute that only the surroundings of a value
// carry, when the value has an attribute of its own that was not asked for.
func (x *fitting) ownAttribute(p *part) {
	own := x.buffer(len(p.cells))
	p.w.lay(x.v.ownBag(x.i), own, math.MaxFloat64)
	if q := x.f.Value.Quantity; q != nil {
		x.liftImplied(q, p.w, own, true)
	}
	for k := range p.cells {
		p.cells[k] = math.Min(p.cells[k], math.Max(own[k], foreignAttribute))
	}
}

// buffer gives cells that hold until the next call.
func (x *fitting) buffer(cells int) []float64 {
	if cap(x.spare) < cells {
		x.spare = make([]float64, 2*cells)
	}
	b := x.spare[:cells]
	clear(b)
	return b
}

// liftLinked covers what other pages say of the fact's subject. They are asked only
// when something is left to cover.
func (x *fitting) liftLinked(w *wording, cells []float64) {
	if x.link == nil {
		return
	}
	limit := 0.7 * x.scale
	for _, c := range cells {
		if c < limit {
			if b := x.links.bag(x.link); b != nil {
				lift(w, cells, b, limit)
			}
			return
		}
	}
}

// weigh adds up what the need weighs and what is carried of it.
func (x *fitting) weigh() {
	x.total, x.sum = 0, 0
	for _, p := range x.parts {
		for k, cell := range p.w.cells {
			weight := cell.weight
			if x.foreign && cell.name { // a name is spelt otherwise in the other language
				weight *= 0.3
			}
			x.total += weight
			x.sum += weight * p.cells[k]
		}
	}
}

// ownFit is the share of the need that the fact's own words carry.
func (x *fitting) ownFit() float64 {
	total, sum := 0.0, 0.0
	for _, p := range x.parts {
		own := x.buffer(len(p.cells))
		p.w.lay(x.v.closeBag(x.i), own, math.MaxFloat64)
		for k, cell := range p.w.cells {
			total += cell.weight
			sum += cell.weight * own[k]
		}
	}
	if total == 0 {
		return 0
	}
	return sum / total
}

// attributeLost reports whether the fact carries too little of what is asked for. A
// value implies its measure only: a parking fee is not any sum of money.
func (x *fitting) attributeLost() bool {
	loose := x.whole || x.foreign
	attribute := &x.parts[1]
	if attribute.w.telling() && attribute.w.score(attribute.cells) < leastAttribute(loose) {
		return true
	}
	if x.n.granted != nil && !x.whole && attribute.w.total > 0 && attribute.w.scoreOn(x.v.ownBag(x.i)) < leastGranted {
		return true // what is asked must be said in full where whose it is is not
	}
	s := x.n.spoken(x.f, attribute.cells)
	return s >= 0 && s < leastSpoken && !loose
}

// lack measures the heaviest stretch of the need that the fact does not carry.
func (x *fitting) lack(c *candidate, gaps *[]string) {
	for _, p := range x.parts {
		for g := range p.w.eachGap(p.cells, cellCovered) {
			c.gaps++
			if gaps != nil {
				*gaps = append(*gaps, p.w.text(g.Span))
			}
			share := g.weight / x.total
			switch {
			case g.name && x.foreign, g.Len() == 1 && text.IsHan(p.w.folded[g.Start]):
				continue // the name is spelt otherwise; a lone character is no word
			case g.name:
				share *= 2
			}
			c.worst = max(c.worst, share)
		}
	}
}

// pieceLost reports whether a piece of a Chinese subject or given is not carried. Names
// spelt otherwise, or taken for granted, need not be.
func (x *fitting) pieceLost() bool {
	if x.foreign || x.v.selfReference() {
		return false
	}
	for _, w := range x.n.pieces {
		cells := x.buffer(len(w.cells))
		w.lay(x.bag, cells, math.MaxFloat64)
		x.links.complete(w, cells, x.v, x.f)
		if x.unnamed {
			x.links.ambient(w, cells, x.page)
		}
		if x.n.granted != nil && x.unnamed {
			x.n.granted.granted(x.n.words, w, cells, x.page)
		}
		lift(w, cells, x.v.frameBag(), 0.75*x.scale)
		if x.tier != nil {
			lift(w, cells, x.tier, 0.9)
		}
		x.liftLinked(w, cells)
		x.engine.liftRelated(w, cells, x.v, x.i, relatedMatch[subjectPart])
		if w.score(cells) < leastPiece || len(w.cells) <= shortPiece && w.worst(cells) > pieceGap {
			return true
		}
	}
	return false
}

// anotherThing reports whether the fact speaks of another thing or case than the one
// that is asked about.
func (x *fitting) anotherThing() bool {
	n, v := x.n, x.v
	if x.replaced || n.namesAnother(v, x.f) || n.otherNamed(v, x.f) || n.otherSerial(v, x.f) {
		return true
	}
	for _, p := range x.parts {
		if p.role != attributePart && otherNumber(p.w, p.cells) {
			return true
		}
	}
	sides := v.factSides(x.i)
	return apart(n.sides, sides, false) || x.f.Value.Kind != BooleanValue && apart(n.sides, sides, true) ||
		n.outside(v, x.i) || n.anotherRow(v, x.i) || v.anotherColumn(x.i, n.whose())
}
