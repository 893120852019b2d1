package evaluate

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"suffice.dev/suffice/kb"
)

// OrderFigures compare the order of retrieval with the order of the rerank layer, over
// the ten best passages of each question.
type OrderFigures struct {
	Set       string
	Questions int       // whose relevant document is among the ten
	Orders    [2]Ranked // of retrieval, of rerank
	// Of the ten together: questions whose FGC is 0.95 or more, which no order of them can
	// exceed but by leaving out what makes it ambiguous, and those with an unresolved conflict.
	Covered, Conflicts int
	// AUROC of telling the three best passages from the three best without the relevant
	// documents: of the sufficiency, and of three baselines. NaN where that cannot be had.
	Sufficiency, Overlap, Score, FGC float64
}

// Ranked are the figures of one order.
type Ranked struct {
	Covered   int     // sets of the three best passages with FGC of 0.95 or more
	Conflicts int     // sets of the three best that hold a conflict on what is asked that nothing resolves
	Hits      [2]int  // questions whose relevant document is first, and among the first three
	MRR       float64 // mean over the questions, 0..1
}

// Retrieving finds the passages of a question, best first.
type Retrieving func(ctx context.Context, question string, k int) ([]kb.Candidate, error)

// Assessing judges what was found.
type Assessing func(ctx context.Context, question string, found []kb.Candidate) (kb.Assessment, error)

// orderDepth and orderTop are how many passages are ordered, and how many of them count.
const orderDepth, orderTop = 10, 3

// MeasureOrder measures both orders on the questions of a set whose documents are
// indexed.
func MeasureOrder(ctx context.Context, set RetrievalSet, retrieve Retrieving, assess Assessing) (OrderFigures, error) {
	out := OrderFigures{Set: set.Name}
	var labels []bool
	var scores [4][]float64
	for _, q := range set.Questions {
		if err := out.add(ctx, q, retrieve, assess, &labels, &scores); err != nil {
			return out, fmt.Errorf("order on %s: %q: %w", set.Name, q.Text, err)
		}
	}
	for i := range out.Orders {
		out.Orders[i].MRR /= math.Max(1, float64(out.Questions))
	}
	out.Sufficiency, out.Overlap, out.Score, out.FGC = auroc(labels, scores[0]), auroc(labels, scores[1]), auroc(labels, scores[2]), auroc(labels, scores[3])
	return out, nil
}

func (f *OrderFigures) add(ctx context.Context, q RetrievalQuestion, retrieve Retrieving, assess Assessing, labels *[]bool, scores *[4][]float64) error {
	found, err := retrieve(ctx, q.Text, orderDepth)
	if err != nil {
		return err
	}
	relevant := func(c kb.Candidate) bool { return slices.Contains(q.Relevant, c.DocumentID) }
	if !slices.ContainsFunc(found, relevant) {
		return nil // no order helps
	}
	f.Questions++
	whole, err := assess(ctx, q.Text, found)
	if err != nil {
		return err
	}
	note(whole, &f.Covered, &f.Conflicts)
	place := map[string]int{}
	for i, p := range whole.Passages {
		place[p.ID] = i
	}
	ordered := slices.Clone(found)
	slices.SortStableFunc(ordered, func(a, b kb.Candidate) int { return place[a.ID] - place[b.ID] })
	for i, order := range [2][]kb.Candidate{found, ordered} {
		r := &f.Orders[i]
		first := slices.IndexFunc(order, relevant)
		r.MRR += 1 / float64(first+1)
		for j, k := range [2]int{1, orderTop} {
			if first < k {
				r.Hits[j]++
			}
		}
		a, err := assess(ctx, q.Text, order[:min(orderTop, len(order))])
		if err != nil {
			return err
		}
		note(a, &r.Covered, &r.Conflicts)
	}
	without := slices.DeleteFunc(slices.Clone(found), relevant)
	with := found[:min(orderTop, len(found))]
	if len(without) < orderTop || !slices.ContainsFunc(with, relevant) {
		return nil
	}
	for i, part := range [2][]kb.Candidate{with, without[:orderTop]} {
		a, err := assess(ctx, q.Text, part)
		if err != nil {
			return err
		}
		*labels = append(*labels, i == 0)
		for k, v := range [4]float64{a.Sufficiency, overlap(q.Text, passagesOf(part)), part[0].Score, a.FGC} {
			scores[k] = append(scores[k], v)
		}
	}
	return nil
}

// note counts what covers the question, and what holds a conflict on it that nothing resolves.
func note(a kb.Assessment, covered, conflicts *int) {
	if a.FGC >= 0.95 {
		*covered++
	}
	if slices.ContainsFunc(a.Conflicts, func(c kb.Conflict) bool { return c.OnAsked && c.Resolution == kb.Unresolved }) {
		*conflicts++
	}
}

func passagesOf(list []kb.Candidate) []kb.Passage {
	out := make([]kb.Passage, len(list))
	for i, c := range list {
		out[i] = c.Passage
	}
	return out
}

// WriteOrder writes the figures as two Markdown tables.
func WriteOrder(w io.Writer, figures []OrderFigures) error {
	if _, err := fmt.Fprintln(w, "| set | questions | order | top 3 with FGC ≥ 0.95 | top 3 with an unresolved conflict | relevant first | among 3 | MRR |\n|---|---|---|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, f := range figures {
		for i, name := range [2]string{"retrieval", "rerank"} {
			r := f.Orders[i]
			if _, err := fmt.Fprintf(w, "| %s | %d | %s | %s | %s | %s | %s | %.3f |\n", f.Set, f.Questions, name, portion(r.Covered, f.Questions), portion(r.Conflicts, f.Questions),
				portion(r.Hits[0], f.Questions), portion(r.Hits[1], f.Questions), r.MRR); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "| %s | %d | all ten | %s | %s | | | |\n", f.Set, f.Questions, portion(f.Covered, f.Questions), portion(f.Conflicts, f.Questions)); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(w, "\n| set | AUROC of the sufficiency | word overlap | top retrieval score | FGC alone |\n|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, f := range figures {
		if _, err := fmt.Fprintf(w, "| %s | %.3f | %.3f | %.3f | %.3f |\n", f.Set, f.Sufficiency, f.Overlap, f.Score, f.FGC); err != nil {
			return err
		}
	}
	return nil
}

func portion(k, n int) string {
	p, r := shareOf(k, n)
	return fmt.Sprintf("%.3f (%.2f–%.2f)", p, r[0], r[1])
}
