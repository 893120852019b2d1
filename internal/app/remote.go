package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/batch"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/pipeline"
	"suffice.dev/suffice/services/remote"
	"suffice.dev/suffice/services/snapshot"
	"suffice.dev/suffice/validate"
)

// connect returns a connection that is tried again within seconds after it was
// lost, however long the other side was away.
func connect(address string, as *access) (*grpc.ClientConn, error) {
	wait := backoff.DefaultConfig
	wait.BaseDelay, wait.MaxDelay = 100*time.Millisecond, 2*time.Second
	return remote.Dial(address, slices.Concat(as.out, []grpc.DialOption{grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: 2 * time.Second})})...)
}

// reach gives a snapshot its remote parts. Their connections are the snapshot's and
// end with it.
func reach(s *snapshot.Snapshot, table map[Role]form, layers config.ByRole[config.Layer], as *access) error {
	conns := map[string]*grpc.ClientConn{}
	s.Close = func() error {
		var errs []error
		for _, c := range conns {
			errs = append(errs, c.Close())
		}
		return errors.Join(errs...)
	}
	for _, role := range Roles {
		if table[role] != there {
			continue
		}
		address := layers[string(role)].Address
		conn := conns[address]
		if conn == nil {
			var err error
			if conn, err = connect(address, as); err != nil {
				return errors.Join(fmt.Errorf("layers.%s.address: %w", role, err), s.Close())
			}
			conns[address] = conn
		}
		switch role {
		case RolePrecheck:
			s.Precheck = remote.NewAnalyzer(conn)
		case RoleRetrieval:
			s.Retriever = remote.NewRetriever(conn)
		case RoleRerank:
			s.Assessor = remote.NewAssessor(conn)
		case RoleValidate:
			s.Validator = remote.NewValidator(conn)
		case RoleKnowledge:
			s.Knowledge = remote.NewKnowledge(conn)
		}
	}
	return nil
}

// Server is a running server, as the commands that --addr sends there use it.
type Server struct {
	Pipeline  services.Pipeline
	Calls     batch.Calls
	Knowledge *remote.Knowledge
	conn      *grpc.ClientConn
}

// Dial returns the server at address (host:port), called as the settings say. It connects
// when first called.
func Dial(address string, auth config.Auth) (*Server, error) {
	as, err := newAccess(auth)
	if err != nil {
		return nil, setup(err)
	}
	conn, err := connect(address, as)
	if err != nil {
		return nil, setup(err)
	}
	return &Server{Pipeline: remote.NewPipeline(conn), Calls: remote.NewCalls(conn), Knowledge: remote.NewKnowledge(conn), conn: conn}, nil
}

// Close ends the connection.
func (s *Server) Close() error { return s.conn.Close() }

// current is every layer of the snapshot that serves when a call comes in: what a
// server offers to other processes.
type current struct{ holder *snapshot.Holder }

var (
	_ precheck.Analyzer   = current{}
	_ retrieval.Retriever = current{}
	_ rerank.Assessor     = current{}
	_ validate.Validator  = current{}
	_ kb.Knowledge        = current{}
)

// recalling is the knowledge base where questions are answered: a judgement of a reply gets
// the question and the documents that it is about.
type recalling struct {
	current
	pipeline *pipeline.Pipeline
}

func (r recalling) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	if about, ok := r.pipeline.Replied(f.TraceID); ok {
		f.Question = cmp.Or(f.Question, about.Question)
		if len(f.Documents) == 0 {
			f.Documents = about.Documents
		}
	}
	return r.current.RecordFeedback(ctx, f)
}

// on calls a layer of the current snapshot.
func on[L comparable, T any](c current, pick func(*snapshot.Snapshot) L, call func(L) (T, error)) (T, error) {
	var zero T
	var none L
	s, release := c.holder.Acquire()
	defer release()
	if s == nil {
		return zero, fmt.Errorf("%w: %w", kb.ErrUnavailable, snapshot.ErrClosed)
	}
	layer := pick(s)
	if layer == none {
		return zero, fmt.Errorf("%w: this process does not serve that layer", kb.ErrUnavailable)
	}
	return call(layer)
}

func (c current) Analyze(ctx context.Context, q kb.Question) (kb.Analysis, error) {
	return on(c, func(s *snapshot.Snapshot) precheck.Analyzer { return s.Precheck },
		func(l precheck.Analyzer) (kb.Analysis, error) { return l.Analyze(ctx, q) })
}

func (c current) Retrieve(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error) {
	return on(c, func(s *snapshot.Snapshot) retrieval.Retriever { return s.Retriever },
		func(l retrieval.Retriever) (kb.Retrieved, error) { return l.Retrieve(ctx, req) })
}

func (c current) Assess(ctx context.Context, req kb.AssessRequest) (kb.Assessment, error) {
	return on(c, func(s *snapshot.Snapshot) rerank.Assessor { return s.Assessor },
		func(l rerank.Assessor) (kb.Assessment, error) { return l.Assess(ctx, req) })
}

func (c current) Answer(ctx context.Context, req kb.AnswerRequest) (kb.AnswerResult, error) {
	return on(c, func(s *snapshot.Snapshot) validate.Validator { return s.Validator },
		func(l validate.Validator) (kb.AnswerResult, error) { return l.Answer(ctx, req) })
}

func (c current) Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, error) {
	return on(c, func(s *snapshot.Snapshot) validate.Validator { return s.Validator },
		func(l validate.Validator) (kb.Verification, error) { return l.Verify(ctx, req) })
}

func knowledge[T any](c current, call func(kb.Knowledge) (T, error)) (T, error) {
	return on(c, func(s *snapshot.Snapshot) kb.Knowledge { return s.Knowledge }, call)
}

func storeErr(c current, call func(kb.Knowledge) error) error {
	_, err := knowledge(c, func(k kb.Knowledge) (struct{}, error) { return struct{}{}, call(k) })
	return err
}

func (c current) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	return knowledge(c, func(k kb.Knowledge) (kb.IngestReport, error) { return k.Put(ctx, docs) })
}

func (c current) Document(ctx context.Context, id string, version int) (kb.Document, error) {
	return knowledge(c, func(k kb.Knowledge) (kb.Document, error) { return k.Document(ctx, id, version) })
}

func (c current) Documents(ctx context.Context, pageToken string, pageSize int) (docs []kb.Document, next string, err error) {
	docs, err = knowledge(c, func(k kb.Knowledge) (d []kb.Document, err error) {
		d, next, err = k.Documents(ctx, pageToken, pageSize)
		return
	})
	return docs, next, err
}

func (c current) Delete(ctx context.Context, id string) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.Delete(ctx, id) })
}

func (c current) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	return knowledge(c, func(k kb.Knowledge) ([]kb.DocumentChange, error) { return k.Changes(ctx, after, limit) })
}

func (c current) RecordGaps(ctx context.Context, gaps []kb.GapRecord) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.RecordGaps(ctx, gaps) })
}

func (c current) ResolveGap(ctx context.Context, id string, d kb.GapDecision) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.ResolveGap(ctx, id, d) })
}

func (c current) RecordAnswers(ctx context.Context, answers []kb.GapAnswer) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.RecordAnswers(ctx, answers) })
}

func (c current) Gaps(ctx context.Context, q kb.GapQuery) (gaps []kb.Gap, next string, err error) {
	gaps, err = knowledge(c, func(k kb.Knowledge) (g []kb.Gap, err error) { g, next, err = k.Gaps(ctx, q); return })
	return gaps, next, err
}

func (c current) RecordReview(ctx context.Context, r kb.Review) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.RecordReview(ctx, r) })
}

func (c current) Reviews(ctx context.Context, pageToken string, pageSize int) (reviews []kb.Review, next string, err error) {
	reviews, err = knowledge(c, func(k kb.Knowledge) (r []kb.Review, err error) {
		r, next, err = k.Reviews(ctx, pageToken, pageSize)
		return
	})
	return reviews, next, err
}

func (c current) ResolveReview(ctx context.Context, id string, state kb.GapState, note string) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.ResolveReview(ctx, id, state, note) })
}

func (c current) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	return storeErr(c, func(k kb.Knowledge) error { return k.RecordFeedback(ctx, f) })
}
