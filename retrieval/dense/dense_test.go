package dense

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func random(rng *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		v[i] = float32(rng.NormFloat64())
		sum += float64(v[i]) * float64(v[i])
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func TestScanEqualsPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{1, 31, 32, 33, 64, 96, 256, 384, 1024} {
		for _, count := range []int{0, 1, 2, 7, 100} {
			q, rows := make([]int8, dims), make([]int8, dims*count)
			fill := func(v []int8) {
				for i := range v {
					v[i] = int8(rng.IntN(255) - 127)
					if rng.IntN(4) == 0 { // the ends, where sums of pairs could saturate
						v[i] = []int8{-127, 127}[rng.IntN(2)]
					}
				}
			}
			fill(q)
			fill(rows)
			want, got := make([]int32, count), make([]int32, count)
			scanPortable(want, q, rows)
			scan(got, q, rows)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d dims, %d rows (-portable +scan):\n%s", dims, count, diff)
			}
			var places [block + ahead]int32
			some := rng.IntN(count + 1)
			for i := range some {
				places[i] = int32(rng.IntN(count))
			}
			scanAtPortable(want[:some], q, rows, &places)
			scanAt(got[:some], q, rows, &places)
			if diff := cmp.Diff(want[:some], got[:some]); diff != "" {
				t.Errorf("%d dims, %d of %d rows (-portable +scan):\n%s", dims, some, count, diff)
			}
		}
	}
}

// cosines is brute force over the vectors as they are stored: what the scan must find.
func cosines(q []float32, chunks map[int32][][]float32) []int32 {
	best := map[int32]float64{}
	var order []int32
	for c, windows := range chunks {
		best[c] = math.Inf(-1)
		for _, w := range windows {
			sum := 0.0
			for i := range w {
				sum += float64(q[i]) * float64(w[i])
			}
			best[c] = max(best[c], sum)
		}
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b int32) int {
		switch {
		case best[a] > best[b]:
			return -1
		case best[a] < best[b]:
			return 1
		}
		return int(a - b)
	})
	return order
}

func filled(t testing.TB, rng *rand.Rand, n, dims int) (*Matrix, map[int32][][]float32) {
	t.Helper()
	m, err := NewMatrix(dims, Static, "")
	if err != nil {
		t.Fatal(err)
	}
	chunks := map[int32][][]float32{}
	centres := make([][]float32, 50)
	for i := range centres {
		centres[i] = random(rng, dims)
	}
	for c := range int32(n) {
		var vectors []Vector
		for range 1 + rng.IntN(3) {
			v := random(rng, dims)
			centre := centres[rng.IntN(len(centres))]
			var sum float64
			for i := range v {
				v[i] = centre[i] + 0.8*v[i]
				sum += float64(v[i]) * float64(v[i])
			}
			for i := range v {
				v[i] /= float32(math.Sqrt(sum))
			}
			chunks[c] = append(chunks[c], v)
			vectors = append(vectors, quantize(v))
		}
		if err := m.Put(c, vectors); err != nil {
			t.Fatal(err)
		}
	}
	return m, chunks
}

func TestSearchFindsWhatBruteForceFinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m, chunks := filled(t, rng, 20_000, 256) // more than one core's part
	stored := map[int32][][]float32{}
	for c := range chunks {
		for r := m.of(c).from; r < m.of(c).to; r++ {
			v := make([]float32, 256)
			for i, x := range m.row(int(r)) {
				v[i] = float32(x) * m.scales[r]
			}
			stored[c] = append(stored[c], v)
		}
	}
	for range 4 {
		q := random(rng, 256)
		for name, admit := range map[string]func(int32) bool{"all": nil, "odd": func(c int32) bool { return c%2 == 1 }, "few": func(c int32) bool { return c%97 == 5 }} {
			admitted := map[int32][][]float32{}
			for c, windows := range stored {
				if admit == nil || admit(c) {
					admitted[c] = windows
				}
			}
			want := cosines(q, admitted)[:10]
			hits, err := m.Search(t.Context(), q, admit, 10)
			if err != nil {
				t.Fatal(err)
			}
			var got []int32
			for i, h := range hits {
				got = append(got, h.Chunk)
				if i > 0 && hits[i-1].Score < h.Score {
					t.Fatalf("scores not in order: %v", hits)
				}
				if got := m.Score(q, h.Chunk); got != h.Score {
					t.Fatalf("Score %v, Search %v", got, h.Score)
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("%s: recall@10 against brute force is below 1 (-want +got):\n%s", name, diff)
			}
		}
	}
}

// TestLanguages: with a common part in the vectors of each language, the passage that
// says the same in the other language is found, which it is not as the vectors are.
func TestLanguages(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const dims = 64
	common := map[Language][]float32{Chinese: random(rng, dims), English: random(rng, dims)}
	say := func(meaning []float32, in Language) []float32 {
		v := make([]float32, dims)
		var sum float64
		for i := range v {
			v[i] = meaning[i] + 1.5*common[in][i]
			sum += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	m, err := NewMatrix(dims, Static, "")
	if err != nil {
		t.Fatal(err)
	}
	meanings := make([][]float32, 60)
	for i := range meanings {
		meanings[i] = random(rng, dims)
		in := Chinese
		if i >= 30 {
			in = English
		}
		if err := m.PutIn(int32(i), in, []Vector{quantize(say(meanings[i], in))}); err != nil {
			t.Fatal(err)
		}
	}
	plain, found := 0, 0
	for i := 30; i < 60; i++ {
		q := say(meanings[i], Chinese) // asked in Chinese, answered in English
		for k, in := range []Language{Unknown, Chinese} {
			hits, err := m.SearchIn(t.Context(), q, in, nil, 3)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(hits, func(h Hit) bool { return h.Chunk == int32(i) })
			if at >= 0 && k == 0 {
				plain++
			}
			if at >= 0 && k == 1 {
				found++
				if s := m.ScoreIn(q, in, []int32{int32(i)})[0]; s != hits[at].Score {
					t.Errorf("Score %v, Search %v", s, hits[at].Score)
				}
			}
		}
	}
	if plain > 5 || found < 25 {
		t.Errorf("of 30 passages in the other language %d are found, %d without the means", found, plain)
	}
	for i := range int32(60) {
		m.Delete(i)
	}
	if m.means[Chinese].count != 0 || m.means[English].count != 0 {
		t.Error("deleted chunks still count in the means")
	}
}

func TestDeleteReplaceCompact(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	m, chunks := filled(t, rng, 3000, 64)
	for c := range int32(2900) {
		m.Delete(c)
	}
	m.Delete(77) // twice
	if m.Len() != 100 || 2*m.dead > len(m.chunk) && m.dead > 1024 {
		t.Fatalf("%d chunks, %d of %d rows dead", m.Len(), m.dead, len(m.chunk))
	}
	all := func(int32) bool { return true }
	for c := int32(2900); c < 3000; c++ {
		hits, err := m.Search(t.Context(), chunks[c][0], all, 5)
		if err != nil || len(hits) == 0 || hits[0].Chunk != c {
			t.Fatalf("chunk %d: %v, %v", c, hits, err)
		}
	}
	other := random(rng, 64)
	if err := m.Put(2950, []Vector{quantize(other)}); err != nil {
		t.Fatal(err)
	}
	if hits, err := m.Search(t.Context(), other, all, 1); err != nil || hits[0].Chunk != 2950 {
		t.Errorf("replaced chunk: %v, %v", hits, err)
	}
	if s := m.Score(other, 1); s != 0 {
		t.Errorf("deleted chunk has score %v", s)
	}
}

func TestSearchEdges(t *testing.T) {
	m, err := NewMatrix(32, Static, "")
	if err != nil {
		t.Fatal(err)
	}
	q := make([]float32, 32)
	if hits, err := m.Search(t.Context(), q, nil, 5); err != nil || len(hits) != 0 {
		t.Errorf("zero question: %v, %v", hits, err)
	}
	if _, err := m.Search(t.Context(), q[:8], nil, 5); !errors.Is(err, ErrDims) {
		t.Errorf("short question: %v", err)
	}
	if err := m.Put(1, []Vector{{Scale: 1, Values: make([]int8, 8)}}); !errors.Is(err, ErrDims) {
		t.Errorf("short vector: %v", err)
	}
	if _, err := NewMatrix(0, Static, ""); err == nil {
		t.Error("0 dims accepted")
	}
	if _, err := NewMatrix(32, Calibration{Zero: 1, One: 1}, ""); err == nil {
		t.Error("empty calibration accepted")
	}
	q[0] = 1
	if err := m.Put(1, []Vector{quantize(q)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Search(ctx, q, func(int32) bool { return true }, 5); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestTiesByChunk(t *testing.T) {
	m, err := NewMatrix(32, Static, "")
	if err != nil {
		t.Fatal(err)
	}
	v := random(rand.New(rand.NewPCG(7, 8)), 32)
	for _, c := range []int32{9, 3, 200, 1, 150} {
		if err := m.Put(c, []Vector{quantize(v)}); err != nil {
			t.Fatal(err)
		}
	}
	hits, err := m.Search(t.Context(), v, func(int32) bool { return true }, 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []int32
	for _, h := range hits {
		got = append(got, h.Chunk)
	}
	if diff := cmp.Diff([]int32{1, 3, 9}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCalibration(t *testing.T) {
	c := Calibration{Zero: 0.2, One: 0.7, Power: 2}
	if got := c.Score(0.45); math.Abs(got-0.25) > 1e-12 {
		t.Errorf("Score(0.45) = %v, want 0.25", got)
	}
	c.Power = 1
	for cosine, want := range map[float64]float64{-1: 0, 0.2: 0, 0.45: 0.5, 0.7: 1, 1: 1} {
		if got := c.Score(cosine); math.Abs(got-want) > 1e-12 {
			t.Errorf("Score(%v) = %v, want %v", cosine, got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		rng := rand.New(rand.NewPCG(1, 1))
		m, err := NewMatrix(256, Static, "")
		if err != nil {
			b.Fatal(err)
		}
		for c := range int32(n) {
			if err := m.Put(c, []Vector{quantize(random(rng, 256))}); err != nil {
				b.Fatal(err)
			}
		}
		q := random(rng, 256)
		everything := func(int32) bool { return true }
		for name, search := range map[string]func(context.Context, []float32, Language, func(int32) bool, int) ([]Hit, error){"sketches": m.SearchIn, "whole": m.SearchWhole} {
			b.Run(fmt.Sprint(n, " ", name), func(b *testing.B) {
				for b.Loop() {
					if _, err := search(b.Context(), q, Unknown, everything, 100); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkScan is the kernels alone, over 100,000 rows.
func BenchmarkScan(b *testing.B) {
	rows, dots := make([]int8, 100_000*256), make([]int32, 100_000)
	q := make([]int8, 256)
	for i := range rows {
		rows[i] = int8(i * 31)
	}
	for i := range q {
		q[i] = int8(i % 127)
	}
	for name, f := range map[string]func([]int32, []int8, []int8){"kernel": scan, "portable": scanPortable, "sketches": sketchDots, "sketches portable": sketchPortable} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(rows)))
			for b.Loop() {
				f(dots, q, rows)
			}
		})
	}
}
