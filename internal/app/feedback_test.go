package app

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/config"
)

// TestFeedbackSaysWhatItIsAbout: the review of a judgement has the question and the documents
// of the reply, over HTTP and gRPC.
func TestFeedbackSaysWhatItIsAbout(t *testing.T) {
	r := serve(t, Options{Sources: config.Sources{Flags: map[string]string{"reader.mode": "off"}}}, writeCorpus(t))
	server, err := Dial(r.grpc, config.Auth{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }() // the server goes first
	reply, err := server.Pipeline.Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: questions[0]}}, nil)
	if err != nil || reply.Outcome != kb.Answered {
		t.Fatalf("%s, %v", reply.Outcome, err)
	}
	body, err := json.Marshal(map[string]any{"trace_id": reply.TraceID, "helpful": false, "comment": "too long"})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post("http://"+r.http+"/v1/feedback", "application/json", strings.NewReader(string(body)))
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	if err := server.Knowledge.RecordFeedback(t.Context(), kb.Feedback{TraceID: reply.TraceID}); err != nil {
		t.Fatal(err)
	}
	if err := server.Knowledge.RecordFeedback(t.Context(), kb.Feedback{TraceID: "of another process", Question: "Which?", Documents: []string{"x.md"}}); err != nil {
		t.Fatal(err)
	}
	reviews, _, err := server.Knowledge.Reviews(t.Context(), "", 10)
	if err != nil || len(reviews) != 3 {
		t.Fatalf("%d reviews, %v, want 3", len(reviews), err)
	}
	for _, v := range reviews {
		question, documents := questions[0], []string{"ferry.md"}
		if v.TraceID != reply.TraceID {
			question, documents = "Which?", []string{"x.md"}
		}
		if v.Question != question || !slices.Equal(v.Documents, documents) {
			t.Errorf("review of %s: question %q, documents %v", v.TraceID, v.Question, v.Documents)
		}
	}
}
