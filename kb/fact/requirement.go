package fact

import (
	"strings"

	"suffice.dev/suffice/text"
)

// That one thing takes another is said in Chinese in many forms, half of which deny
// something: 须经批准, 未经批准不得, 经批准方可, 只有会员才能, 非会员不能. Word for word they are
// opposites. This file reads what is done (act) and what it takes (need) out of each form, and
// compares these.

// requirement is one statement of that kind.
type requirement struct {
	act, need string
	kind      requirementKind
}

type requirementKind uint8

const (
	takes    requirementKind = iota + 1 // no act without the need
	suffices                            // with the need the act may be done
	free                                // the act may be done without the need
)

// Parts of the forms.
const (
	reqMust   = `(?:必须|务必|应当|需要|须|需|应|要)(?:先|事先|提前|预先)?`
	reqBy     = `(?:经过|经由|经|凭借|凭|取得|获得|征得|持有|持|出示)`
	reqNot    = `(?:一律|均|都|就|则|也)?(?:不得|不能|不可以|不可|不准|不许|不允许|禁止|不予|概不|无法|谢绝)`
	reqOnly   = `(?:方可|方能|方得|才能够|才能|才可以|才可|才予|才)`
	reqMay    = `(?:也|都|亦|均|就|即)?(?:可以|能够|可|能|准许|允许|准予)`
	reqAfter  = `(?:以后|之后|后|的|者)?[，,]?`
	reqWithin = `([^，,。；;]{2,24}?)`
)

var requirementForms = []struct {
	form      *guardedPattern
	kind      requirementKind
	act, need []int // groups
}{
	// 未经园方批准，不得入园拍摄
	{guarded(`^([^，,]*?)(?:未经过|未经|不经过|不经|没有经过|未取得|没有取得|未获得|未获|未持有|未持|不持|未出示|不出示|未凭|不凭|没有|无|未)` + reqWithin + reqAfter + reqNot + `(.{2,})$`), takes, []int{1, 3}, []int{2}},
	// 非会员不能预订
	{guarded(`^([^，,]*?)(?:并非|不是|非)` + reqWithin + `(?:的人|的|者)?[，,]?` + reqNot + `(.{2,})$`), takes, []int{1, 3}, []int{2}},
	// 只有会员才能预订
	{guarded(`^([^，,]*?)(?:只有|唯有)(?:是)?` + reqWithin + reqAfter + `(?:` + reqOnly + `|` + reqMay + `)(.{2,})$`), takes, []int{1, 3}, []int{2}},
	// 拍摄须经园方批准，方可进行
	{guarded(`^([^，,]+?)` + reqMust + reqBy + reqWithin + reqAfter + reqOnly + `(.{2,})$`), takes, []int{1, 3}, []int{2}},
	// 拍摄须经园方批准
	{guarded(`^([^，,]{2,}?)` + reqMust + reqBy + reqWithin + `(?:后|的)?$`), takes, []int{1}, []int{2}},
	// 经园方批准，方可拍摄
	{guarded(`^([^，,]*?)` + reqBy + reqWithin + reqAfter + reqOnly + `(.{2,})$`), takes, []int{1, 3}, []int{2}},
	// 包厢仅限会员预订
	{guarded(`^([^，,]{2,}?)(?:仅限于|仅限|只限于|只限)([^，,。；;]{2,16})$`), takes, []int{1, 2}, []int{2}},
	// 未经批准也可以拍摄, 非会员可以预订
	{guarded(`^([^，,]*?)(?:未经|不经|没有|无|不凭|不持|未持|不出示|未出示|不带|并非|不是|非)` + reqWithin + `(?:的人|的|者)?[，,]?` + reqMay + `(.{2,})$`), free, []int{1, 3}, []int{2}},
	// 拍摄无须园方批准
	{guarded(`^([^，,]{2,}?)(?:无须|无需|不需要|不需|不用|不必|毋须)(?:再|先|事先|提前)?` + reqBy + `?` + reqWithin + `$`), free, []int{1}, []int{2}},
	// 经园方批准，可以拍摄
	{guarded(`^([^，,]*?)` + reqBy + reqWithin + reqAfter + reqMay + `(.{2,})$`), suffices, []int{1, 3}, []int{2}},
}

// requirementIn reads a requirement out of a folded stretch; false for none.
func requirementIn(s string) (requirement, bool) {
	s = strings.TrimRight(strings.TrimSpace(withoutRemoval(s)), "。.；;！!，,")
	if n := len([]rune(s)); n < 6 || n > 64 {
		return requirement{}, false
	}
	for _, f := range requirementForms {
		m := f.form.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		join := func(groups []int) string {
			var out []string
			for _, g := range groups {
				out = append(out, strings.ReplaceAll(m[g], "□", "除"))
			}
			return strings.Join(out, " ")
		}
		return requirement{join(f.act), join(f.need), f.kind}, true
	}
	return requirement{}, false
}

// requirementAt is a requirement that a sentence of a page states.
type requirementAt struct {
	requirement
	sentence, clause int
}

// requirementsOf lists what the sentences of a page require, once: by clauses between commas,
// each alone and with the one behind it.
func (s *sheet) requirementsOf() []requirementAt {
	return *s.required.get(0, func() *[]requirementAt {
		out := []requirementAt{}
		for i, info := range s.page.Sentences {
			if info.Kind == HeadingLine || info.Kind == HeaderRow || info.Kind == Row || info.Kind == Code || info.Clauses[0] >= info.Clauses[1] {
				continue
			}
			said := s.sentenceText(i)
			if !strings.ContainsFunc(said, text.IsHan) {
				continue
			}
			pieces := strings.FieldsFunc(said, func(r rune) bool { return strings.ContainsRune("，,。；;！!", r) })
			for n := range pieces {
				tries := []string{pieces[n]}
				if n+1 < len(pieces) {
					tries = append(tries, pieces[n]+"，"+pieces[n+1])
				}
				for _, t := range tries {
					if r, ok := requirementIn(t); ok {
						out = append(out, requirementAt{r, i, s.clauseAtText(info.Clauses, pieces[n])})
					}
				}
			}
		}
		return &out
	})
}

// clauseAtText is the clause of a range that has a folded stretch; the first one where none has.
func (s *sheet) clauseAtText(clauses [2]int, said string) int {
	for c := clauses[0]; c < clauses[1]; c++ {
		if strings.Contains(s.clauseText(c), said) {
			return c
		}
	}
	return clauses[0]
}

// Limits of two requirements that are one.
const (
	leastNeed = 0.6 // of the words of what a claim says it takes
	leastAct  = 0.6 // of the words of what is done
	actBack   = 0.4 // of the words of what is done in the source
)

// requires judges a claim that one thing takes another by the sources that say so in
// whatever form; false where it is none, or no source speaks of both.
func (k *Checker) requires(c Claim) (Support, bool) {
	said := fold(c.Page.Quote(c.Span))
	if !strings.ContainsFunc(said, text.IsHan) {
		return Support{}, false
	}
	mine, ok := requirementIn(said)
	if !ok {
		return Support{}, false
	}
	need, act := k.engine.wording(mine.need, nil), k.engine.wording(mine.act, nil)
	if need.total < 1.5 || act.total < 1.5 {
		return Support{}, false
	}
	var best *Support
	for p, v := range k.views {
		if foreign(c.Page, v.page) || !k.speaks(c, nil, v) {
			continue
		}
		for _, r := range v.requirementsOf() {
			theirNeed, theirAct := k.engine.wording(r.need, nil), k.engine.wording(r.act, nil)
			if theirNeed.total < 1.5 || need.scoreOn(bagOf(theirNeed)) < leastNeed || theirNeed.scoreOn(bagOf(need)) < leastNeed && !strings.Contains(r.act, r.need) {
				continue
			}
			cells := act.cover(bagOf(theirAct)).cells
			lift(act, cells, v.frameBag(), 0.8)
			lift(act, cells, v.clauseBag(r.clause), 0.8)
			if act.score(cells) < leastAct || theirAct.scoreOn(bagOf(act, need)) < actBack || otherDigits(said, v.sentenceText(r.sentence)) {
				continue
			}
			s := Support{Ground: OnStance, Evidence: []Ref{{Page: p, Fact: -1, Span: v.page.Sentences[r.sentence].Span, Score: act.score(cells)}}}
			switch {
			case mine.kind == takes && r.kind == suffices:
				continue // that it will do does not say that it takes it
			case mine.kind != free && r.kind != free:
				s.Verdict, s.Probability = SupportedClaim, 0.9
			case mine.kind == free && r.kind == free:
				s.Verdict, s.Probability = SupportedClaim, 0.9
			case mine.kind == suffices || r.kind == suffices:
				continue // that it may be done with it does not say that it may not be done without it
			default:
				s.Verdict, s.Probability, s.Reason = ContradictedClaim, 0.04, "the source requires otherwise"
			}
			if best == nil || s.Verdict == SupportedClaim && best.Verdict != SupportedClaim {
				best = &s
			}
		}
	}
	if best == nil {
		return Support{}, false
	}
	return *best, true
}

// otherDigits reports whether a text has a number that another one has not, in digits or in
// Chinese numerals; 一 alone is in too many words that are no number.
func otherDigits(a, b string) bool {
	have := allNumbersIn(text.Fold([]rune(b)))
	for n := range allNumbersIn(text.Fold([]rune(a))) {
		if n != "1" && !have[n] {
			return true
		}
	}
	return false
}
