package fact

import (
	"slices"
	"strings"

	"suffice.dev/suffice/text"
)

// That nothing is charged is said by an adjective, a denial or a number (free, no fee
// is charged, 不另行收费, costs nothing), which differ in polarity and agree in what they
// say; so the words for it are read as one statement with a side.

var (
	chargesNothing = guarded(notToPay + `|免费|免收|免缴|免交|不(?:再|另|另外|另行|额外|予|得)?(?:加)?(?:收取|收|计|计收|缴纳|交)(?:任何|其他|额外)?[^，。；]{0,4}?(?:费|费用|手续费|服务费)|无需(?:另行)?(?:付费|缴费|交费|支付)|无偿|` +
		`\b(?:free(?: of charge)?|no (?:extra |additional |further )?(?:charge|fee|cost|payment)s?|(?:cost|costs|charge|charges|pay|pays) nothing|without (?:any )?(?:extra |additional |further )?(?:charge|fee|cost|payment)s?|at no (?:extra |additional )?(?:charge|cost)|not (?:be )?charged|complimentary|gratis|free-of-charge|for nothing|on the house|without (?:paying|payment|being charged)|at nobody's expense|nothing (?:to pay|is charged|has to be paid|is due)|no (?:payment|money) is (?:taken|asked|due|charged|needed|required))\b`)
	chargesSomething = guarded(`收费|计费|付费|(?:收取|加收|缴纳|支付)[^，。；]{0,12}费|额外收|另行收|需(?:要)?付|` +
		`\b(?:charged?|charges|fees?|costs?|pays?|paid|payable|extra charge)\b`)
	deniesPaying = guarded(notToPay)
	freeOfOther  = guarded(`\b(?:free (?:to|time|day|days|will|from|trade|text|space)|(?:duty|sugar|smoke|interest|tax|hands|lead|barrier|care|toll)[- ]free)\b|免费电话`)
)

// notToPay are the forms in which paying is denied, or taken off everybody.
const notToPay = `\b(?:(?:do|does|did|will|would|need|needs) not|(?:don|doesn|didn|won|wouldn|needn)['’]t|(?:is|are|was|were) not|(?:isn|aren)['’]t|never|no longer|no need|without having) (?:to )?(?:(?:have|has|need|required|obliged|asked|expected|made) (?:to )?)?(?:pay|be charged|charged for|charge(?: for)?)\b|` +
	`\b(?:nobody|no one|no [a-z]+|none of [a-z ]{3,20}) (?:has to |have to |needs to |need to |must |will )?(?:pays?|is charged|are charged|be charged)\b`

// paysInPart matches where only more, sooner or otherwise is not paid.
var paysInPart = guarded(`\b(?:pay|pays|charged?) (?:for )?(?:more|the full|in full|in advance|by |in cash|with |until|before|twice|again|immediately|at once|extra|interest|taxe?s?\b|back)`)

// chargeStems are in every Latin alternative of the patterns above, as the characters of
// chargeOf are in every Chinese one.
var chargeStems = []string{"free", "charge", "fee", "cost", "pay", "paid", "complimentary", "gratis", "for nothing", "on the house", "expense", "nothing", "money"}

// chargeOf is -1 where a folded clause says that nothing is charged, +1 where it says
// that something is, 0 where it says neither.
func chargeOf(s string) int8 {
	if !strings.ContainsAny(s, "费收缴交付偿") && !hasAny(s, chargeStems) {
		return 0
	}
	if m := chargesNothing.FindString(s); m != "" && !freeOfOther.MatchString(s) && !(deniesPaying.MatchString(m) && paysInPart.MatchString(s)) {
		return -1
	}
	if chargesSomething.MatchString(s) {
		return 1
	}
	return 0
}

// chargeWords are the words of a span that say whether something is charged.
func chargeWords(runes []rune, span text.Span) []text.Span {
	s := string(text.Fold(runes[span.Start:span.End]))
	var out []text.Span
	for _, re := range []*guardedPattern{chargesNothing, chargesSomething} {
		for _, m := range re.FindAllStringIndex(s, 8) {
			from := span.Start + len([]rune(s[:m[0]]))
			out = append(out, text.Span{Start: from, End: from + len([]rune(s[m[0]:m[1]]))})
		}
	}
	return out
}

// chargeOf is chargeOf of a clause of the page.
func (p *Page) chargeOf(c *Clause) int8 {
	if s := p.ready.Load(); s != nil {
		if i := p.clauseIndex(c); i >= 0 {
			return s.chargeAt(i)
		}
	}
	return chargeOf(fold(p.Quote(c.Span)))
}

// clauseIndex is where a clause stands among those of the page; -1 for one that is not its own.
func (p *Page) clauseIndex(c *Clause) int {
	i, _ := slices.BinarySearchFunc(p.Clauses, c.Start, func(o Clause, start int) int { return o.Start - start })
	for ; i < len(p.Clauses) && p.Clauses[i].Start == c.Start; i++ {
		if &p.Clauses[i] == c {
			return i
		}
	}
	return -1
}

// agreeFree compares what claim and source say of being charged: +1 they agree, -1 they
// contradict each other, 0 one of them does not say.
func agreeFree(pa *Page, a *Clause, pb *Page, b *Clause) int {
	ca := pa.chargeOf(a)
	if ca == 0 {
		return 0
	}
	cb := pb.chargeOf(b)
	switch {
	case cb == 0, ca > 0 && cb > 0:
		return 0
	case ca == cb:
		return 1
	}
	// "nothing is charged" against a clause that names no sum may speak of another case.
	return -1
}

// chargePart is the last stretch between commas of a clause that says what is charged; all of
// it where none does by itself.
func chargePart(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '，' })
	for _, part := range slices.Backward(parts) {
		if chargeOf(fold(part)) != 0 {
			return part
		}
	}
	return s
}

// prefixed are prefixes that turn a word into its opposite.
var prefixed = []string{"un", "non-", "non", "in", "im", "ir", "dis", "ill"}

// opposites reports whether one text has a Latin word and the other its opposite by a
// prefix (opened, unopened), and neither has both.
func opposites(sa, sb string) bool {
	a, b := latinWords(sa), latinWords(sb)
	turned := func(x, y map[string]bool) bool {
		for w := range x {
			if len(w) < 4 || y[w] {
				continue
			}
			for _, p := range prefixed {
				if y[p+w] && !x[p+w] {
					return true
				}
			}
		}
		return false
	}
	return turned(a, b) || turned(b, a)
}

func latinWords(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) {
		out[w] = true
	}
	return out
}
