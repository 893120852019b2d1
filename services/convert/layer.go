package convert

import (
	"math"
	"time"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
)

// FromAnalyzeRequest reads and checks a request to PrecheckService.Analyze.
func FromAnalyzeRequest(q *pb.AnalyzeRequest, limits services.Limits) (kb.Question, error) {
	var r reader
	out := r.question(q, q.AsOf, limits)
	return out, r.err
}

// ToAnalyzeRequest is the request to PrecheckService.Analyze.
func ToAnalyzeRequest(q kb.Question) *pb.AnalyzeRequest {
	return &pb.AnalyzeRequest{Question: q.Text, AsOf: day(q.AsOf), History: toTurns(q.History)}
}

// ToLayerRetrieve is the request to RetrievalService. The deadline crosses the wire
// as the time that is left at now, since clocks differ.
func ToLayerRetrieve(q kb.RetrieveRequest, now time.Time) *pb.RetrievalServiceRetrieveRequest {
	out := &pb.RetrievalServiceRetrieveRequest{
		Analysis: ToAnalysis(q.Analysis), Query: optional(q.Query), TopK: optionalInt(q.TopK), Readers: keep(q.Readers),
		Collection: optional(q.Collection), Domains: keep(q.Domains), Routes: texts(q.Only), Outside: q.Outside, Follow: keep(q.Follow),
	}
	if q.Weights != nil {
		out.Weights = toWeights(*q.Weights)
	}
	if !q.Deadline.IsZero() {
		out.DeadlineUs = known(max(1, q.Deadline.Sub(now).Microseconds()))
	}
	return out
}

// FromLayerRetrieve reads and checks a request to RetrievalService.
func FromLayerRetrieve(q *pb.RetrievalServiceRetrieveRequest, now time.Time, limits services.Limits) (kb.RetrieveRequest, error) {
	var r reader
	out := kb.RetrieveRequest{
		Analysis: r.analysis("analysis", q.GetAnalysis()), Query: q.GetQuery(), TopK: r.topK("top_k", q.TopK, limits.TopK),
		Readers: r.names("readers", q.GetReaders()), Collection: q.GetCollection(), Domains: r.names("domains", q.GetDomains()),
		Weights: r.weights("weights", q.GetWeights()), Only: r.routes("routes", q.GetRoutes()),
		Outside: q.GetOutside(), Follow: r.names("follow", q.GetFollow()),
	}
	if q.DeadlineUs != nil {
		if us := q.GetDeadlineUs(); us < 1 || us > math.MaxInt64/int64(time.Microsecond) {
			r.fail("deadline_us", "%d is no time; write microseconds from 1, or leave it out", us)
		}
		out.Deadline = now.Add(time.Duration(q.GetDeadlineUs()) * time.Microsecond)
	}
	return out, r.err
}

// ToRetrieved is the reply of RetrievalService.
func ToRetrieved(got kb.Retrieved) *pb.RetrievalServiceRetrieveResponse {
	return &pb.RetrievalServiceRetrieveResponse{
		Candidates: list(got.Candidates, ToCandidate), Weights: toWeights(got.Weights), Hits: toHits(got.Hits),
		RoutesOff: texts(got.RoutesOff), Degraded: toDegraded(got.Degraded),
	}
}

// FromRetrieved reads the reply of RetrievalService.
func FromRetrieved(p *pb.RetrievalServiceRetrieveResponse) (kb.Retrieved, error) {
	var r reader
	out := kb.Retrieved{
		Candidates: r.candidates("candidates", p.GetCandidates()), Weights: weightsOf(p.GetWeights()), Hits: fromHits(p.GetHits()),
		RoutesOff: routesOf(p.GetRoutesOff()), Degraded: fromDegraded(p.GetDegraded()),
	}
	return out, r.err
}

// ToLayerAssess is the request to RerankService.
func ToLayerAssess(q kb.AssessRequest) *pb.RerankServiceAssessRequest {
	return &pb.RerankServiceAssessRequest{Analysis: ToAnalysis(q.Analysis), Candidates: list(q.Candidates, ToCandidate), Explain: optional(q.Explain)}
}

// FromLayerAssess reads a request to RerankService.
func FromLayerAssess(q *pb.RerankServiceAssessRequest) (kb.AssessRequest, error) {
	var r reader
	out := kb.AssessRequest{Analysis: r.analysis("analysis", q.GetAnalysis()), Candidates: r.candidates("candidates", q.GetCandidates()), Explain: q.GetExplain()}
	return out, r.err
}

// ToLayerAnswer is the request to ValidateService.Answer.
func ToLayerAnswer(q kb.AnswerRequest) *pb.AnswerRequest {
	return &pb.AnswerRequest{
		Analysis: ToAnalysis(q.Analysis), Candidates: list(q.Candidates, ToCandidate), Assessment: ToAssessment(q.Assessment),
		ReplyLanguage: optional(q.ReplyLanguage), History: toTurns(q.History),
	}
}

// FromLayerAnswer reads and checks a request to ValidateService.Answer.
func FromLayerAnswer(q *pb.AnswerRequest) (kb.AnswerRequest, error) {
	var r reader
	if q.GetAssessment() == nil {
		r.fail("assessment", "is missing; send the assessment of the candidates")
	}
	out := kb.AnswerRequest{
		Analysis: r.analysis("analysis", q.GetAnalysis()), Candidates: r.candidates("candidates", q.GetCandidates()),
		Assessment: FromAssessment(q.GetAssessment()), ReplyLanguage: r.language("reply_language", q.ReplyLanguage),
		History: r.turns("history", q.GetHistory(), nil),
	}
	return out, r.err
}

// ToLayerVerify is the request to ValidateService.Verify.
func ToLayerVerify(q kb.VerifyRequest) *pb.ValidateServiceVerifyRequest {
	return &pb.ValidateServiceVerifyRequest{Question: optional(q.Question), Answer: q.Answer, Passages: list(q.Passages, ToPassage), AsOf: day(q.AsOf)}
}

// FromLayerVerify reads a request to ValidateService.Verify.
func FromLayerVerify(q *pb.ValidateServiceVerifyRequest) (kb.VerifyRequest, error) {
	var r reader
	out := kb.VerifyRequest{
		Question: q.GetQuestion(), Answer: q.GetAnswer(), Passages: r.passages("passages", q.GetPassages()), AsOf: r.day("as_of", q.AsOf),
	}
	return out, r.err
}
