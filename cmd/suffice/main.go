// Command suffice answers questions from your documents only when they hold
// enough to answer, and says what is missing, what conflicts and what is out of
// date when they do not.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/telemetry"
)

// Set by the linker in releases.
var (
	version string
	commit  string
)

// Exit statuses of the contract.
const (
	exitOK     = 0
	exitOther  = 1
	exitSetup  = 2 // bad flags, configuration or data folder
	exitFailed = 3 // a line or document that could not be processed
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends a process that takes too long to end
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
	stop()
	os.Exit(code)
}

// run is the whole command but for the process around it.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer, environ []string) int {
	c := &cli{in: in, out: out, errOut: errOut, environ: environ, build: telemetry.ReadBuild(version, commit)}
	root := c.root()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	var silent *statusError
	if !errors.As(err, &silent) || silent.err != nil {
		_, _ = fmt.Fprintln(errOut, message(err)+elsewhere(cmd, err))
	}
	switch {
	case silent != nil:
		return silent.status
	case errors.Is(err, app.ErrSetup), errors.Is(err, config.ErrConfig):
		return exitSetup
	}
	return exitOther
}

// message is what a person reads of an error: each problem of a configuration on a
// line of its own.
func message(err error) string {
	var many *config.Error
	if errors.As(err, &many) {
		return "suffice: the configuration has problems:\n  " + strings.ReplaceAll(many.Error(), "\n", "\n  ")
	}
	return "suffice: " + err.Error()
}

// elsewhere is where a command can be sent whose data folder a server holds.
func elsewhere(cmd *cobra.Command, err error) string {
	addr := app.ServedAt(err)
	switch {
	case addr == "":
		return ""
	case cmd.Flags().Lookup("addr") != nil:
		return "; or send the command there: --addr " + addr
	}
	return "; or ask the server itself: `suffice ask --addr " + addr + "`"
}

// statusError ends the command with a status; err may be nil when all was said.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// usage is an error of flags and arguments.
func usage(format string, args ...any) error {
	return &statusError{exitSetup, fmt.Errorf(format, args...)}
}

// failed is a question or document that could not be processed.
func failed(err error) error {
	if err == nil || errors.Is(err, app.ErrSetup) || errors.Is(err, context.Canceled) {
		return err
	}
	p := services.Describe(err)
	text := p.Name + ": " + err.Error() // with its paths: they are this machine's
	if p.Field != "" {
		text = p.Name + ": " + p.Field + ": " + p.Message
	}
	if p.Name == "INTERNAL" { // at the shell there is no log to look into
		text = err.Error()
	}
	if p.Name == "UNAVAILABLE" { // nothing is wrong with the question
		return &statusError{exitOther, errors.New(text)}
	}
	return &statusError{exitFailed, errors.New(text)}
}

// cli is one call of the command.
type cli struct {
	in      io.Reader
	out     io.Writer
	errOut  io.Writer
	environ []string
	build   telemetry.Build

	configFile string
	sets       []string
	data       string
	addr       string

	noReader bool // the command reads questions only
}

// defaultData is the data folder that no flag or variable names.
const defaultData = "suffice-data"

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "suffice",
		Short: "Answers from your documents, only when they hold enough to answer",
		Long: `Suffice answers a question from your documents only when they hold enough to
answer it. When they do not, it says what is missing, what conflicts and what is
out of date. 中文和英文均可。`,
		Example: `  suffice ask --docs handbook "How many days of annual leave do I get?"
  suffice ingest handbook && suffice ask "试用期多长？"
  suffice serve --docs handbook`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, cmd.CommandPath())
	})
	f := root.PersistentFlags()
	f.StringVar(&c.configFile, "config", c.getenv("SUFFICE_CONFIG"), "configuration file (YAML); SUFFICE_CONFIG")
	f.StringArrayVar(&c.sets, "set", nil, "set a configuration key, as in --set gate.rate=0.9; may be repeated")
	root.AddCommand(
		c.askCommand(), c.retrieveCommand(), c.assessCommand(), c.verifyCommand(), c.precheckCommand(), c.explainCommand(),
		c.ingestCommand(), c.deleteCommand(), c.gapsCommand(), c.kbCommand(),
		c.serveCommand(), c.evaluateCommand(), c.trainCommand(), c.configCommand(), c.versionCommand(),
	)
	root.CompletionOptions.HiddenDefaultCmd = true
	strict(root)
	return root
}

// strict makes arguments that do not fit an error of usage, in all commands.
func strict(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usage("%w; see %s --help", err, cmd.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		strict(sub)
	}
}

// dataFlag adds the flag of the data folder.
func (c *cli) dataFlag(cmd *cobra.Command) {
	d := c.getenv("SUFFICE_DATA")
	if d == "" {
		d = defaultData
	}
	cmd.Flags().StringVar(&c.data, "data", d, "data folder; SUFFICE_DATA")
}

// addrFlag adds the flag of a running server.
func (c *cli) addrFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.addr, "addr", c.getenv("SUFFICE_ADDR"), "send it to the server at HOST:PORT (gRPC); SUFFICE_ADDR")
}

func (c *cli) getenv(name string) string {
	for _, e := range c.environ {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v
		}
	}
	return ""
}

// sources of the configuration, with the flags of this call.
func (c *cli) sources() (config.Sources, error) {
	flags := map[string]string{}
	for _, s := range c.sets {
		key, value, ok := strings.Cut(s, "=")
		if !ok {
			return config.Sources{}, usage("--set %s: write key=value", s)
		}
		flags[strings.TrimSpace(key)] = strings.TrimSpace(value)
	}
	return config.Sources{File: c.configFile, Environ: c.environ, Flags: flags}, nil
}

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit and the hash of the configuration",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			src, err := c.sources()
			if err != nil {
				return err
			}
			cfg, err := loadConfig(src)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "suffice %s\ncommit %s\nconfig %s\n", c.build.Version, c.build.Commit, cfg.Hash())
			return err
		},
	}
}
