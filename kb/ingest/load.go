package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/ingest/chunk"
)

// maxFile bounds a text file, and a line of JSON Lines, in bytes.
const maxFile = 64 << 20

// Line is a document as a line of JSON Lines.
type Line struct {
	DocumentID  string   `json:"document_id"`
	Collection  string   `json:"collection,omitempty"`
	Title       string   `json:"title,omitempty"`
	Text        *string  `json:"text,omitempty"`
	Path        string   `json:"path,omitempty"`
	MediaType   string   `json:"media_type,omitempty"`
	Source      string   `json:"source,omitempty"`
	Domain      string   `json:"domain,omitempty"`
	Authority   *float64 `json:"authority,omitempty"`
	PublishedAt string   `json:"published_at,omitempty"`
	ValidFrom   string   `json:"valid_from,omitempty"`
	ValidTo     string   `json:"valid_to,omitempty"`
	Supersedes  []string `json:"supersedes,omitempty"`
	Readers     []string `json:"readers,omitempty"`
}

// load reads the documents of a file and gives them to emit one by one; a line
// that is no document goes to skip. An error concerns the rest of the file, or is
// emit's own.
func (r *run) load(f file, emit func(item) error, skip func(path string, err error)) error {
	if strings.EqualFold(filepath.Ext(f.rel), ".jsonl") {
		return r.loadLines(f, emit, skip)
	}
	text, err := readText(f.abs)
	if err != nil {
		return err
	}
	doc, unknown, err := FromText(f.rel, text)
	if err != nil {
		return err
	}
	r.unknownKeys(f.name, unknown)
	return emit(item{path: f.name, doc: doc})
}

// frontKeys are the keys of front matter that a document has.
var frontKeys = []string{
	"document_id", "collection", "title", "media_type", "source", "domain", "authority", "published_at", "valid_from", "valid_to", "supersedes", "readers",
}

// FromText makes a document of the text of a file: its id is the given slash path
// unless the front matter of Markdown says otherwise. Keys of the front matter
// that no document has are left alone, and named; a value that does not fit its field is an
// error that names the key.
func FromText(id, text string) (doc kb.Document, unknown []string, err error) {
	doc = kb.Document{ID: id, Text: text}
	if strings.EqualFold(filepath.Ext(id), ".txt") {
		doc.MediaType = chunk.Plain
		return doc, nil, nil
	}
	doc.MediaType = chunk.Markdown
	front, _ := chunk.FrontMatter(text)
	if strings.TrimSpace(front) == "" {
		return doc, nil, nil
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(front), &node); err != nil {
		return doc, nil, fmt.Errorf("front matter is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(node.Content) == 0 || node.Content[0].Kind != yaml.MappingNode {
		return doc, nil, nil
	}
	m := node.Content[0]
	for i := 0; i+1 < len(m.Content); i += 2 {
		key := m.Content[i].Value
		if !slices.Contains(frontKeys, key) {
			unknown = append(unknown, key)
			continue
		}
		if err := frontKey(&doc, key, m.Content[i+1]); err != nil {
			return doc, nil, fmt.Errorf("front matter, line %d: %s: %w", m.Content[i].Line+1, key, err)
		}
	}
	return doc, unknown, nil
}

func frontKey(doc *kb.Document, key string, n *yaml.Node) error {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	text := func(to *string) error {
		if n.Kind != yaml.ScalarNode {
			return errors.New("must be a text")
		}
		if n.Tag != "!!null" {
			*to = strings.TrimSpace(n.Value)
		}
		return nil
	}
	days := func(to *time.Time) error {
		var s string
		if err := text(&s); err != nil {
			return err
		}
		var err error
		*to, err = kb.ParseDay(s)
		return err
	}
	list := func(to *[]string) error {
		switch {
		case n.Kind == yaml.SequenceNode:
			for _, c := range n.Content {
				if c.Kind != yaml.ScalarNode {
					return errors.New("must be a list of texts")
				}
				*to = append(*to, strings.TrimSpace(c.Value))
			}
		case n.Kind == yaml.ScalarNode && n.Tag != "!!null":
			*to = []string{strings.TrimSpace(n.Value)}
		case n.Kind != yaml.ScalarNode:
			return errors.New("must be a list of texts")
		}
		return nil
	}
	switch key {
	case "document_id":
		if err := text(&doc.ID); err != nil {
			return err
		}
		if doc.ID == "" {
			return errors.New("is empty")
		}
	case "collection":
		return text(&doc.Collection)
	case "title":
		return text(&doc.Title)
	case "media_type":
		return text(&doc.MediaType)
	case "source":
		return text(&doc.Source)
	case "domain":
		return text(&doc.Domain)
	case "authority":
		var s string
		if err := text(&s); err != nil || s == "" {
			return err
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", s)
		}
		doc.Authority = &v
	case "published_at":
		return days(&doc.PublishedAt)
	case "valid_from":
		return days(&doc.ValidFrom)
	case "valid_to":
		return days(&doc.ValidTo)
	case "supersedes":
		return list(&doc.Supersedes)
	case "readers":
		if err := list(&doc.Readers); err != nil {
			return err
		}
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			return errors.New("is an empty list; leave it out for all readers")
		}
	}
	return nil
}

// readText reads a file that must be UTF-8 text.
func readText(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", plainReason(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", plainReason(err)
	}
	if len(data) > maxFile {
		return "", fmt.Errorf("is larger than %d MiB", maxFile>>20)
	}
	return checkText(data)
}

func checkText(data []byte) (string, error) {
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return "", errors.New("is not text: it holds NUL bytes")
	case !utf8.Valid(data):
		return "", fmt.Errorf("is not UTF-8 text (byte %d); convert it first", firstInvalid(data))
	case len(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))) == 0:
		return "", errors.New("is empty")
	}
	return string(data), nil
}

func firstInvalid(data []byte) int {
	at := 0
	for at < len(data) {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return at
}

// lines calls fn for each line that is not blank, with its number from 1.
func lines(name string, fn func(n int, line []byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return plainReason(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	r := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		line, err := boundedLine(r)
		if errors.Is(err, errLongLine) {
			return fmt.Errorf("line %d is larger than %d MiB", n, maxFile>>20)
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if err := fn(n, trimmed); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return plainReason(err)
		}
	}
}

var errLongLine = errors.New("line too long")

// boundedLine is the next line with its end, or what is left of the file with io.EOF. A
// line of more than maxFile bytes is errLongLine before all of it has been read.
func boundedLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxFile {
			return nil, errLongLine
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func countLines(name string) (int, error) {
	n := 0
	err := lines(name, func(int, []byte) error { n++; return nil })
	return n, err
}

// referenced gives the files that the lines name by path.
func referenced(name string) []string {
	var out []string
	// What is wrong with the file is reported when it is loaded.
	_ = lines(name, func(_ int, line []byte) error {
		var l struct {
			Path string `json:"path"`
		}
		if json.Unmarshal(line, &l) == nil && l.Path != "" {
			out = append(out, resolve(name, l.Path))
		}
		return nil
	})
	return out
}

func resolve(jsonl, path string) string {
	path = filepath.FromSlash(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(jsonl), path)
	}
	return filepath.Clean(path)
}

func (r *run) loadLines(f file, emit func(item) error, skip func(path string, err error)) error {
	some := false
	err := lines(f.abs, func(n int, data []byte) error {
		some = true
		name := fmt.Sprintf("%s:%d", f.name, n)
		doc, err := r.readLine(f.abs, data)
		if err != nil {
			skip(name, err)
			return nil
		}
		return emit(item{path: name, doc: doc})
	})
	if err == nil && !some {
		return errors.New("is empty")
	}
	return err
}

// ParseLine reads one line of JSON Lines. An unknown key is an error that names
// it, and so is a date that does not exist.
func ParseLine(data []byte) (Line, error) {
	var l Line
	if !utf8.Valid(data) {
		return l, errors.New("is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, jsonReason(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("holds more than one JSON object")
	}
	return l, nil
}

func jsonReason(err error) error {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		if typ.Field == "" {
			return errors.New("is no JSON object")
		}
		return fmt.Errorf("%s: a %s does not fit; write %s", typ.Field, typ.Value, map[string]string{
			"string": "a text", "float64": "a number", "[]string": "a list of texts"}[typ.Type.String()])
	}
	if s, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("unknown key %s", s)
	}
	return fmt.Errorf("is not JSON: %w", err)
}

// Document turns the fields of a line, apart from path, into a document.
func (l Line) Document() (kb.Document, error) {
	doc := kb.Document{
		ID: l.DocumentID, Collection: l.Collection, Title: l.Title, MediaType: l.MediaType, Source: l.Source, Domain: l.Domain,
		Authority: l.Authority, Supersedes: l.Supersedes, Readers: l.Readers,
	}
	if l.Text != nil {
		doc.Text = *l.Text
	}
	if l.Readers != nil && len(l.Readers) == 0 {
		return doc, errors.New("readers is an empty list; leave it out for all readers")
	}
	for _, d := range []struct {
		key, value string
		to         *time.Time
	}{{"published_at", l.PublishedAt, &doc.PublishedAt}, {"valid_from", l.ValidFrom, &doc.ValidFrom}, {"valid_to", l.ValidTo, &doc.ValidTo}} {
		v, err := kb.ParseDay(d.value)
		if err != nil {
			return doc, fmt.Errorf("%s: %w", d.key, err)
		}
		*d.to = v
	}
	return doc, nil
}

// decodeLine reads one line of JSON Lines as a document. path names the file that
// holds the text, where the line has no text itself.
func decodeLine(line []byte) (doc kb.Document, path string, err error) {
	l, err := ParseLine(line)
	if err != nil {
		return kb.Document{}, "", err
	}
	if doc, err = l.Document(); err != nil {
		return doc, "", err
	}
	switch {
	case l.Text != nil && l.Path != "":
		return doc, "", errors.New("text and path: give one of them")
	case l.Text == nil && l.Path == "":
		return doc, "", errors.New("text is missing; give text or path")
	case l.Text != nil && doc.ID == "":
		return doc, "", errors.New("document_id is missing")
	}
	return doc, l.Path, nil
}

// readLine reads a line and the file that it names.
func (r *run) readLine(jsonl string, data []byte) (kb.Document, error) {
	doc, path, err := decodeLine(data)
	if err != nil || path == "" {
		return doc, err
	}
	text, err := readText(resolve(jsonl, path))
	if err != nil {
		return doc, fmt.Errorf("path %s: %w", path, err)
	}
	// The front matter of the file says what the line does not.
	front, unknown, err := FromText(filepath.ToSlash(filepath.Clean(filepath.FromSlash(path))), text)
	if err != nil {
		return doc, fmt.Errorf("path %s: %w", path, err)
	}
	r.unknownKeys(path, unknown)
	return merge(doc, front), nil
}

func merge(doc, front kb.Document) kb.Document {
	doc.Text = front.Text
	for _, s := range []struct{ to, from *string }{
		{&doc.ID, &front.ID}, {&doc.Collection, &front.Collection}, {&doc.Title, &front.Title}, {&doc.MediaType, &front.MediaType},
		{&doc.Source, &front.Source}, {&doc.Domain, &front.Domain},
	} {
		if *s.to == "" {
			*s.to = *s.from
		}
	}
	for _, d := range []struct{ to, from *time.Time }{
		{&doc.PublishedAt, &front.PublishedAt}, {&doc.ValidFrom, &front.ValidFrom}, {&doc.ValidTo, &front.ValidTo},
	} {
		if d.to.IsZero() {
			*d.to = *d.from
		}
	}
	if doc.Authority == nil {
		doc.Authority = front.Authority
	}
	if doc.Supersedes == nil {
		doc.Supersedes = front.Supersedes
	}
	if doc.Readers == nil {
		doc.Readers = front.Readers
	}
	return doc
}
