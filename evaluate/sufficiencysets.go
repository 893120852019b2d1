package evaluate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// open reads a file of a data set; ErrNoData where it is not there.
func open(shared string, parts ...string) ([]byte, error) {
	return readData(filepath.Join(append([]string{shared, "data"}, parts...)...))
}

// readData reads a file of a data set; ErrNoData where it is not there.
func readData(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", path, ErrNoData)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// selqaSufficiency: the section a question was asked about, and the same without
// the sentences that answer it.
func selqaSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	type item struct {
		Section, Article, Question string
		Answers                    []int
		Candidates                 []string
	}
	var items []item
	for _, name := range []string{"selqa-ass-dev.filtered.json", "selqa-ass-test.filtered.json"} {
		data, err := open(shared, "selqa", name)
		if err != nil {
			return nil, err
		}
		var some []item
		if err := json.Unmarshal(data, &some); err != nil {
			return nil, fmt.Errorf("read selqa/%s: %w", name, err)
		}
		items = append(items, some...)
	}
	var units []textUnit
	seen := map[string]bool{}
	for _, it := range items {
		if s := strings.Join(it.Candidates, " "); !seen[s] {
			seen[s] = true
			units = append(units, textUnit{it.Article + "/" + it.Section, s, IsTest(s)})
		}
	}
	find := newPool(units)
	sort.SliceStable(items, func(a, b int) bool { return hash32(items[a].Question) < hash32(items[b].Question) })
	if limit > 0 && len(items) > limit {
		items = items[:limit]
	}
	var out []SufficiencyExample
	for _, it := range items {
		order := hash32(it.Question)
		whole := strings.Join(it.Candidates, " ")
		answers := map[int]bool{}
		for _, i := range it.Answers {
			answers[i] = true
		}
		var rest []string
		for i, s := range it.Candidates {
			if !answers[i] {
				rest = append(rest, s)
			}
		}
		if len(answers) == 0 || len(rest) < 2 {
			continue
		}
		id := it.Article + "/" + it.Section
		base := SufficiencyExample{Source: "selqa", Language: "en", Group: id, Question: it.Question, Test: IsTest(whole)}
		beside := find.sides[side(base.Test)].of(whole, it.Question, 4)
		beside = beside[:min(distractors(order), len(beside))]
		gold, cut := base, base
		gold.Kind, gold.Sufficient, gold.Passages = "gold", true, arrange(textUnit{id, whole, base.Test}, beside, order)
		cut.Kind, cut.Passages = "cut", arrange(textUnit{id + "-cut", strings.Join(rest, " "), base.Test}, beside, order)
		out = append(out, gold, cut)
	}
	return out, nil
}

// snippetSufficiency: search hits with the answer string among others, and hits
// without it. The label is weak: a hit may hold the string by chance, or the answer
// in another spelling.
func snippetSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	type item struct {
		question, answer string
		hits             []kb.Passage
	}
	var items []item
	for _, name := range []string{"location_name_material.filtered.txt", "number_material.txt", "organization_name_material.filtered.txt", "person_name_material.txt", "time_material.txt"} {
		data, err := open(shared, "ysc-qa-zh", name)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(strings.NewReader(string(data)))
		lines.Buffer(nil, 1<<20)
		title := ""
		for lines.Scan() {
			line := strings.TrimSpace(strings.TrimLeft(lines.Text(), "\ufeff?"))
			switch {
			case strings.HasPrefix(line, "Title:"):
				title = strings.TrimSpace(strings.TrimPrefix(line, "Title:"))
			case strings.HasPrefix(line, "Snippet:"):
				if len(items) > 0 {
					it := &items[len(items)-1]
					body := strings.Join(strings.Fields(strings.TrimPrefix(line, "Snippet:")), " ")
					it.hits = append(it.hits, kb.Passage{ID: fmt.Sprintf("h%d", len(it.hits)+1), Title: title, Text: body})
				}
			default:
				if _, rest, ok := strings.Cut(line, ". "); ok {
					if q, a, ok := strings.Cut(strings.ReplaceAll(rest, "：", ":"), ":"); ok && q != "" && a != "" {
						items = append(items, item{question: strings.TrimSpace(q), answer: strings.TrimSpace(a)})
					}
				}
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read ysc-qa-zh/%s: %w", name, err)
		}
	}
	sort.SliceStable(items, func(a, b int) bool { return hash32(items[a].question) < hash32(items[b].question) })
	if limit > 0 && len(items) > limit {
		items = items[:limit]
	}
	var out []SufficiencyExample
	for _, it := range items {
		order := hash32(it.question)
		test := order>>3%5 == 0
		answer := fold(it.answer)
		var with, lacking []kb.Passage
		for _, h := range it.hits {
			switch held := strings.Contains(fold(h.Title+" "+h.Text), answer); {
			case !test && IsTest(h.Text) || len([]rune(h.Text)) < 20:
			case held:
				with = append(with, h)
			default:
				lacking = append(lacking, h)
			}
		}
		// As many passages with the answer as without: one to three.
		n := min(1+int(order>>8)%3, len(lacking))
		base := SufficiencyExample{Source: "ysc-qa-zh", Language: "zh", Group: it.question, Question: it.question, Test: test}
		if len(with) > 0 && n > 0 {
			gold := base
			k := min(len(with), (n+1)/2)
			gold.Kind, gold.Sufficient = "gold", true
			gold.Passages = append(append([]kb.Passage{}, with[:k]...), lacking[:n-k]...)
			out = append(out, gold)
		}
		if n > 0 {
			near := base
			near.Kind = "near"
			near.Passages = append([]kb.Passage{}, lacking[len(lacking)-n:]...)
			out = append(out, near)
		}
	}
	return out, nil
}

func fold(s string) string { return string(text.Fold([]rune(s))) }

// grid is a table: its first head rows are headings.
type grid struct {
	rows [][]string
	head int
}

// markdown writes the table with pipes.
func (g grid) markdown() string {
	var b strings.Builder
	for i, row := range g.rows {
		b.WriteString("|")
		for _, c := range row {
			b.WriteString(" " + strings.Join(strings.Fields(strings.ReplaceAll(c, "|", "/")), " ") + " |")
		}
		b.WriteString("\n")
		if i == g.head-1 {
			b.WriteString("|" + strings.Repeat(" --- |", len(row)) + "\n")
		}
	}
	return b.String()
}

// lacking is the table without the cells that hold the answer, or without their
// rows; false when no cell, or too many, hold it.
func (g grid) lacking(answer string, rows bool) (grid, bool) {
	want := fold(strings.Join(strings.Fields(answer), ""))
	out := grid{head: g.head}
	hits := 0
	for i, row := range g.rows {
		kept := append([]string{}, row...)
		hit := false
		for j, c := range row {
			if i >= g.head && j > 0 && fold(strings.Join(strings.Fields(c), "")) == want {
				kept[j], hit = "", true
				hits++
			}
		}
		if hit && rows {
			continue
		}
		out.rows = append(out.rows, kept)
	}
	return out, hits == 1 && len(out.rows) > g.head
}

// tableExamples are the table and what it lacks, with the passages beside it.
func tableExamples(base SufficiencyExample, g grid, answer string, beside []kb.Passage) []SufficiencyExample {
	order := hash32(base.Question + base.Group)
	lack, ok := g.lacking(answer, order%2 == 1)
	if !ok {
		return nil
	}
	put := func(kind string, sufficient bool, g grid) SufficiencyExample {
		e := base
		e.Kind, e.Sufficient = kind, sufficient
		e.Passages = append([]kb.Passage{{ID: base.Group, Text: g.markdown(), Kind: "table"}}, beside...)
		return e
	}
	kind := "cell"
	if order%2 == 1 {
		kind = "row"
	}
	out := []SufficiencyExample{put("gold", true, g), put(kind, false, lack)}
	if other, ok := otherYear(base.Question, out[0].Passages); ok && order>>4%3 == 0 {
		year := put("year", false, g)
		year.Question = other
		out = append(out, year)
	}
	return out
}

// tatqaSufficiency: questions whose answer is one cell of a table (the cell emptied,
// or its row taken out), or a stretch of the text beside it (cut).
func tatqaSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	data, err := open(shared, "tatqa", "tatqa_dataset_dev.json")
	if err != nil {
		return nil, err
	}
	var docs []struct {
		Table struct {
			UID   string
			Table [][]string
		}
		Paragraphs []struct{ Text string }
		Questions  []struct {
			UID, Question, Derivation string
			Answer                    json.RawMessage
			Type                      string `json:"answer_type"`
			From                      string `json:"answer_from"`
		}
	}
	if err := json.Unmarshal(data, &docs); err != nil {
		return nil, fmt.Errorf("read tatqa: %w", err)
	}
	var out []SufficiencyExample
	taken := 0
	for _, d := range docs {
		g := grid{rows: d.Table.Table, head: headRows(d.Table.Table)}
		test := IsTest(g.markdown())
		var beside []kb.Passage
		for i, p := range d.Paragraphs {
			if len([]rune(p.Text)) > 60 && len(beside) < 3 && (test || !IsTest(p.Text)) {
				beside = append(beside, passage(fmt.Sprintf("%s-p%d", d.Table.UID, i), p.Text))
			}
		}
		for _, q := range d.Questions {
			if q.Type != "span" || limit > 0 && taken >= limit {
				continue
			}
			var answers []string
			if json.Unmarshal(q.Answer, &answers) != nil || len(answers) != 1 {
				continue
			}
			base := SufficiencyExample{Source: "tatqa", Language: "en", Group: d.Table.UID, Question: q.Question, Test: test}
			n := min(distractors(hash32(q.UID)), len(beside))
			var got []SufficiencyExample
			if q.From != "text" {
				got = tableExamples(base, g, answers[0], beside[:n])
			} else {
				got = textExamples(base, beside, answers[0])
			}
			if len(got) > 0 {
				taken++
				out = append(out, got...)
			}
		}
	}
	return out, nil
}

// textExamples are the passages, and the same with the answering sentences cut.
func textExamples(base SufficiencyExample, passages []kb.Passage, answer string) []SufficiencyExample {
	var cut []kb.Passage
	hits := 0
	for _, p := range passages {
		if strings.Contains(p.Text, answer) {
			hits++
			rest, ok := without(p.Text, answer, -1)
			if !ok {
				continue
			}
			p.Text = rest
		}
		cut = append(cut, p)
	}
	if hits == 0 || len(cut) != len(passages) {
		return nil
	}
	gold, lack := base, base
	gold.Kind, gold.Sufficient, gold.Passages = "gold", true, passages
	lack.Kind, lack.Passages = "cut", cut
	return []SufficiencyExample{gold, lack}
}

// headRows is the number of rows before the first that has a label and a number
// that is no year.
func headRows(rows [][]string) int {
	for i, row := range rows {
		if i > 0 && len(row) > 1 && strings.TrimSpace(row[0]) != "" {
			for _, c := range row[1:] {
				if figure(c) {
					return i
				}
			}
		}
	}
	return 1
}

// figure reports whether a cell holds a number and is neither a year nor words.
func figure(cell string) bool {
	digits := 0
	for _, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			return false
		}
	}
	c := strings.TrimSpace(cell)
	year := digits == 4 && len(c) == 4 && (strings.HasPrefix(c, "19") || strings.HasPrefix(c, "20"))
	return digits > 0 && !year
}

// aitqaSufficiency: tables with headings of several levels, a cell emptied or its
// row taken out.
func aitqaSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	tables := map[string]grid{}
	data, err := open(shared, "aitqa", "aitqa_tables.jsonl")
	if err != nil {
		return nil, err
	}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var t struct {
			ID      string     `json:"id"`
			Columns [][]string `json:"column_header"`
			Rows    [][]string `json:"row_header"`
			Data    [][]string `json:"data"`
		}
		if err := json.Unmarshal([]byte(line), &t); err != nil {
			return nil, fmt.Errorf("read aitqa tables: %w", err)
		}
		g := grid{head: 1}
		var head []string
		if len(t.Rows) > 0 {
			head = append(head, "")
		}
		for _, c := range t.Columns {
			head = append(head, strings.Join(c, " / "))
		}
		g.rows = append(g.rows, head)
		for i, row := range t.Data {
			var out []string
			if i < len(t.Rows) {
				out = append(out, strings.Join(t.Rows[i], " / "))
			}
			g.rows = append(g.rows, append(out, row...))
		}
		tables[t.ID] = g
	}
	if data, err = open(shared, "aitqa", "aitqa_questions.jsonl"); err != nil {
		return nil, err
	}
	var out []SufficiencyExample
	taken := 0
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		var q struct {
			ID, Question string
			Table        string `json:"table_id"`
			Answers      []string
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			return nil, fmt.Errorf("read aitqa questions: %w", err)
		}
		g, ok := tables[q.Table]
		if !ok || len(q.Answers) != 1 || limit > 0 && taken >= limit {
			continue
		}
		base := SufficiencyExample{Source: "aitqa", Language: "en", Group: q.Table, Question: q.Question, Test: IsTest(g.markdown())}
		got := tableExamples(base, g, q.Answers[0], nil)
		if len(got) > 0 {
			taken++
			out = append(out, got...)
		}
	}
	return out, nil
}
