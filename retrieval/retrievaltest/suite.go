package retrievaltest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/text"
)

// Open returns a retriever over the documents, put in their order. It registers
// what is to be closed with t.Cleanup.
type Open func(t *testing.T, docs []kb.Document) retrieval.Retriever

// Run checks what every form of the retrieval layer must do, in process or remote,
// whatever stands behind its routes.
func Run(t *testing.T, open Open) {
	docs := Documents()
	r := open(t, docs)
	s := suite{r: r, docs: docs}
	t.Run("finds", s.finds)
	t.Run("readers", s.readers)
	t.Run("period", s.period)
	t.Run("outside", s.outside)
	t.Run("collection", s.collection)
	t.Run("domain", s.domain)
	t.Run("passages", s.passages)
	t.Run("order", s.order)
	t.Run("duplicates", s.duplicates)
	t.Run("routes and weights", s.weights)
	t.Run("invalid", s.invalid)
	t.Run("context", s.context)
	t.Run("nothing there", func(t *testing.T) {
		got, err := open(t, nil).Retrieve(t.Context(), ask("年假有几天", "2026-03-01"))
		if err != nil || len(got.Candidates) != 0 {
			t.Errorf("empty index: %v, %v; want no candidates and no error", got.Candidates, err)
		}
	})
}

type suite struct {
	r    retrieval.Retriever
	docs []kb.Document
}

func day(s string) time.Time {
	d, err := kb.ParseDay(s)
	if err != nil {
		panic(err) // a literal of this package
	}
	return d
}

// ask is a request as the pipeline makes it of a question without slots.
func ask(question, asOf string) kb.RetrieveRequest {
	return kb.RetrieveRequest{Analysis: kb.Analysis{Question: question, Original: question, AsOf: day(asOf), Language: "zh"}}
}

func (s suite) retrieve(t *testing.T, req kb.RetrieveRequest) kb.Retrieved {
	t.Helper()
	got, err := s.r.Retrieve(t.Context(), req)
	if err != nil {
		t.Fatalf("Retrieve(%q): %v", req.Analysis.Question, err)
	}
	if len(got.Degraded) > 0 {
		t.Fatalf("Retrieve(%q) is degraded: %v", req.Analysis.Question, got.Degraded)
	}
	return got
}

func versions(got kb.Retrieved) []string {
	var out []string
	for _, c := range got.Candidates {
		if key := fmt.Sprintf("%s@%d", c.DocumentID, c.Version); !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

func (s suite) finds(t *testing.T) {
	for _, c := range []struct{ question, want string }{
		{"蓝鲸计划的报名截止到哪一天", "blue-whale@1"},
		{"Who maintains the QX-20 pump?", "pump@1"},
		{"QX20 的额定压力是多少", "pump@1"},
		{"How long is the notice period of a tenant?", "lease@1"},
		{"食堂早餐几点开始", "canteen@1"},
	} {
		for _, only := range [][]kb.Route{nil, {kb.Dense}, {kb.BM25}, {kb.Graph}} {
			req := ask(c.question, "2026-03-01")
			req.Only = only
			got := s.retrieve(t, req)
			if v := versions(got); !slices.Contains(v[:min(3, len(v))], c.want) {
				t.Errorf("%q by %v: %v, want %s among the first 3", c.question, only, v, c.want)
			}
		}
		if v := versions(s.retrieve(t, ask(c.question, "2026-03-01"))); len(v) == 0 || v[0] != c.want {
			t.Errorf("%q fused: %v, want %s first", c.question, v, c.want)
		}
	}
}

// routes are all ways to ask: a filter that only fusion applied would show.
var routes = [][]kb.Route{nil, {kb.Dense}, {kb.BM25}, {kb.Graph}}

func (s suite) each(t *testing.T, req kb.RetrieveRequest, check func(t *testing.T, v []string)) {
	t.Helper()
	for _, only := range routes {
		req.Only = only
		req.TopK = 50
		t.Run(fmt.Sprint(only), func(t *testing.T) { check(t, versions(s.retrieve(t, req))) })
	}
}

func (s suite) readers(t *testing.T) {
	for _, c := range []struct {
		name    string
		readers []string
		secret  bool
	}{
		{"no groups", nil, false},
		{"everyone", []string{"*"}, false},
		{"another group", []string{"group:sales"}, false},
		{"one of its groups", []string{"group:sales", "group:board"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := ask("董事会奖金池的总额是多少", "2026-03-01")
			req.Readers = c.readers
			s.each(t, req, func(t *testing.T, v []string) {
				if got := slices.Contains(v, "board-bonus@1"); got != c.secret {
					t.Errorf("found %v: restricted document there: %t, want %t", v, got, c.secret)
				}
			})
		})
	}
}

func (s suite) period(t *testing.T) {
	year := func(y string) *kb.TimeRange {
		return &kb.TimeRange{Text: y + "年", From: day(y + "-01-01"), To: day(y + "-12-31")}
	}
	for _, c := range []struct {
		name, question, asOf string
		time                 *kb.TimeRange
		want, not            []string
	}{
		{"today", "出差住宿费每晚上限是多少", "2026-03-01", nil, []string{"travel@3"}, []string{"travel@1", "travel@2"}},
		{"a year before", "2024年出差住宿费每晚上限是多少", "2026-03-01", year("2024"), []string{"travel@2"}, []string{"travel@1", "travel@3"}},
		{"two years before", "2023年出差住宿费每晚上限是多少", "2026-03-01", year("2023"), []string{"travel@1"}, []string{"travel@2", "travel@3"}},
		{"asked in 2024", "出差住宿费每晚上限是多少", "2024-06-30", nil, []string{"travel@2"}, []string{"travel@1", "travel@3"}},
		{"over both", "出差住宿费 2024 到 2025", "2026-03-01", &kb.TimeRange{Text: "2024到2025", From: day("2024-01-01"), To: day("2025-12-31")}, []string{"travel@3"}, []string{"travel@1"}},
		{"last valid day", "夏季作息几点上班", "2025-08-31", nil, []string{"summer@1"}, nil},
		{"the day after", "夏季作息几点上班", "2025-09-01", nil, nil, []string{"summer@1"}},
		{"first valid day", "夏季作息几点上班", "2025-06-01", nil, []string{"summer@1"}, nil},
		{"the day before", "夏季作息几点上班", "2025-05-31", nil, nil, []string{"summer@1"}},
		{"open end", "夏季作息几点上班", "2025-09-01", &kb.TimeRange{Text: "2025年8月以来", From: day("2025-08-01")}, []string{"summer@1"}, nil},
		{"superseded by another document", "Which VPN client is required?", "2026-03-01", nil, []string{"vpn-new@1"}, []string{"vpn-old@1"}},
		{"before the superseding document", "Which VPN client was required?", "2026-03-01", year("2024"), []string{"vpn-old@1"}, []string{"vpn-new@1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := ask(c.question, c.asOf)
			req.Analysis.Time = c.time
			s.each(t, req, func(t *testing.T, v []string) {
				for _, w := range c.want {
					if !slices.Contains(v, w) {
						t.Errorf("found %v, want %s", v, w)
					}
				}
				for _, n := range c.not {
					if slices.Contains(v, n) {
						t.Errorf("found %v, which must not hold %s", v, n)
					}
				}
			})
		})
	}
}

// outside: what the days or a newer version leave out, and nothing else.
func (s suite) outside(t *testing.T) {
	for _, c := range []struct {
		name, question, asOf string
		want, not            []string
	}{
		{"superseded", "Which VPN client is required?", "2026-03-01", []string{"vpn-old@1"}, []string{"vpn-new@1", "printer@1"}},
		{"expired and superseded", "出差住宿费每晚上限是多少", "2026-03-01", []string{"travel@1", "travel@2"}, []string{"travel@3", "canteen@1"}},
		{"not yet valid", "出差住宿费每晚上限是多少", "2024-06-30", []string{"travel@1", "travel@3"}, []string{"travel@2"}},
		{"no right to it", "董事会奖金池的总额是多少", "2026-03-01", nil, []string{"board-bonus@1", "staff-bonus@1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := ask(c.question, c.asOf)
			req.Outside = true
			s.each(t, req, func(t *testing.T, v []string) {
				for _, w := range c.want {
					if !slices.Contains(v, w) {
						t.Errorf("found %v, want %s", v, w)
					}
				}
				for _, n := range c.not {
					if slices.Contains(v, n) {
						t.Errorf("found %v, which must not hold %s", v, n)
					}
				}
			})
		})
	}
}

func (s suite) collection(t *testing.T) {
	for _, c := range []struct {
		collection string
		want, not  string
	}{
		{"", "canteen@1", "canteen-lab@1"},
		{"default", "canteen@1", "canteen-lab@1"},
		{"lab", "canteen-lab@1", "canteen@1"},
	} {
		t.Run("collection "+c.collection, func(t *testing.T) {
			req := ask("食堂早餐几点开始", "2026-03-01")
			req.Collection = c.collection
			s.each(t, req, func(t *testing.T, v []string) {
				if !slices.Contains(v, c.want) || slices.Contains(v, c.not) {
					t.Errorf("found %v, want %s and not %s", v, c.want, c.not)
				}
			})
		})
	}
	req := ask("食堂早餐几点开始", "2026-03-01")
	req.Collection = "no such collection"
	s.each(t, req, func(t *testing.T, v []string) {
		if len(v) > 0 {
			t.Errorf("found %v in a collection that does not exist", v)
		}
	})
}

// domain: only documents of the domains asked for, whatever else says so.
func (s suite) domain(t *testing.T) {
	for _, c := range []struct {
		name    string
		domains []string
		want    []string // all documents of the suite that may be found, sorted
	}{
		{"one", []string{"law"}, []string{"lease@1"}},
		{"one of two", []string{"engineering", "law"}, []string{"lease@1", "pump@1"}},
		{"in other letters", []string{" Engineering"}, []string{"pump@1"}},
		{"unknown", []string{"astronomy"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := ask("How long is the notice period of a tenant, and who maintains the pump?", "2026-03-01")
			req.Domains = c.domains
			s.each(t, req, func(t *testing.T, v []string) {
				slices.Sort(v)
				if !slices.Equal(v, c.want) {
					t.Errorf("found %v, want %v", v, c.want)
				}
			})
		})
	}
	req := ask("How long is the notice period of a tenant?", "2026-03-01")
	req.Domains, req.Collection = []string{"law"}, "lab"
	if v := versions(s.retrieve(t, req)); len(v) > 0 {
		t.Errorf("found %v of the domain in another collection", v)
	}
}

func (s suite) passages(t *testing.T) {
	texts := map[string]string{}
	byID := map[string]kb.Document{}
	count := map[string]int{}
	for _, d := range s.docs {
		count[d.ID]++
		key := fmt.Sprintf("%s@%d", d.ID, count[d.ID])
		texts[key], byID[key] = d.Text, d
	}
	for _, question := range []string{"蓝鲸计划的报名截止到哪一天", "QX-20 pump", "出差住宿费每晚上限是多少", "surveys 🙂 emoji"} {
		req := ask(question, "2026-03-01")
		req.TopK = 50
		got := s.retrieve(t, req)
		if len(got.Candidates) == 0 {
			t.Errorf("%q: nothing found", question)
		}
		for _, c := range got.Candidates {
			key := fmt.Sprintf("%s@%d", c.DocumentID, c.Version)
			runes := []rune(texts[key])
			if c.Start < 0 || c.End > len(runes) || c.Start > c.End || string(runes[c.Start:c.End]) != c.Text {
				t.Errorf("%s: text is not document[%d:%d]", c.ID, c.Start, c.End)
			}
			if !strings.HasPrefix(c.ID, key+"#") {
				t.Errorf("evidence id %s is not of %s", c.ID, key)
			}
			d := byID[key]
			want := kb.Passage{
				Source: d.Source, Domain: d.Domain, Authority: d.Authority, PublishedAt: d.PublishedAt, ValidFrom: d.ValidFrom, ValidTo: d.ValidTo,
				Supersedes: d.Supersedes,
			}
			have := kb.Passage{
				Source: c.Source, Domain: c.Domain, Authority: c.Authority, PublishedAt: c.PublishedAt, ValidFrom: c.ValidFrom, ValidTo: c.ValidTo,
				Supersedes: c.Supersedes,
			}
			if diff := cmp.Diff(want, have, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s: fields of the document (-want +got):\n%s", c.ID, diff)
			}
			if d.Title != "" && c.Title != d.Title {
				t.Errorf("%s: title %q, want %q", c.ID, c.Title, d.Title)
			}
			if c.DocumentID == "blue-whale" && !slices.Contains(c.HeadingPath, "报名") {
				t.Errorf("%s: headings %q", c.ID, c.HeadingPath)
			}
		}
	}
}

func (s suite) order(t *testing.T) {
	for _, d := range s.docs {
		question := string([]rune(strings.TrimLeft(d.Text, "# \n"))[:12])
		if strings.TrimSpace(question) == "" {
			continue
		}
		req := ask(question, "2026-03-01")
		req.TopK = 30
		first := s.retrieve(t, req)
		for range 3 {
			if diff := cmp.Diff(first, s.retrieve(t, req)); diff != "" {
				t.Fatalf("%q: a second time (-first +second):\n%s", question, diff)
			}
		}
		for i, c := range first.Candidates {
			if c.Rank != i+1 {
				t.Errorf("%q: rank %d at place %d", question, c.Rank, i+1)
			}
			if !(c.Score > 0 && c.Score <= 1) {
				t.Errorf("%q: %s has score %v", question, c.ID, c.Score)
			}
			for r, rs := range c.Routes {
				if !(rs.Score > 0 && rs.Score <= 1) || rs.Rank < 1 {
					t.Errorf("%q: %s has %v by %s", question, c.ID, rs, r)
				}
			}
			score := func(r kb.Route) float64 { return c.Routes[r].Score }
			sum := first.Weights.Fuse(score(kb.Dense), score(kb.BM25), score(kb.Graph), abroad(question, c.Text))
			if diff := sum - c.Score; diff > 1e-6 || diff < -1e-6 {
				t.Errorf("%q: %s has score %v, its routes give %v", question, c.ID, c.Score, sum)
			}
			if i > 0 {
				if p := first.Candidates[i-1]; p.Score < c.Score || p.Score == c.Score && p.ID >= c.ID {
					t.Errorf("%q: %s %v stands before %s %v", question, p.ID, p.Score, c.ID, c.Score)
				}
			}
		}
		for n := range 3 {
			req.TopK = n + 1
			got := s.retrieve(t, req)
			if len(got.Candidates) > n+1 {
				t.Errorf("%q: %d candidates for top_k %d", question, len(got.Candidates), n+1)
			}
		}
	}
	if got := s.retrieve(t, ask("公司的规定", "2026-03-01")); len(got.Candidates) > retrieval.DefaultTopK {
		t.Errorf("%d candidates without top_k", len(got.Candidates))
	}
}

// abroad reports whether a question and a passage are in different languages.
func abroad(question, passage string) bool {
	a, b := text.Language(question), text.Language(passage)
	known := func(l string) bool { return l == "zh" || l == "en" }
	return known(a) && known(b) && a != b
}

func (s suite) duplicates(t *testing.T) {
	req := ask("灭火器每月检查一次由谁负责", "2026-03-01")
	req.TopK = 50
	got := s.retrieve(t, req)
	n := 0
	for _, c := range got.Candidates {
		if strings.HasPrefix(c.DocumentID, "fire-") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the same text of two documents is there %d times, want once", n)
	}
}

func (s suite) weights(t *testing.T) {
	req := ask("食堂早餐几点开始", "2026-03-01")
	req.Analysis.Class = kb.Timeliness
	def := s.retrieve(t, req)
	if sum := def.Weights.Dense + def.Weights.BM25 + def.Weights.Graph; sum < 1-1e-9 || sum > 1+1e-9 {
		t.Errorf("weights %v do not sum to 1", def.Weights)
	}
	if diff := cmp.Diff([]kb.Route{kb.BM25, kb.Dense, kb.Graph}, keys(def.Hits)); diff != "" {
		t.Errorf("hits by route (-want +got):\n%s", diff)
	}
	req.Weights = &kb.Weights{Dense: 1, BM25: 3}
	got := s.retrieve(t, req)
	if diff := cmp.Diff(kb.Weights{Dense: 0.25, BM25: 0.75}, got.Weights); diff != "" {
		t.Errorf("weights of the request (-want +got):\n%s", diff)
	}
	req.Only = []kb.Route{kb.BM25}
	got = s.retrieve(t, req)
	if diff := cmp.Diff(kb.Weights{BM25: 1}, got.Weights); diff != "" {
		t.Errorf("weights of one route (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]kb.Route{kb.BM25}, keys(got.Hits)); diff != "" {
		t.Errorf("hits of one route (-want +got):\n%s", diff)
	}
	for _, c := range got.Candidates {
		if len(c.Routes) != 1 {
			t.Errorf("%s has scores of %v", c.ID, c.Routes)
		}
	}
}

func keys(m map[kb.Route]int) []kb.Route {
	out := make([]kb.Route, 0, len(m))
	for r := range m {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

func (s suite) invalid(t *testing.T) {
	for name, change := range map[string]func(*kb.RetrieveRequest){
		"no question":     func(r *kb.RetrieveRequest) { r.Analysis.Question = " \n" },
		"negative top_k":  func(r *kb.RetrieveRequest) { r.TopK = -1 },
		"top_k too large": func(r *kb.RetrieveRequest) { r.TopK = kb.MaxTopK + 1 },
		"negative weight": func(r *kb.RetrieveRequest) { r.Weights = &kb.Weights{Dense: -1, BM25: 2} },
		"weights all 0":   func(r *kb.RetrieveRequest) { r.Weights = &kb.Weights{} },
		"unknown route":   func(r *kb.RetrieveRequest) { r.Only = []kb.Route{"sparse"} },
	} {
		t.Run(name, func(t *testing.T) {
			req := ask("年假有几天", "2026-03-01")
			change(&req)
			if _, err := s.r.Retrieve(t.Context(), req); !errors.Is(err, kb.ErrInvalid) {
				t.Errorf("error %v, want ErrInvalid", err)
			}
		})
	}
}

func (s suite) context(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.r.Retrieve(ctx, ask("年假有几天", "2026-03-01")); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: error %v, want context.Canceled", err)
	}
	req := ask("年假有几天", "2026-03-01")
	req.Deadline = time.Now().Add(-time.Second)
	start := time.Now()
	if _, err := s.r.Retrieve(t.Context(), req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("deadline in the past: error %v, want context.DeadlineExceeded", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("deadline in the past: took %v", took)
	}
}
