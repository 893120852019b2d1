package fact

import "testing"

func TestOtherLevels(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"青石镇", "澜州市北部", true},
		{"青石镇", "北湾镇", false},
		{"临溪市", "鹭川市滨河路", false}, // two towns, of one the street too
		{"岚州市", "桐浦市", false},
		{"市中心", "鹭川市", false}, // no part with a name
		{"in Mirefield", "on Weaver Street", true},
		{"in Mirefield", "in Dorvane", false},
		{"Mirefield", "Dorvane", false},
	} {
		if got := otherLevels(tt.a, tt.b); got != tt.want || got != otherLevels(tt.b, tt.a) {
			t.Errorf("otherLevels(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}
