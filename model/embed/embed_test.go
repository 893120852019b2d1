package embed_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/models/embed/static"
)

func model(t testing.TB) *embed.Model {
	t.Helper()
	m, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

type golden struct {
	Text   string    `json:"text"`
	IDs    []int32   `json:"ids"`
	Vector []float64 `json:"vector"` // first components
}

func goldens(t testing.TB) []golden {
	t.Helper()
	f, err := os.Open("testdata/tokens.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []golden
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		out = append(out, g)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) < 600 {
		t.Fatalf("only %d golden texts", len(out))
	}
	return out
}

// The goldens come from the reference tokenizer; models/embed/goldens.py writes them.
func TestTokensEqualTheReference(t *testing.T) {
	m := model(t)
	tokens, differ := 0, 0
	for _, g := range goldens(t) {
		got := m.Tokens(g.Text)
		tokens += len(g.IDs)
		if diff := cmp.Diff(append([]int32{}, g.IDs...), append([]int32{}, got...)); diff != "" {
			differ++
			t.Errorf("Tokens(%q) (-want +got):\n%s", g.Text, diff)
		}
		if g.Vector == nil || strings.TrimSpace(g.Text) == "" {
			continue // blank texts are zero by contract, the reference sees a space
		}
		v := m.Embed(g.Text)
		for i, want := range g.Vector {
			if math.Abs(float64(v[i])-want) > 2e-5 {
				t.Errorf("Embed(%q)[%d] = %v, want %v", g.Text, i, v[i], want)
			}
		}
	}
	t.Logf("%d tokens, %d texts differ", tokens, differ)
}

func TestSimilarityOrdersMeanings(t *testing.T) {
	m := model(t)
	for _, c := range []struct{ text, near, far string }{
		{"年休假有几天", "员工每年享有带薪年假十天。", "仓库的灭火器每月检查一次。"},
		{"How do I get my money back?", "Refunds are paid to the original card within a week.", "The cafeteria opens at eight."},
		{"annual leave", "年假", "防火门"},
		{"服务器 重启", "restart the server", "holiday allowance"},
	} {
		if near, far := m.Similarity(c.text, c.near), m.Similarity(c.text, c.far); near <= far {
			t.Errorf("%q: %q %.3f is not nearer than %q %.3f", c.text, c.near, near, c.far, far)
		}
	}
	if got := m.Similarity("同一句", "同一句"); got != 1 {
		t.Errorf("equal texts: %v", got)
	}
	if got := m.Similarity("", "年假"); got != 0 {
		t.Errorf("empty text: %v, want 0", got)
	}
}

func TestVectorsHaveLengthOne(t *testing.T) {
	m := model(t)
	for _, s := range []string{"a", "年假", "QX-20 costs 1,200 yuan", strings.Repeat("长文。", 500)} {
		v := m.Embed(s)
		if len(v) != m.Dims() {
			t.Fatalf("%d dims, want %d", len(v), m.Dims())
		}
		if n := embed.Cosine(v, v); math.Abs(n-1) > 1e-5 {
			t.Errorf("|Embed(%.10q)|² = %v", s, n)
		}
	}
	for _, x := range m.Embed("") {
		if x != 0 {
			t.Fatal("the empty text is not the zero vector")
		}
	}
}

func TestSplit(t *testing.T) {
	zh := strings.Repeat("试用期员工每月补贴三百元。", 40)
	en := strings.Repeat("Trainees receive three hundred a month. ", 40)
	for _, c := range []struct {
		name, text string
		limit, min int
	}{
		{"empty", "", 0, 0},
		{"blank", " \n ", 0, 0},
		{"short", "年假十天。", 160, 1},
		{"chinese", zh, 160, 4},
		{"english", en, 360, 4},
		{"one endless sentence", strings.Repeat("补", 1000), 160, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans := embed.Split(c.text)
			if len(spans) < c.min || c.min == 0 && len(spans) != 0 {
				t.Fatalf("%d windows, want at least %d", len(spans), c.min)
			}
			end, covered := 0, 0
			for _, s := range spans {
				if s.Start < end || s.Len() > c.limit || s.Empty() {
					t.Fatalf("bad window %v after %d", s, end)
				}
				end = s.End
				covered += len(strings.Join(strings.Fields(string([]rune(c.text)[s.Start:s.End])), ""))
			}
			if want := len(strings.Join(strings.Fields(c.text), "")); covered != want {
				t.Errorf("windows hold %d bytes of text, want %d", covered, want)
			}
		})
	}
}

func TestEncodeDecode(t *testing.T) {
	m := model(t)
	s := strings.Repeat("年假十天，病假五天。", 40)
	windows := m.Windows(s)
	data := m.Encode(s)
	got, err := m.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(windows) || len(got) < 2 {
		t.Fatalf("%d windows, want %d", len(got), len(windows))
	}
	for i := range got {
		if c := embed.Cosine(got[i].Float(), windows[i]); c < 0.998 {
			t.Errorf("window %d: cosine %v to its float form", i, c)
		}
	}
	for name, bad := range map[string][]byte{
		"empty":       nil,
		"cut":         data[:len(data)-1],
		"version":     append([]byte{9}, data[1:]...),
		"other model": append([]byte{data[0], 'x'}, data[2:]...),
	} {
		if _, err := m.Decode(bad); !errors.Is(err, embed.ErrEncoding) {
			t.Errorf("%s: error %v, want ErrEncoding", name, err)
		}
	}
	if got, err := m.Decode(m.Encode("")); err != nil || len(got) != 0 {
		t.Errorf("empty text: %v, %v", got, err)
	}
}

func TestNewRejectsDamagedFiles(t *testing.T) {
	for name, f := range map[string][3]string{
		"no table":      {"", static.Vocab, static.Norm},
		"cut table":     {static.Table[:1000], static.Vocab, static.Norm},
		"cut vocab":     {static.Table, static.Vocab[:1000], static.Norm},
		"vocab no tabs": {static.Table, "word\n", static.Norm},
		"bad norm":      {static.Table, static.Vocab, "zz\t20\n"},
	} {
		if _, err := embed.New("m", f[0], f[1], f[2]); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"", "年假 10 天", "ﬁ①㎡\xff\xfe", "<unk>▁▁"} {
		f.Add(s)
	}
	m := model(f)
	f.Fuzz(func(t *testing.T, s string) {
		v := m.Embed(s)
		if n := embed.Cosine(v, v); n != 0 && math.Abs(n-1) > 1e-4 || math.IsNaN(n) {
			t.Fatalf("length² %v", n)
		}
		if _, err := m.Decode(m.Encode(s)); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := embed.New("m", static.Table, static.Vocab, static.Norm); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	m := model(b)
	for _, c := range []struct{ name, text string }{
		{"question-zh", "试用期员工的年假有几天？"},
		{"question-en", "How many days of annual leave does a trainee get?"},
		{"passage-zh", strings.Repeat("正式员工每年享有带薪年假十天，试用期不计。", 16)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				m.Embed(c.text)
			}
		})
	}
}
