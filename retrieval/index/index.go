// Package index keeps the three embedded routes in step with the store: it takes
// the change feed, writes a log of its own, and derives the lexical index, the
// vectors and the graph from it.
//
// The store is the truth. Whatever happens to the files here, the index notices
// and builds itself again, from its log where that is whole, else from the feed.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/mapped"
	"suffice.dev/suffice/text"
)

// Feed is the part of kb.Knowledge that the index reads.
type Feed interface {
	Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error)
}

// Options are the parts that an index works with.
type Options struct {
	Model *embed.Model // nil = the built-in one
	// Edges reads the facts of a chunk out of its page; nil or a result without
	// edges = its sentences stand for them. It is asked once, when a change is taken.
	Edges func(c kb.Chunk) []graph.Edge
	// Form names what Edges and Match make of a chunk: the release of the reader, the
	// dictionary. Files of another form are built again from the feed.
	Form   string
	Match  text.Match        // the dictionary of the graph route; nil = none
	Dense  dense.Calibration // zero = dense.Static
	Logger *slog.Logger      // nil = slog.Default
	// Replay is how many bytes of the log an opening after Close may have to replay; what is
	// more is stored with a checkpoint. 0 = 1 MiB; below 0 = no checkpoints are written or used.
	Replay int64

	// Servers that hold a form of every chunk, each for a route; nil = embedded. One
	// server may stand for several routes.
	Words   WordServer
	Vectors VectorServer
	Facts   FactServer
	// Patience is how long a server is waited for that may be down; 0 = 3 s.
	Patience time.Duration
	// Endpoint embeds in the place of Model: a collection changes over to it once it has
	// embedded all its chunks, and until then is served as before. nil = none. Follow has it
	// embed.
	Endpoint Endpoint
	// Origin is what Earlier makes Endpoint from again, in a later process that is configured
	// with another. It is kept in the folder: no secrets.
	Origin string
	// Earlier makes an endpoint that served before from its Origin; nil or an error = the
	// built-in embedding stands in for it.
	Earlier func(origin string) (Endpoint, error)
}

// Index is the embedded form of all routes, in a folder of its own that one
// process owns. It is safe for concurrent use.
type Index struct {
	dir string
	opt Options
	key string
	log *slog.Logger

	writing chan struct{} // of size 1: held by the one that changes what is here
	broken  atomic.Bool

	// Which Syncs were wanted, by number in the order in which they came: one that is done
	// has what was in the feed before any that came before it began.
	wanted, done, failed atomic.Int64

	mu     sync.RWMutex // guards what follows
	file   *logFile
	image  *mapped.Image // of the checkpoint that cat, matrix and facts began with; nil = none
	cat    *catalog
	matrix *dense.Matrix
	facts  *graph.Graph
	stats  *bm25.Stats
	remote *remote // the wanted model; nil = the built-in one
	// earlier are models that serve collections of which the wanted one has not all chunks,
	// the latest first.
	earlier []*remote
	seq     int64
	at      int64 // of the change that is being applied
	records int   // in the log
	dead    int   // of them, records that say nothing any more
	marked  int64 // bytes of the log that the checkpoint stands for, or that one was last tried at
	torn    bool  // a change was not applied whole: memory is not what the log says
	closed  bool
	feed    Feed   // of the last Sync; servers only
	store   string // its identity; "" = not known

	lexical   *bm25.Index // nil = Options.Words stands for it
	lock      *os.File
	followers []*follower
	stop      context.CancelFunc // of the followers
	running   sync.WaitGroup
	keeping   atomic.Bool    // a checkpoint is being written
	keeps     sync.WaitGroup // for its end
}

// formVersion changes with every change of the log's form or of what is derived
// from a text, so that older folders are built anew.
const formVersion = "4"

// Batch sizes of Sync: changes asked of the feed, and chunks written at once.
const (
	feedBatch  = 200
	chunkBatch = 1000
)

// Names in the folder.
const (
	logName     = "changes.log"
	lexicalName = "bm25"
	lockName    = "index.lock"
)

// Open opens the index in the folder and makes it where it is missing. Damaged
// files, or files of another embedding, are dropped; the next Sync builds them
// again. The error is about the folder itself: no permission, or another process
// owns it.
func Open(dir string, opt Options) (*Index, error) {
	if opt.Model == nil {
		m, err := embed.Static()
		if err != nil {
			return nil, fmt.Errorf("open index: %w", err)
		}
		opt.Model = m
	}
	if opt.Dense == (dense.Calibration{}) {
		opt.Dense = dense.Static
	}
	x := &Index{dir: dir, opt: opt, log: opt.Logger, writing: make(chan struct{}, 1)}
	if x.log == nil {
		x.log = slog.Default()
	}
	x.key = fmt.Sprintf("%s %s %s %d %s", formVersion, opt.Model.Name(), opt.Model.Hash(), opt.Model.Dims(), opt.Form)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	if err := x.own(); err != nil {
		return nil, err
	}
	if err := x.openLexical(); err != nil {
		return nil, errors.Join(err, x.lock.Close())
	}
	if err := x.openLog(); err != nil {
		return nil, errors.Join(err, x.closeMemory(), x.closeLexical(), x.lock.Close())
	}
	if err := errors.Join(x.align(), x.openRemotes()); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	x.follow()
	return x, nil
}

// own locks the folder for this process.
func (x *Index) own() error {
	var err error
	if x.lock, err = os.OpenFile(filepath.Join(x.dir, lockName), os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	if err := unix.Flock(int(x.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("open index: %w: another process uses %s: %w", kb.ErrUnavailable, x.dir, err), x.lock.Close())
	}
	return nil
}

func (x *Index) closeLexical() error {
	if x.lexical == nil {
		return nil
	}
	return x.lexical.Close()
}

// openLexical opens the lexical index, unless a server stands for it.
func (x *Index) openLexical() error {
	if x.opt.Words != nil {
		return nil
	}
	path := filepath.Join(x.dir, lexicalName)
	var err error
	x.lexical, err = bm25.Open(path)
	if errors.Is(err, retrieval.ErrCorrupt) {
		x.log.Warn("lexical index is damaged and is built again", "reason", err)
		if err = os.RemoveAll(path); err == nil {
			x.lexical, err = bm25.Open(path)
		}
	}
	if err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	return nil
}

// openLog replays the log into memory. A log that cannot be used is dropped, with
// everything that was derived from it.
func (x *Index) openLog() error {
	path := filepath.Join(x.dir, logName)
	err := x.load(path)
	if errors.Is(err, retrieval.ErrCorrupt) {
		x.log.Warn("index is built again from the store", "reason", err)
		if err = os.Remove(path); err == nil {
			err = x.load(path)
		}
		if err == nil && x.lexical != nil {
			err = x.lexical.Reset()
		}
	}
	if err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	return nil
}

func (x *Index) load(path string) error {
	if err := x.replay(path, true); err != nil {
		return err
	}
	if x.records > 64 && 2*x.dead > x.records {
		if err := x.compact(path); err != nil {
			return err
		}
	}
	x.keep()
	return nil
}

// replay opens the log and has everything be what it says, from a checkpoint on where there
// is one that stands for it.
func (x *Index) replay(path string, checkpoint bool) error {
	if err := x.empty(); err != nil {
		return err
	}
	var err error
	if x.file, err = openLog(path, x.key); err != nil {
		return err
	}
	if checkpoint {
		err = x.restore()
	}
	if err == nil {
		err = x.file.replay(func(r record) error {
			_, err := x.admit(&r)
			return err
		})
	}
	if err != nil {
		return errors.Join(err, x.file.close())
	}
	return nil
}

// packed reads the term counts of a row into buf.
func (x *Index) packed(r int32, buf []byte) (bm25.Packed, error) {
	w := x.cat.row(r)
	data, err := x.file.read(buf[:0], w.termsAt(), int(w.termsLen))
	if err != nil {
		return nil, err
	}
	if !bm25.Packed(data).Valid() {
		return nil, fmt.Errorf("index log: %w: term counts", retrieval.ErrCorrupt)
	}
	return data, nil
}

func (x *Index) empty() error {
	matrix, err := dense.NewMatrix(x.opt.Model.Dims(), x.opt.Dense, x.dir)
	if err != nil {
		return err
	}
	facts, err := graph.New(x.dir)
	if err != nil {
		return errors.Join(err, matrix.Close())
	}
	if x.matrix != nil {
		if err := errors.Join(x.matrix.Close(), x.facts.Close()); err != nil {
			return errors.Join(err, matrix.Close(), facts.Close())
		}
	}
	if x.cat != nil {
		x.cat.free()
	}
	if x.image != nil {
		if err := x.image.Close(); err != nil {
			return errors.Join(err, matrix.Close(), facts.Close())
		}
	}
	x.image, x.cat, x.matrix, x.facts, x.stats = nil, newCatalog(), matrix, facts, &bm25.Stats{}
	x.seq, x.records, x.dead, x.marked = 0, 0, 0, 0
	return nil
}

// compact writes the live versions into a new log and loads that.
func (x *Index) compact(path string) error {
	old := x.file
	live := map[string]int64{} // version to the offset of its first text
	for _, v := range x.cat.versions {
		switch {
		case v == nil:
		case v.size == 0:
			live[v.key()] = -1
		default:
			live[v.key()] = x.cat.row(v.first).textAt
		}
	}
	seq := x.seq
	err := rewriteLog(path, x.key, func(add func(record) error) error {
		// It keeps the place in the feed, and tells that what went away before it is
		// forgotten.
		if err := add(record{Seq: seq, Deleted: true}); err != nil {
			return err
		}
		reader, err := os.Open(path)
		if err != nil {
			return err
		}
		in := &logFile{path: path, f: reader}
		if err := in.begin(x.key); err != nil {
			return errors.Join(err, reader.Close())
		}
		err = in.scan(func(r record) error {
			if r.Deleted {
				return nil
			}
			at, ok := live[versionKey(r.Document.ID, r.Document.Version)]
			if !ok || len(r.Chunks) > 0 && first(r.Chunks) != at {
				return nil
			}
			return add(r)
		})
		return errors.Join(err, reader.Close())
	})
	if err = errors.Join(err, old.close()); err != nil {
		return err
	}
	return x.replay(path, false)
}

// first is the offset of the text of the chunk with the lowest ordinal.
func first(chunks []chunkRecord) int64 {
	return slices.MinFunc(chunks, func(a, b chunkRecord) int { return a.Ordinal - b.Ordinal }).textAt
}

// align brings the lexical index to the state of the log.
func (x *Index) align() error {
	if x.lexical == nil {
		return nil
	}
	seq, err := x.lexical.Seq()
	if err == nil && seq == x.seq {
		var n uint64
		if n, err = x.lexical.Count(); err == nil && n == uint64(x.cat.live) {
			return nil
		}
	}
	if err != nil && !errors.Is(err, retrieval.ErrCorrupt) {
		return fmt.Errorf("open index: %w", err)
	}
	if x.seq == 0 && seq == 0 && err == nil {
		return nil
	}
	return x.rebuildLexical()
}

// rebuildLexical writes the lexical index again from the log.
func (x *Index) rebuildLexical() error {
	if err := x.lexical.Reset(); err != nil {
		return fmt.Errorf("rebuild index: %w", err)
	}
	var batch []bm25.Chunk
	flush := func(seq int64) error {
		err := x.lexical.Apply(batch, nil, seq)
		batch = batch[:0]
		return err
	}
	for r := range x.cat.len() {
		c, ok, err := x.lexicalChunk(r)
		if err != nil {
			return fmt.Errorf("rebuild index: %w", err)
		}
		if !ok {
			continue
		}
		if batch = append(batch, c); len(batch) == chunkBatch {
			if err := flush(0); err != nil { // not at seq yet: an end in between starts over
				return fmt.Errorf("rebuild index: %w", err)
			}
		}
	}
	if err := flush(x.seq); err != nil {
		return fmt.Errorf("rebuild index: %w", err)
	}
	return nil
}

// lexicalChunk is what the lexical index holds of a row; false for a deleted one.
func (x *Index) lexicalChunk(r int32) (bm25.Chunk, bool, error) {
	v := x.cat.version(r)
	if v == nil {
		return bm25.Chunk{}, false, nil
	}
	w := x.cat.row(r)
	data, err := x.file.read(nil, w.textAt, int(w.textLen+w.leadLen))
	if err != nil {
		return bm25.Chunk{}, false, err
	}
	terms := chunkTerms(v.title, x.cat.place(r).headings, string(data[w.textLen:]), string(data[:w.textLen]))
	return bm25.Chunk{ID: evidenceID(v, w.ordinal), Terms: terms, Visibility: *v.vis}, true, nil
}

// chunkTerms are the terms by which a chunk is found: its title, headings and lead
// as well as its text.
func chunkTerms(title string, headings []string, lead, body string) []string {
	var out []string
	out = append(out, bm25.Terms(title)...)
	for _, h := range headings {
		if h != title {
			out = append(out, bm25.Terms(h)...)
		}
	}
	out = append(out, bm25.Terms(lead)...)
	return append(out, bm25.Terms(body)...)
}

// Close ends the index. Searches that come later fail with kb.ErrUnavailable.
func (x *Index) Close() error {
	if x.stop != nil {
		x.stop()
		x.running.Wait()
	}
	x.writing <- struct{}{}
	defer func() { <-x.writing }()
	if x.closed {
		return nil
	}
	x.keepAtEnd() // searches go on meanwhile
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	for _, r := range x.remotes() {
		if err := r.close(); err != nil {
			x.log.Warn("vectors not closed", "model", r.endpoint.Name(), "error", err)
		}
	}
	return errors.Join(x.file.sync(), x.file.close(), x.closeMemory(), x.closeLexical(), x.lock.Close())
}

// closeMemory gives back what was made of the log.
func (x *Index) closeMemory() error {
	var errs []error
	if x.matrix != nil {
		errs = append(errs, x.matrix.Close(), x.facts.Close())
	}
	if x.cat != nil {
		x.cat.free()
	}
	if x.image != nil {
		errs = append(errs, x.image.Close())
	}
	x.image = nil
	return errors.Join(errs...)
}

// Seq is the place in the feed up to which the index has read.
func (x *Index) Seq() int64 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.seq
}

// HasCollection reports whether a collection has a document that one of the readers, or
// everyone, may read, whatever its validity.
func (x *Index) HasCollection(name string, readers []string) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.cat.sees(retrieval.Collection(name), readers)
}

// Collections are the names of those that HasCollection has, sorted.
func (x *Index) Collections(readers []string) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var out []string
	for name := range x.cat.collections {
		if x.cat.sees(name, readers) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Chunks is the number of chunks.
func (x *Index) Chunks() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.cat.live
}

// Sync takes all changes that the feed has, and repairs what a search found
// damaged. It returns the feed's error, with what came before it taken; the context's, too,
// where another Sync does not end in time.
func (x *Index) Sync(ctx context.Context, feed Feed) error {
	n := x.wanted.Add(1)
	select {
	case x.writing <- struct{}{}:
		defer func() { <-x.writing }()
	case <-ctx.Done():
		raise(&x.failed, n)
		return ctx.Err()
	}
	n = x.wanted.Load()
	err := x.sync(ctx, feed)
	if err != nil {
		raise(&x.failed, n)
	} else {
		raise(&x.done, n)
	}
	return err
}

func raise(to *atomic.Int64, n int64) {
	for old := to.Load(); old < n && !to.CompareAndSwap(old, n); old = to.Load() {
	}
}

// Behind reports whether a Sync failed and none has made good for it since: there may be
// changes that are not taken.
func (x *Index) Behind() bool { return x.failed.Load() > x.done.Load() }

// sync is Sync for the one that holds x.writing.
func (x *Index) sync(ctx context.Context, feed Feed) error {
	if x.closed {
		return fmt.Errorf("index: %w: closed", kb.ErrUnavailable)
	}
	read := x.places(ctx, feed)
	if x.broken.Swap(false) && x.lexical != nil {
		if err := x.rebuildLexical(); err != nil {
			x.broken.Store(true)
			return err
		}
	}
	for {
		changes, err := feed.Changes(ctx, x.seq, feedBatch)
		if err != nil {
			return fmt.Errorf("read change feed after %d: %w", x.seq, err)
		}
		if len(changes) == 0 {
			x.bringUp(ctx, read)
			return nil
		}
		for len(changes) > 0 {
			n := chunked(changes)
			if err := x.take(ctx, changes[:n]); err != nil {
				return err
			}
			changes = changes[n:]
		}
		x.keep()
	}
}

// chunked is how many of the changes make one batch.
func chunked(changes []kb.DocumentChange) int {
	chunks := 0
	for i, c := range changes {
		if chunks += len(c.Chunks); chunks >= chunkBatch {
			return i + 1
		}
	}
	return len(changes)
}

// take writes changes to the log, then to memory, then to the lexical index. A
// crash in between leaves the lexical index behind the log, which the next open
// makes good.
func (x *Index) take(ctx context.Context, changes []kb.DocumentChange) error {
	records := make([]record, len(changes))
	for i, c := range changes {
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.Seq <= x.seq || i > 0 && c.Seq <= changes[i-1].Seq {
			return fmt.Errorf("index: change %d does not follow %d", c.Seq, x.seq)
		}
		records[i] = x.record(c)
	}
	return x.write(records)
}

// write is the second half of take.
func (x *Index) write(records []record) error {
	if err := x.file.append(records); err != nil {
		return err
	}
	var rewritten []*version
	var gone []string
	words := map[int32][]string{}
	x.mu.Lock()
	for i := range records {
		changed, err := x.admit(&records[i])
		if err != nil {
			x.torn = true
			x.mu.Unlock()
			return err
		}
		gone = append(gone, changed.gone...)
		rewritten = append(rewritten, changed.versions...)
		maps.Copy(words, changed.words)
	}
	x.mu.Unlock()
	x.poke()
	if x.lexical == nil {
		return nil
	}
	// Only this goroutine changes the catalog: it may read it without the lock.
	put, err := x.lexicalChunks(rewritten, words)
	if err != nil {
		x.broken.Store(true)
		return err
	}
	gone = slices.DeleteFunc(gone, func(id string) bool {
		_, there := x.cat.find(id) // removed and put again
		return there
	})
	if err := x.lexical.Apply(put, gone, x.seq); err != nil {
		x.broken.Store(true)
		return err
	}
	return nil
}

// lexicalChunks is what the lexical index holds of versions, each once; versions
// that are gone since are left out. words are the terms of rows that were counted
// just now.
func (x *Index) lexicalChunks(versions []*version, words map[int32][]string) ([]bm25.Chunk, error) {
	var out []bm25.Chunk
	seen := map[*version]bool{}
	for _, v := range versions {
		if seen[v] || !x.cat.has(v) {
			continue
		}
		seen[v] = true
		for r := range v.rows() {
			if terms, ok := words[r]; ok {
				out = append(out, bm25.Chunk{ID: x.cat.id(r), Terms: terms, Visibility: *v.vis})
				continue
			}
			c, ok, err := x.lexicalChunk(r)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, c)
			}
		}
	}
	return out, nil
}

// record makes the log's form of a change: counts the terms, reads the edges, and
// sees that the vectors are this model's.
func (x *Index) record(c kb.DocumentChange) record {
	r := record{Seq: c.Seq, Deleted: c.Deleted, Document: c.Document}
	r.Document.Text = ""
	if c.Deleted {
		return r
	}
	for _, ch := range c.Chunks {
		vectors := ch.Vectors
		if _, err := x.opt.Model.Decode(vectors); err != nil {
			vectors = x.opt.Model.Encode(ch.Text)
		}
		words := chunkTerms(c.Document.Title, ch.HeadingPath, ch.Lead, ch.Text)
		r.Chunks = append(r.Chunks, chunkRecord{
			Ordinal: ch.Ordinal, Start: ch.Start, End: ch.End, Kind: ch.Kind, HeadingPath: ch.HeadingPath, Lead: ch.Lead, Text: ch.Text,
			Terms: bm25.Pack(words), Vectors: vectors, Edges: graph.Encode(x.edges(c.Document.Title, ch)), words: words,
		})
	}
	return r
}

// change is what a record changed in the catalog.
type change struct {
	versions []*version         // to be written to the lexical index
	words    map[int32][]string // by row: its terms, where they are at hand
	gone     []string           // evidence ids
	dropped  int                // records that are dead now
}

// admit applies a record to the catalog, the vectors and the graph. The caller
// holds the lock, or is alone.
func (x *Index) admit(r *record) (change, error) {
	var out change
	defer func() { x.dead += out.dropped }()
	x.records++
	x.seq, x.at = max(x.seq, r.Seq), r.Seq
	if r.Deleted && r.Document.ID == "" {
		x.cat.since = r.Seq
		return out, nil
	}
	if r.Deleted {
		if x.serves() { // a server may hold chunks that this log never had
			x.cat.trail = append(x.cat.trail, touch{seq: x.at, document: r.Document.ID})
		}
		out.dropped++
		for _, v := range x.cat.of(r.Document.ID) {
			if err := x.drop(v, &out); err != nil {
				return out, err
			}
		}
		return out, nil
	}
	if old := x.cat.edition(r.Document.ID, r.Document.Version); old != nil {
		if err := x.drop(old, &out); err != nil {
			return out, err
		}
	}
	v := x.cat.put(r)
	x.touch(v)
	out.words = make(map[int32][]string, v.size)
	chunks := make(map[int]*chunkRecord, len(r.Chunks))
	for i := range r.Chunks {
		chunks[r.Chunks[i].Ordinal] = &r.Chunks[i]
	}
	for n := range v.rows() {
		ch := chunks[int(x.cat.row(n).ordinal)]
		windows, err := x.opt.Model.Decode(ch.Vectors)
		if err != nil {
			return out, fmt.Errorf("index: %w: %w", retrieval.ErrCorrupt, err)
		}
		rows := make([]dense.Vector, len(windows))
		for i, w := range windows {
			rows[i] = dense.Vector{Scale: w.Scale, Values: w.Values}
		}
		if err := x.matrix.PutIn(n, language(ch.Text), rows); err != nil {
			return out, fmt.Errorf("index: %w", err)
		}
		edges, err := graph.Decode(ch.Edges)
		if err != nil {
			return out, fmt.Errorf("index: %w: %w", retrieval.ErrCorrupt, err)
		}
		x.cat.row(n).edges = int32(len(edges))
		x.cat.facts += len(edges)
		if x.opt.Facts == nil {
			if err := x.facts.Put(n, edges); err != nil {
				return out, fmt.Errorf("index: %w", err)
			}
		}
		if ch.words != nil {
			out.words[n] = ch.words
		}
		if !bm25.Packed(ch.Terms).Valid() {
			return out, fmt.Errorf("index: %w: term counts", retrieval.ErrCorrupt)
		}
		x.stats.Add(ch.Terms)
	}
	out.versions = append(out.versions, v)
	x.refresh(x.cat.affected(v), &out)
	return out, nil
}

// edges are those of a chunk's facts, or of its sentences where it has none.
func (x *Index) edges(title string, ch kb.Chunk) []graph.Edge {
	if x.opt.Edges != nil && len(ch.Page) > 0 {
		if edges := x.opt.Edges(ch); len(edges) > 0 {
			return edges
		}
	}
	return graph.FromText(ch.Text, append([]string{title}, ch.HeadingPath...), x.opt.Match)
}

func (x *Index) drop(v *version, out *change) error {
	affected := x.cat.affected(v)
	for n := range v.rows() {
		p, err := x.packed(n, nil)
		if err != nil {
			return err
		}
		x.stats.Remove(p)
		out.gone = append(out.gone, x.cat.id(n))
		x.matrix.Delete(n)
		if err := x.facts.Delete(n); err != nil {
			return fmt.Errorf("index: %w", err)
		}
		for _, m := range x.remotes() {
			m.forget(n, v.vis.Collection)
		}
	}
	x.cat.remove(v)
	if x.serves() {
		x.cat.trail = append(x.cat.trail, touch{seq: x.at, document: v.id})
	}
	out.dropped++
	x.refresh(affected, out)
	return nil
}

func (x *Index) refresh(affected []*version, out *change) {
	for _, v := range affected {
		if x.cat.refresh(v) {
			x.touch(v)
			out.versions = append(out.versions, v)
		}
	}
}

// Run keeps the index in step until the context ends: at once, then every
// interval and whenever notify fires (nil = by interval alone). Failures are
// logged and tried again.
func (x *Index) Run(ctx context.Context, feed Feed, every time.Duration, notify <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	failing := false
	for {
		err := x.Sync(ctx, feed)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			x.log.Warn("index is behind the store", "error", err)
		case err == nil && failing:
			x.log.Info("index has caught up", "seq", x.Seq())
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-notify:
		}
	}
}
