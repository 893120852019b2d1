package remote

import (
	"context"
	"math"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services/convert"
)

// putBytes is how large one request of Put may grow before the documents that follow
// go into another.
const putBytes = 16 << 20

var _ kb.Knowledge = (*Knowledge)(nil)

// Knowledge is a store at a server.
type Knowledge struct{ client pb.KnowledgeServiceClient }

// NewKnowledge returns the store at the other end of the connection.
func NewKnowledge(conn grpc.ClientConnInterface) *Knowledge {
	return &Knowledge{pb.NewKnowledgeServiceClient(conn)}
}

// Put is kb.Knowledge. Many or large documents go in several requests; when one of
// them fails, the documents of those before it are stored and the report counts them.
func (k *Knowledge) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	var sum kb.IngestReport
	req := &pb.PutDocumentsRequest{}
	size := 0
	send := func() error {
		resp, err := k.client.PutDocuments(ctx, req)
		if err != nil {
			return fail(ctx, "put documents", err)
		}
		got := convert.FromIngestReport(resp)
		sum.Documents += got.Documents
		sum.Versions += got.Versions
		sum.Chunks += got.Chunks
		sum.Facts += got.Facts
		sum.Skipped = append(sum.Skipped, got.Skipped...)
		sum.Warnings = append(sum.Warnings, got.Warnings...)
		sum.Seconds += got.Seconds
		req, size = &pb.PutDocumentsRequest{}, 0
		return nil
	}
	for _, d := range docs {
		m := convert.ToDocument(d)
		n := proto.Size(m)
		if len(req.Documents) > 0 && size+n > putBytes {
			if err := send(); err != nil {
				return sum, err
			}
		}
		req.Documents = append(req.Documents, m)
		size += n
	}
	if err := send(); err != nil {
		return sum, err
	}
	return sum, nil
}

// Document is kb.Knowledge.
func (k *Knowledge) Document(ctx context.Context, id string, version int) (kb.Document, error) {
	req := &pb.GetDocumentRequest{DocumentId: id}
	if version != 0 {
		req.Version = int32Of(version)
	}
	resp, err := k.client.GetDocument(ctx, req)
	if err != nil {
		return kb.Document{}, fail(ctx, "get document", err)
	}
	out, err := convert.FromDocument(resp.GetDocument())
	if err != nil {
		return kb.Document{}, malformed("get document", err)
	}
	return out, nil
}

// Documents is kb.Knowledge. A page may hold fewer documents than pageSize where
// they are long.
func (k *Knowledge) Documents(ctx context.Context, pageToken string, pageSize int) ([]kb.Document, string, error) {
	resp, err := k.client.ListDocuments(ctx, &pb.ListDocumentsRequest{PageToken: token(pageToken), PageSize: page(pageSize)})
	if err != nil {
		return nil, "", fail(ctx, "list documents", err)
	}
	out := make([]kb.Document, 0, len(resp.GetDocuments()))
	for _, m := range resp.GetDocuments() {
		d, err := convert.FromDocument(m)
		if err != nil {
			return nil, "", malformed("list documents", err)
		}
		out = append(out, d)
	}
	return out, resp.GetNextPageToken(), nil
}

// Delete is kb.Knowledge.
func (k *Knowledge) Delete(ctx context.Context, id string) error {
	if _, err := k.client.DeleteDocument(ctx, &pb.DeleteDocumentRequest{DocumentId: id}); err != nil {
		return fail(ctx, "delete document", err)
	}
	return nil
}

// Changes is kb.Knowledge. A stretch may be shorter than limit where documents are long.
func (k *Knowledge) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	req := &pb.ListChangesRequest{After: after}
	if limit != 0 {
		req.Limit = int32Of(limit)
	}
	resp, err := k.client.ListChanges(ctx, req)
	if err != nil {
		return nil, fail(ctx, "list changes", err)
	}
	var out []kb.DocumentChange
	for _, m := range resp.GetChanges() {
		c, err := convert.FromChange(m)
		if err != nil {
			return nil, malformed("list changes", err)
		}
		out = append(out, c)
	}
	return out, nil
}

// RecordGaps is kb.Knowledge.
func (k *Knowledge) RecordGaps(ctx context.Context, gaps []kb.GapRecord) error {
	req := &pb.RecordGapsRequest{}
	for _, g := range gaps {
		req.Gaps = append(req.Gaps, convert.ToGapRecord(g))
	}
	if _, err := k.client.RecordGaps(ctx, req); err != nil {
		return fail(ctx, "record gaps", err)
	}
	return nil
}

// Gaps is kb.Knowledge.
func (k *Knowledge) Gaps(ctx context.Context, q kb.GapQuery) ([]kb.Gap, string, error) {
	resp, err := k.client.ListGaps(ctx, convert.ToGapQuery(q))
	if err != nil {
		return nil, "", fail(ctx, "list gaps", err)
	}
	var out []kb.Gap
	for _, m := range resp.GetGaps() {
		g, err := convert.FromGap(m)
		if err != nil {
			return nil, "", malformed("list gaps", err)
		}
		out = append(out, g)
	}
	return out, resp.GetNextPageToken(), nil
}

// ResolveGap is kb.Knowledge.
func (k *Knowledge) ResolveGap(ctx context.Context, id string, d kb.GapDecision) error {
	if _, err := k.client.ResolveGap(ctx, convert.ToResolveGap(id, d)); err != nil {
		return fail(ctx, "resolve gap", err)
	}
	return nil
}

// RecordAnswers is kb.Knowledge.
func (k *Knowledge) RecordAnswers(ctx context.Context, answers []kb.GapAnswer) error {
	if _, err := k.client.RecordAnswers(ctx, convert.ToGapAnswers(answers)); err != nil {
		return fail(ctx, "record answers", err)
	}
	return nil
}

// RecordReview is kb.Knowledge.
func (k *Knowledge) RecordReview(ctx context.Context, r kb.Review) error {
	if _, err := k.client.RecordReview(ctx, &pb.RecordReviewRequest{Review: convert.ToReview(r)}); err != nil {
		return fail(ctx, "record review", err)
	}
	return nil
}

// Reviews is kb.Knowledge.
func (k *Knowledge) Reviews(ctx context.Context, pageToken string, pageSize int) ([]kb.Review, string, error) {
	resp, err := k.client.ListReviews(ctx, &pb.ListReviewsRequest{PageToken: token(pageToken), PageSize: page(pageSize)})
	if err != nil {
		return nil, "", fail(ctx, "list reviews", err)
	}
	var out []kb.Review
	for _, m := range resp.GetReviews() {
		r, err := convert.FromReview(m)
		if err != nil {
			return nil, "", malformed("list reviews", err)
		}
		out = append(out, r)
	}
	return out, resp.GetNextPageToken(), nil
}

// ResolveReview is kb.Knowledge.
func (k *Knowledge) ResolveReview(ctx context.Context, id string, state kb.GapState, note string) error {
	if _, err := k.client.ResolveReview(ctx, convert.ToResolveReview(id, state, note)); err != nil {
		return fail(ctx, "resolve review", err)
	}
	return nil
}

// RecordFeedback is kb.Knowledge.
func (k *Knowledge) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	if _, err := k.client.SendFeedback(ctx, convert.ToFeedback(f)); err != nil {
		return fail(ctx, "send feedback", err)
	}
	return nil
}

// Status says what the server's knowledge base holds, and how far it is embedded.
func (k *Knowledge) Status(ctx context.Context) (kb.Status, error) {
	resp, err := k.client.GetStatus(ctx, &pb.GetStatusRequest{})
	if err != nil {
		return kb.Status{}, fail(ctx, "get status", err)
	}
	return convert.FromStatus(resp), nil
}

func token(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// page is the size of a page; what is beyond the largest page is the largest page.
func page(n int) *int32 {
	if n == 0 {
		return nil
	}
	return int32Of(min(n, convert.MaxPageSize))
}

func int32Of(n int) *int32 {
	v := int32(max(math.MinInt32, min(n, math.MaxInt32)))
	return &v
}
