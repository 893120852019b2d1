//go:build unix

package dense

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapping is growing memory in a mapped file that has no name: its pages are the
// system's to write out and take back, and it is gone when the process is.
type mapping struct {
	data []int8
	file *os.File // nil = in memory
}

func newMapping(dir string) (*mapping, error) {
	if dir == "" {
		return &mapping{}, nil
	}
	f, err := os.CreateTemp(dir, "vectors-")
	if err != nil {
		return nil, fmt.Errorf("make the file of vectors: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close() // nothing is in it
		return nil, fmt.Errorf("make the file of vectors: %w", err)
	}
	return &mapping{file: f}, nil
}

// smallest is the first size of a mapping in bytes.
const smallest = 1 << 20

// grow makes room for at least size bytes. What is there is kept.
func (m *mapping) grow(size int) error {
	if size <= len(m.data) {
		return nil
	}
	size = max(size, 2*len(m.data), smallest)
	if m.file == nil {
		data := make([]int8, size)
		copy(data, m.data)
		m.data = data
		return nil
	}
	if err := m.file.Truncate(int64(size)); err != nil {
		return fmt.Errorf("grow the file of vectors: %w", err)
	}
	data, err := unix.Mmap(int(m.file.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map the file of vectors: %w", err)
	}
	if err := m.unmap(); err != nil {
		return err
	}
	m.data = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(data))), len(data))
	return nil
}

func (m *mapping) unmap() error {
	if m.data == nil {
		return nil
	}
	old := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(m.data))), len(m.data))
	m.data = nil
	if err := unix.Munmap(old); err != nil {
		return fmt.Errorf("unmap the file of vectors: %w", err)
	}
	return nil
}

func (m *mapping) close() error {
	if m.file == nil {
		m.data = nil
		return nil
	}
	err := m.unmap()
	if closing := m.file.Close(); err == nil && closing != nil {
		err = fmt.Errorf("close the file of vectors: %w", closing)
	}
	return err
}
