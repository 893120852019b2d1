package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest/chunk"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/services/batch"
	"suffice.dev/suffice/services/config"
)

func TestRoleTable(t *testing.T) {
	at := func(roles ...string) config.ByRole[config.Layer] {
		m := config.ByRole[config.Layer]{}
		for _, r := range roles {
			m[r] = config.Layer{Address: "h:1"}
		}
		return m
	}
	for _, tt := range []struct {
		name   string
		role   Role
		layers config.ByRole[config.Layer]
		want   map[Role]form
		err    string
	}{
		{"all by itself", RoleAll, at(), map[Role]form{RolePrecheck: here, RoleRetrieval: here, RoleRerank: here, RoleValidate: here, RoleKnowledge: here}, ""},
		{"all with a layer elsewhere", RoleAll, at("rerank"), map[Role]form{RolePrecheck: here, RoleRetrieval: here, RoleRerank: there, RoleValidate: here, RoleKnowledge: here}, ""},
		{"all with half of the data elsewhere", RoleAll, at("retrieval"), nil, "belong together"},
		{"all with the data elsewhere", RoleAll, at("retrieval", "knowledge"), map[Role]form{RolePrecheck: here, RoleRetrieval: there, RoleRerank: here, RoleValidate: here, RoleKnowledge: there}, ""},
		{"ask", RoleAsk, at("precheck", "retrieval", "rerank", "validate", "knowledge"), map[Role]form{RolePrecheck: there, RoleRetrieval: there, RoleRerank: there, RoleValidate: there, RoleKnowledge: there}, ""},
		{"ask with layers of its own", RoleAsk, at("retrieval", "knowledge"), map[Role]form{RolePrecheck: here, RoleRetrieval: there, RoleRerank: here, RoleValidate: here, RoleKnowledge: there}, ""},
		{"ask without its data", RoleAsk, at("retrieval"), nil, "layers.knowledge.address"},
		{"retrieval", RoleRetrieval, at("knowledge", "retrieval"), map[Role]form{RoleRetrieval: here, RoleKnowledge: there}, ""},
		{"retrieval without its store", RoleRetrieval, at(), nil, "layers.knowledge.address"},
		{"rerank", RoleRerank, at("rerank", "validate"), map[Role]form{RoleRerank: here}, ""},
		{"knowledge", RoleKnowledge, at(), map[Role]form{RoleKnowledge: here}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.role.table(tt.layers)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("error %v, want one of %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("table (-want +got):\n%s", diff)
			}
		})
	}
	for _, r := range Roles {
		if got, err := ParseRole(string(r)); err != nil || got != r {
			t.Errorf("ParseRole(%q) = %q, %v", r, got, err)
		}
	}
	if _, err := ParseRole("boss"); err == nil {
		t.Error("ParseRole accepts a role that is none")
	}
}

// TestDefaults: the numbers that stand in the configuration, because their owner is
// an adapter, are the owner's.
func TestDefaults(t *testing.T) {
	c := config.Default()
	got, want := tuningConfig(c), index.DefaultTuning()
	if got.BM25 != want.BM25 {
		t.Errorf("bm25: %+v, its own default is %+v", got.BM25, want.BM25)
	}
	if got.Graph.Hops != want.Graph.Hops || got.Graph.Decay != want.Graph.Decay {
		t.Errorf("graph: %+v, its own default is %+v", got.Graph, want.Graph)
	}
	if got, want := (chunk.Config{Target: c.Ingest.ChunkTarget, Max: c.Ingest.ChunkMax}), chunk.Default(); got != want {
		t.Errorf("ingest: %+v, its own default is %+v", got, want)
	}
	for name, problem := range map[string]error{
		"retrieval": retrievalConfig(c).Validate(),
		"rerank":    errors.Join(rerankConfig(c).Validate()...),
		"validate":  errors.Join(validateConfig(c).Validate()...),
	} {
		if problem != nil {
			t.Errorf("%s refuses the defaults: %v", name, problem)
		}
	}
}

// running is an App that serves.
type running struct {
	*App
	grpc string
	http string
	stop func()
}

// serve starts an App on free ports and waits until it is ready.
func serve(t *testing.T, opt Options, docs string) *running {
	t.Helper()
	opt.Logger = slog.New(slog.DiscardHandler)
	if opt.Data == "" {
		opt.Data = t.TempDir()
	}
	a, err := Open(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan [2]string, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- a.Serve(ctx, Serving{Docs: docs, GRPCAddr: "127.0.0.1:0", HTTPAddr: "127.0.0.1:0", Ready: func(g, h string) { ready <- [2]string{g, h} }})
	}()
	r := &running{App: a}
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("%s: %v", opt.Role, err)
			}
			if err := a.Close(); err != nil {
				t.Errorf("%s: %v", opt.Role, err)
			}
		})
	}
	t.Cleanup(r.stop)
	select {
	case at := <-ready:
		r.grpc, r.http = at[0], at[1]
	case err := <-ended:
		ended <- nil
		t.Fatalf("%s: %v", opt.Role, err)
	case <-time.After(3 * time.Minute):
		t.Fatalf("role %q is not ready after 3 minutes", opt.Role)
	}
	return r
}

// corpus is a small knowledge base in two languages.
var corpus = map[string]string{
	"ferry.md": "---\nvalid_from: 2024-01-01\nauthority: 8\n---\n# Tern Island ferry\n\nThe ferry to Tern Island leaves every 40 minutes. A crossing takes 25 minutes.\n\n" +
		"| ticket | price |\n|---|---|\n| adult | 12 euros |\n| child | 5 euros |\n\nDogs travel free of charge unless they weigh more than 30 kg.\n",
	"ferry-old.md": "---\nvalid_to: 2023-12-31\n---\n# Tern Island ferry (until 2023)\n\nThe night ferry to Tern Island costs 18 euros.\n",
	"港务.md":        "# 燕屿轮渡站\n\n轮渡站每天6:30开门，22:00关门。寄存行李每件每天4元。\n",
	"港务公告.md":      "# 燕屿轮渡站公告\n\n轮渡站寄存行李每件每天9元。\n",
	"rules.txt":    "Bicycles must be walked on the quay of Tern Island.",
}

var questions = []string{
	"How long does a crossing to Tern Island take?",
	"What does a child ticket for the Tern Island ferry cost?",
	"Do dogs travel free of charge on the Tern Island ferry?",
	"燕屿轮渡站几点关门？",
	"燕屿轮渡站寄存行李每件每天多少钱？",
	"What does the night ferry to Tern Island cost?",
	"Who owns the Tern Island ferry?",
	"How much?",
}

func writeCorpus(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range corpus {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// answer is the reply in the contract's form, without what may differ between two
// runs.
func answer(t *testing.T, r *running, question string) map[string]any {
	t.Helper()
	reply, err := r.Pipeline().Ask(t.Context(), kb.AskRequest{
		Question: kb.Question{Text: question, AsOf: time.Date(2025, 5, 1, 0, 0, 0, 0, time.UTC)}, OnFailure: kb.Fail,
	}, nil)
	if err != nil {
		t.Fatalf("%s: %v", question, err)
	}
	data, err := batch.EncodeAsk("", reply)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	if p, ok := m["packing"].(map[string]any); ok && len(m["citations"].([]any)) > 0 && p["estimated"] != true { // no model is configured
		t.Errorf("%s: packing %v, want its tokens to be an estimate", question, p)
	}
	for _, k := range []string{"trace_id", "timings_ms", "versions"} {
		if _, ok := m[k]; !ok {
			t.Errorf("%s: no %s", question, k)
		}
		delete(m, k)
	}
	return m
}

// TestSixProcesses: one process a role, joined by addresses alone, replies as `all`
// does, and writes the same gaps.
func TestSixProcesses(t *testing.T) {
	docs := writeCorpus(t)
	all := serve(t, Options{Role: RoleAll}, docs)

	knowledge := serve(t, Options{Role: RoleKnowledge}, docs)
	flags := map[string]string{"layers.knowledge.address": knowledge.grpc}
	for _, role := range []Role{RolePrecheck, RoleRetrieval, RoleRerank, RoleValidate} {
		r := serve(t, Options{Role: role, Sources: config.Sources{Flags: flags}}, "")
		flags["layers."+string(role)+".address"] = r.grpc
	}
	ask := serve(t, Options{Role: RoleAsk, Sources: config.Sources{Flags: flags}}, "")

	outcomes := map[any]bool{}
	for _, q := range questions {
		one, six := answer(t, all, q), answer(t, ask, q)
		if diff := cmp.Diff(one, six); diff != "" {
			t.Errorf("%s (-all +six processes):\n%s", q, diff)
		}
		outcomes[one["outcome"]] = true
	}
	if len(outcomes) < 3 {
		t.Errorf("the questions end in %v alone; they compare too little", outcomes)
	}

	gapsOf := func(r *running) []string {
		k, err := r.Knowledge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		gaps, _, err := k.Gaps(t.Context(), kb.GapQuery{})
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, g := range gaps {
			out = append(out, string(g.Kind)+" "+g.Text)
		}
		return out
	}
	one, six := gapsOf(all), gapsOf(ask)
	if diff := cmp.Diff(one, six); diff != "" {
		t.Errorf("gaps (-all +six processes):\n%s", diff)
	}
	if len(one) == 0 {
		t.Error("no gap was recorded")
	}
}

// TestServerIsAPipeline: what a command sends to a server is what it would have
// done here.
func TestServerIsAPipeline(t *testing.T) {
	all := serve(t, Options{}, writeCorpus(t))
	s, err := Dial(all.grpc, config.Auth{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	got, err := s.Pipeline.Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: questions[0]}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Outcome != kb.Answered || !strings.Contains(got.Answer, "25 minutes") || got.Versions != all.Versions() {
		t.Errorf("reply %s %q of %+v", got.Outcome, got.Answer, got.Versions)
	}
	all.stop()
	if _, err := s.Pipeline.Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: questions[0]}}, nil); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("a server that is gone gives %v, want ErrUnavailable", err)
	}
}

// TestLayerDown: a layer that is gone is unavailable, never missing knowledge, and
// comes back by itself.
func TestLayerDown(t *testing.T) {
	rerank := serve(t, Options{Role: RoleRerank}, "")
	all := serve(t, Options{Sources: config.Sources{Flags: map[string]string{"layers.rerank.address": rerank.grpc, "limits.deadline": "3s"}}}, writeCorpus(t))
	if got := answer(t, all, questions[0])["outcome"]; got != "ANSWERED" {
		t.Fatalf("outcome %v", got)
	}
	rerank.stop()
	begun := time.Now()
	_, err := all.Pipeline().Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: questions[0]}}, nil)
	if !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("error %v, want ErrUnavailable", err)
	}
	if took := time.Since(begun); took > 3500*time.Millisecond {
		t.Errorf("took %v with a deadline of 3 s", took)
	}
	if k, err := all.Knowledge(t.Context()); err != nil {
		t.Error(err)
	} else if gaps, _, err := k.Gaps(t.Context(), kb.GapQuery{}); err != nil || len(gaps) != 0 {
		t.Errorf("gaps %v, %v", gaps, err)
	}
}

// TestReload: a changed file is a new snapshot; a bad one keeps the old.
func TestReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "suffice.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("gate: {rate: 0.9}\n")
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Sources: config.Sources{File: file}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	first := a.Versions()
	write("gate: {rate: 0.7}\nweights: {numeric: {graph: 0.3}}\n")
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := a.Versions()
	if second.Snapshot == first.Snapshot || second.Config == first.Config {
		t.Errorf("snapshot %+v after %+v", second, first)
	}
	for _, bad := range []string{"gate: {rate: 7}\n", "gat: {}\n", "ingest: {chunk_target: 900}\n", "limits: {body_bytes: 2048}\n", "lexicon: {paths: [none.yaml]}\n"} {
		write(bad)
		if err := a.Reload(t.Context()); err == nil {
			t.Errorf("%q is accepted", bad)
		}
		if got := a.Versions(); got != second {
			t.Errorf("%q: snapshot %+v serves, want %+v", bad, got, second)
		}
		if got := a.Config().Gate.Rate; got != 0.7 {
			t.Errorf("%q: gate.rate %v", bad, got)
		}
	}
	write("gate: {rate: 0.9}\n")
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := a.Versions(); got != first {
		t.Errorf("the first settings again give %+v, want %+v", got, first)
	}
}

// TestRuleFileWhileServing: a changed file of question rules counts without a restart;
// one with a fault is refused with its line and the reason, and the one before it stays.
func TestRuleFileWhileServing(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(rules, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const form, words = "rules:\n  - {id: own-draught, class: NUMERIC, prio: 99, expect: QUANTITY, forms: [\"^whereabouts deep\"]}\n", "expansions:\n  words:\n    - {say: [tub], means: [ferry]}\n"
	write(form)
	all := serve(t, Options{Sources: config.Sources{Flags: map[string]string{"precheck.rules": rules}}}, "")
	read := func(question string) (kb.Class, []string) {
		a, _, err := all.Pipeline().Precheck(t.Context(), kb.Question{Text: question})
		if err != nil {
			t.Fatal(err)
		}
		var terms []string
		for _, e := range a.Expansions {
			terms = append(terms, e.Term)
		}
		return a.Class, terms
	}
	const asked = "Whereabouts deep lies the tub?"
	class, terms := read(asked)
	if class != kb.Numeric || slices.Contains(terms, "ferry") {
		t.Fatalf("%s %v with the first file, want NUMERIC without ferry", class, terms)
	}
	first := all.Versions()
	write("rules:\n  - {id: own-draught, class: NUMBERS, prio: 99, forms: [\"^whereabouts deep\"]}\n")
	err := all.Reload(t.Context())
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), `class "NUMBERS" is none of the twelve`) {
		t.Errorf("a bad file gives %v, want its line and the reason", err)
	}
	if got, _ := read(asked); got != kb.Numeric || all.Versions() != first {
		t.Errorf("after a bad file %s of %+v, want NUMERIC of %+v", got, all.Versions(), first)
	}
	write(form + words) // noticed without being told
	until(t, func() bool {
		class, terms = read(asked)
		return class == kb.Numeric && slices.Contains(terms, "ferry")
	})
	if all.Versions() == first {
		t.Error("other rules, but the versions say nothing")
	}
}

// TestClarifyOffers: a vague question over a knowledge base gets a question back in its
// language and what is there to choose from, by gRPC, by HTTP and in a line of batch alike.
func TestClarifyOffers(t *testing.T) {
	all := serve(t, Options{}, writeCorpus(t))
	s, err := Dial(all.grpc, config.Auth{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, tt := range []struct{ question, prompt string }{
		{"What is the limit?", "Which thing"},
		{"怎么办理？", "您想问的是"},
	} {
		here := answer(t, all, tt.question)
		clarify, _ := here["clarify"].(map[string]any)
		offered, _ := clarify["candidates"].([]any)
		prompt, _ := clarify["prompt"].(string)
		if here["outcome"] != "CLARIFY" || !strings.HasPrefix(prompt, tt.prompt) || len(offered) == 0 || len(offered) > 5 {
			t.Fatalf("%s: %v", tt.question, here)
		}
		seen := map[string]bool{}
		for _, o := range offered {
			x, _ := o.(map[string]any)
			name, _ := x["text"].(string)
			if id, _ := x["evidence_id"].(string); name == "" || seen[name] || !strings.Contains(id, "@") {
				t.Errorf("%s: candidate %v", tt.question, x)
			}
			seen[name] = true
		}
		remote, err := s.Pipeline.Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: tt.question}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if remote.Clarify == nil || len(remote.Clarify.Candidates) != len(offered) {
			t.Errorf("%s: by gRPC %+v, want %d candidates", tt.question, remote.Clarify, len(offered))
		}
		body, err := json.Marshal(map[string]any{"question": tt.question})
		if err != nil {
			t.Fatal(err)
		}
		over := post(t, "http://"+all.http+"/v1/ask", body)
		again, _ := over["clarify"].(map[string]any)
		if diff := cmp.Diff(clarify, again); diff != "" {
			t.Errorf("%s: by HTTP (-want +got):\n%s", tt.question, diff)
		}
		handed, err := all.Pipeline().Ask(t.Context(), kb.AskRequest{Question: kb.Question{Text: tt.question}, HandedOver: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if handed.Clarify == nil || handed.Clarify.Candidates != nil {
			t.Errorf("%s: without a knowledge base %+v", tt.question, handed.Clarify)
		}
	}
}

// post sends a request over HTTP and returns the reply.
func post(t *testing.T, url string, body []byte) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	var m map[string]any
	if err := json.NewDecoder(got.Body).Decode(&m); err != nil || got.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %s, %v", url, got.Status, err)
	}
	return m
}

// TestFollowsFolder: files that are changed, added or removed while serving.
func TestFollowsFolder(t *testing.T) {
	docs := writeCorpus(t)
	all := serve(t, Options{Sources: config.Sources{Flags: map[string]string{"ingest.watch": "100ms"}}}, docs)
	if err := os.WriteFile(filepath.Join(docs, "crane.md"), []byte("# Crane of Tern Island\n\nThe crane of Tern Island lifts 7 tonnes.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	found := func() bool {
		_, got, _, err := all.Pipeline().Retrieve(t.Context(), kb.AskRequest{Question: kb.Question{Text: "How much does the crane of Tern Island lift?"}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got.Candidates {
			if c.DocumentID == "crane.md" {
				return true
			}
		}
		return false
	}
	until(t, found)
	if err := os.Remove(filepath.Join(docs, "crane.md")); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return !found() })
}

// until waits for something that happens within seconds.
func until(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(15 * time.Second); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("did not happen within 15 s")
		}
	}
}

// TestReloadFollowsFiles: the files that a setting names are watched like the configuration's.
func TestReloadFollowsFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	want := []string{
		file("suffice.yaml", "llm: {url: 'http://127.0.0.1:1/v1', model: m, key_file: key, prompts: 'prompts[1]'}\nprecheck: {rules: [rules.yaml]}\n"),
		file("rules.yaml", "rules: []\n"), file("key", "k\n"), file("prompts[1]/VERSION", "1\n"),
	}
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Sources: config.Sources{File: want[0]}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	if diff := cmp.Diff(want, a.configFiles()); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	want = append(want, file("prompts[1]/new.tmpl", "new\n")) // whose name is a pattern that it does not match
	if diff := cmp.Diff(want, a.configFiles()); diff != "" {
		t.Errorf("files, with a new prompt (-want +got):\n%s", diff)
	}
}

// TestRefusedFilesAreFollowed: where a file is wrong that a new configuration names, mending
// that file is enough.
func TestRefusedFilesAreFollowed(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	file, rules := filepath.Join(dir, "suffice.yaml"), filepath.Join(elsewhere, "rules.yaml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "reader: {mode: 'off'}\n")
	write(rules, "rules: nonsense\n")
	registry := prometheus.NewRegistry()
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Sources: config.Sources{File: file}, Logger: slog.New(slog.DiscardHandler), Registry: registry})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	first := a.Versions().Snapshot
	watching, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() { a.holder.Watch(watching, a.configFiles, time.Hour) }) // by events alone
	defer func() { stop(); work.Wait() }()
	refused := func() bool {
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "suffice_config_last_reload_successful" {
				return f.GetMetric()[0].GetGauge().GetValue() == 0
			}
		}
		return false
	}
	again := time.Now()
	until(t, func() bool { // the first may come before its folder is followed
		if time.Since(again) > time.Second {
			again = time.Now()
			write(file, "# "+again.String()+"\nreader: {mode: 'off'}\nprecheck: {rules: ["+rules+"]}\n")
		}
		return refused()
	})
	time.Sleep(300 * time.Millisecond) // until the other folder is followed, too
	write(rules, "rules: []\n")
	until(t, func() bool { return !refused() && a.Versions().Snapshot != first })
}

// TestClosedStaysClosed: what comes after Close opens no data folder again.
func TestClosedStaysClosed(t *testing.T) {
	dir := t.TempDir()
	a, err := Open(t.Context(), Options{Data: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := a.OpenData(t.Context()); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("OpenData after Close = %v, want ErrUnavailable", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the data folder holds %v, %v", left, err)
	}
}

func TestMustExist(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	a, err := Open(t.Context(), Options{Data: dir, MustExist: true, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if err := a.OpenData(t.Context()); !errors.Is(err, ErrSetup) {
		t.Errorf("OpenData = %v, want ErrSetup", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made: %v", err)
	}
}
