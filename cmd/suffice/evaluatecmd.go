package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest"
)

func (c *cli) evaluateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "evaluate",
		Short: "Measure on public data sets",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.evaluateCorpus(), c.evaluateFacts(), c.evaluateRetrieval(), c.evaluateRoutes(), c.evaluateAsk(), c.evaluateSufficiency(), c.evaluateThresholds(), c.evaluateOrder(), c.evaluateVerification(), c.evaluateAnswers(), c.evaluateWritten())
	return cmd
}

// sharedFlag adds the flag of the folder of public data.
func (c *cli) sharedFlag(cmd *cobra.Command, shared *string) {
	d := c.getenv("SUFFICE_SHARED")
	if d == "" {
		d = filepath.Join("..", "shared")
	}
	cmd.Flags().StringVar(shared, "shared", d, "folder that holds data/SET; SUFFICE_SHARED")
}

func (c *cli) evaluateCorpus() *cobra.Command {
	var shared, out string
	var sets []string
	cmd := &cobra.Command{
		Use:   "corpus",
		Short: "Write public documents as JSON Lines, one file a set, for suffice ingest",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := os.MkdirAll(out, 0o755); err != nil {
				return usage("--out: %w", err)
			}
			for _, set := range sets {
				docs, err := evaluate.Corpus(shared, set)
				if err != nil {
					return usage("--shared %s: %w", shared, err)
				}
				if err := writeCorpus(filepath.Join(out, set+".jsonl"), docs); err != nil {
					return err
				}
				if _, err := fmt.Fprintf(c.out, "%s: %d documents\n", set, len(docs)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "corpus", "folder to write to")
	c.setsFlag(cmd, &sets, evaluate.CorpusSets, "data sets")
	c.sharedFlag(cmd, &shared)
	return cmd
}

func writeCorpus(path string, docs []kb.Document) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := evaluate.WriteCorpus(f, docs); err != nil {
		_ = f.Close() // the write has failed already
		return err
	}
	return f.Close()
}

// evaluateRetrieval measures recall on each set alone, in a data folder that is
// thrown away.
func (c *cli) evaluateRetrieval() *cobra.Command {
	var shared string
	var sets []string
	var every int
	cmd := &cobra.Command{
		Use:   "retrieval",
		Short: "Recall and rank of each route and of all fused, by data set",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 1 {
				return usage("--every %d: write a number from 1", every)
			}
			var rows []evaluate.RecallRow
			for _, name := range sets {
				set, err := evaluate.LoadRetrievalSet(shared, name)
				if err != nil {
					return usage("--shared %s: %w", shared, err)
				}
				set.Questions = sample(set.Questions, every)
				found, err := c.recall(cmd.Context(), set)
				if err != nil {
					return err
				}
				rows = append(rows, found...)
			}
			return evaluate.WriteRecall(c.out, rows)
		},
	}
	c.setsFlag(cmd, &sets, []string{"cmrc2018", "squad2"}, "data sets: "+strings.Join(evaluate.RetrievalSets, ", "))
	cmd.Flags().IntVar(&every, "every", 1, "take every nth question")
	c.sharedFlag(cmd, &shared)
	return cmd
}

func sample[T any](list []T, every int) []T {
	var out []T
	for i := 0; i < len(list); i += every {
		out = append(out, list[i])
	}
	return out
}

func (c *cli) recall(ctx context.Context, set evaluate.RetrievalSet) (rows []evaluate.RecallRow, err error) {
	err = c.over(ctx, set, func(a *app.App) error {
		rows, err = evaluate.Recall(ctx, set, evaluate.ByRoute(), nil, func(ctx context.Context, req kb.RetrieveRequest) (kb.Retrieved, error) {
			_, got, _, err := a.Pipeline().Retrieve(ctx, kb.AskRequest{
				Question: kb.Question{Text: req.Analysis.Question}, TopK: req.TopK, Only: req.Only, Weights: req.Weights,
			})
			return got, err
		})
		return failed(err)
	})
	return rows, err
}

// over runs something on a data folder that holds a set alone and is thrown away.
func (c *cli) over(ctx context.Context, set evaluate.RetrievalSet, run func(a *app.App) error) error {
	dir, err := os.MkdirTemp("", "suffice-evaluate-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	a, err := c.evaluated(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	k, err := a.Knowledge(ctx)
	if err != nil {
		return err
	}
	if set.Folder != "" {
		if _, err := ingest.New(k, ingest.Options{}).Paths(ctx, set.Folder); err != nil {
			return failed(err)
		}
	}
	for batch := range slices.Chunk(set.Documents, 256) {
		if _, err := k.Put(ctx, batch); err != nil {
			return failed(err)
		}
	}
	if err := a.EmbedAll(ctx); err != nil {
		return failed(err)
	}
	return run(a)
}

// evaluateRoutes measures the routes by class and fits the weights, each set alone in a
// data folder that is thrown away.
func (c *cli) evaluateRoutes() *cobra.Command {
	var shared, out, scores string
	var sets []string
	var every int
	cmd := &cobra.Command{
		Use:   "routes",
		Short: "Recall of each route by question class, and fusion weights fitted by class",
		Long: "Measures recall@10 of each route by question class with 95 % intervals, fits the fusion\n" +
			"weights on the fitting side of the sets, and measures them on the test side. --out writes\n" +
			"the routes that are off and the weights in the form of the configuration file.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if every < 1 {
				return usage("--every %d: write a number from 1", every)
			}
			questions, err := c.routed(cmd.Context(), shared, sets, every)
			if err != nil {
				return err
			}
			if scores != "" {
				var b bytes.Buffer
				if err := evaluate.WriteScores(&b, questions); err != nil {
					return err
				}
				if err := os.WriteFile(scores, b.Bytes(), 0o644); err != nil {
					return err
				}
			}
			return c.reportRoutes(questions, out)
		},
	}
	c.setsFlag(cmd, &sets, []string{"cmrc2018", "squad2", "lecoqa-stard", "hotpotqa", "gitlab-handbook", "handbook-hard", "handbook-cross"}, "data sets: "+strings.Join(evaluate.RetrievalSets, ", "))
	cmd.Flags().IntVar(&every, "every", 12, "take every nth question of the sets with more than 300")
	cmd.Flags().StringVar(&out, "out", "", "file to write in the form of the configuration")
	cmd.Flags().StringVar(&scores, "scores", "", "file to write what each passage scores by each route, a JSON object a question")
	c.sharedFlag(cmd, &shared)
	return cmd
}

func (c *cli) routed(ctx context.Context, shared string, sets []string, every int) ([]evaluate.RoutedQuestion, error) {
	var out []evaluate.RoutedQuestion
	for _, name := range sets {
		set, err := evaluate.LoadRetrievalSet(shared, name)
		if err != nil {
			return nil, usage("--shared %s: %w", shared, err)
		}
		if len(set.Questions) > 300 {
			set.Questions = sample(set.Questions, every)
		}
		texts := map[string]string{}
		for _, d := range set.Documents {
			texts[d.ID] = d.Text
		}
		err = c.over(ctx, set, func(a *app.App) error {
			found, err := evaluate.AskRoutes(ctx, set, func(id string) string {
				if set.Folder == "" {
					return texts[id]
				}
				data, err := os.ReadFile(filepath.Join(set.Folder, filepath.FromSlash(id)))
				if err != nil {
					return ""
				}
				return string(data)
			}, func(ctx context.Context, req kb.AskRequest) (kb.Analysis, kb.Retrieved, error) {
				analysis, got, _, err := a.Pipeline().Retrieve(ctx, req)
				return analysis, got, err
			})
			out = append(out, found...)
			return failed(err)
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (c *cli) reportRoutes(questions []evaluate.RoutedQuestion, out string) error {
	src, err := c.sources()
	if err != nil {
		return err
	}
	cfg, err := loadConfig(src)
	if err != nil {
		return err
	}
	shipped := func(class kb.Class) kb.Weights {
		w := cfg.Weights.For(class)
		return kb.Weights{Dense: w.Dense, BM25: w.BM25, Graph: w.Graph}
	}
	table, fitted := evaluate.RouteTable(questions), evaluate.FitWeights(questions)
	var b bytes.Buffer
	b.WriteString("Routes by class, all questions:\n\n")
	err = evaluate.WriteRouteTable(&b, table)
	for _, side := range []struct {
		name string
		keep func(evaluate.RoutedQuestion) bool
	}{
		{"all questions", func(evaluate.RoutedQuestion) bool { return true }},
		{"test side, which no weight was fitted on", func(q evaluate.RoutedQuestion) bool { return q.Test }},
	} {
		fmt.Fprintf(&b, "\nWeights, %s:\n\n", side.name)
		err = errors.Join(err, evaluate.WriteRanks(&b, evaluate.MeasureWeights(questions, fitted, shipped, side.keep)))
	}
	var file bytes.Buffer
	if err = errors.Join(err, evaluate.WriteRoutesConfig(&file, table, fitted)); err != nil {
		return err
	}
	fmt.Fprintf(&b, "\n%s", file.String())
	if out != "" {
		if err := os.WriteFile(out, file.Bytes(), 0o644); err != nil {
			return err
		}
	}
	_, err = c.out.Write(b.Bytes())
	return err
}

// evaluated is an App over a data folder.
func (c *cli) evaluated(ctx context.Context, data string) (*app.App, error) {
	_, opt, err := c.options()
	if err != nil {
		return nil, err
	}
	opt.Data = data
	return app.Open(ctx, opt)
}

// evaluateAsk asks a data folder questions of public sets and says how long replies
// take. Nothing is written to the ledger of gaps.
func (c *cli) evaluateAsk() *cobra.Command {
	var shared, corpus string
	var sets []string
	var count int
	cmd := &cobra.Command{
		Use:   "ask",
		Short: "How long replies take, and how they end, over a data folder",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			var questions []string
			for _, name := range sets {
				set, err := evaluate.LoadRetrievalSet(shared, name)
				if err != nil {
					return usage("--shared %s: %w", shared, err)
				}
				each := max(1, count/len(sets))
				for _, q := range sample(set.Questions, max(1, len(set.Questions)/each)) {
					questions = append(questions, q.Text)
				}
			}
			a, err := c.evaluated(ctx, c.data)
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }()
			if err := a.OpenData(ctx); err != nil {
				return err
			}
			if corpus != "" {
				k, err := a.Knowledge(ctx)
				if err != nil {
					return err
				}
				report, err := ingest.New(k, ingest.Options{}).Paths(ctx, corpus)
				if err != nil {
					return failed(err)
				}
				if _, err := fmt.Fprintf(c.out, "ingested %d documents, %d new versions, %d chunks, %d facts in %.1f s: %.0f chunks/s\n",
					report.Documents, report.Versions, report.Chunks, report.Facts, report.Seconds, float64(report.Chunks)/report.Seconds); err != nil {
					return err
				}
			}
			return c.timeAsk(ctx, a, questions)
		},
	}
	c.setsFlag(cmd, &sets, []string{"cmrc2018", "squad2"}, "data sets whose questions are asked")
	cmd.Flags().IntVar(&count, "count", 300, "questions, about")
	cmd.Flags().StringVar(&corpus, "corpus", "", "folder to ingest first, as evaluate corpus writes it")
	c.dataFlag(cmd)
	c.sharedFlag(cmd, &shared)
	return cmd
}

func (c *cli) timeAsk(ctx context.Context, a *app.App, questions []string) error {
	parts := map[string][]time.Duration{}
	outcomes := map[kb.Outcome]int{}
	for _, q := range questions {
		start := time.Now()
		r, err := a.Pipeline().Ask(ctx, kb.AskRequest{Question: kb.Question{Text: q}, NoGaps: true}, nil)
		if err != nil {
			return failed(err)
		}
		parts["ask"] = append(parts["ask"], time.Since(start))
		outcomes[r.Outcome]++
		for name, ms := range r.Timings {
			if name != "total" {
				parts[name] = append(parts[name], time.Duration(ms*float64(time.Millisecond)))
			}
		}
	}
	return writeTimes(c.out, parts, outcomes)
}

func writeTimes(w io.Writer, parts map[string][]time.Duration, outcomes map[kb.Outcome]int) error {
	if _, err := fmt.Fprintln(w, "| part | calls | p50 ms | p99 ms |\n|---|---|---|---|"); err != nil {
		return err
	}
	names := make([]string, 0, len(parts))
	for name := range parts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := parts[name]
		slices.Sort(t)
		ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		if _, err := fmt.Fprintf(w, "| %s | %d | %.1f | %.1f |\n", name, len(t), ms(t[len(t)/2]), ms(t[min(len(t)-1, len(t)*99/100)])); err != nil {
			return err
		}
	}
	for _, o := range []kb.Outcome{kb.Answered, kb.Partial, kb.Insufficient, kb.Conflicting, kb.Clarifying} {
		if _, err := fmt.Fprintf(w, "%s %d\n", o, outcomes[o]); err != nil {
			return err
		}
	}
	return nil
}

// setFlag is --set of an evaluation, which has two meanings: names of data sets, and a
// configuration key with its value, as everywhere else.
type setFlag struct {
	c     *cli
	names *[]string
	given bool // the names are no longer the defaults
}

func (f *setFlag) String() string { return strings.Join(*f.names, ",") }

func (f *setFlag) Type() string { return "SETS|key=value" }

func (f *setFlag) Set(v string) error {
	if strings.Contains(v, "=") {
		f.c.sets = append(f.c.sets, v)
		return nil
	}
	if !f.given {
		f.given, *f.names = true, nil
	}
	*f.names = append(*f.names, strings.Split(v, ",")...)
	return nil
}

// setsFlag adds it.
func (c *cli) setsFlag(cmd *cobra.Command, names *[]string, defaults []string, what string) {
	*names = slices.Clone(defaults)
	cmd.Flags().Var(&setFlag{c: c, names: names}, "set", what+"; or a configuration key, as in --set gate.rate=0.9")
}
