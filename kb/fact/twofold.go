package fact

import (
	"strings"

	"suffice.dev/suffice/text"
)

// Two ways in which every word of a claim stands in the sources and the claim still says
// more than they do: what is said of one thing is told of another that the page names
// beside it, and one of several requirements is told as enough.

// Limits of a claim that follows a clause but for a name.
const (
	leastAlike   = 0.85 // of the claim's words beside the name that stand in the clause, in order
	leastCommon  = 2.5  // weight of these words
	mostNameHan  = 6    // characters of a Chinese name that takes another's place
	leastWitness = 0.9  // weight of a claim's words that a denial of it shares
)

// sameOf are words by which a page says of another thing what it says of the first.
var sameOf = guarded(`同样|同理|也|亦|均|都|两者|二者|\b(?:likewise|same|also|too|both|either|neither)\b`)

// exchanged judges a supported claim once more whose clause is that of a source but for the
// name of the thing: it is said of the other one. ok is false where no name takes another's
// place.
func (k *Checker) exchanged(c Claim, s Support) (Support, bool) {
	if s.Ground == OnComparison || len(s.Evidence) == 0 {
		return s, false
	}
	for i := range c.Page.Clauses {
		cl := &c.Page.Clauses[i]
		if !c.Span.Contains(cl.Span) {
			continue
		}
		if out, ok := k.toldOfOther(c, cl, s); ok {
			return out, true
		}
	}
	return s, false
}

func (k *Checker) toldOfOther(c Claim, cl *Clause, s Support) (Support, bool) {
	p := c.Page
	a := tokens(p, cl.Span)
	for _, r := range s.Evidence {
		v := k.views[r.Page]
		if foreign(p, v.page) {
			return s, false
		}
		for j := range v.page.Clauses {
			o := &v.page.Clauses[j]
			if !r.Span.Contains(o.Span) || cl.Denied != o.Denied {
				continue
			}
			b := tokens(v.page, o.Span)
			if len(a) > nearLimit || len(b) > nearLimit {
				continue
			}
			mine, theirs, ok := oneName(p, a, v.page, b)
			if !ok || writtenIn(fold(v.page.Quote(o.Span)), mine) || writtenIn(fold(v.page.Quote(o.Topic.Span)), mine) || writtenIn(fold(p.Quote(c.Span)), theirs) {
				continue
			}
			if name := k.pointsBack(text.Fold(p.Runes[cl.Start:cl.End]), r.Page, j); name != "" && strings.Contains(mine, name) {
				continue // 本品 is another word for it
			}
			return k.saidOfMine(c, cl, s, v, r, mine, theirs)
		}
	}
	return s, false
}

// saidOfMine looks for a clause of the page that names the claim's own thing: none, and the
// claim is about something else; one that denies it, and the claim is turned round.
func (k *Checker) saidOfMine(c Claim, cl *Clause, s Support, v *view, r Ref, mine, theirs string) (Support, bool) {
	known := false
	w := k.engine.wordingOf(c.Page.Runes, cl.Span, k.st, append(valueSpans(cl), modalSpans(c.Page.Runes, cl.Span)...))
	for n := range v.page.Clauses {
		o := &v.page.Clauses[n]
		said := fold(v.page.Quote(o.Span))
		if !writtenIn(said, mine) && !writtenIn(fold(o.Topic.Text), mine) {
			continue
		}
		known = true
		own := newBag(len(o.Terms))
		for _, t := range o.Terms {
			if t.Span.Empty() || !strings.Contains(mine, fold(v.page.Quote(t.Span))) {
				own.add(t.Text, t.Synset, 1)
			}
		}
		shared := w.scoreOn(own) * w.total
		if (cl.Denied || !ends(c.Page, cl).Empty()) && !o.Denied && o.Modality != MustNot && keptOn.MatchString(said) {
			ref := Ref{Page: r.Page, Fact: -1, Span: v.page.Sentences[o.Sentence].Span, Score: r.Score}
			return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: []Ref{ref}, Ground: OnStance, Reason: "the source denies it of " + theirs + ", and keeps " + mine}, true
		}
		against := o.Denied != (o.Modality == MustNot) || keptFor.MatchString(said)
		switch {
		case against && !cl.Denied && shared >= leastWitness:
			ref := Ref{Page: r.Page, Fact: -1, Span: v.page.Sentences[o.Sentence].Span, Score: r.Score}
			return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: []Ref{ref}, Ground: OnStance, Reason: "the source says it of " + theirs + ", and denies it of " + mine}, true
		case !against && sameOf.MatchString(said), shared >= 0.8*w.total:
			return s, false // it is said of both
		}
	}
	if !known {
		return s, false
	}
	return Support{Verdict: UnsupportedClaim, Probability: 0.15, Evidence: []Ref{r}, Ground: OnStance, Reason: "said of " + theirs + ", not of " + mine}, true
}

// keptFor matches a clause that keeps a thing from all but some.
var keptFor = guarded(`仅供|专供|只供|仅限|只限|不对|停用|关闭|\b(?:reserved for|restricted to|limited to|closed to|off limits)\b`)

// keptOn matches a clause by which a thing goes on as it was.
var keptOn = guarded(`照常|照旧|照样|照办|保留|继续|仍|依旧|如常|正常|不受影响|不变|\b(?:as (?:usual|before)|still|continues?|remains?|unaffected|unchanged|goes on|carry on|stays?)\b`)

// oneName aligns two clauses and returns the names, folded, where they differ by nothing but
// one that stands in the other's place.
func oneName(pa *Page, a []token, pb *Page, b []token) (mine, theirs string, ok bool) {
	n := align(a, b)
	at := -1
	for i, o := range n.ops {
		if o.a0 == o.a1 || o.b0 == o.b1 {
			continue
		}
		if at >= 0 {
			return "", "", false
		}
		at = i
	}
	if at < 0 {
		return "", "", false
	}
	o := n.ops[at]
	mine, theirs = fold(opText(pa, a, o.a0, o.a1)), fold(opText(pb, b, o.b0, o.b1))
	if besideTime(pa, a, o.a0, o.a1) || besideTime(pb, b, o.b0, o.b1) {
		return "", "", false // a part of 周一 is no name
	}
	if a[o.a0].han {
		if o.a1-o.a0 > mostNameHan || o.b1-o.b0 > mostNameHan || hasDigits(a, o.a0, o.a1) || hasDigits(b, o.b0, o.b1) {
			return "", "", false
		}
		// 北塔, 南塔: the name is one with what both have beside it.
		if len([]rune(mine)) > 1 && len([]rune(theirs)) > 1 {
			// a name of its own
		} else if o.a1 < len(a) && a[o.a1].han && o.b1 < len(b) && a[o.a1].key == b[o.b1].key {
			mine, theirs = mine+a[o.a1].key, theirs+b[o.b1].key
		} else if o.a0 > 0 && a[o.a0-1].han && o.b0 > 0 && a[o.a0-1].key == b[o.b0-1].key {
			mine, theirs = a[o.a0-1].key+mine, b[o.b0-1].key+theirs
		}
		if len([]rune(mine)) < 2 || len([]rune(theirs)) < 2 {
			return "", "", false
		}
	} else if named(pa, a, o.a0, o.a1) == "" || named(pb, b, o.b0, o.b1) == "" {
		return "", "", false
	}
	rest := 0.0
	for i := range a {
		if i < o.a0 || i >= o.a1 {
			rest += a[i].weight
		}
	}
	matched := n.share * (rest + weightOf(a, o.a0, o.a1))
	return mine, theirs, rest >= leastCommon && matched >= leastAlike*rest
}

// besideTime reports whether tokens, or the one behind them, belong to a time.
func besideTime(p *Page, ts []token, lo, hi int) bool {
	if !ts[lo].han {
		return false
	}
	_, is := timeAt(p, spanOf(ts, lo, min(hi+1, len(ts))))
	return is
}

// A claim that something is enough, and a source that asks for several things at once.
var (
	enough    = guarded(`只要[^。]*(?:就|即可|便)|只需[^。]*(?:就|即可|便)|即可|就够|便可|足以|就可以|就能|\b(?:as long as|so long as|is enough|are enough|enough to|is sufficient|are sufficient|suffices?|only needs?|need only|needs only|all (?:that )?(?:you|one|they|it|is) needs?(?:ed)?|is all)\b`)
	onlyOne   = guarded(`只要|只需|就够|足以|\b(?:as long as|so long as|enough|sufficient|suffices?|only|all)\b`)
	jointly   = guarded(`同时|各项|均须|均应|都须|都应|缺一不可|[两二三四五六七八九\d]项(?:条件|要求)|并(?:且|须|应|取得|经|由|提交|持|出示|缴)|且|\b(?:all (?:of )?(?:the following|these|three|four|five|the)|both|and)\b`)
	announces = guarded(`(?:条件|要求|规定)\s*$|\b(?:conditions|requirements|following)\s*$`)
	turnsBack = guarded(`^\s*(?:but |and )?(?:not|otherwise|否则|不)`)
	pieces    = guarded(`[，、；：,;:]|并且|并|且|\band\b`)
)

// leftWanting reports whether a claim tells as enough what the source asks for together
// with more: it names what is missing.
func (k *Checker) leftWanting(c Claim, s Support) string {
	said := fold(c.Page.Quote(c.Span))
	if len(s.Evidence) == 0 || !enough.MatchString(said) || !onlyOne.MatchString(said) {
		return ""
	}
	v := k.views[s.Evidence[0].Page]
	if foreign(c.Page, v.page) {
		return ""
	}
	source := v.page.Quote(s.Evidence[0].Span)
	at := jointly.FindStringIndex(fold(source))
	if at == nil || enough.MatchString(fold(source)) && onlyOne.MatchString(fold(source)) {
		return ""
	}
	claim := bagOf(k.engine.wording(c.Page.Quote(c.Span), nil))
	met, missing := 0, ""
	for _, piece := range pieces.Split(source, -1) {
		w := k.engine.wording(piece, nil)
		if w.total < 1.5 || announces.MatchString(fold(piece)) || turnsBack.MatchString(fold(piece)) {
			continue
		}
		switch x := w.scoreOn(claim); {
		case x >= 0.6:
			met++
		case x < 0.3 && met > 0 && missing == "":
			missing = strings.TrimSpace(piece)
		}
	}
	if met == 0 {
		return ""
	}
	return missing
}

// leftOver matches a clause about whatever its neighbours do not name.
var leftOver = guarded(`其他|其它|其余|另外的|\b(?:other|others|otherwise|else|any other)\b`)

// notLeftOver are phrases in which other has another sense.
var notLeftOver = guarded(`on the other hand|each other|the other day|other than|among others|every other`)

// ofTheRest reports whether a clause speaks of the cases that its neighbours leave over, and
// the claim does not.
func ofTheRest(p *Page, claim text.Span, v *view, o *Clause) bool {
	said := notLeftOver.ReplaceAllString(fold(v.page.Quote(o.Span)), " ")
	return leftOver.MatchString(said) && !leftOver.MatchString(fold(p.Quote(claim)))
}
