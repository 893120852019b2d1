package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/reader"
	"suffice.dev/suffice/model/trees"
	"suffice.dev/suffice/models/sufficiency"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/index"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/services/snapshot"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/text/lexicon"
	"suffice.dev/suffice/validate"
	"suffice.dev/suffice/validate/llm"
)

// parts are what layers share. They are made when first needed, so that a command
// loads no model it does not use.
type parts struct {
	mu     sync.Mutex
	lex    *lexicon.Lexicon // of the snapshot built last
	engine *fact.Engine
}

// build makes a snapshot of the sources as they are now.
func (a *App) build(ctx context.Context) (*snapshot.Snapshot, error) {
	cfg, err := config.Load(a.opt.Sources)
	if err != nil {
		return nil, err
	}
	a.tried.Store(&cfg)
	if old := a.running.Load(); old != nil {
		if err := atStartOnly(*old, cfg); err != nil {
			return nil, err
		}
	}
	table, err := a.opt.Role.table(cfg.Layers)
	if err != nil {
		return nil, err
	}
	access, err := newAccess(cfg.Auth)
	if err != nil {
		return nil, err
	}
	lex, words, err := loadLexicon(cfg.Lexicon)
	if err != nil {
		return nil, err
	}
	s := &snapshot.Snapshot{Config: cfg}
	s.Versions = kb.Versions{Server: a.opt.Build.Version, Commit: a.opt.Build.Commit, Config: cfg.Hash()}

	var engine *fact.Engine
	var static *embed.Model
	if table[RoleRerank] == here || table[RoleValidate] == here || a.opt.Role.keeps() {
		if static, err = embed.Static(); err != nil {
			return nil, fmt.Errorf("built-in embedding: %w", err)
		}
		engine = newEngine(lex, static)
	}
	if table[RolePrecheck] == here {
		pc, rules, err := precheckConfig(cfg.Precheck, lex)
		if err != nil {
			return nil, err
		}
		words = append(words, rules...)
		if s.Precheck, err = precheck.New(pc); err != nil {
			return nil, err
		}
	}
	if table[RoleRerank] == here || table[RoleValidate] == here {
		pages := reading.New(engine, 0, a.data.stored)
		model, version, err := sufficiencyModel(cfg.Sufficiency)
		if err != nil {
			return nil, err
		}
		s.Versions.Model = version
		var judged rerank.Options
		var read *reader.Model
		if !a.opt.NoReader {
			if read, err = readerModel(cfg.Reader); err != nil {
				return nil, err
			}
		}
		if read != nil {
			if refused := reader.Refused(); len(refused) > 0 {
				a.log.Warn("kernels that this processor claims to run count wrong and are not used", "kernels", refused, "instead", reader.Kernels())
			}
			if judged.Joint, err = rerank.DecodeJoint(sufficiency.Joint); err != nil {
				return nil, err
			}
			judged.Reader, s.Versions.Model = read, s.Versions.Model+" "+read.Name()+"-"+read.Hash()
		}
		if table[RoleRerank] == here {
			if s.Assessor, err = rerank.New(rerankConfig(cfg), pages, model, judged); err != nil {
				return nil, err
			}
		}
		if table[RoleValidate] == here {
			opts := validate.Options{Similarity: static.Similarity, Rarity: static.Rarity, Observer: a.model, Logger: a.log}
			if opts.Wording, opts.Joint, err = wordingModel(); err != nil {
				return nil, err
			}
			opts.Votes, opts.Reads = votesOf(read), readsOf(read)
			if cfg.LLM.URL != "" {
				client, err := llm.New(cfg.LLM.Client(), llm.Options{Observer: a.model, Logger: a.log})
				if err != nil {
					return nil, err
				}
				opts.Model, s.Versions.Model = client, s.Versions.Model+" "+client.Version()
			}
			if s.Validator, err = validate.New(validateConfig(cfg), pages, opts); err != nil {
				return nil, err
			}
		}
	}
	if table[RoleRetrieval] == here {
		found, tuning := retrievalConfig(cfg), tuningConfig(cfg)
		if err := errors.Join(found.Validate(), tuning.Validate()); err != nil {
			return nil, err
		}
		s.Retriever = &opening{data: a.data, cfg: found, tuning: tuning}
	}
	if table[RoleKnowledge] == here {
		s.Knowledge = &openingKnowledge{data: a.data}
	}
	if err := reach(s, table, cfg.Layers, access); err != nil {
		return nil, err
	}
	s.Versions.Snapshot = snapshot.ID(append([]string{s.Versions.Config, s.Versions.Model, s.Versions.Server, s.Versions.Commit}, words...)...)

	a.parts.mu.Lock()
	a.parts.lex, a.parts.engine = lex, engine
	a.parts.mu.Unlock()
	a.data.configure(cfg, table)
	a.running.Store(&cfg)
	a.access.Store(access)
	return s, nil
}

// newEngine reads facts as every layer of a process does.
func newEngine(lex *lexicon.Lexicon, model *embed.Model) *fact.Engine {
	return fact.New(fact.Config{
		Dictionary: lex, Similarity: model.Similarity, Rarity: model.Rarity, Contrasts: lexicon.DefaultContrasts(), Related: lexicon.DefaultRelated(),
	})
}

// precheckConfig returns how questions are read, and the texts of the rule files.
func precheckConfig(c config.Precheck, lex *lexicon.Lexicon) (precheck.Config, []string, error) {
	out := precheck.Config{Lexicon: lex, FiscalStart: time.Month(c.FiscalStart), MaxExpansions: c.Expansions}
	if c.Expansions == 0 {
		out.MaxExpansions = -1
	}
	if len(c.Rules) == 0 {
		return out, nil, nil
	}
	var err error
	if out.Rules, err = precheck.LoadRules(c.Rules...); err != nil {
		return out, nil, fmt.Errorf("precheck.rules: %w", err)
	}
	texts, err := contents("precheck.rules", c.Rules)
	return out, texts, err
}

// languageOf loads a configuration with its dictionary and the built-in embedding, for
// a layer that is judged outside a process. Its errors are ErrSetup.
func languageOf(src config.Sources) (config.Config, *lexicon.Lexicon, *embed.Model, error) {
	cfg, err := config.Load(src)
	if err != nil {
		return cfg, nil, nil, err
	}
	lex, _, err := loadLexicon(cfg.Lexicon)
	if err != nil {
		return cfg, nil, nil, setup(err)
	}
	static, err := embed.Static()
	if err != nil {
		return cfg, nil, nil, setup(fmt.Errorf("built-in embedding: %w", err))
	}
	return cfg, lex, static, nil
}

// contents returns the texts of the files that a setting names.
func contents(key string, paths []string) ([]string, error) {
	texts := make([]string, len(paths))
	for i, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		texts[i] = string(data)
	}
	return texts, nil
}

// loadLexicon returns the dictionary and the texts it was made of.
func loadLexicon(c config.Lexicon) (*lexicon.Lexicon, []string, error) {
	if len(c.Paths) == 0 {
		return lexicon.Default(), nil, nil
	}
	lex, err := lexicon.Load(c.Paths...)
	if err != nil {
		return nil, nil, fmt.Errorf("lexicon.paths: %w", err)
	}
	words, err := contents("lexicon.paths", c.Paths)
	if err != nil {
		return nil, nil, err
	}
	return lex, words, nil
}

// atStartOnly refuses changes of settings that the open data folder was opened with, or the
// server was started with: the old snapshot stays, and says so, rather than half of a new one.
func atStartOnly(old, now config.Config) error {
	var errs []error
	check := func(key string, a, b any) {
		if !reflect.DeepEqual(a, b) {
			errs = append(errs, fmt.Errorf("%s changed from %v to %v; it is read at start: restart to use it", key, a, b))
		}
	}
	check("ingest", old.Ingest, now.Ingest)
	check("store", shownStore(old.Store), shownStore(now.Store))
	secretly := func(key string, same bool) {
		if !same {
			errs = append(errs, fmt.Errorf("%s changed; it is read at start: restart to use it", key))
		}
	}
	secretly("store.dsn", old.Store.DSN == now.Store.DSN)
	secretly("bm25: driver or server", old.BM25.Server() == now.BM25.Server())
	secretly("dense: driver or server", old.Dense.Server() == now.Dense.Server())
	secretly("graph: driver or server", graphServer(old.Graph) == graphServer(now.Graph))
	check("limits.body_bytes", old.Limits.BodyBytes, now.Limits.BodyBytes) // gRPC takes it once
	check("telemetry", old.Telemetry, now.Telemetry)
	check("auth.cert_file: TLS", old.Auth.CertFile != "", now.Auth.CertFile != "")
	check("embedding", old.Embedding, now.Embedding)
	return errors.Join(errs...)
}

// readerModel is the reader of a configuration, nil where it has none: it is off, or
// auto on a processor that runs only the portable kernels, which no budget fits.
func readerModel(c config.Reader) (*reader.Model, error) {
	switch {
	case c.Mode == string(rerank.ReadOff), c.Mode == string(rerank.ReadAuto) && reader.Kernels() == reader.Portable:
		return nil, nil
	case c.Path == "":
		m, err := reader.BuiltIn()
		if err != nil {
			return nil, fmt.Errorf("built-in reader: %w", err)
		}
		return m, nil
	}
	data, err := os.ReadFile(c.Path)
	if err != nil {
		return nil, fmt.Errorf("reader.path: %w", err)
	}
	base, err := reader.BuiltInBase()
	if err != nil {
		return nil, fmt.Errorf("built-in reader: %w", err)
	}
	m, err := reader.New(c.Path, string(data), base)
	if err != nil {
		return nil, fmt.Errorf("reader.path: %w", err)
	}
	return m, nil
}

// votesOf asks the reader about claims; nil without one.
func votesOf(m *reader.Model) validate.Votes {
	if m == nil {
		return nil
	}
	return func(ctx context.Context, claim string, passages []string) ([]validate.Vote, error) {
		judged, err := m.Claim(ctx, claim, passages)
		if err != nil {
			return nil, err
		}
		out := make([]validate.Vote, len(judged))
		for i, j := range judged {
			out[i] = validate.Vote(j)
		}
		return out, nil
	}
}

// readsOf asks the reader about a question; nil without one.
func readsOf(m *reader.Model) validate.Reads {
	if m == nil {
		return nil
	}
	return func(ctx context.Context, question string, texts []string) ([]validate.Read, error) {
		found, err := m.Read(ctx, question, texts)
		if err != nil {
			return nil, err
		}
		out := make([]validate.Read, len(found))
		for i, f := range found {
			out[i] = validate.Read{Holds: f.Holds, Answer: f.Answer.Probability, Span: text.Span{Start: f.Answer.Start, End: f.Answer.End}}
		}
		return out, nil
	}
}

func rerankConfig(c config.Config) rerank.Config {
	out := rerank.Default()
	out.Reading = c.Reader.Judging()
	out.Thresholds = map[kb.Class]rerank.Thresholds{}
	for _, class := range kb.Classes {
		t := c.Thresholds.For(class)
		out.Thresholds[class] = rerank.Thresholds{Sufficiency: t.Sufficiency, Sure: t.Sure, FGCGreen: t.FGCGreen, FGCYellow: t.FGCYellow, CDS: t.CDS}
	}
	out.Templates = map[string]rerank.Template{}
	for name, d := range c.Domains {
		if name == config.AnyDomain {
			name = ""
		}
		out.Templates[name] = rerank.Template{Parts: d.SIDParts, Factor: d.SIDFactor}
	}
	return out
}

func validateConfig(c config.Config) validate.Config {
	out := validate.Default()
	out.GateRate, out.GateK, out.GateRetries = c.Gate.Rate, c.Gate.K, c.Gate.Retries
	out.VoteBudget = c.Reader.Budget
	out.Packing = c.Packing.Packer()
	return out
}

func retrievalConfig(c config.Config) retrieval.Config {
	out := retrieval.Default()
	out.Weights, out.Off = map[kb.Class]kb.Weights{}, map[kb.Class][]kb.Route{}
	for _, class := range kb.Classes {
		w := c.Weights.For(class)
		out.Weights[class] = kb.Weights{Dense: w.Dense, BM25: w.BM25, Graph: w.Graph}
		for _, r := range c.Routes.For(class).Off {
			out.Off[class] = append(out.Off[class], kb.Route(r))
		}
	}
	out.Candidates, out.Share, out.Timeout = c.Limits.Candidates, c.Limits.RouteShare, c.Limits.Route
	return out
}

func tuningConfig(c config.Config) index.Tuning {
	t := index.DefaultTuning()
	t.BM25.K1, t.BM25.B, t.BM25.Pool, t.BM25.ExpansionBoost = c.BM25.K1, c.BM25.B, c.BM25.Pool, c.BM25.ExpansionBoost
	t.Graph.Hops, t.Graph.Decay = c.Graph.Hops, c.Graph.Decay
	return t
}

// sufficiencyModel is the model that judges whether passages suffice, and its
// version. It is refused when the file is not the one its manifest describes (a file of
// sufficiency.path may have one beside it, with the ending .json), or was trained for
// other features.
func sufficiencyModel(c config.Sufficiency) (rerank.Scorer, string, error) {
	file, manifest := sufficiency.Model, sufficiency.Manifest
	of := "built-in sufficiency model"
	if c.Path != "" {
		of = fmt.Sprintf("sufficiency.path: %s, a model that `suffice train` writes,", c.Path)
		var err error
		if file, err = os.ReadFile(c.Path); err != nil {
			return nil, "", fmt.Errorf("sufficiency.path: %w", err)
		}
		manifest = nil
		if beside := manifestOf(c); beside != "" {
			if manifest, err = os.ReadFile(beside); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, "", fmt.Errorf("sufficiency.path: manifest: %w", err)
			}
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(file))
	described := struct {
		SHA256  string `json:"sha256"`
		Version string `json:"version"`
	}{sum, sum[:12]}
	if manifest != nil {
		if err := json.Unmarshal(manifest, &described); err != nil {
			return nil, "", fmt.Errorf("%s has a manifest that cannot be read: %w", of, err)
		}
	}
	if sum != described.SHA256 {
		return nil, "", fmt.Errorf("%s is not the one of its manifest: %w: its SHA-256 is %s, its manifest says %s", of, trees.ErrModel, sum, described.SHA256)
	}
	model, err := trees.Load(file, rerank.SetFeatures)
	if err != nil {
		return nil, "", fmt.Errorf("%s cannot be read: %w", of, err)
	}
	return model, "sufficiency-" + described.Version, nil
}

// manifestOf is the file that describes the model of sufficiency.path, whether it is
// there or not; "" for the built-in model and for one that ends in .json itself.
func manifestOf(c config.Sufficiency) string {
	ending := filepath.Ext(c.Path)
	if c.Path == "" || ending == ".json" {
		return ""
	}
	return strings.TrimSuffix(c.Path, ending) + ".json"
}

// Limits are the bounds of requests under a configuration.
func Limits(c config.Config) services.Limits {
	l := c.Limits
	return services.Limits{
		Passages: l.Passages, PassageRunes: l.PassageChars, Question: l.Question, Answer: l.Answer, TopK: l.TopK, BodyBytes: l.BodyBytes,
	}
}
