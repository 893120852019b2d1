// Package deadline gives a part of a reply its share of the time, and leaves it behind when it is late.
package deadline

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

// Await calls a part, such as a model or a route, and returns when it does or when ctx ends,
// whichever is first: a part that is deaf to its context is left behind and ends by itself. A
// panic is its error: one broken part must not end the others.
func Await[T any](ctx context.Context, call func() (T, error)) (T, error) {
	var zero T
	if err := ctx.Err(); err != nil { // nothing is begun that nobody waits for
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
		select {
		case r := <-done: // answered at the last moment
			return r.value, r.err
		default:
			return zero, ctx.Err()
		}
	}
}
