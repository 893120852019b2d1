package fact

import (
	"fmt"
	"testing"
)

func TestSubstitutions(t *testing.T) {
	e := New(Config{})
	entity := Need{Name: "subject", Class: "SUBJECT", Question: "Who designed the Marrowgate Bridge?", Subject: "Marrowgate Bridge", Attribute: "designed", Expect: "ENTITY"}
	tests := []struct {
		name string
		need Need
		a, b string
		want bool
	}{
		{"another name in a copied list", entity,
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Ludo Ferrand Opened 1911 Length 212 m",
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Pia Holloway Opened 1911 Length 212 m", true},
		{"a detail more is no other value", entity,
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Ludo Ferrand Opened 1911 Length 212 m",
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Ludo Ferrand and sons Opened 1911 Length 212 m", false},
		{"the form of another thing", entity,
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Ludo Ferrand Opened 1911 Length 212 m",
			"Calder Bridge Crosses River Tarn Locale Osterby Designed by Pia Holloway Opened 1911 Length 212 m", false},
		{"the same figure in another unit", Need{Name: "value", Class: "NUMERIC", Question: "How long is the Marrowgate Bridge?", Subject: "Marrowgate Bridge", Attribute: "long", Expect: "QUANTITY"},
			"The Marrowgate Bridge over the River Tarn at Osterby has a length of 1.2 km and was opened to traffic long ago in May.",
			"The Marrowgate Bridge over the River Tarn at Osterby has a length of 1,200 m and was opened to traffic long ago in May.", false},
		{"another year", Need{Name: "value", Class: "NUMERIC", Question: "How many cars crossed the Marrowgate Bridge in 2021?", Subject: "Marrowgate Bridge", Attribute: "cars crossed", Expect: "QUANTITY"},
			"In 2020 cars crossed the Marrowgate Bridge at Osterby about 410,000 times by day and by night.",
			"In 2021 cars crossed the Marrowgate Bridge at Osterby about 530,000 times by day and by night.", false},
		{"a change in what was not asked", entity,
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Ludo Ferrand Opened 1911 Length 212 m",
			"Marrowgate Bridge Crosses River Tarn Locale Osterby Designed by Ludo Ferrand Opened 1931 Length 212 m", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pages := []*Page{e.Read(Source{Text: tt.a}), e.Read(Source{Text: tt.b})}
			views := e.views(pages, nil)
			n := e.prepare(&tt.need, newRarity(views))
			if got := len(newComparer(&Round{engine: e, views: views, st: newRarity(views)}).substitutions(n)) > 0; got != tt.want {
				t.Errorf("conflict %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTwins(t *testing.T) {
	e := New(Config{})
	rule := "第%s条 甲类档案保存三十年，乙类档案保存十年，丙类档案不得外借。"
	pages := []*Page{
		e.Read(Source{Text: fmt.Sprintf(rule, "九"), Title: "档案条例（2012年版）"}),
		e.Read(Source{Text: fmt.Sprintf(rule, "十一"), Title: "档案条例（2021年版）"}),
	}
	if got := e.Conflicts(nil, pages, []Meta{{Title: "档案条例（2012年版）"}, {Title: "档案条例（2021年版）"}}); len(got) != 0 {
		t.Errorf("an unchanged article gives %v", got)
	}
}

// TestTableTimes: the time of a cell is what its stacked headings say together.
func TestTableTimes(t *testing.T) {
	e := New(Config{})
	tests := []struct {
		name, table, cell string
		from, to          string
	}{
		{"year under its end", "|  | Year ended June 30, | Year ended June 30, |\n|---|---|---|\n|  | 2021 | 2020 |\n| Ferry income | 71 | 64 |\n", "71", "2020-07-01", "2021-06-30"},
		{"quarter in the column, year over the rows", "|  | First quarter | Second quarter |\n|---|---|---|\n| 2021 (a) |  |  |\n| Ferry income | 17 | 19 |\n", "19", "2021-04-01", "2021-06-30"},
		{"footnote at the year", "|  | 2021 (b) | 2020 |\n|---|---|---|\n| Ferry income | 71 | 64 |\n", "71", "2021-01-01", "2021-12-31"},
		{"note in the corner of the second heading", "| Harbours | At 31 December | At 31 December |\n|---|---|---|\n| (in millions) | 2021 | 2020 |\n| Piers | 5 | 4 |\n", "5", "2021-12-31", "2021-12-31"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := e.Read(Source{Text: tt.table, Kind: "table"})
			for _, f := range p.Facts {
				if f.Value.Text != tt.cell {
					continue
				}
				if len(f.Times) != 1 || f.Times[0].From.Format("2006-01-02") != tt.from || f.Times[0].To.Format("2006-01-02") != tt.to {
					t.Errorf("times of %s: %v, want %s..%s", tt.cell, f.Times, tt.from, tt.to)
				}
				return
			}
			t.Errorf("no fact for %s", tt.cell)
		})
	}
}
