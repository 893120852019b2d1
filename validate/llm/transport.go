package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// errBody says that a server sent more than it may.
var errBody = errors.New("response body over its limit")

// doer sends requests for the SDK, which has no timeouts, no retries and no limits of
// its own, and drops a temperature of 0.
type doer struct {
	client *http.Client
	limit  int64
}

// newDoer retries what a later try can mend: refused connections, 429 and 5xx, the
// first two with what Retry-After says, the others with a growing, jittered pause. A
// pause that would end after the caller's deadline is not begun.
func newDoer(c Config) *doer {
	r := retryablehttp.NewClient()
	r.Logger = nil // it would log addresses
	r.RetryMax = c.Retries
	r.RetryWaitMin, r.RetryWaitMax = 100*time.Millisecond, 5*time.Second
	r.ErrorHandler = retryablehttp.PassthroughErrorHandler
	if t, ok := r.HTTPClient.Transport.(*http.Transport); ok {
		t.ResponseHeaderTimeout = c.Idle
		t.MaxIdleConnsPerHost = c.Concurrency
	}
	r.Backoff = func(lo, hi time.Duration, attempt int, resp *http.Response) time.Duration {
		pause := retryablehttp.DefaultBackoff(lo, hi, attempt, resp)
		return pause + time.Duration(rand.Int64N(int64(pause)/4+1))
	}
	r.CheckRetry = func(ctx context.Context, resp *http.Response, err error) (bool, error) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		var slow net.Error
		if errors.As(err, &slow) && slow.Timeout() {
			return false, nil // it was waited for once
		}
		again, _ := retryablehttp.DefaultRetryPolicy(ctx, resp, err)
		if end, ok := ctx.Deadline(); again && ok && resp != nil {
			again = retryablehttp.DefaultBackoff(0, 0, 0, resp) < time.Until(end)
		}
		return again, nil
	}
	return &doer{client: r.StandardClient(), limit: int64(c.BodyBytes)}
}

// Do implements the SDK's HTTPDoer.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	if err := zeroTemperature(req); err != nil {
		return nil, err
	}
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	resp.Body = &limited{ReadCloser: resp.Body, left: d.limit}
	return resp, nil
}

// zeroTemperature writes "temperature": 0 into a request; the SDK leaves it out, and
// the server's default would apply.
func zeroTemperature(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	data, err := io.ReadAll(req.Body)
	_ = req.Body.Close() // it is a buffer
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(data, &body); err == nil {
		body["temperature"] = json.RawMessage("0")
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write request: %w", err)
		}
	}
	req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	return nil
}

// limited is a body that fails beyond its limit.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errBody
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.ReadCloser.Read(p)
	l.left -= int64(n)
	return n, err
}
