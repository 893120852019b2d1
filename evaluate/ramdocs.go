package evaluate

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"text/tabwriter"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
)

// RAMGroup is a question of ramdocs with one correct answer, and its documents.
type RAMGroup struct {
	Question  string   `json:"question"`
	Gold      []string `json:"gold_answers"`
	Documents []struct {
		Text   string `json:"text"`
		Type   string `json:"type"` // correct, misinfo, noise
		Answer string `json:"answer"`
	} `json:"documents"`
}

// Conflicting reports whether the documents state the right answer and a wrong one.
func (g *RAMGroup) Conflicting() bool {
	has := map[string]bool{}
	for _, d := range g.Documents {
		has[d.Type] = true
	}
	return has["correct"] && has["misinfo"]
}

// RAMGroups reads the groups of ramdocs with one correct answer.
func RAMGroups(shared string) ([]RAMGroup, error) {
	all, err := jsonLines[RAMGroup](filepath.Join(shared, "data", "ramdocs", "ramdocs_first200.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []RAMGroup
	for _, g := range all {
		if len(g.Gold) == 1 {
			out = append(out, g)
		}
	}
	return out, nil
}

// RAMReport is what conflict detection finds in the groups.
type RAMReport struct {
	Conflicting int
	Found       int // a conflict on what is asked between a right and a wrong document
	Agreeing    int
	FalseAlarms int                 // a conflict on what is asked where none is
	Kinds       map[string][]string // kind of miss: examples
}

// RAMDocs asks each question of its documents.
func RAMDocs(ctx context.Context, engine *fact.Engine, analyze Analyze, slots func(kb.Analysis) []fact.Need, groups []RAMGroup) (RAMReport, error) {
	r := RAMReport{Kinds: map[string][]string{}}
	for _, g := range groups {
		a, err := analyze(ctx, kb.Question{Text: g.Question, AsOf: tablesAsOf})
		if err != nil {
			return r, fmt.Errorf("question %q: %w", g.Question, err)
		}
		needs := slots(a)
		var pages []*fact.Page
		for _, d := range g.Documents {
			pages = append(pages, engine.Read(fact.Source{Text: d.Text}))
		}
		metas := make([]fact.Meta, len(pages))
		found := false
		var shown string
		for _, c := range engine.Conflicts(needs, pages, metas) {
			if c.Need < 0 {
				continue
			}
			ta, tb := g.Documents[c.A.Page].Type, g.Documents[c.B.Page].Type
			if !g.Conflicting() || ta == "correct" && tb == "misinfo" || ta == "misinfo" && tb == "correct" {
				found = true
				shown = fmt.Sprintf("%s: %q | %q", c.Kind, pages[c.A.Page].Quote(c.A.Span), pages[c.B.Page].Quote(c.B.Span))
			}
		}
		if !g.Conflicting() {
			r.Agreeing++
			if found {
				r.FalseAlarms++
				r.Kinds["false alarm"] = append(r.Kinds["false alarm"], g.Question+" "+shown)
			}
			continue
		}
		r.Conflicting++
		if found {
			r.Found++
			continue
		}
		kind, why := ramMiss(engine, g, needs, pages, metas)
		r.Kinds[kind] = append(r.Kinds[kind], g.Question+" "+why)
	}
	return r, nil
}

// ramMiss says why a conflict was not found.
func ramMiss(engine *fact.Engine, g RAMGroup, needs []fact.Need, pages []*fact.Page, metas []fact.Meta) (kind, why string) {
	if len(needs) == 0 {
		return "no slot asked", ""
	}
	why = fmt.Sprintf("[subject %q attribute %q given %q %s]", needs[0].Subject, needs[0].Attribute, needs[0].Given, needs[0].Expect)
	stated := map[string]bool{}
	filled := map[string]bool{}
	for i, d := range g.Documents {
		if d.Type != "correct" && d.Type != "misinfo" {
			continue
		}
		if strings.Contains(strings.ToLower(d.Text), strings.ToLower(d.Answer)) {
			stated[d.Type] = true
		}
		for _, c := range engine.Cover(needs, pages[i:i+1], metas[i:i+1]) {
			for _, f := range c.Fillers {
				if strings.Contains(strings.ToLower(pages[i].Quote(f.Span)), strings.ToLower(d.Answer)) {
					filled[d.Type] = true
				}
			}
		}
		why += fmt.Sprintf(" %s=%q", d.Type, d.Answer)
	}
	switch {
	case !stated["correct"] || !stated["misinfo"]:
		return "an answer is not worded as labelled", why
	case !filled["correct"] && !filled["misinfo"]:
		return "neither side fills the slot", why
	case !filled["correct"]:
		return "the right side does not fill the slot", why
	case !filled["misinfo"]:
		return "the wrong side does not fill the slot", why
	}
	return "both sides fill, no conflict seen", why
}

// WriteRAM prints the report with its kinds of misses, most frequent first.
func WriteRAM(w io.Writer, r RAMReport) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "groups\tconflicting\tfound\trecall\t95 %\tagreeing\tfalse alarms\tshare\t95 %")
	lo, hi := Wilson(r.Found, r.Conflicting)
	flo, fhi := Wilson(r.FalseAlarms, r.Agreeing)
	fmt.Fprintf(t, "%d\t%d\t%d\t%.3f\t%.3f..%.3f\t%d\t%d\t%.3f\t%.3f..%.3f\n", r.Conflicting+r.Agreeing, r.Conflicting, r.Found, share(r.Found, r.Conflicting), lo, hi, r.Agreeing, r.FalseAlarms, share(r.FalseAlarms, r.Agreeing), flo, fhi)
	if err := t.Flush(); err != nil {
		return err
	}
	var kinds []string
	for k := range r.Kinds {
		kinds = append(kinds, k)
	}
	sort.Slice(kinds, func(i, j int) bool {
		if a, b := len(r.Kinds[kinds[i]]), len(r.Kinds[kinds[j]]); a != b {
			return a > b
		}
		return kinds[i] < kinds[j]
	})
	for _, k := range kinds {
		if _, err := fmt.Fprintf(w, "%4d %s, such as: %s\n", len(r.Kinds[k]), k, r.Kinds[k][0]); err != nil {
			return err
		}
	}
	return nil
}
