package index_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// meanings is an endpoint that knows a few words by what they mean, whatever language
// they are in.
type meanings struct {
	mu    sync.Mutex
	name  string
	sent  []string
	fails error
}

func (m *meanings) Name() string { return m.name }
func (m *meanings) Dims() int    { return 4 }

func (m *meanings) Embed(_ context.Context, texts []string, passages bool) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return nil, m.fails
	}
	var out [][]float32
	for _, t := range texts {
		if passages {
			m.sent = append(m.sent, t)
		}
		v := make([]float32, 4)
		if passages {
			v[3] = 1
		}
		for i, words := range [][]string{{"seahorse", "hippocampus"}, {"windmill", "turbine"}, {"harbour", "quay"}} {
			for _, w := range words {
				if strings.Contains(t, w) {
					v[i], v[3] = 1, 0
				}
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func (m *meanings) passages() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.sent)
}

func withEndpoint(t *testing.T, dir string, ep index.Endpoint) *index.Index {
	t.Helper()
	x, err := index.Open(dir, index.Options{Endpoint: ep, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func firstDense(t *testing.T, x *index.Index, q string) string {
	t.Helper()
	got, err := hybrid(t, x).Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: q}, Only: []kb.Route{kb.Dense}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Candidates) == 0 {
		return ""
	}
	return got.Candidates[0].DocumentID
}

// TestEndpoint: the built-in embedding serves until the endpoint's model has all
// chunks; vectors are kept by content; a change of model begins anew and meanwhile the
// built-in one serves again.
func TestEndpoint(t *testing.T) {
	dir := t.TempDir()
	feed := retrievaltest.NewFeed(
		kb.Document{ID: "a", Text: "The seahorse carries its young in a pouch."},
		kb.Document{ID: "b", Text: "A windmill turns into the wind by itself."},
		kb.Document{ID: "c", Text: "The harbour closes at dusk."},
	)
	ep := &meanings{name: "one"}
	x := withEndpoint(t, dir, ep)
	synced(t, x, feed)
	static, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	if e := x.Embedding(); e.Serving != static.Name() || e.Wanted != "one" || e.Done != 0 || e.Chunks != 3 {
		t.Errorf("before: %+v", e)
	}
	if got := firstDense(t, x, "the pouch of the seahorse"); got != "a" {
		t.Errorf("the built-in embedding finds %q", got)
	}
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e := x.Embedding(); e.Serving != "one" || e.Done != 3 {
		t.Errorf("after: %+v", e)
	}
	for q, want := range map[string]string{"hippocampus": "a", "turbine": "b", "quay": "c"} {
		if got := firstDense(t, x, q); got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}

	// One of eleven chunks is late: it is found by the built-in embedding until then.
	var more []kb.Document
	for _, id := range []string{"d", "e", "f", "g", "h", "i", "j"} {
		more = append(more, kb.Document{ID: id, Text: "Filler of the number " + id + "."})
	}
	feed.Put(more...)
	synced(t, x, feed)
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	feed.Put(kb.Document{ID: "k", Text: "Lighthouse keepers log the weather twice a day."})
	synced(t, x, feed)
	if got := firstDense(t, x, "lighthouse keepers weather"); got != "k" {
		t.Errorf("a late chunk: found %q", got)
	}
	if e := x.Embedding(); e.Serving != "one" || e.Done != 10 || e.Chunks != 11 {
		t.Errorf("one late: %+v", e)
	}
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	sent := ep.passages()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	again := withEndpoint(t, dir, ep)
	if e := again.Embedding(); e.Serving != "one" || e.Done != 11 || ep.passages() != sent {
		t.Errorf("opened again: %+v, %d texts sent again", e, ep.passages()-sent)
	}
	if got := firstDense(t, again, "turbine"); got != "b" {
		t.Errorf("opened again: %q", got)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}

	other := withEndpoint(t, dir, &meanings{name: "two"})
	if e := other.Embedding(); e.Serving != static.Name() || e.Done != 0 || e.Wanted != "two" {
		t.Errorf("another model: %+v", e)
	}
	if got := firstDense(t, other, "the pouch of the seahorse"); got != "a" {
		t.Errorf("another model, before it has the chunks: %q", got)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "vectors-*.log")); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
}

// TestEndpointDown: a question whose embedding fails leaves the dense route out, and
// the reply says so.
func TestEndpointDown(t *testing.T) {
	ep := &meanings{name: "one"}
	x := withEndpoint(t, t.TempDir(), ep)
	synced(t, x, retrievaltest.NewFeed(kb.Document{ID: "a", Text: "The seahorse carries its young in a pouch."}))
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	ep.mu.Lock()
	ep.fails = errors.New("connection refused")
	ep.mu.Unlock()
	got, err := hybrid(t, x).Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: "seahorse pouch"}})
	if err != nil || len(got.Candidates) != 1 || len(got.Degraded) != 1 || got.Degraded[0].Part != "dense" {
		t.Errorf("%+v, %v", got, err)
	}
	x2 := withEndpoint(t, t.TempDir(), ep)
	synced(t, x2, retrievaltest.NewFeed(kb.Document{ID: "a", Text: "The seahorse carries its young in a pouch."}))
	if err := x2.EmbedLate(t.Context()); err == nil {
		t.Error("a failing endpoint embedded")
	}
	if got, err := hybrid(t, x2).Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: "seahorse pouch"}}); err != nil || len(got.Degraded) > 0 {
		t.Errorf("before it ever served, a failing endpoint is felt: %+v, %v", got, err)
	}
}
