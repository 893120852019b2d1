package graph

import (
	"strconv"

	"suffice.dev/suffice/text"
)

// Node is a term that an edge touches: an entity, or a word of what is said.
type Node struct {
	Key    string  // folded text, or the concept that synonyms of both languages share
	Weight float64 // 0..1, how firmly the term anchors the fact
	Name   bool    // a name or identifier: a node that a second hop may start from
}

// Edge is a fact: it joins all its nodes. Sentence is the span of the sentence that
// states it, in code points of the chunk's text.
type Edge struct {
	Nodes    []Node
	Denied   bool // a negative edge: it is kept, never walked and never supports
	Sentence text.Span
}

// Concept is the node key of a dictionary entry.
func Concept(id int32) string { return "#" + strconv.Itoa(int(id)) }

// Phrase is the node key of a whole name or subject, as it stands in a fact: facts
// that name one thing in the same words meet in it, whatever its single words are.
// "" for a blank phrase.
func Phrase(s string) string {
	runes := text.Fold([]rune(s))
	out := make([]rune, 1, len(runes)+1)
	out[0] = '='
	for _, r := range runes {
		if text.IsWord(r) || text.IsHan(r) {
			out = append(out, r)
		} else if len(out) > 1 && out[len(out)-1] != ' ' {
			out = append(out, ' ')
		}
	}
	if out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	if len(out) < 3 { // a lone letter or character names nothing
		return ""
	}
	return string(out)
}

// FromText returns an edge for each sentence: what stands for facts in a chunk
// from which none were read. Titles and headings anchor all of them.
func FromText(s string, headings []string, match text.Match) []Edge {
	runes := []rune(s)
	var inherited []Node
	for _, h := range headings {
		inherited = append(inherited, Nodes(h, 0.6, false, match)...)
	}
	var edges []Edge
	for _, span := range text.Sentences(runes) {
		e := Edge{Sentence: span, Nodes: Nodes(string(runes[span.Start:span.End]), 1, false, match)}
		if len(e.Nodes) == 0 {
			continue
		}
		e.Nodes = append(e.Nodes, inherited...)
		edges = append(edges, Merge(e))
	}
	return edges
}

// Nodes are the terms of a text; names marks all of them as names.
func Nodes(s string, weight float64, names bool, match text.Match) []Node {
	runes := []rune(s)
	var out []Node
	for _, t := range text.TermsWith(runes, text.Fold(runes), match) {
		name := names || t.Kind == text.Identifier
		out = append(out, Node{Key: t.Text, Weight: weight, Name: name})
		if t.Concept != 0 {
			out = append(out, Node{Key: Concept(t.Concept), Weight: weight, Name: name})
		}
	}
	return out
}

// Merge keeps each node of an edge once, with its greatest weight.
func Merge(e Edge) Edge {
	at := make(map[string]int, len(e.Nodes))
	kept := e.Nodes[:0]
	for _, n := range e.Nodes {
		if i, ok := at[n.Key]; ok {
			kept[i].Weight = max(kept[i].Weight, n.Weight)
			kept[i].Name = kept[i].Name || n.Name
			continue
		}
		at[n.Key] = len(kept)
		kept = append(kept, n)
	}
	e.Nodes = kept
	return e
}
