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
				steps = []numberedStep{{number: len(have) + 1, sentence: steps[0].sentence, fact: steps[0].fact}}
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
type numberedStep struct {
	number, sentence, fact int
	last                   bool // told as the last one: its number is the next
}

// stepsOn are the numbered steps of a page in the order of their numbers, each once. A last
// step alone has the number 0. They are shared: they must not be changed.
func (s *sheet) stepsOn() []numberedStep {
	return *s.steps.get(0, s.readSteps)
}

func (s *sheet) readSteps() *[]numberedStep {
	p := s.page
	out := []numberedStep{}
	seen := map[int]bool{}
	step := func(number, sentence int, last bool) {
		if lo, hi := p.factsIn(sentence); lo < hi {
			out = append(out, numberedStep{number, sentence, lo, last})
		} else {
			out = append(out, numberedStep{number, sentence, -1, last})
		}
	}
	add := func(number, sentence int) {
		if !seen[number] {
			seen[number] = true
			step(number, sentence, false)
		}
	}
	last := -1 // the sentence of a last step that has no number
	for i, info := range p.Sentences {
		numbers := stepNumbers(p.Runes[info.Start:info.End])
		if info.Item > 0 {
			add(info.Item, i)
		}
		for _, k := range numbers {
			if k != lastStep {
				add(k, i)
			}
		}
		if last < 0 && info.Item == 0 && len(numbers) > 0 && !slices.ContainsFunc(numbers, func(k int) bool { return k != lastStep }) {
			last = i
		}
	}
	slices.SortFunc(out, func(a, b numberedStep) int { return a.number - b.number })
	switch n := len(out); { // finally: the one behind the others
	case last < 0:
	case n == 0:
		step(0, last, true)
	default:
		step(out[n-1].number+1, last, true)
	}
	return &out
}
