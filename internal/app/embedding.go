package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"suffice.dev/suffice/model/reader"
	"suffice.dev/suffice/retrieval/dense/e5"
	"suffice.dev/suffice/retrieval/dense/openai"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/services/config"
)

// checkTime is how long the first call to an embedding endpoint may take.
const checkTime = 10 * time.Second

// embedding sets the model of the dense route that is configured, and how one that served
// before is made again. Vectors of another length than configured are an error; a server
// that does not answer yet is not: what served before serves until it does.
func (d *data) embedding(ctx context.Context, e config.Embedding, opt *index.Options) error {
	opt.Earlier = d.earlierEndpoint
	if e.Provider == config.StaticEmbedding {
		return nil
	}
	made, err := d.newEndpoint(e)
	if err != nil {
		return err
	}
	opt.Endpoint, opt.Origin = made, origin(e)
	client, ok := made.(*openai.Client)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	switch err := client.Check(ctx); {
	case errors.Is(err, openai.ErrDims):
		return err
	case err != nil:
		d.log.Warn("the embedding endpoint does not answer; what served before serves until it does", "error", err)
	}
	return nil
}

// newEndpoint is the model of a configuration, another than the static one.
func (d *data) newEndpoint(e config.Embedding) (index.Endpoint, error) {
	switch e.Provider {
	case config.E5Embedding:
		if e5.Slow() {
			d.log.Warn("embedding.provider e5 has no kernels for this processor: a question takes about half a second, a passage ten", "kernels", reader.Kernels())
		}
		return e5.New(d.busy)
	case config.OpenAIEmbedding:
		return openai.New(e.Client(), nil)
	}
	return nil, fmt.Errorf("embedding.provider: %q stands for no model", e.Provider)
}

// origin is the configuration of a model as the index keeps it, to ask the model again
// while another one takes its place. It names the place of the key, not the key; an address
// that may hold one gives "".
func origin(e config.Embedding) string {
	if u, err := url.Parse(e.URL); err != nil || u.User != nil || u.RawQuery != "" {
		return ""
	}
	data, err := json.Marshal(e)
	if err != nil {
		return "" // it has plain fields only
	}
	return string(data)
}

func (d *data) earlierEndpoint(origin string) (index.Endpoint, error) {
	var e config.Embedding
	if err := json.Unmarshal([]byte(origin), &e); err != nil {
		return nil, fmt.Errorf("its settings are not known: %w", err)
	}
	return d.newEndpoint(e)
}
