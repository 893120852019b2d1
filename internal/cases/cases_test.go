package cases

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

const reply = `{"id":"x","outcome":"PARTIAL","answer":"费用为 30元 [1]。Ｈｅｌｌｏ World","score":0.5,"ok":true,"empty":[],"none":null,
 "day":"2025-03-01","citations":[{"number":1,"document_id":"a/b.md","start":0},{"number":2,"document_id":"c.md","start":4}]}`

func TestAssertions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want bool
	}{
		{"outcome == PARTIAL", true},
		{"outcome == partial", true},
		{"outcome != PARTIAL", false},
		{"outcome in [ANSWERED, PARTIAL]", true},
		{"outcome not in [ANSWERED, PARTIAL]", false},
		{`answer contains "为30元"`, true},
		{`answer contains "hello world"`, true},
		{`answer not contains "40元"`, true},
		{`answer matches /[0-9]+元/`, true},
		{`answer not matches /^hello/`, true},
		{"score >= 0.5", true},
		{"score <= 0.4", false},
		{"score == 0.5", true},
		{"day >= 2025-02-28", true},
		{"day <= 2025-02-28", false},
		{"ok == true", true},
		{"ok == false", false},
		{"empty absent", true},
		{"none absent", true},
		{"missing absent", true},
		{"missing == x", false},
		{"missing != x", true},
		{"missing.length == 0", true},
		{"citations.length == 2", true},
		{"citations[any].document_id == c.md", true},
		{"citations[all].document_id == c.md", false},
		{"citations[all].number >= 1", true},
		{"citations[any].document_id != d.md", true},
		{"citations[any].document_id != c.md", false},
		{"citations[document_id=c.md].start == 4", true},
		{"citations[document_id~.md].start == 0", true},
		{"citations[1].number == 2", true},
		{"citations[2].number == 3", false},
		{"@ contains a/b.md", true},
		{"@ not contains secret", true},
	}
	for _, test := range tests {
		a, err := parse(test.text)
		if err != nil {
			t.Error(err)
			continue
		}
		var root map[string]any
		if err := json.Unmarshal([]byte(reply), &root); err != nil {
			t.Fatal(err)
		}
		if got, seen := a.holds(root); got != test.want {
			t.Errorf("%s = %v, want %v (values %v)", test.text, got, test.want, seen)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "a is b", "a ==", "a exists b", "a in b", "a == [b, c]", "a matches b", "a == /b/", "a[some].b == c", "a matches /(/"} {
		if a, err := parse(text); err == nil {
			t.Errorf("%q was read as %+v", text, a)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cases.yaml")
	text := "- {name: a, why: w, command: ask, input: {question: q}, expect: [outcome == PARTIAL, score == 1]}\n" +
		"- {name: b, why: w, command: ask, input: {question: q}, expect: [error.field == question]}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	list, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := list[0].Check([]byte(reply)); len(got) != 1 || !strings.Contains(got[0], "score == 1") {
		t.Errorf("complaints %q, want one about the score", got)
	}
	failure := []byte(`{"id":"b","error":{"field":"question"}}`)
	if got := list[0].Check(failure); len(got) != 3 {
		t.Errorf("complaints %q, want the error and both assertions", got)
	}
	if got := list[1].Check(failure); len(got) != 0 {
		t.Errorf("complaints %q, want none: the error is expected", got)
	}
	line, err := list[0].Line()
	if err != nil || string(line) != `{"id":"a","question":"q"}` {
		t.Errorf("Line() = %s, %v", line, err)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"unknown key":  "- {name: a, why: w, command: ask, input: {}, expect: [a == b], extra: 1}",
		"no why":       "- {name: a, command: ask, input: {}, expect: [a == b]}",
		"nothing held": "- {name: a, why: w, command: ask, input: {}}",
		"name twice":   "- &a {name: a, why: w, command: ask, input: {}, expect: [a == b]}\n- *a",
		"no assertion": "- {name: a, why: w, command: ask, input: {}, expect: [nonsense]}",
	}
	for name, text := range tests {
		path := filepath.Join(t.TempDir(), "cases.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if list, err := Load(path); err == nil {
			t.Errorf("%s: read as %+v", name, list)
		}
	}
}

// TestHandbook holds the questions against the documents they are about: the cited
// document exists and contains what the answer must contain, so that a question
// cannot ask for what the folder does not say.
func TestHandbook(t *testing.T) {
	t.Parallel()
	const folder = "../../testdata/handbook"
	list, err := Load("../../testdata/handbook-questions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for _, c := range list {
		var cited string
		for _, a := range c.assertions {
			if strings.HasPrefix(a.text, "citations[any].document_id == ") {
				cited = a.want[0].(string)
			}
			if strings.HasPrefix(a.text, "outcome == ") {
				outcomes[a.want[0].(string)]++
			}
		}
		if cited == "" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(folder, cited))
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		for _, a := range c.assertions {
			if !strings.HasPrefix(a.text, "answer contains ") {
				continue
			}
			if want := a.want[0]; !strings.Contains(normalize(string(data)), normalize(want)) {
				t.Errorf("%s: %s does not contain %v", c.Name, cited, want)
			}
		}
	}
	for _, outcome := range []string{"ANSWERED", "PARTIAL", "CONFLICTING", "INSUFFICIENT", "CLARIFY"} {
		if outcomes[outcome] == 0 {
			t.Errorf("no question with the outcome %s", outcome)
		}
	}
}

// TestHandbookDocuments checks the front matter that the questions rely on.
func TestHandbookDocuments(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../testdata/handbook/*/*.md")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	restricted := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		parts := strings.SplitN(string(data), "---\n", 3)
		if len(parts) != 3 || parts[0] != "" {
			t.Errorf("%s: no front matter", path)
			continue
		}
		var front struct {
			Title       string   `yaml:"title"`
			Source      string   `yaml:"source"`
			Domain      string   `yaml:"domain"`
			Authority   float64  `yaml:"authority"`
			PublishedAt string   `yaml:"published_at"`
			ValidFrom   string   `yaml:"valid_from"`
			ValidTo     string   `yaml:"valid_to"`
			Supersedes  []string `yaml:"supersedes"`
			Readers     []string `yaml:"readers"`
		}
		decoder := yaml.NewDecoder(strings.NewReader(parts[1]))
		decoder.KnownFields(true)
		if err := decoder.Decode(&front); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if front.Title == "" || !strings.HasPrefix(strings.TrimSpace(parts[2]), "# "+front.Title+"\n") {
			t.Errorf("%s: the title %q is not its first heading", path, front.Title)
		}
		if front.ValidTo != "" && front.ValidTo < front.ValidFrom {
			t.Errorf("%s: valid from %s to %s", path, front.ValidFrom, front.ValidTo)
		}
		for _, other := range front.Supersedes {
			id, _, ok := strings.Cut(other, "@")
			if _, err := os.Stat(filepath.Join("../../testdata/handbook", id)); err != nil || !ok {
				t.Errorf("%s supersedes %s: %v", path, other, err)
			}
		}
		if len(front.Readers) > 0 {
			restricted++
		}
	}
	if restricted == 0 {
		t.Error("no document for one group")
	}
}
