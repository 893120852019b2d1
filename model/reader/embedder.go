package reader

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"suffice.dev/suffice/model/embed"
	files "suffice.dev/suffice/models/reader"
)

// Embedder is multilingual-e5-small: texts of near meaning have near vectors, across
// words and languages.
type Embedder struct {
	*encoder
	file *file
}

var e5 = sync.OnceValues(func() (*Embedder, error) {
	b, err := base()
	if err != nil {
		return nil, err
	}
	return NewEmbedder("e5.bin", files.E5, b)
})

// E5 returns the built-in embedder, read on the first call.
func E5() (*Embedder, error) { return e5() }

// NewEmbedder reads the text of a file of upper layers; name is what errors call it.
func NewEmbedder(name, data string, b *Base) (*Embedder, error) {
	f, err := parse(name, kindE5, data)
	if err != nil {
		return nil, err
	}
	e, err := b.encoder(name, f)
	if err != nil {
		return nil, err
	}
	return &Embedder{encoder: e, file: f}, nil
}

// Name is the model's name.
func (e *Embedder) Name() string { return e.file.Name }

// Hash tells two models apart; vectors of models with different hashes are not
// comparable. 16 hexadecimal digits.
func (e *Embedder) Hash() string { return e.file.hash[:16] }

// Dims is the length of every vector.
func (e *Embedder) Dims() int { return e.width }

// Embed returns the vector of a query, or of a passage, of length 1; the zero vector
// for a blank text. What is beyond 512 tokens is not read. The error is ctx's.
func (e *Embedder) Embed(ctx context.Context, s string, query bool) ([]float32, error) {
	v, err := e.EmbedAll(ctx, []string{s}, query)
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// EmbedAll returns the vectors of several texts, as Embed does, sooner than one by one.
func (e *Embedder) EmbedAll(ctx context.Context, texts []string, query bool) ([][]float32, error) {
	prefix := prefixPassage
	if query {
		prefix = prefixQuery
	}
	out := make([][]float32, len(texts))
	flat := make([]float32, len(texts)*e.width)
	w := e.take()
	defer e.give(w)
	w.owners = w.owners[:0]
	flush := func() error {
		if err := e.forward(ctx, w); err != nil {
			return fmt.Errorf("embedding %d texts: %w", len(texts), err)
		}
		for i, s := range w.sequences {
			v := out[w.owners[i]]
			mean(v, w.x[s.start*e.width:s.end*e.width])
			embed.Normalize(v)
		}
		w.reset()
		w.owners = w.owners[:0]
		return nil
	}
	for i, s := range texts {
		out[i] = flat[i*e.width:][:e.width:e.width]
		if strings.TrimSpace(s) == "" {
			continue
		}
		w.pieces = e.tokens.AppendPieces(w.pieces[:0], prefix+s)
		pieces := w.pieces[:min(len(w.pieces), e.Base.file.Config.Positions-2)]
		if len(w.ids) > 0 && len(w.ids)+len(pieces)+2 > groupTokens {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		w.ids = append(w.ids, e.begin)
		for _, p := range pieces {
			w.ids = append(w.ids, p.ID)
		}
		w.ids = append(w.ids, e.finish)
		w.add()
		w.owners = append(w.owners, i)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return out, nil
}
