package index

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/text"
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
	routes := map[kb.Route]retrieval.Route{kb.Dense: denseRoute{x: x}, kb.BM25: bm25Route{x, t.BM25}, kb.Graph: graphRoute{x, t.Graph}}
	if s := x.opt.Words; s != nil {
		routes[kb.BM25] = wordsRoute{x: x, cfg: t.BM25, server: s, follower: x.of(s)}
	}
	if s := x.opt.Vectors; s != nil {
		routes[kb.Dense] = denseRoute{x: x, server: s, follower: x.of(s)}
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
		w := x.cat.row(r)
		data, err := x.file.read(nil, w.textAt, int(w.textLen+w.leadLen))
		if err != nil {
			return nil, err
		}
		out[i] = x.cat.passage(r, string(data[:w.textLen]), string(data[w.textLen:]))
	}
	return out, nil
}

var _ retrieval.Linguist = (*Index)(nil)

// Abroad implements retrieval.Linguist.
func (x *Index) Abroad(question string, ids []string) []bool {
	out := make([]bool, len(ids))
	asked := language(question)
	if asked == dense.Unknown {
		return out
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return out
	}
	for i, id := range ids {
		if r, ok := x.cat.find(id); ok {
			in := x.matrix.Language(r)
			out[i] = in != dense.Unknown && in != asked
		}
	}
	return out
}

func errClosed() error { return fmt.Errorf("index: %w: closed", kb.ErrUnavailable) }

// hits gives row hits their ids and orders ties by id.
func (x *Index) hits(rows []int32, scores []float64) []retrieval.Hit {
	out := make([]retrieval.Hit, len(rows))
	for i, r := range rows {
		out[i] = retrieval.Hit{ID: x.cat.id(r), Score: scores[i]}
	}
	return retrieval.Best(out, len(out))
}

// denseRoute compares vectors. With a server it is the server that looks through them all.
type denseRoute struct {
	x        *Index
	server   VectorServer // nil = embedded
	follower *follower
}

// asked is a question as the models of the dense route see it.
type asked struct {
	static   []float32
	language dense.Language
	endpoint []float32 // by model
	model    *remote   // that serves the collection; nil = the built-in one
	far      bool      // the server proposes chunks, by the model that serves
}

// language is what a text is written in; mixed texts are of none.
func language(s string) dense.Language {
	switch text.Language(s) {
	case "zh":
		return dense.Chinese
	case "en":
		return dense.English
	}
	return dense.Unknown
}

// embed asks the model that serves outside the index's lock: it may take as long as it is
// let. Where a model before the wanted one does not answer, the built-in one stands in.
func (d denseRoute) embed(ctx context.Context, q retrieval.Query) (asked, error) {
	out := asked{static: d.x.opt.Model.Embed(q.Text), language: language(q.Text)}
	if d.x.remote == nil {
		out.far = d.server != nil
		return out, nil
	}
	d.x.mu.RLock()
	model := d.x.answering(q.Filter.Collection)
	d.x.mu.RUnlock()
	wanted := model == d.x.remote
	if model == nil || wanted && d.server != nil && d.follower.held.Load() == 0 {
		return out, nil
	}
	v, err := model.question(ctx, q.Text)
	if err != nil && !wanted && ctx.Err() == nil {
		d.x.log.Warn("the embedding that served before does not answer; the built-in one stands in for it", "model", model.endpoint.Name(), "for", earlierRests, "error", err)
		model.rests.Store(time.Now().Add(earlierRests).UnixNano())
		return out, nil
	}
	out.endpoint, out.model, out.far = v, model, wanted && d.server != nil
	return out, err
}

func (d denseRoute) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	v, err := d.embed(ctx, q)
	if err != nil {
		return nil, err
	}
	m, query := d.x.matrix, v.static
	if v.model != nil {
		m, query = v.model.matrix, v.endpoint
	}
	var ids []string
	if v.far {
		if ids, err = d.propose(ctx, m, query, v.language, q); err != nil {
			return nil, err
		}
	}
	d.x.mu.RLock()
	defer d.x.mu.RUnlock()
	if d.x.closed {
		return nil, errClosed()
	}
	admit := d.x.cat.admission(q.Filter)
	var found []dense.Hit
	if v.far {
		found, err = d.among(ctx, m, query, v.language, ids, admit, q.Limit)
	} else {
		found, err = m.SearchIn(ctx, query, v.language, admit, q.Limit)
	}
	if err == nil && v.model != nil {
		found, err = d.withLate(ctx, v, q.Filter.Collection, found, admit, q.Limit)
	}
	if err != nil {
		return nil, err
	}
	rows, scores := make([]int32, 0, len(found)), make([]float64, 0, len(found))
	for _, h := range found {
		rows, scores = append(rows, h.Chunk), append(scores, h.Score)
	}
	hits := d.x.hits(rows, scores)
	return hits[:min(q.Limit, len(hits))], nil
}

// withLate calibrates what was found by the vectors of the model that serves, and adds what
// the built-in ones find among the chunks of the collection that it has not embedded.
func (d denseRoute) withLate(ctx context.Context, v asked, collection string, found []dense.Hit, admit func(int32) bool, limit int) ([]dense.Hit, error) {
	for i := range found {
		found[i].Score = v.model.score(found[i].Score)
	}
	if v.model.placed[collection] < d.x.cat.chunks[collection] {
		late, err := d.x.matrix.SearchIn(ctx, v.static, v.language, func(r int32) bool { return d.x.late(v.model, r) && (admit == nil || admit(r)) }, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, late...)
	}
	return slices.DeleteFunc(found, func(h dense.Hit) bool { return h.Score <= 0 }), nil
}

// agreement is the share of what unrelated chunks leave of the cosine that counts as full
// agreement. A question and the passage that answers it are no paraphrases: with e5 the best passages
// have a quarter to a half of it. It was fitted so that one set of weights serves the
// built-in embedding and e5 (docs/measurements.md).
const agreement = 0.5

// crest is where the score of a cosine begins to bend, so that of two passages in full
// agreement the nearer one still comes first.
const crest = 0.95

// score calibrates a cosine of the model: 0 for what unrelated chunks have in common, close to
// 1 from full agreement on. It never falls as the cosine rises.
func (r *remote) score(cosine float64) float64 {
	s := (cosine - r.zero) / (agreement * (1 - r.zero))
	if s > crest {
		s = crest + (1-crest)*(1-math.Exp((crest-s)/(1-crest)))
	}
	return max(0, s)
}

func (d denseRoute) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	v, err := d.embed(ctx, q)
	if err != nil {
		return nil, err
	}
	d.x.mu.RLock()
	defer d.x.mu.RUnlock()
	if d.x.closed {
		return nil, errClosed()
	}
	admit := d.x.cat.admission(q.Filter)
	rows := make([]int32, len(ids))
	for i, id := range ids {
		r, ok := d.x.cat.find(id)
		if !ok || admit != nil && !admit(r) {
			r = -1
		}
		rows[i] = r
	}
	out := d.x.matrix.ScoreIn(v.static, v.language, rows)
	if v.model == nil {
		return out, nil
	}
	theirs := v.model.matrix.ScoreIn(v.endpoint, v.language, rows)
	for i, r := range rows {
		if r >= 0 && v.model.matrix.Has(r) {
			out[i] = v.model.score(theirs[i])
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

// prepare weighs the question against the index as it is.
func (b bm25Route) prepare(q retrieval.Query) (bm25.Prepared, bm25.Needs, error) {
	b.x.mu.RLock()
	defer b.x.mu.RUnlock()
	if b.x.closed {
		return bm25.Prepared{}, bm25.Needs{}, errClosed()
	}
	return bm25.Prepare(b.cfg, q, b.x.stats), b.x.cat.needs(q.Filter), nil
}

// Search finds a damaged index; the next Sync repairs it.
func (b bm25Route) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, error) {
	p, need, err := b.prepare(q)
	if err != nil {
		return nil, err
	}
	hits, err := b.x.lexical.Search(ctx, p, q.Filter, need, q.Limit, b.x.counts(q.Filter))
	if errors.Is(err, retrieval.ErrCorrupt) {
		b.x.broken.Store(true)
	}
	return hits, err
}

// counts reads the term counts of chunks that a filter admits from the log.
func (x *Index) counts(f retrieval.Filter) bm25.Counts {
	var buf []byte
	return func(id string) (bm25.Packed, bool) {
		x.mu.RLock()
		defer x.mu.RUnlock()
		if x.closed {
			return nil, false
		}
		r, ok := x.cat.find(id)
		if !ok || !f.Admits(*x.cat.version(r).vis) {
			return nil, false
		}
		p, err := x.packed(r, buf)
		if err != nil {
			return nil, false
		}
		buf = p
		return p, true
	}
}

func (b bm25Route) Score(ctx context.Context, q retrieval.Query, ids []string) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, _, err := b.prepare(q)
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
