package quantity

import (
	"math/big"
	"strings"

	"suffice.dev/suffice/text"
)

// scanner walks a folded text once. Every look around a number is bounded, so the
// whole is linear.
type scanner struct {
	f     []rune
	floor int // end of the last quantity: nothing before it may be read again
	out   []Quantity
	buf   [24]byte
	seen  [16]seenWord // the words that were cut last, see word
}

func (s *scanner) run() {
	for i := 0; i < len(s.f); {
		r := s.f[i]
		switch {
		case 'a' <= r && r <= 'z':
			i = s.atWord(i)
		case isDigit(r):
			i = s.atNumber(i)
		case r < 0x80:
			i++
		case r >= 0x4e00 && r <= 0x9fff || r == '〇' || r == '○':
			switch {
			case r == '第':
				i = s.atOrdinal(i)
			case isNumeral(r):
				i = s.atHan(i)
			case r == '半':
				i = s.atHalf(i)
			case r == '正' && s.at(i+1) == '午', r == '中' && s.at(i+1) == '午', r == '午' && s.at(i+1) == '夜':
				i = s.atNoon(i)
			default:
				i++
			}
		case vulgar(r) != nil:
			v := vulgar(r)
			i = s.atValue(number{start: i, end: i + 1, lo: v, hi: v, sig: 1}, i+1)
		case isOtherLetter(r):
			for i < len(s.f) && (isLetter(s.f[i]) || isDigit(s.f[i])) {
				i++
			}
		default:
			i++
		}
	}
}

// emit adds q and returns where to go on.
func (s *scanner) emit(q Quantity) int {
	if q.Start < s.floor {
		q.Start = s.floor
	}
	q.Raw = string(s.f[q.Start:q.End])
	s.out = append(s.out, q)
	s.floor = q.End
	return q.End
}

// atNumber reads the number in digits at i.
func (s *scanner) atNumber(i int) int {
	if skip := s.dateAt(i); skip > 0 {
		return skip
	}
	if q, ok := s.clock(i); ok {
		return s.emit(q)
	}
	n, end, ok := s.readDigits(i)
	if !ok {
		return end
	}
	if end <= i {
		end = i + 1
	}
	if s.identifier(n) {
		return s.skipName(end)
	}
	if s.leadingZero(n) || s.listMark(n) {
		return end
	}
	if c := s.at(end); (c == '/' || c == ':') && isDigit(s.at(end+1)) {
		// 24/7, 2024/25, 1:2 are no amounts; 1/2 is.
		f := n
		if s.fractionAt(&f); !f.ratio {
			return s.skipPairs(end)
		}
	}
	if s.at(i-1) == '+' && n.digits <= 3 && s.at(end) == ' ' && isDigit(s.at(end+1)) {
		return s.skipPairs(end)
	}
	if q, ok := s.numbered(n); ok {
		return s.emit(q)
	}
	return s.atValue(n, end)
}

// skipPairs passes the rest of 24/7, 1:2:3 or a phone number.
func (s *scanner) skipPairs(i int) int {
	for n := 0; n < 32; n++ {
		c := s.at(i)
		if !isDigit(c) && !((c == '/' || c == ':' || c == ' ' || c == '-') && isDigit(s.at(i+1))) {
			break
		}
		i++
	}
	return i
}

// numberedThings are words before a number that only names a part or a version.
var numberedThings = wordSet("section sections article chapter clause version paragraph page pages step level figure table appendix annex room line part question item rule form " +
	"schedule volume issue edition release gate platform flight terminal building floor unit zone phase lesson exhibit")

// numbered reads "section 4", "§ 4", "version 2.4", "no. 7".
func (s *scanner) numbered(n number) (Quantity, bool) {
	k := n.start
	for k > s.floor && n.start-k < 2 && (s.f[k-1] == ' ' || s.f[k-1] == '.') {
		k--
	}
	if k <= s.floor {
		return Quantity{}, false
	}
	var name string
	start := k
	switch {
	case s.f[k-1] == '§':
		name, start = "section", k-1
	case isLetter(s.f[k-1]) && k < n.start:
		for start > s.floor && isLetter(s.f[start-1]) && k-start < 12 {
			start--
		}
		if isLetter(s.at(start - 1)) {
			return Quantity{}, false
		}
		var buf [12]byte
		w := buf[:0]
		for _, r := range s.f[start:k] {
			if r >= 0x80 {
				return Quantity{}, false // no numbered thing is written with it
			}
			w = append(w, byte(r))
		}
		if string(w) == "no" || string(w) == "nr" {
			if s.at(k) != '.' {
				return Quantity{}, false
			}
			name = "number"
			break
		}
		if !numberedThings[string(w)] {
			return Quantity{}, false
		}
		name = nounName(string(w))
	default:
		return Quantity{}, false
	}
	return Quantity{Span: text.Span{Start: start, End: n.end}, Number: text.Span{Start: n.start, End: n.end}, Lo: n.lo, Hi: n.hi, Unit: Unit{Dim: Ordinal, Name: name}}, true
}

// identifier reports a number that is part of a name or a code: letters in front,
// dashes between digit groups, a phone number.
func (s *scanner) identifier(n number) bool {
	p := s.at(n.start - 1)
	if isLetter(p) && n.start-1 >= s.floor {
		return !s.currencyBefore(n.start)
	}
	if p == '_' || p == '#' || p == '@' {
		return true
	}
	if p == '.' && n.start >= 2 && (isLetter(s.f[n.start-2]) || isDigit(s.f[n.start-2])) {
		return true
	}
	if (p == '-' || p == '/' || p == ':') && n.start >= 2 {
		b := s.f[n.start-2]
		if isLetter(b) && p != ':' {
			// COVID-19, mid-50s; but "per-5" does not occur.
			return true
		}
		if isDigit(b) && n.start-2 >= s.floor {
			return true
		}
	}
	if n.plain && n.digits >= 11 {
		return true
	}
	e := s.at(n.end)
	if e == '_' {
		return true
	}
	if e == '-' && isDigit(s.at(n.end+1)) && n.plain {
		k := n.end + 1
		for isDigit(s.at(k)) {
			k++
		}
		if c := s.at(k); (c == '-' || c == '_') && isDigit(s.at(k+1)) {
			return true
		}
		if s.at(n.start) == '0' || (n.digits >= 3 && k-n.end-1 >= 7) {
			return true
		}
	}
	if e == '-' && isLetter(s.at(n.end+1)) {
		w, _ := s.word(n.end + 1)
		if enUnits[w] == nil && w != "fold" && enNumbers[w].kind == 0 && len(w) < 3 {
			return true
		}
	}
	return false
}

// skipName passes the rest of a code such as 2b-17_x.
func (s *scanner) skipName(i int) int {
	for n := 0; i < len(s.f) && n < 64; n++ {
		c := s.f[i]
		if isDigit(c) || isLetter(c) || c == '_' || (c == '-' || c == '.') && (isDigit(s.at(i+1)) || isLetter(s.at(i+1))) {
			i++
			continue
		}
		break
	}
	return i
}

// listMark reports the number of a list item: "1. ", "2、", "3) " at a line start.
func (s *scanner) listMark(n number) bool {
	if n.digits > 2 || n.decimals {
		return false
	}
	k := n.start
	for k > 0 && n.start-k < 8 && (s.f[k-1] == ' ' || s.f[k-1] == '\t' || s.f[k-1] == '(') {
		k--
	}
	if k > 0 && s.f[k-1] != '\n' {
		return false
	}
	switch s.at(n.end) {
	case '.':
		return s.at(n.end+1) == ' ' || s.at(n.end+1) == 0 && k == 0 || s.at(n.end+1) > 0x7f
	case '、', ')':
		return true
	}
	return false
}

// magnitudeAt reads 万, 亿, million, k behind a number.
func (s *scanner) magnitudeAt(n *number, money bool) {
	for k := 0; k < 2; k++ {
		i := n.end
		r := s.at(i)
		if p := hanPower(r); p >= 2 && (!n.word || n.decimals) {
			if p < 4 && (s.at(i+1) == '分' && s.at(i+2) == '之' || p == 2 && s.at(i+1) == '分') {
				return
			}
			if r == '千' && (s.at(i+1) == '克' || s.at(i+1) == '米' || s.at(i+1) == '瓦' || s.at(i+1) == '卡' || s.at(i+1) == '帕' || s.at(i+1) == '伏' || s.at(i+1) == '焦' || s.at(i+1) == '字' && s.at(i+2) == '节' || s.at(i+1) == '赫') {
				return
			}
			if r == '百' && s.at(i+1) == '帕' {
				return
			}
			n.scale(pow10[p])
			n.end++
			continue
		}
		if r == '余' || r == '多' || r == '来' {
			next := s.at(i + 1)
			if hanPower(next) >= 4 && !n.more {
				n.approx, n.more = true, true
				n.end++
				if !n.word || n.decimals {
					continue
				}
				n.scale(pow10[hanPower(next)])
				n.end++
				continue
			}
			if !n.more && (r != '来' || n.word || n.plain) {
				if spec, _ := s.hanUnit(i + 1); spec != nil || next == '个' {
					n.approx, n.more = true, true
					n.end++
				}
			}
			return
		}
		j := s.space(i)
		if j == i && s.at(i) == '-' {
			j = i + 1
		}
		w, e := s.word(j)
		if w == "" {
			return
		}
		if isDigit(s.at(e)) {
			return
		}
		p := 0
		switch w {
		case "thousand", "thousands":
			p = 3
		case "million", "millions", "mn", "mln", "mio":
			p = 6
		case "billion", "billions", "bn", "bln":
			p = 9
		case "trillion", "trillions", "tn", "trn":
			p = 12
		case "hundred":
			p = 2
		case "lakh":
			p = 5
		case "crore":
			p = 7
		case "k":
			if j == i {
				p = 3
			}
		case "m", "mm":
			if money && (j == i || w == "m") {
				p = 6
			}
		case "b":
			if money && j == i {
				p = 9
			}
		case "dozen":
			n.lo, n.hi = mul(n.lo, big.NewRat(12, 1)), mul(n.hi, big.NewRat(12, 1))
			n.end = e
			return
		}
		if p == 0 || n.word && n.magnitude == nil && p == 2 {
			return
		}
		n.scale(pow10[p])
		n.end = e
	}
}

// atValue finishes the number n, whose run ends at end.
func (s *scanner) atValue(n number, end int) int {
	q, ok := s.complete(n)
	if !ok {
		return end
	}
	if q.End < end {
		q.End = end
	}
	return s.emit(q)
}

// unitHit is a unit found behind a number.
type unitHit struct {
	spec *unitSpec
	end  int
	noun text.Span
	name string
}

func (s *scanner) hanUnit(i int) (*unitSpec, int) {
	for _, e := range zhUnits[s.at(i)] {
		if i+len(e.text) > len(s.f) {
			continue
		}
		match := true
		for k, r := range e.text {
			if s.f[i+k] != r {
				match = false
				break
			}
		}
		if match {
			if c := e.text[len(e.text)-1]; 'a' <= c && c <= 'z' && isLetter(s.at(i+len(e.text))) {
				continue
			}
			return e.spec, i + len(e.text)
		}
	}
	return nil, i
}

// unitAt finds the unit or counted thing at i.
func (s *scanner) unitAt(i int, n *number) (unitHit, bool) {
	j := s.space(i)
	if j == i && (s.at(i) == '-' || s.at(i) == '‑') && isLetter(s.at(i+1)) {
		j = i + 1
	}
	r := s.at(j)
	if isLetter(r) && r < 0x80 {
		return s.latinUnit(j, j == i, n)
	}
	if r >= 0x80 || r == '%' || r == '$' {
		if r >= 0x4e00 && (j > i+1 || j > i && (n.word || s.f[i] == '\n')) {
			return unitHit{}, false
		}
		spec, e := s.hanUnit(j)
		if spec == nil {
			return unitHit{}, false
		}
		hit := unitHit{spec: spec, end: e, name: spec.name}
		if !s.hanUnitFits(j, e, n, spec) {
			return unitHit{}, false
		}
		if spec.noun {
			hit.noun = text.Span{Start: j, End: e}
		}
		return hit, true
	}
	return unitHit{}, false
}

// hanUnitFits refuses a unit character that begins another word, or that a date
// or clock time claims.
func (s *scanner) hanUnitFits(j, e int, n *number, spec *unitSpec) bool {
	next := s.at(e)
	if e-j != 1 {
		return spec.dim != Ordinal || !strings.ContainsRune("高初大", s.at(n.start-1)) // 高一年级: a name
	}
	switch s.f[j] {
	case '年':
		if next == '级' || next == '代' && n.plain && n.digits <= 4 && n.digits > 1 || next == '度' && s.at(e+1) != '假' {
			return false
		}
		return !(n.plain && n.digits == 4 && n.lo.Cmp(rat1000) >= 0 && n.lo.Cmp(rat2200) < 0 && n.magnitude == nil)
	case '日':
		if next == '内' || next == '以' || next == '之' && s.at(e+1) != '前' || next == '期' {
			return s.at(j-1) != '月' && !s.monthBefore(n.start)
		}
		if next == '游' || next == '的' {
			return !s.monthBefore(n.start)
		}
		if next == '前' && text.IsHan(s.at(n.start-1)) && !strings.ContainsRune("于在到至月周每即从自起本次当", s.at(n.start-1)) {
			return !s.monthBefore(n.start) // 召开十日前: that many days before it; 于十日前 is a day of a month
		}
		return s.durationBefore(n.start)
	case '里':
		return next != '程' && next != '面' && next != '约'
	case '元':
		return next != '旦' && next != '素' && next != '件'
	case '升':
		return next != '级' && next != '至' && next != '高'
	case '两':
		return false
	case '分':
		return next != '之' && next != '钟' && next != '别' && next != '为' && next != '公' && next != '布' && next != '店'
	case '成':
		if next == '为' || next == '立' || next == '功' || next == '员' && s.at(e+1) != '工' || next == '本' || next == '果' || next == '年' || next == '交' || next == '绩' {
			return false
		}
		return n.lo.Cmp(ten) <= 0
	case '点':
		return next != '击' && next != '燃'
	case '行':
		return next != '政' && next != '业' && next != '驶' && next != '为'
	case '部':
		return next != '分' && next != '门' && next != '署'
	case '类':
		return next != '似'
	case '面':
		return next != '积' && next != '临' && next != '向'
	case '名':
		return next != '称' && next != '单' && next != '义'
	case '口':
		return next != '径'
	case '步':
		return next != '行' && next != '骤'
	case '场':
		return next != '地' && next != '所'
	case '门':
		return next != '市' && next != '店' && next != '票'
	case '级':
		return next != '别'
	case '度':
		return next != '假'
	case '克':
		return next != '服' && next != '拉'
	case '组':
		return next != '织' && next != '成'
	case '节':
		return next != '约' && next != '日' && next != '假'
	case '课':
		return next != '程'
	case '股':
		return next != '份' && next != '东' && next != '权'
	case '票':
		return next != '据' && next != '价' && next != '面'
	case '单':
		return next != '位' && next != '个' && next != '独' && next != '价' && next != '笔'
	case '周':
		return next != '围' && next != '边' && next != '末'
	case '号', '月':
		return false
	}
	return true
}

var (
	rat1000 = big.NewRat(1000, 1)
	rat2200 = big.NewRat(2200, 1)
	rat24   = big.NewRat(24, 1)
)

// monthBefore reports 月 right in front of i: 9月15日.
func (s *scanner) monthBefore(i int) bool {
	k := i
	for k > 0 && i-k < 2 && s.f[k-1] == ' ' {
		k--
	}
	return s.at(k-1) == '月'
}

// durationBefore reports a word in front of i after which N日 is a length of time.
func (s *scanner) durationBefore(i int) bool {
	switch s.at(i - 1) {
	case '过', '于', '少', '足', '满', '多', '达', '起', '长', '期', '前', '后', '约', '近', '为', '休', '共', '计', '逾':
		return true
	}
	return false
}

// shortUnits stand for a unit only right behind digits, or after one blank when
// nothing else can be meant.
var shortUnits = map[string]bool{"m": true, "s": true, "d": true, "h": true, "l": true, "g": true, "t": true, "w": true, "j": true, "v": true, "min": true,
	"mo": true, "ma": true, "mp": true, "won": true, "rand": true, "kn": true, "pa": true, "ms": true, "pp": true, "sec": true, "gal": true}

func (s *scanner) latinUnit(j int, attached bool, n *number) (unitHit, bool) {
	w, e := s.word(j)
	if w == "" {
		return unitHit{}, false
	}
	// m2, km3, km/h
	if c := s.at(e); (c == '2' || c == '3') && !isDigit(s.at(e+1)) && !isLetter(s.at(e+1)) {
		if u := enUnits[w+string(c)]; u != nil {
			return unitHit{spec: u, end: e + 1, name: u.name}, true
		}
	}
	if s.at(e) == '/' {
		w2, e2 := s.word(e + 1)
		if u := enUnits[w+"/"+w2]; u != nil {
			return unitHit{spec: u, end: e2, name: u.name}, true
		}
	}
	if s.at(e) == '$' {
		if u := enUnits[w+"$"]; u != nil {
			return unitHit{spec: u, end: e + 1, name: u.name}, true
		}
	}
	if isDigit(s.at(e)) || s.at(e) == '_' {
		return unitHit{}, false
	}
	k := s.gap(e)
	if k > e {
		w2, e2 := s.word(k)
		if w2 != "" {
			if u := enUnits[w+" "+w2]; u != nil {
				k3 := s.gap(e2)
				if w3, e3 := s.word(k3); w3 != "" && k3 > e2 {
					if u3 := enUnits[w+" "+w2+" "+w3]; u3 != nil {
						return unitHit{spec: u3, end: e3, name: u3.name}, true
					}
				}
				return unitHit{spec: u, end: e2, name: u.name}, true
			}
			if w2 == "per" || w2 == "an" {
				k3 := s.gap(e2)
				if w3, e3 := s.word(k3); w3 == "hour" && (w == "miles" || w == "mile") {
					return unitHit{spec: enUnits["mph"], end: e3, name: "m/s"}, true
				}
			}
		}
	}
	u := enUnits[w]
	if u == nil {
		if w == "in" && s.inchFits(e) {
			u = enUnits["inch"]
		}
		if u == nil {
			return unitHit{}, false
		}
	}
	if shortUnits[w] && !attached {
		if n.word || s.at(e) == '\'' || s.at(j-1) == '-' || w == "s" || w == "d" || w == "mo" || w == "ma" || w == "pa" {
			return unitHit{}, false
		}
	}
	if u.name == "kg" && (w == "pounds" || w == "pound") && (s.moneyTalk(n.start) || !s.weightTalk(e)) {
		return unitHit{spec: enUnits["gbp"], end: e, name: "GBP"}, true
	}
	hit := unitHit{spec: u, end: e, name: u.name}
	if u.noun {
		hit.noun = text.Span{Start: j, End: e}
	}
	return hit, true
}

// inchFits: "in" is an inch only where no phrase follows.
func (s *scanner) inchFits(e int) bool {
	k := s.blanks(e)
	switch s.at(k) {
	case 0, '\n', ',', ';', ')', '|', '×':
		return true
	case '.':
		return true
	}
	w, _ := s.word(k)
	switch w {
	case "x", "wide", "long", "high", "deep", "thick", "tall", "diameter", "screen", "display":
		return true
	}
	return false
}

// moneyTalk reports a word of cost within the forty runes before i.
func (s *scanner) moneyTalk(i int) bool {
	lo := i - 40
	if lo < 0 {
		lo = 0
	}
	for k := lo; k < i; k++ {
		if !isLetter(s.f[k]) || k > 0 && isLetter(s.f[k-1]) {
			continue
		}
		w, _ := s.word(k)
		switch w {
		case "cost", "costs", "price", "prices", "priced", "fee", "fees", "pay", "pays", "paid", "charge", "charges", "charged", "fine", "fines",
			"worth", "rent", "budget", "salary", "wage", "deposit", "grant", "refund", "sold", "spend", "spent", "sterling", "invoice", "ticket", "tickets", "bill":
			return true
		}
	}
	return false
}

// weightTalk reports whether pounds that end at i are a mass: something is weighed near
// them, pounds of something are counted, or the text reckons in dollars.
func (s *scanner) weightTalk(i int) bool {
	k := s.blanks(i)
	if w, e := s.word(k); w == "of" {
		switch next, _ := s.word(s.blanks(e)); next {
		case "the", "a", "an", "this", "that", "their", "its", "your", "our", "each", "any", "":
		default:
			return true
		}
	}
	for k := max(0, i-weightReach); k < len(s.f) && k < i+weightReach; k++ {
		if s.f[k] == '$' {
			return true
		}
		if !isLetter(s.f[k]) || k > 0 && (isLetter(s.f[k-1]) || isDigit(s.f[k-1])) {
			continue
		}
		if w, _ := s.word(k); weightWords[w] {
			return true
		}
	}
	return false
}

// weightReach is how many runes around pounds are looked at for words of weight.
const weightReach = 80

var weightWords = wordSet(`weigh weighs weighed weighing weight weights heavy heavier heaviest lighter lightest load loads loaded payload mass
kg kgs kilo kilos kilogram kilograms kilogramme kilogrammes lb lbs ounce ounces oz ton tons tonne tonnes baggage luggage capacity dollar dollars usd thrust`)

// complete reads everything around a number: magnitude, unit, range, bounds,
// denominators, and makes the quantity. False when the number means nothing.
func (s *scanner) complete(n number) (Quantity, bool) {
	pre := s.prefixes(n.start)
	money := pre.currency != nil
	attachedLetters := !n.word && isLetter(s.at(n.end)) && s.at(n.end) < 0x80
	numEnd := n.end
	s.fractionAt(&n)
	s.magnitudeAt(&n, money)

	hit, found := unitHit{}, false
	if !n.ratio {
		s.halfUnit(&n)
		hit, found = s.halfMonth(&n)
	}
	if !found && s.dateNumber(n, pre) {
		return Quantity{}, false
	}
	if n.ratio {
		hit, found = unitHit{spec: ratioSpec, end: n.end, name: "%"}, true
		if n.discount {
			hit.name = "折"
		}
		if u, ok := s.unitAt(n.end, &n); ok && !n.discount && u.spec.dim != Ratio && u.spec.dim != Count {
			// half an hour, three quarters of a litre: handled where the article is read.
			hit, n.ratio = u, false
		}
	} else if !found {
		hit, found = s.unitAt(n.end, &n)
		if found && n.end < hit.end && s.at(hit.end) == '半' {
			s.halfAfter(&n, &hit)
		}
	}
	if attachedLetters && !found && n.end == numEnd {
		return s.ordinalSuffix(n)
	}
	if found && hit.spec.dim == Count && hit.spec.noun {
		switch string(s.f[hit.noun.Start:hit.noun.End]) {
		case "度":
			hit = s.degrees(hit)
		case "点":
			if q, ok := s.hanClock(n, hit.noun.Start); ok {
				return q, true
			}
		}
	}
	if s.at(n.end) == '时' && (n.word || n.plain) {
		if q, ok := s.hanClock(n, n.end); ok {
			return q, true
		}
	}

	// The other end of a range.
	second, hit2, isRange := s.rangeAfter(n, hit, found, pre)
	end := n.end
	if found {
		end = hit.end
	}
	if isRange {
		if !found {
			hit, found = hit2, hit2.spec != nil
		}
		end = second.end
		if hit2.spec != nil {
			end = hit2.end
		}
	}
	if s.at(end) == '+' && !isDigit(s.at(end+1)) && !isRange {
		pre.bound, end = ge, end+1
		if !found {
			n.end = end
			if hit, found = s.unitAt(end, &n); found {
				end = hit.end
			}
		}
	}
	var noun unitHit
	if !found {
		noun, found = s.nounAfter(end, n, pre)
		if found {
			hit, end = noun, noun.end
		}
	}
	unit := Unit{}
	spec := hit.spec
	switch {
	case spec != nil:
		unit = Unit{Dim: spec.dim, Name: hit.name, Factor: spec.factor}
	case pre.currency != nil:
	case found:
		unit = Unit{Dim: Count, Name: hit.name}
	}
	if pre.currency != nil && (spec == nil || spec.dim != Money && spec.dim != Ratio) {
		if spec != nil {
			// $5 million dollars is one money; $5 km is money and a stray word.
			end = n.end
			if isRange {
				end = second.end
			}
			hit.noun = text.Span{}
		} else if found {
			end = n.end
			if isRange {
				end = second.end
			}
			hit.noun = text.Span{}
		}
		spec = pre.currency
		unit = Unit{Dim: Money, Name: spec.name, Factor: spec.factor}
		found = true
	}
	if !found && !isRange {
		if !s.bare(n, pre) {
			return Quantity{}, false
		}
	}

	post := s.suffixes(end, unit.Dim, pre)
	end = post.end
	per, perEnd := s.perAfter(end, unit.Dim)
	if per != "" {
		end = perEnd
		if post.bound == none {
			post2 := s.suffixes(end, unit.Dim, pre)
			if post2.bound != none || post2.approx {
				post, end = post2, post2.end
			}
		}
	} else {
		per = pre.per
	}
	if post.bound == none {
		post.bound = pre.bound
	}

	lo, hi := n.lo, n.hi
	if isRange {
		hi = second.hi
		if second.approx {
			n.approx = true
		}
	}
	q := Quantity{
		Span: text.Span{Start: pre.start, End: end}, Number: text.Span{Start: n.start, End: n.end},
		Lo: lo, Hi: hi, Approx: n.approx || pre.approx || post.approx, Sig: n.sig, Step: n.step, Unit: unit,
		Delta: pre.delta, Weak: n.weak && unit.Dim != Ratio, Discount: pre.discount || n.discount,
	}
	if isRange {
		q.Number.End = second.end
	}
	if post.delta != 0 {
		q.Delta = post.delta
	}
	if post.discount {
		q.Discount = true
	}
	if !hit.noun.Empty() {
		q.NounSpan = hit.noun
		q.Noun = string(s.f[hit.noun.Start:hit.noun.End])
	}
	if pre.negative && !isRange {
		q.Lo = new(big.Rat).Neg(q.Lo)
		q.Hi = q.Lo
	}
	if t, ok := s.tolerance(&q); ok {
		post.bound = none
		if spec == nil {
			spec = t
		}
	}
	q.Unit.Per = per
	s.toBase(&q, spec)
	s.frequency(&q)
	if (pre.or || isRange) && post.bound != none && isRange {
		post.bound = none
	}
	switch post.bound {
	case ge:
		q.Hi = nil
	case gt:
		q.Hi, q.LoOpen = nil, true
	case le:
		q.Lo = nil
	case lt:
		q.Lo, q.HiOpen = nil, true
	}
	if n.more && post.bound == none {
		q.Approx = true
	}
	return q, true
}

var ratioSpec = &unitSpec{dim: Ratio, name: "%"}

// toBase converts the ends and the step to the base unit.
func (s *scanner) toBase(q *Quantity, spec *unitSpec) {
	if spec == nil || spec.factor == nil && spec.offset == nil {
		return
	}
	conv := func(v *big.Rat) *big.Rat {
		if v == nil {
			return nil
		}
		if spec.factor != nil && spec.factor.Cmp(one) != 0 {
			v = mul(v, spec.factor)
		}
		if spec.offset != nil {
			v = add(v, spec.offset)
		}
		return v
	}
	point := q.Lo == q.Hi
	q.Lo = conv(q.Lo)
	if point {
		q.Hi = q.Lo
	} else {
		q.Hi = conv(q.Hi)
	}
	if q.Step != nil && spec.factor != nil {
		q.Step = mul(q.Step, spec.factor)
	}
}

// frequency turns counts of times, and lengths and data over time, into their own
// dimensions: 3 times a day, 80 km per hour, 5 MB/s.
func (s *scanner) frequency(q *Quantity) {
	secs := perSeconds[q.Unit.Per]
	switch {
	case q.Unit.Dim == Count && (q.Unit.Name == "次" || q.Unit.Name == "time") && q.Unit.Per != "":
		if _, ok := perDays[q.Unit.Per]; ok || perMonths[q.Unit.Per] != nil || secs != nil {
			q.Unit.Dim, q.Unit.Name = Frequency, "time"
		}
	case q.Unit.Dim == Length && secs != nil:
		q.Unit = Unit{Dim: Speed, Name: "m/s"}
		s.divide(q, secs)
	case q.Unit.Dim == Data && q.Unit.Per == "s":
		q.Unit = Unit{Dim: DataRate, Name: "bit/s"}
		s.divide(q, big.NewRat(1, 8))
	}
}

func (s *scanner) divide(q *Quantity, by *big.Rat) {
	div := func(v *big.Rat) *big.Rat {
		if v == nil {
			return nil
		}
		return new(big.Rat).Quo(v, by)
	}
	point := q.Lo == q.Hi
	q.Lo, q.Step = div(q.Lo), div(q.Step)
	if point {
		q.Hi = q.Lo
	} else {
		q.Hi = div(q.Hi)
	}
}

var perSeconds = map[string]*big.Rat{"s": one, "minute": big.NewRat(60, 1), "hour": big.NewRat(3600, 1)}

// perDays are lengths of denominators in days; perMonths in months.
var perDays = map[string]*big.Rat{"day": one, "night": one, "week": big.NewRat(7, 1), "fortnight": big.NewRat(14, 1), "hour": big.NewRat(1, 24),
	"minute": big.NewRat(1, 1440), "s": big.NewRat(1, 86400)}

var perMonths = map[string]*big.Rat{"month": one, "quarter": big.NewRat(3, 1), "year": big.NewRat(12, 1)}

// tolerance reads ±0.5 behind a value.
func (s *scanner) tolerance(q *Quantity) (*unitSpec, bool) {
	i := s.blanks(q.End)
	if s.at(i) != '±' {
		return nil, false
	}
	i = s.blanks(i + 1)
	if !isDigit(s.at(i)) {
		return nil, false
	}
	t, _, ok := s.readDigits(i)
	if !ok || q.Lo == nil || q.Hi == nil {
		return nil, false
	}
	end := t.end
	d := t.lo
	var spec *unitSpec
	if hit, found := s.unitAt(t.end, &t); found {
		end = hit.end
		switch {
		case hit.spec.dim == Ratio && q.Unit.Dim != Ratio:
			d = mul(mul(d, hit.spec.factor), new(big.Rat).Abs(q.Hi))
		case q.Unit.Dim == None:
			q.Unit = Unit{Dim: hit.spec.dim, Name: hit.name, Factor: hit.spec.factor}
			spec = hit.spec
		case hit.spec.dim == q.Unit.Dim && hit.spec.factor != nil && q.Unit.Factor != nil && q.Unit.Factor.Sign() != 0:
			d = new(big.Rat).Quo(mul(d, hit.spec.factor), q.Unit.Factor)
		}
	}
	q.Lo, q.Hi = new(big.Rat).Sub(q.Lo, d), add(q.Hi, d)
	q.End = end
	return spec, true
}
