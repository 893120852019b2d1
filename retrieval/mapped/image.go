package mapped

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"unsafe"
)

// An image is a file of sections that are memory as it is, so that opening it is mapping
// it: pages come from the file when they are looked at, and what is changed stays in the
// memory of the process.
//
//	magic, with the byte order; sections, each from a multiple of sectionAlign on;
//	a table of them (from where and how long, 64 bits each), how many they are (64 bits),
//	and the CRC-32C of all that comes before it (32 bits)
//
// All numbers but those in the sections are little endian. An image is read by the kind of
// machine and the release that wrote it: what is in the sections is not described.
const (
	imageMagic   = "SFXIMG1"
	sectionAlign = 4096
)

// TempSuffix ends the name of an image that is being written; what a killed process left of
// one is of no use.
const TempSuffix = ".new"

// ErrImage says that a file is no whole image of this machine.
var ErrImage = errors.New("no whole image")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Writer writes an image. The first error is kept and given by WriteImage.
type Writer struct {
	file     *os.File
	at       int64
	sum      uint32
	sections []uint64
	err      error
}

// WriteImage writes an image in place of the file at the path, if there is one: under the
// name with TempSuffix, brought to the disk, and then renamed, so that the path always names
// a whole image. sections writes what is in it; its error, too, leaves the file as it was.
func WriteImage(path string, sections func(w *Writer) error) (err error) {
	temp := path + TempSuffix
	f, err := os.Create(temp)
	if err != nil {
		return fmt.Errorf("write an image: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	w := &Writer{file: f}
	w.write(append([]byte(imageMagic), order()))
	err = sections(w)
	if err == nil {
		w.finish()
		err = w.err
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write an image: %w", err)
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("write an image: %w", err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // best effort: the rename itself is atomic
		_ = dir.Close()
	}
	return nil
}

// order is the byte order of this machine.
func order() byte {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return 'l'
	}
	return 'b'
}

func (w *Writer) write(data []byte) {
	if w.err != nil || len(data) == 0 {
		return
	}
	n, err := w.file.Write(data)
	w.sum = crc32.Update(w.sum, castagnoli, data[:n])
	w.at += int64(n)
	w.err = err
}

// Section writes bytes as the next section.
func (w *Writer) Section(parts ...[]byte) {
	w.write(make([]byte, (sectionAlign-w.at%sectionAlign)%sectionAlign))
	from := w.at
	for _, p := range parts {
		w.write(p)
	}
	w.sections = append(w.sections, uint64(from), uint64(w.at-from))
}

// pieceLen is how many bytes of a Stream are copied at once.
const pieceLen = 1 << 20

// Stream writes size bytes as the next section, a piece at a time: fill puts those from a
// place on into the piece, so that what guards them is held for the copying alone.
func (w *Writer) Stream(size int64, fill func(piece []byte, at int64)) {
	w.Section()
	piece := make([]byte, min(size, pieceLen))
	for at := int64(0); at < size && w.err == nil; {
		p := piece[:min(int64(len(piece)), size-at)]
		fill(p, at)
		w.write(p)
		at += int64(len(p))
	}
	w.sections[len(w.sections)-1] = uint64(size)
}

// JSON writes a value as the next section.
func (w *Writer) JSON(v any) {
	data, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.Section(data)
}

func (w *Writer) finish() {
	var end []byte
	for _, n := range w.sections {
		end = binary.LittleEndian.AppendUint64(end, n)
	}
	w.write(binary.LittleEndian.AppendUint64(end, uint64(len(w.sections)/2)))
	w.write(binary.LittleEndian.AppendUint32(nil, w.sum))
}

// Image is an open image.
type Image struct {
	data     []byte
	sections [][]byte
	unmap    func() error
}

// OpenImage opens an image and looks through it for damage: ErrImage. A file that is not
// there gives fs.ErrNotExist.
func OpenImage(path string) (*Image, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open an image: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read; the mapping stays
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open an image: %w", err)
	}
	const least = len(imageMagic) + 1 + 8 + 4
	if info.Size() < int64(least) || int64(int(info.Size())) != info.Size() {
		return nil, fmt.Errorf("%w: %d bytes", ErrImage, info.Size())
	}
	data, unmap, err := mapImage(f, int(info.Size()))
	if err != nil {
		return nil, err
	}
	m := &Image{data: data, unmap: unmap}
	if err := m.check(); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

func (m *Image) check() error {
	if string(m.data[:len(imageMagic)]) != imageMagic || m.data[len(imageMagic)] != order() {
		return fmt.Errorf("%w: of another form or machine", ErrImage)
	}
	body := m.data[:len(m.data)-4]
	if crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(m.data[len(body):]) {
		return fmt.Errorf("%w: damaged", ErrImage)
	}
	table := body[:len(body)-8]
	count := binary.LittleEndian.Uint64(body[len(table):])
	if count > uint64(len(table)/16) {
		return fmt.Errorf("%w: %d sections", ErrImage, count)
	}
	table = table[len(table)-16*int(count):]
	for ; len(table) > 0; table = table[16:] {
		from, size := binary.LittleEndian.Uint64(table), binary.LittleEndian.Uint64(table[8:])
		if from > uint64(len(body)) || size > uint64(len(body))-from {
			return fmt.Errorf("%w: a section beyond its end", ErrImage)
		}
		m.sections = append(m.sections, body[from:from+size:from+size])
	}
	return nil
}

// Close takes the memory of the image away.
func (m *Image) Close() error {
	m.data, m.sections = nil, nil
	return m.unmap()
}

// Reader returns a reader of the sections in the order in which they were written.
func (m *Image) Reader() *Reader { return &Reader{sections: m.sections} }

// Reader hands out the sections of an image, in its memory: it may be written to.
type Reader struct{ sections [][]byte }

// Section is the next section.
func (r *Reader) Section() ([]byte, error) {
	if len(r.sections) == 0 {
		return nil, fmt.Errorf("%w: a section is missing", ErrImage)
	}
	out := r.sections[0]
	r.sections = r.sections[1:]
	return out, nil
}

// JSON reads the next section as what Writer.JSON was given.
func (r *Reader) JSON(v any) error {
	data, err := r.Section()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w: %w", ErrImage, err)
	}
	return nil
}

// Bytes is the memory of values without pointers.
func Bytes[T any](values []T) []byte {
	var v T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(v)))
}

// Values are the values without pointers whose Bytes the next section has, in the memory
// of the image.
func Values[T any](r *Reader) ([]T, error) {
	data, err := r.Section()
	if err != nil || len(data) == 0 {
		return nil, err
	}
	var v T
	size, first := unsafe.Sizeof(v), unsafe.Pointer(unsafe.SliceData(data))
	if uintptr(len(data))%size != 0 || uintptr(first)%unsafe.Alignof(v) != 0 {
		return nil, fmt.Errorf("%w: %d bytes of values of %d", ErrImage, len(data), size)
	}
	return unsafe.Slice((*T)(first), uintptr(len(data))/size), nil
}
