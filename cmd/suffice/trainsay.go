package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
)

// saying is one row for models/reader/join.py.
type saying struct {
	Set         string   `json:"set"`
	Kind        string   `json:"kind"`
	Language    string   `json:"lang"`
	Label       bool     `json:"label"`
	Outcome     string   `json:"outcome"`     // without the reader
	Sufficiency float64  `json:"p"`           // of the sufficiency model alone
	Holds       *float64 `json:"h,omitempty"` // of the reader; absent where it has no say
}

func (c *cli) trainSay() *cobra.Command {
	set := trainingSet{cases: ""}
	var out string
	var most, trained int
	cmd := &cobra.Command{
		Use:   "say",
		Short: "Write what the sufficiency model and the reader say of examples, to join them",
		Long: `Judges examples that are not on the test side, and of questions beyond those that the
sufficiency model was trained on, without the reader, and asks the reader of each:
rows of JSON Lines for models/reader/join.py.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.writeSay(cmd.Context(), set, out, most, trained)
		},
	}
	set.flags(cmd, c)
	f := cmd.Flags()
	f.StringVar(&out, "out", "say.jsonl", "file of the rows")
	f.IntVar(&most, "most", 60, "examples taken of each data set")
	f.IntVar(&trained, "trained", 400, "the --limit that the sufficiency model was trained with")
	return cmd
}

func (c *cli) writeSay(ctx context.Context, set trainingSet, path string, most, trained int) (err error) {
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
	judged, err := evaluate.JudgeExamples(ctx, examples, without.Judge, nil)
	if err != nil {
		return err
	}
	said, err := evaluate.JudgeExamples(ctx, examples, func(ctx context.Context, q kb.Question, passages []kb.Passage) ([]float32, kb.Assessment, error) {
		holds, err := with.Reading(ctx, q, passages)
		return nil, kb.Assessment{Sufficiency: holds}, err
	}, nil)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Clean(path))
	if err != nil {
		return usage("--out: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	rows := json.NewEncoder(file)
	for i, e := range examples {
		row := saying{Set: e.Source, Kind: e.Kind, Language: e.Language, Label: e.Sufficient, Outcome: string(judged[i].Outcome), Sufficiency: judged[i].Sufficiency}
		if holds := said[i].Sufficiency; !math.IsNaN(holds) {
			row.Holds = &holds
		}
		if err := rows.Encode(row); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}
