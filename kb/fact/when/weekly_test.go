package when

import (
	"testing"

	"suffice.dev/suffice/kb/fact/relation"
)

func TestWeekOf(t *testing.T) {
	for s, want := range map[string]Days{
		"每周一": 1, "周二至周日": 0b1111110, "星期五、六": 0b110000, "周一、周三": 0b101, "周五至周一": 0b1110001, "周末": Weekend, "工作日": Workdays, "平日": Workdays, "每月5日": 0, "节假日": 0,
		"on mondays": 1, "monday to friday": Workdays, "saturday and sunday": Weekend, "weekdays": Workdays, "every weekend": Weekend, "friday-sunday": 0b1110000, "in may 2024": 0, "every other monday": 0,
	} {
		var got Days
		for _, e := range find(s, Options{}) {
			got |= WeekOf(e)
		}
		if got != want {
			t.Errorf("days of %q: %07b, want %07b", s, got, want)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		stated, source string
		want           relation.Relation
	}{
		{"周五", "周三至周日", relation.Same}, {"周二", "周三至周日", relation.Excludes}, {"周二至周四", "周三至周日", relation.Differs}, {"每月5日", "周三", relation.Unknown},
		{"on tuesdays", "monday to friday", relation.Same}, {"weekends", "monday to friday", relation.Excludes},
	} {
		a, b := find(c.stated, Options{}), find(c.source, Options{})
		if len(a) != 1 || len(b) != 1 {
			t.Errorf("%q holds %d and %q %d expressions", c.stated, len(a), c.source, len(b))
			continue
		}
		if got := Within(a[0], b[0]); got != c.want {
			t.Errorf("Within(%q, %q) = %v, want %v", c.stated, c.source, got, c.want)
		}
		if OnDaysOf(a, b) != (c.want == relation.Same) {
			t.Errorf("OnDaysOf(%q, %q) = %v", c.stated, c.source, OnDaysOf(a, b))
		}
	}
}
