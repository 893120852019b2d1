package fact

import (
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// A claim speaks of a case: of some of the people, of one plan, of a child of ten. This
// file compares the case of a claim with the case of its source.

// coverSpan raises the cells of a stretch of the wording.
func coverSpan(w *wording, cells []float64, s text.Span, to float64) {
	for i := max(0, s.Start); i < s.End && i < len(w.at); i++ {
		if k := w.at[i]; k >= 0 && cells[k] < to {
			cells[k] = to
		}
	}
}

// namesWhom reports whether a value of a claim is no statement but says of whom or what
// the claim speaks: a ten-year-old, 65周岁的老人. It stands before the predicate and
// before the noun it belongs to.
func namesWhom(p *Page, cl *Clause, f *Fact) bool {
	q := f.Value.Quantity
	if q == nil || len(cl.Quantities) < 2 && !f.Threshold && f.Value.Span.End > cl.End-3 {
		return false
	}
	if q.End < len(p.Runes) {
		rest := string(text.Fold(p.Runes[q.End:min(len(p.Runes), q.End+6)]))
		if strings.HasPrefix(rest, "-old") || strings.HasPrefix(rest, "的") && q.Start-cl.Start < 8 {
			return true
		}
		switch q.Unit.Dim {
		case quantity.Months, quantity.Duration, quantity.Count, quantity.Ordinal:
			// 72周岁老人, 六年级学生: a noun follows at once.
			return q.Start-cl.Start < 4 && text.IsHan(p.Runes[min(q.End, len(p.Runes)-1)]) && strings.ContainsAny(string(text.Fold(p.Runes[q.Start:q.End])), "岁龄级类")
		}
	}
	return false
}

// withinCase reports whether a value meets a bound under which one of the facts holds.
func (k *Checker) withinCase(q *quantity.Quantity, evidence []found) bool {
	if q == nil {
		return false
	}
	for _, h := range evidence {
		v := k.views[h.page]
		if h.fact >= 0 {
			for _, t := range v.thresholds(h.fact) {
				if bounds(q, &t) {
					return true
				}
			}
		}
		if h.clause >= 0 && h.clause < len(v.page.Clauses) {
			for _, t := range v.page.Clauses[h.clause].Quantities {
				if t.Lo == nil || t.Hi == nil || !t.Point() {
					if bounds(q, &t) {
						return true
					}
				}
			}
		}
	}
	return false
}

// bounds reports whether a bound holds a value; an age in years meets a bound without a
// unit (from six to fourteen).
func bounds(q, t *quantity.Quantity) bool {
	if r, _ := quantity.Compare(*q, *t); r == relation.Same {
		return true
	}
	if t.Unit.Dim != quantity.None && t.Unit.Dim != quantity.Count || q.Unit.Dim != quantity.Months || q.Lo == nil {
		return false
	}
	n, ok := quantity.Words(leadingNumber(q.Raw))
	if !ok || n.Lo == nil {
		return false
	}
	u := *t
	u.Unit, u.Noun = n.Unit, ""
	r, _ := quantity.Compare(n, u)
	return r == relation.Same
}

// leadingNumber is the first word or number of a quantity as written.
func leadingNumber(s string) string {
	s, _, _ = strings.Cut(s, "-")
	s, _, _ = strings.Cut(s, " ")
	return strings.TrimRight(s, "周岁年")
}

// ofSibling finds the value of the same clause that is said of the thing a claim speaks
// of, where this one is not; -1 for none: of "Drowsiness occurs in 12%, nausea in 4%"
// the first says nothing of nausea.
func (k *Checker) ofSibling(subject *wording, v *view, i int) int {
	f := &v.page.Facts[i]
	if subject.total < 1.5 || f.Value.Quantity == nil || f.Clause < 0 || f.Clause >= len(v.page.Clauses) || v.inTable(f) {
		return -1
	}
	names := func(g *Fact) float64 {
		return subject.scoreOn(bagOf(k.engine.wording(g.Subject.Text+" ; "+g.Attribute.Text, nil)))
	}
	if names(f) >= 0.3 {
		return -1
	}
	c := &v.page.Clauses[f.Clause]
	for n := c.Facts[0]; n < c.Facts[1] && n < len(v.page.Facts); n++ {
		g := &v.page.Facts[n]
		if n == i || g.Value.Quantity == nil || loose(g.Value.Quantity.Unit.Dim) != loose(f.Value.Quantity.Unit.Dim) || g.Attribute.Text == "" {
			continue
		}
		if subject.scoreOn(bagOf(k.engine.wording(g.Attribute.Text, nil))) >= 0.9 {
			return n
		}
	}
	return -1
}

// alternative reports whether a condition names several cases (甲、乙方式, by post or in
// person) one of which the claim names.
func (k *Checker) alternative(cond string, claim *bag) bool {
	f := fold(cond)
	for _, cut := range []string{"或者", "、", "或", " or ", ", "} {
		f = strings.ReplaceAll(f, cut, "|")
	}
	parts := strings.Split(f, "|")
	if len(parts) < 2 {
		return false
	}
	for _, p := range parts {
		w := k.engine.wording(p, nil)
		if w.total < 2 {
			continue
		}
		cells := w.cover(claim).cells
		// The last words of an item belong to it whatever frames the list.
		n, total := 0.0, 0.0
		for j := max(0, len(w.cells)-4); j < len(w.cells); j++ {
			total += w.cells[j].weight
			n += w.cells[j].weight * cells[j]
		}
		if n >= 0.9*total {
			return true
		}
	}
	return false
}

// withoutAs reports whether a claim says with "without" what the source says with "no":
// paid without any excess, no excess applies.
func (k *Checker) withoutAs(cl, src *Clause, v *view) bool {
	if !src.Denied && src.Quantifier != NoneOf {
		return false
	}
	for _, cond := range cl.Conditions {
		f := fold(cond.Text)
		if !strings.HasPrefix(f, "without") && !strings.HasPrefix(f, "无") && !strings.HasPrefix(f, "不经") {
			continue
		}
		own := newBag(len(src.Terms))
		for _, t := range src.Terms {
			own.add(t.Text, t.Synset, 1)
		}
		if w := k.engine.wording(cond.Text, nil); w.total > 0 && w.scoreOn(own) >= 0.6 {
			return true
		}
	}
	return false
}

// namesOther reports whether the source limits what it says to some (available on
// Enterprise only) and the claim says it of others.
func (k *Checker) namesOther(c Claim, cl *Clause, v *view, src *Clause) bool {
	limit := reachOf(v.foldedText()[src.Start:src.End], src.Start).only
	if limit.Empty() || len(src.Quantities) > 0 && strings.HasSuffix(fold(v.page.Quote(limit)), "alone") { // 214 mm in October alone: more in all
		return false
	}
	only := k.engine.wordingOf(v.page.Runes, limit, nil, stanceWords(v.page.Runes, src.Span))
	claim := newBag(len(cl.Terms))
	for _, t := range cl.Terms {
		claim.add(t.Text, t.Synset, 1)
	}
	if only.total < 1.5 || only.scoreOn(claim) >= 0.3 {
		return false
	}
	// What the claim has in its place: content that the source clause lacks.
	said := k.engine.wordingOf(c.Page.Runes, cl.Span, nil, append(valueSpans(cl), append(modalSpans(c.Page.Runes, cl.Span), stanceWords(c.Page.Runes, cl.Span)...)...))
	cells := said.cover(v.clauseBag(v.clauseIndex(src))).cells
	extra, shared := 0.0, 0.0
	for n, x := range said.cells {
		if cells[n] < cellCovered {
			extra += x.weight
		} else {
			shared += x.weight
		}
	}
	return extra >= 1.5 && shared >= 2
}

// clauseIndex is the index of a clause of the page.
func (s *sheet) clauseIndex(c *Clause) int {
	for i := s.page.Sentences[c.Sentence].Clauses[0]; i < s.page.Sentences[c.Sentence].Clauses[1]; i++ {
		if &s.page.Clauses[i] == c {
			return i
		}
	}
	return s.page.Sentences[c.Sentence].Clauses[0]
}

// narrower names those of whom the source says what the claim says of all: all pupils,
// and pupils whose families receive support. "" when it says it of all, too.
func (k *Checker) narrower(c Claim, cl *Clause, v *view, src *Clause) string {
	if cl.Quantifier != All || src.Quantifier != NoQuantifier {
		return ""
	}
	all := reachOf(text.Fold(c.Page.Runes[cl.Start:cl.End]), cl.Start).all
	if all.Empty() {
		return ""
	}
	if bound := k.boundedWhom(c, cl, all, v, src); bound != "" {
		return bound
	}
	if src.Topic.Span.Empty() || !src.Span.Contains(src.Topic.Span) {
		return ""
	}
	whom := k.engine.wordingOf(c.Page.Runes, all, nil, stanceWords(c.Page.Runes, cl.Span))
	topic := k.engine.wording(src.Topic.Text, nil)
	if whom.total == 0 || topic.total == 0 || whom.scoreOn(bagOf(topic)) < 0.5 {
		return ""
	}
	claim := newBag(len(cl.Terms))
	for _, t := range cl.Terms {
		claim.add(t.Text, t.Synset, 1)
	}
	extra := 0.0
	for _, g := range topic.gaps(topic.cover(claim).cells, cellCovered) {
		extra += g.weight
	}
	if extra < 3.5 {
		return ""
	}
	return src.Topic.Text
}

// boundedWhom is the bound that the source puts on those of whom the claim says all
// (customers under 27, 60周岁以上老人); "" for none.
func (k *Checker) boundedWhom(c Claim, cl *Clause, all text.Span, v *view, src *Clause) string {
	whom := newBag(4)
	for _, t := range cl.Terms {
		if all.Contains(t.Span) {
			whom.add(t.Text, t.Synset, 1)
		}
	}
	for _, t := range src.Terms {
		if !whom.has(t.Text, t.Synset) {
			continue
		}
		for _, q := range src.Quantities {
			if q.Point() || meets(cl.Quantities, []quantity.Quantity{q}) {
				continue
			}
			if gap := q.Start - t.Span.End; gap >= 0 && gap <= 3 || q.End <= t.Span.Start && t.Span.Start-q.End <= 2 {
				return v.page.Quote(text.Span{Start: min(q.Start, t.Span.Start), End: max(q.End, t.Span.End)})
			}
		}
	}
	return ""
}

// otherHolder names whom the source has where the claim names another: the one who
// pays, the one who chairs. "" when they agree or name nobody so.
func (k *Checker) otherHolder(c Claim, clause int, w *wording, best []found) string {
	p := c.Page
	cl := &p.Clauses[clause]
	v := k.views[best[0].page]
	src := &v.page.Clauses[best[0].clause]
	if len(cl.Quantities) > 0 || foreign(p, v.page) || cl.Denied != src.Denied {
		return ""
	}
	var ha, hb text.Span
	folded, ok := text.Fold(p.Runes), false
	if !hasMany(string(folded[cl.Start:cl.End])) && !hasMany(string(v.foldedText()[src.Start:src.End])) {
		ha, hb, ok = holders(folded, cl.Span, v.foldedText(), src.Span, marksOf(string(folded[cl.Start:cl.End]))&marksOf(string(v.foldedText()[src.Start:src.End])))
	}
	if !ok {
		ha, hb = officeHolder(p.Runes, cl.Span), officeHolder(v.page.Runes, src.Span)
		ok = !ha.Empty() && !hb.Empty()
	}
	if !ok || fold(p.Quote(ha)) == fold(v.page.Quote(hb)) || strings.Contains(fold(v.page.Quote(src.Span)), fold(p.Quote(ha))) {
		return ""
	}
	// Beside the names both must say the same.
	rest := k.engine.wordingOf(p.Runes, cl.Span, k.st, []text.Span{ha})
	if rest.total < 2 || rest.scoreOn(v.saidBag(best[0].clause)) < 0.85 {
		return ""
	}
	back := k.engine.wordingOf(v.page.Runes, src.Span, k.st, []text.Span{hb})
	own := newBag(len(cl.Terms))
	for _, t := range cl.Terms {
		own.add(t.Text, t.Synset, 1)
	}
	if back.total < 2 || back.scoreOn(own) < 0.75 {
		return ""
	}
	for i := range k.views { // another passage may say what the claim says
		for j := range k.views[i].page.Clauses {
			if w.scoreOn(k.views[i].saidBag(j)) >= 0.95 {
				return ""
			}
		}
	}
	return v.page.Quote(hb)
}
