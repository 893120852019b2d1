package app

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/services/config"
)

// TestUnknownCollection: a collection that is not there for who asks is an error that names
// those that are, and leaves no gap.
func TestUnknownCollection(t *testing.T) {
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.DiscardHandler), Sources: config.Sources{Flags: map[string]string{"reader.mode": string(rerank.ReadOff)}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	k, err := a.Knowledge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(collection string, readers ...string) (kb.Reply, error) {
		t.Helper()
		return a.Pipeline().Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: "How many berths does Marlow harbour have?"}, Collection: collection, Readers: readers}, nil)
	}
	var invalid *kb.InvalidError
	if _, err := ask("harbour"); !errors.As(err, &invalid) || !strings.Contains(invalid.Message, "none yet") {
		t.Errorf("nothing ingested: %v, want an error that says so", err)
	}
	if r, err := ask("default"); err != nil || r.Outcome != kb.Insufficient {
		t.Errorf("nothing ingested, default collection: %s, %v, want INSUFFICIENT", r.Outcome, err)
	}
	before, _, err := k.Gaps(t.Context(), kb.GapQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Put(t.Context(), []kb.Document{
		{ID: "a", Text: "Marlow harbour has 14 berths.", Collection: "harbours"},
		{ID: "b", Text: "Marlow harbour has 14 berths.", Collection: "board", Readers: []string{"group:board"}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"harbour", "board"} { // the second is not there for who may not read it
		if _, err := ask(name); !errors.As(err, &invalid) || invalid.Field != "collection" || !strings.HasSuffix(invalid.Message, "there are: harbours") {
			t.Errorf("%s: %v, want an error of collection that names harbours alone", name, err)
		}
	}
	if _, err := ask("harbour", "group:board"); !errors.As(err, &invalid) || !strings.HasSuffix(invalid.Message, "there are: board, harbours") {
		t.Errorf("harbour as the board: %v, want an error that names both", err)
	}
	for name, readers := range map[string][]string{"harbours": nil, "board": {"group:board"}} {
		if r, err := ask(name, readers...); err != nil || r.Outcome != kb.Answered {
			t.Errorf("%s: %s, %v, want ANSWERED", name, r.Outcome, err)
		}
	}
	if after, _, err := k.Gaps(t.Context(), kb.GapQuery{}); err != nil || len(after) != len(before) {
		t.Errorf("%d gaps, %v, want the %d from before: a mistyped name is none", len(after), err, len(before))
	}
}

// TestSufficiencyPathIsNamed: a file that is no model is refused with its key and its name.
func TestSufficiencyPathIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "mine.ubj")
	if err := os.WriteFile(file, []byte("no model"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.DiscardHandler), Sources: config.Sources{Flags: map[string]string{"sufficiency.path": file}}})
	if !errors.Is(err, ErrSetup) || !strings.Contains(err.Error(), "sufficiency.path") || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one that names sufficiency.path and %s", err, file)
	}
}
