package rerank

import (
	"slices"
	"testing"

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
