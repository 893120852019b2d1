package index

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
)

// catalog is what the index knows of documents in memory. Rows number the chunks;
// a deleted row stays empty until the next open.
type catalog struct {
	versions   map[string]*version // by id@version
	documents  map[string][]*version
	titles     map[string][]*version        // by folded title
	supersedes map[string]map[*version]bool // target (id or id@version) to the versions that name it
	rows       []row
	places     map[string]*place // by what they hold
	numberOf   []int32           // by row: the number of its version; -1 = deleted
	live       int               // rows
	terms      uint64            // in all live rows

	collections map[string]int // live versions by collection
	chunks      map[string]int // live rows by collection
	restricted  int            // live versions that not everyone may read
	timed       int            // live versions with a validity or a superseding version
	numbers     int            // version numbers given out

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

// version is a document version.
type version struct {
	doc    kb.Document // without Text
	number int
	vis    retrieval.Visibility
	rows   []int32 // by ordinal

	touched int64 // place in the feed at which it was written or its visibility changed
}

// row is a chunk.
type row struct {
	version *version // nil = deleted
	*place
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

// place is the one place of this kind under these headings.
func (c *catalog) place(kind string, headings []string) *place {
	key := kind + "\x00" + strings.Join(headings, "\x00")
	p := c.places[key]
	if p == nil {
		p = &place{kind: kind, headings: headings}
		c.places[key] = p
	}
	return p
}

func newCatalog() *catalog {
	return &catalog{
		versions: map[string]*version{}, documents: map[string][]*version{}, supersedes: map[string]map[*version]bool{}, titles: map[string][]*version{}, places: map[string]*place{}, collections: map[string]int{}, chunks: map[string]int{},
	}
}

func versionKey(id string, version int) string { return id + "@" + strconv.Itoa(version) }

func (v *version) key() string { return versionKey(v.doc.ID, v.doc.Version) }

// evidenceID is the id of a chunk.
func evidenceID(v *version, ordinal int32) string {
	return v.key() + "#" + strconv.Itoa(int(ordinal))
}

// find returns the row of an evidence id.
func (c *catalog) find(id string) (int32, bool) {
	at := strings.LastIndexByte(id, '#')
	if at < 0 {
		return 0, false
	}
	v := c.versions[id[:at]]
	if v == nil {
		return 0, false
	}
	ordinal, err := strconv.Atoi(id[at+1:])
	if err != nil {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(v.rows, ordinal, func(r int32, o int) int { return int(c.rows[r].ordinal) - o })
	if !ok {
		return 0, false
	}
	return v.rows[i], true
}

// put adds a version with its chunks, in place of an equal one that must have been
// removed before.
func (c *catalog) put(r *record) *version {
	v := &version{doc: r.Document, number: c.numbers}
	c.numbers++
	chunks := make([]int, len(r.Chunks))
	for i := range chunks {
		chunks[i] = i
	}
	slices.SortStableFunc(chunks, func(a, b int) int { return r.Chunks[a].Ordinal - r.Chunks[b].Ordinal })
	for _, i := range chunks {
		ch := &r.Chunks[i]
		n := bm25.Packed(ch.Terms).Len()
		v.rows = append(v.rows, int32(len(c.rows)))
		c.numberOf = append(c.numberOf, int32(v.number))
		c.rows = append(c.rows, row{
			version: v, place: c.place(ch.Kind, ch.HeadingPath), ordinal: int32(ch.Ordinal), start: int32(ch.Start), end: int32(ch.End),
			textAt: ch.textAt, textLen: int32(len(ch.Text)), leadLen: int32(len(ch.Lead)), termsLen: int32(len(ch.Terms)), terms: int32(n),
			vectorsLen: int32(len(ch.Vectors)), edgesLen: int32(len(ch.Edges)),
		})
		c.terms += uint64(n)
	}
	c.live += len(v.rows)
	c.versions[v.key()] = v
	c.documents[v.doc.ID] = append(c.documents[v.doc.ID], v)
	for _, target := range v.doc.Supersedes {
		if c.supersedes[target] == nil {
			c.supersedes[target] = map[*version]bool{}
		}
		c.supersedes[target][v] = true
	}
	if t := foldTitle(v.doc.Title); t != "" {
		c.titles[t] = append(c.titles[t], v)
	}
	v.vis = c.visibility(v)
	c.count(v.vis, 1)
	c.chunks[v.vis.Collection] += len(v.rows)
	return v
}

// remove forgets a version; its rows stay empty.
func (c *catalog) remove(v *version) {
	for _, r := range v.rows {
		c.terms -= uint64(c.rows[r].terms)
		c.facts -= int(c.rows[r].edges)
		c.rows[r] = row{}
		c.numberOf[r] = -1
	}
	c.live -= len(v.rows)
	if c.chunks[v.vis.Collection] -= len(v.rows); c.chunks[v.vis.Collection] == 0 {
		delete(c.chunks, v.vis.Collection)
	}
	delete(c.versions, v.key())
	c.documents[v.doc.ID] = slices.DeleteFunc(c.documents[v.doc.ID], func(o *version) bool { return o == v })
	if len(c.documents[v.doc.ID]) == 0 {
		delete(c.documents, v.doc.ID)
	}
	for _, target := range v.doc.Supersedes {
		delete(c.supersedes[target], v)
		if len(c.supersedes[target]) == 0 {
			delete(c.supersedes, target)
		}
	}
	t := foldTitle(v.doc.Title)
	if c.titles[t] = slices.DeleteFunc(c.titles[t], func(o *version) bool { return o == v }); len(c.titles[t]) == 0 {
		delete(c.titles, t)
	}
	c.count(v.vis, -1)
}

// affected are the versions whose visibility depends on v.
func (c *catalog) affected(v *version) []*version {
	var out []*version
	for _, target := range v.doc.Supersedes {
		if o := c.versions[target]; o != nil {
			out = append(out, o)
		}
		out = append(out, c.documents[target]...)
	}
	for _, o := range c.documents[v.doc.ID] {
		if o.doc.SupersededBy == v.key() {
			out = append(out, o)
		}
	}
	return out
}

// refresh computes the visibility of a version again and reports whether it
// changed.
func (c *catalog) refresh(v *version) bool {
	if c.versions[v.key()] != v {
		return false
	}
	vis := c.visibility(v)
	if vis.Replaced == v.vis.Replaced && vis.ReplacedFrom.Equal(v.vis.ReplacedFrom) {
		return false
	}
	c.count(v.vis, -1)
	v.vis = vis
	c.count(vis, 1)
	return true
}

func (c *catalog) visibility(v *version) retrieval.Visibility {
	vis := retrieval.Visibility{
		Collection: retrieval.Collection(v.doc.Collection), Domain: retrieval.Domain(v.doc.Domain), Readers: v.doc.Readers, ValidFrom: v.doc.ValidFrom, ValidTo: v.doc.ValidTo,
	}
	replace := func(from time.Time) {
		if !vis.Replaced || from.Before(vis.ReplacedFrom) {
			vis.Replaced, vis.ReplacedFrom = true, from
		}
	}
	if by := v.doc.SupersededBy; by != "" {
		if o := c.versions[by]; o != nil {
			replace(starts(o))
		} else {
			replace(time.Time{})
		}
	}
	for _, target := range []string{v.key(), v.doc.ID} {
		for o := range c.supersedes[target] { // the earliest wins: the order does not matter
			// A document that names itself means its older versions.
			if o != v && (o.doc.ID != v.doc.ID || o.doc.Version > v.doc.Version) {
				replace(starts(o))
			}
		}
	}
	return vis
}

// starts is the first day on which a version counts: where its validity is open,
// the day on which it was published; zero = always.
func starts(v *version) time.Time {
	if !v.doc.ValidFrom.IsZero() {
		return v.doc.ValidFrom
	}
	return v.doc.PublishedAt
}

func (c *catalog) count(vis retrieval.Visibility, by int) {
	if c.collections[vis.Collection] += by; c.collections[vis.Collection] == 0 {
		delete(c.collections, vis.Collection)
	}
	if len(vis.Readers) > 0 && !slices.Contains(vis.Readers, retrieval.Everyone) {
		c.restricted += by
	}
	if vis.Replaced || !vis.ValidFrom.IsZero() || !vis.ValidTo.IsZero() {
		c.timed += by
	}
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
	known := make([]atomic.Uint32, c.numbers)
	return func(r int32) bool {
		if int(r) >= len(c.numberOf) || c.numberOf[r] < 0 {
			return false
		}
		answer := &known[c.numberOf[r]]
		if answer.Load() == 0 {
			now := uint32(no)
			if f.Admits(c.rows[r].version.vis) {
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
	x := &c.rows[r]
	d := &x.version.doc
	headings := x.headings
	if lead != "" {
		headings = append(headings[:len(headings):len(headings)], lead)
	}
	return kb.Passage{
		ID: evidenceID(x.version, x.ordinal), Text: text, Title: d.Title, Source: d.Source, Domain: d.Domain, Authority: d.Authority,
		PublishedAt: d.PublishedAt, ValidFrom: d.ValidFrom, ValidTo: d.ValidTo, Supersedes: d.Supersedes, Kind: x.kind,
		DocumentID: d.ID, Version: d.Version, HeadingPath: headings, Start: int(x.start), End: int(x.end),
	}
}
