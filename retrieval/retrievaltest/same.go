package retrievaltest

import (
	"fmt"
	"math"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
)

// ScoreTolerance is by how much the score of a candidate may differ between two forms
// of the layer over the same documents. Candidates whose scores differ by less may
// stand in another order.
const ScoreTolerance = 1e-6

// Many are the documents of the suite among so many others of both languages that what
// each language has in common is known: from then on the dense route compares across
// languages otherwise than within one.
func Many() []kb.Document {
	out := Documents()
	things := [][2]string{{"crane", "起重机"}, {"ferry", "渡轮"}, {"warehouse", "仓库"}, {"lock gate", "船闸"}, {"forklift", "叉车"}, {"lighthouse", "灯塔"}}
	says := [][2]string{
		{"The %s of Tern Island is inspected by two engineers every spring.", "燕屿的%s每年春季由两名工程师检查。"},
		{"Visitors pay twelve euros to see the %s of Plover Bay.", "参观鸻湾的%s每人十二元。"},
		{"At night the %s of Heron Quay is locked, and the guard keeps the key.", "鹭码头的%s夜间上锁，钥匙由值班员保管。"},
		{"The %s of Gannet Point was built from oak and repaired after the flood.", "塘鹅角的%s用橡木建成，洪水之后修缮过。"},
	}
	for i, thing := range things {
		for k, say := range says {
			out = append(out, kb.Document{ID: fmt.Sprintf("many-en-%d-%d", i, k), Text: fmt.Sprintf(say[0], thing[0])},
				kb.Document{ID: fmt.Sprintf("many-zh-%d-%d", i, k), Text: fmt.Sprintf(say[1], thing[1])})
		}
	}
	return out
}

// Questions are questions to Documents, or to Many, whose replies the forms of the layer
// are compared by: of all kinds of filters, in both languages.
func Questions() []kb.RetrieveRequest {
	var out []kb.RetrieveRequest
	days := []string{"2026-03-01", "2024-06-01", "2025-07-01", "2023-06-01"}
	for i, q := range []string{
		"蓝鲸计划的报名截止到哪一天", "Who maintains the QX-20 pump?", "QX20 的额定压力是多少", "How long is the notice period of a tenant?", "食堂早餐几点开始",
		"董事会奖金池的总额是多少", "出差住宿费每晚上限是多少", "夏季作息几点上班", "Which VPN client is required?", "灭火器每月检查一次由谁负责", "surveys 🙂 emoji",
		"How many pages may I print in colour?", "访客停车多少钱", "the", "公司的规定", "qqqq zzzz",
		"灯塔夜间谁保管钥匙", "Who inspects the lock gate every spring?", "the notice period of a tenant",
	} {
		req := ask(q, days[i%len(days)])
		req.TopK = 50
		switch i % 5 {
		case 0:
			req.Readers = []string{"group:board", "group:sales"}
		case 1:
			if i > 5 { // of what is asked first, most is of no domain
				req.Domains = []string{"law", "engineering"}
			}
		case 3:
			req.Analysis.Time = &kb.TimeRange{Text: "since", From: day("2023-05-01")}
		case 4:
			req.Collection = "lab"
		}
		out = append(out, req)
	}
	return out
}

// Same checks that two forms of the layer give the same replies, route by route and
// fused (by = just so): the same candidates, with scores within ScoreTolerance, in the same order
// but for candidates whose scores lie within it.
func Same(t *testing.T, want, got retrieval.Retriever, by ...[]kb.Route) {
	t.Helper()
	if len(by) == 0 {
		by = routes
	}
	for _, only := range by {
		for _, req := range Questions() {
			req.Only = only
			name := fmt.Sprintf("%q on %s by %v for %v in %q", req.Analysis.Question, kb.FormatDay(req.Analysis.AsOf), only, req.Readers, req.Collection)
			a, err := want.Retrieve(t.Context(), req)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			b, err := got.Retrieve(t.Context(), req)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(a.Degraded)+len(b.Degraded) > 0 {
				t.Fatalf("%s: degraded %v and %v", name, a.Degraded, b.Degraded)
			}
			if d := Difference(a.Candidates, b.Candidates); d != "" {
				t.Errorf("%s: %s", name, d)
			}
		}
	}
}

// Difference says how two lists of candidates differ by more than the tolerance; ""
// if they do not.
func Difference(want, got []kb.Candidate) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d candidates, want %d", len(got), len(want))
	}
	scores := map[string]float64{}
	for _, c := range got {
		scores[c.ID] = c.Score
	}
	for i, c := range want {
		s, ok := scores[c.ID]
		if !ok {
			return fmt.Sprintf("%s is missing, which has %v", c.ID, c.Score)
		}
		if math.Abs(s-c.Score) > ScoreTolerance {
			return fmt.Sprintf("%s has %v, want %v", c.ID, s, c.Score)
		}
		if math.Abs(got[i].Score-c.Score) > ScoreTolerance {
			return fmt.Sprintf("at rank %d stands %s with %v, want %s with %v", i+1, got[i].ID, got[i].Score, c.ID, c.Score)
		}
	}
	return ""
}

// Overlap is the share of the first n candidates of want that are among the first n of
// got; 1 where there are none.
func Overlap(want, got []kb.Candidate, n int) float64 {
	want, got = want[:min(n, len(want))], got[:min(n, len(got))]
	if len(want) == 0 {
		return 1
	}
	there := map[string]bool{}
	for _, c := range got {
		there[c.ID] = true
	}
	shared := 0
	for _, c := range want {
		if there[c.ID] {
			shared++
		}
	}
	return float64(shared) / float64(len(want))
}
