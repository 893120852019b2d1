package validate

import "time"

// Observer counts what the layer does. Implementations are safe for concurrent use.
type Observer interface {
	// ModelCalled is told of each call of a model, failed ones included.
	ModelCalled(ModelCall)
	// AnswerChecked is told of each answer of a model after its check.
	AnswerChecked(AnswerCheck)
}

// ModelCall is one call of a model.
type ModelCall struct {
	Task             string // state, decide, choose, write
	Result           string // ok, busy, down, slow, cut, form, stopped, cancelled
	Took             time.Duration
	PromptTokens     int     // as the server counted them; 0 = it did not say
	CompletionTokens int     // the same
	Cost             float64 // by the prices of the configuration, in their currency
}

// AnswerCheck is what the check of a model's answer did to its sentences.
type AnswerCheck struct {
	Kept     int // as written
	Remarked int // with a wrong mark corrected
	Restored int // replaced by the sentence of the source, because a limit was dropped
	Cut      int
}

// unobserved counts nothing.
type unobserved struct{}

func (unobserved) ModelCalled(ModelCall)     {}
func (unobserved) AnswerChecked(AnswerCheck) {}
