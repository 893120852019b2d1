package validate

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/deadline"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/validate/pack"
)

// Local validates in this process. It is safe for concurrent use.
type Local struct {
	cfg        Config
	reader     *reading.Reader
	packer     *pack.Packer
	model      Model
	observe    Observer
	log        *slog.Logger
	similarity func(a, b string) float64
	rarity     func(word string) float64
	wording    *linear.Model
	votes      Votes
	reads      Reads
	joint      *Joint
}

// Options of a Local. The zero value works without a model.
type Options struct {
	Model      Model                     // nil = statements and answers are extracted
	Similarity func(a, b string) float64 // 0..1, of two texts; nil = a model's facts may be worded freely
	Rarity     func(word string) float64 // 0..1, how rare a word is; nil = all alike
	Wording    *linear.Model             // of two classes, the second: supported; over Words.Features. nil = kb/fact decides alone
	Votes      Votes                     // of a reader; nil = none
	Joint      *Joint                    // how its votes are heard; nil = not at all
	Reads      Reads                     // of the same reader, of what is to be quoted; nil = none
	Observer   Observer                  // nil = nothing is counted
	Logger     *slog.Logger              // nil = slog.Default
}

// New returns a validator over the reader.
func New(cfg Config, reader *reading.Reader, opts Options) (*Local, error) {
	if errs := cfg.Validate(); len(errs) > 0 {
		return nil, fmt.Errorf("validate config: %w", errs[0])
	}
	packer, err := pack.New(cfg.Packing)
	if err != nil {
		return nil, err
	}
	l := &Local{cfg: cfg, reader: reader, packer: packer, model: opts.Model, observe: opts.Observer, log: opts.Logger, similarity: opts.Similarity,
		rarity: opts.Rarity, wording: opts.Wording, votes: opts.Votes, joint: opts.Joint, reads: opts.Reads}
	if l.wording != nil && l.wording.Classes() != 2 {
		return nil, fmt.Errorf("wording model: %w: %d classes, want 2", linear.ErrModel, l.wording.Classes())
	}
	if l.observe == nil {
		l.observe = unobserved{}
	}
	if l.log == nil {
		l.log = slog.Default()
	}
	return l, nil
}

var _ Validator = (*Local)(nil)

// Verify implements Validator.
func (l *Local) Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, error) {
	judged, err := l.check(ctx, req, false)
	if err != nil {
		return kb.Verification{}, fmt.Errorf("verify: %w", err)
	}
	return verificationOf(judged), nil
}

// verificationOf sums up judged claims.
func verificationOf(judged []judgedClaim) kb.Verification {
	var out kb.Verification
	for _, c := range judged {
		out.Claims = append(out.Claims, c.Claim)
	}
	out.Verdict, out.Support = verdictOf(out.Claims)
	return out
}

// judgedClaim is a claim with what the contract does not show.
type judgedClaim struct {
	kb.Claim
	limited  bool // not supported only because it leaves out a limit of its source
	misnamed bool // supported, but not by the passages that its marks name
	words    Words
}

// Measure is Verify with the figures of the claims and the verdict of facts alone, in
// order, for training and measuring. The reader is asked about every claim that is one.
func (l *Local) Measure(ctx context.Context, req kb.VerifyRequest) (kb.Verification, []Words, error) {
	judged, err := l.check(ctx, req, true)
	if err != nil {
		return kb.Verification{}, nil, fmt.Errorf("verify: %w", err)
	}
	out := make([]Words, len(judged))
	for i, c := range judged {
		out[i] = c.words
	}
	return verificationOf(judged), out, nil
}

// check judges the claims of an answer one by one; with measure set, their words are
// compared where no model needs them, too, and the reader is asked about each.
func (l *Local) check(ctx context.Context, req kb.VerifyRequest, measure bool) ([]judgedClaim, error) {
	pages, err := l.reader.Pages(ctx, req.Passages)
	if err != nil {
		return nil, err
	}
	metas := make([]fact.Meta, len(req.Passages))
	for i, p := range req.Passages {
		metas[i] = reading.MetaOf(p)
	}
	marks, plain := stripMarks([]rune(req.Answer))
	answer := l.reader.Engine().Read(fact.Source{Text: string(plain), Published: req.AsOf})
	checker := l.reader.Engine().Against(pages, metas)
	words := rewording{local: l, checker: checker, req: req, answer: answer, measure: measure}
	if l.votes != nil {
		limited, _, cancel := deadline.Within(ctx, l.cfg.VoteBudget)
		defer cancel()
		words.votes = func(_ context.Context, claim string, passages []string) ([]Vote, error) {
			return deadline.Await(limited, func() ([]Vote, error) { return l.votes(limited, claim, passages) })
		}
	}
	var out []judgedClaim
	for _, part := range claimSpans(answer, marks) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		claim := fact.Claim{Page: answer, Span: part.plain, Question: req.Question, AsOf: req.AsOf}
		s := checker.Check(claim)
		var figures Words
		if (l.wording != nil || l.votes != nil || measure) && s.Verdict != fact.NoClaim && len(pages) > 0 {
			if words.known == nil {
				words.known = linesOf(pages)
			}
			var err error
			if s, figures, err = words.judge(ctx, claim, s); err != nil {
				return nil, err
			}
		}
		why := ""
		if s.Verdict == fact.SupportedClaim {
			s, why = l.marked(claim, s, part.marks, pages, metas, figures.Vote != nil)
		}
		c := l.claim(req, part, s, pages)
		c.Reason = join(c.Reason, why)
		out = append(out, judgedClaim{c, s.Limited, why != "", figures})
	}
	return out, nil
}

// elsewhere says that a mark is wrong.
const elsewhere = "the marked passage does not say this; the citation names the one that does"

// marked compares the marks of a supported claim with what supports it. Where the
// marked passages do by themselves, they are its evidence; where they do not, the
// evidence is that of the others, as far as they suffice, and why says what is wrong. A
// claim that the reader was asked about has its evidence where the reader has it.
func (l *Local) marked(claim fact.Claim, s fact.Support, marks []mark, pages []*fact.Page, metas []fact.Meta, voted bool) (out fact.Support, why string) {
	named := map[int]bool{}
	for _, m := range marks {
		if m.n >= 1 && m.n <= len(pages) {
			named[m.n-1] = true
		}
	}
	if len(named) == 0 {
		return s, ""
	}
	if voted {
		if slices.ContainsFunc(s.Evidence, func(r fact.Ref) bool { return named[r.Page] }) {
			return s, ""
		}
		return s, elsewhere
	}
	within := func(keep func(page int) bool) (fact.Support, bool) {
		var some []*fact.Page
		var of []fact.Meta
		var index []int
		for i := range pages {
			if keep(i) {
				some, of, index = append(some, pages[i]), append(of, metas[i]), append(index, i)
			}
		}
		if len(some) == 0 || len(some) == len(pages) {
			return s, len(some) > 0
		}
		got := l.reader.Engine().Against(some, of).Check(claim)
		for i := range got.Evidence {
			got.Evidence[i].Page = index[got.Evidence[i].Page]
		}
		return got, got.Verdict == fact.SupportedClaim
	}
	if alone, ok := within(func(i int) bool { return named[i] }); ok {
		return alone, ""
	}
	if others, ok := within(func(i int) bool { return !named[i] }); ok {
		return others, elsewhere
	}
	return s, "the marked passage says this only together with the others that the citations name"
}

// claim puts a judgement into the contract's form.
func (l *Local) claim(req kb.VerifyRequest, part claimSpan, s fact.Support, pages []*fact.Page) kb.Claim {
	runes := []rune(req.Answer)
	c := kb.Claim{
		Text: string(runes[part.whole.Start:part.whole.End]), Start: part.whole.Start, End: part.whole.End,
		Verdict: kb.ClaimVerdict(s.Verdict), Probability: s.Probability, Reason: s.Reason,
	}
	for _, m := range part.marks {
		if m.n >= 1 && m.n <= len(req.Passages) {
			c.Cited = append(c.Cited, req.Passages[m.n-1].ID)
		} else {
			c.Reason = join(c.Reason, fmt.Sprintf("mark [%d] names no passage; there are %d", m.n, len(req.Passages)))
		}
	}
	seen := map[string]bool{}
	for _, r := range s.Evidence {
		e := kb.Evidence{PassageID: req.Passages[r.Page].ID, Start: r.Span.Start, End: r.Span.End, Quote: pages[r.Page].Quote(r.Span)}
		if !r.Value.Empty() {
			e.Value = pages[r.Page].Quote(r.Value)
		}
		key := e.PassageID + ":" + strconv.Itoa(e.Start)
		if !seen[key] {
			seen[key] = true
			c.Citations = append(c.Citations, e)
		}
	}
	return c
}

func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}

// verdictOf sums up the claims as the contract says.
func verdictOf(claims []kb.Claim) (kb.Verdict, float64) {
	supported, contradicted, counted := 0, 0, 0
	for _, c := range claims {
		switch c.Verdict {
		case kb.NotAClaim:
			continue
		case kb.ClaimSupported:
			supported++
		case kb.ClaimContradicted:
			contradicted++
		}
		counted++
	}
	switch {
	case counted == 0:
		return kb.NoClaims, 0
	case supported == counted:
		return kb.Supported, 1
	case supported > 0:
		return kb.PartiallySupported, float64(supported) / float64(counted)
	case contradicted > 0:
		return kb.Contradicted, 0
	}
	return kb.Unsupported, 0
}

// mark is a citation mark [n] of an answer.
type mark struct {
	text.Span
	n int
}

// stripMarks finds the marks and returns the text with each blanked, so that
// offsets stay what they were.
func stripMarks(runes []rune) ([]mark, []rune) {
	plain := make([]rune, len(runes))
	copy(plain, runes)
	var marks []mark
	for i := 0; i < len(runes); i++ {
		open := runes[i]
		if open != '[' && open != '【' && open != '［' {
			continue
		}
		j := i + 1
		var numbers []int
		number := strings.Builder{}
		ok := true
		for ; j < len(runes) && j-i < 24; j++ {
			r := text.FoldRune(runes[j])
			if r >= '0' && r <= '9' {
				number.WriteRune(r)
				continue
			}
			if number.Len() > 0 {
				n, err := strconv.Atoi(number.String())
				ok = ok && err == nil
				numbers = append(numbers, n)
				number.Reset()
			}
			if r == ']' || runes[j] == '】' {
				break
			}
			if r != ',' && r != ' ' && r != '、' {
				ok = false
				break
			}
		}
		if !ok || len(numbers) == 0 || j >= len(runes) || j-i >= 24 {
			continue
		}
		for _, n := range numbers {
			marks = append(marks, mark{text.Span{Start: i, End: j + 1}, n})
		}
		for k := i; k <= j; k++ {
			plain[k] = ' '
		}
		i = j
	}
	return marks, plain
}

// claimSpan is one claim: its words, and the same with the marks that belong to it.
type claimSpan struct {
	plain text.Span // without trailing marks
	whole text.Span
	marks []mark
}

// claimSpans cuts an answer into claims at sentences. A mark belongs to the
// sentence it stands in or right behind; one mark that follows several sentences
// of a paragraph counts for the last.
func claimSpans(answer *fact.Page, marks []mark) []claimSpan {
	var out []claimSpan
	for _, s := range answer.Sentences {
		if s.Kind == fact.HeaderRow || s.Empty() {
			continue
		}
		out = append(out, claimSpan{plain: s.Span, whole: s.Span})
	}
	for _, m := range marks {
		best := -1
		for i := range out {
			if out[i].plain.Start <= m.Start {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		// A mark before the full stop stands inside; one behind it is appended.
		if m.Start >= out[best].whole.End && blank(answer.Runes[out[best].whole.End:m.Start]) {
			out[best].whole.End = m.End
		}
		out[best].marks = append(out[best].marks, m)
	}
	return out
}

func blank(runes []rune) bool {
	for _, r := range runes {
		if r != ' ' && r != '\t' && r != '\u3000' {
			return false
		}
	}
	return true
}
