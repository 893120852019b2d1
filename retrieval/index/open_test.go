package index

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/retrieval/retrievaltest"
	"suffice.dev/suffice/text/lexicon"
)

// BenchmarkOpen opens the same folder from its checkpoint and by replaying its log, in turn;
// times-cpu is how many times the processor time of the first the second takes. The folder is the one that
// BenchmarkScale left in SUFFICE_SCALE_KEEP, or one of 4,000 made-up chunks.
//
//	SUFFICE_SCALE_KEEP=K go test ./retrieval/index -run '^$' -bench Open -benchtime 1x
func BenchmarkOpen(b *testing.B) {
	dir := os.Getenv("SUFFICE_SCALE_KEEP")
	opt := Options{Logger: slog.New(slog.DiscardHandler), Match: lexicon.Default().Match, Replay: 1}
	if dir == "" {
		dir = b.TempDir()
		x := opened(b, dir, opt)
		var docs []kb.Document
		for i := range 4000 {
			var text strings.Builder
			for j := range 40 {
				_, _ = fmt.Fprintf(&text, "Part %d of series %d weighs %d grams. 第%d号房间的编号是%d。", i, j, i*j%977, j, i*j%1999)
			}
			docs = append(docs, kb.Document{ID: fmt.Sprint("d", i), Text: text.String()})
		}
		if err := x.Sync(b.Context(), retrievaltest.NewFeed(docs...)); err != nil {
			b.Fatal(err)
		}
		shut(b, x)
	}
	shut(b, opened(b, dir, opt)) // has a checkpoint
	var replayed, restored, replayedWall, restoredWall time.Duration
	for b.Loop() {
		whole := opt
		whole.Replay = -1
		cpu, start := processor(b), time.Now()
		x := opened(b, dir, whole)
		replayed, replayedWall = replayed+processor(b)-cpu, replayedWall+time.Since(start)
		chunks := x.Chunks()
		shut(b, x)
		cpu, start = processor(b), time.Now()
		x = opened(b, dir, opt)
		restored, restoredWall = restored+processor(b)-cpu, restoredWall+time.Since(start)
		if x.image == nil || x.Chunks() != chunks {
			b.Fatalf("%d chunks, want %d; checkpoint used: %v", x.Chunks(), chunks, x.image != nil)
		}
		b.ReportMetric(float64(chunks), "chunks")
		b.Log(resident(b))
		shut(b, x)
	}
	n := float64(b.N)
	b.ReportMetric(replayed.Seconds()/n, "replay-cpu-s")
	b.ReportMetric(restored.Seconds()/n, "checkpoint-cpu-s")
	b.ReportMetric(replayed.Seconds()/restored.Seconds(), "times-cpu")
	b.ReportMetric(replayedWall.Seconds()/restoredWall.Seconds(), "times-wall")
}

func opened(b *testing.B, dir string, opt Options) *Index {
	b.Helper()
	x, err := Open(dir, opt)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

func shut(b *testing.B, x *Index) {
	b.Helper()
	if err := x.Close(); err != nil {
		b.Fatal(err)
	}
}

// processor is the time that this process has had of all processors.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkCheckpoint compares what a change waits for when a checkpoint is due (the frozen
// copy) with what goes on beside it (writing), over 4,000 made-up chunks.
//
//	go test ./retrieval/index -run '^$' -bench Checkpoint -benchtime 3x
func BenchmarkCheckpoint(b *testing.B) {
	dir := b.TempDir()
	x := opened(b, dir, Options{Logger: slog.New(slog.DiscardHandler), Match: lexicon.Default().Match, Replay: -1})
	var docs []kb.Document
	for i := range 4000 {
		var text strings.Builder
		for j := range 40 {
			_, _ = fmt.Fprintf(&text, "Part %d of series %d weighs %d grams. 第%d号房间的编号是%d。", i, j, i*j%977, j, i*j%1999)
		}
		docs = append(docs, kb.Document{ID: fmt.Sprint("d", i), Text: text.String()})
	}
	if err := x.Sync(b.Context(), retrievaltest.NewFeed(docs...)); err != nil {
		b.Fatal(err)
	}
	var frozen, written time.Duration
	for b.Loop() {
		cpu := processor(b)
		f := x.freeze()
		frozen += processor(b) - cpu
		cpu = processor(b)
		if err := x.checkpoint(f); err != nil {
			b.Fatal(err)
		}
		written += processor(b) - cpu
	}
	n := float64(b.N)
	b.ReportMetric(frozen.Seconds()/n, "frozen-cpu-s")
	b.ReportMetric(written.Seconds()/n, "written-cpu-s")
	shut(b, x)
}
