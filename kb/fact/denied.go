package fact

// ownTerms are the words of a clause itself.
func ownTerms(c *Clause) *bag {
	b := newBag(len(c.Terms))
	for _, t := range c.Terms {
		b.add(t.Text, t.Synset, 1)
	}
	return b
}

// assertedRest is the share of a claim that its source clause says, of those words that
// neither the frame of the page nor the clauses beside it in its sentence give: photos
// may be taken in the museum, but without flash. 0 where too little is left to tell.
func (k *Checker) assertedRest(cl *Clause, w, topic *wording, b found) float64 {
	v := k.views[b.page]
	src := &v.page.Clauses[b.clause]
	given := w.cover(bagOf(k.engine.wording(cl.Topic.Text, nil))).cells
	lift(w, given, bagOf(topic), 1)
	lift(w, given, v.frameBag(), 1)
	for i := range v.page.Clauses {
		if o := &v.page.Clauses[i]; i != b.clause && o.Sentence == src.Sentence {
			lift(w, given, ownTerms(o), 1)
		}
	}
	sum, total := besides(w, w.cover(ownTerms(src)).cells, given)
	if total < 3 {
		return 0
	}
	return sum / total
}
