package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/kb"
)

func (c *cli) evaluateThresholds() *cobra.Command {
	var set trainingSet
	var target evaluate.ThresholdTarget
	var most int
	var out string
	cmd := &cobra.Command{
		Use:   "thresholds",
		Short: "Choose the thresholds of sufficiency for each class from a target",
		Long: `Judges examples that the model was calibrated on but not fitted to, and none of the test
side, and chooses for each question class below which sufficiency what facts fill is
refused, and from which on a sentence answers what they do not fill: the pair whose shares
of false and missed refusals exceed the target least. Classes with under 40 rows of either
label get the thresholds of all; to the others 50 rows at the rates of all are added.
Shares have 95 % intervals. --out writes them in the form of the configuration file. The
reader is asked as the configuration says.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			choices, err := c.chosenThresholds(cmd.Context(), set, target, most)
			if err != nil {
				return err
			}
			if err := evaluate.WriteThresholds(c.out, choices); err != nil {
				return err
			}
			if out == "" {
				return nil
			}
			var config strings.Builder
			if err := evaluate.WriteThresholdConfig(&config, choices); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Clean(out), []byte(config.String()), 0o644); err != nil {
				return usage("--out: %w", err)
			}
			return nil
		},
	}
	set.flags(cmd, c)
	f := cmd.Flags()
	f.Float64Var(&target.FalseRefusal, "false-refusal", 0.3, "share of sufficient sets that may be refused, 0..1")
	f.Float64Var(&target.MissedRefusal, "missed-refusal", 0.2, "share of insufficient sets that may be answered, 0..1")
	f.IntVar(&most, "most", 250, "examples taken of each data set, so that none decides alone")
	f.StringVar(&out, "out", "", "file to write in the form of the configuration")
	return cmd
}

func (c *cli) chosenThresholds(ctx context.Context, set trainingSet, target evaluate.ThresholdTarget, most int) ([]evaluate.ThresholdChoice, error) {
	all, err := set.examples()
	if err != nil {
		return nil, err
	}
	examples := evaluate.Sampled(slices.DeleteFunc(all, func(e evaluate.SufficiencyExample) bool { return !e.Tuning() }), most)
	open := map[string]string{}
	for _, class := range kb.Classes {
		key := "thresholds." + strings.ToLower(string(class))
		open[key+".sufficiency"], open[key+".sure"] = "0", "0"
	}
	_, covered, err := c.judge(ctx, examples, false, nil)
	if err != nil {
		return nil, err
	}
	j, judged, err := c.judge(ctx, examples, true, open)
	if err != nil {
		return nil, err
	}
	rows := make([]evaluate.ThresholdRow, len(examples))
	for i, e := range examples {
		class, err := j.Class(ctx, kb.Question{Text: e.Question, AsOf: e.AsOf})
		if err != nil {
			return nil, failed(err)
		}
		filled := covered[i].Outcome == kb.Answered
		rows[i] = evaluate.ThresholdRow{
			Class: class, Sufficient: e.Sufficient, Covered: filled, Sufficiency: judged[i].Sufficiency,
			Stateable: !filled && judged[i].Outcome == kb.Answered,
		}
	}
	return evaluate.ChooseThresholds(rows, target), nil
}
