package fact

import (
	"math/bits"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// A text that was copied and changed in one place shows the change by itself: the
// words before and after are the same, and in between stands another name, number or
// date. Such a pair needs no reading of the sentence; it works on lists, boxes and
// text without punctuation as well. It is looked for only on what a need asks, on
// pages that are about it.

// Limits of a substitution, in tokens (a Latin word, a number, a Han character).
const (
	seedTokens    = 3  // equal tokens that open a common stretch
	resumeTokens  = 3  // equal tokens that close a substitution
	leastInside   = 6  // of them, those in the sentence of the replaced stretch
	leastContext  = 9  // equal tokens on both sides together
	mostReplaced  = 5  // tokens of a replaced stretch
	aboutTokens   = 25 // tokens around it in which what is asked must be named
	mostSeeds     = 4  // places of one seed that are tried
	leastAboutAll = 0.5
)

// wordAtom is a word, number or Han character of a page.
type wordAtom struct {
	text.Span
	word key // of its folded form
}

// tokens cuts the page's text; the result is shared.
func (s *sheet) tokens() []wordAtom {
	return *s.cut.get(0, func() *[]wordAtom {
		folded := s.foldedText()
		out := make([]wordAtom, 0, len(folded)/3)
		for i := 0; i < len(folded); {
			r := folded[i]
			switch {
			case text.IsHan(r):
				out = append(out, wordAtom{text.Span{Start: i, End: i + 1}, mixed(runeHash(hashStart, r))})
				i++
			case unicode.IsLetter(r) || unicode.IsDigit(r):
				j := i + 1
				for j < len(folded) && !text.IsHan(folded[j]) && (unicode.IsLetter(folded[j]) || unicode.IsDigit(folded[j]) ||
					(folded[j] == '.' || folded[j] == ',') && digit(folded[j-1]) && digit(at(folded, j+1))) {
					j++
				}
				out = append(out, wordAtom{text.Span{Start: i, End: j}, runesKey(folded[i:j])})
				i = j
			default:
				i++
			}
		}
		return &out
	})
}

// substitutions finds the places where two pages differ in one stretch of equal text
// that answers the need.
func (x *comparer) substitutions(n *prepared) []Clash {
	var about []int
	for i, v := range x.views {
		if n.speaksOf(v) {
			about = append(about, i)
		}
	}
	var out []Clash
	for i, p := range about {
		for _, q := range about[i+1:] {
			if c, ok := x.substitution(n, p, q); ok {
				out = append(out, c)
			}
		}
	}
	return out
}

// speaksOf reports whether a page is about what is asked: it has half of the question's
// words, all its names, and nearly all of a Chinese subject, where names show no capital.
func (n *prepared) speaksOf(v *view) bool {
	c := n.all.cover(v.allBag())
	if c.score < leastAboutAll {
		return false
	}
	for k, cell := range n.all.cells {
		if cell.name && c.cells[k] < cellCovered {
			return false
		}
	}
	for _, piece := range n.pieces {
		if piece.scoreOn(v.allBag()) < 0.8 {
			return false
		}
	}
	return true
}

func (x *comparer) substitution(n *prepared, p, q int) (Clash, bool) {
	va, vb := x.views[p], x.views[q]
	a, b := va.tokens(), vb.tokens()
	if len(b) < seedTokens {
		return Clash{}, false
	}
	seeds := vb.seedPlaces()
	for i := 0; i+seedTokens <= len(a); i++ {
		tried := 0
		for j := seeds.first.get(seedAt(a, i)) - 1; j >= 0 && tried < mostSeeds; j = seeds.next[j] - 1 {
			tried++
			j := int(j)
			if i > 0 && j > 0 && a[i-1].word == b[j-1].word {
				continue // inside a stretch that was followed from its beginning
			}
			left := run(a[i:], b[j:])
			u, w := i+left, j+left
			for range 2 { // two changes may follow each other
				var la, lb, right int
				la, lb, right = resume(a[u:], b[w:])
				if right == 0 {
					break
				}
				if left+right >= leastContext && va.within(u-left, u, u+la, u+la+right) >= leastInside && vb.within(w-left, w, w+lb, w+lb+right) >= leastInside {
					if found, ok := x.replaced(n, p, q, text.Span{Start: u, End: u + la}, text.Span{Start: w, End: w + lb}); ok {
						return found, true
					}
				}
				u, w, left = u+la+right, w+lb+right, right
			}
		}
	}
	return Clash{}, false
}

// within counts the tokens of two stretches, one that ends at to and one that begins at next,
// that stand in the sentence of what is between them.
func (s *sheet) within(from, to, next, end int) int {
	t := s.tokens()
	middle := t[to].Start
	span := text.Span{Start: 0, End: len(s.page.Runes)}
	for _, info := range s.page.Sentences {
		if info.Start <= middle && middle < info.End {
			span = info.Span
			break
		}
	}
	n := 0
	for i := to - 1; i >= from && t[i].Start >= span.Start; i-- {
		n++
	}
	for i := next; i < end && i < len(t) && t[i].End <= span.End; i++ {
		n++
	}
	return n
}

// seedPlaces are the places of each seed of a page, in order.
type seedPlaces struct {
	first *tally  // by seed: 1 + where it stands first
	next  []int32 // by place: 1 + where the same seed stands next
}

func (s *sheet) seedPlaces() *seedPlaces {
	return s.seeds.get(0, func() *seedPlaces {
		t := s.tokens()
		out := &seedPlaces{first: newTally(len(t)), next: make([]int32, len(t))}
		for j := len(t) - seedTokens; j >= 0; j-- {
			first := out.first.count(seedAt(t, j))
			out.next[j], *first = *first, int32(j+1)
		}
		return out
	})
}

// seedAt stands for the tokens of a seed.
func seedAt(t []wordAtom, i int) key {
	h := uint64(0)
	for n := range seedTokens {
		h = bits.RotateLeft64(h, 21) ^ uint64(t[i+n].word)
	}
	return mixed(h)
}

// run is the number of equal tokens at the beginning.
func run(a, b []wordAtom) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].word == b[n].word {
		n++
	}
	return n
}

// resume finds the shortest replaced stretches after which both texts go on alike, and
// how long they do; 0 if they do not.
func resume(a, b []wordAtom) (la, lb, right int) {
	for total := 2; total <= 2*mostReplaced; total++ {
		for la = 1; la < total && la <= mostReplaced; la++ {
			lb = total - la
			if lb < 1 || lb > mostReplaced || la >= len(a) || lb >= len(b) {
				continue
			}
			if right = run(a[la:], b[lb:]); right >= resumeTokens {
				return la, lb, right
			}
		}
	}
	return 0, 0, 0
}

// replaced judges one replaced stretch, given in tokens: whether both sides are of the
// kind that the need asks, exclude each other, and stand beside what is asked.
func (x *comparer) replaced(n *prepared, p, q int, sa, sb text.Span) (Clash, bool) {
	va, vb := x.views[p], x.views[q]
	a, b := va.stretch(sa), vb.stretch(sb)
	kind, ok := x.otherValue(n, va.page, a, vb.page, b)
	if kind == "ENTITY" && (n.Class == "COMPARISON" || n.names(va.page.Quote(a)) || n.names(vb.page.Quote(b))) {
		return Clash{}, false // what is compared, or what the question itself names
	}
	if !ok || !n.near(va, sa) || !n.near(vb, sb) {
		return Clash{}, false
	}
	ra, okA := va.refAt(p, a)
	rb, okB := vb.refAt(q, b)
	if !okA || !okB {
		return Clash{}, false
	}
	fa, fb := &va.page.Facts[ra.Fact], &vb.page.Facts[rb.Fact]
	if kind != "TIME" && (when.Scope(fa.Times, fb.Times) == relation.Differs || when.Scope(n.times, fa.Times) == relation.Differs || when.Scope(n.times, fb.Times) == relation.Differs) {
		return Clash{}, false
	}
	if kind == "VALUE" && (fa.Value.Kind == TimeValue || fb.Value.Kind == TimeValue) {
		return Clash{}, false // another year, not another value
	}
	if x.introducedApart(ra, rb) && !(va.introduces().Overlaps(a) && vb.introduces().Overlaps(b) && !n.names(va.page.Quote(a)) && !n.names(vb.page.Quote(b))) {
		return Clash{}, false
	}
	if kind == "VALUE" && !(n.counts(fa) && n.counts(fb) && n.measures(fa) && n.measures(fb)) {
		return Clash{}, false // the number of a line is not its length
	}
	if kind == "VALUE" && namedApart(va, fa, vb, fb) || oneCharacterApart(va, fa, vb, fb) {
		return Clash{}, false
	}
	if fa.Value.Span.Overlaps(a) && fb.Value.Span.Overlaps(b) {
		if r, _ := compareValues(&fa.Value, &fb.Value); r == relation.Same {
			return Clash{}, false
		}
	}
	if numberedApart(va, ra.Fact, vb, rb.Fact) {
		return Clash{}, false
	}
	if kind != "ENTITY" && (apart(va.factSides(ra.Fact), vb.factSides(rb.Fact), false) || contrast(mutual(x.readAbout(va, ra.Fact, ofValue, unweighed), x.readAbout(vb, rb.Fact, ofValue, unweighed), &[2][]float64{}, &[2][]text.Span{}))) {
		return Clash{}, false
	}
	hard := kind != "VALUE"
	if qa, qb := fa.Value.Quantity, fb.Value.Quantity; qa != nil && qb != nil && fa.Value.Span.Overlaps(a) && fb.Value.Span.Overlaps(b) {
		d, known := quantity.RelativeDifference(*qa, *qb)
		hard = hard || known && d > hardDistance || ruleValue(va, fa) || ruleValue(vb, fb)
	}
	return Clash{Kind: kind, Hard: hard, Subject: n.Need.Subject, Attribute: n.Need.Attribute, A: ra, B: rb, Reason: "one text with another value"}, true
}

// stretch is the span of some tokens in the text.
func (v *view) stretch(s text.Span) text.Span {
	t := v.tokens()
	return text.Span{Start: t[s.Start].Start, End: t[s.End-1].End}
}

// otherValue reports whether two stretches are different values of the asked kind.
func (e *Engine) otherValue(n *prepared, pa *Page, a text.Span, pb *Page, b text.Span) (kind string, ok bool) {
	numberA, numberB := hasDigit(pa.Runes[a.Start:a.End]), hasDigit(pb.Runes[b.Start:b.End])
	if numberA != numberB {
		return "", false
	}
	switch n.Expect {
	case "QUANTITY", "DURATION":
		return "VALUE", numberA
	case "TIME":
		return "TIME", numberA || months(pa.Quote(a)) && months(pb.Quote(b))
	}
	if numberA {
		return "", false
	}
	ta, tb := e.wording(pa.Quote(a), nil), e.wording(pb.Quote(b), nil)
	if len(ta.cells) == 0 || len(tb.cells) == 0 {
		return "", false
	}
	if ba, bb := bagOf(ta), bagOf(tb); ta.scoreOn(bb) > 0.3 || tb.scoreOn(ba) > 0.3 {
		return "", false
	}
	namesA, namesB := unicode.IsUpper(pa.Runes[a.Start]), unicode.IsUpper(pb.Runes[b.Start])
	switch n.Expect {
	case "ENTITY", "PLACE":
		if !text.IsHan(pa.Runes[a.Start]) && (!namesA || !namesB) {
			return "", false
		}
	case "BOOLEAN":
		return "", false
	}
	return "ENTITY", true
}

func hasDigit(runes []rune) bool {
	for _, r := range runes {
		if unicode.IsDigit(r) {
			return true
		}
	}
	return false
}

// months reports whether a stretch begins with the name of a month.
func months(s string) bool {
	return hasAny(fold(s), []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"})
}

// near reports whether the question's words stand around a stretch, given in tokens.
func (n *prepared) near(v *view, s text.Span) bool {
	t := v.tokens()
	lo, hi := max(0, s.Start-aboutTokens), min(len(t), s.End+aboutTokens)
	window := text.Span{Start: t[lo].Start, End: t[hi-1].End}
	own := v.stretch(s)
	b := newBag(32)
	for i := range v.page.Clauses {
		c := &v.page.Clauses[i]
		if !c.Overlaps(window) {
			continue
		}
		for _, term := range c.Terms {
			if !term.Span.Overlaps(own) && term.Span.Overlaps(window) {
				b.add(term.Text, term.Synset, 1)
			}
		}
	}
	return n.all.scoreOn(b) >= 0.3
}

// refAt points to a fact of the sentence that holds a span.
func (v *view) refAt(page int, s text.Span) (Ref, bool) {
	for i := range v.page.Clauses {
		c := &v.page.Clauses[i]
		if !c.Overlaps(s) {
			continue
		}
		best := -1
		for k := c.Facts[0]; k < c.Facts[1] && k < len(v.page.Facts); k++ {
			if f := &v.page.Facts[k]; best < 0 || f.Value.Kind != BooleanValue && f.Value.Span.Overlaps(s) {
				best = k
			}
		}
		if best >= 0 {
			return Ref{Page: page, Fact: best, Span: c.Span, Value: s, Score: 0.8}, true
		}
	}
	return Ref{}, false
}

// unweighed leaves a phrase as it is, without rarity.
func unweighed(w *wording) *wording { return w }

// names reports whether the question names what a stretch says.
func (n *prepared) names(s string) bool { return strings.Contains(fold(n.Question), fold(s)) }

// measures reports whether the fact has a value of a dimension that the question asks for.
func (n *prepared) measures(f *Fact) bool {
	q := f.Value.Quantity
	return q == nil || n.kinds.dims == nil || n.kinds.dims[q.Unit.Dim]
}
