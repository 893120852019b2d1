package opensearch_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/opensearch"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

var quiet = slog.New(slog.DiscardHandler)

var prefixes atomic.Int64

// server returns the settings of an index of its own on the server for tests.
func server(t testing.TB) opensearch.Config {
	t.Helper()
	address := os.Getenv("SUFFICE_TEST_OPENSEARCH")
	if address == "" {
		t.Skip("SUFFICE_TEST_OPENSEARCH is not set: start a server with scripts/services/opensearch.sh up and pass its address, or run make test-servers")
	}
	cfg := opensearch.Default()
	cfg.URL, cfg.Timeout = address, time.Minute
	cfg.Prefix = fmt.Sprintf("t%d-%d-%d", time.Now().UnixNano(), os.Getpid(), prefixes.Add(1))
	t.Cleanup(func() {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, address+"/"+cfg.Prefix+"-*", nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	})
	return cfg
}

func over(t testing.TB, dir string, cfg opensearch.Config) *index.Index {
	t.Helper()
	s, err := opensearch.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	opt := index.Options{Logger: quiet, Patience: cfg.Timeout}
	if cfg.Words {
		opt.Words = s
	}
	if cfg.Vectors {
		opt.Vectors = s
	}
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

func retriever(t testing.TB, x *index.Index) retrieval.Retriever {
	t.Helper()
	cfg := retrieval.Default()
	cfg.Timeout = time.Minute // a first search may be slow, a busy machine is
	h, err := x.Retriever(cfg, index.DefaultTuning())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func embedded(t testing.TB, feed index.Feed) retrieval.Retriever {
	t.Helper()
	x, err := index.Open(t.TempDir(), index.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	synced(t, x, feed)
	return retriever(t, x)
}

func TestConformance(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T, docs []kb.Document) retrieval.Retriever {
		x := over(t, t.TempDir(), server(t))
		synced(t, x, retrievaltest.NewFeed(docs...))
		return retriever(t, x)
	})
}

// TestSameAsEmbedded: words and vectors of the server give the replies of the
// embedded routes, with one of them on the server or both.
func TestSameAsEmbedded(t *testing.T) {
	cfg := server(t)
	feed := retrievaltest.NewFeed(retrievaltest.Many()...)
	want := embedded(t, feed)
	for name, parts := range map[string][2]bool{"words and vectors": {true, true}, "words": {true, false}, "vectors": {false, true}} {
		t.Run(name, func(t *testing.T) {
			cfg.Words, cfg.Vectors = parts[0], parts[1]
			x := over(t, t.TempDir(), cfg)
			synced(t, x, feed)
			retrievaltest.Same(t, want, retriever(t, x))
		})
	}
}

// TestFollows: new versions, supersession, deletions and what happens while nobody
// follows; with the folder of the process and with a new one.
func TestFollows(t *testing.T) {
	cfg := server(t)
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	dir := t.TempDir()
	x := over(t, dir, cfg)
	synced(t, x, feed)
	step := func(name string, do func()) {
		t.Run(name, func(t *testing.T) {
			do()
			synced(t, x, feed)
			retrievaltest.Same(t, embedded(t, feed), retriever(t, x), nil)
		})
	}
	step("a new version", func() { feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"}) })
	step("another document supersedes", func() {
		feed.Put(kb.Document{ID: "vpn-newest", Text: "Remote staff use the Dunlin VPN client.", Supersedes: []string{"vpn-new"}})
	})
	step("deleted", func() { feed.Delete("vpn-newest"); feed.Delete("parking") })
	step("put again", func() { feed.Put(kb.Document{ID: "parking", Text: "访客停车每小时八元。"}) })
	step("a process with its folder, after changes", func() {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		feed.Delete("printer")
		feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为六点开始。"})
		x = over(t, dir, cfg)
	})
	step("a process with a new folder, after changes", func() {
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		feed.Delete("survey")
		feed.Put(kb.Document{ID: "survey", Text: "Staff surveys run every autumn."})
		x = over(t, t.TempDir(), cfg)
	})
	step("the index was deleted under it", func() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, cfg.URL+"/"+cfg.Prefix+"-*", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp, err)
		}
		_ = resp.Body.Close()
		h := retriever(t, x)
		for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
			got, err := h.Retrieve(t.Context(), retrievaltest.Questions()[0])
			if err == nil && len(got.Degraded) == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("not back within 30 s: %v, %v", got.Degraded, err)
			}
		}
	})
}

func TestValidate(t *testing.T) {
	for _, c := range []opensearch.Config{
		{}, {URL: "127.0.0.1:9200"}, {URL: "http://user:pw@h:1"}, {URL: "ftp://h:1"},
	} {
		c.Prefix, c.Timeout = "suffice", time.Second
		if _, err := opensearch.New(c); !errors.Is(err, kb.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, prefix := range []string{"", "Upper", "a b", "-a"} {
		if _, err := opensearch.New(opensearch.Config{URL: "http://h:1", Prefix: prefix, Timeout: time.Second}); !errors.Is(err, kb.ErrInvalid) {
			t.Errorf("prefix %q: %v", prefix, err)
		}
	}
}
