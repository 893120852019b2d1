package fact

import (
	"math/big"
	"sort"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// SameValue reports whether two values say the same, whatever they are written in.
func SameValue(a, b Value) bool {
	if a.Kind != b.Kind || a.Quantity == nil && a.Time == nil {
		return false
	}
	r, _ := sameValue(a, b)
	return r == relation.Same
}

// sameValue compares two values of one thing; a price cut by a share and the share
// that is left are one statement.
func sameValue(a, b Value) (relation.Relation, string) {
	if qa, qb := a.Quantity, b.Quantity; qa != nil && qb != nil && (qa.Unit.Name == "折") != (qb.Unit.Name == "折") && qa.Unit.Dim == quantity.Ratio && qb.Unit.Dim == quantity.Ratio {
		switch {
		case qa.Unit.Name == "折" && qb.Discount:
			return ratios(qa.Complement(), *qb)
		case qb.Unit.Name == "折" && qa.Discount:
			return ratios(*qa, qb.Complement())
		}
	}
	return compareValues(&a, &b)
}

// ratios compares two shares of a price whatever they are written in.
func ratios(a, b quantity.Quantity) (relation.Relation, string) {
	a.Unit, b.Unit = quantity.Unit{Dim: quantity.Ratio, Name: "%"}, quantity.Unit{Dim: quantity.Ratio, Name: "%"}
	a.Discount, b.Discount, a.Delta, b.Delta = false, false, 0, 0
	return quantity.Compare(a, b)
}

// scopes compares when a claim's value holds with when a fact holds. A season without
// a year is the same whatever year it is read in.
func scopes(claim []when.Expr, f *Fact) relation.Relation {
	source := f.Times
	var ca, sa []when.Expr
	for _, a := range claim {
		if !paired(a, source) {
			ca = append(ca, a)
		}
	}
	for _, b := range source {
		if !paired(b, claim) {
			sa = append(sa, b)
		}
	}
	return when.Scope(ca, sa)
}

// paired reports whether one of the other side's expressions is worded alike, and
// one of the two has no year of its own.
func paired(a when.Expr, others []when.Expr) bool {
	for _, b := range others {
		if bare(a.Text) == bare(b.Text) && strings.IndexFunc(bare(a.Text), isDigit) < 0 {
			return true
		}
	}
	return false
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func bare(s string) string {
	for _, p := range []string{"from ", "in ", "between ", "during ", "the ", "从", "自", "在"} {
		s = strings.TrimPrefix(s, p)
	}
	return s
}

// Words that announce arithmetic in a claim, by its kind.
var arithmetic = map[string][]string{
	"sum":        {"共", "合计", "总", "一起", "加起来", "合在一起", "算上", "加上", "连同", "连带", "total", "together", "combined", "altogether", "in all", "sum", "overall", "jointly", "including", "counting", "plus"},
	"difference": {"相差", "差", "多", "少", "高", "低", "超过", "增加", "减少", "上升", "下降", "增长", "快", "慢", "早", "晚", "剩", "余", "difference", "more", "less", "fewer", "higher", "lower", "increase", "decrease", "rose", "fell", "grew", "gap", "left", "remain", "longer", "shorter", "older", "younger", "dropped", "gained"},
	"share":      {"占", "比例", "倍", "之", "成", "%", "比", "一半", "share", "percent", "per cent", "times", "ratio", "proportion", "half", "third", "quarter", "twice", "as many", "as much"},
	"growth":     {"增", "减", "升", "降", "涨", "跌", "翻", "growth", "grew", "rose", "fell", "increase", "decrease", "up ", "down ", "drop", "declin", "gain", "higher", "lower"},
}

// derived looks for stated operands from which the value of a claim follows.
func (k *Checker) derived(c Claim, f *Fact, w, topic *wording) ([]found, bool) {
	if f.Value.Quantity == nil || f.Clause < 0 || f.Clause >= len(c.Page.Clauses) {
		return nil, false
	}
	q := *f.Value.Quantity
	if n := q.Unit.Name; n == "time" || n == "times" || n == "倍" { // twice as many
		q.Unit, q.Noun = quantity.Unit{Dim: quantity.Ratio, Name: "%"}, ""
	}
	if q.Unit.Dim == quantity.Points && q.Point() && q.Lo != nil { // two percentage points are the difference of two shares
		share := new(big.Rat).Quo(q.Lo, big.NewRat(100, 1))
		q.Lo, q.Hi, q.Unit, q.Noun = share, share, quantity.Unit{Dim: quantity.Ratio, Name: "%"}, ""
	}
	switch { // 合计最多90天
	case q.Lo == nil && q.Hi != nil:
		q.Lo = q.Hi
	case q.Hi == nil && q.Lo != nil:
		q.Hi = q.Lo
	}
	cl := c.Page.Clauses[f.Clause]
	said := string(text.Fold(c.Page.Runes[cl.Start:cl.End]))
	comparing := differBy.MatchString(said)
	announced := comparing
	for _, words := range arithmetic {
		announced = announced || hasAny(said, words)
	}
	if !announced {
		return nil, false
	}
	grows := hasAny(said, arithmetic["growth"]) // 9,200 teams, up from 8,000: both are of teams
	var ops []found
	for p, v := range k.views {
		if !k.speaks(c, f.Times, v) {
			continue
		}
		for i := range v.page.Facts {
			o := &v.page.Facts[i]
			if o.Value.Quantity == nil || o.Threshold || o.Value.Quantity.Unit.Dim == quantity.Ordinal || o.Value.Quantity.Delta != 0 && o.Value.Quantity.Point() {
				continue
			}
			if o.Value.Quantity.Unit.Dim != q.Unit.Dim && q.Unit.Dim != quantity.Ratio && loose(o.Value.Quantity.Unit.Dim) != loose(q.Unit.Dim) && !v.leftToOther(i) {
				continue
			}
			if fit := k.fit(w, topic, v, i); fit >= 0.35 || fit >= 0.2 && k.besideOperand(w, topic, v, i) {
				ops = append(ops, found{page: p, fact: i, clause: o.Clause, fit: fit, rel: relation.Same})
			}
		}
	}
	sort.SliceStable(ops, func(a, b int) bool { return ops[a].fit > ops[b].fit })
	if len(ops) > 8 {
		ops = ops[:8]
	}
	var operands []quantity.Quantity
	var of []found // the fact of each operand; a range gives two
	for _, o := range ops {
		v := *k.views[o.page].page.Facts[o.fact].Value.Quantity
		if unit, ok := k.views[o.page].unitOfOther(o.fact); ok && (q.Unit.Dim != quantity.Ratio || grows) {
			v.Unit, v.Noun = unit.Unit, unit.Noun
		} else if unit, ok := k.views[o.page].unitOfWhole(o.fact); ok && q.Unit.Dim == quantity.Ratio {
			v.Unit, v.Noun = unit.Unit, unit.Noun
		}
		switch {
		case v.Point():
			operands, of = append(operands, v), append(of, o)
		case v.Lo != nil && v.Hi != nil: // from 4 % to 6 %
			lo, hi := v, v
			lo.Hi, hi.Lo, lo.Delta, hi.Delta = v.Lo, v.Hi, 0, 0
			operands, of = append(operands, lo, hi), append(of, o, o)
		}
	}
	if ops = of; len(ops) < 2 {
		return nil, false
	}
	if first := operands[0]; q.Unit.Dim == quantity.None && q.Noun == "" && first.Unit.Dim == quantity.Count {
		q.Unit, q.Noun = first.Unit, first.Noun // the number of teams grew by 1,200
	}
	d, ok := quantity.Derive(q, operands)
	if !ok || !hasAny(said, arithmetic[d.Kind]) && !(comparing && d.Kind == "difference") {
		return nil, false
	}
	if d.Kind == "difference" && comparing && k.turnedRound(said, ops[d.A], ops[d.B]) {
		return nil, false
	}
	if d.Kind == "sum" {
		var out []found
		for _, i := range d.All {
			out = append(out, ops[i])
		}
		return out, len(out) > 1
	}
	return []found{ops[d.A], ops[d.B]}, true
}

// Sides of a comparison by a stated amount, and which of them is the greater.
var (
	sidesHan   = guarded(`^(.*?)比(.*)$`)
	sidesLatin = guarded(`^(.*?)\b\w+er\b.*?\bthan\b(.*)$`)
	firstMore  = guarded(`比[^，。；]*[多高大长贵重宽深厚远]|\b(?:more|higher|larger|greater|longer|bigger|taller|wider|deeper|heavier|thicker|dearer|older)\b`)
	firstLess  = guarded(`比[^，。；]*(?:[少低小短轻窄浅薄近]|便宜)|\b(?:less|fewer|lower|smaller|shorter|narrower|lighter|thinner|cheaper|younger)\b`)
)

// besideOperand reports whether a sentence has another value of the same dimension that
// carries a claim's words: one of the two may leave out what both are of.
func (k *Checker) besideOperand(w, topic *wording, v *view, i int) bool {
	f := &v.page.Facts[i]
	for j := max(0, i-6); j < min(len(v.page.Facts), i+7); j++ {
		o := &v.page.Facts[j]
		if j != i && o.Sentence == f.Sentence && o.Value.Quantity != nil && loose(o.Value.Quantity.Unit.Dim) == loose(f.Value.Quantity.Unit.Dim) && k.fit(w, topic, v, j) >= 0.35 {
			return true
		}
	}
	return false
}

// turnedRound reports whether a folded claim has the lesser of two facts, whose difference
// it gives, where it names the greater.
func (k *Checker) turnedRound(said string, greater, lesser found) bool {
	sides := sidesHan.FindStringSubmatch(said)
	if sides == nil {
		sides = sidesLatin.FindStringSubmatch(said)
	}
	more, less := firstMore.MatchString(said), firstLess.MatchString(said)
	if sides == nil || more == less {
		return false
	}
	if less {
		greater, lesser = lesser, greater
	}
	names := func(side string, f found) float64 {
		label := fold(k.views[f.page].page.Facts[f.fact].Subject.Text)
		return align(wordsOf(side), wordsOf(label)).share
	}
	straight := names(sides[1], greater) + names(sides[2], lesser)
	turned := names(sides[1], lesser) + names(sides[2], greater)
	return turned > straight+leastLead
}

// wordsOf cuts a folded text into tokens.
func wordsOf(s string) []token {
	runes := []rune(s)
	return tokens(&Page{Runes: runes}, text.Span{Start: 0, End: len(runes)})
}

// unitOfOther is the quantity that says what a bare number of the same sentence counts: of 75
// people here and 45 there, the 75 people.
func (v *view) unitOfOther(i int) (*quantity.Quantity, bool) {
	f := &v.page.Facts[i]
	if q := f.Value.Quantity; q == nil || q.Unit.Dim != quantity.None || q.Noun != "" || f.Sentence < 0 {
		return nil, false
	}
	var unit *quantity.Quantity
	info := v.page.Sentences[f.Sentence]
	for c := info.Clauses[0]; c < info.Clauses[1] && c < len(v.page.Clauses); c++ {
		for n := range v.page.Clauses[c].Quantities {
			q := &v.page.Clauses[c].Quantities[n]
			if q.Unit.Dim != quantity.Count && q.Unit.Dim != quantity.Money || q.Weak {
				continue
			}
			if unit != nil && unit.Unit.Name != q.Unit.Name {
				return nil, false
			}
			unit = q
		}
	}
	return unit, unit != nil
}

// partOf matches what stands between a number and the whole that it is a part of, and
// partBehind what stands behind such a number.
var (
	partOf     = guarded(`\bof (?:which|whom|them|these|those)\b|其中|当中`)
	partBehind = guarded(`^\s*of (?:which|whom|them|these|those)\b`)
)

// unitOfWhole is the quantity of which a count of the same sentence is a part, whatever
// that counts: of 300 letters, 45 of which were about parking, the 300 letters.
func (v *view) unitOfWhole(i int) (*quantity.Quantity, bool) {
	f := &v.page.Facts[i]
	if q := f.Value.Quantity; q == nil || q.Unit.Dim != quantity.None && q.Unit.Dim != quantity.Count || f.Sentence < 0 {
		return nil, false
	}
	info := v.page.Sentences[f.Sentence]
	var whole *quantity.Quantity
	for c := info.Clauses[0]; c < info.Clauses[1] && c < len(v.page.Clauses); c++ {
		for n := range v.page.Clauses[c].Quantities {
			if q := &v.page.Clauses[c].Quantities[n]; q.Unit.Dim == quantity.Count && !q.Weak && q.End <= f.Value.Span.Start {
				whole = q
			}
		}
	}
	if whole == nil {
		return nil, false
	}
	between := fold(v.page.Quote(text.Span{Start: whole.End, End: f.Value.Span.Start}))
	behind := fold(v.page.Quote(text.Span{Start: f.Value.Quantity.Number.End, End: info.End}))
	return whole, partOf.MatchString(between) || partBehind.MatchString(behind)
}

func (v *view) leftToOther(i int) bool { _, ok := v.unitOfOther(i); return ok }

// upWords and downWords are claims of a change without its size.
var (
	upWords   = []string{"增加", "增长", "上升", "上涨", "提高", "变多", "增多", "扩大", "回升", "上调", "increased", "increase", "rose", "grew", "went up", "risen", "grown", "higher", "raised", "gained", "expanded"}
	downWords = []string{"减少", "下降", "下跌", "降低", "变少", "缩减", "缩小", "下滑", "回落", "下调", "decreased", "decrease", "fell", "dropped", "declined", "went down", "fallen", "lower", "shrank", "reduced", "lost"}
)

// Comparisons of one thing at two times, without a size.
var (
	moreThan = guarded(`比[^，。；]*(?:多|高|大|长|贵)[了。]*$|\b(?:more|higher|larger|greater|longer)\b.*\bthan\b`)
	lessThan = guarded(`比[^，。；]*(?:少|低|小|短|便宜)[了。]*$|\b(?:less|fewer|lower|smaller|shorter)\b.*\bthan\b`)
	// by how much two things differ: 比…重20公斤, 30 cm wider than
	differBy = guarded(`比[^，。；]*[\d一二两三四五六七八九十百千万半][^，。；\d]{0,6}$|\b\w+er\b.*\bthan\b`)
)

// trend judges a claim that something rose or fell between two times that it names,
// from the values stated for these times.
func (k *Checker) trend(c Claim, clauses []int) (Support, bool) {
	p := c.Page
	var times []when.Expr
	for _, i := range clauses {
		for _, t := range p.Clauses[i].Times {
			if c.Span.Contains(t.Span) && !t.From.IsZero() && !t.To.IsZero() {
				times = append(times, t)
			}
		}
	}
	if len(times) != 2 || times[0].From.Equal(times[1].From) {
		return Support{}, false
	}
	said := string(text.Fold(p.Runes[c.Span.Start:c.Span.End]))
	up, down := hasAny(said, upWords), hasAny(said, downWords)
	if !up && !down { // 比去年少, fewer than in 2023
		up, down = moreThan.MatchString(said), lessThan.MatchString(said)
	}
	if up == down {
		return Support{}, false
	}
	var skip []text.Span
	for _, i := range clauses {
		cl := &p.Clauses[i]
		if cl.Denied {
			return Support{}, false
		}
		for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
			if q := p.Facts[f].Value.Quantity; q != nil && q.Unit.Dim != quantity.Ordinal && !q.Weak {
				return Support{}, false // the size is said as well: the value is checked
			}
		}
		for _, t := range cl.Times {
			skip = append(skip, t.Span)
		}
	}
	early, late := times[0], times[1]
	if late.From.Before(early.From) {
		early, late = late, early
	}
	skip = append(skip, changeSpans(p.Runes, c.Span)...)
	w := k.engine.wordingOf(p.Runes, c.Span, k.st, skip)
	a, okA := k.valueAt(w, early)
	b, okB := k.valueAt(w, late)
	if !okA || !okB {
		return Support{}, false
	}
	va, vb := &k.views[a.page].page.Facts[a.fact], &k.views[b.page].page.Facts[b.fact]
	if r, _ := quantity.Compare(*va.Value.Quantity, *vb.Value.Quantity); r == relation.Differs {
		return Support{}, false
	}
	order, ok := orderOf(&va.Value, &vb.Value)
	if !ok {
		return Support{}, false
	}
	refs := k.refs([]found{a, b})
	if up && order < 0 || down && order > 0 {
		return Support{Verdict: SupportedClaim, Probability: 0.9, Evidence: refs, Reason: "compared from the stated values"}, true
	}
	return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: refs, Reason: "the stated values changed the other way"}, true
}

// changeSpans are the words of change and comparison in a span.
func changeSpans(runes []rune, span text.Span) []text.Span {
	s := string(text.Fold(runes[span.Start:span.End]))
	var out []text.Span
	for _, words := range [][]string{upWords, downWords, {"与", "相比", "相较", "比", "较", "compared", "than", "from", "to", "between"}, {"更少", "更多", "较少", "较多", "少", "fewer", "less", "more"}} {
		for _, w := range words {
			if at := strings.Index(s, w); at >= 0 {
				i := span.Start + len([]rune(s[:at]))
				out = append(out, text.Span{Start: i, End: i + len([]rune(w))})
			}
		}
	}
	return out
}

// valueAt is the value of a time that best carries the words.
func (k *Checker) valueAt(w *wording, t when.Expr) (found, bool) {
	var best found
	ok := false
	for p, v := range k.views {
		for i := range v.page.Facts {
			f := &v.page.Facts[i]
			if f.Value.Quantity == nil || f.Threshold || f.Value.Quantity.Delta != 0 || f.Value.Quantity.Unit.Dim == quantity.Ordinal || len(f.Times) == 0 {
				continue
			}
			if when.Scope(f.Times, []when.Expr{t}) != relation.Same {
				continue
			}
			if fit := w.scoreOn(v.factBag(i)); fit >= 0.6 && fit > best.fit {
				best, ok = found{page: p, fact: i, clause: f.Clause, fit: fit}, true
			}
		}
	}
	return best, ok
}

// implied looks for a value that a single sentence implies: the level before a stated
// change, a share of the old level after a change in per cent, the number of things
// that are listed.
func (k *Checker) implied(c Claim, f *Fact, w, topic *wording) ([]found, bool) {
	q := f.Value.Quantity
	if q == nil || !q.Point() || q.Lo == nil {
		return nil, false
	}
	for p, v := range k.views {
		for i := range v.page.Facts {
			o := &v.page.Facts[i]
			d := o.Value.Quantity
			if d == nil || d.Delta == 0 || !d.Point() || d.Lo == nil || o.Threshold {
				continue
			}
			switch {
			case d.Unit.Dim == quantity.Ratio && timesUnit(q.Unit.Name):
				// up by half: one and a half times as much
				share, err := quantity.Share(*d, ratioOne)
				if err != nil || share.Lo == nil {
					continue
				}
				want := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Mul(big.NewRat(int64(d.Delta), 1), new(big.Rat).Abs(share.Lo)))
				if want.Cmp(q.Lo) == 0 && k.fit(w, topic, v, i) >= 0.3 {
					return []found{{page: p, fact: i, clause: o.Clause, fit: 0.8, rel: relation.Same}}, true
				}
			case (loose(d.Unit.Dim) == loose(q.Unit.Dim) || d.Unit.Dim == quantity.None) && len(f.Times) > 0:
				for j := range v.page.Facts {
					l := &v.page.Facts[j]
					if l.Sentence != o.Sentence || l.Value.Quantity == nil || l.Value.Quantity.Delta != 0 || !l.Value.Quantity.Point() || l.Value.Quantity.Lo == nil ||
						loose(l.Value.Quantity.Unit.Dim) != loose(q.Unit.Dim) || when.Scope(f.Times, l.Times) != relation.Differs && !v.sinceThen(o, f.Times) {
						continue
					}
					before := new(big.Rat).Sub(l.Value.Quantity.Lo, new(big.Rat).Mul(big.NewRat(int64(d.Delta), 1), new(big.Rat).Abs(d.Lo)))
					if before.Cmp(q.Lo) == 0 && k.fit(w, topic, v, j) >= 0.4 {
						return []found{{page: p, fact: j, clause: l.Clause, fit: 0.8, rel: relation.Same}, {page: p, fact: i, clause: o.Clause, fit: 0.8, rel: relation.Same}}, true
					}
				}
			}
		}
	}
	return k.counted(c, q, w)
}

// sinceThen reports whether a change is one from the times to the present: 52 more than in 2024.
func (v *view) sinceThen(change *Fact, times []when.Expr) bool {
	c := v.clauseOf(change)
	if c == nil {
		return false
	}
	for _, t := range c.Times {
		if t.Start < change.Value.Span.Start || when.Scope(times, []when.Expr{t}) != relation.Same {
			continue
		}
		between := fold(v.page.Quote(text.Span{Start: change.Value.Span.End, End: t.Start}))
		if comparedThen.MatchString(between) {
			return true
		}
	}
	return false
}

var comparedThen = guarded(`\bthan\b|\bon\b|\bcompared\b|\bover\b`)

// ratioOne is the whole of a ratio.
var ratioOne = func() quantity.Quantity {
	q, _ := quantity.Words("100%")
	return q
}()

func timesUnit(name string) bool { return name == "倍" || name == "time" || name == "times" }

// listed counts the things that a sentence names one after another.
func listed(runes []rune) int {
	best, run, han := 1, 1, false
	for i, r := range runes {
		han = han || text.IsHan(r)
		switch {
		case r == '、' || han && (r == '和' || r == '与' || r == '及'):
			run++
		case r == ',' || !han && r == ' ' && strings.HasPrefix(string(runes[i:min(len(runes), i+5)]), " and "):
			if r == ' ' && i > 0 && runes[i-1] == ',' { // the Oxford comma is counted
				continue
			}
			run++
		case r == '，' || r == '。' || r == '；' || r == ';' || r == '：' || r == ':' || r == '.':
			run = 1
		}
		best = max(best, run)
	}
	return best
}

// counted looks for a sentence on the words of the claim that lists as many things.
func (k *Checker) counted(c Claim, q *quantity.Quantity, w *wording) ([]found, bool) {
	if q.Unit.Dim != quantity.Count || !q.Lo.IsInt() || q.Lo.Num().Int64() < 3 || q.Lo.Num().Int64() > 30 {
		return nil, false
	}
	for p, v := range k.views {
		for _, info := range v.page.Sentences {
			if info.Kind != Prose || listed(v.page.Runes[info.Start:info.End]) != int(q.Lo.Num().Int64()) || info.Clauses[0] >= info.Clauses[1] {
				continue
			}
			cl := info.Clauses[0]
			if w.scoreOn(v.clauseBag(cl)) >= 0.6 {
				return []found{{page: p, fact: -1, clause: cl, fit: 0.8, rel: relation.Same}}, true
			}
		}
	}
	return nil, false
}
