package pack

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// Supersede drops the facts that rest on one of the sources.
func (l *Ledger) Supersede(sources ...string) {
	l.facts = slices.DeleteFunc(l.facts, func(f Summary) bool {
		return slices.ContainsFunc(f.Sources, func(s string) bool { return slices.Contains(sources, s) })
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
// they fit; of the older ones what was asked and, of the answer, the first sentence
// with every one that limits something. A turn without an answer is an open question.
func (p *Packer) history(turns []kb.Turn) (string, int, error) {
	var parts []string
	used := 0
	for i := len(turns) - 1; i >= 0; i-- {
		t := turns[i]
		fits := false
		for _, form := range []string{whole(t), brief(t)} {
			n, err := p.within(form, p.cfg.History-used)
			if err != nil {
				return "", 0, err
			}
			if n <= p.cfg.History-used {
				parts, used, fits = append(parts, form), used+n, true
				break
			}
		}
		if !fits {
			break // what is older than a turn that was left out would stand without its sequel
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, ""), used, nil
}

func whole(t kb.Turn) string {
	if strings.TrimSpace(t.Answer) == "" {
		return "? " + t.Question + "\n"
	}
	return "Q: " + t.Question + "\nA: " + t.Answer + "\n"
}

func brief(t kb.Turn) string {
	if strings.TrimSpace(t.Answer) == "" {
		return "? " + t.Question + "\n"
	}
	runes := []rune(t.Answer)
	var kept []string
	for i, s := range text.Sentences(runes) {
		if said := strings.TrimSpace(string(runes[s.Start:s.End])); i == 0 || Limits(said) {
			kept = append(kept, said)
		}
	}
	return "Q: " + t.Question + "\nA: " + strings.Join(kept, " ") + "\n"
}

// fresh is the day from which a passage speaks, as far as it is known.
func fresh(p kb.Passage) time.Time {
	if !p.ValidFrom.IsZero() {
		return p.ValidFrom
	}
	return p.PublishedAt
}
