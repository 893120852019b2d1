package index_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// memory is a server in memory that looks at everything. Several indexes may share it.
type memory struct {
	mu     sync.Mutex
	form   string
	state  index.State
	chunks map[string]index.ServerChunk
	resets int
	err    error         // of every call
	hang   time.Duration // before every answer
}

func newMemory() *memory { return &memory{chunks: map[string]index.ServerChunk{}} }

func (m *memory) Name() string { return "memory" }

func (m *memory) answer(ctx context.Context) error {
	m.mu.Lock()
	err, hang := m.err, m.hang
	m.mu.Unlock()
	select {
	case <-time.After(hang):
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

func (m *memory) Open(ctx context.Context, form index.Form) (index.State, error) {
	if err := m.answer(ctx); err != nil {
		return index.State{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.form != form.Key {
		m.form, m.state, m.chunks = form.Key, index.State{}, map[string]index.ServerChunk{}
	}
	st := m.state
	st.Chunks = len(m.chunks)
	return st, nil
}

func (m *memory) Apply(ctx context.Context, b index.Batch) error {
	if err := m.answer(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range b.Put {
		if c.Seq >= m.chunks[c.ID].Seq {
			m.chunks[c.ID] = c
		}
	}
	for _, p := range b.Purge {
		maps.DeleteFunc(m.chunks, func(_ string, c index.ServerChunk) bool {
			live, ok := p.Versions[c.Version]
			return c.Document == p.Document && c.Seq <= p.Seq && (!ok || c.Seq < live)
		})
	}
	if b.State.Seq > m.state.Seq {
		m.state = b.State
	}
	return nil
}

func (m *memory) Reset(ctx context.Context) error {
	if err := m.answer(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state, m.chunks = index.State{}, map[string]index.ServerChunk{}
	m.resets++
	return nil
}

func (m *memory) Frequencies(ctx context.Context, terms []string) ([]uint64, error) {
	if err := m.answer(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]uint64, len(terms))
	for _, c := range m.chunks {
		for i, t := range terms {
			if slices.Contains(c.Terms, t) {
				out[i]++
			}
		}
	}
	return out, nil
}

// ranked returns the ids of the admitted chunks with a score above 0, best first.
func (m *memory) ranked(f retrieval.Filter, limit int, score func(index.ServerChunk) float64) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	found := map[string]float64{}
	for id, c := range m.chunks {
		if s := score(c); s > 0 && f.Admits(c.Visibility) {
			found[id] = s
		}
	}
	ids := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b], found[a]), cmp.Compare(a, b))
	})
	return ids[:min(limit, len(ids))]
}

func (m *memory) ByWords(ctx context.Context, terms []bm25.Weighted, f retrieval.Filter, _ bm25.Needs, limit int) ([]string, error) {
	if err := m.answer(ctx); err != nil {
		return nil, err
	}
	return m.ranked(f, limit, func(c index.ServerChunk) (s float64) {
		for _, t := range terms {
			if slices.Contains(c.Terms, t.Text) {
				s += t.Weight
			}
		}
		return s
	}), nil
}

func (m *memory) Nearest(ctx context.Context, s dense.Sought, f retrieval.Filter, _ bm25.Needs, limit int) ([]string, error) {
	if err := m.answer(ctx); err != nil {
		return nil, err
	}
	return m.ranked(f, limit, func(c index.ServerChunk) float64 {
		if s.In != dense.Unknown && s.In != c.Language || s.But != dense.Unknown && s.But == c.Language {
			return 0
		}
		best := 0.0
		for _, w := range c.Windows {
			best = max(best, 2+embed.Cosine(embed.Vector(s.Vector).Float(), embed.Vector(w).Float())) // above 0: it proposes all
		}
		return best
	}), nil
}

func (m *memory) Terms(ctx context.Context, keys []string) (map[string]graph.Term, error) {
	if err := m.answer(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[string]graph.Term{}
	for _, c := range m.chunks {
		for _, e := range c.Edges {
			for _, n := range e.Nodes {
				if slices.Contains(keys, n.Key) {
					t := out[n.Key]
					t.Facts++
					t.Name = t.Name || n.Name
					out[n.Key] = t
				}
			}
		}
	}
	return out, nil
}

func holds(e graph.Edge, keys ...string) bool {
	return !e.Denied && slices.ContainsFunc(e.Nodes, func(n graph.Node) bool { return slices.Contains(keys, n.Key) })
}

func (m *memory) Touching(ctx context.Context, keys []graph.Weighted, f retrieval.Filter, limit int) ([]string, error) {
	if err := m.answer(ctx); err != nil {
		return nil, err
	}
	return m.ranked(f, limit, func(c index.ServerChunk) (best float64) {
		for _, e := range c.Edges {
			sum := 0.0
			for _, k := range keys {
				if holds(e, k.Key) {
					sum += k.Weight
				}
			}
			best = max(best, sum)
		}
		return best
	}), nil
}

func (m *memory) Linked(ctx context.Context, names, wanted []string, f retrieval.Filter, limit int) ([]string, error) {
	if err := m.answer(ctx); err != nil {
		return nil, err
	}
	return m.ranked(f, limit, func(c index.ServerChunk) float64 {
		if slices.ContainsFunc(c.Edges, func(e graph.Edge) bool { return holds(e, names...) && holds(e, wanted...) }) {
			return 1
		}
		return 0
	}), nil
}

func overServer(t testing.TB, dir string, m *memory) *index.Index {
	t.Helper()
	x, err := index.Open(dir, index.Options{Logger: quiet, Words: m, Vectors: m, Facts: m})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestServerConformance(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T, docs []kb.Document) retrieval.Retriever {
		x := overServer(t, t.TempDir(), newMemory())
		synced(t, x, retrievaltest.NewFeed(docs...))
		return hybrid(t, x)
	})
}

// TestServerScores: over a server that looks at everything the replies are those of
// the embedded routes, to the last digit.
func TestServerScores(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Many()...)
	embedded := open(t, t.TempDir())
	synced(t, embedded, feed)
	x := overServer(t, t.TempDir(), newMemory())
	synced(t, x, feed)
	if diff := gocmp.Diff(answers(t, embedded), answers(t, x)); diff != "" {
		t.Errorf("(-embedded +server):\n%s", diff)
	}
	retrievaltest.Same(t, hybrid(t, embedded), hybrid(t, x))
}

// TestServerEndpoint: a server holds the vectors of the model at an endpoint. The built-in
// one serves until both have all chunks; a chunk that is late at the endpoint or at the
// server is found all the same; and replies are those of the embedded form.
func TestServerEndpoint(t *testing.T) {
	ep, m := &meanings{name: "one"}, newMemory()
	docs := []kb.Document{
		{ID: "a", Text: "The seahorse carries its young in a pouch."}, {ID: "b", Text: "A windmill turns into the wind by itself."}, {ID: "c", Text: "The harbour closes at dusk."},
	}
	for i := range 10 {
		docs = append(docs, kb.Document{ID: fmt.Sprint("filler", i), Text: fmt.Sprintf("Filler of the number %d.", i)})
	}
	feed := retrievaltest.NewFeed(docs...)
	x, err := index.Open(t.TempDir(), index.Options{Endpoint: ep, Logger: quiet, Vectors: m})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	synced(t, x, feed)
	held := func() int { m.mu.Lock(); defer m.mu.Unlock(); return len(m.chunks) }
	if n := held(); n != 0 {
		t.Errorf("%d chunks on the server before the endpoint has embedded any", n)
	}
	if got := firstDense(t, x, "the pouch of the seahorse"); got != "a" {
		t.Errorf("the built-in embedding finds %q", got)
	}
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	within(t, 10*time.Second, func() bool { return held() == len(docs) && firstDense(t, x, "hippocampus") == "a" })

	feed.Put(kb.Document{ID: "k", Text: "Lighthouse keepers log the weather twice a day."})
	synced(t, x, feed)
	if got := firstDense(t, x, "lighthouse keepers weather"); got != "k" || held() != len(docs) {
		t.Errorf("late at the endpoint: found %q, %d chunks on the server", got, held())
	}
	m.fail(errors.New("down")) // the server is not told what is embedded now
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.fail(nil)
	within(t, 20*time.Second, func() bool { return held() == len(docs)+1 })
	embedded := withEndpoint(t, t.TempDir(), ep)
	synced(t, embedded, feed)
	if err := embedded.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"hippocampus", "turbine", "quay", "weather"} {
		req := kb.RetrieveRequest{Analysis: kb.Analysis{Question: q}, Only: []kb.Route{kb.Dense}, TopK: 50}
		want, err := hybrid(t, embedded).Retrieve(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := hybrid(t, x).Retrieve(t.Context(), req)
		if err != nil || len(got.Degraded) > 0 {
			t.Fatal(err, got.Degraded)
		}
		if d := retrievaltest.Difference(want.Candidates, got.Candidates); d != "" {
			t.Errorf("%s: %s", q, d)
		}
	}
}

// TestServerFollows: whatever happened to server, folder and feed, a server that is
// up has what the feed has.
func TestServerFollows(t *testing.T) {
	base := func() *retrievaltest.Feed { return retrievaltest.NewFeed(retrievaltest.Documents()...) }
	change := func(f *retrievaltest.Feed) {
		f.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"})
		f.Put(kb.Document{ID: "vpn-newest", Text: "Remote staff use the Dunlin VPN client.", Supersedes: []string{"vpn-new"}})
		f.Delete("parking")
		f.Put(kb.Document{ID: "parking", Text: "访客停车每小时八元。"})
		f.Delete("printer")
	}
	for name, c := range map[string]struct {
		do     func(t *testing.T, dir string, m *memory, feed *retrievaltest.Feed) *retrievaltest.Feed // between two processes
		resets int
	}{
		"changes while it follows": {do: func(t *testing.T, dir string, m *memory, feed *retrievaltest.Feed) *retrievaltest.Feed {
			x := overServer(t, dir, m)
			synced(t, x, feed)
			change(feed)
			synced(t, x, feed)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			return feed
		}},
		"changes while it is down": {do: func(t *testing.T, dir string, m *memory, feed *retrievaltest.Feed) *retrievaltest.Feed {
			x := overServer(t, dir, m)
			m.fail(errors.New("down"))
			change(feed)
			synced(t, x, feed)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			m.fail(nil)
			return feed
		}},
		"changes while nobody follows": {do: func(_ *testing.T, _ string, _ *memory, feed *retrievaltest.Feed) *retrievaltest.Feed {
			change(feed)
			return feed
		}},
		"another process with a folder of its own": {do: func(t *testing.T, _ string, m *memory, feed *retrievaltest.Feed) *retrievaltest.Feed {
			change(feed)
			y := overServer(t, t.TempDir(), m)
			synced(t, y, feed)
			return feed
		}},
		"the server lost its data": {do: func(t *testing.T, _ string, m *memory, feed *retrievaltest.Feed) *retrievaltest.Feed {
			if err := m.Reset(t.Context()); err != nil {
				t.Fatal(err)
			}
			return feed
		}, resets: 1},
		"the server lost a part": {do: func(_ *testing.T, _ string, m *memory, feed *retrievaltest.Feed) *retrievaltest.Feed {
			delete(m.chunks, "pump@1#0")
			return feed
		}, resets: 1},
		"another store, shorter": {do: func(*testing.T, string, *memory, *retrievaltest.Feed) *retrievaltest.Feed {
			return retrievaltest.NewFeed(retrievaltest.Documents()[3:9]...)
		}, resets: 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, dir, feed := newMemory(), t.TempDir(), base()
			x := overServer(t, dir, m)
			synced(t, x, feed)
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			before := feed
			if feed = c.do(t, dir, m, feed); feed != before {
				dir = t.TempDir() // another store has another folder
			}
			x = overServer(t, dir, m)
			synced(t, x, feed)
			embedded := open(t, t.TempDir())
			synced(t, embedded, feed)
			if diff := gocmp.Diff(answers(t, embedded), answers(t, x)); diff != "" {
				t.Errorf("(-embedded +server):\n%s", diff)
			}
			if len(m.chunks) != embedded.Chunks() {
				t.Errorf("%d chunks on the server, want %d", len(m.chunks), embedded.Chunks())
			}
			if m.resets != c.resets {
				t.Errorf("written anew %d times, want %d", m.resets, c.resets)
			}
		})
	}
}

// TestServerDown: routes of a server that does not answer are left out, and are back
// within seconds; nothing hangs.
func TestServerDown(t *testing.T) {
	m := newMemory()
	x := overServer(t, t.TempDir(), m)
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	synced(t, x, feed)
	h := hybrid(t, x)
	ask := func(ctx context.Context) (kb.Retrieved, error) {
		return h.Retrieve(ctx, kb.RetrieveRequest{Analysis: kb.Analysis{Question: "Who maintains the QX-20 pump?", AsOf: date(t, "2026-03-01")}})
	}
	if got, err := ask(t.Context()); err != nil || len(got.Candidates) == 0 {
		t.Fatal(got, err)
	}
	for name, fault := range map[string]func(){
		"refuses": func() { m.fail(errors.New("connection refused")) },
		"hangs":   func() { m.mu.Lock(); m.hang = time.Hour; m.mu.Unlock() },
	} {
		fault()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		start := time.Now()
		if _, err := ask(ctx); !errors.Is(err, kb.ErrUnavailable) {
			t.Errorf("%s: %v, want ErrUnavailable", name, err)
		}
		if took := time.Since(start); took > 1500*time.Millisecond {
			t.Errorf("%s: took %v", name, took)
		}
		cancel()
		m.mu.Lock()
		m.err, m.hang = nil, 0
		m.mu.Unlock()
		within(t, 10*time.Second, func() bool { got, err := ask(t.Context()); return err == nil && len(got.Candidates) > 0 })
	}
}

func within(t testing.TB, limit time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("did not happen within %v", limit)
		}
	}
}
