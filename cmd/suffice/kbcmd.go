package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/services/telemetry"
)

func (c *cli) kbCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "kb",
		Short: "Look after the knowledge base of a data folder",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.kbStatus())
	return cmd
}

// kbStatus opens the folder as a process of its own: one that a server holds is refused
// with the holder, as for every other command.
func (c *cli) kbStatus() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Count what a data folder holds, and how far an embedding endpoint has come with it",
		Args:  cobra.NoArgs,
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
			_, err = fmt.Fprintf(c.out, "%d documents, %d versions, %d passages, %d facts, %d gaps, %d reviews; %d bytes\n"+
				"embedding: %d of %d passages by %s; questions are asked of %s\n",
				st.Documents, st.Versions, st.Passages, st.Facts, st.Gaps, st.Reviews, st.Bytes, st.Embedded, st.Passages, st.Model, st.Serving)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	c.dataFlag(cmd)
	return cmd
}

func (c *cli) status(ctx context.Context) (app.Status, error) {
	src, err := c.sources()
	if err != nil {
		return app.Status{}, err
	}
	cfg, err := loadConfig(src)
	if err != nil {
		return app.Status{}, err
	}
	log, err := telemetry.Logger(c.errOut, cfg.Telemetry)
	if err != nil {
		return app.Status{}, err
	}
	a, err := app.Open(ctx, app.Options{Data: c.data, Sources: src, Build: c.build, Logger: log, MustExist: true})
	if err != nil {
		return app.Status{}, err
	}
	defer func() { _ = a.Close() }()
	st, err := a.Status(ctx)
	return st, failed(err)
}
