// Package grpcapi serves the contract over gRPC: AskService and PrecheckService over
// services.Pipeline, the layer services over the interfaces of the layers, and
// KnowledgeService over kb.Knowledge. Handlers only translate.
package grpcapi

import (
	"context"

	"google.golang.org/grpc"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/convert"
)

// Contract is the five calls of the contract over a pipeline, as messages: what gRPC,
// HTTP and JSON Lines have in common. It implements batch.Calls. Requests are
// checked against the limits; errors are those of services.Pipeline.
type Contract struct {
	pipeline services.Pipeline
	limits   func() services.Limits
}

// NewContract returns the calls over the pipeline. limits is asked at every call, nil
// means DefaultLimits.
func NewContract(pipeline services.Pipeline, limits func() services.Limits) *Contract {
	if limits == nil {
		limits = services.DefaultLimits
	}
	return &Contract{pipeline: pipeline, limits: limits}
}

// Ask answers a question.
func (c *Contract) Ask(ctx context.Context, q *pb.AskRequest) (*pb.AskResponse, error) {
	return c.ask(ctx, q, nil)
}

func (c *Contract) ask(ctx context.Context, q *pb.AskRequest, progress func(services.Progress)) (*pb.AskResponse, error) {
	req, err := convert.FromAskRequest(q, c.limits())
	if err != nil {
		return nil, err
	}
	reply, err := c.pipeline.Ask(ctx, req, progress)
	if err != nil {
		return nil, err
	}
	return convert.ToAskResponse(q.GetId(), reply), nil
}

// Retrieve finds passages.
func (c *Contract) Retrieve(ctx context.Context, q *pb.RetrieveRequest) (*pb.RetrieveResponse, error) {
	req, err := convert.FromRetrieveRequest(q, c.limits())
	if err != nil {
		return nil, err
	}
	analysis, got, versions, err := c.pipeline.Retrieve(ctx, req)
	if err != nil {
		return nil, err
	}
	return convert.ToRetrieveResponse(q.GetId(), analysis, got, versions), nil
}

// Assess says whether passages are enough.
func (c *Contract) Assess(ctx context.Context, q *pb.AssessRequest) (*pb.AssessResponse, error) {
	req, err := convert.FromAssessRequest(q, c.limits())
	if err != nil {
		return nil, err
	}
	reply, err := c.pipeline.Assess(ctx, req)
	if err != nil {
		return nil, err
	}
	return convert.ToAssessResponse(q.GetId(), reply), nil
}

// Verify says whether an answer is true to passages.
func (c *Contract) Verify(ctx context.Context, q *pb.VerifyRequest) (*pb.VerifyResponse, error) {
	req, err := convert.FromVerifyRequest(q, c.limits())
	if err != nil {
		return nil, err
	}
	verification, versions, err := c.pipeline.Verify(ctx, req)
	if err != nil {
		return nil, err
	}
	return convert.ToVerifyResponse(q.GetId(), verification, versions), nil
}

// Precheck analyses a question.
func (c *Contract) Precheck(ctx context.Context, q *pb.PrecheckRequest) (*pb.PrecheckResponse, error) {
	question, err := convert.FromPrecheckRequest(q, c.limits())
	if err != nil {
		return nil, err
	}
	analysis, versions, err := c.pipeline.Precheck(ctx, question)
	if err != nil {
		return nil, err
	}
	return convert.ToPrecheckResponse(q.GetId(), analysis, versions), nil
}

// askServer is the Contract as AskService, with the stream.
type askServer struct {
	pb.UnimplementedAskServiceServer
	*Contract
}

func (s askServer) Ask(ctx context.Context, q *pb.AskRequest) (*pb.AskResponse, error) {
	return s.Contract.Ask(ctx, q)
}

func (s askServer) Retrieve(ctx context.Context, q *pb.RetrieveRequest) (*pb.RetrieveResponse, error) {
	return s.Contract.Retrieve(ctx, q)
}

func (s askServer) Assess(ctx context.Context, q *pb.AssessRequest) (*pb.AssessResponse, error) {
	return s.Contract.Assess(ctx, q)
}

func (s askServer) Verify(ctx context.Context, q *pb.VerifyRequest) (*pb.VerifyResponse, error) {
	return s.Contract.Verify(ctx, q)
}

func (s askServer) AskStream(q *pb.AskStreamRequest, stream grpc.ServerStreamingServer[pb.AskStreamResponse]) error {
	if q.GetRequest() == nil {
		return kb.Invalid("request", "is missing; send the question in it")
	}
	ctx, cancel := context.WithCancelCause(stream.Context())
	defer cancel(nil)
	reply, err := s.ask(ctx, q.GetRequest(), func(p services.Progress) {
		if ctx.Err() != nil {
			return
		}
		if err := stream.Send(convert.ToProgress(p)); err != nil {
			cancel(err) // nobody listens: the work ends
		}
	})
	if err != nil {
		return err
	}
	return stream.Send(&pb.AskStreamResponse{Event: &pb.AskStreamResponse_Reply{Reply: reply}})
}
