package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
)

func (c *cli) evaluateOrder() *cobra.Command {
	var shared string
	var sets []string
	var every int
	cmd := &cobra.Command{
		Use:   "order",
		Short: "The order of the rerank layer beside that of retrieval, and the sufficiency of what is retrieved",
		Long: `Retrieves ten passages for each question, each set alone in a data folder that is thrown
away, and compares the three best in the order of retrieval and of rerank: how often they
cover what is asked (FGC of 0.95 or more), hold a conflict that nothing resolves, and hold
the relevant document. Also how well the sufficiency tells the three best from the three
best without the relevant document, beside word overlap, the top retrieval score and FGC.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 1 {
				return usage("--every %d: write a number from 1", every)
			}
			var rows []evaluate.OrderFigures
			for _, name := range sets {
				set, err := evaluate.LoadRetrievalSet(shared, name)
				if err != nil {
					return usage("--shared %s: %w", shared, err)
				}
				set.Questions = sample(set.Questions, every)
				row, err := c.order(cmd.Context(), set)
				if err != nil {
					return err
				}
				rows = append(rows, row)
			}
			return evaluate.WriteOrder(c.out, rows)
		},
	}
	c.setsFlag(cmd, &sets, []string{"cmrc2018", "squad2"}, "data sets: "+strings.Join(evaluate.RetrievalSets, ", "))
	cmd.Flags().IntVar(&every, "every", 1, "take every nth question")
	c.sharedFlag(cmd, &shared)
	return cmd
}

func (c *cli) order(ctx context.Context, set evaluate.RetrievalSet) (row evaluate.OrderFigures, err error) {
	err = c.over(ctx, set, func(a *app.App) error {
		row, err = evaluate.MeasureOrder(ctx, set, func(ctx context.Context, question string, k int) ([]kb.Candidate, error) {
			_, got, _, err := a.Pipeline().Retrieve(ctx, kb.AskRequest{Question: kb.Question{Text: question}, TopK: k})
			return got.Candidates, err
		}, func(ctx context.Context, question string, found []kb.Candidate) (kb.Assessment, error) {
			return a.Pipeline().AssessFound(ctx, kb.Question{Text: question}, found)
		})
		return failed(err)
	})
	return row, err
}
