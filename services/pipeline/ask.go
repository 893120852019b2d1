package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/validate"
)

// Ask runs all layers:
//
//	precheck → CLARIFY for a vague question, with what a knowledge base has that it may mean
//	→ retrieval, unless passages were handed over → rerank
//	→ below green with an asked slot not filled: retrieval for the empty slots, rerank again
//	→ validate → stale sources, gaps and reviews
//
// A part that is down is never missing knowledge: the reply names it as degraded,
// or the call fails with kb.ErrUnavailable where the rest does not suffice.
func (p *Pipeline) Ask(ctx context.Context, req kb.AskRequest, progress func(services.Progress)) (kb.Reply, error) {
	c, bounded, end, err := p.begin(ctx, req.Deadline)
	if err != nil {
		return kb.Reply{}, err
	}
	defer end()
	c.progress = progress
	r, err := c.ask(ctx, bounded, req)
	if err != nil {
		p.metrics.Replied("error")
		c.log.Log(ctx, c.level.Level(), "asked", "trace_id", c.traceID, "code", services.Describe(err).Name, "duration", time.Since(c.begun))
		return kb.Reply{}, err
	}
	for _, d := range r.Degraded {
		p.metrics.Degraded(d.Part)
	}
	p.metrics.Replied(strings.ToLower(string(r.Outcome)))
	c.log.Log(ctx, c.level.Level(), "asked", "trace_id", c.traceID, "outcome", r.Outcome, "degraded", len(r.Degraded), "duration", time.Since(c.begun))
	p.remember(req, r)
	return c.finish(r), nil
}

// ask returns the reply without its times. caller is the context without the
// deadline of the request: what is recorded may end a little after it.
func (c *call) ask(caller, ctx context.Context, req kb.AskRequest) (kb.Reply, error) {
	a, err := c.analyze(ctx, req.Question)
	if err != nil {
		return kb.Reply{}, err
	}
	r := c.reply(a)
	if a.Clarify != nil {
		r.Outcome = kb.Clarifying
		return c.candidates(ctx, req, r)
	}

	overKB := !req.HandedOver
	candidates := handedOver(req.Passages)
	if overKB {
		if r.Retrieved, err = c.retrieve(ctx, req, a, look{}); err != nil {
			return kb.Reply{}, err
		}
		candidates = r.Retrieved.Candidates
	}
	judged, err := c.assess(ctx, a, candidates, false)
	if err != nil {
		return kb.Reply{}, err
	}
	if overKB && c.wantsMore(a, judged) {
		if candidates, judged, err = c.secondPass(ctx, req, &r, candidates, judged); err != nil {
			return kb.Reply{}, err
		}
	}
	r.Retrieved.Candidates = candidates
	if !overKB {
		r.Retrieved = kb.Retrieved{}
	}
	r.Assessment, r.Stale = judged, judged.Stale

	// Where a part that is left out fails the call, no sentence leaves before all parts
	// were there.
	early := req.OnFailure != kb.Fail
	answer, err := layer(ctx, c, "validate", validateShare, func(ctx context.Context) (kb.AnswerResult, error) {
		return c.answer(ctx, kb.AnswerRequest{
			Analysis: a, Candidates: inOrder(candidates, judged.Passages), Assessment: judged,
			ReplyLanguage: req.ReplyLanguage, History: req.Question.History,
		}, early)
	})
	if err != nil {
		return kb.Reply{}, err
	}
	r.AnswerResult = answer
	// The validator says what the reply shows. An empty list is as good as none: the
	// two look the same behind an address.
	if len(r.Missing) == 0 && (r.Outcome == kb.Partial || r.Outcome == kb.Insufficient) {
		r.Missing = judged.Missing
	}
	if r.Outcome == kb.Insufficient || r.Outcome == kb.Clarifying {
		r.Answer, r.Claims, r.Citations = "", nil, nil
	}
	later := slices.Concat(judged.Degraded, answer.Degraded)
	r.Degraded = distinct(slices.Concat(r.Retrieved.Degraded, later))
	if req.OnFailure == kb.Fail && len(later) > 0 {
		return kb.Reply{}, leftOut("ask", later[0])
	}
	c.releaseRest(r.Claims)

	if !overKB {
		return r, nil
	}
	if lost := r.Retrieved.Degraded; len(lost) > 0 {
		// What is missing may be what the lost route would have found.
		if r.Outcome == kb.Insufficient { // no sentence has left
			return kb.Reply{}, c.without("retrieval", lost)
		}
		return r, nil
	}
	if r.Outcome == kb.Insufficient || r.Outcome == kb.Partial {
		r.Stale = mergeStale(r.Stale, c.staleSources(ctx, req, a, candidates))
	}
	if !req.NoGaps && c.snap.Knowledge != nil {
		if err := c.record(caller, req, r); err != nil {
			c.log.Error("gaps not recorded", "trace_id", c.traceID, "error", err)
			r.Degraded = append(r.Degraded, kb.Degraded{Part: "gaps", Reason: "not recorded"})
		}
		if r.Outcome == kb.Answered && len(req.Readers) == 0 { // what some may read answers no question of all
			c.recordAnswer(caller, req, r)
		}
	}
	return r, nil
}

// maxCandidates is how many things a question back offers to choose from.
const maxCandidates = 5

// candidates adds to the question back what the knowledge base has that a vague question
// may mean. Where none is open, or nothing is asked at all, there is nothing to offer; a
// retrieval that fails leaves the question back without an offer, degraded.
func (c *call) candidates(ctx context.Context, req kb.AskRequest, r kb.Reply) (kb.Reply, error) {
	if req.HandedOver || c.snap.Retriever == nil || slices.Contains(r.Clarify.Missing, "question") {
		return r, nil
	}
	got, err := c.retrieve(ctx, req, r.Analysis, look{})
	if err != nil {
		if req.OnFailure == kb.Fail || errors.Is(err, kb.ErrInvalid) {
			return kb.Reply{}, err
		}
		r.Degraded = []kb.Degraded{{Part: "retrieval", Reason: err.Error()}}
		return r, nil
	}
	r.Degraded = distinct(got.Degraded)
	back := *r.Clarify // the analysis keeps its own
	back.Candidates = offer(got.Candidates, r.Analysis.Language)
	r.Clarify = &back
	return r, nil
}

// offer names the best passages by title and heading, each name once, those in the
// language of the question before the others.
func offer(candidates []kb.Candidate, language string) []kb.ClarifyCandidate {
	var own, other []kb.Candidate
	for _, x := range candidates {
		if l := text.Language(x.Text); language == "mixed" || l == language || l == "mixed" {
			own = append(own, x)
		} else {
			other = append(other, x)
		}
	}
	var out []kb.ClarifyCandidate
	for _, x := range append(own, other...) {
		name := strings.TrimSpace(x.Title)
		if name == "" {
			name = x.DocumentID
		}
		if n := len(x.HeadingPath); n > 0 {
			if h := strings.TrimSpace(x.HeadingPath[n-1]); h != "" && h != name {
				name += " › " + h
			}
		}
		if name == "" || slices.ContainsFunc(out, func(o kb.ClarifyCandidate) bool { return o.Text == name }) {
			continue
		}
		if out = append(out, kb.ClarifyCandidate{Text: name, EvidenceID: x.ID}); len(out) == maxCandidates {
			break
		}
	}
	return out
}

// answer asks the validator. With early set, and where it can, its sentences are told
// while it works on the answer.
func (c *call) answer(ctx context.Context, req kb.AnswerRequest, early bool) (kb.AnswerResult, error) {
	if v, ok := c.snap.Validator.(validate.Streamer); ok && early && c.progress != nil {
		return v.AnswerStream(ctx, req, c.release)
	}
	return c.snap.Validator.Answer(ctx, req)
}

// release tells one checked sentence.
func (c *call) release(claim kb.Claim) {
	c.released++
	c.progress(services.Progress{Sentence: &claim})
}

// releaseRest tells the sentences that the validator did not.
func (c *call) releaseRest(claims []kb.Claim) {
	if c.progress == nil {
		return
	}
	for _, claim := range claims[min(c.released, len(claims)):] {
		if claim.Verdict == kb.ClaimSupported {
			c.release(claim)
		}
	}
}

// wantsMore says whether a second retrieval is due: coverage below green, and an
// asked slot that nothing fills.
func (c *call) wantsMore(a kb.Analysis, judged kb.Assessment) bool {
	return judged.FGC < c.snap.Config.Thresholds.For(a.Class).FGCGreen && len(openSlots(judged)) > 0
}

func openSlots(judged kb.Assessment) []kb.SlotFill {
	var out []kb.SlotFill
	for _, s := range judged.Slots {
		if s.Role == kb.Asked && s.State != kb.Filled {
			out = append(out, s)
		}
	}
	return out
}

// followed is how many passages of the first retrieval the second one follows to what
// they point to.
const followed = 5

// secondPass retrieves for the open slots, follows what the best passages point to, and
// judges the union again. A second retrieval that fails leaves the first judgement,
// degraded.
func (c *call) secondPass(ctx context.Context, req kb.AskRequest, r *kb.Reply, first []kb.Candidate, judged kb.Assessment) ([]kb.Candidate, kb.Assessment, error) {
	query := slotQuery(r.Analysis, openSlots(judged))
	if query == r.Analysis.Question {
		query = ""
	}
	var follow []string
	for _, x := range inOrder(first, judged.Passages)[:min(followed, len(first))] {
		if text.BreaksOff(x.Text) || len(text.References(x.Text)) > 0 {
			follow = append(follow, x.ID)
		}
	}
	if query == "" && len(follow) == 0 {
		return first, judged, nil
	}
	more, err := c.retrieve(ctx, req, r.Analysis, look{query: query, follow: follow})
	if err != nil {
		if req.OnFailure == kb.Fail || ctx.Err() != nil || !leftOutOf(err) {
			return nil, kb.Assessment{}, err
		}
		c.leaveSecondOut(r, err)
		return first, judged, nil
	}
	r.Retrieved.Degraded = distinct(append(r.Retrieved.Degraded, more.Degraded...))
	union := merge(first, more.Candidates)
	if len(union) == len(first) {
		return first, judged, nil
	}
	again, err := c.assess(ctx, r.Analysis, union, false)
	if err != nil {
		if req.OnFailure == kb.Fail || ctx.Err() != nil || !leftOutOf(err) {
			return nil, kb.Assessment{}, err
		}
		c.leaveSecondOut(r, err)
		return first, judged, nil
	}
	return union, again, nil
}

// leaveSecondOut says that the second retrieval, or the judgement of what it found, failed.
func (c *call) leaveSecondOut(r *kb.Reply, err error) {
	const part = "second_retrieval"
	c.lose(part, errors.Is(err, context.DeadlineExceeded)) // of a layer: only where the caller named one
	r.Retrieved.Degraded = distinct(append(r.Retrieved.Degraded, kb.Degraded{Part: part, Reason: err.Error()}))
}

// leftOutOf reports whether a part that failed so can be left out of a reply: it is down, or
// late while the call still has time.
func leftOutOf(err error) bool {
	return errors.Is(err, kb.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
}

// slotQuery is what the open slots ask for, in the words of the question: what
// each is about and which attribute, without the parts that were found.
func slotQuery(a kb.Analysis, open []kb.SlotFill) string {
	var words []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(words, s) {
			words = append(words, s)
		}
	}
	for _, s := range open {
		add(s.Subject)
		add(s.Attribute)
		add(s.Unit)
	}
	for _, s := range a.Slots {
		if s.Role == kb.Given {
			add(s.Value)
		}
	}
	return strings.Join(words, " ")
}

// merge appends the candidates that are new, in their order. The first keep their
// ranks, so that a second retrieval never pushes out what the first found.
func merge(first, more []kb.Candidate) []kb.Candidate {
	known := map[string]bool{}
	for _, c := range first {
		known[c.ID] = true
	}
	out := slices.Clone(first)
	for _, c := range more {
		if !known[c.ID] {
			known[c.ID] = true
			c.Rank = len(out) + 1
			out = append(out, c)
		}
	}
	return out
}

// inOrder puts the candidates into the order of the assessment. Those that it does
// not name follow in their own.
func inOrder(candidates []kb.Candidate, scores []kb.PassageScore) []kb.Candidate {
	place := map[string]int{}
	for i, s := range scores {
		if _, ok := place[s.ID]; !ok {
			place[s.ID] = i
		}
	}
	out := slices.Clone(candidates)
	at := func(c kb.Candidate) int {
		if i, ok := place[c.ID]; ok {
			return i
		}
		return len(scores)
	}
	slices.SortStableFunc(out, func(x, y kb.Candidate) int { return cmp.Compare(at(x), at(y)) })
	return out
}

// staleSources looks for passages that would fill what is missing but do not hold
// on the asked days. Retrieval leaves such passages out before it scores, so they
// are looked for among them alone: what is expired, not yet valid or superseded.
// Nothing found, and nothing could be found, give the same: the reply already says
// what is missing.
func (c *call) staleSources(ctx context.Context, req kb.AskRequest, a kb.Analysis, seen []kb.Candidate) []kb.Stale {
	c.progress = nil // the answer is there; what follows is no step on the way to it
	from, to := a.Period()
	got, err := c.retrieve(ctx, req, a, look{query: a.Question, outside: true})
	if err != nil {
		c.log.Debug("no look at stale sources", "error", err)
		return nil
	}
	known := map[string]bool{}
	for _, x := range seen {
		known[x.ID] = true
	}
	var outside []kb.Candidate
	for _, x := range got.Candidates {
		if !known[x.ID] {
			outside = append(outside, x)
		}
	}
	if len(outside) == 0 {
		return nil
	}
	// Judged as if they counted: the question without its day.
	anytime := a
	anytime.Time, anytime.Now = &kb.TimeRange{}, false
	judged, err := c.assess(ctx, anytime, outside, false)
	if err != nil {
		c.log.Debug("stale sources not judged", "error", err)
		return nil
	}
	fills := map[string]bool{}
	for _, s := range judged.Slots {
		if s.Role == kb.Asked && s.State != kb.Empty {
			for _, e := range s.Evidence {
				fills[e.PassageID] = true
			}
		}
	}
	var out []kb.Stale
	for _, x := range outside {
		if !fills[x.ID] {
			continue
		}
		reason := kb.StaleSuperseded
		switch {
		case !x.ValidFrom.IsZero() && !to.IsZero() && x.ValidFrom.After(to):
			reason = kb.NotYetValid
		case !x.ValidOn(from, to):
			reason = kb.Expired
		}
		out = append(out, kb.Stale{PassageID: x.ID, Reason: reason})
	}
	return out
}

func mergeStale(a, b []kb.Stale) []kb.Stale {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.ContainsFunc(out, func(x kb.Stale) bool { return x.PassageID == s.PassageID }) {
			out = append(out, s)
		}
	}
	return out
}

// recordTime is how long recording may take after the request's own time.
const recordTime = 2 * time.Second

// record writes what the reply leaves open into the ledger, and the cases that a
// person should see.
func (c *call) record(ctx context.Context, req kb.AskRequest, r kb.Reply) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTime)
	defer cancel()
	var problems []error
	if gaps := c.gaps(req, r); len(gaps) > 0 {
		if err := c.snap.Knowledge.RecordGaps(ctx, gaps); err != nil {
			problems = append(problems, fmt.Errorf("record gaps: %w", err))
		}
	}
	for _, review := range c.reviews(req, r) {
		if err := c.snap.Knowledge.RecordReview(ctx, review); err != nil {
			problems = append(problems, fmt.Errorf("record review: %w", err))
		}
	}
	return errors.Join(problems...)
}

// answerTime is the most that noting an answer may take; the reply waits for it.
const answerTime = 200 * time.Millisecond

// recordAnswer tells the ledger that a question is answered which may have stayed open
// before: as a conflict only where nothing disagrees any more. It is for the people who keep
// the documents; the reply is as good without it.
func (c *call) recordAnswer(ctx context.Context, req kb.AskRequest, r kb.Reply) {
	a := kb.GapAnswer{Question: req.Question.Text, Kinds: []kb.GapKind{kb.GapMissing, kb.GapStale}, At: c.now().UTC()}
	if len(c.gaps(req, r)) == 0 {
		a.Kinds = append(a.Kinds, kb.GapConflict)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if err := c.snap.Knowledge.RecordAnswers(ctx, []kb.GapAnswer{a}); err != nil {
		c.log.Debug("answer not noted", "trace_id", c.traceID, "error", err)
	}
}

// gaps are what the contract calls gaps: MISSING, or STALE where only stale
// sources were there, for PARTIAL and INSUFFICIENT; CONFLICT for each conflict that
// neither supersession nor validity resolves, whatever the outcome.
func (c *call) gaps(req kb.AskRequest, r kb.Reply) []kb.GapRecord {
	base := kb.GapRecord{Class: r.Analysis.Class, Question: req.Question.Text, At: c.now().UTC(), TraceID: r.TraceID}
	var out []kb.GapRecord
	if r.Outcome == kb.Partial || r.Outcome == kb.Insufficient {
		g := base
		g.Kind = kb.GapMissing
		if r.Outcome == kb.Insufficient && len(r.Stale) > 0 {
			g.Kind = kb.GapStale
			for _, s := range r.Stale {
				g.Documents = addDocument(g.Documents, s.PassageID)
			}
		}
		var texts []string
		for _, m := range r.Missing {
			if !slices.Contains(g.Slots, m.Slot) {
				g.Slots = append(g.Slots, m.Slot)
			}
			if m.Text != "" && !slices.Contains(texts, m.Text) {
				texts = append(texts, m.Text)
			}
		}
		if g.Text = strings.Join(texts, "; "); g.Text == "" {
			g.Text = r.Analysis.Question
		}
		out = append(out, g)
	}
	// The ledger groups by question, so one reply counts once, whatever the number of
	// pairs that disagree in it.
	g := base
	g.Kind = kb.GapConflict
	var texts []string
	for _, x := range r.Conflicts {
		if x.Resolution == kb.Superseded {
			continue
		}
		if t := conflictText(x); len(texts) < maxConflictTexts && !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
		g.Documents = addDocument(addDocument(g.Documents, x.A.PassageID), x.B.PassageID)
	}
	if len(texts) > 0 {
		g.Text = strings.Join(texts, "; ")
		for _, s := range r.Analysis.Slots {
			if s.Role == kb.Asked {
				g.Slots = append(g.Slots, s.Name)
			}
		}
		out = append(out, g)
	}
	return out
}

// maxConflictTexts bounds the pairs that the text of one gap names.
const maxConflictTexts = 5

// reviews are a failed gate, and conflicts that stand or weigh too much.
func (c *call) reviews(req kb.AskRequest, r kb.Reply) []kb.Review {
	base := kb.Review{Question: req.Question.Text, TraceID: r.TraceID, CreatedAt: c.now().UTC(), State: kb.GapOpen}
	var out []kb.Review
	if failed(r.Gate, c.snap.Config.Gate.Rate) {
		v := base
		v.Kind = kb.ReviewGate
		v.Text = fmt.Sprintf("%d of %d statements passed", r.Gate.Passed, r.Gate.Total)
		if r.Gate.Total == 0 {
			v.Text = fmt.Sprintf("none of %d passages states what is asked", len(r.Gate.Statements))
		}
		for _, s := range r.Gate.Statements {
			if !s.Passed && (s.Counted || r.Gate.Total == 0) {
				v.Documents = addDocument(v.Documents, s.PassageID)
			}
		}
		out = append(out, v)
	}
	heavy := r.Assessment.CDS > c.snap.Config.Thresholds.For(r.Analysis.Class).CDS
	v := base
	v.Kind = kb.ReviewConflict
	var texts []string
	for _, x := range r.Conflicts {
		if heavy || x.Hard && x.Resolution == kb.Unresolved {
			texts = append(texts, conflictText(x))
			v.Documents = addDocument(addDocument(v.Documents, x.A.PassageID), x.B.PassageID)
		}
	}
	if v.Text = strings.Join(texts, "; "); v.Text != "" {
		out = append(out, v)
	}
	return out
}

// failed reports whether statements were asked for and too few passed. Where none
// counted none passed, and at least one must.
func failed(g kb.Gate, least float64) bool {
	return len(g.Statements) > 0 && (g.Total == 0 || g.Rate < least)
}

func conflictText(x kb.Conflict) string {
	what := strings.TrimSpace(x.Subject + " " + x.Attribute)
	if what == "" {
		what = string(x.Kind)
	}
	return what + ": " + side(x.A) + " / " + side(x.B)
}

func side(e kb.Evidence) string {
	if e.Value != "" {
		return e.Value
	}
	return e.Quote
}

// addDocument adds the document of an evidence id (doc@version#chunk).
func addDocument(list []string, evidenceID string) []string {
	id := evidenceID
	if i := strings.LastIndexByte(id, '@'); i >= 0 {
		id = id[:i]
	}
	if id == "" || slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// distinct drops repeated parts; the first reason stays.
func distinct(list []kb.Degraded) []kb.Degraded {
	var out []kb.Degraded
	for _, d := range list {
		if !slices.ContainsFunc(out, func(x kb.Degraded) bool { return x.Part == d.Part }) {
			out = append(out, d)
		}
	}
	return out
}
