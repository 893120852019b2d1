// Package ingest brings files and folders into a knowledge base: Markdown, plain
// text and JSON Lines of documents.
//
// What is left out is always named with its reason. Nothing is removed from the
// knowledge base unless Sync is set, and then only documents that came from the
// same folder and whose file, or whose line in a file, is gone.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
)

// Options say how files are ingested.
type Options struct {
	// Sync deletes the documents that came from an ingested folder and are there no
	// more. A folder without a single file deletes nothing: it may be a disk that is
	// not mounted.
	Sync bool
	// Collection, Readers and Source are given to documents that say nothing themselves.
	Collection string
	Readers    []string
	Source     string
	// Progress is told at the beginning, with an empty path, and after each batch how many
	// of total documents are done, and the path of the last one. It is called from one
	// goroutine.
	Progress func(done, total int, path string)
	// BatchDocuments and BatchBytes bound one Put; 0 = 256 documents, 3 MiB of text.
	BatchDocuments int
	BatchBytes     int
}

// Ingester puts files into a knowledge base, embedded or remote.
type Ingester struct {
	knowledge kb.Knowledge
	opt       Options
}

// New returns an Ingester.
func New(k kb.Knowledge, opt Options) *Ingester {
	if opt.BatchDocuments <= 0 {
		opt.BatchDocuments = 256
	}
	if opt.BatchBytes <= 0 {
		opt.BatchBytes = 3 << 20
	}
	return &Ingester{knowledge: k, opt: opt}
}

// item is a document on its way, with the path that a report names.
type item struct {
	path string
	doc  kb.Document
}

// run is the state of one call of Paths.
type run struct {
	*Ingester
	report      kb.IngestReport
	unknown     map[string]*unknownKey // by key of front matter
	batch       []item
	bytes       int
	done, total int
	last        string
}

// Paths ingests files and folders, in the order given and within a folder by
// path. A path that does not exist or cannot be opened is an error; what cannot be
// read below it is named in the report. An error (of the store or the context)
// comes with the report of what was done so far.
func (in *Ingester) Paths(ctx context.Context, paths ...string) (kb.IngestReport, error) {
	start := time.Now()
	r := &run{Ingester: in}
	err := r.paths(ctx, paths)
	r.report.Warnings = r.warnings()
	r.report.Seconds = time.Since(start).Seconds()
	return r.report, err
}

func (r *run) paths(ctx context.Context, paths []string) error {
	var trees []*tree
	for _, p := range paths {
		t, err := walk(p)
		if err != nil {
			return err
		}
		trees = append(trees, t)
		r.report.Skipped = append(r.report.Skipped, t.skipped...)
		for _, f := range t.files {
			r.total += f.documents
		}
	}
	if r.opt.Progress != nil {
		r.opt.Progress(0, r.total, "")
	}
	for _, t := range trees {
		if err := r.tree(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// tree ingests what was found below one path.
func (r *run) tree(ctx context.Context, t *tree) error {
	present := map[string]map[string]bool{} // by origin: the ids that its file gave; nil = the file could not be read
	for _, f := range t.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		origin := t.origin(f.rel)
		ids := map[string]bool{}
		whole := true // every document of the file was read
		var failed error
		err := r.load(f, func(it item) error {
			it.doc.Origin = origin
			r.defaults(&it.doc)
			ids[it.doc.ID] = true
			failed = r.add(ctx, it)
			return failed
		}, func(path string, err error) {
			// A line that cannot be read may be a document that is still wanted.
			whole = false
			r.done++
			r.skip(path, err)
		})
		if failed != nil {
			return failed
		}
		if err != nil {
			whole = false
			r.done += max(0, f.documents-len(ids))
			r.skip(f.name, err)
		}
		if !whole {
			ids = nil
		}
		present[origin] = ids
	}
	if err := r.flush(ctx); err != nil {
		return err
	}
	if len(t.files) == 0 {
		if len(t.skipped) == 0 {
			r.report.Skipped = append(r.report.Skipped, kb.Skipped{Path: t.given, Reason: "the folder holds no file that is read (" + strings.Join(extensions, ", ") + ")"})
		}
		return nil
	}
	if r.opt.Sync && t.folder {
		return r.sync(ctx, t, present)
	}
	return nil
}

func (r *run) defaults(d *kb.Document) {
	if d.Collection == "" {
		d.Collection = r.opt.Collection
	}
	if len(d.Readers) == 0 {
		d.Readers = r.opt.Readers
	}
	if d.Source == "" {
		d.Source = r.opt.Source
	}
}

// unknownKey is a key of front matter that no document has: where it came first, and in how
// many files it stands.
type unknownKey struct {
	path  string
	files int
}

// unknownKeys notes what the front matter of a file has and no document does.
func (r *run) unknownKeys(path string, keys []string) {
	for _, k := range keys {
		if r.unknown == nil {
			r.unknown = map[string]*unknownKey{}
		}
		if r.unknown[k] == nil {
			r.unknown[k] = &unknownKey{path: path}
		}
		r.unknown[k].files++
	}
}

// warnings name each unknown key once, however many files have it: a folder of a site may
// have its own keys in all of them.
func (r *run) warnings() []kb.Warning {
	var out []kb.Warning
	for _, key := range slices.Sorted(maps.Keys(r.unknown)) {
		u := r.unknown[key]
		in := ""
		if u.files > 1 {
			in = fmt.Sprintf(", in %d files", u.files)
		}
		out = append(out, kb.Warning{Path: u.path, Text: fmt.Sprintf("the front matter has the key %q%s, which says nothing here; keys are %s", key, in, strings.Join(frontKeys, ", "))})
	}
	return out
}

func (r *run) skip(path string, err error) {
	r.report.Skipped = append(r.report.Skipped, kb.Skipped{Path: path, Reason: err.Error()})
}

func (r *run) add(ctx context.Context, it item) error {
	if len(r.batch) > 0 && (len(r.batch) >= r.opt.BatchDocuments || r.bytes+len(it.doc.Text) > r.opt.BatchBytes) {
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.batch = append(r.batch, it)
	r.bytes += len(it.doc.Text)
	return nil
}

// flush puts the batch. Where the store refuses one of the documents, they are
// put one by one, so that the others are not lost.
func (r *run) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	docs := make([]kb.Document, len(r.batch))
	for i, it := range r.batch {
		docs[i] = it.doc
	}
	report, err := r.knowledge.Put(ctx, docs)
	switch {
	case err == nil:
		r.count(report)
	case fatal(ctx, err):
		r.count(report)
		return err
	default:
		// What the failed call has stored counts once: it is unchanged when it is put
		// again.
		r.report.Versions += report.Versions
		r.report.Chunks += report.Chunks
		r.report.Facts += report.Facts
		for i, it := range r.batch {
			one, err := r.knowledge.Put(ctx, docs[i:i+1])
			if err == nil {
				r.count(one)
				continue
			}
			if fatal(ctx, err) {
				return err
			}
			var inv *kb.InvalidError
			if errors.As(err, &inv) {
				err = errors.New(strings.TrimPrefix(inv.Field, "documents[0].") + " " + inv.Message)
			}
			r.skip(it.path, err)
		}
	}
	r.done += len(r.batch)
	r.last = r.batch[len(r.batch)-1].path
	r.batch, r.bytes = r.batch[:0], 0
	if r.opt.Progress != nil {
		r.opt.Progress(r.done, r.total, r.last)
	}
	return nil
}

func fatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, kb.ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

func (r *run) count(report kb.IngestReport) {
	r.report.Documents += report.Documents
	r.report.Versions += report.Versions
	r.report.Chunks += report.Chunks
	r.report.Facts += report.Facts
}

// sync deletes what came from the folder and is there no more.
func (r *run) sync(ctx context.Context, t *tree, present map[string]map[string]bool) error {
	var gone []string
	token := ""
	for {
		docs, next, err := r.knowledge.Documents(ctx, token, 1000)
		if err != nil {
			return fmt.Errorf("list documents of %s: %w", t.given, err)
		}
		for _, d := range docs {
			rel, ours := strings.CutPrefix(d.Origin, t.root+"//")
			if !ours || t.hidden(rel) {
				continue
			}
			ids, there := present[d.Origin]
			if !there || ids != nil && !ids[d.ID] {
				gone = append(gone, d.ID)
			}
		}
		if next == "" {
			break
		}
		token = next
	}
	for _, id := range gone {
		if err := r.knowledge.Delete(ctx, id); err != nil && !errors.Is(err, kb.ErrNotFound) {
			return fmt.Errorf("delete %s, which is gone from %s: %w", id, t.given, err)
		}
	}
	return nil
}

// extensions are the endings of files that are read.
var extensions = []string{".md", ".markdown", ".txt", ".jsonl"}

// file is one file found below a path.
type file struct {
	rel       string // slash path relative to the root: the document's id
	name      string // path as a report names it
	abs       string
	documents int // documents it is expected to hold; for progress alone
}

// tree is what was found below one path.
type tree struct {
	given   string // as the caller wrote it
	root    string // absolute slash path of the folder, or of the file's folder
	folder  bool
	files   []file
	skipped []kb.Skipped
	blind   []string // slash paths relative to the root that could not be looked into
}

func (t *tree) origin(rel string) string { return t.root + "//" + rel }

// hidden reports whether a path lies where the walk could not look, or is one
// that was found and could not be opened: it may still be there.
func (t *tree) hidden(rel string) bool {
	for _, b := range t.blind {
		if rel == b || strings.HasPrefix(rel, b+"/") {
			return true
		}
	}
	return false
}

// walk lists the files below a path, by slash path. Hidden files and folders are
// left out, and so are links that lead back to a folder they lie in.
func walk(given string) (*tree, error) {
	abs, err := filepath.Abs(given)
	if err != nil {
		return nil, fmt.Errorf("ingest %s: %w", given, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("ingest %s: %w", given, plainReason(err))
	}
	if !info.IsDir() {
		t := &tree{given: given, root: filepath.ToSlash(filepath.Dir(abs))}
		t.file(filepath.Base(abs), given, abs, info)
		return t, nil
	}
	t := &tree{given: given, root: filepath.ToSlash(abs), folder: true}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, fmt.Errorf("ingest %s: %w", given, plainReason(err))
	}
	if _, err := os.ReadDir(abs); err != nil {
		return nil, fmt.Errorf("ingest %s: the folder cannot be read; change its permissions: %w", given, plainReason(err))
	}
	t.dir(abs, "", given, []string{real})
	t.dropReferenced()
	return t, nil
}

// plainReason drops the path from a file error: the message names it already.
func plainReason(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func (t *tree) dir(abs, rel, name string, above []string) {
	entries, err := os.ReadDir(abs)
	if err != nil {
		t.blind = append(t.blind, rel)
		t.skipped = append(t.skipped, kb.Skipped{Path: name, Reason: "the folder cannot be read: " + plainReason(err).Error()})
		return
	}
	// By slash path: "a.md" before "a/b.md", whatever the file system says.
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		childAbs, childName := filepath.Join(abs, e.Name()), filepath.Join(name, e.Name())
		childRel := e.Name()
		if rel != "" {
			childRel = rel + "/" + e.Name()
		}
		info, err := os.Stat(childAbs) // follows links
		if err != nil {
			t.blind = append(t.blind, childRel)
			t.skipped = append(t.skipped, kb.Skipped{Path: childName, Reason: plainReason(err).Error()})
			continue
		}
		if !info.IsDir() {
			t.file(childRel, childName, childAbs, info)
			continue
		}
		real, err := filepath.EvalSymlinks(childAbs)
		if err != nil {
			t.blind = append(t.blind, childRel)
			t.skipped = append(t.skipped, kb.Skipped{Path: childName, Reason: plainReason(err).Error()})
			continue
		}
		if slices.Contains(above, real) {
			continue
		}
		t.dir(childAbs, childRel, childName, append(above[:len(above):len(above)], real))
	}
}

func (t *tree) file(rel, name, abs string, info os.FileInfo) {
	ext := strings.ToLower(filepath.Ext(rel))
	switch {
	case !info.Mode().IsRegular():
		t.skipped = append(t.skipped, kb.Skipped{Path: name, Reason: "is no regular file"})
	case !slices.Contains(extensions, ext):
		t.skipped = append(t.skipped, kb.Skipped{Path: name, Reason: fmt.Sprintf("files of this kind (%q) are not read; those ending in %s are", ext, strings.Join(extensions, ", "))})
	default:
		f := file{rel: rel, name: name, abs: abs, documents: 1}
		if ext == ".jsonl" {
			// An unreadable file is reported when it is loaded.
			f.documents, _ = countLines(abs)
		}
		t.files = append(t.files, f)
	}
}

// dropReferenced takes out the files that a .jsonl of the same folder names by
// path: they are documents of that file, not of their own.
func (t *tree) dropReferenced() {
	named := map[string]bool{}
	for _, f := range t.files {
		if strings.EqualFold(filepath.Ext(f.rel), ".jsonl") {
			for _, p := range referenced(f.abs) {
				named[p] = true
			}
		}
	}
	if len(named) > 0 {
		t.files = slices.DeleteFunc(t.files, func(f file) bool { return named[f.abs] })
	}
}
