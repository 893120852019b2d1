package fact

import (
	"strings"

	"suffice.dev/suffice/text"
)

// Two places do not exclude each other where one lies in the other: a firm is in a town, on a
// street of it, and the town is in a county.

// levels end the Chinese name of a place and say of what size it is.
const levels = "洲国省州市区县旗镇乡村路街道巷弄号楼层室"

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
	la, lb := level(va.page.Quote(a)), level(vb.page.Quote(b))
	return la != "" && lb != "" && la != lb
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

// level says of what size a place is: the sign at the end of its Chinese name, or the English
// preposition before it; "" = not said.
func level(place string) string {
	runes := []rune(place)
	if !text.IsHan(firstRune(place)) {
		word, _, _ := strings.Cut(strings.ToLower(place), " ")
		switch word {
		case "in", "on", "at":
			return word
		}
		return ""
	}
	if n := len(runes); n > 2 && strings.ContainsRune("部侧郊面边", runes[n-1]) && strings.ContainsRune("东西南北中", runes[n-2]) {
		runes = runes[:n-2]
	}
	if last := runes[len(runes)-1]; strings.ContainsRune(levels, last) {
		return string(last)
	}
	return ""
}
