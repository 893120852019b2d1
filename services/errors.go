package services

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"suffice.dev/suffice/kb"
)

// ErrorDomain is the domain of the ErrorInfo of every status.
const ErrorDomain = "suffice.dev"

// internalMessage is all that a caller learns of an error that no sentinel names:
// its text may hold paths, queries or secrets. The log has it.
const internalMessage = "internal error; the server's log says more"

// ErrUnauthenticated says that a caller did not show who it is.
var ErrUnauthenticated = errors.New("unauthenticated")

// Problem is an error as every surface shows it.
type Problem struct {
	Code    codes.Code // gRPC
	HTTP    int        // HTTP status
	Name    string     // code of the JSON form, such as INVALID_ARGUMENT
	Field   string     // path of the field for INVALID_ARGUMENT; "" = none
	Message string     // for the caller
}

// errorTable joins each sentinel to its codes. The first match counts: an adapter
// that gave up on its own timeout wraps kb.ErrUnavailable beside the context's
// error, and the caller's deadline was not what ended the call.
var errorTable = []struct {
	sentinel error
	code     codes.Code
	http     int
	name     string
}{
	{kb.ErrInvalid, codes.InvalidArgument, 400, "INVALID_ARGUMENT"},
	{ErrUnauthenticated, codes.Unauthenticated, 401, "UNAUTHENTICATED"},
	{kb.ErrNotFound, codes.NotFound, 404, "NOT_FOUND"},
	{kb.ErrConflict, codes.FailedPrecondition, 409, "FAILED_PRECONDITION"},
	{kb.ErrUnavailable, codes.Unavailable, 503, "UNAVAILABLE"},
	{context.Canceled, codes.Canceled, 499, "CANCELLED"}, // 499 as proxies write it: nobody is left to read it
	{context.DeadlineExceeded, codes.DeadlineExceeded, 504, "DEADLINE_EXCEEDED"},
}

// Describe looks the error up in the one table of errors. An error that no
// sentinel names is INTERNAL with a fixed message. Where on which disk of the server
// something failed is left out of the message, but for the name of the file: the log has it.
// An input error speaks of what the caller gave, and stays as it is.
func Describe(err error) Problem {
	for _, row := range errorTable {
		if !errors.Is(err, row.sentinel) {
			continue
		}
		p := Problem{Code: row.code, HTTP: row.http, Name: row.name, Message: withoutFolders(err)}
		var invalid *kb.InvalidError
		if errors.As(err, &invalid) {
			p.Field, p.Message = invalid.Field, invalid.Message
		}
		return p
	}
	return Problem{Code: codes.Internal, HTTP: 500, Name: "INTERNAL", Message: internalMessage}
}

// folders are what stands before the last name of an absolute path, in Unix form or with a
// drive; an address (https://host/v1) is none.
var folders = regexp.MustCompile(`(^|[\s"'(\[=,;])(?:/|[A-Za-z]:[\\/])(?:[^\s"'()\[\]:;,/\\]+[/\\])+`)

// withoutFolders is the text of an error without the folders of the paths in it.
func withoutFolders(err error) string {
	text := err.Error()
	if errors.Is(err, kb.ErrNotFound) { // names what the caller named
		return text
	}
	var inPath *fs.PathError
	var inLink *os.LinkError
	if errors.As(err, &inPath) && filepath.IsAbs(inPath.Path) { // whatever characters it holds
		text = strings.ReplaceAll(text, inPath.Path, filepath.Base(inPath.Path))
	}
	if errors.As(err, &inLink) {
		for _, p := range []string{inLink.Old, inLink.New} {
			if filepath.IsAbs(p) {
				text = strings.ReplaceAll(text, p, filepath.Base(p))
			}
		}
	}
	return folders.ReplaceAllString(text, "$1")
}

// Status is the gRPC status of the error, with an ErrorInfo and, for an input
// error, a BadRequest that names the field.
func Status(err error) *status.Status {
	p := Describe(err)
	message := p.Message
	if p.Field != "" {
		message = p.Field + ": " + p.Message
	}
	st := status.New(p.Code, message)
	info := &errdetails.ErrorInfo{Reason: p.Name, Domain: ErrorDomain}
	var detailed *status.Status
	var detailErr error
	if p.Code == codes.InvalidArgument {
		detailed, detailErr = st.WithDetails(info, &errdetails.BadRequest{
			FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: p.Field, Description: p.Message}},
		})
	} else {
		detailed, detailErr = st.WithDetails(info)
	}
	if detailErr != nil { // only for code OK, which no error has
		return st
	}
	return detailed
}

// remoteError is an error that came over the wire: its own text, the sentinel's class.
type remoteError struct {
	message  string
	sentinel error
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.sentinel }

// FromStatus is the inverse of Status: it gives a remote error the same sentinel,
// and an input error the same field, as if the call had been local. A message that
// is too large for the wire is kb.ErrInvalid, a service that the server does not
// have kb.ErrUnavailable.
func FromStatus(err error) error {
	if err == nil {
		return nil
	}
	st, ok := status.FromError(err)
	if !ok {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		return &remoteError{message: err.Error(), sentinel: kb.ErrUnavailable}
	}
	switch st.Code() {
	case codes.InvalidArgument:
		for _, detail := range st.Details() {
			if bad, ok := detail.(*errdetails.BadRequest); ok && len(bad.GetFieldViolations()) > 0 {
				v := bad.GetFieldViolations()[0]
				return &kb.InvalidError{Field: v.GetField(), Message: v.GetDescription()}
			}
		}
		return &kb.InvalidError{Field: "request", Message: st.Message()}
	case codes.ResourceExhausted, codes.OutOfRange:
		return &kb.InvalidError{Field: "request", Message: st.Message()}
	case codes.Unimplemented:
		return &remoteError{message: "the server does not have this service: " + st.Message(), sentinel: kb.ErrUnavailable}
	}
	for _, row := range errorTable {
		if row.code == st.Code() {
			return &remoteError{message: st.Message(), sentinel: row.sentinel}
		}
	}
	return errors.New("remote: " + st.Message())
}
