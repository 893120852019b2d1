// Package graph is the route over facts: entities and terms are nodes, facts are
// edges that join them, and a question reaches facts from what it gives, over one
// to three hops.
//
// The score of a fact is the share of the question's terms, weighed by how rare
// they are, that the fact and the facts on the way to it cover, calibrated by
// calibrate; each hop beyond the first costs the decay. It lies in 0..1 and does not depend on what else is found.
// A denied fact never supports: it is neither found nor walked.
package graph

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/mapped"
	"suffice.dev/suffice/text"
)

// Config sets the graph route.
type Config struct {
	Hops  int        // 1..3
	Decay float64    // factor for each hop beyond the first, 0..1
	Match text.Match // the dictionary; nil = none
}

// Default returns the shipped configuration.
func Default() Config { return Config{Hops: 2, Decay: 0.6} }

// Validate returns all problems, joined.
func (c Config) Validate() error {
	var problems []error
	if c.Hops < 1 || c.Hops > 3 {
		problems = append(problems, kb.Invalid("graph.hops", "%d is not in 1..3", c.Hops))
	}
	if !(c.Decay >= 0 && c.Decay <= 1) {
		problems = append(problems, kb.Invalid("graph.decay", "%v is not in 0..1", c.Decay))
	}
	return errors.Join(problems...)
}

// Hit is a chunk that holds a reached fact.
type Hit struct {
	Chunk    int32
	Score    float64
	Sentence text.Span // that states the best fact
	Hops     int       // of the best fact, from 1
}

// Graph holds the edges of chunks, numbered by the caller from 0, densely: below 2^28.
// It is safe for concurrent use.
//
// Nothing in it is a pointer and little of it on the heap, so that millions of facts cost
// the garbage collector nothing: the facts of a chunk lie packed in a mapped file, and a
// node lists the chunks that hold it, each once with the firmest weight. What the list
// promises of a chunk is never less than what its best fact covers, so only chunks that
// may come among the best are unpacked.
type Graph struct {
	mu     sync.RWMutex
	dir    string
	seed   uint64 // of the hashes of keys: it is stored with them
	nodes  mapped.Array[node]
	table  mapped.Array[uint32] // 1 + number of a node, at a place that its hash says; 0 = free
	lists  mapped.Array[byte]   // blocks of postings, see post
	packed *mapped.File         // facts, see pack
	chunks []span               // by chunk
	live   int                  // facts
	dead   int                  // facts of deleted chunks that still lie in packed
	frozen atomic.Int32         // how many Frozen are not released: nothing is laid out anew

	scratch sync.Pool // *sums
}

// node is a term of facts.
type node struct {
	hash  uint64 // of its key
	list  uint32 // its only posting, or the newest block of them: its place in lists / 8; 0 = none
	facts uint32 // live facts that hold it, and the two bits
}

// Bits of node.facts.
const (
	nameBit   = 1 << 31 // some fact uses it as a name
	singleBit = 1 << 30 // list is the only posting: most nodes stand in one chunk
	factsMask = singleBit - 1
)

func (n *node) count() int   { return int(n.facts & factsMask) }
func (n *node) isName() bool { return n.facts&nameBit != 0 }

// span is where the facts of a chunk lie.
type span struct {
	at    int64 // in packed
	size  int32 // bytes
	facts int32 // 0 = no chunk
}

// New returns an empty graph whose facts lie in a mapped file without a name in the
// folder; dir "" = on the heap.
func New(dir string) (*Graph, error) {
	packed, err := mapped.NewFile(dir)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	g := &Graph{dir: dir, seed: rand.Uint64(), packed: packed}
	g.lists.Grow(blockUnit) // place 0 is none
	g.table.Grow(mapped.PartLen)
	return g, nil
}

// Close gives the memory back; nothing may be asked afterwards.
func (g *Graph) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.nodes.Free()
	g.table.Free()
	g.lists.Free()
	g.chunks, g.live, g.dead = nil, 0, 0
	return g.packed.Close()
}

// Put sets the edges of a chunk; earlier ones are replaced.
func (g *Graph) Put(chunk int32, edges []Edge) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(chunk)
	if len(edges) == 0 {
		return nil
	}
	if n := int(chunk) + 1; n > len(g.chunks) {
		g.chunks = append(g.chunks, make([]span, n-len(g.chunks))...)
	}
	data, firmest := g.pack(edges)
	at, err := g.packed.Append(data)
	if err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	for _, n := range slices.Sorted(maps.Keys(firmest)) {
		g.post(n, chunk, firmest[n])
	}
	g.chunks[chunk] = span{at: at, size: int32(len(data)), facts: int32(len(edges))}
	g.live += len(edges)
	return nil
}

// hash is what tells the nodes apart.
func (g *Graph) hash(key string) uint64 {
	var d xxhash.Digest
	d.ResetWithSeed(g.seed)
	_, _ = d.WriteString(key) // never fails
	return d.Sum64()
}

// find is the number of a key; false when no fact ever held it.
func (g *Graph) find(key string) (int32, bool) {
	id, _ := g.lookup(g.hash(key))
	return id, id >= 0
}

// lookup is the number of the node with a hash and its place in the table; -1 and the
// place that is free for it where there is none.
func (g *Graph) lookup(hash uint64) (id int32, at int) {
	mask := g.table.Len() - 1
	for at = int(hash) & mask; ; at = (at + 1) & mask {
		slot := *g.table.At(at)
		if slot == 0 {
			return -1, at
		}
		if g.nodes.At(int(slot-1)).hash == hash {
			return int32(slot - 1), at
		}
	}
}

// node is the number of a key, a new one where it has none; -1 when no more are known.
func (g *Graph) node(key string) int32 {
	hash := g.hash(key)
	id, at := g.lookup(hash)
	if id >= 0 {
		return id
	}
	n := g.nodes.Len()
	if n == maxNodes {
		return -1
	}
	g.nodes.Append(node{hash: hash})
	*g.table.At(at) = uint32(n + 1)
	if 4*(n+1) > 3*g.table.Len() {
		g.widen()
	}
	return int32(n)
}

// widen doubles the table.
func (g *Graph) widen() {
	size := 2 * g.table.Len()
	g.table.Free()
	for g.table.Len() < size {
		g.table.Grow(mapped.PartLen)
	}
	for n := range g.nodes.Len() {
		_, at := g.lookup(g.nodes.At(n).hash)
		*g.table.At(at) = uint32(n + 1)
	}
}

// A node of a fact is one word: its number and, in the last seven bits, its weight in
// 127ths. Of more than 2^25 nodes the last ones are not known.
//
// The facts of a chunk share most of their nodes. They are packed as the words that occur,
// each once (their number as a varint, then four bytes each, little endian), and the facts:
// how many nodes and whether it is denied (the last bit), where its sentence starts and how
// long it is, and the place of each node among the words, all of them varints.
const (
	nodeBits     = 7
	nodeUnit     = 1<<nodeBits - 1
	maxNodes     = 1 << (32 - nodeBits)
	maxFactNodes = 1 << 16
)

// pack packs the facts of a chunk. firmest are the weights of the nodes of those that
// support.
func (g *Graph) pack(edges []Edge) (data []byte, firmest map[int32]float64) {
	firmest = map[int32]float64{}
	places := map[uint32]int{}
	var words []uint32
	var facts []byte
	var refs []int
	for _, e := range edges {
		refs = refs[:0]
		for _, n := range e.Nodes[:min(len(e.Nodes), maxFactNodes)] {
			id := g.node(n.Key)
			if id < 0 {
				continue
			}
			node := g.nodes.At(int(id))
			if node.facts++; n.Name {
				node.facts |= nameBit
			}
			weight := uint32(math.Round(nodeUnit * max(0, min(1, n.Weight))))
			word := uint32(id)<<nodeBits | weight
			at, ok := places[word]
			if !ok {
				at = len(words)
				places[word] = at
				words = append(words, word)
			}
			refs = append(refs, at)
			if !e.Denied {
				firmest[id] = max(firmest[id], float64(weight)/nodeUnit)
			}
		}
		head := uint64(len(refs)) << 1
		if e.Denied {
			head |= 1
		}
		facts = binary.AppendUvarint(facts, head)
		facts = binary.AppendUvarint(facts, uint64(max(0, e.Sentence.Start)))
		facts = binary.AppendUvarint(facts, uint64(max(0, e.Sentence.Len())))
		for _, at := range refs {
			facts = binary.AppendUvarint(facts, uint64(at))
		}
	}
	data = binary.AppendUvarint(nil, uint64(len(words)))
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return append(data, facts...), firmest
}

// A posting is a chunk and, in its last four bits, a weight in 15ths, rounded up. A list of
// them is a chain of blocks: the block before it (as node.list), how many of its bytes are
// used and how many it has (16 bits each), and the postings, each as a varint with the
// chunk counted from the one before it in the block. Chunks come in order of their numbers,
// so that the postings of frequent terms take a byte or two.
const (
	blockUnit  = 8 // bytes; blocks start at multiples of it
	blockHead  = 8 // bytes
	firstBlock = 8 // bytes behind the head
	lastBlock  = 504
	weightBits = 4
	weightUnit = 1<<weightBits - 1
)

func (g *Graph) post(id, chunk int32, weight float64) {
	n := g.nodes.At(int(id))
	posting := uint32(chunk)<<weightBits | uint32(math.Ceil(weight*weightUnit))
	if n.list == 0 && n.facts&singleBit == 0 {
		n.list, n.facts = posting, n.facts|singleBit
		return
	}
	if n.facts&singleBit != 0 {
		only := n.list
		n.list, n.facts = g.block(0, firstBlock), n.facts&^singleBit
		g.push(n, only)
	}
	g.push(n, posting)
}

// block makes a block with room for some bytes behind another; its number is as node.list.
func (g *Graph) block(before uint32, room int) uint32 {
	at := g.lists.Grow(blockHead + room)
	head := g.lists.Run(at, blockHead)
	binary.LittleEndian.PutUint32(head, before)
	binary.LittleEndian.PutUint16(head[6:], uint16(room))
	return uint32(at / blockUnit)
}

// bytes are what is used of a block and what is free behind it.
func (g *Graph) bytes(block uint32) (head, used, free []byte) {
	at := int(block) * blockUnit
	head = g.lists.Run(at, blockHead)
	n, room := int(binary.LittleEndian.Uint16(head[4:])), int(binary.LittleEndian.Uint16(head[6:]))
	data := g.lists.Run(at+blockHead, room)
	return head, data[:n], data[n:]
}

func (g *Graph) push(n *node, posting uint32) {
	head, used, free := g.bytes(n.list)
	last := uint32(0)
	for rest := used; len(rest) > 0; {
		var p uint32
		p, rest = nextPosting(rest, last)
		last = p >> weightBits
	}
	var buf [binary.MaxVarintLen64]byte
	code := func(last uint32) []byte {
		return buf[:binary.PutUvarint(buf[:], uint64(posting-last<<weightBits))]
	}
	data := code(last)
	if len(data) > len(free) || posting>>weightBits < last { // a chunk that was put again
		n.list = g.block(n.list, min(2*(len(used)+len(free))+blockHead, lastBlock))
		head, used, free = g.bytes(n.list)
		data = code(0)
	}
	copy(free, data)
	binary.LittleEndian.PutUint16(head[4:], uint16(len(used)+len(data)))
}

// nextPosting reads the first posting of data; last is the chunk before it.
func nextPosting(data []byte, last uint32) (posting uint32, rest []byte) {
	if data[0] < 0x80 { // most are
		return uint32(data[0]) + last<<weightBits, data[1:]
	}
	v, n := binary.Uvarint(data)
	return uint32(v) + last<<weightBits, data[n:]
}

// postings hands out the chunks that hold a node, deleted ones among them, with their
// weights, until visit returns false.
func (g *Graph) postings(id int32, visit func(chunk int32, weight float32) bool) {
	n := g.nodes.At(int(id))
	if n.facts&singleBit != 0 {
		visit(int32(n.list>>weightBits), float32(n.list&weightUnit)/weightUnit)
		return
	}
	for block := n.list; block > 0; {
		head, rest, _ := g.bytes(block)
		last := uint32(0)
		for len(rest) > 0 {
			var p uint32
			p, rest = nextPosting(rest, last)
			last = p >> weightBits
			if !visit(int32(last), float32(p&weightUnit)/weightUnit) {
				return
			}
		}
		block = binary.LittleEndian.Uint32(head)
	}
}

// Delete forgets a chunk.
func (g *Graph) Delete(chunk int32) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(chunk)
	if g.dead > 1024 && g.dead > g.live && g.frozen.Load() == 0 {
		return g.compact()
	}
	return nil
}

func (g *Graph) remove(chunk int32) {
	if int(chunk) >= len(g.chunks) || g.chunks[chunk].facts == 0 {
		return
	}
	for f := range g.facts(chunk, &unpacked{}) {
		for _, word := range f.words {
			g.nodes.At(int(word>>nodeBits)).facts--
		}
	}
	g.live -= int(g.chunks[chunk].facts)
	g.dead += int(g.chunks[chunk].facts)
	g.chunks[chunk] = span{}
}

// compact lays out what is live anew.
func (g *Graph) compact() error {
	packed, err := mapped.NewFile(g.dir)
	if err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	g.lists.Free()
	g.lists.Grow(blockUnit)
	for n := range g.nodes.Len() {
		at := g.nodes.At(n)
		at.list, at.facts = 0, at.facts&^singleBit
	}
	var buf unpacked
	for c := range g.chunks {
		s := &g.chunks[c]
		if s.facts == 0 {
			continue
		}
		firmest := map[int32]float64{}
		for f := range g.facts(int32(c), &buf) {
			for _, word := range f.words {
				if n, w := unpack(word); !f.denied {
					firmest[n] = max(firmest[n], float64(w))
				}
			}
		}
		if s.at, err = packed.Append(g.packed.Bytes(s.at, int(s.size))); err != nil {
			return errors.Join(fmt.Errorf("graph: %w", err), packed.Close())
		}
		for _, n := range slices.Sorted(maps.Keys(firmest)) {
			g.post(n, int32(c), firmest[n])
		}
	}
	old := g.packed
	g.packed, g.dead = packed, 0
	if err := old.Close(); err != nil {
		return fmt.Errorf("graph: %w", err)
	}
	return nil
}

// fact is a packed fact.
type fact struct {
	id       factID
	denied   bool
	sentence text.Span
	words    []uint32 // its nodes
}

// factID is a fact by its chunk and its place there.
type factID struct{ chunk, place int32 }

func (f factID) compare(o factID) int {
	return cmp.Or(cmp.Compare(f.chunk, o.chunk), cmp.Compare(f.place, o.place))
}

// unpacked is room for the facts of a chunk.
type unpacked struct{ words []uint32 }

// facts hands out the facts of a chunk in order. Their words lie in buf, until the next is
// handed out.
func (g *Graph) facts(chunk int32, buf *unpacked) iter.Seq[fact] {
	return func(yield func(fact) bool) {
		if int(chunk) >= len(g.chunks) || g.chunks[chunk].facts == 0 {
			return
		}
		s := g.chunks[chunk]
		data := g.packed.Bytes(s.at, int(s.size))
		number := func() int {
			if data[0] < 0x80 { // most are
				v := int(data[0])
				data = data[1:]
				return v
			}
			v, n := binary.Uvarint(data)
			data = data[n:]
			return int(v)
		}
		count := number()
		words := data[:4*count]
		data = data[4*count:]
		for i := range s.facts {
			head := number()
			f := fact{id: factID{chunk, i}, denied: head&1 != 0}
			f.sentence.Start = number()
			f.sentence.End = f.sentence.Start + number()
			buf.words = buf.words[:0]
			for range head >> 1 {
				buf.words = append(buf.words, binary.LittleEndian.Uint32(words[4*number():]))
			}
			f.words = buf.words
			if !yield(f) {
				return
			}
		}
	}
}

// unpack reads a node of a fact and its weight, 0..1.
func unpack(word uint32) (n int32, weight float32) {
	return int32(word >> nodeBits), float32(word&nodeUnit) / nodeUnit
}

// Len is the number of facts.
func (g *Graph) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.live
}

// wanted are the terms of a question that some fact knows.
type wanted struct {
	terms []want
	at    map[int32]int32 // by node: index into terms
	some  [8]uint64       // bits of the nodes in at: most nodes are none of them
	total float64         // weight of all terms of the question, known or not
}

// want is a term that the question gives.
type want struct {
	node   int32
	weight float64 // rarity × importance
}

func (w *wanted) add(n int32, weight float64) {
	w.at[n] = int32(len(w.terms))
	w.some[n>>6&7] |= 1 << (n & 63)
	w.terms = append(w.terms, want{n, weight})
}

func (w *wanted) find(n int32) (int32, bool) {
	if w.some[n>>6&7]&(1<<(n&63)) == 0 {
		return 0, false
	}
	k, ok := w.at[n]
	return k, ok
}

// share is the covered part of the question's weight.
func (w *wanted) share(covered []float32) float64 {
	sum := 0.0
	for i, c := range covered {
		sum += float64(c) * w.terms[i].weight
	}
	return min(1, sum/w.total)
}

// covers sets how firmly a fact holds each wanted term, and reports whether it holds
// any.
func (w *wanted) covers(f fact, covered []float32) bool {
	clear(covered)
	some := false
	for _, word := range f.words {
		n, weight := unpack(word)
		if k, ok := w.find(n); ok {
			covered[k] = max(covered[k], weight)
			some = true
		}
	}
	return some
}

// Bounds of a search: from how many facts a hop goes on, how many facts a node may
// join before it says too little to be walked, how many chunks are unpacked for each
// one asked for, and how many on all hops together.
const (
	maxStarts   = 24
	maxFan      = 400
	maxUnpacked = 10
	maxWalked   = 800
)

// otherWords sets the weights of the terms of a question by where they stand: what
// it gives and the attribute it asks for weigh full, its other words less.
const otherWords = 0.4

// important reads the terms out of a question, in their order, with their weights.
func important(a kb.Analysis, query string, match text.Match) (order []string, weights map[string]float64) {
	weights = map[string]float64{}
	add := func(s string, w float64) {
		for _, n := range Nodes(s, 1, false, match) {
			if _, ok := weights[n.Key]; !ok {
				order = append(order, n.Key)
			}
			weights[n.Key] = max(weights[n.Key], w)
		}
	}
	base := 1.0
	for _, s := range a.Slots {
		if s.Role == kb.Given {
			add(s.Value, 1)
			add(s.Normalized, 1)
			base = otherWords
			continue
		}
		add(s.Subject, 1)
		add(s.Attribute, 1)
		if s.Subject+s.Attribute != "" {
			base = otherWords
		}
	}
	add(query, base)
	return order, weights
}

// wanted weighs the terms of a question by how rare they are.
func (g *Graph) wanted(a kb.Analysis, query string, match text.Match) *wanted {
	order, weights := important(a, query, match)
	out := &wanted{at: map[int32]int32{}}
	for _, key := range order {
		id, ok := g.find(key)
		df := 0
		if ok {
			df = g.nodes.At(int(id)).count()
		}
		n := float64(g.live)
		rarity := math.Log(1 + (n-math.Min(n, float64(df))+0.5)/(float64(df)+0.5))
		out.total += weights[key] * rarity
		if ok && df > 0 {
			out.add(id, weights[key]*rarity)
		}
	}
	return out
}

// sums are what the postings promise of each chunk.
type sums struct {
	of      []float32 // by chunk; 0 = nothing
	touched []int32
}

func (g *Graph) borrow() *sums {
	s, _ := g.scratch.Get().(*sums)
	if s == nil {
		s = &sums{}
	}
	if len(s.of) < len(g.chunks) {
		s.of = make([]float32, len(g.chunks)+len(g.chunks)/8)
	}
	return s
}

func (g *Graph) giveBack(s *sums) {
	for _, c := range s.touched {
		s.of[c] = 0
	}
	s.touched = s.touched[:0]
	g.scratch.Put(s)
}

// Search returns the chunks with the best facts, best first, ties by chunk number;
// facts of chunks that admit denies are not scored (nil = all are admitted).
func (g *Graph) Search(ctx context.Context, cfg Config, a kb.Analysis, query string, admit func(chunk int32) bool, limit int) ([]Hit, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	w := g.wanted(a, query, cfg.Match)
	if w.total == 0 {
		return nil, nil
	}
	promised := g.borrow()
	defer g.giveBack(promised)
	for _, t := range w.terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		by := float32(t.weight)
		g.postings(t.node, func(chunk int32, weight float32) bool {
			if promised.of[chunk] == 0 {
				promised.touched = append(promised.touched, chunk)
			}
			promised.of[chunk] += weight * by
			return true
		})
	}
	s := search{g: g, w: w, promised: promised, admit: admitter(admit), best: map[int32]Hit{}}
	front := s.first(limit)
	for hop := 2; hop <= cfg.Hops && len(front) > 0; hop++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		front = s.hop(front[:min(len(front), maxStarts)], hop, math.Pow(cfg.Decay, float64(hop-1)), hop == cfg.Hops)
	}
	out := make([]Hit, 0, len(s.best))
	for _, h := range s.best {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out[:min(limit, len(out))], nil
}

func admitter(admit func(int32) bool) func(int32) bool {
	if admit == nil {
		return func(int32) bool { return true }
	}
	return admit
}

// Scores returns what the facts of each chunk cover of the question by themselves,
// without hops; 0 for chunks that admit denies (nil = none) and for negative numbers.
func (g *Graph) Scores(cfg Config, a kb.Analysis, query string, admit func(chunk int32) bool, chunks []int32) []float64 {
	g.mu.RLock()
	defer g.mu.RUnlock()
	w := g.wanted(a, query, cfg.Match)
	admit = admitter(admit)
	out := make([]float64, len(chunks))
	covered := make([]float32, len(w.terms))
	var buf unpacked
	for i, c := range chunks {
		if c < 0 || w.total == 0 || !admit(c) {
			continue
		}
		for f := range g.facts(c, &buf) {
			if !f.denied && w.covers(f, covered) {
				out[i] = max(out[i], calibrate(w.share(covered)))
			}
		}
	}
	return out
}

// search is one question under way.
type search struct {
	g        *Graph
	w        *wanted
	promised *sums
	admit    func(int32) bool
	best     map[int32]Hit // by chunk
	floor    float64       // score of the last chunk wanted of the first hop; 0 = fewer were found
	walked   int           // chunks unpacked on hops
	buf      unpacked
}

// reached is a fact with what it covers of the question, the way to it included.
type reached struct {
	fact    fact
	score   float64
	hops    int
	covered []float32 // by wanted term, 0..1
}

// first finds the best facts that touch terms of the question: all that a result of
// limit chunks and the next hop can need, best first.
func (s *search) first(limit int) []reached {
	const steps = 256
	var buckets [steps][]int32
	var counts [steps]int
	step := func(chunk int32) int {
		return int(min(1, float64(s.promised.of[chunk])/s.w.total) * (steps - 1))
	}
	for _, c := range s.promised.touched {
		counts[step(c)]++
	}
	low, enough := steps, 0 // below, nothing can be unpacked
	for low > 0 && enough < maxUnpacked*limit {
		low--
		enough += counts[low]
	}
	for _, c := range s.promised.touched {
		if b := step(c); b >= low {
			if buckets[b] == nil {
				buckets[b] = make([]int32, 0, counts[b])
			}
			buckets[b] = append(buckets[b], c)
		}
	}
	var found []reached
	var shares []float64 // the best limit shares, a heap with the least first
	covered := make([]float32, len(s.w.terms))
	unpacked := 0
	for b := steps - 1; b >= low && unpacked < maxUnpacked*limit; b-- {
		if len(shares) == limit && float64(b+1)/(steps-1) < shares[0] {
			break
		}
		slices.SortFunc(buckets[b], func(x, y int32) int {
			return cmp.Or(cmp.Compare(s.promised.of[y], s.promised.of[x]), cmp.Compare(x, y))
		})
		for _, c := range buckets[b] {
			if s.g.chunks[c].facts == 0 || !s.admit(c) {
				continue
			}
			unpacked++
			top := 0.0
			for f := range s.g.facts(c, &s.buf) {
				if f.denied || !s.w.covers(f, covered) {
					continue
				}
				share := s.w.share(covered)
				if top = max(top, share); len(shares) == limit && share < shares[0] {
					continue
				}
				f.words = slices.Clone(f.words)
				found = append(found, reached{fact: f, hops: 1, score: share, covered: slices.Clone(covered)})
			}
			if top > 0 {
				shares = push(shares, top, limit)
			}
		}
	}
	if len(shares) == limit {
		s.floor = calibrate(shares[0])
		found = slices.DeleteFunc(found, func(r reached) bool { return r.score < shares[0] })
	}
	for i := range found {
		found[i].score = calibrate(found[i].score)
	}
	return s.keep(found)
}

// push keeps the greatest values in a heap of at most limit, the least first.
func push(heap []float64, v float64, limit int) []float64 {
	if len(heap) < limit {
		heap = append(heap, v)
		for i := len(heap) - 1; i > 0 && heap[i] < heap[(i-1)/2]; i = (i - 1) / 2 {
			heap[i], heap[(i-1)/2] = heap[(i-1)/2], heap[i]
		}
		return heap
	}
	if v <= heap[0] {
		return heap
	}
	heap[0] = v
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(heap) && heap[child] < heap[least] {
				least = child
			}
		}
		if least == i {
			return heap
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// hop goes from facts, over the names in them that the question does not give, to
// facts that cover something the way has not covered yet. fall is the price of the way.
func (s *search) hop(from []reached, hops int, fall float64, last bool) []reached {
	found := map[factID]reached{}
	joined := make([]float32, len(s.w.terms))
	for _, r := range from {
		share := s.w.share(r.covered)
		for _, word := range r.fact.words {
			n, _ := unpack(word)
			if _, given := s.w.find(n); given || !s.g.nodes.At(int(n)).isName() || s.g.nodes.At(int(n)).count() > maxFan {
				continue
			}
			s.g.postings(n, func(chunk int32, _ float32) bool {
				promise := float64(s.promised.of[chunk])
				if promise == 0 || s.g.chunks[chunk].facts == 0 || !s.admit(chunk) {
					return true
				}
				// What cannot come among the best is not unpacked.
				bar := s.floor
				if last {
					bar = max(bar, s.best[chunk].Score)
				}
				if calibrate(share+promise/s.w.total)*fall < bar {
					return true
				}
				s.walked++
				s.join(r, n, chunk, hops, fall, joined, found)
				return s.walked < maxWalked
			})
		}
	}
	return s.keep(slices.Collect(maps.Values(found)))
}

// join adds the facts of a chunk that hold the node n and cover more than the way did.
func (s *search) join(r reached, n, chunk int32, hops int, fall float64, joined []float32, found map[factID]reached) {
	for f := range s.g.facts(chunk, &s.buf) {
		if f.denied || f.id == r.fact.id {
			continue
		}
		copy(joined, r.covered)
		met, gain := false, false
		for _, word := range f.words {
			m, weight := unpack(word)
			met = met || m == n
			if k, ok := s.w.find(m); ok && weight > joined[k] {
				joined[k], gain = weight, true
			}
		}
		if !met || !gain {
			continue
		}
		score := calibrate(s.w.share(joined)) * fall
		if old, ok := found[f.id]; !ok || score > old.score {
			f.words = slices.Clone(f.words)
			found[f.id] = reached{fact: f, hops: hops, score: score, covered: slices.Clone(joined)}
		}
	}
}

// keep orders facts, best first, ties as they stand in the graph, and notes the best of
// each chunk; of equal ones the first.
func (s *search) keep(facts []reached) []reached {
	slices.SortFunc(facts, func(a, b reached) int {
		return cmp.Or(cmp.Compare(b.score, a.score), a.fact.id.compare(b.fact.id))
	})
	for _, r := range facts {
		c := r.fact.id.chunk
		if old, ok := s.best[c]; !ok || r.score > old.Score {
			s.best[c] = Hit{Chunk: c, Score: r.score, Sentence: r.fact.sentence, Hops: r.hops}
		}
	}
	return facts
}
