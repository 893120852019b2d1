package fact

import (
	"regexp"
	"slices"

	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A rule with an exception says two things: what holds, and that the opposite holds of what it
// excepts. A claim that names the excepted case is compared with the second, however near its
// words are to those of the first.

// leastExcepted is the least share of the words that an exception has beside its rule which a claim
// has that names it.
const leastExcepted = 0.8

// setsApart are the words that make an exception of what stands beside them.
var setsApart = regexp.MustCompile(`除外|例外|^除(?:非|了|去)?|(?:之|以)?外$|\b(?:except(?:ed|ing)?(?: for)?|excluded|exempt(?:ed)?|unless|other than|apart from|aside from|with the exception of|save for)\b`)

// namesException reports whether a claim names what a sentence of a page excepts: all of its
// words that the rule does not have itself, or its time.
func (k *Checker) namesException(c Claim, span text.Span, page, sentence int) bool {
	p := k.views[page].page
	info := p.Sentences[sentence]
	said := newBag(16)
	var times []when.Expr
	for i := range c.Page.Clauses {
		cl := &c.Page.Clauses[i]
		if !span.Contains(cl.Span) {
			continue
		}
		for _, t := range cl.Terms {
			said.add(t.Text, t.Synset, 1)
		}
		for _, cond := range cl.Conditions {
			said.addTerms(cond.Terms, 1)
		}
		times = append(times, cl.Times...)
	}
	for i := info.Clauses[0]; i < info.Clauses[1]; i++ {
		src := &p.Clauses[i]
		main := ownAsserted(src)
		for _, cond := range src.Conditions {
			if cond.Kind != Except && cond.Kind != Unless {
				continue
			}
			if timesNamed(times, cond) {
				return true
			}
			if w := k.engine.wording(setsApart.ReplaceAllString(fold(cond.Text), " "), nil); w.total >= 1 && len(cond.Times) == 0 && ownShare(w, w.cover(said).cells, w.cover(main).cells) >= leastExcepted {
				return true
			}
		}
	}
	return false
}

// timesNamed reports whether a claim is of a time that a condition names.
func timesNamed(times []when.Expr, cond Condition) bool {
	return slices.ContainsFunc(cond.Times, func(o when.Expr) bool {
		return slices.ContainsFunc(times, func(t when.Expr) bool {
			r, _ := when.Compare(t, o)
			return r == relation.Same || when.Within(t, o) == relation.Same
		})
	})
}
