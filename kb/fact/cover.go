package fact

import (
	"cmp"
	"context"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/text/lexicon"
)

// Limits of coverage; docs/measurements.md shows what they were chosen on.
const (
	fillFit     = 0.60 // least share of a need's words that a filler carries
	cellCovered = 0.5  // a cell below it counts as not covered
	gapShare    = 0.30 // greatest share of a need's weight in one uncovered stretch
	nearBest    = 0.10 // fillers this close to the best are fillers too
	nearItems   = 0.30 // the same where several items are asked
	maxFillers  = 8
	maxItems    = 24 // items of one list
)

// Cover says for each need which facts of the pages fill it. Pages that are not
// valid in the asked period must be left out by the caller. A value counts only
// when its own context carries what is asked: subject, attribute, and the time,
// place and conditions that the question fixes.
func (e *Engine) Cover(needs []Need, pages []*Page, metas []Meta) []Coverage {
	return e.Round(pages, metas).Cover(context.Background(), needs)
}

// prepared is a need with its wordings.
type prepared struct {
	*Need
	subject   *wording
	attribute *wording
	given     []*wording
	others    []*wording
	all       *wording    // the whole question without its time
	allTimes  []when.Expr // the other times in it (每年3月至5月), in all's code points
	times     []when.Expr
	kinds     kindSet
	language  string
	words     *bag   // of the whole question
	often     bool   // the question asks how often
	granted   *links // names of other pages are taken for granted, see Round.second; nil = not
	rule      bool   // the question asks what must, may or shall be
	asked     *bag   // the words of subject, attribute and what else is given
	sides     []sideSet
	limits    []quantity.Quantity // values that the question fixes: three days before departure
	pieces    []*wording          // subject and givens, piece by piece: each must be carried
	money     bool                // a sum of money is asked
	actual    bool                // what was is asked, not what was planned
	token     *regexp.Regexp      // form of what is asked, see signForms; nil = none
	quarter   string              // of the asked time, see quarterOf
	past      bool                // the year or the period before is asked
	identity  bool                // who somebody is, what something is called
	noBound   bool                // see asksNoBound
	known     []sibling           // names that a page has
	counted   bool                // the question's unit is a counted thing or none that is known
	counting  bool                // see countWords
	howMany   bool                // 多少 is asked
	axes      []int               // see axesIn; of a comparison alone
	tell      [][]bool            // by other: cells of the subject that this other has not
}

func (e *Engine) prepare(n *Need, st *rarity) *prepared {
	n = ofTerm(n)
	p := &prepared{Need: n}
	p.subject = e.needWording(n.Subject, st)
	p.attribute = e.needWording(perPeriod(n.Attribute, n.Question), st)
	for _, g := range n.Given {
		p.given = append(p.given, e.needWording(g, st))
	}
	for _, o := range n.Others {
		p.others = append(p.others, e.wording(o, st))
	}
	for _, o := range p.others {
		shared := p.subject.cover(bagOf(o)).cells
		tell := make([]bool, len(shared))
		for k := range shared {
			tell[k] = shared[k] < cellCovered
		}
		p.tell = append(p.tell, tell)
	}
	p.all = e.wording(strings.Replace(n.Question, n.TimeText, " ", 1), st)
	p.allTimes = when.Find(p.all.folded, when.Options{})
	if n.HasTime {
		p.times = []when.Expr{days(n.From, n.To)}
		if found := when.Find(text.Fold([]rune(n.TimeText)), when.Options{}); len(found) == 1 && found[0].Calendar != "" {
			p.times[0].Calendar = found[0].Calendar
			p.times[0].Kind = found[0].Kind
		}
	}
	p.kinds = kindsOf(n)
	p.language = text.Language(n.Question)
	p.words = bagOf(p.all)
	p.rule = hasAny(" "+fold(n.Question)+" ", []string{" must ", " may ", " can ", " shall ", " should ", " need ", " have to ", "可以", "必须", "应当", "需要", "须", "能"})
	p.often = asksOften(fold(n.Question))
	if n.Class == "COMPARISON" {
		p.axes = axesIn(text.Fold([]rune(n.Question)))
	}
	p.sides = e.sidesIn(n.Question)
	p.limits = limitsIn(n.Question)
	for _, g := range append([]string{n.Subject}, n.Given...) {
		for _, piece := range strings.Fields(g) {
			if text.IsHan(firstRune(piece)) && len([]rune(piece)) > 1 {
				p.pieces = append(p.pieces, e.needWording(piece, st))
			}
		}
	}
	p.asked = bagOf(append([]*wording{p.subject, p.attribute}, p.given...)...)
	p.money = p.kinds.dims != nil && p.kinds.dims[quantity.Money] || n.Unit == "" && asksMoney(n.Attribute)
	p.actual = asksActual(n)
	p.noBound = asksNoBound(p)
	p.counting, p.howMany = countWords.has(n.Question), strings.Contains(n.Question, "多少")
	p.token = tokenOf(fold(n.Question))
	p.quarter = quarterOf(n.TimeText)
	p.past = periodBefore.MatchString(fold(n.TimeText))
	p.identity = asksIdentity.MatchString(fold(n.Question))
	if u, ok := quantity.Words("2" + spaced(n.Unit)); ok && n.Unit != "" {
		p.counted = u.Unit.Dim == quantity.None || u.Unit.Dim == quantity.Count
	}
	return p
}

// A question what a word means in the terms of somebody names a text, which does not repeat in
// every sentence whose text it is.
var (
	asksMeaning = guarded(`\bwhat (?:do|does|did)\b.*\bmean\b|\bwhat (?:is|are|was|were) meant by\b|\bhow (?:is|are|was|were)\b.*\bdefined\b|\bthe (?:meaning|definition) of\b`)
	paperNamed  = guarded(`^(?:the |these |those |your |our |its |their )?(?:[a-z-]+ )?(?:terms?|rules?|contracts?|agreements?|regulations?|law|act|handbook|policy|statutes?|by-?laws?|guidelines?|conditions|document|leaflet|notice|brochure|text|lease|licen[cs]e|manual|tariff|charter|code)\b`)
)

// ofTerm is a need without the text that the meaning of a word is asked of.
func ofTerm(n *Need) *Need {
	if n.Class != "DEFINITION" || n.Subject == "" || !asksMeaning.MatchString(fold(n.Question)) {
		return n
	}
	own := *n
	if paperNamed.MatchString(fold(own.Attribute)) {
		own.Attribute = ""
	}
	own.Given = slices.DeleteFunc(slices.Clone(own.Given), func(g string) bool { return paperNamed.MatchString(fold(g)) })
	return &own
}

// perPeriod puts back the per before a period that an attribute ends with: a fee per month is
// a monthly one.
func perPeriod(attribute, question string) string {
	words := strings.Fields(attribute)
	if n := len(words); n > 0 && periods[fold(words[n-1])] && strings.Contains(fold(question), "per "+fold(words[n-1])) {
		words[n-1] = "per " + words[n-1]
		return strings.Join(words, " ")
	}
	return attribute
}

// needWording prepares a part of a question without the values in it, which are
// compared as values. Ordinals (第九条) stay words.
func (e *Engine) needWording(s string, st *rarity) *wording {
	runes := []rune(s)
	folded := text.Fold(runes)
	var skip []text.Span
	for _, q := range quantity.Find(folded) {
		switch {
		case q.Unit.Dim == quantity.Ordinal, q.Unit.Dim == quantity.None: // 第九条, hall 7: names
		case q.NounSpan.Empty():
			skip = append(skip, q.Span)
		default:
			skip = append(skip, text.Span{Start: q.Start, End: q.NounSpan.Start})
		}
	}
	for _, t := range when.Find(folded, when.Options{}) {
		if t.Kind != when.Recurring {
			skip = append(skip, t.Span)
		}
	}
	w := e.wordingOf(runes, text.Span{Start: 0, End: len(runes)}, st, skip)
	// A slot is cut out of its question, so a capital says that a word is a name.
	for k := range w.cells {
		if c := &w.cells[k]; !c.han && !c.name && c.Len() > 1 && unicode.IsUpper(runes[c.Start]) {
			c.name = true
			w.total += c.weight * (nameFactor - 1)
			c.weight *= nameFactor
		}
	}
	return w
}

// candidate is a fact or clause with how it fits a need.
type candidate struct {
	ref   Ref
	fit   float64
	own   float64 // fit by the fact's own words alone: decides between neighbours
	gaps  int     // uncovered stretches of the need
	cell  bool    // measured as a cell of a table
	worst float64 // greatest share of weight in one gap
	late  bool    // its time lies elsewhere
	other bool    // it speaks of another thing or case than the asked one
}

func (r *Round) coverOne(n *prepared, cands []candidate) Coverage {
	e, views := r.engine, r.views
	cands = slices.Clone(cands)
	slices.SortStableFunc(cands, func(a, b candidate) int { return cmp.Compare(b.fit+0.2*b.own, a.fit+0.2*a.own) })
	var cov Coverage
	cov.State = StateEmpty
	var filling []candidate
	for i := range cands {
		c := &cands[i]
		if c.fit > cov.Fit {
			cov.Fit = c.fit
		}
		if (c.late || c.other) && c.fit >= fillFit {
			cov.Excluded = true
		}
		if c.late || c.fit < fillFit || c.worst > gapShare {
			if len(cov.Near) < maxFillers {
				cov.Near = append(cov.Near, c.ref)
			}
			if cov.Uncovered == nil && !c.late {
				cov.Uncovered = r.uncovered(n, c)
			}
			continue
		}
		filling = append(filling, *c)
	}
	if len(filling) == 0 {
		return cov
	}
	best := filling[0].fit + 0.2*filling[0].own
	near := nearBest
	if n.Expect == "LIST" || n.Class == "EXCEPTION" { // the items of a list need not be alike
		near = nearItems
	}
	for _, c := range filling {
		if c.fit+0.2*c.own >= best-near && len(cov.Fillers) < maxFillers {
			cov.Fillers = append(cov.Fillers, c.ref)
		}
	}
	cov.Fillers = withItems(cov.Fillers, views)
	if n.kinds.extreme != 0 && inOneTable(cov.Fillers, views) {
		cov.Fillers = extremeFirst(cov.Fillers, views, n.kinds.extreme)
	}
	cov.Uncovered = r.uncovered(n, &filling[0])
	cov.State = StateFilled
	cov.Confidence = math.Min(1, 0.75+0.25*(filling[0].fit-fillFit)/(1-fillFit)+0.05)
	if n.Expect == "LIST" {
		// A list goes on over sentences and pages: its later items name the subject less.
		cov.Fillers = e.wholeList(n, cands, cov.Fillers, views)
	}
	if n.Count > 1 && (n.Expect == "LIST" || n.Expect == "TEXT" || n.Expect == "") {
		cov.Fillers = r.goesOn(n, cov.Fillers)
		if got := e.items(cov.Fillers, views); got < n.Count {
			cov.State = StateEmpty
			cov.Near, cov.Fillers = append(cov.Fillers, cov.Near...), nil
		}
	}
	if cov.State == StateFilled && e.ambiguous(cov.Fillers, views) {
		cov.State = StateAmbiguous
	}
	return cov
}

// leadIn matches a sentence that announces the list behind it.
var leadIn = regexp.MustCompile(`[:：]\s*$|下列|以下|如下|following|as follows`)

// withItems adds to a filler that announces a list the items of that list.
func withItems(fillers []Ref, views []*view) []Ref {
	have := map[[2]int]bool{}
	for _, r := range fillers {
		have[[2]int{r.Page, views[r.Page].page.Facts[r.Fact].Sentence}] = true
	}
	out := fillers
	for _, r := range fillers {
		p := views[r.Page].page
		s := p.Facts[r.Fact].Sentence
		if s >= len(p.Sentences) || !leadIn.MatchString(p.Quote(p.Sentences[s].Span)) {
			continue
		}
		for k := s + 1; k < len(p.Sentences) && p.Sentences[k].Kind == Item && len(out) < maxItems; k++ {
			c := p.Sentences[k].Clauses[0]
			if have[[2]int{r.Page, k}] || c >= p.Sentences[k].Clauses[1] || p.Clauses[c].Facts[0] >= p.Clauses[c].Facts[1] {
				continue
			}
			have[[2]int{r.Page, k}] = true
			out = append(out, Ref{Page: r.Page, Fact: p.Clauses[c].Facts[0], Span: p.Sentences[k].Span, Score: r.Score})
		}
	}
	return out
}

// wholeList adds to the fillers of a list the other items and steps that carry part
// of the need's words: those on the pages of the fillers, and numbered ones on other
// pages.
func (e *Engine) wholeList(n *prepared, cands []candidate, fillers []Ref, views []*view) []Ref {
	have := map[[2]int]bool{}
	pages := map[int]bool{}
	for _, r := range fillers {
		have[[2]int{r.Page, views[r.Page].page.Facts[r.Fact].Sentence}] = true
		pages[r.Page] = true
	}
	for _, c := range cands {
		if len(fillers) >= maxItems || c.late || c.fit < 0.35 {
			continue
		}
		f := &views[c.ref.Page].page.Facts[c.ref.Fact]
		key := [2]int{c.ref.Page, f.Sentence}
		item := f.Role == Step || f.Role == Member || views[c.ref.Page].page.Sentences[f.Sentence].Item > 0
		if have[key] || !item || !pages[c.ref.Page] && c.fit < 0.45 {
			continue
		}
		have[key] = true
		fillers = append(fillers, c.ref)
	}
	sort.SliceStable(fillers, func(a, b int) bool {
		if fillers[a].Page != fillers[b].Page {
			return fillers[a].Page < fillers[b].Page
		}
		return fillers[a].Span.Start < fillers[b].Span.Start
	})
	return fillers
}

// ambiguous reports whether two fillers give values that cannot both be meant.
func (e *Engine) ambiguous(refs []Ref, views []*view) bool {
	for i, a := range refs {
		for _, b := range refs[i+1:] {
			if a.Fact < 0 || b.Fact < 0 {
				continue
			}
			fa, fb := &views[a.Page].page.Facts[a.Fact], &views[b.Page].page.Facts[b.Fact]
			if r, _ := compareValues(&fa.Value, &fb.Value); r == relation.Excludes {
				return true
			}
		}
	}
	return false
}

// items counts the distinct list items or steps among the fillers: numbered ones by
// their numbers, others by their clauses, or the parts of one enumeration.
func (e *Engine) items(refs []Ref, views []*view) int {
	numbers, clauses := map[int]bool{}, map[[2]int]bool{}
	listed := 0
	pages := map[int]bool{}
	for _, r := range refs {
		p := views[r.Page].page
		if f := &p.Facts[r.Fact]; f.Role == Step || f.Role == Member || p.Sentences[f.Sentence].Item > 0 {
			clauses[[2]int{r.Page, f.Clause}] = true
		}
		listed = max(listed, enumerated(p, r.Span))
		if pages[r.Page] {
			continue
		}
		pages[r.Page] = true
		for _, s := range views[r.Page].stepsOn() {
			if s.last {
				s.number = lastStep
			}
			numbers[s.number] = true
		}
	}
	if len(numbers) > 1 { // numbered items are counted by their numbers alone
		return len(numbers)
	}
	return max(len(clauses), listed)
}

// uncovered lists the words of the need that a candidate does not carry.
func (r *Round) uncovered(n *prepared, c *candidate) []string {
	if c.gaps == 0 {
		return nil
	}
	var out []string
	if v := r.views[c.ref.Page]; c.cell {
		r.engine.fitCell(n, v, c.ref.Page, c.ref.Fact, &out)
	} else {
		r.fitting.fit(n, v, c.ref.Page, c.ref.Fact, &out)
	}
	return out
}

// onPage lists the facts and clauses of one page that could fill the need.
func (r *Round) onPage(n *prepared, page int) []candidate {
	var out []candidate
	v := r.views[page]
	keys := v.anchorKeys()
	for i := range v.page.Facts {
		f := &v.page.Facts[i]
		if !n.touches(keys.of(i)) && !v.foreign(n) || !n.kinds.admits(n, v, f) {
			continue
		}
		c := r.fitting.fit(n, v, page, i, nil)
		if v.tableCell(f) {
			if d := r.engine.fitCell(n, v, page, i, nil); d.better(c) {
				c = d
			}
		}
		if c.fit > leastFit {
			out = append(out, c)
		}
	}
	if n.money {
		out = moneyFirst(out, v)
	}
	return out
}

// touches reports whether a fact has a word of the question at all, in its own words,
// what it inherits, or its conditions. Most facts of a knowledge base do not.
func (n *prepared) touches(keys []key) bool {
	if n.words == nil || n.words.n == 0 {
		return true
	}
	for _, k := range keys {
		if n.words.weight(k) > 0 {
			return true
		}
	}
	return false
}

// anchorKeys are the words and concepts of the anchors and conditions of each fact of a
// page.
type anchorKeys struct {
	from []int32 // by fact and one beyond: where its keys begin
	keys []key
}

// of is the keys of one fact.
func (a *anchorKeys) of(fact int) []key { return a.keys[a.from[fact]:a.from[fact+1]] }

func (s *sheet) anchorKeys() *anchorKeys {
	return s.anchored.get(0, func() *anchorKeys {
		terms := 0
		for i := range s.page.Facts {
			terms += len(s.page.Facts[i].Anchors)
		}
		out := &anchorKeys{from: make([]int32, len(s.page.Facts)+1), keys: make([]key, 0, terms+terms/4)}
		add := func(terms []Term) {
			for i := range terms {
				out.keys = append(out.keys, wordKey(terms[i].Text))
				if terms[i].Synset != 0 {
					out.keys = append(out.keys, conceptKey(terms[i].Synset))
				}
			}
		}
		for i := range s.page.Facts {
			f := &s.page.Facts[i]
			out.from[i] = int32(len(out.keys))
			add(f.Anchors)
			for c := range f.Conditions {
				add(f.Conditions[c].Terms)
			}
		}
		out.from[len(s.page.Facts)] = int32(len(out.keys))
		return out
	})
}

// moneyFirst leaves out the other values of a page that states a sum of money, where
// a price is asked: the events that a plan includes are no price.
func moneyFirst(cands []candidate, v *view) []candidate {
	isMoney := func(c candidate) bool {
		q := v.page.Facts[c.ref.Fact].Value.Quantity
		return q != nil && q.Unit.Dim == quantity.Money
	}
	found := false
	for _, c := range cands {
		found = found || isMoney(c) && !c.late && c.fit >= fillFit && c.worst <= gapShare
	}
	if !found {
		return cands
	}
	return slices.DeleteFunc(cands, func(c candidate) bool { return !isMoney(c) })
}

// serial are characters that number or place the members of a series: 北院区 is not
// 南院区, 乙线路 is not 甲线路.
const serial = "东西南北上下左右前后内外大小新旧老男女甲乙丙丁戊己庚辛一二三四五六七八九十首次初高低中正副总分"

// substituted reports whether a subject is carried but for one serial character.
func (n *prepared) substituted(w *wording, cells []float64, said string) bool {
	for k, c := range w.cells {
		if !c.han || cells[k] >= cellCovered || !strings.ContainsRune(serial, w.folded[c.Start]) && !oneOther(w.folded, c.Start, said) {
			continue
		}
		before := k > 0 && w.cells[k-1].End == c.Start && cells[k-1] >= cellCovered
		after := k+1 < len(w.cells) && w.cells[k+1].Start == c.End && cells[k+1] >= cellCovered
		if before || after {
			return true
		}
	}
	return false
}

// oneOther reports whether a text has a phrase with another character at one place within
// it: 茶馆兰间包 where 茶馆竹间包 is asked.
func oneOther(phrase []rune, at int, said string) bool {
	const sides = 2
	if at < sides || at+sides >= len(phrase) {
		return false
	}
	before, after := string(phrase[at-sides:at]), string(phrase[at+1:at+1+sides])
	for from := 0; ; {
		i := strings.Index(said[from:], before)
		if i < 0 {
			return false
		}
		from += i + len(before)
		r, n := utf8.DecodeRuneInString(said[from:])
		if text.IsHan(r) && r != phrase[at] && strings.HasPrefix(said[from+n:], after) {
			return true
		}
	}
}

// namesAnother reports whether the fact has a named subject that the question does
// not name, while the question's own name stands elsewhere in the clause: of
// "Culverton, 12 km from Mossgate, has 31,000 inhabitants" nothing is said of
// Mossgate.
func (n *prepared) namesAnother(v *view, f *Fact) bool {
	if f.Subject.Span.Empty() || f.Value.Kind == BooleanValue {
		return false
	}
	head, _, _ := strings.Cut(f.Subject.Text, ",") // what follows a comma describes it
	span := text.Span{Start: f.Subject.Span.Start, End: f.Subject.Span.Start + len([]rune(head))}
	named := false
	for _, t := range f.Anchors {
		if t.Name && !t.Span.Empty() && span.Contains(t.Span) {
			if n.asked.word(t.Text) > 0 {
				return false
			}
			named = true
		}
	}
	named = named || bareName(head)
	if !named || n.saidBehind(v, f) {
		return false
	}
	subject := newBag(4)
	v.addText(subject, head, 1)
	v.addText(subject, f.Attribute.Text, 1) // the depot of the firm: both are what it is about
	if own := v.engine.wording(head, nil); own.total > 0 && own.scoreOn(n.asked) >= 0.5 {
		return false // the question speaks of it too
	}
	for k, c := range n.subject.cells {
		if c.name && n.subject.cover(subject).cells[k] < cellCovered {
			return true
		}
	}
	return false
}

// behindWords is how many words may stand between a value and what it is said of.
const behindWords = 3

// saidBehind reports whether the name that a question asks about is tied to a value right
// behind it: 9 hectares of Dellow, 12 complaints about Harl Street.
func (n *prepared) saidBehind(v *view, f *Fact) bool {
	c := v.clauseOf(f)
	if c == nil || f.Value.Span.Empty() {
		return false
	}
	said := string(v.foldedText()[f.Value.Span.End:max(f.Value.Span.End, c.End)])
	if i := strings.IndexAny(said, ",;:("); i >= 0 {
		said = said[:i]
	}
	words := strings.Fields(said)
	for k, cell := range n.subject.cells {
		if !cell.name || cell.han {
			continue
		}
		name := fold(n.subject.text(cell.Span))
		at := slices.Index(words, name)
		if at < 1 || at > behindWords+k {
			return false
		}
		if k == 0 && !tied[words[0]] {
			return false
		}
	}
	return len(n.subject.cells) > 0 && n.subject.cells[0].name
}

// tied are words that tie a name to the value before it.
var tied = termSetOf("of about for in at on from to with by per against")

// bareName reports whether a subject is one capitalised Latin word without an
// article, as names are at the head of a sentence, where capitals say nothing.
func bareName(s string) bool {
	if s == "" || s[0] < 'A' || s[0] > 'Z' || strings.ContainsAny(s, " -") || strings.HasSuffix(s, "s") || strings.HasSuffix(s, "ing") {
		return false
	}
	return !text.StopWord(fold(s)) && !light[text.Stem(fold(s))]
}

// limitsIn are the values that a text fixes, without its times and ordinals.
func limitsIn(s string) []quantity.Quantity {
	folded := text.Fold([]rune(s))
	times := when.Find(folded, when.Options{})
	var out []quantity.Quantity
	for _, q := range quantity.Find(folded) {
		taken := q.Unit.Dim == quantity.Ordinal || q.Weak
		for _, t := range times {
			taken = taken || t.Overlaps(q.Span)
		}
		if !taken {
			out = append(out, q)
		}
	}
	return out
}

// thresholds are the values that limit a fact: those of its conditions, and those
// that its subject names (a row of ten to twenty years).
func (v *view) thresholds(i int) []quantity.Quantity {
	f := &v.page.Facts[i]
	var out []quantity.Quantity
	for _, c := range f.Conditions {
		out = append(out, c.Quantities...)
	}
	if f.Subject.Text != "" && (f.Subject.Span.Empty() || !f.Subject.Span.Overlaps(f.Value.Span)) {
		out = append(out, v.subjectLimits(i)...)
	}
	return out
}

// otherNumber reports whether a part of a question names a thing by a bare number
// (hall 7) that the fact does not carry: then it is about another one.
func otherNumber(w *wording, cells []float64) bool {
	for _, t := range w.terms {
		if t.Kind != text.Number {
			continue
		}
		if k := w.at[t.Span.Start]; k >= 0 && cells[k] < cellCovered {
			return true
		}
	}
	return false
}

// otherNamed reports whether the subject of the question is numbered (3号线) and the fact
// has that number only as a part of a value.
func (n *prepared) otherNamed(v *view, f *Fact) bool {
	for _, w := range append([]*wording{n.subject}, n.given...) {
		for _, t := range w.terms {
			if t.Kind != text.Number || t.Span.End >= len(w.folded) || !text.IsHan(w.folded[t.Span.End]) {
				continue
			}
			name := string(w.folded[t.Span.Start : t.Span.End+1])
			said := v.sentenceOf(f) + " " + fold(f.Subject.Text) + " " + v.title
			if c := v.clauseOf(f); c != nil {
				said += " " + fold(c.Topic.Text)
			}
			if !strings.Contains(fold(said), name) {
				return true
			}
		}
	}
	return false
}

// otherSerial reports whether the clause of a fact has the name that a question begins its
// subject with, but with another numeral before it: 二车间, where 一车间 is asked.
func (n *prepared) otherSerial(v *view, f *Fact) bool {
	subject := []rune(fold(n.Subject))
	if len(subject) < 3 || !strings.ContainsRune(ordinalSigns, subject[0]) || !text.IsHan(subject[1]) || !text.IsHan(subject[2]) || v.clauseOf(f) == nil {
		return false
	}
	said := v.marksAt(f.Clause).folded
	if strings.Contains(said, string(subject[:3])) {
		return false
	}
	before, _, found := strings.Cut(said, string(subject[1:3]))
	if !found {
		return false
	}
	sign, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(ordinalSigns, sign)
}

// whose are the words that say which column is asked: of one side where the question has
// several.
func (n *prepared) whose() *bag {
	if len(n.others) > 0 {
		return n.asked
	}
	return n.words
}

// inOneTable reports whether fillers are cells of one page's table.
func inOneTable(refs []Ref, views []*view) bool {
	for _, r := range refs {
		if r.Page != refs[0].Page || r.Fact < 0 || !views[r.Page].tableCell(&views[r.Page].page.Facts[r.Fact]) {
			return false
		}
	}
	return len(refs) > 1
}

// extremeFirst puts the cell with the greatest or the least value first and leaves out
// the others.
func extremeFirst(refs []Ref, views []*view, direction int) []Ref {
	best := 0
	value := func(i int) *Value { return &views[refs[i].Page].page.Facts[refs[i].Fact].Value }
	for i := 1; i < len(refs); i++ {
		if order, ok := orderOf(value(i), value(best)); ok && order*direction > 0 {
			best = i
		}
	}
	return []Ref{refs[best]}
}

// nameLabel reports whether the label of a row may be a name: in Chinese any, in English
// one whose words are all capitalised. A measure (Operating revenue) may be asked for in
// other words; a name may not.
func nameLabel(label string) bool {
	for _, word := range strings.Fields(label) {
		if r := firstRune(word); unicode.IsLower(r) && len(word) > 3 {
			return false
		}
	}
	return true
}

// undated is the wording of a label without the times in it, which are compared as
// times: nothing is left of "October 2018".
func (e *Engine) undated(label string, whole *wording) *wording {
	runes := []rune(label)
	var skip []text.Span
	for _, t := range when.Find(whole.folded, when.Options{}) {
		skip = append(skip, t.Span)
	}
	if len(skip) == 0 {
		return whole
	}
	return e.wordingOf(runes, text.Span{Start: 0, End: len(runes)}, nil, skip)
}

// leastNamed is the share of the label of a row that names it.
const leastNamed = 0.3

// anotherRow reports whether the fact is a cell of a row whose label the question
// does not name: of the row for Chengdu nothing is said of Beijing. A time in the label
// is for elsewhere to compare. Where the row says what is measured and its section of
// what, either names it.
func (n *prepared) anotherRow(v *view, i int) bool {
	f := &v.page.Facts[i]
	if n.kinds.extreme != 0 || !v.inTable(f) || f.Subject.Text == "" || len(v.subjectLimits(i)) > 0 || timeLabel(f.Subject.Text) {
		return false
	}
	w := v.subjectOf(i).undated
	if w.total == 0 || !nameLabel(f.Subject.Text) || w.scoreOn(n.words) >= leastNamed {
		return false
	}
	if v.measured(f) && v.engine.wording(f.Attribute.Text, nil).scoreOn(n.words) >= leastNamed {
		return false
	}
	return !n.shortFor(f.Subject.Text)
}

// shortFor reports whether the question names a label by its initials: AFA for
// Association of Flight Attendants.
func (n *prepared) shortFor(label string) bool {
	for _, c := range n.all.cells {
		if c.han {
			continue
		}
		if short := strings.TrimSuffix(n.all.text(c.Span), "s"); capitals(short) && hasInitials(label, short) {
			return true
		}
	}
	return false
}

// outside reports whether the question fixes a value that the fact's own thresholds
// exclude: three days before departure, and a rule for seven days and more.
func (n *prepared) outside(v *view, i int) bool {
	if len(n.limits) == 0 {
		return false
	}
	bounds := v.thresholds(i)
	for _, l := range n.limits {
		excluded, met := false, false
		for _, q := range bounds {
			switch r, _ := quantity.Compare(l, q); r {
			case relation.Excludes:
				excluded = true
			case relation.Same:
				met = true
			}
		}
		if excluded && !met {
			return true
		}
	}
	return false
}

// withinTier reports whether a value that the question fixes lies within the thresholds of
// a fact, and outside those of another fact of its sentence or table.
func (n *prepared) withinTier(v *view, i int) bool {
	if len(n.limits) == 0 {
		return false
	}
	f := &v.page.Facts[i]
	stands := func(fact int, l quantity.Quantity, to relation.Relation) bool {
		return slices.ContainsFunc(v.thresholds(fact), func(q quantity.Quantity) bool {
			r, _ := quantity.Compare(l, q)
			return !q.Point() && q.Unit.Dim == l.Unit.Dim && r == to
		})
	}
	for _, l := range n.limits {
		if !stands(i, l, relation.Same) {
			continue
		}
		for j := max(0, i-tierReach); j < min(len(v.page.Facts), i+tierReach+1); j++ {
			o := &v.page.Facts[j]
			if o.Clause == f.Clause || o.Sentence-f.Sentence > 1 || f.Sentence-o.Sentence > 1 {
				continue
			}
			if stands(j, l, relation.Excludes) {
				return true
			}
		}
	}
	return false
}

// tierReach is how many facts to either side are looked at for other tiers.
const tierReach = 12

// sibling is a name of the question that stands beside a word which the pages have with
// another name as well: the Red hall, where a page speaks of the Blue hall only; Camp
// Larkfield, and Camp Larkmere.
type sibling struct {
	name   string // folded
	rivals *regexp.Regexp
	alike  bool // only names that are alike are rivals
}

// kindBefore and kindBehind match a name with the word that says what it is.
var (
	kindBefore = regexp.MustCompile(`\b(\p{Lu}\p{Ll}+) (\p{Lu}\p{Ll}{4,})\b`)
	kindBehind = regexp.MustCompile(`\bthe (\p{Lu}\p{Ll}{2,}) (\p{Ll}{3,})\b`)
)

// siblingsIn are the names of a question by which one of a kind may be told from another.
func siblingsIn(question string) []sibling {
	var out []sibling
	for _, m := range kindBefore.FindAllStringSubmatch(question, -1) {
		if !text.StopWord(fold(m[1])) && !text.StopWord(fold(m[2])) {
			out = append(out, sibling{name: fold(m[2]), rivals: regexp.MustCompile(`\b` + m[1] + ` (\p{Lu}\p{Ll}{4,})\b`), alike: true})
		}
	}
	for _, m := range kindBehind.FindAllStringSubmatch(question, -1) {
		if !text.StopWord(fold(m[1])) && !text.StopWord(m[2]) {
			out = append(out, sibling{name: fold(m[1]), rivals: regexp.MustCompile(`\b[Tt]he (\p{Lu}\p{Ll}{2,}) ` + m[2] + `\b`)})
		}
	}
	return out
}

// on reports whether a page names another one of the kind, which the question does not, and
// not this one.
func (s *sibling) on(v *view, question string) bool {
	if writtenIn(v.foldedString(), s.name) || writtenIn(fold(v.title), s.name) {
		return false
	}
	for _, m := range s.rivals.FindAllStringSubmatch(string(v.page.Runes), -1) {
		if other := fold(m[1]); !writtenIn(question, other) && (!s.alike || alikeNames(s.name, other)) {
			return true
		}
	}
	return false
}

// alikeNames reports whether two different names begin or end alike.
func alikeNames(a, b string) bool {
	const same = 3
	return text.Stem(a) != text.Stem(b) && len(a) > same && len(b) > same && (a[:same] == b[:same] || a[len(a)-same:] == b[len(b)-same:])
}

// answersState covers the words of a yes-no question that name one side of a state
// where the fact names another: closed answers "is it open".
func (n *prepared) answersState(w *wording, cells []float64, sides []sideSet) {
	for _, x := range n.sides {
		other := slices.IndexFunc(sides, func(y sideSet) bool { return y.group == x.group && x.state && x.sides&y.sides == 0 })
		if other < 0 {
			continue
		}
		word := string([]rune(n.Question)[x.span.Start:x.span.End])
		for k, c := range w.cells {
			if strings.Contains(word, w.text(c.Span)) && cells[k] < 0.8 {
				cells[k] = 0.8
			}
		}
	}
}

// leastSpoken is the least share of the attribute's words beside those that the value
// implies.
const leastSpoken = 0.4

// spoken is the covered share of the attribute's telling words that the value's
// dimension does not imply; -1 when there are none.
func (n *prepared) spoken(f *Fact, cells []float64) float64 {
	if f.Value.Quantity == nil {
		return -1
	}
	words := implied[f.Value.Quantity.Unit.Dim]
	sum, total := 0.0, 0.0
	done := map[int]bool{}
	for _, t := range n.attribute.terms {
		if impliedWord(words, t.Text) || light[t.Text] {
			for i := t.Span.Start; i < t.Span.End; i++ {
				if k := n.attribute.at[i]; k >= 0 {
					done[k] = true
				}
			}
		}
	}
	for k, c := range n.attribute.cells {
		if !done[k] {
			total += c.weight
			sum += c.weight * cells[k]
		}
	}
	if total < 1 {
		return -1
	}
	return sum / total
}

// leastAttribute is the share of the attribute's words that a filler must carry: a
// value stands for its own attribute only, a sentence may word it otherwise.
func leastAttribute(loose bool) float64 {
	if loose {
		return 0.2
	}
	return 0.45
}

// lift raises cells that the bag carries, up to limit.
func lift(w *wording, cells []float64, b *bag, limit float64) {
	w.lay(b, cells, limit)
}

// elsewhere reports whether the fact holds for another time than the asked one.
func (e *Engine) elsewhere(n *prepared, v *view, i int) bool {
	f := &v.page.Facts[i]
	if len(n.times) == 0 || f.Value.Kind == TimeValue {
		return false
	}
	times := v.ownTimes(i)
	if n.quarter != "" && quarterOf(v.title) != "" && quarterOf(v.title) != n.quarter && quarterOf(v.sentenceOf(f)) == "" {
		return true // the page is one of another quarter
	}
	if len(times) == 0 {
		return n.past && f.Value.Kind == QuantityValue && !periodBefore.MatchString(v.sentenceOf(f))
	}
	switch when.Scope(n.times, times) {
	case relation.Differs:
		return !v.columnTime(n.times, f)
	case relation.Unknown:
		// A time that cannot be placed (2024/25) still differs by its numbers.
		for _, t := range times {
			if d := digits(t.Text); t.From.IsZero() && t.To.IsZero() && d != "" && digits(n.TimeText) != "" && d != digits(n.TimeText) {
				return true
			}
		}
	}
	return false
}

// periodBefore matches words for the year or the period before.
var periodBefore = regexp.MustCompile(`去年|上年|上一年|前年|同期|上季度|上个?月|\b(?:last|previous|prior|preceding) (?:year|quarter|month|season)\b|\b(?:year|month|quarter) (?:before|earlier)\b`)

// quarter matches a quarter or half of a year.
var quarter = regexp.MustCompile(`第?([一二三四1-4])季度?|(上|下)半年|\bq([1-4])\b|\b(first|second|third|fourth) (?:quarter|half)\b`)

// quarterOf is the one quarter or half of a year that a text names, by one sign; "" for
// none or several.
func quarterOf(s string) string {
	found := quarter.FindAllString(fold(s), 2)
	if len(found) != 1 {
		return ""
	}
	return quarterNumber(found[0])
}

// quarterNumber is a quarter by one sign.
func quarterNumber(s string) string {
	s = strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(s, "第"), "度"), "季")
	return strings.NewReplacer("一", "1", "二", "2", "三", "3", "四", "4", "q", "", " quarter", "", "first", "1", "second", "2", "third", "3", "fourth", "4").Replace(s)
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// liftSimilar covers stretches that nothing covers by words, where the similarity
// function finds them close to a phrase of the fact's clause. It is asked for few
// stretches and never for names or numbers.
func (e *Engine) liftSimilar(w *wording, cells []float64, v *view, f *Fact) {
	if e.config.Similarity == nil {
		return
	}
	c := v.clauseOf(f)
	if c == nil {
		return
	}
	for _, g := range w.gaps(cells, cellCovered) {
		if g.name || g.Len() > 12 {
			continue
		}
		s := e.closest(w.text(g.Span), v, c)
		if s <= 0 {
			continue
		}
		for k, cell := range w.cells {
			if g.Span.Contains(cell.Span) && s > cells[k] {
				cells[k] = s
			}
		}
	}
}

// closest is how far a word of the clause stands for the given one: 0, or 0.6..0.85.
func (e *Engine) closest(word string, v *view, c *Clause) float64 {
	best := 0.0
	for _, t := range c.Terms {
		if t.Span.Empty() {
			continue
		}
		other := v.page.Quote(t.Span)
		s := e.config.Similarity(word, other)
		if sharesHan(word, other) && s < 0.9 {
			continue // 特价 and 票价 are close by a character, not by meaning
		}
		if s > best {
			best = s
		}
	}
	if best < similarWord {
		return 0
	}
	return math.Min(0.85, 0.6+(best-similarWord))
}

// selfReference is how far a text that speaks of itself (本合同, this policy) stands for
// the names that a question gives.
const selfReference = 0.55

// liftForeign covers words of a question in one language by similar words of a text
// in the other.
func (e *Engine) liftForeign(w *wording, cells []float64, v *view, f *Fact) {
	c := v.clauseOf(f)
	if e.config.Similarity == nil || c == nil {
		return
	}
	for _, g := range w.gaps(cells, cellCovered) {
		best := 0.0
		for _, t := range c.Terms {
			if !t.Span.Empty() {
				best = math.Max(best, e.config.Similarity(w.text(g.Span), v.page.Quote(t.Span)))
			}
		}
		if best < similarForeign {
			continue
		}
		for k, cell := range w.cells {
			if g.Span.Contains(cell.Span) {
				cells[k] = math.Max(cells[k], 0.75)
			}
		}
	}
}

// relatedMatch is how far a related word (fee for cost, bring for carry) stands for one
// of the subject, the attribute, or what else is given.
var relatedMatch = [3]float64{0.55, 0.75, 0.7}

// liftRelated covers words of a question by related words of the fact's clause.
func (e *Engine) liftRelated(w *wording, cells []float64, v *view, i int, match float64) {
	if e.config.Related == nil {
		return
	}
	gaps := w.gaps(cells, cellCovered)
	if len(gaps) == 0 {
		return
	}
	have := v.relatedTo(i)
	if len(have) == 0 {
		return
	}
	for _, g := range gaps {
		if g.name {
			continue
		}
		for _, found := range e.config.Related.Find(w.folded[g.Start:g.End]) {
			if !lexicon.Share(found.Clusters, have) {
				continue
			}
			for k, cell := range w.cells {
				if cell.Start >= g.Start+found.Start && cell.End <= g.Start+found.End && cells[k] < match {
					cells[k] = match
				}
			}
		}
	}
}

// similarForeign is the cosine from which two words of different languages are taken
// to mean the same.
const similarForeign = 0.5

// leastGranted is the least share of the attribute that a fact must say itself on a page
// that takes a name for granted.
const leastGranted = 0.5

// leastPiece is the least share of each piece of a Chinese subject that must be
// carried: 儿童 beside the name of the drug is not to be lost in the total.
const (
	leastPiece = 0.6
	shortPiece = 8    // characters of a piece that is one phrase
	pieceGap   = 0.26 // greatest share of such a piece in one uncovered stretch
)

// similarWord is the cosine of the built-in embedding from which two words are
// taken to mean nearly the same.
const similarWord = 0.68

// sharesHan reports whether two different words share a Han character.
func sharesHan(a, b string) bool {
	if a == b {
		return false
	}
	for _, r := range a {
		if text.IsHan(r) && strings.ContainsRune(b, r) {
			return true
		}
	}
	return false
}

// Carries says how far the context of a filler holds a given part of the question,
// 0..1.
func (e *Engine) Carries(part string, pages []*Page, metas []Meta, r Ref) float64 {
	v := e.views(pages[r.Page:r.Page+1], metas[r.Page:r.Page+1])[0]
	w := e.wording(part, nil)
	var c covered
	if r.Fact >= 0 && r.Fact < len(v.page.Facts) {
		c = w.cover(v.factBag(r.Fact))
		if k := v.page.Facts[r.Fact].Clause; k >= 0 && k < len(v.page.Clauses) {
			lift(w, c.cells, v.clauseBag(k), 1)
		}
	} else {
		c = covered{cells: make([]float64, len(w.cells))}
	}
	lift(w, c.cells, v.frameBag(), 0.75)
	return w.score(c.cells)
}

// Look finds what an added slot (condition, exception, prohibition) asks for among
// the conditions of the fillers' clauses and sentences.
func (e *Engine) Look(slot string, pages []*Page, covs []Coverage) (Ref, bool) {
	for _, cov := range covs {
		for _, r := range cov.Fillers {
			p := pages[r.Page]
			if r.Fact < 0 {
				continue
			}
			f := &p.Facts[r.Fact]
			for _, c := range f.Conditions {
				if c.Span.Empty() {
					continue
				}
				isException := c.Kind == Except || c.Kind == Unless
				if slot == "exception" && isException || slot == "condition" && !isException {
					return Ref{Page: r.Page, Fact: r.Fact, Span: c.Span, Score: 0.8}, true
				}
			}
			if slot == "prohibition" && f.Modality == MustNot {
				return Ref{Page: r.Page, Fact: r.Fact, Span: f.Span, Score: 0.8}, true
			}
		}
	}
	return Ref{}, false
}
