package precheck

import (
	"context"
	"errors"
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
		{"id twice", "prompts:", "- {id: a, class: CAUSE, prio: 1, forms: [x]}\nprompts:", `rule 2: id "a" is empty or taken`},
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
