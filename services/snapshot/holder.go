package snapshot

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/services/config"
)

// Builder makes a snapshot from the sources as they are now. It validates all of
// them; what it returns can serve.
type Builder func(ctx context.Context) (*Snapshot, error)

// Options of a Holder.
type Options struct {
	Logger   *slog.Logger          // nil = slog.Default
	Registry prometheus.Registerer // nil = no metrics
}

// Holder keeps the current snapshot. It is safe for concurrent use.
type Holder struct {
	build   Builder
	log     *slog.Logger
	current atomic.Pointer[entry]
	closed  atomic.Bool
	mu      sync.Mutex // one reload at a time
	ok      prometheus.Gauge
	when    prometheus.Gauge
}

// NewHolder builds the first snapshot; its failure is the error.
func NewHolder(ctx context.Context, build Builder, opts Options) (*Holder, error) {
	h := &Holder{build: build, log: opts.Logger}
	if h.log == nil {
		h.log = slog.Default()
	}
	h.ok = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "suffice_config_last_reload_successful",
		Help: "1 when the last reading of the configuration succeeded, 0 when the one before it still serves.",
	})
	h.when = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "suffice_config_last_reload_success_timestamp_seconds",
		Help: "When the serving configuration was read, in seconds since 1970.",
	})
	if opts.Registry != nil {
		for _, c := range []prometheus.Collector{h.ok, h.when} {
			if err := opts.Registry.Register(c); err != nil {
				return nil, fmt.Errorf("register metrics of the configuration: %w", err)
			}
		}
	}
	if err := h.swap(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// Acquire returns the current snapshot and what to call when done with it. After
// Close it returns nil and a function that does nothing.
func (h *Holder) Acquire() (*Snapshot, func()) {
	for {
		e := h.current.Load()
		if e == nil {
			return nil, func() {}
		}
		if e.take() {
			var once sync.Once
			return e.snapshot, func() { once.Do(e.release) }
		}
	}
}

// Busy reports whether anyone works with the current snapshot.
func (h *Holder) Busy() bool {
	e := h.current.Load()
	return e != nil && e.refs.Load() > 1
}

// Reload builds a new snapshot and swaps it in; the log names the keys that changed. On
// an error the old one stays, and the log and the gauge say so. After Close it is
// ErrClosed.
func (h *Holder) Reload(ctx context.Context) error {
	err := h.swap(ctx)
	if err != nil && !errors.Is(err, ErrClosed) {
		h.ok.Set(0)
		h.log.Error("configuration not reloaded, the one before it stays", "error", err)
	}
	return err
}

func (h *Holder) swap(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.current.Load()
	if h.closed.Load() {
		return ErrClosed
	}
	next, err := h.build(ctx)
	if err != nil {
		return err
	}
	e := &entry{snapshot: next, onError: func(err error) {
		h.log.Warn("snapshot not closed cleanly", "snapshot", next.Versions.Snapshot, "error", err)
	}}
	e.refs.Store(1)
	if !h.current.CompareAndSwap(old, e) { // closed meanwhile
		e.release()
		return ErrClosed
	}
	h.ok.Set(1)
	h.when.SetToCurrentTime()
	if old != nil {
		h.log.Info("configuration reloaded", "snapshot", next.Versions.Snapshot, "config", next.Versions.Config,
			"changed", config.Changed(old.snapshot.Config, next.Config))
		old.release()
	}
	return nil
}

// Close retires the current snapshot; requests in flight keep theirs. It waits
// for none of them.
func (h *Holder) Close() {
	h.closed.Store(true) // before the swap: who finds nothing to replace must know why
	if e := h.current.Swap(nil); e != nil {
		e.release()
	}
}

// settle is how long a burst of file events is left to end: an editor writes a
// file in several steps.
const settle = 150 * time.Millisecond

// Watch reloads when the contents of the files change, until ctx ends. It follows
// their directories, so that a file which is replaced or is a link into a
// directory that changes is seen, and compares contents every poll in case events
// get lost. files is called again after each reload, whether it succeeded or not: what a
// refused configuration names is followed too, so that mending it is enough.
func (h *Holder) Watch(ctx context.Context, files func() []string, poll time.Duration) {
	var events chan fsnotify.Event
	var lost chan error
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		h.log.Warn("no file events, the configuration is compared by contents alone", "every", poll, "error", err)
	} else {
		defer func() { _ = watcher.Close() }()
		events, lost = watcher.Events, watcher.Errors
		h.follow(watcher, files())
	}
	seen := fingerprint(files())
	tick := time.NewTicker(poll)
	defer tick.Stop()
	quiet := time.NewTimer(time.Hour)
	quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-events:
			if !open {
				events = nil
				continue
			}
			quiet.Reset(settle)
			continue
		case err, open := <-lost: // left unread it would hold up all events behind it
			if !open {
				lost = nil
				continue
			}
			h.log.Warn("file events of the configuration were lost", "error", err)
			quiet.Reset(settle)
			continue
		case <-quiet.C:
		case <-tick.C:
		}
		names := files()
		now := fingerprint(names)
		if now == seen {
			continue
		}
		seen = now
		_ = h.Reload(ctx) // logged, and the gauge says so
		// The same files count as they were before they were read: what has changed since is
		// read again.
		if after := files(); !slices.Equal(after, names) {
			seen = fingerprint(after)
			if watcher != nil {
				h.follow(watcher, after)
			}
		}
	}
}

func (h *Holder) follow(watcher *fsnotify.Watcher, files []string) {
	for _, f := range files {
		if err := watcher.Add(filepath.Dir(f)); err != nil {
			h.log.Warn("directory not followed", "directory", filepath.Dir(f), "error", err)
		}
	}
}

// fingerprint is a hash of the names and contents of the files. A file that
// cannot be read counts with its error.
func fingerprint(files []string) [sha256.Size]byte {
	sum := sha256.New()
	for _, name := range files {
		_, _ = fmt.Fprintf(sum, "%s\x00", name)
		f, err := os.Open(name)
		if err != nil {
			_, _ = fmt.Fprintf(sum, "%v\x00", err)
			continue
		}
		if _, err := io.Copy(sum, f); err != nil {
			_, _ = fmt.Fprintf(sum, "%v", err)
		}
		_ = f.Close()
		sum.Write([]byte{0})
	}
	return [sha256.Size]byte(sum.Sum(nil))
}
