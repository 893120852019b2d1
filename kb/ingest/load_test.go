package ingest

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"
)

// endless is a file without an end and without a line.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestBoundedLine(t *testing.T) {
	if _, err := boundedLine(bufio.NewReaderSize(endless{}, 1<<20)); !errors.Is(err, errLongLine) {
		t.Errorf("a line without an end: %v, want errLongLine", err)
	}
	r := bufio.NewReaderSize(strings.NewReader(strings.Repeat("a", 40)+"\nb"), 16)
	for _, want := range []struct {
		line string
		err  error
	}{{strings.Repeat("a", 40) + "\n", nil}, {"b", io.EOF}} {
		if got, err := boundedLine(r); string(got) != want.line || !errors.Is(err, want.err) {
			t.Errorf("line %q, %v; want %q, %v", got, err, want.line, want.err)
		}
	}
}
