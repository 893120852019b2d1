package evaluate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// RoutedQuestion is a question with what the routes found for it and how they score it.
type RoutedQuestion struct {
	Set      string
	Class    kb.Class
	Test     bool // on the side that nothing is fitted on
	Relevant []string
	Found    []routed
	runes    int // length of the question
}

// routed is a passage that some route found.
type routed struct {
	document string
	id       string
	scores   [3]float64 // in the order of kb.Routes
	ranks    [3]int     // from 1; 0 = not found
	abroad   bool       // in another language than the question
}

// AskRoutes asks each question of a set once, and keeps every passage that any route
// found with all its scores: any weights can then be tried without asking again. A
// question is on the test side when all its documents are (IsTest), by the text that
// documentText gives for an id.
func AskRoutes(ctx context.Context, set RetrievalSet, documentText func(id string) string,
	retrieve func(context.Context, kb.AskRequest) (kb.Analysis, kb.Retrieved, error),
) ([]RoutedQuestion, error) {
	var out []RoutedQuestion
	for _, q := range set.Questions {
		a, got, err := retrieve(ctx, kb.AskRequest{Question: kb.Question{Text: q.Text}, TopK: kb.MaxTopK, Weights: &kb.Weights{Dense: 1, BM25: 1, Graph: 1}, Only: kb.Routes})
		if err != nil {
			return nil, fmt.Errorf("ask routes on %s: %w", set.Name, err)
		}
		if len(got.Degraded) > 0 {
			return nil, fmt.Errorf("ask routes on %s: degraded: %v", set.Name, got.Degraded)
		}
		r := RoutedQuestion{Set: set.Name, Class: a.Class, Relevant: q.Relevant, Test: true, runes: utf8.RuneCountInString(q.Text)}
		for _, id := range q.Relevant {
			r.Test = r.Test && IsTest(documentText(id))
		}
		for _, c := range got.Candidates {
			x := routed{document: c.DocumentID, id: c.ID, abroad: abroad(q.Text, c.Text)}
			for i, route := range kb.Routes {
				x.scores[i], x.ranks[i] = c.Routes[route].Score, c.Routes[route].Rank
			}
			r.Found = append(r.Found, x)
		}
		out = append(out, r)
	}
	return out, nil
}

// WriteScores writes one JSON object a line for each question: what every passage that some
// route found scores by each of them, for trying other ways to fuse without asking again.
func WriteScores(w io.Writer, questions []RoutedQuestion) error {
	type passage struct {
		ID       string     `json:"id"`
		Document string     `json:"document"`
		Scores   [3]float64 `json:"scores"` // dense, BM25, graph
		Ranks    [3]int     `json:"ranks"`  // from 1; 0 = not found
		Abroad   bool       `json:"abroad,omitempty"`
	}
	out := json.NewEncoder(w)
	for _, q := range questions {
		row := struct {
			Set      string    `json:"set"`
			Class    kb.Class  `json:"class"`
			Runes    int       `json:"runes"`
			Test     bool      `json:"test"`
			Relevant []string  `json:"relevant"`
			Found    []passage `json:"found"`
		}{q.Set, q.Class, q.runes, q.Test, q.Relevant, make([]passage, 0, len(q.Found))}
		for _, f := range q.Found {
			row.Found = append(row.Found, passage{f.id, f.document, f.scores, f.ranks, f.abroad})
		}
		if err := out.Encode(row); err != nil {
			return fmt.Errorf("write scores: %w", err)
		}
	}
	return nil
}

// measure is recall@1, 5, 10 and the reciprocal rank of one question under weights.
func (q RoutedQuestion) measure(w kb.Weights) (r RecallRow) {
	order := make([]int, 0, len(q.Found))
	score := make([]float64, len(q.Found))
	for i, f := range q.Found {
		score[i] = w.Fuse(f.scores[0], f.scores[1], f.scores[2], f.abroad)
		if score[i] > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(score[b], score[a]), strings.Compare(q.Found[a].id, q.Found[b].id))
	})
	kb.Seat(order, func(i int) float64 { return score[i] }, func(i int) bool {
		r := q.Found[i].ranks
		return w.Seats(r[0], r[1], r[2])
	})
	var found []kb.Candidate
	for _, i := range order[:min(10, len(order))] {
		found = append(found, kb.Candidate{Passage: kb.Passage{DocumentID: q.Found[i].document}})
	}
	r.add(RetrievalQuestion{Relevant: q.Relevant}, found)
	return r
}

var alone = map[kb.Route]kb.Weights{kb.Dense: {Dense: 1}, kb.BM25: {BM25: 1}, kb.Graph: {Graph: 1}}

// abroad reports whether two texts are in different languages, both known.
func abroad(question, passage string) bool {
	a, b := text.Language(question), text.Language(passage)
	known := func(l string) bool { return l == "zh" || l == "en" }
	return known(a) && known(b) && a != b
}

// RouteRow says how often a route alone finds what a class asks for.
type RouteRow struct {
	Class     kb.Class
	Route     kb.Route
	Questions int
	R10       float64
	Low, High float64 // 95 %, Wilson
	Off       bool    // the lower bound is below routeFloor
}

const (
	// routeFloor is the recall@10 below whose lower bound a route is off for a class.
	routeFloor = 0.30
	// fewest is how many questions of a class say anything about its routes: with fewer,
	// the interval is wide whatever the route does, and it stays on.
	fewest = 20
)

// RouteTable measures recall@10 of each route alone by class, over all sets.
func RouteTable(questions []RoutedQuestion) []RouteRow {
	var out []RouteRow
	for _, class := range kb.Classes {
		for _, route := range kb.Routes {
			row := RouteRow{Class: class, Route: route}
			sum := 0.0
			for _, q := range questions {
				if q.Class == class {
					row.Questions++
					sum += q.measure(alone[route]).R10
				}
			}
			if row.Questions == 0 {
				continue
			}
			row.R10 = sum / float64(row.Questions)
			row.Low, row.High = wilson(sum, float64(row.Questions))
			row.Off = row.Questions >= fewest && row.Low < routeFloor
			out = append(out, row)
		}
	}
	return out
}

// FittedWeights are fusion weights by class, and the one that fits all classes.
type FittedWeights struct {
	Fixed   kb.Weights
	ByClass map[kb.Class]kb.Weights
}

// For returns the weights of a class.
func (f FittedWeights) For(c kb.Class) kb.Weights {
	if w, ok := f.ByClass[c]; ok {
		return w
	}
	return f.Fixed
}

// FitWeights looks for the weights that serve the fitting side best: the mean over the
// sets of recall@5 and of the reciprocal rank, so that a large set does not outweigh the
// others. A class has weights of its own where it has at least 40 questions and they gain
// more than the noise of its questions; a weight that is as good and nearer to those of
// all classes wins.
func FitWeights(questions []RoutedQuestion) FittedWeights {
	var fitting []RoutedQuestion
	for _, q := range questions {
		if !q.Test {
			fitting = append(fitting, q)
		}
	}
	out := FittedWeights{ByClass: map[kb.Class]kb.Weights{}}
	best := -1.0
	for _, w := range weightGrid() {
		if v, _ := worth(fitting, w); v > best+1e-9 {
			best, out.Fixed = v, w
		}
	}
	for _, class := range kb.Classes {
		var own []RoutedQuestion
		for _, q := range fitting {
			if q.Class == class {
				own = append(own, q)
			}
		}
		if len(own) < 40 {
			continue
		}
		plain, noise := worth(own, out.Fixed)
		top, choice := plain, out.Fixed
		for _, w := range weightGrid() {
			v, _ := worth(own, w)
			if v > top+1e-9 || v > top-1e-9 && apart(w, out.Fixed) < apart(choice, out.Fixed) {
				top, choice = v, w
			}
		}
		if top > plain+noise {
			out.ByClass[class] = choice
		}
	}
	return out
}

func weightGrid() []kb.Weights {
	var out []kb.Weights
	for _, g := range []float64{0, 0.05, 0.1, 0.15, 0.2, 0.3} {
		for d := 0; d <= 10; d++ {
			dense := (1 - g) * float64(d) / 10
			out = append(out, kb.Weights{Dense: dense, BM25: 1 - g - dense, Graph: g})
		}
	}
	return out
}

func apart(a, b kb.Weights) float64 {
	return math.Abs(a.Dense-b.Dense) + math.Abs(a.BM25-b.BM25) + math.Abs(a.Graph-b.Graph)
}

// worth is the mean over sets, and half the standard error of its questions.
func worth(questions []RoutedQuestion, w kb.Weights) (mean, noise float64) {
	sums, counts := map[string]float64{}, map[string]float64{}
	var all, squares float64
	for _, q := range questions {
		m := q.measure(w)
		v := (m.R5 + m.MRR) / 2
		sums[q.Set] += v
		counts[q.Set]++
		all, squares = all+v, squares+v*v
	}
	if len(questions) == 0 {
		return 0, 0
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		mean += sums[name] / counts[name]
	}
	n := float64(len(questions))
	spread := max(0, squares/n-all/n*all/n)
	return mean / float64(len(sums)), math.Sqrt(spread/n) / 2
}

// MeasureWeights returns rows by set for each route alone, for BM25 and dense fused
// without the graph, for one fixed weight and for the weights by class, of the questions
// that keep admits.
func MeasureWeights(questions []RoutedQuestion, fitted FittedWeights, shipped func(kb.Class) kb.Weights, keep func(RoutedQuestion) bool) []RecallRow {
	ways := []struct {
		name string
		of   func(kb.Class) kb.Weights
	}{
		{"dense", func(kb.Class) kb.Weights { return kb.Weights{Dense: 1} }},
		{"bm25", func(kb.Class) kb.Weights { return kb.Weights{BM25: 1} }},
		{"graph", func(kb.Class) kb.Weights { return kb.Weights{Graph: 1} }},
		{"shipped weights", shipped},
		{"fitted, one for all", func(kb.Class) kb.Weights { return fitted.Fixed }},
		{"fitted by class", fitted.For},
	}
	var sets []string
	for _, q := range questions {
		if !slices.Contains(sets, q.Set) {
			sets = append(sets, q.Set)
		}
	}
	var out []RecallRow
	for _, set := range sets {
		for _, way := range ways {
			row := RecallRow{Set: set, Route: way.name}
			for _, q := range questions {
				if q.Set != set || !keep(q) {
					continue
				}
				w := way.of(q.Class)
				m := q.measure(w)
				row.Questions++
				row.R1, row.R5, row.R10, row.MRR = row.R1+m.R1, row.R5+m.R5, row.R10+m.R10, row.MRR+m.MRR
			}
			if n := float64(row.Questions); n > 0 {
				row.R1, row.R5, row.R10, row.MRR = row.R1/n, row.R5/n, row.R10/n, row.MRR/n
				out = append(out, row)
			}
		}
	}
	return out
}

// WriteRanks writes rows without times as a Markdown table.
func WriteRanks(w io.Writer, rows []RecallRow) error {
	if _, err := fmt.Fprintln(w, "| set | route | questions | R@1 | R@5 | R@10 | MRR |\n|---|---|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "| %s | %s | %d | %.3f | %.3f | %.3f | %.3f |\n", r.Set, r.Route, r.Questions, r.R1, r.R5, r.R10, r.MRR); err != nil {
			return err
		}
	}
	return nil
}

// WriteRouteTable writes recall@10 by class and route as a Markdown table.
func WriteRouteTable(w io.Writer, rows []RouteRow) error {
	if _, err := fmt.Fprintln(w, "| class | route | questions | R@10 | 95 % | off |\n|---|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, r := range rows {
		off := ""
		if r.Off {
			off = "off"
		}
		if _, err := fmt.Fprintf(w, "| %s | %s | %d | %.3f | %.3f..%.3f | %s |\n", r.Class, r.Route, r.Questions, r.R10, r.Low, r.High, off); err != nil {
			return err
		}
	}
	return nil
}

// WriteRoutesConfig writes what was measured in the form of the configuration file,
// which the server reads: the routes that are off by class, and the fitted weights.
func WriteRoutesConfig(w io.Writer, rows []RouteRow, fitted FittedWeights) error {
	var b strings.Builder
	b.WriteString("# Written by suffice evaluate routes.\nroutes:\n")
	for _, class := range kb.Classes {
		var off []string
		for _, r := range rows {
			if r.Class == class && r.Off {
				off = append(off, string(r.Route))
			}
		}
		if len(off) == len(kb.Routes) {
			off = nil // something must be asked
		}
		fmt.Fprintf(&b, "  %s: {off: [%s]}\n", strings.ToLower(string(class)), strings.Join(off, ", "))
	}
	b.WriteString("weights:\n")
	for _, class := range kb.Classes {
		v := fitted.For(class)
		fmt.Fprintf(&b, "  %s: {dense: %.3f, bm25: %.3f, graph: %.3f}\n", strings.ToLower(string(class)), v.Dense, v.BM25, v.Graph)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
