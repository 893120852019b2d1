package fact

import (
	"slices"

	"suffice.dev/suffice/text"
)

// links joins facts of different pages whose subject is named on both: what is said
// of the yard that built the ship, when another page says which yard it was.
type links struct {
	views []*view
	cache map[linkKey]*link
	named map[string][]clausePlace // by subject: the clauses that name it
	whole map[string]*bag          // by subject: the words of all of these
	joins map[*wording]bool        // some clause has nearly all words
	pages map[pageWording][]float64
}

// clausePlace is where a clause stands.
type clausePlace struct{ page, clause int }

// pageWording is a wording laid over a whole page.
type pageWording struct {
	page int
	w    *wording
}

type linkKey struct {
	page    int
	subject string
}

// link is what other pages, or other sentences of its own, say of a subject.
type link struct {
	page     int
	subject  string
	sentence int // of its own page, which is left out
	read     bool
	bag      *bag // nil = nothing
}

func newLinks(views []*view) *links {
	return &links{views: views, cache: map[linkKey]*link{}, named: map[string][]clausePlace{}, whole: map[string]*bag{}, joins: map[*wording]bool{}, pages: map[pageWording][]float64{}}
}

// linkWeight is the least weight of a subject that may link two pages: a name of
// two Latin words or four Han characters.
const linkWeight = 3.5

// of is the link of a fact's subject; nil if it has none.
func (l *links) of(page int, f *Fact) *link {
	if f.Subject.Text == "" {
		return nil
	}
	key := linkKey{page, f.Subject.Text}
	k, ok := l.cache[key]
	if !ok {
		k = &link{page: page, subject: f.Subject.Text, sentence: f.Sentence}
		l.cache[key] = k
	}
	return k
}

// bag is what other pages, or other sentences of this one, say about a subject; nil if
// nothing.
func (l *links) bag(k *link) *bag {
	if k.read {
		return k.bag
	}
	k.read = true
	v := l.views[k.page]
	places, ok := l.named[k.subject]
	if !ok {
		if w := v.engine.wording(k.subject, nil); w.total >= linkWeight {
			for _, at := range l.sharing(w, 0.9) {
				if w.scoreOn(l.views[at.page].saidBag(at.clause)) >= 0.9 {
					places = append(places, at)
				}
			}
		}
		l.named[k.subject] = places
	}
	own := func(at clausePlace) bool {
		return at.page == k.page && v.page.Clauses[at.clause].Sentence == k.sentence
	}
	if slices.ContainsFunc(places, own) {
		k.bag = l.joinedBag(places, own)
	} else if k.bag, ok = l.whole[k.subject]; !ok {
		k.bag = l.joinedBag(places, func(clausePlace) bool { return false })
		l.whole[k.subject] = k.bag
	}
	return k.bag
}

// joinedBag is the words of some clauses but those left out; nil without any.
func (l *links) joinedBag(places []clausePlace, leave func(clausePlace) bool) *bag {
	var out *bag
	for _, at := range places {
		if leave(at) {
			continue
		}
		if out == nil {
			out = newBag(16)
		}
		out.addBag(l.views[at.page].saidBag(at.clause))
	}
	return out
}

// complete covers names of a subject that the fact's page does not give, when another
// clause joins them with the rest of the subject: "the tax of Lower Thorne" on one
// page, "the tax" on the other.
func (l *links) complete(w *wording, cells []float64, v *view, f *Fact) {
	have, missing := 0.0, 0.0
	for k, c := range w.cells {
		if cells[k] >= cellCovered {
			have += c.weight
		} else {
			missing += c.weight
		}
	}
	if missing == 0 || have < 2 || have < 0.4*(have+missing) {
		return
	}
	for _, t := range f.Anchors { // a page with a name of its own is about that name
		if t.Name && !t.Span.Empty() && bagOf(w).word(t.Text) == 0 {
			return
		}
	}
	if !l.joined(w) {
		return
	}
	for k := range cells {
		if cells[k] < 0.6 {
			cells[k] = 0.6
		}
	}
}

// joined reports whether one clause has nearly all words of a wording.
func (l *links) joined(w *wording) bool {
	joined, ok := l.joins[w]
	if !ok {
		joined = slices.ContainsFunc(l.sharing(w, 0.95), func(at clausePlace) bool {
			return w.scoreOn(l.views[at.page].saidBag(at.clause)) >= 0.95
		})
		l.joins[w] = joined
	}
	return joined
}

// sharing lists, in order, the clauses that can cover a share of the wording: of the
// cells without which it cannot be reached, those that have the rarest; all that have
// any of its words where no cell is so heavy.
func (l *links) sharing(w *wording, share float64) []clausePlace {
	var keys []key
	fewest := -1
	for k := range w.cells {
		if w.cells[k].weight <= (1-share)*w.total+1e-9 {
			continue
		}
		of := w.keysOf(k)
		n := 0
		for _, x := range of {
			for _, v := range l.views {
				n += len(v.postings().of(x))
			}
		}
		if fewest < 0 || n < fewest {
			fewest, keys = n, of
		}
	}
	if fewest < 0 {
		for k := range w.cells {
			keys = append(keys, w.keysOf(k)...)
		}
	}
	var out []clausePlace
	var found []int32
	for p, v := range l.views {
		found = found[:0]
		index := v.postings()
		for _, x := range keys {
			for _, at := range index.of(x) {
				found = append(found, at.clause)
			}
		}
		slices.Sort(found)
		for _, c := range slices.Compact(found) {
			out = append(out, clausePlace{p, int(c)})
		}
	}
	return out
}

// keysOf are the keys that cover a cell.
func (w *wording) keysOf(cell int) []key {
	var out []key
	for n := range w.probes {
		p := &w.probes[n]
		if slices.Contains(w.under[p.cells[0]:p.cells[1]], int32(cell)) {
			out = append(out, p.word)
			if p.concept != 0 {
				out = append(out, p.concept)
			}
		}
		for _, x := range w.pairs[p.pairs[0]:p.pairs[1]] {
			if x.a == int32(cell) || x.b == int32(cell) {
				out = append(out, x.key)
			}
		}
	}
	return out
}

// ambient covers what the documents at hand take for granted: a stretch that stands
// on several other pages (the firm whose documents they are) need not be repeated on
// each.
func (l *links) ambient(w *wording, cells []float64, page int) {
	needed := 2
	if l.views[page].neutral() {
		needed = 1
	} else if len(l.views) < 4 {
		return
	}
	for _, g := range w.gaps(cells, cellCovered) {
		pages := 0
		documents := map[string]bool{}
		for i, o := range l.views {
			if i == page || o.meta.Document != "" && documents[o.meta.Document] {
				continue
			}
			if w.covers(l.over(w, i), g.Span) {
				pages++
				documents[o.meta.Document] = true
			}
		}
		if pages < needed {
			continue
		}
		for k, cell := range w.cells {
			if g.Span.Contains(cell.Span) {
				cells[k] = max(cells[k], ambientMatch)
			}
		}
	}
}

// over lays a wording over all that a page says. The cells are shared: they must not
// be changed.
func (l *links) over(w *wording, page int) []float64 {
	key := pageWording{page, w}
	cells, ok := l.pages[key]
	if !ok {
		cells = w.cover(l.views[page].allBag()).cells
		l.pages[key] = cells
	}
	return cells
}

// covers reports whether all cells of a stretch are covered.
func (w *wording) covers(cells []float64, s text.Span) bool {
	for k, c := range w.cells {
		if s.Contains(c.Span) && cells[k] < cellCovered {
			return false
		}
	}
	return true
}

// ambientMatch is how far the surroundings stand for a word that a page takes for
// granted.
const ambientMatch = 0.6
