package evaluate

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"text/tabwriter"

	"suffice.dev/suffice/kb"
)

// ClaimJudge checks an answer; rows are the model's inputs of its claims, nil
// where the model decides nothing.
type ClaimJudge func(ctx context.Context, req kb.VerifyRequest) (v kb.Verification, rows [][]uint32, err error)

// JudgedClaims is an example with what the program made of it.
type JudgedClaims struct {
	*ClaimExample
	Verification kb.Verification
	Rows         [][]uint32
	Overlap      float64 // share of the answer's terms in the passage that has most of them
	Quotes       int     // citations given
	Misquoted    int     // of them those whose quote is not its span
}

// Support is the probability that all claims are supported: the least of them; 1 where
// there is none to check.
func (j JudgedClaims) Support() float64 {
	p := 1.0
	for _, c := range j.Verification.Claims {
		if c.Verdict != kb.NotAClaim {
			p = math.Min(p, c.Probability)
		}
	}
	return p
}

// Flagged reports whether the answer was found to be not supported. One without a
// claim is not flagged: there is nothing to hold against it.
func (j JudgedClaims) Flagged() bool {
	return j.Verification.Verdict != kb.Supported && j.Verification.Verdict != kb.NoClaims
}

// JudgeClaims judges all examples, in their order. progress may be nil.
func JudgeClaims(ctx context.Context, examples []ClaimExample, judge ClaimJudge, progress func(done, total int)) ([]JudgedClaims, error) {
	return onAllCores(ctx, examples, progress, func(ctx context.Context, e *ClaimExample) (JudgedClaims, error) {
		v, rows, err := judge(ctx, kb.VerifyRequest{Question: e.Question, Answer: e.Answer, Passages: e.Passages, AsOf: asOf})
		if err != nil {
			return JudgedClaims{}, fmt.Errorf("judge %s %q: %w", e.Source, e.Answer, err)
		}
		j := JudgedClaims{ClaimExample: e, Verification: v, Rows: rows, Overlap: overlap(e.Answer, e.Passages)}
		for _, c := range v.Claims {
			for _, q := range c.Citations {
				j.Quotes++
				if !spells(e.Passages, q) {
					j.Misquoted++
				}
			}
		}
		return j, nil
	})
}

func spells(passages []kb.Passage, q kb.Evidence) bool {
	for _, p := range passages {
		if p.ID == q.PassageID {
			runes := []rune(p.Text)
			return 0 <= q.Start && q.Start <= q.End && q.End <= len(runes) && string(runes[q.Start:q.End]) == q.Quote
		}
	}
	return false
}

// ClaimFigures are the measures of one set of answers.
type ClaimFigures struct {
	Set               string
	Rows, Unsupported int
	Balanced          float64 // balanced accuracy of flagging the unsupported
	BalancedRange     [2]float64
	F1                float64 // of the unsupported
	F1Range           [2]float64
	Recall, Alarms    float64 // share of the unsupported that are flagged; of the supported
	AUROC             float64 // of the probability; NaN with one label only
	ECE               float64 // of the probability, over ten bins
	OverlapBalanced   float64 // of word overlap at the threshold that is best on these very rows
	OverlapF1         float64 // the same
	OverlapAUROC      float64
	Quotes, Misquoted int
}

// MeasureClaims gives the figures of each set, by kind where wanted (against the
// supported ones of the set), of each language and of all.
func MeasureClaims(judged []JudgedClaims, byKind bool) []ClaimFigures {
	groups := map[string][]JudgedClaims{}
	for _, j := range judged {
		groups["2 "+j.Source] = append(groups["2 "+j.Source], j)
		groups["3 all "+j.Language] = append(groups["3 all "+j.Language], j)
		groups["4 all"] = append(groups["4 all"], j)
		if byKind && !j.Supported {
			key := "1 " + j.Source + "/" + j.Kind
			groups[key] = append(groups[key], j)
		}
	}
	for key := range groups {
		if key[0] != '1' {
			continue
		}
		for _, j := range groups["2 "+groups[key][0].Source] {
			if j.Supported {
				groups[key] = append(groups[key], j)
			}
		}
	}
	keys := make([]string, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	out := make([]ClaimFigures, 0, len(keys))
	for _, k := range keys {
		out = append(out, claimFigures(k[2:], groups[k]))
	}
	return out
}

func claimFigures(name string, judged []JudgedClaims) ClaimFigures {
	f := ClaimFigures{Set: name, Rows: len(judged)}
	wrong, flagged := make([]bool, len(judged)), make([]bool, len(judged))
	supported := make([]bool, len(judged))
	support, words := make([]float64, len(judged)), make([]float64, len(judged))
	for i, j := range judged {
		wrong[i], supported[i], flagged[i] = !j.Supported, j.Supported, j.Flagged()
		support[i], words[i] = j.Support(), j.Overlap
		f.Quotes += j.Quotes
		f.Misquoted += j.Misquoted
		if !j.Supported {
			f.Unsupported++
		}
	}
	f.ECE = calibrationError(supported, support)
	f.AUROC, f.OverlapAUROC = auroc(supported, support), auroc(supported, words)
	f.Recall, f.Alarms, f.Balanced, f.F1 = rates(wrong, flagged)
	f.BalancedRange, f.F1Range = bootstrap(wrong, flagged)
	for t := 0.0; t <= 1.0001; t += 0.02 {
		low := make([]bool, len(words))
		for i, w := range words {
			low[i] = w < t
		}
		_, _, balanced, f1 := rates(wrong, low)
		f.OverlapBalanced, f.OverlapF1 = math.Max(f.OverlapBalanced, balanced), math.Max(f.OverlapF1, f1)
	}
	return f
}

func rates(wrong, flagged []bool) (recall, alarms, balanced, f1 float64) {
	var tp, fp, fn, tn float64
	for i := range wrong {
		switch {
		case wrong[i] && flagged[i]:
			tp++
		case wrong[i]:
			fn++
		case flagged[i]:
			fp++
		default:
			tn++
		}
	}
	recall, alarms = tp/math.Max(1, tp+fn), fp/math.Max(1, fp+tn)
	return recall, alarms, (recall + 1 - alarms) / 2, 2 * tp / math.Max(1, 2*tp+fp+fn)
}

// bootstrap gives 95 % intervals of balanced accuracy and F1 from 1,000 resamples with
// a fixed seed.
func bootstrap(wrong, flagged []bool) (balanced, f1 [2]float64) {
	if len(wrong) == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // figures, no secrets
	const times = 1000
	var bs, fs []float64
	w, g := make([]bool, len(wrong)), make([]bool, len(wrong))
	for range times {
		for i := range w {
			n := rng.IntN(len(wrong))
			w[i], g[i] = wrong[n], flagged[n]
		}
		_, _, b, f := rates(w, g)
		bs, fs = append(bs, b), append(fs, f)
	}
	slices.Sort(bs)
	slices.Sort(fs)
	return [2]float64{bs[25], bs[974]}, [2]float64{fs[25], fs[974]}
}

// WriteClaims prints figures as a table.
func WriteClaims(w io.Writer, figures []ClaimFigures) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(t, "| set\t| rows (unsupported)\t| balanced accuracy\t| word overlap\t| F1 unsupported\t| word overlap\t| caught\t| false alarms\t| AUROC (overlap)\t| ECE\t| quotes (wrong)\t|")
	_, _ = fmt.Fprintln(t, strings.Repeat("|---\t", 11)+"|")
	for _, f := range figures {
		_, _ = fmt.Fprintf(t, "| %s\t| %d (%d)\t| %.3f (%.2f–%.2f)\t| %.3f\t| %.3f (%.2f–%.2f)\t| %.3f\t| %.3f\t| %.3f\t| %.3f (%.3f)\t| %.3f\t| %d (%d)\t|\n",
			f.Set, f.Rows, f.Unsupported, f.Balanced, f.BalancedRange[0], f.BalancedRange[1], f.OverlapBalanced,
			f.F1, f.F1Range[0], f.F1Range[1], f.OverlapF1, f.Recall, f.Alarms, f.AUROC, f.OverlapAUROC, f.ECE, f.Quotes, f.Misquoted)
	}
	return t.Flush()
}

// ClaimRow is one claim with its label, for training.
type ClaimRow struct {
	Features  []uint32
	Supported bool
	Found     bool // supported by the verdict without the model
	Dev       bool // for calibration
	Source    string
}

// ClaimRows are the claims of train examples whose label is known: all of a supported
// answer, and the only one of an unsupported. Claims that say otherwise than their
// source are left out: words do not tell them from true ones, facts and the reader do.
// One group in six goes to calibration.
func ClaimRows(judged []JudgedClaims) []ClaimRow {
	var out []ClaimRow
	for _, j := range judged {
		if j.Test || j.Contrary || !j.Supported && len(j.Rows) != 1 {
			continue
		}
		for i, r := range j.Rows {
			if r != nil {
				found := j.Verification.Claims[i].Verdict == kb.ClaimSupported
				out = append(out, ClaimRow{r, j.Supported, found, hash32(j.Group)>>4%6 == 0, j.Source})
			}
		}
	}
	return out
}
