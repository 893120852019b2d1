package fact

import (
	"strings"
	"testing"

	"suffice.dev/suffice/text/lexicon"
)

// TestRequirementsNotTaken: what looks like one requirement in another form and is none.
func TestRequirementsNotTaken(t *testing.T) {
	e := New(Config{Dictionary: lexicon.Default(), Contrasts: lexicon.DefaultContrasts()})
	for _, c := range []struct{ source, claim string }{
		{"包厢仅限消费满300元的会员预订。", "包厢仅限消费满30元的会员预订。"},
		{"大包厢仅限五人以上的团体预订。", "大包厢仅限三人以上的团体预订。"},
		{"凭身份证可以借阅图书。", "借阅图书必须凭身份证。"},
	} {
		if got := judge(e, c.source, c.claim); got.Verdict == SupportedClaim {
			t.Errorf("%q over %q: %s (%s)", c.claim, c.source, got.Verdict, got.Reason)
		}
	}
}

// TestNameFarAway: on a long page the name that a word points back to is found at the
// beginning of the page and just before.
func TestNameFarAway(t *testing.T) {
	e := New(Config{})
	long := "岚溪牌空气炸锅分三种颜色。" + strings.Repeat("包装里有说明书一份。", 200)
	if got := judge(e, long+"本品净重4千克。", "岚溪牌空气炸锅净重4千克。"); got.Verdict != SupportedClaim {
		t.Errorf("named at the beginning: %s (%s)", got.Verdict, got.Reason)
	}
}
