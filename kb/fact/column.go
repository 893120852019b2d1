package fact

import (
	"regexp"
	"slices"
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

// columnsOf are all cells of a fact's row that hold quantities, with its label and the
// heading over the labels.
func (v *view) columnsOf(i int) (out []column, label, corner *wording) {
	s := v.page.Facts[i].Sentence
	tables := v.tables()
	if s < 0 || s >= len(tables.at) || tables.at[s].table < 0 {
		return nil, nil, nil
	}
	t := &tables.list[tables.at[s].table]
	row := &t.rows[tables.at[s].row]
	if len(row.cells) == 0 {
		return nil, nil, nil
	}
	for c := 1; c < len(row.cells) && c < len(t.heads); c++ {
		if k := row.cells[c].fact; k >= 0 && t.heads[c] != "" && v.page.Facts[k].Value.Quantity != nil {
			out = append(out, column{fact: k, head: t.folded[c], w: t.headings[c]})
		}
	}
	return out, row.cells[0].w, t.headings[0]
}

// oneKind reports whether two quantities could answer one question: sums of money, times of
// day, lengths.
func oneKind(a, b *quantity.Quantity) bool {
	return a != nil && b != nil && loose(a.Unit.Dim) == loose(b.Unit.Dim)
}

// cellClaim is a value of a claim as it is compared with cells of tables. What it says of
// the columns of a row is worked out once for all cells of the row.
type cellClaim struct {
	k     *Checker
	c     Claim
	f     *Fact
	w     *wording
	said  string // the clause of the claim, folded
	words *bag
	rows  map[claimedRow]*columnsNamed
}

// claimedRow is the columns of one kind in a row.
type claimedRow struct {
	v        *view
	sentence int
	kind     quantity.Dimension
}

// columnsNamed is how a claim names the columns of a row.
type columnsNamed struct {
	named   map[int]float64 // by fact: how far the claim names its column; nil = all or none of them are meant
	best    float64
	general int  // the fact of the one column of prices; -1 = none, or several
	apart   bool // some columns have the claim's value, and some another
}

// anotherCell reports whether a claim's value is not the one of a table cell, though the
// row is its: the claim names another column, or none, and the columns differ.
func (x *cellClaim) anotherCell(v *view, i int) bool {
	o := &v.page.Facts[i]
	if x.f.Value.Quantity == nil || x.f.Clause < 0 || x.f.Clause >= len(x.c.Page.Clauses) || !v.tableCell(o) || o.Value.Quantity == nil || foreign(x.c.Page, v.page) {
		return false
	}
	key := claimedRow{v, o.Sentence, loose(o.Value.Quantity.Unit.Dim)}
	row, ok := x.rows[key]
	if !ok {
		if x.rows == nil {
			x.rows, x.said, x.words = map[claimedRow]*columnsNamed{}, fold(x.c.Page.Quote(x.c.Page.Clauses[x.f.Clause].Span)), bagOf(x.w)
		}
		row = x.columnsNamed(v, i)
		x.rows[key] = row
	}
	if row == nil {
		return false
	}
	own, here := row.named[i]
	switch {
	case !here:
		return false
	case row.best >= columnNamed:
		return own < row.best-columnLead
	case row.general >= 0:
		return row.general != i
	}
	return row.apart
}

// columnsNamed works out how the claim names the columns of a cell's row that hold values of
// its kind; nil where it is not one of several.
func (x *cellClaim) columnsNamed(v *view, i int) *columnsNamed {
	f := x.f
	columns, label, corner := v.columnsOf(i)
	columns = slices.DeleteFunc(columns, func(c column) bool {
		return !oneKind(v.page.Facts[i].Value.Quantity, v.page.Facts[c.fact].Value.Quantity)
	})
	if len(columns) < 2 {
		return nil
	}
	out := &columnsNamed{named: make(map[int]float64, len(columns)), general: -1}
	weekly := true
	nameShares(columns, x.said, x.words)
	for n := range columns {
		c := &columns[n]
		times := v.page.Facts[c.fact].Times
		weekly = weekly && len(times) > 0
		switch {
		case when.OnDaysOf(f.Times, times):
			c.named = 1
		case len(f.Times) > 0 && scopes(f.Times, &v.page.Facts[c.fact]) == relation.Differs:
			c.named = 0
		case len(f.Times) > 0 && when.Scope(f.Times, nil) == relation.Same && sharesPeriod(f.Times, times):
			c.named = 1
		}
		out.best = max(out.best, c.named)
		out.named[c.fact] = c.named
	}
	if out.best >= columnNamed {
		return out
	}
	money := f.Value.Quantity.Unit.Dim == quantity.Money
	if out.best > columnOpen || !money && !weekly || !x.k.bare(f, x.w, label, corner, v) {
		return nil
	}
	// It names none: the one column of prices is meant, else all of them.
	many, same, differs := 0, false, false
	for _, c := range columns {
		if generalPrice.MatchString(c.head) {
			out.general = c.fact
			many++
		}
		if r, _ := sameValue(f.Value, v.page.Facts[c.fact].Value); r == relation.Same {
			same = true
		} else {
			differs = true
		}
	}
	if many != 1 {
		out.general = -1
	}
	out.apart = same && differs
	return out
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

// nameShares is nameShare of all columns. A heading that stands nowhere in what is said sets
// nothing apart, so that each is compared only with the few that do.
func nameShares(columns []column, said string, words *bag) {
	var there []column
	for _, x := range columns {
		if strings.Contains(said, x.head) && !slices.ContainsFunc(there, func(o column) bool { return o.head == x.head }) {
			there = append(there, x)
		}
	}
	for n := range columns {
		x := &columns[n]
		beside := there
		if slices.ContainsFunc(there, func(o column) bool { return len(o.head) > len(x.head) && strings.Contains(o.head, x.head) }) {
			beside = columns // what is left of the claim may name others
		}
		x.named = nameShare(x, beside, said, words)
	}
}

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
