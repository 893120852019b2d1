package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/rerank"
)

// Validate checks the ranges of all values and returns every problem, by key.
func (c Config) Validate() []Problem {
	v := &checker{}
	for _, name := range sortedKeys(c.Weights) {
		w, path := c.Weights[name], "weights."+name
		v.from0(path+".dense", w.Dense)
		v.from0(path+".bm25", w.BM25)
		v.from0(path+".graph", w.Graph)
		if w.Dense == 0 && w.BM25 == 0 && w.Graph == 0 {
			v.add(path, "dense, bm25 and graph are all 0; at least one must be greater")
		}
	}
	for _, name := range sortedKeys(c.Routes) {
		path := "routes." + name + ".off"
		off := c.Routes[name].Off
		for _, r := range off {
			v.oneOf(path, r, "dense", "bm25", "graph")
		}
		if slices.Contains(off, "dense") && slices.Contains(off, "bm25") && slices.Contains(off, "graph") {
			v.add(path, "all three routes are off; leave at least one on")
		}
	}
	for _, name := range sortedKeys(c.Thresholds) {
		t, path := c.Thresholds[name], "thresholds."+name
		v.share(path+".sufficiency", t.Sufficiency)
		v.share(path+".sure", t.Sure)
		v.share(path+".fgc_green", t.FGCGreen)
		v.share(path+".fgc_yellow", t.FGCYellow)
		v.from0(path+".cds", t.CDS)
		if t.Sure < t.Sufficiency {
			v.add(path, "sure %v is below sufficiency %v", t.Sure, t.Sufficiency)
		}
		if t.FGCYellow > t.FGCGreen {
			v.add(path, "fgc_yellow %v is above fgc_green %v", t.FGCYellow, t.FGCGreen)
		}
	}
	v.part("gate.rate", c.Gate.Rate)
	v.whole("gate.k", c.Gate.K, 1, 20)
	v.whole("gate.retries", c.Gate.Retries, 0, 3)
	v.owned(c.LLM.Client().Validate())
	v.oneOf("embedding.provider", c.Embedding.Provider, StaticEmbedding, E5Embedding, OpenAIEmbedding)
	if c.Embedding.Provider == OpenAIEmbedding {
		v.owned(c.Embedding.Client().Validate())
	}
	v.owned(c.Packing.Packer().Validate())
	v.servers(c)
	v.number("bm25.k1", c.BM25.K1, 0, 10)
	v.share("bm25.b", c.BM25.B)
	v.whole("bm25.pool", c.BM25.Pool, 1, 10_000)
	v.share("bm25.expansion_boost", c.BM25.ExpansionBoost)
	v.whole("graph.hops", c.Graph.Hops, 1, 3)
	v.part("graph.decay", c.Graph.Decay)
	for _, role := range sortedKeys(c.Layers) {
		v.address("layers."+role+".address", c.Layers[role].Address)
	}
	v.whole("ingest.chunk_target", c.Ingest.ChunkTarget, 100, 20_000)
	v.whole("ingest.chunk_max", c.Ingest.ChunkMax, 100, 50_000)
	if c.Ingest.ChunkMax < c.Ingest.ChunkTarget {
		v.add("ingest.chunk_max", "%d is below ingest.chunk_target %d", c.Ingest.ChunkMax, c.Ingest.ChunkTarget)
	}
	v.duration("ingest.watch", c.Ingest.Watch, 100*time.Millisecond, time.Hour)
	for _, p := range c.Lexicon.Paths {
		if p == "" {
			v.add("lexicon.paths", "an empty path; name a file or leave it out")
		}
	}
	v.oneOf("reader.mode", c.Reader.Mode, string(rerank.ReadOff), string(rerank.ReadAuto), string(rerank.ReadAlways))
	v.duration("reader.budget", c.Reader.Budget, time.Millisecond, time.Minute)
	v.whole("reader.passages", c.Reader.Passages, 1, 100)
	for _, p := range c.Precheck.Rules {
		if p == "" {
			v.add("precheck.rules", "an empty path; name a file or leave it out")
		}
	}
	v.whole("precheck.fiscal_start", c.Precheck.FiscalStart, 1, 12)
	v.whole("precheck.expansions", c.Precheck.Expansions, 0, 100)
	for _, name := range sortedKeys(c.Domains) {
		v.share("domains."+name+".sid_factor", c.Domains[name].SIDFactor)
	}
	v.whole("limits.passages", c.Limits.Passages, 1, 10_000)
	v.whole("limits.passage_chars", c.Limits.PassageChars, 1, 10_000_000)
	v.whole("limits.question", c.Limits.Question, 1, 1_000_000)
	v.whole("limits.answer", c.Limits.Answer, 1, 10_000_000)
	v.whole("limits.top_k", c.Limits.TopK, 1, kb.MaxTopK)
	v.whole("limits.candidates", c.Limits.Candidates, 1, 1000)
	v.whole("limits.body_bytes", c.Limits.BodyBytes, 1<<10, 1<<30)
	v.duration("limits.deadline", c.Limits.Deadline, 10*time.Millisecond, 10*time.Minute)
	v.duration("limits.route", c.Limits.Route, time.Millisecond, 10*time.Minute)
	v.part("limits.route_share", c.Limits.RouteShare)
	v.oneOf("telemetry.log_level", c.Telemetry.LogLevel, "debug", "info", "warn", "error")
	v.oneOf("telemetry.log_format", c.Telemetry.LogFormat, "text", "json")
	return v.problems
}

// servers checks where the parts stand. No message shows a password.
func (v *checker) servers(c Config) {
	v.oneOf("store.driver", c.Store.Driver, SQLite, Postgres)
	switch {
	case c.Store.Driver == Postgres && c.Store.DSN == "":
		v.add("store.dsn", "is empty; store.driver postgres needs it: write postgres://USER@HOST:PORT/DATABASE")
	case c.Store.Driver == SQLite && c.Store.DSN != "":
		v.add("store.dsn", "is set and store.driver is sqlite; set store.driver to postgres or leave the dsn out")
	}
	switch a := c.Auth; {
	case a.CertFile == "" && a.KeyFile != "":
		v.add("auth.cert_file", "is empty and auth.key_file is set; name the certificate too")
	case a.CertFile != "" && a.KeyFile == "":
		v.add("auth.key_file", "is empty and auth.cert_file is set; name the key too")
	case a.ClientCAFile != "" && a.CertFile == "":
		v.add("auth.client_ca_file", "%q is set without auth.cert_file: callers show certificates over TLS alone", a.ClientCAFile)
	case a.TokenFile != "" && a.TokenEnv != "":
		v.add("auth.token_file", "%q is set beside auth.token_env; keep one of them", a.TokenFile)
	case a.CAFile != "" && !a.CallTLS:
		v.add("auth.ca_file", "%q is set and auth.call_tls is false; set auth.call_tls to true or leave the file out", a.CAFile)
	}
	search := func(part string, s SearchServer) {
		v.oneOf(part+".driver", s.Driver, Embedded, OpenSearch)
		v.remote(part, s.Driver != Embedded, OpenSearch, s.URL, s.Password, s.PasswordFile, "http", "https")
		if s.Index == "" || strings.Trim(s.Index, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" || strings.ContainsAny(s.Index[:1], "-_") {
			v.add(part+".index", "%q is not a name of lower case letters, digits, - and _", s.Index)
		}
		v.duration(part+".timeout", s.Timeout, 10*time.Millisecond, time.Minute)
	}
	search("bm25", c.BM25.Server())
	search("dense", c.Dense.Server())
	g := c.Graph
	v.oneOf("graph.driver", g.Driver, Embedded, Neo4j)
	v.remote("graph", g.Driver != Embedded, Neo4j, g.URL, g.Password, g.PasswordFile, "neo4j", "bolt", "neo4j+s", "bolt+s", "neo4j+ssc", "bolt+ssc")
	if g.Space == "" || strings.ContainsFunc(g.Space, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	}) {
		v.add("graph.space", "%q is not a name of letters, digits, - and _", g.Space)
	}
	v.duration("graph.timeout", g.Timeout, 10*time.Millisecond, time.Minute)
}

// remote checks the address of a server and that its password comes from one place.
func (v *checker) remote(part string, used bool, driver, address string, password Secret, file string, schemes ...string) {
	u, err := url.Parse(address)
	switch {
	case address == "" && used:
		v.add(part+".url", "is empty; %s.driver %s needs it: write %s://HOST:PORT", part, driver, schemes[0])
	case address == "":
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		v.add(part+".url", "%q is not the address of a server; write %s://HOST:PORT", withoutUser(address), schemes[0])
	case u.User != nil:
		v.add(part+".url", "it holds a user; write user and password as %s.user and %s.password_file", part, part)
	case !used:
		v.add(part+".url", "%q is set and %s.driver is embedded; set %s.driver to %s or leave the url out", address, part, part, driver)
	}
	if password != "" && file != "" {
		v.add(part+".password_file", "%q is set beside %s.password; keep one of them", file, part)
	}
}

// withoutUser cuts what may be a password out of an address that cannot be read.
func withoutUser(address string) string {
	if i := strings.LastIndexByte(address, '@'); i >= 0 {
		return "..." + address[i:]
	}
	return address
}

type checker struct{ problems []Problem }

func (v *checker) add(key, format string, args ...any) {
	v.problems = append(v.problems, Problem{Key: key, Message: fmt.Sprintf(format, args...)})
}

// owned takes over what the package that owns the settings found.
func (v *checker) owned(errs []error) {
	for _, err := range errs {
		var bad *kb.InvalidError
		if errors.As(err, &bad) {
			v.problems = append(v.problems, Problem{Key: bad.Field, Message: bad.Message})
		}
	}
}

func (v *checker) number(key string, x, lo, hi float64) {
	if !(x >= lo && x <= hi) {
		v.add(key, "%v is not within %v..%v", x, lo, hi)
	}
}

func (v *checker) share(key string, x float64) { v.number(key, x, 0, 1) }

func (v *checker) part(key string, x float64) {
	if !(x > 0 && x <= 1) {
		v.add(key, "%v is not above 0 and at most 1", x)
	}
}

func (v *checker) from0(key string, x float64) {
	if !(x >= 0 && x <= 1e6) {
		v.add(key, "%v is not a number from 0 on", x)
	}
}

func (v *checker) whole(key string, x, lo, hi int) {
	if x < lo || x > hi {
		v.add(key, "%d is not within %d..%d", x, lo, hi)
	}
}

func (v *checker) duration(key string, x, lo, hi time.Duration) {
	if x < lo || x > hi {
		v.add(key, "%v is not within %v..%v", x, lo, hi)
	}
}

func (v *checker) oneOf(key, x string, allowed ...string) {
	if !slices.Contains(allowed, x) {
		v.add(key, "%q is not one of %v%s", x, allowed, hint(x, allowed))
	}
}

func (v *checker) address(key, x string) {
	if x == "" {
		return
	}
	_, port, err := net.SplitHostPort(x)
	if err != nil {
		v.add(key, "%q is not host:port", x)
		return
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		v.add(key, "%q has no port within 1..65535", x)
	}
}
