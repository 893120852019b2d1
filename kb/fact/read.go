package fact

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Weights of terms by where they stand and by kind. They order what a fact is
// about; alignment multiplies them with the rarity of the term.
const (
	clausalWeight  = 0.7
	sentenceWeight = 0.45
	siblingWeight  = 0.25 // a term that belongs to another value of the clause
	headWeight     = 0.4  // the words before the first value, for a later value with words of its own
	leadInWeight   = 0.6
	topicWeight    = 0.7  // the clause has no subject of its own
	weakTopic      = 0.4  // the clause has one
	pageWeight     = 0.25 // the first subject of the text
	headingWeight  = 0.5
	titleWeight    = 0.5
	rowWeight      = 1.0
	columnWeight   = 1.0
)

// Limits keep the page linear in the text whatever the text is.
const (
	maxAnchors = 96   // terms of one fact
	maxContext = 64   // inherited terms of one clause
	maxValues  = 64   // values of one clause that become facts
	maxPhrase  = 240  // code points of a phrase value
	maxMembers = 48   // items of one enumeration
	maxClause  = 1500 // code points after which a clause ends whatever follows
)

// Read reads a text. It never fails: where nothing is understood, the page holds
// clauses with their terms. Time and size are linear in the text. The page does not
// change afterwards and may be shared.
func (e *Engine) Read(src Source) *Page {
	kept, _ := e.scratch.Get().(*scratch)
	if kept == nil {
		kept = &scratch{}
	}
	r := &reader{e: e, src: &src, runes: []rune(src.Text), scratch: kept}
	r.page = &Page{Runes: r.runes, Facts: kept.facts[:0], Clauses: kept.clauses[:0], Sentences: kept.sentences[:0]}
	if !utf8.ValidString(src.Text) {
		src.Text = string(r.runes) // what was no UTF-8 reads as U+FFFD
	}
	for i := range src.Text {
		r.offsets = append(r.offsets, int32(i))
	}
	r.offsets = append(r.offsets, int32(len(src.Text)))
	r.folded = text.Fold(r.runes)
	r.findValues()
	r.cues = appendCues(r.cues, r.folded)
	r.findTerms()
	r.setTitle()
	for _, b := range r.blocks() {
		switch b.kind {
		case pipeBlock, tabBlock, htmlBlock:
			r.table(b)
		case codeBlock:
			r.code(b.Span)
		default:
			r.prose(b.Span)
		}
	}
	p := r.page
	kept.facts, kept.clauses, kept.sentences = p.Facts, p.Clauses, p.Sentences
	p.Facts, p.Clauses, p.Sentences = exact(p.Facts), exact(p.Clauses), exact(p.Sentences)
	kept.release()
	e.scratch.Put(kept)
	return p
}

// scratch is the room in which a page is read. It is kept for the next one, so that the
// lists of a page neither grow while it is read nor keep room that it does not need.
type scratch struct {
	facts     []Fact
	clauses   []Clause
	sentences []SentenceInfo
	offsets   []int32 // of each code point in src.Text, in bytes
	cues      []cue
	all       []text.Term // see findTerms
	latin     []latinWord // by code point, see latinAt
	seen      termSet
}

// mostKept is how many facts of one page the room may hold on to.
const mostKept = 1 << 12

// release forgets what was read.
func (s *scratch) release() {
	if cap(s.facts) > mostKept || cap(s.all) > 4*mostKept || cap(s.latin) > 4*mostKept {
		*s = scratch{}
		return
	}
	clear(s.facts)
	clear(s.clauses)
	clear(s.all)
	s.facts, s.clauses, s.sentences = s.facts[:0], s.clauses[:0], s.sentences[:0]
	s.offsets, s.cues, s.all = s.offsets[:0], s.cues[:0], s.all[:0]
	s.latin = s.latin[:0]
}

// exact is a copy of a list without room to grow.
func exact[T any](list []T) []T {
	out := make([]T, len(list))
	copy(out, list)
	return out
}

// reader is the state of one Read.
type reader struct {
	*scratch
	e             *Engine
	src           *Source
	runes, folded []rune
	quants        []quantity.Quantity
	times         []when.Expr
	terms         []Term // outside values, in order
	page          *Page

	options    when.Options
	title      []Term
	titleTimes []when.Expr
	headings   []heading // open headings, outermost first
	base       []Term    // context that all clauses under the present heading share

	topic      subject // last main subject
	local      subject // subject of the clause before
	first      subject // first subject of the text
	lead       subject // lead-in of a list or what stands before a colon
	leadConds  []Condition
	leadTimes  []when.Expr
	inList     bool
	carry      []when.Expr // time before a comma that opened an earlier sentence of the paragraph
	near       []when.Expr // time that opened an earlier clause of the sentence
	told       when.Expr   // last period that a clause of the paragraph told of
	prevConds  []Condition // conditions of the clause before
	prevClause int         // its index; -1 = none in this paragraph
	names      []Part      // names of the last 分别/respectively list
	label      []Term      // 第九条
	arena      []Term
}

type subject struct {
	part  Part
	terms []Term
	unit  string // unit of the values said of it
}

type heading struct {
	level int
	terms []Term
	times []when.Expr
}

// findValues reads quantities and times. Where both claim a stretch, the time
// expression stands unless the quantity is longer.
func (r *reader) findValues() {
	r.options = when.Options{Anchor: r.src.Published, FiscalStart: r.e.config.FiscalStart}
	r.times = when.Find(r.folded, r.options)
	quants := quantity.Find(r.folded)
	n := len(r.folded)
	kept := quants[:0]
	t := 0
	var dropped []text.Span
	for _, q := range quants {
		if q.Start < 0 || q.End > n || q.Empty() {
			continue
		}
		if q.Unit.Dim == quantity.ClockTime && r.folded[q.End-1] == '.' && r.endsSentence(q.End) { // closes at 6 p.m. The dot is the sentence's
			q.End--
			q.Number.End = min(q.Number.End, q.End)
		}
		for t < len(r.times) && r.times[t].End <= q.Start {
			t++
		}
		if t < len(r.times) && r.times[t].Overlaps(q.Span) {
			if r.times[t].Len() >= q.Len() {
				continue
			}
			dropped = append(dropped, r.times[t].Span)
		}
		kept = append(kept, q)
	}
	r.quants = kept
	if len(dropped) > 0 {
		times := r.times[:0]
		d := 0
		for _, x := range r.times {
			for d < len(dropped) && dropped[d].End <= x.Start {
				d++
			}
			if d < len(dropped) && dropped[d] == x.Span {
				continue
			}
			times = append(times, x)
		}
		r.times = times
	}
}

// endsSentence reports whether a full stop before i can be the end of a sentence: nothing
// follows on its line, or a capital does.
func (r *reader) endsSentence(i int) bool {
	for ; i < len(r.runes); i++ {
		if r.runes[i] != ' ' {
			return r.runes[i] == '\n' || unicode.IsUpper(r.runes[i])
		}
	}
	return true
}

func kindWeight(k text.TermKind) float64 {
	switch k {
	case text.Identifier:
		return 1
	case text.Concept:
		return 0.9
	case text.HanRun:
		return 0.7
	case text.HanPair:
		return 0.6
	case text.Number:
		return 0.5
	case text.HanSingle:
		return 0.3
	}
	return 0.8
}

// findTerms reads the content terms outside values; of a value only the counted
// noun is a term.
func (r *reader) findTerms() {
	r.all = text.AppendTerms(r.all, r.runes, r.folded, r.e.match())
	all := r.all
	r.terms = make([]Term, 0, len(all))
	capital := map[string]bool{}
	for _, t := range all {
		if t.Kind == text.Word && unicode.IsUpper(r.runes[t.Span.Start]) && !r.opensSentence(t.Span.Start) {
			capital[t.Text] = true
		}
	}
	q, x := 0, 0
	quoted := r.quotedSpans()
	c := 0
	for _, t := range all {
		for q < len(r.quants) && r.quants[q].End <= t.Span.Start {
			q++
		}
		for x < len(r.times) && r.times[x].End <= t.Span.Start {
			x++
		}
		if x < len(r.times) && r.times[x].Overlaps(t.Span) {
			continue
		}
		if q < len(r.quants) && r.quants[q].Overlaps(t.Span) && !r.quants[q].NounSpan.Overlaps(t.Span) {
			continue
		}
		term := Term{Text: t.Text, Span: t.Span, Weight: kindWeight(t.Kind), Origin: Own, Synset: t.Concept, Name: t.Kind == text.Identifier}
		for c < len(quoted) && quoted[c].End <= t.Span.Start {
			c++
		}
		switch {
		case c < len(quoted) && quoted[c].Contains(t.Span):
			term.Name = true
		case t.Kind == text.Word || t.Kind == text.Concept:
			if u := r.runes[t.Span.Start]; unicode.IsUpper(u) {
				term.Name = capital[t.Text] || !r.opensSentence(t.Span.Start)
			}
		}
		if t.Kind != text.Word && entityEndings[t.Text] {
			for k := len(r.terms) - 1; k >= 0 && r.terms[k].Span.Start >= t.Span.Start-4; k-- {
				if !r.joined(r.terms[k].Span.Start, t.Span.Start) {
					break
				}
				r.terms[k].Name = true
				r.terms[k].Weight = 1
			}
			term.Name = term.Name || t.Kind != text.Concept
		}
		if term.Name {
			term.Weight = 1
		}
		r.terms = append(r.terms, term)
	}
}

// joined reports whether only Han characters stand in [s,e).
func (r *reader) joined(s, e int) bool {
	for i := s; i < e; i++ {
		if !text.IsHan(r.folded[i]) {
			return false
		}
	}
	return true
}

// quotedSpans are the short quoted titles and names: 《…》, “…”, 「…」.
func (r *reader) quotedSpans() []text.Span {
	var out []text.Span
	for i := 0; i < len(r.runes); i++ {
		if closer := closerOf(r.runes[i]); closer != 0 && closer != ')' && closer != '）' && closer != ']' {
			if j := r.closing(i, len(r.runes), 40); j > 0 {
				out = append(out, text.Span{Start: i + 1, End: j})
				i = j
			}
		}
	}
	return out
}

func closerOf(r rune) rune {
	switch r {
	case '（':
		return '）'
	case '(':
		return ')'
	case '【':
		return '】'
	case '[':
		return ']'
	case '《':
		return '》'
	case '“':
		return '”'
	case '「':
		return '」'
	case '『':
		return '』'
	}
	return 0
}

// closing is the position of the bracket that closes the one at i, at most limit
// code points away; -1 if there is none.
func (r *reader) closing(i, end, limit int) int {
	closer := closerOf(r.runes[i])
	depth := 0
	for j := i + 1; j < end && j-i <= limit; j++ {
		switch r.runes[j] {
		case r.runes[i]:
			depth++
		case closer:
			if depth == 0 {
				return j
			}
			depth--
		case '\n':
			if j+1 < end && r.runes[j+1] == '\n' {
				return -1
			}
		}
	}
	return -1
}

// opensSentence reports whether the word at i is the first of its sentence, where a
// capital says nothing.
func (r *reader) opensSentence(i int) bool {
	for k := i - 1; k >= 0 && i-k < 8; k-- {
		switch r.folded[k] {
		case ' ', '"', '“', '(', '\'', '‘':
			continue
		case '.', '!', '?', '\n', ':', ';', '。', '-', '*', '|', '>', '#', '•':
			return true
		}
		return false
	}
	return true
}

// termsIn are the terms that begin in a span.
func (r *reader) termsIn(s text.Span) []Term {
	lo := sort.Search(len(r.terms), func(i int) bool { return r.terms[i].Span.Start >= s.Start })
	hi := lo
	for hi < len(r.terms) && r.terms[hi].Span.Start < s.End {
		hi++
	}
	return r.terms[lo:hi:hi]
}

func (r *reader) cuesIn(s text.Span) []cue {
	lo := sort.Search(len(r.cues), func(i int) bool { return r.cues[i].Start >= s.Start })
	hi := lo
	for hi < len(r.cues) && r.cues[hi].End <= s.End {
		hi++
	}
	return r.cues[lo:hi:hi]
}

func (r *reader) quantsIn(s text.Span) []quantity.Quantity {
	lo := sort.Search(len(r.quants), func(i int) bool { return r.quants[i].Start >= s.Start })
	hi := lo
	for hi < len(r.quants) && r.quants[hi].End <= s.End {
		hi++
	}
	return r.quants[lo:hi:hi]
}

func (r *reader) timesIn(s text.Span) []when.Expr {
	lo := sort.Search(len(r.times), func(i int) bool { return r.times[i].Start >= s.Start })
	hi := lo
	for hi < len(r.times) && r.times[hi].End <= s.End {
		hi++
	}
	return r.times[lo:hi:hi]
}

// inValue reports whether a span lies in a quantity or a time, where a word such as
// 不超过 or "not more than" is part of the bound.
func (r *reader) inValue(s text.Span) bool {
	i := sort.Search(len(r.quants), func(i int) bool { return r.quants[i].End > s.Start })
	if i < len(r.quants) && r.quants[i].Start < s.End {
		return true
	}
	i = sort.Search(len(r.times), func(i int) bool { return r.times[i].End > s.Start })
	return i < len(r.times) && r.times[i].Start < s.End
}

func (r *reader) part(s text.Span) Part {
	s = r.trim(s)
	if s.Empty() {
		return Part{}
	}
	return Part{Text: r.str(s), Span: s}
}

// str is the text of a span, without a copy.
func (r *reader) str(s text.Span) string {
	return r.src.Text[r.offsets[s.Start]:r.offsets[s.End]]
}

// trim takes white space, commas and the like off both ends.
func (r *reader) trim(s text.Span) text.Span {
	for s.Start < s.End && trimmable(r.runes[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && trimmable(r.runes[s.End-1]) {
		s.End--
	}
	return s
}

func trimmable(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\r', '，', ',', '。', '.', '；', ';', '：', ':', '、', '!', '！', '?', '？', '*', '_', '　', '—', '–', '|':
		return true
	}
	return r > 0x7f && unicode.IsSpace(r)
}

// setTitle prepares the context from title and heading path.
func (r *reader) setTitle() {
	r.prevClause = -1
	r.title, r.titleTimes = r.outside(r.src.Title, Title, titleWeight)
	for i, h := range r.src.Headings {
		terms, times := r.outside(h, Heading, headingWeight)
		r.headings = append(r.headings, heading{level: i - len(r.src.Headings), terms: terms, times: times})
	}
	r.rebase()
}

// outside reads the terms and times of a text that is not the source text. Spans of
// its terms are empty.
func (r *reader) outside(s string, origin Origin, weight float64) ([]Term, []when.Expr) {
	if s == "" {
		return nil, nil
	}
	runes := []rune(s)
	folded := text.Fold(runes)
	times := when.Find(folded, r.options)
	var out []Term
	for _, t := range text.TermsWith(runes, folded, r.e.match()) {
		name := t.Kind == text.Identifier || t.Kind == text.Word && unicode.IsUpper(runes[t.Span.Start]) && t.Span.Start > 0
		w := kindWeight(t.Kind)
		if name {
			w = 1
		}
		out = append(out, Term{Text: t.Text, Weight: w * weight, Origin: origin, Synset: t.Concept, Name: name})
	}
	for i := range times {
		times[i].Span = text.Span{}
	}
	return out, times
}

// rebase joins the context that all clauses under the open headings share.
func (r *reader) rebase() {
	var base []Term
	for i := len(r.headings) - 1; i >= 0; i-- {
		base = append(base, r.headings[i].terms...)
	}
	base = append(base, r.title...)
	if len(base) > maxContext {
		base = base[:maxContext]
	}
	r.base = base[:len(base):len(base)]
}

// headingTimes are the times of the nearest heading or of the title.
func (r *reader) headingTimes() []when.Expr {
	for i := len(r.headings) - 1; i >= 0; i-- {
		if len(r.headings[i].times) > 0 {
			return r.headings[i].times
		}
	}
	return r.titleTimes
}

// openHeading makes a heading of the text the subject of what follows.
func (r *reader) openHeading(level int, s text.Span) {
	for len(r.headings) > 0 && r.headings[len(r.headings)-1].level >= level {
		r.headings = r.headings[:len(r.headings)-1]
	}
	terms := weighted(r.termsIn(s), Heading, headingWeight)
	for i := range terms {
		terms[i].Span = text.Span{}
	}
	times := append([]when.Expr(nil), r.timesIn(s)...)
	r.headings = append(r.headings, heading{level: level, terms: terms, times: times})
	r.rebase()
	r.topic, r.local, r.lead = subject{}, subject{}, subject{}
	r.leadConds, r.leadTimes, r.carry, r.near, r.prevConds, r.label, r.told = nil, nil, nil, nil, nil, nil, when.Expr{}
	r.prevClause = -1
}

func weighted(terms []Term, origin Origin, factor float64) []Term {
	out := make([]Term, len(terms))
	for i, t := range terms {
		t.Origin = origin
		t.Weight *= factor
		out[i] = t
	}
	return out
}

// prose reads a stretch of sentences.
func (r *reader) prose(block text.Span) {
	for _, s := range text.Sentences(r.runes[block.Start:block.End]) {
		r.sentence(text.Span{Start: s.Start + block.Start, End: s.End + block.Start})
	}
}

// code reads source code: terms only, no facts.
func (r *reader) code(block text.Span) {
	line := block.Start
	for i := block.Start; i <= block.End; i++ {
		if i < block.End && r.runes[i] != '\n' {
			continue
		}
		s := r.trim(text.Span{Start: line, End: i})
		line = i + 1
		if s.Empty() {
			continue
		}
		n := len(r.page.Clauses)
		f := len(r.page.Facts)
		r.page.Clauses = append(r.page.Clauses, Clause{Span: s, Sentence: len(r.page.Sentences), Terms: r.termsIn(s), Context: r.base, Facts: [2]int{f, f}})
		r.page.Sentences = append(r.page.Sentences, SentenceInfo{Span: s, Kind: Code, Clauses: [2]int{n, n + 1}})
	}
}

// sentence reads one sentence, list item or heading line.
func (r *reader) sentence(s text.Span) {
	kind, item, body := r.mark(s)
	info := SentenceInfo{Span: s, Kind: kind, Item: item}
	index := len(r.page.Sentences)
	lo := len(r.page.Clauses)
	if r.paragraph(s) && kind != Item {
		r.carry, r.near, r.prevConds, r.leadTimes, r.told = nil, nil, nil, nil, when.Expr{}
		r.prevClause = -1
		if !r.inList {
			r.lead, r.leadConds = subject{}, nil
		}
	}
	if kind == HeadingLine {
		level := 0
		for i := s.Start; i < s.End && r.runes[i] == '#'; i++ {
			level++
		}
		if level == 0 {
			level = 7
		}
		r.openHeading(level, body)
		r.page.Sentences = append(r.page.Sentences, withClauses(info, lo, lo))
		return
	}
	if kind == Item {
		r.inList = true
		r.topic.unit, r.local.unit = "", ""
	} else if r.inList {
		r.inList = false
		r.lead, r.leadConds, r.leadTimes = subject{}, nil, nil
	}
	r.page.Sentences = append(r.page.Sentences, info)
	if !body.Empty() {
		r.assemble(index, body, r.split(body))
	}
	r.page.Sentences[index] = withClauses(info, lo, len(r.page.Clauses))
	if kind == Item {
		r.listItem(index, body, item)
	}
	// A full stop ends what a colon opened; a semicolon goes on.
	if last := r.runes[s.End-1]; kind != Item && last != '；' && last != ';' && last != '：' && last != ':' {
		r.near = nil
		if !r.inList {
			r.lead, r.leadConds, r.leadTimes = subject{}, nil, nil
		}
	}
}

func withClauses(i SentenceInfo, lo, hi int) SentenceInfo {
	i.Clauses = [2]int{lo, hi}
	return i
}

// paragraph reports whether a blank line stands before the sentence.
func (r *reader) paragraph(s text.Span) bool {
	breaks := 0
	for i := s.Start - 1; i >= 0; i-- {
		switch r.runes[i] {
		case '\n':
			breaks++
		case ' ', '\t', '\r', '　':
		default:
			return breaks > 1
		}
	}
	return breaks > 1
}

// mark tells what kind of line a sentence is and where its text begins after a list
// mark, a heading mark or an article number.
func (r *reader) mark(s text.Span) (SentenceKind, int, text.Span) {
	i := s.Start
	f := r.folded
	for i < s.End && (f[i] == '>' || f[i] == ' ') {
		i++
	}
	if i >= s.End {
		return Prose, 0, text.Span{Start: s.End, End: s.End}
	}
	rest := func(i int) text.Span {
		for i < s.End && (unicode.IsSpace(r.runes[i]) || r.runes[i] == '、') {
			i++
		}
		return text.Span{Start: i, End: s.End}
	}
	switch f[i] {
	case '#':
		for i < s.End && f[i] == '#' {
			i++
		}
		return HeadingLine, 0, r.trim(text.Span{Start: i, End: s.End})
	case '•', '·', '●', '○', '■', '◆':
		return Item, 0, rest(i + 1)
	case '-', '*', '+':
		if i+1 < s.End && f[i+1] == ' ' {
			j := rest(i + 1)
			if j.Start+2 < s.End && f[j.Start] == '[' && f[j.Start+2] == ']' { // a check box
				j = rest(j.Start + 3)
			}
			return Item, 0, j
		}
	case '(':
		if j := r.closingFolded(i, s.End, 5); j > i+1 {
			if n, ok := small(f[i+1 : j]); ok {
				return Item, n, rest(j + 1)
			}
		}
	case '第':
		n, j := r.numbered(i, s.End)
		if j > 0 {
			switch f[j] {
			case '章', '节', '编', '篇':
				if s.Len() < 50 && !sentenceEnd(r.runes[s.End-1]) {
					return HeadingLine, 0, s
				}
			case '条', '款', '项':
				if j+1 >= s.End || unicode.IsSpace(r.runes[j+1]) || f[j+1] == '、' || f[j+1] == ':' {
					r.label = []Term{{Text: string(f[i : j+1]), Span: text.Span{Start: i, End: j + 1}, Weight: 1, Origin: Heading, Name: true}}
					if r.paragraph(s) || i == 0 || r.runes[i-1] == '\n' {
						r.inList = false
						r.lead, r.leadConds = subject{}, nil
					}
					return Prose, n, rest(j + 1)
				}
			}
		}
	}
	if j := i; f[j] >= '0' && f[j] <= '9' {
		n := 0
		for j < s.End && f[j] >= '0' && f[j] <= '9' && j-i < 3 {
			n = n*10 + int(f[j]-'0')
			j++
		}
		if j < s.End && (f[j] == '、' || f[j] == ')' || f[j] == '.') && (j+1 < s.End && !(f[j+1] >= '0' && f[j+1] <= '9')) {
			return Item, n, rest(j + 1)
		}
	}
	if j := i; isHanDigit(f[j]) {
		for j < s.End && isHanDigit(f[j]) && j-i < 3 {
			j++
		}
		if j < s.End && f[j] == '、' {
			n, _ := small(f[i:j])
			return Item, n, rest(j + 1)
		}
	}
	if r.titleLine(s) {
		return HeadingLine, 0, s
	}
	return Prose, 0, text.Span{Start: i, End: s.End}
}

func (r *reader) closingFolded(i, end, limit int) int {
	for j := i + 1; j < end && j-i <= limit; j++ {
		if r.folded[j] == ')' {
			return j
		}
	}
	return -1
}

// titleLine reports whether a short line of its own without an end mark, a value or
// a cue heads what follows.
func (r *reader) titleLine(s text.Span) bool {
	if s.Len() > 40 || s.End >= len(r.runes) || r.runes[s.End] != '\n' || s.Start > 0 && r.runes[s.Start-1] != '\n' {
		return false
	}
	last := r.runes[s.End-1]
	if sentenceEnd(last) || last == '：' || last == ':' || last == '，' || last == ',' || last == '|' {
		return false
	}
	if len(r.quantsIn(s)) > 0 {
		return false
	}
	for _, c := range r.cuesIn(s) {
		switch c.class {
		case andCue, prep, each, all, some:
		case verb:
			if !text.IsHan(r.folded[c.Start]) {
				return false
			}
		default:
			return false
		}
	}
	for i := s.Start; i < s.End; i++ {
		switch r.runes[i] {
		case '，', ',', '；', ';':
			return false
		}
	}
	_, _, has := r.englishPredicate(s)
	return !has
}

func sentenceEnd(r rune) bool {
	switch r {
	case '。', '.', '！', '!', '？', '?', '；', ';', '…':
		return true
	}
	return false
}

func isHanDigit(r rune) bool {
	switch r {
	case '一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '零', '〇':
		return true
	}
	return false
}

// small reads a small list number: 3, 三, 十二, b.
func small(f []rune) (int, bool) {
	if len(f) == 0 {
		return 0, false
	}
	if len(f) == 1 && f[0] >= 'a' && f[0] <= 'z' {
		return int(f[0]-'a') + 1, true
	}
	n, cur := 0, 0
	for _, r := range f {
		switch {
		case r >= '0' && r <= '9':
			cur = cur*10 + int(r-'0')
		case r == '十':
			n += max(cur, 1) * 10
			cur = 0
		case r == '百':
			n += max(cur, 1) * 100
			cur = 0
		case isHanDigit(r):
			for d, h := range []rune("零一二三四五六七八九") {
				if r == h {
					cur = d
				}
			}
		case r == 'i' || r == 'v' || r == 'x':
			return 1, true
		default:
			return 0, false
		}
	}
	return n + cur, true
}

// numbered reads 第…X at i: the number and the position of X; 0 if it is none.
func (r *reader) numbered(i, end int) (n, at int) {
	j := i + 1
	for j < end && j-i < 8 && (isHanDigit(r.folded[j]) || r.folded[j] >= '0' && r.folded[j] <= '9') {
		j++
	}
	if j == i+1 || j >= end {
		return 0, 0
	}
	n, _ = small(r.folded[i+1 : j])
	return n, j
}

// entityEndings end the names of organisations, places and works in Chinese.
var entityEndings = setOf(`公司 银行 大学 学院 集团 医院 学校 中学 小学 酒店 宾馆 民宿 机场 车站 电站 航空 制药 药业 电力 证券 保险 基金 协会 学会 商会 委员 研究 法院 检察 政府 教育
 图书 博物 水族 餐厅 商场 超市 工厂 水库 大厦 广场 公园 景区 码头 港口 铁路 高速 大桥 隧道 支行 分行 分店 门店 书店 药店 诊所 事务 科技 集市 出版 报社 电视 电台 剧院 体育 俱乐 驿站`)

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	start := -1
	for i, r := range words + " " {
		if r == ' ' || r == '\n' {
			if start >= 0 {
				m[words[start:i]] = true
			}
			start = -1
		} else if start < 0 {
			start = i
		}
	}
	return m
}
