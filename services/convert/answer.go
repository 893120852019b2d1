package convert

import (
	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
)

// ToClaim is the message of a claim.
func ToClaim(c kb.Claim) *pb.Claim {
	return &pb.Claim{
		Text: c.Text, Start: int32(c.Start), End: int32(c.End), Verdict: toEnum[pb.ClaimVerdict](c.Verdict),
		Probability: known(c.Probability), Citations: list(c.Citations, toEvidence), Cited: keep(c.Cited), Reason: optional(c.Reason),
	}
}

// FromClaim reads a claim.
func FromClaim(c *pb.Claim) kb.Claim {
	return kb.Claim{
		Text: c.GetText(), Start: int(c.GetStart()), End: int(c.GetEnd()), Verdict: fromEnum[kb.ClaimVerdict](c.GetVerdict()),
		Probability: c.GetProbability(), Citations: list(c.GetCitations(), fromEvidence), Cited: keep(c.GetCited()), Reason: c.GetReason(),
	}
}

// ToVerification is the message of a verification.
func ToVerification(v kb.Verification) *pb.Verification {
	return &pb.Verification{Verdict: toEnum[pb.Verdict](v.Verdict), Support: known(v.Support), Claims: list(v.Claims, ToClaim)}
}

// FromVerification reads a verification; nil gives the zero value.
func FromVerification(v *pb.Verification) kb.Verification {
	return kb.Verification{Verdict: fromEnum[kb.Verdict](v.GetVerdict()), Support: v.GetSupport(), Claims: list(v.GetClaims(), FromClaim)}
}

func toGate(g kb.Gate) *pb.Gate {
	return &pb.Gate{
		Passed: int32(g.Passed), Total: int32(g.Total), Rate: known(g.Rate),
		Statements: list(g.Statements, func(s kb.Statement) *pb.Statement {
			return &pb.Statement{
				EvidenceId: s.PassageID, Facts: keep(s.Facts), Confidence: known(s.Confidence), Passed: known(s.Passed),
				Reason: optional(s.Reason), Counted: known(s.Counted),
			}
		}),
	}
}

func fromGate(g *pb.Gate) kb.Gate {
	return kb.Gate{
		Passed: int(g.GetPassed()), Total: int(g.GetTotal()), Rate: g.GetRate(),
		Statements: list(g.GetStatements(), func(s *pb.Statement) kb.Statement {
			return kb.Statement{
				PassageID: s.GetEvidenceId(), Facts: keep(s.GetFacts()), Confidence: s.GetConfidence(), Passed: s.GetPassed(),
				Reason: s.GetReason(), Counted: s.GetCounted(),
			}
		}),
	}
}

func toCitation(c kb.Citation) *pb.Citation {
	return &pb.Citation{
		Number: int32(c.Number), EvidenceId: c.EvidenceID, DocumentId: optional(c.DocumentID), Title: optional(c.Title),
		Version: optionalInt(c.Version), Start: int32(c.Start), End: int32(c.End), Quote: c.Quote,
		ValidFrom: day(c.ValidFrom), ValidTo: day(c.ValidTo),
	}
}

func (r *reader) citations(field string, in []*pb.Citation) []kb.Citation {
	var out []kb.Citation
	for i, c := range in {
		at := index(field, i)
		out = append(out, kb.Citation{
			Number: int(c.GetNumber()), EvidenceID: c.GetEvidenceId(), DocumentID: c.GetDocumentId(), Title: c.GetTitle(),
			Version: int(c.GetVersion()), Start: int(c.GetStart()), End: int(c.GetEnd()), Quote: c.GetQuote(),
			ValidFrom: r.day(at+".valid_from", c.ValidFrom), ValidTo: r.day(at+".valid_to", c.ValidTo),
		})
	}
	return out
}

func toPacking(p kb.Packing) *pb.Packing {
	if p.Mode == "" && len(p.Parts) == 0 && !p.Estimated {
		return nil
	}
	out := &pb.Packing{Mode: p.Mode}
	if len(p.Parts) > 0 || p.Estimated { // without counts there is nothing to be exact about
		out.Estimated = known(p.Estimated)
	}
	for part, n := range p.Parts {
		if out.Parts == nil {
			out.Parts = make(map[string]int32, len(p.Parts))
		}
		out.Parts[part] = int32(n)
	}
	return out
}

func fromPacking(p *pb.Packing) kb.Packing {
	out := kb.Packing{Mode: p.GetMode(), Estimated: p.GetEstimated()}
	for part, n := range p.GetParts() {
		if out.Parts == nil {
			out.Parts = make(map[string]int, len(p.GetParts()))
		}
		out.Parts[part] = int(n)
	}
	return out
}

// ToAnswerResult is the message of the validate layer's reply.
func ToAnswerResult(a kb.AnswerResult) *pb.AnswerResult {
	return &pb.AnswerResult{
		Outcome: toEnum[pb.Outcome](a.Outcome), Answer: a.Answer, Claims: list(a.Claims, ToClaim), Citations: list(a.Citations, toCitation),
		Missing: toMissing(a.Missing), Conflicts: list(a.Conflicts, toConflict), Gate: toGate(a.Gate), Packing: toPacking(a.Packing),
		Truncated: known(a.Truncated), Degraded: toDegraded(a.Degraded),
	}
}

// FromAnswerResult reads the validate layer's reply.
func FromAnswerResult(a *pb.AnswerResult) (kb.AnswerResult, error) {
	var r reader
	out := kb.AnswerResult{
		Outcome: fromEnum[kb.Outcome](a.GetOutcome()), Answer: a.GetAnswer(), Claims: list(a.GetClaims(), FromClaim),
		Citations: r.citations("result.citations", a.GetCitations()), Missing: fromMissing(a.GetMissing()),
		Conflicts: list(a.GetConflicts(), fromConflict), Gate: fromGate(a.GetGate()), Packing: fromPacking(a.GetPacking()),
		Truncated: a.GetTruncated(), Degraded: fromDegraded(a.GetDegraded()),
	}
	return out, r.err
}
