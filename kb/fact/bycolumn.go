package fact

import (
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A question that names a row of a table and none of its columns is answered by the column
// of its kind; where several columns have that kind, by each of them with its heading. One of
// them in silence would be a value of a season, a day or a customer that nobody asked for.

// asksPrice matches questions that ask for a sum of money by their form.
var asksPrice = regexp.MustCompile(`\bhow much (?:is|are|was|were|for|would|will)\b|\bhow much (?:do|does|did)\b.*\b(?:cost|charge|pay)\b|\bwhat (?:do|does|did)\b.*\bcost\b|\b(?:price|cost) of\b|多少钱|什么价|价格|价钱|售价|票价`)

// maxColumns is the most columns that are told for one question.
const maxColumns = 6

// byColumn mends the fillers of a need that are cells of tables: where the first of them
// stands in a row with others of its kind, those that the question means.
func (r *Round) byColumn(n *prepared, cov *Coverage) {
	if len(cov.Fillers) == 0 || n.kinds.extreme != 0 || n.Class == "COMPARISON" || n.Count > 1 || n.Expect == "LIST" || n.Expect == "BOOLEAN" {
		return
	}
	first := cov.Fillers[0]
	v := r.views[first.Page]
	if first.Fact < 0 || v.foreign(n) || !v.tableCell(&v.page.Facts[first.Fact]) {
		return
	}
	f := &v.page.Facts[first.Fact]
	chosen := r.meantColumns(n, v, first.Fact)
	if chosen == nil {
		return
	}
	fillers := make([]Ref, 0, len(chosen)+len(cov.Fillers))
	for _, i := range chosen {
		x := &v.page.Facts[i]
		fillers = append(fillers, Ref{Page: first.Page, Fact: i, Span: x.Span, Value: x.Value.Span, Score: first.Score})
	}
	for _, o := range cov.Fillers {
		if o.Page == first.Page && o.Fact >= 0 && v.page.Facts[o.Fact].Sentence == f.Sentence {
			continue
		}
		fillers = append(fillers, o)
	}
	cov.Fillers = fillers
	// Each value holds in its own column: they do not stand against each other.
	if cov.State == StateAmbiguous && !r.engine.ambiguous(slices.Concat(cov.Fillers[:1], cov.Fillers[len(chosen):]), r.views) {
		cov.State = StateFilled
	}
}

// meantColumns are the cells of a cell's row that a question means; nil where that cell
// stays as it is.
func (r *Round) meantColumns(n *prepared, v *view, i int) []int {
	question := fold(n.Question)
	price := asksPrice.MatchString(question)
	columns, label, corner := v.columnsOf(i)
	if len(columns) == 0 || len(columns) == 1 && columns[0].fact == i || !r.bareQuestion(n, v, label, corner) {
		return nil
	}
	own := &v.page.Facts[i]
	kind := func(x column) bool { return oneKind(own.Value.Quantity, v.page.Facts[x.fact].Value.Quantity) }
	if price {
		isPrice := func(x column) bool { return v.pricedCell(x) }
		if !slices.ContainsFunc(columns, isPrice) {
			return nil
		}
		kind = isPrice
	} else if own.Value.Quantity == nil {
		return nil
	}
	columns = slices.DeleteFunc(columns, func(x column) bool { return !kind(x) })
	if len(columns) == 0 {
		return nil
	}
	asked := when.Find(text.Fold([]rune(n.Question)), when.Options{})
	words := r.engine.lookupWords(n)
	timed, best := true, 0.0
	nameShares(columns, question, words)
	for k := range columns {
		x := &columns[k]
		times := v.page.Facts[x.fact].Times
		timed = timed && len(times) > 0
		if when.OnDaysOf(asked, times) || len(n.times) > 0 && sharesPeriod(n.times, times) {
			x.named = 1
		}
		best = max(best, x.named)
	}
	if best < columnNamed {
		if month := monthAsked(question); month > 0 && r.bySeason(v, columns, month) {
			best = 1
		}
	}
	var out []int
	if best >= columnOpen {
		for _, x := range columns {
			if x.named >= best-columnLead {
				out = append(out, x.fact)
			}
		}
		return out
	}
	if price {
		for _, x := range columns {
			if generalPrice.MatchString(x.head) {
				out = append(out, x.fact)
			}
		}
		if len(out) == 1 {
			return out
		}
		out = nil
	}
	if !price && !timed || timed && len(n.times) > 0 || len(columns) > maxColumns {
		return nil
	}
	if len(n.times) == 0 {
		if last := v.latest(columns, n); last >= 0 {
			return []int{last}
		}
	}
	for _, x := range columns {
		out = append(out, x.fact)
	}
	return out
}

// pricedCell reports whether a cell is a sum of money by its unit or its heading.
func (v *view) pricedCell(x column) bool {
	q := v.page.Facts[x.fact].Value.Quantity
	return q.Unit.Dim == quantity.Money || (q.Unit.Dim == quantity.None || q.Unit.Dim == quantity.Count) && prices.MatchString(x.head)
}

// bareQuestion reports whether a question names of a table a row only: all its words are
// those of the row's label and of the page, of a time, or ask for the measure.
func (r *Round) bareQuestion(n *prepared, v *view, label, corner *wording) bool {
	all := n.all
	cells := all.cover(bagOf(label, corner)).cells
	lift(all, cells, v.allBag(), 1)
	lift(all, cells, bagOf(r.engine.wording(n.TimeText, nil), r.engine.wording(n.Unit, nil)), 1)
	coverImplied(implied[quantity.Money], all, cells)
	coverImplied(measureWords, all, cells)
	coverImplied(offerWords, all, cells)
	left := 0.0
	for k, c := range all.cells {
		if cells[k] < cellCovered && !(c.Len() == 1 && text.IsHan(all.folded[c.Start])) && monthAsked(all.text(c.Span)) == 0 && len(when.Find(all.folded[c.Start:c.End], when.Options{})) == 0 {
			left += c.weight
		}
	}
	return left < bareClaim
}

// latest is the cell of the latest of columns that are whole years; -1 where they are not.
func (v *view) latest(columns []column, n *prepared) int {
	found, at := -1, when.Expr{}
	for _, x := range columns {
		times := v.page.Facts[x.fact].Times
		if len(times) != 1 || times[0].From.IsZero() || !hasDigit([]rune(x.head)) {
			return -1
		}
		if t := times[0]; (found < 0 || t.To.After(at.To)) && (n.To.IsZero() || !t.From.After(n.To)) {
			found, at = x.fact, t
		}
	}
	return found
}

// Months as they are written; each month is one match.
var monthWord = regexp.MustCompile(`\b(january|february|march|april|may|june|july|august|september|october|november|december)\b|(1[0-2]|[1-9])月|(十[一二]?|[一二三四五六七八九])月`)

// beforeMay matches what stands before May where it is a month.
var beforeMay = regexp.MustCompile(`\b(?:in|of|from|to|until|till|through|since|and|during|early|late|mid) $`)

// monthsIn are the months that a folded text names, in order, with where they stand.
func monthsIn(s string) (months []int, at [][]int) {
	for _, m := range monthWord.FindAllStringSubmatchIndex(s, 8) {
		word := strings.TrimSuffix(s[m[0]:m[1]], "月")
		if word == "may" && !beforeMay.MatchString(s[:m[0]]) {
			continue
		}
		n := slices.Index(monthNames, word) + 1
		if n == 0 {
			if n = monthOf(s[m[0]:m[1]]); n == 0 {
				n = slices.Index([]string{"一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"}, word) + 1
			}
		}
		months, at = append(months, n), append(at, m[:2])
	}
	return months, at
}

// monthAsked is the one month that a folded question names; 0 for none or several.
func monthAsked(question string) int {
	if m, _ := monthsIn(question); len(m) == 1 {
		return m[0]
	}
	return 0
}

// runsTo matches what joins the first and the last month of a season.
var runsTo = regexp.MustCompile(`^(?:\s*(?:to|until|through|till|-|–|—|~)\s*(?:the end of\s*)?|.{0,8}(?:至|到|—|-|~)(?:次年|翌年)?.{0,4})$`)

// bySeason marks the column whose season, as a sentence of the pages says, the asked month
// lies in; of two columns of which one season is told, the other where it does not. False
// where nothing tells.
func (r *Round) bySeason(v *view, columns []column, month int) bool {
	inside, outside := -1, -1
	for k := range columns {
		head := strings.TrimSpace(columns[k].head)
		if len(head) < 4 {
			continue
		}
		for i, s := range v.page.Sentences {
			if s.Kind == Row || s.Kind == HeaderRow {
				continue
			}
			said := v.sentenceText(i)
			at := strings.Index(said, head)
			if at < 0 {
				continue
			}
			rest := said[at+len(head):]
			for o := range columns { // up to where the next season is named
				if cut := strings.Index(rest, columns[o].head); o != k && cut >= 0 {
					rest = rest[:cut]
				}
			}
			months, spans := monthsIn(rest)
			if len(months) < 2 || !runsTo.MatchString(rest[spans[0][1]:spans[1][0]]) {
				continue
			}
			if from, to := months[0], months[1]; from <= to && from <= month && month <= to || from > to && (month >= from || month <= to) {
				inside = k
			} else {
				outside = k
			}
		}
	}
	switch {
	case inside >= 0:
		columns[inside].named = 1
	case outside >= 0 && len(columns) == 2:
		columns[1-outside].named = 1
	default:
		return false
	}
	return true
}
