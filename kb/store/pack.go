package store

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// packedMark is the first byte of a page that is stored compressed: pages hold one
// string many times over and shrink to a third.
const packedMark = 0xFE

// least is the size in bytes below which compressing gains nothing.
const least = 128

var packers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil { // only for a level that does not exist
		panic(err)
	}
	return w
}}

// pack returns the stored form of a page; nil stays nil.
func pack(page []byte) []byte {
	if len(page) == 0 || len(page) < least && page[0] != packedMark {
		return page
	}
	var out bytes.Buffer
	out.Grow(len(page) / 2)
	out.WriteByte(packedMark)
	w := packers.Get().(*flate.Writer)
	defer packers.Put(w)
	w.Reset(&out)
	// A bytes.Buffer takes every write.
	_, _ = w.Write(page)
	_ = w.Close()
	if out.Len() >= len(page) && page[0] != packedMark {
		return page
	}
	return out.Bytes()
}

// maxPage bounds what a damaged page can unpack to, in bytes.
const maxPage = 1 << 28

// unpack is the inverse of pack.
func unpack(stored []byte) ([]byte, error) {
	if len(stored) == 0 || stored[0] != packedMark {
		return stored, nil
	}
	out := bytes.NewBuffer(make([]byte, 0, 4*len(stored)))
	n, err := io.Copy(out, io.LimitReader(flate.NewReader(bytes.NewReader(stored[1:])), maxPage))
	if err == nil && n == maxPage {
		err = fmt.Errorf("more than %d bytes", maxPage-1)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack page: %w", err)
	}
	return out.Bytes(), nil
}
