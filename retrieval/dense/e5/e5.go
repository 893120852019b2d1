// Package e5 is multilingual-e5-small as an embedding model of the dense route, inside
// this process: better than the built-in static one and thousands of times slower, so
// that it embeds passages in idle time.
package e5

import (
	"context"
	"fmt"
	"time"

	"suffice.dev/suffice/model/reader"
)

// Model embeds questions at once, and passages while nothing else is to be done. It is
// safe for concurrent use.
type Model struct {
	embedder *reader.Embedder
	busy     func() bool
}

// New reads the weights, which takes some 100 ms the first time. busy reports whether
// there is other work, for which the embedding of passages stops; nil = there never is.
func New(busy func() bool) (*Model, error) {
	e, err := reader.E5()
	if err != nil {
		return nil, fmt.Errorf("embedding e5: %w", err)
	}
	if busy == nil {
		busy = func() bool { return false }
	}
	return &Model{embedder: e, busy: busy}, nil
}

// Slow reports whether this processor has only the portable kernels, on which a question
// takes half a second and a passage ten.
func Slow() bool { return reader.Kernels() == reader.Portable }

// Name tells two models apart.
func (m *Model) Name() string { return m.embedder.Name() + " " + m.embedder.Hash() }

// Dims is the length of every vector.
func (m *Model) Dims() int { return m.embedder.Dims() }

// Embed returns the vectors of texts, of length 1, in their order; of a blank one the
// zero vector. The error is ctx's.
func (m *Model) Embed(ctx context.Context, texts []string, passages bool) ([][]float32, error) {
	if !passages {
		return m.embedder.EmbedAll(ctx, texts, true)
	}
	return m.embedder.EmbedIdle(ctx, texts, m.rest)
}

// Waits between two looks whether there is other work, and the longest stop in all: the
// work never ends where some request is always open, and then a layer of passages, some
// 10 ms, is embedded after each such stop.
const (
	firstLook = time.Millisecond
	lastLook  = 16 * time.Millisecond
	longest   = 250 * time.Millisecond
)

// rest returns when there is no other work, at most after longest.
func (m *Model) rest(ctx context.Context) {
	if !m.busy() {
		return
	}
	until := time.NewTimer(longest)
	defer until.Stop()
	for look := firstLook; m.busy(); look = min(2*look, lastLook) {
		select {
		case <-ctx.Done():
			return
		case <-until.C:
			return
		case <-time.After(look):
		}
	}
}
