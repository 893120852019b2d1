package quantity

import (
	"math/big"
	"strings"

	"suffice.dev/suffice/text"
)

// reach is how many words may stand between a quantity and the bare number that
// leaves its unit out.
const reach = 8

// numbered are nouns behind which a bare number is a name ("room 120", "article 5").
var numbered = wordSet("room rooms article articles section sections page pages chapter clause clauses rule rules item items step steps stage phase level grade class zone zones band tier group type platform gate dock line lines bus tram track route number no nr floor form table figure annex appendix schedule part paragraph version release model unit units building block house box berth pier ward window desk office channel port point points size year week day month category option question series volume lot bay hall class code age ages aged total and or to from in at on by of")

// elided gives a bare number the unit of the quantity before it in the same English
// sentence where the second of two parallel statements leaves it out: "the east hall
// holds 300 people and the west hall 120", "within three days and slides within five".
// Between the two stand a comma or a coordinating word and one to eight words, the
// number ends its statement, and it is no name ("and room 120"), year or ordinal.
func elided(folded []rune, found []Quantity) {
	for i := 1; i < len(found); i++ {
		q, p := &found[i], &found[i-1]
		if q.Unit != (Unit{}) || q.Noun != "" || q.Weak || q.Delta != 0 || q.Lo == nil && q.Hi == nil || !measures(p) || couldBeYear(q) {
			continue
		}
		if sameForm(folded, p, q) {
			q.take(p)
			continue
		}
		if !endsStatement(folded, q.End) {
			continue
		}
		last, marked, ok := remnant(folded[p.End:q.Start])
		if !ok || q.Start == q.Number.Start && numbered[last] && !marked {
			continue
		}
		q.take(p)
	}
}

// listed gives the bare numbers of a list the unit that stands behind its last one: 14, 22 and 9
// hectares. Only a list that a conjunction ends is one; behind a noun that numbers name ("rooms 4
// and 5 beds"), a number is a name.
func listed(folded []rune, found []Quantity) {
	for i := len(found) - 2; i >= 0; i-- {
		q, p := &found[i], &found[i+1]
		if q.Unit != (Unit{}) || q.Noun != "" || q.Weak || q.Delta != 0 || q.Lo == nil && q.Hi == nil || q.Span != q.Number || p.Start != p.Number.Start || !measures(p) || couldBeYear(q) {
			continue
		}
		between := strings.TrimSpace(string(folded[q.End:p.Start]))
		switch {
		case listEnd[between]:
		case (between == "," || between == "、" || between == "，") && i+2 < len(found) && listEnd[strings.TrimSpace(string(folded[p.End:found[i+2].Start]))] && p.Span == p.Number:
		default:
			continue
		}
		if numbered[wordBefore(folded, q.Start)] {
			continue
		}
		q.take(p)
	}
}

// listEnd are what stands before the last number of a list.
var listEnd = map[string]bool{"and": true, "or": true, ", and": true, ", or": true, "&": true, "和": true, "与": true, "及": true, "或": true, "以及": true}

// wordBefore is the English word that ends before i.
func wordBefore(folded []rune, i int) string {
	for i > 0 && folded[i-1] == ' ' {
		i--
	}
	j := i
	for j > 0 && folded[j-1] >= 'a' && folded[j-1] <= 'z' {
		j--
	}
	return string(folded[j:i])
}

// take gives a bare number the unit of another quantity.
func (q *Quantity) take(p *Quantity) {
	q.Unit, q.Noun, q.NounSpan = p.Unit, p.Noun, text.Span{}
	if f := p.Unit.Factor; f != nil {
		for _, x := range []**big.Rat{&q.Lo, &q.Hi, &q.Step} {
			if *x != nil {
				*x = new(big.Rat).Mul(*x, f)
			}
		}
	}
}

// formed are prepositions that may say of what each of two parallel values is.
var formed = wordSet("in for on at with by under over during from")

// sameForm reports whether a bare number is joined to the quantity before it by the same
// preposition behind both: 40 minutes in the large hall and 25 in the small one.
func sameForm(folded []rune, p, q *Quantity) bool {
	word := func(i int) string {
		for i < len(folded) && folded[i] == ' ' {
			i++
		}
		return wordAt(folded, i)
	}
	w := word(p.End)
	if !formed[w] || word(q.End) != w {
		return false
	}
	words, last := 0, ""
	for i := p.End; i < q.Start; {
		switch c := folded[i]; {
		case c >= 'a' && c <= 'z':
			last = wordAt(folded, i)
			i += len(last)
			words++
		case c == ' ' || c == '-' || c == '\'' || c == '’':
			i++
		case c == ',' || c == ';':
			last = "and"
			i++
		default:
			return false
		}
	}
	return words <= reach && (last == "and" || last == "but" || last == "while")
}

// measures reports whether a quantity has a unit that a number behind it can share.
func measures(q *Quantity) bool {
	switch q.Unit.Dim {
	case None, Ordinal, ClockTime, Temperature, Points:
		return false
	case Count:
		return q.Noun != "" || q.Unit.Name != ""
	}
	return true
}

func couldBeYear(q *Quantity) bool {
	return q.Number.Len() == 4 && q.Lo != nil && q.Lo.IsInt() && q.Lo.Num().IsInt64() && q.Lo.Num().Int64() >= 1800 && q.Lo.Num().Int64() <= 2199
}

// endsStatement reports whether a statement ends at i, or another is joined to it.
func endsStatement(folded []rune, i int) bool {
	for i < len(folded) && folded[i] == ' ' {
		i++
	}
	if i >= len(folded) {
		return true
	}
	switch folded[i] {
	case ',', ';', '\n', ')':
		return true
	case '.':
		return i+1 >= len(folded) || folded[i+1] == ' ' || folded[i+1] == '\n'
	}
	word := wordAt(folded, i)
	return word == "and" || word == "but" || word == "while"
}

func wordAt(folded []rune, i int) string {
	j := i
	for j < len(folded) && folded[j] >= 'a' && folded[j] <= 'z' {
		j++
	}
	return string(folded[i:j])
}

// remnant reports whether the text between two quantities joins another statement to
// the first: a coordinating word or a comma, then words only. last is its last word;
// marked, whether an article opens it ("the western hall" is no name with a number).
func remnant(between []rune) (last string, marked, ok bool) {
	words, joined := 0, false
	for i := 0; i < len(between); {
		switch c := between[i]; {
		case c >= 'a' && c <= 'z':
			w := wordAt(between, i)
			i += len(w)
			if w == "and" || w == "but" || w == "while" || w == "whereas" {
				joined, words, marked = true, 0, false
				last = w
				continue
			}
			if words++; words > reach {
				return "", false, false
			}
			marked = marked || w == "the" || w == "a" || w == "an" || w == "each" || w == "every"
			last = w
		case c == ',' || c == ';':
			joined, words, marked = true, 0, false
			i++
		case c == ' ' || c == '-' || c == '\'' || c == '’':
			i++
		default:
			return "", false, false
		}
	}
	return last, marked, joined && words > 0
}
