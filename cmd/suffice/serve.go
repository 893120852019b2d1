package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/telemetry"
)

func (c *cli) serveCommand() *cobra.Command {
	var role string
	var s app.Serving
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve gRPC and HTTP: all layers, or one by --role",
		Example: `  suffice serve --docs handbook
  suffice serve --role retrieval --grpc-addr 127.0.0.1:7072 --data index`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := app.ParseRole(role)
			if err != nil {
				return usage("--role: %w", err)
			}
			if s.Docs != "" {
				if info, err := os.Stat(s.Docs); err != nil {
					return usage("--docs: %w", err)
				} else if !info.IsDir() {
					return usage("--docs %s: not a folder", s.Docs)
				}
			}
			_, opt, err := c.options()
			if err != nil {
				return err
			}
			opt.Role, opt.Data, opt.Registry = r, c.data, telemetry.Registry(c.build)
			a, err := app.Open(cmd.Context(), opt)
			if err != nil {
				return err
			}
			hup := make(chan os.Signal, 1)
			signal.Notify(hup, syscall.SIGHUP)
			defer signal.Stop(hup)
			bar := c.bar()
			s.Reload, s.Progress = hup, bar.at
			s.Ingested = func(kb.IngestReport) { bar.finish() }
			err = a.Serve(cmd.Context(), s)
			if cerr := a.Close(); cerr != nil && err == nil {
				err = cerr
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&role, "role", string(app.RoleAll), "all, ask, precheck, retrieval, rerank, validate or knowledge")
	fl.StringVar(&s.Docs, "docs", "", "folder of documents: ingested first, then followed")
	fl.StringVar(&s.GRPCAddr, "grpc-addr", "127.0.0.1:7070", "address of gRPC")
	fl.StringVar(&s.HTTPAddr, "http-addr", "127.0.0.1:7080", `address of HTTP; "" = none`)
	fl.BoolVar(&s.Reflection, "reflection", false, "serve gRPC reflection")
	c.dataFlag(cmd)
	return cmd
}
