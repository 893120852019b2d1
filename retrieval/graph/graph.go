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
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"math"
	"slices"
	"sync"

	"suffice.dev/suffice/kb"
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
// Nothing in it is a pointer, so that millions of facts cost the garbage collector
// nothing: facts lie packed one after the other, chunk by chunk, and a node lists the
// chunks that hold it, each once with the firmest weight. What the list promises of a
// chunk is never less than what its best fact covers, so only chunks that may come
// among the best are unpacked.
type Graph struct {
	mu     sync.RWMutex
	seed   maphash.Seed
	ids    map[uint64]int32 // hash of the node key to number
	nodes  []node
	lists  []uint32 // blocks of postings, see list
	packed []uint32 // facts, see pack
	chunks []span   // by chunk
	live   int      // facts
	dead   int      // facts of deleted chunks that still lie in packed

	scratch sync.Pool // *sums
}

type node struct {
	list  uint32 // newest block of its postings, 1 + its place in lists; 0 = none
	facts int32  // live facts that hold it
	name  bool   // some fact uses it as a name
}

// span is where the facts of a chunk lie.
type span struct {
	at    int64 // in packed
	size  int32 // words
	facts int32 // 0 = no chunk
}

// New returns an empty graph.
func New() *Graph {
	return &Graph{seed: maphash.MakeSeed(), ids: map[uint64]int32{}}
}

// Put sets the edges of a chunk; earlier ones are replaced.
func (g *Graph) Put(chunk int32, edges []Edge) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(chunk)
	if len(edges) == 0 {
		return
	}
	if n := int(chunk) + 1; n > len(g.chunks) {
		g.chunks = append(g.chunks, make([]span, n-len(g.chunks))...)
	}
	at := len(g.packed)
	firmest := map[int32]float64{}
	for _, e := range edges {
		g.pack(e, firmest)
	}
	for _, n := range slices.Sorted(maps.Keys(firmest)) {
		g.post(n, chunk, firmest[n])
	}
	g.chunks[chunk] = span{at: int64(at), size: int32(len(g.packed) - at), facts: int32(len(edges))}
	g.live += len(edges)
}

// node is the number of a key, a new one where it has none; -1 when no more are known.
func (g *Graph) node(key string) int32 {
	h := maphash.String(g.seed, key)
	id, ok := g.ids[h]
	if !ok {
		if len(g.nodes) == maxNodes {
			return -1
		}
		id = int32(len(g.nodes))
		g.ids[h] = id
		g.nodes = append(g.nodes, node{})
	}
	return id
}

// A packed fact is one word of its number of nodes and whether it is denied, two of
// where its sentence starts and how long it is, and one for each node: its number and,
// in the last seven bits, its weight in 127ths. Of more than 2^25 nodes the last ones
// are not known.
const (
	factHead     = 3
	deniedBit    = 1 << 31
	nodeBits     = 7
	nodeUnit     = 1<<nodeBits - 1
	maxNodes     = 1 << (32 - nodeBits)
	maxFactNodes = 1 << 16
)

// pack appends a fact. firmest gathers the weights of facts that support.
func (g *Graph) pack(e Edge, firmest map[int32]float64) {
	at := len(g.packed)
	g.packed = append(g.packed, 0, uint32(e.Sentence.Start), uint32(e.Sentence.Len()))
	for _, n := range e.Nodes[:min(len(e.Nodes), maxFactNodes)] {
		id := g.node(n.Key)
		if id < 0 {
			continue
		}
		g.nodes[id].name = g.nodes[id].name || n.Name
		g.nodes[id].facts++
		weight := uint32(math.Round(nodeUnit * max(0, min(1, n.Weight))))
		g.packed = append(g.packed, uint32(id)<<nodeBits|weight)
		if !e.Denied {
			firmest[id] = max(firmest[id], float64(weight)/nodeUnit)
		}
	}
	g.packed[at] = uint32(len(g.packed) - at - factHead)
	if e.Denied {
		g.packed[at] |= deniedBit
	}
}

// A list of postings is a chain of blocks: the block before it (as node.list), how
// many postings it has and has room for (16 bits each), the postings. A posting is the
// chunk and, in its last four bits, the weight in 15ths, rounded up.
const (
	blockHead  = 2
	firstBlock = 2
	lastBlock  = 512
	weightBits = 4
	weightUnit = 1<<weightBits - 1
)

func (g *Graph) post(n, chunk int32, weight float64) {
	head := g.nodes[n].list
	room := uint32(firstBlock)
	if head > 0 {
		used, size := g.lists[head]&0xffff, g.lists[head]>>16
		room = min(2*size, lastBlock)
		if used < size {
			room = 0
		}
	}
	if room > 0 {
		at := uint32(len(g.lists))
		g.lists = append(g.lists, make([]uint32, blockHead+room)...)
		g.lists[at], g.lists[at+1] = head, room<<16
		head = at + 1
		g.nodes[n].list = head
	}
	used := g.lists[head] & 0xffff
	g.lists[head+1+used] = uint32(chunk)<<weightBits | uint32(math.Ceil(weight*weightUnit))
	g.lists[head]++
}

// postings hands out the chunks that hold a node, deleted ones among them, with their
// weights, until visit returns false.
func (g *Graph) postings(n int32, visit func(chunk int32, weight float32) bool) {
	for head := g.nodes[n].list; head > 0; head = g.lists[head-1] {
		used := g.lists[head] & 0xffff
		for _, p := range g.lists[head+1 : head+1+used] {
			if !visit(int32(p>>weightBits), float32(p&weightUnit)/weightUnit) {
				return
			}
		}
	}
}

// Delete forgets a chunk.
func (g *Graph) Delete(chunk int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(chunk)
	if g.dead > 1024 && g.dead > g.live {
		g.compact()
	}
}

func (g *Graph) remove(chunk int32) {
	if int(chunk) >= len(g.chunks) || g.chunks[chunk].facts == 0 {
		return
	}
	for f := range g.facts(chunk) {
		for _, word := range f.words {
			g.nodes[word>>nodeBits].facts--
		}
	}
	g.live -= int(g.chunks[chunk].facts)
	g.dead += int(g.chunks[chunk].facts)
	g.chunks[chunk] = span{}
}

// compact lays out what is live anew.
func (g *Graph) compact() {
	g.lists, g.dead = nil, 0
	for n := range g.nodes {
		g.nodes[n].list = 0
	}
	var packed []uint32
	for c := range g.chunks {
		s := &g.chunks[c]
		if s.facts == 0 {
			continue
		}
		firmest := map[int32]float64{}
		for f := range g.facts(int32(c)) {
			for _, word := range f.words {
				if n, w := unpack(word); !f.denied {
					firmest[n] = max(firmest[n], float64(w))
				}
			}
		}
		at := int64(len(packed))
		packed = append(packed, g.packed[s.at:s.at+int64(s.size)]...)
		s.at = at
		for _, n := range slices.Sorted(maps.Keys(firmest)) {
			g.post(n, int32(c), firmest[n])
		}
	}
	g.packed = packed
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

// facts hands out the facts of a chunk in order.
func (g *Graph) facts(chunk int32) iter.Seq[fact] {
	return func(yield func(fact) bool) {
		if int(chunk) >= len(g.chunks) {
			return
		}
		s := g.chunks[chunk]
		words := g.packed[s.at : s.at+int64(s.size)]
		for i := range s.facts {
			n := int(words[0]&^deniedBit) + factHead
			f := fact{id: factID{chunk, i}, denied: words[0]&deniedBit != 0, words: words[factHead:n]}
			f.sentence = text.Span{Start: int(words[1]), End: int(words[1] + words[2])}
			words = words[n:]
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
		id, ok := g.ids[maphash.String(g.seed, key)]
		df := 0
		if ok {
			df = int(g.nodes[id].facts)
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
	for i, c := range chunks {
		if c < 0 || w.total == 0 || !admit(c) {
			continue
		}
		for f := range g.facts(c) {
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
			for f := range s.g.facts(c) {
				if f.denied || !s.w.covers(f, covered) {
					continue
				}
				share := s.w.share(covered)
				if top = max(top, share); len(shares) == limit && share < shares[0] {
					continue
				}
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
			if _, given := s.w.find(n); given || !s.g.nodes[n].name || s.g.nodes[n].facts > maxFan {
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
	for f := range s.g.facts(chunk) {
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
