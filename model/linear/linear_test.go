package linear

import (
	"errors"
	"math"
	"testing"
)

func toy() []Example {
	return []Example{
		{[]uint32{1, 2}, 0, 1}, {[]uint32{1, 9}, 0, 1}, {[]uint32{1, 8}, 0, 1},
		{[]uint32{3, 4}, 1, 1}, {[]uint32{3, 9}, 1, 1}, {[]uint32{3, 8}, 1, 1},
		{[]uint32{5, 6}, 2, 1}, {[]uint32{5, 9}, 2, 1}, {[]uint32{5, 8}, 2, 1},
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
		m.Predict(e.Features, out)
		back.Predict(e.Features, again)
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

func TestDecodeRefuses(t *testing.T) {
	m, err := Train(Training{Bits: 4, Classes: 2, Epochs: 1, Rate: 0.1}, []Example{{[]uint32{1}, 0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	good := m.Encode()
	nan := append([]byte(nil), good...)
	copy(nan[6:], []byte{0, 0, 0xc0, 0x7f})
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
	f.Add([]byte("SLM1\x01\x02"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(b)
		if err != nil {
			return
		}
		m.Predict([]uint32{1, 99}, make([]float64, m.Classes()))
	})
}
