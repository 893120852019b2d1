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
	"slices"
	"sync"
)

// Calibration maps the cosine of a question and a chunk's best window to 0..1:
// (cosine - Zero) / (One - Zero), cut at both ends. It is the same line for all
// questions: nothing is stretched per query.
type Calibration struct {
	Zero float64 // cosine of a chunk that has nothing to do with the question
	One  float64 // cosine that counts as full agreement
}

// Static is the calibration of the built-in embedding: the cosine as it is, cut at
// 0. Any other line through the cosines is a change of the fusion weight, and the
// shipped weights were fitted with this one (retrieval.Default).
var Static = Calibration{Zero: 0, One: 1}

// Score maps a cosine.
func (c Calibration) Score(cosine float64) float64 {
	return min(1, max(0, (cosine-c.Zero)/(c.One-c.Zero)))
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

// Matrix holds the windows of chunks. Chunks are numbered by the caller. It is
// safe for concurrent use.
type Matrix struct {
	dims int
	cal  Calibration

	mu     sync.RWMutex
	values []int8    // rows × dims
	scales []float32 // by row
	chunk  []int32   // by row; -1 = deleted
	rows   map[int32][2]int32
	dead   int
}

// NewMatrix returns an empty matrix for vectors of dims components.
func NewMatrix(dims int, cal Calibration) (*Matrix, error) {
	if dims < 1 {
		return nil, fmt.Errorf("dense: %d dims", dims)
	}
	if !(cal.One > cal.Zero) {
		return nil, fmt.Errorf("dense: calibration from %v to %v", cal.Zero, cal.One)
	}
	return &Matrix{dims: dims, cal: cal, rows: map[int32][2]int32{}}, nil
}

// ErrDims says that a vector is of another length than the matrix holds.
var ErrDims = errors.New("dense: dimension differs")

// Put sets the windows of a chunk; earlier ones are replaced. A chunk without
// windows is never found.
func (m *Matrix) Put(chunk int32, windows []Vector) error {
	for _, w := range windows {
		if len(w.Values) != m.dims {
			return fmt.Errorf("%w: %d, want %d", ErrDims, len(w.Values), m.dims)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(chunk)
	if len(windows) == 0 {
		return nil
	}
	start := int32(len(m.chunk))
	for _, w := range windows {
		m.values = append(m.values, w.Values...)
		m.scales = append(m.scales, w.Scale)
		m.chunk = append(m.chunk, chunk)
	}
	m.rows[chunk] = [2]int32{start, int32(len(m.chunk))}
	return nil
}

// Delete forgets a chunk. Its rows stay until more than half of all are dead.
func (m *Matrix) Delete(chunk int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(chunk)
	if m.dead > 1024 && 2*m.dead > len(m.chunk) {
		m.compact()
	}
}

func (m *Matrix) remove(chunk int32) {
	span, ok := m.rows[chunk]
	if !ok {
		return
	}
	for r := span[0]; r < span[1]; r++ {
		m.chunk[r] = -1
	}
	m.dead += int(span[1] - span[0])
	delete(m.rows, chunk)
}

func (m *Matrix) compact() {
	to := 0
	for r, c := range m.chunk {
		if c < 0 {
			continue
		}
		copy(m.values[to*m.dims:(to+1)*m.dims], m.values[r*m.dims:(r+1)*m.dims])
		m.scales[to], m.chunk[to] = m.scales[r], c
		to++
	}
	m.values, m.scales, m.chunk = m.values[:to*m.dims], m.scales[:to], m.chunk[:to]
	m.dead = 0
	for r := 0; r < to; {
		end := r
		for end < to && m.chunk[end] == m.chunk[r] {
			end++
		}
		m.rows[m.chunk[r]] = [2]int32{int32(r), int32(end)}
		r = end
	}
}

// Len is the number of chunks.
func (m *Matrix) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.rows)
}

// block is how many rows are scanned between two looks at the context.
const block = 4096

// Search returns the chunks with the best windows, best first, ties by chunk
// number; chunks that admit denies are not scored. At most limit, at least one.
func (m *Matrix) Search(ctx context.Context, query []float32, admit func(chunk int32) bool, limit int) ([]Hit, error) {
	if len(query) != m.dims {
		return nil, fmt.Errorf("%w: question has %d, want %d", ErrDims, len(query), m.dims)
	}
	q := quantize(query)
	if q.Scale == 0 {
		return nil, nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	best := top{limit: max(limit, rescored)}
	dots := make([]int32, block)
	last, admitted, bestDot := int32(-1), false, float32(0)
	flush := func() {
		if last >= 0 && admitted {
			best.add(last, bestDot)
		}
	}
	for from := 0; from < len(m.chunk); from += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+block, len(m.chunk))
		scan(dots[:to-from], q.Values, m.values[from*m.dims:to*m.dims])
		for r := from; r < to; r++ {
			c := m.chunk[r]
			if c != last { // the rows of a chunk stand together
				flush()
				last, admitted, bestDot = c, c >= 0 && admit(c), float32(math.Inf(-1))
			}
			if admitted {
				bestDot = max(bestDot, float32(dots[r-from])*m.scales[r])
			}
		}
	}
	flush()
	hits := make([]Hit, 0, len(best.heap))
	for _, e := range best.heap {
		if s := m.exact(query, e.chunk); s > 0 {
			hits = append(hits, Hit{Chunk: e.chunk, Score: s})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
	return hits[:min(limit, len(hits))], nil
}

// Score is the calibrated score of one chunk, 0 if it is unknown.
func (m *Matrix) Score(query []float32, chunk int32) float64 {
	if len(query) != m.dims {
		return 0
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.exact(query, chunk)
}

// exact is the best window's score with the question as float32.
func (m *Matrix) exact(query []float32, chunk int32) float64 {
	span, ok := m.rows[chunk]
	if !ok {
		return 0
	}
	best := math.Inf(-1)
	for r := int(span[0]); r < int(span[1]); r++ {
		row := m.values[r*m.dims : (r+1)*m.dims]
		var sum float32
		for i, x := range row {
			sum += query[i] * float32(x)
		}
		best = max(best, float64(sum*m.scales[r]))
	}
	return m.cal.Score(best)
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
