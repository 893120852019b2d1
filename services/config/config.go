// Package config holds the settings of Suffice: one tree with defaults, read
// strictly from YAML, the environment and flags.
//
// Order, later wins: defaults < file < SUFFICE_ variables (`__` for dots) <
// flags. Every problem of every source is reported at once, with the path of the
// key and the nearest known one. A key exists here only when something reads it.
package config

import (
	"strings"
	"time"

	"suffice.dev/suffice/kb"
)

// Config is the whole tree. Keys are those of the tags, joined by dots. All
// values are plain data, so that two equal configs have equal hashes.
type Config struct {
	Weights    ByClass[Weights]    `key:"weights"`
	Routes     ByClass[Routes]     `key:"routes"`
	Thresholds ByClass[Thresholds] `key:"thresholds"`
	Gate       Gate                `key:"gate"`
	BM25       BM25                `key:"bm25"`
	Dense      Dense               `key:"dense"`
	Graph      Graph               `key:"graph"`
	Layers     ByRole[Layer]       `key:"layers"`
	Ingest     Ingest              `key:"ingest"`
	Lexicon    Lexicon             `key:"lexicon"`
	Domains    map[string]Domain   `key:"domains"`
	Limits     Limits              `key:"limits"`
	Telemetry  Telemetry           `key:"telemetry"`
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

// BM25 are the settings of the word route.
type BM25 struct {
	K1    float64 `key:"k1"`    // saturation, 0..10
	B     float64 `key:"b"`     // length normalisation, 0..1
	Limit int     `key:"limit"` // candidates, 1..1000
}

// Dense are the settings of the vector route.
type Dense struct {
	Limit int `key:"limit"` // candidates, 1..1000
}

// Graph are the settings of the route over facts.
type Graph struct {
	Limit int     `key:"limit"` // candidates, 1..1000
	Hops  int     `key:"hops"`  // 1..3
	Decay float64 `key:"decay"` // score factor a hop, 0..1
}

// Layer says where a layer runs.
type Layer struct {
	Address string `key:"address"` // host:port; "" = in this process
}

// Ingest are the settings of reading documents.
type Ingest struct {
	MaxBytes int           `key:"max_bytes"` // larger files are skipped with the reason; 1 KiB..1 GiB
	Watch    time.Duration `key:"watch"`     // how often a served folder is compared with the store; 100ms..1h
}

// Lexicon names dictionary files beside the built-in one.
type Lexicon struct {
	Paths []string `key:"paths"` // YAML files; relative paths are relative to the config file
}

// Domain are the settings of one domain of documents.
type Domain struct {
	SIDFactor  float64             `key:"sid_factor"` // 0..1; 0 = built-in
	SIDParts   []string            `key:"sid_parts"`  // parts of a complete fact; empty = built-in
	Expansions map[string][]string `key:"expansions"` // question class in lower case -> terms
}

// Limits bound one request. Beyond them a request is refused, not cut.
type Limits struct {
	Passages     int           `key:"passages"`      // passages a request
	PassageChars int           `key:"passage_chars"` // code points a passage
	Question     int           `key:"question"`      // code points
	Answer       int           `key:"answer"`        // code points of an answer to verify
	TopK         int           `key:"top_k"`         // passages a retrieval may be asked for
	BodyBytes    int           `key:"body_bytes"`    // of one message: HTTP body, gRPC message, JSON line
	Deadline     time.Duration `key:"deadline"`      // of a request that names none, 10ms..10m
}

// Telemetry are the settings of logs.
type Telemetry struct {
	LogLevel  string `key:"log_level"`  // debug, info, warn, error
	LogFormat string `key:"log_format"` // text, json
}

// Default returns the settings of an installation without a file.
func Default() Config {
	c := Config{
		Weights:    ByClass[Weights]{},
		Routes:     ByClass[Routes]{},
		Thresholds: ByClass[Thresholds]{},
		Gate:       Gate{Rate: 0.8, K: 5, Retries: 1},
		BM25:       BM25{K1: 1.2, B: 0.75, Limit: 100},
		Dense:      Dense{Limit: 100},
		Graph:      Graph{Limit: 100, Hops: 2, Decay: 0.6},
		Layers:     ByRole[Layer]{},
		Ingest:     Ingest{MaxBytes: 32 << 20, Watch: 2 * time.Second},
		Domains:    map[string]Domain{},
		Limits: Limits{
			Passages: 200, PassageChars: 100_000, Question: 8_000, Answer: 100_000,
			TopK: 200, BodyBytes: 64 << 20, Deadline: 10 * time.Second,
		},
		Telemetry: Telemetry{LogLevel: "info", LogFormat: "text"},
	}
	for _, name := range c.Weights.Names() {
		c.Weights[name] = Weights{Dense: 0.4, BM25: 0.4, Graph: 0.2}
		c.Routes[name] = Routes{Off: []string{}}
		c.Thresholds[name] = Thresholds{Sufficiency: 0.5, FGCGreen: 0.95, FGCYellow: 0.85, CDS: 1.5}
	}
	c.Weights["numeric"] = Weights{Dense: 0.4, BM25: 0.5, Graph: 0.1}
	c.Weights["definition"] = Weights{Dense: 0.6, BM25: 0.2, Graph: 0.2}
	c.Weights["condition"] = Weights{Dense: 0.3, BM25: 0.3, Graph: 0.4}
	for _, role := range Roles {
		c.Layers[role] = Layer{}
	}
	return c
}
