package text

import "unicode"

// Sentences splits a text into sentences. Spans are in order, do not overlap, and
// hold no surrounding white space. A line break ends a sentence when the next line
// is blank, a list item, a heading or a table row, or when the line itself is one.
// A full stop ends one unless it stands in a number, an abbreviation, an initial
// or a domain name. Runs in linear time.
func Sentences(runes []rune) []Span {
	var out []Span
	start := 0
	emit := func(end int) {
		s, e := start, end
		for s < e && unicode.IsSpace(runes[s]) {
			s++
		}
		for e > s && unicode.IsSpace(runes[e-1]) {
			e--
		}
		if e > s {
			out = append(out, Span{s, e})
		}
		start = end
	}
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '。', '！', '？', '!', '?', '；', ';', '…', '．':
			j := i + 1
			for j < len(runes) && isCloser(runes[j]) {
				j++
			}
			if (r == '!' || r == '?' || r == ';') && j < len(runes) && !unicode.IsSpace(runes[j]) && !IsHan(runes[j]) {
				continue
			}
			emit(j)
			i = j - 1
		case '.':
			j := i + 1
			for j < len(runes) && isCloser(runes[j]) {
				j++
			}
			if j < len(runes) && !unicode.IsSpace(runes[j]) {
				continue
			}
			if abbreviation(runes, i, j) {
				continue
			}
			emit(j)
			i = j - 1
		case '\n':
			if breaksLine(runes, start, i) {
				emit(i + 1)
			}
		}
	}
	emit(len(runes))
	return out
}

func isCloser(r rune) bool {
	switch r {
	case '"', '\'', '”', '’', '」', '』', ')', '）', ']', '】', '》', '〉', '。', '！', '？', '…':
		return true
	}
	return false
}

// breaksLine decides whether the line break at i ends the sentence begun at start.
func breaksLine(runes []rune, start, i int) bool {
	next := i + 1
	for next < len(runes) && (runes[next] == ' ' || runes[next] == '\t' || runes[next] == '\r') {
		next++
	}
	if next >= len(runes) || runes[next] == '\n' || startsBlock(runes, next) {
		return true
	}
	lineStart := i
	for lineStart > start && runes[lineStart-1] != '\n' {
		lineStart--
	}
	for lineStart < i && unicode.IsSpace(runes[lineStart]) {
		lineStart++
	}
	if lineStart == i {
		return true
	}
	first := runes[lineStart]
	if first == '#' || first == '|' {
		return true
	}
	// A soft-wrapped line goes on in lower case or after a comma; Chinese text is
	// not wrapped, so a line that ends in Chinese is whole.
	last := i - 1
	for last > lineStart && unicode.IsSpace(runes[last]) {
		last--
	}
	if IsHan(runes[last]) && !unicode.IsLower(runes[next]) {
		return true
	}
	return runes[last] == ':' || runes[last] == '：'
}

// startsBlock reports whether a list item, heading, quote or table row starts at i.
func startsBlock(runes []rune, i int) bool {
	switch runes[i] {
	case '#', '|', '>', '•', '·', '●', '○', '■', '◆', '－':
		return true
	case '-', '*', '+':
		return i+1 < len(runes) && runes[i+1] == ' '
	case '第':
		for j := i + 1; j < len(runes) && j < i+9; j++ {
			switch runes[j] {
			case '条', '章', '节', '步', '款', '项':
				return true
			}
		}
	case '（', '(':
		for j := i + 1; j < len(runes) && j < i+6; j++ {
			if runes[j] == '）' || runes[j] == ')' {
				return j > i+1
			}
		}
	}
	j := i
	for j < len(runes) && unicode.IsDigit(runes[j]) {
		j++
	}
	return j > i && j < i+4 && j < len(runes) && (runes[j] == '.' || runes[j] == '、' || runes[j] == ')' || runes[j] == '）')
}

var abbreviations = map[string]bool{
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "vs": true, "no": true, "art": true,
	"inc": true, "ltd": true, "co": true, "corp": true, "jr": true, "sr": true, "gen": true, "col": true, "sen": true,
	"rep": true, "gov": true, "fig": true, "eq": true, "approx": true, "dept": true, "est": true, "al": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true, "sep": true,
	"sept": true, "oct": true, "nov": true, "dec": true, "sec": true, "para": true, "cf": true, "e.g": true,
	"i.e": true, "a.m": true, "p.m": true, "u.s": true, "u.k": true, "mt": true, "ft": true, "min": true, "max": true,
}

// abbreviation reports whether the full stop at dot, followed by text from next
// on, belongs to an abbreviation, an initial or a list number.
func abbreviation(runes []rune, dot, next int) bool {
	s := dot
	for s > 0 && (IsWord(runes[s-1]) || runes[s-1] == '.') {
		s--
	}
	if s == dot {
		return false
	}
	word := make([]rune, 0, dot-s)
	for _, r := range runes[s:dot] {
		word = append(word, unicode.ToLower(r))
	}
	after := next
	for after < len(runes) && unicode.IsSpace(runes[after]) && runes[after] != '\n' {
		after++
	}
	if after >= len(runes) || runes[after] == '\n' {
		return false
	}
	lowerNext := unicode.IsLower(runes[after])
	if len(word) == 1 && unicode.IsLetter(word[0]) {
		if lowerNext {
			return true
		}
		return word[0] != 'i' && initial(runes, s)
	}
	w := string(word)
	if !abbreviations[w] {
		// A number that begins a line is a list mark: "1. Open the form."
		if len(word) <= 2 && unicode.IsDigit(word[0]) && (s == 0 || runes[s-1] == '\n') {
			return true
		}
		return false
	}
	switch w {
	case "no", "inc", "ltd", "co", "corp", "min", "max", "est", "sec", "al", "a.m", "p.m", "u.s", "u.k", "ft",
		"mar", "art", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec":
		return lowerNext || unicode.IsDigit(runes[after])
	}
	return true
}

// initial reports whether the single letter at i, followed by a full stop and a word
// that is not in lower case, is the initial of a name and not a unit (2.5 m.) or a
// letter that ends its sentence (energy class A.).
func initial(runes []rune, i int) bool {
	if unicode.IsLower(runes[i]) {
		return false
	}
	e := i
	for e > 0 && runes[e-1] == ' ' {
		e--
	}
	s := e
	for s > 0 && (IsWord(runes[s-1]) || runes[s-1] == '.') {
		s--
	}
	if s == e {
		return true
	}
	if unicode.IsUpper(runes[s]) {
		return true
	}
	switch string(runes[s:e]) {
	case "by", "and", "of", "from", "with", "to", "for", "or", "than", "in", "at", "on", "the", "president", "author", "director":
		return true
	}
	return false
}
