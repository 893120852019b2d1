// Package telemetry makes the logger and the metrics of a process. Both are
// handed to those who use them; nothing is global. Labels hold no text, id or key
// of a user.
package telemetry

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"suffice.dev/suffice/services/config"
)

// Build names the binary.
type Build struct {
	Version string // release; "dev" outside of one
	Commit  string // revision, with "+dirty" when files were changed; "unknown" where the build did not record it
}

// ReadBuild returns what the Go tool recorded in the binary. A version set at link
// time goes before it.
func ReadBuild(version, commit string) Build {
	b := Build{Version: version, Commit: commit}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b.orDefaults()
	}
	if b.Version == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	if b.Commit == "" {
		revision, dirty := "", false
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				revision = s.Value
			case "vcs.modified":
				dirty = s.Value == "true"
			}
		}
		if len(revision) > 12 {
			revision = revision[:12]
		}
		if b.Commit = revision; dirty && revision != "" {
			b.Commit += "+dirty"
		}
	}
	return b.orDefaults()
}

func (b Build) orDefaults() Build {
	if b.Version == "" {
		b.Version = "dev"
	}
	if b.Commit == "" {
		b.Commit = "unknown"
	}
	return b
}

// Logger writes to w in the form and from the level that the settings name.
func Logger(w io.Writer, c config.Telemetry) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return nil, fmt.Errorf("telemetry.log_level: %w", err)
	}
	opts := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, opts)), nil
	}
	return slog.New(slog.NewTextHandler(w, opts)), nil
}

// Registry returns a registry with the metrics of the process and the runtime.
func Registry(b Build) *prometheus.Registry {
	reg := prometheus.NewRegistry()
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "suffice_build_info",
		Help:        "Always 1; the labels name the binary.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit},
	})
	info.Set(1)
	reg.MustRegister(info, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}

// Pipeline are the metrics of requests. A nil *Pipeline measures nothing.
type Pipeline struct {
	layers   *prometheus.HistogramVec
	outcomes *prometheus.CounterVec
	degraded *prometheus.CounterVec
	inFlight prometheus.Gauge
}

// NewPipeline registers the metrics of requests.
func NewPipeline(reg prometheus.Registerer) (*Pipeline, error) {
	p := &Pipeline{
		layers: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "suffice_pipeline_layer_seconds",
			Help:    "Time that a layer took in a request; total is the whole request.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"layer"}),
		outcomes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_pipeline_replies_total",
			Help: "Replies of ask by outcome, in lower case; error for calls that failed.",
		}, []string{"action"}),
		degraded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_pipeline_degraded_total",
			Help: "Parts that were left out of a reply.",
		}, []string{"layer"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "suffice_pipeline_in_flight_requests",
			Help: "Requests being worked on.",
		}),
	}
	for _, c := range []prometheus.Collector{p.layers, p.outcomes, p.degraded, p.inFlight} {
		if err := reg.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics of the pipeline: %w", err)
		}
	}
	return p, nil
}

// Layer notes the time a layer took.
func (p *Pipeline) Layer(name string, took time.Duration) {
	if p != nil {
		p.layers.WithLabelValues(name).Observe(took.Seconds())
	}
}

// Begin notes a request; the function it returns, its end.
func (p *Pipeline) Begin() func() {
	if p == nil {
		return func() {}
	}
	p.inFlight.Inc()
	return p.inFlight.Dec
}

// Replied notes how a request ended.
func (p *Pipeline) Replied(action string) {
	if p != nil {
		p.outcomes.WithLabelValues(action).Inc()
	}
}

// Degraded notes a part that was left out.
func (p *Pipeline) Degraded(part string) {
	if p != nil {
		p.degraded.WithLabelValues(part).Inc()
	}
}
