package when

import "time"

// around reads the words before and behind an expression that make it a beginning
// or an end: 自…起, since, effective from; 至…止, until, by.
func (s *scanner) around(e *Expr, p point, joined bool) {
	i := e.Start
	k := i
	for k > s.floor && i-k < 3 && (s.f[k-1] == ' ' || s.f[k-1] == '\n') {
		k--
	}
	kind := Kind("")
	exclusive := false
	start := e.Start
	r := rune(0)
	if k > s.floor {
		r = s.f[k-1]
	}
	switch {
	case isHan(r):
		for _, w := range hanBefore[r] {
			n := len(w.text)
			if k-n >= s.floor && string(s.f[k-n:k]) == string(w.text) {
				kind, start = w.kind, k-n
				break
			}
		}
	case 'a' <= r && r <= 'z':
		kind, exclusive, start = s.wordsPrefix(k, e.Start)
	}
	if kind == fromWord && datesBack[s.wordsBack(e.Start, 2)] {
		kind, start = "", e.Start
	}
	asOf := kind == asOf
	if asOf {
		kind = ""
		e.Start = start
		if e.From != e.To && !joined && !e.To.IsZero() {
			// 截至2024年: the state at its end.
			e.From = e.To
			e.Grain = "day"
		}
	}
	end := e.End
	j := end
	for n := 0; n < 2 && s.at(j) == ' '; n++ {
		j++
	}
	suffix := Kind("")
	suffixEx := false
	if isHan(s.at(j)) && j == end {
		for _, w := range hanBehind[s.at(j)] {
			n := len(w.text)
			if j+n <= len(s.f) && string(s.f[j:j+n]) == string(w.text) {
				suffix, suffixEx = w.kind, w.exclusive
				end = j + n
				break
			}
		}
	} else if j > end {
		w, we := s.word(j)
		switch w {
		case "onwards", "onward":
			suffix, end = Since, we
		case "and":
			if w2, e2 := s.next(we); w2 == "after" || w2 == "onwards" || w2 == "later" {
				suffix, end = Since, e2
			}
		}
	}
	if joined {
		// 自3月1日起至5月31日止: a range already.
		if kind != "" || start < e.Start && kind == "" {
			if kind == Since || kind == fromWord || kind == inWord {
				e.Start = start
			}
		}
		if suffix == Until {
			e.End = end
		}
		if suffix == afterStop {
			e.End = end
		}
		return
	}
	switch {
	case suffix == Since || kind == Since:
		e.Kind, e.To = Since, time.Time{}
		if kind != "" {
			e.Start = start
		}
		if suffix == Since || suffix == afterStop {
			e.End = end
		}
		if exclusive || suffixEx && suffix == Since {
			if !p.to.IsZero() {
				e.From = p.to.AddDate(0, 0, 1)
			}
		}
	case kind == fromWord:
		if suffix == "" {
			e.Kind, e.To, e.Start = Since, time.Time{}, start
		}
	case suffix == Until || kind == Until:
		if kind == Until && suffix == "" && r == '至' && s.floor == k-1 {
			return
		}
		e.Kind = Until
		if kind == Until {
			e.Start = start
		}
		if suffix == Until {
			e.End = end
			exclusive = exclusive || suffixEx
		}
		if exclusive && !p.from.IsZero() && (p.grain != "day" || kind == Until && !isHan(r)) {
			e.To = p.from.AddDate(0, 0, -1)
		}
		e.From = time.Time{}
	}
}

const (
	fromWord  Kind = "from"
	asOf      Kind = "as of"
	inWord    Kind = "in"
	afterStop Kind = "stop"
)

type hanMark struct {
	text      []rune
	kind      Kind
	exclusive bool
}

var hanBefore, hanBehind = buildMarks()

func buildMarks() (before, behind map[rune][]hanMark) {
	before, behind = map[rune][]hanMark{}, map[rune][]hanMark{}
	for _, w := range []hanMark{
		{[]rune("有效期自"), Since, false}, {[]rune("自从"), Since, false}, {[]rune("自"), Since, false}, {[]rune("始于"), Since, false}, {[]rune("从"), fromWord, false}, {[]rune("生效日期为"), Since, false},
		{[]rune("截止到"), Until, false}, {[]rune("截止至"), Until, false}, {[]rune("截止"), Until, false}, {[]rune("有效期至"), Until, false}, {[]rune("有效期到"), Until, false},
		{[]rune("直至"), Until, false}, {[]rune("直到"), Until, false}, {[]rune("截至"), asOf, false}, {[]rune("截止日期为"), Until, false}, {[]rune("延长至"), Until, false}, {[]rune("延期至"), Until, false}, {[]rune("不晚于"), Until, false}, {[]rune("不迟于"), Until, false}, {[]rune("最迟"), Until, false}, {[]rune("至"), Until, false}, {[]rune("到"), Until, false},
	} {
		r := w.text[len(w.text)-1]
		before[r] = append(before[r], w)
	}
	for _, w := range []hanMark{
		{[]rune("起至今"), Since, false}, {[]rune("起施行"), Since, false}, {[]rune("起执行"), Since, false}, {[]rune("起实施"), Since, false}, {[]rune("起生效"), Since, false}, {[]rune("起"), Since, false},
		{[]rune("开始"), Since, false}, {[]rune("以来"), Since, false}, {[]rune("来"), Since, false}, {[]rune("至今"), Since, false}, {[]rune("以后"), Since, true}, {[]rune("之后"), Since, true}, {[]rune("后"), Since, true},
		{[]rune("为止"), Until, false}, {[]rune("止"), Until, false}, {[]rune("截止"), Until, false}, {[]rune("之前"), Until, true}, {[]rune("以前"), Until, true}, {[]rune("前"), Until, true}, {[]rune("生效"), Since, false}, {[]rune("施行"), Since, false},
	} {
		r := w.text[0]
		behind[r] = append(behind[r], w)
	}
	behind['来'] = nil
	return before, behind
}

// prefixWords are the English phrases before an expression.
var prefixWords = map[string]Kind{
	"since": Since, "from": fromWord, "effective from": Since, "effective": Since, "effective as of": Since, "as from": Since, "with effect from": Since, "starting": Since,
	"starting from": Since, "starting in": Since, "starting on": Since, "beginning": Since, "beginning in": Since, "beginning on": Since, "commencing": Since, "on and after": Since,
	"valid from": Since, "in force since": Since, "in force from": Since, "effective on": Since, "ever since": Since, "on or after": Since, "not before": Since,
	"until": Until, "till": Until, "through": Until, "by": Until, "up to": Until, "no later than": Until, "not later than": Until, "valid until": Until, "valid through": Until,
	"up until": Until, "on or before": Until, "expires on": Until, "expires in": Until, "ending on": Until, "by the end of": Until, "until the end of": Until, "valid till": Until, "up to and including": Until,
	"as of": asOf, "as at": asOf, "at the end of": asOf, "end of": asOf, "the end of": asOf,
}

var exclusiveWords = map[string]Kind{"before": Until, "prior to": Until, "earlier than": Until, "after": Since, "later than": Since, "following": Since}

func (s *scanner) wordsPrefix(k, start int) (Kind, bool, int) {
	if w := s.wordsBack(k, 1); w == "the" || w == "in" || w == "on" {
		// by the 2024 season; effective in March
		if w == "the" || w == "on" {
			k2 := k - len(w)
			for k2 > s.floor && s.f[k2-1] == ' ' {
				k2--
			}
			if kind, ex, at := s.prefix(k2); kind != "" && w != "on" {
				return kind, ex, at
			}
		}
	}
	kind, ex, at := s.prefix(k)
	if kind == "" {
		return "", false, start
	}
	return kind, ex, at
}

func (s *scanner) prefix(k int) (Kind, bool, int) {
	for n := 4; n >= 1; n-- {
		w := s.wordsBack(k, n)
		if w == "" {
			continue
		}
		kind, ok := prefixWords[w]
		ex := false
		if !ok {
			if kind, ok = exclusiveWords[w]; ok {
				ex = true
			}
		}
		if !ok {
			continue
		}
		at := s.backWords(k, n)
		if at < s.floor {
			continue
		}
		return kind, ex, at
	}
	return "", false, k
}

// backWords is where the n words before k begin.
func (s *scanner) backWords(k, n int) int {
	for ; n > 0; n-- {
		at := k
		for g := 0; at > 0 && g < 3 && (s.f[at-1] == ' ' || s.f[at-1] == '-' || s.f[at-1] == '\n'); g++ {
			at--
		}
		end := at
		for at > 0 && end-at < 14 && 'a' <= s.f[at-1] && s.f[at-1] <= 'z' {
			at--
		}
		if at == end {
			break
		}
		k = at
	}
	return k
}
