package lexicon

import (
	"errors"
	"slices"
	"testing"
)

func TestCrossing(t *testing.T) {
	c := DefaultCrossing()
	if han, latin := c.Len(); han < 2000 || latin < 1500 {
		t.Errorf("%d Chinese words and %d English phrases", han, latin)
	}
	for _, x := range []struct {
		han, latin string
	}{{"泊位", "berth"}, {"押金", "deposits"}, {"保存", "kept"}, {"入住", "check-in"}} {
		if !slices.Contains(c.Han(Stems(x.latin)), x.han) && !slices.Contains(c.HanPhrase(Whole(x.latin)), x.han) {
			t.Errorf("%q is not told by %s", x.latin, x.han)
		}
		if !slices.ContainsFunc(c.Latin(x.han), func(p string) bool { return Stems(p) == Stems(x.latin) }) {
			t.Errorf("%s is not told by %q", x.han, x.latin)
		}
	}
	if got := c.Latin("没有这个词"); got != nil {
		t.Errorf("an unknown word is told by %q", got)
	}
}

func TestParseCrossing(t *testing.T) {
	tests := []struct {
		name, data string
		line       int // of the error; 0 = none
	}{
		{"a single character", "a:\n  - 猫, cat\n", 0},
		{"a word in two lines", "a:\n  - 收, charge\n  - 收, receive\n", 0},
		{"one language", "a:\n  - 猫, cat\n  - fee, charge\n", 3},
		{"twice", "a:\n  - 猫, cat, cat\n", 2},
		{"both scripts", "a:\n  - 猫, a类\n", 2},
		{"punctuation", "a:\n  - 猫, cat (pet)\n", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := ParseCrossing("x.yaml", []byte(tt.data))
			var bad *FormatError
			switch {
			case tt.line == 0 && (err != nil || c == nil):
				t.Errorf("error %v", err)
			case tt.line > 0 && (!errors.As(err, &bad) || bad.Line != tt.line || !errors.Is(err, ErrFormat)):
				t.Errorf("error %v, want one of line %d", err, tt.line)
			}
		})
	}
}
