package quantity

import (
	"math/big"

	"suffice.dev/suffice/text"
)

// fractionAt reads what makes a share of a number: 3/4, 2½, two thirds, 三分之一,
// 八折, 三成五, one and a half.
func (s *scanner) fractionAt(n *number) {
	i := n.end
	if v := vulgar(s.at(i)); v != nil {
		n.lo = add(n.lo, v)
		n.hi, n.end = n.lo, i+1
		return
	}
	if s.at(i) == '/' && n.plain && isDigit(s.at(i+1)) && !n.word {
		d, e, ok := s.readDigits(i + 1)
		if ok && d.plain && d.digits <= 3 && d.lo.Sign() > 0 && n.lo.Cmp(d.lo) < 0 && s.at(e) != '/' && s.at(n.start-1) != '/' && n.digits <= 2 {
			v := new(big.Rat).Quo(n.lo, d.lo)
			n.lo, n.hi, n.end, n.ratio, n.plain = v, v, e, true, false
		}
		return
	}
	if s.at(i) == ' ' && isDigit(s.at(i+1)) && n.plain {
		// 1 1/2
		d, e, ok := s.readDigits(i + 1)
		if ok && d.plain && d.digits <= 2 && s.at(e) == '/' && isDigit(s.at(e+1)) {
			f := d
			s.fractionAt(&f)
			if f.ratio {
				n.lo = add(n.lo, f.lo)
				n.hi, n.end = n.lo, f.end
			}
		}
		return
	}
	if s.at(i) == '分' && s.at(i+1) == '之' {
		m, ok := s.plainAt(i + 2)
		if ok && n.lo.Sign() > 0 {
			v := new(big.Rat).Quo(m.lo, n.lo)
			if m.lo != m.hi {
				n.hi = new(big.Rat).Quo(m.hi, n.lo)
				n.lo, n.approx = v, true
			} else {
				n.lo, n.hi = v, v
			}
			if m.step != nil && m.decimals {
				n.step = new(big.Rat).Quo(m.step, n.lo)
			} else {
				n.step = nil
			}
			n.end, n.ratio, n.weak, n.sig, n.magnitude = m.end, true, false, m.sig, nil
		}
		return
	}
	if s.at(i) == '折' && s.at(i+1) != '扣' && s.at(i+1) != '合' && s.at(i+1) != '旧' && s.at(i+1) != '算' && s.at(i+1) != '叠' {
		v := n.lo
		switch {
		case v.Cmp(ten) < 0:
			v = mul(v, big.NewRat(1, 10))
		case v.Cmp(hundred) < 0:
			v = mul(v, big.NewRat(1, 100))
		default:
			return
		}
		n.lo, n.hi, n.end, n.ratio, n.discount, n.step, n.weak = v, v, i+1, true, true, nil, false
		return
	}
	if n.word && s.at(i) == '成' && hanDigit(s.at(i+1)) > 0 && n.lo.Cmp(ten) < 0 {
		d := int64(hanDigit(s.at(i + 1)))
		v := add(mul(n.lo, big.NewRat(1, 10)), big.NewRat(d, 100))
		n.lo, n.hi, n.end, n.ratio, n.weak = v, v, i+2, true, false
		return
	}
	if n.word && n.weak && s.at(i) == '半' {
		// 一半
		n.lo, n.hi, n.end, n.ratio, n.weak = half, half, i+1, true, false
		return
	}
	j := s.gap(i)
	if j == i || !isLetter(s.at(j)) {
		return
	}
	w, e := s.word(j)
	if d := fractionWords[w]; d > 0 && n.word && n.lo.Cmp(big.NewRat(d, 1)) < 0 && n.lo.Sign() > 0 {
		// "two quarters" are two quarters of a year; "three quarters" a share.
		after, _ := s.word(s.gap(e))
		if d == 4 && (n.lo.Cmp(big.NewRat(2, 1)) == 0 || after != "of" && n.weak && s.at(i) != '-') {
			return
		}
		if n.weak && d == 3 && after != "of" && s.at(e) == ' ' && s.at(i) != '-' && !s.shareAfter(e) {
			return
		}
		v := new(big.Rat).Quo(n.lo, big.NewRat(d, 1))
		n.lo, n.hi, n.ratio, n.weak, n.end = v, v, true, false, e
		s.ofArticle(n)
		return
	}
	if w == "and" {
		k := s.gap(e)
		w2, e2 := s.word(k)
		if w2 == "a" || w2 == "one" || w2 == "three" {
			k = s.gap(e2)
			w3, e3 := s.word(k)
			if d := fractionWords[w3]; d > 0 && k > e2 {
				num := int64(1)
				if w2 == "three" {
					num = 3
				}
				n.lo = add(n.lo, big.NewRat(num, d))
				n.hi, n.end, n.weak = n.lo, e3, false
			}
		}
		if d := fractionWords[w2]; w2 == "half" && d > 0 {
			n.lo = add(n.lo, half)
			n.hi, n.end, n.weak = n.lo, e2, false
		}
	}
}

// shareAfter: "one third" as a share goes before a verb or the end, never before
// a noun it counts.
func (s *scanner) shareAfter(e int) bool {
	w, _ := s.word(s.blanks(e))
	return w == "" || stopWords[w]
}

// ofArticle passes "of a", "of an" when a unit follows: three quarters of an hour.
func (s *scanner) ofArticle(n *number) {
	j := s.gap(n.end)
	w, e := s.word(j)
	if w == "of" {
		j = s.gap(e)
		w, e = s.word(j)
	}
	if w != "a" && w != "an" {
		return
	}
	k := s.gap(e)
	u, ue := s.word(k)
	if k == e {
		return
	}
	switch u {
	case "million", "billion", "thousand", "trillion", "hundred", "dozen":
		n.end, n.ratio = e, false
		if u == "hundred" {
			n.scale(hundred)
			n.end = ue
		}
		return
	}
	if spec := enUnits[u]; spec != nil && !shortUnits[u] {
		n.end = e
	}
}

// plainAt reads a number without unit in digits or Chinese numerals.
func (s *scanner) plainAt(i int) (number, bool) {
	switch {
	case isDigit(s.at(i)):
		n, _, ok := s.readDigits(i)
		return n, ok
	case isNumeral(s.at(i)):
		n, _, ok := s.readHan(i)
		return n, ok
	}
	return number{}, false
}

// halfUnit reads 三个半月, 两个半小时: the half stands before the unit.
func (s *scanner) halfUnit(n *number) {
	i := n.end
	if s.at(i) == '个' && s.at(i+1) == '半' {
		if spec, _ := s.hanUnit(i + 2); spec != nil && (spec.dim == Duration || spec.dim == Months) || s.at(i+2) == '月' {
			n.lo = add(n.lo, half)
			n.hi, n.weak = n.lo, false
			n.end = i + 2
		}
	}
}

// halfMonth reads the month behind 三个半.
func (s *scanner) halfMonth(n *number) (unitHit, bool) {
	if s.at(n.end) != '月' || s.at(n.end-1) != '半' {
		return unitHit{}, false
	}
	return unitHit{spec: enUnits["month"], end: n.end + 1, name: "month"}, true
}

// halfAfter reads 一倍半, 三年半: the half stands behind the unit.
func (s *scanner) halfAfter(n *number, hit *unitHit) {
	next := s.at(hit.end + 1)
	if next == '径' || next == '价' || next == '数' || hit.spec == nil || hit.spec.noun && hit.spec.dim == Count {
		return
	}
	n.lo = add(n.lo, half)
	n.hi, n.weak = n.lo, false
	hit.end++
}

// degrees tells temperature, electricity and angle apart behind 度.
func (s *scanner) degrees(hit unitHit) unitHit {
	from, to := hit.noun.Start-14, hit.end+3
	if from < 0 {
		from = 0
	}
	if to > len(s.f) {
		to = len(s.f)
	}
	spec := enUnits["degree"]
	for _, r := range s.f[from:to] {
		switch r {
		case '温', '热', '冷', '摄', '暖', '寒':
			spec, _ = s.celsius()
		case '电':
			spec = enUnits["kwh"]
		}
	}
	return unitHit{spec: spec, end: hit.end, name: spec.name}
}

func (s *scanner) celsius() (*unitSpec, bool) {
	u := enUnits["celsius"]
	return u, u != nil
}

// bare decides whether a number without unit or noun is worth reporting.
func (s *scanner) bare(n number, pre context) bool {
	if n.word && !n.decimals {
		if r := s.at(n.start); r >= 0x4e00 || r == '〇' {
			// 统一, 万一, 三峡: a Chinese numeral counts alone only as a whole of several signs.
			next := s.at(n.end)
			if n.end-n.start < 2 || next >= 0x4e00 && next <= 0x9fff || s.at(n.start-1) >= 0x4e00 && pre.start == n.start && n.digits > 0 {
				return false
			}
			return hanDigit(r) >= 0 && n.magnitude == nil || n.end-n.start > 2
		}
		return !n.weak && (n.lo.Cmp(ten) >= 0 || pre.bound != none || pre.approx || pre.delta != 0 || s.ageBefore(n.start))
	}
	if yearLike(n) && n.magnitude == nil && (pre.bound == none && !pre.approx && pre.delta == 0 || pre.yearly) {
		return false
	}
	return true
}

// ageBefore reports whether an age stands at i: from the age of four, children aged six.
func (s *scanner) ageBefore(i int) bool {
	for _, lead := range [...]string{"age of ", "aged "} {
		if n := len(lead); i >= n && string(s.f[i-n:i]) == lead && (i == n || s.f[i-n-1] == ' ') {
			return true
		}
	}
	return false
}

// dateNumber reports that the number is a part of a date: 9月, 5号, 1 March, a year.
func (s *scanner) dateNumber(n number, pre context) bool {
	if n.ratio || n.magnitude != nil || n.decimals {
		return false
	}
	next := s.at(n.end)
	k := s.blanks(n.end)
	switch s.at(k) {
	case '月', '号':
		return true
	}
	if s.at(k) == '日' && s.monthBefore(n.start) {
		return true
	}
	if next == '年' && (n.plain && n.digits == 4 && yearLike(n) || n.word && n.digits == 4) {
		return true
	}
	if next == '年' && (s.at(n.end+1) >= '0' && s.at(n.end+1) <= '9') && n.digits == 2 {
		return true
	}
	if n.plain && yearLike(n) && (pre.yearly && pre.currency == nil || s.at(n.end) == '/' && isDigit(s.at(n.end+1))) {
		w, _ := s.word(k)
		if u := enUnits[w]; u == nil || shortUnits[w] {
			return true
		}
	}
	if n.plain && n.digits <= 2 || n.word {
		if w, e := s.word(k); isMonth(w) && (k > n.end || s.at(n.end) == '-') {
			if w == "may" || w == "march" {
				// "5 may leave" is no date; "5 May 2026" is, and "5 May" at the end.
				j := s.blanks(e)
				return isDigit(s.at(j)) || s.at(j) == ',' || s.at(j) == '.' || s.at(j) == 0 || s.at(j) == '\n' || w == "march"
			}
			return true
		}
		if !n.word && s.monthNameBefore(n.start) {
			if w, _ := s.word(k); enUnits[w] == nil {
				return true
			}
		}
	}
	return false
}

func isMonth(w string) bool {
	switch w {
	case "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		return true
	}
	return false
}

// monthNameBefore: "March 1", "Sept. 12".
func (s *scanner) monthNameBefore(i int) bool {
	k := i
	for k > 0 && i-k < 3 && (s.f[k-1] == ' ' || s.f[k-1] == '.') {
		k--
	}
	if k == i {
		return false
	}
	w := k
	for w > 0 && isLetter(s.f[w-1]) && k-w < 10 {
		w--
	}
	if isLetter(s.at(w - 1)) {
		return false
	}
	return isMonth(string(s.f[w:k]))
}

// dateAt returns the end of a date in digits at i (2025-09-01, 1/9/2025, 2025年9月1日), or 0.
func (s *scanner) dateAt(i int) int {
	a, j := s.digitRun(i)
	sep := s.at(j)
	if (sep == '-' || sep == '/' || sep == '.') && isDigit(s.at(j+1)) {
		b, k := s.digitRun(j + 1)
		if s.at(k) == sep && isDigit(s.at(k+1)) {
			c, e := s.digitRun(k + 1)
			if (a == 4 && b <= 2 && c <= 2 || a <= 2 && b <= 2 && (c == 4 || c == 2)) && s.at(e) != sep {
				return e
			}
		}
		if a == 4 && (s.f[i] == '1' || s.f[i] == '2') && b == 4 && sep != '.' && (s.f[j+1] == '1' || s.f[j+1] == '2') {
			return s.afterYears(k)
		}
		if a == 4 && s.f[i] == '2' && b == 2 && sep != '.' && s.at(k) != '-' && !isDigit(s.at(k)) {
			return s.afterYears(k)
		}
	}
	if sep == '年' && a == 4 && (s.f[i] == '1' || s.f[i] == '2') && isDigit(s.at(s.blanks(j+1))) {
		k := s.blanks(j + 1)
		b, e := s.digitRun(k)
		if b <= 2 && s.at(e) == '月' {
			return e
		}
	}
	return 0
}

// afterYears refuses year ranges that turn out to carry a unit: 1500-2000元.
func (s *scanner) afterYears(k int) int {
	if s.at(k) == '年' {
		return k
	}
	n := number{plain: true, lo: one, hi: one, start: k, end: k}
	if _, ok := s.unitAt(k, &n); ok {
		return 0
	}
	if s.at(k) == '.' && isDigit(s.at(k+1)) || hanPower(s.at(k)) > 0 {
		return 0
	}
	return k
}

func (s *scanner) digitRun(i int) (int, int) {
	j := i
	for isDigit(s.at(j)) && j-i < 20 {
		j++
	}
	return j - i, j
}

// ordinalSuffix: 1st, 22nd.
func (s *scanner) ordinalSuffix(n number) (Quantity, bool) {
	w, e := s.word(n.end)
	switch w {
	case "st", "nd", "rd", "th":
		if !n.plain || n.digits > 3 && s.at(n.start) != '1' {
			return Quantity{}, false
		}
		q := Quantity{Span: text.Span{Start: n.start, End: e}, Number: text.Span{Start: n.start, End: n.end}, Lo: n.lo, Hi: n.hi, Unit: Unit{Dim: Ordinal}}
		s.ordinalNoun(&q)
		return q, true
	}
	return Quantity{}, false
}

// ordinalNoun names what is numbered: the third floor.
func (s *scanner) ordinalNoun(q *Quantity) {
	k := s.blanks(q.End)
	if k == q.End {
		return
	}
	w, e := s.word(k)
	if w == "" || stopWords[w] || isMonth(w) {
		return
	}
	q.Noun, q.NounSpan = string(s.f[k:e]), text.Span{Start: k, End: e}
	q.Unit.Name = nounName(w)
}

// atOrdinal reads 第三, 第9条 at 第.
func (s *scanner) atOrdinal(i int) int {
	j := s.blanks(i + 1)
	n, ok := s.plainAt(j)
	if !ok || n.lo != n.hi {
		return i + 1
	}
	q := Quantity{Span: text.Span{Start: i, End: n.end}, Number: text.Span{Start: n.start, End: n.end}, Lo: n.lo, Hi: n.hi, Unit: Unit{Dim: Ordinal}}
	k := s.blanks(n.end)
	if r := s.at(k); r >= 0x4e00 && r <= 0x9fff && r != '的' && r != '是' && r != '为' {
		e := k + 1
		for _, two := range [...]string{"季度", "学期", "阶段", "工作日", "个月", "小时", "学年", "部分"} {
			rs := []rune(two)
			if k+len(rs) <= len(s.f) && string(s.f[k:k+len(rs)]) == two {
				e = k + len(rs)
			}
		}
		q.NounSpan = text.Span{Start: k, End: e}
		q.Noun = string(s.f[k:e])
		q.Unit.Name = q.Noun
		q.End = e
	}
	return s.emit(q)
}

// atHan reads a Chinese numeral at i.
func (s *scanner) atHan(i int) int {
	n, end, ok := s.readHan(i)
	if !ok {
		return end
	}
	if end <= i {
		end = i + 1
	}
	prev, next := s.at(i-1), s.at(n.end)
	if prev == '数' || prev == '几' || prev == '若' || prev == '初' {
		return end
	}
	if n.end-i == 1 {
		if s.fixedPhrase(i, prev, next) {
			return end
		}
	}
	if s.listMarkHan(i, n.end) {
		return end
	}
	return s.atValue(n, end)
}

// listMarkHan: 一、 and （三） at a line start.
func (s *scanner) listMarkHan(i, end int) bool {
	if s.at(end) == '、' || s.at(end) == '.' {
		return i == 0 || s.f[i-1] == '\n' || s.at(i-1) == ' ' && (i < 2 || s.f[i-2] == '\n')
	}
	if p := s.at(i - 1); (p == '(' || p == '（') && (s.at(end) == ')' || s.at(end) == '）') {
		return true
	}
	return false
}

// fixedPhrase reports words in which a single numeral is no number: 一般, 统一, 周三.
func (s *scanner) fixedPhrase(i int, prev, next rune) bool {
	switch prev {
	case '周', '期', '拜':
		if prev == '期' && s.at(i-2) != '星' || prev == '拜' && s.at(i-2) != '礼' {
			break
		}
		return true
	case '统', '唯', '逐', '单', '专', '同', '之', '归', '划', '合', '如', '不', '任', '某', '万', '另', '哪', '这', '那', '每', '其':
		switch {
		case prev == '每' || prev == '这' || prev == '那' || prev == '另' || prev == '任' || prev == '某' || prev == '哪':
			return s.f[i] == '一'
		case s.f[i] == '一':
			return true
		}
	}
	switch s.f[i] {
	case '一':
		switch next {
		case '般', '定', '些', '样', '直', '起', '切', '旦', '致', '律', '经', '面', '度', '道', '方', '系', '体', '线', '流', '下', '同', '并', '共', '概', '再', '贯', '时', '带',
			'味', '向', '点', '会', '行', '边', '旁', '端', '侧', '应', '举', '番', '言', '生', '脉', '则', '来', '手', '路', '片', '级', '批':
			return !(next == '级' || next == '批' || next == '点' || next == '片') || next == '点' && s.clockPrefix(i) == 0
		}
	case '十':
		return next == '分' && s.at(i+2) != '钟' && s.at(i+2) != '之' || next == '足' || next == '字'
	case '百', '佰':
		return next == '度' || next == '货' || next == '姓' || next == '般' || next != '分' && next != '余' && next != '多' && s.plainPower(i, prev)
	case '千', '仟':
		if next == '分' && s.at(i+2) == '之' {
			return false
		}
		return next != '余' && next != '多' && s.plainPower(i, prev)
	case '万', '亿', '萬', '億':
		if next == '分' && s.at(i+2) == '之' {
			return false
		}
		return next != '余' && next != '多' && s.plainPower(i, prev)
	case '零':
		return next == '售' || next == '件' || next == '部' || next == '星' || next == '钱' || next == '食' || prev == '归' || next == '下'
	}
	return false
}

// plainPower refuses 百, 千, 万 alone unless a word of amount stands before them.
func (s *scanner) plainPower(_ int, prev rune) bool {
	switch prev {
	case '近', '上', '约', '逾', '过', '超', '满', '达':
		return false
	}
	return true
}

// atHalf reads 半年, 半小时, 半价 at 半.
func (s *scanner) atHalf(i int) int {
	prev := s.at(i - 1)
	switch prev {
	case '上', '下', '前', '后', '大', '小', '多', '过', '夜', '一', '点', '时', '对', '各':
		return i + 1
	}
	j := i + 1
	if s.at(j) == '个' {
		j++
	}
	n := number{start: i, end: j, lo: half, hi: half, sig: 1, word: true}
	switch s.at(j) {
	case '价':
		q := Quantity{Span: text.Span{Start: i, End: j + 1}, Number: text.Span{Start: i, End: i + 1}, Lo: half, Hi: half, Unit: Unit{Dim: Ratio, Name: "折"}, Discount: true}
		return s.emit(q)
	case '数':
		q := Quantity{Span: text.Span{Start: i, End: j + 1}, Number: text.Span{Start: i, End: i + 1}, Lo: half, Hi: half, Unit: Unit{Dim: Ratio, Name: "%", Factor: ratioSpec.factor}}
		return s.emit(q)
	}
	if prev == '减' {
		q := Quantity{Span: text.Span{Start: i, End: i + 1}, Number: text.Span{Start: i, End: i + 1}, Lo: half, Hi: half, Unit: Unit{Dim: Ratio, Name: "%"}, Discount: true, Delta: -1}
		return s.emit(q)
	}
	if s.at(j) == '月' {
		n.end = j
		q := Quantity{Span: text.Span{Start: i, End: j + 1}, Number: text.Span{Start: i, End: i + 1}, Lo: half, Hi: half, Unit: Unit{Dim: Months, Name: "month"}}
		return s.emit(q)
	}
	spec, _ := s.hanUnit(j)
	if spec == nil || spec.dim == Count || s.at(j) == '成' || s.at(j) == '分' || s.at(j) == '节' {
		return i + 1
	}
	return s.atValue(n, j)
}

func (s *scanner) atNoon(i int) int {
	v := big.NewRat(720, 1)
	q := Quantity{Span: text.Span{Start: i, End: i + 2}, Number: text.Span{Start: i, End: i + 2}, Unit: Unit{Dim: ClockTime, Name: "clock"}}
	if s.f[i] == '午' {
		v = big.NewRat(1440, 1)
	}
	if r := s.at(i + 2); isNumeral(r) || isDigit(r) {
		return i + 1
	}
	if s.f[i] == '中' && s.at(i+2) != '前' && s.at(i+2) != '后' && s.at(i+2) != '以' && s.at(i+2) != '起' {
		return i + 2
	}
	q.Lo, q.Hi = v, v
	return s.emit(q)
}

// atWord reads the English word at i: a number word, or passes it.
func (s *scanner) atWord(i int) int {
	j := i
	for j < len(s.f) && 'a' <= s.f[j] && s.f[j] <= 'z' {
		j++
	}
	if j < len(s.f) && isDigit(s.f[j]) {
		// A code such as wr840 or a currency such as rmb5.
		if s.currencyBefore(j) {
			return j
		}
		return s.skipName(j)
	}
	if j < len(s.f) && isOtherLetter(s.f[j]) {
		for j < len(s.f) && isLetter(s.f[j]) {
			j++
		}
		return j
	}
	size := j - i
	if size == 1 && s.f[i] == 'a' {
		return s.atArticle(i, j)
	}
	if size < 3 || size > 13 {
		return j
	}
	for k := 0; k < size; k++ {
		s.buf[k] = byte(s.f[i+k])
	}
	num, ok := enNumbers[string(s.buf[:size])]
	if !ok {
		return j
	}
	if i > 0 && (s.f[i-1] == '\'' || s.f[i-1] == '_' || s.f[i-1] == '.' || s.f[i-1] == '/' && isLetter(s.at(i-2))) {
		return j
	}
	switch num.kind {
	case 'u', 't', 'y':
		if q, ok := s.wordClock(i); ok {
			return s.emit(q)
		}
		n, ok := s.readWords(i)
		if !ok {
			return j
		}
		// twenty-first
		k := s.gap(n.end)
		if w, e := s.word(k); enNumbers[w].kind == 'o' && num.kind == 'y' && n.end == j && k > n.end && enNumbers[w].value < 10 {
			v := big.NewRat(num.value+enNumbers[w].value, 1)
			q := Quantity{Span: text.Span{Start: i, End: e}, Number: text.Span{Start: i, End: e}, Lo: v, Hi: v, Unit: Unit{Dim: Ordinal}}
			s.ordinalNoun(&q)
			return s.emit(q)
		}
		if n.weak && s.weakOne(n) {
			return j
		}
		return s.atValue(n, n.end)
	case 'o':
		if num.value == 2 && s.prevDigit(i) {
			return j
		}
		v := big.NewRat(num.value, 1)
		q := Quantity{Span: text.Span{Start: i, End: j}, Number: text.Span{Start: i, End: j}, Lo: v, Hi: v, Unit: Unit{Dim: Ordinal}}
		s.ordinalNoun(&q)
		if q.Noun == "" && num.value <= 2 {
			return j
		}
		return s.emit(q)
	case 'f':
		v := big.NewRat(num.value, 1)
		q := Quantity{Span: text.Span{Start: i, End: j}, Number: text.Span{Start: i, End: j}, Lo: v, Hi: v, Unit: Unit{Dim: Count, Name: "time"}}
		per, e := s.perAfter(j, Count)
		if per == "" && num.value == 1 {
			return j
		}
		if per != "" {
			q.Unit.Per, q.End = per, e
			s.frequency(&q)
		}
		return s.emit(q)
	case 'k':
		v := big.NewRat(num.value, 1)
		return s.emit(Quantity{Span: text.Span{Start: i, End: j}, Number: text.Span{Start: i, End: j}, Lo: v, Hi: v, Unit: Unit{Dim: ClockTime, Name: "clock"}})
	case 'q':
		if q, ok := s.wordClock(i); ok {
			return s.emit(q)
		}
		if num.value != 2 || s.f[i+1] != 'a' {
			return j
		}
		return s.atHalfWord(i, j)
	}
	return j
}

func (s *scanner) prevDigit(i int) bool { return isDigit(s.at(i-1)) || isDigit(s.at(i-2)) }

// weakOne: "one of", "no one", "one another" are no numbers.
func (s *scanner) weakOne(n number) bool {
	w, e := s.word(s.space(n.end))
	if w == "and" {
		if w2, e2 := s.word(s.space(e)); w2 == "a" {
			if w3, _ := s.word(s.gap(e2)); fractionWords[w3] > 0 {
				return false
			}
		}
	}
	switch w {
	case "of", "another", "who", "that", "which", "is", "can", "may", "must", "should", "or", "and", "by", "has", "to", "in", "on", "for", "with", "at", "from", "as":
		return true
	}
	k := n.start
	for k > 0 && n.start-k < 2 && s.f[k-1] == ' ' {
		k--
	}
	e = k
	for k > 0 && isLetter(s.f[k-1]) && e-k < 6 {
		k--
	}
	switch string(s.f[k:e]) {
	case "no", "any", "every", "some", "this", "that", "which", "another", "each":
		return true
	}
	return false
}

// atArticle reads "a hundred", "a dozen", "a half", "a third of", "a million".
func (s *scanner) atArticle(i, j int) int {
	k := s.space(j)
	if k == j {
		return j
	}
	w, e := s.word(k)
	num, ok := enNumbers[w]
	if !ok {
		return j
	}
	n := number{start: i, end: e, word: true, sig: 1}
	switch num.kind {
	case 'h', 'm', 'd':
		v := big.NewRat(num.value, 1)
		n.lo, n.hi = v, v
		if num.kind == 'm' || num.kind == 'h' {
			n.step = v
		}
		return s.atValue(n, e)
	case 'c':
		k2 := s.space(e)
		if w2, e2 := s.word(k2); w2 == "of" {
			v := big.NewRat(2, 1)
			n.lo, n.hi, n.end, n.approx = v, v, e2, true
			return s.atValue(n, e2)
		}
	case 'o', 'q':
		w2, _ := s.word(s.gap(e))
		if d := fractionWords[w]; d > 0 && (w2 == "of" || w == "half") {
			v := big.NewRat(1, d)
			n.lo, n.hi, n.ratio = v, v, true
			s.ofArticle(&n)
			if !n.ratio {
				return s.atValue(n, e)
			}
			if u, ue := s.word(s.gap(n.end)); enUnits[u] != nil && w2 != "of" && !shortUnits[u] {
				_ = ue
				n.ratio = false
				return s.atValue(n, e)
			}
			if n.end > e {
				n.ratio = false
			}
			if w == "half" && w2 != "of" && n.end == e {
				return e
			}
			return s.atValue(n, n.end)
		}
	}
	return j
}

// atHalfWord reads "half a million", "half an hour", "half of the", "half metre".
func (s *scanner) atHalfWord(i, j int) int {
	prev := i
	for prev > 0 && i-prev < 2 && (s.f[prev-1] == ' ' || s.f[prev-1] == '-') {
		prev--
	}
	p := prev
	for p > 0 && isLetter(s.f[p-1]) && prev-p < 8 {
		p--
	}
	switch string(s.f[p:prev]) {
	case "first", "second", "other", "latter", "former", "last", "upper", "lower", "better", "and":
		return j
	}
	n := number{start: i, end: j, lo: half, hi: half, sig: 1, word: true, ratio: true}
	s.ofArticle(&n)
	if n.end > j {
		n.ratio = false
		return s.atValue(n, n.end)
	}
	k := s.gap(j)
	w, _ := s.word(k)
	if u := enUnits[w]; u != nil && k > j && !shortUnits[w] && u.dim != Ratio {
		n.ratio = false
		return s.atValue(n, j)
	}
	if w == "of" || w == "the" || w == "price" || w == "rate" || string(s.f[p:prev]) == "by" {
		return s.atValue(n, j)
	}
	return j
}
