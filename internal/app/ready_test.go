package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/config"
)

// TestNotReadyIsNoIgnorance: what is asked while the first ingestion is not done is
// unavailable, as readyz says, and leaves no gap; afterwards it is answered.
func TestNotReadyIsNoIgnorance(t *testing.T) {
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	begun, goOn, ready := make(chan struct{}), make(chan struct{}), make(chan [2]string, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		ended <- a.Serve(ctx, Serving{
			Docs: writeCorpus(t), GRPCAddr: "127.0.0.1:0", HTTPAddr: "127.0.0.1:0",
			Listening: func(grpcAddr, httpAddr string) { ready <- [2]string{grpcAddr, httpAddr} },
			Progress: func(done, _ int, _ string) {
				if done == 0 {
					close(begun)
					<-goOn
				}
			},
			Ready: func(grpcAddr, httpAddr string) { ready <- [2]string{grpcAddr, httpAddr} },
		})
	}()
	at := <-ready
	<-begun

	server, err := Dial(at[0], config.Auth{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	question := questions[0]
	post := func(path string, body map[string]any) (status int, reply string) {
		t.Helper()
		data, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post("http://"+at[1]+path, "application/json", strings.NewReader(string(data)))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	const waiting = "(0 of 5 documents)"
	for _, path := range []string{"/v1/ask", "/v1/retrieve"} {
		if status, reply := post(path, map[string]any{"question": question}); status != http.StatusServiceUnavailable || !strings.Contains(reply, `"UNAVAILABLE"`) ||
			!strings.Contains(reply, "not ready: ingesting") || !strings.Contains(reply, waiting) {
			t.Errorf("POST %s while ingesting: %d %s, want 503 UNAVAILABLE that says how far it is", path, status, reply)
		}
	}
	ask := kb.AskRequest{Question: kb.Question{Text: question}}
	if _, err := server.Pipeline.Ask(t.Context(), ask, nil); !errors.Is(err, kb.ErrUnavailable) || !strings.Contains(err.Error(), waiting) {
		t.Errorf("gRPC while ingesting: %v, want kb.ErrUnavailable that says how far it is", err)
	}
	if _, err := server.Knowledge.Document(t.Context(), "ferry.md", 0); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("document while ingesting: %v, want kb.ErrUnavailable: it may only not be read yet", err)
	}
	if _, err := server.Knowledge.Changes(t.Context(), 0, 10); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("change feed while ingesting: %v, want kb.ErrUnavailable at its end", err)
	}
	if resp, err := http.Get("http://" + at[1] + "/readyz"); err != nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("readyz while ingesting: %v, %v", resp, err)
	} else {
		_ = resp.Body.Close()
	}
	// Passages that come with the question need no documents.
	if status, reply := post("/v1/ask", map[string]any{"question": question, "passages": []any{map[string]any{"id": "p", "text": corpus["ferry.md"]}}}); status != http.StatusOK {
		t.Errorf("handed-over passages while ingesting: %d %s", status, reply)
	}

	close(goOn)
	select {
	case <-ready:
	case err := <-ended:
		t.Fatal(err)
	case <-time.After(3 * time.Minute):
		t.Fatal("not ready after 3 minutes")
	}
	if gaps, _, err := server.Knowledge.Gaps(t.Context(), kb.GapQuery{}); err != nil || len(gaps) > 0 {
		t.Errorf("gaps %v, %v after questions that could not be answered yet, want none", gaps, err)
	}
	if reply, err := server.Pipeline.Ask(t.Context(), ask, nil); err != nil || reply.Outcome != kb.Answered {
		t.Errorf("once ready: %s, %v, want ANSWERED", reply.Outcome, err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestWarmCallsNoModel: what a server does before it is ready asks no model, and every layer
// of the process answers it.
func TestWarmCallsNoModel(t *testing.T) {
	asked := make(chan struct{}, 16)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		http.Error(w, "busy", http.StatusServiceUnavailable)
	}))
	defer model.Close()
	var log bytes.Buffer
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, nil)), Sources: config.Sources{Flags: map[string]string{"llm.url": model.URL, "llm.model": "m"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	a.warm(t.Context())
	if len(asked) > 0 || strings.Contains(log.String(), "not warm") {
		t.Errorf("%d calls of the model, log %s; want none and every layer warm", len(asked), log.String())
	}
}

// TestWarmSearches: before it is ready, a server searches in both languages what its first
// clients will search, though nobody else may yet.
func TestWarmSearches(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]bool{}
	vectors := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		var out struct {
			Data []map[string]any `json:"data"`
		}
		for i, text := range in.Input {
			mu.Lock()
			asked[text] = true
			mu.Unlock()
			out.Data = append(out.Data, map[string]any{"index": i, "embedding": []float64{1, 0}})
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	defer vectors.Close()
	var log bytes.Buffer
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})), Sources: config.Sources{Flags: map[string]string{
		"embedding.provider": "openai", "embedding.url": vectors.URL, "embedding.model": "m", "embedding.dims": "2", "reader.mode": "off",
	}}})
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
	if _, err := k.Put(t.Context(), []kb.Document{{ID: "a", Text: "Marlow harbour has 14 berths."}}); err != nil {
		t.Fatal(err)
	}
	if err := a.EmbedAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.data.ready.wait("ingesting")
	a.warm(t.Context())
	mu.Lock()
	defer mu.Unlock()
	for _, q := range warmQuestions {
		if !asked[q] {
			t.Errorf("%q was not searched for; the endpoint was asked for %v, log %s", q, asked, log.String())
		}
	}
	if strings.Contains(log.String(), "not warm") {
		t.Errorf("log %s", log.String())
	}
}
