package rerank

import (
	"context"
	"fmt"
	"math"
	"sort"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
)

// Scorer gives the calibrated probability that a set of passages suffices, and
// what each feature adds to its margin. model/trees implements it.
type Scorer interface {
	// Features names the inputs in order.
	Features() []string
	// Predict scores one row in the order of Features; NaN means not known.
	Predict(row []float32) (margin, probability float64, err error)
	// Contributions explains the margin of one row by Saabas' approximation, in the
	// order of Features.
	Contributions(row []float32) []float64
	// SHAP explains it by TreeSHAP, in the same order; nil where that cannot be had.
	SHAP(row []float32) []float64
}

// Local assesses in this process. It is safe for concurrent use.
type Local struct {
	cfg     Config
	reader  *reading.Reader
	model   Scorer
	options Options
}

// Options are what an assessor can do without.
type Options struct {
	Reader Reader // nil = none; a Reading.Mode that wants one then degrades
	Joint  *Joint // how its say is joined; nil = the mean of both log odds
}

// New returns an assessor over the reader. model may be nil: then sufficiency is
// the coverage itself.
func New(cfg Config, reader *reading.Reader, model Scorer, opts Options) (*Local, error) {
	if errs := cfg.Validate(); len(errs) > 0 {
		return nil, fmt.Errorf("rerank config: %w", errs[0])
	}
	if model != nil {
		if got := model.Features(); !equal(got, SetFeatures) {
			return nil, fmt.Errorf("rerank: the model was trained on features %v, this server computes %v", got, SetFeatures)
		}
	}
	return &Local{cfg: cfg, reader: reader, model: model, options: opts}, nil
}

var _ Assessor = (*Local)(nil)

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// judged is everything known about one request before the verdict.
type judged struct {
	req      kb.AssessRequest
	live     []int // candidates valid in the asked period and not superseded, as indexes into req.Candidates
	pages    []*fact.Page
	metas    []fact.Meta
	round    *fact.Round // of the live pages
	needs    []fact.Need
	slots    []int // need → slot of the analysis
	cover    []fact.Coverage
	clashes  []kb.Conflict
	cds      float64
	gone     map[string]bool // passages that another one supersedes
	fills    []kb.SlotFill   // every slot of the question with its state
	losing   map[string]bool // passages that lose half their score
	sid      []float64       // by live candidate
	features []float32
	overlap  fact.Overlap
	read     *read // of the one need; nil = the reader was not asked, or is late
}

// Assess implements Assessor.
func (l *Local) Assess(ctx context.Context, req kb.AssessRequest) (kb.Assessment, error) {
	if err := ctx.Err(); err != nil {
		return kb.Assessment{}, fmt.Errorf("assess: %w", err)
	}
	if req.Analysis.Clarify != nil {
		return kb.Assessment{Outcome: kb.Clarifying, Slots: emptySlots(req.Analysis)}, nil
	}
	j, err := l.judge(ctx, req)
	if err != nil {
		return kb.Assessment{}, fmt.Errorf("assess: %w", err)
	}
	return l.decide(ctx, j)
}

// judge reads the passages and compares them with the question's needs. Its error is ctx's.
func (l *Local) judge(ctx context.Context, req kb.AssessRequest) (*judged, error) {
	from, to := req.Analysis.Period()
	j := &judged{req: req, losing: map[string]bool{}, gone: supersededIn(req.Candidates, from, to)}
	var parties []int // valid passages, superseded or not: they may be sides of a resolved conflict
	for i, c := range req.Candidates {
		if !c.ValidOn(from, to) {
			continue
		}
		parties = append(parties, i)
		if !j.gone[c.ID] {
			j.live = append(j.live, i)
		}
	}
	engine := l.reader.Engine()
	j.needs, j.slots = needsOf(req.Analysis)
	partyPages := make([]*fact.Page, len(parties))
	partyMetas := make([]fact.Meta, len(parties))
	for k, i := range parties {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		partyPages[k] = l.reader.Page(req.Candidates[i].Passage)
		partyMetas[k] = reading.MetaOf(req.Candidates[i].Passage)
		if !j.gone[req.Candidates[i].ID] {
			j.pages = append(j.pages, partyPages[k])
			j.metas = append(j.metas, partyMetas[k])
		}
	}
	j.round = engine.Round(j.pages, j.metas)
	j.cover = j.round.Cover(ctx, j.needs)
	round := j.round
	if len(parties) > len(j.live) { // a superseded page is a side of a conflict, and fills nothing
		round = engine.Round(partyPages, partyMetas)
	}
	ordered := func(r fact.Ref) bool {
		page := partyPages[r.Page]
		return reading.MayOrder(page) && reading.Orders(page, r.Span)
	}
	for _, clash := range round.Conflicts(ctx, j.needs) {
		j.conflict(clash, req.Candidates[parties[clash.A.Page]].Passage, req.Candidates[parties[clash.B.Page]].Passage,
			partyPages[clash.A.Page], partyPages[clash.B.Page], ordered(clash.A) || ordered(clash.B))
	}
	if err := ctx.Err(); err != nil { // coverage and conflicts may have stopped
		return nil, err
	}
	j.cds = density(j, false)
	j.sid = make([]float64, len(j.live))
	for k, i := range j.live {
		t, ok := l.cfg.Templates[req.Candidates[i].Domain]
		if !ok {
			t = l.cfg.Templates[""]
		}
		j.sid[k] = t.Factor * engine.Density(j.pages[k], j.metas[k], t.Parts)
	}
	j.fills = l.slots(j)
	j.features = features(l, j)
	return j, ctx.Err()
}

// conflict notes a clash of two passages. ordered: one side is an order to a machine, which is
// no source; it is shown, and decides nothing.
func (j *judged) conflict(clash fact.Clash, a, b kb.Passage, pageA, pageB *fact.Page, ordered bool) {
	c := kb.Conflict{
		Kind: kb.ConflictKind(clash.Kind), Hard: clash.Hard, Subject: clash.Subject, Attribute: clash.Attribute,
		A: evidence(a, pageA, clash.A), B: evidence(b, pageB, clash.B), OnAsked: clash.Need >= 0 && !ordered,
	}
	c.Resolution, c.Prefer = resolve(a, b)
	j.clashes = append(j.clashes, c)
	if !c.OnAsked { // it changes nothing of what is asked
		return
	}
	switch c.Prefer {
	case a.ID:
		j.losing[b.ID] = true
	case b.ID:
		j.losing[a.ID] = true
	default:
		j.losing[a.ID], j.losing[b.ID] = true, true
	}
}

// supersededIn tells which candidates are replaced by another candidate that is
// itself valid in the period.
func supersededIn(cands []kb.Candidate, from, to time.Time) map[string]bool {
	gone := map[string]bool{}
	for _, x := range cands {
		if !x.ValidOn(from, to) {
			continue
		}
		for _, y := range cands {
			if x.ID != y.ID && supersedes(x.Passage, y.Passage) && !supersedes(y.Passage, x.Passage) {
				gone[y.ID] = true
			}
		}
	}
	return gone
}

// density is the conflict detection score: (5·hard + 2·soft) over the passages
// that hold a fact on an asked slot. open: only of conflicts that nothing resolves.
func density(j *judged, open bool) float64 {
	hard, soft := 0, 0
	holders := map[string]bool{}
	for _, c := range j.clashes {
		if !c.OnAsked || open && c.Resolution != kb.Unresolved {
			continue
		}
		if c.Hard {
			hard++
		} else {
			soft++
		}
		holders[c.A.PassageID], holders[c.B.PassageID] = true, true
	}
	for _, cov := range j.cover {
		for _, f := range cov.Fillers {
			holders[j.req.Candidates[j.live[f.Page]].ID] = true
		}
	}
	if len(holders) == 0 {
		return 0
	}
	return float64(5*hard+2*soft) / float64(len(holders))
}

// passageCDS is a passage's own score: (5·hard + 2·soft) of the pairs it is in.
func (j *judged) passageCDS(id string) float64 {
	sum := 0.0
	for _, c := range j.clashes {
		if c.A.PassageID == id || c.B.PassageID == id {
			if c.Hard {
				sum += 5
			} else {
				sum += 2
			}
		}
	}
	return sum
}

// decide turns what was found into the reply.
func (l *Local) decide(ctx context.Context, j *judged) (kb.Assessment, error) {
	th := l.cfg.thresholds(j.req.Analysis.Class)
	out := kb.Assessment{CDS: j.cds, Conflicts: j.clashes, Stale: stale(j)}
	out.Slots = j.fills
	out.FGC = fgc(out.Slots)
	out.Level = level(out.FGC, th)
	out.SID = j.meanSID()
	out.Missing = missing(j)

	sufficiency := out.FGC
	out.Outcome = j.outcome()
	if l.model != nil {
		_, p, err := l.model.Predict(j.features)
		if err != nil {
			return kb.Assessment{}, fmt.Errorf("assess: sufficiency model: %w", err)
		}
		ask := l.second
		if len(j.needs) > 1 {
			ask = l.severally
		}
		if sufficiency, err = ask(ctx, j, p, th, &out); err != nil {
			return kb.Assessment{}, err
		}
	}
	if len(j.live) == 0 { // nothing holds nothing
		sufficiency = 0
	}
	out.Sufficiency = sufficiency
	if out.Outcome == kb.Answered && sufficiency < th.Sufficiency {
		out.Outcome = kb.Insufficient
		out.Missing = append(out.Missing, doubt(j.req.Analysis))
	} else if l.model != nil {
		j.stated(&out, th)
		j.redirect(&out, l.cfg.Reading)
	}
	out.Sufficient = out.Outcome == kb.Answered
	out.Passages, out.Method = l.passages(j, th)
	return out, nil
}

// outcome is what an answer could at best be.
func (j *judged) outcome() kb.Outcome {
	if len(j.needs) == 0 || len(j.pages) == 0 {
		return kb.Insufficient
	}
	filled, general := 0, 0
	for _, cov := range j.cover {
		switch {
		case cov.General:
			general++
		case cov.State != fact.StateEmpty:
			filled++
		}
	}
	for _, c := range j.clashes {
		if c.OnAsked && c.Hard && c.Resolution == kb.Unresolved {
			return kb.Conflicting
		}
	}
	switch {
	case filled == len(j.cover):
		return kb.Answered
	case filled+general > 0:
		return kb.Partial
	}
	return kb.Insufficient
}

// slots reports every slot of the question with its state and evidence.
func (l *Local) slots(j *judged) []kb.SlotFill {
	engine := l.reader.Engine()
	byNeed := map[int][]int{}
	for n, s := range j.slots {
		byNeed[s] = append(byNeed[s], n)
	}
	out := make([]kb.SlotFill, 0, len(j.req.Analysis.Slots))
	for i, s := range j.req.Analysis.Slots {
		fill := kb.SlotFill{Slot: s, State: kb.Empty}
		switch n, asked := byNeed[i]; {
		case asked:
			empty := 0
			fill.State, fill.Confidence = kb.Filled, 1
			for _, k := range n {
				cov := j.cover[k]
				fill.Confidence = math.Min(fill.Confidence, cov.Confidence)
				switch {
				case cov.General || cov.State == fact.StateEmpty:
					empty++
				case cov.State == fact.StateAmbiguous && fill.State != kb.Empty:
					fill.State = kb.Ambiguous
				}
				for _, f := range preferred(j, cov.Fillers) {
					fill.Evidence = append(fill.Evidence, evidence(j.req.Candidates[j.live[f.Page]].Passage, j.pages[f.Page], f))
				}
			}
			switch {
			case empty == len(n):
				fill.State = kb.Empty
			case empty > 0: // one side of two: half of what the slot asks
				fill.State = kb.Ambiguous
			}
		case s.Role == kb.Given:
			best := 0.0
			for _, cov := range j.cover {
				for _, f := range cov.Fillers {
					best = math.Max(best, engine.Carries(s.Value, j.pages, j.metas, f))
				}
			}
			if baseName(s.Name) == "time" && len(j.cover) > 0 && len(j.cover[0].Fillers) > 0 {
				best = 1 // Cover admits only fillers whose time fits
			}
			if best >= 0.5 {
				fill.State, fill.Confidence = kb.Filled, best
			}
		default:
			if ref, ok := engine.Look(baseName(s.Name), j.pages, j.cover); ok {
				fill.State, fill.Confidence = kb.Filled, ref.Score
				fill.Evidence = []kb.Evidence{evidence(j.req.Candidates[j.live[ref.Page]].Passage, j.pages[ref.Page], ref)}
			}
		}
		out = append(out, fill)
	}
	return out
}

// lost are the passages that lost a resolved conflict on what is asked.
func (j *judged) lost() map[string]bool {
	lost := map[string]bool{}
	for _, c := range j.clashes {
		if c.OnAsked && c.Resolution != kb.Unresolved {
			switch c.Prefer {
			case c.A.PassageID:
				lost[c.B.PassageID] = true
			case c.B.PassageID:
				lost[c.A.PassageID] = true
			}
		}
	}
	return lost
}

// preferred drops fillers of passages that lost a resolved conflict, as long as
// another filler is left.
func preferred(j *judged, fillers []fact.Ref) []fact.Ref {
	lost := j.lost()
	var kept []fact.Ref
	for _, f := range fillers {
		if !lost[j.req.Candidates[j.live[f.Page]].ID] {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return fillers
	}
	return kept
}

// fgc is fact graph coverage over the required slots: a FILLED slot counts its
// filler's confidence, AMBIGUOUS 0.5, EMPTY 0.
func fgc(slots []kb.SlotFill) float64 {
	sum, n := 0.0, 0
	for _, s := range slots {
		if !s.Required {
			continue
		}
		n++
		switch s.State {
		case kb.Filled:
			sum += s.Confidence
		case kb.Ambiguous:
			sum += 0.5
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

func level(fgc float64, t Thresholds) string {
	switch {
	case fgc >= t.FGCGreen:
		return "green"
	case fgc >= t.FGCYellow:
		return "yellow"
	}
	return "red"
}

func missing(j *judged) []kb.Missing {
	var out []kb.Missing
	for n, cov := range j.cover {
		if cov.State == fact.StateEmpty || cov.General {
			out = append(out, kb.Missing{Slot: j.needs[n].Name, Text: missingText(j.req.Analysis, j.needs[n], cov)})
		}
	}
	return out
}

// doubt is what a refusal by the sufficiency model alone says is missing.
func doubt(a kb.Analysis) kb.Missing {
	slot := "value"
	for _, s := range a.Slots {
		if s.Role == kb.Asked {
			slot = s.Name
			break
		}
	}
	if a.Language == "en" {
		return kb.Missing{Slot: slot, Text: "The sources come near the question, but do not state this with enough certainty."}
	}
	return kb.Missing{Slot: slot, Text: "资料与问题相近，但没有足够确定地说明这一点。"}
}

func stale(j *judged) []kb.Stale {
	from, to := j.req.Analysis.Period()
	var out []kb.Stale
	for _, c := range j.req.Candidates {
		switch {
		case !c.ValidTo.IsZero() && !from.IsZero() && c.ValidTo.Before(from):
			out = append(out, kb.Stale{PassageID: c.ID, Reason: kb.Expired})
		case !c.ValidFrom.IsZero() && !to.IsZero() && c.ValidFrom.After(to):
			out = append(out, kb.Stale{PassageID: c.ID, Reason: kb.NotYetValid})
		case j.gone[c.ID]:
			out = append(out, kb.Stale{PassageID: c.ID, Reason: kb.StaleSuperseded})
		}
	}
	return out
}

// meanSID is the mean of the passages' densities, weighted by relevance (how well
// the passage fits a need).
func (j *judged) meanSID() float64 {
	sum, weight := 0.0, 0.0
	for k := range j.live {
		w := j.fit(k) + 0.05 // a passage that fits nothing still counts a little
		sum += w * j.sid[k]
		weight += w
	}
	if weight == 0 {
		return 0
	}
	return sum / weight
}

// fit is how well a live passage's best fact fits any need, 0..1.
func (j *judged) fit(k int) float64 {
	best := 0.0
	for _, cov := range j.cover {
		for _, refs := range [][]fact.Ref{cov.Fillers, cov.Near} {
			for _, f := range refs {
				if f.Page == k {
					best = math.Max(best, f.Score)
				}
			}
		}
	}
	return best
}

// passages scores and orders the passages for the answer.
func (l *Local) passages(j *judged, th Thresholds) (scores []kb.PassageScore, method kb.ContributionMethod) {
	var contributions []kb.Contribution
	if l.model != nil {
		var values []float64
		if j.req.Explain {
			values, method = l.model.SHAP(j.features), kb.TreeSHAP
		}
		if values == nil {
			values, method = l.model.Contributions(j.features), kb.Saabas
		}
		for f, name := range l.model.Features() {
			if math.IsNaN(float64(j.features[f])) {
				continue // not known here, such as the cells of a table where there is none
			}
			contributions = append(contributions, kb.Contribution{Feature: name, Value: float64(j.features[f]), Contribution: values[f]})
		}
	}
	out := make([]kb.PassageScore, 0, len(j.req.Candidates))
	rank := map[int]int{}
	for k, i := range j.live {
		rank[i] = k
	}
	top := 0.0
	for _, c := range j.req.Candidates {
		if len(c.Routes) > 0 {
			top = math.Max(top, c.Score)
		}
	}
	for i, c := range j.req.Candidates {
		s := kb.PassageScore{ID: c.ID, CDS: j.passageCDS(c.ID)}
		if k, ok := rank[i]; ok {
			s.FGC, s.SID = j.passageFGC(k), j.sid[k]
			s.Score = standing(j.req.Candidates, i, top, j.fit(k), s.FGC)
			if j.cds > th.CDS && j.losing[c.ID] {
				s.Score /= 2
			}
			s.Contributions = contributions
		}
		out = append(out, s)
	}
	sort.SliceStable(out, func(a, b int) bool { return out[a].Score > out[b].Score })
	return out, method
}

// passageFGC is the share of the needs that this passage alone fills.
func (j *judged) passageFGC(k int) float64 {
	if len(j.cover) == 0 {
		return 0
	}
	sum := 0.0
	for _, cov := range j.cover {
		best := 0.0
		for _, f := range cov.Fillers {
			if f.Page == k {
				best = math.Max(best, f.Score)
			}
		}
		sum += best
	}
	return sum / float64(len(j.cover))
}

// firstPlaces is how many of the first that retrieval found stay the first: those an answer is
// stated from.
const firstPlaces = 5

// standing is the score of a passage in the order for the answer, 0..1. What retrieval found
// keeps its order but for near ties, which the fit of facts decides: where facts fill
// nothing, their fit is the worse guide (docs/measurements.md, "Order"). A list handed over
// has no scores, or some on a scale of its own, and may have no order: its places count, and
// facts count more. top is the best score of retrieval; 0 = the list is handed over.
func standing(cands []kb.Candidate, i int, top, fit, fgc float64) float64 {
	if top > 0 {
		score := 0.475*cands[i].Score/top + 0.025*fit
		if i < firstPlaces { // some stand there for their route, not for their score
			score += 0.5
		}
		return score
	}
	place := 1.0
	if n := len(cands); n > 1 {
		place = 1 - float64(i)/float64(n-1)
	}
	return 0.6*place + 0.3*fit + 0.1*fgc
}

func emptySlots(a kb.Analysis) []kb.SlotFill {
	out := make([]kb.SlotFill, len(a.Slots))
	for i, s := range a.Slots {
		out[i] = kb.SlotFill{Slot: s, State: kb.Empty}
	}
	return out
}

func evidence(p kb.Passage, page *fact.Page, r fact.Ref) kb.Evidence {
	e := kb.Evidence{PassageID: p.ID, Start: r.Span.Start, End: r.Span.End, Quote: page.Quote(r.Span)}
	if !r.Value.Empty() {
		e.Value = page.Quote(r.Value)
	}
	return e
}
