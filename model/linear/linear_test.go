package linear

import (
	"errors"
	"math"
	"testing"
)

func toy() []Example {
	return []Example{
		of(0, 1, 2), of(0, 1, 9), of(0, 1, 8),
		of(1, 3, 4), of(1, 3, 9), of(1, 3, 8),
		of(2, 5, 6), of(2, 5, 9), of(2, 5, 8),
	}
}

func of(class int, features ...uint32) Example {
	return Example{Input: Input{Features: features}, Class: class, Weight: 1}
}

// TestDense learns two classes that only the numbers beside the features tell apart.
func TestDense(t *testing.T) {
	var examples []Example
	for i := range 20 {
		e := of(i%2, uint32(i/2))
		e.Dense = []float32{0.1, float32(i%2) - 0.5}
		examples = append(examples, e)
	}
	m, err := Train(Training{Bits: 6, Classes: 2, Dense: 2, Epochs: 30, Rate: 0.3}, examples)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(m.Encode())
	if err != nil || back.Dense() != 2 {
		t.Fatalf("dense %d, error %v", back.Dense(), err)
	}
	out := make([]float64, 2)
	for _, e := range examples {
		back.Predict(e.Input, out)
		if out[e.Class] < 0.8 {
			t.Errorf("%v: %v, want class %d", e.Input, out, e.Class)
		}
	}
	examples[3].Dense = []float32{1}
	if _, err := Train(Training{Bits: 6, Classes: 2, Dense: 2}, examples); err == nil {
		t.Error("an example with one number of two was accepted")
	}
}

func TestTrainPredictEncode(t *testing.T) {
	m, err := Train(Training{Bits: 8, Classes: 3, Epochs: 40, Rate: 0.3, Seed: 1}, toy())
	if err != nil {
		t.Fatal(err)
	}
	loss := m.Calibrate(toy())
	if loss > 0.2 {
		t.Errorf("loss %.3f on what it was trained on", loss)
	}
	back, err := Decode(m.Encode())
	if err != nil {
		t.Fatal(err)
	}
	out, again := make([]float64, 3), make([]float64, 3)
	for _, e := range toy() {
		m.Predict(e.Input, out)
		back.Predict(e.Input, again)
		sum := 0.0
		for c := range out {
			sum += out[c]
			if out[c] != again[c] {
				t.Errorf("decoded model gives %v, want %v", again, out)
			}
			if c != e.Class && out[c] >= out[e.Class] {
				t.Errorf("features %v: %v, want class %d", e.Features, out, e.Class)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("probabilities sum to %v", sum)
		}
	}
	m2, err := Train(Training{Bits: 8, Classes: 3, Epochs: 40, Rate: 0.3, Seed: 1}, toy())
	if err != nil {
		t.Fatal(err)
	}
	m2.Calibrate(toy())
	if string(m2.Encode()) != string(m.Encode()) {
		t.Error("two trainings with one seed differ")
	}
}

// TestLead: what the features, the numbers and the biases add is the difference of the
// log-odds.
func TestLead(t *testing.T) {
	for name, examples := range map[string][]Example{"features": toy()} {
		m, err := Train(Training{Bits: 8, Classes: 3, Epochs: 40, Rate: 0.3, Seed: 1}, examples)
		if err != nil {
			t.Fatal(err)
		}
		m.Calibrate(examples)
		p := make([]float64, 3)
		for _, e := range examples {
			m.Predict(e.Input, p)
			features, numbers := m.Lead(e.Input, e.Class, (e.Class+1)%3)
			got := numbers + float64(m.bias[e.Class]-m.bias[(e.Class+1)%3])/float64(m.temperature)
			for _, f := range features {
				got += f
			}
			if want := math.Log(p[e.Class] / p[(e.Class+1)%3]); len(features) != len(e.Features) || math.Abs(got-want) > 1e-6 {
				t.Errorf("%s %v: %d parts that add up to %v, want %d and %v", name, e.Features, len(features), got, len(e.Features), want)
			}
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	m, err := Train(Training{Bits: 4, Classes: 2, Epochs: 1, Rate: 0.1}, []Example{of(0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	good := m.Encode()
	nan := append([]byte(nil), good...)
	copy(nan[8:], []byte{0, 0, 0xc0, 0x7f})
	for name, b := range map[string][]byte{"empty": nil, "short": good[:len(good)-1], "long": append(append([]byte(nil), good...), 0), "magic": append([]byte("XXXX"), good[4:]...), "nan": nan} {
		if _, err := Decode(b); !errors.Is(err, ErrModel) {
			t.Errorf("%s: error %v, want ErrModel", name, err)
		}
	}
	if _, err := Train(Training{Bits: 40, Classes: 2}, nil); err == nil {
		t.Error("40 bits were accepted")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("SLM2\x01\x02\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		m.Predict(Input{Features: []uint32{1, 99}, Dense: []float32{1}}, make([]float64, m.Classes()))
	})
}
