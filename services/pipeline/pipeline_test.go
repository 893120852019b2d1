package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/snapshot"
)

// The fakes below hold facts as plain words: a passage fills the asked slot when
// its text contains the word. They stand for layers of which only the order and
// the failures matter here; the real ones are tested in their packages.

type fakeAnalyzer struct {
	analysis kb.Analysis
	err      error
	got      kb.Question
}

func (f *fakeAnalyzer) Analyze(_ context.Context, q kb.Question) (kb.Analysis, error) {
	f.got = q
	a := f.analysis
	a.Question, a.Original, a.AsOf = q.Text, q.Text, q.AsOf
	return a, f.err
}

// fakeRetriever answers by query; the empty query is the first pass.
type fakeRetriever struct {
	mu      sync.Mutex
	passage map[string][]kb.Passage // by query
	result  map[string]kb.Retrieved // overrides by query
	err     map[string]error
	wait    bool   // answer only when the context ends
	hangs   string // the query that is answered only then; "" = none
	queries []string
	follow  [][]string      // of each call
	old     map[string]bool // ids that a newer version supersedes
}

func (f *fakeRetriever) Retrieve(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error) {
	f.mu.Lock()
	f.queries = append(f.queries, req.Query)
	f.follow = append(f.follow, req.Follow)
	f.mu.Unlock()
	if f.wait || f.hangs != "" && req.Query == f.hangs {
		<-ctx.Done()
		return kb.Retrieved{}, ctx.Err()
	}
	out := f.result[req.Query]
	out.Weights = kb.Weights{Dense: 1}
	from, to := req.Analysis.Period()
	for _, p := range f.passage[req.Query] {
		if (p.ValidOn(from, to) && !f.old[p.ID]) != req.Outside {
			out.Candidates = append(out.Candidates, kb.Candidate{Passage: p, Rank: len(out.Candidates) + 1})
		}
	}
	return out, f.err[req.Query]
}

// fakeAssessor fills slot i when some passage contains words[i].
type fakeAssessor struct {
	words     []string
	conflicts []kb.Conflict
	cds       float64
	seen      [][]string // ids of each call
	err       error
}

func (f *fakeAssessor) Assess(_ context.Context, req kb.AssessRequest) (kb.Assessment, error) {
	out := kb.Assessment{Conflicts: f.conflicts, CDS: f.cds}
	filled := 0
	var ids []string
	for _, c := range req.Candidates {
		ids = append(ids, c.ID)
	}
	f.seen = append(f.seen, ids)
	for i, w := range f.words {
		s := kb.SlotFill{Slot: kb.Slot{Name: fmt.Sprintf("value_%d", i+1), Role: kb.Asked, Required: true, Subject: "ferry", Attribute: w}, State: kb.Empty}
		for _, c := range req.Candidates {
			if strings.Contains(c.Text, w) {
				s.State = kb.Filled
				s.Evidence = append(s.Evidence, kb.Evidence{PassageID: c.ID, Quote: w})
			}
		}
		if s.State == kb.Filled {
			filled++
		} else {
			out.Missing = append(out.Missing, kb.Missing{Slot: s.Name, Text: w})
		}
		out.Slots = append(out.Slots, s)
	}
	out.FGC = float64(filled) / float64(len(f.words))
	switch {
	case filled == len(f.words):
		out.Outcome, out.Sufficient = kb.Answered, true
	case filled > 0:
		out.Outcome = kb.Partial
	default:
		out.Outcome = kb.Insufficient
	}
	for i := range req.Candidates { // best last, so that the order changes
		out.Passages = append(out.Passages, kb.PassageScore{ID: req.Candidates[len(req.Candidates)-1-i].ID})
	}
	return out, f.err
}

type fakeValidator struct {
	got  kb.AnswerRequest
	gate kb.Gate
	err  error
	hang bool
}

func (f *fakeValidator) Answer(ctx context.Context, req kb.AnswerRequest) (kb.AnswerResult, error) {
	if f.hang {
		<-ctx.Done()
		return kb.AnswerResult{}, ctx.Err()
	}
	f.got = req
	return kb.AnswerResult{
		Outcome: req.Assessment.Outcome, Answer: "It says so.[1]", Gate: f.gate, Conflicts: req.Assessment.Conflicts,
		Claims:    []kb.Claim{{Text: "It says so.[1]", End: 14, Verdict: kb.ClaimSupported}},
		Citations: []kb.Citation{{Number: 1}},
	}, f.err
}

func (f *fakeValidator) Verify(_ context.Context, req kb.VerifyRequest) (kb.Verification, error) {
	return kb.Verification{Verdict: kb.Supported, Support: 1}, f.err
}

// ledger keeps what is recorded; the rest of kb.Knowledge is not called.
type ledger struct {
	kb.Knowledge
	gaps    []kb.GapRecord
	reviews []kb.Review
	answers []kb.GapAnswer
	err     error
}

func (l *ledger) RecordGaps(_ context.Context, g []kb.GapRecord) error {
	l.gaps = append(l.gaps, g...)
	return l.err
}

func (l *ledger) RecordAnswers(_ context.Context, a []kb.GapAnswer) error {
	l.answers = append(l.answers, a...)
	return l.err
}

func (l *ledger) RecordReview(_ context.Context, r kb.Review) error {
	l.reviews = append(l.reviews, r)
	return l.err
}

type fixed struct{ s *snapshot.Snapshot }

func (f fixed) Acquire() (*snapshot.Snapshot, func()) { return f.s, func() {} }

// bench is a pipeline over fakes.
type bench struct {
	analyzer  *fakeAnalyzer
	retriever *fakeRetriever
	assessor  *fakeAssessor
	validator *fakeValidator
	ledger    *ledger
	snap      *snapshot.Snapshot
	*Pipeline
}

func newBench(words ...string) *bench {
	b := &bench{
		analyzer:  &fakeAnalyzer{analysis: kb.Analysis{Class: kb.Numeric, Slots: []kb.Slot{{Name: "subject", Role: kb.Given, Value: "ferry"}}}},
		retriever: &fakeRetriever{passage: map[string][]kb.Passage{}, result: map[string]kb.Retrieved{}, err: map[string]error{}},
		assessor:  &fakeAssessor{words: words},
		validator: &fakeValidator{},
		ledger:    &ledger{},
	}
	b.snap = &snapshot.Snapshot{
		Config: config.Default(), Versions: kb.Versions{Snapshot: "s1", Config: "c1"},
		Precheck: b.analyzer, Retriever: b.retriever, Assessor: b.assessor, Validator: b.validator, Knowledge: b.ledger,
	}
	b.Pipeline = New(fixed{b.snap}, Options{
		Logger: slog.New(slog.DiscardHandler),
		Now:    func() time.Time { return time.Date(2026, 5, 3, 23, 0, 0, 0, time.FixedZone("", 3600)) },
	})
	return b
}

func ask(text string) kb.AskRequest { return kb.AskRequest{Question: kb.Question{Text: text}} }

func passage(id, text string) kb.Passage { return kb.Passage{ID: id, Text: text} }

func day(s string) time.Time {
	d, err := kb.ParseDay(s)
	if err != nil {
		panic(err)
	}
	return d
}

func TestAskAnswered(t *testing.T) {
	b := newBench("fare")
	b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "the fare"), passage("b@1#0", "other")}
	var events []string
	r, err := b.Ask(t.Context(), ask("What is the fare?"), func(p services.Progress) {
		if p.Sentence != nil {
			events = append(events, "sentence "+p.Sentence.Text)
		} else {
			events = append(events, p.Layer)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != kb.Answered || r.Answer == "" || len(r.Citations) != 1 {
		t.Errorf("reply %+v", r.AnswerResult)
	}
	if diff := cmp.Diff([]string{"precheck", "retrieval", "rerank", "validate", "sentence It says so.[1]"}, events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{""}, b.retriever.queries); diff != "" {
		t.Errorf("retrievals (-want +got):\n%s", diff)
	}
	if got := b.validator.got.Candidates; len(got) != 2 || got[0].ID != "b@1#0" {
		t.Errorf("the validator did not get the order of the assessment: %v", got)
	}
	if b.analyzer.got.AsOf != day("2026-05-03") {
		t.Errorf("as of %v, want the day of the process's zone", b.analyzer.got.AsOf)
	}
	if len(b.ledger.gaps)+len(b.ledger.reviews) != 0 {
		t.Errorf("an answer was recorded: %v %v", b.ledger.gaps, b.ledger.reviews)
	}
	if r.TraceID == "" || r.Versions.Snapshot != "s1" || r.Retrieved.Weights.Dense != 1 {
		t.Errorf("trace %q versions %+v weights %+v", r.TraceID, r.Versions, r.Retrieved.Weights)
	}
	for _, name := range []string{"precheck", "retrieval", "rerank", "validate", "total"} {
		if _, ok := r.Timings[name]; !ok {
			t.Errorf("no time of %s", name)
		}
	}
}

func TestAskClarifies(t *testing.T) {
	titled := func(id, title string, heading ...string) kb.Passage {
		return kb.Passage{ID: id, Text: id, Title: title, DocumentID: title, HeadingPath: heading}
	}
	found := []kb.Passage{
		{ID: "z@1#0", Text: "停车场收费", Title: "停车"},
		titled("a@1#0", "Parking", "Parking", "Fees"), titled("a@1#1", "Parking", "Fees"), titled("b@1#0", "Ferry", "Ferry"), titled("c@1#0", ""),
		titled("d@1#0", "Gym"), titled("e@1#0", "Pool", "Lessons"), titled("f@1#0", "Sauna"), titled("g@1#0", "Court"),
	}
	down := fmt.Errorf("index: %w", kb.ErrUnavailable)
	for _, tt := range []struct {
		name    string
		missing string
		request func(*kb.AskRequest)
		fails   error
		want    []kb.ClarifyCandidate
		looked  int
		part    string
		wantErr error
	}{
		{name: "offers what is there", missing: "subject", looked: 1, want: []kb.ClarifyCandidate{
			{Text: "Parking › Fees", EvidenceID: "a@1#0"}, {Text: "Ferry", EvidenceID: "b@1#0"}, {Text: "Gym", EvidenceID: "d@1#0"},
			{Text: "Pool › Lessons", EvidenceID: "e@1#0"}, {Text: "Sauna", EvidenceID: "f@1#0"},
		}},
		{name: "nothing is asked", missing: "question"},
		{name: "passages handed over", missing: "subject", request: func(r *kb.AskRequest) { r.HandedOver = true }},
		{name: "retrieval is down", missing: "subject", fails: down, looked: 1, part: "retrieval"},
		{name: "retrieval is down and must not be", missing: "subject", fails: down, looked: 1, request: func(r *kb.AskRequest) { r.OnFailure = kb.Fail }, wantErr: kb.ErrUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench("fare")
			b.analyzer.analysis.Clarify = &kb.Clarify{Missing: []string{tt.missing}, Prompt: "Which one?"}
			b.analyzer.analysis.Language = "en"
			b.retriever.passage[""] = found
			if tt.fails != nil {
				b.retriever.err = map[string]error{"": tt.fails}
			}
			req := ask("how much?")
			if tt.request != nil {
				tt.request(&req)
			}
			r, err := b.Ask(t.Context(), req, nil)
			if !errors.Is(err, tt.wantErr) {
				t.Fatalf("error %v, want %v", err, tt.wantErr)
			}
			if len(b.retriever.queries) != tt.looked || len(b.assessor.seen)+len(b.ledger.gaps) != 0 {
				t.Errorf("%d retrievals, want %d; judged %d, recorded %d, want none", len(b.retriever.queries), tt.looked, len(b.assessor.seen), len(b.ledger.gaps))
			}
			if err != nil {
				return
			}
			if r.Outcome != kb.Clarifying || r.Clarify == nil || r.Clarify.Prompt != "Which one?" || r.Answer != "" || r.Citations != nil {
				t.Fatalf("reply %+v", r)
			}
			if diff := cmp.Diff(tt.want, r.Clarify.Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
			if part := len(r.Degraded) > 0; part != (tt.part != "") || part && r.Degraded[0].Part != tt.part {
				t.Errorf("degraded %v, want %q", r.Degraded, tt.part)
			}
			if b.analyzer.analysis.Clarify.Candidates != nil {
				t.Error("the analysis was changed")
			}
		})
	}
}

func TestHandedOverPassages(t *testing.T) {
	for _, passages := range [][]kb.Passage{nil, {passage("p1", "nothing of use")}} {
		b := newBench("fare")
		req := ask("What is the fare?")
		req.HandedOver, req.Passages = true, passages
		r, err := b.Ask(t.Context(), req, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != kb.Insufficient || r.Answer != "" || r.Citations != nil || r.Claims != nil {
			t.Errorf("a refusal carries an answer: %+v", r.AnswerResult)
		}
		if len(b.retriever.queries) != 0 || len(b.ledger.gaps) != 0 {
			t.Errorf("handed-over passages were added to or recorded: %v %v", b.retriever.queries, b.ledger.gaps)
		}
	}
}

func TestSecondPassForEmptySlots(t *testing.T) {
	const second = "ferry luggage"
	for _, tt := range []struct {
		name    string
		more    []kb.Passage
		fails   error
		policy  kb.FailurePolicy
		outcome kb.Outcome
		wantErr error
		judged  int // calls of the assessor
		part    string
	}{
		{name: "finds it", more: []kb.Passage{passage("a@1#0", "the fare"), passage("c@1#0", "luggage")}, outcome: kb.Answered, judged: 2},
		{name: "finds nothing new", more: []kb.Passage{passage("a@1#0", "the fare")}, outcome: kb.Partial, judged: 1},
		{name: "is down", fails: fmt.Errorf("index: %w", kb.ErrUnavailable), outcome: kb.Partial, judged: 1, part: "second_retrieval"},
		{name: "is down and must not be", fails: fmt.Errorf("index: %w", kb.ErrUnavailable), policy: kb.Fail, wantErr: kb.ErrUnavailable, judged: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench("fare", "luggage")
			b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "the fare")}
			b.retriever.passage[second] = tt.more
			b.retriever.err[second] = tt.fails
			req := ask("What is the fare, and for luggage?")
			req.OnFailure = tt.policy
			r, err := b.Ask(t.Context(), req, nil)
			if !errors.Is(err, tt.wantErr) {
				t.Fatalf("error %v, want %v", err, tt.wantErr)
			}
			if r.Outcome != tt.outcome || len(b.assessor.seen) != tt.judged {
				t.Errorf("outcome %s after %d judgements, want %s after %d", r.Outcome, len(b.assessor.seen), tt.outcome, tt.judged)
			}
			if len(b.retriever.queries) < 2 || b.retriever.queries[1] != second {
				t.Errorf("queries %q, want the second to be %q", b.retriever.queries, second)
			}
			if tt.part != "" && (len(r.Degraded) != 1 || r.Degraded[0].Part != tt.part) {
				t.Errorf("degraded %v, want %s", r.Degraded, tt.part)
			}
			if tt.part != "" && len(b.ledger.gaps) != 0 {
				t.Errorf("a gap was recorded though a part was down: %v", b.ledger.gaps)
			}
		})
	}
}

// TestDownIsNeverInsufficient: what a lost part might have found is not missing.
func TestDownIsNeverInsufficient(t *testing.T) {
	down := fmt.Errorf("dial: %w", kb.ErrUnavailable)
	lost := kb.Retrieved{Degraded: []kb.Degraded{{Part: "bm25", Reason: "late"}}}
	for _, tt := range []struct {
		name    string
		set     func(b *bench, req *kb.AskRequest)
		wantErr error
		outcome kb.Outcome
	}{
		{"precheck down", func(b *bench, _ *kb.AskRequest) { b.analyzer.err = down }, kb.ErrUnavailable, ""},
		{"retrieval down", func(b *bench, _ *kb.AskRequest) { b.retriever.err[""] = down }, kb.ErrUnavailable, ""},
		{"rerank down", func(b *bench, _ *kb.AskRequest) { b.assessor.err = down }, kb.ErrUnavailable, ""},
		{"validate down", func(b *bench, _ *kb.AskRequest) { b.validator.err = down }, kb.ErrUnavailable, ""},
		{"a route lost, the rest suffices", func(b *bench, _ *kb.AskRequest) { b.retriever.result[""] = lost }, nil, kb.Answered},
		{"a route lost, the rest does not suffice", func(b *bench, _ *kb.AskRequest) {
			b.retriever.result[""] = lost
			b.retriever.passage[""] = nil
		}, kb.ErrUnavailable, ""},
		{"a route lost and it must not be", func(b *bench, req *kb.AskRequest) {
			b.retriever.result[""] = lost
			req.OnFailure = kb.Fail
		}, kb.ErrUnavailable, ""},
		{"retrieval hangs", func(b *bench, req *kb.AskRequest) {
			b.retriever.wait = true
			req.Deadline = 50 * time.Millisecond
		}, context.DeadlineExceeded, ""},
		{"retrieval hangs, the caller named no deadline", func(b *bench, _ *kb.AskRequest) {
			b.retriever.wait = true
			b.snap.Config.Limits.Deadline = 50 * time.Millisecond
		}, kb.ErrUnavailable, ""},
		{"the second retrieval hangs", func(b *bench, req *kb.AskRequest) {
			b.retriever.hangs, b.retriever.passage[""] = "ferry fare", []kb.Passage{passage("a@1#0", "the timetable")}
			req.Deadline = 50 * time.Millisecond
		}, context.DeadlineExceeded, ""},
		{"the second retrieval hangs and it must not be left out", func(b *bench, req *kb.AskRequest) {
			b.retriever.hangs, b.retriever.passage[""] = "ferry fare", []kb.Passage{passage("a@1#0", "the timetable")}
			req.Deadline, req.OnFailure = 50*time.Millisecond, kb.Fail
		}, context.DeadlineExceeded, ""},
		{"the second retrieval hangs, the caller named no deadline", func(b *bench, _ *kb.AskRequest) {
			b.retriever.hangs, b.retriever.passage[""] = "ferry fare", []kb.Passage{passage("a@1#0", "the timetable")}
			b.snap.Config.Limits.Deadline = 50 * time.Millisecond
		}, kb.ErrUnavailable, ""},
		{"a route is late by the caller's deadline and must not be", func(b *bench, req *kb.AskRequest) {
			b.retriever.result[""] = lost
			req.Deadline, req.OnFailure = 50*time.Millisecond, kb.Fail
		}, context.DeadlineExceeded, ""},
		{"a route is late in the second retrieval, which has less time", func(b *bench, req *kb.AskRequest) {
			b.retriever.passage[""], b.retriever.result["ferry fare"] = []kb.Passage{passage("a@1#0", "the timetable")}, lost
			req.Deadline = 50 * time.Millisecond
		}, context.DeadlineExceeded, ""},
		{"a route is late by the caller's deadline, another is down", func(b *bench, req *kb.AskRequest) {
			b.retriever.result[""] = kb.Retrieved{Degraded: append(slices.Clone(lost.Degraded), kb.Degraded{Part: "graph", Reason: "failed"})}
			b.retriever.passage[""] = nil
			req.Deadline = 50 * time.Millisecond
		}, kb.ErrUnavailable, ""},
		{"no knowledge base", func(b *bench, _ *kb.AskRequest) { b.snap.Retriever = nil }, kb.ErrConflict, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench("fare")
			b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "the fare")}
			req := ask("What is the fare?")
			tt.set(b, &req)
			r, err := b.Ask(t.Context(), req, nil)
			if !errors.Is(err, tt.wantErr) || (tt.wantErr == nil) != (err == nil) {
				t.Fatalf("error %v, want %v", err, tt.wantErr)
			}
			if r.Outcome != tt.outcome {
				t.Errorf("outcome %q, want %q", r.Outcome, tt.outcome)
			}
			if err == nil && (len(r.Degraded) != 1 || r.Degraded[0].Part != "bm25") {
				t.Errorf("degraded %v, want bm25", r.Degraded)
			}
			if len(b.ledger.gaps) != 0 {
				t.Errorf("recorded as a gap: %v", b.ledger.gaps)
			}
		})
	}
}

func TestCallersContextEnds(t *testing.T) {
	b := newBench("fare")
	b.retriever.wait = true
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := b.Ask(ctx, ask("What is the fare?"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestStaleSources(t *testing.T) {
	b := newBench("fare")
	old := passage("fares@1#0", "the fare of then")
	old.ValidTo = day("2025-12-31")
	next := passage("fares@3#0", "the fare to come")
	next.ValidFrom = day("2027-01-01")
	replaced := passage("fares@2#0", "the fare until the new terms")
	b.retriever.old = map[string]bool{"fares@2#0": true}
	aside := passage("other@1#0", "nothing of use")
	aside.ValidTo = day("2025-12-31")
	const question = "What is the fare?"
	b.retriever.passage[""] = []kb.Passage{old, next, aside}
	b.retriever.passage[question] = []kb.Passage{old, next, replaced, aside}
	r, err := b.Ask(t.Context(), ask(question), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []kb.Stale{{PassageID: "fares@1#0", Reason: kb.Expired}, {PassageID: "fares@3#0", Reason: kb.NotYetValid}, {PassageID: "fares@2#0", Reason: kb.StaleSuperseded}}
	if diff := cmp.Diff(want, r.Stale); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
	if r.Outcome != kb.Insufficient {
		t.Errorf("outcome %s", r.Outcome)
	}
	if len(b.ledger.gaps) != 1 || b.ledger.gaps[0].Kind != kb.GapStale || !cmp.Equal(b.ledger.gaps[0].Documents, []string{"fares"}) {
		t.Errorf("gaps %+v, want one STALE for fares", b.ledger.gaps)
	}
}

// TestSecondPassFollows: passages that point elsewhere are followed, others are not.
func TestSecondPassFollows(t *testing.T) {
	b := newBench("fare")
	b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "Prices are set out in Appendix B."), passage("b@1#0", "The pier has lamps."), passage("c@1#0", "Pay at:")}
	if _, err := b.Ask(t.Context(), ask("What is the fare?"), nil); err != nil {
		t.Fatal(err)
	}
	if len(b.retriever.follow) < 2 || !cmp.Equal(slices.Sorted(slices.Values(b.retriever.follow[1])), []string{"a@1#0", "c@1#0"}) {
		t.Errorf("followed %v", b.retriever.follow)
	}
}

func TestGaps(t *testing.T) {
	pair := func(hard bool, res kb.Resolution) kb.Conflict {
		return kb.Conflict{Kind: kb.ConflictValue, Hard: hard, Subject: "ferry", Attribute: "fare", Resolution: res,
			A: kb.Evidence{PassageID: "a@1#0", Value: "3 crowns"}, B: kb.Evidence{PassageID: "b@2#1", Value: "5 crowns"}}
	}
	for _, tt := range []struct {
		name      string
		words     []string
		conflicts []kb.Conflict
		cds       float64
		gate      kb.Gate
		noGaps    bool
		gaps      []string // kind text documents
		reviews   []string
	}{
		{name: "answered", words: []string{"fare"}},
		{name: "missing", words: []string{"luggage"}, gaps: []string{"MISSING luggage []"}},
		{name: "partial", words: []string{"fare", "luggage", "bicycles"}, gaps: []string{"MISSING luggage; bicycles []"}},
		{name: "test traffic", words: []string{"luggage"}, noGaps: true},
		{name: "superseded", words: []string{"fare"}, conflicts: []kb.Conflict{pair(true, kb.Superseded)}},
		{name: "newer", words: []string{"fare"}, conflicts: []kb.Conflict{pair(true, kb.Newer)},
			gaps: []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"}},
		{name: "unresolved and hard", words: []string{"fare"}, conflicts: []kb.Conflict{pair(true, kb.Unresolved)},
			gaps:    []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"},
			reviews: []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"}},
		{name: "unresolved and soft", words: []string{"fare"}, conflicts: []kb.Conflict{pair(false, kb.Unresolved)},
			gaps: []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"}},
		{name: "several pairs count once", words: []string{"fare"}, conflicts: []kb.Conflict{pair(false, kb.Unresolved), pair(false, kb.Newer), pair(true, kb.Superseded)},
			gaps: []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"}},
		{name: "conflicts weigh too much", words: []string{"fare"}, conflicts: []kb.Conflict{pair(false, kb.ByAuthor)}, cds: 2,
			gaps:    []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"},
			reviews: []string{"CONFLICT ferry fare: 3 crowns / 5 crowns [a b]"}},
		{name: "failed gate", words: []string{"fare"},
			gate:    kb.Gate{Passed: 3, Total: 4, Rate: 0.75, Statements: []kb.Statement{{PassageID: "a@1#0", Counted: true}}},
			reviews: []string{"GATE 3 of 4 statements passed [a]"}},
		{name: "nothing stated", words: []string{"fare"},
			gate:    kb.Gate{Statements: []kb.Statement{{PassageID: "a@1#0"}, {PassageID: "b@2#1"}, {PassageID: "b@2#2"}}},
			reviews: []string{"GATE none of 3 passages states what is asked [a b]"}},
		{name: "passed gate", words: []string{"fare"}, gate: kb.Gate{Passed: 4, Total: 5, Rate: 0.8, Statements: []kb.Statement{{PassageID: "a@1#0", Counted: true}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(tt.words...)
			b.assessor.conflicts, b.assessor.cds, b.validator.gate = tt.conflicts, tt.cds, tt.gate
			b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "the fare")}
			req := ask("What?")
			req.NoGaps = tt.noGaps
			if _, err := b.Ask(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			var gaps, reviews []string
			for _, g := range b.ledger.gaps {
				gaps = append(gaps, fmt.Sprint(g.Kind, " ", g.Text, " ", g.Documents))
				if g.Question != "What?" || g.Class != kb.Numeric || g.TraceID == "" || g.At.IsZero() || len(g.Slots) == 0 && len(tt.words) == 0 {
					t.Errorf("incomplete gap %+v", g)
				}
			}
			for _, r := range b.ledger.reviews {
				reviews = append(reviews, fmt.Sprint(r.Kind, " ", r.Text, " ", r.Documents))
			}
			if diff := cmp.Diff(tt.gaps, gaps); diff != "" {
				t.Errorf("gaps (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.reviews, reviews); diff != "" {
				t.Errorf("reviews (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnswersAreNoted: a question that is answered speaks for the gaps that it may have left
// before; that is noted for the people who keep the documents, and costs no reply.
func TestAnswersAreNoted(t *testing.T) {
	newer := kb.Conflict{Hard: true, Resolution: kb.Newer, A: kb.Evidence{PassageID: "a@1#0", Value: "3"}, B: kb.Evidence{PassageID: "b@1#0", Value: "5"}}
	for _, tt := range []struct {
		name  string
		words []string
		set   func(b *bench, req *kb.AskRequest)
		want  string
	}{
		{"answered", []string{"fare"}, nil, "[MISSING STALE CONFLICT]"},
		{"answered, and the documents disagree", []string{"fare"}, func(b *bench, _ *kb.AskRequest) { b.assessor.conflicts = []kb.Conflict{newer} }, "[MISSING STALE]"},
		{"in part", []string{"fare", "luggage"}, nil, ""},
		{"test traffic", []string{"fare"}, func(_ *bench, req *kb.AskRequest) { req.NoGaps = true }, ""},
		{"passages of its own", []string{"fare"}, func(_ *bench, req *kb.AskRequest) {
			req.HandedOver, req.Passages = true, []kb.Passage{passage("p", "the fare")}
		}, ""},
		{"not written", []string{"fare"}, func(b *bench, _ *kb.AskRequest) { b.ledger.err = errors.New("disk full") }, "[MISSING STALE CONFLICT]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(tt.words...)
			b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "the fare")}
			req := ask("What?")
			if tt.set != nil {
				tt.set(b, &req)
			}
			r, err := b.Ask(t.Context(), req, nil)
			if err != nil || len(r.Degraded) > 0 {
				t.Fatalf("%v, degraded %v", err, r.Degraded)
			}
			got := ""
			for _, a := range b.ledger.answers {
				if got += fmt.Sprint(a.Kinds); a.Question != "What?" || a.At.IsZero() {
					t.Errorf("incomplete answer %+v", a)
				}
			}
			if got != tt.want {
				t.Errorf("noted for %q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnwrittenGapIsSaid(t *testing.T) {
	b := newBench("luggage")
	b.ledger.err = errors.New("disk full")
	r, err := b.Ask(t.Context(), ask("What?"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != kb.Insufficient || len(r.Degraded) != 1 || r.Degraded[0].Part != "gaps" {
		t.Errorf("outcome %s, degraded %v", r.Outcome, r.Degraded)
	}
}

func TestRetrieveIsWhatAskBeginsWith(t *testing.T) {
	b := newBench("fare")
	b.retriever.passage[""] = []kb.Passage{passage("a@1#0", "the fare")}
	_, got, versions, err := b.Retrieve(t.Context(), ask("What is the fare?"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := b.Ask(t.Context(), ask("What is the fare?"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got.Candidates, r.Retrieved.Candidates); diff != "" {
		t.Errorf("candidates of Retrieve and Ask differ (-retrieve +ask):\n%s", diff)
	}
	if versions.Snapshot != "s1" {
		t.Errorf("versions %+v", versions)
	}
}

func TestAssess(t *testing.T) {
	b := newBench("fare")
	req := kb.AskRequest{Question: kb.Question{Text: "What is the fare?"}, HandedOver: true, Passages: []kb.Passage{passage("p1", "the fare")}}
	r, err := b.Assess(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome != kb.Answered || !r.Assessment.Sufficient || r.Versions.Config != "c1" {
		t.Errorf("reply %+v", r)
	}
	b.analyzer.analysis.Clarify = &kb.Clarify{Prompt: "Which?"}
	if r, err = b.Assess(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if r.Outcome != kb.Clarifying || r.Assessment.Sufficient || r.Assessment.Outcome != kb.Clarifying {
		t.Errorf("a vague question is judged %s, sufficient %v", r.Outcome, r.Assessment.Sufficient)
	}
}

func TestVerifyAndPrecheck(t *testing.T) {
	b := newBench()
	v, versions, err := b.Verify(t.Context(), kb.VerifyRequest{Answer: "x"})
	if err != nil || v.Verdict != kb.Supported || versions.Snapshot != "s1" {
		t.Errorf("verify: %+v %+v %v", v, versions, err)
	}
	a, versions, err := b.Precheck(t.Context(), kb.Question{Text: "q", AsOf: day("2020-02-02")})
	if err != nil || a.AsOf != day("2020-02-02") || versions.Snapshot != "s1" {
		t.Errorf("precheck: %+v %+v %v", a, versions, err)
	}
}

func TestGoingDown(t *testing.T) {
	p := New(fixed{nil}, Options{})
	if _, err := p.Ask(t.Context(), ask("x"), nil); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
}
