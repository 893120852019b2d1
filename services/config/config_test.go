package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDefaultIsValid(t *testing.T) {
	if got := Default().Validate(); len(got) > 0 {
		t.Fatalf("Default() has problems: %v", got)
	}
	loaded, err := Load(Sources{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default().Flat(), loaded.Flat()); diff != "" {
		t.Errorf("Load of nothing differs from Default (-want +got):\n%s", diff)
	}
	if loaded.Hash() != Default().Hash() {
		t.Error("equal settings have different hashes")
	}
}

// TestGood loads each good file and loads again what YAML prints of it.
func TestGood(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) < 2 {
		t.Fatalf("no good files: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := Load(Sources{File: file})
			if err != nil {
				t.Fatal(err)
			}
			if c, err = c.Absolute(); err != nil { // as config print does
				t.Fatal(err)
			}
			text, err := c.YAML()
			if err != nil {
				t.Fatal(err)
			}
			again := filepath.Join(t.TempDir(), "printed.yaml")
			if err := os.WriteFile(again, text, 0o600); err != nil {
				t.Fatal(err)
			}
			c2, err := Load(Sources{File: again})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c, c2); diff != "" {
				t.Errorf("what YAML prints loads as another config (-want +got):\n%s", diff)
			}
		})
	}
}

// TestFilesBesideTheConfiguration: a relative path counts from the file that names it, for
// every key that names files.
func TestFilesBesideTheConfiguration(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "suffice.yaml")
	text := `llm: {url: https://models.example/v1, model: m, key_file: f, prompts: f}
embedding: {provider: openai, url: https://models.example/v1, model: e, dims: 8, key_file: f}
store: {driver: postgres, dsn: "host=db", password_file: f}
bm25: {driver: opensearch, url: "http://search:9200", password_file: f}
dense: {driver: opensearch, url: "http://search:9200", password_file: f}
graph: {driver: neo4j, url: "neo4j://graph:7687", password_file: f}
lexicon: {paths: [f]}
precheck: {rules: [f]}
reader: {path: f}
sufficiency: {path: f}
auth: {cert_file: f, key_file: f, client_ca_file: f, token_file: f, call_tls: true, ca_file: f}
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{File: file})
	if err != nil {
		t.Fatal(err)
	}
	flat := c.Flat()
	for _, key := range knownKeys() {
		names := strings.HasSuffix(key, "_file") || strings.HasSuffix(key, ".path") || strings.HasSuffix(key, ".paths") || key == "precheck.rules" || key == "llm.prompts"
		if !names {
			continue
		}
		got := flat[key]
		if list, ok := got.([]any); ok && len(list) == 1 {
			got = list[0]
		}
		if want := filepath.Join(dir, "f"); got != want {
			t.Errorf("%s = %v, want %s", key, got, want)
		}
	}
}

func TestChanged(t *testing.T) {
	before, after := Default(), Default()
	after.Gate.K, after.BM25.Password = before.Gate.K+1, "secret"
	after.Domains = map[string]Domain{"mining": {}}
	for name, d := range before.Domains {
		if name != AnyDomain {
			after.Domains[name] = d
		}
	}
	want := []string{"domains.any.sid_factor", "domains.any.sid_parts", "domains.mining.sid_factor", "domains.mining.sid_parts", "gate.k"}
	if diff := cmp.Diff(want, Changed(before, after)); diff != "" {
		t.Errorf("changed keys (-want +got):\n%s", diff)
	}
	if got := Changed(before, before); len(got) > 0 {
		t.Errorf("keys of equal settings: %v", got)
	}
}

func TestPartialKeepsDefaults(t *testing.T) {
	c, err := Load(Sources{File: "testdata/good/partial.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	d := Default()
	want := d.Weights["numeric"]
	want.Dense = 0.25
	if got := c.Weights["numeric"]; got != want {
		t.Errorf("weights.numeric = %+v, want %+v", got, want)
	}
	if c.Gate.Retries != d.Gate.Retries || c.Gate.K != 3 || c.Gate.Rate != 1 {
		t.Errorf("gate = %+v", c.Gate)
	}
	if c.Limits.Deadline != 750*time.Millisecond {
		t.Errorf("limits.deadline = %v", c.Limits.Deadline)
	}
	if got, want := c.Lexicon.Paths[0], filepath.Join("testdata", "good", "words", "local.yaml"); got != want {
		t.Errorf("lexicon path = %q, want %q beside the file", got, want)
	}
	if c.Telemetry != d.Telemetry {
		t.Errorf("an empty section changed the defaults: %+v", c.Telemetry)
	}
	if c.Hash() == d.Hash() {
		t.Error("other settings have the hash of the defaults")
	}
}

func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatalf("no bad files: %v %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, err := Load(Sources{File: file})
			if !errors.Is(err, ErrConfig) {
				t.Fatalf("Load = %v, want an ErrConfig", err)
			}
			want, err2 := os.ReadFile(strings.TrimSuffix(file, ".yaml") + ".want")
			if err2 != nil {
				t.Fatal(err2)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), err.Error()); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOrderOfSources(t *testing.T) {
	src := Sources{
		File:    "testdata/good/partial.yaml", // gate.k 3, gate.rate 1
		Environ: []string{"SUFFICE_GATE__K=7", "SUFFICE_GATE__RATE=0.6", "SUFFICE_DATA=elsewhere", "OTHER__K=1", "SUFFICE_ROUTES__CAUSE__OFF=dense, graph"},
		Flags:   map[string]string{"gate.rate": "0.9", "limits.deadline": "2s"},
	}
	c, err := Load(src)
	if err != nil {
		t.Fatal(err)
	}
	if c.Gate.K != 7 {
		t.Errorf("gate.k = %d, want 7 of the environment", c.Gate.K)
	}
	if c.Gate.Rate != 0.9 {
		t.Errorf("gate.rate = %v, want 0.9 of the flag", c.Gate.Rate)
	}
	if c.Limits.Deadline != 2*time.Second {
		t.Errorf("limits.deadline = %v, want 2s of the flag", c.Limits.Deadline)
	}
	if diff := cmp.Diff([]string{"dense", "graph"}, c.Routes["cause"].Off); diff != "" {
		t.Errorf("routes.cause.off (-want +got):\n%s", diff)
	}
}

func TestProblemsOfAllSources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "suffice.yaml")
	if err := os.WriteFile(file, []byte("gate:\n  rate: 3\nlimts: {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(Sources{
		File:    file,
		Environ: []string{"SUFFICE_GATE__KK=7", "SUFFICE_GATE__K=many", "SUFFICE_BM25__POOL=0", "SUFFICE_GRAPH_HOPS=2"},
		Flags:   map[string]string{"graph.hop": "1", "gate": "on"},
	})
	want := `suffice.yaml:3: limts: unknown key; did you mean limits?
SUFFICE_GRAPH_HOPS: graph.hops: write the variable as SUFFICE_GRAPH__HOPS
SUFFICE_GATE__K: gate.k: "many" is not a whole number
SUFFICE_GATE__KK: gate.kk: unknown key (value "7"); did you mean gate.k?
--set gate: gate: a section; set the keys below it one by one
--set graph.hop: graph.hop: unknown key (value "1"); did you mean graph.hops?
suffice.yaml:2: gate.rate: 3 is not above 0 and at most 1
SUFFICE_BM25__POOL: bm25.pool: 0 is not within 1..10000`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load(Sources{File: filepath.Join(t.TempDir(), "none.yaml")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Load = %v, want os.ErrNotExist", err)
	}
}

// FuzzLoad holds that no file crashes the loader, and that what loads prints to a
// file that loads to the same settings.
func FuzzLoad(f *testing.F) {
	for _, dir := range []string{"testdata/good", "testdata/bad"} {
		files, _ := filepath.Glob(dir + "/*.yaml")
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		file := filepath.Join(dir, "a.yaml")
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Sources{File: file})
		if err != nil {
			return
		}
		printed, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, printed, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Load(Sources{File: file})
		if err != nil {
			t.Fatalf("printed config does not load: %v\n%s", err, printed)
		}
		if c.Hash() != again.Hash() && len(c.Lexicon.Paths) == 0 {
			t.Errorf("printed config has another hash:\n%s", printed)
		}
	})
}

// TestAbsolute: a printed configuration means the same files wherever it is put.
func TestAbsolute(t *testing.T) {
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(Sources{Flags: map[string]string{
		"lexicon.paths": "a.yaml,/etc/b.yaml", "llm.url": "http://m:1/v1", "llm.model": "m", "llm.prompts": "prompts", "llm.key_file": "../key", "sufficiency.path": "m.ubj",
		"graph.driver": "neo4j", "graph.url": "neo4j://g:7687", "graph.password": "s3cret",
	}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Absolute()
	if err != nil {
		t.Fatal(err)
	}
	want := c
	want.Lexicon.Paths = []string{filepath.Join(here, "a.yaml"), "/etc/b.yaml"}
	want.LLM.Prompts, want.LLM.KeyFile = filepath.Join(here, "prompts"), filepath.Join(filepath.Dir(here), "key")
	want.Sufficiency.Path = filepath.Join(here, "m.ubj")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Sufficiency.Path != "m.ubj" || c.Lexicon.Paths[0] != "a.yaml" {
		t.Error("the configuration itself was changed")
	}
}
