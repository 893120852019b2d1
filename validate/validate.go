// Package validate is layer 4: statements, the gate, the answer and its
// citations. Nothing leaves it that the sources do not say.
package validate

import (
	"context"

	"suffice.dev/suffice/kb"
)

// Validator writes answers that are checked, and checks answers of others.
//
// Answer returns an answer of which every sentence was verified against its
// citation, or a typed refusal; a refusal is not an error. Verify judges any
// answer against any passages; it needs no model.
type Validator interface {
	Answer(ctx context.Context, req kb.AnswerRequest) (kb.AnswerResult, error)
	Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, error)
}
