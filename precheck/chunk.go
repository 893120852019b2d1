package precheck

import (
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
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
	verb       bool   // an English verb, or what begins with one
	measured   bool   // what is measured of it stands right behind
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
				if end+1 < c.to && r.marks[end] == gap && r.marks[end+1] == mark && r.quotes(i, end) {
					end++
					continue
				}
				// One space, a hyphen, a dot in a number or a mark of a name does not part a phrase.
				if r.marks[end] == gap && end+1 < c.to && r.marks[end+1] == mark && joins(r.folded, end) {
					end++
					continue
				}
				break
			}
			if r.alias(i, last) {
				r.aliases = append(r.aliases, text.Span{Start: i, End: last})
				i = last
				continue
			}
			// 渔船“远航6号”|所属公司: a quoted name ends the name of the thing.
			if e := r.quoteEnd(i, last); e > i && e < last {
				r.addChunk(ci, i, e, mark == kept)
				i = e
			}
			r.addChunk(ci, i, last, mark == kept)
			i = last
		}
	}
}

// quotes reports whether the mark at i opens a quoted name right behind a Chinese
// noun, or closes one that opened inside the phrase that begins at start.
func (r *reading) quotes(start, i int) bool {
	switch r.folded[i] {
	case '“', '「', '『':
		return i > start && text.IsHan(r.folded[i-1])
	case '”', '」', '』':
		return r.quoteEnd(start, i+1) == i+1
	case '"':
		open := slices.Index(r.folded[start:i], '"')
		return open > 0 || i > start && text.IsHan(r.folded[i-1])
	}
	return false
}

// quoteEnd returns the place behind the first quoted name inside a phrase; start if
// there is none.
func (r *reading) quoteEnd(start, end int) int {
	open := false
	for i := start; i < end; i++ {
		switch r.folded[i] {
		case '“', '「', '『':
			open = true
		case '”', '」', '』':
			if open {
				return i + 1
			}
		case '"':
			if open {
				return i + 1
			}
			open = i > start
		}
	}
	return start
}

// alias reports whether a phrase stands alone in brackets behind a name and is
// another name of it: in the other script, or an abbreviation in capitals.
func (r *reading) alias(start, end int) bool {
	if start < 2 || !strings.ContainsRune("(（", r.folded[start-1]) || end >= len(r.folded) || !strings.ContainsRune(")）", r.folded[end]) {
		return false
	}
	i := start - 2
	for i > 0 && r.folded[i] == ' ' {
		i--
	}
	if r.marks[i] != content {
		return false
	}
	if text.IsHan(r.folded[i]) != text.IsHan(r.folded[start]) {
		return true
	}
	for k := start; k < end; k++ {
		if !unicode.IsUpper(r.runes[k]) && !unicode.IsDigit(r.runes[k]) {
			return false
		}
	}
	return true
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
	if !isKept {
		end = r.withoutVerb(ci, start, end)
	}
	ch := chunk{start: start, end: end, clause: ci, kept: isKept}
	ch.before, ch.cueBefore = r.before(start, r.clauses[ci].start)
	if text.IsHan(r.folded[start]) || isKept {
		r.chunks = append(r.chunks, ch)
		return
	}
	words := r.words(start, end)
	cutAt, verbFirst := r.verbStart(ci, &ch, words)
	if cutAt > start {
		left := ch
		left.end = cutAt
		for left.end > left.start && r.marks[left.end-1] == gap {
			left.end--
		}
		right := ch
		right.start, right.before, right.cueBefore = cutAt, "", false
		left.verb, right.verb = verbFirst, !verbFirst
		r.name(&left)
		r.name(&right)
		r.chunks = append(r.chunks, left, right)
		return
	}
	ch.verb = verbFirst
	r.name(&ch)
	// children's ward: one name, where no measure of the owner follows.
	if n := len(r.chunks); n > 0 && !ch.verb {
		if last := &r.chunks[n-1]; last.clause == ci && !last.named && !ch.named && r.possessive(last.end) && last.end+3 >= ch.start && !unicode.IsUpper(r.runes[last.start]) {
			if _, m := r.p.rules.nounClass(r.folded, ch.start, ch.end); m == 0 {
				last.end = ch.end
				return
			}
		}
	}
	r.chunks = append(r.chunks, ch)
}

// withoutVerb is the end of a phrase without the verb of one character behind a Chinese name
// that leads to a place or a count: 船|停在, 救援|分哪五步.
func (r *reading) withoutVerb(ci, start, end int) int {
	if end-start < 2 || end >= r.clauses[ci].to || !text.IsHan(r.folded[start]) || r.endsWord(start, end) {
		return end
	}
	verb, next := r.folded[end-1], r.folded[end]
	switch {
	case r.marks[end] == drop && strings.ContainsRune("在到", next) && strings.ContainsRune("停住放存摆挂坐站装设建留泊寄送搬养种", verb),
		r.marks[end] == cue && strings.ContainsRune("哪几", next) && verb == '分' && end-start > 2:
		return end - 1
	}
	return end
}

var (
	pronounSubjects = newPhrases([]string{"i", "we", "you", "one", "they", "he", "she", "someone", "somebody", "anyone", "anybody", "people"})
	adverbs         = newPhrases([]string{"still", "also", "only", "just", "ever", "really", "already", "actually", "then", "now", "currently", "normally", "usually", "else"})
	// verbParticles end a verb of two words.
	verbParticles = newPhrases([]string{"off", "out", "up", "down", "away", "back", "over"})
	gerundHeads   = newPhrases([]string{"for", "of", "by", "in", "when", "while", "after", "before", "without", "on", "about", "from", "against", "with"})
	// ingNouns end in -ing and are things.
	ingNouns = newPhrases([]string{"parking", "building", "buildings", "housing", "training", "catering", "heating", "dining", "cleaning", "swimming", "clothing", "meeting", "meetings", "wedding", "lighting",
		"fishing", "boarding", "evening", "morning", "spring", "string", "ceiling", "banking", "beijing", "shipping", "mooring", "living", "waiting", "visiting", "sailing", "writing", "nursing", "engineering", "marketing", "roaming", "hiking", "cycling", "skiing", "diving", "climbing"})
	// nounVerbs are nouns as often as verbs: they begin a predicate only where no surer verb does.
	nounVerbs = newPhrases([]string{"plan", "claim", "book", "rest", "record", "share", "ride", "charge", "walk", "dive", "rent", "park", "check", "set", "run", "work", "wait", "feed", "heat", "count", "start",
		"end", "issue", "need", "visit", "transfer", "request", "return", "order", "offer", "cost", "leave", "change", "store", "ship", "sign", "lead", "land", "stand", "pass", "answer", "reply", "vote", "register", "stay", "cover", "rest", "turn", "move", "drive", "sail", "score", "process", "use", "train", "travel", "water", "place", "force", "mine", "fit", "mean", "will", "like", "show", "name", "date", "house", "host", "design", "own", "head", "chair", "fund", "supply", "bill", "file", "post", "stock", "plant", "control", "view", "fish", "mark", "label", "display", "limit", "load", "study", "research", "review", "warranty", "reset", "look", "tell", "finance", "say", "guarantee", "fine", "exchange", "found", "upgrade", "print", "delay", "test", "contact", "access", "support", "report", "export", "import", "backup"})
)

// verbStart finds where the verb of an English phrase begins, or, with first set,
// where what follows a verb at its head begins. It returns 0 if the phrase has no
// verb; first with 0 says that the phrase is a verb as a whole.
func (r *reading) verbStart(ci int, ch *chunk, words []text.Span) (at int, first bool) {
	if len(words) == 0 {
		return 0, false
	}
	c := &r.clauses[ci]
	rest := func() (int, bool) {
		if len(words) > 1 && words[0].Start == ch.start {
			return words[1].Start, true
		}
		return 0, true
	}
	prev := r.wordBefore(c.start, ch.start)
	for range 2 {
		if e, ok := adverbs.at(r.folded, prev.Start, prev.End); ok && e == prev.End && prev.Len() > 0 {
			prev = r.wordBefore(c.start, prev.Start)
		}
	}
	lower := !unicode.IsUpper(r.runes[words[0].Start])
	is := func(set phrases, w text.Span) bool {
		e, ok := set.at(r.folded, w.Start, w.End)
		return ok && e == w.End && w.Len() > 0
	}
	if lower && is(pronounSubjects, prev) && r.marks[prev.Start] != content {
		return rest() // "how do I|file a claim"
	}
	if lower && prev.Len() == 2 && string(r.folded[prev.Start:prev.End]) == "to" && is(r.p.rules.verbs, words[0]) && !is(nounVerbs, words[0]) {
		return rest() // "steps to|cancel an order"
	}
	if lower && words[0].Len() > 5 && strings.HasSuffix(string(r.folded[words[0].Start:words[0].End]), "ing") && !is(ingNouns, words[0]) && is(gerundHeads, prev) && prev.End+1 == words[0].Start &&
		(len(words) > 1 || ch.end < c.to) {
		return rest() // "for|closing an account"
	}
	if last := len(words) - 1; last >= 1 && r.passive(ci, ch.start) {
		if r.participle(words[last]) {
			return words[last].Start, false
		}
		if last >= 2 && is(verbParticles, words[last]) && r.participle(words[last-1]) {
			return words[last-1].Start, false // "was the spring tour|called off"
		}
	}
	helped := r.helped(ci, ch.start)
	open := !helped && !r.passive(ci, c.to) && !helpers.anywhere(r.folded, c.from, c.to) && ch.cueBefore && c.rule >= 0 && len(c.pieces) > 0 && c.pieces[0].start <= c.from+3 // "which plans include"
	if open && (slices.Contains(determiners, lastWord(ch.before)) || slices.Contains(determiners, lastWord(strings.TrimSpace(string(r.folded[c.start:ch.start]))))) {
		open = false // "how much a monthly pass": a noun
	}
	if open && lower && len(r.chunks) > 0 && r.chunks[len(r.chunks)-1].clause == ci {
		open = false // the first phrase only
	}
	if open && lower && ch.before == "" && (c.class == kb.Subject || c.class == kb.Exception) && r.predicate(words[0]) && (len(words) > 1 || ch.end < c.to) {
		return rest() // "who|built the model", "which company|makes it"
	}
	if len(words) < 2 || !helped && !open {
		return 0, false
	}
	for i := range r.chunks {
		if r.chunks[i].clause == ci && (r.chunks[i].verb || r.chunks[i].kept) && helped {
			return 0, false
		}
	}
	// A verb or "be" right behind: the phrase is its subject.
	next := ch.end
	for next < c.to && r.folded[next] == ' ' {
		next++
	}
	if next < c.to {
		e := next
		for e < c.to && isLatin(r.folded[e]) {
			e++
		}
		if r.marks[next] == kept {
			return 0, false
		}
		switch string(r.folded[next:e]) {
		case "be", "have", "is", "are", "was", "were", "been", "and", "or":
			return 0, false
		}
	}
	nounVerb := func(w text.Span) bool {
		return is(nounVerbs, w) || w.Len() > 3 && r.folded[w.End-1] == 's' && nounVerbs.whole(r.folded[w.Start:w.End-1])
	}
	sureVerb := func(w text.Span) bool {
		return !unicode.IsUpper(r.runes[w.Start]) && !nounVerb(w) && (is(r.p.rules.verbs, w) || !helped && r.inflected(w))
	}
	later := slices.ContainsFunc(r.words(ch.end, c.to), sureVerb)
	sure, maybe, weight := 0, 0, -1
	for k := 1; k < len(words); k++ {
		w := words[k]
		if unicode.IsUpper(r.runes[w.Start]) || w.Start > ch.start && r.folded[w.Start-1] == '-' || w.End < ch.end && r.folded[w.End] == '-' {
			continue
		}
		if !is(r.p.rules.verbs, w) && (helped || !r.inflected(w)) {
			continue
		}
		if nounVerb(w) {
			if n := r.verbWeight(c, w); !later && n >= weight && n >= 0 {
				maybe, weight = w.Start, n
			}
			continue
		}
		sure = w.Start
		break
	}
	if w := words[len(words)-1]; sure > 0 && ch.end >= c.to && sureVerb(w) {
		sure = w.Start // "does the travel kettle|weigh"
	}
	switch {
	case sure > 0:
		return sure, false
	case maybe > 0:
		return maybe, false
	}
	// "does the Oakfen app sync?": there must be a verb, and it is the last word.
	if w := words[len(words)-1]; helped && ch.end >= c.to && !unicode.IsUpper(r.runes[w.Start]) && unicode.IsUpper(r.runes[words[0].Start]) &&
		(len(words) > 2 || slices.Contains([]string{"and", "or"}, lastWord(ch.before))) && r.doSupport(ci, ch.start) {
		return w.Start, false
	}
	return 0, false
}

// verbWeight says how likely a word that is a noun as often as a verb is the verb of a
// question: by what follows it. Negative: it is none.
func (r *reading) verbWeight(c *clause, w text.Span) int {
	next := w.End
	for next < c.to && r.folded[next] == ' ' {
		next++
	}
	if next >= c.to || !isLatin(r.folded[next]) {
		return 3 // the last word
	}
	e := next
	for e < c.to && isLatin(r.folded[e]) {
		e++
	}
	word := string(r.folded[next:e])
	switch {
	case word == "of":
		return -1 // the train of the night
	case slices.Contains(determiners, word) || unicode.IsDigit(r.folded[next]):
		return 4
	case unicode.IsUpper(r.runes[next]):
		return 2
	case r.marks[next] == drop:
		return 1
	}
	return 0
}

// predicate reports whether a lower-case word is a verb form that can follow who or
// which directly: makes, built, decides.
func (r *reading) predicate(w text.Span) bool {
	if unicode.IsUpper(r.runes[w.Start]) {
		return false
	}
	e, ok := r.p.rules.verbs.at(r.folded, w.Start, w.End)
	return ok && e == w.End || r.inflected(w) || r.participle(w) && !strings.HasSuffix(string(r.folded[w.Start:w.End]), "ble")
}

// inflected reports whether a word is a verb of the list with -s or -es.
func (r *reading) inflected(w text.Span) bool {
	for n := 1; n <= 2; n++ {
		if w.Len() > n+2 && r.folded[w.End-1] == 's' {
			s := r.folded[w.Start : w.End-n]
			if e, ok := r.p.rules.verbs.at(s, 0, len(s)); ok && e == len(s) {
				return true
			}
		}
	}
	return false
}

// wordBefore returns the Latin word that ends before i, spaces aside; an empty span
// if there is none.
func (r *reading) wordBefore(from, i int) text.Span {
	for i > from && r.folded[i-1] == ' ' {
		i--
	}
	e := i
	for i > from && isLatin(r.folded[i-1]) {
		i--
	}
	return text.Span{Start: i, End: e}
}

var doForms = newPhrases([]string{"do", "does", "did"})

func (r *reading) doSupport(ci, start int) bool {
	return doForms.anywhere(r.folded, r.clauses[ci].start, start)
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
