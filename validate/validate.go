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

// Streamer is a Validator whose answers can be read while they are made.
type Streamer interface {
	Validator
	// AnswerStream is Answer. release gets each claim of the answer, in order, once it is
	// verified and nothing that follows can take it back: its text and span are those of
	// the result. It is called from one goroutine at a time and not after the return;
	// nil = not wanted. When an error is returned, what was released stays verified.
	AnswerStream(ctx context.Context, req kb.AnswerRequest, release func(kb.Claim)) (kb.AnswerResult, error)
}
