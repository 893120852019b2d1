package fact

import (
	"math/big"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// blockKind tells how a stretch of lines is read.
type blockKind uint8

const (
	proseBlock blockKind = iota
	pipeBlock
	tabBlock
	htmlBlock
	codeBlock
)

type block struct {
	text.Span
	kind blockKind
}

// blocks cuts the text into prose, tables and code by its lines.
func (r *reader) blocks() []block {
	var out []block
	n := len(r.runes)
	add := func(s, e int, k blockKind) {
		if s >= e {
			return
		}
		if len(out) > 0 && out[len(out)-1].kind == k && k != htmlBlock && out[len(out)-1].End == s {
			out[len(out)-1].End = e
			return
		}
		out = append(out, block{text.Span{Start: s, End: e}, k})
	}
	if r.src.Kind == "code" {
		add(0, n, codeBlock)
		return out
	}
	fence := false
	html := false
	for i := 0; i < n; {
		e := i
		for e < n && r.runes[e] != '\n' {
			e++
		}
		next := min(e+1, n)
		line := r.trimLine(text.Span{Start: i, End: e})
		switch {
		case r.hasPrefix(line, "```") || r.hasPrefix(line, "~~~"):
			fence = !fence
			add(i, next, codeBlock)
		case fence:
			add(i, next, codeBlock)
		case html || r.hasPrefix(line, "<table"):
			html = !r.contains(line, "</table")
			if len(out) > 0 && out[len(out)-1].kind == htmlBlock && !r.hasPrefix(line, "<table") {
				out[len(out)-1].End = next
			} else {
				out = append(out, block{text.Span{Start: i, End: next}, htmlBlock})
			}
		case !line.Empty() && (r.runes[line.Start] == '|' || r.count(line, '|') >= 2 && r.folded[line.Start] != '#'):
			add(i, next, pipeBlock)
		case r.count(line, '\t') >= 1 && (r.src.Kind == "table" || r.count(line, '\t') >= 2 || r.tabNeighbour(i, next)):
			add(i, next, tabBlock)
		default:
			add(i, next, proseBlock)
		}
		i = next
	}
	return out
}

func (r *reader) trimLine(s text.Span) text.Span {
	for s.Start < s.End && (r.runes[s.Start] == ' ' || r.runes[s.Start] == '\t' || r.runes[s.Start] == '\r') {
		s.Start++
	}
	for s.End > s.Start && (r.runes[s.End-1] == ' ' || r.runes[s.End-1] == '\t' || r.runes[s.End-1] == '\r') {
		s.End--
	}
	return s
}

func (r *reader) hasPrefix(s text.Span, prefix string) bool {
	for i := 0; i < len(prefix); i++ {
		if s.Start+i >= s.End || r.folded[s.Start+i] != rune(prefix[i]) {
			return false
		}
	}
	return true
}

func (r *reader) contains(s text.Span, sub string) bool {
	for i := s.Start; i < s.End; i++ {
		if r.folded[i] == rune(sub[0]) && r.hasPrefix(text.Span{Start: i, End: s.End}, sub) {
			return true
		}
	}
	return false
}

func (r *reader) count(s text.Span, c rune) int {
	n := 0
	for i := s.Start; i < s.End; i++ {
		if r.runes[i] == c {
			n++
		}
	}
	return n
}

// tabNeighbour reports whether the line before or after holds a tab as well.
func (r *reader) tabNeighbour(start, next int) bool {
	for i := start - 2; i >= 0 && r.runes[i] != '\n'; i-- {
		if r.runes[i] == '\t' {
			return true
		}
	}
	for i := next; i < len(r.runes) && r.runes[i] != '\n'; i++ {
		if r.runes[i] == '\t' && i > next {
			return true
		}
	}
	return false
}

// grid is a table as rows of cells.
type grid struct {
	rows  [][]tableCell
	spans []text.Span // of the rows
	rule  int         // rows before the separator line; 0 = there was none
}

type tableCell struct {
	text.Span
	columns, rows int // of a merged cell; 1 otherwise
	header        bool
}

// table reads a table cell by cell.
func (r *reader) table(b block) {
	var g grid
	switch b.kind {
	case htmlBlock:
		g = r.htmlGrid(b.Span)
	case tabBlock:
		g = r.lineGrid(b.Span, '\t')
	default:
		g = r.lineGrid(b.Span, '|')
	}
	width := 0
	for _, row := range g.rows {
		width = max(width, len(row))
	}
	if len(g.rows) == 0 || width < 2 {
		r.prose(b.Span)
		return
	}
	if g.rule == 0 && b.kind == pipeBlock && len(g.rows) == 1 {
		r.prose(b.Span)
		return
	}
	t := &tableReader{r: r, g: g, width: width}
	t.read(r.caption(b.Start))
	r.prevClause = -1
}

// lineGrid reads rows from lines.
func (r *reader) lineGrid(s text.Span, sep rune) grid {
	var g grid
	for i := s.Start; i < s.End; {
		e := i
		for e < s.End && r.runes[e] != '\n' {
			e++
		}
		line := r.trimLine(text.Span{Start: i, End: e})
		if sep == '\t' {
			line = text.Span{Start: i, End: e}
			for line.End > line.Start && (r.runes[line.End-1] == '\r') {
				line.End--
			}
		}
		i = e + 1
		if line.Empty() {
			continue
		}
		if sep == '|' && r.rule(line) {
			if g.rule == 0 {
				g.rule = len(g.rows)
			}
			continue
		}
		var row []tableCell
		start := line.Start
		if sep == '|' && r.runes[start] == '|' {
			start++
		}
		for j := start; j <= line.End; j++ {
			if j < line.End && r.runes[j] == '\\' && sep == '|' {
				j++
				continue
			}
			if j == line.End || r.runes[j] == sep {
				if j == line.End && sep == '|' && j > line.Start && r.runes[j-1] == '|' && j == start {
					break
				}
				row = append(row, tableCell{Span: r.cellSpan(text.Span{Start: start, End: j}), columns: 1, rows: 1})
				start = j + 1
			}
		}
		if len(row) > 0 && len(row) <= 200 {
			g.rows = append(g.rows, row)
			g.spans = append(g.spans, line)
		}
	}
	return g
}

// cellSpan trims white space and emphasis marks.
func (r *reader) cellSpan(s text.Span) text.Span {
	s = r.trimLine(s)
	for s.Len() >= 2 && (r.runes[s.Start] == '*' || r.runes[s.Start] == '`') && r.runes[s.End-1] == r.runes[s.Start] {
		s.Start++
		s.End--
	}
	return s
}

// rule reports whether a line is the dashes under a header.
func (r *reader) rule(s text.Span) bool {
	dashes := 0
	for i := s.Start; i < s.End; i++ {
		switch r.runes[i] {
		case '-', '=', '—':
			dashes++
		case '|', ':', ' ', '+':
		default:
			return false
		}
	}
	return dashes > 0
}

// htmlGrid reads <tr>, <th>, <td> with colspan and rowspan.
func (r *reader) htmlGrid(s text.Span) grid {
	var g grid
	var row []tableCell
	rowStart := s.Start
	cell := tableCell{}
	open := false
	flush := func(end int) {
		if open {
			cell.Span = r.cellSpan(text.Span{Start: cell.Start, End: end})
			for cell.Start < cell.End && r.runes[cell.Start] == '<' { // a tag inside the cell
				k := cell.Start
				for k < cell.End && r.runes[k] != '>' {
					k++
				}
				cell.Span = r.cellSpan(text.Span{Start: min(k+1, cell.End), End: cell.End})
			}
			for k := cell.Start; k < cell.End; k++ {
				if r.runes[k] == '<' {
					cell.Span = r.cellSpan(text.Span{Start: cell.Start, End: k})
					break
				}
			}
			if len(row) < 200 {
				row = append(row, cell)
			}
			open = false
		}
	}
	endRow := func(end int) {
		flush(end)
		if len(row) > 0 {
			g.rows = append(g.rows, row)
			g.spans = append(g.spans, text.Span{Start: rowStart, End: end})
			row = nil
		}
	}
	for i := s.Start; i < s.End; i++ {
		if r.runes[i] != '<' {
			continue
		}
		e := i
		for e < s.End && e-i < 300 && r.runes[e] != '>' {
			e++
		}
		if e >= s.End || r.runes[e] != '>' {
			continue
		}
		tag := text.Span{Start: i, End: e}
		switch {
		case r.hasPrefix(tag, "<tr"), r.hasPrefix(tag, "</tr"), r.hasPrefix(tag, "</table"):
			endRow(i)
			rowStart = e + 1
		case r.hasPrefix(tag, "<td"), r.hasPrefix(tag, "<th") && !r.hasPrefix(tag, "<the"):
			flush(i)
			name := string(r.folded[i:e])
			cell = tableCell{Span: text.Span{Start: e + 1, End: e + 1}, columns: attribute(name, "colspan"), rows: attribute(name, "rowspan"), header: r.hasPrefix(tag, "<th")}
			open = true
		case r.hasPrefix(tag, "</td"), r.hasPrefix(tag, "</th"):
			flush(i)
		}
		i = e
	}
	endRow(s.End)
	return expand(g)
}

func attribute(tag, name string) int {
	i := strings.Index(tag, name)
	if i < 0 {
		return 1
	}
	n := 0
	for _, c := range tag[i+len(name):] {
		if c >= '0' && c <= '9' {
			n = n*10 + int(c-'0')
			if n > 50 {
				return 50
			}
		} else if n > 0 {
			break
		}
	}
	return max(n, 1)
}

// expand repeats merged cells, so that the grid is rectangular.
func expand(g grid) grid {
	type hanging struct {
		cell tableCell
		left int
	}
	below := map[int]hanging{}
	for i, row := range g.rows {
		var out []tableCell
		k := 0
		for k < len(row) || below[len(out)].left > 0 {
			if h := below[len(out)]; h.left > 0 {
				h.left--
				below[len(out)] = h
				out = append(out, h.cell)
				continue
			}
			c := row[k]
			k++
			for n := 0; n < c.columns && len(out) < 200; n++ {
				if c.rows > 1 {
					below[len(out)] = hanging{c, c.rows - 1}
				}
				out = append(out, c)
			}
			if len(out) >= 200 {
				break
			}
		}
		g.rows[i] = out
	}
	return g
}

// caption is the line before a table, which may hold its name and its unit.
func (r *reader) caption(start int) text.Span {
	if n := len(r.page.Sentences); n > 0 {
		s := r.page.Sentences[n-1].Span
		if start-s.End < captionGap && s.Len() < maxCaption {
			return s
		}
	}
	return text.Span{}
}

// A caption ends less than captionGap code points before its table and is shorter than
// maxCaption.
const (
	captionGap = 4
	maxCaption = 260
)

// tableReader reads one grid.
type tableReader struct {
	r       *reader
	g       grid
	width   int
	headers int      // header rows
	columns []header // by column
	scale   string   // unit of the caption
}

// header is the heading of a column or row with what it gives to its cells.
type header struct {
	part  Part
	terms []Term
	times []when.Expr
	unit  string // unit words in the heading (min, 万元, %)

	timeOnly bool // the heading names a time and nothing else
}

func (t *tableReader) read(caption text.Span) {
	r := t.r
	t.headers = t.headerRows()
	over := []string{r.str(caption)} // "(in millions)" may stand in the corner
	for i := 0; i < t.headers; i++ {
		if len(t.g.rows[i]) > 0 {
			over = append(over, r.str(t.g.rows[i][0].Span))
		}
	}
	t.scale = unitOver(over, r.src.Title, r.src.Headings)
	t.columns = make([]header, t.width)
	for c := range t.columns {
		t.columns[c] = t.columnHeader(c, 0, t.headers)
	}
	vertical := t.headers == 0 && t.width == 2
	var sections []header // labels that head the rows below, outermost first
	labelled := false     // the row before was such a label
	capTerms := weighted(r.termsIn(caption), LeadIn, leadInWeight)
	for i, row := range t.g.rows {
		kind := Row
		if i < t.headers {
			kind = HeaderRow
		} else if t.headers > 0 && len(row) > 1 && row[0].Empty() && t.yearRow(row) && !t.yearBody() {
			kind = HeaderRow // the years are given anew in the middle of the table
			t.rehead(i)
			sections = nil
		}
		n, f := len(r.page.Clauses), len(r.page.Facts)
		index := len(r.page.Sentences)
		span := t.g.spans[i]
		r.page.Sentences = append(r.page.Sentences, SentenceInfo{Span: span, Kind: kind, Clauses: [2]int{n, n + 1}})
		label := header{}
		if len(row) > 0 {
			r.aliases(row[0].Span)
			label = t.heading(row[0].Span, RowHeader, rowWeight)
		}
		ctx := make([]Term, 0, len(capTerms)+8*len(sections)+len(r.base))
		for k := len(sections) - 1; k >= 0; k-- {
			for _, x := range sections[k].terms {
				x.Weight *= sectionWeight
				ctx = append(ctx, x)
			}
		}
		ctx = append(ctx, capTerms...)
		ctx = append(ctx, r.topicTerms()...)
		ctx = append(ctx, r.base...)
		if len(ctx) > maxContext {
			ctx = ctx[:maxContext]
		}
		clause := Clause{Span: span, Sentence: index, Terms: r.termsIn(span), Context: ctx, Topic: label.part, Quantities: r.quantsIn(span), Times: r.timesIn(span), Facts: [2]int{f, f}}
		r.page.Clauses = append(r.page.Clauses, clause)
		if kind == HeaderRow {
			continue
		}
		// A row with a label and nothing else heads the rows under it. Labels one after
		// the other are levels; a label after values replaces the innermost one, or all
		// when it stood alone.
		filled := 0
		for _, c := range row[min(1, len(row)):] {
			if !c.Empty() && c.Span != row[0].Span {
				filled++
			}
		}
		if filled == 0 {
			if label.part.Text != "" && !vertical {
				switch {
				case labelled && len(sections) < maxSections:
				case len(sections) > 1 && !t.labelOnly(i+1):
					sections = sections[: len(sections)-1 : len(sections)-1]
				default:
					sections = nil
				}
				sections = append(sections, label)
				labelled = true
			}
			continue
		}
		labelled = false
		for c := 1; c < len(row); c++ {
			t.cell(n, index, row[c].Span, label, sections, c, ctx)
		}
		r.page.Clauses[n].Facts[1] = len(r.page.Facts)
	}
}

// sectionWeight is the weight of the words of a label over a group of rows, and
// maxSections the most levels of such labels.
const (
	sectionWeight = 0.6
	maxSections   = 3
)

// labelOnly reports whether row i is a label without values.
func (t *tableReader) labelOnly(i int) bool {
	if i >= len(t.g.rows) || len(t.g.rows[i]) == 0 || t.g.rows[i][0].Empty() {
		return false
	}
	for _, c := range t.g.rows[i][1:] {
		if !c.Empty() && c.Span != t.g.rows[i][0].Span {
			return false
		}
	}
	return true
}

// yearBody reports whether the first row under the headings holds years as well: then
// a row of years heads nothing.
func (t *tableReader) yearBody() bool {
	return t.headers < len(t.g.rows) && len(t.g.rows[t.headers]) > 0 && !t.g.rows[t.headers][0].Empty() && t.yearRow(t.g.rows[t.headers])
}

// rehead makes row i the only heading of the columns.
func (t *tableReader) rehead(i int) {
	for c := range t.columns {
		t.columns[c] = t.columnHeader(c, i, i+1)
	}
}

func (r *reader) topicTerms() []Term {
	return weighted(r.first.terms, Topic, pageWeight)
}

// headerRows counts the rows that head columns: those above the rule, then rows
// without a number while the rows after them have some.
func (t *tableReader) headerRows() int {
	n := t.g.rule
	numeric := func(row []tableCell) int {
		k := 0
		for c := 1; c < len(row); c++ {
			if !row[c].Empty() && t.isValue(row[c].Span) {
				k++
			}
		}
		return k
	}
	if n == 0 {
		for _, row := range t.g.rows {
			all := true
			for _, c := range row {
				all = all && c.header
			}
			if !all {
				break
			}
			n++
		}
	}
	if n == 0 {
		// No rule: the first row heads the columns unless it holds values, or the table
		// is a list of labels with one value each.
		first := t.g.rows[0]
		if len(t.g.rows) > 1 && numeric(first) == 0 && (t.width > 2 || numeric(t.g.rows[1]) > 0) {
			n = 1
		} else if t.yearRow(first) && len(t.g.rows) > 1 && !t.yearRow(t.g.rows[1]) {
			n = 1
		}
	}
	// Markdown allows one header line only; further ones follow the rule, with an
	// empty corner and no values but years.
	for n > 0 && n < len(t.g.rows)-1 && n < 4 {
		row := t.g.rows[n]
		if len(row) < 2 || !row[0].Empty() && !(t.cornerNote(row[0].Span) && t.yearRow(row)) {
			break
		}
		if numeric(row) > 0 && !t.yearRow(row) {
			break
		}
		filled := 0
		for _, c := range row {
			if !c.Empty() {
				filled++
			}
		}
		if filled == 0 {
			break
		}
		n++
	}
	return min(n, len(t.g.rows)-1)
}

// cornerNote reports whether the first cell of a row says how to read the table (in
// millions; year ended) rather than what the row is about.
func (t *tableReader) cornerNote(s text.Span) bool {
	if t.r.unitNote(s) != "" {
		return true
	}
	w := string(t.r.folded[s.Start:s.End])
	for _, mark := range []string{"ended", "ending", "as of", "as at", "fiscal", "year", "in millions", "in thousands", "年度", "截至", "单位"} {
		if strings.Contains(w, mark) {
			return true
		}
	}
	return false
}

// yearRow reports whether the cells beside the first are years or periods.
func (t *tableReader) yearRow(row []tableCell) bool {
	years, filled := 0, 0
	for c := 1; c < len(row); c++ {
		s := row[c].Span
		if s.Empty() {
			continue
		}
		filled++
		if b := t.bare(s); year(string(t.r.folded[b.Start:b.End])) || len(t.r.timesIn(s)) > 0 {
			years++
		}
	}
	return years > 0 && years == filled
}

func year(s string) bool {
	if len(s) != 4 || s[0] != '1' && s[0] != '2' {
		return false
	}
	for i := range s {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s >= "1800" && s < "2200"
}

// isValue reports whether a cell is a number rather than words.
func (t *tableReader) isValue(s text.Span) bool {
	digits, letters := 0, 0
	for i := s.Start; i < s.End; i++ {
		switch c := t.r.folded[i]; {
		case digit(c):
			digits++
		case text.IsHan(c) || c >= 'a' && c <= 'z':
			letters++
		}
	}
	return digits > 0 && letters <= 2*digits+2 && !year(string(t.r.folded[s.Start:s.End]))
}

// columnHeader joins the headings of a column from top to bottom. An empty cell of an
// upper header row belongs to the one on its left.
func (t *tableReader) columnHeader(c, lo, hi int) header {
	var out header
	var words []string
	for i := lo; i < hi; i++ {
		row := t.g.rows[i]
		k := c
		if k >= len(row) {
			k = len(row) - 1
		}
		if k < 0 {
			continue
		}
		if row[k].Empty() && i < hi-1 && c > 0 {
			for k > 1 && row[k].Empty() {
				k--
			}
			if k < 1 {
				continue
			}
		}
		if row[k].Empty() {
			continue
		}
		h := t.heading(row[k].Span, ColHeader, columnWeight)
		if len(words) > 0 && words[len(words)-1] == h.part.Text {
			continue
		}
		words = append(words, h.part.Text)
		out.part = h.part
		out.terms = append(out.terms, h.terms...)
		out.times = append(out.times, h.times...)
		if h.unit != "" {
			out.unit = h.unit
		}
	}
	if len(words) > 1 {
		out.part.Text = strings.Join(words, " ")
	}
	out.times = t.joinTimes(out)
	out.timeOnly = len(out.times) > 0 && t.onlyTime(out)
	return out
}

// joinTimes reads the times of headings that stand one under the other as one
// expression: "Year ended June 30," over "2019", "Fourth quarter" under "2018".
func (t *tableReader) joinTimes(levels ...header) []when.Expr {
	var words []string
	var times []when.Expr
	for _, h := range levels {
		if len(h.times) == 0 {
			continue
		}
		times = append(times, h.times...)
		if h.timeOnly || len(levels) == 1 {
			words = append(words, h.part.Text)
			continue
		}
		for _, x := range h.times {
			words = append(words, x.Text)
		}
	}
	if len(times) < 2 {
		return times
	}
	var best when.Expr
	for _, w := range [3]string{chineseYear(words), strings.Join(words, " "), reversed(words)} {
		var found []when.Expr
		for _, x := range when.Find(text.Fold([]rune(w)), t.r.options) {
			if !x.From.IsZero() || !x.To.IsZero() {
				found = append(found, x)
			}
		}
		if len(found) == 1 && found[0].Len() > best.Len() { // "2024 May" holds 2024 alone
			best = found[0]
		}
	}
	if best.Len() > 0 {
		best.Span = times[len(times)-1].Span
		return []when.Expr{best}
	}
	// What cannot be placed says nothing beside what can.
	var placed []when.Expr
	for _, x := range times {
		if !x.From.IsZero() || !x.To.IsZero() {
			placed = append(placed, x)
		}
	}
	if len(placed) > 0 {
		return placed
	}
	return times
}

// chineseYear writes a bare year before Chinese months and quarters as their sentences
// do (2024年三月); "" when there is no such year or nothing Chinese beside it.
func chineseYear(words []string) string {
	first, rest, han := "", "", false
	for _, w := range words {
		if w = strings.TrimSpace(w); first == "" && year(w) {
			first = w + "年"
			continue
		}
		rest += w
		han = han || strings.ContainsAny(w, "年月日季期度周半")
	}
	if first == "" || !han {
		return ""
	}
	return first + rest
}

func reversed(words []string) string {
	var b strings.Builder
	for i := len(words) - 1; i >= 0; i-- {
		b.WriteString(words[i])
		b.WriteByte(' ')
	}
	return b.String()
}

// onlyTime reports whether a heading names a time and nothing else.
func (t *tableReader) onlyTime(h header) bool {
	for _, x := range h.terms {
		if periodWords[x.Text] || year(x.Text) || len(x.Text) == 1 {
			continue
		}
		return false
	}
	return true
}

// periodWords are the words of a heading that belong to its time.
var periodWords = termSetOf("year years ended ending month months quarter quarters week weeks fiscal period twelve six three nine december march june september january february april may july august october november first second third fourth half audited unaudited recast restated adjusted 年度 年末 期末 截至 年初 期初 末 年 月 日")

func termSetOf(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w], m[text.Stem(w)] = true, true
	}
	return m
}

// bare is a heading without the footnote marks at its end: 2017 (a), 2018 [2], 2019*.
func (t *tableReader) bare(s text.Span) text.Span {
	f := t.r.folded
	for s.Len() > 3 {
		e := s.End
		switch f[e-1] {
		case '*', '†', '‡', ' ':
			s.End--
			continue
		case ')', ']':
			k := e - 2
			for k > s.Start && e-k <= 5 && f[k] != '(' && f[k] != '[' {
				k--
			}
			if inner := e - 1 - (k + 1); k > s.Start && (f[k] == '(' || f[k] == '[') && inner >= 1 && inner <= 2 && (digit(f[k+1]) || f[k+1] >= 'a' && f[k+1] <= 'z') {
				s.End = k
				continue
			}
		}
		break
	}
	return s
}

// heading reads one heading cell.
func (t *tableReader) heading(s text.Span, origin Origin, weight float64) header {
	r := t.r
	if s.Empty() {
		return header{}
	}
	h := header{part: r.part(s), times: r.timesIn(s), unit: r.unitNote(s)}
	h.terms = weighted(r.termsIn(s), origin, weight)
	if len(h.times) == 0 {
		b := t.bare(s)
		w := string(r.folded[b.Start:b.End])
		if year(w) {
			h.times = bareTime(w, b)
		} else if m := shortMonths[strings.TrimSuffix(w, ".")]; m != "" {
			h.times = bareTime(m, b)
		}
	}
	h.timeOnly = len(h.times) > 0 && t.onlyTime(h)
	return h
}

// shortMonths are the months as headings shorten them; alone in a sentence such a word
// may be a name or a verb, as a heading it is the month.
var shortMonths = map[string]string{"jan": "january", "feb": "february", "mar": "march", "march": "march", "apr": "april", "may": "may", "jun": "june",
	"jul": "july", "aug": "august", "sep": "september", "sept": "september", "oct": "october", "nov": "november", "dec": "december"}

// bareTime reads a year or month that stands alone in a heading.
func bareTime(w string, s text.Span) []when.Expr {
	found := when.Find(text.Fold([]rune("in "+w)), when.Options{})
	for i := range found {
		found[i].Span = s
		found[i].Text = w
	}
	return found
}

// unitOver is the unit that what stands over a table gives to its numbers: the nearest of
// caption and corners, headings from the innermost, and title that names one; "" for none.
// 各月产量（吨） may be the name of the page.
func unitOver(over []string, title string, headings []string) string {
	over = append(over, headings...)
	slices.Reverse(over[len(over)-len(headings):])
	for _, s := range append(over, title) {
		if u := foldedUnit(s); u != "" {
			return u
		}
	}
	return ""
}

// foldedUnit is unitNote for a text as written.
func foldedUnit(s string) string { return unitNote(string(text.Fold([]rune(s)))) }

// unitNote finds the unit that a caption or heading gives to all numbers under it:
// (in millions), 单位：万元, (min), (%).
func (r *reader) unitNote(s text.Span) string {
	return unitNote(string(r.folded[s.Start:s.End]))
}

// unitNote is the same for a folded text.
func unitNote(str string) string {
	if str == "" {
		return ""
	}
	if i := strings.Index(str, "单位"); i >= 0 {
		rest := strings.TrimLeft(str[i+len("单位"):], " :是为")
		return strings.TrimSpace(cutAny(rest, ",，;；)。 |"))
	}
	if i := strings.Index(str, "("); i >= 0 {
		inner := cutAny(str[i+1:], ")")
		inner = strings.TrimSpace(inner)
		for _, p := range []string{"in ", "amounts in ", "figures in ", "dollars in ", "u.s. dollars in ", "单位"} {
			inner = strings.TrimPrefix(inner, p)
		}
		inner = cutAny(inner, ",，;")
		if inner != "" && unitLike(inner) {
			return inner
		}
	}
	if i := strings.Index(str, "in millions"); i >= 0 {
		return "millions"
	}
	if i := strings.Index(str, "in thousands"); i >= 0 {
		return "thousands"
	}
	if i := strings.Index(str, "in billions"); i >= 0 {
		return "billions"
	}
	return ""
}

func cutAny(s, seps string) string {
	if i := strings.IndexAny(s, seps); i >= 0 {
		return s[:i]
	}
	return s
}

// unitLike reports whether a number before the words makes a quantity with a unit.
func unitLike(s string) bool {
	for _, w := range []string{"thousand", "million", "billion", "千", "万", "亿"} {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	if len(s) > 24 {
		return false
	}
	q, ok := quantity.Words("5 " + s)
	if !ok {
		q, ok = quantity.Words("5" + s)
	}
	return ok && (q.Unit.Dim != quantity.None && q.Unit.Dim != quantity.Count || q.Unit.Name != "")
}

// cell adds the facts of one data cell.
func (t *tableReader) cell(clause, sentence int, s text.Span, row header, sections []header, c int, ctx []Term) {
	r := t.r
	if s.Empty() || len(r.page.Facts) > len(r.runes) { // merged cells must not outgrow the text
		return
	}
	switch string(r.folded[s.Start:s.End]) {
	case "-", "—", "–", "n/a", "na", "--", "/", "…":
		return
	}
	var col, section header
	if c < len(t.columns) {
		col = t.columns[c]
	}
	if len(sections) > 0 {
		section = sections[len(sections)-1]
	}
	f := Fact{Span: s, Sentence: sentence, Clause: clause, Subject: row.part, Attribute: col.part, Complete: row.part.Text != "" && col.part.Text != "", Confidence: 0.85}
	switch {
	case t.headers == 0: // labels with values: the row heading is the attribute
		f.Attribute = row.part
		f.Subject = section.part
		f.Complete = f.Attribute.Text != ""
	case col.timeOnly && !row.timeOnly && row.part.Text != "":
		// Columns are times: the row says what is measured, its section of what.
		f.Attribute = row.part
		if section.part.Text != "" && len(section.times) == 0 {
			f.Subject = section.part
		}
	}
	f.Times = t.cellTimes(col, row, sections)
	seen := make(map[string]int, len(col.terms)+len(row.terms)+len(ctx))
	for _, group := range [][]Term{row.terms, col.terms, ctx} {
		for _, x := range group {
			if k, ok := seen[x.Text]; ok {
				if f.Anchors[k].Weight < x.Weight {
					f.Anchors[k] = x
				}
				continue
			}
			if len(f.Anchors) < maxAnchors {
				seen[x.Text] = len(f.Anchors)
				f.Anchors = append(f.Anchors, x)
			}
		}
	}
	f.Value = Value{Kind: TextValue, Text: r.str(s), Span: s}
	unit := col.unit
	if unit == "" {
		unit = row.unit
	}
	for k := len(sections) - 1; k >= 0 && unit == ""; k-- {
		unit = sections[k].unit
	}
	scale := t.scale
	if q, ok := t.quantity(s, unit, scale); ok {
		f.Value.Kind, f.Value.Quantity = QuantityValue, q
	} else if times := r.timesIn(s); len(times) == 1 && times[0].Len()*2 >= s.Len() {
		x := times[0]
		f.Value.Kind, f.Value.Time = TimeValue, &x
	} else if r.nameLike(s) {
		f.Value.Kind = EntityValue
	}
	if f.Value.Kind == TextValue || f.Value.Kind == EntityValue {
		for _, x := range r.termsIn(s) {
			if len(f.Anchors) < maxAnchors {
				f.Anchors = append(f.Anchors, x)
			}
		}
		switch string(r.folded[s.Start:s.End]) {
		case "no", "否", "无", "×", "✗", "✘", "❌", "不支持", "not supported", "no.":
			f.Value.Kind, f.Denied = BooleanValue, true
		case "yes", "是", "有", "√", "✓", "✔", "✅", "支持", "supported":
			f.Value.Kind = BooleanValue
		}
	}
	r.page.Facts = append(r.page.Facts, f)
	// A long cell may hold several values.
	if f.Value.Kind == TextValue {
		n := 0
		for _, q := range r.quantsIn(s) {
			if n++; n > 8 {
				break
			}
			g := f
			g.Value = Value{Kind: QuantityValue, Text: r.str(q.Span), Span: q.Span, Quantity: &q}
			g.Confidence = 0.6
			r.page.Facts = append(r.page.Facts, g)
		}
	}
}

// cellTimes are the times of a cell: of its column and row together with those of the
// labels above the row, else of the heading the table stands under.
func (t *tableReader) cellTimes(col, row header, sections []header) []when.Expr {
	levels := make([]header, 0, 2+len(sections))
	levels = append(levels, col, row)
	placed := false
	for _, h := range levels {
		for _, x := range h.times {
			placed = placed || !x.From.IsZero() || !x.To.IsZero()
		}
	}
	if !placed { // a quarter in the column, its year over the rows
		for k := len(sections) - 1; k >= 0; k-- {
			if len(sections[k].times) > 0 {
				levels = append(levels, sections[k])
				break
			}
		}
	}
	times := t.joinTimes(levels...)
	kept := times[:0:0]
	for _, x := range times {
		// "Year ended December 31," over a column of changes names no year.
		if x.Grain != "day" || !x.From.IsZero() || !x.To.IsZero() || x.Kind == when.Recurring {
			kept = append(kept, x)
		}
	}
	if len(kept) > 0 {
		return kept
	}
	return t.r.headingTimes()
}

// quantity types a cell as a number, with the unit of its heading and the scale of
// the caption.
func (t *tableReader) quantity(s text.Span, unit, scale string) (*quantity.Quantity, bool) {
	r := t.r
	raw := strings.TrimSpace(r.str(s))
	if !t.isValue(s) || len(raw) > 40 {
		return nil, false
	}
	negative := false
	body := raw
	currency := ""
	for _, c := range []string{"$", "€", "£", "¥", "￥"} {
		if i := strings.Index(body, c); i >= 0 && i < 3 {
			currency = c
			body = strings.Replace(body, c, "", 1)
		}
	}
	body = strings.TrimSpace(body)
	if strings.HasPrefix(body, "(") && (strings.HasSuffix(body, ")") || strings.HasSuffix(body, ")%")) { // accounting style
		negative = true
		body = strings.Replace(strings.Trim(body, "("), ")", "", 1)
	} else if strings.HasPrefix(body, "-") || strings.HasPrefix(body, "−") || strings.HasPrefix(body, "–") {
		negative = true
		body = strings.TrimLeft(body, "-−– ")
	}
	body = strings.TrimSpace(body)
	bare := body != "" && strings.Trim(body, "0123456789.,") == ""
	tries := []string{}
	if bare {
		if strings.HasPrefix(unit, "%") || unit == "percent" {
			tries = append(tries, body+"%")
		} else if unit != "" {
			tries = append(tries, currency+body+" "+unit, currency+body+unit)
		}
		if scale != "" && (unit == "" || currency != "") {
			tries = append(tries, currency+body+" "+scale, currency+body+scale, currency+body+" "+strings.TrimSuffix(scale, "s"))
		}
	}
	tries = append(tries, currency+body, raw)
	for _, try := range tries {
		q, ok := quantity.Words(try)
		if !ok {
			continue
		}
		if negative {
			q = negated(q)
		}
		q.Span, q.Number, q.NounSpan, q.Raw = s, s, text.Span{}, raw
		return &q, true
	}
	if qs := r.quantsIn(s); len(qs) == 1 && (qs[0].Len()*2 >= s.Len() || onlyEach(r.folded[s.Start:qs[0].Start])) {
		q := qs[0]
		return &q, true
	}
	return nil, false
}

// onlyEach reports whether what stands before a value says only of what it is one: 每小时.
func onlyEach(before []rune) bool {
	return len(before) > 1 && len(before) <= 4 && before[0] == '每'
}

func negated(q quantity.Quantity) quantity.Quantity {
	lo, hi := q.Lo, q.Hi
	q.Lo, q.Hi = nil, nil
	if hi != nil {
		q.Lo = new(big.Rat).Neg(hi)
	}
	if lo != nil {
		q.Hi = new(big.Rat).Neg(lo)
	}
	q.LoOpen, q.HiOpen = q.HiOpen, q.LoOpen
	return q
}
