package pack

import (
	"fmt"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
)

// Vocabularies are the tokenizers that can be chosen. Their vocabularies are inside
// the binary; nothing is downloaded.
var Vocabularies = []string{tiktoken.MODEL_CL100K_BASE, tiktoken.MODEL_O200K_BASE}

// Counter counts tokens. It is safe for concurrent use. Its vocabulary is read at the
// first count, which takes a few tenths of a second.
type Counter struct {
	name string
	once func() (*tiktoken.Tiktoken, error)
	kept *lru.Cache[string, int]
}

// NewCounter returns a counter for one of Vocabularies.
func NewCounter(name string) (*Counter, error) {
	kept, err := lru.New[string, int](4096)
	if err != nil {
		return nil, fmt.Errorf("token counter: %w", err)
	}
	return &Counter{name: name, kept: kept, once: sync.OnceValues(func() (*tiktoken.Tiktoken, error) {
		ranks.Do(func() { tiktoken.SetBpeLoader(loader.NewOfflineLoader()) })
		return tiktoken.GetEncoding(name)
	})}, nil
}

// ranks guards the library's loader, which is one for the process.
var ranks sync.Once

// Count is the number of tokens of a text. It is exact for models with this
// vocabulary and an estimate for others: see Estimated.
func (c *Counter) Count(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	if n, ok := c.kept.Get(text); ok {
		return n, nil
	}
	enc, err := c.once()
	if err != nil {
		return 0, fmt.Errorf("tokenizer %s: %w", c.name, err)
	}
	n := len(enc.EncodeOrdinary(text))
	c.kept.Add(text, n)
	return n, nil
}

// exact are beginnings of the names of models with each vocabulary.
var exact = map[string][]string{
	tiktoken.MODEL_CL100K_BASE: {"gpt-4-", "gpt-4", "gpt-3.5", "text-embedding-3", "text-embedding-ada-002"},
	tiktoken.MODEL_O200K_BASE:  {"gpt-4o", "gpt-4.1", "gpt-5", "o1", "o3", "o4"},
}

// Estimated reports whether counts are an estimate for a model: it has, or may have,
// another vocabulary.
func (c *Counter) Estimated(model string) bool {
	model = model[strings.LastIndexByte(model, '/')+1:] // routers put the vendor before the name
	best, of := "", ""
	for vocabulary, names := range exact {
		for _, n := range names {
			if strings.HasPrefix(model, n) && len(n) > len(best) {
				best, of = n, vocabulary
			}
		}
	}
	return of != c.name
}
