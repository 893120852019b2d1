package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/telemetry"
)

func (c *cli) evaluateAnswers() *cobra.Command {
	var shared string
	var sets []string
	var count int
	var sure []float64
	var wrong bool
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Right and wrong answers, false and missed refusals, with paragraphs and with them left out",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var rows []evaluate.EndToEndFigures
			for _, set := range sets {
				questions, err := evaluate.EndToEndQuestions(shared, set, count)
				if err != nil {
					return usage("--shared %s: %w", shared, err)
				}
				for _, s := range sure {
					f, err := c.endToEnd(cmd.Context(), questions, s)
					if err != nil {
						return err
					}
					f.Set, f.Sure = set, s
					for _, w := range f.WrongOnes {
						if wrong {
							_, _ = fmt.Fprintln(c.errOut, w)
						}
					}
					rows = append(rows, f)
				}
			}
			return evaluate.WriteEndToEnd(c.out, rows)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&sets, "set", []string{"cmrc2018", "squad2"}, "data sets")
	f.IntVar(&count, "count", 100, "questions of each set")
	f.Float64SliceVar(&sure, "sure", []float64{0.6, 0.7, 0.85}, "values of thresholds.<class>.sure to compare")
	f.BoolVar(&wrong, "wrong", false, "also list the wrong answers, on stderr")
	c.sharedFlag(cmd, &shared)
	return cmd
}

// endToEnd asks the questions of an app whose classes all answer from this probability
// on.
func (c *cli) endToEnd(ctx context.Context, questions []evaluate.EndToEndQuestion, sure float64) (evaluate.EndToEndFigures, error) {
	src, err := c.sources()
	if err != nil {
		return evaluate.EndToEndFigures{}, err
	}
	for _, class := range kb.Classes {
		src.Flags["thresholds."+strings.ToLower(string(class))+".sure"] = fmt.Sprint(sure)
	}
	cfg, err := loadConfig(src)
	if err != nil {
		return evaluate.EndToEndFigures{}, err
	}
	log, err := telemetry.Logger(c.errOut, cfg.Telemetry)
	if err != nil {
		return evaluate.EndToEndFigures{}, err
	}
	a, err := app.Open(ctx, app.Options{Sources: src, Build: c.build, Logger: log})
	if err != nil {
		return evaluate.EndToEndFigures{}, err
	}
	defer func() { _ = a.Close() }()
	return evaluate.EndToEnd(ctx, questions, func(ctx context.Context, req kb.AskRequest) (kb.Reply, error) {
		return a.Pipeline().Ask(ctx, req, nil)
	})
}
