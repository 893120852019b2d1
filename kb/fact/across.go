package fact

import (
	"unicode"

	"suffice.dev/suffice/text"
)

// A claim in one language over a passage in the other shares only numbers, names and
// dictionary terms with it, and words that the similarity function brings together.
// Its values decide; of its other words a part must be found.

// Limits for claims in another language than their passage.
const (
	crossWord    = 0.40 // cosine from which two words of different languages count as one
	crossClaim   = 0.35 // least share of the other words when every value is stated
	crossWords   = 0.55 // the same for a claim without values
	crossSubject = 0.25 // least share from which the only value of its kind is compared
	crossOther   = 0.5  // least share of the words from which another value contradicts
	crossSides   = 0.6  // least share of a side of a comparison
)

// foreign reports whether two pages are written in different languages.
func foreign(a, b *Page) bool { return mostlyHan(a) != mostlyHan(b) }

// mostlyHan reports whether a page is in Chinese, by its beginning.
func mostlyHan(p *Page) bool {
	if s := p.ready.Load(); s != nil {
		return *s.mostly.get(0, func() *bool {
			han := beginsHan(p)
			return &han
		})
	}
	return beginsHan(p)
}

func beginsHan(p *Page) bool {
	han, latin := 0, 0
	for i, r := range p.Runes {
		if i > 400 {
			break
		}
		switch {
		case text.IsHan(r):
			han += 2
		case unicode.IsLetter(r):
			latin++
		}
	}
	return han > latin/2
}

// liftAcross covers terms of the wording by words of a clause in the other language.
func (e *Engine) liftAcross(w *wording, cells []float64, v *view, c *Clause) {
	if e.config.Similarity == nil {
		return
	}
	s := v.page.Sentences[c.Sentence]
	for _, t := range w.terms {
		k := -1
		for i := t.Span.Start; i < t.Span.End; i++ {
			if x := w.at[i]; x >= 0 && cells[x] < cellCovered {
				k = x
				break
			}
		}
		if k < 0 || t.Kind == text.Number || w.cells[k].name {
			continue
		}
		word, best := w.text(t.Span), 0.0
		for n := s.Clauses[0]; n < s.Clauses[1] && n < len(v.page.Clauses); n++ {
			for _, o := range v.page.Clauses[n].Terms {
				if o.Span.Empty() || o.Span.Len() > 24 {
					continue
				}
				if x := e.config.Similarity(word, v.page.Quote(o.Span)); x > best {
					best = x
				}
			}
		}
		if best < crossWord {
			continue
		}
		for i := t.Span.Start; i < t.Span.End; i++ {
			if x := w.at[i]; x >= 0 && cells[x] < 0.8 {
				cells[x] = 0.8
			}
		}
	}
}

// acrossFit is how far a fact in the other language carries the words of a claim, and
// the share of the words that its clause tells. The only value of its kind in its sentence
// is about whatever the sentence is; of several the words near each, near, tell them apart.
func (k *Checker) acrossFit(w *wording, v *view, f *Fact, near float64) (fit, told float64) {
	c := v.clauseOf(f)
	if c == nil {
		return near, near
	}
	cov := w.cover(v.clauseBag(f.Clause))
	lift(w, cov.cells, v.frameBag(), 0.8)
	k.engine.liftAcross(w, cov.cells, v, c)
	if f.Value.Quantity != nil {
		impliedBy(f.Value.Quantity, w, cov.cells)
	}
	score := w.score(cov.cells)
	switch {
	case !sole(v, f):
		return (near + score) / 2, score
	case score >= crossSubject:
		return max(near, 0.6+0.4*score), score
	}
	return max(near, score), score
}
