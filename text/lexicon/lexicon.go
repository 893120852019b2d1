// Package lexicon is the dictionary of business words: sets of Chinese and
// English terms that mean the same in documents of firms, offices and shops.
//
// A synset holds true synonyms only, no wider or narrower terms, because two
// facts are taken to speak of one attribute when their words share a synset.
// The dictionary is data: the built-in file and files of an operator's own, read
// strictly, each problem reported with its line.
package lexicon

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/text"
)

// ErrFormat is the class of all errors about the content of a dictionary file.
var ErrFormat = errors.New("bad dictionary")

// FormatError names the place and the reason of a bad dictionary line.
type FormatError struct {
	File   string
	Line   int // from 1
	Reason string
}

func (e *FormatError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

// Is makes every FormatError an ErrFormat.
func (e *FormatError) Is(target error) bool { return target == ErrFormat }

// Limits of a dictionary; they keep a wrong file from filling the memory.
const (
	maxTermRunes = 48
	maxSynsets   = 200_000
)

//go:embed default.yaml
var builtin []byte

var builtinLexicon = sync.OnceValue(func() *Lexicon {
	l, err := Parse(nil, "default.yaml", builtin)
	if err != nil {
		panic("built-in dictionary: " + err.Error()) // the file is compiled in; a test reads it
	}
	return l
})

// Default returns the built-in dictionary. It is read at the first call.
func Default() *Lexicon { return builtinLexicon() }

// Lexicon is a set of synsets with a trie over their terms. It does not change
// after it was built and is safe for concurrent use.
type Lexicon struct {
	synsets []synset
	exact   map[string]place // by folded term
	trie    trie
}

// place is where a term stands.
type place struct {
	synset int32
	line   int32 // in the file read last; 0 = in an earlier one
}

type synset struct {
	domain string
	terms  []string
}

// Load returns the built-in dictionary extended by the files, in order. Without
// files it is Default. Errors are *FormatError (ErrFormat) or of reading a file.
func Load(paths ...string) (*Lexicon, error) {
	l := Default()
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("read dictionary: %w", err)
		}
		if l, err = Parse(l, p, data); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Parse reads a dictionary file on top of base (nil: nothing), which stays as it
// is. The form is YAML: a domain name, then a list of synsets, each a line of
// terms separated by commas:
//
//	staff:
//	  - annual leave, paid holiday, 年假, 年休假
//
// A synset that shares a term with one of base extends that one. Refused are:
// a term of two synsets, a synset of one term, a Chinese term of one character,
// a term with punctuation, and anything of another form.
func Parse(base *Lexicon, file string, data []byte) (*Lexicon, error) {
	entries, err := readEntries(file, data)
	if err != nil {
		return nil, err
	}
	bad := func(line int, format string, args ...any) error {
		return &FormatError{File: file, Line: line, Reason: fmt.Sprintf(format, args...)}
	}
	l := &Lexicon{exact: make(map[string]place, 5*len(entries))}
	if base != nil {
		l.synsets = make([]synset, len(base.synsets))
		for i, s := range base.synsets {
			l.synsets[i] = synset{s.domain, append([]string(nil), s.terms...)}
		}
		for k, v := range base.exact {
			l.exact[k] = place{synset: v.synset}
		}
	}
	for _, e := range entries {
		if err := l.add(e, bad); err != nil {
			return nil, err
		}
	}
	l.trie = build(l.synsets)
	return l, nil
}

// add reads one line of terms.
func (l *Lexicon) add(item entry, bad func(int, string, ...any) error) error {
	target := int32(-1)
	all := make([]string, 0, 8)
	known := 0 // terms of the line that base has
	for raw := range strings.SplitSeq(item.terms, ",") {
		raw = strings.TrimSpace(raw)
		term := foldTerm(raw)
		if reason := checkTerm(term); reason != "" {
			return bad(item.line, "term %q %s", raw, reason)
		}
		if slices.Contains(all, term) {
			return bad(item.line, "term %q stands twice in the line", term)
		}
		all = append(all, term)
		p, ok := l.exact[term]
		switch {
		case !ok:
			continue
		case p.line > 0:
			return bad(item.line, "term %q is already in the synset of line %d", term, p.line)
		case target >= 0 && p.synset != target:
			return bad(item.line, "the line joins two synsets of the dictionary: %q and %q",
				l.synsets[target].terms[0], l.synsets[p.synset].terms[0])
		}
		target = p.synset
		known++
	}
	if len(all) < 2 {
		return bad(item.line, "a synset needs two terms or more")
	}
	if target < 0 {
		if len(l.synsets) >= maxSynsets {
			return bad(item.line, "more than %d synsets", maxSynsets)
		}
		target = int32(len(l.synsets))
		l.synsets = append(l.synsets, synset{domain: item.domain})
	}
	set := &l.synsets[target]
	if set.terms == nil {
		set.terms = make([]string, 0, len(all))
	}
	for _, t := range all {
		if _, ok := l.exact[t]; known > 0 && ok {
			continue
		}
		l.exact[t] = place{target, int32(item.line)}
		set.terms = append(set.terms, t)
	}
	return nil
}

// foldTerm is text.Fold for a string, without work where nothing changes.
func foldTerm(s string) string {
	for _, r := range s {
		if text.FoldRune(r) != r {
			return string(text.Fold([]rune(s)))
		}
	}
	return s
}

// checkTerm says what is wrong with a folded term; "" if nothing is.
func checkTerm(term string) string {
	first, n := utf8.DecodeRuneInString(term)
	switch {
	case term == "":
		return "is empty"
	case len(term) > maxTermRunes && utf8.RuneCountInString(term) > maxTermRunes:
		return fmt.Sprintf("is longer than %d characters", maxTermRunes)
	case n == len(term) && text.IsHan(first):
		return "is a single Chinese character, which occurs inside too many words"
	}
	space := true
	for _, r := range term {
		isSpace := r == ' ' || r == '-' || r == '\'' || r == '/' || r == '&'
		if !isSpace && !text.IsHan(r) && !text.IsWord(r) {
			return fmt.Sprintf("holds %q; only letters, digits, spaces and hyphens are matched", r)
		}
		if r == ' ' && space {
			return "has two spaces or begins with one"
		}
		space = r == ' '
	}
	return ""
}

// yamlLine finds the line number in an error of the YAML library; 1 if it has none.
func yamlLine(err error) int {
	_, after, ok := strings.Cut(err.Error(), "line ")
	line := 0
	for _, r := range after {
		if !unicode.IsDigit(r) {
			break
		}
		line = line*10 + int(r-'0')
	}
	if !ok || line == 0 {
		return 1
	}
	return line
}

// Len is the number of synsets; they are numbered from 0.
func (l *Lexicon) Len() int { return len(l.synsets) }

// Synonyms returns the terms of a synset, folded, in the order of the file; nil
// for a number that is none. The caller does not change them.
func (l *Lexicon) Synonyms(synset int32) []string {
	if synset < 0 || int(synset) >= len(l.synsets) {
		return nil
	}
	return l.synsets[synset].terms
}

// Domain returns the domain of a synset; "" for a number that is none.
func (l *Lexicon) Domain(synset int32) string {
	if synset < 0 || int(synset) >= len(l.synsets) {
		return ""
	}
	return l.synsets[synset].domain
}

// Lookup returns the synset of a whole term, in any case and inflection.
func (l *Lexicon) Lookup(term string) (int32, bool) {
	folded := text.Fold([]rune(strings.TrimSpace(term)))
	end, s, ok := l.Match(folded, 0)
	return s, ok && end == len(folded)
}

// Match finds the longest term that starts at folded[at] and returns its end.
// English words match as whole words, as written or inflected (fees, applied);
// several words with one space or hyphen between them. Chinese terms match
// wherever their characters stand; the caller decides about word borders.
func (l *Lexicon) Match(folded []rune, at int) (end int, synset int32, ok bool) {
	if at < 0 || at >= len(folded) {
		return at, -1, false
	}
	r := folded[at]
	if !text.IsHan(r) && (!text.IsWord(r) || at > 0 && text.IsWord(folded[at-1])) {
		return at, -1, false
	}
	end, synset = l.trie.longest(folded, at, false)
	if !text.IsHan(r) {
		if e, s := l.trie.longest(folded, at, true); s >= 0 && e > end {
			end, synset = e, s
		}
	}
	if synset < 0 {
		return at, -1, false
	}
	return end, synset, true
}
