package evaluate

import (
	"context"
	"fmt"
	"io"
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

// EndToEndQuestions takes up to count answerable questions of the test side of a set in
// the form of SQuAD, in a fixed pseudo-random order.
func EndToEndQuestions(shared, set string, count int) ([]EndToEndQuestion, error) {
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
		if !IsTest(p.Text) {
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

// EndToEndFigures are the counts of one set at one threshold.
type EndToEndFigures struct {
	Set                          string
	Sure                         float64
	Questions                    int
	Right, Wrong, Refused, Other int      // of the questions with their paragraph
	Missed                       int      // of those without it
	WrongOnes                    []string // question, annotated answer and reply
}

// EndToEnd asks each question twice. An answer is right when it holds the annotated one.
func EndToEnd(ctx context.Context, questions []EndToEndQuestion, ask func(context.Context, kb.AskRequest) (kb.Reply, error)) (EndToEndFigures, error) {
	var f EndToEndFigures
	for _, q := range questions {
		reply := func(passages []kb.Passage) (kb.Reply, error) {
			r, err := ask(ctx, kb.AskRequest{Question: kb.Question{Text: q.Text, AsOf: asOf}, Passages: passages, HandedOver: true})
			if err != nil {
				return r, fmt.Errorf("ask %q: %w", q.Text, err)
			}
			return r, nil
		}
		with, err := reply(q.With)
		if err != nil {
			return f, err
		}
		without, err := reply(q.Without)
		if err != nil {
			return f, err
		}
		f.Questions++
		switch {
		case with.Outcome == kb.Insufficient || with.Outcome == kb.Clarifying:
			f.Refused++
		case strings.Contains(squeeze(with.Answer), squeeze(q.Answer)):
			f.Right++
		case with.Outcome == kb.Answered:
			f.Wrong++
			f.WrongOnes = append(f.WrongOnes, fmt.Sprintf("%s\n  annotated: %s\n  replied: %s", q.Text, q.Answer, with.Answer))
		default:
			f.Other++ // partly answered or conflicting, without the annotated answer
		}
		if without.Outcome == kb.Answered {
			f.Missed++
		}
	}
	return f, nil
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

// WriteEndToEnd prints figures as a table, shares with their 95 % intervals.
func WriteEndToEnd(w io.Writer, figures []EndToEndFigures) error {
	if _, err := fmt.Fprint(w, "| set | sure from | questions | answered and right | wrong answer | false refusal | missed refusal |\n| --- | --- | --- | --- | --- | --- | --- |\n"); err != nil {
		return err
	}
	for _, f := range figures {
		share := func(k int) string {
			lo, hi := Wilson(k, f.Questions)
			return fmt.Sprintf("%.3f (%.2f–%.2f)", float64(k)/float64(max(1, f.Questions)), lo, hi)
		}
		if _, err := fmt.Fprintf(w, "| %s | %.2f | %d | %s | %s | %s | %s |\n", f.Set, f.Sure, f.Questions, share(f.Right), share(f.Wrong), share(f.Refused), share(f.Missed)); err != nil {
			return err
		}
	}
	return nil
}
