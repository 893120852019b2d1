package evaluate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
)

const writtenLines = `{"id":"a-1","language":"en","domain":"pottery","title":"Kiln rules","kind":"prose","text":"The kiln is fired on Mondays. Glazing costs 6 euros.","questions":[{"question":"When is the kiln fired?","sufficient":true,"answer":"Mondays","kind":"time"},{"question":"What does clay cost?","sufficient":false,"kind":"other attribute"}],"claims":[{"claim":"Glazing costs 6 euros.","verdict":"SUPPORTED","kind":"one part"},{"claim":"Glazing costs 8 euros.","verdict":"CONTRADICTED","kind":"value"},{"claim":"Clay is free.","verdict":"NOT_SUPPORTED","kind":"outside"}]}

{"id":"a-2","language":"zh","domain":"陶艺","title":"窑规","heading":"价目","kind":"table","text":"| 项目 | 元 |\n| --- | --- |\n| 上釉 | 45 |","questions":[],"claims":[{"claim":"上釉45元。","verdict":"SUPPORTED","kind":"table cell"}]}
`

func writeWritten(t *testing.T, lines string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWrittenIsCounted(t *testing.T) {
	passages, err := LoadWritten(writeWritten(t, writtenLines))
	if err != nil {
		t.Fatal(err)
	}
	if len(passages) != 2 {
		t.Fatalf("%d passages, want 2", len(passages))
	}
	if p := passages[1].Passage(); p.Kind != "table" || len(p.HeadingPath) != 1 || p.HeadingPath[0] != "价目" {
		t.Errorf("passage %+v", p)
	}
	// A judge that finds everything sufficient and shows the first sentence; a checker
	// that passes what it reads of euros and refuses the rest.
	assess := func(_ context.Context, _ kb.Question, ps []kb.Passage) ([]float32, kb.Assessment, error) {
		quote, _, _ := strings.Cut(ps[0].Text, ".")
		return nil, kb.Assessment{Sufficient: true, Slots: []kb.SlotFill{{Slot: kb.Slot{Role: kb.Asked}, Evidence: []kb.Evidence{{Quote: quote}}}}}, nil
	}
	verify := func(_ context.Context, req kb.VerifyRequest) (kb.Verification, error) {
		if strings.Contains(req.Answer, "euros") {
			return kb.Verification{Verdict: kb.Supported}, nil
		}
		return kb.Verification{Verdict: kb.Unsupported}, nil
	}
	judged, err := JudgeWritten(t.Context(), passages, assess, verify, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := MeasureWritten(judged)
	if got, want := *f.Questions["1 all"], (QuestionCount{Sufficient: 1, Shown: 1, Insufficient: 1, Missed: 1}); got != want {
		t.Errorf("questions %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		group, label, told string
		want               int
	}{
		{"1 all", "SUPPORTED", "SUPPORTED", 1},
		{"1 all", "SUPPORTED", "UNSUPPORTED", 1},
		{"1 all", "CONTRADICTED", "SUPPORTED", 1},
		{"2 en", "NOT_SUPPORTED", "UNSUPPORTED", 1},
		{"2 zh", "SUPPORTED", "UNSUPPORTED", 1},
		{"3 value", "CONTRADICTED", "SUPPORTED", 1},
	} {
		if got := f.Claims[c.group][c.label][c.told]; got != c.want {
			t.Errorf("%s: %s told %s %d times, want %d", c.group, c.label, c.told, got, c.want)
		}
	}
	var table, list strings.Builder
	if err := errors.Join(WriteWritten(&table, f), WriteWrittenFailures(&list, judged)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "1 of 2, 0.500") {
		t.Errorf("the untrue claim that passed is not in the table:\n%s", table.String())
	}
	for text, listed := range map[string]bool{"Glazing costs 8 euros.": true, "上釉45元。": true, "What does clay cost?": true, "Clay is free.": false, "When is the kiln fired?": false} {
		if got := strings.Contains(list.String(), ": "+text); got != listed {
			t.Errorf("%s listed %t, want %t", text, got, listed)
		}
	}
}

func TestWrittenOfABadLineNamesIt(t *testing.T) {
	for name, c := range map[string]struct{ old, replacement, want string }{
		"answer":   {`"answer":"Mondays"`, `"answer":"Friday"`, `line 1: answer "Friday"`},
		"verdict":  {"NOT_SUPPORTED", "MAYBE", `line 1: verdict "MAYBE"`},
		"language": {`"language":"zh"`, `"language":"fr"`, `line 3: language "fr"`},
	} {
		if _, err := LoadWritten(writeWritten(t, strings.Replace(writtenLines, c.old, c.replacement, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := LoadWritten(t.TempDir()); !errors.Is(err, ErrNoData) {
		t.Errorf("an empty folder: %v", err)
	}
}

func TestWrittenClaimsKeepTheirLabels(t *testing.T) {
	passages, err := LoadWritten(writeWritten(t, writtenLines))
	if err != nil {
		t.Fatal(err)
	}
	claims := WrittenClaims(passages)
	if len(claims) != 4 {
		t.Fatalf("%d claims, want 4", len(claims))
	}
	for i, want := range []struct{ supported, contrary bool }{{true, false}, {false, true}, {false, false}, {true, false}} {
		c := claims[i]
		if c.Supported != want.supported || c.Contrary != want.contrary || c.Test != IsTest(c.Passages[0].Text) {
			t.Errorf("%+v", c)
		}
	}
}
