package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/config"
)

// depot is an invented document with one number that only it holds.
func depot(i int) (doc kb.Document, question, answer string) {
	name := fmt.Sprintf("Quarry depot %c%c%d", 'A'+i%26, 'A'+i/26%26, i)
	answer = fmt.Sprint(1000 + 7*i)
	text := fmt.Sprintf("# %s\n\nThe loading ramp of %s carries %s kilograms.\n\nThe gate of %s opens at dawn and closes at dusk. Drivers report at the gate.\n", name, name, answer, name)
	return kb.Document{ID: fmt.Sprintf("depots/%04d.md", i), Text: text}, fmt.Sprintf("How many kilograms does the loading ramp of %s carry?", name), answer
}

// serving is a server of the real binary in a process of its own.
func serving(t *testing.T, data string) (addr string, cmd *exec.Cmd) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr = l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd = exec.Command("suffice", "serve", "--data", data, "--grpc-addr", addr, "--http-addr", "127.0.0.1:0")
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("server:\n%s", log.String())
		}
	})
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		r, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
		if err == nil && r.GetStatus() == healthpb.HealthCheckResponse_SERVING {
			return addr, cmd
		}
		if time.Now().After(end) {
			t.Fatalf("the server is not ready: %v", err)
		}
	}
}

// TestKilledServer: kill -9 while documents are put; after a restart every document
// that was acknowledged is there, and answers.
func TestKilledServer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	data := t.TempDir()
	addr, cmd := serving(t, data)
	s, err := app.Dial(addr, config.Auth{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	acknowledged := 0
	killed := make(chan struct{})
	for n := 0; ; n += 3 {
		var docs []kb.Document
		for i := n; i < n+3; i++ {
			d, _, _ := depot(i)
			docs = append(docs, d)
		}
		if n == 30 { // in the midst of a put, wherever it is then
			go func() {
				time.Sleep(15 * time.Millisecond)
				_ = cmd.Process.Kill()
				close(killed)
			}()
		}
		if _, err := s.Knowledge.Put(t.Context(), docs); err != nil {
			if !errors.Is(err, kb.ErrUnavailable) {
				t.Fatalf("put: %v, want ErrUnavailable", err)
			}
			break
		}
		acknowledged = n + 3
	}
	<-killed
	_ = cmd.Wait() // killed

	addr, _ = serving(t, data)
	again, err := app.Dial(addr, config.Auth{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	for i := range acknowledged {
		want, question, answer := depot(i)
		got, err := again.Knowledge.Document(t.Context(), want.ID, 0)
		if err != nil || got.Text != want.Text {
			t.Errorf("acknowledged %s: %v", want.ID, err)
			continue
		}
		if i%5 != 0 && i < acknowledged-3 {
			continue
		}
		reply, err := again.Pipeline.Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: question}, NoGaps: true}, nil)
		if err != nil || reply.Outcome != kb.Answered || !strings.Contains(reply.Answer, answer) {
			t.Errorf("%s\n%s %q, %v; want %s", question, reply.Outcome, reply.Answer, err, answer)
		}
	}
	t.Logf("%d documents were acknowledged", acknowledged)
}

// TestKilledIngest: kill -9 while a folder is ingested; the same command then brings
// in what is missing, and nothing twice.
func TestKilledIngest(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	root := t.TempDir()
	docs, data := filepath.Join(root, "docs"), filepath.Join(root, "data")
	if err := os.Mkdir(docs, 0o755); err != nil {
		t.Fatal(err)
	}
	const n = 600
	for i := range n {
		d, _, _ := depot(i)
		if err := os.WriteFile(filepath.Join(docs, filepath.Base(d.ID)), []byte(d.Text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ingest := func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, "suffice", "ingest", "--format", "json", "--data", data, docs)
	}
	first := ingest(t.Context())
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		// The log of the index grows after the first documents were committed.
		if info, err := os.Stat(filepath.Join(data, "index", "changes.log")); err == nil && info.Size() > 10_000 {
			break
		}
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatalf("the ingestion ended before it could be killed: %v", err)
	}
	_ = first.Wait() // killed

	report := func() (r struct{ Documents, Versions int }) {
		t.Helper()
		out, err := ingest(t.Context()).Output()
		if err != nil {
			t.Fatalf("ingest again: %v", err)
		}
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	second := report()
	if second.Documents != n || second.Versions == 0 || second.Versions >= n {
		t.Errorf("after the kill %d of %d documents were new; some, not all, should be", second.Versions, second.Documents)
	}
	if third := report(); third.Documents != n || third.Versions != 0 {
		t.Errorf("a third time: %+v", third)
	}
	for _, i := range []int{0, n / 2, n - 1} {
		_, question, answer := depot(i)
		out, err := exec.CommandContext(t.Context(), "suffice", "ask", "--data", data, question).Output()
		if err != nil || !strings.HasPrefix(string(out), "ANSWERED") || !strings.Contains(string(out), answer) {
			t.Errorf("%s\n%s%v; want %s", question, out, err, answer)
		}
	}
}
