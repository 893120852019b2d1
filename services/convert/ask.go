package convert

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
)

// asker is what the requests that ask a question share.
type asker interface {
	GetQuestion() string
	GetHistory() []*pb.Turn
}

func (r *reader) question(q asker, asOf *string, limits services.Limits) kb.Question {
	r.text("question", q.GetQuestion(), limits.Question)
	return kb.Question{
		Text: q.GetQuestion(), AsOf: r.day("as_of", asOf),
		History: r.turns("history", q.GetHistory(), &limits),
	}
}

// topK reads the number of passages to retrieve; 0 when the request does not say.
func (r *reader) topK(field string, v *int32, limit int) int {
	if v == nil {
		return 0
	}
	if *v < 1 || (limit > 0 && int(*v) > limit) {
		r.fail(field, "%d passages cannot be retrieved; write 1 to %d", *v, limit)
	}
	return int(*v)
}

func (r *reader) deadline(field string, ms *int32) time.Duration {
	if ms == nil {
		return 0
	}
	if *ms < 1 {
		r.fail(field, "%d is no time to answer in; write milliseconds from 1, or leave it out", *ms)
	}
	return time.Duration(*ms) * time.Millisecond
}

func (r *reader) onFailure(p pb.FailurePolicy) kb.FailurePolicy {
	if p == pb.FailurePolicy_FAILURE_POLICY_UNSPECIFIED {
		return kb.Degrade
	}
	policy := fromEnum[kb.FailurePolicy](p)
	if policy == "" {
		r.fail("on_failure", "%d is no policy; write DEGRADE or FAIL", p)
	}
	return policy
}

func (r *reader) language(field string, s *string) string {
	if s == nil {
		return ""
	}
	switch *s {
	case "", "zh", "en":
	default:
		r.fail(field, "%q is no language of a reply; write zh or en", *s)
	}
	return *s
}

// milliseconds is a deadline on the wire, rounded up; nil for none.
func milliseconds(d time.Duration) *int32 {
	if d <= 0 {
		return nil
	}
	ms := (d + time.Millisecond - 1) / time.Millisecond
	if ms > math.MaxInt32 {
		ms = math.MaxInt32
	}
	return known(int32(ms))
}

// FromAskRequest reads and checks a request to AskService.Ask.
func FromAskRequest(q *pb.AskRequest, limits services.Limits) (kb.AskRequest, error) {
	var r reader
	out := kb.AskRequest{
		Question: r.question(q, q.AsOf, limits), Readers: r.names("readers", q.GetReaders()), Collection: q.GetCollection(), Domains: r.names("domains", q.GetDomains()),
		HandedOver: q.GetHandedOver() || len(q.GetPassages()) > 0,
		OnFailure:  r.onFailure(q.GetOnFailure()), Deadline: r.deadline("deadline_ms", q.DeadlineMs),
		ReplyLanguage: r.language("reply_language", q.ReplyLanguage), Weights: r.weights("weights", q.GetWeights()),
		Only: r.routes("routes", q.GetRoutes()), TopK: r.topK("top_k", q.TopK, limits.TopK), NoGaps: q.GetNoGaps(),
	}
	if len(q.GetPassages()) > 0 {
		if q.HandedOver != nil && !q.GetHandedOver() {
			r.fail("handed_over", "is false beside passages; leave it out")
		}
		out.Passages = r.handedOver("passages", q.GetPassages(), limits)
	}
	return out, r.err
}

// ToAskRequest is the request to AskService.Ask. The deadline is rounded up to a millisecond.
func ToAskRequest(id string, q kb.AskRequest) *pb.AskRequest {
	out := &pb.AskRequest{
		Id: id, Question: q.Question.Text, AsOf: day(q.Question.AsOf), Readers: keep(q.Readers), Passages: list(q.Passages, ToPassage),
		HandedOver: optional(q.HandedOver), History: toTurns(q.Question.History), OnFailure: toEnum[pb.FailurePolicy](q.OnFailure),
		DeadlineMs: milliseconds(q.Deadline), Collection: optional(q.Collection), Domains: keep(q.Domains), ReplyLanguage: optional(q.ReplyLanguage),
		TopK: optionalInt(q.TopK), Routes: texts(q.Only), NoGaps: optional(q.NoGaps),
	}
	if q.Weights != nil {
		out.Weights = toWeights(*q.Weights)
	}
	return out
}

// FromRetrieveRequest reads and checks a request to AskService.Retrieve.
func FromRetrieveRequest(q *pb.RetrieveRequest, limits services.Limits) (kb.AskRequest, error) {
	var r reader
	out := kb.AskRequest{
		Question: r.question(q, q.AsOf, limits), Readers: r.names("readers", q.GetReaders()), Collection: q.GetCollection(), Domains: r.names("domains", q.GetDomains()),
		OnFailure: r.onFailure(q.GetOnFailure()), Deadline: r.deadline("deadline_ms", q.DeadlineMs),
		Weights: r.weights("weights", q.GetWeights()), Only: r.routes("routes", q.GetRoutes()),
		TopK: r.topK("top_k", q.TopK, limits.TopK),
	}
	return out, r.err
}

// ToRetrieveRequest is the request to AskService.Retrieve. It carries neither
// passages nor what concerns an answer.
func ToRetrieveRequest(id string, q kb.AskRequest) *pb.RetrieveRequest {
	out := &pb.RetrieveRequest{
		Id: id, Question: q.Question.Text, AsOf: day(q.Question.AsOf), TopK: optionalInt(q.TopK), Readers: keep(q.Readers),
		Routes: texts(q.Only), History: toTurns(q.Question.History), OnFailure: toEnum[pb.FailurePolicy](q.OnFailure),
		DeadlineMs: milliseconds(q.Deadline), Collection: optional(q.Collection), Domains: keep(q.Domains),
	}
	if q.Weights != nil {
		out.Weights = toWeights(*q.Weights)
	}
	return out
}

// FromAssessRequest reads and checks a request to AskService.Assess.
func FromAssessRequest(q *pb.AssessRequest, limits services.Limits) (kb.AskRequest, error) {
	var r reader
	out := kb.AskRequest{
		Question: r.question(q, q.AsOf, limits), HandedOver: true,
		Passages: r.handedOver("passages", q.GetPassages(), limits), Explain: q.GetExplain(),
	}
	out.Passages = keep(out.Passages)
	return out, r.err
}

// ToAssessRequest is the request to AskService.Assess: question and passages.
func ToAssessRequest(id string, q kb.AskRequest) *pb.AssessRequest {
	return &pb.AssessRequest{
		Id: id, Question: q.Question.Text, Passages: list(q.Passages, ToPassage), AsOf: day(q.Question.AsOf),
		History: toTurns(q.Question.History), Explain: optional(q.Explain),
	}
}

// FromVerifyRequest reads and checks a request to AskService.Verify.
func FromVerifyRequest(q *pb.VerifyRequest, limits services.Limits) (kb.VerifyRequest, error) {
	var r reader
	if q.Question != nil && q.GetQuestion() != "" {
		r.text("question", q.GetQuestion(), limits.Question)
	}
	if q.Answer == nil {
		r.fail("answer", "is missing; write the answer to verify")
	}
	r.length("answer", q.GetAnswer(), limits.Answer)
	out := kb.VerifyRequest{
		Question: q.GetQuestion(), Answer: q.GetAnswer(), AsOf: r.day("as_of", q.AsOf),
		Passages: keep(r.handedOver("passages", q.GetPassages(), limits)),
	}
	return out, r.err
}

// ToVerifyRequest is the request to AskService.Verify.
func ToVerifyRequest(id string, q kb.VerifyRequest) *pb.VerifyRequest {
	return &pb.VerifyRequest{
		Id: id, Question: optional(q.Question), Answer: known(q.Answer), Passages: list(q.Passages, ToPassage), AsOf: day(q.AsOf),
	}
}

// FromPrecheckRequest reads and checks a request to PrecheckService.Precheck.
func FromPrecheckRequest(q *pb.PrecheckRequest, limits services.Limits) (kb.Question, error) {
	var r reader
	out := r.question(q, q.AsOf, limits)
	return out, r.err
}

// ToPrecheckRequest is the request to PrecheckService.Precheck.
func ToPrecheckRequest(id string, q kb.Question) *pb.PrecheckRequest {
	return &pb.PrecheckRequest{Id: id, Question: q.Text, AsOf: day(q.AsOf), History: toTurns(q.History)}
}

// ToPrecheckResponse is the reply of precheck in the form of the contract: the
// expansions are terms without weights.
func ToPrecheckResponse(id string, a kb.Analysis, v kb.Versions) *pb.PrecheckResponse {
	out := &pb.PrecheckResponse{
		Id: id, QuestionClass: toEnum[pb.QuestionClass](a.Class), Probability: known(a.Probability), Classes: toClasses(a.Classes),
		Risk: toEnum[pb.Risk](a.Risk), Language: a.Language, Slots: list(a.Slots, toSlot), Time: toTime(a.Time),
		Expansions: list(a.Expansions, func(e kb.Expansion) string { return e.Term }),
		Clarify:    toClarify(a.Clarify), Decided: keep(a.Decided), Versions: ToVersions(v),
	}
	if a.Original != "" && a.Question != a.Original {
		out.Completed = optional(a.Question)
		// Offsets are into the question as asked: what came from the history has none.
		asked := a
		asked.Slots = slices.Clone(a.Slots)
		for i := range asked.Slots {
			s := &asked.Slots[i]
			s.Start, s.End = Locate(a.Original, s.Value)
		}
		out.Slots = list(asked.Slots, toSlot)
		if a.Time != nil {
			t := *a.Time
			t.Start, t.End = Locate(a.Original, t.Text)
			out.Time = toTime(&t)
		}
	}
	return out
}

// Locate returns the code points of the first place of value in text; 0, 0 if there is
// none.
func Locate(text, value string) (start, end int) {
	at := strings.Index(text, value)
	if at < 0 || value == "" {
		return 0, 0
	}
	start = utf8.RuneCountInString(text[:at])
	return start, start + utf8.RuneCountInString(value)
}

// FromPrecheckResponse reads what the contract's form of an analysis holds.
// question is the question that was asked; the as-of day, weights of expansions and
// the flags Now and Modal are not carried.
func FromPrecheckResponse(question string, p *pb.PrecheckResponse) (kb.Analysis, kb.Versions, error) {
	var r reader
	out := kb.Analysis{
		Question: question, Original: question,
		Class: fromEnum[kb.Class](p.GetQuestionClass()), Probability: p.GetProbability(), Classes: fromClasses(p.GetClasses()),
		Risk: fromEnum[kb.Risk](p.GetRisk()), Language: p.GetLanguage(), Slots: list(p.GetSlots(), fromSlot),
		Time:       r.time("time", p.GetTime()),
		Expansions: list(p.GetExpansions(), func(term string) kb.Expansion { return kb.Expansion{Term: term} }),
		Clarify:    fromClarify(p.GetClarify()), Decided: keep(p.GetDecided()),
	}
	if p.Completed != nil {
		out.Question = p.GetCompleted()
		for i := range out.Slots {
			out.Slots[i].Start, out.Slots[i].End = Locate(out.Question, out.Slots[i].Value)
		}
		if out.Time != nil {
			out.Time.Start, out.Time.End = Locate(out.Question, out.Time.Text)
		}
	}
	return out, FromVersions(p.GetVersions()), r.err
}

// ToRetrieveResponse is the reply of retrieve.
func ToRetrieveResponse(id string, a kb.Analysis, got kb.Retrieved, v kb.Versions) *pb.RetrieveResponse {
	return &pb.RetrieveResponse{
		Id: id, Passages: list(got.Candidates, toRetrievedPassage), Weights: toWeights(got.Weights), Hits: toHits(got.Hits),
		Degraded: toDegraded(got.Degraded), RoutesOff: texts(got.RoutesOff), Versions: ToVersions(v),
		QuestionClass: toEnum[pb.QuestionClass](a.Class),
	}
}

// FromRetrieveResponse reads the reply of retrieve; of the analysis it carries the class.
func FromRetrieveResponse(p *pb.RetrieveResponse) (kb.Analysis, kb.Retrieved, kb.Versions, error) {
	var r reader
	var candidates []kb.Candidate
	for i, c := range p.GetPassages() {
		candidates = append(candidates, r.retrievedPassage(index("passages", i), c))
	}
	return kb.Analysis{Class: fromEnum[kb.Class](p.GetQuestionClass())}, kb.Retrieved{
		Candidates: candidates, Weights: weightsOf(p.GetWeights()), Hits: fromHits(p.GetHits()),
		RoutesOff: routesOf(p.GetRoutesOff()), Degraded: fromDegraded(p.GetDegraded()),
	}, FromVersions(p.GetVersions()), r.err
}

func weightsOf(w *pb.Weights) kb.Weights {
	return kb.Weights{Dense: w.GetDense(), BM25: w.GetBm25(), Graph: w.GetGraph()}
}

func routesOf(in []string) []kb.Route {
	return list(in, func(s string) kb.Route { return kb.Route(s) })
}

// ToAssessResponse is the reply of assess.
func ToAssessResponse(id string, reply kb.Reply) *pb.AssessResponse {
	a := reply.Assessment
	return &pb.AssessResponse{
		Id: id, Outcome: toEnum[pb.Outcome](a.Outcome), Sufficient: known(a.Sufficient), Sufficiency: known(a.Sufficiency),
		Fgc: known(a.FGC), Cds: known(a.CDS), Sid: known(a.SID), Slots: list(a.Slots, toSlotFill), Missing: toMissing(a.Missing),
		Conflicts: list(a.Conflicts, toConflict), Passages: list(a.Passages, toPassageScore), Stale: toStale(staleOf(reply)),
		Clarify: toClarify(reply.Clarify), Degraded: toDegraded(union(a.Degraded, reply.Degraded)), Level: optional(a.Level),
		Versions: ToVersions(reply.Versions), QuestionClass: toEnum[pb.QuestionClass](reply.Analysis.Class),
		ContributionMethod: toEnum[pb.ContributionMethod](a.Method),
	}
}

// FromAssessResponse reads the reply of assess; of the analysis it carries the class.
func FromAssessResponse(p *pb.AssessResponse) kb.Reply {
	stale := fromStale(p.GetStale())
	return kb.Reply{
		Analysis: kb.Analysis{Class: fromEnum[kb.Class](p.GetQuestionClass())}, Clarify: fromClarify(p.GetClarify()), Stale: stale,
		Assessment: kb.Assessment{
			Outcome: fromEnum[kb.Outcome](p.GetOutcome()), Sufficient: p.GetSufficient(), Sufficiency: p.GetSufficiency(),
			FGC: p.GetFgc(), CDS: p.GetCds(), SID: p.GetSid(), Level: p.GetLevel(), Slots: list(p.GetSlots(), fromSlotFill),
			Missing: fromMissing(p.GetMissing()), Conflicts: list(p.GetConflicts(), fromConflict),
			Passages: list(p.GetPassages(), fromPassageScore), Stale: stale, Degraded: fromDegraded(p.GetDegraded()),
			Method: fromEnum[kb.ContributionMethod](p.GetContributionMethod()),
		},
		Versions: FromVersions(p.GetVersions()),
	}
}

// ToVerifyResponse is the reply of verify.
func ToVerifyResponse(id string, v kb.Verification, versions kb.Versions) *pb.VerifyResponse {
	return &pb.VerifyResponse{
		Id: id, Verdict: toEnum[pb.Verdict](v.Verdict), Support: known(v.Support), Claims: list(v.Claims, ToClaim), Versions: ToVersions(versions),
	}
}

// FromVerifyResponse reads the reply of verify.
func FromVerifyResponse(p *pb.VerifyResponse) (kb.Verification, kb.Versions) {
	return kb.Verification{
		Verdict: fromEnum[kb.Verdict](p.GetVerdict()), Support: p.GetSupport(), Claims: list(p.GetClaims(), FromClaim),
	}, FromVersions(p.GetVersions())
}

// ToAskResponse is the reply of ask. The parts that were left out in any layer are
// listed together. The scores of the assessment are absent when nothing was assessed.
func ToAskResponse(id string, reply kb.Reply) *pb.AskResponse {
	out := &pb.AskResponse{
		Id: id, Outcome: toEnum[pb.Outcome](reply.Outcome), Answer: reply.Answer, Claims: list(reply.Claims, ToClaim),
		Citations: list(reply.Citations, toCitation), Missing: toMissing(reply.Missing), Conflicts: list(reply.Conflicts, toConflict),
		Clarify: toClarify(reply.Clarify), Verification: toGate(reply.Gate), Truncated: known(reply.Truncated),
		Degraded: toDegraded(union(reply.Retrieved.Degraded, reply.Assessment.Degraded, reply.Degraded)),
		Packing:  toPacking(reply.Packing), TraceId: reply.TraceID, TimingsMs: reply.Timings, Versions: ToVersions(reply.Versions),
		Stale: toStale(staleOf(reply)), Sufficient: known(reply.Outcome == kb.Answered),
		QuestionClass: toEnum[pb.QuestionClass](reply.Analysis.Class), Slots: list(reply.Assessment.Slots, toSlotFill),
	}
	if got := reply.Retrieved; got.Weights != (kb.Weights{}) || got.Hits != nil || got.RoutesOff != nil {
		out.Retrieval = &pb.RetrievalInfo{Weights: toWeights(got.Weights), Hits: toHits(got.Hits), RoutesOff: texts(got.RoutesOff)}
	}
	if a := reply.Assessment; a.Outcome != "" {
		out.Sufficiency, out.Fgc, out.Cds, out.Sid = known(a.Sufficiency), known(a.FGC), known(a.CDS), known(a.SID)
	}
	return out
}

// FromAskResponse reads the reply of ask. Of the analysis it carries the class, of
// the retrieval no candidates, of the assessment scores and slots.
func FromAskResponse(p *pb.AskResponse) (kb.Reply, error) {
	var r reader
	out := kb.Reply{
		AnswerResult: kb.AnswerResult{
			Outcome: fromEnum[kb.Outcome](p.GetOutcome()), Answer: p.GetAnswer(), Claims: list(p.GetClaims(), FromClaim),
			Citations: r.citations("citations", p.GetCitations()), Missing: fromMissing(p.GetMissing()),
			Conflicts: list(p.GetConflicts(), fromConflict), Gate: fromGate(p.GetVerification()), Packing: fromPacking(p.GetPacking()),
			Truncated: p.GetTruncated(), Degraded: fromDegraded(p.GetDegraded()),
		},
		Analysis: kb.Analysis{Class: fromEnum[kb.Class](p.GetQuestionClass())},
		Clarify:  fromClarify(p.GetClarify()), Stale: fromStale(p.GetStale()),
		Assessment: kb.Assessment{
			Sufficiency: p.GetSufficiency(), FGC: p.GetFgc(), CDS: p.GetCds(), SID: p.GetSid(), Slots: list(p.GetSlots(), fromSlotFill),
		},
		TraceID: p.GetTraceId(), Timings: p.GetTimingsMs(), Versions: FromVersions(p.GetVersions()),
	}
	if p.Sufficiency != nil {
		out.Assessment.Outcome, out.Assessment.Sufficient = out.Outcome, p.GetSufficient()
	}
	if got := p.GetRetrieval(); got != nil {
		out.Retrieved = kb.Retrieved{Weights: weightsOf(got.GetWeights()), Hits: fromHits(got.GetHits()), RoutesOff: routesOf(got.GetRoutesOff())}
	}
	return out, r.err
}

func staleOf(reply kb.Reply) []kb.Stale {
	if len(reply.Stale) > 0 {
		return reply.Stale
	}
	return reply.Assessment.Stale
}

// union is all parts that were left out, each once, in the order of the layers.
func union(lists ...[]kb.Degraded) []kb.Degraded {
	var out []kb.Degraded
	seen := map[kb.Degraded]bool{}
	for _, l := range lists {
		for _, d := range l {
			if !seen[d] {
				seen[d] = true
				out = append(out, d)
			}
		}
	}
	return out
}

// ToProgress is the event of AskStream.
func ToProgress(p services.Progress) *pb.AskStreamResponse {
	if p.Sentence != nil {
		return &pb.AskStreamResponse{Event: &pb.AskStreamResponse_Sentence{Sentence: ToClaim(*p.Sentence)}}
	}
	return &pb.AskStreamResponse{Event: &pb.AskStreamResponse_Progress{Progress: &pb.AskProgress{Layer: p.Layer}}}
}
