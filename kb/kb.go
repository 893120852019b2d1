// Package kb holds the types that the four layers share: what a question asks
// (Analysis, Slot), what was found (Passage, Candidate), how far it suffices
// (Assessment), what was answered (Reply) and what stayed open (Gap).
//
// It uses the standard library alone. All offsets are Unicode code points,
// half open. All days are midnight UTC; the zero time means "not known".
package kb

import (
	"errors"
	"fmt"
	"time"
)

// ErrInvalid is the class of all input errors: errors.Is(err, ErrInvalid).
// The concrete type is *InvalidError.
var ErrInvalid = errors.New("invalid argument")

// ErrUnavailable says that a dependency (store, index, model, remote layer) did
// not answer. It is never to be reported as missing knowledge.
var ErrUnavailable = errors.New("unavailable")

// ErrNotFound says that a named document, gap, review or trace does not exist.
var ErrNotFound = errors.New("not found")

// ErrConflict says that a write lost against another one or a state forbids it.
var ErrConflict = errors.New("failed precondition")

// InvalidError names the field, the value and the remedy of an input error.
type InvalidError struct {
	Field   string // path in the request, such as passages[2].text
	Message string // what is wrong with which value, and what to write instead
}

func (e *InvalidError) Error() string { return e.Field + ": " + e.Message }

// Is makes every InvalidError an ErrInvalid.
func (e *InvalidError) Is(target error) bool { return target == ErrInvalid }

// Invalid returns an *InvalidError for the field.
func Invalid(field, format string, args ...any) error {
	return &InvalidError{Field: field, Message: fmt.Sprintf(format, args...)}
}

// Day is the layout of a calendar day on every surface.
const Day = "2006-01-02"

// ParseDay reads YYYY-MM-DD or RFC 3339 and returns the day (of its own zone) at
// midnight UTC. An empty string is the zero time.
func ParseDay(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(Day, s); err == nil {
		return t, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is not a date; write YYYY-MM-DD or RFC 3339", s)
	}
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC), nil
}

// FormatDay is the inverse of ParseDay; the zero time gives "".
func FormatDay(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(Day)
}

// Class is one of the twelve question classes, by its proto name without prefix.
type Class string

// The twelve classes. See docs/question-classes.md.
const (
	Numeric    Class = "NUMERIC"
	Comparison Class = "COMPARISON"
	Definition Class = "DEFINITION"
	Steps      Class = "STEPS"
	Cause      Class = "CAUSE"
	Effect     Class = "EFFECT"
	Condition  Class = "CONDITION"
	Exception  Class = "EXCEPTION"
	Timeliness Class = "TIMELINESS"
	Region     Class = "REGION"
	Subject    Class = "SUBJECT"
	Vague      Class = "VAGUE"
)

// Classes lists the twelve classes in contract order.
var Classes = []Class{Numeric, Comparison, Definition, Steps, Cause, Effect, Condition, Exception, Timeliness, Region, Subject, Vague}

// Risk says how much a wrong answer of this kind costs.
type Risk string

// The three risks.
const (
	RiskHigh   Risk = "HIGH"
	RiskMedium Risk = "MEDIUM"
	RiskLow    Risk = "LOW"
)

// Role tells a slot that the question fixes from one that a fact must fill.
type Role string

// The two roles.
const (
	Given Role = "GIVEN"
	Asked Role = "ASKED"
)

// Expect is the type of value that fills an asked slot.
type Expect string

// What a filler must be. ExpectAny leaves it open.
const (
	ExpectAny      Expect = ""
	ExpectQuantity Expect = "QUANTITY" // a number with its unit
	ExpectTime     Expect = "TIME"     // a day, a period, a deadline
	ExpectDuration Expect = "DURATION" // a length of time
	ExpectEntity   Expect = "ENTITY"   // a name: person, organisation, product, work
	ExpectPlace    Expect = "PLACE"    // a place
	ExpectBoolean  Expect = "BOOLEAN"  // yes, no, under which condition
	ExpectText     Expect = "TEXT"     // a sentence: definition, cause, effect, exception, step
	ExpectList     Expect = "LIST"     // several items; Slot.Count says how many, if known
)

// Turn is one earlier exchange of a conversation.
type Turn struct {
	Question string
	Answer   string
}

// Question is what a caller asks.
type Question struct {
	Text    string
	AsOf    time.Time // the day the question is asked; zero = today
	History []Turn    // oldest first
}

// Slot is a fact with a hole: something the question gives, or asks.
type Slot struct {
	Name       string // as in question-classes.md; numbered (value_1, value_2) when there are several
	Role       Role
	Value      string // GIVEN: exactly question[Start:End]; empty for ASKED
	Normalized string // normal form of Value, where it differs
	Start, End int    // code points into Analysis.Question; End 0 = no span
	Required   bool   // required slots count for FGC; others are looked for and reported

	// For ASKED slots: what exactly the hole is. These refine the given slots
	// where a question asks several things.
	Subject   string // whose attribute is asked (one side of a comparison, one of two things)
	Attribute string // the words of the question that name the attribute
	Expect    Expect
	Unit      string // unit word in the question (天, 百分之几, hours), if any
	Count     int    // how many items are announced (四个步骤, three kinds); 0 = not said
}

// TimeRange is the interval a question is about. Both days are inclusive; a zero
// From or To is open.
type TimeRange struct {
	Text       string // the expression in the question; empty when the as-of day was chosen
	Start, End int
	From, To   time.Time
}

// ClassProbability is one class with its probability, 0..1.
type ClassProbability struct {
	Class       Class
	Probability float64
}

// Clarify is the question back to a user whose question is too vague.
type Clarify struct {
	Missing    []string           // slot names
	Prompt     string             // in the user's language
	Candidates []ClarifyCandidate // what the knowledge base has, best first; only in a reply of Ask over one
}

// ClarifyCandidate is a thing that a vague question may mean.
type ClarifyCandidate struct {
	Text       string // title and heading of a passage
	EvidenceID string // of that passage
}

// Expansion is a term to search for beside the question's own words.
type Expansion struct {
	Term   string
	Weight float64 // 0..1, below 1: the question's own words weigh 1
	Origin string  // "synonym", "class", "domain"
}

// Analysis is what precheck reads out of a question.
type Analysis struct {
	Question    string // the question as analysed: completed from history where it was a follow-up
	Original    string // as asked; equals Question when nothing was completed
	AsOf        time.Time
	Class       Class
	Probability float64            // of Class, 0..1
	Classes     []ClassProbability // descending, ties by contract order
	Risk        Risk
	Language    string // zh, en, mixed
	Slots       []Slot
	Time        *TimeRange // nil: no time in the question; the as-of day counts
	Now         bool       // 目前, 现行, latest: asks for the state on the as-of day
	Modal       bool       // 能/可以/是否, can/may/must
	Expansions  []Expansion
	Clarify     *Clarify // set exactly when the question cannot be answered as it stands
	Decided     []string // which rules or features decided, for --explain
}

// Period returns the days the question is about: its time, else the as-of day.
func (a Analysis) Period() (from, to time.Time) {
	if a.Time != nil {
		return a.Time.From, a.Time.To
	}
	return a.AsOf, a.AsOf
}

// Passage is a chunk as a scorer reads it: handed over by a caller, or retrieved.
type Passage struct {
	ID          string // evidence id doc@version#chunk when retrieved
	Text        string
	Title       string
	Source      string
	Domain      string   // finance, law, medicine, ...; "" unknown
	Authority   *float64 // 0..10; nil unknown
	PublishedAt time.Time
	ValidFrom   time.Time
	ValidTo     time.Time // last valid day, inclusive
	Supersedes  []string
	Kind        string // text, table, code; "" = text

	// Only for passages of the knowledge base.
	DocumentID  string
	Version     int
	HeadingPath []string
	Start, End  int // into the stored text of the document version; text[Start:End] == Text
}

// ValidOn reports whether the passage holds on at least one day of from..to
// (zero bounds are open).
func (p Passage) ValidOn(from, to time.Time) bool {
	if !p.ValidTo.IsZero() && !from.IsZero() && p.ValidTo.Before(from) {
		return false
	}
	return p.ValidFrom.IsZero() || to.IsZero() || !p.ValidFrom.After(to)
}

// Route names a retrieval route.
type Route string

// The three routes.
const (
	Dense Route = "dense"
	BM25  Route = "bm25"
	Graph Route = "graph"
)

// Routes lists the routes in contract order.
var Routes = []Route{Dense, BM25, Graph}

// RouteScore is a route's calibrated score (0..1) and rank (from 1).
type RouteScore struct {
	Score float64
	Rank  int
}

// Candidate is a retrieved passage with its scores.
type Candidate struct {
	Passage
	Score  float64 // fused, 0..1
	Rank   int     // from 1
	Routes map[Route]RouteScore
}

// Degraded names a part that was left out and why. It is never silent.
type Degraded struct {
	Part   string // bm25, dense, graph, reader, llm, ...
	Reason string
}

// MaxTopK is the most passages that a request may ask for.
const MaxTopK = 200

// RetrieveRequest asks the retrieval layer for passages.
type RetrieveRequest struct {
	Analysis   Analysis
	Query      string    // text to search with; empty = Analysis.Question
	TopK       int       // passages; 0 = 10
	Readers    []string  // the caller's reader groups; documents for "*" are always visible
	Collection string    // "" = default
	Domains    []string  // only documents of one of these domains; none = all documents
	Weights    *Weights  // nil = by class from config
	Only       []Route   // nil = all routes
	Deadline   time.Time // zero = the context's
	Outside    bool      // only what the days of the question, or a newer version, leave out: a look at what is stale
	Follow     []string  // evidence ids: what these passages point to (附件二, Appendix B) and go on with is returned too, after the rest
}

// Retrieved is the reply of the retrieval layer, best first: by score, ties by evidence id,
// but that the first of each route have their seats among the first five.
type Retrieved struct {
	Candidates []Candidate
	Weights    Weights       // as applied, after routes were left out
	Hits       map[Route]int // candidates per route before fusion
	RoutesOff  []Route       // switched off for the class
	Degraded   []Degraded
}

// SlotState is how far a slot is filled.
type SlotState string

// The three states. AMBIGUOUS: two different fillers.
const (
	Filled    SlotState = "FILLED"
	Ambiguous SlotState = "AMBIGUOUS"
	Empty     SlotState = "EMPTY"
)

// Evidence is a quoted span of a passage: passage.Text[Start:End] == Quote.
type Evidence struct {
	PassageID  string
	Start, End int
	Quote      string
	Value      string // the filling value as written, where it is shorter than the quote
}

// SlotFill is a slot with its state and the spans that fill it.
type SlotFill struct {
	Slot
	State      SlotState
	Confidence float64 // of the filler, 0..1
	Evidence   []Evidence
}

// Missing says in words what the sources do not hold.
type Missing struct {
	Slot string
	Text string // in the question's language
}

// ConflictKind is one of the twelve kinds.
type ConflictKind string

// The twelve conflict kinds of the contract.
const (
	ConflictValue      ConflictKind = "VALUE"
	ConflictTime       ConflictKind = "TIME"
	ConflictScope      ConflictKind = "SCOPE"
	ConflictPolarity   ConflictKind = "POLARITY"
	ConflictModality   ConflictKind = "MODALITY"
	ConflictEntity     ConflictKind = "ENTITY"
	ConflictOrder      ConflictKind = "ORDER"
	ConflictUnit       ConflictKind = "UNIT"
	ConflictCondition  ConflictKind = "CONDITION"
	ConflictStatus     ConflictKind = "STATUS"
	ConflictQuantifier ConflictKind = "QUANTIFIER"
	ConflictVersion    ConflictKind = "VERSION"
)

// Resolution says what decided a conflict.
type Resolution string

// The resolutions, in the order in which they are tried.
const (
	Superseded Resolution = "SUPERSEDED"
	ByAuthor   Resolution = "AUTHORITY"
	Newer      Resolution = "NEWER"
	Unresolved Resolution = "UNRESOLVED"
)

// Conflict is a pair of facts that cannot both hold.
type Conflict struct {
	Kind       ConflictKind
	Hard       bool
	Subject    string
	Attribute  string
	A, B       Evidence // Value set
	Resolution Resolution
	Prefer     string // passage id, unless UNRESOLVED
	OnAsked    bool   // on a slot that the question asks
}

// StaleReason says why a passage does not speak about the asked period.
type StaleReason string

// The three reasons.
const (
	Expired         StaleReason = "EXPIRED"
	NotYetValid     StaleReason = "NOT_YET_VALID"
	StaleSuperseded StaleReason = "SUPERSEDED"
)

// Stale is a passage that was left out because of its validity.
type Stale struct {
	PassageID string
	Reason    StaleReason
}

// ContributionMethod is how contributions were computed.
type ContributionMethod string

// The two methods; "" = no model judged.
const (
	Saabas   ContributionMethod = "SAABAS"    // an approximation, in microseconds
	TreeSHAP ContributionMethod = "TREE_SHAP" // exact for the trees, under a millisecond
)

// Contribution is what one feature adds to the margin of the sufficiency model.
type Contribution struct {
	Feature      string
	Value        float64
	Contribution float64
}

// PassageScore is a passage as rerank sees it.
type PassageScore struct {
	ID            string
	Score         float64 // 0..1, order for the answer
	FGC, CDS, SID float64
	Contributions []Contribution
}

// Outcome is what a reply does.
type Outcome string

// The five outcomes. ANSWERED is the only one that is sufficient.
const (
	Answered     Outcome = "ANSWERED"
	Partial      Outcome = "PARTIAL"
	Insufficient Outcome = "INSUFFICIENT"
	Conflicting  Outcome = "CONFLICTING"
	Clarifying   Outcome = "CLARIFY"
)

// AssessRequest asks whether the candidates hold what the analysis needs.
type AssessRequest struct {
	Analysis   Analysis
	Candidates []Candidate // order and scores of any retriever; scores of any scale
	Explain    bool        // contributions by TreeSHAP instead of Saabas' approximation
}

// Assessment is the rerank layer's judgement.
type Assessment struct {
	Outcome     Outcome
	Sufficient  bool
	Sufficiency float64 // calibrated probability, 0..1
	FGC         float64 // 0..1
	CDS         float64 // >= 0
	SID         float64 // 0..1
	Level       string  // green, yellow, red
	Slots       []SlotFill
	Missing     []Missing
	Conflicts   []Conflict
	Passages    []PassageScore // by score, best first; ties by input order
	Stale       []Stale
	Degraded    []Degraded
	Method      ContributionMethod // of the contributions of the passages
}

// ClaimVerdict judges one sentence or clause of an answer.
type ClaimVerdict string

// The four claim verdicts.
const (
	ClaimSupported    ClaimVerdict = "SUPPORTED"
	ClaimUnsupported  ClaimVerdict = "UNSUPPORTED"
	ClaimContradicted ClaimVerdict = "CONTRADICTED"
	NotAClaim         ClaimVerdict = "NOT_A_CLAIM"
)

// Claim is a part of an answer with its verdict: answer[Start:End] == Text.
type Claim struct {
	Text        string
	Start, End  int
	Verdict     ClaimVerdict
	Probability float64 // that it is supported
	Citations   []Evidence
	Cited       []string // passage ids of the marks in the answer
	Reason      string
}

// Verdict judges a whole answer.
type Verdict string

// The five verdicts.
const (
	Supported          Verdict = "SUPPORTED"
	PartiallySupported Verdict = "PARTIALLY_SUPPORTED"
	Unsupported        Verdict = "UNSUPPORTED"
	Contradicted       Verdict = "CONTRADICTED"
	NoClaims           Verdict = "NO_CLAIMS"
)

// VerifyRequest asks whether the answer is true to the passages.
type VerifyRequest struct {
	Question string // optional
	Answer   string
	Passages []Passage
	AsOf     time.Time
}

// Verification is the judgement of an answer.
type Verification struct {
	Verdict Verdict
	Support float64 // share of claims supported, 0..1
	Claims  []Claim
}

// Statement is what the model or the extractor says a passage holds.
type Statement struct {
	PassageID  string
	Facts      []string
	Confidence float64 // set by the server from the checks
	Passed     bool
	Counted    bool // false for empty statements
	Reason     string
}

// Gate is the result of checking the statements.
type Gate struct {
	Passed, Total int
	Rate          float64
	Statements    []Statement
}

// AnswerRequest asks the validate layer for a checked answer.
type AnswerRequest struct {
	Analysis      Analysis
	Candidates    []Candidate // in the order of the assessment
	Assessment    Assessment
	ReplyLanguage string // zh, en; "" = the question's
	History       []Turn
}

// Citation is a numbered quote behind an answer.
type Citation struct {
	Number             int
	EvidenceID         string
	DocumentID         string
	Title              string
	Version            int
	Start, End         int
	Quote              string
	ValidFrom, ValidTo time.Time
}

// Packing says how the evidence was packed for the answer.
type Packing struct {
	Mode  string         // precise_short, structured_short, two_stage_pack, bounded_long
	Parts map[string]int // tokens used by part
	// Estimated: the tokens were counted by another tokenizer than that of the model that
	// reads them, or it is not known which one will.
	Estimated bool
}

// AnswerResult is the validate layer's reply.
type AnswerResult struct {
	Outcome   Outcome
	Answer    string
	Claims    []Claim
	Citations []Citation
	Missing   []Missing
	Conflicts []Conflict
	Gate      Gate
	Packing   Packing
	Truncated bool
	Degraded  []Degraded
}
