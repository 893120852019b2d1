package fact

import (
	"regexp"
	"strings"

	"suffice.dev/suffice/text"
)

// A claim may have all its words from one sentence and still say more or less than it: it
// says it of all, or leaves out when and for whom it holds. Where only one of the two sides
// has a word that relates (all, until, only, from), facts cannot tell whether the other
// implies it, and the claim is not told as supported on their word. The words are those
// that, among the claims that were told as supported, stood on one side only at least
// twice as often where the claim was untrue (docs/measurements.md, "Claims over written
// passages").
var (
	ofAllLatin = guarded(`\b(?:all|any|always|everyone|everybody|everything|everywhere|anyone|anybody|anything|whatever|regardless|every(?: (?:other|second|third|few|\d+))?(?: (?:hour|day|night|morning|evening|week|weekend|month|quarter|season|year|time)s?\b)?)\b`)
	ofAllHan   = guarded(`都|均|一律|全部|所有|任何|一切|凡|始终|总是`)
	// What a source has that says it of all, the claim's words included.
	saysAllLatin = guarded(`\b(?:all|any|always|every|each|everyone|everybody|everything|everywhere|anyone|anybody|anything|whatever|whichever|whoever|regardless|both|whole|entire|throughout|no matter|no|none|never)\b`)
	saysAllHan   = guarded(`都|均|一律|全部|所有|任何|一切|凡|始终|总是|各|每|全|皆|不论|无论|不管|不分|没有一|没有哪|无一`)
	rate         = guarded(`^every .*[a-z]$`)

	obliges     = guarded(`\bmust\b`)
	saysObliged = guarded(`\b(?:must|have to|has to|had to|need|needs|needed|required?|requires|requirement|shall|obliged|obligatory|compulsory|mandatory|necessary|only|unless|is to|are to|please|should|bring|cannot|no)\b|不得|必须|应当|应|须`)

	reached     = guarded(`已`)
	saysReached = guarded(`已|了|完|毕|结束|过|不再|停|起`)

	narrows = []*guardedPattern{word("with"), word("once"), word("until"), word("where"), word("only"), word("before"), word("after"), word("without")}
	placed  = []*guardedPattern{word("up to"), word("at"), word("from"), word("after"), word("since"), word("during")}
)

// fromTo matches the years between which something changed: they are compared as times.
// atMost are words for a limit that "up to" names as well.
var (
	fromTo = guarded(`\bfrom (?:[a-z]+ )?\d{4} (?:to|until) (?:[a-z]+ )?\d{4}\b`)
	atMost = guarded(`\bat most\b|\bno more than\b|\bnot more than\b|\bmaximum\b|\bwithin\b|\blimit(?:s|ed)?\b|\bexceed`)
)

// idle matches words of narrows where they narrow nothing: what a value is compared with
// (than the year before), how often (once a week), how soon (at once).
var idle = guarded(`\b(?:than|as|to|from|in|on|of|unlike|against|over) (?:in |that of )?(?:the |a )?(?:same )?(?:\w+ )?(?:years?|months?|weeks?|quarters?|seasons?|decades?|days?|summers?|winters?) (?:before|after)\b|\b(?:than|as|never|ever|not) before\b|` +
	`\bat once\b|\bonce (?:a|an|per|each|every|in|or) |\bonce again\b|\bmore than once\b|\b(?:along|together|in line|in accordance|in keeping|begins?|began|starts?|started|ends?|ended|compared|provided|filled|equipped|fitted) with\b`)

// takenFrom matches a verb with what it parts from: its "from" is neither a place nor a time.
var takenFrom = guarded(`\b(?:deduct|subtract|remov|tak|withdraw|exclud|exempt|borrow|buy|bought|receiv|get|obtain|collect|protect|prevent|keep|kept|differ|free|hid|releas|separat|benefit|suffer|ma[dk]e|produc|earn|learn|com|bann|barr|refrain|recover|order)(?:e|es|s|ed|ing|en|ion|t)?\b[^.,;]{0,40}?\bfrom\b`)

// placedAlike reports whether the source has what a claim places something at, or during, and
// does not set it apart from there: in a flood, told as during a flood.
func placedAlike(word, said, framed string) bool {
	if word != "at" && word != "during" {
		return false
	}
	for _, m := range placedThing.FindAllStringSubmatch(said, -1) {
		if m[1] != word {
			continue
		}
		alike := false
		for _, o := range regexp.MustCompile(`(?:\b([a-z]+) )?(?:(?:the|a|an|its|their|our|this|that|each|every) )?(?:[a-z'-]+ )?\b`+regexp.QuoteMeta(m[2])+`\b`).FindAllStringSubmatch(framed, -1) {
			alike = alike || !apartFrom[o[1]]
		}
		if !alike {
			return false
		}
	}
	return true
}

// placedThing matches at and during with the first word of what they place a thing at;
// apartFrom are prepositions for what is not there, or not then.
var (
	placedThing = regexp.MustCompile(`\b(at|during) (?:(?:the|a|an|his|her|its|their|our|this|that|these|those) )?([a-z][a-z'-]*|\d[\d:.,]*)`)
	apartFrom   = map[string]bool{"near": true, "outside": true, "behind": true, "beside": true, "before": true, "after": true, "until": true, "till": true,
		"from": true, "to": true, "towards": true, "past": true, "without": true, "except": true, "opposite": true, "since": true, "by": true, "beyond": true}
)

func word(w string) *guardedPattern { return guarded(`\b` + w + `\b`) }

// unsure names the word that only one of a claim and the sentences that support it has,
// so that facts do not tell whether they say the same; "" for none. dropped: it limits
// the source.
func (k *Checker) unsure(c Claim, s Support) (why string, dropped bool) {
	if s.Ground != OnWords && s.Ground != OnValues || len(s.Evidence) == 0 {
		return "", false
	}
	said := fold(c.Page.Quote(c.Span))
	han := text.Language(said) == "zh"
	clauses := 0
	for i := range c.Page.Clauses {
		if c.Span.Contains(c.Page.Clauses[i].Span) {
			clauses++
		}
	}
	stated, framed := "", ""
	for n, r := range s.Evidence {
		if n > 0 && clauses < 2 {
			break
		}
		v := k.views[r.Page]
		if foreign(c.Page, v.page) {
			return "", false
		}
		stated += " " + fold(v.page.Quote(r.Span))
		framed += " " + k.announced(r)
	}
	framed += stated
	if han {
		switch {
		case ofAllHan.MatchString(said) && !saysAllHan.MatchString(framed):
			return "the source does not say it of all", false
		case reached.MatchString(said) && !saysReached.MatchString(framed):
			return "the source does not say that it is done", false
		}
		return "", false
	}
	for _, m := range ofAllLatin.FindAllString(said, -1) {
		if !rate.MatchString(m) && !saysAllLatin.MatchString(framed) {
			return "the source does not say it of all", false
		}
	}
	if obliges.MatchString(said) && !saysObliged.MatchString(framed) {
		return "the source does not oblige", false
	}
	part := idle.ReplaceAllString(nearestPart(stated, said), " ")
	for _, w := range narrows {
		if m := w.FindString(part); m != "" && !w.MatchString(said) {
			return "the source limits it: " + m, true
		}
	}
	said = fromTo.ReplaceAllString(said, " ")
	if k.ofRow(s.Evidence[0]) {
		return "", false // a row has no such words; when and where are its headings
	}
	said = takenFrom.ReplaceAllString(said, " ")
	for _, w := range placed {
		if m := w.FindString(said); m != "" && !w.MatchString(framed) && !(m == "up to" && atMost.MatchString(framed)) && !placedAlike(m, said, framed) {
			return "the source does not say: " + m, false
		}
	}
	return "", false
}

// ofRow reports whether evidence is a row of a table.
func (k *Checker) ofRow(r Ref) bool {
	for _, s := range k.views[r.Page].page.Sentences {
		if s.Span == r.Span {
			return s.Kind == Row
		}
	}
	return false
}

// parts ends the coordinated parts of an English sentence.
var parts = guarded(`\band\b|\bbut\b|;`)

// nearestPart is the coordinated part of a sentence that shares most words with a claim:
// what limits another part limits something else.
func nearestPart(sentence, claim string) string {
	words := func(s string) map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsFuncSeq(s, func(r rune) bool { return !text.IsWord(r) }) {
			if !text.StopWord(w) {
				out[text.Stem(w)] = true
			}
		}
		return out
	}
	said, best, most := words(claim), "", -1
	for _, part := range parts.Split(sentence, -1) {
		shared := 0
		for w := range words(part) {
			if said[w] {
				shared++
			}
		}
		if shared > most {
			best, most = part, shared
		}
	}
	return best
}

// announced is what stands over the sentence of a page: title, headings, the header of a
// table, the lead-in of a list; folded.
func (k *Checker) announced(r Ref) string {
	p := k.views[r.Page].page
	out := k.views[r.Page].title
	at := len(p.Sentences)
	for i := range p.Sentences {
		if p.Sentences[i].Span == r.Span {
			at = i
			break
		}
	}
	if at == len(p.Sentences) {
		return fold(out)
	}
	kind := p.Sentences[at].Kind
	for i := at - 1; i >= 0; i-- {
		switch o := p.Sentences[i].Kind; {
		case o == HeadingLine || o == HeaderRow:
			out += " " + p.Quote(p.Sentences[i].Span)
		case kind == Item && o == Prose:
			out += " " + p.Quote(p.Sentences[i].Span)
			kind = Prose
		}
	}
	return fold(out)
}
