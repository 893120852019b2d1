package retrieval

import (
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// distinct collects candidates, best first, and collapses those that say the same:
// equal normalised text, or overlapping spans of one document version.
type distinct struct {
	candidates []kb.Candidate
	seen       map[string]int // normalised text to index
}

// headed is the length in code points below which a text needs its headings to be
// understood: the same short line under two headings is two statements.
const headed = 80

func (d *distinct) add(c kb.Candidate) {
	if d.seen == nil {
		d.seen = map[string]int{}
	}
	key := sameKey(c.Passage)
	if at, ok := d.seen[key]; ok {
		// Of two versions of one document that say the same, the newer speaks.
		if kept := &d.candidates[at]; kept.DocumentID == c.DocumentID && kept.Version < c.Version && kept.DocumentID != "" {
			kept.Passage = c.Passage
		}
		return
	}
	for i := range d.candidates {
		if joined, ok := join(d.candidates[i].Passage, c.Passage); ok {
			d.candidates[i].Passage = joined
			d.seen[key] = i
			return
		}
	}
	d.seen[key] = len(d.candidates)
	d.candidates = append(d.candidates, c)
}

// sameKey is the text without case, spaces and punctuation; for a short text with
// its title and headings.
func sameKey(p kb.Passage) string {
	var b strings.Builder
	n := 0
	b.Grow(len(p.Text))
	for _, r := range p.Text {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteByte(byte(r))
			n++
			continue
		case text.IsHan(r):
			b.WriteRune(r)
			n++
			continue
		}
		r = text.FoldRune(r)
		if unicode.IsSpace(r) || unicode.IsPunct(r) && r != '%' && r != '.' && r != '-' {
			continue
		}
		b.WriteRune(r)
		n++
	}
	if n < headed {
		b.WriteByte(0)
		b.WriteString(p.Title)
		for _, h := range p.HeadingPath {
			b.WriteByte(0)
			b.WriteString(h)
		}
	}
	return b.String()
}

// join merges two overlapping passages of one document version: the result keeps
// the id of a and spans both.
func join(a, b kb.Passage) (kb.Passage, bool) {
	if a.DocumentID == "" || a.DocumentID != b.DocumentID || a.Version != b.Version || a.Start >= b.End || b.Start >= a.End {
		return kb.Passage{}, false
	}
	first, second := a, b
	if second.Start < first.Start {
		first, second = second, first
	}
	out := a
	out.Start, out.End = first.Start, max(first.End, second.End)
	if second.End <= first.End {
		out.Text = first.Text
		return out, true
	}
	tail := []rune(second.Text)
	overlap := first.End - second.Start
	if overlap > len(tail) {
		return kb.Passage{}, false
	}
	out.Text = first.Text + string(tail[overlap:])
	return out, true
}
