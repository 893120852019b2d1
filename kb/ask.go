package kb

import "time"

// FailurePolicy says what happens when a part does not answer.
type FailurePolicy string

// The two policies. Degrade (the default) leaves the part out and says so.
const (
	Degrade FailurePolicy = "DEGRADE"
	Fail    FailurePolicy = "FAIL"
)

// AskRequest is one question through all four layers.
type AskRequest struct {
	Question      Question
	Readers       []string
	Collection    string
	Domains       []string  // only documents of one of these domains; none = all documents
	Passages      []Passage // handed over: nothing is retrieved
	HandedOver    bool      // true when passages were given, even if empty
	OnFailure     FailurePolicy
	Deadline      time.Duration // 0 = from config
	ReplyLanguage string
	Weights       *Weights
	Only          []Route
	TopK          int
	Explain       bool // assess: contributions by TreeSHAP instead of Saabas' approximation
	NoGaps        bool // test traffic: nothing is written
}

// Versions names what produced a reply.
type Versions struct {
	Server   string // release of the binary
	Commit   string
	Snapshot string // id of the configuration snapshot the request worked on
	Config   string // hash of the effective configuration
	Model    string // sufficiency model
	Arm      string // arm of an experiment; "" = none
}

// Reply is the whole answer to an AskRequest.
type Reply struct {
	AnswerResult
	Analysis   Analysis
	Clarify    *Clarify
	Stale      []Stale
	Retrieved  Retrieved // empty when passages were handed over
	Assessment Assessment
	TraceID    string
	Timings    map[string]float64 // milliseconds by layer
	Versions   Versions
}
