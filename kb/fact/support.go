package fact

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Limits of claim checking; docs/measurements.md shows what they were chosen on.
const (
	aboutClaim    = 0.55 // least share of a claim's words that a clause on it carries
	contradictFit = 0.60 // the same for a clause that contradicts it
	sameRank      = 0.12 // facts this close to the best speak to the claim as well
	leastAsserted = 0.34 // least share of what a claim asserts that a clause on it asserts, too
	accountable   = 0.35 // least share of a claim's words that a clause has whose parts are compared with the claim's
	claimGap      = 0.26 // greatest share of a claim's weight that no source covers in one stretch
)

// discountWords are implied by a value that is taken off a price.
const discountWords = "优惠 折扣 打折 减 减免 立减 折 让利 便宜 discount off reduc save cheaper rebat less"

// impliedByForm covers words that the form of a value says: a bound, a discount, a
// change.
func impliedByForm(q *quantity.Quantity, w *wording, cells []float64) {
	if q.Discount {
		coverImplied(discountWords, w, cells)
	}
	if timesUnit(q.Unit.Name) {
		coverImplied("原来 原 以前 之前 先前 original before previous former", w, cells)
	}
	switch {
	case q.Lo != nil && q.Hi == nil:
		coverImplied("最低 至少 起 最少 不低于 不少于 以上 minimum least start from", w, cells)
	case q.Hi != nil && q.Lo == nil:
		coverImplied("最高 至多 最多 上限 不超过 限 以内 以下 maximum most limit within until", w, cells)
	}
}

// Checker judges claims against one set of pages. It is not safe for concurrent use.
type Checker struct {
	engine *Engine
	views  []*view
	st     *rarity

	subjects map[string]*bag
	groups   [][]group // by page
	phrases  map[string]map[string]float64
	words    [][]map[string]float64 // grams by page and clause
	joins    *links
	parts    map[string]*Checker // of some of the pages
	carried  carried             // see fit
}

// Against prepares the pages for checking claims.
func (e *Engine) Against(pages []*Page, metas []Meta) *Checker {
	views := e.views(pages, metas)
	return &Checker{engine: e, views: views, st: newRarity(views)}
}

// found is a fact or clause of a page with how well it speaks to a claim.
type found struct {
	page, fact, clause int
	fit                float64
	rel                relation.Relation
	why                string
	inCase             bool // the value holds in the very case that the claim names, by the case's own bound
	left               bool // the value is what the fact leaves over: the clause says it with the opposite words
}

// Check judges one claim. A claim is supported when every value in it is a value of
// a source about the same thing, its words are those of the sources, and nothing
// that limits the source was dropped. A fact that excludes it always wins.
func (k *Checker) Check(c Claim) Support {
	if s := withoutCourtesy(c.Page.Runes, c.Span); s != c.Span {
		c.Page = k.engine.Read(Source{Text: string(c.Page.Runes[s.Start:s.End])})
		c.Span = text.Span{Start: 0, End: len(c.Page.Runes)}
	}
	k.engine.sheet(c.Page, "") // what is worked out of the claim's page is kept with it, too
	return k.current(c)
}

// judged judges a claim by all pages.
func (k *Checker) judged(c Claim) Support {
	s := k.check(c)
	if s.Verdict != SupportedClaim {
		return s
	}
	if out, ok := k.exchanged(c, s); ok {
		return out
	}
	if more := k.leftWanting(c, s); more != "" {
		return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: s.Evidence, Ground: OnStance, Reason: "the source asks for more: " + more}
	}
	if why := k.onlySuspected(c, s); why != "" {
		s.Verdict, s.Probability, s.Reason, s.Limited = UnsupportedClaim, 0.2, why, true
		s.Ground = OnStance
		return s
	}
	if why, dropped := k.unsure(c, s); why != "" {
		s.Verdict, s.Probability, s.Reason, s.Limited = UnsupportedClaim, 0.45*s.Probability, why, dropped
	}
	return s
}

func (k *Checker) check(c Claim) Support {
	p := c.Page
	if notAClaim(string(p.Runes[c.Span.Start:c.Span.End])) {
		return Support{Verdict: NoClaim}
	}
	var clauses []int
	for i := range p.Clauses {
		if c.Span.Contains(p.Clauses[i].Span) {
			clauses = append(clauses, i)
		}
	}
	if len(clauses) == 0 {
		return Support{Verdict: NoClaim}
	}
	if len(k.views) == 0 {
		return Support{Verdict: UnsupportedClaim, Reason: "no passages"}
	}
	near, isNear := k.quoted(c, c.Span)
	if isNear && near.Verdict == SupportedClaim {
		return near
	}
	if s, ok := k.requires(c); ok {
		return s
	}
	if isNear && near.Verdict == ContradictedClaim {
		return near
	}
	s := k.worded(c, clauses)
	if isNear && s.Verdict != ContradictedClaim {
		return near
	}
	return s
}

// worded judges a claim clause by clause, by its values and words.
func (k *Checker) worded(c Claim, clauses []int) Support {
	p := c.Page
	if s, ok := k.comparison(c, clauses); ok {
		s.Ground = OnComparison
		return s
	}
	if s, ok := k.trend(c, clauses); ok {
		s.Ground = OnComparison
		return s
	}
	if s, ok := k.superlative(c, clauses); ok {
		return s
	}
	total := Support{Verdict: SupportedClaim, Probability: 1, Ground: OnQuote}
	said := 0
	for _, i := range clauses {
		if k.premise(c, clauses, i) {
			if s, ok := k.supposed(c, i); ok {
				said++
				ground := total.Ground
				if total = worse(total, s); s.Verdict == SupportedClaim {
					total.Ground = ground // what only names the case is no ground for what is said of it
				}
			}
			continue
		}
		s, ok := Support{}, false
		if len(clauses) > 1 {
			s, ok = k.quoted(c, p.Clauses[i].Span)
		}
		if !ok {
			s, ok = k.clause(c, i)
		}
		if !ok {
			continue
		}
		said++
		total = worse(total, s)
	}
	if said == 0 {
		return Support{Verdict: NoClaim}
	}
	return total
}

// worse joins the judgements of two parts of one claim: the claim is as true as its
// worst part.
func worse(a, b Support) Support {
	rank := map[Verdict]int{SupportedClaim: 0, UnsupportedClaim: 1, ContradictedClaim: 2}
	out := a
	if rank[b.Verdict] > rank[a.Verdict] {
		out = b
		if b.Verdict == ContradictedClaim {
			out.Evidence = append([]Ref(nil), b.Evidence...)
		}
	} else if rank[a.Verdict] == rank[b.Verdict] {
		out.Evidence = append(append([]Ref(nil), a.Evidence...), b.Evidence...)
		if b.Ground == OnWords || a.Ground == OnQuote { // of two parts the less certain ground counts
			out.Ground = b.Ground
		}
		if out.Reason == "" {
			out.Reason = b.Reason
		}
	}
	out.Probability = math.Min(a.Probability, b.Probability)
	return out
}

// clause judges one clause of a claim; false if it says nothing to check.
func (k *Checker) clause(c Claim, i int) (Support, bool) {
	e, p := k.engine, c.Page
	cl := &p.Clauses[i]
	w := e.wordingOf(p.Runes, cl.Span, k.st, append(valueSpans(cl), modalSpans(p.Runes, cl.Span)...))
	var facts []int
	for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
		if p.Facts[f].Value.Kind == QuantityValue && !p.Facts[f].Threshold {
			facts = append(facts, f)
		}
	}
	if len(facts) == 0 {
		// A time beside a quantity is when the quantity holds, and is compared with it;
		// alone it is the value.
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
			if p.Facts[f].Value.Kind == TimeValue && !p.Facts[f].Threshold {
				facts = append(facts, f)
			}
		}
	}
	if len(w.cells) == 0 && len(facts) == 0 {
		return Support{}, false
	}
	topic := e.wording("", nil)
	if cl.Topic.Text != "" && (cl.Topic.Span.Empty() || !cl.Span.Contains(cl.Topic.Span)) {
		topic = e.wording(cl.Topic.Text, k.st)
	}

	var evidence []found
	out := Support{Verdict: SupportedClaim, Probability: 0.95}
	var failed Support
	var cases, unmatched, dated []int
	applied, met := k.applied(c, facts, w, topic)
	evidence = append(evidence, applied...)
	for _, f := range facts {
		hit, s := k.value(c, &p.Facts[f], w, topic)
		if s.Verdict != SupportedClaim && slices.Contains(met, f) {
			continue
		}
		if s.Verdict != SupportedClaim {
			s.Ground = OnValues
			if soft(p, &p.Facts[f]) {
				unmatched = append(unmatched, f)
				continue
			}
			if k.exceptedTime(&p.Facts[f]) { // the exception decides
				unmatched = append(unmatched, f)
				continue
			}
			if slices.ContainsFunc(k.views, func(v *view) bool { return v.inForce(&p.Facts[f]) }) {
				dated, failed = append(dated, f), s
				continue
			}
			if s.Verdict == UnsupportedClaim || namesWhom(p, cl, &p.Facts[f]) {
				failed, cases = s, append(cases, f)
				continue
			}
			return s, true
		}
		evidence = append(evidence, hit...)
	}
	best := k.best(c, cl, w, topic, evidence)
	for _, f := range cases {
		// Of the clauses that speak to the claim about as well, the one whose bound holds the case does.
		for n := 1; n < min(len(best), 6) && best[n].fit >= 0.6*best[0].fit && !k.withinCase(p.Facts[f].Value.Quantity, best[:1]); n++ {
			if k.withinCase(p.Facts[f].Value.Quantity, best[n:n+1]) {
				h := best[n]
				copy(best[1:n+1], best[:n])
				best[0] = h
			}
		}
	}
	for _, f := range cases {
		// A value that says for whom (a ten-year-old) is met by a bound of the source.
		if !k.withinCase(p.Facts[f].Value.Quantity, append(evidence, best[:min(1, len(best))]...)) {
			return failed, true
		}
	}
	if len(best) == 0 {
		return Support{Verdict: UnsupportedClaim, Probability: 0.05, Reason: "no passage speaks of this"}, true
	}
	for _, f := range dated {
		if !k.views[best[0].page].inForce(&p.Facts[f]) {
			return failed, true
		}
		unmatched = append(unmatched, f)
	}
	// The words that the values leave: who, what, how.
	cells := make([]float64, len(w.cells))
	for n, b := range best {
		v := k.views[b.page]
		limit := 1.0
		if n > 0 && b.fact < 0 { // another statement: its words lend themselves less
			limit = 0.45
			if b.page == best[0].page {
				limit = 0.6
			}
			if b.page == best[0].page && v.page.Clauses[b.clause].Sentence-v.page.Clauses[best[0].clause].Sentence <= 1 && v.page.Clauses[best[0].clause].Sentence-v.page.Clauses[b.clause].Sentence <= 1 {
				limit = 0.8
			}
		}
		lift(w, cells, v.clauseBag(b.clause), limit)
		if n > 2 {
			break
		}
	}
	v := k.views[best[0].page]
	lift(w, cells, v.frameBag(), 0.8)
	if name := k.pointsBack(w.folded, best[0].page, best[0].clause); name != "" {
		lift(w, cells, k.subjectBag(name), pointed)
	}
	k.links().granted(bagOf(w, topic), w, cells, best[0].page)
	e.liftSimilarClause(w, cells, v, &v.page.Clauses[best[0].clause])
	for f := range facts {
		if q := p.Facts[facts[f]].Value.Quantity; q != nil {
			impliedBy(q, w, cells)
			impliedByForm(q, w, cells)
		}
	}
	for _, h := range evidence {
		if h.fact < 0 {
			continue
		}
		if q := k.views[h.page].page.Facts[h.fact].Value.Quantity; q != nil {
			impliedByForm(q, w, cells)
		}
	}
	k.coverTimetable(w, cells, evidence)
	across := foreign(p, v.page)
	if across {
		e.liftAcross(w, cells, v, &v.page.Clauses[best[0].clause])
	}
	if o := &v.page.Clauses[best[0].clause]; antonyms(p, cl, v.page, o) && (cl.Denied != (cl.Modality == MustNot)) != (o.Denied != (o.Modality == MustNot)) {
		coverAntonyms(w, cells)
	}
	if v.page.Clauses[best[0].clause].Modality == NeedNot && !cl.Denied {
		coverImplied(released, w, cells)
	}
	if end := ends(p, cl); !end.Empty() {
		if _, neg := denies(p, cl, v.page, &v.page.Clauses[best[0].clause]); neg { // the source says it with a negation
			coverSpan(w, cells, text.Span{Start: end.Start - cl.Start, End: end.End - cl.Start}, 0.9)
		}
	}
	if agreeFree(p, cl, v.page, &v.page.Clauses[best[0].clause]) != 0 {
		for _, s := range chargeWords(p.Runes, cl.Span) {
			coverSpan(w, cells, text.Span{Start: s.Start - cl.Start, End: s.End - cl.Start}, 0.9)
		}
	}
	coverage := w.score(cells)
	refs := k.refs(best)
	asserted := w.scoreOn(v.assertedBag(best[0].clause))
	if across {
		asserted = coverage
	}
	if s, bad := k.opposed(c, cl, w, best); bad {
		s.Ground = OnStance
		return s, true
	}

	if s, bad := k.stance(c, cl, w, best[0], min(coverage, max(asserted, k.assertedRest(cl, w, topic, best[0]))+0.1)); bad {
		s.Evidence, s.Ground = refs, OnStance
		return s, true
	}
	if limit := crossClaim; across {
		if len(facts) == 0 {
			limit = crossWords
		}
		if coverage < limit {
			return Support{Verdict: UnsupportedClaim, Probability: 0.5 * coverage, Reason: "not found in the other language"}, true
		}
		out.Probability, out.Evidence = 0.6+0.35*coverage, refs
		return out, true
	}
	if s, bad := k.turnedThen(c, cl); bad {
		return s, true
	}
	if other := k.otherHolder(c, i, w, best); other != "" {
		return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: refs, Reason: "the source names " + other, Ground: OnComparison}, true
	}
	if why := k.reasonAdded(c, cl, best[0]); why != "" {
		return Support{Ground: OnStance, Verdict: UnsupportedClaim, Probability: 0.15, Reason: newWords + why}, true
	}
	if len(facts) == 0 && k.subjectOnly(cl, w, cells) {
		return Support{Verdict: UnsupportedClaim, Probability: 0.15, Reason: "no passage states it"}, true
	}
	if other := k.otherSubject(cl, best[0]); other != "" {
		return Support{Ground: OnStance, Verdict: UnsupportedClaim, Probability: 0.2, Reason: "not said of " + other}, true
	}
	facts = slices.DeleteFunc(facts, func(f int) bool { return slices.Contains(unmatched, f) })
	if coverage >= accountable {
		if s, bad := k.account(c, i, facts, best[0]); bad {
			if coverage < aboutClaim-0.1 {
				s.Verdict = UnsupportedClaim
			}
			return s, true
		}
	}
	worst, gap := 0.0, ""
	for _, g := range w.gaps(cells, cellCovered) {
		share := g.weight / math.Max(w.total, 4)
		if g.name {
			share *= 2
		}
		if share > worst {
			worst, gap = share, w.text(g.Span)
		}
	}
	if coverage < aboutClaim || worst > claimGap {
		reason := "no passage states it"
		if gap != "" {
			reason = "not in the sources: " + gap
		}
		return Support{Verdict: UnsupportedClaim, Probability: 0.5 * coverage, Reason: reason}, true
	}
	out.Probability = math.Min(0.99, 0.55+0.45*coverage)
	out.Evidence = refs
	switch o := &v.page.Clauses[best[0].clause]; {
	case len(facts) > 0 && slices.ContainsFunc(evidence, func(h found) bool { return h.inCase }):
		out.Ground = OnComparison // a reader does not reckon in which of several tiers a case falls
	case len(facts) > 0:
		out.Ground = OnValues
	case coverage >= sameDenial && (agreeDenied(p, cl, v.page, o) || cl.Modality == NeedNot && k.released(c, cl, w, best[0])):
		out.Ground = OnStance
	}
	return out, true
}

// sameDenial is the least share of a claim's words that a clause has which denies what the claim
// denies, or releases from it, for that to be no matter of words any more: 不再供应 and 已停止供应,
// which a reader takes for opposites.
const sameDenial = 0.8

// agreeDenied reports whether a clause of a claim and one of a source both deny, both end or both
// release.
func agreeDenied(cp *Page, cl *Clause, sp *Page, src *Clause) bool {
	claim, source := denies(cp, cl, sp, src)
	return claim && source || cl.Modality == NeedNot && src.Modality == NeedNot
}

// refs are the sentences of the best finds.
func (k *Checker) refs(best []found) []Ref {
	var out []Ref
	seen := map[[2]int]bool{}
	for _, b := range best {
		p := k.views[b.page].page
		s := p.Clauses[b.clause].Sentence
		if seen[[2]int{b.page, s}] || len(out) >= 3 {
			continue
		}
		seen[[2]int{b.page, s}] = true
		r := Ref{Page: b.page, Fact: b.fact, Span: p.Sentences[s].Span, Score: b.fit}
		if b.fact >= 0 {
			r.Value = p.Facts[b.fact].Value.Span
		}
		out = append(out, r)
	}
	return out
}

// value looks for the facts that a value of the claim must be one of.
func (k *Checker) value(c Claim, f *Fact, w, topic *wording) ([]found, Support) {
	e := k.engine
	var all []found
	said, cells := bagOf(w, topic), cellClaim{k: k, c: c, f: f, w: w}
	subject := e.wording("", nil)
	if f.Clause >= 0 && f.Clause < len(c.Page.Clauses) {
		subject = e.wording(c.Page.Clauses[f.Clause].Topic.Text, nil)
	}
	for p, v := range k.views {
		if !k.speaks(c, f.Times, v) {
			continue
		}
		for i := range v.page.Facts {
			o := &v.page.Facts[i]
			if !comparable(f, o) || v.anotherColumn(i, said) {
				continue
			}
			fit, told := k.fit(w, topic, v, i), 1.0
			switch {
			case foreign(c.Page, v.page):
				fit, told = k.acrossFit(w, v, o, fit)
			case sole(v, o) && o.Clause >= 0:
				cov := w.cover(v.clauseBag(o.Clause))
				impliedByForm(o.Value.Quantity, w, cov.cells)
				fit = max(fit, 0.8*w.score(cov.cells))
			case v.tableCell(o) && len(f.Times) > 0 && datedCell(o):
				cov := w.cover(v.factBag(i))
				lift(w, cov.cells, v.frameBag(), 1)
				fit = max(fit, 0.8*w.score(cov.cells))
			}
			if _, ok := inTimetable(w, v, i); ok {
				fit = max(fit, timetableFit)
			}
			if o.Clause >= 0 {
				if name := k.pointsBack(w.folded, p, o.Clause); name != "" {
					fit = max(fit, min(1, k.fitOf(w, topic, v, i, k.subjectBag(name))+pointedFit))
				}
			}
			if fit < 0.3 {
				continue
			}
			if subject.total >= 1.5 && o.Subject.Text != "" && subject.scoreOn(k.subjectBag(o.Subject.Text)) >= 0.9 {
				fit += 0.08 // its subject is the claim's
			}
			h := found{page: p, fact: i, clause: o.Clause, fit: fit}
			h.rel, h.why = k.sameAs(c.Page, f, v, o)
			switch {
			case cells.anotherCell(v, i):
				h.rel, h.why = relation.Differs, "another column"
			case k.ofSibling(subject, v, i) >= 0:
				// The value that is said of the claim's subject speaks as well as this one.
				o = &v.page.Facts[k.ofSibling(subject, v, i)]
				h.fact = k.ofSibling(subject, v, i)
				h.rel, h.why = k.sameAs(c.Page, f, v, o)
			case f.Value.Kind != TimeValue && scopes(f.Times, o) == relation.Differs:
				h.rel, h.why = relation.Differs, "another time"
			case h.rel == relation.Excludes && f.Relation != nil && atLimit(f.Value.Quantity, o.Value.Quantity):
				h.rel, h.why = relation.Same, "the limit itself, compared with"
			case h.rel == relation.Excludes && o.Threshold:
				h.rel, h.why = relation.Differs, "the bound of a case"
			case h.rel == relation.Excludes && o.Value.Quantity != nil && o.Value.Quantity.Weak:
				h.rel, h.why = relation.Differs, "an article"
			case h.rel == relation.Excludes && f.Value.Kind == TimeValue && o.Denied && !f.Denied && deniedTail.MatchString(v.clauseText(o.Clause)):
				h.rel, h.why = relation.Differs, "what is denied then" // not on Sundays
			case h.rel == relation.Excludes && told < crossOther:
				h.rel, h.why = relation.Differs, "another thing"
			case !o.Threshold && k.otherCase(c, f, o) == relation.Differs:
				h.rel, h.why = relation.Differs, "another case"
			case !o.Threshold && k.otherCase(c, f, o) == relation.Same:
				h.fit += 0.15
				h.inCase = h.rel == relation.Same
			case perShared(c.Page, f, v, o) < 0 && !foreign(c.Page, v.page):
				h.rel, h.why = relation.Differs, "of another unit each"
			case perShared(c.Page, f, v, o) > 0 && h.rel == relation.Same:
				h.fit += 0.2
			case otherBase(c.Page, f, v, o):
				h.rel, h.why = relation.Differs, "compared with another time"
			case e.conditions(f, o) == relation.Differs && !foreign(c.Page, v.page):
				h.rel, h.why = relation.Differs, "another condition"
			}
			all = append(all, h)
		}
	}
	all = k.ofEvent(c, f, k.placed(c, f, all))
	sort.SliceStable(all, func(a, b int) bool { return all[a].fit > all[b].fit })
	hit, ok := k.derived(c, f, w, topic)
	if !ok {
		hit, ok = k.implied(c, f, w, topic)
	}
	if !ok {
		hit, ok = k.workedOut(c, f, w, topic)
	}
	if ok && (len(all) == 0 || all[0].rel != relation.Same) {
		return hit, Support{Verdict: SupportedClaim}
	}
	if f.Value.Kind == TimeValue && len(all) > 1 && all[0].rel == relation.Differs && all[0].why != "another time" {
		for _, h := range all[1:] {
			if h.rel == relation.Same && h.fit < all[0].fit-0.15 {
				return nil, Support{Verdict: UnsupportedClaim, Probability: 0.1, Reason: "no passage gives " + f.Value.Text + " for this"}
			}
		}
	}
	best := 0.0
	for _, h := range all {
		if h.rel == relation.Same || h.rel == relation.Excludes {
			best = h.fit
			break
		}
	}
	var same, against []found
	for _, h := range all {
		if h.fit < best-sameRank {
			break
		}
		switch h.rel {
		case relation.Same:
			same = append(same, h)
		case relation.Excludes:
			against = append(against, h)
		}
	}
	if len(same) > 0 && same[0].fit >= 0.4 {
		if len(against) > 0 && against[0].fit > same[0].fit+0.04 && against[0].fit >= contradictFit {
			return nil, k.against(f, against, same)
		}
		return same, Support{Verdict: SupportedClaim}
	}
	if len(against) > 0 && against[0].fit >= contradictFit {
		return nil, k.against(f, against, nil)
	}
	if other, ok := k.otherUnit(c, f, w, topic); ok && best < contradictFit {
		return nil, k.against(f, []found{other}, nil)
	}
	return nil, Support{Verdict: UnsupportedClaim, Probability: 0.1, Reason: "no passage gives " + f.Value.Text + " for this"}
}

// impliedAfter reports whether a claim says that something is so after a period from whose
// beginning on the source says it: 三月以后, 自三月起.
func impliedAfter(claim, source *when.Expr) bool {
	if claim == nil || source == nil || claim.Kind != when.Since || source.Kind != when.Since || !hasAny(claim.Text, []string{"后", "after"}) {
		return false
	}
	for _, back := range [][3]int{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}} {
		if claim.From.AddDate(-back[0], -back[1], -back[2]).Equal(source.From) {
			return true
		}
	}
	return false
}

// inForce reports whether a fact of a claim is a time within the validity of the page: it
// says when, and the page need not repeat it.
func (v *view) inForce(f *Fact) bool {
	t := f.Value.Time
	if t == nil || t.From.IsZero() || t.To.IsZero() {
		return false
	}
	from, to := v.meta.ValidFrom, v.meta.ValidTo
	return !from.IsZero() && !from.After(t.From) && (to.IsZero() || !to.Before(t.To))
}

// exceptedTime reports whether a time of a claim is one that a source takes out of what it says.
func (k *Checker) exceptedTime(f *Fact) bool {
	if f.Value.Time == nil {
		return false
	}
	for _, v := range k.views {
		for i := range v.page.Clauses {
			for _, cond := range v.page.Clauses[i].Conditions {
				for _, t := range cond.Times {
					if r, _ := when.Compare(*f.Value.Time, t); cond.Kind == Except && r == relation.Same {
						return true
					}
				}
			}
		}
	}
	return false
}

// leastRound is the number from which one number in two units is no chance.
const leastRound = 10

// otherUnit finds the number of a value in another unit where the sources say the same of
// it: 60 pounds, where they say 60 %.
func (k *Checker) otherUnit(c Claim, f *Fact, w, topic *wording) (found, bool) {
	q := f.Value.Quantity
	if q == nil || !q.Point() || q.Lo == nil || q.Unit.Dim == quantity.None || q.Unit.Dim == quantity.Ordinal || q.Unit.Dim == quantity.ClockTime {
		return found{}, false
	}
	var best found
	for p, v := range k.views {
		if !k.speaks(c, f.Times, v) || foreign(c.Page, v.page) {
			continue
		}
		for i := range v.page.Facts {
			o := &v.page.Facts[i]
			x := o.Value.Quantity
			if x == nil || o.Threshold || x.Unit.Dim == quantity.None || x.Unit.Dim == quantity.Ordinal || x.Unit.Dim == quantity.ClockTime ||
				loose(x.Unit.Dim) == loose(q.Unit.Dim) && x.Unit.Name == q.Unit.Name || !quantity.OneNumber(*q, *x) {
				continue
			}
			if loose(x.Unit.Dim) == loose(q.Unit.Dim) && x.Unit.Dim != quantity.Money {
				continue // grams and kilograms are compared as values
			}
			least := contradictFit
			if quantity.Below(*x, leastRound) {
				least = 0.75
			}
			if fit := k.fit(w, topic, v, i); fit >= least && fit > best.fit {
				best = found{page: p, fact: i, clause: o.Clause, fit: fit, rel: relation.Excludes}
			}
		}
	}
	return best, best.fit > 0
}

// countedBy lists what a clause counts by: 每瓶 gives 瓶, "per night" night.
func countedBy(p *Page, span text.Span) map[string]bool {
	folded := text.Fold(p.Runes[span.Start:span.End])
	out := map[string]bool{}
	for i, r := range folded {
		if r == '每' && i+1 < len(folded) && text.IsHan(folded[i+1]) {
			out[string(folded[i+1])] = true
		}
	}
	words := strings.Fields(string(folded))
	for i, w := range words {
		if (w == "per" || w == "each" || w == "every") && i+1 < len(words) {
			out[text.Stem(strings.Trim(words[i+1], ".,;:()"))] = true
		}
	}
	return out
}

// countedBy is countedBy of a clause, found once.
func (s *sheet) countedBy(clause int) map[string]bool {
	return *s.counted.get(clause, func() *map[string]bool {
		out := countedBy(s.page, s.page.Clauses[clause].Span)
		return &out
	})
}

// perShared is +1 where claim and source count by the same thing, -1 where each
// names another, 0 where one does not say.
func perShared(cp *Page, f *Fact, v *view, o *Fact) int {
	c := v.clauseOf(o)
	if c == nil || f.Value.Quantity == nil || f.Clause < 0 || f.Clause >= len(cp.Clauses) {
		return 0
	}
	b := v.countedBy(o.Clause)
	if len(b) == 0 {
		return 0
	}
	a := countedBy(cp, cp.Clauses[f.Clause].Span)
	if len(a) == 0 {
		return 0
	}
	for x := range a {
		if b[x] {
			return 1
		}
	}
	return -1
}

// bases are the times with which a change is compared.
var bases = [][]string{
	{"同比", "上年同期", "去年同期", "year on year", "year-on-year", "a year earlier", "a year before", "year over year", "the year before"},
	{"环比", "上月", "上季", "上个月", "上一季", "month on month", "month-on-month", "quarter on quarter", "quarter-on-quarter", "month before", "previous month", "previous quarter", "quarter before"},
}

// otherBase reports whether claim and source name different bases of a change.
func otherBase(cp *Page, f *Fact, v *view, o *Fact) bool {
	c := v.clauseOf(o)
	if c == nil || f.Clause < 0 || f.Clause >= len(cp.Clauses) {
		return false
	}
	sa := fold(cp.Quote(cp.Clauses[f.Clause].Span))
	if !slices.ContainsFunc(bases, func(words []string) bool { return hasAny(sa, words) }) {
		return false
	}
	sb := v.clauseText(o.Clause)
	for i := range bases {
		for j := range bases {
			if i != j && hasAny(sa, bases[i]) && !hasAny(sa, bases[j]) && hasAny(sb, bases[j]) && !hasAny(sb, bases[i]) {
				return true
			}
		}
	}
	return false
}

// atLimit reports whether a point is the limit of a one-sided bound.
func atLimit(a, b *quantity.Quantity) bool {
	if a == nil || b == nil || !a.Point() || a.Lo == nil {
		return false
	}
	switch {
	case b.Hi == nil && b.Lo != nil:
		return a.Lo.Cmp(b.Lo) == 0
	case b.Lo == nil && b.Hi != nil:
		return a.Lo.Cmp(b.Hi) == 0
	}
	return false
}

// otherCase compares the thresholds under which a fact holds with the values that the
// claim's sentence names beside the one that is judged.
func (k *Checker) otherCase(c Claim, f, o *Fact) relation.Relation {
	out := relation.Unknown
	for _, cond := range o.Conditions {
		for _, t := range cond.Quantities {
			for i := range c.Page.Clauses {
				cl := &c.Page.Clauses[i]
				if cl.Sentence != f.Sentence {
					continue
				}
				for _, q := range cl.Quantities {
					if q.Span == f.Value.Span || f.Value.Span.Overlaps(q.Span) || q.Unit.Dim != t.Unit.Dim || q.Weak {
						continue
					}
					switch r, _ := quantity.Compare(q, t); r {
					case relation.Excludes:
						return relation.Differs
					case relation.Same:
						out = relation.Same
					}
				}
			}
		}
	}
	return out
}

func (k *Checker) against(f *Fact, against, _ []found) Support {
	o := &k.views[against[0].page].page.Facts[against[0].fact]
	return Support{
		Verdict: ContradictedClaim, Probability: 0.03, Evidence: k.refs(against[:1]),
		Reason: "the source says " + o.Value.Text + ", not " + f.Value.Text,
	}
}

// links joins the pages, once.
func (k *Checker) links() *links {
	if k.joins == nil {
		k.joins = newLinks(k.views)
	}
	return k.joins
}

// subjectBag is the bag of a subject's words, made once.
func (k *Checker) subjectBag(s string) *bag {
	if b, ok := k.subjects[s]; ok {
		return b
	}
	b := bagOf(k.engine.wording(s, nil))
	if k.subjects == nil {
		k.subjects = map[string]*bag{}
	}
	k.subjects[s] = b
	return b
}

// comparable reports whether two values could be about one thing at all.
func comparable(a, b *Fact) bool {
	if a.Value.Kind != b.Value.Kind {
		return false
	}
	if a.Value.Quantity == nil || b.Value.Quantity == nil {
		return true
	}
	da, db := loose(a.Value.Quantity.Unit.Dim), loose(b.Value.Quantity.Unit.Dim)
	return da == db || quantity.Pounds(*a.Value.Quantity, *b.Value.Quantity)
}

// fit is how far a fact carries the words of a claim: all that it inherits counts,
// its own words count more, so that of two neighbours the right one wins.
func (k *Checker) fit(w, topic *wording, v *view, i int) float64 {
	x := k.carriedBy(w, topic)
	of := x.fits[v]
	if of == nil {
		of = slices.Repeat([]float64{-1}, len(v.page.Facts)) // -1: not known
		if x.fits == nil {
			x.fits = map[*view][]float64{}
		}
		x.fits[v] = of
	}
	if of[i] < 0 {
		of[i] = k.fitOf(w, topic, v, i, nil)
	}
	return of[i]
}

// carried is how far the facts carry the words of the clause of a claim that is at hand.
type carried struct {
	w, topic *wording
	said     *bag
	fits     map[*view][]float64
}

// carriedBy is what is known of the clause at hand, which is that of the last call or a new one.
func (k *Checker) carriedBy(w, topic *wording) *carried {
	if k.carried.w != w || k.carried.topic != topic {
		k.carried = carried{w: w, topic: topic, said: bagOf(w, topic)}
	}
	return &k.carried
}

// fitOf is fit where the fact is said of something besides, whose words those are.
func (k *Checker) fitOf(w, topic *wording, v *view, i int, of *bag) float64 {
	f := &v.page.Facts[i]
	scale := v.inheritedScale(i, k.carriedBy(w, topic).said)
	cov := covered{cells: make([]float64, len(w.cells))}
	v.layFact(w, i, scale, cov.cells)
	lift(w, cov.cells, v.frameBag(), 0.7*scale)
	if of != nil {
		lift(w, cov.cells, of, pointed)
	}
	if f.Value.Quantity != nil {
		impliedBy(f.Value.Quantity, w, cov.cells)
		impliedByForm(f.Value.Quantity, w, cov.cells)
	}
	score, total := w.score(cov.cells)*w.total, w.total
	if topic.total > 0 {
		tc := covered{cells: make([]float64, len(topic.cells))}
		v.layFact(topic, i, scale, tc.cells)
		lift(topic, tc.cells, v.frameBag(), 0.7*scale)
		if of != nil {
			lift(topic, tc.cells, of, pointed)
		}
		score += 0.5 * topic.score(tc.cells) * topic.total
		total += 0.5 * topic.total
	}
	if total == 0 {
		return 0.5
	}
	return 0.75*score/total + 0.25*w.scoreOn(v.ownBag(i))
}

// speaks reports whether a page speaks on the period of the claim: the times that
// it names, else the day it is made.
func (k *Checker) speaks(c Claim, times []when.Expr, v *view) bool {
	if v.meta.ValidFrom.IsZero() && v.meta.ValidTo.IsZero() {
		return true
	}
	from, to := c.AsOf, c.AsOf
	for _, t := range times {
		if !t.From.IsZero() || !t.To.IsZero() {
			from, to = t.From, t.To
		}
	}
	if !v.meta.ValidTo.IsZero() && !from.IsZero() && v.meta.ValidTo.Before(from) {
		return false
	}
	return v.meta.ValidFrom.IsZero() || to.IsZero() || !v.meta.ValidFrom.After(to)
}

// best orders the clauses that speak to the words of the claim's clause; those that
// hold its values come first.
func (k *Checker) best(c Claim, cl *Clause, w, topic *wording, have []found) []found {
	var out []found
	seen := map[[2]int]bool{}
	skip := values(c.Page, cl)
	for _, cond := range cl.Conditions {
		if !cond.Span.Empty() {
			skip = append(skip, cond.Span)
		}
	}
	said := k.engine.wordingOf(c.Page.Runes, cl.Span, k.st, skip)
	named := w.cover(bagOf(k.engine.wording(cl.Topic.Text, nil))).cells
	says := map[[2]int]float64{}
	free := len(have) == 0 && len(valueSpans(cl)) == 0 && chargeOf(fold(c.Page.Quote(cl.Span))) < 0
	for _, h := range have {
		if h.clause >= 0 && !seen[[2]int{h.page, h.clause}] {
			seen[[2]int{h.page, h.clause}] = true
			h.fit += 0.1
			out = append(out, h)
		}
	}
	for p, v := range k.views {
		if !k.speaks(c, cl.Times, v) {
			continue
		}
		for i := range v.page.Clauses {
			o := &v.page.Clauses[i]
			if seen[[2]int{p, i}] || v.page.Sentences[o.Sentence].Kind == HeadingLine {
				continue
			}
			if len(cl.Times) > 0 && when.Scope(cl.Times, o.Times) == relation.Differs {
				continue
			}
			cov := w.cover(v.clauseBag(i))
			lift(w, cov.cells, v.frameBag(), 0.7)
			if name := k.pointsBack(w.folded, p, i); name != "" {
				lift(w, cov.cells, k.subjectBag(name), pointed)
			}
			cov.score = w.score(cov.cells)
			if said.total > 0 && k.supposes(o) && (said.scoreOn(v.assertedBag(i)) < leastAsserted || said.scoreOn(ownAsserted(o)) < 0.12) {
				continue // its words are only those of a condition
			}
			oc := w.cover(v.saidBag(i))
			fit := 0.6*cov.score + 0.4*oc.score
			if topic.total > 0 {
				tc := topic.cover(v.clauseBag(i))
				lift(topic, tc.cells, v.frameBag(), 0.7)
				fit = 0.8*fit + 0.2*topic.score(tc.cells)
			}
			if free && fit >= 0.25 && chargeOf(v.clauseText(i)) != 0 {
				fit += sameCharge
			}
			if fit >= 0.25 {
				f := found{page: p, fact: -1, clause: i, fit: fit}
				out = append(out, f)
				if sum, total := besides(w, oc.cells, named); total >= 2 {
					says[[2]int{p, i}] = sum / total
				}
			}
		}
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].fit > out[b].fit })
	// A clause that only names whom the claim is about gives way to one that says what it
	// says.
	if len(have) == 0 && len(out) > 1 && says[[2]int{out[0].page, out[0].clause}] < 0.4 {
		for n, f := range out[1:min(len(out), 6)] {
			if says[[2]int{f.page, f.clause}] >= 0.6 {
				copy(out[1:n+2], out[:n+1])
				out[0] = f
				break
			}
		}
	}
	// Of "hens, but no ducks" the second half speaks to a claim about ducks.
	for n, f := range out[:min(len(out), 6)] {
		if n == 0 || f.page != out[0].page {
			continue
		}
		v := k.views[f.page]
		if o := &v.page.Clauses[f.clause]; o.Sentence == v.page.Clauses[out[0].clause].Sentence && o.Denied && deniedTail.MatchString(v.clauseText(f.clause)) {
			if tail := k.engine.wordingOf(v.page.Runes, o.Span, k.st, nil); tail.total > 0 && tail.scoreOn(bagOf(w, topic)) >= 0.8 {
				copy(out[1:n+1], out[:n])
				out[0] = f
				break
			}
		}
	}
	if len(out) > 1 && ofTheRest(c.Page, c.Span, k.views[out[0].page], &k.views[out[0].page].page.Clauses[out[0].clause]) {
		// 因其他原因的: the clause before it speaks of the case that the claim names.
		for n, f := range out[1:min(len(out), 6)] {
			a, b := &k.views[out[0].page].page.Clauses[out[0].clause], &k.views[f.page].page.Clauses[f.clause]
			if f.page == out[0].page && b.Start < a.Start && a.Sentence-b.Sentence <= 1 && f.fit >= 0.6*out[0].fit && !ofTheRest(c.Page, c.Span, k.views[f.page], b) {
				copy(out[1:n+2], out[:n+1])
				out[0] = f
				break
			}
		}
	}
	return out
}

// deniedTail matches the half of a sentence that only denies of another thing what the half
// before it says.
var deniedTail = regexp.MustCompile(`^(?:but |and |yet )?(?:no|not) `)

// sameCharge raises a clause that says whether something is charged where the claim says that
// nothing is.
const sameCharge = 0.4

// besides is the weight of the words that are not among the named ones: what is covered
// of it, and all.
func besides(w *wording, covered, named []float64) (sum, total float64) {
	for n, c := range w.cells {
		if named[n] < cellCovered {
			total += c.weight
			sum += c.weight * covered[n]
		}
	}
	return sum, total
}

// ownShare is how far the words of a condition are covered that the statement under
// it does not have itself; of all its words where it has no others.
func ownShare(w *wording, covered, main []float64) float64 {
	sum, total := 0.0, 0.0
	for k, c := range w.cells {
		if main[k] < cellCovered {
			total += c.weight
			sum += c.weight * covered[k]
		}
	}
	if total < 1 {
		return w.score(covered)
	}
	return sum / total
}

// supposes reports whether a clause stands under a condition of its own sentence.
func (k *Checker) supposes(c *Clause) bool {
	for _, cond := range c.Conditions {
		if cond.Kind == If || cond.Kind == Unless {
			return true
		}
	}
	return false
}

// ownAsserted is what a clause itself asserts, without what it inherits.
func ownAsserted(c *Clause) *bag {
	b := newBag(len(c.Terms))
	for _, t := range c.Terms {
		inside := false
		for _, cond := range c.Conditions {
			inside = inside || (cond.Kind == If || cond.Kind == Unless) && cond.Span.Overlaps(t.Span)
		}
		if !inside {
			b.add(t.Text, t.Synset, 1)
		}
	}
	return b
}

// sole reports whether a value is the only one of its dimension in its sentence, those of
// other times left out, so that what the sentence says is said of it.
func sole(v *view, f *Fact) bool {
	if f.Value.Quantity == nil || f.Sentence < 0 || f.Sentence >= len(v.page.Sentences) {
		return false
	}
	of, dim := v.valueKinds(f.Sentence), loose(f.Value.Quantity.Unit.Dim)
	if of.ordered || of.of[dim] == 1 {
		return !of.ordered
	}
	n := 0
	lo, hi := v.page.factsIn(f.Sentence)
	for i := lo; i < hi; i++ {
		if o := &v.page.Facts[i]; o.Value.Quantity != nil && loose(o.Value.Quantity.Unit.Dim) == dim && when.Scope(o.Times, f.Times) != relation.Differs {
			n++
		}
	}
	return n == 1
}

// inTheirOrder are words of a sentence that tells by the order of its values who has which.
var inTheirOrder = []string{"respectively", "分别", "依次", "each of", "in turn"}

// valueKinds are the quantities of a sentence by their kind, none where their order counts.
type valueKinds struct {
	ordered bool
	of      map[quantity.Dimension]int
	inOrder bool // the order of two lists tells what goes with what, see ordered
}

func (s *sheet) valueKinds(sentence int) *valueKinds {
	return s.kinds.get(sentence, func() *valueKinds {
		said := s.sentenceText(sentence)
		if hasAny(said, inTheirOrder) {
			return &valueKinds{ordered: true, inOrder: ordered.MatchString(said)}
		}
		out := &valueKinds{of: map[quantity.Dimension]int{}, inOrder: ordered.MatchString(said)}
		lo, hi := s.page.factsIn(sentence)
		for i := lo; i < hi; i++ {
			if q := s.page.Facts[i].Value.Quantity; q != nil {
				out.of[loose(q.Unit.Dim)]++
			}
		}
		return out
	})
}

// stance compares how the claim and its best source bind: polarity, modality,
// quantifier, conditions. bad is false when they agree.
func (k *Checker) stance(c Claim, cl *Clause, w *wording, b found, coverage float64) (Support, bool) {
	e, v := k.engine, k.views[b.page]
	src := &v.page.Clauses[b.clause]
	about := aboutClaim
	if foreign(c.Page, v.page) {
		about = 0.3
	}
	contradicted := func(why string) (Support, bool) {
		if coverage < about {
			return Support{Verdict: UnsupportedClaim, Probability: 0.1, Reason: why}, true
		}
		return Support{Verdict: ContradictedClaim, Probability: 0.04, Reason: why}, true
	}
	denied := func(why string) (Support, bool) {
		s, bad := contradicted(why)
		if s.Verdict == ContradictedClaim && !k.predicated(cl, w, b) {
			s = Support{Verdict: UnsupportedClaim, Probability: 0.1, Reason: why}
		}
		return s, bad
	}
	unsupported := func(why string) (Support, bool) {
		return Support{Verdict: UnsupportedClaim, Probability: 0.2, Reason: why}, true
	}
	limited := func(why string) (Support, bool) {
		return Support{Verdict: UnsupportedClaim, Probability: 0.2, Reason: why, Limited: true}, true
	}
	negClaim, negSource := denies(c.Page, cl, v.page, src)
	free := agreeFree(c.Page, cl, v.page, src)
	if free < 0 && b.fact >= 0 && priced(&v.page.Facts[b.fact].Value) { // the sum is stated there: something else is free
		free = 0
	}
	claimBag := newBag(len(cl.Terms))
	for _, t := range cl.Terms {
		claimBag.add(t.Text, t.Synset, 1)
	}
	for _, cond := range cl.Conditions {
		claimBag.addTerms(cond.Terms, 1)
	}
	for i := range c.Page.Clauses { // a case that another clause of the claim names is not dropped
		if o := &c.Page.Clauses[i]; o != cl && o.Sentence == cl.Sentence && c.Span.Contains(o.Span) {
			for _, t := range o.Terms {
				claimBag.add(t.Text, t.Synset, 1)
			}
		}
	}
	if cl.Topic.Text != "" {
		e.addText(claimBag, cl.Topic.Text, 1)
	}
	main := ownAsserted(src)
	excepted, dropped := false, ""
	for _, cond := range src.Conditions {
		cw := e.wording(cond.Text, nil)
		named := ownShare(cw, cw.cover(claimBag).cells, cw.cover(main).cells)
		if foreign(c.Page, v.page) && len(cl.Conditions) > 0 {
			named = 1 // that there is one is seen; its words are not compared across languages
		}
		switch cond.Kind {
		case Except, Unless:
			switch {
			case slices.ContainsFunc(cl.Conditions, func(o Condition) bool {
				return (o.Kind == Except || o.Kind == Unless) && cw.scoreOn(termBag(o.Terms)) >= 0.5
			}):
				// both except it
			case named >= 0.5 && hasEven(cl) && negClaim == negSource:
				return Support{Verdict: ContradictedClaim, Probability: 0.04, Reason: "the source excepts " + cond.Text}, true
			case (named >= 0.5 || timesNamed(cl.Times, cond)) && !claimDenies(cl, cond):
				excepted = true
			case named < 0.4 && dropped == "":
				dropped = cond.Text
			}
		case If, OnlyIf:
			if named < 0.34 && k.alternative(cond.Text, claimBag) {
				continue
			}
			if named < 0.34 && !quantityNamed(c.Page, cl, cond) && dropped == "" {
				dropped = cond.Text
			}
		}
	}
	switch {
	case excepted: // what is charged of the others is not asked
		negSource, free = !negSource, 0
	case free < 0:
		return contradicted("the source says otherwise of what is charged")
	case free > 0:
		negClaim = negSource
	}
	if (cl.Modality == NeedNot) != (src.Modality == NeedNot) && (cl.Modality == Must || src.Modality == Must) && !excepted {
		if cl.Modality == NeedNot && k.released(c, cl, w, b) {
			return Support{}, false
		}
		return denied("the source binds otherwise")
	}
	if cl.Modality == Must && src.Modality == Must && k.released(c, cl, w, b) {
		return Support{Verdict: ContradictedClaim, Probability: 0.05, Reason: "the source releases them"}, true
	}
	if k.withoutAs(cl, src, v) || b.left || cl.Quantifier == Only && nobodyBut.MatchString(fold(v.page.Quote(src.Span))) {
		negClaim = negSource
	}
	if negClaim != negSource && cl.Modality != NeedNot && src.Modality != NeedNot {
		if !antonyms(c.Page, cl, v.page, src) {
			return denied("the source says the opposite")
		}
	}
	if !excepted && free == 0 && negClaim == negSource && antonyms(c.Page, cl, v.page, src) {
		return denied("the source says the opposite")
	}
	if negClaim == negSource && !excepted && k.namesOther(c, cl, v, src) {
		return contradicted("the source says it of others only")
	}
	if cl.Quantifier == Only && notOnlyText(v.page, src) {
		return contradicted("the source names others as well")
	}
	if d := changeOf(c.Page, cl) * changeOf(v.page, src); d < 0 && negClaim == negSource {
		return contradicted("the source has it change the other way")
	}
	universal := cl.Quantifier == All || hasEven(cl) || inAllCases(c.Page, cl)
	switch {
	case cl.Quantifier == NoneOf && src.Quantifier == Some:
		return unsupported("the source does not say it of all")
	case universal && src.Quantifier == Only && negClaim == negSource:
		return contradicted("the source says it of these only")
	case cl.Modality == MustNot && src.Modality == Should:
		return unsupported("another degree")
	}
	if universal && (dropped != "" || src.Quantifier == Some) {
		return contradicted("the source limits it: " + dropped)
	}
	if narrow := k.narrower(c, cl, v, src); narrow != "" && negClaim == negSource {
		return contradicted("the source says it of " + narrow)
	}
	if !excepted {
		switch {
		case tentative(v.page, src) && !tentative(c.Page, cl) && cl.Modality != Possible && cl.Modality != Planned:
			return limited("the source is only considering it")
		case (src.Modality == Possible || src.Modality == Planned || src.Modality == Reported) && cl.Modality != src.Modality && cl.Modality != Possible && cl.Modality != Planned && cl.Modality != May:
			return limited("the source is less certain")
		case cl.Modality == Must && (src.Modality == Should || src.Modality == May):
			return limited("the source does not oblige")
		case k.onlyMay(c, cl, v, src):
			return limited("the source is less certain")
		case cl.Modality == May && src.Modality == Must && b.fact < 0:
			return unsupported("the source obliges")
		case cl.Modality == MustNot && src.Modality == Caution || cl.Modality == Caution && src.Modality == MustNot:
			return contradicted("another degree")
		}
	}
	if cl.Quantifier == All && src.Quantifier != All && src.Quantifier != NoQuantifier || cl.Quantifier == Only && src.Quantifier != Only && !onlySource(src) {
		return unsupported("the source does not say it of all, or only of these")
	}
	if dropped != "" && !excepted {
		return limited("the source adds a condition: " + dropped)
	}
	said := v.page.Quote(src.Span)
	if free > 0 {
		said = chargePart(said) // open on Sundays, free of charge: the day is that of the opening
	}
	if d := k.droppedLimit(c.Page.Quote(c.Span), said); d != "" && !foreign(c.Page, v.page) {
		return limited("the source adds a limit: " + d)
	}
	return Support{}, false
}

// Words by which a claim says that something will be, and by which a source says no more than that
// it may be.
var (
	willBe  = guarded(`\b(?:will|is going to|are going to)\b|将(?:会|于|在|由|把|要|新|增|建|开|推)`)
	mayBe   = guarded(`\b(?:could|might|considering|considered|considers|under consideration|exploring|studying|hopes?|proposed|proposes)\b|可能|或将|有望|考虑|研究|探讨|酝酿|论证|尚未确定|尚未决定|未定`)
	willToo = guarded(`\b(?:will|shall|is going to|are going to)\b|将|决定`)
)

// onlyMay reports whether a claim tells as coming what the sentence of its source, with the clause
// before that names the same thing, tells as only possible.
func (k *Checker) onlyMay(c Claim, cl *Clause, v *view, src *Clause) bool {
	if said := fold(c.Page.Quote(cl.Span)); !willBe.MatchString(said) || mayBe.MatchString(said) {
		return false
	}
	own := fold(v.page.Quote(src.Span))
	info := v.page.Sentences[src.Sentence]
	for i := info.Clauses[0]; i < info.Clauses[1]; i++ {
		if o := &v.page.Clauses[i]; o.Topic.Text == src.Topic.Text && o.Topic.Text != "" && o.End <= src.Start {
			own = fold(v.page.Quote(o.Span)) + " " + own
		}
	}
	return mayBe.MatchString(own) && !willToo.MatchString(own)
}

// predicated reports whether a clause has of what a claim says, apart from what it says it of,
// enough to deny it: two clauses on one thing need not be on one matter.
func (k *Checker) predicated(cl *Clause, w *wording, b found) bool {
	v := k.views[b.page]
	if cl.Topic.Text == "" || b.fact >= 0 || w.across(v.clauseBag(b.clause)) {
		return true
	}
	sum, total := besides(w, w.cover(v.clauseBag(b.clause)).cells, w.cover(bagOf(k.engine.wording(cl.Topic.Text, nil))).cells)
	return total < 1 || sum >= leastPredicate*total
}

// released reports whether a clause beside the one that binds releases those whom the claim
// names and the binding clause does not: 须参加培训，持有证书的人员免于参加.
func (k *Checker) released(c Claim, cl *Clause, w *wording, b found) bool {
	v := k.views[b.page]
	src := &v.page.Clauses[b.clause]
	own := w.cover(v.saidBag(b.clause)).cells
	for n := range v.page.Clauses {
		o := &v.page.Clauses[n]
		if o.Modality != NeedNot || o.Sentence < src.Sentence || o.Sentence > src.Sentence+1 {
			continue
		}
		there := w.cover(v.saidBag(n)).cells
		sum, total := 0.0, 0.0
		for i, cell := range w.cells {
			if own[i] < cellCovered {
				total += cell.weight
				sum += cell.weight * there[i]
			}
		}
		if total >= 1.5 && sum >= 0.7*total {
			return true
		}
	}
	return false
}

// leastPredicate is the least share of a claim's words beside its subject that a clause has which
// denies it.
const leastPredicate = 0.25

// nobodyBut matches a denial of all but one, which says that this one alone does it.
var nobodyBut = regexp.MustCompile(`\b(?:nobody|no one|none|nothing) (?:but|except|other than|apart from)\b`)

// opposed looks beyond the best clause for one that denies the claim: for a claim
// about all cases any case that the sources except will do; for another claim a
// clause that asserts nearly its words and the opposite.
func (k *Checker) opposed(c Claim, cl *Clause, w *wording, best []found) (Support, bool) {
	universal := cl.Quantifier == All || hasEven(cl) || inAllCases(c.Page, cl)
	for n, b := range best {
		if n > 12 {
			break
		}
		v := k.views[b.page]
		src := &v.page.Clauses[b.clause]
		negClaim, neg := denies(c.Page, cl, v.page, src)
		if first := k.views[best[0].page]; n > 0 && b.page == best[0].page && src.Sentence == first.page.Clauses[best[0].clause].Sentence && deniedTail.MatchString(first.clauseText(best[0].clause)) {
			continue // hens, of which ducks are denied
		}
		if agreeFree(c.Page, cl, v.page, src) > 0 || k.withoutAs(cl, src, v) || n > 0 && ofTheRest(c.Page, c.Span, v, src) {
			continue
		}
		if neg != negClaim && cl.Modality != NeedNot && src.Modality != NeedNot && src.Modality != Possible && (src.Quantifier == NoneOf || src.Quantifier == All && neg) && k.allOf(c, cl, b) {
			return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: k.refs(best[n : n+1]),
				Reason: "the source denies it of all"}, true
		}
		if n > 0 && neg != negClaim && cl.Modality != NeedNot && src.Modality != NeedNot && src.Modality != Possible && k.namesSubject(cl, b, best[0], w) {
			return Support{Verdict: ContradictedClaim, Probability: 0.06, Evidence: k.refs(best[n : n+1]),
				Reason: "the source says the opposite of this case"}, true
		}
		if !universal || neg == negClaim || cl.Modality == NeedNot || src.Modality == NeedNot {
			continue
		}
		if w.scoreOn(v.clauseBag(b.clause)) < 0.6 || w.scoreOn(v.assertedBag(b.clause)) < 0.35 {
			continue
		}
		return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: k.refs(best[n : n+1]),
			Reason: "the source excepts a case"}, true
	}
	return Support{}, false
}

// reasonMarks begin a reason or purpose inside a clause.
var reasonMarks = []string{"because of", "because", "due to", "owing to", "thanks to", "on account of", "as a result of", "in order to", "so that", "caused by", "由于", "因为", "为了", "旨在", "因"}

// reasonAdded names a reason of the claim that the source does not give: the words
// behind its mark must be covered by themselves.
func (k *Checker) reasonAdded(c Claim, cl *Clause, b found) string {
	said := string(text.Fold(c.Page.Runes[cl.Start:cl.End]))
	for _, m := range reasonMarks {
		at := strings.Index(said, m)
		if at < 0 || m == "因" && strings.HasPrefix(said[at:], "因此") {
			continue
		}
		span := text.Span{Start: cl.Start + len([]rune(said[:at+len(m)])), End: cl.End}
		for i := span.Start; i < span.End; i++ { // 因雨停运，: up to the comma
			if r := c.Page.Runes[i]; r == '，' || r == ',' {
				span.End = i
				break
			}
		}
		w := k.engine.wordingOf(c.Page.Runes, span, k.st, nil)
		if w.total < 1.5 {
			return ""
		}
		v := k.views[b.page]
		cells := w.cover(v.clauseBag(b.clause)).cells
		for s := max(0, v.page.Clauses[b.clause].Sentence-1); s <= v.page.Clauses[b.clause].Sentence+1 && s < len(v.page.Sentences); s++ {
			info := v.page.Sentences[s]
			for n := info.Clauses[0]; n < info.Clauses[1] && n < len(v.page.Clauses); n++ {
				lift(w, cells, v.clauseBag(n), 0.9)
			}
		}
		if w.score(cells) < 0.5 {
			return strings.TrimSpace(c.Page.Quote(span))
		}
		return ""
	}
	return ""
}

// subjectOnly reports whether the sources cover little of a claim but its subject.
func (k *Checker) subjectOnly(cl *Clause, w *wording, cells []float64) bool {
	subject := w.cover(bagOf(k.engine.wording(cl.Topic.Text, nil))).cells
	sum, total := 0.0, 0.0
	for n, c := range w.cells {
		if subject[n] < cellCovered {
			total += c.weight
			sum += c.weight * cells[n]
		}
	}
	return total >= 2 && sum < 0.5*total
}

// valueSpans are the spans of the quantities and times of a clause: what is compared as
// values. Names stay among the words.
func valueSpans(c *Clause) []text.Span {
	var out []text.Span
	for _, q := range c.Quantities {
		if q.NounSpan.Empty() || !q.Span.Contains(q.NounSpan) {
			out = append(out, q.Span)
			continue
		}
		out = append(out, text.Span{Start: q.Start, End: q.NounSpan.Start}, text.Span{Start: q.NounSpan.End, End: q.End})
	}
	for _, t := range c.Times {
		out = append(out, t.Span)
	}
	return out
}

// modalSpans are the words of a span that say how it binds: they are compared as
// modality, not as content.
func modalSpans(runes []rune, span text.Span) []text.Span {
	folded := text.Fold(runes[span.Start:span.End])
	var out []text.Span
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i]) && text.IsWord(folded[i-1]) && !text.IsHan(folded[i]) {
			continue
		}
		end, id, ok := stanceWordList.Longest(folded, i)
		if !ok || !text.IsHan(folded[i]) && end < len(folded) && text.IsWord(folded[end]) {
			continue
		}
		if k := stanceKind(id); k >= modalMust && k <= modalNeedNot {
			if end-i > 1 || !text.IsHan(folded[i]) { // 可 and 能 are parts of too many words
				out = append(out, text.Span{Start: span.Start + i, End: span.Start + end})
			}
		}
		i = end - 1
	}
	return out
}

// otherSubject returns the subject of a claim that another text speaks of, where the
// best clause and its surroundings do not name it; "" when they do.
func (k *Checker) otherSubject(cl *Clause, b found) string {
	w := k.engine.wording(cl.Topic.Text, k.st)
	if w.total < 1.5 || !cl.Contains(cl.Topic.Span) {
		return ""
	}
	cells := make([]float64, len(w.cells))
	for p, v := range k.views {
		near := p == b.page
		if near {
			lift(w, cells, v.clauseBag(b.clause), 1)
			lift(w, cells, v.frameBag(), 1)
		}
	}
	if w.score(cells) >= 0.3 {
		return ""
	}
	if doerOf(cl.Topic.Text, k.views[b.page].clauseBag(b.clause)) {
		return ""
	}
	for _, v := range k.views {
		for i := range v.page.Clauses {
			if w.scoreOn(v.clauseBag(i)) >= 0.9 {
				return cl.Topic.Text
			}
		}
	}
	return ""
}

// doerOf reports whether a name of people is made from a verb of a clause that leaves out who
// does it: visitors, of what can be visited.
func doerOf(name string, b *bag) bool {
	for w := range strings.FieldsSeq(fold(name)) {
		if doesOne(w, func(verb string) bool { return b.weight(wordKey(verb)) > 0 }) {
			return true
		}
	}
	return false
}

// doesOne reports whether a word is the name of who does what one of the verbs says that has
// holds, which are stems.
func doesOne(word string, has func(verb string) bool) bool {
	w := strings.TrimSuffix(word, "s")
	if len(w) < 5 || !strings.HasSuffix(w, "er") && !strings.HasSuffix(w, "or") {
		return false
	}
	verb := w[:len(w)-2]
	for _, form := range []string{verb, verb + "e", verb[:len(verb)-1]} { // visit-or, rid-er, swimm-er
		if len(form) > 2 && has(text.Stem(form)) {
			return true
		}
	}
	return false
}

// namesSubject reports whether a clause speaks of the very subject of the claim, which
// the best clause does not name.
func (k *Checker) namesSubject(cl *Clause, b, first found, w *wording) bool {
	if cl.Topic.Text == "" {
		return false
	}
	subject := k.engine.wording(cl.Topic.Text, nil)
	if subject.total < 1.5 {
		return false
	}
	own := func(f found) *bag {
		c := &k.views[f.page].page.Clauses[f.clause]
		out := newBag(len(c.Terms))
		for _, t := range c.Terms {
			out.add(t.Text, t.Synset, 1)
		}
		return out
	}
	src := own(b)
	inSubject, inSource := w.cover(bagOf(subject)).cells, w.cover(src).cells
	said, total := 0.0, 0.0
	for n, c := range w.cells {
		if inSubject[n] < cellCovered {
			total += c.weight
			said += c.weight * inSource[n]
		}
	}
	if said < 0.4*total {
		return false
	}
	return subject.scoreOn(src) >= 0.9 && subject.scoreOn(own(first)) < 0.3 && w.scoreOn(src) >= 0.4 &&
		w.scoreOn(ownAsserted(&k.views[b.page].page.Clauses[b.clause])) >= 0.4
}

func onlySource(src *Clause) bool {
	for _, c := range src.Conditions {
		if c.Kind == OnlyIf {
			return true
		}
	}
	return false
}

func hasEven(cl *Clause) bool {
	for _, c := range cl.Conditions {
		if c.Kind == Even {
			return true
		}
	}
	return false
}

// claimDenies reports whether the claim names an exception only to say that it is
// not met ("without a certificate").
func claimDenies(cl *Clause, cond Condition) bool {
	for _, c := range cl.Conditions {
		if c.Negated {
			return true
		}
	}
	return cl.Denied && cond.Kind == Unless
}

// quantityNamed reports whether the claim states a value that meets a threshold of
// the condition.
func quantityNamed(p *Page, cl *Clause, cond Condition) bool {
	for i := range p.Clauses {
		o := &p.Clauses[i]
		if o == cl || o.Sentence != cl.Sentence {
			continue
		}
		if meets(cond.Quantities, o.Quantities) {
			return true
		}
	}
	if meets(cond.Quantities, cl.Quantities) {
		return true
	}
	for _, c := range cl.Conditions {
		if meets(cond.Quantities, c.Quantities) {
			return true
		}
	}
	return false
}

func notOnlyText(p *Page, c *Clause) bool {
	s := p.Sentences[c.Sentence].Span
	return hasAny(string(text.Fold(p.Runes[s.Start:s.End])), []string{"not only", "not just", "不仅", "不只", "不但", "not merely"})
}

// antonymPairs are words whose change turns a statement round as a negation does.
var antonymPairs = [][2]string{
	{"开放", "关闭"}, {"开业", "停业"}, {"有效", "失效"}, {"免费", "收费"}, {"包括", "不包括"}, {"适用", "不适用"}, {"接受", "拒绝"}, {"增加", "减少"},
	{"open", "closed"}, {"valid", "invalid"}, {"free", "charge"}, {"include", "exclude"}, {"accept", "refuse"}, {"increase", "decrease"},
}

// released are words for what is left to everyone's choice; a source says the same by
// releasing from a duty.
const released = "voluntari voluntary optional choic 自愿 可选 自便 随意 自行决定"

// antonyms reports whether the two clauses use opposite words, so that their
// different polarity makes them agree.
func antonyms(pa *Page, a *Clause, pb *Page, b *Clause) bool {
	sa := string(text.Fold(pa.Runes[a.Start:a.End]))
	sb := string(text.Fold(pb.Runes[b.Start:b.End]))
	for _, p := range antonymPairs {
		if strings.Contains(sa, p[0]) && strings.Contains(sb, p[1]) && !strings.Contains(sb, p[0]) ||
			strings.Contains(sa, p[1]) && strings.Contains(sb, p[0]) && !strings.Contains(sa, p[0]) {
			return true
		}
	}
	return opposites(sa, sb)
}

// coverAntonyms covers the words of a claim that say with their opposite and a
// negation what the source says.
func coverAntonyms(w *wording, cells []float64) {
	for _, t := range w.terms {
		for _, p := range antonymPairs {
			if t.Text != p[0] && t.Text != p[1] && t.Text != text.Stem(p[0]) && t.Text != text.Stem(p[1]) {
				continue
			}
			for i := t.Span.Start; i < t.Span.End; i++ {
				if k := w.at[i]; k >= 0 && cells[k] < 0.9 {
					cells[k] = 0.9
				}
			}
		}
	}
}

func (e *Engine) liftSimilarClause(w *wording, cells []float64, v *view, c *Clause) {
	if e.config.Similarity == nil {
		return
	}
	for _, g := range w.gaps(cells, cellCovered) {
		if g.name || g.Len() > 16 {
			continue
		}
		s := e.closest(w.text(g.Span), v, c)
		for k, cell := range w.cells {
			if g.Span.Contains(cell.Span) && s > cells[k] {
				cells[k] = s
			}
		}
	}
}

// politeness are words of a courtesy wherever they stand in a sentence; courtesy and
// interjection match one by its beginning, in English.
var (
	politeness = []string{"希望以上", "希望对您", "希望对你", "希望能帮", "帮到您", "帮到你", "如有疑问", "如有其他", "如需进一步", "如需其他", "如需更多", "如需帮助", "请告诉我", "告诉我一声", "为您解答", "随时问我", "祝你", "欢迎随时", "请随时", "祝您", "感谢您", "谢谢", "您好", "你好", "很高兴", "抱歉", "对不起", "不好意思",
		"以上信息", "供您参考", "仅供参考", "根据提供的", "以下是", "综上", "feel free", "let me know", "hope this helps", "happy to help", "you're welcome", "hesitate to",
		"please contact us", "is there anything", "great question", "good question", "best regards", "as an ai"}
	courtesy = regexp.MustCompile(`^(?:please,? )?(?:i hope|we hope|hope (?:this|that|it)\b|hoping|(?:i|we)(?:['’]d| would|['’]m| am|['’]re| are|['’]ll| will)(?: be)?(?: always| more than| only too)* (?:glad|happy|pleased|delighted|here (?:to|if)|sorry|afraid)\b|(?:always )?(?:happy|glad|pleased) to\b|thanks?\b|many thanks|you are welcome|` +
		`if (?:you|there)(?:['’]d| would|['’]re| are| is|['’]ve| have)? (?:have any|have (?:more|other|further)|need|like|want|anything)[^.]*(?:ask|contact|reach out|get in touch|tell me|say so|welcome|help)|` +
		`hello|hi\b|hey\b|dear|good (?:morning|afternoon|evening|day|luck)|(?:kind|warm|best) (?:regards|wishes)|sincerely|yours|cheers|all the best|here(?:['’]s| is| are) (?:what|the answer|a summary|your answer|some|my answer)[^.,;]*$|have (?:a|an) (?:\w+ )?(?:nice|good|great|pleasant|lovely|wonderful|safe|fine|happy|enjoyable)\b|` +
		`(?:stay|keep) (?:safe|warm|well|healthy)\b|enjoy (?:your|the rest)\b|safe (?:travels?|journey)|see you|(?:i |we )?look(?:ing)? forward|wish(?:ing)? you|just (?:ask|let|drop)|(?:do )?get in touch|(?:i|we)(?:['’]ve| have)? (?:looked|checked|searched|gone) (?:through|up|in|into|at|the)\b[^.,;]*$|anything else\b|(?:i |we )?apologi[sz]e)`)
	interjection = regexp.MustCompile(`^(?:(?:oh|ah|well|sure(?: thing)?|of course|certainly|absolutely|definitely|yes|no|right|okay|ok|great|gladly|no problem|my pleasure|indeed|exactly|correct|understood|got it|no worries|in summary|in short|to sum up)[!,.;:]*(?: |$))+`)
)

var ignorance = []string{"我不知道", "无法回答", "无法确定", "没有找到", "未找到", "资料中没有", "资料未", "没有提到", "未提及", "没有说明", "无法从", "不清楚",
	"i don't know", "i do not know", "i'm not sure", "i am not sure", "cannot answer", "can't answer", "could not find", "couldn't find", "no information", "not stated in the sources", "does not say", "do not say", "not mention", "unable to answer", "i cannot"}

// notAClaim reports whether a sentence states nothing that a source could hold: a
// greeting, an offer of help, a question, an admission of not knowing.
func notAClaim(s string) bool {
	f := strings.TrimSpace(fold(s))
	if f == "" || strings.HasSuffix(f, "?") || strings.HasSuffix(f, "？") {
		return true
	}
	content := 0
	for _, r := range f {
		if text.IsHan(r) || text.IsWord(r) {
			content++
		}
	}
	if content < 2 {
		return true
	}
	digits := strings.ContainsAny(f, "0123456789")
	said := interjection.ReplaceAllString(strings.TrimRight(f, "!.。！ ")+" ", "")
	if !digits && (strings.TrimSpace(said) == "" || hasWord(f, politeness) || courtesy.MatchString(said)) {
		return true
	}
	return !digits && hasWord(f, ignorance)
}

// sourced matches what only says that there are sources: 根据资料，.
var sourced = guarded(`^(?:根据|按照|依据|从)(?:您?提供的|所给的?|所提供的|现有|上述|以上|相关|手头的?)?(?:资料|材料|文件|文档|信息|内容|片段)(?:显示|记载|所述|所载|可知|来看|看)?$`)

// mostCourtesy is how many code points a courtesy has at most beside what a sentence claims.
const mostCourtesy = 14

// withoutCourtesy cuts off what a sentence begins and ends with out of courtesy: 您好，….
// A sentence that is nothing else stays whole.
func withoutCourtesy(runes []rune, span text.Span) text.Span {
	courteous := func(s text.Span) bool {
		f := strings.Trim(fold(string(runes[s.Start:s.End])), " 。.!！")
		return s.Len() <= mostCourtesy && f != "" && !strings.ContainsAny(f, "0123456789") && (hasWord(f, politeness) || sourced.MatchString(f))
	}
	stop := func(r rune) bool { return r == '，' || r == ',' || r == '！' || r == '!' || r == '：' }
	out := span
	for i := out.Start; i < out.End && i-out.Start <= mostCourtesy; i++ {
		if stop(runes[i]) && courteous(text.Span{Start: out.Start, End: i}) {
			for i++; i < out.End && runes[i] == ' '; i++ {
			}
			out.Start = i
		}
	}
	for i := out.End - 2; i > out.Start && out.End-i <= mostCourtesy; i-- {
		if stop(runes[i]) && courteous(text.Span{Start: i + 1, End: out.End}) {
			out.End = i
		}
	}
	if out.Len() < 4 || out != span && hasAny(fold(string(runes[out.Start:min(out.Start+3, out.End)])), []string{"如", "若", "要是", "还有", "有任何"}) {
		return span // 如果还有其他问题，欢迎随时问我
	}
	return out
}

// comparison judges claims that compare two things, or one thing at two times, from
// the values of the sources; false if the claim is none or the values are not there.
func (k *Checker) comparison(c Claim, clauses []int) (Support, bool) {
	for _, i := range clauses {
		cl := &c.Page.Clauses[i]
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(c.Page.Facts); f++ {
			fact := &c.Page.Facts[f]
			if fact.Relation == nil || fact.Relation.Op == "" || fact.Value.Kind != BooleanValue {
				continue
			}
			if sized(c.Page, cl) || hasAny(fold(fact.Relation.Other.Text), timeWords) {
				continue // by how much, or since when: the value path judges it
			}
			if s, ok := k.ordered(c, cl, fact); ok {
				return s, true
			}
			if len([]rune(fact.Relation.Other.Text)) > 1 && !k.compares(fact.Relation.Op) {
				return Support{Verdict: UnsupportedClaim, Probability: 0.15, Reason: "no passage compares them, nor gives values that do"}, true
			}
		}
	}
	return Support{}, false
}

// timeWords show that a comparison is with another time, not with another thing.
var timeWords = []string{"year", "month", "quarter", "week", "earlier", "before", "previous", "last ", "ago", "年", "月", "季", "同期", "以前", "之前", "过去", "上期"}

// sized reports whether the clause states a quantity.
func sized(p *Page, cl *Clause) bool {
	for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
		if q := p.Facts[f].Value.Quantity; q != nil && !q.Weak && q.Unit.Dim != quantity.Ordinal {
			return true
		}
	}
	return false
}

// compares reports whether any source compares two things in this or the opposite way.
func (k *Checker) compares(op string) bool {
	opposite := map[string]string{"gt": "lt", "lt": "gt", "before": "after", "after": "before"}
	for _, v := range k.views {
		for i := range v.page.Facts {
			if r := v.page.Facts[i].Relation; r != nil && (r.Op == op || r.Op == opposite[op]) && r.Other.Text != "" {
				return true
			}
		}
	}
	return false
}

// ordered judges "A is more than B": by a comparison in the sources, else by the
// values of A and B on one attribute.
func (k *Checker) ordered(c Claim, cl *Clause, f *Fact) (Support, bool) {
	e := k.engine
	for p, v := range k.views {
		for i := range v.page.Facts {
			o := &v.page.Facts[i]
			if o.Relation == nil || o.Value.Kind != BooleanValue {
				continue
			}
			if turned(e, f, o) {
				return Support{Verdict: ContradictedClaim, Probability: 0.03, Reason: "the source has it the other way round",
					Evidence: k.refs([]found{{page: p, fact: i, clause: o.Clause, fit: 1}})}, true
			}
		}
	}
	subject := f.Subject.Text
	if at := strings.Index(fold(subject), fold(f.Relation.Word.Text)); at > 0 && f.Relation.Word.Text != "" {
		subject = string([]rune(subject)[:len([]rune(fold(subject)[:at]))])
	}
	a, b := e.wording(subject, k.st), e.wording(f.Relation.Other.Text, k.st)
	if a.total == 0 || b.total == 0 {
		return Support{}, false
	}
	dims, earlier := comparedBy(fold(f.Relation.Word.Text))
	attr := e.wordingOf(c.Page.Runes, cl.Span, k.st, []text.Span{f.Subject.Span, f.Relation.Other.Span, f.Relation.Word.Span})
	type side struct {
		found
		v   *Value
		fit float64
	}
	collect := func(w *wording) []side {
		var out []side
		for p, v := range k.views {
			for i := range v.page.Facts {
				o := &v.page.Facts[i]
				if o.Value.Quantity == nil && o.Value.Time == nil || o.Threshold {
					continue
				}
				if !dims(o) {
					continue
				}
				least := 0.8
				if w.across(v.factBag(i)) {
					least = crossSides
				}
				if w.scoreOn(v.factBag(i)) < least {
					continue
				}
				fit := attr.scoreOn(v.factBag(i))
				out = append(out, side{found{page: p, fact: i, clause: o.Clause, fit: fit}, &o.Value, fit})
			}
		}
		return out
	}
	var best *[2]side
	var laid [2][]float64
	var gaps [2][]text.Span
	score := 0.0
	for _, x := range collect(a) {
		for _, y := range collect(b) {
			if x.page == y.page && x.fact == y.fact || !comparable(&Fact{Value: *x.v}, &Fact{Value: *y.v}) {
				continue
			}
			va, vb := k.views[x.page], k.views[y.page]
			m := mutual(e.about(va, x.fact, k.st), e.about(vb, y.fact, k.st), &laid, &gaps)
			if s := x.fit + y.fit + m.similarity; s > score {
				score, best = s, &[2]side{x, y}
			}
		}
	}
	if best == nil {
		return Support{}, false
	}
	order, ok := orderOf(best[0].v, best[1].v)
	switch {
	case order > 0:
		order = 1
	case order < 0:
		order = -1
	}
	if !ok {
		return Support{}, false
	}
	if earlier && best[0].v.Time != nil {
		order = -order
	}
	want := 1
	if f.Relation.Op == "lt" || f.Relation.Op == "before" {
		want = -1
	}
	if f.Negative() {
		return Support{}, false
	}
	evidence := k.refs([]found{best[0].found, best[1].found})
	if order == want {
		return Support{Verdict: SupportedClaim, Probability: 0.9, Evidence: evidence, Reason: "compared from the stated values"}, true
	}
	return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: evidence, Reason: "the stated values compare the other way round"}, true
}

// comparedBy says which values a comparing word compares, and whether of two times the
// earlier is the greater (older).
func comparedBy(word string) (admits func(*Fact) bool, earlier bool) {
	only := func(d ...quantity.Dimension) func(*Fact) bool {
		return func(f *Fact) bool {
			if f.Value.Quantity == nil {
				return false
			}
			for _, x := range d {
				if loose(f.Value.Quantity.Unit.Dim) == x {
					return true
				}
			}
			return false
		}
	}
	switch {
	case hasAny(word, []string{"older", "更早", "更老", "历史更"}):
		return func(f *Fact) bool { return f.Value.Time != nil || only(quantity.Duration)(f) }, true
	case hasAny(word, []string{"younger", "newer"}):
		return func(f *Fact) bool { return f.Value.Time != nil || only(quantity.Duration)(f) }, true
	case hasAny(word, []string{"later", "更晚", "更新"}):
		return func(f *Fact) bool { return f.Value.Time != nil || only(quantity.Duration)(f) }, false
	case hasAny(word, []string{"earlier", "早于", "before"}):
		return func(f *Fact) bool { return f.Value.Time != nil }, false
	case hasAny(word, []string{"fast", "slow", "quick", "快", "慢"}):
		return only(quantity.Speed, quantity.Duration), hasAny(word, nil)
	case hasAny(word, []string{"cheap", "expensive", "dear", "贵", "便宜"}):
		return only(quantity.Money), false
	case hasAny(word, []string{"heav", "light", "重", "轻"}):
		return only(quantity.Mass), false
	}
	return func(f *Fact) bool { return f.Value.Quantity != nil && f.Value.Quantity.Unit.Dim != quantity.Ordinal }, false
}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthOf is the month of a time without a year, 0 if it names none.
func monthOf(s string) int {
	for i, m := range monthNames {
		if strings.Contains(s, m) {
			return i + 1
		}
	}
	if at := strings.Index(s, "月"); at > 0 {
		n := 0
		for i := at - 1; i >= 0 && s[i] >= '0' && s[i] <= '9' && at-i <= 2; i-- {
			n += int(s[i]-'0') * []int{1, 10}[at-1-i]
		}
		if n <= 12 {
			return n
		}
	}
	return 0
}

// orderOf compares two points: -1, 0 or 1.
func orderOf(a, b *Value) (int, bool) {
	switch {
	case a.Quantity != nil && b.Quantity != nil && a.Quantity.Lo != nil && b.Quantity.Lo != nil:
		return a.Quantity.Lo.Cmp(b.Quantity.Lo), true
	case a.Time != nil && b.Time != nil && !a.Time.From.IsZero() && !b.Time.From.IsZero():
		return a.Time.From.Compare(b.Time.From), true
	case a.Time != nil && b.Time != nil:
		if x, y := monthOf(a.Time.Text), monthOf(b.Time.Text); x > 0 && y > 0 && x != y {
			return x - y, true
		}
	}
	return 0, false
}

// tentative reports whether a clause speaks of something that is only considered.
func tentative(p *Page, cl *Clause) bool {
	return hasWord(string(text.Fold(p.Runes[cl.Start:cl.End])), []string{"正在研究", "研究增加", "研究推出", "研究设立", "正在考虑", "考虑", "探讨", "酝酿", "论证", "筹备", "征求意见", "是否",
		"considering", "is studying", "are studying", "exploring", "under consideration", "under study", "being considered", "thinking about", "looking into", "proposes", "proposed", "whether"})
}

// changeOf is +1 for a clause in which something rises, -1 for one in which it
// falls, 0 for neither or both.
func changeOf(p *Page, cl *Clause) int {
	s := string(text.Fold(p.Runes[cl.Start:cl.End]))
	up, down := hasWord(s, upWords), hasWord(s, downWords)
	switch {
	case up && !down:
		return 1
	case down && !up:
		return -1
	}
	return 0
}

// hasWord reports whether a folded text holds one of the words, Latin ones whole.
func hasWord(s string, words []string) bool {
	for _, w := range words {
		for from := 0; ; {
			at := strings.Index(s[from:], w)
			if at < 0 {
				break
			}
			at += from
			end := at + len(w)
			latin := w[0] < 0x80
			if !latin || (at == 0 || !isLatin(s[at-1])) && (end == len(s) || !isLatin(s[end])) {
				return true
			}
			from = end
		}
	}
	return false
}

func isLatin(b byte) bool { return b >= 'a' && b <= 'z' }

// inAllCases reports whether the clause itself says that it holds whatever the case.
func inAllCases(p *Page, cl *Clause) bool {
	return hasAny(string(text.Fold(p.Runes[cl.Start:cl.End])), []string{"任何情况", "任何时候", "任何条件", "无论", "不论", "不管", "一律", "所有情况", "始终",
		"always", "in all cases", "in any case", "under any", "under all", "at all times", "at any time", "regardless", "whatever", "no matter", "in every case", "everywhere", "anywhere", "各处", "到处", "处处"})
}

// allOf reports whether a denial of everything of a kind speaks of what the claim
// affirms: its words are the claim's, and the claim is none of its exceptions.
func (k *Checker) allOf(c Claim, cl *Clause, b found) bool {
	v := k.views[b.page]
	src := &v.page.Clauses[b.clause]
	var skip []text.Span
	claimed := newBag(len(cl.Terms))
	for _, t := range cl.Terms {
		claimed.add(t.Text, t.Synset, 1)
	}
	if cl.Topic.Text != "" {
		k.engine.addText(claimed, cl.Topic.Text, 1)
	}
	for _, cond := range src.Conditions {
		if !cond.Span.Empty() {
			skip = append(skip, cond.Span)
		}
		if cond.Kind != Even && k.engine.wording(cond.Text, nil).scoreOn(claimed) >= 0.6 {
			return false
		}
	}
	skip = append(append(skip, stanceWords(v.page.Runes, src.Span)...), modalSpans(v.page.Runes, src.Span)...)
	w := k.engine.wordingOf(v.page.Runes, src.Span, k.st, skip)
	return w.total >= 3 && w.scoreOn(claimed) >= 0.6
}

// premise reports whether a clause of a claim only supposes what a later clause of
// its sentence speaks of: 甲因故不能到场，事先请假的，可以…
func (k *Checker) premise(c Claim, clauses []int, i int) bool {
	p := c.Page
	for _, j := range clauses {
		if j <= i || p.Clauses[j].Sentence != p.Clauses[i].Sentence {
			continue
		}
		for _, cond := range p.Clauses[j].Conditions {
			if cond.Kind == If && cond.Span.Start >= p.Clauses[i].End && strings.HasSuffix(cond.Text, "的") && len(p.Clauses[i].Conditions) == 0 {
				return true
			}
		}
		if p.Clauses[i].Modality == Plain && !p.Clauses[i].Denied && namesCase(p, &p.Clauses[i]) {
			return true
		}
	}
	return false
}

// namesCase reports whether a clause is no statement but names a case: …的租户，
func namesCase(p *Page, cl *Clause) bool {
	runes := p.Runes[cl.Start:cl.End]
	if cl.End >= len(p.Runes) || p.Runes[cl.End] != '，' {
		return false
	}
	for i := len(runes) - 1; i > 0 && len(runes)-i <= 6; i-- {
		switch runes[i] {
		case '的':
			return i < len(runes)-1 && i >= 3
		case '是', '有', '了', '为':
			return false
		}
	}
	return false
}

// supposed checks the words of a premise: they must stand somewhere in the sources,
// however the sources bind.
func (k *Checker) supposed(c Claim, i int) (Support, bool) {
	cl := &c.Page.Clauses[i]
	w := k.engine.wordingOf(c.Page.Runes, cl.Span, k.st, values(c.Page, cl))
	if w.total == 0 {
		return Support{}, false
	}
	cells := make([]float64, len(w.cells))
	var hit []found
	for p, v := range k.views {
		for n := range v.page.Clauses {
			cov := w.cover(v.clauseBag(n))
			if cov.score < 0.3 {
				continue
			}
			lift(w, cells, v.clauseBag(n), 1)
			hit = append(hit, found{page: p, fact: -1, clause: n, fit: cov.score})
		}
	}
	if w.score(cells) < 0.7 || len(hit) == 0 {
		return Support{Verdict: UnsupportedClaim, Probability: 0.2, Reason: "no passage speaks of this case"}, true
	}
	sort.SliceStable(hit, func(a, b int) bool { return hit[a].fit > hit[b].fit })
	return Support{Verdict: SupportedClaim, Probability: 0.9, Evidence: k.refs(hit[:1])}, true
}
