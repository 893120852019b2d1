package deadline_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"suffice.dev/suffice/kb/deadline"
)

func TestWithin(t *testing.T) {
	_, limit, cancel := deadline.Within(t.Context(), time.Minute)
	cancel()
	if limit != time.Minute {
		t.Errorf("without a deadline %v, want the budget", limit)
	}
	ctx, end := context.WithTimeout(t.Context(), time.Hour)
	defer end()
	limited, limit, cancel := deadline.Within(ctx, 2*time.Hour)
	defer cancel()
	if at, ok := limited.Deadline(); !ok || limit > 40*time.Minute || limit < 30*time.Minute || time.Until(at) > 40*time.Minute {
		t.Errorf("of an hour %v, want two thirds", limit)
	}
	if _, limit, cancel = deadline.Within(ctx, time.Minute); limit != time.Minute {
		t.Errorf("of an hour %v, want the budget, which is less", limit)
	}
	cancel()
}

// TestAwait: a model that is deaf to its context is left behind.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	deaf := make(chan struct{})
	defer close(deaf)
	_, err := deadline.Await(ctx, func() (int, error) {
		cancel()
		<-deaf
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
	if got, err := deadline.Await(t.Context(), func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("%d, %v, want 7", got, err)
	}
	if _, err := deadline.Await(t.Context(), func() (int, error) { panic("weights") }); err == nil || !strings.Contains(err.Error(), "weights") {
		t.Errorf("error %v, want the panic", err)
	}
}
