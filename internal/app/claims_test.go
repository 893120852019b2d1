package app

import (
	"syscall"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services/config"
)

// BenchmarkVerify judges an answer of five sentences over five passages of one paragraph
// each, the passages read before, with the reader off and on: one that facts decide, and
// one in other words, which the reader is asked about.
func BenchmarkVerify(b *testing.B) {
	req := kb.VerifyRequest{
		Passages: []kb.Passage{
			{ID: "1", Text: "Guests of the Larkin house can check in from 14:00 and check out until 10:30. A later departure is possible on request and costs half the rate of a night. Luggage is kept free of charge at the desk."},
			{ID: "2", Text: "The garage of the Larkin house has 24 places, which cannot be booked. Vans higher than 2.1 m do not fit and are parked in the yard. Two charging posts are available, paid by card."},
			{ID: "3", Text: "Dogs are welcome at the Larkin house and cost 9 euros a night. They are not allowed in the dining room, guide dogs excepted. The desk keeps a list of walks in the valley."},
			{ID: "4", Text: "栎园旅舍共有客房38间，其中家庭房6间。房费含早餐，早餐时间为7时至10时。未满六周岁的儿童与成人同住的，不另收费；加床每晚收费60元。"},
			{ID: "5", Text: "旅舍的洗衣房在地下一层，每次收费15元，22时以后不得使用。自行车可以免费停放，但电动自行车须停在院外的充电棚，充电每小时收费1元。"},
		},
	}
	answers := map[string]string{
		"facts":       "Guests can check in from 14:00. The garage has 24 places [2]. Dogs cost 12 euros a night [3]. 栎园旅舍共有客房38间。洗衣房每次收费15元，22时以后不得使用。",
		"other words": "Suitcases may be left at reception without paying. Whoever comes by a tall van parks outdoors. Pets other than guide dogs stay out while people eat. 早上的一餐不用另付钱。电瓶车不准放进院子里。",
	}
	for _, c := range [][2]string{{"facts", "off"}, {"facts", "auto"}, {"other words", "off"}, {"other words", "auto"}} {
		req.Answer = answers[c[0]]
		b.Run(c[0]+", reader "+c[1], func(b *testing.B) {
			j, err := NewClaimJudge(config.Sources{Flags: map[string]string{"reader.mode": c[1], "reader.budget": "1m"}}, true)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := j.Verify(b.Context(), req); err != nil { // reads the passages
				b.Fatal(err)
			}
			spent := func() time.Duration {
				var u syscall.Rusage
				if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
					b.Fatal(err)
				}
				return time.Duration(u.Utime.Nano() + u.Stime.Nano())
			}
			before := spent()
			for b.Loop() {
				if _, err := j.Verify(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
			// Of the process: wall time lies on a shared machine.
			b.ReportMetric((spent()-before).Seconds()*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}
