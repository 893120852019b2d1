package retrieval

import (
	"math"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
)

// Everyone is the reader group that all callers belong to.
const Everyone = "*"

// DefaultCollection is the collection of documents that name none.
const DefaultCollection = "default"

// Collection returns the name under which a collection is filtered.
func Collection(name string) string {
	if name == "" {
		return DefaultCollection
	}
	return name
}

// Filter is what a request may see. It is applied before scoring, in every route.
type Filter struct {
	Readers    []string // without Everyone, sorted, distinct
	Collection string   // never empty
	Domains    []string // as Domain writes them, sorted, distinct; empty = all
	From, To   time.Time
	// Outside turns the time around: only versions that do not count on the days, or
	// that a newer one supersedes, are admitted. Rights, collection and domains stay.
	Outside bool
}

// Domain returns the name under which a domain is filtered.
func Domain(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// FilterOf reads the filter out of a request: the caller's groups, the collection, the
// domains and the days that the question is about.
func FilterOf(req kb.RetrieveRequest) Filter {
	f := Filter{Collection: Collection(req.Collection), Outside: req.Outside}
	f.From, f.To = req.Analysis.Period()
	for _, r := range req.Readers {
		if r != Everyone && r != "" {
			f.Readers = append(f.Readers, r)
		}
	}
	slices.Sort(f.Readers)
	f.Readers = slices.Compact(f.Readers)
	for _, d := range req.Domains {
		if d = Domain(d); d != "" {
			f.Domains = append(f.Domains, d)
		}
	}
	slices.Sort(f.Domains)
	f.Domains = slices.Compact(f.Domains)
	return f
}

// Visibility is what the filter looks at: who may read a document version, and
// when it counts.
type Visibility struct {
	Collection         string // never empty
	Domain             string // as Domain writes it; "" = none
	Readers            []string
	ValidFrom, ValidTo time.Time // zero = open; ValidTo is the last valid day

	// Replaced says that another version supersedes this one. It then counts only
	// for questions about days before ReplacedFrom, the first day on which the
	// superseding version is valid; zero = it was always valid.
	Replaced     bool
	ReplacedFrom time.Time
}

// Admits reports whether a document version of this visibility may be seen.
func (f Filter) Admits(v Visibility) bool {
	return f.collection(v) && f.domain(v) && f.reads(v) && f.inTime(v) != f.Outside
}

func (f Filter) collection(v Visibility) bool { return v.Collection == f.Collection }

func (f Filter) domain(v Visibility) bool {
	return len(f.Domains) == 0 || slices.Contains(f.Domains, v.Domain)
}

func (f Filter) reads(v Visibility) bool {
	for _, r := range v.Readers {
		if r == Everyone || slices.Contains(f.Readers, r) {
			return true
		}
	}
	return len(v.Readers) == 0
}

func (f Filter) inTime(v Visibility) bool {
	if v.Replaced && (f.To.IsZero() || !f.To.Before(v.ReplacedFrom)) {
		return false
	}
	return kb.Passage{ValidFrom: v.ValidFrom, ValidTo: v.ValidTo}.ValidOn(f.From, f.To)
}

// OpenDay is the number of a day that lies beyond every day: the open end of a
// stored validity. Days are numbered from 1970.
const OpenDay = 1 << 30

// Stored is a visibility as an index stores it beside a chunk.
type Stored struct {
	Collection string
	Domain     string
	Readers    []string // never empty
	From, To   int64    // first and last valid day; -OpenDay and OpenDay = open
	Replaced   int64    // first day on which it counts no more; OpenDay = never
}

// Stored returns the form of a visibility for an index.
func (v Visibility) Stored() Stored {
	s := Stored{Collection: v.Collection, Domain: v.Domain, Readers: v.Readers, From: firstDay(v.ValidFrom), To: lastDay(v.ValidTo), Replaced: OpenDay}
	if len(s.Readers) == 0 {
		s.Readers = []string{Everyone}
	}
	if v.Replaced {
		s.Replaced = firstDay(v.ReplacedFrom)
	}
	return s
}

// Wanted is a filter as an index is asked: it admits what is in the collection, of one of
// the domains if there are any, for one of the readers, with Stored.From <= To, Stored.To >= From and
// Stored.Replaced >= After; with Outside, where not all three hold.
type Wanted struct {
	Collection string
	Domains    []string // empty = all
	Readers    []string // never empty
	From, To   int64
	After      int64
	Outside    bool // what the days and After do not admit, in the place of what they do
}

// Wanted returns the form of a filter for an index.
func (f Filter) Wanted() Wanted {
	w := Wanted{
		Collection: f.Collection, Domains: f.Domains, Readers: append([]string{Everyone}, f.Readers...), From: firstDay(f.From), To: lastDay(f.To), After: OpenDay, Outside: f.Outside,
	}
	if !f.To.IsZero() {
		w.After = w.To + 1
	}
	return w
}

func dayNumber(t time.Time) int64 { return int64(math.Floor(float64(t.Unix()) / 86400)) }

func firstDay(t time.Time) int64 {
	if t.IsZero() {
		return -OpenDay
	}
	return dayNumber(t)
}

func lastDay(t time.Time) int64 {
	if t.IsZero() {
		return OpenDay
	}
	return dayNumber(t)
}
