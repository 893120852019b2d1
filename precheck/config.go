package precheck

import (
	"errors"
	"fmt"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/text/lexicon"
)

// Config says what the analyzer reads questions with. The zero value is usable:
// built-in rules and dictionary.
type Config struct {
	Rules         *Rules           // nil = built in
	Lexicon       *lexicon.Lexicon // nil = built in
	FiscalStart   time.Month       // first month of the fiscal year; 0 = January
	MaxExpansions int              // terms beside the question's own words; 0 = 12, negative = none
	RulesOnly     bool             // leave the learned model out
	Model         *linear.Model    // nil = built in; it has a class for each of kb.Classes, in their order
}

// defaultExpansions caps the search terms of one question.
const defaultExpansions = 12

// Validate reports every problem at once.
func (c Config) Validate() error {
	var errs []error
	if c.FiscalStart < 0 || c.FiscalStart > 12 {
		errs = append(errs, fmt.Errorf("fiscal start %d is no month", c.FiscalStart))
	}
	if c.MaxExpansions > 100 {
		errs = append(errs, fmt.Errorf("max expansions %d is over 100", c.MaxExpansions))
	}
	return errors.Join(errs...)
}

// Precheck reads questions in this process. It is an Analyzer, does not change
// after New and is safe for concurrent use.
type Precheck struct {
	rules  *Rules
	lex    *lexicon.Lexicon
	fiscal time.Month
	expand int
	model  *linear.Model // nil: rules only
	embed  *embed.Model  // beside the model
}

var _ Analyzer = (*Precheck)(nil)

// New builds the analyzer. Errors are a bad Config or bad built-in data.
func New(c Config) (*Precheck, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("precheck: %w", err)
	}
	p := &Precheck{rules: c.Rules, lex: c.Lexicon, fiscal: c.FiscalStart, expand: c.MaxExpansions}
	if p.rules == nil {
		r, err := defaultRules()
		if err != nil {
			return nil, fmt.Errorf("precheck: %w", err)
		}
		p.rules = r
	}
	if p.lex == nil {
		p.lex = lexicon.Default()
	}
	if p.expand == 0 {
		p.expand = defaultExpansions
	}
	if !c.RulesOnly {
		m := c.Model
		if m == nil {
			var err error
			if m, err = defaultModel(); err != nil {
				return nil, fmt.Errorf("precheck: %w", err)
			}
		}
		if m.Classes() != len(kb.Classes) {
			return nil, fmt.Errorf("precheck: the model has %d classes, want %d", m.Classes(), len(kb.Classes))
		}
		em, err := embed.Static()
		if err != nil {
			return nil, fmt.Errorf("precheck: %w", err)
		}
		if m.Dense() != 2*em.Dims() {
			return nil, fmt.Errorf("precheck: the model reads vectors of %d numbers, want %d", m.Dense(), 2*em.Dims())
		}
		p.model, p.embed = m, em
	}
	return p, nil
}

// slotNames gives the asked slot of a class.
var slotNames = map[kb.Class]string{
	kb.Numeric: "value", kb.Comparison: "difference", kb.Definition: "definition", kb.Steps: "step",
	kb.Cause: "cause", kb.Effect: "effect", kb.Condition: "outcome", kb.Exception: "exception",
	kb.Timeliness: "time", kb.Region: "place", kb.Subject: "entity", kb.Vague: "subject",
}

// expects gives what fills the asked slot of a class, where no rule says more.
var expects = map[kb.Class]kb.Expect{
	kb.Numeric: kb.ExpectQuantity, kb.Comparison: kb.ExpectText, kb.Definition: kb.ExpectText, kb.Steps: kb.ExpectList,
	kb.Cause: kb.ExpectText, kb.Effect: kb.ExpectText, kb.Condition: kb.ExpectBoolean, kb.Exception: kb.ExpectList,
	kb.Timeliness: kb.ExpectTime, kb.Region: kb.ExpectPlace, kb.Subject: kb.ExpectEntity,
}
