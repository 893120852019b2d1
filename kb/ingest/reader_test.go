package ingest_test

import (
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/ingest"
	"suffice.dev/suffice/kb/store"
)

func TestFactReader(t *testing.T) {
	engine := fact.New(fact.Config{})
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{Reader: ingest.FactReader{Engine: func() *fact.Engine { return engine }}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := s.Put(t.Context(), []kb.Document{
		{ID: "boats.md", Text: "# Boats\n\nA rowing boat costs 14 euros an hour. The deposit is 50 euros.\n"},
		{ID: "船.md", Text: "# 租船\n\n划艇的租金为每小时14元。押金为50元。\n"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Facts == 0 {
		t.Errorf("no complete fact was read: %+v", r)
	}
	changes, err := s.Changes(t.Context(), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		for _, ch := range c.Chunks {
			page := fact.Page{Runes: []rune(ch.Text)}
			if err := page.UnmarshalBinary(ch.Page); err != nil {
				t.Fatalf("%s: %v", c.Document.ID, err)
			}
			if len(page.Sentences) == 0 || len(page.Facts) == 0 {
				t.Errorf("%s: a page of %d sentences and %d facts", c.Document.ID, len(page.Sentences), len(page.Facts))
			}
			for _, f := range page.Facts {
				if f.Span.Start < 0 || f.Span.End > len(page.Runes) || f.Span.Empty() {
					t.Errorf("%s: a fact at %d..%d of %d", c.Document.ID, f.Span.Start, f.Span.End, len(page.Runes))
				}
			}
		}
	}
}
