package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/model/linear"
)

// claimSet names where labelled claims come from.
type claimSet struct {
	shared string
	limit  int
	sets   []string

	written string // folder of written passages, whose claims are examples too; "" = none
}

func (s *claimSet) flags(cmd *cobra.Command, c *cli, sets []string) {
	c.sharedFlag(cmd, &s.shared)
	cmd.Flags().IntVar(&s.limit, "limit", 1000, "examples taken of each data set; 0 = all")
	c.setsFlag(cmd, &s.sets, sets, "data sets: "+strings.Join(evaluate.ClaimSources, ", "))
}

// judgedClaims checks the examples of one side of the split.
func (c *cli) judgedClaims(ctx context.Context, set claimSet, test, learned bool) ([]evaluate.JudgedClaims, error) {
	all, err := evaluate.ClaimSets(set.shared, set.limit, set.sets)
	if err != nil {
		return nil, usage("--shared %s: %w", set.shared, err)
	}
	if set.written != "" {
		passages, err := evaluate.LoadWritten(set.written)
		if err != nil {
			return nil, usage("--written %s: %w", set.written, err)
		}
		all = append(all, evaluate.WrittenClaims(passages)...)
	}
	var examples []evaluate.ClaimExample
	for _, e := range all {
		if e.Test == test {
			examples = append(examples, e)
		}
	}
	src, err := c.sources()
	if err != nil {
		return nil, err
	}
	j, err := app.NewClaimJudge(src, learned)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	judged, err := evaluate.JudgeClaims(ctx, examples, j.Judge, func(done, total int) {
		_, _ = fmt.Fprintf(c.errOut, "\rchecked %d of %d answers, %s", done, total, time.Since(start).Round(time.Second))
	})
	_, _ = fmt.Fprintln(c.errOut)
	return judged, err
}

func (c *cli) evaluateVerification() *cobra.Command {
	var set claimSet
	var kinds, factsOnly bool
	var misses string
	cmd := &cobra.Command{
		Use:   "verification",
		Short: "Measure whether unsupported claims are told from supported ones",
		Long: `Checks answers of known truth, of the side of each set that no trainer reads:
balanced accuracy and F1 of "unsupported" with 95 % intervals, beside word overlap at
the threshold that is best on the same rows, and whether every quote is its span.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			judged, err := c.judgedClaims(cmd.Context(), set, true, !factsOnly)
			if err != nil {
				return err
			}
			for _, j := range judged {
				if j.Source == misses && j.Flagged() == j.Supported {
					_, _ = fmt.Fprintf(c.errOut, "supported %t, %s (%s): %s\n  %+v\n", j.Supported, j.Verification.Verdict, j.Kind, j.Answer, j.Verification.Claims)
				}
			}
			return evaluate.WriteClaims(c.out, evaluate.MeasureClaims(judged, kinds))
		},
	}
	set.flags(cmd, c, evaluate.ClaimSources)
	cmd.Flags().BoolVar(&kinds, "kinds", false, "a row for each kind of unsupported answer too")
	cmd.Flags().BoolVar(&factsOnly, "facts", false, "facts alone, without the wording model")
	cmd.Flags().StringVar(&misses, "misses", "", "also list the answers of one set that were judged wrongly, on stderr")
	return cmd
}

// wordingSets are what the wording model learns from.
var wordingSets = []string{"fever", "wice", "contract-nli", "gaokao", "perturbed-en", "perturbed-zh"}

func (c *cli) trainWording() *cobra.Command {
	var set claimSet
	var out string
	cmd := &cobra.Command{
		Use:   "wording",
		Short: "Train the model that joins facts, words and the reader's vote of a claim",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			judged, err := c.judgedClaims(cmd.Context(), set, false, false)
			if err != nil {
				return err
			}
			m, said, err := fitWording(evaluate.ClaimRows(judged))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(out, "model.bin"), m.Encode(), 0o644); err != nil { //nolint:gosec // a model is no secret
				return err
			}
			_, err = fmt.Fprint(c.out, said)
			return err
		},
	}
	set.flags(cmd, c, wordingSets)
	cmd.Flags().StringVar(&set.written, "written", "", "folder of written passages whose claims are learned from, too")
	cmd.Flags().StringVar(&out, "out", filepath.Join("models", "wording"), "folder that the model is written to")
	return cmd
}

// fitWording trains on the rows so that each set counts by the root of its size and, in
// it, each verdict alike, and calibrates on the dev rows. It also says, by set, how well
// the dev claims are told apart without the model and with it.
func fitWording(rows []evaluate.ClaimRow) (*linear.Model, string, error) {
	type cell struct {
		source    string
		supported bool
	}
	count, size := map[cell]float64{}, map[string]float64{}
	for _, r := range rows {
		count[cell{r.Source, r.Supported}]++
		size[r.Source]++
	}
	weigh := func(r evaluate.ClaimRow) linear.Example {
		e := linear.Example{Input: linear.Input{Features: r.Features}, Weight: math.Sqrt(size[r.Source]) / count[cell{r.Source, r.Supported}]}
		if r.Supported {
			e.Class = 1
		}
		return e
	}
	var train, dev []linear.Example
	for _, r := range rows {
		if count[cell{r.Source, true}] == 0 || count[cell{r.Source, false}] == 0 {
			continue // of one verdict alone it would teach which set it is
		}
		if r.Dev {
			dev = append(dev, weigh(r))
		} else {
			train = append(train, weigh(r))
		}
	}
	m, err := linear.Train(linear.Training{Bits: 13, Classes: 2, Epochs: 8, Rate: 0.05, Decay: 1e-4, Seed: 1}, train)
	if err != nil {
		return nil, "", fmt.Errorf("train wording: %w", err)
	}
	loss := m.Calibrate(dev)
	var said strings.Builder
	_, _ = fmt.Fprintf(&said, "%d train claims, %d for calibration, loss %.3f\n", len(train), len(dev), loss)
	p := make([]float64, 2)
	for _, source := range slices.Sorted(maps.Keys(size)) {
		var n, alone, with [2]float64
		for _, r := range rows {
			if !r.Dev || r.Source != source {
				continue
			}
			c := 0
			if r.Supported {
				c = 1
			}
			n[c]++
			if r.Found == r.Supported {
				alone[c]++
			}
			if m.Predict(linear.Input{Features: r.Features}, p); (p[1] > 0.5) == r.Supported {
				with[c]++
			}
		}
		if n[0] > 0 && n[1] > 0 {
			_, _ = fmt.Fprintf(&said, "%-14s %4.0f dev claims: balanced accuracy %.3f by facts, %.3f with the model\n", source, n[0]+n[1], (alone[0]/n[0]+alone[1]/n[1])/2, (with[0]/n[0]+with[1]/n[1])/2)
		}
	}
	return m, said.String(), nil
}
