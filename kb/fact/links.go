package fact

import (
	"slices"

	"suffice.dev/suffice/text"
)

// links joins facts of different pages whose subject is named on both: what is said
// of the yard that built the ship, when another page says which yard it was.
type links struct {
	views []*view
	cache map[linkKey]*bag
	joins map[*wording]bool // some clause has nearly all words
	pages map[pageWording][]float64

	// By word, pair and concept: the clauses that have it, numbered through all pages.
	// Built when first asked for.
	clauses map[key][]int32
	places  []clausePlace
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

func newLinks(views []*view) *links {
	return &links{views: views, cache: map[linkKey]*bag{}, joins: map[*wording]bool{}, pages: map[pageWording][]float64{}}
}

// linkWeight is the least weight of a subject that may link two pages: a name of
// two Latin words or four Han characters.
const linkWeight = 3.5

// bag is what other pages, or other sentences of this one, say about the subject
// of the fact; nil if nothing.
func (l *links) bag(page int, v *view, f *Fact) *bag {
	if f.Subject.Text == "" {
		return nil
	}
	key := linkKey{page, f.Subject.Text}
	if b, ok := l.cache[key]; ok {
		return b
	}
	w := v.engine.wording(f.Subject.Text, nil)
	var out *bag
	if w.total >= linkWeight {
		for _, at := range l.sharing(w) {
			o := l.views[at.page]
			if at.page == page && o.page.Clauses[at.clause].Sentence == f.Sentence {
				continue
			}
			own := o.saidBag(at.clause)
			if w.scoreOn(own) < 0.9 {
				continue
			}
			if out == nil {
				out = newBag(16)
			}
			out.addBag(own)
		}
	}
	l.cache[key] = out
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
		joined = slices.ContainsFunc(l.sharing(w), func(at clausePlace) bool {
			return w.scoreOn(l.views[at.page].saidBag(at.clause)) >= 0.95
		})
		l.joins[w] = joined
	}
	return joined
}

// sharing lists, in order, the clauses that have a word of the wording: those that
// can cover any of it.
func (l *links) sharing(w *wording) []clausePlace {
	if l.clauses == nil {
		l.read()
	}
	var found []int32
	for i := range w.probes {
		found = append(found, l.clauses[w.probes[i].word]...)
		if c := w.probes[i].concept; c != 0 {
			found = append(found, l.clauses[c]...)
		}
	}
	for i := range w.pairs {
		found = append(found, l.clauses[w.pairs[i].key]...)
	}
	slices.Sort(found)
	found = slices.Compact(found)
	out := make([]clausePlace, len(found))
	for i, n := range found {
		out[i] = l.places[n]
	}
	return out
}

func (l *links) read() {
	l.clauses = map[key][]int32{}
	for p, v := range l.views {
		for c := range v.page.Clauses {
			n := int32(len(l.places))
			l.places = append(l.places, clausePlace{p, c})
			own := v.saidBag(c)
			for _, k := range own.keys {
				if k != 0 {
					l.clauses[k] = append(l.clauses[k], n)
				}
			}
		}
	}
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
