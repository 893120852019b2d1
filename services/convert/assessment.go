package convert

import (
	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
)

func toEvidence(e kb.Evidence) *pb.Evidence {
	return &pb.Evidence{PassageId: e.PassageID, Start: int32(e.Start), End: int32(e.End), Quote: e.Quote, Value: optional(e.Value)}
}

func fromEvidence(e *pb.Evidence) kb.Evidence {
	return kb.Evidence{PassageID: e.GetPassageId(), Start: int(e.GetStart()), End: int(e.GetEnd()), Quote: e.GetQuote(), Value: e.GetValue()}
}

func toSlotFill(s kb.SlotFill) *pb.SlotFill {
	start, end := span(s.Start, s.End)
	return &pb.SlotFill{
		Name: s.Name, Role: toEnum[pb.SlotRole](s.Role), Value: optional(s.Value), State: toEnum[pb.SlotState](s.State),
		Evidence: list(s.Evidence, toEvidence), Confidence: known(s.Confidence), Start: start, End: end,
		Required: known(s.Required), Normalized: optional(s.Normalized), Subject: optional(s.Subject),
		Attribute: optional(s.Attribute), Expect: toEnum[pb.SlotExpect](s.Expect), Unit: optional(s.Unit),
		Count: optionalInt(s.Count),
	}
}

func fromSlotFill(s *pb.SlotFill) kb.SlotFill {
	return kb.SlotFill{
		Slot: kb.Slot{
			Name: s.GetName(), Role: fromEnum[kb.Role](s.GetRole()), Value: s.GetValue(), Start: int(s.GetStart()), End: int(s.GetEnd()),
			Required: s.GetRequired(), Normalized: s.GetNormalized(), Subject: s.GetSubject(),
			Attribute: s.GetAttribute(), Expect: fromEnum[kb.Expect](s.GetExpect()), Unit: s.GetUnit(),
			Count: int(s.GetCount()),
		},
		State: fromEnum[kb.SlotState](s.GetState()), Confidence: s.GetConfidence(), Evidence: list(s.GetEvidence(), fromEvidence),
	}
}

func toMissing(in []kb.Missing) []*pb.Missing {
	return list(in, func(m kb.Missing) *pb.Missing { return &pb.Missing{Slot: m.Slot, Text: m.Text} })
}

func fromMissing(in []*pb.Missing) []kb.Missing {
	return list(in, func(m *pb.Missing) kb.Missing { return kb.Missing{Slot: m.GetSlot(), Text: m.GetText()} })
}

func toConflict(c kb.Conflict) *pb.Conflict {
	return &pb.Conflict{
		Kind: toEnum[pb.ConflictKind](c.Kind), Hard: known(c.Hard), Subject: c.Subject, Attribute: c.Attribute,
		A: toEvidence(c.A), B: toEvidence(c.B), Resolution: toEnum[pb.Resolution](c.Resolution),
		Prefer: optional(c.Prefer), OnAsked: known(c.OnAsked),
	}
}

func fromConflict(c *pb.Conflict) kb.Conflict {
	return kb.Conflict{
		Kind: fromEnum[kb.ConflictKind](c.GetKind()), Hard: c.GetHard(), Subject: c.GetSubject(), Attribute: c.GetAttribute(),
		A: fromEvidence(c.GetA()), B: fromEvidence(c.GetB()), Resolution: fromEnum[kb.Resolution](c.GetResolution()),
		Prefer: c.GetPrefer(), OnAsked: c.GetOnAsked(),
	}
}

func toStale(in []kb.Stale) []*pb.Stale {
	return list(in, func(s kb.Stale) *pb.Stale {
		return &pb.Stale{PassageId: s.PassageID, Reason: toEnum[pb.StaleReason](s.Reason)}
	})
}

func fromStale(in []*pb.Stale) []kb.Stale {
	return list(in, func(s *pb.Stale) kb.Stale {
		return kb.Stale{PassageID: s.GetPassageId(), Reason: fromEnum[kb.StaleReason](s.GetReason())}
	})
}

func toPassageScore(p kb.PassageScore) *pb.PassageScore {
	return &pb.PassageScore{
		Id: p.ID, Score: known(p.Score), Fgc: known(p.FGC), Cds: known(p.CDS), Sid: known(p.SID),
		Contributions: list(p.Contributions, func(c kb.Contribution) *pb.Contribution {
			return &pb.Contribution{Feature: c.Feature, Value: known(c.Value), Contribution: known(c.Contribution)}
		}),
	}
}

func fromPassageScore(p *pb.PassageScore) kb.PassageScore {
	return kb.PassageScore{
		ID: p.GetId(), Score: p.GetScore(), FGC: p.GetFgc(), CDS: p.GetCds(), SID: p.GetSid(),
		Contributions: list(p.GetContributions(), func(c *pb.Contribution) kb.Contribution {
			return kb.Contribution{Feature: c.GetFeature(), Value: c.GetValue(), Contribution: c.GetContribution()}
		}),
	}
}

// ToAssessment is the message in which the layers hand each other an assessment.
func ToAssessment(a kb.Assessment) *pb.Assessment {
	return &pb.Assessment{
		Outcome: toEnum[pb.Outcome](a.Outcome), Sufficient: known(a.Sufficient), Sufficiency: known(a.Sufficiency),
		Fgc: known(a.FGC), Cds: known(a.CDS), Sid: known(a.SID), Level: optional(a.Level),
		Slots: list(a.Slots, toSlotFill), Missing: toMissing(a.Missing), Conflicts: list(a.Conflicts, toConflict),
		Passages: list(a.Passages, toPassageScore), Stale: toStale(a.Stale), Degraded: toDegraded(a.Degraded),
		ContributionMethod: toEnum[pb.ContributionMethod](a.Method),
	}
}

// FromAssessment reads an assessment; nil gives the zero value.
func FromAssessment(a *pb.Assessment) kb.Assessment {
	return kb.Assessment{
		Outcome: fromEnum[kb.Outcome](a.GetOutcome()), Sufficient: a.GetSufficient(), Sufficiency: a.GetSufficiency(),
		FGC: a.GetFgc(), CDS: a.GetCds(), SID: a.GetSid(), Level: a.GetLevel(),
		Slots: list(a.GetSlots(), fromSlotFill), Missing: fromMissing(a.GetMissing()), Conflicts: list(a.GetConflicts(), fromConflict),
		Passages: list(a.GetPassages(), fromPassageScore), Stale: fromStale(a.GetStale()), Degraded: fromDegraded(a.GetDegraded()),
		Method: fromEnum[kb.ContributionMethod](a.GetContributionMethod()),
	}
}
