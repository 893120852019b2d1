package chunk

import (
	"bytes"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// FrontMatter returns the YAML between the --- lines that open a Markdown
// document and the byte where the body begins. Without front matter it returns
// "" and 0. The YAML itself is not checked.
func FrontMatter(s string) (yaml string, body int) {
	rest := strings.TrimPrefix(s, "\ufeff")
	at := len(s) - len(rest)
	line, n := nextLine(s, at)
	if strings.TrimRight(line, " \t\r\n") != "---" {
		return "", 0
	}
	from := at + n
	at = from
	first := true
	for at < len(s) {
		line, n = nextLine(s, at)
		t := strings.TrimRight(line, " \t\r\n")
		if t == "---" || t == "..." {
			return s[from:at], at + n
		}
		if t != "" && first && !strings.HasPrefix(t, "#") {
			first = false
			if !keyLine(t) {
				return "", 0
			}
		}
		at += n
	}
	return "", 0
}

// keyLine tells "title: …" from a paragraph between two thematic breaks.
func keyLine(s string) bool {
	i := strings.IndexByte(s, ':')
	if i <= 0 || i+1 < len(s) && s[i+1] != ' ' && s[i+1] != '\t' {
		return false
	}
	return !strings.ContainsAny(s[:i], " \t*[](){}|`")
}

func nextLine(s string, at int) (string, int) {
	if i := strings.IndexByte(s[at:], '\n'); i >= 0 {
		return s[at : at+i+1], i + 1
	}
	return s[at:], len(s) - at
}

// markdown is the parser; it keeps no state between documents.
var markdown = sync.OnceValue(func() goldmark.Markdown { return goldmark.New(goldmark.WithExtensions(extension.Table)) })

func markdownBlocks(s string) []block {
	_, body := FrontMatter(s)
	if body == 0 && strings.HasPrefix(s, "\ufeff") {
		body = len("\ufeff")
	}
	src := []byte(s[body:])
	root := markdown().Parser().Parse(text.NewReader(src))
	var out []block
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		pos := n.Pos()
		if pos < 0 || pos > len(src) {
			continue
		}
		start := body + lineStart(src, pos)
		if len(out) == 0 {
			start = body
		} else if start <= out[len(out)-1].start {
			continue
		}
		b := block{start: start}
		switch n := n.(type) {
		case *ast.Heading:
			b.kind, b.level, b.title = heading, n.Level, plain(n, src)
		case *ast.List:
			b.kind = list
			b.cuts = items(n, src, body)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			b.kind = code
		case *extast.Table:
			b.kind = table
			header := start
			if first := n.FirstChild(); first != nil && first.Pos() >= 0 {
				header = body + lineStart(src, first.Pos())
			}
			_, l := nextLine(s, header)
			_, m := nextLine(s, header+l)
			b.head = [2]int{header, header + l + m}
		case *ast.HTMLBlock:
			if l := n.Lines(); l.Len() > 0 && bytes.Contains(bytes.ToLower(l.Value(src)), []byte("<table")) {
				b.kind = table
			}
		case *ast.Blockquote:
			b.cuts = items(n, src, body)
		}
		if k := len(out); k > 0 {
			out[k-1].end = b.start
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		return []block{{start: body, end: len(s)}}
	}
	out[len(out)-1].end = len(s)
	for i := range out {
		// A table ends where its last row ends; its header may not reach beyond.
		if out[i].head[1] > out[i].end {
			out[i].head = [2]int{}
		}
	}
	return out
}

func lineStart(src []byte, pos int) int {
	return bytes.LastIndexByte(src[:pos], '\n') + 1
}

// items gives the line starts of the children of a list or quote, one slice for
// each depth.
func items(n ast.Node, src []byte, base int) [][]int {
	var levels [][]int
	var visit func(n ast.Node, depth int)
	visit = func(n ast.Node, depth int) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if c.Type() != ast.TypeBlock {
				return
			}
			d := depth
			if _, isList := c.(*ast.List); !isList && c.Pos() >= 0 && c.Pos() <= len(src) {
				for len(levels) <= depth {
					levels = append(levels, nil)
				}
				levels[depth] = append(levels[depth], base+lineStart(src, c.Pos()))
				d++
			}
			if d < 8 {
				visit(c, d)
			}
		}
	}
	visit(n, 0)
	return levels
}

// plain is the text of a heading without its markup.
func plain(n ast.Node, src []byte) string {
	var b strings.Builder
	var visit func(n ast.Node)
	visit = func(n ast.Node) {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			switch c := c.(type) {
			case *ast.Text:
				b.Write(c.Segment.Value(src))
				if c.SoftLineBreak() || c.HardLineBreak() {
					b.WriteByte(' ')
				}
			case *ast.String:
				b.Write(c.Value)
			case *ast.AutoLink:
				b.Write(c.Label(src))
			default:
				visit(c)
			}
		}
	}
	visit(n)
	return strings.Join(strings.Fields(b.String()), " ")
}
