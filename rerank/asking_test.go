package rerank

import (
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
)

func TestAsking(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	engine := fact.New(fact.Config{})
	for name, c := range map[string]struct {
		question, time, from, to string
		text, title              string
		validFrom, validTo       string
		published                string
		filled                   bool
		want                     string
	}{
		"no time": {question: "起步价是多少元？", text: "起步价2元。", want: "起步价是多少元？"},
		"validity settles it": {question: "2020年渡轮的票价是多少元？", time: "2020年", from: "2020-01-01", to: "2020-12-31", text: "渡轮票价2元。", validFrom: "2018-05-01", validTo: "2022-04-30",
			want: "渡轮的票价是多少元？"},
		"in English": {question: "What did a ferry ticket cost in 2024?", time: "2024", from: "2024-01-01", to: "2024-12-31", text: "A ticket costs 9 euros.", validFrom: "2024-01-01",
			want: "What did a ferry ticket cost?"},
		"in front": {question: "In 2024, what did a ticket cost?", time: "2024", from: "2024-01-01", to: "2024-12-31", text: "A ticket costs 9 euros.", validFrom: "2024-01-01",
			want: "what did a ticket cost?"},
		"valid for a part of it": {question: "What did a ticket cost in 2024?", time: "2024", from: "2024-01-01", to: "2024-12-31", text: "A ticket costs 9 euros.", validFrom: "2024-05-01",
			want: "What did a ticket cost in 2024?"},
		"the page speaks of another year": {question: "How many came in 2024?", time: "2024", from: "2024-01-01", to: "2024-12-31", text: "In 2022, 500 came.", validFrom: "2020-01-01",
			want: "How many came in 2024?"},
		"the page has it as asked": {question: "2020年的票价是多少？", time: "2020年", from: "2020-01-01", to: "2020-12-31", text: "2020年票价2元。", validFrom: "2018-05-01",
			want: "2020年的票价是多少？"},
		"relative, and the page has the date": {question: "What did boarding cost last year?", time: "last year", from: "2025-01-01", to: "2025-12-31", text: "Fees for 2025: boarding 6,100 euros.",
			want: "What did boarding cost in 2025?"},
		"relative, in Chinese": {question: "上个月借出多少本？", time: "上个月", from: "2026-02-01", to: "2026-02-28", text: "2026年2月借出300本。",
			want: "2026年2月借出多少本？"},
		"possessive": {question: "What was last year's fee?", time: "last year", from: "2025-01-01", to: "2025-12-31", text: "Fees for 2025: 6,100 euros.",
			want: "What was 2025's fee?"},
		"a fact with its time fills it": {question: "2026年1月，支行受理了多少笔业务？", time: "2026年1月", from: "2026-01-01", to: "2026-01-31", text: "支行上月受理业务8,210笔。", filled: true,
			want: "支行受理了多少笔业务？"},
		"the page names it by its own day": {question: "2026年1月，支行受理了多少笔业务？", time: "2026年1月", from: "2026-01-01", to: "2026-01-31", text: "支行上月受理业务8,210笔。", published: "2026-02-03",
			want: "上月，支行受理了多少笔业务？"},
		"the same in English": {question: "How many people came in October 2025?", time: "October 2025", from: "2025-10-01", to: "2025-10-31", text: "Last month the baths counted 18,340 guests.", published: "2025-11-14",
			want: "How many people came last month?"},
		"another month than the page means": {question: "How many people came in October 2025?", time: "October 2025", from: "2025-10-01", to: "2025-10-31", text: "Last month the baths counted 18,340 guests.", published: "2025-12-14",
			want: "How many people came in October 2025?"},
		"nothing settles it": {question: "2026年1月，支行受理了多少笔业务？", time: "2026年1月", from: "2026-01-01", to: "2026-01-31", text: "支行上月受理业务8,210笔。",
			want: "2026年1月，支行受理了多少笔业务？"},
	} {
		t.Run(name, func(t *testing.T) {
			meta := fact.Meta{Title: c.title}
			if c.validFrom != "" {
				meta.ValidFrom = day(c.validFrom)
			}
			if c.validTo != "" {
				meta.ValidTo = day(c.validTo)
			}
			source := fact.Source{Text: c.text, Title: c.title}
			if c.published != "" {
				source.Published = day(c.published)
			}
			j := &judged{pages: []*fact.Page{engine.Read(source)}, metas: []fact.Meta{meta}, cover: []fact.Coverage{{}}}
			if c.filled {
				j.cover[0].Fillers = []fact.Ref{{Page: 0, Fact: 0}}
			}
			if c.time != "" {
				j.req.Analysis.Time = &kb.TimeRange{Text: c.time, From: day(c.from), To: day(c.to)}
			}
			if got := j.asking(c.question, 0, 0); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
