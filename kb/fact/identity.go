package fact

import (
	"regexp"
	"strings"

	"suffice.dev/suffice/text"
)

// Who somebody is, is told by a name, or by a word for the person that is linked to
// the asked office; a clause that merely mentions the office tells nothing.

// asksIdentity matches a question for the one who holds an office or the name of a
// thing of a kind.
var asksIdentity = regexp.MustCompile(`\bwho(?:'s| is| are| was| were) (?:the|our|its|your|their|these|those|this)\b|\bname of\b|\bnames of\b|\b(?:is|are|was|were) (?:\w+ ){1,4}called\b|\bwhich (?:firm|company|companies|contractor|body|bodies|bank|supplier|person|agency|institution)\b|是谁|叫什么|名字|姓名|姓什么|哪家(?:公司|单位|机构|银行|企业)`)

// identified reports whether the clause of a fact names somebody or something that the
// question does not, or links another word to what is asked.
func (n *prepared) identified(v *view, f *Fact) bool {
	c := v.clauseOf(f)
	if c == nil || !n.identity {
		return true
	}
	for _, t := range c.Terms {
		if t.Name && !t.Span.Empty() && n.words.word(t.Text) == 0 && !inTimes(c, t.Span) {
			return true
		}
	}
	for i := c.Facts[0]; i < c.Facts[1] && i < len(v.page.Facts); i++ {
		o := &v.page.Facts[i]
		if (o.Role == IsA || o.Role == Agent || v.inTable(o)) && o.Value.Kind != QuantityValue && extra(n, v, o.Value.Span, append(c.Terms, o.Anchors...)) {
			return !v.inTable(o) || o.Value.Kind == EntityValue || text.IsHan(firstRune(o.Value.Text))
		}
	}
	if c.Span.Empty() || !text.IsHan(v.page.Runes[c.Start]) {
		return false
	}
	return n.office(v, c)
}

// office reports whether a Chinese clause has the asked office itself and something
// beside it that can be a name.
func (n *prepared) office(v *view, c *Clause) bool {
	own := newBag(len(c.Terms))
	for _, t := range c.Terms {
		own.add(t.Text, t.Synset, 1)
	}
	if n.attribute.total > 0 && n.attribute.scoreOn(own) < 0.75 {
		return false
	}
	return extra(n, v, c.Span, c.Terms)
}

func inTimes(c *Clause, s text.Span) bool {
	for _, t := range c.Times {
		if t.Span.Overlaps(s) {
			return true
		}
	}
	return false
}

// formerly says that somebody has left the office that follows.
var formerly = regexp.MustCompile(`(?:原任?|前任?|曾任|former|previous|outgoing|ex-?|late)\s*$`)

// left reports whether a clause speaks of one who held the asked office before, where
// the question asks for the one who holds it.
func (n *prepared) left(v *view, f *Fact) bool {
	if n.Expect != "ENTITY" || v.clauseOf(f) == nil {
		return false
	}
	said, question := v.marksAt(f.Clause).folded, fold(n.Question)
	for _, office := range strings.Fields(fold(n.Attribute)) {
		if len(office) < 4 {
			continue
		}
		at := strings.Index(said, office)
		if at < 0 || strings.Count(said, office) > 1 || !formerly.MatchString(said[:at]) {
			continue
		}
		asked := strings.Index(question, office)
		return asked < 0 || !formerly.MatchString(question[:asked])
	}
	return false
}
