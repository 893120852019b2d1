package store_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/kb/store/storetest"
)

// postgresEnv holds the URL of a PostgreSQL server whose user may create schemas.
const postgresEnv = "SUFFICE_TEST_POSTGRES"

var schemas atomic.Int64

// database returns the connection string of an empty database of its own: a schema.
func database(t testing.TB) string {
	t.Helper()
	server := os.Getenv(postgresEnv)
	if server == "" {
		t.Skipf("%s is not set: start a server with scripts/services/postgres.sh up and pass its URL, or run make test-servers", postgresEnv)
	}
	name := fmt.Sprintf("t%d_%d_%d", time.Now().UnixNano(), os.Getpid(), schemas.Add(1))
	run := func(ctx context.Context, statement string) {
		t.Helper()
		c, err := pgx.Connect(ctx, server)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close(ctx) }()
		if _, err := c.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	run(t.Context(), "CREATE SCHEMA "+name)
	t.Cleanup(func() { run(context.Background(), "DROP SCHEMA "+name+" CASCADE") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

func TestPostgresConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) kb.Knowledge {
		dsn := database(t) // before the store, so that it is dropped after it is closed
		return open(t, t.TempDir(), store.Options{DSN: dsn})
	})
}

// TestPostgresConformanceReopened opens the store before every call, so that nothing
// may live in memory alone.
func TestPostgresConformanceReopened(t *testing.T) {
	if testing.Short() {
		t.Skip("opens the store some hundred times")
	}
	storetest.Run(t, func(t *testing.T) kb.Knowledge {
		return &reopened{t: t, dir: t.TempDir(), opt: store.Options{DSN: database(t)}}
	})
}

// TestPostgresConformanceShared runs the suite on two processes' stores in turn: what
// one has written, the other goes on from.
func TestPostgresConformanceShared(t *testing.T) {
	storetest.Run(t, func(t *testing.T) kb.Knowledge {
		dsn := database(t)
		return &inTurn{a: open(t, t.TempDir(), store.Options{DSN: dsn}), b: open(t, t.TempDir(), store.Options{DSN: dsn})}
	})
}

// TestSharedFeed: four stores write to one database at once. A consumer that follows
// the feed while they do sees every version, and wordings of one gap meet.
func TestSharedFeed(t *testing.T) {
	dsn := database(t)
	const writers, each = 4, 25
	stores := make([]*store.Store, writers)
	for i := range stores {
		stores[i] = open(t, t.TempDir(), store.Options{DSN: dsn, Reader: lengthReader{}})
	}
	reader := open(t, t.TempDir(), store.Options{DSN: dsn})
	var wg sync.WaitGroup
	var finished atomic.Int32
	for w, s := range stores {
		wg.Go(func() {
			defer finished.Add(1)
			for i := range each {
				docs := []kb.Document{{ID: "shared", Text: fmt.Sprintf("Text %d of %d.", i, w)}, {ID: fmt.Sprintf("own-%d-%d", w, i), Text: strings.Repeat("Own text.\n\n", 1+i%9)}}
				if _, err := s.Put(t.Context(), docs); err != nil {
					t.Errorf("Put: %v", err)
				}
				if err := s.RecordGaps(t.Context(), []kb.GapRecord{{Kind: kb.GapMissing, Question: "Where is the key?" + strings.Repeat("!", w)}}); err != nil {
					t.Errorf("RecordGaps: %v", err)
				}
			}
		})
	}
	seen := map[string]bool{}
	after := int64(0)
	for {
		last := finished.Load() == writers
		changes, err := reader.Changes(t.Context(), after, 7)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range changes {
			if c.Seq <= after {
				t.Fatalf("seq %d after %d", c.Seq, after)
			}
			after = c.Seq
			seen[fmt.Sprintf("%s@%d", c.Document.ID, c.Document.Version)] = true
		}
		if last && len(changes) == 0 {
			break
		}
	}
	wg.Wait()
	for w := range writers {
		for i := range each {
			if id := fmt.Sprintf("own-%d-%d@1", w, i); !seen[id] {
				t.Errorf("the consumer never saw %s", id)
			}
		}
	}
	for v := 1; v <= writers*each; v++ {
		if !seen[fmt.Sprintf("shared@%d", v)] {
			t.Errorf("the consumer never saw shared@%d", v)
		}
	}
	gaps, _, err := reader.Gaps(t.Context(), kb.GapQuery{})
	if err != nil || len(gaps) != 1 || gaps[0].Count != writers*each {
		t.Errorf("gaps: %+v, %v; want one, met %d times", gaps, err, writers*each)
	}
}

// TestPostgresKill: what a process acknowledged is there after it was killed.
func TestPostgresKill(t *testing.T) {
	dsn := database(t)
	t.Setenv("SUFFICE_STORE_DSN", dsn)
	acknowledged := map[string]bool{}
	for range 3 {
		cmd, out := child(t, "put", t.TempDir())
		killAfter(t, cmd, out, 500*time.Millisecond, acknowledged)
		_ = cmd.Wait() // killed
	}
	if len(acknowledged) < 20 {
		t.Fatalf("only %d documents were acknowledged", len(acknowledged))
	}
	whole(t, open(t, t.TempDir(), store.Options{DSN: dsn}), acknowledged)
}

func TestPostgresOpenErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		dsn  string
		want []string
		down bool
	}{
		"no connection string": {dsn: "mysql://user:hunter2@host/db", want: []string{"postgres://"}},
		"nobody listens":       {dsn: "postgres://user:hunter2@127.0.0.1:1/db?sslmode=disable", want: []string{"user@127.0.0.1:1/db"}, down: true},
	} {
		_, err := store.Open(t.Context(), t.TempDir(), store.Options{DSN: tt.dsn})
		check(t, name, err, tt.want, tt.down)
	}
	u, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*url.URL){
		"wrong password":      func(u *url.URL) { u.User = url.UserPassword(u.User.Username(), "hunter2") },
		"no such database":    func(u *url.URL) { u.Path = "/nosuchdatabase" },
		"password of its own": func(u *url.URL) { u.User = url.User(u.User.Username()) },
	} {
		v := *u
		change(&v)
		opt := store.Options{DSN: v.String()}
		if name == "password of its own" {
			opt.Password = "hunter2"
		}
		_, err := store.Open(t.Context(), t.TempDir(), opt)
		check(t, name, err, []string{v.Hostname(), "correct"}, false)
	}
}

func check(t *testing.T, name string, err error, want []string, down bool) {
	t.Helper()
	if err == nil || errors.Is(err, kb.ErrUnavailable) != down || errors.Is(err, store.ErrDSN) == down {
		t.Errorf("%s: %v; unavailable %t", name, err, down)
		return
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q is not in %v", name, w, err)
		}
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%s: the password is shown: %v", name, err)
	}
}

func TestPostgresNewerRelease(t *testing.T) {
	dsn := database(t)
	if s, err := store.Open(t.Context(), t.TempDir(), store.Options{DSN: dsn}); err != nil {
		t.Fatal(err)
	} else if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(t.Context(), t.TempDir(), store.Options{DSN: dsn}); err == nil || !strings.Contains(err.Error(), "99999") {
		t.Errorf("error: %v", err)
	}
}

// TestPostgresOdd: texts that a database of bytes would take and PostgreSQL's text
// does not, and questions longer than an index entry.
func TestPostgresOdd(t *testing.T) {
	forms := map[string]*store.Store{"sqlite": open(t, t.TempDir(), store.Options{})}
	if os.Getenv(postgresEnv) != "" {
		dsn := database(t)
		forms["postgres"] = open(t, t.TempDir(), store.Options{DSN: dsn})
	}
	for name, s := range forms {
		long := "Which of these is meant: " + strings.Repeat("鸭子和鹅 ", 5000) + "?"
		for _, q := range []string{"Where\x00 is it?", "Wo \xff ist es?", long} {
			for range 2 {
				if err := s.RecordGaps(t.Context(), []kb.GapRecord{{Kind: kb.GapMissing, Question: q, Text: q}}); err != nil {
					t.Errorf("%s: %.20q: %v", name, q, err)
				}
			}
		}
		gaps, _, err := s.Gaps(t.Context(), kb.GapQuery{})
		if err != nil || len(gaps) != 3 || gaps[0].Count != 2 {
			t.Errorf("%s: %d gaps, %v", name, len(gaps), err)
		}
		if err := s.RecordFeedback(t.Context(), kb.Feedback{TraceID: "t\x00", Comment: "no\x00"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := s.Put(t.Context(), []kb.Document{{ID: "a", Text: "x", Title: "a\x00b"}}); !errors.Is(err, kb.ErrInvalid) {
			t.Errorf("%s: a title with NUL: %v", name, err)
		}
		if _, err := s.Document(t.Context(), "a", 1<<40); !errors.Is(err, kb.ErrNotFound) {
			t.Errorf("%s: version 1<<40: %v", name, err)
		}
	}
}

// inTurn is two stores on one database, asked in turn.
type inTurn struct {
	a, b *store.Store
	n    int
}

func (x *inTurn) next() *store.Store {
	x.n++
	if x.n%2 == 0 {
		return x.a
	}
	return x.b
}

func (x *inTurn) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	return x.next().Put(ctx, docs)
}

func (x *inTurn) Document(ctx context.Context, id string, version int) (kb.Document, error) {
	return x.next().Document(ctx, id, version)
}

func (x *inTurn) Documents(ctx context.Context, token string, size int) ([]kb.Document, string, error) {
	return x.next().Documents(ctx, token, size)
}

func (x *inTurn) Delete(ctx context.Context, id string) error { return x.next().Delete(ctx, id) }

func (x *inTurn) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	return x.next().Changes(ctx, after, limit)
}

func (x *inTurn) RecordGaps(ctx context.Context, gaps []kb.GapRecord) error {
	return x.next().RecordGaps(ctx, gaps)
}

func (x *inTurn) Gaps(ctx context.Context, q kb.GapQuery) ([]kb.Gap, string, error) {
	return x.next().Gaps(ctx, q)
}

func (x *inTurn) ResolveGap(ctx context.Context, id string, d kb.GapDecision) error {
	return x.next().ResolveGap(ctx, id, d)
}

func (x *inTurn) RecordAnswers(ctx context.Context, a []kb.GapAnswer) error {
	return x.next().RecordAnswers(ctx, a)
}

func (x *inTurn) RecordReview(ctx context.Context, r kb.Review) error {
	return x.next().RecordReview(ctx, r)
}

func (x *inTurn) Reviews(ctx context.Context, token string, size int) ([]kb.Review, string, error) {
	return x.next().Reviews(ctx, token, size)
}

func (x *inTurn) ResolveReview(ctx context.Context, id string, state kb.GapState, note string) error {
	return x.next().ResolveReview(ctx, id, state, note)
}

func (x *inTurn) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	return x.next().RecordFeedback(ctx, f)
}
