package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
)

// access is who may call this process, and as whom it calls others: certificates and tokens
// as the files said when the snapshot was built.
type access struct {
	certificate *tls.Certificate // nil = plain text
	clients     *x509.CertPool   // that sign what callers must show; nil = nothing
	tokens      [][sha256.Size]byte

	out []grpc.DialOption // of calls to others
}

// newAccess reads what a configuration names. Its errors name the key.
func newAccess(c config.Auth) (*access, error) {
	a := &access{}
	if c.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("auth.cert_file, auth.key_file: %w", err)
		}
		a.certificate = &pair
	}
	var err error
	if c.ClientCAFile != "" {
		if a.clients, err = authorities(c.ClientCAFile); err != nil {
			return nil, fmt.Errorf("auth.client_ca_file: %w", err)
		}
	}
	tokens, err := tokensOf(c)
	if err != nil {
		return nil, err
	}
	for _, t := range tokens {
		a.tokens = append(a.tokens, sha256.Sum256([]byte(t)))
	}
	transport := insecure.NewCredentials()
	if c.CallTLS {
		roots := (*x509.CertPool)(nil) // the system's
		if c.CAFile != "" {
			if roots, err = authorities(c.CAFile); err != nil {
				return nil, fmt.Errorf("auth.ca_file: %w", err)
			}
		}
		own := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		if a.certificate != nil {
			own.Certificates = []tls.Certificate{*a.certificate}
		}
		transport = credentials.NewTLS(own)
	}
	a.out = []grpc.DialOption{grpc.WithTransportCredentials(transport)}
	if len(tokens) > 0 {
		a.out = append(a.out, grpc.WithPerRPCCredentials(bearer{tokens[0], c.CallTLS}))
	}
	return a, nil
}

func authorities(file string) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s holds no certificate in PEM form", file)
	}
	return pool, nil
}

// tokensOf are the tokens that callers may send; the first is sent to others.
func tokensOf(c config.Auth) ([]string, error) {
	var text string
	key := "auth.token_env"
	switch {
	case c.TokenFile != "":
		data, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("auth.token_file: %w; name a file that holds a token a line", err)
		}
		text, key = string(data), "auth.token_file"
	case c.TokenEnv != "":
		text = os.Getenv(c.TokenEnv)
	default:
		return nil, nil
	}
	tokens := strings.Fields(text)
	if len(tokens) == 0 {
		return nil, fmt.Errorf("%s: %s holds no token; without one anybody could call", key, cmp.Or(c.TokenFile, c.TokenEnv))
	}
	return tokens, nil
}

// bearer sends a token with each call.
type bearer struct {
	token  string
	secure bool
}

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + b.token}, nil
}

// RequireTransportSecurity is true where other services are called over TLS.
func (b bearer) RequireTransportSecurity() bool { return b.secure }

// allows reports whether one of the tokens is what a caller sent.
func (a *access) allows(header string) bool {
	if len(a.tokens) == 0 {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	sent := sha256.Sum256([]byte(strings.TrimSpace(token)))
	found := 0
	for _, t := range a.tokens { // all of them, so that the time says nothing
		found |= subtle.ConstantTimeCompare(t[:], sent[:])
	}
	return found == 1 && strings.EqualFold(scheme, "bearer")
}

var errToken = fmt.Errorf("%w: send the header authorization: Bearer TOKEN with a token of this server", services.ErrUnauthenticated)

// authorize is asked about each call over gRPC but those of the health service.
func (a *App) authorize(ctx context.Context) error {
	header := ""
	if values := metadata.ValueFromIncomingContext(ctx, "authorization"); len(values) > 0 {
		header = values[0]
	}
	if !a.access.Load().allows(header) {
		return errToken
	}
	return nil
}

// authorizeHTTP is asked about each request but those for health and metrics. A certificate
// is asked for here, not by the connection: probes have none.
func (a *App) authorizeHTTP(r *http.Request) error {
	now := a.access.Load()
	if now.clients != nil && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0) {
		return fmt.Errorf("%w: show a certificate that the server's auth.client_ca_file has signed", services.ErrUnauthenticated)
	}
	if !now.allows(r.Header.Get("Authorization")) {
		return errToken
	}
	return nil
}

// tlsConfig is that of a listener, by the snapshot that serves when a client comes.
func (a *App) tlsConfig(clients tls.ClientAuthType, protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: protocols,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			now := a.access.Load()
			if now.certificate == nil { // the change is refused before it comes here
				return nil, errors.New("no certificate")
			}
			c := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: protocols, Certificates: []tls.Certificate{*now.certificate}}
			if now.clients != nil {
				c.ClientCAs, c.ClientAuth = now.clients, clients
			}
			return c, nil
		},
	}
}

// exposed says what is missing where an address is reached from other machines; "" = nothing.
func (a *App) exposed(listener net.Addr) string {
	at, ok := listener.(*net.TCPAddr)
	if !ok || at.IP.IsLoopback() {
		return ""
	}
	now := a.access.Load()
	var missing []string
	if now.certificate == nil {
		missing = append(missing, "TLS (auth.cert_file, auth.key_file)")
	}
	if len(now.tokens) == 0 && now.clients == nil {
		missing = append(missing, "logins (auth.token_file or auth.client_ca_file)")
	}
	return strings.Join(missing, " and ")
}
