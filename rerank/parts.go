package rerank

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// mostParts is how many things asked in one question are read one by one; each costs
// as much as a question of its own.
const mostParts = 3

// separators part the clauses of a question that asks several things.
var separators = regexp.MustCompile(`[，,；;。？?！!]+|(?i:\s+(?:and|as well as|plus)\s+)|以及|并且|还有|另外`)

// partsOf is what a question asks of each need, in words of its own: the clauses that ask
// it, with those that ask nothing (a situation, a greeting) before them, and its subject
// where they leave it out. nil where the clauses cannot be told apart.
func partsOf(question string, needs []fact.Need) []string {
	var clauses []string
	for _, c := range separators.Split(question, -1) {
		if c = strings.TrimSpace(c); c != "" {
			clauses = append(clauses, c)
		}
	}
	of := make([]int, len(clauses)) // need that a clause asks; -1 = none
	asked := make([]int, len(needs))
	for i, c := range clauses {
		of[i] = -1
		for n, need := range needs {
			if need.Attribute != "" && named(c, need.Attribute) {
				if of[i] >= 0 {
					return nil // one clause asks both
				}
				of[i] = n
				asked[n]++
			}
		}
	}
	if len(clauses) == len(needs) { // one clause each, in the order of the question
		for i := range clauses {
			if of[i] >= 0 && of[i] != i {
				return nil
			}
			of[i], asked[i] = i, 1
		}
	}
	chinese := text.Language(question) == "zh"
	out := make([]string, len(needs))
	for n, need := range needs {
		if asked[n] == 0 {
			return nil
		}
		var kept []string
		for i, c := range clauses {
			if of[i] < 0 || of[i] == n {
				kept = append(kept, c)
			}
		}
		comma, mark := ", ", "?"
		if chinese {
			comma, mark = "，", "？"
		}
		out[n] = strings.Join(kept, comma) + mark
		if need.Subject != "" && !named(out[n], need.Subject) {
			if !chinese {
				need.Subject += ": "
			}
			out[n] = need.Subject + out[n]
		}
	}
	return out
}

// joint matches what stands between two things that one question asks about.
var joint = regexp.MustCompile(`(?i)^\s*(?:[,，、]\s*)?(?:和|与|及|以及|跟|同|还有|、|and|or|as well as)?\s*(?:(?:of|about|for|in|at|to|from|on|with|by|the|a|an)\s+)*$`)

// eachOf matches words that say that something is asked of each of several things.
var eachOf = regexp.MustCompile(`(?i)分别|各自|\s*\b(?:respectively|each|both)\b`)

// eachHow matches 各 before what is asked.
var eachHow = regexp.MustCompile(`各(多|几|是|为|有|要|需|收|支)`)

// sideQuestions are the questions for one of two things each, where a question names them one
// after the other: of "How long are A and B?" the one for A. nil where it does not.
func sideQuestions(a kb.Analysis, needs []fact.Need) []string {
	if len(needs) != 2 || a.Class == kb.Comparison {
		return nil
	}
	runes := []rune(a.Question)
	var sides [2]kb.Slot
	for n, need := range needs {
		at := slices.IndexFunc(a.Slots, func(s kb.Slot) bool {
			return s.Role == kb.Given && strings.HasPrefix(s.Name, "subject") && s.Value != "" && strings.HasSuffix(need.Subject, s.Value)
		})
		if at < 0 {
			return nil
		}
		sides[n] = a.Slots[at]
	}
	first, second := sides[0], sides[1]
	if first.Start > second.Start {
		first, second = second, first
	}
	if first.End > second.Start || second.End > len(runes) {
		return nil
	}
	if between := string(runes[first.End:second.Start]); strings.TrimSpace(between) == "" || !joint.MatchString(between) {
		return nil
	}
	out := make([]string, len(needs))
	for n := range needs {
		q := string(runes[:first.Start]) + sides[n].Value + string(runes[second.End:])
		out[n] = eachHow.ReplaceAllString(eachOf.ReplaceAllString(q, ""), "$1")
	}
	return out
}

// named reports whether a clause has the words of a part, in any order, whatever their case.
func named(clause, part string) bool {
	clause = strings.ToLower(clause)
	for _, w := range strings.Fields(strings.ToLower(part)) {
		if !strings.Contains(clause, w) {
			return false
		}
	}
	return true
}

// separable reports whether the needs are things of their own, each in a slot of its own,
// that a passage could answer alone.
func (j *judged) separable() bool {
	if len(j.needs) < 2 || len(j.needs) > mostParts || len(j.pages) == 0 {
		return false
	}
	for n, need := range j.needs {
		if need.Count > 1 || n > 0 && j.slots[n] == j.slots[n-1] || len(need.Others) > 0 && j.req.Analysis.Class == kb.Comparison {
			return false
		}
	}
	switch j.outcome() {
	case kb.Answered, kb.Partial, kb.Insufficient:
		return true
	}
	return false
}

// severally asks the reader about each thing that a question asks: what facts fill is
// emptied where it says no, what they do not is filled by the sentence that it points at.
// It returns the least sufficiency of them; a reader that is late or absent changes
// nothing, and is named. What is excluded or only ruled in general is not read.
func (l *Local) severally(ctx context.Context, j *judged, sufficiency float64, th Thresholds, out *kb.Assessment) (float64, error) {
	if !l.cfg.Reading.doubtful(sufficiency) || !j.separable() {
		return sufficiency, nil
	}
	parts := sideQuestions(j.req.Analysis, j.needs)
	if parts == nil {
		parts = partsOf(j.req.Analysis.Question, j.needs)
	}
	if parts == nil {
		return sufficiency, nil
	}
	alone := make([]*judged, len(j.needs)) // nil: not read
	for n := range j.needs {
		if j.cover[n].Excluded || j.cover[n].General {
			continue
		}
		part := l.part(j, n, parts[n])
		found, err := l.read(ctx, part, 0, parts[n])
		if err != nil {
			return sufficiency, l.unread(ctx, err, out)
		}
		part.read = found
		alone[n] = part
	}
	from := math.Pow(th.Sure, 1/float64(len(j.needs))) // all of them together are right with th.Sure
	least, filled := 1.0, 0
	for n, part := range alone {
		has := j.cover[n].State != fact.StateEmpty && !j.cover[n].General
		slot := &out.Slots[j.slots[n]]
		if part == nil {
			least = math.Min(least, sufficiency)
		} else {
			_, p, err := l.model.Predict(part.features)
			if err != nil {
				return 0, fmt.Errorf("assess: sufficiency model: %w", err)
			}
			p = l.options.Joint.join(p, part.said(0, part.read))
			least = math.Min(least, p)
			switch page, sentence, ok := part.pointed(0, part.read); {
			case has && p < th.Sufficiency:
				has = false
				slot.State, slot.Confidence, slot.Evidence = kb.Empty, 0, nil
				out.Missing = append(out.Missing, kb.Missing{Slot: j.needs[n].Name, Text: missingText(j.req.Analysis, j.needs[n], j.cover[n])})
			case !has && ok && p >= from && j.round.OfSide(&j.needs[n], page, sentence):
				has = true
				j.fill(slot, page, sentence, p)
				out.Missing = slices.DeleteFunc(out.Missing, func(m kb.Missing) bool { return m.Slot == j.needs[n].Name })
			}
		}
		if has {
			filled++
		}
	}
	switch {
	case filled == len(j.needs):
		out.Outcome = kb.Answered
	case filled > 0:
		out.Outcome = kb.Partial
	case out.Outcome == kb.Answered:
		out.Outcome = kb.Insufficient
	}
	out.FGC = fgc(out.Slots)
	out.Level = level(out.FGC, th)
	return least, nil
}

// part is what is known of one thing that a question asks, as if it were asked alone in
// words of its own.
func (l *Local) part(j *judged, n int, question string) *judged {
	out := *j
	out.needs, out.cover, out.read = []fact.Need{j.needs[n]}, j.cover[n:n+1:n+1], nil
	out.needs[0].Question = question
	out.req.Analysis.Question = question
	out.req.Analysis.Slots, out.slots = nil, nil
	for i, s := range j.req.Analysis.Slots {
		if s.Role == kb.Asked && s.Required && i != j.slots[n] {
			continue
		}
		if s.Role == kb.Given && s.Value != "" && slices.ContainsFunc(j.needs[n].Others, func(o string) bool { return strings.HasSuffix(o, s.Value) }) &&
			!strings.Contains(j.needs[n].Subject, s.Value) {
			continue // the other of two things
		}
		if i == j.slots[n] {
			out.slots = []int{len(out.req.Analysis.Slots)}
		}
		out.req.Analysis.Slots = append(out.req.Analysis.Slots, s)
	}
	out.fills = l.slots(&out)
	out.features = features(l, &out)
	return &out
}
