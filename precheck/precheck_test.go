package precheck

import (
	"context"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
)

var asOf = time.Date(2026, 5, 6, 0, 0, 0, 0, time.UTC)

// TestExplain: the explanation names the rule that fired and the features of the model
// that weigh most, with their weights, the greatest first.
func TestExplain(t *testing.T) {
	p := newPrecheck(t)
	for _, tt := range []struct{ q, rule string }{
		{"押金几天退？", "rule "},
		{"How long does the probation last?", "rule "},
		{"打卡机坏了咋整", ""},
	} {
		a, err := p.Analyze(context.Background(), kb.Question{Text: tt.q, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		var model string
		ruled := tt.rule == ""
		for _, d := range a.Decided {
			if strings.HasPrefix(d, "model: ") {
				model = d
			}
			ruled = ruled || strings.HasPrefix(d, tt.rule)
		}
		m := explanation.FindStringSubmatch(model)
		if !ruled || m == nil {
			t.Fatalf("%s: decided by %q, want a rule and the model's features", tt.q, a.Decided)
		}
		last := math.Inf(1)
		for _, w := range weighed.FindAllStringSubmatch(m[1], -1) {
			v, err := strconv.ParseFloat(w[1], 64)
			if err != nil || v > last || v <= 0 {
				t.Errorf("%s: %q: weight %s after %v, want them positive and falling", tt.q, model, w[1], last)
			}
			last = v
		}
		if math.IsInf(last, 1) {
			t.Errorf("%s: no feature in %q", tt.q, model)
		}
	}
}

var (
	explanation = regexp.MustCompile(`^model: [A-Z]+ [01]\.\d\d before [A-Z]+: (.*), embedding [+-]\d+\.\d\d$`)
	weighed     = regexp.MustCompile(`(?:"|phrases) ([+-]\d+\.\d\d)`)
)

func newPrecheck(tb testing.TB) *Precheck {
	tb.Helper()
	p, err := New(Config{})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func load(tb testing.TB, file string, into any) {
	tb.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		tb.Fatal(err)
	}
}

func TestQuestions(t *testing.T) {
	var cases []struct {
		Q     string
		Class kb.Class
		Or    kb.Class
	}
	load(t, "testdata/questions.yaml", &cases)
	if len(cases) < 250 {
		t.Errorf("%d questions, want 250 or more", len(cases))
	}
	p := newPrecheck(t)
	for _, c := range cases {
		a, err := p.Analyze(context.Background(), kb.Question{Text: c.Q, AsOf: asOf})
		if err != nil {
			t.Errorf("%s: %v", c.Q, err)
			continue
		}
		if a.Class != c.Class && (c.Or == "" || a.Class != c.Or) {
			t.Errorf("%s: %s %.2f, want %s; %v", c.Q, a.Class, a.Probability, c.Class, a.Decided)
		}
		if (a.Clarify != nil) != (a.Class == kb.Vague) {
			t.Errorf("%s: class %s with clarify %v", c.Q, a.Class, a.Clarify)
		}
	}
}

func TestSlots(t *testing.T) {
	var cases []struct {
		Q      string
		Given  []string
		Looked []string
		Asked  []struct {
			Name   string
			Expect kb.Expect
			Unit   string
			Count  int
			Of, By string
		}
	}
	load(t, "testdata/slots.yaml", &cases)
	p := newPrecheck(t)
	for _, c := range cases {
		t.Run(c.Q, func(t *testing.T) {
			a, err := p.Analyze(context.Background(), kb.Question{Text: c.Q, AsOf: asOf})
			if err != nil {
				t.Fatal(err)
			}
			given := map[string]string{}
			var asked []kb.Slot
			looked := map[string]bool{}
			for _, s := range a.Slots {
				switch {
				case s.Role == kb.Given:
					given[s.Name] = s.Value
				case s.Required:
					asked = append(asked, s)
				default:
					looked[s.Name] = true
				}
			}
			for _, g := range c.Given {
				name, want, _ := strings.Cut(g, "=")
				if given[name] != want {
					t.Errorf("%s is %q, want %q; given %v", name, given[name], want, given)
				}
			}
			for _, n := range c.Looked {
				if !looked[n] {
					t.Errorf("%s is not looked for", n)
				}
			}
			if len(asked) != len(c.Asked) {
				t.Fatalf("asked %+v, want %d", asked, len(c.Asked))
			}
			for i, w := range c.Asked {
				s := asked[i]
				if s.Name != w.Name || w.Expect != "" && s.Expect != w.Expect || w.Unit != "" && s.Unit != w.Unit || s.Count != w.Count {
					t.Errorf("asked %+v, want %+v", s, w)
				}
				if !strings.Contains(s.Subject, w.Of) || !strings.Contains(s.Attribute, w.By) {
					t.Errorf("asked %s of %q by %q, want %q by %q", s.Name, s.Subject, s.Attribute, w.Of, w.By)
				}
			}
		})
	}
}

func TestFollowUps(t *testing.T) {
	var cases []struct{ Before, Then, Want string }
	load(t, "testdata/followups.yaml", &cases)
	p := newPrecheck(t)
	for _, c := range cases {
		t.Run(c.Then, func(t *testing.T) {
			a, err := p.Analyze(context.Background(), kb.Question{Text: c.Then, AsOf: asOf, History: []kb.Turn{{Question: c.Before}}})
			if err != nil {
				t.Fatal(err)
			}
			if a.Question != c.Want || a.Original != c.Then {
				t.Errorf("completed to %q (original %q), want %q", a.Question, a.Original, c.Want)
			}
			if a.Clarify != nil {
				t.Errorf("asks back: %v", a.Clarify)
			}
		})
	}
	for _, q := range []string{"那上海呢？", "And for contractors?", "what about 2023?"} {
		a, err := p.Analyze(context.Background(), kb.Question{Text: q, AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		if a.Class != kb.Vague || a.Clarify == nil {
			t.Errorf("%s without history: %s, clarify %v; want VAGUE", q, a.Class, a.Clarify)
		}
	}
}

// TestHeldApart keeps the class figures of models/precheck/README.md from falling
// unnoticed; the floor lies under the measured 0.97 and 0.93.
func TestHeldApart(t *testing.T) {
	var held map[string]map[kb.Class][]string
	load(t, "../models/precheck/heldout.yaml", &held)
	p := newPrecheck(t)
	for lang, classes := range held {
		right, n := 0, 0
		for class, questions := range classes {
			for _, q := range questions {
				a, err := p.Analyze(context.Background(), kb.Question{Text: q, AsOf: asOf})
				if err != nil {
					t.Fatal(err)
				}
				n++
				if a.Class == class {
					right++
				}
			}
		}
		if n < 100 || float64(right) < 0.9*float64(n) {
			t.Errorf("%s: %d of %d right, want nine of ten", lang, right, n)
		}
	}
}
