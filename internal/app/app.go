// Package app joins the implementations to the interfaces. It is the only place
// that knows which store, which index, which form of a layer a process works with:
// the role table.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/store"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/pipeline"
	"suffice.dev/suffice/services/snapshot"
	"suffice.dev/suffice/services/telemetry"
)

// ErrSetup is the class of errors of the configuration, the data folder and the
// role: what a command answers with exit status 2.
var ErrSetup = errors.New("setup")

type setupError struct{ err error }

func (e *setupError) Error() string        { return e.err.Error() }
func (e *setupError) Unwrap() error        { return e.err }
func (e *setupError) Is(target error) bool { return target == ErrSetup }

// setup makes an error an ErrSetup. The context's own errors stay what they are.
func setup(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &setupError{err}
}

// Options of an App.
type Options struct {
	Role     Role           // "" = all
	Data     string         // data folder
	Sources  config.Sources // of the configuration
	Build    telemetry.Build
	Logger   *slog.Logger         // nil = slog.Default
	Registry *prometheus.Registry // nil = no metrics
	Now      func() time.Time     // nil = time.Now

	// MustExist refuses a data folder that is not there, instead of making one.
	MustExist bool
	// NoReader leaves the reader out, whatever the configuration says: for a caller that
	// only reads questions, which need none.
	NoReader bool
}

// App is a process at work in its role: layers in a snapshot, a pipeline over
// them, and, where the role keeps one, a data folder that is opened when first
// needed.
type App struct {
	opt      Options
	log      *slog.Logger
	holder   *snapshot.Holder
	pipeline *pipeline.Pipeline
	data     *data
	parts    *parts
	running  atomic.Pointer[config.Config] // of the snapshot that serves
	access   atomic.Pointer[access]        // of the snapshot that serves
	tried    atomic.Pointer[config.Config] // the one that was read last: it serves, or was refused
	model    *telemetry.Model              // nil: not measured
	asked    slog.LevelVar                 // of the log line of each question: a command shows the reply itself
}

// Open reads the configuration and builds the first snapshot. It opens no data
// folder: OpenData does, or the first request that needs it. Its errors are
// ErrSetup.
func Open(ctx context.Context, opt Options) (*App, error) {
	if opt.Role == "" {
		opt.Role = RoleAll
	}
	if opt.Logger == nil {
		opt.Logger = slog.Default()
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	a := &App{opt: opt, log: opt.Logger}
	a.asked.Set(slog.LevelDebug)
	a.parts = &parts{}
	a.data = &data{ready: &readiness{}, opening: make(chan struct{}, 1), dir: opt.Data, role: opt.Role, mustExist: opt.MustExist, log: opt.Logger, parts: a.parts, now: opt.Now}
	var registry prometheus.Registerer
	var metrics *telemetry.Pipeline
	if opt.Registry != nil {
		registry = opt.Registry
		var err error
		if metrics, err = telemetry.NewPipeline(opt.Registry); err != nil {
			return nil, err
		}
		if a.model, err = telemetry.NewModel(opt.Registry); err != nil {
			return nil, err
		}
	}
	holder, err := snapshot.NewHolder(ctx, a.build, snapshot.Options{Logger: opt.Logger, Registry: registry})
	if err != nil {
		return nil, setup(err)
	}
	a.holder, a.data.asked, a.data.feed = holder, holder.Busy, current{holder}
	a.pipeline = pipeline.New(holder, pipeline.Options{Logger: opt.Logger, Metrics: metrics, Level: &a.asked, Now: opt.Now})
	return a, nil
}

// Close ends the process's work: the snapshot is retired and the data folder let
// go of.
func (a *App) Close() error {
	a.holder.Close()
	return a.data.close()
}

// Pipeline answers questions. In a role without all layers it fails with
// kb.ErrUnavailable where one is missing.
func (a *App) Pipeline() *pipeline.Pipeline { return a.pipeline }

// Config is the configuration that serves.
func (a *App) Config() config.Config { return *a.running.Load() }

// Versions names the snapshot that serves.
func (a *App) Versions() kb.Versions {
	s, release := a.holder.Acquire()
	defer release()
	if s == nil {
		return kb.Versions{Server: a.opt.Build.Version, Commit: a.opt.Build.Commit}
	}
	return s.Versions
}

// Reload reads the configuration again; on an error the one before it stays.
func (a *App) Reload(ctx context.Context) error { return a.holder.Reload(ctx) }

// EmbedAll waits until the embedding that is configured has embedded every chunk of the
// open data folder, and serves.
func (a *App) EmbedAll(ctx context.Context) error {
	if _, x := a.data.opened(); x != nil {
		return x.EmbedLate(ctx)
	}
	return nil
}

// OpenData opens the data folder, or reaches the services that stand for it. Its
// errors are ErrSetup; one of a folder in use names the holder.
func (a *App) OpenData(ctx context.Context) error { return setup(a.data.open(ctx)) }

// Status opens the data folder and counts what it holds. In a role without an index it
// says nothing of embeddings.
func (a *App) Status(ctx context.Context) (kb.Status, error) {
	if err := a.OpenData(ctx); err != nil {
		return kb.Status{}, err
	}
	s, x := a.data.opened()
	if s == nil {
		return kb.Status{}, fmt.Errorf("role %s keeps no knowledge base: %w", a.opt.Role, kb.ErrConflict)
	}
	n, err := s.Stats(ctx)
	if err != nil {
		return kb.Status{}, err
	}
	out := kb.Status{
		Documents: n.Documents, Versions: n.Versions, Passages: n.Chunks, Facts: n.Facts, Gaps: n.Gaps, Reviews: n.Reviews, Bytes: n.Bytes,
	}
	if x == nil {
		return out, nil
	}
	e := x.Embedding()
	out.Passages, out.Model, out.Embedded, out.Serving, out.Failure = e.Chunks, e.Wanted, e.Done, e.Serving, e.Failure
	for _, c := range e.Collections {
		out.Collections = append(out.Collections, kb.CollectionStatus{Collection: c.Collection, Serving: c.Serving, Embedded: c.Done, Passages: c.Chunks})
	}
	return out, nil
}

// ServedAt is the address of the server that holds the data folder that could not be opened
// with this error; "" where it is another error, or the holder serves nothing.
func ServedAt(err error) string {
	var holder *store.Holder
	if errors.As(err, &holder) {
		return holder.Addr
	}
	return ""
}

// Knowledge is the knowledge base, opened.
func (a *App) Knowledge(ctx context.Context) (kb.Knowledge, error) {
	if err := a.OpenData(ctx); err != nil {
		return nil, err
	}
	s, release := a.holder.Acquire()
	defer release()
	if s == nil {
		return nil, fmt.Errorf("%w: %w", kb.ErrUnavailable, snapshot.ErrClosed)
	}
	if s.Knowledge == nil {
		return nil, fmt.Errorf("role %s keeps no knowledge base: %w", a.opt.Role, kb.ErrConflict)
	}
	return s.Knowledge, nil
}

// configFiles are the files that a reload reads: those of the configuration that serves, and
// of one that was refused since, one of which may be what is wrong with it.
func (a *App) configFiles() []string {
	files := []string{a.opt.Sources.File}
	for _, c := range []*config.Config{a.running.Load(), a.tried.Load()} {
		if c != nil {
			files = append(files, filesOf(*c)...)
		}
	}
	var out []string
	for _, p := range files {
		if abs, err := filepath.Abs(p); p != "" && err == nil && !slices.Contains(out, abs) {
			out = append(out, abs)
		}
	}
	return out
}

// filesOf are the files beside its own that a configuration is made of.
func filesOf(c config.Config) []string {
	files := slices.Concat(c.Lexicon.Paths, c.Precheck.Rules, []string{
		c.Reader.Path, c.Sufficiency.Path, manifestOf(c.Sufficiency),
		c.Auth.CertFile, c.Auth.KeyFile, c.Auth.ClientCAFile, c.Auth.TokenFile, c.Auth.CAFile,
	})
	if c.LLM.URL == "" {
		return files
	}
	files = append(files, c.LLM.KeyFile)
	if c.LLM.Prompts != "" {
		files = append(files, filepath.Join(c.LLM.Prompts, "VERSION")) // also where the folder is empty yet
		// A folder that cannot be read is refused when it is.
		prompts, _ := os.ReadDir(c.LLM.Prompts)
		for _, p := range prompts {
			files = append(files, filepath.Join(c.LLM.Prompts, p.Name()))
		}
	}
	return files
}
