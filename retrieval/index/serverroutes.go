package index

import (
	"context"
	"errors"
	"slices"
	"sync"

	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
)

// The routes over servers. The server filters and proposes, and its proposals are
// scored from the log: as in the embedded routes, and with the filter once more, so
// that a server that is a moment behind shows nobody what is not for them.

type wordsRoute struct {
	x        *Index
	cfg      bm25.Config
	server   WordServer
	follower *follower
}

// needs reads which parts of a filter matter, and what scoring needs of the whole.
func (x *Index) needs(f retrieval.Filter) (need bm25.Needs, chunks, terms uint64, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return need, 0, 0, errClosed()
	}
	return x.cat.needs(f), uint64(x.cat.live), x.cat.terms, nil
}

func (w wordsRoute) prepare(ctx context.Context, q retrieval.Query) (bm25.Prepared, bm25.Needs, error) {
	p := bm25.Read(w.cfg, q)
	need, chunks, terms, err := w.x.needs(q.Filter)
	if err != nil {
		return p, need, err
	}
	if err := w.follower.usable(); err != nil {
		return p, need, err
	}
	asked := make([]string, len(p.Terms()))
	for i, t := range p.Terms() {
		asked[i] = t.Text
	}
	frequencies, err := w.server.Frequencies(ctx, asked)
	if err != nil {
		return p, need, w.follower.note(ctx, err)
	}
	p.Weigh(chunks, terms, frequencies)
	return p, need, nil
}

func (w wordsRoute) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	p, need, err := w.prepare(ctx, q)
	if err != nil || len(p.Terms()) == 0 {
		return nil, err
	}
	ids, err := w.server.ByWords(ctx, p.Terms(), q.Filter, need, p.Pool(q.Limit))
	if err != nil {
		return nil, w.follower.note(ctx, err)
	}
	return p.Best(ids, q.Limit, w.x.counts(q.Filter)), nil
}

func (w wordsRoute) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	p, _, err := w.prepare(ctx, q)
	if err != nil {
		return nil, err
	}
	return scores(p, ids, w.x.counts(q.Filter)), nil
}

// proposedVectors is how many chunks are asked for beyond those wanted: the server's
// search is approximate, and finds more of the best the more it is asked for.
const proposedVectors = 2

// propose asks the server for chunks whose vectors in the matrix are near a question's.
func (d denseRoute) propose(ctx context.Context, m *dense.Matrix, query []float32, in dense.Language, q retrieval.Query) ([]string, error) {
	if err := d.follower.usable(); err != nil {
		return nil, err
	}
	need, _, _, err := d.x.needs(q.Filter)
	if err != nil {
		return nil, err
	}
	sought, err := m.Sought(query, in)
	if err != nil {
		return nil, err
	}
	found, errs := make([][]string, len(sought)), make([]error, len(sought))
	var asking sync.WaitGroup
	for i, s := range sought {
		asking.Go(func() { found[i], errs[i] = d.server.Nearest(ctx, s, q.Filter, need, proposedVectors*q.Limit) })
	}
	asking.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, d.follower.note(ctx, err)
	}
	return slices.Concat(found...), nil
}

// among scores the chunks that a server has proposed, and those that it has not been told
// of yet. The caller holds the index's lock.
func (d denseRoute) among(ctx context.Context, m *dense.Matrix, query []float32, in dense.Language, ids []string, admit func(int32) bool, limit int) ([]dense.Hit, error) {
	var found []dense.Hit
	if held := d.follower.held.Load(); held < d.x.seq {
		var err error
		found, err = m.SearchIn(ctx, query, in, func(r int32) bool {
			v := d.x.cat.version(r)
			return v != nil && v.touched > held && (admit == nil || admit(r))
		}, limit)
		if err != nil {
			return nil, err
		}
	}
	seen := make(map[int32]bool, len(found)+len(ids))
	for _, h := range found {
		seen[h.Chunk] = true
	}
	var rows []int32
	for _, id := range ids {
		if r, ok := d.x.cat.find(id); ok && !seen[r] && (admit == nil || admit(r)) {
			seen[r] = true
			rows = append(rows, r)
		}
	}
	for i, s := range m.ScoreIn(query, in, rows) {
		if s > 0 {
			found = append(found, dense.Hit{Chunk: rows[i], Score: s})
		}
	}
	return found, nil
}

type factsRoute struct {
	x        *Index
	cfg      graph.Config
	server   FactServer
	follower *follower
}

func (g factsRoute) sources(f retrieval.Filter) (graph.Sources, error) {
	g.x.mu.RLock()
	defer g.x.mu.RUnlock()
	if g.x.closed {
		return graph.Sources{}, errClosed()
	}
	return graph.Sources{Server: g.server, Facts: g.x.cat.facts, Edges: func(id string) []graph.Edge {
		g.x.mu.RLock()
		defer g.x.mu.RUnlock()
		if g.x.closed {
			return nil
		}
		r, ok := g.x.cat.find(id)
		if !ok || !f.Admits(*g.x.cat.version(r).vis) {
			return nil
		}
		edges, err := g.x.edgesOf(r)
		if err != nil {
			return nil // damaged: the next open builds the log again
		}
		return edges
	}}, nil
}

func (g factsRoute) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	src, err := g.sources(q.Filter)
	if err != nil {
		return nil, err
	}
	if err := g.follower.usable(); err != nil {
		return nil, err
	}
	hits, err := graph.SearchElsewhere(ctx, src, g.cfg, q.Analysis, q.Text, q.Filter, q.Limit)
	if err != nil {
		return nil, g.follower.note(ctx, err)
	}
	return retrieval.Best(hits, q.Limit), nil
}

func (g factsRoute) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	src, err := g.sources(q.Filter)
	if err != nil {
		return nil, err
	}
	if err := g.follower.usable(); err != nil {
		return nil, err
	}
	out, err := graph.ScoreElsewhere(ctx, src, g.cfg, q.Analysis, q.Text, ids)
	return out, g.follower.note(ctx, err)
}
