// Package when reads times in Chinese and English: dates, years, quarters,
// fiscal years, relative expressions, validity phrases, as intervals of days.
package when

import (
	"strconv"
	"strings"
	"time"

	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// Kind tells what sort of expression it is.
type Kind string

// Kinds of expressions.
const (
	Date      Kind = "date"      // a day, month, quarter, half, year, range: an interval
	Fiscal    Kind = "fiscal"    // a fiscal, school or season year: another calendar
	Relative  Kind = "relative"  // 上月, last year, 昨天: resolved against the anchor
	Now       Kind = "now"       // 目前, 现行, currently, latest
	Since     Kind = "since"     // 自…起, effective from, since: To is open
	Until     Kind = "until"     // 至…止, until: From is open
	Recurring Kind = "recurring" // every Saturday, 每月5日, 工作日: no interval; Text counts
	Vague     Kind = "vague"     // 近年来, recently: no interval
)

// Expr is a time expression. From and To are inclusive days at midnight UTC; zero
// is open (Since, Until) or not resolvable (Recurring, Vague, Relative without
// anchor).
type Expr struct {
	text.Span
	Kind     Kind
	From, To time.Time
	Text     string // as written, folded
	Calendar string // "" Gregorian; "fiscal", "school", "season" otherwise
	Grain    string // day, week, month, quarter, half, year, range
}

// Options fix what relative and fiscal expressions mean.
type Options struct {
	Anchor      time.Time  // the day relative expressions count from; zero = leave them unresolved
	FiscalStart time.Month // first month of the fiscal year; 0 = January. FY2023 ends in 2023
}

// Find returns the time expressions of a folded text, in order, without overlap.
// Linear time; never panics.
func Find(folded []rune, opt Options) []Expr {
	s := scanner{f: folded, opt: opt}
	s.run()
	return s.out
}

// Compare says how two expressions stand to each other as the time of one fact
// ("when was it opened"): Same when equal or one contains the other, Excludes when
// disjoint, Differs for different calendars, Unknown when one has no interval.
//
// Two beginnings on different days exclude each other, and so do two ends: they
// state one limit. A beginning or end against a day is compared by that day.
func Compare(a, b Expr) (relation.Relation, string) {
	if a.Kind == Recurring && b.Kind == Recurring {
		if a.Text == b.Text {
			return relation.Same, "equal wording"
		}
		if da, db := WeekOf(a), WeekOf(b); da != 0 && db != 0 && (da&db == da || da&db == db) {
			return relation.Same, "one contains the other"
		}
		return relation.Unknown, "recurring times"
	}
	if a.open() || b.open() {
		if a.Text != "" && a.Kind == b.Kind && alike(a.Text, b.Text) {
			return relation.Same, "equal wording"
		}
		return relation.Unknown, "no interval"
	}
	if a.Calendar != b.Calendar {
		return relation.Differs, "another calendar"
	}
	sa, sb := a.Kind == Since, b.Kind == Since
	ua, ub := a.Kind == Until, b.Kind == Until
	switch {
	case sa && sb:
		if a.From.Equal(b.From) {
			return relation.Same, "equal beginning"
		}
		if coarse(a, b) {
			return relation.Same, "one beginning contains the other"
		}
		return relation.Excludes, "different beginnings"
	case ua && ub:
		if a.To.Equal(b.To) {
			return relation.Same, "equal end"
		}
		return relation.Excludes, "different ends"
	case (sa || ua) != (sb || ub):
		// A limit against a day or period.
		limit, other := a, b
		if sb || ub {
			limit, other = b, a
		}
		at := limit.From
		if limit.Kind == Until {
			at = limit.To
		}
		point := Expr{From: at, To: at}
		if contains(other, point) {
			return relation.Same, "the limit lies within"
		}
		if disjoint(limit, other) {
			return relation.Excludes, "disjoint"
		}
		return relation.Differs, "a limit and a date"
	case sa && ub || ua && sb:
		if disjoint(a, b) {
			return relation.Excludes, "disjoint"
		}
		return relation.Differs, "a beginning and an end"
	}
	switch {
	case equalTime(a.From, b.From) && equalTime(a.To, b.To):
		return relation.Same, "equal"
	case contains(a, b) || contains(b, a):
		return relation.Same, "one contains the other"
	case disjoint(a, b):
		return relation.Excludes, "disjoint"
	}
	return relation.Differs, "overlapping periods"
}

// alike reports whether two expressions are written alike but for their numerals: 明年六月, 明年6月.
func alike(a, b string) bool { return a == b || plainNumerals(a) == plainNumerals(b) }

// plainNumerals writes the Chinese numerals up to 99 of a text in digits.
func plainNumerals(s string) string {
	if !strings.ContainsAny(s, "一二三四五六七八九十") {
		return s
	}
	runes := []rune(s)
	var out []rune
	for i := 0; i < len(runes); {
		n, j := 0, i
		for ; j < len(runes); j++ {
			if d := strings.IndexRune("一二三四五六七八九", runes[j]); d >= 0 {
				n += d/len("一") + 1
			} else if runes[j] == '十' {
				n = 10 * max(n, 1)
			} else {
				break
			}
		}
		if j == i {
			out = append(out, runes[i])
			i++
			continue
		}
		out = append(out, []rune(strconv.Itoa(n))...)
		i = j
	}
	return string(out)
}

// coarse reports that one of two beginnings was stated by month or year and holds
// the other.
func coarse(a, b Expr) bool {
	in := func(x, y Expr) bool {
		switch x.Grain {
		case "year":
			return x.From.Year() == y.From.Year()
		case "month":
			return x.From.Year() == y.From.Year() && x.From.Month() == y.From.Month()
		}
		return false
	}
	return in(a, b) || in(b, a)
}

// Scope says how two times limit the facts they belong to: Same when they may
// speak of the same period (equal, or no time on one side), Differs when they are
// disjoint, of different calendars, or one is a part of the other (Q1 and 2023),
// Unknown when it cannot be told.
//
// Of several times on one side the one nearest to the other side counts: facts
// often carry a year and a deadline. Days of the week limit a fact to these days; other
// recurring times and vague ones limit nothing.
func Scope(a, b []Expr) relation.Relation {
	if da, db := weekAll(a), weekAll(b); da != 0 && db != 0 && da&db == 0 {
		return relation.Differs
	}
	if partsApart(a, b) {
		return relation.Differs
	}
	best := relation.Relation(-1)
	seenA, seenB := false, false
	for _, x := range a {
		if !limits(x) {
			continue
		}
		seenA = true
		for _, y := range b {
			if !limits(y) {
				continue
			}
			seenB = true
			switch r := scope(x, y); {
			case r == relation.Same:
				return relation.Same
			case r == relation.Differs:
				best = r
			case best < 0:
				best = r
			}
		}
	}
	if !seenA || !seenB {
		return relation.Same
	}
	return best
}

func limits(e Expr) bool { return e.Kind != Recurring && e.Kind != Vague }

func scope(a, b Expr) relation.Relation {
	if a.open() || b.open() {
		if a.Kind == b.Kind && a.Text == b.Text {
			return relation.Same
		}
		return relation.Unknown
	}
	if a.Calendar != b.Calendar || disjoint(a, b) {
		return relation.Differs
	}
	if equalTime(a.From, b.From) && equalTime(a.To, b.To) {
		return relation.Same
	}
	if open := func(e Expr) bool { return e.Kind == Since || e.Kind == Until || e.Kind == Now }; open(a) || open(b) {
		return relation.Same
	}
	return relation.Differs
}
