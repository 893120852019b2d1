package ingest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest"
	"suffice.dev/suffice/kb/store"
)

func open(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// write makes files below dir; a text that begins with -> is a link.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(files[name], "->"); ok {
			if err := os.Symlink(filepath.FromSlash(to), path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(path, []byte(files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func paths(t *testing.T, in *ingest.Ingester, p ...string) kb.IngestReport {
	t.Helper()
	r, err := in.Paths(t.Context(), p...)
	if err != nil {
		t.Fatalf("Paths: %v", err)
	}
	return r
}

func ids(t *testing.T, k kb.Knowledge) []string {
	t.Helper()
	docs, _, err := k.Documents(t.Context(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range docs {
		out = append(out, d.ID)
	}
	return out
}

func skipped(dir string, r kb.IngestReport) map[string]string {
	out := map[string]string{}
	for _, s := range r.Skipped {
		rel, err := filepath.Rel(dir, s.Path)
		if err != nil {
			rel = s.Path
		}
		out[filepath.ToSlash(rel)] = s.Reason
	}
	return out
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"b.md":              "# B\n\nText of b.",
		"a/c.txt":           "纯文本。",
		"a/D.Markdown":      "---\ntitle: Deed\nvalid_from: 2024-02-29\nreaders: [group:legal]\nauthority: 9\ntags: [x]\nsupersedes: b.md@1\n---\n\nText of d.",
		"a.md":              "Text of a.",
		".hidden.md":        "not read",
		".git/x.md":         "not read",
		"loop/back":         "->..",
		"link.md":           "->a/c.txt",
		"bin.md":            "\x00\x01\x02",
		"latin.txt":         "caf\xe9",
		"empty.md":          " \n",
		"logo.png":          "\x89PNG",
		"bad-front.md":      "---\nvalid_to: 2023-02-30\n---\nText.",
		"bad-range.md":      "---\nauthority: 11\n---\nText.",
		"broken.md":         "->nowhere",
		"lists/docs.jsonl":  `{"document_id":"j1","text":"One.","valid_to":"2025-06-30T00:00:00Z"}` + "\n\n" + `{"document_id":"j2","path":"../files/j2.md","title":"J2"}` + "\n" + `{"document_id":"j3","text":"x","reader":["a"]}` + "\nnot json\n" + `{"text":"x"}` + "\n" + `{"document_id":"j4","text":"x","valid_from":"2023-13-01"}` + "\n" + `{"document_id":"j5","authority":"high","text":"x"}` + "\n" + `{"document_id":"j6","path":"gone.md"}`,
		"files/j2.md":       "---\ndomain: law\ntitle: Other\n---\nText of j2.",
		"files/own-name.md": "---\ndocument_id: named\n---\nText.",
	})
	k := open(t)
	var done, total int
	var last string
	in := ingest.New(k, ingest.Options{BatchDocuments: 2, Progress: func(d, n int, p string) { done, total, last = d, n, p }})
	r := paths(t, in, dir)
	if r.Documents != 8 || r.Versions != 8 || r.Chunks < 8 {
		t.Errorf("report: %+v", r)
	}
	if total != 19 || done > total || last == "" {
		t.Errorf("progress ended at %d of %d (%s)", done, total, last)
	}
	if d := cmp.Diff([]string{"a.md", "a/D.Markdown", "a/c.txt", "b.md", "j1", "j2", "link.md", "named"}, ids(t, k)); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}
	for path, want := range map[string]string{
		"bin.md":             "is not text",
		"latin.txt":          "not UTF-8 text (byte 3)",
		"empty.md":           "is empty",
		"logo.png":           `".png"`,
		"bad-front.md":       `line 2: valid_to: "2023-02-30" is not a date`,
		"bad-range.md":       "authority 11 is not within 0..10",
		"broken.md":          "no such file",
		"lists/docs.jsonl:4": `unknown key "reader"`,
		"lists/docs.jsonl:5": "is not JSON",
		"lists/docs.jsonl:6": "document_id is missing",
		"lists/docs.jsonl:7": `valid_from: "2023-13-01" is not a date`,
		"lists/docs.jsonl:8": "authority: a string does not fit; write a number",
		"lists/docs.jsonl:9": "path gone.md: no such file",
	} {
		if got := skipped(dir, r)[path]; !strings.Contains(got, want) {
			t.Errorf("reason of %s: %q, want %q in it", path, got, want)
		}
	}
	if len(r.Skipped) != 13 {
		t.Errorf("%d skipped: %+v", len(r.Skipped), r.Skipped)
	}
	d, err := k.Document(t.Context(), "a/D.Markdown", 0)
	if err != nil {
		t.Fatal(err)
	}
	if d.Title != "Deed" || kb.FormatDay(d.ValidFrom) != "2024-02-29" || *d.Authority != 9 || !slices.Equal(d.Readers, []string{"group:legal"}) || !slices.Equal(d.Supersedes, []string{"b.md@1"}) {
		t.Errorf("front matter: %+v", d)
	}
	if d, err = k.Document(t.Context(), "j2", 0); err != nil || d.Title != "J2" || d.Domain != "law" || !strings.HasPrefix(d.Text, "---\n") {
		t.Errorf("a document by path: %+v, %v", d, err)
	}
	if d, err = k.Document(t.Context(), "j1", 0); err != nil || kb.FormatDay(d.ValidTo) != "2025-06-30" {
		t.Errorf("a document by line: %+v, %v", d, err)
	}

	// A second time nothing is new.
	again := paths(t, in, dir)
	if again.Documents != 8 || again.Versions != 0 || again.Chunks != 0 {
		t.Errorf("the same folder again: %+v", again)
	}
	if d := cmp.Diff(r.Skipped, again.Skipped); d != "" {
		t.Errorf("skipped the second time (-first +second):\n%s", d)
	}
}

func TestSingleFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"sub/one.md": "One.", "sub/two.md": "Two.", "sub/three.rst": "Three."})
	k := open(t)
	in := ingest.New(k, ingest.Options{Sync: true})
	paths(t, in, filepath.Join(dir, "sub"))
	r := paths(t, in, filepath.Join(dir, "sub", "two.md"), filepath.Join(dir, "sub", "three.rst"))
	if r.Documents != 1 || r.Versions != 0 || len(r.Skipped) != 1 {
		t.Errorf("a file of a folder that is known: %+v", r)
	}
	if d := cmp.Diff([]string{"one.md", "two.md"}, ids(t, k)); d != "" {
		t.Errorf("a single file deletes nothing (-want +got):\n%s", d)
	}
	if _, err := in.Paths(t.Context(), filepath.Join(dir, "none.md")); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none.md") {
		t.Errorf("a path that does not exist: %v", err)
	}
}

func TestEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	k := open(t)
	r := paths(t, ingest.New(k, ingest.Options{}), dir)
	if len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, ".md") || r.Skipped[0].Path != dir {
		t.Errorf("report: %+v", r)
	}
}

func TestSync(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"keep.md": "Keep.", "go.md": "Go.", "sub/deep.md": "Deep.", "l.jsonl": `{"document_id":"l1","text":"1"}` + "\n" + `{"document_id":"l2","text":"2"}`, "rename.md": "---\ndocument_id: before\n---\nText."})
	write(t, other, map[string]string{"theirs.md": "Theirs."})
	k := open(t)
	if _, err := k.Put(t.Context(), []kb.Document{{ID: "by-hand", Text: "Put by hand."}}); err != nil {
		t.Fatal(err)
	}
	in := ingest.New(k, ingest.Options{Sync: true})
	paths(t, in, dir, other)
	remove := func(name string) {
		t.Helper()
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	remove("go.md")
	write(t, dir, map[string]string{"l.jsonl": `{"document_id":"l2","text":"2"}`, "rename.md": "---\ndocument_id: after\n---\nText."})
	paths(t, ingest.New(k, ingest.Options{}), dir)
	if got := ids(t, k); !slices.Contains(got, "go.md") || !slices.Contains(got, "l1") {
		t.Errorf("without Sync something was deleted: %v", got)
	}
	paths(t, in, dir)
	if d := cmp.Diff([]string{"after", "by-hand", "keep.md", "l2", "sub/deep.md", "theirs.md"}, ids(t, k)); d != "" {
		t.Errorf("after Sync (-want +got):\n%s", d)
	}

	// What is there and cannot be read, as a whole or in a line, is kept.
	write(t, dir, map[string]string{"keep.md": "\xff\xfe", "l.jsonl": `{"document_id":"l3","text":"3"}` + "\nbroken"})
	paths(t, in, dir)
	if d := cmp.Diff([]string{"after", "by-hand", "keep.md", "l2", "l3", "sub/deep.md", "theirs.md"}, ids(t, k)); d != "" {
		t.Errorf("after a file became unreadable (-want +got):\n%s", d)
	}

	// A folder without any file is more likely not mounted.
	for _, name := range []string{"keep.md", "l.jsonl", "rename.md", "sub/deep.md"} {
		remove(name)
	}
	if r := paths(t, in, dir); len(r.Skipped) != 1 || len(ids(t, k)) != 7 {
		t.Errorf("after all files are gone: %+v, %v", r, ids(t, k))
	}
}

func TestSyncKeepsWhatItCannotSee(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder; run as another user")
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "A.", "closed/b.md": "B."})
	k := open(t)
	in := ingest.New(k, ingest.Options{Sync: true})
	paths(t, in, dir)
	closed := filepath.Join(dir, "closed")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(closed, 0o755); err != nil {
			t.Error(err)
		}
	})
	r := paths(t, in, dir)
	if len(r.Skipped) != 1 || !strings.Contains(r.Skipped[0].Reason, "permission denied") {
		t.Errorf("report: %+v", r)
	}
	if d := cmp.Diff([]string{"a.md", "closed/b.md"}, ids(t, k)); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}
}

// TestSyncKeepsBehindABrokenLink is the same where permissions do not matter.
func TestSyncKeepsBehindABrokenLink(t *testing.T) {
	dir, mount := t.TempDir(), filepath.Join(t.TempDir(), "mount")
	write(t, mount, map[string]string{"b.md": "B."})
	write(t, dir, map[string]string{"a.md": "A.", "far": "->" + mount})
	k := open(t)
	in := ingest.New(k, ingest.Options{Sync: true})
	paths(t, in, dir)
	if err := os.Rename(mount, mount+"-away"); err != nil {
		t.Fatal(err)
	}
	if r := paths(t, in, dir); len(r.Skipped) != 1 {
		t.Errorf("report: %+v", r)
	}
	if d := cmp.Diff([]string{"a.md", "far/b.md"}, ids(t, k)); d != "" {
		t.Errorf("documents (-want +got):\n%s", d)
	}
}

// failing is a knowledge base whose Put fails after some calls.
type failing struct {
	kb.Knowledge
	left int
	err  error
}

func (f *failing) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	if f.left--; f.left < 0 {
		return kb.IngestReport{}, f.err
	}
	return f.Knowledge.Put(ctx, docs)
}

func TestStoreFails(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "A.", "b.md": "B.", "c.md": "C."})
	for _, want := range []error{kb.ErrUnavailable, context.Canceled} {
		k := open(t)
		r, err := ingest.New(&failing{k, 2, want}, ingest.Options{BatchDocuments: 1, Sync: true}).Paths(t.Context(), dir)
		if !errors.Is(err, want) || r.Documents != 2 || len(r.Skipped) != 0 {
			t.Errorf("with %v: report %+v, error %v", want, r, err)
		}
		if d := cmp.Diff([]string{"a.md", "b.md"}, ids(t, k)); d != "" {
			t.Errorf("kept (-want +got):\n%s", d)
		}
	}
}

func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "A."})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k := open(t)
	if _, err := ingest.New(k, ingest.Options{}).Paths(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestDefaults(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"a.md": "A.", "b.md": "---\ncollection: own\nreaders: [group:x]\nsource: forum\n---\nB."})
	k := open(t)
	paths(t, ingest.New(k, ingest.Options{Collection: "given", Readers: []string{"group:y"}, Source: "handbook"}), dir)
	var got [][3]string
	for _, id := range []string{"a.md", "b.md"} {
		d, err := k.Document(t.Context(), id, 0)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, [3]string{d.Collection, strings.Join(d.Readers, ","), d.Source})
	}
	if d := cmp.Diff([][3]string{{"given", "group:y", "handbook"}, {"own", "group:x", "forum"}}, got); d != "" {
		t.Errorf("collection, readers, source (-want +got):\n%s", d)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"document_id":"a","text":"x","readers":["*"]}`))
	f.Add([]byte(`{"document_id":1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ingest.ParseLine(data)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without reason")
			}
			return
		}
		if _, err := l.Document(); err != nil && err.Error() == "" {
			t.Error("an error without reason")
		}
	})
}
