package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
)

func (c *cli) kbCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kb",
		Short: "Look after the knowledge base of a data folder",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.kbStatus(), c.kbEmbed())
	return cmd
}

// kbStatus asks the server that --addr names or that holds the folder; without one it opens
// the folder as a process of its own.
func (c *cli) kbStatus() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Count what a data folder holds, and how far its passages are embedded",
		Long: `Counts what a data folder holds, and says for each collection how far the embedding
that is configured has come with it and which one is asked meanwhile. Where a server
holds the folder, it is asked.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if format != "text" && format != "json" {
				return usage("--format %s: write text or json", format)
			}
			st, err := c.status(cmd.Context())
			if err != nil {
				return err
			}
			if format == "json" {
				return c.line(json.Marshal(st))
			}
			_, err = io.WriteString(c.out, statusText(st))
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	c.dataFlag(cmd)
	c.addrFlag(cmd)
	return cmd
}

// kbEmbed does at once what a server does in the background.
func (c *cli) kbEmbed() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "embed",
		Short: "Embed all passages by the embedding that is configured, and wait for it",
		Long: `Has the embedding that is configured (embedding.provider) embed what it has not yet,
as a server does in the background. It can be interrupted: what is done stays done.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := c.folder(cmd.Context())
			if err != nil {
				return err
			}
			defer func() { _ = a.Close() }()
			if err := a.OpenData(cmd.Context()); err != nil {
				return failed(err)
			}
			watching, stop := context.WithCancel(cmd.Context())
			var watch sync.WaitGroup
			watch.Go(func() { c.watchEmbedding(watching, a) })
			err = a.EmbedAll(cmd.Context())
			stop()
			watch.Wait()
			if err != nil {
				return failed(err)
			}
			st, err := a.Status(cmd.Context())
			if err != nil {
				return failed(err)
			}
			_, err = io.WriteString(c.out, statusText(st))
			return err
		},
	}
	c.dataFlag(cmd)
	return cmd
}

// watchEmbedding shows how far the passages are, on a terminal.
func (c *cli) watchEmbedding(ctx context.Context, a *app.App) {
	bar := c.bar()
	defer bar.finish()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		if st, err := a.Status(ctx); err == nil {
			bar.at(st.Embedded, st.Passages, "passages")
		}
	}
}

func statusText(st kb.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents, %d versions, %d passages, %d facts, %d gaps, %d reviews; %d bytes\n",
		st.Documents, st.Versions, st.Passages, st.Facts, st.Gaps, st.Reviews, st.Bytes)
	if st.Model == "" {
		return b.String()
	}
	fmt.Fprintf(&b, "embedding: %d of %d passages by %s; questions are asked of %s\n", st.Embedded, st.Passages, st.Model, st.Serving)
	for _, one := range st.Collections {
		if len(st.Collections) > 1 || one.Serving != st.Model {
			fmt.Fprintf(&b, "collection %s: %d of %d passages, asked of %s\n", one.Collection, one.Embedded, one.Passages, one.Serving)
		}
	}
	if st.Failure != "" {
		fmt.Fprintf(&b, "it embeds nothing at present: %s\n", st.Failure)
	}
	return b.String()
}

func (c *cli) status(ctx context.Context) (kb.Status, error) {
	if c.addr != "" {
		return c.statusAt(ctx, c.addr)
	}
	a, err := c.folder(ctx)
	if err != nil {
		return kb.Status{}, err
	}
	defer func() { _ = a.Close() }()
	st, err := a.Status(ctx)
	if addr := app.ServedAt(err); addr != "" {
		return c.statusAt(ctx, addr)
	}
	return st, failed(err)
}

// folder is a process over the data folder, which must be there.
func (c *cli) folder(ctx context.Context) (*app.App, error) {
	_, opt, err := c.options()
	if err != nil {
		return nil, err
	}
	opt.Data, opt.MustExist = c.data, true
	return app.Open(ctx, opt)
}

// statusTime is how long a server is waited for.
const statusTime = 30 * time.Second

func (c *cli) statusAt(ctx context.Context, addr string) (kb.Status, error) {
	cfg, _, err := c.options()
	if err != nil {
		return kb.Status{}, err
	}
	s, err := app.Dial(addr, cfg.Auth)
	if err != nil {
		return kb.Status{}, err
	}
	defer func() { _ = s.Close() }()
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	st, err := s.Knowledge.Status(ctx)
	return st, failed(err)
}
