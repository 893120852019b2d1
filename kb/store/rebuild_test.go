package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest/chunk"
	"suffice.dev/suffice/kb/store"
)

// tagged marks what it embeds.
type tagged string

func (e tagged) Encode(string) []byte { return []byte(e) }

func TestRebuild(t *testing.T) {
	dir := t.TempDir()
	text := "One sentence of the text that is long enough to be cut. Another sentence of the text that is long enough, too. And a third sentence, to be sure, with a fourth one behind it. That is the fourth."
	first, err := store.Open(t.Context(), dir, store.Options{Embedder: tagged("old"), Fingerprint: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 70 {
		if _, err := first.Put(t.Context(), []kb.Document{{ID: fmt.Sprintf("d%d", i%35), Text: fmt.Sprintf("Number %d: %s", i, text)}}); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := first.Outdated(t.Context()); err != nil || out {
		t.Errorf("Outdated in a new store: %v, %v", out, err)
	}
	before, err := first.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}

	s := open(t, dir, store.Options{Embedder: tagged("new"), Fingerprint: "v2", Chunk: chunk.Config{Target: 100, Max: 200}, Reader: lengthReader{}})
	if out, err := s.Outdated(t.Context()); err != nil || !out {
		t.Errorf("Outdated with another fingerprint: %v, %v", out, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Rebuild(ctx, func(done, total int) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted Rebuild: %v", err)
	}
	if out, err := s.Outdated(t.Context()); err != nil || !out {
		t.Errorf("Outdated after an interrupted Rebuild: %v, %v", out, err)
	}
	var calls []int
	if err := s.Rebuild(t.Context(), func(done, total int) { calls = append(calls, done, total) }); err != nil {
		t.Fatalf("Rebuild: %v", err)
	}
	if n := len(calls); n == 0 || calls[n-1] != 70 || calls[n-2] != 70 {
		t.Errorf("progress: %v", calls)
	}
	if out, err := s.Outdated(t.Context()); err != nil || out {
		t.Errorf("Outdated after Rebuild: %v, %v", out, err)
	}
	after, err := s.Stats(t.Context())
	if err != nil || after.Versions != before.Versions || after.Chunks <= before.Chunks || after.Facts != after.Chunks {
		t.Errorf("Stats before %+v, after %+v, %v", before, after, err)
	}
	changes, err := s.Changes(t.Context(), before.LastSeq, 1000)
	if err != nil || len(changes) != 70 {
		t.Fatalf("%d changes after Rebuild, %v", len(changes), err)
	}
	for _, c := range changes {
		for _, ch := range c.Chunks {
			if string(ch.Vectors) != "new" || len(ch.Page) == 0 {
				t.Errorf("%s@%d: chunk %d has old readings", c.Document.ID, c.Document.Version, ch.Ordinal)
			}
		}
	}
	// A rebuilt document is still the same.
	if r, err := s.Put(t.Context(), []kb.Document{{ID: "d34", Text: "Number 69: " + text}}); err != nil || r.Versions != 0 {
		t.Errorf("putting a rebuilt document again: %+v, %v", r, err)
	}
}
