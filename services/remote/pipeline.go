package remote

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/batch"
	"suffice.dev/suffice/services/convert"
)

var (
	_ batch.Calls       = (*Calls)(nil)
	_ services.Pipeline = (*Pipeline)(nil)
)

// Calls are the five calls at a server, as messages.
type Calls struct {
	ask      pb.AskServiceClient
	precheck pb.PrecheckServiceClient
}

// NewCalls returns the calls at the other end of the connection.
func NewCalls(conn grpc.ClientConnInterface) *Calls {
	return &Calls{pb.NewAskServiceClient(conn), pb.NewPrecheckServiceClient(conn)}
}

// Ask is batch.Calls.
func (c *Calls) Ask(ctx context.Context, q *pb.AskRequest) (*pb.AskResponse, error) {
	return called(ctx, "ask", q, c.ask.Ask)
}

// Retrieve is batch.Calls.
func (c *Calls) Retrieve(ctx context.Context, q *pb.RetrieveRequest) (*pb.RetrieveResponse, error) {
	return called(ctx, "retrieve", q, c.ask.Retrieve)
}

// Assess is batch.Calls.
func (c *Calls) Assess(ctx context.Context, q *pb.AssessRequest) (*pb.AssessResponse, error) {
	return called(ctx, "assess", q, c.ask.Assess)
}

// Verify is batch.Calls.
func (c *Calls) Verify(ctx context.Context, q *pb.VerifyRequest) (*pb.VerifyResponse, error) {
	return called(ctx, "verify", q, c.ask.Verify)
}

// Precheck is batch.Calls.
func (c *Calls) Precheck(ctx context.Context, q *pb.PrecheckRequest) (*pb.PrecheckResponse, error) {
	return called(ctx, "precheck", q, c.precheck.Precheck)
}

func called[Q, P any](ctx context.Context, operation string, q *Q, call func(context.Context, *Q, ...grpc.CallOption) (*P, error)) (*P, error) {
	p, err := call(ctx, q)
	if err != nil {
		return nil, fail(ctx, operation, err)
	}
	return p, nil
}

// Pipeline is the pipeline at a server, in the form of the contract. Its results
// hold what the messages of AskService carry: of an analysis behind Ask, Retrieve
// and Assess the class, of an assessment behind Ask scores and slots, of a retrieval
// behind Ask no candidates.
type Pipeline struct{ calls *Calls }

// NewPipeline returns the pipeline at the other end of the connection.
func NewPipeline(conn grpc.ClientConnInterface) *Pipeline { return &Pipeline{NewCalls(conn)} }

// Ask is services.Pipeline.
func (p *Pipeline) Ask(ctx context.Context, req kb.AskRequest, progress func(services.Progress)) (kb.Reply, error) {
	q := convert.ToAskRequest("", req)
	var resp *pb.AskResponse
	var err error
	if progress == nil {
		resp, err = p.calls.Ask(ctx, q)
	} else {
		resp, err = p.stream(ctx, q, progress)
	}
	if err != nil {
		return kb.Reply{}, err
	}
	reply, err := convert.FromAskResponse(resp)
	if err != nil {
		return kb.Reply{}, malformed("ask", err)
	}
	return reply, nil
}

func (p *Pipeline) stream(ctx context.Context, q *pb.AskRequest, progress func(services.Progress)) (*pb.AskResponse, error) {
	inner, cancel := context.WithCancel(ctx) // ends the stream when this returns
	defer cancel()
	stream, err := p.calls.ask.AskStream(inner, &pb.AskStreamRequest{Request: q})
	if err != nil {
		return nil, fail(ctx, "ask", err)
	}
	for {
		event, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil, malformed("ask", errors.New("the stream ended without a reply"))
		}
		if err != nil {
			return nil, fail(ctx, "ask", err)
		}
		switch e := event.GetEvent().(type) {
		case *pb.AskStreamResponse_Progress:
			progress(services.Progress{Layer: e.Progress.GetLayer()})
		case *pb.AskStreamResponse_Sentence:
			claim := convert.FromClaim(e.Sentence)
			progress(services.Progress{Sentence: &claim})
		case *pb.AskStreamResponse_Reply:
			return e.Reply, nil
		}
	}
}

// Retrieve is services.Pipeline.
func (p *Pipeline) Retrieve(ctx context.Context, req kb.AskRequest) (kb.Analysis, kb.Retrieved, kb.Versions, error) {
	resp, err := p.calls.Retrieve(ctx, convert.ToRetrieveRequest("", req))
	if err != nil {
		return kb.Analysis{}, kb.Retrieved{}, kb.Versions{}, err
	}
	analysis, got, versions, err := convert.FromRetrieveResponse(resp)
	if err != nil {
		return kb.Analysis{}, kb.Retrieved{}, kb.Versions{}, malformed("retrieve", err)
	}
	return analysis, got, versions, nil
}

// Assess is services.Pipeline.
func (p *Pipeline) Assess(ctx context.Context, req kb.AskRequest) (kb.Reply, error) {
	resp, err := p.calls.Assess(ctx, convert.ToAssessRequest("", req))
	if err != nil {
		return kb.Reply{}, err
	}
	return convert.FromAssessResponse(resp), nil
}

// Verify is services.Pipeline.
func (p *Pipeline) Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, kb.Versions, error) {
	resp, err := p.calls.Verify(ctx, convert.ToVerifyRequest("", req))
	if err != nil {
		return kb.Verification{}, kb.Versions{}, err
	}
	v, versions := convert.FromVerifyResponse(resp)
	return v, versions, nil
}

// Precheck is services.Pipeline. The weights of expansions and the flags Now and
// Modal are not carried.
func (p *Pipeline) Precheck(ctx context.Context, q kb.Question) (kb.Analysis, kb.Versions, error) {
	resp, err := p.calls.Precheck(ctx, convert.ToPrecheckRequest("", q))
	if err != nil {
		return kb.Analysis{}, kb.Versions{}, err
	}
	analysis, versions, err := convert.FromPrecheckResponse(q.Text, resp)
	if err != nil {
		return kb.Analysis{}, kb.Versions{}, malformed("precheck", err)
	}
	analysis.AsOf = q.AsOf
	return analysis, versions, nil
}
