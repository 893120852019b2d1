package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest"
	"suffice.dev/suffice/services/batch"
)

func (c *cli) ingestCommand() *cobra.Command {
	var format string
	var sync bool
	cmd := &cobra.Command{
		Use:   "ingest PATH...",
		Short: "Bring files, folders or .jsonl of documents into the data folder",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return usage("--format %s: write text or json", format)
			}
			return c.ingestPaths(cmd.Context(), args, sync, func(report kb.IngestReport) error {
				if format == "json" {
					return c.line(batch.EncodeIngestReport(report))
				}
				_, err := fmt.Fprintf(c.out, "%d documents, %d new versions, %d chunks, %d facts in %.1f s\n",
					report.Documents, report.Versions, report.Chunks, report.Facts, report.Seconds)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "summary: text or json")
	cmd.Flags().BoolVar(&sync, "sync", false, "delete documents that came from a folder and are no longer in it")
	c.dataFlag(cmd)
	c.addrFlag(cmd)
	return cmd
}

// ingestPaths ingests with a progress bar and hands the report to summary. What was
// skipped is named on standard error; with a summary it is status 3 as well.
func (c *cli) ingestPaths(ctx context.Context, paths []string, sync bool, summary func(kb.IngestReport) error) error {
	for _, p := range paths {
		if _, err := os.Stat(p); err != nil {
			return usage("%w", err)
		}
	}
	return c.with(ctx, false, func(b *backend) error {
		k, err := b.knowledge(ctx)
		if err != nil {
			return err
		}
		bar := c.bar()
		report, err := ingest.New(k, ingest.Options{Sync: sync, Progress: bar.at}).Paths(ctx, paths...)
		bar.finish()
		for _, s := range report.Skipped {
			if _, werr := fmt.Fprintf(c.errOut, "skipped %s: %s\n", s.Path, s.Reason); werr != nil {
				return werr
			}
		}
		for _, w := range report.Warnings {
			if _, werr := fmt.Fprintf(c.errOut, "warning %s: %s\n", w.Path, w.Text); werr != nil {
				return werr
			}
		}
		if err != nil {
			return failed(err)
		}
		if summary == nil {
			return nil
		}
		if err := summary(report); err != nil {
			return err
		}
		if len(report.Skipped) > 0 {
			return &statusError{status: exitFailed}
		}
		return nil
	})
}

// bar shows progress on a terminal, and nothing elsewhere.
type bar struct {
	out io.Writer // nil = nothing is shown
	*progressbar.ProgressBar
}

func (c *cli) bar() *bar {
	f, ok := c.errOut.(*os.File)
	if !ok {
		return &bar{}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &bar{}
	}
	return &bar{out: f}
}

func (b *bar) at(done, total int, path string) {
	if b.out == nil {
		return
	}
	if b.ProgressBar == nil {
		b.ProgressBar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(b.out), progressbar.OptionShowCount(), progressbar.OptionSetWidth(30),
			progressbar.OptionSetItsString("documents"), progressbar.OptionShowIts(), progressbar.OptionClearOnFinish())
	}
	if total > 0 {
		b.ChangeMax(total)
	}
	if path != "" {
		b.Describe(filepath.Base(path))
	}
	_ = b.Set(done) // a bar that cannot be drawn stops nothing
}

func (b *bar) finish() {
	if b.ProgressBar != nil {
		_ = b.Finish()
	}
}

// docsData is the data folder that belongs to a folder of documents: in the user's
// cache, by the folder's path.
func docsData(docs string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", usage("no cache folder for the documents' data: %w; name one with --data", err)
	}
	abs, err := filepath.Abs(docs)
	if err != nil {
		return "", usage("--docs: %w", err)
	}
	sum := sha256.Sum256([]byte(abs))
	return filepath.Join(cache, "suffice", filepath.Base(abs)+"-"+hex.EncodeToString(sum[:4])), nil
}

func (c *cli) deleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "delete DOCUMENT_ID...",
		Short: "Remove documents with all their versions",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			return c.with(ctx, true, func(b *backend) error {
				k, err := b.knowledge(ctx)
				if err != nil {
					return err
				}
				status := exitOK
				for _, id := range args {
					if err := k.Delete(ctx, id); err != nil {
						if ctx.Err() != nil {
							return err
						}
						status = exitFailed
						if _, err := fmt.Fprintf(c.errOut, "suffice: %s: %v\n", id, failed(err)); err != nil {
							return err
						}
						continue
					}
					if _, err := fmt.Fprintf(c.errOut, "deleted %s\n", id); err != nil {
						return err
					}
				}
				if status != exitOK {
					return &statusError{status: status}
				}
				return nil
			})
		},
	}
	c.dataFlag(cmd)
	c.addrFlag(cmd)
	return cmd
}
