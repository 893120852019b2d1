package evaluate

import (
	"fmt"
	"io"
	"sort"
	"strings"
	"unicode"
)

// MissKinds gathers the misses of the facts engine by kind. An example is never one of a
// question that is held out.
type MissKinds struct {
	count   map[string]int
	example map[string]string
}

func (m *MissKinds) add(kind, example string) {
	if m.count == nil {
		m.count, m.example = map[string]int{}, map[string]string{}
	}
	m.count[kind]++
	if m.example[kind] == "" {
		m.example[kind] = example
	}
}

// Tables adds the misses of one row; held: its questions are held out, so that they are
// counted and not shown.
func (m *MissKinds) Tables(set string, held bool, r TableRow) {
	for _, x := range r.Misses {
		example := fmt.Sprintf("%q wants %q", x.Question.Question, x.Question.Answer)
		if len(x.Got) > 0 {
			example += fmt.Sprintf(", got %q", x.Got[0])
		}
		if len(x.Uncovered) > 0 {
			example += fmt.Sprintf(", not found %q", x.Uncovered)
		}
		if held {
			example = ""
		}
		m.add(set+": "+x.kind(), example)
	}
}

// kind says what kept the right cell from filling the slots.
func (x *TableMiss) kind() string {
	if x.State != "EMPTY" || x.Reason != "nothing fills" {
		return x.Reason
	}
	for _, w := range x.Uncovered {
		if r := []rune(w)[0]; unicode.IsUpper(r) && !strings.HasPrefix(x.Question.Question, w) {
			return "a name of the question stands in no heading or title"
		}
	}
	switch {
	case len(x.Uncovered) > 0:
		return "words of the question that no heading has"
	case x.Excluded:
		return "the cell is taken for another row, column or time"
	}
	return "nothing near fills"
}

// Laws adds the misses of one report.
func (m *MissKinds) Laws(r LawsReport) {
	how := "laws, " + r.Set + ", asked for"
	if !r.Need {
		how = "laws, " + r.Set + ", passages alone"
	}
	for _, x := range r.MissedBy {
		where := ": a number in a sentence"
		if strings.HasPrefix(x[strings.LastIndex(x, ": ")+2:], "(") || strings.Contains(x, "（") && strings.HasPrefix(x[strings.LastIndex(x, ": ")+2:], "（") {
			where = ": a number in an item of a list"
		}
		m.add(how+where, x)
	}
	for _, x := range r.FalselyFound {
		m.add(how+": a conflict between unchanged articles", x)
	}
}

// RAM adds the misses of the groups of documents, by what is asked.
func (m *MissKinds) RAM(r RAMReport) {
	for kind, list := range r.Kinds {
		for _, x := range list {
			what := "something else"
			for _, e := range []struct{ expect, what string }{{" ENTITY]", "a name"}, {" TIME]", "a time"}, {" QUANTITY]", "a number"}, {" PLACE]", "a place"}, {" TEXT]", "a description"}} {
				if strings.Contains(x, e.expect) {
					what = e.what
				}
			}
			m.add("ramdocs, "+what+" asked: "+kind, x)
		}
	}
}

// Write prints the largest kinds, most frequent first, each with an example.
func (m *MissKinds) Write(w io.Writer, most int) error {
	kinds := make([]string, 0, len(m.count))
	total := 0
	for k, n := range m.count {
		kinds = append(kinds, k)
		total += n
	}
	sort.Slice(kinds, func(i, j int) bool {
		if a, b := m.count[kinds[i]], m.count[kinds[j]]; a != b {
			return a > b
		}
		return kinds[i] < kinds[j]
	})
	if _, err := fmt.Fprintf(w, "%d misses of %d kinds; the largest:\n", total, len(kinds)); err != nil {
		return err
	}
	for i, k := range kinds[:min(most, len(kinds))] {
		example := m.example[k]
		if example == "" {
			example = "(held out)"
		}
		if _, err := fmt.Fprintf(w, "%2d. %d %s; %s\n", i+1, m.count[k], k, example); err != nil {
			return err
		}
	}
	return nil
}
