package main

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
)

// saying is one row for models/sufficiency/joint.py.
type saying struct {
	Set         string    `json:"set"`
	Kind        string    `json:"kind"`
	Language    string    `json:"lang"`
	Label       bool      `json:"label"`
	Outcome     string    `json:"outcome"` // without the reader
	Sufficiency float64   `json:"p"`       // of the sufficiency model alone
	Asked       bool      `json:"asked"`   // the reader has a say; the rest is its
	Holds       float64   `json:"h"`
	Answer      float64   `json:"answer"`
	Inputs      []float64 `json:"inputs"` // of the joint, where the reader has a say
	Names       []string  `json:"names"`  // of the inputs
	Question    string    `json:"question"`
	Group       string    `json:"group"`    // the passage asked about
	Features    []any     `json:"features"` // of the sufficiency model, null = not known; none where the question asks back
}

func (c *cli) trainSay() *cobra.Command {
	var set trainingSet
	var out string
	var most, trained int
	cmd := &cobra.Command{
		Use:   "say",
		Short: "Write what the sufficiency model and the reader say of examples, to join them",
		Long: `Judges examples that are not on the test side, and of questions beyond those that the
sufficiency model was trained on, and of the written passages that no single model was
trained on, without the reader, and asks the reader of each: rows of JSON Lines for
models/sufficiency/joint.py.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.writeSay(cmd.Context(), set, out, most, trained)
		},
	}
	set.flags(cmd, c)
	f := cmd.Flags()
	f.StringVar(&out, "out", "say.jsonl", "file of the rows")
	f.IntVar(&most, "most", 60, "examples taken of each data set")
	f.IntVar(&trained, "trained", 800, "the --limit that the sufficiency model was trained with")
	return cmd
}

func (c *cli) writeSay(ctx context.Context, set trainingSet, path string, most, trained int) error {
	src, err := c.sources()
	if err != nil {
		return err
	}
	mode := func(value string) (*app.SufficiencyJudge, error) {
		own := src
		own.Flags = map[string]string{"reader.mode": value, "reader.budget": "1m"}
		for k, v := range src.Flags {
			own.Flags[k] = v
		}
		return app.NewSufficiencyJudge(own, true)
	}
	without, err := mode("off")
	if err != nil {
		return err
	}
	with, err := mode("always")
	if err != nil {
		return err
	}
	all, err := evaluate.SufficiencySets(set.shared, set.limit)
	if errors.Is(err, evaluate.ErrNoData) {
		return usage("--shared %s: %w", set.shared, err)
	}
	if err != nil {
		return err
	}
	known, err := evaluate.SufficiencySets(set.shared, trained)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, e := range known {
		seen[e.Source+"\n"+e.Question] = true
	}
	taken := map[string]int{}
	var examples []evaluate.SufficiencyExample
	for _, e := range all {
		if !e.Test && !seen[e.Source+"\n"+e.Question] && taken[e.Source] < most {
			taken[e.Source]++
			examples = append(examples, e)
		}
	}
	passages, err := evaluate.LoadWritten(set.written)
	if err != nil {
		return usage("--written %s: %w", set.written, err)
	}
	questions, _ := evaluate.WrittenExamples(slices.DeleteFunc(passages, func(p evaluate.WrittenPassage) bool { return !p.Joining() }))
	examples = append(examples, questions...)
	own, err := evaluate.CaseSufficiency(set.cases)
	if err != nil && !errors.Is(err, evaluate.ErrNoData) {
		return usage("--cases %s: %w", set.cases, err)
	}
	for _, e := range own {
		if !e.Test {
			examples = append(examples, e)
		}
	}
	judged, err := evaluate.JudgeExamples(ctx, examples, without.Judge, nil)
	if err != nil {
		return err
	}
	said, err := evaluate.Each(ctx, examples, func(ctx context.Context, e *evaluate.SufficiencyExample) (app.Said, error) {
		return with.Reading(ctx, kb.Question{Text: e.Question, AsOf: e.AsOf}, e.Passages)
	})
	if err != nil {
		return err
	}
	rows := make([]saying, len(examples))
	for i, e := range examples {
		rows[i] = saying{Set: e.Source, Kind: e.Kind, Language: e.Language, Label: e.Sufficient, Outcome: string(judged[i].Outcome), Sufficiency: judged[i].Sufficiency,
			Asked: said[i].Asked, Holds: said[i].Holds, Answer: said[i].Answer, Group: e.Group, Question: e.Question}
		if said[i].Asked {
			rows[i].Names, rows[i].Inputs = app.JointInputs(), said[i].Inputs(judged[i].Sufficiency)
		}
		for _, v := range judged[i].Row {
			if math.IsNaN(float64(v)) {
				rows[i].Features = append(rows[i].Features, nil)
			} else {
				rows[i].Features = append(rows[i].Features, v)
			}
		}
	}
	return writeRows(path, rows)
}
