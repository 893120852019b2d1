// Package rerank is layer 3: are these passages enough? Coverage (FGC), conflicts
// (CDS), density (SID) and a boosted model over them.
package rerank

import (
	"context"

	"suffice.dev/suffice/kb"
)

// Assessor judges whether passages hold what a question needs.
//
// Assess never refuses because of the scale of the scores it is given. The
// passages of the reply are ordered by score, ties by input order. No passages is
// not an error: the outcome is INSUFFICIENT.
type Assessor interface {
	Assess(ctx context.Context, req kb.AssessRequest) (kb.Assessment, error)
}
