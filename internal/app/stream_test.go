package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
)

// writer is a chat model that states the first sentence it may choose, and writes an
// answer piece by piece. It waits for next before each piece but the first.
func writer(t *testing.T, pieces []string, finish string, next <-chan struct{}) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			ResponseFormat *struct {
				JSONSchema struct {
					Schema struct {
						Properties map[string]struct {
							Enum  []any `json:"enum"`
							Items struct {
								Enum []string `json:"enum"`
							} `json:"items"`
						} `json:"properties"`
					} `json:"schema"`
				} `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Errorf("request: %v", err)
		}
		event := func(v any) {
			data, err := json.Marshal(v)
			if err != nil {
				t.Error(err)
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", data) // the client may have left
			w.(http.Flusher).Flush()
		}
		say := func(text string) {
			event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": text}}}})
		}
		end := func(reason string) {
			event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}})
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		}
		w.Header().Set("Content-Type", "text/event-stream")
		if body.ResponseFormat != nil {
			of := body.ResponseFormat.JSONSchema.Schema.Properties
			data, err := json.Marshal(map[string]any{"source": of["source"].Enum[0], "facts": of["facts"].Items.Enum[:1], "confidence": 1})
			if err != nil {
				t.Error(err)
			}
			say(string(data))
			end("stop")
			return
		}
		for i, p := range pieces {
			if i > 0 {
				select {
				case <-next:
				case <-r.Context().Done():
					return
				case <-time.After(time.Minute):
					t.Error("no sentence was read while the model writes")
					return
				}
			}
			say(p)
		}
		end(finish)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestAskStreamWhileTheModelWrites: over gRPC a sentence is read before the model has
// written the next but one; what was read is in the reply at its place, also where the
// model is cut off behind it; a sentence that is false is never read.
func TestAskStreamWhileTheModelWrites(t *testing.T) {
	passages := []kb.Passage{{ID: "hall@1#0", Title: "Marlow hall", Text: "The Marlow hall has 240 seats. The Marlow hall opens at 6:00."}}
	for name, c := range map[string]struct {
		pieces []string
		finish string
		answer string
		llm    bool // degraded
	}{
		"whole": {[]string{"The Marlow hall has 240 seats [1]. The Marlow hall has 900 seats [1]. The", " Marlow hall opens at 6:00 [1]."}, "stop",
			"The Marlow hall has 240 seats.[1] The Marlow hall opens at 6:00.[1]", false},
		"cut off": {[]string{"The Marlow hall has 240 seats [1]. The Marlow hall has 900 seats [1]. The", " Marlow hall ope"}, "length",
			"The Marlow hall has 240 seats.[1]", true},
	} {
		t.Run(name, func(t *testing.T) {
			next := make(chan struct{}, 10)
			model := writer(t, c.pieces, c.finish, next)
			server := serve(t, Options{Sources: config.Sources{Environ: []string{
				"SUFFICE_LLM__URL=" + model.URL + "/v1", "SUFFICE_LLM__MODEL=test", "SUFFICE_LLM__TIMEOUT=2m", "SUFFICE_LLM__IDLE=2m", "SUFFICE_LIMITS__DEADLINE=3m",
			}}}, "")
			s, err := Dial(server.grpc, config.Auth{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			var read []kb.Claim
			reply, err := s.Pipeline.Ask(t.Context(), kb.AskRequest{
				Question: kb.Question{Text: "How many seats does the Marlow hall have?"}, Passages: passages, HandedOver: true, Deadline: 3 * time.Minute,
			}, func(p services.Progress) {
				if p.Sentence != nil {
					read = append(read, *p.Sentence)
					next <- struct{}{} // the model goes on because a sentence was read
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if reply.Outcome != kb.Answered || reply.Answer != c.answer || (len(reply.Degraded) > 0) != c.llm {
				t.Errorf("%s %q degraded %v, want %q", reply.Outcome, reply.Answer, reply.Degraded, c.answer)
			}
			if len(read) != len(reply.Claims) {
				t.Fatalf("%d sentences were read, the reply has %d", len(read), len(reply.Claims))
			}
			for i, claim := range read {
				if strings.Contains(claim.Text, "900") || claim.Text != reply.Claims[i].Text || string([]rune(reply.Answer)[claim.Start:claim.End]) != claim.Text {
					t.Errorf("read %q at %d..%d, the reply has %q", claim.Text, claim.Start, claim.End, reply.Claims[i].Text)
				}
			}
			if !reply.Packing.Estimated {
				t.Error("the tokens of a model of an unknown family are not said to be an estimate")
			}
		})
	}
}
