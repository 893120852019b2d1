package fact

import (
	"iter"
	"math"
	"slices"
	"unicode"

	"suffice.dev/suffice/text"
)

// Alignment asks how much of one wording (a need, a claim, the anchors of a fact)
// another text carries. It works on cells, the smallest units of content: a Latin
// word, number or identifier, or one Han character. A cell is covered when a term
// over it (word stem, character pair, dictionary concept) occurs on the other side;
// so two phrases that share their words in another order, or with other words
// between, still align, and what is not covered can be named as text.

// Weights of cells before their rarity is counted: a Han word has two characters
// on average, so a character weighs half a Latin word.
const (
	hanCell        = 1.0
	latinCell      = 2.0
	numberCell     = 2.0
	identifierCell = 3.0
	nameFactor     = 1.4
	synonymMatch   = 0.95 // a dictionary synonym is nearly the word itself
	stemPrefix     = 0.85 // words of one family: approve, approval
)

// wording is a text prepared to be looked for elsewhere.
type wording struct {
	runes  []rune
	folded []rune
	terms  []text.Term
	cells  []cell
	at     []int // code point → cell, -1 = none
	total  float64

	probes []probe // by term
	under  []int32 // cells of the probes, see probe.cells
	pairs  []pair  // of the probes, see probe.pairs
	puts   []put   // what the cells weigh, in the order of the terms

	mostlyHan, hasLatin bool // by its words, names left out
	cross               *crossings
	named               []spellings
}

// put is a term over a cell, with the weight that it gives it before its rarity.
type put struct {
	cell, term int32
	base       float64
}

// probe is what a term of a wording looks for in a bag.
type probe struct {
	word, concept key      // concept 0 = none
	cells         [2]int32 // range of wording.under: the cells it covers
	pairs         [2]int32 // range of wording.pairs: the character pairs inside a longer Han term
	kind          text.TermKind
	light         bool // see light
}

// pair is two neighbouring Han characters with their cells; -1 = none.
type pair struct {
	key  key
	a, b int32
}

type cell struct {
	text.Span
	weight float64
	name   bool
	han    bool
}

// wording prepares a text. Weights follow rarity in st; without one the wording is
// shared and must not be changed.
func (e *Engine) wording(s string, st *rarity) *wording {
	w, ok := e.phrases.get(s)
	if !ok {
		runes := []rune(s)
		w = e.phrase(runes, text.Span{Start: 0, End: len(runes)}, nil)
		e.phrases.put(s, w)
	}
	if st == nil {
		return w
	}
	return w.weighed(st)
}

// wordingOf prepares a span of a text, leaving out the spans in skip (values,
// times, marks). It is the caller's own.
func (e *Engine) wordingOf(runes []rune, span text.Span, st *rarity, skip []text.Span) *wording {
	w := e.phrase(runes, span, skip)
	if st == nil {
		return w
	}
	return w.weighed(st)
}

// phrase is a wording whose weights know of no rarity.
func (e *Engine) phrase(runes []rune, span text.Span, skip []text.Span) *wording {
	return e.foldedPhrase(runes[span.Start:span.End], text.Fold(runes[span.Start:span.End]), span, skip)
}

// foldedPhrase is phrase of the code points of a span and the same folded, which the
// wording shares.
func (e *Engine) foldedPhrase(runes, folded []rune, span text.Span, skip []text.Span) *wording {
	w := &wording{runes: runes, folded: folded}
	room, _ := e.terms.Get().(*[]text.Term)
	if room == nil {
		room = new([]text.Term)
	}
	all := text.AppendTerms((*room)[:0], w.runes, w.folded, e.match())
	defer func() {
		clear(all)
		if *room = all; cap(all) <= mostKept {
			e.terms.Put(room)
		}
	}()
	w.terms = make([]text.Term, 0, len(all))
	w.at = make([]int, len(w.folded))
	for i := range w.at {
		w.at[i] = -1
	}
	for _, t := range all {
		abs := text.Span{Start: t.Span.Start + span.Start, End: t.Span.End + span.Start}
		if inAny(abs, skip) {
			continue
		}
		w.terms = append(w.terms, t)
		name := t.Kind == text.Identifier || isName(w.runes, t.Span)
		for i := t.Span.Start; i < t.Span.End; {
			if text.IsHan(w.folded[i]) {
				w.put(text.Span{Start: i, End: i + 1}, hanCell, false, true)
				i++
				continue
			}
			j := i + 1
			for j < t.Span.End && !text.IsHan(w.folded[j]) && w.folded[j] != ' ' {
				j++
			}
			if t.Kind == text.Concept && text.StopWord(string(w.folded[i:j])) {
				i = j + 1
				continue
			}
			base := latinCell
			switch t.Kind {
			case text.Number:
				base = numberCell
			case text.Identifier:
				base = identifierCell
			}
			if name {
				base *= nameFactor
			}
			w.put(text.Span{Start: i, End: j}, base, name, false)
			i = j
			for i < t.Span.End && w.folded[i] == ' ' {
				i++
			}
		}
	}
	w.probe()
	w.weigh(nil)
	han, latin := 0, 0
	for _, c := range w.cells {
		switch {
		case c.han:
			han++
		case !c.name && unicode.IsLetter(w.folded[c.Start]):
			latin += 2
		}
	}
	w.mostlyHan, w.hasLatin = han > latin, latin > 0
	w.cross, w.named = &crossings{engine: e}, w.aliases()
	return w
}

// weighed is the wording with the weights that its terms have by their rarity. The
// cells are the caller's own.
func (w *wording) weighed(st *rarity) *wording {
	out := *w
	out.cells = slices.Clone(w.cells)
	out.weigh(st)
	return &out
}

// weigh sets the weights of the cells.
func (w *wording) weigh(st *rarity) {
	for k := range w.cells {
		w.cells[k].weight = 0
	}
	term, weight := int32(-1), 0.0
	for _, p := range w.puts {
		if p.term != term {
			term, weight = p.term, st.of(&w.probes[p.term])
		}
		if c := &w.cells[p.cell]; c.weight == 0 || c.han { // a character lies in two pairs: the rarer one counts
			c.weight = math.Max(c.weight, p.base*weight)
		}
	}
	w.total = 0
	for _, c := range w.cells {
		w.total += c.weight
	}
}

// probe prepares the terms to be looked for in bags.
func (w *wording) probe() {
	w.probes = make([]probe, len(w.terms))
	for n := range w.terms {
		t, p := &w.terms[n], &w.probes[n]
		p.word, p.concept, p.kind, p.light = wordKey(t.Text), conceptKey(t.Concept), t.Kind, light[t.Text]
		p.cells[0], p.pairs[0] = int32(len(w.under)), int32(len(w.pairs))
		last := -1
		for i := t.Span.Start; i < t.Span.End; i++ {
			if k := w.at[i]; k >= 0 && k != last {
				w.under = append(w.under, int32(k))
				last = k
			}
		}
		if t.Kind == text.Concept || t.Kind == text.HanRun {
			for i := t.Span.Start; i+1 < t.Span.End; i++ {
				if text.IsHan(w.folded[i]) && text.IsHan(w.folded[i+1]) {
					w.pairs = append(w.pairs, pair{pairKey(w.folded[i], w.folded[i+1]), int32(w.at[i]), int32(w.at[i+1])})
				}
			}
		}
		p.cells[1], p.pairs[1] = int32(len(w.under)), int32(len(w.pairs))
	}
}

func inAny(s text.Span, spans []text.Span) bool {
	for _, o := range spans {
		if !o.Empty() && o.Overlaps(s) {
			return true
		}
	}
	return false
}

// put adds a cell for the last term, or notes that it has one.
func (w *wording) put(s text.Span, base float64, name, han bool) {
	c := w.at[s.Start]
	if c < 0 {
		c = len(w.cells)
		w.cells = append(w.cells, cell{s, 0, name, han})
		for i := s.Start; i < s.End; i++ {
			w.at[i] = c
		}
	}
	w.cells[c].name = w.cells[c].name || name
	w.puts = append(w.puts, put{int32(c), int32(len(w.terms) - 1), base})
}

// isName reports whether a Latin word is capitalised inside its sentence.
func isName(runes []rune, s text.Span) bool {
	if s.Len() < 2 || !unicode.IsUpper(runes[s.Start]) {
		return false
	}
	for i := s.Start - 1; i >= 0; i-- {
		switch runes[i] {
		case ' ', '"', '“', '(', '\'', '‘':
			continue
		case '.', '!', '?', '\n', ':', ';', '。', '-', '*', '|', '>', '#':
			return false
		}
		return true
	}
	return false
}

// addText puts the terms of a plain text in.
func (e *Engine) addText(b *bag, s string, weight float32) {
	if s != "" {
		b.addWording(e.wording(s, nil), weight)
	}
}

// originWeight says how surely a fact is about a word that stands there.
func originWeight(o Origin) float32 {
	switch o {
	case Own, RowHeader, ColHeader:
		return 1
	case Clausal, LeadIn, Topic:
		return 0.95
	case Sentence:
		return 0.8
	case Heading:
		return 0.9
	case Title:
		return 0.85
	}
	return 0.5
}

// covered is the result of laying a wording over a bag.
type covered struct {
	score float64   // covered weight / all weight, 0..1; 1 for an empty wording
	cells []float64 // by cell, 0..1
}

// cover lays the wording over the bag.
func (w *wording) cover(b *bag) covered {
	c := covered{cells: make([]float64, len(w.cells))}
	if len(w.cells) == 0 {
		c.score = 1
		return c
	}
	w.lay(b, c.cells, math.MaxFloat64)
	c.score = w.score(c.cells)
	return c
}

// scoreOn is the score of cover.
func (w *wording) scoreOn(b *bag) float64 {
	var few [48]float64
	cells := few[:]
	if len(w.cells) > len(few) {
		cells = make([]float64, len(w.cells))
	}
	cells = cells[:len(w.cells)]
	w.lay(b, cells, math.MaxFloat64)
	return w.score(cells)
}

// lay raises the cells that the bag covers, up to limit.
func (w *wording) lay(b *bag, cells []float64, limit float64) {
	for n := range w.probes {
		p := &w.probes[n]
		m := float64(b.weight(p.word))
		if p.concept != 0 {
			if s := float64(b.weight(p.concept)) * synonymMatch; s > m {
				m = s
			}
		}
		if p.kind == text.HanRun || m == 0 && p.kind == text.Concept {
			for _, x := range w.pairs[p.pairs[0]:p.pairs[1]] {
				m := min(float64(b.weight(x.key)), limit)
				if x.a >= 0 && cells[x.a] < m {
					cells[x.a] = m
				}
				if x.b >= 0 && cells[x.b] < m {
					cells[x.b] = m
				}
			}
		}
		if m == 0 {
			continue
		}
		m = min(m, limit)
		for _, k := range w.under[p.cells[0]:p.cells[1]] {
			if cells[k] < m {
				cells[k] = m
			}
		}
	}
	if w.across(b) {
		w.layAcross(b, cells, limit)
	}
	if len(w.named) > 0 {
		w.layAliases(cells)
	}
}

func (w *wording) score(cells []float64) float64 {
	if w.total == 0 {
		return 1
	}
	sum := 0.0
	for k, c := range w.cells {
		sum += c.weight * cells[k]
	}
	return sum / w.total
}

// gap is a stretch of a wording that is not covered.
type gapSpan struct {
	text.Span         // in the wording
	weight    float64 // of its cells
	name      bool
}

// gaps lists the maximal stretches of cells covered below limit. A single Han
// character between covered ones is no gap: it is mostly part of a word whose
// other half matched.
func (w *wording) gaps(cells []float64, limit float64) []gapSpan {
	var out []gapSpan
	for g := range w.eachGap(cells, limit) {
		out = append(out, g)
	}
	return out
}

// eachGap is gaps one by one.
func (w *wording) eachGap(cells []float64, limit float64) iter.Seq[gapSpan] {
	return func(yield func(gapSpan) bool) {
		for k := 0; k < len(w.cells); {
			if cells[k] >= limit {
				k++
				continue
			}
			g := gapSpan{Span: w.cells[k].Span, weight: w.cells[k].weight, name: w.cells[k].name}
			j := k + 1
			for j < len(w.cells) && cells[j] < limit && w.cells[j].han && w.cells[k].han && w.cells[j].Start == w.cells[j-1].End {
				g.End = w.cells[j].End
				g.weight += w.cells[j].weight
				j++
			}
			alone := w.cells[k].han && j-k == 1 && (k > 0 && w.cells[k-1].han && w.cells[k-1].End == w.cells[k].Start || j < len(w.cells) && w.cells[j].han && w.cells[j].Start == w.cells[k].End)
			if !alone && !yield(g) {
				return
			}
			k = j
		}
	}
}

// worst is the greatest share of the weight in one uncovered stretch.
func (w *wording) worst(cells []float64) float64 {
	worst := 0.0
	for _, g := range w.gaps(cells, cellCovered) {
		worst = math.Max(worst, g.weight)
	}
	if w.total == 0 {
		return 0
	}
	return worst / w.total
}

// telling reports whether the wording has a word that says what it is about.
func (w *wording) telling() bool {
	for _, c := range w.cells {
		if c.han && c.weight >= 0.5 || !c.han && c.weight >= 0.5*latinCell {
			return true
		}
	}
	return false
}

func (w *wording) text(s text.Span) string { return string(w.runes[s.Start:s.End]) }

// rarity says how telling a term is among the sentences at hand: a term of every
// sentence tells little, one of few or none tells most.
type rarity struct {
	count *tally // of words and concepts: the sentences that have them
	n     int
}

// newRarity counts terms by sentence over the pages.
func newRarity(views []*view) *rarity {
	st := &rarity{count: newTally(64 * len(views))}
	for _, v := range views {
		st.n += len(v.page.Sentences)
		counts := v.sentenceCounts()
		for i, k := range counts.keys {
			if k != 0 {
				*st.count.count(k) += counts.counts[i]
			}
		}
	}
	return st
}

// of is the weight of a term, 0.35..1: 1 for a term that is in no or one sentence,
// falling with the logarithm of the share of sentences that have it. Words that
// say little anywhere weigh half.
func (st *rarity) of(t *probe) float64 {
	w := 1.0
	if st != nil && st.n > 1 {
		df := st.count.get(t.word)
		if t.concept != 0 {
			df = max(df, st.count.get(t.concept))
		}
		if df > 1 {
			// In a handful of sentences a word that comes twice is not common yet.
			known := math.Min(1, float64(st.n-1)/12)
			w = 1 - 0.65*known*math.Log(float64(df))/math.Log(float64(st.n)+1)
		}
	}
	if t.light {
		w *= 0.4
	}
	return math.Max(w, 0.2)
}

// light words are content by form, but say little of what a text is about.
var light = lightWords()

func lightWords() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"情况", "方面", "问题", "内容", "规定", "要求", "标准", "相关", "有关", "具体", "主要", "一般", "目前", "现在", "请问", "告诉", "知道", "介绍", "说明",
		"进行", "实行", "采取", "提供", "属于", "关于", "通常", "公司", "员工", "人员", "事项", "时候", "情形", "东西", "左右", "一次", "以上", "以下", "需要",
		"make", "made", "do", "have", "get", "take", "give", "use", "go", "come", "happen", "tell", "say", "state", "know", "want", "need", "work", "thing",
		"case", "kind", "type", "sort", "way", "number", "amount", "total", "current", "currently", "please", "much", "many", "new", "follow", "respect",
		"allow", "promise", "keep", "kept", "locate", "provide", "offer", "receive", "give", "gain", "grant", "permit", "set", "enjoy", "entitle", "apply", "require", "include", "state", "stipulate",
		"最长", "最短", "最多", "最少", "最高", "最低", "最大", "最小", "最迟", "最早", "至少", "至多",
		"经过", "需要", "设在", "位于", "享受", "享有", "获得", "发放", "设有", "允许", "可以", "规定", "执行", "实施", "发", "给", "拿", "领",
		"certain", "various", "general", "usual", "normal", "accord", "regard", "relat", "includ", "provid", "得到", "获得", "享有", "享受", "拿到", "拿回", "收到", "receiv", "obtain", "bring", "put", "let", "along", "customer", "user", "peopl", "person", "company", "compani",
	} {
		m[text.Stem(w)] = true
		m[w] = true
	}
	return m
}
