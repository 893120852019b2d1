package fact

import (
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/text"
)

// What a question supposes is not what it asks: that the tour was called off does not tell
// why, and that a thing does not belong to one owner does not tell to whom it does.

// leastRestated is the least share of a question why that a sentence has which tells the event.
const leastRestated = 0.6

// leastCause is the least length of what may tell a cause, in characters.
const leastCause = 5

var (
	// sentenceParts part a sentence.
	sentenceParts = regexp.MustCompile(`[，,；;：:。.]+`)
	// timeAlone matches a part of a sentence that says when, and nothing else.
	// toCome matches a part that says what follows from the event, or is still to come.
	toCome    = regexp.MustCompile(`另行|恢复|届时|将|敬请|详见|请|退|改|\b(?:will|shall|may|can|please|refund\w*|instead|resume\w*|see|contact|hold|holders)\b`)
	timeAlone = regexp.MustCompile(`^\s*(?:[0-9一二三四五六七八九十年月日号时点分上下午早晚当起自从至到底初中旬今明去昨本周星期天夜凌晨每\s]+|(?:on|in|at|since|from|by|last|this)\b[\w\s]{0,24}|\w+day)\s*$`)
)

// BareEvent reports whether the sentences that a stretch of a page touches only tell the event
// whose cause a need asks for: they have its words, no form of a cause, and no clause before
// the event, where a cause stands that nothing marks.
func (r *Round) BareEvent(need *Need, page int, stretch text.Span) bool {
	if need.Class != "CAUSE" {
		return false
	}
	n, v := r.engine.prepare(need, r.st), r.views[page]
	told := false
	for i, s := range v.page.Sentences {
		if s.Start >= stretch.End || stretch.Start >= s.End {
			continue
		}
		if saysCause(v.sentenceText(i)) || s.Kind == Row {
			return false
		}
		parts := sentenceParts.Split(v.sentenceText(i), -1)
		best, at, whole := 0.0, -1, newBag(16)
		for k, part := range parts {
			w := r.engine.wording(part, nil)
			if share := n.all.scoreOn(bagOf(w)); share > best {
				best, at = share, k
			}
			r.engine.addText(whole, part, 1)
		}
		if n.all.scoreOn(whole) < leastRestated {
			return false
		}
		// Behind a colon or semicolon what tells the event goes on with its cause, unmarked.
		after := ""
		for k, sep := range sentenceParts.FindAllString(v.sentenceText(i), -1) {
			if k >= at && k+1 < len(parts) && strings.ContainsAny(sep, "；;：:") {
				after = parts[k+1]
				break
			}
		}
		if r := v.page.Runes; after == "" && i+1 < len(v.page.Sentences) && s.End > s.Start && strings.ContainsRune("；;：:", r[s.End-1]) {
			after = v.sentenceText(i + 1)
		}
		if len([]rune(after)) >= leastCause && !timeAlone.MatchString(after) && !toCome.MatchString(after) {
			return false
		}
		for k := range max(at, 0) { // what stands before the event may be its cause, unmarked
			if len([]rune(parts[k])) >= leastCause && !timeAlone.MatchString(parts[k]) {
				return false
			}
		}
		told = true
	}
	return told
}

// Marks of a relation that is denied, and of one that has ended.
var (
	deniedBefore = regexp.MustCompile(`(?:互不|并不|并非|没有|并无|毫无|不|无|未|非)[^，。；]{0,2}$|\b(?:not|never|neither|nor|no)\b[^,.;]{0,24}$`)
	askedDenied  = regexp.MustCompile(`不|没|未|无|\bnot\b|n't\b|\bno\b|\bnever\b`)
	noLonger     = regexp.MustCompile(`不再|已不|\bno longer\b|\bany ?more\b`)
)

// holderDenied reports whether the pages speak of the relation whose holder a need asks for
// (to whom a thing belongs, who runs it) only to deny it.
func (r *Round) holderDenied(n *prepared) bool {
	if n.Expect != "ENTITY" && n.Expect != "PLACE" || n.Class == "EXCEPTION" || !n.attribute.telling() || askedDenied.MatchString(fold(n.Question)) {
		return false
	}
	denied := false
	for _, v := range r.views {
		for c := range v.page.Clauses {
			said := v.saidBag(c)
			if n.attribute.scoreOn(said) < leastRestated {
				continue
			}
			if n.subject.total > 0 && n.subject.scoreOn(v.clauseBag(c)) < cellCovered {
				continue
			}
			clause := v.marksAt(c).folded
			if noLonger.MatchString(clause) || !n.deniedIn(v, c) {
				return false
			}
			denied = true
		}
	}
	return denied
}

// deniedIn reports whether a clause denies what its words of the asked attribute say.
func (n *prepared) deniedIn(v *view, c int) bool {
	if v.page.Clauses[c].Denied {
		return true
	}
	first := -1
	for _, t := range v.page.Clauses[c].Terms {
		if !t.Span.Empty() && n.attribute.cover(termBag([]Term{t})).score >= cellCovered/2 && (first < 0 || t.Span.Start < first) {
			first = t.Span.Start
		}
	}
	if first < 0 {
		return false
	}
	before := string(v.foldedText()[v.page.Clauses[c].Start:first])
	return deniedBefore.MatchString(before)
}

// deny empties what fills a need whose relation the pages only deny, unless another sentence fills
// it in other words.
func (r *Round) deny(n *prepared, cov *Coverage) {
	if !r.holderDenied(n) {
		return
	}
	kept := slices.DeleteFunc(slices.Clone(cov.Fillers), func(f Ref) bool { return r.inDenial(n, f) })
	if len(kept) > 0 {
		cov.Fillers = kept
		return
	}
	cov.State, cov.Near, cov.Fillers, cov.Excluded = StateEmpty, slices.Concat(cov.Fillers, cov.Near), nil, true
}

// inDenial reports whether a find stands in a sentence that denies the relation a need asks for.
func (r *Round) inDenial(n *prepared, f Ref) bool {
	v := r.views[f.Page]
	for _, s := range v.page.Sentences {
		if s.Start >= f.Span.End || f.Span.Start >= s.End {
			continue
		}
		for c := s.Clauses[0]; c < s.Clauses[1]; c++ {
			if v.page.Clauses[c].Denied || n.attribute.scoreOn(v.saidBag(c)) >= leastRestated && n.deniedIn(v, c) {
				return true
			}
		}
	}
	return false
}
