package fact

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

// readCase is a behaviour case of the reader (testdata/read/*.yaml).
type readCase struct {
	Name      string
	Text      string
	Title     string
	Headings  []string
	Kind      string
	Published string
	Want      []readWant
}

// readWant asks for one clause, fact, alias or reference. Absent fields are not
// looked at; "-" asks for an empty one.
type readWant struct {
	Clause     string // begins in or contains these words
	Fact       string // the value as written
	Alias      string // short=full
	Reference  string
	Absent     string // no quantity, time or text fact has this value
	Kind       string
	Role       string
	Topic      string
	Subject    string
	Attribute  string
	Place      string
	Modality   *string
	Quantifier *string
	Denied     *bool
	Negative   *bool
	Hedged     *bool
	Threshold  *bool
	Conditions []string // kind:words of the condition; a leading ! = negated
	Times      []string
	Relation   string   // op:other
	Own        []string // anchor terms that must weigh at least 0.25
	Weak       []string // anchor terms that must be absent or weigh at most 0.25
}

func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/read/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no behaviour cases: %v", err)
	}
	e := New(Config{})
	n := 0
	seen := map[string]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []readCase
		d := yaml.NewDecoder(strings.NewReader(string(data)))
		d.KnownFields(true)
		if err := d.Decode(&cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			n++
			if seen[c.Name] {
				t.Errorf("%s: %s occurs twice", file, c.Name)
			}
			seen[c.Name] = true
			t.Run(c.Name, func(t *testing.T) {
				src := Source{Text: c.Text, Title: c.Title, Headings: c.Headings, Kind: c.Kind}
				if c.Published != "" {
					if src.Published, err = time.Parse("2006-01-02", c.Published); err != nil {
						t.Fatal(err)
					}
				}
				p := e.Read(src)
				checkSpans(t, p)
				if len(c.Want) == 0 {
					t.Fatal("a case without expectations")
				}
				for _, w := range c.Want {
					checkWant(t, p, w)
				}
			})
		}
	}
	if n < 120 {
		t.Errorf("%d behaviour cases, want at least 120", n)
	}
}

func checkWant(t *testing.T, p *Page, w readWant) {
	t.Helper()
	switch {
	case w.Alias != "":
		var got []string
		for _, a := range p.Aliases {
			got = append(got, a.Short+"="+a.Full)
			if got[len(got)-1] == w.Alias {
				return
			}
		}
		t.Errorf("alias %q not found among %q", w.Alias, got)
	case w.Reference != "":
		var got []string
		for _, a := range p.References {
			got = append(got, a.Target)
			if strings.Contains(a.Target, w.Reference) {
				return
			}
		}
		t.Errorf("reference %q not found among %q", w.Reference, got)
	case w.Absent != "":
		for _, f := range p.Facts {
			if f.Value.Kind != BooleanValue && f.Value.Text == w.Absent {
				t.Errorf("fact with value %q is there", w.Absent)
			}
		}
	case w.Clause != "":
		for i := range p.Clauses {
			c := &p.Clauses[i]
			q := p.Quote(c.Span)
			if !strings.Contains(q, w.Clause) {
				continue
			}
			negative := c.Denied != (c.Modality == MustNot)
			compareManner(t, w, "clause "+q, string(c.Modality), string(c.Quantifier), c.Denied, negative, c.Hedged, c.Conditions, timesText(c))
			if w.Topic != "" && !match(w.Topic, c.Topic.Text) {
				t.Errorf("clause %q: topic %q, want %q", q, c.Topic.Text, w.Topic)
			}
			return
		}
		t.Errorf("no clause with %q in %q", w.Clause, clauseTexts(p))
	case w.Fact != "":
		var first string
		for i := range p.Facts {
			f := &p.Facts[i]
			if f.Value.Text != w.Fact || w.Kind != "" && string(f.Value.Kind) != w.Kind || w.Role != "" && string(f.Role) != w.Role || f.Value.Kind == BooleanValue && w.Kind != "boolean" {
				continue
			}
			if first = factProblem(f, w); first == "" {
				compareManner(t, w, "fact "+w.Fact, string(f.Modality), string(f.Quantifier), f.Denied, f.Negative(), f.Hedged, f.Conditions, timesOfFact(f))
				return
			}
		}
		if first == "" {
			first = "there is none; facts: " + strings.Join(factTexts(p), " · ")
		}
		t.Errorf("fact %q: %s", w.Fact, first)
	default:
		t.Error("an expectation about nothing")
	}
}

func match(want, got string) bool {
	if want == "-" {
		return got == ""
	}
	return strings.EqualFold(want, got)
}

// factProblem says in what a fact is not the one that is wanted.
func factProblem(f *Fact, w readWant) string {
	switch {
	case w.Subject != "" && !match(w.Subject, f.Subject.Text):
		return "subject " + f.Subject.Text
	case w.Attribute != "" && !match(w.Attribute, f.Attribute.Text):
		return "attribute " + f.Attribute.Text
	case w.Place != "" && !match(w.Place, f.Place.Text):
		return "place " + f.Place.Text
	case w.Threshold != nil && *w.Threshold != f.Threshold:
		return "threshold"
	}
	if w.Relation != "" {
		got := "none"
		if f.Relation != nil {
			got = f.Relation.Op + ":" + f.Relation.Other.Text
		}
		if got != w.Relation {
			return "relation " + got
		}
	}
	weight := map[string]float64{}
	for _, a := range f.Anchors {
		weight[a.Text] = max(weight[a.Text], a.Weight)
	}
	for _, o := range w.Own {
		if weight[o] < 0.25 {
			return "anchor " + o + " is weak or absent"
		}
	}
	for _, o := range w.Weak {
		if weight[o] > 0.25 {
			return "anchor " + o + " is strong"
		}
	}
	return ""
}

func compareManner(t *testing.T, w readWant, what, modality, quantifier string, denied, negative, hedged bool, conds []Condition, times []string) {
	t.Helper()
	if w.Modality != nil && *w.Modality != modality {
		t.Errorf("%s: modality %q, want %q", what, modality, *w.Modality)
	}
	if w.Quantifier != nil && *w.Quantifier != quantifier {
		t.Errorf("%s: quantifier %q, want %q", what, quantifier, *w.Quantifier)
	}
	if w.Denied != nil && *w.Denied != denied {
		t.Errorf("%s: denied %v", what, denied)
	}
	if w.Negative != nil && *w.Negative != negative {
		t.Errorf("%s: negative %v", what, negative)
	}
	if w.Hedged != nil && *w.Hedged != hedged {
		t.Errorf("%s: hedged %v", what, hedged)
	}
	if w.Conditions != nil {
		got := []string{}
		for _, c := range conds {
			s := string(c.Kind) + ":" + c.Text
			if c.Negated {
				s = "!" + s
			}
			got = append(got, s)
		}
		if diff := cmp.Diff(w.Conditions, got); diff != "" {
			t.Errorf("%s: conditions (-want +got):\n%s", what, diff)
		}
	}
	if w.Times != nil {
		if diff := cmp.Diff(w.Times, times); diff != "" {
			t.Errorf("%s: times (-want +got):\n%s", what, diff)
		}
	}
}

func timesText(c *Clause) []string {
	out := []string{}
	for _, x := range c.Times {
		out = append(out, x.Text)
	}
	return out
}

func timesOfFact(f *Fact) []string {
	out := []string{}
	for _, x := range f.Times {
		out = append(out, x.Text)
	}
	return out
}

func clauseTexts(p *Page) (out []string) {
	for _, c := range p.Clauses {
		out = append(out, p.Quote(c.Span))
	}
	return out
}

func factTexts(p *Page) (out []string) {
	for _, f := range p.Facts {
		out = append(out, string(f.Value.Kind)+"/"+string(f.Role)+":"+f.Value.Text)
	}
	return out
}

// checkSpans verifies that every span lies in the text and quotes what it says, that
// the indexes of the page hold together, and that the page is linear in the text.
func checkSpans(t testing.TB, p *Page) {
	t.Helper()
	inside := func(s text.Span, what string) bool {
		if s.Start < 0 || s.End < s.Start || s.End > len(p.Runes) {
			t.Errorf("%s: span %v outside a text of %d", what, s, len(p.Runes))
			return false
		}
		return true
	}
	part := func(x Part, what string) {
		if inside(x.Span, what) && !x.Span.Empty() && p.Quote(x.Span) != x.Text {
			t.Errorf("%s: span says %q, text %q", what, p.Quote(x.Span), x.Text)
		}
	}
	terms := func(ts []Term, what string) {
		for _, x := range ts {
			inside(x.Span, what)
			if x.Weight < 0 || x.Weight > 1 {
				t.Errorf("%s: weight %v of %s", what, x.Weight, x.Text)
			}
		}
	}
	for i, s := range p.Sentences {
		inside(s.Span, "sentence")
		if s.Clauses[0] > s.Clauses[1] || s.Clauses[1] > len(p.Clauses) {
			t.Errorf("sentence %d: clauses %v of %d", i, s.Clauses, len(p.Clauses))
		}
		if i > 0 && s.Start < p.Sentences[i-1].End {
			t.Errorf("sentence %d overlaps the one before", i)
		}
	}
	for i := range p.Clauses {
		c := &p.Clauses[i]
		inside(c.Span, "clause")
		if c.Sentence < 0 || c.Sentence >= len(p.Sentences) || c.Facts[0] > c.Facts[1] || c.Facts[1] > len(p.Facts) {
			t.Errorf("clause %d: sentence %d, facts %v", i, c.Sentence, c.Facts)
		}
		terms(c.Terms, "clause term")
		terms(c.Context, "context term")
		for _, d := range c.Conditions {
			if inside(d.Span, "condition") && p.Quote(d.Span) != d.Text {
				t.Errorf("condition %q quotes %q", d.Text, p.Quote(d.Span))
			}
			terms(d.Terms, "condition term")
		}
	}
	for i := range p.Facts {
		f := &p.Facts[i]
		if inside(f.Span, "fact") && inside(f.Value.Span, "value") {
			if !f.Span.Contains(f.Value.Span) {
				t.Errorf("fact %d: value %v outside %v", i, f.Value.Span, f.Span)
			}
			if p.Quote(f.Value.Span) != f.Value.Text {
				t.Errorf("fact %d: value %q quotes %q", i, f.Value.Text, p.Quote(f.Value.Span))
			}
		}
		if f.Clause < 0 || f.Clause >= len(p.Clauses) || i < p.Clauses[f.Clause].Facts[0] || i >= p.Clauses[f.Clause].Facts[1] {
			t.Errorf("fact %d is not among those of clause %d", i, f.Clause)
		}
		part(f.Subject, "subject")
		part(f.Place, "place")
		terms(f.Anchors, "anchor")
		if len(f.Anchors) > maxAnchors {
			t.Errorf("fact %d: %d anchors", i, len(f.Anchors))
		}
	}
	if len(p.Facts) > 8+2*len(p.Runes) || len(p.Clauses) > 1+len(p.Runes) {
		t.Errorf("%d facts, %d clauses in %d code points", len(p.Facts), len(p.Clauses), len(p.Runes))
	}
}

func TestPageRoundTrip(t *testing.T) {
	e := New(Config{})
	for _, src := range []Source{
		{},
		{Text: "The Larkspur depot stores 1,200 bikes. It may close if demand falls, except in June.", Title: "Depots 2024"},
		{Text: "凌川图书馆（以下简称“馆方”）周一闭馆。2024年藏书为12.5万册，同比增长3%；借期不超过30天，逾期的，每天收取0.2元。见第五条。"},
		{Text: "| Item | 2023 | 2024 |\n|---|---|---|\n| Sales | 5 | 7 |", Kind: "table"},
	} {
		want := e.Read(src)
		data, err := want.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		got := &Page{Runes: want.Runes}
		if err := got.UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
		again, err := got.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		checkSpans(t, got)
		if len(got.Facts) != len(want.Facts) || len(got.Clauses) != len(want.Clauses) {
			t.Fatalf("%d facts and %d clauses, want %d and %d", len(got.Facts), len(got.Clauses), len(want.Facts), len(want.Clauses))
		}
		for i := range got.Facts {
			g, w := got.Facts[i], want.Facts[i]
			if g.Value.Quantity != nil {
				if g.Value.Quantity.Lo != nil && g.Value.Quantity.Lo.Cmp(w.Value.Quantity.Lo) != 0 {
					t.Errorf("fact %d: %v, want %v", i, g.Value.Quantity.Lo, w.Value.Quantity.Lo)
				}
				g.Value.Quantity, w.Value.Quantity = nil, nil
			}
			for k := range g.Conditions {
				g.Conditions[k].Quantities, w.Conditions[k].Quantities = nil, nil
			}
			for k := range w.Anchors {
				if d := g.Anchors[k].Weight - w.Anchors[k].Weight; d > 0.0021 || d < -0.0021 {
					t.Errorf("fact %d: weight %v, want %v", i, g.Anchors[k].Weight, w.Anchors[k].Weight)
				}
			}
			g.Anchors, w.Anchors = nil, nil
			if diff := cmp.Diff(w, g, cmp.Comparer(sameConditions)); diff != "" {
				t.Errorf("fact %d (-want +got):\n%s", i, diff)
			}
		}
		if !reflect.DeepEqual(got.Aliases, want.Aliases) || !reflect.DeepEqual(got.References, want.References) {
			t.Errorf("aliases %v, references %v; want %v, %v", got.Aliases, got.References, want.Aliases, want.References)
		}
		if len(again) != len(data) {
			t.Errorf("encoded again: %d bytes, first %d", len(again), len(data))
		}
		for cut := 0; cut < len(data); cut += 1 + len(data)/50 {
			if err := new(Page).UnmarshalBinary(data[:cut]); err == nil {
				t.Errorf("%d of %d bytes decode without an error", cut, len(data))
			}
		}
	}
}

// TestYearBefore: the year before in a text about one year is known without an anchor.
func TestYearBefore(t *testing.T) {
	for _, s := range []string{"2024年，船闸过货310万吨；上年为290万吨。", "In 2024 the lock passed 310 barges; last year it passed 290 barges."} {
		p := New(Config{}).Read(Source{Text: s})
		found := false
		for _, f := range p.Facts {
			if f.Value.Kind == QuantityValue && strings.HasPrefix(f.Value.Text, "290") {
				found = true
				if len(f.Times) != 1 || f.Times[0].From.Year() != 2023 || f.Times[0].To.Year() != 2023 {
					t.Errorf("%s: times of 290: %+v", s, f.Times)
				}
			}
		}
		if !found {
			t.Errorf("%s: no fact of 290", s)
		}
	}
}

func sameConditions(a, b []Condition) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || a[i].Text != b[i].Text || a[i].Negated != b[i].Negated || len(a[i].Terms) != len(b[i].Terms) {
			return false
		}
	}
	return true
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"", "a", "除外", "如果，如果，", "|", "|a|b|\n|-|-|\n||1|", "<table><tr><td colspan=99>1<td>2", "a\tb\tc\n1\t2\t3", "（以下简称", "第条 第一步，第步",
		"if, unless, except for 5 and 6 respectively", "不不不不，未未，分别为1、2和3", "X（WHO）与Y (the \"Y\") 位于", "```\ncode", "其中，", "5% 5% 5%, and and and", "因为，所以。but not A but B", "\u00bd\u2028\U0001f600 是指",
	} {
		f.Add(s)
	}
	e := New(Config{})
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 4000 {
			return
		}
		p := e.Read(Source{Text: s, Title: s[:min(len(s), 40)]})
		checkSpans(t, p)
		data, err := p.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		if err := new(Page).UnmarshalBinary(data); err != nil {
			t.Fatal(err)
		}
	})
}

const benchEnglish = `The Larkspur depot was built in 1998 and stores up to 1,200 bicycles on two floors. Members may borrow a bicycle for 24 hours if they have paid the deposit of 40 euros; visitors pay 6 euros a day. Helmets are not provided unless the group has more than ten children. In 2023 the depot lent 18,400 bicycles, 7% more than in 2022. Repairs are carried out by the Ostrander workshop, which lies in the town of Veldhoven. Lost keys must be reported within three days, except on public holidays. `

const benchChinese = `凌川公共图书馆建于1998年，共有阅览座位1,200个，藏书约86万册。持证读者每次可以借阅图书10册，借期不超过30天；逾期不还的，每册每天收取0.2元。未满十六周岁的读者须由监护人陪同办理借书证，残障人士除外。2023年，图书馆接待读者41.5万人次，较上年增长7%。特藏文献由古籍部管理，不得外借，但经馆长批准可以复制。自修室位于主楼三层，法定节假日不开放。`

func BenchmarkReadEnglish(b *testing.B) { benchRead(b, strings.Repeat(benchEnglish, 4)) }

func BenchmarkReadChinese(b *testing.B) { benchRead(b, strings.Repeat(benchChinese, 4)) }

func benchRead(b *testing.B, s string) {
	e := New(Config{})
	b.SetBytes(int64(len(s)))
	cpu(b, func() { e.Read(Source{Text: s, Title: "Handbook 手册"}) })
}

func BenchmarkPageDecode(b *testing.B) {
	data, err := New(Config{}).Read(Source{Text: benchChinese + benchEnglish}).MarshalBinary()
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(benchChinese + benchEnglish)))
	b.ReportMetric(float64(len(data))/float64(len(benchChinese+benchEnglish)), "bytes/byte")
	b.ReportAllocs()
	for b.Loop() {
		if err := new(Page).UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
}
