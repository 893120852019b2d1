package fact

import (
	"strings"

	"suffice.dev/suffice/text"
)

// 不再供应, 停止供应 and 停供 are one statement: a verb that ends something denies it without a
// negation. The form alone does not tell whether it does: 取消订单 may be what a customer
// does. So it is read only where one of two clauses has such a verb and the other has not.

// endVerbs are verbs that end what follows them, and those that need a sign that it is done
// (已, 起, 了), because others than who offers a thing can do it as well.
var (
	endVerbs  = guarded(`停(?:止|办|售|播|供|发|用|开|映|收|产|刊|招|运|航|驶|演|诊|课|业|订|印|修|建)|暂停|中止|终止|中断|下架|裁撤|撤销|关停|叫停`)
	endMarked = guarded(`(?:已|已经|现已|均|将|起|正式|全面|全部|统一|一律|决定|宣布|年|月|日)(?:取消|撤除|废除|关闭)|(?:取消|撤除|废除|关闭)了`)
	endNoun   = "的期后前时通公手日原因者费"
	undone    = guarded(`(?:未|没有|没|不|尚未|从未|不会|不得|不能|无须|无需|不必|恢复|重新)$`)
)

// ends is the verb with which a clause says that something has ended; empty for none.
func ends(p *Page, c *Clause) text.Span {
	if c.Modality != Plain && c.Modality != Planned {
		return text.Span{}
	}
	folded := string(text.Fold(p.Runes[c.Start:c.End]))
	for _, form := range []*guardedPattern{endVerbs, endMarked} {
		for _, at := range form.FindAllStringIndex(folded, -1) {
			start := c.Start + len([]rune(folded[:at[0]]))
			s := text.Span{Start: start, End: start + len([]rune(folded[at[0]:at[1]]))}
			if conditioned(c, s) || undone.MatchString(folded[:at[0]]) || s.End < c.End && strings.ContainsRune(endNoun, p.Runes[s.End]) {
				continue
			}
			return s
		}
	}
	return text.Span{}
}

// conditioned reports whether a stretch lies in one of the clause's own conditions.
func conditioned(c *Clause, s text.Span) bool {
	for i := range c.Conditions {
		if c.Conditions[i].Span.Overlaps(s) {
			return true
		}
	}
	return false
}

// denies reports which of a clause of a claim and one of a source deny what they say.
func denies(cp *Page, cl *Clause, sp *Page, src *Clause) (claim, source bool) {
	claim, source = cl.Denied != (cl.Modality == MustNot), src.Denied != (src.Modality == MustNot)
	if claim && source {
		return claim, source
	}
	a, b := ends(cp, cl), ends(sp, src)
	if a.Empty() == b.Empty() {
		return claim, source
	}
	if !a.Empty() && !claim {
		claim = !strings.Contains(fold(sp.Quote(src.Span)), endStem(cp.Quote(a)))
	}
	if !b.Empty() && !source {
		source = !strings.Contains(fold(cp.Quote(cl.Span)), endStem(sp.Quote(b)))
	}
	return claim, source
}

// endStem is an ending verb without the signs beside it.
func endStem(s string) string {
	for _, w := range [...]string{"取消", "撤除", "废除", "关闭"} {
		if strings.Contains(s, w) {
			return w
		}
	}
	return s
}
