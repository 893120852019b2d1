package evaluate

import (
	"fmt"
	"io"
	"math"
	"strings"

	"suffice.dev/suffice/kb"
)

// ThresholdRow is an example as thresholds see it.
type ThresholdRow struct {
	Class       kb.Class
	Sufficient  bool
	Covered     bool    // facts fill what is asked: refused below the lower threshold
	Stateable   bool    // they do not, and a sentence could answer: answered from the upper one on
	Sufficiency float64 // 0..1
}

// answered is what a pair of thresholds makes of the row.
func (r ThresholdRow) answered(least, sure float64) bool {
	return r.Covered && r.Sufficiency >= least || !r.Covered && r.Stateable && r.Sufficiency >= sure
}

// ThresholdTarget is what is wanted of thresholds: shares, 0..1.
type ThresholdTarget struct {
	FalseRefusal  float64 // of sufficient sets that are refused, at most
	MissedRefusal float64 // of insufficient sets that are answered, at most
}

// ThresholdChoice is a pair of thresholds with what it does to the rows.
type ThresholdChoice struct {
	Class                   kb.Class // "" = all
	Sufficient              int      // rows
	Insufficient            int
	Least, Sure             float64 // refused below Least though covered; answered from Sure on though not covered
	FalseRefusal            float64
	MissedRefusal           float64
	FalseRefusalInterval    [2]float64 // 95 %, Wilson
	MissedRefusalInterval   [2]float64
	Reached                 bool // the shares keep the target
	Own                     bool // chosen on the rows of the class; false: there are too few, it has the pair of all
	refusedRate, missedRate float64
}

// Rows of a class below which it gets the thresholds of all; and how many rows at the
// rates of all are added to those of a class, so that a few rows decide little.
const (
	leastClassRows = 40
	pooledRows     = 50
)

// ChooseThresholds chooses a pair for all rows and one for each class: the one whose
// shares exceed the target least in sum, of equals the one with the least sum of shares.
func ChooseThresholds(rows []ThresholdRow, target ThresholdTarget) []ThresholdChoice {
	all := chooseFrom(rows, target, nil)
	out := []ThresholdChoice{all}
	for _, class := range kb.Classes {
		var own []ThresholdRow
		sufficient := 0
		for _, r := range rows {
			if r.Class == class {
				own = append(own, r)
				if r.Sufficient {
					sufficient++
				}
			}
		}
		choice := figuresAt(own, all.Least, all.Sure)
		if sufficient >= leastClassRows && len(own)-sufficient >= leastClassRows {
			choice = chooseFrom(own, target, rows)
			choice.Own = true
		}
		choice.Class = class
		choice.Reached = choice.FalseRefusal <= target.FalseRefusal && choice.MissedRefusal <= target.MissedRefusal
		out = append(out, choice)
	}
	return out
}

// chooseFrom tries a grid; pool, where given, lends its rates.
func chooseFrom(rows []ThresholdRow, target ThresholdTarget, pool []ThresholdRow) ThresholdChoice {
	var best ThresholdChoice
	bestExcess, bestSum := math.Inf(1), math.Inf(1)
	for l := range 13 {
		for s := range 15 {
			least, sure := float64(5*l)/100, float64(30+5*s)/100
			if sure < least {
				continue
			}
			c := figuresAt(rows, least, sure)
			refused, missed := c.refusedRate, c.missedRate
			if pool != nil {
				p := figuresAt(pool, least, sure)
				refused = (refused*float64(c.Sufficient) + p.refusedRate*pooledRows) / float64(c.Sufficient+pooledRows)
				missed = (missed*float64(c.Insufficient) + p.missedRate*pooledRows) / float64(c.Insufficient+pooledRows)
			}
			excess := math.Max(0, refused-target.FalseRefusal) + math.Max(0, missed-target.MissedRefusal)
			if sum := refused + missed; excess < bestExcess-1e-9 || excess < bestExcess+1e-9 && sum < bestSum-1e-9 {
				best, bestExcess, bestSum = c, excess, sum
			}
		}
	}
	best.Reached = best.FalseRefusal <= target.FalseRefusal && best.MissedRefusal <= target.MissedRefusal
	return best
}

func figuresAt(rows []ThresholdRow, least, sure float64) ThresholdChoice {
	c := ThresholdChoice{Least: least, Sure: sure}
	refused, missed := 0, 0
	for _, r := range rows {
		answered := r.answered(least, sure)
		if r.Sufficient {
			c.Sufficient++
			if !answered {
				refused++
			}
		} else {
			c.Insufficient++
			if answered {
				missed++
			}
		}
	}
	c.FalseRefusal, c.FalseRefusalInterval = shareOf(refused, c.Sufficient)
	c.MissedRefusal, c.MissedRefusalInterval = shareOf(missed, c.Insufficient)
	c.refusedRate = float64(refused) / math.Max(1, float64(c.Sufficient))
	c.missedRate = float64(missed) / math.Max(1, float64(c.Insufficient))
	return c
}

// WriteThresholds writes the choices as a Markdown table.
func WriteThresholds(w io.Writer, choices []ThresholdChoice) error {
	if _, err := fmt.Fprintln(w, "| class | rows (sufficient) | refused below | answered from | false refusal | missed refusal | target |\n|---|---|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, c := range choices {
		name, said := strings.ToLower(string(c.Class)), "missed"
		if name == "" {
			name = "all"
		}
		switch {
		case c.Sufficient+c.Insufficient == 0:
			said = "no rows"
		case c.Reached:
			said = "reached"
		}
		if c.Class != "" && !c.Own {
			said += ", thresholds of all"
		}
		if _, err := fmt.Fprintf(w, "| %s | %d (%d) | %.2f | %.2f | %.3f (%.2f–%.2f) | %.3f (%.2f–%.2f) | %s |\n", name, c.Sufficient+c.Insufficient, c.Sufficient, c.Least, c.Sure,
			c.FalseRefusal, c.FalseRefusalInterval[0], c.FalseRefusalInterval[1], c.MissedRefusal, c.MissedRefusalInterval[0], c.MissedRefusalInterval[1], said); err != nil {
			return err
		}
	}
	return nil
}

// WriteThresholdConfig writes the choices of the classes in the form of the configuration
// file.
func WriteThresholdConfig(w io.Writer, choices []ThresholdChoice) error {
	if _, err := fmt.Fprintln(w, "thresholds:"); err != nil {
		return err
	}
	for _, c := range choices {
		if c.Class == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %s: {sufficiency: %.2f, sure: %.2f}\n", strings.ToLower(string(c.Class)), c.Least, c.Sure); err != nil {
			return err
		}
	}
	return nil
}
