//go:build !unix

package dense

// mapping is growing memory.
type mapping struct{ data []int8 }

func newMapping(string) (*mapping, error) { return &mapping{}, nil }

func (m *mapping) grow(size int) error {
	if size > len(m.data) {
		data := make([]int8, max(size, 2*len(m.data)))
		copy(data, m.data)
		m.data = data
	}
	return nil
}

func (m *mapping) close() error {
	m.data = nil
	return nil
}
