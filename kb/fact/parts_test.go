package fact

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/text/lexicon"
)

// TestParts: each thing that a claim says takes with it what it left to the others of
// its sentence, and what only limits or introduces another stays with it.
func TestParts(t *testing.T) {
	e := New(Config{Dictionary: lexicon.Default()})
	for name, c := range map[string]struct {
		claim string
		want  []string
	}{
		"one thing": {"The Tolm baths have seven pools.", []string{"The Tolm baths have seven pools."}},
		"one subject, three verbs": {"Members may borrow five boats a month, pay 2 euros for each further one, and must not lend them to others.",
			[]string{"Members may borrow five boats a month", "Members pay 2 euros for each further one", "Members must not lend them to others"}},
		"the time goes with each": {"2024年苔原剧院观众为3.2万人，同比增长12%，票房下降至1800万元。",
			[]string{"2024年苔原剧院观众为3.2万人", "2024年，苔原剧院观众同比增长12%", "2024年，票房下降至1800万元"}},
		"the condition goes with each": {"If the tenant leaves early, the deposit is kept by the landlord and the cleaning fee of 80 euros is charged.",
			[]string{"If the tenant leaves early, the deposit is kept by the landlord", "If the tenant leaves early, the cleaning fee of 80 euros is charged"}},
		"an exception stays with its rule": {"如果船员提前离队，押金不予退还，但经书面同意的除外。", []string{"如果船员提前离队，押金不予退还，但经书面同意的除外。"}},
		"unless stays with its rule": {"The slipway is open until 22:00, but children must leave by 20:00, unless a parent is with them.",
			[]string{"The slipway is open until 22:00", "Children must leave by 20:00, unless a parent is with them"}},
		"what is said of a noun stays with it": {"The mill was built in 1911, burned down in 1940 and was rebuilt by the Anselm family, who still own it.",
			[]string{"The mill was built in 1911", "The mill burned down in 1940", "The mill was rebuilt by the Anselm family, who still own it"}},
		"what is said of a subject in passing is not the subject": {"The bridge, which was closed in March, carries 900 cars a day.",
			[]string{"The bridge, which was closed in March", "The bridge carries 900 cars a day"}},
		"attributes": {"该协会成立于1998年，总部设在青岭市，每年举办两次论坛。", []string{"该协会成立于1998年", "总部设在青岭市", "该协会每年举办两次论坛"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := e.Read(Source{Text: c.claim})
			parts := e.Against(nil, nil).Parts(Claim{Page: p, Span: p.Sentences[0].Span})
			var got []string
			for i, part := range parts {
				got = append(got, part.Said)
				if part.Span.Empty() || !p.Sentences[0].Span.Contains(part.Span) || i > 0 && part.Span.Start < parts[i-1].Span.End {
					t.Errorf("part %v of %v is outside of the claim or behind its time", part.Span, parts)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzParts: parts stand in order within their claim, whatever it is.
func FuzzParts(f *testing.F) {
	for _, s := range []string{"甲，乙，丙。", "If a, b and c, which d, e.", "，，，", "x"} {
		f.Add(s)
	}
	e := New(Config{Dictionary: lexicon.Default()})
	f.Fuzz(func(t *testing.T, s string) {
		p := e.Read(Source{Text: s})
		for _, sentence := range p.Sentences {
			at := sentence.Start
			parts := e.Against(nil, nil).Parts(Claim{Page: p, Span: sentence.Span})
			if len(parts) == 0 || slices.ContainsFunc(parts, func(c ClaimPart) bool { return c.Said == "" && !c.Span.Empty() }) {
				t.Fatalf("%q: parts %v", s, parts)
			}
			for _, part := range parts {
				if part.Span.Start < at || part.Span.End > sentence.End {
					t.Fatalf("%q: part %v is not in its place", s, part.Span)
				}
				at = part.Span.End
			}
		}
	})
}
