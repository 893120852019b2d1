package app

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/grpcapi"
)

// Serving says how a process serves.
type Serving struct {
	Docs       string // folder that is ingested and followed; "" = none
	GRPCAddr   string // host:port; port 0 picks one
	HTTPAddr   string // the same; "" = no HTTP
	Reflection bool
	Reload     <-chan os.Signal // each reads the configuration again; nil = none

	// Progress is told how far the first ingestion of Docs is; nil = nobody is.
	Progress func(done, total int, path string)
	// Ingested gets the report of the first ingestion; nil = it is logged alone.
	Ingested func(kb.IngestReport)
	// Listening is told the addresses when requests are taken, before the documents are
	// ingested; nil = nobody is.
	Listening func(grpcAddr, httpAddr string)
	// Ready is told the addresses once everything serves; nil = nobody is.
	Ready func(grpcAddr, httpAddr string)
}

// Times of a server.
const (
	configPoll   = 5 * time.Second        // how often the configuration's contents are compared
	feedPoll     = 500 * time.Millisecond // how often an index asks a store elsewhere for changes
	storeSilence = 2 * time.Second        // after which a store on a server counts as down
	warmTime     = 10 * time.Second       // for what layers make once
	drainExtra   = time.Second            // beyond the deadline of a request, for the end of those in flight
)

// Serve opens what the role keeps, serves until ctx ends, then lets the requests in
// flight end. Errors before it is ready are ErrSetup: an address or a data folder
// in use, documents that cannot be read.
func (a *App) Serve(ctx context.Context, opt Serving) error {
	if opt.Docs != "" && a.opt.Role != RoleAll && a.opt.Role != RoleKnowledge {
		return setup(fmt.Errorf("role %s keeps no documents; give --docs to the role all or knowledge", a.opt.Role))
	}
	opened := a.OpenData(ctx)
	if opened != nil && !a.waitsFor(opened) {
		return opened
	}
	grpcListener, err := net.Listen("tcp", opt.GRPCAddr)
	if err != nil {
		return setup(fmt.Errorf("grpc: %w", err))
	}
	var httpListener net.Listener
	if opt.HTTPAddr != "" {
		if httpListener, err = net.Listen("tcp", opt.HTTPAddr); err != nil {
			return setup(errors.Join(fmt.Errorf("http: %w", err), grpcListener.Close()))
		}
	}
	tell := func() error {
		if store, _ := a.data.opened(); store != nil {
			return store.SetAddr(grpcListener.Addr().String())
		}
		return nil
	}
	if err := tell(); err != nil {
		err = errors.Join(err, grpcListener.Close())
		if httpListener != nil {
			err = errors.Join(err, httpListener.Close())
		}
		return setup(err)
	}

	a.asked.Set(slog.LevelInfo)
	ready := a.data.ready
	ready.wait("starting")
	secure := a.access.Load().certificate != nil
	var options []grpc.ServerOption
	if secure {
		options = append(options, grpc.Creds(credentials.NewTLS(a.tlsConfig(tls.RequireAndVerifyClientCert, "h2"))))
	}
	rpc := grpcapi.New(a.surface(ready, opt.Reflection), options...)
	web := a.web(ready)
	if missing := a.exposed(grpcListener.Addr()); missing != "" {
		a.log.Warn("gRPC is open to other machines without "+missing, "address", grpcListener.Addr())
	}
	if httpListener != nil {
		if missing := a.exposed(httpListener.Addr()); missing != "" {
			a.log.Warn("HTTP is open to other machines without "+missing, "address", httpListener.Addr())
		}
		if secure {
			httpListener = tls.NewListener(httpListener, a.tlsConfig(tls.VerifyClientCertIfGiven, "http/1.1"))
		}
	}

	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	var work sync.WaitGroup
	failed := make(chan error, 3)
	work.Go(func() {
		if err := rpc.Serve(grpcListener); err != nil {
			failed <- fmt.Errorf("serve grpc: %w", err)
		}
	})
	httpAddr := ""
	if httpListener != nil {
		httpAddr = httpListener.Addr().String()
		work.Go(func() {
			if err := web.Serve(httpListener); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve http: %w", err)
			}
		})
	}
	if opt.Listening != nil {
		opt.Listening(grpcListener.Addr().String(), httpAddr)
	}
	a.follow(background, &work, opt.Reload)
	work.Go(func() {
		if opened != nil {
			err := a.untilOpen(background, ready, opened)
			if err == nil {
				err = tell()
			}
			if err != nil {
				if background.Err() == nil {
					failed <- setup(err)
				}
				return
			}
		}
		seen := stamps(opt.Docs) // before the first reading: what changes meanwhile is read again
		if err := a.fill(background, opt, ready); err != nil {
			if background.Err() == nil {
				failed <- setup(err)
			}
			return
		}
		a.warm(background)
		ready.done()
		a.log.Info("ready", "role", a.opt.Role, "grpc", grpcListener.Addr().String(), "http", httpAddr, "snapshot", a.Versions().Snapshot)
		if opt.Ready != nil {
			opt.Ready(grpcListener.Addr().String(), httpAddr)
		}
		a.watchDocs(background, opt.Docs, seen)
	})

	select {
	case <-ctx.Done():
		err = nil
	case err = <-failed:
	}
	ready.leave()
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.Config().Limits.Deadline+drainExtra)
	defer cancel()
	a.log.Info("draining")
	var ends sync.WaitGroup
	ends.Go(func() {
		if err := rpc.Shutdown(drain); err != nil {
			a.log.Warn("grpc requests were cut off", "error", err)
		}
	})
	ends.Go(func() {
		if err := web.Shutdown(drain); err != nil {
			a.log.Warn("http requests were cut off", "error", err)
		}
	})
	ends.Wait()
	stop()
	work.Wait()
	return err
}

// surface is what the role serves over gRPC.
func (a *App) surface(ready services.Readiness, reflection bool) grpcapi.Config {
	layers := current{a.holder}
	c := grpcapi.Config{
		Versions: a.Versions, Readiness: ready, Authorize: a.authorize, Limits: func() services.Limits { return Limits(a.Config()) },
		Timeout: func() time.Duration { return a.Config().Limits.Deadline + drainExtra }, Reflection: reflection, Logger: a.log,
	}
	if a.opt.Registry != nil {
		c.Registerer = a.opt.Registry
	}
	if a.opt.Role == RoleAll || a.opt.Role == RoleKnowledge {
		c.Status = a.Status
	}
	switch a.opt.Role {
	case RoleAll:
		c.Pipeline, c.Analyzer, c.Retriever, c.Assessor, c.Validator, c.Knowledge = a.pipeline, layers, layers, layers, layers, recalling{layers, a.pipeline}
	case RoleAsk:
		// Documents, gaps and reviews are reached where the questions are asked.
		c.Pipeline, c.Knowledge = a.pipeline, recalling{layers, a.pipeline}
	case RolePrecheck:
		c.Analyzer = layers
	case RoleRetrieval:
		c.Retriever = layers
	case RoleRerank:
		c.Assessor = layers
	case RoleValidate:
		c.Validator = layers
	case RoleKnowledge:
		c.Knowledge = layers
	}
	return c
}

// follow keeps the configuration and the index current until ctx ends.
func (a *App) follow(ctx context.Context, work *sync.WaitGroup, reload <-chan os.Signal) {
	work.Go(func() { a.holder.Watch(ctx, a.configFiles, configPoll) })
	work.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-reload:
				_ = a.Reload(ctx) // logged, and the gauge says so
			}
		}
	})
	work.Go(func() { a.followFeed(ctx) })
	if a.Config().Store.Driver == config.Postgres && (a.opt.Role == RoleAll || a.opt.Role == RoleKnowledge) {
		work.Go(func() { a.watchStore(ctx) })
	}
}

// followFeed brings the index up with the changes of other processes.
func (a *App) followFeed(ctx context.Context) {
	for {
		switch store, index := a.data.opened(); {
		case index != nil && store == nil:
			index.Run(ctx, current{a.holder}, feedPoll, nil)
			return
		case index != nil && store.Shared():
			index.Run(ctx, store, feedPoll, nil)
			return
		case store != nil: // its own process brings the index up with each change
			return
		}
		select { // it is not open yet
		case <-ctx.Done():
			return
		case <-time.After(feedPoll):
		}
	}
}

// watchStore notes whether the store on a server answers.
func (a *App) watchStore(ctx context.Context) {
	tick := time.NewTicker(feedPoll)
	defer tick.Stop()
	for {
		if store, _ := a.data.opened(); store != nil {
			probe, cancel := context.WithTimeout(ctx, storeSilence)
			_, err := store.Identity(probe)
			cancel()
			if was := a.data.down.Swap(err != nil && ctx.Err() == nil); was != (err != nil) && ctx.Err() == nil {
				if err != nil {
					a.log.Warn("the store does not answer: questions are unavailable until it does", "error", err)
				} else {
					a.log.Info("the store answers again")
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// waitsFor reports whether an error of opening is one of a store on a server that may
// come up: the process serves, and says that it is unavailable, until it does.
func (a *App) waitsFor(err error) bool {
	return a.Config().Store.Driver == config.Postgres && errors.Is(err, kb.ErrUnavailable)
}

// untilOpen opens what the role keeps as soon as its store answers.
func (a *App) untilOpen(ctx context.Context, ready *readiness, err error) error {
	ready.wait("waiting for the store")
	a.log.Warn("waiting for the store", "error", err)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(feedPoll):
		}
		if err = a.OpenData(ctx); err == nil || !a.waitsFor(err) {
			return err
		}
	}
}

// warmQuestions are asked of a process before it is ready, one in each language.
var warmQuestions = []string{"How much is the fare of the ferry?", "渡轮票价是多少？"}

// warm has the layers of this process make what they make at their first question, such as
// the tables of a tokenizer, and read what the first search reads of the index and the store,
// so that no client's deadline pays for it. What fails here fails again where it is asked.
func (a *App) warm(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, warmTime)
	defer cancel()
	var errs []error
	for _, q := range warmQuestions {
		errs = append(errs, a.warmWith(ctx, q))
	}
	if err := errors.Join(errs...); err != nil && ctx.Err() == nil {
		a.log.Warn("a layer is not warm", "error", err)
	}
}

func (a *App) warmWith(ctx context.Context, text string) error {
	s, release := a.holder.Acquire()
	defer release()
	if s == nil {
		return nil
	}
	a.data.mu.Lock()
	table := a.data.table
	a.data.mu.Unlock()
	analysis := kb.Analysis{Question: text, Original: text, Class: kb.Numeric, Language: "mixed", Slots: []kb.Slot{
		{Name: "value", Role: kb.Asked, Required: true, Subject: "ferry", Attribute: "fare", Expect: kb.ExpectQuantity},
	}}
	passages := []kb.Candidate{{Passage: kb.Passage{ID: "p", Text: "The fare of the ferry is not fixed yet. 渡轮票价未定。"}, Rank: 1}}
	var errs []error
	if table[RolePrecheck] == here {
		read, err := s.Precheck.Analyze(ctx, kb.Question{Text: text})
		if err == nil && read.Clarify == nil {
			analysis = read
		}
		errs = append(errs, err)
	}
	if o, ok := s.Retriever.(*opening); ok {
		if _, x := a.data.opened(); x != nil {
			found, err := o.find(ctx, x, kb.RetrieveRequest{Analysis: analysis})
			errs = append(errs, err)
			passages = append(passages, found.Candidates...)
		}
	}
	if table[RoleRerank] == here {
		_, err := s.Assessor.Assess(ctx, kb.AssessRequest{Analysis: analysis, Candidates: passages})
		errs = append(errs, err)
	}
	if table[RoleValidate] == here { // no evidence: no model is called
		_, err := s.Validator.Answer(ctx, kb.AnswerRequest{Analysis: analysis, Candidates: passages[:1], Assessment: kb.Assessment{Outcome: kb.Answered}})
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// fill brings in what must be there before the process is ready: the documents, or
// what the store elsewhere holds.
func (a *App) fill(ctx context.Context, opt Serving, ready *readiness) error {
	if store, index := a.data.opened(); index != nil && store == nil {
		ready.wait("reading the change feed")
		for failing := false; ; {
			err := index.Sync(ctx, current{a.holder})
			if err == nil {
				return nil
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if !failing {
				a.log.Warn("waiting for the knowledge service", "error", err)
				failing = true
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(feedPoll):
			}
		}
	}
	if opt.Docs == "" {
		return nil
	}
	ready.wait("ingesting " + opt.Docs)
	report, err := a.ingest(ctx, opt.Docs, func(done, total int, path string) {
		ready.wait(fmt.Sprintf("ingesting %s (%d of %d documents)", opt.Docs, done, total))
		if opt.Progress != nil {
			opt.Progress(done, total, path)
		}
	})
	if err == nil && opt.Ingested != nil {
		opt.Ingested(report)
	}
	return err
}

// ingest brings a folder in; what is gone from it is deleted.
func (a *App) ingest(ctx context.Context, docs string, progress func(done, total int, path string)) (kb.IngestReport, error) {
	report, err := ingest.New(current{a.holder}, ingest.Options{Sync: true, Progress: progress}).Paths(ctx, docs)
	for _, s := range report.Skipped {
		a.log.Warn("document skipped", "path", s.Path, "reason", s.Reason)
	}
	for _, w := range report.Warnings {
		a.log.Warn("document read with a doubt", "path", w.Path, "doubt", w.Text)
	}
	if err != nil {
		return report, err
	}
	a.log.Info("documents ingested", "documents", report.Documents, "new_versions", report.Versions, "chunks", report.Chunks, "facts", report.Facts,
		"skipped", len(report.Skipped), "seconds", report.Seconds)
	return report, nil
}

// watchDocs ingests the folder again whenever it is no longer as it was seen, until
// ctx ends.
func (a *App) watchDocs(ctx context.Context, docs string, seen [sha256.Size]byte) {
	if docs == "" {
		return
	}
	tick := time.NewTicker(a.Config().Ingest.Watch)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := stamps(docs)
		if now == seen {
			continue
		}
		if _, err := a.ingest(ctx, docs, nil); err != nil {
			if ctx.Err() == nil {
				a.log.Error("folder not ingested", "folder", docs, "error", err)
			}
			continue // tried again at the next tick
		}
		seen = now
	}
}

// stamps is a hash of the names, sizes and times of all files below a folder: it
// changes when one is added, changed or removed.
func stamps(dir string) [sha256.Size]byte {
	sum := sha256.New()
	// What cannot be read counts by its error; ingesting says more about it.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			_, _ = fmt.Fprintf(sum, "%s\x00%v\x00", path, err)
			return nil
		}
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			_, _ = fmt.Fprintf(sum, "%s\x00%d\x00%d\x00", path, info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return [sha256.Size]byte(sum.Sum(nil))
}

// readiness says what a process waits for before it can serve. The zero value waits for
// nothing.
type readiness struct {
	waiting atomic.Pointer[string]
	leaving atomic.Bool
}

func (r *readiness) wait(for_ string) { r.waiting.Store(&for_) }

func (r *readiness) done() { r.waiting.Store(nil) }

// leave says that no new client should come. Requests that still do are answered: what the
// process holds is as whole as it was.
func (r *readiness) leave() { r.leaving.Store(true) }

// Ready implements services.Readiness. All services of a process become ready
// together.
func (r *readiness) Ready(string) error {
	if r.leaving.Load() {
		return errors.New("shutting down")
	}
	if w := r.waiting.Load(); w != nil {
		return errors.New(*w)
	}
	return nil
}

// whole returns kb.ErrUnavailable, with what is waited for, until all that is to be asked
// about was read: what was not read yet is not missing.
func (r *readiness) whole() error {
	if w := r.waiting.Load(); w != nil {
		return fmt.Errorf("not ready: %s: %w", *w, kb.ErrUnavailable)
	}
	return nil
}
