package reader

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unsafe"
)

// ErrFile says that a file is not a model of this package, is damaged, or does not
// belong to its base.
var ErrFile = errors.New("reader model")

// The kinds of file.
const (
	kindBase   = "base"
	kindE5     = "e5"
	kindReader = "reader"
)

const (
	fileVersion = 1
	alignment   = 64
	blockWidth  = 32 // columns that share a scale in 4 bits
)

// header is the JSON at the start of a file; models/reader/export.py describes it.
type header struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version int    `json:"version"`
	Config  struct {
		Layers    int     `json:"layers"`
		First     int     `json:"first"`
		Count     int     `json:"count"`
		Width     int     `json:"width"`
		Heads     int     `json:"heads"`
		FFN       int     `json:"ffn"`
		Positions int     `json:"positions"`
		Eps       float64 `json:"eps"`
		Vocab     int     `json:"vocab"`
	} `json:"config"`
	Base  string `json:"base"`
	Heads map[string]struct {
		In  string `json:"in"`
		Out int    `json:"out"`
	} `json:"heads"`
	Calibration map[string]map[string]json.RawMessage `json:"calibration"`
	Window      struct {
		Question int `json:"question"`
		Tokens   int `json:"tokens"`
		Overlap  int `json:"overlap"`
	} `json:"window"`
	Tensors []tensor `json:"tensors"`
}

type tensor struct {
	Name   string `json:"name"`
	DType  string `json:"dtype"`
	Shape  []int  `json:"shape"`
	Offset int    `json:"offset"`
	Scales int    `json:"scales"`
}

// file is a parsed file; its parts lie in the text it was read from.
type file struct {
	header
	hash    string // SHA-256 of the whole file
	blob    string
	tensors map[string]tensor
}

// Bounds of what a file may ask for, so that a damaged one fails early.
const (
	mostWidth  = 1024
	mostFFN    = 1536 // levels × 127 × ffn must stay below 2³¹
	mostLayers = 48
)

// parse reads a file of the given kind. name is what errors call it.
func parse(name, kind, data string) (*file, error) {
	fail := func(format string, args ...any) (*file, error) {
		return nil, fmt.Errorf("%w %s: %s", ErrFile, name, fmt.Sprintf(format, args...))
	}
	if len(data) < 12 || data[:4] != "SRDR" {
		return fail("it does not begin with SRDR; files are written by models/reader/export.py")
	}
	version, size := u32(data, 4), int(u32(data, 8))
	if version != fileVersion {
		return fail("form %d, want %d; write it again with models/reader/export.py", version, fileVersion)
	}
	if size > len(data)-12 {
		return fail("a header of %d bytes in a file of %d: it is cut off", size, len(data))
	}
	f := &file{}
	if err := json.Unmarshal([]byte(data[12:12+size]), &f.header); err != nil {
		return fail("header: %v", err)
	}
	if f.Kind != kind {
		return fail("it is of kind %q, want %q", f.Kind, kind)
	}
	c := f.Config
	switch {
	case c.Width <= 0 || c.Width > mostWidth || c.Heads <= 0 || c.Width%(lanes*c.Heads) != 0:
		return fail("width %d with %d heads: every head must be a multiple of %d wide, the sum at most %d", c.Width, c.Heads, lanes, mostWidth)
	case c.Width%blockWidth != 0 || c.FFN <= 0 || c.FFN > mostFFN || c.FFN%blockWidth != 0:
		return fail("width %d, ffn %d: want multiples of %d, ffn at most %d", c.Width, c.FFN, blockWidth, mostFFN)
	case c.First < 0 || c.Count < 0 || c.First+c.Count > c.Layers || c.Layers > mostLayers:
		return fail("layers %d to %d of %d", c.First, c.First+c.Count, c.Layers)
	case c.Positions <= 0 || c.Vocab <= 0:
		return fail("%d positions, %d pieces", c.Positions, c.Vocab)
	}
	f.blob = data[min(len(data), (12+size+alignment-1)/alignment*alignment):]
	f.tensors = make(map[string]tensor, len(f.Tensors))
	for _, t := range f.Tensors {
		if err := f.check(t); err != nil {
			return fail("tensor %s: %v", t.Name, err)
		}
		f.tensors[t.Name] = t
	}
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(data), len(data)))
	f.hash = hex.EncodeToString(sum[:])
	return f, nil
}

// check reports whether the tensor lies in the blob.
func (f *file) check(t tensor) error {
	count := 1
	for _, n := range t.Shape {
		if n <= 0 || n > 1<<28/count {
			return fmt.Errorf("shape %v", t.Shape)
		}
		count *= n
	}
	var bytes, scales int
	switch {
	case t.DType == "f32":
		bytes = 4 * count
	case t.DType == "i8" && len(t.Shape) == 2:
		bytes, scales = count, 4*t.Shape[0]
	case t.DType == "i4" && len(t.Shape) == 2 && t.Shape[1]%blockWidth == 0:
		bytes, scales = count/2, count/blockWidth*2
	default:
		return fmt.Errorf("type %q of shape %v is unknown", t.DType, t.Shape)
	}
	if t.Offset < 0 || t.Offset > len(f.blob)-bytes || t.Scales < 0 || t.Scales > len(f.blob)-scales {
		return fmt.Errorf("it ends beyond the file: the file is cut off")
	}
	return nil
}

// find returns a tensor of the shape.
func (f *file) find(name string, shape ...int) (tensor, error) {
	t, ok := f.tensors[name]
	if !ok {
		return t, fmt.Errorf("%w %s: no tensor %s", ErrFile, f.Name, name)
	}
	if len(t.Shape) == len(shape) {
		same := true
		for i := range shape {
			same = same && t.Shape[i] == shape[i]
		}
		if same {
			return t, nil
		}
	}
	return t, fmt.Errorf("%w %s: tensor %s is %v, want %v", ErrFile, f.Name, name, t.Shape, shape)
}

// floats returns a float32 tensor. A value that is no number is an error.
func (f *file) floats(name string, shape ...int) ([]float32, error) {
	t, err := f.find(name, shape...)
	if err != nil {
		return nil, err
	}
	if t.DType != "f32" {
		return nil, fmt.Errorf("%w %s: tensor %s is %s, want f32", ErrFile, f.Name, name, t.DType)
	}
	count := 1
	for _, n := range shape {
		count *= n
	}
	out := make([]float32, count)
	for i := range out {
		out[i] = f32(f.blob, t.Offset+4*i)
		if x := float64(out[i]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%w %s: tensor %s[%d] is %v", ErrFile, f.Name, name, i, out[i])
		}
	}
	return out, nil
}

// rows reads an int8 tensor row by row, with the row's scale.
func (f *file) rows(t tensor, row func(i int, values []int16, scale float32)) {
	in := t.Shape[1]
	values := make([]int16, in)
	for i := range t.Shape[0] {
		from := f.blob[t.Offset+i*in:][:in]
		for j := range values {
			values[j] = max(int16(int8(from[j])), -weightLevels)
		}
		row(i, values, finite(f32(f.blob, t.Scales+4*i)))
	}
}

// table is a matrix in 4 bits.
type table struct {
	values, scales string
	width          int
}

func (f *file) table(t tensor) table {
	count := t.Shape[0] * t.Shape[1]
	return table{values: f.blob[t.Offset:][:count/2], scales: f.blob[t.Scales:][:count/blockWidth*2], width: t.Shape[1]}
}

// row writes row i as float32.
func (t table) row(dst []float32, i int) {
	blocks := t.width / blockWidth
	values, scales := t.values[i*t.width/2:][:t.width/2], t.scales[2*i*blocks:][:2*blocks]
	for b := range blocks {
		scale := finite(half(uint16(scales[2*b]) | uint16(scales[2*b+1])<<8))
		from, to := values[b*blockWidth/2:][:blockWidth/2], dst[b*blockWidth:][:blockWidth]
		for j := range blockWidth / 2 {
			to[j] = scale * float32(int(from[j]&15)-fourBits)
			to[j+blockWidth/2] = scale * float32(int(from[j]>>4)-fourBits)
		}
	}
}

// blocks calls see with the values and the scales of the blocks of each row.
func (t table) blocks(see func(i int, values []int16, scales []float32)) {
	values, scales := make([]int16, t.width), make([]float32, t.width/blockWidth)
	for i := range 2 * len(t.values) / t.width {
		for b := range scales {
			at := i*len(scales) + b
			scales[b] = finite(half(uint16(t.scales[2*at]) | uint16(t.scales[2*at+1])<<8))
			from := t.values[at*blockWidth/2:][:blockWidth/2]
			for j := range blockWidth / 2 {
				values[b*blockWidth+j] = int16(from[j]&15) - fourBits
				values[b*blockWidth+blockWidth/2+j] = int16(from[j]>>4) - fourBits
			}
		}
		see(i, values, scales)
	}
}

// half is the value of a 16-bit float.
func half(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exponent {
	case 0: // zero and the smallest numbers
		return math.Float32frombits(sign|0x3F800000) * float32(fraction) / (1 << 24)
	case 31:
		return math.Float32frombits(sign | 0x7F800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// finite is x, or 0 for what is no number: a damaged scale must not spread.
func finite(x float32) float32 {
	if x-x != 0 {
		return 0
	}
	return x
}

func u32(s string, at int) uint32 {
	return binary.LittleEndian.Uint32([]byte(s[at : at+4]))
}

func f32(s string, at int) float32 { return math.Float32frombits(u32(s, at)) }
