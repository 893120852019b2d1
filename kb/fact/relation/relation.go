// Package relation names how two statements, or two values, stand to each other.
package relation

// Relation is the result of every comparison in kb/fact.
type Relation int

// The four relations. Same: one statement. Excludes: both cannot be true.
// Differs: about another time, scope, condition, unit of account or attribute, so
// no conflict. Unknown: not comparable.
const (
	Unknown Relation = iota
	Same
	Differs
	Excludes
)

func (r Relation) String() string {
	return [...]string{"unknown", "same", "differs", "excludes"}[r]
}
