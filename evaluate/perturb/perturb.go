// Package perturb makes claims with a known verdict out of any text: a sentence as
// it stands is true to its passage, the same sentence with one thing changed (a
// number, a year, a unit, a name, a negation, how it binds, a condition) is not.
// The engine of kb/fact finds what to change; this package only rewrites it.
package perturb

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// Edit names what was changed.
type Edit string

// The edits. None: the sentence as it stands.
const (
	None      Edit = "none"
	Number    Edit = "number"
	Year      Edit = "year"
	Unit      Edit = "unit"
	Name      Edit = "name"
	Negation  Edit = "negation"
	Modality  Edit = "modality"
	Condition Edit = "condition"
)

// Edits in the order of reports.
var Edits = []Edit{None, Number, Year, Unit, Name, Negation, Modality, Condition}

// Claim is one sentence to check against the passage it was made of.
type Claim struct {
	Edit Edit
	Text string
	Was  string // the sentence before the edit
}

// Of lists the claims of one passage: for each of its prose sentences of a usable
// length the sentence itself and every edit that applies to it, at most one of a
// kind. Names are replaced by one of others, which should come from texts on other
// things. An edit that leads back to words of the passage is left out.
func Of(page *fact.Page, others []string) []Claim {
	var out []Claim
	whole := string(page.Runes)
	for i := range page.Sentences {
		s := &page.Sentences[i]
		if s.Kind != fact.Prose || s.Len() < 12 || s.Len() > 200 || !finished(page, s.Span) {
			continue
		}
		was := page.Quote(s.Span)
		out = append(out, Claim{None, was, was})
		for _, e := range edits {
			span, with, ok := e.change(page, s, others)
			if !ok || strings.Contains(whole, with) && len([]rune(with)) > 3 && e.kind == Name {
				continue
			}
			claim := string(page.Runes[s.Start:span.Start]) + with + string(page.Runes[span.End:s.End])
			if claim = strings.TrimSpace(claim); claim != was && !strings.Contains(whole, claim) {
				out = append(out, Claim{e.kind, claim, was})
			}
		}
	}
	return out
}

// finished reports whether a sentence ends as one.
func finished(p *fact.Page, s text.Span) bool {
	switch p.Runes[s.End-1] {
	case '。', '.', '！', '!', '；', ';':
		return true
	}
	return false
}

// edits make one change each: the span to replace and what stands there then.
var edits = []struct {
	kind   Edit
	change func(p *fact.Page, s *fact.SentenceInfo, others []string) (text.Span, string, bool)
}{
	{Number, number}, {Year, year}, {Unit, unit}, {Name, name}, {Negation, negation}, {Modality, modality}, {Condition, condition},
}

// number changes the digits of the first plain quantity to a value that is neither
// near nor stated elsewhere in the passage.
func number(p *fact.Page, s *fact.SentenceInfo, _ []string) (text.Span, string, bool) {
	whole := string(p.Runes)
	for _, q := range quantities(p, s) {
		digits := p.Quote(q.Number)
		v, ok := new(big.Rat).SetString(strings.ReplaceAll(digits, ",", ""))
		if !ok || v.Sign() <= 0 {
			continue
		}
		decimals := 0
		if i := strings.IndexByte(digits, '.'); i >= 0 {
			decimals = len(digits) - i - 1
		}
		for _, factor := range []*big.Rat{big.NewRat(13, 10), big.NewRat(7, 10), big.NewRat(2, 1), big.NewRat(3, 1)} {
			with := new(big.Rat).Mul(v, factor).FloatString(decimals)
			if with != digits && with != "0" && !strings.Contains(whole, with) {
				return q.Number, with, true
			}
		}
	}
	return text.Span{}, "", false
}

// quantities are those of a sentence that states a measured or counted value.
func quantities(p *fact.Page, s *fact.SentenceInfo) []quantity.Quantity {
	var out []quantity.Quantity
	for c := s.Clauses[0]; c < s.Clauses[1]; c++ {
		for _, q := range p.Clauses[c].Quantities {
			if !s.Contains(q.Span) {
				continue
			}
			before := rune(' ')
			if q.Start > 0 {
				before = p.Runes[q.Start-1]
			}
			if q.Unit.Dim != quantity.Ordinal && q.Unit.Dim != quantity.None && !q.Number.Empty() && before != '-' && !unicode.IsLetter(before) || q.Start > 0 && text.IsHan(before) && q.Unit.Dim != quantity.Ordinal && q.Unit.Dim != quantity.None && !q.Number.Empty() {
				out = append(out, q)
			}
		}
	}
	return out
}

// year moves the first year of a time expression by a few years.
func year(p *fact.Page, s *fact.SentenceInfo, _ []string) (text.Span, string, bool) {
	whole := string(p.Runes)
	for c := s.Clauses[0]; c < s.Clauses[1]; c++ {
		for _, t := range p.Clauses[c].Times {
			if t.From.IsZero() && t.To.IsZero() || !s.Contains(t.Span) { // inherited ones stand elsewhere
				continue
			}
			for i := t.Start; i+4 <= t.End; i++ {
				n := 0
				if _, err := fmt.Sscanf(string(p.Runes[i:i+4]), "%4d", &n); err != nil || n < 1000 || n > 2999 || i+4 < t.End && unicode.IsDigit(p.Runes[i+4]) {
					continue
				}
				for _, by := range []int{3, -4, 6} {
					if with := fmt.Sprint(n + by); !strings.Contains(whole, with) {
						return text.Span{Start: i, End: i + 4}, with, true
					}
				}
			}
		}
	}
	return text.Span{}, "", false
}

// unitSwaps put another unit for one; the value is then another one.
var unitSwaps = []string{"公里>米", "千米>米", "厘米>米", "毫米>厘米", "公斤>吨", "吨>公斤", "千克>克", "万>亿", "亿>万", "个月>年", "小时>天", "分钟>小时", "个工作日>个月", "日>个月", "天>个月", "周>天", "美元>日元", "元>美元", "平方公里>平方米", "人>家", "年>个月",
	"kilometres>miles", "kilometers>miles", "miles>kilometres", "km>m", "feet>miles", "metres>feet", "meters>feet", "million>billion", "billion>million", "thousand>million", "years>months", "months>years", "weeks>years", "days>weeks", "hours>days", "minutes>hours", "people>families", "percent>times", "dollars>euros", "$>€", "£>$", "pounds>tons", "tons>pounds"}

// unit changes the unit of the first quantity that has one of the known units.
func unit(p *fact.Page, s *fact.SentenceInfo, _ []string) (text.Span, string, bool) {
	for _, q := range quantities(p, s) {
		if p.Runes[q.End-1] == '%' {
			return text.Span{Start: q.End - 1, End: q.End}, "‰", true
		}
		for _, swap := range unitSwaps {
			from, to, _ := strings.Cut(swap, ">")
			u := []rune(from)
			at := strings.Index(p.Quote(q.Span), from)
			if at < 0 {
				continue
			}
			i := q.Start + len([]rune(p.Quote(q.Span)[:at]))
			j := i + len(u)
			if unicode.IsLetter(u[0]) && !text.IsHan(u[0]) && (i > 0 && unicode.IsLetter(p.Runes[i-1]) || j < len(p.Runes) && unicode.IsLetter(p.Runes[j])) {
				continue
			}
			return text.Span{Start: i, End: j}, to, true
		}
	}
	return text.Span{}, "", false
}

// places are names that texts of both languages mention; one that stands in a
// sentence is replaced by another.
var places = []string{"中国", "美国", "英国", "法国", "德国", "日本", "韩国", "俄罗斯", "印度", "意大利", "西班牙", "加拿大", "澳大利亚", "巴西", "墨西哥", "埃及", "泰国", "越南", "荷兰", "瑞典", "北京", "上海", "香港", "台湾", "广州", "南京", "天津", "成都", "武汉", "重庆", "东京", "伦敦", "巴黎", "纽约",
	"China", "France", "Germany", "Japan", "Russia", "India", "Italy", "Spain", "Canada", "Australia", "Brazil", "Mexico", "Egypt", "Sweden", "London", "Paris", "Berlin", "Rome", "Chicago", "Boston", "Vienna", "Tokyo"}

// name replaces a place, else a name of two words, by one that the passage does not
// mention.
func name(p *fact.Page, s *fact.SentenceInfo, others []string) (text.Span, string, bool) {
	whole := string(p.Runes)
	sentence := p.Quote(s.Span)
	for k, place := range places {
		at := strings.Index(sentence, place)
		if at < 0 {
			continue
		}
		i := s.Start + len([]rune(sentence[:at]))
		j := i + len([]rune(place))
		han := text.IsHan([]rune(place)[0])
		if !han && (i > 0 && unicode.IsLetter(p.Runes[i-1]) || j < len(p.Runes) && unicode.IsLetter(p.Runes[j])) {
			continue
		}
		for n := 1; n < len(places); n++ {
			with := places[(k+7*n)%len(places)]
			if text.IsHan([]rune(with)[0]) == han && !strings.Contains(whole, with) {
				return text.Span{Start: i, End: j}, with, true
			}
		}
	}
	if span, ok := capitalised(p.Runes, s.Span); ok && strings.Count(whole, p.Quote(span)) > 0 {
		for _, with := range others {
			if !strings.Contains(whole, with) {
				return span, with, true
			}
		}
	}
	return text.Span{}, "", false
}

// Names lists the names of two capitalised words of a text, for others.
func Names(runes []rune) []string {
	var out []string
	for at := 0; at < len(runes); {
		s, ok := capitalised(runes, text.Span{Start: at, End: len(runes)})
		if !ok {
			break
		}
		if n := string(runes[s.Start:s.End]); !slices.Contains(out, n) {
			out = append(out, n)
		}
		at = s.End
	}
	return out
}

// capitalised is the first name of exactly two capitalised words that does not
// begin a sentence.
func capitalised(runes []rune, in text.Span) (text.Span, bool) {
	type word struct {
		text.Span
		upper bool
	}
	var words []word
	for i := in.Start; i < in.End; {
		if !unicode.IsLetter(runes[i]) || text.IsHan(runes[i]) {
			i++
			continue
		}
		j := i
		for j < in.End && unicode.IsLetter(runes[j]) && !text.IsHan(runes[j]) {
			j++
		}
		words = append(words, word{text.Span{Start: i, End: j}, unicode.IsUpper(runes[i]) && j-i > 2})
		i = j
	}
	for k := 1; k+1 < len(words); k++ {
		a, b := words[k], words[k+1]
		adjacent := b.Start == a.End+1 && runes[a.End] == ' '
		before := words[k-1].upper || runes[a.Start-1] != ' ' || words[k-1].End != a.Start-1
		after := k+2 < len(words) && words[k+2].upper && words[k+2].Start <= b.End+2
		if a.upper && b.upper && adjacent && !before && !after {
			return text.Span{Start: a.Start, End: b.End}, true
		}
	}
	return text.Span{}, false
}

// negations turn a statement round; the first that occurs outside conditions applies.
var negations = []string{"并非>是", "不是>是", "不得>可以", "不能>能", "不可以>可以", "没有>有", "不包括>包括", "不适用>适用", "可以>不可以", "应当>不应", "必须>不得", "能够>不能够", "位于>不位于", "属于>不属于", "包括>不包括", "拥有>没有", "成为>没有成为", "是>不是",
	" is not > is ", " was not > was ", " are not > are ", " were not > were ", " cannot > can ", " did not > did ", " does not > does ", " do not > do ",
	" can > cannot ", " must > must not ", " should > should not ", " will > will not ", " is > is not ", " was > was not ", " are > are not ", " were > were not "}

func negation(p *fact.Page, s *fact.SentenceInfo, _ []string) (text.Span, string, bool) {
	return rewrite(p, s, negations)
}

// modalities change how a statement binds, or how sure it is.
var modalities = []string{"必须>可以", "应当>可以", "不得>可以", "可以>必须", "可能>一定会", "不可>必须", " must > may ", " shall > may ", " may not > must ", " should > may ", " may > must ", " might > will certainly ", " could > will certainly ", " can > must "}

func modality(p *fact.Page, s *fact.SentenceInfo, _ []string) (text.Span, string, bool) {
	return rewrite(p, s, modalities)
}

// rewrite applies the first rule ("from>to") that matches in the part of the
// sentence outside its conditions and outside longer words that hold it.
func rewrite(p *fact.Page, s *fact.SentenceInfo, rules []string) (text.Span, string, bool) {
	sentence := p.Quote(s.Span)
	for _, rule := range rules {
		from, to, _ := strings.Cut(rule, ">")
		at := strings.Index(sentence, from)
		if at < 0 {
			continue
		}
		i := s.Start + len([]rune(sentence[:at]))
		span := text.Span{Start: i, End: i + len([]rune(from))}
		if !plainPlace(p, s, span, from) {
			continue
		}
		return span, to, true
	}
	return text.Span{}, "", false
}

// partOf lists longer words around a Han word of the rules that mean another thing.
var partOf = map[string]string{"是": "不还但于只凡若就可要总如先老正即便像或都也更", "有": "所没拥具", "能": "可功性只不才", "可以": "不就才", "位于": "不"}

func plainPlace(p *fact.Page, s *fact.SentenceInfo, span text.Span, from string) bool {
	if span.Start > s.Start && strings.ContainsRune(partOf[from], p.Runes[span.Start-1]) {
		return false
	}
	if from == "是" && span.End < len(p.Runes) && strings.ContainsRune("否非不指因为由以在从", p.Runes[span.End]) {
		return false
	}
	for c := s.Clauses[0]; c < s.Clauses[1]; c++ {
		for _, cond := range p.Clauses[c].Conditions {
			if cond.Span.Overlaps(span) {
				return false
			}
		}
	}
	return true
}

// openers begin a condition that can be taken away with its comma.
var openers = []string{"如果", "若", "除非", "只有在", "仅在", "当", "经", "If ", "Unless ", "Only if ", "Provided that "}

// tails begin one that ends the sentence.
var tails = []string{" if ", " unless ", " only if ", " provided that "}

// condition takes a condition away.
func condition(p *fact.Page, s *fact.SentenceInfo, _ []string) (text.Span, string, bool) {
	for c := s.Clauses[0]; c < s.Clauses[1]; c++ {
		for _, cond := range p.Clauses[c].Conditions {
			if cond.Kind != fact.If && cond.Kind != fact.Unless && cond.Kind != fact.OnlyIf || cond.Span.Empty() || !s.Contains(cond.Span) {
				continue
			}
			words := p.Quote(cond.Span)
			if cond.Span.Start == s.Start && startsWith(words, openers) {
				end := cond.Span.End
				for end < s.End && (p.Runes[end] == '，' || p.Runes[end] == ',' || p.Runes[end] == ' ') {
					end++
				}
				if end > cond.Span.End && s.End-end >= 8 && s.End-end > s.Len()/3 {
					return text.Span{Start: s.Start, End: end}, "", true
				}
			}
			if cond.Span.End >= s.End-1 && cond.Span.Start > s.Start+s.Len()/3 && startsWith(" "+strings.TrimSpace(words), tails) {
				return text.Span{Start: cond.Span.Start - 1, End: s.End - 1}, "", true
			}
		}
	}
	return text.Span{}, "", false
}

func startsWith(s string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return true
		}
	}
	return false
}
