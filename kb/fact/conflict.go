package fact

import (
	"math"
	"regexp"
	"sort"
	"strings"

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
	maxCandidates = 64   // facts compared with one fact
)

// Conflicts finds pairs of facts of different pages that cannot both be true. Facts
// that fill the same need are compared with each other; all others only when they
// share telling words, found through an index, never all pairs. Each pair of pages
// gives at most one clash for one need or one attribute.
func (e *Engine) Conflicts(needs []Need, pages []*Page, metas []Meta) []Clash {
	if len(pages) < 2 {
		return nil
	}
	views := e.views(pages, metas)
	st := newRarity(pages)
	links := newLinks(views)
	seen := map[[4]int]bool{}
	var out []Clash
	add := func(c Clash) {
		if c.A.Page > c.B.Page {
			c.A, c.B = c.B, c.A
		}
		fa, fb := &views[c.A.Page].page.Facts[c.A.Fact], &views[c.B.Page].page.Facts[c.B.Fact]
		key := [4]int{c.A.Page, fa.Sentence, c.B.Page, fb.Sentence}
		if !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	for i := range needs {
		n := e.prepare(&needs[i], st)
		var fillers []candidate
		for p, v := range views {
			for _, c := range e.candidates(n, v, p, views, links) {
				if debugSupport {
					println("  CAND", n.Name, p, v.page.Facts[c.ref.Fact].Value.Text, int(c.fit*100), int(c.worst*100), c.late, strings.Join(c.gaps, ","))
				}
				if !c.late && c.fit >= fillFit && c.worst <= gapShare {
					fillers = append(fillers, c)
				}
			}
		}
		sort.SliceStable(fillers, func(a, b int) bool { return fillers[a].fit > fillers[b].fit })
		if len(fillers) > maxCandidates {
			fillers = fillers[:maxCandidates]
		}
		for x := range fillers {
			for y := x + 1; y < len(fillers); y++ {
				a, b := fillers[x].ref, fillers[y].ref
				if a.Page == b.Page {
					continue
				}
				if debugSupport {
					fa, fb := &views[a.Page].page.Facts[a.Fact], &views[b.Page].page.Facts[b.Fact]
					whole := fa.Value.Kind == BooleanValue
					m := mutual(e.about(views[a.Page], fa, st, whole), e.about(views[b.Page], fb, st, whole))
					println("  PAIR", fa.Value.Text, "|", fb.Value.Text, int(m.similarity*100), int(m.shared*10), int(m.extraA*10), int(m.extraB*10))
				}
				if c, ok := e.clash(views, a, b, st, true); ok {
					c.Need = i
					add(c)
				}
			}
		}
	}
	for _, pair := range e.neighbours(views, st) {
		if c, ok := e.clash(views, pair[0], pair[1], st, false); ok {
			c.Need = -1
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

// neighbours pairs facts of different pages that share telling words and have
// comparable values.
func (e *Engine) neighbours(views []*view, st *rarity) [][2]Ref {
	type key struct {
		kind ValueKind
		dim  quantity.Dimension
		term string
	}
	index := map[key][]Ref{}
	var out [][2]Ref
	done := map[[4]int]int{}
	for p, v := range views {
		for i := range v.page.Facts {
			f := &v.page.Facts[i]
			if f.Value.Kind == TextValue || f.Threshold || v.scopeOnly(f) {
				continue
			}
			var dim quantity.Dimension
			if f.Value.Quantity != nil {
				dim = f.Value.Quantity.Unit.Dim
			}
			ref := Ref{Page: p, Fact: i, Span: f.Span, Value: f.Value.Span}
			for _, t := range f.Anchors {
				if t.Origin > Topic || light[t.Text] || st.words[t.Text] > 12 {
					continue
				}
				k := key{f.Value.Kind, loose(dim), t.Text}
				if t.Synset != 0 {
					k.term = "§" + string(rune(t.Synset))
				}
				for _, other := range index[k] {
					if other.Page == p {
						continue
					}
					id := [4]int{other.Page, other.Fact, p, i}
					done[id]++
					if done[id] == 2 {
						out = append(out, [2]Ref{other, ref})
					}
				}
				if len(index[k]) < maxCandidates {
					index[k] = append(index[k], ref)
				}
			}
		}
	}
	return out
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

// clash decides whether two facts conflict and how. asked: both fill one need, so
// what they are about has been compared with the question already.
func (e *Engine) clash(views []*view, ra, rb Ref, st *rarity, asked bool) (Clash, bool) {
	va, vb := views[ra.Page], views[rb.Page]
	fa, fb := &va.page.Facts[ra.Fact], &vb.page.Facts[rb.Fact]
	none := Clash{}
	if fa.Value.Kind != fb.Value.Kind {
		return none, false
	}
	if fa.Hedged != fb.Hedged && (fa.Modality == Reported || fb.Modality == Reported) {
		return none, false
	}
	whole := fa.Value.Kind == BooleanValue
	a := e.about(va, fa, st, whole)
	b := e.about(vb, fb, st, whole)
	m := mutual(a, b)
	m.factA, m.factB = ra.Fact, rb.Fact
	limit := oneThing
	if whole {
		limit = oneStatement
	}
	if asked {
		limit -= 0.22
	}
	if m.similarity < limit || !asked && (m.shared < leastShared || m.extraA+m.extraB > 0.25*m.shared) {
		return none, false
	}
	versions := e.versions(va, vb, fa, fb)
	ta, tb := va.ownTimes(fa), vb.ownTimes(fb)
	if versions { // the years of two versions of one rule do not set them apart
		ta, tb = va.statedTimes(fa), vb.statedTimes(fb)
	}
	if fa.Value.Kind != TimeValue && when.Scope(ta, tb) == relation.Differs {
		return none, false
	}
	if (fa.Modality == Planned) != (fb.Modality == Planned) {
		return none, false
	}
	c := Clash{A: ra, B: rb, Subject: firstText(fa.Subject.Text, fb.Subject.Text), Attribute: firstText(fa.Attribute.Text, fb.Attribute.Text)}
	c.A.Score, c.B.Score = m.similarity, m.similarity
	kind, hard, why := e.kind(va, vb, fa, fb, m)
	if kind == "" {
		return none, false
	}
	if contrast(m) && kind != "ORDER" && kind != "SCOPE" && kind != "QUANTIFIER" {
		return none, false
	}
	if apart(va.factSides(ra.Fact), vb.factSides(rb.Fact), false) {
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

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// aboutKey names what about has read once.
type aboutKey struct {
	fact  *Fact
	st    *rarity
	whole bool
}

// about is what a value is about: the words of its clause and what it inherits,
// without the values themselves. A fact is compared with many others, and read once.
func (e *Engine) about(v *view, f *Fact, st *rarity, whole bool) *aboutness {
	key := aboutKey{f, st, whole}
	a, ok := v.abouts[key]
	if !ok {
		if v.abouts == nil {
			v.abouts = map[aboutKey]*aboutness{}
		}
		a = e.readAbout(v, f, st, whole)
		v.abouts[key] = a
	}
	return a
}

func (e *Engine) readAbout(v *view, f *Fact, st *rarity, whole bool) *aboutness {
	out := &aboutness{bag: v.factBagOwn(f, whole)}
	c := v.clauseOf(f)
	if c == nil {
		out.own = e.wording("", st)
		return out
	}
	skip := values(v.page, c)
	if whole {
		skip = append(skip, stanceWords(v.page.Runes, c.Span)...)
	}
	span := c.Span
	if !whole && f.Span.Len() > 0 && c.Span.Contains(f.Span) {
		span = f.Span
	}
	out.own = e.wordingOf(v.page.Runes, span, st, skip)
	out.all = v.clauseBagFor(f)
	return out
}

// stanceList are content words that say how a statement stands, not what it is about.
var stanceList = text.NewTrie(map[int16]string{1: "适用|禁用|慎用|忌用|禁止|严禁|允许|准许|许可|不宜|避免|有效|生效|施行|废止|失效|停止|暂停|关闭|开放|营业|停业|在售|停售|取消|终止|可以|应当|必须|不得|全体|所有|全部|仅限|部分|" +
	"open|closed|close|valid|expired|repealed|discontinued|available|unavailable|active|inactive|suspended|cancelled|canceled|withdrawn|in force|for good|as usual|permanently|temporarily|allowed|forbidden|prohibited|permitted|banned|required|optional|recommended|choose|free to|no longer|still|currently"})

func stanceWords(runes []rune, span text.Span) []text.Span {
	folded := text.Fold(runes[span.Start:span.End])
	var out []text.Span
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i-1]) && text.IsWord(folded[i]) {
			continue
		}
		if end, _, ok := stanceList.Longest(folded, i); ok {
			out = append(out, text.Span{Start: span.Start + i, End: span.Start + end})
			i = end - 1
		}
	}
	return out
}

type aboutness struct {
	own *wording // words of the clause that states the value
	bag *bag     // the same with what it inherits
	all *bag
}

// values are the spans of the values of a clause.
func values(p *Page, c *Clause) []text.Span {
	var out []text.Span
	for _, q := range c.Quantities {
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

// factBagOwn is the bag of a fact for comparison with another fact.
func (v *view) factBagOwn(f *Fact, whole bool) *bag {
	b := newBag(len(f.Anchors))
	for _, t := range f.Anchors {
		w := originWeight(t.Origin)
		if t.Origin == Sentence && !whole {
			w = 0.6
		}
		b.add(t.Text, t.Synset, w)
	}
	if q := f.Value.Quantity; q != nil && q.Noun != "" {
		v.addText(b, q.Noun, 1)
	}
	v.addFrame(b)
	return b
}

func (v *view) clauseBagFor(f *Fact) *bag {
	if f.Clause >= 0 && f.Clause < len(v.page.Clauses) {
		return v.clauseBag(f.Clause)
	}
	return newBag(0)
}

// overlap is how two facts share what they are about.
type overlap struct {
	similarity     float64
	shared         float64
	extraA, extraB float64 // weight of words that only one side has
	gapsA, gapsB   []string
	factA, factB   int // indexes of the facts
}

// mutual compares what two values are about. One-sided extra words (paraphrase,
// detail) weigh little; extra words on both sides set two cases apart.
func mutual(a, b *aboutness) overlap {
	ca, cb := a.own.cover(b.bag), b.own.cover(a.bag)
	if b.all != nil {
		lift(a.own, ca.cells, b.all, 0.9)
		lift(b.own, cb.cells, a.all, 0.9)
	}
	var m overlap
	sa, xa, ga := split(a.own, ca.cells)
	sb, xb, gb := split(b.own, cb.cells)
	m.shared = math.Max(sa, sb)
	m.extraA, m.extraB, m.gapsA, m.gapsB = xa, xb, ga, gb
	low, high := math.Min(xa, xb), math.Max(xa, xb)
	if m.shared > 0 {
		m.similarity = m.shared / (m.shared + low + 0.25*high)
	}
	return m
}

func split(w *wording, cells []float64) (shared, extra float64, gaps []string) {
	for k, c := range w.cells {
		shared += c.weight * cells[k]
	}
	for _, g := range w.gaps(cells, cellCovered) {
		extra += g.weight
		gaps = append(gaps, w.text(g.Span))
	}
	return shared, extra, gaps
}

// contrast reports whether each side has words of weight that the other lacks:
// adults and children, budget and cost, group and shipyard.
func contrast(m overlap) bool {
	return math.Min(m.extraA, m.extraB) >= 1.6 && math.Min(m.extraA, m.extraB) > 0.22*m.shared
}

// kind names the conflict of two facts about one thing; "" for none.
func (e *Engine) kind(va, vb *view, fa, fb *Fact, m overlap) (kind string, hard bool, why string) {
	cond := e.conditions(fa, fb)
	special := cond == relation.Unknown && (e.special(va, vb, fa, fb) || e.special(vb, va, fb, fa))
	if fa.Value.Kind != BooleanValue {
		r, reason := compareValues(fa.Value, fb.Value)
		switch r {
		case relation.Same:
			if fa.Negative() != fb.Negative() && fa.Value.Kind != TimeValue {
				return "POLARITY", true, "stated and denied"
			}
			if cond == relation.Differs && thresholdsExclude(fa, fb) {
				return "CONDITION", true, "two thresholds for one value"
			}
			return "", false, ""
		case relation.Excludes:
			if cond == relation.Differs || special || fa.Negative() || fb.Negative() {
				return "", false, ""
			}
			return valueKind(va, vb, fa, fb, reason)
		}
		return "", false, ""
	}
	if fa.Relation != nil && fb.Relation != nil {
		if turned(e, fa, fb) {
			return "ORDER", true, "turned round"
		}
	}
	if apart(va.factSides(m.factA), vb.factSides(m.factB), true) && fa.Negative() == fb.Negative() || statusClash(va, vb, fa, fb) {
		return "STATUS", true, "in force and not in force"
	}
	if cond == relation.Differs {
		return "", false, ""
	}
	if special && !onlyAgainstAll(fa, fb) {
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

// special reports whether a's condition makes it a special case beside b: a case of
// which b says nothing. A rule and its exception do not conflict.
func (e *Engine) special(va, vb *view, a, b *Fact) bool {
	for _, c := range limits(a) {
		if len(c.Terms) == 0 && len(c.Quantities) == 0 {
			continue
		}
		bag := vb.clauseBagFor(b)
		sum, total := 0.0, 0.0
		for _, t := range c.Terms {
			total += t.Weight
			if bag.words[t.Text] > 0 || t.Synset != 0 && bag.syns[t.Synset] > 0 {
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
					if r, _ := quantity.Compare(p, q); r == relation.Excludes {
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
		if !singleHolder(fa) || !singleHolder(fb) {
			return "", false, ""
		}
		return "ENTITY", true, reason
	case QuantityValue:
		qa, qb := fa.Value.Quantity, fb.Value.Quantity
		if strings.Contains(reason, "unit") {
			return "UNIT", true, reason
		}
		if fa.Threshold || fb.Threshold {
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
var ruleWords = []string{"不得", "不超过", "上限", "限额", "最高", "最低", "至少", "收费", "费用", "收取", "手续费", "罚", "期限", "截止", "起存", "应当", "必须", "须", "可休", "享有", "享受", "补贴", "津贴", "押金", "标准", "额度", "限",
	"must", "shall", "at most", "at least", "limit", "maximum", "minimum", "fee", "charge", "cost", "price", "fine", "penalty", "deadline", "no later", "up to", "entitled", "allowance", "within", "per diem", "deposit", "cap ", "quota"}

func ruleValue(v *view, f *Fact) bool {
	if f.Modality == Must || f.Modality == MustNot || f.Modality == May {
		return true
	}
	span := f.Span
	if c := v.clauseOf(f); c != nil {
		span = c.Span
	}
	return hasAny(string(text.Fold(v.page.Runes[span.Start:span.End])), ruleWords)
}

// singleHolder reports whether the attribute of the fact can have one holder only:
// its form gives it to one (X is Y, built by Y, lies in Y), and nothing in it says
// that there are several.
func singleHolder(f *Fact) bool {
	switch f.Role {
	case IsA, Agent, Location:
		return !plural(f)
	}
	return false
}

func plural(f *Fact) bool {
	s := fold(f.Value.Text + " " + f.Attribute.Text + " " + f.Subject.Text)
	return hasAny(s, []string{"、", "和", "等", "之一", "还有", "包括", "其中", " and ", "one of", "among", "such as", "include", "also"})
}

// turned reports whether two comparisons say the opposite of one pair.
func turned(e *Engine, a, b *Fact) bool {
	if a.Relation.Op == "" || b.Relation.Op == "" {
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
	return wx.cover(bagOf(wy)).score >= 0.85
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
	c := v.clauseOf(f)
	if c == nil {
		return 0
	}
	s := string(text.Fold(v.page.Runes[c.Start:c.End]))
	r := 0
	switch {
	case hasAny(s, statusOff):
		r = -1
	case hasAny(s, statusOn):
		r = 1
	}
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

var versionMark = regexp.MustCompile(`(?i)(?:\bv(?:er(?:sion)?)?\.?\s*\d+(?:\.\d+)*|第[一二三四五六七八九十\d]+版|[（(]?\d{4}年?(?:版|修订|修正)?[）)]?|修订版|试行|revision\s*\d+|rev\.?\s*\d+|edition|\d{4} edition)`)

var article = regexp.MustCompile(`^\s*(?:第[〇零一二三四五六七八九十百千\d]+条(?:之[一二三四五六七八九十])?|§\s*\d+(?:\.\d+)*|(?i:section|article|clause)\s+\d+(?:\.\d+)*|\d+(?:\.\d+)+)`)

// versions reports whether two facts are the same numbered or titled rule of two
// versions of one document.
func (e *Engine) versions(va, vb *view, fa, fb *Fact) bool {
	if va.meta.Document != "" && va.meta.Document == vb.meta.Document && va.meta.Version != vb.meta.Version {
		return true
	}
	ta, tb := va.meta.Title, vb.meta.Title
	if ta == "" || tb == "" {
		return false
	}
	va.readTitle()
	vb.readTitle()
	if va.bareTitle != vb.bareTitle || va.bareTitle == "" || va.title == vb.title {
		return false
	}
	na, nb := articleOf(va, fa), articleOf(vb, fb)
	return na == nb && (na != "" || ruleValue(va, fa) && ruleValue(vb, fb))
}

func articleOf(v *view, f *Fact) string {
	span := v.sentenceSpan(f)
	return strings.TrimSpace(article.FindString(string(v.page.Runes[span.Start:span.End])))
}
