package index

import (
	"hash/maphash"
	"iter"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/mapped"
)

// catalog is what the index knows of documents in memory. Rows number the chunks;
// a deleted row stays empty until the next open.
//
// There may be a million rows and nearly as many versions, so that little is kept of each:
// rows lie outside the heap, and what versions have in common is kept once.
type catalog struct {
	documents  map[string]*version // the newest put of each document, see version.before
	seed       maphash.Seed
	titles     map[uint64]*version          // by hash of the folded title, see version.alike
	supersedes map[string]map[*version]bool // target (id or id@version) to the versions that name it
	rows       mapped.Array[row]
	numberOf   mapped.Array[int32] // by row: the number of its version; -1 = deleted
	versions   []*version          // by number; nil = gone
	places     []*place            // by number
	placeAt    map[string]uint32   // by what they hold
	commons    map[string]*common  // by what they hold
	sights     map[string]*retrieval.Visibility
	live       int    // rows
	terms      uint64 // in all live rows

	collections map[string]int            // live versions by collection
	readable    map[string]map[string]int // live versions by collection and reader group, retrieval.Everyone among them
	chunks      map[string]int            // live rows by collection
	restricted  int                       // live versions that not everyone may read
	timed       int                       // live versions with a validity or a superseding version

	facts int     // edges of live rows
	trail []touch // what changed when, in the order of the feed: what servers are told
	since int64   // the trail knows of nothing that went away up to here
}

// touch is a version that was written or became visible otherwise, or a document
// that lost chunks.
type touch struct {
	seq      int64
	version  *version // nil = document
	document string
}

// version is a document version. Its rows follow each other by ordinal.
type version struct {
	id        string // of the document
	title     string
	published time.Time
	edition   int // kb.Document.Version
	number    int32
	first     int32 // row
	size      int32 // rows
	common    *common
	replaces  *replaces             // nil = nothing, by nothing
	vis       *retrieval.Visibility // shared: never changed

	before *version // of the same document, put earlier
	alike  *version // with the same hash of the title

	touched int64 // place in the feed at which it was written or its visibility changed
}

// common is what many versions have in common.
type common struct {
	collection, source, domain string
	authority                  *float64
	from, to                   time.Time // validity
	readers                    []string
}

// replaces says what a version supersedes, and which one supersedes it by its own fields.
type replaces struct {
	targets []string
	by      string
}

// rows are the rows of a version by ordinal.
func (v *version) rows() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for r := v.first; r < v.first+v.size; r++ {
			if !yield(r) {
				return
			}
		}
	}
}

func (v *version) targets() []string {
	if v.replaces == nil {
		return nil
	}
	return v.replaces.targets
}

func (v *version) supersededBy() string {
	if v.replaces == nil {
		return ""
	}
	return v.replaces.by
}

// row is a chunk. It holds no pointers.
type row struct {
	place      uint32
	ordinal    int32
	start, end int32
	terms      int32 // how many
	edges      int32 // how many

	textAt                                           int64 // in the log
	textLen, leadLen, termsLen, vectorsLen, edgesLen int32 // bytes that follow there, in this order
}

// place is what many chunks have in common.
type place struct {
	kind     string
	headings []string
}

func (r *row) termsAt() int64 { return r.textAt + int64(r.textLen) + int64(r.leadLen) }

// row is the row of a number below len.
func (c *catalog) row(r int32) *row { return c.rows.At(int(r)) }

// len is the number of rows, deleted ones included.
func (c *catalog) len() int32 { return int32(c.rows.Len()) }

// version is the version of a row; nil for a deleted one.
func (c *catalog) version(r int32) *version {
	n := *c.numberOf.At(int(r))
	if n < 0 {
		return nil
	}
	return c.versions[n]
}

// place is where a row stands in its document.
func (c *catalog) place(r int32) *place { return c.places[c.row(r).place] }

// placed is the number of the one place of this kind under these headings.
func (c *catalog) placed(kind string, headings []string) uint32 {
	key := kind + "\x00" + strings.Join(headings, "\x00")
	n, ok := c.placeAt[key]
	if !ok {
		n = uint32(len(c.places))
		c.places = append(c.places, &place{kind: kind, headings: headings})
		c.placeAt[key] = n
	}
	return n
}

// shared is the one common of what a document has.
func (c *catalog) shared(d *kb.Document) *common {
	key := strings.Join([]string{d.Collection, d.Source, d.Domain, moment(d.ValidFrom), moment(d.ValidTo), strings.Join(d.Readers, "\x01")}, "\x00")
	if d.Authority != nil {
		key += "\x00" + strconv.FormatFloat(*d.Authority, 'g', -1, 64)
	}
	out := c.commons[key]
	if out == nil {
		out = &common{collection: d.Collection, source: d.Source, domain: d.Domain, authority: d.Authority, from: d.ValidFrom, to: d.ValidTo, readers: d.Readers}
		c.commons[key] = out
	}
	return out
}

// sight is the one Visibility of these fields.
func (c *catalog) sight(v retrieval.Visibility) *retrieval.Visibility {
	key := strings.Join([]string{v.Collection, v.Domain, moment(v.ValidFrom), moment(v.ValidTo), strconv.FormatBool(v.Replaced), moment(v.ReplacedFrom), strings.Join(v.Readers, "\x01")}, "\x00")
	out := c.sights[key]
	if out == nil {
		out = &v
		c.sights[key] = out
	}
	return out
}

// moment is a time as a part of a key.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func newCatalog() *catalog {
	return &catalog{
		documents: map[string]*version{}, seed: maphash.MakeSeed(), titles: map[uint64]*version{}, supersedes: map[string]map[*version]bool{}, placeAt: map[string]uint32{},
		commons: map[string]*common{}, sights: map[string]*retrieval.Visibility{}, collections: map[string]int{}, readable: map[string]map[string]int{}, chunks: map[string]int{},
	}
}

// free gives back what lies outside the heap; the catalog is not to be used afterwards.
func (c *catalog) free() {
	c.rows.Free()
	c.numberOf.Free()
}

func versionKey(id string, edition int) string { return id + "@" + strconv.Itoa(edition) }

func (v *version) key() string { return versionKey(v.id, v.edition) }

// evidenceID is the id of a chunk.
func evidenceID(v *version, ordinal int32) string {
	return v.key() + "#" + strconv.Itoa(int(ordinal))
}

// id is the evidence id of a live row.
func (c *catalog) id(r int32) string { return evidenceID(c.version(r), c.row(r).ordinal) }

// of are the versions of a document in the order in which they were put.
func (c *catalog) of(id string) []*version {
	var out []*version
	for v := c.documents[id]; v != nil; v = v.before {
		out = append(out, v)
	}
	slices.Reverse(out)
	return out
}

// edition is a version of a document; nil where there is none.
func (c *catalog) edition(id string, edition int) *version {
	for v := c.documents[id]; v != nil; v = v.before {
		if v.edition == edition {
			return v
		}
	}
	return nil
}

// named is the version of a key, id@version; nil where there is none.
func (c *catalog) named(key string) *version {
	at := strings.LastIndexByte(key, '@')
	if at < 0 {
		return nil
	}
	edition, err := strconv.Atoi(key[at+1:])
	if err != nil || strconv.Itoa(edition) != key[at+1:] {
		return nil
	}
	return c.edition(key[:at], edition)
}

// has reports whether a version is still there.
func (c *catalog) has(v *version) bool { return c.versions[v.number] == v }

// find returns the row of an evidence id.
func (c *catalog) find(id string) (int32, bool) {
	at := strings.LastIndexByte(id, '#')
	if at < 0 {
		return 0, false
	}
	v := c.named(id[:at])
	if v == nil {
		return 0, false
	}
	ordinal, err := strconv.Atoi(id[at+1:])
	if err != nil {
		return 0, false
	}
	i, ok := sort.Find(int(v.size), func(i int) int { return ordinal - int(c.row(v.first+int32(i)).ordinal) })
	return v.first + int32(i), ok
}

// put adds a version with its chunks, in place of an equal one that must have been
// removed before.
func (c *catalog) put(r *record) *version {
	d := &r.Document
	v := &version{
		id: d.ID, title: d.Title, published: d.PublishedAt, edition: d.Version, number: int32(len(c.versions)), first: c.len(), size: int32(len(r.Chunks)),
		common: c.shared(d),
	}
	if len(d.Supersedes) > 0 || d.SupersededBy != "" {
		v.replaces = &replaces{targets: d.Supersedes, by: d.SupersededBy}
	}
	c.versions = append(c.versions, v)
	chunks := make([]int, len(r.Chunks))
	for i := range chunks {
		chunks[i] = i
	}
	slices.SortStableFunc(chunks, func(a, b int) int { return r.Chunks[a].Ordinal - r.Chunks[b].Ordinal })
	for _, i := range chunks {
		ch := &r.Chunks[i]
		n := bm25.Packed(ch.Terms).Len()
		c.numberOf.Append(v.number)
		c.rows.Append(row{
			place: c.placed(ch.Kind, ch.HeadingPath), ordinal: int32(ch.Ordinal), start: int32(ch.Start), end: int32(ch.End),
			textAt: ch.textAt, textLen: int32(len(ch.Text)), leadLen: int32(len(ch.Lead)), termsLen: int32(len(ch.Terms)), terms: int32(n),
			vectorsLen: int32(len(ch.Vectors)), edgesLen: int32(len(ch.Edges)),
		})
		c.terms += uint64(n)
	}
	c.link(v)
	v.vis = c.sight(c.visibility(v))
	c.tally(v)
	return v
}

// link lets a version be found by what it is called and by what it supersedes.
func (c *catalog) link(v *version) {
	v.before = c.documents[v.id]
	c.documents[v.id] = v
	for _, target := range v.targets() {
		if c.supersedes[target] == nil {
			c.supersedes[target] = map[*version]bool{}
		}
		c.supersedes[target][v] = true
	}
	if t := foldTitle(v.title); t != "" {
		hash := maphash.String(c.seed, t)
		if v.alike = c.titles[hash]; v.alike != nil && v.alike.title == v.title {
			v.title = v.alike.title // one copy of it
		}
		c.titles[hash] = v
	}
}

// tally counts a version whose visibility is known.
func (c *catalog) tally(v *version) {
	c.live += int(v.size)
	c.count(v.vis, 1)
	c.chunks[v.vis.Collection] += int(v.size)
}

// remove forgets a version; its rows stay empty.
func (c *catalog) remove(v *version) {
	for r := range v.rows() {
		c.terms -= uint64(c.row(r).terms)
		c.facts -= int(c.row(r).edges)
		*c.row(r) = row{}
		*c.numberOf.At(int(r)) = -1
	}
	c.live -= int(v.size)
	if c.chunks[v.vis.Collection] -= int(v.size); c.chunks[v.vis.Collection] == 0 {
		delete(c.chunks, v.vis.Collection)
	}
	c.versions[v.number] = nil
	unlink(c.documents, v.id, v, func(v *version) **version { return &v.before })
	for _, target := range v.targets() {
		delete(c.supersedes[target], v)
		if len(c.supersedes[target]) == 0 {
			delete(c.supersedes, target)
		}
	}
	if t := foldTitle(v.title); t != "" {
		unlink(c.titles, maphash.String(c.seed, t), v, func(v *version) **version { return &v.alike })
	}
	c.count(v.vis, -1)
}

// unlink takes a version out of the chain of a key.
func unlink[K comparable](chains map[K]*version, key K, v *version, next func(*version) **version) {
	if chains[key] == v {
		if rest := *next(v); rest != nil {
			chains[key] = rest
		} else {
			delete(chains, key)
		}
		return
	}
	for o := chains[key]; o != nil; o = *next(o) {
		if *next(o) == v {
			*next(o) = *next(v)
			return
		}
	}
}

// titled are the versions of a title.
func (c *catalog) titled(title string) []*version {
	t := foldTitle(title)
	var out []*version
	for v := c.titles[maphash.String(c.seed, t)]; v != nil; v = v.alike {
		if foldTitle(v.title) == t {
			out = append(out, v)
		}
	}
	return out
}

// affected are the versions whose visibility depends on v.
func (c *catalog) affected(v *version) []*version {
	var out []*version
	for _, target := range v.targets() {
		if o := c.named(target); o != nil {
			out = append(out, o)
		}
		out = append(out, c.of(target)...)
	}
	for _, o := range c.of(v.id) {
		if o.supersededBy() == v.key() {
			out = append(out, o)
		}
	}
	return out
}

// refresh computes the visibility of a version again and reports whether it
// changed.
func (c *catalog) refresh(v *version) bool {
	if !c.has(v) {
		return false
	}
	vis := c.visibility(v)
	if vis.Replaced == v.vis.Replaced && vis.ReplacedFrom.Equal(v.vis.ReplacedFrom) {
		return false
	}
	c.count(v.vis, -1)
	v.vis = c.sight(vis)
	c.count(v.vis, 1)
	return true
}

func (c *catalog) visibility(v *version) retrieval.Visibility {
	vis := retrieval.Visibility{
		Collection: retrieval.Collection(v.common.collection), Domain: retrieval.Domain(v.common.domain), Readers: v.common.readers, ValidFrom: v.common.from, ValidTo: v.common.to,
	}
	replace := func(from time.Time) {
		if !vis.Replaced || from.Before(vis.ReplacedFrom) {
			vis.Replaced, vis.ReplacedFrom = true, from
		}
	}
	if by := v.supersededBy(); by != "" {
		if o := c.named(by); o != nil {
			replace(starts(o))
		} else {
			replace(time.Time{})
		}
	}
	for _, target := range []string{v.key(), v.id} {
		for o := range c.supersedes[target] { // the earliest wins: the order does not matter
			// A document that names itself means its older versions.
			if o != v && (o.id != v.id || o.edition > v.edition) {
				replace(starts(o))
			}
		}
	}
	return vis
}

// starts is the first day on which a version counts: where its validity is open,
// the day on which it was published; zero = always.
func starts(v *version) time.Time {
	if !v.common.from.IsZero() {
		return v.common.from
	}
	return v.published
}

func (c *catalog) count(vis *retrieval.Visibility, by int) {
	if c.collections[vis.Collection] += by; c.collections[vis.Collection] == 0 {
		delete(c.collections, vis.Collection)
	}
	if len(vis.Readers) > 0 && !slices.Contains(vis.Readers, retrieval.Everyone) {
		c.restricted += by
	}
	groups := vis.Readers
	if len(groups) == 0 {
		groups = []string{retrieval.Everyone}
	}
	held := c.readable[vis.Collection]
	if held == nil {
		held = map[string]int{}
		c.readable[vis.Collection] = held
	}
	for _, g := range groups {
		if held[g] += by; held[g] == 0 {
			delete(held, g)
		}
	}
	if len(held) == 0 {
		delete(c.readable, vis.Collection)
	}
	if vis.Replaced || !vis.ValidFrom.IsZero() || !vis.ValidTo.IsZero() {
		c.timed += by
	}
}

// sees reports whether a live version is in the collection and may be read by one of the
// readers or by everyone.
func (c *catalog) sees(collection string, readers []string) bool {
	held := c.readable[collection]
	return held[retrieval.Everyone] > 0 || slices.ContainsFunc(readers, func(r string) bool { return held[r] > 0 })
}

// needs says which parts of a filter can deny a live chunk at all.
func (c *catalog) needs(f retrieval.Filter) bm25.Needs {
	return bm25.Needs{
		Collection: len(c.collections) > 1 || c.collections[f.Collection] == 0,
		Domain:     len(f.Domains) > 0,
		Readers:    c.restricted > 0,
		Time:       c.timed > 0 || f.Outside,
	}
}

// admission answers for rows whether a filter admits them; nil = it admits all that
// are there. Each version is asked once. It is safe for concurrent use, under the
// catalog's lock.
func (c *catalog) admission(f retrieval.Filter) func(row int32) bool {
	if c.needs(f) == (bm25.Needs{}) {
		return nil
	}
	const yes, no = 1, 2
	known := make([]atomic.Uint32, len(c.versions))
	return func(r int32) bool {
		if r >= c.len() {
			return false
		}
		n := *c.numberOf.At(int(r))
		if n < 0 {
			return false
		}
		answer := &known[n]
		if answer.Load() == 0 {
			now := uint32(no)
			if f.Admits(*c.versions[n].vis) {
				now = yes
			}
			answer.Store(now)
		}
		return answer.Load() == yes
	}
}

// passage is the passage of a row with its text. What a cut list or table was cut off
// from stands as the innermost heading, as when its facts were read.
func (c *catalog) passage(r int32, text, lead string) kb.Passage {
	w, v, at := c.row(r), c.version(r), c.place(r)
	headings := at.headings
	if lead != "" {
		headings = append(headings[:len(headings):len(headings)], lead)
	}
	return kb.Passage{
		ID: evidenceID(v, w.ordinal), Text: text, Title: v.title, Source: v.common.source, Domain: v.common.domain, Authority: v.common.authority,
		PublishedAt: v.published, ValidFrom: v.common.from, ValidTo: v.common.to, Supersedes: v.targets(), Kind: at.kind,
		DocumentID: v.id, Version: v.edition, HeadingPath: headings, Start: int(w.start), End: int(w.end),
	}
}
