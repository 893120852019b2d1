package evaluate

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// Judge assesses a question with passages; the row is what the sufficiency model
// sees, nil where the question asks back.
type Judge func(ctx context.Context, q kb.Question, passages []kb.Passage) ([]float32, kb.Assessment, error)

// JudgedExample is an example with what the program made of it.
type JudgedExample struct {
	*SufficiencyExample
	Row         []float32 // nil: the question asks back
	Outcome     kb.Outcome
	Sufficiency float64 // 0..1
	FGC         float64 // 0..1
	Overlap     float64 // share of the question's terms in the passage that has most of them
}

// asOf is the day that all measured questions are asked on, so that figures do not
// change with the calendar.
var asOf = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// JudgeExamples judges all examples, in their order. progress may be nil.
func JudgeExamples(ctx context.Context, examples []SufficiencyExample, judge Judge, progress func(done, total int)) ([]JudgedExample, error) {
	return onAllCores(ctx, examples, progress, func(ctx context.Context, e *SufficiencyExample) (JudgedExample, error) {
		day := e.AsOf
		if day.IsZero() {
			day = asOf
		}
		row, a, err := judge(ctx, kb.Question{Text: e.Question, AsOf: day}, e.Passages)
		if err != nil {
			return JudgedExample{}, fmt.Errorf("judge %s %q: %w", e.Set(), e.Question, err)
		}
		return JudgedExample{e, row, a.Outcome, a.Sufficiency, a.FGC, overlap(e.Question, e.Passages)}, nil
	})
}

// Each is what f makes of each example, in their order, on all cores, until one fails or
// ctx ends.
func Each[E, J any](ctx context.Context, examples []E, f func(context.Context, *E) (J, error)) ([]J, error) {
	return onAllCores(ctx, examples, nil, f)
}

// onAllCores judges all examples, in their order, until one fails or ctx ends.
// progress is called by one goroutine at a time, after each hundred and after the
// last; it may be nil.
func onAllCores[E, J any](ctx context.Context, examples []E, progress func(done, total int), judge func(context.Context, *E) (J, error)) ([]J, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := make([]J, len(examples))
	var next, done atomic.Int64
	var wg sync.WaitGroup
	var report sync.Mutex
	for range max(1, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(examples) {
					return
				}
				var err error
				if out[i], err = judge(ctx, &examples[i]); err != nil {
					cancel(err)
					return
				}
				if n := int(done.Add(1)); progress != nil && (n%100 == 0 || n == len(examples)) {
					report.Lock()
					progress(n, len(examples))
					report.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return out, context.Cause(ctx)
}

// overlap is the first baseline: the share of the question's different terms that
// the best passage holds.
func overlap(question string, passages []kb.Passage) float64 {
	asked := map[string]bool{}
	for _, t := range text.Terms(text.Fold([]rune(question))) {
		asked[t.Text] = true
	}
	best := 0
	for _, p := range passages {
		found := map[string]bool{}
		for _, t := range text.Terms(text.Fold([]rune(p.Title + " " + p.Text))) {
			if asked[t.Text] {
				found[t.Text] = true
			}
		}
		best = max(best, len(found))
	}
	if len(asked) == 0 {
		return 0
	}
	return float64(best) / float64(len(asked))
}

// WriteTraining writes the judged examples in the form that models/sufficiency/train.py
// reads. One train document in six goes to the calibration (dev). ofQuestion are the
// features that the question has alone.
func WriteTraining(w io.Writer, names []string, monotone map[string]int, ofQuestion []string, judged []JudgedExample) error {
	buf := bufio.NewWriter(w)
	enc := json.NewEncoder(buf)
	if err := enc.Encode(map[string]any{"names": names, "monotone": monotone, "of_question": ofQuestion}); err != nil {
		return err
	}
	for _, j := range judged {
		if j.Row == nil {
			continue
		}
		values := make([]any, len(j.Row))
		for i, v := range j.Row {
			if !math.IsNaN(float64(v)) {
				values[i] = v
			}
		}
		split, label := "train", 0
		switch {
		case j.Test:
			split = "test"
		case j.Tuning():
			split = "dev"
		}
		if j.Sufficient {
			label = 1
		}
		row := map[string]any{"features": values, "label": label, "group": j.Source, "kind": j.Kind, "language": j.Language, "outcome": j.Outcome, "overlap": j.Overlap, "fgc": j.FGC, "split": split, "question": j.Group}
		if err := enc.Encode(row); err != nil {
			return err
		}
	}
	return buf.Flush()
}
