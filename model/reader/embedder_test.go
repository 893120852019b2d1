package reader_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/reader"
)

func lines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var x T
		if err := json.Unmarshal(s.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

type vector struct {
	Text   string
	Query  bool
	Tokens int
	Vector string // float16, base64
}

func (v vector) floats(t testing.TB) []float32 {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(v.Vector)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float32, len(b)/2)
	for i := range out {
		h := uint32(b[2*i]) | uint32(b[2*i+1])<<8
		x := math.Ldexp(float64(h&1023)/1024, -14)
		if e := int(h >> 10 & 31); e > 0 {
			x = math.Ldexp(1+float64(h&1023)/1024, e-15)
		}
		if h>>15 == 1 {
			x = -x
		}
		out[i] = float32(x)
	}
	return out
}

func e5(t testing.TB) *reader.Embedder {
	t.Helper()
	e, err := reader.E5()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// models/reader/goldens.py wrote the vectors with the reference in float32.
func TestE5EqualsTheReference(t *testing.T) {
	e := e5(t)
	goldens := lines[vector](t, "testdata/e5.jsonl")
	if len(goldens) < 100 {
		t.Fatalf("only %d goldens", len(goldens))
	}
	least := 1.0
	for _, g := range goldens {
		v, err := e.Embed(context.Background(), g.Text, g.Query)
		if err != nil {
			t.Fatal(err)
		}
		c := embed.Cosine(v, g.floats(t))
		least = min(least, c)
		if c < 0.995 {
			t.Errorf("%.40q: cosine %.4f to the reference", g.Text, c)
		}
	}
	t.Logf("least cosine %.5f, kernels %s", least, reader.Kernels())
}

// TestIdleEmbeddingRests: the vectors are those of EmbedAll; rest is asked before every
// layer of every pass, and one that ends the context ends the work.
func TestIdleEmbeddingRests(t *testing.T) {
	e := e5(t)
	texts := []string{"正式员工每年享有带薪年假十天。", "", strings.Repeat("The warranty covers parts and labour for two years. ", 20), "Refunds take five days."}
	want, err := e.EmbedAll(t.Context(), texts, false)
	if err != nil {
		t.Fatal(err)
	}
	rests := 0
	got, err := e.EmbedIdle(t.Context(), texts, func(context.Context) { rests++ })
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if c := embed.Cosine(got[i], want[i]); c < 0.99999 && texts[i] != "" {
			t.Errorf("%.20q: cosine %v to the vector of EmbedAll", texts[i], c)
		}
	}
	if rests < 12 || rests%12 != 0 {
		t.Errorf("%d rests; the model has 12 layers", rests)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := e.EmbedIdle(ctx, texts, func(context.Context) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a rest that ended the context: %v", err)
	}
	if v, err := e.EmbedAll(t.Context(), texts, false); err != nil || embed.Cosine(v[0], want[0]) < 0.99999 {
		t.Errorf("after that: %v", err)
	}
}

// TestLongTextsAreReadToTheEnd: what is beyond 512 tokens counts.
func TestLongTextsAreReadToTheEnd(t *testing.T) {
	e := e5(t)
	filler := strings.Repeat("The canteen opens at noon and closes at two. ", 60)
	vectors, err := e.EmbedAll(t.Context(), []string{filler, filler + strings.Repeat("Seahorses carry their young in a pouch. ", 60)}, false)
	if err != nil {
		t.Fatal(err)
	}
	q, err := e.Embed(t.Context(), "How do seahorses raise their young?", true)
	if err != nil {
		t.Fatal(err)
	}
	if without, with := embed.Cosine(q, vectors[0]), embed.Cosine(q, vectors[1]); with < without+0.03 {
		t.Errorf("cosine %v with the end, %v without it", with, without)
	}
}

func FuzzEmbed(f *testing.F) {
	for _, s := range []string{"", " ", "年假", "\xff\xfe", "\u200b\u0301", strings.Repeat("字", 600), "a\x00b", strings.Repeat(" ", 3000)} {
		f.Add(s, true)
	}
	e := e5(f)
	f.Fuzz(func(t *testing.T, s string, query bool) {
		if len(s) > 4000 {
			t.Skip("longer ones only take longer")
		}
		v, err := e.Embed(context.Background(), s, query)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if strings.TrimSpace(s) != "" && math.Abs(sum-1) > 1e-3 || math.IsNaN(sum) {
			t.Errorf("%q: length %v", s, math.Sqrt(sum))
		}
	})
}
