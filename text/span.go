// Package text has what every reader of Chinese and English needs: spans in code
// points, normalising, sentences and terms. It knows nothing of facts or questions.
package text

// Span is a half-open range of Unicode code points of some text.
type Span struct {
	Start, End int
}

// Len is the number of code points.
func (s Span) Len() int { return s.End - s.Start }

// Empty reports whether the span holds nothing.
func (s Span) Empty() bool { return s.End <= s.Start }

// Contains reports whether o lies inside s.
func (s Span) Contains(o Span) bool { return s.Start <= o.Start && o.End <= s.End }

// Overlaps reports whether the two share a code point.
func (s Span) Overlaps(o Span) bool { return s.Start < o.End && o.Start < s.End }
