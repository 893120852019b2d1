package convert

import (
	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
)

func toSlot(s kb.Slot) *pb.Slot {
	start, end := span(s.Start, s.End)
	return &pb.Slot{
		Name: s.Name, Role: toEnum[pb.SlotRole](s.Role), Value: optional(s.Value), Start: start, End: end,
		Required: known(s.Required), Normalized: optional(s.Normalized), Subject: optional(s.Subject),
		Attribute: optional(s.Attribute), Expect: toEnum[pb.SlotExpect](s.Expect), Unit: optional(s.Unit),
		Count: optionalInt(s.Count),
	}
}

func fromSlot(s *pb.Slot) kb.Slot {
	return kb.Slot{
		Name: s.GetName(), Role: fromEnum[kb.Role](s.GetRole()), Value: s.GetValue(), Start: int(s.GetStart()), End: int(s.GetEnd()),
		Required: s.GetRequired(), Normalized: s.GetNormalized(), Subject: s.GetSubject(),
		Attribute: s.GetAttribute(), Expect: fromEnum[kb.Expect](s.GetExpect()), Unit: s.GetUnit(),
		Count: int(s.GetCount()),
	}
}

func toTime(t *kb.TimeRange) *pb.TimeRange {
	if t == nil {
		return nil
	}
	start, end := span(t.Start, t.End)
	return &pb.TimeRange{Text: t.Text, From: day(t.From), To: day(t.To), Start: start, End: end}
}

func (r *reader) time(field string, t *pb.TimeRange) *kb.TimeRange {
	if t == nil {
		return nil
	}
	return &kb.TimeRange{
		Text: t.GetText(), Start: int(t.GetStart()), End: int(t.GetEnd()),
		From: r.day(field+".from", t.From), To: r.day(field+".to", t.To),
	}
}

func toClasses(in []kb.ClassProbability) []*pb.ClassProbability {
	return list(in, func(c kb.ClassProbability) *pb.ClassProbability {
		return &pb.ClassProbability{QuestionClass: toEnum[pb.QuestionClass](c.Class), Probability: known(c.Probability)}
	})
}

func fromClasses(in []*pb.ClassProbability) []kb.ClassProbability {
	return list(in, func(c *pb.ClassProbability) kb.ClassProbability {
		return kb.ClassProbability{Class: fromEnum[kb.Class](c.GetQuestionClass()), Probability: c.GetProbability()}
	})
}

func toClarify(c *kb.Clarify) *pb.Clarify {
	if c == nil {
		return nil
	}
	return &pb.Clarify{Missing: keep(c.Missing), Prompt: c.Prompt, Candidates: list(c.Candidates, func(x kb.ClarifyCandidate) *pb.ClarifyCandidate {
		return &pb.ClarifyCandidate{Text: x.Text, EvidenceId: x.EvidenceID}
	})}
}

func fromClarify(c *pb.Clarify) *kb.Clarify {
	if c == nil {
		return nil
	}
	return &kb.Clarify{Missing: keep(c.GetMissing()), Prompt: c.GetPrompt(), Candidates: list(c.GetCandidates(), func(x *pb.ClarifyCandidate) kb.ClarifyCandidate {
		return kb.ClarifyCandidate{Text: x.GetText(), EvidenceID: x.GetEvidenceId()}
	})}
}

// ToAnalysis is the message in which the layers hand each other an analysis.
func ToAnalysis(a kb.Analysis) *pb.Analysis {
	return &pb.Analysis{
		Question: a.Question, Original: a.Original, AsOf: day(a.AsOf),
		QuestionClass: toEnum[pb.QuestionClass](a.Class), Probability: known(a.Probability), Classes: toClasses(a.Classes),
		Risk: toEnum[pb.Risk](a.Risk), Language: a.Language, Slots: list(a.Slots, toSlot), Time: toTime(a.Time),
		Now: known(a.Now), Modal: known(a.Modal),
		Expansions: list(a.Expansions, func(e kb.Expansion) *pb.Expansion {
			return &pb.Expansion{Term: e.Term, Weight: known(e.Weight), Origin: e.Origin}
		}),
		Clarify: toClarify(a.Clarify), Decided: keep(a.Decided),
	}
}

// FromAnalysis reads an analysis; without one it is an input error.
func FromAnalysis(a *pb.Analysis) (kb.Analysis, error) {
	var r reader
	out := r.analysis("analysis", a)
	return out, r.err
}

func (r *reader) analysis(field string, a *pb.Analysis) kb.Analysis {
	if a == nil {
		r.fail(field, "is missing; send the analysis of the question")
		return kb.Analysis{}
	}
	return kb.Analysis{
		Question: a.GetQuestion(), Original: a.GetOriginal(), AsOf: r.day(field+".as_of", a.AsOf),
		Class: fromEnum[kb.Class](a.GetQuestionClass()), Probability: a.GetProbability(), Classes: fromClasses(a.GetClasses()),
		Risk: fromEnum[kb.Risk](a.GetRisk()), Language: a.GetLanguage(), Slots: list(a.GetSlots(), fromSlot),
		Time: r.time(field+".time", a.GetTime()), Now: a.GetNow(), Modal: a.GetModal(),
		Expansions: list(a.GetExpansions(), func(e *pb.Expansion) kb.Expansion {
			return kb.Expansion{Term: e.GetTerm(), Weight: e.GetWeight(), Origin: e.GetOrigin()}
		}),
		Clarify: fromClarify(a.GetClarify()), Decided: keep(a.GetDecided()),
	}
}
