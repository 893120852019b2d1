package bm25

import "testing"

func TestCalibrate(t *testing.T) {
	last := 0.0
	for i := range 101 {
		got := calibrate(float64(i) / 100)
		if got < last || got > 1 {
			t.Fatalf("calibrate(%v) = %v after %v", float64(i)/100, got, last)
		}
		last = got
	}
	if last != 1 || calibrate(-1) != 0 || calibrate(2) != 1 {
		t.Errorf("ends: %v, %v, %v", last, calibrate(-1), calibrate(2))
	}
}
