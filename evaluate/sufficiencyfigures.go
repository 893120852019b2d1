package evaluate

import (
	"fmt"
	"io"
	"math"
	"sort"

	"suffice.dev/suffice/kb"
)

// SufficiencyFigures are the measures of one set of examples.
type SufficiencyFigures struct {
	Set                string
	Rows, Sufficient   int
	AUROC              float64 // of the sufficiency; NaN with one label only
	OverlapAUROC       float64 // of word overlap
	FGCAUROC           float64 // of coverage alone
	Brier, ECE         float64 // of the sufficiency; ECE over ten bins
	FalseRefusal       float64 // share of the sufficient that are not ANSWERED
	MissedRefusal      float64 // share of the insufficient that are ANSWERED
	BalancedAccuracy   float64 // of the outcome ANSWERED
	FalseRefusalRange  [2]float64
	MissedRefusalRange [2]float64
}

// MeasureSufficiency gives the figures of each set (source/kind against the source's
// gold where byKind), of each source, of each language and of all, in this order.
func MeasureSufficiency(judged []JudgedExample, byKind bool) []SufficiencyFigures {
	groups := map[string][]JudgedExample{}
	for _, j := range judged {
		groups["2 "+j.Source] = append(groups["2 "+j.Source], j)
		groups["3 all "+j.Language] = append(groups["3 all "+j.Language], j)
		groups["4 all"] = append(groups["4 all"], j)
	}
	if byKind {
		for _, j := range judged {
			if j.Sufficient {
				continue
			}
			key := "1 " + j.Set()
			groups[key] = append(groups[key], j)
		}
		for _, j := range judged {
			if !j.Sufficient {
				continue
			}
			for key := range groups {
				if len(key) > 2 && key[0] == '1' && groups[key][0].Source == j.Source {
					groups[key] = append(groups[key], j)
				}
			}
		}
	}
	keys := make([]string, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := make([]SufficiencyFigures, 0, len(keys))
	for _, k := range keys {
		out = append(out, figuresOf(k[2:], groups[k]))
	}
	return out
}

func figuresOf(name string, judged []JudgedExample) SufficiencyFigures {
	f := SufficiencyFigures{Set: name, Rows: len(judged)}
	labels := make([]bool, len(judged))
	scores := [3][]float64{}
	refused, missed := 0, 0
	for i, j := range judged {
		labels[i] = j.Sufficient
		scores[0] = append(scores[0], j.Sufficiency)
		scores[1] = append(scores[1], j.Overlap)
		scores[2] = append(scores[2], j.FGC)
		y := 0.0
		if j.Sufficient {
			y = 1
			f.Sufficient++
			if j.Outcome != kb.Answered {
				refused++
			}
		} else if j.Outcome == kb.Answered {
			missed++
		}
		f.Brier += (j.Sufficiency - y) * (j.Sufficiency - y) / float64(len(judged))
	}
	f.ECE = calibrationError(labels, scores[0])
	f.AUROC, f.OverlapAUROC, f.FGCAUROC = auroc(labels, scores[0]), auroc(labels, scores[1]), auroc(labels, scores[2])
	f.FalseRefusal, f.FalseRefusalRange = shareOf(refused, f.Sufficient)
	f.MissedRefusal, f.MissedRefusalRange = shareOf(missed, f.Rows-f.Sufficient)
	f.BalancedAccuracy = 1 - (f.FalseRefusal+f.MissedRefusal)/2
	return f
}

// calibrationError is how far the probabilities of ten bins lie from the shares of
// true labels in them, weighted by rows: 0..1.
func calibrationError(labels []bool, probabilities []float64) float64 {
	var bins [10]struct{ yes, sum float64 }
	for i, p := range probabilities {
		b := &bins[min(9, int(p*10))]
		b.sum += p
		if labels[i] {
			b.yes++
		}
	}
	out := 0.0
	for _, b := range bins {
		out += math.Abs(b.yes-b.sum) / float64(len(labels))
	}
	return out
}

// auroc is the probability that a sufficient example scores above an insufficient
// one, ties counting half; NaN with one label only.
func auroc(labels []bool, scores []float64) float64 {
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] < scores[order[b]] })
	positive, negative, sum := 0.0, 0.0, 0.0
	for i := 0; i < len(order); {
		j := i
		tied := [2]float64{}
		for ; j < len(order) && scores[order[j]] == scores[order[i]]; j++ {
			if labels[order[j]] {
				tied[1]++
			} else {
				tied[0]++
			}
		}
		sum += tied[1] * (negative + tied[0]/2)
		positive, negative = positive+tied[1], negative+tied[0]
		i = j
	}
	if positive == 0 || negative == 0 {
		return math.NaN()
	}
	return sum / (positive * negative)
}

// WriteSufficiency writes the figures as a Markdown table.
func WriteSufficiency(w io.Writer, figures []SufficiencyFigures) error {
	if _, err := fmt.Fprintln(w, "| set | rows (sufficient) | AUROC | word overlap | FGC alone | ECE | false refusal | missed refusal | balanced accuracy |\n|---|---|---|---|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, f := range figures {
		if _, err := fmt.Fprintf(w, "| %s | %d (%d) | %.3f | %.3f | %.3f | %.3f | %.3f (%.2f–%.2f) | %.3f (%.2f–%.2f) | %.3f |\n", f.Set, f.Rows, f.Sufficient, f.AUROC, f.OverlapAUROC,
			f.FGCAUROC, f.ECE, f.FalseRefusal, f.FalseRefusalRange[0], f.FalseRefusalRange[1], f.MissedRefusal, f.MissedRefusalRange[0], f.MissedRefusalRange[1], f.BalancedAccuracy); err != nil {
			return err
		}
	}
	return nil
}
