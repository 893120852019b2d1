// Package validatetest is the suite that every form of the validate layer passes, in
// process or remote. It checks what validate.Validator promises, not how good it is.
package validatetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/validate"
)

// Run checks the validator that open returns. open registers what is to be closed
// with t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) validate.Validator) {
	validator := open(t)
	passages := []kb.Passage{
		{ID: "a", Text: "苔原号快艇🚤的续航为310海里。"},
		{ID: "b", Text: "The Larch ferry has 84 seats. It leaves from pier 3."},
	}
	answers := map[string]string{
		"chinese":   "苔原号快艇的续航为310海里[1]。码头有🚩七面旗。",
		"english":   "The Larch ferry has 84 seats [2]. It has 90 seats.",
		"no claims": "",
	}
	for name, answer := range answers {
		t.Run("verify "+name, func(t *testing.T) {
			req := kb.VerifyRequest{Answer: answer, Passages: passages, AsOf: time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)}
			got, err := validator.Verify(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			claims(t, answer, got.Claims, passages)
			if !(got.Support >= 0 && got.Support <= 1) {
				t.Errorf("support is %v", got.Support)
			}
			if (answer == "") != (got.Verdict == kb.NoClaims) {
				t.Errorf("verdict %s of %q", got.Verdict, answer)
			}
			again, err := validator.Verify(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(got, again, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the same request gave another reply (-first +second):\n%s", diff)
			}
		})
	}
	t.Run("without passages nothing is supported", func(t *testing.T) {
		got, err := validator.Verify(t.Context(), kb.VerifyRequest{Answer: answers["english"]})
		if err != nil || got.Verdict != kb.Unsupported || got.Support != 0 {
			t.Errorf("verdict %s, support %v, %v; want UNSUPPORTED", got.Verdict, got.Support, err)
		}
	})
	t.Run("without evidence the answer is a refusal", func(t *testing.T) {
		got, err := validator.Answer(t.Context(), kb.AnswerRequest{
			Analysis:   kb.Analysis{Question: "How many seats?", Original: "How many seats?", Class: kb.Numeric, Language: "en"},
			Assessment: kb.Assessment{Outcome: kb.Insufficient, Level: "red"},
		})
		if err != nil || got.Outcome != kb.Insufficient || got.Answer != "" || len(got.Citations) != 0 {
			t.Errorf("%s %q with %d citations, %v; want INSUFFICIENT and nothing else", got.Outcome, got.Answer, len(got.Citations), err)
		}
	})
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := validator.Verify(ctx, kb.VerifyRequest{Answer: "x", Passages: passages}); !errors.Is(err, context.Canceled) {
			t.Errorf("verify: error %v, want context.Canceled", err)
		}
	})
}

// claims checks that claims and their citations are spans of what they name.
func claims(t *testing.T, answer string, got []kb.Claim, passages []kb.Passage) {
	t.Helper()
	text := []rune(answer)
	sources := map[string][]rune{}
	for _, p := range passages {
		sources[p.ID] = []rune(p.Text)
	}
	end := 0
	for _, c := range got {
		if c.Start < end || c.End > len(text) || c.Start > c.End || string(text[c.Start:c.End]) != c.Text {
			t.Errorf("claim %q is not answer[%d:%d], or not in order", c.Text, c.Start, c.End)
			continue
		}
		end = c.End
		for _, e := range c.Citations {
			source := sources[e.PassageID]
			if e.Start < 0 || e.End > len(source) || e.Start > e.End || string(source[e.Start:e.End]) != e.Quote {
				t.Errorf("%+v is no span of its passage", e)
			}
		}
		if c.Verdict == kb.ClaimSupported && len(c.Citations) == 0 {
			t.Errorf("%q is supported by nothing", c.Text)
		}
	}
}
