package reader_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"math"
	"os"
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
