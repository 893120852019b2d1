package precheck

import (
	"errors"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
)

// TestManyThingsAsked: a question that asks more than can be answered at once is refused with
// what it asks and what to do; as many as can be are read.
func TestManyThingsAsked(t *testing.T) {
	p, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ head, more string }{
		{"木筏押金多少？", "船桨押金多少？"},
		{"How much is a raft? ", "How much is a spare oar? "},
	} {
		a, err := p.Analyze(t.Context(), kb.Question{Text: c.head + strings.Repeat(c.more, 9), AsOf: asOf})
		if n := asked(a); err != nil || n < 2 || n > maxAsked {
			t.Errorf("%s and nine more: %d things, %v; want them read", c.head, n, err)
		}
		_, err = p.Analyze(t.Context(), kb.Question{Text: c.head + strings.Repeat(c.more, 200), AsOf: asOf})
		var invalid *kb.InvalidError
		if !errors.As(err, &invalid) || invalid.Field != "question" || !strings.Contains(invalid.Message, "at most 24") || !strings.Contains(invalid.Message, "20") {
			t.Errorf("%s and 200 more: %v, want an error of the question that names the number, the limit and a remedy", c.head, err)
		}
	}
}
