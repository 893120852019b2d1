package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"suffice.dev/suffice/services"
)

// errPanic stands for a panic; to callers it is INTERNAL.
var errPanic = errors.New("panic")

// askMethods begin the calls whose time the pipeline sets, by what the request says of it.
const askMethods = "/suffice.v1.AskService/"

// guard stands around every call: it sets the deadline, recovers, translates errors
// by the one table, counts and logs. Neither texts nor ids of requests are logged.
type guard struct {
	timeout   func() time.Duration        // Config.Timeout
	authorize func(context.Context) error // Config.Authorize
	logger    *slog.Logger
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	panics    *prometheus.CounterVec
}

func newGuard(timeout func() time.Duration, logger *slog.Logger, reg prometheus.Registerer) *guard {
	auto := promauto.With(reg)
	return &guard{
		timeout: timeout,
		logger:  logger,
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_grpc_requests_total", Help: "Calls over gRPC by action and code.",
		}, []string{"action", "code"}),
		seconds: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "suffice_grpc_request_seconds", Help: "Time of calls over gRPC by action.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 15), // 1 ms to 16 s
		}, []string{"action"}),
		panics: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_grpc_panics_total", Help: "Panics in calls over gRPC by action.",
		}, []string{"action"}),
	}
}

// do makes the call and returns its error as a status.
func (g *guard) do(ctx context.Context, method string, call func(ctx context.Context) error) (err error) {
	action := strings.TrimPrefix(strings.TrimPrefix(method, "/"), "suffice.v1.")
	start := time.Now()
	if _, has := ctx.Deadline(); !has && g.timeout != nil && !strings.HasPrefix(method, askMethods) {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, g.timeout())
		defer cancel()
	}
	defer func() {
		if r := recover(); r != nil {
			g.panics.WithLabelValues(action).Inc()
			g.logger.ErrorContext(ctx, "panic", "action", action, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			err = services.Status(errPanic).Err()
		} else if err != nil {
			err = g.translate(ctx, action, err)
		}
		code := status.Code(err)
		g.requests.WithLabelValues(action, code.String()).Inc()
		g.seconds.WithLabelValues(action).Observe(time.Since(start).Seconds())
		g.logger.DebugContext(ctx, "call", "action", action, "code", code.String(), "duration", time.Since(start))
	}()
	if err := g.allowed(ctx, method); err != nil {
		return err
	}
	return call(ctx)
}

// allowed asks whether a caller may call; health is nobody's secret.
func (g *guard) allowed(ctx context.Context, method string) error {
	if g.authorize == nil || strings.HasPrefix(method, "/grpc.health.") {
		return nil
	}
	return g.authorize(ctx)
}

func (g *guard) translate(ctx context.Context, action string, err error) error {
	if _, is := status.FromError(err); is { // of gRPC itself or of the health service
		return err
	}
	st := services.Status(err)
	if st.Code() == codes.Internal {
		// An error on the way out of a call that was given up says nothing by itself.
		if ctx.Err() != nil {
			return services.Status(ctx.Err()).Err()
		}
		g.logger.ErrorContext(ctx, "internal error", "action", action, "error", err)
	}
	if st.Code() == codes.Unavailable {
		g.logger.WarnContext(ctx, "unavailable", "action", action, "error", err)
	}
	return st.Err()
}

func (g *guard) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (resp any, err error) {
	err = g.do(ctx, info.FullMethod, func(ctx context.Context) error {
		var err error
		resp, err = handler(ctx, req)
		return err
	})
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// streamWithContext is a stream whose calls see another context.
type streamWithContext struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // the interface of a stream hands its context out
}

func (s streamWithContext) Context() context.Context { return s.ctx }

func (g *guard) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	if strings.HasPrefix(info.FullMethod, "/grpc.") { // watches and reflection last as long as their client
		if err := g.allowed(stream.Context(), info.FullMethod); err != nil {
			return services.Status(err).Err()
		}
		return handler(srv, stream)
	}
	return g.do(stream.Context(), info.FullMethod, func(ctx context.Context) error {
		return handler(srv, streamWithContext{stream, ctx})
	})
}
