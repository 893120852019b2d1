package rerank

import (
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// needsOf turns the asked slots of an analysis into needs, in slot order. index
// maps each need back to its slot.
func needsOf(a kb.Analysis) (needs []fact.Need, index []int) {
	from, to := a.Period()
	var subject, attribute []string
	var given []string
	for _, s := range a.Slots {
		if s.Role != kb.Given || s.Value == "" {
			continue
		}
		switch name := baseName(s.Name); {
		case strings.HasPrefix(name, "subject"):
			subject = append(subject, s.Value)
		case name == "attribute":
			attribute = append(attribute, s.Value)
		case name == "time":
		default:
			given = append(given, s.Value)
		}
	}
	sides := sidesOf(a)
	var compared []string
	for _, s := range a.Slots {
		if s.Role == kb.Given && (s.Name == "subject_a" || s.Name == "subject_b") {
			compared = append(compared, s.Value)
		}
	}
	for i, s := range a.Slots {
		if s.Role != kb.Asked || !s.Required {
			continue
		}
		n := fact.Need{
			Name: s.Name, Class: string(a.Class), Question: a.Question,
			Subject: s.Subject, Attribute: s.Attribute, Given: given,
			Expect: string(s.Expect), Unit: s.Unit, Count: s.Count, From: from, To: to,
		}
		if a.Time != nil {
			n.HasTime = a.Time.Text != ""
			n.TimeText = a.Time.Text
		}
		if n.Subject == "" {
			n.Subject = strings.Join(subject, " ")
		}
		if n.Attribute == "" {
			n.Attribute = strings.Join(others(attribute, a.Slots), " ")
		}
		// A difference between two sides needs what is asked of each.
		if a.Class == kb.Comparison && baseName(s.Name) == "difference" && len(compared) == 2 {
			for k := range compared {
				side := n
				side.Subject, side.Others = compared[k], []string{compared[1-k]}
				if n.Attribute == "" { // the rate limits of two plans: what is compared is the attribute
					side.Attribute = strings.Join(subject, " ")
				}
				if n.Attribute != "" {
					side.Expect = ""
				}
				needs = append(needs, side)
				index = append(index, i)
			}
			continue
		}
		for _, side := range sides {
			if side != n.Subject {
				n.Others = append(n.Others, side)
			}
		}
		for _, part := range eachPlace(n) {
			needs = append(needs, part)
			index = append(index, i)
		}
	}
	return needs, index
}

// others leaves out the attributes that an asked slot has as its own: 首重多少钱，加收多少
// asks the second of one thing only.
func others(attributes []string, slots []kb.Slot) []string {
	var out []string
	for _, x := range attributes {
		if !slices.ContainsFunc(slots, func(s kb.Slot) bool { return s.Role == kb.Asked && s.Required && s.Attribute == x }) {
			out = append(out, x)
		}
	}
	return out
}

// places matches a given part that names two or three places: "London and Tokyo".
var places = regexp.MustCompile(`^(?:in |at )?(\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*)(?:, (\p{Lu}[\p{L}-]+))?,? and (?:in |at )?(\p{Lu}[\p{L}-]+(?: \p{Lu}[\p{L}-]+)*)$`)

// eachPlace makes a need of each place where a question asks for several: an answer
// for one of them is half an answer.
func eachPlace(n fact.Need) []fact.Need {
	for g, given := range n.Given {
		m := places.FindStringSubmatch(given)
		if m == nil {
			continue
		}
		var out []fact.Need
		for k, place := range m[1:] {
			if place == "" {
				continue
			}
			part := n
			part.Given = append(append(append([]string(nil), n.Given[:g]...), place), n.Given[g+1:]...)
			part.Question = strings.Replace(n.Question, given, place, 1)
			for o, other := range m[1:] {
				if o != k && other != "" {
					part.Others = append(part.Others, other)
				}
			}
			out = append(out, part)
		}
		return out
	}
	return []fact.Need{n}
}

// sidesOf lists the different subjects of the asked slots.
func sidesOf(a kb.Analysis) []string {
	var sides []string
	seen := map[string]bool{}
	for _, s := range a.Slots {
		if s.Role == kb.Asked && s.Subject != "" && !seen[s.Subject] {
			seen[s.Subject] = true
			sides = append(sides, s.Subject)
		}
	}
	if len(sides) < 2 {
		return nil
	}
	return sides
}

// baseName is a slot name without its number: value_2 → value.
func baseName(name string) string {
	if i := strings.LastIndexByte(name, '_'); i > 0 && strings.Trim(name[i+1:], "0123456789") == "" {
		return name[:i]
	}
	return name
}

// missingText says in the question's language what a need lacks.
func missingText(a kb.Analysis, n fact.Need, cov fact.Coverage) string {
	what := strings.TrimSpace(n.Attribute)
	whose := strings.TrimSpace(n.Subject)
	if a.Language == "en" {
		switch {
		case what != "" && whose != "" && !strings.Contains(strings.ToLower(whose), strings.ToLower(what)):
			what = what + " (" + whose + ")"
		case what == "" && whose != "":
			what = whose
		case what == "":
			what = strings.TrimSpace(n.Question)
		}
		if cov.General {
			return "The sources state a general rule, but not whether it covers: " + strings.Join(cov.Uncovered, ", ") + "."
		}
		return "Not stated in the sources: " + what + "."
	}
	switch {
	case what != "" && whose != "" && !strings.Contains(whose, what):
		what = whoseWhat(whose, what)
	case what == "" && whose != "":
		what = whose
	case what == "":
		what = strings.TrimSpace(n.Question)
	}
	if cov.General {
		return "资料只有一般规定，没有说明是否适用于：" + strings.Join(cov.Uncovered, "、") + "。"
	}
	return "资料中没有说明：" + what + "。"
}

// whoseWhat joins a subject and an attribute in Chinese. Of an attribute of several parts
// (每人每月 and 高温津贴) the last is what is asked for.
func whoseWhat(whose, what string) string {
	parts := strings.Fields(what)
	last := len(parts) - 1
	if last == 0 || strings.ContainsFunc(strings.Join(parts, ""), func(r rune) bool { return !text.IsHan(r) }) {
		return whose + "的" + what
	}
	return whose + strings.Join(parts[:last], "") + "的" + parts[last]
}

// Needs turns the asked slots of an analysis into needs of the facts engine, in slot
// order, as an assessment does.
func Needs(a kb.Analysis) []fact.Need {
	needs, _ := needsOf(a)
	return needs
}
