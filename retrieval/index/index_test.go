package index_test

import (
	"log/slog"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

var quiet = slog.New(slog.DiscardHandler)

// open opens an index that writes a checkpoint after nearly every change.
func open(t testing.TB, dir string) *index.Index {
	t.Helper()
	x, err := index.Open(dir, index.Options{Logger: quiet, Replay: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func synced(t testing.TB, x *index.Index, feed index.Feed) {
	t.Helper()
	if err := x.Sync(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
}

func hybrid(t testing.TB, x *index.Index) *retrieval.Hybrid {
	t.Helper()
	cfg := retrieval.Default()
	cfg.Timeout = time.Minute // what a busy machine is late with is not looked at here
	h, err := x.Retriever(cfg, index.DefaultTuning())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestConformance(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T, docs []kb.Document) retrieval.Retriever {
		x := open(t, t.TempDir())
		synced(t, x, retrievaltest.NewFeed(docs...))
		return hybrid(t, x)
	})
}

// The suite passes again over the files that an earlier process left.
func TestConformanceAfterReopen(t *testing.T) {
	retrievaltest.Run(t, func(t *testing.T, docs []kb.Document) retrieval.Retriever {
		dir := t.TempDir()
		feed := retrievaltest.NewFeed(docs...)
		x, err := index.Open(dir, index.Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		synced(t, x, feed)
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		x = open(t, dir)
		feed.Fail(kb.ErrUnavailable) // nothing is taken again
		return hybrid(t, x)
	})
}
