package fact

import (
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"suffice.dev/suffice/text"
)

// How often something is done is said in many forms (every two years, twice a month,
// 每季度一次, annually). They are compared as a rate, and none of them is a quantity by
// itself: "every day" beside an opening time counts nothing.

var (
	oftenHan = regexp.MustCompile(`每隔?([一二两三四五六七八九十半\d]{0,3})个?(小时|天|日|周|星期|月|季度|季|年|学期)[^，。；、,;]{0,10}?([一二两三四五六七八九十\d]{1,3})次`)
	oftenOf  = regexp.MustCompile(`([一二两三四五六七八九十半\d]{1,3})个?(小时|天|日|周|星期|月|季度|年|学期)([一二两三四五六七八九十\d]{1,3})次`)
	every    = regexp.MustCompile(`\bevery (?:(other|second|third|fourth|[a-z]+|\d+) )?(hour|day|week|month|quarter|year)s?\b`)
	timesPer = regexp.MustCompile(`\b(once|twice|thrice|[a-z]+ times|\d+ times) (?:a|an|per|each|every|in every|in a) (?:(\d+|two|three|four|five|six|ten) )?(hour|day|week|month|quarter|year)s?\b`)
	byPeriod = regexp.MustCompile(`\b(hourly|daily|weekly|monthly|quarterly|yearly|annually)\b`)
)

// Words of which a text must have one for each of the English forms.
var (
	everyWords    = []string{"every "}
	timesWords    = []string{"once", "twice", "thrice", "times "}
	byPeriodWords = []string{"hourly", "daily", "weekly", "monthly", "quarterly", "yearly", "annually"}
)

// findWith is where a pattern matches a text that has one of the words it needs; nil
// where it does not.
func findWith(re *regexp.Regexp, s string, words []string) []int {
	if !hasAny(s, words) {
		return nil
	}
	return re.FindStringSubmatchIndex(s)
}

// periodsPerYear says how often a period comes in a year.
var periodsPerYear = map[string]*big.Rat{
	"小时": big.NewRat(8760, 1), "天": big.NewRat(365, 1), "日": big.NewRat(365, 1), "周": big.NewRat(52, 1), "星期": big.NewRat(52, 1), "月": big.NewRat(12, 1), "季度": big.NewRat(4, 1), "季": big.NewRat(4, 1), "学期": big.NewRat(2, 1), "年": big.NewRat(1, 1),
	"hour": big.NewRat(8760, 1), "day": big.NewRat(365, 1), "week": big.NewRat(52, 1), "month": big.NewRat(12, 1), "quarter": big.NewRat(4, 1), "year": big.NewRat(1, 1),
	"hourly": big.NewRat(8760, 1), "daily": big.NewRat(365, 1), "weekly": big.NewRat(52, 1), "monthly": big.NewRat(12, 1), "quarterly": big.NewRat(4, 1), "yearly": big.NewRat(1, 1), "annually": big.NewRat(1, 1),
}

// often is how often a year a folded clause says that something is done, and where it
// says so, in code points; nil when it does not, or names two rates.
func often(folded []rune) (rate *big.Rat, at text.Span) {
	s := string(folded)
	if !strings.Contains(s, "次") && !hasAny(s, everyWords) && !hasAny(s, timesWords) && !hasAny(s, byPeriodWords) {
		return nil, text.Span{}
	}
	take := func(m []int, number, period, count string) {
		unit := periodsPerYear[period]
		n, c := countOf(number), countOf(count)
		if unit == nil || n == nil || c == nil || n.Sign() == 0 {
			return
		}
		r := new(big.Rat).Quo(new(big.Rat).Mul(unit, c), n)
		if rate != nil && rate.Cmp(r) != 0 {
			rate, at = big.NewRat(-1, 1), text.Span{}
			return
		}
		start := len([]rune(s[:m[0]]))
		rate, at = r, text.Span{Start: start, End: start + len([]rune(s[m[0]:m[1]]))}
	}
	group := func(m []int, k int) string {
		if m[2*k] < 0 {
			return ""
		}
		return s[m[2*k]:m[2*k+1]]
	}
	if !strings.Contains(s, "次") {
		// neither form is possible
	} else if m := oftenHan.FindStringSubmatchIndex(s); m != nil {
		take(m, group(m, 1), group(m, 2), group(m, 3))
	} else if m := oftenOf.FindStringSubmatchIndex(s); m != nil {
		take(m, group(m, 1), group(m, 2), group(m, 3))
	}
	if m := findWith(timesPer, s, timesWords); m != nil {
		take(m, group(m, 2), group(m, 3), group(m, 1))
	} else if m := findWith(every, s, everyWords); m != nil {
		take(m, group(m, 1), group(m, 2), "")
	} else if m := findWith(byPeriod, s, byPeriodWords); m != nil {
		take(m, "", group(m, 1), "")
	}
	if rate != nil && rate.Sign() < 0 {
		return nil, text.Span{}
	}
	return rate, at
}

// countOf is the number that a word names; 1 for none.
func countOf(word string) *big.Rat {
	switch word = strings.TrimSuffix(word, " times"); word {
	case "", "once":
		return big.NewRat(1, 1)
	case "twice", "other", "second", "两":
		return big.NewRat(2, 1)
	case "thrice", "third":
		return big.NewRat(3, 1)
	case "fourth":
		return big.NewRat(4, 1)
	case "半":
		return big.NewRat(1, 2)
	}
	for n, names := range smallNumbers {
		if slices.Contains(names, word) {
			return big.NewRat(int64(n+1), 1)
		}
	}
	if n, err := strconv.Atoi(word); err == nil && n > 0 && n < 1000 {
		return big.NewRat(int64(n), 1)
	}
	return nil
}

// smallNumbers are the numbers from one on in words.
var smallNumbers = [][]string{{"one", "一"}, {"two", "二"}, {"three", "三"}, {"four", "四"}, {"five", "五"}, {"six", "六"}, {"seven", "七"}, {"eight", "八"}, {"nine", "九"}, {"ten", "十"}, {"eleven", "十一"}, {"twelve", "十二"}}

// asksOften reports whether a folded question asks how often something is done.
func asksOften(question string) bool {
	return hasAny(question, []string{"how often", "how frequently", "how many times", "多久一次", "多长时间一次", "几年一次", "几个月一次", "几天一次", "多少次", "几次", "频率", "频次"}) ||
		strings.Contains(question, "多久") && strings.Contains(question, "一次") || strings.Contains(question, "隔多")
}
