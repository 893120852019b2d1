package pack_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
	"suffice.dev/suffice/validate/pack"
)

func packer(t *testing.T, change func(*pack.Config)) *pack.Packer {
	t.Helper()
	cfg := pack.Default()
	if change != nil {
		change(&cfg)
	}
	p, err := pack.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func candidates(texts ...string) []kb.Candidate {
	var out []kb.Candidate
	for i, s := range texts {
		out = append(out, kb.Candidate{Passage: kb.Passage{ID: fmt.Sprintf("p%d", i), Text: s}, Rank: i + 1})
	}
	return out
}

// slot is an asked slot that a quote of a candidate fills.
func slot(t *testing.T, name string, c kb.Candidate, quote string) kb.SlotFill {
	t.Helper()
	before, _, ok := strings.Cut(c.Text, quote)
	if !ok {
		t.Fatalf("%q is not in %q", quote, c.Text)
	}
	start := len([]rune(before))
	return kb.SlotFill{Slot: kb.Slot{Name: name, Role: kb.Asked, Required: true}, State: kb.Filled,
		Evidence: []kb.Evidence{{PassageID: c.ID, Start: start, End: start + len([]rune(quote)), Quote: quote}}}
}

func run(t *testing.T, p *pack.Packer, req kb.AnswerRequest) pack.Packed {
	t.Helper()
	e := fact.New(fact.Config{})
	got, err := p.Pack(req, func(i int) *fact.Page { return e.Read(fact.Source{Text: req.Candidates[i].Text}) })
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range got.Pieces {
		runes := []rune(req.Candidates[piece.Index].Text)
		for _, k := range piece.Kept {
			if !strings.Contains(piece.Text, string(runes[k.Start:k.End])) {
				t.Errorf("kept stretch %v of candidate %d is not in its piece", k, piece.Index)
			}
		}
	}
	return got
}

func TestMode(t *testing.T) {
	conflict := []kb.Conflict{{OnAsked: true}}
	beside := []kb.Conflict{{}}
	subjects := func(names ...string) []kb.Slot {
		var out []kb.Slot
		for _, n := range names {
			out = append(out, kb.Slot{Role: kb.Asked, Required: true, Subject: n})
		}
		return out
	}
	for _, c := range []struct {
		pieces    int
		conflicts []kb.Conflict
		slots     []kb.Slot
		want      string
	}{
		{1, nil, nil, "precise_short"},
		{3, nil, nil, "precise_short"},
		{3, beside, nil, "precise_short"},
		{4, nil, nil, "bounded_long"},
		{2, conflict, nil, "structured_short"},
		{8, conflict, nil, "structured_short"},
		{9, conflict, nil, "bounded_long"},
		{24, nil, nil, "bounded_long"},
		{25, nil, nil, "two_stage_pack"},
		{2, nil, subjects("A", "B"), "precise_short"},
		{2, nil, subjects("A", "B", "C"), "two_stage_pack"},
		{2, conflict, subjects("A", "a", "A"), "structured_short"},
	} {
		req := kb.AnswerRequest{Candidates: make([]kb.Candidate, c.pieces)}
		req.Assessment.Conflicts, req.Analysis.Slots = c.conflicts, c.slots
		if got := pack.Mode(req); got != c.want {
			t.Errorf("%d pieces, %d conflicts, %d slots: %s, want %s", c.pieces, len(c.conflicts), len(c.slots), got, c.want)
		}
	}
}

func TestPackWhole(t *testing.T) {
	req := kb.AnswerRequest{Candidates: candidates("The Marlow hall has 240 seats.", "马洛礼堂早上六点开放。🎪")}
	req.Analysis.Question = "How many seats?"
	got := run(t, packer(t, nil), req)
	if len(got.Pieces) != 2 || !got.Pieces[0].Whole || got.Truncated || len(got.Dropped) > 0 || len(got.Lost) > 0 {
		t.Errorf("%+v", got)
	}
	for _, part := range []string{"task", "user", "evidence", "tool", "history", "output"} {
		if _, ok := got.Parts[part]; !ok {
			t.Errorf("part %s is not reported: %v", part, got.Parts)
		}
	}
	if sum := got.Pieces[0].Tokens + got.Pieces[1].Tokens; got.Parts["evidence"] != sum || sum == 0 {
		t.Errorf("evidence takes %d tokens, its pieces %d", got.Parts["evidence"], sum)
	}
}

// TestPackSelects: what a slot needs goes before what is merely near; what does not fit
// is named.
func TestPackSelects(t *testing.T) {
	filler := strings.Repeat("The bridge was painted again in the spring and nobody paid much attention to it. ", 30)
	needed := filler + "The ferry has 84 seats, unless it is a Sunday. " + filler
	req := kb.AnswerRequest{Candidates: candidates(filler, filler+"x", needed)}
	req.Assessment.Slots = []kb.SlotFill{slot(t, "value", req.Candidates[2], "84 seats")}
	got := run(t, packer(t, func(c *pack.Config) { c.Tokens, c.Task, c.History, c.Output = 300, 10, 10, 10 }), req)
	if len(got.Pieces) != 1 || got.Pieces[0].Index != 2 || got.Pieces[0].Whole {
		t.Fatalf("%+v", got)
	}
	if s := got.Pieces[0].Text; !strings.Contains(s, "84 seats, unless it is a Sunday") || strings.Contains(s, "painted") {
		t.Errorf("shortened to %q", s)
	}
	if diff := cmp.Diff([]int{0, 1}, got.Dropped); diff != "" || !got.Truncated || len(got.Lost) > 0 {
		t.Errorf("dropped (-want +got):\n%s truncated %t, lost %v", diff, got.Truncated, got.Lost)
	}
}

// TestPackLoses: evidence that cannot be kept is told by its slot.
func TestPackLoses(t *testing.T) {
	long := "The ferry " + strings.Repeat("which crosses the sound in the early morning ", 120) + "has 84 seats."
	req := kb.AnswerRequest{Candidates: candidates(long)}
	req.Assessment.Slots = []kb.SlotFill{slot(t, "value", req.Candidates[0], "84 seats")}
	got := run(t, packer(t, func(c *pack.Config) { c.Tokens, c.Task, c.History, c.Output = 300, 10, 10, 10 }), req)
	if diff := cmp.Diff([]string{"value"}, got.Lost); diff != "" || !got.Truncated {
		t.Errorf("lost (-want +got):\n%s truncated %t", diff, got.Truncated)
	}
}

// TestShortened: no limit is lost when a text is shortened.
func TestShortened(t *testing.T) {
	for name, c := range map[string]struct{ text, quote, keeps string }{
		"但":      {"年假为5天。食堂在一楼。但试用期员工不享受年假。班车每天两班。", "5天", "但试用期员工不享受年假。"},
		"除非":     {"押金可以退还。大厅铺了地毯。除非设备损坏，押金在三日内退还。", "押金可以退还", "除非设备损坏"},
		"仅限":     {"停车免费。院子里有树。免费停车仅限住店客人。", "停车免费", "仅限住店客人"},
		"unless": {"Dogs are welcome. The lobby is blue. Unless they bark, they may stay.", "Dogs are welcome", "Unless they bark"},
		"only":   {"Parking is free. The lobby is blue. It is free for guests only.", "Parking is free", "guests only"},
	} {
		t.Run(name, func(t *testing.T) {
			req := kb.AnswerRequest{Candidates: candidates(c.text, c.text)}
			fill := slot(t, "value", req.Candidates[0], c.quote)
			req.Assessment.Slots = []kb.SlotFill{fill}
			req.Assessment.Conflicts = []kb.Conflict{{OnAsked: true, A: fill.Evidence[0], B: fill.Evidence[0]}}
			got := run(t, packer(t, nil), req)
			if got.Mode != pack.StructuredShort {
				t.Fatalf("mode %s", got.Mode)
			}
			for _, p := range got.Pieces {
				if p.Index == 0 && (p.Whole || !strings.Contains(p.Text, c.keeps)) {
					t.Errorf("whole %t, %q lacks %q", p.Whole, p.Text, c.keeps)
				}
			}
		})
	}
}

func TestPackLeavesOutWhatDoesNotHold(t *testing.T) {
	day := func(s string) time.Time {
		d, err := kb.ParseDay(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	req := kb.AnswerRequest{Candidates: candidates("The fee is 5 euros.", "The fee is 7 euros.")}
	req.Candidates[0].ValidTo, req.Candidates[1].ValidFrom = day("2024-12-31"), day("2025-01-01")
	req.Analysis.AsOf = day("2026-02-01")
	if got := run(t, packer(t, nil), req); len(got.Pieces) != 1 || got.Pieces[0].Index != 1 || got.Truncated {
		t.Errorf("%+v", got)
	}
	req.Candidates = req.Candidates[:1]
	if got := run(t, packer(t, nil), req); len(got.Pieces) != 1 {
		t.Errorf("the only candidate was left out: %+v", got)
	}
}

func TestHistory(t *testing.T) {
	long := "The fee is 5 euros. " + strings.Repeat("The hall is old and its windows are tall. ", 60) + "It is waived only for members."
	turns := []kb.Turn{{Question: "Too old?", Answer: strings.Repeat("word unless ", 2000)}, {Question: "What is the fee?", Answer: long}, {Question: "And for whom?"}}
	ended := time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		source string
		change func(*kb.AnswerRequest)
		want   string
	}{
		"no source at hand: the working summary": {source: "x y z", want: "= What is the fee? The fee is 5 euros. It is waived only for members.\n? And for whom?\n"},
		"a fact of its source, whole, with its limit": {source: "The fee is 5 euros. Unless it rains, cash only.",
			want: "- The fee is 5 euros. (Unless it rains, cash only.) [p0]\n= What is the fee? It is waived only for members.\n? And for whom?\n"},
		"a source that has ended": {source: "The fee is 5 euros.", change: func(r *kb.AnswerRequest) { r.Candidates[0].ValidTo = ended },
			want: "= What is the fee? It is waived only for members.\n? And for whom?\n"},
		"a source that was replaced": {source: "The fee is 5 euros.", change: func(r *kb.AnswerRequest) {
			r.Candidates = append(r.Candidates, kb.Candidate{Passage: kb.Passage{ID: "new", Text: "The fee is 6 euros.", Supersedes: []string{"p0"}}})
		}, want: "= What is the fee? It is waived only for members.\n? And for whom?\n"},
	} {
		t.Run(name, func(t *testing.T) {
			req := kb.AnswerRequest{Candidates: candidates(c.source), History: turns}
			req.Analysis.AsOf = time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
			if c.change != nil {
				c.change(&req)
			}
			got := run(t, packer(t, func(c *pack.Config) { c.History = 60 }), req)
			if got.History != c.want {
				t.Errorf("history %q, want %q", got.History, c.want)
			}
			if n := got.Parts["history"]; n < 10 || n > 60 {
				t.Errorf("history takes %d tokens", n)
			}
		})
	}
}

func TestLedger(t *testing.T) {
	var l pack.Ledger
	end := time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)
	fee := pack.Summary{Claim: "The fee is 5 euros.", Sources: []string{"fees@1#0"}, Spans: []text.Span{{End: 19}}, Conditions: []string{"only for members"}, Confidence: 0.9, ExpiresAt: end}
	seats := pack.Summary{Claim: "The hall has 240 seats.", Sources: []string{"hall@1#0"}, Spans: []text.Span{{End: 23}}, Confidence: 0.95}
	for _, s := range []pack.Summary{fee, seats, fee} {
		if err := l.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Add(pack.Summary{Claim: "Nobody said so."}); err == nil {
		t.Error("a fact without a source was taken")
	}
	l.Facts()[0].Conditions[0] = "changed" // a copy: the ledger's facts are immutable
	l.Working([]string{"book the hall"}, []string{"who pays?"})
	want := "- The fee is 5 euros. (only for members) [fees@1#0] – 2026-03-31\n- The hall has 240 seats. [hall@1#0]\n= book the hall\n? who pays?\n"
	if diff := cmp.Diff(want, l.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	l.Expire(end)
	l.Supersede("other@1#0", "hall@10", "hal", "hall@2")
	if len(l.Facts()) != 2 {
		t.Errorf("facts left too early: %v", l.Facts())
	}
	l.Expire(end.AddDate(0, 0, 1))
	l.Supersede("hall@1")
	if len(l.Facts()) != 0 {
		t.Errorf("facts left: %v", l.Facts())
	}
}

func TestCounter(t *testing.T) {
	for _, vocabulary := range pack.Vocabularies {
		c, err := pack.NewCounter(vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := c.Count("hello world"); err != nil || n != 2 {
			t.Errorf("%s: %d tokens, %v; want 2", vocabulary, n, err)
		}
	}
	c, err := pack.NewCounter("cl100k_base")
	if err != nil {
		t.Fatal(err)
	}
	for model, estimated := range map[string]bool{"gpt-4": false, "gpt-4-turbo": false, "gpt-4o": true, "openai/gpt-4": false, "SmolLM2-135M": true, "": true} {
		if c.Estimated(model) != estimated {
			t.Errorf("%s: estimated %t", model, !estimated)
		}
	}
}

func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*pack.Config)
		field  string
	}{
		"too small":  {func(c *pack.Config) { c.Tokens = 1000 }, "packing.tokens"},
		"negative":   {func(c *pack.Config) { c.Tool = -1 }, "packing.tool"},
		"vocabulary": {func(c *pack.Config) { c.Tokenizer = "r50k_base" }, "packing.tokenizer"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := pack.Default()
			c.change(&cfg)
			errs := cfg.Validate()
			if len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), c.field+": ") {
				t.Errorf("problems %v, want one of %s", errs, c.field)
			}
		})
	}
}
