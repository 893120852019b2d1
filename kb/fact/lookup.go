package fact

import (
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/text/lexicon"
)

// A reader of a table finds the row by what a question names, wherever in the row it
// stands, and then the column by what is asked: by its heading, or by the kind of its
// values where only one column has that kind. Or the other way round, where the
// columns are the things. Coverage, which lays the words of a question over one cell
// and its headings, asks for more words than a question of one's own has.

// Thresholds of the lookup; docs/measurements.md shows what they were tried on.
const (
	leastKey     = 2.0  // weight of the question's words that name the row and no other
	keyLead      = 0.6  // greatest share of that weight that another row may have
	leastKeyPart = 0.4  // least share of the cell that names the row
	namedLine    = 0.6  // share of a heading by which the question names it
	lookupTrust  = 0.8  // how far a cell is trusted whose row and column were looked up
	kindTrust    = 0.72 // the same where the kind alone chose
	leftNamed    = 0.7  // greatest share of the question that is nowhere on the page, where row and column are named
	leftShare    = 0.5  // the same where only one of them is
)

// sheetRow is one row of a table with what stands in its cells.
type sheetRow struct {
	sentence int
	cells    []sheetCell
}

type sheetCell struct {
	text string
	w    *wording
	fact int // the first fact of the cell; -1 = none
}

// sheetTable is a table as it is looked into.
type sheetTable struct {
	heads    []string // by column, the levels joined, units in brackets left out
	folded   []string // the same, folded
	headings []*wording
	parts    [][]*wording // of a heading that names several
	rows     []sheetRow
}

// sheetTables are the tables of a page, and where each sentence stands in them.
type sheetTables struct {
	list []sheetTable
	at   []rowPlace // by sentence
}

// rowPlace is a row of a table; a table of -1 is none.
type rowPlace struct{ table, row int32 }

// tablesOf are the tables of the page with headings.
func (s *sheet) tablesOf() []sheetTable { return s.tables().list }

func (s *sheet) tables() *sheetTables {
	return s.lookups.get(0, func() *sheetTables {
		out := &sheetTables{list: s.readTables(), at: make([]rowPlace, len(s.page.Sentences))}
		for i := range out.at {
			out.at[i].table = -1
		}
		for t := range out.list {
			for r := range out.list[t].rows {
				out.at[out.list[t].rows[r].sentence] = rowPlace{int32(t), int32(r)}
			}
		}
		return out
	})
}

func (s *sheet) readTables() []sheetTable {
	var out []sheetTable
	var cur *sheetTable
	var heads [][]string
	last := HeadingLine
	for i, info := range s.page.Sentences {
		if info.Kind != Row && info.Kind != HeaderRow {
			last = info.Kind
			continue
		}
		cells, spans := cellsOf(s.page.Runes, info.Span)
		if info.Kind == HeaderRow {
			if last != HeaderRow {
				heads = nil
			}
			heads = append(heads, cells)
			cur, last = nil, HeaderRow
			continue
		}
		if last != Row && last != HeaderRow {
			cur, heads = nil, nil
		}
		last = Row
		if len(heads) == 0 {
			continue
		}
		if cur == nil {
			out = append(out, sheetTable{heads: joinHeads(heads)})
			cur = &out[len(out)-1]
			for _, h := range cur.heads {
				cur.folded = append(cur.folded, fold(h))
				cur.headings = append(cur.headings, s.engine.wording(h, nil))
				cur.parts = append(cur.parts, s.engine.partsOf(h))
			}
		}
		row := sheetRow{sentence: i}
		for _, t := range cells {
			row.cells = append(row.cells, sheetCell{text: t, w: s.engine.wording(t, nil), fact: -1})
		}
		s.factsInto(&row, info, spans)
		cur.rows = append(cur.rows, row)
	}
	return out
}

// factsInto gives each cell of a row the first fact whose value lies in it.
func (s *sheet) factsInto(row *sheetRow, info SentenceInfo, spans []text.Span) {
	for k := info.Clauses[0]; k < info.Clauses[1] && k < len(s.page.Clauses); k++ {
		for i := s.page.Clauses[k].Facts[0]; i < s.page.Clauses[k].Facts[1] && i < len(s.page.Facts); i++ {
			v := s.page.Facts[i].Value.Span
			if v.Empty() {
				continue
			}
			if c := cellWith(spans, v); c >= 0 && row.cells[c].fact < 0 {
				row.cells[c].fact = i
			}
		}
	}
}

// cellWith is the first cell that holds a span; -1 = none. Cells stand in order and apart.
func cellWith(cells []text.Span, s text.Span) int {
	c, _ := slices.BinarySearchFunc(cells, s.End, func(cell text.Span, end int) int { return cell.End - end })
	if c < len(cells) && cells[c].Contains(s) {
		return c
	}
	return -1
}

// cellsOf splits a line of a table.
func cellsOf(runes []rune, s text.Span) (cells []string, spans []text.Span) {
	sep := '\t'
	for i := s.Start; i < s.End; i++ {
		if runes[i] == '|' {
			sep = '|'
			break
		}
	}
	from := s.Start
	for from < s.End && (runes[from] == ' ' || sep == '|' && runes[from] == '|') {
		from++
		if runes[from-1] == '|' {
			break
		}
	}
	for i := from; i <= s.End; i++ {
		if i < s.End && runes[i] != sep {
			continue
		}
		t := strings.TrimSpace(string(runes[from:i]))
		if i == s.End && t == "" && sep == '|' {
			break
		}
		cells, spans = append(cells, t), append(spans, text.Span{Start: from, End: i})
		from = i + 1
	}
	return cells, spans
}

// CellHeadings are the label of the row and the heading of the column of a fact that is a
// cell of a table; false where it is none, or names the row itself.
func (p *Page) CellHeadings(i int) (row, column string, ok bool) {
	f := &p.Facts[i]
	if f.Sentence < 0 || f.Sentence >= len(p.Sentences) || p.Sentences[f.Sentence].Kind != Row {
		return "", "", false
	}
	line := &p.lines()[f.Sentence]
	at := cellWith(line.spans, f.Value.Span)
	if at < 1 || at >= len(line.heads) || line.heads[at] == "" {
		return "", "", false
	}
	return line.label, line.heads[at], true
}

// tableLine is a row of a table as it is cut into cells.
type tableLine struct {
	label string   // the first cell
	heads []string // of the columns, shared by the rows of a table
	spans []text.Span
}

// lines are the rows of the tables of a page by sentence, made once and kept with it.
func (p *Page) lines() []tableLine {
	if out := p.cells.Load(); out != nil {
		return *out
	}
	out := make([]tableLine, len(p.Sentences))
	var levels [][]string // of the header rows above
	var heads []string
	for i, s := range p.Sentences {
		if s.Kind != Row && s.Kind != HeaderRow {
			levels, heads = nil, nil
			continue
		}
		cells, spans := cellsOf(p.Runes, s.Span)
		if s.Kind == HeaderRow {
			if i == 0 || p.Sentences[i-1].Kind != HeaderRow {
				levels = nil
			}
			levels, heads = append(levels, cells), nil
			continue
		}
		if heads == nil && len(levels) > 0 {
			heads = joinHeads(levels)
		}
		out[i] = tableLine{heads: heads, spans: spans}
		if len(cells) > 0 {
			out[i].label = cells[0]
		}
	}
	p.cells.Store(&out)
	return out
}

// CellUnit is the unit that the heading of the column, or else what stands over the table,
// gives to a fact that is a number in a cell, folded and as written there (万元, millions);
// "" where the cell or its row names it. measure is what is measured, where row and column
// only say when. title and headings are those of the source.
func (p *Page) CellUnit(i int, title string, headings []string) (unit, measure string) {
	f := &p.Facts[i]
	row, _, ok := p.CellHeadings(i)
	if !ok || f.Value.Quantity == nil {
		return "", ""
	}
	first := f.Sentence
	for first > 0 && (p.Sentences[first-1].Kind == Row || p.Sentences[first-1].Kind == HeaderRow) {
		first--
	}
	caption := ""
	if first > 0 && p.Sentences[first].Start-p.Sentences[first-1].End < captionGap && p.Sentences[first-1].Len() < maxCaption {
		caption = string(p.Runes[p.Sentences[first-1].Start:p.Sentences[first-1].End])
	}
	if datedCell(f) {
		measure = title
		if n := len([]rune(caption)); n > 0 && n < longestName {
			measure = caption
		}
	}
	bare := strings.Trim(f.Value.Text, "0123456789., ()-−–")
	if strings.Trim(bare, "$€£¥￥") != "" || foldedUnit(row) != "" { // the cell or its row names the unit itself
		return "", measure
	}
	_, spans := cellsOf(p.Runes, p.Sentences[f.Sentence].Span)
	at := slices.IndexFunc(spans, func(s text.Span) bool { return s.Contains(f.Value.Span) })
	over := []string{caption}
	for k := first; k < len(p.Sentences) && p.Sentences[k].Kind == HeaderRow; k++ {
		heads, _ := cellsOf(p.Runes, p.Sentences[k].Span)
		if at < len(heads) && foldedUnit(heads[at]) != "" && bare == "" {
			return foldedUnit(heads[at]), measure
		}
		if len(heads) > 0 {
			over = append(over, heads[0])
		}
	}
	return unitOver(over, title, headings), measure
}

// longestName is the length from which a caption is a sentence rather than a name.
const longestName = 80

// joinHeads joins the levels of a heading; a cell left empty in an upper level goes on
// with what stands before it.
func joinHeads(levels [][]string) []string {
	width := 0
	for _, l := range levels {
		width = max(width, len(l))
	}
	out := make([]string, width)
	for n, l := range levels {
		before := ""
		for c := range out {
			t := ""
			if c < len(l) {
				t = l[c]
			}
			if t == "" && n+1 < len(levels) && c > 0 {
				t = before
			}
			before = t
			if t = bracketless(t); t != "" && !strings.Contains(out[c], t) {
				out[c] = strings.TrimSpace(out[c] + " " + t)
			}
		}
	}
	return out
}

// several parts a heading, or a cell, that names several things.
var several = regexp.MustCompile(`、|及|和|与|或|/|,|;|；|，| and | or `)

// partsOf are the wordings of the things that a heading names, itself first.
func (e *Engine) partsOf(heading string) []*wording {
	out := []*wording{e.wording(heading, nil)}
	if parts := several.Split(heading, -1); len(parts) > 1 {
		for _, p := range parts {
			if w := e.wording(strings.TrimSpace(p), nil); w.total >= 1.5 {
				out = append(out, w)
			}
		}
	}
	return out
}

// namedIn is the greatest share of one of the wordings that a question carries.
func namedIn(parts []*wording, words *bag) float64 {
	best := 0.0
	for _, w := range parts {
		if w.total > 0 {
			best = max(best, w.scoreOn(words))
		}
	}
	return best
}

// bracketless is a heading without what stands in brackets, which is its unit.
func bracketless(s string) string {
	for _, pair := range [][2]string{{"(", ")"}, {"（", "）"}} {
		if i := strings.Index(s, pair[0]); i > 0 {
			if j := strings.LastIndex(s, pair[1]); j > i {
				s = s[:i] + s[j+len(pair[1]):]
			}
		}
	}
	return strings.TrimSpace(s)
}

// leftOpen reports whether a table has the row and the column that a need asks for, and the
// cell says that its value is not known yet.
func (r *Round) leftOpen(n *prepared, cov *Coverage) bool {
	if len(cov.Fillers) == 0 || n.kinds.extreme != 0 {
		return false
	}
	words := (*bag)(nil)
	for _, f := range cov.Fillers {
		v := r.views[f.Page]
		if f.Fact < 0 || !v.inTable(&v.page.Facts[f.Fact]) {
			return false
		}
		tables := v.tablesOf()
		for t := range tables {
			if words == nil {
				words = r.engine.lookupWords(n)
			}
			for _, turned := range []bool{false, true} {
				l := looking{r: r, n: n, v: v, t: &tables[t], turned: turned, words: words}
				if l.find(); l.open {
					return true
				}
			}
		}
	}
	return false
}

// lookedUp covers a need by a cell of a table that its row and its column name; first
// is what was found without.
func (r *Round) lookedUp(n *prepared, first Coverage) Coverage {
	if n.Count > 1 || n.Class == "STEPS" || n.Class == "CAUSE" || n.Class == "DEFINITION" && n.kinds.expect != "QUANTITY" || n.all.total == 0 {
		return first
	}
	best, trust, second := Ref{Page: -1}, 0.0, 0.0
	var words *bag
	n = r.engine.alone(n)
	for p, v := range r.views {
		if v.foreign(n) {
			continue
		}
		tables := v.tablesOf()
		if len(tables) > 0 && words == nil {
			words = r.engine.lookupWords(n)
		}
		for t := range tables {
			for _, turned := range []bool{false, true} {
				l := looking{r: r, n: n, v: v, t: &tables[t], turned: turned, words: words}
				ref, ok := l.find()
				if !ok {
					continue
				}
				ref.Page = p
				switch {
				case ref.Score > trust && (best.Page < 0 || best != ref):
					best, trust, second = ref, ref.Score, trust
				case ref != best:
					second = max(second, ref.Score)
				}
			}
		}
	}
	if best.Page < 0 || second >= trust {
		return first
	}
	out := first
	out.State, out.Fillers, out.Excluded = StateFilled, []Ref{best}, false
	out.Confidence, out.Uncovered = trust, nil
	out.Fit = max(out.Fit, trust)
	return out
}

// alone is a need whose question has the words of this one thing alone, where it asks about
// others, too: the words of another side name another row.
func (e *Engine) alone(n *prepared) *prepared {
	if len(n.others) == 0 {
		return n
	}
	own := *n
	own.all = e.wording(strings.Join(append([]string{n.Subject, n.Attribute}, n.Given...), " "), nil)
	return &own
}

// Days of the week as tables head them.
var (
	weekendDay = regexp.MustCompile(`周六|周日|周天|星期六|星期日|星期天|礼拜六|礼拜天|双休|\b(?:satur|sun)days?\b|\bweekends?\b`)
	workday    = regexp.MustCompile(`(?:周|星期|礼拜)[一二三四五]|\b(?:mon|tues|wednes|thurs|fri)days?\b`)
)

// lookupWords are the words of the question, and the part of the week of a day that it
// names.
func (e *Engine) lookupWords(n *prepared) *bag {
	out := bagOf(n.all)
	q := fold(n.Question)
	if weekendDay.MatchString(q) {
		e.addText(out, "周末 weekend weekends", 1)
	}
	if workday.MatchString(q) {
		e.addText(out, "工作日 平日 weekday weekdays", 1)
	}
	return out
}

// looking is one look into one table. Where it is turned, the columns are the things
// and the rows what is told of them.
type looking struct {
	r      *Round
	n      *prepared
	v      *view
	t      *sheetTable
	turned bool

	words  *bag         // of the question, with the part of the week of a day that it names
	lines  [][]*wording // by thing: what names it
	labels []string     // by thing: its own label
	open   bool         // the cell that is asked for says that its value is not known yet
}

// find is the cell that the question asks for.
func (l *looking) find() (Ref, bool) {
	l.names()
	if len(l.lines) == 0 {
		return Ref{}, false
	}
	if l.n.kinds.extreme != 0 {
		return l.extreme()
	}
	thing, key := l.thing()
	if thing < 0 {
		return Ref{}, false
	}
	return l.told(thing, key)
}

// names gathers what can name each thing: for a row any of its cells that is no value,
// for a column its heading.
func (l *looking) names() {
	if l.turned {
		for c := 1; c < len(l.t.heads); c++ {
			l.lines = append(l.lines, []*wording{l.t.headings[c]})
			l.labels = append(l.labels, l.t.heads[c])
		}
		return
	}
	for _, row := range l.t.rows {
		var named []*wording
		label := ""
		for c, x := range row.cells {
			if c == 0 {
				label = x.text
			}
			if x.w.total == 0 || x.fact >= 0 && l.isValue(x.fact) {
				continue
			}
			named = append(named, x.w)
		}
		l.lines, l.labels = append(l.lines, named), append(l.labels, label)
	}
}

// isValue reports whether a cell is a number, a time or a yes.
func (l *looking) isValue(i int) bool {
	switch l.v.page.Facts[i].Value.Kind {
	case QuantityValue, TimeValue, BooleanValue:
		return true
	}
	return false
}

// thing is the one thing that the question names, with the cells of the question that
// name it; -1 = none or several.
func (l *looking) thing() (int, []float64) {
	all := l.n.all
	if found := l.within(); found >= 0 {
		return found, make([]float64, len(all.cells))
	}
	if found, key := l.written(); found >= 0 {
		return found, key
	}
	if found := l.dated(); found >= 0 {
		return found, make([]float64, len(all.cells))
	}
	carried := make([][]float64, len(l.lines))
	share := make([]float64, len(l.lines))
	common := make([]int, len(all.cells))
	for i, named := range l.lines {
		carried[i] = make([]float64, len(all.cells))
		for _, w := range named {
			in := w.scoreOn(l.words)
			if in < leastKeyPart {
				continue
			}
			share[i] = max(share[i], in)
			all.lay(bagOf(w), carried[i], 1)
		}
		for k, c := range carried[i] {
			if c >= cellCovered {
				common[k]++
			}
		}
	}
	best, bestWeight, next := -1, 0.0, 0.0
	for i := range l.lines {
		weight := 0.0
		for k, c := range carried[i] {
			if c >= cellCovered && (common[k] == 1 || 3*common[k] <= len(l.lines)) {
				weight += all.cells[k].weight * c
			}
		}
		weight *= 0.5 + 0.5*share[i]
		switch {
		case weight > bestWeight:
			best, bestWeight, next = i, weight, bestWeight
		case weight > next:
			next = weight
		}
	}
	if best < 0 || bestWeight < leastKey*(0.5+0.5*share[best]) || next > keyLead*bestWeight {
		return -1, nil
	}
	return best, carried[best]
}

// written is the one thing whose label stands in the question as it is; the longest
// where one label is a part of another.
func (l *looking) written() (int, []float64) {
	question := string(l.n.all.folded)
	found, longest := -1, ""
	several := false
	for i, label := range l.labels {
		f := strings.TrimSpace(fold(bracketless(label)))
		if len(f) < 3 || !standsIn(question, f) || strings.Contains(longest, f) && f != longest {
			continue
		}
		if found >= 0 && !strings.Contains(f, longest) {
			several = true
			continue
		}
		several = several && f != longest && !strings.Contains(f, longest)
		found, longest = i, f
	}
	if found < 0 || several {
		return -1, nil
	}
	cells := make([]float64, len(l.n.all.cells))
	l.n.all.lay(bagOf(l.r.engine.wording(longest, nil)), cells, 1)
	return found, cells
}

// standsIn reports whether a phrase stands in a text as a word.
func standsIn(s, phrase string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], phrase)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(phrase)
		if !letterAt(s, i-1, phrase[0]) && !letterAt(s, end, phrase[len(phrase)-1]) {
			return true
		}
		at = end
	}
}

// letterAt reports whether a Latin letter or digit at a place of s goes on with the
// same kind of sign.
func letterAt(s string, i int, sign byte) bool {
	if i < 0 || i >= len(s) || sign >= 0x80 {
		return false
	}
	c := s[i]
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// dated is the one thing whose label is the time that the question names, where all
// labels are times.
func (l *looking) dated() int {
	if len(l.n.times) == 0 || l.turned {
		return -1
	}
	found := -1
	for i, row := range l.t.rows {
		label := l.r.engine.undated(row.cells[0].text, row.cells[0].w)
		k := slices.IndexFunc(row.cells, func(c sheetCell) bool { return c.fact >= 0 })
		if label.total > 0 && !year(l.labels[i]) || k < 0 {
			return -1
		}
		if len(l.v.page.Facts[row.cells[k].fact].Times) == 0 || l.r.engine.elsewhere(l.n, l.v, row.cells[k].fact) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// within is the thing within whose limits a value of the question lies, where other
// things have limits that exclude it: 250 km, and a column of more than 200 km.
func (l *looking) within() int {
	found, excluded := -1, false
	for i, label := range l.labels {
		bounds := limitsIn(label)
		for _, x := range l.n.limits {
			for _, b := range bounds {
				if b.Unit.Dim != x.Unit.Dim {
					continue
				}
				switch rel, _ := quantity.Compare(x, b); rel {
				case relation.Same:
					if found >= 0 && found != i {
						return -1
					}
					found = i
				case relation.Excludes:
					excluded = true
				}
			}
		}
	}
	if !excluded {
		return -1
	}
	return found
}

// slot is a place in the table where what is told of the thing may stand.
type slot struct {
	fact  int
	head  string
	w     *wording
	words float64 // share of the heading that the question names
	kind  bool    // its value has the asked kind
	open  bool    // it says that its value is not known yet
}

// slots are the cells of a thing beside those that name it.
func (l *looking) slots(thing int) []slot {
	var out []slot
	add := func(x sheetCell, head string, w *wording, parts []*wording) {
		s := slot{fact: x.fact, head: head, w: w, words: namedIn(parts, l.words), open: openCell.MatchString(strings.ToLower(x.text))}
		if x.fact >= 0 && !blank(x.text) {
			given := !l.isValue(x.fact) && x.w.total > 0 && x.w.scoreOn(l.words) >= namedLine
			s.kind = !given && l.asked(&l.v.page.Facts[x.fact], head)
		}
		out = append(out, s)
	}
	if l.turned {
		for _, row := range l.t.rows {
			if c := thing + 1; c < len(row.cells) {
				add(row.cells[c], row.cells[0].text, row.cells[0].w, l.r.engine.partsOf(row.cells[0].text))
			}
		}
		return out
	}
	row := l.t.rows[thing]
	for c := 1; c < len(row.cells) && c < len(l.t.heads); c++ {
		add(row.cells[c], l.t.heads[c], l.t.headings[c], l.t.parts[c])
	}
	return out
}

// asked reports whether a value has the kind that is asked for.
func (l *looking) asked(f *Fact, head string) bool {
	n := l.n
	switch n.kinds.expect {
	case "QUANTITY", "DURATION", "TIME", "PLACE", "BOOLEAN":
		if n.kinds.expect == "BOOLEAN" {
			return true
		}
		if !n.kinds.admits(n, l.v, f) {
			return l.headed(f, head)
		}
		if q := f.Value.Quantity; q != nil && n.kinds.expect == "TIME" && q.Unit.Dim != quantity.ClockTime {
			return false // a length of time is no date
		}
		if q := f.Value.Quantity; q != nil && n.kinds.expect == "QUANTITY" && n.kinds.dims == nil {
			// How many: a sum of money, a time or a share is none.
			return q.Unit.Dim == quantity.None || q.Unit.Dim == quantity.Count || !countWords.has(n.Question)
		}
		return true
	}
	return f.Value.Kind == TextValue || f.Value.Kind == EntityValue
}

// headed reports whether a bare number has the asked kind by its heading (期限, fee), or
// is money because the table is one of prices.
func (l *looking) headed(f *Fact, head string) bool {
	q := f.Value.Quantity
	if q == nil || q.Unit.Dim != quantity.None && q.Unit.Dim != quantity.Count || l.n.kinds.expect == "TIME" || l.n.kinds.expect == "PLACE" {
		return false
	}
	w := l.r.engine.wording(head, nil)
	wanted := l.n.kinds.dims
	if l.n.kinds.expect == "DURATION" {
		wanted = sameDims(quantity.Duration)
	}
	for dim := range wanted {
		cells := make([]float64, len(w.cells))
		coverImplied(implied[dim], w, cells)
		if slices.ContainsFunc(cells, func(c float64) bool { return c > 0 }) {
			return true
		}
	}
	return wanted[quantity.Money] && l.priced()
}

// prices matches a caption or heading of a table of prices.
var prices = regexp.MustCompile(`元|￥|¥|\$|€|£|\b(?:eur|usd|gbp|pounds?|euros?|dollars?|prices?|fees?|charges?|rates?|fares?)\b|价|费|租金`)

// priced reports whether the headings of the table or the line before it say that its
// numbers are prices.
func (l *looking) priced() bool {
	for _, h := range l.t.heads {
		if prices.MatchString(fold(h)) {
			return true
		}
	}
	first := l.t.rows[0].sentence
	for first > 0 && l.v.page.Sentences[first-1].Kind == HeaderRow {
		first--
	}
	return first > 0 && prices.MatchString(l.v.sentenceText(first-1))
}

// specific reports whether the question says by its form what kind of value it asks
// for, so that the kind may choose the column.
func (l *looking) specific() bool {
	switch l.n.kinds.expect {
	case "DURATION", "TIME", "PLACE":
		return true
	case "QUANTITY": // what is counted is told by a heading only
		return l.n.kinds.dims != nil && !l.n.kinds.dims[quantity.Count]
	}
	return false
}

// told is the cell of the thing that tells what is asked.
func (l *looking) told(thing int, key []float64) (Ref, bool) {
	slots := l.slots(thing)
	slots = slices.DeleteFunc(slots, func(s slot) bool {
		return s.fact >= 0 && (l.r.engine.elsewhere(l.n, l.v, s.fact) || l.n.outside(l.v, s.fact))
	})
	clusters := *l.v.clustersIn(l.n.Question)
	named, namedBy, nextBy := -1, 0.0, 0.0
	near, nearMany := -1, 0
	kind, kindMany := -1, 0
	for i := range slots {
		s := &slots[i]
		switch {
		case s.words > namedBy:
			named, namedBy, nextBy = i, s.words, namedBy
		case s.words > nextBy:
			nextBy = s.words
		}
		if s.kind {
			kind = i
			kindMany++
			if l.closeTo(clusters, s) {
				near = i
				nearMany++
			}
		}
	}
	chosen, trust, most := -1, 0.0, leftShare
	switch {
	case namedBy >= namedLine && nextBy < namedBy || namedBy >= leastKeyPart && nextBy <= keyLead*namedBy:
		if slots[named].open {
			l.open = true
			return Ref{}, false
		}
		if !slots[named].kind {
			return Ref{}, false // the column is there, the value is of another kind
		}
		chosen, trust, most = named, lookupTrust, leftNamed
	case l.n.kinds.expect == "BOOLEAN" || namedBy >= namedLine:
		return Ref{}, false
	case nearMany == 1:
		chosen, trust, most = near, lookupTrust, leftNamed
	case kindMany == 1 && l.specific():
		chosen, trust = kind, kindTrust
	case kindMany > 1 && l.specific():
		chosen, trust = l.alike(slots, key), kindTrust
	}
	if chosen < 0 || l.left(key, slots[chosen].w) > most {
		return Ref{}, false
	}
	f := &l.v.page.Facts[slots[chosen].fact]
	return Ref{Fact: slots[chosen].fact, Span: f.Span, Value: f.Value.Span, Score: trust}, true
}

// person matches a heading over those who do or decide something.
var person = regexp.MustCompile(`^(who|whom)$|\bby$|person|name|owner|contact|responsib|in charge|approv|teacher|lecturer|instructor|trainer|lead|staff|author|负责|责任|经办|讲师|教师|老师|联系|审批|批准|主讲|主持|值班|姓名|作者|人$|员$|者$|师$`)

// alike is the one slot of the asked kind whose heading shares characters with the rest
// of a Chinese question (隔多久, 间隔); -1 = none or several.
func (l *looking) alike(slots []slot, key []float64) int {
	all := l.n.all
	rest := map[rune]bool{}
	for k, c := range all.cells {
		if c.han && key[k] < cellCovered {
			rest[all.folded[c.Start]] = true
		}
	}
	found, most, several := -1, 0, false
	for i := range slots {
		if !slots[i].kind {
			continue
		}
		n := 0
		for _, r := range slots[i].w.folded {
			if rest[r] && !strings.ContainsRune("多少几每一次的时天间", r) {
				n++
			}
		}
		switch {
		case n > most:
			found, most, several = i, n, false
		case n == most:
			several = true
		}
	}
	if several || most == 0 {
		return -1
	}
	return found
}

// closeTo reports whether a heading has a word of the clusters and not much else, or
// is one over persons where a person is asked for.
func (l *looking) closeTo(clusters []int32, s *slot) bool {
	if l.n.kinds.expect == "ENTITY" && person.MatchString(fold(s.head)) {
		return asksWho.MatchString(fold(l.n.Question))
	}
	if s.w.total == 0 {
		return false
	}
	cells := s.w.cover(l.words).cells
	for _, found := range l.r.engine.related(s.w) {
		if !lexicon.Share(found.Clusters, clusters) {
			continue
		}
		for k, c := range s.w.cells {
			if c.Start >= found.Start && c.End <= found.End {
				cells[k] = 1
			}
		}
	}
	return s.w.score(cells) >= namedLine
}

// asksWho matches a question for a person or body.
var asksWho = regexp.MustCompile(`\bwho(m|se)?\b|谁|哪位|何人|什么人|哪个人|哪个部门|哪个单位|找哪`)

// related are the words of clusters in a wording.
func (e *Engine) related(w *wording) []lexicon.RelatedFound {
	if e.config.Related == nil {
		return nil
	}
	return e.config.Related.Find(w.folded)
}

// left is the share of the question that neither the thing, its heading, the page's
// frame nor the kind of the answer carries.
func (l *looking) left(key []float64, head *wording) float64 {
	all := l.n.all
	cells := slices.Clone(key)
	lift(all, cells, bagOf(head), 1)
	lift(all, cells, l.v.allBag(), 1)
	for _, words := range implied {
		coverImplied(words, all, cells)
	}
	coverImplied(measureWords, all, cells)
	coverImplied(offerWords, all, cells)
	lift(all, cells, bagOf(l.r.engine.wording(l.n.Unit, nil)), 1)
	total, missing := 0.0, 0.0
	for k, c := range all.cells {
		total += c.weight
		if cells[k] >= cellCovered {
			continue
		}
		if t := all.text(c.Span); c.name || c.Len() == 4 && year(t) {
			return 1 // it is about another thing, or another year
		}
		missing += c.weight
	}
	if total == 0 {
		return 0
	}
	return missing / total
}

// extreme is the row with the greatest or the least value of the column that the
// question names.
func (l *looking) extreme() (Ref, bool) {
	if l.turned {
		return Ref{}, false
	}
	column, by := -1, 0.0
	clusters := *l.v.clustersIn(l.n.Question)
	for c := 1; c < len(l.t.heads); c++ {
		score := namedIn(l.t.parts[c], l.words)
		if score < namedLine && l.closeTo(clusters, &slot{head: l.t.heads[c], w: l.t.headings[c]}) {
			score = namedLine
		}
		if score > by {
			column, by = c, score
		} else if score == by {
			column = -1
		}
	}
	if column < 0 || by < 0.5 {
		return Ref{}, false
	}
	best := -1
	var at sheetRow
	for _, row := range l.t.rows {
		if column >= len(row.cells) || row.cells[column].fact < 0 {
			continue
		}
		i := row.cells[column].fact
		f := &l.v.page.Facts[i]
		if f.Value.Quantity == nil || l.r.engine.elsewhere(l.n, l.v, i) {
			continue
		}
		if best < 0 {
			best, at = i, row
			continue
		}
		if order, ok := orderOf(&f.Value, &l.v.page.Facts[best].Value); ok && order*l.n.kinds.extreme > 0 {
			best, at = i, row
		}
	}
	if best < 0 || l.left(make([]float64, len(l.n.all.cells)), l.t.headings[column]) > leftShare {
		return Ref{}, false
	}
	f := &l.v.page.Facts[best]
	return Ref{Fact: best, Span: l.v.page.Sentences[at.sentence].Span, Value: f.Value.Span, Score: lookupTrust}, true
}

// countWords ask for a number of things.
var countWords = phrases{"how many", "几个", "几名", "几位", "几家", "几种", "多少个", "多少人", "多少名", "多少家"}

// phrases are stretches of text to be found as they are.
type phrases []string

func (p phrases) has(s string) bool { return hasAny(fold(s), p) }
