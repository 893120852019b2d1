// Package pages turns the facts that were read from a chunk into edges of the
// graph route.
package pages

import (
	"slices"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/text"
)

// Edges returns the edges of the facts on a page: one for what a clause states and
// one for what it denies, however many values it holds. An edge joins the terms that
// its facts are about, their subjects, and what is said of them.
func Edges(p *fact.Page, match text.Match) []graph.Edge {
	full := map[string]string{}
	for _, a := range p.Aliases {
		full[a.Short] = a.Full
	}
	type clause struct {
		sentence, clause int
		denied           bool
	}
	at := map[clause]int{}
	var edges []graph.Edge
	for i := range p.Facts {
		f := &p.Facts[i]
		key := clause{f.Sentence, f.Clause, f.Denied}
		k, ok := at[key]
		if !ok {
			k = len(edges)
			at[key] = k
			e := graph.Edge{Denied: f.Denied, Sentence: f.Span}
			if f.Sentence >= 0 && f.Sentence < len(p.Sentences) {
				e.Sentence = p.Sentences[f.Sentence].Span
			}
			edges = append(edges, e)
		}
		edges[k].Nodes = append(edges[k].Nodes, nodes(f, full, match)...)
	}
	for i := range edges {
		edges[i] = graph.Merge(edges[i])
	}
	return slices.DeleteFunc(edges, func(e graph.Edge) bool { return len(e.Nodes) == 0 })
}

// nodes are what a fact touches.
func nodes(f *fact.Fact, full map[string]string, match text.Match) []graph.Node {
	var out []graph.Node
	for _, t := range f.Anchors {
		out = append(out, graph.Node{Key: t.Text, Weight: t.Weight, Name: t.Name})
		if t.Synset != 0 {
			out = append(out, graph.Node{Key: graph.Concept(t.Synset), Weight: t.Weight, Name: t.Name})
		}
	}
	phrase := func(s string) {
		for _, s := range []string{s, full[s]} {
			if key := graph.Phrase(s); key != "" {
				out = append(out, graph.Node{Key: key, Weight: 1, Name: true})
			}
		}
	}
	phrase(f.Subject.Text)
	if f.Value.Kind == fact.EntityValue || f.Value.Kind == fact.TextValue {
		out = append(out, graph.Nodes(f.Value.Text, 0.8, false, match)...)
	}
	if f.Value.Kind == fact.EntityValue {
		phrase(f.Value.Text)
	}
	return out
}
