// Package services joins the four layers to the outside: gRPC, HTTP and JSON
// Lines. Its root holds what those surfaces share: the pipeline they call, the
// readiness they follow and the one table of errors.
//
// The sub-packages: pipeline orders the layers, grpcapi serves them over gRPC,
// httpapi over HTTP, remote calls a server, batch holds the JSON form of the
// messages, convert changes messages into kb types and back.
package services

import (
	"context"

	"suffice.dev/suffice/kb"
)

// Progress is one event on the way to a reply: a layer that begins, or a checked
// sentence of the answer. Exactly one of the two is set.
type Progress struct {
	Layer    string    // precheck, retrieval, rerank or validate
	Sentence *kb.Claim // verified; its span counts in the answer of the reply
}

// Pipeline answers questions through the four layers. Implementations are safe
// for concurrent use and work on one configuration snapshot per call, which the
// Versions of the result name.
//
// Requests are complete and within the limits: the surfaces validate before they
// call. Errors are kb.ErrInvalid, kb.ErrUnavailable, kb.ErrNotFound,
// kb.ErrConflict or the context's; missing knowledge is an outcome, never an error.
type Pipeline interface {
	// Ask runs all layers. A non-nil progress is called in order, from one goroutine
	// at a time and never after Ask has returned; it must not block for long.
	Ask(ctx context.Context, req kb.AskRequest, progress func(Progress)) (kb.Reply, error)
	// Retrieve runs precheck and retrieval; its candidates are those that Ask uses
	// for the same request.
	Retrieve(ctx context.Context, req kb.AskRequest) (kb.Analysis, kb.Retrieved, kb.Versions, error)
	// Assess runs precheck and rerank over handed-over passages. Reply.Analysis,
	// Reply.Clarify, Reply.Stale, Reply.Assessment and Reply.Versions are set.
	Assess(ctx context.Context, req kb.AskRequest) (kb.Reply, error)
	// Verify judges an answer against passages.
	Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, kb.Versions, error)
	// Precheck analyses a question.
	Precheck(ctx context.Context, q kb.Question) (kb.Analysis, kb.Versions, error)
}

// Readiness says whether a part can serve. Every surface (readyz, grpc.health.v1)
// follows it.
type Readiness interface {
	// Ready returns nil when the named gRPC service can answer, or all services of
	// the process for the name "". The error says what is being waited for.
	Ready(service string) error
}

// ReadyFunc makes a function a Readiness.
type ReadyFunc func(service string) error

// Ready calls f.
func (f ReadyFunc) Ready(service string) error { return f(service) }

// Limits bound what one request may carry. Beyond them a request is kb.ErrInvalid
// with the field, the value and the limit.
type Limits struct {
	Passages     int // handed-over passages in one request
	PassageRunes int // code points of one passage
	Question     int // code points of a question, and of one turn of a history
	Answer       int // code points of an answer to verify, and of one in a history
	TopK         int // passages to retrieve
	BodyBytes    int // bytes of one HTTP body, gRPC message or JSON line
}

// DefaultLimits are the limits of the contract.
func DefaultLimits() Limits {
	return Limits{
		Passages:     200,
		PassageRunes: 100_000,
		Question:     8_000,
		Answer:       100_000,
		TopK:         kb.MaxTopK,
		BodyBytes:    128 << 20, // all passages at the limit, each code point escaped
	}
}
