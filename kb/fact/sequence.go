package fact

import "slices"

// A numbered procedure may be cut into passages: the first passage has the steps one to
// three, another one the fourth and the fifth.

// leastCarried is the least share of a subject that the page must have on which the steps of
// its procedure go on.
const leastCarried = 0.6

// goesOn adds to the fillers of a counted need the numbered steps on other pages that go on
// where those of the fillers' pages end. Steps that are there twice, or behind a step that is
// nowhere, belong to another procedure or leave a gap, and add nothing.
func (r *Round) goesOn(n *prepared, fillers []Ref) []Ref {
	have := map[int]bool{}
	used := map[int]bool{}
	for _, f := range fillers {
		if used[f.Page] {
			continue
		}
		used[f.Page] = true
		for _, k := range r.views[f.Page].stepsOn() {
			have[k.number] = true
		}
	}
	if !unbroken(have) {
		return fillers
	}
	for again := true; again; {
		again = false
		for p, v := range r.views {
			steps := v.stepsOn()
			if !used[p] && len(steps) == 1 && steps[0].number == 0 {
				steps[0].number = len(have) + 1
			}
			if used[p] || len(steps) == 0 || steps[0].number != len(have)+1 || n.subject.total == 0 || n.subject.scoreOn(v.allBag()) < leastCarried {
				continue
			}
			for i, s := range steps {
				if s.number != steps[0].number+i {
					steps = nil
					break
				}
			}
			if steps == nil {
				continue
			}
			used[p], again = true, true
			for _, s := range steps {
				have[s.number] = true
				if len(fillers) < maxItems {
					fillers = append(fillers, Ref{Page: p, Fact: s.fact, Span: v.page.Sentences[s.sentence].Span, Score: leastCarried})
				}
			}
		}
	}
	return fillers
}

// unbroken reports whether numbers begin at one and leave none out.
func unbroken(numbers map[int]bool) bool {
	for k := range numbers {
		if k < 1 || k > len(numbers) {
			return false
		}
	}
	return len(numbers) > 0
}

// numberedStep is a step that a page numbers, in a list or in words.
type numberedStep struct{ number, sentence, fact int }

// stepsOn are the numbered steps of a page in the order of their numbers, each once. A last
// step alone has the number 0.
func (v *view) stepsOn() []numberedStep {
	var out []numberedStep
	add := func(number, sentence int) {
		if slices.ContainsFunc(out, func(s numberedStep) bool { return s.number == number }) {
			return
		}
		fact := -1
		for c := v.page.Sentences[sentence].Clauses[0]; fact < 0 && c < v.page.Sentences[sentence].Clauses[1] && c < len(v.page.Clauses); c++ {
			if f := v.page.Clauses[c].Facts; f[0] < f[1] && f[0] < len(v.page.Facts) {
				fact = f[0]
			}
		}
		out = append(out, numberedStep{number, sentence, fact})
	}
	for i, s := range v.page.Sentences {
		if s.Item > 0 {
			add(s.Item, i)
		}
		for _, k := range stepNumbers(v.page.Runes[s.Start:s.End]) {
			add(k, i)
		}
	}
	slices.SortFunc(out, func(a, b numberedStep) int { return a.number - b.number })
	switch last := len(out) - 1; { // finally: the one behind the others
	case last > 0 && out[last].number == lastStep:
		out[last].number = out[last-1].number + 1
	case last == 0 && out[last].number == lastStep:
		out[last].number = 0
	}
	return out
}
