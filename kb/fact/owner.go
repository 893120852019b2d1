package fact

import (
	"slices"

	"suffice.dev/suffice/text"
)

// The pages of one document speak of its subject, and each of them names it once, in
// the title, or not at all. Where nothing fills a need as it is worded, the name that
// another page begins with, or a proper name that stands on another page, is taken
// for granted on pages that name no other.

// leastOwner is the least length, in characters, of a Chinese name that a page begins
// with.
const leastOwner = 3

// taken reports whether a second look with the names of other pages could change
// anything.
func (l *links) taken(n *prepared) bool {
	if len(l.views) < 2 {
		return false
	}
	for _, w := range append([]*wording{n.subject, n.attribute}, n.given...) {
		for k, c := range w.cells {
			if c.name && !c.han {
				return true
			}
			if c.han && (k == 0 || !w.cells[k-1].han || w.cells[k-1].End != c.Start) && l.beginsWith(w, c.Start, -1) > c.Start {
				return true
			}
		}
	}
	return false
}

// beginsWith is the end of the longest stretch of Han characters from a place of the
// wording that the text or title of another page begins with.
func (l *links) beginsWith(w *wording, from, page int) int {
	best := from
	for i, o := range l.views {
		if i == page {
			continue
		}
		for _, t := range [][]rune{o.foldedText(), text.Fold([]rune(o.meta.Title))} {
			for len(t) > 0 && !text.IsHan(t[0]) && !text.IsWord(t[0]) {
				t = t[1:]
			}
			k := 0
			for k < len(t) && from+k < len(w.folded) && t[k] == w.folded[from+k] && text.IsHan(t[k]) {
				k++
			}
			if k >= leastOwner && from+k > best {
				best = from + k
			}
		}
	}
	return best
}

// granted covers the names of a wording that the page takes for granted.
func (l *links) granted(words *bag, w *wording, cells []float64, page int) {
	v := l.views[page]
	if v.beginsOther(words) {
		return
	}
	for k := 0; k < len(w.cells); k++ {
		c := w.cells[k]
		if cells[k] >= cellCovered {
			continue
		}
		if !c.han {
			if c.name && !v.namesOthers(words) && l.owns(words, w, k, page) {
				cells[k] = ambientMatch
			}
			continue
		}
		end := l.beginsWith(w, c.Start, page)
		for ; k < len(w.cells) && w.cells[k].End <= end; k++ {
			cells[k] = max(cells[k], ambientMatch)
		}
		if end > c.Start {
			k--
		}
		// The rest of this stretch must be carried.
		for k+1 < len(w.cells) && w.cells[k+1].han && w.cells[k+1].Start == w.cells[k].End && cells[k+1] < cellCovered {
			k++
		}
	}
}

// owns reports whether another page begins with a subject that has a cell of the wording
// and no proper name but those of the question.
func (l *links) owns(words *bag, w *wording, k, page int) bool {
	for i, o := range l.views {
		if i == page || len(o.page.Clauses) == 0 {
			continue
		}
		topic := o.page.Clauses[0].Topic
		if w.cover(bagOf(o.engine.wording(topic.Text, nil))).cells[k] >= cellCovered && !o.namesIn(0, 1, topic.Span, words) {
			return true
		}
	}
	return false
}

// beginsOther reports whether the page begins with a thing of its own: not with a
// measure (开标时间) nor with words of the question.
func (v *view) beginsOther(words *bag) bool {
	if len(v.page.Clauses) == 0 || v.neutral() {
		return false
	}
	t := v.page.Clauses[0].Topic
	if t.Text == "" || !text.IsHan(firstRune(t.Text)) {
		return false
	}
	w := v.engine.wording(head(t.Text), nil)
	return w.total > 0 && w.scoreOn(words) < 0.5 && partHead(head(t.Text))
}

// namesOthers reports whether the page has a proper name that the question has not.
func (v *view) namesOthers(words *bag) bool {
	return v.namesIn(0, len(v.page.Clauses), text.Span{Start: 0, End: len(v.page.Runes)}, words)
}

// namesIn is namesOthers for a stretch of some clauses.
func (v *view) namesIn(from, to int, within text.Span, words *bag) bool {
	for i := from; i < to; i++ {
		c := &v.page.Clauses[i]
		for _, t := range c.Terms {
			if !t.Name || t.Span.Empty() || !within.Contains(t.Span) || words.has(t.Text, t.Synset) {
				continue
			}
			dated := false
			for _, x := range c.Times {
				dated = dated || x.Span.Overlaps(t.Span)
			}
			if !dated {
				return true
			}
		}
	}
	return false
}

// anotherColumn reports whether some words name another column of the row than that of
// a cell: of the Enterprise column nothing is said of Business.
func (v *view) anotherColumn(i int, words *bag) bool {
	f := &v.page.Facts[i]
	if !v.tableCell(f) || f.Attribute.Text == "" || v.measured(f) || hasDigit([]rune(f.Attribute.Text)) || f.Clause < 0 || f.Clause >= len(v.page.Clauses) {
		return false
	}
	own := v.engine.wording(f.Attribute.Text, nil)
	if own.total == 0 || own.scoreOn(words) >= 0.5 {
		return false
	}
	return slices.ContainsFunc(v.headingsSaid(f.Clause, words), func(heading string) bool { return heading != f.Attribute.Text })
}

// rowWords names a row and the words that are looked for in its headings.
type rowWords struct {
	clause int
	words  *bag
}

// headingsSaid are the headings of the cells of a row that some words name, found once.
func (v *view) headingsSaid(clause int, words *bag) []string {
	key := rowWords{clause, words}
	out, ok := v.headings[key]
	if ok {
		return out
	}
	of := v.page.Clauses[clause].Facts
	for k := of[0]; k < of[1] && k < len(v.page.Facts); k++ {
		o := &v.page.Facts[k]
		if t := o.Attribute.Text; t != "" && !slices.Contains(out, t) && !v.measured(o) && !hasDigit([]rune(t)) && !sumWords[fold(t)] {
			if w := v.engine.wording(t, nil); w.total >= 1.5 && w.scoreOn(words) >= 0.9 {
				out = append(out, t)
			}
		}
	}
	if v.headings == nil {
		v.headings = map[rowWords][]string{}
	}
	v.headings[key] = out
	return out
}

// extremes are the words that ask for the greatest (+1) or the least (-1) of several.
var (
	greatest = []string{"最高", "最大", "最多", "最长", "最贵", "最快", "最远", "最重", "highest", "largest", "biggest", "greatest", "longest", "most expensive", "the most", "fastest", "heaviest", "dearest", "farthest"}
	least    = []string{"最低", "最小", "最少", "最短", "最便宜", "最慢", "最轻", "lowest", "smallest", "least", "fewest", "shortest", "cheapest", "slowest", "lightest", "nearest"}
	chooses  = []string{"哪", "which", "what", "who", "谁", "什么"}
)

// extremeOf is the direction in which a question asks for one of several; 0 for none.
// "At most" and "maximum" alone ask for a limit, not for a choice.
func extremeOf(question string) int {
	if !hasAny(question, chooses) {
		return 0
	}
	switch {
	case hasAny(question, greatest):
		return 1
	case hasAny(question, least):
		return -1
	}
	return 0
}
