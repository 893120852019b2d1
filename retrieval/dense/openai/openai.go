// Package openai is an embedding model of the dense route behind any
// OpenAI-compatible embedding endpoint.
package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/apikey"
)

// Config says where the endpoint is and what is sent to it.
type Config struct {
	URL           string        // of the API, with its version: https://host/v1
	Model         string        // name as the server knows it
	Dims          int           // length of its vectors, 1..8192
	KeyEnv        string        // name of the environment variable with the API key; "" = none
	KeyFile       string        // file with the API key; "" = none
	Timeout       time.Duration // of one call with its retries, 10ms..10m; the request's own deadline counts too
	Batch         int           // texts a call, 1..2048
	Retries       int           // of calls that were refused (429, 5xx) or did not get through, 0..10
	InputType     bool          // send input_type query or passage, which some servers of e5 models read
	QueryPrefix   string        // stands before every question, such as "query: "
	PassagePrefix string        // stands before every passage
}

// Default returns the settings that are not about one server.
func Default() Config { return Config{Timeout: 30 * time.Second, Batch: 32, Retries: 3} }

// Validate returns all problems.
func (c Config) Validate() []error {
	var out []error
	check := func(ok bool, field, format string, args ...any) {
		if !ok {
			out = append(out, kb.Invalid("embedding."+field, format, args...))
		}
	}
	check(strings.HasPrefix(c.URL, "http://") || strings.HasPrefix(c.URL, "https://"), "url", "%q is not the address of an API; write https://host/v1", c.URL)
	check(c.Model != "", "model", "is empty; write the name of the model as the server knows it")
	check(c.Dims >= 1 && c.Dims <= 8192, "dims", "%d is not in 1..8192; write the length of the model's vectors", c.Dims)
	check(c.Timeout >= 10*time.Millisecond && c.Timeout <= 10*time.Minute, "timeout", "%v is not in 10ms..10m", c.Timeout)
	check(c.Batch >= 1 && c.Batch <= 2048, "batch", "%d is not in 1..2048", c.Batch)
	check(c.Retries >= 0 && c.Retries <= 10, "retries", "%d is not in 0..10", c.Retries)
	if err := c.key().Validate(); err != nil {
		out = append(out, err)
	}
	return out
}

// key is where the key of the server is kept.
func (c Config) key() apikey.Place {
	return apikey.Place{Section: "embedding", Env: c.KeyEnv, File: c.KeyFile}
}

// Client calls an embedding endpoint. It is safe for concurrent use.
type Client struct {
	cfg Config
	api *openai.Client
}

// ErrDims says that the endpoint's vectors are of another length than the
// configuration says.
var ErrDims = errors.New("embedding has other dimensions than configured")

// New returns a client. It makes no connection; Check does. getenv nil = os.Getenv.
func New(cfg Config, getenv func(string) string) (*Client, error) {
	if errs := cfg.Validate(); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	key, err := cfg.key().Read(getenv)
	if err != nil {
		return nil, err
	}
	sdk := openai.DefaultConfig(string(key))
	sdk.BaseURL = strings.TrimSuffix(cfg.URL, "/")
	sdk.HTTPClient = &http.Client{Timeout: cfg.Timeout}
	return &Client{cfg: cfg, api: openai.NewClientWithConfig(sdk)}, nil
}

// Name tells two models apart: vectors of clients with different names are not
// comparable.
func (c *Client) Name() string {
	return fmt.Sprintf("%s/%d %q %v", c.cfg.Model, c.cfg.Dims, c.cfg.PassagePrefix, c.cfg.InputType)
}

// Dims is the length of every vector.
func (c *Client) Dims() int { return c.cfg.Dims }

// Check embeds one word: ErrDims where the endpoint's vectors are of another length
// than configured, any other error where it does not answer.
func (c *Client) Check(ctx context.Context) error {
	_, err := c.Embed(ctx, []string{"suffice"}, false)
	return err
}

// Embed returns the vectors of texts, of length 1, in their order. Questions and
// passages are told apart, as many models want it. A blank text gives a zero vector.
func (c *Client) Embed(ctx context.Context, texts []string, passages bool) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	out := make([][]float32, len(texts))
	var wanted []int
	for i, t := range texts {
		if strings.TrimSpace(t) == "" {
			out[i] = make([]float32, c.cfg.Dims)
			continue
		}
		wanted = append(wanted, i)
	}
	for batch := range slices.Chunk(wanted, c.cfg.Batch) {
		input := make([]string, len(batch))
		for i, at := range batch {
			input[i] = c.prefix(passages) + texts[at]
		}
		vectors, err := c.patient(ctx, input, passages)
		if err != nil {
			return nil, fmt.Errorf("embed %d texts at %s: %w", len(texts), c.cfg.URL, err)
		}
		for i, at := range batch {
			out[at] = vectors[i]
		}
	}
	return out, nil
}

func (c *Client) prefix(passages bool) string {
	if passages {
		return c.cfg.PassagePrefix
	}
	return c.cfg.QueryPrefix
}

// first is the wait before the first retry; each later one waits twice as long, and
// up to half of that more.
const first = 200 * time.Millisecond

// patient calls, and calls again where a later call may succeed.
func (c *Client) patient(ctx context.Context, input []string, passages bool) ([][]float32, error) {
	for try := 0; ; try++ {
		vectors, err := c.call(ctx, input, passages)
		if err == nil || try == c.cfg.Retries || !passing(err) || ctx.Err() != nil {
			return vectors, err
		}
		wait := first << try
		wait += rand.N(wait/2 + 1)
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w; before: %w", ctx.Err(), err)
		case <-time.After(wait):
		}
	}
}

// passing reports whether an error may be gone at the next call.
func passing(err error) bool {
	if errors.Is(err, ErrDims) || errors.Is(err, errForm) || errors.Is(err, context.Canceled) {
		return false
	}
	status := 0
	var refused *openai.APIError
	var failed *openai.RequestError
	switch {
	case errors.As(err, &refused):
		status = refused.HTTPStatusCode
	case errors.As(err, &failed):
		status = failed.HTTPStatusCode
	}
	return status == 0 || status == http.StatusTooManyRequests || status >= 500
}

// errForm says that a reply does not answer the call.
var errForm = errors.New("the endpoint's reply does not fit the call")

func (c *Client) call(ctx context.Context, input []string, passages bool) ([][]float32, error) {
	req := openai.EmbeddingRequest{Input: input, Model: openai.EmbeddingModel(c.cfg.Model), EncodingFormat: openai.EmbeddingEncodingFormatFloat}
	if c.cfg.InputType {
		kind := "query"
		if passages {
			kind = "passage"
		}
		req.ExtraBody = map[string]any{"input_type": kind}
	}
	got, err := c.api.CreateEmbeddings(ctx, req)
	if err != nil {
		return nil, err
	}
	if len(got.Data) != len(input) {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", errForm, len(got.Data), len(input))
	}
	out := make([][]float32, len(input))
	for _, d := range got.Data { // in any order
		if d.Index < 0 || d.Index >= len(out) || out[d.Index] != nil {
			return nil, fmt.Errorf("%w: index %d", errForm, d.Index)
		}
		if len(d.Embedding) != c.cfg.Dims {
			return nil, fmt.Errorf("%w: %s gives %d, embedding.dims says %d", ErrDims, c.cfg.Model, len(d.Embedding), c.cfg.Dims)
		}
		if out[d.Index] = normalized(d.Embedding); out[d.Index] == nil {
			return nil, fmt.Errorf("%w: vector %d is not finite", errForm, d.Index)
		}
	}
	return out, nil
}

// normalized scales to length 1; nil where that cannot be.
func normalized(v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	out := slices.Clone(v)
	if sum > 0 {
		f := float32(1 / math.Sqrt(sum))
		for i := range out {
			out[i] *= f
		}
	}
	return out
}
