package fact

import "suffice.dev/suffice/text"

// links joins facts of different pages whose subject is named on both: what is said
// of the yard that built the ship, when another page says which yard it was.
type links struct {
	views []*view
	cache map[linkKey]*bag
}

type linkKey struct {
	page    int
	subject string
}

func newLinks(views []*view) *links {
	return &links{views: views, cache: map[linkKey]*bag{}}
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
		for i, o := range l.views {
			for c := range o.page.Clauses {
				clause := &o.page.Clauses[c]
				if i == page && clause.Sentence == f.Sentence {
					continue
				}
				own := newBag(len(clause.Terms))
				for _, t := range clause.Terms {
					own.add(t.Text, t.Synset, 1)
				}
				if w.cover(own).score < 0.9 {
					continue
				}
				if out == nil {
					out = newBag(16)
				}
				for word, weight := range own.words {
					out.add(word, 0, weight)
				}
				for syn, weight := range own.syns {
					if weight > out.syns[syn] {
						out.syns[syn] = weight
					}
				}
			}
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
		if t.Name && !t.Span.Empty() && bagOf(w).words[t.Text] == 0 {
			return
		}
	}
	for _, o := range l.views {
		for c := range o.page.Clauses {
			own := newBag(len(o.page.Clauses[c].Terms))
			for _, t := range o.page.Clauses[c].Terms {
				own.add(t.Text, t.Synset, 1)
			}
			if w.cover(own).score >= 0.95 {
				for k := range cells {
					if cells[k] < 0.6 {
						cells[k] = 0.6
					}
				}
				return
			}
		}
	}
}

// ambient covers what the documents at hand take for granted: a stretch that stands
// on several other pages (the firm whose documents they are) need not be repeated on
// each.
func (l *links) ambient(w *wording, cells []float64, page int, scale float64) {
	if len(l.views) < 4 {
		return
	}
	for _, g := range w.gaps(cells, cellCovered) {
		pages := 0
		documents := map[string]bool{}
		for i, o := range l.views {
			if i == page || o.meta.Document != "" && documents[o.meta.Document] {
				continue
			}
			if c := w.cover(o.allBag()); w.covers(c.cells, g.Span) {
				pages++
				documents[o.meta.Document] = true
			}
		}
		if pages < 2 {
			continue
		}
		for k, cell := range w.cells {
			if g.Span.Contains(cell.Span) {
				cells[k] = max(cells[k], 0.6*scale)
			}
		}
	}
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
