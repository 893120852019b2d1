package fact

import (
	"regexp"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A row of a table may hold several values of one kind, each for its column: on weekdays
// and at weekends, for members and for others, a deposit and a fee. What is said of the row
// is true of the column that is named; where none is named, of all of them or of none.

// Shares of a heading by which a claim names its column.
const (
	columnNamed = 0.75 // named
	columnLead  = 0.25 // named better than another
	columnOpen  = 0.5  // greatest share of a heading that is not named
	bareClaim   = 1.0  // greatest weight of a claim's words that are neither row nor measure
)

// column is a cell of a row beside others that hold values of the same kind.
type column struct {
	fact  int
	head  string
	w     *wording
	named float64
}

// columnsBeside are the cells of a fact's row that hold values of its kind, itself
// included, with the label of the row and the heading over the labels; none where it is not
// one of several.
func (v *view) columnsBeside(i int) (out []column, label, corner *wording) {
	f := &v.page.Facts[i]
	if !v.tableCell(f) || f.Value.Quantity == nil {
		return nil, nil, nil
	}
	all, label, corner := v.columnsOf(i)
	here := false
	for _, x := range all {
		if oneKind(f.Value.Quantity, v.page.Facts[x.fact].Value.Quantity) {
			out, here = append(out, x), here || x.fact == i
		}
	}
	if !here {
		return nil, nil, nil
	}
	return out, label, corner
}

// columnsOf are all cells of a fact's row that hold quantities, with its label and the
// heading over the labels.
func (v *view) columnsOf(i int) (out []column, label, corner *wording) {
	f := &v.page.Facts[i]
	tables := v.tablesOf()
	for t := range tables {
		for r := range tables[t].rows {
			row := &tables[t].rows[r]
			if row.sentence != f.Sentence || len(row.cells) == 0 {
				continue
			}
			for c := 1; c < len(row.cells) && c < len(tables[t].heads); c++ {
				if k := row.cells[c].fact; k >= 0 && tables[t].heads[c] != "" && v.page.Facts[k].Value.Quantity != nil {
					out = append(out, column{fact: k, head: fold(tables[t].heads[c]), w: tables[t].headings[c]})
				}
			}
			return out, row.cells[0].w, tables[t].headings[0]
		}
	}
	return nil, nil, nil
}

// oneKind reports whether two quantities could answer one question: sums of money, times of
// day, lengths.
func oneKind(a, b *quantity.Quantity) bool {
	return a != nil && b != nil && loose(a.Unit.Dim) == loose(b.Unit.Dim)
}

// anotherCell reports whether a claim's value is not the one of a table cell, though the
// row is its: the claim names another column, or none, and the columns differ.
func (k *Checker) anotherCell(c Claim, f *Fact, w *wording, v *view, i int) bool {
	if f.Value.Quantity == nil || f.Clause < 0 || f.Clause >= len(c.Page.Clauses) || foreign(c.Page, v.page) {
		return false
	}
	columns, label, corner := v.columnsBeside(i)
	if len(columns) < 2 {
		return false
	}
	said := fold(c.Page.Quote(c.Page.Clauses[f.Clause].Span))
	own, best, weekly, worded := 0.0, 0.0, true, bagOf(w)
	for n := range columns {
		x := &columns[n]
		x.named = nameShare(x, columns, said, worded)
		times := v.page.Facts[x.fact].Times
		weekly = weekly && len(times) > 0
		switch {
		case when.OnDaysOf(f.Times, times):
			x.named = 1
		case len(f.Times) > 0 && scopes(f.Times, &v.page.Facts[x.fact]) == relation.Differs:
			x.named = 0
		case len(f.Times) > 0 && when.Scope(f.Times, nil) == relation.Same && sharesPeriod(f.Times, times):
			x.named = 1
		}
		best = max(best, x.named)
		if x.fact == i {
			own = x.named
		}
	}
	if best >= columnNamed {
		return own < best-columnLead
	}
	money := f.Value.Quantity.Unit.Dim == quantity.Money
	if best > columnOpen || !money && !weekly || !k.bare(f, w, label, corner, v) {
		return false
	}
	// It names none: the one column of prices is meant, else all of them.
	general, many := -1, 0
	for _, x := range columns {
		if generalPrice.MatchString(x.head) {
			general = x.fact
			many++
		}
	}
	if many == 1 {
		return general != i
	}
	same, differs := false, false
	for _, x := range columns {
		if r, _ := sameValue(f.Value, v.page.Facts[x.fact].Value); r == relation.Same {
			same = true
		} else {
			differs = true
		}
	}
	return same && differs
}

// sharesPeriod reports whether one of the stated periods is one of a column's.
func sharesPeriod(stated, column []when.Expr) bool {
	for _, a := range stated {
		for _, b := range column {
			if !a.From.IsZero() && a.From.Equal(b.From) && a.To.Equal(b.To) {
				return true
			}
		}
	}
	return false
}

// generalPrice matches the heading of a column of prices, whatever of.
var generalPrice = regexp.MustCompile(`^(?:(?:list|unit|retail|full|regular|standard|normal|our|total|selling) )?(?:prices?|costs?|fees?|rates?|fares?|charges?|amount|tariff)(?: (?:each|per .*))?$|^(?:单|售|定|票|标|原|总|零售|市场)?(?:价|价格|价钱|费用|收费|金额)(?:标准)?$`)

// nameShare is the share of a column's heading that a claim has, where it is not a part of
// a longer heading that the claim has: members and non-members.
func nameShare(x *column, columns []column, said string, words *bag) float64 {
	for _, o := range columns {
		if len(o.head) > len(x.head) && strings.Contains(o.head, x.head) && strings.Contains(said, o.head) {
			said = strings.ReplaceAll(said, o.head, " ")
			if !strings.Contains(said, x.head) {
				return 0
			}
		}
	}
	if standsIn(said, x.head) {
		return 1
	}
	for _, o := range columns { // "non-members" is not told by "members"
		if len(o.head) < len(x.head) && strings.Contains(x.head, o.head) && standsIn(said, o.head) {
			return 0
		}
	}
	if x.w.total == 0 {
		return 0
	}
	return x.w.scoreOn(words)
}

// bare reports whether a claim says of a row only its value: all its words are those of the
// row's label, of the page, or of the measure.
func (k *Checker) bare(f *Fact, w, label, corner *wording, v *view) bool {
	cells := w.cover(bagOf(label, corner)).cells
	lift(w, cells, v.frameBag(), 1)
	impliedBy(f.Value.Quantity, w, cells)
	coverImplied(measureWords, w, cells)
	left := 0.0
	for n, c := range w.cells {
		if cells[n] < cellCovered && !(c.Len() == 1 && text.IsHan(w.folded[c.Start])) {
			left += c.weight
		}
	}
	return left < bareClaim
}
