package pack

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// Summary is a claim that a conversation goes on with. It is kept whole: its
// conditions are part of it.
type Summary struct {
	Claim      string
	Sources    []string    // evidence ids
	Spans      []text.Span // on each source, in the same order
	Conditions []string    // words of the source that limit the claim
	Confidence float64     // 0..1
	ExpiresAt  time.Time   // last day on which it holds; zero = no end known
}

// Ledger is the memory of a long conversation. Facts are immutable: one leaves only
// when its source is superseded or its last day is over. What was decided and what
// is still open is the working summary, which may be rewritten at will. The zero
// value is empty. It is not safe for concurrent use.
type Ledger struct {
	facts     []Summary
	decisions []string
	open      []string
}

// Add keeps a fact. One with the same claim and sources is there already: the first
// stays as it is. A fact without a source is refused.
func (l *Ledger) Add(s Summary) error {
	if len(s.Sources) == 0 || strings.TrimSpace(s.Claim) == "" {
		return kb.Invalid("sources", "a fact of the ledger needs a claim and the source that states it")
	}
	if len(s.Spans) != len(s.Sources) {
		return kb.Invalid("spans", "%d spans for %d sources; give one for each", len(s.Spans), len(s.Sources))
	}
	for _, f := range l.facts {
		if f.Claim == s.Claim && slices.Equal(f.Sources, s.Sources) {
			return nil
		}
	}
	s.Sources, s.Spans, s.Conditions = slices.Clone(s.Sources), slices.Clone(s.Spans), slices.Clone(s.Conditions)
	l.facts = append(l.facts, s)
	return nil
}

// Supersede drops the facts that rest on one of the sources: evidence ids, or what they
// are pieces of (id@version, or id for all its versions).
func (l *Ledger) Supersede(sources ...string) {
	l.facts = slices.DeleteFunc(l.facts, func(f Summary) bool {
		return slices.ContainsFunc(f.Sources, func(s string) bool {
			return slices.ContainsFunc(sources, func(x string) bool {
				rest, of := strings.CutPrefix(s, x)
				return of && (rest == "" || rest[0] == '@' || rest[0] == '#')
			})
		})
	})
}

// Expire drops the facts whose last day is before the given one.
func (l *Ledger) Expire(day time.Time) {
	l.facts = slices.DeleteFunc(l.facts, func(f Summary) bool { return !f.ExpiresAt.IsZero() && f.ExpiresAt.Before(day) })
}

// Facts are the facts in the order in which they were added; a copy.
func (l *Ledger) Facts() []Summary {
	out := slices.Clone(l.facts)
	for i := range out {
		out[i].Sources, out[i].Spans, out[i].Conditions = slices.Clone(out[i].Sources), slices.Clone(out[i].Spans), slices.Clone(out[i].Conditions)
	}
	return out
}

// Working replaces the working summary.
func (l *Ledger) Working(decisions, open []string) {
	l.decisions, l.open = slices.Clone(decisions), slices.Clone(open)
}

// Text writes the ledger: facts whole with their sources, then the working summary.
func (l *Ledger) Text() string {
	var b strings.Builder
	for _, f := range l.facts {
		fmt.Fprintf(&b, "- %s", f.Claim)
		for _, c := range f.Conditions {
			if !strings.Contains(f.Claim, c) {
				fmt.Fprintf(&b, " (%s)", c)
			}
		}
		fmt.Fprintf(&b, " [%s]", strings.Join(f.Sources, ", "))
		if !f.ExpiresAt.IsZero() {
			fmt.Fprintf(&b, " – %s", kb.FormatDay(f.ExpiresAt))
		}
		b.WriteByte('\n')
	}
	for _, d := range l.decisions {
		fmt.Fprintf(&b, "= %s\n", d)
	}
	for _, o := range l.open {
		fmt.Fprintf(&b, "? %s\n", o)
	}
	return b.String()
}

// history writes earlier turns into their share of the budget: the newest whole while
// they fit, and before them what a ledger keeps of the others.
func (p *Packer) history(req kb.AnswerRequest) (string, int, error) {
	var parts []string
	used, older := 0, len(req.History)
	for ; older > 0; older-- {
		form := whole(req.History[older-1])
		n, err := p.within(form, p.cfg.History-used)
		if err != nil {
			return "", 0, err
		}
		if n > p.cfg.History-used {
			break
		}
		parts, used = append(parts, form), used+n
	}
	kept, n, err := p.remembered(req, req.History[:older], p.cfg.History-used)
	if err != nil {
		return "", 0, err
	}
	slices.Reverse(parts)
	return kept + strings.Join(parts, ""), used + n, nil
}

// remembered is the ledger of turns within a budget: what does not fit leaves whole, of
// the working summary before facts, the oldest first.
func (p *Packer) remembered(req kb.AnswerRequest, turns []kb.Turn, budget int) (string, int, error) {
	l := ledgerOf(req, turns)
	for {
		form := l.Text()
		n, err := p.within(form, budget)
		if err != nil {
			return "", 0, err
		}
		switch {
		case n <= budget:
			return form, n, nil
		case len(l.decisions) > 0:
			l.decisions = l.decisions[1:]
		case len(l.open) > 0:
			l.open = l.open[1:]
		case len(l.facts) > 0:
			l.facts = l.facts[1:]
		default:
			return "", 0, nil
		}
	}
}

// ledgerOf is what turns leave behind: the sentences of their answers that stand in a
// source at hand are facts of it, with the sentence that limits them there, as long as
// the source holds. The rest is the working summary: of an answer its first sentence and
// every one that limits something, and the questions that were not answered.
func ledgerOf(req kb.AnswerRequest, turns []kb.Turn) *Ledger {
	l := &Ledger{}
	for _, t := range turns {
		if strings.TrimSpace(t.Answer) == "" {
			l.open = append(l.open, t.Question)
			continue
		}
		var rest []string
		runes := []rune(t.Answer)
		for i, s := range text.Sentences(runes) {
			said := strings.TrimSpace(marks.ReplaceAllString(string(runes[s.Start:s.End]), ""))
			switch {
			case said == "", l.learn(req, said):
			case i == 0 || Limits(said):
				rest = append(rest, said)
			}
		}
		if len(rest) > 0 {
			l.decisions = append(l.decisions, t.Question+" "+strings.Join(rest, " "))
		}
	}
	for _, c := range req.Candidates {
		l.Supersede(c.Supersedes...)
	}
	if from, _ := req.Analysis.Period(); !from.IsZero() {
		l.Expire(from)
	}
	return l
}

// marks are citation marks of answers: they number other sources than those at hand.
var marks = regexp.MustCompile(`\s*\[\d+\]`)

// learn keeps a sentence that stands in a candidate as its fact.
func (l *Ledger) learn(req kb.AnswerRequest, said string) bool {
	for _, c := range req.Candidates {
		before, after, ok := strings.Cut(c.Text, said)
		if !ok {
			continue
		}
		at := text.Span{Start: utf8.RuneCountInString(before)}
		at.End = at.Start + utf8.RuneCountInString(said)
		fact := Summary{Claim: said, Sources: []string{c.ID}, Spans: []text.Span{at}, Confidence: 1, ExpiresAt: c.ValidTo}
		rest := []rune(after)
		if next := text.Sentences(rest); len(next) > 0 {
			if limit := string(rest[next[0].Start:next[0].End]); Limits(limit) {
				fact.Conditions = []string{limit}
			}
		}
		return l.Add(fact) == nil
	}
	return false
}

func whole(t kb.Turn) string {
	if strings.TrimSpace(t.Answer) == "" {
		return "? " + t.Question + "\n"
	}
	return "Q: " + t.Question + "\nA: " + t.Answer + "\n"
}

// fresh is the day from which a passage speaks, as far as it is known.
func fresh(p kb.Passage) time.Time {
	if !p.ValidFrom.IsZero() {
		return p.ValidFrom
	}
	return p.PublishedAt
}
