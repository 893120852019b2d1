// Package mapped keeps large derived data outside the Go heap: what is millions of small
// values costs the garbage collector nothing there, does not double between its rounds,
// and where it is a file the system can take its pages back.
package mapped

import (
	"fmt"
	"unsafe"
)

// Array is a growing array of values without pointers, in parts that never move. The
// zero Array is empty. It is safe for concurrent reading.
type Array[T any] struct {
	parts [][]T
	size  int
}

// PartLen is how many values a part of an Array has.
const PartLen = 1 << partBits

const partBits = 16

// Len is the number of values.
func (a *Array[T]) Len() int { return a.size }

// At is the value at place i, below Len.
func (a *Array[T]) At(i int) *T { return &a.parts[i>>partBits][i&(PartLen-1)] }

// Run is n values from place i on, all of one part.
func (a *Array[T]) Run(i, n int) []T {
	at := i & (PartLen - 1)
	return a.parts[i>>partBits][at : at+n : at+n]
}

// Append adds a value.
func (a *Array[T]) Append(v T) {
	i := a.Grow(1)
	*a.At(i) = v
}

// Grow adds n zero values, at most PartLen, that lie in one part, and returns the place of
// the first. Places before it may be left out.
func (a *Array[T]) Grow(n int) int {
	if left := len(a.parts)<<partBits - a.size; left < n {
		a.size += left
		a.parts = append(a.parts, allocate[T]())
	}
	at := a.size
	a.size += n
	return at
}

// Free gives the memory back; the array is empty afterwards.
func (a *Array[T]) Free() {
	for _, p := range a.parts {
		release(Bytes(p))
	}
	a.parts, a.size = nil, 0
}

// Clone is a copy of the array.
func (a *Array[T]) Clone() Array[T] {
	out := Array[T]{size: a.size}
	for _, p := range a.parts {
		c := allocate[T]()
		copy(c, p)
		out.parts = append(out.parts, c)
	}
	return out
}

// Store writes the values as a section of an image.
func (a *Array[T]) Store(w *Writer) {
	parts := make([][]byte, len(a.parts))
	for i, p := range a.parts {
		parts[i] = Bytes(p)
	}
	w.Section(parts...)
}

// Load takes the values that Store wrote over from the next section of an image, size of
// them. They stay in the memory of the image, which has to outlive the array.
func (a *Array[T]) Load(r *Reader, size int) error {
	all, err := Values[T](r)
	if err != nil {
		return err
	}
	if len(all)%PartLen != 0 || size < 0 || size > len(all) {
		return fmt.Errorf("%w: %d of %d values", ErrImage, size, len(all))
	}
	a.Free()
	for ; len(all) > 0; all = all[PartLen:] {
		a.parts = append(a.parts, all[:PartLen:PartLen])
	}
	a.size = size
	return nil
}

func allocate[T any]() []T {
	var v T
	data := memory(PartLen * int(unsafe.Sizeof(v)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), PartLen)
}
