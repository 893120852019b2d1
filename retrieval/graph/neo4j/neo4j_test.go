package neo4j_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/graph/neo4j"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
	"suffice.dev/suffice/text"
)

var quiet = slog.New(slog.DiscardHandler)

var spaces atomic.Int64

// server returns the settings of a space of its own on the server for tests.
func server(t testing.TB) neo4j.Config {
	t.Helper()
	address := os.Getenv("SUFFICE_TEST_NEO4J")
	if address == "" {
		t.Skip("SUFFICE_TEST_NEO4J is not set: start a server with scripts/services/neo4j.sh up and pass bolt://USER:PASSWORD@HOST:PORT, or run make test-servers")
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal("SUFFICE_TEST_NEO4J is no URL")
	}
	cfg := neo4j.Default()
	cfg.User = u.User.Username()
	cfg.Password, _ = u.User.Password()
	u.User = nil
	cfg.URL, cfg.Timeout = u.String(), time.Minute
	cfg.Space = fmt.Sprintf("t%d-%d-%d", time.Now().UnixNano(), os.Getpid(), spaces.Add(1))
	return cfg
}

func connect(t testing.TB, cfg neo4j.Config) *neo4j.Graph {
	t.Helper()
	g, err := neo4j.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_ = g.Reset(ctx) // what is left does not meet other tests
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

func over(t testing.TB, dir string, cfg neo4j.Config, opt index.Options) *index.Index {
	t.Helper()
	opt.Logger, opt.Facts, opt.Patience = slog.New(slog.NewTextHandler(t.Output(), nil)), connect(t, cfg), cfg.Timeout
	x, err := index.Open(dir, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func synced(t testing.TB, x *index.Index, feed index.Feed) {
	t.Helper()
	if err := x.Sync(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
}

func retriever(t testing.TB, x *index.Index, hops int) retrieval.Retriever {
	t.Helper()
	cfg := retrieval.Default()
	cfg.Timeout = time.Minute // a first search may be slow, a busy machine is
	tuning := index.DefaultTuning()
	tuning.Graph.Hops = hops
	h, err := x.Retriever(cfg, tuning)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func embedded(t testing.TB, feed index.Feed, hops int, opt index.Options) retrieval.Retriever {
	t.Helper()
	opt.Logger = quiet
	x, err := index.Open(t.TempDir(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	synced(t, x, feed)
	return retriever(t, x, hops)
}

func TestConformance(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T, docs []kb.Document) retrieval.Retriever {
		x := over(t, t.TempDir(), server(t), index.Options{})
		synced(t, x, retrievaltest.NewFeed(docs...))
		return retriever(t, x, 2)
	})
}

var byFacts = []kb.Route{kb.Graph}

// TestSameAsEmbedded: with one, two and three hops.
func TestSameAsEmbedded(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Many()...)
	x := over(t, t.TempDir(), server(t), index.Options{})
	synced(t, x, feed)
	for hops := 1; hops <= 3; hops++ {
		t.Run(fmt.Sprint(hops), func(t *testing.T) {
			retrievaltest.Same(t, embedded(t, feed, hops, index.Options{}), retriever(t, x, hops), byFacts)
		})
	}
}

// chain is a reader of facts for a small world: harrow owns tern, tern is based in
// lund, lund is led by quill; harrow does not own heron, which is based in riga.
func chain(c kb.Chunk) []graph.Edge {
	name := func(keys ...string) (out []graph.Node) {
		for _, k := range keys {
			out = append(out, graph.Node{Key: k, Weight: 1, Name: true})
		}
		return out
	}
	word := func(key string) graph.Node { return graph.Node{Key: key, Weight: 1} }
	e := graph.Edge{Sentence: text.Span{End: len([]rune(c.Text))}}
	switch string(c.Page) {
	case "owns":
		e.Nodes = append(name("harrow", "tern"), word("owner"))
	case "seat":
		e.Nodes = append(name("tern", "lund"), word("headquart"))
	case "lead":
		e.Nodes = append(name("lund", "quill"), word("mayor"))
	case "denied":
		e.Denied, e.Nodes = true, append(name("harrow", "heron"), word("owner"))
	case "other":
		e.Nodes = append(name("heron", "riga"), word("headquart"))
	default:
		e.Nodes = append(name(string(c.Page)), word("text"))
	}
	return []graph.Edge{e}
}

// pages gives the chunks of a feed their pages: the document's id.
type pages struct{ *retrievaltest.Feed }

func (p pages) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	changes, err := p.Feed.Changes(ctx, after, limit)
	for i := range changes {
		for k := range changes[i].Chunks {
			changes[i].Chunks[k].Page = []byte(changes[i].Document.ID)
		}
	}
	return changes, err
}

// TestHops: a fact is reached over others, further ones for less; a denied one never
// is, nor is anything over it; and what is found is the sentence that states it.
func TestHops(t *testing.T) {
	docs := []kb.Document{
		{ID: "owns", Text: "Harrow is the owner of Tern."}, {ID: "seat", Text: "Tern has its headquarters in Lund."}, {ID: "lead", Text: "The mayor of Lund is Quill."},
		{ID: "denied", Text: "Harrow is not the owner of Heron."}, {ID: "other", Text: "Heron has its headquarters in Riga."},
	}
	for i := range 20 {
		docs = append(docs, kb.Document{ID: fmt.Sprintf("filler%d", i), Text: "A text about nothing."})
	}
	feed := pages{retrievaltest.NewFeed(docs...)}
	opt := index.Options{Edges: chain}
	x := over(t, t.TempDir(), server(t), opt)
	synced(t, x, feed)
	req := kb.RetrieveRequest{Only: byFacts, TopK: 50, Analysis: kb.Analysis{Question: "harrow owner headquarters mayor", AsOf: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Slots: []kb.Slot{
		{Name: "subject", Role: kb.Given, Value: "harrow"}, {Name: "value", Role: kb.Asked, Attribute: "owner headquarters mayor"},
	}}}
	scores := map[string][4]float64{}
	for hops := 1; hops <= 3; hops++ {
		got, err := retriever(t, x, hops).Retrieve(t.Context(), req)
		if err != nil || len(got.Degraded) > 0 {
			t.Fatal(err, got.Degraded)
		}
		for _, c := range got.Candidates {
			s := scores[c.DocumentID]
			s[hops] = c.Score
			scores[c.DocumentID] = s
			if c.DocumentID == "seat" && c.Text != docs[1].Text {
				t.Errorf("the sentence of the fact is %q", c.Text)
			}
		}
		want, err := embedded(t, feed, hops, opt).Retrieve(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if d := retrievaltest.Difference(want.Candidates, got.Candidates); d != "" {
			t.Errorf("%d hops: %s", hops, d)
		}
	}
	if s := scores["seat"]; !(s[2] > s[1]) {
		t.Errorf("the second hop adds nothing: %v", s)
	}
	if s := scores["lead"]; !(s[3] > s[2]) {
		t.Errorf("the third hop adds nothing: %v", s)
	}
	if _, ok := scores["denied"]; ok {
		t.Errorf("a denied fact supports: %v", scores["denied"])
	}
	if s := scores["other"]; s[3] > s[1] {
		t.Errorf("a denied fact was walked: %v", s)
	}
}

// TestFollows: versions, supersession, deletions, restarts.
func TestFollows(t *testing.T) {
	cfg := server(t)
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	dir := t.TempDir()
	x := over(t, dir, cfg, index.Options{})
	synced(t, x, feed)
	step := func(name string, do func()) {
		t.Run(name, func(t *testing.T) {
			do()
			synced(t, x, feed)
			// Sync does not fail with a server; what it lacks follows. Why stands in the log.
			for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
				req := retrievaltest.Questions()[0]
				req.Only = byFacts
				_, err := retriever(t, x, 2).Retrieve(t.Context(), req)
				if !errors.Is(err, kb.ErrUnavailable) || time.Since(start) > time.Minute {
					break
				}
			}
			retrievaltest.Same(t, embedded(t, feed, 2, index.Options{}), retriever(t, x, 2), byFacts)
		})
	}
	step("a new version", func() { feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"}) })
	step("superseded and deleted", func() {
		feed.Put(kb.Document{ID: "vpn-newest", Text: "Remote staff use the Dunlin VPN client.", Supersedes: []string{"vpn-new"}})
		feed.Delete("parking")
	})
	step("a process with a new folder, after changes", func() {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		feed.Delete("vpn-newest")
		feed.Put(kb.Document{ID: "parking", Text: "访客停车每小时八元。"})
		x = over(t, t.TempDir(), cfg, index.Options{})
	})
	step("another store", func() {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		feed = retrievaltest.NewFeed(retrievaltest.Documents()[2:7]...)
		x = over(t, t.TempDir(), cfg, index.Options{})
	})
}

// TestOddKeys: what a full-text query or an index could trip over is found literally.
func TestOddKeys(t *testing.T) {
	keys := []string{`quote"inside`, `back\slash`, `a:b AND (c)`, "=tern island ferry", "~tilde*", "很长的名字", fmt.Sprintf("%01200d", 7)}
	g := connect(t, server(t))
	if _, err := g.Open(t.Context(), index.Form{Key: "odd"}); err != nil {
		t.Fatal(err)
	}
	b := index.Batch{State: index.State{Seq: 1}}
	for i, k := range keys {
		b.Put = append(b.Put, index.ServerChunk{
			ID: fmt.Sprintf("d%d@1#0", i), Version: fmt.Sprintf("d%d@1", i), Document: fmt.Sprint("d", i), Seq: 1,
			Edges:      []graph.Edge{{Nodes: []graph.Node{{Key: k, Weight: 1, Name: true}, {Key: "common", Weight: 0.5}}}},
			Visibility: retrieval.Visibility{Collection: "default"},
		})
	}
	if err := g.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	f := retrieval.Filter{Collection: "default"}
	for i, k := range keys {
		terms, err := g.Terms(t.Context(), []string{k, "common", "unknown"})
		if err != nil || terms[k] != (graph.Term{Facts: 1, Name: true}) || terms["common"] != (graph.Term{Facts: len(keys)}) || len(terms) != 2 {
			t.Errorf("%.20q: %v, %v", k, terms, err)
		}
		want := []string{fmt.Sprintf("d%d@1#0", i)}
		got, err := g.Touching(t.Context(), []graph.Weighted{{Key: k, Weight: 1}}, f, 10)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%.20q touches %v, %v; want %v", k, got, err, want)
		}
		got, err = g.Linked(t.Context(), []string{k}, []string{"common"}, f, 10)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%.20q links %v, %v; want %v", k, got, err, want)
		}
	}
}

func TestWrongPassword(t *testing.T) {
	cfg := server(t)
	cfg.Password = "not the password"
	g, err := neo4j.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = g.Close() }()
	if err := g.Check(t.Context()); !errors.Is(err, neo4j.ErrRefused) {
		t.Errorf("%v, want ErrRefused", err)
	}
}

func TestValidate(t *testing.T) {
	for _, u := range []string{"", "127.0.0.1:7687", "http://h:1", "neo4j://user:pw@h:1"} {
		cfg := neo4j.Default()
		cfg.URL = u
		if _, err := neo4j.New(cfg); !errors.Is(err, kb.ErrInvalid) {
			t.Errorf("%q: %v", u, err)
		}
	}
	cfg := neo4j.Default()
	cfg.URL, cfg.Space = "bolt://h:1", "a b"
	if _, err := neo4j.New(cfg); !errors.Is(err, kb.ErrInvalid) {
		t.Errorf("space: %v", err)
	}
}

// BenchmarkApply writes 1,500 facts of 100 documents, each touching ten terms of two
// thousand, into an empty space.
func BenchmarkApply(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	batch := index.Batch{State: index.State{Seq: 1}}
	for d := range 100 {
		c := index.ServerChunk{ID: fmt.Sprintf("d%d@1#0", d), Version: fmt.Sprintf("d%d@1", d), Document: fmt.Sprint("d", d), Seq: 1, Visibility: retrieval.Visibility{Collection: "default"}}
		for range 15 {
			var e graph.Edge
			for _, n := range rng.Perm(2000)[:10] {
				e.Nodes = append(e.Nodes, graph.Node{Key: fmt.Sprint("term", n), Weight: 1, Name: n%7 == 0})
			}
			c.Edges = append(c.Edges, e)
		}
		batch.Put = append(batch.Put, c)
	}
	for b.Loop() {
		b.StopTimer()
		g := connect(b, server(b))
		if _, err := g.Open(b.Context(), index.Form{Key: "bench"}); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := g.Apply(b.Context(), batch); err != nil {
			b.Fatal(err)
		}
	}
}
