// Package bm25 is the lexical route: a bleve index on disk finds the candidates,
// and textbook BM25 over their stored term counts scores them, as the share of the
// best score that the question allows.
//
// bleve's own scores are not used: they are no textbook BM25 and do not compare
// between queries. The index is derived from the store and can be rebuilt.
package bm25

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/search/query"
	index "github.com/blevesearch/bleve_index_api"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
)

// Config sets the lexical route. It can differ from request to request.
type Config struct {
	K1 float64 // saturation of term counts, 0..10
	B  float64 // length normalisation, 0..1
	// Pool is how many chunks bleve proposes for scoring, at least the number asked
	// for; 1..10000. It orders otherwise than BM25, so a wider pool finds more.
	Pool int
	// ExpansionBoost is the weight of an expansion term of weight 1 beside the
	// question's own words, 0..1.
	ExpansionBoost float64
}

// Default returns the shipped configuration: the textbook constants.
func Default() Config { return Config{K1: 1.2, B: 0.75, Pool: 200, ExpansionBoost: 0.4} }

// Validate returns all problems, joined.
func (c Config) Validate() error {
	var problems []error
	if !(c.K1 >= 0 && c.K1 <= 10) {
		problems = append(problems, kb.Invalid("bm25.k1", "%v is not in 0..10", c.K1))
	}
	if !(c.B >= 0 && c.B <= 1) {
		problems = append(problems, kb.Invalid("bm25.b", "%v is not in 0..1", c.B))
	}
	if c.Pool < 1 || c.Pool > 10000 {
		problems = append(problems, kb.Invalid("bm25.pool", "%d is not in 1..10000", c.Pool))
	}
	if !(c.ExpansionBoost >= 0 && c.ExpansionBoost <= 1) {
		problems = append(problems, kb.Invalid("bm25.expansion_boost", "%v is not in 0..1", c.ExpansionBoost))
	}
	return errors.Join(problems...)
}

// Chunk is what is indexed of a chunk.
type Chunk struct {
	ID         string // evidence id
	Terms      []string
	Visibility retrieval.Visibility
}

// Index is the bleve index in a folder of its own. One process owns it.
// It is safe for concurrent use.
type Index struct {
	path string
	mu   sync.RWMutex // guards the swap of bleve in Reset and Close
	b    bleve.Index
}

// Field names.
const (
	fieldText       = "t"
	fieldCollection = "c"
	fieldDomain     = "d"
	fieldReader     = "r"
	fieldFrom       = "f" // first valid day
	fieldTo         = "u" // last valid day
	fieldReplaced   = "s" // first day on which a superseding version is valid
)

var seqKey = []byte("suffice.seq")

// Open opens the index in the folder, or makes an empty one. Damaged files give
// retrieval.ErrCorrupt: remove the folder and index again.
func Open(path string) (*Index, error) {
	x := &Index{path: path}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := x.create(); err != nil {
			return nil, err
		}
		return x, nil
	}
	b, err := bleve.OpenUsing(path, settings())
	if err != nil && strings.Contains(err.Error(), "timeout") { // bolt's lock
		return nil, fmt.Errorf("open lexical index: %w: another process uses %s", kb.ErrUnavailable, path)
	}
	if err != nil {
		return nil, fmt.Errorf("open lexical index: %w: %w", retrieval.ErrCorrupt, err)
	}
	x.b = b
	return x, nil
}

// settings are bleve's. Segments are merged later and more at once than by default:
// a folder that is ingested writes many small ones, and each merge writes all their
// terms again, while a question hardly feels ten segments more.
func settings() map[string]any {
	return map[string]any{
		"bolt_timeout":           "2s",
		"scorchMergePlanOptions": map[string]any{"MaxSegmentsPerTier": 20, "SegmentsPerMergeTask": 20, "FloorSegmentSize": 500},
	}
}

func (x *Index) create() error {
	m := bleve.NewIndexMapping()
	m.ScoringModel = index.BM25Scoring
	b, err := bleve.NewUsing(x.path, m, scorch.Name, scorch.Name, settings())
	if err != nil {
		return fmt.Errorf("create lexical index: %w", err)
	}
	x.b = b
	return nil
}

// Reset empties the index.
func (x *Index) Reset() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	closing := x.b.Close()
	if err := os.RemoveAll(x.path); err != nil {
		return fmt.Errorf("reset lexical index: %w", errors.Join(closing, err))
	}
	return x.create()
}

// Close releases the files.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.b.Close(); err != nil {
		return fmt.Errorf("close lexical index: %w", err)
	}
	return nil
}

// Apply writes and deletes chunks and notes seq, all at once: after a crash either
// everything is there or nothing.
func (x *Index) Apply(put []Chunk, remove []string, seq int64) error {
	x.mu.RLock()
	defer x.mu.RUnlock()
	batch := x.b.NewBatch()
	for _, id := range remove {
		batch.Delete(id)
	}
	for _, c := range put {
		if err := batch.IndexAdvanced(indexed(c)); err != nil {
			return fmt.Errorf("index %s: %w", c.ID, err)
		}
	}
	batch.SetInternal(seqKey, binary.LittleEndian.AppendUint64(nil, uint64(seq)))
	if err := x.b.Batch(batch); err != nil {
		return fmt.Errorf("write lexical index: %w", err)
	}
	return nil
}

// Seq is the seq of the last Apply, 0 for an empty index.
func (x *Index) Seq() (int64, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	v, err := x.b.GetInternal(seqKey)
	if err != nil {
		return 0, fmt.Errorf("lexical index: %w: %w", retrieval.ErrCorrupt, err)
	}
	if len(v) != 8 {
		return 0, nil
	}
	return int64(binary.LittleEndian.Uint64(v)), nil
}

// Count is the number of chunks.
func (x *Index) Count() (uint64, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n, err := x.b.DocCount()
	if err != nil {
		return 0, fmt.Errorf("lexical index: %w: %w", retrieval.ErrCorrupt, err)
	}
	return n, nil
}

// precomputed hands the terms of a chunk to bleve as they are.
type precomputed []string

func (p precomputed) Analyze([]byte) analysis.TokenStream {
	out := make(analysis.TokenStream, len(p))
	for i, t := range p {
		out[i] = &analysis.Token{Term: []byte(t), Position: i + 1, Type: analysis.AlphaNumeric}
	}
	return out
}

// whole hands a value to bleve as one term.
type whole struct{}

func (whole) Analyze(value []byte) analysis.TokenStream {
	return analysis.TokenStream{&analysis.Token{Term: value, Position: 1, End: len(value), Type: analysis.AlphaNumeric}}
}

func indexed(c Chunk) *document.Document {
	d := document.NewDocument(c.ID)
	s := c.Visibility.Stored()
	only := index.IndexField
	d.AddField(document.NewTextFieldCustom(fieldText, nil, nil, only, precomputed(c.Terms)))
	d.AddField(document.NewTextFieldCustom(fieldCollection, nil, []byte(s.Collection), only, whole{}))
	d.AddField(document.NewTextFieldCustom(fieldDomain, nil, []byte(s.Domain), only, whole{}))
	for i, r := range s.Readers {
		d.AddField(document.NewTextFieldCustom(fieldReader, []uint64{uint64(i)}, []byte(r), only, whole{}))
	}
	d.AddField(document.NewNumericFieldWithIndexingOptions(fieldFrom, nil, float64(s.From), only))
	d.AddField(document.NewNumericFieldWithIndexingOptions(fieldTo, nil, float64(s.To), only))
	d.AddField(document.NewNumericFieldWithIndexingOptions(fieldReplaced, nil, float64(s.Replaced), only))
	return d
}

// Needs says which parts of the filter some live chunk does not pass by itself;
// parts that all pass need not be asked of bleve.
type Needs struct {
	Collection, Domain, Readers, Time bool
}

// filterQuery is the filter in bleve's words; nil when nothing is to be filtered.
func filterQuery(f retrieval.Filter, need Needs) query.Query {
	var parts []query.Query
	w := f.Wanted()
	if need.Collection {
		parts = append(parts, exact(fieldCollection, w.Collection))
	}
	if need.Domain {
		parts = append(parts, oneOf(fieldDomain, w.Domains))
	}
	if need.Readers {
		parts = append(parts, oneOf(fieldReader, w.Readers))
	}
	if need.Time {
		when := inTime(w)
		if f.Outside {
			// bleve wants something that must be beside what must not.
			parts = append(parts, query.NewBooleanQuery([]query.Query{query.NewMatchAllQuery()}, nil, []query.Query{query.NewConjunctionQuery(when)}))
		} else {
			parts = append(parts, when...)
		}
	}
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return query.NewConjunctionQuery(parts)
}

// inTime are the conditions under which a chunk counts on the days of a question.
func inTime(w retrieval.Wanted) []query.Query {
	const least, most = -retrieval.OpenDay, retrieval.OpenDay
	parts := []query.Query{between(fieldReplaced, float64(w.After), most)}
	if w.To < most {
		parts = append(parts, between(fieldFrom, least, float64(w.To)))
	}
	if w.From > least {
		parts = append(parts, between(fieldTo, float64(w.From), most))
	}
	return parts
}

func exact(field, value string) query.Query {
	q := query.NewTermQuery(value)
	q.SetField(field)
	return q
}

// oneOf wants at least one value.
func oneOf(field string, values []string) query.Query {
	if len(values) == 1 {
		return exact(field, values[0])
	}
	parts := make([]query.Query, len(values))
	for i, v := range values {
		parts[i] = exact(field, v)
	}
	return query.NewDisjunctionQuery(parts)
}

func between(field string, lo, hi float64) query.Query {
	yes := true
	q := query.NewNumericRangeInclusiveQuery(&lo, &hi, &yes, &yes)
	q.SetField(field)
	return q
}

// Counts gives the stored term counts of a chunk, until it is called again; false when
// the chunk is gone or not admitted.
type Counts func(id string) (Packed, bool)

// Stats are what scores depend on besides the chunk: how many live chunks there are,
// how many terms they have together, and how many hold each term. bleve knows it too,
// deleted chunks included, and reads it out of every segment for every question.
type Stats struct {
	Chunks  int
	Terms   uint64
	holders map[uint32]uint32 // by hash of the term
}

// Add counts a chunk.
func (s *Stats) Add(p Packed) {
	if s.holders == nil {
		s.holders = map[uint32]uint32{}
	}
	s.Chunks++
	s.Terms += uint64(p.Len())
	for hash := range p.hashes() {
		s.holders[hash]++
	}
}

// Remove takes back an Add of the same chunk.
func (s *Stats) Remove(p Packed) {
	s.Chunks--
	s.Terms -= uint64(p.Len())
	for hash := range p.hashes() {
		if s.holders[hash]--; s.holders[hash] == 0 {
			delete(s.holders, hash)
		}
	}
}

// Append adds the stored form of the counts to buf: chunks and terms, then hash and count of
// each term, little endian.
func (s *Stats) Append(buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, uint64(s.Chunks))
	buf = binary.LittleEndian.AppendUint64(buf, s.Terms)
	for hash, n := range s.holders {
		buf = binary.LittleEndian.AppendUint32(buf, hash)
		buf = binary.LittleEndian.AppendUint32(buf, n)
	}
	return buf
}

// ReadStats reads what Append wrote; retrieval.ErrCorrupt for bytes of another length.
func ReadStats(data []byte) (*Stats, error) {
	if len(data) < 16 || len(data)%8 != 0 {
		return nil, fmt.Errorf("term counts: %w: %d bytes", retrieval.ErrCorrupt, len(data))
	}
	s := &Stats{Chunks: int(binary.LittleEndian.Uint64(data)), Terms: binary.LittleEndian.Uint64(data[8:])}
	data = data[16:]
	s.holders = make(map[uint32]uint32, len(data)/8)
	for ; len(data) > 0; data = data[8:] {
		s.holders[binary.LittleEndian.Uint32(data)] = binary.LittleEndian.Uint32(data[4:])
	}
	return s, nil
}

// Prepared is a question made ready for scoring against one state of the index.
type Prepared struct {
	cfg     Config
	terms   []term
	average float64
}

// Weighted is a term of a question with its weight, above 0, at most 1.
type Weighted struct {
	Text   string
	Weight float64
}

// Read reads the terms out of a question. Nothing scores before Weigh.
func Read(cfg Config, q retrieval.Query) Prepared {
	return Prepared{cfg: cfg, terms: queryTerms(q.Text, q.Analysis.Expansions, cfg.ExpansionBoost)}
}

// Terms are the terms of the question.
func (p Prepared) Terms() []Weighted {
	out := make([]Weighted, len(p.terms))
	for i, t := range p.terms {
		out[i] = Weighted{t.text, t.weight}
	}
	return out
}

// Weigh sets what scoring needs of the whole index: how many chunks there are, how
// many terms they have, and how many chunks hold each term of Terms.
func (p *Prepared) Weigh(chunks, terms uint64, frequencies []uint64) {
	for i := range p.terms {
		p.terms[i].df, p.terms[i].idf = frequencies[i], idf(chunks, frequencies[i])
	}
	if chunks > 0 {
		p.average = float64(terms) / float64(chunks)
	}
}

// Prepare reads the terms of a question and weighs them by how rare they are.
func Prepare(cfg Config, q retrieval.Query, s *Stats) Prepared {
	p := Read(cfg, q)
	frequencies := make([]uint64, len(p.terms))
	for i, t := range p.terms {
		frequencies[i] = uint64(s.holders[t.hash])
	}
	p.Weigh(uint64(s.Chunks), s.Terms, frequencies)
	return p
}

// Score is the calibrated score of a chunk, 0..1.
func (p Prepared) Score(c Packed) float64 {
	return calibrate(coverage(p.cfg, p.terms, c, p.average))
}

// Search returns the best chunks that the filter admits, scored and ordered.
func (x *Index) Search(ctx context.Context, p Prepared, f retrieval.Filter, need Needs, limit int, counts Counts) ([]retrieval.Hit, error) {
	if len(p.terms) == 0 {
		return nil, nil
	}
	finding := proposing(p.terms)
	hits, err := x.propose(ctx, p, finding, f, need, limit, counts)
	if err == nil && len(hits) < limit && len(finding) < len(p.terms) {
		hits, err = x.propose(ctx, p, p.terms, f, need, limit, counts)
	}
	return hits, err
}

// Terms that more chunks hold than frequent, and together make no more than
// frequentShare of what the question's terms can score, do not propose chunks: a
// chunk that holds nothing but such terms covers too little to come among the first,
// while each costs bleve a look at all its chunks.
const (
	frequent      = 1000
	frequentShare = 0.35
)

// proposing are the terms by which chunks are proposed for scoring; all of them count
// in the score.
func proposing(terms []term) []term {
	order := slices.Clone(terms)
	slices.SortStableFunc(order, func(a, b term) int { return cmp.Compare(b.df, a.df) })
	rest := 0.0
	for _, t := range order {
		rest += t.weight * t.idf
	}
	left := frequentShare * rest
	for len(order) > 1 && order[0].df > frequent && order[0].weight*order[0].idf <= left {
		left -= order[0].weight * order[0].idf
		order = order[1:]
	}
	return order
}

// propose asks bleve for chunks by the terms and scores them by all terms.
func (x *Index) propose(ctx context.Context, p Prepared, terms []term, f retrieval.Filter, need Needs, limit int, counts Counts) ([]retrieval.Hit, error) {
	some := make([]query.Query, len(terms))
	for i, t := range terms {
		q := query.NewTermQuery(t.text)
		q.SetField(fieldText)
		// bleve multiplies by its idf once more than BM25 does: take one out.
		q.SetBoost(t.weight / math.Max(t.idf, 0.05))
		some[i] = q
	}
	root := query.NewBooleanQuery(nil, some, nil)
	root.SetMinShould(1)
	if fq := filterQuery(f, need); fq != nil {
		root.AddFilter(fq)
	}
	// Sorted by score alone: to sort ties by id, bleve would read the id of every match.
	req := bleve.NewSearchRequestOptions(root, p.Pool(limit), 0, false)
	x.mu.RLock()
	found, err := x.b.SearchInContext(ctx, req)
	x.mu.RUnlock()
	if err != nil {
		return nil, translate(err)
	}
	ids := make([]string, len(found.Hits))
	for i, h := range found.Hits {
		ids[i] = h.ID
	}
	return p.Best(ids, limit, counts), nil
}

// Pool is how many chunks are to be proposed for a limit.
func (p Prepared) Pool(limit int) int { return max(p.cfg.Pool, limit) }

// Best scores proposed chunks and returns the best, ordered; those that are gone or
// hold nothing of the question are left out.
func (p Prepared) Best(ids []string, limit int, counts Counts) []retrieval.Hit {
	hits := make([]retrieval.Hit, 0, len(ids))
	for _, id := range ids {
		c, ok := counts(id)
		if !ok {
			continue
		}
		if s := p.Score(c); s > 0 {
			hits = append(hits, retrieval.Hit{ID: id, Score: s})
		}
	}
	return retrieval.Best(hits, limit)
}

// translate names damage: a damaged segment opens without complaint and shows
// itself as a read past its end.
func translate(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("lexical index: %w: %w", retrieval.ErrCorrupt, err)
	}
	return fmt.Errorf("lexical index: %w", err)
}
