package precheck

import (
	"strings"
	"time"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Marks of the code points of a question.
const (
	content uint8 = iota
	gap           // space, punctuation
	polite
	cue
	drop
	timeMark
	steering
	kept // a word of the question form that is content too
)

// maxMatched bounds the clause in which forms are looked for, in code points.
const maxMatched = 400

// clause is a part of the question between punctuation marks.
type clause struct {
	start, end int
	from, to   int   // without politeness, marks and closing particles
	rule       int32 // -1: no form
	pieces     []piece
	steer      bool
	class      kb.Class
	expect     kb.Expect
	confidence float64
	noun       bool // the class came from a noun
	sure       bool // decided by more than the form
	which      bool // an open which: the answer is a name
}

// reading is the work on one question.
type reading struct {
	p       *Precheck
	runes   []rune
	folded  []rune
	marks   []uint8
	inside  []uint8 // 1: a Chinese word that only contains function characters begins here; 2: goes on
	lang    string
	asOf    time.Time
	times   []when.Expr
	now     bool
	clauses []clause
	chunks  []chunk
	aliases []text.Span // other names in brackets
	modal   bool
	decided []string
}

func (p *Precheck) read(question string, asOf time.Time) *reading {
	r := &reading{p: p, runes: []rune(question), asOf: asOf, lang: text.Language(question)}
	r.folded = text.Fold(r.runes)
	r.marks = make([]uint8, len(r.runes))
	for i, c := range r.folded {
		if !text.IsHan(c) && !text.IsWord(c) {
			r.marks[i] = gap
		}
	}
	r.readTimes()
	r.split()
	for i := range r.clauses {
		r.strip(&r.clauses[i])
	}
	r.dropEmptyClauses()
	r.findCompounds()
	for i := range r.clauses {
		r.find(&r.clauses[i])
	}
	r.findSteering()
	r.markWords()
	r.cut()
	for i := range r.clauses {
		if r.clauses[i].rule >= 0 && !r.clauses[i].steer {
			r.decideByNoun(i)
		}
	}
	for i := range r.clauses {
		r.stateAfterSituation(i)
	}
	r.modal = p.rules.modals.anywhere(r.folded, 0, len(r.folded)) && r.isModal()
	return r
}

// stateAfterSituation makes a question whether something still holds one of condition where
// a situation stands before it: 停电了，光伏还能用吗 asks what follows from the outage and not
// for the latest state.
func (r *reading) stateAfterSituation(at int) {
	c := &r.clauses[at]
	if at == 0 || c.rule < 0 || c.steer {
		return
	}
	if ru := &r.p.rules.rules[c.rule]; !ru.Now || ru.Expect != kb.ExpectBoolean {
		return
	}
	for _, ch := range r.chunks {
		if b := &r.clauses[ch.clause]; ch.clause < at && b.rule < 0 && !b.steer {
			c.class = kb.Condition
			return
		}
	}
}

// isModal leaves out "can" and 能 of a polite frame.
func (r *reading) isModal() bool {
	for i := range r.folded {
		if r.marks[i] == polite || r.marks[i] == steering || r.marks[i] == gap {
			continue
		}
		if _, ok := r.p.rules.modals.at(r.folded, i, len(r.folded)); ok && !r.inProtected(i) {
			return true
		}
	}
	return false
}

// inProtected reports whether a word of content that contains a function word covers i.
func (r *reading) inProtected(i int) bool {
	for j := max(0, i-3); j <= i; j++ {
		if e, ok := r.p.rules.protect.at(r.folded, j, len(r.folded)); ok && e > i && e-j > 1 {
			if _, own := r.p.rules.modals.at(r.folded, j, len(r.folded)); !own || j < i {
				return true
			}
		}
	}
	return false
}

func (r *reading) readTimes() {
	r.times = when.Find(r.folded, when.Options{Anchor: r.asOf, FiscalStart: r.p.fiscal})
	kept := r.times[:0]
	for _, t := range r.times {
		if t.Start < 0 || t.End > len(r.marks) || t.Start >= t.End {
			continue
		}
		switch {
		case t.Kind == when.Now:
			r.now = true
		case t.Kind == when.Recurring || t.Kind == when.Vague || t.From.IsZero() && t.To.IsZero():
			continue
		}
		for i := t.Start; i < t.End; i++ {
			r.marks[i] = timeMark
		}
		if t.Kind != when.Now {
			kept = append(kept, t)
		}
	}
	r.times = kept
	for i := range r.folded {
		if _, ok := r.p.rules.now.at(r.folded, i, len(r.folded)); ok {
			r.now = true
		}
	}
}

// splitWords begin a second question after "and".
var splitWords = newPhrases([]string{"how", "when", "where", "who", "what", "which", "why", "can", "do i", "does", "is", "are",
	"must", "should", "will", "tell me", "then", "output", "answer", "respond", "since when", "until when", "by when", "for how", "in which", "at what", "to whom"})

func (r *reading) split() {
	start := 0
	cutAt := func(end int) {
		if end > start {
			r.clauses = append(r.clauses, clause{start: start, end: end, rule: -1})
		}
		start = end
	}
	n := len(r.folded)
	ends := map[int]bool{}
	for _, s := range text.Sentences(r.runes) {
		ends[s.End] = true
	}
	for i := 0; i < n; i++ {
		c := r.folded[i]
		switch c {
		case '，', '。', '；', '？', '！', '?', '!', ';', '\n', '…':
			cutAt(i + 1)
		case '–', '—':
			// A dash with space around it, or the Chinese one, parts clauses; 8–12 stays whole.
			if i > 0 && i+1 < n && (unicode.IsSpace(r.folded[i-1]) && unicode.IsSpace(r.folded[i+1]) || r.folded[i] == r.folded[i+1]) {
				cutAt(i + 1)
			}
		case ',', ':', '：':
			digit := func(j int) bool { return j >= 0 && j < n && unicode.IsDigit(r.folded[j]) }
			if digit(i-1) && digit(i+1) {
				continue
			}
			next := i+1 >= n || unicode.IsSpace(r.folded[i+1]) || text.IsHan(r.folded[i+1])
			if next {
				cutAt(i + 1)
			}
		case '.':
			if ends[i+1] {
				cutAt(i + 1)
			}
		case 'a':
			if i > start && i+4 < n && r.folded[i-1] == ' ' && equal(r.folded[i:i+4], []rune("and ")) {
				if _, ok := splitWords.at(r.folded, i+4, n); ok && i-start > 8 && !r.relativeAhead(start, i) {
					cutAt(i)
				}
			}
		}
	}
	cutAt(n)
}

// relativeAhead keeps "between when and where" and clauses without own verb whole:
// a part before "and" that is one word.
func (r *reading) relativeAhead(start, end int) bool {
	return !strings.Contains(strings.TrimSpace(string(r.folded[start:end])), " ")
}

// strip finds the effective bounds of a clause: without politeness at both ends,
// marks, and closing particles.
func (r *reading) strip(c *clause) {
	c.from, c.to = c.start, c.end
	rules := r.p.rules
	for c.from < c.to {
		if r.marks[c.from] == gap {
			c.from++
			continue
		}
		e, ok := rules.polite.at(r.folded, c.from, c.end)
		if !ok || e-c.from == 1 && text.IsHan(r.folded[c.from]) && e < c.end && r.marks[e] != gap {
			break
		}
		if e-c.from <= 4 && !text.IsHan(r.folded[c.from]) && e < c.end && r.folded[e] == '-' {
			break
		}
		for i := c.from; i < e; i++ {
			r.marks[i] = polite
		}
		c.from = e
	}
	// "and when …", "but how …": the joint is no part of the clause.
	for _, w := range []string{"and ", "but ", "or else ", "then "} {
		if c.to-c.from > len(w) && equal(r.folded[c.from:c.from+len(w)], []rune(w)) {
			for i := range w {
				if r.marks[c.from+i] != gap {
					r.marks[c.from+i] = drop
				}
			}
			c.from += len(w)
		}
	}
	r.trimRight(c)
	// Thanks at the end.
	for again := true; again; {
		again = false
		for i := max(c.from, c.to-24); i < c.to; i++ {
			if e, ok := rules.polite.at(r.folded, i, c.to); ok && e == c.to && i > c.from && e-i > 1 {
				if w := string(r.folded[i:e]); !strings.Contains(w, "谢") && !strings.Contains(w, "thank") && w != "please" && w != "pls" {
					continue
				}
				for j := i; j < e; j++ {
					r.marks[j] = polite
				}
				c.to = i
				r.trimRight(c)
				again = true
				break
			}
		}
	}
}

func (r *reading) trimRight(c *clause) {
	for c.to > c.from {
		ch := r.folded[c.to-1]
		if r.marks[c.to-1] == gap || ch == '呢' || ch == '啊' || ch == '呀' || ch == '哦' || ch == '哈' {
			c.to--
			continue
		}
		break
	}
}

func (r *reading) dropEmptyClauses() {
	out := r.clauses[:0]
	for _, c := range r.clauses {
		if c.to > c.from {
			out = append(out, c)
		}
	}
	r.clauses = out
}

// findCompounds notes where Chinese words stand that contain the characters of function
// words: the 能 of 储能 asks nothing.
func (r *reading) findCompounds() {
	rules := r.p.rules
	r.inside = make([]uint8, len(r.folded))
	for i := 0; i < len(r.folded); {
		e := r.compoundAt(i, len(r.folded))
		if e == i {
			i++
			continue
		}
		if de, ok := rules.drop.at(r.folded, i, len(r.folded)); ok && de >= e && de > i+1 {
			i = de
			continue
		}
		if _, ok := rules.modals.at(r.folded, i, e); ok || strings.ContainsRune("不没只才最更几", r.folded[i]) || r.counted(i) {
			i++
			continue
		}
		r.inside[i] = 1
		for i++; i < e; i++ {
			r.inside[i] = 2
		}
	}
}

// compoundAt returns the end of the longest Chinese word of the lists and the dictionary
// that begins at i and ends by end; i if there is none.
func (r *reading) compoundAt(i, end int) int {
	if !text.IsHan(r.folded[i]) || r.counted(i) {
		return i
	}
	best := i
	if e, ok := r.p.rules.compounds.at(r.folded, i, end); ok {
		best = e
	}
	if e, ok := r.p.rules.protect.at(r.folded, i, end); ok {
		best = max(best, e)
	}
	if e, ok := r.p.rules.verbsZH.at(r.folded, i, end); ok {
		best = max(best, e)
	}
	if e, ok := text.Compound(r.folded, i); ok && e <= end {
		best = max(best, e)
	}
	if e, _, ok := r.p.lex.Match(r.folded, i); ok && e <= end {
		best = max(best, e)
	}
	if e := r.titleEnd(i); e > 0 && e <= end {
		return e
	}
	if best == i+1 || best == i+2 && strings.ContainsRune("不没只才", r.folded[i]) && strings.ContainsRune("能会要得可有让", r.folded[i+1]) {
		return i
	}
	return best
}

// longestTitle bounds a title between 《 and 》, in code points.
const longestTitle = 24

// titleEnd is where the title ends that begins at i, behind 《, and whose words are no words of the
// question; 0 where none does.
func (r *reading) titleEnd(i int) int {
	if i == 0 || r.runes[i-1] != '《' {
		return 0
	}
	for e := i; e < len(r.runes) && e-i <= longestTitle; e++ {
		if r.runes[e] == '》' {
			return e
		}
	}
	return 0
}

// counted reports whether a classifier stands at i behind a numeral: the 个 of 几个人 and
// the 点 of 几点收摊 begin no word.
func (r *reading) counted(i int) bool {
	if i == 0 {
		return false
	}
	return r.folded[i] == '个' && isNumeral(r.folded[i-1]) || r.folded[i-1] == '几' && strings.ContainsRune("点号天年月周时日次", r.folded[i])
}

// find looks for the deciding form of a clause.
func (r *reading) find(c *clause) {
	rules := r.p.rules
	m := matcher{folded: r.folded, inside: r.inside, start: c.from, end: min(c.to, c.from+maxMatched)}
	best := -1
	try := func(id int32, at int) {
		if r.folded[at] == '什' && at > c.from && r.folded[at-1] == '为' {
			return // 为什么 holds no 什么
		}
		f := &rules.index.forms[id]
		ru := &rules.rules[f.rule]
		if c.rule >= 0 && ru.Prio < best {
			return
		}
		m.steps = 0
		if !m.match(f, at) {
			return
		}
		if last := m.pieces[max(0, m.n-1)]; m.n > 0 && last.end-last.start == 1 && r.folded[last.start] == '么' && last.start > 0 &&
			strings.ContainsRune("什怎那这多要", r.folded[last.start-1]) {
			return // 什么 ends no question of yes or no
		}
		if ru.Class == kb.Comparison && r.boundThan(&m) {
			return
		}
		if ru.Expect == kb.ExpectBoolean && m.n > 0 && m.pieces[0].start > c.from && openWords.begins(r.folded, c.from, c.to) {
			return // "what is the longest period allowed" asks for no yes or no
		}
		if m.n > 0 && r.wordAround(m.pieces[0], m.pieces[m.n-1]) {
			return
		}
		score := ru.Prio
		covered := 0
		for _, pc := range m.pieces[:m.n] {
			covered += pc.end - pc.start
		}
		old := 0
		for _, pc := range c.pieces {
			old += pc.end - pc.start
		}
		if score > best || score == best && covered > old {
			best = score
			c.rule = f.rule
			c.pieces = append(c.pieces[:0], m.pieces[:m.n]...)
		}
	}
	for _, id := range rules.index.start {
		try(id, c.from)
	}
	for i := c.from; i < m.end; i++ {
		if r.marks[i] == gap && r.folded[i] != ' ' && r.folded[i] != '%' {
			continue
		}
		for _, id := range rules.index.byRun[r.folded[i]] {
			try(id, i)
		}
	}
	if best < choicePriority {
		if at, ok := r.choice(c); ok && rules.choice >= 0 {
			c.rule, c.pieces = rules.choice, append(c.pieces[:0], at)
		}
	}
	if c.rule < 0 {
		return
	}
	ru := &rules.rules[c.rule]
	c.class, c.expect = ru.Class, ru.Expect
	switch {
	case ru.Prio >= 85:
		c.confidence = 0.96
	case ru.Prio >= 70:
		c.confidence = 0.92
	default:
		c.confidence = 0.62
	}
	if ru.Now {
		r.now = true
	}
}

var numberWords = newPhrases([]string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "hundred", "a hundred", "half", "a year", "a month", "a week", "a day", "once", "twice"})

// openWords begin an English question that no yes or no answers.
var openWords = newPhrases([]string{"what", "which", "how", "when", "where", "who", "whom", "whose", "why"})

// boundThan reports whether the "than" of a form stands before a number: "more
// than ten people" compares nothing.
func (r *reading) boundThan(m *matcher) bool {
	last := m.pieces[max(0, m.n-1)]
	if m.n == 0 {
		return false
	}
	i := last.end
	if last.end-last.start < 4 || string(r.folded[last.end-4:last.end]) != "than" {
		// The form may end with the adjective: "a trip longer|than five days".
		if i+6 > m.end || string(r.folded[i:i+6]) != " than " {
			return false
		}
		i += 6
	}
	for i < m.end && r.folded[i] == ' ' {
		i++
	}
	if i >= m.end || r.marks[i] == timeMark {
		return false // "better than in 2014" compares
	}
	_, number := numberWords.at(r.folded, i, m.end)
	return number || unicode.IsDigit(r.folded[i])
}

// choicePriority is the priority below which a verb said twice decides: 够不够, 让不让.
const choicePriority = 79

// choice finds a verb said twice around 不 or 没 in a Chinese clause: 够不够, 享不享受.
func (r *reading) choice(c *clause) (piece, bool) {
	for i := c.from; i+2 < c.to; i++ {
		if no := r.folded[i+1]; no != '不' && no != '没' || r.folded[i] != r.folded[i+2] || !text.IsHan(r.folded[i]) {
			continue
		}
		end := i + 3
		if e, ok := r.p.rules.verbsZH.at(r.folded, i+2, c.to); ok && e > end {
			end = e
		}
		return piece{start: i, end: end}, true
	}
	return piece{}, false
}

// wordAround reports whether a form begins or ends inside a Chinese word that is no
// question word: 比 of 比例 and 占比, 几号 of 几号楼.
func (r *reading) wordAround(first, last piece) bool {
	next := func(i int) rune {
		if i < len(r.folded) {
			return r.folded[i]
		}
		return 0
	}
	if r.folded[first.start] == '比' {
		if strings.ContainsRune("例率赛如方重较价值", next(first.start+1)) && first.start+1 >= first.end {
			return true
		}
		if first.start > 0 && strings.ContainsRune("占对百配评无相性", r.folded[first.start-1]) {
			return true
		}
	}
	if n := last.end; r.folded[n-1] == '哪' && (n-last.start >= 2 || first.start < last.start) && strings.ContainsRune("个些家种款条位类项本部只台份门间张块天年月日届期次例一几怕", next(n)) {
		return true
	}
	if n := last.end; n-last.start >= 2 && r.folded[n-1] == '号' && r.folded[n-2] == '几' {
		return strings.ContainsRune("楼线门口馆厅窗车泊仓店桌柜机站位", next(n)) || next(n) == '出' && next(n+1) == '口'
	}
	return false
}

// findSteering takes clauses that give orders to the reader out of the question,
// where something else is asked.
func (r *reading) findSteering() {
	rules := r.p.rules
	others := func(i int) bool {
		for j := range r.clauses {
			if j != i && !r.clauses[j].steer && r.clauses[j].rule >= 0 {
				return true
			}
		}
		return false
	}
	for i := range r.clauses {
		c := &r.clauses[i]
		orders := rules.steerVerbs.anywhere(r.folded, c.from, c.to) && rules.steerObjects.anywhere(r.folded, c.from, c.to)
		if !orders {
			_, orders = rules.orders.at(r.folded, c.from, c.to)
		}
		if orders && others(i) {
			c.steer, c.rule = true, -1
			for j := c.start; j < c.end; j++ {
				r.marks[j] = steering
			}
			r.decided = append(r.decided, "instruction in the text left out")
		}
	}
}

// markWords marks question words and function words.
func (r *reading) markWords() {
	rules := r.p.rules
	for i := range r.clauses {
		c := &r.clauses[i]
		if c.steer {
			continue
		}
		for _, pc := range c.pieces {
			for j := pc.start; j < pc.end; j++ {
				switch {
				case pc.keep && r.marks[j] == content:
					r.marks[j] = kept
				case r.marks[j] == content:
					r.marks[j] = cue
				}
			}
		}
	}
	for i := range r.clauses {
		if c := &r.clauses[i]; c.rule >= 0 && !c.steer {
			r.markBehindForm(c)
		}
	}
	for i := 0; i < len(r.folded); {
		if r.marks[i] != content {
			i++
			continue
		}
		end := i
		for end < len(r.folded) && r.marks[end] == content {
			end++
		}
		for j := i; j < end; {
			if text.IsHan(r.folded[j]) {
				next := j + 1
				if e, ok := rules.protect.at(r.folded, j, end); ok {
					next = e
				}
				if e := r.compoundAt(j, end); e > next {
					next = e
				}
				e, ok := rules.drop.at(r.folded, j, end)
				if pe, pronoun := rules.pronouns.at(r.folded, j, end); pronoun && (!ok || pe > e) {
					e, ok = pe, true
				}
				if ok && e == j+1 && r.folded[j] == '个' && j > 0 && j+1 < end && isNumeral(r.folded[j-1]) && strings.ContainsRune("月小工星季学百", r.folded[j+1]) {
					ok = false // 三个月 is one quantity
				}
				if ok && e == j+2 && r.folded[j] == '一' && e < end && strings.ContainsRune("午周月", r.folded[e]) {
					ok = false // 一下午 is no 一下
				}
				if ok && e >= next {
					for k := j; k < e; k++ {
						r.marks[k] = drop
					}
					next = e
				}
				j = next
				continue
			}
			e := j
			for e < end && isLatin(r.folded[e]) {
				e++
			}
			// "don't" is one word, and marked whole.
			if e > j && e+1 < len(r.folded) && (r.folded[e] == '\'' || r.folded[e] == '’') && isLatin(r.folded[e+1]) {
				if we, ok := rules.dropEn.at(r.folded, j, len(r.folded)); ok && we > e {
					for k := j; k < we; k++ {
						if r.marks[k] == content {
							r.marks[k] = drop
						}
					}
				}
			}
			if e == j {
				j++
				continue
			}
			hyphen := j > 0 && r.folded[j-1] == '-' || e < len(r.folded) && r.folded[e] == '-'
			letter := e-j == 1 && r.runes[j] == 'A' && j > 0 && (e == len(r.folded) || r.marks[e] == gap && r.folded[e] != ' ')
			if we, ok := rules.dropEn.at(r.folded, j, end); ok && we == e && !hyphen && !letter && !r.properName(j, e) {
				for k := j; k < e; k++ {
					r.marks[k] = drop
				}
			}
			j = e
		}
		i = end
	}
}

// rankAdjectives stand behind 更, 最 and the like.
var rankAdjectives = newPhrases([]string{"高", "低", "多", "少", "大", "小", "快", "慢", "贵", "便宜", "长", "短", "早", "晚", "好", "差", "远", "近", "重", "轻", "划算", "合适", "宽", "窄", "新", "旧", "强", "弱", "优惠", "省"})

// classifiers count things in Chinese and name none.
const classifiers = "个名位条次张间种类项台辆艘架本份座所支只头件门批笔家户套颗粒节块盏部场幅篇人"

// markBehindForm takes units and classifiers behind a form of quantity, and the
// adjective behind 更, out of the content.
func (r *reading) markBehindForm(c *clause) {
	end := c.from
	for _, pc := range c.pieces {
		if !pc.keep {
			end = max(end, pc.end)
		}
	}
	mark := func(from, to int) {
		for i := from; i < to; i++ {
			if r.marks[i] == content {
				r.marks[i] = cue
			}
		}
	}
	switch c.class {
	case kb.Comparison:
		if end < c.to && strings.ContainsRune("更最较比要还", r.folded[end-1]) {
			if e, ok := rankAdjectives.at(r.folded, end, c.to); ok {
				mark(end, e)
			}
		}
	case kb.Numeric:
		at := end
		for at < c.to && r.folded[at] == ' ' {
			at++
		}
		if at >= c.to {
			return
		}
		if e, ok := r.p.rules.units.at(r.folded, at, c.to); ok {
			mark(at, e)
			return
		}
		if strings.ContainsRune(classifiers, r.folded[at]) && (at+2 < c.to || at+1 == c.to) && end == at {
			if _, _, word := r.p.lex.Match(r.folded, at); !word {
				mark(at, at+1)
			}
		}
	}
}

// properName reports whether a function word is written as a name: IT, US, WHO in
// capitals, beside other letters in small ones.
func (r *reading) properName(start, end int) bool {
	if end-start < 2 {
		return false
	}
	for i := start; i < end; i++ {
		if !unicode.IsUpper(r.runes[i]) {
			return false
		}
	}
	for _, c := range r.runes {
		if unicode.IsLower(c) || text.IsHan(c) {
			return true
		}
	}
	return false
}

// decideByNoun lets the noun of an open question decide its class.
func (r *reading) decideByNoun(at int) {
	c := &r.clauses[at]
	ru := &r.p.rules.rules[c.rule]
	if ru.After == "" && !ru.Noun && ru.ID != "numeric-zh" && ru.ID != "duration-en" && ru.ID != "numeric-en" {
		return
	}
	if ru.Expect == kb.ExpectDuration && !text.IsHan(r.folded[c.from]) {
		r.lengthOrDuration(c)
		return
	}
	if ru.ID == "numeric-zh" && r.lengthOfTerm(c) {
		c.class, c.expect, c.confidence, c.sure = kb.Timeliness, kb.ExpectDuration, 0.9, true
		r.decided = append(r.decided, "length of a term")
		return
	}
	if !ru.Noun {
		return
	}
	before, after, end := r.beside(at)
	candidates := r.headCandidates(at, before, after)
	for _, ch := range candidates {
		if ch == nil {
			continue
		}
		if class, n := r.p.rules.nounClass(r.folded, ch.start, ch.end); n > 0 {
			if r.bareTerm(c, ch, n) {
				return // "what are core hours": a term to define
			}
			c.class, c.noun, c.confidence = class, true, 0.9
			c.expect = expects[class]
			if class == kb.Condition || class == kb.Definition && strings.Contains(string(r.folded[c.pieces[0].start:end]), "哪") {
				c.expect = kb.ExpectList
			}
			r.decided = append(r.decided, "noun "+string(r.runes[ch.end-n:ch.end]))
			return
		}
	}
	// "What is the maximum withdrawal per day": an extreme is a quantity.
	if after != nil && extremes.begins(r.folded, after.start, after.end) {
		c.class, c.noun, c.confidence, c.expect = kb.Numeric, true, 0.9, kb.ExpectQuantity
		r.decided = append(r.decided, "an extreme value")
		return
	}
	// "What were the assets in 2019": of a period, a figure is asked.
	if form := strings.TrimSpace(string(r.folded[c.pieces[0].start:end])); len(r.times) > 0 && (form == "what was" || form == "what were" || form == "what is" || form == "what are") {
		c.class, c.expect, c.confidence, c.which = kb.Numeric, kb.ExpectQuantity, 0.7, true
		return
	}
	if ru.Class == kb.Region {
		c.expect = kb.ExpectPlace
		return // "in which drawer": a place, whatever the noun
	}
	// "Which clerk …": the answer is a name.
	first := string(r.folded[c.pieces[0].start:c.pieces[0].end])
	form := strings.TrimSpace(string(r.folded[c.pieces[0].start:end]))
	if (strings.Contains(form, "which") || form == "what" && after != nil && after.cueBefore && after.before == "") && first != "" && after != nil {
		c.class, c.expect, c.confidence, c.which = kb.Subject, kb.ExpectEntity, 0.7, true
	}
}

// beside returns the phrases before and after the question form of a clause, nil where
// there is none, and the end of the form.
func (r *reading) beside(at int) (before, after *chunk, end int) {
	c := &r.clauses[at]
	for _, pc := range c.pieces {
		end = max(end, pc.end)
	}
	for i := range r.chunks {
		ch := &r.chunks[i]
		if ch.clause != at {
			continue
		}
		if ch.end <= c.pieces[0].start {
			before = ch
		}
		if ch.start >= end && (after == nil || r.possessive(after.end)) {
			after = ch
		}
	}
	return before, after, end
}

// headCandidates orders the phrases beside a form by which the noun stands in that decides.
func (r *reading) headCandidates(at int, before, after *chunk) []*chunk {
	end := 0
	for _, pc := range r.clauses[at].pieces {
		end = max(end, pc.end)
	}
	if before != nil && text.IsHan(r.folded[before.end-1]) && (after == nil || after.start > end) {
		return []*chunk{before, after}
	}
	return []*chunk{after, before}
}

// lengthOrDuration tells "how long is the bridge" from "how long is the course".
func (r *reading) lengthOrDuration(c *clause) {
	var words []*chunk
	for i := range r.chunks {
		if r.chunks[i].start >= c.from && r.chunks[i].end <= c.to {
			words = append(words, &r.chunks[i])
		}
	}
	form := c.pieces[len(c.pieces)-1]
	rest := strings.Fields(string(r.folded[form.end:c.to]))
	if len(rest) == 0 || len(words) == 0 {
		return
	}
	if rest[0] != "is" && rest[0] != "are" && rest[0] != "was" && rest[0] != "were" {
		return
	}
	for _, w := range words {
		if r.p.rules.events.anywhere(r.folded, w.start, w.end) || r.p.rules.verbs.suffix(r.folded, w.start, w.end) > 0 {
			return
		}
		if last := r.wordBefore(w.start, w.end); irregular.suffix(r.folded, w.start, w.end) > 0 || r.folded[w.end-1] == 'd' && w.end-w.start > 2 && r.folded[w.end-2] == 'e' && last.Len() > 2 {
			return // "are records kept", "is it stored": a participle
		}
		if strings.HasSuffix(string(r.folded[w.start:w.end]), "ion") || strings.HasSuffix(string(r.folded[w.start:w.end]), "ment") {
			return
		}
	}
	c.class, c.expect, c.confidence, c.sure = kb.Numeric, kb.ExpectQuantity, 0.8, true
	r.decided = append(r.decided, "length of a thing")
}

func isNumeral(c rune) bool {
	return unicode.IsDigit(c) || strings.ContainsRune("零一二两三四五六七八九十百千半几", c)
}

// extremes begin a phrase that names a quantity.
var extremes = newPhrases([]string{"maximum", "minimum", "highest", "lowest", "average", "total", "mean", "max", "min"})

// bareTerm reports whether an English phrase of several words stands alone behind
// "what is", without article: a term whose meaning is asked.
func (r *reading) bareTerm(c *clause, ch *chunk, noun int) bool {
	if text.IsHan(r.folded[ch.start]) || !ch.cueBefore || ch.before != "" || ch.end < c.to || noun == ch.end-ch.start || len(r.times) > 0 || ch.named ||
		extremes.begins(r.folded, ch.start, ch.end) {
		return false
	}
	first := string(r.folded[c.pieces[0].start:c.pieces[len(c.pieces)-1].end])
	return first == "what is" || first == "what are" || first == "whatis" || first == "whatare" || strings.HasPrefix(first, "what is ") || strings.HasPrefix(first, "what are ")
}

// lengthOfTerm reports whether 多长 follows a word for a stretch of time: 保鲜期有多长.
func (r *reading) lengthOfTerm(c *clause) bool {
	first := c.pieces[0].start
	if form := string(r.folded[first:c.pieces[len(c.pieces)-1].end]); !strings.Contains(form, "多长") && !strings.Contains(form, "多久") {
		return false
	}
	for first > c.from && strings.ContainsRune("有是为", r.folded[first-1]) {
		first--
	}
	return first > c.from && terms.suffix(r.folded, c.from, first) > 0
}

var terms = newPhrases([]string{"期", "时间", "时长", "时限", "期限", "周期", "寿命"})
