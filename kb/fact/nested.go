package fact

import (
	"slices"
	"strings"

	"suffice.dev/suffice/text"
)

// Two places do not exclude each other where one lies in the other: a firm is in a town, on a
// street of it, and the town is in a county.

// levels end the parts of a Chinese place and say of what size each is.
const levels = "洲国省州市区县旗镇乡村路街道巷弄号楼层室"

// oneLevel are signs for parts of one size: a street is in no other street.
var oneLevel = strings.NewReplacer("街", "路", "道", "路", "巷", "路", "弄", "路", "旗", "县", "乡", "镇")

// nested reports whether the places of two facts can be one place, told on two levels, or
// whether one of the facts is about the place that the other names.
func nested(va *view, fa *Fact, vb *view, fb *Fact) bool {
	a, okA := va.placeOf(fa)
	b, okB := vb.placeOf(fb)
	if !okA || !okB {
		return false
	}
	if va.beginsWithPlace(fa, a, vb.page.Quote(b)) || vb.beginsWithPlace(fb, b, va.page.Quote(a)) {
		return true
	}
	return otherLevels(va.page.Quote(a), vb.page.Quote(b))
}

// otherLevels reports whether two places are named on levels of which they have none in common.
func otherLevels(a, b string) bool {
	la, lb := placeLevels(a), placeLevels(b)
	for _, l := range la {
		if slices.Contains(lb, l) {
			return false
		}
	}
	return len(la) > 0 && len(lb) > 0
}

// placeOf is the place that the clause of a fact names as its value.
func (v *view) placeOf(f *Fact) (text.Span, bool) {
	c := v.clauseOf(f)
	if c == nil {
		return text.Span{}, false
	}
	for i := c.Facts[0]; i < c.Facts[1] && i < len(v.page.Facts); i++ {
		if o := &v.page.Facts[i]; o.Role == Location && o.Value.Kind == EntityValue && !o.Value.Span.Empty() {
			return o.Value.Span, true
		}
	}
	return text.Span{}, false
}

// beginsWithPlace reports whether what the clause of a fact says before its own place has the
// name of the other's.
func (v *view) beginsWithPlace(f *Fact, own text.Span, other string) bool {
	c := v.clauseOf(f)
	if own.Start <= c.Start {
		return false
	}
	name := fold(other)
	for _, p := range [...]string{"in ", "on ", "at ", "near ", "the "} {
		name = strings.TrimPrefix(name, p)
	}
	return name != "" && strings.Contains(string(v.foldedText()[c.Start:own.Start]), name)
}

// placeLevels says of what sizes the parts of a place are: the signs that end the parts of its
// Chinese name (鹭川市滨河路: 市 and 路), or the English preposition before it; none where it is not
// said.
func placeLevels(place string) []string {
	if !text.IsHan(firstRune(place)) {
		word, _, _ := strings.Cut(strings.ToLower(place), " ")
		switch word {
		case "in", "on", "at":
			return []string{word}
		}
		return nil
	}
	var out []string
	since := 0 // signs since the last level: a part has a name
	for _, r := range place {
		switch {
		case !strings.ContainsRune(levels, r):
			since++
		case since > 0:
			out, since = append(out, oneLevel.Replace(string(r))), 0
		case len(out) > 0: // 岚州市: the sign before belongs to the name
			out[len(out)-1] = oneLevel.Replace(string(r))
		}
	}
	return out
}
