package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
)

// RetrievalSet is documents with questions and what is relevant to each.
type RetrievalSet struct {
	Name      string
	Seen      bool // the built-in embedding saw the set when it was made
	Documents []kb.Document
	Folder    string // documents are the files of this folder, by their paths in it; "" = Documents
	Questions []RetrievalQuestion
}

// RetrievalQuestion is a question with the ids of the documents that answer it.
type RetrievalQuestion struct {
	Text     string
	Relevant []string
}

// RetrievalSets are the names that LoadRetrievalSet knows.
var RetrievalSets = []string{"cmrc2018", "cmrc2018-train", "squad2", "lecoqa-stard", "hotpotqa", "ramdocs", "gitlab-handbook", "handbook-hard", "handbook-cross", "other-words", "written"}

// LoadRetrievalSet reads a set below shared/data: each paragraph, statute article,
// article of an encyclopedia or page of a handbook is a document. The sets handbook-hard
// (in other words than the passage) and handbook-cross (in the other language) are
// questions over the example handbook in testdata, and written is the questions that the
// passages of models/written answer. Questions that a set marks as impossible are left out. ErrNoData where the set is not there.
func LoadRetrievalSet(shared, name string) (RetrievalSet, error) {
	switch name {
	case "hotpotqa":
		return hotpotSet(shared)
	case "gitlab-handbook":
		return gitlabSet(shared)
	case "handbook-hard", "handbook-cross":
		return handbookSet("testdata", strings.TrimPrefix(name, "handbook-"))
	case "other-words":
		return otherWordsSet("testdata")
	case "written":
		return writtenSet(filepath.Join("models", "written"))
	case "cmrc2018", "squad2", "cmrc2018-train":
		return squadSet(shared, name)
	case "ramdocs":
		return ramdocsSet(shared)
	case "lecoqa-stard":
		return lecoqaSet(shared)
	}
	return RetrievalSet{}, fmt.Errorf("retrieval set %q: not one of %s", name, strings.Join(RetrievalSets, ", "))
}

func squadSet(shared, name string) (RetrievalSet, error) {
	set := RetrievalSet{Name: name, Seen: name != "cmrc2018-train"}
	paragraphs, err := Squad(shared, name)
	if err != nil {
		return set, err
	}
	ids := map[string]string{} // text to document: a paragraph may come twice
	for _, p := range paragraphs {
		id, ok := ids[p.Text]
		if !ok {
			id = fmt.Sprintf("%s/%d", name, len(set.Documents))
			ids[p.Text] = id
			// The title of these sets names the page that a question is about: it
			// would give the paragraph away, and the recipe's figures are without.
			set.Documents = append(set.Documents, kb.Document{ID: id, Text: p.Text, MediaType: "text/plain"})
		}
		for _, q := range p.Questions {
			if !q.Impossible && strings.TrimSpace(q.Text) != "" {
				set.Questions = append(set.Questions, RetrievalQuestion{Text: q.Text, Relevant: []string{id}})
			}
		}
	}
	return set, nil
}

func lecoqaSet(shared string) (RetrievalSet, error) {
	set := RetrievalSet{Name: "lecoqa-stard", Seen: true}
	path := filepath.Join(shared, "data", "lecoqa-stard", "train.json")
	data, err := readData(path)
	if err != nil {
		return set, err
	}
	var rows []struct {
		Question string            `json:"问题"`
		Articles map[string]string `json:"相关法规"`
	}
	data = bytes.ReplaceAll(data, []byte(": NaN"), []byte(": null")) // the file is not quite JSON
	if err := json.Unmarshal(data, &rows); err != nil {
		return set, fmt.Errorf("read %s: %w", path, err)
	}
	ids := map[string]string{}
	for _, row := range rows {
		q := RetrievalQuestion{Text: row.Question}
		names := make([]string, 0, len(row.Articles))
		for name := range row.Articles {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			body := name + " " + row.Articles[name]
			id, ok := ids[body]
			if !ok {
				id = fmt.Sprintf("lecoqa/%d", len(set.Documents))
				ids[body] = id
				set.Documents = append(set.Documents, kb.Document{ID: id, Text: body, MediaType: "text/plain"})
			}
			q.Relevant = append(q.Relevant, id)
		}
		set.Questions = append(set.Questions, q)
	}
	return set, nil
}

// RecallRow is one line of the table: how often a relevant document was among the
// first 1, 5 and 10, and the mean reciprocal rank within the first 10; all 0..1.
type RecallRow struct {
	Set, Route  string
	Questions   int
	R1, R5, R10 float64
	MRR         float64
	P50, P99    time.Duration
}

// Variant is one way to ask: a route alone, or weights.
type Variant struct {
	Name    string
	Only    []kb.Route
	Weights *kb.Weights
}

// ByRoute asks each route alone, and all fused with the configured weights.
func ByRoute() []Variant {
	out := make([]Variant, 0, len(kb.Routes)+1)
	for _, r := range kb.Routes {
		out = append(out, Variant{Name: string(r), Only: []kb.Route{r}})
	}
	return append(out, Variant{Name: "fused"})
}

// Recall measures retrieval on a set whose documents are indexed. analyze may be
// nil: the question is then searched as it stands. A relevant document counts with
// the share of a question's relevant ones that are found; one passage of it is
// enough. A degraded reply is an error: its figure would not be of the route.
func Recall(ctx context.Context, set RetrievalSet, variants []Variant,
	analyze func(context.Context, kb.Question) (kb.Analysis, error),
	retrieve func(context.Context, kb.RetrieveRequest) (kb.Retrieved, error),
) ([]RecallRow, error) {
	if len(set.Questions) == 0 {
		return nil, fmt.Errorf("recall on %s: no questions", set.Name)
	}
	rows := make([]RecallRow, len(variants))
	times := make([][]time.Duration, len(variants))
	for i, v := range variants {
		rows[i] = RecallRow{Set: set.Name, Route: v.Name, Questions: len(set.Questions)}
	}
	for _, q := range set.Questions {
		analysis := kb.Analysis{Question: q.Text, Original: q.Text}
		if analyze != nil {
			var err error
			if analysis, err = analyze(ctx, kb.Question{Text: q.Text}); err != nil {
				return nil, fmt.Errorf("recall on %s: analyze %q: %w", set.Name, q.Text, err)
			}
		}
		for i, v := range variants {
			start := time.Now()
			got, err := retrieve(ctx, kb.RetrieveRequest{Analysis: analysis, TopK: 10, Only: v.Only, Weights: v.Weights})
			if err != nil {
				return nil, fmt.Errorf("recall on %s: %s: %w", set.Name, v.Name, err)
			}
			if len(got.Degraded) > 0 {
				return nil, fmt.Errorf("recall on %s: %s: degraded: %v", set.Name, v.Name, got.Degraded)
			}
			times[i] = append(times[i], time.Since(start))
			rows[i].add(q, got.Candidates)
		}
	}
	for i := range rows {
		rows[i].finish(times[i])
	}
	return rows, nil
}

func (r *RecallRow) add(q RetrievalQuestion, found []kb.Candidate) {
	first := 0
	seen := map[string]bool{}
	at := [3]int{}
	for i, c := range found {
		if seen[c.DocumentID] || !slices.Contains(q.Relevant, c.DocumentID) {
			continue
		}
		seen[c.DocumentID] = true
		if first == 0 {
			first = i + 1
		}
		for j, k := range [3]int{1, 5, 10} {
			if i < k {
				at[j]++
			}
		}
	}
	n := float64(len(q.Relevant))
	r.R1 += float64(at[0]) / n
	r.R5 += float64(at[1]) / n
	r.R10 += float64(at[2]) / n
	if first > 0 {
		r.MRR += 1 / float64(first)
	}
}

func (r *RecallRow) finish(times []time.Duration) {
	n := float64(r.Questions)
	r.R1, r.R5, r.R10, r.MRR = r.R1/n, r.R5/n, r.R10/n, r.MRR/n
	slices.Sort(times)
	r.P50, r.P99 = times[len(times)/2], times[min(len(times)-1, len(times)*99/100)]
}

// WriteRecall writes the rows as a Markdown table.
func WriteRecall(w io.Writer, rows []RecallRow) error {
	if _, err := fmt.Fprintln(w, "| set | route | questions | R@1 | R@5 | R@10 | MRR | p50 ms | p99 ms |\n|---|---|---|---|---|---|---|---|---|"); err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := fmt.Fprintf(w, "| %s | %s | %d | %.3f | %.3f | %.3f | %.3f | %.2f | %.2f |\n", r.Set, r.Route, r.Questions, r.R1, r.R5, r.R10, r.MRR,
			float64(r.P50.Microseconds())/1000, float64(r.P99.Microseconds())/1000); err != nil {
			return err
		}
	}
	return nil
}
