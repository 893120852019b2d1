package when

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

var anchor = time.Date(2026, 6, 18, 0, 0, 0, 0, time.UTC) // a Thursday

// form is the short form of an expression in the tables.
func form(e Expr) string {
	day := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.DateOnly)
	}
	s := e.Text + " = " + string(e.Kind)
	if !e.From.IsZero() || !e.To.IsZero() {
		s += " " + day(e.From) + ".." + day(e.To)
	}
	if e.Grain != "" {
		s += " " + e.Grain
	}
	if e.Calendar != "" {
		s += " " + e.Calendar
	}
	return s
}

func load(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(into); err != nil {
		t.Fatal(err)
	}
}

func find(s string, opt Options) []Expr { return Find(text.Fold([]rune(s)), opt) }

func TestFind(t *testing.T) {
	var rows []struct {
		Text string
		Want []string
	}
	load(t, "testdata/find.yaml", &rows)
	for _, row := range rows {
		var got []string
		for _, e := range find(row.Text, Options{Anchor: anchor}) {
			got = append(got, form(e))
		}
		if diff := cmp.Diff(row.Want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Text, diff)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, row := range []struct {
		text string
		opt  Options
		want string
	}{
		{"上月", Options{}, "上月 = relative month"},
		{"9月1日", Options{}, "9月1日 = date day"},
		{"2024年营业额上升，9月1日起调价", Options{}, "9月1日起 = since 2024-09-01.. day"},
		{"last month", Options{Anchor: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}, "last month = relative 2025-12-01..2025-12-31 month"},
		{"昨天", Options{Anchor: time.Date(2024, 3, 1, 9, 30, 0, 0, time.UTC)}, "昨天 = relative 2024-02-29..2024-02-29 day"},
		{"FY2023", Options{FiscalStart: time.April}, "fy2023 = fiscal 2022-04-01..2023-03-31 year fiscal"},
		{"FY2023", Options{FiscalStart: time.January}, "fy2023 = fiscal 2023-01-01..2023-12-31 year"},
		{"Q1 FY2023", Options{FiscalStart: time.July}, "q1 fy2023 = fiscal 2022-07-01..2022-09-30 quarter fiscal"},
		{"上季度", Options{Anchor: time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)}, "上季度 = relative 2025-10-01..2025-12-31 quarter"},
	} {
		got := find(row.text, row.opt)
		if len(got) == 0 || form(got[len(got)-1]) != row.want {
			t.Errorf("%s: got %v, want %s", row.text, got, row.want)
		}
	}
}

func TestCompare(t *testing.T) {
	var rows []struct{ A, B, Want string }
	load(t, "testdata/compare.yaml", &rows)
	for _, row := range rows {
		a, b := find(row.A, Options{Anchor: anchor}), find(row.B, Options{Anchor: anchor})
		if len(a) != 1 || len(b) != 1 {
			t.Errorf("%q holds %d and %q %d expressions", row.A, len(a), row.B, len(b))
			continue
		}
		got, why := Compare(a[0], b[0])
		back, _ := Compare(b[0], a[0])
		if got.String() != row.Want || back != got {
			t.Errorf("Compare(%q, %q) = %v (%s), the other way %v, want %s", row.A, row.B, got, why, back, row.Want)
		}
	}
}

func TestScope(t *testing.T) {
	var rows []struct{ A, B, Want string }
	load(t, "testdata/scope.yaml", &rows)
	for _, row := range rows {
		got := Scope(find(row.A, Options{Anchor: anchor}), find(row.B, Options{Anchor: anchor}))
		if got.String() != row.Want {
			t.Errorf("Scope(%q, %q) = %v, want %s", row.A, row.B, got, row.Want)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"自2025年3月1日起至5月31日止", "from May to July 2024", "Q1 FY23-24", "2024/25 school year", "三年前的上半年", "31 February 2025", "每年2月30日", "last 9999 years",
		"year ended 30 June 0000", "20世纪100年代", "周一至周", "2025-13-45", "1-6月", "截至截至2024", "fy", "the the 1st of", "99世纪"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := text.Fold([]rune(s))
		for _, opt := range []Options{{}, {Anchor: anchor, FiscalStart: time.April}} {
			last := 0
			for _, e := range Find(folded, opt) {
				if e.Start < last || e.End > len(folded) || e.Start >= e.End {
					t.Fatalf("span %v after %d in a text of %d", e.Span, last, len(folded))
				}
				last = e.End
				if e.Text != string(folded[e.Start:e.End]) {
					t.Fatalf("text %q is not that of its span", e.Text)
				}
				if !e.From.IsZero() && !e.To.IsZero() && e.To.Before(e.From) {
					t.Fatalf("%q ends before it begins: %v %v", e.Text, e.From, e.To)
				}
				Compare(e, e)
			}
		}
	})
}

// Work per rune must not grow with the length of hostile runs.
func TestLinear(t *testing.T) {
	for _, unit := range []string{"一", "2", "2024", "2024年", "2024-", "上", "每", "last ", "from ", "q1 ", "周一至", "the ", "a year ", "first half of ", "自", "年", "1月", "may ", "12月至", "第一季度"} {
		long, short := text.Fold([]rune(strings.Repeat(unit, 20000))), text.Fold([]rune(strings.Repeat(unit, 200)))
		n := testing.AllocsPerRun(1, func() { Find(long, Options{Anchor: anchor}) })
		m := testing.AllocsPerRun(1, func() { Find(short, Options{Anchor: anchor}) })
		if n > 150*m+1000 {
			t.Errorf("%q: %.0f allocations for %d runes, %.0f for %d", unit, n, len(long), m, len(short))
		}
	}
}

const zhBench = "本院现有职工1,284人，其中医师412名、护士560名，开放床位约900张。2023年门诊量为86.4万人次，同比增长7.2%，住院患者平均住院日由9.1天缩短至8.3天。" +
	"自2024年7月1日起，药品收入占比不超过三成，检查预约应当在两个工作日内完成，急诊患者随到随检。职工食堂为值夜班的人员提供加餐，标准由后勤部门另行制定并公布，各科室不得自行变更。"

const enBench = "The reserve covers about 3,400 hectares and is looked after by nineteen wardens. In the last count in May 2024 they found 212 nesting pairs, 9% more than before; " +
	"at least two thirds of them bred on the northern shore. Visitors pay 6 euros a head and may stay for up to three hours. Dogs must be kept on a lead at all times, and nobody may leave the marked paths without a guide."

func benchmark(b *testing.B, s string) {
	s = strings.Repeat(s, 50)
	folded := text.Fold([]rune(s))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Find(folded, Options{Anchor: anchor})
	}
}

func BenchmarkFindChinese(b *testing.B) { benchmark(b, zhBench) }
func BenchmarkFindEnglish(b *testing.B) { benchmark(b, enBench) }
