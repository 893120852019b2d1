package text

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// TermKind tells how a term was found.
type TermKind uint8

// Kinds of terms.
const (
	Word       TermKind = iota // a Latin-script word, stemmed
	Number                     // digits, without thousands separators
	Identifier                 // letters with digits (WX-200, ISO9001), a single capital or letter before a Han character (A类)
	HanPair                    // two adjacent Han characters
	HanRun                     // a whole run of three or four Han characters
	HanSingle                  // a Han character that stands alone between function words
	Concept                    // a word or phrase of the dictionary
)

// Term is a content word of a folded text.
type Term struct {
	Text    string
	Span    Span
	Kind    TermKind
	Concept int32 // id of the dictionary entry; 0 = none
}

// Match looks for the longest dictionary entry that starts at a position of a
// folded text. The end is exclusive.
type Match func(folded []rune, at int) (end int, concept int32, ok bool)

// Terms returns the content terms of a folded text in order of appearance.
//
// Latin words are stemmed, stop words left out, numbers and identifiers kept whole.
// A run of Han characters is cut at function words (的, 由, 应当, …; compounds that
// merely contain one, such as 行为 or 个人, stay whole) and each piece gives its
// character pairs, and itself when it is three or four characters long. Pairs need
// no dictionary and overlap in the same way in every text that has the phrase, so
// that two wordings of a phrase share most of their terms. Linear time.
func Terms(folded []rune) []Term { return TermsWith(nil, folded, nil) }

// TermsWith is Terms with a dictionary and the unfolded text, both optional. A
// dictionary entry gives one term that carries its concept; in Chinese it also
// bounds the pieces beside it. The unfolded text shows capitals: a single capital
// letter inside a sentence ("class A") is an identifier. Single words inside a Latin
// dictionary phrase give terms of their own as well.
func TermsWith(runes, folded []rune, match Match) []Term {
	return AppendTerms(make([]Term, 0, len(folded)/3+4), runes, folded, match)
}

// lexers are kept for the next text: their offsets, and the stems of the words they met.
var lexers = sync.Pool{New: func() any { return &lexer{stems: make(map[string]string, 64)} }}

// Limits of what a kept lexer holds on to.
const (
	keptOffsets = 1 << 16
	keptStems   = 1 << 12
)

// AppendTerms is TermsWith into a list of the caller's.
func AppendTerms(out []Term, runes, folded []rune, match Match) []Term {
	l := lexers.Get().(*lexer)
	l.runes, l.folded, l.match, l.out = runes, folded, match, out
	l.offsets = slices.Grow(l.offsets[:0], len(folded)+1)
	size := 0
	for _, r := range folded {
		size += runeLen(r)
	}
	var plain strings.Builder
	plain.Grow(size)
	for _, r := range folded {
		l.offsets = append(l.offsets, int32(plain.Len()))
		if uint32(r) < utf8.RuneSelf {
			plain.WriteByte(byte(r))
		} else {
			plain.WriteRune(r)
		}
	}
	l.offsets = append(l.offsets, int32(plain.Len()))
	l.text = plain.String()
	l.run()
	out = l.out
	l.runes, l.folded, l.match, l.text, l.out = nil, nil, nil, "", nil
	if cap(l.offsets) > keptOffsets {
		l.offsets = nil
	}
	lexers.Put(l)
	return out
}

func (l *lexer) run() {
	folded := l.folded
	for i := 0; i < len(folded); {
		r := folded[i]
		switch {
		case r < 0x80 && !asciiWord(r):
			i++
		case IsHan(r):
			i = l.han(i)
		case IsWord(r):
			i = l.word(i)
		default:
			i++
		}
	}
}

type lexer struct {
	runes, folded []rune
	match         Match
	text          string
	offsets       []int32
	out           []Term
	stems         map[string]string // of no text: they outlive it
}

// runeLen is the length of r in UTF-8; invalid code points become U+FFFD.
func runeLen(r rune) int {
	switch {
	case r < 0:
		return 3
	case r < 0x80:
		return 1
	case r < 0x800:
		return 2
	case r < 0x10000:
		return 3
	case r <= unicode.MaxRune:
		return 4
	}
	return 3
}

func asciiWord(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
}

func (l *lexer) slice(s, e int) string { return l.text[l.offsets[s]:l.offsets[e]] }

func (l *lexer) add(s, e int, kind TermKind) {
	l.out = append(l.out, Term{Text: l.slice(s, e), Span: Span{s, e}, Kind: kind})
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

func isWordRune(r rune) bool { return r < 0x80 && asciiWord(r) || r >= 0x80 && IsWord(r) }

// word reads a Latin word, number or identifier at i and returns its end.
func (l *lexer) word(i int) int {
	f := l.folded
	if l.match != nil {
		if e, id, ok := l.match(f, i); ok && e > i && (e == len(f) || !isWordRune(f[e]) || IsHan(f[e])) {
			l.out = append(l.out, Term{Text: l.slice(i, e), Span: Span{i, e}, Kind: Concept, Concept: id})
			if !strings.ContainsAny(l.slice(i, e), " -") {
				return e
			}
		}
	}
	j, letters, digits, other := i, 0, 0, false
	for j < len(f) {
		r := f[j]
		switch {
		case isDigit(r):
			digits++
		case isWordRune(r):
			letters++
			other = other || r >= 0x80 && unicode.IsDigit(r)
		default:
			// A joiner stays inside an identifier or number only.
			if j+1 < len(f) && isWordRune(f[j+1]) && (joins(r, f[j-1], f[j+1]) || identJoin(f, i, j)) {
				break
			}
			goto done
		}
		j++
	}
done:
	switch {
	case letters == 0 && digits > 0:
		s := l.slice(i, j)
		if strings.IndexByte(s, ',') >= 0 {
			s = strings.ReplaceAll(s, ",", "")
		}
		l.out = append(l.out, Term{Text: s, Span: Span{i, j}, Kind: Number})
	case digits > 0 && !ordinalTail(l.slice(i, j)):
		l.add(i, j, Identifier)
	case j-i == 1:
		if j < len(f) && IsHan(f[j]) {
			l.add(i, j+1, Identifier)
			return j + 1
		} else if l.runes != nil && unicode.IsUpper(l.runes[i]) && i > 0 && (f[i] != 'i' && f[i] != 'a' || !l.sentenceStart(i)) {
			if f[i] != 'i' {
				l.add(i, j, Identifier)
			}
		}
	default:
		l.latin(i, j)
	}
	return j
}

// sentenceStart reports whether only spaces stand between i and a full stop or the
// start of the text.
func (l *lexer) sentenceStart(i int) bool {
	for k := i - 1; k >= 0 && i-k < 8; k-- {
		switch l.folded[k] {
		case ' ', '"', '“', '(', '\'':
			continue
		case '.', '!', '?', '\n', ':', ';', '。', '-', '*', '|', '>', '#':
			return true
		}
		return false
	}
	return true
}

// joins reports whether r between a and b belongs to a number or a word.
func joins(r, a, b rune) bool {
	switch r {
	case '.', ',':
		return isDigit(a) && isDigit(b)
	case '\'', '’':
		return !isDigit(a)
	}
	return false
}

// identJoin reports whether the sign at j holds together an identifier that begins
// at i: one side of it has a digit and they are not both numbers.
func identJoin(f []rune, i, j int) bool {
	switch f[j] {
	case '-', '_', '.', '/':
	default:
		return false
	}
	left, lt := false, false
	for k := j - 1; k >= i && j-k < 24; k-- {
		left = left || isDigit(f[k])
		lt = lt || !isDigit(f[k]) && isWordRune(f[k])
	}
	right, rt := false, false
	for k := j + 1; k < len(f) && k-j < 24 && isWordRune(f[k]) && !IsHan(f[k]); k++ {
		right = right || isDigit(f[k])
		rt = rt || !isDigit(f[k])
	}
	if f[j] == '-' && left && !lt && rt && !right { // 24-hour
		return false
	}
	if f[j] == '/' {
		return lt && right && !rt
	}
	return (left || right) && (lt || rt)
}

// ordinalTail reports whether s is digits with a short letter ending that is no
// identifier: 1st, 20th, 1990s.
func ordinalTail(s string) bool {
	k := 0
	for k < len(s) && s[k] >= '0' && s[k] <= '9' {
		k++
	}
	switch s[k:] {
	case "st", "nd", "rd", "th", "s":
		return k > 0
	}
	return false
}

// apostrophe is where the first apostrophe of a word stands, in bytes; -1 for none.
func apostrophe(w string) int {
	for i := 0; i < len(w); i++ {
		if w[i] == '\'' || w[i] >= 0x80 {
			return strings.IndexAny(w, "'’")
		}
	}
	return -1
}

// latin adds the word [i,j), without a possessive ending, unless it is a stop word.
func (l *lexer) latin(i, j int) {
	w := l.slice(i, j)
	if k := apostrophe(w); k > 0 {
		tail := strings.TrimLeft(w[k:], "'’")
		switch tail {
		case "s", "":
			w = w[:k]
			j = i + len([]rune(w))
		case "t", "re", "ve", "ll", "d", "m":
			return
		}
	}
	if stopWords[w] {
		return
	}
	stem, ok := l.stems[w]
	if !ok {
		stem = strings.Clone(cachedStem(w))
		if len(l.stems) >= keptStems {
			clear(l.stems)
		}
		l.stems[strings.Clone(w)] = stem
	}
	l.out = append(l.out, Term{Text: stem, Span: Span{i, j}, Kind: Word})
}

// han reads the run of Han characters at i and returns its end.
func (l *lexer) han(i int) int {
	f := l.folded
	start := i
	p := i
	for p < len(f) && IsHan(f[p]) {
		if l.match != nil {
			if e, id, ok := l.match(f, p); ok && e > p+1 {
				l.piece(start, p)
				l.out = append(l.out, Term{Text: l.slice(p, e), Span: Span{p, e}, Kind: Concept, Concept: id})
				p, start = e, e
				continue
			}
		}
		end, class, ok := hanWords.longest(f, p)
		switch {
		case !ok:
			p++
		case class == keepWord:
			p = end
		default:
			l.piece(start, p)
			p, start = end, end
		}
	}
	l.piece(start, p)
	return max(p, i+1)
}

// piece adds the terms of a run of Han characters without function words.
func (l *lexer) piece(s, e int) {
	n := e - s
	switch {
	case n <= 0:
	case n == 1:
		l.add(s, e, HanSingle)
	case n == 2:
		l.add(s, e, HanPair)
	default:
		if n <= 4 {
			l.add(s, e, HanRun)
		}
		for k := s; k+2 <= e; k++ {
			l.add(k, k+2, HanPair)
		}
	}
}
