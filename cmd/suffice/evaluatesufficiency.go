package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
)

func (c *cli) evaluateSufficiency() *cobra.Command {
	var set trainingSet
	var kinds bool
	cmd := &cobra.Command{
		Use:   "sufficiency",
		Short: "Measure whether sufficient passages are told from insufficient ones",
		Long: `Judges the test examples, which no model was trained on: AUROC of the sufficiency
beside word overlap and coverage alone, its calibration, and how often the outcome
refuses wrongly or fails to refuse, with 95 % intervals. The figures of coverage alone,
without the model, come first.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.measureSufficiency(cmd.Context(), set, kinds)
		},
	}
	set.flags(cmd, c)
	f := cmd.Flags()
	f.BoolVar(&kinds, "kinds", false, "a row for each kind of insufficient example too")
	return cmd
}

func (c *cli) measureSufficiency(ctx context.Context, set trainingSet, kinds bool) error {
	all, err := set.examples()
	if err != nil {
		return err
	}
	var examples []evaluate.SufficiencyExample
	for _, e := range all {
		if e.Test {
			examples = append(examples, e)
		}
	}
	_, covered, err := c.judge(ctx, examples, false, nil)
	if err != nil {
		return err
	}
	j, judged, err := c.judge(ctx, examples, true, nil)
	if err != nil {
		return err
	}
	print := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(c.out, format, args...)
		}
	}
	print("Coverage alone\n\n")
	if err == nil {
		err = evaluate.WriteSufficiency(c.out, evaluate.MeasureSufficiency(covered, kinds))
	}
	print("\nModel %s\n\n", j.Version)
	if err == nil {
		err = evaluate.WriteSufficiency(c.out, evaluate.MeasureSufficiency(judged, kinds))
	}
	return err
}
