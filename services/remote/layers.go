package remote

import (
	"context"
	"time"

	"google.golang.org/grpc"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/services/convert"
	"suffice.dev/suffice/validate"
)

var (
	_ precheck.Analyzer   = (*Analyzer)(nil)
	_ retrieval.Retriever = (*Retriever)(nil)
	_ rerank.Assessor     = (*Assessor)(nil)
	_ validate.Validator  = (*Validator)(nil)
)

// Analyzer is a precheck layer at a server.
type Analyzer struct{ client pb.PrecheckServiceClient }

// NewAnalyzer returns the precheck layer at the other end of the connection.
func NewAnalyzer(conn grpc.ClientConnInterface) *Analyzer {
	return &Analyzer{pb.NewPrecheckServiceClient(conn)}
}

// Analyze is precheck.Analyzer.
func (a *Analyzer) Analyze(ctx context.Context, q kb.Question) (kb.Analysis, error) {
	resp, err := a.client.Analyze(ctx, convert.ToAnalyzeRequest(q))
	if err != nil {
		return kb.Analysis{}, fail(ctx, "precheck", err)
	}
	out, err := convert.FromAnalysis(resp.GetAnalysis())
	if err != nil {
		return kb.Analysis{}, malformed("precheck", err)
	}
	return out, nil
}

// Retriever is a retrieval layer at a server.
type Retriever struct{ client pb.RetrievalServiceClient }

// NewRetriever returns the retrieval layer at the other end of the connection.
func NewRetriever(conn grpc.ClientConnInterface) *Retriever {
	return &Retriever{pb.NewRetrievalServiceClient(conn)}
}

// Retrieve is retrieval.Retriever.
func (r *Retriever) Retrieve(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error) {
	resp, err := r.client.Retrieve(ctx, convert.ToLayerRetrieve(req, time.Now()))
	if err != nil {
		return kb.Retrieved{}, fail(ctx, "retrieve", err)
	}
	out, err := convert.FromRetrieved(resp)
	if err != nil {
		return kb.Retrieved{}, malformed("retrieve", err)
	}
	return out, nil
}

// Assessor is a rerank layer at a server.
type Assessor struct{ client pb.RerankServiceClient }

// NewAssessor returns the rerank layer at the other end of the connection.
func NewAssessor(conn grpc.ClientConnInterface) *Assessor {
	return &Assessor{pb.NewRerankServiceClient(conn)}
}

// Assess is rerank.Assessor.
func (a *Assessor) Assess(ctx context.Context, req kb.AssessRequest) (kb.Assessment, error) {
	resp, err := a.client.Assess(ctx, convert.ToLayerAssess(req))
	if err != nil {
		return kb.Assessment{}, fail(ctx, "assess", err)
	}
	return convert.FromAssessment(resp.GetAssessment()), nil
}

// Validator is a validate layer at a server.
type Validator struct{ client pb.ValidateServiceClient }

// NewValidator returns the validate layer at the other end of the connection.
func NewValidator(conn grpc.ClientConnInterface) *Validator {
	return &Validator{pb.NewValidateServiceClient(conn)}
}

// Answer is validate.Validator.
func (v *Validator) Answer(ctx context.Context, req kb.AnswerRequest) (kb.AnswerResult, error) {
	resp, err := v.client.Answer(ctx, convert.ToLayerAnswer(req))
	if err != nil {
		return kb.AnswerResult{}, fail(ctx, "answer", err)
	}
	out, err := convert.FromAnswerResult(resp.GetResult())
	if err != nil {
		return kb.AnswerResult{}, malformed("answer", err)
	}
	return out, nil
}

// Verify is validate.Validator.
func (v *Validator) Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, error) {
	resp, err := v.client.Verify(ctx, convert.ToLayerVerify(req))
	if err != nil {
		return kb.Verification{}, fail(ctx, "verify", err)
	}
	return convert.FromVerification(resp.GetVerification()), nil
}
