package fact

import (
	"strings"
	"unicode"

	"suffice.dev/suffice/text"
)

// An article of an encyclopedia, or the page of a product, begins with what it is about ("X
// is a lake", "X（又称Y）为…的一种") and goes on about it without its name. Two such
// articles about two things tell the same attributes in the same words, and no two of their
// values fight.

// leastApart is the least weight of words of its own that each of two introduced things has, in
// a name of Latin letters.
const leastApart = 1.6

// hanLead matches the beginning of a sentence that says of what kind a thing is, or how it is
// called besides; the group is its name.
var hanLead = guarded(`^([《“"「『]?[^，,。；：:（(！？\s]{1,24}?[》”"」』]?)(?:\s*[（(]|[，,]?(?:又称|又名|亦称|也称|别称|俗称|简称|全称|原名|旧称|学名|古称)|(?:是|为|乃|系)[^\d〇零一二两三四五六七八九十百千万否了因由])`)

// hanKind matches the same where a number of things follows: 是一座车站.
var hanKind = guarded(`^([《“"「『]?[^，,。；：:（(！？\s]{1,24}?[》”"」』]?)(?:是|为|乃|系)(?:一|其中一)[个种座家所条名位款类项支部]`)

// latinLead is hanLead for English: all words of the name are capitals or numbers.
var latinLead = guarded(`^((?:The |An? )?(?:[A-Z\d][\p{L}\d'’.-]*)(?: (?:(?:of|the|and|de|la|von|for|in) )*[A-Z\d][\p{L}\d'’.-]*){0,6})(?: (?:is|was|are|were) (?:an?|the|one)\b| \(|,? (?:also|formerly|better|commonly) (?:known|called)\b)`)

// noName matches a stretch before 是 or 为 that is no name: the case of a rule, or the
// beginning of a verb.
var noName = guarded(`^(?:如果|若|当|因|由于|凡|对|关于|根据|按|在|从|经|除|为|只要|只有|所有|任何|目前|现在|截至)|[应不可须均都将也就作成分认称视以设定改变化名译则即仅只才还，]$`)

// paper matches the names of texts that tell the rules of a house: two of them speak of the
// house and not of themselves.
var paper = guarded(`(?:手册|办法|规定|规程|规则|制度|通知|条例|指南|说明|政策|公告|合同|协议|文件|须知|细则|标准|章程|准则|守则|方案|表|清单|纪要|页|网站|法|令)》?$|\b(?:handbook|manual|guide|guidelines?|rules?|polic(?:y|ies)|regulations?|notice|agreement|contract|code|act|law|terms|document|page|site|website|section|chapter|table|list|standard|charter|statement|faq|circular|memo|plan|report|minutes)\b`)

// deictic matches what names nothing by itself: this firm, 本公司, the above.
var deictic = guarded(`^(?:本|该|此|这|那|其|它|他|她|我|贵|各|每|某|以下|以上|上述)|^(?:this|that|these|those|our|your|their|its|it|we|you|they|he|she|each|every|all|any|there|here|what|which|who)\b`)

// introduces is the name that the first sentence of the page introduces as a thing of a kind;
// empty if it begins otherwise.
func (s *sheet) introduces() text.Span {
	return *s.introduced.get(0, func() *text.Span {
		span := s.readIntroduced()
		return &span
	})
}

func (s *sheet) readIntroduced() text.Span {
	none := text.Span{}
	for _, info := range s.page.Sentences {
		switch info.Kind {
		case HeadingLine:
			continue
		case Row, HeaderRow, Item, Code:
			return none
		}
		said := s.page.Quote(info.Span)
		forms := []*guardedPattern{latinLead}
		if text.IsHan(firstRune(strings.TrimLeft(said, "《“\"「『"))) {
			forms = []*guardedPattern{hanLead, hanKind}
		}
		for _, form := range forms {
			m := form.FindStringSubmatch(said)
			if m == nil {
				continue
			}
			name := m[1]
			if folded := fold(name); deictic.MatchString(folded) || paper.MatchString(folded) || noName.MatchString(name) || !partHead(name) {
				continue
			}
			return text.Span{Start: info.Start, End: info.Start + len([]rune(name))}
		}
		return none
	}
	return none
}

// introducedApart reports whether the pages of two facts introduce two different things and
// neither fact names a third that both are about.
func (x *comparer) introducedApart(ra, rb Ref) bool {
	va, vb := x.views[ra.Page], x.views[rb.Page]
	a, b := va.introduces(), vb.introduces()
	if a.Empty() || b.Empty() {
		return false
	}
	key := [2]int{ra.Page, rb.Page}
	apart, ok := x.apart[key]
	if !ok {
		na, nb := va.page.Quote(a), vb.page.Quote(b)
		apart = !shortened(na, nb) && x.missesName(x.topic(na).words, vb.leadBag()) && x.missesName(x.topic(nb).words, va.leadBag())
		x.apart[key] = apart
	}
	return apart && !x.thirdThing(va, x.fact(ra), vb, x.fact(rb))
}

// missesName reports whether a bag misses words of a name, or a number in it. Chinese names are told
// apart by one character.
func (x *comparer) missesName(w *wording, b *bag) bool {
	cells := w.cover(b).cells
	han, latin := 0.0, 0.0
	for k, c := range w.cells {
		switch said := w.text(c.Span); {
		case cells[k] >= cellCovered || light[fold(said)]:
		case hasDigit([]rune(said)): // the Trask 40 and the Trask 60
			return true
		case c.han:
			han += c.weight
		default:
			latin += c.weight
		}
	}
	return han >= hanCell || latin >= leastApart
}

// shortened reports whether one name has all characters of the other in their order, as a
// short form of it has.
func shortened(a, b string) bool {
	x, y := []rune(fold(a)), []rune(fold(b))
	if len(x) > len(y) {
		x, y = y, x
	}
	k := 0
	for _, r := range y {
		if k < len(x) && x[k] == r {
			k++
		}
	}
	return k == len(x)
}

// leadBag is what the page is called, and the words of its first sentence up to the end of
// the first clause.
func (s *sheet) leadBag() *bag {
	return s.lead.get(0, func() *bag {
		b := newBag(16)
		for i := range s.page.Clauses {
			if c := &s.page.Clauses[i]; s.page.Sentences[c.Sentence].Kind != HeadingLine {
				b.addBag(s.saidBag(i))
				break
			}
		}
		s.addFrame(b)
		return b
	})
}

// thirdThing reports whether both facts name, as the subject of their clauses, one thing that
// neither page introduces.
func (x *comparer) thirdThing(va *view, fa *Fact, vb *view, fb *Fact) bool {
	ca, cb := va.clauseOf(fa), vb.clauseOf(fb)
	if ca == nil || cb == nil || !topicHere(ca) || !topicHere(cb) {
		return false
	}
	a, b := []rune(head(ca.Topic.Text)), []rune(head(cb.Topic.Text))
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	var name string
	switch {
	case n == 0:
		return false
	case text.IsHan(a[0]): // 鹭湾大桥全长: the bridge, without its measure
		name = withoutMeasure(string(a[:n]))
		if len([]rune(name)) < leastOwner {
			return false
		}
	case n == len(a) && n == len(b):
		name = strings.TrimPrefix(string(a), "The ")
		if !strings.ContainsFunc(name, unicode.IsUpper) {
			return false
		}
	default:
		return false
	}
	if deictic.MatchString(fold(name)) {
		return false
	}
	w := x.topic(name).words
	return w.total > 0 && w.scoreOn(x.topic(va.page.Quote(va.introduces())).bag) < 0.7 && w.scoreOn(x.topic(vb.page.Quote(vb.introduces())).bag) < 0.7
}

// withoutMeasure cuts the words for a measure off the end of a Chinese phrase.
func withoutMeasure(name string) string {
	for {
		short := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "全"), "总"), "的")
		for _, m := range measureHeads {
			short = strings.TrimSuffix(short, m)
		}
		if short == name || short == "" {
			return name
		}
		name = short
	}
}
