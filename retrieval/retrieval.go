// Package retrieval is layer 2: three routes (dense, BM25, graph), run in
// parallel, filtered before scoring, fused with weights by question class.
package retrieval

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"suffice.dev/suffice/kb"
)

// Retriever finds passages.
//
// The result is ordered by fused score, ties by evidence id; the same index
// snapshot and request give the same result. Permission, validity and
// supersession are filtered before scoring, in every route. A route that fails
// or is late is left out and named in Retrieved.Degraded; when no route is left
// the error is kb.ErrUnavailable. An empty result with no error means that
// nothing visible matches.
type Retriever interface {
	Retrieve(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error)
}

// Query is what a route searches for.
type Query struct {
	Text     string // never blank
	Analysis kb.Analysis
	Filter   Filter
	Limit    int // hits, at least 1
}

// Hit is a chunk that a route found.
type Hit struct {
	ID    string  // evidence id doc@version#chunk
	Score float64 // calibrated, 0..1; comparable between queries
}

// Best orders hits by score, best first, ties by id, and returns the first limit of
// them.
func Best(hits []Hit, limit int) []Hit {
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits[:min(limit, len(hits))]
}

// Route is one way to find chunks. The embedded and the server form of a route
// pass one suite (package retrievaltest).
//
// Both methods leave out what the filter does not admit before they score. They
// return the context's error when it ends, and any other error when the route
// cannot answer; they never return a part as if it were the whole.
type Route interface {
	// Search returns at most q.Limit chunks with a score above 0, best first, ties
	// by id.
	Search(ctx context.Context, q Query) ([]Hit, error)
	// Score returns the scores of chunks that other routes found, in the order of
	// the ids; 0 for a chunk that is unknown or not admitted.
	Score(ctx context.Context, q Query, ids []string) ([]float64, error)
}

// Source gives the passages behind evidence ids, in their order. A chunk that is
// gone since gives a passage with an empty ID.
type Source interface {
	Passages(ctx context.Context, ids []string) ([]kb.Passage, error)
}

// Linguist is a Source that knows the languages of its chunks.
type Linguist interface {
	// Abroad says of each chunk whether it is in another language than the question; false
	// where either is of none, or of several.
	Abroad(question string, ids []string) []bool
}

// Referrer is a Source that can follow what its chunks point to.
type Referrer interface {
	// Referred returns the chunks that the given ones point to (附件二, Appendix B, another
	// document by its title) or go on with, without the given ones, each once, in the order
	// in which they are pointed at; at most limit. What the query's filter does not admit
	// is left out.
	Referred(ctx context.Context, q Query, ids []string, limit int) ([]string, error)
}
