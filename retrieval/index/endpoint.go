package index

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/dense"
)

// Endpoint is an embedding model elsewhere.
type Endpoint interface {
	// Name tells two models apart: vectors of different names are not comparable.
	Name() string
	// Dims is the length of every vector, at least 1.
	Dims() int
	// Embed returns the vectors of texts, of length 1, in their order.
	Embed(ctx context.Context, texts []string, passages bool) ([][]float32, error)
}

// Embedding says which model the dense route asks, and how far a model at an endpoint
// has come with the chunks.
type Embedding struct {
	Serving string // name of the model that answers questions now
	Wanted  string // name of the model that is configured
	Done    int    // chunks that the wanted model has embedded
	Chunks  int    // all chunks
	Failure string // why the endpoint gives nothing at present; "" = it works, or there is none
}

// remote is the endpoint's side of the index. All of it but the endpoint is guarded by
// the index's lock.
type remote struct {
	endpoint  Endpoint
	questions *lru.Cache[string, []float32] // recent ones
	file      *vectorFile
	matrix    *dense.Matrix
	zero      float64 // cosine of two chunks that have nothing to do with each other
	serving   bool
	failure   string
	changed   chan struct{} // of capacity 1: there may be chunks to embed
}

// Windows for models at an endpoint, in code points where Chinese prevails and
// elsewhere: about 400 tokens, well within the 512 of the smallest.
const (
	remoteHan   = 450
	remoteOther = 1200
)

// Late chunks: while more than a tenth of all is without vectors of the endpoint's
// model, the built-in one serves all; below, it serves the late ones alone.
const lateShare = 0.1

// recentQuestions is how many questions' vectors are kept: a route searches and scores
// with one.
const recentQuestions = 512

// question embeds a question, or remembers it.
func (r *remote) question(ctx context.Context, text string) ([]float32, error) {
	if v, ok := r.questions.Get(text); ok {
		return v, nil
	}
	vectors, err := r.endpoint.Embed(ctx, []string{text}, false)
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	r.questions.Add(text, vectors[0])
	return vectors[0], nil
}

// openRemote reads the vectors that an earlier run left.
func (x *Index) openRemote() error {
	ep := x.opt.Endpoint
	if ep == nil {
		return nil
	}
	sum := sha256.Sum256([]byte(ep.Name()))
	path := filepath.Join(x.dir, fmt.Sprintf("vectors-%x.log", sum[:6]))
	file, err := openVectors(path, ep.Name(), ep.Dims())
	if errors.Is(err, retrieval.ErrCorrupt) {
		x.log.Warn("vectors of the endpoint are fetched again", "reason", err)
		if err = os.Remove(path); err == nil {
			file, err = openVectors(path, ep.Name(), ep.Dims())
		}
	}
	if err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	matrix, err := dense.NewMatrix(ep.Dims(), dense.Cosine, x.dir)
	if err != nil {
		return errors.Join(fmt.Errorf("open index: %w", err), file.close())
	}
	questions, err := lru.New[string, []float32](recentQuestions)
	if err != nil {
		return errors.Join(fmt.Errorf("open index: %w", err), file.close(), matrix.Close())
	}
	x.remote = &remote{endpoint: ep, questions: questions, file: file, matrix: matrix, changed: make(chan struct{}, 1)}
	for r := range x.cat.rows {
		texts, err := x.windowTexts(int32(r))
		if err != nil {
			return err
		}
		if len(x.missing(texts)) == 0 {
			if err := x.place(int32(r), texts); err != nil {
				return err
			}
		}
	}
	x.serve()
	return nil
}

// windowTexts are the texts that the endpoint embeds for a row; none for a deleted one.
func (x *Index) windowTexts(r int32) ([]string, error) {
	w := x.cat.rows[r]
	if w.version == nil {
		return nil, nil
	}
	data, err := x.file.read(nil, w.textAt, int(w.textLen))
	if err != nil {
		return nil, err
	}
	runes := []rune(string(data))
	var out []string
	for _, s := range embed.SplitWithin(string(data), remoteHan, remoteOther) {
		out = append(out, string(runes[s.Start:s.End]))
	}
	return out, nil
}

// missing are the texts whose vectors are not there yet.
func (x *Index) missing(texts []string) []string {
	var out []string
	for _, t := range texts {
		if _, ok := x.remote.file.get(t); !ok {
			out = append(out, t)
		}
	}
	return out
}

// place gives a row its vectors, all of which are there.
func (x *Index) place(r int32, texts []string) error {
	rows := make([]dense.Vector, 0, len(texts))
	for _, t := range texts {
		v, _ := x.remote.file.get(t)
		rows = append(rows, v)
	}
	return x.remote.matrix.Put(r, rows)
}

// late reports whether a live row waits for its vectors.
func (x *Index) late(r int32) bool {
	return x.cat.rows[r].version != nil && !x.remote.matrix.Has(r)
}

// serve lets the endpoint's model answer as soon as it has all chunks.
func (x *Index) serve() {
	if x.remote.serving || x.remote.matrix.Len() == 0 {
		return
	}
	for r := range x.cat.rows {
		if x.late(int32(r)) {
			return
		}
	}
	x.remote.zero = unrelated(x.remote.matrix)
	x.remote.serving = true
	x.log.Info("the dense route asks the embedding endpoint", "model", x.remote.endpoint.Name(), "zero", x.remote.zero)
}

// unrelated is the mean cosine of windows drawn at random, 2,000 pairs: what the
// calibration of the route takes for 0. Models differ in it (0.7 to 0.9 for e5, near 0
// for others), so it is measured on the chunks themselves, once the last one is there.
func unrelated(m *dense.Matrix) float64 {
	const pairs = 2000
	rng := rand.New(rand.NewPCG(1, 1))
	n := m.Rows()
	if n < 20 {
		return 0 // too few to say anything
	}
	sum := 0.0
	for range pairs {
		sum += m.Cosine(rng.IntN(n), rng.IntN(n))
	}
	return max(0, min(0.95, sum/pairs))
}

// Embedding returns the state of the dense route's model.
func (x *Index) Embedding() Embedding {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := Embedding{Serving: x.opt.Model.Name(), Wanted: x.opt.Model.Name(), Done: x.cat.live, Chunks: x.cat.live}
	if x.remote != nil {
		out.Wanted, out.Failure, out.Done = x.remote.endpoint.Name(), x.remote.failure, x.remote.matrix.Len()
		if x.remote.serving {
			out.Serving = out.Wanted
		}
	}
	return out
}

// poke says that there may be something to embed.
func (x *Index) poke() {
	if x.remote == nil {
		return
	}
	select {
	case x.remote.changed <- struct{}{}:
	default:
	}
}

// Waits of Follow between calls that failed.
const (
	firstWait = time.Second
	longest   = time.Minute
)

// Follow has the endpoint embed what it has not yet, now and after every change, until
// the context ends; without an endpoint it returns at once. The built-in embedding
// serves meanwhile. Failures are logged once and tried again.
func (x *Index) Follow(ctx context.Context) {
	if x.remote == nil {
		return
	}
	wait := firstWait
	for ctx.Err() == nil {
		err := x.EmbedLate(ctx)
		if ctx.Err() != nil || errors.Is(err, errClosed()) {
			return
		}
		failed := ""
		if err != nil {
			failed = err.Error()
		}
		x.mu.Lock()
		before := x.remote.failure
		x.remote.failure = failed
		x.mu.Unlock()
		if err != nil && before == "" {
			x.log.Warn("the embedding endpoint fails; the built-in embedding serves what it has not embedded", "error", err)
		}
		if err == nil {
			wait = firstWait
			select {
			case <-ctx.Done():
			case <-x.remote.changed:
			}
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, longest)
	}
}

// lateBatch is how many texts are embedded before what came of it is kept.
const lateBatch = 32

// EmbedLate has the endpoint embed all chunks that it has not embedded yet. What was
// done when it fails stays done.
func (x *Index) EmbedLate(ctx context.Context) error {
	if x.remote == nil {
		return nil
	}
	for {
		rows, texts, err := x.nextLate()
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.serve()
			return nil
		}
		for batch := range slices.Chunk(texts, lateBatch) {
			vectors, err := x.remote.endpoint.Embed(ctx, batch, true)
			if err != nil {
				return fmt.Errorf("embed chunks: %w", err)
			}
			x.mu.Lock()
			if x.closed {
				x.mu.Unlock()
				return errClosed()
			}
			err = x.remote.file.add(batch, vectors)
			x.mu.Unlock()
			if err != nil {
				return err
			}
		}
		if err := x.placeAll(rows); err != nil {
			return err
		}
	}
}

// nextLate are some rows that wait, and the texts that are to be embedded for them.
func (x *Index) nextLate() (rows []int32, texts []string, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, nil, errClosed()
	}
	for r := range x.cat.rows {
		if !x.late(int32(r)) {
			continue
		}
		windows, err := x.windowTexts(int32(r))
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, int32(r))
		if texts = append(texts, x.missing(windows)...); len(texts) >= lateBatch {
			break
		}
	}
	slices.Sort(texts)
	return rows, slices.Compact(texts), nil
}

func (x *Index) placeAll(rows []int32) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		return errClosed()
	}
	for _, r := range rows {
		texts, err := x.windowTexts(r)
		if err != nil {
			return err
		}
		if err := x.place(r, texts); err != nil {
			return err
		}
	}
	if x.opt.Vectors != nil { // what waited for them may be written there now
		x.of(x.opt.Vectors).suspect()
	}
	return nil
}

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
