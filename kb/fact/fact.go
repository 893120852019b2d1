// Package fact is the heart of Suffice: it reads facts out of text, compares
// them, and does the arithmetic that the layers call coverage, conflicts, density
// and verification.
//
// A fact is subject · attribute · value · time · condition · polarity · place with
// the exact span it was read from. A fact need not parse its sentence to be
// useful: where the form is plain it is a full triple; elsewhere it is a typed
// value anchored in its clause by weighted terms (Anchors).
//
// The package depends on the standard library and text/ only; similarity comes
// in as a function value.
package fact

import (
	"sync"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Source is one text to read: a passage, a chunk, an answer.
type Source struct {
	Text      string
	Title     string
	Headings  []string  // heading path, outermost first, without the title
	Kind      string    // text, table, code; "" = text
	Published time.Time // anchor of relative times in the text (上月); zero = none
	Domain    string
}

// Origin says where a term that anchors a fact stands.
type Origin uint8

// Origins, nearest first.
const (
	Own       Origin = iota // in the fact's own part of the clause
	Clausal                 // elsewhere in the same clause
	Sentence                // elsewhere in the same sentence
	RowHeader               // row heading of a table cell
	ColHeader               // column heading of a table cell, with caption units
	LeadIn                  // the lead-in of a list, the first part of 分别/respectively
	Topic                   // subject carried over from an earlier clause (pronoun or dropped subject)
	Heading
	Title
)

// Term is a content word: a Latin word (stemmed), a number or identifier kept
// whole, or a Han word. Its text is folded. Span is into the source text; it is
// empty for terms of headings and titles.
type Term struct {
	Text   string
	Span   text.Span
	Weight float64 // 0..1 by origin and kind; names and identifiers weigh most
	Origin Origin
	Name   bool  // looks like a proper name, identifier, or quoted title
	Synset int32 // concept in the dictionary, shared by synonyms of both languages; 0 = none
}

// Part is a phrase of a fact. Span is empty when it was inherited from a heading,
// a title or a table heading; then Text alone counts.
type Part struct {
	Text string
	Span text.Span
}

// ValueKind is the type of a value.
type ValueKind string

// Value kinds.
const (
	QuantityValue ValueKind = "quantity"
	TimeValue     ValueKind = "time"
	EntityValue   ValueKind = "entity"
	BooleanValue  ValueKind = "boolean" // the clause itself is affirmed or denied
	TextValue     ValueKind = "text"    // a definition, cause, step, item, predicate
)

// Value is what a fact says. Span is a part of the fact's span.
type Value struct {
	Kind     ValueKind
	Text     string
	Span     text.Span
	Quantity *quantity.Quantity
	Time     *when.Expr
}

// Modality is how strongly a rule binds, or how surely a thing is said.
type Modality string

// Modalities. Plain: a statement of what is so.
const (
	Plain    Modality = ""
	Must     Modality = "must"
	Should   Modality = "should"
	May      Modality = "may"      // allowed, can, optional
	MustNot  Modality = "must_not" // forbidden, 禁用, 不得
	Caution  Modality = "caution"  // 慎用, with care
	NeedNot  Modality = "need_not" // not required, 无须
	Possible Modality = "possible" // may happen, might, 可能, suggests
	Planned  Modality = "planned"  // plans to, 计划, 预算, target
	Reported Modality = "reported" // according to, 据…称
)

// Quantifier limits what a fact speaks of.
type Quantifier string

// Quantifiers.
const (
	NoQuantifier Quantifier = ""
	All          Quantifier = "all"
	Some         Quantifier = "some"
	NoneOf       Quantifier = "none"
	Only         Quantifier = "only"
)

// ConditionKind is how a condition limits a fact.
type ConditionKind string

// Condition kinds.
const (
	If     ConditionKind = "if"     // 如果, 满…的, provided
	Unless ConditionKind = "unless" // 除非, unless
	Except ConditionKind = "except" // 除…外, except, …除外
	OnlyIf ConditionKind = "only"   // 仅限, only for
	Even   ConditionKind = "even"   // 无论, even if: the fact holds regardless
)

// Condition is a condition or exception that limits a fact, possibly from
// another sentence. Quantities are thresholds inside it.
type Condition struct {
	Kind       ConditionKind
	Text       string
	Span       text.Span
	Terms      []Term
	Quantities []quantity.Quantity
	Times      []when.Expr
	Negated    bool // the condition itself is denied (如果没有…)
}

// Role says what a value is to its subject, where the form of the sentence tells.
type Role string

// Roles. NoRole: only that the value stands in the clause.
const (
	NoRole     Role = ""
	Definition Role = "definition" // X means Y, X是指Y
	IsA        Role = "is_a"       // X is Y
	Agent      Role = "agent"      // built by Y, 由Y承担
	Location   Role = "location"   // lies in Y, 位于Y
	Member     Role = "member"     // one item of an enumeration
	Step       Role = "step"       // one step of a procedure
	Cause      Role = "cause"      // because of Y
	Effect     Role = "effect"     // therefore Y
	Exclusion  Role = "exclusion"  // Y is what is excepted
)

// Comparison relates the value of a fact, or its subject, to something else.
type Comparison struct {
	Op    string // gt, lt, eq; before, after; "" = compared without a direction (同比)
	Word  Part   // the comparing words (higher than, 高于)
	Other Part   // what it is compared with (B, a year earlier, 上年)
}

// Fact is one statement.
type Fact struct {
	Span       text.Span // the clause, list item or table cell that states it
	Sentence   int       // index into Page.Sentences
	Clause     int       // index into Page.Clauses
	Subject    Part      // may be empty
	Attribute  Part      // may be empty
	Value      Value
	Anchors    []Term      // what the value is about, all origins, each term once with its greatest weight
	Times      []when.Expr // when it holds; own or inherited
	Conditions []Condition
	Place      Part
	Denied     bool // polarity; a prohibition has Modality MustNot and is not Denied, see Negative
	Modality   Modality
	Quantifier Quantifier
	Hedged     bool    // 大约说, reportedly, some people say
	Complete   bool    // subject, attribute and value are all known
	Confidence float64 // 0..1, of the reading

	Role      Role
	Relation  *Comparison // nil = the fact compares nothing
	Threshold bool        // the value stands inside a condition of its clause: a bound, not what is stated
}

// Negative reports whether the fact says no: denied, or forbidden and not denied.
func (f *Fact) Negative() bool { return f.Denied != (f.Modality == MustNot) }

// Clause is a stretch of a sentence that states one thing; facts come out of it.
type Clause struct {
	text.Span
	Sentence   int
	Terms      []Term // own content terms in order of appearance
	Context    []Term // inherited: topic, lead-in, headings, title
	Topic      Part   // the subject, own or carried over
	Quantities []quantity.Quantity
	Times      []when.Expr
	Conditions []Condition
	Denied     bool
	Modality   Modality
	Quantifier Quantifier
	Hedged     bool
	Imperative bool   // a step or instruction
	Facts      [2]int // facts [lo,hi) of this clause
}

// SentenceKind tells prose from list items, headings and table rows.
type SentenceKind string

// Sentence kinds.
const (
	Prose       SentenceKind = ""
	Item        SentenceKind = "item"
	Row         SentenceKind = "row"
	HeaderRow   SentenceKind = "header"
	HeadingLine SentenceKind = "heading"
	Code        SentenceKind = "code"
)

// SentenceInfo is a sentence of the page with the clauses [lo,hi) in it.
type SentenceInfo struct {
	text.Span
	Kind    SentenceKind
	Clauses [2]int
	Item    int // number of the list item or step, from 1; 0 = none
}

// Alias is a short name that the text itself defines (以下简称, hereinafter).
type Alias struct {
	Short, Full string
}

// Page is all that was read from one source. It does not depend on any question
// and is stored with the chunk.
type Page struct {
	ready atomic.Pointer[sheet]       // what comparisons prepared of it, for the engine and title that asked last
	cells atomic.Pointer[[]tableLine] // see lines
	words atomic.Pointer[[]token]     // see tokens
	once  sync.Map                    // answers by what was asked, see Once

	Runes      []rune // the text
	Sentences  []SentenceInfo
	Clauses    []Clause
	Facts      []Fact
	Aliases    []Alias
	References []Reference // 见第八条, see Appendix B
}

// Reference is a pointer to text elsewhere (见《业务收费目录》, see Appendix B).
type Reference struct {
	Span   text.Span
	Target string
}

// Once answers what depends on the page alone, and keeps the answer with the page under a
// name that is the asker's. It is safe for concurrent use: two goroutines may both find out.
func (p *Page) Once(name string, find func(*Page) bool) bool {
	if known, ok := p.once.Load(name); ok {
		return known.(bool)
	}
	answer := find(p)
	p.once.Store(name, answer)
	return answer
}

// Quote returns the text of a span.
func (p *Page) Quote(s text.Span) string { return string(p.Runes[s.Start:s.End]) }
