package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest/chunk"
	"suffice.dev/suffice/text"
)

// What one transaction takes: enough that the sync at its end costs little.
const (
	batchDocuments = 64
	batchChunks    = 1000
)

// built is a document made ready to be written.
type built struct {
	doc       kb.Document
	given     []byte // hash of the document as put
	content   []byte // hash of the document as stored
	unchanged bool   // found unchanged before anything was built
	chunks    []kb.Chunk
	packed    [][]byte // by chunk: its page as it is stored
	facts     [][]FactRow
	sentences [][]text.Span
	err       error
}

// Put stores new versions of documents. All are checked before any is written;
// then each is written whole or not at all, in order. When the context ends or
// the store fails on the way, the report counts what is kept.
func (s *Store) Put(ctx context.Context, docs []kb.Document) (kb.IngestReport, error) {
	start := s.opt.Now()
	var report kb.IngestReport
	work := make([]built, len(docs))
	times := map[string]int{}
	for i, d := range docs {
		c, err := check(i, d)
		if err != nil {
			return report, err
		}
		work[i].doc = c
		times[c.ID]++
	}
	err := s.put(ctx, work, times, &report)
	report.Seconds = s.opt.Now().Sub(start).Seconds()
	return report, err
}

func (s *Store) put(ctx context.Context, work []built, times map[string]int, report *kb.IngestReport) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range work {
		w := &work[i]
		w.given = fingerprint(w.doc)
		// A document that comes twice in one call is compared when it is written.
		if times[w.doc.ID] == 1 {
			known, err := s.known(ctx, w)
			if err != nil {
				return err
			}
			w.unchanged = known
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	ready := make([]chan struct{}, len(work))
	for i := range ready {
		ready[i] = make(chan struct{})
	}
	ahead := make(chan struct{}, 2*batchDocuments) // bounds what is built and not yet written
	next := make(chan int)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range s.opt.Workers {
		wg.Go(func() {
			for i := range next {
				s.build(&work[i])
				close(ready[i])
			}
		})
	}
	wg.Go(func() {
		defer close(next)
		for i := range work {
			select {
			case ahead <- struct{}{}:
			case <-ctx.Done():
				return
			}
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for from := 0; from < len(work); {
		to, size := from, 0
		for to < len(work) && to-from < batchDocuments && size < batchChunks {
			select {
			case <-ready[to]:
			case <-ctx.Done():
				return ctx.Err()
			}
			if work[to].err != nil {
				break
			}
			size += len(work[to].chunks)
			to++
		}
		if err := s.commit(ctx, work[from:to], report); err != nil {
			return err
		}
		for i := from; i < to; i++ {
			work[i] = built{err: work[i].err} // written: let go of it
			<-ahead
		}
		if to < len(work) && work[to].err != nil {
			return work[to].err
		}
		from = to
	}
	return nil
}

// known reports whether the newest version was put exactly like this.
func (s *Store) known(ctx context.Context, w *built) (bool, error) {
	var given []byte
	var origin string
	err := s.read.QueryRowContext(ctx, `SELECT v.given, d.origin FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.newest WHERE d.id = ?`, w.doc.ID).Scan(&given, &origin)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, s.fail(ctx, "put "+w.doc.ID, err)
	}
	return bytes.Equal(given, w.given) && (w.doc.Origin == "" || w.doc.Origin == origin), nil
}

// build chunks, reads and embeds a document.
func (s *Store) build(w *built) {
	defer func() {
		// A reader that panics on one document must not end the process that serves
		// all others.
		if p := recover(); p != nil {
			w.err = fmt.Errorf("store: reading document %q: panic: %v\n%s", w.doc.ID, p, debug.Stack())
		}
	}()
	if w.unchanged {
		return
	}
	w.doc.MediaType = chunk.MediaType(w.doc)
	w.chunks, w.doc.Title = chunk.Split(w.doc, s.opt.Chunk)
	w.content = fingerprint(w.doc)
	meta := w.doc
	meta.Text = ""
	w.packed = make([][]byte, len(w.chunks))
	w.facts = make([][]FactRow, len(w.chunks))
	w.sentences = make([][]text.Span, len(w.chunks))
	for i := range w.chunks {
		c := &w.chunks[i]
		w.sentences[i] = text.Sentences([]rune(c.Text))
		if s.opt.Reader != nil {
			c.Page, w.facts[i] = s.opt.Reader.ReadPage(meta, *c)
			w.packed[i] = pack(c.Page)
		}
		if s.opt.Embedder != nil {
			c.Vectors = s.opt.Embedder.Encode(c.Text)
		}
	}
}

// commit writes documents in one transaction. Only after it has returned are they
// acknowledged and counted.
func (s *Store) commit(ctx context.Context, work []built, report *kb.IngestReport) error {
	sum := *report
	todo := false
	for i := range work {
		sum.Documents++
		todo = todo || !work[i].unchanged
	}
	if !todo {
		*report = sum
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	changed := false
	err := s.update(ctx, "put", func(ctx context.Context, tx *txn) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		touched := map[string]bool{}
		for i := range work {
			if work[i].unchanged {
				continue
			}
			facts, written, err := w.document(ctx, &work[i], s.opt.Now().UnixMicro(), touched)
			if err != nil {
				return fmt.Errorf("document %q: %w", work[i].doc.ID, err)
			}
			if written {
				changed = true
				sum.Versions++
				sum.Chunks += len(work[i].chunks)
				sum.Facts += facts
			}
		}
		return supersede(ctx, tx, touched)
	})
	if err != nil {
		return err
	}
	*report = sum
	if changed {
		s.announce()
	}
	return nil
}

// writer holds the statements of a transaction.
type writer struct {
	tx                                                *txn
	version, chunk, reading, sentence, fact, supersed *sql.Stmt
}

func newWriter(ctx context.Context, tx *txn) (*writer, error) {
	w := &writer{tx: tx}
	for _, p := range []struct {
		stmt **sql.Stmt
		sql  string
	}{
		{&w.version, `INSERT INTO versions (document_id, version, collection, title, text, media_type, source, domain, authority, published_at,
			valid_from, valid_to, supersedes, readers, ingested_at, given, content) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) RETURNING id`},
		{&w.chunk, `INSERT INTO chunks (version_id, ordinal, start_at, end_at, kind, headings, lead) VALUES (?,?,?,?,?,?,?) RETURNING id`},
		{&w.reading, `INSERT INTO readings (chunk_id, page, vectors) VALUES (?,?,?)`},
		{&w.sentence, `INSERT INTO sentences (chunk_id, ordinal, start_at, end_at) VALUES (?,?,?,?)`},
		{&w.fact, `INSERT INTO facts (chunk_id, subject, attribute, value, value_kind, denied, modality, condition, place, holds_from, holds_to,
			start_at, end_at, confidence) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)`},
		{&w.supersed, `INSERT INTO supersessions (version_id, target, target_id, target_version) VALUES (?,?,?,?) ON CONFLICT DO NOTHING`},
	} {
		stmt, err := tx.PrepareContext(ctx, p.sql) //nolint:sqlclosecheck // closed with the transaction
		if err != nil {
			return nil, err
		}
		*p.stmt = stmt
	}
	return w, nil
}

func (w *writer) close() {
	for _, stmt := range []*sql.Stmt{w.version, w.chunk, w.reading, w.sentence, w.fact, w.supersed} {
		_ = stmt.Close() // the transaction's end closes it in any case
	}
}

// document writes one document unless its newest version is the same, and adds
// the documents whose supersession may have changed to touched.
func (w *writer) document(ctx context.Context, b *built, now int64, touched map[string]bool) (facts int, written bool, err error) {
	d := &b.doc
	var newest, row int64
	var content []byte
	err = w.tx.QueryRowContext(ctx, `SELECT d.newest, v.id, v.content FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.newest WHERE d.id = ?`, d.ID).
		Scan(&newest, &row, &content)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if _, err := w.tx.ExecContext(ctx, `INSERT INTO documents (id, newest, origin) VALUES (?, 1, ?)`, d.ID, d.Origin); err != nil {
			return 0, false, err
		}
	case err != nil:
		return 0, false, err
	case bytes.Equal(content, b.content):
		// The same in another form (a title that was derived before and is given now):
		// remember this form, so that it is recognised at once.
		if _, err := w.tx.ExecContext(ctx, `UPDATE versions SET given = ? WHERE id = ?`, b.given, row); err != nil {
			return 0, false, err
		}
		if d.Origin == "" {
			return 0, false, nil
		}
		_, err := w.tx.ExecContext(ctx, `UPDATE documents SET origin = ? WHERE id = ?`, d.Origin, d.ID)
		return 0, false, err
	default:
		if _, err := w.tx.ExecContext(ctx, `UPDATE documents SET newest = ?, origin = ? WHERE id = ?`, newest+1, d.Origin, d.ID); err != nil {
			return 0, false, err
		}
		// What the version that was newest superseded may be free again.
		before, err := references(ctx, w.tx, d.ID)
		if err != nil {
			return 0, false, err
		}
		for id := range before {
			touched[id] = true
		}
	}
	d.Version = int(newest) + 1
	var authority any
	if d.Authority != nil {
		authority = *d.Authority
	}
	err = w.version.QueryRowContext(ctx, d.ID, d.Version, d.Collection, d.Title, d.Text, d.MediaType, d.Source, d.Domain, authority,
		kb.FormatDay(d.PublishedAt), kb.FormatDay(d.ValidFrom), kb.FormatDay(d.ValidTo), jsonList(d.Supersedes), jsonList(d.Readers), now, b.given, b.content).Scan(&row)
	if err != nil {
		return 0, false, err
	}
	for _, ref := range d.Supersedes {
		id, version := target(ref)
		if _, err := w.supersed.ExecContext(ctx, row, ref, id, version); err != nil {
			return 0, false, err
		}
		touched[ref] = true
		if id != "" {
			touched[id] = true
		}
	}
	touched[d.ID] = true
	for i, c := range b.chunks {
		n, err := w.writeChunk(ctx, row, c, b.packed[i], b.facts[i], b.sentences[i])
		if err != nil {
			return 0, false, err
		}
		facts += n
	}
	return facts, true, logChange(ctx, w.tx, d.ID, d.Collection, d.Version)
}

func (w *writer) writeChunk(ctx context.Context, version int64, c kb.Chunk, packed []byte, facts []FactRow, sentences []text.Span) (int, error) {
	var id int64
	if err := w.chunk.QueryRowContext(ctx, version, c.Ordinal, c.Start, c.End, c.Kind, jsonList(c.HeadingPath), c.Lead).Scan(&id); err != nil {
		return 0, err
	}
	if c.Page != nil || c.Vectors != nil {
		if _, err := w.reading.ExecContext(ctx, id, packed, c.Vectors); err != nil {
			return 0, err
		}
	}
	for i, sp := range sentences {
		if _, err := w.sentence.ExecContext(ctx, id, i, c.Start+sp.Start, c.Start+sp.End); err != nil {
			return 0, err
		}
	}
	length := utf8.RuneCountInString(c.Text)
	for _, f := range facts {
		if f.Start < 0 || f.End < f.Start || f.End > length {
			return 0, fmt.Errorf("chunk %d: a fact has the span %d..%d in a text of %d", c.Ordinal, f.Start, f.End, length)
		}
		if _, err := w.fact.ExecContext(ctx, id, f.Subject, f.Attribute, f.Value, f.ValueKind, f.Denied, f.Modality, f.Condition, f.Place,
			kb.FormatDay(f.HoldsFrom), kb.FormatDay(f.HoldsTo), c.Start+f.Start, c.Start+f.End, f.Confidence); err != nil {
			return 0, err
		}
	}
	return len(facts), nil
}

// logChange puts a document version (0: the whole document) at the end of the feed.
func logChange(ctx context.Context, tx *txn, id, collection string, version int) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM changes WHERE document_id = ? AND version = ?`, id, version); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO changes (document_id, collection, version) VALUES (?,?,?)`, id, collection, version)
	return err
}

// references gives the ids that any version of a document says it supersedes.
func references(ctx context.Context, tx *txn, id string) (map[string]bool, error) {
	rows, err := tx.QueryContext(ctx, `SELECT s.target, s.target_id FROM supersessions s JOIN versions v ON v.id = s.version_id WHERE v.document_id = ?`, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
	out := map[string]bool{}
	for rows.Next() {
		var ref, base string
		if err := rows.Scan(&ref, &base); err != nil {
			return nil, err
		}
		out[ref] = true
		if base != "" {
			out[base] = true
		}
	}
	return out, rows.Err()
}

type versionState struct {
	row          int64
	version      int
	collection   string
	from, to     string // days, "" = open
	replacedBy   int
	supersededBy string
}

func (v versionState) overlaps(o versionState) bool {
	return (v.to == "" || o.from == "" || v.to >= o.from) && (o.to == "" || v.from == "" || o.to >= v.from)
}

// supersede computes anew which versions of the documents are superseded, and
// puts those whose state changed on the feed. The result depends on what is
// stored alone, not on the order in which it came: a version is replaced by the
// next one of its document that is valid on a common day, else by what another
// document's version says, as long as that version is not replaced itself.
func supersede(ctx context.Context, tx *txn, ids map[string]bool) error {
	order := make([]string, 0, len(ids))
	for id := range ids {
		order = append(order, id)
	}
	slices.Sort(order)
	named, err := tx.PrepareContext(ctx, supersederQuery)
	if err != nil {
		return err
	}
	defer func() { _ = named.Close() }() // the end of the transaction closes it in any case
	states := map[string][]versionState{}
	for _, id := range order {
		vs, err := versionsOf(ctx, tx, id)
		if err != nil {
			return err
		}
		for i := range vs {
			next := 0
			for _, o := range vs[i+1:] {
				if vs[i].overlaps(o) {
					next = o.version
					break
				}
			}
			if next != vs[i].replacedBy {
				vs[i].replacedBy = next
				if _, err := tx.ExecContext(ctx, `UPDATE versions SET replaced_by = ? WHERE id = ?`, next, vs[i].row); err != nil {
					return err
				}
			}
		}
		states[id] = vs
	}
	// A version that is now replaced no longer speaks for its document; its targets
	// are among the ids.
	for _, id := range order {
		for _, v := range states[id] {
			var by string
			if v.replacedBy > 0 {
				by = fmt.Sprintf("%s@%d", id, v.replacedBy)
			} else {
				var err error
				if by, err = superseder(ctx, named, id, v); err != nil {
					return err
				}
			}
			if by == v.supersededBy {
				continue
			}
			if _, err := tx.ExecContext(ctx, `UPDATE versions SET superseded_by = ? WHERE id = ?`, by, v.row); err != nil {
				return err
			}
			if err := logChange(ctx, tx, id, v.collection, v.version); err != nil {
				return err
			}
		}
	}
	return nil
}

func versionsOf(ctx context.Context, tx *txn, id string) ([]versionState, error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, version, collection, valid_from, valid_to, replaced_by, superseded_by FROM versions WHERE document_id = ? ORDER BY version`, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
	var out []versionState
	for rows.Next() {
		var v versionState
		if err := rows.Scan(&v.row, &v.version, &v.collection, &v.from, &v.to, &v.replacedBy, &v.supersededBy); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// supersederQuery finds the version, by id and then the newest, that names the
// version ?2 of ?1 in its supersedes. Where two name each other, the one that was
// put later counts.
const supersederQuery = `SELECT o.document_id || '@' || o.version
	FROM supersessions s JOIN versions o ON o.id = s.version_id
	WHERE (s.target = ?1 OR (s.target_id = ?1 AND s.target_version = ?2)) AND o.replaced_by = 0
	  AND (o.document_id <> ?1 OR o.version > ?2)
	  AND NOT EXISTS (SELECT 1 FROM supersessions back JOIN versions m ON m.id = back.version_id
	        WHERE m.document_id = ?1 AND o.document_id <> ?1 AND m.replaced_by = 0 AND m.id > o.id
	          AND (back.target = o.document_id OR (back.target_id = o.document_id AND back.target_version = o.version)))
	ORDER BY o.document_id, o.version DESC LIMIT 1`

func superseder(ctx context.Context, query *sql.Stmt, id string, v versionState) (string, error) {
	var by string
	err := query.QueryRowContext(ctx, id, v.version).Scan(&by)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return by, err
}
