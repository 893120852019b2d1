package main

import (
	"context"
	"errors"
	"log/slog"

	"suffice.dev/suffice/internal/app"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/batch"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/grpcapi"
	"suffice.dev/suffice/services/telemetry"
)

// backend is what a command works on: this process, or a server.
type backend struct {
	pipeline  services.Pipeline
	calls     batch.Calls
	knowledge func(context.Context) (kb.Knowledge, error)
	lineBytes int
	log       *slog.Logger
	close     func() error
}

// options are what a process of this call is opened with, and the configuration of it. No
// data folder is named yet.
func (c *cli) options() (config.Config, app.Options, error) {
	src, err := c.sources()
	if err != nil {
		return config.Config{}, app.Options{}, err
	}
	cfg, err := loadConfig(src)
	if err != nil {
		return config.Config{}, app.Options{}, err
	}
	log, err := telemetry.Logger(c.errOut, cfg.Telemetry)
	if err != nil {
		return config.Config{}, app.Options{}, err
	}
	return cfg, app.Options{Sources: src, Build: c.build, Logger: log}, nil
}

// open returns the backend of a command: the server that --addr names, else this
// process with the data folder. mustExist refuses a folder that is not there.
// Nothing of the folder is opened before it is needed.
func (c *cli) open(ctx context.Context, mustExist bool) (*backend, error) {
	cfg, opt, err := c.options()
	if err != nil {
		return nil, err
	}
	limits := app.Limits(cfg)
	if c.addr != "" {
		r, err := app.Dial(c.addr, cfg.Auth)
		if err != nil {
			return nil, err
		}
		return &backend{
			pipeline: r.Pipeline, calls: r.Calls, lineBytes: limits.BodyBytes, log: opt.Logger, close: r.Close,
			knowledge: func(context.Context) (kb.Knowledge, error) { return r.Knowledge, nil },
		}, nil
	}
	opt.Data, opt.MustExist, opt.NoReader = c.data, mustExist, c.noReader
	a, err := app.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	gate := &dataGate{Pipeline: a.Pipeline(), open: a.OpenData}
	return &backend{
		pipeline: gate, calls: grpcapi.NewContract(gate, func() services.Limits { return limits }),
		knowledge: a.Knowledge, lineBytes: limits.BodyBytes, log: opt.Logger, close: a.Close,
	}, nil
}

// dataGate opens the data folder before the first call that needs it. A folder that
// cannot be opened ends the command, whatever the line: stop is told.
type dataGate struct {
	services.Pipeline
	open func(context.Context) error
	stop context.CancelCauseFunc // nil = the caller looks at the error
}

func (g *dataGate) opened(ctx context.Context) error {
	err := g.open(ctx)
	if err != nil && g.stop != nil && errors.Is(err, app.ErrSetup) {
		g.stop(err)
	}
	return err
}

func (g *dataGate) Ask(ctx context.Context, req kb.AskRequest, progress func(services.Progress)) (kb.Reply, error) {
	if !req.HandedOver {
		if err := g.opened(ctx); err != nil {
			return kb.Reply{}, err
		}
	}
	return g.Pipeline.Ask(ctx, req, progress)
}

func (g *dataGate) Retrieve(ctx context.Context, req kb.AskRequest) (kb.Analysis, kb.Retrieved, kb.Versions, error) {
	if err := g.opened(ctx); err != nil {
		return kb.Analysis{}, kb.Retrieved{}, kb.Versions{}, err
	}
	return g.Pipeline.Retrieve(ctx, req)
}

// stopWith makes a folder that cannot be opened end the context.
func (b *backend) stopWith(stop context.CancelCauseFunc) {
	if g, ok := b.pipeline.(*dataGate); ok {
		g.stop = stop
	}
}
