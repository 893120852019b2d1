package fact

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// A timetable says what a claim says in full by its form: Dunmore, Saturday, 09:30 is the
// bus to Dunmore that leaves at half past nine on Saturdays.

// departs are the words for what happens at a time of day in a table.
const departs = "leav depart sail start begin run go 发车 开车 开出 出发 启程 开船 开航 开始"

// timetableFit is how well a cell with a time of day speaks to a claim that names its row.
const timetableFit = 0.7

// arrives matches what a column of times tells that is no departure or beginning: when
// something arrives, comes back or closes.
var arrives = regexp.MustCompile(`到达|抵达|到站|到港|进站|返回|返程|回程|关|闭|结束|截止|停止|末班|\b(?:arriv\w*|return\w*|back|clos\w*|ends?|until|till|finish\w*|stops?|last)\b`)

// inTimetable reports whether a fact is a cell with a time of day whose row a claim names,
// and where in the claim the row's label stands. A column of arrivals or closing times
// speaks only to a claim that speaks of these.
func inTimetable(w *wording, v *view, i int) (label text.Span, ok bool) {
	f := &v.page.Facts[i]
	if q := f.Value.Quantity; q == nil || q.Unit.Dim != quantity.ClockTime || !v.tableCell(f) {
		return text.Span{}, false
	}
	row, column, ok := v.page.CellHeadings(i)
	row = fold(row)
	said := string(w.folded)
	if !ok || row == "" || !standsIn(said, row) || arrives.MatchString(fold(column)) && !arrives.MatchString(said) {
		return text.Span{}, false
	}
	start := utf8.RuneCountInString(said[:strings.Index(said, row)])
	return text.Span{Start: start, End: start + utf8.RuneCountInString(row)}, true
}

// coverTimetable covers the words of a claim that a cell with a time of day implies whose
// row the claim names: that something leaves then, and one word for what it is.
func (k *Checker) coverTimetable(w *wording, cells []float64, evidence []found) {
	for _, h := range evidence {
		if h.fact < 0 {
			continue
		}
		label, ok := inTimetable(w, k.views[h.page], h.fact)
		if !ok {
			continue
		}
		coverImplied(departs, w, cells)
		for _, g := range w.gaps(cells, cellCovered) {
			if g.name || g.Start > label.End+1 || label.Overlaps(g.Span) || slices.Contains(w.folded[g.Start:g.End], ' ') || text.IsHan(w.folded[g.Start]) && g.Len() > 3 {
				continue
			}
			coverSpan(w, cells, g.Span, 0.8)
			return
		}
		return
	}
}
