package rerank

import (
	"fmt"
	"time"

	"suffice.dev/suffice/kb"
)

// Thresholds decide levels and outcomes for one question class.
type Thresholds struct {
	Sufficiency float64 // below it an otherwise filled question is refused; 0..1
	Sure        float64 // from it on an unfilled question counts as answered by the nearest sentence; 0..1, 1 = practically never
	FGCGreen    float64 // fgc >= green: green; 0..1
	FGCYellow   float64 // fgc >= yellow: yellow; below: red; 0..1
	CDS         float64 // above it the losing passages lose half their score and a review is opened
}

// Template is how a domain's facts are judged complete (SID).
type Template struct {
	Parts  []string // value, unit, time, subject, attribute, source, article, content, case, exception, dose, frequency, course, contraindication, drug
	Factor float64  // 0..1
}

// Config of the local assessor.
type Config struct {
	Thresholds map[kb.Class]Thresholds // missing classes use Default
	Default    Thresholds
	Templates  map[string]Template // by passage domain; "" = no domain
	Reading    Reading
}

// Default is the shipped configuration. Levels and the CDS limit are design.md §4's; the
// thresholds of sufficiency were chosen by suffice evaluate sufficiency --thresholds.
func Default() Config {
	return Config{
		Default: Thresholds{Sufficiency: 0.40, Sure: 0.65, FGCGreen: 0.95, FGCYellow: 0.85, CDS: 1.5},
		Reading: Reading{Mode: ReadAuto, Budget: 3 * time.Second, Passages: 3, From: 0.01, To: 0.99, Sure: 0.7},
		Templates: map[string]Template{
			"finance":  {Parts: []string{"value", "unit", "time", "subject", "source"}, Factor: 1},
			"law":      {Parts: []string{"article", "content", "case", "exception"}, Factor: 0.8},
			"medicine": {Parts: []string{"drug", "dose", "frequency", "course", "contraindication"}, Factor: 0.9},
			"":         {Parts: []string{"subject", "attribute", "value", "time"}, Factor: 0.8},
		},
	}
}

// Validate reports every problem with its key.
func (c Config) Validate() []error {
	var errs []error
	check := func(key string, t Thresholds) {
		for _, v := range []struct {
			name  string
			value float64
		}{{"sufficiency", t.Sufficiency}, {"sure", t.Sure}, {"fgc_green", t.FGCGreen}, {"fgc_yellow", t.FGCYellow}} {
			if v.value < 0 || v.value > 1 {
				errs = append(errs, kb.Invalid(key+"."+v.name, "%v is outside 0..1; write a share", v.value))
			}
		}
		if t.Sure < t.Sufficiency {
			errs = append(errs, kb.Invalid(key+".sure", "%v is below sufficiency %v; what is answered must not be refused", t.Sure, t.Sufficiency))
		}
		if t.FGCYellow > t.FGCGreen {
			errs = append(errs, kb.Invalid(key+".fgc_yellow", "%v is above fgc_green %v; yellow begins below green", t.FGCYellow, t.FGCGreen))
		}
		if t.CDS < 0 {
			errs = append(errs, kb.Invalid(key+".cds", "%v is negative; write 0 or more", t.CDS))
		}
	}
	check("thresholds.default", c.Default)
	for class, t := range c.Thresholds {
		check(fmt.Sprintf("thresholds.%s", class), t)
	}
	for name, t := range c.Templates {
		if t.Factor < 0 || t.Factor > 1 {
			errs = append(errs, kb.Invalid("domains."+name+".factor", "%v is outside 0..1", t.Factor))
		}
		if len(t.Parts) == 0 {
			errs = append(errs, kb.Invalid("domains."+name+".parts", "empty; name at least one part"))
		}
	}
	r := c.Reading
	if r.Mode != ReadOff && r.Mode != ReadAuto && r.Mode != ReadAlways {
		errs = append(errs, kb.Invalid("reader.mode", "%q is unknown; write off, auto or always", r.Mode))
	}
	if r.Budget <= 0 {
		errs = append(errs, kb.Invalid("reader.budget", "%v is not above 0; 3s is the default", r.Budget))
	}
	if r.Passages < 1 {
		errs = append(errs, kb.Invalid("reader.passages", "%d is below 1; 3 is the default", r.Passages))
	}
	return errs
}

func (c Config) thresholds(class kb.Class) Thresholds {
	if t, ok := c.Thresholds[class]; ok {
		return t
	}
	return c.Default
}
