package evaluate

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// EndToEndQuestion is a question that its paragraph answers, with the paragraph among
// its nearest ones and with it left out.
type EndToEndQuestion struct {
	LabelledQuestion
	With, Without []kb.Passage // four each
}

// EndToEndQuestions takes up to count answerable questions of a set in the form of SQuAD,
// of its test side or of the other, in a fixed pseudo-random order.
func EndToEndQuestions(shared, set string, count int, test bool) ([]EndToEndQuestion, error) {
	paragraphs, err := Squad(shared, set)
	if err != nil {
		return nil, err
	}
	type located struct {
		unit textUnit
		q    LabelledQuestion
	}
	var units []textUnit
	var questions []located
	for _, p := range paragraphs {
		if IsTest(p.Text) != test {
			continue
		}
		u := textUnit{p.ID, p.Text, true}
		units = append(units, u)
		for _, q := range p.Questions {
			if !q.Impossible && q.Answer != "" && strings.TrimSpace(q.Text) != "" {
				questions = append(questions, located{u, q})
			}
		}
	}
	order := func(l located) uint32 { return hash32(l.q.ID + l.q.Text) }
	sort.SliceStable(questions, func(a, b int) bool { return order(questions[a]) < order(questions[b]) })
	find := newNearest(units)
	var out []EndToEndQuestion
	for _, l := range questions[:min(count, len(questions))] {
		beside := find.of(l.unit.text, l.q.Text, 4)
		if len(beside) < 4 {
			continue
		}
		e := EndToEndQuestion{LabelledQuestion: l.q, With: arrange(l.unit, beside[:3], order(l))}
		for _, u := range beside {
			e.Without = append(e.Without, passage(u.id, u.text))
		}
		out = append(out, e)
	}
	return out, nil
}

// EndToEndAnswer is what was replied to one question, with its paragraph and without.
type EndToEndAnswer struct {
	*EndToEndQuestion
	Right          bool // the reply holds an annotated answer
	Reply, LeftOut kb.Reply
}

// EndToEnd asks each question twice. A reply is right when it holds one of the annotated
// answers.
func EndToEnd(ctx context.Context, questions []EndToEndQuestion, ask func(context.Context, kb.AskRequest) (kb.Reply, error)) ([]EndToEndAnswer, error) {
	return onAllCores(ctx, questions, nil, func(ctx context.Context, q *EndToEndQuestion) (EndToEndAnswer, error) {
		out := EndToEndAnswer{EndToEndQuestion: q}
		var err error
		for _, side := range []struct {
			reply    *kb.Reply
			passages []kb.Passage
		}{{&out.Reply, q.With}, {&out.LeftOut, q.Without}} {
			if *side.reply, err = ask(ctx, kb.AskRequest{Question: kb.Question{Text: q.Text, AsOf: asOf}, Passages: side.passages, HandedOver: true}); err != nil {
				return out, fmt.Errorf("ask %q: %w", q.Text, err)
			}
		}
		said := squeeze(out.Reply.Answer)
		out.Right = slices.ContainsFunc(q.Answers, func(a string) bool { return squeeze(a) != "" && strings.Contains(said, squeeze(a)) })
		return out, nil
	})
}

// Fate is what became of a question.
type Fate string

// Fates of a question with its paragraph; one that is answered without it is missed.
const (
	FateRight   Fate = "right"
	FateWrong   Fate = "wrong"   // answered, and no annotated answer in it
	FateRefused Fate = "refused" // or asked back
	FateOther   Fate = "other"   // partly answered or conflicting, without the annotated answer
)

// Fate counts an answer whose sufficiency is below least as refused.
func (a *EndToEndAnswer) Fate(least float64) (with Fate, missed bool) {
	refused := func(r *kb.Reply) bool {
		return r.Outcome == kb.Insufficient || r.Outcome == kb.Clarifying || r.Assessment.Sufficiency < least
	}
	missed = a.LeftOut.Outcome == kb.Answered && !refused(&a.LeftOut)
	switch {
	case refused(&a.Reply):
		return FateRefused, missed
	case a.Right:
		return FateRight, missed
	case a.Reply.Outcome == kb.Answered:
		return FateWrong, missed
	}
	return FateOther, missed
}

// WriteEndToEnd prints what became of the questions of a set as rows of a table, one for
// each least sufficiency; shares with their 95 % intervals.
func WriteEndToEnd(w io.Writer, set string, answers []EndToEndAnswer, least []float64) error {
	for _, l := range least {
		counts, missed := map[Fate]int{}, 0
		for i := range answers {
			fate, m := answers[i].Fate(l)
			counts[fate]++
			if m {
				missed++
			}
		}
		share := func(k int) string {
			lo, hi := Wilson(k, len(answers))
			return fmt.Sprintf("%.3f (%.2f–%.2f)", float64(k)/float64(max(1, len(answers))), lo, hi)
		}
		if _, err := fmt.Fprintf(w, "| %s | %.2f | %d | %s | %s | %s | %s |\n", set, l, len(answers), share(counts[FateRight]), share(counts[FateWrong]), share(counts[FateRefused]), share(missed)); err != nil {
			return err
		}
	}
	return nil
}

// EndToEndHead is the head of the table of WriteEndToEnd.
const EndToEndHead = "| set | least sufficiency | questions | answered and right | wrong answer | false refusal | missed refusal |\n| --- | --- | --- | --- | --- | --- | --- |\n"

// WriteEndToEndFailures lists the questions that did not end as they should.
func WriteEndToEndFailures(w io.Writer, answers []EndToEndAnswer) error {
	for i := range answers {
		a := &answers[i]
		fate, missed := a.Fate(0)
		for _, f := range []struct {
			is   bool
			name Fate
			r    *kb.Reply
		}{{fate != FateRight, fate, &a.Reply}, {missed, "missed", &a.LeftOut}} {
			if !f.is {
				continue
			}
			if _, err := fmt.Fprintf(w, "%s: %s\n  class %s, sufficiency %.2f\n  annotated: %s\n  replied %s: %s\n", f.name, a.Text, f.r.Analysis.Class, f.r.Assessment.Sufficiency,
				strings.Join(a.Answers, " | "), f.r.Outcome, f.r.Answer); err != nil {
				return err
			}
			for _, s := range f.r.Assessment.Slots {
				if s.Role != kb.Asked {
					continue
				}
				if _, err := fmt.Fprintf(w, "    %s %s «%s» «%s» expects %s\n", s.Name, s.State, s.Subject, s.Attribute, s.Expect); err != nil {
					return err
				}
				for _, e := range s.Evidence {
					if _, err := fmt.Fprintf(w, "      %s [%s]\n", strings.ReplaceAll(e.Quote, "\n", " "), e.Value); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// squeeze keeps folded letters and digits outside of marks.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if r = text.FoldRune(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, unmarked(s))
}
