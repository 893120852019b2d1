package app

import (
	"net/http"

	"suffice.dev/suffice/services"
)

func (a *App) web(ready services.Readiness) (*http.Server, error) {
	mux := http.NewServeMux()
	return &http.Server{Handler: mux}, nil
}
