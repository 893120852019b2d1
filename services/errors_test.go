package services_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
)

func TestErrorTable(t *testing.T) {
	tests := []struct {
		name  string
		err   error
		code  codes.Code
		http  int
		json  string
		field string
		msg   string
	}{
		{"input", fmt.Errorf("ask: %w", kb.Invalid("passages[2].text", "is empty")), codes.InvalidArgument, 400, "INVALID_ARGUMENT", "passages[2].text", "is empty"},
		{"not found", fmt.Errorf("document %q: %w", "a.md", kb.ErrNotFound), codes.NotFound, 404, "NOT_FOUND", "", `document "a.md": not found`},
		{"conflict", fmt.Errorf("resolve: %w", kb.ErrConflict), codes.FailedPrecondition, 409, "FAILED_PRECONDITION", "", "resolve: failed precondition"},
		{"unavailable", fmt.Errorf("store: %w", kb.ErrUnavailable), codes.Unavailable, 503, "UNAVAILABLE", "", "store: unavailable"},
		{"own timeout of a part", fmt.Errorf("model: %w: %w", kb.ErrUnavailable, context.DeadlineExceeded), codes.Unavailable, 503, "UNAVAILABLE", "", "model: unavailable: context deadline exceeded"},
		{"canceled", fmt.Errorf("ask: %w", context.Canceled), codes.Canceled, 499, "CANCELLED", "", "ask: context canceled"},
		{"deadline", context.DeadlineExceeded, codes.DeadlineExceeded, 504, "DEADLINE_EXCEEDED", "", "context deadline exceeded"},
		{"a file of the server", fmt.Errorf("%w: open index: %w", kb.ErrUnavailable, &fs.PathError{Op: "open", Path: "/srv/my data/index/changes.log", Err: errors.New("no space left on device")}),
			codes.Unavailable, 503, "UNAVAILABLE", "", "unavailable: open index: open changes.log: no space left on device"},
		{"a folder of the server", fmt.Errorf("%w: data folder /srv/suffice/data is in use by process 7 at 127.0.0.1:7070 (lock \"/srv/suffice/data/lock\")", kb.ErrUnavailable),
			codes.Unavailable, 503, "UNAVAILABLE", "", "unavailable: data folder data is in use by process 7 at 127.0.0.1:7070 (lock \"lock\")"},
		{"a folder of a server with drives", fmt.Errorf(`open C:\Data\suffice\suffice.db: %w`, kb.ErrConflict), codes.FailedPrecondition, 409, "FAILED_PRECONDITION", "", "open suffice.db: failed precondition"},
		{"an address", fmt.Errorf("model: post http://models:8000/v1/chat/completions: 停/续 9/10 and/or a/b/c: %w", kb.ErrUnavailable), codes.Unavailable, 503, "UNAVAILABLE", "", "model: post http://models:8000/v1/chat/completions: 停/续 9/10 and/or a/b/c: unavailable"},
		{"a document that is called like a file", fmt.Errorf("document %q: %w", "/srv/docs/a.md", kb.ErrNotFound), codes.NotFound, 404, "NOT_FOUND", "", `document "/srv/docs/a.md": not found`},
		{"unknown", errors.New("open /secret: denied"), codes.Internal, 500, "INTERNAL", "", "internal error; the server's log says more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := services.Describe(tt.err)
			want := services.Problem{Code: tt.code, HTTP: tt.http, Name: tt.json, Field: tt.field, Message: tt.msg}
			if got != want {
				t.Errorf("Describe:\n got %+v\nwant %+v", got, want)
			}
			st := services.Status(tt.err)
			if st.Code() != tt.code || strings.Contains(st.Message(), "secret") {
				t.Errorf("status %v %q", st.Code(), st.Message())
			}
			var reason string
			for _, d := range st.Details() {
				if info, ok := d.(*errdetails.ErrorInfo); ok {
					reason = info.GetReason()
				}
			}
			if reason != tt.json {
				t.Errorf("ErrorInfo reason %q, want %q", reason, tt.json)
			}

			back := services.FromStatus(st.Err())
			for _, sentinel := range []error{kb.ErrInvalid, kb.ErrNotFound, kb.ErrConflict, kb.ErrUnavailable} {
				if errors.Is(back, sentinel) != errors.Is(tt.err, sentinel) {
					t.Errorf("over the wire: errors.Is(%v, %v) changed", back, sentinel)
				}
			}
			if again := services.Describe(back); again.Code != tt.code || again.Field != tt.field || again.Message != tt.msg {
				t.Errorf("over the wire: %+v", again)
			}
		})
	}
}

func TestFromStatusOfStrangers(t *testing.T) {
	tests := []struct {
		err  error
		want error
	}{
		{status.Error(codes.InvalidArgument, "bad"), kb.ErrInvalid},
		{status.Error(codes.ResourceExhausted, "message larger than max"), kb.ErrInvalid},
		{status.Error(codes.Unimplemented, "unknown service"), kb.ErrUnavailable},
		{status.Error(codes.Unavailable, "connection refused"), kb.ErrUnavailable},
		{context.Canceled, context.Canceled},
		{errors.New("broken pipe"), kb.ErrUnavailable},
	}
	for _, tt := range tests {
		if got := services.FromStatus(tt.err); !errors.Is(got, tt.want) {
			t.Errorf("FromStatus(%v) = %v, want %v", tt.err, got, tt.want)
		}
	}
	if services.FromStatus(nil) != nil {
		t.Error("FromStatus(nil) is not nil")
	}
}
