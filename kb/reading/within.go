package reading

import (
	"context"
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
