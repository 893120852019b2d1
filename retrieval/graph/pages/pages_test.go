package pages_test

import (
	"slices"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/graph/pages"
	"suffice.dev/suffice/text/lexicon"
)

// read makes a graph of texts, numbered from 0, as ingestion does: through the stored
// form of the page and of the edges.
func read(t *testing.T, texts ...string) *graph.Graph {
	t.Helper()
	lex := lexicon.Default()
	engine := fact.New(fact.Config{Dictionary: lex})
	g, err := graph.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	for i, s := range texts {
		page := engine.Read(fact.Source{Text: s})
		data, err := page.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		stored := fact.Page{Runes: []rune(s)}
		if err := stored.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		edges, err := graph.Decode(graph.Encode(pages.Edges(&stored, lex.Match)))
		if err != nil {
			t.Fatal(err)
		}
		if len(edges) == 0 {
			t.Fatalf("no edge was read from %q", s)
		}
		if err := g.Put(int32(i), edges); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

func search(t *testing.T, g *graph.Graph, hops int, question, subject, attribute string) map[int32]graph.Hit {
	t.Helper()
	a := kb.Analysis{Question: question, Slots: []kb.Slot{
		{Name: "subject", Role: kb.Given, Value: subject}, {Name: "value", Role: kb.Asked, Subject: subject, Attribute: attribute},
	}}
	hits, err := g.Search(t.Context(), graph.Config{Hops: hops, Decay: 0.6, Match: lexicon.Default().Match}, a, question, func(int32) bool { return true }, 20)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int32]graph.Hit{}
	for _, h := range hits {
		out[h.Chunk] = h
	}
	return out
}

// TestHopOverSubjects: what the question gives leads over the name in a fact to a
// fact about that name, in both languages, and not without a hop.
func TestHopOverSubjects(t *testing.T) {
	for _, tt := range []struct {
		name                         string
		question, subject, attribute string
		texts                        []string // the first holds the way, the second the answer, the third is like the second
	}{
		{
			"en", "In which town does the owner of the Sable Lantern have its head office?", "Sable Lantern", "head office",
			[]string{
				"The Sable Lantern is owned by Corvane Shipping.",
				"Corvane Shipping has its head office in the town of Ulmstad.",
				"Merrow Freight has its head office in the town of Varnholm.",
			},
		},
		{
			"zh", "青梧号的建造单位总部在哪座城市？", "青梧号", "总部",
			[]string{
				"青梧号由澜汀船厂建造。",
				"澜汀船厂的总部位于棠溪市。",
				"浦禾船厂的总部位于榆关市。",
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := read(t, tt.texts...)
			one, two := search(t, g, 1, tt.question, tt.subject, tt.attribute), search(t, g, 2, tt.question, tt.subject, tt.attribute)
			if two[1].Score <= one[1].Score || two[1].Hops != 2 {
				t.Errorf("the answer: %+v with a hop, %+v without", two[1], one[1])
			}
			if two[1].Score <= two[2].Score {
				t.Errorf("the answer %+v is not above a fact like it about another %+v", two[1], two[2])
			}
		})
	}
}

// TestDeniedNeverSupports: a fact that is denied is neither found nor led over.
func TestDeniedNeverSupports(t *testing.T) {
	for _, tt := range []struct{ name, question, subject, attribute, denied, stated string }{
		{"en", "Which firm owns the Sable Lantern?", "Sable Lantern", "owns", "Corvane Shipping does not own the Sable Lantern.", "Corvane Shipping owns the Sable Lantern."},
		{"zh", "青梧号隶属于哪家单位？", "青梧号", "隶属于", "青梧号不隶属于澜汀船厂。", "青梧号隶属于澜汀船厂。"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := search(t, read(t, tt.denied, tt.stated), 2, tt.question, tt.subject, tt.attribute)
			if h, ok := got[0]; ok {
				t.Errorf("the denied fact supports: %+v", h)
			}
			if got[1].Score == 0 {
				t.Error("the stated fact was not found")
			}
		})
	}
}

// TestOneEdgeAClause: the values of one clause make one edge, and what one sentence
// denies is kept apart from what it states.
func TestOneEdgeAClause(t *testing.T) {
	engine := fact.New(fact.Config{Dictionary: lexicon.Default()})
	s := "The Ulmstad depot opens at 8:00 and holds 40 wagons in 3 sheds."
	page := engine.Read(fact.Source{Text: s})
	edges := pages.Edges(page, nil)
	if len(edges) > len(page.Clauses)*2 || len(edges) == 0 {
		t.Errorf("%d edges of %d clauses and %d facts", len(edges), len(page.Clauses), len(page.Facts))
	}
	for _, e := range edges {
		if quote := page.Quote(e.Sentence); !strings.HasPrefix(quote, "The Ulmstad depot") {
			t.Errorf("sentence %q", quote)
		}
		var keys []string
		for _, n := range e.Nodes {
			if slices.Contains(keys, n.Key) {
				t.Errorf("node %q comes twice", n.Key)
			}
			keys = append(keys, n.Key)
		}
	}
}
