package httpapi

import (
	"net/http"
	"net/url"
	"strconv"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services/batch"
	"suffice.dev/suffice/services/convert"
)

// query reads the parameters of a GET into the message by the names of its fields,
// as strictly as a body.
func query(values url.Values, m proto.Message) error {
	fields := m.ProtoReflect().Descriptor().Fields()
	object := []byte{'{'}
	for name, list := range values {
		if len(list) > 1 {
			return kb.Invalid(name, "stands twice; write it once")
		}
		if len(object) > 1 {
			object = append(object, ',')
		}
		object = append(batch.AppendString(object, name), ':')
		fd := fields.ByName(protoreflect.Name(name))
		if fd != nil && fd.Kind() == protoreflect.Int32Kind {
			if _, err := strconv.Atoi(list[0]); err != nil {
				return kb.Invalid(name, "%q is no whole number; write one", list[0])
			}
			object = append(object, list[0]...)
			continue
		}
		object = batch.AppendString(object, list[0])
	}
	return batch.Unmarshal(append(object, '}'), m)
}

// public is the document as it is shown: where on which machine it came from is not.
func public(d kb.Document) *pb.Document {
	m := convert.ToDocument(d)
	m.Origin = nil
	return m
}

func (s *server) listDocuments(r *http.Request, _ []byte) ([]byte, string, error) {
	var q pb.ListDocumentsRequest
	if err := query(r.URL.Query(), &q); err != nil {
		return nil, "", err
	}
	size, err := convert.PageSize(q.PageSize)
	if err != nil {
		return nil, "", err
	}
	docs, next, err := s.Knowledge.Documents(r.Context(), q.GetPageToken(), size)
	if err != nil {
		return nil, "", err
	}
	out := &pb.ListDocumentsResponse{}
	if next != "" {
		out.NextPageToken = &next
	}
	for _, d := range docs {
		m := public(d)
		m.Text = nil // a list names documents; GET /v1/documents/{id} shows one
		out.Documents = append(out.Documents, m)
	}
	return reply(out)
}

func documentID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if id == "" {
		return "", kb.Invalid("document_id", "is missing; write it behind /v1/documents/")
	}
	return id, nil
}

func (s *server) getDocument(r *http.Request, _ []byte) ([]byte, string, error) {
	id, err := documentID(r)
	if err != nil {
		return nil, "", err
	}
	var q pb.GetDocumentRequest
	if err := query(r.URL.Query(), &q); err != nil {
		return nil, "", err
	}
	if q.GetVersion() < 0 {
		return nil, "", kb.Invalid("version", "%d is no version; write a number from 1", q.GetVersion())
	}
	doc, err := s.Knowledge.Document(r.Context(), id, int(q.GetVersion()))
	if err != nil {
		return nil, "", err
	}
	return reply(public(doc))
}

func (s *server) putDocument(r *http.Request, body []byte) ([]byte, string, error) {
	id, err := documentID(r)
	if err != nil {
		return nil, "", err
	}
	var m pb.Document
	if err := batch.Unmarshal(body, &m); err != nil {
		return nil, "", err
	}
	if m.GetDocumentId() != "" && m.GetDocumentId() != id {
		return nil, "", kb.Invalid("document_id", "%q is not the id of the path, %q; leave it out", m.GetDocumentId(), id)
	}
	m.DocumentId = id
	doc, err := convert.FromPutDocument(&m)
	if err != nil {
		return nil, "", err
	}
	report, err := s.Knowledge.Put(r.Context(), []kb.Document{doc})
	if err != nil {
		return nil, "", err
	}
	return reply(convert.ToIngestReport(report))
}

func (s *server) deleteDocument(r *http.Request, _ []byte) ([]byte, string, error) {
	id, err := documentID(r)
	if err != nil {
		return nil, "", err
	}
	if err := s.Knowledge.Delete(r.Context(), id); err != nil {
		return nil, "", err
	}
	return reply(&pb.DeleteDocumentResponse{})
}

func (s *server) listGaps(r *http.Request, _ []byte) ([]byte, string, error) {
	var m pb.ListGapsRequest
	if err := query(r.URL.Query(), &m); err != nil {
		return nil, "", err
	}
	q, err := convert.FromGapQuery(&m)
	if err != nil {
		return nil, "", err
	}
	gaps, next, err := s.Knowledge.Gaps(r.Context(), q)
	if err != nil {
		return nil, "", err
	}
	out := &pb.ListGapsResponse{}
	if next != "" {
		out.NextPageToken = &next
	}
	for _, g := range gaps {
		out.Gaps = append(out.Gaps, convert.ToGap(g))
	}
	return reply(out)
}

func (s *server) resolveGap(r *http.Request, body []byte) ([]byte, string, error) {
	var m pb.ResolveGapRequest
	if err := batch.Unmarshal(body, &m); err != nil {
		return nil, "", err
	}
	m.GapId = r.PathValue("id")
	id, decision, err := convert.FromResolveGap(&m)
	if err != nil {
		return nil, "", err
	}
	if err := s.Knowledge.ResolveGap(r.Context(), id, decision); err != nil {
		return nil, "", err
	}
	return reply(&pb.ResolveGapResponse{})
}

func (s *server) listReviews(r *http.Request, _ []byte) ([]byte, string, error) {
	var q pb.ListReviewsRequest
	if err := query(r.URL.Query(), &q); err != nil {
		return nil, "", err
	}
	size, err := convert.PageSize(q.PageSize)
	if err != nil {
		return nil, "", err
	}
	reviews, next, err := s.Knowledge.Reviews(r.Context(), q.GetPageToken(), size)
	if err != nil {
		return nil, "", err
	}
	out := &pb.ListReviewsResponse{}
	if next != "" {
		out.NextPageToken = &next
	}
	for _, v := range reviews {
		out.Reviews = append(out.Reviews, convert.ToReview(v))
	}
	return reply(out)
}

func (s *server) resolveReview(r *http.Request, body []byte) ([]byte, string, error) {
	var m pb.ResolveReviewRequest
	if err := batch.Unmarshal(body, &m); err != nil {
		return nil, "", err
	}
	m.ReviewId = r.PathValue("id")
	id, state, note, err := convert.FromResolveReview(&m)
	if err != nil {
		return nil, "", err
	}
	if err := s.Knowledge.ResolveReview(r.Context(), id, state, note); err != nil {
		return nil, "", err
	}
	return reply(&pb.ResolveReviewResponse{})
}

func (s *server) feedback(r *http.Request, body []byte) ([]byte, string, error) {
	var m pb.SendFeedbackRequest
	if err := batch.Unmarshal(body, &m); err != nil {
		return nil, "", err
	}
	f, err := convert.FromFeedback(&m)
	if err != nil {
		return nil, "", err
	}
	if err := s.Knowledge.RecordFeedback(r.Context(), f); err != nil {
		return nil, "", err
	}
	return reply(&pb.SendFeedbackResponse{})
}
