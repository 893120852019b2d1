package index

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
)

// The log holds one record for each change that was taken from the feed. It is the
// index's own copy of what it needs of the store: fields, texts, term counts,
// vectors and edges. Appended only; a torn end is cut off at the next open.
//
//	head:   magic, length of the key (u16), key
//	record: length of the payload (u32), CRC-32C of it, payload
//
// All numbers are little endian.
const logMagic = "SFXLOG1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxRecord bounds a record, so that a damaged length does not allocate.
const maxRecord = 1 << 30

// logFile is the open log.
type logFile struct {
	path string
	f    *os.File
	size int64        // of whole records, for the writer
	sum  uint32       // CRC-32C of them
	end  atomic.Int64 // the same, for readers
	view view
}

// record is a change as it is logged.
type record struct {
	Seq      int64
	Deleted  bool
	Document kb.Document // without Text
	Chunks   []chunkRecord
}

type chunkRecord struct {
	Ordinal     int
	Start, End  int
	Kind        string
	HeadingPath []string
	Lead        string
	Text        string
	Terms       []byte // bm25.Packed
	Vectors     []byte
	Edges       []byte // of the graph, graph.Encode

	textAt int64    // offset in the file, set by encode and decode
	words  []string // the terms that Terms counts; not logged
}

// openLog opens or makes the log for the key. A log of another key or form gives
// retrieval.ErrCorrupt. Its records are not there before they are replayed.
func openLog(path, key string) (*logFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open index log: %w", err)
	}
	l := &logFile{path: path, f: f}
	if err := l.begin(key); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

func head(key string) []byte {
	out := append([]byte(logMagic), 0, 0)
	binary.LittleEndian.PutUint16(out[len(logMagic):], uint16(len(key)))
	return append(out, key...)
}

// begin reads the head, or writes it to an empty file.
func (l *logFile) begin(key string) error {
	info, err := l.f.Stat()
	if err != nil {
		return fmt.Errorf("open index log: %w", err)
	}
	want := head(key)
	if info.Size() == 0 {
		if _, err := l.f.Write(want); err != nil {
			return fmt.Errorf("write index log: %w", err)
		}
	}
	got := make([]byte, len(want))
	if _, err := l.f.ReadAt(got, 0); err != nil || string(got) != string(want) {
		return fmt.Errorf("index log: %w: of another form or model", retrieval.ErrCorrupt)
	}
	l.passed(want)
	return nil
}

// passed counts bytes as whole records.
func (l *logFile) passed(data ...[]byte) {
	for _, d := range data {
		l.size += int64(len(d))
		l.sum = crc32.Update(l.sum, castagnoli, d)
	}
	l.end.Store(l.size)
}

// pass takes the bytes up to a place for whole records if they have the checksum; else
// everything stays as it is.
func (l *logFile) pass(size int64, sum uint32) (bool, error) {
	info, err := l.f.Stat()
	if err != nil {
		return false, fmt.Errorf("read index log: %w", err)
	}
	if size < l.size || size > info.Size() {
		return false, nil
	}
	got, buf := uint32(0), make([]byte, 1<<20)
	for at := int64(0); at < size; {
		n := min(int64(len(buf)), size-at)
		if _, err := l.f.ReadAt(buf[:n], at); err != nil {
			return false, fmt.Errorf("read index log: %w", err)
		}
		got = crc32.Update(got, castagnoli, buf[:n])
		at += n
	}
	if got != sum {
		return false, nil
	}
	l.size, l.sum = size, sum
	l.end.Store(size)
	return true, nil
}

// replay hands the records that follow to visit, in order, and cuts a torn end off.
func (l *logFile) replay(visit func(record) error) error {
	if err := l.scan(visit); err != nil {
		return err
	}
	if err := l.f.Truncate(l.size); err != nil {
		return fmt.Errorf("cut index log: %w", err)
	}
	return nil
}

// scan hands out the whole records that follow and sets the log's size to the end of the
// last.
func (l *logFile) scan(visit func(record) error) error {
	info, err := l.f.Stat()
	if err != nil {
		return fmt.Errorf("open index log: %w", err)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(l.f, l.size, info.Size()-l.size), 1<<20)
	for {
		var h [8]byte
		if _, err := io.ReadFull(in, h[:]); err != nil {
			break // the end, or a torn head
		}
		n := binary.LittleEndian.Uint32(h[:])
		if n > maxRecord || int64(n) > info.Size()-l.size {
			break
		}
		payload := make([]byte, n)
		if _, err := io.ReadFull(in, payload); err != nil {
			break
		}
		if crc32.Checksum(payload, castagnoli) != binary.LittleEndian.Uint32(h[4:]) {
			break
		}
		r, err := decodeRecord(payload, l.size+int64(len(h)))
		if err != nil {
			return fmt.Errorf("index log: %w: %w", retrieval.ErrCorrupt, err)
		}
		if err := visit(r); err != nil {
			return err
		}
		l.passed(h[:], payload)
	}
	return nil //nolint:nilerr // a torn record at the end is cut off
}

// append writes records and sets their offsets. After an error the log's end is
// what it was before.
func (l *logFile) append(records []record) error {
	var buf []byte
	for i := range records {
		at := len(buf)
		buf = append(buf, make([]byte, 8)...)
		var err error
		if buf, err = encodeRecord(buf, &records[i], l.size); err != nil {
			return err
		}
		payload := buf[at+8:]
		if len(payload) > maxRecord {
			return fmt.Errorf("index log: %s is too large", records[i].Document.ID)
		}
		binary.LittleEndian.PutUint32(buf[at:], uint32(len(payload)))
		binary.LittleEndian.PutUint32(buf[at+4:], crc32.Checksum(payload, castagnoli))
	}
	if _, err := l.f.WriteAt(buf, l.size); err != nil {
		return errors.Join(fmt.Errorf("write index log: %w", err), l.f.Truncate(l.size))
	}
	l.passed(buf)
	return nil
}

func (l *logFile) sync() error {
	if err := l.f.Sync(); err != nil {
		return fmt.Errorf("sync index log: %w", err)
	}
	return nil
}

func (l *logFile) close() error { return errors.Join(l.view.close(), l.f.Close()) }

// read appends a stretch of the log to buf. It is safe for concurrent use, but not
// with close.
func (l *logFile) read(buf []byte, at int64, n int) ([]byte, error) {
	if end := l.end.Load(); at < 0 || n < 0 || at+int64(n) > end {
		return nil, fmt.Errorf("read index log: %w: %d bytes at %d of %d", retrieval.ErrCorrupt, n, at, end)
	}
	if data := l.view.of(l.f, at+int64(n)); data != nil {
		return append(buf, data[at:at+int64(n)]...), nil
	}
	start := len(buf)
	buf = slices.Grow(buf, n)[:start+n]
	if _, err := l.f.ReadAt(buf[start:], at); err != nil {
		return nil, fmt.Errorf("read index log: %w", err)
	}
	return buf, nil
}

// meta is the part of a record that is kept as JSON.
type meta struct {
	Seq          int64       `json:"s"`
	Deleted      bool        `json:"del,omitempty"`
	ID           string      `json:"id"`
	Version      int         `json:"v,omitempty"`
	Collection   string      `json:"c,omitempty"`
	Title        string      `json:"t,omitempty"`
	MediaType    string      `json:"m,omitempty"`
	Source       string      `json:"src,omitempty"`
	Domain       string      `json:"dom,omitempty"`
	Authority    *float64    `json:"a,omitempty"`
	Published    string      `json:"p,omitempty"`
	From         string      `json:"f,omitempty"`
	To           string      `json:"u,omitempty"`
	Supersedes   []string    `json:"sup,omitempty"`
	SupersededBy string      `json:"by,omitempty"`
	Readers      []string    `json:"r,omitempty"`
	Chunks       []chunkMeta `json:"ch,omitempty"`
}

type chunkMeta struct {
	Ordinal  int      `json:"o"`
	Start    int      `json:"s"`
	End      int      `json:"e"`
	Kind     string   `json:"k,omitempty"`
	Headings []string `json:"h,omitempty"`
	Sizes    [5]int   `json:"n"` // text, lead, terms, vectors, edges: bytes that follow the JSON, in this order
}

func encodeRecord(buf []byte, r *record, base int64) ([]byte, error) {
	d := r.Document
	m := meta{
		Seq: r.Seq, Deleted: r.Deleted, ID: d.ID, Version: d.Version, Collection: d.Collection, Title: d.Title, MediaType: d.MediaType,
		Source: d.Source, Domain: d.Domain, Authority: d.Authority, Published: stamp(d.PublishedAt), From: kb.FormatDay(d.ValidFrom),
		To: kb.FormatDay(d.ValidTo), Supersedes: d.Supersedes, SupersededBy: d.SupersededBy, Readers: d.Readers,
	}
	for _, c := range r.Chunks {
		m.Chunks = append(m.Chunks, chunkMeta{
			Ordinal: c.Ordinal, Start: c.Start, End: c.End, Kind: c.Kind, Headings: c.HeadingPath,
			Sizes: [5]int{len(c.Text), len(c.Lead), len(c.Terms), len(c.Vectors), len(c.Edges)},
		})
	}
	j, err := json.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("index log: %w", err)
	}
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(j)))
	buf = append(buf, j...)
	for i := range r.Chunks {
		c := &r.Chunks[i]
		c.textAt = base + int64(len(buf))
		buf = append(buf, c.Text...)
		buf = append(buf, c.Lead...)
		buf = append(buf, c.Terms...)
		buf = append(buf, c.Vectors...)
		buf = append(buf, c.Edges...)
	}
	return buf, nil
}

// decodeRecord reads a payload that stands at the offset in the file.
func decodeRecord(payload []byte, at int64) (record, error) {
	if len(payload) < 4 {
		return record{}, errors.New("record without a head")
	}
	n := int(binary.LittleEndian.Uint32(payload))
	if n < 0 || n > len(payload)-4 {
		return record{}, errors.New("record with a wrong head")
	}
	var m meta
	if err := json.Unmarshal(payload[4:4+n], &m); err != nil {
		return record{}, err
	}
	r := record{Seq: m.Seq, Deleted: m.Deleted, Document: kb.Document{
		ID: m.ID, Version: m.Version, Collection: m.Collection, Title: m.Title, MediaType: m.MediaType, Source: m.Source, Domain: m.Domain,
		Authority: m.Authority, Supersedes: m.Supersedes, SupersededBy: m.SupersededBy, Readers: m.Readers,
	}}
	var err error
	if m.Published != "" {
		if r.Document.PublishedAt, err = time.Parse(time.RFC3339Nano, m.Published); err != nil {
			return record{}, err
		}
	}
	if r.Document.ValidFrom, err = kb.ParseDay(m.From); err != nil {
		return record{}, err
	}
	if r.Document.ValidTo, err = kb.ParseDay(m.To); err != nil {
		return record{}, err
	}
	pos := 4 + n
	take := func(n int) []byte {
		if n < 0 || n > len(payload)-pos {
			err = errors.New("record is too short")
			return nil
		}
		out := payload[pos : pos+n]
		pos += n
		return out
	}
	for _, c := range m.Chunks {
		out := chunkRecord{Ordinal: c.Ordinal, Start: c.Start, End: c.End, Kind: c.Kind, HeadingPath: c.Headings, textAt: at + int64(pos)}
		out.Text = string(take(c.Sizes[0]))
		out.Lead = string(take(c.Sizes[1]))
		out.Terms = take(c.Sizes[2])
		out.Vectors = take(c.Sizes[3])
		out.Edges = take(c.Sizes[4])
		if err != nil {
			return record{}, err
		}
		r.Chunks = append(r.Chunks, out)
	}
	return r, nil
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

// rewriteLog writes a new log with the given records in place of the old one: a new
// file, then a rename.
func rewriteLog(path, key string, write func(add func(record) error) error) error {
	temp := path + ".new"
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("compact index log: %w", err)
	}
	l, err := openLog(temp, key)
	if err != nil {
		return err
	}
	err = write(func(r record) error { return l.append([]record{r}) })
	if err == nil {
		err = l.sync()
	}
	if err = errors.Join(err, l.close()); err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return fmt.Errorf("compact index log: %w", err)
	}
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		_ = dir.Sync() // best effort: the rename itself is atomic
		_ = dir.Close()
	}
	return nil
}
