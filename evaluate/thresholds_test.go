package evaluate

import (
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
)

// rowsOf are n rows alike.
func rowsOf(n int, r ThresholdRow) []ThresholdRow {
	out := make([]ThresholdRow, n)
	for i := range out {
		out[i] = r
	}
	return out
}

func TestChooseThresholds(t *testing.T) {
	var rows []ThresholdRow
	for _, r := range []ThresholdRow{
		{Class: kb.Numeric, Sufficient: true, Covered: true, Sufficiency: 0.42},
		{Class: kb.Numeric, Sufficient: true, Stateable: true, Sufficiency: 0.88},
		{Class: kb.Numeric, Covered: true, Sufficiency: 0.21},
		{Class: kb.Numeric, Stateable: true, Sufficiency: 0.71},
		{Class: kb.Numeric, Sufficiency: 0.93}, // no sentence could answer
	} {
		rows = append(rows, rowsOf(30, r)...)
	}
	rows = append(rows, ThresholdRow{Class: kb.Steps, Sufficient: true, Covered: true, Sufficiency: 0.9})
	choices := ChooseThresholds(rows, ThresholdTarget{FalseRefusal: 0.1, MissedRefusal: 0.1})
	for _, c := range choices {
		switch c.Class {
		case "", kb.Numeric:
			if !c.Reached || c.FalseRefusal != 0 || c.MissedRefusal != 0 || c.Least <= 0.21 || c.Least > 0.42 || c.Sure <= 0.71 || c.Sure > 0.88 {
				t.Errorf("%q: %+v, want thresholds without an error", c.Class, c)
			}
		case kb.Steps:
			if c.Own || c.Least != choices[0].Least || c.Sure != choices[0].Sure {
				t.Errorf("%+v, want the thresholds of all for a class of one row", c)
			}
		}
	}
	var config strings.Builder
	if err := WriteThresholdConfig(&config, choices); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(config.String(), "\n  numeric: {sufficiency: ") || strings.Count(config.String(), "\n") != 1+len(kb.Classes) {
		t.Errorf("configuration:\n%s", config.String())
	}
}

// Where both shares cannot be kept, the least excess counts, and the table says so.
func TestChooseThresholdsOfAnImpossibleTarget(t *testing.T) {
	rows := append(rowsOf(50, ThresholdRow{Sufficient: true, Covered: true, Sufficiency: 0.3}), rowsOf(50, ThresholdRow{Covered: true, Sufficiency: 0.3})...)
	all := ChooseThresholds(rows, ThresholdTarget{FalseRefusal: 0.05, MissedRefusal: 0.5})[0]
	if all.Reached || all.FalseRefusal != 0 || all.MissedRefusal != 1 {
		t.Errorf("%+v, want none refused: that exceeds the target least", all)
	}
}
