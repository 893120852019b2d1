package fact

import (
	"maps"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Rules for several groups stand side by side: rows of a table, items of a list,
// clauses of one sentence. Each begins with what it is about, its label. A claim may
// have all its words from them and still give one group the value of another. This file
// compares labels by the words in which siblings differ.

// Limits of labels.
const (
	labelRunes = 12  // most characters of a Chinese label
	labelWords = 5   // most words of an English one
	labelShare = 1.0 // least weight of the claim's words that a sibling's label alone has
)

// grams are the words of a stretch as labels are compared: Latin stems and numbers
// whole, Han characters in pairs, and a letter or number with the character behind it
// (B级, 1号).
func grams(p *Page, span text.Span, skip ...text.Span) map[string]float64 {
	out := map[string]float64{}
	ts := tokens(p, span)
	left := func(t token) bool {
		for _, s := range skip {
			if s.Overlaps(t.Span) {
				return true
			}
		}
		return false
	}
	for i, t := range ts {
		if left(t) {
			continue
		}
		joined := i+1 < len(ts) && ts[i+1].Start == t.End && !left(ts[i+1])
		switch {
		case !t.han && t.weight >= 1:
			out[t.key] = 2
			if joined && ts[i+1].han {
				out[t.key+ts[i+1].key] = 2
			}
		case t.han && joined && ts[i+1].han && t.weight+ts[i+1].weight >= 1:
			out[t.key+ts[i+1].key] = (t.weight + ts[i+1].weight) / 2
		}
	}
	return out
}

// phraseGrams are the grams of a phrase that stands nowhere on the page, made once.
func (k *Checker) phraseGrams(s string) map[string]float64 {
	if out, ok := k.phrases[s]; ok {
		return out
	}
	if k.phrases == nil {
		k.phrases = map[string]map[string]float64{}
	}
	p := &Page{Runes: []rune(s)}
	out := grams(p, text.Span{Start: 0, End: len(p.Runes)})
	k.phrases[s] = out
	return out
}

// clauseGrams are the grams of a clause of a source, made once.
func (k *Checker) clauseGrams(page, clause int) map[string]float64 {
	if k.words == nil {
		k.words = make([][]map[string]float64, len(k.views))
	}
	p := k.views[page].page
	if k.words[page] == nil {
		k.words[page] = make([]map[string]float64, len(p.Clauses))
	}
	if k.words[page][clause] == nil {
		k.words[page][clause] = grams(p, p.Clauses[clause].Span)
	}
	return k.words[page][clause]
}

// group is a stretch of a sentence that speaks of one group: a row, or the clauses up to
// a value and behind the one before.
type group struct {
	text.Span
	page, sentence int
	clauses        [2]int
	label          text.Span
	row            bool

	all, named map[string]float64 // grams of the whole and of the label
	first      map[string]float64 // grams of the first words of the label
	inherited  map[string]float64 // grams of its lead-in, headings and title
}

// goesOn matches stretches that go on about what stands before them: they begin with a
// conjunction or with a case.
var goesOn = guarded(`^[-•*\d.、)）\s]*(?:但|但是|不过|其中|另|且|并|而|如|若|倘|满|不满|未满|超过|超出|逾|不足|此后|之后|其后|其|余下|其余|该|此|提前|否则|but |however|otherwise|if |where |when |unless |except |later |after |of (?:these|them|this)|it |its |they |their |this |these |the (?:rest|others?) |others? |more |less |over |under |above |below )`)

// groupsOf cuts the sentences of a page, once.
func (k *Checker) groupsOf(page int) []group {
	if k.groups == nil {
		k.groups = make([][]group, len(k.views))
	}
	if k.groups[page] != nil {
		return k.groups[page]
	}
	v := k.views[page]
	p := v.page
	out := []group{}
	add := func(s, from, to int) {
		x := group{page: page, sentence: s, clauses: [2]int{from, to}, row: p.Sentences[s].Kind == Row}
		x.Span = text.Span{Start: p.Clauses[from].Start, End: p.Clauses[to-1].End}
		if x.row {
			x.Span = p.Sentences[s].Span
		}
		x.label = labelOf(p, x)
		x.all, x.named, x.first = grams(p, x.Span), grams(p, x.label), grams(p, leading(p, x.label, labelRunes/2))
		x.inherited = maps.Clone(k.phraseGrams(v.title)) // the kept one is not to be added to
		pointing, _ := selfNoun(v.foldedText()[x.Start:x.End])
		if n := len(out); n > 0 && !x.row && out[n-1].sentence >= s-1 && (pointing != "" || goesOn.MatchString(fold(p.Quote(x.Span)))) {
			for _, from := range []map[string]float64{out[n-1].all, out[n-1].inherited} {
				for g, w := range from {
					x.inherited[g] = w
				}
			}
		}
		for _, t := range p.Clauses[from].Context {
			if t.Origin == LeadIn || t.Origin == Heading || t.Origin == Title || t.Origin == ColHeader {
				for g, w := range k.phraseGrams(t.Text) {
					x.inherited[g] = w
				}
			}
		}
		out = append(out, x)
	}
	for s, info := range p.Sentences {
		if info.Kind == HeadingLine || info.Kind == HeaderRow || info.Kind == Code || info.Clauses[0] >= info.Clauses[1] {
			continue
		}
		if info.Kind == Row {
			add(s, info.Clauses[0], info.Clauses[1])
			continue
		}
		from := info.Clauses[0]
		for c := from; c < info.Clauses[1]; c++ {
			if k.valued(p, c) && k.valuedAfter(p, c+1, info.Clauses[1]) {
				add(s, from, c+1)
				from = c + 1
			}
		}
		add(s, from, info.Clauses[1])
	}
	k.groups[page] = out
	return out
}

// valued reports whether a clause states a value.
func (k *Checker) valued(p *Page, clause int) bool {
	cl := &p.Clauses[clause]
	for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
		switch x := &p.Facts[f]; {
		case x.Threshold:
		case x.Value.Quantity != nil && !x.Value.Quantity.Weak && x.Value.Quantity.Unit.Dim != quantity.Ordinal, x.Value.Kind == TimeValue:
			return true
		}
	}
	return false
}

func (k *Checker) valuedAfter(p *Page, from, to int) bool {
	for c := from; c < to; c++ {
		if k.valued(p, c) {
			return true
		}
	}
	return false
}

// labelOf is the beginning of a piece, up to its first value.
func labelOf(p *Page, x group) text.Span {
	start, end := x.Start, x.End
	if x.row {
		for start < end && (p.Runes[start] == '|' || p.Runes[start] == ' ') {
			start++
		}
		for i := start; i < end; i++ {
			if p.Runes[i] == '|' {
				return text.Span{Start: start, End: i}
			}
		}
		return text.Span{Start: start, End: end}
	}
	for c := x.clauses[0]; c < x.clauses[1]; c++ {
		cl := &p.Clauses[c]
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
			o := &p.Facts[f]
			if (o.Value.Kind == QuantityValue && o.Value.Quantity != nil && o.Value.Quantity.Unit.Dim != quantity.Ordinal && !o.Value.Quantity.Weak || o.Value.Kind == TimeValue) && o.Value.Span.Start >= start {
				end = min(end, o.Value.Span.Start)
			}
		}
	}
	return leading(p, text.Span{Start: start, End: end}, labelRunes)
}

// leading is the beginning of a span, of so many Han characters or as many words as
// take their room.
func leading(p *Page, s text.Span, most int) text.Span {
	n := 0
	for i := s.Start; i < s.End; i++ {
		switch r := p.Runes[i]; {
		case text.IsHan(r):
			n++
		case r == ' ':
			n += labelRunes / labelWords
		}
		if n > most {
			return text.Span{Start: s.Start, End: i}
		}
	}
	return s
}

// groupAt is the piece that holds a clause; nil where none does.
func (k *Checker) groupAt(page, clause int) *group {
	all := k.groupsOf(page)
	i, ok := slices.BinarySearchFunc(all, clause, func(g group, clause int) int {
		switch {
		case g.clauses[1] <= clause:
			return -1
		case g.clauses[0] > clause:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return &all[i]
}

// weighs is the weight of the grams of a that b has and none of the others.
func weighs(a, b map[string]float64, but ...map[string]float64) float64 {
	sum := 0.0
	for g, w := range a {
		if b != nil && b[g] == 0 {
			continue
		}
		out := false
		for _, o := range but {
			out = out || o[g] > 0
		}
		if !out {
			sum += w
		}
	}
	return sum
}

// compares matches claims that speak of two groups at once.
var comparesTwo = guarded(`比|相比|较|倍|合计|总共|一共|加起来|都|均|各|分别|差|\bthan\b|\btwice\b|\bhalf (?:of|as)\b|\bas (?:much|many|long)\b|\bunlike\b|\btogether\b|\btotal\b|\bboth\b|\ball\b|\bevery\b|\beach\b`)

// speaksOfTwo reports whether a folded claim speaks of two groups at once; an average does not.
func speaksOfTwo(claim string) bool {
	return comparesTwo.MatchString(strings.ReplaceAll(claim, "平均", ""))
}

// speaker is the claim as its group is looked for: all its words but the value at hand,
// and those that it begins with.
type speaker struct {
	said, first map[string]float64
	two         bool // it compares or joins groups
	valued      bool // it is looked for by a value, which only one group has

	heard *heard
}

// heard is which groups, subjects and columns of the sources a claim names at all, found once
// for all values that it is compared with.
type heard struct {
	groups   [][]int          // by page: of groupsOf
	subjects map[[2]int][]int // by page and sentence: facts
	columns  map[[2]int][]int // by page and clause: facts
	beside   map[besideKey]*valuesBeside
}

func speakerOf(p *Page, span text.Span, skip ...text.Span) speaker {
	return speaker{said: grams(p, span, skip...), first: grams(p, leading(p, span, labelRunes), skip...), two: speaksOfTwo(fold(p.Quote(span))), heard: &heard{}}
}

// stretchOf is the stretch of a claim that says of what a value of it is: all of the claim,
// unless it has several values of one kind; then the words that go with this one. Of "a
// single costs 74 and a double 82" the 82 is that of a double.
func stretchOf(c Claim, f *Fact) text.Span {
	p := c.Page
	if f.Clause < 0 || f.Clause >= len(p.Clauses) {
		return c.Span
	}
	cl := &p.Clauses[f.Clause]
	var beside []int // values of its clause
	apart := false   // another clause has one, too
	for i := range p.Clauses {
		if !c.Span.Contains(p.Clauses[i].Span) {
			continue
		}
		for _, n := range p.valuesIn([2]int{i, i + 1}) {
			o := &p.Facts[n]
			switch {
			case !comparable(f, o) || o.Value.Quantity != nil && (o.Value.Quantity.Weak || o.Value.Quantity.Unit.Name != f.Value.Quantity.Unit.Name && o.Value.Quantity.Unit.Name != "" && f.Value.Quantity.Unit.Name != ""):
			case i != f.Clause:
				apart = true
			case len(beside) == 0 || o.Value.Span.Start >= p.Facts[beside[len(beside)-1]].Value.Span.End:
				beside = append(beside, n)
			}
		}
	}
	at := slices.IndexFunc(beside, func(n int) bool { return p.Facts[n].Value.Span == f.Value.Span })
	switch {
	case at < 0, len(beside) < 2 && !apart:
		return c.Span
	case len(beside) < 2:
		return namedBy(p, cl.Span, f, c.Span)
	}
	last := p.Facts[beside[len(beside)-1]].Value.Span
	behind := true // what each is said of stands behind it
	for n, i := range beside {
		s := text.Span{Start: p.Facts[i].Value.Span.End, End: cl.End}
		if n+1 < len(beside) {
			s.End = p.Facts[beside[n+1]].Value.Span.Start
		}
		behind = behind && saidBehind.MatchString(fold(p.Quote(s)))
	}
	own := text.Span{Start: cl.Start, End: f.Value.Span.End}
	if at > 0 {
		own.Start = p.Facts[beside[at-1]].Value.Span.End
	}
	if behind {
		own = text.Span{Start: f.Value.Span.Start, End: cl.End}
		if at+1 < len(beside) {
			own.End = p.Facts[beside[at+1]].Value.Span.Start
		}
	} else if weighs(grams(p, text.Span{Start: last.End, End: cl.End}), nil) >= labelShare {
		return c.Span // it cannot be told which words go with which
	}
	return namedBy(p, own, f, c.Span)
}

// saidBehind matches what follows a value where that is what the value is said of: 46 for adults.
var saidBehind = guarded(`^[^a-z]*(?:[a-z]+ )?(?:for|in|on|at|to|from|of|with|under|over|above|below|up to|if|when|per|by)\b`)

// namedBy is a stretch with words of its own beside a value, or else the whole.
func namedBy(p *Page, own text.Span, f *Fact, whole text.Span) text.Span {
	if weighs(grams(p, own, f.Value.Span), nil) >= labelShare {
		return own
	}
	return whole
}

// ofOnes are words that stand for a noun that is left out.
var ofOnes = map[string]float64{"one": 1, "ones": 1, "that": 1, "those": 1}

// elides reports whether a claim has all words of one label and not all of another, the
// two being told apart by words that only one of them has: the small one, beside the large
// chapel, is named by "the small chapel".
func elides(said, label, other map[string]float64) bool {
	return weighs(label, said, other) >= labelShare && weighs(label, nil, said, ofOnes) == 0 && weighs(other, nil, said, label) >= labelShare
}

// sibling finds the piece that a claim speaks of where the one at hand speaks of
// another group: words of the claim stand in the label of a piece beside it, and not in
// the piece at hand, whose label has words that the claim lacks. nil for none.
func (k *Checker) sibling(c speaker, at *group) *group {
	if at == nil || weighs(at.named, nil, c.said) == 0 {
		return nil
	}
	var best *group
	most := 0.0
	all, of := k.groupsOf(at.page), k.namedGroups(c, at.page)
	from, _ := slices.BinarySearchFunc(of, at.sentence-6, func(i, sentence int) int { return all[i].sentence - sentence })
	for _, i := range of[from:] {
		o := &all[i]
		if o.sentence > at.sentence+4 {
			break
		}
		if o == at || o.row != at.row {
			continue
		}
		own := weighs(c.said, o.named, at.all, at.inherited)
		if own < labelShare || own <= most || !k.parallel(at, o) {
			continue
		}
		if (!at.row && c.two && weighs(c.said, at.named, o.all, o.inherited) >= labelShare || at.row && weighs(c.said, at.named, o.all) >= labelShare || weighs(c.first, at.first, o.all, o.inherited) >= labelShare) &&
			(at.row || c.two || !c.valued || o.sentence != at.sentence || !elides(c.said, o.named, at.named)) {
			continue // the claim names both
		}
		best, most = o, own
	}
	return best
}

// namedGroups are the groups of a page of whose label a claim has enough words.
func (k *Checker) namedGroups(c speaker, page int) []int {
	if c.heard.groups == nil {
		c.heard.groups = make([][]int, len(k.views))
	}
	if c.heard.groups[page] == nil {
		out := []int{}
		for i, o := range k.groupsOf(page) {
			if weighs(c.said, o.named) >= labelShare {
				out = append(out, i)
			}
		}
		c.heard.groups[page] = out
	}
	return c.heard.groups[page]
}

// parallel reports whether two pieces speak of things of one kind: rows of one table,
// stretches of one sentence with values that compare, or labels that share a word.
func (k *Checker) parallel(a, b *group) bool {
	if a.row {
		return true
	}
	p := k.views[a.page].page
	if a.sentence == b.sentence {
		for _, i := range p.valuesIn(a.clauses) {
			for _, j := range p.valuesIn(b.clauses) {
				if comparable(&p.Facts[i], &p.Facts[j]) {
					return true
				}
			}
		}
		return false
	}
	x, y := tokens(p, a.label), tokens(p, b.label)
	for _, s := range x {
		for _, t := range y {
			if s.key == t.key && s.weight >= 1 {
				return true
			}
		}
	}
	return false
}

// valuesIn are the quantities and times that clauses [lo,hi) state.
func (p *Page) valuesIn(clauses [2]int) []int {
	var out []int
	for c := clauses[0]; c < clauses[1]; c++ {
		for i := p.Clauses[c].Facts[0]; i < p.Clauses[c].Facts[1] && i < len(p.Facts); i++ {
			if f := &p.Facts[i]; !f.Threshold && (f.Value.Quantity != nil || f.Value.Kind == TimeValue) {
				out = append(out, i)
			}
		}
	}
	return out
}

// besideIn finds the value of the same clause that is said of what the claim speaks of:
// of "46 euros for adults and 28 euros for children" the first says nothing of children.
// What a value is said of stands behind it where the clause goes on behind the last, and
// in front of it elsewhere. -1 for none.
func (k *Checker) besideIn(c speaker, page, i int) int {
	v := k.views[page]
	p := v.page
	f := &p.Facts[i]
	cl := v.clauseOf(f)
	if cl == nil || c.two || v.inTable(f) || f.Value.Quantity == nil && f.Value.Kind != TimeValue {
		return -1
	}
	if n := inOrder(c, page, i, k); n >= 0 {
		return n
	}
	of := k.valuesBeside(c, page, i, cl)
	at := slices.Index(of.facts, i)
	if len(of.facts) < 2 || at < 0 {
		return -1
	}
	own := of.labels[at]
	if weighs(own, nil, c.said) == 0 {
		return -1
	}
	best, most := -1, labelShare/2
	for _, n := range of.named {
		if y := weighs(c.said, of.labels[n], own); n != at && y > most && (weighs(c.said, own, of.labels[n]) < labelShare || elides(c.said, of.labels[n], own)) {
			best, most = of.facts[n], y
		}
	}
	return best
}

// valuesBeside are the values of a clause that compare with one of them, each with the words
// that it is said of.
type valuesBeside struct {
	facts  []int
	labels []map[string]float64
	named  []int // of labels: those of which a claim has words
}

// besideKey names the values of one kind in a clause.
type besideKey struct {
	page, clause int
	kind         ValueKind
	measured     bool
	dim          quantity.Dimension
	unit         string
	pound        bool // see quantity.Pounds
}

// valuesBeside finds the values beside one of a clause, once for all of its kind.
func (k *Checker) valuesBeside(c speaker, page, i int, cl *Clause) *valuesBeside {
	p := k.views[page].page
	f := &p.Facts[i]
	key := besideKey{page: page, clause: f.Clause, kind: f.Value.Kind}
	if q := f.Value.Quantity; q != nil {
		key.measured, key.dim, key.unit, key.pound = true, q.Unit.Dim, q.Unit.Name, strings.Contains(q.Raw, "pound")
	}
	if out := c.heard.beside[key]; out != nil {
		return out
	}
	out := &valuesBeside{}
	for _, n := range p.valuesIn([2]int{f.Clause, f.Clause + 1}) {
		o := &p.Facts[n]
		if (comparable(f, o) || f.Value.Quantity != nil && o.Value.Quantity != nil && o.Value.Quantity.Unit.Dim == quantity.None && o.Value.Quantity.Point()) && (len(out.facts) == 0 || o.Value.Span.Start >= p.Facts[out.facts[len(out.facts)-1]].Value.Span.End) {
			out.facts = append(out.facts, n)
		}
	}
	if of := out.facts; len(of) > 1 {
		behind := weighs(grams(p, text.Span{Start: p.Facts[of[len(of)-1]].Value.Span.End, End: cl.End}), nil) >= labelShare
		for n, x := range of {
			s := text.Span{Start: cl.Start, End: p.Facts[x].Value.Span.Start}
			if n > 0 {
				s.Start = p.Facts[of[n-1]].Value.Span.End
			}
			if behind {
				s = text.Span{Start: p.Facts[x].Value.Span.End, End: cl.End}
				if n+1 < len(of) {
					s.End = p.Facts[of[n+1]].Value.Span.Start
				}
			}
			out.labels = append(out.labels, grams(p, s))
			if weighs(c.said, out.labels[n]) > labelShare/2 {
				out.named = append(out.named, n)
			}
		}
	}
	if c.heard.beside == nil {
		c.heard.beside = map[besideKey]*valuesBeside{}
	}
	c.heard.beside[key] = out
	return out
}

// inOrder finds the value that is the claim's by its place in a list (A, B and C: 3, 5 and 8
// respectively), where this one is another's; -1 for none.
func inOrder(c speaker, page, i int, k *Checker) int {
	v := k.views[page]
	f := &v.page.Facts[i]
	if f.Subject.Text == "" || !v.valueKinds(f.Sentence).inOrder {
		return -1
	}
	own := k.phraseGrams(f.Subject.Text)
	for _, n := range k.namedSubjects(c, page, f.Sentence) {
		o := &v.page.Facts[n]
		if n == i || o.Threshold || !comparable(f, o) || when.Scope(f.Times, o.Times) == relation.Differs {
			continue
		}
		if elides(c.said, k.phraseGrams(o.Subject.Text), own) {
			return n
		}
	}
	return -1
}

// namedSubjects are the facts of a sentence with a subject all words of which a claim has.
func (k *Checker) namedSubjects(c speaker, page, sentence int) []int {
	key := [2]int{page, sentence}
	out, ok := c.heard.subjects[key]
	if !ok {
		p := k.views[page].page
		lo, hi := p.factsIn(sentence)
		for i := lo; i < hi; i++ {
			if s := p.Facts[i].Subject.Text; s != "" && weighs(k.phraseGrams(s), nil, c.said, ofOnes) == 0 {
				out = append(out, i)
			}
		}
		if c.heard.subjects == nil {
			c.heard.subjects = map[[2]int][]int{}
		}
		c.heard.subjects[key] = out
	}
	return out
}

// ordered matches sentences in which the order of two lists tells what goes with what.
var ordered = guarded(`分别|依次|\brespectively\b|\bin that order\b`)

// otherColumn reports whether the claim names another column of the row than that of a
// cell, by words in which the two headings differ.
func (k *Checker) otherColumn(c speaker, page, i int) int {
	v := k.views[page]
	f := &v.page.Facts[i]
	if !v.inTable(f) || f.Attribute.Text == "" || v.measured(f) {
		return -1
	}
	if v.clauseOf(f) == nil {
		return -1
	}
	own := k.phraseGrams(f.Attribute.Text)
	best, most := -1, 0.0
	for _, n := range k.namedColumns(c, page, f.Clause) {
		o := &v.page.Facts[n]
		if n == i || o.Attribute.Text == f.Attribute.Text || !comparable(f, o) {
			continue
		}
		head := k.phraseGrams(o.Attribute.Text)
		if x := weighs(c.said, head, own); x >= labelShare && x > most && x > weighs(c.said, own, head) {
			best, most = n, x
		}
	}
	return best
}

// namedColumns are the facts of a row of whose heading a claim has enough words.
func (k *Checker) namedColumns(c speaker, page, clause int) []int {
	key := [2]int{page, clause}
	out, ok := c.heard.columns[key]
	if !ok {
		v := k.views[page]
		of := v.page.Clauses[clause].Facts
		for n := of[0]; n < of[1] && n < len(v.page.Facts); n++ {
			if o := &v.page.Facts[n]; o.Attribute.Text != "" && !v.measured(o) && weighs(c.said, k.phraseGrams(o.Attribute.Text)) >= labelShare {
				out = append(out, n)
			}
		}
		if c.heard.columns == nil {
			c.heard.columns = map[[2]int][]int{}
		}
		c.heard.columns[key] = out
	}
	return out
}

// placed sorts the values that could be the claim's by the group that they are said of:
// what is said of a sibling is none, and the value of the claim's own group takes its
// place.
func (k *Checker) placed(c Claim, f *Fact, all []found) []found {
	skip := f.Value.Span
	if q := f.Value.Quantity; q != nil && !q.NounSpan.Empty() && q.Span.Contains(q.NounSpan) {
		skip.End = q.NounSpan.Start
	}
	claim := speakerOf(c.Page, stretchOf(c, f), skip)
	claim.valued = true
	var out []found
	seen := map[[2]int]bool{}
	for _, h := range all {
		if h.rel != relation.Same && h.rel != relation.Excludes || h.fact < 0 || h.clause < 0 {
			out = append(out, h)
			continue
		}
		v := k.views[h.page]
		if foreign(c.Page, v.page) {
			out = append(out, h)
			continue
		}
		own, same := -1, h.rel == relation.Same
		if o := k.sibling(claim, k.groupAt(h.page, h.clause)); o != nil {
			own = k.valueIn(f, v, o, v.page.Facts[h.fact].Attribute.Text)
			if same || own >= 0 {
				h.rel, h.why = relation.Differs, "said of "+strings.TrimSpace(v.page.Quote(k.groupAt(h.page, h.clause).label))
			}
		} else if n := k.besideIn(claim, h.page, h.fact); n >= 0 {
			h.rel, h.why = relation.Differs, "said of another"
			own = n
		} else if n := k.otherColumn(claim, h.page, h.fact); n >= 0 {
			h.rel, h.why = relation.Differs, "another column"
			own = n
		}
		out = append(out, h)
		if own < 0 || !same || seen[[2]int{h.page, own}] {
			continue
		}
		seen[[2]int{h.page, own}] = true
		o := &v.page.Facts[own]
		g := found{page: h.page, fact: own, clause: o.Clause, fit: max(h.fit, contradictFit)}
		g.rel, g.why = k.sameAs(c.Page, f, v, o)
		if f.Value.Time != nil && o.Value.Time != nil && g.rel != relation.Same && f.Value.Time.Kind == o.Value.Time.Kind && when.WeekOf(*f.Value.Time) == 0 {
			g.rel = relation.Excludes // days of two things beside each other, without a year
		}
		out = append(out, g)
	}
	return out
}

// valueIn is the comparable value of a piece, in a table that of the column; -1 for none
// or several.
func (k *Checker) valueIn(f *Fact, v *view, x *group, column string) int {
	found := -1
	for c := x.clauses[0]; c < x.clauses[1]; c++ {
		cl := &v.page.Clauses[c]
		for i := cl.Facts[0]; i < cl.Facts[1] && i < len(v.page.Facts); i++ {
			o := &v.page.Facts[i]
			if o.Threshold || !comparable(f, o) || x.row && o.Attribute.Text != column {
				continue
			}
			if found >= 0 && found != i {
				return -1
			}
			found = i
		}
	}
	return found
}
