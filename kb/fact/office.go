package fact

import (
	"regexp"
	"strings"

	"suffice.dev/suffice/text"
)

// Two holders exclude each other where they hold one office or did one deed. The first
// director is not the present one, a deputy is not whose deputy he is, and who designed a
// bridge need not have built it. In Chinese such words are one or two characters beside a
// long name, so that no measure of shared words sees them.

// officeRanks set one office apart from another of the same name.
var officeRanks = []struct {
	rank string
	form *regexp.Regexp
}{
	{"first", regexp.MustCompile(`首任|第一任|首届|创始|创会|创办`)},
	{"former", regexp.MustCompile(`前任|原任|上任|上一任|上届|历任|往届|曾任|时任|(?:^|[^目当此以之])[前原]\p{Han}{2,4}$`)},
	{"deputy", regexp.MustCompile(`副\p{Han}{1,4}$`)},
	{"acting", regexp.MustCompile(`代理\p{Han}{1,4}$|临时\p{Han}{2,4}$`)},
	{"honorary", regexp.MustCompile(`名誉|荣誉`)},
	{"next", regexp.MustCompile(`候任|拟任|下任|下一任|下届`)},
	{"assistant", regexp.MustCompile(`助理$`)},
}

// leftOffice matches a sentence that says that somebody has left.
var leftOffice = regexp.MustCompile(`卸任|离任|去职|退休|调离|调任|辞去|不再担任`)

// deeds are verbs that end a Chinese clause about who did something; those of one line are
// one deed.
var deeds = []*regexp.Regexp{
	regexp.MustCompile(`(?:承建|建造|修建|兴建|施工|承造|营建)$`), regexp.MustCompile(`设计$`), regexp.MustCompile(`监理$`), regexp.MustCompile(`(?:投资|出资|捐建|捐资)$`),
	regexp.MustCompile(`(?:运营|经营|管理|托管)$`), regexp.MustCompile(`(?:维护|养护|保养|维修)$`), regexp.MustCompile(`主办$`), regexp.MustCompile(`承办$`), regexp.MustCompile(`协办$`),
	regexp.MustCompile(`(?:编写|撰写|执笔|编著|创作)$`), regexp.MustCompile(`(?:翻译|译)$`), regexp.MustCompile(`(?:审定|审校|校对|审核)$`), regexp.MustCompile(`(?:批准|审批|核准)$`),
	regexp.MustCompile(`(?:制作|摄制|出品)$`), regexp.MustCompile(`(?:生产|制造)$`), regexp.MustCompile(`安装$`), regexp.MustCompile(`验收$`), regexp.MustCompile(`(?:供货|供应|提供)$`), regexp.MustCompile(`(?:发现|发掘)$`),
}

// deedOf is the line of deeds that a text ends with, -1 for none.
func deedOf(s string) int {
	for i, d := range deeds {
		if d.MatchString(s) {
			return i
		}
	}
	return -1
}

// rankOf says which of the holders of an office a clause names: "" = the present one, as far
// as it says. before is the folded text in front of the name, behind the rest of the sentence.
func rankOf(before, behind string) string {
	before = strings.TrimRight(before, "是为由系：: ")
	for _, r := range officeRanks {
		if r.form.MatchString(before) {
			return r.rank
		}
	}
	if leftOffice.MatchString(behind) {
		return "former"
	}
	return ""
}

// otherOffice reports whether two clauses that each name a holder speak of two offices or
// deeds. Clauses in English are told apart by their words alone.
func (x *comparer) otherOffice(ra, rb Ref, m overlap) bool {
	na, oka := x.holderOf(ra, rb)
	nb, okb := x.holderOf(rb, ra)
	if !oka || !okb {
		return false
	}
	va, vb := x.views[ra.Page], x.views[rb.Page]
	beforeA, afterA, restA := va.around(x.fact(ra), na)
	beforeB, afterB, restB := vb.around(x.fact(rb), nb)
	a, b := rankOf(beforeA, restA), rankOf(beforeB, restB)
	if a != b && !(a+b == "firstformer" || a+b == "formerfirst") {
		return true
	}
	// What each did: 由甲承建 and 由乙设计. A verb behind a name is read as part of it.
	if a, b := deedOf(string(va.foldedText()[na.Start:na.End])+afterA), deedOf(string(vb.foldedText()[nb.Start:nb.End])+afterB); a >= 0 && b >= 0 && a != b {
		return true
	}
	if afterA != "" && afterB != "" && !strings.ContainsAny(afterA, afterB) {
		wa, wb := x.wording(afterA, nil), x.wording(afterB, nil)
		if wa.total > 0 && wb.total > 0 && wa.scoreOn(bagOf(wb)) < 0.3 {
			return true
		}
	}
	// What each is said of: the humidity and the temperature.
	return x.saysOther(va, m.gapsA, na) && x.saysOther(vb, m.gapsB, nb)
}

// holderOf is the name that the clause of one of two facts gives, in Chinese.
func (x *comparer) holderOf(r, other Ref) (text.Span, bool) {
	v, f := x.views[r.Page], x.fact(r)
	if !v.chinese(r.Fact) {
		return text.Span{}, false
	}
	if f.Value.Kind == EntityValue {
		return f.Value.Span, true
	}
	c, o := v.clauseOf(f), x.views[other.Page].clauseOf(x.fact(other))
	if c == nil || o == nil {
		return text.Span{}, false
	}
	name, _, ok := holders(v.foldedText(), c.Span, x.views[other.Page].foldedText(), o.Span, x.reach(r).marks&x.reach(other).marks)
	return name, ok
}

// around is what stands before a name in its clause, what follows it there up to a comma,
// and what its sentence has behind it; folded.
func (v *view) around(f *Fact, name text.Span) (before, after, rest string) {
	c := v.clauseOf(f)
	if c == nil || !c.Contains(name) {
		return "", "", ""
	}
	folded := v.foldedText()
	end := name.End
	for end < c.End && folded[end] != ',' && folded[end] != '，' {
		end++
	}
	last := max(c.End, v.page.Sentences[c.Sentence].End)
	return string(folded[c.Start:name.Start]), string(folded[name.End:end]), string(folded[name.End:last])
}

// saysOther reports whether a clause has words in front of a name or around it, up to a
// comma, that the other clause lacks.
func (x *comparer) saysOther(v *view, gaps []text.Span, name text.Span) bool {
	for _, g := range gaps {
		if g.Overlaps(name) || g.Len() < 2 || hasComma(v.page.Runes, min(g.Start, name.Start), max(g.End, name.End)) {
			continue
		}
		return true
	}
	return false
}
