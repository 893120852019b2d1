//go:build !unix

package mapped

import (
	"fmt"
	"io"
	"os"
)

func memory(n int) []byte { return make([]byte, n) }

func release([]byte) {}

// File is bytes that are appended and read, on the heap: this system maps none.
// Bytes may be called by many at once, but not beside Append and Close.
type File struct{ heap []byte }

// Len is the number of bytes.
func (f *File) Len() int64 { return int64(len(f.heap)) }

// Copy copies bytes from a place on into p, which they fill.
func (f *File) Copy(p []byte, at int64) { copy(p, f.heap[at:]) }

// Load has an empty File begin with the bytes of a section.
func (f *File) Load(r *Reader) error {
	data, err := r.Section()
	f.heap = append([]byte(nil), data...)
	return err
}

func mapImage(f *os.File, size int) ([]byte, func() error, error) {
	data := make([]byte, size)
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, nil, fmt.Errorf("read an image: %w", err)
	}
	return data, func() error { return nil }, nil
}

// NewFile returns an empty File.
func NewFile(string) (*File, error) { return &File{}, nil }

// Append adds bytes and returns the place of the first.
func (f *File) Append(p []byte) (int64, error) {
	at := int64(len(f.heap))
	f.heap = append(f.heap, p...)
	return at, nil
}

// Bytes is what Append was given: n bytes from a place on. They are not to be changed.
func (f *File) Bytes(at int64, n int) []byte { return f.heap[at : at+int64(n)] }

// Close gives everything back.
func (f *File) Close() error {
	f.heap = nil
	return nil
}
