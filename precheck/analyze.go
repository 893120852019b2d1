package precheck

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// Analyze reads a question.
func (p *Precheck) Analyze(ctx context.Context, q kb.Question) (kb.Analysis, error) {
	if err := ctx.Err(); err != nil {
		return kb.Analysis{}, fmt.Errorf("analyze question: %w", err)
	}
	if strings.TrimSpace(q.Text) == "" {
		return kb.Analysis{}, kb.Invalid("question", "is empty; write a question")
	}
	asOf := q.AsOf
	if asOf.IsZero() {
		y, m, d := time.Now().Date()
		asOf = time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	question, note := p.complete(q, asOf)
	a := p.analyze(question, asOf)
	if n := asked(a); n > maxAsked {
		return kb.Analysis{}, kb.Invalid("question", "asks %d things; at most %d are answered at once: ask the others in a question of their own", n, maxAsked)
	}
	a.Original = q.Text
	if _, _, framed := p.frame(question); framed && a.Clarify == nil {
		p.askBack(&a, "attribute")
	}
	if note != "" {
		a.Decided = append([]string{note}, a.Decided...)
	}
	return a, nil
}

// maxAsked is how many things one question may ask: each is compared with all that was
// found, and costs about as much as a question of its own.
const maxAsked = 24

// asked counts the things that an answer must hold.
func asked(a kb.Analysis) int {
	n := 0
	for _, s := range a.Slots {
		if s.Role == kb.Asked && s.Required {
			n++
		}
	}
	return n
}

// analyze reads a question that stands by itself.
func (p *Precheck) analyze(question string, asOf time.Time) kb.Analysis {
	r := p.read(question, asOf)
	a := kb.Analysis{Question: question, Original: question, AsOf: asOf, Language: r.lang, Modal: r.modal}
	asking := r.asking()
	r.classify(&a, asking)
	r.assign()
	r.period(&a)
	a.Now = r.now
	if missing := r.vague(&a, asking); missing != nil {
		a.Class, a.Classes = kb.Vague, vagueOver(a.Classes)
		a.Probability = a.Classes[0].Probability
		a.Clarify = &kb.Clarify{Missing: missing, Prompt: p.rules.prompt(r.lang, missing)}
		r.decided = append(r.decided, "nothing is named")
		r.given(&a, false)
		for _, m := range missing {
			a.Slots = append(a.Slots, kb.Slot{Name: m, Role: kb.Asked, Required: true})
		}
	} else {
		r.slots(&a, asking)
	}
	a.Risk = r.risk(&a)
	a.Expansions = p.expansions(r, &a)
	a.Decided = r.decided
	return a
}

// askBack turns the analysis of a follow-up without a question before it into a
// vague one.
func (p *Precheck) askBack(a *kb.Analysis, missing string) {
	a.Class, a.Classes = kb.Vague, vagueOver(a.Classes)
	a.Probability = a.Classes[0].Probability
	a.Slots = slices.DeleteFunc(a.Slots, func(s kb.Slot) bool { return s.Role == kb.Asked })
	a.Slots = append(a.Slots, kb.Slot{Name: missing, Role: kb.Asked, Required: true})
	a.Clarify = &kb.Clarify{Missing: []string{missing}, Prompt: p.rules.prompt(a.Language, []string{"question"})}
	a.Decided = append(a.Decided, "a follow-up without the question before")
}

// asking lists the clauses that ask.
func (r *reading) asking() []int {
	var out []int
	for i := range r.clauses {
		if r.clauses[i].rule >= 0 && !r.clauses[i].steer {
			out = append(out, i)
		}
	}
	// A condition in front ("if I cancel …") asks nothing; a tail like 可以吗 or
	// "right" only repeats that something is asked.
	if len(out) > 1 {
		kept := out[:0:0]
		for _, i := range out {
			c := r.clauses[i]
			own := false
			for _, ch := range r.chunks {
				own = own || ch.clause == i
			}
			strong := r.p.rules.rules[c.rule].Prio >= 70 || c.noun || r.p.rules.rules[c.rule].Noun && own
			if strong && (own || c.class != kb.Condition) {
				kept = append(kept, i)
			}
		}
		if len(kept) > 0 {
			out = kept
		}
	}
	return out
}

// classify sets class, probability and the list of classes.
func (r *reading) classify(a *kb.Analysis, asking []int) {
	p := map[kb.Class]float64{}
	var c *clause
	var keyword kb.Class
	if len(asking) > 0 {
		c = &r.clauses[asking[0]]
		p[c.class] = c.confidence
		r.decided = append(r.decided, fmt.Sprintf("rule %s: %q", r.p.rules.rules[c.rule].ID, r.formText(*c)))
	} else if class, words := r.keywords(); class != "" {
		keyword = class
		p[class] = 0.6
		r.decided = append(r.decided, "keyword "+words)
	} else {
		p[kb.Definition] = 0.5
		r.decided = append(r.decided, "no question form")
	}
	if r.p.model != nil {
		byRule := spread(p)[0].Class
		p = r.blend(r.p.model, c, keyword)
		if top := spread(p)[0]; top.Class != byRule {
			r.decided = append(r.decided, fmt.Sprintf("model and rules: %s %.2f over %s", top.Class, top.Probability, byRule))
		}
	}
	a.Classes = spread(p)
	if open := r.openClass(c, keyword); open != "" && typed(a.Classes[0].Class) && a.Classes[0].Class != open && a.Classes[0].Probability < leastTyped {
		r.decided = append(r.decided, fmt.Sprintf("%s %.2f without a word that asks for it: %s", a.Classes[0].Class, a.Classes[0].Probability, open))
		p[a.Classes[0].Class], p[open] = p[open], p[a.Classes[0].Class]
		a.Classes = spread(p)
	}
	a.Class, a.Probability = a.Classes[0].Class, a.Classes[0].Probability
}

// leastTyped is the least probability of a class that asks for a number, a time, a place or
// steps where no word of the question asks for one: below it the question is open, and what
// answers it need not be one. Chosen on squad2 and cmrc2018 questions that are not on the test side.
const leastTyped = 0.6

// typed reports whether what answers a class must be of one kind.
func typed(c kb.Class) bool {
	return c == kb.Numeric || c == kb.Timeliness || c == kb.Region
}

// asksOne matches words that ask for a number, a time or a place in forms that no rule knows.
var asksOne = regexp.MustCompile(`几|多少|多[大长高远久快重深宽]|何时|何地|时候|时间|哪里|哪儿|\b(?:how (?:many|much|long|often|far|old|big|soon)|when|where)\b`)

// openClass is the class of an open question, which no word says to ask for one kind of thing; empty
// where some word does.
func (r *reading) openClass(c *clause, keyword kb.Class) kb.Class {
	switch {
	case asksOne.MatchString(string(r.folded)):
		return ""
	case c == nil && keyword == "":
		return kb.Definition
	case c == nil, c.noun, c.sure, typed(c.class), r.p.rules.rules[c.rule].Prio >= 70:
		return ""
	}
	return c.class
}

func (r *reading) formText(c clause) string {
	var parts []string
	for _, pc := range c.pieces {
		parts = append(parts, strings.TrimSpace(r.text(pc.start, pc.end)))
	}
	return strings.Join(parts, "…")
}

// keywords finds the class of a query without question form by its nouns.
func (r *reading) keywords() (kb.Class, string) {
	for k := range r.chunks {
		i := len(r.chunks) - 1 - k
		if r.lang == "en" {
			i = k // "date of the results": the head comes first
		}
		ch := r.chunks[i]
		if class, n := r.p.rules.nounClass(r.folded, ch.start, ch.end); n > 0 {
			return class, r.text(ch.end-n, ch.end)
		}
	}
	// "opening hours library": the noun need not end the phrase.
	for _, ch := range r.chunks {
		for end := ch.end - 1; end > ch.start; end-- {
			if r.marks[end] != gap && !text.IsHan(r.folded[end]) {
				continue
			}
			if class, n := r.p.rules.nounClass(r.folded, ch.start, end); n > 1 {
				return class, r.text(end-n, end)
			}
		}
	}
	return "", ""
}

// spread gives the classes not named what is left, and sorts.
func spread(p map[kb.Class]float64) []kb.ClassProbability {
	sum := 0.0
	for _, c := range kb.Classes {
		sum += p[c]
	}
	rest := max(0, 1-sum) / float64(max(1, len(kb.Classes)-len(p)))
	out := make([]kb.ClassProbability, 0, len(kb.Classes))
	for _, c := range kb.Classes {
		v, ok := p[c]
		if !ok {
			v = rest
		}
		out = append(out, kb.ClassProbability{Class: c, Probability: v})
	}
	slices.SortStableFunc(out, func(x, y kb.ClassProbability) int {
		switch {
		case x.Probability > y.Probability:
			return -1
		case x.Probability < y.Probability:
			return 1
		}
		return 0
	})
	return out
}

// vagueOver puts VAGUE first and leaves the others their shares of the rest.
func vagueOver(classes []kb.ClassProbability) []kb.ClassProbability {
	const vague = 0.94
	p := map[kb.Class]float64{kb.Vague: vague}
	others := 0.0
	for _, c := range classes {
		if c.Class != kb.Vague {
			others += c.Probability
		}
	}
	for _, c := range classes {
		if c.Class != kb.Vague && others > 0 {
			p[c.Class] = c.Probability / others * (1 - vague)
		}
	}
	return spread(p)
}

// period sets the interval the question is about.
func (r *reading) period(a *kb.Analysis) {
	if len(r.times) == 0 {
		return
	}
	first := r.times[0]
	t := kb.TimeRange{Text: r.text(first.Start, first.End), Start: first.Start, End: first.End, From: first.From, To: first.To}
	for _, e := range r.times[1:] {
		if !e.From.IsZero() && !t.From.IsZero() && e.From.Before(t.From) {
			t.From = e.From
		}
		if !e.To.IsZero() && !t.To.IsZero() && e.To.After(t.To) {
			t.To = e.To
		}
	}
	a.Time = &t
}

// vague returns the missing slots of a question that cannot be answered; nil if
// it can.
func (r *reading) vague(a *kb.Analysis, asking []int) []string {
	rules := r.p.rules
	named, words, pronoun := 0, 0, false
	for _, ch := range r.chunks {
		words++
		if !r.emptyPhrase(ch.start, ch.end) || r.compoundNoun(&ch) {
			named++
		}
	}
	if named == 1 && r.bareAlone(asking) {
		named = 0
	}
	for i := range r.folded {
		if r.marks[i] == polite || r.marks[i] == steering || r.marks[i] == gap {
			continue
		}
		if e, ok := rules.pronouns.at(r.folded, i, len(r.folded)); ok && !r.dummy(i) && !r.determiner(i, e) {
			pronoun = true
			break
		}
	}
	switch {
	case len(r.clauses) == 0 || words == 0 && len(asking) == 0 && len(r.times) == 0:
		return []string{"question"}
	case words == 0 && len(asking) > 0 && r.clauses[asking[0]].class == kb.Exception:
		return nil // 免责的情况有哪些: the form names the act
	case words == 0 && len(asking) > 0:
		return []string{"subject"}
	case named == 0:
		if !pronoun && len(asking) > 0 && r.clauses[asking[0]].class == kb.Exception {
			return nil // "which costs are not reimbursed": the form names the act
		}
		if len(asking) == 0 && !pronoun && words > 0 && !r.onlyPronouns() {
			return nil // keywords such as 费用 or "fees": searchable
		}
		if len(r.times) > 0 && !pronoun && len(asking) > 0 && words > 0 {
			return nil
		}
		return []string{"subject"}
	case pronoun && !r.antecedent():
		return []string{"subject"}
	}
	return nil
}

// bareAlone reports whether the only thing named in a question of yes or no is a verb that
// needs a thing it is done to ("can I cancel?", 能报销吗), or one Chinese character, which
// alone names nothing in a question of yes or no or how: 能退吗, 怎么改.
func (r *reading) bareAlone(asking []int) bool {
	if len(asking) != 1 || len(r.times) > 0 {
		return false
	}
	c := &r.clauses[asking[0]]
	yesNo := c.class == kb.Condition && c.expect == kb.ExpectBoolean
	if !yesNo && c.class != kb.Steps {
		return false
	}
	for k := range r.chunks {
		ch := &r.chunks[k]
		if r.emptyPhrase(ch.start, ch.end) {
			continue
		}
		if text.IsHan(r.folded[ch.start]) {
			return ch.end-ch.start == 1 || yesNo && ch.start > c.from && r.p.rules.bare.whole(r.folded[ch.start:ch.end])
		}
		return yesNo && r.p.rules.bare.whole(r.folded[ch.start:ch.end])
	}
	return false
}

// compoundNoun reports whether an English phrase of words that name nothing alone is a
// name all the same, as two nouns together are: price change, time limit.
func (r *reading) compoundNoun(ch *chunk) bool {
	words := r.words(ch.start, ch.end)
	if len(words) < 2 || ch.verb {
		return false
	}
	_, n := r.p.rules.nounClass(r.folded, words[0].Start, words[0].End)
	return n > 0
}

func (r *reading) onlyPronouns() bool {
	for _, ch := range r.chunks {
		if e, ok := r.p.rules.pronouns.at(r.folded, ch.start, ch.end); !ok || e != ch.end {
			return false
		}
	}
	return true
}

// emptyPhrase reports whether a phrase is made of words that name nothing.
func (r *reading) emptyPhrase(start, end int) bool {
	for i := start; i < end; {
		if r.marks[i] == gap {
			i++
			continue
		}
		e, ok := r.p.rules.empty.at(r.folded, i, end)
		if !ok {
			return false
		}
		i = e
	}
	return true
}

// dummy reports whether the pronoun at i stands for nothing.
func (r *reading) dummy(i int) bool {
	x := &r.p.rules.dummy
	m := matcher{folded: r.folded, end: len(r.folded)}
	for j := max(0, i-12); j <= i; j++ {
		for _, id := range x.byRun[r.folded[j]] {
			m.steps = 0
			if m.match(&x.forms[id], j) {
				for _, pc := range m.pieces[:m.n] {
					if pc.start <= i && i < pc.end {
						return true
					}
				}
			}
		}
	}
	return false
}

// determiner reports whether a demonstrative stands before a noun: this policy, 这项规定.
func (r *reading) determiner(start, end int) bool {
	w := string(r.folded[start:end])
	if text.IsHan(r.folded[start]) {
		if !strings.ContainsRune("这那上", r.folded[start]) {
			return false
		}
		if end < len(r.folded) && r.marks[end] == content && text.IsHan(r.folded[end]) {
			e := end
			for e < len(r.folded) && r.marks[e] == content {
				e++
			}
			return !r.emptyPhrase(end, e)
		}
		return false
	}
	switch w {
	case "this", "that", "these", "those", "her":
	case "there":
		return !strings.HasSuffix(strings.TrimRight(string(r.folded), "?？ ."), "there")
	default:
		return false
	}
	i := end
	for i < len(r.folded) && r.folded[i] == ' ' {
		i++
	}
	if i == end || i >= len(r.folded) || r.marks[i] != content && r.marks[i] != kept {
		return false
	}
	e := i
	for e < len(r.folded) && isLatin(r.folded[e]) {
		e++
	}
	_, isEmpty := r.p.rules.empty.at(r.folded, i, e)
	return !isEmpty
}

// antecedent reports whether something named stands before the first pronoun, or
// is the subject of the question beside it.
func (r *reading) antecedent() bool {
	rules := r.p.rules
	for i := range r.folded {
		if r.marks[i] == polite || r.marks[i] == steering {
			continue
		}
		if e, ok := rules.pronouns.at(r.folded, i, len(r.folded)); ok && !r.dummy(i) && !r.determiner(i, e) {
			named, verb := 0, 0
			for k := range r.chunks {
				ch := &r.chunks[k]
				if r.emptyPhrase(ch.start, ch.end) {
					continue
				}
				if ch.verb {
					verb = 1
					continue // "how do I fill it in"
				}
				if w := r.words(ch.start, ch.end); len(w) == 1 && ch.clause == r.clauseAt(i) && r.clauses[ch.clause].class == kb.Subject && (r.isVerb(ch) || r.inflected(w[0])) {
					continue // "who handles this"
				}
				if ch.end <= i {
					return true
				}
				if ch.named || r.clauses[ch.clause].rule < 0 || ch.end <= i && r.clauseAt(i) > ch.clause {
					return true
				}
				named++
			}
			if everyone.begins(r.folded, i, e) && r.clauseAt(i) < len(r.clauses) && r.clauses[r.clauseAt(i)].class != kb.Condition {
				return named >= 1 // "where do they source the paper": whoever runs the place
			}
			// "Can I return it after opening the seal of a headset?": enough is named.
			return named+verb >= 3
		}
	}
	return true
}

// everyone are pronouns that often stand for whoever the documents are of.
var everyone = newPhrases([]string{"they"})

// clauseAt returns the clause that holds the code point i.
func (r *reading) clauseAt(i int) int {
	for k := range r.clauses {
		if i < r.clauses[k].end {
			return k
		}
	}
	return len(r.clauses) - 1
}

// risk says how much a wrong answer costs.
func (r *reading) risk(a *kb.Analysis) kb.Risk {
	rules := r.p.rules
	score := 0
	if rules.riskWords.anywhere(r.folded, 0, len(r.folded)) {
		score += 2
	}
	score += rules.file.Risk.Classes[a.Class]
	for _, d := range r.domains() {
		if slices.Contains(rules.file.Risk.High, d) {
			score++
		}
	}
	switch {
	case score >= 3:
		return kb.RiskHigh
	case score >= 1:
		return kb.RiskMedium
	}
	return kb.RiskLow
}

// domains lists the dictionary domains of the content words, in order.
func (r *reading) domains() []string {
	var out []string
	for _, ch := range r.chunks {
		for i := ch.start; i < ch.end; {
			e, s, ok := r.p.lex.Match(r.folded, i)
			if !ok || e > ch.end {
				i++
				continue
			}
			if d := r.p.lex.Domain(s); !slices.Contains(out, d) {
				out = append(out, d)
			}
			i = e
		}
	}
	return out
}

// plainTerms caps the terms for one plain word.
const plainTerms = 3

// expansions lists terms to search for, the surest first.
func (p *Precheck) expansions(r *reading, a *kb.Analysis) []kb.Expansion {
	if p.expand < 0 {
		return nil
	}
	var out []kb.Expansion
	have := string(r.folded)
	add := func(term string, weight float64, origin string) {
		if len(out) >= p.expand || strings.Contains(have, term) {
			return
		}
		if slices.ContainsFunc(out, func(e kb.Expansion) bool { return e.Term == term }) {
			return
		}
		out = append(out, kb.Expansion{Term: term, Weight: weight, Origin: origin})
	}
	zh := r.lang != "en"
	for _, ch := range r.chunks {
		for i := ch.start; i < ch.end; {
			e, s, ok := p.lex.Match(r.folded, i)
			if !ok || e > ch.end {
				i++
				continue
			}
			// Of each word at most three in the question's language and one in the other.
			same, other := 0, 0
			for _, t := range p.lex.Synonyms(s) {
				if text.IsHan([]rune(t)[0]) == zh {
					if same < 3 {
						same++
						add(t, 0.5, "synonym")
					}
				} else if other < 1 {
					other++
					add(t, 0.4, "synonym")
				}
			}
			i = e
		}
	}
	// 歇 means 休假: what documents have for what people say, at most two words for each.
	for i := 0; i < len(r.folded); i++ {
		e, ok := p.rules.said.at(r.folded, i, len(r.folded))
		if !ok || r.marks[i] == polite || r.marks[i] == steering {
			continue
		}
		means := p.rules.means[string(r.folded[i:e])]
		for _, t := range means[:min(len(means), plainTerms)] {
			add(t, 0.5, "plain words")
		}
		i = e - 1
	}
	pick := func(b byLanguage) []string {
		if zh {
			return b.ZH
		}
		return b.EN
	}
	for _, t := range pick(p.rules.file.Expand.Classes[a.Class]) {
		add(t, 0.2, "class")
	}
	for _, d := range r.domains() {
		for _, t := range pick(p.rules.file.Expand.Domains[d]) {
			add(t, 0.15, "domain")
		}
	}
	return out
}
