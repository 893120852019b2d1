package fact

import (
	"math"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// A cell of a table is what its row, its column, the labels over its row, the caption
// and the title say together; which of them is the subject and which the attribute is
// a matter of layout. A need is therefore laid over all of them at once.

// tableCell reports whether a fact is a value in a table with headings.
func (v *view) tableCell(f *Fact) bool {
	return f.Value.Kind != BooleanValue && f.Sentence >= 0 && f.Sentence < len(v.page.Sentences) && v.page.Sentences[f.Sentence].Kind == Row
}

// labelPrecision is how much of the fit of a cell hangs on its headings saying no more
// than was asked: "Operating revenue" before "Other operating revenue".
const labelPrecision = 0.25

// leastLabel is the share of the need that the cell's own row and column must carry.
const leastLabel = 0.15

// fitCell measures how well a table cell fills a need. The words that it lacks are
// listed in gaps where that is not nil.
func (e *Engine) fitCell(n *prepared, v *view, page, i int, gaps *[]string) candidate {
	f := &v.page.Facts[i]
	c := candidate{ref: Ref{Page: page, Fact: i, Span: f.Span, Value: f.Value.Span}, cell: true}
	b, frame, label := v.factBag(i), v.frameBag(), v.labelBag(f)
	parts := append([]*wording{n.subject, n.attribute}, n.given...)
	total, sum, own := 0.0, 0.0, 0.0
	for _, w := range parts {
		total += w.total
	}
	if total == 0 {
		parts = []*wording{n.all}
		total = n.all.total
	}
	if total == 0 {
		return c
	}
	for _, w := range parts {
		cov := w.cover(b)
		lift(w, cov.cells, frame, 0.75)
		e.impliedByCell(f, w, cov.cells)
		v.abbreviated(f, w, cov.cells)
		e.liftSimilar(w, cov.cells, v, f)
		if n.granted != nil {
			n.granted.granted(n.words, w, cov.cells, page)
		}
		coverImplied(offerWords, w, cov.cells)
		oc := w.cover(label)
		v.abbreviated(f, w, oc.cells)
		for k, cell := range w.cells {
			sum += cell.weight * math.Max(cov.cells[k], oc.cells[k])
			own += cell.weight * oc.cells[k]
		}
		for g := range w.eachGap(cov.cells, cellCovered) {
			c.gaps++
			if gaps != nil {
				*gaps = append(*gaps, w.text(g.Span))
			}
			share := g.weight / total
			if g.name {
				share *= 2
			}
			c.worst = math.Max(c.worst, share)
		}
	}
	precision := v.labelPrecision(f, n)
	c.fit = sum / total * (1 - labelPrecision + labelPrecision*precision)
	c.own = (own/total + precision) / 2
	if own/total < leastLabel && !(n.HasTime && datedCell(f)) {
		c.worst = 1
	}
	c.late = e.elsewhere(n, v, i)
	sides := v.factSides(i)
	if apart(n.sides, sides, false) || apart(n.sides, sides, true) || n.outside(v, i) || n.anotherRow(v, i) || v.anotherColumn(i, n.whose()) {
		c.worst, c.other = 1, true
	}
	for _, o := range n.others {
		if oc := o.cover(b); oc.score > 0.8 && n.subject.scoreOn(b) < 0.8 {
			c.worst = 1
		}
	}
	c.ref.Score = c.fit
	return c
}

// datedCell reports whether the row and the column of a cell both say when and nothing
// else, as months by years do: what is measured then stands over the table alone.
func datedCell(f *Fact) bool {
	if len(f.Times) == 0 || f.Subject.Text == "" || f.Attribute.Text == "" {
		return false
	}
	for _, t := range f.Anchors {
		if (t.Origin == RowHeader || t.Origin == ColHeader) && !timeTerm(t.Text) {
			return false
		}
	}
	return true
}

// timeTerm reports whether a word of a heading belongs to a time: 2024, Q3, 三月, 季度.
func timeTerm(s string) bool {
	if periodWords[s] || year(s) || shortMonths[s] != "" {
		return true
	}
	letters := strings.Trim(s, "0123456789一二三四五六七八九十")
	switch letters {
	case "", "q", "h", "st", "nd", "rd", "th", "fy", "年", "月", "季度", "季", "半年", "上半年", "下半年", "第季度", "上", "下", "半", "第", "度", "全年":
		return true
	}
	return false
}

// timeLabel reports whether a heading is made of such words alone: Mar., second quarter.
func timeLabel(s string) bool {
	for _, w := range strings.Fields(fold(s)) {
		if !timeTerm(strings.Trim(w, ".,*'")) {
			return false
		}
	}
	return true
}

// fills reports whether a candidate fills its need.
func (c *candidate) fills() bool { return !c.late && c.fit >= fillFit && c.worst <= gapShare }

// better reports whether c, the measure of a cell, is to be preferred to the measure
// of the same fact as a clause.
func (c *candidate) better(o candidate) bool { return c.fills() || !o.fills() }

// labelBag holds the words of the cell's row and column headings.
func (v *view) labelBag(f *Fact) *bag {
	b := newBag(len(f.Anchors))
	for _, t := range f.Anchors {
		if t.Origin == RowHeader || t.Origin == ColHeader {
			b.add(t.Text, t.Synset, 1)
		}
	}
	return b
}

// labelPrecision is the share of the row heading that was asked, 0..1.
func (v *view) labelPrecision(f *Fact, n *prepared) float64 {
	asked, total := 0.0, 0.0
	for _, t := range f.Anchors {
		if t.Origin != RowHeader && t.Origin != ColHeader || timeTerm(t.Text) || light[t.Text] && !sumWords[t.Text] {
			continue
		}
		w := t.Weight
		total += w
		if n.words.has(t.Text, t.Synset) {
			asked += w
		}
	}
	if total == 0 {
		return 1
	}
	return asked / total
}

// offerWords say that a thing has a value; a cell says it by standing there.
const offerWords = "support allow offer includ provid hav get plan version edition 支持 允许 提供 包含 版本 套餐 版"

// sumWords in a heading say that it is the sum of others, which must have been asked.
var sumWords = termSetOf("total subtotal sum overall aggregate 合计 总计 小计 共计 总额")

// impliedByCell covers words that the value implies. A number without a unit may be
// money, a count or a share: only the headings tell.
func (e *Engine) impliedByCell(f *Fact, w *wording, cells []float64) {
	q := f.Value.Quantity
	if q == nil {
		if f.Value.Kind == TimeValue {
			impliedByTime(w, cells)
		}
		return
	}
	impliedBy(q, w, cells)
	coverImplied(measureWords, w, cells)
	if q.Unit.Dim == quantity.None || q.Unit.Dim == quantity.Count {
		coverImplied(implied[quantity.Money], w, cells)
		coverImplied(implied[quantity.Count], w, cells)
	}
	if q.Unit.Dim == quantity.Ratio || hasAny(fold(f.Attribute.Text), changeWords) {
		coverImplied(changedWords, w, cells)
	}
}

// measureWords ask for a figure whatever it is; changedWords for a change.
const (
	measureWords = "valu amount figur balanc total number sum report record spend spent earn receiv incur 金额 数额 数值 总额 数 额"
	changedWords = "increas decreas chang growth grow grew rise rose declin variat varianc differ percentag 变动 变化 增长 增加 减少 增幅 降幅"
)

// abbreviated covers an abbreviation by the words of a heading that it abbreviates,
// and words by an abbreviation in a heading: CASM and "cost per available seat mile".
func (v *view) abbreviated(f *Fact, w *wording, cells []float64) {
	headings := f.Subject.Text + " " + f.Attribute.Text
	for k, c := range w.cells {
		if cells[k] >= 0.9 || c.han {
			continue
		}
		short := strings.TrimSuffix(w.text(c.Span), "s")
		if !capitals(short) {
			continue
		}
		if hasInitials(headings, short) {
			cells[k] = 0.9
			continue
		}
		for _, a := range v.page.Aliases {
			if strings.EqualFold(strings.TrimSuffix(a.Short, "s"), short) && containsWords(headings, a.Full) {
				cells[k] = 0.9
			}
		}
	}
	for _, word := range strings.FieldsFunc(headings, func(r rune) bool { return !unicode.IsLetter(r) && r != '&' }) {
		short := strings.TrimSuffix(word, "s")
		if !capitals(short) {
			continue
		}
		lo, hi := initialsAt(w, short)
		for k := lo; k < hi; k++ {
			cells[k] = math.Max(cells[k], 0.9)
		}
	}
}

// capitals reports whether a word is an abbreviation by its letters: three to seven
// capitals.
func capitals(s string) bool {
	n := 0
	for _, r := range s {
		if !unicode.IsUpper(r) {
			return false
		}
		n++
	}
	return n >= 3 && n <= 7
}

// hasInitials reports whether consecutive words of a heading, without the little ones,
// begin with the letters of short.
func hasInitials(heading, short string) bool {
	var initials []byte
	for _, word := range strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if !text.StopWord(word) && word[0] < 0x80 {
			initials = append(initials, word[0])
		}
	}
	return strings.Contains(string(initials), strings.ToLower(short))
}

// initialsAt finds the cells of a wording whose first letters spell short; hi is lo
// when there are none.
func initialsAt(w *wording, short string) (lo, hi int) {
	var initials []byte
	for _, c := range w.cells {
		r := w.folded[c.Start]
		if r >= 0x80 {
			r = '?'
		}
		initials = append(initials, byte(r))
	}
	if i := strings.Index(string(initials), strings.ToLower(short)); i >= 0 {
		return i, i + len(short)
	}
	return 0, 0
}

// containsWords reports whether a heading holds the words of a phrase, but for an s at
// their ends.
func containsWords(heading, phrase string) bool {
	have := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(heading)) {
		have[strings.TrimSuffix(strings.Trim(w, "()\"“”,:;"), "s")] = true
	}
	words := strings.Fields(strings.ToLower(phrase))
	for _, w := range words {
		if !have[strings.TrimSuffix(w, "s")] {
			return false
		}
	}
	return len(words) > 0
}
