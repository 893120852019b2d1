package app

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/retrieval/retrievaltest"
	"suffice.dev/suffice/services/config"
)

// TestServersMeasured prints what docs/measurements.md says of the servers: ingestion
// and questions by route, beside the embedded forms in the same run, and how far the
// first ten candidates agree on a corpus in which not everything is proposed.
func TestServersMeasured(t *testing.T) {
	if os.Getenv("SUFFICE_MEASURE") == "" {
		t.Skip("SUFFICE_MEASURE is not set: it takes minutes and asserts little")
	}
	flags, _ := onServers(t)
	const asked = 60
	docs := measured(1000)
	forms := []struct {
		name  string
		flags map[string]string
	}{{"embedded", map[string]string{"limits.route": "10s", "limits.deadline": "30s"}}, {"servers", flags}}
	var replies [2][]kb.Retrieved
	for i, form := range forms {
		r := serve(t, Options{Sources: config.Sources{Flags: form.flags}}, "")
		k, err := r.Knowledge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		chunks := 0
		for batch := range slices.Chunk(docs, 200) {
			report, err := k.Put(t.Context(), batch)
			if err != nil {
				t.Fatal(err)
			}
			chunks += report.Chunks
		}
		took := time.Since(start)
		t.Logf("%s: %d chunks put and indexed in %v, %.0f a second", form.name, chunks, took.Round(time.Millisecond), float64(chunks)/took.Seconds())
		for _, only := range [][]kb.Route{{kb.Dense}, {kb.BM25}, {kb.Graph}, nil} {
			var times []time.Duration
			for n := range asked {
				start := time.Now()
				_, got, _, err := r.Pipeline().Retrieve(t.Context(), kb.AskRequest{Question: kb.Question{Text: question(docs[n*23%len(docs)].Text)}, Only: only})
				if err != nil || len(got.Degraded) > 0 {
					t.Fatal(err, got.Degraded)
				}
				times = append(times, time.Since(start))
				replies[i] = append(replies[i], got)
			}
			slices.Sort(times)
			t.Logf("%s %v: p50 %v, p99 %v", form.name, only, times[asked/2].Round(10*time.Microsecond), times[asked*99/100].Round(10*time.Microsecond))
		}
	}
	for at, name := range []string{"dense", "bm25", "graph", "fused"} {
		sum := 0.0
		for n := range asked {
			sum += retrievaltest.Overlap(replies[0][at*asked+n].Candidates, replies[1][at*asked+n].Candidates, retrieval.DefaultTopK)
		}
		share := 100 * sum / asked
		t.Logf("%s: %.1f %% of the first ten are the same", name, share)
		if share < 90 {
			t.Errorf("%s: less than 90 %% of the first ten are the same", name)
		}
	}
}

// question is the middle of a text.
func question(text string) string {
	r := []rune(text)
	return string(r[len(r)/3 : min(len(r), len(r)/3+24)])
}

// measured is n documents of both languages, all different, about the same few things.
func measured(n int) []kb.Document {
	things := []string{"crane", "ferry", "warehouse", "pump", "gate", "berth", "locker", "forklift", "scale", "canteen"}
	dinge := []string{"起重机", "渡轮", "仓库", "水泵", "闸门", "泊位", "储物柜", "叉车", "地磅", "食堂"}
	places := []string{"Tern Island", "Plover Bay", "Heron Quay", "Gannet Point", "Dunlin Reach"}
	orte := []string{"燕屿", "鸻湾", "鹭码头", "塘鹅角", "滨鹬滩"}
	out := make([]kb.Document, n)
	for i := range out {
		t, p := i%len(things), i/len(things)%len(places)
		var b strings.Builder
		if i%2 == 0 {
			fmt.Fprintf(&b, "The %s no. %d of %s is checked every %d days. It costs %d euros a day and carries %d kilograms. ", things[t], i, places[p], i%29+2, i%97+3, i*7+40)
			fmt.Fprintf(&b, "Unit %d keeps the key of the %s; visitors ask at door %d after %d o'clock.", i%53, things[t], i%19, i%12+7)
		} else {
			fmt.Fprintf(&b, "%s的%d号%s每%d天检查一次，每日费用%d元，承重%d公斤。", orte[p], i, dinge[t], i%29+2, i%97+3, i*7+40)
			fmt.Fprintf(&b, "第%d班保管%s的钥匙，访客%d点以后在%d号门询问。", i%53, dinge[t], i%12+7, i%19)
		}
		out[i] = kb.Document{ID: fmt.Sprintf("m%d.md", i), Text: b.String()}
	}
	return out
}
