// Package dense is the vector route: all windows of all chunks as int8 rows, an
// exact scan, and a float re-score of the best. No graph, no training: every
// admitted chunk is looked at, so recall is 1 under any filter.
package dense

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Calibration maps the cosine of a question and a chunk's best window to 0..1:
// ((cosine - Zero) / (One - Zero))^Power, cut at both ends. It is the same curve for all
// questions: nothing is stretched per query.
type Calibration struct {
	Zero  float64 // cosine of a chunk that has nothing to do with the question
	One   float64 // cosine that counts as full agreement
	Power float64 // above 0; above 1, differences among high cosines count for more
}

// Static is the calibration of the built-in embedding. Where its best cosines are low it
// knows little of the question's words, and its order there says little: the power lets
// the other routes decide. It was fitted with the weights (retrieval.Default).
var Static = Calibration{Zero: 0, One: 1, Power: 1.5}

// Cosine leaves cosines as they are, cut at 0.
var Cosine = Calibration{Zero: 0, One: 1, Power: 1}

// Score maps a cosine.
func (c Calibration) Score(cosine float64) float64 {
	share := min(1, max(0, (cosine-c.Zero)/(c.One-c.Zero)))
	if c.Power == 1 {
		return share
	}
	return math.Pow(share, c.Power)
}

// rescored is how many chunks of the int8 scan are scored again with the question
// as float32.
const rescored = 100

// Vector is a window of length 1: component i is Scale × Values[i].
type Vector struct {
	Scale  float32
	Values []int8
}

// Hit is a chunk with its calibrated score.
type Hit struct {
	Chunk int32
	Score float64
}

// Matrix holds the windows of chunks. Chunks are numbered by the caller from 0,
// densely. It is safe for concurrent use.
type Matrix struct {
	dims int
	cal  Calibration
	dir  string // of the mapped files

	mu     sync.RWMutex
	values plane
	scales []float32  // by row
	sketch *plane     // see sketch.go; nil = none
	levels []float32  // by row: factor of its sketch
	slacks []uint8    // by row: length of what its sketch leaves
	reach  float32    // at least the length of every sketch
	chunk  []int32    // by row
	kinds  []Language // by row: that of its chunk; gone = deleted
	rows   []span     // by chunk
	tongue []Language // by chunk
	means  [languages]mean
	count  int          // chunks
	dead   int          // rows
	frozen atomic.Int32 // how many Frozen are not released: nothing is laid out anew
}

// span is the rows of a chunk; the zero span is that of a chunk that is not there.
type span struct{ from, to int32 }

// none is the span of a chunk without windows.
var none = span{-1, -1}

// NewMatrix returns an empty matrix for vectors of dims components. They lie in a
// mapped file without a name in the folder (where the system has mapped files; dir ""
// and elsewhere = in memory), so that the system can take their pages back.
func NewMatrix(dims int, cal Calibration, dir string) (*Matrix, error) {
	if dims < 1 {
		return nil, fmt.Errorf("dense: %d dims", dims)
	}
	if !(cal.One > cal.Zero) || !(cal.Power > 0) {
		return nil, fmt.Errorf("dense: calibration from %v to %v, power %v", cal.Zero, cal.One, cal.Power)
	}
	m := &Matrix{dims: dims, cal: cal, dir: dir}
	var err error
	if m.values, err = newPlane(dims, dir); err != nil {
		return nil, fmt.Errorf("dense: %w", err)
	}
	if sketched(dims) {
		p, err := newPlane(dims/2, dir)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("dense: %w", err), m.values.close())
		}
		m.sketch = &p
	}
	return m, nil
}

// Close gives the memory back; the matrix is empty afterwards.
func (m *Matrix) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.scales, m.levels, m.slacks, m.chunk, m.kinds, m.rows, m.count, m.dead = nil, nil, nil, nil, nil, nil, 0, 0
	err := m.values.close()
	if m.sketch != nil {
		err = errors.Join(err, m.sketch.close())
	}
	return err
}

// ErrDims says that a vector is of another length than the matrix holds.
var ErrDims = errors.New("dense: dimension differs")

// Put sets the windows of a chunk; earlier ones are replaced. A chunk without
// windows is never found. -128 is read as -127: the scan has no room for it.
func (m *Matrix) Put(chunk int32, windows []Vector) error { return m.PutIn(chunk, Unknown, windows) }

// PutIn is Put of a chunk that is written in a language.
func (m *Matrix) PutIn(chunk int32, in Language, windows []Vector) error {
	for _, w := range windows {
		if len(w.Values) != m.dims {
			return fmt.Errorf("%w: %d, want %d", ErrDims, len(w.Values), m.dims)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(chunk)
	if n := int(chunk) + 1; n > len(m.rows) {
		m.tongue = append(m.tongue, make([]Language, n-len(m.rows))...)
		m.rows = append(m.rows, make([]span, n-len(m.rows))...)
	}
	m.tongue[chunk] = in
	if len(windows) == 0 {
		m.rows[chunk] = none
		m.count++
		return nil
	}
	start := len(m.chunk)
	if err := m.values.grow(start + len(windows)); err != nil {
		return fmt.Errorf("dense: %w", err)
	}
	if m.sketch != nil {
		if err := m.sketch.grow(start + len(windows)); err != nil {
			return fmt.Errorf("dense: %w", err)
		}
	}
	for i, w := range windows {
		row := m.row(start + i)
		for j, v := range w.Values {
			row[j] = max(v, -127)
		}
		m.scales = append(m.scales, w.Scale)
		m.chunk = append(m.chunk, chunk)
		m.kinds = append(m.kinds, in)
		m.means[in].add(row, w.Scale, 1)
		if m.sketch != nil {
			factor, slack, reach := draw(m.sketch.row(start+i), row, w.Scale)
			m.levels, m.slacks = append(m.levels, factor), append(m.slacks, slack)
			m.reach = max(m.reach, reach)
		}
	}
	m.rows[chunk] = span{int32(start), int32(len(m.chunk))}
	m.count++
	return nil
}

func (m *Matrix) row(r int) []int8 { return m.values.row(r) }

// Delete forgets a chunk. Its rows stay until more than half of all are dead.
func (m *Matrix) Delete(chunk int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(chunk)
	if m.dead > 1024 && 2*m.dead > len(m.chunk) && m.frozen.Load() == 0 {
		m.compact()
	}
}

func (m *Matrix) of(chunk int32) span {
	if chunk < 0 || int(chunk) >= len(m.rows) {
		return span{}
	}
	return m.rows[chunk]
}

func (m *Matrix) remove(chunk int32) {
	s := m.of(chunk)
	if s == (span{}) {
		return
	}
	for r := s.from; r < s.to; r++ {
		m.kinds[r] = gone
		m.means[m.tongue[chunk]].add(m.row(int(r)), m.scales[r], -1)
	}
	m.dead += int(s.to - s.from)
	m.rows[chunk] = span{}
	m.count--
}

// compact lays the live rows out in files of their own: rows that moved within an image
// would become memory that the system cannot take back. Where it gives no file, they stay
// where they are.
func (m *Matrix) compact() {
	live := make([]int32, 0, len(m.chunk)-m.dead)
	for r := range m.chunk {
		if m.kinds[r] != gone {
			live = append(live, int32(r))
		}
	}
	values, err := m.values.only(live, m.dir)
	if err != nil {
		return
	}
	if m.sketch != nil {
		sketch, err := m.sketch.only(live, m.dir)
		if err != nil {
			_ = values.close() // nothing is lost with it
			return
		}
		_ = m.sketch.close() // likewise
		*m.sketch = sketch
	}
	_ = m.values.close()
	m.values = values
	to := len(live)
	for i, r := range live {
		m.scales[i], m.chunk[i], m.kinds[i] = m.scales[r], m.chunk[r], m.kinds[r]
		if m.sketch != nil {
			m.levels[i], m.slacks[i] = m.levels[r], m.slacks[r]
		}
	}
	m.scales, m.chunk, m.kinds = m.scales[:to], m.chunk[:to], m.kinds[:to]
	if m.sketch != nil {
		m.levels, m.slacks = m.levels[:to], m.slacks[:to]
	}
	m.dead = 0
	for r := 0; r < to; {
		end := r
		for end < to && m.chunk[end] == m.chunk[r] {
			end++
		}
		m.rows[m.chunk[r]] = span{int32(r), int32(end)}
		r = end
	}
}

// Len is the number of chunks.
func (m *Matrix) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.count
}

// Has reports whether a chunk was put, with windows or without.
func (m *Matrix) Has(chunk int32) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := m.of(chunk)
	return s.from < s.to || s.from < 0
}

// Language is the language that a chunk was put in.
func (m *Matrix) Language(chunk int32) Language {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.of(chunk) == (span{}) {
		return Unknown
	}
	return m.tongue[chunk]
}

// Windows returns the windows of a chunk, and the language that it was put in; none for
// a chunk that is not there.
func (m *Matrix) Windows(chunk int32) (Language, []Vector) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	rows := m.of(chunk)
	if rows == (span{}) {
		return Unknown, nil
	}
	var out []Vector
	for r := rows.from; r < rows.to; r++ {
		out = append(out, Vector{Scale: m.scales[r], Values: slices.Clone(m.row(int(r)))})
	}
	return m.tongue[chunk], out
}

// Cosine is the similarity of two windows by their places, each below Rows plus the
// deleted ones.
func (m *Matrix) Cosine(a, b int) float64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var sum int64
	x, y := m.row(a), m.row(b)
	for i := range x {
		sum += int64(x[i]) * int64(y[i])
	}
	return float64(sum) * float64(m.scales[a]) * float64(m.scales[b])
}

// Rows is the number of windows.
func (m *Matrix) Rows() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.chunk) - m.dead
}

// block is how many rows are scanned between two looks at the context, and part how
// many are worth a core of their own.
const (
	block = 2048
	part  = 16 * block
)

// Search returns the chunks with the best windows, best first, ties by chunk
// number; chunks that admit denies are not scored (nil = all are admitted; it is
// called by several goroutines). At most limit, at least one.
func (m *Matrix) Search(ctx context.Context, query []float32, admit func(chunk int32) bool, limit int) ([]Hit, error) {
	return m.SearchIn(ctx, query, Unknown, admit, limit)
}

// SearchIn is Search of a question that is asked in a language: chunks in the other one
// are compared by what is left of both when each is freed of what its language has in
// common.
func (m *Matrix) SearchIn(ctx context.Context, query []float32, in Language, admit func(chunk int32) bool, limit int) ([]Hit, error) {
	return m.search(ctx, query, in, admit, limit, m.sketch != nil)
}

// SearchWhole is SearchIn that looks at every row, whatever its sketch says: what SearchIn
// is tested and measured against. Both give the same.
func (m *Matrix) SearchWhole(ctx context.Context, query []float32, in Language, admit func(chunk int32) bool, limit int) ([]Hit, error) {
	return m.search(ctx, query, in, admit, limit, false)
}

func (m *Matrix) search(ctx context.Context, query []float32, in Language, admit func(chunk int32) bool, limit int, sketches bool) ([]Hit, error) {
	if len(query) != m.dims {
		return nil, fmt.Errorf("%w: question has %d, want %d", ErrDims, len(query), m.dims)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := m.question(query, in)
	if q.own.small.Scale == 0 {
		return nil, nil
	}
	if sketches {
		q.own.outline = outlined(&q.own, m.reach)
		if q.other != Unknown {
			q.abroad.outline = outlined(&q.abroad, m.reach)
		}
	}
	look := m.scan
	if sketches {
		look = m.scanSketches
	}
	parts := m.parts()
	best := make([]top, len(parts))
	errs := make([]error, len(parts))
	var running sync.WaitGroup
	for i, p := range parts {
		best[i].limit = max(limit, rescored)
		if i == len(parts)-1 {
			errs[i] = look(ctx, q, admit, p, &best[i])
			break
		}
		running.Go(func() { errs[i] = look(ctx, q, admit, p, &best[i]) })
	}
	running.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all := best[len(best)-1]
	for _, b := range best[:len(best)-1] {
		for _, e := range b.heap {
			all.add(e.chunk, e.dot)
		}
	}
	hits := make([]Hit, 0, len(all.heap))
	for _, e := range all.heap {
		if s := m.exact(q, e.chunk); s > 0 {
			hits = append(hits, Hit{Chunk: e.chunk, Score: s})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return hits[:min(limit, len(hits))], nil
}

// parts cuts the rows for the cores there are, between two chunks.
func (m *Matrix) parts() []span {
	n := len(m.chunk)
	count := min(runtime.GOMAXPROCS(0), n/part+1)
	out := make([]span, 0, count)
	from := 0
	for i := range count {
		to := n * (i + 1) / count
		for to < n && to > 0 && m.chunk[to] == m.chunk[to-1] {
			to++
		}
		out = append(out, span{int32(from), int32(to)})
		from = to
	}
	return out
}

// scan takes the best chunks of some rows by the int8 question.
func (m *Matrix) scan(ctx context.Context, q *question, admit func(int32) bool, rows span, best *top) error {
	var dots [block]int32
	chunk := chunkTop{best: best, last: -1}
	err := m.runs(ctx, q, admit, rows, func(from, to int, side *side) {
		scan(dots[:to-from], side.small.Values, m.values.run(from, to))
		for i, dot := range dots[:to-from] {
			chunk.add(m.chunk[from+i], float32(dot)*m.scales[from+i]*side.small.Scale+side.shift)
		}
	})
	chunk.flush()
	return err
}

// scanSketches is scan that looks only at rows that their sketches leave a chance to be
// among the best.
func (m *Matrix) scanSketches(ctx context.Context, q *question, admit func(int32) bool, rows span, best *top) error {
	var dots [block]int32
	var places [block + ahead]int32 // of the rows that are looked at
	chunk := chunkTop{best: best, last: -1}
	err := m.runs(ctx, q, admit, rows, func(from, to int, side *side) {
		sketchDots(dots[:to-from], side.outline.values, m.sketch.run(from, to))
		levels, slacks := m.levels[from:to], m.slacks[from:to]
		floor, count := best.floor(), 0
		for i, dot := range dots[:to-from] {
			if side.outline.bound(dot, levels[i], slacks[i]) < floor && slacks[i] != unbounded {
				continue
			}
			places[count] = int32(i)
			count++
		}
		scanAt(dots[:count], side.small.Values, m.values.run(from, to), &places)
		for k, dot := range dots[:count] {
			r := from + int(places[k])
			chunk.add(m.chunk[r], float32(dot)*m.scales[r]*side.small.Scale+side.shift)
		}
	})
	chunk.flush()
	return err
}

// runs hands out runs of rows that are compared with one side of the question, at most
// block at once. Rows that are denied or deleted are passed over.
func (m *Matrix) runs(ctx context.Context, q *question, admit func(int32) bool, rows span, visit func(from, to int, side *side)) error {
	var sides [gone + 1]*side // nil = none
	for l := range languages {
		sides[l] = q.side(l)
	}
	end := int(rows.to)
	last, admitted := int32(-1), true
	for r := int(rows.from); r < end; {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, side := r, sides[m.kinds[r]]
		stop := min(end, m.values.stop(r), r+block)
		for r < stop && sides[m.kinds[r]] == side {
			if admit != nil && side != nil && m.chunk[r] != last {
				if last, admitted = m.chunk[r], admit(m.chunk[r]); !admitted {
					break
				}
			}
			r++
		}
		if r > from && side != nil {
			visit(from, r, side)
		}
		for !admitted && r < end && m.chunk[r] == last {
			r++
		}
	}
	return nil
}

// chunkTop hands the best row of each chunk to a top. The rows of a chunk come together.
type chunkTop struct {
	best *top
	last int32 // -1 = none
	dot  float32
}

func (c *chunkTop) add(chunk int32, dot float32) {
	if chunk != c.last {
		c.flush()
		c.last, c.dot = chunk, dot
	}
	c.dot = max(c.dot, dot)
}

func (c *chunkTop) flush() {
	if c.last >= 0 {
		c.best.add(c.last, c.dot)
	}
	c.last = -1
}

// Score is the calibrated score of one chunk, 0 if it is unknown.
func (m *Matrix) Score(query []float32, chunk int32) float64 {
	return m.ScoreIn(query, Unknown, []int32{chunk})[0]
}

// ScoreIn returns the scores of chunks for a question that is asked in a language.
func (m *Matrix) ScoreIn(query []float32, in Language, chunks []int32) []float64 {
	out := make([]float64, len(chunks))
	if len(query) != m.dims {
		return out
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := m.question(query, in)
	for i, c := range chunks {
		out[i] = m.exact(q, c)
	}
	return out
}

// exact is the best window's score with the question as float32.
func (m *Matrix) exact(q *question, chunk int32) float64 {
	rows := m.of(chunk)
	if rows.from == rows.to {
		return 0
	}
	side := q.side(m.tongue[chunk])
	best := math.Inf(-1)
	for r := int(rows.from); r < int(rows.to); r++ {
		best = max(best, cosine(side.exact, m.row(r), m.scales[r])+float64(side.shift))
	}
	return m.cal.Score(best)
}

// cosine of a question and a window, both of length 1.
func cosine(query []float32, row []int8, scale float32) float64 {
	var sum float32
	for i, x := range row {
		sum += query[i] * float32(x)
	}
	return float64(sum * scale)
}

func quantize(v []float32) Vector {
	var peak float32
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	q := Vector{Scale: peak / 127, Values: make([]int8, len(v))}
	if peak == 0 {
		return q
	}
	for i, x := range v {
		q.Values[i] = int8(math.RoundToEven(float64(x / q.Scale)))
	}
	return q
}

// top keeps the best entries in a min-heap: the worst kept one is the root. Of
// equal scores the smaller chunk number is the better.
type top struct {
	limit int
	heap  []entry
}

type entry struct {
	chunk int32
	dot   float32
}

// floor is a score below which nothing comes in.
func (t *top) floor() float32 {
	if len(t.heap) < t.limit {
		return float32(math.Inf(-1))
	}
	return t.heap[0].dot
}

func worse(a, b entry) bool {
	return a.dot < b.dot || a.dot == b.dot && a.chunk > b.chunk
}

func (t *top) add(chunk int32, dot float32) {
	e := entry{chunk, dot}
	if len(t.heap) < t.limit {
		t.heap = append(t.heap, e)
		for i := len(t.heap) - 1; i > 0 && worse(t.heap[i], t.heap[(i-1)/2]); i = (i - 1) / 2 {
			t.heap[i], t.heap[(i-1)/2] = t.heap[(i-1)/2], t.heap[i]
		}
		return
	}
	if !worse(t.heap[0], e) {
		return
	}
	t.heap[0] = e
	for i := 0; ; {
		least := i
		for _, child := range []int{2*i + 1, 2*i + 2} {
			if child < len(t.heap) && worse(t.heap[child], t.heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}
