package pack

import (
	"slices"

	"suffice.dev/suffice/kb"
)

// Config splits the tokens that a model may read and write.
type Config struct {
	Tokens    int    // all parts together
	Task      int    // kept for the instructions
	Tool      int    // kept for what tools return
	History   int    // most that earlier turns may take
	Output    int    // kept for the reply
	Tokenizer string // one of Vocabularies
}

// Default fits a model with a window of 8,000 tokens.
func Default() Config {
	return Config{Tokens: 8000, Task: 400, Tool: 0, History: 800, Output: 800, Tokenizer: Vocabularies[0]}
}

// leastEvidence is what must be left for evidence, in tokens.
const leastEvidence = 200

// Validate reports every problem with its key.
func (c Config) Validate() []error {
	var errs []error
	add := func(key, format string, args ...any) {
		errs = append(errs, kb.Invalid("packing."+key, format, args...))
	}
	for _, part := range []struct {
		key string
		n   int
	}{{"task", c.Task}, {"tool", c.Tool}, {"history", c.History}, {"output", c.Output}} {
		if part.n < 0 || part.n > 1_000_000 {
			add(part.key, "%d is outside 0..1000000", part.n)
		}
	}
	if left := c.Tokens - c.Task - c.Tool - c.History - c.Output; left < leastEvidence {
		add("tokens", "%d leaves %d for evidence beside task, tool, history and output; at least %d are needed", c.Tokens, left, leastEvidence)
	}
	if !slices.Contains(Vocabularies, c.Tokenizer) {
		add("tokenizer", "%q is not one of %v", c.Tokenizer, Vocabularies)
	}
	return errs
}
