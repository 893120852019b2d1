// Package reading turns passages into pages of facts and keeps recent pages, so
// that rerank and validate read the same passage once.
package reading

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
)

// Reader reads passages with one engine. It is safe for concurrent use.
type Reader struct {
	engine *fact.Engine
	pages  *lru.Cache[[sha256.Size]byte, *fact.Page]
	stored Stored
}

// Stored looks up the page that was read from a chunk when it was ingested. It
// returns nil where there is none; the passage is then read anew. It may fail for a
// while (the store is busy, or not open yet): nothing is lost but time.
type Stored func(p kb.Passage) *fact.Page

// New returns a reader that keeps up to size pages (0 = 4096), and with each what
// comparisons prepared of it.
func New(engine *fact.Engine, size int, stored Stored) *Reader {
	if size <= 0 {
		size = 4096
	}
	cache, err := lru.New[[sha256.Size]byte, *fact.Page](size)
	if err != nil { // only for size <= 0
		panic(err)
	}
	return &Reader{engine: engine, pages: cache, stored: stored}
}

// Engine is the engine that reads.
func (r *Reader) Engine() *fact.Engine { return r.engine }

// Page reads one passage. The page is shared: it must not be changed.
func (r *Reader) Page(p kb.Passage) *fact.Page {
	key := keyOf(p)
	if page, ok := r.pages.Get(key); ok {
		return page
	}
	var page *fact.Page
	if r.stored != nil && p.DocumentID != "" {
		page = r.stored(p)
	}
	if page == nil {
		page = r.engine.Read(SourceOf(p))
	}
	r.pages.Add(key, page)
	return page
}

// Pages reads all passages, in order. Its error is ctx's.
func (r *Reader) Pages(ctx context.Context, passages []kb.Passage) ([]*fact.Page, error) {
	out := make([]*fact.Page, len(passages))
	for i, p := range passages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = r.Page(p)
	}
	return out, nil
}

// SourceOf is the source that the engine reads for a passage.
func SourceOf(p kb.Passage) fact.Source {
	return fact.Source{Text: p.Text, Title: p.Title, Headings: p.HeadingPath, Kind: p.Kind, Published: anchor(p), Domain: p.Domain}
}

// anchor is the day from which a text counts 上月 or "last year".
func anchor(p kb.Passage) time.Time {
	if !p.PublishedAt.IsZero() {
		return p.PublishedAt
	}
	return p.ValidFrom
}

// MetaOf is what the engine needs to know of a passage beside its text.
func MetaOf(p kb.Passage) fact.Meta {
	return fact.Meta{
		ID: p.ID, Title: p.Title, Document: p.DocumentID, Version: p.Version, Authority: p.Authority, Source: p.Source,
		PublishedAt: p.PublishedAt, ValidFrom: p.ValidFrom, ValidTo: p.ValidTo, Supersedes: p.Supersedes, Domain: p.Domain,
	}
}

func keyOf(p kb.Passage) [sha256.Size]byte {
	h := sha256.New()
	write(h, p.Text)
	write(h, p.Title)
	write(h, strings.Join(p.HeadingPath, "\x00"))
	write(h, p.Kind)
	write(h, p.Domain)
	write(h, kb.FormatDay(anchor(p)))
	return [sha256.Size]byte(h.Sum(nil))
}

func write(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	h.Write([]byte(s))
}
