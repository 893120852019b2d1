package grpcapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/validate"
)

// Config says what a process serves. A part that is nil is not served.
type Config struct {
	Pipeline  services.Pipeline   // AskService, and PrecheckService.Precheck
	Analyzer  precheck.Analyzer   // PrecheckService
	Retriever retrieval.Retriever // RetrievalService
	Assessor  rerank.Assessor     // RerankService
	Validator validate.Validator  // ValidateService
	Knowledge kb.Knowledge        // KnowledgeService

	// Status answers KnowledgeService.GetStatus; nil = UNIMPLEMENTED, where the knowledge
	// base is another process's.
	Status func(context.Context) (kb.Status, error)

	Versions  func() kb.Versions     // for replies made without a pipeline; nil = empty
	Readiness services.Readiness     // nil = always ready
	Limits    func() services.Limits // nil = DefaultLimits
	Timeout   func() time.Duration   // of calls that bring no deadline, but those of AskService; nil = none

	Authorize func(context.Context) error // of each call but those of grpc.health.v1; nil = all may call

	Reflection bool
	Logger     *slog.Logger          // nil = none
	Registerer prometheus.Registerer // nil = not exported
}

// Server is a gRPC server with what it needs to stop.
type Server struct {
	*grpc.Server
	stop sync.Once
	done chan struct{}
}

// New returns a server of the parts that the config names, with grpc.health.v1.
func New(c Config, opts ...grpc.ServerOption) *Server {
	if c.Versions == nil {
		c.Versions = func() kb.Versions { return kb.Versions{} }
	}
	if c.Readiness == nil {
		c.Readiness = services.ReadyFunc(func(string) error { return nil })
	}
	if c.Limits == nil {
		c.Limits = services.DefaultLimits
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	guard := newGuard(c.Timeout, c.Logger, c.Registerer)
	guard.authorize = c.Authorize
	opts = append([]grpc.ServerOption{
		grpc.MaxRecvMsgSize(c.Limits().BodyBytes),
		grpc.ChainUnaryInterceptor(guard.unary),
		grpc.ChainStreamInterceptor(guard.stream),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: 10 * time.Second, PermitWithoutStream: true}),
	}, opts...)
	s := &Server{Server: grpc.NewServer(opts...), done: make(chan struct{})}

	var contract *Contract
	if c.Pipeline != nil {
		contract = NewContract(c.Pipeline, c.Limits)
		pb.RegisterAskServiceServer(s, askServer{Contract: contract})
	}
	if c.Analyzer != nil || contract != nil {
		pb.RegisterPrecheckServiceServer(s, precheckServer{contract: contract, analyzer: c.Analyzer, versions: c.Versions, limits: c.Limits})
	}
	if c.Retriever != nil {
		pb.RegisterRetrievalServiceServer(s, retrievalServer{retriever: c.Retriever, limits: c.Limits})
	}
	if c.Assessor != nil {
		pb.RegisterRerankServiceServer(s, rerankServer{assessor: c.Assessor})
	}
	if c.Validator != nil {
		pb.RegisterValidateServiceServer(s, validateServer{validator: c.Validator})
	}
	if c.Knowledge != nil {
		pb.RegisterKnowledgeServiceServer(s, knowledgeServer{kb: c.Knowledge, status: c.Status})
	}

	names := map[string]bool{"": true}
	for name := range s.GetServiceInfo() {
		names[name] = true
	}
	healthpb.RegisterHealthServer(s, &health{ready: c.Readiness, services: names, interval: watchInterval, done: s.done})
	if c.Reflection {
		reflection.Register(s)
	}
	return s
}

// Shutdown lets calls in flight end and then stops; when the context ends first, it
// stops at once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stop.Do(func() { close(s.done) })
	stopped := make(chan struct{})
	go func() {
		s.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		s.Stop()
		<-stopped
		return ctx.Err()
	}
}
