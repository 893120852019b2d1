package fact

// Overlap is how far passages share the words of a question, before any slot is
// looked at. All values 0..1.
type Overlap struct {
	Passage    float64 // best single page
	Set        float64 // all pages together
	Sentence   float64 // best single sentence with what it inherits
	Similarity float64 // embedding similarity of question and best sentence; -1 without an embedding
	Best       int     // page of the best sentence; -1 = none
}

// Overlap measures the question against the pages.
func (e *Engine) Overlap(question string, pages []*Page, metas []Meta) Overlap {
	out := Overlap{Similarity: -1, Best: -1}
	st := newRarity(pages)
	w := e.wording(question, st)
	set := make([]float64, len(w.cells))
	var best *view
	bestSentence := -1
	for i, v := range e.views(pages, metas) {
		page := make([]float64, len(w.cells))
		for s := range v.page.Sentences {
			cells := make([]float64, len(w.cells))
			info := v.page.Sentences[s]
			for c := info.Clauses[0]; c < info.Clauses[1] && c < len(v.page.Clauses); c++ {
				lift(w, cells, v.clauseBag(c), 1)
			}
			if score := w.score(cells); score > out.Sentence {
				out.Sentence, out.Best, best, bestSentence = score, i, v, s
			}
			for k := range cells {
				page[k] = max(page[k], cells[k])
				set[k] = max(set[k], cells[k])
			}
		}
		out.Passage = max(out.Passage, w.score(page))
	}
	out.Set = w.score(set)
	if len(pages) == 0 {
		return Overlap{Similarity: -1, Best: -1}
	}
	if best != nil && e.config.Similarity != nil {
		out.Similarity = e.config.Similarity(question, best.page.Quote(best.page.Sentences[bestSentence].Span))
	}
	return out
}
