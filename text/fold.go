package text

import (
	"unicode"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// Fold returns the text in the form in which everything is compared: NFKC and
// lower case, code point by code point, so that offsets stay what they were.
// Compatibility characters that expand (㎡, ½, ﬁ) keep their own code point unless
// their form is one code point long; the quantity reader knows those signs itself.
func Fold(runes []rune) []rune {
	out := make([]rune, len(runes))
	for i, r := range runes {
		out[i] = FoldRune(r)
	}
	return out
}

// FoldRune folds one code point.
func FoldRune(r rune) rune {
	switch {
	case r < 0x80:
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	case r >= 0x4e00 && r <= 0x9fff:
		return r
	case r == 0x3000 || r == 0xa0:
		return ' '
	case r >= 0xff01 && r <= 0xff5e:
		return FoldRune(r - 0xfee0)
	}
	if folded, ok := single(r); ok {
		r = folded
	}
	return unicode.ToLower(r)
}

// single gives the NFKC form of r if it is one code point.
func single(r rune) (rune, bool) {
	var buf [4]byte
	n := copy(buf[:], string(r))
	if norm.NFKC.QuickSpan(buf[:n]) == n {
		return r, false
	}
	out := []rune(string(norm.NFKC.Bytes(buf[:n])))
	if len(out) != 1 {
		return r, false
	}
	return out[0], true
}

// IsHan reports whether r is a Chinese character (not punctuation).
func IsHan(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r == '〇' || r >= 0x20000 && r <= 0x2ffff
}

// IsWord reports whether r belongs to a Latin-script word, number or identifier.
func IsWord(r rune) bool {
	return !IsHan(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r))
}

// Language is zh, en or mixed, by the share of Chinese characters among letters:
// a Chinese character weighs as much as two Latin letters, since it says as much.
func Language(s string) string {
	han, latin := 0, 0
	for _, r := range s {
		switch {
		case IsHan(r):
			han += 2
		case unicode.IsLetter(r):
			latin++
		}
	}
	switch {
	case han == 0:
		return "en"
	case latin == 0 || han >= 3*latin:
		return "zh"
	case latin >= 6*han:
		return "en"
	}
	return "mixed"
}

// Stem is the Porter2 stem of a folded English word, of an irregular past form that of its
// verb (built, build); words of other scripts, numbers and short words come back unchanged.
func Stem(word string) string {
	if base, ok := irregular[word]; ok {
		word = base
	}
	if len(word) < 4 {
		return word
	}
	for i := 0; i < len(word); i++ {
		if c := word[i]; (c < 'a' || c > 'z') && c != '\'' {
			return word
		}
	}
	return english.Stem(word, false)
}
