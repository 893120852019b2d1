package fact

import (
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
)

// Density is the mean, over the facts with a value on the page, of the filled share
// of the parts that a domain's template names; 0..1, 0 for a page without such
// facts. A number without a time anchor (its own, its clause's, or the document's
// validity or date) does not count as filled in a template that asks for a time.
// An unknown part name is never filled.
func (e *Engine) Density(p *Page, m Meta, parts []string) float64 {
	if len(parts) == 0 {
		return 0
	}
	s := e.sheet(p, m.Title)
	sum, n := 0.0, 0
	for i := range p.Facts {
		f := &p.Facts[i]
		if f.Value.Kind == BooleanValue {
			continue
		}
		n++
		timed := len(f.Times) > 0 || f.Value.Kind == TimeValue || !m.ValidFrom.IsZero() || !m.PublishedAt.IsZero()
		needsTime := false
		filled := 0
		for _, part := range parts {
			if part == "time" {
				needsTime = true
			}
			if s.filled(f, m, part, timed) {
				filled++
			}
		}
		if f.Value.Kind == QuantityValue && needsTime && !timed {
			continue
		}
		sum += float64(filled) / float64(len(parts))
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// filled reports whether a fact has a part of a template.
func (s *sheet) filled(f *Fact, m Meta, part string, timed bool) bool {
	q := f.Value.Quantity
	sentence := func() string {
		if f.Sentence < len(s.page.Sentences) {
			return s.sentenceText(f.Sentence)
		}
		return ""
	}
	switch part {
	case "value":
		return f.Value.Text != ""
	case "unit":
		return q != nil && (q.Unit.Name != "" || q.Noun != "")
	case "time":
		return timed
	case "subject", "drug":
		return f.Subject.Text != ""
	case "attribute":
		return f.Attribute.Text != ""
	case "source":
		return m.Source != "" || m.Title != "" || m.Document != ""
	case "article":
		return article.MatchString(sentence()) || strings.Contains(m.Title, "法") || strings.Contains(m.Title, "条例")
	case "content":
		return f.Value.Text != "" || f.Modality != Plain
	case "case":
		return limited(f)
	case "exception", "contraindication":
		if part == "contraindication" && (f.Modality == MustNot || f.Modality == Caution) {
			return true
		}
		for _, c := range f.Conditions {
			if c.Kind == Except || c.Kind == Unless {
				return true
			}
		}
		return false
	case "dose":
		if q == nil {
			return false
		}
		switch q.Unit.Dim {
		case quantity.Mass, quantity.Volume, quantity.Count:
			return true
		}
		return false
	case "frequency":
		return q != nil && q.Unit.Dim == quantity.Frequency || hasAny(sentence(), []string{"每日", "每天", "每次", "一日", "每周", "a day", "daily", "per day", "every"})
	case "course":
		return q != nil && (q.Unit.Dim == quantity.Duration || q.Unit.Dim == quantity.Months) || hasAny(sentence(), []string{"疗程", "course of"})
	}
	return false
}
