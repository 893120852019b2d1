package fact

import (
	"testing"

	"suffice.dev/suffice/text/lexicon"
)

func TestBareEvent(t *testing.T) {
	for _, c := range []struct {
		question, subject, text string
		want                    bool
	}{
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "The Orrin ferry was cancelled on 3 May.", true},
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "The Orrin ferry has been cancelled since 3 May.", true},
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "The Orrin ferry was cancelled because of the storm.", false},
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "A storm had broken the landing stage.", false},
		{"渡轮为什么停航？", "渡轮", "渡轮5月3日起停航，恢复时间另行通知。", true},
		{"渡轮为什么停航？", "渡轮", "受台风影响，渡轮停航。", false},
		{"渡轮为什么停航？", "渡轮", "码头栈桥断裂，渡轮停航。", false},
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "The Orrin ferry was cancelled: a storm had broken the landing stage.", false},
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "The Orrin ferry was cancelled; a storm had broken the landing stage.", false},
		{"Why was the Orrin ferry cancelled?", "Orrin ferry", "The Orrin ferry was cancelled on 3 May; tickets will be refunded.", true},
		{"渡轮为什么停航？", "渡轮", "渡轮5月3日起停航：码头栈桥断裂。", false},
		{"渡轮为什么停航？", "渡轮", "渡轮5月3日起停航；恢复时间另行通知。", true},
	} {
		e := New(Config{Dictionary: lexicon.Default()})
		p := e.Read(Source{Text: c.text})
		need := Need{Question: c.question, Class: "CAUSE", Subject: c.subject, Expect: "TEXT"}
		r := e.Round([]*Page{p}, make([]Meta, 1))
		if got := r.BareEvent(&need, 0, p.Sentences[0].Span); got != c.want {
			t.Errorf("%q of %q: %v, want %v", c.question, c.text, got, c.want)
		}
	}
}

func TestDeniedHolder(t *testing.T) {
	for _, c := range []struct {
		question, subject, attribute, text string
		want                               State
	}{
		{"To which group does the Orrin ferry belong?", "Orrin ferry", "belong", "The Orrin ferry does not belong to the Tarlow group, though it uses its quay.", StateEmpty},
		{"To which group does the Orrin ferry belong?", "Orrin ferry", "belong", "The Orrin ferry belongs to the Tarlow group.", StateFilled},
		{"渡轮公司隶属于哪个集团？", "渡轮公司", "隶属于", "渡轮公司与航运集团共用码头，但互不隶属。", StateEmpty},
		{"渡轮公司隶属于哪个集团？", "渡轮公司", "隶属于", "渡轮公司隶属于航运集团。", StateFilled},
		{"Who runs the Orrin ferry?", "Orrin ferry", "runs", "The Orrin ferry is not run by the town. The operator of the Orrin ferry is Tarlow Boats.", StateFilled},
		{"渡轮由谁经营？", "渡轮", "经营", "渡轮不由市政府经营。渡轮的经营者是航运集团。", StateFilled},
	} {
		e := New(Config{Dictionary: lexicon.Default()})
		need := Need{Question: c.question, Class: "SUBJECT", Subject: c.subject, Attribute: c.attribute, Expect: "ENTITY"}
		if got := e.Cover([]Need{need}, []*Page{e.Read(Source{Text: c.text})}, make([]Meta, 1))[0]; got.State != c.want {
			t.Errorf("%q of %q: %s, want %s", c.question, c.text, got.State, c.want)
		}
	}
}
