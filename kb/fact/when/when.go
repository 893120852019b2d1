// Package when reads times in Chinese and English: dates, years, quarters,
// fiscal years, relative expressions, validity phrases, as intervals of days.
package when

import (
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
	Text     string // as written
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
func Find(folded []rune, opt Options) []Expr { return nil }

// Compare says how two expressions stand to each other as the time of one fact
// ("when was it opened"): Same when equal or one contains the other, Excludes when
// disjoint, Differs for different calendars, Unknown when one has no interval.
func Compare(a, b Expr) (relation.Relation, string) { return relation.Unknown, "" }

// Scope says how two times limit the facts they belong to: Same when they may
// speak of the same period (equal, or no time on one side), Differs when they are
// disjoint, of different calendars, or one is a part of the other (Q1 and 2023),
// Unknown when it cannot be told.
func Scope(a, b []Expr) relation.Relation { return relation.Unknown }
