package fact

import (
	"fmt"
	"slices"
	"testing"

	"suffice.dev/suffice/text/lexicon"
)

func TestLastStep(t *testing.T) {
	long := ""
	for i := range 12 {
		long += fmt.Sprintf("%d. Turn the valve of loop %d.\n", i+1, i+1)
	}
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"behind the others", "First, shut the lid. Second, turn the key. The last step is to wait.", []int{1, 2, 3}},
		{"alone", "The last step is to wait.", []int{0}},
		{"beside a real eleventh", long + "\nThe last step is to close the main tap.", []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}},
		{"one that has a number", "1. Shut the lid.\n2. Finally, turn the key.\n", []int{1, 2}},
		{"Chinese", "第一步，关上盖子。第二步，转动钥匙。最后一步是等待。", []int{1, 2, 3}},
	} {
		e := New(Config{})
		p := e.Read(Source{Text: c.text})
		var got []int
		for _, s := range e.sheet(p, "").stepsOn() {
			got = append(got, s.number)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: steps %v, want %v", c.name, got, c.want)
		}
	}
}

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
