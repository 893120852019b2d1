package fact

import "testing"

func TestIntroduces(t *testing.T) {
	e := conflictEngine()
	tests := []struct{ name, text, want string }{
		{"kind", "柳湾站是澄州地铁4号线的一座车站，位于云亭区。", "柳湾站"},
		{"number of a kind", "柳湾站是一座车站。", "柳湾站"},
		{"brackets", "澄远航运有限公司（简称澄远航运）成立于1996年。", "澄远航运有限公司"},
		{"other name", "银斑鲻，又称白斑鲻，为鲻科的其中一种。", "银斑鲻"},
		{"book", "《山行记》是温砚青的游记。", "《山行记》"},
		{"after a heading", "# 概述\n\n柳湾站是一座车站。", "柳湾站"},
		{"value", "年假为5天。", ""},
		{"measure", "申请期限是三十天。", ""},
		{"deictic", "本公司是一家软件企业。", ""},
		{"rules of a house", "《员工手册》是公司管理的基本文件。", ""},
		{"case of a rule", "如果申请人是学生，费用减半。", ""},
		{"verb", "该项目应为公开项目。", ""},
		{"English kind", "Lake Tarrow is a freshwater lake in the Hollin hills.", "Lake Tarrow"},
		{"English article and number", "The Trask 40 is a hedge trimmer.", "The Trask 40"},
		{"English policy", "The Leave Policy is a set of rules.", ""},
		{"English deictic", "This is a notice.", ""},
		{"English statement", "Staff get 40 days of leave.", ""},
		{"table", "| Lake | Area |\n|---|---|\n| Tarrow | 42 |", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := e.views([]*Page{e.Read(Source{Text: tt.text})}, nil)[0]
			if got := v.page.Quote(v.introduces()); got != tt.want {
				t.Errorf("introduces %q, want %q", got, tt.want)
			}
		})
	}
}

func TestShortened(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"年假", "带薪年休假", true},
		{"澄远航运", "澄远航运有限公司", true},
		{"细叶岩兰", "阔叶岩兰", false},
		{"Ollerby", "Ollerby Tools", true},
	} {
		if got := shortened(tt.a, tt.b); got != tt.want || got != shortened(tt.b, tt.a) {
			t.Errorf("shortened(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
