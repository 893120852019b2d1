package retrieval_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
)

// scripted is a route with fixed scores that may fail, hang or panic.
type scripted struct {
	scores map[string]float64
	err    error
	hang   time.Duration // deaf: it does not look at the context
	panics bool
	short  bool // Score returns too few
}

func (s scripted) wait() error {
	if s.panics {
		panic("broken route")
	}
	time.Sleep(s.hang)
	return s.err
}

func (s scripted) Search(_ context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	if err := s.wait(); err != nil {
		return nil, err
	}
	var out []retrieval.Hit
	for id, score := range s.scores {
		if score > 0 && !strings.HasPrefix(id, "late-") {
			out = append(out, retrieval.Hit{ID: id, Score: score})
		}
	}
	slices.SortFunc(out, func(a, b retrieval.Hit) int {
		if a.Score != b.Score {
			return int(1e9*b.Score) - int(1e9*a.Score)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out[:min(len(out), q.Limit)], nil
}

func (s scripted) Score(_ context.Context, _ retrieval.Query, ids []string) ([]float64, error) {
	if err := s.wait(); err != nil {
		return nil, err
	}
	out := make([]float64, len(ids))
	for i, id := range ids {
		out[i] = s.scores[strings.TrimPrefix(id, "late-")]
	}
	if s.short {
		return out[:0], nil
	}
	return out, nil
}

// texts is a source in which the id is the text, unless it is given.
type texts struct {
	text map[string]kb.Passage
	gone string
	err  error
}

func (s texts) Passages(_ context.Context, ids []string) ([]kb.Passage, error) {
	out := make([]kb.Passage, len(ids))
	for i, id := range ids {
		if id == s.gone {
			continue
		}
		p, ok := s.text[id]
		if !ok {
			p.Text = "text of " + id
		}
		p.ID = id
		out[i] = p
	}
	return out, s.err
}

func build(t testing.TB, routes map[kb.Route]retrieval.Route, source retrieval.Source) *retrieval.Hybrid {
	t.Helper()
	cfg := retrieval.Default()
	cfg.Weights[kb.Cause] = kb.Weights{Dense: 2, BM25: 1, Graph: 1}
	cfg.Weights[kb.Effect] = kb.Weights{Dense: 1, BM25: 1, Graph: 2}
	cfg.Off = map[kb.Class][]kb.Route{kb.Effect: {kb.Graph}}
	h, err := retrieval.New(cfg, routes, source)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func request(class kb.Class) kb.RetrieveRequest {
	return kb.RetrieveRequest{Analysis: kb.Analysis{Question: "why", Class: class, AsOf: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}}
}

func ids(got kb.Retrieved) []string {
	out := []string{}
	for _, c := range got.Candidates {
		out = append(out, c.ID)
	}
	return out
}

func three(dense, bm25, graph retrieval.Route) map[kb.Route]retrieval.Route {
	return map[kb.Route]retrieval.Route{kb.Dense: dense, kb.BM25: bm25, kb.Graph: graph}
}

func TestFusion(t *testing.T) {
	d := scripted{scores: map[string]float64{"a": 0.8, "b": 0.4, "c": 0.2}}
	b := scripted{scores: map[string]float64{"b": 1, "late-a": 0, "a": 0.2}}
	g := scripted{scores: map[string]float64{"d": 0.5}}
	got, err := build(t, three(d, b, g), texts{}).Retrieve(t.Context(), request(kb.Cause))
	if err != nil {
		t.Fatal(err)
	}
	want := []kb.Candidate{
		{Passage: kb.Passage{ID: "a", Text: "text of a"}, Score: 0.45, Rank: 1, Routes: map[kb.Route]kb.RouteScore{kb.Dense: {Score: 0.8, Rank: 1}, kb.BM25: {Score: 0.2, Rank: 2}}},
		{Passage: kb.Passage{ID: "b", Text: "text of b"}, Score: 0.45, Rank: 2, Routes: map[kb.Route]kb.RouteScore{kb.Dense: {Score: 0.4, Rank: 2}, kb.BM25: {Score: 1, Rank: 1}}},
		{Passage: kb.Passage{ID: "d", Text: "text of d"}, Score: 0.125, Rank: 3, Routes: map[kb.Route]kb.RouteScore{kb.Graph: {Score: 0.5, Rank: 1}}},
		{Passage: kb.Passage{ID: "c", Text: "text of c"}, Score: 0.1, Rank: 4, Routes: map[kb.Route]kb.RouteScore{kb.Dense: {Score: 0.2, Rank: 3}}},
	}
	if diff := cmp.Diff(want, got.Candidates); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(kb.Weights{Dense: 0.5, BM25: 0.25, Graph: 0.25}, got.Weights); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
}

func TestRoutesLeftOut(t *testing.T) {
	ok := scripted{scores: map[string]float64{"a": 0.5}}
	for _, c := range []struct {
		name     string
		routes   map[kb.Route]retrieval.Route
		class    kb.Class
		weights  kb.Weights
		degraded []kb.Degraded
		off      []kb.Route
	}{
		{"all there", three(ok, ok, ok), kb.Cause, kb.Weights{Dense: 0.5, BM25: 0.25, Graph: 0.25}, nil, nil},
		{"one fails", three(ok, scripted{err: errors.New("boom")}, ok), kb.Cause, kb.Weights{Dense: 2.0 / 3, Graph: 1.0 / 3}, []kb.Degraded{{Part: "bm25", Reason: "failed"}}, nil},
		{"one panics", three(scripted{panics: true}, ok, ok), kb.Cause, kb.Weights{BM25: 0.5, Graph: 0.5}, []kb.Degraded{{Part: "dense", Reason: "failed"}}, nil},
		{"one is damaged", three(ok, scripted{err: fmt.Errorf("x: %w", retrieval.ErrCorrupt)}, ok), kb.Cause, kb.Weights{Dense: 2.0 / 3, Graph: 1.0 / 3},
			[]kb.Degraded{{Part: "bm25", Reason: "index files are damaged; rebuilding"}}, nil},
		{"one is late", three(ok, ok, scripted{hang: time.Minute}), kb.Cause, kb.Weights{Dense: 2.0 / 3, BM25: 1.0 / 3}, []kb.Degraded{{Part: "graph", Reason: "late"}}, nil},
		{"off for the class", three(ok, ok, ok), kb.Effect, kb.Weights{Dense: 0.5, BM25: 0.5}, nil, []kb.Route{kb.Graph}},
		{"only one exists", map[kb.Route]retrieval.Route{kb.BM25: ok}, kb.Cause, kb.Weights{BM25: 1}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				req := request(c.class)
				req.Deadline = start.Add(time.Second)
				got, err := build(t, c.routes, texts{}).Retrieve(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took >= time.Second {
					t.Errorf("took %v, past the deadline", took)
				}
				if diff := cmp.Diff(c.weights, got.Weights); diff != "" {
					t.Errorf("weights (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.degraded, got.Degraded); diff != "" {
					t.Errorf("degraded (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(c.off, got.RoutesOff); diff != "" {
					t.Errorf("off (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]string{"a"}, ids(got)); diff != "" {
					t.Errorf("candidates (-want +got):\n%s", diff)
				}
				time.Sleep(2 * time.Minute) // let the deaf route end
			})
		})
	}
}

func TestNoRouteLeft(t *testing.T) {
	bad := scripted{err: errors.New("boom")}
	if _, err := build(t, three(bad, bad, scripted{panics: true}), texts{}).Retrieve(t.Context(), request(kb.Cause)); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
	ok := scripted{scores: map[string]float64{"a": 1}}
	if _, err := build(t, three(ok, ok, ok), texts{err: errors.New("disk")}).Retrieve(t.Context(), request(kb.Cause)); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("no passages: error %v, want ErrUnavailable", err)
	}
	synctest.Test(t, func(t *testing.T) {
		slow := scripted{hang: time.Minute}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := build(t, three(slow, slow, slow), texts{}).Retrieve(ctx, request(kb.Cause)); !errors.Is(err, context.Canceled) {
			t.Errorf("canceled while searching: %v", err)
		}
		req := request(kb.Cause)
		req.Deadline = time.Now().Add(time.Second)
		if _, err := build(t, three(slow, slow, slow), texts{}).Retrieve(t.Context(), req); !errors.Is(err, kb.ErrUnavailable) {
			t.Errorf("all late: %v, want ErrUnavailable", err)
		}
		time.Sleep(2 * time.Minute) // let the deaf routes end
	})
}

func TestScoreFailureIsNamed(t *testing.T) {
	d := scripted{scores: map[string]float64{"a": 0.5}}
	b := scripted{scores: map[string]float64{"b": 0.5}, short: true}
	got, err := build(t, map[kb.Route]retrieval.Route{kb.Dense: d, kb.BM25: b}, texts{}).Retrieve(t.Context(), request(kb.Cause))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Degraded) != 1 || got.Degraded[0].Part != "bm25" {
		t.Errorf("degraded %v, want bm25", got.Degraded)
	}
	synctest.Test(t, func(t *testing.T) {
		req := request(kb.Cause)
		req.Deadline = time.Now().Add(time.Second)
		start := time.Now()
		got, err := build(t, map[kb.Route]retrieval.Route{kb.Dense: d, kb.BM25: deafScorer{b}}, texts{}).Retrieve(t.Context(), req)
		if err != nil || len(got.Degraded) != 1 || time.Since(start) >= time.Second {
			t.Errorf("%v after %v, %v; want bm25 degraded before the deadline", got.Degraded, time.Since(start), err)
		}
		time.Sleep(2 * time.Minute)
	})
}

// deafScorer searches at once and hangs when it is to score.
type deafScorer struct{ scripted }

func (d deafScorer) Score(context.Context, retrieval.Query, []string) ([]float64, error) {
	time.Sleep(time.Minute)
	return nil, errors.New("too late to matter")
}

func TestDistinct(t *testing.T) {
	long := strings.Repeat("The guard tests the extinguishers of every floor. ", 4)
	passages := map[string]kb.Passage{
		"a": {Text: long, DocumentID: "x", Version: 1},
		"b": {Text: strings.ToUpper(long) + "\n", DocumentID: "y", Version: 1},
		"c": {Text: "Fee: 30", DocumentID: "z", HeadingPath: []string{"Plan A"}, Start: 0, End: 7},
		"d": {Text: "Fee: 30", DocumentID: "z", HeadingPath: []string{"Plan B"}, Start: 20, End: 27},
		"e": {Text: "年假十天病假", DocumentID: "w", Version: 2, Start: 10, End: 16},
		"f": {Text: "病假五天。", DocumentID: "w", Version: 2, Start: 14, End: 19},
		"g": {Text: "病假五天。", DocumentID: "w", Version: 1, Start: 14, End: 19, HeadingPath: []string{"old"}},
		"h": {Text: long, DocumentID: "x", Version: 3},
	}
	scores := map[string]float64{"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.5, "f": 0.4, "g": 0.3, "h": 0.2, "i": 0.1}
	h := build(t, map[kb.Route]retrieval.Route{kb.BM25: scripted{scores: scores}}, texts{text: passages, gone: "i"})
	got, err := h.Retrieve(t.Context(), request(kb.Cause))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"h", "c", "d", "e", "g"}, ids(got)); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	joined := got.Candidates[3]
	if joined.Text != "年假十天病假五天。" || joined.Start != 10 || joined.End != 19 {
		t.Errorf("overlapping chunks became %q %d..%d", joined.Text, joined.Start, joined.End)
	}
}

// The order in which routes list equal hits must not show.
func TestFusionUnderPermutation(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	var first kb.Retrieved
	for round := range 20 {
		d, b := map[string]float64{}, map[string]float64{}
		for _, i := range rng.Perm(60) {
			d[fmt.Sprint("p", i)] = float64(i%5) / 5
			b[fmt.Sprint("p", i)] = float64(i%3) / 3
		}
		got, err := build(t, map[kb.Route]retrieval.Route{kb.Dense: scripted{scores: d}, kb.BM25: scripted{scores: b}}, texts{}).Retrieve(t.Context(), request(kb.Cause))
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			first = got
			continue
		}
		if diff := cmp.Diff(first, got); diff != "" {
			t.Fatalf("round %d (-first +now):\n%s", round, diff)
		}
	}
}

// TestSeats: what one route has among its first two stands among the first five, whatever
// the sum says; their order is that of the sum. A route of little weight, and what is far
// below the best, has no seat.
func TestSeats(t *testing.T) {
	both := map[string]float64{"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6, "e": 0.5, "f": 0.4}
	low, byWords, lowByWords := map[string]float64{}, map[string]float64{"x": 1, "y": 0.95}, map[string]float64{"x": 1, "y": 0.95}
	for id, s := range both {
		low[id], byWords[id], lowByWords[id] = s/3, s, s/3
	}
	routes := func(dense, bm25, graph map[string]float64) map[kb.Route]retrieval.Route {
		return map[kb.Route]retrieval.Route{kb.Dense: scripted{scores: dense}, kb.BM25: scripted{scores: bm25}, kb.Graph: scripted{scores: graph}}
	}
	for _, tt := range []struct {
		name    string
		weights kb.Weights
		routes  map[kb.Route]retrieval.Route
		want    string
	}{
		{"a route's first two", kb.Weights{Dense: 0.45, BM25: 0.55}, routes(both, byWords, nil), "a b c x y d e f"},
		{"far below the best", kb.Weights{Dense: 0.7, BM25: 0.3}, routes(both, byWords, nil), "a b c d e f x y"},
		{"of little weight", kb.Weights{Dense: 0.85, BM25: 0.15}, routes(low, lowByWords, nil), "a b c d e x y f"},
		{"three routes", kb.Weights{Dense: 0.4, BM25: 0.35, Graph: 0.25}, routes(both, byWords, map[string]float64{"g": 1}), "a b c d x e y f g"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			req := request(kb.Cause)
			req.Weights = &tt.weights
			got, err := build(t, tt.routes, texts{}).Retrieve(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(tt.want), ids(got)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestConfigValidate(t *testing.T) {
	if err := retrieval.Default().Validate(); err != nil {
		t.Errorf("the default is not valid: %v", err)
	}
	bad := retrieval.Default()
	bad.Weights[kb.Cause] = kb.Weights{}
	bad.Weights["WHY"] = kb.Weights{BM25: 1}
	bad.Weights[kb.Numeric] = kb.Weights{BM25: -1, Dense: 2}
	bad.Off = map[kb.Class][]kb.Route{kb.Cause: {"sparse"}}
	bad.Candidates, bad.Share, bad.Timeout = 0, 2, 0
	err := bad.Validate()
	if !errors.Is(err, kb.ErrInvalid) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{"weights.CAUSE", "weights.WHY", "weights.NUMERIC.bm25", "routes.CAUSE.off[0]", "limits.candidates", "retrieval.share", "retrieval.timeout"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no problem named for %s in:\n%v", want, err)
		}
	}
	if _, err := retrieval.New(bad, nil, texts{}); err == nil {
		t.Error("New takes a bad configuration")
	}
	if _, err := retrieval.New(retrieval.Default(), nil, texts{}); err == nil {
		t.Error("New takes no routes")
	}
}

// What words and facts of a passage in another language have in common with the question
// counts for more, and no score leaves 0..1.
func TestAbroad(t *testing.T) {
	w := retrieval.DefaultWeights
	for _, tt := range []struct {
		name               string
		w                  kb.Weights
		dense, bm25, graph float64
		more               int // than at home: 1 = more, -1 = less, 0 = the same
	}{
		{"vectors alone count as at home", kb.Weights{Dense: 1}, 0.6, 0.3, 0.3, 0},
		{"near in vectors, no words", w, 0.8, 0, 0, -1},
		{"some words", w, 0.4, 0.2, 0, 1},
		{"a fact", w, 0.4, 0, 0.2, 1},
		{"all", w, 1, 1, 1, -1},
		{"words alone count as at home", kb.Weights{BM25: 1}, 0.6, 0.9, 0, 0},
		{"words cannot count for more than all of them", kb.Weights{Dense: 1, BM25: 1}, 0, 1, 0, 0},
	} {
		order := func(a, b float64) int {
			switch {
			case math.Abs(a-b) < 1e-9:
				return 0
			case a > b:
				return 1
			}
			return -1
		}
		home, abroad := tt.w.Fuse(tt.dense, tt.bm25, tt.graph, false), tt.w.Fuse(tt.dense, tt.bm25, tt.graph, true)
		if got := order(abroad, home); got != tt.more {
			t.Errorf("%s: %v abroad, %v at home", tt.name, abroad, home)
		}
		if abroad < 0 || abroad > 1 {
			t.Errorf("%s: %v", tt.name, abroad)
		}
	}
}
