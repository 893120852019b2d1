// Package config holds the settings of Suffice: one tree with defaults, read
// strictly from YAML, the environment and flags.
//
// Order, later wins: defaults < file < SUFFICE_ variables (`__` for dots) <
// flags. Every problem of every source is reported at once, with the path of the
// key and the nearest known one. A key exists here only when something reads it.
package config

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/dense/openai"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/validate"
	"suffice.dev/suffice/validate/llm"
	"suffice.dev/suffice/validate/pack"
)

// Config is the whole tree. Keys are those of the tags, joined by dots. All
// values are plain data, so that two equal configs have equal hashes.
type Config struct {
	Weights     ByClass[Weights]    `key:"weights"`
	Routes      ByClass[Routes]     `key:"routes"`
	Thresholds  ByClass[Thresholds] `key:"thresholds"`
	Gate        Gate                `key:"gate"`
	LLM         LLM                 `key:"llm"`
	Embedding   Embedding           `key:"embedding"`
	Packing     Packing             `key:"packing"`
	Store       Store               `key:"store"`
	BM25        BM25                `key:"bm25"`
	Dense       Dense               `key:"dense"`
	Graph       Graph               `key:"graph"`
	Layers      ByRole[Layer]       `key:"layers"`
	Auth        Auth                `key:"auth"`
	Ingest      Ingest              `key:"ingest"`
	Lexicon     Lexicon             `key:"lexicon"`
	Reader      Reader              `key:"reader"`
	Sufficiency Sufficiency         `key:"sufficiency"`
	Precheck    Precheck            `key:"precheck"`
	Domains     map[string]Domain   `key:"domains"`
	Limits      Limits              `key:"limits"`
	Telemetry   Telemetry           `key:"telemetry"`
}

// ByClass holds a value for each question class, by its name in lower case.
type ByClass[T any] map[string]T

// Names lists the keys that are allowed.
func (ByClass[T]) Names() []string {
	out := make([]string, len(kb.Classes))
	for i, c := range kb.Classes {
		out[i] = strings.ToLower(string(c))
	}
	return out
}

// For returns the value of a class; the zero value if there is none.
func (m ByClass[T]) For(c kb.Class) T { return m[strings.ToLower(string(c))] }

// Roles are the roles whose layer can stand in a process of its own.
var Roles = []string{"precheck", "retrieval", "rerank", "validate", "knowledge"}

// ByRole holds a value for each remote role.
type ByRole[T any] map[string]T

// Names lists the keys that are allowed.
func (ByRole[T]) Names() []string { return Roles }

// Weights are the fusion weights of the routes for a class: each >= 0, not all 0.
type Weights struct {
	Dense float64 `key:"dense"`
	BM25  float64 `key:"bm25"`
	Graph float64 `key:"graph"`
}

// Routes says which routes are switched off for a class.
type Routes struct {
	Off []string `key:"off"`
}

// Thresholds decide when the passages suffice for a class.
type Thresholds struct {
	Sufficiency float64 `key:"sufficiency"` // least calibrated probability, 0..1
	Sure        float64 `key:"sure"`        // from this probability on a refusal becomes an answer by the nearest sentence, sufficiency..1; 1 = practically never
	FGCGreen    float64 `key:"fgc_green"`   // from here on nothing is looked for again, 0..1
	FGCYellow   float64 `key:"fgc_yellow"`  // below it the level is red; 0..fgc_green
	CDS         float64 `key:"cds"`         // above it the losing passages lose half their score; >= 0
}

// Gate is the check of the statements before an answer is written.
type Gate struct {
	Rate    float64 `key:"rate"`    // least share of counted statements that pass, 0..1
	K       int     `key:"k"`       // passages asked for a statement, 1..20
	Retries int     `key:"retries"` // retries of a statement of which one fact failed, 0..3
}

// LLM is the chat model that states and writes; what it says is checked. Without a
// url both are extracted, and no model is needed.
type LLM struct {
	URL         string        `key:"url"`          // of an OpenAI-compatible API, with its version: https://host/v1; "" = no model
	Model       string        `key:"model"`        // name as the server knows it
	Timeout     time.Duration `key:"timeout"`      // of one call with its retries, 10ms..10m; the request's own deadline counts too
	Idle        time.Duration `key:"idle"`         // longest silence of the server within a call, 10ms..10m
	Concurrency int           `key:"concurrency"`  // calls at one time, 1..1000
	Retries     int           `key:"retries"`      // of calls that were refused (429, 5xx) or did not get through, 0..10
	Output      int           `key:"output"`       // longest reply in tokens, 16..100000
	BodyBytes   int           `key:"body_bytes"`   // longest reply that is read, in bytes
	Prompts     string        `key:"prompts"`      // folder whose files replace built-in prompts; it holds a VERSION; "" = none
	KeyEnv      string        `key:"key_env"`      // name of the environment variable with the API key; "" = none
	KeyFile     string        `key:"key_file"`     // file with the API key; "" = none
	PriceInput  float64       `key:"price_input"`  // of a million tokens read, for the metric of costs
	PriceOutput float64       `key:"price_output"` // of a million tokens written
	Failures    int           `key:"failures"`     // failed calls in a row after which the model is left alone, 1..1000
	Pause       time.Duration `key:"pause"`        // for this long, 10ms..1h
}

// Embedding is the model of the dense route. The static one embeds a passage while it is
// ingested; any other takes its place, collection by collection, when it has embedded all
// passages.
type Embedding struct {
	Provider      string        `key:"provider"`       // static: built in; e5: built in, better and slower; openai: any OpenAI-compatible endpoint, which all below is about
	URL           string        `key:"url"`            // of the API, with its version: https://host/v1
	Model         string        `key:"model"`          // name as the server knows it
	Dims          int           `key:"dims"`           // length of its vectors, 1..8192; another length is an error at start
	KeyEnv        string        `key:"key_env"`        // name of the environment variable with the API key; "" = none
	KeyFile       string        `key:"key_file"`       // file with the API key; "" = none
	Timeout       time.Duration `key:"timeout"`        // of one call with its retries, 10ms..10m; the request's own deadline counts too
	Batch         int           `key:"batch"`          // texts a call, 1..2048
	Retries       int           `key:"retries"`        // of calls that were refused (429, 5xx) or did not get through, 0..10
	InputType     bool          `key:"input_type"`     // send input_type query or passage, which some servers read
	QueryPrefix   string        `key:"query_prefix"`   // stands before every question, such as "query: "
	PassagePrefix string        `key:"passage_prefix"` // stands before every passage
}

// Providers of an embedding.
const (
	StaticEmbedding = "static"
	E5Embedding     = "e5"
	OpenAIEmbedding = "openai"
)

// Client is the part of the settings that the client of an endpoint takes.
func (e Embedding) Client() openai.Config {
	return openai.Config{
		URL: e.URL, Model: e.Model, Dims: e.Dims, KeyEnv: e.KeyEnv, KeyFile: e.KeyFile, Timeout: e.Timeout, Batch: e.Batch,
		Retries: e.Retries, InputType: e.InputType, QueryPrefix: e.QueryPrefix, PassagePrefix: e.PassagePrefix,
	}
}

// Packing splits the tokens that the evidence of an answer may take.
type Packing struct {
	Tokens    int    `key:"tokens"`    // all parts together
	Task      int    `key:"task"`      // kept for the instructions
	Tool      int    `key:"tool"`      // kept for what tools return
	History   int    `key:"history"`   // most that earlier turns may take
	Output    int    `key:"output"`    // kept for the reply
	Tokenizer string `key:"tokenizer"` // cl100k_base, o200k_base: exact for models with that vocabulary, an estimate for others
}

// Store says where documents, gaps and reviews are kept.
type Store struct {
	Driver       string `key:"driver"`        // sqlite, postgres
	DSN          DSN    `key:"dsn"`           // of PostgreSQL: postgres://USER@HOST:PORT/DATABASE or key=value pairs
	PasswordFile string `key:"password_file"` // file that holds the password alone; "" = that of the dsn
}

// Secret is a text that is never printed, and no part of the hash of a configuration.
type Secret string

// String hides the secret from logs.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "(hidden)"
}

// DSN is a connection string; a password in it is never printed.
type DSN string

var passwordPair = regexp.MustCompile(`(?i)\s*\b(password|sslpassword)\s*=\s*('(?:[^'\\]|\\.)*'|\S*)`)

// String is the connection string without its password.
func (d DSN) String() string {
	if u, err := url.Parse(string(d)); err == nil && u.Scheme != "" && u.Host != "" {
		if u.User != nil {
			u.User = url.User(u.User.Username())
		}
		if q := u.Query(); q.Has("password") || q.Has("sslpassword") {
			q.Del("password")
			q.Del("sslpassword")
			u.RawQuery = q.Encode()
		}
		return u.String()
	}
	if strings.Contains(string(d), "://") {
		return "" // a URL that cannot be read may hide a password anywhere
	}
	return strings.TrimSpace(passwordPair.ReplaceAllString(string(d), ""))
}

// Drivers of parts.
const (
	Embedded   = "embedded"
	SQLite     = "sqlite"
	Postgres   = "postgres"
	OpenSearch = "opensearch"
	Neo4j      = "neo4j"
)

// BM25 are the settings of the word route.
type BM25 struct {
	Driver       string        `key:"driver"`        // embedded, opensearch
	URL          string        `key:"url"`           // of OpenSearch, without user and password
	Index        string        `key:"index"`         // beginning of the names of its indexes
	User         string        `key:"user"`          // "" = none
	Password     Secret        `key:"password"`      // or the file
	PasswordFile string        `key:"password_file"` // file that holds the password alone
	Timeout      time.Duration `key:"timeout"`       // for one answer, 10ms..1m

	K1             float64 `key:"k1"`              // saturation of term counts, 0..10
	B              float64 `key:"b"`               // length normalisation, 0..1
	Pool           int     `key:"pool"`            // chunks that are scored exactly, 1..10000
	ExpansionBoost float64 `key:"expansion_boost"` // weight of expansion terms against the question's own words, 0..1
}

// SearchServer says where a route's index stands. The word and the vector route may
// share one index.
type SearchServer struct {
	Driver       string        // embedded, opensearch
	URL          string        // of OpenSearch, without user and password
	Index        string        // beginning of the names of its indexes
	User         string        // "" = none
	Password     Secret        // or the file
	PasswordFile string        // file that holds the password alone
	Timeout      time.Duration // for one answer, 10ms..1m
}

// Dense are the settings of the vector route.
type Dense struct {
	Driver       string        `key:"driver"`        // embedded, opensearch
	URL          string        `key:"url"`           // of OpenSearch, without user and password
	Index        string        `key:"index"`         // beginning of the names of its indexes
	User         string        `key:"user"`          // "" = none
	Password     Secret        `key:"password"`      // or the file
	PasswordFile string        `key:"password_file"` // file that holds the password alone
	Timeout      time.Duration `key:"timeout"`       // for one answer, 10ms..1m
}

// Server is where the route's index stands.
func (b BM25) Server() SearchServer {
	return SearchServer{b.Driver, b.URL, b.Index, b.User, b.Password, b.PasswordFile, b.Timeout}
}

// Server is where the route's index stands.
func (d Dense) Server() SearchServer { return SearchServer(d) }

// Graph are the settings of the route over facts.
type Graph struct {
	Driver       string        `key:"driver"`        // embedded, neo4j
	URL          string        `key:"url"`           // of Neo4j: neo4j:// or bolt://, without user and password
	User         string        `key:"user"`          // "" = none
	Password     Secret        `key:"password"`      // or the file
	PasswordFile string        `key:"password_file"` // file that holds the password alone
	Database     string        `key:"database"`      // "" = the server's default
	Space        string        `key:"space"`         // which of several users of one database
	Timeout      time.Duration `key:"timeout"`       // for one answer, 10ms..1m

	Hops  int     `key:"hops"`  // 1..3
	Decay float64 `key:"decay"` // score factor a hop, above 0, at most 1
}

// Layer says where a layer runs.
type Layer struct {
	Address string `key:"address"` // host:port; "" = in this process
}

// Auth says who may call a server and how it calls others. Without any of it everything is
// plain text and open to who reaches the address. Files are read again when they change.
type Auth struct {
	CertFile     string `key:"cert_file"`      // PEM certificate, with its chain, of both listeners, shown to other services too; "" = plain text
	KeyFile      string `key:"key_file"`       // its key, PEM
	ClientCAFile string `key:"client_ca_file"` // PEM certificates that sign what callers must show; "" = callers show none
	TokenFile    string `key:"token_file"`     // file with tokens, one a line, of which callers send one (authorization: Bearer TOKEN); the first is sent to other services
	TokenEnv     string `key:"token_env"`      // name of the environment variable with the token, in the place of the file
	CallTLS      bool   `key:"call_tls"`       // layers.*.address and --addr are called over TLS
	CAFile       string `key:"ca_file"`        // PEM certificates that sign theirs; "" = the system's
}

// Ingest are the settings of reading documents.
type Ingest struct {
	ChunkTarget int           `key:"chunk_target"` // size that chunks are filled up to, in Latin letters; a Chinese character counts as two
	ChunkMax    int           `key:"chunk_max"`    // size up to which a list, a table or a code block stays whole; at least chunk_target
	Watch       time.Duration `key:"watch"`        // how often a served folder is compared with the store; 100ms..1h
}

// Lexicon names dictionary files beside the built-in one.
type Lexicon struct {
	Paths []string `key:"paths"` // YAML files; relative paths are relative to the config file
}

// Sufficiency is the model that says whether passages suffice.
type Sufficiency struct {
	Path string `key:"path"` // XGBoost file (UBJ or JSON) of suffice train sufficiency, read again when it changes; "" = the built-in model
}

// Reader is the small transformer that reads a question or a claim against a passage.
type Reader struct {
	Mode     string        `key:"mode"`     // off; auto: where words and facts leave doubt, on processors with fast kernels; always
	Budget   time.Duration `key:"budget"`   // that one reading may take, 1ms..1m; what is late is left out
	Passages int           `key:"passages"` // passages read for a question at most, 1..100; for a claim they are two
	Path     string        `key:"path"`     // file of a model trained for the built-in base; "" = the built-in model
}

// Judging is the form in which the rerank layer takes it, over that layer's weights.
func (r Reader) Judging() rerank.Reading {
	out := rerank.Default().Reading
	out.Mode, out.Budget, out.Passages = rerank.Mode(r.Mode), r.Budget, r.Passages
	return out
}

// Precheck are the settings of the reading of questions.
type Precheck struct {
	Rules       []string `key:"rules"`        // YAML files of question forms, words and prompts over the built-in ones; relative paths are relative to the config file
	FiscalStart int      `key:"fiscal_start"` // first month of the fiscal year, 1..12
	Expansions  int      `key:"expansions"`   // search terms beside the question's own words, 0..100
}

// Domain are the settings of one domain of documents.
type Domain struct {
	SIDFactor float64  `key:"sid_factor"` // of the density of facts, 0..1
	SIDParts  []string `key:"sid_parts"`  // parts that make a fact complete
}

// Limits bound one request. Beyond them a request is refused, not cut.
type Limits struct {
	Passages     int           `key:"passages"`      // passages a request
	PassageChars int           `key:"passage_chars"` // code points a passage
	Question     int           `key:"question"`      // code points
	Answer       int           `key:"answer"`        // code points of an answer to verify, and of one in a history
	TopK         int           `key:"top_k"`         // passages a retrieval may be asked for, 1..200
	Candidates   int           `key:"candidates"`    // chunks that each route finds before fusion, 1..1000
	BodyBytes    int           `key:"body_bytes"`    // of one message: HTTP body, gRPC message, JSON line
	Deadline     time.Duration `key:"deadline"`      // of a request that names none, 10ms..10m
	Route        time.Duration `key:"route"`         // longest that one route may take, whatever the deadline
	RouteShare   float64       `key:"route_share"`   // part of the time left to retrieval that a route may take, above 0, at most 1
}

// Telemetry are the settings of logs.
type Telemetry struct {
	LogLevel  string `key:"log_level"`  // debug, info, warn, error
	LogFormat string `key:"log_format"` // text, json
}

// Default returns the settings of an installation without a file. What a layer
// owns comes from the layer.
func Default() Config {
	endpoint := openai.Default()
	found, judged, checked := retrieval.Default(), rerank.Default(), validate.Default()
	limits, model := services.DefaultLimits(), llm.Default()
	c := Config{
		Weights:    ByClass[Weights]{},
		Routes:     ByClass[Routes]{},
		Thresholds: ByClass[Thresholds]{},
		Gate:       Gate{Rate: checked.GateRate, K: checked.GateK, Retries: checked.GateRetries},
		LLM: LLM{
			Timeout: model.Timeout, Idle: model.Idle, Concurrency: model.Concurrency, Retries: model.Retries, Output: model.Output,
			BodyBytes: model.BodyBytes, Failures: model.Failures, Pause: model.Pause,
		},
		Embedding: Embedding{Provider: StaticEmbedding, Timeout: endpoint.Timeout, Batch: endpoint.Batch, Retries: endpoint.Retries},
		Packing:   Packing(checked.Packing),
		BM25:      BM25{Driver: Embedded, Index: "suffice", Timeout: 5 * time.Second, K1: 1.2, B: 0.75, Pool: 200, ExpansionBoost: 0.4},
		Dense:     Dense{Driver: Embedded, Index: "suffice", Timeout: 5 * time.Second},
		Store:     Store{Driver: SQLite},
		Graph:     Graph{Driver: Embedded, User: "neo4j", Space: "suffice", Timeout: 5 * time.Second, Hops: 2, Decay: 0.6},
		Layers:    ByRole[Layer]{},
		Ingest:    Ingest{ChunkTarget: 1200, ChunkMax: 2400, Watch: 2 * time.Second},
		Lexicon:   Lexicon{Paths: []string{}},
		Reader:    Reader{Mode: string(judged.Reading.Mode), Budget: judged.Reading.Budget, Passages: judged.Reading.Passages},
		Precheck:  Precheck{Rules: []string{}, FiscalStart: 1, Expansions: 12},
		Domains:   map[string]Domain{},
		Limits: Limits{
			Passages: limits.Passages, PassageChars: limits.PassageRunes, Question: limits.Question, Answer: limits.Answer,
			TopK: limits.TopK, Candidates: found.Candidates, BodyBytes: limits.BodyBytes,
			Deadline: 10 * time.Second, Route: found.Timeout, RouteShare: found.Share,
		},
		Telemetry: Telemetry{LogLevel: "info", LogFormat: "text"},
	}
	for i, name := range c.Weights.Names() {
		class := kb.Classes[i]
		w, ok := found.Weights[class]
		if !ok {
			w = retrieval.DefaultWeights
		}
		c.Weights[name] = Weights{Dense: w.Dense, BM25: w.BM25, Graph: w.Graph}
		off := []string{}
		for _, r := range found.Off[class] {
			off = append(off, string(r))
		}
		c.Routes[name] = Routes{Off: off}
		t, ok := judged.Thresholds[class]
		if !ok {
			t = judged.Default
		}
		c.Thresholds[name] = Thresholds{Sufficiency: t.Sufficiency, Sure: t.Sure, FGCGreen: t.FGCGreen, FGCYellow: t.FGCYellow, CDS: t.CDS}
	}
	for name, t := range judged.Templates {
		if name == "" {
			name = AnyDomain
		}
		c.Domains[name] = Domain{SIDFactor: t.Factor, SIDParts: t.Parts}
	}
	for _, role := range Roles {
		c.Layers[role] = Layer{}
	}
	return c
}

// AnyDomain is the key of what counts for passages without a domain.
const AnyDomain = "any"

// Client is the part of the model's settings that its client takes.
func (l LLM) Client() llm.Config { return llm.Config(l) }

// Packer is the part of the settings that the packer takes.
func (p Packing) Packer() pack.Config { return pack.Config(p) }
