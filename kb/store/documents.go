package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest/chunk"
	"suffice.dev/suffice/text"
)

// Limits of a document's fields.
const (
	maxID   = 1024     // bytes
	maxText = 64 << 20 // bytes
)

// check reports the first field of a document that cannot be stored, and returns
// the document in the form in which it is compared and stored.
func check(i int, d kb.Document) (kb.Document, error) {
	field := func(name string) string { return fmt.Sprintf("documents[%d].%s", i, name) }
	switch {
	case d.ID == "":
		return d, kb.Invalid(field("document_id"), "is empty; every document needs a stable id")
	case len(d.ID) > maxID:
		return d, kb.Invalid(field("document_id"), "has %d bytes; at most %d", len(d.ID), maxID)
	case !utf8.ValidString(d.ID), strings.ContainsFunc(d.ID, unicode.IsControl):
		return d, kb.Invalid(field("document_id"), "%q holds control characters or is not UTF-8", d.ID)
	case strings.TrimFunc(d.Text, func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }) == "":
		return d, kb.Invalid(field("text"), "is empty; a document needs text")
	case len(d.Text) > maxText:
		return d, kb.Invalid(field("text"), "has %d bytes; at most %d", len(d.Text), maxText)
	case !utf8.ValidString(d.Text):
		return d, kb.Invalid(field("text"), "is not UTF-8; convert it first")
	case strings.IndexByte(d.Text, 0) >= 0:
		return d, kb.Invalid(field("text"), "holds NUL bytes; this is not text")
	case d.Authority != nil && !(*d.Authority >= 0 && *d.Authority <= 10):
		return d, kb.Invalid(field("authority"), "%v is not within 0..10", *d.Authority)
	case !d.ValidFrom.IsZero() && !d.ValidTo.IsZero() && d.ValidTo.Before(d.ValidFrom):
		return d, kb.Invalid(field("valid_to"), "%s lies before valid_from %s", kb.FormatDay(d.ValidTo), kb.FormatDay(d.ValidFrom))
	}
	for _, v := range [][2]string{{"title", d.Title}, {"source", d.Source}, {"domain", d.Domain}, {"collection", d.Collection}, {"origin", d.Origin}} {
		if !utf8.ValidString(v[1]) || strings.IndexByte(v[1], 0) >= 0 {
			return d, kb.Invalid(field(v[0]), "%q holds NUL or is not UTF-8", v[1])
		}
	}
	switch d.MediaType {
	case "", chunk.Markdown, chunk.Plain:
	default:
		return d, kb.Invalid(field("media_type"), "%q is not read; write %s or %s", d.MediaType, chunk.Markdown, chunk.Plain)
	}
	d.Title = strings.TrimSpace(d.Title)
	if d.Collection == "" {
		d.Collection = "default"
	}
	for j, r := range d.Readers {
		if strings.TrimSpace(r) == "" {
			return d, kb.Invalid(field(fmt.Sprintf("readers[%d]", j)), "is empty; name a group, or leave readers out for all")
		}
	}
	if d.Readers = set(d.Readers); len(d.Readers) == 0 {
		d.Readers = []string{"*"}
	}
	for j, r := range d.Supersedes {
		id, version := target(r)
		if r == "" || id != "" && version == 0 {
			return d, kb.Invalid(field(fmt.Sprintf("supersedes[%d]", j)), "%q is neither id@version, from 1, nor an id", r)
		}
		if len(r) > maxID+20 || !utf8.ValidString(r) || strings.IndexByte(r, 0) >= 0 {
			return d, kb.Invalid(field(fmt.Sprintf("supersedes[%d]", j)), "%.40q has %d bytes, holds NUL or is not UTF-8: no document has such an id", r, len(r))
		}
	}
	d.Supersedes = set(d.Supersedes)
	return d, nil
}

func set(in []string) []string {
	if len(in) == 0 {
		return nil
	}
	out := slices.Clone(in)
	slices.Sort(out)
	return slices.Compact(out)
}

// target splits id@version; id is "" where no version is written.
func target(ref string) (id string, version int) {
	i := strings.LastIndexByte(ref, '@')
	if i <= 0 || i+1 == len(ref) {
		return "", 0
	}
	for _, c := range ref[i+1:] {
		if c < '0' || c > '9' {
			return "", 0
		}
	}
	n, err := strconv.Atoi(ref[i+1:])
	if err != nil {
		return "", 0
	}
	return ref[:i], n
}

// fingerprint is a hash of the text and of all fields that make a version.
func fingerprint(d kb.Document) []byte {
	h := sha256.New()
	part := func(s string) {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
	for _, s := range []string{d.Text, d.Collection, d.Title, d.MediaType, d.Source, d.Domain,
		kb.FormatDay(d.PublishedAt), kb.FormatDay(d.ValidFrom), kb.FormatDay(d.ValidTo),
		strings.Join(d.Supersedes, "\x00"), strings.Join(d.Readers, "\x00")} {
		part(s)
	}
	if d.Authority != nil {
		part(strconv.FormatFloat(*d.Authority, 'g', -1, 64))
	}
	return h.Sum(nil)
}

const versionColumns = `v.id, v.document_id, v.version, v.collection, v.title, v.text, v.media_type, v.source, v.domain, v.authority,
	v.published_at, v.valid_from, v.valid_to, v.supersedes, v.readers, v.ingested_at, v.superseded_by, d.origin`

type scanner interface{ Scan(...any) error }

func scanVersion(row scanner) (rowID int64, d kb.Document, err error) {
	var published, from, to, supersedes, readers string
	var ingested int64
	var authority sql.NullFloat64
	if err := row.Scan(&rowID, &d.ID, &d.Version, &d.Collection, &d.Title, &d.Text, &d.MediaType, &d.Source, &d.Domain, &authority,
		&published, &from, &to, &supersedes, &readers, &ingested, &d.SupersededBy, &d.Origin); err != nil {
		return 0, d, err
	}
	if authority.Valid {
		d.Authority = &authority.Float64
	}
	d.IngestedAt = moment(ingested)
	d.PublishedAt, err = kb.ParseDay(published)
	if err != nil {
		return 0, d, err
	}
	if d.ValidFrom, err = kb.ParseDay(from); err != nil {
		return 0, d, err
	}
	if d.ValidTo, err = kb.ParseDay(to); err != nil {
		return 0, d, err
	}
	if d.Supersedes, err = readList(supersedes); err != nil {
		return 0, d, fmt.Errorf("supersedes of %s@%d: %w", d.ID, d.Version, err)
	}
	if d.Readers, err = readList(readers); err != nil {
		return 0, d, fmt.Errorf("readers of %s@%d: %w", d.ID, d.Version, err)
	}
	return rowID, d, nil
}

func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

func jsonList(list []string) string {
	if len(list) == 0 {
		return "[]"
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // a []string always has a JSON form
	}
	return string(data)
}

func readList(data string) ([]string, error) {
	var out []string
	if err := json.Unmarshal([]byte(data), &out); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, nil
	}
	return out, nil
}

// Document returns one version of a document, or the newest for version 0.
func (s *Store) Document(ctx context.Context, id string, version int) (kb.Document, error) {
	if id == "" {
		return kb.Document{}, kb.Invalid("document_id", "is empty")
	}
	if version < 0 {
		return kb.Document{}, kb.Invalid("version", "%d is negative; write a version from 1, or 0 for the newest", version)
	}
	var doc kb.Document
	err := s.view(ctx, "document "+id, func(ctx context.Context, tx *txn) error {
		var err error
		_, doc, err = scanVersion(tx.QueryRowContext(ctx, `SELECT `+versionColumns+` FROM versions v JOIN documents d ON d.id = v.document_id
			WHERE v.document_id = ?1 AND v.version = CASE CAST(?2 AS BIGINT) WHEN 0 THEN d.newest ELSE CAST(?2 AS BIGINT) END`, id, version))
		if errors.Is(err, sql.ErrNoRows) {
			if version > 0 {
				return fmt.Errorf("document %q version %d: %w", id, version, kb.ErrNotFound)
			}
			return fmt.Errorf("document %q: %w", id, kb.ErrNotFound)
		}
		return err
	})
	return doc, err
}

// Chunks returns the chunks of one version of a document, or of the newest for 0.
func (s *Store) Chunks(ctx context.Context, id string, version int) ([]kb.Chunk, error) {
	var out []kb.Chunk
	err := s.view(ctx, "chunks of "+id, func(ctx context.Context, tx *txn) error {
		row, doc, err := scanVersion(tx.QueryRowContext(ctx, `SELECT `+versionColumns+` FROM versions v JOIN documents d ON d.id = v.document_id
			WHERE v.document_id = ?1 AND v.version = CASE CAST(?2 AS BIGINT) WHEN 0 THEN d.newest ELSE CAST(?2 AS BIGINT) END`, id, version))
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("document %q version %d: %w", id, version, kb.ErrNotFound)
		}
		if err != nil {
			return err
		}
		out, _, err = chunks(ctx, tx, row, doc.Text)
		return err
	})
	return out, err
}

// Page returns the encoded page of a chunk (nil = not read) and the span of the chunk
// in the version's text; ErrNotFound where there is no such chunk.
func (s *Store) Page(ctx context.Context, id string, version, ordinal int) (page []byte, span text.Span, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT c.start_at, c.end_at, r.page FROM versions v JOIN chunks c ON c.version_id = v.id
		LEFT JOIN readings r ON r.chunk_id = c.id WHERE v.document_id = ? AND v.version = ? AND c.ordinal = ?`, id, version, ordinal).Scan(&span.Start, &span.End, &page)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("chunk %s@%d#%d: %w", id, version, ordinal, kb.ErrNotFound)
	}
	if err == nil {
		page, err = unpack(page)
	}
	return page, span, s.fail(ctx, "page of "+id, err)
}

// Documents lists the newest versions by id, without their texts.
func (s *Store) Documents(ctx context.Context, pageToken string, pageSize int) ([]kb.Document, string, error) {
	size, err := pageLimit(pageSize)
	if err != nil {
		return nil, "", err
	}
	var after string
	if pageToken != "" {
		if err := readToken(pageToken, &after); err != nil {
			return nil, "", err
		}
	}
	var docs []kb.Document
	columns := strings.Replace(versionColumns, "v.text", "''", 1)
	err = s.view(ctx, "documents", func(ctx context.Context, tx *txn) error {
		rows, err := tx.QueryContext(ctx, `SELECT `+columns+` FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.newest
			WHERE d.id > ? ORDER BY d.id LIMIT ?`, after, size+1)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
		for rows.Next() {
			_, d, err := scanVersion(rows)
			if err != nil {
				return err
			}
			docs = append(docs, d)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, "", err
	}
	next := ""
	if len(docs) > size {
		docs = docs[:size]
		next = token(docs[size-1].ID)
	}
	return docs, next, nil
}

func pageLimit(size int) (int, error) {
	switch {
	case size < 0:
		return 0, kb.Invalid("page_size", "%d is negative; write 1 to 1000, or 0 for 100", size)
	case size == 0:
		return 100, nil
	}
	return min(size, 1000), nil
}

func token(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers always have a JSON form
	}
	return base64.RawURLEncoding.EncodeToString(data)
}

func readToken(token string, v any) error {
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return kb.Invalid("page_token", "%q was not given by this list; leave it empty to start", token)
	}
	return nil
}

// Delete removes a document with all its versions.
func (s *Store) Delete(ctx context.Context, id string) error {
	if id == "" {
		return kb.Invalid("document_id", "is empty")
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	err := s.update(ctx, "delete "+id, func(ctx context.Context, tx *txn) error {
		var collection string
		err := tx.QueryRowContext(ctx, `SELECT v.collection FROM documents d JOIN versions v ON v.document_id = d.id AND v.version = d.newest WHERE d.id = ?`, id).Scan(&collection)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("document %q: %w", id, kb.ErrNotFound)
		}
		if err != nil {
			return err
		}
		targets, err := references(ctx, tx, id)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM documents WHERE id = ?`, id); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM changes WHERE document_id = ?`, id); err != nil {
			return err
		}
		if err := logChange(ctx, tx, id, collection, 0); err != nil {
			return err
		}
		return supersede(ctx, tx, targets)
	})
	if err == nil {
		s.announce()
	}
	return err
}

// Changes returns at most limit changes after a sequence number, in order; fewer
// where they are large, none when there are no more. A limit of 0 is 100.
func (s *Store) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	if limit < 0 {
		return nil, kb.Invalid("limit", "%d is negative", limit)
	}
	if limit == 0 {
		limit = 100
	}
	const most = 16 << 20 // bytes, so that a consumer's memory stays bounded
	var out []kb.DocumentChange
	err := s.view(ctx, "changes", func(ctx context.Context, tx *txn) error {
		out = nil
		rows, err := tx.QueryContext(ctx, `SELECT seq, document_id, collection, version FROM changes WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
		var heads []kb.DocumentChange
		for rows.Next() {
			var c kb.DocumentChange
			if err := rows.Scan(&c.Seq, &c.Document.ID, &c.Document.Collection, &c.Document.Version); err != nil {
				return err
			}
			c.Deleted = c.Document.Version == 0
			heads = append(heads, c)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		size := 0
		for _, c := range heads {
			if !c.Deleted {
				row, doc, err := scanVersion(tx.QueryRowContext(ctx, `SELECT `+versionColumns+` FROM versions v JOIN documents d ON d.id = v.document_id
					WHERE v.document_id = ? AND v.version = ?`, c.Document.ID, c.Document.Version))
				if err != nil {
					return fmt.Errorf("change %d of %s@%d: %w", c.Seq, c.Document.ID, c.Document.Version, err)
				}
				c.Document = doc
				var n int
				if c.Chunks, n, err = chunks(ctx, tx, row, doc.Text); err != nil {
					return err
				}
				size += len(doc.Text) + n
			}
			out = append(out, c)
			if size > most {
				break
			}
		}
		return nil
	})
	return out, err
}

// chunks loads the chunks of a version with their readings, and says how many
// bytes these have.
func chunks(ctx context.Context, tx *txn, version int64, text string) ([]kb.Chunk, int, error) {
	rows, err := tx.QueryContext(ctx, `SELECT c.ordinal, c.start_at, c.end_at, c.kind, c.headings, c.lead, r.page, r.vectors
		FROM chunks c LEFT JOIN readings r ON r.chunk_id = c.id WHERE c.version_id = ? ORDER BY c.ordinal`, version)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = rows.Close() }() // rows.Err tells what went wrong
	var out []kb.Chunk
	size, at, pos := 0, 0, 0
	to := func(point int) int {
		for at < point && pos < len(text) {
			_, n := utf8.DecodeRuneInString(text[pos:])
			pos += n
			at++
		}
		return pos
	}
	for rows.Next() {
		var c kb.Chunk
		var headings string
		if err := rows.Scan(&c.Ordinal, &c.Start, &c.End, &c.Kind, &headings, &c.Lead, &c.Page, &c.Vectors); err != nil {
			return nil, 0, err
		}
		if c.Page, err = unpack(c.Page); err != nil {
			return nil, 0, fmt.Errorf("chunk %d: %w", c.Ordinal, err)
		}
		if c.HeadingPath, err = readList(headings); err != nil {
			return nil, 0, fmt.Errorf("headings of chunk %d: %w", c.Ordinal, err)
		}
		from := to(c.Start)
		c.Text = text[from:to(c.End)]
		size += len(c.Text) + len(c.Page) + len(c.Vectors)
		out = append(out, c)
	}
	return out, size, rows.Err()
}
