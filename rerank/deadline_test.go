package rerank_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/rerank"
)

// ending is a context that is cancelled when it was asked so many times whether it is.
type ending struct {
	context.Context     //nolint:containedctx // it is one
	left            int // questions until it ends
	asked           int // all of them
}

func (e *ending) Err() error {
	e.asked++
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestAssessEndsWithItsContext: whenever the caller leaves, the work ends there, however many
// things are asked of however many passages.
func TestAssessEndsWithItsContext(t *testing.T) {
	const things, pages = 6, 5
	a := kb.Analysis{Class: kb.Numeric, Language: "en"}
	for i := range things {
		name := fmt.Sprintf("deck%d", i)
		a.Question += fmt.Sprintf("How many seats does %s have? ", name)
		a.Slots = append(a.Slots, kb.Slot{Name: fmt.Sprintf("value_%d", i+1), Role: kb.Asked, Required: true, Subject: name, Attribute: "seats", Expect: kb.ExpectQuantity, Unit: "seats"})
	}
	req := kb.AssessRequest{Analysis: a}
	for i := range pages {
		text := strings.Repeat(fmt.Sprintf("Deck%d has %d seats. ", i, 40+i), 3)
		req.Candidates = append(req.Candidates, kb.Candidate{Passage: kb.Passage{ID: fmt.Sprint("p", i), Text: text}, Rank: i + 1})
	}
	l := assessor(t, rerank.Default(), nil)
	whole := &ending{Context: t.Context(), left: 1 << 30}
	if _, err := l.Assess(whole, req); err != nil {
		t.Fatal(err)
	}
	if least := things*pages + 2*things + pages; whole.asked < least {
		t.Fatalf("the context was asked %d times, want %d or more: for each thing on each passage", whole.asked, least)
	}
	for after := range whole.asked - 1 {
		ctx := &ending{Context: t.Context(), left: after}
		if _, err := l.Assess(ctx, req); !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after %d questions: %v, want context.Canceled", after, err)
		}
		if more := ctx.asked - after; more > 6 {
			t.Errorf("cancelled after %d questions, asked %d times more: the work went on", after, more)
		}
	}
}
