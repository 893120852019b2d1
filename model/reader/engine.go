package reader

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"suffice.dev/suffice/model/embed"
)

// masked stands for the score of a place that attention must not see.
const masked = -3e38

// blockRows is how many tokens a worker takes through a layer at once: a panel of
// weights is widened once a block, and the block's activations stay in the cache.
const blockRows = 96

// groupTokens bounds the tokens of one forward pass, and so its memory: about 15 KB a
// token.
const groupTokens = 2048

// workerTokens is the least that a second worker is worth waking up for.
const workerTokens = 24

// matrix is one linear map, int8 by rows, in panels of lanes outputs: for each pair of
// inputs lanes times the two weights.
type matrix struct {
	in, out int
	levels  float32 // of its inputs
	packed  []int8
	steps   []int16   // of weights in 4 bits: for each panel and block of 32 inputs lanes times the step, twice
	scales  []float32 // by output
	bias    []float32
}

// put stores the weights of output i.
func (m *matrix) put(i int, values []int16, scale float32) {
	m.scales[i] = scale
	panel := m.packed[i/lanes*lanes*m.in:][:lanes*m.in]
	at := i % lanes * 2
	for j := 0; j+1 < len(values); j += 2 {
		panel[at], panel[at+1] = int8(values[j]), int8(values[j+1])
		at += 2 * lanes
	}
}

// panelAt writes the weights of the panel that begins at output p.
func (m *matrix) panelAt(k *kernels, dst []int16, p int) {
	packed := m.packed[p*m.in:][:lanes*m.in]
	if m.steps == nil {
		k.expand(dst, packed)
		return
	}
	k.expandBlocks(dst, packed, m.steps[p*m.in/blockWidth*2:][:lanes*m.in/blockWidth*2])
}

// putBlocks stores the weights of output i, given in 4 bits: the scales of its blocks
// become whole steps of one scale.
func (m *matrix) putBlocks(i int, values []int16, scales []float32) {
	most := float32(wideSteps)
	if m.in <= narrowInputs {
		most = narrowSteps
	}
	peak := float32(0)
	for _, x := range scales {
		peak = max(peak, x, -x)
	}
	if peak <= least {
		clear(values)
		peak = 0
	}
	m.put(i, values, peak/most)
	for b, x := range scales {
		step := int16(0)
		if peak > 0 {
			step = int16(math.RoundToEven(float64(x / peak * most)))
		}
		at := i/lanes*lanes*m.in/blockWidth*2 + b*2*lanes + i%lanes*2
		m.steps[at], m.steps[at+1] = step, step
	}
}

// join reads the named matrices of a layer as one, one below the other. They are all of
// one type.
func (f *file) join(layer, in, out int, names ...string) (matrix, error) {
	m := matrix{in: in, out: out * len(names), levels: activationLevels, packed: make([]int8, in*out*len(names)), scales: make([]float32, out*len(names))}
	kind := ""
	for n, name := range names {
		full := fmt.Sprintf("l%d.%s", layer, name)
		t, err := f.find(full+".w", out, in)
		switch {
		case err != nil:
			return m, err
		case n > 0 && t.DType != kind:
			return m, fmt.Errorf("%w %s: tensor %s is %s, the ones beside it are %s", ErrFile, f.Name, t.Name, t.DType, kind)
		}
		switch kind = t.DType; kind {
		case "i8":
			f.rows(t, func(i int, values []int16, scale float32) { m.put(n*out+i, values, scale) })
		case "i4":
			if m.steps == nil {
				m.steps, m.levels = make([]int16, in*m.out/blockWidth*2), wideLevels
				if in <= narrowInputs {
					m.levels = narrowLevels
				}
			}
			f.table(t).blocks(func(i int, values []int16, scales []float32) { m.putBlocks(n*out+i, values, scales) })
		default:
			return m, fmt.Errorf("%w %s: tensor %s is %s, want integers", ErrFile, f.Name, t.Name, kind)
		}
		bias, err := f.floats(full+".b", out)
		if err != nil {
			return m, err
		}
		m.bias = append(m.bias, bias...)
	}
	return m, nil
}

// layer is one layer of the encoder.
type layer struct {
	qkv, ao, fi, fo        matrix
	alnW, alnB, olnW, olnB []float32
}

func (f *file) layer(i int) (*layer, error) {
	c := f.Config
	l := &layer{}
	var err error
	for _, m := range []struct {
		to      *matrix
		in, out int
		names   []string
	}{
		{&l.qkv, c.Width, c.Width, []string{"q", "k", "v"}},
		{&l.ao, c.Width, c.Width, []string{"ao"}},
		{&l.fi, c.Width, c.FFN, []string{"fi"}},
		{&l.fo, c.FFN, c.Width, []string{"fo"}},
	} {
		if *m.to, err = f.join(i, m.in, m.out, m.names...); err != nil {
			return nil, err
		}
	}
	for _, n := range []struct {
		to   *[]float32
		name string
	}{{&l.alnW, "aln.w"}, {&l.alnB, "aln.b"}, {&l.olnW, "oln.w"}, {&l.olnB, "oln.b"}} {
		if *n.to, err = f.floats(fmt.Sprintf("l%d.%s", i, n.name), c.Width); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Base is what all models share: the word table, the positions and the lowest layers.
// It is safe for concurrent use.
type Base struct {
	file          *file
	tokens        *embed.Model // of it the tokenizer alone
	words         table
	positions     []float32
	normW, normB  []float32
	layers        []*layer
	width, heads  int
	ffn           int
	eps           float32
	begin, finish int32 // the marks
	workspaces    sync.Pool
}

// encoder is the layers of one model, on its base.
type encoder struct {
	*Base
	layers  []*layer
	kernels *kernels
}

// NewBase reads the text of a base file; name is what errors call it. Reading takes
// some 50 ms; the text is kept, the word table is read from it in place.
func NewBase(name, data string, tokens *embed.Model) (*Base, error) {
	f, err := parse(name, kindBase, data)
	if err != nil {
		return nil, err
	}
	c := f.Config
	if c.Vocab != tokens.Pieces() {
		return nil, fmt.Errorf("%w %s: a word table of %d pieces for the tokenizer of %s, which has %d", ErrFile, name, c.Vocab, tokens.Name(), tokens.Pieces())
	}
	b := &Base{file: f, tokens: tokens, width: c.Width, heads: c.Heads, ffn: c.FFN, eps: float32(c.Eps), begin: int32(c.Vocab), finish: int32(c.Vocab) + 1}
	words, err := f.find("word", c.Vocab+2, c.Width)
	if err != nil {
		return nil, err
	}
	if words.DType != "i4" {
		return nil, fmt.Errorf("%w %s: tensor word is %s, want i4", ErrFile, name, words.DType)
	}
	b.words = f.table(words)
	if b.positions, err = f.floats("pos", c.Positions, c.Width); err != nil {
		return nil, err
	}
	if b.normW, err = f.floats("norm.w", c.Width); err != nil {
		return nil, err
	}
	if b.normB, err = f.floats("norm.b", c.Width); err != nil {
		return nil, err
	}
	if b.layers, err = f.own(); err != nil {
		return nil, err
	}
	return b, nil
}

// own reads the layers that the file has.
func (f *file) own() ([]*layer, error) {
	out := make([]*layer, f.Config.Count)
	for i := range out {
		var err error
		if out[i], err = f.layer(f.Config.First + i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// encoder joins the base with the layers of a file.
func (b *Base) encoder(name string, f *file) (*encoder, error) {
	own, of := f.Config, b.file.Config
	switch {
	case f.Base != b.file.hash:
		return nil, fmt.Errorf("%w %s (%s): made for the base %.12s, but %s is %.12s; use the base it was trained on", ErrFile, name, f.Name, f.Base, b.file.Name, b.file.hash)
	case own.Width != of.Width || own.Heads != of.Heads || own.FFN != of.FFN || own.First != of.Count:
		return nil, fmt.Errorf("%w %s (%s): its layers do not fit those of %s", ErrFile, name, f.Name, b.file.Name)
	}
	layers, err := f.own()
	if err != nil {
		return nil, err
	}
	return &encoder{Base: b, layers: append(append([]*layer(nil), b.layers...), layers...), kernels: fastest()}, nil
}

// sequence is one text in a batch: its tokens are rows start to end.
type sequence struct{ start, end int }

// workspace is what one forward pass writes; it is used again.
type workspace struct {
	rows      int // a multiple of four
	ids       []int32
	sequences []sequence
	x         []float32    // rows × width: the hidden states
	qkv       [2][]float32 // of this layer and of the next: 3 × heads × rows × width of a head
	places    []place      // what span reads, by token
	pieces    []embed.Piece
	question  []int32
	owners    []int     // by sequence: the text it comes from
	pooled    []float32 // 2 width
	logits    []float64
	encoder   *encoder
	ctx       context.Context //nolint:containedctx // of the pass that runs: lent to workers that are kept, so that a pass allocates nothing
	workers   []*worker
	gate      gate

	most int                   // workers; 0 = as many as there are processors
	rest func(context.Context) // before every layer; nil = the pass does not wait for others
}

// place is the code points of a token in its passage; a token that cannot be part of
// an answer has none.
type place struct{ start, end int32 }

// worker is what one goroutine writes on its own.
type worker struct {
	run         func()    // works on the workspace it belongs to
	first, last int       // its rows
	ints        []int16   // blockRows × ffn
	wide        []float32 // blockRows × ffn
	narrow      []float32 // blockRows × width
	scales      []float32 // blockRows
	panel       []int16   // lanes × ffn
	keys        []float32 // one head's keys, transposed
	scores      []float32
}

// take returns a workspace without sequences.
func (b *Base) take() *workspace {
	w, ok := b.workspaces.Get().(*workspace)
	if !ok {
		w = new(workspace)
	}
	w.reset()
	return w
}

func (w *workspace) reset() {
	w.ids, w.places, w.sequences = w.ids[:0], w.places[:0], w.sequences[:0]
}

func (b *Base) give(w *workspace) {
	w.most, w.rest = 0, nil
	b.workspaces.Put(w)
}

// add begins a sequence of the ids that the caller has appended to w.ids since the last one.
func (w *workspace) add() {
	start := 0
	if n := len(w.sequences); n > 0 {
		start = w.sequences[n-1].end
	}
	w.sequences = append(w.sequences, sequence{start, len(w.ids)})
}

func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	return s[:n]
}

// forward runs the encoder over the sequences of w and leaves the hidden states in
// w.x. It stops between layers when ctx ends.
func (e *encoder) forward(ctx context.Context, w *workspace) error {
	tokens := len(w.ids)
	if tokens == 0 {
		return ctx.Err()
	}
	w.rows = (tokens + 3) &^ 3
	w.x = grown(w.x, w.rows*e.width)
	longest := 0
	for _, s := range w.sequences {
		longest = max(longest, s.end-s.start)
	}
	for i := range w.qkv {
		w.qkv[i] = grown(w.qkv[i], w.rows*3*e.width)
	}
	workers := max(1, min(runtime.GOMAXPROCS(0), tokens/workerTokens))
	if w.most > 0 {
		workers = min(workers, w.most)
	}
	for len(w.workers) < workers {
		k := &worker{
			ints: make([]int16, blockRows*e.ffn), wide: make([]float32, blockRows*e.ffn), narrow: make([]float32, blockRows*e.width),
			scales: make([]float32, blockRows), panel: make([]int16, lanes*e.ffn),
		}
		k.run = func() { w.encoder.work(w, k) }
		w.workers = append(w.workers, k)
	}
	padded := (longest + lanes - 1) / lanes * lanes
	share := ((w.rows+workers-1)/workers + 3) &^ 3
	for i, k := range w.workers[:workers] {
		k.first, k.last = min(i*share, w.rows), min((i+1)*share, w.rows)
		k.keys = grown(k.keys, padded*e.width/e.heads)
		k.scores = grown(k.scores, blockRows*padded)
	}
	w.gate.open(workers)
	w.encoder, w.ctx = e, ctx
	for _, k := range w.workers[1:workers] {
		go k.run() // a value without arguments: starting it allocates nothing
	}
	w.workers[0].run()
	w.gate.last()
	w.encoder, w.ctx = nil, nil
	if w.gate.stopped {
		return ctx.Err()
	}
	return nil
}

// work takes the rows of one worker through all layers. All workers meet after each:
// attention needs the keys and values of the whole sequence.
func (e *encoder) work(w *workspace, k *worker) {
	e.embed(w, k)
	for b := k.first; b < k.last; b += blockRows {
		e.project(w, k, 0, b, min(b+blockRows, k.last))
	}
	for i := range e.layers {
		if !w.gate.meet(w.ctx, w.rest) {
			break
		}
		for b := k.first; b < k.last; b += blockRows {
			e.block(w, k, i, b, min(b+blockRows, k.last))
		}
	}
	w.gate.leave()
}

// embed writes the hidden states before the first layer.
func (e *encoder) embed(w *workspace, k *worker) {
	at := 0
	for r := k.first; r < k.last; r++ {
		row := w.x[r*e.width:][:e.width]
		if r >= len(w.ids) {
			clear(row)
			continue
		}
		for r >= w.sequences[at].end {
			at++
		}
		e.words.row(row, int(w.ids[r]))
		position := r - w.sequences[at].start
		e.kernels.addNorm(row, e.positions[position*e.width:][:e.width], e.normW, e.normB, e.eps)
	}
}

// quantize rounds rows of width values to k.ints and k.scales.
func (e *encoder) quantize(k *worker, rows []float32, width int, levels float32) {
	for r := 0; r*width < len(rows); r++ {
		k.scales[r] = e.kernels.quantize(k.ints[r*width:][:width], rows[r*width:][:width], levels)
	}
}

// multiply writes rows of k.ints times m to out.
func (e *encoder) multiply(k *worker, m *matrix, out []float32, rows int) {
	panel := k.panel[:lanes*m.in]
	for p := 0; p < m.out; p += lanes {
		m.panelAt(e.kernels, panel, p)
		e.kernels.panel(out[p:], m.out, k.ints, m.in, rows, panel, k.scales, m.scales[p:], m.bias[p:])
	}
}

// project writes queries, keys and values of rows first to last for a layer.
func (e *encoder) project(w *workspace, k *worker, layer, first, last int) {
	m, out, head := &e.layers[layer].qkv, w.qkv[layer%2], e.width/e.heads
	e.quantize(k, w.x[first*e.width:last*e.width], e.width, m.levels)
	panel := k.panel[:lanes*m.in]
	for p := 0; p < m.out; p += lanes {
		m.panelAt(e.kernels, panel, p)
		to := out[(p/head*w.rows+first)*head+p%head:]
		e.kernels.panel(to, head, k.ints, m.in, last-first, panel, k.scales, m.scales[p:], m.bias[p:])
	}
}

// block takes rows first to last through a layer, and projects them for the next.
func (e *encoder) block(w *workspace, k *worker, number, first, last int) {
	l, rows := e.layers[number], last-first
	x := w.x[first*e.width : last*e.width]
	e.attend(w, k, w.qkv[number%2], first, last)
	e.quantize(k, k.narrow[:rows*e.width], e.width, l.ao.levels)
	e.multiply(k, &l.ao, k.narrow, rows)
	for r := range rows {
		e.kernels.addNorm(x[r*e.width:][:e.width], k.narrow[r*e.width:][:e.width], l.alnW, l.alnB, e.eps)
	}
	e.quantize(k, x, e.width, l.fi.levels)
	e.multiply(k, &l.fi, k.wide, rows)
	for r := range rows {
		row := k.wide[r*e.ffn:][:e.ffn]
		e.kernels.gelu(row)
		k.scales[r] = e.kernels.quantize(k.ints[r*e.ffn:][:e.ffn], row, l.fo.levels)
	}
	e.multiply(k, &l.fo, k.narrow, rows)
	for r := range rows {
		e.kernels.addNorm(x[r*e.width:][:e.width], k.narrow[r*e.width:][:e.width], l.olnW, l.olnB, e.eps)
	}
	if number+1 < len(e.layers) {
		e.project(w, k, number+1, first, last)
	}
}

// attend writes the attention of rows first to last to k.narrow.
func (e *encoder) attend(w *workspace, k *worker, qkv []float32, first, last int) {
	head := e.width / e.heads
	scale := float32(1 / math.Sqrt(float64(head)))
	for r := max(first, len(w.ids)); r < last; r++ {
		clear(k.narrow[(r-first)*e.width:][:e.width]) // rows that only pad
	}
	part := w.rows * head // one head's queries, keys or values
	for _, s := range w.sequences {
		from, to := max(s.start, first), min(s.end, last)
		if from >= to {
			continue
		}
		length := s.end - s.start
		padded := (length + lanes - 1) / lanes * lanes
		for h := range e.heads {
			queries := qkv[h*part+from*head : h*part+to*head]
			keys := qkv[(e.heads+h)*part+s.start*head:][:length*head]
			values := qkv[(2*e.heads+h)*part+s.start*head:][:length*head]
			transpose(k.keys[:head*padded], keys, head, padded)
			e.kernels.matmul(k.scores, padded, queries, head, k.keys, padded, to-from, padded, head)
			for r := range to - from {
				row := k.scores[r*padded:][:padded]
				for j := length; j < padded; j++ {
					row[j] = masked
				}
				e.kernels.softmax(row, scale)
			}
			e.kernels.matmul(k.narrow[(from-first)*e.width+h*head:], e.width, k.scores, padded, values, head, to-from, head, length)
		}
	}
}

// transpose writes rows of width values as columns of padded length, zeros behind
// them.
func transpose(dst, rows []float32, width, padded int) {
	length := len(rows) / width
	for d := range width {
		column := dst[d*padded : (d+1)*padded]
		clear(column[length:])
		column = column[:length]
		at := d
		for j := range column {
			column[j] = rows[at]
			at += width
		}
	}
}

// gate is where the workers of one pass wait for each other.
type gate struct {
	mu      sync.Mutex
	all     sync.Cond
	workers int
	waiting int
	left    int
	round   int
	stopped bool
}

func (g *gate) open(workers int) {
	g.all.L = &g.mu
	g.workers, g.waiting, g.left, g.stopped = workers, 0, 0, false
}

// meet returns when all workers have come and rest, if there is one, has returned; it is
// false for all of them when ctx had ended then.
func (g *gate) meet(ctx context.Context, rest func(context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.waiting++; g.waiting == g.workers {
		if rest != nil {
			rest(ctx) // all others wait already
		}
		g.waiting = 0
		g.round++
		g.stopped = g.stopped || ctx.Err() != nil
		g.all.Broadcast()
		return !g.stopped
	}
	for round := g.round; round == g.round; {
		g.all.Wait()
	}
	return !g.stopped
}

// leave says that a worker is done with the workspace.
func (g *gate) leave() {
	g.mu.Lock()
	g.left++
	g.mu.Unlock()
	g.all.Broadcast()
}

// last returns when all workers have left.
func (g *gate) last() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.left < g.workers {
		g.all.Wait()
	}
}
