package bm25

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/text"
)

// Terms returns the index terms of a text in order: Chinese runs as overlapping
// bigrams (a lone character as itself), Latin words stemmed, numbers whole without
// thousands separators, identifiers and model names whole without their separators
// and also by part (QX-20: qx20, qx, 20).
func Terms(s string) []string { return terms(s, nil) }

// terms calls keep for each Han bigram, if it is given, and leaves out those that
// it denies.
func terms(s string, keep func(bigram string) bool) []string {
	runes := text.Fold([]rune(s))
	var out []string
	for i := 0; i < len(runes); {
		switch {
		case text.IsHan(runes[i]):
			end := i
			for end < len(runes) && text.IsHan(runes[end]) {
				end++
			}
			out = han(out, runes[i:end], keep)
			i = end
		case text.IsWord(runes[i]):
			end := compound(runes, i)
			out = latin(out, runes[i:end])
			i = end
		default:
			i++
		}
	}
	return out
}

func han(out []string, run []rune, keep func(string) bool) []string {
	if len(run) == 1 {
		if t := string(run); keep == nil || keep(t) {
			out = append(out, t)
		}
		return out
	}
	for i := 0; i+1 < len(run); i++ {
		if t := string(run[i : i+2]); keep == nil || keep(t) {
			out = append(out, t)
		}
	}
	return out
}

// compound returns the end of the word, number or identifier that begins at i:
// word runes, joined by a separator that stands between two of them.
func compound(runes []rune, i int) int {
	end := i
	for end < len(runes) {
		r := runes[end]
		if text.IsWord(r) {
			end++
			continue
		}
		if end+1 < len(runes) && end > i && text.IsWord(runes[end+1]) && joins(r, runes[end-1], runes[end+1]) {
			end++
			continue
		}
		break
	}
	return end
}

func joins(r, before, after rune) bool {
	switch r {
	case '-', '_', '.', '/':
		return true
	case '\'', '’':
		return unicode.IsLetter(before) && unicode.IsLetter(after)
	case ',':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	}
	return false
}

// latin adds the terms of a compound.
func latin(out []string, run []rune) []string {
	s := strings.ReplaceAll(string(run), "’", "'")
	if number(s) {
		return append(out, strings.ReplaceAll(s, ",", ""))
	}
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' || r == ',' })
	whole := strings.Join(parts, "")
	if len(parts) > 1 && (strings.ContainsRune(s, '_') || strings.ContainsFunc(s, unicode.IsDigit)) {
		out = append(out, whole)
	}
	for _, p := range parts {
		out = append(out, text.Stem(strings.TrimSuffix(p, "'s")))
	}
	if len(parts) == 1 {
		out = mixed(out, parts[0])
	}
	return out
}

// number reports whether s is digits with at most decimal points and thousands
// separators between them.
func number(s string) bool {
	for _, r := range s {
		if !unicode.IsDigit(r) && r != '.' && r != ',' {
			return false
		}
	}
	return true
}

// mixed adds the runs of letters and digits of a name such as qx20 (qx, 20), so
// that it is found when written apart.
func mixed(out []string, word string) []string {
	start, runes := 0, []rune(word)
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && unicode.IsDigit(runes[i]) == unicode.IsDigit(runes[i-1]) {
			continue
		}
		if start == 0 && i == len(runes) {
			return out // of one kind
		}
		out = append(out, string(runes[start:i]))
		start = i
	}
	return out
}

// Packed is the term counts of a chunk: how long it is and how often each term
// occurs, ordered by the hash of the term. It is stored with the chunk, so that
// scoring does not read the text again.
type Packed []byte

// The packed form: length u32, then for each distinct term its hash u32 and count
// u16. Little endian.
const (
	packedHead = 4
	packedTerm = 6
)

// Pack counts the terms.
func Pack(terms []string) Packed {
	hashes := make([]uint32, len(terms))
	for i, t := range terms {
		hashes[i] = hash(t)
	}
	slices.Sort(hashes)
	out := binary.LittleEndian.AppendUint32(make([]byte, 0, packedHead+packedTerm*len(hashes)), uint32(len(hashes)))
	for i := 0; i < len(hashes); {
		j := i
		for j < len(hashes) && hashes[j] == hashes[i] {
			j++
		}
		out = binary.LittleEndian.AppendUint32(out, hashes[i])
		out = binary.LittleEndian.AppendUint16(out, uint16(min(j-i, 1<<16-1)))
		i = j
	}
	return out
}

// Valid reports whether the bytes have the packed form.
func (p Packed) Valid() bool {
	return len(p) >= packedHead && (len(p)-packedHead)%packedTerm == 0
}

// Len is the number of terms of the chunk.
func (p Packed) Len() int {
	if len(p) < packedHead {
		return 0
	}
	return int(binary.LittleEndian.Uint32(p))
}

// hashes hands out the hash of each distinct term.
func (p Packed) hashes() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for at := packedHead; at+packedTerm <= len(p); at += packedTerm {
			if !yield(binary.LittleEndian.Uint32(p[at:])) {
				return
			}
		}
	}
}

// count returns how often the term of this hash occurs.
func (p Packed) count(hash uint32) int {
	lo, hi := 0, (len(p)-packedHead)/packedTerm
	for lo < hi {
		mid := (lo + hi) / 2
		at := packedHead + mid*packedTerm
		switch h := binary.LittleEndian.Uint32(p[at:]); {
		case h == hash:
			return int(binary.LittleEndian.Uint16(p[at+4:]))
		case h < hash:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0
}

func hash(term string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(term)) // a hash never fails
	return h.Sum32()
}
