package ingest

import (
	"fmt"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/kb/store"
)

// FactReader reads the facts of chunks for a store. A chunk is read as the passage
// that it becomes when it is retrieved; what it was cut off from (Chunk.Lead) is
// read as its innermost heading.
type FactReader struct {
	// Engine is asked for each chunk, so that it may be exchanged while serving.
	Engine func() *fact.Engine
	// MinConfidence is the least confidence, 0..1, of a fact that becomes a row. The
	// page holds all.
	MinConfidence float64
}

var _ store.Reader = FactReader{}

// ReadPage returns the encoded page and the complete facts of a chunk.
func (r FactReader) ReadPage(doc kb.Document, c kb.Chunk) ([]byte, []store.FactRow) {
	headings := c.HeadingPath
	if c.Lead != "" {
		headings = append(headings[:len(headings):len(headings)], c.Lead)
	}
	page := r.Engine().Read(reading.SourceOf(kb.Passage{
		Text: c.Text, Title: doc.Title, HeadingPath: headings, Kind: c.Kind, Domain: doc.Domain,
		PublishedAt: doc.PublishedAt, ValidFrom: doc.ValidFrom, ValidTo: doc.ValidTo, DocumentID: doc.ID,
	}))
	var rows []store.FactRow
	for i := range page.Facts {
		if f := &page.Facts[i]; f.Complete && f.Confidence >= r.MinConfidence {
			rows = append(rows, row(f))
		}
	}
	data, err := page.MarshalBinary()
	if err != nil {
		// The store turns it into the error of this document.
		panic(fmt.Errorf("page of chunk %d: %w", c.Ordinal, err))
	}
	return data, rows
}

func row(f *fact.Fact) store.FactRow {
	out := store.FactRow{
		Subject: f.Subject.Text, Attribute: f.Attribute.Text, Value: f.Value.Text, ValueKind: string(f.Value.Kind),
		Denied: f.Denied, Modality: string(f.Modality), Place: f.Place.Text,
		Start: f.Span.Start, End: f.Span.End, Confidence: f.Confidence,
	}
	conditions := make([]string, len(f.Conditions))
	for i, c := range f.Conditions {
		conditions[i] = c.Text
	}
	out.Condition = strings.Join(conditions, "; ")
	for _, t := range f.Times {
		if !t.From.IsZero() || !t.To.IsZero() {
			out.HoldsFrom, out.HoldsTo = t.From, t.To
			break
		}
	}
	return out
}
