package rerank

import (
	"context"
	"fmt"
	"math"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// SetFeatures names the inputs of the sufficiency model, in order. They describe
// the kept set of passages as a whole; retrieval scores are not among them, so that
// a caller's scores may have any scale.
var SetFeatures = []string{
	"fgc",          // coverage of the required slots
	"filled",       // share of the needs with a filler
	"fit_min",      // fit of the worst need's best fact, 0..1
	"fit_mean",     // mean over the needs
	"ambiguous",    // share of the needs with two different fillers
	"fillers",      // number of fillers of the best-filled need, at most 8
	"cds",          // conflicts on asked slots that nothing resolves
	"sid",          // density of the relevant passages
	"set",          // fact.Overlap from here on: the question's words in all passages together
	"sentence",     // in the best sentence
	"answer",       // in the best window that holds something of the asked kind
	"fact",         // in what the best fact of the asked kind is about
	"focus",        // words of the asked attribute in the best window
	"names",        // names of the question in the best passage
	"numbers",      // numbers of the question in all passages
	"soft",         // window, similar words counted
	"similarity",   // embedding similarity of question and best sentence
	"answer_like",  // of question and best sentence with something of the asked kind
	"order",        // neighbouring words of the question that are neighbours there
	"holds",        // 1 when the best window holds something of the asked kind
	"row",          // 1 when the best window is a row of a table
	"window_rest",  // mean coverage of the other windows: how much the topic alone carries
	"like_rest",    // mean similarity of the other sentences
	"cell",         // best cell of a table that holds something, by its headings
	"cell_lost",    // by how much an empty cell is better
	"cell_gap",     // heaviest stretch of the question that the best cell's headings lack
	"cell_numbers", // numbers of the question in them
	"cell_row",     // share of its row heading that the question carries
	"cell_column",  // share of its column heading
	"cell_like",    // embedding similarity of the question and them
	"question",     // weight of the question's words
	"needs",        // number of needs
	"textual",      // 1 when the answer is a sentence, not a value
	"boolean",      // 1 for yes-no questions
	"quantity",     // 1 when a quantity is asked
	"time",         // 1 when a time is asked
	"chinese",      // 1 for a question in Chinese
}

// Monotone says in which direction a feature may move the score, where sense demands
// it: 1, more of it never lowers sufficiency; -1, never raises it.
var Monotone = map[string]int{
	"fgc": 1, "filled": 1, "fit_min": 1, "fit_mean": 1, "cds": -1, "sentence": 1, "answer": 1, "fact": 1, "focus": 1,
	"soft": 1, "similarity": 1, "answer_like": 1, "cell": 1, "cell_lost": -1, "cell_gap": -1, "cell_numbers": 1, "cell_row": 1, "cell_column": 1,
}

// OfQuestion are the features that the question has alone, whatever the passages: they
// say how others are to be read, and training sees to it that they tell nothing by
// themselves.
var OfQuestion = []string{"question", "needs", "textual", "boolean", "quantity", "time", "chinese"}

// features computes the row for one request, in the order of SetFeatures. NaN means
// not known.
func features(l *Local, j *judged) []float32 {
	row := make([]float32, 0, len(SetFeatures))
	add := func(values ...float64) {
		for _, v := range values {
			row = append(row, float32(v))
		}
	}
	known := func(v float64) float64 { // Overlap says -1 for not known
		if v < 0 {
			return math.NaN()
		}
		return v
	}
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	n := float64(len(j.cover))
	filled, fitSum, fitMin, ambiguous, fillers := 0.0, 0.0, 1.0, 0.0, 0.0
	worst := 0
	for i, c := range j.cover {
		switch c.State {
		case fact.StateFilled:
			filled++
		case fact.StateAmbiguous:
			filled++
			ambiguous++
		}
		fitSum += c.Fit
		if c.Fit <= fitMin {
			fitMin, worst = c.Fit, i
		}
		fillers = math.Max(fillers, math.Min(8, float64(len(c.Fillers))))
	}
	if n == 0 {
		n, fitMin = 1, 0
	}
	add(fgc(j.fills), filled/n, fitMin, fitSum/n, ambiguous/n, fillers, density(j, true), j.meanSID())
	var need *fact.Need
	if len(j.needs) > 0 {
		need = &j.needs[worst]
	}
	o := j.round.Overlap(j.req.Analysis.Question, need)
	j.overlap = o
	add(o.Set, o.Sentence, o.Answer, o.Fact, o.Focus, known(o.Names), known(o.Numbers), known(o.Soft), known(o.Similarity), known(o.AnswerLike), o.Order,
		flag(o.BestHolds), flag(o.BestRow), o.WindowRest, known(o.LikeRest))
	if o.Cell.Known {
		add(o.Cell.Best, o.Cell.Lost, o.Cell.Gap, known(o.Cell.Numbers), o.Cell.Row, o.Cell.Column, known(o.Cell.Like))
	} else {
		for range 7 {
			add(math.NaN())
		}
	}
	add(o.QuestionLen, float64(len(j.needs)))
	kinds := map[kb.Expect]bool{}
	for _, need := range j.needs {
		kinds[kb.Expect(need.Expect)] = true
	}
	add(flag(kinds[kb.ExpectText] || kinds[kb.ExpectList] || kinds[kb.ExpectAny]), flag(kinds[kb.ExpectBoolean]),
		flag(kinds[kb.ExpectQuantity] || kinds[kb.ExpectDuration]), flag(kinds[kb.ExpectTime]),
		flag(j.req.Analysis.Language != "en"))
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
	j, err := l.judge(ctx, req)
	if err != nil {
		return nil, kb.Assessment{}, fmt.Errorf("assess: %w", err)
	}
	a, err := l.decide(ctx, j)
	return j.features, a, err
}

// leastNear is the least share of the question's words that the nearest sentence must
// carry to be an answer by itself.
const leastNear = 0.65

// stated makes an answer of a refusal where the model is sure and no fact was read
// that fills the slots: the sentence or row that comes nearest is the evidence.
func (j *judged) stated(out *kb.Assessment, th Thresholds) bool {
	o := j.overlap
	if out.Outcome != kb.Insufficient || out.Sufficiency < th.Sure || o.Best < 0 || len(j.needs) == 0 {
		return false
	}
	page, span, near := o.Best, o.BestSpan, o.Sentence
	at, sentence, said := j.pointed(0, j.read)
	value, named := false, false
	for _, n := range j.needs {
		switch kb.Expect(n.Expect) {
		case kb.ExpectQuantity, kb.ExpectTime, kb.ExpectDuration:
			value = true
		case kb.ExpectEntity, kb.ExpectPlace, kb.ExpectAny:
			named = true
		}
	}
	switch {
	case said: // its words may be others
		page, span = at, sentence
	case (j.req.Analysis.Class == kb.Cause || j.req.Analysis.Class == kb.Steps) && o.BestRow:
		return false // a row says what is so, not why or how
	case o.Cell.Known && o.Cell.Lost == 0 && (o.BestRow || o.Cell.Page == o.Best && (value || named)):
		page, span, near = o.Cell.Page, o.Cell.Span, math.Max(near, o.Cell.Best)
	case !o.BestHolds && !named:
		return false // nothing of the asked kind stands there; names are not all told as such
	}
	if len(j.needs) > 1 || j.needs[0].Count > 1 {
		return false // one sentence does not show that all is there
	}
	if near < leastNear && !said {
		return false // too many of the question's words are not there
	}
	if !said && j.subjectOpen() {
		return false // it is about something else
	}
	if j.cover[0].Excluded {
		return false // a fact that excludes outranks what the model thinks
	}
	for i := range out.Slots {
		s := &out.Slots[i]
		if s.Role == kb.Asked && s.Required && s.State == kb.Empty {
			j.fill(s, page, span, out.Sufficiency)
		}
	}
	out.Outcome, out.Missing = kb.Answered, nil
	out.FGC = fgc(out.Slots)
	out.Level = level(out.FGC, th)
	return true
}

// subjectOpen reports whether what came nearest to the one need lacks a word of what is asked
// about.
func (j *judged) subjectOpen() bool {
	for _, word := range j.cover[0].Uncovered {
		if len([]rune(word)) > 1 && strings.Contains(j.needs[0].Subject, word) {
			return true
		}
	}
	return false
}

// fill fills a slot by a sentence or row of a page, with the probability that it does.
func (j *judged) fill(s *kb.SlotFill, page int, span text.Span, p float64) {
	ref := fact.Ref{Page: page, Fact: -1, Span: span, Score: p}
	s.State, s.Confidence = kb.Filled, p
	s.Evidence = []kb.Evidence{evidence(j.req.Candidates[j.live[page]].Passage, j.pages[page], ref)}
}
