package grpcapi

import (
	"context"

	"google.golang.org/protobuf/proto"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services/convert"
)

const (
	// replyBytes is how large a page of documents or changes may grow before it is cut
	// short: a page of long documents must not exceed what a client accepts.
	replyBytes = 16 << 20

	defaultPage = 100
)

type knowledgeServer struct {
	pb.UnimplementedKnowledgeServiceServer
	kb     kb.Knowledge
	status func(context.Context) (kb.Status, error)
}

func (s knowledgeServer) GetStatus(ctx context.Context, q *pb.GetStatusRequest) (*pb.GetStatusResponse, error) {
	if s.status == nil {
		return s.UnimplementedKnowledgeServiceServer.GetStatus(ctx, q)
	}
	st, err := s.status(ctx)
	if err != nil {
		return nil, err
	}
	return convert.ToStatus(st), nil
}

func (s knowledgeServer) PutDocuments(ctx context.Context, q *pb.PutDocumentsRequest) (*pb.PutDocumentsResponse, error) {
	docs, err := convert.FromPutDocuments(q)
	if err != nil {
		return nil, err
	}
	report, err := s.kb.Put(ctx, docs)
	if err != nil {
		return nil, err
	}
	return convert.ToIngestReport(report), nil
}

func (s knowledgeServer) GetDocument(ctx context.Context, q *pb.GetDocumentRequest) (*pb.GetDocumentResponse, error) {
	if q.GetDocumentId() == "" {
		return nil, kb.Invalid("document_id", "is missing; write the id of the document")
	}
	if q.GetVersion() < 0 {
		return nil, kb.Invalid("version", "%d is no version; write a number from 1, or leave it out for the newest", q.GetVersion())
	}
	doc, err := s.kb.Document(ctx, q.GetDocumentId(), int(q.GetVersion()))
	if err != nil {
		return nil, err
	}
	return &pb.GetDocumentResponse{Document: convert.ToDocument(doc)}, nil
}

func (s knowledgeServer) DeleteDocument(ctx context.Context, q *pb.DeleteDocumentRequest) (*pb.DeleteDocumentResponse, error) {
	if q.GetDocumentId() == "" {
		return nil, kb.Invalid("document_id", "is missing; write the id of the document")
	}
	if err := s.kb.Delete(ctx, q.GetDocumentId()); err != nil {
		return nil, err
	}
	return &pb.DeleteDocumentResponse{}, nil
}

func (s knowledgeServer) ListDocuments(ctx context.Context, q *pb.ListDocumentsRequest) (*pb.ListDocumentsResponse, error) {
	size, err := convert.PageSize(q.PageSize)
	if err != nil {
		return nil, err
	}
	for {
		docs, next, err := s.kb.Documents(ctx, q.GetPageToken(), size)
		if err != nil {
			return nil, err
		}
		out := &pb.ListDocumentsResponse{}
		if next != "" {
			out.NextPageToken = &next
		}
		for _, d := range docs {
			m := convert.ToDocument(d)
			m.Text = nil // a list names documents; GetDocument shows one
			out.Documents = append(out.Documents, m)
		}
		if len(docs) <= 1 || proto.Size(out) <= replyBytes {
			return out, nil
		}
		// Only the store can make a page token, so the shorter page is asked of it again.
		size = len(docs) / 2
	}
}

func (s knowledgeServer) ListChanges(ctx context.Context, q *pb.ListChangesRequest) (*pb.ListChangesResponse, error) {
	limit := defaultPage
	if q.Limit != nil {
		if limit = int(q.GetLimit()); limit < 1 {
			return nil, kb.Invalid("limit", "%d is out of range; write a number from 1", limit)
		}
	}
	changes, err := s.kb.Changes(ctx, q.GetAfter(), limit)
	if err != nil {
		return nil, err
	}
	out := &pb.ListChangesResponse{}
	size := 0
	for _, c := range changes {
		m := convert.ToChange(c)
		size += proto.Size(m)
		if len(out.Changes) > 0 && size > replyBytes {
			break
		}
		out.Changes = append(out.Changes, m)
	}
	return out, nil
}

func (s knowledgeServer) ListGaps(ctx context.Context, q *pb.ListGapsRequest) (*pb.ListGapsResponse, error) {
	query, err := convert.FromGapQuery(q)
	if err != nil {
		return nil, err
	}
	gaps, next, err := s.kb.Gaps(ctx, query)
	if err != nil {
		return nil, err
	}
	out := &pb.ListGapsResponse{}
	if next != "" {
		out.NextPageToken = &next
	}
	for _, g := range gaps {
		out.Gaps = append(out.Gaps, convert.ToGap(g))
	}
	return out, nil
}

func (s knowledgeServer) RecordGaps(ctx context.Context, q *pb.RecordGapsRequest) (*pb.RecordGapsResponse, error) {
	records, err := convert.FromGapRecords(q.GetGaps())
	if err != nil {
		return nil, err
	}
	if err := s.kb.RecordGaps(ctx, records); err != nil {
		return nil, err
	}
	return &pb.RecordGapsResponse{}, nil
}

func (s knowledgeServer) ResolveGap(ctx context.Context, q *pb.ResolveGapRequest) (*pb.ResolveGapResponse, error) {
	id, decision, err := convert.FromResolveGap(q)
	if err != nil {
		return nil, err
	}
	if err := s.kb.ResolveGap(ctx, id, decision); err != nil {
		return nil, err
	}
	return &pb.ResolveGapResponse{}, nil
}

func (s knowledgeServer) RecordAnswers(ctx context.Context, q *pb.RecordAnswersRequest) (*pb.RecordAnswersResponse, error) {
	answers, err := convert.FromGapAnswers(q)
	if err != nil {
		return nil, err
	}
	if err := s.kb.RecordAnswers(ctx, answers); err != nil {
		return nil, err
	}
	return &pb.RecordAnswersResponse{}, nil
}

func (s knowledgeServer) ListReviews(ctx context.Context, q *pb.ListReviewsRequest) (*pb.ListReviewsResponse, error) {
	size, err := convert.PageSize(q.PageSize)
	if err != nil {
		return nil, err
	}
	reviews, next, err := s.kb.Reviews(ctx, q.GetPageToken(), size)
	if err != nil {
		return nil, err
	}
	out := &pb.ListReviewsResponse{}
	if next != "" {
		out.NextPageToken = &next
	}
	for _, r := range reviews {
		out.Reviews = append(out.Reviews, convert.ToReview(r))
	}
	return out, nil
}

func (s knowledgeServer) RecordReview(ctx context.Context, q *pb.RecordReviewRequest) (*pb.RecordReviewResponse, error) {
	review, err := convert.FromReview(q.GetReview())
	if err != nil {
		return nil, err
	}
	if err := s.kb.RecordReview(ctx, review); err != nil {
		return nil, err
	}
	return &pb.RecordReviewResponse{}, nil
}

func (s knowledgeServer) ResolveReview(ctx context.Context, q *pb.ResolveReviewRequest) (*pb.ResolveReviewResponse, error) {
	id, state, note, err := convert.FromResolveReview(q)
	if err != nil {
		return nil, err
	}
	if err := s.kb.ResolveReview(ctx, id, state, note); err != nil {
		return nil, err
	}
	return &pb.ResolveReviewResponse{}, nil
}

func (s knowledgeServer) SendFeedback(ctx context.Context, q *pb.SendFeedbackRequest) (*pb.SendFeedbackResponse, error) {
	feedback, err := convert.FromFeedback(q)
	if err != nil {
		return nil, err
	}
	if err := s.kb.RecordFeedback(ctx, feedback); err != nil {
		return nil, err
	}
	return &pb.SendFeedbackResponse{}, nil
}
