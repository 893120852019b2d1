package lexicon

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"suffice.dev/suffice/text"
)

//go:embed related.yaml
var builtinRelated []byte

var defaultRelated = sync.OnceValue(func() *Related {
	r, err := ParseRelated("related.yaml", builtinRelated)
	if err != nil {
		panic("built-in related words: " + err.Error()) // the file is compiled in; a test reads it
	}
	return r
})

// DefaultRelated returns the built-in clusters of related words. They are read at
// the first call.
func DefaultRelated() *Related { return defaultRelated() }

// Related are clusters of words that may stand for each other when a question is
// answered although they are no synonyms: a family with its head word (fee, fare,
// rent) or several ways to say a thing (head, lead, in charge of). Two words of a
// cluster make it likely that two sentences speak of one thing; they do not prove
// it, and a conflict is never found by them alone. It does not change and is safe
// for concurrent use.
type Related struct {
	trie     trie
	members  [][]int32 // by word of the trie: its clusters, ascending
	clusters int
}

// RelatedFound is a word of clusters in a text.
type RelatedFound struct {
	Clusters []int32 // ascending; shared, the caller does not change it
	text.Span
}

// ParseRelated reads a file of clusters. The form is that of Parse, a domain with a
// list of lines of terms separated by commas, but a term may stand in many lines.
// Refused are: a cluster of one term, a term twice in a line, a Chinese term of one
// character, a term with punctuation, and anything of another form. Errors are
// *FormatError.
func ParseRelated(file string, data []byte) (*Related, error) {
	entries, err := readEntries(file, data)
	if err != nil {
		return nil, err
	}
	r := &Related{}
	var words []synset           // one for each lemma, with all its spellings
	index := map[string]int32{}  // lemma -> word
	spelled := map[string]bool{} // terms seen in the file
	for _, e := range entries {
		bad := func(format string, args ...any) error {
			return &FormatError{File: file, Line: e.line, Reason: fmt.Sprintf(format, args...)}
		}
		mine := map[string]bool{}
		for raw := range strings.SplitSeq(e.terms, ",") {
			term := string(text.Fold([]rune(strings.TrimSpace(raw))))
			if reason := checkTerm(term); reason != "" {
				return nil, bad("term %q %s", strings.TrimSpace(raw), reason)
			}
			if mine[term] {
				return nil, bad("term %q stands twice in the line", term)
			}
			mine[term] = true
			lemma := string(lemmaKey([]rune(strings.ReplaceAll(term, "-", " "))))
			w, ok := index[lemma]
			if !ok {
				w = int32(len(words))
				index[lemma] = w
				words = append(words, synset{domain: e.domain})
				r.members = append(r.members, nil)
			}
			if !spelled[term] {
				spelled[term] = true
				words[w].terms = append(words[w].terms, term)
			}
			if c := r.members[w]; len(c) == 0 || c[len(c)-1] != int32(r.clusters) {
				r.members[w] = append(c, int32(r.clusters))
			}
		}
		if len(mine) < 2 {
			return nil, bad("a cluster needs two terms or more")
		}
		r.clusters++
	}
	r.trie = build(words)
	return r, nil
}

// Len is the number of clusters; they are numbered from 0 in the order of the file.
func (r *Related) Len() int { return r.clusters }

// Find lists the words of clusters in a folded text, in order and without overlap,
// at each place the longest. Latin words match whole, as written or inflected;
// Chinese ones wherever their characters stand. A nil *Related finds nothing.
func (r *Related) Find(folded []rune) []RelatedFound {
	if r == nil {
		return nil
	}
	var out []RelatedFound
	for i := 0; i < len(folded); i++ {
		han := text.IsHan(folded[i])
		if !han && (!text.IsWord(folded[i]) || i > 0 && text.IsWord(folded[i-1])) {
			continue
		}
		end, word := r.trie.longest(folded, i, false)
		if !han {
			if e, w := r.trie.longest(folded, i, true); w >= 0 && e > end {
				end, word = e, w
			}
		}
		if word < 0 {
			continue
		}
		out = append(out, RelatedFound{r.members[word], text.Span{Start: i, End: end}})
		i = end - 1
	}
	return out
}

// Share reports whether two ascending lists of clusters have one in common.
func Share(a, b []int32) bool {
	for len(a) > 0 && len(b) > 0 {
		i, found := slices.BinarySearch(b, a[0])
		if found {
			return true
		}
		a, b = b[i:], a
	}
	return false
}
