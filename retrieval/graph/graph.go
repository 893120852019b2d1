// Package graph is the route over facts: entities and terms are nodes, facts are
// edges that join them, and a question reaches facts from what it gives, over one
// to three hops.
//
// The score of a fact is the share of the question's terms, weighed by how rare
// they are, that the fact and the facts on the way to it cover, calibrated by
// retrieval.Calibrate; each hop beyond the first costs the decay. It lies in 0..1 and does not depend on what else is found.
// A denied fact never supports: it is neither found nor walked.
package graph

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/text"
)

// Config sets the graph route.
type Config struct {
	Hops  int        // 1..3
	Decay float64    // factor for each hop beyond the first, 0..1
	Match text.Match // the dictionary; nil = none
}

// Default returns the shipped configuration.
func Default() Config { return Config{Hops: 2, Decay: 0.6} }

// Validate returns all problems, joined.
func (c Config) Validate() error {
	var problems []error
	if c.Hops < 1 || c.Hops > 3 {
		problems = append(problems, kb.Invalid("graph.hops", "%d is not in 1..3", c.Hops))
	}
	if !(c.Decay >= 0 && c.Decay <= 1) {
		problems = append(problems, kb.Invalid("graph.decay", "%v is not in 0..1", c.Decay))
	}
	return errors.Join(problems...)
}

// Hit is a chunk that holds a reached fact.
type Hit struct {
	Chunk    int32
	Score    float64
	Sentence text.Span // that states the best fact
	Hops     int       // of the best fact, from 1
}

// Graph holds the edges of chunks, numbered by the caller. It is safe for
// concurrent use.
type Graph struct {
	mu       sync.RWMutex
	ids      map[string]int32 // node key to number
	names    []bool           // by node: some fact uses it as a name
	postings [][]posting      // by node, those of deleted edges included
	facts    []int32          // by node: live edges
	edges    []edge
	chunks   map[int32][2]int32
	live     int
}

type posting struct {
	edge   int32
	weight float32
}

type edge struct {
	chunk    int32 // -1 = deleted
	denied   bool
	sentence text.Span
	nodes    []int32
	weights  []float32
}

// New returns an empty graph.
func New() *Graph {
	return &Graph{ids: map[string]int32{}, chunks: map[int32][2]int32{}}
}

// Put sets the edges of a chunk; earlier ones are replaced.
func (g *Graph) Put(chunk int32, edges []Edge) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(chunk)
	if len(edges) == 0 {
		return
	}
	start := int32(len(g.edges))
	for _, e := range edges {
		g.add(chunk, e)
	}
	g.chunks[chunk] = [2]int32{start, int32(len(g.edges))}
	g.live += len(edges)
}

func (g *Graph) add(chunk int32, e Edge) {
	number := int32(len(g.edges))
	stored := edge{chunk: chunk, denied: e.Denied, sentence: e.Sentence, nodes: make([]int32, len(e.Nodes)), weights: make([]float32, len(e.Nodes))}
	for i, n := range e.Nodes {
		id, ok := g.ids[n.Key]
		if !ok {
			id = int32(len(g.postings))
			g.ids[strings.Clone(n.Key)] = id
			g.postings = append(g.postings, nil)
			g.names = append(g.names, false)
			g.facts = append(g.facts, 0)
		}
		g.names[id] = g.names[id] || n.Name
		g.postings[id] = append(g.postings[id], posting{number, float32(min(1, n.Weight))})
		g.facts[id]++
		stored.nodes[i], stored.weights[i] = id, float32(n.Weight)
	}
	g.edges = append(g.edges, stored)
}

// Delete forgets a chunk.
func (g *Graph) Delete(chunk int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(chunk)
	if dead := len(g.edges) - g.live; dead > 1024 && dead > g.live {
		g.compact()
	}
}

func (g *Graph) remove(chunk int32) {
	span, ok := g.chunks[chunk]
	if !ok {
		return
	}
	for i := span[0]; i < span[1]; i++ {
		for _, n := range g.edges[i].nodes {
			g.facts[n]--
		}
		g.edges[i].chunk, g.edges[i].nodes, g.edges[i].weights = -1, nil, nil
	}
	g.live -= int(span[1] - span[0])
	delete(g.chunks, chunk)
}

// compact renumbers the edges without the deleted ones.
func (g *Graph) compact() {
	kept := make([]edge, 0, g.live)
	for i := range g.postings {
		g.postings[i] = nil
	}
	clear(g.chunks)
	for _, e := range g.edges {
		if e.chunk < 0 {
			continue
		}
		number := int32(len(kept))
		for i, n := range e.nodes {
			g.postings[n] = append(g.postings[n], posting{number, min(1, e.weights[i])})
		}
		span, ok := g.chunks[e.chunk]
		if !ok {
			span[0] = number
		}
		span[1] = number + 1
		g.chunks[e.chunk] = span
		kept = append(kept, e)
	}
	g.edges = kept
}

// Len is the number of facts.
func (g *Graph) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.live
}

// wanted are the terms of a question that some fact knows.
type wanted struct {
	terms []want
	at    []int32 // by node: 1 + index into terms, 0 = not wanted
	total float64 // weight of all terms of the question, known or not
}

// want is a term that the question gives.
type want struct {
	node   int32
	weight float64 // rarity × importance
}

func (w wanted) holds(node int32) bool {
	return w.at[node] > 0
}

// share is the covered part of the question's weight.
func (w wanted) share(covered []float32) float64 {
	sum := 0.0
	for i, c := range covered {
		sum += float64(c) * w.terms[i].weight
	}
	return min(1, sum/w.total)
}

// maxStarts bounds how many facts a hop goes on from, and maxFan how many facts a
// node may join before it says too little to be walked.
const (
	maxStarts = 24
	maxFan    = 400
)

// important are the weights of the terms of a question by where they stand: what
// it gives and the attribute it asks for weigh full, its other words less.
const otherWords = 0.4

// wanted reads the terms out of a question.
func (g *Graph) wanted(a kb.Analysis, query string, match text.Match) wanted {
	weights := map[string]float64{}
	var order []string
	add := func(s string, w float64) {
		for _, n := range Nodes(s, 1, false, match) {
			if _, ok := weights[n.Key]; !ok {
				order = append(order, n.Key)
			}
			weights[n.Key] = max(weights[n.Key], w)
		}
	}
	base := 1.0
	for _, s := range a.Slots {
		if s.Role == kb.Given {
			add(s.Value, 1)
			add(s.Normalized, 1)
			base = otherWords
			continue
		}
		add(s.Subject, 1)
		add(s.Attribute, 1)
		if s.Subject+s.Attribute != "" {
			base = otherWords
		}
	}
	add(query, base)
	out := wanted{at: make([]int32, len(g.postings))}
	for _, key := range order {
		id, ok := g.ids[key]
		df := 0
		if ok {
			df = int(g.facts[id])
		}
		n := float64(g.live)
		rarity := math.Log(1 + (n-math.Min(n, float64(df))+0.5)/(float64(df)+0.5))
		out.total += weights[key] * rarity
		if ok && df > 0 {
			out.terms = append(out.terms, want{id, weights[key] * rarity})
			out.at[id] = int32(len(out.terms))
		}
	}
	return out
}

// Search returns the chunks with the best facts, best first, ties by chunk number;
// facts of chunks that admit denies are not scored.
func (g *Graph) Search(ctx context.Context, cfg Config, a kb.Analysis, query string, admit func(chunk int32) bool, limit int) ([]Hit, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	w := g.wanted(a, query, cfg.Match)
	if w.total == 0 {
		return nil, nil
	}
	best := map[int32]Hit{}
	front, touched, err := g.first(ctx, w, admit, limit)
	if err != nil {
		return nil, err
	}
	g.keep(best, front)
	for hop := 2; hop <= cfg.Hops && len(front) > 0; hop++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		front = g.hop(front[:min(len(front), maxStarts)], hop, cfg.Decay, w, touched, admit)
		g.keep(best, front)
	}
	out := make([]Hit, 0, len(best))
	for _, h := range best {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out[:min(limit, len(out))], nil
}

// Scores returns what the facts of each chunk cover of the question by themselves,
// without hops; 0 for chunks that admit denies.
func (g *Graph) Scores(cfg Config, a kb.Analysis, query string, admit func(chunk int32) bool, chunks []int32) []float64 {
	g.mu.RLock()
	defer g.mu.RUnlock()
	w := g.wanted(a, query, cfg.Match)
	out := make([]float64, len(chunks))
	for i, c := range chunks {
		span, ok := g.chunks[c]
		if !ok || w.total == 0 || !admit(c) {
			continue
		}
		for at := span[0]; at < span[1]; at++ {
			if !g.edges[at].denied {
				out[i] = max(out[i], retrieval.Calibrate(w.share(g.covers(at, w))))
			}
		}
	}
	return out
}

// reached is a fact with what it covers of the question, the way to it included.
type reached struct {
	edge    int32
	score   float64
	hops    int
	covered []float32 // by wanted term, 0..1
}

// first returns the facts that touch terms of the question, best first: all that a
// result of limit chunks and the next hop can need. touched says by edge whether it
// holds any wanted term: no other edge can be worth a hop.
func (g *Graph) first(ctx context.Context, w wanted, admit func(int32) bool, limit int) (front []reached, touched []bool, err error) {
	sums := make([]float32, len(g.edges))
	touched = make([]bool, len(g.edges))
	var found []int32
	for _, t := range w.terms {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		for _, p := range g.postings[t.node] {
			if !touched[p.edge] {
				touched[p.edge] = true
				found = append(found, p.edge)
			}
			sums[p.edge] += p.weight * float32(t.weight)
		}
	}
	before := func(a, b int32) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b))
	}
	best := make(map[int32]int32) // by chunk: its first edge
	found = slices.DeleteFunc(found, func(at int32) bool {
		e := &g.edges[at]
		if e.chunk < 0 || e.denied || !admit(e.chunk) {
			return true
		}
		if old, ok := best[e.chunk]; !ok || before(at, old) < 0 {
			best[e.chunk] = at
		}
		return false
	})
	if len(best) > limit { // sort no more than what is wanted
		heads := slices.Collect(maps.Values(best))
		slices.SortFunc(heads, before)
		cut := heads[limit]
		found = slices.DeleteFunc(found, func(at int32) bool { return before(at, cut) >= 0 })
	}
	front = make([]reached, len(found))
	for i, at := range found {
		front[i] = reached{edge: at, hops: 1, covered: g.covers(at, w)}
		front[i].score = retrieval.Calibrate(w.share(front[i].covered))
	}
	return order(front), touched, nil
}

// hop goes from facts, over the names in them that the question does not give, to
// facts that cover something the way has not covered yet.
func (g *Graph) hop(from []reached, hops int, decay float64, w wanted, touched []bool, admit func(int32) bool) []reached {
	found := map[int32]reached{}
	joined := make([]float32, len(w.terms))
	fall := math.Pow(decay, float64(hops-1))
	for _, r := range from {
		for _, n := range g.edges[r.edge].nodes {
			if !g.names[n] || g.facts[n] > maxFan || w.holds(n) {
				continue
			}
			for _, p := range g.postings[n] {
				e := &g.edges[p.edge]
				if !touched[p.edge] || p.edge == r.edge || e.chunk < 0 || e.denied || !admit(e.chunk) {
					continue
				}
				copy(joined, r.covered)
				gain := false
				for i, n := range e.nodes {
					if k := w.at[n] - 1; k >= 0 && min(1, e.weights[i]) > joined[k] {
						joined[k], gain = min(1, e.weights[i]), true
					}
				}
				if !gain {
					continue
				}
				score := retrieval.Calibrate(w.share(joined)) * fall
				if old, ok := found[p.edge]; !ok || score > old.score {
					found[p.edge] = reached{edge: p.edge, hops: hops, score: score, covered: slices.Clone(joined)}
				}
			}
		}
	}
	out := make([]reached, 0, len(found))
	for _, r := range found {
		out = append(out, r)
	}
	return order(out)
}

// covers returns how firmly a fact holds each wanted term.
func (g *Graph) covers(at int32, w wanted) []float32 {
	e := &g.edges[at]
	out := make([]float32, len(w.terms))
	for i, n := range e.nodes {
		if k := w.at[n] - 1; k >= 0 {
			out[k] = min(1, e.weights[i])
		}
	}
	return out
}

func order(r []reached) []reached {
	slices.SortFunc(r, func(a, b reached) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.edge, b.edge))
	})
	return r
}

// keep notes the best fact of each chunk; of equal ones the first.
func (g *Graph) keep(best map[int32]Hit, facts []reached) {
	for _, r := range facts {
		e := &g.edges[r.edge]
		if old, ok := best[e.chunk]; !ok || r.score > old.Score {
			best[e.chunk] = Hit{Chunk: e.chunk, Score: r.score, Sentence: e.sentence, Hops: r.hops}
		}
	}
}
