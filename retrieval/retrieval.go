// Package retrieval is layer 2: three routes (dense, BM25, graph), run in
// parallel, filtered before scoring, fused with weights by question class.
package retrieval

import (
	"context"

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
