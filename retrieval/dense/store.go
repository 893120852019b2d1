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

// Store writes the matrix to an image. Nothing may be put or deleted meanwhile.
func (m *Matrix) Store(w *mapped.Writer) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := stored{Dims: m.dims, Rows: len(m.chunk), Chunks: len(m.rows), Count: m.count, Dead: m.dead, Sketch: m.sketch != nil, Reach: m.reach}
	for l, mean := range m.means {
		s.Means[l] = mean.count
	}
	w.JSON(s)
	m.values.store(w, len(m.chunk))
	if m.sketch != nil {
		m.sketch.store(w, len(m.chunk))
		w.Section(mapped.Bytes(m.levels))
		w.Section(mapped.Bytes(m.slacks))
	}
	w.Section(mapped.Bytes(m.scales))
	w.Section(mapped.Bytes(m.chunk))
	w.Section(mapped.Bytes(m.kinds))
	w.Section(mapped.Bytes(m.rows))
	w.Section(mapped.Bytes(m.tongue))
	for _, mean := range m.means {
		w.Section(mapped.Bytes(mean.sum))
	}
}

// Load has a matrix that is empty hold what Store wrote. The vectors stay in the memory of
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
