package fact

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// longTable is a table of many rows, wideTable one of many columns.
func longTable(rows int) string {
	var b strings.Builder
	b.WriteString("| Route | Weekdays | Weekends | Members | Visitors |\n|---|---|---|---|---|\n")
	for i := range rows {
		fmt.Fprintf(&b, "| Halt %s | %d EUR | %d EUR | %d EUR | %d EUR |\n", syllables(i), 3+i%40, 5+i%37, 2+i%31, 7+i%29)
	}
	return b.String()
}

func wideTable(columns int) string {
	var head, rule, first, second strings.Builder
	for i := range columns {
		fmt.Fprintf(&head, " %s halt |", syllables(i))
		rule.WriteString("---|")
		fmt.Fprintf(&first, " %d EUR |", 3+i%40)
		fmt.Fprintf(&second, " %d EUR |", 5+i%37)
	}
	return "| Ticket |" + head.String() + "\n|---|" + rule.String() + "\n| Single |" + first.String() + "\n| Return |" + second.String() + "\n"
}

// syllables is a name for a number.
func syllables(n int) string {
	parts := []string{"bar", "den", "fol", "gis", "hun", "kel", "mor", "nit", "pas", "rov"}
	s := ""
	for k := 0; k < 3; k++ {
		s += parts[n%len(parts)]
		n /= len(parts)
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// tableWork is what is done with a page that holds one table.
var tableWork = []struct {
	name string
	do   func(e *Engine, p *Page)
}{
	{"headings", func(_ *Engine, p *Page) {
		for i := range p.Facts {
			p.CellHeadings(i)
		}
	}},
	{"cover", func(e *Engine, p *Page) {
		e.Cover([]Need{{Name: "value", Class: "NUMERIC", Question: "How much is a Single to the Denbarbar halt?", Subject: "Single", Attribute: "Denbarbar halt", Expect: "QUANTITY"}}, []*Page{p}, []Meta{{}})
	}},
	{"check", func(e *Engine, p *Page) {
		k := e.Against([]*Page{p}, []Meta{{}})
		for _, s := range []string{
			"A ticket to Halt Denbarbar costs 4 EUR.", "A Single to the Denbarbar halt costs 99 EUR.",
			"The Halt Denbarbar fare for members is 3 EUR and for visitors 8 EUR respectively.", "Children pay half of the Single, which is 2 EUR.",
		} {
			q := e.Read(Source{Text: s})
			k.Check(Claim{Page: q, Span: q.Sentences[0].Span})
		}
	}},
}

// longTexts are texts of one form at any length.
var longTexts = map[string]func(n int) string{
	"long": longTable, "wide": wideTable,
	"listed": func(n int) string { // one sentence of many values
		var names, values []string
		for i := range n {
			names, values = append(names, "Halt "+syllables(i)), append(values, fmt.Sprintf("%d EUR", 3+i%40))
		}
		return "Fares to " + strings.Join(names, ", ") + " are " + strings.Join(values, ", ") + " respectively."
	},
	"rest": func(n int) string {
		var b strings.Builder
		b.WriteString("Of the 900 tickets")
		for i := range n {
			fmt.Fprintf(&b, ", %d tickets went to Halt %s", 1+i%9, syllables(i))
		}
		return b.String() + " and the rest was sold for half of the price."
	},
}

// TestTablesAreLinear reads, asks and checks tables and lists at two lengths: eight times
// the text must not take twenty-four times as long, where work that is done for each cell
// and each other cell takes sixty-four times.
func TestTablesAreLinear(t *testing.T) {
	e := benchEngine()
	for name, text := range longTexts {
		for _, work := range tableWork {
			t.Run(name+"/"+work.name, func(t *testing.T) {
				measure := func(n int) time.Duration {
					best := time.Hour
					for range 3 {
						p := e.Read(Source{Text: text(n)})
						begin := processTime(t)
						work.do(e, p)
						best = min(best, processTime(t)-begin)
					}
					return best
				}
				// A machine that is busy during the long text only is given another try.
				var short, long time.Duration
				for range 4 {
					short, long = measure(24), measure(192)
					if long <= 24*short+5*time.Millisecond {
						return
					}
				}
				t.Errorf("24 lines or columns take %v, 192 take %v", short, long)
			})
		}
	}
}

// BenchmarkTables is what the cells of a long, of a wide table and of lists cost each.
func BenchmarkTables(b *testing.B) {
	e := benchEngine()
	for name, text := range longTexts {
		for _, work := range tableWork {
			for _, n := range []int{24, 192} {
				b.Run(fmt.Sprintf("%s/%s/%d", name, work.name, n), func(b *testing.B) {
					s := text(n)
					var spent time.Duration
					for b.Loop() {
						p := e.Read(Source{Text: s})
						begin := processTime(b)
						work.do(e, p)
						spent += processTime(b) - begin
					}
					b.ReportMetric(float64(spent)/float64(b.N)/float64(n)/1e3, "cpu-us/line")
				})
			}
		}
	}
}
