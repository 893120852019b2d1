package services_test

import (
	"strings"
	"testing"

	"suffice.dev/suffice/services"
)

func TestEditDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"k", "", 1}, {"rate", "rate", 0}, {"weigths", "weights", 1}, {"权重", "权", 1}, {"dense", "bm25", 5}, {strings.Repeat("x", 65), "x", 65}} {
		if got := services.EditDistance(tt.a, tt.b); got != tt.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
