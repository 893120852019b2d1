// Package chunk cuts a document into the pieces that are indexed, read and cited.
//
// A chunk is a stretch of the stored text: text[Start:End] == Chunk.Text in code
// points, whatever the line endings. The chunks of a document are in order, do not
// overlap, and together hold everything but white space and front matter. A chunk
// stays within one section; a list stays with its lead-in, a table and a code
// block stay whole while they fit.
package chunk

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// Media types that Split understands.
const (
	Markdown = "text/markdown"
	Plain    = "text/plain"
)

// Config sets the size of chunks. Sizes are in Latin letters; a Chinese character
// counts as two, since it says about as much.
type Config struct {
	Target int // size that chunks are filled up to
	Max    int // size up to which a list, a table or a code block stays whole
}

// Default is about 600 Chinese or 1200 Latin characters a chunk.
func Default() Config { return Config{Target: 1200, Max: 2400} }

// Validate reports every setting that is out of range.
func (c Config) Validate() error {
	var errs []error
	if c.Target < 100 || c.Target > 20000 {
		errs = append(errs, fmt.Errorf("target %d is not within 100..20000", c.Target))
	}
	if c.Max < c.Target || c.Max > 50000 {
		errs = append(errs, fmt.Errorf("max %d is not within target (%d)..50000", c.Max, c.Target))
	}
	return errors.Join(errs...)
}

// MediaType is the document's own media type, else the one its id's ending says,
// else Markdown.
func MediaType(doc kb.Document) string {
	if doc.MediaType != "" {
		return doc.MediaType
	}
	if strings.EqualFold(path.Ext(doc.ID), ".txt") {
		return Plain
	}
	return Markdown
}

// Split cuts the document and returns its title: the given one, else the first
// heading, else the file name, else the id. A zero Config is Default. The text
// must be valid UTF-8.
func Split(doc kb.Document, cfg Config) (chunks []kb.Chunk, title string) {
	if cfg == (Config{}) {
		cfg = Default()
	}
	var blocks []block
	if MediaType(doc) == Plain {
		blocks = plainBlocks(doc.Text)
	} else {
		blocks = markdownBlocks(doc.Text)
	}
	blocks = provisions(doc.Text, blocks)
	title = strings.TrimSpace(doc.Title)
	if title == "" {
		for _, b := range blocks {
			if b.kind == heading && b.level < levelBook && b.title != "" {
				title = b.title
				break
			}
		}
	}
	if title == "" {
		title = doc.ID
		switch strings.ToLower(path.Ext(doc.ID)) {
		case ".md", ".markdown", ".txt":
			title = path.Base(doc.ID)
		}
	}
	p := packer{cfg: cfg, text: doc.Text}
	for _, a := range atoms(doc.Text, blocks) {
		p.add(a)
	}
	p.flush()
	locate(doc.Text, p.out)
	return p.chunks(), title
}

type kind uint8

const (
	prose kind = iota
	heading
	list
	table
	code
)

// block is a heading or a top-level block of the document, as bytes of the text.
type block struct {
	start, end int
	kind       kind
	level      int    // of a heading; the smaller, the further out
	title      string // of a heading
	leaf       bool   // a heading whose line holds text of its own: 第三条 员工…
	cuts       [][]int
	head       [2]int // header rows of a table, which its further parts repeat as Lead
}

// Levels of headings that are no Markdown headings lie below all of those.
const (
	levelBook    = 10 + iota // 编, Part
	levelSubBook             // 分编
	levelChapter             // 章, Chapter
	levelSection             // 节
	levelNumeral             // 一、
	levelClause              // 条, Article, Section
)

// atom is a heading or what must not be separated while it fits: a list, a table
// or a code block together with the paragraph that leads into it.
type atom struct {
	block
	weight int
	lead   [2]int // lead-in, repeated as Lead on further parts
	whole  bool   // stays whole up to Max; otherwise up to Target and a half
}

func atoms(s string, blocks []block) []atom {
	out := make([]atom, 0, len(blocks))
	for _, b := range blocks {
		b.start, b.end = trim(s, b.start, b.end)
		if b.start >= b.end {
			continue
		}
		a := atom{block: b, weight: weigh(s[b.start:b.end]), whole: b.kind != prose && b.kind != heading, lead: b.head}
		if n := len(out) - 1; n >= 0 && a.kind != heading && out[n].kind == prose && out[n].weight <= 400 && leadsIn(s[out[n].start:out[n].end], a) {
			in := out[n]
			if a.whole && a.lead == [2]int{} {
				a.lead = [2]int{in.start, in.end}
			}
			a.start = in.start
			a.weight += in.weight
			out[n] = a
			continue
		}
		out = append(out, a)
	}
	return out
}

// leadsIn reports whether a paragraph announces the block that follows it.
func leadsIn(p string, a atom) bool {
	bare := strings.Trim(p, " \t\r\n*_")
	last, _ := utf8.DecodeLastRuneInString(bare)
	switch last {
	case ':', '：':
		return a.whole || a.weight <= 400
	case '。', '.', '!', '！', '?', '？', ';', '；':
		return false
	}
	// A paragraph all in bold is a heading in disguise; the caption of a table seldom
	// ends in a stop.
	bold := strings.HasPrefix(p, "**") && strings.HasSuffix(p, "**") && !strings.Contains(bare, "**") ||
		strings.HasPrefix(p, "__") && strings.HasSuffix(p, "__") && !strings.Contains(bare, "__")
	return (bold || a.kind == table) && utf8.RuneCountInString(p) <= 80
}

type piece struct {
	start, end int // bytes, then code points after locate
	byteStart  int
	byteEnd    int
	kind       kind
	path       []string
	lead       string
}

type packer struct {
	cfg  Config
	text string
	out  []piece

	path   []string
	levels []int

	open    bool // cur holds something
	content bool // cur holds more than headings
	cur     piece
	weight  int
	special int // weight of the table or code in cur
}

func (p *packer) add(a atom) {
	if a.kind == heading {
		nested := len(p.levels) > 0 && a.level > p.levels[len(p.levels)-1]
		if p.open && (p.content || !nested && p.weight > 0) {
			p.flush()
		}
		for len(p.levels) > 0 && p.levels[len(p.levels)-1] >= a.level {
			p.levels = p.levels[:len(p.levels)-1]
			p.path = p.path[:len(p.path)-1]
		}
		p.levels = append(p.levels, a.level)
		p.path = append(p.path[:len(p.path):len(p.path)], a.title)
		if a.leaf {
			a.kind = prose
		} else {
			p.append(a.start, a.end, a.weight)
			return
		}
	}
	if !strings.ContainsFunc(p.text[a.start:a.end], visible) {
		// A thematic break or the like says nothing: it goes with its neighbour.
		p.append(a.start, a.end, 0)
		return
	}
	limit := p.cfg.Max
	if !a.whole {
		limit = p.cfg.Target + p.cfg.Target/2
	}
	if a.weight <= limit {
		if p.content && p.weight+a.weight > p.cfg.Target {
			p.flush()
		}
		p.append(a.start, a.end, a.weight)
		p.content = true
		p.mark(a)
		return
	}
	if p.content {
		p.flush()
	}
	parts := p.parts(a)
	for i, part := range parts {
		p.append(part[0], part[1], weigh(p.text[part[0]:part[1]]))
		p.content = true
		p.mark(a)
		if i > 0 && a.lead != [2]int{} {
			p.cur.lead = strings.TrimSpace(p.text[a.lead[0]:a.lead[1]])
		}
		p.flush()
	}
}

func (p *packer) mark(a atom) {
	if a.kind == table || a.kind == code {
		p.special += a.weight
		p.cur.kind = a.kind
	}
}

func (p *packer) append(start, end, weight int) {
	if !p.open {
		p.open = true
		p.cur = piece{byteStart: start, path: p.path}
	}
	p.cur.byteEnd = end
	p.cur.path = p.path
	p.weight += weight
}

func (p *packer) flush() {
	if !p.open {
		return
	}
	if 2*p.special < p.weight {
		p.cur.kind = prose
	}
	p.out = append(p.out, p.cur)
	p.open, p.content, p.weight, p.special = false, false, 0, 0
}

// parts cuts an atom that is too large, at the outermost cuts that make the
// parts fit: items, then nested items or lines, then sentences, then anywhere.
func (p *packer) parts(a atom) [][2]int {
	levels := a.cuts
	if a.lead != [2]int{} && a.head == [2]int{} && len(levels) > 0 {
		// The lead-in goes with the first item.
		levels = append([][]int{after(levels[0], a.lead[1])}, levels[1:]...)
	}
	if a.whole {
		levels = append(levels[:len(levels):len(levels)], lineStarts(p.text, a.start, a.end))
	}
	return p.cut(a.start, a.end, levels)
}

// after drops the first cut at or behind pos and all before it.
func after(cuts []int, pos int) []int {
	for i, c := range cuts {
		if c >= pos {
			return cuts[i+1:]
		}
	}
	return nil
}

func (p *packer) cut(start, end int, levels [][]int) [][2]int {
	w := weigh(p.text[start:end])
	if w <= p.cfg.Target {
		return [][2]int{{start, end}}
	}
	n := (w + p.cfg.Target - 1) / p.cfg.Target
	goal := w/n + w/n/4
	if goal > p.cfg.Target {
		goal = p.cfg.Target
	}
	var stops []int
	rest := levels
	switch {
	case len(levels) > 0:
		stops, rest = levels[0], levels[1:]
	case p.text[start:end] != "":
		stops = sentenceStarts(p.text, start, end, goal)
		rest = nil
	}
	var out [][2]int
	from, last := start, start
	emit := func(to int) {
		s, e := trim(p.text, from, to)
		if s < e {
			out = append(out, [2]int{s, e})
		}
		from, last = to, to
	}
	size := 0
	for i := 0; i <= len(stops); i++ {
		stop := end
		if i < len(stops) {
			stop = stops[i]
		}
		if stop <= last || stop > end {
			continue
		}
		w := weigh(p.text[last:stop])
		if size > 0 && size+w > goal {
			emit(last)
			size = 0
		}
		if w > p.cfg.Target && (len(levels) > 0) {
			for _, q := range p.cut(last, stop, rest) {
				from = q[0]
				emit(q[1])
			}
			from, last, size = stop, stop, 0
			continue
		}
		size += w
		last = stop
	}
	emit(end)
	return out
}

// sentenceStarts gives the places where prose may be cut: sentences, and inside
// a sentence longer than goal its commas, then any place between code points.
func sentenceStarts(s string, start, end, goal int) []int {
	runes := []rune(s[start:end])
	var cuts []int
	spans := text.Sentences(runes)
	pos, at := start, 0
	advance := func(to int) int {
		for at < to {
			pos += utf8.RuneLen(runes[at])
			at++
		}
		return pos
	}
	for i, sp := range spans {
		stop := len(runes)
		if i+1 < len(spans) {
			stop = spans[i+1].Start
		}
		if i > 0 {
			cuts = append(cuts, advance(sp.Start))
		}
		if weigh(string(runes[sp.Start:stop])) <= goal {
			continue
		}
		size, soft := 0, -1
		for j := sp.Start; j < stop; j++ {
			size += weight(runes[j])
			switch runes[j] {
			case '，', ',', '、', '；', ';', ' ', '\n', '\t', '：', '|':
				if 2*size > goal {
					soft = j + 1
				}
			}
			if size >= goal && j+1 < stop {
				if soft <= 0 {
					soft = j + 1
				}
				cuts = append(cuts, advance(soft))
				size = 0
				for k := soft; k <= j; k++ {
					size += weight(runes[k])
				}
				soft = -1
			}
		}
	}
	return cuts
}

func lineStarts(s string, start, end int) []int {
	var out []int
	for i := start; i < end-1; i++ {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

func weight(r rune) int {
	if r >= 0x2e80 {
		return 2
	}
	return 1
}

func weigh(s string) int {
	n := 0
	for _, r := range s {
		n += weight(r)
	}
	return n
}

func visible(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsSymbol(r) }

func blank(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }

func trim(s string, start, end int) (int, int) {
	for start < end {
		r, n := utf8.DecodeRuneInString(s[start:end])
		if !blank(r) {
			break
		}
		start += n
	}
	for start < end {
		r, n := utf8.DecodeLastRuneInString(s[start:end])
		if !blank(r) {
			break
		}
		end -= n
	}
	return start, end
}

// locate turns the bytes of the pieces into code points.
func locate(s string, pieces []piece) {
	pos, at := 0, 0
	to := func(b int) int {
		at += utf8.RuneCountInString(s[pos:b])
		pos = b
		return at
	}
	for i := range pieces {
		pieces[i].start = to(pieces[i].byteStart)
		pieces[i].end = to(pieces[i].byteEnd)
	}
}

func (p *packer) chunks() []kb.Chunk {
	out := make([]kb.Chunk, len(p.out))
	for i, c := range p.out {
		k := "text"
		switch c.kind {
		case table:
			k = "table"
		case code:
			k = "code"
		}
		out[i] = kb.Chunk{
			Ordinal: i, Text: p.text[c.byteStart:c.byteEnd], Start: c.start, End: c.end,
			Kind: k, HeadingPath: c.path, Lead: c.lead,
		}
	}
	return out
}
