package when

import (
	"time"

	"suffice.dev/suffice/text"
)

// point is a stretch of time as read, before the words around it are known.
type point struct {
	start, end int
	from, to   time.Time
	grain      string
	kind       Kind
	calendar   string
	year       int  // stated or inherited year; 0 = none
	stated     bool // the year is written in the expression itself
	month, day int
}

func (p point) resolved() bool { return !p.from.IsZero() && !p.to.IsZero() }

// scanner walks a folded text once. Every look around a trigger is bounded.
type scanner struct {
	f            []rune
	opt          Options
	floor        int
	out          []Expr
	buf          [24]byte
	year         int // last stated year
	yearSentence bool
	second       bool // the second end of a range that began with a month is read
}

func (s *scanner) at(i int) rune {
	if i < 0 || i >= len(s.f) {
		return 0
	}
	return s.f[i]
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 0xc0 <= r && r <= 0x24f && r != '×' && r != '÷' || 0x370 <= r && r <= 0x52f
}
func isHan(r rune) bool { return r >= 0x4e00 && r <= 0x9fff || r == '〇' }

func (s *scanner) blanks(i int) int {
	for n := 0; n < 3 && i < len(s.f) && (s.f[i] == ' ' || s.f[i] == '\t' || s.f[i] == '\n' && n == 0 && isLetter(s.at(i+1))); n++ {
		i++
	}
	return i
}

// word is the Latin word at i and its end; longer ones than 23 letters are "".
func (s *scanner) word(i int) (string, int) {
	j := i
	for j < len(s.f) && 'a' <= s.f[j] && s.f[j] <= 'z' {
		j++
	}
	if j == i || j-i > 23 {
		return "", j
	}
	b := make([]byte, 0, 24)
	for _, r := range s.f[i:j] {
		b = append(b, byte(r))
	}
	return string(b), j
}

// next is the word behind a blank, or a dash.
func (s *scanner) next(i int) (string, int) {
	k := s.blanks(i)
	if k == i {
		if s.at(i) != '-' {
			return "", i
		}
		k++
	}
	return s.word(k)
}

// has reports whether the text at i is w.
func (s *scanner) has(i int, w string) bool {
	for _, r := range w {
		if s.at(i) != r {
			return false
		}
		i++
	}
	return true
}

func (s *scanner) digits(i int) (v, n int) {
	for n < 9 && isDigit(s.at(i+n)) {
		v = v*10 + int(s.f[i+n]-'0')
		n++
	}
	return v, n
}

func hanDigit(r rune) int {
	switch r {
	case '零', '〇', '○':
		return 0
	case '一':
		return 1
	case '二', '两':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	}
	return -1
}

// number reads digits or a Chinese numeral below a hundred, or four Chinese digits
// of a year, at i.
func (s *scanner) number(i int) (v, n int) {
	if isDigit(s.at(i)) {
		return s.digits(i)
	}
	digit, have, ten, plain := 0, false, false, 0
	for n < 5 {
		r := s.at(i + n)
		if d := hanDigit(r); d >= 0 {
			if plain > 0 && !ten {
				v = v*10 + d
			} else if ten {
				if have {
					break
				}
				v += d
				have = true
			} else {
				v = d
			}
			digit = d
			plain++
			n++
			continue
		}
		if r == '十' && !ten && plain <= 1 {
			if plain == 0 {
				digit = 1
			}
			v, ten = digit*10, true
			n++
			continue
		}
		break
	}
	if !ten && plain > 1 && plain != 4 && !(plain == 2 && s.at(i+n) == '年') {
		return 0, 0
	}
	return v, n
}

func date(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func lastDay(y, m int) int { return date(y, m+1, 0).Day() }

func (s *scanner) run() {
	if !s.opt.Anchor.IsZero() {
		a := s.opt.Anchor
		s.opt.Anchor = date(a.Year(), int(a.Month()), a.Day())
	}
	for i := 0; i < len(s.f); {
		r := s.f[i]
		switch {
		case 'a' <= r && r <= 'z':
			i = s.atWord(i)
		case isDigit(r):
			i = s.atDigits(i)
		case r == '。' || r == '!' || r == '?' || r == '\n':
			s.yearSentence = false
			i++
		case r == '.':
			if n := s.at(i + 1); n == ' ' || n == '\n' || n == 0 {
				s.yearSentence = false
			}
			i++
		case r < 0x80:
			i++
		case r >= 0x4e00 && r <= 0x9fff || r == '〇' || r == '○':
			i = s.atHan(i)
		case isLetter(r):
			for i < len(s.f) && isLetter(s.f[i]) {
				i++
			}
		default:
			i++
		}
	}
}

// implied is the year of an expression that states none: one stated earlier in the
// sentence, the anchor's, or the last stated in the text.
func (s *scanner) implied() int {
	switch {
	case s.yearSentence:
		return s.year
	case !s.opt.Anchor.IsZero():
		return s.opt.Anchor.Year()
	}
	return s.year
}

// impliedAt is implied for the date at i, which 同年 or 次年 may tie to the last
// stated year.
func (s *scanner) impliedAt(i int) int {
	if i >= 2 && s.f[i-1] == '年' && s.year > 0 {
		switch s.f[i-2] {
		case '同', '当':
			return s.year
		case '次', '翌':
			return s.year + 1
		}
	}
	return s.implied()
}

func (p *point) setYear(y int) {
	p.from, p.to, p.grain, p.year = date(y, 1, 1), date(y, 12, 31), "year", y
}
func (p *point) setMonth(y, m int) {
	p.grain, p.month, p.year = "month", m, y
	if y > 0 {
		p.from, p.to = date(y, m, 1), date(y, m, lastDay(y, m))
	}
}
func (p *point) setDay(y, m, d int) {
	p.grain, p.month, p.day, p.year = "day", m, d, y
	if y > 0 {
		p.from = date(y, m, d)
		p.to = p.from
	}
}
func (p *point) setQuarter(y, q int) {
	p.grain, p.year = "quarter", y
	p.month = q*3 - 2
	if y > 0 {
		p.from, p.to = date(y, q*3-2, 1), date(y, q*3, lastDay(y, q*3))
	}
}
func (p *point) setHalf(y, h int) {
	p.grain, p.year = "half", y
	p.month = h*6 - 5
	if y > 0 {
		p.from, p.to = date(y, h*6-5, 1), date(y, h*6, lastDay(y, h*6))
	}
}

func validDay(y, m, d int) bool {
	if m < 1 || m > 12 || d < 1 {
		return false
	}
	if y == 0 {
		y = 2000
	}
	return d <= lastDay(y, m)
}

// emit adds the point, joined with a second one and the words around it.
func (s *scanner) emit(p point) int {
	if p.stated && p.year > 0 {
		s.year, s.yearSentence = p.year, true
	}
	joined := false
	if p.kind == "" || p.kind == Date || p.kind == Relative || p.kind == Fiscal {
		p, joined = s.join(p)
	}
	if p.kind == "" {
		p.kind = Date
	}
	e := Expr{Span: text.Span{Start: p.start, End: p.end}, Kind: p.kind, From: p.from, To: p.to, Calendar: p.calendar, Grain: p.grain}
	if joined {
		e.Grain = "range"
	}
	switch p.kind {
	case Date, Relative, Fiscal:
		s.around(&e, p, joined)
	}
	if e.Start < s.floor {
		e.Start = s.floor
	}
	if e.End > len(s.f) {
		e.End = len(s.f)
	}
	if p.stated && p.year > 0 {
		s.year, s.yearSentence = p.year, true
	}
	e.Text = string(s.f[e.Start:e.End])
	s.out = append(s.out, e)
	s.floor = e.End
	return e.End
}

// join reads the second end of a range: 2023年至2025年, from May to July 2024.
func (s *scanner) join(p point) (point, bool) {
	i := s.blanks(p.end)
	// 自3月1日起至5月31日止
	if s.at(i) == '起' && (s.at(i+1) == '至' || s.at(i+1) == '到' || s.at(i+1) == ',' && s.at(i+2) == '至') {
		i++
		if s.at(i) == ',' {
			i++
		}
	}
	var j int
	word := false
	switch s.at(i) {
	case '-', '–', '—', '~', '〜', '至', '到', '−', '‐':
		j = i + 1
		if s.at(j) == '—' {
			j++
		}
		j = s.blanks(j)
	default:
		w, e := s.word(i)
		switch w {
		case "to", "through", "until", "till", "and", "thru":
			if w == "and" && !s.betweenBefore(p.start) {
				return p, false
			}
			j = s.blanks(e)
			word = true
			if j == e {
				return p, false
			}
		default:
			return p, false
		}
	}
	if s.has(j, "次年") || s.has(j, "翌年") {
		j += 2
		if q, ok := s.datePoint(j, p.year+1); ok && p.year > 0 {
			return s.span(p, q), true
		}
		if q, ok := s.pointAt(j, p); ok && p.year == 0 && p.month > 0 && q.month > 0 {
			return s.span(p, q), true
		}
		return p, false
	}
	s.second = p.month > 0
	q, ok := s.pointAt(j, p)
	s.second = false
	if !ok || q.kind == Now {
		if s.has(j, "今") || s.has(j, "目前") || s.has(j, "present") || s.has(j, "now") || s.has(j, "date") {
			// 2019年至今
			p.kind = Since
			p.to = time.Time{}
			for s.at(j) >= 'a' && s.at(j) <= 'z' {
				j++
			}
			switch {
			case s.has(j, "今"):
				j++
			case s.has(j, "目前"):
				j += 2
			}
			p.end = j
			p.grain = "range"
			return p, false
		}
		return p, false
	}
	if !p.stated && q.stated && p.year != q.year && p.kind != Relative {
		// from May to July 2024: the year belongs to both.
		p = s.reyear(p, q)
	}
	if word && p.grain == "day" && q.grain == "year" {
		return p, false
	}
	out := s.span(p, q)
	if out.resolved() && out.to.Before(out.from) {
		if !q.stated && q.year > 0 && p.stated {
			// 2024年12月至2月
			q = s.shift(q, 1)
			out = s.span(p, q)
		}
		if out.to.Before(out.from) {
			return p, false
		}
	}
	return out, true
}

func (s *scanner) shift(p point, years int) point {
	if p.resolved() {
		p.from, p.year = p.from.AddDate(years, 0, 0), p.year+years
		p.to = p.to.AddDate(years, 0, 0)
		if p.grain == "month" {
			p.setMonth(p.year, p.month)
		}
	}
	return p
}

// reyear gives p the year of q, or the one before when p would lie behind q.
func (s *scanner) reyear(p, q point) point {
	y := q.year
	if p.month > 0 && q.month > 0 && p.month > q.month {
		y--
	}
	switch p.grain {
	case "month":
		p.setMonth(y, p.month)
	case "day":
		if validDay(y, p.month, p.day) {
			p.setDay(y, p.month, p.day)
		}
	case "quarter":
		p.setQuarter(y, (p.month+2)/3)
	case "half":
		p.setHalf(y, (p.month+5)/6)
	}
	return p
}

func (s *scanner) span(p, q point) point {
	p.end = q.end
	if q.stated {
		p.stated, p.year = true, q.year
	}
	if p.resolved() && q.resolved() {
		p.to = q.to
	} else {
		p.from, p.to = time.Time{}, time.Time{}
	}
	p.grain = "range"
	if q.calendar != "" {
		p.calendar = q.calendar
	}
	return p
}

func (s *scanner) betweenBefore(i int) bool {
	lo := i - 14
	if lo < s.floor {
		lo = s.floor
	}
	for k := lo; k < i; k++ {
		if s.f[k] == 'b' && s.has(k, "between") && !isLetter(s.at(k-1)) {
			return true
		}
	}
	return false
}

// pointAt reads the second end of a range at i, in the terms of the first.
func (s *scanner) pointAt(i int, first point) (point, bool) {
	year := first.year
	if s.at(i) == '(' {
		return point{}, false
	}
	if q, ok := s.datePoint(i, year); ok {
		return q, true
	}
	if q, ok := s.englishPoint(i, year); ok {
		return q, true
	}
	v, n := s.number(i)
	if n == 0 {
		return point{}, false
	}
	// 3月1日至5日
	if first.grain == "day" && (s.at(i+n) == '日' || s.at(i+n) == '号') && validDay(first.year, first.month, v) && v > first.day {
		q := point{start: i, end: i + n + 1}
		q.setDay(first.year, first.month, v)
		return q, true
	}
	// 2023-2025
	if first.grain == "year" && n == 4 && plausible(v) && !isDigit(s.at(i+n)) {
		e := i + n
		if s.at(e) == '年' {
			e++
		} else if s.unitAfter(e) {
			return point{}, false
		}
		q := point{start: i, end: e, stated: true}
		q.setYear(v)
		return q, true
	}
	return point{}, false
}

func plausible(y int) bool { return y >= 1000 && y <= 2100 }
