package lexicon

import (
	"errors"
	"testing"

	"suffice.dev/suffice/text"
)

func TestContrastsFind(t *testing.T) {
	c := DefaultContrasts()
	sides := func(s string) map[int32]int32 {
		m := map[int32]int32{}
		for _, f := range c.Find(text.Fold([]rune(s))) {
			m[f.Group] = f.Side
		}
		return m
	}
	for _, tc := range []struct {
		a, b  string
		apart bool
	}{
		{"The minimum order is 20 euros", "The maximum order is 90 euros", true},
		{"成人每次两片", "儿童每次一片", true},
		{"预算为300万元", "实际花费280万元", true},
		{"The shop is open", "The shop has been closed", true},
		{"普通座票价", "普通座价格", false},
		{"The pool is open on weekdays", "The pool is open on weekends", true},
	} {
		a, b := sides(tc.a), sides(tc.b)
		apart := false
		for g, s := range a {
			if o, ok := b[g]; ok && o != s {
				apart = true
			}
		}
		if apart != tc.apart {
			t.Errorf("%q and %q: apart %v, want %v", tc.a, tc.b, apart, tc.apart)
		}
	}
}

func TestParseContrastsRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"one side":        "cases:\n  - alone, single\n",
		"unknown section": "pairs:\n  - a | b\n",
		"no yaml":         "cases: [",
	} {
		if _, err := ParseContrasts("x.yaml", []byte(data)); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: error %v, want ErrFormat", name, err)
		}
	}
}
