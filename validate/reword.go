package validate

import (
	"context"
	"fmt"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/text"
)

// Between these probabilities the words leave doubt, and the reader is asked.
const (
	doubtFrom = 0.10
	doubtTo   = 0.90
)

// reword joins the judgement of kb/fact with the words of a claim and, where these
// leave doubt, the reader's vote: one calibrated probability. What a fact excludes
// stays excluded, and what numbers, times, negation, modality and conditions forbid
// stays forbidden; of a judgement by words the probability decides.
func (l *Local) reword(ctx context.Context, known *lines, req kb.VerifyRequest, answer *fact.Page, span text.Span, s fact.Support, measure bool) (fact.Support, Words, error) {
	w := known.words(answer, span, req.Question, s, l.rarity, l.similarity)
	if !w.Open() || l.wording == nil && !measure {
		return s, w, nil
	}
	p := l.probability(w)
	if l.votes != nil && (measure || p > doubtFrom && p < doubtTo) {
		vote, err := l.vote(ctx, answer.Quote(span), req.Passages)
		if err != nil {
			return s, w, err
		}
		if vote != nil {
			w.Vote = vote
			p = l.probability(w)
		}
	}
	if l.wording == nil {
		return s, w, nil
	}
	s.Probability = p
	switch {
	case s.Verdict == fact.SupportedClaim && p < lowered:
		s.Verdict, s.Evidence, s.Reason = fact.UnsupportedClaim, nil, "the passages do not word it so"
	case s.Verdict == fact.UnsupportedClaim && p > raised:
		s.Verdict, s.Reason = fact.SupportedClaim, ""
		if len(s.Evidence) == 0 {
			s.Evidence = []fact.Ref{known.best(answer, span)}
		}
	}
	return s, w, nil
}

// A judgement by words is turned round beyond these probabilities; between them the
// verdict of kb/fact stands. docs/measurements.md, "Verification".
const (
	lowered = 0.15
	raised  = 0.85
)

func (l *Local) probability(w Words) float64 {
	if l.wording == nil {
		return 0.5
	}
	var out [2]float64
	l.wording.Predict(linear.Input{Features: w.Features()}, out[:])
	return out[1]
}

// vote asks the reader and keeps the vote of the passage that speaks most to the
// claim; nil where the reader does not answer.
func (l *Local) vote(ctx context.Context, claim string, passages []kb.Passage) (*Vote, error) {
	texts := make([]string, len(passages))
	for i, p := range passages {
		texts[i] = p.Text
	}
	votes, err := l.votes(ctx, claim, texts)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil || len(votes) != len(passages) {
		l.log.Warn("reader left out of a check", "error", err, "votes", fmt.Sprint(len(votes), " of ", len(passages)))
		return nil, nil //nolint:nilnil // a reader that is down leaves the words to decide
	}
	best := votes[0]
	for _, v := range votes[1:] {
		if v.Supported > best.Supported {
			best = v
		}
	}
	return &best, nil
}

// best is the sentence that has most of a claim's words.
func (l *lines) best(answer *fact.Page, span text.Span) fact.Ref {
	score := make([]int, len(l.of))
	top := 0
	for i := range answer.Clauses {
		if c := &answer.Clauses[i]; span.Contains(c.Span) {
			for _, t := range c.Terms {
				for _, n := range l.at[termOf(t)] {
					if score[n]++; score[n] > score[top] || score[n] == score[top] && int(n) < top {
						top = int(n)
					}
				}
			}
		}
	}
	at := l.of[top]
	return fact.Ref{Page: at[0], Fact: -1, Span: l.pages[at[0]].Sentences[at[1]].Span}
}
