package chunk

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/text"
)

// plainBlocks cuts plain text at blank lines. A short first line that stands
// alone is the document's heading.
func plainBlocks(s string) []block {
	var out []block
	start, at := 0, 0
	for at < len(s) {
		line, n := nextLine(s, at)
		if strings.TrimFunc(line, blank) == "" {
			if at > start {
				out = append(out, block{start: start, end: at})
			}
			start = at + n
		}
		at += n
	}
	if start < len(s) {
		out = append(out, block{start: start, end: len(s)})
	}
	for i := range out {
		b := &out[i]
		t := strings.TrimFunc(s[b.start:b.end], blank)
		if strings.ContainsRune(t, '\n') || !titleLike(t, 60) {
			continue
		}
		if _, numbered := provisionLine(t); numbered {
			continue
		}
		switch {
		case i == 0 && len(out) > 1:
			b.kind, b.level, b.title = heading, 1, t
		case capitals(t):
			b.kind, b.level, b.title = heading, 2, t
		}
	}
	return out
}

// titleLike reports whether a line may be a heading: short, and no sentence.
func titleLike(s string, most int) bool {
	if s == "" || weigh(s) > 2*most {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	switch last {
	case '。', '.', '！', '!', '？', '?', '；', ';', '，', ',', '：', ':', '、':
		return false
	}
	return !strings.ContainsAny(s, "。；")
}

func capitals(s string) bool {
	letters := 0
	for _, r := range s {
		if unicode.IsLower(r) || text.IsHan(r) {
			return false
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	return letters >= 3
}

const hanDigits = "〇零一二三四五六七八九十百千两0-9０-９"

var (
	zhMark = regexp.MustCompile(`^第[` + hanDigits + `]{1,9}(分编|编|章|节|条)(之[` + hanDigits + `]{1,3})?`)
	zhItem = regexp.MustCompile(`^[一二三四五六七八九十]{1,3}、`)
	enMark = regexp.MustCompile(`^(?i:(part|chapter|article|section|clause))[ \t]+([0-9]{1,4}[A-Za-z]?|[IVXLC]{1,6}|[A-Z])(\.|:|[ \t]*[-–—]|[ \t]*$|[ \t]{2,}|[ \t]\p{Lu})`)
)

// provision is a line that opens a part of a law, a contract or a policy.
type provision struct {
	at    int // byte of the line
	end   int // end of the line
	level int
	title string
	leaf  bool
	family
}

// family is a way to number the parts of a document.
type family uint8

const (
	zhFamily family = iota
	zhNumerals
	enFamily
)

// provisions makes headings of the lines that open a 章, 节, 条, Article or
// Section, in blocks that Markdown takes for paragraphs. A single such line is
// more likely a mention than a structure, so two of a family are needed.
func provisions(s string, blocks []block) []block {
	found := make([][]provision, len(blocks))
	count := map[family]int{}
	for i, b := range blocks {
		if b.kind != prose {
			continue
		}
		for at := b.start; at < b.end; {
			line, n := nextLine(s[:b.end], at)
			from, to := trim(s, at, at+len(line))
			if from < to {
				if p, ok := provisionLine(s[from:to]); ok {
					p.at, p.end = from, at+n
					if p.level != levelNumeral || alone(s, b, from, to) {
						found[i] = append(found[i], p)
						count[p.family]++
					}
				}
			}
			at += n
		}
	}
	if len(count) == 0 {
		return blocks
	}
	var out []block
	for i, b := range blocks {
		rest := b
		for _, p := range found[i] {
			if count[p.family] < 2 {
				continue
			}
			if p.at > rest.start {
				head := rest
				head.end = p.at
				out = append(out, head)
			}
			h := block{start: p.at, end: p.end, kind: heading, level: p.level, title: p.title, leaf: p.leaf}
			out = append(out, h)
			rest.start = p.end
		}
		if rest.start < rest.end || len(found[i]) == 0 {
			out = append(out, rest)
		}
	}
	return out
}

func alone(s string, b block, from, to int) bool {
	return strings.TrimFunc(s[b.start:from], blank) == "" && strings.TrimFunc(s[to:b.end], blank) == ""
}

func provisionLine(line string) (provision, bool) {
	switch {
	case strings.HasPrefix(line, "第"):
		m := zhMark.FindStringSubmatch(line)
		if m == nil {
			return provision{}, false
		}
		rest := line[len(m[0]):]
		next, _ := utf8.DecodeRuneInString(rest)
		if m[1] == "条" {
			// 第三条规定的… mentions an article, 第三条 员工… opens one.
			if rest != "" && !unicode.IsSpace(next) && !strings.ContainsRune("：:【（(", next) {
				return provision{}, false
			}
			p := provision{level: levelClause, title: m[0], leaf: rest != ""}
			if titleLike(line, 20) {
				p.title = strings.Join(strings.Fields(line), " ")
			}
			return p, true
		}
		if rest != "" && !unicode.IsSpace(next) && !strings.ContainsRune("：:【", next) || !titleLike(line, 40) {
			return provision{}, false
		}
		level := map[string]int{"编": levelBook, "分编": levelSubBook, "章": levelChapter, "节": levelSection}[m[1]]
		return provision{level: level, title: strings.Join(strings.Fields(line), " ")}, true
	case zhItem.MatchString(line):
		if !titleLike(line, 30) {
			return provision{}, false
		}
		return provision{level: levelNumeral, title: line, family: zhNumerals}, true
	}
	m := enMark.FindStringSubmatch(line)
	if m == nil {
		return provision{}, false
	}
	p := provision{family: enFamily, level: levelClause, title: strings.TrimRight(m[1]+" "+m[2], " .:")}
	switch strings.ToLower(m[1]) {
	case "part":
		p.level = levelBook
	case "chapter":
		p.level = levelChapter
	}
	if titleLike(strings.TrimRight(line, "."), 60) && weigh(line) <= 80 {
		p.title = strings.TrimRight(line, " .:")
		return p, true
	}
	if last, _ := utf8.DecodeLastRuneInString(m[0]); unicode.IsUpper(last) && m[3] != "" && !strings.ContainsAny(m[3], ".:-–—") {
		return provision{}, false // Section 2 Applies…: no stop after the number, and no heading
	}
	p.leaf = true
	return p, p.level == levelClause
}
