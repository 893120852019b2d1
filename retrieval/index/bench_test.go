package index_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2"
	_ "github.com/blevesearch/bleve/v2/analysis/lang/cjk"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// synthetic is n one-chunk documents of both languages whose words are distributed
// as in text: few frequent, many rare.
func synthetic(n int) ([]kb.Document, []string) {
	rng := rand.New(rand.NewPCG(11, 12))
	words := rand.NewZipf(rng, 1.1, 8, 20000)
	han := []rune("的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经")
	word := func(zh bool) string {
		n := words.Uint64()
		if zh {
			return string([]rune{han[n%uint64(len(han))], rune(0x4e00 + n*37%9000), rune(0x4e00 + n*91%9000)})
		}
		return fmt.Sprintf("w%s%d", string(rune('a'+n%26)), n)
	}
	var docs []kb.Document
	var questions []string
	for i := range n {
		var b strings.Builder
		zh := i%2 == 0
		for j := range 60 {
			b.WriteString(word(zh))
			switch {
			case j%12 == 11 && zh:
				b.WriteString("。")
			case j%12 == 11:
				b.WriteString(". ")
			case !zh:
				b.WriteByte(' ')
			}
		}
		docs = append(docs, kb.Document{ID: fmt.Sprint("d", i), Text: b.String()})
		if i%50 == 0 {
			f := []rune(b.String())
			questions = append(questions, string(f[10:min(len(f), 50)]))
		}
	}
	return docs, questions
}

// BenchmarkRetrieve asks 10,000 chunks by each route and fused, and bleve alone on
// the same texts. p50-ms and p99-ms are per question.
func BenchmarkRetrieve(b *testing.B) {
	docs, questions := synthetic(10_000)
	x := open(b, b.TempDir())
	start := time.Now()
	synced(b, x, retrievaltest.NewFeed(docs...))
	b.Logf("indexed %d chunks in %v", x.Chunks(), time.Since(start))
	h := hybrid(b, x)
	measure := func(b *testing.B, ask func(q string) error) {
		var times []time.Duration
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			if err := ask(questions[i%len(questions)]); err != nil {
				b.Fatal(err)
			}
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
	}
	for _, only := range [][]kb.Route{{kb.Dense}, {kb.BM25}, {kb.Graph}, nil} {
		name := "fused"
		if only != nil {
			name = string(only[0])
		}
		b.Run(name, func(b *testing.B) {
			measure(b, func(q string) error {
				_, err := h.Retrieve(b.Context(), kb.RetrieveRequest{Analysis: kb.Analysis{Question: q}, Only: only})
				return err
			})
		})
	}
	b.Run("bleve alone", func(b *testing.B) {
		m := bleve.NewIndexMapping()
		m.DefaultAnalyzer = "cjk"
		alone, err := bleve.NewUsing(filepath.Join(b.TempDir(), "i"), m, scorch.Name, scorch.Name, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = alone.Close() }()
		for i := 0; i < len(docs); i += 1000 {
			batch := alone.NewBatch()
			for _, d := range docs[i:min(i+1000, len(docs))] {
				if err := batch.Index(d.ID, map[string]any{"t": d.Text}); err != nil {
					b.Fatal(err)
				}
			}
			if err := alone.Batch(batch); err != nil {
				b.Fatal(err)
			}
		}
		measure(b, func(q string) error {
			_, err := alone.SearchInContext(b.Context(), bleve.NewSearchRequestOptions(bleve.NewMatchQuery(q), 10, 0, false))
			return err
		})
	})
}
