package validate

import (
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/validate/pack"
)

// Config of the local validator. Values are design.md §4's.
type Config struct {
	GateRate    float64 // share of the counted statements that must pass, 0..1; 0.8 lets 4 of 5 through and 3 of 4 not
	GateK       int     // passages that must state their facts
	GateRetries int     // how often a model is asked again with the reason
	AnswerTop   int     // passages whose statements go into the answer
	MaxQuote    int     // longest quote in code points; longer sentences are cut at clauses

	VoteBudget time.Duration // that all votes of a reader may take in one check

	Packing pack.Config
}

// Default is the shipped configuration.
func Default() Config {
	return Config{GateRate: 0.8, GateK: 5, GateRetries: 1, AnswerTop: 3, MaxQuote: 240, VoteBudget: 3 * time.Second, Packing: pack.Default()}
}

// Validate reports every problem with its key.
func (c Config) Validate() []error {
	var errs []error
	if c.GateRate <= 0 || c.GateRate > 1 {
		errs = append(errs, kb.Invalid("gate.rate", "%v is outside 0..1; 0.8 is the default", c.GateRate))
	}
	if c.GateK < 1 || c.GateK > 50 {
		errs = append(errs, kb.Invalid("gate.k", "%d is outside 1..50; 5 is the default", c.GateK))
	}
	if c.GateRetries < 0 || c.GateRetries > 5 {
		errs = append(errs, kb.Invalid("gate.retries", "%d is outside 0..5; 1 is the default", c.GateRetries))
	}
	if c.AnswerTop < 1 {
		errs = append(errs, kb.Invalid("gate.answer_top", "%d is below 1; 3 is the default", c.AnswerTop))
	}
	if c.MaxQuote < 40 {
		errs = append(errs, kb.Invalid("gate.max_quote", "%d is below 40 code points; 240 is the default", c.MaxQuote))
	}
	if c.VoteBudget <= 0 {
		errs = append(errs, kb.Invalid("reader.budget", "%v is not above 0; 3s is the default", c.VoteBudget))
	}
	return append(errs, c.Packing.Validate()...)
}
