package gap

import (
	"os"
	"testing"

	"gopkg.in/yaml.v3"
)

// TestWordings reads pairs of questions that are one gap, and pairs that are not.
func TestWordings(t *testing.T) {
	data, err := os.ReadFile("testdata/wordings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Same      [][2]string
		Different [][2]string
	}
	if err := yaml.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	check := func(pair [2]string, want bool) {
		t.Helper()
		a, b := Read(pair[0]), Read(pair[1])
		if got := Same(a, b); got != want {
			t.Errorf("Same(%q, %q) = %v, want %v\n%q\n%q", pair[0], pair[1], got, want, a.Key(), b.Key())
		}
		if Same(a, b) != Same(b, a) {
			t.Errorf("Same(%q, %q) is not symmetric", pair[0], pair[1])
		}
		if Same(a, b) && a.frame != b.frame {
			t.Errorf("%q and %q are the same but in two buckets", pair[0], pair[1])
		}
		var x Index
		x.Add("MISSING", "g1", a)
		if got := x.Find("MISSING", b) == "g1"; got != want {
			t.Errorf("Find(%q) in an index of %q = %v, want %v", pair[1], pair[0], got, want)
		}
		if x.Find("STALE", a) != "" {
			t.Errorf("%q was found under another kind", pair[0])
		}
	}
	for _, p := range cases.Same {
		check(p, true)
	}
	for _, p := range cases.Different {
		check(p, false)
	}
	if len(cases.Same) < 10 || len(cases.Different) < 10 {
		t.Errorf("only %d and %d cases were read", len(cases.Same), len(cases.Different))
	}
}

func FuzzRead(f *testing.F) {
	f.Add("请问年假有多少天？")
	f.Add("What's the fee for a C# licence?")
	f.Add("")
	f.Fuzz(func(t *testing.T, q string) {
		w := Read(q)
		if !Same(w, Read(q)) {
			t.Errorf("%q is not the same as itself", q)
		}
	})
}
