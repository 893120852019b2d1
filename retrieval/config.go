package retrieval

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"suffice.dev/suffice/kb"
)

// Config sets how routes are weighed and how long they may take.
type Config struct {
	// Weights by question class. A class without an entry has DefaultWeights.
	Weights map[kb.Class]kb.Weights
	// Off names the routes that are not asked for a class, unless the request does.
	Off map[kb.Class][]kb.Route
	// Candidates is how many chunks each route finds before fusion; 1..1000.
	Candidates int
	// Share is the part of the time until the deadline that a route may take,
	// 0 < Share <= 1; the rest is for fusion and the reply.
	Share float64
	// Timeout is the longest that a route may take, whatever the deadline.
	Timeout time.Duration
}

// DefaultTopK is the number of passages of a request that names none.
const DefaultTopK = 10

// DefaultWeights are those of a class that Config.Weights does not name.
//
// They were fitted with the calibrations of the routes, for the built-in embedding, on the
// fitting side of nine sets (docs/measurements.md): dense between 0.45 and 0.55 serves
// each class best that has questions enough to tell, so all classes have the same.
var DefaultWeights = kb.Weights{Dense: 0.5, BM25: 0.33, Graph: 0.17}

// Default returns the shipped configuration.
func Default() Config {
	c := Config{Weights: map[kb.Class]kb.Weights{}, Candidates: 100, Share: 0.8, Timeout: 2 * time.Second}
	for _, class := range kb.Classes {
		c.Weights[class] = DefaultWeights
	}
	return c
}

// Validate returns all problems of the configuration, joined.
func (c Config) Validate() error {
	var problems []error
	for _, class := range kb.Classes {
		if w, ok := c.Weights[class]; ok {
			if err := checkWeights(fmt.Sprintf("weights.%s", class), w); err != nil {
				problems = append(problems, err)
			}
		}
		for i, r := range c.Off[class] {
			if !slices.Contains(kb.Routes, r) {
				problems = append(problems, kb.Invalid(fmt.Sprintf("routes.%s.off[%d]", class, i), "%q is not a route; write dense, bm25 or graph", r))
			}
		}
	}
	for class := range c.Weights {
		if !slices.Contains(kb.Classes, class) {
			problems = append(problems, kb.Invalid(fmt.Sprintf("weights.%s", class), "is not a question class"))
		}
	}
	if c.Candidates < 1 || c.Candidates > 1000 {
		problems = append(problems, kb.Invalid("limits.candidates", "%d is not in 1..1000", c.Candidates))
	}
	if !(c.Share > 0 && c.Share <= 1) {
		problems = append(problems, kb.Invalid("retrieval.share", "%v is not above 0 and at most 1", c.Share))
	}
	if c.Timeout <= 0 {
		problems = append(problems, kb.Invalid("retrieval.timeout", "%v is not above 0", c.Timeout))
	}
	return errors.Join(problems...)
}

func checkWeights(field string, w kb.Weights) error {
	for _, r := range kb.Routes {
		if v := weight(w, r); !(v >= 0) || v > 1e9 {
			return kb.Invalid(fmt.Sprintf("%s.%s", field, r), "%v is not a weight; write a number from 0", v)
		}
	}
	if w.Dense+w.BM25+w.Graph == 0 {
		return kb.Invalid(field, "all weights are 0; one must be above")
	}
	return nil
}

func weight(w kb.Weights, r kb.Route) float64 {
	switch r {
	case kb.Dense:
		return w.Dense
	case kb.BM25:
		return w.BM25
	case kb.Graph:
		return w.Graph
	}
	return 0
}

func setWeight(w *kb.Weights, r kb.Route, v float64) {
	switch r {
	case kb.Dense:
		w.Dense = v
	case kb.BM25:
		w.BM25 = v
	case kb.Graph:
		w.Graph = v
	}
}
