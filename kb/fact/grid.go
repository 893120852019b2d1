package fact

import (
	"maps"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"suffice.dev/suffice/text"
)

// CellMatch is how far the cells of tables answer to a question by their row and
// column headings. A cell that is named and empty is the plainest kind of gap.
type CellMatch struct {
	Known   bool    // there is a table
	Best    float64 // best cell that holds something: share of the question its headings carry, similar words counted in part
	Lost    float64 // by how much the best empty cell is better, 0..1
	Gap     float64 // share of the question in its heaviest stretch that neither the best cell nor the rest of its row carries
	Numbers float64 // share of the question's numbers in the headings of the best cell; -1 = it has none
	Row     float64 // share of the best cell's row heading that the question carries
	Column  float64 // the same of its column heading
	Like    float64 // similarity of the question and the headings of the best cell; -1 without an embedding

	Page int       // of the best cell
	Span text.Span // the row of the best cell
}

// maxCells bounds the cells that are looked at.
const maxCells = 1500

// gridLine is one row of a table as the question sees it.
type gridLine struct {
	words []float64 // covered cells of the question by label and section
	like  float64
	in    float64 // share of the label that the question carries
	label string
}

// cellMatch lays the question over the tables of the pages.
func (e *Engine) cellMatch(w *wording, index *termIndex, views []*view) CellMatch {
	out := CellMatch{Numbers: -1, Like: -1}
	numbers := numbersIn(w.folded)
	best, bestEmpty := -1.0, -1.0
	var bestWords []float64
	bestHead, looked := "", 0
	asked := bagOf(w)
	question := string(w.runes)
	like := func(s string) float64 {
		if e.config.Similarity == nil || s == "" {
			return 0
		}
		return math.Max(0, e.config.Similarity(question, s))
	}
	for page, v := range views {
		grid := v.grid()
		heads, lines, spans := grid.heads, grid.lines, grid.spans
		if len(lines) == 0 {
			continue
		}
		out.Known = true
		width := 0
		for _, l := range lines {
			width = max(width, len(l))
		}
		// Columns once, rows once: a cell is the union of its two.
		columns := make([]gridLine, width)
		for c := range columns {
			var head []string
			for _, h := range heads {
				if c < len(h) && h[c] != "" {
					head = append(head, h[c])
				}
			}
			columns[c] = e.gridLine(strings.Join(head, " "), "", w, index, asked, like)
		}
		section := ""
		for i, l := range lines {
			if filled(l) <= 1 && l[0] != "" && len(l) > 1 {
				section = l[0]
			}
			row := e.gridLine(l[0], section, w, index, asked, like)
			for c := 1; c < len(l) && looked < maxCells; c++ {
				looked++
				cells := append([]float64(nil), row.words...)
				copyMax(cells, columns[c].words, 1)
				score := 0.65*w.score(cells) + 0.2*math.Max(row.like, columns[c].like) + 0.15*math.Min(row.in, columns[c].in)
				head := row.label + " " + columns[c].label
				if found, ok := numbers.in(head); ok {
					score *= 0.5 + 0.5*found
				}
				if blank(l[c]) {
					bestEmpty = math.Max(bestEmpty, score)
					continue
				}
				if score > best {
					best, bestHead, bestWords = score, head, cells
					out.Row, out.Column = row.in, columns[c].in
					out.Page, out.Span = page, spans[i]
				}
			}
		}
	}
	if best < 0 {
		return out
	}
	out.Best = best
	out.Lost = math.Max(0, bestEmpty-best)
	out.Gap = w.heaviest(bestWords)
	if found, ok := numbers.in(bestHead); ok {
		out.Numbers = found
	}
	if e.config.Similarity != nil {
		out.Like = like(strings.TrimSpace(bestHead))
	}
	return out
}

func (e *Engine) gridLine(label, section string, w *wording, index *termIndex, asked *bag, like func(string) float64) gridLine {
	g := gridLine{label: strings.TrimSpace(section + " " + label), words: make([]float64, len(w.cells))}
	index.text(e, label, 1, g.words)
	if section != "" {
		index.text(e, section, 0.8, g.words)
	}
	numbers := numbersIn(text.Fold([]rune(g.label)))
	for k, c := range w.cells {
		if numbers[string(w.folded[c.Start:c.End])] {
			g.words[k] = 1
		}
	}
	g.like = like(g.label)
	folded := text.Fold([]rune(label))
	own := e.wording(label, nil)
	if found, ok := numbersIn(folded).in(string(w.folded)); ok {
		g.in = found
	}
	if own.total > 0 {
		g.in = math.Max(g.in, own.scoreOn(asked))
	}
	return g
}

// cellGrid is the heading rows and the rows of a page's table, with the spans of the
// rows.
type cellGrid struct {
	heads, lines [][]string
	spans        []text.Span
}

func (s *sheet) grid() *cellGrid { return s.grids.get(0, func() *cellGrid { return gridOf(s.page) }) }

func gridOf(p *Page) *cellGrid {
	out := &cellGrid{}
	for _, s := range p.Sentences {
		if s.Kind != Row && s.Kind != HeaderRow {
			continue
		}
		line := strings.TrimSpace(p.Quote(s.Span))
		var cells []string
		if strings.Contains(line, "|") {
			cells = strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		} else {
			cells = strings.Split(line, "\t")
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if s.Kind == HeaderRow {
			out.heads = append(out.heads, cells)
		} else {
			out.lines, out.spans = append(out.lines, cells), append(out.spans, s.Span)
		}
	}
	return out
}

func filled(line []string) int {
	n := 0
	for _, c := range line {
		if !blank(c) {
			n++
		}
	}
	return n
}

// openCell matches a cell that says that its value is not known yet.
var openCell = regexp.MustCompile(`^\W*(?:to be (?:announced|confirmed|decided|determined|fixed|set|agreed)|tba|tbc|not yet (?:known|fixed|decided|set)|pending|unknown|待(?:公布|确定|通知|确认|议)|未定|尚未(?:确定|公布)|另行(?:通知|公布)|未公布)\W*$`)

// blank reports whether a cell says nothing: empty, a dash, n/a.
func blank(cell string) bool {
	switch strings.ToLower(cell) {
	case "n/a", "na", "无", "暂无", "待定", "tbd":
		return true
	}
	if openCell.MatchString(strings.ToLower(cell)) {
		return true
	}
	return strings.TrimFunc(cell, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) == ""
}

// numberSet are the numbers of a text as they are written, without separators.
type numberSet map[string]bool

func numbersIn(folded []rune) numberSet {
	out := numberSet{}
	for i := 0; i < len(folded); {
		if !unicode.IsDigit(folded[i]) {
			i++
			continue
		}
		j := i
		var digits []rune
		for j < len(folded) && (unicode.IsDigit(folded[j]) || j+1 < len(folded) && (folded[j] == ',' || folded[j] == '.') && unicode.IsDigit(folded[j+1])) {
			if folded[j] != ',' {
				digits = append(digits, folded[j])
			}
			j++
		}
		out[string(digits)] = true
		i = j
	}
	return out
}

// numbers are those of the page and its title.
func (s *sheet) numbers() numberSet {
	return *s.figures.get(0, func() *numberSet {
		n := allNumbersIn(s.foldedText())
		maps.Copy(n, allNumbersIn(text.Fold([]rune(s.title))))
		return &n
	})
}

// in is the share of the numbers that a text has; false if there are none.
func (n numberSet) in(s string) (float64, bool) {
	if len(n) == 0 {
		return 0, false
	}
	return n.among(allNumbersIn(text.Fold([]rune(s))))
}

// allNumbersIn are the numbers of a text in digits and in Chinese numerals.
func allNumbersIn(folded []rune) numberSet {
	n := numbersIn(folded)
	n.spelled(folded)
	return n
}

// spelled adds the numbers below a hundred in Chinese numerals: 二月 answers to 2月, and
// 第十二条 to article 12. What is asked is not read so: 一 is in too many other words.
func (n numberSet) spelled(folded []rune) {
	for i := 0; i < len(folded); {
		value, ten, j := 0, false, i
		for ; j < len(folded); j++ {
			if folded[j] == '十' && !ten {
				value, ten = max(value, 1)*10, true
				continue
			}
			d := strings.IndexRune("一二三四五六七八九", folded[j])
			if d < 0 || value%10 != 0 || value > 0 && !ten {
				break
			}
			value += d/len("一") + 1
		}
		if j > i {
			n[strconv.Itoa(value)] = true
		}
		i = max(j, i+1)
	}
}

// among is the share of the numbers that others have; false if there are none.
func (n numberSet) among(have numberSet) (float64, bool) {
	if len(n) == 0 {
		return 0, false
	}
	found := 0
	for k := range n {
		if have[k] {
			found++
		}
	}
	return float64(found) / float64(len(n)), true
}
