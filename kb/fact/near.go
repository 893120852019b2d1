package fact

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A claim that is worded nearly as a sentence of a source is judged by what differs:
// the words of both are aligned, and each place where they part is looked at. That
// finds one changed number, name, negation or modal among words that all agree,
// which no measure of overlap can see.

// Limits of near quotes.
const (
	nearShare = 0.72 // least share of a claim's content that stands in one sentence, in order
	nearLimit = 400  // tokens of a sentence that is aligned at all
)

// token is a word of a near quote: a Latin word by its stem, a number, or one Han
// character.
type token struct {
	text.Span // on the page
	key       string
	weight    float64 // 0 for words that say nothing by themselves
	han       bool
	digits    bool
}

// hanFunctions are characters that carry no content of their own.
var hanFunctions = runeSet("的了在是着之其该本这那此与和及以为于由被把将地得所则就而且并等也呢吗吧啊呀即者从到对向至因个会给使让用来去上下中里时后前我们您你他她它")

func runeSet(s string) map[rune]bool {
	out := map[rune]bool{}
	for _, r := range s {
		out[r] = true
	}
	return out
}

// tokens cuts a span of a page into tokens.
//
// They are cut out of the page once and shared: they must not be changed.
func tokens(p *Page, span text.Span) []token {
	all := p.words.Load()
	if all == nil {
		cut := tokensIn(p, text.Span{Start: 0, End: len(p.Runes)})
		all = &cut
		p.words.Store(all)
	}
	byEnd := func(t token, at int) int { return t.End - at - 1 } // the first that ends behind a place
	lo, _ := slices.BinarySearchFunc(*all, span.Start, byEnd)
	n, _ := slices.BinarySearchFunc((*all)[lo:], span.End, byEnd)
	hi := lo + n
	if lo < len(*all) && (*all)[lo].Start < span.Start || hi < len(*all) && (*all)[hi].Start < span.End {
		return tokensIn(p, span) // it begins or ends within a word
	}
	return (*all)[lo:hi:hi]
}

// tokensIn is tokens, cut anew.
func tokensIn(p *Page, span text.Span) []token {
	folded := text.Fold(p.Runes[span.Start:span.End])
	var out []token
	for i := 0; i < len(folded); {
		r := folded[i]
		at := span.Start + i
		switch {
		case text.IsHan(r):
			w := 1.0
			if hanFunctions[r] {
				w = 0.15
			}
			out = append(out, token{Span: text.Span{Start: at, End: at + 1}, key: string(r), weight: w, han: true})
			i++
		case unicode.IsDigit(r):
			j := i + 1
			for j < len(folded) && (unicode.IsDigit(folded[j]) || j+1 < len(folded) && (folded[j] == '.' || folded[j] == ',') && unicode.IsDigit(folded[j+1])) {
				j++
			}
			key := make([]rune, 0, j-i)
			for _, d := range folded[i:j] {
				if d != ',' {
					key = append(key, d)
				}
			}
			out = append(out, token{Span: text.Span{Start: at, End: span.Start + j}, key: string(key), weight: 2, digits: true})
			i = j
		case unicode.IsLetter(r):
			j := i + 1
			for j < len(folded) && (unicode.IsLetter(folded[j]) && !text.IsHan(folded[j]) || j+1 < len(folded) && (folded[j] == '\'' || folded[j] == '’') && unicode.IsLetter(folded[j+1])) {
				j++
			}
			word := string(folded[i:j])
			w := 2.0
			if text.StopWord(word) {
				w = 0.2
			}
			out = append(out, token{Span: text.Span{Start: at, End: span.Start + j}, key: text.Stem(word), weight: w})
			i = j
		case r == '%' || r == '‰' || unicode.Is(unicode.Sc, r):
			out = append(out, token{Span: text.Span{Start: at, End: at + 1}, key: string(r), weight: 1, digits: true})
			i++
		default:
			i++
		}
	}
	return out
}

// op is a place where two aligned wordings part: claim tokens [a0,a1) stand where
// the source has [b0,b1).
type op struct{ a0, a1, b0, b1 int }

// nearQuote is the alignment of a claim with one sentence.
type nearQuote struct {
	page, sentence int
	share          float64
	claim, source  []token
	ops            []op
	exact          bool
}

// sentenceTokens are the tokens of a sentence of the page.
func (s *sheet) sentenceTokens(i int) []token {
	return tokens(s.page, s.page.Sentences[i].Span)
}

// nearest lists the sentences that are worded as the claim, best first.
func (k *Checker) nearest(c Claim, span text.Span) []nearQuote {
	a := tokens(c.Page, span)
	total := 0.0
	for _, t := range a {
		total += t.weight
	}
	if total < 3 || len(a) > nearLimit {
		return nil
	}
	var out []nearQuote
	for p, v := range k.views {
		for s := range v.page.Sentences {
			switch v.page.Sentences[s].Kind {
			case HeadingLine, HeaderRow, Row, Code:
				continue
			}
			b := v.sentenceTokens(s)
			if len(b) == 0 || len(b) > nearLimit || bagShare(a, b)/total < nearShare {
				continue
			}
			if n := align(a, b); n.share >= nearShare {
				n.page, n.sentence = p, s
				out = append(out, n)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].share > out[j].share })
	return out
}

// bagShare is the weight of the tokens of a that b has at all.
func bagShare(a, b []token) float64 {
	have := make(map[string]bool, len(b))
	for _, t := range b {
		have[t.key] = true
	}
	sum := 0.0
	for _, t := range a {
		if have[t.key] {
			sum += t.weight
		}
	}
	return sum
}

// align matches the tokens of a claim with those of a sentence in order.
func align(a, b []token) nearQuote {
	n := nearQuote{claim: a, source: b}
	w := len(b) + 1
	best := make([]float64, (len(a)+1)*w)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			x := max(best[(i+1)*w+j], best[i*w+j+1])
			if a[i].key == b[j].key {
				m := best[(i+1)*w+j+1] + a[i].weight + 0.01
				if i+1 < len(a) && j+1 < len(b) && a[i+1].key == b[j+1].key {
					m += 0.02 // runs are likelier than scattered matches
				}
				x = max(x, m)
			}
			best[i*w+j] = x
		}
	}
	match := make([]int, len(a))
	for i := range match {
		match[i] = -1
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		x := best[i*w+j]
		switch {
		case x == best[(i+1)*w+j]:
			i++
		case x == best[i*w+j+1]:
			j++
		default:
			match[i] = j
			i, j = i+1, j+1
		}
	}
	// A Han character that matches alone is a chance, unless both its sides do.
	for i := range a {
		if match[i] < 0 || !a[i].han {
			continue
		}
		left := i > 0 && match[i-1] == match[i]-1 && match[i-1] >= 0
		right := i+1 < len(a) && match[i+1] == match[i]+1
		if !left && !right && (i > 0 && match[i-1] < 0 || i+1 < len(a) && match[i+1] < 0) {
			match[i] = -1
		}
	}
	sum, total := 0.0, 0.0
	for i := range a {
		total += a[i].weight
		if match[i] >= 0 {
			sum += a[i].weight
		}
	}
	n.share = sum / total
	j := 0
	for i := 0; i <= len(a); {
		if i < len(a) && match[i] == j {
			i, j = i+1, j+1
			continue
		}
		e := i
		for e < len(a) && match[e] < 0 {
			e++
		}
		to := len(b)
		if e < len(a) {
			to = match[e]
		}
		if e > i || to > j {
			n.ops = append(n.ops, op{i, e, j, to})
		}
		if e >= len(a) {
			break
		}
		i, j = e, to
	}
	n.exact = len(n.ops) == 0
	return n
}

// stanceKind sorts words that change what a statement commits to.
type stanceKind int16

const (
	negator stanceKind = iota + 1
	modalMust
	modalMay
	modalMustNot
	modalShould
	modalShouldNot
	modalNeedNot
	modalPossible
	modalPlanned
	quantAll
	quantSome
	quantOnly
	exception
	supposition
	approximate
	ending // a verb that ends something: it denies as a negation does, or is what somebody does
)

// stanceWordList finds those words in a folded text, longest first.
var stanceWordList = text.NewTrie(map[int16]string{
	int16(negator):        "不|没|未|无|非|没有|并非|并不|并未|从未|从不|尚未|毫无|not|no|never|neither|nor|without|cannot|can't|none|nothing|nobody|hardly|isn't|wasn't|aren't|weren't|don't|doesn't|didn't|won't|hasn't|haven't|hadn't|shouldn't|couldn't|wouldn't|fails to|failed to|unable to",
	int16(modalMust):      "不得不|不能不|不可不|要先|要提前|要事先|得先|得提前|必须|应当|须|务必|一定要|必需|需要|需|must|shall|have to|has to|had to|need to|needs to|required to|obliged to",
	int16(modalMay):       "可以|可|能够|能|允许|准许|有权|may|can|allowed to|permitted to|free to|able to|capable of|has the ability to|have the ability to|in a position to|has permission to|have permission to|it is possible to|entitled to",
	int16(modalMustNot):   "不得|不可|不能|不准|禁止|严禁|不可以|不允许|请勿|切勿|must not|shall not|may not|not allowed|not permitted|prohibited|forbidden|mustn't",
	int16(modalShould):    "应|应该|建议|宜|最好|should|ought to|recommended|advisable",
	int16(modalShouldNot): "不应|不宜|不应当|不建议|should not|shouldn't|ought not|not recommended|not advisable",
	int16(modalNeedNot):   "不必|无须|无需|不需|不需要|不用|毋须|用不着|没必要|need not|needn't|not required|not necessary|not obliged|does not have to|do not have to|does not need to|do not need to",
	int16(modalPossible):  "可能|或许|也许|大概|有望|疑似|据称|据说|或将|might|could|perhaps|possibly|probably|likely|reportedly|allegedly|appears to|seems to|suggests|suggest",
	int16(modalPlanned):   "计划|拟|预计|打算|拟于|预期|规划|plans to|plan to|planned to|intends to|expected to|aims to|hopes to|scheduled to|proposed to",
	int16(quantAll):       "所有|全部|全体|任何|一切|均|都|一律|各|每个|始终|总是|任意|完全|all|every|any|always|each|both|entire|entirely|completely|regardless|in all cases|everyone|everything",
	int16(quantSome):      "部分|有些|某些|一些|少数|多数|大多数|大部分|有的|通常|一般|往往|主要|几乎|some|most|many|several|few|certain|usually|often|generally|mostly|sometimes|mainly|partly|almost|nearly all|typically",
	int16(quantOnly):      "nobody but|no one but|none but|nobody except|no one except|nobody other than|no one other than|nothing but|仅|只|只有|仅有|唯一|仅限|只能|only|solely|exclusively|just|merely|sole",
	int16(exception):      "除|除外|除了|之外|以外|但|但是|除非|例外|except|unless|other than|apart from|but|excluding|however|although|though",
	int16(ending):         "停止|停办|停售|停播|停供|停发|停用|停开|停映|停收|停产|停刊|停招|停运|停航|停驶|停演|停诊|停课|停业|停订|暂停|中止|终止|取消|撤销|关停",
	int16(supposition):    "如果|若|假如|的话|情况下|凡|只要|一旦|if|provided|when|where|once|as long as|in case|subject to",
})

// stances lists the kinds of stance words in a span of tokens of a page, looking
// one token to either side so that a word that is changed in part is seen whole.
func stancesIn(p *Page, ts []token, lo, hi int) map[stanceKind]int {
	out := map[stanceKind]int{}
	if lo >= hi {
		return out
	}
	first, last := lo, hi
	if first > 0 && ts[first].han && ts[first-1].End == ts[first].Start {
		first--
	}
	if last < len(ts) && ts[last-1].han && ts[last-1].End == ts[last].Start {
		last++
	}
	span := text.Span{Start: ts[first].Start, End: ts[last-1].End}
	inner := text.Span{Start: ts[lo].Start, End: ts[hi-1].End}
	folded := text.Fold(p.Runes[span.Start:span.End])
	for i := 0; i < len(folded); i++ {
		if i > 0 && !text.IsHan(folded[i]) && text.IsWord(folded[i-1]) && !text.IsHan(folded[i-1]) {
			continue
		}
		if folded[i] == '除' && span.Start+i > 0 && strings.ContainsRune("拆扣免删清消解排去移切剔根废开铲", p.Runes[span.Start+i-1]) {
			continue // 拆除非承重墙
		}
		end, id, ok := stanceWordList.Longest(folded, i)
		if !ok {
			continue
		}
		if !text.IsHan(folded[i]) && end < len(folded) && text.IsWord(folded[end]) && !text.IsHan(folded[end]) {
			continue
		}
		at := text.Span{Start: span.Start + i, End: span.Start + end}
		if at.Overlaps(inner) {
			out[stanceKind(id)]++
		}
		i = end - 1
	}
	return out
}

// wholeStance is the kind of stance that a text is a word of and nothing else; 0 for none.
func wholeStance(s string) stanceKind {
	folded := text.Fold([]rune(s))
	if len(folded) == 0 {
		return 0
	}
	if end, id, ok := stanceWordList.Longest(folded, 0); ok && end == len(folded) {
		return stanceKind(id)
	}
	return 0
}

// otherValue begins the reason for a value that the source gives otherwise. A claim
// that changes two of them speaks of another case than the sentence does.
const otherValue = "the source says "

// newWords begins the reason for content that the source does not have.
const newWords = "not in the sources: "

// judgement of one place.
type judgement int

const (
	harmless judgement = iota
	open               // cannot be told here
	lacking            // the source does not say it
	opposite           // the source says otherwise
)

// quoted judges a claim by the sentences it nearly quotes; false when there are
// none, or what differs cannot be told from the words alone.
func (k *Checker) quoted(c Claim, span text.Span) (Support, bool) {
	var worstCase *Support
	for _, n := range k.nearest(c, span) {
		v := k.views[n.page]
		info := v.page.Sentences[n.sentence]
		times := clauseTimes(c.Page, span)
		if !k.speaks(c, times, v) {
			continue
		}
		ref := Ref{Page: n.page, Fact: -1, Span: info.Span, Score: n.share}
		verdict, why := harmless, ""
		lacks, others, unknown, cut := 0, 0, false, true
		for _, o := range n.ops {
			j, w := k.judge(c.Page, n, o)
			unknown = unknown || j == open
			if j == open && (o.a0 != o.a1 || w != "") {
				cut = false
			}
			if j == opposite && strings.HasPrefix(w, otherValue) {
				others++
			}
			if j == lacking {
				lacks++
				if strings.HasPrefix(w, newWords) {
					cut = false
				}
			}
			if j > verdict {
				verdict, why = j, w
			}
		}
		if lacks > 1 || others > 1 || unknown && !(cut && verdict > open) {
			verdict = open // not a quote any more, but other words
		}
		switch verdict {
		case harmless:
			if !n.exact {
				if s, bad := k.accountQuote(c, span, n); bad {
					return s, true
				}
			}
			return Support{Ground: OnQuote, Verdict: SupportedClaim, Probability: 0.97, Evidence: []Ref{ref}}, true
		case lacking, opposite:
			if worstCase == nil {
				if k.namesException(c, span, n.page, n.sentence) {
					return Support{}, false // the rule is not what it quotes
				}
				if verdict == lacking && strings.HasPrefix(why, newWords) { // another name may be another holder
					if s, bad := k.accountQuote(c, span, n); bad && s.Verdict == ContradictedClaim {
						return s, true
					}
				}
				s := Support{Ground: OnQuote, Verdict: UnsupportedClaim, Probability: 0.08, Reason: why, Evidence: []Ref{ref}}
				if verdict == opposite {
					s.Verdict, s.Probability = ContradictedClaim, 0.03
				}
				worstCase = &s
			}
		case open:
			// Another reading must decide; a worse sentence must not.
			if worstCase == nil {
				return Support{}, false
			}
		}
	}
	if worstCase != nil {
		return *worstCase, true
	}
	return Support{}, false
}

func opText(p *Page, ts []token, lo, hi int) string {
	if lo >= hi {
		return ""
	}
	return string(p.Runes[ts[lo].Start:ts[hi-1].End])
}

func clauseTimes(p *Page, span text.Span) []when.Expr {
	var out []when.Expr
	for i := range p.Clauses {
		if span.Contains(p.Clauses[i].Span) {
			out = append(out, p.Clauses[i].Times...)
		}
	}
	return out
}

// judge looks at one place where claim and source part.
func (k *Checker) judge(cp *Page, n nearQuote, o op) (judgement, string) {
	sp := k.views[n.page].page
	ins, del := opText(cp, n.claim, o.a0, o.a1), opText(sp, n.source, o.b0, o.b1)
	claimStance, sourceStance := stancesIn(cp, n.claim, o.a0, o.a1), stancesIn(sp, n.source, o.b0, o.b1)
	if o.b0 == o.b1 && o.a0 < o.a1 { // 须 → 必须, 不 → 并不: the word that was made longer stood there
		for kind := range stancesIn(sp, n.source, max(0, o.b0-1), min(len(n.source), o.b0+1)) {
			delete(claimStance, kind)
		}
	}
	claimWeight, sourceWeight := weightOf(n.claim, o.a0, o.a1), weightOf(n.source, o.b0, o.b1)
	if o.a0 == o.a1 {
		return k.left(cp, sp, n, o, sourceStance)
	}
	if chargeOf(fold(ins)) < 0 && chargeOf(fold(del)) < 0 {
		return harmless, "" // free of charge, told as for nothing
	}
	if j, why, ok := k.changedValue(cp, sp, n, o); ok {
		return j, why
	}
	if e := k.engine; o.b0 < o.b1 && e.synonyms(ins, del) {
		return harmless, ""
	}
	if kind := wholeStance(ins); kind != 0 && kind == wholeStance(del) { // 必须, 不得不
		return harmless, ""
	}
	// Negation on one side only.
	if j, why := boundOtherwise(claimStance, sourceStance); j != harmless {
		return j, why
	}
	neg := func(m map[stanceKind]int) int {
		return m[negator] + m[modalMustNot] + m[modalShouldNot] + m[modalNeedNot]
	}
	if a, b := claimStance[ending], sourceStance[ending]; a != b && a+b == 1 {
		if (neg(claimStance)+a)%2 == (neg(sourceStance)+b)%2 { // 停止供应, 不再供应
			return harmless, ""
		}
		return open, ""
	}
	if neg(claimStance)%2 == 0 && neg(sourceStance)%2 == 1 && o.b1 < len(n.source) && k.negatorBefore(sp, n.source, o) {
		return opposite, "the source says the opposite" // without sugar → with sugar
	}
	if neg(claimStance)%2 != neg(sourceStance)%2 {
		if claimWeight-sourceWeight < 4 && sourceWeight-claimWeight < 4 {
			return opposite, "the source says the opposite"
		}
		return open, ""
	}
	if j, why := modalChange(claimStance, sourceStance); j != harmless {
		return j, why
	}
	if a, b := edgeOf(ins), edgeOf(del); a != 0 && b != 0 && a != b && o.b1 < len(n.source) && n.source[o.b1].digits {
		return opposite, otherValue + strings.TrimSpace(del) + ", not " + strings.TrimSpace(ins) // open until 9:00, told as from 9:00
	}
	// What is left is content.
	if claimWeight < 0.7 {
		if sourceWeight < 4 {
			if o.b0 > 0 && o.b1 < len(n.source) && boundary(sp, text.Span{Start: n.source[o.b0-1].End, End: n.source[o.b1].Start}) {
				return open, "" // what stands behind the comma is another thing
			}
			return harmless, ""
		}
		return k.left(cp, sp, n, o, sourceStance)
	}
	fresh := k.fresh(cp, n, o)
	if a, b := named(cp, n.claim, o.a0, o.a1), named(sp, n.source, o.b0, o.b1); fresh == "" && a != "" && b != "" {
		fresh = a // one name for another, even if the page knows both
	}
	if fresh == "" {
		if o.b0 == o.b1 || sourceWeight < 1 {
			return harmless, ""
		}
		return open, ""
	}
	if sourceWeight < 1 && claimWeight < 1.5 {
		return open, ""
	}
	if n.share < 0.8 && claimWeight < 2 {
		return open, ""
	}
	return lacking, newWords + fresh
}

// edgeOf is +1 for a word from which on something is so, -1 for one up to which, 0 for another.
func edgeOf(s string) int {
	switch strings.TrimSpace(fold(s)) {
	case "from", "since", "after", "starting", "starting at":
		return 1
	case "until", "till", "before", "up to", "ending at":
		return -1
	}
	return 0
}

// named is the first capitalised word of a range of tokens that its sentence does not
// begin with.
func named(p *Page, ts []token, lo, hi int) string {
	for _, t := range ts[lo:hi] {
		if !t.han && !t.digits && isName(p.Runes, t.Span) {
			return p.Quote(t.Span)
		}
	}
	return ""
}

// left judges words of the source that the claim leaves out: what limits the
// statement must stay.
func (k *Checker) left(cp, sp *Page, n nearQuote, o op, stance map[stanceKind]int) (judgement, string) {
	span := text.Span{Start: n.source[o.b0].Start, End: n.source[o.b1-1].End}
	if o.b0 > 0 {
		span.Start = n.source[o.b0-1].End
	}
	if o.b1 < len(n.source) {
		span.End = n.source[o.b1].Start
	}
	words := fold(sp.Quote(span))
	for _, at := range limiting.FindAllStringIndex(words, -1) {
		start := span.Start + utf8.RuneCountInString(words[:at[0]])
		if !limitsOther(cp, sp, n, o, text.Span{Start: start, End: start + utf8.RuneCountInString(words[at[0]:at[1]])}) {
			return lacking, "the source limits it"
		}
	}
	edge := o.a0 == 0 || o.a1 == len(n.claim)
	if !edge && weightOf(n.source, o.b0, o.b1) < 6 && stance[supposition]+stance[exception] == 0 {
		switch {
		case (stance[negator]+stance[modalMustNot])%2 == 1 && !boundary(sp, span):
			return opposite, "the source says the opposite"
		case stance[modalPossible]+stance[modalPlanned] > 0:
			return lacking, "the source is less certain"
		case stance[quantOnly]+stance[quantSome] > 0 && !boundary(sp, span):
			return lacking, "the source limits it"
		case stance[modalMay] > 0 && !boundary(sp, span):
			return open, ""
		}
	}
	if stance[exception]+stance[negator]+stance[modalMustNot]+stance[modalShouldNot]+stance[modalNeedNot] > 0 {
		return open, "what is left out may turn it"
	}
	if stance[supposition]+stance[quantOnly]+stance[quantSome]+stance[modalPossible]+stance[modalPlanned] > 0 {
		return open, ""
	}
	if !edge && boundary(sp, span) || k.hasValue(sp, span) {
		return open, ""
	}
	for i := range sp.Clauses {
		cl := &sp.Clauses[i]
		for _, cond := range cl.Conditions {
			if !cond.Span.Empty() && cond.Span.Overlaps(span) {
				return open, ""
			}
		}
	}
	if edge || weightOf(n.source, o.b0, o.b1) < 8 {
		return harmless, ""
	}
	return open, ""
}

// limiting are words that narrow a statement to a case without a conjunction: an
// approval, days of the week, a description of who is meant.
var limiting = guarded(`经[^，。；]{1,12}(?:批准|同意|许可|授权|审批|审核)|周末|节假日|工作日|双休日|周[一二三四五六日]|星期[一二三四五六日天]|旺季|淡季|夜间|` +
	`\bwith (?:the )?(?:prior |written |express )*(?:approval|permission|consent|authori[sz]ation)\b|\b(?:on|at|during) (?:weekends?|weekdays?|(?:public |bank )?holidays?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)\b|` +
	`\bwho (?:have|has|had|are|is|were|work|hold|live)\b|\bsubject to\b|\b(?:before|after|until|till) (?:noon|midday|midnight|dawn|dusk|sunrise|sunset|dark|nightfall)\b`)

// droppedLimit is the first limit of the source that the claim does not name; "" if
// there is none.
func (k *Checker) droppedLimit(claim, source string) string {
	source = fold(source)
	loc := limiting.FindString(source)
	if loc == "" || limiting.MatchString(fold(claim)) {
		return ""
	}
	w := k.engine.wording(loc, nil)
	if w.total > 0 && w.cover(bagOf(k.engine.wording(claim, nil))).score >= 0.5 {
		return ""
	}
	return loc
}

// boundary reports whether a span holds the end of a clause or of a list item.
func boundary(p *Page, span text.Span) bool {
	for _, r := range p.Runes[span.Start:span.End] {
		switch r {
		case '，', '；', '、', '：', ',', ';', ':', '（', '(', '—':
			return true
		}
	}
	return false
}

func (k *Checker) hasValue(p *Page, span text.Span) bool {
	for i := range p.Clauses {
		cl := &p.Clauses[i]
		if !cl.Overlaps(span) {
			continue
		}
		for _, q := range cl.Quantities {
			if q.Span.Overlaps(span) && !q.Weak {
				return true
			}
		}
		for _, t := range cl.Times {
			if t.Span.Overlaps(span) {
				return true
			}
		}
	}
	return false
}

func weightOf(ts []token, lo, hi int) float64 {
	w := 0.0
	for _, t := range ts[lo:hi] {
		w += t.weight
	}
	return w
}

// modalChange compares how two wordings of one place bind.
func modalChange(claim, source map[stanceKind]int) (judgement, string) {
	has := func(m map[stanceKind]int, k stanceKind) bool { return m[k] > 0 }
	only := func(k stanceKind) bool { return has(claim, k) && !has(source, k) }
	gone := func(k stanceKind) bool { return has(source, k) && !has(claim, k) }
	switch {
	case only(modalMust) && gone(modalShould) || only(modalShould) && gone(modalMust):
		return lacking, "another degree"
	case only(modalMust) && gone(modalMay) || only(modalMay) && gone(modalMust):
		return opposite, "the source binds otherwise"
	case gone(modalPossible) && !has(claim, modalPlanned) || gone(modalPlanned) && !has(claim, modalPossible):
		return lacking, "the source is less certain"
	case only(modalMust):
		return lacking, "the source does not oblige"
	case only(quantOnly) || only(quantAll) && !has(source, quantAll):
		if only(quantAll) && gone(quantSome) {
			return opposite, "the source says it of some only"
		}
		return lacking, "the source does not say it of all, or only of these"
	case gone(quantOnly) || gone(quantSome):
		return lacking, "the source limits it"
	case gone(exception) || gone(supposition):
		return open, ""
	}
	return harmless, ""
}

// boundOtherwise compares bans, duties and releases that stand in one place.
func boundOtherwise(claim, source map[stanceKind]int) (judgement, string) {
	binds := func(m map[stanceKind]int) stanceKind {
		for _, k := range []stanceKind{modalNeedNot, modalShouldNot, modalMustNot, modalMust, modalShould, modalMay} {
			if m[k] > 0 {
				return k
			}
		}
		return 0
	}
	a, b := binds(claim), binds(source)
	if a == 0 || b == 0 || a == b {
		return harmless, ""
	}
	switch [2]stanceKind{a, b} {
	case [2]stanceKind{modalShouldNot, modalMustNot}, [2]stanceKind{modalMustNot, modalShouldNot}:
		return lacking, "another degree"
	}
	if a >= modalShouldNot || a == modalMustNot || b == modalMustNot || b >= modalShouldNot {
		return opposite, "the source binds otherwise"
	}
	if a != modalShould && b != modalShould { // must and may
		return opposite, "the source binds otherwise"
	}
	return lacking, "another degree"
}

// negatorBefore reports whether the source's side of a place ends in a negation of
// the words that follow and match.
func (k *Checker) negatorBefore(sp *Page, source []token, o op) bool {
	if o.b1-o.b0 < 2 {
		return false
	}
	last := stancesIn(sp, source, o.b1-1, o.b1)
	return last[negator] > 0 && !boundary(sp, text.Span{Start: source[o.b1-1].End, End: source[o.b1].Start})
}

// changedValue judges a place that touches a number or time.
func (k *Checker) changedValue(cp, sp *Page, n nearQuote, o op) (judgement, string, bool) {
	as, bs := spanOf(n.claim, o.a0, o.a1), spanOf(n.source, o.b0, o.b1)
	claimDigits, sourceDigits := hasDigits(n.claim, o.a0, o.a1), hasDigits(n.source, o.b0, o.b1)
	if claimDigits && elsewhereIn(n, o) {
		return open, "stated elsewhere in the sentence", true
	}
	ta, okA := timeAt(cp, as)
	tb, okB := timeAt(sp, bs)
	if okA && okB {
		r, _ := when.Compare(ta, tb)
		switch when.Within(ta, tb) {
		case relation.Same:
			return harmless, "", true
		case relation.Excludes:
			if saidOn(sp, n.sentence, ta) {
				return open, "stated elsewhere in the sentence", true
			}
			return opposite, otherValue + sp.Quote(tb.Span) + ", not " + cp.Quote(ta.Span), true
		}
		switch {
		case ta.From.Equal(tb.From) && ta.To.Equal(tb.To) && !(ta.From.IsZero() && ta.To.IsZero()):
			return harmless, "", true
		case r == relation.Same && !claimDigits:
			return open, "", true
		case toldIn(sp, n.sentence, ta):
			return open, "stated elsewhere in the sentence", true
		case claimDigits && sourceDigits || r == relation.Excludes:
			return opposite, otherValue + sp.Quote(tb.Span) + ", not " + cp.Quote(ta.Span), true
		}
		return lacking, "no passage gives " + cp.Quote(ta.Span) + " for this", true
	}
	qa, okQA := quantityAt(cp, as)
	qb, okQB := quantityAt(sp, bs)
	if okQA && okQB && !okA && !okB {
		r, _ := quantity.Compare(qa, qb)
		switch r {
		case relation.Same:
			return harmless, "", true
		case relation.Excludes:
			return opposite, otherValue + sp.Quote(qb.Span) + ", not " + cp.Quote(qa.Span), true
		}
		if as.Overlaps(qa.NounSpan) && !hasDigits(n.claim, o.a0, o.a1) && !qa.NounSpan.Empty() {
			return open, "", false // the counted thing is worded otherwise
		}
		if equalNumbers(qa, qb) || claimDigits && sourceDigits {
			return opposite, otherValue + sp.Quote(qb.Span) + ", not " + cp.Quote(qa.Span), true
		}
		return open, "", true
	}
	if okA && toldIn(sp, n.sentence, ta) {
		return open, "stated elsewhere in the sentence", true
	}
	if claimDigits && sourceDigits {
		return opposite, otherValue + opText(sp, n.source, o.b0, o.b1) + ", not " + opText(cp, n.claim, o.a0, o.a1), true
	}
	if claimDigits {
		return open, "", true
	}
	return harmless, "", false
}

// toldIn reports whether a sentence tells of a time as well, perhaps in other words: 上年 of 2024.
func toldIn(p *Page, sentence int, t when.Expr) bool {
	for i := range p.Clauses {
		if c := &p.Clauses[i]; c.Sentence == sentence && slices.ContainsFunc(c.Times, func(o when.Expr) bool {
			return !t.From.IsZero() && !t.To.IsZero() && o.From.Equal(t.From) && o.To.Equal(t.To)
		}) {
			return true
		}
	}
	return false
}

// elsewhereIn reports whether the numbers of a place stand in another place of the
// sentence, so that the alignment may have taken the wrong one.
func elsewhereIn(n nearQuote, o op) bool {
	for _, t := range n.claim[o.a0:o.a1] {
		if !t.digits || t.key == "%" {
			continue
		}
		for j, s := range n.source {
			if (j < o.b0 || j >= o.b1) && s.key == t.key {
				return true
			}
		}
	}
	return false
}

// equalNumbers reports whether two quantities of different units share their digits.
func equalNumbers(a, b quantity.Quantity) bool { return a.Unit.Name != b.Unit.Name }

func spanOf(ts []token, lo, hi int) text.Span {
	if lo >= hi {
		return text.Span{}
	}
	return text.Span{Start: ts[lo].Start, End: ts[hi-1].End}
}

func hasDigits(ts []token, lo, hi int) bool {
	for _, t := range ts[lo:hi] {
		if t.digits {
			return true
		}
	}
	return false
}

func timeAt(p *Page, s text.Span) (when.Expr, bool) {
	if s.Empty() {
		return when.Expr{}, false
	}
	for i := range p.Clauses {
		if !p.Clauses[i].Overlaps(s) {
			continue
		}
		for _, t := range p.Clauses[i].Times {
			if t.Span.Overlaps(s) {
				return t, true
			}
		}
	}
	return when.Expr{}, false
}

func quantityAt(p *Page, s text.Span) (quantity.Quantity, bool) {
	if s.Empty() {
		return quantity.Quantity{}, false
	}
	for i := range p.Clauses {
		if !p.Clauses[i].Overlaps(s) {
			continue
		}
		for _, q := range p.Clauses[i].Quantities {
			if q.Span.Overlaps(s) {
				return q, true
			}
		}
	}
	return quantity.Quantity{}, false
}

// synonyms reports whether two phrases mean the same by the dictionary.
func (e *Engine) synonyms(a, b string) bool {
	wa, wb := e.wording(a, nil), e.wording(b, nil)
	if wa.total == 0 || wb.total == 0 {
		return false
	}
	return wa.scoreOn(bagOf(wb)) >= 0.9 && wb.scoreOn(bagOf(wa)) >= 0.9
}

// fresh names the first content of the claim's side of a place that the page does
// not carry around the quoted sentence; "" when it carries all of it.
func (k *Checker) fresh(cp *Page, n nearQuote, o op) string {
	v := k.views[n.page]
	span := spanOf(n.claim, o.a0, o.a1)
	whole := span
	if o.a1 < len(n.claim) { // able to, of which the place may have the first word alone
		whole.End = n.claim[o.a1].End
	}
	modal := modalSpans(cp.Runes, whole)
	w := k.engine.wordingOf(cp.Runes, span, nil, modal)
	if len(w.cells) == 0 {
		if weightOf(n.claim, o.a0, o.a1) >= 1.5 && len(modal) == 0 {
			return cp.Quote(span)
		}
		return ""
	}
	cells := make([]float64, len(w.cells))
	lift(w, cells, v.frameBag(), 1)
	for s := max(0, n.sentence-1); s <= n.sentence; s++ {
		info := v.page.Sentences[s]
		for c := info.Clauses[0]; c < info.Clauses[1] && c < len(v.page.Clauses); c++ {
			lift(w, cells, v.clauseBag(c), 1)
		}
	}
	for _, g := range w.gaps(cells, cellCovered) {
		if g.weight >= 1 {
			return w.text(g.Span)
		}
	}
	return ""
}
