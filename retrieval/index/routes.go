package index

import (
	"context"
	"errors"
	"fmt"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/graph"
)

// Tuning sets the routes of one configuration.
type Tuning struct {
	BM25  bm25.Config
	Graph graph.Config
}

// DefaultTuning returns the shipped settings of the routes.
func DefaultTuning() Tuning { return Tuning{BM25: bm25.Default(), Graph: graph.Default()} }

// Validate returns all problems, joined.
func (t Tuning) Validate() error { return errors.Join(t.BM25.Validate(), t.Graph.Validate()) }

// Routes are the three embedded routes over this index. They are light: a new
// configuration takes new ones over the same index.
func (x *Index) Routes(t Tuning) (map[kb.Route]retrieval.Route, error) {
	if err := t.Validate(); err != nil {
		return nil, fmt.Errorf("routes: %w", err)
	}
	if t.Graph.Match == nil {
		t.Graph.Match = x.opt.Match
	}
	routes := map[kb.Route]retrieval.Route{kb.Dense: denseRoute{x}, kb.BM25: bm25Route{x, t.BM25}, kb.Graph: graphRoute{x, t.Graph}}
	if s := x.opt.Words; s != nil {
		routes[kb.BM25] = wordsRoute{x: x, cfg: t.BM25, server: s, follower: x.of(s)}
	}
	if s := x.opt.Vectors; s != nil {
		routes[kb.Dense] = vectorsRoute{x: x, server: s, follower: x.of(s)}
	}
	if s := x.opt.Facts; s != nil {
		routes[kb.Graph] = factsRoute{x: x, cfg: t.Graph, server: s, follower: x.of(s)}
	}
	return routes, nil
}

// Retriever fuses the routes of this index under a configuration.
func (x *Index) Retriever(cfg retrieval.Config, t Tuning) (*retrieval.Hybrid, error) {
	routes, err := x.Routes(t)
	if err != nil {
		return nil, err
	}
	return retrieval.New(cfg, routes, x)
}

var _ retrieval.Source = (*Index)(nil)

// Passages implements retrieval.Source.
func (x *Index) Passages(ctx context.Context, ids []string) ([]kb.Passage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, errClosed()
	}
	out := make([]kb.Passage, len(ids))
	for i, id := range ids {
		r, ok := x.cat.find(id)
		if !ok {
			continue
		}
		w := &x.cat.rows[r]
		text, err := x.file.bytes(w.textAt, int(w.textLen+w.leadLen))
		if err != nil {
			return nil, err
		}
		out[i] = x.cat.passage(r, string(text[:w.textLen]), string(text[w.textLen:]))
	}
	return out, nil
}

func errClosed() error { return fmt.Errorf("index: %w: closed", kb.ErrUnavailable) }

// hits gives row hits their ids and orders ties by id.
func (x *Index) hits(rows []int32, scores []float64) []retrieval.Hit {
	out := make([]retrieval.Hit, len(rows))
	for i, r := range rows {
		w := &x.cat.rows[r]
		out[i] = retrieval.Hit{ID: evidenceID(w.version, w.ordinal), Score: scores[i]}
	}
	return best(out, len(out))
}

type denseRoute struct{ x *Index }

func (d denseRoute) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	v := d.x.opt.Model.Embed(q.Text)
	d.x.mu.RLock()
	defer d.x.mu.RUnlock()
	if d.x.closed {
		return nil, errClosed()
	}
	found, err := d.x.matrix.Search(ctx, v, d.x.cat.admission(q.Filter), q.Limit)
	if err != nil {
		return nil, err
	}
	rows, scores := make([]int32, len(found)), make([]float64, len(found))
	for i, h := range found {
		rows[i], scores[i] = h.Chunk, h.Score
	}
	return d.x.hits(rows, scores), nil
}

func (d denseRoute) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v := d.x.opt.Model.Embed(q.Text)
	d.x.mu.RLock()
	defer d.x.mu.RUnlock()
	if d.x.closed {
		return nil, errClosed()
	}
	admit := d.x.cat.admission(q.Filter)
	out := make([]float64, len(ids))
	for i, id := range ids {
		if r, ok := d.x.cat.find(id); ok && (admit == nil || admit(r)) {
			out[i] = d.x.matrix.Score(v, r)
		}
	}
	return out, nil
}

type graphRoute struct {
	x   *Index
	cfg graph.Config
}

func (g graphRoute) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	g.x.mu.RLock()
	defer g.x.mu.RUnlock()
	if g.x.closed {
		return nil, errClosed()
	}
	found, err := g.x.facts.Search(ctx, g.cfg, q.Analysis, q.Text, g.x.cat.admission(q.Filter), q.Limit)
	if err != nil {
		return nil, err
	}
	rows, scores := make([]int32, len(found)), make([]float64, len(found))
	for i, h := range found {
		rows[i], scores[i] = h.Chunk, h.Score
	}
	return g.x.hits(rows, scores), nil
}

func (g graphRoute) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	g.x.mu.RLock()
	defer g.x.mu.RUnlock()
	if g.x.closed {
		return nil, errClosed()
	}
	rows := make([]int32, len(ids))
	for i, id := range ids {
		r, ok := g.x.cat.find(id)
		if !ok {
			r = -1
		}
		rows[i] = r
	}
	return g.x.facts.Scores(g.cfg, q.Analysis, q.Text, g.x.cat.admission(q.Filter), rows), nil
}

type bm25Route struct {
	x   *Index
	cfg bm25.Config
}

// prepare reads what scoring needs; a damaged index is repaired by the next Sync.
func (b bm25Route) prepare(ctx context.Context, q retrieval.Query) (bm25.Prepared, bm25.Needs, error) {
	b.x.mu.RLock()
	closed, need := b.x.closed, b.x.cat.needs(q.Filter)
	b.x.mu.RUnlock()
	if closed {
		return bm25.Prepared{}, need, errClosed()
	}
	p, err := b.x.lexical.Prepare(ctx, b.cfg, q)
	return p, need, b.note(err)
}

func (b bm25Route) note(err error) error {
	if errors.Is(err, retrieval.ErrCorrupt) {
		b.x.broken.Store(true)
	}
	return err
}

func (b bm25Route) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	p, need, err := b.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	hits, err := b.x.lexical.Search(ctx, p, q.Filter, need, q.Limit, b.x.counts(q.Filter))
	return hits, b.note(err)
}

// counts reads the term counts of chunks that a filter admits from the log.
func (x *Index) counts(f retrieval.Filter) bm25.Counts {
	return func(id string) (bm25.Packed, bool) {
		x.mu.RLock()
		defer x.mu.RUnlock()
		if x.closed {
			return nil, false
		}
		r, ok := x.cat.find(id)
		if !ok || !f.Admits(x.cat.rows[r].version.vis) {
			return nil, false
		}
		data, err := x.file.bytes(x.cat.rows[r].termsAt, int(x.cat.rows[r].termsLen))
		if err != nil || !bm25.Packed(data).Valid() {
			return nil, false
		}
		return data, true
	}
}

func (b bm25Route) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	p, _, err := b.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	return scores(p, ids, b.x.counts(q.Filter)), nil
}

func scores(p bm25.Prepared, ids []string, counts bm25.Counts) []float64 {
	out := make([]float64, len(ids))
	for i, id := range ids {
		if c, ok := counts(id); ok {
			out[i] = p.Score(c)
		}
	}
	return out
}
