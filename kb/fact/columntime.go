package fact

import (
	"time"

	"suffice.dev/suffice/kb/fact/when"
)

// period is an interval of days.
type period struct{ from, to time.Time }

func (p period) days() float64 { return p.to.Sub(p.from).Hours() / 24 }

func (p period) contains(o period) bool { return !o.from.Before(p.from) && !o.to.After(p.to) }

// periodOf is the interval of an expression that has both ends.
func periodOf(x when.Expr) (period, bool) {
	return period{x.From, x.To}, !x.From.IsZero() && !x.To.IsZero()
}

// columnTime reports whether a cell is the one of its table that an asked period means
// though its time is not that period: asked for 2018, the only column of that year may
// be "April 27, 2018" or "Fiscal year ended June 30, 2018". A table that has the asked
// period itself means that one.
func (v *view) columnTime(asked []when.Expr, f *Fact) bool {
	if len(asked) != 1 || f.Sentence < 0 || f.Sentence >= len(v.page.Sentences) || v.page.Sentences[f.Sentence].Kind != Row {
		return false
	}
	a, ok := periodOf(asked[0])
	if !ok {
		if asked[0].To.IsZero() { // since: every later column may be meant
			return false
		}
		a = period{asked[0].To, asked[0].To} // by the end of 2018: that day
	}
	if v.columns == nil {
		v.columns = map[period]period{}
	}
	meant, done := v.columns[a]
	if !done {
		meant = v.meantPeriod(a)
		v.columns[a] = meant
	}
	for _, x := range f.Times {
		if p, ok := periodOf(x); ok && p == meant {
			return true
		}
	}
	return false
}

// meantPeriod is the one period of the page's table cells that the asked one means;
// zero when there is none or more than one.
func (v *view) meantPeriod(a period) period {
	seen := map[period]bool{}
	var inside, around, year []period
	wholeYear := a.days() >= 364 && a.days() <= 366
	for i := range v.page.Facts {
		f := &v.page.Facts[i]
		if f.Sentence < 0 || f.Sentence >= len(v.page.Sentences) || v.page.Sentences[f.Sentence].Kind != Row {
			continue
		}
		for _, x := range f.Times {
			p, ok := periodOf(x)
			if !ok || seen[p] {
				continue
			}
			seen[p] = true
			if p == a && x.Calendar == "" {
				return p
			}
			if p.contains(a) && p.days() < 400 {
				around = append(around, p)
			}
			if a.contains(p) {
				inside = append(inside, p)
			}
			if wholeYear && p.to.Year() == a.to.Year() && p.days() >= 340 && p.days() < 400 {
				year = append(year, p)
			}
		}
	}
	for _, set := range [][]period{year, inside, around} {
		if len(set) == 1 {
			return set[0]
		}
		if len(set) > 1 {
			break
		}
	}
	return period{}
}
