package evaluate_test

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/text/lexicon"
)

func engine(t testing.TB) *fact.Engine {
	t.Helper()
	model, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	return fact.New(fact.Config{Dictionary: lexicon.Default(), Similarity: model.Similarity, Contrasts: lexicon.DefaultContrasts()})
}

// TestTables prints the table of docs/measurements.md. SUFFICE_MISSES=1 lists the
// misses of the tuning half.
func TestTables(t *testing.T) {
	e := engine(t)
	pre, err := precheck.New(precheck.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var rows []evaluate.TableRow
	for _, name := range []string{"aitqa", "tatqa"} {
		questions, err := evaluate.TableSet(evaluate.Shared(".."), name)
		if errors.Is(err, evaluate.ErrNoData) {
			t.Skipf("%v; set SUFFICE_SHARED to the folder that holds data/%s", err, name)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []bool{false, true} {
			var half []evaluate.TableQuestion
			for _, q := range questions {
				if q.Test == test {
					half = append(half, q)
				}
			}
			for kind, slots := range map[string]evaluate.Slots{"asked": evaluate.AskedSlots(rerank.Needs), "derived": evaluate.DerivedSlots, "headings": evaluate.HeadingSlots(pre.Analyze)} {
				label := fmt.Sprintf("%s %s %s", name, kind, map[bool]string{false: "tuning", true: "held out"}[test])
				row, err := evaluate.Tables(t.Context(), e, pre.Analyze, slots, label, half)
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, row)
				if os.Getenv("SUFFICE_MISSES") != kind || test {
					continue
				}
				for _, m := range row.Misses {
					t.Logf("%s %s: %q want %q got %q title %q\n%s", m.Reason, m.Question.ID, m.Question.Question, m.Question.Answer, m.Got, m.Question.Title, m.Question.Table)
					for _, n := range m.Needs {
						t.Logf("  need %s %s: subject %q attribute %q given %q expect %s unit %q time %v %q %s..%s", n.Class, n.Name, n.Subject, n.Attribute, n.Given, n.Expect, n.Unit, n.HasTime, n.TimeText, n.From.Format("2006-01-02"), n.To.Format("2006-01-02"))
					}
				}
			}
		}
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Set < rows[j].Set })
	var b strings.Builder
	if err := evaluate.WriteTables(&b, rows); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", b.String())
}
