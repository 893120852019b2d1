package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
)

func (c *cli) evaluateFacts() *cobra.Command {
	var shared string
	cmd := &cobra.Command{
		Use:   "facts",
		Short: "Measure the facts engine on tables, versions of laws and contradicting documents",
		Long: `Measures reading, coverage and conflicts of facts without any model: whether the right
cell of a table fills the slots of a question (aitqa, tatqa), whether changed numbers of laws
are found as conflicts (laws-zh; also with numbers that were edited into unchanged articles), and
whether wrong documents are seen (ramdocs); with 95 % intervals and the largest kinds of misses.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.measureFacts(cmd.Context(), shared) },
	}
	c.sharedFlag(cmd, &shared)
	return cmd
}

// mostKinds is how many kinds of misses are listed.
const mostKinds = 10

func (c *cli) measureFacts(ctx context.Context, shared string) error {
	src, err := c.sources()
	if err != nil {
		return err
	}
	r, err := app.NewFactReader(src)
	if err != nil {
		return err
	}
	var kinds evaluate.MissKinds
	var rows []evaluate.TableRow
	for _, set := range []string{"aitqa", "tatqa"} {
		questions, err := evaluate.TableSet(shared, set)
		if err != nil {
			return noData(shared, err)
		}
		for _, held := range []bool{false, true} {
			half := questions[:0:0]
			for _, q := range questions {
				if q.Test == held {
					half = append(half, q)
				}
			}
			for _, s := range []struct {
				name  string
				slots evaluate.Slots
			}{{"asked", evaluate.AskedSlots(r.Needs)}, {"derived", evaluate.DerivedSlots}, {"headings", evaluate.HeadingSlots(r.Precheck.Analyze)}} {
				label := fmt.Sprintf("%s %s %s", set, s.name, map[bool]string{false: "tuning", true: "held out"}[held])
				row, err := evaluate.Tables(ctx, r.Engine, r.Precheck.Analyze, s.slots, label, half)
				if err != nil {
					return err
				}
				rows = append(rows, row)
				if s.name == "derived" {
					kinds.Tables(set, held, row)
				}
			}
		}
	}
	if err := evaluate.WriteTables(c.out, rows); err != nil {
		return err
	}
	pairs, err := evaluate.ArticlePairs(shared)
	if err != nil {
		return noData(shared, err)
	}
	var laws []evaluate.LawsReport
	for _, set := range []struct {
		name  string
		pairs []evaluate.ArticlePair
	}{{"versions", pairs}, {"edited", evaluate.EditedPairs(pairs)}} {
		for _, need := range []bool{true, false} {
			report, err := evaluate.Laws(ctx, r.Engine, set.pairs, need)
			if err != nil {
				return err
			}
			report.Set = set.name
			laws = append(laws, report)
			kinds.Laws(report)
		}
	}
	if err := evaluate.WriteLaws(c.out, laws...); err != nil {
		return err
	}
	groups, err := evaluate.RAMGroups(shared)
	if err != nil {
		return noData(shared, err)
	}
	ram, err := evaluate.RAMDocs(ctx, r.Engine, r.Precheck.Analyze, r.Needs, groups)
	if err != nil {
		return err
	}
	if err := evaluate.WriteRAM(c.out, ram); err != nil {
		return err
	}
	kinds.RAM(ram)
	return kinds.Write(c.out, mostKinds)
}

// noData says which folder lacks a data set.
func noData(shared string, err error) error {
	if errors.Is(err, evaluate.ErrNoData) {
		return usage("--shared %s: %w", shared, err)
	}
	return err
}
