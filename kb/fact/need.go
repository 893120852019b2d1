package fact

import (
	"time"

	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Need is an asked slot as the engine sees it: a fact with a hole.
type Need struct {
	Name      string   // slot name, for the report
	Class     string   // question class, as in the contract
	Question  string   // the whole question; its words that no part names still count a little
	Subject   string   // whose attribute is asked
	Attribute string   // the words that name what is asked
	Given     []string // other things the question fixes: conditions, places, premises
	Expect    string   // QUANTITY, TIME, DURATION, ENTITY, PLACE, BOOLEAN, TEXT, LIST or ""
	Unit      string   // unit word of the question (天, 百分之几, hours)
	Count     int      // announced number of items; 0 = not said
	From, To  time.Time
	HasTime   bool     // the question itself names a time; else From..To is the as-of day
	TimeText  string   // as written in the question
	Others    []string // subjects of the sibling needs: a filler that speaks of one of them fills that need, not this
}

// State is how far a need is met.
type State string

// The three states; see design: FILLED counts its confidence, AMBIGUOUS 0.5, EMPTY 0.
const (
	StateFilled    State = "FILLED"
	StateAmbiguous State = "AMBIGUOUS"
	StateEmpty     State = "EMPTY"
)

// Ref points to a fact on a page and to the span that shows it.
type Ref struct {
	Page  int // index into the pages
	Fact  int // index into Page.Facts; -1 = a whole clause or sentence
	Span  text.Span
	Value text.Span // the value alone, inside Span; empty = none
	Score float64   // 0..1, how well the fact fits
}

// Coverage is how a need is met. Fillers come best first, ties by page then span.
type Coverage struct {
	State      State
	Confidence float64 // of the best filler, 0..1
	Fillers    []Ref
	Near       []Ref    // the best that did not fill, for the report and the features
	Uncovered  []string // words of the need that nothing near covers
	Fit        float64  // fit of the best candidate, filled or not, 0..1
	Excluded   bool     // a fact that fits in its words speaks of another thing, case or time
	General    bool     // a general rule fills it, the asked special case is not named
}

// Meta is what conflict resolution needs to know of a page beside its text.
type Meta struct {
	ID          string
	Title       string
	Document    string // same document: versions of one text
	Version     int
	Authority   *float64
	Source      string
	PublishedAt time.Time
	ValidFrom   time.Time
	ValidTo     time.Time
	Supersedes  []string
	Domain      string
}

// Clash is a conflict between two facts.
type Clash struct {
	Kind      string // one of the twelve kinds of the contract
	Hard      bool
	Subject   string
	Attribute string
	A, B      Ref
	Need      int // the need both sides speak to; -1 = none
	Reason    string
}

// Verdict judges a claim against the pages.
type Verdict string

// Verdicts of a claim.
const (
	SupportedClaim    Verdict = "SUPPORTED"
	UnsupportedClaim  Verdict = "UNSUPPORTED"
	ContradictedClaim Verdict = "CONTRADICTED"
	NoClaim           Verdict = "NOT_A_CLAIM"
)

// Claim is one sentence of an answer to be judged.
type Claim struct {
	Page     *Page     // the reading of the whole answer
	Span     text.Span // the claim, on Page
	Question string    // what was asked; "" unknown
	AsOf     time.Time // the day the answer speaks on
}

// Ground is what a judgement rests on.
type Ground string

// Grounds of a judgement. On words alone another judge of wording may be heard; the
// others are for facts to decide.
const (
	OnWords      Ground = ""
	OnQuote      Ground = "quote"      // a source's sentence, nearly word for word
	OnValues     Ground = "values"     // numbers, times, units
	OnStance     Ground = "stance"     // polarity, modality, quantifier, conditions, whom it is said of, why
	OnComparison Ground = "comparison" // of two values or names
	OnValidity   Ground = "validity"   // the source does not hold at the time
)

// Support is the judgement of one claim.
type Support struct {
	Ground      Ground
	Verdict     Verdict
	Probability float64 // that the claim is supported
	Evidence    []Ref   // what supports it or speaks against it, best first
	Reason      string  // why not supported, in a few words
	Limited     bool    // not supported only because it leaves out a condition, a limit or a doubt of its source, which Evidence names
}

// days makes an expression out of an interval of days.
func days(from, to time.Time) when.Expr {
	return when.Expr{Kind: when.Date, From: from, To: to}
}
