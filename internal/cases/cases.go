// Package cases reads behaviour cases and holds replies against them. A case is one
// input of the batch contract with assertions about the output:
//
//	PATH OPERATOR [VALUE]
//
// PATH is a.b, a[0], a[any], a[all], a[key=x], a[key~x] (contains), a.length, or @
// for the whole reply. Operators: == != contains, in [a, b], matches /re/, >= <=,
// exists, absent, and "not" before contains, in and matches. Texts are compared
// after NFKC, in lower case, with one space between words and none beside a Chinese
// character. An absent field fulfils no positive operator; a negative one is the
// plain denial of its positive form.
package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
	"gopkg.in/yaml.v3"
)

// Case is one behaviour: an input and what must hold for the output.
type Case struct {
	Name    string           `yaml:"name"`
	Why     string           `yaml:"why"` // the kind of error it catches
	Command string           `yaml:"command"`
	Ingest  []map[string]any `yaml:"ingest"`
	Input   map[string]any   `yaml:"input"` // without id
	Expect  []string         `yaml:"expect"`

	assertions []assertion
}

// Load reads a file of cases. Unknown keys, a name that comes twice and an assertion
// that cannot be read are errors.
func Load(path string) ([]Case, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var list []Case
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	seen := map[string]bool{}
	for i := range list {
		c := &list[i]
		if c.Name == "" || c.Why == "" || c.Command == "" || len(c.Expect) == 0 || seen[c.Name] {
			return nil, fmt.Errorf("%s: case %d %q: name (its own), why, command and expect are needed", path, i+1, c.Name)
		}
		seen[c.Name] = true
		for _, text := range c.Expect {
			a, err := parse(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, c.Name, err)
			}
			c.assertions = append(c.assertions, a)
		}
	}
	return list, nil
}

// Line returns the input as a line of the batch contract, with the case's name as id.
func (c Case) Line() ([]byte, error) {
	line := map[string]any{"id": c.Name}
	for key, value := range c.Input {
		line[key] = value
	}
	return json.Marshal(line)
}

// Check returns a complaint for each assertion that does not hold for the output
// line, and one for an error that no assertion mentions.
func (c Case) Check(output []byte) []string {
	var root map[string]any
	if err := json.Unmarshal(output, &root); err != nil {
		return []string{fmt.Sprintf("the output is not a JSON object: %v", err)}
	}
	delete(root, "id")
	var wrong []string
	expected := slices.ContainsFunc(c.Expect, func(text string) bool { return strings.HasPrefix(text, "error") })
	if failure, ok := root["error"]; ok && !expected {
		wrong = append(wrong, fmt.Sprintf("error: %v", failure))
	}
	for _, a := range c.assertions {
		if ok, seen := a.holds(root); !ok {
			text, _ := json.Marshal(seen)
			wrong = append(wrong, fmt.Sprintf("%s; actual: %.300s", a.text, text))
		}
	}
	return wrong
}

type assertion struct {
	text     string
	steps    []step
	operator string // the positive form
	negative bool
	want     []any // string, float64, bool or *regexp.Regexp; several for in
}

// step is one part of a path: a name, or a selector of list elements.
type step struct {
	name     string
	selector string // "", any, all, index, = or ~
	index    int
	key      string
	value    string
}

var (
	assertionForm = regexp.MustCompile(`^((?:[^\s\[\]]|\[[^\]]*\])+)\s+(exists|absent|==|!=|>=|<=|(?:not )?(?:in|contains|matches))(?:\s+(.+))?$`)
	stepForm      = regexp.MustCompile(`\[([^\]]*)\]|([^.\[\]]+)`)
	selectorForm  = regexp.MustCompile(`^([^=~]+)([=~])(.*)$`)
	numberForm    = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	listForm      = regexp.MustCompile(`"[^"]*"|[^,]+`)
)

var errValue = errors.New("exists and absent take no value, the others one; in takes [a, b], matches /re/")

func parse(text string) (assertion, error) {
	a := assertion{text: text}
	parts := assertionForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return a, fmt.Errorf("cannot read the assertion %q", text)
	}
	a.operator, a.negative = strings.CutPrefix(parts[2], "not ")
	switch a.operator {
	case "!=":
		a.operator, a.negative = "==", true
	case "absent":
		a.operator, a.negative = "exists", true
	}
	value := strings.TrimSpace(parts[3])
	if (value == "") != (a.operator == "exists") {
		return a, fmt.Errorf("%q: %w", text, errValue)
	}
	isList := strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]")
	if isList != (a.operator == "in") {
		return a, fmt.Errorf("%q: %w", text, errValue)
	}
	items := []string{value}
	if isList {
		items = listForm.FindAllString(value[1:len(value)-1], -1)
	}
	for _, item := range items {
		want, err := literal(strings.TrimSpace(item))
		if err != nil {
			return a, fmt.Errorf("%q: %w", text, err)
		}
		if _, ok := want.(*regexp.Regexp); ok != (a.operator == "matches") {
			return a, fmt.Errorf("%q: %w", text, errValue)
		}
		a.want = append(a.want, want)
	}
	if parts[1] == "@" {
		return a, nil
	}
	for _, part := range stepForm.FindAllStringSubmatch(parts[1], -1) {
		s := step{name: part[2]}
		if s.name == "" {
			s.selector = part[1]
			if index, err := strconv.Atoi(part[1]); err == nil {
				s.selector, s.index = "index", index
			} else if pair := selectorForm.FindStringSubmatch(part[1]); pair != nil {
				s.key, s.selector, s.value = pair[1], pair[2], pair[3]
			} else if part[1] != "any" && part[1] != "all" {
				return a, fmt.Errorf("%q: [%s] selects nothing", text, part[1])
			}
		}
		a.steps = append(a.steps, s)
	}
	return a, nil
}

func literal(text string) (any, error) {
	switch {
	case len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"':
		return text[1 : len(text)-1], nil
	case len(text) > 1 && text[0] == '/' && text[len(text)-1] == '/':
		return regexp.Compile("(?i)" + text[1:len(text)-1])
	case text == "true" || text == "false":
		return text == "true", nil
	case numberForm.MatchString(text):
		return strconv.ParseFloat(text, 64)
	}
	return text, nil
}

// holds also returns the values that the path led to.
func (a assertion) holds(root any) (bool, []any) {
	values, every := a.resolve(root)
	hit := every
	for _, v := range values {
		if a.one(v) != every {
			hit = !every
			break
		}
	}
	return hit != a.negative, values
}

// resolve returns all values at the path, and whether every one of them has to hold.
func (a assertion) resolve(root any) (values []any, every bool) {
	values = []any{root}
	for _, s := range a.steps {
		var next []any
		for _, v := range values {
			switch {
			case s.name == "length":
				list, _ := v.([]any)
				next = append(next, float64(len(list)))
			case s.name != "":
				object, _ := v.(map[string]any)
				if field := object[s.name]; field != nil {
					next = append(next, field)
				}
			default:
				list, _ := v.([]any)
				next = append(next, s.pick(list)...)
			}
		}
		every = every || s.selector == "all"
		if s.name == "length" && len(next) == 0 {
			next = []any{0.0}
		}
		values = next
	}
	return values, every
}

func (s step) pick(list []any) []any {
	switch s.selector {
	case "index":
		if s.index < 0 || s.index >= len(list) {
			return nil
		}
		return list[s.index : s.index+1]
	case "any", "all":
		return list
	}
	var out []any
	for _, item := range list {
		object, _ := item.(map[string]any)
		have, want := normalize(object[s.key]), normalize(s.value)
		if s.selector == "=" && have == want || s.selector == "~" && strings.Contains(have, want) {
			out = append(out, item)
		}
	}
	return out
}

// one applies the positive form to one value.
func (a assertion) one(actual any) bool {
	switch a.operator {
	case "exists":
		switch v := actual.(type) {
		case string:
			return v != ""
		case []any:
			return len(v) > 0
		case map[string]any:
			return len(v) > 0
		}
		return true
	case "==", "in":
		return slices.ContainsFunc(a.want, func(want any) bool { return same(actual, want) })
	case "contains":
		return strings.Contains(normalize(actual), normalize(a.want[0]))
	case "matches":
		return a.want[0].(*regexp.Regexp).MatchString(normalize(actual))
	}
	number, isNumber := actual.(float64)
	limit, wantNumber := a.want[0].(float64)
	if isNumber && wantNumber {
		return a.operator == ">=" && number >= limit || a.operator == "<=" && number <= limit
	}
	text, isText := actual.(string)
	bound, wantText := a.want[0].(string)
	return isText && wantText && (a.operator == ">=" && text >= bound || a.operator == "<=" && text <= bound)
}

func same(actual, want any) bool {
	have, ok := actual.(float64)
	number, wantNumber := want.(float64)
	if ok && wantNumber {
		return have-number < 1e-9 && number-have < 1e-9
	}
	return normalize(actual) == normalize(want)
}

var (
	spaces  = regexp.MustCompile(`\s+`)
	besides = regexp.MustCompile(`([\x{3000}-\x{303f}\x{3400}-\x{9fff}]) | ([\x{3000}-\x{303f}\x{3400}-\x{9fff}])`)
)

// normalize writes a value as text that compares well in both languages.
func normalize(value any) string {
	var text string
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		text = v
	case float64:
		text = strconv.FormatFloat(v, 'g', 15, 64)
	default:
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			return ""
		}
		text = strings.TrimSpace(out.String())
	}
	text = spaces.ReplaceAllString(strings.ToLower(norm.NFKC.String(text)), " ")
	return besides.ReplaceAllString(text, "$1$2")
}
