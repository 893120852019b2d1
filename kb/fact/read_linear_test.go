package fact

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReadIsLinear reads awkward texts at two lengths: ten times the text must not
// take a hundred times as long. The bound is wide, since the machine may be busy.
func TestReadIsLinear(t *testing.T) {
	e := New(Config{})
	for name, unit := range map[string]string{
		"brackets": "（", "commas": "，的", "conditions": "if a ", "numbers": "5 and ", "denials": "不", "enumeration": "甲、", "quotes": "“", "steps": "第一步",
		"verbs": "runs and has ", "cells": "|1", "tags": "<td>", "rows": "<tr><td rowspan=9>", "exceptions": "除外", "words": "a", "spaces": " \n", "reasons": "because of x ", "comparisons": "比高于", "aliases": "X (the \"Y\") ",
	} {
		t.Run(name, func(t *testing.T) {
			measure := func(n int) time.Duration {
				s := strings.Repeat(unit, n/len(unit)+1)
				best := time.Hour
				for range 3 {
					begin := processTime(t)
					p := e.Read(Source{Text: s})
					best = min(best, processTime(t)-begin)
					if len(p.Facts) > 8+2*len(p.Runes) {
						t.Fatalf("%d facts in %d code points", len(p.Facts), len(p.Runes))
					}
				}
				return best
			}
			// A machine that is busy during the long text only is given another try.
			var short, long time.Duration
			for range 4 {
				short, long = measure(3000), measure(30000)
				if long <= 60*short+50*time.Millisecond {
					return
				}
			}
			t.Errorf("3,000 bytes take %v, 30,000 take %v", short, long)
		})
	}
}

// processTime is the CPU time that the process has used, which a busy machine stretches
// less than the clock.
func processTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
