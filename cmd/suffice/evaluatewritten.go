package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
)

func (c *cli) evaluateWritten() *cobra.Command {
	var dir string
	var wrong, heldOut, joining, other bool
	var claims string
	cmd := &cobra.Command{
		Use:   "written",
		Short: "Measure assess and verify on passages written with questions and claims",
		Long: `Assesses every question and checks every claim of the written passages, each passage
alone: false and missed refusals, whether the answer stands in the evidence of a slot,
and claims by label and verdict, per language and kind, with 95 % intervals. Passages of
the side of the split that no tuning reads are left out; --held-out measures those.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wrong && heldOut {
				return usage("--wrong: held-out passages are counted, not shown; leave out --wrong or --held-out")
			}
			judged, err := c.judgedWritten(cmd.Context(), dir, heldOut, joining, other, claims)
			if err != nil {
				return err
			}
			if wrong {
				if err := evaluate.WriteWrittenFailures(c.out, judged); err != nil {
					return err
				}
			}
			return evaluate.WriteWritten(c.out, evaluate.MeasureWritten(judged))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", filepath.Join("models", "written"), "folder of the written passages, *.jsonl")
	cmd.Flags().BoolVar(&wrong, "wrong", false, "also list what was judged wrongly")
	cmd.Flags().BoolVar(&heldOut, "held-out", false, "the passages that no tuning reads, instead of the others")
	cmd.Flags().BoolVar(&joining, "joining", false, "of the others those alone that no single model was trained on")
	cmd.Flags().BoolVar(&other, "other-language", false, "of their questions and claims those alone that are in another language than the passage")
	cmd.Flags().StringVar(&claims, "claims", "", "no questions, and the claims as they are (single) or two by two in one sentence (joined)")
	return cmd
}

func (c *cli) judgedWritten(ctx context.Context, dir string, heldOut, joining, other bool, claims string) ([]evaluate.JudgedWritten, error) {
	passages, err := evaluate.LoadWritten(dir)
	if err != nil {
		return nil, usage("--dir %s: %w", dir, err)
	}
	passages = slices.DeleteFunc(passages, func(p evaluate.WrittenPassage) bool { return p.Test() != heldOut || joining && !p.Joining() })
	if other {
		for i := range passages {
			passages[i].KeepOtherLanguage()
		}
		passages = slices.DeleteFunc(passages, func(p evaluate.WrittenPassage) bool { return len(p.Questions)+len(p.Claims) == 0 })
	}
	for i := range passages {
		switch claims {
		case "":
		case "single":
			passages[i].Questions = nil
		case "joined":
			passages[i] = passages[i].JoinedClaims()
		default:
			return nil, usage("--claims %q: write single or joined, or leave it out", claims)
		}
	}
	src, err := c.sources()
	if err != nil {
		return nil, err
	}
	assess, err := app.NewSufficiencyJudge(src, true)
	if err != nil {
		return nil, err
	}
	verify, err := app.NewClaimJudge(src, true)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	judged, err := evaluate.JudgeWritten(ctx, passages, assess.Judge, verify.Verify, func(done, total int) {
		_, _ = fmt.Fprintf(c.errOut, "\rjudged %d of %d passages, %s", done, total, time.Since(start).Round(time.Second))
	})
	_, _ = fmt.Fprintln(c.errOut)
	return judged, err
}
