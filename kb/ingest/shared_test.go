package ingest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest"
)

// shared is a folder of the public data, or skips the test.
func shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("SUFFICE_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	dir := filepath.Join(root, "data", name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("%s is not here; SUFFICE_SHARED names the folder that holds data/%s", dir, name)
	}
	return dir
}

// TestManualsAndLaws ingests real documents and checks every span of every chunk.
func TestManualsAndLaws(t *testing.T) {
	for _, name := range []string{"laws-zh", "prometheus-docs", "weknora-docs-zh", "gitlab-handbook/content", "github-site-policy"} {
		t.Run(name, func(t *testing.T) {
			dir := shared(t, name)
			k := open(t)
			r := paths(t, ingest.New(k, ingest.Options{}), dir)
			if r.Documents == 0 || r.Chunks < r.Documents {
				t.Fatalf("report: %+v", r)
			}
			t.Logf("%d documents, %d chunks in %.1f s, %d skipped", r.Documents, r.Chunks, r.Seconds, len(r.Skipped))
			articles, lines := 0, 0
			article := regexp.MustCompile(`(?m)^\s*第[一二三四五六七八九十百千零]+条(之[一二三四五六七八九十]+)?[ 　]`)
			after := int64(0)
			for {
				changes, err := k.Changes(t.Context(), after, 200)
				if err != nil {
					t.Fatal(err)
				}
				if len(changes) == 0 {
					break
				}
				for _, c := range changes {
					after = c.Seq
					articles += spans(t, c)
					lines += len(article.FindAllString(c.Document.Text, -1))
				}
			}
			if name == "laws-zh" && (lines < 500 || articles < lines*99/100) {
				t.Errorf("%d articles have a chunk that begins with them, the texts have %d", articles, lines)
			}
			if again := paths(t, ingest.New(k, ingest.Options{}), dir); again.Versions != 0 {
				t.Errorf("a second time: %+v", again)
			}
		})
	}
}

// spans checks the chunks of a document and counts those of an article.
func spans(t *testing.T, c kb.DocumentChange) int {
	t.Helper()
	runes := []rune(c.Document.Text)
	articles, end := 0, 0
	seen := map[string]bool{}
	for _, ch := range c.Chunks {
		if ch.Start < end || ch.End <= ch.Start || ch.End > len(runes) || string(runes[ch.Start:ch.End]) != ch.Text {
			t.Fatalf("%s: chunk %d does not lie at %d..%d", c.Document.ID, ch.Ordinal, ch.Start, ch.End)
		}
		end = ch.End
		if n := len(ch.HeadingPath); n > 0 && strings.HasPrefix(ch.HeadingPath[n-1], "第") && strings.Contains(ch.HeadingPath[n-1], "条") {
			key := strings.Join(ch.HeadingPath, "/")
			if !seen[key] {
				articles++
			}
			seen[key] = true
		}
	}
	return articles
}
