package fact

import (
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// A text tells more values than stand in it: the level before a change that it gives with
// the present one, what is left of a whole, a multiple of a value that it has named, the price
// of one of several. A claim that gives such a value is compared with what comes out.

// change is a difference that a clause gives beside a level, in signed form: the level is
// that of what it is compared with plus size times sign.
type change struct {
	fact  int    // of the size
	level []int  // of the levels that it may be a change of, nearest first
	sign  int    // +1: the level is greater
	than  string // what the level is compared with, folded; "" = what was before
}

// Words before a difference in Chinese, with what the level is compared with and the direction.
// Behind it in English. A time that takes longer is a greater one.
var (
	thanHan    = guarded(`(?:比|较|对比)([^，。；：]{1,14}?)(?:又|还|共|各|均|仍|只|约|大约)?(多|高|增|涨|慢|贵|长|重|晚|大|宽|新增|上升|提高|超|少|低|减|降|跌|快|省|便宜|短|轻|早|小|窄|缩|下降|节省|节约)[^，。；：\d]{0,4}$`)
	thanLatin  = guarded(`^\s*(?:[a-z]+ ){0,3}?(more|higher|longer|later|dearer|larger|greater|heavier|slower|above|over|fewer|less|lower|shorter|earlier|cheaper|smaller|lighter|faster|below|under|short)\b(?:[^.;]*?\b(?:than|of)\b ?([^.;,]+)|\s*$|\s*[.,;])`)
	upBefore   = guarded(`\b(?:up|a rise|an increase)(?: by| of)?\s*$`)
	downBefore = guarded(`\b(?:down|a fall|a drop|a decrease)(?: by| of)?\s*$`)
	lessHan    = "少低减降跌快省便宜短轻早小窄缩下降节省节约"
	lessLatin  = []string{"fewer", "less", "lower", "shorter", "earlier", "cheaper", "smaller", "lighter", "faster", "below", "under", "short"}
)

// wasBefore are words for what was before the present level.
var wasBefore = guarded(`上年|上一年|去年|前一年|上月|上个月|上一|前一|上期|上季|上届|上次|原来|原先|原本|原价|原为|以前|之前|此前|从前|过去|同期|\b(?:last|before|previous|previously|earlier|former|had been|used to|once|originally|preceding|prior)\b|\bhad \w+`)

// inPast are forms of a verb by which a claim speaks of what was, where its source, in the present
// or without a verb, tells what is: "was 63" of "71, up 8".
var inPast = guarded(`\b(?:was|were|had|did|cost|stood|came)\b`)

// changesOf lists the changes of a page, once.
func (s *sheet) changesOf() []change {
	return *s.changes.get(0, s.findChanges)
}

func (s *sheet) findChanges() *[]change {
	p := s.page
	out := []change{}
	for i := range p.Facts {
		f := &p.Facts[i]
		d := f.Value.Quantity
		if d == nil || f.Threshold || !d.Point() || d.Lo == nil || d.Unit.Dim == quantity.Ordinal || d.Unit.Dim == quantity.Ratio && d.Delta != 0 || f.Sentence < 0 || f.Sentence >= len(p.Sentences) || s.inTable(f) {
			continue
		}
		info := p.Sentences[f.Sentence]
		before := fold(p.Quote(text.Span{Start: max(info.Start, f.Value.Span.Start-24), End: d.Number.Start}))
		x := change{fact: i, sign: d.Delta}
		if m := thanHan.FindStringSubmatch(before); m != nil {
			x.than, x.sign = m[1], 1
			if strings.Contains(lessHan, m[2]) {
				x.sign = -1
			}
		} else if m := thanLatin.FindStringSubmatch(fold(p.Quote(text.Span{Start: f.Value.Span.End, End: min(info.End, f.Value.Span.End+80)}))); m != nil && (m[2] != "" || d.Delta == 0 && f.Value.Span.Start > info.Start+3) {
			x.than, x.sign = strings.TrimSpace(m[2]), 1
			if slices.Contains(lessLatin, m[1]) {
				x.sign = -1
			}
		} else if upBefore.MatchString(before) {
			x.sign = 1
		} else if downBefore.MatchString(before) {
			x.sign = -1
		}
		if x.sign == 0 {
			continue
		}
		for step := 1; step < 7; step++ {
			for _, j := range []int{i - step, i + step} {
				if j < 0 || j >= len(p.Facts) {
					continue
				}
				l := p.Facts[j].Value.Quantity
				if p.Facts[j].Sentence != f.Sentence || l == nil || p.Facts[j].Threshold || l.Delta != 0 || !l.Point() || l.Lo == nil || l.Span == d.Span || l.Unit.Dim == quantity.Ordinal ||
					loose(l.Unit.Dim) != loose(d.Unit.Dim) && d.Unit.Dim != quantity.None || l.Unit.Dim == quantity.Money && d.Unit.Dim == quantity.Money && l.Unit.Name != d.Unit.Name {
					continue
				}
				x.level = append(x.level, j)
			}
		}
		if len(x.level) > 0 {
			out = append(out, x)
		}
	}
	return &out
}

// workedOut looks for a value that follows from what one sentence, or two that follow each other, state.
func (k *Checker) workedOut(c Claim, f *Fact, w, topic *wording) ([]found, bool) {
	q := f.Value.Quantity
	if q == nil || !q.Point() || q.Lo == nil || q.Unit.Dim == quantity.Ordinal || q.Unit.Dim == quantity.ClockTime || q.Weak {
		return nil, false
	}
	cl := &c.Page.Clauses[f.Clause]
	said := fold(c.Page.Quote(c.Span))
	words := grams(c.Page, c.Span, f.Value.Span)
	for page, v := range k.views {
		if !k.speaks(c, f.Times, v) || foreign(c.Page, v.page) {
			continue
		}
		for _, find := range []func() ([]found, bool){
			func() ([]found, bool) { return k.before(page, q, said, words, w, topic) },
			func() ([]found, bool) { return k.leftOf(page, q, said, words, w, topic) },
			func() ([]found, bool) { return k.multiple(page, q, words, w, topic) },
			func() ([]found, bool) { return k.each(page, q, fold(c.Page.Quote(cl.Span)), w, topic) },
		} {
			if hit, ok := find(); ok {
				return hit, true
			}
		}
	}
	return nil, false
}

// is reports whether a value of a claim is the one that came out, in the unit of a stated one.
func (q claimed) is(y *big.Rat, like *quantity.Quantity) bool {
	own, x := *q.Quantity, *like
	x.Lo, x.Hi, x.Span, x.Sig, x.Delta, x.Step, x.Unit.Per, x.Approx = y, y, text.Span{}, 0, 0, nil, "", false
	own.Unit.Per, own.Delta = "", 0
	if own.Unit.Dim == quantity.Ratio && x.Unit.Dim == quantity.Ratio {
		x.Unit, x.Discount, own.Discount, own.Unit = quantity.Unit{Dim: quantity.Ratio, Name: "%"}, false, false, quantity.Unit{Dim: quantity.Ratio, Name: "%"}
	}
	r, _ := quantity.Compare(own, x)
	return r == relation.Same
}

// claimed is a value of a claim.
type claimed struct{ *quantity.Quantity }

func (k *Checker) stated(page int, facts ...int) []found {
	var out []found
	for _, i := range facts {
		out = append(out, found{page: page, fact: i, clause: k.views[page].page.Facts[i].Clause, fit: 0.8, rel: relation.Same})
	}
	return out
}

// before finds a level of which a text gives another and the difference.
func (k *Checker) before(page int, q *quantity.Quantity, said string, words map[string]float64, w, topic *wording) ([]found, bool) {
	v := k.views[page]
	for _, x := range v.changesOf() {
		d := v.page.Facts[x.fact].Value.Quantity
		if loose(d.Unit.Dim) != loose(q.Unit.Dim) && d.Unit.Dim != quantity.None {
			continue
		}
		than := k.phraseGrams(x.than)
		past := wasBefore.MatchString(said) || inPast.MatchString(said) && !inPast.MatchString(v.sentenceText(v.page.Facts[x.fact].Sentence))
		if named := x.than != "" && weighs(than, words) >= labelShare; !named && !(past && (x.than == "" || wasBefore.MatchString(x.than) || weighs(than, nil) == 0)) {
			continue // the claim is of the present level
		}
		for _, l := range x.level {
			level := v.page.Facts[l].Value.Quantity
			size := d.Lo
			if d.Unit.Dim == quantity.None && level.Unit.Factor != nil { // 71 kroner, up 8
				size = new(big.Rat).Mul(size, level.Unit.Factor)
			}
			y := new(big.Rat).Sub(level.Lo, new(big.Rat).Mul(big.NewRat(int64(x.sign), 1), new(big.Rat).Abs(size)))
			if (claimed{q}).is(y, level) && max(k.fit(w, topic, v, l), k.fit(w, topic, v, x.fact)) >= 0.3 {
				return k.stated(page, l, x.fact), true
			}
		}
	}
	return nil, false
}

// Words for what is left of a whole: isLeft where a source has none of them, ofRest where a claim
// must have one. Still, yet, other and 还有 tell no rest, nor does 未 in 未来.
var (
	ofRest  = guarded(`剩|其余|余下|没有|还没|尚未|仍未|未(?:曾|经|被|能|获|完|交|付|到|通|达|参|签|办|用|售|还|领|报)|\b(?:left|remaining|the rest|not|remains? (?:un[a-z]+|to be)|un(?:sold|paid|used|done|filled|spent|answered))\b`)
	theRest = guarded(`其余|余下|剩下|剩余|其它的|其他的|\b(?:the rest|the remainder|the remaining|the others)\b`)
	isLeft  = guarded(`剩|余|还有|尚有|没|未|\b(?:left|remains?|remaining|rest|still|not|without|yet|other)\b`)
)

// leftOf finds what is left: of the whole that a sentence gives, without the parts that it gives;
// of one, without the share of a thing that is done.
func (k *Checker) leftOf(page int, q *quantity.Quantity, said string, words map[string]float64, w, topic *wording) ([]found, bool) {
	v := k.views[page]
	p := v.page
	for _, r := range v.restsOf() {
		if weighs(r.grams, words) < 2*labelShare {
			continue
		}
		var of []int
		parts := new(big.Rat) // the sum of all from the one at hand on
		for _, i := range p.valuesIn(p.Sentences[r.sentence].Clauses) {
			x := p.Facts[i].Value.Quantity
			if x != nil && x.Point() && x.Lo != nil && x.Delta == 0 && loose(x.Unit.Dim) == loose(q.Unit.Dim) && x.Unit.Dim != quantity.Ordinal && p.Facts[i].Value.Span.End <= r.at && (len(of) == 0 || p.Facts[of[len(of)-1]].Value.Span != p.Facts[i].Value.Span) {
				of = append(of, i)
				parts.Add(parts, x.Lo)
			}
		}
		for first, i := range of { // the whole is the one before its parts; shares have one of their own
			whole := p.Facts[i].Value.Quantity
			y, several := big.NewRat(1, 1), true
			if q.Unit.Dim == quantity.Ratio {
				y.Sub(y, parts)
				parts.Sub(parts, whole.Lo)
			} else {
				parts.Sub(parts, whole.Lo)
				y.Sub(whole.Lo, parts)
				several = first+1 < len(of)
			}
			if several && y.Sign() > 0 && (claimed{q}).is(y, whole) {
				return k.stated(page, of[first:]...), true
			}
		}
	}
	if q.Unit.Dim != quantity.Ratio || q.Discount || !ofRest.MatchString(said) {
		return nil, false
	}
	for i := range p.Facts {
		o := &p.Facts[i]
		x := o.Value.Quantity
		if x == nil || x.Unit.Dim != quantity.Ratio || !x.Point() || x.Lo == nil || x.Delta != 0 || o.Threshold || x.Discount || x.Lo.Cmp(big.NewRat(1, 1)) >= 0 || !sole(v, o) || isLeft.MatchString(v.sentenceText(o.Sentence)) {
			continue
		}
		if y := new(big.Rat).Sub(big.NewRat(1, 1), x.Lo); (claimed{q}).is(y, x) && k.fit(w, topic, v, i) >= 0.45 {
			out := k.stated(page, i)
			out[0].left = true
			return out, true
		}
	}
	return nil, false
}

// restAt is where a sentence speaks of the rest of what it gives.
type restAt struct {
	sentence, at int // at: on the page
	grams        map[string]float64
}

// restsOf lists the rests of a page, once.
func (s *sheet) restsOf() []restAt {
	return *s.rests.get(0, func() *[]restAt {
		p := s.page
		out := []restAt{}
		for n, info := range p.Sentences {
			if info.Kind == HeadingLine || info.Kind == HeaderRow || info.Kind == Row || info.Clauses[0] >= info.Clauses[1] {
				continue
			}
			m := theRest.FindStringIndex(s.sentenceText(n))
			if m == nil {
				continue
			}
			at := info.Start + utf8.RuneCountInString(s.sentenceText(n)[:m[0]])
			out = append(out, restAt{n, at, grams(p, text.Span{Start: at, End: info.End})})
		}
		return &out
	})
}

// multiples are words for a multiple of a value that stands before them.
var multiples = []struct {
	word *guardedPattern
	by   *big.Rat
}{
	{guarded(`减半|半价|折半|[付收交缴按打为是的]一半|\b(?:half (?:of )?(?:that|this|as|price)|half (?:of )?the (?:price|fee|rate|fare|sum|amount|charge|usual|normal|standard|full|adult)|halved|pays? half|are half|is half)\b`), big.NewRat(1, 2)},
	{guarded(`加倍|翻倍|双倍|两倍|翻一番|\b(?:twice (?:that|this|as)|twice the (?:price|fee|rate|fare|sum|amount|charge|usual|normal|standard)|doubled|double that|pays? (?:twice|double))\b`), big.NewRat(2, 1)},
	{guarded(`三倍|\b(?:three times (?:that|this|the|as)|tripled?|treble)\b`), big.NewRat(3, 1)},
	{guarded(`一倍半|\bone and a half times\b`), big.NewRat(3, 2)},
}

// multiple finds a value that a clause gives as a multiple of another one, which stands in its sentence
// or in the one before: children pay half.
func (k *Checker) multiple(page int, q *quantity.Quantity, words map[string]float64, w, topic *wording) ([]found, bool) {
	v := k.views[page]
	p := v.page
	for _, m := range v.multiplesOf() {
		n, by, span, ratio := m.clause, m.by, m.span, m.ratio
		cl := &p.Clauses[n]
		if weighs(m.grams, words) < 2*labelShare {
			continue // the claim is not of this case
		}
		first, last := p.factsIn(cl.Sentence)
		if lo, hi := p.factsIn(cl.Sentence - 1); lo < hi {
			first, last = lo, max(hi, last)
		}
		for i := first; i < last; i++ {
			o := &p.Facts[i]
			x := o.Value.Quantity
			if x == nil || !x.Point() || x.Lo == nil || x.Delta != 0 || o.Threshold || o.Value.Span.End > cl.Start+span.Start && o.Clause >= n || o.Sentence > cl.Sentence || o.Sentence < cl.Sentence-1 ||
				loose(x.Unit.Dim) != loose(q.Unit.Dim) || x.Unit.Dim == quantity.Ordinal || ratio != nil && o.Value.Span.Overlaps(ratio.Span) {
				continue
			}
			if (claimed{q}).is(new(big.Rat).Mul(x.Lo, by), x) && k.fit(w, topic, v, i) >= 0.15 {
				return append([]found{{page: page, fact: -1, clause: n, fit: 0.8, rel: relation.Same}}, k.stated(page, i)...), true
			}
		}
	}
	return nil, false
}

// multipleAt is a multiple of a value that stands before it.
type multipleAt struct {
	clause int
	by     *big.Rat
	span   text.Span          // within the clause
	ratio  *quantity.Quantity // of a share (八折, two thirds of that); nil where a word tells it
	grams  map[string]float64 // of the rest of the clause
}

// multiplesOf lists the multiples of a page, once.
func (s *sheet) multiplesOf() []multipleAt {
	return *s.multiples.get(0, func() *[]multipleAt {
		p := s.page
		out := []multipleAt{}
		for n := range p.Clauses {
			cl := &p.Clauses[n]
			if kind := p.Sentences[cl.Sentence].Kind; kind == HeadingLine || kind == HeaderRow {
				continue
			}
			own := s.clauseText(n)
			m := multipleAt{clause: n}
			if m.by, m.span = multipleIn(own); m.by == nil {
				if m.by, m.ratio = shareOfOther(cl, own); m.by == nil {
					continue
				}
				m.span = text.Span{Start: m.ratio.Start - cl.Start, End: m.ratio.End - cl.Start}
			}
			m.grams = grams(p, cl.Span, text.Span{Start: cl.Start + m.span.Start, End: cl.Start + m.span.End})
			out = append(out, m)
		}
		return &out
	})
}

// multipleIn is the multiple that a folded clause names in words, and where.
func multipleIn(s string) (*big.Rat, text.Span) {
	for _, m := range multiples {
		if at := m.word.FindStringIndex(s); at != nil {
			start := len([]rune(s[:at[0]]))
			return m.by, text.Span{Start: start, End: start + len([]rune(s[at[0]:at[1]]))}
		}
	}
	return nil, text.Span{}
}

// takenAs matches what stands around a share that is one of a value named before.
var takenAs = guarded(`折|按|付|收|为其|上浮|下浮|\bof (?:that|this|the (?:new|old|usual|normal|full|list|standard))\b|\boff\b`)

// shareOfOther is the share of an earlier value that a clause gives: 打八折, two thirds of that.
func shareOfOther(cl *Clause, own string) (*big.Rat, *quantity.Quantity) {
	if !takenAs.MatchString(own) {
		return nil, nil
	}
	for n := range cl.Quantities {
		q := &cl.Quantities[n]
		if q.Unit.Dim != quantity.Ratio || !q.Point() || q.Lo == nil || q.Lo.Sign() <= 0 {
			continue
		}
		one := big.NewRat(1, 1)
		switch {
		case q.Unit.Name == "折":
			return q.Lo, q
		case q.Discount || q.Delta < 0:
			return one.Sub(one, q.Lo), q
		case q.Delta > 0:
			return one.Add(one, q.Lo), q
		}
		return q.Lo, q
	}
	return nil, nil
}

// averages are words of a claim for the share of one of several.
var averages = guarded(`平均|均摊|人均|折合|相当于|合每|每[^，。；]{1,6}(?:合|只|仅)?|\b(?:average|averages|each|per|apiece|works out|work out|a (?:head|piece|time))\b`)

// each finds the price of one of several: 72 for eighteen films are four a film.
func (k *Checker) each(page int, q *quantity.Quantity, said string, w, topic *wording) ([]found, bool) {
	if q.Unit.Dim != quantity.Money && q.Unit.Dim != quantity.Mass && q.Unit.Dim != quantity.Volume && q.Unit.Dim != quantity.Duration || q.Unit.Per == "" && !averages.MatchString(said) {
		return nil, false
	}
	v := k.views[page]
	p := v.page
	for i := range p.Facts {
		o := &p.Facts[i]
		x := o.Value.Quantity
		if x == nil || !x.Point() || x.Lo == nil || x.Delta != 0 || o.Threshold || x.Unit.Dim != q.Unit.Dim && !(x.Unit.Dim == quantity.None && v.inTable(o)) || k.fit(w, topic, v, i) < 0.3 {
			continue
		}
		for j := max(0, i-4); j < min(len(p.Facts), i+5); j++ {
			n := p.Facts[j].Value.Quantity
			if j == i || p.Facts[j].Sentence != o.Sentence || n == nil || !n.Point() || n.Lo == nil || !n.Lo.IsInt() || n.Lo.Cmp(big.NewRat(1, 1)) <= 0 || n.Unit.Dim != quantity.Count && n.Unit.Dim != quantity.None || n.Weak {
				continue
			}
			y := new(big.Rat).Quo(x.Lo, n.Lo)
			if x.Unit.Dim == quantity.None && q.Unit.Factor != nil {
				y.Mul(y, q.Unit.Factor)
			}
			like := *q
			if y.Cmp(q.Lo) == 0 && (claimed{q}).is(y, &like) {
				return k.stated(page, i, j), true
			}
		}
	}
	return nil, false
}
