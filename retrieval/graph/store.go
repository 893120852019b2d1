package graph

import (
	"fmt"
	"slices"
	"unsafe"

	"suffice.dev/suffice/retrieval/mapped"
)

// stored is what is not memory as it is of a stored graph. The sizes tell graphs apart that
// another release wrote.
type stored struct {
	Node, Span          uintptr // bytes
	Seed                uint64
	Nodes, Table, Lists int
	Live, Dead, Chunks  int
}

// Store writes the graph to an image. Nothing may be put or deleted meanwhile.
func (g *Graph) Store(w *mapped.Writer) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	w.JSON(stored{
		Node: unsafe.Sizeof(node{}), Span: unsafe.Sizeof(span{}), Seed: g.seed, Nodes: g.nodes.Len(), Table: g.table.Len(), Lists: g.lists.Len(),
		Live: g.live, Dead: g.dead, Chunks: len(g.chunks),
	})
	g.nodes.Store(w)
	g.table.Store(w)
	g.lists.Store(w)
	g.packed.Store(w)
	w.Section(mapped.Bytes(g.chunks))
}

// Load has a graph that is empty be the one that Store wrote. It stays in the memory of the
// image, which has to outlive the graph. After an error the graph is of no use but to be
// closed.
func (g *Graph) Load(r *mapped.Reader) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var s stored
	if err := r.JSON(&s); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	if s.Node != unsafe.Sizeof(node{}) || s.Span != unsafe.Sizeof(span{}) || s.Table == 0 || s.Table&(s.Table-1) != 0 || s.Nodes >= s.Table {
		return fmt.Errorf("graph: %w: of another form", mapped.ErrImage)
	}
	if err := g.nodes.Load(r, s.Nodes); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	if err := g.table.Load(r, s.Table); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	if err := g.lists.Load(r, s.Lists); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	if err := g.packed.Load(r); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	chunks, err := mapped.Values[span](r)
	if err != nil || len(chunks) != s.Chunks {
		return fmt.Errorf("graph: %w: %d chunks of %d", mapped.ErrImage, len(chunks), s.Chunks)
	}
	g.chunks, g.seed, g.live, g.dead = slices.Clone(chunks), s.Seed, s.Live, s.Dead
	return nil
}
