package app

import (
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/services/config"
)

// FactReader reads questions and texts as a server would, for measuring the facts engine
// alone.
type FactReader struct {
	Precheck precheck.Analyzer
	Engine   *fact.Engine
}

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
