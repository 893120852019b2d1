package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/grpcapi"
	"suffice.dev/suffice/services/httpapi"
)

// pipeline answers precheck; the question decides what happens.
type pipeline struct{ services.Pipeline }

func (pipeline) Precheck(_ context.Context, q kb.Question) (kb.Analysis, kb.Versions, error) {
	switch q.Text {
	case "panic":
		panic("a secret")
	case "broken":
		return kb.Analysis{}, kb.Versions{}, errors.New("open /secret: denied")
	case "down":
		return kb.Analysis{}, kb.Versions{}, fmt.Errorf("store: %w", kb.ErrUnavailable)
	}
	return kb.Analysis{Question: q.Text, Class: kb.Region, Language: "zh"}, kb.Versions{Server: "1"}, nil
}

// knowledge holds one document and keeps what it was asked.
type knowledge struct {
	kb.Knowledge
	put      kb.Document
	deleted  string
	query    kb.GapQuery
	resolved string
	feedback kb.Feedback
}

func (k *knowledge) Put(_ context.Context, docs []kb.Document) (kb.IngestReport, error) {
	k.put = docs[0]
	return kb.IngestReport{Documents: 1, Versions: 1, Chunks: 2}, nil
}

func (k *knowledge) Document(_ context.Context, id string, version int) (kb.Document, error) {
	if id != "hr/leave.md" || version > 1 {
		return kb.Document{}, fmt.Errorf("document %q: %w", id, kb.ErrNotFound)
	}
	return kb.Document{ID: id, Version: 1, Text: "年假5天", Origin: "/home/x//hr/leave.md"}, nil
}

func (k *knowledge) Documents(_ context.Context, token string, size int) ([]kb.Document, string, error) {
	return []kb.Document{{ID: fmt.Sprintf("after %s, %d", token, size), Text: "long"}}, "more", nil
}

func (k *knowledge) Delete(_ context.Context, id string) error { k.deleted = id; return nil }

func (k *knowledge) Gaps(_ context.Context, q kb.GapQuery) ([]kb.Gap, string, error) {
	k.query = q
	return []kb.Gap{{ID: "g1", Kind: kb.GapStale, Count: 3, State: kb.GapOpen}}, "", nil
}

func (k *knowledge) Reviews(context.Context, string, int) ([]kb.Review, string, error) {
	return []kb.Review{{ID: "r1", Kind: "GATE", State: kb.GapOpen}}, "", nil
}

func (k *knowledge) ResolveReview(_ context.Context, id string, state kb.GapState, note string) error {
	k.resolved = id + " " + string(state) + " " + note
	return nil
}

func (k *knowledge) ResolveGap(_ context.Context, id string, d kb.GapDecision) error {
	if id != "g1" {
		return fmt.Errorf("gap %q: %w", id, kb.ErrNotFound)
	}
	k.resolved = id + " " + string(d.State) + " " + d.By + " " + d.Note
	return nil
}

func (k *knowledge) RecordFeedback(_ context.Context, f kb.Feedback) error {
	k.feedback = f
	return nil
}

func TestEndpoints(t *testing.T) {
	var log bytes.Buffer
	reg := prometheus.NewRegistry()
	store := &knowledge{}
	limits := services.DefaultLimits()
	limits.BodyBytes = 200
	var ready error
	server := httptest.NewServer(httpapi.New(httpapi.Config{
		Calls: grpcapi.NewContract(pipeline{}, nil), Knowledge: store, Registerer: reg, Gatherer: reg,
		Limits: func() services.Limits { return limits }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Readiness: services.ReadyFunc(func(string) error { return ready }),
	}))
	defer server.Close()

	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		method, path, kind, body string
		status                   int
		want                     string // in the body
	}{
		{"POST", "/v1/precheck", "application/json", `{"id":"a","question":"哪里"}`, 200, `{"id":"a","question_class":"REGION","probability":0,`},
		{"POST", "/v1/precheck", "application/json; charset=utf-8", `{"question":"哪里"}`, 200, `"versions":{"server":"1"`},
		{"POST", "/v1/precheck", "", `{"question":"哪里"}`, 200, `"REGION"`},
		{"POST", "/v1/precheck", form, `{"question":"哪里"}`, 415, `"field":"content-type"`},
		{"GET", "/v1/precheck", "", "", 405, `"field":"method"`},
		{"POST", "/v1/precheck", "", `{"id":"b","qestion":"哪里"}`, 400, `{"id":"b","error":{"code":"INVALID_ARGUMENT","field":"qestion","message":"is no field; did you mean \"question\"?"}}`},
		{"POST", "/v1/precheck", "", `nothing`, 400, `{"id":"","error":{"code":"INVALID_ARGUMENT","message":"the input is not JSON`},
		{"POST", "/v1/precheck", "", `{"question":"` + strings.Repeat("x", 300) + `"}`, 413, `"field":"body","message":"is longer than 200 bytes"`},
		{"POST", "/v1/precheck", "", `{"id":"c","question":"down"}`, 503, `{"id":"c","error":{"code":"UNAVAILABLE","message":"store: unavailable"}}`},
		{"POST", "/v1/precheck", "", `{"id":"d","question":"broken"}`, 500, `{"id":"d","error":{"code":"INTERNAL",`},
		{"POST", "/v1/precheck", "", `{"question":"panic"}`, 500, `"INTERNAL"`},
		{"POST", "/v1/nothing", "", `{}`, 404, `"NOT_FOUND"`},

		{"GET", "/v1/documents/hr/leave.md", "", "", 200, `{"document_id":"hr/leave.md","text":"年假5天","version":1}`},
		{"GET", "/v1/documents/hr%2Fleave.md?version=1", "", "", 200, `"version":1`},
		{"GET", "/v1/documents/hr/leave.md?version=2", "", "", 404, `"NOT_FOUND"`},
		{"GET", "/v1/documents/hr/leave.md?version=two", "", "", 400, `"field":"version"`},
		{"GET", "/v1/documents?page_token=x&page_size=5", "", "", 200, `{"documents":[{"document_id":"after x, 5"}],"next_page_token":"more"}`},
		{"GET", "/v1/documents?page_size=0", "", "", 400, `"field":"page_size"`},
		{"GET", "/v1/documents?pagetoken=x", "", "", 400, `"field":"pagetoken"`},
		{"PUT", "/v1/documents/a/b.md", "application/json", `{"text":"x","authority":3}`, 200, `{"documents":1,"versions":1,"chunks":2,"facts":0,"skipped":[],"seconds":0,"warnings":[]}`},
		{"PUT", "/v1/documents/a/b.md", "", `{"path":"/etc/passwd"}`, 400, `"field":"path"`},
		{"PUT", "/v1/documents/a/b.md", "", `{"document_id":"c","text":"x"}`, 400, `"field":"document_id"`},
		{"PUT", "/v1/documents/a/b.md", "", `{"text":"x","valid_to":"2023-02-31"}`, 400, `"field":"valid_to"`},
		{"PUT", "/v1/documents/a/b.md", "", `{"title":"x"}`, 400, `"field":"text"`},
		{"PUT", "/v1/documents/a/b.md", "", `{"text":"x","authority":11}`, 400, `"field":"authority"`},
		{"PUT", "/v1/documents/a/b.md", "", `{"text":"x","readers":[""]}`, 400, `"field":"readers[0]"`},
		{"PUT", "/v1/documents/a/b.md", "", `{"text":"x","reader":["hr"]}`, 400, `"field":"reader"`},
		{"DELETE", "/v1/documents/a/b.md", "", "", 200, `{}`},
		{"GET", "/v1/gaps?kind=STALE&since=2026-01-02", "", "", 200, `"gap_id":"g1","kind":"STALE"`},
		{"GET", "/v1/gaps?kind=OLD", "", "", 400, `one of MISSING, CONFLICT, STALE`},
		{"GET", "/v1/reviews", "", "", 200, `"review_id":"r1","kind":"GATE"`},
		{"POST", "/v1/gaps/g1", "", `{"state":"RESOLVED","by":"Mira Tolland","note":"ferry.md"}`, 200, `{}`},
		{"POST", "/v1/gaps/g1", "", `{"state":"RESOLVED"}`, 400, `"field":"by"`},
		{"POST", "/v1/gaps/g9", "", `{"state":"DISMISSED","by":"Mira Tolland"}`, 404, `NOT_FOUND`},
		{"POST", "/v1/reviews/r1", "", `{"state":"RESOLVED","note":"done"}`, 200, `{}`},
		{"POST", "/v1/reviews/r1", "", `{"note":"done"}`, 400, `"field":"state"`},
		{"POST", "/v1/feedback", "", `{"trace_id":"t","helpful":false,"comment":"no"}`, 200, `{}`},
		{"POST", "/v1/feedback", "", `{"trace_id":"t"}`, 400, `"field":"helpful"`},

		{"GET", "/healthz", "", "", 200, "ok"},
		{"GET", "/readyz", "", "", 200, "ready"},
		{"GET", "/metrics", "", "", 200, `suffice_http_requests_total{action="precheck",code="200"} 3`},
	}
	do := func(method, path, kind, body string) (int, string, http.Header) {
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if kind != "" {
			req.Header.Set("Content-Type", kind)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:errcheck // read to its end below
		data, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(data), resp.Header
	}
	for _, tt := range tests {
		status, body, header := do(tt.method, tt.path, tt.kind, tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s %s %s: %d %s\nwant %d with %s", tt.method, tt.path, tt.body, status, body, tt.status, tt.want)
		}
		if strings.Contains(body, "secret") || strings.Contains(body, "/home") {
			t.Errorf("%s %s shows what it must not: %s", tt.method, tt.path, body)
		}
		if strings.HasPrefix(tt.path, "/v1/") && header.Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s is %s", tt.path, header.Get("Content-Type"))
		}
		if status == 405 && header.Get("Allow") != "POST" {
			t.Errorf("Allow: %s", header.Get("Allow"))
		}
	}
	if store.put.ID != "a/b.md" || *store.put.Authority != 3 || store.deleted != "a/b.md" || store.query.Kind != kb.GapStale ||
		kb.FormatDay(store.query.Since) != "2026-01-02" || store.resolved != "r1 RESOLVED done" || !cmp.Equal(store.feedback, kb.Feedback{TraceID: "t", Comment: "no"}) {
		t.Errorf("the store was asked otherwise: %+v", store)
	}
	if !strings.Contains(log.String(), "open /secret: denied") || !strings.Contains(log.String(), "a secret") {
		t.Error("the log does not say what was hidden")
	}
	if !strings.Contains(log.String(), `level=WARN msg=unavailable action=precheck error="store: unavailable"`) {
		t.Errorf("the log does not say what is down: %s", log.String())
	}

	ready = errors.New("the index is being built")
	if status, body, _ := do("GET", "/readyz", "", ""); status != 503 || !strings.Contains(body, "the index is being built") {
		t.Errorf("readyz: %d %s", status, body)
	}
	if status, _, _ := do("GET", "/healthz", "", ""); status != 200 {
		t.Errorf("healthz: %d", status)
	}
}

// timed is a writer that notes whether deadlines of writing are set (true) or lifted.
type timed struct {
	*httptest.ResponseRecorder
	deadlines []bool
}

func (w *timed) SetWriteDeadline(d time.Time) error {
	w.deadlines = append(w.deadlines, !d.IsZero())
	return nil
}

// telling is a pipeline that tells when it is asked.
type telling struct {
	pipeline
	tell func()
}

func (p telling) Precheck(ctx context.Context, q kb.Question) (kb.Analysis, kb.Versions, error) {
	p.tell()
	return p.pipeline.Precheck(ctx, q)
}

// TestWriteDeadline holds that the client's time begins with the reply, not with the
// request, and does not reach into the next request of the connection.
func TestWriteDeadline(t *testing.T) {
	w := &timed{ResponseRecorder: httptest.NewRecorder()}
	calls := grpcapi.NewContract(telling{tell: func() {
		if len(w.deadlines) > 0 {
			t.Error("the time of the reply begins before there is one")
		}
	}}, nil)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/precheck", strings.NewReader(`{"question":"哪里"}`))
	httpapi.New(httpapi.Config{Calls: calls}).ServeHTTP(w, r)
	if w.Code != http.StatusOK || !slices.Equal(w.deadlines, []bool{true, false}) {
		t.Errorf("status %d, deadlines %v; want 200 and one that is set and lifted", w.Code, w.deadlines)
	}
}
