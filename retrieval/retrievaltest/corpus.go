// Package retrievaltest is the suite that every form of the retrieval layer passes,
// with the documents it runs on and a change feed in memory.
package retrievaltest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"suffice.dev/suffice/kb"
)

// Feed is a change feed in memory, as a store gives it: each version once, at its
// newest seq. It is safe for concurrent use.
type Feed struct {
	mu      sync.Mutex
	seq     int64
	changes []kb.DocumentChange
	err     error
}

// NewFeed returns a feed of the documents, put one after the other.
func NewFeed(docs ...kb.Document) *Feed {
	f := &Feed{}
	f.Put(docs...)
	return f
}

// Put adds documents. A document with a known id is a new version, which
// supersedes the older ones unless their validity is disjoint.
func (f *Feed) Put(docs ...kb.Document) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range docs {
		d.Version = 1
		for _, c := range f.changes {
			if c.Document.ID == d.ID && !c.Deleted {
				d.Version = max(d.Version, c.Document.Version+1)
			}
		}
		key := fmt.Sprintf("%s@%d", d.ID, d.Version)
		var replaced []kb.DocumentChange
		for _, c := range f.changes {
			o := c.Document
			named := slices.Contains(d.Supersedes, o.ID) || slices.Contains(d.Supersedes, fmt.Sprintf("%s@%d", o.ID, o.Version))
			if c.Deleted || o.SupersededBy != "" || !named && (o.ID != d.ID || disjoint(o, d)) {
				continue
			}
			c.Document.SupersededBy = key
			replaced = append(replaced, c)
		}
		for _, c := range replaced {
			f.emit(c)
		}
		f.emit(kb.DocumentChange{Document: d, Chunks: chunks(d)})
	}
}

// disjoint reports whether the validity intervals share no day.
func disjoint(a, b kb.Document) bool {
	if a.ValidFrom.IsZero() && a.ValidTo.IsZero() || b.ValidFrom.IsZero() && b.ValidTo.IsZero() {
		return false
	}
	v := kb.Passage{ValidFrom: a.ValidFrom, ValidTo: a.ValidTo}
	return !v.ValidOn(b.ValidFrom, b.ValidTo)
}

// Delete removes a document with all its versions.
func (f *Feed) Delete(id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changes = slices.DeleteFunc(f.changes, func(c kb.DocumentChange) bool { return c.Document.ID == id })
	f.seq++
	f.changes = append(f.changes, kb.DocumentChange{Seq: f.seq, Deleted: true, Document: kb.Document{ID: id}})
}

// Fail makes Changes return the error; nil ends that.
func (f *Feed) Fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// emit replaces the earlier entry of the version and gives it the next seq.
func (f *Feed) emit(c kb.DocumentChange) {
	same := func(o kb.DocumentChange) bool {
		return o.Document.ID == c.Document.ID && (o.Deleted || o.Document.Version == c.Document.Version)
	}
	if slices.ContainsFunc(f.changes, same) {
		f.changes = slices.DeleteFunc(f.changes, same)
	}
	f.seq++
	c.Seq = f.seq
	f.changes = append(f.changes, c)
}

// Changes implements the feed of kb.Knowledge.
func (f *Feed) Changes(ctx context.Context, after int64, limit int) ([]kb.DocumentChange, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	var out []kb.DocumentChange
	for _, c := range f.changes {
		if c.Seq > after && len(out) < limit {
			out = append(out, c)
		}
	}
	return out, ctx.Err()
}

// chunks cuts a document at its blank lines; a line that begins with # is the
// heading of what follows and part of no chunk.
func chunks(d kb.Document) []kb.Chunk {
	var out []kb.Chunk
	var headings []string
	at := 0 // code points
	for _, block := range strings.SplitAfter(d.Text, "\n\n") {
		start, length := at, len([]rune(block))
		at += length
		body := strings.TrimSpace(block)
		if body == "" {
			continue
		}
		if strings.HasPrefix(body, "#") && !strings.Contains(body, "\n") {
			headings = []string{strings.TrimSpace(strings.TrimLeft(body, "#"))}
			continue
		}
		start += len([]rune(block[:strings.Index(block, body)]))
		out = append(out, kb.Chunk{
			Ordinal: len(out), Text: body, Start: start, End: start + len([]rune(body)), Kind: "text", HeadingPath: slices.Clone(headings),
		})
	}
	return out
}
