package e5_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/retrieval/dense/e5"
)

func model(t *testing.T, busy func() bool) *e5.Model {
	t.Helper()
	m, err := e5.New(busy)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMeaningsAreNear: a question is nearest to the passage that answers it, in other
// words and in the other language.
func TestMeaningsAreNear(t *testing.T) {
	m := model(t, nil)
	if m.Dims() != 384 || m.Name() == "" {
		t.Fatalf("%q, %d dims", m.Name(), m.Dims())
	}
	passages, err := m.Embed(t.Context(), []string{
		"Employees may carry over at most five days of annual leave into the next year.",
		"The canteen is closed on public holidays.",
		"",
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range passages[2] {
		if x != 0 {
			t.Fatal("a blank passage has a vector")
		}
	}
	questions, err := m.Embed(t.Context(), []string{"How much unused vacation can I take with me to January?", "没休完的年假可以留到明年吗？"}, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		if near, far := embed.Cosine(q, passages[0]), embed.Cosine(q, passages[1]); near <= far {
			t.Errorf("question %d: %v to its passage, %v to the other", i, near, far)
		}
	}
}

// TestPassagesWait: passages wait while there is other work, questions do not; where it
// never ends they get on all the same.
func TestPassagesWait(t *testing.T) {
	var busy atomic.Bool
	busy.Store(true)
	m := model(t, busy.Load)
	done := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := m.Embed(t.Context(), []string{"The canteen is closed on public holidays."}, true)
		done <- err
	}()
	if _, err := m.Embed(t.Context(), []string{"When is the canteen closed?"}, false); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-done:
		t.Fatalf("the passage did not wait: %v after %v", err, time.Since(began))
	case <-time.After(300 * time.Millisecond): // of 12 waits of 250 ms
	}
	busy.Store(false)
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the passage still waits")
	}
	if e5.Slow() {
		return // the rest takes seconds on the portable kernels
	}
	busy.Store(true)
	if _, err := m.Embed(t.Context(), []string{"The canteen is closed on public holidays."}, true); err != nil {
		t.Fatal(err) // after 12 waits
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := m.Embed(ctx, []string{"The canteen is closed on public holidays."}, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("its time ended: %v", err)
	}
}
