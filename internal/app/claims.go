package app

import (
	"context"
	"fmt"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/models/wording"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/validate"
)

// ClaimJudge checks answers as a server would, and gives the inputs of the wording
// model beside the verdict: for training and measuring.
type ClaimJudge struct{ local *validate.Local }

// NewClaimJudge builds one from the configuration. Without learned, kb/fact decides
// alone. Its errors are ErrSetup.
func NewClaimJudge(src config.Sources, learned bool) (*ClaimJudge, error) {
	cfg, lex, static, err := languageOf(src)
	if err != nil {
		return nil, err
	}
	opts := validate.Options{Similarity: static.Similarity, Rarity: static.Rarity}
	if learned {
		if opts.Wording, opts.Joint, err = wordingModel(); err != nil {
			return nil, setup(err)
		}
	}
	read, err := readerModel(cfg.Reader)
	if err != nil {
		return nil, setup(err)
	}
	opts.Votes = votesOf(read)
	local, err := validate.New(validateConfig(cfg), reading.New(newEngine(lex, static), 64, nil), opts)
	if err != nil {
		return nil, setup(err)
	}
	return &ClaimJudge{local}, nil
}

// Verify checks an answer.
func (j *ClaimJudge) Verify(ctx context.Context, req kb.VerifyRequest) (kb.Verification, error) {
	return j.local.Verify(ctx, req)
}

// Judge checks an answer; rows are the features of its claims, nil where wording
// decides nothing.
func (j *ClaimJudge) Judge(ctx context.Context, req kb.VerifyRequest) (kb.Verification, [][]uint32, error) {
	got, words, err := j.local.Measure(ctx, req)
	if err != nil {
		return kb.Verification{}, nil, err
	}
	rows := make([][]uint32, len(words))
	for i, w := range words {
		if w.Open() {
			rows[i] = w.Features()
		}
	}
	return got, rows, nil
}

// ClaimVote is what facts, words and the reader say of one claim.
type ClaimVote struct {
	Verdict kb.ClaimVerdict // of facts
	Heard   string          // the judgement as validate.Heard names it; "" = facts decide, or the reader said nothing
	Said    float64         // probability of words, or of facts where words decide nothing
	Yes, No float64         // the reader's, that the claim is supported, contradicted
	Parts   int             // that the claim was split into, of which this is one's; 0 = not split
}

// Votes asks the reader about each claim of an answer, in order.
func (j *ClaimJudge) Votes(ctx context.Context, req kb.VerifyRequest) ([]ClaimVote, error) {
	_, words, err := j.local.Measure(ctx, req)
	if err != nil {
		return nil, err
	}
	out := make([]ClaimVote, len(words))
	for i, w := range words {
		out[i] = ClaimVote{Verdict: kb.ClaimVerdict(w.Verdict), Said: w.Said, Parts: w.Parts}
		if w.Vote != nil {
			out[i].Heard, _ = validate.Heard(fact.Support{Verdict: w.Verdict, Ground: w.Ground}, w)
			out[i].Yes, out[i].No = w.Vote.Supported, w.Vote.Contradicted
		}
	}
	return out, nil
}

// wordingModel is the model that judges how claims are worded, and how it is joined with
// the reader's votes.
func wordingModel() (*linear.Model, *validate.Joint, error) {
	m, err := linear.Decode(wording.Model)
	if err != nil {
		return nil, nil, fmt.Errorf("wording model: %w", err)
	}
	joint, err := validate.DecodeJoint(wording.Joint)
	return m, joint, err
}
