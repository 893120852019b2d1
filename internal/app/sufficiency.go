package app

import (
	"context"
	"fmt"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/models/sufficiency"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/services/config"
)

// SufficiencyJudge assesses questions with handed-over passages as a server would,
// and gives the model's inputs beside the verdict: for training and measuring.
type SufficiencyJudge struct {
	precheck precheck.Analyzer
	local    *rerank.Local

	Features   []string       // names of the inputs, in order
	Monotone   map[string]int // 1: may only raise the score, -1: only lower it
	OfQuestion []string       // features that the question has alone
	Version    string         // of the model that judges; "" = coverage alone
}

// NewSufficiencyJudge builds one from the configuration. Without learned, coverage
// alone decides. Its errors are ErrSetup.
func NewSufficiencyJudge(src config.Sources, learned bool) (*SufficiencyJudge, error) {
	cfg, lex, static, err := languageOf(src)
	if err != nil {
		return nil, err
	}
	j := &SufficiencyJudge{Features: rerank.SetFeatures, Monotone: rerank.Monotone, OfQuestion: rerank.OfQuestion}
	if j.precheck, err = precheck.New(precheck.Config{Lexicon: lex}); err != nil {
		return nil, setup(err)
	}
	var model rerank.Scorer
	if learned {
		if model, j.Version, err = sufficiencyModel(cfg.Sufficiency); err != nil {
			return nil, setup(err)
		}
	}
	engine := newEngine(lex, static)
	var opts rerank.Options
	if opts.Joint, err = rerank.DecodeJoint(sufficiency.Joint); err != nil {
		return nil, setup(err)
	}
	if read, err := readerModel(cfg.Reader); err != nil {
		return nil, setup(err)
	} else if read != nil {
		opts.Reader = read
	}
	if j.local, err = rerank.New(rerankConfig(cfg), reading.New(engine, 0, nil), model, opts); err != nil {
		return nil, setup(err)
	}
	return j, nil
}

// Judge analyses a question and assesses the passages. The row is nil where the
// question asks back.
func (j *SufficiencyJudge) Judge(ctx context.Context, q kb.Question, passages []kb.Passage) ([]float32, kb.Assessment, error) {
	req, err := j.request(ctx, q, passages)
	if err != nil {
		return nil, kb.Assessment{}, err
	}
	return j.local.Judge(ctx, req)
}

// Class is the class of a question.
func (j *SufficiencyJudge) Class(ctx context.Context, q kb.Question) (kb.Class, error) {
	a, err := j.precheck.Analyze(ctx, q)
	return a.Class, err
}

// Said is what the reader says of a question's passages.
type Said = rerank.Said

// JointInputs names what Said.Inputs has, in order.
func JointInputs() []string { return rerank.JointInputs }

// Reading is what the reader says of the passages, as rerank.Local.Reading gives it.
func (j *SufficiencyJudge) Reading(ctx context.Context, q kb.Question, passages []kb.Passage) (Said, error) {
	req, err := j.request(ctx, q, passages)
	if err != nil {
		return Said{}, err
	}
	return j.local.Reading(ctx, req)
}

func (j *SufficiencyJudge) request(ctx context.Context, q kb.Question, passages []kb.Passage) (kb.AssessRequest, error) {
	analysis, err := j.precheck.Analyze(ctx, q)
	if err != nil {
		return kb.AssessRequest{}, fmt.Errorf("judge %q: %w", q.Text, err)
	}
	candidates := make([]kb.Candidate, len(passages))
	for i, p := range passages {
		candidates[i] = kb.Candidate{Passage: p, Rank: i + 1}
	}
	return kb.AssessRequest{Analysis: analysis, Candidates: candidates}, nil
}
