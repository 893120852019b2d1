package index

import (
	"context"

	"suffice.dev/suffice/model/embed"
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

type vectorsRoute struct {
	x        *Index
	server   VectorServer
	follower *follower
}

// proposedVectors is how many chunks are asked for beyond those wanted: the server's
// search is approximate, and finds more of the best the more it is asked for.
const proposedVectors = 2

func (v vectorsRoute) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	need, _, _, err := v.x.needs(q.Filter)
	if err != nil {
		return nil, err
	}
	if err := v.follower.usable(); err != nil {
		return nil, err
	}
	question := v.x.opt.Model.Embed(q.Text)
	small := embed.Quantize(question)
	if small.Scale == 0 {
		return nil, nil
	}
	ids, err := v.server.Nearest(ctx, small, q.Filter, need, proposedVectors*q.Limit)
	if err != nil {
		return nil, v.follower.note(ctx, err)
	}
	found, err := v.scores(question, q.Filter, ids)
	if err != nil {
		return nil, err
	}
	hits := make([]retrieval.Hit, 0, len(ids))
	for i, id := range ids {
		if found[i] > 0 {
			hits = append(hits, retrieval.Hit{ID: id, Score: found[i]})
		}
	}
	return retrieval.Best(hits, q.Limit), nil
}

func (v vectorsRoute) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return v.scores(v.x.opt.Model.Embed(q.Text), q.Filter, ids)
}

// scores are the exact scores of chunks, from the vectors in the log.
func (v vectorsRoute) scores(question []float32, f retrieval.Filter, ids []string) ([]float64, error) {
	v.x.mu.RLock()
	defer v.x.mu.RUnlock()
	if v.x.closed {
		return nil, errClosed()
	}
	out := make([]float64, len(ids))
	for i, id := range ids {
		r, ok := v.x.cat.find(id)
		if !ok || !f.Admits(v.x.cat.rows[r].version.vis) {
			continue
		}
		stored, err := v.x.windows(r)
		if err != nil {
			return nil, err
		}
		windows := make([]dense.Vector, len(stored))
		for k, w := range stored {
			windows[k] = dense.Vector{Scale: w.Scale, Values: w.Values}
		}
		out[i] = v.x.opt.Dense.Best(question, windows)
	}
	return out, nil
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
		if !ok || !f.Admits(g.x.cat.rows[r].version.vis) {
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
