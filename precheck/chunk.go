package precheck

import (
	"strings"
	"unicode"

	"suffice.dev/suffice/text"
)

// chunk is a run of content words.
type chunk struct {
	start, end int
	clause     int
	before     string // the function words right before, folded, joined by a space
	cueBefore  bool   // a question form stands right before
	named      bool   // holds a capitalised word that does not begin the question
	kept       bool   // a content word of the question form
	role       string
	side       int // 1, 2: one of two coordinated things
}

// cut makes the chunks of all clauses.
func (r *reading) cut() {
	r.chunks = r.chunks[:0]
	for ci := range r.clauses {
		c := &r.clauses[ci]
		if c.steer {
			continue
		}
		for i := c.from; i < c.to; {
			if r.marks[i] != content && r.marks[i] != kept {
				i++
				continue
			}
			mark := r.marks[i]
			end := i
			last := i
			for end < c.to {
				if r.marks[end] == mark {
					end++
					last = end
					continue
				}
				// One space, a hyphen, a dot in a number or a mark of a name does not part a phrase.
				if r.marks[end] == gap && end+1 < c.to && r.marks[end+1] == mark && joins(r.folded, end) {
					end++
					continue
				}
				break
			}
			r.addChunk(ci, i, last, mark == kept)
			i = last
		}
	}
}

// joins reports whether the gap character at i stands inside a phrase.
func joins(folded []rune, i int) bool {
	switch folded[i] {
	case ' ':
		// A space between Chinese words parts keywords.
		return !(i > 0 && i+1 < len(folded) && text.IsHan(folded[i-1]) && text.IsHan(folded[i+1]))
	case '-', '\'', '’', '&', '/', '_', '.', '%', '·', '#', '+', '@', '€', '$', '£', '¥', '°':
		return true
	case ',':
		return i > 0 && i+1 < len(folded) && unicode.IsDigit(folded[i-1]) && unicode.IsDigit(folded[i+1])
	}
	return false
}

func (r *reading) addChunk(ci, start, end int, isKept bool) {
	ch := chunk{start: start, end: end, clause: ci, kept: isKept}
	ch.before, ch.cueBefore = r.before(start, r.clauses[ci].start)
	if text.IsHan(r.folded[start]) || isKept {
		r.chunks = append(r.chunks, ch)
		return
	}
	// A verb ends an English noun phrase in a question with do, can, must.
	words := r.words(start, end)
	cutAt := -1
	if last := len(words) - 1; last >= 1 && r.passive(ci, start) && r.participle(words[last]) {
		cutAt = words[last].Start
	} else if len(words) > 1 && r.helped(ci, start) && (ch.before == "" || ch.cueBefore || auxiliaries.anywhere([]rune(ch.before), 0, len([]rune(ch.before))) ||
		end+2 < r.clauses[ci].to || strings.HasPrefix(ch.before, "and") || strings.HasPrefix(ch.before, "of") || strings.HasPrefix(ch.before, "or")) {
		for k := len(words) - 1; k >= 1; k-- {
			w := words[k]
			if e, ok := r.p.rules.verbs.at(r.folded, w.Start, w.End); ok && e == w.End && !unicode.IsUpper(r.runes[w.Start]) {
				cutAt = w.Start
				break
			}
		}
	}
	if cutAt > 0 {
		left := ch
		left.end = cutAt
		for left.end > left.start && r.marks[left.end-1] == gap {
			left.end--
		}
		right := ch
		right.start, right.before, right.cueBefore = cutAt, "", false
		r.name(&left)
		r.name(&right)
		r.chunks = append(r.chunks, left, right)
		return
	}
	r.name(&ch)
	r.chunks = append(r.chunks, ch)
}

// words returns the Latin words of a range.
func (r *reading) words(start, end int) []text.Span {
	var out []text.Span
	for i := start; i < end; {
		if !isLatin(r.folded[i]) && r.folded[i] != '-' {
			i++
			continue
		}
		e := i
		for e < end && (isLatin(r.folded[e]) || r.folded[e] == '-') {
			e++
		}
		out = append(out, text.Span{Start: i, End: e})
		i = e
	}
	return out
}

var helpers = newPhrases([]string{"do", "does", "did", "can", "could", "may", "might", "must", "should", "shall", "will", "would", "to"})

// helped reports whether a verb of a question (do, can, …) stands before start.
func (r *reading) helped(ci, start int) bool {
	return helpers.anywhere(r.folded, r.clauses[ci].start, start)
}

var passives = newPhrases([]string{"is", "are", "was", "were", "be", "been", "has", "have", "had", "get", "gets"})

// passive reports whether a form of be or have stands before start.
func (r *reading) passive(ci, start int) bool {
	return passives.anywhere(r.folded, r.clauses[ci].start, start)
}

// calendar are capitalised words that name no place or thing.
var calendar = newPhrases([]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays",
	"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december", "christmas", "easter"})

func (r *reading) name(ch *chunk) {
	first := -1
	for i := range r.runes {
		if r.marks[i] != gap && r.marks[i] != polite {
			first = i
			break
		}
	}
	for _, w := range r.words(ch.start, ch.end) {
		if _, day := calendar.at(r.folded, w.Start, w.End); day {
			continue
		}
		if w.Start != first && w.Len() > 1 && unicode.IsUpper(r.runes[w.Start]) {
			ch.named = true
		}
	}
}

// before returns the function words between the chunk and what stands before it.
func (r *reading) before(start, from int) (string, bool) {
	i := start
	for i > from && (r.marks[i-1] == drop || r.marks[i-1] == gap && (r.folded[i-1] == ' ' || r.folded[i-1] == '"' || r.folded[i-1] == '“')) {
		i--
	}
	return strings.TrimSpace(string(r.folded[i:start])), i > from && r.marks[i-1] == cue
}

func (r *reading) text(start, end int) string { return string(r.runes[start:end]) }
