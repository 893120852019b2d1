package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
)

// endless is a file without an end and without a line.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestBoundedLine(t *testing.T) {
	if _, err := boundedLine(bufio.NewReaderSize(endless{}, 1<<20)); !errors.Is(err, errLongLine) {
		t.Errorf("a line without an end: %v, want errLongLine", err)
	}
	r := bufio.NewReaderSize(strings.NewReader(strings.Repeat("a", 40)+"\nb"), 16)
	for _, want := range []struct {
		line string
		err  error
	}{{strings.Repeat("a", 40) + "\n", nil}, {"b", io.EOF}} {
		if got, err := boundedLine(r); string(got) != want.line || !errors.Is(err, want.err) {
			t.Errorf("line %q, %v; want %q, %v", got, err, want.line, want.err)
		}
	}
}

// TestUnknownFrontMatterIsNamed: keys of front matter that no document has are named in the
// report, each once, with the file that has it first and the keys that there are.
func TestUnknownFrontMatterIsNamed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md":     "---\nvalid_form: 2024-01-01\ndomain: law\n---\n# A\n\nA holds.\n",
		"b.md":     "---\ntitle: B\nlayout: page\n---\nB holds.\n",
		"c.md":     "---\nlayout: page\n标题: 丙\n---\nC holds.\n",
		"d.txt":    "---\nlayout: page\n---\nD holds.\n",
		"e.jsonl":  `{"document_id":"e","path":"sub/e.md"}` + "\n",
		"sub/e.md": "---\nauthor: me\n---\nE holds.\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	report, err := New(kept{}, Options{}).Paths(t.Context(), dir)
	if err != nil || len(report.Skipped) > 0 {
		t.Fatalf("%v, skipped %v", err, report.Skipped)
	}
	keys := "; keys are document_id, collection, title, media_type, source, domain, authority, published_at, valid_from, valid_to, supersedes, readers"
	want := []kb.Warning{
		{Path: "author", Text: `the front matter has the key "author", which says nothing here` + keys},
		{Path: "layout", Text: `the front matter has the key "layout", in 2 files, which says nothing here` + keys},
		{Path: "valid_form", Text: `the front matter has the key "valid_form", which says nothing here` + keys},
		{Path: "标题", Text: `the front matter has the key "标题", which says nothing here` + keys},
	}
	for i, first := range []string{"e.md", "b.md", "a.md", "c.md"} {
		want[i].Path = first
	}
	for i := range report.Warnings {
		report.Warnings[i].Path = filepath.Base(report.Warnings[i].Path)
	}
	if diff := cmp.Diff(want, report.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestFrontKeys: every key that is said to be known is read.
func TestFrontKeys(t *testing.T) {
	for _, key := range frontKeys {
		value := "x"
		switch key {
		case "authority":
			value = "7"
		case "published_at", "valid_from", "valid_to":
			value = "2024-01-02"
		}
		doc, unknown, err := FromText("a.md", "---\n"+key+": "+value+"\n---\nText.\n")
		plain := kb.Document{ID: "a.md", Text: doc.Text, MediaType: "text/markdown"}
		if err != nil || len(unknown) > 0 || cmp.Equal(doc, plain) {
			t.Errorf("%s: %+v, unknown %v, %v; want it read", key, doc, unknown, err)
		}
	}
}

// kept takes every document.
type kept struct{ kb.Knowledge }

func (kept) Put(_ context.Context, docs []kb.Document) (kb.IngestReport, error) {
	return kb.IngestReport{Documents: len(docs), Versions: len(docs)}, nil
}
