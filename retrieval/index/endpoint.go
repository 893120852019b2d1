package index

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/dense"
)

// Endpoint is an embedding model beside the built-in one: at an address, or in this
// process where it is too slow to wait for.
type Endpoint interface {
	// Name tells two models apart: vectors of different names are not comparable.
	Name() string
	// Dims is the length of every vector, at least 1.
	Dims() int
	// Embed returns the vectors of texts, of length 1, in their order.
	Embed(ctx context.Context, texts []string, passages bool) ([][]float32, error)
}

// Embedding says which models the dense route asks, and how far the configured one has
// come with the chunks.
type Embedding struct {
	Serving     string // name of the model that answers questions now; of the collection that is furthest behind
	Wanted      string // name of the model that is configured
	Done        int    // chunks that the wanted model has embedded
	Chunks      int    // all chunks
	Failure     string // why the wanted model gives nothing at present; "" = it works, or needs not
	Collections []CollectionEmbedding
}

// CollectionEmbedding is the same of one collection.
type CollectionEmbedding struct {
	Collection   string
	Serving      string
	Done, Chunks int
}

// remote is a model beside the built-in one, with what it has embedded. All of it but the
// endpoint, the questions and rests is guarded by the index's lock.
//
// A change of model goes collection by collection. The wanted model embeds in the
// background (EmbedLate); a collection of which it has every chunk changes over to it, and
// until then is served as before: by the model that served it last (Index.earlier), or
// the built-in one, which always has everything. What was embedded is kept by the text's
// hash, so that a process that ends loses no more than a batch.
type remote struct {
	endpoint  Endpoint
	origin    string                        // what Options.Earlier makes it from
	questions *lru.Cache[string, []float32] // recent ones
	file      *vectorFile
	matrix    *dense.Matrix
	zero      float64         // cosine of two chunks that have nothing to do with each other
	placed    map[string]int  // chunks that have their vectors, by collection
	serving   map[string]bool // collections that changed over to it
	rests     atomic.Int64    // UnixNano until which it is not asked: an earlier model that failed

	failure string
	changed chan struct{} // of capacity 1: there may be chunks to embed
	working chan struct{} // of capacity 1: held by the one that embeds
}

// Windows for these models, in code points where Chinese prevails and elsewhere: about
// 400 tokens, well within the 512 of the smallest.
const (
	remoteHan   = 450
	remoteOther = 1200
)

// Late chunks: while more than a tenth of a collection is without vectors of the model
// that serves it, the one before it does; below, the built-in one serves the late ones alone.
const lateShare = 0.1

// recentQuestions is how many questions' vectors are kept: a route searches and scores
// with one.
const recentQuestions = 512

// earlierRests is how long an earlier model is left alone after it failed: it may be gone
// for good, and the built-in one stands in for it.
const earlierRests = 30 * time.Second

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

// openRemotes opens the wanted model, if there is one, and those before it that still
// serve a collection.
func (x *Index) openRemotes() error {
	if x.opt.Endpoint == nil {
		// What served before the built-in one is no candidate of a later change.
		if err := os.Remove(filepath.Join(x.dir, servedName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("open index: %w", err)
		}
		return nil
	}
	var err error
	if x.remote, err = x.openRemote(x.opt.Endpoint, x.opt.Origin); err != nil {
		return err
	}
	served, err := readServed(x.dir)
	if err != nil {
		x.log.Warn("which embedding served before is not known: the built-in one serves until the wanted one has all", "error", err)
	}
	for _, s := range served {
		if s.Name == x.opt.Endpoint.Name() {
			x.remote.resume(s.Collections)
			continue
		}
		if len(x.earlier) == mostEarlier || x.opt.Earlier == nil {
			continue
		}
		ep, err := x.opt.Earlier(s.Origin)
		if err != nil || ep == nil || ep.Name() != s.Name || ep.Dims() != s.Dims {
			x.log.Warn("the embedding that served before cannot be asked any more; the built-in one serves", "model", s.Name, "error", err)
			continue
		}
		r, err := x.openRemote(ep, s.Origin)
		if err != nil {
			return err
		}
		r.resume(s.Collections)
		x.earlier = append(x.earlier, r)
	}
	return x.serve()
}

// resume lets a model go on serving collections that it served when the process before
// this one ended, as far as their vectors are there.
func (r *remote) resume(collections []string) {
	for _, c := range collections {
		if r.placed[c] > 0 {
			r.serving[c] = true
		}
	}
	r.zero = unrelated(r.matrix)
}

// openRemote reads the vectors that an earlier run left.
func (x *Index) openRemote(ep Endpoint, origin string) (*remote, error) {
	path := filepath.Join(x.dir, vectorsName(ep.Name()))
	file, err := openVectors(path, ep.Name(), ep.Dims())
	if errors.Is(err, retrieval.ErrCorrupt) {
		x.log.Warn("passages are embedded again", "model", ep.Name(), "reason", err)
		if err = os.Remove(path); err == nil {
			file, err = openVectors(path, ep.Name(), ep.Dims())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	matrix, err := dense.NewMatrix(ep.Dims(), dense.Cosine, x.dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open index: %w", err), file.close())
	}
	questions, err := lru.New[string, []float32](recentQuestions)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open index: %w", err), file.close(), matrix.Close())
	}
	r := &remote{
		endpoint: ep, origin: origin, questions: questions, file: file, matrix: matrix,
		placed: map[string]int{}, serving: map[string]bool{}, changed: make(chan struct{}, 1), working: make(chan struct{}, 1),
	}
	for n := range x.cat.len() {
		texts, err := x.windowTexts(n)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		if len(r.missing(texts)) == 0 {
			if err := x.place(r, n, texts); err != nil {
				return nil, errors.Join(err, r.close())
			}
		}
	}
	return r, nil
}

// vectorsName is the file of a model's vectors.
func vectorsName(model string) string {
	sum := sha256.Sum256([]byte(model))
	return fmt.Sprintf("vectors-%x.log", sum[:6])
}

func (r *remote) close() error { return errors.Join(r.file.close(), r.matrix.Close()) }

// remotes are the models beside the built-in one, the wanted one first.
func (x *Index) remotes() []*remote {
	if x.remote == nil {
		return nil
	}
	return append([]*remote{x.remote}, x.earlier...)
}

// windowTexts are the texts that such a model embeds for a row; none for a deleted one.
func (x *Index) windowTexts(r int32) ([]string, error) {
	if x.cat.version(r) == nil {
		return nil, nil
	}
	w := x.cat.row(r)
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
func (r *remote) missing(texts []string) []string {
	var out []string
	for _, t := range texts {
		if _, ok := r.file.get(t); !ok {
			out = append(out, t)
		}
	}
	return out
}

// place gives a row its vectors, all of which are there.
func (x *Index) place(r *remote, n int32, texts []string) error {
	v := x.cat.version(n)
	if v == nil {
		return nil // deleted
	}
	rows := make([]dense.Vector, 0, len(texts))
	for _, t := range texts {
		w, _ := r.file.get(t)
		rows = append(rows, w)
	}
	if !r.matrix.Has(n) {
		r.placed[v.vis.Collection]++
	}
	// Models that know both languages put a passage in the language of the question before
	// any other, so the matrix has to know the languages.
	return r.matrix.PutIn(n, x.matrix.Language(n), rows)
}

// forget drops a row of a collection.
func (r *remote) forget(n int32, collection string) {
	if r.matrix.Has(n) {
		r.placed[collection]--
	}
	r.matrix.Delete(n)
}

// late reports whether a live row waits for its vectors of a model.
func (x *Index) late(r *remote, n int32) bool {
	return x.cat.version(n) != nil && !r.matrix.Has(n)
}

// answers reports whether a collection is served by a model beside the built-in one.
func (x *Index) answers(r *remote, collection string) bool {
	return r.serving[collection] && float64(r.placed[collection]) >= (1-lateShare)*float64(x.cat.chunks[collection])
}

// answering is the model that serves a collection; nil = the built-in one.
func (x *Index) answering(collection string) *remote {
	for _, r := range x.remotes() {
		if x.answers(r, collection) && time.Now().UnixNano() >= r.rests.Load() {
			return r
		}
	}
	return nil
}

// serve lets collections change over to the wanted model of which it has all chunks, and
// lets go of models that serve none any more.
func (x *Index) serve() error {
	r := x.remote
	changed := false
	for c, n := range x.cat.chunks {
		if r.serving[c] || n == 0 || r.placed[c] < n {
			continue
		}
		if !changed {
			r.zero = unrelated(r.matrix)
		}
		r.serving[c], changed = true, true
		x.log.Info("a collection is asked by another embedding", "collection", c, "model", r.endpoint.Name(), "zero", r.zero)
	}
	var errs []error
	kept := x.earlier[:0]
	for _, e := range x.earlier {
		needed := false
		for c := range e.serving {
			needed = needed || x.cat.chunks[c] > 0 && !r.serving[c]
		}
		if needed {
			kept = append(kept, e)
			continue
		}
		errs = append(errs, e.close())
		changed = true
	}
	clear(x.earlier[len(kept):])
	x.earlier = kept
	if changed {
		errs = append(errs, x.noteServed())
	}
	return errors.Join(errs...)
}

// unrelated is the mean cosine of windows drawn at random, 2,000 pairs: what the
// calibration of the route takes for 0. Models differ in it (0.7 to 0.9 for e5, near 0
// for others), so it is measured on the chunks themselves, whenever a collection changes
// over.
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

// Embedding returns the state of the dense route's models.
func (x *Index) Embedding() Embedding {
	x.mu.RLock()
	defer x.mu.RUnlock()
	static := x.opt.Model.Name()
	out := Embedding{Serving: static, Wanted: static, Done: x.cat.live, Chunks: x.cat.live}
	if x.remote != nil {
		out.Wanted, out.Failure, out.Done = x.remote.endpoint.Name(), x.remote.failure, x.remote.matrix.Len()
	}
	for _, c := range slices.Sorted(maps.Keys(x.cat.chunks)) {
		one := CollectionEmbedding{Collection: c, Serving: static, Done: x.cat.chunks[c], Chunks: x.cat.chunks[c]}
		if x.remote != nil {
			one.Done = x.remote.placed[c]
		}
		if r := x.answering(c); r != nil {
			one.Serving = r.endpoint.Name()
		}
		if out.Collections = append(out.Collections, one); len(out.Collections) == 1 || one.Serving != out.Wanted {
			out.Serving = one.Serving
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

// Follow has the wanted model embed what it has not yet, now and after every change, until
// the context ends; without one it returns at once. What served before serves meanwhile.
// Failures are logged once and tried again.
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
			x.log.Warn("the embedding that is configured fails; what served before serves what it has not embedded", "error", err)
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

// EmbedLate has the wanted model embed all chunks that it has not embedded yet, collection
// by collection, the smallest first. What was done when it fails stays done.
func (x *Index) EmbedLate(ctx context.Context) error {
	if x.remote == nil {
		return nil
	}
	select { // Follow and one that waits for all must not embed the same chunks
	case x.remote.working <- struct{}{}:
		defer func() { <-x.remote.working }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for {
		rows, texts, err := x.nextLate()
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			x.mu.Lock()
			defer x.mu.Unlock()
			return x.serve()
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

// nextLate are some rows of one collection that wait, and the texts that are to be
// embedded for them.
func (x *Index) nextLate() (rows []int32, texts []string, err error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, nil, errClosed()
	}
	next, found := "", false
	for c, n := range x.cat.chunks {
		if x.remote.placed[c] == n {
			continue
		}
		if !found || n < x.cat.chunks[next] || n == x.cat.chunks[next] && c < next {
			next, found = c, true
		}
	}
	if !found {
		return nil, nil, nil
	}
	for n := range x.cat.len() {
		if !x.late(x.remote, n) || x.cat.version(n).vis.Collection != next {
			continue
		}
		windows, err := x.windowTexts(n)
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, n)
		if texts = append(texts, x.remote.missing(windows)...); len(texts) >= lateBatch {
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
	for _, n := range rows {
		texts, err := x.windowTexts(n)
		if err != nil {
			return err
		}
		if err := x.place(x.remote, n, texts); err != nil {
			return err
		}
	}
	if x.opt.Vectors != nil { // what waited for them may be written there now
		x.of(x.opt.Vectors).suspect()
	}
	return x.serve()
}
