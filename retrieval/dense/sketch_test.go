package dense

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/retrieval/mapped"
)

func TestSketchDotsEqualPortable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for _, dims := range []int{64, 128, 192, 256, 384, 1024} {
		for _, count := range []int{0, 1, 2, 7, 100} {
			q, sketches := make([]int8, dims), make([]int8, dims/2*count)
			for i := range q {
				q[i] = int8(rng.IntN(255) - 127)
				if rng.IntN(3) == 0 { // the ends, where sums are greatest
					q[i] = []int8{-127, 127}[i/200%2]
				}
			}
			for i := range sketches {
				sketches[i] = int8(rng.IntN(256) - 128)
				if rng.IntN(3) == 0 {
					sketches[i] = -1 // both 15
				}
			}
			want, got := make([]int32, count), make([]int32, count)
			sketchPortable(want, q, sketches)
			sketchDots(got, q, sketches)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d dims, %d rows (-portable +kernel):\n%s", dims, count, diff)
			}
		}
	}
}

// Turning keeps products, and makes the components of a vector with a few great ones alike.
func TestTurn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, dims := range []int{64, 192, 256, 384, 768} {
		a, b := random(rng, dims), random(rng, dims)
		a[3], a[17] = 4, -5
		product := func() (sum float64) {
			for i := range a {
				sum += float64(a[i]) * float64(b[i])
			}
			return sum
		}
		before := product()
		turn(a)
		turn(b)
		if after := product(); math.Abs(after-before) > 1e-5 {
			t.Errorf("%d dims: product %v, before %v", dims, after, before)
		}
		for _, x := range a {
			if math.Abs(float64(x)) > 2 {
				t.Errorf("%d dims: a component of %v is left", dims, x)
			}
		}
	}
}

// FuzzBound: no row scores more than its sketch promises, whatever row and question.
func FuzzBound(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, uint8(seed), float32(1), float32(0.1))
	}
	f.Add(uint64(1), uint8(3), float32(1e-3), float32(-2))
	f.Add(uint64(2), uint8(6), float32(40), float32(3))
	f.Fuzz(func(t *testing.T, seed uint64, kind uint8, length, shift float32) {
		if !(length >= 0 && length < 1000) || !(math.Abs(float64(shift)) < 100) {
			t.Skip()
		}
		rng := rand.New(rand.NewPCG(seed, 5))
		dims := []int{64, 256, 384}[kind%3]
		vector := func() []float32 {
			v := random(rng, dims)
			if kind/3%2 == 0 { // a few great components
				for range 3 {
					v[rng.IntN(dims)] *= float32(rng.IntN(300))
				}
			}
			if kind/6%5 == 0 {
				clear(v[rng.IntN(dims):])
			}
			var sum float64
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			for i := range v {
				v[i] = v[i] * length / float32(math.Sqrt(max(sum, 1e-12)))
			}
			return v
		}
		q := vector()
		s := side{exact: q, small: quantize(q), shift: shift}
		reach := float32(0)
		type drawn struct {
			row    Vector
			sketch []int8
			factor float32
			slack  uint8
		}
		var rows []drawn
		for i := range 20 {
			v := vector()
			if i%3 == 0 { // near the question, where the bound is nearest
				for j := range v {
					v[j] = q[j] + 0.1*v[j]
				}
			}
			d := drawn{row: quantize(v), sketch: make([]int8, dims/2)}
			var r float32
			d.factor, d.slack, r = draw(d.sketch, d.row.Values, d.row.Scale)
			reach = max(reach, r)
			rows = append(rows, d)
		}
		o := outlined(&s, reach)
		var dot, exact [1]int32
		for i, d := range rows {
			if d.slack == unbounded {
				continue
			}
			sketchDots(dot[:], o.values, d.sketch)
			scan(exact[:], s.small.Values, d.row.Values)
			score := float32(exact[0])*d.row.Scale*s.small.Scale + s.shift
			if b := o.bound(dot[0], d.factor, d.slack); b < score {
				t.Errorf("row %d scores %v, its sketch promises %v (slack %d)", i, score, b, d.slack)
			}
		}
	})
}

// What the scan finds is the same with sketches and without: filters, deletions, chunks of
// several windows, both languages, and rows of an image with others behind them.
func TestSketchesChangeNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	const dims = 128
	m, err := NewMatrix(dims, Static, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	centres := make([][]float32, 30)
	for i := range centres {
		centres[i] = random(rng, dims)
		centres[i][i%7] += 2
	}
	near := func(spread float32) []float32 {
		v, c := random(rng, dims), centres[rng.IntN(len(centres))]
		var sum float64
		for i := range v {
			v[i] = c[i] + spread*v[i]
			sum += float64(v[i]) * float64(v[i])
		}
		for i := range v {
			v[i] /= float32(math.Sqrt(sum))
		}
		return v
	}
	put := func(m *Matrix, c int32) {
		var windows []Vector
		for range rng.IntN(4) {
			windows = append(windows, quantize(near(0.9)))
		}
		if rng.IntN(9) == 0 && len(windows) > 0 { // equal ones: ties
			windows[0] = quantize(centres[int(c)%len(centres)])
		}
		if err := m.PutIn(c, Language(rng.IntN(3)), windows); err != nil {
			t.Fatal(err)
		}
	}
	same := func(m *Matrix, when string) {
		t.Helper()
		for i := range 9 {
			q := near(0.7)
			in := Language(i % 3)
			for name, admit := range map[string]func(int32) bool{"all": nil, "odd": func(c int32) bool { return c%2 == 1 }, "few": func(c int32) bool { return c%97 < 9 }} {
				for _, limit := range []int{5, 100, 300} {
					want, err := m.SearchWhole(t.Context(), q, in, admit, limit)
					if err != nil {
						t.Fatal(err)
					}
					got, err := m.SearchIn(t.Context(), q, in, admit, limit)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Fatalf("%s, %s, %d (-whole +sketches):\n%s", when, name, limit, diff)
					}
				}
			}
		}
	}
	for c := range int32(9000) {
		put(m, c)
	}
	same(m, "filled")
	for c := range int32(2000) {
		m.Delete(3 * c)
	}
	for c := range int32(50) {
		put(m, 7*c)
	}
	same(m, "deleted and put again")

	path := t.TempDir() + "/image"
	if err := mapped.WriteImage(path, func(w *mapped.Writer) error { f := m.Freeze(); f.Store(w); f.Release(); return nil }); err != nil {
		t.Fatal(err)
	}
	image, err := mapped.OpenImage(path)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := NewMatrix(dims, Static, t.TempDir())
	if err == nil {
		err = loaded.Load(image.Reader())
	}
	if err != nil {
		t.Fatal(err)
	}
	q := near(0.5)
	want, err := m.SearchIn(t.Context(), q, English, nil, 100)
	if err != nil {
		t.Fatal(err)
	}
	got, err := loaded.SearchIn(t.Context(), q, English, nil, 100)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Fatalf("%v, stored (-want +loaded):\n%s", err, diff)
	}
	for c := range int32(3000) {
		put(loaded, 8000+c)
	}
	same(loaded, "behind an image")
	before := checksum(t, image)
	for c := range int32(8500) {
		loaded.Delete(c)
	}
	same(loaded, "compacted")
	// Rows that are written into an image become memory that the system cannot take back.
	if len(loaded.values.base) > 0 || len(loaded.sketch.base) > 0 || checksum(t, image) != before {
		t.Error("rows were laid out anew within the image")
	}
	for c := range int32(400) {
		put(loaded, c)
	}
	same(loaded, "filled again")
	other, err := NewMatrix(64, Static, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Load(image.Reader()); err == nil {
		t.Error("vectors of another length are loaded")
	}
	for _, m := range []*Matrix{m, loaded, other} {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := image.Close(); err != nil {
		t.Error(err)
	}
}

// checksum is that of all sections of an image.
func checksum(t *testing.T, m *mapped.Image) uint32 {
	t.Helper()
	sum, r := uint32(0), m.Reader()
	for {
		data, err := r.Section()
		if err != nil {
			return sum
		}
		sum = crc32.Update(sum, crc32.IEEETable, data)
	}
}
