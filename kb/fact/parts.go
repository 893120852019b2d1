package fact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/text"
)

// ClaimPart is one of the things that a claim says.
type ClaimPart struct {
	Span text.Span // where it stands in the claim: whole clauses
	Said string    // the part as a sentence of its own, with the subject, conditions and time that it takes from the rest of the claim
}

// Parts splits a claim into what it says one after the other: its clauses, each with
// what it leaves to the others of its sentence to say. A clause that only limits,
// supposes or introduces another stays with it. One part is the claim itself.
func (k *Checker) Parts(c Claim) []ClaimPart {
	p := c.Page
	var clauses []int
	for i := range p.Clauses {
		if c.Span.Contains(p.Clauses[i].Span) {
			clauses = append(clauses, i)
		}
	}
	var groups [][]int
	wait := false // the last group waits for the clause that it introduces
	for n, i := range clauses {
		cl := &p.Clauses[i]
		related := ofNoun(p, cl)
		if len(groups) > 0 && (wait || related || k.limits(p, groups[len(groups)-1], i)) {
			groups[len(groups)-1] = append(groups[len(groups)-1], i)
		} else {
			groups = append(groups, []int{i})
		}
		wait = k.premise(c, clauses[n:], i) || introduces(p, cl) || related && n+1 < len(clauses) && !p.Clauses[clauses[n+1]].Contains(p.Clauses[clauses[n+1]].Topic.Span)
	}
	if wait && len(groups) > 1 {
		last := len(groups) - 1
		groups[last-1] = append(groups[last-1], groups[last]...)
		groups = groups[:last]
	}
	if len(groups) < 2 {
		return []ClaimPart{{c.Span, p.Quote(c.Span)}}
	}
	out := make([]ClaimPart, len(groups))
	for n, g := range groups {
		span := text.Span{Start: p.Clauses[g[0]].Start, End: p.Clauses[g[len(g)-1]].End}
		out[n] = ClaimPart{span, alone(c, g, span)}
	}
	return out
}

// limits reports whether a clause is the condition or exception of one of a group.
func (k *Checker) limits(p *Page, group []int, i int) bool {
	return slices.ContainsFunc(group, func(g int) bool {
		return slices.ContainsFunc(p.Clauses[g].Conditions, func(cond Condition) bool { return cond.Span.Overlaps(p.Clauses[i].Span) })
	})
}

// introduces reports whether a clause says nothing but how the next one is meant: it has
// a word at most, and no value.
func introduces(p *Page, cl *Clause) bool {
	return len(cl.Terms) < 2 && len(cl.Quantities) == 0 && len(cl.Times) == 0 && !cl.Denied && cl.Modality == Plain &&
		!slices.ContainsFunc(p.Facts[cl.Facts[0]:cl.Facts[1]], func(f Fact) bool { return f.Value.Kind != BooleanValue })
}

// ofNoun reports whether a clause speaks of the noun before it: where it ends, the
// sentence may go on with the verb of that noun.
func ofNoun(p *Page, cl *Clause) bool {
	own := p.Quote(cl.Span)
	return slices.ContainsFunc([]string{"which ", "who ", "whose ", "whom "}, func(w string) bool { _, ok := cutFold(own, w); return ok })
}

// leadWords join a clause to the one before it.
var leadWords = []string{"但是", "但", "而且", "而", "并且", "并", "且", "同时", "不过", "然而", "以及", "and ", "but ", "while ", "whereas ", "although ", "though ", "yet ", "so ", "or "}

// beforeTime are the words that an English time takes with it.
var beforeTime = []string{"in ", "on ", "by ", "since ", "from ", "until ", "till ", "during ", "before ", "after ", "at ", "for ", "within ", "of "}

// alone words some clauses of a claim so that they can be read without the others.
func alone(c Claim, group []int, span text.Span) string {
	p := c.Page
	own := p.Quote(span)
	for cut := true; cut; {
		cut = false
		for _, lead := range leadWords {
			if rest, ok := cutFold(own, lead); ok && rest != "" {
				own, cut = rest, true
				break
			}
		}
	}
	chinese := strings.ContainsFunc(own, text.IsHan)
	within := func(s text.Span) bool { return !s.Empty() && c.Span.Contains(s) && !span.Overlaps(s) }
	var before []text.Span // what it leaves to others to say, apart from the subject
	add := func(s text.Span) {
		if within(s) && !slices.ContainsFunc(before, s.Overlaps) {
			before = append(before, s)
		}
	}
	for _, i := range group {
		for _, cond := range p.Clauses[i].Conditions {
			add(cond.Span)
		}
	}
	first := &p.Clauses[group[0]]
	for _, t := range first.Times {
		s := t.Span
		if !chinese && within(s) {
			for _, w := range beforeTime {
				if from := s.Start - len(w); from >= c.Span.Start && strings.EqualFold(p.Quote(text.Span{Start: from, End: s.Start}), w) {
					s.Start = from
				}
			}
		}
		add(s)
	}
	slices.SortFunc(before, func(a, b text.Span) int { return a.Start - b.Start })
	out := ""
	comma, space := ", ", " "
	if chinese {
		comma, space = "，", ""
	}
	for _, s := range before {
		out += strings.TrimRight(p.Quote(s), " ，,") + comma
	}
	if t := first.Topic; t.Text != "" && within(t.Span) {
		subject, _, _ := strings.Cut(p.Quote(t.Span), ",") // what is said of it in passing is another part's
		if !strings.Contains(out, subject) {
			out += subject + space
		}
	}
	out += own
	r, n := utf8.DecodeRuneInString(out)
	return string(unicode.ToUpper(r)) + out[n:]
}

// cutFold takes a beginning off, whatever its case.
func cutFold(s, lead string) (string, bool) {
	if len(s) > len(lead) && strings.EqualFold(s[:len(lead)], lead) {
		return strings.TrimLeft(s[len(lead):], " "), true
	}
	return s, false
}

// Worse is the judgement of a claim with these two parts: it is as true as the worse.
func Worse(a, b Support) Support { return worse(a, b) }
