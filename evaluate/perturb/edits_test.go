package perturb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/evaluate/perturb"
	"suffice.dev/suffice/kb/fact"
)

func TestEditsChangeOneThing(t *testing.T) {
	e := fact.New(fact.Config{})
	cases := map[string]map[perturb.Edit]string{
		"柳浦水厂于2014年建成，日供水能力为20公里。": {
			perturb.None:   "柳浦水厂于2014年建成，日供水能力为20公里。",
			perturb.Number: "柳浦水厂于2014年建成，日供水能力为26公里。",
			perturb.Year:   "柳浦水厂于2017年建成，日供水能力为20公里。",
			perturb.Unit:   "柳浦水厂于2014年建成，日供水能力为20米。",
		},
		"Visitors must leave the old mill before dusk.": {
			perturb.None:     "Visitors must leave the old mill before dusk.",
			perturb.Negation: "Visitors must not leave the old mill before dusk.",
			perturb.Modality: "Visitors may leave the old mill before dusk.",
		},
		"The drawings were bought by Ansel Varga in the end.": {
			perturb.None:     "The drawings were bought by Ansel Varga in the end.",
			perturb.Name:     "The drawings were bought by Tomas Hollin in the end.",
			perturb.Negation: "The drawings were not bought by Ansel Varga in the end.",
		},
	}
	for text, want := range cases {
		got := map[perturb.Edit]string{}
		for _, c := range perturb.Of(e.Read(fact.Source{Text: text}), []string{"Tomas Hollin"}) {
			got[c.Edit] = c.Text
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestNamesSkipsSentenceStarts(t *testing.T) {
	got := perturb.Names([]rune("Yesterday Ansel Varga met the mayor. The deed was signed by Tomas Hollin and a clerk."))
	if diff := cmp.Diff([]string{"Tomas Hollin"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
