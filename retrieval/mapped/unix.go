//go:build unix

package mapped

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// memory is n zero bytes outside the heap, or on it where the system gives none.
func memory(n int) []byte {
	data, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return make([]byte, n)
	}
	return data
}

// release gives back what memory gave. Memory of the heap and parts of an image are none of
// Munmap's: it refuses them, and they are left to the collector and to Image.Close.
func release(data []byte) { _ = unix.Munmap(data) }

// File is bytes that are appended and read as mapped memory. Where the folder is given they
// lie in a file without a name, which is gone when the process is; else on the heap.
// Bytes may be called by many at once, but not beside Append and Close.
type File struct {
	base []byte   // of an image: what it begins with
	file *os.File // nil = heap
	size int64    // behind base
	view []byte   // of the file, beyond its end
	heap []byte
}

// smallestView is the first size of a view.
const smallestView = 16 << 20

// NewFile returns an empty File in the folder; "" = on the heap.
func NewFile(dir string) (*File, error) {
	if dir == "" {
		return &File{}, nil
	}
	f, err := os.CreateTemp(dir, "mapped-")
	if err != nil {
		return nil, fmt.Errorf("make a mapped file: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(fmt.Errorf("make a mapped file: %w", err), f.Close())
	}
	return &File{file: f}, nil
}

// Append adds bytes and returns the place of the first.
func (f *File) Append(p []byte) (int64, error) {
	at := int64(len(f.base)) + f.size
	if f.file == nil {
		f.heap = append(f.heap, p...)
		f.size = int64(len(f.heap))
		return at, nil
	}
	if _, err := f.file.WriteAt(p, f.size); err != nil {
		return 0, fmt.Errorf("write a mapped file: %w", err)
	}
	f.size += int64(len(p))
	if f.size <= int64(len(f.view)) {
		return at, nil
	}
	view, err := unix.Mmap(int(f.file.Fd()), 0, int(max(2*f.size, smallestView)), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return 0, fmt.Errorf("map a file: %w", err)
	}
	if err := f.unmap(); err != nil {
		return 0, err
	}
	f.view = view
	return at, nil
}

// Bytes is what Append was given: n bytes from a place on. They are not to be changed.
func (f *File) Bytes(at int64, n int) []byte {
	if at < int64(len(f.base)) {
		return f.base[at : at+int64(n)]
	}
	at -= int64(len(f.base))
	if f.file == nil {
		return f.heap[at : at+int64(n)]
	}
	return f.view[at : at+int64(n)]
}

// Len is the number of bytes.
func (f *File) Len() int64 { return int64(len(f.base)) + f.size }

// Copy copies bytes from a place on into p, which they fill.
func (f *File) Copy(p []byte, at int64) {
	if at < int64(len(f.base)) {
		n := copy(p, f.base[at:])
		p, at = p[n:], at+int64(n)
	}
	if len(p) > 0 {
		copy(p, f.Bytes(at, len(p)))
	}
}

// Load has an empty File begin with the bytes of a section. They stay in the memory of
// the image, which has to outlive the file.
func (f *File) Load(r *Reader) error {
	var err error
	f.base, err = r.Section()
	return err
}

func (f *File) unmap() error {
	if f.view == nil {
		return nil
	}
	old := f.view
	f.view = nil
	if err := unix.Munmap(old); err != nil {
		return fmt.Errorf("unmap a file: %w", err)
	}
	return nil
}

// Close gives everything back.
func (f *File) Close() error {
	f.base, f.heap, f.size = nil, nil, 0
	if f.file == nil {
		return nil
	}
	err := f.unmap()
	return errors.Join(err, f.file.Close())
}

// mapImage maps a file so that what is written to the memory stays there.
func mapImage(f *os.File, size int) ([]byte, func() error, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, fmt.Errorf("map an image: %w", err)
	}
	return data, func() error {
		if err := unix.Munmap(data); err != nil {
			return fmt.Errorf("unmap an image: %w", err)
		}
		return nil
	}, nil
}
