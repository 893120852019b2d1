package store_test

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/kb/store/storetest"
)

func open(t testing.TB, dir string, opt store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), dir, opt)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) kb.Knowledge { return open(t, t.TempDir(), store.Options{}) })
}

// TestConformanceReopened runs the suite on a store that is closed and opened
// again before every call, so that nothing may live in memory alone.
func TestConformanceReopened(t *testing.T) {
	if testing.Short() {
		t.Skip("opens the store some hundred times")
	}
	storetest.Run(t, func(t *testing.T) kb.Knowledge { return &reopened{t: t, dir: t.TempDir()} })
}

type reopened struct {
	t   *testing.T
	dir string
	opt store.Options
}

func (r *reopened) with(fn func(*store.Store) error) error {
	s, err := store.Open(context.Background(), r.dir, r.opt)
	if err != nil {
		r.t.Fatalf("Open: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			r.t.Errorf("Close: %v", err)
		}
	}()
	return fn(s)
}

func (r *reopened) Put(ctx context.Context, docs []kb.Document) (report kb.IngestReport, err error) {
	err = r.with(func(s *store.Store) error { report, err = s.Put(ctx, docs); return err })
	return report, err
}

func (r *reopened) Document(ctx context.Context, id string, version int) (doc kb.Document, err error) {
	err = r.with(func(s *store.Store) error { doc, err = s.Document(ctx, id, version); return err })
	return doc, err
}

func (r *reopened) Documents(ctx context.Context, token string, size int) (docs []kb.Document, next string, err error) {
	err = r.with(func(s *store.Store) error { docs, next, err = s.Documents(ctx, token, size); return err })
	return docs, next, err
}

func (r *reopened) Delete(ctx context.Context, id string) error {
	return r.with(func(s *store.Store) error { return s.Delete(ctx, id) })
}

func (r *reopened) Changes(ctx context.Context, after int64, limit int) (out []kb.DocumentChange, err error) {
	err = r.with(func(s *store.Store) error { out, err = s.Changes(ctx, after, limit); return err })
	return out, err
}

func (r *reopened) RecordGaps(ctx context.Context, gaps []kb.GapRecord) error {
	return r.with(func(s *store.Store) error { return s.RecordGaps(ctx, gaps) })
}

func (r *reopened) Gaps(ctx context.Context, q kb.GapQuery) (gaps []kb.Gap, next string, err error) {
	err = r.with(func(s *store.Store) error { gaps, next, err = s.Gaps(ctx, q); return err })
	return gaps, next, err
}

func (r *reopened) ResolveGap(ctx context.Context, id string, d kb.GapDecision) error {
	return r.with(func(s *store.Store) error { return s.ResolveGap(ctx, id, d) })
}

func (r *reopened) RecordAnswers(ctx context.Context, a []kb.GapAnswer) error {
	return r.with(func(s *store.Store) error { return s.RecordAnswers(ctx, a) })
}

func (r *reopened) RecordReview(ctx context.Context, v kb.Review) error {
	return r.with(func(s *store.Store) error { return s.RecordReview(ctx, v) })
}

func (r *reopened) Reviews(ctx context.Context, token string, size int) (out []kb.Review, next string, err error) {
	err = r.with(func(s *store.Store) error { out, next, err = s.Reviews(ctx, token, size); return err })
	return out, next, err
}

func (r *reopened) ResolveReview(ctx context.Context, id string, state kb.GapState, note string) error {
	return r.with(func(s *store.Store) error { return s.ResolveReview(ctx, id, state, note) })
}

func (r *reopened) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	return r.with(func(s *store.Store) error { return s.RecordFeedback(ctx, f) })
}

// TestMain lets the test binary be a second process: see TestKill and TestHeld.
func TestMain(m *testing.M) {
	switch os.Getenv("SUFFICE_STORE_TEST") {
	case "put":
		os.Exit(putForever(os.Getenv("SUFFICE_STORE_DIR")))
	case "hold":
		os.Exit(hold(os.Getenv("SUFFICE_STORE_DIR")))
	}
	os.Exit(m.Run())
}

func child(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "SUFFICE_STORE_TEST="+role, "SUFFICE_STORE_DIR="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// putForever puts documents from four goroutines and prints the ids of each call
// after it was acknowledged.
func putForever(dir string) int {
	s, err := store.Open(context.Background(), dir, store.Options{Reader: lengthReader{}, DSN: os.Getenv("SUFFICE_STORE_DSN")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	run := time.Now().UnixNano()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				docs := make([]kb.Document, 1+i%7)
				ids := make([]string, len(docs))
				for j := range docs {
					ids[j] = fmt.Sprintf("run%d-%d-%d-%d", run, g, i, j)
					docs[j] = kb.Document{ID: ids[j], Text: strings.Repeat("Text of "+ids[j]+".\n\n", 1+(i*j)%400)}
				}
				if _, err := s.Put(context.Background(), docs); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				// One write, so that lines of goroutines do not mix.
				if _, err := os.Stdout.WriteString(strings.Join(ids, " ") + "\n"); err != nil {
					os.Exit(1)
				}
			}
		})
	}
	wg.Wait()
	return 0
}

func hold(dir string) int {
	s, err := store.Open(context.Background(), dir, store.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := s.SetAddr("127.0.0.1:7070"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("held")
	select {}
}

// killAfter kills a child that puts documents some time after it acknowledged the tenth, and
// notes all that it acknowledged: how fast the machine is does not matter.
func killAfter(t *testing.T, cmd *exec.Cmd, out *bufio.Scanner, wait time.Duration, acknowledged map[string]bool) {
	t.Helper()
	var timer *time.Timer
	here := 0
	// A write this short enters the pipe whole or not at all.
	for out.Scan() {
		for _, id := range strings.Fields(out.Text()) {
			acknowledged[id] = true
			here++
		}
		if here >= 10 && timer == nil {
			timer = time.AfterFunc(wait, func() {
				if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			})
		}
	}
	if timer == nil {
		t.Fatal("the child ended before it was killed")
	}
	timer.Stop()
}

func TestKill(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	for round := range 4 {
		cmd, out := child(t, "put", dir)
		killAfter(t, cmd, out, time.Duration(100+150*round)*time.Millisecond, acknowledged)
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended with %v", err)
		}
	}
	if len(acknowledged) < 20 {
		t.Fatalf("only %d documents were acknowledged", len(acknowledged))
	}
	whole(t, open(t, dir, store.Options{}), acknowledged)
}

// whole checks that every acknowledged document is there, and none in part.
func whole(t *testing.T, s *store.Store, acknowledged map[string]bool) {
	t.Helper()
	found := map[string]int{}
	after := int64(0)
	for {
		changes, err := s.Changes(t.Context(), after, 500)
		if err != nil {
			t.Fatal(err)
		}
		if len(changes) == 0 {
			break
		}
		for _, c := range changes {
			after = c.Seq
			found[c.Document.ID] = len(c.Chunks)
			// All or nothing: chunks cover the text and each has its page.
			if len(c.Chunks) == 0 || c.Chunks[len(c.Chunks)-1].End != len([]rune(strings.TrimSpace(c.Document.Text))) {
				t.Errorf("%s is not whole", c.Document.ID)
			}
			for _, ch := range c.Chunks {
				if len(ch.Page) != 8 {
					t.Errorf("%s: chunk %d has no page", c.Document.ID, ch.Ordinal)
				}
			}
		}
	}
	for id := range acknowledged {
		if found[id] == 0 {
			t.Errorf("%s was acknowledged and is lost", id)
		}
	}
	t.Logf("%d acknowledged, %d found after the kills", len(acknowledged), len(found))
}

func TestHeld(t *testing.T) {
	dir := t.TempDir()
	cmd, out := child(t, "hold", dir)
	if !out.Scan() {
		t.Fatal("the child did not open the folder")
	}
	_, err := store.Open(t.Context(), dir, store.Options{})
	var held *store.Holder
	if !errors.As(err, &held) || held.Pid != cmd.Process.Pid || held.Addr != "127.0.0.1:7070" || !errors.Is(err, kb.ErrConflict) {
		t.Errorf("a second process: %v", err)
	}
	for _, want := range []string{dir, fmt.Sprint(cmd.Process.Pid), "127.0.0.1:7070"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not name %s: %v", want, err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	s := open(t, dir, store.Options{})
	_, err = store.Open(t.Context(), dir, store.Options{})
	if !errors.As(err, &held) || held.Pid != os.Getpid() || held.Addr != "" {
		t.Errorf("the same process, after the holder was killed: %v", err)
	}
	if _, err := s.Put(t.Context(), []kb.Document{{ID: "a", Text: "Still in use."}}); err != nil {
		t.Errorf("the holder cannot go on: %v", err)
	}
}

func TestFolderErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"a file in its place": file, "a file above it": filepath.Join(file, "data")} {
		_, err := store.Open(t.Context(), path, store.Options{})
		if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "another folder") {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Run("not writable", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root writes everywhere; run as another user")
		}
		closed := filepath.Join(dir, "closed")
		if err := os.Mkdir(closed, 0o555); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{closed, filepath.Join(closed, "data")} {
			_, err := store.Open(t.Context(), path, store.Options{})
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "not writable") {
				t.Errorf("%s: %v", path, err)
			}
		}
	})
	t.Run("no database", func(t *testing.T) {
		bad := t.TempDir()
		if err := os.WriteFile(filepath.Join(bad, store.File), []byte(strings.Repeat("this is no database ", 100)), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := store.Open(t.Context(), bad, store.Options{})
		if err == nil || !strings.Contains(err.Error(), store.File) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("error: %v", err)
		}
		// The failed attempt let go of the lock.
		if err := os.Remove(filepath.Join(bad, store.File)); err != nil {
			t.Fatal(err)
		}
		open(t, bad, store.Options{})
	})
	t.Run("a newer release", func(t *testing.T) {
		newer := t.TempDir()
		open(t, newer, store.Options{})
		db, err := sql.Open("sqlite", filepath.Join(newer, store.File))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)`); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(filepath.Join(newer, store.LockFile)); err != nil {
			t.Fatal(err)
		}
		if _, err = store.Open(t.Context(), newer, store.Options{}); err == nil || !strings.Contains(err.Error(), "99999") {
			t.Errorf("error: %v", err)
		}
	})
}

func TestOddFolderNames(t *testing.T) {
	for _, name := range []string{"with space", "a?b#c%20d", "数据", "data;x=1&y"} {
		dir := filepath.Join(t.TempDir(), name)
		s := open(t, dir, store.Options{})
		if _, err := s.Put(t.Context(), []kb.Document{{ID: "a", Text: "Text."}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(dir, store.File)); err != nil {
			t.Errorf("%s: the database is elsewhere: %v", name, err)
		}
	}
}

// lengthReader reads one fact: how long the chunk is.
type lengthReader struct{}

func (lengthReader) ReadPage(doc kb.Document, c kb.Chunk) ([]byte, []store.FactRow) {
	n := len([]rune(c.Text))
	return binary.BigEndian.AppendUint64(nil, uint64(n)), []store.FactRow{{
		Subject: doc.ID, Attribute: "length", Value: fmt.Sprint(n), ValueKind: "quantity", End: n, Confidence: 1,
	}}
}

type firstLetter struct{}

func (firstLetter) Encode(text string) []byte { return []byte(text[:1]) }

func TestReadings(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{Reader: lengthReader{}, Embedder: firstLetter{}})
	r, err := s.Put(t.Context(), []kb.Document{{ID: "a", Text: "# Aa\n\nText.\n\n# Bb\n\n文。"}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Chunks != 2 || r.Facts != 2 {
		t.Errorf("report: %+v", r)
	}
	changes, err := s.Changes(t.Context(), 0, 10)
	if err != nil || len(changes) != 1 {
		t.Fatalf("%d changes, %v", len(changes), err)
	}
	for i, c := range changes[0].Chunks {
		if got := binary.BigEndian.Uint64(c.Page); int(got) != c.End-c.Start || string(c.Vectors) != "#" {
			t.Errorf("chunk %d: page %d, vectors %q", i, got, c.Vectors)
		}
	}
	st, err := s.Stats(t.Context())
	if err != nil || st.Documents != 1 || st.Versions != 1 || st.Chunks != 2 || st.Facts != 2 || st.LastSeq != changes[0].Seq || st.Bytes == 0 {
		t.Errorf("Stats: %+v, %v", st, err)
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if st, err = s.Stats(t.Context()); err != nil || st.Documents+st.Versions+st.Chunks+st.Facts != 0 {
		t.Errorf("Stats after Delete: %+v, %v", st, err)
	}
}

// brittle panics on one document, and reads a span outside the text on another.
type brittle struct{}

func (brittle) ReadPage(doc kb.Document, c kb.Chunk) ([]byte, []store.FactRow) {
	switch doc.ID {
	case "panic":
		panic("cannot read this")
	case "outside":
		return nil, []store.FactRow{{End: len([]rune(c.Text)) + 1}}
	}
	return nil, nil
}

func TestReaderFails(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{Reader: brittle{}})
	for _, bad := range []string{"panic", "outside"} {
		_, err := s.Put(t.Context(), []kb.Document{{ID: bad, Text: "Text."}})
		if err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%s: %v", bad, err)
		}
		if _, err := s.Document(t.Context(), bad, 0); !errors.Is(err, kb.ErrNotFound) {
			t.Errorf("%s was stored: %v", bad, err)
		}
	}
	if _, err := s.Put(t.Context(), []kb.Document{{ID: "fine", Text: "Text."}}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestChanged(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	doc := []kb.Document{{ID: "a", Text: "Text."}}
	told := func(ch <-chan struct{}) bool {
		select {
		case <-ch:
			return true
		default:
			return false
		}
	}
	ch := s.Changed()
	if told(ch) {
		t.Error("told before any change")
	}
	if _, err := s.Put(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	if !told(ch) {
		t.Error("not told of a new document")
	}
	ch = s.Changed()
	if _, err := s.Put(t.Context(), doc); err != nil {
		t.Fatal(err)
	}
	if told(ch) {
		t.Error("told of an unchanged document")
	}
	if err := s.Delete(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	if !told(ch) {
		t.Error("not told of a deletion")
	}
}

func TestConcurrent(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	var wg sync.WaitGroup
	const writers, each = 6, 15
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if _, err := s.Put(t.Context(), []kb.Document{{ID: "shared", Text: fmt.Sprintf("Text %d of %d.", i, w)}, {ID: fmt.Sprintf("own-%d-%d", w, i), Text: "Own."}}); err != nil {
					t.Errorf("Put: %v", err)
				}
				if err := s.RecordGaps(t.Context(), []kb.GapRecord{{Kind: kb.GapMissing, Question: "Where is the key?"}}); err != nil {
					t.Errorf("RecordGaps: %v", err)
				}
				if _, err := s.Changes(t.Context(), 0, 50); err != nil {
					t.Errorf("Changes: %v", err)
				}
			}
		})
	}
	wg.Wait()
	if d, err := s.Document(t.Context(), "shared", 0); err != nil || d.Version != writers*each {
		t.Errorf("newest version %d, %v", d.Version, err)
	}
	gaps, _, err := s.Gaps(t.Context(), kb.GapQuery{})
	if err != nil || len(gaps) != 1 || gaps[0].Count != writers*each {
		t.Errorf("gaps: %+v, %v", gaps, err)
	}
}

// TestAnswerWaitsForNobody: an answer that nobody waits for gives up when others write.
func TestAnswerWaitsForNobody(t *testing.T) {
	var inside atomic.Bool
	begun, end := make(chan struct{}), make(chan struct{})
	s := open(t, t.TempDir(), store.Options{Now: func() time.Time {
		if inside.CompareAndSwap(true, false) {
			close(begun)
			<-end
		}
		return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	}})
	if err := s.RecordGaps(t.Context(), []kb.GapRecord{{Kind: kb.GapMissing, Question: "Who keeps the bees?"}}); err != nil {
		t.Fatal(err)
	}
	inside.Store(true)
	writing := make(chan error, 1)
	go func() { // its clock is asked within the transaction
		writing <- s.RecordReview(context.Background(), kb.Review{Kind: kb.ReviewGate, Question: "Who?"})
	}()
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	answer := []kb.GapAnswer{{Question: "Who keeps the bees?", Kinds: []kb.GapKind{kb.GapMissing}, At: time.Date(2026, 3, 5, 0, 0, 0, 0, time.UTC)}}
	if err := s.RecordAnswers(ctx, answer); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another writes: %v, want the deadline", err)
	}
	if err := s.RecordAnswers(t.Context(), []kb.GapAnswer{{Question: "Who feeds the bees?", Kinds: []kb.GapKind{kb.GapMissing}}}); err != nil {
		t.Errorf("an answer to what no gap asks waits for the writer: %v", err)
	}
	close(end)
	if err := <-writing; err != nil {
		t.Fatal(err)
	}
	if err := s.RecordAnswers(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
}

// TestPanicInAWrite: a panic in a write transaction leaves the store able to write.
func TestPanicInAWrite(t *testing.T) {
	broken := false
	s := open(t, t.TempDir(), store.Options{Now: func() time.Time {
		if broken {
			panic("no clock")
		}
		return time.Now()
	}})
	broken = true
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the clock was not asked")
			}
		}()
		_ = s.RecordFeedback(t.Context(), kb.Feedback{TraceID: "t"}) // it panics
	}()
	broken = false
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := s.RecordFeedback(ctx, kb.Feedback{TraceID: "t"}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestFeedbackIsKept(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	want := []kb.Feedback{{TraceID: "t", Helpful: true}, {TraceID: "t", Comment: "no"}}
	for _, f := range want {
		if err := s.RecordFeedback(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.FeedbackOf(t.Context(), "t")
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("FeedbackOf (-want +got):\n%s%v", d, err)
	}
}

func BenchmarkPut(b *testing.B) {
	for _, size := range []int{1, 64} {
		b.Run(fmt.Sprintf("documents=%d", size), func(b *testing.B) {
			s := open(b, b.TempDir(), store.Options{Reader: lengthReader{}, Embedder: firstLetter{}})
			text := strings.Repeat("## Feeding\n\nThe ducks are fed at noon with corn and peas. Bread is not allowed. 鸭子每天中午喂食，不得喂面包。\n\n", 10)
			n, chunks := 0, 0
			for b.Loop() {
				docs := make([]kb.Document, size)
				for i := range docs {
					n++
					docs[i] = kb.Document{ID: fmt.Sprintf("doc-%d", n), Text: text}
				}
				r, err := s.Put(b.Context(), docs)
				if err != nil {
					b.Fatal(err)
				}
				chunks += r.Chunks
			}
			b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
		})
	}
}

func BenchmarkUnchanged(b *testing.B) {
	s := open(b, b.TempDir(), store.Options{})
	docs := make([]kb.Document, 200)
	for i := range docs {
		docs[i] = kb.Document{ID: fmt.Sprintf("doc-%d", i), Text: strings.Repeat("The ducks are fed at noon.\n\n", 200)}
	}
	if _, err := s.Put(b.Context(), docs); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if r, err := s.Put(b.Context(), docs); err != nil || r.Versions != 0 {
			b.Fatal(r, err)
		}
	}
	b.ReportMetric(float64(len(docs)*b.N)/b.Elapsed().Seconds(), "documents/s")
}
