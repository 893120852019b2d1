package when

import "strings"

// atDigits reads what begins with digits at i.
func (s *scanner) atDigits(i int) int {
	j := i
	for j < len(s.f) && isDigit(s.f[j]) {
		j++
	}
	if i > 0 {
		p := s.f[i-1]
		if isLetter(p) || p == '_' || p == '.' && i > 1 && isDigit(s.f[i-2]) || p == ',' && i > 1 && isDigit(s.f[i-2]) && j-i == 3 || p == '$' || p == '€' || p == '£' || p == '¥' || p == '#' {
			return j
		}
		if (p == '-' || p == '/') && i > 1 && (isLetter(s.f[i-2]) || isDigit(s.f[i-2])) && i-1 >= s.floor && s.f[i-2] != 'y' {
			return j
		}
	}
	if j-i > 4 {
		if j-i == 8 {
			if p, ok := s.compact(i); ok {
				return s.emit(p)
			}
		}
		return j
	}
	if p, ok := s.digitPoint(i); ok {
		return s.emit(p)
	}
	if p, ok := s.ago(i); ok {
		return s.emit(p)
	}
	if p, ok := s.century(i); ok {
		return s.emit(p)
	}
	v, n := s.digits(i)
	if p, ok := s.wordsAgo(i, i+n, v); ok {
		return s.emit(p)
	}
	if p, ok := s.englishCentury(i, i+n, v); ok {
		return s.emit(p)
	}
	if p, ok := s.plainYear(i, v, n); ok {
		return s.emit(p)
	}
	return j
}

// compact reads 20250901 behind a word of date.
func (s *scanner) compact(i int) (point, bool) {
	v, _ := s.digits(i)
	y, m, d := v/10000, v/100%100, v%100
	if y < 1990 || y > 2060 || !validDay(y, m, d) || isLetter(s.at(i+8)) || s.at(i+8) == '-' {
		return point{}, false
	}
	p := point{start: i, end: i + 8, stated: true}
	p.setDay(y, m, d)
	return p, true
}

// digitPoint reads a date that begins with digits.
func (s *scanner) digitPoint(i int) (point, bool) {
	if p, ok := s.datePoint(i, s.impliedAt(i)); ok {
		return p, true
	}
	if p, ok := s.dayMonth(i, s.implied()); ok {
		return p, true
	}
	return s.slashed(i)
}

// slashed reads 26/9/2025 and 9/26/2025; where day and month cannot be told apart
// the interval stays open.
func (s *scanner) slashed(i int) (point, bool) {
	a, an := s.digits(i)
	sep := s.at(i + an)
	if an < 1 || an > 2 || sep != '/' && sep != '.' && sep != '-' {
		return point{}, false
	}
	b, bn := s.digits(i + an + 1)
	k := i + an + 1 + bn
	if bn < 1 || bn > 2 || s.at(k) != sep {
		return point{}, false
	}
	y, yn := s.digits(k + 1)
	end := k + 1 + yn
	if yn != 4 || !plausible(y) || isLetter(s.at(end)) || s.at(end) == sep {
		return point{}, false
	}
	p := point{start: i, end: end, stated: true, grain: "day", year: y, kind: Date}
	switch {
	case a > 12 && validDay(y, b, a), sep == '.' && validDay(y, b, a), a == b && validDay(y, a, b):
		p.setDay(y, b, a)
	case b > 12 && validDay(y, a, b):
		p.setDay(y, a, b)
	case a <= 12 && b <= 12 && a > 0 && b > 0:
	default:
		return point{}, false
	}
	return p, true
}

// englishCentury reads 1990s, 19th century.
func (s *scanner) englishCentury(i, j, v int) (point, bool) {
	p := point{start: i, kind: Date, grain: "range"}
	if j-i == 4 && v%10 == 0 && plausible(v) {
		k := j
		if s.at(k) == '\'' || s.at(k) == '’' {
			k++
		}
		if s.at(k) == 's' && !isLetter(s.at(k+1)) {
			p.end = k + 1
			p.from, p.to = date(v, 1, 1), date(v+9, 12, 31)
			if v%100 == 0 && v < 1900 {
				p.to = date(v+99, 12, 31) // the 1700s
			}
			return p, true
		}
	}
	if j-i <= 2 && v > 0 && v <= 21 {
		e := s.suffix(j)
		if w, e2 := s.next(e); e > j && w == "century" {
			p.end = e2
			p.from, p.to = date((v-1)*100+1, 1, 1), date(v*100, 12, 31)
			return p, true
		}
	}
	if s.at(j) == '年' && s.at(j+1) == '代' && j-i == 2 && v%10 == 0 && v >= 20 {
		p.end = j + 2
		p.from, p.to = date(1900+v, 1, 1), date(1909+v, 12, 31)
		return p, true
	}
	if j-i == 4 && v%10 == 0 && s.at(j) == '年' && s.at(j+1) == '代' {
		p.end = j + 2
		p.from, p.to = date(v, 1, 1), date(v+9, 12, 31)
		return p, true
	}
	return point{}, false
}

// yearContexts are words before a bare year.
var yearContexts = wordSet("in since of during by until till from before after through between year years to and for summer winter spring autumn early late mid fy fiscal circa " +
	"ended ending ago annum effective january february march april may june july august september october november december")

// datesBack are words before the year in which a thing was made; their from begins no period.
var datesBack = map[string]bool{"dates from": true, "date from": true, "dating from": true, "dated from": true, "back to": true}

func wordSet(w string) map[string]bool {
	m := map[string]bool{}
	for _, x := range strings.Fields(w) {
		m[x] = true
	}
	return m
}

// notYear are words before a number that count or name.
var notYear = wordSet("over about some nearly around approximately than least most only no number page room model route section article clause flight line version level item code id rs iso form total another with exactly up under above below costs")

// plainYear accepts a four-digit number as a year only where the context says so.
func (s *scanner) plainYear(i, v, n int) (point, bool) {
	if n != 4 || !plausible(v) {
		return point{}, false
	}
	j := i + 4
	next := s.at(j)
	if next == ',' && isDigit(s.at(j+1)) && isDigit(s.at(j+2)) && isDigit(s.at(j+3)) && !isDigit(s.at(j+4)) {
		return point{}, false
	}
	if next == '.' && isDigit(s.at(j+1)) || isLetter(next) || next == '%' || next == '_' || next == ':' && isDigit(s.at(j+1)) || next == '×' || next == '°' {
		return point{}, false
	}
	if (next == '-' || next == '–') && isLetter(s.at(j+1)) {
		return point{}, false
	}
	if s.unitAfter(j) {
		return point{}, false
	}
	p := point{start: i, end: j, stated: true}
	p.setYear(v)
	if s.at(s.blanks(j)) == 'q' {
		if s.hanPart(&p, v); p.grain == "quarter" {
			return p, true
		}
	}
	// 2023-2025, 2019/20
	if c := next; c == '-' || c == '–' || c == '—' || c == '~' || c == '/' {
		v2, n2 := s.digits(j + 1)
		if n2 == 4 && v2 > v && plausible(v2) && v >= 1500 && !s.unitAfter(j+5) && s.at(j+5) != '-' && c != '/' {
			return p, true
		}
		if n2 > 0 && !(n2 == 4 && v2 == v+1) {
			return point{}, false
		}
		if c == '/' && n2 == 4 {
			p.end = j + 5
			s.splitYear(&p, v)
			return p, true
		}
	}
	w := s.wordsBack(i, 1)
	k := i
	for k > 0 && i-k < 2 && s.f[k-1] == ' ' {
		k--
	}
	prev := s.at(k - 1)
	adjacent := w != "" && (prev >= 'a' && prev <= 'z' || prev == '-' || prev == '\n')
	near := v >= 1900 && v <= 2060
	switch {
	case adjacent && datesBack[s.wordsBack(i, 2)]:
		return p, true
	case adjacent && yearContexts[w]:
		if !near && (w == "of" || w == "to" || w == "by" || w == "for" || w == "and" || w == "between" || w == "from" || w == "with") {
			return point{}, false
		}
		if w == "to" || w == "of" || w == "by" || w == "for" || w == "and" || w == "from" || w == "between" {
			// "a total of 2000": a count unless the number looks like a year of our time.
			if v%1000 == 0 && v != 2000 || s.wordsBack(i, 2) == "total of" {
				return point{}, false
			}
			if w == "and" || w == "to" || w == "by" {
				return p, len(s.out) > 0 && i-s.out[len(s.out)-1].End < 40 || w == "by" && near && v%100 != 0 || w == "to" && s.betweenYear(i)
			}
		}
		return p, true
	case prev == '(' || prev == '[':
		return p, near
	case !near:
		return point{}, false
	case adjacent && notYear[w]:
		return point{}, false
	case isHan(prev):
		return p, next == 0 || next == ')' || next == '》' || next == '\n'
	}
	// A heading, a list of columns, an adjective: Fees 2026, the 2024 report.
	switch {
	case next == 0 || next == '\n' || next == ')' || next == ']' || next == '|' || next == ':' || next == ',' || next == '.' || next == ';':
		return p, v >= 1950
	case next == ' ' || next == '\'' || next == '’':
		w2, _ := s.next(j)
		if next != ' ' {
			return p, v >= 1950
		}
		if w2 == "" {
			c := s.at(s.blanks(j))
			return p, v >= 1950 && (c == '|' || c == '(' || c == 0 || c == '-' || c == '–' || isDigit(c) && !adjacent)
		}
		return p, v >= 1950 && (adjacent && w != "" || yearFollowers[w2] || k == 0)
	}
	return point{}, false
}

func (s *scanner) betweenYear(i int) bool {
	return len(s.out) > 0 && i-s.out[len(s.out)-1].End < 12
}

var yearFollowers = wordSet("annual budget edition report results season was is the and were must will are has had shall may can for to at in by with it there we a an")

// unitAfter reports that a number which ends at j counts something.
func (s *scanner) unitAfter(j int) bool {
	k := s.blanks(j)
	r := s.at(k)
	switch r {
	case '%', '‰', '℃', '㎡', '°', '+', '×', '$', '€':
		return true
	}
	if isHan(r) && r != '年' {
		switch r {
		case '至', '到', '以', '的', '和', '与', '及', '起', '版', '届', '中', '是', '为', '前', '后', '之':
			return false
		}
		return k <= j+1
	}
	w, e := s.word(k)
	if w == "" || k == j {
		return false
	}
	if countable[w] {
		return true
	}
	// A plural noun counts: 2024 passengers; "2024 results" does not.
	if len(w) > 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") {
		switch w {
		case "results", "accounts", "figures", "elections", "olympics", "games", "fees", "rates", "prices", "sales", "rules", "guidelines", "regulations", "statements",
			"onwards", "towards", "afterwards", "always", "sometimes", "earnings", "revenues", "taxes", "finals", "championships", "awards", "was", "has", "does":
			return false
		}
		if b := s.wordsBack(j-4, 1); b == "the" || b == "in" || b == "since" || b == "during" {
			return false
		}
		_ = e
		return true
	}
	return false
}

var countable = wordSet("people men women children staff aircraft dollars euros pounds yuan rmb usd eur m km cm mm kg g mg t l ml m2 mw kw kwh gb mb kb tb hz mhz ghz v w percent per hours minutes seconds days weeks months years million billion thousand feet ft miles inches")
