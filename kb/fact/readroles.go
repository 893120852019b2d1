package fact

import (
	"math/big"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// textFacts adds the facts whose value is a name or a phrase, where the form of the
// clause tells what it is: definitions, holders of an office, agents, places, members,
// causes, exceptions, steps.
func (r *reader) textFacts(st *statement, c *Clause, vals []value) {
	end := st.main.End
	denied := c.Denied
	for _, q := range st.cues {
		if q.Start < st.relEnd && q.class != means {
			continue
		}
		switch q.class {
		case means:
			r.phraseFact(st, Definition, text.Span{Start: q.End, End: r.sentenceEndOf(st)}, denied, 0.9)
			return
		case copula, beVerb:
			if q.Start < st.pred || q.End >= end || !st.chinese && q.Start != st.pred {
				continue
			}
			from := q.End
			if !st.chinese {
				from = max(from, st.predEnd)
			}
			s := r.trim(text.Span{Start: from, End: end})
			if s.Empty() || r.beginsValue(s) {
				continue
			}
			if len(r.quantsIn(s)) > 0 && len(r.termsIn(s)) <= 1 {
				continue
			}
			if st.chinese && (r.endsPlain(s) || r.takenAs(st, q)) {
				continue
			}
			if by, ok := r.hasCue(s, byAgent); ok && !st.chinese {
				_ = by // a passive: the agent is read below
				continue
			}
			if st.chinese || r.nominal(s) {
				r.phraseFact(st, IsA, s, denied, 0.75)
			}
		case byAgent:
			s := r.agent(st, q)
			if !s.Empty() {
				r.phraseFact(st, Agent, s, denied, 0.8)
			}
		case place:
			if q.Len() < 2 && st.chinese {
				continue
			}
			if s := r.phrase(q.End, end, st.chinese); !s.Empty() {
				r.phraseFact(st, Location, s, denied, 0.85)
			}
		case members:
			if q.Start >= st.main.Start {
				r.enumeration(st, text.Span{Start: q.End, End: end}, denied)
			}
		case because:
			if s := r.phrase(q.End, end, st.chinese); !s.Empty() {
				r.phraseFact(st, Cause, s, false, 0.8)
			}
		case therefore:
			if s := r.trim(text.Span{Start: q.End, End: end}); !s.Empty() && q.Start > st.main.Start {
				r.phraseFact(st, Effect, s, denied, 0.7)
			}
		}
	}
	if st.consequence == Effect {
		r.phraseFact(st, Effect, st.main, denied, 0.7)
	}
	for _, d := range st.conditions {
		if d.Kind == Except && st.Span.Contains(d.Span) && len(d.Terms) > 0 {
			first, last := d.Terms[0].Span, d.Terms[len(d.Terms)-1].Span
			r.phraseFact(st, Exclusion, text.Span{Start: first.Start, End: last.End}, !denied, 0.7)
		}
	}
	if st.step > 0 {
		// A step goes on to the end of the sentence or to the next step in it.
		s := text.Span{Start: st.main.Start, End: r.sentenceEndOf(st)}
		for i := s.Start + 1; i < s.End; i++ {
			if r.folded[i] == '第' {
				if n, x := r.numbered(i, s.End); n > 0 && r.folded[x] == '步' {
					s.End = i
				}
			}
		}
		r.phraseFact(st, Step, s, denied, 0.85)
	}
	r.nameFacts(st, denied)
}

// sentenceEndOf is the end of the text of the sentence that holds the clause.
func (r *reader) sentenceEndOf(st *statement) int {
	return max(st.main.End, r.trim(r.page.Sentences[st.sentence].Span).End)
}

// beginsValue reports whether a quantity or time stands at the beginning.
func (r *reader) beginsValue(s text.Span) bool {
	return r.inValue(text.Span{Start: s.Start, End: s.Start + 1})
}

// endsPlain reports whether a Chinese complement is the 的 of emphasis (是…的).
func (r *reader) endsPlain(s text.Span) bool { return r.folded[s.End-1] == '的' }

// takenAs reports whether a 为 belongs to 以…为….
func (r *reader) takenAs(st *statement, q cue) bool {
	if r.folded[q.Start] != '为' {
		return false
	}
	for _, c := range r.cuesIn(text.Span{Start: max(st.main.Start, q.Start-16), End: q.Start}) {
		if c.class == prep && r.folded[c.Start] == '以' {
			return true
		}
	}
	return false
}

// nominal reports whether an English complement begins like a noun phrase.
func (r *reader) nominal(s text.Span) bool {
	var buf [16]byte
	w := string(r.asciiWord(buf[:0], s.Start, r.wordAt(s.Start, s.End)))
	switch w {
	case "a", "an", "the", "one", "its", "their", "his", "her":
		return true
	}
	return unicode.IsUpper(r.runes[s.Start])
}

// agent is who acts: Y in 由Y承担, built by Y.
func (r *reader) agent(st *statement, q cue) text.Span {
	end := st.main.End
	if st.chinese {
		for _, c := range r.cuesIn(text.Span{Start: q.End, End: end}) {
			if c.Start > q.End+1 && (c.class == verb || isPredicate(c.class) || c.class == adverb) {
				return r.trim(text.Span{Start: q.End, End: c.Start})
			}
		}
		return text.Span{}
	}
	if q.Start < st.predEnd {
		return text.Span{}
	}
	s := r.phrase(q.End, r.clauseEnd(st), false)
	if s.Empty() || r.beginsValue(s) {
		return text.Span{}
	}
	// "by its director, Anneke Stroud": the name stands in apposition.
	if i := s.End; i+2 < st.main.End && r.runes[i] == ',' && unicode.IsUpper(r.runes[i+2]) {
		s.End = r.nameEnd(i+2, st.main.End)
	}
	for _, c := range r.cuesIn(s) {
		if (c.class == prep && string(r.folded[c.Start:c.End]) != "of" || c.class == andCue && c.End+1 < s.End && !unicode.IsUpper(r.runes[c.End+1])) && c.Start > s.Start+1 {
			return r.trim(text.Span{Start: s.Start, End: c.Start})
		}
	}
	return s
}

func (r *reader) clauseEnd(st *statement) int { return st.main.End }

// phraseFact adds a fact with a phrase as its value.
func (r *reader) phraseFact(st *statement, role Role, s text.Span, denied bool, confidence float64) {
	s = r.trim(s)
	if s.Len() > maxPhrase {
		s.End = s.Start + maxPhrase
	}
	if s.Empty() || len(r.page.Facts) > 0 && len(r.page.Facts)-r.page.Clauses[st.index].Facts[0] > 2*maxValues {
		return
	}
	c := &r.page.Clauses[st.index]
	span := st.Span
	span.End = max(span.End, s.End)
	kind := TextValue
	if role != Step && role != Cause && role != Effect && role != Definition && r.nameLike(s) {
		kind = EntityValue
	}
	v := value{Span: s, own: st.Span}
	f := Fact{
		Span: span, Sentence: st.sentence, Clause: st.index, Subject: st.owner, Attribute: st.attr,
		Value: Value{Kind: kind, Text: r.str(s), Span: s},
		Times: st.times, Conditions: st.conditions, Denied: denied, Modality: c.Modality, Quantifier: c.Quantifier, Hedged: c.Hedged,
		Role: role, Confidence: confidence, Place: st.place,
	}
	if role == Agent {
		if a := r.actionOf(st, s); a.Text != "" {
			f.Attribute = a
		}
	}
	if f.Attribute.Text == "" && st.predEnd > st.pred {
		f.Attribute = r.part(text.Span{Start: st.pred, End: min(st.predEnd, s.Start)})
	}
	f.Anchors = r.anchors(st, &v, st.Span)
	f.Complete = f.Subject.Text != "" && (f.Attribute.Text != "" || role != NoRole)
	r.page.Facts = append(r.page.Facts, f)
}

// actionOf is what an agent does: the verb after Y in 由Y承担, before by in built by Y.
func (r *reader) actionOf(st *statement, s text.Span) Part {
	if st.chinese {
		end := st.main.End
		for _, c := range r.cuesIn(text.Span{Start: s.End, End: end}) {
			if c.class == verb {
				return r.part(c.Span)
			}
		}
		return r.part(text.Span{Start: s.End, End: min(end, s.End+6)})
	}
	ts := r.termsIn(text.Span{Start: st.pred, End: s.Start})
	if len(ts) == 0 {
		return Part{}
	}
	return r.part(ts[len(ts)-1].Span)
}

// nameLike reports whether a phrase is a name rather than a description.
func (r *reader) nameLike(s text.Span) bool {
	if r.chinese(s) {
		if s.Len() > 14 {
			return false
		}
		for _, c := range r.cuesIn(s) {
			if c.class != andCue {
				return false
			}
		}
		for i := s.Start; i < s.End; i++ {
			if r.folded[i] == '的' {
				return false
			}
		}
		return true
	}
	i := r.article(s.Start, s.End)
	return i < s.End && (unicode.IsUpper(r.runes[i]) || r.endsWithName(s))
}

// endsWithName reports whether a phrase ends in a capitalised name (its director, A B).
func (r *reader) endsWithName(s text.Span) bool {
	i := s.End
	for i > s.Start && r.runes[i-1] != ' ' {
		i--
	}
	return i > s.Start && unicode.IsUpper(r.runes[i])
}

// nameFacts adds an entity fact for each name in the predicate that no other fact of
// the clause has as its value.
func (r *reader) nameFacts(st *statement, denied bool) {
	if st.chinese {
		return
	}
	lo := r.page.Clauses[st.index].Facts[0]
	n := 0
	for i := max(st.pred, st.main.Start); i < st.main.End && n < 8; {
		if !wordRune(r.folded[i]) {
			i++
			continue
		}
		j := r.wordAt(i, st.main.End)
		if unicode.IsUpper(r.runes[i]) && j-i > 1 && !r.inValue(text.Span{Start: i, End: j}) && !st.conditional(text.Span{Start: i, End: j}) {
			s := text.Span{Start: i, End: max(j, r.nameEnd(i, st.main.End))}
			i = s.End
			covered := false
			for _, f := range r.page.Facts[min(lo+1, len(r.page.Facts)):] {
				if f.Clause == st.index && f.Value.Kind == EntityValue && f.Value.Span.Overlaps(s) {
					covered = true
				}
			}
			if !covered && len(r.termsIn(s)) > 0 {
				r.phraseFact(st, NoRole, s, denied, 0.5)
				n++
			}
			continue
		}
		i = j
	}
}

// enumeration adds a fact for each item after 包括, include, 分为.
func (r *reader) enumeration(st *statement, s text.Span, denied bool) {
	s = r.trim(s)
	if s.Empty() {
		return
	}
	n := 0
	for _, item := range r.items(s) {
		if n++; n > maxMembers {
			return
		}
		if q := r.quantsIn(item); len(q) == 1 && q[0].Len()+1 >= item.Len() || r.beginsValue(item) && len(r.termsIn(item)) == 0 {
			continue // 分为三类: how many there are, not one of them
		}
		r.phraseFact(st, Member, item, denied, 0.75)
	}
}

// items cuts an enumeration at commas and conjunctions outside brackets.
func (r *reader) items(s text.Span) []text.Span {
	var out []text.Span
	start := s.Start
	cut := func(end, next int) {
		if p := r.trim(text.Span{Start: start, End: end}); !p.Empty() {
			out = append(out, p)
		}
		start = next
	}
	cs := r.cuesIn(s)
	k := 0
	for i := s.Start; i < s.End; i++ {
		for k < len(cs) && cs[k].Start < i {
			k++
		}
		switch r.runes[i] {
		case '（', '(', '“', '《':
			if j := r.closing(i, s.End, 80); j > 0 {
				i = j
				continue
			}
		case '，', '；', ';':
			cut(i, i+1)
			continue
		case ',':
			if !(digit(at(r.runes, i-1)) && digit(at(r.runes, i+1))) {
				cut(i, i+1)
			}
			continue
		}
		if k < len(cs) && cs[k].Start == i && cs[k].class == andCue && !r.inValue(cs[k].Span) {
			cut(i, cs[k].End)
			i = cs[k].End - 1
		}
	}
	cut(s.End, s.End)
	return out
}

// pair joins names or times with values where the text says respectively.
func (r *reader) pair(st *statement, vals []value) {
	var mark cue
	found := false
	for _, c := range st.cues {
		if c.class == each {
			mark, found = c, true
			break
		}
	}
	if !found {
		return
	}
	// The values: quantities outside conditions, else times after the mark.
	var qs, ts []int
	for i := range vals {
		switch {
		case vals[i].cond:
		case vals[i].quantity != nil:
			if st.chinese && vals[i].Start < mark.Start {
				continue
			}
			qs = append(qs, i)
		default:
			ts = append(ts, i)
		}
	}
	targets := qs
	if len(targets) < 2 {
		targets = nil
		for _, i := range ts {
			if vals[i].Start > mark.Start || !st.chinese {
				targets = append(targets, i)
			}
		}
	}
	if len(targets) < 2 {
		return
	}
	first := vals[targets[0]].Start
	if len(qs) == len(targets) {
		var early []int
		for _, i := range ts {
			if vals[i].End <= first {
				early = append(early, i)
			}
		}
		if len(early) == len(targets) {
			for k, i := range targets {
				vals[i].with = vals[early[k]].time
				vals[i].own = text.Span{Start: vals[i].own.Start, End: vals[i].own.End}
			}
			return
		}
	}
	shareUnit(vals, targets)
	names := r.namesBefore(st, min(first, max(mark.Start, st.main.Start+1)), len(targets))
	if len(names) != len(targets) {
		if len(r.names) != len(targets) {
			return
		}
		names = r.names // the second list of a paragraph reuses the names
	} else {
		r.names = names
	}
	for k, i := range targets {
		vals[i].named = names[k]
		for m := range names {
			if m != k {
				vals[i].others = append(vals[i].others, names[m].Span)
			}
		}
	}
}

// shareUnit gives the unit of the last value of a list to those before it that have
// none: 11 and 9 hours.
func shareUnit(vals []value, targets []int) {
	last := vals[targets[len(targets)-1]].quantity
	if last == nil || last.Unit.Dim == quantity.None {
		return
	}
	for _, i := range targets[:len(targets)-1] {
		q := vals[i].quantity
		if q == nil || q.Unit.Dim != quantity.None || q.Noun != "" {
			continue
		}
		with := *q
		with.Unit, with.Noun, with.NounSpan = last.Unit, last.Noun, text.Span{}
		scale := func(x *big.Rat) *big.Rat {
			if x == nil || last.Unit.Factor == nil {
				return x
			}
			return new(big.Rat).Mul(x, last.Unit.Factor)
		}
		with.Lo, with.Hi, with.Step = scale(q.Lo), scale(q.Hi), scale(q.Step)
		vals[i].quantity = &with
	}
}

// namesBefore finds an enumeration of n items that ends before a position.
func (r *reader) namesBefore(st *statement, end, n int) []Part {
	region := text.Span{Start: st.Span.Start, End: end}
	var items []text.Span
	if st.chinese {
		items = r.items(region)
	} else {
		// The names end before a verb: the predicate, or another where a noun of the
		// subject was taken for it (the night trains to … take).
		ends := []int{st.pred}
		cs := r.cuesIn(region)
		for i := len(cs) - 1; i >= 0; i-- {
			if cs[i].class == verb || cs[i].class == beVerb {
				ends = append(ends, cs[i].Start)
			}
		}
		for _, e := range append(ends, end) {
			if e <= region.Start || e > end {
				continue
			}
			if items = r.items(text.Span{Start: region.Start, End: e}); len(items) >= n {
				break
			}
		}
	}
	if len(items) < n {
		return nil
	}
	items = items[len(items)-n:]
	out := make([]Part, 0, n)
	for k, s := range items {
		switch {
		case st.chinese && k == n-1:
			for i := s.Start; i < s.End; i++ {
				if r.folded[i] == '的' {
					s.End = i
					break
				}
			}
		case k == 0:
			// The first item follows the words that all of them share.
			cs := r.cuesIn(s)
			for i := len(cs) - 1; i >= 0; i-- {
				if cs[i].class == prep || !st.chinese && cs[i].class == verb {
					s.Start = cs[i].End
					break
				}
			}
		}
		if t := r.timesIn(s); len(t) > 0 && t[0].Start == s.Start {
			s.Start = t[len(t)-1].End
		}
		p := r.part(s)
		if p.Text == "" {
			return nil
		}
		out = append(out, p)
	}
	return out
}

// comparison reads what a stretch compares with, and in which direction.
func (r *reader) comparison(st *statement, s text.Span) *Comparison {
	cs := r.cuesIn(s)
	for i, c := range cs {
		if c.class != compare && c.class != before && c.class != after || r.inValue(c.Span) {
			continue
		}
		if c.class != compare {
			// Order of two events: both sides have a predicate.
			if st.chinese || c.Start <= st.predEnd || r.beginsValue(text.Span{Start: min(c.End+1, len(r.runes)-1), End: min(c.End+2, len(r.runes))}) {
				continue
			}
			rest := r.trim(text.Span{Start: c.End, End: s.End})
			if rest.Empty() || len(r.termsIn(rest)) == 0 {
				continue
			}
			op := "before"
			if c.class == after {
				op = "after"
			}
			return &Comparison{Op: op, Word: r.part(c.Span), Other: r.part(rest)}
		}
		word := string(r.folded[c.Start:c.End])
		out := &Comparison{Word: r.part(c.Span)}
		from := c.End
		stop := s.End
		for _, q := range r.quantsIn(text.Span{Start: from, End: s.End}) {
			if q.Unit.Dim != quantity.Ordinal {
				stop = q.Start
				break
			}
		}
		tail := text.Span{Start: from, End: stop}
		switch word {
		case "比", "较", "相比", "较上年", "比上年", "同比", "环比", "compared with", "compared to", "than":
			// The direction follows (比B高) or stands before (11% higher than).
			out.Op = direction(string(r.folded[c.Start:min(s.End, c.End+40)]))
			if word == "than" {
				out.Op = direction(string(r.folded[max(s.Start, c.Start-24):c.Start]))
			}
			if word == "同比" || word == "环比" || word == "较上年" || word == "比上年" {
				out.Other = Part{Text: r.str(c.Span), Span: c.Span}
				return out
			}
			for j := from + 1; j < stop; j++ {
				if st.chinese && strings.ContainsRune("高低多少大小长短快慢早晚重轻增减上下好", r.folded[j]) && directionOf(r.folded[j]) != "" {
					stop = j
					break
				}
			}
			tail.End = stop
		default:
			out.Op = direction(word)
		}
		for _, n := range cs[i+1:] {
			if n.Start >= tail.Start && n.Start < tail.End && (n.class == andCue || n.class == but || n.class == compare || isPredicate(n.class)) {
				tail.End = n.Start
				break
			}
		}
		out.Other = r.part(tail)
		return out
	}
	return nil
}

func directionOf(r rune) string {
	switch r {
	case '高', '多', '大', '长', '快', '重', '增', '上', '好', '优', '强', '超':
		return "gt"
	case '低', '少', '小', '短', '慢', '轻', '减', '下', '降', '差', '劣', '弱':
		return "lt"
	case '早', '先':
		return "before"
	case '晚', '迟', '后':
		return "after"
	}
	return ""
}

// direction reads the direction of comparing words.
func direction(s string) string {
	for _, w := range []struct{ word, op string }{
		{"earlier", "before"}, {"younger", "lt"}, {"older", "gt"}, {"later", "after"}, {"more", "gt"}, {"fewer", "lt"}, {"less", "lt"}, {"higher", "gt"}, {"lower", "lt"},
		{"greater", "gt"}, {"larger", "gt"}, {"bigger", "gt"}, {"smaller", "lt"}, {"faster", "gt"}, {"slower", "lt"}, {"longer", "gt"}, {"shorter", "lt"}, {"cheaper", "lt"},
		{"heavier", "gt"}, {"lighter", "lt"}, {"better", "gt"}, {"worse", "lt"}, {"exceed", "gt"}, {"outnumber", "gt"}, {"outperform", "gt"}, {"twice", "gt"}, {"increase", "gt"}, {"up ", "gt"}, {"down ", "lt"}, {"decrease", "lt"},
		{"不如", "lt"}, {"不及", "lt"},
	} {
		if strings.Contains(s, w.word) {
			return w.op
		}
	}
	for _, r := range s {
		if op := directionOf(r); op != "" {
			return op
		}
	}
	return ""
}

// reference notes a pointer to text elsewhere and reports whether the clause says
// nothing else.
func (r *reader) reference(st *statement) bool {
	for _, c := range st.cues {
		if c.class != see || c.End >= st.main.End && !strings.Contains(string(r.folded[c.Start:c.End]), "公布") && !strings.Contains(string(r.folded[c.Start:c.End]), "announced") {
			continue
		}
		target := r.part(text.Span{Start: c.End, End: st.main.End})
		word := string(r.folded[c.Start:c.End])
		if word == "see" || word == "见" {
			// "see" with an ordinary object is no pointer.
			if !pointer(target.Text) {
				continue
			}
		}
		r.page.References = append(r.page.References, Reference{Span: text.Span{Start: c.Start, End: st.main.End}, Target: target.Text})
		return len(r.quantsIn(text.Span{Start: st.main.Start, End: c.Start})) == 0
	}
	return false
}

// pointer reports whether a phrase names a place in a text.
func pointer(s string) bool {
	l := strings.ToLower(s)
	for _, w := range []string{"《", "第", "附", "表", "图", "本", "下", "上", "章", "appendix", "annex", "section", "table", "figure", "chapter", "article", "page", "http", "below", "above", "schedule", "part ", "clause", "paragraph", "list", "guide", "documentation", "["} {
		if strings.Contains(l, w) {
			return true
		}
	}
	return false
}

// aliases reads the short names that a sentence defines: X（以下简称“Y”）, X
// (hereinafter "Y"), X (the "Y"), X (ABC).
func (r *reader) aliases(s text.Span) {
	for i := s.Start; i < s.End; i++ {
		if r.folded[i] != '(' {
			continue
		}
		j := -1
		for k := i + 1; k < s.End && k-i < 60; k++ {
			if r.folded[k] == ')' {
				j = k
				break
			}
		}
		if j < 0 || i == s.Start {
			continue
		}
		inner := text.Span{Start: i + 1, End: j}
		c, ok := r.hasCue(inner, alias)
		short := inner
		switch {
		case ok:
			short.Start = c.End
		case r.quotedName(inner):
		case r.abbreviation(inner):
		default:
			continue
		}
		name := strings.Trim(r.str(short), " ,:：，为“”\"'‘’《》「」")
		name = strings.TrimPrefix(name, "the ")
		name = strings.Trim(name, " “”\"'")
		full := r.fullName(s.Start, i, ok || r.quotedName(inner), len([]rune(name)))
		if name != "" && full != "" && len([]rune(name)) < 40 && !strings.EqualFold(name, full) {
			r.page.Aliases = append(r.page.Aliases, Alias{Short: name, Full: full})
		}
		i = j
	}
}

// quotedName reports whether a bracket holds nothing but a quoted name.
func (r *reader) quotedName(s text.Span) bool {
	i := r.article(s.Start, s.End)
	if i >= s.End {
		return false
	}
	switch r.runes[i] {
	case '"', '“', '「', '‘':
		return true
	}
	return false
}

// abbreviation reports whether a bracket holds nothing but capitals: (WHO), (GDPR).
func (r *reader) abbreviation(s text.Span) bool {
	if s.Len() < 2 || s.Len() > 8 {
		return false
	}
	capitals := 0
	for i := s.Start; i < s.End; i++ {
		switch {
		case unicode.IsUpper(r.runes[i]):
			capitals++
		case digit(r.runes[i]) || r.runes[i] == '-':
		default:
			return false
		}
	}
	return capitals >= 2 && !r.inValue(s)
}

// fullName is the name before a bracket: the Han run, or the capitalised words.
func (r *reader) fullName(start, end int, defined bool, shortLen int) string {
	e := end
	for e > start && r.runes[e-1] == ' ' {
		e--
	}
	if e == start {
		return ""
	}
	last := r.runes[e-1]
	if last == '》' || last == '”' {
		for i := e - 1; i > start; i-- {
			if r.runes[i] == '《' || r.runes[i] == '“' {
				return string(r.runes[i+1 : e-1])
			}
		}
	}
	b := e
	if text.IsHan(last) {
		for b > start && (text.IsHan(r.folded[b-1]) || wordRune(r.folded[b-1])) && e-b < 30 {
			b--
		}
		cs := r.cuesIn(text.Span{Start: b, End: e})
		for i := len(cs) - 1; i >= 0; i-- {
			switch cs[i].class {
			case prep, copula, byAgent, verb, place, must, see, pronoun, but:
				if cs[i].End < e {
					return string(r.runes[cs[i].End:e])
				}
			}
		}
		return string(r.runes[b:e])
	}
	// Capitalised words, with small words between them.
	words := 0
	best := e
	for b > start {
		k := b
		for k > start && r.runes[k-1] != ' ' {
			k--
		}
		w := r.runes[k:b]
		if len(w) == 0 {
			break
		}
		if words++; words > 10 {
			break
		}
		if unicode.IsUpper(w[0]) {
			best = k
		} else if lw := strings.ToLower(string(w)); lw != "of" && lw != "the" && lw != "and" && lw != "for" && lw != "in" {
			if !defined || best < e {
				break
			}
			if words <= 3 {
				best = k
			}
		}
		b = k
		for b > start && r.runes[b-1] == ' ' {
			b--
		}
	}
	full := strings.TrimSpace(string(r.runes[best:e]))
	full = strings.TrimPrefix(strings.TrimPrefix(full, "The "), "the ")
	if !defined && len(strings.Fields(full)) < 2 && shortLen < 5 && len(full) < 2*shortLen {
		return ""
	}
	return full
}

// exclude adds the exception that follows a clause as a fact of its own.
func (r *reader) exclude(clause int, what text.Span) {
	cl := &r.page.Clauses[clause]
	if cl.Facts[1] != len(r.page.Facts) || what.Empty() {
		return
	}
	f := Fact{
		Span: text.Span{Start: cl.Start, End: max(cl.End, what.End)}, Sentence: cl.Sentence, Clause: clause, Subject: cl.Topic,
		Value: Value{Kind: TextValue, Text: r.str(what), Span: what},
		Times: cl.Times, Conditions: cl.Conditions, Denied: !cl.Denied, Modality: cl.Modality, Role: Exclusion, Confidence: 0.8,
	}
	if r.nameLike(what) {
		f.Value.Kind = EntityValue
	}
	n := 0
	for _, t := range append(append([]Term(nil), r.termsIn(what)...), cl.Terms...) {
		if n++; n > maxAnchors {
			break
		}
		f.Anchors = append(f.Anchors, t)
	}
	r.page.Facts = append(r.page.Facts, f)
	cl.Facts[1] = len(r.page.Facts)
}

// listItem adds the fact that an item belongs to the list its lead-in announces.
func (r *reader) listItem(sentence int, body text.Span, number int) {
	if r.lead.part.Text == "" && len(r.headings) == 0 || body.Len() > maxPhrase*2 {
		return
	}
	info := r.page.Sentences[sentence]
	if info.Clauses[0] == info.Clauses[1] {
		return
	}
	clause := info.Clauses[1] - 1
	cl := &r.page.Clauses[clause]
	role := Member
	lead := strings.ToLower(r.lead.part.Text)
	if number > 0 && (r.page.Clauses[info.Clauses[0]].Imperative || strings.Contains(lead, "步") || strings.Contains(lead, "step") || strings.Contains(lead, "程序") || strings.Contains(lead, "流程")) {
		role = Step
	}
	s := r.trim(body)
	if s.Empty() {
		return
	}
	f := Fact{
		Span: info.Span, Sentence: sentence, Clause: clause, Subject: r.lead.part,
		Value: Value{Kind: TextValue, Text: r.str(s), Span: s},
		Times: cl.Times, Conditions: cl.Conditions, Denied: cl.Denied, Modality: cl.Modality, Role: role, Confidence: 0.7, Complete: r.lead.part.Text != "",
	}
	f.Anchors = append(f.Anchors, cl.Context...)
	for _, t := range r.termsIn(s) {
		if len(f.Anchors) >= maxAnchors {
			break
		}
		f.Anchors = append(f.Anchors, t)
	}
	r.page.Facts = append(r.page.Facts, f)
	cl.Facts[1] = len(r.page.Facts)
}
