package fact

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Two sentences that share few words may still answer one question with values that exclude
// each other: the lake was dug in 1870, the works at the lake go back to 1891. That both answer
// is for a reader of whole sentences to say. What facts know is whether the two values can be
// true together, and whether the question names a case that only one of the sentences is about.

// Pointed is where on a page a reader of whole sentences finds the answer to a need.
type Pointed struct {
	Page int // index into the pages of the round
	Span text.Span
}

// Limits of what is told apart from the question.
const (
	leastTold  = hanCell // weight of the question's words that one side alone carries
	mostName   = 6       // words of a Latin name
	mostHan    = 12      // characters of a Chinese name
	leastShort = 3       // letters of a word that two forms of one name share
)

// Told compares what two pages answer to a need, where a reader finds an answer in both: the
// words around the answers need not agree. It finds no clash where the question has words that
// one of the sentences carries and the other does not, so that they may be about two cases; nor
// where the two values, or two names, can be true together.
func (r *Round) Told(need *Need, a, b Pointed) (Clash, bool) {
	if a.Page == b.Page {
		return Clash{}, false
	}
	if a.Page > b.Page {
		a, b = b, a
	}
	x, n := newComparer(r), r.engine.prepare(need, r.st)
	theirs := x.pointed(n, b)
	for _, ra := range x.pointed(n, a) {
		for _, rb := range theirs {
			if !x.oneCase(n, ra, rb) {
				continue
			}
			if c, ok := x.clash(ra, rb, n, true); ok {
				return c, true
			}
		}
	}
	return x.twoNames(n, a, b)
}

// pointed are the facts of a stretch that may be its answer: the values in it of the asked kind,
// and what its clauses state where no value is asked.
func (x *comparer) pointed(n *prepared, at Pointed) []Ref {
	v := x.views[at.Page]
	valued := n.kinds.expect == "QUANTITY" || n.kinds.expect == "DURATION" || n.kinds.expect == "TIME"
	measured := valued || asksValue.MatchString(fold(n.Question))
	var values, statements []Ref
	around := v.sentenceAround(at.Span)
	for i := range v.page.Facts {
		f := &v.page.Facts[i]
		if v.clauseOf(f) == nil || !f.Span.Overlaps(around) {
			continue
		}
		ref := Ref{Page: at.Page, Fact: i, Span: f.Span, Value: f.Value.Span, Score: 1}
		switch f.Value.Kind {
		case QuantityValue, TimeValue:
			if measured && f.Value.Span.Overlaps(at.Span) && (!valued || n.kinds.admits(n, v, f)) && n.counts(f) && !x.elsewhere(n, v, i) && !n.outside(v, i) {
				values = append(values, ref)
			}
		case BooleanValue:
			if !valued && !x.elsewhere(n, v, i) && !n.outside(v, i) {
				statements = append(statements, ref)
			}
		}
	}
	if measured {
		return values
	}
	if n.kinds.expect == "ENTITY" || n.kinds.expect == "PLACE" {
		return nil
	}
	return statements
}

// sentenceAround is a stretch with the sentences in which it begins and ends.
func (s *sheet) sentenceAround(span text.Span) text.Span {
	out := span
	for _, info := range s.page.Sentences {
		if info.Span.Overlaps(span) {
			out.Start, out.End = min(out.Start, info.Start), max(out.End, info.End)
		}
	}
	return out
}

// asksValue matches a question whose answer is a number or a time, whatever it asks it for.
var asksValue = regexp.MustCompile(`\bhow (?:many|much|old|long|often|far|large|big|high|tall|heavy|soon|late|early)\b|\bwhat (?:age|time|day|date|year|percentage|share)\b|几|多少|多大|多久|多长|多高|多远|何时|什么时候|哪一?年|哪一?天`)

// oneCase reports whether neither of two facts carries words of the question that the other
// lacks, so that the question sets them not apart.
func (x *comparer) oneCase(n *prepared, ra, rb Ref) bool {
	ca, cb := x.carried(n, ra), x.carried(n, rb)
	onlyA, onlyB := 0.0, 0.0
	for k, c := range n.all.cells {
		if light[fold(n.all.text(c.Span))] || n.modal(c.Span) {
			continue
		}
		switch a, b := ca[k] >= cellCovered, cb[k] >= cellCovered; {
		case a && !b:
			onlyA += c.weight
		case b && !a:
			onlyB += c.weight
		}
	}
	return math.Max(onlyA, onlyB) < leastTold
}

// modal reports whether a stretch of the question belongs to a word that asks what may or must
// be: a sentence need not have it to answer.
func (n *prepared) modal(s text.Span) bool {
	for _, at := range modals.FindAllStringIndex(string(n.all.folded), -1) {
		from := len([]rune(string(n.all.folded)[:at[0]]))
		if s.Start < from+len([]rune(string(n.all.folded)[at[0]:at[1]])) && from < s.End {
			return true
		}
	}
	return false
}

var modals = regexp.MustCompile(`可以|能够|能否|能不能|是否|可否|必须|应当|应该|需要|才能|\b(?:can|could|may|must|should|shall|need|have to|has to|able|allowed)\b`)

// carried lays the question over the sentence of a fact, what it inherits and what its page is
// called.
func (x *comparer) carried(n *prepared, r Ref) []float64 {
	v, f := x.views[r.Page], x.fact(r)
	cells := n.all.cover(v.clauseBagFor(f)).cells
	lift(n.all, cells, v.frameBag(), 1)
	for c, end := v.page.Sentences[f.Sentence].Clauses[0], v.page.Sentences[f.Sentence].Clauses[1]; c < end; c++ {
		lift(n.all, cells, v.saidBag(c), 1)
	}
	n.answersState(n.all, cells, v.factSides(r.Fact))
	said := v.sentenceOf(f)
	for _, word := range strings.FieldsFunc(said, func(r rune) bool { return r < 'a' || r > 'z' }) {
		if stem, ok := strings.CutSuffix(word, "ies"); ok && len(stem) > 1 { // flies: fly
			b := newBag(1)
			v.addText(b, stem+"y", 1)
			lift(n.all, cells, b, 1)
		}
	}
	for k, c := range n.all.cells {
		if !c.han && cells[k] < cellCovered && derived(said, fold(n.all.text(c.Span))) {
			cells[k] = cellCovered
		}
	}
	return cells
}

// leastStem is how many letters a word has that another one is made of.
const leastStem = 4

// derived reports whether a text has a word that is made of another: reopened of open.
func derived(said, word string) bool { return len(word) >= leastStem && strings.Contains(said, word) }

// asksOne matches a question for the one who holds an office, did a deed, or bears a name.
var asksOne = regexp.MustCompile(`\bwho(?:'s| is| was)\b|\bwhat (?:is|was) the (?:name|capital|seat)\b|\bwhose\b|是谁|谁是|由谁|哪位|叫什么|名字|哪家`)

// ranked matches what stands before an office and makes another office of it.
var ranked = regexp.MustCompile(`副|代理|名誉|前任?|原任?|曾|助理|候任|\b(?:deputy|vice|assistant|acting|former|honorary|interim|elect|co)\b`)

// twoNames compares the names that two stretches answer with, where the question asks for one
// holder of an office.
func (x *comparer) twoNames(n *prepared, a, b Pointed) (Clash, bool) {
	none := Clash{}
	if n.kinds.expect != "ENTITY" && n.kinds.expect != "PLACE" || !asksOne.MatchString(fold(n.Question)) {
		return none, false
	}
	va, vb := x.views[a.Page], x.views[b.Page]
	na, okA := va.nameIn(n, a.Span)
	nb, okB := vb.nameIn(n, b.Span)
	if !okA || !okB || oneBearer(va.page.Quote(na), vb.page.Quote(nb)) {
		return none, false
	}
	ra, okA := va.refAt(a.Page, na)
	rb, okB := vb.refAt(b.Page, nb)
	if !okA || !okB || !x.oneCase(n, ra, rb) || !(va.introduces().Overlaps(na) && vb.introduces().Overlaps(nb)) && x.introducedApart(ra, rb) {
		return none, false
	}
	fa, fb := x.fact(ra), x.fact(rb)
	if va.shares(fa, na) || vb.shares(fb, nb) || fa.Negative() || fb.Negative() || fa.Modality != fb.Modality || n.left(va, fa) || n.left(vb, fb) {
		return none, false
	}
	if when.Scope(fa.Times, fb.Times) != relation.Same && len(fa.Times)+len(fb.Times) > 0 {
		return none, false
	}
	if apart(va.factSides(ra.Fact), vb.factSides(rb.Fact), false) || ranked.MatchString(va.sentenceOf(fa)) != ranked.MatchString(vb.sentenceOf(fb)) {
		return none, false
	}
	if n.kinds.expect == "PLACE" && nested(va, fa, vb, fb) || va.twinned(fa, vb, fb) {
		return none, false
	}
	ra.Score, rb.Score = 1, 1
	return Clash{Kind: "ENTITY", Hard: true, Subject: n.Need.Subject, Attribute: n.Need.Attribute, A: ra, B: rb, Reason: "two holders"}, true
}

// nameIn is the name in a stretch that answers a need; false where it has none, or several.
func (v *view) nameIn(n *prepared, s text.Span) (text.Span, bool) {
	for s.Start < s.End && !nameRune(v.page.Runes[s.Start]) {
		s.Start++
	}
	for s.End > s.Start && !nameRune(v.page.Runes[s.End-1]) {
		s.End--
	}
	said := v.page.Quote(s)
	if s.Empty() || n.names(said) || hasDigit([]rune(said)) {
		return s, false
	}
	if strings.ContainsFunc(said, text.IsHan) {
		return s, holderName([]rune(said)) || s.Len() <= mostHan && !strings.ContainsFunc(said, func(r rune) bool { return !text.IsHan(r) && r != '·' })
	}
	m := lastName.FindStringIndex(said)
	if m == nil || len(strings.Fields(said[m[0]:])) > mostName {
		return s, false
	}
	s.Start += len([]rune(said[:m[0]]))
	return s, !n.names(said[m[0]:])
}

// lastName matches the name that a text ends with: what leads to it (the band, by) may stand
// before it.
var lastName = regexp.MustCompile(`(?:\p{Lu}[\p{L}\d.'’-]*)(?: (?:(?:of|the|de|la|le|van|von|der|den|du|bin|al) )*\p{Lu}[\p{L}\d.'’-]*)*$`)

// nameRune reports whether a name may begin and end with r.
func nameRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// oneBearer reports whether two names can be forms of one: one is in the other, they share a word
// or a Chinese character, or one is made of the first letters of the other.
func oneBearer(a, b string) bool {
	fa, fb := fold(a), fold(b)
	if strings.Contains(fa, fb) || strings.Contains(fb, fa) {
		return true
	}
	if strings.ContainsFunc(a, text.IsHan) != strings.ContainsFunc(b, text.IsHan) {
		return true // a name and its translation
	}
	if strings.ContainsFunc(a, text.IsHan) {
		return strings.ContainsAny(fa, strings.ReplaceAll(fb, "·", ""))
	}
	wa, wb := strings.Fields(fa), strings.Fields(fb)
	for _, w := range wa {
		if len(w) >= leastShort && slices.Contains(wb, w) {
			return true
		}
	}
	return initials(wa) == strings.Join(wb, "") || initials(wb) == strings.Join(wa, "")
}

// initials are the first letters of some words.
func initials(words []string) string {
	var out []rune
	for _, w := range words {
		out = append(out, firstRune(w))
	}
	return string(out)
}
