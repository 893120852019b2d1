package fact

import (
	"os"
	"path/filepath"
	"testing"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

// judge checks a whole text as one claim against one source.
func judge(e *Engine, source, claim string) Support {
	p := e.Read(Source{Text: source})
	c := e.Read(Source{Text: claim})
	return e.Against([]*Page{p}, []Meta{{}}).Check(Claim{Page: c, Span: text.Span{Start: 0, End: len(c.Runes)}})
}

func TestNearQuotes(t *testing.T) {
	data, err := os.ReadFile("testdata/support/near.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Source, Claim, Want string }
	if err := yaml.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	e := New(Config{})
	for _, c := range cases {
		t.Run(c.Claim, func(t *testing.T) {
			got := judge(e, c.Source, c.Claim)
			if string(got.Verdict) != c.Want {
				t.Errorf("%q over %q: %s (%s), want %s", c.Claim, c.Source, got.Verdict, got.Reason, c.Want)
			}
			if got.Verdict == SupportedClaim && got.Probability < 0.5 || got.Verdict != SupportedClaim && got.Probability > 0.5 {
				t.Errorf("%s with probability %v", got.Verdict, got.Probability)
			}
		})
	}
}

// TestEachPartIsAccountedFor: account.yaml are claims whose words come from two statements,
// unsure.yaml claims that relate them otherwise, applied.yaml claims that work something out,
// beyond.yaml claims that single one out or tell it of another, columns.yaml claims by days of
// the week and by columns of tables, excepted.yaml claims of what a rule excepts, pointing.yaml
// claims that give the name of what a text goes on about as 本馆 or 该设备.
func TestEachPartIsAccountedFor(t *testing.T) {
	for _, file := range []string{"account.yaml", "unsure.yaml", "applied.yaml", "beyond.yaml", "columns.yaml", "excepted.yaml", "pointing.yaml"} {
		data, err := os.ReadFile(filepath.Join("testdata", "support", file))
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct{ Source, Claim, Want string }
		if err := yaml.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		if len(cases) == 0 {
			t.Fatalf("no cases in %s", file)
		}
		e := New(Config{})
		for _, c := range cases {
			t.Run(c.Claim, func(t *testing.T) {
				if got := judge(e, c.Source, c.Claim); string(got.Verdict) != c.Want {
					t.Errorf("%q over %q: %s (%s), want %s", c.Claim, c.Source, got.Verdict, got.Reason, c.Want)
				}
			})
		}
	}
}

func TestNoClaim(t *testing.T) {
	for s, want := range map[string]bool{
		"您好！": true, "还有其他问题吗？": true, "我不知道。": true, "希望以上信息对您有帮助。": true,
		"Feel free to ask me anything else!": true, "I don't know.": true, "Is it open on Sundays?": true,
		"There is a ramp at the door.": false, "The ferry leaves at 9:00.": false, "资料中没有提到的费用为30元。": false,
	} {
		if got := notAClaim(s); got != want {
			t.Errorf("notAClaim(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestAlignNamesWhatDiffers(t *testing.T) {
	e := New(Config{})
	read := func(s string) (*Page, []token) {
		p := e.Read(Source{Text: s})
		return p, tokens(p, text.Span{Start: 0, End: len(p.Runes)})
	}
	pa, a := read("The lock was renewed in 2014.")
	pb, b := read("The old lock was renewed in 2011.")
	n := align(a, b)
	var got [][2]string
	for _, o := range n.ops {
		got = append(got, [2]string{opText(pa, a, o.a0, o.a1), opText(pb, b, o.b0, o.b1)})
	}
	want := [][2]string{{"", "old"}, {"2014", "2011"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("places %q, want %q", got, want)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("渡口的平底船可载客26人，雨天停航。", "平底船可载客62人。")
	f.Add("The kiln, built in 1931, reaches 1,240 degrees if it is dry.", "The kiln reaches 1,300 degrees because of coal.")
	f.Add("| a | b |\n| - | - |\n| 1 | 2 |", "a: 1; b: 3")
	e := New(Config{})
	f.Fuzz(func(t *testing.T, source, claim string) {
		if len(source) > 2000 || len(claim) > 500 {
			t.Skip("long enough")
		}
		got := judge(e, source, claim)
		if got.Probability < 0 || got.Probability > 1 {
			t.Errorf("probability %v", got.Probability)
		}
		n := len([]rune(source))
		for _, r := range got.Evidence {
			if r.Page != 0 || r.Span.Start < 0 || r.Span.End > n || r.Span.Start > r.Span.End {
				t.Errorf("evidence %+v outside the source of %d code points", r, n)
			}
		}
	})
}
