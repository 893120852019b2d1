package index_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
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
	// failAfter is how many passages it embeds before it fails; 0 = any number.
	failAfter int
}

func (m *meanings) Name() string { return m.name }
func (m *meanings) Dims() int    { return 4 }

func (m *meanings) Embed(_ context.Context, texts []string, passages bool) ([][]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fails != nil {
		return nil, m.fails
	}
	if passages && m.failAfter > 0 && len(m.sent)+len(texts) > m.failAfter {
		return nil, errors.New("quota")
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

func (m *meanings) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fails = err
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

	// Nobody can ask the first model any more: the built-in one stands in for it.
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

// models are endpoints by their origin.
type models map[string]*meanings

func (m models) open(t *testing.T, dir, wanted string) *index.Index {
	t.Helper()
	x, err := index.Open(dir, index.Options{
		Endpoint: m[wanted], Origin: "at " + wanted, Logger: slog.New(slog.DiscardHandler),
		Earlier: func(origin string) (index.Endpoint, error) {
			if ep := m[strings.TrimPrefix(origin, "at ")]; ep != nil {
				return ep, nil
			}
			return nil, errors.New("not known")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func serving(x *index.Index) map[string]string {
	out := map[string]string{}
	for _, c := range x.Embedding().Collections {
		out[c.Collection] = c.Serving
	}
	return out
}

// TestChangeOfModel: while another model embeds, the one before it serves, also in a new
// process; a collection changes over when all its chunks are there, the smallest first;
// an earlier model that does not answer is stood in for by the built-in one.
func TestChangeOfModel(t *testing.T) {
	static, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	docs := []kb.Document{{ID: "a", Text: "The seahorse carries its young in a pouch."}, {ID: "s", Collection: "small", Text: "The quay closes at dusk."}}
	for i := range 40 { // more than a batch
		docs = append(docs, kb.Document{ID: fmt.Sprintf("f%d", i), Text: fmt.Sprintf("Filler of the number %d.", i)})
	}
	feed := retrievaltest.NewFeed(docs...)
	m := models{"one": {name: "one"}, "two": {name: "two"}, "three": {name: "three"}}
	x := m.open(t, dir, "one")
	synced(t, x, feed)
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := func(x *index.Index, all, small string) {
		t.Helper()
		if diff := cmp.Diff(map[string]string{retrieval.DefaultCollection: all, "small": small}, serving(x)); diff != "" {
			t.Errorf("serving (-want +got)\n%s", diff)
		}
	}
	want(x, "one", "one")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	x = m.open(t, dir, "two")
	want(x, "one", "one")
	if got := firstDense(t, x, "hippocampus"); got != "a" {
		t.Errorf("the earlier model finds %q", got)
	}
	// The second model fails in the middle of the larger collection.
	m["two"].failAfter = 34
	if err := x.EmbedLate(t.Context()); err == nil {
		t.Fatal("a failing endpoint embedded all")
	}
	want(x, "one", "two")
	if e := x.Embedding(); e.Serving != "one" || e.Wanted != "two" || e.Done >= e.Chunks || e.Done < 2 {
		t.Errorf("in the middle: %+v", e)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	sent := m["two"].passages()

	// A new process goes on where that one ended.
	m["two"].failAfter = 0
	x = m.open(t, dir, "two")
	want(x, "one", "two")
	m["one"].fail(errors.New("connection refused"))
	if got := firstDense(t, x, "the pouch of the seahorse"); got != "a" {
		t.Errorf("the earlier model is gone: found %q", got)
	}
	want(x, static.Name(), "two")
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(x, "two", "two")
	if again := m["two"].passages() - sent; sent+again != len(docs) {
		t.Errorf("%d texts sent before, %d after, of %d", sent, again, len(docs))
	}
	if got := firstDense(t, x, "hippocampus"); got != "a" {
		t.Errorf("the second model finds %q", got)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	// Back to the first: its vectors are still there, and nothing is sent.
	before := m["one"].passages()
	x = m.open(t, dir, "one")
	want(x, "one", "one")
	if m["one"].passages() != before {
		t.Error("what was embedded before was sent again")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	// A third: of three models' vectors the oldest are removed.
	x = m.open(t, dir, "three")
	if err := x.EmbedLate(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(x, "three", "three")
	if files, err := filepath.Glob(filepath.Join(dir, "vectors-*.log")); err != nil || len(files) != 2 {
		t.Errorf("files %v, %v", files, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	// With the built-in one in between, nothing earlier is asked.
	plain, err := index.Open(dir, index.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}
	want(m.open(t, dir, "two"), static.Name(), static.Name())
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
	ep.fail(errors.New("connection refused"))
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
