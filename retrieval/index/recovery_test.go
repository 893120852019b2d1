package index_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/models/embed/static"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// questions are asked before and after every damage; their answers must be equal.
var questions = []string{"蓝鲸计划的报名截止到哪一天", "Who maintains the QX-20 pump?", "出差住宿费每晚上限是多少", "VPN client", "年终奖金", "emoji"}

func answers(t testing.TB, x *index.Index) []kb.Retrieved {
	t.Helper()
	h := hybrid(t, x)
	var out []kb.Retrieved
	for _, q := range questions {
		got, err := h.Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: q, AsOf: date(t, "2026-03-01")}, TopK: 50})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, got)
	}
	return out
}

func date(t testing.TB, s string) time.Time {
	t.Helper()
	d, err := kb.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// copyDir is the folder as a process leaves it that is killed without warning.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	for {
		to := t.TempDir()
		err := os.CopyFS(to, os.DirFS(from))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a checkpoint got its name meanwhile
		}
		if err != nil {
			t.Fatal(err)
		}
		return to
	}
}

func TestRecovery(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	base := t.TempDir()
	x := open(t, base)
	synced(t, x, feed)
	want := answers(t, x)
	log := func(dir string) string { return filepath.Join(dir, "changes.log") }
	edit := func(t *testing.T, path string, change func([]byte) []byte) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, change(data), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	segment := func(t *testing.T, dir string) string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(dir, "bm25", "store", "*.zap"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no segment: %v, %v", found, err)
		}
		return found[0]
	}
	for name, damage := range map[string]func(t *testing.T, dir string){
		"none":    func(*testing.T, string) {},
		"log cut": func(t *testing.T, dir string) { edit(t, log(dir), func(b []byte) []byte { return b[:len(b)*2/3] }) },
		"log torn": func(t *testing.T, dir string) {
			edit(t, log(dir), func(b []byte) []byte { return append(b, 9, 0, 0, 0, 1) })
		},
		"log gone": func(t *testing.T, dir string) { edit(t, log(dir), func([]byte) []byte { return nil }) },
		"log overwritten": func(t *testing.T, dir string) {
			edit(t, log(dir), func(b []byte) []byte { copy(b[len(b)/2:], bytes.Repeat([]byte{7}, 200)); return b })
		},
		"log of another form": func(t *testing.T, dir string) {
			edit(t, log(dir), func(b []byte) []byte { b[3] = 'Z'; return b })
		},
		"lexical index gone": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "bm25")); err != nil {
				t.Fatal(err)
			}
		},
		"lexical meta damaged": func(t *testing.T, dir string) {
			edit(t, filepath.Join(dir, "bm25", "index_meta.json"), func([]byte) []byte { return []byte("{") })
		},
		"segment cut": func(t *testing.T, dir string) {
			edit(t, segment(t, dir), func(b []byte) []byte { return b[:len(b)/2] })
		},
		"segment gone": func(t *testing.T, dir string) { edit(t, segment(t, dir), func([]byte) []byte { return nil }) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyDir(t, base)
			damage(t, dir)
			y := open(t, dir)
			synced(t, y, feed)
			if diff := cmp.Diff(want, answers(t, y)); diff != "" {
				t.Errorf("after recovery (-want +got):\n%s", diff)
			}
		})
	}
}

// A segment that is overwritten opens without complaint: the route says so when it
// is asked, and the next Sync repairs it.
func TestDamageFoundWhileSearching(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	base := t.TempDir()
	x := open(t, base)
	synced(t, x, feed)
	want := answers(t, x)
	dir := copyDir(t, base)
	segments, err := filepath.Glob(filepath.Join(dir, "bm25", "store", "*.zap"))
	if err != nil || len(segments) == 0 {
		t.Fatal(err)
	}
	for _, s := range segments {
		data, err := os.ReadFile(s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range len(data) * 2 / 3 { // the footer stays
			data[i] ^= 0x5a
		}
		if err := os.WriteFile(s, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	y := open(t, dir)
	h := hybrid(t, y)
	for _, q := range questions {
		got, err := h.Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: q, AsOf: date(t, "2026-03-01")}, TopK: 50})
		if err != nil {
			t.Fatalf("the other routes must answer: %v", err)
		}
		if len(got.Candidates) == 0 {
			t.Errorf("%q: nothing found by the other routes", q)
		}
	}
	synced(t, y, feed)
	if diff := cmp.Diff(want, answers(t, y)); diff != "" {
		t.Errorf("after Sync (-want +got):\n%s", diff)
	}
}

func TestAnotherModelRebuilds(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	dir := t.TempDir()
	x, err := index.Open(dir, index.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	synced(t, x, feed)
	want := answers(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	other, err := embed.New("another", static.Table, static.Vocab, static.Norm)
	if err != nil {
		t.Fatal(err)
	}
	y, err := index.Open(dir, index.Options{Model: other, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.Close() })
	if y.Seq() != 0 || y.Chunks() != 0 {
		t.Errorf("vectors of another model are used: seq %d, %d chunks", y.Seq(), y.Chunks())
	}
	synced(t, y, feed)
	if diff := cmp.Diff(want, answers(t, y)); diff != "" {
		t.Errorf("the same table under another name (-want +got):\n%s", diff)
	}
}

func TestChangesAfterChanges(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	dir := t.TempDir()
	x := open(t, dir)
	synced(t, x, feed)
	found := func(x *index.Index, question, key string) bool {
		got, err := hybrid(t, x).Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: question, AsOf: date(t, "2026-03-01")}, TopK: 50})
		if err != nil || len(got.Degraded) > 0 {
			t.Fatalf("%v, %v", err, got.Degraded)
		}
		return slices.ContainsFunc(got.Candidates, func(c kb.Candidate) bool { return strings.HasPrefix(c.ID, key+"#") })
	}
	steps := []struct {
		name      string
		do        func()
		question  string
		have, not string
	}{
		{"a new version", func() { feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"}) }, "食堂早餐几点开始", "canteen@2", "canteen@1"},
		{"a document supersedes it", func() {
			feed.Put(kb.Document{ID: "canteen-new", Text: "食堂早餐六点半开始供应。", Supersedes: []string{"canteen@2"}})
		}, "食堂早餐几点开始", "canteen-new@1", "canteen@2"},
		{"the superseding one is deleted", func() { feed.Delete("canteen-new") }, "食堂早餐几点开始", "", "canteen-new@1"},
		{"all versions are deleted", func() { feed.Delete("canteen") }, "食堂早餐几点开始", "", "canteen@2"},
		{"it comes again", func() { feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐八点开始。"}) }, "食堂早餐几点开始", "canteen@1", "canteen@2"},
	}
	check := func(t *testing.T, x *index.Index, i int) {
		t.Helper()
		s := steps[i]
		if s.have != "" && !found(x, s.question, s.have) {
			t.Errorf("%s: %s is not found", s.name, s.have)
		}
		if s.not != "" && found(x, s.question, s.not) {
			t.Errorf("%s: %s is still found", s.name, s.not)
		}
	}
	for i, s := range steps {
		s.do()
		synced(t, x, feed)
		check(t, x, i)
		killed := open(t, copyDir(t, dir))
		check(t, killed, i)
		fresh := open(t, t.TempDir())
		synced(t, fresh, feed)
		if diff := cmp.Diff(answers(t, fresh), answers(t, x)); diff != "" {
			t.Errorf("%s: step by step differs from fresh (-fresh +step by step):\n%s", s.name, diff)
		}
	}
}

// Many versions of one document leave mostly dead records: the log is written
// again at an open, and nothing changes.
func TestCompaction(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	dir := t.TempDir()
	x, err := index.Open(dir, index.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	synced(t, x, feed)
	for i := range 90 {
		id := fmt.Sprintf("note-%d", i%3)
		feed.Delete(id)
		feed.Put(kb.Document{ID: id, Text: fmt.Sprintf("Note %d: the pump room is painted in shade %d.", i, i)})
		synced(t, x, feed)
	}
	want := answers(t, x)
	seq := x.Seq()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	before := size(t, filepath.Join(dir, "changes.log"))
	for range 2 {
		y, err := index.Open(dir, index.Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		if y.Seq() != seq {
			t.Errorf("seq %d, want %d", y.Seq(), seq)
		}
		if diff := cmp.Diff(want, answers(t, y)); diff != "" {
			t.Errorf("after compaction (-want +got):\n%s", diff)
		}
		if err := y.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if after := size(t, filepath.Join(dir, "changes.log")); after >= before {
		t.Errorf("the log has %d bytes, had %d", after, before)
	}
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func TestTwoOwnersAndClosed(t *testing.T) {
	dir := t.TempDir()
	x, err := index.Open(dir, index.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := index.Open(dir, index.Options{Logger: quiet}); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("second owner: %v, want ErrUnavailable", err)
	}
	h := hybrid(t, x)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if _, err := h.Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: "pump"}}); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("closed: %v, want ErrUnavailable", err)
	}
	if err := x.Sync(t.Context(), retrievaltest.NewFeed()); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("Sync after Close: %v, want ErrUnavailable", err)
	}
}

func TestFeedErrors(t *testing.T) {
	x := open(t, t.TempDir())
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	feed.Fail(kb.ErrUnavailable)
	if err := x.Sync(t.Context(), feed); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("%v, want ErrUnavailable", err)
	}
	feed.Fail(nil)
	synced(t, x, feed)
	if x.Chunks() == 0 {
		t.Error("nothing was taken after the failure")
	}
}
