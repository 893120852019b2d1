package rerank

import (
	"context"
	"fmt"
	"math"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
)

// SetFeatures names the inputs of the sufficiency model, in order. They describe
// the kept set of passages as a whole; retrieval scores are not among them, so that
// a caller's scores may have any scale.
var SetFeatures = []string{
	"fgc",             // coverage of the required slots
	"filled",          // share of the needs with a filler
	"fit_min",         // fit of the worst need's best fact, 0..1
	"fit_mean",        // mean over the needs
	"ambiguous",       // share of the needs with two different fillers
	"fillers",         // number of fillers of the best-filled need, at most 8
	"uncovered",       // uncovered words of the worst need
	"cds",             // unresolved and resolved conflicts on asked slots
	"sid",             // density of the relevant passages
	"overlap_passage", // question words in the best passage, rarity-weighted
	"overlap_set",     // question words in all passages together
	"overlap_clause",  // question words in the best single sentence
	"similarity",      // embedding similarity of question and best sentence
	"passages",        // number of live passages
	"needs",           // number of needs
	"length",          // code points of the best passage, log
	"textual",         // 1 when the answer is a sentence, not a value
	"boolean",         // 1 for yes-no questions
}

// Monotone says in which direction a feature may move the score, where sense demands
// it: 1, more of it never lowers sufficiency; -1, never raises it.
var Monotone = map[string]int{
	"fgc": 1, "filled": 1, "fit_min": 1, "fit_mean": 1, "cds": -1, "overlap_clause": 1, "overlap_passage": 1, "similarity": 1,
}

// features computes the row for one request, in the order of SetFeatures. NaN means
// not known.
func features(l *Local, j *judged) []float32 {
	row := make([]float32, 0, len(SetFeatures))
	add := func(v float64) { row = append(row, float32(v)) }
	nan := math.NaN()
	n := float64(len(j.cover))
	filled, fitSum, fitMin, ambiguous, fillers, uncovered := 0.0, 0.0, 1.0, 0.0, 0.0, 0.0
	for _, c := range j.cover {
		switch c.State {
		case fact.StateFilled:
			filled++
		case fact.StateAmbiguous:
			filled++
			ambiguous++
		}
		fitSum += c.Fit
		if c.Fit <= fitMin {
			fitMin = c.Fit
			uncovered = float64(len(c.Uncovered))
		}
		fillers = math.Max(fillers, float64(len(c.Fillers)))
	}
	if n == 0 {
		n, fitMin = 1, 0
	}
	add(fgc(l.slots(j)))
	add(filled / n)
	add(fitMin)
	add(fitSum / n)
	add(ambiguous / n)
	add(fillers)
	add(uncovered)
	add(j.cds)
	add(j.meanSID())
	o := l.reader.Engine().Overlap(j.req.Analysis.Question, j.pages, j.metas)
	add(o.Passage)
	add(o.Set)
	add(o.Sentence)
	if o.Similarity < 0 {
		add(nan)
	} else {
		add(o.Similarity)
	}
	add(float64(len(j.live)))
	add(float64(len(j.cover)))
	if o.Best >= 0 {
		add(math.Log1p(float64(len(j.pages[o.Best].Runes))))
	} else {
		add(nan)
	}
	textual, boolean := 0.0, 0.0
	for _, need := range j.needs {
		switch kb.Expect(need.Expect) {
		case kb.ExpectText, kb.ExpectList, kb.ExpectAny:
			textual = 1
		case kb.ExpectBoolean:
			boolean = 1
		}
	}
	add(textual)
	add(boolean)
	return row
}

// Judge assesses a request and returns also the row of SetFeatures that the model
// sees: what training and measurement work on. The row is nil where the question
// asks back.
func (l *Local) Judge(ctx context.Context, req kb.AssessRequest) ([]float32, kb.Assessment, error) {
	if req.Analysis.Clarify != nil {
		a, err := l.Assess(ctx, req)
		return nil, a, err
	}
	if err := ctx.Err(); err != nil {
		return nil, kb.Assessment{}, fmt.Errorf("assess: %w", err)
	}
	j := l.judge(req)
	a, err := l.decide(j)
	return j.features, a, err
}
