package evaluate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
)

// JoinedClaims is the passage with its claims joined two by two into sentences that say
// two things, and without its questions: true ones with each other, every untrue one
// with a true one, before or behind it. A sentence is as true as the worse of its parts.
func (p *WrittenPassage) JoinedClaims() WrittenPassage {
	out := *p
	out.Questions, out.Claims = nil, nil
	var truth, rest []WrittenClaim
	for _, c := range p.Claims {
		if c.Verdict == string(kb.ClaimSupported) {
			truth = append(truth, c)
		} else {
			rest = append(rest, c)
		}
	}
	add := func(a, b WrittenClaim) {
		worse := a
		if b.Verdict != string(kb.ClaimSupported) {
			worse = b
		}
		if said := bothSaid(a.Claim, b.Claim, p.Language); !slices.ContainsFunc(out.Claims, func(c WrittenClaim) bool { return c.Claim == said }) {
			out.Claims = append(out.Claims, WrittenClaim{Claim: said, Verdict: worse.Verdict, Kind: "two: " + worse.Kind})
		}
	}
	for i := 1; i < len(truth); i++ {
		add(truth[i-1], truth[i])
	}
	for i, c := range rest {
		if len(truth) == 0 {
			break
		}
		if t := truth[i%len(truth)]; i%2 == 0 {
			add(t, c)
		} else {
			add(c, t)
		}
	}
	return out
}

// bothSaid is one sentence that says what two sentences say.
func bothSaid(a, b, language string) string {
	a = strings.TrimRight(a, "。.！!；; ")
	if language == "zh" {
		return a + "，" + b
	}
	first, _, _ := strings.Cut(b, " ")
	if slices.Contains([]string{"The", "A", "An", "It", "There", "All", "Each", "Every", "No", "You", "If", "Only", "One", "Two", "Three"}, first) {
		r, n := utf8.DecodeRuneInString(b)
		b = string(unicode.ToLower(r)) + b[n:]
	}
	return a + ", and " + b
}
