package convert

import (
	"strconv"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
)

// index is the path of an element of a list.
func index(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// ToPassage is the message of a passage.
func ToPassage(p kb.Passage) *pb.Passage {
	start, end := span(p.Start, p.End)
	return &pb.Passage{
		Id: p.ID, Text: p.Text, Title: optional(p.Title), Source: optional(p.Source), Domain: optional(p.Domain),
		Authority: p.Authority, PublishedAt: day(p.PublishedAt), ValidFrom: day(p.ValidFrom), ValidTo: day(p.ValidTo),
		Supersedes: keep(p.Supersedes), Kind: optional(p.Kind), DocumentId: optional(p.DocumentID),
		Version: optionalInt(p.Version), HeadingPath: keep(p.HeadingPath), Start: start, End: end,
	}
}

func (r *reader) passage(field string, p *pb.Passage) kb.Passage {
	return kb.Passage{
		ID: p.GetId(), Text: p.GetText(), Title: p.GetTitle(), Source: p.GetSource(), Domain: p.GetDomain(),
		Authority: p.Authority, PublishedAt: r.day(field+".published_at", p.PublishedAt),
		ValidFrom: r.day(field+".valid_from", p.ValidFrom), ValidTo: r.day(field+".valid_to", p.ValidTo),
		Supersedes: keep(p.GetSupersedes()), Kind: p.GetKind(), DocumentID: p.GetDocumentId(),
		Version: int(p.GetVersion()), HeadingPath: keep(p.GetHeadingPath()), Start: int(p.GetStart()), End: int(p.GetEnd()),
	}
}

func (r *reader) passages(field string, in []*pb.Passage) []kb.Passage {
	var out []kb.Passage
	for i, p := range in {
		out = append(out, r.passage(index(field, i), p))
	}
	return out
}

// handedOver reads the passages of a caller and checks all that the contract says of them.
func (r *reader) handedOver(field string, in []*pb.Passage, limits services.Limits) []kb.Passage {
	if limits.Passages > 0 && len(in) > limits.Passages {
		r.fail(field, "holds %d passages; the limit is %d", len(in), limits.Passages)
		return nil
	}
	out := make([]kb.Passage, 0, len(in))
	seen := make(map[string]int, len(in))
	for i, p := range in {
		at := index(field, i)
		if p.GetId() == "" {
			r.fail(at+".id", "is missing; give every passage an id of its own")
		} else if first, twice := seen[p.GetId()]; twice {
			r.fail(at+".id", "%q is already the id of %s; give every passage an id of its own", p.GetId(), index(field, first))
		}
		seen[p.GetId()] = i
		r.text(at+".text", p.GetText(), limits.PassageRunes)
		r.number(at+".authority", p.Authority, 0, 10)
		r.names(at+".supersedes", p.GetSupersedes())
		switch p.GetKind() {
		case "", "text", "table", "code":
		default:
			r.fail(at+".kind", "%q is no kind of passage; write text, table or code", p.GetKind())
		}
		passage := r.passage(at, p)
		r.validity(at, passage.ValidFrom, passage.ValidTo)
		if p.GetVersion() < 0 {
			r.fail(at+".version", "%d is no version; write a number from 1", p.GetVersion())
		}
		if p.Start != nil || p.End != nil {
			if n := utf8.RuneCountInString(p.GetText()); p.GetStart() < 0 || int(p.GetEnd())-int(p.GetStart()) != n {
				r.fail(at+".end", "start %d to end %d is not the length of the text, %d code points", p.GetStart(), p.GetEnd(), n)
			}
		}
		if r.err != nil {
			return nil
		}
		out = append(out, passage)
	}
	return out
}

// ToCandidate is the message of a candidate.
func ToCandidate(c kb.Candidate) *pb.Candidate {
	return &pb.Candidate{Passage: ToPassage(c.Passage), Score: known(c.Score), Rank: int32(c.Rank), Routes: toRouteScores(c.Routes)}
}

func (r *reader) candidates(field string, in []*pb.Candidate) []kb.Candidate {
	var out []kb.Candidate
	for i, c := range in {
		out = append(out, kb.Candidate{
			Passage: r.passage(index(field, i)+".passage", c.GetPassage()),
			Score:   c.GetScore(), Rank: int(c.GetRank()), Routes: fromRouteScores(c.GetRoutes()),
		})
	}
	return out
}

func toRouteScores(in map[kb.Route]kb.RouteScore) map[string]*pb.RouteScore {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]*pb.RouteScore, len(in))
	for route, s := range in {
		out[string(route)] = &pb.RouteScore{Score: known(s.Score), Rank: int32(s.Rank)}
	}
	return out
}

func fromRouteScores(in map[string]*pb.RouteScore) map[kb.Route]kb.RouteScore {
	if len(in) == 0 {
		return nil
	}
	out := make(map[kb.Route]kb.RouteScore, len(in))
	for route, s := range in {
		out[kb.Route(route)] = kb.RouteScore{Score: s.GetScore(), Rank: int(s.GetRank())}
	}
	return out
}

func toRetrievedPassage(c kb.Candidate) *pb.RetrievedPassage {
	return &pb.RetrievedPassage{
		EvidenceId: c.ID, DocumentId: c.DocumentID, Title: c.Title, Version: int32(c.Version), HeadingPath: keep(c.HeadingPath),
		Text: c.Text, Start: int32(c.Start), End: int32(c.End), Score: known(c.Score), Rank: int32(c.Rank),
		Routes: toRouteScores(c.Routes), Source: optional(c.Source), Domain: optional(c.Domain), Authority: c.Authority,
		PublishedAt: day(c.PublishedAt), ValidFrom: day(c.ValidFrom), ValidTo: day(c.ValidTo),
		Supersedes: keep(c.Supersedes), Kind: optional(c.Kind),
	}
}

func (r *reader) retrievedPassage(field string, p *pb.RetrievedPassage) kb.Candidate {
	return kb.Candidate{
		Passage: kb.Passage{
			ID: p.GetEvidenceId(), Text: p.GetText(), Title: p.GetTitle(), Source: p.GetSource(), Domain: p.GetDomain(),
			Authority: p.Authority, PublishedAt: r.day(field+".published_at", p.PublishedAt),
			ValidFrom: r.day(field+".valid_from", p.ValidFrom), ValidTo: r.day(field+".valid_to", p.ValidTo),
			Supersedes: keep(p.GetSupersedes()), Kind: p.GetKind(), DocumentID: p.GetDocumentId(),
			Version: int(p.GetVersion()), HeadingPath: keep(p.GetHeadingPath()), Start: int(p.GetStart()), End: int(p.GetEnd()),
		},
		Score: p.GetScore(), Rank: int(p.GetRank()), Routes: fromRouteScores(p.GetRoutes()),
	}
}
