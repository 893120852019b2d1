package index

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/dense"
)

// vectorFile keeps the vectors of an endpoint by the hash of their text: what was
// embedded once is never sent again.
//
//	head:   magic, length of the model's name (u16), name, dims (u16)
//	record: first 16 bytes of the text's SHA-256, scale (float32), values (int8), CRC-32C
//
// All numbers are little endian. A torn record at the end is cut off.
type vectorFile struct {
	f    *os.File
	dims int
	size int64
	at   map[textHash]int64
}

type textHash [16]byte

const vectorMagic = "SFXVEC1\n"

func hashOf(s string) textHash {
	sum := sha256.Sum256([]byte(s))
	return textHash(sum[:16])
}

func openVectors(path, name string, dims int) (*vectorFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open vectors: %w", err)
	}
	v := &vectorFile{f: f, dims: dims, at: map[textHash]int64{}}
	if err := v.load(name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return v, nil
}

func (v *vectorFile) record() int { return len(textHash{}) + 4 + v.dims + 4 }

func (v *vectorFile) load(name string) error {
	want := binary.LittleEndian.AppendUint16([]byte(vectorMagic), uint16(len(name)))
	want = binary.LittleEndian.AppendUint16(append(want, name...), uint16(v.dims))
	v.size = int64(len(want))
	in := bufio.NewReaderSize(v.f, 1<<20)
	got := make([]byte, len(want))
	switch n, err := io.ReadFull(in, got); {
	case n == 0 && errors.Is(err, io.EOF):
		if _, err := v.f.Write(want); err != nil {
			return fmt.Errorf("write vectors: %w", err)
		}
		return nil
	case err != nil || string(got) != string(want):
		return fmt.Errorf("vectors of the endpoint: %w: of another model", retrieval.ErrCorrupt)
	}
	buf := make([]byte, v.record())
	for {
		if _, err := io.ReadFull(in, buf); err != nil {
			break // the end, or a torn record
		}
		body := buf[:len(buf)-4]
		if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(buf[len(body):]) {
			break
		}
		v.at[textHash(body[:len(textHash{})])] = v.size
		v.size += int64(len(buf))
	}
	if err := v.f.Truncate(v.size); err != nil {
		return fmt.Errorf("cut vectors: %w", err)
	}
	return nil
}

func (v *vectorFile) get(text string) (dense.Vector, bool) {
	at, ok := v.at[hashOf(text)]
	if !ok {
		return dense.Vector{}, false
	}
	buf := make([]byte, v.record())
	if _, err := v.f.ReadAt(buf, at); err != nil {
		return dense.Vector{}, false
	}
	body := buf[len(textHash{}):]
	out := dense.Vector{Scale: math.Float32frombits(binary.LittleEndian.Uint32(body)), Values: make([]int8, v.dims)}
	for i := range out.Values {
		out.Values[i] = int8(body[4+i])
	}
	return out, true
}

func (v *vectorFile) add(texts []string, vectors [][]float32) error {
	if len(texts) != len(vectors) {
		return fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	var buf []byte
	at := make([]int64, len(texts))
	for i, t := range texts {
		if len(vectors[i]) != v.dims {
			return fmt.Errorf("%w: %d, want %d", dense.ErrDims, len(vectors[i]), v.dims)
		}
		start := len(buf)
		at[i] = v.size + int64(start)
		h := hashOf(t)
		q := embed.Quantize(vectors[i])
		buf = binary.LittleEndian.AppendUint32(append(buf, h[:]...), math.Float32bits(q.Scale))
		for _, x := range q.Values {
			buf = append(buf, byte(x))
		}
		buf = binary.LittleEndian.AppendUint32(buf, crc32.Checksum(buf[start:], castagnoli))
	}
	if _, err := v.f.WriteAt(buf, v.size); err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	v.size += int64(len(buf))
	for i, t := range texts {
		v.at[hashOf(t)] = at[i]
	}
	return nil
}

func (v *vectorFile) close() error { return v.f.Close() }
