package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/batch"
)

func (c *cli) explainCommand() *cobra.Command {
	f := &callFlags{}
	cmd := &cobra.Command{
		Use:   "explain QUESTION",
		Short: "Say why passages suffice or not: what precheck read, coverage, what each feature adds",
		Long: `Assesses as assess does, and adds which rules and features decided the class of the
question, and what each feature of the passages adds to the log-odds that they suffice,
by TreeSHAP, greatest first. Without --passage the passages are those that retrieve finds.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.format != "text" && f.format != "json" {
				return usage("--format %s: write text or json", f.format)
			}
			return c.explain(cmd.Context(), f, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "text or json")
	fl.StringVar(&f.asOf, "as-of", "", "day the question is asked, YYYY-MM-DD (default: today)")
	fl.StringArrayVar(&f.passages, "passage", nil, "text file to judge; may be repeated (default: what retrieve finds)")
	c.dataFlag(cmd)
	return cmd
}

func (c *cli) explain(ctx context.Context, f *callFlags, question string) error {
	return c.judging(ctx, f, question, func(b *backend, req kb.AskRequest) error {
		analysis, versions, err := b.pipeline.Precheck(ctx, req.Question)
		if err != nil {
			return failed(err)
		}
		req.Explain = true
		reply, err := b.pipeline.Assess(ctx, req)
		if err != nil {
			return failed(err)
		}
		if f.format == "json" {
			return c.explained(analysis, versions, reply)
		}
		if err := writeAnalysis(c.out, analysis, true); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.out); err != nil {
			return err
		}
		if err := writeAssessment(c.out, reply, question); err != nil {
			return err
		}
		return writeContributions(c.out, reply.Assessment, question)
	})
}

// explained prints one object: the lines of precheck and of assess.
func (c *cli) explained(a kb.Analysis, versions kb.Versions, reply kb.Reply) error {
	var parts [2]json.RawMessage
	var err error
	if parts[0], err = batch.EncodePrecheck("", a, versions); err != nil {
		return err
	}
	if parts[1], err = batch.EncodeAssess("", reply); err != nil {
		return err
	}
	line, err := json.Marshal(struct {
		Precheck json.RawMessage `json:"precheck"`
		Assess   json.RawMessage `json:"assess"`
	}{parts[0], parts[1]})
	return c.line(line, err)
}

// leastShown is the least contribution, in log-odds, that is printed.
const leastShown = 0.01

// writeContributions prints what each feature adds to the log-odds, greatest first. All
// passages of an assessment share it: it is of the set.
func writeContributions(w io.Writer, a kb.Assessment, question string) error {
	var list []kb.Contribution
	for _, p := range a.Passages {
		if len(p.Contributions) > 0 {
			list = append(list, p.Contributions...)
			break
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return math.Abs(list[i].Contribution) > math.Abs(list[j].Contribution) })
	var lines []string
	for _, x := range list {
		if math.Abs(x.Contribution) >= leastShown {
			lines = append(lines, fmt.Sprintf("%-15s %8.3f  %+.3f", x.Feature, x.Value, x.Contribution))
		}
	}
	ph := speak("", question)
	p := &page{w: w, ph: ph}
	p.section(ph.contributions+" ("+string(a.Method)+")", lines)
	return p.err
}
