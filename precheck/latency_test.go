package precheck

import (
	"context"
	"slices"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
)

// BenchmarkLatency reports the 99th percentile over the slot questions of the time of one
// analysis (the median of its runs), in microseconds.
func BenchmarkLatency(b *testing.B) {
	p := newPrecheck(b)
	var questions []string
	for _, half := range []string{"tune", "held"} {
		var cases map[string][]askedCase
		load(b, "testdata/asked-"+half+".yaml", &cases)
		for _, list := range cases {
			for _, c := range list {
				questions = append(questions, c.Q)
			}
		}
	}
	runs := make([][]time.Duration, len(questions))
	for b.Loop() {
		for i, q := range questions {
			start := time.Now()
			if _, err := p.Analyze(context.Background(), kb.Question{Text: q, AsOf: asOf}); err != nil {
				b.Fatal(err)
			}
			runs[i] = append(runs[i], time.Since(start))
		}
	}
	took := make([]time.Duration, len(runs)) // the median of each question: other load on the machine is no property of it
	for i, r := range runs {
		slices.Sort(r)
		took[i] = r[len(r)/2]
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs/question")
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs/question")
}
