package fact

import (
	"sync"
	"time"

	"suffice.dev/suffice/text"
	"suffice.dev/suffice/text/lexicon"
)

// Dictionary finds synonyms of both languages: the longest entry that starts at a
// position of a folded text, with the id that all its synonyms share.
type Dictionary interface {
	Match(folded []rune, at int) (end int, synset int32, ok bool)
}

// Config is what an Engine works with. The zero value reads and compares without
// synonyms and similarity.
type Config struct {
	Dictionary  Dictionary                // nil = none
	Similarity  func(a, b string) float64 // 0..1; nil = none
	Contrasts   *lexicon.Contrasts        // words that set cases apart; nil = none
	Related     *lexicon.Related          // words that may stand for each other; nil = none
	Rarity      func(word string) float64 // 0..1, how rare a word is in the language; nil = all alike
	FiscalStart time.Month                // first month of the fiscal year; 0 = January
}

// Engine reads facts and compares them. Beyond its configuration it keeps only phrases
// that it has prepared; it is safe for concurrent use if the Dictionary and Similarity
// are.
type Engine struct {
	config   Config
	phrases  phraseStore[wording]
	subjects phraseStore[subjectForm]
	titles   phraseStore[titleForm]
	sides    phraseStore[[]sideSet]
	latin    phraseStore[crossTold] // see crossings.latin
	scratch  sync.Pool              // of *scratch
	terms    sync.Pool              // of *[]text.Term, see phrase
	told     sync.Map               // []crossTold by Han word of the crossing dictionary, see crossings.han
	abroad   sync.Map               // the same, see crossings.latinOf
}

// New returns an engine.
func New(c Config) *Engine { return &Engine{config: c} }

// match is the dictionary as the term reader wants it; nil without one.
func (e *Engine) match() text.Match {
	if e.config.Dictionary == nil {
		return nil
	}
	return e.config.Dictionary.Match
}
