package app

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
	next int64
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := &authority{t: t, dir: t.TempDir(), key: key, next: 1, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.file = filepath.Join(a.dir, "ca.pem")
	a.write(a.file, "CERTIFICATE", der)
	return a
}

func (a *authority) write(file, kind string, der []byte) {
	a.t.Helper()
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// issue writes a certificate for this machine and its key, and returns the serial number.
func (a *authority) issue(certFile, keyFile string) int64 {
	a.t.Helper()
	a.next++
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(a.next), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	a.write(keyFile, "PRIVATE KEY", private)
	a.write(certFile, "CERTIFICATE", der)
	return a.next
}

func (a *authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

// calls asks a server one question over gRPC.
func calls(t *testing.T, at string, auth config.Auth) error {
	t.Helper()
	s, err := Dial(at, auth)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // it was only asked
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, _, err = s.Pipeline.Precheck(ctx, kb.Question{Text: questions[0]})
	return err
}

// gets is the status of an HTTP request.
func gets(t *testing.T, client *http.Client, url, token string) (int, string) {
	t.Helper()
	method, body := http.MethodGet, io.Reader(nil)
	if strings.Contains(url, "/v1/precheck") {
		method, body = http.MethodPost, strings.NewReader(`{"question":"How long does a crossing take?"}`)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func withClient(roots *x509.CertPool, own ...tls.Certificate) *http.Client {
	return &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: own}, DisableKeepAlives: true}}
}

// TestAccess: TLS on both listeners, a certificate and a token of the caller, and new ones
// without a restart.
func TestAccess(t *testing.T) {
	ca, stranger := newAuthority(t, "the service's"), newAuthority(t, "a stranger's")
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	first := ca.issue(in("cert.pem"), in("key.pem"))
	ca.issue(in("client.pem"), in("client.key"))
	stranger.issue(in("stranger.pem"), in("stranger.key"))
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("tokens", "tern-1\ntern-2\n")
	write("other", "tern-3\n")
	r := serve(t, Options{Sources: config.Sources{Flags: map[string]string{
		"reader.mode": "off", "auth.cert_file": in("cert.pem"), "auth.key_file": in("key.pem"), "auth.client_ca_file": ca.file, "auth.token_file": in("tokens"),
	}}}, "")
	good := config.Auth{CallTLS: true, CAFile: ca.file, CertFile: in("client.pem"), KeyFile: in("client.key"), TokenFile: in("tokens")}
	with := func(change func(*config.Auth)) config.Auth {
		c := good
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		auth config.Auth
		want error
	}{
		"all in order":              {good, nil},
		"plain text":                {config.Auth{TokenFile: in("tokens")}, kb.ErrUnavailable},
		"another authority":         {with(func(c *config.Auth) { c.CAFile = stranger.file }), kb.ErrUnavailable},
		"no certificate":            {with(func(c *config.Auth) { c.CertFile, c.KeyFile = "", "" }), kb.ErrUnavailable},
		"a stranger's certificate":  {with(func(c *config.Auth) { c.CertFile, c.KeyFile = in("stranger.pem"), in("stranger.key") }), kb.ErrUnavailable},
		"no token":                  {with(func(c *config.Auth) { c.TokenFile = "" }), services.ErrUnauthenticated},
		"a token of somewhere else": {with(func(c *config.Auth) { c.TokenFile = in("other") }), services.ErrUnauthenticated},
	} {
		if err := calls(t, r.grpc, c.auth); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("gRPC, %s: %v, want %v", name, err, c.want)
		}
	}
	pair, err := tls.LoadX509KeyPair(in("client.pem"), in("client.key"))
	if err != nil {
		t.Fatal(err)
	}
	known, unknown := withClient(ca.pool(), pair), withClient(ca.pool())
	for _, c := range []struct {
		name   string
		client *http.Client
		url    string
		token  string
		status int
	}{
		{"all in order", known, "https://" + r.http + "/v1/precheck", "tern-2", 200},
		{"no token", known, "https://" + r.http + "/v1/precheck", "", 401},
		{"a wrong token", known, "https://" + r.http + "/v1/documents", "tern-3", 401},
		{"no certificate", unknown, "https://" + r.http + "/v1/precheck", "tern-2", 401},
		{"health, of anybody", unknown, "https://" + r.http + "/readyz", "", 200},
		{"plain text", http.DefaultClient, "http://" + r.http + "/readyz", "", 400},
		{"another authority", withClient(stranger.pool(), pair), "https://" + r.http + "/readyz", "", 0},
	} {
		if status, body := gets(t, c.client, c.url, c.token); status != c.status || status == 401 && !strings.Contains(body, "UNAUTHENTICATED") {
			t.Errorf("HTTP, %s: %d %s, want %d", c.name, status, body, c.status)
		}
	}
	conn, err := grpc.NewClient(r.grpc, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: ca.pool(), Certificates: []tls.Certificate{pair}})))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // likewise
	if h, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{}); err != nil || h.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("health without a token: %v, %v", h, err)
	}

	// New files are taken when they change, by whoever comes next; bad ones are not.
	serial := func() int64 {
		t.Helper()
		c, err := tls.Dial("tcp", r.grpc, &tls.Config{RootCAs: ca.pool(), Certificates: []tls.Certificate{pair}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }() // likewise
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != first {
		t.Errorf("certificate %d is shown, want %d", got, first)
	}
	second := ca.issue(in("cert.pem"), in("key.pem"))
	write("tokens", "tern-4\n")
	until(t, func() bool { return serial() == second && calls(t, r.grpc, good) == nil })
	if status, _ := gets(t, known, "https://"+r.http+"/v1/precheck", "tern-1"); status != 401 {
		t.Errorf("a token that was taken back: %d, want 401", status)
	}
	write("key.pem", "no key")
	if err := r.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "auth.key_file") {
		t.Errorf("a key that is none: %v", err)
	}
	if got := serial(); got != second {
		t.Errorf("certificate %d is shown after a bad reload, want %d", got, second)
	}
}

// TestRolesOverTLS: services that call each other show who they are.
func TestRolesOverTLS(t *testing.T) {
	ca := newAuthority(t, "the services'")
	dir := t.TempDir()
	cert, key, token := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), filepath.Join(dir, "token")
	ca.issue(cert, key)
	if err := os.WriteFile(token, []byte("tern\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := func(more ...string) config.Sources {
		f := map[string]string{
			"reader.mode": "off", "auth.cert_file": cert, "auth.key_file": key, "auth.client_ca_file": ca.file, "auth.token_file": token, "auth.call_tls": "true", "auth.ca_file": ca.file,
		}
		for i := 0; i < len(more); i += 2 {
			f[more[i]] = more[i+1]
		}
		return config.Sources{Flags: f}
	}
	store := serve(t, Options{Role: RoleKnowledge, Sources: flags()}, writeCorpus(t))
	index := serve(t, Options{Role: RoleRetrieval, Sources: flags("layers.knowledge.address", store.grpc)}, "")
	ask := serve(t, Options{Role: RoleAsk, Sources: flags("layers.knowledge.address", store.grpc, "layers.retrieval.address", index.grpc)}, "")
	if r, err := ask.Pipeline().Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: questions[0]}}, nil); err != nil || r.Outcome != kb.Answered {
		t.Errorf("%s, %v, want ANSWERED", r.Outcome, err)
	}
}

// TestTokens: what a file or a variable holds, and who may call then.
func TestTokens(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("SUFFICE_TEST_TOKEN", "from-env")
	for _, tt := range []struct {
		auth    config.Auth
		err     string
		allowed []string
		refused []string
	}{
		{config.Auth{}, "", []string{"", "Bearer x"}, nil},
		{config.Auth{TokenFile: file("two", "a\n\n b \n")}, "", []string{"Bearer a", "bearer b", "Bearer  a "}, []string{"", "Bearer", "Bearer c", "Basic a", "a", "Bearer a b"}},
		{config.Auth{TokenEnv: "SUFFICE_TEST_TOKEN"}, "", []string{"Bearer from-env"}, []string{"", "Bearer a"}},
		{config.Auth{TokenFile: file("none", "\n \n")}, "holds no token", nil, nil},
		{config.Auth{TokenEnv: "SUFFICE_TEST_NO_TOKEN"}, "auth.token_env", nil, nil},
		{config.Auth{TokenFile: filepath.Join(dir, "missing")}, "auth.token_file", nil, nil},
		{config.Auth{CertFile: file("c.pem", "x"), KeyFile: file("k.pem", "x")}, "auth.cert_file", nil, nil},
		{config.Auth{CallTLS: true, CAFile: file("ca.pem", "x")}, "auth.ca_file", nil, nil},
	} {
		a, err := newAccess(tt.auth)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%+v: %v, want an error with %q", tt.auth, err, tt.err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range tt.allowed {
			if !a.allows(h) {
				t.Errorf("%+v refuses %q", tt.auth, h)
			}
		}
		for _, h := range tt.refused {
			if a.allows(h) {
				t.Errorf("%+v takes %q", tt.auth, h)
			}
		}
	}
}

// TestExposedIsSaid: plain text beyond this machine is served, and the log says so.
func TestExposedIsSaid(t *testing.T) {
	for at, want := range map[string]bool{"127.0.0.1:0": false, "[::1]:0": false, "0.0.0.0:0": true} {
		var log bytes.Buffer
		a, err := Open(t.Context(), Options{Data: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, nil)), Sources: config.Sources{Flags: map[string]string{"reader.mode": "off"}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if err := a.Serve(ctx, Serving{GRPCAddr: at, Ready: func(string, string) { cancel() }}); err != nil {
			if strings.HasPrefix(at, "[") { // a machine without IPv6
				t.Log(err)
			} else {
				t.Error(err)
			}
		}
		cancel()
		if err := a.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Contains(log.String(), "without TLS (auth.cert_file, auth.key_file) and logins"); got != want {
			t.Errorf("%s: warned %v, want %v; log %s", at, got, want, log.String())
		}
	}
}
