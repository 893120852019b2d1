package dense

import (
	"errors"
	"fmt"
	"math"

	"suffice.dev/suffice/retrieval/mapped"
)

// plane is rows of one width: the first of an image, the others behind them in a mapping.
type plane struct {
	width int
	base  []int8
	grown *mapping
}

func newPlane(width int, dir string) (plane, error) {
	grown, err := newMapping(dir)
	return plane{width: width, grown: grown}, err
}

// grow makes room for at least some rows.
func (p *plane) grow(rows int) error { return p.grown.grow(rows*p.width - len(p.base)) }

// run is rows that all lie in base, or all behind it.
func (p *plane) run(from, to int) []int8 {
	from, to = from*p.width, to*p.width
	if to <= len(p.base) {
		return p.base[from:to]
	}
	return p.grown.data[from-len(p.base) : to-len(p.base)]
}

func (p *plane) row(r int) []int8 { return p.run(r, r+1) }

// stop is where a run from a row on ends: at the end of base, or never.
func (p *plane) stop(r int) int {
	if end := len(p.base) / p.width; r < end {
		return end
	}
	return math.MaxInt
}

// copy fills buf with the bytes of rows from a place on.
func (p *plane) copy(buf []byte, at int) {
	if at < len(p.base) {
		n := copy(buf, mapped.Bytes(p.base[at:]))
		buf, at = buf[n:], at+n
	}
	if len(buf) > 0 {
		copy(buf, mapped.Bytes(p.grown.data[at-len(p.base):]))
	}
}

// load has an empty plane begin with the rows of a section.
func (p *plane) load(r *mapped.Reader, rows int) error {
	data, err := mapped.Values[int8](r)
	if err == nil && len(data) != rows*p.width {
		err = fmt.Errorf("%w: %d bytes of %d rows", mapped.ErrImage, len(data), rows)
	}
	p.base = data
	return err
}

// only is a plane of some of the rows, in their order.
func (p *plane) only(rows []int32, dir string) (plane, error) {
	out, err := newPlane(p.width, dir)
	if err != nil {
		return plane{}, err
	}
	if err := out.grow(len(rows)); err != nil {
		return plane{}, errors.Join(err, out.close())
	}
	for i, r := range rows {
		copy(out.row(i), p.row(int(r)))
	}
	return out, nil
}

func (p *plane) close() error {
	p.base = nil
	return p.grown.close()
}
