package app

import (
	"log/slog"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/dense/e5"
	"suffice.dev/suffice/services/config"
)

// TestOrigin: a model that served before is made again from what the index kept, which
// holds no key.
func TestOrigin(t *testing.T) {
	t.Setenv("SUFFICE_TEST_KEY", "secret")
	e := config.Embedding{
		Provider: config.OpenAIEmbedding, URL: "http://127.0.0.1:1/v1", Model: "bge-m3", Dims: 1024, KeyEnv: "SUFFICE_TEST_KEY",
		Timeout: time.Second, Batch: 8, QueryPrefix: "问：",
	}
	want, err := (&data{}).newEndpoint(e)
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&data{}).earlierEndpoint(origin(e))
	if err != nil || got.Name() != want.Name() || got.Dims() != want.Dims() {
		t.Errorf("%v, %v, want %s", got, err, want.Name())
	}
	for _, url := range []string{"http://user:secret@127.0.0.1/v1", "http://127.0.0.1/v1?key=secret"} {
		e.URL = url
		if o := origin(e); o != "" {
			t.Errorf("%s is kept as %s", url, o)
		}
	}
	for _, o := range []string{"", "{}", `{"Provider":"static"}`} {
		if _, err := (&data{}).earlierEndpoint(o); err == nil {
			t.Errorf("%q made an endpoint", o)
		}
	}
}

// TestE5TakesOver: the static embedding serves while the built-in e5 embeds; what it has
// done outlives the process, and a collection changes over when all its passages are done.
func TestE5TakesOver(t *testing.T) {
	if e5.Slow() {
		t.Skip("a passage takes ten seconds on this processor")
	}
	dir := t.TempDir()
	docs := []kb.Document{
		{ID: "leave", Text: "Employees may carry over at most five days of annual leave into the next year."},
		{ID: "canteen", Text: "The canteen is closed on public holidays."},
		{ID: "crane", Text: "The crane of Tern Island lifts seven tonnes.", Collection: "port"},
	}
	open := func() *App {
		a, err := Open(t.Context(), Options{Data: dir, Sources: config.Sources{Flags: map[string]string{"embedding.provider": config.E5Embedding}}, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open()
	_, release := a.holder.Acquire() // a request is open: passages wait
	k, err := a.Knowledge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Put(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	first := func(collection, question string) string {
		t.Helper()
		_, got, _, err := a.Pipeline().Retrieve(t.Context(), kb.AskRequest{
			Question: kb.Question{Text: question}, Collection: collection, Only: []kb.Route{kb.Dense},
		})
		if err != nil || len(got.Candidates) == 0 || len(got.Degraded) > 0 {
			t.Fatalf("%s: %+v, %v", question, got, err)
		}
		return got.Candidates[0].DocumentID
	}
	static, err := a.Status(t.Context())
	if err != nil || static.Serving == static.Model || static.Embedded == 3 {
		t.Fatalf("at once: %+v, %v", static, err)
	}
	if got := first("", "annual leave next year"); got != "leave" {
		t.Errorf("the static embedding finds %s", got)
	}
	release()
	until(t, func() bool {
		st, err := a.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return st.Serving == st.Model && st.Embedded == 3
	})
	if got := first("", "没休完的年假能留到明年吗"); got != "leave" {
		t.Errorf("asked in the other language, e5 finds %s", got)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}

	a = open()
	defer func() { _ = a.Close() }()
	_, release = a.holder.Acquire()
	defer release()
	st, err := a.Status(t.Context())
	if err != nil || st.Serving != st.Model || st.Embedded != 3 || len(st.Collections) != 2 {
		t.Errorf("opened again: %+v, %v", st, err)
	}
	if got := first("port", "起重机能吊多重"); got != "crane" {
		t.Errorf("opened again, e5 finds %s", got)
	}
}
