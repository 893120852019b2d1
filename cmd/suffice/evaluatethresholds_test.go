package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/config"
)

// What `evaluate thresholds --out` writes is what a server reads: the pair of each class, and
// for a class with too few rows the pair of all. The table has a row and two intervals for each.
func TestThresholdsAreReadByTheServer(t *testing.T) {
	var rows []evaluate.ThresholdRow
	for _, r := range []evaluate.ThresholdRow{
		{Class: kb.Numeric, Sufficient: true, Covered: true, Sufficiency: 0.42},
		{Class: kb.Numeric, Covered: true, Sufficiency: 0.21},
		{Class: kb.Condition, Sufficient: true, Stateable: true, Sufficiency: 0.88},
		{Class: kb.Condition, Stateable: true, Sufficiency: 0.71},
	} {
		for range 60 {
			rows = append(rows, r)
		}
	}
	choices := evaluate.ChooseThresholds(rows, evaluate.ThresholdTarget{FalseRefusal: 0.1, MissedRefusal: 0.1})
	var written, table strings.Builder
	if err := evaluate.WriteThresholdConfig(&written, choices); err != nil {
		t.Fatal(err)
	}
	if err := evaluate.WriteThresholds(&table, choices); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "thresholds.yaml")
	if err := os.WriteFile(file, []byte(written.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := loadConfig(config.Sources{File: file})
	if err != nil {
		t.Fatalf("the server does not read it: %v\n%s", err, written.String())
	}
	shipped, err := loadConfig(config.Sources{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices {
		if c.Class == "" {
			continue
		}
		name := strings.ToLower(string(c.Class))
		got := cfg.Thresholds[name]
		if got.Sufficiency != c.Least || got.Sure != c.Sure {
			t.Errorf("%s: the server has %v and %v, chosen were %v and %v", name, got.Sufficiency, got.Sure, c.Least, c.Sure)
		}
		if other := shipped.Thresholds[name]; got.FGCGreen != other.FGCGreen || got.CDS != other.CDS {
			t.Errorf("%s: %+v, what was not chosen is to stay as in %+v", name, got, other)
		}
		if own := c.Class == kb.Numeric || c.Class == kb.Condition; c.Own != own {
			t.Errorf("%s: own thresholds %v, want %v", name, c.Own, own)
		}
		row := regexp.MustCompile(`(?m)^\| ` + name + ` \| \d+ \(\d+\) \|.*\| \S+ \(\S+–\S+\) \| \S+ \(\S+–\S+\) \|`)
		if !row.MatchString(table.String()) {
			t.Errorf("no row with two intervals for %s:\n%s", name, table.String())
		}
	}
}
