package telemetry

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/services/config"
)

func TestLogger(t *testing.T) {
	for _, tt := range []struct {
		cfg  config.Telemetry
		want string
	}{
		{config.Telemetry{LogLevel: "info", LogFormat: "text"}, `level=WARN msg=w k=1`},
		{config.Telemetry{LogLevel: "warn", LogFormat: "json"}, `"msg":"w","k":1`},
	} {
		var b strings.Builder
		log, err := Logger(&b, tt.cfg)
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("never")
		log.Warn("w", "k", 1)
		if !strings.Contains(b.String(), tt.want) || strings.Contains(b.String(), "never") {
			t.Errorf("%+v writes %q, want %q", tt.cfg, b.String(), tt.want)
		}
	}
	if _, err := Logger(&strings.Builder{}, config.Telemetry{LogLevel: "loud"}); err == nil {
		t.Error("an unknown level is accepted")
	}
}

func TestPipelineMetrics(t *testing.T) {
	reg := prometheus.NewRegistry()
	p, err := NewPipeline(reg)
	if err != nil {
		t.Fatal(err)
	}
	end := p.Begin()
	if got := value(t, reg, "suffice_pipeline_in_flight_requests"); got != 1 {
		t.Errorf("in flight = %v, want 1", got)
	}
	p.Layer("rerank", time.Millisecond)
	p.Replied("answered")
	p.Degraded("bm25")
	end()
	if got := value(t, reg, "suffice_pipeline_in_flight_requests"); got != 0 {
		t.Errorf("in flight = %v, want 0", got)
	}
	if got := value(t, reg, "suffice_pipeline_replies_total"); got != 1 {
		t.Errorf("answered = %v, want 1", got)
	}
	var none *Pipeline
	none.Begin()()
	none.Replied("x")
	none.Layer("x", 1)
	none.Degraded("x")
	if _, err := NewPipeline(reg); err == nil {
		t.Error("registering twice is accepted")
	}
}

func TestReadBuild(t *testing.T) {
	if b := ReadBuild("1.2.3", "abc"); b.Version != "1.2.3" || b.Commit != "abc" {
		t.Errorf("link-time values lost: %+v", b)
	}
	if b := ReadBuild("", ""); b.Version == "" || b.Commit == "" {
		t.Errorf("empty build: %+v", b)
	}
}

// value is the value of the only series of a gauge or counter.
func value(t *testing.T, reg *prometheus.Registry, name string) float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name && len(f.GetMetric()) == 1 {
			return f.GetMetric()[0].GetGauge().GetValue() + f.GetMetric()[0].GetCounter().GetValue()
		}
	}
	t.Fatalf("no single series %s", name)
	return 0
}
