package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/deadline"
)

// Hybrid asks several routes in parallel and fuses what they find. It holds no
// state of its own, so a new configuration is a new Hybrid over the same routes.
type Hybrid struct {
	cfg    Config
	routes map[kb.Route]Route
	source Source
}

// New returns a Hybrid over the routes; a route that is nil or missing is not
// asked and not reported.
func New(cfg Config, routes map[kb.Route]Route, source Source) (*Hybrid, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("retrieval config: %w", err)
	}
	h := &Hybrid{cfg: cfg, routes: map[kb.Route]Route{}, source: source}
	for _, r := range kb.Routes {
		if route := routes[r]; route != nil {
			h.routes[r] = route
		}
	}
	if len(h.routes) == 0 || source == nil {
		return nil, errors.New("retrieval: no route or no source of passages")
	}
	return h, nil
}

var _ Retriever = (*Hybrid)(nil)

// Retrieve implements Retriever.
func (h *Hybrid) Retrieve(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error) {
	q, topK, err := h.query(req)
	if err != nil {
		return kb.Retrieved{}, err
	}
	if !req.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, req.Deadline)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return kb.Retrieved{}, fmt.Errorf("retrieve: %w", err)
	}
	plan := h.plan(req)
	out := kb.Retrieved{Hits: map[kb.Route]int{}, RoutesOff: plan.off}

	found := h.search(ctx, plan.ask, q)
	var lists []list
	var causes []error
	for i, r := range plan.ask {
		if err := found[i].err; err != nil {
			causes = append(causes, fmt.Errorf("%s: %w", r, err))
			out.Degraded = append(out.Degraded, kb.Degraded{Part: string(r), Reason: reason(err)})
			continue
		}
		out.Hits[r] = len(found[i].hits)
		lists = append(lists, list{route: r, hits: found[i].hits})
	}
	if len(lists) == 0 {
		if err := ctx.Err(); err != nil {
			return kb.Retrieved{}, fmt.Errorf("retrieve: %w", err)
		}
		return kb.Retrieved{}, fmt.Errorf("retrieve: %w: no route answered: %w", kb.ErrUnavailable, errors.Join(causes...))
	}
	out.Weights = effective(plan.weights, lists)

	followed, err := h.follow(ctx, q, req.Follow)
	if err != nil {
		out.Degraded = append(out.Degraded, kb.Degraded{Part: "references", Reason: "not followed"})
	}
	fused, degraded := h.fuse(ctx, q, lists, out.Weights, followed)
	out.Degraded = append(out.Degraded, degraded...)
	out.Candidates, err = h.passages(ctx, fused, topK)
	if err == nil && len(followed) > 0 {
		out.Candidates, err = h.append(ctx, out.Candidates, fused, followed)
	}
	if err != nil {
		if ctx.Err() != nil {
			return kb.Retrieved{}, fmt.Errorf("retrieve: %w", ctx.Err())
		}
		return kb.Retrieved{}, fmt.Errorf("retrieve: %w: passages: %w", kb.ErrUnavailable, err)
	}
	return out, nil
}

// maxFollowed is how many chunks are fetched because others point to them.
const maxFollowed = 5

// follow returns the chunks that the given ones point to, if the source knows.
func (h *Hybrid) follow(ctx context.Context, q Query, ids []string) ([]string, error) {
	r, ok := h.source.(Referrer)
	if !ok || len(ids) == 0 {
		return nil, nil
	}
	out, err := r.Referred(ctx, q, ids, maxFollowed)
	if err != nil {
		return nil, fmt.Errorf("follow references: %w", err)
	}
	return out, nil
}

// append adds the followed chunks that are not among the candidates, with the scores
// that the routes give them. They stand last: other chunks found them, not the routes.
func (h *Hybrid) append(ctx context.Context, found []kb.Candidate, fused []scored, ids []string) ([]kb.Candidate, error) {
	passages, err := h.source.Passages(ctx, ids)
	if err != nil {
		return nil, err
	}
	at := make(map[string]*scored, len(fused))
	for i := range fused {
		at[fused[i].id] = &fused[i]
	}
	keep := distinct{}
	for _, c := range found {
		keep.add(c)
	}
	for _, p := range passages {
		if p.ID == "" {
			continue
		}
		c := kb.Candidate{Passage: p}
		if s := at[p.ID]; s != nil {
			c.Score, c.Routes = min(1, s.score), s.routes
		}
		keep.add(c)
	}
	for i := range keep.candidates {
		keep.candidates[i].Rank = i + 1
	}
	return keep.candidates, nil
}

// query checks the request and reads the routes' query out of it.
func (h *Hybrid) query(req kb.RetrieveRequest) (Query, int, error) {
	q := Query{Text: req.Query, Analysis: req.Analysis, Filter: FilterOf(req)}
	if strings.TrimSpace(q.Text) == "" {
		q.Text = req.Analysis.Question
	}
	if strings.TrimSpace(q.Text) == "" {
		return q, 0, kb.Invalid("question", "is empty; write the text to search for")
	}
	topK := req.TopK
	switch {
	case topK == 0:
		topK = DefaultTopK
	case topK < 0 || topK > kb.MaxTopK:
		return q, 0, kb.Invalid("top_k", "%d is not in 1..%d", topK, kb.MaxTopK)
	}
	q.Limit = max(h.cfg.Candidates, topK)
	if req.Weights != nil {
		if err := checkWeights("weights", *req.Weights); err != nil {
			return q, 0, err
		}
	}
	for i, r := range req.Only {
		if !slices.Contains(kb.Routes, r) {
			return q, 0, kb.Invalid(fmt.Sprintf("routes[%d]", i), "%q is not a route; write dense, bm25 or graph", r)
		}
	}
	return q, topK, nil
}

type plan struct {
	ask     []kb.Route // in contract order
	off     []kb.Route
	weights kb.Weights
}

// plan decides which routes are asked. A route of weight 0 is not asked, unless
// the request names it.
func (h *Hybrid) plan(req kb.RetrieveRequest) plan {
	w, ok := h.cfg.Weights[req.Analysis.Class]
	if !ok {
		w = DefaultWeights
	}
	if req.Weights != nil {
		w = *req.Weights
	}
	p := plan{weights: w}
	off := h.cfg.Off[req.Analysis.Class]
	for _, r := range kb.Routes {
		switch {
		case h.routes[r] == nil:
		case len(req.Only) > 0:
			if slices.Contains(req.Only, r) {
				p.ask = append(p.ask, r)
			}
		case slices.Contains(off, r):
			p.off = append(p.off, r)
		case weight(w, r) > 0:
			p.ask = append(p.ask, r)
		}
	}
	return p
}

type answer struct {
	hits []Hit
	err  error
}

// search asks the routes in parallel, each within its share of the deadline.
func (h *Hybrid) search(ctx context.Context, ask []kb.Route, q Query) []answer {
	ctx, cancel := context.WithTimeout(ctx, h.share(ctx))
	defer cancel()
	out := make([]answer, len(ask))
	var running sync.WaitGroup
	for i, r := range ask {
		running.Go(func() {
			out[i].hits, out[i].err = within(ctx, func() ([]Hit, error) { return h.routes[r].Search(ctx, q) })
		})
	}
	running.Wait()
	return out
}

func (h *Hybrid) share(ctx context.Context) time.Duration {
	limit := h.cfg.Timeout
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Duration(float64(time.Until(deadline))*h.cfg.Share))
	}
	return limit
}

// within calls a route and returns when it does or when the context ends: deadline.Await,
// whose deadline is ErrLate here.
func within[T any](ctx context.Context, call func() (T, error)) (T, error) {
	value, err := deadline.Await(ctx, call)
	if errors.Is(err, context.DeadlineExceeded) {
		err = ErrLate
	}
	return value, err
}

// reason is the text of a degraded part: short, without internals.
func reason(err error) string {
	switch {
	case errors.Is(err, ErrLate):
		return "late"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, ErrCorrupt):
		return "index files are damaged; rebuilding"
	}
	return "failed"
}

// effective spreads the weights of routes that are not there over the others.
func effective(w kb.Weights, lists []list) kb.Weights {
	sum := 0.0
	for _, l := range lists {
		sum += weight(w, l.route)
	}
	var out kb.Weights
	for _, l := range lists {
		v := 1 / float64(len(lists)) // none of them has a weight: all count the same
		if sum > 0 {
			v = weight(w, l.route) / sum
		}
		setWeight(&out, l.route, v)
	}
	return out
}

// list is what a route found.
type list struct {
	route kb.Route
	hits  []Hit
}

// scored is a chunk with its scores by route.
type scored struct {
	id     string
	score  float64
	routes map[kb.Route]kb.RouteScore
}

// fuse scores every chunk that any route found, and the others, by all routes, and orders them by
// the weighted sum (kb.Weights.Fuse), ties by id, with seats for the first of each route. A
// route that found a chunk but cannot score the others in time counts as 0 there and is named.
func (h *Hybrid) fuse(ctx context.Context, q Query, lists []list, w kb.Weights, others []string) ([]scored, []kb.Degraded) {
	var ids []string
	seen := map[string]bool{}
	for _, l := range lists {
		for _, hit := range l.hits {
			if !seen[hit.ID] {
				seen[hit.ID] = true
				ids = append(ids, hit.ID)
			}
		}
	}
	for _, id := range others {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	columns := make([][]float64, len(lists))
	failures := make([]error, len(lists))
	ctx, cancel := context.WithTimeout(ctx, h.share(ctx))
	defer cancel()
	var running sync.WaitGroup
	for i, l := range lists {
		running.Go(func() { columns[i], failures[i] = h.column(ctx, q, l, ids) })
	}
	running.Wait()
	var degraded []kb.Degraded
	out := make([]scored, len(ids))
	for i, id := range ids {
		out[i] = scored{id: id, routes: make(map[kb.Route]kb.RouteScore, len(lists))}
	}
	for i, l := range lists {
		if failures[i] != nil {
			degraded = append(degraded, kb.Degraded{Part: string(l.route), Reason: "did not score the chunks that only other routes found"})
		}
		order := make([]int, 0, len(ids))
		for j, s := range columns[i] {
			if s > 0 {
				order = append(order, j)
			}
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(columns[i][b], columns[i][a]), cmp.Compare(ids[a], ids[b]))
		})
		for rank, j := range order {
			out[j].routes[l.route] = kb.RouteScore{Score: columns[i][j], Rank: rank + 1}
		}
	}
	abroad := make([]bool, len(ids))
	if s, ok := h.source.(Linguist); ok {
		abroad = s.Abroad(q.Text, ids)
	}
	for i := range out {
		r := out[i].routes
		out[i].score = w.Fuse(r[kb.Dense].Score, r[kb.BM25].Score, r[kb.Graph].Score, abroad[i])
	}
	out = slices.DeleteFunc(out, func(s scored) bool { return s.score <= 0 })
	slices.SortFunc(out, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id))
	})
	kb.Seat(out, func(s scored) float64 { return s.score }, func(s scored) bool {
		return w.Seats(s.routes[kb.Dense].Rank, s.routes[kb.BM25].Rank, s.routes[kb.Graph].Rank)
	})
	return out, degraded
}

// column returns the scores of one route for all ids.
func (h *Hybrid) column(ctx context.Context, q Query, l list, ids []string) ([]float64, error) {
	known := make(map[string]float64, len(l.hits))
	for _, hit := range l.hits {
		known[hit.ID] = min(1, hit.Score)
	}
	out := make([]float64, len(ids))
	var missing []string
	var at []int
	for i, id := range ids {
		if s, ok := known[id]; ok {
			out[i] = s
			continue
		}
		missing = append(missing, id)
		at = append(at, i)
	}
	if len(missing) == 0 {
		return out, nil
	}
	scores, err := within(ctx, func() ([]float64, error) { return h.routes[l.route].Score(ctx, q, missing) })
	if err == nil && len(scores) != len(missing) {
		err = fmt.Errorf("%d scores for %d chunks", len(scores), len(missing))
	}
	if err != nil {
		return out, fmt.Errorf("score: %w", err)
	}
	for i, s := range scores {
		out[at[i]] = min(1, s)
	}
	return out, nil
}

// passages reads the passages of the best chunks until topK distinct ones are
// there.
func (h *Hybrid) passages(ctx context.Context, fused []scored, topK int) ([]kb.Candidate, error) {
	var keep distinct
	for len(fused) > 0 && len(keep.candidates) < topK {
		n := min(len(fused), 2*topK)
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fused[i].id
		}
		passages, err := h.source.Passages(ctx, ids)
		if err != nil {
			return nil, err
		}
		if len(passages) != n {
			return nil, fmt.Errorf("%d passages for %d ids", len(passages), n)
		}
		for i, p := range passages {
			if p.ID == "" {
				continue
			}
			keep.add(kb.Candidate{Passage: p, Score: min(1, fused[i].score), Routes: fused[i].routes})
		}
		fused = fused[n:]
	}
	out := keep.candidates[:min(topK, len(keep.candidates))]
	for i := range out {
		out[i].Rank = i + 1
	}
	return out, nil
}
