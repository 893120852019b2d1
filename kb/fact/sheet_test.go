package fact

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/text"
)

// roundResult is all that a round says of a question.
type roundResult struct {
	Cover     []Coverage
	Conflicts []Clash
	Overlap   Overlap
}

func judgeRound(e *Engine, needs []Need, pages []*Page, metas []Meta) roundResult {
	r := e.Round(pages, metas)
	return roundResult{r.Cover(context.Background(), needs), r.Conflicts(context.Background(), needs), r.Overlap(needs[0].Question, &needs[0])}
}

// A page that was asked before, by several goroutines at once, gives what a page read
// anew gives.
func TestKeptPagesGiveTheSame(t *testing.T) {
	for _, chinese := range []bool{false, true} {
		e, sources := benchEngine(), benchPassages(chinese)[:12]
		metas, needs := benchMetas(sources), []Need{benchNeed(chinese)}
		other := needs[0]
		other.Question, other.Attribute, other.Unit = "What does a visitor pay per day? 遗失图书按几倍赔偿？", "pay per day 赔偿", ""
		want := judgeRound(e, needs, read(e, sources), metas)
		if len(want.Conflicts) == 0 || want.Cover[0].State == StateEmpty {
			t.Fatalf("chinese %v: nothing to compare: %+v", chinese, want)
		}
		pages := read(e, sources)
		var got [4]roundResult
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				judgeRound(e, []Need{other}, pages, metas)
				got[i] = judgeRound(e, needs, pages, metas)
			})
		}
		all.Wait()
		for i := range got {
			if d := cmp.Diff(want, got[i]); d != "" {
				t.Fatalf("chinese %v: kept pages differ (-fresh +kept):\n%s", chinese, d)
			}
		}
	}
}

// Another title, another engine: what was prepared for one is not used for the other.
func TestSheetIsOfItsTitleAndEngine(t *testing.T) {
	a, b := benchEngine(), benchEngine()
	p := a.Read(Source{Text: "The annual fee is 40 euros."})
	need := []Need{{Class: "NUMERIC", Question: "What is the annual fee of the Larkspur depot?", Subject: "Larkspur depot", Attribute: "annual fee", Expect: "QUANTITY"}}
	state := func(e *Engine, title string) State {
		return e.Cover(need, []*Page{p}, []Meta{{Title: title}})[0].State
	}
	for range 2 {
		if got := state(a, "Rules of the Larkspur depot"); got != StateFilled {
			t.Errorf("under its title: %s", got)
		}
		if got := state(a, "Rules of the Osterby pool"); got != StateEmpty {
			t.Errorf("under another title: %s", got)
		}
		if s := p.ready.Load(); s.engine != a || s.title != "Rules of the Osterby pool" {
			t.Errorf("kept for %q", s.title)
		}
		if got := state(b, "Rules of the Larkspur depot"); got != StateFilled {
			t.Errorf("by another engine: %s", got)
		}
	}
}

// Words of bags are found under their own keys only.
func TestBag(t *testing.T) {
	b := newBag(0)
	words := []string{"fee", "annual", "退票手续费", "费", "7", "wx-200", "ﬁ", "𠀀𠀁𠀂"}
	for i, w := range words {
		b.add(w, int32(i), float32(i+1)/10)
		b.add(w, int32(i), 0.05) // the greatest weight counts
	}
	got := map[string]float32{}
	for _, w := range append(words, "手续", "续费", "退手", "𠀁𠀂", "ann", "") {
		got[w] = b.word(w)
	}
	want := map[string]float32{"fee": 0.1, "annual": 0.2, "退票手续费": 0.3, "费": 0.4, "7": 0.5, "wx-200": 0.6, "ﬁ": 0.7, "𠀀𠀁𠀂": 0.8,
		"手续": 0.3, "续费": 0.3, "退手": 0, "𠀁𠀂": 0.8, "ann": 0, "": 0}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	if !b.has("annually", 1) || b.has("annually", 99) || b.has("", 0) {
		t.Error("concepts")
	}
}

// A page stays what it is while others are read in the same room.
func TestReadSharesNothing(t *testing.T) {
	for _, chinese := range []bool{false, true} {
		e, sources := benchEngine(), benchPassages(chinese)[:8]
		want := make([][]byte, len(sources))
		for i, s := range sources {
			var err error
			if want[i], err = benchEngine().Read(s).MarshalBinary(); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				pages := read(e, sources)
				for i, p := range pages {
					got, err := p.MarshalBinary()
					if err != nil || string(got) != string(want[i]) {
						t.Errorf("chinese %v: page %d differs from the one read alone (%v)", chinese, i, err)
					}
					if len(p.Facts) != cap(p.Facts) || len(p.Clauses) != cap(p.Clauses) {
						t.Errorf("chinese %v: page %d keeps room for %d facts, has %d", chinese, i, cap(p.Facts), len(p.Facts))
					}
				}
			})
		}
		all.Wait()
	}
}

// The sides that two texts name are those that both name together.
func TestBothSides(t *testing.T) {
	e := benchEngine()
	texts := []string{"", "adult members", "part-time and full-time staff", "the office is closed", "children; adults", "全职员工", "境内与境外", "new customers abroad", "成人和儿童"}
	named := 0
	for _, a := range texts {
		for _, b := range texts {
			want := e.sidesOf(text.Fold([]rune(a + " ; " + b)))
			got := slices.Clone(bothSides(e.sidesIn(a), e.sidesIn(b)))
			named += len(want)
			for i := range want {
				want[i].span = text.Span{}
			}
			for i := range got {
				if got[i].span = (text.Span{}); i >= len(want) || got[i] != want[i] {
					t.Errorf("%q and %q: %+v, want %+v", a, b, got, want)
					break
				}
			}
			if len(got) != len(want) {
				t.Errorf("%q and %q: %d groups, want %d", a, b, len(got), len(want))
			}
		}
	}
	if named < 20 {
		t.Fatalf("only %d groups named", named)
	}
}
