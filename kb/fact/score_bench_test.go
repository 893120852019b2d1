package fact

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"suffice.dev/suffice/text/lexicon"
)

// benchPassages are thirty passages of about 500 code points: the same kinds of
// sentence with other names and numbers, so that some of them share a subject and
// conflict.
func benchPassages(chinese bool) []Source {
	towns := []string{"Veldhoven", "Osterby", "Larkspur", "Minnow Bay", "Calder Reach", "Tarn Hill"}
	cities := []string{"凌川", "云岭", "霁野", "白汀", "松原渡", "青崖"}
	var out []Source
	for i := range 30 {
		var s string
		if chinese {
			c := cities[i%len(cities)]
			s = fmt.Sprintf("%s公共图书馆建于%d年，共有阅览座位%d个，藏书约%d万册。持证读者每次可以借阅图书%d册，借期不超过%d天；逾期不还的，每册每天收取0.%d元。未满十六周岁的读者须由监护人陪同办理借书证，残障人士除外。2023年，%s图书馆接待读者%d.5万人次，较上年增长%d%%。特藏文献由古籍部管理，不得外借，但经馆长批准可以复制。自修室位于主楼三层，法定节假日不开放。遗失图书的，应当按照原价的%d倍赔偿。办理借书证须缴纳押金%d元，退证时全额退还。",
				c, 1950+i, 800+10*i, 40+i, 5+i%4, 20+5*(i%3), 1+i%5, c, 30+i, 3+i%6, 2+i%2, 50+50*(i%3))
			for k := range 6 {
				s += fmt.Sprintf("第%d阅览室的%s开放时间为每日%d时至%d时。", i%7+k, []string{"期刊", "报纸", "地图", "乐谱", "手稿", "影像"}[k], 7+k%3, 18+i%4)
			}
			out = append(out, Source{Text: s, Title: c + "公共图书馆读者须知"})
			continue
		}
		c := towns[i%len(towns)]
		s = fmt.Sprintf("The %s depot was built in %d and stores up to %d bicycles on two floors. Members may borrow a bicycle for %d hours if they have paid the deposit of %d euros; visitors pay %d euros a day. Helmets are not provided unless the group has more than ten children. In 2023 the depot lent %d bicycles, %d%% more than in 2022. Repairs are carried out by the Ostrander workshop. Lost keys must be reported within %d days.",
			c, 1950+i, 900+10*i, 12+12*(i%3), 30+5*(i%4), 5+i%4, 18000+100*i, 3+i%6, 2+i%3)
		s += " Lights and locks are checked every week."
		out = append(out, Source{Text: s, Title: "Rules of the " + c + " depot"})
	}
	return out
}

func benchEngine() *Engine {
	return New(Config{Dictionary: lexicon.Default(), Contrasts: lexicon.DefaultContrasts()})
}

func benchNeed(chinese bool) Need {
	if chinese {
		return Need{Name: "value", Class: "NUMERIC", Question: "凌川公共图书馆每次可以借阅几册图书？", Subject: "凌川公共图书馆", Attribute: "借阅图书", Expect: "QUANTITY", Unit: "册"}
	}
	return Need{Name: "value", Class: "NUMERIC", Question: "How many bicycles does the Larkspur depot store?", Subject: "Larkspur depot", Attribute: "bicycles store", Expect: "QUANTITY"}
}

func benchMetas(sources []Source) []Meta {
	metas := make([]Meta, len(sources))
	for i, s := range sources {
		metas[i] = Meta{ID: fmt.Sprint(i), Title: s.Title, PublishedAt: time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC)}
	}
	return metas
}

// cpu runs f b.N times and reports the CPU time of the process for each, which says
// more than the clock on a machine that is shared.
func cpu(b *testing.B, f func()) {
	b.ReportAllocs()
	before := processTime(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(processTime(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
}

func score(e *Engine, needs []Need, pages []*Page, metas []Meta) {
	round := e.Round(pages, metas)
	round.Cover(context.Background(), needs)
	round.Conflicts(context.Background(), needs)
	for i, p := range pages {
		e.Density(p, metas[i], []string{"subject", "attribute", "value", "time"})
	}
}

func read(e *Engine, sources []Source) []*Page {
	pages := make([]*Page, len(sources))
	for i, s := range sources {
		pages[i] = e.Read(s)
	}
	return pages
}

// BenchmarkScoreStored is CDS, FGC and SID of one question over thirty stored passages:
// kept, pages that were asked before, as the reader keeps them; first, pages that have
// just come out of the store, of which nothing has been prepared.
func BenchmarkScoreStored(b *testing.B) {
	for _, chinese := range []bool{false, true} {
		for _, kept := range []bool{true, false} {
			b.Run(map[bool]string{false: "en", true: "zh"}[chinese]+map[bool]string{false: "/first", true: "/kept"}[kept], func(b *testing.B) {
				e, sources := benchEngine(), benchPassages(chinese)
				pages := read(e, sources)
				metas, needs := benchMetas(sources), []Need{benchNeed(chinese)}
				score(e, needs, pages, metas)
				cpu(b, func() {
					if !kept {
						for _, p := range pages {
							p.ready.Store(nil)
						}
					}
					score(e, needs, pages, metas)
				})
			})
		}
	}
}

// handbookPassages are thirty neighbouring pieces of the example handbook, of about 500
// code points each (Chinese ones 320, since there is no more text).
func handbookPassages(b *testing.B, language string) []Source {
	b.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "handbook", language, "*.md"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no handbook in %s: %v", language, err)
	}
	size := map[string]int{"en": 500, "zh": 320}[language]
	var out []Source
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		piece := ""
		for block := range strings.SplitSeq(string(raw), "\n\n") {
			piece += block + "\n\n"
			if len([]rune(piece)) < size {
				continue
			}
			if out = append(out, Source{Text: piece, Title: strings.TrimSuffix(filepath.Base(f), ".md")}); len(out) == 30 {
				return out
			}
			piece = ""
		}
	}
	b.Fatalf("only %d pieces in %s", len(out), language)
	return nil
}

// BenchmarkScoreHandbook is the same over pieces of documents such as a question meets:
// of one house, on many subjects.
func BenchmarkScoreHandbook(b *testing.B) {
	need := map[string]Need{
		"en": {Name: "value", Class: "NUMERIC", Question: "How many days of annual leave may be carried over?", Subject: "annual leave", Attribute: "days carried over", Expect: "QUANTITY", Unit: "days"},
		"zh": {Name: "value", Class: "NUMERIC", Question: "年假最多可以结转几天？", Subject: "年假", Attribute: "结转", Expect: "QUANTITY", Unit: "天"},
	}
	for _, language := range []string{"en", "zh"} {
		for _, stored := range []string{"kept", "first", "raw"} {
			b.Run(language+"/"+stored, func(b *testing.B) {
				e, sources := benchEngine(), handbookPassages(b, language)
				pages := read(e, sources)
				metas, needs := benchMetas(sources), []Need{need[language]}
				score(e, needs, pages, metas)
				cpu(b, func() {
					switch stored {
					case "first":
						for _, p := range pages {
							p.ready.Store(nil)
						}
					case "raw":
						pages = read(e, sources)
					}
					score(e, needs, pages, metas)
				})
			})
		}
	}
}

// BenchmarkScoreRaw reads the passages as well.
func BenchmarkScoreRaw(b *testing.B) {
	for _, chinese := range []bool{false, true} {
		b.Run(map[bool]string{false: "en", true: "zh"}[chinese], func(b *testing.B) {
			e, sources := benchEngine(), benchPassages(chinese)
			metas, needs := benchMetas(sources), []Need{benchNeed(chinese)}
			cpu(b, func() { score(e, needs, read(e, sources), metas) })
		})
	}
}
