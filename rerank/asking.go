package rerank

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"suffice.dev/suffice/text"
)

// asking words a question for a page. The reader sees no metadata and counts no dates: a
// time that the validity of the passage settles, or with which facts that fill the need were
// compared, is left out; a relative one is put as the date that the page has. A time that
// stands on the page as asked is left to the reader.
func (j *judged) asking(question string, need, page int) string {
	t := j.req.Analysis.Time
	if t == nil || t.Text == "" || t.From.IsZero() || t.To.IsZero() || !strings.Contains(question, t.Text) {
		return question
	}
	written := j.metas[page].Title + "\n" + string(j.pages[page].Runes)
	if strings.Contains(strings.ToLower(written), strings.ToLower(t.Text)) {
		return question
	}
	if date := dateOf(t.From, t.To, text.Language(question)); date != "" && strings.Contains(written, date) && !strings.ContainsAny(t.Text, "0123456789") {
		return withTime(question, t.Text, date)
	}
	if j.settles(t.From, t.To, need, page) {
		return withTime(question, t.Text, "")
	}
	if said := j.relative(page, t.From, t.To, text.Language(question) == "zh"); said != "" {
		return asWritten(question, t.Text, said)
	}
	return question
}

// relative is how a page itself names a period by the day it was published on (last month),
// in the language asked for; "" where it does not.
func (j *judged) relative(page int, from, to time.Time, chinese bool) string {
	for i := range j.pages[page].Clauses {
		for _, x := range j.pages[page].Clauses[i].Times {
			if x.From.Equal(from) && x.To.Equal(to) && x.Text != "" && !strings.ContainsAny(x.Text, "0123456789") && text.IsHan([]rune(x.Text)[0]) == chinese {
				return x.Text
			}
		}
	}
	return ""
}

// asWritten puts how a page names a period in place of the time of a question and the words that
// lead to it.
func asWritten(question, old, said string) string {
	at := strings.Index(question, old)
	before, after := strings.TrimRight(leading.ReplaceAllString(question[:at], ""), " "), question[at+len(old):]
	if before != "" && !text.IsHan([]rune(said)[0]) {
		before += " "
	}
	return before + said + after
}

// settles reports whether the time of a question is settled for a page without its words.
func (j *judged) settles(from, to time.Time, need, page int) bool {
	for _, f := range j.cover[need].Fillers {
		if f.Page == page && f.Fact >= 0 && !j.cover[need].General {
			return true
		}
	}
	m := j.metas[page]
	if m.ValidFrom.IsZero() || m.ValidFrom.After(from) || !m.ValidTo.IsZero() && m.ValidTo.Before(to) {
		return false
	}
	for _, y := range years.FindAllString(string(j.pages[page].Runes), -1) { // a value of another year may stand there
		if n, err := strconv.Atoi(y); err != nil || n < from.Year() || n > to.Year() {
			return false
		}
	}
	return true
}

// years matches what is written like a year.
var years = regexp.MustCompile(`(?:19|20)[0-9]{2}`)

// dateOf writes a year, a month or a day as texts of a language do; "" for other periods.
func dateOf(from, to time.Time, language string) string {
	chinese := language == "zh"
	switch {
	case from.Month() == time.January && from.Day() == 1 && to.Equal(from.AddDate(1, 0, -1)):
		if chinese {
			return fmt.Sprintf("%d年", from.Year())
		}
		return strconv.Itoa(from.Year())
	case from.Day() == 1 && to.Equal(from.AddDate(0, 1, -1)):
		if chinese {
			return fmt.Sprintf("%d年%d月", from.Year(), from.Month())
		}
		return from.Format("January 2006")
	case from.Equal(to):
		if chinese {
			return fmt.Sprintf("%d年%d月%d日", from.Year(), from.Month(), from.Day())
		}
		return from.Format("2 January 2006")
	}
	return ""
}

// leading are the words that go with a time in front of it.
var leading = regexp.MustCompile(`(?i)(?:\b(?:in|on|during|for|as of|at|since|by|of|from|until|through|throughout)\s+(?:the\s+)?(?:year\s+|month\s+of\s+)?|[在于自至]|截至|截止)$`)

// withTime puts a date in place of the time of a question; "" takes it out with the words
// that lead to it.
func withTime(question, old, date string) string {
	at := strings.Index(question, old)
	before, after := question[:at], question[at+len(old):]
	if date != "" {
		if !text.IsHan([]rune(date + " ")[len([]rune(date))-1]) && !leading.MatchString(before) && !strings.HasPrefix(after, "'") && !strings.HasPrefix(after, "’") {
			date = "in " + date
		}
		return before + date + after
	}
	before = strings.TrimRight(leading.ReplaceAllString(before, ""), " ,，")
	after = strings.TrimLeft(after, " ,，、的'’")
	if rest, ok := strings.CutPrefix(after, "s "); ok && strings.HasPrefix(question[at+len(old):], "'s") {
		after = rest
	}
	if before != "" && after != "" && !text.IsHan([]rune(after)[0]) && after[0] != '?' {
		before += " "
	}
	return before + after
}
