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
