package quantity

import (
	"math/big"
	"strings"

	"suffice.dev/suffice/text"
)

type bound uint8

const (
	none bound = iota
	ge
	gt
	le
	lt
)

// context is what stands before or behind a number.
type context struct {
	start, end int
	bound      bound
	approx     bool
	delta      int
	discount   bool
	negative   bool
	or         bool // from, between: a range follows
	between    bool
	currency   *unitSpec
	per        string
	yearly     bool // a word after which a bare year stands
}

// effect is what one word or phrase says of the number next to it.
type effect struct {
	bound    bool
	kind     bound
	approx   bool
	delta    int
	discount bool
	keep     bool // belongs to the span of the quantity
	between  bool
	year     bool
}

func phrases(into map[string]effect, e effect, words string) {
	for _, w := range strings.Split(words, "|") {
		into[w] = e
	}
}

// before and after hold the phrases of both languages; Chinese ones are keyed as
// they stand, English ones with single blanks.
var beforeHan, beforeWords, afterHan, afterWords = buildPhrases()

func buildPhrases() (bh, bw, ah, aw map[string]effect) {
	bh, bw, ah, aw = map[string]effect{}, map[string]effect{}, map[string]effect{}, map[string]effect{}
	b := func(k bound) effect { return effect{bound: true, kind: k, keep: true} }
	phrases(bh, b(ge), "不低于|不少于|不小于|不短于|不得低于|不得少于|不得小于|不得短于|不应低于|不应少于|不能少于|不能低于|至少|最少|起码|最低|最短|最小|最低为|最少为|最短为|最低不低于|大于等于|大于或等于|下限为|下限是|满|已满|年满|达到|至少为|至少达|至少需|至少要")
	phrases(bh, b(gt), "超过|超出|多于|高于|大于|长于|逾|超|突破|已超过|高达|多达")
	phrases(bh, effect{bound: true, kind: gt, keep: true}, "超")
	bh["高达"], bh["多达"] = effect{keep: true}, effect{keep: true}
	phrases(bh, b(le), "不超过|不得超过|不应超过|不能超过|不可超过|不高于|不得高于|不多于|不得多于|不大于|不得大于|不长于|不晚于|至多|最多|最高|最长|最大|最高为|最多为|最长为|最大为|最高达|最高可达|最多可|最多可达|最长可|最长不超过|最长不得超过|最高不超过|最多不超过|最高不得超过|最多不得超过|小于等于|小于或等于|上限为|上限是|以|未超过|没有超过|限|限额")
	delete(bh, "以")
	delete(bh, "限")
	phrases(bh, b(lt), "不满|未满|不足|低于|少于|小于|短于|不到|未达|未达到|不及")
	phrases(bh, effect{approx: true, keep: true}, "约|大约|大概|约为|约合|约计|约有|约占|近|将近|接近|几乎|估计|约达|差不多|大致|左右")
	phrases(bh, effect{delta: 1}, "增长|增长了|增加|增加了|上升|上升了|上涨|上涨了|提高|提高了|提升|提升了|扩大|扩大了|上调|上调了|回升|攀升|高出|多出|增|涨|升|上浮|增幅|增幅为|增幅达|涨幅|涨幅为|涨幅达|升高|升高了|延长|延长了|加|升值|上升约|净增|新增加")
	delete(bh, "加")
	phrases(bh, effect{delta: -1}, "下降|下降了|减少|减少了|降低|降低了|下跌|下跌了|下滑|下滑了|下调|下调了|缩短|缩短了|缩减|缩减了|收窄|收窄了|回落|回落了|低出|少了|降幅|降幅为|降幅达|跌幅|跌幅为|跌|降|减|削减|削减了|贬值|下浮|萎缩|净减|压缩了")
	phrases(bh, effect{discount: true}, "优惠|减免|减收|立减|折扣|折扣为|优惠幅度为|优惠幅度|减|让利|便宜|便宜了|降价")
	bh["减"] = effect{delta: -1, discount: true}
	bh["降价"] = effect{delta: -1, discount: true}
	phrases(bh, effect{year: true}, "自|至|于|在|从")

	phrases(bw, b(ge), "at least|not less than|no less than|no fewer than|not fewer than|not under|a minimum of|minimum of|minimum|min|no lower than|not below|no sooner than|no earlier than|at minimum|at the least|greater than or equal to|not lower than|never less than|never fewer than|never under|never below|never lower than|never shorter than|as few as|as little as|as low as")
	phrases(bw, b(gt), "more than|over|above|exceeding|exceeds|exceed|in excess of|greater than|upwards of|longer than|older than|higher than|larger than|beyond|well over|just over|larger than|later than|exceeded")
	phrases(bw, b(le), "up to|within|at most|no more than|not more than|not over|not exceeding|not exceed|no longer than|no later than|not above|a maximum of|maximum of|maximum|max|limited to|capped at|no higher than|not longer than|does not exceed|must not exceed|may not exceed|shall not exceed|should not exceed|cannot exceed|not to exceed|as much as|as many as|no greater than|not greater than|less than or equal to|maximum is|at the most|does not exceed|do not exceed|never more than|never over|never above|never exceeds|never exceed|never exceeding|never longer than|never higher than|never later than|as high as")
	phrases(bw, b(lt), "less than|fewer than|under|below|lower than|shorter than|younger than|smaller than|short of|just under|well under|just below")
	phrases(bw, effect{approx: true, keep: true}, "about|around|approximately|approx|nearly|almost|roughly|some|circa|ca|close to|an estimated|estimated|around about|in the region of|in the order of|on the order of|near|just about|an average of")
	delete(bw, "an average of")
	delete(bw, "near")
	phrases(bw, effect{between: true, keep: true}, "between|from|anywhere from|anywhere between|ranging from|of between")
	up := "increased by|increased|grew|grown|increasing|increase of|increase by|increases by|increasing by|rose by|rose|rises by|rise of|rise by|risen by|grew by|grew|grown by|growth of|gained|gain of|up by|up|climbed by|climbed|jumped by|jumped|higher by|added|raised by|extended by|an increase of|surged by|surged|soared by|soared|expanded by"
	down := "decreased by|decreased|decreasing|reduced|decrease of|decrease by|decreases by|fell by|fell|falls by|fall of|fallen by|dropped by|dropped|drop of|declined by|declined|decline of|down by|down|reduced by|reduction of|cut by|shrank by|shrunk by|lost|lower by|lowered by|shortened by|a decrease of|slipped by|slipped|decreasing by|reduces by|a reduction of|contracted by"
	phrases(bw, effect{delta: 1}, up)
	phrases(bw, effect{delta: -1}, down)
	phrases(bw, effect{discount: true}, "discount of|a discount of|discounted by|save|saves|rebate of|a saving of|savings of|price cut of|deduct|a reduction of|a rebate of")
	bw["reduction of"] = effect{delta: -1, discount: true}
	bw["a reduction of"] = effect{delta: -1, discount: true}
	phrases(bw, effect{year: true}, "in|since|of|during|by|until|from|before|after|for|through|till|fy|early|late|mid|to|and|year|the|fiscal|"+
		"january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|spring|summer|autumn|fall|winter")
	bw["from"] = effect{between: true, keep: true, year: true}
	// Up from 8,000: a level before the change, and no change.
	for _, w := range strings.Split(up+"|"+down, "|") {
		if !strings.HasSuffix(w, " by") && !strings.HasSuffix(w, " of") {
			bw[w+" from"] = bw["from"]
		}
	}

	phrases(ah, b(ge), "以上|及以上|或以上|以上的|起|起步|开外|封底|或更多|及更多")
	phrases(ah, b(gt), "以外|之外")
	phrases(ah, b(le), "以下|及以下|或以下|以内|之内|内|封顶|为限|为上限|或更少|之前|以里")
	delete(ah, "之前")
	phrases(ah, effect{approx: true, keep: true}, "左右|上下|前后|多|余|许|不等")
	phrases(ah, effect{discount: true}, "的优惠|优惠|折扣|的折扣")
	phrases(ah, effect{delta: 1}, "的增长|的增幅|的涨幅|的提升|的上升")
	phrases(ah, effect{delta: -1}, "的下降|的降幅|的跌幅|的下跌")

	phrases(aw, b(ge), "or more|and more|or above|and above|or over|and over|or longer|or older|and older|or higher|at least|minimum|and up|or greater|and upwards|or better|upwards")
	phrases(aw, b(le), "or less|or fewer|or below|and below|or under|and under|at most|maximum|max|or lower|or shorter|or younger|and younger|tops|at the most")
	phrases(aw, effect{approx: true, keep: true}, "or so|approximately|approx")
	phrases(aw, effect{discount: true}, "off|discount|rebate|price reduction|price cut")
	phrases(aw, effect{delta: 1}, "increase|rise|growth|gain|more than in|higher than|more than last|up on|increases|higher|raise|more than before")
	phrases(aw, effect{delta: -1}, "decrease|fall|drop|decline|reduction|fewer than in|less than in|lower than|down on|lower|fewer than last|less than last|cut|fewer than before|less than before")
	return bh, bw, ah, aw
}

func (c *context) apply(e effect) {
	if e.bound && c.bound == none {
		c.bound = e.kind
	}
	c.approx = c.approx || e.approx
	if e.delta != 0 && c.delta == 0 {
		c.delta = e.delta
	}
	c.discount = c.discount || e.discount
	c.between = c.between || e.between
	c.or = c.or || e.between
	c.yearly = c.yearly || e.year
}

// prefixes reads currency signs, bounds, approximations, denominators and changes
// in front of i, at most four of them.
func (s *scanner) prefixes(i int) context {
	c := context{start: i}
	p := i
loop:
	for n := 0; n < 5; n++ {
		k := p
		for k > s.floor && p-k < 3 && (s.f[k-1] == ' ' || s.f[k-1] == '\t') {
			k--
		}
		if k > s.floor && p == k && s.f[k-1] == '\n' && k-1 > s.floor && isLetter(s.f[k-2]) {
			k--
		}
		if k <= s.floor {
			break
		}
		r := s.f[k-1]
		switch {
		case r >= 0x4e00 && r <= 0x9fff:
			if k == i && k >= 2 && r == '下' && s.f[k-2] == '零' && k-2 >= s.floor {
				c.negative, c.start, p = true, k-2, k-2
				continue
			}
			if e, from, ok := s.hanBefore(k); ok {
				c.apply(e)
				if e.keep {
					c.start = from
				}
				p = from
				if e.year && !e.keep {
					break loop
				}
				continue
			}
			if u, from := s.currencyWordBefore(k); u != nil && c.currency == nil {
				c.currency, c.start, p = u, from, from
				continue
			}
			if per, from, ok := s.perBefore(k); ok {
				if c.per == "" {
					c.per = per
				} else {
					c.per = joinPer(per, c.per)
				}
				p = from
				if c.bound == none {
					// 每月至少5元: the span keeps to the number; the denominator lies before it.
					continue
				}
				continue
			}
		case r == '$' || r == '€' || r == '£' || r == '¥' || r == '₩' || r == '₹':
			if u, from := s.currencySign(k); u != nil && c.currency == nil {
				c.currency, c.start, p = u, from, from
				continue
			}
		case isLetter(r) && r < 0x80:
			if u, from := s.currencyCode(k); u != nil && c.currency == nil {
				c.currency, c.start, p = u, from, from
				continue
			}
			if e, from, ok := s.wordsBefore(k); ok {
				c.apply(e)
				if e.keep {
					c.start = from
				}
				p = from
				if e.year && !e.keep {
					break loop
				}
				continue
			}
		case r == '.' && k >= 2 && isLetter(s.f[k-2]):
			// approx. 5, min. 3, max. 8
			if e, from, ok := s.wordsBefore(k - 1); ok && (e.approx || e.bound) {
				c.apply(e)
				c.start, p = from, from
				continue
			}
		case r == '~' || r == '≈' || r == '≒':
			if k-1 > 0 && isDigit(s.at(k-2)) {
				break
			}
			c.approx, c.start, p = true, k-1, k-1
			continue
		case r == '≥' || r == '≧' || r == '⩾':
			c.apply(effect{bound: true, kind: ge})
			c.start, p = k-1, k-1
			continue
		case r == '≤' || r == '≦' || r == '⩽':
			c.apply(effect{bound: true, kind: le})
			c.start, p = k-1, k-1
			continue
		case r == '=' && k >= 2 && (s.f[k-2] == '>' || s.f[k-2] == '<') && k-2 >= s.floor:
			kind := ge
			if s.f[k-2] == '<' {
				kind = le
			}
			c.apply(effect{bound: true, kind: kind})
			c.start, p = k-2, k-2
			continue
		case r == '>' || r == '<':
			// A tag or a quote mark is no comparison.
			if k-1 == 0 || s.at(k-2) == '\n' || isLetter(s.at(k-2)) && r == '>' && k-1 == i || s.at(k-2) == '-' || s.at(k-2) == '"' || s.at(k-2) == '/' {
				break
			}
			kind := gt
			if r == '<' {
				kind = lt
			}
			c.apply(effect{bound: true, kind: kind})
			c.start, p = k-1, k-1
			continue
		case r == '-' || r == '−' || r == '–':
			b := s.at(k - 2)
			if k == i && !isLetter(b) && !isDigit(b) && b != ')' && b != '|' && b != '-' && !(b >= 0x4e00 && b <= 0x9fff) &&
				!(b == ' ' && k-3 >= 0 && isDigit(s.at(k-3))) {
				c.negative, c.start, p = true, k-1, k-1
				continue
			}
		case r == '±' && k == p:
			c.approx, c.start, p = true, k-1, k-1
			continue
		case r == '+' && k == i && !isDigit(s.at(k-2)) && !isLetter(s.at(k-2)):
			c.start, p = k-1, k-1
			continue
		}
		break
	}
	if c.start < s.floor {
		c.start = s.floor
	}
	return c
}

// hanEdges are the last characters of the Chinese phrases before a number and the
// first of those behind one: most neighbours end the search here.
var lastBefore, firstAfter = hanEdges()

func hanEdges() (last, first map[rune]bool) {
	last, first = map[rune]bool{}, map[rune]bool{}
	for w := range beforeHan {
		rs := []rune(w)
		last[rs[len(rs)-1]] = true
	}
	for w := range afterHan {
		for _, r := range w {
			first[r] = true
			break
		}
	}
	return last, first
}

func (s *scanner) hanBefore(k int) (effect, int, bool) {
	if !lastBefore[s.f[k-1]] {
		return effect{}, 0, false
	}
	for n := 7; n >= 1; n-- {
		if k-n < s.floor {
			continue
		}
		e, ok := beforeHan[string(s.f[k-n:k])]
		if !ok {
			continue
		}
		p := s.at(k - n - 1)
		if n == 1 {
			switch s.f[k-1] {
			case '近':
				// 附近3, 最近三年 and 近三年: times, which package when reads.
				if p == '附' || p == '最' || p == '邻' || p == '临' || p == '靠' {
					return effect{}, 0, false
				}
			case '约':
				if p == '节' || p == '合' || p == '预' || p == '签' || p == '违' || p == '续' || p == '公' || p == '条' || p == '契' {
					return effect{}, 0, false
				}
			case '满':
				if p == '不' || p == '未' || p == '充' {
					continue
				}
			case '超':
				if p == '赶' || p == '反' || p == '不' {
					return effect{}, 0, false
				}
			case '升', '降', '增', '减', '跌', '涨':
				if p == '公' || p == '毫' {
					return effect{}, 0, false
				}
			}
		}
		return e, k - n, true
	}
	return effect{}, 0, false
}

// wordsBefore matches up to four English words that end at k.
func (s *scanner) wordsBefore(k int) (effect, int, bool) {
	var starts [4]int
	n, p := 0, k
	for n < 4 && p > s.floor && isLetter(s.f[p-1]) {
		w := p
		for w > s.floor && isLetter(s.f[w-1]) && p-w < 16 {
			w--
		}
		if w > 0 && isLetter(s.at(w-1)) {
			break
		}
		starts[n] = w
		n++
		p = w
		b := 0
		for p > s.floor && (s.f[p-1] == ' ' || s.f[p-1] == '\n') && b < 3 {
			p--
			b++
		}
		if b == 0 {
			break
		}
	}
	var buf [72]byte
	for ; n > 0; n-- {
		key := buf[:0]
		for _, r := range s.f[starts[n-1]:k] {
			if r == '\n' {
				r = ' '
			}
			if r == ' ' && len(key) > 0 && key[len(key)-1] == ' ' {
				continue
			}
			if r > 0x7f {
				r = '?'
			}
			key = append(key, byte(r))
		}
		if e, ok := beforeWords[string(key)]; ok {
			return e, starts[n-1], true
		}
	}
	return effect{}, 0, false
}

func (s *scanner) currencySign(k int) (*unitSpec, int) {
	from := k - 1
	if s.f[from] == '$' {
		w := from
		for w > s.floor && isLetter(s.f[w-1]) && from-w < 3 {
			w--
		}
		if w < from {
			for _, e := range []string{"us$", "hk$", "a$", "c$", "s$", "nt$"} {
				if string(s.f[w:k]) == e {
					return enOrSign(e), w
				}
			}
			return nil, 0
		}
	}
	spec, _ := s.hanUnit(from)
	if spec == nil && s.f[from] == '¥' {
		spec = enUnits["cny"]
	}
	if spec == nil || spec.dim != Money {
		return nil, 0
	}
	return spec, from
}

func enOrSign(w string) *unitSpec {
	if u := enUnits[w]; u != nil {
		return u
	}
	for _, e := range zhUnits[rune(w[0])] {
		if string(e.text) == w {
			return e.spec
		}
	}
	return nil
}

// currencyCode reads usd, rmb, eur in front of a number.
func (s *scanner) currencyCode(k int) (*unitSpec, int) {
	w := k
	for w > s.floor && isLetter(s.f[w-1]) && k-w < 5 {
		w--
	}
	if k-w != 3 || isLetter(s.at(w-1)) {
		return nil, 0
	}
	switch string(s.f[w:k]) {
	case "usd", "cny", "rmb", "eur", "gbp", "hkd", "jpy", "aud", "cad", "sgd", "chf", "krw", "inr", "twd", "nzd", "sek", "nok", "dkk", "thb", "zar", "brl", "rub":
		return enUnits[string(s.f[w:k])], w
	}
	return nil, 0
}

func (s *scanner) currencyBefore(i int) bool {
	u, _ := s.currencyCode(i)
	return u != nil
}

func (s *scanner) currencyWordBefore(k int) (*unitSpec, int) {
	if r := s.f[k-1]; r != '币' && r != '元' {
		return nil, 0
	}
	for _, w := range [...]string{"人民币", "美元", "欧元", "港币", "港元"} {
		rs := []rune(w)
		if k-len(rs) >= s.floor && string(s.f[k-len(rs):k]) == w {
			spec, _ := s.hanUnit(k - len(rs))
			return spec, k - len(rs)
		}
	}
	return nil, 0
}

// perBefore reads 每月, 每人 and the like that end at k.
func (s *scanner) perBefore(k int) (string, int, bool) {
	for n := 2; n <= 5; n++ {
		if k-n < s.floor {
			return "", 0, false
		}
		if s.f[k-n] != '每' {
			continue
		}
		for _, e := range perZh[s.f[k-n+1]] {
			if len(e.text) == n-1 && string(e.text) == string(s.f[k-n+1:k]) {
				return e.name, k - n, true
			}
		}
		if n == 2 {
			return "", 0, false
		}
	}
	return "", 0, false
}

func joinPer(a, b string) string {
	if a > b {
		a, b = b, a
	}
	return a + "·" + b
}

// suffixes reads bounds, approximations and changes behind end.
func (s *scanner) suffixes(end int, dim Dimension, pre context) context {
	c := context{start: end, end: end}
	for n := 0; n < 3; n++ {
		i := s.blanks(c.end)
		r := s.at(i)
		if r == '(' && s.at(i+1) == '含' {
			break
		}
		switch {
		case r >= 0x4e00 && r <= 0x9fff && i <= c.end+1:
			e, to, ok := s.hanAfter(i, dim)
			if !ok {
				return c
			}
			c.apply(e)
			if e.keep {
				c.end = to
			} else {
				return c
			}
			continue
		case isLetter(r) && r < 0x80:
			e, to, ok := s.wordsAfter(i)
			if !ok {
				return c
			}
			if e.delta != 0 && (dim != Ratio && dim != Points && dim != Count && dim != None && dim != Money) {
				return c
			}
			if e.discount && dim != Ratio && dim != Money {
				return c
			}
			c.apply(e)
			if e.keep {
				c.end = to
				continue
			}
			return c
		}
		break
	}
	return c
}

func (s *scanner) hanAfter(i int, dim Dimension) (effect, int, bool) {
	if !firstAfter[s.f[i]] {
		return effect{}, 0, false
	}
	for n := 4; n >= 1; n-- {
		if i+n > len(s.f) {
			continue
		}
		e, ok := afterHan[string(s.f[i:i+n])]
		if !ok {
			continue
		}
		next := s.at(i + n)
		if n == 1 {
			switch s.f[i] {
			case '内':
				if next == '部' || next == '容' || next == '存' || next == '地' || next == '外' || next == '蒙' || next == '设' || next == '置' || next == '径' || next == '陆' ||
					dim == Money || dim == Count || dim == None || dim == Ratio {
					return effect{}, 0, false
				}
			case '起':
				if dim != Money && dim != Count && dim != Ratio || next == '诉' || next == '事' || next == '火' || next == '案' || next == '草' {
					return effect{}, 0, false
				}
			case '多', '余':
				if next == '数' || next == '个' && dim == None || next == '额' || next == '次' || next == '地' || next == '元' || next == '家' || next == '种' || next == '名' {
					return effect{}, 0, false
				}
			case '许':
				if next == '可' || next == '多' {
					return effect{}, 0, false
				}
			}
		}
		return e, i + n, true
	}
	return effect{}, 0, false
}

func (s *scanner) wordsAfter(i int) (effect, int, bool) {
	var ends [3]int
	n, p := 0, i
	for n < 3 {
		_, e := s.word(p)
		if e == p {
			break
		}
		ends[n] = e
		n++
		p = s.blanks(e)
		if p == e {
			break
		}
	}
	var buf [80]byte
	for ; n > 0; n-- {
		if ends[n-1]-i > 70 {
			continue
		}
		key := buf[:0]
		for _, r := range s.f[i:ends[n-1]] {
			if r == ' ' && len(key) > 0 && key[len(key)-1] == ' ' {
				continue
			}
			key = append(key, byte(r))
		}
		if e, ok := afterWords[string(key)]; ok {
			return e, ends[n-1], true
		}
	}
	return effect{}, 0, false
}

// perAfter reads /月, 每人, "per month", "a night", "monthly" behind a unit.
func (s *scanner) perAfter(end int, dim Dimension) (string, int) {
	per, to := s.onePer(end, dim)
	if per == "" {
		return "", end
	}
	if more, to2 := s.onePer(to, dim); more != "" {
		return joinPer(per, more), to2
	}
	return per, to
}

func (s *scanner) onePer(end int, dim Dimension) (string, int) {
	i := s.blanks(end)
	r := s.at(i)
	switch {
	case r == '/' || r == '每':
		j := i + 1
		if r == '/' {
			j = s.blanks(j)
			if s.at(j) == '每' {
				j++
			}
		} else if i > end {
			return "", end
		}
		for _, e := range perZh[s.at(j)] {
			if j+len(e.text) <= len(s.f) && string(s.f[j:j+len(e.text)]) == string(e.text) {
				if e.text[0] < 0x80 && isLetter(s.at(j+len(e.text))) {
					continue
				}
				if r == '每' && len(e.text) == 1 && e.text[0] == '个' {
					continue
				}
				return e.name, j + len(e.text)
			}
		}
		if r == '/' {
			if w, e := s.word(j); perEn[w] != "" {
				return perEn[w], e
			}
		}
	case isLetter(r) && r < 0x80:
		w, e := s.word(i)
		if name := perAdverb[w]; name != "" {
			return name, e
		}
		switch w {
		case "per", "a", "an", "each", "every", "for":
		default:
			return "", end
		}
		j := s.space(e)
		if w == "for" {
			if w, e = s.word(j); w != "each" && w != "every" {
				return "", end
			}
			j = s.space(e)
		}
		w2, e2 := s.word(j)
		if w2 == "" || j == e {
			return "", end
		}
		if (w == "a" || w == "an" || w == "each" || w == "every") && perEn[w2] == "" {
			return "", end
		}
		if dim == None && w != "per" {
			return "", end
		}
		if name := perEn[w2]; name != "" {
			return name, e2
		}
		if w2 == "cent" || stopWords[w2] {
			return "", end
		}
		return text.Stem(w2), e2
	}
	return "", end
}

// rangeAfter reads the other end of 3-5天, 3天至5天, from 10 to 20 km.
func (s *scanner) rangeAfter(n number, hit unitHit, found bool, pre context) (number, unitHit, bool) {
	end := n.end
	if found {
		end = hit.end
	}
	if n.lo != n.hi {
		return number{}, unitHit{}, false
	}
	i := s.blanks(end)
	spaced := i > end
	var j int
	r := s.at(i)
	word := false
	switch {
	case r == '-' || r == '–' || r == '—' || r == '~' || r == '〜' || r == '至' || r == '到' || r == '−' || r == '‐' || r == '‑':
		j = i + 1
		if s.at(j) == r && r == '—' {
			j++
		}
		if r == '-' && spaced && s.at(j) != ' ' {
			return number{}, unitHit{}, false
		}
	case isLetter(r) && r < 0x80:
		w, e := s.word(i)
		if w != "to" && !(w == "and" && pre.between) && !(w == "or" && (n.plain || n.word)) {
			return number{}, unitHit{}, false
		}
		if w == "to" && pre.delta != 0 && !pre.between {
			return number{}, unitHit{}, false
		}
		j, word = e, true
		if w == "or" && found {
			return number{}, unitHit{}, false
		}
	default:
		return number{}, unitHit{}, false
	}
	k := s.space(j)
	if word && k == j {
		return number{}, unitHit{}, false
	}
	var cur *unitSpec
	if c := s.at(k); c == '$' || c == '€' || c == '£' || c == '¥' {
		if pre.currency == nil {
			return number{}, unitHit{}, false
		}
		cur = pre.currency
		k++
	}
	var m number
	ok := false
	switch {
	case isDigit(s.at(k)):
		if s.dateAt(k) > 0 {
			return number{}, unitHit{}, false
		}
		m, _, ok = s.readDigits(k)
		if ok && s.leadingZero(m) {
			return number{}, unitHit{}, false
		}
	case isNumeral(s.at(k)):
		m, _, ok = s.readHan(k)
	case isLetter(s.at(k)) && word:
		w, _ := s.word(k)
		switch enNumbers[w].kind {
		case 'u', 't', 'y':
			m, ok = s.readWords(k)
		}
	}
	if !ok {
		return number{}, unitHit{}, false
	}
	numEnd := m.end
	s.fractionAt(&m)
	s.magnitudeAt(&m, pre.currency != nil || cur != nil)
	if m.magnitude != nil && n.magnitude == nil && !found && !m.word {
		// 3至5万元: the power belongs to both.
		v := mul(n.lo, m.magnitude)
		if v.Cmp(m.hi) < 0 {
			n.lo.Set(v)
			if n.step != nil {
				n.step.Set(mul(n.step, m.magnitude))
			}
		}
	}
	hit2, found2 := s.unitAt(m.end, &m)
	if !found2 && isLetter(s.at(numEnd)) && m.end == numEnd && !m.word {
		return number{}, unitHit{}, false
	}
	if found && found2 && hit2.spec != hit.spec && (hit.spec == nil || hit2.spec == nil || hit.spec.dim != hit2.spec.dim || hit.name != hit2.name && (hit.spec.dim == Money || hit.spec.dim == Count)) {
		return number{}, unitHit{}, false
	}
	if found && !found2 && word && pre.currency == nil {
		return number{}, unitHit{}, false
	}
	if !found2 {
		hit2 = unitHit{}
	}
	lo, hi := n.lo, m.hi
	if found && found2 && hit.spec != nil && hit2.spec != nil && hit.spec.factor != nil && hit2.spec.factor != nil {
		lo, hi = mul(lo, hit.spec.factor), mul(hi, hit2.spec.factor)
		if hit.spec != hit2.spec && hit.spec.factor.Sign() != 0 {
			// 30分钟至2小时: the second end in the unit of the first.
			v := new(big.Rat).Quo(hi, hit.spec.factor)
			m.hi, m.lo = v, v
		}
	}
	if lo.Cmp(hi) >= 0 {
		return number{}, unitHit{}, false
	}
	if yearLike(n) && yearLike(m) && !found2 {
		return number{}, unitHit{}, false
	}
	return m, hit2, true
}

func yearLike(n number) bool {
	return n.plain && n.digits == 4 && n.lo.Cmp(rat1000) >= 0 && n.lo.Cmp(rat2200) < 0
}
