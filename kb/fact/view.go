package fact

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// view is a page in one round of comparisons. What depends on the page alone is kept
// with it, on its sheet. A view is not safe for concurrent use.
type view struct {
	*sheet
	meta Meta

	columns map[period]period // by asked period, the one that table cells mean by it
	abouts  map[aboutKey]*aboutness

	headings map[rowWords][]string // see headingsSaid
}

func (e *Engine) views(pages []*Page, metas []Meta) []*view {
	out := make([]*view, len(pages))
	for i, p := range pages {
		v := &view{}
		if i < len(metas) {
			v.meta = metas[i]
		}
		v.sheet = e.sheet(p, v.meta.Title)
		out[i] = v
	}
	return out
}

// addText is Engine.addText.
func (s *sheet) addText(b *bag, phrase string, weight float32) { s.engine.addText(b, phrase, weight) }

// saidBag is the words of a clause itself, without anything it inherits. It is
// shared: it must not be changed.
func (s *sheet) saidBag(i int) *bag {
	return s.alone.get(i, func() *bag {
		terms := s.page.Clauses[i].Terms
		b := newBag(len(terms))
		for _, t := range terms {
			b.add(t.Text, t.Synset, 1)
		}
		return b
	})
}

// closeBag is the words that stand near a fact: its own in full, those of its clause
// and topic by half. It is shared: it must not be changed.
func (s *sheet) closeBag(i int) *bag {
	return s.close.get(i, func() *bag {
		anchors := s.page.Facts[i].Anchors
		b := newBag(len(anchors))
		for _, t := range anchors {
			switch t.Origin {
			case Own, RowHeader, ColHeader:
				b.add(t.Text, t.Synset, 1)
			case Clausal, LeadIn, Topic:
				b.add(t.Text, t.Synset, 0.5)
			}
		}
		return b
	})
}

// anchorBag is the anchors of a fact by where they stand. It is shared: it must not be
// changed.
func (s *sheet) anchorBag(i int) *bag {
	return s.anchors.get(i, func() *bag {
		anchors := s.page.Facts[i].Anchors
		b := newBag(len(anchors))
		b.addTerms(anchors, 1)
		return b
	})
}

// sentenceBag is the words of a sentence and what its clauses inherit, by where they
// stand. It is shared: it must not be changed.
func (s *sheet) sentenceBag(i int) *bag {
	return s.bags.get(i, func() *bag {
		b := newBag(24)
		info := s.page.Sentences[i]
		for c := info.Clauses[0]; c < info.Clauses[1] && c < len(s.page.Clauses); c++ {
			b.addTerms(s.page.Clauses[c].Terms, 1)
			b.addTerms(s.page.Clauses[c].Context, 1)
		}
		return b
	})
}

// factBag is what the fact is about: its anchors, the counted noun, its conditions
// and the document's title. It is shared: it must not be changed.
func (s *sheet) factBag(i int) *bag {
	return s.facts.get(i, func() *bag {
		f := &s.page.Facts[i]
		b := newBag(len(f.Anchors) + 8)
		b.addTerms(f.Anchors, 1)
		for _, c := range f.Conditions {
			b.addTerms(c.Terms, 0.9)
		}
		if q := f.Value.Quantity; q != nil {
			s.addText(b, q.Noun, 1)
			s.addText(b, q.Raw, 0.9) // unit and denominator: per month
			s.addText(b, q.Unit.Per, 0.9)
		}
		if f.Value.Kind != QuantityValue && f.Value.Kind != TimeValue && f.Value.Text != "" {
			s.addText(b, f.Value.Text, 0.9)
		}
		s.addText(b, f.Subject.Text, 1)
		s.addText(b, f.Attribute.Text, 1)
		if c := s.clauseOf(f); c != nil {
			s.addNumbers(b, c)
		}
		s.addText(b, f.Place.Text, 0.95)
		if s.inTable(f) {
			s.addText(b, s.labelHeader(f.Sentence), 0.9)
		}
		s.addFrame(b)
		return b
	})
}

// addNumbers adds the numbers of a clause that are names: the 7 of hall 7.
func (s *sheet) addNumbers(b *bag, c *Clause) {
	for _, q := range c.Quantities {
		if namedNumber(s.page.Runes, q.Span) {
			s.addText(b, s.page.Quote(q.Number), 1)
		}
	}
}

// inTable reports whether the fact is a table cell.
func (s *sheet) inTable(f *Fact) bool {
	return f.Sentence >= 0 && f.Sentence < len(s.page.Sentences) && s.page.Sentences[f.Sentence].Kind == Row
}

// measured reports whether the attribute of a cell is the label of its row, as where
// columns are times: then it heads no column.
func (s *sheet) measured(f *Fact) bool {
	return s.inTable(f) && !f.Attribute.Span.Empty() && s.page.Sentences[f.Sentence].Contains(f.Attribute.Span)
}

// labelHeader is the heading of the first column of the table that holds the row:
// Plan over Team, which makes the row one of the Team plan.
func (s *sheet) labelHeader(row int) string {
	of := *s.corners.get(0, func() *[]string {
		out, last := make([]string, len(s.page.Sentences)), ""
		for i, line := range s.page.Sentences {
			out[i] = last
			switch line.Kind {
			case Row:
			case HeaderRow:
				first, _, _ := strings.Cut(strings.Trim(s.page.Quote(line.Span), "| \t"), "|")
				last = strings.TrimSpace(first)
			default:
				last = ""
			}
		}
		return &out
	})
	return of[row]
}

// ownBag is what the fact says of itself, without what it inherits or what merely
// stands near: its own anchors, subject, attribute, counted noun and conditions.
func (s *sheet) ownBag(i int) *bag {
	return s.own.get(i, func() *bag {
		f := &s.page.Facts[i]
		b := newBag(len(f.Anchors))
		for _, t := range f.Anchors {
			if t.Origin == Own || t.Origin == RowHeader || t.Origin == ColHeader {
				b.add(t.Text, t.Synset, 1)
			}
		}
		for _, c := range f.Conditions {
			b.addTerms(c.Terms, 0.9)
		}
		if q := f.Value.Quantity; q != nil {
			s.addText(b, q.Noun, 1)
			s.addText(b, q.Unit.Per, 0.9) // per month
		}
		s.addText(b, f.Subject.Text, 1)
		s.addText(b, f.Attribute.Text, 1)
		return b
	})
}

// inheritedScale is how much the inherited words of a fact count for someone who
// asks about the words in asked: less when the fact has a subject of its own that is
// none of them, since then it speaks of something else than its surroundings.
func (v *view) inheritedScale(i int, asked *bag) float64 {
	if v.page.Facts[i].Subject.Text == "" {
		return 1
	}
	subject := v.subjectOf(i)
	w := subject.words
	if subject.personal || subject.head != 0 && (asked.weight(subject.head) > 0 || subject.concept != 0 && asked.weight(subject.concept) > 0) {
		return 1
	}
	shared := w.scoreOn(asked) * w.total
	if extra := w.total - shared; extra < 1.6 || shared > 0.4*w.total {
		return 1
	}
	return foreignSubject
}

// head is the index of the term that is the head of a phrase: in Chinese its last pair
// of characters, in English the last word before a preposition; -1 for none.
func (w *wording) head() int {
	if len(w.terms) == 0 {
		return -1
	}
	if last := len(w.terms) - 1; text.IsHan(firstRune(w.terms[last].Text)) {
		return last
	}
	end := len(w.folded)
	if loc := preposition.FindStringIndex(string(w.folded)); loc != nil {
		end = len([]rune(string(w.folded)[:loc[0]]))
	}
	head := -1
	for i, t := range w.terms {
		if t.Span.End <= end {
			head = i
		}
	}
	return head
}

var preposition = regexp.MustCompile(`\b(of|at|in|on|for|with|without|under|over|up to|from|to|by|between|within|than|who|which|that)\b`)

// personal matches subjects that are the persons a rule is addressed to; the rule is
// about something else.
var personal = guarded(`(员工|职工|人员|客户|用户|旅客|乘客|客人|顾客|学员|学生|教师|申请人|当事人|单位|者|人|方)$|\b(employees?|staff|workers?|customers?|guests?|users?|members?|passengers?|students?|drivers?|applicants?|tenants?|patients?|visitors?|residents?|you|we|they|people|persons?|anyone|everyone)$`)

// foreignSubject is the weight of inherited words of a fact about something else.
const foreignSubject = 0.55

// foreignAttribute is the most that the surroundings of a value say about what it
// measures, when the value has an attribute of its own that was not asked for.
const foreignAttribute = 0.4

// foreignAttribute reports whether the fact names an attribute, none of whose words
// are among the asked ones.
func (v *view) foreignAttribute(i int, asked *bag) bool {
	if v.page.Facts[i].Attribute.Text == "" {
		return false
	}
	w := *v.attributes.get(i, func() **wording {
		w := v.engine.wording(v.page.Facts[i].Attribute.Text, nil)
		return &w
	})
	return w.total > 0 && w.scoreOn(asked) < 0.2
}

// ownTimes are the times that the text itself gives for the fact. A year that only
// the title names (Fees 2020) does not narrow it when the document's validity is
// known.
func (v *view) ownTimes(i int) []when.Expr {
	if _, ok := v.validity(); !ok {
		return v.page.Facts[i].Times
	}
	return v.statedTimes(i)
}

// statedTimes are the times that stand in the text, not in title or headings.
func (s *sheet) statedTimes(i int) []when.Expr {
	f := &s.page.Facts[i]
	if len(f.Times) == 0 {
		return nil
	}
	return *s.stated.get(i, func() *[]when.Expr {
		var out []when.Expr
		for _, t := range f.Times {
			if t.Text == "" || strings.Contains(s.foldedString(), fold(t.Text)) && !s.inHeading(t) {
				out = append(out, t)
			}
		}
		return &out
	})
}

// inHeading reports whether the time stands in a heading line of the text.
func (s *sheet) inHeading(t when.Expr) bool {
	for _, line := range s.page.Sentences {
		if line.Kind == HeadingLine && line.Contains(t.Span) {
			return strings.Contains(fold(s.page.Quote(line.Span)), fold(t.Text))
		}
	}
	return false
}

// elliptic finds the earlier fact whose attribute a parallel one leaves out: in
// "seven days before, 10% of the fare is charged; less than seven, 30%" the 30% is
// of the fare as well. It returns -1 when there is none.
func (s *sheet) elliptic(i int) int {
	f := &s.page.Facts[i]
	if f.Value.Quantity == nil || len(f.Conditions) == 0 || f.Threshold {
		return -1
	}
	return *s.elliptics.get(i, func() *int {
		k := s.firstParallel(i)
		return &k
	})
}

func (s *sheet) firstParallel(i int) int {
	f := &s.page.Facts[i]
	found := -1
	for k := i - 1; k >= 0 && s.page.Facts[k].Sentence >= f.Sentence-3; k-- {
		o := &s.page.Facts[k]
		if o.Value.Quantity == nil || o.Threshold || len(o.Conditions) == 0 || o.Clause == f.Clause {
			continue
		}
		if loose(o.Value.Quantity.Unit.Dim) != loose(f.Value.Quantity.Unit.Dim) {
			return found
		}
		found = k
	}
	return found
}

// foreign reports whether the page is written in another language than the question.
func (v *view) foreign(n *prepared) bool {
	if n.language == "mixed" {
		return false
	}
	language := *v.tongue.get(0, func() *string {
		l := text.Language(string(v.page.Runes))
		return &l
	})
	return n.language != language && language != "mixed"
}

// A page that speaks of itself: this policy, 本合同. The words spare most pages the patterns.
var (
	selfHan   = guarded(`本(?:合同|协议|公司|办法|规定|规则|条例|细则|制度|手册|保险|产品|平台|行|店|院|校|中心|服务|条款|保单)`)
	selfLatin = guarded(`\bth(?:is|e) (?:agreement|policy|contract|company|insurer|bank|handbook|plan)\b`)
	selfWords = []string{"agreement", "policy", "contract", "company", "insurer", "bank", "handbook", "plan"}
)

// selfReference reports whether the page speaks of itself or its issuer without a
// name (本合同, this policy) and so may mean the name that a question gives.
func (s *sheet) selfReference() bool {
	return *s.self.get(0, func() *bool {
		t := s.foldedString()
		found := strings.Contains(t, "本") && selfHan.MatchString(t) || hasAny(t, selfWords) && selfLatin.MatchString(t)
		return &found
	})
}

// sideSet is the set of sides of one contrast group that a text names, with the
// section of the group.
type sideSet struct {
	group int32
	sides uint32
	state bool
	span  text.Span // of the last one named
}

// sidesIn lists the contrast groups that a text names, in their order.
func (e *Engine) sidesIn(s string) []sideSet {
	if s == "" || e.config.Contrasts == nil {
		return nil
	}
	out, ok := e.sides.get(s)
	if !ok {
		found := e.sidesOf(text.Fold([]rune(s)))
		out = &found
		e.sides.put(s, out)
	}
	return *out
}

func (e *Engine) sidesOf(folded []rune) []sideSet {
	var out []sideSet
	for _, f := range e.config.Contrasts.Find(folded) {
		i, found := slices.BinarySearchFunc(out, f.Group, func(x sideSet, g int32) int { return int(x.group) - int(g) })
		if !found {
			out = slices.Insert(out, i, sideSet{group: f.Group})
		}
		g := &out[i]
		g.sides |= 1 << f.Side
		g.state, g.span = f.State, f.Span
	}
	return out
}

// factSides lists the contrast groups that a fact names: in its clause, or for a
// table cell in its headings.
func (s *sheet) factSides(i int) []sideSet {
	if s.engine.config.Contrasts == nil {
		return nil
	}
	return *s.sides.get(i, func() *[]sideSet {
		f := &s.page.Facts[i]
		out := bothSides(s.engine.sidesIn(f.Subject.Text), s.engine.sidesIn(f.Attribute.Text))
		row := f.Sentence < len(s.page.Sentences) && s.page.Sentences[f.Sentence].Kind == Row
		if s.clauseOf(f) != nil && !row {
			out = bothSides(out, s.clauseSides(f.Clause))
		}
		return &out
	})
}

// clauseSides lists the contrast groups that a clause names.
func (s *sheet) clauseSides(i int) []sideSet {
	return *s.clausal.get(i, func() *[]sideSet {
		c := &s.page.Clauses[i]
		out := s.engine.sidesOf(s.foldedText()[c.Start:c.End])
		return &out
	})
}

// bothSides joins what two texts name. It may share either list.
func bothSides(a, b []sideSet) []sideSet {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]sideSet, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].group < b[0].group:
			out, a = append(out, a[0]), a[1:]
		case a[0].group > b[0].group:
			out, b = append(out, b[0]), b[1:]
		default:
			both := b[0]
			both.sides |= a[0].sides
			out, a, b = append(out, both), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// apart reports whether two texts name different sides of one group, and none in
// common, in a group of cases (states false) or of states (true).
func apart(a, b []sideSet, states bool) bool {
	for len(a) > 0 && len(b) > 0 {
		switch x, y := &a[0], &b[0]; {
		case x.group < y.group:
			a = a[1:]
		case x.group > y.group:
			b = b[1:]
		case x.state == states && x.sides&y.sides == 0:
			return true
		default:
			a, b = a[1:], b[1:]
		}
	}
	return false
}

// scopeOnly reports whether a time says when its clause holds, and is not itself
// what the clause states.
func (s *sheet) scopeOnly(f *Fact) bool {
	c := s.clauseOf(f)
	if f.Value.Kind != TimeValue || c == nil {
		return false
	}
	for i := c.Facts[0]; i < c.Facts[1] && i < len(s.page.Facts); i++ {
		o := &s.page.Facts[i]
		if o.Value.Kind == QuantityValue && !o.Threshold && o.Value.Quantity.Unit.Dim != quantity.Ordinal {
			return true
		}
	}
	return false
}

// layFact lays a wording over what a fact is about: its own words in full, what it
// inherits at the given scale.
func (s *sheet) layFact(w *wording, i int, scale float64, cells []float64) {
	w.lay(s.factBag(i), cells, math.MaxFloat64)
	if scale < 1 {
		for k := range cells {
			cells[k] *= scale
		}
		w.lay(s.ownBag(i), cells, math.MaxFloat64)
		w.lay(s.headBag(i), cells, math.MaxFloat64)
	}
}

// headBag is what the headings over a fact say. A section is about its heading,
// whatever the subjects of its sentences. It is shared: it must not be changed.
func (s *sheet) headBag(i int) *bag {
	return s.heads.get(i, func() *bag {
		b := newBag(4)
		for _, t := range s.page.Facts[i].Anchors {
			if t.Origin == Heading {
				b.add(t.Text, t.Synset, 0.85)
			}
		}
		return b
	})
}

// liftBefore covers what the sentence before says.
func (v *view) liftBefore(w *wording, cells []float64, sentence int) {
	if sentence < 1 || sentence >= len(v.page.Sentences) {
		return
	}
	s := v.page.Sentences[sentence-1]
	for c := s.Clauses[0]; c < s.Clauses[1]; c++ {
		lift(w, cells, v.clauseBag(c), 0.75)
	}
}

// neutral reports whether the page is a table alone, which names nothing but its
// cells and so is about what the texts around it are about.
func (v *view) neutral() bool {
	rows := 0
	for _, s := range v.page.Sentences {
		switch s.Kind {
		case Row, HeaderRow:
			rows++
		default:
			return false
		}
	}
	return rows > 0
}

// bagOf is the bag of the words of some wordings.
func bagOf(ws ...*wording) *bag {
	b := newBag(16)
	for _, w := range ws {
		for _, t := range w.terms {
			b.add(t.Text, t.Concept, 1)
		}
	}
	return b
}

// clauseBag is what a clause says: all its words, what it inherits, its conditions,
// and at a lower weight the other clauses of its sentence.
func (s *sheet) clauseBag(i int) *bag {
	return s.clause.get(i, func() *bag {
		c := &s.page.Clauses[i]
		b := newBag(len(c.Terms) + len(c.Context))
		for _, t := range c.Terms {
			b.add(t.Text, t.Synset, 1)
		}
		b.addTerms(c.Context, 1)
		s.addNumbers(b, c)
		for _, cond := range c.Conditions {
			b.addTerms(cond.Terms, 0.95)
		}
		info := s.page.Sentences[c.Sentence]
		for k := info.Clauses[0]; k < info.Clauses[1]; k++ {
			if k != i {
				for _, t := range s.page.Clauses[k].Terms {
					b.add(t.Text, t.Synset, 0.85)
				}
			}
		}
		s.addText(b, c.Topic.Text, 0.95)
		s.addFrame(b)
		return b
	})
}

// assertedBag is clauseBag without the words of its conditions: what the clause
// asserts, not what it supposes. It is shared: it must not be changed.
func (s *sheet) assertedBag(i int) *bag {
	return s.asserted.get(i, func() *bag {
		c := &s.page.Clauses[i]
		b := newBag(len(c.Terms))
		for _, t := range c.Terms {
			inside := false
			for _, cond := range c.Conditions {
				if (cond.Kind == If || cond.Kind == Unless) && !cond.Span.Empty() && cond.Span.Overlaps(t.Span) {
					inside = true
				}
			}
			if !inside {
				b.add(t.Text, t.Synset, 1)
			}
		}
		b.addTerms(c.Context, 1)
		s.addText(b, c.Topic.Text, 0.95)
		s.addFrame(b)
		return b
	})
}

// addFrame adds what the page as a whole is about.
func (s *sheet) addFrame(b *bag) {
	s.addText(b, s.title, 0.85)
	for _, a := range s.page.Aliases {
		if b.word(a.Short) > 0 {
			s.addText(b, a.Full, 0.95)
		}
	}
}

// frameBag is what the page as a whole is about: title, headings, and the words of
// its first clause, which mostly names the thing that later sentences take for
// granted. It is shared: it must not be changed.
func (s *sheet) frameBag() *bag {
	return s.frame.get(0, func() *bag {
		b := newBag(32)
		if len(s.page.Clauses) > 0 {
			c := &s.page.Clauses[0]
			for _, t := range c.Terms {
				b.add(t.Text, t.Synset, 0.8)
			}
			for i := range s.page.Clauses {
				for _, t := range s.page.Clauses[i].Context {
					if t.Origin == Heading || t.Origin == Title {
						b.add(t.Text, t.Synset, 0.8)
					}
				}
			}
		}
		s.addFrame(b)
		return b
	})
}

// allBag is every word of the page. It is shared: it must not be changed.
func (s *sheet) allBag() *bag {
	return s.all.get(0, func() *bag {
		b := newBag(64)
		for i := range s.page.Clauses {
			for _, t := range s.page.Clauses[i].Terms {
				b.add(t.Text, t.Synset, 1)
			}
		}
		s.addFrame(b)
		return b
	})
}

// relatedTo lists the clusters of related words that the clause of a fact, with its
// topic and headings, names.
func (s *sheet) relatedTo(i int) []int32 {
	f := &s.page.Facts[i]
	if s.engine.config.Related == nil || s.clauseOf(f) == nil {
		return nil
	}
	if s.inTable(f) { // cells of one row share the clause, not the column
		return *s.relatedFact.get(i, func() *[]int32 {
			return s.clustersIn(f.Subject.Text + " ; " + f.Attribute.Text + " ; " + s.labelHeader(f.Sentence))
		})
	}
	return *s.related.get(f.Clause, func() *[]int32 { return s.clustersIn(s.page.Quote(s.page.Clauses[f.Clause].Span)) })
}

func (s *sheet) clustersIn(t string) *[]int32 {
	out := []int32{}
	for _, found := range s.engine.config.Related.Find(text.Fold([]rune(t))) {
		out = append(out, found.Clusters...)
	}
	slices.Sort(out)
	return &out
}

// clauseOf is the clause a fact came from, or nil.
func (s *sheet) clauseOf(f *Fact) *Clause {
	if f.Clause >= 0 && f.Clause < len(s.page.Clauses) {
		return &s.page.Clauses[f.Clause]
	}
	return nil
}

// sentenceSpan is the span of the sentence that holds the fact.
func (s *sheet) sentenceSpan(f *Fact) text.Span {
	if f.Sentence >= 0 && f.Sentence < len(s.page.Sentences) {
		return s.page.Sentences[f.Sentence].Span
	}
	return f.Span
}

// validity is the period for which the page's document holds, as a time.
func (v *view) validity() ([]when.Expr, bool) {
	if v.meta.ValidFrom.IsZero() && v.meta.ValidTo.IsZero() {
		return nil, false
	}
	return []when.Expr{days(v.meta.ValidFrom, v.meta.ValidTo)}, true
}
