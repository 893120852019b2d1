package when

import (
	"regexp"
	"strconv"
)

// A part of the year without a year (from May to September, 10月至次年4月) is no interval, but
// two such parts that do not meet are never the same time.

// partOfYear matches a month with or without its day, in either language.
var partOfYear = regexp.MustCompile(`(?:\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? )?\b(january|february|march|april|may|june|july|august|september|october|november|december)\b(?: (\d{1,2})\b)?|(\d{1,2})月(?:(\d{1,2})[日号])?`)

// throughYear matches what makes a stretch of two months.
var throughYear = regexp.MustCompile(`\b(?:to|until|till|through)\b|至|到|[-–—~]`)

// datedYear matches a year in Chinese that is told; 次年 only goes over its end.
var datedYear = regexp.MustCompile(`[\d今去明前后本]年`)

// yearDays are the days before each month, February with 29.
var yearDays = [14]int{0, 0, 31, 60, 91, 121, 152, 182, 213, 244, 274, 305, 335, 366}

// yearPart is the part of the year that an expression without a year names, as days from 1 to
// 366; from may lie behind to. ok is false where it names none.
func yearPart(e Expr) (from, to int, ok bool) {
	if !e.open() || e.Kind == Since || e.Kind == Until || datedYear.MatchString(e.Text) {
		return 0, 0, false
	}
	found := partOfYear.FindAllStringSubmatch(e.Text, 3)
	if len(found) == 0 || len(found) > 2 || len(found) == 2 && e.Grain != "range" && !throughYear.MatchString(e.Text) {
		return 0, 0, false
	}
	edge := func(m []string) (first, last int, ok bool) {
		month, day := monthNumber(m[2]), m[1]+m[3]
		if m[4] != "" {
			month, _ = strconv.Atoi(m[4])
			day = m[5]
		}
		if month < 1 || month > 12 {
			return 0, 0, false
		}
		if d, err := strconv.Atoi(day); err == nil && d >= 1 && d <= 31 {
			return yearDays[month] + d, yearDays[month] + d, true
		}
		return yearDays[month] + 1, yearDays[month+1], true
	}
	from, to, ok = edge(found[0])
	if ok && len(found) == 2 {
		_, to, ok = edge(found[1])
	}
	return from, to, ok
}

func monthNumber(name string) int {
	if name == "" {
		return 0
	}
	return months[name]
}

// partsApart reports whether both sides name parts of the year and no two of them meet.
func partsApart(a, b []Expr) bool {
	seen := false
	for _, x := range a {
		xf, xt, ok := yearPart(x)
		if !ok {
			continue
		}
		for _, y := range b {
			yf, yt, ok := yearPart(y)
			if !ok {
				continue
			}
			seen = true
			if within(xf, yf, yt) || within(yf, xf, xt) {
				return false
			}
		}
	}
	return seen
}

// within reports whether a day lies in a part of the year that may go over its end.
func within(day, from, to int) bool {
	if from <= to {
		return from <= day && day <= to
	}
	return day >= from || day <= to
}
