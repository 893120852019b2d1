// Package pipeline orders the four layers: precheck, retrieval, rerank, validate.
// It is the only place that knows the order. It calls the layers by their
// interfaces and cannot tell one in this process from one behind an address.
package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/snapshot"
	"suffice.dev/suffice/services/telemetry"
)

// Source hands out the snapshot that a request works on, and what to call at its
// end. A nil snapshot says that the process is going down.
type Source interface {
	Acquire() (*snapshot.Snapshot, func())
}

// Options of a Pipeline. The zero value logs to slog's default, measures nothing
// and reads the real clock.
type Options struct {
	Logger  *slog.Logger
	Metrics *telemetry.Pipeline
	Level   slog.Leveler     // of the line that each question leaves in the log, by its trace id; nil = debug
	Now     func() time.Time // the clock; its zone decides which day is today
}

// Pipeline answers questions through the layers of the current snapshot. It is
// safe for concurrent use.
type Pipeline struct {
	source  Source
	log     *slog.Logger
	metrics *telemetry.Pipeline
	level   slog.Leveler
	now     func() time.Time
	recent  *lru.Cache[string, Replied] // by trace id
}

// Replied is what is kept of a reply for a while: what a judgement of it is about.
type Replied struct {
	Question  string
	Documents []string // that it cites, in order
}

// recentReplies is how many are kept.
const recentReplies = 4096

var _ services.Pipeline = (*Pipeline)(nil)

// New returns a pipeline over the snapshots of the source.
func New(source Source, opts Options) *Pipeline {
	p := &Pipeline{source: source, log: opts.Logger, metrics: opts.Metrics, level: opts.Level, now: opts.Now}
	if p.log == nil {
		p.log = slog.Default()
	}
	if p.level == nil {
		p.level = slog.LevelDebug
	}
	if p.now == nil {
		p.now = time.Now
	}
	p.recent, _ = lru.New[string, Replied](recentReplies) // an error is of a size below 1
	return p
}

// Replied is what a reply of this process was about; false for one that is too long ago, or
// of another process.
func (p *Pipeline) Replied(traceID string) (Replied, bool) { return p.recent.Get(traceID) }

// remember keeps a reply for Replied.
func (p *Pipeline) remember(req kb.AskRequest, r kb.Reply) {
	kept := Replied{Question: req.Question.Text}
	for _, c := range r.Citations {
		if c.DocumentID != "" && !slices.Contains(kept.Documents, c.DocumentID) {
			kept.Documents = append(kept.Documents, c.DocumentID)
		}
	}
	p.recent.Add(r.TraceID, kept)
}

// Shares of the time that is left that a layer may take. What a layer leaves over
// goes to the next; a late layer leaves time to say so.
const (
	precheckShare  = 0.5
	retrievalShare = 0.6
	rerankShare    = 0.7
	validateShare  = 0.95
)

// call is one request at work.
type call struct {
	*Pipeline
	snap     *snapshot.Snapshot
	begun    time.Time
	given    time.Duration // deadline that the caller named; 0 = none
	traceID  string
	timings  map[string]float64
	hurried  map[string]bool // by part that was left out: whether the deadline that the caller named did it
	progress func(services.Progress)
	released int // sentences of the answer
}

// begin takes a snapshot and sets the deadline. end must be called.
func (p *Pipeline) begin(ctx context.Context, deadline time.Duration) (c *call, bounded context.Context, end func(), err error) {
	snap, release := p.source.Acquire()
	if snap == nil {
		release()
		return nil, nil, nil, fmt.Errorf("%w: %w", kb.ErrUnavailable, snapshot.ErrClosed)
	}
	given := max(0, deadline)
	if given == 0 {
		deadline = snap.Config.Limits.Deadline
	}
	bounded, cancel := context.WithTimeout(ctx, deadline)
	done := p.metrics.Begin()
	c = &call{Pipeline: p, snap: snap, begun: time.Now(), given: given, traceID: newTraceID(), timings: map[string]float64{}, hurried: map[string]bool{}}
	return c, bounded, func() {
		cancel()
		done()
		release()
	}, nil
}

// layer runs one layer within its share of the time and notes how long it took. A
// layer that is later than its share, while the request still has time, counts as
// a part that is down, unless the caller named the time.
func layer[T any](ctx context.Context, c *call, name string, share float64, run func(context.Context) (T, error)) (T, error) {
	var zero T
	if c.progress != nil {
		c.progress(services.Progress{Layer: name})
	}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if end, ok := ctx.Deadline(); ok && share < 1 {
		bounded, cancel = context.WithTimeout(ctx, time.Duration(share*float64(time.Until(end))))
	}
	defer cancel()
	start := time.Now()
	out, err := run(bounded)
	took := time.Since(start)
	c.timings[name] += milliseconds(took)
	c.metrics.Layer(name, took)
	switch {
	case err == nil:
		return out, nil
	case errors.Is(ctx.Err(), context.Canceled):
		return zero, fmt.Errorf("%s: %w", name, ctx.Err())
	case ctx.Err() != nil, c.given > 0 && errors.Is(err, context.DeadlineExceeded):
		return zero, c.late(name)
	case errors.Is(err, context.DeadlineExceeded):
		return zero, fmt.Errorf("%s did not answer within %v: %w", name, took.Round(time.Millisecond), kb.ErrUnavailable)
	}
	return zero, fmt.Errorf("%s: %w", name, err)
}

// late is the error of a call whose time is over, or too short for a layer.
func (c *call) late(name string) error {
	if c.given > 0 {
		return fmt.Errorf("%s: deadline_ms %d is too short; raise it, or leave it out for the server's own (%v): %w",
			name, c.given.Milliseconds(), c.snap.Config.Limits.Deadline, context.DeadlineExceeded)
	}
	return fmt.Errorf("%s: not done within the time of the call (without deadline_ms %v); raise deadline_ms or limits.deadline: %w",
		name, c.snap.Config.Limits.Deadline, context.DeadlineExceeded)
}

// hurriesRoutes reports whether the caller's deadline leaves the routes of a retrieval that
// begins now less time than the server gives them: then a late route is the deadline's doing.
func (c *call) hurriesRoutes(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	l := c.snap.Config.Limits
	return ok && c.given > 0 && retrievalShare*l.RouteShare*float64(time.Until(end)) < float64(l.Route)
}

// lose notes why a part was left out. One that was also lost for another reason is not the
// deadline's doing.
func (c *call) lose(part string, hurried bool) {
	before, known := c.hurried[part]
	c.hurried[part] = hurried && (before || !known)
}

// without is the error of a call that cannot go on without parts that were left out, at
// least one: UNAVAILABLE, unless the caller's deadline alone was too short for them.
func (c *call) without(layer string, lost []kb.Degraded) error {
	for _, d := range lost {
		if !c.hurried[d.Part] {
			return leftOut(layer, d)
		}
	}
	return c.late(layer)
}

func (c *call) analyze(ctx context.Context, q kb.Question) (kb.Analysis, error) {
	if q.AsOf.IsZero() {
		q.AsOf = c.today()
	}
	return layer(ctx, c, "precheck", precheckShare, func(ctx context.Context) (kb.Analysis, error) {
		return c.snap.Precheck.Analyze(ctx, q)
	})
}

// look is what one retrieval of a call looks for beyond the question itself.
type look struct {
	query   string   // "" = the question
	outside bool     // only what is stale
	follow  []string // evidence ids of passages whose references are followed
}

func (c *call) retrieve(ctx context.Context, req kb.AskRequest, a kb.Analysis, l look) (kb.Retrieved, error) {
	if c.snap.Retriever == nil {
		return kb.Retrieved{}, fmt.Errorf("no knowledge base is open; hand passages over or name a data folder: %w", kb.ErrConflict)
	}
	hurries := c.hurriesRoutes(ctx)
	got, err := layer(ctx, c, "retrieval", retrievalShare, func(ctx context.Context) (kb.Retrieved, error) {
		end, _ := ctx.Deadline()
		return c.snap.Retriever.Retrieve(ctx, kb.RetrieveRequest{
			Analysis: a, Query: l.query, Outside: l.outside, Follow: l.follow, TopK: req.TopK, Readers: req.Readers, Collection: req.Collection, Domains: req.Domains,
			Weights: req.Weights, Only: req.Only, Deadline: end,
		})
	})
	if errors.Is(err, retrieval.ErrLate) && hurries {
		return kb.Retrieved{}, c.late("retrieval")
	}
	for _, d := range got.Degraded {
		c.lose(d.Part, hurries && d.Reason == retrieval.ErrLate.Error())
	}
	if err == nil && req.OnFailure == kb.Fail && len(got.Degraded) > 0 {
		return kb.Retrieved{}, c.without("retrieval", got.Degraded)
	}
	return got, err
}

func (c *call) assess(ctx context.Context, a kb.Analysis, candidates []kb.Candidate, explain bool) (kb.Assessment, error) {
	return layer(ctx, c, "rerank", rerankShare, func(ctx context.Context) (kb.Assessment, error) {
		return c.snap.Assessor.Assess(ctx, kb.AssessRequest{Analysis: a, Candidates: candidates, Explain: explain})
	})
}

// Precheck analyses a question.
func (p *Pipeline) Precheck(ctx context.Context, q kb.Question) (kb.Analysis, kb.Versions, error) {
	c, ctx, end, err := p.begin(ctx, 0)
	if err != nil {
		return kb.Analysis{}, kb.Versions{}, err
	}
	defer end()
	a, err := c.analyze(ctx, q)
	return a, c.snap.Versions, err
}

// Retrieve runs precheck and retrieval. Its candidates are those that Ask begins
// with for the same request. A vague question is searched as it stands.
func (p *Pipeline) Retrieve(ctx context.Context, req kb.AskRequest) (kb.Analysis, kb.Retrieved, kb.Versions, error) {
	c, ctx, end, err := p.begin(ctx, req.Deadline)
	if err != nil {
		return kb.Analysis{}, kb.Retrieved{}, kb.Versions{}, err
	}
	defer end()
	a, err := c.analyze(ctx, req.Question)
	if err != nil {
		return kb.Analysis{}, kb.Retrieved{}, c.snap.Versions, err
	}
	got, err := c.retrieve(ctx, req, a, look{})
	return a, got, c.snap.Versions, err
}

// Assess runs precheck and rerank over the passages of the request.
func (p *Pipeline) Assess(ctx context.Context, req kb.AskRequest) (kb.Reply, error) {
	c, ctx, end, err := p.begin(ctx, req.Deadline)
	if err != nil {
		return kb.Reply{}, err
	}
	defer end()
	a, err := c.analyze(ctx, req.Question)
	if err != nil {
		return kb.Reply{}, err
	}
	judged, err := c.assess(ctx, a, handedOver(req.Passages), req.Explain)
	if err != nil {
		return kb.Reply{}, err
	}
	if a.Clarify != nil { // whatever the passages hold, the question cannot be judged
		judged.Outcome, judged.Sufficient = kb.Clarifying, false
	}
	r := c.reply(a)
	r.Outcome, r.Assessment, r.Stale = judged.Outcome, judged, judged.Stale
	r.Missing, r.Conflicts, r.Degraded = judged.Missing, judged.Conflicts, judged.Degraded
	if req.OnFailure == kb.Fail && len(judged.Degraded) > 0 {
		return kb.Reply{}, leftOut("rerank", judged.Degraded[0])
	}
	return c.finish(r), nil
}

// AssessFound judges what Retrieve found as Ask does, without a second retrieval.
func (p *Pipeline) AssessFound(ctx context.Context, q kb.Question, found []kb.Candidate) (kb.Assessment, error) {
	c, ctx, end, err := p.begin(ctx, 0)
	if err != nil {
		return kb.Assessment{}, err
	}
	defer end()
	a, err := c.analyze(ctx, q)
	if err != nil {
		return kb.Assessment{}, err
	}
	return c.assess(ctx, a, found, false)
}

// Verify judges an answer against passages.
func (p *Pipeline) Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, kb.Versions, error) {
	c, ctx, end, err := p.begin(ctx, 0)
	if err != nil {
		return kb.Verification{}, kb.Versions{}, err
	}
	defer end()
	if req.AsOf.IsZero() {
		req.AsOf = c.today()
	}
	v, err := layer(ctx, c, "validate", validateShare, func(ctx context.Context) (kb.Verification, error) {
		return c.snap.Validator.Verify(ctx, req)
	})
	return v, c.snap.Versions, err
}

func (c *call) reply(a kb.Analysis) kb.Reply {
	return kb.Reply{Analysis: a, Clarify: a.Clarify, TraceID: c.traceID, Versions: c.snap.Versions}
}

// finish adds the times, which only now are all known.
func (c *call) finish(r kb.Reply) kb.Reply {
	total := time.Since(c.begun)
	c.metrics.Layer("total", total)
	c.timings["total"] = milliseconds(total)
	r.Timings = c.timings
	return r
}

// today is the calendar day of the process's zone.
func (p *Pipeline) today() time.Time {
	n := p.now()
	return time.Date(n.Year(), n.Month(), n.Day(), 0, 0, 0, 0, time.UTC)
}

// handedOver makes candidates of passages in the caller's order, without scores.
func handedOver(passages []kb.Passage) []kb.Candidate {
	out := make([]kb.Candidate, len(passages))
	for i, p := range passages {
		out[i] = kb.Candidate{Passage: p, Rank: i + 1}
	}
	return out
}

func leftOut(layer string, d kb.Degraded) error {
	return fmt.Errorf("%s: %s: %s: %w", layer, d.Part, d.Reason, kb.ErrUnavailable)
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// newTraceID is 16 random bytes in hex, the form of W3C trace context.
func newTraceID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}
