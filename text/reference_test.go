package text

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferences(t *testing.T) {
	for s, want := range map[string][]Reference{
		"补贴标准详见附件二。":                                         {{Kind: "appendix", Label: "2"}},
		"超出部分按照本办法第十二条执行。":                                   {{Kind: "article", Label: "12"}},
		"按照《船员轮休办法》第八条处理，见附录A。":                              {{Title: "船员轮休办法", Kind: "article", Label: "8"}, {Kind: "appendix", Label: "A"}},
		"其他情形依照《灯塔值守规程》办理。":                                  {{Title: "灯塔值守规程"}},
		"收费见表3，详见第二章。":                                       {{Kind: "table", Label: "3"}, {Kind: "chapter", Label: "2"}},
		"第八条 值班人员应当签到。":                                      nil,
		"见面会在周五举行，请按时参加。":                                    nil,
		"Rates are set out in Appendix B.":                   {{Kind: "appendix", Label: "B"}},
		"See section 4.2 for towing, and refer to Table 7.":  {{Kind: "section", Label: "4.2"}, {Kind: "table", Label: "7"}},
		"Under Article 9, owners pay; see \"Ferry Tariff\".": {{Kind: "article", Label: "9"}, {Title: "Ferry Tariff"}},
		"Appendix B lists the rates. The section is long.":   nil,
		"We see a part of the harbour.":                      nil,
	} {
		if diff := cmp.Diff(want, References(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s, diff)
		}
	}
}

func TestReferenceNames(t *testing.T) {
	for _, c := range []struct {
		r       Reference
		heading string
		want    bool
	}{
		{Reference{Kind: "appendix", Label: "2"}, "附件二 补贴标准", true},
		{Reference{Kind: "appendix", Label: "2"}, "附件2：补贴标准", true},
		{Reference{Kind: "appendix", Label: "2"}, "附件十二 名单", false},
		{Reference{Kind: "appendix", Label: "B"}, "Appendix B: Rates", true},
		{Reference{Kind: "appendix", Label: "B"}, "Appendix Basics", false},
		{Reference{Kind: "article", Label: "12"}, "第十二条", true},
		{Reference{Kind: "article", Label: "2"}, "第十二条", false},
		{Reference{Kind: "section", Label: "4.2"}, "4.2 Towing", true},
		{Reference{Kind: "section", Label: "4"}, "4.2 Towing", false},
		{Reference{Kind: "chapter", Label: "2"}, "第二章 值守", true},
		{Reference{Title: "附件二"}, "附件二", false},
		{Reference{Kind: "article", Label: "105"}, "第一百零五条 附则", true},
	} {
		if got := c.r.Names(c.heading); got != c.want {
			t.Errorf("%+v names %q: %v", c.r, c.heading, got)
		}
	}
}

func FuzzReferences(f *testing.F) {
	f.Add("按照《船员轮休办法》第八条处理，见附录A。 See section 4.2.")
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range References(s) {
			if r.Kind == "" && r.Title == "" {
				t.Errorf("%q: a reference to nothing", s)
			}
		}
	})
}
