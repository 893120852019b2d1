package batch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/services"
)

// Options of Run.
type Options struct {
	Jobs      int          // lines worked on at once; 0 = number of cores
	LineBytes int          // longest line; 0 = DefaultLimits().BodyBytes
	NoGaps    bool         // ask: test traffic, no gap is written
	Logger    *slog.Logger // for what a caller must not see of internal errors; nil = none
}

// Summary says what Run did.
type Summary struct {
	Lines  int // with content
	Failed int // of these, answered with an error object
}

// Run answers each line of in by one line of out, in the same order. A line that
// cannot be processed gives an error object and the others go on; blank lines are
// skipped. Each reply is written as soon as it and those before it are there.
//
// The error is that of reading, of writing or the context's; failed lines are none. No call
// is at work any more when Run returns.
func Run(ctx context.Context, command Command, calls Calls, in io.Reader, out io.Writer, opts Options) (Summary, error) {
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
	if opts.LineBytes <= 0 {
		opts.LineBytes = services.DefaultLimits().BodyBytes
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}

	type result struct {
		line   []byte
		failed bool
	}
	group, ctx := errgroup.WithContext(ctx)
	// The queue holds, in input order, where each line's result will come from. Its
	// length bounds how far the workers run ahead of a slow line.
	queue := make(chan chan result, 4*opts.Jobs)
	workers := make(chan struct{}, opts.Jobs)
	var answers sync.WaitGroup

	// A read cannot be interrupted. So that a canceled Run does not wait for the other
	// end of a pipe, reading has a goroutine of its own, which ends with its read.
	lines := make(chan line)
	go readLines(ctx, in, opts.LineBytes, lines)

	group.Go(func() error {
		defer close(queue)
		for {
			var l line
			select {
			case l = <-lines:
			case <-ctx.Done():
				return ctx.Err()
			}
			if errors.Is(l.err, io.EOF) {
				return nil
			}
			if l.err != nil && !errors.Is(l.err, kb.ErrInvalid) {
				return fmt.Errorf("read line %d: %w", l.number, l.err)
			}
			select {
			case workers <- struct{}{}:
			case <-ctx.Done():
				return ctx.Err()
			}
			done := make(chan result, 1)
			answers.Go(func() {
				defer func() { <-workers }()
				if l.err != nil {
					done <- result{ErrorObject("", l.number, l.err), true}
					return
				}
				reply, failed := answer(ctx, command, calls, l.data, l.number, opts)
				done <- result{reply, failed}
			})
			select {
			case queue <- done:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})

	var sum Summary
	group.Go(func() error {
		w := bufio.NewWriter(out)
		for done := range queue {
			var r result
			select {
			case r = <-done:
			default: // a slow line: who waits at the other end of a pipe sees those before it
				if err := w.Flush(); err != nil {
					return fmt.Errorf("write a reply: %w", err)
				}
				r = <-done
			}
			if ctx.Err() != nil { // a call that was cut short is no reply
				return ctx.Err()
			}
			sum.Lines++
			if r.failed {
				sum.Failed++
			}
			if _, err := w.Write(append(r.line, '\n')); err != nil {
				return fmt.Errorf("write a reply: %w", err)
			}
			if len(queue) == 0 {
				if err := w.Flush(); err != nil {
					return fmt.Errorf("write a reply: %w", err)
				}
			}
		}
		if err := w.Flush(); err != nil {
			return fmt.Errorf("write a reply: %w", err)
		}
		return nil
	})
	err := group.Wait()
	answers.Wait()
	return sum, err
}

// answer is the reply to one line, or its error object.
func answer(ctx context.Context, command Command, calls Calls, data []byte, number int, opts Options) (reply []byte, failed bool) {
	defer func() {
		if r := recover(); r != nil {
			opts.Logger.ErrorContext(ctx, "panic", "action", command.Name, "line", number, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
			reply, failed = ErrorObject(lineID(data), 0, errors.New("panic")), true
		}
	}()
	reply, id, err := command.run(ctx, calls, data, opts.NoGaps)
	if err == nil {
		return reply, false
	}
	if services.Describe(err).Code == codes.Internal {
		opts.Logger.ErrorContext(ctx, "internal error", "action", command.Name, "line", number, "error", err)
	}
	if errors.Is(err, ErrNotObject) {
		return ErrorObject("", number, err), true
	}
	return ErrorObject(id, 0, err), true
}

// line is a line of the input, or why there is none.
type line struct {
	data   []byte
	number int
	err    error
}

// readLines sends the lines of in up to its end or an error, which is sent too.
func readLines(ctx context.Context, in io.Reader, most int, lines chan<- line) {
	r := lineReader{in: bufio.NewReaderSize(in, 64<<10), most: most}
	for {
		data, number, err := r.next()
		select {
		case lines <- line{data, number, err}:
		case <-ctx.Done():
			return
		}
		if err != nil && !errors.Is(err, kb.ErrInvalid) {
			return
		}
	}
}

// lineReader reads lines with content.
type lineReader struct {
	in     *bufio.Reader
	most   int // bytes
	number int // of the last line read, from 1
}

// next is the next line that is not blank, without its end, and its number. The
// error of a line that is too long is kb.ErrInvalid, and the next call goes on after it.
func (r *lineReader) next() ([]byte, int, error) {
	for {
		r.number++
		var line []byte
		long := false
		var err error
		for {
			var part []byte
			part, err = r.in.ReadSlice('\n')
			if len(line)+len(part) > r.most+1 {
				long, line = true, nil
			} else if !long {
				line = append(line, part...)
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, r.number, err
		}
		if long {
			return nil, r.number, kb.Invalid("line", "is longer than %d bytes", r.most)
		}
		if r.number == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(bytes.TrimSpace(line)) > 0 {
			return line, r.number, nil
		}
		if err != nil {
			return nil, r.number, io.EOF
		}
	}
}
