package quantity

import (
	"math/big"

	"suffice.dev/suffice/text"
)

func clockQuantity(start, end int, lo, hi int64) Quantity {
	l := big.NewRat(lo, 1)
	h := l
	if hi != lo {
		h = big.NewRat(hi, 1)
	}
	return Quantity{Span: text.Span{Start: start, End: end}, Number: text.Span{Start: start, End: end}, Lo: l, Hi: h, Unit: Unit{Dim: ClockTime, Name: "clock"}}
}

// clockAt reads one time of day in Latin form at i: 10:30, 3 pm, 9 o'clock.
func (s *scanner) clockAt(i int) (minutes int64, end int, half12 int, ok bool) {
	n, j := s.digitRun(i)
	if n == 0 || n > 2 {
		return 0, 0, 0, false
	}
	h := s.small(i, j)
	m := int64(0)
	colon := false
	if c := s.at(j); (c == ':' || c == '∶' || c == '.') && isDigit(s.at(j+1)) && isDigit(s.at(j+2)) && !isDigit(s.at(j+3)) {
		m = s.small(j+1, j+3)
		e := j + 3
		if c == '.' {
			// 10.30 is a time only before am or pm.
			if suf, _ := s.meridiem(e); suf == 0 {
				return 0, 0, 0, false
			}
		} else {
			colon = true
		}
		j = e
		if s.at(j) == ':' && isDigit(s.at(j+1)) && isDigit(s.at(j+2)) && !isDigit(s.at(j+3)) {
			j += 3
		}
	}
	if h > 24 || m > 59 || h == 24 && m > 0 {
		return 0, 0, 0, false
	}
	suf, e := s.meridiem(j)
	if suf == 0 {
		k := s.blanks(j)
		if w, we := s.word(k); w == "o" && (s.at(we) == '\'' || s.at(we) == '’') {
			if w2, e2 := s.word(we + 1); w2 == "clock" {
				return h*60 + m, e2, 0, true
			}
		}
		if !colon {
			return 0, 0, 0, false
		}
		return h*60 + m, j, 0, true
	}
	if h > 12 {
		return h*60 + m, e, suf, true
	}
	if suf == 2 && h < 12 {
		h += 12
	}
	if suf == 1 && h == 12 {
		h = 0
	}
	return h*60 + m, e, suf, true
}

func (s *scanner) small(i, j int) int64 {
	var v int64
	for ; i < j; i++ {
		v = v*10 + int64(s.f[i]-'0')
	}
	return v
}

// meridiem reads am, p.m. at i: 1 before noon, 2 after, 0 none.
func (s *scanner) meridiem(i int) (int, int) {
	k := s.blanks(i)
	c := s.at(k)
	if c != 'a' && c != 'p' {
		return 0, i
	}
	v := 1
	if c == 'p' {
		v = 2
	}
	switch {
	case s.at(k+1) == 'm' && !isLetter(s.at(k+2)) && !isDigit(s.at(k+2)):
		return v, k + 2
	case s.at(k+1) == '.' && s.at(k+2) == 'm':
		if s.at(k+3) == '.' {
			return v, k + 4
		}
		return v, k + 3
	}
	return 0, i
}

// clock reads a time of day or a range of two at digits.
func (s *scanner) clock(i int) (Quantity, bool) {
	if i > 0 && (isLetter(s.f[i-1]) || s.f[i-1] == ':' || s.f[i-1] == '.' || s.f[i-1] == '$') {
		return Quantity{}, false
	}
	lo, end, suf, ok := s.clockAt(i)
	start := i
	if !ok {
		// 9-11 am: the suffix of the second serves both.
		n, j := s.digitRun(i)
		if n == 0 || n > 2 || s.small(i, j) > 12 {
			return Quantity{}, false
		}
		k := s.rangeMark(j)
		if k == j || !isDigit(s.at(k)) {
			return Quantity{}, false
		}
		hi, e, suf2, ok2 := s.clockAt(k)
		if !ok2 || suf2 == 0 {
			return Quantity{}, false
		}
		lo = s.small(i, j) * 60
		if suf2 == 2 && lo+720 < hi {
			lo += 720
		}
		if lo >= hi {
			return Quantity{}, false
		}
		return clockQuantity(start, e, lo, hi), true
	}
	if s.ratioBefore(i) {
		return Quantity{}, false
	}
	if p := s.clockPrefix(i); suf == 0 && p > 0 {
		start, lo = s.dayPart(i, lo)
	}
	if k := s.rangeMark(end); k > end {
		at := k
		if p := s.dayPartAt(k); p > k {
			at = p
		}
		if isDigit(s.at(at)) {
			if hi, e, suf2, ok2 := s.clockAt(at); ok2 {
				if at > k {
					_, hi = s.dayPart(at, hi)
				}
				if suf == 0 && suf2 == 2 && lo+720 < hi && lo < 720 {
					lo += 720
				}
				if lo < hi {
					return clockQuantity(start, e, lo, hi), true
				}
			}
		}
	}
	return clockQuantity(start, end, lo, lo), true
}

func (s *scanner) ratioBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-4; k-- {
		if s.f[k] == '比' {
			return true
		}
	}
	return false
}

// rangeMark passes a dash, 至, "to" between two times; it returns i when there is none.
func (s *scanner) rangeMark(i int) int {
	k := s.blanks(i)
	switch s.at(k) {
	case '-', '–', '—', '~', '〜', '至', '到', '−':
		k++
		if s.at(k) == '—' {
			k++
		}
		return s.blanks(k)
	}
	if w, e := s.word(k); (w == "to" || w == "until" || w == "and" || w == "till") && k > i {
		n := s.blanks(e)
		if n > e {
			return n
		}
	}
	return i
}

var dayParts = [...]struct {
	word []rune
	pm   bool
}{
	{[]rune("上午"), false}, {[]rune("下午"), true}, {[]rune("中午"), false}, {[]rune("晚上"), true}, {[]rune("凌晨"), false}, {[]rune("早上"), false},
	{[]rune("清晨"), false}, {[]rune("傍晚"), true}, {[]rune("午后"), true}, {[]rune("夜间"), true}, {[]rune("早晨"), false}, {[]rune("当晚"), true}, {[]rune("晚"), true}, {[]rune("早"), false},
}

// clockPrefix is the length of the part of day that ends at i: 上午, 下午.
func (s *scanner) clockPrefix(i int) int {
	switch s.at(i - 1) {
	case '午', '上', '晨', '晚', '早', '后', '间':
	default:
		return 0
	}
	for _, d := range dayParts {
		n := len(d.word)
		if i-n >= s.floor && i-n >= 0 && string(s.f[i-n:i]) == string(d.word) {
			return n
		}
	}
	return 0
}

func (s *scanner) dayPartAt(i int) int {
	if r := s.at(i); r < 0x4e00 || isNumeral(r) {
		return i
	}
	for _, d := range dayParts {
		n := len(d.word)
		if i+n <= len(s.f) && string(s.f[i:i+n]) == string(d.word) {
			return i + n
		}
	}
	return i
}

// dayPart moves the start before 下午 and adds twelve hours where it asks for them.
func (s *scanner) dayPart(i int, minutes int64) (int, int64) {
	for _, d := range dayParts {
		n := len(d.word)
		if i-n >= s.floor && i-n >= 0 && string(s.f[i-n:i]) == string(d.word) {
			if d.pm && minutes < 720 || string(d.word) == "中午" && minutes < 180 {
				minutes += 720
			}
			return i - n, minutes
		}
	}
	return i, minutes
}

// hanTime reads the hour mark at i (时 or 点) and the minutes behind it.
func (s *scanner) hanTime(n number, i int) (minutes int64, end int, strong, ok bool) {
	if n.lo != n.hi || !n.lo.IsInt() || n.lo.Cmp(rat24) > 0 || n.lo.Sign() < 0 {
		return 0, 0, false, false
	}
	m := n.lo.Num().Int64() * 60
	end = i + 1
	next := s.at(end)
	if s.f[i] == '时' {
		switch next {
		case '间', '候', '期', '代', '段', '空', '效', '限':
			return 0, 0, false, false
		}
		strong = true
	}
	switch next {
	case '半':
		return m + 30, end + 1, true, true
	case '整', '正':
		return m, end + 1, true, true
	case '钟':
		return m, end + 1, true, true
	}
	if next == '一' && s.at(end+1) == '刻' {
		return m + 15, end + 2, true, true
	}
	if next == '三' && s.at(end+1) == '刻' {
		return m + 45, end + 2, true, true
	}
	if k, fine := s.plainAt(end); fine && k.lo == k.hi && k.lo.IsInt() && k.lo.Cmp(big.NewRat(60, 1)) < 0 && k.lo.Sign() >= 0 {
		if s.at(k.end) == '分' && s.at(k.end+1) != '钟' && s.at(k.end+1) != '之' {
			return m + k.lo.Num().Int64(), k.end + 1, true, true
		}
		if s.f[i] == '点' && k.end-k.start == 2 && (n.word == k.word) {
			return m + k.lo.Num().Int64(), k.end, true, true
		}
	}
	return m, end, strong, true
}

// hanClock reads 9时30分, 下午3点半, 9时至17时 for the number n with its mark at i.
func (s *scanner) hanClock(n number, i int) (Quantity, bool) {
	lo, end, strong, ok := s.hanTime(n, i)
	if !ok {
		return Quantity{}, false
	}
	start := n.start
	if s.clockPrefix(n.start) > 0 {
		strong = true
		start, lo = s.dayPart(n.start, lo)
	}
	mark := s.rangeMark(end)
	if mark > end {
		at := s.dayPartAt(mark)
		if m, fine := s.plainAt(at); fine && (s.at(m.end) == '时' || s.at(m.end) == '点') {
			if hi, e, _, ok2 := s.hanTime(m, m.end); ok2 {
				if at > mark {
					_, hi = s.dayPart(at, hi)
				} else if start < n.start && lo >= 720 && hi < 720 && hi+720 > lo {
					hi += 720
				}
				if lo < hi {
					return clockQuantity(start, e, lo, hi), true
				}
				strong = true
			}
		}
	}
	if !strong {
		switch s.at(n.start - 1) {
		case '于', '在', '天', '日', '到', '至', '为', '前', '周', '六':
			strong = true
		}
		switch s.at(end) {
		case '前', '后', '起', '开', '关', '以', '之':
			strong = true
		}
	}
	if !strong {
		return Quantity{}, false
	}
	return clockQuantity(start, end, lo, lo), true
}

// wordClock reads "half past nine", "quarter to five", "nine o'clock" at i.
func (s *scanner) wordClock(i int) (Quantity, bool) {
	w, e := s.word(i)
	num := enNumbers[w]
	k := s.space(e)
	w2, e2 := s.word(k)
	if num.kind == 'u' || num.kind == 't' {
		if w2 == "o" && (s.at(e2) == '\'' || s.at(e2) == '’') {
			if w3, e3 := s.word(e2 + 1); w3 == "clock" && num.value <= 12 {
				suf, e4 := s.meridiem(e3)
				return s.wordTime(i, e3, e4, num.value*60, suf), true
			}
		}
		if suf, e4 := s.meridiem(e); suf > 0 && num.value >= 1 && num.value <= 12 && k > e {
			return s.wordTime(i, e, e4, num.value*60, suf), true
		}
	}
	var minutes int64
	switch {
	case w == "half" && w2 == "past":
		minutes = 30
	case w == "quarter" && (w2 == "past" || w2 == "to"):
		minutes = 15
	case (num.kind == 't' || num.kind == 'u' || num.kind == 'y') && (w2 == "past" || w2 == "to") && num.value%5 == 0 && num.value > 0 && num.value < 30:
		minutes = num.value
	default:
		return Quantity{}, false
	}
	k = s.space(e2)
	var h int64
	var e3 int
	if isDigit(s.at(k)) {
		n, j := s.digitRun(k)
		if n > 2 {
			return Quantity{}, false
		}
		h, e3 = s.small(k, j), j
	} else {
		var w3 string
		w3, e3 = s.word(k)
		h = enNumbers[w3].value
		if kd := enNumbers[w3].kind; kd != 'u' && kd != 't' {
			return Quantity{}, false
		}
	}
	if h < 1 || h > 12 || w2 == "to" && w != "quarter" && !s.clockEnds(e3) {
		return Quantity{}, false
	}
	m := h*60 + minutes
	if w2 == "to" {
		m = h*60 - minutes
	}
	suf, e4 := s.meridiem(e3)
	return s.wordTime(i, e3, e4, m, suf), true
}

// clockEnds: "ten to five" is a time only when no unit or noun follows.
func (s *scanner) clockEnds(e int) bool {
	switch s.at(s.blanks(e)) {
	case '.', ',', 0, '\n', ';':
		return true
	}
	suf, _ := s.meridiem(e)
	return suf > 0
}

func (s *scanner) wordTime(start, end, endSuffix int, minutes int64, suf int) Quantity {
	switch {
	case suf == 2 && minutes < 720:
		minutes += 720
	case suf == 1 && minutes >= 720:
		minutes -= 720
	}
	if suf > 0 {
		end = endSuffix
	}
	return clockQuantity(start, end, minutes, minutes)
}
