package app

import (
	"log/slog"
	"net/http"
	"time"

	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/grpcapi"
	"suffice.dev/suffice/services/httpapi"
)

// Times of an HTTP client; a slow one does not hold a connection for ever.
const (
	headerTime = 10 * time.Second
	bodyTime   = time.Minute
	idleTime   = 2 * time.Minute
)

// web is what the role serves over HTTP: health and metrics always, the five calls
// and the knowledge base where the role has them.
func (a *App) web(ready services.Readiness) *http.Server {
	limits := func() services.Limits { return Limits(a.Config()) }
	c := httpapi.Config{Authorize: a.authorizeHTTP, Readiness: ready, Limits: limits, Logger: a.log}
	if a.opt.Registry != nil {
		c.Registerer, c.Gatherer = a.opt.Registry, a.opt.Registry
	}
	switch a.opt.Role {
	case RoleAll, RoleAsk:
		c.Calls, c.Knowledge = grpcapi.NewContract(a.pipeline, limits), recalling{current{a.holder}, a.pipeline}
	case RoleKnowledge:
		c.Knowledge = current{a.holder}
	}
	return &http.Server{
		Handler: httpapi.New(c), ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime, IdleTimeout: idleTime,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}
}
