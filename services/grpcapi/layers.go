package grpcapi

import (
	"context"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/convert"
	"suffice.dev/suffice/validate"
)

// precheckServer serves the layer's form by analyzer, and the contract's form by the
// pipeline where there is one, else by analyzer.
type precheckServer struct {
	pb.UnimplementedPrecheckServiceServer
	contract *Contract         // nil: this process has no pipeline
	analyzer precheck.Analyzer // nil: this process has no precheck layer
	versions func() kb.Versions
	limits   func() services.Limits
}

func (s precheckServer) Precheck(ctx context.Context, q *pb.PrecheckRequest) (*pb.PrecheckResponse, error) {
	if s.contract != nil {
		return s.contract.Precheck(ctx, q)
	}
	question, err := convert.FromPrecheckRequest(q, s.limits())
	if err != nil {
		return nil, err
	}
	analysis, err := s.analyzer.Analyze(ctx, question)
	if err != nil {
		return nil, err
	}
	return convert.ToPrecheckResponse(q.GetId(), analysis, s.versions()), nil
}

func (s precheckServer) Analyze(ctx context.Context, q *pb.AnalyzeRequest) (*pb.AnalyzeResponse, error) {
	if s.analyzer == nil {
		return s.UnimplementedPrecheckServiceServer.Analyze(ctx, q)
	}
	question, err := convert.FromAnalyzeRequest(q, s.limits())
	if err != nil {
		return nil, err
	}
	analysis, err := s.analyzer.Analyze(ctx, question)
	if err != nil {
		return nil, err
	}
	return &pb.AnalyzeResponse{Analysis: convert.ToAnalysis(analysis)}, nil
}

type retrievalServer struct {
	pb.UnimplementedRetrievalServiceServer
	retriever retrieval.Retriever
	limits    func() services.Limits
}

func (s retrievalServer) Retrieve(ctx context.Context, q *pb.RetrievalServiceRetrieveRequest) (*pb.RetrievalServiceRetrieveResponse, error) {
	req, err := convert.FromLayerRetrieve(q, time.Now(), s.limits())
	if err != nil {
		return nil, err
	}
	got, err := s.retriever.Retrieve(ctx, req)
	if err != nil {
		return nil, err
	}
	return convert.ToRetrieved(got), nil
}

type rerankServer struct {
	pb.UnimplementedRerankServiceServer
	assessor rerank.Assessor
}

func (s rerankServer) Assess(ctx context.Context, q *pb.RerankServiceAssessRequest) (*pb.RerankServiceAssessResponse, error) {
	req, err := convert.FromLayerAssess(q)
	if err != nil {
		return nil, err
	}
	assessment, err := s.assessor.Assess(ctx, req)
	if err != nil {
		return nil, err
	}
	return &pb.RerankServiceAssessResponse{Assessment: convert.ToAssessment(assessment)}, nil
}

type validateServer struct {
	pb.UnimplementedValidateServiceServer
	validator validate.Validator
}

func (s validateServer) Answer(ctx context.Context, q *pb.AnswerRequest) (*pb.AnswerResponse, error) {
	req, err := convert.FromLayerAnswer(q)
	if err != nil {
		return nil, err
	}
	result, err := s.validator.Answer(ctx, req)
	if err != nil {
		return nil, err
	}
	return &pb.AnswerResponse{Result: convert.ToAnswerResult(result)}, nil
}

func (s validateServer) Verify(ctx context.Context, q *pb.ValidateServiceVerifyRequest) (*pb.ValidateServiceVerifyResponse, error) {
	req, err := convert.FromLayerVerify(q)
	if err != nil {
		return nil, err
	}
	verification, err := s.validator.Verify(ctx, req)
	if err != nil {
		return nil, err
	}
	return &pb.ValidateServiceVerifyResponse{Verification: convert.ToVerification(verification)}, nil
}
