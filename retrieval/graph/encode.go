package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"suffice.dev/suffice/text"
)

// ErrEncoding says that bytes are no edges of this release.
var ErrEncoding = errors.New("encoded edges")

// The stored form of a chunk's edges: version, number of keys, the keys (length and
// bytes), number of edges; for each edge its flags, the span of its sentence and its
// nodes (number of the key, weight in 255ths with the name flag). Numbers are varints.
const encodingVersion = 1

const flagDenied = 1

// Encode returns the stored form of the edges of one chunk. Weights keep two digits.
func Encode(edges []Edge) []byte {
	keys := map[string]int{}
	var list []string
	for _, e := range edges {
		for _, n := range e.Nodes {
			if _, ok := keys[n.Key]; !ok {
				keys[n.Key] = len(list)
				list = append(list, n.Key)
			}
		}
	}
	out := binary.AppendUvarint([]byte{encodingVersion}, uint64(len(list)))
	for _, k := range list {
		out = binary.AppendUvarint(out, uint64(len(k)))
		out = append(out, k...)
	}
	out = binary.AppendUvarint(out, uint64(len(edges)))
	for _, e := range edges {
		flags := byte(0)
		if e.Denied {
			flags |= flagDenied
		}
		out = append(out, flags)
		out = binary.AppendUvarint(out, uint64(e.Sentence.Start))
		out = binary.AppendUvarint(out, uint64(e.Sentence.Len()))
		out = binary.AppendUvarint(out, uint64(len(e.Nodes)))
		for _, n := range e.Nodes {
			key := uint64(keys[n.Key]) << 1
			if n.Name {
				key |= 1
			}
			out = binary.AppendUvarint(out, key)
			out = append(out, byte(math.Round(255*max(0, min(1, n.Weight)))))
		}
	}
	return out
}

// Decode reads what Encode wrote; damaged bytes give ErrEncoding.
func Decode(data []byte) ([]Edge, error) {
	if len(data) == 0 || data[0] != encodingVersion {
		return nil, fmt.Errorf("%w: unknown version", ErrEncoding)
	}
	r := decoder{data: data[1:]}
	keys := make([]string, r.count(1))
	for i := range keys {
		keys[i] = string(r.take(r.count(1)))
	}
	edges := make([]Edge, r.count(4))
	for i := range edges {
		e := &edges[i]
		if flags := r.take(1); len(flags) == 1 {
			e.Denied = flags[0]&flagDenied != 0
		}
		start := int(r.number())
		e.Sentence = text.Span{Start: start, End: start + int(r.number())}
		e.Nodes = make([]Node, r.count(2))
		for k := range e.Nodes {
			key := r.number()
			weight := r.take(1)
			if len(weight) == 0 || key>>1 >= uint64(len(keys)) {
				return nil, fmt.Errorf("%w: damaged", ErrEncoding)
			}
			e.Nodes[k] = Node{Key: keys[key>>1], Weight: float64(weight[0]) / 255, Name: key&1 != 0}
		}
	}
	if r.failed || len(r.data) > 0 {
		return nil, fmt.Errorf("%w: damaged", ErrEncoding)
	}
	return edges, nil
}

type decoder struct {
	data   []byte
	failed bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 || v > math.MaxInt32 {
		d.failed, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

// count reads the length of a list whose elements take at least size bytes each.
func (d *decoder) count(size int) int {
	n := d.number()
	if n > uint64(len(d.data)/size) {
		d.failed, d.data = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) take(n int) []byte {
	if n > len(d.data) {
		d.failed, d.data = true, nil
		return nil
	}
	out := d.data[:n]
	d.data = d.data[n:]
	return out
}
