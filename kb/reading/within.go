package reading

import (
	"context"
	"fmt"
	"time"
)

// modelShare is the share of the time that is left of a deadline that a model which reads
// may take: the rest is for the reply without it.
const modelShare = 2.0 / 3

// Within bounds the time of a model that reads: the budget, and of ctx's deadline no more
// than leaves time for the reply without it. limit is what it has; cancel must be called.
func Within(ctx context.Context, budget time.Duration) (limited context.Context, limit time.Duration, cancel context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		budget = min(budget, time.Duration(modelShare*float64(time.Until(end))))
	}
	limited, cancel = context.WithTimeout(ctx, budget)
	return limited, budget, cancel
}

// Await calls a model and returns when it does or when ctx ends, whichever is first: a model
// that looks at its context seldom is left behind and ends by itself. A panic is its error.
func Await[T any](ctx context.Context, call func() (T, error)) (T, error) {
	if err := ctx.Err(); err != nil { // nothing is begun that nobody waits for
		var zero T
		return zero, err
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = fmt.Errorf("panic: %v", p)
			}
			done <- r
		}()
		r.value, r.err = call()
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var zero T
		return zero, ctx.Err()
	}
}
