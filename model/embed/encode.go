package embed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrEncoding says that stored vectors are not readable, or of another model.
var ErrEncoding = errors.New("stored vectors")

// Vector is a vector of length 1 as int8: component i is Scale × Values[i].
type Vector struct {
	Scale  float32
	Values []int8
}

// Quantize returns the int8 form of a vector. The zero vector has scale 0.
func Quantize(v []float32) Vector {
	var peak float32
	for _, x := range v {
		peak = max(peak, max(x, -x))
	}
	q := Vector{Scale: peak / 127, Values: make([]int8, len(v))}
	if peak == 0 {
		return q
	}
	for i, x := range v {
		q.Values[i] = int8(math.RoundToEven(float64(x / q.Scale)))
	}
	return q
}

// Float returns the float form of a vector.
func (q Vector) Float() []float32 {
	v := make([]float32, len(q.Values))
	for i, x := range q.Values {
		v[i] = float32(x) * q.Scale
	}
	return v
}

// The stored form of a chunk's windows: version, hash of the model (8 bytes),
// dims and count (u16 each), then for each window its scale (float32) and its
// values (int8). Little endian.
const (
	encodingVersion = 1
	encodingHead    = 1 + 8 + 2 + 2
)

// Encode returns the windows of a chunk's text in the form in which they are
// stored (Chunk.Vectors).
func (m *Model) Encode(chunkText string) []byte { return m.EncodeWindows(m.Windows(chunkText)) }

// EncodeWindows returns the stored form of vectors of this model; at most 65,535.
func (m *Model) EncodeWindows(windows [][]float32) []byte {
	windows = windows[:min(len(windows), math.MaxUint16)]
	out := make([]byte, 0, encodingHead+len(windows)*(4+m.dims))
	out = append(out, encodingVersion)
	out = append(out, m.hashBytes()...)
	out = binary.LittleEndian.AppendUint16(out, uint16(m.dims))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(windows)))
	for _, w := range windows {
		q := Quantize(w)
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(q.Scale))
		for _, x := range q.Values {
			out = append(out, byte(x))
		}
	}
	return out
}

// Decode reads what Encode wrote. The error is ErrEncoding when the bytes are
// damaged or come from another model.
func (m *Model) Decode(data []byte) ([]Vector, error) {
	if len(data) < encodingHead || data[0] != encodingVersion {
		return nil, fmt.Errorf("%w: unknown form", ErrEncoding)
	}
	if string(data[1:9]) != string(m.hashBytes()) {
		return nil, fmt.Errorf("%w: of another model", ErrEncoding)
	}
	dims := int(binary.LittleEndian.Uint16(data[9:]))
	count := int(binary.LittleEndian.Uint16(data[11:]))
	if dims != m.dims || len(data) != encodingHead+count*(4+dims) {
		return nil, fmt.Errorf("%w: %d windows × %d dims do not fit %d bytes", ErrEncoding, count, dims, len(data))
	}
	out := make([]Vector, count)
	at := encodingHead
	for i := range out {
		out[i].Scale = math.Float32frombits(binary.LittleEndian.Uint32(data[at:]))
		out[i].Values = make([]int8, dims)
		for j := range out[i].Values {
			out[i].Values[j] = int8(data[at+4+j])
		}
		at += 4 + dims
	}
	return out, nil
}

func (m *Model) hashBytes() []byte { return []byte(m.hash[:8]) }
