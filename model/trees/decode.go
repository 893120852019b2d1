package trees

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of decoding. A file is read from a path that an operator chose, but a
// damaged or hostile one must end in an error, not in exhausted memory.
const (
	maxFile  = 128 << 20 // bytes
	maxDepth = 32        // nested containers
	maxItems = 1 << 20   // texts and containers
)

var errTruncated = errors.New("the file ends too early")

// decode reads UBJ or JSON into map[string]any, []any, []float64 (arrays of
// numbers), float64, string, bool and nil.
//
// Both parsers are our own: XGBoost 3.3 and later write -Infinity, which
// encoding/json refuses, and UBJ needs its counts checked against the bytes left.
func decode(data []byte) (any, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%d bytes, at most %d are read", len(data), maxFile)
	}
	if len(data) < 2 || data[0] != '{' {
		return nil, errors.New("neither a UBJ nor a JSON model of XGBoost (the old binary format is not read: save as .ubj)")
	}
	// In JSON a key or the end follows the brace, in UBJ the length of a key.
	d := &decoder{data: data}
	var value any
	var err error
	if c := data[1]; c == '"' || c == '}' || isSpace(c) {
		value, err = d.json()
		if d.space(); err == nil && d.at != len(data) {
			err = errors.New("text after the end")
		}
	} else {
		value, err = d.ubj()
		if err == nil && d.at != len(data) {
			err = errors.New("bytes after the end")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("byte %d: %w", d.at, err)
	}
	return value, nil
}

type decoder struct {
	data  []byte
	at    int
	depth int
	items int
}

func (d *decoder) left() int { return len(d.data) - d.at }

// enter counts a container, leave closes it.
func (d *decoder) enter() error {
	if d.depth++; d.depth > maxDepth {
		return fmt.Errorf("nested more than %d deep", maxDepth)
	}
	return d.item()
}

func (d *decoder) leave() { d.depth-- }

func (d *decoder) item() error {
	if d.items++; d.items > maxItems {
		return fmt.Errorf("more than %d texts and containers", maxItems)
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func (d *decoder) space() {
	for d.at < len(d.data) && isSpace(d.data[d.at]) {
		d.at++
	}
}

// word skips a literal.
func (d *decoder) word(w string) bool {
	if d.left() >= len(w) && string(d.data[d.at:d.at+len(w)]) == w {
		d.at += len(w)
		return true
	}
	return false
}

func (d *decoder) json() (any, error) {
	d.space()
	if d.left() == 0 {
		return nil, errTruncated
	}
	switch c := d.data[d.at]; {
	case c == '{':
		return d.jsonObject()
	case c == '[':
		return d.jsonArray()
	case c == '"':
		return d.jsonText()
	case d.word("true"):
		return true, nil
	case d.word("false"):
		return false, nil
	case d.word("null"):
		return nil, nil
	case d.word("NaN"):
		return math.NaN(), nil
	case d.word("Infinity"):
		return math.Inf(1), nil
	case d.word("-Infinity"):
		return math.Inf(-1), nil
	}
	return d.jsonNumber()
}

// jsonNumber rounds numbers with a point or an exponent to float32 at once, as
// XGBoost means them; twice rounded (by way of float64) some would differ.
func (d *decoder) jsonNumber() (float64, error) {
	start, bits := d.at, 64
	for d.at < len(d.data) {
		c := d.data[d.at]
		if c == '.' || c == 'e' || c == 'E' {
			bits = 32
		} else if c != '-' && c != '+' && (c < '0' || c > '9') {
			break
		}
		d.at++
	}
	v, err := strconv.ParseFloat(string(d.data[start:d.at]), bits)
	if err != nil {
		d.at = start
		return 0, errors.New("want a value")
	}
	return v, nil
}

// next skips a comma; done means that the closing character was met instead.
func (d *decoder) next(first bool, closing byte) (done bool, err error) {
	d.space()
	if d.left() == 0 {
		return false, errTruncated
	}
	switch c := d.data[d.at]; {
	case c == closing:
		d.at++
		return true, nil
	case first:
		return false, nil
	case c == ',':
		d.at++
		d.space()
		return false, nil
	}
	return false, fmt.Errorf("want a comma or %q", closing)
}

func (d *decoder) jsonObject() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.at++
	out := map[string]any{}
	for {
		done, err := d.next(len(out) == 0, '}')
		if done || err != nil {
			return out, err
		}
		if d.left() == 0 || d.data[d.at] != '"' {
			return nil, errors.New("want a key")
		}
		key, err := d.jsonText()
		if err != nil {
			return nil, err
		}
		d.space()
		if !d.word(":") {
			return nil, errors.New("want a colon")
		}
		value, err := d.json()
		if err != nil {
			return nil, err
		}
		if err := put(out, key, value); err != nil {
			return nil, err
		}
	}
}

// put refuses a key that comes twice, since readers disagree which one counts.
func put(out map[string]any, key string, value any) error {
	if _, ok := out[key]; ok {
		return fmt.Errorf("the key %q comes twice", key)
	}
	out[key] = value
	return nil
}

func (d *decoder) jsonArray() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.at++
	var list collector
	for {
		done, err := d.next(list.empty(), ']')
		if err != nil {
			return nil, err
		}
		if done {
			return list.value(), nil
		}
		item, err := d.json()
		if err != nil {
			return nil, err
		}
		list.add(item)
	}
}

// collector keeps an array of numbers as numbers, 8 bytes each, and falls back to
// any at the first other element.
type collector struct {
	numbers []float64
	mixed   []any
}

func (c *collector) empty() bool { return len(c.numbers) == 0 && len(c.mixed) == 0 }

func (c *collector) add(item any) {
	number, ok := item.(float64)
	if ok && c.mixed == nil {
		c.numbers = append(c.numbers, number)
		return
	}
	if c.mixed == nil {
		c.mixed = make([]any, 0, len(c.numbers)+1)
		for _, n := range c.numbers {
			c.mixed = append(c.mixed, n)
		}
		c.numbers = nil
	}
	c.mixed = append(c.mixed, item)
}

func (c *collector) value() any {
	if c.mixed != nil {
		return c.mixed
	}
	if c.numbers == nil {
		return []float64{}
	}
	return c.numbers
}

func (d *decoder) jsonText() (string, error) {
	if err := d.item(); err != nil {
		return "", err
	}
	d.at++
	var out []byte
	for {
		if d.left() == 0 {
			return "", errTruncated
		}
		c := d.data[d.at]
		d.at++
		switch {
		case c == '"':
			if !utf8.Valid(out) {
				return "", errors.New("text is not UTF-8")
			}
			return string(out), nil
		case c != '\\':
			out = append(out, c)
			continue
		}
		if d.left() == 0 {
			return "", errTruncated
		}
		c = d.data[d.at]
		d.at++
		switch c {
		case '"', '\\', '/':
			out = append(out, c)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, err := d.hex()
			if err != nil {
				return "", err
			}
			if utf16.IsSurrogate(r) && d.word(`\u`) {
				low, err := d.hex()
				if err != nil {
					return "", err
				}
				r = utf16.DecodeRune(r, low)
			}
			out = utf8.AppendRune(out, r)
		default:
			return "", fmt.Errorf("unknown escape \\%c", c)
		}
	}
}

func (d *decoder) hex() (rune, error) {
	if d.left() < 4 {
		return 0, errTruncated
	}
	v, err := strconv.ParseUint(string(d.data[d.at:d.at+4]), 16, 32)
	if err != nil {
		return 0, errors.New("want four hexadecimal digits")
	}
	d.at += 4
	return rune(v), nil
}

// take returns the next n bytes.
func (d *decoder) take(n int) ([]byte, error) {
	if n < 0 || n > d.left() {
		return nil, errTruncated
	}
	b := d.data[d.at : d.at+n]
	d.at += n
	return b, nil
}

// width of the numbers of UBJ in bytes.
var width = map[byte]int{'i': 1, 'U': 1, 'I': 2, 'l': 4, 'L': 8, 'd': 4, 'D': 8}

// number reads a big-endian number of the type.
func number(kind byte, b []byte) float64 {
	switch kind {
	case 'i':
		return float64(int8(b[0]))
	case 'U':
		return float64(b[0])
	case 'I':
		return float64(int16(binary.BigEndian.Uint16(b)))
	case 'l':
		return float64(int32(binary.BigEndian.Uint32(b)))
	case 'L':
		return float64(int64(binary.BigEndian.Uint64(b)))
	case 'd':
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b))
}

func (d *decoder) marker() (byte, error) {
	b, err := d.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// count reads a length: a number that cannot exceed the bytes left, since every
// element takes at least one.
func (d *decoder) count() (int, error) {
	kind, err := d.marker()
	if err != nil {
		return 0, err
	}
	if kind == 'd' || kind == 'D' || width[kind] == 0 {
		return 0, fmt.Errorf("%q is not the type of a length", kind)
	}
	b, err := d.take(width[kind])
	if err != nil {
		return 0, err
	}
	n := number(kind, b)
	if n < 0 || n > float64(d.left()) {
		return 0, errTruncated
	}
	return int(n), nil
}

func (d *decoder) ubjText() (string, error) {
	if err := d.item(); err != nil {
		return "", err
	}
	n, err := d.count()
	if err != nil {
		return "", err
	}
	b, err := d.take(n)
	if err != nil {
		return "", err
	}
	if !utf8.Valid(b) {
		return "", errors.New("text is not UTF-8")
	}
	return string(b), nil
}

func (d *decoder) ubj() (any, error) {
	kind, err := d.marker()
	if err != nil {
		return nil, err
	}
	switch kind {
	case '{':
		return d.ubjObject()
	case '[':
		return d.ubjArray()
	case 'S':
		return d.ubjText()
	case 'T':
		return true, nil
	case 'F':
		return false, nil
	case 'Z':
		return nil, nil
	}
	if width[kind] == 0 {
		return nil, fmt.Errorf("unknown type %q", kind)
	}
	b, err := d.take(width[kind])
	if err != nil {
		return nil, err
	}
	return number(kind, b), nil
}

func (d *decoder) ubjObject() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	out := map[string]any{}
	for {
		if d.word("}") {
			return out, nil
		}
		key, err := d.ubjText()
		if err != nil {
			return nil, err
		}
		value, err := d.ubj()
		if err != nil {
			return nil, err
		}
		if err := put(out, key, value); err != nil {
			return nil, err
		}
	}
}

// ubjArray reads the three forms: typed with a count, with a count, and with an
// end. Typed arrays hold numbers only: a type without bytes of its own would let
// a few bytes ask for any amount of memory.
func (d *decoder) ubjArray() (any, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if d.word("$") {
		kind, err := d.marker()
		if err != nil {
			return nil, err
		}
		if width[kind] == 0 {
			return nil, fmt.Errorf("an array of type %q", kind)
		}
		if !d.word("#") {
			return nil, errors.New("a typed array without a count")
		}
		n, err := d.count()
		if err != nil {
			return nil, err
		}
		b, err := d.take(n * width[kind])
		if err != nil {
			return nil, err
		}
		out := make([]float64, n)
		for i := range out {
			out[i] = number(kind, b[i*width[kind]:])
		}
		return out, nil
	}
	n := -1
	if d.word("#") {
		var err error
		if n, err = d.count(); err != nil {
			return nil, err
		}
	}
	var list collector
	for i := 0; i != n; i++ {
		if n < 0 && d.word("]") {
			break
		}
		item, err := d.ubj()
		if err != nil {
			return nil, err
		}
		list.add(item)
	}
	return list.value(), nil
}
