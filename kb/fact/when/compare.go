package when

import "time"

// open reports an expression without interval.
func (e Expr) open() bool { return e.From.IsZero() && e.To.IsZero() }

func equalTime(a, b time.Time) bool { return a.Equal(b) || a.IsZero() && b.IsZero() }

// contains reports whether a holds the whole of b; zero is unbounded.
func contains(a, b Expr) bool {
	if !a.From.IsZero() && (b.From.IsZero() || b.From.Before(a.From)) {
		return false
	}
	return a.To.IsZero() || !b.To.IsZero() && !b.To.After(a.To)
}

func disjoint(a, b Expr) bool {
	return !a.To.IsZero() && !b.From.IsZero() && a.To.Before(b.From) || !b.To.IsZero() && !a.From.IsZero() && b.To.Before(a.From)
}
