// Package llm is a model of package validate behind any OpenAI-compatible chat
// endpoint.
package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	openai "github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"

	"suffice.dev/suffice/validate"
)

// Options of a Client.
type Options struct {
	Observer validate.Observer        // nil = nothing is counted
	Logger   *slog.Logger             // nil = slog.Default
	Getenv   func(name string) string // nil = os.Getenv
}

// Client calls a chat endpoint. It is safe for concurrent use.
type Client struct {
	cfg     Config
	api     *openai.Client
	prompts *prompts
	slots   *semaphore.Weighted
	breaker *gobreaker.CircuitBreaker[reply]
	observe validate.Observer
	log     *slog.Logger
	form    atomic.Int32 // how the server takes a schema: a form of the list below
}

// The forms in which a server may take a schema, best first. A server that refuses
// one is asked in the next from then on.
const (
	formSchema int32 = iota // response_format json_schema
	formObject              // response_format json_object, the schema in words
	formText                // the schema in words alone
)

var _ validate.Model = (*Client)(nil)

// New returns a client. It makes no connection; a key that is named and not there is
// an error.
func New(cfg Config, opts Options) (*Client, error) {
	if errs := cfg.Validate(); len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if cfg.URL == "" {
		return nil, errors.New("llm.url is empty: there is no model to call")
	}
	key, err := cfg.key().Read(opts.Getenv)
	if err != nil {
		return nil, err
	}
	c := &Client{cfg: cfg, observe: opts.Observer, log: opts.Logger, slots: semaphore.NewWeighted(int64(cfg.Concurrency))}
	if c.log == nil {
		c.log = slog.Default()
	}
	if c.prompts, err = loadPrompts(cfg.Prompts); err != nil {
		return nil, err
	}
	sdk := openai.DefaultConfig(string(key))
	sdk.BaseURL, sdk.HTTPClient = strings.TrimSuffix(cfg.URL, "/"), newDoer(cfg)
	c.api = openai.NewClientWithConfig(sdk)
	c.breaker = gobreaker.NewCircuitBreaker[reply](gobreaker.Settings{
		Name: "llm", Timeout: cfg.Pause,
		ReadyToTrip: func(n gobreaker.Counts) bool { return int(n.ConsecutiveFailures) >= cfg.Failures },
		// Only a server that does not serve is left alone: not one whose model writes badly,
		// and not one that a caller did not wait for.
		IsSuccessful: func(err error) bool {
			return err == nil || errors.Is(err, validate.ErrModelForm) || errors.Is(err, validate.ErrModelCut) || errors.Is(err, errStopped)
		},
		IsExcluded: func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			c.log.Warn("model circuit", "from", from.String(), "to", to.String())
		},
	})
	return c, nil
}

// Version names the model and the prompts, for what a reply says made it.
func (c *Client) Version() string { return c.cfg.Model + "+prompts-" + c.prompts.version }

// Name implements validate.Model.
func (c *Client) Name() string { return c.cfg.Model }

// request is one call before it is put into the SDK's form.
type request struct {
	task   string
	system string
	user   string
	schema *schema // nil = free text
	tokens int
	stop   []string
	grown  func(soFar string) error
}

// reply is what came back.
type reply struct {
	text               string
	prompt, completion int
}

// errStopped says that the receiver of a stream wanted no more.
var errStopped = errors.New("stopped by its receiver")

// call sends one request within the limits of the configuration and of ctx.
func (c *Client) call(ctx context.Context, r request) (string, error) {
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, validate.ErrModelSlow)
	defer cancel()
	got, err := c.limited(ctx, r)
	if c.observe != nil {
		c.observe.ModelCalled(validate.ModelCall{
			Task: r.task, Result: result(err), Took: time.Since(start), PromptTokens: got.prompt, CompletionTokens: got.completion,
			Cost: (float64(got.prompt)*c.cfg.PriceInput + float64(got.completion)*c.cfg.PriceOutput) / 1e6,
		})
	}
	if err != nil {
		return "", fmt.Errorf("model %s: %w", r.task, err)
	}
	return got.text, nil
}

func (c *Client) limited(ctx context.Context, r request) (reply, error) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return reply{}, classify(ctx, err)
	}
	defer c.slots.Release(1)
	got, err := c.breaker.Execute(func() (reply, error) {
		for {
			form := c.form.Load()
			got, err := c.stream(ctx, r, form)
			if r.schema != nil && form < formText && refusesForm(err) {
				c.form.CompareAndSwap(form, form+1)
				c.log.Info("the model's server takes no such response_format; the next form is used", "refused", []string{"json_schema", "json_object"}[form])
				continue
			}
			return got, classify(ctx, err)
		}
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = fmt.Errorf("%w: left alone after failures", validate.ErrModelDown)
	}
	return got, err
}

// refusesForm reports whether a server refused the form of the schema, not the rest.
func refusesForm(err error) bool {
	var api *openai.APIError
	if !errors.As(err, &api) || api.HTTPStatusCode != http.StatusBadRequest && api.HTTPStatusCode != http.StatusUnprocessableEntity {
		return false
	}
	said := strings.ToLower(api.Message)
	if api.Param != nil {
		said += strings.ToLower(*api.Param)
	}
	return strings.Contains(said, "response_format") || strings.Contains(said, "json_schema") || strings.Contains(said, "json_object") || strings.Contains(said, "schema")
}

// stream sends the request and reads the reply piece by piece, so that a server that
// falls silent is noticed. The body is closed on every way out.
func (c *Client) stream(ctx context.Context, r request, form int32) (out reply, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req := openai.ChatCompletionRequest{
		Model: c.cfg.Model, MaxTokens: c.cfg.Output, //nolint:staticcheck // the field that servers other than OpenAI's know
		Stop: r.stop, Stream: true, StreamOptions: &openai.StreamOptions{IncludeUsage: true},
		Messages: []openai.ChatCompletionMessage{
			{Role: openai.ChatMessageRoleSystem, Content: r.system},
			{Role: openai.ChatMessageRoleUser, Content: r.user},
		},
	}
	if r.tokens > 0 {
		req.MaxTokens = min(r.tokens, c.cfg.Output) //nolint:staticcheck // as above
	}
	if r.schema != nil {
		switch form {
		case formSchema:
			req.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
				JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: r.schema.name, Schema: r.schema.body, Strict: true}}
		case formObject:
			req.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
			fallthrough
		default:
			req.Messages[0].Content += "\n" + string(r.schema.body)
		}
	}
	s, err := c.api.CreateChatCompletionStream(ctx, req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = s.Close() }() // what it has not sent is not wanted
	quiet := time.AfterFunc(c.cfg.Idle, func() { cancel(validate.ErrModelSlow) })
	defer quiet.Stop()
	var text strings.Builder
	finish := openai.FinishReason("")
	for {
		part, err := s.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return out, err
		}
		quiet.Reset(c.cfg.Idle)
		if part.Usage != nil {
			out.prompt, out.completion = part.Usage.PromptTokens, part.Usage.CompletionTokens
		}
		if len(part.Choices) == 0 {
			continue
		}
		if f := part.Choices[0].FinishReason; f != "" && f != openai.FinishReasonNull {
			finish = f
		}
		if part.Choices[0].Delta.Content == "" {
			continue
		}
		text.WriteString(part.Choices[0].Delta.Content)
		if r.grown != nil {
			quiet.Stop() // what the receiver takes its time for is no silence of the server
			if err := r.grown(text.String()); err != nil {
				return out, errors.Join(errStopped, err)
			}
			quiet.Reset(c.cfg.Idle)
		}
	}
	out.text = text.String()
	switch finish {
	case openai.FinishReasonStop:
		return out, nil
	case "", openai.FinishReasonLength: // a cut stream ends as a whole one does, but for this
		return out, validate.ErrModelCut
	}
	return out, fmt.Errorf("%w: it ended for another reason than its end", validate.ErrModelForm)
}

// classify turns an error of SDK and network into one of package validate's. What a
// server wrote is left out.
func classify(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	for _, known := range []error{validate.ErrModelBusy, validate.ErrModelDown, validate.ErrModelSlow, validate.ErrModelCut, validate.ErrModelForm, errStopped} {
		if errors.Is(err, known) {
			return err
		}
	}
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), context.Canceled) {
			return context.Canceled
		}
		return validate.ErrModelSlow
	}
	var api *openai.APIError
	var request *openai.RequestError
	status := 0
	if errors.As(err, &api) {
		status = api.HTTPStatusCode
	} else if errors.As(err, &request) {
		status = request.HTTPStatusCode
	}
	var slow net.Error
	var syntax *json.SyntaxError
	switch {
	case status == http.StatusTooManyRequests:
		return validate.ErrModelBusy
	case status == http.StatusRequestTimeout || status == http.StatusGatewayTimeout:
		return validate.ErrModelSlow
	case status != 0:
		return fmt.Errorf("%w: HTTP status %d", validate.ErrModelDown, status)
	case errors.Is(err, errBody):
		return fmt.Errorf("%w: over llm.body_bytes", validate.ErrModelForm)
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: half an event", validate.ErrModelForm)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return validate.ErrModelCut
	case errors.As(err, &slow) && slow.Timeout():
		return validate.ErrModelSlow
	}
	return validate.ErrModelDown
}

// result is the label of an error.
func result(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, errStopped):
		return "stopped"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.Is(err, validate.ErrModelBusy):
		return "busy"
	case errors.Is(err, validate.ErrModelSlow):
		return "slow"
	case errors.Is(err, validate.ErrModelCut):
		return "cut"
	case errors.Is(err, validate.ErrModelForm):
		return "form"
	}
	return "down"
}
