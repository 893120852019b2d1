package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// TableQuestion is a question that one cell of a table answers.
type TableQuestion struct {
	ID       string
	Question string
	Answer   string // the text of the cell
	Headings string // the headings of the first cell with that text, row before column, as the set gives them
	Table    string // as Markdown
	Title    string // of the document the table stands in; "" unknown
	Test     bool   // held out: nobody tunes on it
}

// TableSet reads the questions of aitqa or tatqa (dev) that a single cell answers.
// aitqa: all whose answer is a cell. tatqa: answer type span, from the table, no
// comparison of cells, the answer being the whole text of a cell with a number or
// words in it that heads no row or column; the sentence of the paragraphs beside it
// that announces the table stands before it as its caption. aitqa tables name no company; the title of
// a table is the company that most of its questions name.
func TableSet(shared, name string) ([]TableQuestion, error) {
	switch name {
	case "aitqa":
		return aitqa(filepath.Join(shared, "data", "aitqa"))
	case "tatqa":
		return tatqa(filepath.Join(shared, "data", "tatqa"))
	}
	return nil, fmt.Errorf("table set %q: aitqa or tatqa", name)
}

func aitqa(dir string) ([]TableQuestion, error) {
	type table struct {
		ID      string     `json:"id"`
		Columns [][]string `json:"column_header"`
		Rows    [][]string `json:"row_header"`
		Data    [][]string `json:"data"`
	}
	type question struct {
		ID       string   `json:"id"`
		Table    string   `json:"table_id"`
		Question string   `json:"question"`
		Answers  []string `json:"answers"`
	}
	tables, err := jsonLines[table](filepath.Join(dir, "aitqa_tables.jsonl"))
	if err != nil {
		return nil, err
	}
	questions, err := jsonLines[question](filepath.Join(dir, "aitqa_questions.jsonl"))
	if err != nil {
		return nil, err
	}
	named := map[string]map[string]int{}
	for _, q := range questions {
		for _, w := range nameBeforeAirline.FindAllString(q.Question, -1) {
			if named[q.Table] == nil {
				named[q.Table] = map[string]int{}
			}
			named[q.Table][w]++
		}
	}
	text := map[string]string{}
	cells := map[string]map[string]string{} // the headings of a cell by its text
	for _, t := range tables {
		text[t.ID] = hierarchical(t.Columns, t.Rows, t.Data)
		cells[t.ID] = map[string]string{}
		for i, row := range t.Data {
			var head []string
			switch {
			case i < len(t.Rows):
				head = t.Rows[i]
			case len(row) > 0:
				head = row[:1]
			}
			for k, c := range row {
				var column []string
				if k < len(t.Columns) {
					column = t.Columns[k]
				}
				firstHeadings(cells[t.ID], c, head, column)
			}
		}
	}
	var out []TableQuestion
	for _, q := range questions {
		if len(q.Answers) != 1 {
			continue
		}
		headings, ok := cells[q.Table][cellText(q.Answers[0])]
		if !ok {
			continue
		}
		out = append(out, TableQuestion{
			ID: q.ID, Question: q.Question, Answer: cellText(q.Answers[0]), Headings: headings, Table: text[q.Table],
			Title: airline(most(named[q.Table])), Test: halfTest(text[q.Table]),
		})
	}
	return out, nil
}

// nameBeforeAirline finds the company that a question about an airline names.
var nameBeforeAirline = regexp.MustCompile(`\b(?:American|United|Delta|Southwest|Alaska|JetBlue|UAL|AAL|AMR|Hawaiian|Spirit|Allegiant)\b`)

// airline is the title of the annual report of an airline; all tables of aitqa come
// from such reports.
func airline(name string) string {
	if name == "" {
		return "Airlines annual report"
	}
	return name + " Airlines annual report"
}

func most(counts map[string]int) string {
	best := ""
	for w, n := range counts {
		if best == "" || n > counts[best] || n == counts[best] && w < best {
			best = w
		}
	}
	return best
}

// hierarchical writes a table with paths of column and row headings as Markdown: the
// levels of a column heading one above the other, the outer levels of a row heading as
// rows of their own.
func hierarchical(columns, rows, data [][]string) string {
	depth := 1
	for _, c := range columns {
		depth = max(depth, len(c))
	}
	var lines [][]string
	for level := range depth {
		var line []string
		if len(rows) > 0 {
			line = append(line, "")
		}
		for _, c := range columns {
			// A shorter path hangs at the bottom.
			k := level - (depth - len(c))
			switch {
			case k < 0:
				line = append(line, "")
			default:
				line = append(line, c[k])
			}
		}
		lines = append(lines, line)
	}
	width := len(columns)
	if len(rows) > 0 {
		width++
	}
	var open []string
	for i, row := range data {
		var line []string
		if len(rows) > 0 && i < len(rows) {
			path := rows[i]
			if n := len(path); n > 0 {
				for k := range n - 1 {
					if k < len(open) && open[k] == path[k] {
						continue
					}
					section := make([]string, width)
					section[0] = path[k]
					lines = append(lines, section)
					open = open[:0]
				}
				open = append(open[:0], path[:n-1]...)
				line = append(line, path[n-1])
			} else {
				line = append(line, "")
			}
		}
		lines = append(lines, append(line, row...))
	}
	return markdown(lines, 1)
}

// markdown writes rows as a pipe table with the rule after the first n rows.
func markdown(rows [][]string, n int) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteByte('|')
		for _, c := range row {
			fmt.Fprintf(&b, " %s |", cellText(c))
		}
		b.WriteByte('\n')
		if i == n-1 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return b.String()
}

func cellText(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "|", "/")), " ")
}

func tatqa(dir string) ([]TableQuestion, error) {
	data, err := readData(filepath.Join(dir, "tatqa_dataset_dev.json"))
	if err != nil {
		return nil, err
	}
	var file []struct {
		Table struct {
			UID   string     `json:"uid"`
			Table [][]string `json:"table"`
		} `json:"table"`
		Paragraphs []struct {
			Order int    `json:"order"`
			Text  string `json:"text"`
		} `json:"paragraphs"`
		Questions []struct {
			UID        string          `json:"uid"`
			Question   string          `json:"question"`
			Answer     json.RawMessage `json:"answer"`
			Type       string          `json:"answer_type"`
			From       string          `json:"answer_from"`
			Comparison bool            `json:"req_comparison"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	var out []TableQuestion
	for _, entry := range file {
		rows := entry.Table.Table
		heads := tableHead(rows)
		table := markdown(rows, 1)
		var paragraphs []string
		for _, p := range entry.Paragraphs {
			paragraphs = append(paragraphs, p.Text)
		}
		if c := caption(paragraphs); c != "" {
			table = c + "\n\n" + table
		}
		cells := map[string]string{} // the headings of a cell by its text
		columns := columnHeadings(rows[:dated(rows, heads)])
		for _, row := range rows[heads:] {
			for k, c := range row {
				if k > 0 {
					firstHeadings(cells, c, row[:1], columns[k])
				}
			}
		}
		for _, q := range entry.Questions {
			var answers []string
			if q.Type != "span" || q.From == "text" || q.Comparison || json.Unmarshal(q.Answer, &answers) != nil || len(answers) != 1 {
				continue
			}
			answer := cellText(answers[0])
			headings, ok := cells[answer]
			if answer == "" || !ok {
				continue
			}
			out = append(out, TableQuestion{ID: q.UID, Question: q.Question, Answer: answer, Headings: headings, Table: table, Test: halfTest(table)})
		}
	}
	return out, nil
}

// firstHeadings keeps the headings of the first cell of a table with a text.
func firstHeadings(cells map[string]string, cell string, row, column []string) {
	c := cellText(cell)
	if _, ok := cells[c]; !ok {
		cells[c] = cellText(strings.Join(row, " ") + " " + strings.Join(column, " "))
	}
}

// caption is the sentence of the paragraphs around a table that announces it, else the
// first sentence of the first paragraph, cut to a line.
func caption(paragraphs []string) string {
	var first string
	for _, p := range paragraphs {
		runes := []rune(strings.Join(strings.Fields(p), " "))
		for _, s := range text.Sentences(runes) {
			line := string(runes[s.Start:s.End])
			if len(line) > maxCaption {
				line = line[:strings.LastIndexByte(line[:maxCaption], ' ')+1]
			}
			line = strings.TrimSpace(line)
			if first == "" {
				first = line
			}
			for _, mark := range []string{"table below", "following table", "as follows", "following is", "table presents", "table sets forth", "table shows", "table summarizes"} {
				if strings.Contains(strings.ToLower(line), mark) {
					return line
				}
			}
			if strings.HasSuffix(line, ":") {
				return line
			}
		}
	}
	return first
}

// maxCaption is the greatest length of a caption in bytes.
const maxCaption = 240

// tableHead is the number of rows at the top whose first cell is empty; at least 1.
func tableHead(rows [][]string) int {
	n := 0
	for n < len(rows)-1 && len(rows[n]) > 0 && strings.TrimSpace(rows[n][0]) == "" {
		n++
	}
	return max(n, 1)
}

// dated is the number of rows at the top with the rows of years under the first n, which
// often have a unit before them.
func dated(rows [][]string, n int) int {
	for ; n < len(rows)-1; n++ {
		years := 0
		for k, c := range rows[n] {
			switch {
			case k == 0 || strings.TrimSpace(c) == "":
			case year.MatchString(c):
				years++
			default:
				return n
			}
		}
		if years == 0 {
			return n
		}
	}
	return n
}

// year finds a year in a heading, and nothing in an amount.
var year = regexp.MustCompile(`(?:^|[^\d,.$])(?:19|20)\d\d(?:$|[^\d,.])|^(?:FY|fy)\d\d`)

// columnHeadings are the headings of each column, top first. A heading over an empty one
// to its right is over both, but in the lowest row.
func columnHeadings(head [][]string) map[int][]string {
	out := map[int][]string{}
	for level, row := range head {
		last := ""
		for k, c := range row {
			if k == 0 {
				continue
			}
			if c = strings.TrimSpace(c); c != "" {
				last = c
			}
			if c == "" && level == len(head)-1 {
				continue
			}
			if last != "" {
				out[k] = append(out[k], last)
			}
		}
	}
	return out
}

// halfTest deals tables into two halves by their text; the side of IsTest is always
// among the held out.
func halfTest(table string) bool { return IsTest(table) || hash32(table)%2 == 0 }

// TableRow is the result on one set.
type TableRow struct {
	Set       string
	Questions int
	Tables    int
	Found     int // the right cell is among the facts that fill the slots
	First     int // it is the best of them
	Read      int // the right cell is a fact at all
	Several   int // questions whose answer stands in more than one cell
	PerSecond float64
	Misses    []TableMiss
}

// TableMiss is a question whose cell did not fill the slots.
type TableMiss struct {
	Question TableQuestion
	Needs    []fact.Need
	State    fact.State
	Got      []string // the cells that filled instead
	Reason   string

	Uncovered []string // words of the question that what comes nearest does not carry
	Excluded  bool     // something fits in its words and is taken for another thing, case or time
}

// Slots makes the needs of a question with its analysis.
type Slots func(q TableQuestion, a kb.Analysis) []fact.Need

// Analyze reads a question, as precheck does.
type Analyze func(ctx context.Context, q kb.Question) (kb.Analysis, error)

// AskedSlots are the slots that the analysis reads out of the question alone, by the
// function that an assessment uses.
func AskedSlots(needs func(kb.Analysis) []fact.Need) Slots {
	return func(_ TableQuestion, a kb.Analysis) []fact.Need { return needs(a) }
}

// DerivedSlots is one slot: the words of the question, the kind of value that the
// answer has, and the time that precheck reads.
func DerivedSlots(q TableQuestion, a kb.Analysis) []fact.Need {
	n := fact.Need{Name: "value", Class: "NUMERIC", Question: q.Question, Expect: "QUANTITY"}
	digits, letters := 0, 0
	for _, r := range q.Answer {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	if letters >= digits {
		n.Class, n.Expect = "SUBJECT", ""
	}
	n.From, n.To = a.Period()
	if a.Time != nil {
		n.HasTime, n.TimeText = a.Time.Text != "", a.Time.Text
	}
	return []fact.Need{n}
}

// HeadingSlots is the slot that somebody would write who has the table before them:
// the headings of the right cell in the words of the table, the kind of value that the
// answer has, and the time that precheck reads in the headings. What it misses is
// misread, not worded otherwise.
func HeadingSlots(analyze Analyze) Slots {
	return func(q TableQuestion, _ kb.Analysis) []fact.Need {
		a, err := analyze(context.Background(), kb.Question{Text: q.Headings, AsOf: tablesAsOf})
		if err != nil {
			return nil // headings that are no question: nothing is asked
		}
		q.Question = q.Headings
		return DerivedSlots(q, a)
	}
}

// Tables measures how often the right cell is among the facts that fill the slots of
// the question.
func Tables(ctx context.Context, engine *fact.Engine, analyze Analyze, slots Slots, name string, questions []TableQuestion) (TableRow, error) {
	row := TableRow{Set: name}
	pages := map[string]*fact.Page{}
	begin := time.Now()
	for _, q := range questions {
		a, err := analyze(ctx, kb.Question{Text: q.Question, AsOf: tablesAsOf})
		if err != nil {
			return row, fmt.Errorf("question %s: %w", q.ID, err)
		}
		page := pages[q.Table]
		if page == nil {
			page = engine.Read(fact.Source{Text: q.Table, Title: q.Title, Kind: "table"})
			pages[q.Table] = page
		}
		right := map[int]bool{}
		spans := map[text.Span]bool{}
		for i := range page.Facts {
			if f := &page.Facts[i]; cellText(page.Quote(f.Value.Span)) == q.Answer {
				right[i] = true
				spans[f.Value.Span] = true
			}
		}
		row.Questions++
		if len(right) > 0 {
			row.Read++
		}
		if len(spans) > 1 {
			row.Several++
		}
		needs := slots(q, a)
		covs := engine.Cover(needs, []*fact.Page{page}, []fact.Meta{{Title: q.Title}})
		found, first := false, false
		miss := TableMiss{Question: q, Needs: needs, State: fact.StateEmpty}
		for _, c := range covs {
			if c.State != fact.StateEmpty {
				miss.State = c.State
			}
			miss.Uncovered, miss.Excluded = append(miss.Uncovered, c.Uncovered...), miss.Excluded || c.Excluded
			for k, r := range c.Fillers {
				if right[r.Fact] {
					found = true
					first = first || k == 0
				}
				miss.Got = append(miss.Got, page.Quote(r.Value))
			}
		}
		switch {
		case found:
			row.Found++
			if first {
				row.First++
			}
			continue
		case len(right) == 0:
			miss.Reason = "cell not read"
		case len(needs) == 0:
			miss.Reason = "no slot asked"
		case miss.State == fact.StateEmpty:
			miss.Reason = "nothing fills"
		default:
			miss.Reason = otherCell(page, right, covs)
		}
		row.Misses = append(row.Misses, miss)
	}
	row.Tables = len(pages)
	if s := time.Since(begin).Seconds(); s > 0 {
		row.PerSecond = float64(row.Questions) / s
	}
	return row, nil
}

// otherCell says how the cells that filled lie to the right one.
func otherCell(page *fact.Page, right map[int]bool, covs []fact.Coverage) string {
	row, column := false, false
	for _, c := range covs {
		for _, r := range c.Fillers {
			for i := range right {
				row = row || page.Facts[i].Sentence == page.Facts[r.Fact].Sentence
				column = column || page.Facts[i].Attribute.Text == page.Facts[r.Fact].Attribute.Text
			}
		}
	}
	switch {
	case row:
		return "another cell of the right row fills"
	case column:
		return "another cell of the right column fills"
	}
	return "another cell fills"
}

// tablesAsOf is the day on which the questions of the table sets are asked.
var tablesAsOf = time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC)

// WriteTables prints the rows as a table, with the kinds of misses.
func WriteTables(w io.Writer, rows []TableRow) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "set\ttables\tquestions\tfound\tshare\t95 %\tbest\tread\tseveral cells")
	for _, r := range rows {
		lo, hi := Wilson(r.Found, r.Questions)
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.3f\t%.3f..%.3f\t%d\t%d\t%d\n", r.Set, r.Tables, r.Questions, r.Found, share(r.Found, r.Questions), lo, hi, r.First, r.Read, r.Several)
	}
	for _, r := range rows {
		kinds := map[string]int{}
		for _, m := range r.Misses {
			kinds[m.Reason]++
		}
		var names []string
		for k := range kinds {
			names = append(names, k)
		}
		sort.Strings(names)
		for _, k := range names {
			fmt.Fprintf(t, "%s\tmissed: %s\t%d\n", r.Set, k, kinds[k])
		}
	}
	return t.Flush()
}

// share is k of n, 0 for none of none.
func share(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}

// jsonLines reads one value a line.
func jsonLines[T any](path string) ([]T, error) {
	data, err := readData(path)
	if err != nil {
		return nil, err
	}
	out, err := linesOf[T](data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return out, nil
}
