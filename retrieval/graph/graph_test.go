package graph

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// edgeOf is an edge with names marked by a star.
func edgeOf(denied bool, nodes ...string) Edge {
	e := Edge{Denied: denied, Sentence: text.Span{End: 1}}
	for _, n := range nodes {
		name := n[0] == '*'
		if name {
			n = n[1:]
		}
		e.Nodes = append(e.Nodes, Node{Key: n, Weight: 1, Name: name})
	}
	return e
}

func empty() *Graph {
	g, err := New("")
	must(err)
	return g
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// made is a small world: harrow owns tern, tern is based in lund; plover is based
// in oslo; heron is not owned by harrow.
func made() *Graph {
	g := empty()
	must(g.Put(0, []Edge{edgeOf(false, "*harrow", "owner", "*tern")}))
	must(g.Put(1, []Edge{edgeOf(false, "*tern", "headquart", "*lund")}))
	must(g.Put(2, []Edge{edgeOf(false, "*plover", "headquart", "*oslo")}))
	must(g.Put(3, []Edge{edgeOf(true, "*harrow", "owner", "*heron")}))
	must(g.Put(4, []Edge{edgeOf(false, "*heron", "headquart", "*riga")}))
	must(g.Put(5, []Edge{edgeOf(false, "*lund", "mayor", "*quill")}))
	for c := range int32(20) {
		must(g.Put(100+c, []Edge{edgeOf(false, fmt.Sprint("filler", c), "text")}))
	}
	return g
}

func everything(int32) bool { return true }

func ask(subject, attribute string) kb.Analysis {
	return kb.Analysis{Question: subject + " " + attribute, Slots: []kb.Slot{
		{Name: "subject", Role: kb.Given, Value: subject}, {Name: "value", Role: kb.Asked, Attribute: attribute},
	}}
}

func scores(t *testing.T, g *Graph, cfg Config, a kb.Analysis, admit func(int32) bool) map[int32]Hit {
	t.Helper()
	hits, err := g.Search(t.Context(), cfg, a, a.Question, admit, 50)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int32]Hit{}
	for i, h := range hits {
		if h.Score <= 0 || h.Score > 1 || i > 0 && hits[i-1].Score < h.Score {
			t.Errorf("hits %v", hits)
		}
		out[h.Chunk] = h
	}
	return out
}

func TestHops(t *testing.T) {
	g := made()
	a := ask("harrow", "owner headquarters")
	one := scores(t, g, Config{Hops: 1, Decay: 0.5}, a, everything)
	two := scores(t, g, Config{Hops: 2, Decay: 0.5}, a, everything)
	if two[1].Hops != 2 || two[1].Score <= one[1].Score {
		t.Errorf("the way harrow, tern, lund: %+v, without it %+v", two[1], one[1])
	}
	if two[2].Score >= two[1].Score {
		t.Errorf("an unconnected fact %+v is not below the connected one %+v", two[2], two[1])
	}
	if two[0].Hops != 1 {
		t.Errorf("the first fact: %+v", two[0])
	}
	weak := scores(t, g, Config{Hops: 2, Decay: 0.1}, a, everything)
	if weak[1].Score >= two[1].Score {
		t.Errorf("decay 0.1 gives %v, 0.5 gives %v", weak[1].Score, two[1].Score)
	}
	mayor := ask("harrow", "owner headquarters mayor")
	if three := scores(t, g, Config{Hops: 3, Decay: 0.9}, mayor, everything); three[5].Hops != 3 {
		t.Errorf("three hops to the mayor: %+v", three[5])
	}
}

func TestDeniedNeverSupports(t *testing.T) {
	g := made()
	got := scores(t, g, Config{Hops: 3, Decay: 0.9}, ask("harrow", "owner headquarters"), everything)
	if h, ok := got[3]; ok {
		t.Errorf("the denied fact supports: %+v", h)
	}
	if got[4].Hops > 1 {
		t.Errorf("a denied fact was walked: %+v", got[4])
	}
	if s := g.Scores(Default(), ask("harrow", "owner"), "harrow owner", everything, []int32{3, 0}); s[0] != 0 || s[1] == 0 {
		t.Errorf("scores of the denied and the stated fact: %v", s)
	}
}

func TestFilterHoldsOnTheWay(t *testing.T) {
	g := made()
	got := scores(t, g, Config{Hops: 2, Decay: 0.9}, ask("harrow", "owner headquarters"), func(c int32) bool { return c != 0 })
	if _, ok := got[0]; ok || got[1].Hops == 2 {
		t.Errorf("a fact that is not admitted was walked: %+v", got)
	}
}

func TestDeleteReplaceCompact(t *testing.T) {
	g := made()
	before := g.Len()
	for c := range int32(3000) {
		must(g.Put(1000+c, []Edge{edgeOf(false, "noise", fmt.Sprint("n", c))}))
	}
	for c := range int32(3000) {
		must(g.Delete(1000 + c))
	}
	must(g.Delete(1000))
	if g.Len() != before || g.dead > before+1100 {
		t.Errorf("%d facts and %d dead ones, want %d", g.Len(), g.dead, before)
	}
	if diff := gocmp.Diff(scores(t, made(), Default(), ask("harrow", "owner"), everything), scores(t, g, Default(), ask("harrow", "owner"), everything)); diff != "" {
		t.Errorf("after deletions (-want +got):\n%s", diff)
	}
	must(g.Put(0, []Edge{edgeOf(false, "*harrow", "founder", "*quill")}))
	if got := scores(t, g, Config{Hops: 1}, ask("harrow", "founder"), everything); got[0].Score < 0.9 {
		t.Errorf("replaced: %+v", got)
	}
}

func TestFromText(t *testing.T) {
	g := empty()
	must(g.Put(7, FromText("试用期补贴每月三百元。正式员工每月五百元。", []string{"补贴"}, nil)))
	hits, err := g.Search(t.Context(), Default(), kb.Analysis{Question: "正式员工补贴多少"}, "正式员工补贴多少", everything, 5)
	if err != nil || len(hits) != 1 || hits[0].Sentence.Start != 11 {
		t.Errorf("%+v, %v; want the second sentence", hits, err)
	}
	if hits, err := g.Search(t.Context(), Default(), kb.Analysis{}, "zebra", everything, 5); err != nil || len(hits) != 0 {
		t.Errorf("nothing in common: %v, %v", hits, err)
	}
	if hits, err := empty().Search(t.Context(), Default(), kb.Analysis{}, "zebra", everything, 5); err != nil || len(hits) != 0 {
		t.Errorf("empty graph: %v, %v", hits, err)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []Config{{Hops: 0, Decay: 0.5}, {Hops: 4, Decay: 0.5}, {Hops: 1, Decay: 1.5}} {
		if err := c.Validate(); !errors.Is(err, kb.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
}

// Lists hold what was posted, whatever the distances of the chunks, and also where a chunk
// comes again or out of order.
func TestPostings(t *testing.T) {
	type posting struct {
		chunk  int32
		weight float32
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, step := range []int{1, 7, 300, 40_000, 1 << 20} {
		g := empty()
		defer func() { must(g.Close()) }()
		id := g.node("n")
		var want []posting
		chunk := int32(rng.IntN(step))
		for range 200 {
			weight := rng.IntN(weightUnit + 1)
			g.post(id, chunk, float64(weight)/weightUnit)
			want = append(want, posting{chunk, float32(weight) / weightUnit})
			switch rng.IntN(10) {
			case 0: // again
			case 1:
				chunk = int32(rng.IntN(int(chunk) + 1))
			default:
				chunk += int32(rng.IntN(step)) + 1
			}
		}
		var got []posting
		g.postings(id, func(chunk int32, weight float32) bool {
			got = append(got, posting{chunk, weight})
			return true
		})
		order := func(a, b posting) int { return cmp.Or(cmp.Compare(a.chunk, b.chunk), cmp.Compare(a.weight, b.weight)) }
		slices.SortFunc(want, order)
		slices.SortFunc(got, order)
		if !slices.Equal(want, got) {
			t.Errorf("steps of up to %d: %d postings %v, want %d %v", step, len(got), got, len(want), want)
		}
	}
}
