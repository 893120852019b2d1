package validate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/text"
)

// rewording is what judging the words of the claims of one answer takes.
type rewording struct {
	local   *Local
	checker *fact.Checker
	req     kb.VerifyRequest
	answer  *fact.Page
	known   *lines
	votes   Votes // within the budget of the check; nil = no reader
	measure bool  // the reader is asked even where its vote would not be heard
}

// judge joins the judgement of kb/fact with the words of a claim and, where there is a
// reader, its vote. A long claim of several things is judged part by part, by facts as well,
// unless facts say of the whole what no vote may turn round; its figures are those of
// the part that decides.
func (r *rewording) judge(ctx context.Context, claim fact.Claim, s fact.Support) (fact.Support, Words, error) {
	whole := fact.ClaimPart{Span: claim.Span, Said: r.answer.Quote(claim.Span)}
	var parts []fact.ClaimPart
	if r.votes != nil && s.Ground != fact.OnQuote && s.Ground != fact.OnComparison && long(whole.Said) {
		parts = r.checker.Parts(claim)
	}
	if len(parts) < 2 {
		return r.part(ctx, whole, s)
	}
	var total fact.Support
	var figures Words
	for _, part := range parts {
		own := claim
		own.Span = part.Span
		found := r.checker.Check(own)
		if found.Verdict == fact.NoClaim {
			continue
		}
		judged, w, err := r.part(ctx, part, found)
		if err != nil {
			return s, w, err
		}
		if total.Verdict == "" {
			total, figures = judged, w
			continue
		}
		before := total.Verdict
		if total = fact.Worse(total, judged); total.Verdict != before {
			figures = w
		}
		if total.Verdict == fact.ContradictedClaim {
			break
		}
	}
	if total.Verdict == "" {
		return r.part(ctx, whole, s)
	}
	figures.Parts = len(parts)
	return total, figures, nil
}

// long reports whether a claim is longer than those the reader was trained on.
func long(claim string) bool {
	n := utf8.RuneCountInString(claim)
	return n > longestOther || n > longestHan && hanShare(claim) > 0.3
}

// part joins the judgement of kb/fact about one thing that is claimed with its words and
// the reader's vote: one calibrated probability. What a fact excludes stays excluded.
// Without a vote words decide only where nothing but words is left to judge by, and
// turn a judgement round only when they are sure.
func (r *rewording) part(ctx context.Context, part fact.ClaimPart, s fact.Support) (fact.Support, Words, error) {
	span := part.Span
	l := r.local
	w := r.known.words(r.answer, span, r.req.Question, s, l.rarity, l.similarity)
	w.Said = s.Probability
	if w.Open() && l.wording != nil {
		w.Said = l.probability(w)
	}
	heard, may := Heard(s, w)
	if may && r.votes != nil && (r.measure || l.joint != nil) {
		vote, err := r.vote(ctx, part, s)
		if err != nil {
			return s, w, err
		}
		if w.Vote = vote; vote != nil && l.joint != nil {
			if supported, ok := l.joint.Supported.of(heard, w, *vote); ok {
				contradicted, _ := l.joint.Contradicted.of(heard, w, *vote)
				return r.judged(part, s, w, supported, contradicted), w, nil
			}
		}
	}
	if !w.Open() || l.wording == nil {
		return s, w, nil
	}
	s.Probability = w.Said
	switch {
	case s.Verdict == fact.SupportedClaim && w.Said < lowered:
		return r.judged(part, s, w, w.Said, 0), w, nil
	case s.Verdict == fact.UnsupportedClaim && w.Said > raised:
		s.Verdict, s.Reason = fact.SupportedClaim, ""
		if len(s.Evidence) == 0 {
			s.Evidence = []fact.Ref{r.known.best(r.answer, span)}
		}
	}
	return s, w, nil
}

// A longer claim than these, in code points, holds more details than the reader was
// trained to weigh (99 in 100 of the written claims are no longer), and is not told as
// supported on its word.
const (
	longestHan   = 32
	longestOther = 105
)

// judged turns a judgement of facts into that of the two probabilities.
func (r *rewording) judged(part fact.ClaimPart, s fact.Support, w Words, supported, contradicted float64) fact.Support {
	joint := r.local.joint
	was := s.Verdict
	s.Probability = supported
	from := 1.1 // what a condition left out, a changed quote, or a number or a name that stands nowhere forbids stays so
	switch {
	case joint == nil:
	case was == fact.SupportedClaim:
		from = joint.KeptFrom
	case w.Numbers+w.Names > 0, long(part.Said):
	case was == fact.ContradictedClaim, s.Ground != fact.OnQuote && !s.Limited:
		from = joint.SupportedFrom
	}
	denied := 1.1
	if joint != nil {
		denied = joint.ContradictedFrom
		if was == fact.ContradictedClaim {
			denied = joint.DeniedFrom
		}
	}
	switch {
	case joint != nil && supported >= from:
		s.Verdict = fact.SupportedClaim
		switch was {
		case fact.UnsupportedClaim:
			s.Reason, s.Limited = "", false
		case fact.ContradictedClaim: // what seemed to deny it does not
			s.Reason, s.Limited, s.Evidence = "", false, nil
		}
	case (1-supported)*contradicted >= denied:
		if was == fact.ContradictedClaim {
			return s // in the words of the fact
		}
		if !s.Limited || s.Reason == "" { // what the claim leaves out is the better reason
			s.Reason = "the passage says otherwise"
		}
		s.Verdict, s.Evidence, s.Limited = fact.ContradictedClaim, nil, false
	default:
		s.Verdict, s.Evidence = fact.UnsupportedClaim, nil
		if was != fact.UnsupportedClaim {
			s.Reason = "the passages do not word it so"
		}
		return s
	}
	if len(s.Evidence) == 0 {
		s.Evidence = []fact.Ref{r.known.best(r.answer, part.Span)}
	}
	return s
}

// A judgement by words alone is turned round beyond these probabilities; between them
// the verdict of kb/fact stands. docs/measurements.md, "Verification".
const (
	lowered = 0.15
	raised  = 0.85
)

func (l *Local) probability(w Words) float64 {
	var out [2]float64
	l.wording.Predict(linear.Input{Features: w.Features()}, out[:])
	return out[1]
}

// votePassages is how many passages the reader reads for one thing that is claimed, the
// nearest first; each costs about 0.1 s of a core.
const votePassages = 2

// nearEnough is the share of the score of the nearest passage that another one needs to
// be read as well.
const nearEnough = 0.6

// vote asks the reader about the passages that facts rest on and those nearest to a claim,
// and returns the vote that counts; nil where the reader does not answer in time.
func (r *rewording) vote(ctx context.Context, part fact.ClaimPart, found fact.Support) (*Vote, error) {
	known := r.known
	score := known.shared(r.answer, part.Span)
	claim := fact.Claim{Page: r.answer, Span: part.Span, Question: r.req.Question, AsOf: r.req.AsOf}
	for i, at := range known.of {
		score[i] += float64(r.checker.ValuesIn(claim, at[0], at[1])) // values count as rare words
	}
	nearest := make([]int, 0, len(known.pages)) // of each page its sentence nearest to the claim
	for i, at := range known.of {
		if n := len(nearest); n == 0 || known.of[nearest[n-1]][0] != at[0] {
			nearest = append(nearest, i)
		} else if score[i] > score[nearest[n-1]] {
			nearest[n-1] = i
		}
	}
	if stale := r.checker.Stale(claim); slices.Contains(stale, false) {
		nearest = slices.DeleteFunc(nearest, func(i int) bool { return stale[known.of[i][0]] })
	}
	rests := map[int]int{} // what a judgement of facts rests on comes first, in their order
	for n, f := range found.Evidence {
		if rests[f.Page] == 0 && found.Verdict != fact.UnsupportedClaim {
			rests[f.Page] = len(found.Evidence) - n
		}
	}
	slices.SortStableFunc(nearest, func(a, b int) int {
		return cmp.Or(cmp.Compare(rests[known.of[b][0]], rests[known.of[a][0]]), cmp.Compare(score[b], score[a]))
	})
	if len(nearest) == 0 {
		return nil, nil //nolint:nilnil // nothing to read
	}
	nearest = nearest[:min(len(nearest), votePassages)]
	for n := 1; n < len(nearest); n++ {
		if rests[known.of[nearest[n]][0]] == 0 && score[nearest[n]] < nearEnough*score[nearest[0]] {
			nearest = nearest[:n] // of something else: what a reader says of it is chance
			break
		}
	}
	// What is said of the claim's values in other words is told to the reader in those of
	// each passage; passages that need no other words are read at once.
	var said []string
	texts := map[string][]string{}
	for _, i := range nearest {
		at := known.of[i]
		page := known.pages[at[0]]
		own := part.Said
		for _, s := range r.checker.InWordsOf(claim, at[0], at[1]) {
			own = strings.Replace(own, s.From, s.To, 1)
		}
		if texts[own] == nil {
			said = append(said, own)
		}
		texts[own] = append(texts[own], reading.ExcerptOf(r.req.Passages[at[0]], page, page.Sentences[at[1]].Span).Text)
	}
	var votes []Vote
	for _, own := range said {
		got, err := r.votes(ctx, own, texts[own])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil || len(got) != len(texts[own]) {
			r.local.log.Warn("reader left out of a check", "error", err, "votes", fmt.Sprint(len(got), " of ", len(texts[own])))
			return nil, nil //nolint:nilnil // a reader that is down or late leaves facts and words to decide
		}
		votes = append(votes, got...)
	}
	best := foremost(votes)
	return &best, nil
}

// shared weighs, for each sentence, the words of a claim that it has: a word that fewer
// sentences have counts more.
func (l *lines) shared(answer *fact.Page, span text.Span) []float64 {
	score := make([]float64, len(l.of))
	for i := range answer.Clauses {
		if c := &answer.Clauses[i]; span.Contains(c.Span) {
			for _, t := range c.Terms {
				at := l.at[termOf(t)]
				for _, n := range at {
					score[n] += 1 / (1 + math.Log(float64(len(at))))
				}
			}
		}
	}
	return score
}

// best is the sentence that has most of a claim's words, the first of those that do.
func (l *lines) best(answer *fact.Page, span text.Span) fact.Ref {
	score := l.shared(answer, span)
	top := 0
	for n := range score {
		if score[n] > score[top] {
			top = n
		}
	}
	at := l.of[top]
	return fact.Ref{Page: at[0], Fact: -1, Span: l.pages[at[0]].Sentences[at[1]].Span}
}
