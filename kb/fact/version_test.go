package fact

import "testing"

// TestVersionsOfOneRule: in two versions of one article, the items of its list included,
// another limit is another version; in two documents it is another value.
func TestVersionsOfOneRule(t *testing.T) {
	const before, after = "船坞设立办法（2012）", "船坞设立办法（2020）"
	list := func(share string) string {
		return "第六条 申请设立船坞的企业应当具备下列条件：\n（一）自有资金比例不低于百分之" + share + "；\n（二）有三名以上专职技术人员。"
	}
	e := benchEngine()
	for name, c := range map[string]struct {
		titles [2]string
		texts  [2]string
		want   string
	}{
		"another limit":   {[2]string{before, after}, [2]string{"第七条 船坞的水深不低于六米。", "第七条 船坞的水深不低于八米。"}, "VERSION"},
		"in an item":      {[2]string{before, after}, [2]string{list("三十"), list("二十")}, "VERSION"},
		"the same limit":  {[2]string{before, after}, [2]string{list("三十"), list("三十")}, ""},
		"another article": {[2]string{before, after}, [2]string{"第七条 船坞的水深不低于六米。", "第九条 船坞的水深不低于八米。"}, ""},
		"two documents":   {[2]string{before, "渔港管理条例"}, [2]string{"第七条 船坞的水深不低于六米。", "第七条 船坞的水深不低于八米。"}, "VALUE"},
	} {
		t.Run(name, func(t *testing.T) {
			sources := []Source{{Text: c.texts[0], Title: c.titles[0]}, {Text: c.texts[1], Title: c.titles[1]}}
			got := e.Conflicts(nil, read(e, sources), []Meta{{ID: "a", Title: c.titles[0]}, {ID: "b", Title: c.titles[1]}})
			if len(got) > 1 || (len(got) == 1) != (c.want != "") {
				t.Fatalf("%d conflicts, want %q: %+v", len(got), c.want, got)
			}
			if len(got) == 1 && (got[0].Kind != c.want || !got[0].Hard) {
				t.Errorf("%s, hard %v; want %s, hard", got[0].Kind, got[0].Hard, c.want)
			}
		})
	}
}
