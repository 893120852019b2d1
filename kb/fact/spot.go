package fact

import (
	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// Spot is what the sentences that a stretch of a page touches have of what a need asks.
type Spot struct {
	Kind bool // a value where one is asked, a time where one is; true where words answer
	Fact bool // a fact of the asked kind, in the form that the class asks for
}

// Spot looks at a stretch of a page. need is one that Cover was asked about, or like it.
func (r *Round) Spot(need *Need, page int, stretch text.Span) Spot {
	v := r.views[page]
	p := v.page
	first, last := -1, -1
	for i := range p.Sentences {
		if s := p.Sentences[i].Span; s.Start < stretch.End && stretch.Start < s.End {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if first < 0 {
		return Spot{Kind: true}
	}
	prep := r.engine.prepare(need, r.st)
	ratio := prep.kinds.dims[quantity.Ratio] && !prep.kinds.dims[quantity.Money]
	out, value, when := Spot{}, false, false
	for i := first; i <= last; i++ {
		if p.Sentences[i].Kind == Row { // a cell has its unit in a heading
			value = value || hasDigit(p.Runes[p.Sentences[i].Start:p.Sentences[i].End])
			when = true
		}
	}
	for c := p.Sentences[first].Clauses[0]; c < p.Sentences[last].Clauses[1] && c < len(p.Clauses); c++ {
		clause := &p.Clauses[c]
		for i := range clause.Quantities {
			switch clause.Quantities[i].Unit.Dim {
			case quantity.ClockTime:
				when = true
			case quantity.Ordinal:
			case quantity.Ratio, quantity.Points:
				value = true
			case quantity.Duration, quantity.Months, quantity.WorkingDays:
				when = true
				value = value || !ratio
			default: // units are often left out, and other ones serve; a rate is asked as one
				value = value || !ratio
			}
		}
		when = when || len(clause.Times) > 0
		for f := clause.Facts[0]; f < clause.Facts[1] && f < len(p.Facts); f++ {
			out.Fact = out.Fact || prep.kinds.admits(prep, v, &p.Facts[f])
		}
	}
	switch prep.kinds.expect {
	case "QUANTITY", "DURATION":
		out.Kind = value || out.Fact
	case "TIME":
		out.Kind = when || value || out.Fact
	default:
		out.Kind = true
	}
	return out
}
