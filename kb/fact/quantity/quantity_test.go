package quantity

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

// form is the short form of a quantity in the tables: raw, value in base units,
// dimension and unit, and what else is set.
func form(q Quantity) string {
	end := func(v *big.Rat) string {
		if v == nil {
			return ""
		}
		return v.RatString()
	}
	var b strings.Builder
	b.WriteString(q.Raw + " = ")
	switch {
	case q.Point():
		b.WriteString(end(q.Lo))
	default:
		l, r := "[", "]"
		if q.LoOpen {
			l = "("
		}
		if q.HiOpen {
			r = ")"
		}
		b.WriteString(l + end(q.Lo) + "," + end(q.Hi) + r)
	}
	if q.Unit.Dim != None {
		b.WriteString(" " + string(q.Unit.Dim))
	}
	if q.Unit.Name != "" && q.Unit.Name != string(q.Unit.Dim) {
		b.WriteString(" " + q.Unit.Name)
	}
	if q.Unit.Per != "" {
		b.WriteString(" /" + q.Unit.Per)
	}
	if q.Noun != "" && q.Noun != q.Unit.Name {
		b.WriteString(" noun:" + q.Noun)
	}
	if q.Approx {
		b.WriteString(" approx")
	}
	if q.Delta > 0 {
		b.WriteString(" up")
	}
	if q.Delta < 0 {
		b.WriteString(" down")
	}
	if q.Discount {
		b.WriteString(" discount")
	}
	if q.Weak {
		b.WriteString(" weak")
	}
	return b.String()
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

func TestFind(t *testing.T) {
	var rows []struct {
		Text string
		Want []string
	}
	load(t, "testdata/find.yaml", &rows)
	for _, row := range rows {
		folded := text.Fold([]rune(row.Text))
		var got []string
		for _, q := range Find(folded) {
			got = append(got, form(q))
			checkSpans(t, folded, q)
		}
		if diff := cmp.Diff(row.Want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.Text, diff)
		}
	}
}

func checkSpans(t *testing.T, folded []rune, q Quantity) {
	t.Helper()
	if q.Start < 0 || q.End > len(folded) || q.Start >= q.End {
		t.Fatalf("span %v outside the text of %d", q.Span, len(folded))
	}
	if q.Raw != string(folded[q.Start:q.End]) {
		t.Fatalf("raw %q is not the text of the span", q.Raw)
	}
	if q.Number.Start < q.Start || q.Number.End > q.End || q.Number.Empty() {
		t.Fatalf("number %v outside %v of %q", q.Number, q.Span, q.Raw)
	}
	if !q.NounSpan.Empty() && q.NounSpan.End > len(folded) {
		t.Fatalf("noun %v outside the text", q.NounSpan)
	}
}

func TestCompare(t *testing.T) {
	var rows []struct {
		A, B, Want string
		Reason     string // a part of the reason; empty = any
	}
	load(t, "testdata/compare.yaml", &rows)
	for _, row := range rows {
		a, b := only(t, row.A), only(t, row.B)
		got, why := Compare(a, b)
		back, _ := Compare(b, a)
		if got.String() != row.Want || !strings.Contains(why, row.Reason) {
			t.Errorf("Compare(%q, %q) = %v (%s), want %s %s", row.A, row.B, got, why, row.Want, row.Reason)
		}
		if back != got {
			t.Errorf("Compare(%q, %q) = %v, but %v the other way", row.A, row.B, got, back)
		}
	}
}

func only(t *testing.T, s string) Quantity {
	t.Helper()
	qs := Find(text.Fold([]rune(s)))
	if len(qs) != 1 {
		t.Fatalf("%q holds %d quantities", s, len(qs))
	}
	return qs[0]
}

func TestCompareWithNouns(t *testing.T) {
	a, b := only(t, "64 rooms"), only(t, "64 bedrooms")
	if r, _ := Compare(a, b); r.String() != "differs" {
		t.Errorf("rooms and bedrooms = %v without a judge", r)
	}
	same := func(x, y string) bool { return x != y && strings.Contains(x+y, "room") }
	if r, _ := CompareWith(a, b, same); r.String() != "same" {
		t.Errorf("rooms and bedrooms = %v with a judge", r)
	}
}

func TestWords(t *testing.T) {
	for _, row := range []struct {
		in   string
		want string
		ok   bool
	}{
		{"8.9亿元", "8.9亿元 = 890000000 money CNY", true},
		{" at least 5 kg. ", "at least 5 kg = [5,] mass kg", true},
		{"5 kg and more text", "", false},
		{"none", "", false},
	} {
		q, ok := Words(row.in)
		if ok != row.ok || ok && form(q) != row.want {
			t.Errorf("Words(%q) = %s, %v", row.in, form(q), ok)
		}
	}
}

func TestDerive(t *testing.T) {
	for _, row := range []struct {
		claim, operands string
		want            string
	}{
		{"90辆", "38辆 52辆", "sum"},
		{"31 rooms", "12 rooms and 9 rooms and 10 rooms", "sum"},
		{"14 million euros", "32 million euros; 18 million euros", "difference"},
		{"25%", "50 tonnes, 200 tonnes", "share"},
		{"增长25%", "400万元，500万元", "growth"},
		{"下降20%", "500万元，400万元", "growth"},
		{"33%", "50 tonnes, 150 tonnes", "share"},
		{"91辆", "38辆 52辆", ""},
		{"90 kg", "38辆 52辆", ""},
		{"增长20%", "500万元，400万元", ""},
	} {
		d, ok := Derive(only(t, row.claim), Find(text.Fold([]rune(row.operands))))
		if ok != (row.want != "") || d.Kind != row.want {
			t.Errorf("Derive(%s from %s) = %+v, %v", row.claim, row.operands, d, ok)
		}
	}
}

func TestRelativeDifference(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want string
		ok   bool
	}{
		{"512 fish", "548 fish", "0.066", true},
		{"25 euros", "40 euros", "0.375", true},
		{"0 kg", "0 kg", "0.000", true},
		{"at least 5 kg", "5 kg", "", false},
	} {
		d, ok := RelativeDifference(only(t, row.a), only(t, row.b))
		if ok != row.ok || ok && fmt.Sprintf("%.3f", d) != row.want {
			t.Errorf("RelativeDifference(%s, %s) = %v, %v", row.a, row.b, d, ok)
		}
	}
}

// Pages are stored with their quantities: both encodings must keep every field.
func TestEncoding(t *testing.T) {
	for _, s := range []string{"约8.9亿元", "at least one third of", "七五折", "20±0.5℃", "64 rooms", "不满三年"} {
		q := only(t, s)
		data, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		var j Quantity
		if err := json.Unmarshal(data, &j); err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		if err := gob.NewEncoder(&buf).Encode(q); err != nil {
			t.Fatal(err)
		}
		var g Quantity
		if err := gob.NewDecoder(&buf).Decode(&g); err != nil {
			t.Fatal(err)
		}
		opt := cmp.Comparer(func(a, b *big.Rat) bool {
			if a == nil || b == nil {
				return a == b
			}
			return a.Cmp(b) == 0
		})
		if diff := cmp.Diff(q, j, opt); diff != "" {
			t.Errorf("%s through JSON (-want +got):\n%s", s, diff)
		}
		if diff := cmp.Diff(q, g, opt); diff != "" {
			t.Errorf("%s through gob (-want +got):\n%s", s, diff)
		}
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{"约8.9亿元", "from 10 to 20 km", "三十四五岁", "9时至17时30分", "one and a half hours", "$5m–$7bn", "1 1/2 ± 3%", "第一百零三条", "每人每天不超过20.5公斤/月", "百分之", "two hundred and", "一一一一一", "3.4.5.6-7", "½½", "quarter to"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := text.Fold([]rune(s))
		last := 0
		for _, q := range Find(folded) {
			checkSpans(t, folded, q)
			if q.Start < last {
				t.Fatalf("%v begins before %d", q.Span, last)
			}
			last = q.End
			if r, _ := Compare(q, q); r.String() != "same" {
				t.Fatalf("%q is not the same as itself", q.Raw)
			}
			_ = q.String()
		}
	})
}

// Work per rune must not grow with the length of hostile runs.
func TestLinear(t *testing.T) {
	for _, unit := range []string{"一", "1", "1,", "1.", "hundred and ", "one ", "a ", "3-", "每", "至少", "½", "三分之", "半", "9:30-", "$", "百", "二三", "a half of an ", "5 to ", "约1", "1/", "a-1-"} {
		folded := text.Fold([]rune(strings.Repeat(unit, 10000)))
		short := text.Fold([]rune(strings.Repeat(unit, 100)))
		n := testing.AllocsPerRun(1, func() { Find(folded) })
		m := testing.AllocsPerRun(1, func() { Find(short) })
		if n > 150*m+1000 {
			t.Errorf("%q: %.0f allocations for %d runes, %.0f for %d", unit, n, len(folded), m, len(short))
		}
	}
}

const zhBench = "本院现有职工1,284人，其中医师412名、护士560名，开放床位约900张。2023年门诊量为86.4万人次，同比增长7.2%，住院患者平均住院日由9.1天缩短至8.3天。" +
	"药品收入占比不超过三成，检查预约应当在两个工作日内完成，急诊患者随到随检。职工食堂为值夜班的人员提供加餐，标准由后勤部门另行制定并公布，各科室不得自行变更。"

const enBench = "The reserve covers about 3,400 hectares and is looked after by nineteen wardens. In the last count they found 212 nesting pairs, 9% more than before; " +
	"at least two thirds of them bred on the northern shore. Visitors pay 6 euros a head and may stay for up to three hours. Dogs must be kept on a lead at all times, and nobody may leave the marked paths without a guide."

func benchmark(b *testing.B, s string) {
	s = strings.Repeat(s, 50)
	folded := text.Fold([]rune(s))
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Find(folded)
	}
}

func BenchmarkFindChinese(b *testing.B) { benchmark(b, zhBench) }
func BenchmarkFindEnglish(b *testing.B) { benchmark(b, enBench) }
