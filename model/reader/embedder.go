package reader

import (
	"context"
	"fmt"
	"runtime"
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
// for a blank text. A text of more than 512 tokens is read in windows, and its vector is the
// mean over the tokens of all. The error is ctx's.
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
	w := e.take()
	defer e.give(w)
	return e.embedTexts(ctx, w, prefix, texts, groupTokens)
}

// idleTokens bounds the tokens of a pass in idle time, so that it can stop often: a layer
// of so many takes some 20 ms.
const idleTokens = 512

// EmbedIdle returns the vectors of passages as EmbedAll does, in time that is left over: on
// half of the processors, and before every layer it calls rest, which returns when the
// work may go on or ctx has ended.
func (e *Embedder) EmbedIdle(ctx context.Context, passages []string, rest func(context.Context)) ([][]float32, error) {
	w := e.take()
	defer e.give(w)
	w.most, w.rest = max(1, runtime.GOMAXPROCS(0)/2), rest
	return e.embedTexts(ctx, w, prefixPassage, passages, idleTokens)
}

// embedTexts embeds in passes of about group tokens.
func (e *Embedder) embedTexts(ctx context.Context, w *workspace, prefix string, texts []string, group int) ([][]float32, error) {
	out := make([][]float32, len(texts))
	flat := make([]float32, len(texts)*e.width)
	for i := range out {
		out[i] = flat[i*e.width:][:e.width:e.width]
	}
	w.owners = w.owners[:0]
	w.pooled = grown(w.pooled, e.width)
	flush := func() error {
		if err := e.forward(ctx, w); err != nil {
			return fmt.Errorf("embedding %d texts: %w", len(texts), err)
		}
		for i, s := range w.sequences {
			mean(w.pooled, w.x[s.start*e.width:s.end*e.width])
			v, tokens := out[w.owners[i]], float32(s.end-s.start)
			for j, x := range w.pooled {
				v[j] += tokens * x
			}
		}
		w.reset()
		w.owners = w.owners[:0]
		return nil
	}
	for i, s := range texts {
		if strings.TrimSpace(s) == "" {
			continue
		}
		w.pieces = e.tokens.AppendPieces(w.pieces[:0], prefix+s)
		head := 0 // pieces of the prefix, which stands before every window
		for head < len(w.pieces) && int(w.pieces[head].Start) < len(prefix)-1 {
			head++
		}
		body := w.pieces[head:]
		for {
			window := body[:min(len(body), e.Base.file.Config.Positions-2-head)]
			if len(w.ids) > 0 && len(w.ids)+head+len(window)+2 > group {
				if err := flush(); err != nil {
					return nil, err
				}
			}
			w.ids = append(w.ids, e.begin)
			for _, p := range w.pieces[:head] {
				w.ids = append(w.ids, p.ID)
			}
			for _, p := range window {
				w.ids = append(w.ids, p.ID)
			}
			w.ids = append(w.ids, e.finish)
			w.add()
			w.owners = append(w.owners, i)
			if body = body[len(window):]; len(body) == 0 {
				break
			}
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	for _, v := range out {
		embed.Normalize(v)
	}
	return out, nil
}
