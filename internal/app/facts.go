package app

import (
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/services/config"
)

// FactReader reads questions and texts as a server would, for measuring the facts engine
// alone.
type FactReader struct {
	Precheck precheck.Analyzer
	Engine   *fact.Engine
}

// Needs are what the asked slots of a question want of the facts, as an assessment asks it.
func (r *FactReader) Needs(a kb.Analysis) []fact.Need { return rerank.Needs(a) }

// NewFactReader builds one from the configuration. Its errors are ErrSetup.
func NewFactReader(src config.Sources) (*FactReader, error) {
	_, lex, static, err := languageOf(src)
	if err != nil {
		return nil, err
	}
	pre, err := precheck.New(precheck.Config{Lexicon: lex})
	if err != nil {
		return nil, setup(err)
	}
	return &FactReader{Precheck: pre, Engine: newEngine(lex, static)}, nil
}
