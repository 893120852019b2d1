// Package opensearch holds the words and the vectors of all chunks in one OpenSearch
// index: it proposes chunks for the BM25 and the dense route.
//
// The index takes the terms that package bm25 has read, so that a term is the same
// here and there, and the vectors as bytes in Lucene's HNSW. Filters are part of every
// question: what a caller may not see is not scored. The scores themselves are
// computed from the log of package index.
package opensearch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	sdk "github.com/opensearch-project/opensearch-go/v4"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/bm25"
	"suffice.dev/suffice/retrieval/dense"
	"suffice.dev/suffice/retrieval/index"
)

// Config says where the index is and what it holds.
type Config struct {
	URL      string // http or https, with host and port; without user and password
	User     string // of HTTP basic authentication; "" = none
	Password string
	Prefix   string        // of the names of indexes: lower case letters, digits, - and _
	Timeout  time.Duration // for one answer to a question; writing may take six times as long

	Words   bool // it holds terms, for the BM25 route
	Vectors bool // it holds vectors, for the dense route
}

// Default returns the settings beside the URL.
func Default() Config {
	return Config{Prefix: "suffice", Timeout: 5 * time.Second, Words: true, Vectors: true}
}

// schema is raised when documents are written in another form; it is part of the
// name of the index, so that an old form is left alone and a new one is built.
const schema = 2

// Limits of what is sent and taken.
const (
	bulkBytes   = 4 << 20
	answerBytes = 64 << 20
	mostHits    = 10_000 // index.max_result_window
	leastNear   = 100    // HNSW searches about as far as it is asked for
	mostTerms   = 1000   // below indices.query.bool.max_clause_count
	writeFactor = 6
	longestID   = 512 // bytes of _id
	stateID     = "state"
	suffix      = "-data" // of the index behind the alias
)

// Index is the index of one form. It is safe for concurrent use once it is opened.
type Index struct {
	cfg    Config
	client *sdk.Client
	name   string // of the index, an alias; set by Open
}

var (
	_ index.WordServer   = (*Index)(nil)
	_ index.VectorServer = (*Index)(nil)
)

// New returns an index that is not connected yet. The error is about the
// configuration.
func New(cfg Config) (*Index, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	client, err := sdk.NewClient(sdk.Config{
		Addresses: []string{cfg.URL}, Username: cfg.User, Password: cfg.Password,
		Transport:    &limited{base: &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}},
		DisableRetry: true, // the next question is the next try
		// One address: it is asked whether it was down a moment ago or not.
		HealthCheckMaxRetries: -1, ResurrectTimeoutInitial: 100 * time.Millisecond, ResurrectTimeoutMax: time.Second, MinimumResurrectTimeout: 50 * time.Millisecond,
	})
	if err != nil {
		return nil, fmt.Errorf("opensearch: %w", err)
	}
	return &Index{cfg: cfg, client: client}, nil
}

// Validate returns all problems, joined.
func (c Config) Validate() error {
	var problems []error
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		problems = append(problems, kb.Invalid("url", "%q is not the address of a server; write http://HOST:PORT or https://HOST:PORT", c.URL))
	case u.User != nil:
		problems = append(problems, kb.Invalid("url", "it holds a user; user and password have keys of their own"))
	}
	if c.Prefix == "" || strings.ContainsFunc(c.Prefix, func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_') }) || strings.ContainsAny(c.Prefix[:1], "-_") {
		problems = append(problems, kb.Invalid("prefix", "%q is not a name of lower case letters, digits, - and _", c.Prefix))
	}
	if c.Timeout < 10*time.Millisecond || c.Timeout > time.Minute {
		problems = append(problems, kb.Invalid("timeout", "%v is not within 10ms..1m", c.Timeout))
	}
	return errors.Join(problems...)
}

// limited bounds what an answer may have, so that a broken server does not fill the
// memory.
type limited struct{ base http.RoundTripper }

func (l *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.base.RoundTrip(r)
	if err == nil {
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, answerBytes), resp.Body}
	}
	return resp, err
}

// Name implements index.Server.
func (x *Index) Name() string { return "opensearch " + x.cfg.URL }

// refusal is an error that the server answered with.
type refusal struct {
	status int
	kind   string
	reason string
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d: %s: %s", r.status, r.kind, r.reason) }

// Is makes a missing index an index.ErrLost.
func (r *refusal) Is(target error) bool {
	return target == index.ErrLost && r.kind == "index_not_found_exception"
}

// do sends a request, with a body of JSON or lines of JSON, and reads the answer
// into out (nil = it does not matter).
func (x *Index) do(ctx context.Context, limit time.Duration, method, path string, body []byte, out any) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, path, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("opensearch: %w", err)
	}
	if body == nil {
		req.Body, req.ContentLength = nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
		if strings.HasSuffix(strings.SplitN(path, "?", 2)[0], "_bulk") || strings.HasSuffix(strings.SplitN(path, "?", 2)[0], "_msearch") {
			req.Header.Set("Content-Type", "application/x-ndjson")
		}
	}
	resp, err := x.client.Perform(req) //nolint:staticcheck // goes with v5; until then its retries are wanted
	if resp != nil {
		defer func() { _ = resp.Body.Close() }() // it was read, or what it says does not matter
	}
	if err != nil {
		return fmt.Errorf("opensearch: %s %s: %w", method, strings.SplitN(path, "?", 2)[0], err)
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("opensearch: %s %s: %w", method, path, err)
	}
	if resp.StatusCode >= 300 {
		var said struct {
			Error struct{ Type, Reason string }
		}
		// What is no JSON leaves the status alone to tell.
		_ = json.Unmarshal(data, &said)
		return fmt.Errorf("opensearch: %s %s: %w", method, strings.SplitN(path, "?", 2)[0], &refusal{resp.StatusCode, said.Error.Type, said.Error.Reason})
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return fmt.Errorf("opensearch: %s %s: the answer cannot be read: %w", method, strings.SplitN(path, "?", 2)[0], err)
	}
	return nil
}

// Open implements index.Server.
func (x *Index) Open(ctx context.Context, form index.Form) (index.State, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %t %t", schema, form.Key, form.Dims, x.cfg.Words, x.cfg.Vectors))
	x.name = x.cfg.Prefix + "-" + hex.EncodeToString(sum[:6])
	err := x.do(ctx, x.cfg.Timeout, http.MethodGet, "/"+x.name, nil, nil)
	if errors.Is(err, index.ErrLost) {
		if err = x.create(ctx, form); err == nil { // until it can be read
			err = x.do(ctx, writeFactor*x.cfg.Timeout, http.MethodGet, "/_cluster/health/"+x.name+"?wait_for_status=yellow&timeout=10s", nil, nil)
		}
	}
	if err != nil {
		return index.State{}, err
	}
	var there struct {
		Found  bool        `json:"found"`
		Source index.State `json:"_source"`
	}
	var r *refusal
	err = x.do(ctx, x.cfg.Timeout, http.MethodGet, "/"+x.name+"/_doc/"+stateID, nil, &there)
	if errors.As(err, &r) && r.status == http.StatusNotFound && r.kind == "" {
		return index.State{}, nil // nothing was written yet
	}
	if err != nil {
		return index.State{}, err
	}
	var count struct {
		Count  *int   `json:"count"`
		Shards shards `json:"_shards"`
	}
	if err := x.do(ctx, x.cfg.Timeout, http.MethodPost, "/"+x.name+"/_count", mustJSON(object{"query": object{"term": object{"o": 0}}}), &count); err != nil {
		return index.State{}, err
	}
	if count.Count == nil || count.Shards.Failed > 0 || !there.Found {
		return index.State{}, errors.New("opensearch: the state is not whole")
	}
	there.Source.Chunks = *count.Count
	return there.Source, nil
}

type object = map[string]any

type shards struct {
	Failed int `json:"failed"`
}

// mustJSON encodes what always has a form: maps, lists, texts and numbers.
func mustJSON(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

func (x *Index) create(ctx context.Context, form index.Form) error {
	keyword, long := object{"type": "keyword"}, object{"type": "long"}
	properties := object{
		"e": keyword,                                                              // evidence id
		"o": long,                                                                 // 0 = the chunk, n = its window n
		"k": keyword,                                                              // id@version
		"d": keyword,                                                              // document
		"g": long,                                                                 // place in the feed
		"c": keyword, "a": keyword, "r": keyword, "f": long, "u": long, "s": long, // retrieval.Stored
		"l": long, // language, of package dense
	}
	if x.cfg.Words {
		// Terms come as they are to be found, with a space between them.
		properties["t"] = object{"type": "text", "analyzer": "whitespace", "index_options": "freqs"}
	}
	if x.cfg.Vectors {
		// The default engine needs native libraries: where they are missing an index is
		// made all the same, and the first write never ends.
		properties["v"] = object{"type": "knn_vector", "dimension": form.Dims, "data_type": "byte",
			"method": object{"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": object{"m": 16, "ef_construction": 128}}}
	}
	body := mustJSON(object{
		"aliases": object{x.name: object{"is_write_index": true}},
		"settings": object{"index": object{
			"knn": x.cfg.Vectors, "number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "5s", "max_result_window": mostHits,
			"similarity": object{"default": object{"type": "BM25", "k1": 1.2, "b": 0.75}},
		}},
		"mappings": object{
			"dynamic": false, "_source": object{"excludes": []string{"t", "v"}}, "properties": properties,
			"_meta": object{"schema": schema, "form": form.Key},
		},
	})
	err := x.do(ctx, writeFactor*x.cfg.Timeout, http.MethodPut, "/"+x.name+suffix, body, nil)
	var r *refusal
	if errors.As(err, &r) && r.kind == "resource_already_exists_exception" {
		return nil // another process was quicker
	}
	return err
}

// Reset implements index.Server.
func (x *Index) Reset(ctx context.Context) error {
	err := x.do(ctx, writeFactor*x.cfg.Timeout, http.MethodDelete, "/"+x.name+suffix, nil, nil)
	if err != nil && !errors.Is(err, index.ErrLost) {
		return err
	}
	return nil
}

// document is a chunk, or a further window of one.
type document struct {
	E string   `json:"e"`
	O int      `json:"o"`
	K string   `json:"k"`
	D string   `json:"d"`
	G int64    `json:"g"`
	C string   `json:"c"`
	A string   `json:"a"`
	R []string `json:"r"`
	F int64    `json:"f"`
	U int64    `json:"u"`
	S int64    `json:"s"`
	L int      `json:"l"`
	T string   `json:"t,omitempty"`
	V []int8   `json:"v,omitempty"`
}

// identity is the _id of a document: long ids are hashed.
func identity(id string, window int) string {
	if window > 0 {
		id += "/" + strconv.Itoa(window)
	}
	if len(id) <= longestID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// Apply implements index.Server.
func (x *Index) Apply(ctx context.Context, b index.Batch) error {
	var buf bytes.Buffer
	flush := func() error {
		if buf.Len() == 0 {
			return nil
		}
		defer buf.Reset()
		return x.bulk(ctx, buf.Bytes())
	}
	add := func(id string, version int64, doc any) error {
		// An older state never replaces a newer one, whoever writes it.
		buf.Write(mustJSON(object{"index": object{"_id": id, "version": version, "version_type": "external_gte"}}))
		buf.WriteByte('\n')
		buf.Write(mustJSON(doc))
		buf.WriteByte('\n')
		if buf.Len() < bulkBytes {
			return nil
		}
		return flush()
	}
	for i := range b.Put {
		c := &b.Put[i]
		s := c.Visibility.Stored()
		d := document{E: c.ID, K: c.Version, D: c.Document, G: c.Seq, C: s.Collection, A: s.Domain, R: s.Readers, F: s.From, U: s.To, S: s.Replaced, L: int(c.Language)}
		windows := 1
		if x.cfg.Vectors {
			windows = max(1, len(c.Windows))
		}
		for w := range windows {
			d.O, d.T, d.V = w, "", nil
			if w == 0 && x.cfg.Words {
				d.T = strings.Join(c.Terms, " ")
			}
			if x.cfg.Vectors && w < len(c.Windows) && c.Windows[w].Scale != 0 {
				d.V = c.Windows[w].Values
			}
			if err := add(identity(c.ID, w), c.Seq, d); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	if len(b.Purge) > 0 {
		if err := x.refresh(ctx); err != nil { // a deletion sees what is visible
			return err
		}
		for _, p := range b.Purge {
			if err := x.purge(ctx, p); err != nil {
				return err
			}
		}
	}
	if b.Last {
		if err := x.refresh(ctx); err != nil {
			return err
		}
	}
	if err := add(stateID, b.State.Seq, b.State); err != nil {
		return err
	}
	return flush()
}

func (x *Index) refresh(ctx context.Context) error {
	var out struct {
		Shards shards `json:"_shards"`
	}
	if err := x.do(ctx, writeFactor*x.cfg.Timeout, http.MethodPost, "/"+x.name+"/_refresh", nil, &out); err != nil {
		return err
	}
	if out.Shards.Failed > 0 {
		return fmt.Errorf("opensearch: refresh: %d shards failed", out.Shards.Failed)
	}
	return nil
}

func (x *Index) bulk(ctx context.Context, lines []byte) error {
	var out struct {
		Took   *int `json:"took"`
		Errors bool `json:"errors"`
		Items  []map[string]struct {
			ID     string `json:"_id"`
			Status int    `json:"status"`
			Error  struct {
				Type   string `json:"type"`
				Reason string `json:"reason"`
			} `json:"error"`
		} `json:"items"`
	}
	// An index that is gone must not come again by itself, without its mapping: what
	// is written goes to an alias that must be there.
	if err := x.do(ctx, writeFactor*x.cfg.Timeout, http.MethodPost, "/"+x.name+"/_bulk?require_alias=true", lines, &out); err != nil {
		return err
	}
	if out.Took == nil {
		return errors.New("opensearch: bulk: the answer cannot be read")
	}
	if !out.Errors {
		return nil
	}
	for _, item := range out.Items {
		for _, r := range item {
			if r.Status >= 300 && r.Status != http.StatusConflict { // a conflict: something newer is there
				return fmt.Errorf("opensearch: bulk: %s: %w", r.ID, &refusal{r.Status, r.Error.Type, r.Error.Reason})
			}
		}
	}
	return nil
}

func (x *Index) purge(ctx context.Context, p index.Purge) error {
	var live, older []object
	var keys []string
	for key, seq := range p.Versions {
		keys = append(keys, key)
		older = append(older, object{"bool": object{"filter": []object{{"term": object{"k": key}}, {"range": object{"g": object{"lt": seq}}}}}})
	}
	if len(keys) > 0 {
		live = []object{{"terms": object{"k": keys}}}
	}
	query := object{"bool": object{
		"filter":               []object{{"term": object{"d": p.Document}}, {"range": object{"g": object{"lte": p.Seq}}}},
		"should":               append(older, object{"bool": object{"must_not": live}}),
		"minimum_should_match": 1,
	}}
	var out struct {
		Failures []json.RawMessage `json:"failures"`
		TimedOut bool              `json:"timed_out"`
		Deleted  *int              `json:"deleted"`
	}
	if err := x.do(ctx, writeFactor*x.cfg.Timeout, http.MethodPost, "/"+x.name+"/_delete_by_query?conflicts=proceed", mustJSON(object{"query": query}), &out); err != nil {
		return err
	}
	if len(out.Failures) > 0 || out.TimedOut || out.Deleted == nil {
		return fmt.Errorf("opensearch: delete: %d failures, timed out %t", len(out.Failures), out.TimedOut)
	}
	return nil
}

// filters is the filter of a question: the parts that some chunk does not pass by
// itself.
func filters(f retrieval.Filter, need bm25.Needs) []object {
	var out []object
	w := f.Wanted()
	if need.Collection {
		out = append(out, object{"term": object{"c": w.Collection}})
	}
	if need.Domain {
		out = append(out, object{"terms": object{"a": w.Domains}})
	}
	if need.Readers {
		out = append(out, object{"terms": object{"r": w.Readers}})
	}
	if need.Time {
		when := []object{{"range": object{"f": object{"lte": w.To}}}, {"range": object{"u": object{"gte": w.From}}}, {"range": object{"s": object{"gte": w.After}}}}
		if w.Outside {
			out = append(out, object{"bool": object{"must_not": object{"bool": object{"filter": when}}}})
		} else {
			out = append(out, when...)
		}
	}
	return out
}

// found is an answer to a search.
type found struct {
	TimedOut bool   `json:"timed_out"`
	Shards   shards `json:"_shards"`
	Status   int    `json:"status"` // of one of several searches
	Error    *struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
	} `json:"error"`
	Hits *struct {
		Total struct {
			Value uint64 `json:"value"`
		} `json:"total"`
		Hits []struct {
			Fields struct {
				E []string `json:"e"`
			} `json:"fields"`
		} `json:"hits"`
	} `json:"hits"`
}

// whole is the error of an answer that is only a part.
func (f *found) whole() error {
	switch {
	case f.Error != nil:
		return fmt.Errorf("opensearch: search: %w", &refusal{f.Status, f.Error.Type, f.Error.Reason})
	case f.TimedOut || f.Shards.Failed > 0 || f.Hits == nil:
		return fmt.Errorf("opensearch: search: a part did not answer (timed out %t, %d shards failed)", f.TimedOut, f.Shards.Failed)
	}
	return nil
}

// ids are the evidence ids of an answer, each once, in its order.
func (f *found) ids() []string {
	out := make([]string, 0, len(f.Hits.Hits))
	seen := make(map[string]bool, len(f.Hits.Hits))
	for _, h := range f.Hits.Hits {
		if len(h.Fields.E) == 1 && !seen[h.Fields.E[0]] {
			seen[h.Fields.E[0]] = true
			out = append(out, h.Fields.E[0])
		}
	}
	return out
}

func (x *Index) search(ctx context.Context, query object, size int) ([]string, error) {
	body := mustJSON(object{"size": min(size, mostHits), "query": query, "_source": false, "docvalue_fields": []string{"e"}, "track_total_hits": false})
	var out found
	if err := x.do(ctx, x.cfg.Timeout, http.MethodPost, "/"+x.name+"/_search?allow_partial_search_results=false", body, &out); err != nil {
		return nil, err
	}
	if err := out.whole(); err != nil {
		return nil, err
	}
	return out.ids(), nil
}

// ByWords implements index.WordServer.
func (x *Index) ByWords(ctx context.Context, terms []bm25.Weighted, f retrieval.Filter, need bm25.Needs, limit int) ([]string, error) {
	terms = terms[:min(len(terms), mostTerms)]
	should := make([]object, len(terms))
	for i, t := range terms {
		should[i] = object{"term": object{"t": object{"value": t.Text, "boost": t.Weight}}}
	}
	return x.search(ctx, object{"bool": object{"should": should, "minimum_should_match": 1, "filter": filters(f, need)}}, limit)
}

// Frequencies implements index.WordServer: one search for each term, all in one
// request. Terms beyond the first thousand of a question count as unknown.
func (x *Index) Frequencies(ctx context.Context, terms []string) ([]uint64, error) {
	out := make([]uint64, len(terms))
	terms = terms[:min(len(terms), mostTerms)]
	if len(terms) == 0 {
		return out, nil
	}
	var body bytes.Buffer
	for _, t := range terms {
		body.WriteString("{\"allow_partial_search_results\":false}\n")
		body.Write(mustJSON(object{"size": 0, "track_total_hits": true, "query": object{"term": object{"t": t}}}))
		body.WriteByte('\n')
	}
	var answers struct {
		Responses []found `json:"responses"`
	}
	if err := x.do(ctx, x.cfg.Timeout, http.MethodPost, "/"+x.name+"/_msearch", body.Bytes(), &answers); err != nil {
		return nil, err
	}
	if len(answers.Responses) != len(terms) {
		return nil, fmt.Errorf("opensearch: %d answers to %d questions", len(answers.Responses), len(terms))
	}
	for i := range answers.Responses {
		if err := answers.Responses[i].whole(); err != nil {
			return nil, err
		}
		out[i] = answers.Responses[i].Hits.Total.Value
	}
	return out, nil
}

// Nearest implements index.VectorServer.
func (x *Index) Nearest(ctx context.Context, s dense.Sought, f retrieval.Filter, need bm25.Needs, limit int) ([]string, error) {
	k := min(max(limit, leastNear), mostHits)
	near := object{"vector": s.Vector.Values, "k": k}
	parts := filters(f, need)
	if s.In != dense.Unknown {
		parts = append(parts, object{"term": object{"l": int(s.In)}})
	}
	if s.But != dense.Unknown {
		parts = append(parts, object{"bool": object{"must_not": object{"term": object{"l": int(s.But)}}}})
	}
	if len(parts) > 0 {
		near["filter"] = object{"bool": object{"filter": parts}}
	}
	return x.search(ctx, object{"knn": object{"v": near}}, k)
}
