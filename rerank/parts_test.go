package rerank

import (
	"slices"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
)

func TestPartsOf(t *testing.T) {
	for _, c := range []struct {
		name     string
		question string
		needs    []fact.Need
		want     []string
	}{
		{
			"one clause each", "船票多少钱，在哪里退？",
			[]fact.Need{{Subject: "船票"}, {Subject: "船票", Attribute: "退"}},
			[]string{"船票多少钱？", "船票在哪里退？"},
		},
		{
			"a situation goes with both", "I moved out in May, how much of the bond do I get and who pays it?",
			[]fact.Need{{Subject: "bond", Attribute: "get"}, {Subject: "bond", Attribute: "pays"}},
			[]string{"I moved out in May, how much of the bond do I get?", "bond: I moved out in May, who pays it?"},
		},
		{
			"one clause asks both", "Who signs and pays for the slip?",
			[]fact.Need{{Attribute: "slip"}, {Attribute: "slip"}},
			nil,
		},
		{
			"no clause of its own", "堤坝的高度和宽度各是多少？",
			[]fact.Need{{Subject: "堤坝", Attribute: "高度"}, {Subject: "堤坝", Attribute: "宽度"}},
			nil,
		},
	} {
		if got := partsOf(c.question, c.needs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSideQuestions(t *testing.T) {
	side := func(question, value, name string) kb.Slot {
		at := len([]rune(question[:strings.Index(question, value)]))
		return kb.Slot{Role: kb.Given, Name: name, Value: value, Start: at, End: at + len([]rune(value))}
	}
	for _, c := range []struct {
		name, question string
		class          kb.Class
		first, second  string
		subjects       [2]string
		want           []string
	}{
		{
			"two places", "How many visitors from Ambry and from Corl came in 2024?", kb.Numeric, "Ambry", "Corl", [2]string{"Ambry", "Corl"},
			[]string{"How many visitors from Ambry came in 2024?", "How many visitors from Corl came in 2024?"},
		},
		{
			"a common head", "渡口的东栈和西栈各收多少泊位费？", kb.Numeric, "东栈", "西栈", [2]string{"渡口 东栈", "渡口 西栈"},
			[]string{"渡口的东栈收多少泊位费？", "渡口的西栈收多少泊位费？"},
		},
		{
			"each for itself", "东栈和西栈对迟到的处理分别是什么？", kb.Definition, "东栈", "西栈", [2]string{"东栈", "西栈"},
			[]string{"东栈对迟到的处理是什么？", "西栈对迟到的处理是什么？"},
		},
		{"a ranking has no question of its own for each", "Which is longer, Ambry or Corl?", kb.Comparison, "Ambry", "Corl", [2]string{"Ambry", "Corl"}, nil},
		{"not beside each other", "What does Ambry charge, and how much is Corl?", kb.Numeric, "Ambry", "Corl", [2]string{"Ambry", "Corl"}, nil},
	} {
		a := kb.Analysis{Question: c.question, Class: c.class, Slots: []kb.Slot{side(c.question, c.first, "subject_1"), side(c.question, c.second, "subject_2")}}
		needs := []fact.Need{{Subject: c.subjects[0], Others: c.subjects[1:]}, {Subject: c.subjects[1], Others: c.subjects[:1]}}
		if got := sideQuestions(a, needs); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
