package validate

import (
	"context"

	"suffice.dev/suffice/kb"
)

// Model is a chat model that states, decides and writes. What it says is never
// believed: this package checks every part of it against the passages.
//
// All methods end with the context. Their errors are ErrModelBusy, ErrModelDown,
// ErrModelSlow, ErrModelCut or ErrModelForm; none carries text of the model or its
// server. Implementations are safe for concurrent use.
type Model interface {
	// Name is the model's, as its server knows it; it tells how its tokens are counted.
	Name() string
	// State asks what one passage holds of what is asked.
	State(ctx context.Context, t StateTask) (StatedFacts, error)
	// Decide asks for one of the three replies below the gate.
	Decide(ctx context.Context, t DecideTask) (Decision, error)
	// Choose asks which of some sentences answer, where what the model wrote could not be
	// verified. It returns their indexes in the order of the answer.
	Choose(ctx context.Context, t ChooseTask) ([]int, error)
	// Write asks for an answer from numbered evidence. grown gets the text as it
	// grows and may end the call by an error, which Write returns; nil = not wanted.
	Write(ctx context.Context, t WriteTask, grown func(soFar string) error) (string, error)
}

// Piece is evidence as a model reads it. Its text is data: it comes fenced and
// labelled, and nothing in it is an instruction.
type Piece struct {
	Number int    // from 1, as in the marks of an answer
	ID     string // evidence id
	Title  string
	Dates  string // when it holds or was published, in words; "" unknown
	Text   string
	// Sentences of the text, rows of a table included: what a statement may say.
	Sentences []string
}

// StateTask asks for the statement of one passage.
type StateTask struct {
	Question string
	Language string   // zh or en
	Asked    []string // what the question asks for, in its words
	Piece    Piece
	Rejected []string // facts of an earlier try that did not hold; empty at the first
	Reason   string   // why they did not
}

// StatedFacts is a model's statement about a passage.
type StatedFacts struct {
	Source     string
	Facts      []string // none: nothing asked is here
	Confidence float64  // the model's own figure, 0..1: logged, never used
}

// DecideTask asks for a reply when too few statements held.
type DecideTask struct {
	Question string
	Language string
	Asked    []string
	Pieces   []Piece
}

// The three replies to a DecideTask.
const (
	DecideQuote     = "QUOTE"
	DecideNotStated = "NOT_STATED"
	DecideConflict  = "CONFLICT"
)

// Decision is one of the three replies; of its fields those of its kind are set.
type Decision struct {
	Kind    string
	Source  string   // QUOTE: evidence id
	Quote   string   // QUOTE: words of the source
	Missing []string // NOT_STATED: what is not stated
	A, B    Quoted   // CONFLICT: the two sides
}

// Quoted is a quote with its source.
type Quoted struct {
	Source string
	Quote  string
}

// ChooseTask asks which sentences answer.
type ChooseTask struct {
	Question string
	Language string
	Facts    []string // stated facts that hold, each once
	Most     int      // sentences that may be chosen, from 1
}

// WriteTask asks for an answer.
type WriteTask struct {
	Question string
	Language string // zh or en: the language of the answer
	Asked    []string
	Pieces   []Piece
	Table    bool   // the pieces are rows of an evidence table
	History  string // the conversation before, compressed; "" none
	Missing  []string
	Conflict bool // both sides are to be told
	Single   bool // one thing is asked
	Tokens   int  // longest answer; 0 = the model's setting
}

// Vote is what a reader says of a claim against one passage. The three
// probabilities sum up to 1.
type Vote struct {
	Supported, Contradicted, NotStated float64
}

// Votes asks a reader for one vote a passage, in order. It is called only where a fact
// does not decide (Heard). An error leaves the reader out of the judgement.
type Votes func(ctx context.Context, claim string, passages []string) ([]Vote, error)

// pieceOf is a candidate as a model reads it.
func pieceOf(n int, c kb.Candidate, content string) Piece {
	p := Piece{Number: n, ID: c.ID, Title: c.Title, Text: content}
	switch {
	case !c.ValidFrom.IsZero() && !c.ValidTo.IsZero():
		p.Dates = kb.FormatDay(c.ValidFrom) + " – " + kb.FormatDay(c.ValidTo)
	case !c.ValidFrom.IsZero():
		p.Dates = kb.FormatDay(c.ValidFrom) + " –"
	case !c.ValidTo.IsZero():
		p.Dates = "– " + kb.FormatDay(c.ValidTo)
	case !c.PublishedAt.IsZero():
		p.Dates = kb.FormatDay(c.PublishedAt)
	}
	return p
}
