package quantity

import (
	"strings"

	"suffice.dev/suffice/text"
)

// stopWords never belong to a counted thing.
var stopWords = wordSet(`a an the of in on at to for from by with without and or but nor as is are was were be been being has have had do does did
will would shall should can could may might must not no than then that this these those which who whom whose what when where while if unless until since
after before during per each every about above below under over between into onto out up down off through via against among within towards
it its he she they we you i his her their our your my them him us me there here so such only also just still more less fewer most least
ago later earlier now today yesterday plus minus times percent because although though however therefore its both either neither all any some
january february march april may june july august september october november december am pm respectively compared versus vs rose fell grew
said says made took came went got gave paid costs cost runs run opened closed became remained stood reached were`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// irregular plurals, with the singular that names the thing.
var irregular = map[string]string{"people": "person", "persons": "person", "person": "person", "men": "man", "women": "woman", "children": "child",
	"feet": "foot", "mice": "mouse", "geese": "goose", "teeth": "tooth", "staff": "staff", "aircraft": "aircraft", "sheep": "sheep", "fish": "fish",
	"personnel": "personnel", "species": "species", "series": "series", "data": "data", "media": "media", "criteria": "criterion", "phenomena": "phenomenon",
	"indices": "index", "matrices": "matrix", "lives": "life", "wives": "wife", "halves": "half", "shelves": "shelf", "leaves": "leave", "police": "police", "cattle": "cattle",
	"alumni": "alumnus", "crew": "crew", "headquarters": "headquarters", "offspring": "offspring", "spacecraft": "spacecraft", "salmon": "salmon", "livestock": "livestock"}

// nounName is the normalised name of a counted thing.
func nounName(w string) string {
	if n := irregular[w]; n != "" {
		return n
	}
	return text.Stem(w)
}

// pluralLike reports a word that looks like a plural noun.
func pluralLike(w string) bool {
	if irregular[w] != "" {
		return true
	}
	if len(w) < 4 || w[len(w)-1] != 's' {
		return false
	}
	switch w[len(w)-2] {
	case 's', 'u', 'i':
		return false
	}
	return true
}

// nounAfter finds the English noun phrase behind a number: up to three describing
// words and a plural head, or after one the next word.
func (s *scanner) nounAfter(end int, n number, pre context) (unitHit, bool) {
	j := s.space(end)
	if j == end {
		if c := s.at(end); (c == '-' || c == '‑') && isLetter(s.at(end+1)) {
			// a 12-seat minibus, 64-room
			w, e := s.word(end + 1)
			if w == "" || len(w) < 3 || stopWords[w] {
				return unitHit{}, false
			}
			return unitHit{end: e, noun: text.Span{Start: end + 1, End: e}, name: nounName(w)}, true
		}
		return unitHit{}, false
	}
	if pre.currency != nil || n.ratio || !isLetter(s.at(j)) || s.at(j) > 0x7f {
		return unitHit{}, false
	}
	k := j
	for words := 0; words < 4; words++ {
		w, e := s.word(k)
		if w == "" || stopWords[w] || isDigit(s.at(e)) {
			break
		}
		hyphen := s.at(e) == '-' && isLetter(s.at(e+1))
		if !hyphen && pluralLike(w) && len(w) > 2 {
			// "sales representatives": the head is the last plural in a row.
			if k2 := s.blanks(e); k2 > e {
				if w2, e2 := s.word(k2); pluralLike(w2) && !stopWords[w2] && irregular[w2] == "" && irregular[w] == "" && strings.HasSuffix(w2, "ers") {
					return unitHit{end: e2, noun: text.Span{Start: j, End: e2}, name: nounName(w2)}, true
				}
			}
			return unitHit{end: e, noun: text.Span{Start: j, End: e}, name: nounName(w)}, true
		}
		if n.weak && words == 0 && !hyphen && len(w) > 1 {
			return unitHit{end: e, noun: text.Span{Start: j, End: e}, name: nounName(w)}, true
		}
		if hyphen {
			k = e + 1
			words--
			if k-j > 60 {
				break
			}
			continue
		}
		k2 := s.blanks(e)
		if k2 == e || !isLetter(s.at(k2)) || s.at(k2) > 0x7f {
			if s.at(e) == '\n' && isLetter(s.at(e+1)) {
				k = e + 1
				continue
			}
			break
		}
		k = k2
	}
	return unitHit{}, false
}
