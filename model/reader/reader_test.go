package reader_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/reader"
	files "suffice.dev/suffice/models/reader"
)

func builtIn(t testing.TB) *reader.Model {
	t.Helper()
	m, err := reader.BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pair is a golden: what the reference in float32 says. The first line of the file
// names the model it is of.
type pair struct {
	Model                    string
	Question, Claim, Passage string
	Holds                    float64
	Span                     *float64
	ClaimSays                []float64
}

// tolerance of probabilities against the reference in float32.
const tolerance = 0.01

// models/reader/goldens.py wrote the probabilities with the reference in float32.
func TestProbabilitiesEqualTheReference(t *testing.T) {
	m := builtIn(t)
	goldens := lines[pair](t, "testdata/pairs.jsonl")
	if goldens[0].Model != m.Hash() {
		t.Fatalf("the goldens are of model %s, this is %s; write them again with models/reader/goldens.py pairs", goldens[0].Model, m.Hash())
	}
	goldens = goldens[1:]
	if testing.Short() {
		goldens = goldens[:len(goldens)/10]
	}
	ctx := context.Background()
	var worst struct{ holds, claim, span float64 }
	differ := 0
	for _, g := range goldens {
		read, err := m.Read(ctx, g.Question, []string{g.Passage})
		if err != nil {
			t.Fatal(err)
		}
		off := math.Abs(read[0].Holds - g.Holds)
		worst.holds = max(worst.holds, off)
		if g.Span != nil {
			d := math.Abs(read[0].Answer.Probability - *g.Span)
			worst.span = max(worst.span, d)
			off = max(off, d)
		}
		if g.ClaimSays != nil {
			says, err := m.Claim(ctx, g.Claim, []string{g.Passage})
			if err != nil {
				t.Fatal(err)
			}
			for i, p := range []float64{says[0].Supported, says[0].Contradicted, says[0].NotStated} {
				d := math.Abs(p - g.ClaimSays[i])
				worst.claim = max(worst.claim, d)
				off = max(off, d)
			}
		}
		if off > tolerance {
			differ++
		}
		if off > 4*tolerance {
			t.Errorf("%q on %.40q: %+v, want holds %.4f", g.Question, g.Passage, read[0], g.Holds)
		}
	}
	if differ > max(1, len(goldens)/50) { // the weights of the fifth run: 4 of 500, the worst a claim by 0.031
		t.Errorf("%d of %d pairs differ by more than %v; 2 in 100 may", differ, len(goldens), tolerance)
	}
	t.Logf("%d pairs, %d beyond %v; greatest difference: holds %.4f, claim %.4f, span %.4f", len(goldens), differ, tolerance, worst.holds, worst.claim, worst.span)
}

// A passage's probabilities depend on no other passage of the call, and not on the
// number of workers.
func TestPassagesAreReadAlone(t *testing.T) {
	m := builtIn(t)
	passages := []string{"", "年假十天。", "Trainees get three days of leave a year.", strings.Repeat("试用期员工每月补贴三百元。", 12), " \n"}
	together, err := m.Read(context.Background(), "试用期补贴多少？", passages)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range passages {
		alone, err := m.Read(context.Background(), "试用期补贴多少？", []string{p})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(alone[0].Holds-together[i].Holds) > 1e-6 || alone[0].Answer.Start != together[i].Answer.Start {
			t.Errorf("%.20q: %+v alone, %+v among others", p, alone[0], together[i])
		}
		if blank := strings.TrimSpace(p) == ""; blank && alone[0] != (reader.Reading{}) {
			t.Errorf("a blank passage holds %+v", alone[0])
		}
	}
}

func TestAnswersLieInThePassage(t *testing.T) {
	m := builtIn(t)
	for _, passage := range []string{
		"年假十天。", "x", "😀", strings.Repeat("The works council approves the parking permit. ", 90),
		strings.Repeat("补贴三百元，由工会审批。", 60),
	} {
		a, err := m.Span(context.Background(), "谁审批？", passage)
		if err != nil {
			t.Fatal(err)
		}
		if n := len([]rune(passage)); a.Start < 0 || a.End > n || a.Start >= a.End || a.Probability < 0 || a.Probability > 1 {
			t.Errorf("%.20q: %+v in %d code points", passage, a, n)
		}
	}
}

func TestClaimProbabilitiesSumToOne(t *testing.T) {
	m := builtIn(t)
	got, err := m.Claim(context.Background(), "补贴为三百元。", []string{"补贴为三百元。", "", strings.Repeat("年假十天。", 200)})
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range got {
		if s := j.Supported + j.Contradicted + j.NotStated; math.Abs(s-1) > 1e-9 {
			t.Errorf("passage %d: %+v sums to %v", i, j, s)
		}
	}
	if got[1] != (reader.Judgment{NotStated: 1}) {
		t.Errorf("a blank passage says %+v", got[1])
	}
}

func TestStopsWithItsContext(t *testing.T) {
	m := builtIn(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := m.Holds(ctx, "q", []string{"p"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, err := m.Holds(ctx, "q", []string{strings.Repeat("年假十天。", 4000)}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a late one: %v", err)
	}
}

func TestManyCallsAtOnce(t *testing.T) {
	m := builtIn(t)
	want, err := m.Holds(context.Background(), "补贴多少？", []string{"补贴三百元。", "年假十天。"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 2 {
				got, err := m.Holds(context.Background(), "补贴多少？", []string{"补贴三百元。", "年假十天。"})
				if err != nil || got[0] != want[0] || got[1] != want[1] {
					t.Errorf("%v, %v; want %v", got, err, want)
				}
			}
		})
	}
	all.Wait()
}

func TestNothingIsAllocatedPerToken(t *testing.T) {
	e := e5(t)
	text := strings.Repeat("正式员工每年享有带薪年假十天。", 8)
	embedOnce := func() {
		if _, err := e.Embed(context.Background(), text, false); err != nil {
			t.Fatal(err)
		}
	}
	embedOnce()
	// The result, its row and the text with its prefix. The pool may be emptied in between,
	// and drops at random what is put back under the race detector: the least of ten counts.
	least := math.Inf(1)
	for range 10 {
		least = min(least, testing.AllocsPerRun(1, embedOnce))
	}
	if least > 12 {
		t.Errorf("%v allocations a call", least)
	}
}

func TestDamagedFiles(t *testing.T) {
	tokens, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	b, err := reader.BuiltInBase()
	if err != nil {
		t.Fatal(err)
	}
	put := func(s, old, new string) string {
		t.Helper()
		if len(old) != len(new) || !strings.Contains(s[:1<<16], old) {
			t.Fatalf("cannot put %q for %q", new, old)
		}
		return strings.Replace(s, old, new, 1)
	}
	for name, c := range map[string]struct{ data, says string }{
		"empty":         {"", "SRDR"},
		"no model":      {"not a model at all", "SRDR"},
		"cut header":    {files.E5[:100], "cut off"},
		"cut blob":      {files.E5[:len(files.E5)-100], "cut off"},
		"other form":    {files.E5[:4] + "\x07" + files.E5[5:], "form 7"},
		"a base":        {files.Base, `kind "base"`},
		"other base":    {put(files.E5, `"base": "`+b.Hash()[:4], `"base": "0000`), "use the base it was trained on"},
		"other width":   {put(files.E5, `"width": 384`, `"width": 352`), "width 352"},
		"layers beyond": {put(files.E5, `"layers": 12`, `"layers": 10`), "layers 4 to 12 of 10"},
		"other tensor":  {put(files.E5, `"name": "l4.q.w"`, `"name": "l4.x.w"`), "no tensor l4.q.w"},
		"other type":    {put(files.E5, `"dtype": "f32"`, `"dtype": "f64"`), `"f64"`},
		"header":        {put(files.E5, `{"base"`, `["base"`), "header"},
	} {
		_, err := reader.NewEmbedder(name, c.data, b)
		if !errors.Is(err, reader.ErrFile) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.says)
		}
	}
	if _, err := reader.NewBase("base", put(files.Base, `"vocab": 61063`, `"vocab": 61062`), tokens); !errors.Is(err, reader.ErrFile) {
		t.Errorf("a base for another vocabulary: %v", err)
	}
	if _, err := reader.New("e5.bin", files.E5, b); !errors.Is(err, reader.ErrFile) {
		t.Errorf("e5 as a reader: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range [][2]string{{"年假多少天？", "年假 10 天"}, {"", "x"}, {"q", "ﬁ①㎡\xff\xfe"}, {"<unk>▁▁", "▁"}, {"q", ""}} {
		f.Add(s[0], s[1])
	}
	m := builtIn(f)
	f.Fuzz(func(t *testing.T, question, passage string) {
		got, err := m.Read(context.Background(), question, []string{passage})
		if err != nil {
			t.Fatal(err)
		}
		r := got[0]
		if !(r.Holds >= 0 && r.Holds <= 1) || r.Answer.Start > r.Answer.End || r.Answer.End > len([]rune(passage)) {
			t.Fatalf("%+v", r)
		}
	})
}

func FuzzFile(f *testing.F) {
	f.Add(0, byte(1))
	f.Add(len(files.E5)-1, byte(255))
	b, err := reader.BuiltInBase()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, at int, change byte) {
		if at < 0 || at >= 1<<15 || at >= len(files.E5) {
			t.Skip("behind the header bytes are only numbers")
		}
		data := files.E5[:at] + string(files.E5[at]^change) + files.E5[at+1:]
		if _, err := reader.NewEmbedder("fuzz", data, b); err != nil && !errors.Is(err, reader.ErrFile) {
			t.Fatal(err)
		}
	})
}
