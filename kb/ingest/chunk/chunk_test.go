package chunk

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
)

// want is a chunk as the cases write it.
type want struct {
	Text string
	Path []string
	Kind string
	Lead string
}

// TestCases reads testdata/*.yaml: a document and its chunks.
func TestCases(t *testing.T) {
	for _, name := range []string{"testdata/markdown.yaml", "testdata/plain.yaml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Name   string
			ID     string
			Text   string
			CRLF   bool `yaml:"crlf"`
			Target int
			Max    int
			Title  string
			Chunks []want
		}
		if err := yaml.Unmarshal(data, &cases); err != nil {
			t.Fatal(err)
		}
		if len(cases) < 5 {
			t.Errorf("%s: only %d cases", name, len(cases))
		}
		for _, c := range cases {
			t.Run(c.Name, func(t *testing.T) {
				cfg := Default()
				if c.Target > 0 {
					cfg = Config{c.Target, c.Max}
				}
				text := c.Text
				if c.CRLF {
					text = strings.ReplaceAll(text, "\n", "\r\n")
				}
				doc := kb.Document{ID: c.ID, Text: text}
				chunks, title := Split(doc, cfg)
				check(t, doc, chunks)
				if title != c.Title {
					t.Errorf("title %q, want %q", title, c.Title)
				}
				var got []want
				for _, ch := range chunks {
					w := want{Text: ch.Text, Path: ch.HeadingPath, Kind: ch.Kind, Lead: ch.Lead}
					if w.Kind == "text" {
						w.Kind = ""
					}
					if c.CRLF {
						w.Text = strings.ReplaceAll(w.Text, "\r\n", "\n")
					}
					got = append(got, w)
				}
				if d := cmp.Diff(c.Chunks, got); d != "" {
					t.Errorf("chunks (-want +got):\n%s", d)
				}
			})
		}
	}
}

// check proves what holds for every document: exact spans in order, and each
// visible code point outside the front matter in exactly one chunk.
func check(t *testing.T, doc kb.Document, chunks []kb.Chunk) {
	t.Helper()
	runes := []rune(doc.Text)
	body := 0
	if MediaType(doc) == Markdown {
		_, bytes := FrontMatter(doc.Text)
		body = len([]rune(doc.Text[:bytes]))
	}
	at := body
	gap := func(to int) {
		for _, r := range runes[at:to] {
			if !unicode.IsSpace(r) && r != '\ufeff' {
				t.Fatalf("%q is in no chunk: %q", r, string(runes[at:to]))
			}
		}
	}
	for i, c := range chunks {
		if c.Ordinal != i || c.Start < at || c.End <= c.Start || c.End > len(runes) {
			t.Fatalf("chunk %d: ordinal %d, span %d..%d after %d in %d", i, c.Ordinal, c.Start, c.End, at, len(runes))
		}
		if got := string(runes[c.Start:c.End]); got != c.Text {
			t.Fatalf("chunk %d: text %q, span %q", i, c.Text, got)
		}
		gap(c.Start)
		at = c.End
	}
	gap(len(runes))
}

func TestLongDocuments(t *testing.T) {
	cfg := Default()
	for name, text := range map[string]string{
		"chinese":   strings.Repeat("水库每年检查两次，结果在公告栏公布。", 2000),
		"english":   strings.Repeat("The reservoir is inspected twice a year, and the result is posted. ", 1500),
		"no stops":  strings.Repeat("水库", 20000),
		"no spaces": strings.Repeat("x", 50000),
		"emoji":     strings.Repeat("🦆", 9000),
		"list":      "Rules:\n\n" + strings.Repeat("- Feed the ducks only at noon, and never bread.\n", 500),
		"nested":    strings.Repeat("- a\n  - b is longer than a\n    - c is longer still than both\n", 400),
		"table":     "| duck | day |\n|---|---|\n" + strings.Repeat("| mallard | Monday |\n", 1000),
		"code":      "```\n" + strings.Repeat("quack(1)\n", 3000) + "```\n",
		"quote":     strings.Repeat("> quoted line of some length that goes on\n", 600),
	} {
		t.Run(name, func(t *testing.T) {
			doc := kb.Document{ID: "x", Text: text}
			chunks, _ := Split(doc, cfg)
			check(t, doc, chunks)
			total := weigh(text)
			for _, c := range chunks {
				if w := weigh(c.Text); w > cfg.Max {
					t.Errorf("chunk %d has size %d, more than %d", c.Ordinal, w, cfg.Max)
				}
			}
			if most := 2*total/cfg.Target + 2; len(chunks) > most {
				t.Errorf("%d chunks for a size of %d, want at most %d", len(chunks), total, most)
			}
			if name == "table" || name == "list" {
				for _, c := range chunks[1:] {
					if c.Lead == "" {
						t.Errorf("chunk %d is cut off without its lead", c.Ordinal)
					}
				}
			}
		})
	}
}

// TestLinear guards against work that grows with the square of the text.
func TestLinear(t *testing.T) {
	for name, unit := range map[string]string{
		"prose": "A duck swims. ", "lines": "duck\n", "articles": "第一条 鸭子不得入内。\n", "items": "- duck\n", "stars": "*", "brackets": "[", "han": "鸭",
	} {
		start := time.Now()
		text := strings.Repeat(unit, 400000/len(unit))
		Split(kb.Document{ID: "x.txt", Text: text}, Config{})
		if name != "stars" && name != "brackets" {
			Split(kb.Document{ID: "x.md", Text: text}, Config{})
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: %v for 400 kB", name, d)
		}
	}
}

func TestConfig(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("the default: %v", err)
	}
	err := Config{Target: 1, Max: 0}.Validate()
	if err == nil || !strings.Contains(err.Error(), "target 1") || !strings.Contains(err.Error(), "max 0") {
		t.Errorf("both problems are to be named: %v", err)
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"---\ntitle: A\n---\n# A\r\n\r\n- a\n  - b\n\n| a | b |\n|--|--|\n| 1 | 2 |\n", "\ufeff# A\n\n```\ncode\n```\n> q\n", "第一章 总则\n\n第一条 甲。\n第二条 乙。",
		"[a]: http://x\n\n***\n\n<table><tr><td>1</td></tr></table>\n", "Article 1. Ducks\n\nText.\n\nArticle 2. Geese\n\nText 🦢.", "a\n===\n\nb\n---\n", "\x85\u2028x\u00a0",
		"1. a\n\n   para\n\n   | a |\n   |---|\n   | b |\n2. c",
	} {
		f.Add(s, true, 100)
		f.Add(s, false, 1200)
	}
	f.Fuzz(func(t *testing.T, s string, markdown bool, target int) {
		s = strings.ToValidUTF8(s, "?")
		doc := kb.Document{ID: "d", Text: s, MediaType: Plain}
		if markdown {
			doc.MediaType = Markdown
		}
		cfg := Config{Target: 100 + (target%1000+1000)%1000}
		cfg.Max = 2 * cfg.Target
		chunks, title := Split(doc, cfg)
		check(t, doc, chunks)
		if title == "" {
			t.Error("no title")
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	text := "# Ducks\n\n" + strings.Repeat("## Feeding\n\nThe ducks are fed at noon. Bread is not allowed:\n\n- corn\n- peas\n\n| day | keeper |\n|---|---|\n| Monday | Ilse |\n\n鸭子每天中午喂食。\n\n", 200)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Split(kb.Document{ID: "x.md", Text: text}, Config{})
	}
}
