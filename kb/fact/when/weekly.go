package when

import (
	"regexp"
	"strings"

	"suffice.dev/suffice/kb/fact/relation"
)

// Days are days of the week, one bit each from Monday (1) to Sunday (64).
type Days uint8

// Sets of days that have a name of their own.
const (
	Workdays Days = 1<<5 - 1
	Weekend  Days = 1<<5 | 1<<6
)

// WeekOf is the days of the week that a recurring expression names: 周二至周日, on
// Mondays, weekends. 0 for expressions of another kind and for those that do not recur by
// the week (每月5日, public holidays).
func WeekOf(e Expr) Days {
	if e.Kind != Recurring || notWeekly.MatchString(e.Text) {
		return 0
	}
	return weekIn(e.Text)
}

// notWeekly matches what names days of the week and comes round otherwise: every other Monday,
// the first Friday of the month, 隔周一.
var notWeekly = regexp.MustCompile(`隔|[双单]周|第[一二三四五]个|最后一个|\b(?:other|second|alternate|alternating|fortnight(?:ly)?|first|third|fourth|last)\b`)

// weekIn reads the days of a folded expression. A joining word between two days makes a
// range of them, which may run over the end of the week.
func weekIn(s string) Days {
	var out Days
	last, through := 0, false
	day := func(d int) {
		if through && last > 0 {
			for k := last; k != d; k = k%7 + 1 {
				out |= 1 << (k - 1)
			}
		}
		out |= 1 << (d - 1)
		last, through = d, false
	}
	set := func(d Days) { out, last, through = out|d, 0, false }
	runes := []rune(s)
	named := false // a word for week stands before
	for i := 0; i < len(runes); i++ {
		r := runes[i]
		rest := string(runes[i:min(i+3, len(runes))])
		switch {
		case strings.HasPrefix(rest, "工作日"):
			set(Workdays)
			i += 2
		case strings.HasPrefix(rest, "平日"):
			set(Workdays)
			i++
		case strings.HasPrefix(rest, "双休"):
			set(Weekend)
			i++
		case strings.HasPrefix(rest, "星期"), strings.HasPrefix(rest, "礼拜"):
			named = true
			i++
		case r == '周':
			named = true
		case r == '末' && named:
			set(Weekend)
		case named && weekdayOf(r) > 0:
			day(weekdayOf(r))
		case r == '至', r == '到', r == '-', r == '–', r == '—', r == '~':
			through = true
		case 'a' <= r && r <= 'z':
			j := i
			for j < len(runes) && 'a' <= runes[j] && runes[j] <= 'z' {
				j++
			}
			switch w := string(runes[i:j]); {
			case weekdays[w] > 0:
				day(weekdays[w])
			case w == "weekday" || w == "weekdays":
				set(Workdays)
			case w == "weekend" || w == "weekends":
				set(Weekend)
			case w == "to" || w == "through" || w == "until":
				through = true
			}
			i = j - 1
		}
	}
	return out
}

// weekAll is the days of all weekly expressions; 0 where there is none.
func weekAll(ts []Expr) Days {
	var out Days
	for _, t := range ts {
		out |= WeekOf(t)
	}
	return out
}

// Within says how the days that a statement names stand to those of a source: Same where
// the source holds on each of them, Excludes where it holds on none, Differs where on some,
// Unknown where one of the two names no days of the week.
func Within(stated, source Expr) relation.Relation {
	a, b := WeekOf(stated), WeekOf(source)
	switch {
	case a == 0 || b == 0:
		return relation.Unknown
	case a&b == a:
		return relation.Same
	case a&b == 0:
		return relation.Excludes
	}
	return relation.Differs
}

// OnDaysOf reports whether each day of the week that stated names is one of those of
// source, and both name some.
func OnDaysOf(stated, source []Expr) bool {
	a, b := weekAll(stated), weekAll(source)
	return a != 0 && b != 0 && a&b == a
}
