package fact

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/text"
)

func TestStale(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	old, now := "The mooring at Tarle quay costs 14 euros a night.", "The mooring at Tarle quay costs 19 euros a night."
	expired := []Meta{{ID: "a", ValidFrom: day("2023-01-01"), ValidTo: day("2024-12-31")}, {ID: "b", ValidFrom: day("2025-01-01")}}
	superseded := []Meta{{ID: "a", PublishedAt: day("2023-01-01")}, {ID: "b", PublishedAt: day("2025-01-01"), Supersedes: []string{"a"}}}
	versions := []Meta{{ID: "a", Document: "d", Version: 1}, {ID: "b", Document: "d", Version: 2}}
	later := []Meta{{ID: "a"}, {ID: "b", ValidFrom: day("2027-01-01"), Supersedes: []string{"a"}}}
	for name, c := range map[string]struct {
		metas   []Meta
		claim   string
		stale   []bool
		verdict Verdict
	}{
		"expired, told as the price now":        {expired, "The mooring at Tarle quay costs 14 euros a night.", []bool{true, false}, ContradictedClaim},
		"expired, told with now":                {expired, "At present the mooring at Tarle quay costs 14 euros a night.", []bool{true, false}, ContradictedClaim},
		"the price now":                         {expired, "The mooring at Tarle quay costs 19 euros a night.", []bool{true, false}, SupportedClaim},
		"the price of then":                     {expired, "In 2023 the mooring at Tarle quay cost 14 euros a night.", []bool{false, true}, SupportedClaim},
		"superseded, told as the price now":     {superseded, "The mooring at Tarle quay costs 14 euros a night.", []bool{true, false}, ContradictedClaim},
		"superseded, of then":                   {superseded, "In 2023 the mooring at Tarle quay cost 14 euros a night.", []bool{false, false}, SupportedClaim},
		"an older version of the same document": {versions, "The mooring at Tarle quay costs 14 euros a night.", []bool{true, false}, ContradictedClaim},
		"what supersedes does not hold yet":     {later, "The mooring at Tarle quay costs 14 euros a night.", []bool{false, true}, SupportedClaim},
		"neither says so":                       {expired, "The mooring at Tarle quay has showers.", []bool{true, false}, UnsupportedClaim},
	} {
		t.Run(name, func(t *testing.T) {
			e := New(Config{})
			a := e.Read(Source{Text: c.claim, Published: day("2026-03-01")})
			k := e.Against([]*Page{e.Read(Source{Text: old}), e.Read(Source{Text: now})}, c.metas)
			claim := Claim{Page: a, Span: text.Span{Start: 0, End: len(a.Runes)}, AsOf: day("2026-03-01")}
			if diff := cmp.Diff(c.stale, k.Stale(claim)); diff != "" {
				t.Errorf("stale (-want +got):\n%s", diff)
			}
			got := k.Check(claim)
			if got.Verdict != c.verdict {
				t.Errorf("%s (%s), want %s", got.Verdict, got.Reason, c.verdict)
			}
			for _, r := range got.Evidence {
				if r.Page < 0 || r.Page > 1 || r.Span.End > len(old) {
					t.Errorf("evidence %+v outside the pages", r)
				}
			}
		})
	}
}
