package fact

import (
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A claim that one of several has the most or the least is judged by their values, which
// stand side by side in one sentence or in one column of a table.

// extremum is a way to single out one of several.
type extremum struct {
	word      *guardedPattern
	direction int                  // of the values compared: +1 the greatest, -1 the least
	dims      []quantity.Dimension // of these values; nil = any
	time      bool                 // dates count, too
}

// superlatives are words that single out the greatest or the least of several, and by
// which values.
var superlatives = []extremum{
	{guarded(`最早|\b(?:earliest|oldest)\b`), -1, []quantity.Dimension{quantity.ClockTime}, true},
	{guarded(`最晚|最迟|最新|\b(?:latest|newest|youngest)\b`), 1, []quantity.Dimension{quantity.ClockTime}, true},
	{guarded(`最贵|\b(?:dearest|most expensive)\b`), 1, []quantity.Dimension{quantity.Money}, false},
	{guarded(`最便宜|最实惠|\b(?:cheapest|least expensive)\b`), -1, []quantity.Dimension{quantity.Money}, false},
	{guarded(`最重|\bheaviest\b`), 1, []quantity.Dimension{quantity.Mass}, false},
	{guarded(`最轻|\blightest\b`), -1, []quantity.Dimension{quantity.Mass}, false},
	{guarded(`最(?:高|大|多|长|远|宽|深|厚)|\b(?:highest|largest|biggest|greatest|longest|farthest|widest|deepest|tallest|(?:the|has|have|had) most)\b`), 1, nil, false},
	{guarded(`最(?:低|小|少|短|近|窄|浅|薄|矮)|\b(?:lowest|smallest|fewest|shortest|narrowest|nearest|(?:the|has|have|had) least)\b`), -1, nil, false},
}

// extremeMarks are in every word of superlatives.
var extremeMarks = []string{"最", "est", "most", "least"}

// ordinalExtreme matches a superlative that asks for one but the first of several, or for
// some of them: the second largest, one of the highest.
var ordinalExtreme = guarded(`之一|第[二三四五2-5]|倒数|\b(?:second|third|fourth|among|one of|at)\b`)

// limitStated matches a superlative that gives a limit: 最大为2 GB, 最多10人.
var limitStated = guarded(`最[^，。；的]{1,3}(?:值)?(?:为|是|可以|可|能|不超过|有|达)*\s*[\d一二两三四五六七八九十百千]`)

// holderMarks part the one that is named from the rest of a claim.
var (
	holderBehind = guarded(`最[^，。；]{1,8}?的(?:[^，。；]{0,8}?)?(?:是|为|属|当属)([^，。；]+)|\b(?:\w+est|most \w+|least \w+)\b[^,.;]*? (?:is|was|are|were|at|in|of|belongs to|has|had) (?:that of |the one (?:at|in|of) )?([^,.;]+)`)
	holderBefore = guarded(`^([^，。；,.;]+?)(?:在[^，。；]{1,12}[中里]|的[^，。；的]{1,10})*(?:是|为)?最|^([^,.;]+?) (?:is|was|are|were|has|had|have|holds|offers|takes|costs|lasts|reached|recorded|gives|carries) (?:the )?(?:\w+ ){0,3}?(?:\w+est|most|least)\b`)
)

// superlative judges a claim that one of several has the most or the least, from the
// values of all; false if it is none, or the values are not there.
func (k *Checker) superlative(c Claim, clauses []int) (Support, bool) {
	for _, i := range clauses {
		if s, ok := k.outdone(c, i, len(clauses) == 1); ok {
			return s, true
		}
	}
	return Support{}, false
}

// rival is one of several with a value of its own.
type rival struct {
	fact  int
	named float64 // how far the claim names it
}

func (k *Checker) outdone(c Claim, i int, alone bool) (Support, bool) {
	p := c.Page
	cl := &p.Clauses[i]
	said := string(text.Fold(p.Runes[cl.Start:cl.End]))
	if cl.Denied || !hasAny(said, extremeMarks) || ordinalExtreme.MatchString(said) {
		return Support{}, false
	}
	at := slices.IndexFunc(superlatives, func(x extremum) bool { return x.word.MatchString(said) })
	if at < 0 {
		return Support{}, false
	}
	by := &superlatives[at]
	holder := holderIn(said)
	if holder == "" || limitStated.MatchString(said) {
		return Support{}, false
	}
	whose := wordsOf(holder)
	skip := append(valueSpans(cl), changeSpans(p.Runes, cl.Span)...)
	for _, m := range by.word.FindAllStringIndex(said, -1) {
		skip = append(skip, text.Span{Start: cl.Start + len([]rune(said[:m[0]])), End: cl.Start + len([]rune(said[:m[1]]))})
	}
	w := k.engine.wordingOf(p.Runes, cl.Span, k.st, skip)
	var best Support
	found, fit := false, 0.5
	for page, v := range k.views {
		if !k.speaks(c, cl.Times, v) || foreign(p, v.page) {
			continue
		}
		for j := range v.page.Clauses {
			if by.word.MatchString(v.clauseText(j)) && w.scoreOn(v.clauseBag(j)) >= 0.5 {
				return Support{}, false // the source says itself which it is
			}
		}
		for _, rivals := range v.sideBySide(cl.Times, by.dims, by.time) {
			x := 0.0
			for _, r := range rivals {
				f := &v.page.Facts[r.fact]
				x = max(x, w.scoreOn(v.factBag(r.fact)))
				if f.Clause >= 0 && f.Clause < len(v.page.Clauses) && !v.inTable(f) {
					x = max(x, w.scoreOn(v.clauseBag(f.Clause)))
				}
			}
			if x <= fit {
				continue
			}
			if s, ok := k.first(v, page, rivals, whose, by.direction); ok {
				best, fit, found = s, x, true
			}
		}
	}
	if !found || best.Verdict == SupportedClaim && (!alone || givesSize(cl)) {
		return Support{}, false
	}
	return best, true
}

// givesSize reports whether a clause states a value beside how many are compared.
func givesSize(cl *Clause) bool {
	return slices.ContainsFunc(cl.Quantities, func(q quantity.Quantity) bool {
		return !q.Weak && q.Unit.Dim != quantity.Ordinal && q.Unit.Dim != quantity.Count
	})
}

// holderIn is the one that a folded claim names as the first of several.
func holderIn(said string) string {
	for _, form := range []*guardedPattern{holderBehind, holderBefore} {
		if m := form.FindStringSubmatch(said); m != nil {
			return strings.TrimSpace(m[1] + m[2])
		}
	}
	return ""
}

// sideBySide are the groups of facts that give several things one kind of value at one
// time: those of a sentence, and those of a column.
func (v *view) sideBySide(times []when.Expr, dims []quantity.Dimension, dates bool) [][]rival {
	type key struct {
		sentence  int
		attribute string
		dim       quantity.Dimension
		unit, per string
		time      string
	}
	groups := map[key][]rival{}
	var order []key
	for i := range v.page.Facts {
		f := &v.page.Facts[i]
		if f.Threshold || f.Subject.Text == "" || !scopesOn(times, f) {
			continue
		}
		x := key{sentence: f.Sentence}
		switch q := f.Value.Quantity; {
		case q != nil && q.Point() && q.Delta == 0 && q.Unit.Dim != quantity.Ordinal && !q.Weak && (dims == nil || slices.Contains(dims, q.Unit.Dim) || q.Unit.Dim == quantity.None && v.impliesOne(f.Attribute.Text, dims)):
			x.dim, x.per = loose(q.Unit.Dim), q.Unit.Per
			if q.Unit.Dim == quantity.Money || q.Unit.Dim == quantity.Count {
				x.unit = q.Unit.Name
			}
		case dates && f.Value.Time != nil:
		default:
			continue
		}
		if v.inTable(f) {
			x.sentence, x.attribute = -1, f.Attribute.Text
		}
		for _, t := range f.Times {
			x.time += t.From.Format("20060102")
		}
		if groups[x] == nil {
			order = append(order, x)
		}
		groups[x] = append(groups[x], rival{fact: i})
	}
	var out [][]rival
	for _, x := range order {
		if len(groups[x]) > 1 {
			out = append(out, groups[x])
		}
	}
	return out
}

// impliesOne reports whether a heading says that its bare numbers are of one of some kinds.
func (v *view) impliesOne(heading string, dims []quantity.Dimension) bool {
	w := v.engine.wording(heading, nil)
	for _, dim := range dims {
		cells := make([]float64, len(w.cells))
		coverImplied(implied[dim], w, cells)
		if slices.ContainsFunc(cells, func(c float64) bool { return c > 0 }) {
			return true
		}
	}
	return false
}

// scopesOn reports whether a fact can hold at the times of a claim.
func scopesOn(times []when.Expr, f *Fact) bool {
	return when.Scope(times, f.Times) != relation.Differs
}

// leastLead is how much better than the next a claim must name one of several.
const leastLead = 0.2

// first judges whether the named one of several is the first of them.
func (k *Checker) first(v *view, page int, rivals []rival, whose []token, direction int) (Support, bool) {
	named, next := -1, 0.0
	for n := range rivals {
		label := wordsOf(fold(v.page.Facts[rivals[n].fact].Subject.Text))
		rivals[n].named = max(align(whose, label).share, align(label, whose).share)
		switch {
		case named < 0 || rivals[n].named > rivals[named].named:
			if named >= 0 {
				next = rivals[named].named
			}
			named = n
		case rivals[n].named > next:
			next = rivals[n].named
		}
	}
	if rivals[named].named < 0.4 || rivals[named].named < next+leastLead {
		return Support{}, false
	}
	top, several := 0, false
	for n := 1; n < len(rivals); n++ {
		order, ok := orderOf(&v.page.Facts[rivals[n].fact].Value, &v.page.Facts[rivals[top].fact].Value)
		switch {
		case !ok:
			return Support{}, false
		case order*direction > 0:
			top, several = n, false
		case order == 0:
			several = true
		}
	}
	hit := func(n int) found {
		return found{page: page, fact: rivals[n].fact, clause: v.page.Facts[rivals[n].fact].Clause, fit: 1, rel: relation.Same}
	}
	switch {
	case several:
		return Support{}, false
	case top == named:
		return Support{Verdict: SupportedClaim, Probability: 0.9, Evidence: k.refs([]found{hit(named)}), Reason: "compared from the stated values", Ground: OnComparison}, true
	}
	return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: k.refs([]found{hit(top), hit(named)}), Ground: OnComparison,
		Reason: "by the stated values it is " + v.page.Facts[rivals[top].fact].Subject.Text}, true
}
