package fact

import (
	"math/big"
	"strings"
	"sync"
	"sync/atomic"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// sheet is a page made ready for comparison, whatever the question: bags, folded
// text, prepared phrases, what its clauses say by their form. Each part is built when
// first asked for and kept with the page, so that a page that is asked again (the
// reader keeps pages) costs only what depends on the question. It is safe for
// concurrent use: two goroutines may build the same part, with the same result.
type sheet struct {
	engine *Engine
	page   *Page
	title  string // of its document

	folded     kept[[]rune] // one: the text, folded
	plain      kept[string] // one: the same
	self       kept[bool]   // one: see selfReference
	tongue     kept[string] // one: see foreign
	frame      kept[bag]    // one
	all        kept[bag]    // one
	lead       kept[bag]    // one: see leadBag
	introduced kept[text.Span]
	titles     kept[titleForm]
	said       kept[map[key]bool]
	counts     kept[tally] // one: see sentenceCounts
	index      kept[postings]
	grids      kept[cellGrid] // one
	lookups    kept[sheetTables]
	figures    kept[numberSet] // one: see numbers
	neighbours kept[neighbourTerms]
	cut        kept[[]wordAtom]
	seeds      kept[seedPlaces]
	anchored   kept[anchorKeys]
	changes    kept[[]change]
	multiples  kept[[]multipleAt]
	required   kept[[]requirementAt]
	mostly     kept[bool] // one: see mostlyHan
	corners    kept[[]string]
	rests      kept[[]restAt]
	steps      kept[[]numberedStep]

	// By fact.
	facts, own, close, anchors, heads kept[bag]
	about                             kept[bag] // two a fact: see aboutBag
	phrases                           kept[phrase]
	sides                             kept[[]sideSet]
	values                            kept[key]
	han                               kept[bool]        // see chinese
	stated                            kept[[]when.Expr] // see statedTimes
	subjects                          kept[subjectForm]
	attributes                        kept[*wording]
	bounds                            kept[[]quantity.Quantity] // see subjectLimits
	elliptics                         kept[int]
	members                           kept[[]classMember] // see membersBefore
	relatedFact                       kept[[]int32]       // of table cells

	// By clause.
	clause, alone, asserted kept[bag]
	related                 kept[[]int32]
	reaches                 kept[reach]
	marks                   kept[clauseMarks]
	letters                 kept[key]             // see lettersAt
	rates                   kept[clauseRate]      // see toldOf
	charges                 kept[int8]            // see chargeAt
	counted                 kept[map[string]bool] // see countedBy
	clausal                 kept[[]sideSet]
	texts                   kept[string]           // folded, see clauseText
	turned                  kept[map[int]turnSide] // see turnedThen

	// By sentence.
	sentences kept[string]     // folded
	bags      kept[bag]        // see sentenceBag
	kinds     kept[valueKinds] // see sole
}

// sheet prepares a page under a title, or finds it prepared.
func (e *Engine) sheet(p *Page, title string) *sheet {
	if s := p.ready.Load(); s != nil && s.engine == e && s.title == title {
		return s
	}
	facts, clauses := len(p.Facts), len(p.Clauses)
	s := &sheet{engine: e, page: p, title: title}
	for _, one := range []*kept[bag]{&s.frame, &s.all, &s.lead} {
		*one = make(kept[bag], 1)
	}
	s.folded, s.plain, s.self, s.tongue = make(kept[[]rune], 1), make(kept[string], 1), make(kept[bool], 1), make(kept[string], 1)
	s.introduced = make(kept[text.Span], 1)
	s.titles, s.said, s.cut = make(kept[titleForm], 1), make(kept[map[key]bool], 1), make(kept[[]wordAtom], 1)
	s.seeds, s.anchored = make(kept[seedPlaces], 1), make(kept[anchorKeys], 1)
	for _, by := range []*kept[bag]{&s.facts, &s.own, &s.close, &s.anchors, &s.heads} {
		*by = make(kept[bag], facts)
	}
	s.about, s.phrases = make(kept[bag], 2*facts), make(kept[phrase], phraseForms*facts)
	s.sides, s.subjects, s.elliptics = make(kept[[]sideSet], facts), make(kept[subjectForm], facts), make(kept[int], facts)
	s.attributes, s.bounds = make(kept[*wording], facts), make(kept[[]quantity.Quantity], facts)
	s.relatedFact, s.values, s.han, s.stated = make(kept[[]int32], facts), make(kept[key], facts), make(kept[bool], facts), make(kept[[]when.Expr], facts)
	s.mostly = make(kept[bool], 1)
	s.required = make(kept[[]requirementAt], 1)
	s.changes, s.multiples = make(kept[[]change], 1), make(kept[[]multipleAt], 1)
	s.counts, s.index, s.neighbours = make(kept[tally], 1), make(kept[postings], 1), make(kept[neighbourTerms], 1)
	for _, by := range []*kept[bag]{&s.clause, &s.alone, &s.asserted} {
		*by = make(kept[bag], clauses)
	}
	s.related, s.reaches, s.marks = make(kept[[]int32], clauses), make(kept[reach], clauses), make(kept[clauseMarks], clauses)
	s.texts, s.turned = make(kept[string], clauses), make(kept[map[int]turnSide], clauses)
	s.rates, s.kinds = make(kept[clauseRate], clauses), make(kept[valueKinds], len(p.Sentences))
	s.charges = make(kept[int8], clauses)
	s.counted = make(kept[map[string]bool], clauses)
	s.corners, s.rests, s.steps = make(kept[[]string], 1), make(kept[[]restAt], 1), make(kept[[]numberedStep], 1)
	s.letters, s.members, s.clausal = make(kept[key], clauses), make(kept[[]classMember], facts), make(kept[[]sideSet], clauses)
	s.sentences, s.bags = make(kept[string], len(p.Sentences)), make(kept[bag], len(p.Sentences))
	s.grids, s.figures, s.lookups = make(kept[cellGrid], 1), make(kept[numberSet], 1), make(kept[sheetTables], 1)
	p.ready.Store(s)
	return s
}

// kept is a list of things that are each made once, when first asked for.
type kept[T any] []atomic.Pointer[T]

func (k kept[T]) get(i int, make func() *T) *T {
	if x := k[i].Load(); x != nil {
		return x
	}
	x := make()
	k[i].Store(x)
	return x
}

// foldedText is the text of the page, folded. It is shared.
func (s *sheet) foldedText() []rune {
	return *s.folded.get(0, func() *[]rune {
		f := text.Fold(s.page.Runes)
		return &f
	})
}

// foldedString is foldedText as a string.
func (s *sheet) foldedString() string {
	return *s.plain.get(0, func() *string {
		t := string(s.foldedText())
		return &t
	})
}

// clauseMarks are the words of a clause by which it is sorted. They are the same for
// all questions.
type clauseMarks struct {
	folded  string
	status  int8      // +1 one that holds, -1 one that has ended, 0 none; before denial
	rule    bool      // see ruleWords
	several bool      // see manyHolders
	charge  int8      // see chargeOf
	often   *big.Rat  // see often; nil = not said
	oftenAt text.Span // in the clause
	away    bool      // points elsewhere and states nothing itself
}

// The lists of words that sort a clause, as they are looked for in one pass.
var (
	statusOffIn, statusOnIn = newLiterals(statusOff), newLiterals(statusOn)
	ruleWordsIn             = newLiterals(ruleWords)
	elsewhereWordsIn        = newLiterals(elsewhereWords)
)

// marksAt sorts a clause, once.
func (s *sheet) marksAt(i int) *clauseMarks {
	return s.marks.get(i, func() *clauseMarks {
		c := &s.page.Clauses[i]
		runes := s.foldedText()[c.Start:c.End]
		m := &clauseMarks{folded: string(runes)}
		switch {
		case statusOffIn.in(m.folded):
			m.status = -1
		case statusOnIn.in(m.folded):
			m.status = 1
		}
		m.rule, m.several = ruleWordsIn.in(m.folded), hasMany(m.folded)
		m.charge = s.chargeAt(i)
		m.often, m.oftenAt = often(runes)
		m.away = len(c.Quantities) == 0 && elsewhereWordsIn.in(m.folded) && elsewhere.MatchString(m.folded)
		return m
	})
}

// indexOf is the index of a fact of the page that stands in a clause.
func (s *sheet) indexOf(f *Fact) int {
	c := s.page.Clauses[f.Clause]
	for i := c.Facts[0]; i < c.Facts[1]; i++ {
		if &s.page.Facts[i] == f {
			return i
		}
	}
	return c.Facts[0]
}

// chargeAt is chargeOf of a clause, found once.
func (s *sheet) chargeAt(i int) int8 {
	return *s.charges.get(i, func() *int8 {
		c := chargeOf(s.clauseText(i))
		return &c
	})
}

// clauseText is a clause, folded.
func (s *sheet) clauseText(i int) string {
	return *s.texts.get(i, func() *string {
		c := &s.page.Clauses[i]
		t := string(s.foldedText()[c.Start:c.End])
		return &t
	})
}

// factsIn are the facts [lo,hi) of a sentence: they stand in the order of the clauses.
func (p *Page) factsIn(sentence int) (lo, hi int) {
	if sentence < 0 || sentence >= len(p.Sentences) {
		return 0, 0
	}
	of := p.Sentences[sentence].Clauses
	if of[0] >= of[1] || of[1] > len(p.Clauses) {
		return 0, 0
	}
	return p.Clauses[of[0]].Facts[0], min(p.Clauses[of[1]-1].Facts[1], len(p.Facts))
}

// sentenceText is a sentence, folded.
func (s *sheet) sentenceText(i int) string {
	return *s.sentences.get(i, func() *string {
		span := s.page.Sentences[i].Span
		t := string(s.foldedText()[span.Start:span.End])
		return &t
	})
}

// sentenceOf is the sentence that holds a fact, folded.
func (s *sheet) sentenceOf(f *Fact) string {
	if f.Sentence >= 0 && f.Sentence < len(s.page.Sentences) {
		return s.sentenceText(f.Sentence)
	}
	return fold(s.page.Quote(f.Span))
}

// subjectForm is the subject of a fact, prepared.
type subjectForm struct {
	words    *wording // without rarity
	undated  *wording // the same without times
	personal bool     // see personal
	head     key      // of its head word; 0 = none
	concept  key      // of the same; 0 = none
}

func (s *sheet) subjectOf(i int) *subjectForm {
	return s.subjects.get(i, func() *subjectForm {
		e, t := s.engine, s.page.Facts[i].Subject.Text
		out, ok := e.subjects.get(t)
		if !ok {
			out = &subjectForm{words: e.wording(t, nil), personal: t != "" && personal.MatchString(fold(t))}
			out.undated = e.undated(t, out.words)
			if h := out.words.head(); h >= 0 {
				out.head, out.concept = out.words.probes[h].word, out.words.probes[h].concept
			}
			e.subjects.put(t, out)
		}
		return out
	})
}

// subjectLimits are the values that the subject of a fact names (a row of ten to twenty
// years).
func (s *sheet) subjectLimits(i int) []quantity.Quantity {
	t := s.page.Facts[i].Subject.Text
	if t == "" {
		return nil
	}
	return *s.bounds.get(i, func() *[]quantity.Quantity {
		l := limitsIn(t)
		return &l
	})
}

// Phrases that are prepared again and again (subjects, titles, units) are kept by
// their text.
const (
	phrasesKept   = 1 << 13
	longestPhrase = 200 // bytes of a phrase that is kept
)

// phraseStore keeps what was made of phrases. It is emptied when it is full. It is
// safe for concurrent use.
type phraseStore[T any] struct {
	mu     sync.RWMutex
	byText map[string]*T
}

func (p *phraseStore[T]) get(s string) (*T, bool) {
	p.mu.RLock()
	x, ok := p.byText[s]
	p.mu.RUnlock()
	return x, ok
}

func (p *phraseStore[T]) put(s string, x *T) {
	if len(s) > longestPhrase {
		return
	}
	p.mu.Lock()
	if p.byText == nil || len(p.byText) >= phrasesKept {
		p.byText = make(map[string]*T, 1024)
	}
	p.byText[strings.Clone(s)] = x
	p.mu.Unlock()
}
