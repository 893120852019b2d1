package fact

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Limits of conflict detection; docs/measurements.md shows what they were chosen on.
const (
	oneThing      = 0.72 // least mutual coverage of what two values are about
	oneStatement  = 0.78 // the same for two whole clauses
	hardDistance  = 0.20 // relative difference from which a value conflict is hard
	leastShared   = 3.0  // least weight of the shared words
	leastVersion  = 1.5  // the same for one rule in two versions without another word
	maxCandidates = 64   // facts compared with one fact
	oneAuthor     = 0.25 // greatest share of words of their own that two chunks of one document may have
	fullFit       = 0.75 // fit of a filler that carries all that is asked
)

// Conflicts finds pairs of facts of different pages that cannot both be true. Facts
// that fill the same need are compared with each other; all others only when they
// share telling words, found through an index, never all pairs. A clash of the second
// kind whose two clauses carry what a need asks for is on that need too. Each pair of
// sentences gives at most one clash.
func (e *Engine) Conflicts(needs []Need, pages []*Page, metas []Meta) []Clash {
	return e.Round(pages, metas).Conflicts(context.Background(), needs)
}

// Conflicts is Engine.Conflicts on the pages of the round. When ctx ends it stops, and what
// it returns says nothing.
func (r *Round) Conflicts(ctx context.Context, needs []Need) []Clash {
	if len(r.views) < 2 {
		return nil
	}
	x := newComparer(r)
	seen := map[[4]int]int{}
	var out []Clash
	add := func(c Clash) {
		if c.A.Page > c.B.Page {
			c.A, c.B = c.B, c.A
		}
		key := [4]int{c.A.Page, x.fact(c.A).Sentence, c.B.Page, x.fact(c.B).Sentence}
		if k, ok := seen[key]; ok {
			old := &out[k]
			if old.Need < 0 && c.Need >= 0 {
				old.Need = c.Need
			}
			if c.Kind == "ORDER" && old.Kind != "ORDER" { // the numbers are names of what is compared
				c.Need = max(c.Need, old.Need)
				*old = c
			}
			return
		}
		seen[key] = len(out)
		out = append(out, c)
	}
	prep := r.prepare(ctx, needs)
	for i, n := range prep {
		if ctx.Err() != nil {
			return nil
		}
		var fillers []candidate
		for _, c := range r.candidates(ctx, i) {
			if !c.late && c.fit >= fillFit && c.worst <= gapShare && n.counts(&x.views[c.ref.Page].page.Facts[c.ref.Fact]) {
				fillers = append(fillers, c)
			}
		}
		slices.SortStableFunc(fillers, func(a, b candidate) int { return cmp.Compare(b.fit, a.fit) })
		if len(fillers) > maxCandidates {
			fillers = fillers[:maxCandidates]
		}
		for k := range fillers {
			for m := k + 1; m < len(fillers); m++ {
				a, b := fillers[k].ref, fillers[m].ref
				if a.Page == b.Page {
					continue
				}
				if c, ok := x.clash(a, b, n, false); ok {
					c.Need = i
					add(c)
				}
			}
		}
	}
	for i, n := range prep {
		if ctx.Err() != nil {
			return nil
		}
		for _, c := range x.substitutions(n) {
			if serialApart(x.views[c.A.Page], x.fact(c.A), x.views[c.B.Page], x.fact(c.B)) {
				continue
			}
			c.Need = i
			add(c)
		}
	}
	for a, b := range x.neighbours() {
		if ctx.Err() != nil {
			return nil
		}
		if c, ok := x.clash(a, b, nil, false); ok {
			c.Need = -1
			for i, n := range prep {
				if x.answers(n, &c) {
					c.Need = i
					break
				}
			}
			add(c)
		}
	}
	sort.SliceStable(out, func(a, b int) bool {
		if (out[a].Need >= 0) != (out[b].Need >= 0) {
			return out[a].Need >= 0
		}
		return out[a].Hard && !out[b].Hard
	})
	return out
}

// comparer compares the facts of one set of pages. What facts are about is worked out
// once each. It is not safe for concurrent use.
type comparer struct {
	*Engine
	views    []*view
	st       *rarity
	abouts   [][]*aboutness // by page, and by fact and form
	weighed  map[*wording]*wording
	topics   map[string]*topic   // by their text
	clauses  [][]*topic          // by page and clause, see topicAt
	missed   map[missKey]missing // see lacks
	things   map[[2]string]bool  // see oneThingNamed
	shares   map[[2]*Condition]float64
	titles   []titles // by two pages
	compared map[[2]key]comparison
	apart    map[[2]int]bool // by two pages: see introducedApart
	laid     [2][]float64    // see mutual
	gaps     [2][]text.Span
}

// comparison is how two values stand to each other.
type comparison struct {
	relation relation.Relation
	why      string
}

func newComparer(r *Round) *comparer {
	return &comparer{
		Engine: r.engine, views: r.views, st: r.st, abouts: make([][]*aboutness, len(r.views)), weighed: map[*wording]*wording{},
		topics: map[string]*topic{}, clauses: make([][]*topic, len(r.views)), missed: map[missKey]missing{}, things: map[[2]string]bool{},
		shares: map[[2]*Condition]float64{}, titles: make([]titles, len(r.views)*len(r.views)), compared: map[[2]key]comparison{},
		apart: map[[2]int]bool{},
	}
}

// values compares the values of two facts; names and times that are written alike only once.
func (x *comparer) values(ra, rb Ref) (relation.Relation, string) {
	a, b := &x.fact(ra).Value, &x.fact(rb).Value
	if a.Quantity != nil && b.Quantity != nil {
		return compareValues(a, b)
	}
	k := [2]key{x.views[ra.Page].valueKey(ra.Fact), x.views[rb.Page].valueKey(rb.Fact)}
	c, ok := x.compared[k]
	if !ok {
		c.relation, c.why = compareValues(a, b)
		x.compared[k] = c
	}
	return c.relation, c.why
}

// aboutForm says what of a clause counts as what its fact is about.
type aboutForm uint8

const (
	ofValue     aboutForm = iota // the words around a value
	ofClause                     // the whole clause, without the words of its stance
	ofCore                       // the same without the words that say for whom it holds
	ofSentence                   // the words around a value from the beginning of its sentence
	phraseForms = iota
)

func (x *comparer) fact(r Ref) *Fact { return &x.views[r.Page].page.Facts[r.Fact] }

// about is what a fact is about in the given form.
func (x *comparer) about(r Ref, form aboutForm) *aboutness {
	of := x.abouts[r.Page]
	if of == nil {
		of = make([]*aboutness, phraseForms*len(x.views[r.Page].page.Facts))
		x.abouts[r.Page] = of
	}
	a := &of[phraseForms*r.Fact+int(form)]
	if *a == nil {
		*a = x.readAbout(x.views[r.Page], r.Fact, form, x.weigh)
	}
	return *a
}

// weigh weighs the words of a phrase by the rarity of the round, once for all facts that
// share them.
func (x *comparer) weigh(w *wording) *wording {
	out, ok := x.weighed[w]
	if !ok {
		out = w.weighed(x.st)
		x.weighed[w] = out
	}
	return out
}

// reach is what the clause of a fact says by its form.
func (x *comparer) reach(r Ref) *reach { return x.views[r.Page].reachAt(x.fact(r)) }

// noReach is what a fact without a clause says by its form.
var noReach reach

func (s *sheet) reachAt(f *Fact) *reach {
	c := s.clauseOf(f)
	if c == nil {
		return &noReach
	}
	return s.reaches.get(f.Clause, func() *reach {
		folded := s.foldedText()[c.Start:c.End]
		h := reachOf(folded, c.Start)
		h.pivot, h.compares = pivotOf(folded, c.Start)
		h.marks = marksOf(s.marksAt(f.Clause).folded)
		h.first, h.second, h.sequence = sequenceOf(s.sentenceOf(f))
		h.often = s.marksAt(f.Clause).often
		h.office = officeHolder(s.page.Runes, c.Span)
		if n := documentEnd(folded); n > 0 {
			h.document = c.Start + n
		}
		return &h
	})
}

// topic is the subject of a clause without its apposition, prepared.
type topic struct {
	text  string
	words *wording
	bag   *bag
}

func (x *comparer) topic(s string) *topic {
	t, ok := x.topics[s]
	if !ok {
		w := x.wording(s, nil)
		t = &topic{s, w, bagOf(w)}
		x.topics[s] = t
	}
	return t
}

// topicAt is the topic of a clause.
func (x *comparer) topicAt(page, clause int) *topic {
	of := x.clauses[page]
	if of == nil {
		of = make([]*topic, len(x.views[page].page.Clauses))
		x.clauses[page] = of
	}
	if of[clause] == nil {
		of[clause] = x.topic(head(x.views[page].page.Clauses[clause].Topic.Text))
	}
	return of[clause]
}

// possible reports whether two facts could conflict at all, if they speak of one
// thing. It costs little and spares most pairs the comparison of their words.
func (x *comparer) possible(ra, rb Ref) bool {
	fa, fb := x.fact(ra), x.fact(rb)
	if fa.Value.Kind != BooleanValue {
		switch r, _ := x.values(ra, rb); r {
		case relation.Same:
			return fa.Negative() != fb.Negative() || len(fa.Conditions) > 0 && len(fb.Conditions) > 0
		case relation.Differs:
			return opposedBounds(fa.Value.Quantity, fb.Value.Quantity)
		case relation.Excludes:
			return true
		}
		return false
	}
	if r, _ := stances(fa, fb); r != relation.Same {
		return true
	}
	a, b := x.reach(ra), x.reach(rb)
	if va, vb := x.views[ra.Page], x.views[rb.Page]; va.clauseOf(fa) != nil && vb.clauseOf(fb) != nil && va.marksAt(fa.Clause).charge*vb.marksAt(fb.Clause).charge < 0 {
		return true
	}
	if !a.office.Empty() && !b.office.Empty() {
		return true
	}
	if a.often != nil && b.often != nil && a.often.Cmp(b.often) != 0 {
		return true
	}
	if a.compares && b.compares && a.pivot.axis == b.pivot.axis || a.sequence && b.sequence || a.marks&b.marks != 0 ||
		!a.only.Empty() || !b.only.Empty() || onlyAgainstAll(fa, fb) {
		return true
	}
	va, vb := x.views[ra.Page], x.views[rb.Page]
	return apart(va.factSides(ra.Fact), vb.factSides(rb.Fact), true) || statusClash(va, vb, fa, fb)
}

// Shares of a question that the two sides of a clash must carry to be on it.
const (
	carriesAsked = 0.55 // where the question says what kind of answer it wants
	carriesText  = 0.75 // where any sentence might be the answer
)

// answers reports whether a clash that was found beside the needs is on what the need
// asks for: both its clauses carry the words of the question.
func (x *comparer) answers(n *prepared, c *Clash) bool {
	if n.all.total == 0 {
		return false
	}
	limit := carriesAsked
	fa := x.fact(c.A)
	switch n.kinds.expect {
	case "QUANTITY", "DURATION":
		switch c.Kind {
		case "ORDER":
			if n.Class != "COMPARISON" {
				return false
			}
		case "POLARITY", "MODALITY", "STATUS", "ENTITY", "SCOPE":
			return false
		}
		if fa.Value.Kind == TimeValue || !n.counts(fa) || !n.counts(x.fact(c.B)) {
			return false
		}
		if q := fa.Value.Quantity; q != nil && n.kinds.dims != nil && !n.kinds.dims[q.Unit.Dim] {
			return false
		}
	case "TIME":
		if fa.Value.Kind == EntityValue || c.Kind == "ENTITY" {
			return false
		}
	case "BOOLEAN", "ENTITY", "PLACE", "":
	default:
		limit = carriesText
	}
	if n.Class == "DEFINITION" && n.Attribute == "" && c.Kind != "ENTITY" {
		return false
	}
	for _, r := range []Ref{c.A, c.B} {
		v, f := x.views[r.Page], x.fact(r)
		b := v.clauseBagFor(f)
		cov := n.all.cover(b)
		lift(n.all, cov.cells, v.frameBag(), 0.75)
		n.answersState(n.all, cov.cells, v.factSides(r.Fact))
		n.coverTimes(cov.cells, v.ownTimes(r.Fact))
		if n.all.score(cov.cells) < limit {
			return false
		}
		sc := n.subject.cover(b)
		lift(n.subject, sc.cells, v.frameBag(), 0.75)
		about := n.subject.score(sc.cells)
		if n.subject.total > 0 && n.Others == nil && about < 0.4 {
			return false
		}
		for _, o := range n.others {
			if o.scoreOn(b) > 0.8 && about < 0.8 && c.Kind != "ORDER" {
				return false
			}
		}
		if n.attribute.total > 0 && f.Value.Kind != BooleanValue {
			ac := n.attribute.cover(b)
			if f.Value.Quantity != nil {
				impliedBy(f.Value.Quantity, n.attribute, ac.cells)
			}
			if n.attribute.score(ac.cells) < 0.45 {
				return false
			}
		}
		for _, g := range n.all.gaps(cov.cells, cellCovered) {
			if g.name && g.weight > 0.15*n.all.total {
				return false
			}
		}
		if x.elsewhere(n, v, r.Fact) || n.outside(v, r.Fact) {
			return false
		}
	}
	return true
}

// coverTimes covers the times that a question names beside its own one and that a clause has
// as well: each year from March to May.
func (n *prepared) coverTimes(cells []float64, times []when.Expr) {
	for _, t := range n.allTimes {
		if !slices.ContainsFunc(times, func(o when.Expr) bool {
			r, _ := when.Compare(t, o)
			return r == relation.Same || bare(t.Text) == bare(o.Text)
		}) {
			continue
		}
		for i := t.Start; i < t.End && i < len(n.all.at); i++ {
			if k := n.all.at[i]; k >= 0 {
				cells[k] = max(cells[k], impliedMatch)
			}
		}
	}
}

// counts reports whether the unit of the fact can be the one that the question names:
// how many floors is not answered by a price.
func (n *prepared) counts(f *Fact) bool {
	q := f.Value.Quantity
	return q == nil || !n.counted || q.Unit.Dim == quantity.None || q.Unit.Dim == quantity.Count
}

// neighbours pairs facts of different pages that share two telling words and have
// comparable values. Each word lends at most maxCandidates facts.
func (x *comparer) neighbours() iter.Seq2[Ref, Ref] {
	return func(yield func(a, b Ref) bool) {
		type chain struct{ first, last, n int32 } // of links
		type link struct{ fact, next int32 }      // a fact, numbered through all pages
		var (
			chains []chain
			links  []link
			places = newTally(1024) // by key: 1 + its chain
			met    []int32
			facts  = 0
		)
		for _, v := range x.views {
			facts += len(v.page.Facts)
		}
		refs, shared := make([]Ref, 0, facts), make([]uint8, facts) // shared, by fact: words in common with the fact at hand, at most 2
		for p, v := range x.views {
			base := int32(len(refs))
			for i := range v.page.Facts {
				f := &v.page.Facts[i]
				refs = append(refs, Ref{Page: p, Fact: i, Span: f.Span, Value: f.Value.Span})
			}
			own := v.neighbourTerms()
			for i := range v.page.Facts {
				met = met[:0]
				for _, t := range own.terms[own.from[i]:own.from[i+1]] {
					if x.st.count.get(t.word) > 12 {
						continue
					}
					at := places.count(t.key)
					if *at == 0 {
						chains = append(chains, chain{-1, -1, 0})
						*at = int32(len(chains))
					}
					c := &chains[*at-1]
					for l := c.first; l >= 0; l = links[l].next {
						other := links[l].fact
						if other >= base {
							break // facts of this page stand last
						}
						switch shared[other] {
						case 0:
							met = append(met, other)
							shared[other] = 1
						case 1:
							shared[other] = 2
							if !yield(refs[other], refs[base+int32(i)]) {
								return
							}
						}
					}
					if c.n < maxCandidates {
						links = append(links, link{base + int32(i), -1})
						n := int32(len(links) - 1)
						if c.last < 0 {
							c.first = n
						} else {
							links[c.last].next = n
						}
						c.last = n
						c.n++
					}
				}
				for _, other := range met {
					shared[other] = 0
				}
			}
		}
	}
}

// loose joins dimensions whose values may speak of one thing.
func loose(d quantity.Dimension) quantity.Dimension {
	switch d {
	case quantity.Months, quantity.WorkingDays:
		return quantity.Duration
	case quantity.Points:
		return quantity.Ratio
	case quantity.None:
		return quantity.Count
	}
	return d
}

// clash decides whether two facts conflict and how. need is what both fill, so that
// what they are about has been compared with the question already; nil for none.
func (x *comparer) clash(ra, rb Ref, need *prepared, told bool) (Clash, bool) {
	va, vb := x.views[ra.Page], x.views[rb.Page]
	fa, fb := x.fact(ra), x.fact(rb)
	none := Clash{}
	if fa.Value.Kind != fb.Value.Kind || fa.Threshold != fb.Threshold && need == nil {
		return none, false
	}
	if fa.Hedged != fb.Hedged && (fa.Modality == Reported || fb.Modality == Reported) {
		return none, false
	}
	if !x.possible(ra, rb) {
		return none, false
	}
	form, limit := ofValue, oneThing
	ranges := false
	if fa.Value.Kind == BooleanValue {
		form, limit = ofClause, oneStatement
		if ranges = x.rangesDiffer(ra, rb); ranges || onlyAgainstAll(fa, fb) && x.mutual(ra, rb, ofCore).similarity > x.mutual(ra, rb, ofClause).similarity {
			form = ofCore
		}
		if ha, hb := x.reach(ra), x.reach(rb); ha.compares && hb.compares && ha.pivot.axis == hb.pivot.axis {
			form = ofCore
		}
	}
	m := x.withoutDocuments(x.mutual(ra, rb, form), ra, rb)
	if oneDocument(&va.meta, &vb.meta) && m.extraA+m.extraB > oneAuthor*m.shared {
		return none, false
	}
	full := told || need != nil && fa.Value.Kind != BooleanValue && ra.Score >= fullFit && rb.Score >= fullFit
	if full {
		m = x.restricting(m, ra, rb, need, told)
	}
	if fa.Value.Kind == BooleanValue && x.twoHolders(ra, rb, m) {
		// Beside the holders' names the two say the same.
		m.extraA, m.extraB, m.similarity, m.holders = 0, 0, 1, true
	}
	if !m.holders && x.introducedApart(ra, rb) {
		return none, false
	}
	foreign := va.chinese(ra.Fact) != vb.chinese(rb.Fact)
	if foreign && (priced(&fa.Value) != priced(&fb.Value)) { // 月费 is no "events included per month", though it says month
		return none, false
	}
	if need != nil {
		limit -= 0.22
		if foreign { // of two languages the dictionary knows only some words
			limit = 0.3
		}
	}
	if m.similarity < limit && !told {
		return none, false
	}
	versions := x.versionsOf(ra, rb)
	least := leastShared
	if versions && m.extraA+m.extraB == 0 { // a short rule of one article, word for word
		least = leastVersion
	}
	if need == nil && (m.shared < least || m.extraA+m.extraB > 0.25*m.shared) && !(form == ofCore && m.shared >= 2.5) {
		return none, false
	}
	ta, tb := va.ownTimes(ra.Fact), vb.ownTimes(rb.Fact)
	if versions { // the years of two versions of one rule do not set them apart
		ta, tb = va.statedTimes(ra.Fact), vb.statedTimes(rb.Fact)
	}
	if fa.Value.Kind != TimeValue && when.Scope(ta, tb) == relation.Differs {
		return none, false
	}
	if (fa.Modality == Planned) != (fb.Modality == Planned) || va.foreseen(fa) != vb.foreseen(fb) {
		return none, false
	}
	if x.excepted(va, fa, vb, fb) || x.excepted(vb, fb, va, fa) {
		return none, false
	}
	c := Clash{A: ra, B: rb, Subject: firstText(fa.Subject.Text, fb.Subject.Text), Attribute: firstText(fa.Attribute.Text, fb.Attribute.Text)}
	c.A.Score, c.B.Score = m.similarity, m.similarity
	kind, hard, why := x.kind(ra, rb, m, ranges, told)
	if kind == "" {
		return none, false
	}
	switch kind {
	case "SCOPE":
		if ranges && x.otherRule(ra, rb, m) {
			return none, false
		}
	case "ORDER", "QUANTIFIER":
	case "ENTITY":
		if nested(va, fa, vb, fb) || x.otherOffice(ra, rb, m) {
			return none, false
		}
	default:
		if need != nil && !full {
			m = x.inClause(m, ra, rb)
		}
		if numberedApart(va, ra.Fact, vb, rb.Fact) || oneCharacterApart(va, fa, vb, fb) || serialApart(va, fa, vb, fb) {
			return none, false
		}
		if kind != "TIME" && namedApart(va, fa, vb, fb) {
			return none, false
		}
		if contrast(m) && !(foreign && need != nil) || !foreign && x.otherThing(ra, rb, need) {
			return none, false
		}
	}
	if kind != "ORDER" && kind != "QUANTIFIER" && why != "disjoint ranges" && apart(va.factSides(ra.Fact), vb.factSides(rb.Fact), false) {
		return none, false
	}
	if va.twinned(fa, vb, fb) {
		return none, false
	}
	c.Kind, c.Hard, c.Reason = kind, hard, why
	if versions {
		c.Kind, c.Hard = "VERSION", true
	}
	return c, true
}

// foreseen matches what was thought beforehand that a thing would be or cost.
var foreseen = guarded(`\b(?:had been|was|were|been) (?:originally |initially |first |at first )?(?:estimated|expected|forecast|projected|anticipated|budgeted|quoted|put at|planned)\b|\b(?:original|initial|first|early|preliminary|provisional) (?:estimates?|quotes?|budgets?|forecasts?|calculations?|figures?)\b|\bestimates? (?:was|were|had|put|stood)\b|` +
	`(?:原|曾|最初|当初)(?:先|本)?(?:估|预|计|概)|估算为|概算(?:为|是)?|预估|估价`)

// foreseen reports whether a quantity is what was thought beforehand.
func (s *sheet) foreseen(f *Fact) bool {
	return f.Value.Quantity != nil && s.clauseOf(f) != nil && foreseen.MatchString(s.marksAt(f.Clause).folded)
}

// priced reports whether a value is a sum of money.
func priced(v *Value) bool { return v.Quantity != nil && v.Quantity.Unit.Dim == quantity.Money }

// mutual compares what two facts are about. The gaps in the result hold until the next
// call.
func (x *comparer) mutual(ra, rb Ref, form aboutForm) overlap {
	m := mutual(x.about(ra, form), x.about(rb, form), &x.laid, &x.gaps)
	m.factA, m.factB = ra.Fact, rb.Fact
	return m
}

// chinese reports whether the clause of a fact is mostly Chinese.
func (s *sheet) chinese(i int) bool {
	return *s.han.get(i, func() *bool {
		han, latin := 0, 0
		f := &s.page.Facts[i]
		for _, r := range s.page.Runes[f.Span.Start:f.Span.End] {
			switch {
			case text.IsHan(r):
				han++
			case unicode.IsLetter(r):
				latin++
			}
		}
		chinese := 2*han > latin
		return &chinese
	})
}

// rangesDiffer reports whether one clause limits its rule to some, and the other
// states it for all or limits it to others.
func (x *comparer) rangesDiffer(ra, rb Ref) bool {
	a, b := x.reach(ra), x.reach(rb)
	if a.only.Empty() && b.only.Empty() {
		return false
	}
	pa, pb := x.views[ra.Page].page, x.views[rb.Page].page
	extra := func(p *Page, s text.Span, q *Page, o text.Span) float64 {
		w := x.wordingOf(p.Runes, s, nil, nil)
		return w.total * (1 - w.cover(bagOf(x.wordingOf(q.Runes, o, nil, nil))).score)
	}
	switch {
	case !a.only.Empty() && !b.only.Empty():
		return extra(pa, a.only, pb, b.only) >= 1.6 && extra(pb, b.only, pa, a.only) >= 1.6
	case !a.only.Empty() && !b.all.Empty():
		return extra(pa, a.only, pb, b.all) >= 1.6
	case !b.only.Empty() && !a.all.Empty():
		return extra(pb, b.only, pa, a.all) >= 1.6
	}
	return false
}

// otherRule reports whether two clauses with a range each say it of two things: 上门取件 over all
// the town, 冷链配送 in three districts of it only.
func (x *comparer) otherRule(ra, rb Ref, m overlap) bool {
	before := func(r Ref, gaps []text.Span) bool {
		h := x.reach(r)
		from := h.only.Start
		if h.only.Empty() {
			from = h.all.Start
		}
		for _, g := range gaps {
			if g.End <= from && g.Len() > 1 {
				return true
			}
		}
		return false
	}
	return before(ra, m.gapsA) && before(rb, m.gapsB)
}

// excepted reports whether b is about the case that a excepts: a rule with its
// exception and the rule for the excepted case do not conflict.
func (x *comparer) excepted(va *view, a *Fact, vb *view, b *Fact) bool {
	conds := a.Conditions
	if c := va.clauseOf(a); c != nil {
		conds = c.Conditions
	}
	cb := vb.clauseOf(b)
	if cb == nil {
		return false
	}
	var bag *bag
	for _, c := range conds {
		if c.Kind != Except && c.Kind != Unless || slices.ContainsFunc(cb.Conditions, func(o Condition) bool { return o.Kind == c.Kind && o.Text == c.Text }) {
			continue // both make the same exception
		}
		if len(c.Terms) > 0 {
			if bag == nil {
				bag = vb.clauseBagFor(b)
			}
			sum, total := 0.0, 0.0
			for _, t := range c.Terms {
				total += t.Weight
				if bag.has(t.Text, t.Synset) {
					sum += t.Weight
				}
			}
			if total > 0 && sum/total >= 0.5 {
				return true
			}
		}
		if meets(c.Quantities, cb.Quantities) {
			return true
		}
		for _, t := range c.Times {
			for _, o := range cb.Times {
				if r, _ := when.Compare(t, o); r == relation.Same {
					return true
				}
			}
		}
	}
	return false
}

// otherThing reports whether the subjects of two facts are two things: a part beside
// its whole, a subsidiary beside its group. Words that the question names set nothing
// apart.
func (x *comparer) otherThing(ra, rb Ref, need *prepared) bool {
	va, vb, fa, fb := x.views[ra.Page], x.views[rb.Page], x.fact(ra), x.fact(rb)
	ca, cb := va.clauseOf(fa), vb.clauseOf(fb)
	if ca == nil || cb == nil {
		return false
	}
	if ha, hb := x.reach(ra).document, x.reach(rb).document; ha >= ca.Topic.Span.End && hb >= cb.Topic.Span.End && topicHere(ca) && topicHere(cb) && beginAlike(ca.Topic.Text, cb.Topic.Text) {
		return false
	}
	if x.otherTopic(x.topicAt(ra.Page, fa.Clause), x.topicAt(rb.Page, fb.Clause), ra, rb, need, false) {
		return true
	}
	if need == nil && x.otherPage(ra, rb) {
		return true
	}
	if need != nil && fa.Value.Kind != BooleanValue && topicHere(ca) && topicHere(cb) && x.oneThingNamed(ca.Topic.Text, cb.Topic.Text) {
		return false
	}
	// What the sentences begin with: their later clauses speak of it too.
	ha, hb := va.page.Sentences[ca.Sentence].Clauses[0], vb.page.Sentences[cb.Sentence].Clauses[0]
	ta, tb := va.page.Clauses[ha].Topic.Text, vb.page.Clauses[hb].Topic.Text
	return (ta != ca.Topic.Text || tb != cb.Topic.Text) && x.otherTopic(x.topicAt(ra.Page, ha), x.topicAt(rb.Page, hb), ra, rb, need, true)
}

// beginAlike reports whether two names begin with the same two characters.
func beginAlike(a, b string) bool {
	x, y := []rune(a), []rune(b)
	return len(x) > 2 && len(y) > 2 && x[0] == y[0] && x[1] == y[1]
}

// oneThingNamed is Engine.sameThing, worked out once.
func (x *comparer) oneThingNamed(a, b string) bool {
	k := [2]string{a, b}
	same, ok := x.things[k]
	if !ok {
		same = x.sameThing(a, b)
		x.things[k] = same
	}
	return same
}

// otherPage reports whether two facts without a name of their own stand on pages that
// begin with two different things: the ticket of the tram, and that of the bus.
func (x *comparer) otherPage(ra, rb Ref) bool {
	va, vb, fa, fb := x.views[ra.Page], x.views[rb.Page], x.fact(ra), x.fact(rb)
	if len(va.page.Clauses) == 0 || len(vb.page.Clauses) == 0 || fa.Sentence == 0 && fb.Sentence == 0 {
		return false
	}
	named := func(f *Fact) bool {
		for _, t := range f.Anchors {
			if t.Name && !t.Span.Empty() && t.Origin <= Sentence {
				return true
			}
		}
		return false
	}
	if named(fa) && named(fb) {
		return false
	}
	ta, tb := x.topicAt(ra.Page, 0), x.topicAt(rb.Page, 0)
	if ta.words.total == 0 || tb.words.total == 0 {
		return false
	}
	return x.lacks(ta, vb.saidBag(0), nil, "") >= 1.6 && x.lacks(tb, va.saidBag(0), nil, "") >= 1.6
}

// missKey names a topic laid over a bag.
type missKey struct {
	topic *topic
	bag   *bag
	need  *prepared
}

// missing is the weight of the words of a topic that a bag lacks.
type missing float64

// lacks is the weight of the words of a topic that a bag does not carry, without those
// that say little, those that the question names, and those (a number in a name) that said,
// the folded text of the bag's clause, has as they are written. It is worked out once for
// a topic, a bag and a need.
func (x *comparer) lacks(t *topic, b *bag, need *prepared, said string) float64 {
	k := missKey{t, b, need}
	if weight, ok := x.missed[k]; ok {
		return float64(weight)
	}
	weight := 0.0
	w := t.words
	for g := range w.eachGap(w.cover(b).cells, cellCovered) {
		s := w.text(g.Span)
		if said != "" && writtenIn(said, fold(s)) {
			continue
		}
		if need != nil && x.wording(s, nil).scoreOn(need.asked) >= 0.5 || light[fold(s)] {
			continue
		}
		weight += g.weight
	}
	x.missed[k] = missing(weight)
	return weight
}

// otherTopic reports whether two subjects, or (heads) what two sentences begin with, are two
// things.
func (x *comparer) otherTopic(ta, tb *topic, ra, rb Ref, need *prepared, heads bool) bool {
	if ta.text == "" || tb.text == "" || ta == tb {
		return false
	}
	va, vb, fa, fb := x.views[ra.Page], x.views[rb.Page], x.fact(ra), x.fact(rb)
	la, lb := va.clauseBagFor(fa), vb.clauseBagFor(fb)
	// Each names a subject of its own, and one of them is unknown to the other clause. A
	// subject in words of the question that the other clause has as well is not its own.
	saidA, saidB := va.marksAt(fa.Clause).folded, vb.marksAt(fb.Clause).folded
	named := func(t *topic, topic, clause *bag, said string) bool {
		return x.lacks(t, topic, nil, "") >= 1.6 && (heads || x.lacks(t, topic, need, "") >= 1.6 || x.lacks(t, clause, nil, said) >= 1.6)
	}
	if named(ta, tb.bag, lb, saidB) && named(tb, ta.bag, la, saidA) && (x.lacks(ta, lb, need, saidB) >= 1.6 || x.lacks(tb, la, need, saidA) >= 1.6) {
		return true
	}
	// A part of what the other speaks of: the deer park of the estate.
	return x.partOf(ta.text, tb.bag, lb, need) || x.partOf(tb.text, ta.bag, la, need)
}

// head is a subject without its apposition: X, a subsidiary of Y.
func head(subject string) string {
	if i := strings.IndexAny(subject, ",，（("); i > 0 {
		return strings.TrimSpace(subject[:i])
	}
	return subject
}

// partOf reports whether a subject is a part of the other subject (topic), named by a
// head of its own that the other clause lacks.
func (x *comparer) partOf(subject string, topic, other *bag, need *prepared) bool {
	head, owner, ok := splitOwner(subject)
	if !ok || !partHead(head) {
		return false
	}
	wo, wh := x.wording(owner, nil), x.wording(head, nil)
	if wo.total == 0 || wh.total == 0 || wo.scoreOn(topic) < 0.7 || wh.scoreOn(other) > 0.3 {
		return false
	}
	return need == nil || wh.scoreOn(need.asked) < 0.5
}

// splitOwner cuts "the Y of X", "X's Y", X的Y into Y and X.
func splitOwner(s string) (head, owner string, ok bool) {
	if i := strings.LastIndex(s, "的"); i > 0 && i+len("的") < len(s) {
		return s[i+len("的"):], s[:i], true
	}
	if i := strings.Index(s, " of "); i > 0 {
		return s[:i], s[i+4:], true
	}
	for _, mark := range []string{"'s ", "’s "} {
		if i := strings.Index(s, mark); i > 0 {
			return s[i+len(mark):], s[:i], true
		}
	}
	return "", "", false
}

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// aboutKey names what about has read once.
type aboutKey struct {
	fact int
	st   *rarity
}

// about is what a value is about: the words of its clause and what it inherits,
// without the values themselves. A fact is compared with many others, and read once.
func (e *Engine) about(v *view, i int, st *rarity) *aboutness {
	key := aboutKey{i, st}
	a, ok := v.abouts[key]
	if !ok {
		if v.abouts == nil {
			v.abouts = map[aboutKey]*aboutness{}
		}
		a = e.readAbout(v, i, ofValue, func(w *wording) *wording { return w.weighed(st) })
		v.abouts[key] = a
	}
	return a
}

func (e *Engine) readAbout(v *view, i int, form aboutForm, weigh func(*wording) *wording) *aboutness {
	f := &v.page.Facts[i]
	out := &aboutness{bag: v.aboutBag(i, form != ofValue)}
	if v.clauseOf(f) == nil {
		out.own = e.wording("", nil)
		return out
	}
	p := v.aboutPhrase(i, form)
	out.own, out.from = weigh(p.words), p.from
	if s := v.sentenceSpan(f); form == ofValue && out.own.total < leastShared && s.Start < p.from {
		p = v.aboutPhrase(i, ofSentence) // the clause takes its subject from the one before it
		out.own, out.from = weigh(p.words), p.from
	}
	out.all = v.clauseBagFor(f)
	return out
}

// phrase is what a fact is about in words, before their rarity.
type phrase struct {
	words *wording
	from  int // where they begin on the page
}

// firstAbout is the first fact of the clause that is about the same stretch of it.
func (s *sheet) firstAbout(i int, form aboutForm) int {
	f := &s.page.Facts[i]
	for k := s.page.Clauses[f.Clause].Facts[0]; k < i; k++ {
		if o := &s.page.Facts[k]; o.Clause == f.Clause && o.Sentence == f.Sentence && (form == ofClause || form == ofCore || o.Span == f.Span) {
			return k
		}
	}
	return i
}

// aboutPhrase cuts what a fact is about out of its clause.
func (s *sheet) aboutPhrase(i int, form aboutForm) *phrase {
	i = s.firstAbout(i, form)
	return s.phrases.get(phraseForms*i+int(form), func() *phrase {
		f, e := &s.page.Facts[i], s.engine
		c := s.clauseOf(f)
		skip := values(s.page, c)
		if form == ofClause || form == ofCore { // what a thing is said to be is what the clause says
			skip = slices.DeleteFunc(skip, func(span text.Span) bool { return s.predicate(c, span) })
		}
		if form == ofCore {
			h := s.reachAt(f)
			skip = append(skip, h.all, h.only, h.pivot.word)
		}
		if form == ofClause || form == ofCore {
			skip = append(skip, stancesOf(s.foldedText()[c.Start:c.End], c.Start)...)
			if m := s.marksAt(f.Clause); m.charge != 0 {
				skip = append(skip, chargeWords(s.page.Runes, c.Span)...)
			}
			if m := s.marksAt(f.Clause); m.often != nil {
				skip = append(skip, text.Span{Start: c.Start + m.oftenAt.Start, End: c.Start + m.oftenAt.End})
			}
			if e.config.Contrasts != nil {
				for _, found := range e.config.Contrasts.Find(s.foldedText()[c.Start:c.End]) {
					if found.State {
						skip = append(skip, text.Span{Start: c.Start + found.Start, End: c.Start + found.End})
					}
				}
			}
		}
		span := c.Span
		if form != ofClause && form != ofCore && f.Span.Len() > 0 && c.Span.Contains(f.Span) {
			span = f.Span
		}
		if form == ofSentence {
			span.Start = s.sentenceSpan(f).Start
			for k := f.Clause - 1; k >= 0 && s.page.Clauses[k].Sentence == c.Sentence; k-- {
				skip = append(skip, values(s.page, &s.page.Clauses[k])...)
				span.Start = s.page.Clauses[k].Start
			}
		}
		return &phrase{e.foldedPhrase(s.page.Runes[span.Start:span.End], s.foldedText()[span.Start:span.End], span, skip), span.Start}
	})
}

// predicate reports whether a stretch of a clause is what its subject is said to be, or a part
// of it.
func (s *sheet) predicate(c *Clause, span text.Span) bool {
	for i := c.Facts[0]; i < c.Facts[1] && i < len(s.page.Facts); i++ {
		f := &s.page.Facts[i]
		if f.Value.Kind == EntityValue && (f.Role == IsA || f.Role == Definition) && f.Value.Span.Contains(span) {
			return true
		}
	}
	return false
}

// stanceList are content words that say how a statement stands, not what it is about.
var stanceList = text.NewTrie(map[int16]string{1: "谨慎|小心|完全|正常|照常|依旧|适用|禁用|慎用|忌用|禁止|严禁|允许|准许|许可|不宜|避免|有效|生效|施行|废止|失效|停止|暂停|关闭|开放|营业|停业|在售|停售|取消|终止|可以|应当|必须|不得|全体|所有|全部|仅限|部分|" +
	"with caution|caution|cautiously|with care|fully|entirely|completely|generally|open|closed|close|valid|expired|repealed|discontinued|available|unavailable|active|inactive|suspended|cancelled|canceled|withdrawn|in force|for good|as usual|permanently|temporarily|allowed|forbidden|prohibited|permitted|banned|required|optional|recommended|choose|free to|no longer|still|currently"})

func stanceWords(runes []rune, span text.Span) []text.Span {
	return stancesOf(text.Fold(runes[span.Start:span.End]), span.Start)
}

// stancesOf is stanceWords of a folded stretch that begins at a place of its page.
func stancesOf(folded []rune, start int) []text.Span {
	var out []text.Span
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i-1]) && text.IsWord(folded[i]) {
			continue
		}
		if end, _, ok := stanceList.Longest(folded, i); ok {
			out = append(out, text.Span{Start: start + i, End: start + end})
			i = end - 1
		}
	}
	return out
}

type aboutness struct {
	own  *wording // words of the clause that states the value
	from int      // where they begin on the page
	bag  *bag     // the same with what it inherits
	all  *bag
}

// numbered are things that are told apart by numbers.
var numbered = map[string]bool{"hall": true, "room": true, "section": true, "article": true, "clause": true, "station": true, "gate": true, "platform": true, "line": true, "floor": true, "level": true, "tier": true, "phase": true, "chapter": true, "part": true, "no": true, "number": true, "building": true, "unit": true, "block": true, "zone": true, "area": true, "type": true, "class": true, "grade": true, "model": true, "route": true, "track": true, "table": true, "appendix": true, "ward": true, "lot": true, "plot": true, "dock": true, "bay": true, "pier": true, "berth": true, "terminal": true, "lane": true, "district": true, "region": true, "group": true, "team": true}

// namedNumber reports whether a number is the name of a thing: hall 7 is not hall 8.
func namedNumber(runes []rune, s text.Span) bool {
	if s.Start < 2 {
		return false
	}
	switch runes[s.Start-1] {
	case ' ', '\t', '\n', '\f', '\r':
	default:
		return false
	}
	var word [8]byte // no numbered thing has more letters
	i, n := s.Start-2, len(word)
	if runes[i] == '.' { // no. 7
		i--
	}
	for ; i >= 0 && n > 0 && latinLetter(runes[i]); i-- {
		n--
		word[n] = byte(runes[i] | 0x20)
	}
	if i >= 0 && text.IsWord(runes[i]) && runes[i] < 0x80 {
		return false // the end of a longer word
	}
	return numbered[string(word[n:])] && (runes[s.Start-2] != '.' || string(word[n:]) == "no")
}

func latinLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// values are the spans of the values of a clause.
func values(p *Page, c *Clause) []text.Span {
	var out []text.Span
	for _, q := range c.Quantities {
		if namedNumber(p.Runes, q.Span) {
			continue
		}
		if q.NounSpan.Empty() || !q.Span.Contains(q.NounSpan) {
			out = append(out, q.Span)
			continue
		}
		// The counted thing is what the value is about, not a part of it.
		out = append(out, text.Span{Start: q.Start, End: q.NounSpan.Start}, text.Span{Start: q.NounSpan.End, End: q.End})
	}
	for _, t := range c.Times {
		out = append(out, t.Span)
	}
	for i := c.Facts[0]; i < c.Facts[1] && i < len(p.Facts); i++ {
		if p.Facts[i].Value.Kind == EntityValue {
			out = append(out, p.Facts[i].Value.Span)
		}
	}
	return out
}

// aboutBag is the bag of a fact for comparison with another fact. It is shared: it
// must not be changed.
func (s *sheet) aboutBag(i int, whole bool) *bag {
	n := 2 * i
	if whole {
		n++
	}
	return s.about.get(n, func() *bag {
		f := &s.page.Facts[i]
		b := newBag(len(f.Anchors))
		for _, t := range f.Anchors {
			w := originWeight(t.Origin)
			if t.Origin == Sentence && !whole {
				w = 0.6
			}
			b.add(t.Text, t.Synset, w)
		}
		if q := f.Value.Quantity; q != nil {
			s.addText(b, q.Noun, 1)
		}
		s.addFrame(b)
		return b
	})
}

// nothing is a bag without words.
var nothing = newBag(0)

func (v *view) clauseBagFor(f *Fact) *bag {
	if f.Clause >= 0 && f.Clause < len(v.page.Clauses) {
		return v.clauseBag(f.Clause)
	}
	return nothing
}

// overlap is how two facts share what they are about.
type overlap struct {
	similarity     float64
	shared         float64
	extraA, extraB float64     // weight of words that only one side has
	gapsA, gapsB   []text.Span // on the pages
	factA, factB   int         // indexes of the facts
	holders        bool        // they differ in the name of a single holder only
}

// mutual compares what two values are about. One-sided extra words (paraphrase,
// detail) weigh little; extra words on both sides set two cases apart. It works in the
// two buffers, which the gaps of the result share.
func mutual(a, b *aboutness, laid *[2][]float64, gaps *[2][]text.Span) overlap {
	var m overlap
	sa := one(a, b, &laid[0], &m.extraA, &gaps[0])
	sb := one(b, a, &laid[1], &m.extraB, &gaps[1])
	m.shared = math.Max(sa, sb)
	m.gapsA, m.gapsB = gaps[0], gaps[1]
	m.similarity = m.ratio()
	return m
}

// ratio is how similar two clauses are by what they share and what only one of them has.
func (m *overlap) ratio() float64 {
	if m.shared == 0 {
		return 0
	}
	low, high := math.Min(m.extraA, m.extraB), math.Max(m.extraA, m.extraB)
	return m.shared / (m.shared + low + 0.25*high)
}

// one lays what one value is about over what another is about.
func one(a, b *aboutness, laid *[]float64, extra *float64, gaps *[]text.Span) (shared float64) {
	w := a.own
	if cap(*laid) < len(w.cells) {
		*laid = make([]float64, 2*len(w.cells))
	}
	cells := (*laid)[:len(w.cells)]
	clear(cells)
	w.lay(b.bag, cells, math.MaxFloat64)
	if a.all != nil && b.all != nil {
		lift(w, cells, b.all, 0.9)
	}
	for k := range w.cells {
		shared += w.cells[k].weight * cells[k]
	}
	*extra, *gaps = 0, (*gaps)[:0]
	for g := range w.eachGap(cells, cellCovered) {
		*extra += g.weight
		*gaps = append(*gaps, text.Span{Start: g.Start + a.from, End: g.End + a.from})
	}
	return shared
}

// contrast reports whether each side has words of weight that the other lacks:
// adults and children, budget and cost, group and shipyard.
func contrast(m overlap) bool {
	return math.Min(m.extraA, m.extraB) >= 1.6 && math.Min(m.extraA, m.extraB) > 0.22*m.shared
}

// documentary matches what opens a sentence and names only where it is written: 某厂安全守则：,
// 某馆的须知写明，. Two documents may say two things of one.
var documentary = guarded(`^[^，：,:]{0,24}?(?:守则|规程|公告|通告|通知|须知|规定|办法|制度|条例|章程|细则|手册|指南|说明书|说明|启事|告示|公示|声明|合同|协议|海报|官网|网站|公众号|报道|介绍|宣传册|宣传单|答复|回复|纪要)(?:中|上|里|内)?(?:写明|载明|注明|写道|写着|规定|说明|要求|指出|提到|称|说|显示|写)?[，：,:]`)

// documentEnd is where such an opening of a folded clause ends, in it; 0 for none.
func documentEnd(folded []rune) int {
	if !slices.ContainsFunc(folded[:min(len(folded), 32)], func(r rune) bool { return r == '：' || r == ':' || r == '，' || r == ',' }) {
		return 0
	}
	return len([]rune(documentary.FindString(string(folded))))
}

// withoutDocuments leaves out the words by which two clauses name where they are written.
func (x *comparer) withoutDocuments(m overlap, ra, rb Ref) overlap {
	ea, eb := x.reach(ra).document, x.reach(rb).document
	if ea == 0 && eb == 0 {
		return m
	}
	drop := func(extra float64, gaps []text.Span, end int) (float64, []text.Span) {
		out := gaps[:0]
		for _, g := range gaps {
			if g.End <= end {
				extra -= hanCell * float64(g.Len())
			} else {
				out = append(out, g)
			}
		}
		return max(0, extra), out
	}
	m.extraA, m.gapsA = drop(m.extraA, m.gapsA, ea)
	m.extraB, m.gapsB = drop(m.extraB, m.gapsB, eb)
	m.similarity = m.ratio()
	return m
}

// inClause leaves out the words that a value took from an earlier clause of its
// sentence: where both speak to what is asked, they set nothing apart.
func (x *comparer) inClause(m overlap, ra, rb Ref) overlap {
	drop := func(extra *float64, gaps []text.Span, r Ref) {
		v := x.views[r.Page]
		c := v.clauseOf(x.fact(r))
		if c == nil {
			return
		}
		for _, g := range gaps {
			if g.Start >= c.Start && !v.behindComma(x.fact(r), c, g) {
				continue
			}
			weight := latinCell
			if text.IsHan(v.page.Runes[g.Start]) {
				weight = hanCell * float64(g.Len())
			}
			*extra = math.Max(0, *extra-weight)
		}
	}
	drop(&m.extraA, m.gapsA, ra)
	drop(&m.extraB, m.gapsB, rb)
	return m
}

// restricting leaves out the words that describe what a value is said of and set no case
// apart: where two facts carry all that a need asks, only a subject, a condition, a name, or
// what a preposition or a noun ties to the asked words can make two cases of them. Words that a
// value of its kind implies (weighs, period) make none, nor do words of the question where both
// facts are told to answer it.
func (x *comparer) restricting(m overlap, ra, rb Ref, need *prepared, told bool) overlap {
	sum := func(gaps []text.Span, r Ref) (extra float64) {
		v, f := x.views[r.Page], x.fact(r)
		c := v.clauseOf(f)
		if c == nil {
			return 0
		}
		for _, g := range gaps {
			if v.restricts(f, c, g) && !need.unapart(f, v.foldedText()[g.Start:g.End], told) {
				if text.IsHan(v.page.Runes[g.Start]) {
					extra += hanCell * float64(g.Len())
				} else {
					extra += latinCell
				}
			}
		}
		return extra
	}
	m.extraA, m.extraB = min(m.extraA, sum(m.gapsA, ra)), min(m.extraB, sum(m.gapsB, rb))
	m.similarity = m.ratio()
	return m
}

// unapart reports whether a folded stretch of the clause of a fact has only words that the kind of
// its value implies or, where the fact is told to answer, words of the question.
func (n *prepared) unapart(f *Fact, said []rune, told bool) bool {
	q := f.Value.Quantity
	for _, t := range text.Terms(said) {
		if !(q != nil && impliedWord(implied[q.Unit.Dim], t.Text)) && !(told && (n.words.word(t.Text) > 0 || derived(fold(n.Question), t.Text))) {
			return false
		}
	}
	return true
}

// restricts reports whether a stretch of a clause says of which thing or case its value
// holds.
func (v *view) restricts(f *Fact, c *Clause, g text.Span) bool {
	if c.Topic.Span.Overlaps(g) {
		return true
	}
	for _, k := range c.Conditions {
		if k.Span.Overlaps(g) {
			return true
		}
	}
	if g.Start < c.Start || v.behindComma(f, c, g) || c.Topic.Span.End <= g.Start && hasComma(v.page.Runes, c.Topic.Span.End, g.Start) && hasComma(v.page.Runes, g.End, f.Value.Span.Start) {
		return false
	}
	for _, t := range c.Terms {
		if t.Name && t.Span.Overlaps(g) {
			return true
		}
	}
	if text.IsHan(v.page.Runes[g.Start]) || c.Topic.Span.Empty() {
		return g.Start < f.Value.Span.Start
	}
	before := v.foldedText()[c.Start:g.Start]
	if tying.MatchString(string(before)) {
		return true
	}
	// A noun before an asked one: shipyard revenue. A verb stands before its object's
	// article or number.
	next := g.End
	for next < c.End && v.page.Runes[next] == ' ' {
		next++
	}
	return next < c.End && unicode.IsLetter(v.page.Runes[next]) && !articleAt(v.foldedText()[next:c.End])
}

// hasComma reports whether a comma stands between two places of a text.
func hasComma(runes []rune, from, to int) bool {
	for i := from; i < to; i++ {
		if runes[i] == ',' || runes[i] == '，' {
			return true
		}
	}
	return false
}

// tying matches a preposition with the determiner and the adjective that may follow it,
// at the end of a text.
var tying = guarded(`\b(?:for|in|at|on|of|from|to|with|by|during|under|over|per|between|within|without|among|above|below)(?: (?:the|a|an|its|their|our|any|all|each|every))?(?: [a-z-]+)? $`)

// articleAt reports whether an article, a preposition or another small word begins a text.
func articleAt(runes []rune) bool {
	for _, a := range [...]string{"the ", "a ", "an ", "its ", "their ", "and ", "or ", "in ", "on ", "at ", "for ", "of ", "to ", "by ", "from ", "with ", "is ", "are ", "was ", "were "} {
		if len(runes) >= len(a) && string(runes[:len(a)]) == a {
			return true
		}
	}
	return false
}

// topicHere reports whether a clause names its subject itself.
func topicHere(c *Clause) bool { return !c.Topic.Span.Empty() && c.Span.Contains(c.Topic.Span) }

// oneCharacterApart reports whether the Chinese subjects of two clauses are the same but
// for one character within: 竹间 and 兰间 are two rooms, 甲级 and 乙级 two grades.
func oneCharacterApart(va *view, fa *Fact, vb *view, fb *Fact) bool {
	ca, cb := va.clauseOf(fa), vb.clauseOf(fb)
	if ca == nil || cb == nil {
		return false
	}
	a, b := []rune(ca.Topic.Text), []rune(cb.Topic.Text)
	if len(a) != len(b) || len(a) < 4 {
		return false
	}
	at := -1
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		if at >= 0 {
			return false
		}
		at = i
	}
	if at < 0 {
		return false
	}
	if at == 0 || at == len(a)-1 { // 一号厅 and 二号厅
		return strings.ContainsRune(ordinalSigns, a[at]) && strings.ContainsRune(ordinalSigns, b[at])
	}
	return text.IsHan(a[at]) && text.IsHan(b[at])
}

// serialApart reports whether two Chinese clauses begin with the same name under two numerals
// that are no part of their values: 一车间 and 二车间.
func serialApart(va *view, fa *Fact, vb *view, fb *Fact) bool {
	ca, cb := va.clauseOf(fa), vb.clauseOf(fb)
	if ca == nil || cb == nil || ca.Len() < 3 || cb.Len() < 3 {
		return false
	}
	if fa.Value.Kind != BooleanValue && fa.Value.Span.Start <= ca.Start || fb.Value.Kind != BooleanValue && fb.Value.Span.Start <= cb.Start {
		return false // it is the number that is told
	}
	a, b := va.foldedText()[ca.Start:ca.Start+3], vb.foldedText()[cb.Start:cb.Start+3]
	return a[0] != b[0] && a[1] == b[1] && a[2] == b[2] && text.IsHan(a[1]) && text.IsHan(a[2]) &&
		strings.ContainsRune(ordinalSigns, a[0]) && strings.ContainsRune(ordinalSigns, b[0]) && !measuredFrom(ca) && !measuredFrom(cb)
}

// measuredFrom reports whether a clause begins with a quantity that measures: 三天内.
func measuredFrom(c *Clause) bool {
	for i := range c.Quantities {
		if q := &c.Quantities[i]; q.Start == c.Start && q.Unit.Dim != quantity.None && q.Unit.Dim != quantity.Count && q.Unit.Dim != quantity.Ordinal {
			return true
		}
	}
	return false
}

// ordinalSigns number the members of a series.
const ordinalSigns = "一二三四五六七八九十甲乙丙丁戊己庚辛"

// namedApart reports whether two clauses name different things beside their values: the
// price in one town and that in another. A name that the other page has anywhere tells
// nothing.
func namedApart(va *view, fa *Fact, vb *view, fb *Fact) bool {
	return ownName(va, fa, vb) && ownName(vb, fb, va)
}

// ownName reports whether the clause of a fact has a name as a value of its own that
// stands nowhere on the other page.
func ownName(v *view, f *Fact, other *view) bool {
	c := v.clauseOf(f)
	if c == nil {
		return false
	}
	for i := c.Facts[0]; i < c.Facts[1] && i < len(v.page.Facts); i++ {
		o := &v.page.Facts[i]
		if o.Value.Kind != EntityValue || o.Value.Span.Overlaps(f.Value.Span) || o.Value.Span.Empty() || c.Topic.Span.Overlaps(o.Value.Span) {
			continue
		}
		name := fold(o.Value.Text)
		if !strings.Contains(other.foldedString(), name) && !strings.Contains(fold(other.title), name) {
			return true
		}
	}
	return false
}

// behindComma reports whether a stretch of a clause is parted from the value of a fact
// by a comma: "420 hectares, most of it grassland".
func (v *view) behindComma(f *Fact, c *Clause, s text.Span) bool {
	if f.Value.Kind != QuantityValue || s.Start < f.Value.Span.End {
		return false
	}
	for i := f.Value.Span.End; i < s.Start; i++ {
		if r := v.page.Runes[i]; r == ',' || r == '，' {
			return true
		}
	}
	return false
}

// beforeValue is what a clause says before a value.
func (s *sheet) beforeValue(f *Fact) string {
	c := s.clauseOf(f)
	if c == nil || f.Value.Span.Start <= c.Start || f.Value.Kind == BooleanValue {
		return ""
	}
	return string(s.foldedText()[c.Start:f.Value.Span.Start])
}

// classMembers are counted things by which the members of a class are told apart: two-room,
// 三居室, 2人间.
var classMembers = guarded(`([一二两三四五六七八九十\d]+)(居室?|室|人间|人份|座|级|档|星|阶|口|轮|缸|孔|联|折叠|层)|\b(one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d+)[- ](room|bed|bedroom|door|seat|seater|star|person|storey|story|year|month|day|week|hour|gear|wheel|piece|stage|speed|inch|litre|liter)\b`)

// classMember is a member of a class that a text names before a value.
type classMember struct{ class, member, text string }

// membersBefore are the members of classes that a clause names before a value.
func (s *sheet) membersBefore(i int) []classMember {
	return *s.members.get(i, func() *[]classMember {
		var out []classMember
		if t := s.beforeValue(&s.page.Facts[i]); t != "" {
			for _, m := range classMembers.FindAllStringSubmatch(t, 4) {
				out = append(out, classMember{m[2] + m[4], m[1] + m[3], m[0]})
			}
		}
		return &out
	})
}

// numberedApart reports whether two facts are of two members of one class.
func numberedApart(va *view, a int, vb *view, b int) bool {
	ma, mb := va.membersBefore(a), vb.membersBefore(b)
	for _, x := range ma {
		for _, y := range mb {
			if x.class == y.class && x.member != y.member && !strings.Contains(vb.beforeValue(&vb.page.Facts[b]), x.text) && !strings.Contains(va.beforeValue(&va.page.Facts[a]), y.text) {
				return true
			}
		}
	}
	return false
}

// share is shareOf, worked out once.
func (x *comparer) share(a, b *Condition) float64 {
	k := [2]*Condition{a, b}
	s, ok := x.shares[k]
	if !ok {
		s = shareOf(a, b)
		x.shares[k] = s
	}
	return s
}

// kind names the conflict of two facts about one thing; "" for none. ranges: one of
// them limits the rule to some.
func (x *comparer) kind(ra, rb Ref, m overlap, ranges, told bool) (kind string, hard bool, why string) {
	va, vb, fa, fb := x.views[ra.Page], x.views[rb.Page], x.fact(ra), x.fact(rb)
	cond := sameCases(fa, fb, x.share)
	special := cond == relation.Unknown && (x.special(va, vb, fa, fb) || x.special(vb, va, fb, fa))
	if fa.Value.Kind != BooleanValue {
		r, reason := x.values(ra, rb)
		threshold := fa.Threshold && fb.Threshold || told && (inCondition(fa) || inCondition(fb))
		switch r {
		case relation.Same:
			if threshold {
				return "", false, ""
			}
			if fa.Negative() != fb.Negative() && fa.Value.Kind != TimeValue && !special && cond != relation.Differs {
				return "POLARITY", true, "stated and denied"
			}
			if cond == relation.Differs && thresholdsExclude(fa, fb) {
				return "CONDITION", true, "two thresholds for one value"
			}
			return "", false, ""
		case relation.Differs:
			if !threshold && cond != relation.Differs && !special && opposedBounds(fa.Value.Quantity, fb.Value.Quantity) {
				return "QUANTIFIER", true, "at least and at most"
			}
			return "", false, ""
		case relation.Excludes:
			if threshold {
				// Another outcome, or another step of a scale, is another rule.
				if fa.Negative() != fb.Negative() || !sameBound(fa.Value.Quantity, fb.Value.Quantity) || !told && stepsDiffer(va, fa, vb, fb) {
					return "", false, ""
				}
				return "CONDITION", true, reason
			}
			if cond == relation.Differs || special || (fa.Negative() || fb.Negative()) && !forbiddenBounds(va, fa, vb, fb) {
				return "", false, ""
			}
			return valueKind(va, vb, fa, fb, reason)
		}
		return "", false, ""
	}
	if x.turnedRound(ra, rb, m) {
		return "ORDER", true, "turned round"
	}
	if oa, ob := x.reach(ra).often, x.reach(rb).often; oa != nil && ob != nil && oa.Cmp(ob) != 0 && cond != relation.Differs && !special && !fa.Negative() && !fb.Negative() {
		return "VALUE", true, "two frequencies"
	}
	if m.holders {
		if r, _ := stances(fa, fb); r == relation.Same {
			return "ENTITY", true, "two holders"
		}
	}
	if va.clauseOf(fa) != nil && vb.clauseOf(fb) != nil && va.marksAt(fa.Clause).charge*vb.marksAt(fb.Clause).charge < 0 && !special && cond != relation.Differs {
		return "POLARITY", true, "free and not free"
	}
	if special && !onlyAgainstAll(fa, fb) && !ranges {
		return "", false, ""
	}
	if apart(va.factSides(m.factA), vb.factSides(m.factB), true) && fa.Negative() == fb.Negative() || statusClash(va, vb, fa, fb) {
		return "STATUS", true, "in force and not in force"
	}
	if ranges {
		if fa.Negative() != fb.Negative() {
			return "", false, ""
		}
		return "SCOPE", true, "two ranges"
	}
	if cond == relation.Differs {
		return "", false, ""
	}
	r, reason := stances(fa, fb)
	if r != relation.Excludes {
		if onlyAgainstAll(fa, fb) {
			return "SCOPE", true, "two ranges"
		}
		return "", false, ""
	}
	switch reason {
	case "polarity":
		if excludesOthers(va, fa, vb, fb) || excludesOthers(vb, fb, va, fa) {
			return "", false, ""
		}
		if fa.Modality != fb.Modality && (fa.Modality != Plain && fb.Modality != Plain) {
			return "MODALITY", true, reason
		}
		return "POLARITY", true, reason
	case "modality":
		return "MODALITY", true, reason
	case "quantifier":
		if onlyAgainstAll(fa, fb) {
			return "SCOPE", true, reason
		}
		return "QUANTIFIER", true, reason
	}
	return "", false, ""
}

// inCondition reports whether the value of a fact is part of a condition of it: children who are
// seven years old.
func inCondition(f *Fact) bool {
	return f.Threshold || slices.ContainsFunc(f.Conditions, func(c Condition) bool { return c.limits() && c.Span.Overlaps(f.Value.Span) })
}

// excludesOthers reports whether a limits a rule to some and b denies it to the rest.
func excludesOthers(va *view, a *Fact, vb *view, b *Fact) bool {
	if !b.Negative() || a.Negative() {
		return false
	}
	limited := a.Quantifier == Only
	for _, c := range a.Conditions {
		limited = limited || c.Kind == OnlyIf
	}
	c := vb.clauseOf(b)
	return limited && c != nil && hasAny(vb.marksAt(b.Clause).folded, []string{"非", "其他", "其余", "以外", "之外", "other", "non-", "anyone else", "nobody else", "outside", "everyone else"})
}

// opposedBounds reports whether one quantity is a lower and the other an upper bound
// at the same number.
func opposedBounds(a, b *quantity.Quantity) bool {
	if a == nil || b == nil || a.Unit.Dim != b.Unit.Dim {
		return false
	}
	if a.Lo == nil {
		a, b = b, a
	}
	return a.Lo != nil && a.Hi == nil && b.Lo == nil && b.Hi != nil && a.Lo.Cmp(b.Hi) == 0 && !a.LoOpen && !b.HiOpen
}

// forbiddenBounds reports whether two facts forbid to go beyond a bound on the same side:
// 不得低于20%, must not exceed 50 euros. Then the bounds are what they state.
func forbiddenBounds(va *view, a *Fact, vb *view, b *Fact) bool {
	qa, qb := a.Value.Quantity, b.Value.Quantity
	if a.Modality != MustNot || b.Modality != MustNot || a.Denied || b.Denied || qa == nil || qb == nil {
		return false
	}
	if !qa.Point() && !qb.Point() {
		return sameBound(qa, qb)
	}
	// The words of the bound may stand apart from its number: 不得低于总投资的百分之二十.
	sa := bounding(va.beforeValue(a))
	return sa != 0 && sa == bounding(vb.beforeValue(b))
}

// bounding is 1 where the last bounding word of a folded text names what is too little, -1
// too much, 0 where it has none.
func bounding(s string) int {
	low, high := -1, -1
	for _, w := range [...]string{"低于", "少于", "小于", "不足", "below", "less than", "fewer than", "under"} {
		low = max(low, strings.LastIndex(s, w))
	}
	for _, w := range [...]string{"超过", "高于", "多于", "大于", "超出", "exceed", "more than", "above", "over"} {
		high = max(high, strings.LastIndex(s, w))
	}
	switch {
	case low > high:
		return 1
	case high > low:
		return -1
	}
	return 0
}

// sameBound reports whether two thresholds bound from the same side; a single number
// (after three years) is a lower bound.
func sameBound(a, b *quantity.Quantity) bool {
	if a == nil || b == nil {
		return false
	}
	side := func(q *quantity.Quantity) int {
		switch {
		case q.Point() || q.Hi == nil:
			return 1
		case q.Lo == nil:
			return -1
		}
		return 0
	}
	return side(a) == side(b) && side(a) != 0
}

// stepsDiffer reports whether the clauses of two facts state values that exclude each
// other: two steps of one scale.
func stepsDiffer(va *view, fa *Fact, vb *view, fb *Fact) bool {
	ca, cb := va.clauseOf(fa), vb.clauseOf(fb)
	if ca == nil || cb == nil {
		return false
	}
	for i := ca.Facts[0]; i < ca.Facts[1]; i++ {
		for k := cb.Facts[0]; k < cb.Facts[1]; k++ {
			p, q := &va.page.Facts[i], &vb.page.Facts[k]
			if p.Threshold || q.Threshold || p.Value.Kind != QuantityValue || q.Value.Kind != QuantityValue {
				continue
			}
			if r, _ := compareValues(&p.Value, &q.Value); r == relation.Excludes {
				return true
			}
		}
	}
	return false
}

// twoHolders reports whether two clauses are the same but for the one who holds an
// office or does a deed, or the one place where a thing is.
func (x *comparer) twoHolders(ra, rb Ref, m overlap) bool {
	va, vb, fa, fb := x.views[ra.Page], x.views[rb.Page], x.fact(ra), x.fact(rb)
	if m.shared < leastShared || fa.Negative() || fb.Negative() || x.reach(ra).marks&x.reach(rb).marks == 0 && (va.chinese(ra.Fact) || vb.chinese(rb.Fact)) {
		return false
	}
	ca, cb := va.clauseOf(fa), vb.clauseOf(fb)
	if ca == nil || cb == nil {
		return false
	}
	var ha, hb text.Span
	ok := false
	if common := x.reach(ra).marks & x.reach(rb).marks; common != 0 {
		ha, hb, ok = holders(va.foldedText(), ca.Span, vb.foldedText(), cb.Span, common)
	}
	if !ok {
		ha, hb = x.reach(ra).office, x.reach(rb).office
		if ha.Empty() || hb.Empty() || fold(va.page.Quote(ha)) == fold(vb.page.Quote(hb)) {
			return false
		}
	}
	if va.shares(fa, ha) || vb.shares(fb, hb) {
		return false
	}
	rest := func(v *view, gaps []text.Span, h text.Span) bool {
		for _, g := range gaps {
			if !g.Overlaps(h) && g.Len() > 2 && !(g.Start >= h.End && hasComma(v.page.Runes, h.End, g.Start)) {
				return false
			}
		}
		return true
	}
	return rest(va, m.gapsA, ha) && rest(vb, m.gapsB, hb)
}

// shares reports whether the clause of a fact gives what it says to others beside the one that
// it names in a span, or to one of several.
func (v *view) shares(f *Fact, name text.Span) bool {
	m := v.marksAt(f.Clause)
	if !m.several {
		return false
	}
	if hasMany(strings.ReplaceAll(m.folded, " and ", " ")) {
		return true
	}
	folded := v.foldedText()
	return strings.HasPrefix(string(folded[name.End:]), " and ") || strings.HasSuffix(string(folded[:name.Start]), " and ")
}

// special reports whether a's condition makes it a special case beside b: a case of
// which b says nothing. A rule and its exception do not conflict.
func (e *Engine) special(va, vb *view, a, b *Fact) bool {
	for i := range a.Conditions {
		c := &a.Conditions[i]
		if !c.limits() || len(c.Terms) == 0 && len(c.Quantities) == 0 {
			continue
		}
		bag := vb.clauseBagFor(b)
		sum, total := 0.0, 0.0
		for _, t := range c.Terms {
			total += t.Weight
			if bag.has(t.Text, t.Synset) {
				sum += t.Weight
			}
		}
		if total == 0 && len(c.Quantities) > 0 || total > 0 && sum/total < 0.6 {
			return true
		}
	}
	return false
}

func thresholdsExclude(a, b *Fact) bool {
	for _, x := range a.Conditions {
		for _, y := range b.Conditions {
			for _, p := range x.Quantities {
				for _, q := range y.Quantities {
					if r, _ := quantity.Compare(p, q); r == relation.Excludes && sameBound(&p, &q) { // up to ten and more than ten are two cases
						return true
					}
				}
			}
		}
	}
	return false
}

// valueKind tells the kinds of excluding values apart.
func valueKind(va, vb *view, fa, fb *Fact, reason string) (string, bool, string) {
	switch fa.Value.Kind {
	case TimeValue:
		return "TIME", true, reason
	case EntityValue:
		if !singleHolder(va, fa) || !singleHolder(vb, fb) {
			return "", false, ""
		}
		return "ENTITY", true, reason
	case QuantityValue:
		qa, qb := fa.Value.Quantity, fb.Value.Quantity
		if strings.Contains(reason, "unit") {
			return "UNIT", true, reason
		}
		if fa.Threshold && fb.Threshold {
			return "CONDITION", true, reason
		}
		if qa.Unit.Dim == quantity.ClockTime {
			return "TIME", true, reason
		}
		d, ok := quantity.RelativeDifference(*qa, *qb)
		hard := !ok || d > hardDistance || ruleValue(va, fa) || ruleValue(vb, fb)
		return "VALUE", hard, reason
	}
	return "", false, ""
}

// ruleWords show that a number is a rule (a limit, fee, deadline, entitlement), not
// a measurement.
var ruleWords = []string{"不得", "不超过", "上限", "限额", "最高", "最低", "至少", "收费", "费用", "收取", "手续费", "罚", "期限", "截止", "起存", "应当", "必须", "须", "可休", "享有", "享受", "补贴", "津贴", "押金", "标准", "额度", "限", "年满", "周岁",
	"must", "shall", "at most", "at least", "limit", "maximum", "minimum", "fee", "charge", "cost", "price", "fine", "penalty", "deadline", "no later", "up to", "entitled", "allowance", "within", "per diem", "deposit", "cap ", "quota", "age of", "aged ", "years of age"}

func ruleValue(v *view, f *Fact) bool {
	if f.Modality == Must || f.Modality == MustNot || f.Modality == May {
		return true
	}
	if v.clauseOf(f) != nil {
		return v.marksAt(f.Clause).rule
	}
	return hasAny(string(text.Fold(v.page.Runes[f.Span.Start:f.Span.End])), ruleWords)
}

// singleHolder reports whether the attribute of the fact can have one holder only:
// its form gives it to one (X is Y, built by Y, lies in Y), and nothing in it says
// that there are several.
func singleHolder(v *view, f *Fact) bool {
	c := v.clauseOf(f)
	if plural(f) || c == nil || f.Negative() {
		return false
	}
	if v.marksAt(f.Clause).several {
		return false
	}
	switch f.Role {
	case IsA, Agent, Location:
		return true
	case NoRole:
		return holderGap(v.page.Runes, c.Span, f.Value.Span)
	}
	return false
}

func plural(f *Fact) bool {
	s := fold(f.Value.Text + " " + f.Attribute.Text + " " + f.Subject.Text)
	return hasAny(s, []string{"、", "和", "等", "之一", "还有", "包括", "其中", " and ", "one of", "among", "such as", "include", "also"})
}

// turned reports whether two comparisons say the opposite of one pair.
func turned(e *Engine, a, b *Fact) bool {
	if a.Relation == nil || b.Relation == nil || a.Relation.Op == "" || b.Relation.Op == "" {
		return false
	}
	same := func(x, y string) bool { return e.sameThing(x, y) }
	opposite := map[string]string{"gt": "lt", "lt": "gt", "before": "after", "after": "before"}
	straight := same(a.Subject.Text, b.Subject.Text) && same(a.Relation.Other.Text, b.Relation.Other.Text)
	crossed := same(a.Subject.Text, b.Relation.Other.Text) && same(a.Relation.Other.Text, b.Subject.Text)
	switch {
	case crossed && !straight:
		return a.Relation.Op == b.Relation.Op && a.Negative() == b.Negative()
	case straight && !crossed:
		return opposite[a.Relation.Op] == b.Relation.Op && a.Negative() == b.Negative()
	}
	return false
}

// turnedRound reports whether two clauses state one comparison or one sequence the
// opposite way.
func (x *comparer) turnedRound(ra, rb Ref, m overlap) bool {
	va, vb, a, b := x.views[ra.Page], x.views[rb.Page], x.fact(ra), x.fact(rb)
	if a.Negative() != b.Negative() {
		return false
	}
	ca, cb := va.clauseOf(a), vb.clauseOf(b)
	if ca == nil || cb == nil {
		return false
	}
	ha, hb := x.reach(ra), x.reach(rb)
	if ha.sequence && hb.sequence {
		return x.crossed(ha.first, ha.second, hb.first, hb.second)
	}
	if turned(x.Engine, a, b) && !contrast(m) {
		return true
	}
	if !ha.compares || !hb.compares || ha.pivot.axis != hb.pivot.axis {
		return false
	}
	pa, pb := ha.pivot, hb.pivot
	// Beside the comparing words both must speak of the same things.
	if beside(m.gapsA, pa.word, va.page.Runes) || beside(m.gapsB, pb.word, vb.page.Runes) {
		return false
	}
	leftA, rightA := va.page.Quote(pa.left), va.page.Quote(pa.right)
	leftB, rightB := vb.page.Quote(pb.left), vb.page.Quote(pb.right)
	if pa.side == pb.side {
		return x.crossed(leftA, rightA, leftB, rightB)
	}
	if measured(ca, pa.right) || measured(cb, pb.right) || a.Modality == May && b.Modality == May {
		return false // before nine and after nine are two rules
	}
	return x.alike(leftA, leftB) && x.alike(rightA, rightB)
}

// measured reports whether a stretch of a clause holds a measure or a time.
func measured(c *Clause, s text.Span) bool {
	for _, t := range c.Times {
		if s.Overlaps(t.Span) {
			return true
		}
	}
	for _, q := range c.Quantities {
		switch {
		case !s.Overlaps(q.Span):
		case q.Unit.Dim == quantity.Count, q.Unit.Dim == quantity.Ordinal, q.Weak:
		default:
			return true
		}
	}
	return false
}

// beside reports whether a gap of weight lies outside the comparing words.
func beside(gaps []text.Span, word text.Span, runes []rune) bool {
	for _, g := range gaps {
		if !g.Overlaps(word) && (g.Len() > 2 || !text.IsHan(runes[g.Start])) {
			return true
		}
	}
	return false
}

// sameThing reports whether two phrases name one thing: the shorter one's words are
// all in the longer one.
func (e *Engine) sameThing(x, y string) bool {
	wx, wy := e.wording(x, nil), e.wording(y, nil)
	if wx.total == 0 || wy.total == 0 {
		return false
	}
	if wx.total > wy.total {
		wx, wy = wy, wx
	}
	return wx.scoreOn(bagOf(wy)) >= 0.85
}

// Words of a status that holds, and of one that has ended. They are opposites
// without a negation.
var (
	statusOn = []string{"现行有效", "有效", "生效", "施行", "开放", "营业", "在售", "可用", "运行", "开通", "正常", "在职", "存续", "启用", "适用",
		"in force", "valid", "open", "available", "active", "operating", "on sale", "in use", "running", "in effect", "as usual", "supported", "enabled"}
	statusOff = []string{"废止", "失效", "停止", "关闭", "停业", "停售", "下架", "停用", "取消", "终止", "撤销", "注销", "暂停", "解散", "倒闭", "作废", "停办", "停运",
		"repealed", "expired", "closed", "discontinued", "unavailable", "inactive", "withdrawn", "cancelled", "canceled", "terminated", "revoked", "abolished", "suspended", "shut", "retired", "deprecated", "disabled", "no longer"}
)

func statusClash(va, vb *view, fa, fb *Fact) bool {
	sa, sb := status(va, fa), status(vb, fb)
	return sa*sb < 0
}

// status is +1 for a status that holds, -1 for one that has ended, 0 for neither.
func status(v *view, f *Fact) int {
	if v.clauseOf(f) == nil {
		return 0
	}
	r := int(v.marksAt(f.Clause).status)
	if f.Denied {
		r = -r
	}
	return r
}

func onlyAgainstAll(a, b *Fact) bool {
	only := func(f *Fact) bool {
		if f.Quantifier == Only {
			return true
		}
		for _, c := range f.Conditions {
			if c.Kind == OnlyIf {
				return true
			}
		}
		return false
	}
	return only(a) && b.Quantifier == All || only(b) && a.Quantifier == All
}

// versionMark is what tells two versions of one document apart in their titles.
var versionMark = guarded(`(?i)[（(\[【]?\s*(?:` +
	`\bv(?:er(?:sion)?)?\.?\s*\d+(?:\.\d+)*|第[一二三四五六七八九十\d]+(?:次修订)?版` +
	`|(?:\d{4}\s*年?(?:\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?)?|\d{4}-\d{1,2}-\d{1,2})?\s*(?:第[一二三四五六七八九十\d]+次)?(?:修订|修正|修改|公布|发布)(?:版|本|稿|案|草案)?` +
	`|\d{4}\s*年?版|(?:试行|暂行|新版|旧版|现行版|征求意见稿|草案|送审稿)(?:版)?` +
	`|(?:rev(?:ision)?|issue|release|edition|amendment)\.?\s*\d+(?:\.\d+)*` +
	`|(?:\d+(?:st|nd|rd|th)|first|second|third|fourth|fifth|sixth|\d{4})\s+(?:edition|revision|version)|(?:as\s+)?(?:revised|amended)(?:\s+(?:in\s+)?\d{4})?|draft|final)\s*[）)\]】]?`)

// yearMark is a bare year in a title: it tells versions of a rule apart, and editions
// of a yearly report, which are no versions.
var yearMark = guarded(`[（(\[【]?\s*(?:19|20)\d{2}(?:\s*[-–/至]\s*(?:19|20)?\d{2})?\s*(?:年度|年)?\s*[）)\]】]?`)

// periodical matches the titles of documents that come out for each year anew.
var periodical = guarded(`报告|年报|季报|月报|公报|统计|决算|预算|年鉴|总结|计划|纪要|简报|快报|回顾|业绩|\b(?:reports?|results|statistics|review|yearbook|budget|plan|minutes|newsletter|bulletin|accounts|outlook|statements?)\b`)

var article = guarded(`^\s*(?:第[〇零一二三四五六七八九十百千\d]+条(?:之[一二三四五六七八九十])?|§\s*\d+(?:\.\d+)*|(?i:section|article|clause)\s+\d+(?:\.\d+)*|\d+(?:\.\d+)+)`)

// titles is how the titles of two pages stand to each other.
type titles struct {
	known bool // the titles were compared
	one   bool // one document, in two versions by their marks
	year  bool // the same but for a year: perhaps two versions
}

// versionsOf reports whether two facts are the same numbered or titled rule of two
// versions of one document.
func (x *comparer) versionsOf(ra, rb Ref) bool {
	va, vb := x.views[ra.Page], x.views[rb.Page]
	if va.meta.Document != "" && va.meta.Document == vb.meta.Document && va.meta.Version != vb.meta.Version || replaces(&va.meta, &vb.meta) || replaces(&vb.meta, &va.meta) {
		return true
	}
	t := &x.titles[ra.Page*len(x.views)+rb.Page]
	if !t.known {
		*t = compareTitles(va, vb)
		t.known = true
	}
	if !t.one && !t.year {
		return false
	}
	fa, fb := x.fact(ra), x.fact(rb)
	na, nb := articleOf(va, fa), articleOf(vb, fb)
	return na == nb && (na != "" || (t.one || t.year && successive(&va.meta, &vb.meta)) && ruleValue(va, fa) && ruleValue(vb, fb))
}

// oneDocument reports whether two pages are chunks of one version of a document. Whoever wrote
// it wrote both with the other in mind: what is told in other words there is another case.
func oneDocument(a, b *Meta) bool {
	return a.Document != "" && a.Document == b.Document && a.Version == b.Version
}

// successive reports whether two documents began to hold, or came out, on different days, so
// that the years in their titles are those of two versions and one is the newer.
func successive(a, b *Meta) bool {
	return !a.ValidFrom.IsZero() && !b.ValidFrom.IsZero() && !a.ValidFrom.Equal(b.ValidFrom) ||
		!a.PublishedAt.IsZero() && !b.PublishedAt.IsZero() && !a.PublishedAt.Equal(b.PublishedAt)
}

// compareTitles compares the titles of two pages.
func compareTitles(va, vb *view) titles {
	if va.meta.Title == "" || vb.meta.Title == "" {
		return titles{}
	}
	a, b := va.titleForm(), vb.titleForm()
	if a.folded == b.folded || a.periodical {
		return titles{}
	}
	if a.words != "" && a.words == b.words {
		return titles{one: true}
	}
	return titles{year: a.yearless != "" && a.yearless == b.yearless}
}

// titleWords is a title without spaces, brackets and marks.
func titleWords(title string) string {
	return strings.Map(func(r rune) rune {
		if text.IsWord(r) || text.IsHan(r) {
			return r
		}
		return -1
	}, title)
}

// articleOf is the number of the article that a fact stands in, with the items of a list
// under it; "" for none.
func articleOf(v *view, f *Fact) string {
	span := v.sentenceSpan(f)
	number := article.FindString(string(v.page.Runes[span.Start:span.End]))
	for i := f.Sentence; number == "" && i > 0 && i < len(v.page.Sentences) && v.page.Sentences[i].Kind == Item; i-- {
		number = article.FindString(v.page.Quote(v.page.Sentences[i-1].Span))
	}
	return strings.TrimSpace(number)
}
