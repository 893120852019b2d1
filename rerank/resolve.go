package rerank

import (
	"strings"

	"suffice.dev/suffice/kb"
)

// resolve decides a conflict between two passages, in the order of the contract:
// supersedes; authority that differs by more than 2 (unknown counts as equal); a
// later valid_from or published_at of the same kind of source (authority within
// 2); otherwise unresolved.
func resolve(a, b kb.Passage) (kb.Resolution, string) {
	switch {
	case supersedes(a, b) && !supersedes(b, a):
		return kb.Superseded, a.ID
	case supersedes(b, a) && !supersedes(a, b):
		return kb.Superseded, b.ID
	}
	if a.Authority != nil && b.Authority != nil {
		switch d := *a.Authority - *b.Authority; {
		case d > 2:
			return kb.ByAuthor, a.ID
		case d < -2:
			return kb.ByAuthor, b.ID
		}
	}
	for _, pair := range [][2]kb.Passage{{a, b}, {b, a}} {
		x, y := pair[0], pair[1]
		if !x.ValidFrom.IsZero() && !y.ValidFrom.IsZero() && x.ValidFrom.After(y.ValidFrom) {
			return kb.Newer, x.ID
		}
	}
	if a.ValidFrom.IsZero() || b.ValidFrom.IsZero() || a.ValidFrom.Equal(b.ValidFrom) {
		switch {
		case a.PublishedAt.IsZero() || b.PublishedAt.IsZero():
		case a.PublishedAt.After(b.PublishedAt):
			return kb.Newer, a.ID
		case b.PublishedAt.After(a.PublishedAt):
			return kb.Newer, b.ID
		}
	}
	return kb.Unresolved, ""
}

// supersedes reports whether x names y among what it replaces: by passage id, by
// document id, or by document version.
func supersedes(x, y kb.Passage) bool {
	for _, s := range x.Supersedes {
		if s == y.ID || y.DocumentID != "" && (s == y.DocumentID || strings.HasPrefix(y.ID, s+"#")) {
			return true
		}
	}
	return x.DocumentID != "" && x.DocumentID == y.DocumentID && x.Version > y.Version && y.Version > 0
}
