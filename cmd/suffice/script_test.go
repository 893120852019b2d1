package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"suffice": main})
}

// TestScripts runs the command as people do; testdata/script holds one script a
// topic.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    status,
			"address":   address,
			"waitready": waitReady,
			"terminate": terminate,
			"get":       get,
			"post":      post,
			"hangup":    hangUp,
			"waitfor":   waitFor,
			"match":     match,
		},
	})
}

// status CODE COMMAND ARG... runs a command that must end with that exit status.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// match NAME PATTERN sets a variable to the first group of a pattern in what the last command
// printed.
func match(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("%s is not in what was printed", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// address NAME... sets each variable to a free address of this machine.
func address(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Setenv(name, l.Addr().String())
		defer func() { ts.Check(l.Close()) }()
	}
}

// get ADDRESS/PATH prints the status and the body of an HTTP reply.
func get(ts *testscript.TestScript, _ bool, args []string) {
	r, err := http.Get("http://" + args[0])
	ts.Check(err)
	defer func() { _ = r.Body.Close() }()
	show(ts, r)
}

// post ADDRESS/PATH FILE does the same with a JSON body.
func post(ts *testscript.TestScript, _ bool, args []string) {
	r, err := http.Post("http://"+args[0], "application/json", strings.NewReader(ts.ReadFile(args[1])))
	ts.Check(err)
	defer func() { _ = r.Body.Close() }()
	show(ts, r)
}

func show(ts *testscript.TestScript, r *http.Response) {
	body, err := io.ReadAll(r.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%d\n%s\n", r.StatusCode, body)
	ts.Check(err)
}

// terminate sends SIGTERM to the background commands.
func terminate(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGTERM))
	}
}

// hangup sends SIGHUP to the background commands.
func hangUp(ts *testscript.TestScript, _ bool, _ []string) {
	for _, cmd := range ts.BackgroundCmds() {
		ts.Check(cmd.Process.Signal(syscall.SIGHUP))
	}
}

// waitfor ADDRESS/PATH TEXT waits until the HTTP reply holds the text.
func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		r, err := http.Get("http://" + args[0])
		ts.Check(err)
		body, err := io.ReadAll(r.Body)
		ts.Check(errors.Join(err, r.Body.Close()))
		if strings.Contains(string(body), args[1]) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s never says %q; it says:\n%s", args[0], args[1], body)
		}
	}
}

// waitready ADDRESS waits until the server there says that it serves.
func waitReady(ts *testscript.TestScript, _ bool, args []string) {
	conn, err := grpc.NewClient(args[0], grpc.WithTransportCredentials(insecure.NewCredentials()))
	ts.Check(err)
	defer func() { _ = conn.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		r, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
		if err == nil && r.GetStatus() == healthpb.HealthCheckResponse_SERVING {
			return
		}
		select {
		case <-ctx.Done():
			ts.Fatalf("%s is not ready: %v %v", args[0], r, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
