package fact

import (
	"testing"

	"suffice.dev/suffice/text/lexicon"
)

func TestStepsOverPages(t *testing.T) {
	const first = "Bleeding the Orrin radiator takes four steps. First, turn the pump off. Second, put a cup under the valve."
	for _, c := range []struct {
		name, second string
		want         State
	}{
		{"the others go on", "Third, open the valve of the Orrin radiator with the key. Fourth, close it as soon as water comes.", StateFilled},
		{"told by their place", "The third step in bleeding the Orrin radiator is to open the valve. The last step is to close it.", StateFilled},
		{"one is nowhere", "The fourth step in bleeding the Orrin radiator is to close the valve.", StateEmpty},
		{"steps of something else", "Third, open the lid of the Corvex boiler. Fourth, close it.", StateEmpty},
		{"nothing else", "The Orrin radiator weighs 24 kg.", StateEmpty},
	} {
		e := New(Config{Dictionary: lexicon.Default()})
		need := Need{Question: "What are the four steps for bleeding the Orrin radiator?", Class: "STEPS", Subject: "Orrin radiator", Attribute: "bleeding", Expect: "LIST", Count: 4}
		pages := []*Page{e.Read(Source{Text: first}), e.Read(Source{Text: c.second})}
		if got := e.Cover([]Need{need}, pages, make([]Meta, 2))[0].State; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
