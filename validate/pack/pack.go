// Package pack chooses and orders the evidence that goes into an answer: within a
// budget of tokens split by part, whole where it fits, shortened to the sentences
// that matter where it does not. What is left out is named, never dropped in silence.
package pack

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// The packing modes.
const (
	PreciseShort    = "precise_short"    // up to 3 pieces, whole
	StructuredShort = "structured_short" // conflicts and up to 8 pieces, as an evidence table
	TwoStage        = "two_stage_pack"   // relation depth 3 or more, or over 24 pieces: selected, then organised by sub-question
	BoundedLong     = "bounded_long"     // the rest, within the budget
)

// Packer packs evidence. It is safe for concurrent use.
type Packer struct {
	cfg   Config
	count *Counter
}

// New returns a packer.
func New(cfg Config) (*Packer, error) {
	if errs := cfg.Validate(); len(errs) > 0 {
		return nil, fmt.Errorf("packing config: %w", errs[0])
	}
	count, err := NewCounter(cfg.Tokenizer)
	if err != nil {
		return nil, err
	}
	return &Packer{cfg: cfg, count: count}, nil
}

// Estimated reports whether the counts are an estimate for a model of this name; for "",
// a model that is not known, they are.
func (p *Packer) Estimated(model string) bool { return p.count.Estimated(model) }

// Piece is one candidate as it was packed.
type Piece struct {
	Rank   int         // in the order of selection, from 0
	Index  int         // into the request's candidates
	Text   string      // all of it, or the kept stretches with … between them
	Kept   []text.Span // the kept stretches, on the candidate's text
	Whole  bool
	Tokens int
}

// Packed is the evidence for an answer, in the order in which it is read.
type Packed struct {
	Mode      string
	Pieces    []Piece
	Dropped   []int    // candidates that did not fit or do not hold, by index
	Truncated bool     // something did not fit, or not whole
	Lost      []string // required slots whose evidence did not fit
	History   string   // earlier turns as far as they fit
	Parts     map[string]int
}

// Holds reports whether a span of a candidate was kept.
func (p *Packed) Holds(index int, span text.Span) bool {
	for _, piece := range p.Pieces {
		if piece.Index != index {
			continue
		}
		for _, k := range piece.Kept {
			if k.Contains(span) {
				return true
			}
		}
	}
	return false
}

// Pack selects by what the slots need, then by relevance, source rank, freshness and
// order; what does not hold in the asked period comes last, and not at all beside
// what does. Who may read a passage was decided before it became a candidate. page
// reads a candidate; it is called only for those that must be shortened.
func (p *Packer) Pack(req kb.AnswerRequest, page func(index int) *fact.Page) (Packed, error) {
	needs := needed(req)
	out := Packed{Mode: Mode(req), Parts: map[string]int{"task": p.cfg.Task, "tool": p.cfg.Tool, "output": p.cfg.Output}}
	user, err := p.count.Count(req.Analysis.Question)
	if err != nil {
		return Packed{}, err
	}
	history, used, err := p.history(req)
	if err != nil {
		return Packed{}, err
	}
	out.History, out.Parts["user"], out.Parts["history"] = history, user, used
	left := max(leastEvidence, p.cfg.Tokens-p.cfg.Task-p.cfg.Tool-p.cfg.Output-user-used)

	budget := left
	for _, i := range selection(req, needs) {
		c := req.Candidates[i]
		if stale(req, c) {
			out.Dropped = append(out.Dropped, i)
			continue
		}
		piece := Piece{Index: i, Text: c.Text, Whole: true, Kept: []text.Span{{End: len([]rune(c.Text))}}}
		if out.Mode == StructuredShort && len(needs[i]) > 0 {
			piece.Text, piece.Kept, piece.Whole = Shorten(page(i), needs[i])
		}
		if piece.Tokens, err = p.within(piece.Text, left); err != nil {
			return Packed{}, err
		}
		if piece.Tokens > left && len(needs[i]) > 0 {
			piece.Text, piece.Kept, piece.Whole = Shorten(page(i), needs[i])
			if piece.Tokens, err = p.within(piece.Text, left); err != nil {
				return Packed{}, err
			}
			out.Truncated = true
		}
		if piece.Tokens > left {
			out.Dropped, out.Truncated = append(out.Dropped, i), true
			continue
		}
		left -= piece.Tokens
		piece.Rank = len(out.Pieces)
		out.Pieces = append(out.Pieces, piece)
	}
	slices.Sort(out.Dropped)
	out.Parts["evidence"] = budget - left
	out.Lost = lost(req, &out)
	order(req, &out)
	return out, nil
}

// within counts the tokens of a text as far as a budget goes: of a text that cannot
// fit only a beginning that already does not is counted.
func (p *Packer) within(s string, budget int) (int, error) {
	const runesPerToken = 24 // no running text has tokens that are longer on average
	if runes := []rune(s); len(runes) > (budget+1)*runesPerToken {
		return math.MaxInt, nil
	}
	return p.count.Count(s)
}

// Mode chooses the packing mode from the number of pieces, the conflicts on what is
// asked and the relation depth.
func Mode(req kb.AnswerRequest) string {
	n, conflicts := len(req.Candidates), 0
	for _, c := range req.Assessment.Conflicts {
		if c.OnAsked {
			conflicts++
		}
	}
	switch {
	case n > 24 || depth(req) >= 3:
		return TwoStage
	case conflicts > 0 && n <= 8:
		return StructuredShort
	case n <= 3:
		return PreciseShort
	}
	return BoundedLong
}

// depth is how many different things must be looked up and then set in relation: the
// subjects of the asked slots.
func depth(req kb.AnswerRequest) int {
	subjects := map[string]bool{}
	for _, s := range req.Analysis.Slots {
		if s.Role == kb.Asked && s.Required {
			subjects[string(text.Fold([]rune(s.Subject)))] = true
		}
	}
	return len(subjects)
}

// needed lists by candidate the spans that fill asked slots or are sides of a
// conflict on one.
func needed(req kb.AnswerRequest) map[int][]text.Span {
	place := map[string]int{}
	for i, c := range req.Candidates {
		if _, ok := place[c.ID]; !ok {
			place[c.ID] = i
		}
	}
	out := map[int][]text.Span{}
	add := func(e kb.Evidence) {
		if i, ok := place[e.PassageID]; ok && e.End > e.Start {
			out[i] = append(out[i], text.Span{Start: e.Start, End: e.End})
		}
	}
	for _, s := range req.Assessment.Slots {
		if s.Role == kb.Asked {
			for _, e := range s.Evidence {
				add(e)
			}
		}
	}
	for _, c := range req.Assessment.Conflicts {
		if c.OnAsked {
			add(c.A)
			add(c.B)
		}
	}
	return out
}

// selection is the order in which candidates are taken while the budget lasts.
func selection(req kb.AnswerRequest, needs map[int][]text.Span) []int {
	score := map[string]float64{}
	for _, s := range req.Assessment.Passages {
		score[s.ID] = s.Score
	}
	out := make([]int, len(req.Candidates))
	for i := range out {
		out[i] = i
	}
	authority := func(c kb.Candidate) float64 {
		if c.Authority == nil {
			return 5 // unknown counts as the middle of the scale
		}
		return *c.Authority
	}
	slices.SortStableFunc(out, func(x, y int) int {
		a, b := req.Candidates[x], req.Candidates[y]
		return cmp.Or(
			-cmp.Compare(min(1, len(needs[x])), min(1, len(needs[y]))),
			-cmp.Compare(math.Round(20*score[a.ID]), math.Round(20*score[b.ID])),
			-cmp.Compare(authority(a), authority(b)),
			-fresh(a.Passage).Compare(fresh(b.Passage)),
		)
	})
	return out
}

// stale reports whether a candidate does not hold in the asked period; of stale
// candidates alone none is left out, since then they are what there is.
func stale(req kb.AnswerRequest, c kb.Candidate) bool {
	from, to := req.Analysis.Period()
	if c.ValidOn(from, to) {
		return false
	}
	for _, o := range req.Candidates {
		if o.ValidOn(from, to) {
			return true
		}
	}
	return false
}

// lost lists the required slots that were filled and of whose evidence nothing was kept.
func lost(req kb.AnswerRequest, p *Packed) []string {
	place := map[string]int{}
	for i, c := range req.Candidates {
		place[c.ID] = i
	}
	var out []string
	for _, s := range req.Assessment.Slots {
		if s.Role != kb.Asked || !s.Required || s.State == kb.Empty || len(s.Evidence) == 0 {
			continue
		}
		kept := false
		for _, e := range s.Evidence {
			if i, ok := place[e.PassageID]; ok {
				kept = kept || p.Holds(i, text.Span{Start: e.Start, End: e.End})
			}
		}
		if !kept {
			out = append(out, s.Name)
		}
	}
	return out
}

// order sorts the kept pieces: by sub-question where several things are asked or much
// was selected, by time where the time is asked, else as they came.
func order(req kb.AnswerRequest, p *Packed) {
	switch {
	case p.Mode == TwoStage || req.Analysis.Class == kb.Comparison || askedSlots(req) > 1:
		first := map[int]int{}
		for n, s := range req.Assessment.Slots {
			if s.Role != kb.Asked {
				continue
			}
			for _, e := range s.Evidence {
				for i, c := range req.Candidates {
					if _, ok := first[i]; c.ID == e.PassageID && !ok {
						first[i] = n
					}
				}
			}
		}
		at := func(piece Piece) int {
			if n, ok := first[piece.Index]; ok {
				return n
			}
			return len(req.Assessment.Slots)
		}
		slices.SortStableFunc(p.Pieces, func(a, b Piece) int { return cmp.Compare(at(a), at(b)) })
	case req.Analysis.Class == kb.Timeliness || p.Mode == StructuredShort:
		slices.SortStableFunc(p.Pieces, func(a, b Piece) int {
			return fresh(req.Candidates[a.Index].Passage).Compare(fresh(req.Candidates[b.Index].Passage))
		})
	}
}

func askedSlots(req kb.AnswerRequest) int {
	n := 0
	for _, s := range req.Analysis.Slots {
		if s.Role == kb.Asked && s.Required {
			n++
		}
	}
	return n
}

// limits are words without which a rule says more than it does: a sentence that has
// one is kept when a text is shortened.
var limits = []string{"但", "除非", "除外", "除", "仅限", "仅", "只限", "只有", "不得", "不适用", "不包括", "例外", "然而", "不过", "否则",
	"unless", "only", "except", "however", "but ", "but,", "excluding", "not apply", "must not", "may not", "otherwise", "provided that", "no later"}

// Limits reports whether a text limits what stands beside it.
func Limits(s string) bool {
	folded := string(text.Fold([]rune(s)))
	return slices.ContainsFunc(limits, func(w string) bool { return strings.Contains(folded, w) })
}

// Shorten keeps of a page the sentences with the spans, and every sentence that
// limits something. Rows of a table keep their headings. It returns the text, the kept
// stretches, and whether that is all of the page.
func Shorten(p *fact.Page, spans []text.Span) (string, []text.Span, bool) {
	var kept []text.Span
	rows := false
	for _, s := range p.Sentences {
		hit := slices.ContainsFunc(spans, func(x text.Span) bool { return x.Overlaps(s.Span) })
		if hit && s.Kind == fact.Row {
			rows = true
		}
		if hit || s.Kind != fact.Row && s.Kind != fact.HeaderRow && Limits(p.Quote(s.Span)) {
			kept = append(kept, s.Span)
		}
	}
	if rows {
		for _, s := range p.Sentences {
			if s.Kind == fact.HeaderRow {
				kept = append(kept, s.Span)
			}
		}
		slices.SortStableFunc(kept, func(a, b text.Span) int { return cmp.Compare(a.Start, b.Start) })
	}
	var parts []string
	var merged []text.Span
	for _, k := range kept {
		if n := len(merged); n > 0 && strings.TrimSpace(p.Quote(text.Span{Start: merged[n-1].End, End: max(k.Start, merged[n-1].End)})) == "" {
			merged[n-1].End = max(merged[n-1].End, k.End)
			continue
		}
		merged = append(merged, k)
	}
	for _, m := range merged {
		parts = append(parts, p.Quote(m))
	}
	whole := len(merged) == 1 && merged[0].Start == 0 && merged[0].End == len(p.Runes)
	return strings.Join(parts, "\n…\n"), merged, whole
}
