package fact

import (
	"slices"
	"strings"

	"suffice.dev/suffice/text"
)

// A text goes on about a thing that it has named by a word that points back: 本品, 本馆, 该设备.
// The name need not have been the subject of the clause before ("游客在青枫馆内…。本馆周一闭馆"), so
// a claim that gives the name is compared with what is said of the word.

// selfNot are what follows 本 where it points to the text itself, to a time or to a part of a word.
var selfNot = []string{"月", "年", "周", "季", "次", "期", "届", "日", "条", "款", "章", "节", "项", "办法", "规定", "法", "条例", "通知", "合同", "协议", "公告", "表", "文", "身", "来", "人", "质", "科", "息", "金", "地", "国"}

// anyKind are the nouns that a word which points back may have whatever the kind of the thing that
// it means; another noun must be the one that the name ends in.
var anyKind = []string{"品", "产品", "商品", "药", "药品", "制剂", "公司", "企业", "机构", "单位", "设备", "仪器", "机", "系统", "软件", "项目", "工程", "店", "馆", "院", "校", "园", "厂", "行", "司", "中心", "部门", "团体", "组织", "作品", "建筑"}

// selfNoun is the noun of a word that points back with which a folded clause begins; "" for none.
// own tells 本 from 该.
func selfNoun(clause []rune) (noun string, own bool) {
	i := 0
	for i < len(clause) && (clause[i] == ' ' || clause[i] == '　') {
		i++
	}
	if i+1 >= len(clause) || clause[i] != '本' && clause[i] != '该' || !text.IsHan(clause[i+1]) {
		return "", false
	}
	own, clause = clause[i] == '本', clause[i+1:min(len(clause), i+5)]
	for n, r := range clause {
		if !text.IsHan(r) {
			clause = clause[:n]
			break
		}
	}
	said := string(clause)
	if own && slices.ContainsFunc(selfNot, func(w string) bool { return strings.HasPrefix(said, w) }) {
		return "", false
	}
	return said, own
}

// pointed is how far a word that points back has the words of what it means; pointedFit is what a
// value that is said of it gains over a clause that only has the name.
const (
	pointed    = 0.9
	pointedFit = 0.25
)

// leastName is the least length of a name that a word points back to, in characters.
const leastName = 3

// pointsBack is the name by which a clause of a claim calls what a clause of a page begins to
// speak of with a word that points back: the longest stretch that the claim shares with a sentence
// before it or with what stands over the page, where the noun of the word is one for things of any
// kind or that of the name. Empty if there is none.
func (k *Checker) pointsBack(claim []rune, page, clause int) string {
	v := k.views[page]
	c := &v.page.Clauses[clause]
	noun, own := selfNoun(v.foldedText()[c.Start:c.End])
	if noun == "" {
		return ""
	}
	at := v.page.Sentences[c.Sentence].Start
	from := 0
	if !own { // 该 means what was named last
		last := v.page.Sentences[c.Sentence].Clauses[0] - 1
		if last < 0 {
			return ""
		}
		from = v.page.Clauses[last].Start
	}
	before := v.foldedText()[from:at]
	if len(before) > 2*namedWithin { // a long page names what it is about at its beginning, or just before
		before = slices.Concat(before[:namedWithin], []rune{'\n'}, before[len(before)-namedWithin:])
	}
	name := longestShared(claim, before)
	if own && len(name) < leastName {
		name = longestShared(claim, []rune(fold(v.title)))
	}
	if len(name) < leastName {
		return ""
	}
	said := string(name)
	if slices.ContainsFunc(anyKind, func(w string) bool { return strings.HasPrefix(noun, w) }) || strings.HasSuffix(said, noun) {
		return said
	}
	for n := range noun {
		if n > 0 && strings.HasSuffix(said, noun[:n]) {
			return said
		}
	}
	return ""
}

// namedWithin is how far from the beginning of a page, and before a sentence, a name is looked
// for, in code points.
const namedWithin = 300

// longestShared is the longest stretch of Han characters that stands in two texts.
func longestShared(a, b []rune) []rune {
	var best []rune
	for i := range a {
		for j := range b {
			n := 0
			for i+n < len(a) && j+n < len(b) && a[i+n] == b[j+n] && text.IsHan(a[i+n]) {
				n++
			}
			if n > len(best) {
				best = a[i : i+n]
			}
		}
	}
	return best
}
