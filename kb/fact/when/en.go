package when

import "time"

var months = map[string]int{"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
	"october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12}

var weekdays = map[string]int{"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 7,
	"mondays": 1, "tuesdays": 2, "wednesdays": 3, "thursdays": 4, "fridays": 5, "saturdays": 6, "sundays": 7}

var smallNumbers = map[string]int{"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90}

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}

// triggers are the English words at which an expression may begin.
var triggers = buildTriggers()

func buildTriggers() map[string]byte {
	m := map[string]byte{"last": 'r', "this": 'r', "next": 'r', "past": 'r', "previous": 'r', "current": 'r', "coming": 'r', "preceding": 'r', "prior": 'r',
		"yesterday": 'd', "today": 'd', "tomorrow": 'd', "tonight": 'd', "now": 'n', "currently": 'n', "presently": 'n', "nowadays": 'n', "latest": 'n', "still": 'n', "at": 'a',
		"fiscal": 'f', "financial": 'f', "school": 's', "academic": 's', "fy": 'f', "tax": 'f', "every": 'e', "each": 'e',
		"weekday": 'c', "weekdays": 'c', "weekends": 'c', "weekend": 'c', "recently": 'v', "lately": 'v', "formerly": 'v', "soon": 'v', "until": 'u', "year": 'y', "years": 'y',
		"months": 'y', "quarter": 'y', "calendar": 'k', "season": 'z', "effective": 'i', "with": 'i', "mid": 'm', "up": 'p', "q": 'q', "h": 'q', "summer": 'w', "winter": 'w', "spring": 'w', "autumn": 'w', "fall": 'w'}
	for w := range months {
		m[w] = 'M'
	}
	for w := range weekdays {
		m[w] = 'W'
	}
	for w := range smallNumbers {
		m[w] = 'g'
	}
	for _, w := range []string{"first", "second", "third", "fourth"} {
		m[w] = 'o'
	}
	return m
}

// atWord reads what begins at the English word at i, and passes the word.
func (s *scanner) atWord(i int) int {
	j := i
	for j < len(s.f) && 'a' <= s.f[j] && s.f[j] <= 'z' {
		j++
	}
	if i > 0 && (isDigit(s.f[i-1]) || s.f[i-1] == '_') {
		return j
	}
	if j < len(s.f) && (s.f[j] == '_' || s.f[j] > 0x7f && isLetter(s.f[j])) {
		for j < len(s.f) && (isLetter(s.f[j]) || s.f[j] == '_') {
			j++
		}
		return j
	}
	size := j - i
	if size > 12 {
		return j
	}
	for k := 0; k < size; k++ {
		s.buf[k] = byte(s.f[i+k])
	}
	t, ok := triggers[string(s.buf[:size])]
	if !ok {
		return s.passCode(j)
	}
	p, ok := s.english(i, j, t)
	if !ok {
		if t == 'q' || t == 'f' && size == 2 {
			return s.passCode(j)
		}
		return j
	}
	return s.emit(p)
}

// passCode passes digits that belong to a name such as wr840.
func (s *scanner) passCode(j int) int {
	for n := 0; n < 32 && isDigit(s.at(j)); n++ {
		j++
	}
	return j
}

func (s *scanner) english(i, j int, t byte) (point, bool) {
	w, _ := s.word(i)
	switch t {
	case 'M', 'q', 'f', 's', 'o', 'k', 'm', 'z', 'w':
		return s.englishPoint(i, s.implied())
	case 'r':
		return s.relative(i, j, w)
	case 'd':
		p := point{start: i, end: j, kind: Relative, grain: "day"}
		if a := s.opt.Anchor; !a.IsZero() {
			p.from = a
			switch w {
			case "yesterday":
				p.from = a.AddDate(0, 0, -1)
			case "tomorrow":
				p.from = a.AddDate(0, 0, 1)
			}
			p.to = p.from
		}
		return p, true
	case 'n':
		if w == "still" && s.at(i-1) == '-' {
			return point{}, false
		}
		return s.now(i, j), true
	case 'a':
		if w2, e := s.next(j); w2 == "present" {
			return s.now(i, e), true
		} else if w2 == "the" {
			if w3, e3 := s.next(e); w3 == "moment" || w3 == "present" {
				if w4, e4 := s.next(e3); w3 == "present" && w4 == "time" {
					e3 = e4
				}
				return s.now(i, e3), true
			}
		}
	case 'p':
		if w2, e := s.next(j); w2 == "to" {
			if w3, e3 := s.next(e); w3 == "now" || w3 == "date" {
				if w3 == "date" && s.at(j) == '-' {
					return s.now(i, e3), true
				}
				return s.now(i, e3), true
			}
		}
	case 'e':
		w2, e := s.next(j)
		if _, ok := weekdays[w2]; ok || w2 == "weekday" || w2 == "weekend" {
			return point{start: i, end: e, kind: Recurring}, true
		}
		if _, ok := months[w2]; ok && w2 != "may" && w2 != "march" {
			return point{start: i, end: e, kind: Recurring}, true
		}
		if w2 == "other" || w2 == "second" {
			if w3, e3 := s.next(e); weekdays[w3] > 0 {
				return point{start: i, end: e3, kind: Recurring}, true
			}
		}
	case 'W':
		return s.weekdayWord(i, j), true
	case 'c':
		if s.numberBefore(i) {
			return point{}, false
		}
		return point{start: i, end: j, kind: Recurring}, true
	case 'v':
		return point{start: i, end: j, kind: Vague}, true
	case 'u':
		if w2, e := s.next(j); w2 == "further" {
			if w3, e3 := s.next(e); w3 == "notice" {
				return point{start: i, end: e3, kind: Until}, true
			}
		}
	case 'i':
		w2, e := s.next(j)
		if w == "effective" && w2 == "immediately" || w == "with" && w2 == "immediate" {
			if w == "with" {
				var w3 string
				if w3, e = s.next(e); w3 != "effect" {
					return point{}, false
				}
			}
			return point{start: i, end: e, kind: Since, from: s.opt.Anchor}, true
		}
	case 'y':
		return s.ended(i, j, w)
	case 'g':
		return s.wordsAgo(i, j, smallNumbers[w])
	}
	return point{}, false
}

func (s *scanner) now(i, end int) point {
	return point{start: i, end: end, kind: Now, from: s.opt.Anchor, to: s.opt.Anchor, grain: "day"}
}

func (s *scanner) numberBefore(i int) bool {
	k := i
	for k > 0 && i-k < 2 && s.f[k-1] == ' ' {
		k--
	}
	return isDigit(s.at(k-1)) || smallNumbers[s.wordsBack(i, 1)] > 1
}

// weekdayWord reads Saturday, Monday to Friday, on Sundays.
func (s *scanner) weekdayWord(i, j int) point {
	p := point{start: i, end: j, kind: Recurring}
	if w, e := s.next(j); w == "to" || w == "through" || w == "and" || w == "until" {
		if w2, e2 := s.next(e); weekdays[w2] > 0 {
			p.end = e2
		}
	} else if c := s.at(j); (c == '-' || c == '–') && weekdays[w] > 0 {
		p.end = e
	} else if c == '–' {
		if w2, e2 := s.word(j + 1); weekdays[w2] > 0 {
			p.end = e2
		}
	}
	// "Saturday, 5 June 2025" is that day.
	k := p.end
	if s.at(k) == ',' {
		k++
	}
	k = s.blanks(k)
	if k > p.end {
		if q, ok := s.englishPoint(k, s.implied()); ok && q.grain == "day" {
			q.start = i
			return q
		}
		if q, ok := s.digitPoint(k); ok && q.grain == "day" {
			q.start = i
			return q
		}
	}
	return p
}

// relative reads last month, this year, next quarter, the past three years.
func (s *scanner) relative(i, j int, w string) (point, bool) {
	n := 0
	switch w {
	case "last", "past", "previous", "preceding", "prior":
		n = -1
	case "next", "coming":
		n = 1
	}
	p := point{start: i, end: j, kind: Relative}
	a := s.opt.Anchor
	known := !a.IsZero()
	w2, e := s.next(j)
	if w2 == "" {
		// last 30 days
		k := s.blanks(j)
		if v, d := s.digits(k); d > 0 && n != 0 {
			return s.lastUnits(p, k+d, v, n)
		}
		return point{}, false
	}
	if c := smallNumbers[w2]; c > 1 && n != 0 {
		return s.lastUnits(p, e, c, n)
	}
	if w == "past" && (w2 == "year" || w2 == "month" || w2 == "week" || w2 == "quarter") {
		return s.lastUnits(p, j, 1, n)
	}
	p.end = e
	switch w2 {
	case "day":
		return point{}, false
	case "week":
		p.grain = "week"
		if known {
			p.from = a.AddDate(0, 0, -(int(a.Weekday())+6)%7).AddDate(0, 0, 7*n)
			p.to = p.from.AddDate(0, 0, 6)
		}
	case "month":
		p.grain = "month"
		if known {
			t := date(a.Year(), int(a.Month())+n, 1)
			p.setMonth(t.Year(), int(t.Month()))
		}
	case "quarter":
		p.grain = "quarter"
		// The last quarter of 2017 is its fourth.
		if of, k := s.next(e); n == -1 && w == "last" && (of == "of" || of == "in") {
			if v, d := s.digits(s.blanks(k)); d == 4 && plausible(v) {
				p.kind, p.end = Date, e
				return s.part(p, true, 4, v)
			}
		}
		if known {
			t := date(a.Year(), ((int(a.Month())-1)/3+n)*3+1, 1)
			p.setQuarter(t.Year(), (int(t.Month())+2)/3)
		}
	case "year":
		p.grain = "year"
		if s.at(e) == '-' {
			return point{}, false
		}
		if known {
			p.setYear(a.Year() + n)
		}
	case "decade":
		p.grain = "range"
		if known {
			y := a.Year()/10*10 + 10*n
			p.from, p.to = date(y, 1, 1), date(y+9, 12, 31)
		}
	case "calendar", "fiscal", "financial", "school", "academic", "tax":
		w3, e3 := s.next(e)
		if w3 != "year" {
			return point{}, false
		}
		p.end, p.grain = e3, "year"
		switch w2 {
		case "calendar":
			if known {
				p.setYear(a.Year() + n)
			}
		case "school", "academic":
			p.calendar = "school"
			if known {
				y := a.Year() + n
				if a.Month() < 9 {
					y--
				}
				s.school(&p, y)
			}
		default:
			p.calendar = "fiscal"
			if known {
				y := a.Year() + n
				if m := s.opt.FiscalStart; m > 1 && a.Month() >= m {
					y++
				}
				s.fiscal(&p, y)
			}
		}
		p.kind = Relative
	case "summer", "winter", "spring", "autumn":
		p.grain = "range"
	default:
		if d := weekdays[w2]; d > 0 {
			p.grain = "day"
			if known {
				monday := a.AddDate(0, 0, -(int(a.Weekday())+6)%7)
				t := monday.AddDate(0, 0, d-1)
				switch {
				case n < 0 && !t.Before(a):
					t = t.AddDate(0, 0, -7)
				case n > 0 && !t.After(a):
					t = t.AddDate(0, 0, 7)
				}
				p.from, p.to = t, t
			}
			return p, true
		}
		if m := months[w2]; m > 0 && len(w2) > 3 {
			p.grain = "month"
			if known {
				y := a.Year()
				switch {
				case n < 0 && m >= int(a.Month()):
					y--
				case n > 0 && m <= int(a.Month()):
					y++
				}
				p.setMonth(y, m)
			}
			return p, true
		}
		return point{}, false
	}
	return p, true
}

// lastUnits reads "three years" behind last, past or next.
func (s *scanner) lastUnits(p point, i, v, dir int) (point, bool) {
	w, e := s.next(i)
	if w == "full" || w == "calendar" || w == "consecutive" || w == "fiscal" || w == "financial" {
		w, e = s.next(e)
	}
	if v <= 0 || v > 1000 {
		return point{}, false
	}
	y, m, d := 0, 0, 0
	switch w {
	case "day", "days":
		d = v
	case "week", "weeks":
		d = 7 * v
	case "month", "months":
		m = v
	case "quarter", "quarters":
		m = 3 * v
	case "year", "years":
		y = v
	case "decade", "decades":
		y = 10 * v
	default:
		return point{}, false
	}
	p.end, p.grain = e, "range"
	if a := s.opt.Anchor; !a.IsZero() {
		if dir < 0 {
			p.from, p.to = a.AddDate(-y, -m, -d).AddDate(0, 0, 1), a
		} else {
			p.from, p.to = a, a.AddDate(y, m, d).AddDate(0, 0, -1)
		}
	}
	return p, true
}

// wordsAgo reads a year ago, two months ago; i is the number, j its end.
func (s *scanner) wordsAgo(i, j, v int) (point, bool) {
	w, e := s.next(j)
	if w == "" || v == 0 {
		return point{}, false
	}
	switch w {
	case "day", "days", "week", "weeks", "month", "months", "year", "years", "decade", "decades":
	default:
		return point{}, false
	}
	w2, e2 := s.next(e)
	if w2 != "ago" {
		if w2 == "ended" || w2 == "ending" {
			return s.endedAt(i, e2, v, w)
		}
		return point{}, false
	}
	p := point{start: i, end: e2, kind: Relative}
	a := s.opt.Anchor
	known := !a.IsZero()
	switch w[0] {
	case 'd':
		if w == "decade" || w == "decades" {
			v *= 10
			p.grain = "year"
			if known {
				p.setYear(a.Year() - v)
			}
			break
		}
		p.grain = "day"
		if known {
			p.from = a.AddDate(0, 0, -v)
			p.to = p.from
		}
	case 'w':
		p.grain = "week"
		if known {
			p.from = a.AddDate(0, 0, -(int(a.Weekday())+6)%7-7*v)
			p.to = p.from.AddDate(0, 0, 6)
		}
	case 'm':
		p.grain = "month"
		if known {
			t := date(a.Year(), int(a.Month())-v, 1)
			p.setMonth(t.Year(), int(t.Month()))
		}
	case 'y':
		p.grain = "year"
		if known {
			p.setYear(a.Year() - v)
		}
	}
	return p, true
}

// ended reads "year ended December 31, 2023", "year to date".
func (s *scanner) ended(i, j int, w string) (point, bool) {
	w2, e := s.next(j)
	switch {
	case w2 == "ended" || w2 == "ending":
		return s.endedAt(i, e, 1, w)
	case w == "year" && w2 == "to":
		if w3, e3 := s.next(e); w3 == "date" {
			p := point{start: i, end: e3, kind: Relative, grain: "range"}
			if a := s.opt.Anchor; !a.IsZero() {
				p.from, p.to = date(a.Year(), 1, 1), a
			}
			return p, true
		}
	case w == "year" && w2 == "":
		k := s.blanks(j)
		if v, n := s.digits(k); n == 4 && plausible(v) && k > j {
			if q, ok := s.digitPoint(k); ok {
				return q, true
			}
			p := point{start: k, end: k + 4, stated: true}
			p.setYear(v)
			return p, true
		}
	}
	return point{}, false
}

// endedAt is the stretch of v units that ends on the day at i.
func (s *scanner) endedAt(start, i, v int, unit string) (point, bool) {
	k := s.blanks(i)
	if w, e := s.word(k); w == "on" {
		k = s.blanks(e)
	}
	if w, _ := s.word(k); w == "fiscal" || w == "financial" || w == "tax" {
		return point{}, false // "fiscal year ended fiscal year ended ..." must not recurse
	}
	q, ok := s.englishPoint(k, s.implied())
	if !ok {
		q, ok = s.digitPoint(k)
	}
	if !ok || !q.resolved() || !q.stated || q.grain == "year" {
		return point{}, false
	}
	q.start = start
	m := v
	switch unit[0] {
	case 'y':
		m, q.grain = 12*v, "year"
		if unit == "years" && v == 1 {
			m = 12
		}
	case 'q':
		m, q.grain = 3*v, "quarter"
	case 'm':
		q.grain = "range"
		switch v {
		case 3:
			q.grain = "quarter"
		case 6:
			q.grain = "half"
		case 1:
			q.grain = "month"
		}
	default:
		return point{}, false
	}
	end := q.to.AddDate(0, 0, 1)
	q.from = end.AddDate(0, -m, 0)
	if unit[0] == 'y' && v == 1 && !(q.to.Month() == time.December && q.to.Day() == 31) {
		q.kind, q.calendar = Fiscal, "fiscal"
	}
	return q, true
}

// englishPoint reads a month, day, quarter, half, fiscal or school year in English
// at i; year is used where none is stated.
func (s *scanner) englishPoint(i, year int) (point, bool) {
	w, j := s.word(i)
	if w == "" {
		return s.dayMonth(i, year)
	}
	p := point{start: i, end: j}
	if w == "the" {
		k := s.blanks(j)
		if isDigit(s.at(k)) {
			q, ok := s.dayMonth(k, year)
			return q, ok
		}
		w, j = s.word(k)
		if _, ok := ordinals[w]; !ok {
			return point{}, false
		}
		p.start, p.end = k, j
	}
	if m := months[w]; m > 0 {
		// The June quarter of 2018 is the one that ends with June.
		if w2, e := s.next(j); w2 == "quarter" && m%3 == 0 && s.at(e) != '-' {
			p.end = e
			return s.part(p, true, m/3, year)
		}
		return s.monthWord(p, m, w, year)
	}
	switch w {
	case "q", "h":
		v, n := s.digits(j)
		if n != 1 || v < 1 || w == "q" && v > 4 || w == "h" && v > 2 || isLetter(s.at(j+1)) || s.at(j+1) == '-' && isDigit(s.at(j+2)) && !isDigit(s.at(j+5)) || s.at(j+1) == '.' && isDigit(s.at(j+2)) {
			return point{}, false
		}
		p.end = j + 1
		return s.part(p, w == "q", v, year)
	case "first", "second", "third", "fourth":
		w2, e := s.next(j)
		v := ordinals[w]
		if w2 == "fiscal" || w2 == "financial" || w2 == "calendar" {
			w2, e = s.next(e)
		}
		if w2 == "quarter" || w2 == "half" && v <= 2 {
			if s.at(e) == '-' {
				return point{}, false
			}
			p.end = e
			if w2 == "half" {
				k, _ := s.next(e)
				if k == "of" {
					// The first half of the match is no time unless a year follows.
					q, ok := s.part(p, false, v, year)
					return q, ok && q.end > e
				}
			}
			return s.part(p, w2 == "quarter", v, year)
		}
	case "fy":
		return s.fiscalYear(p, s.blanks(j))
	case "fiscal", "financial", "tax":
		w2, e := s.next(j)
		if w2 == "year" {
			if w3, e3 := s.next(e); w3 == "ended" || w3 == "ending" {
				return s.endedAt(i, e3, 1, "year")
			}
			return s.fiscalYear(p, s.blanks(e))
		}
		if w2 == "" && w == "fiscal" {
			return s.fiscalYear(p, s.blanks(j))
		}
	case "school", "academic", "season":
		e := j
		if w != "season" {
			var w2 string
			if w2, e = s.next(j); w2 != "year" {
				return point{}, false
			}
		}
		k := s.blanks(e)
		v, n := s.digits(k)
		if n != 4 || !plausible(v) {
			return point{}, false
		}
		end := k + 4
		if c := s.at(end); c == '/' || c == '-' || c == '–' {
			v2, n2 := s.digits(end + 1)
			if !(n2 == 2 && v2 == (v+1)%100 || n2 == 4 && v2 == v+1) {
				return point{}, false
			}
			end += 1 + n2
		} else if w == "season" {
			return point{}, false
		}
		p.end, p.stated = end, true
		if w == "season" {
			s.season(&p, v)
		} else {
			s.school(&p, v)
		}
		return p, true
	case "calendar":
		if w2, e := s.next(j); w2 == "year" {
			k := s.blanks(e)
			if v, n := s.digits(k); n == 4 && plausible(v) {
				p.end, p.stated = k+4, true
				p.setYear(v)
				return p, true
			}
		}
	case "mid", "summer", "winter", "spring", "autumn", "fall":
		k := s.blanks(j)
		if s.at(k) == '-' {
			k++
		}
		if v, n := s.digits(k); n == 4 && plausible(v) && k > j {
			p.end, p.stated = k+4, true
			p.setYear(v)
			switch w {
			case "spring":
				p.from, p.to, p.grain = date(v, 3, 1), date(v, 5, 31), "range"
			case "summer":
				p.from, p.to, p.grain = date(v, 6, 1), date(v, 8, 31), "range"
			case "autumn", "fall":
				p.from, p.to, p.grain = date(v, 9, 1), date(v, 11, 30), "range"
			}
			return p, true
		}
	}
	return point{}, false
}

// part finishes a quarter or half: of 2024, FY2023, this year.
func (s *scanner) part(p point, quarter bool, v, year int) (point, bool) {
	end := p.end
	k := s.blanks(end)
	if s.at(k) == ',' || s.at(k) == '-' || s.at(k) == '/' {
		k = s.blanks(k + 1)
	}
	if w, e := s.word(k); w == "of" || w == "in" {
		k = s.blanks(e)
	}
	if w, e := s.word(k); w == "the" {
		k = s.blanks(e)
	}
	set := func(y int) {
		if quarter {
			p.setQuarter(y, v)
		} else {
			p.setHalf(y, v)
		}
	}
	w, e := s.word(k)
	switch w {
	case "fy", "fiscal", "financial":
		if f, ok := s.englishPoint(k, year); ok && f.kind == Fiscal && f.resolved() {
			months := 6
			if quarter {
				months = 3
			}
			p.kind, p.calendar, p.year, p.stated, p.end = Fiscal, f.calendar, f.year, true, f.end
			p.grain = "half"
			if quarter {
				p.grain = "quarter"
			}
			p.from = f.from.AddDate(0, (v-1)*months, 0)
			p.to = f.from.AddDate(0, v*months, 0).AddDate(0, 0, -1)
			return p, true
		}
	case "last", "this", "next":
		if w2, e2 := s.next(e); w2 == "year" && !s.opt.Anchor.IsZero() {
			y := s.opt.Anchor.Year()
			if w == "last" {
				y--
			} else if w == "next" {
				y++
			}
			set(y)
			p.end, p.kind = e2, Relative
			return p, true
		}
	case "year":
		if p.start < end && s.at(end) == ' ' {
			p.end = e
			set(year)
			return p, true
		}
	case "":
		if y, n := s.digits(k); n == 4 && plausible(y) && k > end {
			set(y)
			p.end, p.stated = k+4, true
			return p, true
		}
		if c := s.at(k); (c == '\'' || c == '’') && isDigit(s.at(k+1)) {
			if y, n := s.digits(k + 1); n == 2 {
				set(2000 + y)
				p.end, p.stated = k+3, true
				return p, true
			}
		}
	}
	set(year)
	return p, true
}

// fiscalYear reads the year at k: 2023, 23, 2022/23, 2022-23.
func (s *scanner) fiscalYear(p point, k int) (point, bool) {
	if s.at(k) == '\'' || s.at(k) == '’' {
		k++
	}
	v, n := s.digits(k)
	if n == 2 && v < 60 {
		v, n = v+2000, 4
		k -= 2
	}
	if n != 4 || !plausible(v) {
		return point{}, false
	}
	p.end, p.stated = k+4, true
	if c := s.at(k + 4); (c == '/' || c == '-' || c == '–') && isDigit(s.at(k+5)) {
		if v2, n2 := s.digits(k + 5); n2 == 2 && v2 == (v+1)%100 || n2 == 4 && v2 == v+1 {
			v++
			p.end = k + 5 + n2
		}
	}
	s.fiscal(&p, v)
	return p, true
}

// monthWord reads what follows a month: a day, a year, both, or neither.
func (s *scanner) monthWord(p point, m int, w string, year int) (point, bool) {
	j := p.end
	if s.at(j) == '.' && len(w) <= 4 {
		j++
	}
	k := s.blanks(j)
	if s.at(k) == ',' || s.at(k) == '-' && isDigit(s.at(k+1)) {
		k = s.blanks(k + 1)
	}
	if w2, e := s.word(k); w2 == "of" {
		k = s.blanks(e)
	}
	v, n := s.digits(k)
	ambiguous := w == "may" || w == "march" || w == "mar" || w == "jan" || w == "dec" || w == "august"
	switch {
	case n == 4 && plausible(v) && k > p.end:
		p.setMonth(v, m)
		p.end, p.stated = k+4, true
		return p, true
	case n >= 1 && n <= 2 && validDay(year, m, v) && k > p.end && s.at(k+n) != ':' && s.at(k+n) != '%':
		e := k + n
		e = s.suffix(e)
		d2 := 0
		if c := s.at(e); c == '-' || c == '–' {
			if x, xn := s.digits(e + 1); xn >= 1 && xn <= 2 && validDay(year, m, x) && x > v {
				d2, e = x, s.suffix(e+1+xn)
			}
		}
		y := year
		k2 := s.blanks(e)
		if s.at(k2) == ',' {
			k2 = s.blanks(k2 + 1)
		}
		if yv, yn := s.digits(k2); yn == 4 && plausible(yv) && k2 > e {
			y, e = yv, k2+4
			p.stated = true
		}
		p.setDay(y, m, v)
		if d2 > 0 && y > 0 {
			p.to, p.grain = date(y, m, d2), "range"
		}
		p.end = e
		return p, true
	}
	if c := s.at(k); (c == '\'' || c == '’') && isDigit(s.at(k+1)) {
		if y, yn := s.digits(k + 1); yn == 2 {
			p.setMonth(2000+y, m)
			p.end, p.stated = k+3, true
			return p, true
		}
	}
	p.setMonth(year, m)
	p.end = j
	if s.at(j-1) == '.' && (s.at(j) != ' ' || s.at(j+1) == 0) {
		p.end--
	}
	if ambiguous || len(w) <= 4 && w != "june" && w != "july" {
		return p, s.second || s.monthContext(p.start, p.end)
	}
	return p, true
}

// monthContext: "may" and "march" are months only next to a word of time.
func (s *scanner) monthContext(i, e int) bool {
	switch s.wordsBack(i, 1) {
	case "in", "since", "of", "from", "until", "till", "by", "during", "late", "early", "mid", "through", "between", "before", "after", "for", "last", "next", "to":
		w, _ := s.next(e)
		return w != "the" && w != "be"
	}
	return false
}

func (s *scanner) suffix(e int) int {
	switch w, e2 := s.word(e); w {
	case "st", "nd", "rd", "th":
		return e2
	}
	return e
}

// dayMonth reads 1 March 2026, 1st of March, 15-20 March 2026 at digits.
func (s *scanner) dayMonth(i, year int) (point, bool) {
	v, n := s.digits(i)
	if n < 1 || n > 2 || v < 1 || v > 31 {
		return point{}, false
	}
	e := s.suffix(i + n)
	if w, e2 := s.next(e); w == "quarter" && e > i+n && v <= 4 && s.at(e2) != '-' {
		return s.part(point{start: i, end: e2}, true, v, year) // the 2nd quarter of 2020
	}
	d2 := 0
	k := s.blanks(e)
	if c := s.at(k); c == '-' || c == '–' {
		k = s.blanks(k + 1)
		if x, xn := s.digits(k); xn >= 1 && xn <= 2 && x > v && x <= 31 {
			d2, e = x, s.suffix(k+xn)
		}
	} else if w, e2 := s.word(k); (w == "to" || w == "and") && k > e {
		k = s.blanks(e2)
		if x, xn := s.digits(k); xn >= 1 && xn <= 2 && x > v && x <= 31 && w == "to" {
			d2, e = x, s.suffix(k+xn)
		}
	}
	k = s.blanks(e)
	if s.at(k) == '-' {
		k++
	}
	if w, e2 := s.word(k); w == "of" {
		k = s.blanks(e2)
	}
	w, e2 := s.word(k)
	m := months[w]
	if m == 0 || k == e || !validDay(year, m, v) {
		return point{}, false
	}
	p := point{start: i}
	end := e2
	if s.at(e2) == '.' && len(w) <= 4 {
		e2++
	}
	k = s.blanks(e2)
	if s.at(k) == ',' || s.at(k) == '-' {
		k = s.blanks(k + 1)
	}
	y := year
	if yv, yn := s.digits(k); yn == 4 && plausible(yv) && k > e2 {
		y, end = yv, k+4
		p.stated = true
	}
	if !p.stated && w == "may" && !s.second {
		switch c := s.at(s.blanks(end)); {
		case c == 0 || c == '.' || c == ',' || c == ')' || c == ';' || c == '\n':
		default:
			w2, _ := s.next(end)
			if w2 != "and" && w2 != "to" && w2 != "at" && w2 != "until" {
				return point{}, false
			}
		}
	}
	p.setDay(y, m, v)
	if d2 > 0 && validDay(y, m, d2) {
		p.grain = "range"
		if y > 0 {
			p.to = date(y, m, d2)
		}
	}
	p.end = end
	return p, true
}

// wordsBack is the last n English words before i, joined by one blank.
func (s *scanner) wordsBack(i, n int) string {
	var b [48]byte
	at := len(b)
	k := i
	for ; n > 0; n-- {
		g := 0
		for k > 0 && g < 3 && (s.f[k-1] == ' ' || s.f[k-1] == '-' || s.f[k-1] == '\n' || s.f[k-1] == '(') {
			k--
			g++
		}
		end := k
		for k > 0 && end-k < 14 && 'a' <= s.f[k-1] && s.f[k-1] <= 'z' {
			k--
		}
		if k == end || at-(end-k)-1 < 0 {
			break
		}
		if at < len(b) {
			at--
			b[at] = ' '
		}
		for x := end - 1; x >= k; x-- {
			at--
			b[at] = byte(s.f[x])
		}
	}
	return string(b[at:])
}
