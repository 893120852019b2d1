package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"suffice.dev/suffice/services"
)

// watchInterval is how often Watch asks for the readiness.
const watchInterval = time.Second

// health is grpc.health.v1 over the readiness of each service.
type health struct {
	healthpb.UnimplementedHealthServer
	ready    services.Readiness
	services map[string]bool // full names; "" is the whole process
	interval time.Duration
	done     <-chan struct{} // the server shuts down: watches end
}

func (h *health) state(service string) healthpb.HealthCheckResponse_ServingStatus {
	if !h.services[service] {
		return healthpb.HealthCheckResponse_SERVICE_UNKNOWN
	}
	if h.ready.Ready(service) != nil {
		return healthpb.HealthCheckResponse_NOT_SERVING
	}
	return healthpb.HealthCheckResponse_SERVING
}

func (h *health) Check(_ context.Context, q *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	state := h.state(q.GetService())
	if state == healthpb.HealthCheckResponse_SERVICE_UNKNOWN {
		return nil, status.Errorf(codes.NotFound, "this process has no service %q", q.GetService())
	}
	return &healthpb.HealthCheckResponse{Status: state}, nil
}

func (h *health) List(context.Context, *healthpb.HealthListRequest) (*healthpb.HealthListResponse, error) {
	out := &healthpb.HealthListResponse{Statuses: map[string]*healthpb.HealthCheckResponse{}}
	for name := range h.services {
		out.Statuses[name] = &healthpb.HealthCheckResponse{Status: h.state(name)}
	}
	return out, nil
}

func (h *health) Watch(q *healthpb.HealthCheckRequest, stream grpc.ServerStreamingServer[healthpb.HealthCheckResponse]) error {
	tick := time.NewTicker(h.interval)
	defer tick.Stop()
	last := healthpb.HealthCheckResponse_ServingStatus(-1)
	for {
		if state := h.state(q.GetService()); state != last {
			if err := stream.Send(&healthpb.HealthCheckResponse{Status: state}); err != nil {
				return err
			}
			last = state
		}
		select {
		case <-tick.C:
		case <-h.done:
			return status.Error(codes.Unavailable, "the server shuts down")
		case <-stream.Context().Done():
			return stream.Context().Err()
		}
	}
}
