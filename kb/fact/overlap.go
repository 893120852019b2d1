package fact

import (
	"math"
	"sort"

	"suffice.dev/suffice/text"
)

// Overlap is how far passages carry the words of a question, and whether something
// of the asked kind stands near them. Words count by their rarity in the language
// and among the pages. All values are 0..1 unless said otherwise.
type Overlap struct {
	Set      float64 // all pages together
	Sentence float64 // best single sentence, with what it inherits
	Answer   float64 // best window whose sentence holds a fact of the asked kind; 0 if none does
	Fact     float64 // best single fact of the asked kind, by what it is about
	Focus    float64 // of the asked attribute alone, in the best window

	Names       float64 // share of the question's names in the best page; -1 = it has none
	Numbers     float64 // share of its numbers in all pages; -1 = it has none
	Soft        float64 // best sentence with the one before it, with stretches not carried lifted by a similar word; -1 without an embedding
	Similarity  float64 // greatest similarity of the question and one of the best sentences; -1 without an embedding
	AnswerLike  float64 // the same among sentences that hold a fact of the asked kind; -1 = none
	Order       float64 // share of neighbouring question words that are neighbours in the best sentence too
	Best        int     // page of the best window; -1 = none
	BestSpan    text.Span
	BestRow     bool // the best window is a row of a table
	BestHolds   bool // the best window holds a fact of the asked kind
	QuestionLen float64

	WindowRest float64 // mean coverage of the windows looked at beside the best
	LikeRest   float64 // mean similarity of the sentences looked at beside the most similar; -1 without an embedding
	Cell       CellMatch
}

// scored is one sentence as the question sees it.
type scored struct {
	page, sentence int
	cells          []float64
	own, window    float64
	holds          bool // a fact of the asked kind
}

// maxLooked is how many of the best sentences are compared by the embedding.
const maxLooked = 8

// Overlap measures a question against the pages of the round. need says what kind of
// answer is asked; nil = any.
func (r *Round) Overlap(question string, need *Need) Overlap {
	e, views, st := r.engine, r.views, r.st
	out := Overlap{Names: -1, Numbers: -1, Soft: -1, Similarity: -1, AnswerLike: -1, Best: -1, LikeRest: -1, Cell: CellMatch{Numbers: -1, Like: -1}}
	w := e.wording(question, st)
	e.weighByRarity(w)
	out.QuestionLen = w.total
	if len(views) == 0 || len(w.cells) == 0 {
		return out
	}
	index := newTermIndex(w)
	var prepared *prepared
	if need != nil {
		prepared = e.prepare(need, st)
	}
	set := make([]float64, len(w.cells))
	var all []scored
	names := 0.0
	var holds []bool // by fact of a page: it is of the asked kind
	for i, v := range views {
		page := make([]float64, len(w.cells))
		frame := make([]float64, len(w.cells))
		if v.meta.Title != "" {
			index.text(e, v.meta.Title, 0.85, frame)
		}
		holds = append(holds[:0], make([]bool, len(v.page.Facts))...)
		for f := range holds {
			holds[f] = prepared != nil && prepared.kinds.admits(prepared, v, &v.page.Facts[f])
		}
		var before []float64
		room := make([]float64, 2*len(w.cells)*len(v.page.Sentences))
		for s := range v.page.Sentences {
			info := v.page.Sentences[s]
			x := scored{page: i, sentence: s, cells: room[:len(w.cells)]}
			window := room[len(w.cells) : 2*len(w.cells)]
			room = room[2*len(w.cells):]
			index.bag(v.sentenceBag(s), x.cells)
			copyMax(x.cells, frame, 1)
			x.own = w.score(x.cells)
			copy(window, x.cells)
			copyMax(window, before, 0.8)
			if s > 0 && len(all) > 0 && all[len(all)-1].page == i {
				copyMax(window, all[len(all)-s].cells, 0.6) // the page's first sentence names its subject
			}
			x.window = w.score(window)
			for c := info.Clauses[0]; prepared != nil && !x.holds && c < info.Clauses[1] && c < len(v.page.Clauses); c++ {
				for f := v.page.Clauses[c].Facts[0]; f < v.page.Clauses[c].Facts[1] && f < len(v.page.Facts); f++ {
					if holds[f] {
						x.holds = true
						break
					}
				}
			}
			copyMax(page, x.cells, 1)
			before = x.cells
			x.cells = window
			out.Sentence = math.Max(out.Sentence, x.own)
			if x.holds {
				out.Answer = math.Max(out.Answer, x.window)
			}
			all = append(all, x)
		}
		cells := make([]float64, len(w.cells))
		for f := range holds {
			if !holds[f] {
				continue
			}
			copy(cells, frame)
			index.bag(v.anchorBag(f), cells)
			out.Fact = math.Max(out.Fact, w.score(cells))
		}
		copyMax(set, page, 1)
		if n, ok := w.share(page, func(c cell) bool { return c.name }); ok {
			names = math.Max(names, n)
			out.Names = names
		}
	}
	out.Set = w.score(set)
	numbers := numbersIn(w.folded)
	for _, v := range views {
		if found, ok := numbers.among(v.numbers()); ok {
			out.Numbers = math.Max(out.Numbers, found)
		}
	}
	rank := func(x scored) float64 {
		r := x.window + 0.5*x.own
		if x.holds {
			r += 0.15
		}
		return r
	}
	sort.SliceStable(all, func(a, b int) bool { return rank(all[a]) > rank(all[b]) })
	if len(all) == 0 {
		return out
	}
	best := all[0]
	v := views[best.page]
	info := v.page.Sentences[best.sentence]
	out.Best, out.BestSpan, out.BestRow, out.BestHolds = best.page, info.Span, info.Kind == Row, best.holds
	out.Order = index.order(v.page, info)
	for _, x := range all[1:min(maxLooked, len(all))] {
		out.WindowRest += x.window / float64(min(maxLooked, len(all))-1)
	}
	out.Cell = e.cellMatch(w, index, views)
	if prepared != nil && prepared.attribute.total > 0 {
		attribute := newTermIndex(prepared.attribute)
		for _, x := range all[:min(4, len(all))] {
			out.Focus = math.Max(out.Focus, attribute.focus(views[x.page], x.sentence))
		}
	}
	if e.config.Similarity != nil {
		e.overlapLike(&out, question, w, all[:min(maxLooked, len(all))], views)
	}
	return out
}

// overlapLike adds what the embedding says.
func (e *Engine) overlapLike(out *Overlap, question string, w *wording, best []scored, views []*view) {
	sum := 0.0
	for _, x := range best {
		p := views[x.page].page
		s := math.Max(0, e.config.Similarity(question, p.Quote(p.Sentences[x.sentence].Span)))
		out.Similarity = math.Max(out.Similarity, s)
		sum += s
		if x.holds {
			out.AnswerLike = math.Max(out.AnswerLike, s)
		}
	}
	out.LikeRest = 0
	if n := len(best); n > 1 {
		out.LikeRest = (sum - out.Similarity) / float64(n-1)
	}
	like := func(word string, x scored) float64 {
		p := views[x.page].page
		most := 0.0
		info := p.Sentences[x.sentence]
		for c := info.Clauses[0]; c < info.Clauses[1] && c < len(p.Clauses); c++ {
			for _, t := range p.Clauses[c].Terms {
				if t.Span.Empty() {
					continue
				}
				other := p.Quote(t.Span)
				if s := e.config.Similarity(word, other); s > most && (s > 0.9 || !sharesHan(word, other)) {
					most = s
				}
			}
		}
		return most
	}
	for _, x := range best[:min(2, len(best))] {
		cells := append([]float64(nil), x.cells...)
		for _, g := range w.gaps(cells, cellCovered) {
			s := like(w.text(g.Span), x)
			for k, c := range w.cells {
				if g.Span.Contains(c.Span) {
					cells[k] = math.Max(cells[k], math.Max(0, s))
				}
			}
		}
		out.Soft = math.Max(out.Soft, w.score(cells))
	}
}

// weighByRarity scales the cells of a question by how rare their words are in the language.
func (e *Engine) weighByRarity(w *wording) {
	if e.config.Rarity == nil {
		return
	}
	scale := make([]float64, len(w.cells))
	for _, t := range w.terms {
		r := e.config.Rarity(w.text(t.Span))
		for i := t.Span.Start; i < t.Span.End; i++ {
			// A character lies in two pairs, one of which may cross a border of words
			// and be rare for that alone.
			if k := w.at[i]; k >= 0 && (scale[k] == 0 || r < scale[k]) {
				scale[k] = r
			}
		}
	}
	w.total = 0
	for k := range w.cells {
		if scale[k] > 0 {
			w.cells[k].weight *= 0.25 + 0.75*scale[k]
		}
		w.total += w.cells[k].weight
	}
}

// heaviest is the share of the wording in its heaviest stretch that is not covered;
// a name counts one and a half times, at most 1.
func (w *wording) heaviest(cells []float64) float64 {
	most := 0.0
	for _, g := range w.gaps(cells, cellCovered) {
		weight := g.weight
		if g.name {
			weight *= 1.5
		}
		most = math.Max(most, weight)
	}
	return math.Min(1, most/w.total)
}

// share is the covered share of the cells that are asked for; false if there are none.
func (w *wording) share(cells []float64, of func(cell) bool) (float64, bool) {
	sum, total := 0.0, 0.0
	for k, c := range w.cells {
		if of(c) {
			total += c.weight
			sum += c.weight * cells[k]
		}
	}
	if total == 0 {
		return 0, false
	}
	return sum / total, true
}

// focus is how far a sentence and the one before it carry the asked attribute.
func (x *termIndex) focus(v *view, sentence int) float64 {
	cells := make([]float64, len(x.w.cells))
	for s := max(0, sentence-1); s <= sentence; s++ {
		info := v.page.Sentences[s]
		for c := info.Clauses[0]; c < info.Clauses[1] && c < len(v.page.Clauses); c++ {
			x.terms(v.page.Clauses[c].Terms, cells)
			if s == sentence {
				x.terms(v.page.Clauses[c].Context, cells)
			}
		}
	}
	return x.w.score(cells)
}

func copyMax(to, from []float64, scale float64) {
	for k := range from {
		to[k] = math.Max(to[k], from[k]*scale)
	}
}

// termIndex finds the cells of a wording that a term of a text covers. It is the
// counterpart of a bag: built once for the question, not once a sentence.
type termIndex struct {
	w     *wording
	words *tally // by word or concept: 1 + its place in lists
	pairs *tally // by pair of Han characters: the same
	lists []cellList
}

// cellList are the cells that a key covers.
type cellList struct {
	key   key
	scale float64 // 1, for a concept synonymMatch
	cells []int
}

func newTermIndex(w *wording) *termIndex {
	x := &termIndex{w: w, words: newTally(2 * len(w.terms)), pairs: newTally(len(w.folded))}
	list := func(t *tally, k key, scale float64) *[]int {
		at := t.count(k)
		if *at == 0 {
			x.lists = append(x.lists, cellList{key: k, scale: scale})
			*at = int32(len(x.lists))
		}
		return &x.lists[*at-1].cells
	}
	for n, t := range w.terms {
		var cells []int
		for i := t.Span.Start; i < t.Span.End; i++ {
			if k := w.at[i]; k >= 0 && (len(cells) == 0 || cells[len(cells)-1] != k) {
				cells = append(cells, k)
			}
		}
		words := list(x.words, w.probes[n].word, 1)
		*words = append(*words, cells...)
		if t.Concept != 0 {
			concepts := list(x.words, w.probes[n].concept, synonymMatch)
			*concepts = append(*concepts, cells...)
		}
		for i := t.Span.Start; i+1 < t.Span.End; i++ {
			if text.IsHan(w.folded[i]) && text.IsHan(w.folded[i+1]) && w.at[i] >= 0 && w.at[i+1] >= 0 {
				pairs := list(x.pairs, pairKey(w.folded[i], w.folded[i+1]), 1)
				*pairs = append(*pairs, w.at[i], w.at[i+1])
			}
		}
	}
	return x
}

// of is the list of a key; empty when there is none.
func (x *termIndex) of(t *tally, k key) []int {
	if at := t.get(k); at > 0 {
		return x.lists[at-1].cells
	}
	return nil
}

func raise(cells []float64, at []int, v float64) {
	for _, k := range at {
		if cells[k] < v {
			cells[k] = v
		}
	}
}

// bag raises the cells that a bag of terms covers. It does what terms does with the
// terms themselves.
func (x *termIndex) bag(b *bag, cells []float64) {
	for i := range x.lists {
		l := &x.lists[i]
		if m := b.weight(l.key); m > 0 {
			raise(cells, l.cells, float64(m)*l.scale)
		}
	}
}

// terms raises the cells that the terms cover, by where they stand.
func (x *termIndex) terms(terms []Term, cells []float64) {
	for i := range terms {
		t := &terms[i]
		x.term(t.Text, t.Synset, float64(originWeight(t.Origin)), cells)
	}
}

func (x *termIndex) term(word string, synset int32, weight float64, cells []float64) {
	raise(cells, x.of(x.words, wordKey(word)), weight)
	if synset != 0 {
		raise(cells, x.of(x.words, conceptKey(synset)), weight*synonymMatch)
	}
	if x.pairs.n > 0 && text.IsHan(firstRune(word)) {
		prev := rune(0)
		for _, r := range word {
			if prev != 0 && text.IsHan(prev) && text.IsHan(r) {
				raise(cells, x.of(x.pairs, pairKey(prev, r)), weight)
			}
			prev = r
		}
	}
}

func (x *termIndex) text(e *Engine, s string, weight float64, cells []float64) {
	w := e.wording(s, nil)
	for i := range w.terms {
		x.term(w.terms[i].Text, w.terms[i].Concept, weight, cells)
	}
}

// order is how many neighbours among the question's words are neighbours in a sentence
// too, of all, 0..1.
func (x *termIndex) order(p *Page, info SentenceInfo) float64 {
	pairs := 0
	var before []int
	for c := info.Clauses[0]; c < info.Clauses[1] && c < len(p.Clauses); c++ {
		for _, t := range p.Clauses[c].Terms {
			if t.Span.Empty() {
				continue
			}
			cells := x.of(x.words, wordKey(t.Text))
			if len(cells) == 0 && t.Synset != 0 {
				cells = x.of(x.words, conceptKey(t.Synset))
			}
			if len(cells) == 0 {
				cells = x.of(x.pairs, wordKey(t.Text))
			}
			if len(cells) > 0 && len(before) > 0 {
				if d := cells[0] - before[len(before)-1]; d >= 0 && d <= 1 {
					pairs++
				}
			}
			before = cells
		}
	}
	if n := len(x.w.terms) - 1; n > 0 {
		return math.Min(1, float64(pairs)/float64(n))
	}
	return 0
}
