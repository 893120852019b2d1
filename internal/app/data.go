package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/ingest/chunk"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/text/lexicon"
)

// indexFolder is the part of a data folder that is derived from the store.
const indexFolder = "index"

// data is the data folder of a role: the store, the index, or both. It is opened
// when first needed and stays open.
type data struct {
	dir       string
	role      Role
	mustExist bool
	log       *slog.Logger
	parts     *parts
	now       func() time.Time

	mu    sync.Mutex
	cfg   config.Config
	table map[Role]form
	store *store.Store
	index *index.Index
	feed  index.Feed // of a store elsewhere
}

// configure hands over the settings that an opening works with. An open folder
// keeps those it was opened with.
func (d *data) configure(cfg config.Config, table map[Role]form) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cfg, d.table = cfg, table
}

// open opens what the role keeps and brings the index up to its store. A second
// call does nothing; one after a failure tries again.
func (d *data) open(ctx context.Context) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.table[RoleKnowledge] == here && d.store == nil {
		if d.mustExist {
			if _, err := os.Stat(filepath.Join(d.dir, store.File)); errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("data folder %s holds no knowledge base; `suffice ingest --data %s PATH` makes one, --data names another", d.dir, d.dir)
			}
		}
		model, err := embed.Static()
		if err != nil {
			return fmt.Errorf("built-in embedding: %w", err)
		}
		s, err := store.Open(ctx, d.dir, store.Options{
			Reader: pageReader{d.parts, d.log}, Embedder: model, Now: d.now,
			Fingerprint: fmt.Sprintf("%s %s %s", readerForm, model.Name(), model.Hash()),
			Chunk:       chunk.Config{Target: d.cfg.Ingest.ChunkTarget, Max: d.cfg.Ingest.ChunkMax},
		})
		if err != nil {
			return err
		}
		if err := d.renew(ctx, s); err != nil {
			return errors.Join(err, s.Close())
		}
		d.store = s
	}
	if d.table[RoleRetrieval] == here && d.index == nil {
		dir := d.dir
		if d.store != nil {
			dir = filepath.Join(d.dir, indexFolder)
		}
		x, err := index.Open(dir, index.Options{
			Match: d.parts.lexicon().Match, Logger: d.log,
		})
		if err != nil {
			return err
		}
		if d.store != nil {
			if err := x.Sync(ctx, d.store); err != nil {
				return errors.Join(err, x.Close())
			}
		}
		d.index = x
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

// sync brings the index up to its store, after a change.
func (d *data) sync(ctx context.Context) error {
	d.mu.Lock()
	s, x := d.store, d.index
	d.mu.Unlock()
	if s == nil || x == nil {
		return nil
	}
	return x.Sync(ctx, s)
}

func (d *data) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	if d.index != nil {
		errs = append(errs, d.index.Close())
		d.index = nil
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
		d.store = nil
	}
	return errors.Join(errs...)
}

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
		return kb.Retrieved{}, fmt.Errorf("%w: the data folder is closed", kb.ErrUnavailable)
	}
	h, err := x.Retriever(o.cfg, o.tuning)
	if err != nil {
		return kb.Retrieved{}, err
	}
	return h.Retrieve(ctx, req)
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
		return nil, fmt.Errorf("%w: the data folder is closed", kb.ErrUnavailable)
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

func (o *openingKnowledge) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	s, err := o.with(ctx)
	if err != nil {
		return kb.IngestReport{}, err
	}
	report, err := s.Put(ctx, docs)
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
	return s.Document(ctx, id, version)
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
	return s.Changes(ctx, after, limit)
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
const readerForm = "facts-1"

// pageReader reads the facts of chunks with the engine of the current snapshot.
type pageReader struct {
	parts *parts
	log   *slog.Logger
}

var _ store.Reader = pageReader{}

// minConfidence is the least confidence of a fact that is written to the table of
// facts.
const minConfidence = 0.5

func (r pageReader) ReadPage(doc kb.Document, c kb.Chunk) ([]byte, []store.FactRow) {
	published := doc.PublishedAt
	if published.IsZero() {
		published = doc.ValidFrom
	}
	page := r.parts.reader().Read(fact.Source{Text: c.Text, Title: doc.Title, Headings: c.HeadingPath, Kind: c.Kind, Published: published, Domain: doc.Domain})
	var rows []store.FactRow
	for i := range page.Facts {
		f := &page.Facts[i]
		if !f.Complete || f.Confidence < minConfidence {
			continue
		}
		row := store.FactRow{
			Subject: f.Subject.Text, Attribute: f.Attribute.Text, Value: f.Value.Text, ValueKind: string(f.Value.Kind),
			Denied: f.Denied, Modality: string(f.Modality), Place: f.Place.Text, Start: f.Span.Start, End: f.Span.End, Confidence: f.Confidence,
		}
		for _, c := range f.Conditions {
			if row.Condition != "" {
				row.Condition += "; "
			}
			row.Condition += c.Text
		}
		for _, t := range f.Times {
			if !t.From.IsZero() || !t.To.IsZero() {
				row.HoldsFrom, row.HoldsTo = t.From, t.To
				break
			}
		}
		rows = append(rows, row)
	}
	encoded, err := page.MarshalBinary()
	if err != nil { // the page is then read again from its text when it is needed
		r.log.Error("page not encoded", "document", doc.ID, "chunk", c.Ordinal, "error", err)
		return nil, rows
	}
	return encoded, rows
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
