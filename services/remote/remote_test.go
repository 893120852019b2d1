package remote_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/test/bufconn"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/kb/store/storetest"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/grpcapi"
	"suffice.dev/suffice/services/remote"
)

// transports are the ways to a server that every remote form is tested over.
var transports = []struct {
	name string
	open func(t *testing.T, server *grpcapi.Server) *grpc.ClientConn
}{
	{"bufconn", overBuffer},
	{"tcp", overTCP},
}

func overBuffer(t *testing.T, server *grpcapi.Server) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	return connect(t, server, listener, "passthrough:///buffer", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		return listener.DialContext(ctx)
	}))
}

func overTCP(t *testing.T, server *grpcapi.Server) *grpc.ClientConn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, server, listener, listener.Addr().String())
}

func connect(t *testing.T, server *grpcapi.Server, listener net.Listener, address string, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := remote.Dial(address, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return conn
}

func TestKnowledgeConformance(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) kb.Knowledge {
				s, err := store.Open(t.Context(), t.TempDir(), store.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := s.Close(); err != nil {
						t.Errorf("close the store: %v", err)
					}
				})
				return remote.NewKnowledge(transport.open(t, grpcapi.New(grpcapi.Config{Knowledge: s})))
			})
		})
	}
}

// layers is every layer at once. It returns what it was told to and keeps what it
// was asked.
type layers struct {
	mu       sync.Mutex // a call that was given up may still be running in the server
	err      error
	wait     bool // until the context ends
	panics   bool
	asked    any
	deadline time.Duration // that was left when the call came in; 0 = none

	analysis     kb.Analysis
	retrieved    kb.Retrieved
	assessment   kb.Assessment
	answer       kb.AnswerResult
	verification kb.Verification
}

func (l *layers) called(ctx context.Context, req any) error {
	l.mu.Lock()
	l.asked = req
	if d, ok := ctx.Deadline(); ok {
		l.deadline = time.Until(d)
	}
	err, wait, panics := l.err, l.wait, l.panics
	l.mu.Unlock()
	if panics {
		panic("a secret")
	}
	if wait {
		<-ctx.Done()
		return ctx.Err()
	}
	return err
}

// told changes what the layers do, between calls.
func (l *layers) told(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

func (l *layers) Analyze(ctx context.Context, q kb.Question) (kb.Analysis, error) {
	return l.analysis, l.called(ctx, q)
}

func (l *layers) Retrieve(ctx context.Context, q kb.RetrieveRequest) (kb.Retrieved, error) {
	return l.retrieved, l.called(ctx, q)
}

func (l *layers) Assess(ctx context.Context, q kb.AssessRequest) (kb.Assessment, error) {
	return l.assessment, l.called(ctx, q)
}

func (l *layers) Answer(ctx context.Context, q kb.AnswerRequest) (kb.AnswerResult, error) {
	return l.answer, l.called(ctx, q)
}

func (l *layers) Verify(ctx context.Context, q kb.VerifyRequest) (kb.Verification, error) {
	return l.verification, l.called(ctx, q)
}

var (
	question = kb.Question{Text: "年假几天？", AsOf: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), History: []kb.Turn{{Question: "a", Answer: "b"}}}
	analysis = kb.Analysis{
		Question: "年假几天？", Original: "几天？", AsOf: question.AsOf, Class: kb.Numeric, Probability: 0.75, Risk: kb.RiskHigh, Language: "zh",
		Slots:      []kb.Slot{{Name: "subject", Role: kb.Given, Value: "年假", End: 2, Required: true}, {Name: "value", Role: kb.Asked, Expect: kb.ExpectQuantity, Unit: "天", Required: true}},
		Expansions: []kb.Expansion{{Term: "带薪休假", Weight: 0.5, Origin: "synonym"}},
	}
	candidate = kb.Candidate{
		Passage: kb.Passage{ID: "a@1#0", Text: "年假5天", DocumentID: "a", Version: 1, Start: 3, End: 7, ValidFrom: question.AsOf},
		Score:   0.5, Rank: 1, Routes: map[kb.Route]kb.RouteScore{kb.BM25: {Score: 0.5, Rank: 1}},
	}
	assessment = kb.Assessment{Outcome: kb.Answered, Sufficient: true, Sufficiency: 0.875, FGC: 1, Level: "green", Passages: []kb.PassageScore{{ID: "a@1#0", Score: 1}}}
)

// calls are the five calls of the layers through a remote form, each with what the
// layer must have been asked and what must come back.
func calls(l *layers, conn *grpc.ClientConn) map[string]func(ctx context.Context) (asked, got, want any, err error) {
	retrieve := kb.RetrieveRequest{Analysis: analysis, TopK: 7, Readers: []string{"hr"}, Weights: &kb.Weights{BM25: 1}, Only: []kb.Route{kb.BM25}}
	assess := kb.AssessRequest{Analysis: analysis, Candidates: []kb.Candidate{candidate}}
	answer := kb.AnswerRequest{Analysis: analysis, Candidates: []kb.Candidate{candidate}, Assessment: assessment, ReplyLanguage: "en", History: question.History}
	verify := kb.VerifyRequest{Question: "q", Answer: "5天[1]", Passages: []kb.Passage{candidate.Passage}, AsOf: question.AsOf}
	return map[string]func(ctx context.Context) (asked, got, want any, err error){
		"analyze": func(ctx context.Context) (any, any, any, error) {
			got, err := remote.NewAnalyzer(conn).Analyze(ctx, question)
			return question, got, l.analysis, err
		},
		"retrieve": func(ctx context.Context) (any, any, any, error) {
			got, err := remote.NewRetriever(conn).Retrieve(ctx, retrieve)
			return retrieve, got, l.retrieved, err
		},
		"assess": func(ctx context.Context) (any, any, any, error) {
			got, err := remote.NewAssessor(conn).Assess(ctx, assess)
			return assess, got, l.assessment, err
		},
		"answer": func(ctx context.Context) (any, any, any, error) {
			got, err := remote.NewValidator(conn).Answer(ctx, answer)
			return answer, got, l.answer, err
		},
		"verify": func(ctx context.Context) (any, any, any, error) {
			got, err := remote.NewValidator(conn).Verify(ctx, verify)
			return verify, got, l.verification, err
		},
	}
}

func serve(l *layers, c grpcapi.Config) *grpcapi.Server {
	c.Analyzer, c.Retriever, c.Assessor, c.Validator = l, l, l, l
	return grpcapi.New(c)
}

func TestLayersOverTheWire(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			l := &layers{
				analysis: analysis, assessment: assessment,
				retrieved:    kb.Retrieved{Candidates: []kb.Candidate{candidate}, Weights: kb.Weights{BM25: 1}, Hits: map[kb.Route]int{kb.BM25: 1}, Degraded: []kb.Degraded{{Part: "dense", Reason: "late"}}},
				answer:       kb.AnswerResult{Outcome: kb.Answered, Answer: "5天[1]", Citations: []kb.Citation{{Number: 1, EvidenceID: "a@1#0", Quote: "5天", Start: 5, End: 7}}},
				verification: kb.Verification{Verdict: kb.Supported, Support: 1, Claims: []kb.Claim{{Text: "5天", End: 2, Verdict: kb.ClaimSupported, Probability: 0.5}}},
			}
			conn := transport.open(t, serve(l, grpcapi.Config{}))
			for name, call := range calls(l, conn) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				asked, got, want, err := call(ctx)
				cancel()
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if diff := cmp.Diff(asked, l.asked); diff != "" {
					t.Errorf("%s: the layer was asked otherwise (-want +got):\n%s", name, diff)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: the reply changed (-want +got):\n%s", name, diff)
				}
				if l.deadline <= 0 || l.deadline > 20*time.Second {
					t.Errorf("%s: deadline of %v at the layer", name, l.deadline)
				}
			}
		})
	}
}

// lockedBuffer is a log that the server may still write while the test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestErrorsOverTheWire(t *testing.T) {
	var log lockedBuffer
	reg := prometheus.NewRegistry()
	l := &layers{}
	conn := overBuffer(t, serve(l, grpcapi.Config{Logger: slog.New(slog.NewTextHandler(&log, nil)), Registerer: reg}))
	for name, call := range calls(l, conn) {
		for _, sentinel := range []error{kb.ErrNotFound, kb.ErrConflict, kb.ErrUnavailable} {
			l.told(func() { l.err = fmt.Errorf("layer: %w", sentinel) })
			if _, _, _, err := call(t.Context()); !errors.Is(err, sentinel) {
				t.Errorf("%s: error %v, want %v", name, err, sentinel)
			}
		}
		l.told(func() { l.err = fmt.Errorf("layer: %w", kb.Invalid("analysis.slots[1]", "is odd")) })
		_, _, _, err := call(t.Context())
		var invalid *kb.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != "analysis.slots[1]" || invalid.Message != "is odd" {
			t.Errorf("%s: error %v, want the field", name, err)
		}
		l.told(func() { l.err = errors.New("open /secret: denied") })
		if _, _, _, err := call(t.Context()); err == nil || strings.Contains(err.Error(), "secret") || errors.Is(err, kb.ErrUnavailable) || errors.Is(err, kb.ErrInvalid) {
			t.Errorf("%s: error %v, want an internal one without the text", name, err)
		}
		l.told(func() { l.err = nil })

		l.told(func() { l.panics = true })
		if _, _, _, err := call(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v after a panic", name, err)
		}
		l.told(func() { l.panics = false })

		l.told(func() { l.wait = true })
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, _, _, err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v, want DeadlineExceeded", name, err)
		}
		cancel()
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		if _, _, _, err := call(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want Canceled", name, err)
		}
		l.told(func() { l.wait = false })
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	panics := map[string]float64{}
	for _, family := range families {
		if family.GetName() == "suffice_grpc_panics_total" {
			for _, m := range family.GetMetric() {
				panics[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	want := map[string]float64{
		"PrecheckService/Analyze": 1, "RetrievalService/Retrieve": 1, "RerankService/Assess": 1, "ValidateService/Answer": 1, "ValidateService/Verify": 1,
	}
	if diff := cmp.Diff(want, panics); diff != "" {
		t.Errorf("panics counted (-want +got):\n%s", diff)
	}
	if s := log.String(); !strings.Contains(s, "a secret") || !strings.Contains(s, "open /secret: denied") {
		t.Error("the log does not say what was hidden")
	}
	if strings.Contains(log.String(), "年假") {
		t.Error("the log holds text of a request")
	}
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	conn, err := remote.Dial(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close() //nolint:errcheck // it was never connected
	for name, call := range calls(&layers{}, conn) {
		if _, _, _, err := call(t.Context()); !errors.Is(err, kb.ErrUnavailable) {
			t.Errorf("%s: error %v, want ErrUnavailable", name, err)
		}
	}

	// A server without the service is no better.
	other := overBuffer(t, grpcapi.New(grpcapi.Config{}))
	if _, err := remote.NewAnalyzer(other).Analyze(t.Context(), question); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
}

// pipeline answers with progress.
type pipeline struct {
	services.Pipeline
	reply kb.Reply
	asked kb.AskRequest
	err   error
}

func (p *pipeline) Ask(_ context.Context, req kb.AskRequest, progress func(services.Progress)) (kb.Reply, error) {
	p.asked = req
	if progress != nil {
		progress(services.Progress{Layer: "precheck"})
		progress(services.Progress{Layer: "validate"})
		progress(services.Progress{Sentence: &p.reply.Claims[0]})
	}
	return p.reply, p.err
}

func TestAskStream(t *testing.T) {
	p := &pipeline{reply: kb.Reply{
		AnswerResult: kb.AnswerResult{Outcome: kb.Answered, Answer: "5天[1]", Claims: []kb.Claim{{Text: "5天[1]", End: 5, Verdict: kb.ClaimSupported, Probability: 1}}},
		TraceID:      "t1", Versions: kb.Versions{Server: "1", Snapshot: "s"},
	}}
	conn := overBuffer(t, grpcapi.New(grpcapi.Config{Pipeline: p}))
	req := kb.AskRequest{Question: question, HandedOver: true, OnFailure: kb.Fail, Deadline: 1500 * time.Microsecond}
	var events []services.Progress
	got, err := remote.NewPipeline(conn).Ask(t.Context(), req, func(e services.Progress) { events = append(events, e) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p.reply, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
	want := []services.Progress{{Layer: "precheck"}, {Layer: "validate"}, {Sentence: &p.reply.Claims[0]}}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	req.Deadline = 2 * time.Millisecond // rounded up on the wire
	if diff := cmp.Diff(req, p.asked); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}

	p.err = fmt.Errorf("store: %w", kb.ErrUnavailable)
	if _, err := remote.NewPipeline(conn).Ask(t.Context(), req, func(services.Progress) {}); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
	req.Question.Text = ""
	_, err = remote.NewPipeline(conn).Ask(t.Context(), req, nil)
	var invalid *kb.InvalidError
	if !errors.As(err, &invalid) || invalid.Field != "question" {
		t.Errorf("error %v, want field question", err)
	}
}

// waiting is a pipeline that works until its context ends, and tells whether the call had a
// deadline and how it ended.
type waiting struct {
	services.Pipeline
	bounded chan bool
	ended   chan error
}

func (p *waiting) Ask(ctx context.Context, _ kb.AskRequest, progress func(services.Progress)) (kb.Reply, error) {
	_, bounded := ctx.Deadline()
	p.bounded <- bounded
	progress(services.Progress{Layer: "precheck"})
	<-ctx.Done()
	p.ended <- ctx.Err()
	return kb.Reply{}, ctx.Err()
}

// TestAskSetsItsOwnTime holds that the server bounds no call of AskService, whose requests
// say how long they may take, and that a client that gives a stream up ends the work.
func TestAskSetsItsOwnTime(t *testing.T) {
	p := &waiting{bounded: make(chan bool, 1), ended: make(chan error, 1)}
	conn := overBuffer(t, grpcapi.New(grpcapi.Config{Pipeline: p, Timeout: func() time.Duration { return time.Nanosecond }}))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := remote.NewPipeline(conn).Ask(ctx, kb.AskRequest{Question: question, Deadline: time.Hour}, func(services.Progress) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
	if <-p.bounded {
		t.Error("the server set a deadline of its own")
	}
	if err := <-p.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the work ended by %v, want Canceled", err)
	}
}

// TestServerBoundsLayerCalls holds that a call of a layer that brings no deadline gets that
// of the configuration as it is now.
func TestServerBoundsLayerCalls(t *testing.T) {
	l := &layers{}
	limit := time.Hour
	conn := overBuffer(t, serve(l, grpcapi.Config{Timeout: func() time.Duration { return limit }}))
	for _, limit = range []time.Duration{time.Hour, 2 * time.Hour} {
		if _, err := remote.NewAnalyzer(conn).Analyze(t.Context(), question); err != nil {
			t.Fatal(err)
		}
		if l.deadline > limit || l.deadline < limit-time.Minute {
			t.Errorf("%v were left at the layer, want %v", l.deadline, limit)
		}
	}
}

func TestHealthFollowsReadiness(t *testing.T) {
	notReady := errors.New("the index is being built")
	ready := map[string]error{"": notReady, "suffice.v1.RerankService": notReady}
	server := serve(&layers{}, grpcapi.Config{Readiness: services.ReadyFunc(func(name string) error { return ready[name] })})
	client := healthpb.NewHealthClient(overBuffer(t, server))
	for name, want := range map[string]string{
		"": "NOT_SERVING", "suffice.v1.RerankService": "NOT_SERVING", "suffice.v1.PrecheckService": "SERVING", "suffice.v1.AskService": "NotFound",
	} {
		resp, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: name})
		got := resp.GetStatus().String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q is %s, want %s", name, got, want)
		}
	}
	watch, err := client.Watch(t.Context(), &healthpb.HealthCheckRequest{Service: "suffice.v1.RerankService"})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := watch.Recv()
	if err != nil || resp.GetStatus() != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("watch: %v, %v", resp, err)
	}
}
