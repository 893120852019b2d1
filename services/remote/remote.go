// Package remote is the layers at the other end of a connection: each type is the
// twin of the local form and passes the same suite. Deadlines and cancellation cross
// the wire; errors come back as the sentinels they were, input errors with their field.
package remote

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"suffice.dev/suffice/services"
)

// retryPure lets calls of the pure layers be tried again when no answer came at all:
// they change nothing, so that a second try is as good as the first.
const retryPure = `{
  "methodConfig": [{
    "name": [
      {"service": "suffice.v1.PrecheckService"},
      {"service": "suffice.v1.RetrievalService"},
      {"service": "suffice.v1.RerankService"},
      {"service": "suffice.v1.ValidateService", "method": "Verify"}
    ],
    "retryPolicy": {
      "maxAttempts": 3, "initialBackoff": "0.05s", "maxBackoff": "0.5s", "backoffMultiplier": 3,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }]
}`

// Dial returns a connection to the server at address (host:port). It connects when
// the first call needs it and again whenever it was lost. Options come after the
// defaults: plain text, messages up to the limits of the contract.
func Dial(address string, opts ...grpc.DialOption) (*grpc.ClientConn, error) {
	bytes := services.DefaultLimits().BodyBytes
	conn, err := grpc.NewClient(address, append([]grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(retryPure),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(bytes), grpc.MaxCallSendMsgSize(bytes)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second, Timeout: 10 * time.Second}),
	}, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", address, err)
	}
	return conn, nil
}

// fail is the error of a call: the caller's own context first, then what came over
// the wire.
func fail(ctx context.Context, operation string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", operation, ctx.Err())
	}
	return fmt.Errorf("%s: %w", operation, services.FromStatus(err))
}

// malformed is the error of a reply that cannot be read. It is not the caller's
// fault, so that it is no kb.ErrInvalid.
func malformed(operation string, err error) error {
	return fmt.Errorf("%s: the reply cannot be read: %s", operation, err.Error())
}
