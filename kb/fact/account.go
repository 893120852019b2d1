package fact

import (
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A claim whose words all stand in the sources need not be what they say: the words may
// come from two rules, from a rule and its denial, or from the right rule with one word
// turned. Before a claim counts as supported, each part that sets it apart must be
// accounted for by the stretch that supports it: bounds and cases, who acts, which way,
// and whether the words are affirmed there.

// account looks for a part of a clause that its source does not account for; false when
// there is none.
func (k *Checker) account(c Claim, i int, facts []int, best found) (Support, bool) {
	p := c.Page
	cl := &p.Clauses[i]
	v := k.views[best.page]
	at := k.groupAt(best.page, best.clause)
	if at == nil || foreign(p, v.page) {
		return Support{}, false
	}
	src := &v.page.Clauses[best.clause]
	whole := v.page.Sentences[src.Sentence].Span
	refs := k.refs([]found{best})
	contradicted := func(why string) (Support, bool) {
		return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: refs, Reason: why, Ground: OnStance}, true
	}
	unsupported := func(why string) (Support, bool) {
		return Support{Verdict: UnsupportedClaim, Probability: 0.12, Evidence: refs, Reason: why, Ground: OnStance}, true
	}
	if why, against := k.bounded(c, i, facts, at); why != "" {
		if against {
			return contradicted(why)
		}
		return unsupported(why)
	}
	neg, negSource := denies(p, cl, v.page, src)
	if neg == negSource {
		if why := turnedWord(p.Quote(cl.Span), v.page.Quote(at.Span), v.page.Quote(whole)); why != "" {
			return contradicted("the source has it the other way: " + why)
		}
		if why := otherAgent(p.Quote(cl.Span), v.page.Quote(whole)); why != "" {
			return contradicted("the source names " + why)
		}
	}
	claim := speakerOf(p, c.Span)
	if len(facts) == 1 {
		claim = speakerOf(p, stretchOf(c, &p.Facts[facts[0]]))
	}
	for g := range claim.said { // visitors, of what can be visited
		if doesOne(g, func(verb string) bool { return at.all[verb] > 0 }) {
			delete(claim.said, g)
			delete(claim.first, g)
		}
	}
	if x := k.sibling(claim, at); x != nil {
		return unsupported("said of " + strings.TrimSpace(v.page.Quote(at.label)))
	}
	if who := k.otherClause(claim, at, best); who != "" {
		return unsupported("said of " + who)
	}
	if who := k.lacksAgent(p.Quote(cl.Span), best); who != "" {
		return unsupported("not said of " + who)
	}
	if neg == negSource {
		if who := k.actsInstead(p, cl, best); who != "" {
			return contradicted("the source names " + who)
		}
	}
	if d := k.leftOut(p.Quote(c.Span), v.page.Quote(whole)); d != "" {
		s, bad := unsupported("the source limits it: " + d)
		s.Limited = true
		return s, bad
	}
	if n := k.deniedBeside(c, cl, at, best); n >= 0 {
		o := &v.page.Clauses[n]
		refs = k.refs([]found{{page: best.page, fact: -1, clause: n, fit: best.fit}, best})
		return contradicted("the source says otherwise: " + v.page.Quote(o.Span))
	}
	return Support{}, false
}

// accountQuote is account for a near quote, clause by clause.
func (k *Checker) accountQuote(c Claim, span text.Span, n nearQuote) (Support, bool) {
	p := c.Page
	info := k.views[n.page].page.Sentences[n.sentence]
	for i := range p.Clauses {
		cl := &p.Clauses[i]
		if !span.Contains(cl.Span) || info.Clauses[0] >= info.Clauses[1] {
			continue
		}
		said := grams(p, cl.Span)
		at, most := info.Clauses[0], 0.0
		for s := info.Clauses[0]; s < info.Clauses[1]; s++ {
			if x := weighs(said, k.clauseGrams(n.page, s)); x > most {
				at, most = s, x
			}
		}
		var facts []int
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
			facts = append(facts, f)
		}
		if s, bad := k.account(c, i, facts, found{page: n.page, fact: -1, clause: at, fit: n.share}); bad {
			return s, true
		}
	}
	return Support{}, false
}

// bounded compares the bounds and cases of a claim (漏服10小时的, once it is six weeks
// overdue) with those of the sentence that supports it. why is "" where each is met;
// against is true where the sentence names another one.
func (k *Checker) bounded(c Claim, i int, facts []int, at *group) (why string, against bool) {
	p := c.Page
	cl := &p.Clauses[i]
	page := k.views[at.page].page
	for _, q := range cl.Quantities {
		if q.Weak || namedNumber(p.Runes, q.Span) {
			continue
		}
		names := q.Unit.Dim == quantity.Ordinal || singleUnit(&q)
		checked := false
		for _, f := range facts {
			checked = checked || p.Facts[f].Value.Span.Overlaps(q.Span)
		}
		for _, t := range cl.Times {
			checked = checked || t.Span.Overlaps(q.Span)
		}
		if checked {
			continue
		}
		met, other := false, ""
		info := page.Sentences[at.sentence]
		for n := info.Clauses[0]; n < info.Clauses[1]; n++ {
			for _, t := range page.Clauses[n].Quantities {
				if t.Weak || loose(t.Unit.Dim) != loose(q.Unit.Dim) || names && q.Unit.Dim != quantity.Ordinal && t.Unit.Name != q.Unit.Name {
					continue
				}
				switch r, _ := quantity.Compare(q, t); {
				case q.Unit.Dim == quantity.Ordinal && q.Lo != nil && (t.Lo != nil || t.Hi != nil):
					if r == relation.Same || r == relation.Differs && t.Lo != nil && q.Lo.Cmp(t.Lo) == 0 { // of other things: by the number alone
						met = true
					} else if other == "" {
						other = page.Quote(t.Span)
					}
				case r == relation.Same, bounds(&q, &t), atLimit(&q, &t), atLimit(&t, &q):
					met = true
				case r == relation.Excludes && other == "":
					other = page.Quote(t.Span)
				}
			}
		}
		switch {
		case met:
		case other != "":
			return "the source says " + other + ", not " + p.Quote(q.Span), true
		case !names && !k.givenAnywhere(q):
			return "no passage gives " + p.Quote(q.Span) + " for this", false
		}
	}
	return "", false
}

// givenAnywhere reports whether a source has a quantity, wherever.
func (k *Checker) givenAnywhere(q quantity.Quantity) bool {
	for _, v := range k.views {
		for n := range v.page.Clauses {
			for _, t := range v.page.Clauses[n].Quantities {
				if r, _ := quantity.Compare(q, t); r == relation.Same {
					return true
				}
			}
		}
	}
	return false
}

// turns are pairs of words that say the opposite of each other of one thing. A claim
// that has one where its source has the other is turned round.
var turns = buildAxes([][2]string{
	{"before|prior to|earlier than|ahead of|之前|以前|前", "after|following|later than|之后|以后|后"},
	{"提前|提早", "推迟|延后|延迟|滞后|推后|顺延"},
	{"超前|领先|early|ahead of schedule|brought forward", "落后|滞后|late|behind schedule|postponed|delayed|put back"},
	{"rose|rises|risen|rise|increase|increases|increased|grew|grows|grown|went up|gone up|go up|goes up|up from|climbed|gained|raised|higher|增加|增长|上升|上涨|提高|升至|升到|增至|增到|提升|上调|回升|涨", "fell|falls|fallen|fall|decrease|decreases|decreased|declined|dropped|went down|gone down|come down|came down|comes down|down from|shrank|lost|slipped|lowered|cut|reduced|lower|减少|下降|下跌|降低|降至|降到|减至|减为|减到|下调|回落|缩减|跌"},
	{"improved|better|改善|好转", "worsened|worse|恶化|变差"},
	{"highest|maximum|at most|no more than|up to|longest|largest|greatest|最高|最多|最大|最长|上限|取大|不超过|至多", "lowest|minimum|at least|no less than|not less than|shortest|smallest|最低|最少|最小|最短|下限|取小|不少于|不低于|至少|起码"},
	{"first|最先|首先|首次", "last|final|最后|末次"},
	{"more than|longer than|over|above|exceed|exceeds|exceeding|larger|bigger|or more|超过|高于|大于|多于|以上|及以上|长于", "less than|shorter than|under|below|fewer than|smaller|or less|or fewer|低于|小于|少于|以下|及以下|短于|不足|不满|未满"},
	{"faster|quicker|更快", "slower|更慢"},
	{"longer|更长", "shorter|更短"},
	{"buy|buying|buyer|purchase|买方|购买方|买入", "sell|selling|seller|卖方|出售方|卖出"},
	{"open|opens|opened|opening|开放|开启|开门", "closed|close|closes|shut|关闭|关门|停用"},
	{"start|starts|begin|begins|began|started|开始|开工", "end|ends|ended|finish|截止|结束|为止"},
	{"board|load|loaded|boarding|上船|上车|装", "unload|unloaded|disembark|leave|下船|下车|卸"},
	{"agree|agreed|同意|赞成", "disagree|objected|reject|rejected|反对|不同意"},
	{"win|wins|won", "lose|loses"},
	{"accepted|accept|accepts|受理|接受|接收", "refused|refuse|rejected|turned away|拒绝|拒收|不予受理"},
	{"inside|within the|indoors|内部|室内", "outside|outdoors|外部|室外"},
	{"forward|正向", "backward|reverse|倒车|反向"},
	{"include|includes|included|including|含|包含|包括", "exclude|excludes|excluded|excluding|不含|不包括|不包含"},
	{"compulsory|mandatory|obligatory|required|强制|必须", "optional|voluntary|recommended|自愿|建议"},
	{"planned|intends|intend|plan|hopes|考虑|计划|拟", "completed|已完成|建成"},
})

// turnedWord names the word of the source that stands where the claim has its opposite;
// "" where the claim's own word stands there, too, or none does. own is the stretch that
// supports the claim, whole its sentence.
func turnedWord(claim, own, whole string) string {
	a := sidesOf(claim)
	if len(a) == 0 {
		return ""
	}
	return turnedBy(a, sidesOf(own), sidesOf(whole))
}

// turnedBy is turnedWord of the sides that each names: the first of the axes on which they part.
func turnedBy(a, b, all map[int]turnSide) string {
	for _, axis := range slices.Sorted(maps.Keys(a)) {
		s := a[axis]
		t, ok := b[axis]
		if !ok || s.sides == 3 || t.sides&s.sides != 0 || all[axis].sides&s.sides != 0 || t.sides == 3 {
			continue
		}
		if axis == 0 && (s.anchor == "" || s.anchor != t.anchor) {
			continue // before and after something else
		}
		return t.word
	}
	return ""
}

// turnedThen looks for a clause all of whose words the claim has but one, for which it has
// the opposite: shut in winter, told as open in winter.
func (k *Checker) turnedThen(c Claim, cl *Clause) (Support, bool) {
	p := c.Page
	claim := p.Quote(cl.Span)
	sides := sidesOf(claim)
	if len(sides) == 0 {
		return Support{}, false
	}
	said := grams(p, c.Span)
	for n, v := range k.views {
		if foreign(p, v.page) {
			continue
		}
		for i := range v.page.Clauses {
			o := &v.page.Clauses[i]
			if (o.Denied != (o.Modality == MustNot)) != (cl.Denied != (cl.Modality == MustNot)) || len(o.Conditions) > 0 || v.page.Sentences[o.Sentence].Kind != Prose {
				continue
			}
			own := v.clauseText(i)
			turned := *v.turned.get(i, func() *map[int]turnSide {
				sides := sidesOf(own)
				return &sides
			})
			why := turnedBy(sides, turned, turned)
			if why == "" {
				continue
			}
			at := o.Start + len([]rune(own[:strings.Index(own, why)]))
			rest := grams(v.page, o.Span, text.Span{Start: at, End: at + len([]rune(why))})
			if x := weighs(rest, nil); x < labelShare || weighs(rest, said) < 0.8*x {
				continue
			}
			return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: k.refs([]found{{page: n, fact: -1, clause: i, fit: 0.8}}), Reason: "the source has it the other way: " + why, Ground: OnStance}, true
		}
	}
	return Support{}, false
}

type turnSide struct {
	sides  int
	word   string
	anchor string // the word that before or after is said of
}

func sidesOf(s string) map[int]turnSide {
	folded := text.Fold([]rune(s))
	out := map[int]turnSide{}
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i]) && text.IsWord(folded[i-1]) && !text.IsHan(folded[i]) {
			continue
		}
		end, id, ok := turns.Longest(folded, i)
		if !ok || !text.IsHan(folded[i]) && end < len(folded) && text.IsWord(folded[end]) && !text.IsHan(folded[end]) {
			continue
		}
		axis, side := (int(id)-1)/2, (int(id)-1)%2
		t := out[axis]
		t.sides |= 1 << side
		t.word = string(folded[i:end])
		if axis == 0 {
			t.anchor = anchorOf(folded, i, end)
		}
		out[axis] = t
		i = end - 1
	}
	return out
}

// anchorOf is the word that before or after is said of: in Chinese the two characters in
// front, in English the first content word behind.
func anchorOf(folded []rune, start, end int) string {
	if text.IsHan(folded[start]) {
		if start < 2 || !text.IsHan(folded[start-1]) || !text.IsHan(folded[start-2]) {
			return ""
		}
		return string(folded[start-2 : start])
	}
	for _, w := range strings.Fields(string(folded[end:])) {
		w = strings.Trim(w, ".,;:()'\"")
		if w != "" && !text.StopWord(w) {
			return text.Stem(w)
		}
	}
	return ""
}

// Who does it: 由 and 归 in Chinese, by in English.
var (
	agentZh   = guarded(`(?:由|归)([\p{Han}A-Za-z0-9]{2,24})`)
	agentEn   = guarded(`\b([a-z]+) by (?:the |an? |our |your |its |their |his |her )?([a-z][a-z' -]*)`)
	pronounZh = guarded(`^(?:其|他|她|本人|该|此|对方)`)
	agentIn   = guarded(`^(.+?)(?: (?:and|or|who|which|that|for|in|on|at|within|to|before|after|if|when|unless|from|under|with|as|is|are|was|were|may|must|can|will|has|have|had)\b.*)?$`)
)

// otherAgent names who does it in the source where the claim names another; "" where
// they agree or one of them names nobody.
func otherAgent(claim, source string) string {
	claim, source = fold(claim), fold(source)
	if ca := agentZh.FindAllStringSubmatch(claim, 3); len(ca) > 0 {
		for _, a := range ca {
			other := ""
			for _, b := range agentZh.FindAllStringSubmatch(source, 6) {
				who, whom, ok := beforeShared([]rune(a[1]), []rune(b[1]))
				switch {
				case !ok || pronounZh.MatchString(whom):
				case strings.Contains(whom, who) || strings.Contains(who, whom):
					return ""
				default:
					other = whom
				}
			}
			if other != "" {
				return other
			}
		}
		return ""
	}
	// Who follows by, and what is done stands before it.
	agents := func(s string) map[string][]string {
		out := map[string][]string{}
		for _, m := range agentEn.FindAllStringSubmatch(s, 6) {
			var words []string
			for _, w := range strings.Fields(agentIn.FindStringSubmatch(m[2])[1]) {
				if !text.StopWord(w) {
					words = append(words, text.Stem(w))
				}
			}
			if len(words) > 0 && len(words) <= 5 {
				out[text.Stem(m[1])] = words
			}
		}
		return out
	}
	ca, sa := agents(claim), agents(source)
	for act, a := range ca {
		if b := sa[act]; b != nil && !sharesWord(a, b) {
			return strings.Join(b, " ")
		}
	}
	return ""
}

func sharesWord(a, b []string) bool {
	for _, x := range a {
		if slices.Contains(b, x) {
			return true
		}
	}
	return false
}

// beforeShared cuts two runs at what they share (the act) and returns what stands before
// it (who acts); false where they share nothing or nobody is named.
func beforeShared(a, b []rune) (who, whom string, ok bool) {
	best := 1
	for i := range a {
		for j := range b {
			n := 0
			for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] {
				n++
			}
			if n > best && i > 0 && j > 0 {
				best, who, whom, ok = n, string(a[:i]), string(b[:j]), true
			}
		}
	}
	return who, whom, ok
}

// otherClause is what the best clause begins with, where the claim begins with words of
// another clause beside it, and none of them stand in the best one; "" otherwise.
func (k *Checker) otherClause(c speaker, at *group, best found) string {
	page := k.views[best.page].page
	if at.row || c.two || page.Clauses[best.clause].Topic.Text == "" {
		return ""
	}
	src := &page.Clauses[best.clause]
	if src.Topic.Span.Empty() || !src.Contains(src.Topic.Span) {
		return "" // what it is about stands elsewhere
	}
	if second := grams(page, apposition(page, src)); weighs(second, c.first) >= labelShare && weighs(second, c.first) >= 0.5*weighs(second, nil) {
		return "" // the second name of what the clause is about
	}
	own := k.clauseGrams(best.page, best.clause)
	named := grams(page, leading(page, src.Span, labelRunes))
	if weighs(named, nil, c.said) == 0 || weighs(c.first, grams(page, leading(page, src.Span, labelRunes/2))) >= labelShare {
		return ""
	}
	for n := range page.Clauses {
		o := &page.Clauses[n]
		if n == best.clause || o.Sentence < src.Sentence-1 || o.Sentence > src.Sentence+1 || page.Sentences[o.Sentence].Kind == Row {
			continue
		}
		first := grams(page, leading(page, o.Span, labelRunes/2))
		if x := weighs(c.first, first, own, at.inherited); x >= 2*labelShare && x >= 0.5*weighs(c.first, nil) {
			return src.Topic.Text
		}
	}
	return ""
}

// appositive matches the subject of a sentence with its second name between commas: the
// present ferry, the Lady Ursula, came.
var appositive = regexp.MustCompile(`^[^,.;:]{3,80}, ((?:the |an? |its |his |her |their |our )?[^,.;:]{2,60}),? `)

// apposition is the second name that the sentence of a clause gives its subject; empty for none.
func apposition(p *Page, c *Clause) text.Span {
	s := p.Sentences[c.Sentence]
	m := appositive.FindStringSubmatchIndex(p.Quote(s.Span))
	if m == nil {
		return text.Span{}
	}
	said := p.Quote(s.Span)
	name := said[m[2]:m[3]]
	if !unicode.IsUpper(firstRune(name)) && !nameAhead.MatchString(name) || finite(name) {
		return text.Span{}
	}
	start := s.Start + utf8.RuneCountInString(said[:m[2]])
	return text.Span{Start: start, End: start + utf8.RuneCountInString(name)}
}

// nameAhead matches a determiner before a name or a thing.
var nameAhead = guarded(`^(?:the|an?|its|his|her|their|our) `)

// finite reports whether a phrase has a verb that makes it a statement.
func finite(s string) bool {
	for w := range strings.FieldsSeq(fold(s)) {
		if verbForms[w] == sureForm {
			return true
		}
	}
	return false
}

// lacksAgent is who a claim says does it, where nothing in the sentence of the best
// clause names them; "" otherwise.
func (k *Checker) lacksAgent(claim string, best found) string {
	v := k.views[best.page]
	src := &v.page.Clauses[best.clause]
	claim = fold(claim)
	bag := v.clauseBag(best.clause)
	if v.page.Sentences[src.Sentence].Kind == Row {
		return ""
	}
	for _, m := range agentEn.FindAllStringSubmatch(claim, 3) {
		if !strings.HasSuffix(m[1], "ed") && !strings.HasSuffix(m[1], "en") && m[1] != "done" && m[1] != "made" && m[1] != "paid" {
			continue
		}
		who := agentIn.FindStringSubmatch(m[2])[1]
		if w := k.engine.wording(who, nil); w.total >= 1 && w.scoreOn(bag) < 0.3 {
			return who
		}
	}
	for _, m := range agentZh.FindAllStringSubmatch(claim, 3) {
		who := []rune(m[1])
		who = who[:min(len(who), 4)]
		if w := k.engine.wording(string(who), nil); w.total >= 1 && w.scoreOn(bag) < 0.3 {
			return string(who)
		}
	}
	return ""
}

// actsInstead is who does it in the best clause by its passive, where the claim's subject
// stands nowhere in it: "the doctor measures" against "measured by a nurse".
func (k *Checker) actsInstead(p *Page, cl *Clause, best found) string {
	v := k.views[best.page]
	src := &v.page.Clauses[best.clause]
	topic := k.engine.wording(cl.Topic.Text, nil)
	if topic.total < 1 || !cl.Contains(cl.Topic.Span) || topic.scoreOn(v.saidBag(best.clause)) >= 0.3 {
		return ""
	}
	claim := fold(p.Quote(cl.Span))
	if agentEn.MatchString(claim) || agentZh.MatchString(claim) {
		return ""
	}
	words := bagOf(k.engine.wording(claim, nil))
	for _, m := range agentEn.FindAllStringSubmatch(fold(v.page.Quote(src.Span)), 3) {
		act, who := k.engine.wording(m[1], nil), agentIn.FindStringSubmatch(m[2])[1]
		if w := k.engine.wording(who, nil); w.total >= 1 && w.scoreOn(words) < 0.3 && act.total > 0 && act.scoreOn(words) >= 0.9 {
			return who
		}
	}
	return ""
}

// limitPhrases are the words with which a sentence limits what it says, with what they limit it
// to.
var limitPhrases = guarded(`(?:除非|仅限|限于|须经|且能)[^，。；]{2,16}|以[^，。；]{2,14}为(?:前提|条件)|[^，。；]{2,14}(?:除外|例外|不适用)|` +
	`\b(?:provided|providing|unless|except|only (?:if|with|within|for|when|where)|on condition|as long as|so long as|subject to|at the discretion of)\b[^.;]{0,60}`)

// comparesValues matches claims that compare values, whatever limits these.
var comparesValues = guarded(`比|倍|相差|合计|\bthan\b|\btwice\b|\bhalf of\b`)

// leftOut is a limit of the source's sentence that the claim does not name; "" for none.
func (k *Checker) leftOut(claim, sentence string) string {
	claim, sentence = withoutRemoval(fold(claim)), withoutRemoval(fold(sentence))
	if limitPhrases.MatchString(claim) || comparesValues.MatchString(claim) {
		return ""
	}
	said := bagOf(k.engine.wording(claim, nil))
	for _, m := range limitPhrases.FindAllString(sentence, 4) {
		if w := k.engine.wording(m, nil); w.total >= 1.5 && w.scoreOn(said) < 0.34 {
			return m
		}
	}
	return ""
}

// deniedBeside finds a clause beside the best one that denies words of the claim which
// the best lacks: of 一次付清，不计利息 the claim that interest is paid has 计利息. -1 for
// none.
func (k *Checker) deniedBeside(c Claim, cl *Clause, at *group, best found) int {
	p, page := c.Page, k.views[best.page].page
	src := &page.Clauses[best.clause]
	if cl.Denied || cl.Modality == MustNot || cl.Modality == NeedNot || exceptional(page, src.Sentence) {
		return -1
	}
	said := grams(p, cl.Span, append(valueSpans(cl), stanceWords(p.Runes, cl.Span)...)...)
	own := k.clauseGrams(best.page, best.clause)
	missing := map[string]float64{}
	for g, w := range said {
		if own[g] == 0 && at.inherited[g] == 0 {
			missing[g] = w
		}
	}
	worst, most := -1, 0.9
	for n := range page.Clauses {
		o := &page.Clauses[n]
		if n == best.clause || o.Sentence < src.Sentence-1 || o.Sentence > src.Sentence+1 || page.Sentences[o.Sentence].Kind == Row && o.Sentence != src.Sentence {
			continue
		}
		x := weighs(missing, k.clauseGrams(best.page, n))
		if x <= most {
			continue
		}
		most, worst = x, -1
		least := 1.0
		if o.Sentence != src.Sentence {
			least = 2.5
		}
		if o.Denied != (o.Modality == MustNot) && o.Modality != NeedNot && !exceptional(page, o.Sentence) && weighs(missing, grams(page, deniedPart(page, o))) >= least {
			worst = n
		}
	}
	return worst
}

// removals are verbs that end in 除 and make no exception: 拆除非承重墙.
var removals = guarded(`([拆扣免删清消解排去移切剔根废开铲])除`)

// withoutRemoval hides the 除 of such verbs in a folded text.
func withoutRemoval(s string) string {
	if !strings.Contains(s, "除") {
		return s
	}
	return removals.ReplaceAllString(s, "${1}□")
}

// excepts matches sentences with an exception.
var excepts = guarded(`除非|除外|除了|之外|以外|例外|\bunless\b|\bexcept|\bother than\b|\bapart from\b`)

// exceptional reports whether a sentence has an exception.
func exceptional(p *Page, sentence int) bool {
	return excepts.MatchString(withoutRemoval(fold(p.Quote(p.Sentences[sentence].Span))))
}

// deniedPart is the stretch of a clause from its negation on.
func deniedPart(p *Page, c *Clause) text.Span {
	folded := text.Fold(p.Runes[c.Start:c.End])
	for i := range folded {
		if i > 0 && text.IsWord(folded[i]) && text.IsWord(folded[i-1]) && !text.IsHan(folded[i]) {
			continue
		}
		end, id, ok := stanceWordList.Longest(folded, i)
		if !ok || !text.IsHan(folded[i]) && end < len(folded) && text.IsWord(folded[end]) && !text.IsHan(folded[end]) {
			continue
		}
		if x := stanceKind(id); x == negator || x == modalMustNot {
			return text.Span{Start: c.Start + i, End: c.End}
		}
	}
	return text.Span{Start: c.End, End: c.End}
}

// soft reports whether a value of a claim need not be a value of a source: a number that
// may be an article (一个, one), one that numbers or names (第二年, version 7), a rate's
// base (每天 written 一天), a time that only places the speaker (now, 目前, last time).
func soft(p *Page, f *Fact) bool {
	if t := f.Value.Time; t != nil {
		return t.Kind == when.Now || t.Kind == when.Vague || t.Kind == when.Relative && !hasDigit([]rune(f.Value.Text))
	}
	q := f.Value.Quantity
	if q == nil {
		return false
	}
	if q.Weak || q.Unit.Dim == quantity.Ordinal || namedNumber(p.Runes, q.Span) {
		return true
	}
	if hasDigit(p.Runes[q.Start:q.End]) || !q.Point() || q.Unit.Dim == quantity.Ratio {
		return false
	}
	words := q.Unit.Factor == nil && q.Lo.Cmp(big.NewRat(2, 1)) <= 0 && q.Unit.Dim == quantity.Count // 两个部门
	return words || singleUnit(q)
}

// singleUnit reports whether a quantity is one of its unit, in words: 一天, a week.
func singleUnit(q *quantity.Quantity) bool {
	if r := []rune(q.Raw); len(r) > 1 && r[0] == '一' && !strings.ContainsRune("一二三四五六七八九十百千万半", r[1]) {
		return true
	}
	return strings.HasPrefix(q.Raw, "one ") || strings.HasPrefix(q.Raw, "a ") || strings.HasPrefix(q.Raw, "an ")
}
