package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/batch"
)

// gapFlags are the flags of the ledger.
type gapFlags struct {
	format, since, until, kind, state string
	resolve, dismiss, reopen          []string
	by, note                          string
	recheck                           bool
}

func (c *cli) gapsCommand() *cobra.Command {
	f := &gapFlags{}
	cmd := &cobra.Command{
		Use:   "gaps",
		Short: "List what was asked and the documents could not answer, and say what was done about it",
		Long: `Lists what was asked and the documents could not answer, the most frequent first.
With --resolve, --dismiss or --reopen it says what was done about the gaps of these ids:
a resolved gap that is met again is open again, a dismissed one stays dismissed. A gap
whose question was answered since shows from when on; --recheck asks the open ones
again, as somebody without special rights, and says which are answered now.`,
		Example: `  suffice gaps --state open --since 2026-01-01
  suffice gaps --resolve gap-0c5e1f2a9b3d4e6f --by "Mira Tolland" --note "ferry.md, 2nd edition"
  suffice ingest handbook && suffice gaps --recheck`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := f.query()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			decisions, err := f.decisions()
			if err != nil {
				return err
			}
			return c.with(ctx, true, func(b *backend) error {
				k, err := b.knowledge(ctx)
				if err != nil {
					return err
				}
				switch {
				case len(decisions) > 0:
					return c.decide(ctx, k, decisions)
				case f.recheck:
					return c.recheck(ctx, b, k, q)
				}
				return c.listGaps(ctx, k, q, f.format)
			})
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "text or jsonl")
	fl.StringVar(&f.since, "since", "", "first day, YYYY-MM-DD")
	fl.StringVar(&f.until, "until", "", "last day, YYYY-MM-DD")
	fl.StringVar(&f.kind, "kind", "", "missing, conflict or stale")
	fl.StringVar(&f.state, "state", "", "open, resolved or dismissed")
	fl.StringArrayVar(&f.resolve, "resolve", nil, "the documents were mended: id of a gap; may be repeated")
	fl.StringArrayVar(&f.dismiss, "dismiss", nil, "it needs nothing: id of a gap; may be repeated")
	fl.StringArrayVar(&f.reopen, "reopen", nil, "it is open after all: id of a gap; may be repeated")
	fl.StringVar(&f.by, "by", "", "who decides; needed to resolve, dismiss or reopen")
	fl.StringVar(&f.note, "note", "", "what was done")
	fl.BoolVar(&f.recheck, "recheck", false, "ask the questions of open gaps again and say which are answered now")
	c.dataFlag(cmd)
	c.addrFlag(cmd)
	return cmd
}

// query is the selection of gaps.
func (f *gapFlags) query() (kb.GapQuery, error) {
	q := kb.GapQuery{PageSize: 1000}
	if f.format != "text" && f.format != "jsonl" {
		return q, usage("--format %s: write text or jsonl", f.format)
	}
	var err error
	if q.Since, err = kb.ParseDay(f.since); err != nil {
		return q, usage("--since: %w", err)
	}
	if q.Until, err = kb.ParseDay(f.until); err != nil {
		return q, usage("--until: %w", err)
	}
	switch k := kb.GapKind(strings.ToUpper(f.kind)); k {
	case "", kb.GapMissing, kb.GapConflict, kb.GapStale:
		q.Kind = k
	default:
		return q, usage("--kind %s: write missing, conflict or stale", f.kind)
	}
	switch s := kb.GapState(strings.ToUpper(f.state)); s {
	case "", kb.GapOpen, kb.GapResolved, kb.GapDismissed:
		q.State = s
	default:
		return q, usage("--state %s: write open, resolved or dismissed", f.state)
	}
	return q, nil
}

// decision is what is done about one gap.
type decision struct {
	id string
	kb.GapDecision
}

func (f *gapFlags) decisions() ([]decision, error) {
	var out []decision
	for _, d := range []struct {
		ids   []string
		state kb.GapState
	}{{f.resolve, kb.GapResolved}, {f.dismiss, kb.GapDismissed}, {f.reopen, kb.GapOpen}} {
		for _, id := range d.ids {
			out = append(out, decision{id, kb.GapDecision{State: d.state, By: strings.TrimSpace(f.by), Note: f.note}})
		}
	}
	switch {
	case len(out) == 0 && (f.by != "" || f.note != ""):
		return nil, usage("--by and --note belong to --resolve, --dismiss or --reopen")
	case len(out) > 0 && strings.TrimSpace(f.by) == "":
		return nil, usage("--by is missing: write who decides")
	case len(out) > 0 && f.recheck:
		return nil, usage("--recheck is for itself; decide first, then ask again")
	}
	return out, nil
}

// decide stores the decisions. One about a gap that is not there ends in status 3, after the
// others.
func (c *cli) decide(ctx context.Context, k kb.Knowledge, decisions []decision) error {
	status := exitOK
	for _, d := range decisions {
		err := k.ResolveGap(ctx, d.id, d.GapDecision)
		said := fmt.Sprintf("%s is %s", d.id, d.State)
		if errors.Is(err, kb.ErrNotFound) || errors.Is(err, kb.ErrInvalid) {
			status, said, err = exitFailed, fmt.Sprintf("suffice: %s: %v", d.id, failed(err)), nil
		}
		if err != nil {
			return failed(err)
		}
		if _, err := fmt.Fprintln(c.errOut, said); err != nil {
			return err
		}
	}
	if status != exitOK {
		return &statusError{status: status}
	}
	return nil
}

// eachGap hands out the selected gaps in order.
func eachGap(ctx context.Context, k kb.Knowledge, q kb.GapQuery, do func(kb.Gap) error) error {
	for {
		page, next, err := k.Gaps(ctx, q)
		if err != nil {
			return failed(err)
		}
		for _, g := range page {
			if err := do(g); err != nil {
				return err
			}
		}
		if q.PageToken = next; next == "" {
			return nil
		}
	}
}

func (c *cli) listGaps(ctx context.Context, k kb.Knowledge, q kb.GapQuery, format string) error {
	var all []kb.Gap
	err := eachGap(ctx, k, q, func(g kb.Gap) error {
		if format == "jsonl" {
			return c.line(batch.EncodeGap(g))
		}
		all = append(all, g)
		return nil
	})
	if err != nil || format == "jsonl" {
		return err
	}
	return writeGaps(c.out, all)
}

// recheck asks the newest question of each open gap again and notes those that are answered.
func (c *cli) recheck(ctx context.Context, b *backend, k kb.Knowledge, q kb.GapQuery) error {
	q.State = kb.GapOpen
	var asked []kb.Gap // the order of a ledger that changes is not to be followed
	if err := eachGap(ctx, k, q, func(g kb.Gap) error { asked = append(asked, g); return nil }); err != nil {
		return err
	}
	bar := c.bar()
	defer bar.finish()
	answered := 0
	for i, g := range asked {
		bar.at(i, len(asked), "gaps")
		if len(g.Questions) == 0 {
			continue
		}
		question := g.Questions[0]
		reply, err := b.pipeline.Ask(ctx, kb.AskRequest{Question: kb.Question{Text: question}, NoGaps: true}, nil)
		if err != nil {
			return failed(err)
		}
		if reply.Outcome != kb.Answered || g.Kind == kb.GapConflict && len(reply.Conflicts) > 0 {
			continue
		}
		answered++
		if err := k.RecordAnswers(ctx, []kb.GapAnswer{{Question: question, Kinds: []kb.GapKind{g.Kind}}}); err != nil {
			return failed(err)
		}
		if _, err := fmt.Fprintf(c.out, "%s  answered now: %s\n  %s\n", g.ID, question, strings.ReplaceAll(strings.TrimSpace(reply.Answer), "\n", "\n  ")); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(c.out, "%d of %d open gaps are answered now\n", answered, len(asked))
	return err
}
