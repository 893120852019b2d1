package precheck_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/precheck/prechecktest"
)

func TestConformance(t *testing.T) {
	for name, c := range map[string]precheck.Config{"model": {}, "rules": {RulesOnly: true}, "no expansions": {MaxExpansions: -1}} {
		t.Run(name, func(t *testing.T) {
			p, err := precheck.New(c)
			if err != nil {
				t.Fatal(err)
			}
			prechecktest.Run(t, p)
		})
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"那上海呢？", "How much is A and B?", "what, if, 3.5 ㎡ 和 4,000?", "it it it the the", "《》“”…。、", "\x00\xff", "2025年13月几号", "和和和比比比的的的"} {
		f.Add(s, "北京的补贴是多少？")
	}
	p, err := precheck.New(precheck.Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, q, before string) {
		if len(q) > 600 || len(before) > 600 {
			return
		}
		a, err := p.Analyze(context.Background(), kb.Question{Text: q, History: []kb.Turn{{Question: before}}})
		if err != nil {
			return
		}
		prechecktest.Check(t, a)
	})
}

func FuzzParseRules(f *testing.F) {
	f.Add([]byte("rules:\n- {id: a, class: CAUSE, prio: 3, forms: [\"^(a|b)…{c}$\"]}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := precheck.ParseRules("f", data)
		if err != nil {
			return
		}
		p, err := precheck.New(precheck.Config{Rules: r})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Analyze(context.Background(), kb.Question{Text: "a b c 为什么"}); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		if _, err := precheck.New(precheck.Config{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	p, err := precheck.New(precheck.Config{})
	if err != nil {
		b.Fatal(err)
	}
	for name, q := range map[string]string{
		"zh":   "雾凇宾馆去年的平均房价是多少，可以带宠物入住吗？",
		"en":   "How much is the deposit for the Birch hall and when is it returned?",
		"long": "我们公司计划明年在三个城市开设新的门店，预算已经批准，装修方案还在讨论，员工也开始招聘，想请问一下在这种情况下，总部对新店的开业补贴标准是多少，需要哪些部门审批，最晚什么时候提交申请材料？",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Analyze(context.Background(), kb.Question{Text: q}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseRules(b *testing.B) {
	data, err := os.ReadFile("data/rules.yaml")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := precheck.ParseRules("rules.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}

// processTime is the processor time of this process so far.
func processTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLongQuestion holds the work on the longest question that a request may carry
// (8,000 code points) within bounds that a quadratic reading would break.
func TestLongQuestion(t *testing.T) {
	p, err := precheck.New(precheck.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"请问年假和病假哪个多，能不能一起休？", "what is the fee and how much is the deposit ", "和比的", "it ", "1,"} {
		q := strings.Repeat(part, 8000/len([]rune(part)))
		start := processTime(t)
		a, err := p.Analyze(context.Background(), kb.Question{Text: q})
		if err != nil && !errors.Is(err, kb.ErrInvalid) { // it may ask too many things
			t.Fatal(err)
		}
		// Time of the processor: that of the clock is the other load on the machine.
		if d := processTime(t) - start; d > time.Second {
			t.Errorf("%q repeated takes %v", part, d)
		} else {
			t.Logf("%q repeated: %v", part, d)
		}
		if err == nil {
			prechecktest.Check(t, a)
		}
	}
}
