package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
)

// voting is one row for models/wording/joint.py.
type voting struct {
	Set      string  `json:"set"`
	Kind     string  `json:"kind"`
	Language string  `json:"lang"`
	Label    string  `json:"label"` // as of written claims
	Verdict  string  `json:"verdict"`
	Heard    string  `json:"heard,omitempty"` // "" = facts decide
	Said     float64 `json:"said"`            // of words, or of facts where words decide nothing
	Yes      float64 `json:"yes"`             // the reader's vote
	No       float64 `json:"no"`
}

func (c *cli) trainVotes() *cobra.Command {
	var set claimSet
	var out, written, cases string
	cmd := &cobra.Command{
		Use:   "votes",
		Short: "Write what facts, words and the reader say of claims, to join them",
		Long: `Checks claims of known truth that no single model was trained on, the written ones of the
side for joining, the half of the behaviour cases that is not held out, and those of
public sets that are not on the test side, and asks the reader of each: rows of JSON Lines for models/wording/joint.py. Answers of several claims
and claims of several parts are left out.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.writeVotes(cmd.Context(), set, out, written, cases)
		},
	}
	set.flags(cmd, c, []string{"perturbed-en", "perturbed-zh"})
	f := cmd.Flags()
	f.StringVar(&out, "out", "votes.jsonl", "file of the rows")
	f.StringVar(&written, "written", filepath.Join("models", "written"), "folder of the written passages")
	f.StringVar(&cases, "cases", filepath.Join("testdata", "cases"), "folder of behaviour cases; left out where it is not there")
	return cmd
}

func (c *cli) writeVotes(ctx context.Context, set claimSet, path, written, cases string) error {
	src, err := c.sources()
	if err != nil {
		return err
	}
	flags := map[string]string{"reader.mode": "always", "reader.budget": "1m"}
	for k, v := range src.Flags {
		flags[k] = v
	}
	src.Flags = flags
	judge, err := app.NewClaimJudge(src, true)
	if err != nil {
		return err
	}
	passages, err := evaluate.LoadWritten(written)
	if err != nil {
		return usage("--written %s: %w", written, err)
	}
	_, examples := evaluate.WrittenExamples(slices.DeleteFunc(passages, func(p evaluate.WrittenPassage) bool { return !p.Joining() }))
	public, err := evaluate.ClaimSets(set.shared, set.limit, set.sets)
	if err != nil && !errors.Is(err, evaluate.ErrNoData) {
		return usage("--shared %s: %w", set.shared, err)
	}
	own, err := evaluate.CaseClaims(cases)
	if err != nil && !errors.Is(err, evaluate.ErrNoData) {
		return usage("--cases %s: %w", cases, err)
	}
	for _, e := range append(own, public...) {
		if !e.Test {
			examples = append(examples, e)
		}
	}
	rows, err := evaluate.Each(ctx, examples, func(ctx context.Context, e *evaluate.ClaimExample) (*voting, error) {
		votes, err := judge.Votes(ctx, kb.VerifyRequest{Question: e.Question, Answer: e.Answer, Passages: e.Passages, AsOf: e.AsOf()})
		if err != nil || len(votes) != 1 || votes[0].Parts > 0 {
			return nil, err
		}
		return votingOf(e, votes[0]), nil
	})
	if err != nil {
		return err
	}
	return writeRows(path, slices.DeleteFunc(rows, func(r *voting) bool { return r == nil }))
}

func votingOf(e *evaluate.ClaimExample, v app.ClaimVote) *voting {
	row := &voting{Set: e.Source, Kind: e.Kind, Language: e.Language, Label: "NOT_SUPPORTED", Verdict: string(v.Verdict), Heard: v.Heard, Said: v.Said, Yes: v.Yes, No: v.No}
	switch {
	case e.Supported:
		row.Label = string(kb.ClaimSupported)
	case e.Contrary:
		row.Label = string(kb.ClaimContradicted)
	case e.Silent:
		row.Label = string(kb.ClaimUnsupported)
	}
	return row
}
