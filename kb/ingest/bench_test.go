package ingest_test

import (
	"testing"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/ingest"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/model/embed"
)

// BenchmarkIngest ingests a staff handbook with facts and vectors: chunks a second.
func BenchmarkIngest(b *testing.B) {
	dir := shared(b, "gitlab-handbook/content")
	model, err := embed.Static()
	if err != nil {
		b.Fatal(err)
	}
	engine := fact.New(fact.Config{})
	chunks := 0
	for b.Loop() {
		s, err := store.Open(b.Context(), b.TempDir(), store.Options{Reader: ingest.FactReader{Engine: func() *fact.Engine { return engine }}, Embedder: model})
		if err != nil {
			b.Fatal(err)
		}
		r, err := ingest.New(s, ingest.Options{}).Paths(b.Context(), dir)
		if err != nil {
			b.Fatal(err)
		}
		chunks += r.Chunks
		st, err := s.Stats(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(st.Bytes)/float64(r.Chunks), "bytes/chunk")
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
}
