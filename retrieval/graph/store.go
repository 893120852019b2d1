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

// Frozen is what a graph held at one moment, to be stored while it goes on changing.
type Frozen struct {
	graph  *Graph
	head   stored
	nodes  mapped.Array[node]
	table  mapped.Array[uint32]
	lists  mapped.Array[byte]
	packed int64 // bytes: what lies there does not change
	chunks []span
}

// Freeze returns what the graph holds now: a copy of what changes in its place. It has to be
// released before the graph is closed.
func (g *Graph) Freeze() *Frozen {
	g.mu.RLock()
	defer g.mu.RUnlock()
	g.frozen.Add(1)
	return &Frozen{
		graph: g, nodes: g.nodes.Clone(), table: g.table.Clone(), lists: g.lists.Clone(), packed: g.packed.Len(), chunks: slices.Clone(g.chunks),
		head: stored{
			Node: unsafe.Sizeof(node{}), Span: unsafe.Sizeof(span{}), Seed: g.seed, Nodes: g.nodes.Len(), Table: g.table.Len(), Lists: g.lists.Len(),
			Live: g.live, Dead: g.dead, Chunks: len(g.chunks),
		},
	}
}

// Store writes the graph to an image.
func (f *Frozen) Store(w *mapped.Writer) {
	w.JSON(f.head)
	f.nodes.Store(w)
	f.table.Store(w)
	f.lists.Store(w)
	w.Stream(f.packed, func(piece []byte, at int64) {
		f.graph.mu.RLock()
		defer f.graph.mu.RUnlock()
		f.graph.packed.Copy(piece, at)
	})
	w.Section(mapped.Bytes(f.chunks))
}

// Release gives the copy back.
func (f *Frozen) Release() {
	f.nodes.Free()
	f.table.Free()
	f.lists.Free()
	f.graph.frozen.Add(-1)
}

// Load has a graph that is empty be the one that Frozen.Store wrote. It stays in the memory of the
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
