// Package neo4j holds the facts of all chunks in a Neo4j database: it proposes chunks
// for the graph route.
//
// A fact is a node that TOUCHES its terms and is OF a document version; so it can join
// more than two of them. Every query is a constant with parameters. What a question
// reads runs in read transactions with a time limit, after everything that this
// process has written (bookmarks).
package neo4j

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	sdk "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/graph"
	"suffice.dev/suffice/retrieval/index"
)

// Config says where the database is.
type Config struct {
	URL      string // neo4j://, bolt:// and their +s and +ssc forms, with host and port
	User     string
	Password string
	Database string        // "" = the server's default
	Space    string        // which of several users of one database; letters, digits, - and _
	Timeout  time.Duration // of one query of a question; writing may take six times as long
}

// Default returns the settings beside the URL.
func Default() Config { return Config{User: "neo4j", Space: "suffice", Timeout: 5 * time.Second} }

// ErrRefused says that the server does not take user and password.
var ErrRefused = errors.New("user or password refused")

// schema is raised when facts are written in another form.
const schema = 3

const (
	writeFactor = 6
	batchFacts  = 1000
	longestKey  = 1000 // bytes of a term, beyond which it is hashed: an index has a limit
	mostKeys    = 1000 // below the clauses that a full-text query may have
)

// In the queries below what is reached over a relationship has no label: with one, the
// planner may look through all nodes of the label instead of following it.

// migrations make the constraints and indexes. Each can run again.
var migrations = []string{
	`CREATE CONSTRAINT suffice_state IF NOT EXISTS FOR (s:SufficeState) REQUIRE s.id IS UNIQUE`,
	`CREATE CONSTRAINT suffice_term IF NOT EXISTS FOR (t:SufficeTerm) REQUIRE t.id IS UNIQUE`,
	`CREATE CONSTRAINT suffice_version IF NOT EXISTS FOR (v:SufficeVersion) REQUIRE v.id IS UNIQUE`,
	`CREATE CONSTRAINT suffice_fact IF NOT EXISTS FOR (f:SufficeFact) REQUIRE f.id IS UNIQUE`,
	`CREATE INDEX suffice_document IF NOT EXISTS FOR (v:SufficeVersion) ON (v.document)`,
	`CREATE INDEX suffice_version_space IF NOT EXISTS FOR (v:SufficeVersion) ON (v.space)`,
	`CREATE INDEX suffice_fact_space IF NOT EXISTS FOR (f:SufficeFact) ON (f.space)`,
	`CREATE INDEX suffice_term_space IF NOT EXISTS FOR (t:SufficeTerm) ON (t.space)`,
	"CREATE FULLTEXT INDEX suffice_facts IF NOT EXISTS FOR (f:SufficeFact) ON EACH [f.space, f.terms] OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}",
}

// Graph is the database. It is safe for concurrent use once it is opened.
type Graph struct {
	cfg      Config
	driver   sdk.DriverWithContext
	space    string // with the form; set by Open
	migrated bool
}

var _ index.FactServer = (*Graph)(nil)

// New returns a graph that is not connected yet. The error is about the
// configuration.
func New(cfg Config) (*Graph, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	driver, err := sdk.NewDriverWithContext(cfg.URL, sdk.BasicAuth(cfg.User, cfg.Password, ""), func(c *config.Config) {
		c.SocketConnectTimeout = cfg.Timeout
		c.ConnectionAcquisitionTimeout = cfg.Timeout
		c.MaxTransactionRetryTime = cfg.Timeout
		c.TelemetryDisabled = true
		c.MaxConnectionPoolSize = 32
	})
	if err != nil {
		return nil, kb.Invalid("url", "%q is not the address of a Neo4j server; write neo4j://HOST:PORT or bolt://HOST:PORT", cfg.URL)
	}
	return &Graph{cfg: cfg, driver: driver}, nil
}

// Validate returns all problems, joined.
func (c Config) Validate() error {
	var problems []error
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Host == "" || !slices.Contains([]string{"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"}, u.Scheme):
		problems = append(problems, kb.Invalid("url", "%q is not the address of a Neo4j server; write neo4j://HOST:PORT or bolt://HOST:PORT", c.URL))
	case u.User != nil:
		problems = append(problems, kb.Invalid("url", "it holds a user; user and password have keys of their own"))
	}
	if c.Space == "" || strings.ContainsFunc(c.Space, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	}) {
		problems = append(problems, kb.Invalid("space", "%q is not a name of letters, digits, - and _", c.Space))
	}
	if c.Timeout < 10*time.Millisecond || c.Timeout > time.Minute {
		problems = append(problems, kb.Invalid("timeout", "%v is not within 10ms..1m", c.Timeout))
	}
	return errors.Join(problems...)
}

// Close lets go of the connections.
func (g *Graph) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := g.driver.Close(ctx); err != nil {
		return fmt.Errorf("neo4j: close: %w", err)
	}
	return nil
}

// Name implements index.Server.
func (g *Graph) Name() string { return "neo4j " + g.cfg.URL }

type params = map[string]any

// run runs a query in a transaction of its own, read or write, and returns its
// records.
func (g *Graph) run(ctx context.Context, write bool, query string, p params) ([]*sdk.Record, error) {
	if write {
		return g.within(ctx, writeFactor*g.cfg.Timeout, sdk.ExecuteQueryWithWritersRouting(), query, p)
	}
	return g.within(ctx, g.cfg.Timeout, sdk.ExecuteQueryWithReadersRouting(), query, p)
}

func (g *Graph) within(ctx context.Context, limit time.Duration, routing sdk.ExecuteQueryConfigurationOption, query string, p params) ([]*sdk.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if p == nil {
		p = params{}
	}
	result, err := sdk.ExecuteQuery(ctx, g.driver, query, p, sdk.EagerResultTransformer, routing,
		sdk.ExecuteQueryWithDatabase(g.cfg.Database), sdk.ExecuteQueryWithTransactionConfig(sdk.WithTxTimeout(limit)))
	if err == nil {
		return result.Records, nil
	}
	return nil, g.failed(ctx, err)
}

// failed is the error of a query.
func (g *Graph) failed(ctx context.Context, err error) error {
	var said *sdk.Neo4jError
	if errors.As(err, &said) && strings.HasPrefix(said.Code, "Neo.ClientError.Security.") {
		return fmt.Errorf("neo4j: %w: %s", ErrRefused, said.Code)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("neo4j: %w: %w", ctx.Err(), err) // the driver hides it
	}
	return fmt.Errorf("neo4j: %w", err)
}

// id is a name that is unique in the database: two forms, or two users of one
// database, do not meet.
func (g *Graph) id(name string) string { return g.space + ":" + name }

func (g *Graph) term(key string) string {
	if len(key) > longestKey {
		sum := sha256.Sum256([]byte(key))
		key = "~" + hex.EncodeToString(sum[:])
	}
	return g.id(key)
}

// Check connects once: the error is an ErrRefused where user and password are wrong.
func (g *Graph) Check(ctx context.Context) error {
	_, err := g.run(ctx, false, `RETURN 1`, nil)
	return err
}

// Open implements index.Server.
func (g *Graph) Open(ctx context.Context, form index.Form) (index.State, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", schema, form.Key))
	g.space = g.cfg.Space + "-" + hex.EncodeToString(sum[:6])
	if !g.migrated {
		for _, m := range migrations {
			if _, err := g.run(ctx, true, m, nil); err != nil {
				return index.State{}, err
			}
		}
		if _, err := g.run(ctx, true, `CALL db.awaitIndexes(30)`, nil); err != nil {
			return index.State{}, err
		}
		g.migrated = true
	}
	if err := g.warm(ctx); err != nil {
		return index.State{}, err
	}
	records, err := g.run(ctx, false, `OPTIONAL MATCH (s:SufficeState {id: $space})
		RETURN coalesce(s.seq, 0) AS seq, coalesce(s.store, '') AS store, COLLECT { MATCH (v:SufficeVersion {space: $space}) RETURN sum(v.chunks) }[0] AS chunks`, params{"space": g.space})
	if err != nil {
		return index.State{}, err
	}
	if len(records) != 1 {
		return index.State{}, fmt.Errorf("neo4j: %d records of the state", len(records))
	}
	m := records[0].AsMap()
	seq, ok1 := m["seq"].(int64)
	store, ok2 := m["store"].(string)
	chunks, ok3 := m["chunks"].(int64)
	if !ok1 || !ok2 || !ok3 {
		return index.State{}, errors.New("neo4j: the state cannot be read")
	}
	return index.State{Seq: seq, Store: store, Chunks: int(chunks)}, nil
}

// nowhere is a key that no fact has.
const nowhere = "\ue000"

// warm asks what questions ask, once each and with the time that writing has. A server that
// was just started plans a query and opens an index at the first question for them; on a busy
// machine that takes longer than a question waits, and what is broken off starts from nothing
// the next time.
func (g *Graph) warm(ctx context.Context) error {
	for _, q := range []struct {
		query string
		p     params
	}{
		{termsQuery, params{"ids": []string{g.term(nowhere)}}},
		{touchingQuery, admitted(retrieval.Filter{}, params{"query": g.query([]graph.Weighted{{Key: nowhere, Weight: 1}}), "limit": 1})},
		{linkedQuery, admitted(retrieval.Filter{}, params{"names": []string{g.term(nowhere)}, "wanted": []string{g.term(nowhere)}, "limit": 1})},
	} {
		if _, err := g.within(ctx, writeFactor*g.cfg.Timeout, sdk.ExecuteQueryWithReadersRouting(), q.query, q.p); err != nil {
			return err
		}
	}
	return nil
}

// Reset implements index.Server.
func (g *Graph) Reset(ctx context.Context) error {
	for _, query := range []string{
		`MATCH (s:SufficeState {id: $space}) DELETE s RETURN 0 AS more`,
		`MATCH (f:SufficeFact {space: $space}) WITH f LIMIT 5000 DETACH DELETE f RETURN count(*) AS more`,
		`MATCH (v:SufficeVersion {space: $space}) WITH v LIMIT 5000 DETACH DELETE v RETURN count(*) AS more`,
		`MATCH (t:SufficeTerm {space: $space}) WITH t LIMIT 5000 DETACH DELETE t RETURN count(*) AS more`,
	} {
		for more := int64(1); more > 0; {
			records, err := g.run(ctx, true, query, params{"space": g.space})
			if err != nil {
				return err
			}
			more = 0
			if len(records) == 1 {
				more, _ = records[0].AsMap()["more"].(int64)
			}
		}
	}
	return nil
}

// Apply implements index.Server.
func (g *Graph) Apply(ctx context.Context, b index.Batch) error {
	for from := 0; from < len(b.Put); {
		to, facts := from, 0
		// Whole versions: their facts are replaced together.
		for to < len(b.Put) && (facts < batchFacts || b.Put[to].Version == b.Put[to-1].Version) {
			facts += len(b.Put[to].Edges)
			to++
		}
		if err := g.put(ctx, b.Put[from:to]); err != nil {
			return err
		}
		from = to
	}
	if len(b.Purge) > 0 {
		var rows []any
		for _, p := range b.Purge {
			live := params{}
			for key, seq := range p.Versions {
				live[g.id(key)] = seq
			}
			rows = append(rows, params{"document": g.id(p.Document), "seq": p.Seq, "live": live})
		}
		if _, err := g.run(ctx, true, `UNWIND $rows AS p
			MATCH (v:SufficeVersion {document: p.document})
			WHERE v.seq <= p.seq AND (p.live[v.id] IS NULL OR v.seq < p.live[v.id])
			OPTIONAL MATCH (v)<-[:OF]-(f)
			DETACH DELETE f, v`, params{"rows": rows}); err != nil {
			return err
		}
	}
	_, err := g.run(ctx, true, `MERGE (s:SufficeState {id: $space})
		WITH s WHERE coalesce(s.seq, 0) <= $seq
		SET s.seq = $seq, s.store = $store`, params{"space": g.space, "seq": b.State.Seq, "store": b.State.Store})
	return err
}

// put writes whole versions: their facts are made anew. An older state never replaces
// a newer one; of two processes that write the same at once, one fails on the
// constraint and comes again.
func (g *Graph) put(ctx context.Context, chunks []index.ServerChunk) error {
	var versions, facts, terms []any
	counts := map[string]int{}
	for i := range chunks {
		counts[chunks[i].Version]++
	}
	names := map[string]bool{}
	for i := range chunks {
		c := &chunks[i]
		if i == 0 || chunks[i-1].Version != c.Version {
			s := c.Visibility.Stored()
			versions = append(versions, params{
				"id": g.id(c.Version), "document": g.id(c.Document), "seq": c.Seq, "chunks": counts[c.Version], "collection": s.Collection, "domain": s.Domain,
				"readers": s.Readers, "from": s.From, "to": s.To, "replaced": s.Replaced,
			})
		}
		for n, e := range c.Edges {
			fact := params{"id": g.id(c.ID + "/" + strconv.Itoa(n)), "version": g.id(c.Version), "chunk": c.ID, "seq": c.Seq, "denied": e.Denied,
				"start": e.Sentence.Start, "end": e.Sentence.End}
			var touches []any
			var tokens, keys []string
			for _, node := range e.Nodes {
				key := g.term(node.Key)
				touches = append(touches, params{"term": key, "weight": node.Weight, "name": node.Name})
				tokens, keys = append(tokens, token(node.Key)), append(keys, key)
				names[key] = names[key] || node.Name
			}
			fact["touches"], fact["keys"] = touches, keys
			fact["terms"] = nil // a fact that is denied is not found by its terms
			if !e.Denied {
				fact["terms"] = strings.Join(tokens, " ")
			}
			facts = append(facts, fact)
		}
	}
	for key, name := range names {
		terms = append(terms, params{"id": key, "name": name})
	}
	slices.SortFunc(terms, func(a, b any) int { // in one order, so that writers do not lock each other out
		return strings.Compare(a.(params)["id"].(string), b.(params)["id"].(string))
	})
	return g.write(ctx, []statement{
		{`UNWIND $rows AS row
			MERGE (t:SufficeTerm {id: row.id})
			ON CREATE SET t.space = $space, t.name = row.name
			WITH t, row WHERE row.name AND NOT t.name
			SET t.name = true`, terms},
		{`UNWIND $rows AS row
			MERGE (v:SufficeVersion {id: row.id})
			WITH v, row WHERE coalesce(v.seq, 0) <= row.seq
			SET v.space = $space, v.document = row.document, v.seq = row.seq, v.chunks = row.chunks, v.collection = row.collection, v.domain = row.domain,
			    v.readers = row.readers, v.from = row.from, v.to = row.to, v.replaced = row.replaced
			WITH v
			MATCH (v)<-[:OF]-(f)
			DETACH DELETE f`, versions},
		{`UNWIND $rows AS row
			MATCH (v:SufficeVersion {id: row.version}) WHERE v.seq = row.seq
			CREATE (f:SufficeFact {id: row.id, space: $space, chunk: row.chunk, denied: row.denied, start: row.start, end: row.end, terms: row.terms, keys: row.keys})
			CREATE (f)-[:OF]->(v)
			WITH f, row
			UNWIND row.touches AS touch
			MATCH (t:SufficeTerm {id: touch.term})
			CREATE (f)-[:TOUCHES {weight: touch.weight, name: touch.name}]->(t)`, facts},
	})
}

// statement is a query over rows.
type statement struct {
	query string
	rows  []any
}

// write runs statements one after the other in one transaction: the planner makes of
// each a plain walk over its rows, where one query of several parts keeps all of them in
// memory between two parts.
func (g *Graph) write(ctx context.Context, statements []statement) error {
	limit := writeFactor * g.cfg.Timeout
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	session := g.driver.NewSession(ctx, sdk.SessionConfig{AccessMode: sdk.AccessModeWrite, DatabaseName: g.cfg.Database, BookmarkManager: g.driver.ExecuteQueryBookmarkManager()})
	_, err := session.ExecuteWrite(ctx, func(tx sdk.ManagedTransaction) (any, error) {
		for _, s := range statements {
			if len(s.rows) == 0 {
				continue
			}
			result, err := tx.Run(ctx, s.query, params{"space": g.space, "rows": s.rows})
			if err != nil {
				return nil, err
			}
			if _, err := result.Consume(ctx); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}, sdk.WithTxTimeout(limit))
	if err = errors.Join(err, session.Close(ctx)); err != nil {
		return g.failed(ctx, err)
	}
	return nil
}

// token is a key as one word of the full-text index, which splits at white space.
func token(key string) string {
	if len(key) > longestKey {
		sum := sha256.Sum256([]byte(key))
		return "~" + hex.EncodeToString(sum[:])
	}
	return strings.ReplaceAll(key, " ", "\u00a0")
}

// quoted is a word as a full-text query takes it literally.
func quoted(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(word) + `"`
}

const termsQuery = `UNWIND $ids AS id
	MATCH (t:SufficeTerm {id: id})
	RETURN t.id AS id, COUNT { (t)<-[:TOUCHES]-() } AS facts, t.name AS name`

// Terms implements graph.Elsewhere.
func (g *Graph) Terms(ctx context.Context, keys []string) (map[string]graph.Term, error) {
	back := make(map[string]string, len(keys))
	ids := make([]string, len(keys))
	for i, k := range keys {
		ids[i] = g.term(k)
		back[ids[i]] = k
	}
	records, err := g.run(ctx, false, termsQuery, params{"ids": ids})
	if err != nil {
		return nil, err
	}
	out := make(map[string]graph.Term, len(records))
	for _, r := range records {
		m := r.AsMap()
		id, ok := m["id"].(string)
		facts, counted := m["facts"].(int64)
		if !ok || !counted {
			return nil, errors.New("neo4j: a term cannot be read")
		}
		name, _ := m["name"].(bool)
		out[back[id]] = graph.Term{Facts: int(facts), Name: name}
	}
	return out, nil
}

// admitted is the filter, as parameters of the two queries below.
func admitted(f retrieval.Filter, p params) params {
	w := f.Wanted()
	if w.Domains == nil {
		w.Domains = []string{} // the query asks for its size
	}
	p["collection"], p["domains"], p["readers"], p["from"], p["to"], p["after"], p["outside"] = w.Collection, w.Domains, w.Readers, w.From, w.To, w.After, w.Outside
	return p
}

const touchingQuery = `CALL db.index.fulltext.queryNodes('suffice_facts', $query) YIELD node AS f
	MATCH (f)-[:OF]->(v)
	WHERE v.collection = $collection AND (size($domains) = 0 OR v.domain IN $domains) AND any(r IN v.readers WHERE r IN $readers) AND (v.from <= $to AND v.to >= $from AND v.replaced >= $after) <> $outside
	WITH DISTINCT f.chunk AS chunk LIMIT $limit
	RETURN chunk`

// Touching implements graph.Elsewhere. The full-text index gives facts best first, and
// the query reads no further than it needs.
func (g *Graph) Touching(ctx context.Context, keys []graph.Weighted, f retrieval.Filter, limit int) ([]string, error) {
	return g.chunks(ctx, touchingQuery, admitted(f, params{"query": g.query(keys), "limit": limit}))
}

// query is a question to the full-text index.
func (g *Graph) query(keys []graph.Weighted) string {
	keys = keys[:min(len(keys), mostKeys)]
	clauses := make([]string, len(keys))
	for i, k := range keys {
		clauses[i] = "terms:" + quoted(token(k.Key)) + "^" + strconv.FormatFloat(max(k.Weight, 0.01), 'f', 3, 64)
	}
	return "+space:" + quoted(g.space) + "^0 +(" + strings.Join(clauses, " ") + ")"
}

const linkedQuery = `UNWIND $names AS name
	MATCH (:SufficeTerm {id: name})<-[:TOUCHES]-(f)
	WHERE NOT f.denied AND any(key IN f.keys WHERE key IN $wanted)
	MATCH (f)-[:OF]->(v)
	WHERE v.collection = $collection AND (size($domains) = 0 OR v.domain IN $domains) AND any(r IN v.readers WHERE r IN $readers) AND (v.from <= $to AND v.to >= $from AND v.replaced >= $after) <> $outside
	RETURN DISTINCT f.chunk AS chunk LIMIT $limit`

// Linked implements graph.Elsewhere.
func (g *Graph) Linked(ctx context.Context, names, wanted []string, f retrieval.Filter, limit int) ([]string, error) {
	ids := func(keys []string) []string {
		out := make([]string, len(keys))
		for i, k := range keys {
			out[i] = g.term(k)
		}
		return out
	}
	return g.chunks(ctx, linkedQuery, admitted(f, params{"names": ids(names), "wanted": ids(wanted), "limit": limit}))
}

func (g *Graph) chunks(ctx context.Context, query string, p params) ([]string, error) {
	records, err := g.run(ctx, false, query, p)
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(records))
	for _, r := range records {
		chunk, ok := r.AsMap()["chunk"].(string)
		if !ok {
			return nil, errors.New("neo4j: a chunk cannot be read")
		}
		out = append(out, chunk)
	}
	return out, nil
}
