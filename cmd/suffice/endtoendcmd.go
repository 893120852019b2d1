package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
)

func (c *cli) evaluateAnswers() *cobra.Command {
	var shared string
	var sets []string
	var count int
	var least []float64
	var tuning, wrong bool
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Right and wrong answers, false and missed refusals, with paragraphs and with them left out",
		Long: `Asks questions with their paragraph among its three nearest ones, and with four near ones
without it, handed over. --least counts an answer whose reply gives a lower sufficiency as
refused: what callers get who ask for more.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wrong && !tuning {
				return usage("--wrong: questions of the test side are counted, not shown; add --tuning")
			}
			if _, err := fmt.Fprint(c.out, evaluate.EndToEndHead); err != nil {
				return err
			}
			for _, set := range sets {
				questions, err := evaluate.EndToEndQuestions(shared, set, count, !tuning)
				if err != nil {
					return usage("--shared %s: %w", shared, err)
				}
				answers, err := c.endToEnd(cmd.Context(), questions)
				if err != nil {
					return err
				}
				if err := evaluate.WriteEndToEnd(c.out, set, answers, least); err != nil {
					return err
				}
				if wrong {
					if err := evaluate.WriteEndToEndFailures(c.errOut, answers); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	c.setsFlag(cmd, &sets, []string{"cmrc2018", "squad2"}, "data sets")
	f.IntVar(&count, "count", 100, "questions of each set")
	f.Float64SliceVar(&least, "least", []float64{0, 0.8, 0.9}, "sufficiency below which an answer counts as refused, one row each")
	f.BoolVar(&tuning, "tuning", false, "questions of the side that may be read, instead of the test side")
	f.BoolVar(&wrong, "wrong", false, "also list what did not end as it should, on stderr; with --tuning")
	c.sharedFlag(cmd, &shared)
	return cmd
}

// endToEnd asks the questions of an app.
func (c *cli) endToEnd(ctx context.Context, questions []evaluate.EndToEndQuestion) ([]evaluate.EndToEndAnswer, error) {
	_, opt, err := c.options()
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Close() }()
	return evaluate.EndToEnd(ctx, questions, func(ctx context.Context, req kb.AskRequest) (kb.Reply, error) {
		return a.Pipeline().Ask(ctx, req, nil)
	})
}
