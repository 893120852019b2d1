package fact

import (
	"strings"

	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// A source that only suspects something, or waits for it to be done, does not say that it is
// so. The words for it stand beside the statement and change none of its own.

// doubts match what makes a statement a suspicion, in either language.
var doubts = guarded(`怀疑|疑为|疑似|疑因|疑是|推测|猜测|据信|初步(?:判断|认为|分析|估计|推断)|有待(?:查|核|确|证|验)|尚待(?:查|核|确|证|验)|不排除|未经证实|未获证实|尚未(?:查明|确认|证实|确定|定论)|` +
	`\b(?:suspects?|suspected|suspicion|believes?|believed|thought to|is thought|are thought|thinks?|presumed|presumably|supposed to be|supposedly|alleged|allegedly|rumou?red|unconfirmed|not (?:yet )?(?:been )?(?:confirmed|proved|proven|established)|yet to be (?:confirmed|proved|proven|established))\b`)

// hedges match claims that say themselves how sure they are.
var hedges = guarded(`可能|或许|也许|大概|疑|猜|推测|据信|据称|认为|觉得|估计|似乎|尚待|有待|不排除|` +
	`\b(?:may|might|could|perhaps|possibly|probably|likely|seems?|appears?|suspects?|suspected|suspicion|believes?|believed|thought|thinks?|presumed|presumably|supposed(?:ly)?|alleged(?:ly)?|rumou?r(?:ed)?|unconfirmed|unclear|not (?:yet )?(?:confirmed|proved|proven|established)|according to)\b`)

// pendingHan matches what is waited for, or still goes on, in Chinese; reachedHan a claim
// that something is through.
var (
	pendingHan = guarded(`(?:^|[^接招对款优期看善虐])(待(\p{Han}{2}))|((?:尚在|仍在|还在|正在)(\p{Han}{2}))`)
	reachedHan = guarded(`经|已|通过|完成|证实|确认|过了|后`)
)

// onlySuspected says in what a supported claim is surer than the sentence that supports it;
// "" for nothing.
func (k *Checker) onlySuspected(c Claim, s Support) string {
	if s.Ground == OnComparison || len(s.Evidence) == 0 {
		return ""
	}
	r := s.Evidence[0]
	v := k.views[r.Page]
	said := fold(c.Page.Quote(c.Span))
	at := v.sentenceAt(r.Span)
	if at < 0 || foreign(c.Page, v.page) {
		return ""
	}
	stated := v.sentenceText(at)
	for _, m := range pendingHan.FindAllStringSubmatch(stated, -1) {
		open, what := m[1]+m[3], m[2]+m[4]
		if strings.Contains(said, what) && !strings.Contains(said, open) && !hedges.MatchString(said) && reachedHan.MatchString(said) && !strings.Contains(stated, "已"+what) {
			return "it is not done yet: " + open
		}
	}
	if !doubts.MatchString(stated) || hedges.MatchString(said) {
		return ""
	}
	words := grams(c.Page, c.Span)
	info := v.page.Sentences[at]
	best, most := -1, 0.0
	for n := info.Clauses[0]; n < info.Clauses[1]; n++ {
		if x := weighs(words, k.clauseGrams(r.Page, n)); x > most {
			best, most = n, x
		}
	}
	if best < 0 {
		return ""
	}
	span := v.page.Clauses[best].Span
	if best > info.Clauses[0] { // the clause before may say whose suspicion it is
		before := v.page.Clauses[best-1].Span
		if between := fold(v.page.Quote(text.Span{Start: before.Start, End: span.Start})); strings.HasSuffix(strings.TrimRight(between, " "), "that") || framing.MatchString(between) {
			span.Start = before.Start
		}
	}
	if m := doubts.FindString(fold(v.page.Quote(span))); m != "" {
		return "the source is less certain: " + m
	}
	return ""
}

// framing matches a clause that only says who thinks what follows.
var framing = guarded(`(?:怀疑|推测|猜测|认为)[，、：]?\s*$`)

// sentenceAt is the sentence with a span; -1 for none.
func (s *sheet) sentenceAt(span text.Span) int {
	for i := range s.page.Sentences {
		if s.page.Sentences[i].Span == span {
			return i
		}
	}
	return -1
}

// ofEvent sorts out times of another event: where the claim says of a thing that it was begun
// then, the day on which it was approved is none, if another clause tells the time of the beginning.
func (k *Checker) ofEvent(c Claim, f *Fact, all []found) []found {
	if f.Value.Kind != TimeValue || f.Clause < 0 || f.Clause >= len(c.Page.Clauses) {
		return all
	}
	cl := &c.Page.Clauses[f.Clause]
	skip := valueSpans(cl)
	if cl.Contains(cl.Topic.Span) {
		skip = append(skip, cl.Topic.Span)
	}
	event := k.engine.wordingOf(c.Page.Runes, cl.Span, k.st, append(skip, modalSpans(c.Page.Runes, cl.Span)...))
	if event.total < 1 {
		return all
	}
	told := func(h found) float64 {
		if h.clause < 0 {
			return 0
		}
		o := &k.views[h.page].page.Clauses[h.clause]
		return event.scoreOn(termBag(o.Terms))
	}
	other := -1
	for n, h := range all {
		if h.rel == relation.Excludes && h.fit >= 0.3 && told(h) >= 0.8 {
			other = n
			break
		}
	}
	if other < 0 {
		return all
	}
	for n, h := range all {
		if h.rel == relation.Same && told(h) < 0.3 && h.page == all[other].page {
			all[n].rel, all[n].why = relation.Differs, "of another event"
			all[other].fit = max(all[other].fit, contradictFit)
		}
	}
	return all
}
