package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/batch"
	"suffice.dev/suffice/services/grpcapi"
)

// echo is a pipeline whose precheck says the question back; the question decides
// what else happens.
type echo struct {
	services.Pipeline
	running, most atomic.Int32
}

func (e *echo) Precheck(ctx context.Context, q kb.Question) (kb.Analysis, kb.Versions, error) {
	n := e.running.Add(1)
	defer e.running.Add(-1)
	for {
		if most := e.most.Load(); n <= most || e.most.CompareAndSwap(most, n) {
			break
		}
	}
	switch {
	case strings.HasPrefix(q.Text, "slow"):
		time.Sleep(5 * time.Millisecond)
	case q.Text == "panic":
		panic("a secret")
	case q.Text == "broken":
		return kb.Analysis{}, kb.Versions{}, errors.New("open /secret: denied")
	case q.Text == "down":
		return kb.Analysis{}, kb.Versions{}, fmt.Errorf("store: %w", kb.ErrUnavailable)
	case q.Text == "wait":
		<-ctx.Done()
		return kb.Analysis{}, kb.Versions{}, ctx.Err()
	}
	return kb.Analysis{Question: q.Text, Original: q.Text, Class: kb.Numeric, Language: "en", Decided: []string{q.Text}}, kb.Versions{Server: "1"}, nil
}

func (e *echo) Ask(_ context.Context, req kb.AskRequest, _ func(services.Progress)) (kb.Reply, error) {
	return kb.Reply{AnswerResult: kb.AnswerResult{Outcome: kb.Insufficient}, TraceID: fmt.Sprint(req.HandedOver, len(req.Passages), req.NoGaps, req.TopK)}, nil
}

func precheck(t *testing.T) batch.Command {
	t.Helper()
	c, ok := batch.ByName("precheck")
	if !ok {
		t.Fatal("no precheck")
	}
	return c
}

func TestRunKeepsOrder(t *testing.T) {
	var in strings.Builder
	for i := range 300 {
		text := "quick"
		if i%7 == 0 {
			text = "slow"
		}
		fmt.Fprintf(&in, `{"id":"%d","question":"%s %d"}`+"\n", i, text, i)
	}
	var first string
	for _, jobs := range []int{1, 3, 16} {
		e := &echo{}
		var out bytes.Buffer
		sum, err := batch.Run(t.Context(), precheck(t), grpcapi.NewContract(e, nil), strings.NewReader(in.String()), &out, batch.Options{Jobs: jobs})
		if err != nil || sum != (batch.Summary{Lines: 300}) {
			t.Fatalf("jobs %d: %+v, %v", jobs, sum, err)
		}
		if first == "" {
			first = out.String()
		}
		if out.String() != first {
			t.Errorf("jobs %d gives another output", jobs)
		}
		if most := int(e.most.Load()); most > jobs {
			t.Errorf("jobs %d: %d at once", jobs, most)
		}
	}
	lines := strings.Split(strings.TrimSpace(first), "\n")
	for i, line := range lines {
		var got struct {
			ID            string
			QuestionClass string `json:"question_class"`
			Versions      map[string]string
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.ID != fmt.Sprint(i) || got.QuestionClass != "NUMERIC" || got.Versions["server"] != "1" {
			t.Fatalf("line %d: %s", i, line)
		}
	}
}

func TestRunGoesOnAfterErrors(t *testing.T) {
	in := "\ufeff" + strings.Join([]string{
		`{"id":"1","question":"quick"}`,
		``,
		`{"id":"3","question":"quick","tope":1}`,
		`not JSON`,
		`{"id":5,"question":"quick"}`,
		`{"id":"6","question":" "}`,
		`{"id":"7","question":"panic"}`,
		`{"id":"8","question":"broken"}`,
		`{"id":"9","question":"down"}`,
		`{"id":"10","question":"` + strings.Repeat("x", 600) + `"}`,
		`["id"]`,
		"\t ",
		`{"id":"13","question":"quick"}`, // the last line has no end
	}, "\n")
	type result struct {
		ID    string
		Line  int
		Error *struct{ Code, Field, Message string }
	}
	want := []struct {
		id    string
		line  int
		code  string
		field string
	}{
		{"1", 0, "", ""},
		{"3", 0, "INVALID_ARGUMENT", "tope"},
		{"", 4, "INVALID_ARGUMENT", ""},
		{"5", 0, "INVALID_ARGUMENT", "id"},
		{"6", 0, "INVALID_ARGUMENT", "question"},
		{"7", 0, "INTERNAL", ""},
		{"8", 0, "INTERNAL", ""},
		{"9", 0, "UNAVAILABLE", ""},
		{"", 10, "INVALID_ARGUMENT", "line"},
		{"", 11, "INVALID_ARGUMENT", ""},
		{"13", 0, "", ""},
	}
	var out, log bytes.Buffer
	sum, err := batch.Run(t.Context(), precheck(t), grpcapi.NewContract(&echo{}, nil), strings.NewReader(in), &out,
		batch.Options{Jobs: 2, LineBytes: 500, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Lines != len(want) || sum.Failed != len(want)-2 {
		t.Errorf("summary %+v", sum)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d:\n%s", len(lines), len(want), out.String())
	}
	for i, line := range lines {
		var got result
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		w := want[i]
		code, field, message := "", "", ""
		if got.Error != nil {
			code, field, message = got.Error.Code, got.Error.Field, got.Error.Message
		}
		if got.ID != w.id || got.Line != w.line || code != w.code || field != w.field {
			t.Errorf("%s\nwant %+v", line, w)
		}
		if code != "" && message == "" {
			t.Errorf("%s has no message", line)
		}
	}
	if strings.Contains(out.String(), "secret") {
		t.Errorf("an internal error shows:\n%s", out.String())
	}
	for _, part := range []string{"a secret", "open /secret: denied"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log lacks %q", part)
		}
	}
}

func TestRunPassesPresenceAndNoGaps(t *testing.T) {
	ask, _ := batch.ByName("ask")
	in := `{"question":"q","passages":[]}` + "\n" + `{"question":"q"}` + "\n" + `{"question":"q","passages":[{"id":"a","text":"t"}],"top_k":3}` + "\n"
	var out bytes.Buffer
	if _, err := batch.Run(t.Context(), ask, grpcapi.NewContract(&echo{}, nil), strings.NewReader(in), &out, batch.Options{NoGaps: true}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"true 0 true 0", "false 0 true 0", "true 1 true 3"} {
		if line := strings.Split(out.String(), "\n")[i]; !strings.Contains(line, `"trace_id":"`+want+`"`) {
			t.Errorf("line %d: %s\nwant %s", i, line, want)
		}
	}
}

// TestRunAnswersAtOnce holds the input open: the reply must not wait for its end.
func TestRunAnswersAtOnce(t *testing.T) {
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := batch.Run(t.Context(), precheck(t), grpcapi.NewContract(&echo{}, nil), inRead, outWrite, batch.Options{Jobs: 2})
		done <- err
	}()
	for i := range 3 {
		if _, err := fmt.Fprintf(inWrite, `{"id":"%d","question":"quick"}`+"\n", i); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 1024)
		n, err := outRead.Read(buf)
		if err != nil || !strings.HasPrefix(string(buf[:n]), fmt.Sprintf(`{"id":"%d"`, i)) {
			t.Fatalf("read %q, %v", buf[:n], err)
		}
	}
	if err := inWrite.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	inRead, inWrite := io.Pipe()
	defer inWrite.Close() //nolint:errcheck // a pipe in memory
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	var out bytes.Buffer
	e := &echo{}
	go func() {
		_, err := batch.Run(ctx, precheck(t), grpcapi.NewContract(e, nil), inRead, &out, batch.Options{Jobs: 1})
		done <- err
	}()
	if _, err := io.WriteString(inWrite, `{"question":"wait"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	for e.running.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	if out.Len() > 0 {
		t.Errorf("a call that was cut short was written: %s", out.String())
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestRunReportsWriteErrors(t *testing.T) {
	in := strings.Repeat(`{"question":"quick"}`+"\n"+`{"question":"wait"}`+"\n", 50)
	e := &echo{}
	_, err := batch.Run(t.Context(), precheck(t), grpcapi.NewContract(e, nil), strings.NewReader(in), brokenPipe{}, batch.Options{Jobs: 8})
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v", err)
	}
	if n := e.running.Load(); n > 0 {
		t.Errorf("%d calls are at work after the end", n)
	}
}

// TestRequestChecks goes through the checks of the contract, as a caller of the JSON
// form meets them.
func TestRequestChecks(t *testing.T) {
	limits := services.Limits{Passages: 3, PassageRunes: 10, Question: 12, Answer: 20, TopK: 50, BodyBytes: 1 << 20}
	calls := grpcapi.NewContract(accepting{}, func() services.Limits { return limits })
	passages := func(list string) string { return `{"question":"q","passages":[` + list + `]}` }
	tests := []struct {
		command, in string
		field, says string // of the error; "" = accepted
	}{
		{"precheck", `{"question":"年假几天🙂"}`, "", ""},
		{"precheck", `{"id":"a"}`, "question", "no text"},
		{"precheck", `{"question":"\n\t"}`, "question", "no text"},
		{"precheck", `{"question":"十二个字十二个字十二个字"}`, "", ""},
		{"precheck", `{"question":"十二个字十二个字十二个字!"}`, "question", "13 code points; the limit is 12"},
		{"precheck", `{"question":"q","as_of":"2023-02-30"}`, "as_of", "2023-02-30"},
		{"precheck", `{"question":"q","as_of":"2023-02-28T10:00:00+08:00"}`, "", ""},
		{"precheck", `{"question":"q","as_of":"yesterday"}`, "as_of", "YYYY-MM-DD"},
		{"precheck", `{"question":"q","history":[{"question":"a"},{"answer":"b"}]}`, "history[1].question", "no text"},
		{"precheck", `{"question":"q","history":[{"question":"a","answer":"012345678901234567890"}]}`, "history[0].answer", "limit is 20"},

		{"retrieve", `{"question":"q","top_k":50,"weights":{"dense":0,"bm25":1},"routes":["bm25","dense"],"readers":["group:hr"]}`, "", ""},
		{"retrieve", `{"question":"q","top_k":51}`, "top_k", "1 to 50"},
		{"retrieve", `{"question":"q","top_k":0}`, "top_k", "1 to 50"},
		{"retrieve", `{"question":"q","weights":{"dense":-0.1,"bm25":1}}`, "weights.dense", "-0.1"},
		{"retrieve", `{"question":"q","weights":{"dense":0,"bm25":0,"graph":0}}`, "weights", "all weights are 0"},
		{"retrieve", `{"question":"q","weights":{}}`, "weights", "all weights are 0"},
		{"retrieve", `{"question":"q","routes":["bm25","sparse"]}`, "routes[1]", "dense, bm25 or graph"},
		{"retrieve", `{"question":"q","readers":["a",""]}`, "readers[1]", "empty"},
		{"retrieve", `{"question":"q","deadline_ms":0}`, "deadline_ms", "from 1"},
		{"retrieve", `{"question":"q","on_failure":"DEGRADE"}`, "", ""},

		{"assess", `{"question":"q","passages":[]}`, "", ""},
		{"assess", `{"question":"q"}`, "", ""},
		{"assess", passages(`{"id":"a","text":"十个字十个字十个字十"}`), "", ""},
		{"assess", passages(`{"id":"a","text":"十个字十个字十个字十一"}`), "passages[0].text", "11 code points; the limit is 10"},
		{"assess", passages(`{"id":"a","text":"t"},{"id":"b","text":" "}`), "passages[1].text", "no text"},
		{"assess", passages(`{"id":"a","text":"t"},{"id":"b"}`), "passages[1].text", "no text"},
		{"assess", passages(`{"id":"a","text":"t"},{"id":"b","text":"t"},{"id":"a","text":"t"}`), "passages[2].id", "passages[0]"},
		{"assess", passages(`{"text":"t"}`), "passages[0].id", "missing"},
		{"assess", passages(`{"id":"a","text":"t","authority":10.5}`), "passages[0].authority", "0 to 10"},
		{"assess", passages(`{"id":"a","text":"t","kind":"image"}`), "passages[0].kind", "text, table or code"},
		{"assess", passages(`{"id":"a","text":"t","valid_to":"2024-13-01"}`), "passages[0].valid_to", "2024-13-01"},
		{"assess", passages(`{"id":"a","text":"t","published_at":"2024/01/01"}`), "passages[0].published_at", "2024/01/01"},
		{"assess", passages(`{"id":"a","text":"t","valid_from":"2024-01-02","valid_to":"2024-01-01"}`), "passages[0].valid_to", "before"},
		{"assess", passages(`{"id":"a","text":"t","valid_from":"2024-01-01","valid_to":"2024-01-01","authority":0,"kind":"table"}`), "", ""},
		{"assess", passages(`{"id":"a","text":"t"},{"id":"b","text":"t"},{"id":"c","text":"t"},{"id":"d","text":"t"}`), "passages", "4 passages; the limit is 3"},
		{"assess", passages(`{"id":"a","text":"ab","start":5,"end":8}`), "passages[0].end", "length"},
		{"assess", passages(`{"id":"a","text":"a","start":2147483647,"end":-2147483648}`), "passages[0].end", "length"},

		{"verify", `{"answer":"","passages":[]}`, "", ""},
		{"verify", `{"passages":[]}`, "answer", "missing"},
		{"verify", `{"answer":"012345678901234567890"}`, "answer", "limit is 20"},
		{"verify", `{"question":"0123456789abc","answer":"a"}`, "question", "limit is 12"},

		{"ask", `{"question":"q","reply_language":"fr"}`, "reply_language", "zh or en"},
		{"ask", `{"question":"q","reply_language":"zh","collection":"x","deadline_ms":5}`, "", ""},
		{"ask", `{"question":"q","handed_over":false,"passages":[{"id":"a","text":"t"}]}`, "handed_over", "leave it out"},
	}
	for _, tt := range tests {
		command, _ := batch.ByName(tt.command)
		_, _, err := command.Do(t.Context(), calls, []byte(tt.in))
		if tt.field == "" {
			if err != nil {
				t.Errorf("%s %s: %v", tt.command, tt.in, err)
			}
			continue
		}
		var invalid *kb.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != tt.field || !strings.Contains(invalid.Message, tt.says) {
			t.Errorf("%s %s: error %v; want field %s, saying %q", tt.command, tt.in, err, tt.field, tt.says)
		}
	}
}

// accepting is a pipeline that answers anything with nothing.
type accepting struct{}

func (accepting) Ask(context.Context, kb.AskRequest, func(services.Progress)) (kb.Reply, error) {
	return kb.Reply{}, nil
}

func (accepting) Retrieve(context.Context, kb.AskRequest) (kb.Analysis, kb.Retrieved, kb.Versions, error) {
	return kb.Analysis{}, kb.Retrieved{}, kb.Versions{}, nil
}

func (accepting) Assess(context.Context, kb.AskRequest) (kb.Reply, error) { return kb.Reply{}, nil }

func (accepting) Verify(context.Context, kb.VerifyRequest) (kb.Verification, kb.Versions, error) {
	return kb.Verification{}, kb.Versions{}, nil
}

func (accepting) Precheck(context.Context, kb.Question) (kb.Analysis, kb.Versions, error) {
	return kb.Analysis{}, kb.Versions{}, nil
}

func BenchmarkAssessLine(b *testing.B) {
	var in strings.Builder
	in.WriteString(`{"question":"q","passages":[`)
	for i := range 10 {
		if i > 0 {
			in.WriteByte(',')
		}
		fmt.Fprintf(&in, `{"id":"p%d","text":"%s"}`, i, strings.Repeat("一个 passage ", 100))
	}
	in.WriteString("]}")
	line := []byte(in.String())
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if err := batch.Unmarshal(line, new(pb.AssessRequest)); err != nil {
			b.Fatal(err)
		}
	}
}
