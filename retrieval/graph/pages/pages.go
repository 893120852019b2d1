// Package pages turns the facts that were read from a chunk into edges of the
// graph route.
package pages

import (
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/retrieval/graph"
)

// Edges returns the edges of the facts on a page.
func Edges(p *fact.Page) []graph.Edge {
	edges := make([]graph.Edge, 0, len(p.Facts))
	for i := range p.Facts {
		f := &p.Facts[i]
		e := graph.Edge{Denied: f.Denied, Sentence: f.Span}
		if f.Sentence >= 0 && f.Sentence < len(p.Sentences) {
			e.Sentence = p.Sentences[f.Sentence].Span
		}
		for _, t := range f.Anchors {
			e.Nodes = append(e.Nodes, graph.Node{Key: t.Text, Weight: t.Weight, Name: t.Name})
			if t.Synset != 0 {
				e.Nodes = append(e.Nodes, graph.Node{Key: graph.Concept(t.Synset), Weight: t.Weight, Name: t.Name})
			}
		}
		if f.Value.Kind == fact.EntityValue || f.Value.Kind == fact.TextValue {
			e.Nodes = append(e.Nodes, graph.Nodes(f.Value.Text, 0.8, f.Value.Kind == fact.EntityValue, nil)...)
		}
		if len(e.Nodes) > 0 {
			edges = append(edges, graph.Merge(e))
		}
	}
	return edges
}
