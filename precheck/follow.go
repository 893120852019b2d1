package precheck

import (
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// follow-up frames: what stands around the new part.
var (
	followStarts = newPhrases([]string{"那么", "那", "换成", "如果是", "要是", "如果换成", "and what about", "and how about", "what about", "how about", "and for", "and in", "and at", "and with", "and on",
		"and if", "and from", "and to", "and", "but for", "same for", "what if it is", "or", "also for", "then for", "as for"})
	followEnds = newPhrases([]string{"呢", "的呢", "怎么样", "又如何", "也一样吗", "也是吗", "then", "as well", "too", "instead"})
)

// complete fills a follow-up question from the history; the note says how. A
// question that stands by itself comes back as it is.
func (p *Precheck) complete(q kb.Question, asOf time.Time) (question, note string) {
	if len(q.History) == 0 {
		return q.Text, ""
	}
	previous := q.History[0].Question
	for _, t := range q.History[1:] {
		if next, _ := p.join(previous, t.Question, asOf); next != "" {
			previous = next
		}
	}
	if joined, how := p.join(previous, q.Text, asOf); joined != q.Text && joined != "" {
		return joined, how
	}
	return q.Text, ""
}

// join completes a follow-up from the question before it; the follow-up itself
// when it needs nothing.
func (p *Precheck) join(previous, follow string, asOf time.Time) (string, string) {
	if strings.TrimSpace(previous) == "" {
		return follow, ""
	}
	rest, preposition, framed := p.frame(follow)
	if framed {
		if joined, ok := p.replacePart(previous, rest, preposition, asOf); ok {
			return joined, "follow-up: " + rest + " put into the question before"
		}
		return follow, ""
	}
	r := p.read(follow, asOf)
	// A pronoun takes the subject of the question before.
	for i := range r.folded {
		if r.marks[i] == polite || r.marks[i] == steering || r.marks[i] == gap {
			continue
		}
		e, ok := p.rules.pronouns.at(r.folded, i, len(r.folded))
		if !ok || r.dummy(i) || r.determiner(i, e) {
			continue
		}
		a := p.analyze(previous, asOf)
		subject := ""
		for _, s := range a.Slots {
			if s.Role == kb.Given && strings.HasPrefix(s.Name, "subject") {
				subject = s.Value
				break
			}
		}
		if subject == "" {
			return follow, ""
		}
		if !text.IsHan(r.folded[i]) && !strings.HasPrefix(subject, "the ") {
			subject = "the " + subject
		}
		return string(r.runes[:i]) + subject + string(r.runes[e:]), "follow-up: " + r.text(i, e) + " stands for " + subject
	}
	// Nothing named at all: the subject of the question before goes in front.
	a := p.analyze(follow, asOf)
	if a.Clarify == nil || len(a.Slots) == 0 || a.Clarify.Missing[0] == "question" {
		return follow, ""
	}
	b := p.analyze(previous, asOf)
	for _, s := range b.Slots {
		if s.Role == kb.Given && strings.HasPrefix(s.Name, "subject") {
			if text.Language(follow) == "en" {
				return strings.TrimRight(follow, " ?") + " for the " + s.Value + "?", "follow-up: about " + s.Value
			}
			return s.Value + follow, "follow-up: about " + s.Value
		}
	}
	return follow, ""
}

// frame takes the new part out of "那上海呢？", "and for contractors?", with the
// preposition in front of it.
func (p *Precheck) frame(follow string) (part, preposition string, framed bool) {
	runes := []rune(strings.TrimSpace(follow))
	folded := text.Fold(runes)
	end := len(runes)
	for end > 0 && !text.IsHan(folded[end-1]) && !text.IsWord(folded[end-1]) {
		end--
	}
	start := 0
	for start < end && (p.polite(folded, start, end) > start || folded[start] == ' ' || folded[start] == '，' || folded[start] == ',') {
		if e := p.polite(folded, start, end); e > start {
			start = e
		} else {
			start++
		}
	}
	zh := end > 0 && text.IsHan(folded[end-1])
	started := false
	if e, ok := followStarts.at(folded, start, end); ok {
		started = true
		if w := lastWord(string(folded[start:e])); slices.Contains(placeWords, w) || w == "for" || w == "with" {
			preposition = w
		}
		start = e
		framed = !text.IsHan(folded[e-1])
	}
	if n := followEnds.suffix(folded, start, end); n > 0 {
		if started || folded[end-1] == '呢' {
			end -= n
			framed = framed || zh
		}
	}
	for start < end && (folded[start] == ' ' || folded[start] == '，') {
		start++
	}
	for end > start && (folded[end-1] == ' ' || folded[end-1] == '，' || folded[end-1] == ',') {
		end--
	}
	if !framed || end <= start || end-start > 60 {
		return "", "", false
	}
	rest := string(runes[start:end])
	// A part with a question form of its own is a question, no part.
	r := p.read(rest, time.Time{})
	for _, c := range r.clauses {
		if c.rule >= 0 {
			return "", "", false
		}
	}
	return rest, preposition, true
}

func (p *Precheck) polite(folded []rune, start, end int) int {
	if e, ok := p.rules.polite.at(folded, start, end); ok && e-start > 1 {
		return e
	}
	return start
}

// replacePart puts the new part in the place of its like in the question before.
func (p *Precheck) replacePart(previous, part, preposition string, asOf time.Time) (string, bool) {
	a := p.analyze(previous, asOf)
	runes := []rune(previous)
	// "and for contractors": in the place of what stood behind "for".
	if preposition != "" {
		for _, s := range a.Slots {
			if s.Role == kb.Given && s.End > 0 && behind(string(runes[:s.Start]), preposition) {
				return string(runes[:s.Start]) + part + string(runes[s.End:]), true
			}
		}
	}
	put := func(s kb.Slot) (string, bool) {
		before := string(runes[:s.Start])
		for _, article := range []string{"the ", "a ", "an "} {
			if strings.HasSuffix(strings.ToLower(before), article) {
				part = strings.TrimPrefix(part, "the ")
			}
		}
		return before + part + string(runes[s.End:]), true
	}
	find := func(names ...string) (kb.Slot, bool) {
		for _, n := range names {
			for _, s := range a.Slots {
				if s.Role == kb.Given && s.End > 0 && (s.Name == n || strings.HasPrefix(s.Name, n+"_")) {
					return s, true
				}
			}
		}
		return kb.Slot{}, false
	}
	folded := text.Fold([]rune(part))
	times := when.Find(folded, when.Options{Anchor: asOf, FiscalStart: p.fiscal})
	if len(times) == 1 && times[0].Len() >= len(folded)-3 {
		if s, ok := find("time"); ok {
			return put(s)
		}
		return p.append(previous, part), true
	}
	if n := placeEnds.suffix(folded, 0, len(folded)); n > 0 || len(part) > 0 && isPlaceLike(a) {
		if s, ok := find("place"); ok {
			return put(s)
		}
	}
	lead := strings.Fields(part)
	if len(lead) > 1 && strings.EqualFold(lead[0], "if") {
		return p.append(previous, part), true
	}
	// Share of characters with a given slot tells what is meant: 书法课 → 围棋课.
	best, score := kb.Slot{}, 0
	for _, s := range a.Slots {
		if s.Role != kb.Given || s.End == 0 || s.Name == "time" {
			continue
		}
		n := commonEnd(text.Fold([]rune(s.Value)), folded)
		if n > score {
			best, score = s, n
		}
	}
	if score > 0 {
		return put(best)
	}
	// A question that names one thing only would lose it: 年假有几天 — 那深圳呢.
	named := 0
	for _, s := range a.Slots {
		if s.Role == kb.Given && s.End > 0 && s.Name != "time" && !p.verb(s.Value) {
			named++
		}
	}
	if named == 1 && !isPlaceLike(a) {
		only, ok := find("subject", "attribute", "premise", "condition")
		if ok && p.embed != nil && p.embed.Similarity(only.Value, part) < alikeFrom {
			if text.Language(previous) == "en" && preposition == "" {
				preposition = "for"
			}
			return p.append(previous, strings.TrimSpace(preposition+" "+part)), true
		}
	}
	if s, ok := find("subject", "place", "premise", "condition"); ok {
		return put(s)
	}
	return p.append(previous, part), true
}

// alikeFrom is the similarity of two names from which on one takes the place of the
// other; set on testdata/followups.yaml.
const alikeFrom = 0.45

// verb reports whether a Chinese word only says what is done.
func (p *Precheck) verb(word string) bool {
	folded := text.Fold([]rune(word))
	return text.IsHan(folded[0]) && (len(folded) == 1 || p.rules.verbsZH.whole(folded))
}

// behind reports whether a text ends with a preposition, articles aside.
func behind(before, preposition string) bool {
	words := strings.Fields(strings.ToLower(before))
	for len(words) > 0 && slices.Contains(determiners, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	return len(words) > 0 && words[len(words)-1] == preposition
}

// append adds a part to a question: in front in Chinese, before the mark in English.
func (p *Precheck) append(previous, part string) string {
	if text.Language(previous) == "en" {
		return strings.TrimRight(previous, " ?") + " " + part + "?"
	}
	return part + "，" + strings.TrimSpace(previous)
}

// isPlaceLike reports whether the question before names a place.
func isPlaceLike(a kb.Analysis) bool {
	for _, s := range a.Slots {
		if s.Role == kb.Given && s.Name == "place" {
			return true
		}
	}
	return false
}

// commonEnd counts the code points two names share at their ends.
func commonEnd(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	if n > 0 && !text.IsHan(a[len(a)-1]) && n < 4 {
		return 0
	}
	return n
}
