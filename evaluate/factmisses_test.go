package evaluate_test

import (
	"strings"
	"testing"

	"suffice.dev/suffice/evaluate"
)

func TestEditedPairs(t *testing.T) {
	pairs := []evaluate.ArticlePair{
		{Law: "港口条例", Old: "第三条 经营人应当在五日内答复申请人。", New: "第四条 经营人应当在五日内答复申请人。", Same: true},
		{Law: "港口条例", Old: "第五条 港口由主管机关管理。", New: "第五条 港口由主管机关管理。", Same: true},
		{Law: "港口条例", Old: "第六条 罚款三百元。", New: "第六条 罚款五百元。"},
	}
	got := evaluate.EditedPairs(pairs)
	if len(got) != 1 {
		t.Fatalf("edited %d pairs, want the one that is unchanged and has a number: %+v", len(got), got)
	}
	p := got[0]
	if want := "第三条 经营人应当在八日内答复申请人。"; p.New != want || p.Same {
		t.Errorf("edited to %q (same %v), want %q", p.New, p.Same, want)
	}
	c := p.Changes[0]
	if old, edited := string([]rune(p.Old)[c.Old.Start:c.Old.End]), string([]rune(p.New)[c.New.Start:c.New.End]); old != "五日" || edited != "八日" {
		t.Errorf("the change is %q to %q, want 五日 to 八日", old, edited)
	}
}

func TestMissKinds(t *testing.T) {
	var k evaluate.MissKinds
	for range 3 {
		k.RAM(evaluate.RAMReport{Kinds: map[string][]string{"neither side fills the slot": {`Who leads X? [subject "X" ENTITY]`}}})
	}
	k.Tables("aitqa", true, evaluate.TableRow{Misses: []evaluate.TableMiss{{Question: evaluate.TableQuestion{Question: "How many?"}, Reason: "cell not read"}}})
	var b strings.Builder
	if err := k.Write(&b, 1); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "4 misses of 2 kinds") || !strings.Contains(got, "1. 3 ramdocs, a name asked: neither side fills the slot; Who leads X?") || strings.Contains(got, "How many?") {
		t.Errorf("written:\n%s", got)
	}
}
