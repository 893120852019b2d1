package fact

import (
	"slices"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// piece is a stretch of a sentence between separators outside brackets.
type piece struct {
	text.Span
	sep rune // the separator after it; 0 = the sentence ends
}

// split cuts a sentence at its separators.
func (r *reader) split(s text.Span) []piece {
	var out []piece
	start := s.Start
	emit := func(end int, sep rune) {
		p := text.Span{Start: start, End: end}
		for p.Start < p.End && trimmable(r.runes[p.Start]) {
			p.Start++
		}
		for p.End > p.Start && trimmable(r.runes[p.End-1]) {
			p.End--
		}
		if !p.Empty() {
			out = append(out, piece{p, sep})
		} else if len(out) > 0 && sep == ':' {
			out[len(out)-1].sep = ':'
		}
		start = end
	}
	for i := s.Start; i < s.End; i++ {
		c := r.runes[i]
		if i-start > maxClause && (c == ' ' || text.IsHan(c) || i-start > 2*maxClause) {
			emit(i, ',')
		}
		switch c {
		case '（', '(', '【', '[', '《', '“', '「', '『':
			if j := r.closing(i, s.End, 120); j > 0 {
				i = j
			}
		case '，', '；', '。', '！', '？':
			emit(i, c)
			start = i + 1
		case '：':
			emit(i, ':')
			start = i + 1
		case ',', ';', ':':
			prev, next := at(r.folded, i-1), at(r.folded, i+1)
			if (c == ',' || c == ':') && digit(prev) && digit(next) {
				continue
			}
			if next != 0 && next != ' ' && next != '\n' && next != '\t' && !text.IsHan(next) && next != '"' && next != '”' {
				continue
			}
			emit(i, c)
			start = i + 1
		case '—', '–':
			if at(r.runes, i-1) == ' ' && at(r.runes, i+1) == ' ' || c == '—' {
				if !r.inValue(text.Span{Start: i, End: i + 1}) {
					emit(i, ',')
					start = i + 1
				}
			}
		}
	}
	emit(s.End, 0)
	return out
}

func at(runes []rune, i int) rune {
	if i < 0 || i >= len(runes) {
		return 0
	}
	return runes[i]
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

// chinese reports whether a stretch is written in Chinese.
func (r *reader) chinese(s text.Span) bool {
	han, latin := 0, 0
	for i := s.Start; i < s.End; i++ {
		c := r.folded[i]
		switch {
		case text.IsHan(c):
			han += 3
		case c >= 'a' && c <= 'z':
			latin++
		}
	}
	return han > latin
}

// draft is a clause in the making.
type draft struct {
	text.Span             // with what leads into it
	main        text.Span // the part that states something
	conditions  []Condition
	chinese     bool
	step        int
	relative    bool // begins with which, who: about the noun before
	reported    bool // according to somebody
	partOf      bool // begins with 其中
	linked      bool // begins with otherwise: about what the sentence before said
	consequence Role
}

// assemble groups the pieces of a sentence into clauses and reads them.
func (r *reader) assemble(sentence int, body text.Span, pieces []piece) {
	if len(pieces) == 0 {
		return
	}
	r.aliases(body)
	st := &assembly{r: r, sentence: sentence, first: len(r.page.Clauses), start: -1}
	if r.lead.part.Text == "" && !r.inList {
		r.leadConds = nil
	}
	if r.chinese(body) {
		st.han(pieces)
	} else {
		st.latin(pieces)
	}
}

// assembly is the state while one sentence is put together.
type assembly struct {
	r        *reader
	sentence int
	first    int // first clause of the sentence
	start    int // where what leads into the next clause begins; -1 = nothing pending
	pending  []Condition
	step     int
	role     Role
	linked   bool
	partOf   bool
	reported bool
}

func (a *assembly) open(at int) {
	if a.start < 0 {
		a.start = at
	}
}

// emit reads a clause over main with everything that was pending.
func (a *assembly) emit(main text.Span, d draft) {
	if a.start < 0 || a.start > main.Start {
		a.start = main.Start
	}
	d.Span = text.Span{Start: a.start, End: main.End}
	d.main = main
	if d.conditions == nil {
		d.conditions = append([]Condition(nil), a.pending...)
	} else {
		d.conditions = append(append([]Condition(nil), a.pending...), d.conditions...)
	}
	d.step, a.step = a.step, 0
	d.consequence = a.role
	d.linked, a.linked = a.linked, false
	d.partOf, a.partOf = a.partOf, false
	d.reported = a.reported
	a.role = NoRole
	a.r.read(a.sentence, d)
	a.start = -1
}

// flush makes a clause of what is pending when the sentence ends without a main
// clause, so that its text is not lost.
func (a *assembly) flush(end int, chinese bool) {
	if a.start < 0 {
		return
	}
	s := a.r.trim(text.Span{Start: a.start, End: end})
	if s.Empty() {
		return
	}
	conds := a.pending
	a.pending = nil
	a.start = s.Start
	a.emit(s, draft{chinese: chinese})
	a.pending = conds
}

// firstCue is the first cue of a stretch outside values.
func (r *reader) firstCue(s text.Span) (cue, bool) {
	for _, c := range r.cuesIn(s) {
		if !r.inValue(c.Span) {
			return c, true
		}
	}
	return cue{}, false
}

func (r *reader) hasCue(s text.Span, classes ...cueClass) (cue, bool) {
	for _, c := range r.cuesIn(s) {
		for _, k := range classes {
			if c.class == k && !r.inValue(c.Span) {
				return c, true
			}
		}
	}
	return cue{}, false
}

// isPredicate reports whether a cue says something of a subject.
func isPredicate(c cueClass) bool {
	switch c {
	case neg, must, should, may, mustNot, caution, needNot, possible, planned, copula, beVerb, means, members, place, compare, verb, see, byAgent, onlyFor:
		return true
	}
	return false
}

// timeOnly reports whether a piece holds times and nothing else of content.
func (r *reader) timeOnly(s text.Span) bool {
	return len(r.timesIn(s)) > 0 && len(r.termsIn(s)) == 0 && len(r.quantsIn(s)) == 0
}

// han puts a Chinese sentence together.
func (a *assembly) han(pieces []piece) {
	r := a.r
	for k := 0; k < len(pieces); k++ {
		p := pieces[k]
		s := p.Span
		last := k == len(pieces)-1
		first, ok := r.firstCue(s)
		// Leading connectives say how the clause goes on; they are not its subject.
		for ok && first.Start <= s.Start && (first.class == but || first.class == also || first.class == andCue || first.class == instead || first.class == therefore || first.class == otherwise || first.class == former) {
			switch first.class {
			case otherwise:
				a.pending, a.linked = denyAll(r.prevConds), true
				a.open(p.Start)
			case therefore:
				a.role = Effect
			case former:
				if len(a.pending) == 0 {
					a.pending = append(a.pending, r.prevConds...)
				}
			}
			a.open(p.Start)
			s.Start = first.End
			s = r.trim(s)
			first, ok = r.firstCue(s)
		}
		if s.Empty() {
			continue
		}
		if n, end := r.stepMark(s); n > 0 {
			a.step = n
			a.open(p.Start)
			s = r.trim(text.Span{Start: end, End: s.End})
			if s.Empty() {
				continue
			}
			first, ok = r.firstCue(s)
		}
		if !last && len(r.termsIn(s)) == 0 && len(r.quantsIn(s)) == 0 && len(r.timesIn(s)) == 0 {
			a.partOf = a.partOf || string(r.folded[s.Start:min(s.Start+2, s.End)]) == "其中"
			a.open(p.Start) // 其中， by itself
			continue
		}
		if ok && !last && first.class == reported && first.Start == s.Start && s.Len() < 24 {
			a.reported = true
			a.open(p.Start)
			continue
		}
		if !last && r.timeOnly(s) && !(ok && first.class == exceptCue) {
			r.carry, r.near = append([]when.Expr(nil), r.timesIn(s)...), nil
			a.open(p.Start)
			continue
		}
		if p.sep == ':' && !last || p.sep == ':' && last {
			r.leadIn(s, a.pending)
			if last || r.statesMuch(s) {
				a.emit(s, draft{chinese: true})
			} else {
				a.open(p.Start)
			}
			continue
		}
		if c, found := r.endsExcept(s); found {
			a.exception(p.Span, text.Span{Start: s.Start, End: c.Start})
			continue
		}
		if cond, rest, found := r.hanCondition(s, first, ok, last, pieces, k); found {
			if cond.Kind != "" {
				a.pending = append(a.pending, cond)
			}
			a.open(p.Start)
			if rest.Empty() {
				if last {
					a.flush(p.End, true)
				}
				continue
			}
			s = rest
		}
		if !last && !r.predicated(s) && len(r.quantsIn(s)) == 0 && len(r.timesIn(s)) == 0 && s.Len() <= 24 && a.noClauseYet() && pieces[k].sep != '；' {
			// A topic before its comment: 岑莫喷雾，每瓶46元.
			r.setTopic(s)
			a.open(p.Start)
			continue
		}
		a.emit(s, draft{chinese: true})
		if p.sep == '；' || p.sep == ';' {
			a.pending = nil
		}
	}
	a.flush(pieces[len(pieces)-1].End, true)
}

func (a *assembly) noClauseYet() bool { return len(a.r.page.Clauses) == a.first }

// predicated reports whether a Chinese piece has a predicate that we know.
func (r *reader) predicated(s text.Span) bool {
	for _, c := range r.cuesIn(s) {
		if isPredicate(c.class) || c.class == prep || c.class == adverb || c.class == because || c.class == therefore {
			return true
		}
	}
	return false
}

// statesMuch reports whether what stands before a colon is a statement of its own.
func (r *reader) statesMuch(s text.Span) bool {
	if len(r.quantsIn(s)) > 0 {
		return true
	}
	for _, c := range r.cuesIn(s) {
		if isPredicate(c.class) && c.class != place && c.class != see {
			return true
		}
	}
	return false
}

// leadIn makes what stands before a colon the lead-in of what follows.
func (r *reader) leadIn(s text.Span, conds []Condition) {
	terms := r.termsIn(s)
	r.lead = subject{part: r.part(s), terms: weighted(terms, LeadIn, leadInWeight)}
	r.leadConds = append([]Condition(nil), conds...)
	if times := r.timesIn(s); len(times) > 0 {
		r.leadTimes = append([]when.Expr(nil), times...)
	}
	if !r.statesMuch(s) {
		r.setTopic(s)
	}
	r.local = subject{}
}

// setTopic makes a phrase the subject that later clauses inherit.
func (r *reader) setTopic(s text.Span) {
	terms := r.termsIn(s)
	if len(terms) == 0 {
		return
	}
	r.topic = subject{part: r.part(s), terms: terms}
	r.local = r.topic
	if r.first.part.Text == "" {
		r.first = r.topic
	}
}

// stepMark reads 第一步 (or "Step 2") at the beginning of a piece.
func (r *reader) stepMark(s text.Span) (n, end int) {
	f := r.folded
	i := s.Start
	// 用电过户的第三步，… : the mark may follow a short topic.
	for j := i; j < s.End && j-i < 16; j++ {
		if f[j] == '第' {
			if n, x := r.numbered(j, s.End); x > 0 && f[x] == '步' {
				if j > i {
					topic := text.Span{Start: i, End: j}
					if r.folded[j-1] == '的' {
						topic.End--
					}
					r.setTopic(topic)
				}
				return n, x + 1
			}
		}
	}
	if s.End-i > 6 && string(f[i:i+5]) == "step " {
		j := i + 5
		n := 0
		for j < s.End && digit(f[j]) && j-i < 9 {
			n = n*10 + int(f[j]-'0')
			j++
		}
		if n > 0 {
			return n, j
		}
	}
	return 0, 0
}

// endsExcept reports whether a piece ends in 除外, excepted.
func (r *reader) endsExcept(s text.Span) (cue, bool) {
	cs := r.cuesIn(s)
	if len(cs) == 0 {
		return cue{}, false
	}
	c := cs[len(cs)-1]
	return c, c.class == exceptEnd && c.End >= s.End && c.Start > s.Start
}

// exception binds an exception that follows the clause it limits.
func (a *assembly) exception(whole, what text.Span) {
	r := a.r
	for {
		c, ok := r.firstCue(what)
		if !ok || c.Start > what.Start || c.class == neg {
			break
		}
		what.Start = c.End
	}
	what = r.trim(what)
	cond := r.condition(Except, what)
	cond.Span = whole
	cond.Text = r.str(whole)
	if r.prevClause >= 0 {
		r.bind(r.prevClause, cond)
		r.exclude(r.prevClause, what)
	} else {
		a.pending = append(a.pending, cond)
		a.open(whole.Start)
	}
	if len(r.termsIn(what)) > 0 {
		r.topic = subject{part: r.part(what), terms: r.termsIn(what)}
		r.local = r.topic
	}
}

// bind adds a condition to a clause that was read before and to its facts.
func (r *reader) bind(clause int, c Condition) {
	cl := &r.page.Clauses[clause]
	if len(cl.Conditions) >= 16 {
		return
	}
	cl.Conditions = append(cl.Conditions[:len(cl.Conditions):len(cl.Conditions)], c)
	for i := cl.Facts[0]; i < cl.Facts[1]; i++ {
		f := &r.page.Facts[i]
		f.Conditions = cl.Conditions
	}
	r.prevConds = cl.Conditions
}

func denyAll(conds []Condition) []Condition {
	var out []Condition
	for _, c := range conds {
		switch c.Kind {
		case Unless:
			c.Kind = If
		case If, OnlyIf:
			c.Kind = If
			c.Negated = !c.Negated
		case Except:
			c.Kind = OnlyIf
		default:
			continue
		}
		out = append(out, c)
	}
	return out
}

// condition reads a condition over a span.
func (r *reader) condition(kind ConditionKind, s text.Span) Condition {
	s = r.trim(s)
	c := Condition{Kind: kind, Span: s, Text: r.str(s), Terms: r.termsIn(s), Quantities: r.quantsIn(s), Times: r.timesIn(s)}
	negs := 0
	for _, q := range r.cuesIn(s) {
		if r.inValue(q.Span) {
			continue
		}
		switch q.class {
		case neg, mustNot, withoutCue, needNot:
			negs++
		}
	}
	c.Negated = negs%2 == 1
	return c
}

// hanCondition recognises a piece that is a condition, an exception or a circumstance
// of what follows. With a rest, the piece goes on as a clause after the condition.
func (r *reader) hanCondition(s text.Span, first cue, ok, last bool, pieces []piece, k int) (Condition, text.Span, bool) {
	none := text.Span{}
	end := r.runes[s.End-1]
	cs := r.cuesIn(s)
	if ok {
		for _, c := range cs {
			if r.inValue(c.Span) {
				continue
			}
			// 客人如果未存放，… : the subject may stand before the conjunction.
			if c.class == ifCue || c.class == unlessCue || c.class == evenCue {
				if c.Start > s.Start && r.predicatedBefore(cs, c.Start) {
					break
				}
				kind := If
				switch c.class {
				case unlessCue:
					kind = Unless
				case evenCue:
					kind = Even
				}
				if c.Start > s.Start {
					r.setTopic(text.Span{Start: s.Start, End: c.Start})
				}
				if last {
					if kind == Unless {
						return Condition{}, none, false
					}
					return Condition{}, none, false
				}
				cond := r.condition(kind, text.Span{Start: c.End, End: s.End})
				cond.Span = text.Span{Start: c.Start, End: s.End}
				cond.Text = string(r.runes[c.Start:s.End])
				return cond, none, true
			}
			// 除…外
			if c.class == exceptCue && text.IsHan(r.folded[c.Start]) {
				closes := cs
				if last := (cue{text.Span{Start: s.End - 1, End: s.End}, outside}); r.folded[s.End-1] == '外' && last.Start > c.End+1 {
					closes = append(slices.Clip(cs), last) // 除残疾人专用车外: no 车外
				}
				for _, o := range closes {
					if o.class == outside && o.Start > c.End {
						what := text.Span{Start: c.End, End: o.Start}
						if c.Start > s.Start {
							r.setTopic(text.Span{Start: s.Start, End: c.Start})
						}
						rest := r.trim(text.Span{Start: o.End, End: s.End})
						follow := rest
						if rest.Empty() && k+1 < len(pieces) {
							follow = pieces[k+1].Span
						}
						if _, adds := r.hasCue(follow, also); adds {
							return Condition{}, rest, true
						}
						cond := r.condition(Except, what)
						cond.Span = text.Span{Start: c.Start, End: o.End}
						cond.Text = string(r.runes[c.Start:o.End])
						return cond, rest, true
					}
				}
			}
			if c.class == only && c.Start == s.Start && !last && string(r.folded[c.Start:c.End]) == "只有" {
				cond := r.condition(OnlyIf, s)
				return cond, none, true
			}
			if isPredicate(c.class) {
				break
			}
		}
	}
	if last {
		return Condition{}, none, false
	}
	_, modal := r.hasCue(s, may, must, mustNot, should, needNot, caution)
	ends := len(cs) > 0 && cs[len(cs)-1].class == verb && cs[len(cs)-1].End == s.End // 凭处方购买: a statement
	if ok && first.class == withCue && first.Start == s.Start && !modal && !ends {
		return r.condition(If, s), none, true
	}
	if end == '的' && s.Len() > 2 {
		if _, is := r.hasCue(s, copula, beVerb); !is {
			if t := r.subjectRegion(s); !t.Empty() && t.End < s.End-1 && len(r.quantsIn(t)) == 0 {
				r.setTopicIfNew(t)
			}
			return r.condition(If, s), none, true
		}
	}
	if len(cs) > 0 {
		c := cs[len(cs)-1]
		if q := r.quantsIn(text.Span{Start: c.End, End: s.End}); c.class == pastEnd && c.Start > s.Start && len(q) == 1 && q[0].Start <= c.End+1 && q[0].End == s.End && !modal && !r.predicatedBefore(cs, c.Start) {
			return r.condition(If, s), none, true // 租期届满前一个月，…
		}
		if c.End == s.End && (c.class == whenEnd || c.class == pastEnd) && c.Start > s.Start && !r.inValue(c.Span) && !modal {
			if t := r.subjectRegion(s); !t.Empty() && t.End < c.Start-1 && len(r.quantsIn(t)) == 0 {
				r.setTopicIfNew(t)
			}
			return r.condition(If, s), none, true
		}
	}
	return Condition{}, none, false
}

func (r *reader) predicatedBefore(cs []cue, end int) bool {
	for _, c := range cs {
		if c.End <= end && isPredicate(c.class) && !r.inValue(c.Span) {
			return true
		}
	}
	return false
}

// setTopicIfNew sets the topic from inside a condition; the old topic stays when the
// new phrase says nothing new.
func (r *reader) setTopicIfNew(s text.Span) {
	if len(r.termsIn(s)) > 1 {
		r.setTopic(s)
	}
}

// latin puts an English sentence together.
func (a *assembly) latin(pieces []piece) {
	r := a.r
	var cur text.Span // the clause being collected; empty = none
	curPred := false
	done := func() {
		if !cur.Empty() {
			a.clauses(cur)
			cur = text.Span{}
			curPred = false
		}
	}
	for k := 0; k < len(pieces); k++ {
		p := pieces[k]
		s := p.Span
		last := k == len(pieces)-1
		if n, end := r.stepMark(s); n > 0 {
			a.step = n
			a.open(s.Start)
			s = r.trim(text.Span{Start: end, End: s.End})
			if s.Empty() {
				continue
			}
		}
		first, ok := r.firstCue(s)
		lead := ok && first.Start == s.Start
		_, _, has := r.englishPredicate(s)
		if cur.Len() > maxClause {
			done()
		}
		if cur.Empty() || !curPred {
			// Before the first statement of the sentence.
			if lead && first.class == otherwise {
				a.pending, a.linked = denyAll(r.prevConds), true
				a.open(s.Start)
				s = r.trim(text.Span{Start: first.End, End: s.End})
				if s.Empty() {
					continue
				}
				_, _, has = r.englishPredicate(s)
				first, ok = r.firstCue(s)
				lead = ok && first.Start == s.Start
			}
			if lead && first.class == former {
				a.pending = append(a.pending, r.prevConds...)
			}
			if lead && first.class == therefore {
				a.role = Effect
			}
			if p.sep == ':' {
				done()
				r.leadIn(s, a.pending)
				if last || has {
					a.clauses(s)
				} else {
					a.open(s.Start)
				}
				continue
			}
			if lead && !last && conditional(first.class) && cur.Empty() {
				kind, what := r.conditionHead(first, s)
				// "If A, B and C, D": the condition goes on until a piece with a
				// predicate that does not begin with and/or.
				endAt := s.End
				for k+2 < len(pieces) {
					n, nok := r.firstCue(pieces[k+1].Span)
					_, _, np := r.englishPredicate(pieces[k+1].Span)
					if nok && n.Start == pieces[k+1].Start && n.class == andCue || !np {
						k++
						endAt = pieces[k].End
						continue
					}
					break
				}
				cond := r.condition(kind, text.Span{Start: what.Start, End: endAt})
				cond.Span = text.Span{Start: s.Start, End: endAt}
				cond.Text = string(r.runes[s.Start:endAt])
				a.pending = append(a.pending, cond)
				a.open(s.Start)
				continue
			}
			if !last && r.timeOnly(s) && cur.Empty() {
				r.carry, r.near = append([]when.Expr(nil), r.timesIn(s)...), nil
				a.open(s.Start)
				continue
			}
			if !last && !has && cur.Empty() && p.sep == ',' && lead && (first.class == prep || first.class == because || first.class == reported || first.class == purpose || first.class == after || first.class == before || first.class == also || first.class == but || first.class == former) {
				// An adverbial that opens the sentence.
				a.open(s.Start)
				a.reported = a.reported || first.class == reported
				if times := r.timesIn(s); len(times) > 0 {
					r.carry, r.near = append([]when.Expr(nil), times...), nil
				}
				continue
			}
			if cur.Empty() {
				cur = s
			} else {
				cur.End = s.End
			}
			curPred = curPred || has
			if p.sep == ';' {
				done()
				a.pending = nil
			}
			continue
		}
		switch {
		case lead && first.class == exceptEnd, r.excepted(s):
			done()
			c, _ := r.hasCue(s, exceptEnd)
			a.exception(s, text.Span{Start: s.Start, End: c.Start})
		case lead && conditional(first.class) && !last && has && r.startsClause(pieces[k+1].Span):
			// A condition between two statements belongs to the next one.
			done()
			kind, what := r.conditionHead(first, s)
			cond := r.condition(kind, what)
			cond.Span, cond.Text = s, r.str(s)
			a.pending = []Condition{cond}
			a.open(s.Start)
		case lead && (conditional(first.class) || first.class == because || first.class == prep):
			cur.End = s.End
		case p.sep == ':' && !last:
			cur.End = s.End
			r.leadIn(cur, a.pending)
			done()
		case lead && !has && r.deniesAnother(s):
			done() // may keep hens, but no ducks
			cur, curPred = s, true
		case lead && !has && !r.deniedCase(s).Empty():
			done() // may be photographed, but not with a flash
			a.exceptCase(s)
		case has && (lead && (first.class == andCue || first.class == but || first.class == conj || first.class == relative || first.class == otherwise || first.class == therefore || first.class == also) || r.startsClause(s)):
			done()
			a.pending = nil
			cur, curPred = s, true
		case !lead && !has && r.gapped(cur, s):
			done()
			cur, curPred = s, true
		default:
			cur.End = s.End
		}
		if p.sep == ';' {
			done()
			a.pending = nil
		}
	}
	done()
	a.flush(pieces[len(pieces)-1].End, false)
}

// has reports whether a stretch has a predicate of its own.
func (r *reader) has(s text.Span) bool {
	_, _, ok := r.englishPredicate(s)
	return ok
}

// deniedCase is the case that a piece without a verb takes out of the clause before it: with
// a flash, of "but not with a flash"; empty for none.
func (r *reader) deniedCase(s text.Span) text.Span {
	cs := r.cuesIn(s)
	at := 0
	if len(cs) > 1 && (cs[0].class == but || cs[0].class == andCue || cs[0].class == conj) && cs[1].Start == cs[0].End+1 {
		at = 1
	}
	if at+1 >= len(cs) || cs[0].Start > s.Start || cs[at].class != neg || string(r.folded[cs[at].Start:cs[at].End]) != "not" {
		return text.Span{}
	}
	if c := cs[at+1]; c.Start != cs[at].End+1 || c.class != prep && c.class != ifCue && c.class != before && c.class != after && c.class != withoutCue && c.class != place {
		return text.Span{}
	}
	return r.trim(text.Span{Start: cs[at].End, End: s.End})
}

// exceptCase takes a case out of the clause before it. Days are values, too, and stand in a
// clause of their own.
func (a *assembly) exceptCase(s text.Span) {
	r := a.r
	what := r.deniedCase(s)
	if len(r.timesIn(what)) == 0 {
		a.exception(s, what)
		return
	}
	main := r.prevClause
	a.latinClause(s)
	if main >= 0 {
		cond := r.condition(Except, what)
		cond.Text = r.str(s)
		r.bind(main, cond)
	}
}

// deniesAnother reports whether a piece without a verb denies of another thing what the clause
// before it says: but no ducks, but not the garden. Not on Sundays says when it does not hold.
func (r *reader) deniesAnother(s text.Span) bool {
	cs := r.cuesIn(s)
	if len(cs) == 0 {
		return false
	}
	at := 0
	if cs[0].class == but || cs[0].class == andCue || cs[0].class == conj {
		at = 1
	}
	if at >= len(cs) || cs[at].class != neg || at == 1 && cs[1].Start > cs[0].End+1 || cs[0].Start > s.Start {
		return false
	}
	if w := string(r.folded[cs[at].Start:cs[at].End]); w != "no" && w != "not" {
		return false
	}
	rest := text.Span{Start: cs[at].End, End: s.End}
	if terms := r.termsIn(rest); len(terms) == 0 || len(r.quantsIn(rest)) > 0 {
		return false
	}
	return at+1 >= len(cs) || cs[at+1].Start > cs[at].End+1
}

// excepted reports whether a piece ends in "excepted", "excluded".
func (r *reader) excepted(s text.Span) bool {
	c, ok := r.hasCue(s, exceptEnd)
	return ok && c.End == s.End && c.Start > s.Start
}

// startsClause reports whether a piece begins with a subject or a verb of its own.
func (r *reader) startsClause(s text.Span) bool {
	pred, _, ok := r.englishPredicate(s)
	return ok && pred-s.Start < 60
}

func conditional(c cueClass) bool {
	switch c {
	case ifCue, unlessCue, exceptCue, evenCue, onlyFor, withoutCue, whenCue:
		return true
	}
	return false
}

// conditionHead gives the kind of an English condition and its text without the
// conjunction.
func (r *reader) conditionHead(c cue, s text.Span) (ConditionKind, text.Span) {
	what := text.Span{Start: c.End, End: s.End}
	switch c.class {
	case unlessCue:
		return Unless, what
	case exceptCue:
		return Except, what
	case evenCue:
		return Even, what
	case onlyFor:
		return OnlyIf, what
	case withoutCue:
		return If, text.Span{Start: c.Start, End: s.End}
	}
	if c.Len() >= 4 && string(r.folded[c.Start:c.Start+4]) == "only" {
		return OnlyIf, what
	}
	return If, what
}

// clauses cuts an English statement at coordinated predicates and reads each part.
func (a *assembly) clauses(s text.Span) {
	r := a.r
	start := s.Start
	cs := r.cuesIn(s)
	pred, _, has := r.englishPredicate(s)
	inCond := false
	paired := slices.ContainsFunc(cs, func(c cue) bool { return c.class == each })
	for _, c := range cs {
		if paired && c.class == andCue {
			continue // respectively: and joins names and values, not statements
		}
		if conditional(c.class) && c.Start > pred {
			inCond = true // "if A and B": and belongs to the condition
		}
		if c.class == andCue && !inCond && c.Start > start && !r.inValue(c.Span) {
			left, rest := r.trim(text.Span{Start: start, End: c.Start}), r.trim(text.Span{Start: c.End, End: s.End})
			if _, _, ok := r.englishPredicate(rest); !ok && r.gapped(left, rest) {
				a.latinClause(left)
				start, a.start = c.End, c.Start
				continue
			}
		}
		if tail := r.trim(text.Span{Start: c.Start, End: s.End}); has && !inCond && c.Start > pred && (c.class == but || c.class == andCue) && c.Start > start && !r.inValue(c.Span) && r.deniesAnother(tail) {
			if left := r.trim(text.Span{Start: start, End: c.Start}); !left.Empty() && !r.has(tail) {
				a.latinClause(left)
				start, a.start = c.Start, c.Start
				break
			}
		} else if has && !inCond && c.Start > pred && c.class == but && c.Start > start && !r.deniedCase(tail).Empty() && !r.has(tail) {
			if left := r.trim(text.Span{Start: start, End: c.Start}); !left.Empty() {
				a.latinClause(left)
				a.exceptCase(tail)
				return
			}
		}
		if !has || c.Start <= start || (c.class != andCue && c.class != but && c.class != conj && c.class != instead) || r.inValue(c.Span) || c.End >= s.End {
			continue
		}
		if _, p, ok := r.englishPredicate(text.Span{Start: start, End: c.Start}); !ok || p > c.Start {
			continue
		}
		rest := r.trim(text.Span{Start: c.End, End: s.End})
		if rest.Empty() {
			continue
		}
		rp, _, ok := r.englishPredicate(rest)
		if !ok {
			continue
		}
		// A predicate at once ("and carries 3"), or a subject of its own close by.
		atOnce := rp == rest.Start || rp-rest.Start < 14 && !r.spaced(rest.Start, rp, 2)
		if inCond && !(atOnce && c.class == but) {
			continue
		}
		if !atOnce && (rp-rest.Start > 60 || !r.strongAt(rp)) {
			continue
		}
		left := r.trim(text.Span{Start: start, End: c.Start})
		if left.Empty() {
			continue
		}
		a.latinClause(left)
		start = c.End
		a.start = c.Start
		inCond = false
	}
	left := r.trim(text.Span{Start: start, End: s.End})
	if !left.Empty() {
		a.latinClause(left)
	}
}

// gapped reports whether rest is a second statement whose verb is left out: "a fridge
// costs 14 pounds | and a mattress 8 pounds". Both end in a quantity of one unit, and
// the second names something before its own. Further statements may follow it.
func (r *reader) gapped(left, rest text.Span) bool {
	ql, qr := r.quantsIn(left), r.quantsIn(rest)
	if len(ql) == 0 || len(qr) == 0 {
		return false
	}
	l, f := ql[len(ql)-1], qr[0]
	if l.Unit.Dim == quantity.None || l.Unit.Dim != f.Unit.Dim || l.Unit.Name != f.Unit.Name || l.Unit.Per != f.Unit.Per || !r.trim(text.Span{Start: l.End, End: left.End}).Empty() {
		return false
	}
	if len(qr) == 1 && !r.trim(text.Span{Start: f.End, End: rest.End}).Empty() {
		return false
	}
	named := r.termsIn(text.Span{Start: rest.Start, End: f.Start})
	return len(named) > 0 && !r.spaced(rest.Start, f.Start, 7)
}

// spaced reports whether at least n spaces stand in [s,e).
func (r *reader) spaced(s, e, n int) bool {
	for i := s; i < e; i++ {
		if r.folded[i] == ' ' {
			n--
		}
	}
	return n <= 0
}

// latinClause takes the conditions out of one English clause and reads it.
func (a *assembly) latinClause(s text.Span) {
	r := a.r
	d := draft{}
	whole := s
	for {
		first, ok := r.firstCue(s)
		if !ok || first.Start != s.Start {
			break
		}
		switch first.class {
		case andCue, but, also, conj, therefore, instead, otherwise:
			if first.class == therefore {
				a.role = Effect
			}
			if first.class == otherwise {
				a.pending, a.linked = denyAll(r.prevConds), true
			}
		case relative:
			d.relative = true
		default:
			ok = false
		}
		if !ok {
			break
		}
		next := r.trim(text.Span{Start: first.End, End: s.End})
		if next.Empty() {
			break
		}
		a.open(s.Start)
		s = next
		if d.relative {
			break
		}
	}
	pred, predEnd, has := r.englishPredicate(s)
	end := s.End
	var conds []Condition
	if has {
		cs := r.cuesIn(text.Span{Start: predEnd, End: s.End})
		for i := 0; i < len(cs); i++ {
			c := cs[i]
			if !conditional(c.class) || r.inValue(c.Span) || c.Start <= pred {
				continue
			}
			if string(r.folded[c.Start:c.End]) == "where" && c.Start-predEnd < 2 || r.nounBefore(c) {
				continue
			}
			stop := s.End
			for j := i + 1; j < len(cs); j++ {
				if conditional(cs[j].class) && !r.inValue(cs[j].Span) && cs[j].Start > c.End+2 && cs[j].class != withoutCue {
					stop = cs[j].Start
					break
				}
			}
			kind, what := r.conditionHead(c, text.Span{Start: c.Start, End: stop})
			cond := r.condition(kind, what)
			if len(cond.Terms) == 0 && len(cond.Quantities) == 0 && len(cond.Times) == 0 {
				continue
			}
			cond.Span = r.trim(text.Span{Start: c.Start, End: stop})
			cond.Text = r.str(cond.Span)
			conds = append(conds, cond)
			if c.Start < end {
				end = c.Start
			}
		}
	}
	d.conditions = conds
	main := r.trim(text.Span{Start: s.Start, End: end})
	if main.Empty() {
		main = s
	}
	if a.start < 0 {
		a.start = whole.Start
	}
	// The clause's span covers its conditions; its main part ends before them.
	if a.start > s.Start {
		a.start = s.Start
	}
	d.Span = text.Span{Start: a.start, End: s.End}
	d.main = main
	d.conditions = append(append([]Condition(nil), a.pending...), conds...)
	d.step, a.step = a.step, 0
	d.consequence = a.role
	d.linked, a.linked = a.linked, false
	d.partOf, a.partOf = a.partOf, false
	d.reported = a.reported
	a.role = NoRole
	r.read(a.sentence, d)
	a.start = -1
}

// nounBefore reports whether a conditional word is used otherwise: "once" and
// "however" at the end, "where" after a noun of place in a question.
func (r *reader) nounBefore(c cue) bool {
	w := string(r.folded[c.Start:c.End])
	return (w == "once" || w == "upon") && c.End >= len(r.folded)
}
