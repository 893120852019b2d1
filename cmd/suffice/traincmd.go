package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/internal/app"
)

func (c *cli) trainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train the learned models from public data",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var set trainingSet
	var out, python, keep string
	sufficiency := &cobra.Command{
		Use:   "sufficiency",
		Short: "Train the model that says whether passages suffice",
		Long: `Builds labelled examples from public data sets and the behaviour cases of this
repository, lets precheck and rerank compute their features, and drives train.py in
the output folder. The release of XGBoost is pinned; unless the interpreter has it, a
virtual environment is made in the user's cache folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.trainSufficiency(cmd.Context(), set, out, python, keep)
		},
	}
	set.flags(sufficiency, c)
	f := sufficiency.Flags()
	f.StringVar(&out, "out", filepath.Join("models", "sufficiency"), "folder with train.py and requirements.txt; the model is written there")
	f.StringVar(&python, "python", "python3", "Python interpreter")
	f.StringVar(&keep, "keep", "", "also keep the features, as a file of JSON Lines")
	cmd.AddCommand(sufficiency, c.trainWording(), c.trainSay(), c.trainVotes())
	return cmd
}

// trainingSet names where labelled examples come from.
type trainingSet struct {
	shared, cases, written string
	limit                  int
}

func (s *trainingSet) flags(cmd *cobra.Command, c *cli) {
	c.sharedFlag(cmd, &s.shared)
	f := cmd.Flags()
	f.StringVar(&s.cases, "cases", filepath.Join("testdata", "cases"), "folder of behaviour cases; left out where it is not there")
	f.StringVar(&s.written, "written", filepath.Join("models", "written"), "folder of written passages")
	f.IntVar(&s.limit, "limit", 400, "questions taken of each data set; 0 = all")
}

// examples reads the sets; at least one must be there.
func (s trainingSet) examples() ([]evaluate.SufficiencyExample, error) {
	examples, err := evaluate.SufficiencySets(s.shared, s.limit)
	if errors.Is(err, evaluate.ErrNoData) {
		return nil, usage("--shared %s: %w", s.shared, err)
	}
	if err != nil {
		return nil, err
	}
	cases, err := evaluate.CaseSufficiency(s.cases)
	if err != nil && !errors.Is(err, evaluate.ErrNoData) {
		return nil, err
	}
	written, err := evaluate.LoadWritten(s.written)
	if err != nil && !errors.Is(err, evaluate.ErrNoData) {
		return nil, usage("--written %s: %w", s.written, err)
	}
	questions, _ := evaluate.WrittenExamples(slices.DeleteFunc(written, func(p evaluate.WrittenPassage) bool { return p.Joining() }))
	return slices.Concat(examples, cases, questions), nil
}

// judge lets the layers judge examples, with progress on stderr. flags are settings
// before all others; may be nil.
func (c *cli) judge(ctx context.Context, examples []evaluate.SufficiencyExample, learned bool, flags map[string]string) (*app.SufficiencyJudge, []evaluate.JudgedExample, error) {
	src, err := c.sources()
	if err != nil {
		return nil, nil, err
	}
	own := map[string]string{}
	maps.Copy(own, src.Flags)
	maps.Copy(own, flags)
	src.Flags = own
	j, err := app.NewSufficiencyJudge(src, learned)
	if err != nil {
		return nil, nil, err
	}
	start := time.Now()
	judged, err := evaluate.JudgeExamples(ctx, examples, j.Judge, func(done, total int) {
		_, _ = fmt.Fprintf(c.errOut, "\rjudged %d of %d examples, %s", done, total, time.Since(start).Round(time.Second))
	})
	_, _ = fmt.Fprintln(c.errOut)
	return j, judged, err
}

func (c *cli) trainSufficiency(ctx context.Context, set trainingSet, out, python, keep string) error {
	script := filepath.Join(out, "train.py")
	if _, err := os.Stat(script); err != nil {
		return usage("--out: %w; run it from the repository, or name its models/sufficiency", err)
	}
	examples, err := set.examples()
	if err != nil {
		return err
	}
	j, judged, err := c.judge(ctx, examples, false, nil)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "suffice-train-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	dump := filepath.Join(dir, "features.jsonl")
	if keep != "" {
		dump = keep
	}
	if err := writeDump(dump, j, judged); err != nil {
		return err
	}
	if python, err = c.pinnedPython(ctx, python, filepath.Join(out, "requirements.txt")); err != nil {
		return err
	}
	command := fmt.Sprintf("suffice train sufficiency --limit %d", set.limit)
	return c.command(ctx, python, script, dump, "--out", filepath.Join(out, "model.ubj"), "--command", command)
}

func writeDump(path string, j *app.SufficiencyJudge, judged []evaluate.JudgedExample) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := evaluate.WriteTraining(f, j.Features, j.Monotone, j.OfQuestion, judged); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// pinnedPython is an interpreter with exactly the required packages: one in a virtual
// environment that is made on first use and named by the hash of the requirements.
func (c *cli) pinnedPython(ctx context.Context, python, requirements string) (string, error) {
	wanted, err := os.ReadFile(requirements)
	if err != nil {
		return "", usage("--out: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("virtual environment: %w", err)
	}
	dir := filepath.Join(cache, "suffice", fmt.Sprintf("train-%x", sha256.Sum256(wanted))[:22])
	inside := filepath.Join(dir, "bin", "python")
	if runtime.GOOS == "windows" {
		inside = filepath.Join(dir, "Scripts", "python.exe")
	}
	ready := filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return inside, nil
	}
	if err := c.command(ctx, python, "-m", "venv", dir); err != nil {
		return "", err
	}
	if err := c.command(ctx, inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements); err != nil {
		return "", err
	}
	return inside, os.WriteFile(ready, nil, 0o644)
}

// command runs a program; what it says goes to stderr.
func (c *cli) command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = c.errOut, c.errOut
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return nil
}
