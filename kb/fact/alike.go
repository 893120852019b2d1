package fact

import (
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Swap is a value of a claim in the words that a source has for it.
type Swap struct {
	From string // of the claim
	To   string // of the source, or in its words
}

// InWordsOf finds the values of a claim that a sentence of a page states in other words
// (千分之三 and 0.3%, 3.5 tonnes and 3,500 kg, half and 50 per cent), and the cases that a bound
// of the sentence holds (a ten-year-old, of children from six to fourteen), in order, for a judge of
// words who does not count. Values that the sentence has in the same words, or not at all, are left out.
func (k *Checker) InWordsOf(c Claim, page, sentence int) []Swap {
	p, v := c.Page, k.views[page]
	if foreign(p, v.page) {
		return nil
	}
	info := v.page.Sentences[sentence]
	own := fold(v.page.Quote(info.Span))
	var out []Swap
	for i := range p.Clauses {
		cl := &p.Clauses[i]
		if !c.Span.Contains(cl.Span) {
			continue
		}
		for n := range cl.Quantities {
			q := &cl.Quantities[n]
			if q.Weak || namedNumber(p.Runes, q.Span) || q.Unit.Dim == quantity.Ordinal {
				continue
			}
			if s, ok := k.quantityIn(p, cl, q, v.page, info, own); ok {
				out = append(out, s)
			}
		}
		for _, t := range cl.Times {
			if s, ok := timeIn(p, t, v.page, info, own); ok {
				out = append(out, s)
			}
		}
	}
	return out
}

// ValuesIn counts the quantities and times of a claim that a sentence of a page has too, in whatever
// words, or holds within a bound.
func (k *Checker) ValuesIn(c Claim, page, sentence int) int {
	p, source := c.Page, k.views[page].page
	info := source.Sentences[sentence]
	n := 0
	held := func(q *quantity.Quantity) bool {
		for i := info.Clauses[0]; i < info.Clauses[1] && i < len(source.Clauses); i++ {
			for m := range source.Clauses[i].Quantities {
				t := &source.Clauses[i].Quantities[m]
				if t.Weak || loose(t.Unit.Dim) != loose(q.Unit.Dim) && !(q.Point() && !t.Point()) {
					continue
				}
				if r, _ := quantity.Compare(*q, *t); r == relation.Same || atLimit(q, t) || atLimit(t, q) || q.Point() && !t.Point() && sameScale(q, t) && bounds(q, t) {
					return true
				}
			}
		}
		return false
	}
	for i := range p.Clauses {
		cl := &p.Clauses[i]
		if !c.Span.Contains(cl.Span) {
			continue
		}
		for m := range cl.Quantities {
			if q := &cl.Quantities[m]; !q.Weak && held(q) {
				n++
			}
		}
		for _, t := range cl.Times {
			for s := info.Clauses[0]; s < info.Clauses[1] && s < len(source.Clauses); s++ {
				if !t.From.IsZero() && slices.ContainsFunc(source.Clauses[s].Times, func(o when.Expr) bool { return o.From.Equal(t.From) && o.To.Equal(t.To) }) {
					n++
					break
				}
			}
		}
	}
	return n
}

// quantityIn is a quantity of a claim in the words of a sentence.
func (k *Checker) quantityIn(p *Page, cl *Clause, q *quantity.Quantity, source *Page, info SentenceInfo, own string) (Swap, bool) {
	whole := p.Quote(q.Span)
	if holdsValue(own, fold(whole)) || holdsValue(own, fold(p.Quote(core(p, q)))) {
		return Swap{}, false
	}
	for n := info.Clauses[0]; n < info.Clauses[1] && n < len(source.Clauses); n++ {
		for m := range source.Clauses[n].Quantities {
			t := &source.Clauses[n].Quantities[m]
			if t.Weak || q.Point() != t.Point() && !atLimit(q, t) && !atLimit(t, q) {
				continue
			}
			if q.Discount != t.Discount || q.Approx && !t.Approx && !t.Point() {
				continue
			}
			if r, _ := quantity.Compare(*q, *t); r != relation.Same && !atLimit(q, t) && !atLimit(t, q) || loose(q.Unit.Dim) != loose(t.Unit.Dim) || q.Unit.Dim == quantity.Money && q.Unit.Name != t.Unit.Name {
				continue
			}
			from, to := p.Quote(core(p, q)), source.Quote(core(source, t))
			if q.Point() == t.Point() && !q.Point() {
				from, to = whole, source.Quote(t.Span)
			}
			return Swap{from, to}, true
		}
	}
	if !q.Point() || !ofCase(p, cl, q) {
		return Swap{}, false
	}
	for n := info.Clauses[0]; n < info.Clauses[1] && n < len(source.Clauses); n++ {
		for m := range source.Clauses[n].Quantities {
			t := &source.Clauses[n].Quantities[m]
			if !t.Point() && sameScale(q, t) && bounds(q, t) {
				return k.caseIn(p, q, source, t), true
			}
		}
	}
	return Swap{}, false
}

// sameScale reports whether a bound is of the unit of a value, or of none: twelve minutes late is
// within three days, but no case of it.
func sameScale(q, t *quantity.Quantity) bool {
	switch q.Unit.Dim {
	case quantity.Duration, quantity.Months, quantity.WorkingDays, quantity.Count:
		return t.Unit.Name == q.Unit.Name || t.Unit.Name == ""
	}
	return true
}

// ofCase reports whether a quantity of a claim says of whom or when the claim holds.
func ofCase(p *Page, cl *Clause, q *quantity.Quantity) bool {
	for _, cond := range cl.Conditions {
		if cond.Span.Contains(q.Span) {
			return true
		}
	}
	for f := cl.Facts[0]; f < cl.Facts[1] && f < len(p.Facts); f++ {
		if p.Facts[f].Value.Quantity != nil && p.Facts[f].Value.Span.Overlaps(q.Span) && (p.Facts[f].Threshold || namesWhom(p, cl, &p.Facts[f])) {
			return true
		}
	}
	return false
}

// caseIn words a case by the bound that holds it: with the noun before the bound in English,
// where the age of somebody is one word (a ten-year-old).
func (k *Checker) caseIn(p *Page, q *quantity.Quantity, source *Page, t *quantity.Quantity) Swap {
	to := strings.TrimSuffix(source.Quote(t.Span), "的")
	from := q.Span
	rest := string(p.Runes[q.End:min(len(p.Runes), q.End+4)])
	if strings.HasPrefix(fold(rest), "-old") {
		from.End += 4
		for _, article := range []string{"an ", "a "} {
			n := len(article)
			if from.Start >= n && fold(string(p.Runes[from.Start-n:from.Start])) == article && (from.Start == n || !text.IsWord(p.Runes[from.Start-n-1])) {
				from.Start -= n
				break
			}
		}
		noun := "somebody"
		if before := strings.Fields(string(source.Runes[max(0, t.Start-24):t.Start])); len(before) > 0 {
			if w := before[len(before)-1]; len(w) > 3 && !text.StopWord(fold(w)) && strings.IndexFunc(w, func(r rune) bool { return !text.IsWord(r) }) < 0 {
				noun = fold(w)
			}
		}
		to = noun + " " + to
	}
	return Swap{p.Quote(from), to}
}

// timeIn is a time of a claim in the words of a sentence.
func timeIn(p *Page, t when.Expr, source *Page, info SentenceInfo, own string) (Swap, bool) {
	if t.Kind == when.Now || t.Kind == when.Vague || t.From.IsZero() || t.To.IsZero() || strings.Contains(own, fold(p.Quote(t.Span))) {
		return Swap{}, false
	}
	for n := info.Clauses[0]; n < info.Clauses[1] && n < len(source.Clauses); n++ {
		for _, o := range source.Clauses[n].Times {
			if o.Kind == t.Kind && o.From.Equal(t.From) && o.To.Equal(t.To) && info.Contains(o.Span) {
				return Swap{p.Quote(t.Span), source.Quote(o.Span)}, true
			}
		}
	}
	return Swap{}, false
}

// core is the number and unit of a quantity, without the words of a bound and without the
// thing counted.
func core(p *Page, q *quantity.Quantity) text.Span {
	s := text.Span{Start: q.Number.Start, End: q.End}
	if !q.NounSpan.Empty() && q.NounSpan.Start >= q.Number.End && q.NounSpan.End == q.End {
		s.End = q.NounSpan.Start
	}
	for s.Start > q.Start && strings.ContainsRune("$£€¥￥", p.Runes[s.Start-1]) {
		s.Start--
	}
	for _, w := range []string{"及以上", "及以下", "以上", "以下", "以内", "之内", "起", "左右", "上下", "or more", "or less", "or fewer", "or over", "or under", "and over", "and under", "or so"} {
		if at := strings.Index(fold(string(p.Runes[q.Number.End:max(q.Number.End, s.End)])), w); at >= 0 {
			s.End = q.Number.End + len([]rune(fold(string(p.Runes[q.Number.End:s.End]))[:at]))
		}
	}
	for s.End > q.Number.End && p.Runes[s.End-1] == ' ' {
		s.End--
	}
	return s
}

// holdsValue reports whether a folded text has a value in the same words, not as a part of a longer
// number or word.
func holdsValue(s, value string) bool {
	for from := 0; value != ""; {
		at := strings.Index(s[from:], value)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(value)
		if (at == 0 || !digitOrLatin(s[at-1]) || !digitOrLatin(value[0])) && (end == len(s) || !digitOrLatin(s[end]) || !digitOrLatin(value[len(value)-1])) {
			return true
		}
		from = end
	}
	return false
}

func digitOrLatin(b byte) bool { return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' }
