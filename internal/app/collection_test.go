package app

import (
	"context"
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
// the nearest of those that are there for him, and leaves no gap.
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
	if _, err := ask("harbour"); !errors.As(err, &invalid) || !strings.Contains(invalid.Message, "no other one is") {
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
		if _, err := ask(name); !errors.As(err, &invalid) || invalid.Field != "collection" || !strings.HasSuffix(invalid.Message, "the nearest: harbours") {
			t.Errorf("%s: %v, want an error of collection that names harbours alone", name, err)
		}
	}
	if _, err := ask("harbour", "group:board"); !errors.As(err, &invalid) || !strings.HasSuffix(invalid.Message, "the nearest: harbours, board") {
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

// TestCollectionThatTheIndexLacks: what the store has is no unknown collection, however far
// the index is behind it, and no missing knowledge either.
func TestCollectionThatTheIndexLacks(t *testing.T) {
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.DiscardHandler), Sources: config.Sources{Flags: map[string]string{"reader.mode": string(rerank.ReadOff)}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }() // of a store that is closed already
	if err := a.OpenData(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, x := a.data.opened()
	ask := func(collection, question string) (kb.Reply, error) {
		return a.Pipeline().Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: question}, Collection: collection}, nil)
	}
	// Past the index, as a call leaves it whose client went away between the two.
	if _, err := s.Put(t.Context(), []kb.Document{{ID: "a", Text: "Marlow harbour has 14 berths.", Collection: "harbours"}}); err != nil {
		t.Fatal(err)
	}
	if r, err := ask("harbours", "How many berths does Marlow harbour have?"); err != nil || r.Outcome != kb.Answered {
		t.Errorf("a collection that was just written: %s, %v, want ANSWERED", r.Outcome, err)
	}
	if _, err := s.Put(t.Context(), []kb.Document{{ID: "b", Text: "The crane of Tarn quay lifts 60 tonnes."}}); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.Sync(gone, s); err == nil || !x.Behind() {
		t.Fatalf("a Sync that is cut off: %v, behind %v", err, x.Behind())
	}
	if r, err := ask("", "How many tonnes does the crane of Tarn quay lift?"); err != nil || r.Outcome != kb.Answered {
		t.Errorf("a document that did not get into the index: %s, %v, want ANSWERED", r.Outcome, err)
	}
	if x.Behind() {
		t.Error("behind after the index was brought up")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var invalid *kb.InvalidError
	if _, err := ask("quays", "How many berths does Marlow harbour have?"); !errors.Is(err, kb.ErrUnavailable) || errors.As(err, &invalid) || !strings.Contains(err.Error(), "behind the store") {
		t.Errorf("a collection that cannot be looked up: %v, want kb.ErrUnavailable with the reason", err)
	}
	if r, err := ask("harbours", "How many berths does Marlow harbour have?"); err == nil && r.Outcome != kb.Answered {
		t.Errorf("a collection that is in the index: %s, %v", r.Outcome, err)
	}
}

// TestCollectionElsewhere is the same where the store is another process's.
func TestCollectionElsewhere(t *testing.T) {
	off := map[string]string{"reader.mode": string(rerank.ReadOff)}
	knowledge := serve(t, Options{Role: RoleKnowledge, Sources: config.Sources{Flags: off}}, "")
	found := serve(t, Options{Role: RoleRetrieval, Sources: config.Sources{Flags: map[string]string{"reader.mode": off["reader.mode"], "layers.knowledge.address": knowledge.grpc}}}, "")
	k, err := knowledge.Knowledge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"harbours", "quays", "码头"} {
		if _, err := k.Put(t.Context(), []kb.Document{{ID: name, Text: "Marlow harbour has 14 berths.", Collection: name}}); err != nil {
			t.Fatal(err)
		}
		got, err := current{found.holder}.Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: "How many berths does Marlow harbour have?"}, Collection: name, TopK: 5})
		if err != nil || len(got.Candidates) != 1 {
			t.Errorf("%d: collection %s, just written: %d passages, %v, want 1", i, name, len(got.Candidates), err)
		}
	}
	knowledge.stop()
	if _, err := (current{found.holder}).Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: "How many berths?"}, Collection: "piers", TopK: 5}); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("without its store: %v, want kb.ErrUnavailable", err)
	}
}

// TestNearestCollections: of the collections that the asker may see, the three nearest by
// spelling are named.
func TestNearestCollections(t *testing.T) {
	for _, tt := range []struct {
		name    string
		visible []string
		want    string
	}{
		{"harbor", []string{"board", "harbour", "harbours", "piers", "tariffs"}, "the nearest: harbour, harbours, board"},
		{"TARIFS", []string{"board", "piers", "tariffs"}, "the nearest: tariffs, board, piers"},
		{"人事制度", []string{"人事", "人事规制", "财务制度", "采购"}, "the nearest: 人事, 人事规制, 财务制度"},
		{"x", nil, "no other one is"},
	} {
		if err := noCollection(tt.name, tt.visible); !strings.Contains(err.Error(), tt.want) || strings.Count(err.Error(), ",") > 2 {
			t.Errorf("%s among %v: %v, want %q", tt.name, tt.visible, err, tt.want)
		}
	}
}
