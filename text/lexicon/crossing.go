package lexicon

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"suffice.dev/suffice/text"
)

//go:embed crossing.yaml
var builtinCrossing []byte

var defaultCrossing = sync.OnceValue(func() *Crossing {
	c, err := ParseCrossing("crossing.yaml", builtinCrossing)
	if err != nil {
		panic("built-in words of the other language: " + err.Error()) // the file is compiled in; a test reads it
	}
	return c
})

// DefaultCrossing returns the built-in words of one language with those of the other.
// They are read at the first call, which a text in the other language makes.
func DefaultCrossing() *Crossing { return defaultCrossing() }

// Crossing gives for a Chinese word the English ones that it may be told by, and the
// other way round. A word may stand in many lines, and what shares a line need not mean
// the same in one language (wear and put on): texts of one language are never compared
// by it. It does not change and is safe for concurrent use.
type Crossing struct {
	latin   map[string][]string // by Han word
	han     map[string][]string // by the Stems of a Latin phrase without stop words
	phrases map[string][]string // by the Whole stems of one with them
	longest map[rune]int        // code points of the longest Han word, by its first one
}

// ParseCrossing reads a file of words of both languages. The form is that of Parse, a
// domain with a list of lines of terms separated by commas, but a term may stand in many
// lines and a Chinese one may be a single character. Refused are: a line without a term
// of each language, a term twice in a line, a term with punctuation or of both scripts,
// and anything of another form. Errors are *FormatError.
func ParseCrossing(file string, data []byte) (*Crossing, error) {
	entries, err := readEntries(file, data)
	if err != nil {
		return nil, err
	}
	c := &Crossing{longest: map[rune]int{}, latin: make(map[string][]string, 2*len(entries)), han: make(map[string][]string, 2*len(entries)), phrases: make(map[string][]string, len(entries)/4)}
	for _, e := range entries {
		var han, latin []string
		for raw := range strings.SplitSeq(e.terms, ",") {
			term := foldTerm(strings.TrimSpace(raw))
			first, n := utf8.DecodeRuneInString(term)
			reason := ""
			switch single := n == len(term) && text.IsHan(first); {
			case !single && checkTerm(term) != "":
				reason = checkTerm(term)
			case slices.Contains(han, term) || slices.Contains(latin, term):
				reason = "stands twice in the line"
			case !text.IsHan(first) && strings.ContainsFunc(term, text.IsHan):
				reason = "is of both scripts"
			}
			if reason != "" {
				return nil, &FormatError{File: file, Line: e.line, Reason: fmt.Sprintf("term %q %s", strings.TrimSpace(raw), reason)}
			}
			if text.IsHan(first) {
				han = append(han, term)
				c.longest[first] = max(c.longest[first], utf8.RuneCountInString(term))
			} else {
				latin = append(latin, term)
			}
		}
		if len(han) == 0 || len(latin) == 0 {
			return nil, &FormatError{File: file, Line: e.line, Reason: "a line needs a term of each language"}
		}
		for _, t := range han {
			c.latin[t] = appendNew(c.latin[t], latin)
		}
		for _, t := range latin {
			words := latinWords(t)
			to := c.han
			if slices.ContainsFunc(words, text.StopWord) && slices.ContainsFunc(words, func(w string) bool { return !text.StopWord(w) }) {
				to = c.phrases
			}
			whole := joinStems(words)
			to[whole] = appendNew(to[whole], han)
		}
	}
	return c, nil
}

func appendNew(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// Stems are the stems of the words of a folded Latin phrase, stop words left out, with a
// space between; of a phrase of stop words alone, all of them.
func Stems(phrase string) string {
	words := latinWords(phrase)
	kept := slices.DeleteFunc(slices.Clone(words), text.StopWord)
	if len(kept) == 0 {
		kept = words
	}
	return joinStems(kept)
}

// Whole are the stems of all words of a folded Latin phrase: turn off is another thing
// than turn, and by hand than hand.
func Whole(phrase string) string { return joinStems(latinWords(phrase)) }

func latinWords(phrase string) []string {
	return strings.FieldsFunc(phrase, func(r rune) bool { return r == ' ' || r == '-' })
}

func joinStems(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = text.Stem(w)
	}
	return strings.Join(out, " ")
}

// Len is the number of Han words and of Latin phrases.
func (c *Crossing) Len() (han, latin int) { return len(c.latin), len(c.han) + len(c.phrases) }

// LongestFrom is the length in code points of the longest Han word that begins with one; 0
// where none does.
func (c *Crossing) LongestFrom(first rune) int { return c.longest[first] }

// Latin are the folded Latin phrases for a Han word, in the order of the file; nil for
// an unknown one. The caller does not change them.
func (c *Crossing) Latin(word string) []string { return c.latin[word] }

// Han are the Han words for a Latin phrase without stop words that is given as its Stems;
// nil for an unknown one. The caller does not change them.
func (c *Crossing) Han(stems string) []string { return c.han[stems] }

// HanPhrase are the Han words for a Latin phrase with stop words that is given as its
// Whole stems; nil for an unknown one. The caller does not change them.
func (c *Crossing) HanPhrase(whole string) []string { return c.phrases[whole] }
