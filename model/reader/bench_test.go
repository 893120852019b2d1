package reader

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	files "suffice.dev/suffice/models/reader"
)

// spent is the processor time of this process: under load it says more than the clock.
func spent(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkEncoder reports milliseconds of processor time a token, 12 layers.
func BenchmarkEncoder(b *testing.B) {
	built, err := E5()
	if err != nil {
		b.Fatal(err)
	}
	for _, k := range append(available(), &portable) {
		for _, c := range []struct {
			name     string
			texts    int
			sentence string
			repeat   int
		}{
			{"query", 1, "试用期员工的年假有几天？", 1},
			{"passage", 1, "正式员工每年享有带薪年假十天，试用期不计。", 10},
			{"five", 5, "正式员工每年享有带薪年假十天，试用期不计。", 10},
		} {
			b.Run(k.name+"/"+c.name, func(b *testing.B) {
				e := &encoder{built.Base, built.layers, k}
				w := e.take()
				for range c.texts {
					for _, p := range e.tokens.AppendPieces(nil, prefixPassage+strings.Repeat(c.sentence, c.repeat)) {
						w.ids = append(w.ids, p.ID)
					}
					w.add()
				}
				began := spent(b)
				for b.Loop() {
					if err := e.forward(context.Background(), w); err != nil {
						b.Fatal(err)
					}
				}
				tokens := float64(len(w.ids) * b.N)
				b.ReportMetric((spent(b)-began).Seconds()*1e3/tokens, "cpu-ms/token")
				b.ReportMetric(float64(len(w.ids)), "tokens")
			})
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	built, err := E5()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("base", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewBase("base.bin", files.Base, built.tokens); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("e5", func(b *testing.B) {
		for b.Loop() {
			if _, err := NewEmbedder("e5.bin", files.E5, built.Base); err != nil {
				b.Fatal(err)
			}
		}
	})
}
