package graph

import (
	"context"
	"fmt"
	"slices"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
)

// Elsewhere is a graph that a server holds. It proposes chunks; their facts are
// scored here, over a graph of just these chunks with the counts of the whole one, so
// that a score is what it would be over the whole.
type Elsewhere interface {
	// Terms returns what the whole graph knows of the keys; unknown ones are left out.
	Terms(ctx context.Context, keys []string) (map[string]Term, error)
	// Touching returns chunks that the filter admits with a fact, not denied, that
	// touches the keys: those with the best facts by the weights, at most limit.
	Touching(ctx context.Context, keys []Weighted, f retrieval.Filter, limit int) ([]string, error)
	// Linked returns the chunks that the filter admits with a fact, not denied, that
	// touches one of the names and one of the wanted keys; at most limit.
	Linked(ctx context.Context, names, wanted []string, f retrieval.Filter, limit int) ([]string, error)
}

// Term is what a graph knows of a node.
type Term struct {
	Facts int  // that touch it, denied ones included
	Name  bool // some fact uses it as a name
}

// Weighted is a node key with its weight in a question, above 0, at most 1.
type Weighted struct {
	Key    string
	Weight float64
}

// Sources of the facts of a graph elsewhere.
type Sources struct {
	Server Elsewhere
	Facts  int                    // in the whole graph
	Edges  func(id string) []Edge // of a chunk; nil for one that is gone or not admitted
}

// proposed is how many chunks are asked for beyond those wanted: the server orders
// otherwise than the score.
const proposed = 5

// maxLinked bounds the chunks that one hop adds.
const maxLinked = 1000

// part is a part of a graph elsewhere.
type part struct {
	*Graph
	src   Sources
	chunk []string // ids, by chunk number
	known map[string]bool
	terms map[string]Term
}

// newPart returns an empty part; it is to be closed.
func newPart(src Sources) (*part, error) {
	g, err := New("")
	if err != nil {
		return nil, err
	}
	return &part{Graph: g, src: src, known: map[string]bool{}, terms: map[string]Term{}}, nil
}

// ask learns the counts of keys.
func (p *part) ask(ctx context.Context, keys []string) error {
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { _, ok := p.terms[k]; return ok })
	if len(keys) == 0 {
		return nil
	}
	found, err := p.src.Server.Terms(ctx, keys)
	if err != nil {
		return fmt.Errorf("terms: %w", err)
	}
	for _, k := range keys {
		p.terms[k] = found[k]
	}
	p.weigh()
	return nil
}

// weigh gives the nodes the counts of the whole graph.
func (p *part) weigh() {
	p.live = p.src.Facts
	for k, t := range p.terms {
		if t.Facts > 0 {
			n := p.nodes.At(int(p.node(k))) // a part never comes near the most that are known
			n.facts = n.facts&^factsMask | uint32(min(t.Facts, factsMask))
			if t.Name {
				n.facts |= nameBit
			}
		}
	}
}

// add takes the facts of chunks in, in the order of their ids.
func (p *part) add(ids []string) error {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if p.known[id] {
			continue
		}
		p.known[id] = true
		if err := p.Put(int32(len(p.chunk)), p.src.Edges(id)); err != nil {
			return err
		}
		p.chunk = append(p.chunk, id)
	}
	p.weigh()
	return nil
}

// names are the names in the facts of chunks from which a hop may go on: those that
// the question does not give, in facts that touch what it gives.
func (p *part) names(hits []Hit, wanted []string) []string {
	var out []string
	for _, h := range hits {
		for _, e := range p.src.Edges(p.chunk[h.Chunk]) {
			if e.Denied || !slices.ContainsFunc(e.Nodes, func(n Node) bool { return slices.Contains(wanted, n.Key) }) {
				continue
			}
			for _, n := range e.Nodes {
				if !slices.Contains(wanted, n.Key) {
					out = append(out, n.Key)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// starts are the chunks that hold the facts from which the next hop goes on: the best
// that the last hop reached, and the best of all.
func starts(hits []Hit, hop int) []Hit {
	var out []Hit
	reached := 0
	for i, h := range hits {
		if h.Hops == hop {
			reached++
		}
		if i < maxStarts || h.Hops == hop && reached <= maxStarts {
			out = append(out, h)
		}
	}
	return out
}

// SearchElsewhere is Search on a graph that a server holds.
func SearchElsewhere(ctx context.Context, src Sources, cfg Config, a kb.Analysis, query string, f retrieval.Filter, limit int) ([]retrieval.Hit, error) {
	order, weights := important(a, query, cfg.Match)
	p, err := newPart(src)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // memory alone
	if err := p.ask(ctx, order); err != nil {
		return nil, err
	}
	var wanted []string
	var keys []Weighted
	for _, k := range order {
		if p.terms[k].Facts > 0 {
			wanted = append(wanted, k)
			keys = append(keys, Weighted{k, weights[k]})
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	ids, err := src.Server.Touching(ctx, keys, f, proposed*limit)
	if err != nil {
		return nil, fmt.Errorf("touching: %w", err)
	}
	if err := p.add(ids); err != nil {
		return nil, err
	}
	for hop := 2; hop <= cfg.Hops; hop++ {
		before := cfg
		before.Hops = hop - 1
		hits, err := p.Search(ctx, before, a, query, nil, len(p.chunk)+1)
		if err != nil {
			return nil, err
		}
		names := p.names(starts(hits, hop-1), wanted)
		if err := p.ask(ctx, names); err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(k string) bool {
			return !p.terms[k].Name || p.terms[k].Facts < 2 || p.terms[k].Facts > maxFan
		})
		if len(names) == 0 {
			break
		}
		more, err := src.Server.Linked(ctx, names, wanted, f, maxLinked)
		if err != nil {
			return nil, fmt.Errorf("linked: %w", err)
		}
		if err := p.add(more); err != nil {
			return nil, err
		}
	}
	found, err := p.Search(ctx, cfg, a, query, nil, limit)
	if err != nil {
		return nil, err
	}
	out := make([]retrieval.Hit, len(found))
	for i, h := range found {
		out[i] = retrieval.Hit{ID: p.chunk[h.Chunk], Score: h.Score}
	}
	return out, nil
}

// ScoreElsewhere is Scores on a graph that a server holds.
func ScoreElsewhere(ctx context.Context, src Sources, cfg Config, a kb.Analysis, query string, ids []string) ([]float64, error) {
	order, _ := important(a, query, cfg.Match)
	p, err := newPart(src)
	if err != nil {
		return nil, err
	}
	defer func() { _ = p.Close() }() // memory alone
	if err := p.ask(ctx, order); err != nil {
		return nil, err
	}
	numbers := make([]int32, len(ids))
	for i, id := range ids {
		if err := p.Put(int32(i), src.Edges(id)); err != nil {
			return nil, err
		}
		numbers[i] = int32(i)
	}
	p.weigh()
	return p.Scores(cfg, a, query, nil, numbers), nil
}
