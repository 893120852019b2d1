package snapshot

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/config"
)

// counted builds snapshots numbered from 1 and counts those that were closed.
type counted struct {
	built, closed atomic.Int64
	fail          atomic.Bool
}

func (c *counted) build(context.Context) (*Snapshot, error) {
	if c.fail.Load() {
		return nil, errors.New("gate.rate: 3 is not within 0..1")
	}
	n := c.built.Add(1)
	return &Snapshot{
		Versions: kb.Versions{Snapshot: string(rune('0' + n%10))},
		Close:    func() error { c.closed.Add(1); return nil },
	}, nil
}

func TestRequestsKeepTheirSnapshot(t *testing.T) {
	c := &counted{}
	h, err := NewHolder(t.Context(), c.build, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if h.Busy() {
		t.Error("busy before anyone came")
	}
	first, release := h.Acquire()
	if !h.Busy() {
		t.Error("not busy while a request is open")
	}
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	second, release2 := h.Acquire()
	if first.Versions.Snapshot != "1" || second.Versions.Snapshot != "2" {
		t.Fatalf("snapshots %q and %q, want 1 and 2", first.Versions.Snapshot, second.Versions.Snapshot)
	}
	if n := c.closed.Load(); n != 0 {
		t.Fatalf("%d snapshots closed while a request holds the first", n)
	}
	release()
	release() // a second call is harmless
	if n := c.closed.Load(); n != 1 {
		t.Fatalf("%d snapshots closed after the last request of the first, want 1", n)
	}
	h.Close()
	if n := c.closed.Load(); n != 1 {
		t.Fatalf("%d snapshots closed while a request holds the second, want 1", n)
	}
	release2()
	if n := c.closed.Load(); n != 2 {
		t.Fatalf("%d snapshots closed at the end, want 2", n)
	}
	if s, done := h.Acquire(); s != nil {
		done()
		t.Error("Acquire after Close gives a snapshot")
	}
	if err := h.Reload(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("Reload after Close = %v, want ErrClosed", err)
	}
	if s, done := h.Acquire(); s != nil {
		done()
		t.Error("a Reload after Close gives a snapshot")
	}
}

// TestReloadNamesWhatChanged holds that the log of a reload says which keys changed.
func TestReloadNamesWhatChanged(t *testing.T) {
	var log strings.Builder
	c := config.Default()
	h, err := NewHolder(t.Context(), func(context.Context) (*Snapshot, error) {
		c.Gate.K++
		return &Snapshot{Config: c}, nil
	}, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "changed=[gate.k]"; !strings.Contains(log.String(), want) {
		t.Errorf("the log lacks %s: %s", want, log.String())
	}
}

func TestFailedReloadKeepsTheOld(t *testing.T) {
	c := &counted{}
	reg := prometheus.NewRegistry()
	var log strings.Builder
	h, err := NewHolder(t.Context(), c.build, Options{Registry: reg, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if got := successful(t, reg); got != 1 {
		t.Errorf("gauge after the first load = %v, want 1", got)
	}
	c.fail.Store(true)
	if err := h.Reload(t.Context()); err == nil {
		t.Fatal("Reload of a bad configuration succeeds")
	}
	s, release := h.Acquire()
	defer release()
	if s.Versions.Snapshot != "1" {
		t.Errorf("snapshot %q serves, want 1", s.Versions.Snapshot)
	}
	if got := successful(t, reg); got != 0 {
		t.Errorf("gauge after a failed reload = %v, want 0", got)
	}
	if !strings.Contains(log.String(), "gate.rate") {
		t.Errorf("the log does not say why: %s", log.String())
	}
	c.fail.Store(false)
	if err := h.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := successful(t, reg); got != 1 {
		t.Errorf("gauge after a good reload = %v, want 1", got)
	}
}

func TestFirstLoadFailing(t *testing.T) {
	c := &counted{}
	c.fail.Store(true)
	if _, err := NewHolder(t.Context(), c.build, Options{}); err == nil {
		t.Error("NewHolder of a bad configuration succeeds")
	}
}

// TestConcurrentReload has many requests run over many swaps: each snapshot is
// closed exactly once, and none while a request holds it.
func TestConcurrentReload(t *testing.T) {
	var open, built, closed atomic.Int64
	h, err := NewHolder(t.Context(), func(context.Context) (*Snapshot, error) {
		built.Add(1)
		open.Add(1)
		return &Snapshot{Close: func() error { open.Add(-1); closed.Add(1); return nil }}, nil
	}, Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 500 {
				s, release := h.Acquire()
				if s == nil {
					t.Error("no snapshot")
				}
				release()
			}
		})
	}
	for range 50 {
		if err := h.Reload(t.Context()); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	h.Close()
	if built.Load() != closed.Load() || open.Load() != 0 {
		t.Errorf("%d snapshots built, %d closed", built.Load(), closed.Load())
	}
}

func TestWatch(t *testing.T) {
	for _, tt := range []struct {
		name   string
		poll   time.Duration
		change func(t *testing.T, dir string)
	}{
		{"written in place", time.Minute, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "suffice.yaml"), "gate: {k: 4}")
		}},
		{"replaced by a new file", time.Minute, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "new"), "gate: {k: 4}")
			if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "suffice.yaml")); err != nil {
				t.Fatal(err)
			}
		}},
		{"seen by the poll behind a link", 20 * time.Millisecond, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "elsewhere", "real.yaml"), "gate: {k: 4}")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "suffice.yaml")
			if strings.Contains(tt.name, "link") {
				if err := os.Mkdir(filepath.Join(dir, "elsewhere"), 0o700); err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(dir, "elsewhere", "real.yaml"), "gate: {k: 3}")
				if err := os.Symlink(filepath.Join(dir, "elsewhere", "real.yaml"), file); err != nil {
					t.Fatal(err)
				}
			} else {
				write(t, file, "gate: {k: 3}")
			}
			built := make(chan string, 10)
			h, err := NewHolder(t.Context(), func(context.Context) (*Snapshot, error) {
				text, err := os.ReadFile(file)
				built <- string(text)
				return &Snapshot{}, err
			}, Options{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			<-built
			ready := make(chan struct{}, 100)
			go h.Watch(t.Context(), func() []string { ready <- struct{}{}; return []string{file} }, tt.poll)
			<-ready // followed
			<-ready // fingerprint being taken
			time.Sleep(50 * time.Millisecond)
			tt.change(t, dir)
			select {
			case got := <-built:
				if got != "gate: {k: 4}" {
					t.Errorf("reloaded with %q", got)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("not reloaded within 10 s")
			}
		})
	}
}

func TestIDNamesContents(t *testing.T) {
	first, again := ID("a", "b"), ID("a", "b")
	if first != again || first == ID("ab") || first == ID("b", "a") {
		t.Error("ID does not name its contents")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// successful is the gauge of the last reload.
func successful(t *testing.T, reg *prometheus.Registry) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "suffice_config_last_reload_successful" {
			return f.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatal("no gauge suffice_config_last_reload_successful")
	return 0
}
