package validate

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/validate/pack"
)

var _ Streamer = (*Local)(nil)

// Answer implements Validator: statements, gate, extractive answer, and the same
// answer checked again.
func (l *Local) Answer(ctx context.Context, req kb.AnswerRequest) (kb.AnswerResult, error) {
	return l.AnswerStream(ctx, req, nil)
}

// AnswerStream implements Streamer. An extracted answer takes milliseconds and is laid
// out by what all of it holds, so its sentences come at once; those of a model come one
// by one while it writes.
func (l *Local) AnswerStream(ctx context.Context, req kb.AnswerRequest, release func(kb.Claim)) (kb.AnswerResult, error) {
	out, sent, err := l.answer(ctx, req, release)
	if err == nil && release != nil {
		for _, c := range out.Claims[sent:] {
			release(c)
		}
	}
	return out, err
}

// answer is an answer, and how many of its claims were released while it was made.
func (l *Local) answer(ctx context.Context, req kb.AnswerRequest, release func(kb.Claim)) (made kb.AnswerResult, sent int, err error) {
	if err := ctx.Err(); err != nil {
		return kb.AnswerResult{}, 0, fmt.Errorf("answer: %w", err)
	}
	out := kb.AnswerResult{Outcome: req.Assessment.Outcome, Missing: req.Assessment.Missing, Conflicts: []kb.Conflict{}}
	for _, c := range req.Assessment.Conflicts {
		if c.OnAsked { // what the sources disagree on beside the question is not part of the reply
			out.Conflicts = append(out.Conflicts, c)
		}
	}
	out.Packing = kb.Packing{Mode: pack.Mode(req), Parts: map[string]int{}}
	if out.Outcome == kb.Insufficient || out.Outcome == kb.Clarifying || len(req.Candidates) == 0 {
		return out, 0, nil
	}
	d := &draft{req: req, pages: map[int]*fact.Page{}, byID: map[string]int{}}
	if d.packed, err = l.packer.Pack(req, func(i int) *fact.Page { return d.page(l.reader, i) }); err != nil {
		return kb.AnswerResult{}, 0, fmt.Errorf("answer: pack: %w", err)
	}
	reads := ""
	if l.model != nil {
		reads = l.model.Name()
	}
	out.Packing, out.Truncated = kb.Packing{Mode: d.packed.Mode, Parts: d.packed.Parts, Estimated: l.packer.Estimated(reads)}, d.packed.Truncated
	if left := l.unpacked(req, &d.packed, &out); !left {
		return refuse(out, req), 0, nil
	}
	l.collect(d)
	switch holds, err := l.readAlone(ctx, req, d, &out); {
	case err != nil:
		return kb.AnswerResult{}, 0, fmt.Errorf("answer: %w", err)
	case !holds:
		return refuse(out, req), 0, nil
	}
	if l.model != nil && len(d.quotes) > 0 {
		made, sent, err := l.generate(ctx, req, d, out, release)
		if err == nil {
			return made, sent, nil
		}
		if ctx.Err() != nil {
			return kb.AnswerResult{}, 0, fmt.Errorf("answer: %w", ctx.Err())
		}
		out.Degraded = append(out.Degraded, kb.Degraded{Part: "llm", Reason: modelFault(err)})
	}
	out.Gate = l.gate(d)
	if out.Gate.Total == 0 || out.Gate.Rate < l.cfg.GateRate {
		return refuse(out, req), 0, nil
	}
	if err := ctx.Err(); err != nil {
		return kb.AnswerResult{}, 0, fmt.Errorf("answer: %w", err)
	}
	l.write(req, d, &out)
	if out.Answer == "" {
		return refuse(out, req), 0, nil
	}
	return out, 0, nil
}

// refuse turns a result into the typed refusal.
func refuse(out kb.AnswerResult, req kb.AnswerRequest) kb.AnswerResult {
	out.Outcome, out.Answer, out.Claims, out.Citations = kb.Insufficient, "", nil, nil
	if len(out.Missing) == 0 {
		for _, s := range req.Analysis.Slots {
			if s.Role == kb.Asked && s.Required {
				out.Missing = append(out.Missing, kb.Missing{Slot: s.Name, Text: unverifiable(req)})
			}
		}
	}
	return out
}

func zh(req kb.AnswerRequest) bool {
	if req.ReplyLanguage != "" {
		return req.ReplyLanguage == "zh"
	}
	return req.Analysis.Language != "en"
}

// quote is a stretch of a passage that goes into the answer.
type quote struct {
	passage int // index into req.Candidates
	span    text.Span
	at      text.Span   // the evidence inside it
	more    []text.Span // more cells of the same row
	text    string
	slots   map[string]bool
	side    string // "a" or "b" of a conflict
}

// draft is the evidence of an answer before it is worded.
type draft struct {
	req    kb.AnswerRequest
	packed pack.Packed
	pages  map[int]*fact.Page
	quotes []quote
	byID   map[string]int
}

// page is the reading of a candidate.
func (d *draft) page(reader *reading.Reader, i int) *fact.Page {
	page, ok := d.pages[i]
	if !ok {
		page = reader.Page(d.req.Candidates[i].Passage)
		d.pages[i] = page
	}
	return page
}

// unpacked takes slots whose evidence did not fit out of what is answered: they are
// missing, and the outcome is PARTIAL. False: nothing asked is left.
func (l *Local) unpacked(req kb.AnswerRequest, p *pack.Packed, out *kb.AnswerResult) bool {
	if len(p.Lost) == 0 {
		return true
	}
	for _, name := range p.Lost {
		out.Missing = append(out.Missing, kb.Missing{Slot: name, Text: unverifiable(req)})
	}
	for _, s := range req.Assessment.Slots {
		if s.Role == kb.Asked && s.Required && s.State != kb.Empty && !slices.Contains(p.Lost, s.Name) {
			if out.Outcome == kb.Answered {
				out.Outcome = kb.Partial
			}
			return true
		}
	}
	return false
}

// unverifiable says in the language of the reply that something was not found in a
// form that could be checked.
func unverifiable(req kb.AnswerRequest) string {
	if zh(req) {
		return "资料没有以可核实的形式说明这一点。"
	}
	return "The sources do not state this in a form that could be verified."
}

// collect gathers the quotes: for each asked slot its fillers, best first; for each
// unresolved conflict on an asked slot both sides.
func (l *Local) collect(d *draft) {
	req := d.req
	for i, c := range req.Candidates {
		d.byID[c.ID] = i
	}
	for _, c := range req.Assessment.Conflicts {
		if !c.OnAsked || c.Resolution != kb.Unresolved {
			continue
		}
		l.add(d, c.A, "conflict", "a")
		l.add(d, c.B, "conflict", "b")
	}
	for _, s := range req.Assessment.Slots {
		if s.Role != kb.Asked || !s.Required || s.State == kb.Empty {
			continue
		}
		limit := l.cfg.AnswerTop
		if s.Expect == kb.ExpectList || s.Count > limit || req.Analysis.Class == kb.Steps || req.Analysis.Class == kb.Condition || req.Analysis.Class == kb.Exception {
			limit = max(s.Count, 2*l.cfg.AnswerTop)
		}
		for n, e := range s.Evidence {
			if n >= limit && !d.holds(e) { // further cells of a quoted row come with it
				continue
			}
			l.add(d, e, s.Name, "")
		}
	}
}

// holds reports whether a quote of the draft is the sentence of a piece of evidence.
func (d *draft) holds(e kb.Evidence) bool {
	i, ok := d.byID[e.PassageID]
	return ok && slices.ContainsFunc(d.quotes, func(q quote) bool {
		return q.passage == i && q.span.Overlaps(text.Span{Start: e.Start, End: e.End})
	})
}

// add puts the sentence around a piece of evidence into the draft, once.
func (l *Local) add(d *draft, e kb.Evidence, slot, side string) {
	i, ok := d.byID[e.PassageID]
	if !ok {
		return
	}
	page := d.page(l.reader, i)
	at := text.Span{Start: e.Start, End: e.End}
	if !d.packed.Holds(i, at) {
		return
	}
	span := l.sentence(page, at)
	if reading.Orders(page, span) {
		return
	}
	span = withException(page, span)
	l.put(d, i, page, span, at, slot, side)
	if side == "" {
		for _, s := range outside(page, span) {
			l.put(d, i, page, s, s, slot, side)
		}
	}
}

// put adds a quote, or marks the one that already holds it.
func (l *Local) put(d *draft, i int, page *fact.Page, span, at text.Span, slot, side string) {
	for k := range d.quotes {
		if q := &d.quotes[k]; q.passage == i && q.span.Overlaps(span) {
			q.slots[slot] = true
			if side != "" {
				q.side = side
			}
			if side == "" && inRow(page, span) && !q.at.Overlaps(at) {
				q.more = append(q.more, at)
			}
			return
		}
	}
	d.quotes = append(d.quotes, quote{passage: i, span: span, at: at, text: page.Quote(span), slots: map[string]bool{slot: true}, side: side})
}

// inRow reports whether a span lies in a row of a table.
func inRow(p *fact.Page, span text.Span) bool {
	return slices.ContainsFunc(p.Sentences, func(s fact.SentenceInfo) bool { return s.Kind == fact.Row && s.Overlaps(span) })
}

// openers begin a sentence that limits the one before it.
var openers = []string{"但", "不过", "然而", "除", "仅", "只有", "however", "but ", "except", "unless", "only ", "this does not apply", "otherwise"}

// withException widens a quote by the sentence that follows where that one limits it:
// a rule does not leave without its exception.
func withException(p *fact.Page, span text.Span) text.Span {
	for i, s := range p.Sentences {
		if s.Start < span.End || s.Kind != fact.Prose {
			continue
		}
		for _, r := range p.Runes[span.End:s.Start] {
			if r == '\n' {
				return span
			}
		}
		next := string(text.Fold(p.Runes[s.Start:s.End]))
		for _, o := range openers {
			if strings.HasPrefix(next, o) && s.End-span.Start <= 2*span.Len()+120 {
				return text.Span{Start: span.Start, End: p.Sentences[i].End}
			}
		}
		return span
	}
	return span
}

// outside lists the sentences that hold conditions of the quoted clauses and stand
// elsewhere on the page.
func outside(p *fact.Page, span text.Span) []text.Span {
	var out []text.Span
	for i := range p.Clauses {
		c := &p.Clauses[i]
		if !span.Contains(c.Span) {
			continue
		}
		for _, cond := range c.Conditions {
			if cond.Span.Empty() || span.Overlaps(cond.Span) {
				continue
			}
			for _, s := range p.Sentences {
				if s.Contains(cond.Span) && len(out) < 1 {
					out = append(out, s.Span)
				}
			}
		}
	}
	return out
}

// sentence widens a span to its sentence, so that conditions and exceptions stay
// with the value; a sentence beyond MaxQuote is cut at its clauses around the span.
// A table cell is quoted with its row.
func (l *Local) sentence(p *fact.Page, s text.Span) text.Span {
	for i, info := range p.Sentences {
		if !info.Overlaps(s) {
			continue
		}
		if info.Len() <= l.cfg.MaxQuote || s.Len() >= info.Len() {
			return info.Span
		}
		lo, hi := info.Clauses[0], info.Clauses[1]
		first, last := lo, lo
		for c := lo; c < hi; c++ {
			if p.Clauses[c].Overlaps(s) {
				if !p.Clauses[first].Overlaps(s) {
					first = c
				}
				last = c
			}
		}
		out := text.Span{Start: p.Clauses[first].Start, End: p.Clauses[last].End}
		for _, cond := range p.Clauses[first].Conditions {
			if info.Contains(cond.Span) {
				out.Start, out.End = min(out.Start, cond.Span.Start), max(out.End, cond.Span.End)
			}
		}
		for last+1 < hi && p.Clauses[last+1].End-out.Start <= l.cfg.MaxQuote {
			last++
			out.End = p.Clauses[last].End
		}
		_ = i
		return out
	}
	return s
}

// gate checks the statements of the top passages: what each is said to hold must be
// exactly there.
func (l *Local) gate(d *draft) kb.Gate {
	var g kb.Gate
	for n, c := range d.req.Candidates {
		if n >= l.cfg.GateK && !d.cites(n) {
			continue
		}
		st := kb.Statement{PassageID: c.ID}
		held := 0
		runes := []rune(c.Text)
		for _, q := range d.quotes {
			if q.passage != n {
				continue
			}
			st.Facts = append(st.Facts, q.text)
			if q.span.End <= len(runes) && string(runes[q.span.Start:q.span.End]) == q.text {
				held++
			}
		}
		if len(st.Facts) > 0 {
			st.Counted = true
			g.Total++
			switch failed := len(st.Facts) - held; failed {
			case 0:
				st.Passed, st.Confidence = true, 0.95
				g.Passed++
			case 1:
				st.Confidence, st.Reason = 0.7, "one fact is not in the passage"
			default:
				st.Confidence, st.Reason = 0.3, fmt.Sprintf("%d facts are not in the passage", failed)
			}
		}
		g.Statements = append(g.Statements, st)
	}
	if g.Total > 0 {
		g.Rate = float64(g.Passed) / float64(g.Total)
	}
	return g
}

func (d *draft) cites(n int) bool {
	for _, q := range d.quotes {
		if q.passage == n {
			return true
		}
	}
	return false
}

// write words the answer from the quotes, checks every sentence against its source,
// and cuts what does not hold.
func (l *Local) write(req kb.AnswerRequest, d *draft, out *kb.AnswerResult) {
	chinese := zh(req)
	quotes, said := l.checked(req, d)
	if len(quotes) < len(d.quotes) {
		l.lower(req, d, quotes, out)
	}
	if out.Outcome == kb.Insufficient {
		return
	}
	if req.Analysis.Class == kb.Steps {
		order := make([]int, len(quotes))
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(a, b int) bool {
			x, y := quotes[order[a]], quotes[order[b]]
			return x.passage == y.passage && x.span.Start < y.span.Start
		})
		sortedQuotes, sortedSaid := make([]quote, len(order)), make([]string, len(order))
		for i, o := range order {
			sortedQuotes[i], sortedSaid[i] = quotes[o], said[o]
		}
		quotes, said = sortedQuotes, sortedSaid
	}
	conflict := false
	sentences := make([]sentence, len(quotes))
	for i, q := range quotes {
		conflict = conflict || q.side != ""
		sentences[i] = sentence{text: said[i], quotes: quotes[i : i+1], probability: 0.99}
	}
	lead := foreignLead(quotes, chinese)
	if conflict {
		lead = disagree(chinese)
	}
	assemble(req, lead, sentences, conflict, out)
}

// sentence is a checked part of an answer with what it rests on.
type sentence struct {
	text        string // without marks
	quotes      []quote
	probability float64
	reason      string
}

// assembly puts checked sentences together with their marks, claims and citations.
// Sources are numbered in the order in which they are first cited.
type assembly struct {
	req      kb.AnswerRequest
	conflict bool // each sentence names document and date
	list     bool // one sentence a line
	out      *kb.AnswerResult
	numbers  map[int]int // mark of a candidate
	text     strings.Builder
	length   int // code points
}

func newAssembly(req kb.AnswerRequest, lead string, list, conflict bool, out *kb.AnswerResult) *assembly {
	a := &assembly{req: req, conflict: conflict, list: list, out: out, numbers: map[int]int{}}
	a.write(lead)
	return a
}

func (a *assembly) write(s string) {
	a.text.WriteString(s)
	a.length += len([]rune(s))
}

// add appends a sentence and returns its claim. What was added before stays as it is.
func (a *assembly) add(s sentence) kb.Claim {
	chinese := zh(a.req)
	if a.text.Len() > 0 && !strings.HasSuffix(a.text.String(), "\n") {
		if a.list {
			a.write("\n")
		} else if !chinese {
			a.write(" ")
		}
	}
	if a.list {
		a.write("- ")
	}
	claim := kb.Claim{Text: s.text, Start: a.length, Verdict: kb.ClaimSupported, Probability: s.probability, Reason: s.reason}
	a.write(s.text)
	claim.End = a.length
	marked := map[int]bool{}
	var marks []int
	for _, q := range s.quotes {
		c := a.req.Candidates[q.passage]
		if _, ok := a.numbers[q.passage]; !ok {
			a.numbers[q.passage] = len(a.numbers) + 1
		}
		n := a.numbers[q.passage]
		if !marked[n] {
			marked[n], marks = true, append(marks, n)
			claim.Cited = append(claim.Cited, c.ID)
			if from := origin(c.Passage, chinese); a.conflict && from != "" {
				a.write(from)
			}
		}
		claim.Citations = append(claim.Citations, kb.Evidence{PassageID: c.ID, Start: q.span.Start, End: q.span.End, Quote: q.text})
		if !cited(a.out.Citations, n, citation(n, c.Passage, q)) {
			a.out.Citations = append(a.out.Citations, citation(n, c.Passage, q))
		}
	}
	for _, n := range marks {
		a.write(fmt.Sprintf("[%d]", n))
	}
	a.out.Claims = append(a.out.Claims, claim)
	return claim
}

// finish names what is missing and sets the answer.
func (a *assembly) finish() {
	if a.out.Outcome == kb.Partial && len(a.out.Missing) > 0 {
		a.write("\n")
		for i, m := range a.out.Missing {
			if i > 0 && !zh(a.req) {
				a.write(" ")
			}
			a.write(m.Text)
		}
	}
	a.out.Answer = a.text.String()
}

// assemble is an assembly of sentences that are all there.
func assemble(req kb.AnswerRequest, lead string, sentences []sentence, conflict bool, out *kb.AnswerResult) {
	a := newAssembly(req, lead, conflict || len(sentences) > 2, conflict, out)
	for _, s := range sentences {
		a.add(s)
	}
	a.finish()
}

// disagree introduces both sides of a conflict.
func disagree(chinese bool) string {
	if chinese {
		return "资料说法不一致：\n"
	}
	return "The sources disagree:\n"
}

// checked words each quote and verifies it against all passages as anyone's answer
// is; what does not hold is left out.
func (l *Local) checked(req kb.AnswerRequest, d *draft) (quotes []quote, said []string) {
	pages := make([]*fact.Page, len(req.Candidates))
	metas := make([]fact.Meta, len(req.Candidates))
	for i, c := range req.Candidates {
		pages[i], metas[i] = d.page(l.reader, i), reading.MetaOf(c.Passage)
	}
	for _, q := range d.quotes {
		words, isCell := cellWords(pages[q.passage], q, req.Candidates[q.passage].Passage)
		if !isCell {
			words = flatten(q.text)
			own := l.reader.Engine().Read(fact.Source{Text: words})
			// Against its own passage: that another one disagrees is told as a conflict.
			checker := l.reader.Engine().Against(pages[q.passage:q.passage+1], []fact.Meta{{}})
			held := true
			for _, part := range claimSpans(own, nil) {
				s := checker.Check(fact.Claim{Page: own, Span: part.plain})
				held = held && s.Verdict != fact.UnsupportedClaim && s.Verdict != fact.ContradictedClaim
			}
			if !held && !strings.Contains(flatten(string(pages[q.passage].Runes)), words) {
				continue
			}
		}
		quotes, said = append(quotes, q), append(said, words)
	}
	return quotes, said
}

// lower sets the outcome after quotes were cut: slots without any are missing.
func (l *Local) lower(req kb.AnswerRequest, d *draft, left []quote, out *kb.AnswerResult) {
	lost, kept := 0, 0
	for _, s := range req.Assessment.Slots {
		had, has := false, false
		for _, q := range d.quotes {
			had = had || q.slots[s.Name]
		}
		for _, q := range left {
			has = has || q.slots[s.Name]
		}
		switch {
		case has:
			kept++
		case had:
			lost++
			out.Missing = append(out.Missing, kb.Missing{Slot: s.Name, Text: unverifiable(req)})
		}
	}
	switch {
	case kept == 0:
		out.Outcome = kb.Insufficient
	case lost > 0:
		out.Outcome = kb.Partial
	}
}

// cellWords says a table cell with the headings of its row and column, the unit that stands
// over the table, and what is measured there where row and column only say when; false
// where the quote is no table row.
func cellWords(p *fact.Page, q quote, from kb.Passage) (string, bool) {
	if !inRow(p, q.span) {
		return "", false
	}
	var parts []string
	subject, measure := "", ""
	add := func(i int) {
		f := &p.Facts[i]
		if f.Subject.Text != "" {
			subject = flatten(f.Subject.Text)
		}
		cell, head := flatten(f.Value.Text), flatten(f.Attribute.Text)
		// A time over a column is when its values hold: it has to be said, too.
		if row, column, ok := p.CellHeadings(i); ok && len(f.Times) > 0 && !strings.EqualFold(column, head) {
			subject, head = flatten(row), flatten(column)
		}
		unit, measured := p.CellUnit(i, from.Title, from.HeadingPath)
		measure = flatten(strings.TrimRight(measured, ":：。. "))
		if head != "" {
			cell = head + ": " + cell
		}
		cell = withUnit(cell, unit)
		if !slices.Contains(parts, cell) {
			parts = append(parts, cell)
		}
	}
	for i := range p.Facts {
		f := &p.Facts[i]
		overlaps := func(s text.Span) bool { return s.Overlaps(f.Value.Span) }
		if f.Value.Kind != fact.BooleanValue && (overlaps(q.at) || slices.ContainsFunc(q.more, overlaps)) {
			add(i)
		}
	}
	if len(parts) == 0 || len(parts) > 6 {
		return "", false
	}
	words := strings.Join(parts, "; ")
	if subject != "" {
		words = subject + " — " + words
	}
	if measure != "" {
		words = measure + " — " + words
	}
	return words, true
}

// withUnit writes a number of a table after its heading with the unit that stands over it,
// which the heading may name.
func withUnit(cell, unit string) string {
	switch {
	case unit == "" || strings.Contains(strings.ToLower(cell), unit):
		return cell
	case text.IsHan([]rune(unit)[0]):
		return cell + unit
	case strings.HasPrefix(unit, "%"):
		return cell + "%"
	}
	return cell + " (" + unit + ")"
}

// foreignLead introduces quotes in another language than the answer's.
func foreignLead(quotes []quote, chinese bool) string {
	han, all := 0, 0
	for _, q := range quotes {
		for _, r := range q.text {
			if text.IsHan(r) {
				han++
			}
			all++
		}
	}
	switch {
	case all == 0:
	case chinese && han == 0:
		return "资料原文如下：\n"
	case !chinese && han*3 > all:
		return "In the words of the source:\n"
	}
	return ""
}

// origin names document and date of one side of a conflict.
func origin(p kb.Passage, chinese bool) string {
	var parts []string
	if p.Title != "" {
		parts = append(parts, p.Title)
	} else if p.Source != "" {
		parts = append(parts, p.Source)
	}
	switch {
	case !p.ValidFrom.IsZero() && chinese:
		parts = append(parts, kb.FormatDay(p.ValidFrom)+"起")
	case !p.ValidFrom.IsZero():
		parts = append(parts, "from "+kb.FormatDay(p.ValidFrom))
	case !p.PublishedAt.IsZero():
		parts = append(parts, kb.FormatDay(p.PublishedAt))
	}
	switch {
	case len(parts) == 0:
		return ""
	case chinese:
		return "（" + strings.Join(parts, "，") + "）"
	}
	return " (" + strings.Join(parts, ", ") + ") "
}

func cited(citations []kb.Citation, n int, at kb.Citation) bool {
	for _, c := range citations {
		if c.Number == n && c.Start == at.Start && c.End == at.End {
			return true
		}
	}
	return false
}

// citation places a quote: into the stored document where the passage comes from
// one, else into the passage as given.
func citation(n int, p kb.Passage, q quote) kb.Citation {
	c := kb.Citation{Number: n, EvidenceID: p.ID, DocumentID: p.DocumentID, Title: p.Title, Version: p.Version,
		Start: q.span.Start, End: q.span.End, Quote: q.text, ValidFrom: p.ValidFrom, ValidTo: p.ValidTo}
	if p.DocumentID != "" {
		c.Start += p.Start
		c.End += p.Start
	}
	return c
}

// flatten puts a quote on one line.
func flatten(s string) string { return strings.Join(strings.Fields(s), " ") }
