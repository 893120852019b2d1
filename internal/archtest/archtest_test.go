package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "suffice.dev/suffice"

// pkg is what go list says of a package of this module.
type pkg struct {
	ImportPath string
	Dir        string
	Name       string
	Standard   bool
	GoFiles    []string
	Imports    []string
	Deps       []string
}

// path is the package's path in the module; "" for other modules.
func local(importPath string) string {
	if importPath == module {
		return "."
	}
	rest, ok := strings.CutPrefix(importPath, module+"/")
	if !ok {
		return ""
	}
	return rest
}

// part is the part of the house a package belongs to, and its floor: a package
// imports only from lower floors, or from its own part.
func part(p string) (name string, floor int) {
	first, _, _ := strings.Cut(p, "/")
	switch first {
	case "cmd":
		return first, 8
	case "evaluate":
		return first, 7
	case "internal":
		if strings.HasPrefix(p, "internal/app") {
			return "internal/app", 6
		}
		return p, 9 // tests and dependency lists: nobody imports them
	case "services":
		return first, 5
	case "proto":
		return first, 4
	case "precheck", "retrieval", "rerank", "validate":
		return first, 4
	case "kb":
		return first, 3
	case "model":
		return first, 2
	case "text":
		return first, 1
	case "models", "docs", "deploy", "testdata", "tools":
		return first, 0
	}
	return "", -1
}

// TestFloors: cmd → internal/app → services → layers → kb → model, text. A layer
// never imports another layer; a package of a part nobody planned is an error.
func TestFloors(t *testing.T) {
	for _, p := range list(t) {
		from := local(p.ImportPath)
		name, floor := part(from)
		if p.Name == "main" { // a command, wherever it stands: nobody can import it
			name, floor = from, 8
		}
		if floor < 0 {
			t.Errorf("%s belongs to no part of the design; see its section 2", from)
			continue
		}
		for _, imp := range p.Imports {
			to := local(imp)
			if to == "" {
				continue
			}
			toName, toFloor := part(to)
			if toName != name && toFloor >= floor {
				t.Errorf("%s imports %s", from, to)
			}
		}
	}
}

// TestNarrow holds the rules that concern single parts.
func TestNarrow(t *testing.T) {
	for _, p := range list(t) {
		from := local(p.ImportPath)
		name, _ := part(from)
		for _, imp := range p.Imports {
			to := local(imp)
			toName, _ := part(to)
			switch {
			case toName == "proto" && name != "services" && name != "proto":
				t.Errorf("%s imports the generated %s; only services does", from, to)
			case toName == "evaluate" && name != "cmd" && name != "evaluate":
				t.Errorf("%s imports %s; only cmd does", from, to)
			case name == "evaluate" && toName == "services" && to != "services" && to != "services/pipeline":
				t.Errorf("%s imports %s; of services it imports the pipeline alone", from, to)
			case from == "kb" && !standard(imp):
				t.Errorf("kb imports %s; its root uses the standard library alone", imp)
			case within(from, "kb/fact") && !standard(imp) && !within(to, "kb/fact") && !within(to, "text"):
				t.Errorf("%s imports %s; kb/fact uses the standard library and text alone", from, imp)
			case name == "text" && to != "" && toName != "text":
				t.Errorf("%s imports %s; text stands below everything", from, to)
			}
		}
	}
}

// homes says where a library may be imported. An adapter imports one, and its
// types stop there.
var homes = map[string][]string{
	"github.com/dmitryikh/leaves":                 {"model/trees"},
	"github.com/blevesearch/bleve":                {"retrieval/bm25"},
	"modernc.org/sqlite":                          {"kb/store"},
	"github.com/pressly/goose":                    {"kb/store"},
	"github.com/jackc/pgx":                        {"kb/store"},
	"github.com/sashabaranov/go-openai":           {"validate/llm", "retrieval/dense/openai"},
	"github.com/knadh/koanf":                      {"services/config"},
	"github.com/spf13/cobra":                      {"cmd"},
	"github.com/spf13/pflag":                      {"cmd"},
	"github.com/schollz/progressbar":              {"cmd"},
	"google.golang.org/grpc":                      {"services", "proto", "internal/app"},
	"google.golang.org/protobuf":                  {"services", "proto"},
	"github.com/prometheus/client_golang":         {"services", "internal/app"},
	"github.com/grpc-ecosystem":                   {"services"},
	"github.com/yuin/goldmark":                    {"kb/ingest"},
	"github.com/fsnotify/fsnotify":                {"services/snapshot", "internal/app"},
	"github.com/hashicorp/golang-lru":             {"kb", "model", "retrieval", "services/pipeline", "validate/pack"},
	"github.com/pkoukk":                           {"validate/pack"},
	"github.com/sony/gobreaker":                   {"validate/llm"},
	"github.com/hashicorp/go-retryablehttp":       {"validate/llm", "retrieval/dense/openai"},
	"github.com/kljensen/snowball":                {"text", "retrieval/bm25", "kb"},
	"github.com/google/go-cmp":                    {}, // tests
	"github.com/rogpeppe/go-internal":             {}, // tests
	"google.golang.org/genproto/googleapis":       {"services", "proto"},
	"github.com/neo4j/neo4j-go-driver":            {"retrieval/graph/neo4j"},
	"github.com/opensearch-project/opensearch-go": {"retrieval/opensearch"},
}

func TestLibrariesStayAtHome(t *testing.T) {
	for _, p := range list(t) {
		from := local(p.ImportPath)
		if from == "internal/deps" || strings.HasSuffix(from, "test") { // suites that tests share
			continue
		}
		for _, imp := range p.Imports {
			for lib, allowed := range homes {
				if !within(imp, lib) {
					continue
				}
				if !slices.ContainsFunc(allowed, func(home string) bool { return within(from, home) }) {
					t.Errorf("%s imports %s, which belongs to %v", from, imp, allowed)
				}
			}
		}
	}
}

// TestPipelineAloneKnowsTheOrder: of services only the pipeline, the snapshot that
// holds the layers, and the surfaces that serve or call one layer import layers.
func TestPipelineAloneKnowsTheOrder(t *testing.T) {
	layers := []string{"precheck", "retrieval", "rerank", "validate"}
	for _, p := range list(t) {
		from := local(p.ImportPath)
		name, _ := part(from)
		switch {
		case name == "cmd", name == "evaluate", name == "services" && (from == "services" || from == "services/batch" || from == "services/convert" || from == "services/httpapi"):
		default:
			continue
		}
		for _, imp := range p.Imports {
			if toName, _ := part(local(imp)); slices.Contains(layers, toName) {
				t.Errorf("%s imports the layer %s; it should go through the pipeline", from, local(imp))
			}
		}
	}
}

// TestHouseStyle: no catch-all package names, a comment on every package, no work
// at init.
func TestHouseStyle(t *testing.T) {
	banned := []string{"utils", "util", "common", "helper", "helpers", "manager", "types", "interfaces", "misc", "shared"}
	for _, p := range list(t) {
		from := local(p.ImportPath)
		if slices.Contains(banned, path.Base(from)) {
			t.Errorf("%s: a name that says nothing", from)
		}
		documented := false
		for _, name := range p.GoFiles {
			file := filepath.Join(p.Dir, name)
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			documented = documented || f.Doc != nil
			if ast.IsGenerated(f) {
				documented = true
				continue
			}
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s: func init", filepath.Join(from, name))
				}
			}
		}
		if !documented && len(p.GoFiles) > 0 {
			t.Errorf("%s has no package comment", from)
		}
	}
}

// TestRulesBite holds that the rules are able to fail.
func TestRulesBite(t *testing.T) {
	for _, tt := range []struct{ from, to string }{
		{"kb", "services/config"}, {"text", "kb"}, {"precheck", "internal/app"}, {"services/pipeline", "cmd/suffice"},
		{"rerank", "retrieval"}, {"validate", "rerank"}, {"model/trees", "kb/fact"}, {"internal/app", "evaluate"},
	} {
		fromName, fromFloor := part(tt.from)
		toName, toFloor := part(tt.to)
		if fromName == toName || toFloor < fromFloor {
			t.Errorf("%s may import %s", tt.from, tt.to)
		}
	}
	if !within("github.com/blevesearch/bleve/v2/search", "github.com/blevesearch/bleve") || within("kb/factory", "kb/fact") {
		t.Error("within does not tell paths apart")
	}
	if standard("suffice.dev/suffice/kb") || standard("golang.org/x/text") || !standard("encoding/json") {
		t.Error("standard does not know the standard library")
	}
}

// within reports whether p is the path or below it.
func within(p, root string) bool { return p == root || strings.HasPrefix(p, root+"/") }

// standard reports whether an import path is of the standard library: its first
// element has no dot.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

var listed []pkg

// list asks the Go tool for all packages of the module.
func list(t *testing.T) []pkg {
	t.Helper()
	if listed != nil {
		return listed
	}
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-json=ImportPath,Dir,Name,GoFiles,Imports", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		listed = append(listed, p)
	}
	if len(listed) < 10 {
		t.Fatalf("go list found %d packages", len(listed))
	}
	return listed
}
