package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"suffice.dev/suffice/services/config"
)

func (c *cli) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check or print the configuration",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check [FILE]",
		Short: "Report every problem of the configuration; exit status 2 if there is one",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := c.load(args)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.out, "ok  %s\n", cfg.Hash())
			return err
		},
	}, &cobra.Command{
		Use:   "print [FILE]",
		Short: "Print the effective configuration, as a file that gives the same",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := c.load(args)
			if err != nil {
				return err
			}
			if cfg, err = cfg.Absolute(); err != nil {
				return err
			}
			text, err := cfg.YAML()
			if err != nil {
				return err
			}
			_, err = c.out.Write(text)
			return err
		},
	})
	return cmd
}

func (c *cli) load(args []string) (config.Config, error) {
	if len(args) == 1 {
		c.configFile = args[0]
	}
	src, err := c.sources()
	if err != nil {
		return config.Config{}, err
	}
	return loadConfig(src)
}

// loadConfig loads the configuration; its errors end the command with status 2.
func loadConfig(src config.Sources) (config.Config, error) {
	cfg, err := config.Load(src)
	if err != nil && !errors.Is(err, config.ErrConfig) {
		err = &statusError{exitSetup, err}
	}
	return cfg, err
}
