package convert

import (
	"time"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
)

// ToDocument is the message of a document.
func ToDocument(d kb.Document) *pb.Document {
	return &pb.Document{
		DocumentId: d.ID, Title: optional(d.Title), Text: known(d.Text), MediaType: optional(d.MediaType), Source: optional(d.Source),
		Domain: optional(d.Domain), Authority: d.Authority, PublishedAt: day(d.PublishedAt), ValidFrom: day(d.ValidFrom),
		ValidTo: day(d.ValidTo), Supersedes: keep(d.Supersedes), Readers: keep(d.Readers), Collection: optional(d.Collection),
		Version: optionalInt(d.Version), IngestedAt: optional(instant(d.IngestedAt)), SupersededBy: optional(d.SupersededBy),
		Origin: optional(d.Origin),
	}
}

func (r *reader) document(field string, d *pb.Document) kb.Document {
	return kb.Document{
		ID: d.GetDocumentId(), Collection: d.GetCollection(), Version: int(d.GetVersion()), Title: d.GetTitle(), Text: d.GetText(),
		MediaType: d.GetMediaType(), Source: d.GetSource(), Domain: d.GetDomain(), Authority: d.Authority,
		PublishedAt: r.day(at(field, "published_at"), d.PublishedAt), ValidFrom: r.day(at(field, "valid_from"), d.ValidFrom),
		ValidTo: r.day(at(field, "valid_to"), d.ValidTo), Supersedes: keep(d.GetSupersedes()), Readers: keep(d.GetReaders()),
		IngestedAt: r.instant(at(field, "ingested_at"), d.GetIngestedAt()), Origin: d.GetOrigin(), SupersededBy: d.GetSupersededBy(),
	}
}

// at is the path of a field of the message at path field.
func at(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// FromDocument reads a document as a server sends it.
func FromDocument(d *pb.Document) (kb.Document, error) {
	var r reader
	out := r.document("document", d)
	return out, r.err
}

// FromPutDocument reads and checks a document to store. Of what the server sets, version,
// ingested_at and superseded_by, nothing is taken.
func FromPutDocument(d *pb.Document) (kb.Document, error) {
	var r reader
	out := r.put("", d)
	return out, r.err
}

// FromPutDocuments reads and checks documents to store, each as FromPutDocument does.
func FromPutDocuments(q *pb.PutDocumentsRequest) ([]kb.Document, error) {
	var r reader
	out := make([]kb.Document, 0, len(q.GetDocuments()))
	for i, d := range q.GetDocuments() {
		out = append(out, r.put(index("documents", i), d))
	}
	return out, r.err
}

func (r *reader) put(field string, d *pb.Document) kb.Document {
	if d.GetPath() != "" {
		r.fail(at(field, "path"), "a server reads no files of its own; send the text")
	}
	if d.GetDocumentId() == "" {
		r.fail(at(field, "document_id"), "is missing; give the document a stable id")
	}
	r.text(at(field, "text"), d.GetText(), 0)
	r.number(at(field, "authority"), d.Authority, 0, 10)
	r.names(at(field, "readers"), d.GetReaders())
	r.names(at(field, "supersedes"), d.GetSupersedes())
	out := r.document(field, d)
	out.Version, out.IngestedAt, out.SupersededBy = 0, time.Time{}, ""
	r.validity(field, out.ValidFrom, out.ValidTo)
	return out
}

// ToIngestReport is the summary of what was stored.
func ToIngestReport(rep kb.IngestReport) *pb.PutDocumentsResponse {
	return &pb.PutDocumentsResponse{
		Documents: int32(rep.Documents), Versions: int32(rep.Versions), Chunks: int32(rep.Chunks), Facts: int32(rep.Facts),
		Skipped:  list(rep.Skipped, func(s kb.Skipped) *pb.SkippedInput { return &pb.SkippedInput{Path: s.Path, Reason: s.Reason} }),
		Seconds:  known(rep.Seconds),
		Warnings: list(rep.Warnings, func(w kb.Warning) *pb.InputWarning { return &pb.InputWarning{Path: w.Path, Text: w.Text} }),
	}
}

// FromIngestReport reads the summary of what was stored.
func FromIngestReport(p *pb.PutDocumentsResponse) kb.IngestReport {
	return kb.IngestReport{
		Documents: int(p.GetDocuments()), Versions: int(p.GetVersions()), Chunks: int(p.GetChunks()), Facts: int(p.GetFacts()),
		Skipped:  list(p.GetSkipped(), func(s *pb.SkippedInput) kb.Skipped { return kb.Skipped{Path: s.GetPath(), Reason: s.GetReason()} }),
		Seconds:  p.GetSeconds(),
		Warnings: list(p.GetWarnings(), func(w *pb.InputWarning) kb.Warning { return kb.Warning{Path: w.GetPath(), Text: w.GetText()} }),
	}
}

// ToChange is the message of a change of the feed.
func ToChange(c kb.DocumentChange) *pb.DocumentChange {
	return &pb.DocumentChange{
		Seq: c.Seq, Deleted: known(c.Deleted), Document: ToDocument(c.Document),
		Chunks: list(c.Chunks, func(c kb.Chunk) *pb.Chunk {
			return &pb.Chunk{
				Ordinal: int32(c.Ordinal), Text: c.Text, Start: int32(c.Start), End: int32(c.End), Kind: c.Kind,
				HeadingPath: keep(c.HeadingPath), Page: c.Page, Vectors: c.Vectors, Lead: optional(c.Lead),
			}
		}),
	}
}

// FromChange reads a change of the feed.
func FromChange(p *pb.DocumentChange) (kb.DocumentChange, error) {
	var r reader
	out := kb.DocumentChange{
		Seq: p.GetSeq(), Deleted: p.GetDeleted(), Document: r.document("document", p.GetDocument()),
		Chunks: list(p.GetChunks(), func(c *pb.Chunk) kb.Chunk {
			return kb.Chunk{
				Ordinal: int(c.GetOrdinal()), Text: c.GetText(), Start: int(c.GetStart()), End: int(c.GetEnd()), Kind: c.GetKind(),
				HeadingPath: keep(c.GetHeadingPath()), Page: c.Page, Vectors: c.Vectors, Lead: c.GetLead(),
			}
		}),
	}
	return out, r.err
}

// ToGap is the message of a gap.
func ToGap(g kb.Gap) *pb.Gap {
	return &pb.Gap{
		GapId: g.ID, Kind: toEnum[pb.GapKind](g.Kind), Text: g.Text, QuestionClass: toEnum[pb.QuestionClass](g.Class),
		Slots: keep(g.Slots), Count: int32(g.Count), FirstSeen: instant(g.FirstSeen), LastSeen: instant(g.LastSeen),
		Questions: keep(g.Questions), Documents: keep(g.Documents), State: toEnum[pb.GapState](g.State),
		Note: optional(g.Note), DecidedBy: optional(g.DecidedBy), DecidedAt: optional(instant(g.DecidedAt)), AnsweredAt: optional(instant(g.AnsweredAt)),
	}
}

// FromGap reads a gap.
func FromGap(p *pb.Gap) (kb.Gap, error) {
	var r reader
	out := kb.Gap{
		ID: p.GetGapId(), Kind: fromEnum[kb.GapKind](p.GetKind()), Text: p.GetText(), Class: fromEnum[kb.Class](p.GetQuestionClass()),
		Slots: keep(p.GetSlots()), Count: int(p.GetCount()), FirstSeen: r.instant("first_seen", p.GetFirstSeen()),
		LastSeen: r.instant("last_seen", p.GetLastSeen()), Questions: keep(p.GetQuestions()), Documents: keep(p.GetDocuments()),
		State: fromEnum[kb.GapState](p.GetState()), Note: p.GetNote(), DecidedBy: p.GetDecidedBy(),
		DecidedAt: r.instant("decided_at", p.GetDecidedAt()), AnsweredAt: r.instant("answered_at", p.GetAnsweredAt()),
	}
	return out, r.err
}

// ToResolveGap is the request to decide about a gap.
func ToResolveGap(id string, d kb.GapDecision) *pb.ResolveGapRequest {
	return &pb.ResolveGapRequest{GapId: id, State: toEnum[pb.GapState](d.State), By: d.By, Note: optional(d.Note)}
}

// FromResolveGap reads and checks a request to decide about a gap.
func FromResolveGap(p *pb.ResolveGapRequest) (id string, d kb.GapDecision, err error) {
	var r reader
	if p.GetGapId() == "" {
		r.fail("gap_id", "is missing; write the id of the gap")
	}
	d = kb.GapDecision{State: fromEnum[kb.GapState](p.GetState()), By: p.GetBy(), Note: p.GetNote()}
	if d.State == "" {
		r.fail("state", "is missing; write OPEN, RESOLVED or DISMISSED")
	}
	if d.By == "" {
		r.fail("by", "is missing; write who decides")
	}
	return p.GetGapId(), d, r.err
}

// ToGapAnswers is the request to note answers.
func ToGapAnswers(answers []kb.GapAnswer) *pb.RecordAnswersRequest {
	out := &pb.RecordAnswersRequest{}
	for _, a := range answers {
		m := &pb.GapAnswer{Question: a.Question, At: optional(instant(a.At))}
		for _, k := range a.Kinds {
			m.Kinds = append(m.Kinds, toEnum[pb.GapKind](k))
		}
		out.Answers = append(out.Answers, m)
	}
	return out
}

// FromGapAnswers reads and checks a request to note answers.
func FromGapAnswers(p *pb.RecordAnswersRequest) ([]kb.GapAnswer, error) {
	var r reader
	var out []kb.GapAnswer
	for i, a := range p.GetAnswers() {
		at := index("answers", i)
		answer := kb.GapAnswer{Question: a.GetQuestion(), At: r.instant(at+".at", a.GetAt())}
		for j, k := range a.GetKinds() {
			kind := fromEnum[kb.GapKind](k)
			if kind == "" {
				r.fail(index(at+".kinds", j), "is no kind of gap; write MISSING, CONFLICT or STALE")
			}
			answer.Kinds = append(answer.Kinds, kind)
		}
		out = append(out, answer)
	}
	return out, r.err
}

// filter is the enum value of a filter. The zero value would select everything, so
// that a text that is no value becomes a number that is refused.
func filter[E protoEnum, K ~string](k K) E {
	if e := toEnum[E](k); e != 0 || k == "" {
		return e
	}
	return -1
}

// ToGapQuery is the request to list gaps.
func ToGapQuery(q kb.GapQuery) *pb.ListGapsRequest {
	return &pb.ListGapsRequest{
		Kind: filter[pb.GapKind](q.Kind), Since: day(q.Since), Until: day(q.Until), State: filter[pb.GapState](q.State),
		PageSize: optionalInt(q.PageSize), PageToken: optional(q.PageToken),
	}
}

// FromGapQuery reads and checks a request to list gaps.
func FromGapQuery(p *pb.ListGapsRequest) (kb.GapQuery, error) {
	var r reader
	out := kb.GapQuery{
		Kind: fromEnum[kb.GapKind](p.GetKind()), Since: r.day("since", p.Since), Until: r.day("until", p.Until),
		State: fromEnum[kb.GapState](p.GetState()), PageSize: r.pageSize(p.PageSize), PageToken: p.GetPageToken(),
	}
	if out.Kind == "" && p.GetKind() != 0 {
		r.fail("kind", "%d is no kind of gap; write MISSING, CONFLICT or STALE", p.GetKind())
	}
	if out.State == "" && p.GetState() != 0 {
		r.fail("state", "%d is no state of a gap; write OPEN, RESOLVED or DISMISSED", p.GetState())
	}
	return out, r.err
}

// MaxPageSize bounds the lists of KnowledgeService.
const MaxPageSize = 1000

// PageSize reads the size of a page; 0 when the request leaves it to the server.
func PageSize(v *int32) (int, error) {
	var r reader
	n := r.pageSize(v)
	return n, r.err
}

func (r *reader) pageSize(v *int32) int {
	if v == nil {
		return 0
	}
	if *v < 1 || *v > MaxPageSize {
		r.fail("page_size", "%d is out of range; write 1 to %d", *v, MaxPageSize)
	}
	return int(*v)
}

// ToGapRecord is the message of what a reply adds to the ledger.
func ToGapRecord(g kb.GapRecord) *pb.GapRecord {
	return &pb.GapRecord{
		Kind: toEnum[pb.GapKind](g.Kind), Text: g.Text, QuestionClass: toEnum[pb.QuestionClass](g.Class), Slots: keep(g.Slots),
		Question: g.Question, Documents: keep(g.Documents), At: optional(instant(g.At)), TraceId: optional(g.TraceID),
	}
}

// FromGapRecords reads and checks what replies add to the ledger.
func FromGapRecords(in []*pb.GapRecord) ([]kb.GapRecord, error) {
	var r reader
	var out []kb.GapRecord
	for i, g := range in {
		at := index("gaps", i)
		kind := fromEnum[kb.GapKind](g.GetKind())
		if kind == "" {
			r.fail(at+".kind", "is missing; write MISSING, CONFLICT or STALE")
		}
		out = append(out, kb.GapRecord{
			Kind: kind, Text: g.GetText(), Class: fromEnum[kb.Class](g.GetQuestionClass()), Slots: keep(g.GetSlots()),
			Question: g.GetQuestion(), Documents: keep(g.GetDocuments()), At: r.instant(at+".at", g.GetAt()), TraceID: g.GetTraceId(),
		})
	}
	return out, r.err
}

// ToReview is the message of a review.
func ToReview(v kb.Review) *pb.Review {
	return &pb.Review{
		ReviewId: v.ID, Kind: toEnum[pb.ReviewKind](v.Kind), Question: v.Question, Text: v.Text, TraceId: optional(v.TraceID),
		Documents: keep(v.Documents), CreatedAt: optional(instant(v.CreatedAt)), State: toEnum[pb.GapState](v.State), Note: optional(v.Note),
	}
}

// FromReview reads a review; it must have a kind.
func FromReview(p *pb.Review) (kb.Review, error) {
	var r reader
	kind := fromEnum[kb.ReviewKind](p.GetKind())
	if kind == "" {
		r.fail("review.kind", "is missing; write GATE, CONFLICT or FEEDBACK")
	}
	out := kb.Review{
		ID: p.GetReviewId(), Kind: kind, Question: p.GetQuestion(), Text: p.GetText(), TraceID: p.GetTraceId(),
		Documents: keep(p.GetDocuments()), CreatedAt: r.instant("review.created_at", p.GetCreatedAt()),
		State: fromEnum[kb.GapState](p.GetState()), Note: p.GetNote(),
	}
	return out, r.err
}

// ToResolveReview is the request to resolve a review.
func ToResolveReview(id string, state kb.GapState, note string) *pb.ResolveReviewRequest {
	return &pb.ResolveReviewRequest{ReviewId: id, State: toEnum[pb.GapState](state), Note: optional(note)}
}

// FromResolveReview reads and checks a request to resolve a review.
func FromResolveReview(p *pb.ResolveReviewRequest) (id string, state kb.GapState, note string, err error) {
	var r reader
	if p.GetReviewId() == "" {
		r.fail("review_id", "is missing; write the id of the review")
	}
	state = fromEnum[kb.GapState](p.GetState())
	if state == "" {
		r.fail("state", "is missing; write OPEN, RESOLVED or DISMISSED")
	}
	return p.GetReviewId(), state, p.GetNote(), r.err
}

// ToStatus is the message of a status.
func ToStatus(s kb.Status) *pb.GetStatusResponse {
	out := &pb.GetStatusResponse{
		Documents: int64(s.Documents), Versions: int64(s.Versions), Passages: int64(s.Passages), Facts: int64(s.Facts), Gaps: int64(s.Gaps),
		Reviews: int64(s.Reviews), Bytes: s.Bytes, Model: s.Model, Embedded: int64(s.Embedded), Serving: s.Serving, Failure: s.Failure,
	}
	for _, c := range s.Collections {
		out.Collections = append(out.Collections, &pb.CollectionStatus{
			Collection: c.Collection, Serving: c.Serving, Embedded: int64(c.Embedded), Passages: int64(c.Passages),
		})
	}
	return out
}

// FromStatus reads a status.
func FromStatus(p *pb.GetStatusResponse) kb.Status {
	out := kb.Status{
		Documents: int(p.GetDocuments()), Versions: int(p.GetVersions()), Passages: int(p.GetPassages()), Facts: int(p.GetFacts()), Gaps: int(p.GetGaps()),
		Reviews: int(p.GetReviews()), Bytes: p.GetBytes(), Model: p.GetModel(), Embedded: int(p.GetEmbedded()), Serving: p.GetServing(), Failure: p.GetFailure(),
	}
	for _, c := range p.GetCollections() {
		out.Collections = append(out.Collections, kb.CollectionStatus{
			Collection: c.GetCollection(), Serving: c.GetServing(), Embedded: int(c.GetEmbedded()), Passages: int(c.GetPassages()),
		})
	}
	return out
}

// ToFeedback is the request to record feedback.
func ToFeedback(f kb.Feedback) *pb.SendFeedbackRequest {
	return &pb.SendFeedbackRequest{
		TraceId: f.TraceID, Helpful: known(f.Helpful), Comment: optional(f.Comment), Question: optional(f.Question), Documents: keep(f.Documents),
	}
}

// FromFeedback reads and checks a request to record feedback.
func FromFeedback(p *pb.SendFeedbackRequest) (kb.Feedback, error) {
	var r reader
	if p.GetTraceId() == "" {
		r.fail("trace_id", "is missing; write the trace_id of the reply")
	}
	if p.Helpful == nil {
		r.fail("helpful", "is missing; write true or false")
	}
	return kb.Feedback{
		TraceID: p.GetTraceId(), Helpful: p.GetHelpful(), Comment: p.GetComment(), Question: p.GetQuestion(), Documents: keep(p.GetDocuments()),
	}, r.err
}
