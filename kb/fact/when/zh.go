package when

import (
	"time"
)

// datePoint reads a date in digits or Chinese at i: 2025年9月1日, 2025-09-01, 9月,
// 二〇二五年, 2024年第三季度, 2023财年. year is used where none is stated.
func (s *scanner) datePoint(i, year int) (point, bool) {
	v, n := s.number(i)
	if n == 0 {
		return point{}, false
	}
	j := i + n
	p := point{start: i, end: j, stated: true}
	sep := s.at(j)
	if sep == ' ' {
		if c := s.at(j + 1); (c == '年' || c == '月') && isDigit(s.at(i)) {
			sep, j = c, j+1
			p.end = j
		}
	}
	if n == 4 && plausible(v) && isDigit(s.at(i)) {
		if sep == '-' || sep == '/' || sep == '.' {
			m, mn := s.digits(j + 1)
			k := j + 1 + mn
			if mn >= 1 && mn <= 2 && s.at(k) == sep {
				d, dn := s.digits(k + 1)
				if dn >= 1 && dn <= 2 && !isDigit(s.at(k+1+dn)) && validDay(v, m, d) && !isLetter(s.at(k+1+dn)) || dn == 2 && validDay(v, m, d) && s.at(k+1+dn) == 't' {
					p.setDay(v, m, d)
					p.end = k + 1 + dn
					return p, true
				}
				return point{}, false
			}
			if mn == 2 && sep != '.' && !isDigit(s.at(k)) && s.at(k) != '年' && !isLetter(s.at(k)) {
				if sep == '-' && m >= 1 && m <= 12 && !s.seasonAfter(k) && v >= 1900 {
					p.setMonth(v, m)
					p.end = k
					return p, true
				}
				if m == (v+1)%100 {
					// 2024/25: a year of its own calendar.
					p.end = k
					s.splitYear(&p, v)
					return p, true
				}
			}
		}
	}
	switch sep {
	case '年':
		return s.hanYear(p, v, n)
	case '月':
		if v < 1 || v > 12 || s.at(j+1) == '薪' || s.at(j+1) == '嫂' {
			return point{}, false
		}
		p.stated = false
		return s.hanMonth(p, year, v, j)
	case '财', '会':
		if n == 4 && plausible(v) || n == 2 && sep == '财' {
			for _, w := range [...]string{"财年", "财政年度", "财务年度", "会计年度"} {
				if s.has(j, w) {
					p.end = j + len([]rune(w))
					if n == 2 {
						v += 2000
					}
					s.fiscal(&p, v)
					s.hanPart(&p, v)
					return p, true
				}
			}
		}
	case '学':
		if n == 4 && s.at(j+1) == '年' {
			p.end = j + 2
			s.school(&p, v)
			return p, true
		}
	case '-', '–', '—', '~', '至', '到':
		if n == 4 && plausible(v) {
			w, wn := s.number(j + 1)
			k := j + 1 + wn
			if s.at(k) == '学' && s.at(k+1) == '年' && (wn == 4 && w == v+1 || wn == 2 && w == (v+1)%100) {
				p.end = k + 2
				s.school(&p, v)
				return p, true
			}
			if wn == 4 && w > v && plausible(w) && s.at(k) == '年' && s.at(k+1) != '级' {
				p.setYear(v)
				return p, true
			}
		}
		// 1-6月
		if n <= 2 && v >= 1 && v <= 12 {
			w, wn := s.number(j + 1)
			if wn > 0 && wn <= 2 && w > v && w <= 12 && s.at(j+1+wn) == '月' && s.at(j+2+wn) != '份' || wn > 0 && w > v && w <= 12 && s.at(j+1+wn) == '月' {
				p.stated = false
				p.setMonth(year, v)
				return p, true
			}
		}
	}
	if n <= 2 && v >= 1 && v <= 4 && s.has(j, "季度") {
		p.stated = false
		p.setQuarter(year, v)
		p.end = j + 2
		return p, true
	}
	return point{}, false
}

// hanYear goes on behind N年.
func (s *scanner) hanYear(p point, v, n int) (point, bool) {
	j := p.end + 1
	if n == 2 && isDigit(s.at(p.start)) && (isDigit(s.at(j)) || s.at(j) == '上' || s.at(j) == '下') && s.at(j) != 0 {
		m, mn := s.number(j)
		if mn > 0 && s.at(j+mn) == '月' && m >= 1 && m <= 12 && v < 60 {
			v, n = v+2000, 4
		}
	}
	if n != 4 || !plausible(v) {
		return point{}, false
	}
	switch s.at(j) {
	case '级', '期':
		return point{}, false
	case '代':
		if v%10 == 0 {
			p.from, p.to, p.grain, p.year, p.end = date(v, 1, 1), date(v+9, 12, 31), "range", v, j+1
			return p, true
		}
	}
	p.end = j
	p.setYear(v)
	if s.at(j) == '度' {
		j++
		p.end = j
	}
	k := s.blanks(j)
	if s.at(k) == '的' {
		k++
	}
	m, mn := s.number(k)
	if e := s.sign(k+mn, '月'); mn > 0 && mn <= 3 && e > 0 && m >= 1 && m <= 12 {
		return s.hanMonth(p, v, m, e)
	}
	if mn > 0 && m >= 1 && m <= 12 {
		// 2024年1-6月
		if c := s.at(k + mn); c == '-' || c == '至' || c == '~' || c == '–' || c == '—' {
			m2, mn2 := s.number(k + mn + 1)
			e := k + mn + 1 + mn2
			if mn2 > 0 && m2 > m && m2 <= 12 && s.at(e) == '月' {
				p.grain = "range"
				p.from, p.to = date(v, m, 1), date(v, m2, lastDay(v, m2))
				p.end = e + 1
				if s.at(p.end) == '份' {
					p.end++
				}
				return p, true
			}
		}
	}
	s.hanPart(&p, v)
	return p, true
}

// sign is where the sign r stands at i or behind one blank, 0 where it does not.
func (s *scanner) sign(i int, r rune) int {
	switch {
	case s.at(i) == r:
		return i
	case s.at(i) == ' ' && s.at(i+1) == r:
		return i + 1
	}
	return 0
}

// hanPart reads a quarter, half, season or end of the year behind it.
func (s *scanner) hanPart(p *point, v int) {
	k := s.blanks(p.end)
	if s.at(k) == '的' {
		k++
	}
	q := k
	if s.at(q) == '第' {
		q++
	}
	m, mn := s.number(q)
	base := *p
	sub := func(from, to time.Time, grain string, end int) {
		p.from, p.to, p.grain, p.end = from, to, grain, end
	}
	start := base.from
	if start.IsZero() {
		return
	}
	add := func(months int) time.Time { return start.AddDate(0, months, 0) }
	switch {
	case mn == 1 && m >= 1 && m <= 4 && (s.has(q+1, "季度") || s.has(q+1, "季")) && s.at(q+2) != '稻':
		e := q + 2
		if s.at(q+2) == '度' {
			e++
		}
		sub(add(m*3-3), add(m*3).AddDate(0, 0, -1), "quarter", e)
		p.month = m*3 - 2
	case s.has(k, "前") && s.at(k+1) == '三' && s.has(k+2, "季度"):
		sub(start, add(9).AddDate(0, 0, -1), "range", k+4)
	case s.has(k, "上半年"):
		sub(start, add(6).AddDate(0, 0, -1), "half", k+3)
	case s.has(k, "下半年"):
		sub(add(6), add(12).AddDate(0, 0, -1), "half", k+3)
	case s.at(k) == 'q' && s.at(k+1) >= '1' && s.at(k+1) <= '4' && !isLetter(s.at(k+2)) && !isDigit(s.at(k+2)):
		m = int(s.at(k+1) - '0')
		sub(add(m*3-3), add(m*3).AddDate(0, 0, -1), "quarter", k+2)
	case base.calendar == "" && (s.has(k, "底") || s.has(k, "末") || s.has(k, "年底") || s.has(k, "年末")) && k == base.end:
		e := k + 1
		if s.at(k) == '年' {
			e++
		}
		sub(base.to, base.to, "day", e)
		p.month, p.day = 12, 31
	case base.calendar == "" && s.has(k, "初") && k == base.end:
		p.setMonth(v, 1)
		p.end = k + 1
	case base.calendar == "" && s.has(k, "全年"):
		p.end = k + 2
	}
}

// hanMonth goes on behind N月, whose sign stands at j.
func (s *scanner) hanMonth(p point, year, m, j int) (point, bool) {
	p.setMonth(year, m)
	p.end = j + 1
	if s.at(p.end) == '份' {
		p.end++
		return p, true
	}
	k := s.blanks(j + 1)
	d, dn := s.number(k)
	if dn > 0 && dn <= 3 && validDay(year, m, d) {
		if e := max(s.sign(k+dn, '日'), s.sign(k+dn, '号')); e > 0 {
			p.setDay(year, m, d)
			p.end = e + 1
			return p, true
		}
	}
	if dn > 0 && validDay(year, m, d) {
		// 3月1-5日
		if c := s.at(k + dn); c == '-' || c == '至' || c == '~' || c == '–' || c == '—' {
			d2, dn2 := s.number(k + dn + 1)
			e := k + dn + 1 + dn2
			if dn2 > 0 && d2 > d && validDay(year, m, d2) && (s.at(e) == '日' || s.at(e) == '号') {
				p.grain, p.day, p.end = "range", d, e+1
				if year > 0 {
					p.from, p.to = date(year, m, d), date(year, m, d2)
				}
				return p, true
			}
		}
	}
	switch s.at(p.end) {
	case '底', '末':
		p.end++
		p.setDay(year, m, lastDay(max(year, 2001), m))
	case '初':
		p.end++
	case '上', '中', '下':
		if s.at(p.end+1) == '旬' {
			lo, hi := 1, 10
			switch s.at(p.end) {
			case '中':
				lo, hi = 11, 20
			case '下':
				lo, hi = 21, lastDay(max(year, 2001), m)
			}
			p.end += 2
			p.grain = "range"
			if year > 0 {
				p.from, p.to = date(year, m, lo), date(year, m, hi)
			}
		}
	}
	return p, true
}

func (s *scanner) fiscal(p *point, v int) {
	p.kind, p.calendar, p.grain, p.year = Fiscal, "fiscal", "year", v
	m := int(s.opt.FiscalStart)
	switch {
	case m == 1:
		p.calendar = ""
		p.from, p.to = date(v, 1, 1), date(v, 12, 31)
	case m < 1 || m > 12:
		p.from, p.to = date(v, 1, 1), date(v, 12, 31)
	default:
		p.from, p.to = date(v-1, m, 1), date(v, m, 1).AddDate(0, 0, -1)
	}
}

// school sets the school year that begins in v, from September to August.
func (s *scanner) school(p *point, v int) {
	p.kind, p.calendar, p.grain, p.year = Fiscal, "school", "year", v
	p.from, p.to = date(v, 9, 1), date(v+1, 8, 31)
	if s.at(p.end) == '度' {
		p.end++
	}
	k := p.end
	if s.at(k) == '第' {
		k++
	}
	switch {
	case (s.at(k) == '一' || s.at(k) == '1' || s.at(k) == '上') && s.has(k+1, "学期"):
		p.to, p.grain, p.end = date(v+1, 1, 31), "half", k+3
	case (s.at(k) == '二' || s.at(k) == '2' || s.at(k) == '下') && s.has(k+1, "学期"):
		p.from, p.grain, p.end = date(v+1, 2, 1), "half", k+3
	}
}

// splitYear reads the word that tells what 2024/25 is a year of.
func (s *scanner) splitYear(p *point, v int) {
	w, e := s.next(p.end)
	switch {
	case w == "season":
		p.end = e
		s.season(p, v)
		return
	case w == "school" || w == "academic":
		if w2, e2 := s.next(e); w2 == "year" {
			p.end = e2
			s.school(p, v)
			return
		}
	case w == "financial" || w == "fiscal" || w == "tax":
		if w2, e2 := s.next(e); w2 == "year" {
			p.end = e2
			s.fiscal(p, v+1)
			return
		}
	case s.has(p.end, "学年"):
		p.end += 2
		s.school(p, v)
		return
	case s.has(p.end, "赛季"):
		p.end += 2
		s.season(p, v)
		return
	case s.has(p.end, "财年"):
		p.end += 2
		s.fiscal(p, v+1)
		return
	}
	// The word may stand in front: school year 2024/25.
	switch b := s.wordsBack(p.start, 2); b {
	case "season":
		s.season(p, v)
	case "financial year", "fiscal year", "tax year", "fy":
		s.fiscal(p, v+1)
	default:
		s.school(p, v)
		if b != "school year" && b != "academic year" {
			p.calendar, p.kind = "split", Fiscal
			p.from, p.to = time.Time{}, time.Time{}
		}
	}
}

func (s *scanner) season(p *point, v int) {
	p.kind, p.calendar, p.grain, p.year = Fiscal, "season", "year", v
	p.from, p.to = date(v, 7, 1), date(v+1, 6, 30)
}

func (s *scanner) seasonAfter(k int) bool {
	w, _ := s.next(k)
	switch w {
	case "season", "school", "academic", "financial", "fiscal":
		return true
	}
	return s.has(k, "学年") || s.has(k, "赛季")
}

// hanWord is what a Chinese word of time means.
type hanWord struct {
	text []rune
	kind Kind
	op   string
	n    int
}

var hanWords = buildHanWords()

func buildHanWords() map[rune][]hanWord {
	m := map[rune][]hanWord{}
	put := func(kind Kind, op string, n int, words ...string) {
		for _, w := range words {
			rs := []rune(w)
			list := m[rs[0]]
			at := 0
			for at < len(list) && len(list[at].text) >= len(rs) {
				at++
			}
			list = append(list, hanWord{})
			copy(list[at+1:], list[at:])
			list[at] = hanWord{rs, kind, op, n}
			m[rs[0]] = list
		}
	}
	put(Relative, "day", 0, "今天", "今日", "今早", "今晚")
	put(Relative, "day", -1, "昨天", "昨日", "昨晚")
	put(Relative, "day", -2, "前天")
	put(Relative, "day", 1, "明天", "明日")
	put(Relative, "day", 2, "后天")
	put(Relative, "week", 0, "本周", "这周", "本星期", "这个星期", "这一周")
	put(Relative, "week", -1, "上周", "上星期", "上个星期", "上一周")
	put(Relative, "week", 1, "下周", "下星期", "下个星期", "下一周")
	put(Relative, "month", 0, "本月", "这个月", "本月份", "这月")
	put(Relative, "month", -1, "上月", "上个月", "上一月", "上月份", "上一个月")
	put(Relative, "month", 1, "下月", "下个月", "下月份", "下一个月")
	put(Relative, "month", -2, "上上个月", "上上月")
	put(Relative, "quarter", 0, "本季度", "本季", "这个季度")
	put(Relative, "quarter", -1, "上季度", "上个季度", "上一季度", "上一个季度")
	put(Relative, "quarter", 1, "下季度", "下个季度", "下一季度", "下一个季度")
	put(Relative, "year", 0, "今年", "本年", "本年度", "今年度")
	put(Relative, "year", -1, "去年", "上年", "上年度", "去年度", "上一年", "上一年度", "去年全年")
	put(Relative, "year", -2, "前年")
	put(Relative, "year", 1, "明年", "来年", "下年度", "下一年", "下一年度")
	put(Relative, "year", 2, "后年")
	put(Relative, "half", 1, "上半年")
	put(Relative, "half", 2, "下半年")
	put(Relative, "school", 0, "本学年")
	put(Relative, "school", -1, "上学年", "上一学年")
	put(Relative, "school", 1, "下学年", "下一学年")
	put(Relative, "fiscal", 0, "本财年")
	put(Relative, "fiscal", -1, "上财年", "上一财年", "上个财年")
	put(Now, "", 0, "目前", "现在", "现行", "最新", "当前", "眼下", "如今", "现今", "现阶段", "迄今", "时下", "此刻", "当下", "现时", "今时", "至今", "仍然", "现有")
	put(Vague, "", 0, "近年来", "近年", "近几年", "近期", "日前", "近日", "往年", "历年", "不久前", "以往", "多年来", "最近几年", "近些年", "近来", "最近")
	put(Since, "now", 0, "即日起", "自即日起", "即时生效")
	put(Since, "issue", 0, "自发布之日起", "自公布之日起", "自印发之日起", "自颁布之日起", "自下发之日起")
	put(Until, "open", 0, "另行通知前", "另行通知之前", "另行通知为止", "长期有效")
	put(Recurring, "", 0, "节假日", "法定节假日", "周末", "双休日", "法定节日", "公休日")
	put(Recurring, "workday", 0, "工作日", "平日")
	put(Relative, "last", -1, "近", "最近", "过去", "前", "此前")
	put(Relative, "last", 1, "未来", "今后")
	return m
}

// atHan reads what begins at the Chinese character at i.
func (s *scanner) atHan(i int) int {
	r := s.f[i]
	if hanDigit(r) >= 0 || r == '十' {
		return s.atHanNumber(i)
	}
	switch r {
	case '第':
		if m, n := s.number(i + 1); n == 1 && m >= 1 && m <= 4 && s.has(i+2, "季度") {
			p := point{start: i, end: i + 4, kind: Date}
			p.setQuarter(s.implied(), m)
			return s.emit(p)
		}
		return i + 1
	case '周', '星', '礼', '每':
		return s.weekday(i)
	case '上':
		if s.has(i, "上世纪") {
			if v, n := s.number(i + 3); n > 0 && v%10 == 0 && s.has(i+3+n, "年代") {
				p := point{start: i, end: i + 5 + n, stated: false, grain: "range", kind: Date}
				p.from, p.to = date(1900+v, 1, 1), date(1909+v, 12, 31)
				return s.emit(p)
			}
		}
	}
	for _, w := range hanWords[r] {
		if i+len(w.text) > len(s.f) || string(s.f[i:i+len(w.text)]) != string(w.text) {
			continue
		}
		if r == '日' && i > 0 && (hanDigit(s.f[i-1]) >= 0 || s.f[i-1] == '十' || s.f[i-1] >= '0' && s.f[i-1] <= '9' || s.f[i-1] == ' ' || s.f[i-1] == '作') {
			continue // 五日前, 10日前: a number of days before, and not lately
		}
		if next, ok := s.hanRelative(i, w); ok {
			return next
		}
	}
	return i + 1
}

// hanRelative makes the expression of a word; false when another meaning fits.
func (s *scanner) hanRelative(i int, w hanWord) (int, bool) {
	end := i + len(w.text)
	p := point{start: i, end: end, kind: w.kind}
	prev := s.at(i - 1)
	switch w.kind {
	case Now:
		if prev == '在' && s.has(i, "现有") || s.has(i, "至今") && len(s.out) > 0 && s.out[len(s.out)-1].End == i {
			return 0, false
		}
		if s.has(i, "现有") && !(s.at(end) == 0 || s.at(end) == '的' || isDigit(s.at(end)) || isHan(s.at(end))) {
			return 0, false
		}
		p.from, p.to, p.grain = s.opt.Anchor, s.opt.Anchor, "day"
		return s.emit(p), true
	case Vague:
		if s.has(i, "最近") || s.has(i, "近") {
			if _, ok := s.lastN(i, end, -1); ok && s.has(i, "最近") {
				return 0, false
			}
			if s.has(i, "最近") && (s.at(end) == '的' || s.at(end) == '一') {
				return 0, false
			}
		}
		return s.emit(p), true
	case Until:
		return s.emit(p), true
	case Since:
		if w.op == "now" {
			p.from = s.opt.Anchor
		}
		return s.emit(p), true
	case Recurring:
		if w.op == "workday" && (prev == '个' || isDigit(prev) || hanDigit(prev) >= 0 || prev == '十' || prev == '几') {
			return 0, false
		}
		return s.emit(p), true
	}
	if w.op == "last" {
		q, ok := s.lastN(i, end, w.n)
		if !ok {
			return 0, false
		}
		return s.emit(q), true
	}
	a := s.opt.Anchor
	known := !a.IsZero()
	switch w.op {
	case "day":
		p.grain = "day"
		if known {
			p.from = a.AddDate(0, 0, w.n)
			p.to = p.from
		}
	case "week":
		p.grain = "week"
		monday := a.AddDate(0, 0, -(int(a.Weekday())+6)%7).AddDate(0, 0, 7*w.n)
		if d := weekdayOf(s.at(end)); d > 0 && s.at(end) != 0 {
			p.end, p.grain = end+1, "day"
			if known {
				p.from = monday.AddDate(0, 0, d-1)
				p.to = p.from
			}
			break
		}
		if known {
			p.from, p.to = monday, monday.AddDate(0, 0, 6)
		}
	case "month":
		p.grain = "month"
		y, m := 0, 0
		if known {
			t := date(a.Year(), int(a.Month())+w.n, 1)
			y, m = t.Year(), int(t.Month())
			p.setMonth(y, m)
		}
		d, dn := s.number(s.blanks(end))
		if e := s.blanks(end); dn > 0 && (s.at(e+dn) == '日' || s.at(e+dn) == '号') && d >= 1 && d <= 31 {
			p.end, p.grain = e+dn+1, "day"
			if known && validDay(y, m, d) {
				p.setDay(y, m, d)
			}
			break
		}
		if c := s.at(end); c == '底' || c == '末' {
			p.end, p.grain = end+1, "day"
			if known {
				p.setDay(y, m, lastDay(y, m))
			}
		}
	case "quarter":
		p.grain = "quarter"
		if known {
			q := (int(a.Month())-1)/3 + w.n
			t := date(a.Year(), q*3+1, 1)
			p.setQuarter(t.Year(), (int(t.Month())+2)/3)
		}
	case "year":
		p.grain = "year"
		y := 0
		if known {
			y = a.Year() + w.n
			p.setYear(y)
		}
		if prev == '上' || s.at(end) == '级' {
			return 0, false
		}
		if s.has(end, "同期") {
			p.end = end + 2
			break
		}
		k := s.blanks(end)
		if s.at(k) == '的' {
			k++
		}
		m, mn := s.number(k)
		if mn > 0 && s.at(k+mn) == '月' && m >= 1 && m <= 12 {
			q, _ := s.hanMonth(p, y, m, k+mn)
			q.kind, q.start = Relative, i
			return s.emit(q), true
		}
		if mn > 0 && m >= 1 && m <= 12 && known {
			if c := s.at(k + mn); c == '-' || c == '至' || c == '~' {
				m2, mn2 := s.number(k + mn + 1)
				if e := k + mn + 1 + mn2; mn2 > 0 && m2 > m && m2 <= 12 && s.at(e) == '月' {
					p.from, p.to, p.grain, p.end = date(y, m, 1), date(y, m2, lastDay(y, m2)), "range", e+1
					return s.emit(p), true
				}
			}
		}
		s.hanPart(&p, y)
	case "half":
		y := s.implied()
		p.setHalf(y, w.n)
	case "school":
		p.grain, p.calendar = "year", "school"
		if known {
			y := a.Year() + w.n
			if a.Month() < 9 {
				y--
			}
			s.school(&p, y)
			p.kind = Relative
		}
	case "fiscal":
		p.grain, p.calendar = "year", "fiscal"
		if known {
			y := a.Year() + w.n
			if m := s.opt.FiscalStart; m > 1 && a.Month() >= m {
				y++
			}
			s.fiscal(&p, y)
			p.kind = Relative
		}
	}
	return s.emit(p), true
}

// lastN reads 近三个月, 过去五年, 未来两周: the stretch up to or from the anchor.
func (s *scanner) lastN(i, end, dir int) (point, bool) {
	k := end
	if s.at(k) == '的' {
		k++
	}
	v, n := s.number(k)
	half := false
	if n == 0 && s.at(k) == '半' {
		half, n = true, 1
	}
	if n == 0 || v > 400 || v == 0 && !half {
		return point{}, false
	}
	j := k + n
	if s.at(j) == '个' {
		j++
	}
	p := point{start: i, kind: Relative, grain: "range"}
	a := s.opt.Anchor
	y, m, d := 0, 0, 0
	switch {
	case s.at(j) == '年' && !half:
		y, p.end = v, j+1
	case s.at(j) == '年':
		m, p.end = 6, j+1
	case s.has(j, "季度"):
		m, p.end = 3*v, j+2
	case s.at(j) == '月' && s.at(j-1) == '个':
		m, p.end = v, j+1
	case s.at(j) == '周' || s.has(j, "星期"):
		d, p.end = 7*v, j+1
		if s.at(j) == '星' {
			p.end++
		}
	case s.at(j) == '天' || s.at(j) == '日':
		d, p.end = v, j+1
	default:
		return point{}, false
	}
	if s.f[i] == '前' || s.has(i, "此前") {
		// 前三个月 of something is no time by itself.
		return point{}, false
	}
	if s.at(p.end) == '来' || s.at(p.end) == '内' || s.at(p.end) == '间' {
		p.end++
	}
	if !a.IsZero() {
		if dir < 0 {
			p.from, p.to = a.AddDate(-y, -m, -d).AddDate(0, 0, 1), a
		} else {
			p.from, p.to = a, a.AddDate(y, m, d).AddDate(0, 0, -1)
		}
	}
	return p, true
}

func weekdayOf(r rune) int {
	switch r {
	case '一':
		return 1
	case '二':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '日', '天':
		return 7
	}
	return 0
}

// weekday reads 周六, 星期一至星期五, 每周三, 每月5日, 每年9月 at i.
func (s *scanner) weekday(i int) int {
	j := i
	if s.f[i] == '每' {
		j++
		if s.at(j) == '逢' {
			j++
		}
		switch s.at(j) {
		case '月', '年', '季':
			k := j + 1
			if s.at(k) == '度' {
				k++
			}
			m, mn := s.number(k)
			e := k + mn
			if mn > 0 && s.at(j) == '月' && (s.at(e) == '日' || s.at(e) == '号') && m >= 1 && m <= 31 {
				return s.emit(point{start: i, end: e + 1, kind: Recurring})
			}
			if mn > 0 && s.at(j) == '年' && s.at(e) == '月' && m >= 1 && m <= 12 {
				q, _ := s.hanMonth(point{start: i}, 0, m, e)
				end := q.end
				if c := s.at(end); c == '至' || c == '-' || c == '到' {
					if q2, ok := s.datePoint(end+1, 0); ok {
						end = q2.end
					}
				}
				return s.emit(point{start: i, end: end, kind: Recurring})
			}
			return j
		case '周', '星', '礼':
		default:
			return i + 1
		}
	}
	end := s.weekdayAt(j)
	if end == 0 {
		return i + 1
	}
	k := end
	if c := s.at(k); c == '至' || c == '到' || c == '-' || c == '~' || c == '、' || c == '和' || c == '—' {
		if e2 := s.weekdayAt(k + 1); e2 > 0 {
			end = e2
		} else if d := weekdayOf(s.at(k + 1)); d > 0 && s.at(k+2) != '月' && s.at(k+1) != '日' {
			end = k + 2
		}
	}
	return s.emit(point{start: i, end: end, kind: Recurring})
}

func (s *scanner) weekdayAt(j int) int {
	var k int
	switch {
	case s.at(j) == '周':
		k = j + 1
	case s.has(j, "星期"), s.has(j, "礼拜"):
		k = j + 2
	default:
		return 0
	}
	if s.at(k) == '末' {
		return k + 1
	}
	if weekdayOf(s.at(k)) == 0 || hanDigit(s.at(k+1)) >= 0 || s.at(k+1) == '年' || s.at(k+1) == '期' || s.at(k+1) == '岁' {
		return 0
	}
	return k + 1
}

// atHanNumber reads 二〇二五年, 九月一日, 三季度, 三年前 at i.
func (s *scanner) atHanNumber(i int) int {
	j := i
	for j < len(s.f) && (hanDigit(s.f[j]) >= 0 || s.f[j] == '十' || s.f[j] == '百' || s.f[j] == '千' || s.f[j] == '万') {
		j++
	}
	if j-i > 5 {
		return j
	}
	if prev := s.at(i - 1); prev != '第' {
		if p, ok := s.datePoint(i, s.impliedAt(i)); ok && p.end > j {
			return s.emit(p)
		}
		if p, ok := s.ago(i); ok {
			return s.emit(p)
		}
		if p, ok := s.century(i); ok {
			return s.emit(p)
		}
	}
	return j
}

// ago reads 三年前, 两个月前.
func (s *scanner) ago(i int) (point, bool) {
	v, n := s.number(i)
	if n == 0 || v == 0 || v > 300 {
		return point{}, false
	}
	j := i + n
	y, m := 0, 0
	switch {
	case s.at(j) == '年' && s.at(j+1) == '前':
		y, j = v, j+2
	case s.has(j, "个月前"):
		m, j = v, j+3
	default:
		return point{}, false
	}
	p := point{start: i, end: j, kind: Relative, grain: "year"}
	if m > 0 {
		p.grain = "month"
	}
	if a := s.opt.Anchor; !a.IsZero() {
		if y > 0 {
			p.setYear(a.Year() - y)
		} else {
			t := date(a.Year(), int(a.Month())-m, 1)
			p.setMonth(t.Year(), int(t.Month()))
		}
	}
	return p, true
}

// century reads 20世纪90年代, 二十世纪.
func (s *scanner) century(i int) (point, bool) {
	v, n := s.number(i)
	if n == 0 || v < 1 || v > 21 {
		if n > 0 && v >= 20 && v <= 90 && v%10 == 0 && s.has(i+n, "年代") {
			p := point{start: i, end: i + n + 2, kind: Date, grain: "range"}
			p.from, p.to = date(1900+v, 1, 1), date(1909+v, 12, 31)
			return p, true
		}
		return point{}, false
	}
	j := i + n
	if !s.has(j, "世纪") {
		return point{}, false
	}
	p := point{start: i, end: j + 2, kind: Date, grain: "range"}
	y := (v - 1) * 100
	p.from, p.to = date(y+1, 1, 1), date(y+100, 12, 31)
	if d, dn := s.number(j + 2); dn > 0 && d%10 == 0 && d < 100 && s.has(j+2+dn, "年代") {
		p.from, p.to, p.end = date(y+d, 1, 1), date(y+d+9, 12, 31), j+4+dn
	}
	return p, true
}
