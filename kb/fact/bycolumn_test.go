package fact

import (
	"slices"
	"testing"

	"suffice.dev/suffice/text/lexicon"
)

// TestByColumn: of the columns that could answer a question, those it means, each value once.
func TestByColumn(t *testing.T) {
	const (
		berths  = "| Berth | Low season | High season | Sockets |\n|---|---|---|---|\n| Quay berth | £20 | £31 | 2 |\n| Mole berth | £14 | £22 | 1 |\n\nLow season runs from October to April."
		looms   = "| Loom | Width | Price |\n|---|---|---|\n| Dobby | 90 cm | €700 |\n| Jacquard | 120 cm | €950 |"
		polish  = "| Work | Duration | Price |\n|---|---|---|\n| Blade honing | 40 minutes | £28 |\n| Haft repair | 90 minutes | £45 |"
		saunas  = "| 汗蒸房 | 平日 | 周末 |\n|---|---|---|\n| 石屋 | 60元 | 85元 |\n| 木屋 | 45元 | 70元 |"
		figures = "| Measure | 2022 | 2023 | 2024 |\n|---|---|---|---|\n| Loans | 410 | 395 | 480 |\n| Readers | 95 | 90 | 120 |"
	)
	e := New(Config{Dictionary: lexicon.Default(), Contrasts: lexicon.DefaultContrasts(), Related: lexicon.DefaultRelated()})
	for _, c := range []struct {
		text string
		need Need
		want []string
	}{
		{berths, Need{Question: "How much is a quay berth?", Subject: "quay berth"}, []string{"£20", "£31"}},
		{berths, Need{Question: "How much is a quay berth in high season?", Subject: "quay berth", Given: []string{"high season"}}, []string{"£31"}},
		{berths, Need{Question: "How much is a quay berth in January?", Subject: "quay berth"}, []string{"£20"}},
		{berths, Need{Question: "How much is a quay berth in July?", Subject: "quay berth"}, []string{"£31"}},
		{looms, Need{Question: "How much is a Dobby?", Subject: "Dobby"}, []string{"€700"}},
		{polish, Need{Question: "How much is a blade honing?", Subject: "blade honing"}, []string{"£28"}},
		{saunas, Need{Question: "石屋多少钱？", Subject: "石屋", Unit: "钱"}, []string{"60元", "85元"}},
		{saunas, Need{Question: "石屋周六多少钱？", Subject: "石屋", Unit: "钱"}, []string{"85元"}},
		{figures, Need{Question: "How many loans were there?", Subject: "loans"}, []string{"480"}},
	} {
		c.need.Name, c.need.Class, c.need.Expect = "value", "NUMERIC", "QUANTITY"
		p := e.Read(Source{Text: c.text})
		cov := e.Round([]*Page{p}, []Meta{{}}).Cover(t.Context(), []Need{c.need})[0]
		var got []string
		for _, r := range cov.Fillers {
			got = append(got, p.Quote(r.Value))
		}
		if !slices.Equal(got, c.want) || cov.State != StateFilled {
			t.Errorf("%s: %s by %q, want %q", c.need.Question, cov.State, got, c.want)
		}
	}
}

func TestMonthAsked(t *testing.T) {
	for question, want := range map[string]int{
		"how much is it in december?": 12, "how much may it cost?": 0, "is it open in may?": 5, "11月多少钱？": 11, "十二月多少钱？": 12, "from may to july": 0, "多少钱": 0,
	} {
		if got := monthAsked(question); got != want {
			t.Errorf("monthAsked(%q) = %d, want %d", question, got, want)
		}
	}
}

func TestCellUnit(t *testing.T) {
	for _, c := range []struct{ name, text, title, cell, unit, measure string }{
		{"caption", "Results (in millions of dollars)\n\n| | 2023 | 2024 |\n|---|---|---|\n| Revenue | 4,137 | 4,290 |", "", "4,137", "millions of dollars", ""},
		{"caption zh", "主要数据（单位：万元）\n\n| 项目 | 2023年 | 2024年 |\n|---|---|---|\n| 营业收入 | 4,137 | 4,290 |", "", "4,290", "万元", ""},
		{"corner", "| 项目（万元） | 2023年 | 2024年 |\n|---|---|---|\n| 营业收入 | 4,137 | 4,290 |", "", "4,290", "万元", ""},
		{"title, both headings say when", "| | 2023年 | 2024年 |\n|---|---|---|\n| 三月 | 41 | 42 |", "各月产量（吨）", "41", "吨", "各月产量（吨）"},
		{"caption, both say when", "Rainfall (mm)\n\n| | 2023 | 2024 |\n|---|---|---|\n| Mar | 41 | 42 |", "Station Corrow", "42", "mm", "Rainfall (mm)"},
		{"row", "| | 2023 | 2024 |\n|---|---|---|\n| Rainfall (mm) | 41 | 42 |", "Weather (°C)", "42", "", ""},
		{"column", "| Loom | Width (cm) | Price |\n|---|---|---|\n| Dobby | 90 | €700 |", "Looms (kg)", "90", "cm", ""},
		{"cell", "| Loom | Width | Price |\n|---|---|---|\n| Dobby | 90 cm | €700 |", "Looms (kg)", "90 cm", "", ""},
		{"none", "| Loom | Width | Price |\n|---|---|---|\n| Dobby | 90 | €700 |", "Looms", "90", "", ""},
	} {
		p := New(Config{}).Read(Source{Text: c.text, Title: c.title})
		i := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.Value.Text == c.cell })
		if i < 0 {
			t.Errorf("%s: no fact %s", c.name, c.cell)
			continue
		}
		if unit, measure := p.CellUnit(i, c.title, nil); unit != c.unit || measure != c.measure {
			t.Errorf("%s: unit %q measure %q, want %q %q", c.name, unit, measure, c.unit, c.measure)
		}
	}
}

func TestCellHeadings(t *testing.T) {
	p := New(Config{}).Read(Source{Text: "| Loom | Width (cm) | Price |\n|---|---|---|\n| Dobby | 90 | €700 |\n\nA Dobby weighs 80 kg."})
	got := map[string][2]string{}
	for i := range p.Facts {
		if row, column, ok := p.CellHeadings(i); ok {
			got[p.Facts[i].Value.Text] = [2]string{row, column}
		}
	}
	if len(got) != 2 || got["90"] != [2]string{"Dobby", "Width"} || got["€700"] != [2]string{"Dobby", "Price"} {
		t.Errorf("headings %v", got)
	}
}
