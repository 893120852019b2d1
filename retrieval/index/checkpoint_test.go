package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/mapped"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// checkpointed opens an index that replays no more than some bytes of its log.
func checkpointed(t testing.TB, dir string, replay int64) *Index {
	t.Helper()
	x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler), Replay: replay})
	if err != nil {
		t.Fatal(err)
	}
	x.keeps.Wait()
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func taken(t testing.TB, x *Index, feed Feed) {
	t.Helper()
	if err := x.Sync(t.Context(), feed); err != nil {
		t.Fatal(err)
	}
	x.keeps.Wait()
}

// copied is the log and the checkpoint of a folder as a process leaves them that is killed;
// the lexical index, whose files come and go meanwhile, is made again.
func copied(t testing.TB, from string) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{logName, checkpointName} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// state is all of an index that questions depend on, in a form in which it does not matter
// how it came about: by row, node and version numbers that are gone.
type state struct {
	Seq                        int64
	Records, Dead              int
	Live, Rows, Facts          int
	Terms                      uint64
	Collections, Chunks        map[string]int
	Restricted, Timed          int
	Counted                    int
	CountedTerms               uint64
	Titles, Newest, Supersedes map[string][]string
	Passages                   []kb.Passage
	Sights                     []retrieval.Visibility
	Touched                    []int64
	Answers                    []kb.Retrieved
}

func stateOf(t testing.TB, x *Index) state {
	t.Helper()
	out := state{
		Seq: x.seq, Records: x.records, Dead: x.dead, Live: x.cat.live, Rows: x.matrix.Rows(), Facts: x.facts.Len(), Terms: x.cat.terms,
		Collections: maps.Clone(x.cat.collections), Chunks: maps.Clone(x.cat.chunks), Restricted: x.cat.restricted, Timed: x.cat.timed,
		Counted: x.stats.Chunks, CountedTerms: x.stats.Terms, Titles: map[string][]string{}, Newest: map[string][]string{}, Supersedes: map[string][]string{},
	}
	var ids []string
	for _, v := range x.cat.versions {
		if v == nil {
			continue
		}
		for _, o := range x.cat.titled(v.title) {
			out.Titles[v.title] = append(out.Titles[v.title], o.key())
		}
		slices.Sort(out.Titles[v.title])
		out.Titles[v.title] = slices.Compact(out.Titles[v.title])
		out.Newest[v.id] = nil
		for _, o := range x.cat.of(v.id) {
			out.Newest[v.id] = append(out.Newest[v.id], o.key())
		}
		out.Sights = append(out.Sights, *v.vis)
		out.Touched = append(out.Touched, v.touched)
		for r := range v.rows() {
			ids = append(ids, x.cat.id(r))
		}
	}
	for target, by := range x.cat.supersedes {
		for v := range by {
			out.Supersedes[target] = append(out.Supersedes[target], v.key())
		}
		slices.Sort(out.Supersedes[target])
	}
	var err error
	if out.Passages, err = x.Passages(t.Context(), ids); err != nil {
		t.Fatal(err)
	}
	cfg := retrieval.Default()
	cfg.Timeout = time.Minute
	h, err := x.Retriever(cfg, DefaultTuning())
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"蓝鲸计划的报名截止到哪一天", "Who maintains the QX-20 pump?", "出差住宿费每晚上限是多少", "note 7 shade", "第三号房间"} {
		got, err := h.Retrieve(t.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: q, AsOf: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}, TopK: 50})
		if err != nil {
			t.Fatal(err)
		}
		out.Answers = append(out.Answers, got)
	}
	return out
}

func changed(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, change(data), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever happens to a checkpoint or to the log that it stands for, the index is what the
// log says; a whole checkpoint of the log is used.
func TestCheckpoint(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	base := t.TempDir()
	x := checkpointed(t, base, 1)
	taken(t, x, feed)
	early := copied(t, base)
	// What comes behind the checkpoint is replayed: one version more, one less, one superseded.
	x.opt.Replay = 1 << 20
	feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"}, kb.Document{ID: "pump-new", Text: "The QX-21 pump replaces the QX-20 pump.", Supersedes: []string{"canteen@1"}})
	feed.Delete("canteen-none")
	feed.Delete("pump-new")
	taken(t, x, feed)
	none := checkpointed(t, copied(t, base), -1)
	want := stateOf(t, none)
	if none.image != nil || x.marked == 0 || x.marked == x.file.size {
		t.Fatalf("the checkpoint stands for %d bytes of %d, one was used: %v", x.marked, x.file.size, none.image != nil)
	}
	marked := int(x.marked)
	if diff := cmp.Diff(want, stateOf(t, x)); diff != "" {
		t.Fatalf("replayed (-want +written):\n%s", diff)
	}
	image := func(dir string) string { return filepath.Join(dir, checkpointName) }
	log := func(dir string) string { return filepath.Join(dir, logName) }
	read := func(path string) []byte {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	write := func(path string, data []byte) {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte {
			b[at%len(b)] ^= 4
			return b
		}
	}
	for name, c := range map[string]struct {
		damage func(dir string)
		used   bool
		sync   bool // the log has lost something that the feed gives again
	}{
		"none":                       {damage: func(string) {}, used: true},
		"killed while it is written": {damage: func(dir string) { write(image(dir)+".new", read(image(dir))[:5000]) }, used: true},
		"killed before the rename":   {damage: func(dir string) { write(image(dir)+".new", read(image(dir))) }, used: true},
		"log torn":                   {damage: func(dir string) { changed(t, log(dir), func(b []byte) []byte { return append(b, 9, 0, 0, 0, 1) }) }, used: true},
		"log torn in what follows":   {damage: func(dir string) { changed(t, log(dir), func(b []byte) []byte { return b[:len(b)-3] }) }, used: true, sync: true},
		"log cut where it ends":      {damage: func(dir string) { changed(t, log(dir), func(b []byte) []byte { return b[:marked] }) }, used: true, sync: true},
		"gone":                       {damage: func(dir string) { _ = os.Remove(image(dir)) }},
		"empty":                      {damage: func(dir string) { write(image(dir), nil) }},
		"cut":                        {damage: func(dir string) { changed(t, image(dir), func(b []byte) []byte { return b[:len(b)/2] }) }},
		"last byte cut":              {damage: func(dir string) { changed(t, image(dir), func(b []byte) []byte { return b[:len(b)-1] }) }},
		"magic":                      {damage: func(dir string) { changed(t, image(dir), flip(3)) }},
		"bit in the head":            {damage: func(dir string) { changed(t, image(dir), flip(4100)) }},
		"bit in the middle":          {damage: func(dir string) { changed(t, image(dir), func(b []byte) []byte { return flip(len(b) / 2)(b) }) }},
		"bit near the end":           {damage: func(dir string) { changed(t, image(dir), func(b []byte) []byte { return flip(len(b) - 30)(b) }) }},
		"zeroes":                     {damage: func(dir string) { changed(t, image(dir), func(b []byte) []byte { return make([]byte, len(b)) }) }},
		"of another form": {damage: func(dir string) {
			y := checkpointed(t, dir, 1<<20)
			key := y.key
			y.key += " other"
			if err := y.checkpoint(y.freeze()); err != nil {
				t.Fatal(err)
			}
			y.key = key
			if err := y.Close(); err != nil {
				t.Fatal(err)
			}
		}},
		"older log":                {damage: func(dir string) { changed(t, log(dir), func(b []byte) []byte { return b[:marked*2/3] }) }, sync: true},
		"log one byte short of it": {damage: func(dir string) { changed(t, log(dir), func(b []byte) []byte { return b[:marked-1] }) }, sync: true},
		"log gone":                 {damage: func(dir string) { write(log(dir), nil) }, sync: true},
		"bit of the log":           {damage: func(dir string) { changed(t, log(dir), flip(marked/2)) }, sync: true},
		"another log": {damage: func(dir string) {
			other := checkpointed(t, t.TempDir(), -1)
			docs := retrievaltest.Documents()
			slices.Reverse(docs)
			taken(t, other, retrievaltest.NewFeed(docs...))
			write(image(dir), read(image(early)))
			write(log(dir), read(other.file.path))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copied(t, base)
			c.damage(dir)
			want := want
			if name == "another log" {
				want = stateOf(t, checkpointed(t, copied(t, dir), -1))
			}
			y := checkpointed(t, dir, 1<<20)
			if used := y.image != nil; used != c.used {
				t.Errorf("used: %v, want %v", used, c.used)
			}
			if c.sync {
				taken(t, y, feed)
				want.Records, want.Dead = y.records, y.dead
			}
			if diff := cmp.Diff(want, stateOf(t, y)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			left, err := filepath.Glob(filepath.Join(dir, "*.new"))
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
			if _, err := os.Stat(image(dir)); (err == nil) != c.used {
				t.Errorf("the checkpoint is there: %v, want %v", err == nil, c.used)
			}
			// It is written anew, and then used.
			if err := y.checkpoint(y.freeze()); err != nil {
				t.Fatal(err)
			}
			z := checkpointed(t, copied(t, dir), 1<<20)
			if z.image == nil {
				t.Error("the checkpoint that was written anew is not used")
			}
			want.Records, want.Dead = z.records, z.dead
			if diff := cmp.Diff(want, stateOf(t, z)); diff != "" {
				t.Errorf("from the new checkpoint (-want +got):\n%s", diff)
			}
		})
	}
}

// Any changes, any ends and any checkpoints in between: what is opened from a checkpoint is
// what the whole log gives.
func TestCheckpointsOfAnyHistory(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 9))
			feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
			dir := t.TempDir()
			used := 0
			for range 9 {
				x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler), Replay: []int64{1, 300, 3000}[rng.IntN(3)]})
				if err != nil {
					t.Fatal(err)
				}
				if x.image != nil {
					used++
				}
				for range rng.IntN(8) {
					n := rng.IntN(9)
					doc := kb.Document{ID: fmt.Sprintf("note-%d", n), Title: fmt.Sprintf("Note %d", n%4), Text: fmt.Sprintf("Note %d is kept in shade %d.\n\n第三号房间的编号是%d。", n, rng.IntN(100), rng.IntN(1000))}
					switch rng.IntN(6) {
					case 0:
						feed.Delete(doc.ID)
						continue
					case 1:
						doc.Supersedes = []string{fmt.Sprintf("note-%d", rng.IntN(9))}
					case 2:
						doc.Readers = []string{"crew"}
					case 3:
						doc.ValidFrom = time.Date(2026, 1, 1+rng.IntN(90), 0, 0, 0, 0, time.UTC)
					case 4:
						doc.PublishedAt = time.Date(2026, 1, 2, 3, 4, rng.IntN(60), 0, time.FixedZone("", 8*3600))
					}
					feed.Put(doc)
					if rng.IntN(3) == 0 {
						taken(t, x, feed)
					}
				}
				taken(t, x, feed)
				want := stateOf(t, checkpointed(t, copied(t, dir), -1))
				got := stateOf(t, checkpointed(t, copied(t, dir), 1<<30)) // killed
				want.Records, want.Dead = got.Records, got.Dead           // where the log was written again
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("(-whole log +checkpoint):\n%s", diff)
				}
				if diff := cmp.Diff(want.Answers, stateOf(t, x).Answers); diff != "" {
					t.Fatalf("(-whole log +in use):\n%s", diff)
				}
				if err := x.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if used < 6 {
				t.Errorf("a checkpoint was used %d times of 9", used)
			}
		})
	}
}

// The trail of what servers are told survives, and a folder that changes between a server
// and the embedded routes is replayed.
func TestCheckpointTrail(t *testing.T) {
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	dir := t.TempDir()
	x := checkpointed(t, dir, -1)
	taken(t, x, feed)
	feed.Delete("canteen")
	feed.Put(kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"})
	taken(t, x, feed)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	trail := func(x *Index) []string {
		var out []string
		for _, e := range x.cat.trail {
			switch {
			case e.version == nil:
				out = append(out, fmt.Sprint(e.seq, " lost ", e.document))
			case x.cat.has(e.version) && e.version.touched == e.seq:
				out = append(out, fmt.Sprint(e.seq, " ", e.version.key()))
			}
		}
		return out
	}
	open := func(replay int64, servers bool) *Index {
		opt := Options{Logger: slog.New(slog.DiscardHandler), Replay: replay}
		if servers {
			opt.Vectors = &absent{}
		}
		x, err := Open(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		x.keeps.Wait()
		return x
	}
	y := open(1, true)
	want := trail(y)
	if err := y.checkpoint(y.freeze()); err != nil || len(want) == 0 {
		t.Fatal(err, want)
	}
	if err := y.Close(); err != nil {
		t.Fatal(err)
	}
	z := open(1<<20, true)
	if diff := cmp.Diff(want, trail(z)); diff != "" || z.image == nil {
		t.Errorf("from the checkpoint, %v (-want +got):\n%s", z.image != nil, diff)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w := open(1<<20, false)
	if w.image != nil {
		t.Error("a checkpoint with a trail is used without servers")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// A change that is not applied whole is never the end of a checkpoint.
func TestNoCheckpointOfHalfAChange(t *testing.T) {
	dir := t.TempDir()
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler), Replay: 1})
	if err != nil {
		t.Fatal(err)
	}
	taken(t, x, feed)
	before, err := os.ReadFile(filepath.Join(dir, checkpointName))
	if err != nil {
		t.Fatal(err)
	}
	r := record{Seq: x.seq + 1, Document: kb.Document{ID: "half", Version: 1}, Chunks: []chunkRecord{{Text: "half a change", Vectors: []byte("no vectors")}}}
	if err := x.write([]record{r}); err == nil {
		t.Fatal("a record without vectors is taken")
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(filepath.Join(dir, checkpointName))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("another checkpoint was written: %v", err)
	}
}

// absent is a server that is not there.
type absent struct{}

var errAbsent = errors.New("absent")

func (*absent) Name() string                              { return "absent" }
func (*absent) Open(context.Context, Form) (State, error) { return State{}, errAbsent }
func (*absent) Apply(context.Context, Batch) error        { return errAbsent }
func (*absent) Reset(context.Context) error               { return errAbsent }
func (*absent) Nearest(context.Context, dense.Sought, retrieval.Filter, bm25.Needs, int) ([]string, error) {
	return nil, errAbsent
}

// A checkpoint is of one moment, whatever changes while it is written: versions that come,
// go and become visible otherwise, and so many deleted rows that vectors and facts would be
// laid out anew.
func TestCheckpointIsOfOneMoment(t *testing.T) {
	var many strings.Builder
	for i := range 1500 {
		_, _ = fmt.Fprintf(&many, "## Berth %d\n\nBerth %d of Marlow harbour is %d metres long. 第%d号泊位长%d米。\n\n", i, i, i%90+5, i, i%90+5)
	}
	docs := append(retrievaltest.Documents(), kb.Document{ID: "many", Text: many.String()})
	feed := retrievaltest.NewFeed(docs...)
	dir := t.TempDir()
	x := checkpointed(t, dir, 1<<40)
	taken(t, x, feed)
	then := copied(t, dir)
	f := x.freeze()
	feed.Delete("many")
	feed.Delete("canteen")
	feed.Put(kb.Document{ID: "pump-new", Text: "The QX-21 pump replaces the QX-20 pump.", Supersedes: []string{"pump@1"}}, kb.Document{ID: "canteen", Text: "食堂早餐改为七点开始。"})
	taken(t, x, feed)
	if err := x.checkpoint(f); err != nil {
		t.Fatal(err)
	}
	if image, err := os.ReadFile(filepath.Join(dir, checkpointName)); err != nil || os.WriteFile(filepath.Join(then, checkpointName), image, 0o644) != nil {
		t.Fatal(err)
	}
	want := stateOf(t, checkpointed(t, copied(t, then), -1))
	y := checkpointed(t, then, 1<<40)
	if y.image == nil {
		t.Fatal("the checkpoint is not used")
	}
	if diff := cmp.Diff(want, stateOf(t, y)); diff != "" {
		t.Errorf("as it was (-whole log +checkpoint):\n%s", diff)
	}
	want = stateOf(t, checkpointed(t, copied(t, dir), -1))
	if diff := cmp.Diff(want, stateOf(t, checkpointed(t, copied(t, dir), 1<<40))); diff != "" {
		t.Errorf("as it is (-whole log +checkpoint):\n%s", diff)
	}
	feed.Delete("canteen")
	taken(t, x, feed)
	if diff := cmp.Diff(stateOf(t, checkpointed(t, copied(t, dir), -1)).Answers, stateOf(t, x).Answers); diff != "" {
		t.Errorf("in use (-whole log +in use):\n%s", diff)
	}
}

// A change does not wait for the checkpoint that it is due for, nor does what follows it;
// Close does.
func TestCheckpointInTheBackground(t *testing.T) {
	dir := t.TempDir()
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler), Replay: 1})
	if err != nil {
		t.Fatal(err)
	}
	// A pipe takes some bytes of it, and then none before they are read.
	pipe := filepath.Join(dir, checkpointName+mapped.TempSuffix)
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	within := func(what string, do func()) {
		t.Helper()
		done := make(chan struct{})
		go func() { defer close(done); do() }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("%s waits for a checkpoint", what)
		}
	}
	for i := range 5 {
		within("a change", func() {
			if err := x.Sync(t.Context(), feed); err != nil {
				t.Error(err)
			}
		})
		feed.Put(kb.Document{ID: fmt.Sprint("note-", i), Text: fmt.Sprintf("Note %d is kept in shade %d.", i, i)})
	}
	within("a search", func() { stateOf(t, x) })
	if !x.keeping.Load() {
		t.Fatal("no checkpoint is being written")
	}
	closed := make(chan error, 1)
	go func() { closed <- x.Close() }()
	in, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-closed, in.Close()); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*"+mapped.TempSuffix)); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	want := stateOf(t, checkpointed(t, copied(t, dir), -1))
	if diff := cmp.Diff(want, stateOf(t, checkpointed(t, copied(t, dir), 1<<40))); diff != "" {
		t.Errorf("(-whole log +checkpoint):\n%s", diff)
	}
}

// Changes and checkpoints at the same time, for the race detector.
func TestCheckpointsWhileChanging(t *testing.T) {
	dir := t.TempDir()
	feed := retrievaltest.NewFeed(retrievaltest.Documents()...)
	x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler), Replay: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		feed.Put(kb.Document{ID: fmt.Sprint("note-", i), Text: fmt.Sprintf("Note %d is kept in shade %d. 第%d号房间的编号是%d。", i, i*i, i, i)})
		if i%5 == 0 {
			feed.Delete(fmt.Sprint("note-", i-3))
		}
		if err := x.Sync(t.Context(), feed); err != nil {
			t.Fatal(err)
		}
		x.Collections(nil)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	want := stateOf(t, checkpointed(t, copied(t, dir), -1))
	y := checkpointed(t, copied(t, dir), 1<<40)
	want.Records, want.Dead = y.records, y.dead // where the log was written again
	if diff := cmp.Diff(want, stateOf(t, y)); diff != "" || y.image == nil {
		t.Errorf("used %v (-whole log +checkpoint):\n%s", y.image != nil, diff)
	}
}

// An opening that fails keeps no file and no memory.
func TestOpenThatFailsKeepsNothing(t *testing.T) {
	held := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("the files of a process are not listed here: ", err)
		}
		return len(files)
	}
	for name, damage := range map[string]func(dir string) error{
		"no log":        func(dir string) error { return os.Mkdir(filepath.Join(dir, logName), 0o755) },
		"no checkpoint": func(dir string) error { return os.MkdirAll(filepath.Join(dir, checkpointName, "in"), 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := damage(dir); err != nil {
				t.Fatal(err)
			}
			before := held()
			for range 3 {
				x, err := Open(dir, Options{Logger: slog.New(slog.DiscardHandler)})
				if err == nil {
					err = x.Close()
				}
				t.Log(err)
			}
			if after := held(); after > before {
				t.Errorf("%d files are held, %d before", after, before)
			}
		})
	}
}
