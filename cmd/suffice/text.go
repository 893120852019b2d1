package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
)

// phrases are the words of the output for people, in one language.
type phrases struct {
	outcome                                                         map[kb.Outcome]string
	sources, missing, conflicts, stale, clarify, leftOut, truncated string
	version, valid, until, from, hard, soft, preferred              string
	staleReason                                                     map[kb.StaleReason]string
	resolution                                                      map[kb.Resolution]string
	conflict                                                        map[kb.ConflictKind]string
	verdict                                                         map[kb.Verdict]string
	claim                                                           map[kb.ClaimVerdict]string
	state                                                           map[kb.SlotState]string
	colon, open, close                                              string
	question, class, risk, time, given, asked, expansions, decided  string
	contributions                                                   string
	optional, sufficiency, yes, no, support, nothingFound           string
}

var english = phrases{
	outcome: map[kb.Outcome]string{
		kb.Answered: "ANSWERED", kb.Partial: "PARTIAL: part of the answer is not in the documents",
		kb.Insufficient: "INSUFFICIENT: the documents do not hold the answer",
		kb.Conflicting:  "CONFLICTING: the documents contradict each other",
		kb.Clarifying:   "CLARIFY: the question leaves open what is asked",
	},
	sources: "Sources", missing: "Missing", conflicts: "Conflicts", stale: "Out of date", clarify: "Please say",
	leftOut: "Left out", truncated: "Not all of the evidence fitted; the answer may be incomplete.",
	version: "version", valid: "valid", until: "until", from: "from", hard: "hard", soft: "soft", preferred: "preferred",
	staleReason: map[kb.StaleReason]string{kb.Expired: "expired", kb.NotYetValid: "not yet valid", kb.StaleSuperseded: "superseded by a newer version"},
	resolution: map[kb.Resolution]string{
		kb.Superseded: "one supersedes the other", kb.ByAuthor: "one source has more authority", kb.Newer: "one is newer", kb.Unresolved: "unresolved",
	},
	conflict: map[kb.ConflictKind]string{
		kb.ConflictValue: "two values", kb.ConflictTime: "two dates", kb.ConflictScope: "two scopes", kb.ConflictPolarity: "stated and denied",
		kb.ConflictModality: "two obligations", kb.ConflictEntity: "two holders", kb.ConflictOrder: "two orders", kb.ConflictUnit: "two units",
		kb.ConflictCondition: "two conditions", kb.ConflictStatus: "two states", kb.ConflictQuantifier: "two extents", kb.ConflictVersion: "two versions of one rule",
	},
	verdict: map[kb.Verdict]string{
		kb.Supported: "SUPPORTED: every claim is in the passages", kb.PartiallySupported: "PARTIALLY SUPPORTED: some claims are in the passages",
		kb.Unsupported: "UNSUPPORTED: the passages hold none of the claims", kb.Contradicted: "CONTRADICTED: the passages say otherwise",
		kb.NoClaims: "NO CLAIMS: there is nothing to check",
	},
	claim: map[kb.ClaimVerdict]string{
		kb.ClaimSupported: "supported", kb.ClaimUnsupported: "unsupported", kb.ClaimContradicted: "contradicted", kb.NotAClaim: "no claim",
	},
	state: map[kb.SlotState]string{kb.Filled: "filled", kb.Ambiguous: "ambiguous", kb.Empty: "empty"},
	colon: ": ", open: "\"", close: "\"",
	question: "Question", class: "Class", risk: "Risk", time: "Time", given: "given", asked: "asked", expansions: "Also searched", decided: "Decided by",
	contributions: "Contributions to the log-odds",
	optional:      "optional", sufficiency: "Sufficient", yes: "yes", no: "no", support: "Support", nothingFound: "Nothing found.",
}

var chinese = phrases{
	outcome: map[kb.Outcome]string{
		kb.Answered: "已回答", kb.Partial: "部分回答：文档中缺少一部分内容", kb.Insufficient: "无法回答：文档中没有足够的内容",
		kb.Conflicting: "存在冲突：文档说法不一致", kb.Clarifying: "需要澄清：问题没有说明问的是什么",
	},
	sources: "来源", missing: "缺少", conflicts: "冲突", stale: "已失效的来源", clarify: "请说明",
	leftOut: "未使用", truncated: "证据未能全部采用，回答可能不完整。",
	version: "版本", valid: "有效期", until: "截至", from: "自", hard: "硬冲突", soft: "软冲突", preferred: "采用",
	staleReason: map[kb.StaleReason]string{kb.Expired: "已过期", kb.NotYetValid: "尚未生效", kb.StaleSuperseded: "已被新版本取代"},
	resolution: map[kb.Resolution]string{
		kb.Superseded: "新版本取代旧版本", kb.ByAuthor: "以权威性较高的来源为准", kb.Newer: "以较新的来源为准", kb.Unresolved: "未解决",
	},
	conflict: map[kb.ConflictKind]string{
		kb.ConflictValue: "数值不同", kb.ConflictTime: "时间不同", kb.ConflictScope: "范围不同", kb.ConflictPolarity: "肯定与否定",
		kb.ConflictModality: "要求强度不同", kb.ConflictEntity: "主体不同", kb.ConflictOrder: "顺序相反", kb.ConflictUnit: "单位不同",
		kb.ConflictCondition: "条件不同", kb.ConflictStatus: "状态不同", kb.ConflictQuantifier: "数量范围不同", kb.ConflictVersion: "同一规定的两个版本",
	},
	verdict: map[kb.Verdict]string{
		kb.Supported: "有依据：每个论断都能在资料中找到", kb.PartiallySupported: "部分有依据：部分论断能在资料中找到",
		kb.Unsupported: "无依据：资料中没有这些论断", kb.Contradicted: "与资料矛盾", kb.NoClaims: "没有可核对的论断",
	},
	claim: map[kb.ClaimVerdict]string{
		kb.ClaimSupported: "有依据", kb.ClaimUnsupported: "无依据", kb.ClaimContradicted: "矛盾", kb.NotAClaim: "非论断",
	},
	state: map[kb.SlotState]string{kb.Filled: "已找到", kb.Ambiguous: "不明确", kb.Empty: "未找到"},
	colon: "：", open: "“", close: "”",
	question: "问题", class: "类别", risk: "风险", time: "时间", given: "已知", asked: "所问", expansions: "扩展检索词", decided: "判断依据",
	contributions: "对充分性对数几率的贡献",
	optional:      "可选", sufficiency: "是否足够", yes: "是", no: "否", support: "有依据的比例", nothingFound: "没有找到内容。",
}

// speak chooses the language of the output: the one named, else that of the text.
func speak(language, text string) *phrases {
	switch language {
	case "zh":
		return &chinese
	case "en":
		return &english
	}
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return &chinese
	}
	return &english
}

// page writes sections of the output for people. Write errors end up in err, to be
// looked at once.
type page struct {
	w   io.Writer
	ph  *phrases
	err error
}

func (p *page) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// section writes a heading with its lines below, or nothing without lines.
func (p *page) section(heading string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.line("")
	p.line("%s", heading)
	for _, l := range lines {
		p.line("  %s", l)
	}
}

// block indents every line of a text.
func (p *page) block(text string) {
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		if l == "" {
			p.line("")
			continue
		}
		p.line("  %s", l)
	}
}

// writeReply prints what Ask found: the outcome, the answer with its numbered
// sources, what is missing, what conflicts, what is out of date.
func writeReply(w io.Writer, r kb.Reply, question, language string) error {
	ph := speak(language, question)
	p := &page{w: w, ph: ph}
	p.line("%s", ph.outcome[r.Outcome])
	if r.Answer != "" {
		p.line("")
		p.block(r.Answer)
	}
	if r.Clarify != nil {
		p.section(ph.clarify, clarifyLines(*r.Clarify))
	}
	titles := titlesOf(r)
	p.section(ph.sources, p.sourceLines(r.Citations))
	p.section(ph.missing, missingLines(r.Missing))
	p.section(ph.conflicts, p.conflictLines(r.Conflicts, titles))
	p.section(ph.stale, p.staleLines(r.Stale, titles))
	var left []string
	for _, d := range r.Degraded {
		left = append(left, d.Part+ph.colon+d.Reason)
	}
	p.section(ph.leftOut, left)
	if r.Truncated {
		p.line("")
		p.line("%s", ph.truncated)
	}
	return p.err
}

func clarifyLines(c kb.Clarify) []string {
	lines := strings.Split(c.Prompt, "\n")
	if c.Prompt == "" {
		lines = nil
		for _, m := range c.Missing {
			lines = append(lines, "- "+m)
		}
	}
	for _, x := range c.Candidates {
		lines = append(lines, "- "+x.Text)
	}
	return lines
}

// sourceLines give each number its title, version and days once, and its quotes on
// lines below. Numbers are aligned.
func (p *page) sourceLines(citations []kb.Citation) []string {
	var lines []string
	wide := 0
	for _, c := range citations {
		wide = max(wide, len(mark(c.Number)))
	}
	last := 0
	for _, c := range citations {
		if c.Number == last {
			lines = append(lines, strings.Repeat(" ", wide+1)+p.quote(c.Quote))
			continue
		}
		last = c.Number
		head := c.Title
		if head == "" {
			head = c.DocumentID
		}
		if head == "" {
			head = c.EvidenceID
		}
		if c.DocumentID != "" && c.DocumentID != head {
			head += "  " + c.DocumentID
		}
		if c.Version > 0 {
			head += "  " + p.ph.version + " " + strconv.Itoa(c.Version)
		}
		if v := p.validity(c); v != "" {
			head += "  " + v
		}
		lines = append(lines, pad(mark(c.Number), wide)+" "+head)
		lines = append(lines, strings.Repeat(" ", wide+1)+p.quote(c.Quote))
	}
	return lines
}

func (p *page) validity(c kb.Citation) string {
	from, to := kb.FormatDay(c.ValidFrom), kb.FormatDay(c.ValidTo)
	switch {
	case from != "" && to != "":
		return p.ph.valid + " " + from + ".." + to
	case from != "":
		return p.ph.valid + " " + p.ph.from + " " + from
	case to != "":
		return p.ph.valid + " " + p.ph.until + " " + to
	}
	return ""
}

func (p *page) quote(s string) string {
	return p.ph.open + strings.Join(strings.Fields(s), " ") + p.ph.close
}

func missingLines(missing []kb.Missing) []string {
	var lines []string
	for _, m := range missing {
		text := m.Text
		if text == "" {
			text = m.Slot
		}
		if l := "- " + text; !slices.Contains(lines, l) {
			lines = append(lines, l)
		}
	}
	return lines
}

func (p *page) conflictLines(conflicts []kb.Conflict, titles map[string]string) []string {
	var lines []string
	for _, x := range conflicts {
		weight := p.ph.soft
		if x.Hard {
			weight = p.ph.hard
		}
		what := strings.TrimSpace(x.Subject + " " + x.Attribute)
		if what != "" {
			what += p.ph.colon
		}
		lines = append(lines, "- "+what+p.ph.conflict[x.Kind]+" ("+string(x.Kind)+", "+weight+")")
		names := []string{titleOf(x.A.PassageID, titles), titleOf(x.B.PassageID, titles)}
		values := []string{x.A.Value, x.B.Value}
		wideValue, wideName := max(width(values[0]), width(values[1])), max(width(names[0]), width(names[1]))
		for i, side := range []kb.Evidence{x.A, x.B} {
			l := "    " + string(rune('A'+i)) + "  "
			if wideValue > 0 {
				l += pad(values[i], wideValue) + "  "
			}
			lines = append(lines, l+pad(names[i], wideName)+"  "+p.quote(side.Quote))
		}
		decided := p.ph.resolution[x.Resolution]
		if x.Prefer != "" {
			which := "A"
			if x.Prefer == x.B.PassageID {
				which = "B"
			}
			decided += ", " + p.ph.preferred + " " + which
		}
		lines = append(lines, "    = "+decided)
	}
	return lines
}

func (p *page) staleLines(stale []kb.Stale, titles map[string]string) []string {
	var lines []string
	for _, s := range stale {
		lines = append(lines, "- "+titleOf(s.PassageID, titles)+p.ph.colon+p.ph.staleReason[s.Reason])
	}
	return lines
}

// titlesOf maps evidence ids to what a person calls the passage.
func titlesOf(r kb.Reply) map[string]string {
	titles := map[string]string{}
	for _, c := range r.Retrieved.Candidates {
		if c.Title != "" {
			titles[c.ID] = c.Title
		}
	}
	for _, c := range r.Citations {
		if c.Title != "" {
			titles[c.EvidenceID] = c.Title
		}
	}
	return titles
}

// titleOf names a passage with its id, so that both sides of a conflict inside
// one document can be told apart.
func titleOf(id string, titles map[string]string) string {
	if t := titles[id]; t != "" && t != id {
		return t + " (" + id + ")"
	}
	return id
}

// writeVerification prints the verdict of an answer and of each claim.
func writeVerification(w io.Writer, v kb.Verification, answer, language string) error {
	ph := speak(language, answer)
	p := &page{w: w, ph: ph}
	p.line("%s", ph.verdict[v.Verdict])
	if v.Verdict != kb.NoClaims {
		p.line("%s%s%.0f %%", ph.support, ph.colon, 100*v.Support)
	}
	wide := 0
	for _, c := range v.Claims {
		wide = max(wide, width(ph.claim[c.Verdict]))
	}
	for _, c := range v.Claims {
		p.line("")
		p.line("  %s  %s", pad(ph.claim[c.Verdict], wide), strings.TrimSpace(c.Text))
		indent := strings.Repeat(" ", wide+4)
		for _, e := range c.Citations {
			p.line("%s%s  %s", indent, e.PassageID, p.quote(e.Quote))
		}
		if c.Reason != "" {
			p.line("%s%s", indent, c.Reason)
		}
	}
	return p.err
}

// writeAssessment prints whether the passages suffice, and which slots they fill.
func writeAssessment(w io.Writer, r kb.Reply, question string) error {
	ph := speak("", question)
	p := &page{w: w, ph: ph}
	a := r.Assessment
	yes := ph.no
	if a.Sufficient {
		yes = ph.yes
	}
	p.line("%s", ph.outcome[a.Outcome])
	p.line("%s%s%s  (%.2f, FGC %.2f, CDS %.2f, SID %.2f)", ph.sufficiency, ph.colon, yes, a.Sufficiency, a.FGC, a.CDS, a.SID)
	var lines []string
	wide, wideState := 0, 0
	for _, s := range a.Slots {
		wide, wideState = max(wide, width(s.Name)), max(wideState, width(ph.state[s.State]))
	}
	for _, s := range a.Slots {
		l := pad(s.Name, wide) + "  " + pad(ph.state[s.State], wideState)
		for i, e := range s.Evidence {
			if i == 0 {
				l += "  " + e.PassageID + "  " + p.quote(e.Quote)
			}
		}
		lines = append(lines, strings.TrimRight(l, " "))
	}
	p.section("Slots", lines)
	if r.Clarify != nil {
		p.section(ph.clarify, clarifyLines(*r.Clarify))
	}
	titles := titlesOf(r)
	p.section(ph.missing, missingLines(a.Missing))
	p.section(ph.conflicts, p.conflictLines(a.Conflicts, titles))
	p.section(ph.stale, p.staleLines(a.Stale, titles))
	return p.err
}

// writeAnalysis prints what precheck read out of a question; explain adds what
// decided.
func writeAnalysis(w io.Writer, a kb.Analysis, explain bool) error {
	ph := speak("", a.Question)
	p := &page{w: w, ph: ph}
	rows := [][2]string{}
	if a.Question != a.Original && a.Original != "" {
		rows = append(rows, [2]string{ph.question, a.Question})
	}
	rows = append(rows, [2]string{ph.class, fmt.Sprintf("%s  %.2f", a.Class, a.Probability)}, [2]string{ph.risk, string(a.Risk)})
	if a.Time != nil {
		from, to := kb.FormatDay(a.Time.From), kb.FormatDay(a.Time.To)
		rows = append(rows, [2]string{ph.time, strings.TrimSpace(a.Time.Text + "  " + from + ".." + to)})
	}
	wide := 0
	for _, r := range rows {
		wide = max(wide, width(r[0]))
	}
	for _, r := range rows {
		p.line("%s  %s", pad(r[0], wide), r[1])
	}
	var slots []string
	wide, wideRole := 0, max(width(ph.given), width(ph.asked))
	for _, s := range a.Slots {
		wide = max(wide, width(s.Name))
	}
	for _, s := range a.Slots {
		role, value := ph.given, s.Value
		if s.Role == kb.Asked {
			role, value = ph.asked, strings.TrimSpace(s.Subject+" "+s.Attribute)
		}
		if s.Normalized != "" && s.Normalized != s.Value {
			value += " = " + s.Normalized
		}
		if !s.Required {
			value = strings.TrimSpace(value + "  (" + ph.optional + ")")
		}
		slots = append(slots, strings.TrimRight(pad(s.Name, wide)+"  "+pad(role, wideRole)+"  "+value, " "))
	}
	p.section("Slots", slots)
	if len(a.Expansions) > 0 {
		var terms []string
		for _, e := range a.Expansions {
			terms = append(terms, e.Term)
		}
		p.section(ph.expansions, []string{strings.Join(terms, ", ")})
	}
	if a.Clarify != nil {
		p.section(ph.clarify, clarifyLines(*a.Clarify))
	}
	if explain {
		p.section(ph.decided, a.Decided)
		var classes []string
		for _, c := range a.Classes {
			classes = append(classes, fmt.Sprintf("%-11s %.3f", c.Class, c.Probability))
		}
		p.section(ph.class, classes)
	}
	return p.err
}

// writePassages prints what retrieval found, best first.
func writePassages(w io.Writer, got kb.Retrieved, question string) error {
	ph := speak("", question)
	p := &page{w: w, ph: ph}
	if len(got.Candidates) == 0 {
		p.line("%s", ph.nothingFound)
	}
	for i, c := range got.Candidates {
		if i > 0 {
			p.line("")
		}
		var routes []string
		for _, r := range kb.Routes {
			if s, ok := c.Routes[r]; ok {
				routes = append(routes, fmt.Sprintf("%s %.2f", r, s.Score))
			}
		}
		p.line("%d. %.3f  %s  (%s)", c.Rank, c.Score, strings.Join(nonEmpty(c.Title, strings.Join(c.HeadingPath, " > ")), " > "), c.ID)
		p.line("   %s", strings.Join(routes, ", "))
		for l := range strings.SplitSeq(strings.TrimSpace(c.Text), "\n") {
			p.line("   %s", l)
		}
	}
	var left []string
	for _, d := range got.Degraded {
		left = append(left, d.Part+ph.colon+d.Reason)
	}
	p.section(ph.leftOut, left)
	return p.err
}

// writeGaps prints the ledger, each gap with how often it was asked.
func writeGaps(w io.Writer, gaps []kb.Gap) error {
	p := &page{w: w, ph: &english}
	if len(gaps) == 0 {
		p.line("No gaps.")
	}
	for i, g := range gaps {
		if i > 0 {
			p.line("")
		}
		p.line("%-8s  %d×  %s..%s  %s  %s", g.Kind, g.Count, kb.FormatDay(g.FirstSeen), kb.FormatDay(g.LastSeen), g.State, g.ID)
		p.line("  %s", g.Text)
		for _, q := range g.Questions {
			p.line("  ? %s", q)
		}
		if len(g.Documents) > 0 {
			p.line("  = %s", strings.Join(g.Documents, ", "))
		}
		if g.DecidedBy != "" {
			said := g.DecidedBy + ", " + kb.FormatDay(g.DecidedAt)
			if g.Note != "" {
				said += ": " + strings.Join(strings.Fields(g.Note), " ")
			}
			p.line("  # %s", said)
		}
		if !g.AnsweredAt.IsZero() {
			p.line("  answered since %s", kb.FormatDay(g.AnsweredAt))
		}
	}
	return p.err
}

func mark(n int) string { return "[" + strconv.Itoa(n) + "]" }

func nonEmpty(list ...string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// width is the number of terminal columns of a text: two for a wide character.
func width(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
			r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300):
			n += 2
		default:
			n++
		}
	}
	return n
}

// pad fills a text with spaces to a width in terminal columns.
func pad(s string, columns int) string {
	return s + strings.Repeat(" ", max(0, columns-width(s)))
}
