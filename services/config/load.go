package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	kyaml "github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
	"gopkg.in/yaml.v3"
)

// EnvPrefix begins the name of every variable that sets a key.
const EnvPrefix = "SUFFICE_"

// Sources are what a configuration is read from.
type Sources struct {
	File    string            // YAML file; "" = none
	Environ []string          // NAME=value as of os.Environ; nil = none
	Flags   map[string]string // key -> value as given to a flag
}

// Load reads, merges and checks the sources. The error is an *Error with every
// problem, or that of reading the file. Relative paths of the file become
// relative to the working directory of the process.
func Load(src Sources) (Config, error) {
	l := &loader{merged: koanf.New("."), origin: map[string]Problem{}}
	if err := l.merged.Load(confmap.Provider(encode(reflect.ValueOf(Default())).(map[string]any), ""), nil); err != nil {
		return Config{}, fmt.Errorf("load defaults: %w", err)
	}
	if src.File != "" {
		if err := l.file(src.File); err != nil {
			return Config{}, err
		}
	}
	if err := l.environ(src.Environ); err != nil {
		return Config{}, err
	}
	if err := l.flags(src.Flags); err != nil {
		return Config{}, err
	}
	var c Config
	d := decoder{text: true} // texts of variables and flags were judged where they came from
	d.decode(reflect.ValueOf(&c).Elem(), l.merged.Raw(), "")
	if len(l.problems) == 0 {
		l.problems = append(l.problems, d.problems...)
	}
	for _, p := range c.Validate() {
		l.problems = append(l.problems, l.locate(p))
	}
	if len(l.problems) > 0 {
		return Config{}, &Error{Problems: l.problems}
	}
	return c, nil
}

// Flat returns every key that is set, with its value in plain form, passwords left out.
func (c Config) Flat() map[string]any {
	out := map[string]any{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			out[path] = v
			return
		}
		for k, x := range m {
			walk(join(path, k), x)
		}
	}
	walk("", shown(reflect.ValueOf(c)))
	return out
}

// Changed lists the keys whose values differ between two configurations, or that one of
// them lacks, sorted. A password is no value that counts.
func Changed(before, after Config) []string {
	old, now := before.Flat(), after.Flat()
	keys := map[string]bool{}
	for k, v := range old {
		if w, ok := now[k]; !ok || !reflect.DeepEqual(v, w) {
			keys[k] = true
		}
	}
	for k := range now {
		if _, ok := old[k]; !ok {
			keys[k] = true
		}
	}
	return sortedKeys(keys)
}

// YAML prints the effective configuration in the form Load reads, keys sorted.
// Passwords are left out: they are to be given again.
func (c Config) YAML() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(shown(reflect.ValueOf(c))); err != nil {
		return nil, fmt.Errorf("print configuration: %w", err)
	}
	return b.Bytes(), nil
}

// Hash names the effective configuration: equal settings, equal hash. 12 hex
// digits.
func (c Config) Hash() string {
	text, err := c.YAML()
	if err != nil { // plain data always encodes
		panic(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}

// pathKeys are the keys that name files: relative paths count from the file that names them.
var pathKeys = []string{
	"lexicon.paths", "precheck.rules", "reader.path", "sufficiency.path", "llm.prompts", "llm.key_file", "embedding.key_file",
	"auth.cert_file", "auth.key_file", "auth.client_ca_file", "auth.token_file", "auth.ca_file",
	"store.password_file", "bm25.password_file", "dense.password_file", "graph.password_file",
}

// Absolute is the configuration with all its paths made absolute, so that a file of it may
// stand anywhere.
func (c Config) Absolute() (Config, error) {
	raw := encode(reflect.ValueOf(c)).(map[string]any)
	var errs []error
	onPaths(raw, func(p string) string {
		abs, err := filepath.Abs(p)
		errs = append(errs, err)
		return abs
	})
	var out Config
	d := decoder{text: true}
	d.decode(reflect.ValueOf(&out).Elem(), raw, "")
	for _, p := range d.problems {
		errs = append(errs, fmt.Errorf("%s: %s", p.Key, p.Message))
	}
	if err := errors.Join(errs...); err != nil {
		return c, fmt.Errorf("make paths absolute: %w", err)
	}
	return out, nil
}

// onPaths replaces the paths that pathKeys name.
func onPaths(raw map[string]any, replace func(string) string) {
	one := func(p any) any {
		if s, ok := p.(string); ok && s != "" && !filepath.IsAbs(s) {
			return replace(s)
		}
		return p
	}
	for _, k := range pathKeys {
		section, key, _ := strings.Cut(k, ".")
		settings, _ := raw[section].(map[string]any)
		switch value := settings[key].(type) {
		case string:
			settings[key] = one(value)
		case []any:
			for i, p := range value {
				value[i] = one(p)
			}
		}
	}
}

type loader struct {
	merged   *koanf.Koanf
	problems []Problem
	origin   map[string]Problem // key -> source and line that set it last
}

// locate adds the source that set the problem's key or, for a section, one below.
func (l *loader) locate(p Problem) Problem {
	o, ok := l.origin[p.Key]
	if !ok {
		for _, k := range sortedKeys(l.origin) {
			if strings.HasPrefix(k, p.Key+".") || strings.HasPrefix(p.Key, k+"[") {
				o = l.origin[k]
				break
			}
		}
	}
	p.Source, p.Line = o.Source, o.Line
	return p
}

func (l *loader) file(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	name := filepath.Base(path)
	lines, err := keyLines(text)
	if err != nil {
		l.problems = append(l.problems, Problem{Source: name, Message: err.Error()})
		return nil //nolint:nilerr // reported with the other problems
	}
	k := koanf.New(".")
	if err := k.Load(rawbytes.Provider(text), kyaml.Parser()); err != nil {
		l.problems = append(l.problems, Problem{Source: name, Message: oneLine(err)})
		return nil
	}
	raw := k.Raw()
	var scratch Config
	d := decoder{}
	d.decode(reflect.ValueOf(&scratch).Elem(), raw, "")
	for _, p := range d.problems {
		p.Source, p.Line = name, lines[p.Key]
		if p.Line == 0 {
			p.Line = lines[strings.SplitN(p.Key, "[", 2)[0]]
		}
		l.problems = append(l.problems, p)
	}
	for key, line := range lines {
		l.origin[key] = Problem{Source: name, Line: line}
	}
	onPaths(raw, func(p string) string { return filepath.Join(filepath.Dir(path), p) })
	if err := l.merged.Load(confmap.Provider(prune(raw), ""), nil); err != nil {
		return fmt.Errorf("merge configuration: %w", err)
	}
	return nil
}

// prune drops empty sections, which would otherwise replace the defaults below
// them.
func prune(m map[string]any) map[string]any {
	for k, v := range m {
		switch x := v.(type) {
		case nil:
			delete(m, k)
		case map[string]any:
			if len(x) == 0 {
				delete(m, k)
			} else {
				prune(x)
			}
		}
	}
	return m
}

func (l *loader) environ(environ []string) error {
	if environ == nil {
		return nil
	}
	names := map[string]string{} // key -> variable
	provider := env.Provider("", env.Opt{
		Prefix:      EnvPrefix,
		EnvironFunc: func() []string { return environ },
		TransformFunc: func(name, value string) (string, any) {
			rest := strings.TrimPrefix(name, EnvPrefix)
			if !strings.Contains(rest, "__") {
				// Not a key: SUFFICE_DATA and the like are read elsewhere. A key
				// written with single underscores is a mistake worth naming.
				if k := underscored(rest); k != "" {
					l.problems = append(l.problems, Problem{Source: name, Key: k,
						Message: "write the variable as " + variable(k)})
				}
				return "", nil
			}
			key := strings.ToLower(strings.ReplaceAll(rest, "__", "."))
			names[key] = name
			return key, value
		},
	})
	flat, err := provider.Read()
	if err != nil {
		return fmt.Errorf("read the environment: %w", err)
	}
	return l.texts(flat, func(key string) string { return names[key] })
}

func (l *loader) flags(flags map[string]string) error {
	flat := map[string]any{}
	for k, v := range flags {
		flat[k] = v
	}
	return l.texts(flat, func(key string) string { return "--set " + key })
}

// texts merges keys whose values are texts, each judged by itself.
func (l *loader) texts(flat map[string]any, source func(key string) string) error {
	for _, key := range sortedKeys(flat) {
		value, from := flat[key].(string), source(key)
		t, ok := leaf(key)
		if !ok {
			d := decoder{}
			if t != nil {
				d.add(key, "a section; set the keys below it one by one")
			} else {
				d.unknown(key, value)
			}
			l.add(from, d.problems)
			continue
		}
		d, v := decoder{text: true}, reflect.New(t).Elem()
		if !d.decode(v, value, key) {
			l.add(from, d.problems)
			continue
		}
		l.origin[key] = Problem{Source: from}
		if err := l.merged.Load(confmap.Provider(map[string]any{key: encode(v)}, "."), nil); err != nil {
			return fmt.Errorf("merge %s: %w", from, err)
		}
	}
	return nil
}

func (l *loader) add(source string, problems []Problem) {
	for _, p := range problems {
		p.Source = source
		l.problems = append(l.problems, p)
	}
}

// variable is the name of the variable that sets a key.
func variable(key string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "__"))
}

// underscored finds the key that a variable means when its dots were written as
// single underscores; "" if none.
func underscored(rest string) string {
	for _, k := range knownKeys() {
		if strings.EqualFold(strings.ReplaceAll(k, ".", "_"), rest) {
			return k
		}
	}
	return ""
}

// oneLine is the message of a YAML error without its prefix and line breaks.
func oneLine(err error) string {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	s = strings.TrimPrefix(s, "unmarshal errors:")
	return strings.Join(strings.Fields(s), " ")
}

// keyLines maps each key path of a YAML text to its line. A text that is not one
// mapping, or holds a key twice, is an error.
func keyLines(text []byte) (map[string]int, error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) { // an empty file sets nothing
			return map[string]int{}, nil
		}
		return nil, errors.New(oneLine(err))
	}
	var more yaml.Node
	if err := d.Decode(&more); err == nil {
		return nil, fmt.Errorf("line %d: a second YAML document; put everything into one", more.Line)
	}
	lines := map[string]int{}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return lines, nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a mapping of keys", doc.Content[0].Line)
	}
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		if n.Kind == yaml.AliasNode || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			full := join(path, n.Content[i].Value)
			lines[full] = n.Content[i].Line
			walk(n.Content[i+1], full)
		}
	}
	walk(doc.Content[0], "")
	return lines, nil
}
