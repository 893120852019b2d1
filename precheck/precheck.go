// Package precheck is layer 1: from a question alone, its class, slots, time,
// expansions, or a request to clarify.
package precheck

import (
	"context"

	"suffice.dev/suffice/kb"
)

// Analyzer reads a question.
//
// Analyze is pure: the same question and as-of day give the same analysis. It
// never fails because a question is vague; that is Analysis.Clarify. Errors are
// kb.ErrInvalid (no text, more than 24 things asked), kb.ErrUnavailable (a remote form that does not answer)
// or the context's.
type Analyzer interface {
	Analyze(ctx context.Context, q kb.Question) (kb.Analysis, error)
}
