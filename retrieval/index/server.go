package index

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/graph"
)

// Server is a search engine or a graph database that holds a form of every chunk. It
// proposes chunks; what they score is computed here, by the code and from the bytes
// of the embedded routes, so that both forms of a route give the same scores.
//
// Several processes may write to one server: what they write is the same, and an
// older state of a chunk never replaces a newer one.
type Server interface {
	// Name is what messages call it, with its address and without secrets.
	Name() string
	// Open connects, makes what is missing for the form, and says what is there. It answers
	// only when questions can be answered in their time, too.
	Open(ctx context.Context, form Form) (State, error)
	// Apply writes a batch, whole or with an error; it can be applied again.
	Apply(ctx context.Context, b Batch) error
	// Reset forgets everything that was written in this form.
	Reset(ctx context.Context) error
}

// WordServer proposes chunks by their terms.
type WordServer interface {
	Server
	// Frequencies returns how many chunks hold each term.
	Frequencies(ctx context.Context, terms []string) ([]uint64, error)
	// ByWords returns the ids of the best chunks that the filter admits, at most limit.
	ByWords(ctx context.Context, terms []bm25.Weighted, f retrieval.Filter, need bm25.Needs, limit int) ([]string, error)
}

// VectorServer proposes chunks by their vectors: those of the model at an endpoint where
// there is one, else the built-in ones.
type VectorServer interface {
	Server
	// Nearest returns the ids of the chunks in question that the filter admits with the
	// windows nearest to the vector, about limit of them.
	Nearest(ctx context.Context, s dense.Sought, f retrieval.Filter, need bm25.Needs, limit int) ([]string, error)
}

// FactServer proposes chunks by their facts.
type FactServer interface {
	Server
	graph.Elsewhere
}

// Form names what chunks are written as: another form is another index.
type Form struct {
	Key  string // reader, dictionary, embedding
	Dims int    // of the vectors
}

// State is what a server holds.
type State struct {
	Seq    int64  // place in the feed up to which it has everything; 0 = nothing
	Store  string // identity of the store that the feed is of; "" = not known
	Chunks int
}

// Batch is what a server is told at once.
type Batch struct {
	Put   []ServerChunk
	Purge []Purge
	State State // that holds once all is written
	Last  bool  // nothing follows for now: make it visible
}

// ServerChunk is all that a server may want of a chunk.
type ServerChunk struct {
	ID         string // evidence id
	Version    string // id@version
	Document   string
	Seq        int64 // of the change that made it what it is
	Terms      []string
	Windows    []dense.Vector
	Language   dense.Language
	Edges      []graph.Edge
	Visibility retrieval.Visibility
}

// Purge is a document of which chunks went away. Of those written up to Seq, all go
// that are of none of the versions, or older than the version is.
type Purge struct {
	Document string
	Versions map[string]int64 // id@version to the Seq of its chunks
	Seq      int64
}

// ErrLost says that a server does not have what was written to it before.
var ErrLost = errors.New("server lost the index")

// Times of servers that are down.
const (
	probeEvery = time.Second      // while one does not answer or is behind
	checkEvery = 15 * time.Second // otherwise
	patience   = 3 * time.Second  // for a sign of life, where Options.Patience is 0
	firstTimes = 5                // of it for a first answer, also of one that was away: much may have to be made or read again
)

// follower brings one server up to the log.
type follower struct {
	server Server
	routes []kb.Route

	late  bool         // it is told of chunks when the endpoint has embedded them
	ready atomic.Bool  // it has what the log has, but for what is on the way
	held  atomic.Int64 // up to which it has everything, once it was ready; 0 = it never was
	tried atomic.Bool
	kick  chan struct{}

	mu      sync.Mutex // one at a time brings it up
	open    bool
	seq     int64 // up to which it has everything
	counted bool
	failing bool

	failures int // in a row
}

// serves reports whether any server follows.
func (x *Index) serves() bool {
	return x.opt.Words != nil || x.opt.Vectors != nil || x.opt.Facts != nil
}

// follow starts a follower for each server.
func (x *Index) follow() {
	add := func(s Server, r kb.Route) {
		for _, f := range x.followers {
			if f.server == s {
				f.routes = append(f.routes, r)
				return
			}
		}
		x.followers = append(x.followers, &follower{server: s, routes: []kb.Route{r}, kick: make(chan struct{}, 1)})
	}
	if x.opt.Words != nil {
		add(x.opt.Words, kb.BM25)
	}
	if x.opt.Vectors != nil {
		add(x.opt.Vectors, kb.Dense)
		x.of(x.opt.Vectors).late = x.remote != nil
	}
	if x.opt.Facts != nil {
		add(x.opt.Facts, kb.Graph)
	}
	ctx, stop := context.WithCancel(context.Background())
	x.stop = stop
	for _, f := range x.followers {
		x.running.Go(func() { x.watch(ctx, f) })
	}
}

// watch brings a server up again whenever it was away.
func (x *Index) watch(ctx context.Context, f *follower) {
	for {
		wait := checkEvery
		if !f.ready.Load() {
			wait = probeEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-f.kick:
		case <-time.After(wait):
		}
		if !f.tried.Load() {
			continue // the first Sync has not come to it yet
		}
		f.mu.Lock()
		f.open = false // ask it again what it has
		// One that was away gets more time at each try, up to that of a first answer: nobody
		// waits here, and what is broken off starts from nothing the next time.
		ahead, err := x.bring(ctx, f, false, x.patience(f, f.failures))
		f.mu.Unlock()
		if err == nil && ahead { // whether that is right only the feed can tell
			x.mu.RLock()
			feed := x.feed
			x.mu.RUnlock()
			err = x.Sync(ctx, feed)
		}
		if err != nil && ctx.Err() == nil {
			x.log.Debug("server is behind", "server", f.server.Name(), "error", err)
		}
	}
}

// touch notes a version as changed now.
func (x *Index) touch(v *version) {
	v.touched = x.at
	if x.serves() {
		x.cat.trail = append(x.cat.trail, touch{seq: x.at, version: v})
	}
}

// identified is a feed that knows which store it is of.
type identified interface {
	Identity(ctx context.Context) (string, error)
}

// places asks the servers where they are, before the feed is read: a place beyond
// the feed's end, read before the feed was, is of another store.
func (x *Index) places(ctx context.Context, feed Feed) map[*follower]bool {
	if !x.serves() {
		return nil
	}
	x.mu.RLock()
	store := x.store
	if x.feed != feed {
		store = ""
	}
	x.mu.RUnlock()
	if i, ok := feed.(identified); ok && store == "" {
		var err error
		if store, err = i.Identity(ctx); err != nil {
			store = "" // the feed will say what is wrong
		}
	}
	x.mu.Lock()
	x.feed, x.store = feed, store
	x.mu.Unlock()
	var asking sync.WaitGroup
	read := make([]bool, len(x.followers))
	for i, f := range x.followers {
		if f.ready.Load() {
			continue
		}
		asking.Go(func() {
			if !f.mu.TryLock() {
				return // it is being brought up
			}
			defer f.mu.Unlock()
			f.tried.Store(true)
			read[i] = x.openServer(ctx, f, x.patience(f, 0)) == nil
		})
	}
	asking.Wait()
	out := map[*follower]bool{}
	for i, f := range x.followers {
		out[f] = read[i]
	}
	return out
}

// bringUp brings all servers up to the log, those that were ready or have just
// answered.
func (x *Index) bringUp(ctx context.Context, read map[*follower]bool) {
	var running sync.WaitGroup
	for _, f := range x.followers {
		if !f.ready.Load() && !read[f] {
			continue // watch does
		}
		running.Go(func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			_, _ = x.bring(ctx, f, read[f], x.patience(f, 0)) // logged there; watch tries again
		})
	}
	running.Wait()
}

// patience is how long a server is waited for that has failed some times in a row.
func (x *Index) patience(f *follower, failures int) time.Duration {
	limit := x.opt.Patience
	if limit <= 0 {
		limit = patience
	}
	if !f.counted {
		return firstTimes * limit
	}
	return time.Duration(min(firstTimes, 1+failures)) * limit
}

// openServer asks a server what it has. The caller holds f.mu.
func (x *Index) openServer(ctx context.Context, f *follower, limit time.Duration) error {
	if f.open {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	st, err := f.server.Open(ctx, x.formFor(f))
	if err != nil {
		return x.down(ctx, f, err)
	}
	x.mu.RLock()
	seq, store, since := x.seq, x.store, x.cat.since
	x.mu.RUnlock()
	switch {
	case st.Seq == 0:
	case st.Store != "" && store != "" && st.Store != store:
		err = x.restart(ctx, f, "it holds another store")
	case st.Seq < since:
		err = x.restart(ctx, f, "what was deleted since it was written is not known any more")
	case st.Seq == seq && !f.counted && st.Chunks != x.Chunks():
		err = x.restart(ctx, f, fmt.Sprintf("it holds %d chunks of %d", st.Chunks, x.Chunks()))
	default:
		f.seq, f.open = st.Seq, true
		return nil
	}
	if err != nil {
		return x.down(ctx, f, err)
	}
	f.seq, f.open = 0, true
	return nil
}

func (x *Index) restart(ctx context.Context, f *follower, why string) error {
	f.ready.Store(false)
	x.log.Warn("a server is written again", "server", f.server.Name(), "reason", why)
	return f.server.Reset(ctx)
}

// down notes that a server failed.
func (x *Index) down(ctx context.Context, f *follower, err error) error {
	f.open = false
	f.failures++
	f.ready.Store(false)
	if !f.failing && !errors.Is(err, context.Canceled) {
		x.log.Warn("a server does not answer: its routes are left out until it does", "server", f.server.Name(), "routes", f.routes, "error", err)
		f.failing = true
	}
	return fmt.Errorf("%s: %w", f.server.Name(), err)
}

// bring writes to a server what it lacks. whole says that the log has all that the
// feed had after the server was asked. ahead is true when the server is further than
// the log. The caller holds f.mu.
func (x *Index) bring(ctx context.Context, f *follower, whole bool, limit time.Duration) (ahead bool, err error) {
	if err := x.openServer(ctx, f, limit); err != nil {
		return false, err
	}
	if seq := x.Seq(); f.seq > seq {
		if !whole {
			return true, nil
		}
		if err := x.restart(ctx, f, fmt.Sprintf("it is at %d, the store at %d", f.seq, seq)); err != nil {
			return false, x.down(ctx, f, err)
		}
		f.seq = 0
	}
	for {
		// What was written by others may have chunks that are no more.
		b, err := x.batch(f, !f.ready.Load() && f.seq > 0)
		if err != nil {
			return false, err
		}
		if b.State.Seq <= f.seq {
			break
		}
		if err := f.server.Apply(ctx, b); err != nil {
			return false, x.down(ctx, f, err)
		}
		f.seq = b.State.Seq
	}
	f.counted = true
	f.failures = 0
	f.held.Store(f.seq)
	f.ready.Store(true)
	if f.failing {
		f.failing = false
		x.log.Info("a server has caught up", "server", f.server.Name(), "seq", f.seq)
	}
	return false, nil
}

// formFor is the form that a server's chunks have.
func (x *Index) formFor(f *follower) Form {
	if f.late {
		ep := x.remote.endpoint
		return Form{Key: x.key + " " + ep.Name() + " by language", Dims: ep.Dims()}
	}
	return Form{Key: x.key, Dims: x.opt.Model.Dims()}
}

// batch is what a server that has everything up to its place is told next. Its State
// is that place where there is nothing. thorough also purges documents that only
// gained chunks.
func (x *Index) batch(f *follower, thorough bool) (Batch, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return Batch{}, errClosed()
	}
	from := f.seq
	trail := x.cat.trail
	at := sort.Search(len(trail), func(i int) bool { return trail[i].seq > from })
	b := Batch{State: State{Seq: max(from, x.seq), Store: x.store}, Last: true}
	purged, put := map[string]bool{}, map[*version]bool{}
	for i := at; i < len(trail); i++ {
		t := trail[i]
		if len(b.Put) >= chunkBatch && t.seq > trail[i-1].seq {
			b.State.Seq, b.Last = trail[i-1].seq, false
			break
		}
		if t.version == nil {
			purged[t.document] = true
			continue
		}
		v := t.version
		if !x.cat.has(v) || v.touched != t.seq {
			continue // gone, or it comes later
		}
		if put[v] {
			continue // one change may touch a version twice
		}
		if f.late && x.waits(v) {
			b.State.Seq = t.seq - 1 // EmbedLate says when to go on
			break
		}
		put[v] = true
		if thorough {
			purged[v.id] = true
		}
		for r := range v.rows() {
			c, err := x.serverChunk(r, f)
			if err != nil {
				return Batch{}, err
			}
			b.Put = append(b.Put, c)
		}
	}
	for id := range purged {
		p := Purge{Document: id, Versions: map[string]int64{}, Seq: b.State.Seq}
		for _, v := range x.cat.of(id) {
			p.Versions[v.key()] = v.touched
		}
		b.Purge = append(b.Purge, p)
	}
	slices.SortFunc(b.Purge, func(p, q Purge) int {
		if p.Document < q.Document {
			return -1
		}
		return 1
	})
	b.State.Chunks = x.cat.live
	return b, nil
}

// waits reports whether a version has a row that waits for its vectors.
func (x *Index) waits(v *version) bool {
	for n := range v.rows() {
		if x.late(x.remote, n) {
			return true
		}
	}
	return false
}

// serverChunk reads what a server is told of a chunk out of the log.
func (x *Index) serverChunk(r int32, f *follower) (ServerChunk, error) {
	w, v := x.cat.row(r), x.cat.version(r)
	out := ServerChunk{
		ID: evidenceID(v, w.ordinal), Version: v.key(), Document: v.id, Seq: v.touched, Visibility: *v.vis,
	}
	data, err := x.file.read(nil, w.textAt, int(w.textLen+w.leadLen))
	if err != nil {
		return out, err
	}
	if slices.Contains(f.routes, kb.BM25) {
		out.Terms = chunkTerms(v.title, x.cat.place(r).headings, string(data[w.textLen:]), string(data[:w.textLen]))
	}
	if slices.Contains(f.routes, kb.Dense) {
		matrix := x.matrix
		if f.late {
			matrix = x.remote.matrix
		}
		out.Language, out.Windows = matrix.Windows(r)
	}
	if slices.Contains(f.routes, kb.Graph) {
		out.Edges, err = x.edgesOf(r)
	}
	return out, err
}

// edgesOf are the edges of a row, from the log.
func (x *Index) edgesOf(r int32) ([]graph.Edge, error) {
	w := x.cat.row(r)
	data, err := x.file.read(nil, w.termsAt()+int64(w.termsLen)+int64(w.vectorsLen), int(w.edgesLen))
	if err != nil {
		return nil, err
	}
	return graph.Decode(data)
}

// of is the follower of a route's server.
func (x *Index) of(s Server) *follower {
	for _, f := range x.followers {
		if f.server == s {
			return f
		}
	}
	return nil
}

// usable is the error of a server that is known to be down or behind: it is not
// waited for.
func (f *follower) usable() error {
	if f.ready.Load() {
		return nil
	}
	return fmt.Errorf("%w: %s is down or behind", kb.ErrUnavailable, f.server.Name())
}

// note looks at the error of a question: a server that was late or failed is asked
// at once whether it is still there; one that lost its index is not used until it has
// one again.
func (f *follower) note(ctx context.Context, err error) error {
	if err == nil || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	if errors.Is(err, ErrLost) {
		f.ready.Store(false)
	}
	f.suspect()
	if ctx.Err() != nil {
		return ctx.Err() // clients hide it
	}
	return fmt.Errorf("%w: %w", kb.ErrUnavailable, err)
}

func (f *follower) suspect() {
	select {
	case f.kick <- struct{}{}:
	default: // is on the way
	}
}
