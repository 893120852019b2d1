package bm25

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"年假", "年假"},
		{"带薪年假", "带薪 薪年 年假"},
		{"税 率", "税 率"},
		{"Running trainees' leave", "run traine leav"},
		{"The company's policy", "the compani polici"},
		{"QX-20", "qx20 qx 20"},
		{"QX20型", "qx20 qx 20 型"},
		{"user_id", "userid user id"},
		{"state-of-the-art", "state of the art"},
		{"1,200.50 元", "1200.50 元"},
		{"２６．８％", "26.8"},
		{"v1.2.3", "v123 v1 2 3"},
		{"2025-03-01起", "20250301 2025 03 01 起"},
		{"a.", "a"},
		{"第12条第3款", "第 12 条第 3 款"},
	} {
		if diff := cmp.Diff(c.want, strings.Join(Terms(c.text), " ")); diff != "" {
			t.Errorf("Terms(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestQueryTermsDropStopWords(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"What is the notice period of a tenant?", "notic period tenant"},
		{"试用期的补贴是多少？", "试用 用期 补贴 贴是"},
		{"目的是什么", "目的"},
		{"什么是什么", "什么 么是 是什"}, // nothing else is left
	} {
		var got []string
		for _, q := range queryTerms(c.question, nil, 0.4) {
			got = append(got, q.text)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("queryTerms(%q) (-want +got):\n%s", c.question, diff)
		}
	}
	expanded := queryTerms("年假几天", []kb.Expansion{{Term: "annual leave", Weight: 0.5}, {Term: "年假", Weight: 0.9}}, 0.4)
	for _, q := range expanded {
		switch {
		case q.text == "年假" && q.weight != 1:
			t.Errorf("the question's own word weighs %v", q.weight)
		case q.text == "annual" && !(q.weight > 0 && q.weight < 0.5):
			t.Errorf("an expansion weighs %v", q.weight)
		}
	}
}

// The formula by hand: N 3, df 1, lengths 4, 2, 6, average 4.
func TestCoverageIsTextbookBM25(t *testing.T) {
	q := []term{{text: "a", hash: hash("a"), own: true, weight: 1, idf: idf(3, 1)}, {text: "z", hash: hash("z"), own: true, weight: 1, idf: idf(3, 0)}}
	wantIDF := math.Log(1 + 2.5/1.5)
	if got := idf(3, 1); math.Abs(got-wantIDF) > 1e-12 {
		t.Fatalf("idf %v, want %v", got, wantIDF)
	}
	doc := Pack([]string{"a", "b", "a", "c"})
	score := wantIDF * 2 * 2.2 / (2 + 1.2*(1-0.75+0.75*4/4))
	want := score / ((wantIDF + math.Log(1+3.5/0.5)) * 2.2)
	if got := coverage(Default(), q, doc, 4); math.Abs(got-want) > 1e-12 {
		t.Errorf("coverage %v, want %v", got, want)
	}
	if got := coverage(Default(), q, Pack([]string{"b"}), 4); got != 0 {
		t.Errorf("no term in common: %v", got)
	}
	if short, long := coverage(Default(), q, Pack([]string{"a"}), 4), coverage(Default(), q, Pack([]string{"a", "b", "c", "d", "e", "f"}), 4); short <= long {
		t.Errorf("the longer chunk scores %v, the shorter %v", long, short)
	}
	expansions := []term{{text: "a", hash: hash("a"), own: true, weight: 1, idf: 1}}
	var many []string
	for i := range 50 {
		e := fmt.Sprint("e", i)
		expansions = append(expansions, term{text: e, hash: hash(e), weight: 0.4, idf: 5})
		many = append(many, e)
	}
	if got := coverage(Default(), expansions, Pack(many), 50); got > expansionShare+1e-9 || got == 0 {
		t.Errorf("expansions alone reach %v, want at most %v", got, expansionShare)
	}
}

func TestPacked(t *testing.T) {
	p := Pack([]string{"x", "y", "x"})
	if !p.Valid() || p.Len() != 3 || p.count(hash("x")) != 2 || p.count(hash("y")) != 1 || p.count(hash("w")) != 0 {
		t.Errorf("packed %v", p)
	}
	if e := Pack(nil); !e.Valid() || e.Len() != 0 || e.count(1) != 0 {
		t.Errorf("packed nothing: %v", e)
	}
	if Packed([]byte{1, 2}).Valid() {
		t.Error("two bytes are valid")
	}
}

func opened(t testing.TB) *Index {
	t.Helper()
	x, err := Open(filepath.Join(t.TempDir(), "i"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

type store map[string]Packed

func (s store) counts(id string) (Packed, bool) { p, ok := s[id]; return p, ok }

func (s store) put(t testing.TB, x *Index, seq int64, vis retrieval.Visibility, texts map[string]string) {
	t.Helper()
	var chunks []Chunk
	for id, text := range texts {
		terms := Terms(text)
		s[id] = Pack(terms)
		chunks = append(chunks, Chunk{ID: id, Terms: terms, Visibility: vis})
	}
	if err := x.Apply(chunks, nil, seq); err != nil {
		t.Fatal(err)
	}
}

func find(t testing.TB, x *Index, s store, question string, f retrieval.Filter) []retrieval.Hit {
	t.Helper()
	q := retrieval.Query{Text: question, Filter: f, Limit: 10}
	var stats Stats
	for _, p := range s {
		stats.Add(p)
	}
	p := Prepare(Default(), q, &stats)
	hits, err := x.Search(t.Context(), p, f, Needs{Collection: true, Readers: true, Time: true}, 10, s.counts)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		if got := p.Score(s[h.ID]); got != h.Score {
			t.Errorf("%s: Score %v, Search %v", h.ID, got, h.Score)
		}
	}
	return hits
}

func TestFiltersInTheIndexAgreeWithAdmits(t *testing.T) {
	day := func(s string) time.Time {
		d, err := kb.ParseDay(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	x, s := opened(t), store{}
	all := map[string]retrieval.Visibility{
		"open":     {Collection: "default"},
		"board":    {Collection: "default", Readers: []string{"board"}},
		"both":     {Collection: "default", Readers: []string{"board", "*"}},
		"lab":      {Collection: "lab"},
		"2024":     {Collection: "default", ValidFrom: day("2024-01-01"), ValidTo: day("2024-12-31")},
		"from":     {Collection: "default", ValidFrom: day("2025-01-01")},
		"until":    {Collection: "default", ValidTo: day("2023-12-31")},
		"replaced": {Collection: "default", Replaced: true, ReplacedFrom: day("2024-07-01")},
		"gone":     {Collection: "default", Replaced: true},
	}
	seq := int64(0)
	for id, vis := range all {
		seq++
		s.put(t, x, seq, vis, map[string]string{id: "灭火器 extinguisher check"})
	}
	filters := []retrieval.Filter{
		{Collection: "default"},
		{Collection: "default", Readers: []string{"board", "sales"}},
		{Collection: "lab"},
		{Collection: "default", From: day("2024-06-30"), To: day("2024-06-30")},
		{Collection: "default", From: day("2024-07-01"), To: day("2024-07-01")},
		{Collection: "default", From: day("2024-12-31"), To: day("2025-01-01")},
		{Collection: "default", From: day("2024-01-01")},
		{Collection: "default", To: day("2023-06-01")},
		{Collection: "default", From: day("1960-01-01"), To: day("1960-01-02")},
	}
	for _, f := range filters {
		want, got := map[string]bool{}, map[string]bool{}
		for id, vis := range all {
			if f.Admits(vis) {
				want[id] = true
			}
		}
		for _, h := range find(t, x, s, "extinguisher", f) {
			got[h.ID] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("filter %+v (-Admits +index):\n%s", f, diff)
		}
	}
}

func TestScoresCompareAcrossQueries(t *testing.T) {
	x, s := opened(t), store{}
	s.put(t, x, 1, retrieval.Visibility{Collection: "default"}, map[string]string{
		"a": "住宿费每晚上限四百元", "b": "早餐七点半开始供应", "c": "The deposit is returned within two weeks", "d": "Toner is ordered through the desk",
	})
	f := retrieval.Filter{Collection: "default"}
	strong := find(t, x, s, "住宿费每晚上限", f)
	weak := find(t, x, s, "沙漠骆驼商队的早餐历史渊源考证", f)
	if len(strong) == 0 || strong[0].ID != "a" || len(weak) == 0 || weak[0].Score >= strong[0].Score/2 {
		t.Errorf("a full hit %v, a chance hit %v", strong, weak)
	}
	if hits := find(t, x, s, "quantum chromodynamics", f); len(hits) != 0 {
		t.Errorf("nothing in common: %v", hits)
	}
}

func TestApplyDeleteReopen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "i")
	x, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := store{}
	s.put(t, x, 7, retrieval.Visibility{Collection: "default"}, map[string]string{"a": "one pump", "b": "two pumps"})
	if err := x.Apply(nil, []string{"a"}, 8); err != nil {
		t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if x, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	seq, err := x.Seq()
	n, err2 := x.Count()
	if seq != 8 || n != 1 || err != nil || err2 != nil {
		t.Errorf("seq %d, %d chunks, %v, %v; want 8, 1", seq, n, err, err2)
	}
	if hits := find(t, x, s, "pump", retrieval.Filter{Collection: "default"}); len(hits) != 1 || hits[0].ID != "b" {
		t.Errorf("after delete: %v", hits)
	}
	if _, err := Open(dir); !errors.Is(err, kb.ErrUnavailable) {
		t.Errorf("a second open: %v, want ErrUnavailable", err)
	}
	if err := x.Reset(); err != nil {
		t.Fatal(err)
	}
	if n, err := x.Count(); n != 0 || err != nil {
		t.Errorf("after Reset: %d, %v", n, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index_meta.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, retrieval.ErrCorrupt) {
		t.Errorf("damaged: %v, want ErrCorrupt", err)
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{"", "年假10天", "QX-20/a_b.c", "’s'", "\xff-1", "１，２"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, term := range Terms(s) {
			if strings.ContainsAny(term, " \n\t") {
				t.Fatalf("term %q of %q", term, s)
			}
		}
		if p := Pack(Terms(s)); !p.Valid() || p.Len() != len(Terms(s)) {
			t.Fatalf("packed %v of %q", p, s)
		}
	})
}
