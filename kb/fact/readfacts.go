package fact

import (
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// statement is a clause while its facts are read.
type statement struct {
	draft
	sentence      int
	index         int // of the clause
	terms         []Term
	cues          []cue // outside values and conditions
	subject       Part
	region        text.Span // of the own subject; empty = none
	pred          int       // where the predicate begins
	predEnd       int
	attr          Part
	owner         Part // subject without the attribute: X in "the Y of X"
	context       []Term
	before        []Term // terms of earlier clauses of the sentence
	times         []when.Expr
	negEnd        int // denial ends here (不是A而是B); 0 = no such end
	relEnd        int // end of a relative part before the real predicate
	place         Part
	firstQuantity int  // where the first quantity begins
	sibling       bool // parallel to the clause before: another subject, the same unit
	elsewhere     bool // only points to another text
}

// read reads one clause and its facts.
func (r *reader) read(sentence int, d draft) {
	st := &statement{draft: d, sentence: sentence, index: len(r.page.Clauses)}
	if !st.chinese {
		st.chinese = r.chinese(st.main)
	}
	if len(r.leadConds) > 0 {
		st.conditions = append(append([]Condition(nil), r.leadConds...), st.conditions...)
	}
	if st.chinese {
		r.hanInner(st)
		st.partOf = st.partOf || st.main.Len() > 2 && string(r.folded[st.main.Start:st.main.Start+2]) == "其中"
	}
	if len(st.conditions) > 16 {
		st.conditions = st.conditions[:16]
	}
	st.terms = r.termsIn(st.Span)
	r.findSubject(st)
	if cues := r.cuesIn(st.main); len(cues) > 0 {
		st.cues = make([]cue, 0, len(cues))
		for _, c := range cues {
			if inValue := r.inValue(c.Span); (!inValue || c.class == noneOf && !r.inValue(text.Span{Start: c.Start, End: c.Start + 1})) && !st.conditional(c.Span) { // 没有一名学员
				st.cues = append(st.cues, c)
			}
		}
	}
	clause := Clause{Span: st.Span, Sentence: sentence, Terms: st.terms, Quantities: r.quantsIn(st.Span), Conditions: st.conditions}
	r.manner(st, &clause)
	r.clauseTimes(st)
	clause.Times = st.times
	r.inherit(st)
	clause.Topic = st.subject
	clause.Context = st.context
	lo := len(r.page.Facts)
	r.page.Clauses = append(r.page.Clauses, clause)
	r.facts(st, &r.page.Clauses[st.index])
	r.page.Clauses[st.index].Facts = [2]int{lo, len(r.page.Facts)}
	r.prevClause = st.index
	r.prevConds = st.conditions
}

// conditional reports whether a span lies in one of the clause's own conditions.
func (st *statement) conditional(s text.Span) bool {
	for _, c := range st.conditions {
		if c.Span.Contains(s) {
			return true
		}
	}
	return false
}

// hanInner takes conditions out of the inside of a Chinese clause: …时, 凭…可以,
// 仅限…, 超过…的不予…, and bounds on the subject (六岁以上儿童).
func (r *reader) hanInner(st *statement) {
	cs := r.cuesIn(st.main)
	add := func(kind ConditionKind, s text.Span) {
		c := r.condition(kind, s)
		if len(c.Terms) == 0 && len(c.Quantities) == 0 && len(c.Times) == 0 || st.conditional(c.Span) {
			return
		}
		st.conditions = append(st.conditions[:len(st.conditions):len(st.conditions)], c)
	}
	from := st.main.Start
	firstModal := st.main.End
	for _, c := range cs {
		if r.inValue(c.Span) {
			continue
		}
		switch c.class {
		case must, may, mustNot, should, caution, needNot, neg:
			if c.Start < firstModal {
				firstModal = c.Start
			}
		}
	}
	for i, c := range cs {
		if r.inValue(c.Span) || c.Start < from {
			continue
		}
		follow := c.End < st.main.End
		if (c.class == whenEnd || c.class == pastEnd) && firstModal < c.Start {
			continue // 应当在起飞前…: what is required, not under what condition
		}
		switch c.class {
		case whenEnd:
			if follow && c.Start > from {
				add(If, text.Span{Start: from, End: c.End})
				from = c.End
			}
		case pastEnd:
			// 在起飞前可以…, 开课后按…: a preposition or a verb opens it.
			start := -1
			for j := i - 1; j >= 0 && cs[j].Start >= from; j-- {
				if cs[j].class == prep || cs[j].class == place || cs[j].class == before || cs[j].class == after {
					start = cs[j].End
					break
				}
			}
			if start < 0 && (c.Start-from <= 6 || i > 0 && cs[i-1].class == verb && cs[i-1].Start == from) {
				start = from
			}
			if start < 0 && c.Start-from > 6 && firstModal < st.main.End {
				start = c.Start - 2 // 书法课开课前可以: the event is the word before 前
			}
			if follow && start >= 0 && c.Start-start >= 2 && (r.predicateAfter(cs, i) || start == from && c.Start-from <= 4 && st.main.End-c.End >= 2 || len(r.quantsIn(text.Span{Start: c.End, End: st.main.End})) > 0) {
				add(If, text.Span{Start: start, End: c.End})
				from = c.End
			}
		case withCue:
			for _, m := range cs[i+1:] {
				if m.class == may || m.class == must || m.class == needNot || m.class == verb && m.Start > c.End+1 && m.End >= st.main.End-4 {
					add(If, text.Span{Start: c.Start, End: m.Start})
					from = m.Start
					break
				}
			}
		case ifCue:
			end := st.main.End
			for _, m := range cs[i+1:] {
				if m.class == also || m.class == must || m.class == may || m.class == mustNot {
					end = m.Start
					break
				}
			}
			if end > c.End+1 {
				add(If, text.Span{Start: c.Start, End: end})
				from = end
			}
		case onlyFor:
			if follow {
				next := text.Span{Start: c.End, End: st.main.End}
				if q := r.quantsIn(next); len(q) > 0 && q[0].Start-c.End < 2 {
					continue // 每年限一次: a bound
				}
				end := next.End
				for _, m := range cs[i+1:] {
					if m.class == verb && m.Start > c.End+1 || m.class == may || m.class == must {
						end = m.Start
						break
					}
				}
				add(OnlyIf, text.Span{Start: c.Start, End: end})
			}
		}
	}
	// 未参保的按60%赔付: a headless 的 before a predicate closes a case.
	for j := from + 3; j+1 < st.main.End && j < from+24; j++ {
		if r.folded[j] != '的' || !r.cueStarts(cs, j+1) || r.inValue(text.Span{Start: j, End: j + 1}) {
			continue
		}
		named := text.Span{Start: from, End: j + 1}
		verbal, closes := false, false
		for _, c := range cs {
			switch {
			case c.End <= j && (c.class == verb || c.class == neg || c.class == prep || c.class == withCue):
				verbal = true
			case c.Start == j+1:
				closes = c.class == must || c.class == may || c.class == mustNot || c.class == neg || c.class == needNot || c.class == byAgent || c.class == prep && strings.ContainsRune("按从", r.folded[j+1])
			}
		}
		if verbal && closes {
			add(If, named)
			from = j + 1
		}
		break
	}
	// 超过30公斤的不予代收; 未满十四周岁的儿童须…; 六岁以上儿童每次1喷.
	for _, q := range r.quantsIn(text.Span{Start: from, End: st.main.End}) {
		if q.Point() || q.Approx {
			continue
		}
		de := -1
		for j := q.End; j < st.main.End && j < q.End+10; j++ {
			if r.folded[j] == '的' {
				de = j
				break
			}
			if r.folded[j] == '，' || r.folded[j] == ',' {
				break
			}
		}
		start := q.Start
		for start > from && text.IsHan(r.folded[start-1]) && !r.cueEnds(cs, start) && q.Start-start < 10 {
			start--
		}
		switch {
		case de > 0 && de+1 < st.main.End && (q.End == de || de-q.End < 8) && r.somethingAfter(st, de+1):
			add(If, text.Span{Start: start, End: de + 1})
		case q.Start == from && q.Start < firstModal && st.main.End-q.End >= 4 && text.IsHan(r.folded[q.End]) && !r.cueStarts(cs, q.End):
			add(If, q.Span)
		case q.Start < firstModal && q.End < st.main.End && text.IsHan(r.folded[q.End]) && r.valueAfter(st, q.End) && !r.cueStarts(cs, q.End):
			add(If, q.Span)
		}
	}
}

func (r *reader) cueEnds(cs []cue, at int) bool {
	for _, c := range cs {
		if c.End == at && c.class != verb {
			return true
		}
	}
	return false
}

func (r *reader) cueStarts(cs []cue, at int) bool {
	for _, c := range cs {
		if c.Start == at {
			return true
		}
	}
	return false
}

func (r *reader) predicateAfter(cs []cue, i int) bool {
	for _, c := range cs[i+1:] {
		if isPredicate(c.class) && !r.inValue(c.Span) {
			return true
		}
	}
	return false
}

// somethingAfter reports whether a predicate or value follows in the clause.
func (r *reader) somethingAfter(st *statement, from int) bool {
	rest := text.Span{Start: from, End: st.main.End}
	if len(r.quantsIn(rest)) > 0 || len(r.timesIn(rest)) > 0 {
		return true
	}
	for _, c := range r.cuesIn(rest) {
		if isPredicate(c.class) {
			return true
		}
	}
	return false
}

func (r *reader) valueAfter(st *statement, from int) bool {
	return r.somethingAfter(st, from)
}

// subjectRegion is what stands before the first predicate of a Chinese stretch.
func (r *reader) subjectRegion(s text.Span) text.Span {
	start := s.Start
	for _, c := range r.cuesIn(s) {
		if r.inValue(c.Span) {
			continue
		}
		if c.Start <= start+0 {
			switch c.class {
			case but, also, adverb, all, some, only, andCue, conj, each, hedge, called, instead, therefore, former:
				start = c.End
				continue
			}
		}
		switch c.class {
		case all, some, only, andCue, called, pronoun, whenEnd, pastEnd, outside, hedge, keep, reported, exceptEnd, noneOf:
			continue
		case verb, planned:
			// A verb after 的, or one that 的 or 和 follows, is used as a noun.
			if at(r.folded, c.Start-1) == '的' || c.Start == start && c.End < s.End && strings.ContainsRune("的和与及、", r.folded[c.End]) {
				continue
			}
		}
		return r.trim(text.Span{Start: start, End: c.Start})
	}
	return r.trim(text.Span{Start: start, End: s.End})
}

// findSubject finds the subject of the clause and its predicate.
func (r *reader) findSubject(st *statement) {
	m := st.main
	st.pred, st.predEnd = m.End, m.Start
	start := m.Start
	// Conditions at the beginning are no subject.
	for moved := true; moved; {
		moved = false
		for _, c := range st.conditions {
			if !c.Span.Empty() && c.Span.Start <= start && c.Span.End > start && c.Span.End < m.End && st.chinese {
				start = c.Span.End
				moved = true
			}
		}
	}
	body := r.trim(text.Span{Start: start, End: m.End})
	if st.chinese {
		st.region = r.subjectRegion(body)
		if t := r.timesIn(st.region); len(t) > 0 && t[0].Start == st.region.Start {
			st.region.Start = t[0].End
			st.region = r.trim(st.region)
		}
		// A bound inside the region (六岁以上儿童) is no end of it; the first other value is.
		for _, q := range r.quantsIn(st.region) {
			if !st.conditional(q.Span) {
				st.region.End = q.Start
				break
			}
		}
		for st.region.End-1 > st.region.Start && st.region.End < m.End && strings.ContainsRune("分共有达约", r.folded[st.region.End-1]) && r.inValue(text.Span{Start: st.region.End, End: st.region.End + 1}) {
			st.region.End-- // 取件分三步, 全店共三层
		}
		for _, c := range r.cuesIn(text.Span{Start: max(st.region.End, body.Start), End: m.End}) {
			if isPredicate(c.class) && !r.inValue(c.Span) && !st.conditional(c.Span) && at(r.folded, c.Start-1) != '的' {
				st.pred, st.predEnd = c.Start, c.End
				break
			}
		}
		if st.pred == m.End {
			st.pred, st.predEnd = max(st.region.End, body.Start), max(st.region.End, body.Start)
		}
		r.relativePart(st)
	} else {
		p, e, ok := r.englishPredicate(body)
		if ok {
			st.pred, st.predEnd = p, e
			st.region = r.beforeApposition(text.Span{Start: body.Start, End: p})
		} else if q := r.quantsIn(body); len(q) > 0 {
			st.region = text.Span{Start: body.Start, End: q[0].Start}
			st.pred, st.predEnd = q[0].Start, q[0].Start
		} else {
			st.region = body
		}
		r.subjectBounds(st)
		// "In 2024 Harrowmint carried": the time is no part of the subject.
		for _, t := range r.timesIn(st.region) {
			if t.Start-st.region.Start > 12 || len(r.termsIn(text.Span{Start: st.region.Start, End: t.Start})) > 0 {
				break
			}
			st.region.Start = t.End
		}
		st.region = r.trim(r.periodic(st.region))
		if n := r.denialAtEnd(st.region); n > 0 { // "X no longer supports": the denial is of the verb
			st.pred = st.region.End - n
			st.region = r.trim(text.Span{Start: st.region.Start, End: st.pred})
		}
		if st.relative {
			st.region = text.Span{}
		}
	}
	st.region = r.trim(st.region)
	for st.region.Start < st.region.End && (r.folded[st.region.Start] == '的' || strings.ContainsRune("和与及", r.folded[st.region.Start])) {
		st.region.Start++
	}
	// A distributive at the end (书法课每期) says per what the value counts.
	for i := st.region.End - 1; i > st.region.Start && i >= st.region.End-3; i-- {
		if r.folded[i] == '每' || r.folded[i] == '单' && i == st.region.End-2 && strings.ContainsRune("笔件次人项张", r.folded[i+1]) {
			st.region.End = i
			break
		}
	}
	if r.onlyPronoun(st.region) {
		st.linked = true // it, 本品: perhaps what the clause before spoke of, beside its subject
		st.region.End = st.region.Start
	}
	if len(r.termsIn(st.region)) == 0 || r.onlyMeasure(st.region) {
		st.region = text.Span{Start: st.region.Start, End: st.region.Start}
	}
}

// denialAtEnd is the length of a denying adverb that ends an English subject, with nothing
// but the verb behind it; 0 for none.
func (r *reader) denialAtEnd(s text.Span) int {
	for _, w := range [...]string{"no longer", "never", "not yet", "hardly"} {
		if n := len(w); s.Len() > n+1 && string(r.folded[s.End-n:s.End]) == w && r.folded[s.End-n-1] == ' ' {
			return n
		}
	}
	return 0
}

// opening are words that open an adverbial and no subject.
var opening = termSetOf("in on at for from to with by during under over as after before since until within without of per between among if when while where although though unless because once given having being despite according and or but not only both either neither whether then there here today now currently however also")

// beforeApposition cuts from an English subject what describes it between two commas: "the
// arena, home of the club, holds".
func (r *reader) beforeApposition(s text.Span) text.Span {
	end := s.End
	for end > s.Start && r.folded[end-1] == ' ' {
		end--
	}
	if end == s.Start || r.folded[end-1] != ',' {
		return s
	}
	first, commas := -1, 0
	for i := s.Start; i < end; i++ {
		if r.folded[i] == ',' {
			if commas++; first < 0 {
				first = i
			}
		}
	}
	if commas != 2 || opening[string(r.folded[s.Start:r.wordAt(s.Start, first)])] {
		return s
	}
	for i := first; i+5 < end; i++ { // apples, pears and plums
		if string(r.folded[i:i+5]) == " and " {
			return s
		}
	}
	head := text.Span{Start: s.Start, End: first}
	if len(r.termsIn(head)) == 0 || len(r.timesIn(head)) > 0 {
		return s
	}
	return head
}

// subjectBounds makes the bounds on an English subject (a car up to 5 m long costs …)
// conditions of what is said of it.
func (r *reader) subjectBounds(st *statement) {
	qs := r.quantsIn(st.region)
	bound := false
	for _, q := range qs {
		bound = bound || !q.Point() && !q.Approx && (q.Lo == nil || q.Hi == nil)
	}
	if !bound || st.pred >= st.main.End || len(st.conditions) > 12 || qs[0].Start == st.region.Start {
		return
	}
	for _, q := range qs {
		if len(st.conditions) < 16 {
			st.conditions = append(st.conditions[:len(st.conditions):len(st.conditions)], r.condition(If, q.Span))
		}
	}
}

// relativePart finds where a relative part (需要的客人…) ends, so that its negation
// and modality are not taken for those of the clause.
func (r *reader) relativePart(st *statement) {
	seen := false
	de := 0
	for _, c := range r.cuesIn(st.main) {
		if r.inValue(c.Span) || st.conditional(c.Span) {
			continue
		}
		switch c.class {
		case must, may, mustNot, should, caution, needNot, neg, planned, copula:
			if seen && de > 0 && c.Start > de {
				st.relEnd = de
				return
			}
			if de == 0 {
				seen = true
				for j := c.End; j < st.main.End-1 && j < c.End+16; j++ {
					if r.folded[j] == '的' && text.IsHan(r.folded[j+1]) {
						de = j
						break
					}
				}
				if de == 0 {
					return
				}
			}
		}
	}
}

// periodic takes "each year", "every month" off the beginning of a subject.
func (r *reader) periodic(s text.Span) text.Span {
	for _, w := range []string{"each ", "every "} {
		if !r.hasPrefix(s, w) {
			continue
		}
		i := s.Start + len(w)
		j := r.wordAt(i, s.End)
		switch string(r.folded[i:j]) {
		case "year", "month", "week", "day", "quarter", "season", "night", "hour", "summer", "winter":
			if j < s.End {
				s.Start = j
			}
		}
	}
	return s
}

// onlyMeasure reports whether a region is a distributive (每次, 单笔), which says per
// what the value counts and not of what it is said.
func (r *reader) onlyMeasure(s text.Span) bool {
	return s.Len() > 0 && s.Len() <= 3 && (r.folded[s.Start] == '每' || r.folded[s.Start] == '单' && s.Len() == 2 || r.folded[s.Start] == '各')
}

func (r *reader) onlyPronoun(s text.Span) bool {
	cs := r.cuesIn(s)
	if len(cs) > 0 && cs[len(cs)-1].class == pronoun && cs[len(cs)-1].End == s.End && len(cs) > 1 && len(r.timesIn(s)) > 0 {
		return true // "In 2024 it had …"
	}
	return len(cs) > 0 && cs[0].class == pronoun && len(r.termsIn(text.Span{Start: cs[0].End, End: s.End})) == 0
}

// manner reads polarity, modality, quantifier and certainty of a clause.
func (r *reader) manner(st *statement, c *Clause) {
	negs, lastNeg := 0, -100
	reason := st.main.End // what stands in the reason says nothing of the main clause
	for _, q := range st.cues {
		if q.class == because && q.Start > st.predEnd {
			reason = q.Start
			break
		}
	}
	for i, q := range st.cues {
		if q.Start > reason {
			break
		}
		inSubject := q.End <= st.pred && !st.region.Empty() && q.Start >= st.region.Start
		if q.Start < st.relEnd {
			if q.class != all && q.class != some && q.class != noneOf {
				continue
			}
		}
		word := r.folded[q.Start:q.End]
		switch q.class {
		case neg:
			if inSubject && !st.chinese {
				if string(word) == "no" || string(word) == "neither" {
					negs, c.Quantifier = 1, NoneOf
				}
				if string(word) == "not" {
					negs = 1
				}
				continue
			}
			if st.chinese && r.insideNoun(st, q) {
				continue
			}
			if (q.Start-lastNeg <= 6 || c.Quantifier == NoneOf) && st.chinese && negs == 1 {
				negs = 0                    // 没有不…, 并非不…
				if c.Quantifier == NoneOf { // 没有一名学员不…
					c.Quantifier = All
				}
			} else {
				negs = 1
			}
			lastNeg = q.End
			if c.Modality == Plain {
				switch w := string(word); {
				case strings.HasPrefix(w, "不能"), strings.HasPrefix(w, "不可"), strings.HasPrefix(w, "can"), strings.HasPrefix(w, "could"):
					c.Modality = May
				case w == "不宜":
					c.Modality = Should
				case w == "不应":
					c.Modality = MustNot
					negs = 0
				case strings.HasPrefix(w, "will") || w == "won't":
					c.Modality = Planned
				}
			}
		case instead:
			if negs == 1 && st.negEnd == 0 {
				st.negEnd = q.Start
			}
		case but:
			if negs == 1 && !st.chinese && st.negEnd == 0 && q.Start-lastNeg < 60 {
				st.negEnd = q.Start
			}
		case noneOf:
			negs, c.Quantifier = 1, NoneOf
		case must:
			r.modal(c, Must, inSubject)
		case should:
			r.modal(c, Should, inSubject)
		case may:
			r.modal(c, May, inSubject)
		case mustNot:
			if c.Modality != MustNot {
				c.Modality = MustNot
			}
		case caution:
			if c.Modality != MustNot {
				c.Modality = Caution
			}
		case needNot:
			if c.Modality != MustNot {
				c.Modality = NeedNot
			}
		case possible:
			r.modal(c, Possible, inSubject)
			c.Hedged = true
		case planned:
			if w := string(word); (w == "plan" || w == "plans") && !r.plansSomething(q.End) {
				continue // a pension plan, every plan: a thing
			}
			r.modal(c, Planned, false) // the budget of X is 5 is planned, too
		case prep:
			if string(word) == "将" && i+1 < len(st.cues) && (st.cues[i+1].Start == q.End || len(r.timesIn(text.Span{Start: q.End, End: min(q.End+8, st.main.End)})) > 0) && st.cues[i+1].class != prep {
				r.modal(c, Planned, false)
			}
		case reported:
			c.Hedged = true
			if c.Modality == Plain {
				c.Modality = Reported
			}
		case hedge:
			c.Hedged = true
		case all:
			if c.Quantifier == NoQuantifier && (inSubject || st.chinese || negs == 1 || string(word) == "all" || string(word) == "every") {
				anything := string(word) == "任何" || string(word) == "任意" || strings.HasPrefix(string(word), "any")
				switch {
				case negs == 1 && anything:
					c.Quantifier = NoneOf
				case negs == 1 && q.Start-lastNeg < 2:
					c.Quantifier = Some // 并非所有, not all
					negs = 0
				default:
					c.Quantifier = All
				}
			}
		case some:
			if c.Quantifier == NoQuantifier || c.Quantifier == Only {
				c.Quantifier = Some
			}
		case only:
			if c.Quantifier == NoQuantifier {
				c.Quantifier = Only
			}
		case onlyFor:
			c.Quantifier = Only
		}
	}
	for _, d := range st.conditions {
		if d.Kind == OnlyIf && c.Quantifier == NoQuantifier {
			c.Quantifier = Only
		}
	}
	c.Denied = negs%2 == 1
	if st.reported {
		c.Hedged = true
		if c.Modality == Plain {
			c.Modality = Reported
		}
	}
	// An instruction has no subject before its verb.
	if st.chinese {
		c.Imperative = r.folded[st.main.Start] == '请' || st.step > 0
	} else {
		c.Imperative = st.step > 0 || st.pred == st.main.Start && r.baseAt(st.pred)
	}
}

// insideNoun reports whether a negation belongs to a relative part of an object
// (放在儿童拿不到的地方): a predicate stands before it and 的 with a noun soon after.
func (r *reader) insideNoun(st *statement, q cue) bool {
	earlier := false
	for _, c := range st.cues {
		if c.Start >= q.Start {
			break
		}
		earlier = earlier || isPredicate(c.class) || c.class == adverb || c.class == place
	}
	if !earlier {
		return false
	}
	for j := q.End; j+1 < st.main.End && j < q.End+8; j++ {
		switch r.folded[j] {
		case '，', '。', ',':
			return false
		case '的':
			return text.IsHan(r.folded[j+1])
		}
	}
	return false
}

func (r *reader) baseAt(i int) bool {
	var buf [32]byte
	return verbForms[string(r.asciiWord(buf[:0], i, r.wordAt(i, len(r.folded))))] == baseForm
}

// plansSomething reports whether the word plan that ends at i is a verb, or says what is
// planned: an article or a preposition follows.
func (r *reader) plansSomething(i int) bool {
	for i < len(r.folded) && r.folded[i] == ' ' {
		i++
	}
	switch string(r.folded[i:r.wordAt(i, len(r.folded))]) {
	case "to", "on", "for", "a", "an", "the", "its", "their", "is", "was":
		return true
	}
	return false
}

func (r *reader) modal(c *Clause, m Modality, inSubject bool) {
	if c.Modality == Plain && !inSubject {
		c.Modality = m
	}
}

// clauseTimes finds when the clause holds: its own times, else the time that opened
// the sentence or an earlier one of the paragraph, else that of the heading or title.
func (r *reader) clauseTimes(st *statement) {
	r.resolveBefore(st)
	for _, t := range r.timesIn(st.Span) {
		if !st.conditional(t.Span) {
			st.times = append(st.times, t)
			if spans(&t) {
				r.told = t
			}
		}
	}
	if len(st.times) > 0 {
		// A time before the predicate of a clause opens what follows, too.
		if len(st.times) == 1 && st.times[0].End <= st.pred && st.times[0].Start-st.main.Start < 8 && dated(st.times[0]) {
			r.near = st.times
		}
		return
	}
	switch {
	case len(r.near) > 0:
		st.times = r.near
	case len(r.carry) > 0:
		st.times = r.carry
	case len(r.leadTimes) > 0:
		st.times = r.leadTimes
	default:
		st.times = r.headingTimes()
	}
}

// resolveBefore gives "the year before" in a text about one year its interval: 2024年…，
// 上年为79.8% speaks of 2023, and 第三季度…，上一季度 of the second one. What the day of
// publication says of such words gives way to a time of their own sentence.
func (r *reader) resolveBefore(st *statement) {
	times := r.timesIn(st.Span)
	base, here := r.told, false
	for i, group := range [][]when.Expr{r.near, r.carry, r.leadTimes, r.headingTimes()} {
		if len(group) > 0 {
			base, here = group[0], i == 0
			break
		}
	}
	for i := range times {
		t := &times[i]
		if spans(t) {
			base, here = *t, true
			continue
		}
		if t.Kind != when.Relative || base.From.IsZero() || base.To.IsZero() || !t.From.IsZero() && !(here && hasAny(t.Text, toldBefore)) {
			continue
		}
		switch {
		case hasAny(t.Text, yearBefore):
			t.From, t.To, t.Grain, t.Calendar = base.From.AddDate(-1, 0, 0), base.To.AddDate(-1, 0, 0), base.Grain, base.Calendar
		case base.Grain == "quarter" && hasAny(t.Text, quarterBefore):
			t.From, t.To, t.Grain, t.Calendar = base.From.AddDate(0, -3, 0), base.From.AddDate(0, 0, -1), base.Grain, base.Calendar
		case base.Grain == "month" && hasAny(t.Text, monthBefore):
			t.From, t.To, t.Grain, t.Calendar = base.From.AddDate(0, -1, 0), base.From.AddDate(0, 0, -1), base.Grain, base.Calendar
		}
	}
}

// Words for the period before another one, and those of them that count from what a text
// tells and not from the day it is told.
var (
	yearBefore    = []string{"上年", "上一年", "前一年", "去年", "last year", "previous year", "year before", "year earlier", "prior year", "preceding year", "year ago"}
	quarterBefore = []string{"上季", "上一季", "上个季", "上一个季", "前一季", "previous quarter", "preceding quarter", "quarter before", "quarter earlier"}
	monthBefore   = []string{"上月", "上一月", "上个月", "上一个月", "前一个月", "previous month", "preceding month", "month before", "month earlier"}
	toldBefore    = []string{"上年", "上一", "前一", "previous", "before", "earlier", "prior", "preceding"}
)

// spans reports whether a time is a period of the calendar: a year, half, quarter or month.
func spans(t *when.Expr) bool {
	if t.Kind != when.Date || t.From.IsZero() || t.To.IsZero() {
		return false
	}
	switch t.Grain {
	case "year", "half", "quarter", "month":
		return true
	}
	return false
}

func dated(t when.Expr) bool {
	return t.Kind == when.Date || t.Kind == when.Fiscal || t.Kind == when.Relative
}

// inherit settles the subject and the context of the clause, and what later clauses
// inherit from it.
func (r *reader) inherit(st *statement) {
	own := r.termsIn(st.region)
	unit := r.unitOf(st)
	st.subject = r.part(st.region)
	var inherited subject
	weight := topicWeight
	switch {
	case len(own) == 0:
		inherited = r.topic
		if st.relative {
			inherited = r.antecedent(st)
		}
		if inherited.part.Text == "" {
			inherited = r.local
		}
		if inherited.part.Text == "" && r.lead.part.Text != "" {
			inherited = r.lead
		}
		st.subject = inherited.part
	default:
		inherited = r.topic
		weight = weakTopic
		// Parallel statements (经济舱每人20公斤，公务舱每人30公斤) are about siblings.
		if unit != "" && unit == r.local.unit && r.local.part.Span == r.topic.part.Span && r.lead.part.Text != r.topic.part.Text {
			weight = 0
		}
		switch {
		case st.partOf || r.hasPronoun(st.region) || r.folded[st.main.Start] == '每':
			weight = topicWeight
		case st.sentence != r.sentenceOf(st.index-1):
			weight *= 0.5
		}
	}
	ctx := r.carve(min(len(r.lead.terms)+len(inherited.terms)+len(r.local.terms)+len(r.label)+len(r.base)+len(r.first.terms), 2*maxContext))
	ctx = append(ctx, r.label...)
	if weight > 0 {
		for _, t := range inherited.terms {
			t.Origin = Topic
			t.Weight *= weight
			ctx = append(ctx, t)
		}
	}
	if len(own) == 0 && r.local.part.Span != inherited.part.Span {
		for _, t := range r.local.terms {
			t.Origin = Topic
			t.Weight *= weakTopic
			ctx = append(ctx, t)
		}
	}
	ctx = append(ctx, r.lead.terms...)
	if inherited.part.Span != r.first.part.Span && r.topic.part.Span != r.first.part.Span {
		for _, t := range r.first.terms {
			t.Origin = Topic
			t.Weight *= pageWeight
			ctx = append(ctx, t)
		}
	}
	if room := maxContext - len(ctx); room < len(r.base) {
		ctx = append(ctx, r.base[:max(room, 0)]...)
	} else {
		ctx = append(ctx, r.base...)
	}
	if len(ctx) > maxContext {
		ctx = ctx[:maxContext]
	}
	st.context = r.keepTerms(ctx)
	st.before = r.sentenceTerms(st)
	st.sibling = len(own) > 0 && unit != "" && unit == r.local.unit && st.sentence == r.sentenceOf(st.index-1)
	if len(own) > 0 {
		now := subject{part: st.subject, terms: own, unit: unit}
		if st.relative {
			return
		}
		// The first subject of a sentence is its topic; a later one is local to its
		// clause, unless it names something.
		if st.index == 0 || st.sentence != r.sentenceOf(st.index-1) || r.topic.part.Text == "" {
			r.topic = now
		}
		r.local = now
		if r.first.part.Text == "" {
			r.first = now
		}
	} else {
		r.local.unit = unit
	}
}

// antecedent is what a relative clause is about: the last words before it.
func (r *reader) antecedent(st *statement) subject {
	if r.sentenceOf(st.index-1) != st.sentence {
		return r.topic
	}
	terms := r.page.Clauses[st.index-1].Terms
	if len(terms) == 0 {
		return r.topic
	}
	lo := len(terms) - 1
	for lo > 0 && len(terms)-lo < 3 && terms[lo].Span.Start-terms[lo-1].Span.End <= 1 {
		lo--
	}
	last := terms[lo:]
	return subject{part: r.part(text.Span{Start: last[0].Span.Start, End: last[len(last)-1].Span.End}), terms: last}
}

// hasPronoun reports whether a subject points back (该支行, its director).
func (r *reader) hasPronoun(s text.Span) bool {
	c, ok := r.hasCue(s, pronoun)
	return ok && c.Start < s.Start+6
}

func (r *reader) sentenceOf(clause int) int {
	if clause < 0 || clause >= len(r.page.Clauses) {
		return -1
	}
	return r.page.Clauses[clause].Sentence
}

// sentenceTerms are the terms of the clause before in the same sentence.
func (r *reader) sentenceTerms(st *statement) []Term {
	if r.sentenceOf(st.index-1) != st.sentence && (!st.linked || r.prevClause < 0) {
		return nil
	}
	terms := r.page.Clauses[st.index-1].Terms
	if len(terms) > 24 {
		terms = terms[:24]
	}
	return terms
}

// unitOf names the unit of the first value of the clause.
func (r *reader) unitOf(st *statement) string {
	for _, q := range r.quantsIn(st.main) {
		if !st.conditional(q.Span) {
			return string(q.Unit.Dim) + "/" + q.Unit.Name
		}
	}
	return ""
}

// value is a value of a clause with the stretch that belongs to it.
type value struct {
	text.Span
	quantity *quantity.Quantity
	time     *when.Expr
	own      text.Span
	left     bool // it has words of its own before it
	cond     bool
	with     *when.Expr // paired time
	named    Part       // paired name
	others   []text.Span
}

// values lists the values of a clause with their own parts.
func (r *reader) values(st *statement) []value {
	qs, ts := r.quantsIn(st.Span), r.timesIn(st.Span)
	if len(qs)+len(ts) == 0 {
		return nil
	}
	out := make([]value, 0, len(qs)+len(ts))
	i, j := 0, 0
	for (i < len(qs) || j < len(ts)) && len(out) < maxValues {
		if i < len(qs) && st.step > 0 && qs[i].End <= st.main.Start {
			i++ // the number of the step
			continue
		}
		if j >= len(ts) || i < len(qs) && qs[i].Start < ts[j].Start {
			out = append(out, value{Span: qs[i].Span, quantity: &qs[i], cond: st.conditional(qs[i].Span)})
			i++
		} else {
			out = append(out, value{Span: ts[j].Span, time: &ts[j], cond: st.conditional(ts[j].Span)})
			j++
		}
	}
	// Own parts: bounded by the neighbouring quantities.
	prev := -1
	bound := st.Start
	for k := range out {
		v := &out[k]
		v.own = st.Span
		if v.quantity == nil {
			continue
		}
		if prev >= 0 {
			cut := r.boundary(st, out[prev].End, v.Start)
			out[prev].own.End = cut
			bound = cut
		}
		v.own.Start = bound
		prev = k
	}
	for k := range out {
		v := &out[k]
		if v.quantity != nil && v.Start > v.own.Start {
			v.left = len(r.termsIn(text.Span{Start: v.own.Start, End: v.Start})) > 0
		}
	}
	return out
}

// boundary finds where between two values the words of the second begin: at the last
// conjunction or comma, else at the first preposition, else right after the first.
func (r *reader) boundary(st *statement, from, to int) int {
	cut := -1
	for i := to - 1; i >= from; i-- {
		switch r.runes[i] {
		case '、', '，', ',', '；', ';', '(', '（':
			cut = i
		}
		if cut >= 0 {
			break
		}
	}
	cs := r.cuesIn(text.Span{Start: from, End: to})
	for i := len(cs) - 1; i >= 0; i-- {
		if (cs[i].class == andCue || cs[i].class == but) && cs[i].Start > cut {
			return cs[i].Start
		}
	}
	if cut >= 0 {
		return cut
	}
	if !st.chinese {
		for _, c := range cs {
			if c.class == prep || c.class == verb || c.class == byAgent {
				return c.Start
			}
		}
	}
	return from
}

// facts reads the facts of a clause.
func (r *reader) facts(st *statement, c *Clause) {
	r.splitSubject(st)
	st.place = r.placeOf(st)
	st.firstQuantity = st.main.End
	if q := r.quantsIn(st.main); len(q) > 0 {
		st.firstQuantity = q[0].Start
	}
	st.elsewhere = r.reference(st)
	vals := r.values(st)
	r.pair(st, vals)
	rel := r.comparison(st, st.main)
	whole := Fact{
		Span: st.Span, Sentence: st.sentence, Clause: st.index,
		Subject: st.owner, Attribute: st.attr,
		Value: Value{Kind: BooleanValue, Text: r.str(st.main), Span: st.main},
		Times: st.times, Conditions: st.conditions,
		Denied: c.Denied && st.negEnd == 0, Modality: c.Modality, Quantifier: c.Quantifier, Hedged: c.Hedged,
		Relation: rel, Confidence: 0.6,
	}
	if st.pred > st.main.Start && st.pred < st.main.End {
		whole.Attribute = r.part(text.Span{Start: st.pred, End: st.main.End})
		whole.Complete = whole.Subject.Text != ""
		whole.Confidence = 0.75
	}
	if st.elsewhere {
		whole.Confidence = 0.3
	}
	whole.Anchors = r.anchors(st, nil, st.Span)
	whole.Place = st.place
	r.page.Facts = append(r.page.Facts, whole)
	if st.elsewhere && len(vals) == 0 {
		return
	}
	for k := range vals {
		r.valueFact(st, c, vals, k)
	}
	r.textFacts(st, c, vals)
}

// valueFact adds the fact of one quantity or time.
func (r *reader) valueFact(st *statement, c *Clause, vals []value, k int) {
	v := &vals[k]
	f := Fact{
		Span: st.Span, Sentence: st.sentence, Clause: st.index, Subject: st.owner,
		Conditions: st.conditions, Denied: c.Denied && (st.negEnd == 0 || v.End <= st.negEnd), Modality: c.Modality, Quantifier: c.Quantifier, Hedged: c.Hedged,
		Threshold: v.cond, Confidence: 0.7, Place: st.place,
	}
	f.Value = Value{Span: v.Span, Text: r.str(v.Span)}
	if v.quantity != nil {
		f.Value.Kind, f.Value.Quantity = QuantityValue, v.quantity
		f.Hedged = f.Hedged || v.quantity.Approx
		f.Attribute = r.attributeOf(st, v)
		f.Relation = r.comparison(st, v.own)
		if f.Relation == nil && len(vals) == 1 {
			f.Relation = r.comparison(st, st.main)
		}
		f.Times = r.timesOf(st, vals, k, f.Relation)
	} else {
		f.Value.Kind, f.Value.Time = TimeValue, v.time
		f.Attribute = r.attributeOf(st, v)
		if v.time.Kind == when.Recurring || v.time.Kind == when.Now {
			f.Confidence = 0.5
		}
		for _, t := range st.times {
			if t.Span != v.Span && !st.Span.Contains(t.Span) {
				f.Times = append(f.Times, t)
			}
		}
	}
	if v.named.Text != "" {
		f.Subject = v.named
	}
	if v.cond {
		f.Confidence = 0.4
	}
	f.Anchors = r.anchors(st, v, v.own)
	f.Complete = f.Subject.Text != "" && f.Attribute.Text != ""
	if f.Complete && !v.cond {
		f.Confidence += 0.15
	}
	r.page.Facts = append(r.page.Facts, f)
}

// timesOf are the times of one quantity: paired, in its own part, before the first
// value of the clause, else the clause's.
func (r *reader) timesOf(st *statement, vals []value, k int, rel *Comparison) []when.Expr {
	v := &vals[k]
	if v.with != nil {
		return []when.Expr{*v.with}
	}
	var own, before, elsewhere []when.Expr
	firstQuantity := st.End
	for i := range vals {
		if vals[i].quantity != nil && !vals[i].cond {
			firstQuantity = vals[i].Start
			break
		}
	}
	for i := range vals {
		t := vals[i].time
		if t == nil || vals[i].cond || rel != nil && rel.Other.Span.Overlaps(t.Span) {
			continue
		}
		switch {
		case v.own.Contains(t.Span):
			own = append(own, *t)
		case t.End <= firstQuantity:
			before = append(before, *t)
		default:
			elsewhere = append(elsewhere, *t)
		}
	}
	switch {
	case len(own) > 0:
		return own
	case len(before) > 0:
		return before
	case len(elsewhere) > 0:
		if len(r.near) > 0 && !st.Span.Contains(r.near[0].Span) {
			return r.near
		}
		if len(r.carry) > 0 && !st.Span.Contains(r.carry[0].Span) {
			return r.carry
		}
		return r.headingTimes()
	}
	return st.times
}

// anchors weighs what a value is about. Each term appears once, with its greatest
// weight; the list is bounded.
func (r *reader) anchors(st *statement, v *value, own text.Span) []Term {
	out := r.carve(min(len(st.terms)+len(st.before)+len(st.context)+8, maxAnchors))
	r.seen.next()
	add := func(t Term, origin Origin, factor float64) {
		t.Weight *= factor
		if origin != Own || t.Origin == Own {
			t.Origin = origin
		}
		i, known := r.seen.find(t.Text, out)
		if known {
			if out[i].Weight < t.Weight {
				out[i] = t
			}
			return
		}
		if len(out) < cap(out) {
			r.seen.put(i, len(out))
			out = append(out, t)
		}
	}
	for _, t := range st.terms {
		switch {
		case v == nil || own.Contains(t.Span):
			excluded := false
			if v != nil {
				for _, o := range v.others {
					excluded = excluded || o.Overlaps(t.Span)
				}
			}
			if !excluded {
				add(t, Own, 1)
			}
		case t.Span.Start < own.Start && r.head(st, t.Span, v):
			if v.left {
				add(t, Clausal, headWeight)
			} else {
				add(t, Clausal, clausalWeight)
			}
		default:
			add(t, Clausal, siblingWeight)
		}
	}
	for _, t := range st.context {
		add(t, t.Origin, 1)
	}
	weight := sentenceWeight
	if st.sibling {
		weight = siblingWeight / 2
	}
	for _, t := range st.before {
		add(t, Sentence, weight)
	}
	if v != nil && v.named.Text != "" {
		for _, t := range r.termsIn(v.named.Span) {
			add(t, Own, 1)
		}
	}
	return r.keepTerms(out)
}

// carve gives an empty list with room for n terms out of a larger allocation; the
// next carve overwrites what keepTerms did not claim.
func (r *reader) carve(n int) []Term {
	if len(r.arena)+n > cap(r.arena) {
		size := 256
		if len(r.runes) > 2000 {
			size = 2048
		}
		r.arena = make([]Term, 0, max(size, n))
	}
	k := len(r.arena)
	return r.arena[k : k : k+n]
}

// keepTerms claims the list that was carved last.
func (r *reader) keepTerms(list []Term) []Term {
	if k := len(r.arena); len(list) == 0 || k == cap(r.arena) || &list[0] != &r.arena[k : k+1][0] {
		return list // empty, or grown out of its place
	}
	r.arena = r.arena[:len(r.arena)+len(list)]
	return list[:len(list):len(list)]
}

// termSet finds the terms of one anchor list by their text. Raising the generation
// empties it at no cost.
type termSet struct {
	slots [512]struct {
		generation uint32
		index      int32
	}
	generation uint32
}

func (s *termSet) next() { s.generation++ }

// find returns the index of a text in the list, or the slot that is free for it.
func (s *termSet) find(word string, list []Term) (int, bool) {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(word[i])) * 16777619
	}
	for k := h % uint32(len(s.slots)); ; k = (k + 1) % uint32(len(s.slots)) {
		slot := &s.slots[k]
		if slot.generation != s.generation {
			return int(k), false
		}
		if list[slot.index].Text == word {
			return int(slot.index), true
		}
	}
}

func (s *termSet) put(slot, index int) {
	s.slots[slot].generation, s.slots[slot].index = s.generation, int32(index)
}

// head reports whether a term stands before the first quantity of the clause and is
// not among the paired names of other values.
func (r *reader) head(st *statement, s text.Span, v *value) bool {
	for _, o := range v.others {
		if o.Overlaps(s) {
			return false
		}
	}
	return s.End <= st.firstQuantity
}

// splitSubject tells the owner from the attribute in "the Y of X", "X's Y", X的Y.
func (r *reader) splitSubject(st *statement) {
	s := st.subject.Span
	st.owner = st.subject
	if s.Empty() {
		return
	}
	if st.chinese {
		for i := s.End - 2; i > s.Start; i-- {
			if r.folded[i] == '的' {
				st.attr = r.part(text.Span{Start: i + 1, End: s.End})
				st.owner = r.part(text.Span{Start: s.Start, End: i})
				return
			}
		}
		return
	}
	for i := s.Start; i+4 < s.End; i++ {
		if r.folded[i] == ' ' && r.folded[i+1] == 'o' && r.folded[i+2] == 'f' && r.folded[i+3] == ' ' {
			st.attr = r.part(text.Span{Start: r.article(s.Start, i), End: i})
			st.owner = r.part(text.Span{Start: r.article(i+4, s.End), End: s.End})
			return
		}
		if (r.folded[i] == '\'' || r.folded[i] == '’') && r.folded[i+1] == 's' && r.folded[i+2] == ' ' {
			st.owner = r.part(text.Span{Start: r.article(s.Start, i), End: i})
			st.attr = r.part(text.Span{Start: i + 3, End: s.End})
			return
		}
	}
}

// article skips an English article at i.
func (r *reader) article(i, end int) int {
	for _, a := range []string{"the ", "a ", "an "} {
		if i+len(a) < end && string(r.folded[i:i+len(a)]) == a {
			return i + len(a)
		}
	}
	return i
}

// attributeOf finds the words next to a value that say what it measures.
func (r *reader) attributeOf(st *statement, v *value) Part {
	if v.quantity != nil && !v.quantity.NounSpan.Empty() && !st.chinese {
		return r.part(v.quantity.NounSpan)
	}
	// The content run before the value inside its own part.
	left := text.Span{Start: v.own.Start, End: v.Start}
	if v.quantity == nil {
		left.Start = max(st.main.Start, v.Start-24)
	}
	if left.Start < st.Start {
		left.Start = st.Start
	}
	if st.chinese {
		if p := r.lastRun(left); !p.Empty() {
			if at(r.folded, p.Start-1) != '每' || p.Len() > 2 {
				return r.part(p)
			}
			if st.attr.Text == "" && !st.region.Empty() { // 电费为每度0.55元
				return r.part(st.region)
			}
		}
		if st.attr.Text != "" {
			return st.attr
		}
		if v.quantity != nil && v.quantity.NounSpan.Len() > 1 {
			return r.part(v.quantity.NounSpan)
		}
		right := text.Span{Start: v.End, End: min(v.own.End, v.End+12)}
		if ts := r.termsIn(right); len(ts) > 0 {
			e := ts[0].Span.End
			for _, t := range ts[1:] {
				if t.Span.Start > e {
					break
				}
				e = max(e, t.Span.End)
			}
			return r.part(text.Span{Start: ts[0].Span.Start, End: e})
		}
		return Part{}
	}
	ts := r.termsIn(left)
	if len(ts) > 0 {
		last := ts[len(ts)-1]
		if last.Span.Start >= st.pred {
			return r.part(last.Span)
		}
		if st.attr.Text == "" {
			return r.headNoun(st)
		}
	}
	return st.attr
}

// headNoun is an English subject up to its first preposition, without the article.
func (r *reader) headNoun(st *statement) Part {
	s := st.region
	for _, c := range r.cuesIn(s) {
		if c.class == prep && c.Start > s.Start {
			s.End = c.Start
			break
		}
	}
	s.Start = r.article(s.Start, s.End)
	return r.part(s)
}

// lastRun is the last run of Han content before a value.
func (r *reader) lastRun(s text.Span) text.Span {
	ts := r.termsIn(s)
	if len(ts) == 0 {
		return text.Span{}
	}
	e := ts[len(ts)-1].Span.End
	b := ts[len(ts)-1].Span.Start
	for i := len(ts) - 2; i >= 0; i-- {
		if ts[i].Span.End < b {
			break
		}
		b = min(b, ts[i].Span.Start)
	}
	return text.Span{Start: b, End: e}
}

// placeOf finds where the clause holds: 在X, at X — a name after a preposition of place.
func (r *reader) placeOf(st *statement) Part {
	for _, c := range st.cues {
		w := r.folded[c.Start:c.End]
		if st.chinese {
			if c.class != place || len(w) != 1 || w[0] != '在' {
				continue
			}
			s := r.phrase(c.End, st.main.End, true)
			ts := r.termsIn(s)
			if len(ts) == 0 || len(r.timesIn(s)) > 0 || r.beginsValue(s) {
				continue
			}
			e := ts[0].Span.End
			for _, t := range ts[1:] {
				if t.Span.Start > e {
					break
				}
				e = max(e, t.Span.End)
			}
			return r.part(text.Span{Start: c.End, End: min(e, s.End)})
		}
		if c.class != prep && c.class != place {
			continue
		}
		switch string(w) {
		case "in", "at", "on":
			i := c.End
			for i < st.main.End && r.folded[i] == ' ' {
				i++
			}
			n := r.article(i, st.main.End)
			if n < st.main.End && unicode.IsUpper(r.runes[n]) && !r.inValue(text.Span{Start: n, End: n + 1}) {
				return r.part(text.Span{Start: n, End: r.nameEnd(n, st.main.End)})
			}
		}
	}
	return Part{}
}

// nameEnd is the end of a run of capitalised words at i.
func (r *reader) nameEnd(i, end int) int {
	e := i
	for i < end {
		j := r.wordAt(i, end)
		if j == i {
			break
		}
		if !unicode.IsUpper(r.runes[i]) && !digit(r.runes[i]) {
			w := string(r.folded[i:j])
			if w != "of" && w != "the" && w != "and" && w != "de" && w != "van" && w != "von" {
				break
			}
			// A small word counts only between capitals.
			k := j
			for k < end && r.runes[k] == ' ' {
				k++
			}
			if w == "and" || k >= end || !unicode.IsUpper(r.runes[k]) {
				break
			}
			i = k
			continue
		}
		e = j
		i = j
		if i < end && r.runes[i] == '.' && j-e == 0 && i+1 < end && r.runes[i+1] == ' ' && j-i <= 0 {
			i++
		}
		if i >= end || r.runes[i] != ' ' {
			break
		}
		i++
	}
	return e
}

// phrase is the stretch from a position to the next predicate cue, comma or end.
func (r *reader) phrase(from, end int, han bool) text.Span {
	stop := min(end, from+maxPhrase)
	for _, c := range r.cuesIn(text.Span{Start: from, End: stop}) {
		if r.inValue(c.Span) || c.Start == from {
			continue
		}
		if han && (isPredicate(c.class) || c.class == prep || c.class == but || c.class == therefore || c.class == adverb) || !han && (conditional(c.class) || c.class == because || c.class == but || c.class == relative || c.class == before || c.class == after) {
			stop = min(stop, c.Start)
			break
		}
	}
	for i := from; i < stop; i++ {
		switch r.runes[i] {
		case '，', ',', '；', ';', '。':
			if i > from && !(digit(at(r.runes, i-1)) && digit(at(r.runes, i+1))) {
				return r.trim(text.Span{Start: from, End: i})
			}
		}
	}
	return r.trim(text.Span{Start: from, End: stop})
}
