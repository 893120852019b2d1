package precheck

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
)

const goodRules = `rules:
- {id: a, class: CAUSE, prio: 90, expect: TEXT, forms: ["^why"]}
prompts:
  zh: {subject: "哪个？", question: "什么？"}
  en: {subject: "Which?", question: "What?"}
`

func TestParseRules(t *testing.T) {
	r, err := ParseRules("own.yaml", []byte(goodRules))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Rules: r, RulesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.Analyze(context.Background(), kb.Question{Text: "Why do kettles whistle?"})
	if err != nil || a.Class != kb.Cause {
		t.Errorf("class %s, error %v; want CAUSE", a.Class, err)
	}
	tests := []struct{ name, old, new, want string }{
		{"unknown key", "prio: 90", "priority: 90", "line 2: field priority not found"},
		{"class", "CAUSE", "CAUSES", `rule a: class "CAUSES" is none of the twelve`},
		{"priority", "prio: 90", "prio: 900", "rule a: prio 900"},
		{"no forms", `["^why"]`, "[]", "rule a: no forms"},
		{"bracket", "^why", "(why|how", "a bracket is not closed"},
		{"bar", "^why", "why|how", `'|' outside brackets`},
		{"anchor in brackets", "^why", "(^why|how)", "inside brackets"},
		{"gap first", "^why", "…why", "nothing to start with"},
		{"empty", "^why", "(|why)", "may be empty as a whole"},
		{"id twice", "prompts:", "- {id: a, class: CAUSE, prio: 1, forms: [x]}\nprompts:", `line 3: rule 2: id "a" is empty or taken`},
		{"prompt", "subject: \"Which?\", ", "", "prompts: no text for en"},
		{"yaml", "rules:", "rules: [", "own.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseRules("own.yaml", []byte(strings.Replace(goodRules, tt.old, tt.new, 1)))
			if !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestLoadRules(t *testing.T) {
	write := func(t *testing.T, text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "own.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const own = `rules:
  - {id: own-tonnage, class: NUMERIC, prio: 99, expect: QUANTITY, forms: ["^tonnage "]}
  - {id: cause-why, class: DEFINITION, prio: 97, expect: TEXT, forms: ["^why on earth "]}
nouns:
  REGION: {en: [moorage]}
expansions:
  classes:
    NUMERIC: {en: [deadweight]}
prompts:
  en: {subject: "Which vessel do you mean?"}
`
	r, err := LoadRules(write(t, own))
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Rules: r, RulesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		q    string
		want kb.Class
	}{
		{"tonnage of the Heron", kb.Numeric},
		{"Where is the Heron?", kb.Region},                 // built in
		{"Why on earth is the Heron blue?", kb.Definition}, // takes the place of a built-in rule
		{"What is the moorage of the Heron?", kb.Region},   // a word of a list
		{"Is the Heron blue or green?", kb.Condition},      // built in
		{"How much does it weigh?", kb.Vague},              // own prompt below
	}
	for _, tt := range tests {
		a, err := p.Analyze(context.Background(), kb.Question{Text: tt.q, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		if a.Class != tt.want {
			t.Errorf("%s: %s, want %s; %v", tt.q, a.Class, tt.want, a.Decided)
		}
		switch {
		case tt.want == kb.Vague && a.Clarify.Prompt != "Which vessel do you mean?":
			t.Errorf("%s: asks back %q", tt.q, a.Clarify.Prompt)
		case tt.want == kb.Numeric && (len(a.Expansions) == 0 || !slices.ContainsFunc(a.Expansions, func(e kb.Expansion) bool { return e.Term == "deadweight" })):
			t.Errorf("%s: expansions %v, want deadweight among them", tt.q, a.Expansions)
		}
	}
	bad := []struct{ name, text, want string }{
		{"class", strings.Replace(own, "NUMERIC, prio", "NUMBER, prio", 1), `own.yaml: line 2: rule own-tonnage: class "NUMBER"`},
		{"form", strings.Replace(own, "^why on", "(why on", 1), "own.yaml: line 3: rule cause-why: form"},
		{"twice", strings.Replace(own, "cause-why", "own-tonnage", 1), `own.yaml: line 3: rule`},
		{"key", strings.Replace(own, "nouns:", "noun:", 1), "own.yaml: yaml: unmarshal errors:\n  line 4: field noun not found"},
		{"noun class", strings.Replace(own, "REGION:", "PLACE:", 1), `own.yaml: line 4: nouns: class "PLACE"`},
	}
	for _, tt := range bad {
		t.Run(tt.name, func(t *testing.T) {
			_, err := LoadRules(write(t, tt.text))
			if !errors.Is(err, ErrRules) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := LoadRules(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestConfig(t *testing.T) {
	if _, err := New(Config{FiscalStart: 13, MaxExpansions: 1000}); err == nil || !strings.Contains(err.Error(), "13") || !strings.Contains(err.Error(), "1000") {
		t.Errorf("error %v, want both problems", err)
	}
}

func TestTime(t *testing.T) {
	tests := []struct {
		q, from, to string
		now         bool
	}{
		{"2024年上半年陶艺课的报名人数是多少？", "2024-01-01", "2024-06-30", false},
		{"上个月卖出多少张月票？", "2026-04-01", "2026-04-30", false},
		{"How many lessons were held last year?", "2025-01-01", "2025-12-31", false},
		{"2022年和2024年的产量分别是多少？", "2022-01-01", "2024-12-31", false},
		{"目前月票多少钱？", "", "", true},
		{"What is the latest fee for the sauna?", "", "", true},
		{"陶艺课多少钱？", "", "", false},
		{"What did the rink earn in the last quarter of 2017?", "2017-10-01", "2017-12-31", false},
		{"How many tickets were sold in the June quarter of 2018?", "2018-04-01", "2018-06-30", false},
		{"What were sales in the 2nd quarter of 2020?", "2020-04-01", "2020-06-30", false},
		{"What were sales in Q2 2020?", "2020-04-01", "2020-06-30", false},
	}
	p := newPrecheck(t)
	for _, tt := range tests {
		a, err := p.Analyze(context.Background(), kb.Question{Text: tt.q, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		from, to := "", ""
		if a.Time != nil {
			from, to = kb.FormatDay(a.Time.From), kb.FormatDay(a.Time.To)
		}
		if from != tt.from || to != tt.to || a.Now != tt.now {
			t.Errorf("%s: %s..%s now %v, want %s..%s now %v", tt.q, from, to, a.Now, tt.from, tt.to, tt.now)
		}
	}
}

func TestExpansions(t *testing.T) {
	tests := []struct{ q, want string }{
		{"员工怎么报销差旅费？", "travel expenses"},
		{"How do staff claim travel expenses?", "差旅费"},
		{"年假有几天？", "年休假"},
		{"What is the notice period?", "period of notice"},
	}
	p := newPrecheck(t)
	for _, tt := range tests {
		a, err := p.Analyze(context.Background(), kb.Question{Text: tt.q, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, e := range a.Expansions {
			found = found || e.Term == tt.want
			if strings.Contains(strings.ToLower(tt.q), e.Term) {
				t.Errorf("%s: expanded by its own word %q", tt.q, e.Term)
			}
		}
		if !found || len(a.Expansions) > defaultExpansions {
			t.Errorf("%s: %v, want %q among at most %d", tt.q, a.Expansions, tt.want, defaultExpansions)
		}
	}
}

func TestRisk(t *testing.T) {
	p := newPrecheck(t)
	for q, want := range map[string]kb.Risk{
		"孕妇每天最多可以服用几片？":                               kb.RiskHigh,
		"What is the penalty for breach of contract?": kb.RiskHigh,
		"谁画了大厅里的壁画？":                                  kb.RiskLow,
	} {
		a, err := p.Analyze(context.Background(), kb.Question{Text: q, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		if a.Risk != want {
			t.Errorf("%s: risk %s, want %s", q, a.Risk, want)
		}
	}
}
