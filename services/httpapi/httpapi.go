// Package httpapi is the HTTP twin of the contract: the five calls by POST with the
// messages of JSON Lines, documents, gaps, reviews and feedback, and the endpoints
// that watch over a process (healthz, readyz, metrics).
package httpapi

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/batch"
)

// Config says what a process serves. A part that is nil is not served.
type Config struct {
	Calls     batch.Calls  // the five calls
	Knowledge kb.Knowledge // documents, gaps, reviews, feedback

	Authorize func(*http.Request) error // of each request but those for health and metrics; nil = all may ask

	Readiness  services.Readiness     // readyz; nil = always ready
	Limits     func() services.Limits // nil = DefaultLimits
	Logger     *slog.Logger           // nil = none
	Registerer prometheus.Registerer  // nil = the own metrics are not exported
	Gatherer   prometheus.Gatherer    // metrics; nil = no such endpoint
}

type server struct {
	Config
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	panics   *prometheus.CounterVec
}

// New returns the handler of all endpoints that the config allows.
func New(c Config) http.Handler {
	if c.Readiness == nil {
		c.Readiness = services.ReadyFunc(func(string) error { return nil })
	}
	if c.Limits == nil {
		c.Limits = services.DefaultLimits
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	auto := promauto.With(c.Registerer)
	s := &server{
		Config: c,
		requests: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_http_requests_total", Help: "Requests over HTTP by action and status code.",
		}, []string{"action", "code"}),
		seconds: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "suffice_http_request_seconds", Help: "Time of requests over HTTP by action.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2, 15), // 1 ms to 16 s
		}, []string{"action"}),
		panics: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "suffice_http_panics_total", Help: "Panics in requests over HTTP by action.",
		}, []string{"action"}),
	}

	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", s.healthz)
	mux.HandleFunc("/readyz", s.readyz)
	if c.Gatherer != nil {
		mux.Handle("/metrics", promhttp.HandlerFor(c.Gatherer, promhttp.HandlerOpts{}))
	}
	if c.Calls != nil {
		for _, command := range batch.Commands {
			s.handle(mux, "/v1/"+command.Name, command.Name, methods{http.MethodPost: s.call(command)})
		}
	}
	if c.Knowledge != nil {
		s.handle(mux, "/v1/documents", "documents", methods{http.MethodGet: s.listDocuments})
		s.handle(mux, "/v1/documents/{id...}", "document", methods{
			http.MethodGet: s.getDocument, http.MethodPut: s.putDocument, http.MethodDelete: s.deleteDocument,
		})
		s.handle(mux, "/v1/gaps", "gaps", methods{http.MethodGet: s.listGaps})
		s.handle(mux, "/v1/gaps/{id}", "gap", methods{http.MethodPost: s.resolveGap})
		s.handle(mux, "/v1/reviews", "reviews", methods{http.MethodGet: s.listReviews})
		s.handle(mux, "/v1/reviews/{id}", "review", methods{http.MethodPost: s.resolveReview})
		s.handle(mux, "/v1/feedback", "feedback", methods{http.MethodPost: s.feedback})
	}
	s.handle(mux, "/", "unknown", methods{"": func(_ *http.Request, _ []byte) ([]byte, string, error) {
		return nil, "", fmt.Errorf("no such path: %w", kb.ErrNotFound)
	}})
	return mux
}

// endpoint answers a request whose body has been read: the JSON reply, the id of the
// request where it has one, or an error of the table in services.
type endpoint func(r *http.Request, body []byte) (reply []byte, id string, err error)

// methods are the endpoints of a path; "" stands for every method.
type methods map[string]endpoint

// httpError is an error of HTTP itself, with a status of its own.
type httpError struct {
	status int
	error
}

func (e httpError) Unwrap() error { return e.error }

// replyTime is how long a client may take to read its reply.
const replyTime = time.Minute

// handle joins the endpoints of a path to the mux, with what every request has in common.
func (s *server) handle(mux *http.ServeMux, path, action string, endpoints methods) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		status, body := s.serve(w, r, action, endpoints)
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		s.send(w, status, append(body, '\n'))
		s.requests.WithLabelValues(action, strconv.Itoa(status)).Inc()
		s.seconds.WithLabelValues(action).Observe(time.Since(start).Seconds())
		s.Logger.DebugContext(r.Context(), "request", "action", action, "code", status, "duration", time.Since(start))
	})
}

// send writes the body. A client that reads it too slowly loses the connection; one that
// has gone needs no answer, so that errors say nothing.
func (s *server) send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	connection := http.NewResponseController(w)
	_ = connection.SetWriteDeadline(time.Now().Add(replyTime))
	_, _ = w.Write(body)
	_ = connection.Flush()
	_ = connection.SetWriteDeadline(time.Time{}) // the next request on it has its own
}

func (s *server) serve(w http.ResponseWriter, r *http.Request, action string, endpoints methods) (status int, body []byte) {
	defer func() {
		if p := recover(); p != nil {
			s.panics.WithLabelValues(action).Inc()
			s.Logger.ErrorContext(r.Context(), "panic", "action", action, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			status, body = http.StatusInternalServerError, batch.ErrorObject("", 0, errors.New("panic"))
		}
	}()
	if s.Authorize != nil {
		if err := s.Authorize(r); err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			return services.Describe(err).HTTP, batch.ErrorObject("", 0, err)
		}
	}
	endpoint, ok := endpoints[r.Method]
	if !ok {
		endpoint, ok = endpoints[""]
	}
	if !ok {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(endpoints)), ", "))
		err := kb.Invalid("method", "%s is not possible here; see the Allow header", r.Method)
		return http.StatusMethodNotAllowed, batch.ErrorObject("", 0, err)
	}
	data, err := s.body(w, r)
	var reply []byte
	id := ""
	if err == nil {
		reply, id, err = endpoint(r, data)
	}
	if err == nil {
		return http.StatusOK, reply
	}
	p := services.Describe(err)
	if p.Code == codes.Internal {
		if r.Context().Err() != nil { // on the way out of a call that was given up
			err = r.Context().Err()
			p = services.Describe(err)
		} else {
			s.Logger.ErrorContext(r.Context(), "internal error", "action", action, "error", err)
		}
	}
	if p.Code == codes.Unavailable {
		s.Logger.WarnContext(r.Context(), "unavailable", "action", action, "error", err)
	}
	var own httpError
	if errors.As(err, &own) {
		p.HTTP = own.status
	}
	return p.HTTP, batch.ErrorObject(id, 0, err)
}

// body reads the body of a POST or PUT within the limit; it must be JSON.
func (s *server) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost && r.Method != http.MethodPut {
		return nil, nil
	}
	if t := r.Header.Get("Content-Type"); t != "" {
		if kind, _, err := mime.ParseMediaType(t); err != nil || kind != "application/json" {
			return nil, httpError{http.StatusUnsupportedMediaType, kb.Invalid("content-type", "%q is not read; send application/json", t)}
		}
	}
	limit := s.Limits().BodyBytes
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(limit)))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, httpError{http.StatusRequestEntityTooLarge, kb.Invalid("body", "is longer than %d bytes", limit)}
	case err != nil && r.Context().Err() != nil:
		return nil, r.Context().Err()
	case err != nil:
		return nil, httpError{http.StatusBadRequest, kb.Invalid("body", "cannot be read to its end; send it again")}
	}
	return data, nil
}

func (s *server) call(command batch.Command) endpoint {
	return func(r *http.Request, body []byte) ([]byte, string, error) {
		return command.Do(r.Context(), s.Calls, body)
	}
}

func (s *server) healthz(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "ok\n")
}

func (s *server) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := s.Readiness.Ready(""); err != nil {
		http.Error(w, "not ready: "+err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ready\n")
}

// reply writes a message.
func reply(m proto.Message) ([]byte, string, error) {
	data, err := batch.Marshal(m)
	return data, "", err
}
