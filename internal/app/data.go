package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/ingest"
	"suffice.dev/suffice/kb/ingest/chunk"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/graph/pages"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/text/lexicon"
)

// indexFolder is the part of a data folder that is derived from the store.
const indexFolder = "index"

// data is the data folder of a role: the store, the index, or both. It is opened
// when first needed and stays open.
type data struct {
	ready     *readiness  // what a serving process still has to read
	down      atomic.Bool // the shared store does not answer
	dir       string
	role      Role
	mustExist bool
	log       *slog.Logger
	parts     *parts
	now       func() time.Time
	asked     func() bool  // whether requests are answered; nil = not known
	feed      index.Feed   // of the store, where it is another process's
	writing   atomic.Int32 // changes under way

	opening chan struct{} // held by one that opens or closes; of size 1

	mu    sync.Mutex
	cfg   config.Config
	table map[Role]form
	form  string // what makes facts, of the configuration
	held  string // the same when the store was opened: what its pages were made by
	store *store.Store
	index *index.Index
	stop  context.CancelFunc // of what works on the open index
	work  sync.WaitGroup
	far   far // servers of the index

	closed bool // for good
}

// busy reports whether there is work that somebody waits for.
func (d *data) busy() bool { return d.writing.Load() > 0 || d.asked != nil && d.asked() }

// configure hands over the settings that an opening works with. An open folder
// keeps those it was opened with.
func (d *data) configure(cfg config.Config, table map[Role]form) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cfg, d.table, d.form = cfg, table, d.formNow()
}

// open opens what the role keeps and brings the index up to its store. A second
// call does nothing; one after a failure tries again; one after close is
// errDataClosed.
func (d *data) open(ctx context.Context) error {
	select { // a store that does not answer holds up nobody beyond the deadline
	case d.opening <- struct{}{}:
		defer func() { <-d.opening }()
	case <-ctx.Done():
		return ctx.Err()
	}
	d.mu.Lock()
	cfg, table, form, s, x, closed := d.cfg, d.table, d.form, d.store, d.index, d.closed
	d.mu.Unlock()
	if closed {
		return errDataClosed
	}
	if table[RoleKnowledge] == here && s == nil {
		if d.mustExist && cfg.Store.Driver == config.SQLite {
			if _, err := os.Stat(filepath.Join(d.dir, store.File)); errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("data folder %s holds no knowledge base; `suffice ingest --data %s PATH` makes one, --data names another", d.dir, d.dir)
			}
		}
		model, err := embed.Static()
		if err != nil {
			return fmt.Errorf("built-in embedding: %w", err)
		}
		opt, err := storeOptions(cfg.Store)
		if err != nil {
			return err
		}
		s, err = store.Open(ctx, d.dir, store.Options{
			DSN: opt.DSN, Password: opt.Password,
			Reader: ingest.FactReader{Engine: d.parts.reader, MinConfidence: minConfidence}, Embedder: model, Now: d.now,
			Fingerprint: fmt.Sprintf("%s %s %s", form, model.Name(), model.Hash()),
			Chunk:       chunk.Config{Target: cfg.Ingest.ChunkTarget, Max: cfg.Ingest.ChunkMax},
		})
		if errors.Is(err, store.ErrDSN) {
			return fmt.Errorf("store.dsn: %w", err)
		}
		if err != nil {
			return err
		}
		if err := d.renew(ctx, s); err != nil {
			return errors.Join(err, s.Close())
		}
		d.mu.Lock()
		d.store, d.held = s, form
		d.mu.Unlock()
	}
	if table[RoleRetrieval] == here && x == nil {
		dir := d.dir
		if s != nil {
			dir = filepath.Join(d.dir, indexFolder)
		}
		opt := index.Options{Edges: d.edges, Match: d.parts.lexicon().Match, Form: form, Logger: d.log}
		if err := d.embedding(ctx, cfg.Embedding, &opt); err != nil {
			return err
		}
		servers, err := reachServers(ctx, cfg, &opt)
		if err != nil {
			return err
		}
		x, err := index.Open(dir, opt)
		if err != nil {
			return errors.Join(err, servers.close())
		}
		if s != nil {
			if err := x.Sync(ctx, s); err != nil {
				return errors.Join(err, x.Close(), servers.close())
			}
		}
		following, stop := context.WithCancel(context.WithoutCancel(ctx))
		d.mu.Lock()
		d.index, d.far, d.stop = x, servers, stop
		d.mu.Unlock()
		d.work.Go(func() { x.Follow(following) })
	}
	return nil
}

// renew reads and embeds everything again where another release did it.
func (d *data) renew(ctx context.Context, s *store.Store) error {
	outdated, err := s.Outdated(ctx)
	if err != nil || !outdated {
		return err
	}
	d.log.Info("reading all documents again: another reader or embedding read them", "folder", d.dir)
	return s.Rebuild(ctx, nil)
}

// sync brings the index up to its store.
func (d *data) sync(ctx context.Context) error {
	switch s, x := d.opened(); {
	case x == nil:
		return nil
	case s != nil:
		return x.Sync(ctx, s)
	case d.feed != nil:
		return x.Sync(ctx, d.feed)
	}
	return nil
}

// lags reports whether a change of the own store did not get into the index. What changes in
// a store of several processes is asked for all the time.
func (d *data) lags(x *index.Index) bool {
	s, _ := d.opened()
	return s != nil && !s.Shared() && x.Behind()
}

func (d *data) close() error {
	d.opening <- struct{}{}
	defer func() { <-d.opening }()
	d.mu.Lock()
	s, x, servers, stop := d.store, d.index, d.far, d.stop
	d.store, d.index, d.far, d.closed = nil, nil, far{}, true
	d.mu.Unlock()
	var errs []error
	if x != nil {
		stop()
		d.work.Wait()
		errs = append(errs, x.Close(), servers.close())
	}
	if s != nil {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// errDataClosed says that a request that was cut off came too late: the folder may be
// another process's by now.
var errDataClosed = fmt.Errorf("%w: the data folder is closed", kb.ErrUnavailable)

func (d *data) opened() (*store.Store, *index.Index) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.store, d.index
}

// opening is the retriever over the data folder, which the first request opens.
type opening struct {
	data   *data
	cfg    retrieval.Config
	tuning index.Tuning
}

var _ retrieval.Retriever = (*opening)(nil)

func (o *opening) Retrieve(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error) {
	_, x := o.data.opened()
	if x == nil {
		if err := o.data.open(ctx); err != nil {
			return kb.Retrieved{}, unavailable(err)
		}
		_, x = o.data.opened()
	}
	if x == nil {
		return kb.Retrieved{}, errDataClosed
	}
	if err := o.data.ready.whole(); err != nil {
		return kb.Retrieved{}, err
	}
	return o.find(ctx, x, req)
}

// find searches the open index, whether all that is to be asked about was read or not.
func (o *opening) find(ctx context.Context, x *index.Index, req kb.RetrieveRequest) (kb.Retrieved, error) {
	if o.data.down.Load() { // what changed meanwhile is not known
		return kb.Retrieved{}, fmt.Errorf("%w: the store does not answer", kb.ErrUnavailable)
	}
	var lost []kb.Degraded
	if o.data.lags(x) {
		if err := o.data.sync(ctx); err != nil {
			if ctx.Err() != nil {
				return kb.Retrieved{}, fmt.Errorf("bring the index up: %w", ctx.Err())
			}
			o.data.log.Warn("index is behind the store", "error", err)
			lost = []kb.Degraded{{Part: "index", Reason: errBehind.Error()}}
		}
	}
	if c := req.Collection; c != "" && retrieval.Collection(c) != retrieval.Collection("") && !x.HasCollection(c, req.Readers) {
		// The store may have it already: an index that is not up to date is no sign that a
		// name is mistyped.
		if err := o.data.sync(ctx); err != nil {
			return kb.Retrieved{}, fmt.Errorf("collection %q is not in the index: %w: %w", c, errBehind, err)
		}
		if !x.HasCollection(c, req.Readers) {
			return kb.Retrieved{}, noCollection(c, x.Collections(req.Readers))
		}
	}
	h, err := x.Retriever(o.cfg, o.tuning)
	if err != nil {
		return kb.Retrieved{}, err
	}
	got, err := h.Retrieve(ctx, req)
	got.Degraded = append(got.Degraded, lost...)
	return got, err
}

// errBehind says that what the index does not have may be in the store.
var errBehind = fmt.Errorf("%w: the index is behind the store", kb.ErrUnavailable)

// mostNamed is how many names an error offers in the place of one that is none.
const mostNamed = 3

// noCollection is the error of a collection that is not there for who asks: a name that is
// mistyped is no missing knowledge. visible are those that the asker may read; the nearest
// by spelling are named.
func noCollection(name string, visible []string) error {
	if len(visible) == 0 {
		return kb.Invalid("collection", "%q is no collection that you may read, and no other one is: ingest documents into it, or leave it out", name)
	}
	wanted := strings.ToLower(name)
	near := slices.Clone(visible)
	slices.SortStableFunc(near, func(a, b string) int {
		return services.EditDistance(strings.ToLower(a), wanted) - services.EditDistance(strings.ToLower(b), wanted)
	})
	return kb.Invalid("collection", "%q is no collection that you may read; the nearest: %s", name, strings.Join(near[:min(len(near), mostNamed)], ", "))
}

// unavailable marks an error of opening the folder as a part that is down, unless
// it says something more exact.
func unavailable(err error) error {
	if errors.Is(err, kb.ErrConflict) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", kb.ErrUnavailable, err)
}

// openingKnowledge is the store of the data folder, opened when first needed. What
// it acknowledges is in the index of the same process too.
type openingKnowledge struct{ data *data }

var _ kb.Knowledge = (*openingKnowledge)(nil)

func (o *openingKnowledge) with(ctx context.Context) (*store.Store, error) {
	s, _ := o.data.opened()
	if s != nil {
		return s, nil
	}
	if err := o.data.open(ctx); err != nil {
		return nil, unavailable(err)
	}
	if s, _ = o.data.opened(); s == nil {
		return nil, errDataClosed
	}
	return s, nil
}

// indexed brings the index up after a change. The store has the change already: a
// failure here is made good by the next change or start, so it is logged alone.
func (o *openingKnowledge) indexed(ctx context.Context) {
	if err := o.data.sync(ctx); err != nil && ctx.Err() == nil {
		o.data.log.Warn("index is behind the store", "error", err)
	}
}

// follow takes what is written into the index while more is being read, so that both
// cores of a small machine work. The function that it returns ends that.
func (o *openingKnowledge) follow(ctx context.Context, s *store.Store) (stop func()) {
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			changed := s.Changed()
			select {
			case <-done:
				return
			case <-ctx.Done():
				return
			case <-changed:
				o.indexed(ctx)
			}
		}
	})
	return func() {
		close(done)
		running.Wait()
	}
}

func (o *openingKnowledge) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	s, err := o.with(ctx)
	if err != nil {
		return kb.IngestReport{}, err
	}
	o.data.writing.Add(1)
	defer o.data.writing.Add(-1)
	following := o.follow(ctx, s)
	report, err := s.Put(ctx, docs)
	following()
	if report.Versions > 0 {
		o.indexed(ctx)
	}
	return report, err
}

func (o *openingKnowledge) Delete(ctx context.Context, id string) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	if err := s.Delete(ctx, id); err != nil {
		return err
	}
	o.indexed(ctx)
	return nil
}

func (o *openingKnowledge) Document(ctx context.Context, id string, version int) (kb.Document, error) {
	s, err := o.with(ctx)
	if err != nil {
		return kb.Document{}, err
	}
	doc, err := s.Document(ctx, id, version)
	if errors.Is(err, kb.ErrNotFound) {
		err = cmp.Or(o.data.ready.whole(), err)
	}
	return doc, err
}

func (o *openingKnowledge) Documents(ctx context.Context, pageToken string, pageSize int) ([]kb.Document, string, error) {
	s, err := o.with(ctx)
	if err != nil {
		return nil, "", err
	}
	return s.Documents(ctx, pageToken, pageSize)
}

func (o *openingKnowledge) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	s, err := o.with(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := s.Changes(ctx, after, limit)
	if err == nil && len(changes) == 0 { // an index that reads this feed is at its end only when all is in it
		err = o.data.ready.whole()
	}
	return changes, err
}

func (o *openingKnowledge) RecordGaps(ctx context.Context, gaps []kb.GapRecord) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	return s.RecordGaps(ctx, gaps)
}

func (o *openingKnowledge) Gaps(ctx context.Context, q kb.GapQuery) ([]kb.Gap, string, error) {
	s, err := o.with(ctx)
	if err != nil {
		return nil, "", err
	}
	return s.Gaps(ctx, q)
}

func (o *openingKnowledge) ResolveGap(ctx context.Context, id string, d kb.GapDecision) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	return s.ResolveGap(ctx, id, d)
}

func (o *openingKnowledge) RecordAnswers(ctx context.Context, answers []kb.GapAnswer) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	return s.RecordAnswers(ctx, answers)
}

func (o *openingKnowledge) RecordReview(ctx context.Context, r kb.Review) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	return s.RecordReview(ctx, r)
}

func (o *openingKnowledge) Reviews(ctx context.Context, pageToken string, pageSize int) ([]kb.Review, string, error) {
	s, err := o.with(ctx)
	if err != nil {
		return nil, "", err
	}
	return s.Reviews(ctx, pageToken, pageSize)
}

func (o *openingKnowledge) ResolveReview(ctx context.Context, id string, state kb.GapState, note string) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	return s.ResolveReview(ctx, id, state, note)
}

func (o *openingKnowledge) RecordFeedback(ctx context.Context, f kb.Feedback) error {
	s, err := o.with(ctx)
	if err != nil {
		return err
	}
	return s.RecordFeedback(ctx, f)
}

// readerForm names what the reader makes of a chunk. It is raised when facts are
// read otherwise, so that older data folders are read again.
const readerForm = "facts-2"

// minConfidence is the least confidence of a fact that is written to the table of
// facts.
const minConfidence = 0.5

// stored is the page that was read from a passage of the open folder when it was
// ingested; nil where there is none, or none for just this stretch of text and this
// dictionary.
func (d *data) stored(p kb.Passage) *fact.Page {
	d.mu.Lock()
	s, same := d.store, d.form == d.held
	d.mu.Unlock()
	if s == nil || !same {
		return nil
	}
	ordinal, err := strconv.Atoi(p.ID[strings.LastIndexByte(p.ID, '#')+1:])
	if err != nil || p.ID != fmt.Sprintf("%s@%d#%d", p.DocumentID, p.Version, ordinal) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), storedTime)
	defer cancel()
	encoded, span, err := s.Page(ctx, p.DocumentID, p.Version, ordinal)
	if err != nil || encoded == nil || span.Start != p.Start || span.End != p.End {
		return nil // a chunk that was joined with its neighbour is another text
	}
	page := &fact.Page{Runes: []rune(p.Text)}
	if len(page.Runes) != span.Len() || page.UnmarshalBinary(encoded) != nil {
		return nil
	}
	return page
}

// storedTime is how long a stored page is waited for; reading it anew takes about
// a millisecond.
const storedTime = 20 * time.Millisecond

// edges are the facts of a chunk as the graph route sees them.
func (d *data) edges(c kb.Chunk) []graph.Edge {
	page := fact.Page{Runes: []rune(c.Text)}
	if page.UnmarshalBinary(c.Page) != nil {
		return nil // of another release; the store reads it again
	}
	return pages.Edges(&page, d.parts.lexicon().Match)
}

// formNow names what makes the facts of a chunk: the reader and the dictionary, whose
// numbers for its entries stand in the facts.
func (d *data) formNow() string {
	h := sha256.New()
	lex := d.parts.lexicon()
	for i := range lex.Len() + 1 {
		_, _ = fmt.Fprintf(h, "%d %q\n", i, lex.Synonyms(int32(i))) // a hash takes every write
	}
	return fmt.Sprintf("%s %x", readerForm, h.Sum(nil)[:8])
}

func (p *parts) lexicon() *lexicon.Lexicon {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lex
}

func (p *parts) reader() *fact.Engine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.engine
}
