package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTerms(t *testing.T) {
	for in, want := range map[string]string{
		"The wardens were feeding herons":      "warden feed heron",
		"学费由家长在开学前缴纳":                          "学费 家长 开学 缴纳",
		"个人账户":                                 "个人账户 个人 人账 账户",
		"该行为构成违约":                              "行为 为构 构成 成违 违约", // a run of six has pairs only
		"型号WX-200的价格":                          "型号 wx-200 价格",
		"1,850,000 lambs":                      "1850000 lamb",
		"a 24-hour desk on the 2nd floor":      "24 hour desk 2nd floor",
		"A类账户":                                 "a类 账户",
		"the keeper's boots can't be rinsed’s": "keeper boot rins",
	} {
		var got []string
		for _, x := range Terms(Fold([]rune(in))) {
			got = append(got, x.Text)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in, diff)
		}
	}
}

func TestTermsWithDictionary(t *testing.T) {
	entries := map[string]int32{"手续费": 7, "annual leave": 9}
	match := func(f []rune, at int) (int, int32, bool) {
		for w, id := range entries {
			if r := []rune(w); at+len(r) <= len(f) && string(f[at:at+len(r)]) == w {
				return at + len(r), id, true
			}
		}
		return 0, 0, false
	}
	var got []string
	for _, s := range []string{"转账手续费标准", "days of annual leave"} {
		for _, x := range TermsWith(nil, Fold([]rune(s)), match) {
			w := x.Text
			if x.Concept != 0 {
				w += "!"
			}
			got = append(got, w)
		}
	}
	want := []string{"转账", "手续费!", "标准", "day", "annual leave!", "annual", "leav"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSentences(t *testing.T) {
	for in, want := range map[string][]string{
		"The mast is 14 m. Boats moor here.":           {"The mast is 14 m.", "Boats moor here."},
		"A loan for class A. The rate is 2.5 %.":       {"A loan for class A.", "The rate is 2.5 %."},
		"Written by J. Harrow in 1920. Mr. Oake left.": {"Written by J. Harrow in 1920.", "Mr. Oake left."},
		"周一闭馆。“请勿入内。”谢谢！":                              {"周一闭馆。", "“请勿入内。”", "谢谢！"},
		"- one\n- two": {"- one", "- two"},
	} {
		runes := []rune(in)
		var got []string
		for _, s := range Sentences(runes) {
			got = append(got, string(runes[s.Start:s.End]))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "的", "A类", "x-1/2.3", "a'b’c", "１２３㎡", "\u0000\U0010ffff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		runes := []rune(s)
		folded := Fold(runes)
		last := 0
		for _, x := range TermsWith(runes, folded, nil) {
			if x.Span.Start < 0 || x.Span.End > len(runes) || x.Span.Empty() || x.Text == "" {
				t.Fatalf("term %+v of %d code points", x, len(runes))
			}
			if x.Span.Start < last {
				t.Fatalf("term %+v begins before the one before it (%d)", x, last)
			}
			last = x.Span.Start
		}
	})
}
