package fact

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"suffice.dev/suffice/kb/fact/when"
)

// Stale reports, for each page, whether it does not speak for the period of a claim: the
// times that the claim names, else the day it is made. A page does not outside its
// validity, nor once another page that is valid then supersedes it.
func (k *Checker) Stale(c Claim) []bool {
	out := make([]bool, len(k.views))
	times := k.named(c)
	for i, v := range k.views {
		out[i] = !k.speaks(c, times, v) || slices.ContainsFunc(k.views, func(o *view) bool {
			return o != v && replaces(&o.meta, &v.meta) && k.speaks(c, times, o) && !beforeAll(times, &o.meta)
		})
	}
	return out
}

// named are the times that a claim names.
func (k *Checker) named(c Claim) []when.Expr {
	var out []when.Expr
	for i := range c.Page.Clauses {
		for _, t := range c.Page.Clauses[i].Times {
			if c.Span.Contains(t.Span) {
				out = append(out, t)
			}
		}
	}
	return out
}

// replaces reports whether a page says that it supersedes another, or is a later version
// of the same document.
func replaces(by, m *Meta) bool {
	if m.Document != "" && by.Document == m.Document && by.Version > m.Version && m.Version > 0 {
		return by.ValidFrom.IsZero() && m.ValidTo.IsZero() || !by.ValidFrom.IsZero()
	}
	for _, id := range by.Supersedes {
		if id != "" && (id == m.ID || id == m.Document || id == m.Document+"@"+strconv.Itoa(m.Version)) {
			return true
		}
	}
	return false
}

// beforeAll reports whether times are named that all end before a page begins to hold.
func beforeAll(times []when.Expr, m *Meta) bool {
	start := m.ValidFrom
	if start.IsZero() {
		start = m.PublishedAt
	}
	named := false
	for _, t := range times {
		if t.To.IsZero() || start.IsZero() || !t.To.Before(start) {
			if !t.From.IsZero() || !t.To.IsZero() {
				return false
			}
			continue
		}
		named = true
	}
	return named
}

// current judges a claim by the pages that speak for its period, where some do and others
// do not. What only the others say is contradicted: they held once.
func (k *Checker) current(c Claim) Support {
	stale := k.Stale(c)
	if !slices.Contains(stale, true) || !slices.Contains(stale, false) {
		return k.judged(c)
	}
	s := k.among(stale, false).judged(c)
	k.place(&s, stale, false)
	if s.Verdict != UnsupportedClaim {
		return s
	}
	if slices.ContainsFunc(k.named(c), func(t when.Expr) bool { return t.Kind != when.Now && !(t.From.IsZero() && t.To.IsZero()) }) {
		return s
	}
	for i, x := range stale {
		if !x {
			continue
		}
		if old := k.alone(i).judged(c); old.Verdict == SupportedClaim {
			old.Evidence = slices.Clone(old.Evidence)
			for n := range old.Evidence {
				old.Evidence[n].Page = i
			}
			return Support{Verdict: ContradictedClaim, Probability: 0.05, Evidence: old.Evidence, Ground: OnValidity, Reason: "only a source that does not hold now says so"}
		}
	}
	return s
}

// among is the checker of the pages that are stale, or are not.
func (k *Checker) among(stale []bool, want bool) *Checker {
	key := []byte(strings.Repeat("-", len(stale)))
	for i, x := range stale {
		if x == want {
			key[i] = 'x'
		}
	}
	if out := k.parts[string(key)]; out != nil {
		return out
	}
	out := &Checker{engine: k.engine}
	for i, v := range k.views {
		if stale[i] == want {
			out.views = append(out.views, v)
		}
	}
	out.st = newRarity(out.views)
	if k.parts == nil {
		k.parts = map[string]*Checker{}
	}
	k.parts[string(key)] = out
	return out
}

// alone is the checker of one page, whenever it holds.
func (k *Checker) alone(i int) *Checker {
	key := strconv.Itoa(i)
	if out := k.parts[key]; out != nil {
		return out
	}
	v := &view{sheet: k.views[i].sheet, meta: k.views[i].meta}
	v.meta.ValidFrom, v.meta.ValidTo = time.Time{}, time.Time{}
	out := &Checker{engine: k.engine, views: []*view{v}}
	out.st = newRarity(out.views)
	if k.parts == nil {
		k.parts = map[string]*Checker{}
	}
	k.parts[key] = out
	return out
}

// place numbers evidence by the pages of all.
func (k *Checker) place(s *Support, stale []bool, want bool) {
	var index []int
	for i, x := range stale {
		if x == want {
			index = append(index, i)
		}
	}
	s.Evidence = slices.Clone(s.Evidence)
	for i := range s.Evidence {
		s.Evidence[i].Page = index[s.Evidence[i].Page]
	}
}
