package fact

import (
	"slices"
	"testing"
)

// TestGuardedPattern compares patterns with and without their literals.
func TestGuardedPattern(t *testing.T) {
	for _, c := range []struct {
		expr string
		want []string // nil = no literals
	}{
		{`除非|\bunless\b`, []string{"unless", "除非"}},
		{`(?:不|未)[^，]{0,3}费`, []string{"费"}},
		{`(?:every|each) (?:\d+ )?days?`, []string{"day"}},
		{`[两二]项`, []string{"项"}},
		{`\d+`, nil},
		{`(?:free)?`, nil},
		{`(?i)free`, nil},
		{`x*|free`, nil},
		{`(free)+ of`, []string{"free"}},
		{`[一二三](?:\d)?`, []string{"一", "三", "二"}},
	} {
		g := guarded(c.expr)
		var got []string
		if guard := g.guard(); guard != nil {
			for _, words := range guard.words {
				got = append(got, words...)
			}
			slices.Sort(got)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: literals %q, want %q", c.expr, got, c.want)
		}
		for _, s := range []string{"", "f", "free", "unless it rains", "除非下雨", "不另收费", "未收", "every 3 days", "each day", "两项", "freefree of", "三", "12"} {
			if got, want := g.MatchString(s), g.Regexp.MatchString(s); got != want {
				t.Errorf("%s on %q: %v, want %v", c.expr, s, got, want)
			}
			if got, want := g.FindStringIndex(s), g.Regexp.FindStringIndex(s); !slices.Equal(got, want) {
				t.Errorf("%s on %q: at %v, want %v", c.expr, s, got, want)
			}
			if got, want := g.ReplaceAllString(s, "_"), g.Regexp.ReplaceAllString(s, "_"); got != want {
				t.Errorf("%s on %q: replaced %q, want %q", c.expr, s, got, want)
			}
		}
	}
}
