package index_test

import (
	"slices"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/retrievaltest"
)

// TestFollow: what the passages of a first retrieval point to or go on with comes after
// the rest, under the filter.
func TestFollow(t *testing.T) {
	x := open(t, t.TempDir())
	synced(t, x, retrievaltest.NewFeed(
		kb.Document{ID: "duty", Title: "值守办法", Text: "# 第三条\n\n夜间值守的补贴标准详见附件二。\n\n# 第四条\n\n轮换按照《船员轮休办法》第八条执行。\n\n# 附件一\n\n值守点名单：北码头、灯塔。\n\n# 附件二\n\n一类地点八十元，二类地点六十元。\n\n# 其他\n\n值守时应当携带：\n\n手电、哨子和对讲机。"},
		kb.Document{ID: "rest", Title: "船员轮休办法", Text: "# 第七条\n\n请假须提前三日。\n\n# 第八条\n\n连续出海满四十日的，休息十日。"},
		kb.Document{ID: "hidden", Title: "Ferry Tariff", Text: "A lorry costs 90 crowns.", Readers: []string{"group:board"}},
		kb.Document{ID: "terms", Title: "Ferry terms", Text: "Prices are set out in Appendix B; see \"Ferry Tariff\".\n\n# Appendix A\n\nPiers and times.\n\n# Appendix B\n\nA bicycle costs 4 crowns."},
	))
	for _, c := range []struct {
		name, follow string
		readers      []string
		want         []string
	}{
		{"an appendix", "duty@1#0", nil, []string{"duty@1#3"}},
		{"an article of another document", "duty@1#1", nil, []string{"rest@1#1"}},
		{"what a colon announces", "duty@1#4", nil, []string{"duty@1#5"}},
		{"only what may be seen", "terms@1#0", nil, []string{"terms@1#2"}},
		{"more for who may see more", "terms@1#0", []string{"group:board"}, []string{"hidden@1#0", "terms@1#2"}},
		{"nothing", "rest@1#0", nil, nil},
		{"gone", "nobody@1#0", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := kb.RetrieveRequest{Analysis: kb.Analysis{Question: "quay"}, TopK: 1, Readers: c.readers, Follow: []string{c.follow}}
			got, err := hybrid(t, x).Retrieve(t.Context(), req)
			if err != nil || len(got.Degraded) > 0 {
				t.Fatal(err, got.Degraded)
			}
			req.Follow = nil
			plain, err := hybrid(t, x).Retrieve(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for i, p := range got.Candidates {
				if p.Rank != i+1 {
					t.Errorf("rank %d at %d", p.Rank, i)
				}
				if !slices.ContainsFunc(plain.Candidates, func(o kb.Candidate) bool { return o.ID == p.ID }) {
					ids = append(ids, p.ID)
				}
			}
			slices.Sort(ids)
			if !slices.Equal(ids, c.want) {
				t.Errorf("followed to %v, want %v", ids, c.want)
			}
		})
	}
}
