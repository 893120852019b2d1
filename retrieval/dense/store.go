package dense

import (
	"fmt"
	"slices"

	"suffice.dev/suffice/retrieval/mapped"
)

// stored is what is not memory as it is of a stored matrix.
type stored struct {
	Dims, Rows, Chunks, Count, Dead int
	Means                           [languages]int // windows of each language
}

// Store writes the matrix to an image. Nothing may be put or deleted meanwhile.
func (m *Matrix) Store(w *mapped.Writer) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	s := stored{Dims: m.dims, Rows: len(m.chunk), Chunks: len(m.rows), Count: m.count, Dead: m.dead}
	for l, mean := range m.means {
		s.Means[l] = mean.count
	}
	w.JSON(s)
	rest := len(m.chunk)*m.dims - len(m.base)
	w.Section(mapped.Bytes(m.base[:min(len(m.base), len(m.chunk)*m.dims)]), mapped.Bytes(m.values.data[:max(0, rest)]))
	w.Section(mapped.Bytes(m.scales))
	w.Section(mapped.Bytes(m.chunk))
	w.Section(mapped.Bytes(m.gone[:(len(m.chunk)+63)/64]))
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
	load := loader{r: r}
	m.base = take[int8](&load, s.Rows*m.dims)
	m.scales = slices.Clone(take[float32](&load, s.Rows))
	m.chunk = slices.Clone(take[int32](&load, s.Rows))
	m.gone = slices.Clone(take[uint64](&load, (s.Rows+63)/64))
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
