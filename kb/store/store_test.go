package store_test

import (
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/kb/store/storetest"
)

func open(t *testing.T, dir string, opt store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), dir, opt)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) kb.Knowledge { return open(t, t.TempDir(), store.Options{}) })
}
