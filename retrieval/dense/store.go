package dense

import (
	"fmt"
	"slices"

	"suffice.dev/suffice/retrieval/mapped"
)

// stored is what is not memory as it is of a stored matrix.
type stored struct {
	Dims, Rows, Chunks, Count, Dead int
	Sketch                          bool
	Reach                           float32
	Means                           [languages]int // windows of each language
}

// Frozen is what a matrix held at one moment, to be stored while it goes on changing.
type Frozen struct {
	matrix *Matrix
	head   stored
	levels []float32 // rows are only added behind them: these are the matrix's own
	slacks []uint8
	scales []float32
	chunk  []int32
	kinds  []Language // copies
	rows   []span
	tongue []Language
	means  [languages]mean
}

// Freeze returns what the matrix holds now: a copy of what changes in its place. It has to
// be released before the matrix is closed.
func (m *Matrix) Freeze() *Frozen {
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.frozen.Add(1)
	f := &Frozen{
		matrix: m, levels: m.levels, slacks: m.slacks, scales: m.scales, chunk: m.chunk,
		kinds: slices.Clone(m.kinds), rows: slices.Clone(m.rows), tongue: slices.Clone(m.tongue),
		head: stored{Dims: m.dims, Rows: len(m.chunk), Chunks: len(m.rows), Count: m.count, Dead: m.dead, Sketch: m.sketch != nil, Reach: m.reach},
	}
	for l, of := range m.means {
		f.means[l] = mean{sum: slices.Clone(of.sum), count: of.count}
		f.head.Means[l] = of.count
	}
	return f
}

// Store writes the matrix to an image.
func (f *Frozen) Store(w *mapped.Writer) {
	w.JSON(f.head)
	f.stream(w, &f.matrix.values)
	if f.head.Sketch {
		f.stream(w, f.matrix.sketch)
		w.Section(mapped.Bytes(f.levels))
		w.Section(mapped.Bytes(f.slacks))
	}
	w.Section(mapped.Bytes(f.scales))
	w.Section(mapped.Bytes(f.chunk))
	w.Section(mapped.Bytes(f.kinds))
	w.Section(mapped.Bytes(f.rows))
	w.Section(mapped.Bytes(f.tongue))
	for _, mean := range f.means {
		w.Section(mapped.Bytes(mean.sum))
	}
}

// stream writes the rows of a plane that were there.
func (f *Frozen) stream(w *mapped.Writer, p *plane) {
	w.Stream(int64(f.head.Rows)*int64(p.width), func(piece []byte, at int64) {
		f.matrix.mu.RLock()
		defer f.matrix.mu.RUnlock()
		p.copy(piece, int(at))
	})
}

// Release ends the time in which the matrix is not laid out anew.
func (f *Frozen) Release() {
	f.matrix.frozen.Add(-1)
}

// Load has a matrix that is empty hold what Frozen.Store wrote. The vectors stay in the memory of
// the image, which has to outlive the matrix. After an error the matrix is of no use but to
// be closed.
func (m *Matrix) Load(r *mapped.Reader) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var s stored
	if err := r.JSON(&s); err != nil {
		return fmt.Errorf("dense: %w", err)
	}
	if s.Dims != m.dims {
		return fmt.Errorf("%w: stored vectors have %d, want %d", ErrDims, s.Dims, m.dims)
	}
	if s.Sketch != (m.sketch != nil) {
		return fmt.Errorf("dense: %w: sketches: %v", mapped.ErrImage, s.Sketch)
	}
	load := loader{r: r}
	load.err = m.values.load(r, s.Rows)
	if m.sketch != nil && load.err == nil {
		load.err = m.sketch.load(r, s.Rows)
		m.levels = slices.Clone(take[float32](&load, s.Rows))
		m.slacks = slices.Clone(take[uint8](&load, s.Rows))
		m.reach = s.Reach
	}
	m.scales = slices.Clone(take[float32](&load, s.Rows))
	m.chunk = slices.Clone(take[int32](&load, s.Rows))
	m.kinds = slices.Clone(take[Language](&load, s.Rows))
	m.rows = slices.Clone(take[span](&load, s.Chunks))
	m.tongue = slices.Clone(take[Language](&load, s.Chunks))
	for l, count := range s.Means {
		sum := take[float64](&load, -1)
		if len(sum) > 0 && len(sum) != m.dims {
			load.err = fmt.Errorf("%w: a mean of %d", mapped.ErrImage, len(sum))
		}
		m.means[l] = mean{sum: slices.Clone(sum), count: count}
	}
	if load.err != nil {
		return fmt.Errorf("dense: %w", load.err)
	}
	m.count, m.dead = s.Count, s.Dead
	return nil
}

// loader keeps the first error.
type loader struct {
	r   *mapped.Reader
	err error
}

// take is the next section as count values; -1 = any number.
func take[T any](l *loader, count int) []T {
	if l.err != nil {
		return nil
	}
	out, err := mapped.Values[T](l.r)
	if err == nil && count >= 0 && len(out) != count {
		err = fmt.Errorf("%w: %d values of %d", mapped.ErrImage, len(out), count)
	}
	l.err = err
	return out
}
