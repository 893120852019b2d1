package lexicon

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

// entry is one line of terms in a file of lists by domain.
type entry struct {
	domain string
	terms  string // separated by commas
	line   int    // from 1
}

// readEntries reads a YAML file that maps domain names to lists of lines. Errors
// are *FormatError.
func readEntries(file string, data []byte) ([]entry, error) {
	if out, ok := plainEntries(data); ok {
		return out, nil
	}
	return yamlEntries(file, data)
}

// plainEntries reads the form in which the built-in files are written: one item a
// line, no quotes, nothing nested. It takes a tenth of the time of the YAML reader,
// which matters at every start. Where anything is of another form, ok is false and
// the YAML reader decides.
func plainEntries(data []byte) (out []entry, ok bool) {
	if !utf8.Valid(data) {
		return nil, false
	}
	out = make([]entry, 0, 64+len(data)/40)
	seen := map[string]bool{}
	domain, items, no := "", 0, 0
	for line := range strings.SplitSeq(string(data), "\n") {
		no++
		line = strings.TrimRight(line, " ")
		rest := strings.TrimLeft(line, " ")
		if rest == "" || rest[0] == '#' {
			continue
		}
		if value, isItem := strings.CutPrefix(line, "  - "); isItem {
			if domain == "" || !plainScalar(value) {
				return nil, false
			}
			out = append(out, entry{domain, value, no})
			items++
			continue
		}
		name, isDomain := strings.CutSuffix(line, ":")
		if !isDomain || domain != "" && items == 0 || seen[name] || !plainName(name) {
			return nil, false
		}
		seen[name], domain, items = true, name, 0
	}
	return out, domain != "" && items > 0
}

// plainScalar reports whether YAML reads the rest of a line as it stands.
func plainScalar(s string) bool {
	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || text.IsHan(r) || unicode.IsLetter(r) || '0' <= r && r <= '9':
		case i > 0 && (r == ' ' || r == ',' || r == '-' || r == '\'' || r == '/' || r == '&'):
		default:
			return false
		}
	}
	return s != ""
}

// plainName reports whether a domain name is lower-case letters.
func plainName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && r != '_' {
			return false
		}
	}
	return s != "" && s != "y" && s != "n" && s[0] != '_'
}

// yamlEntries reads any YAML of the form.
func yamlEntries(file string, data []byte) ([]entry, error) {
	bad := func(line int, format string, args ...any) error {
		return &FormatError{File: file, Line: line, Reason: fmt.Sprintf(format, args...)}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, bad(yamlLine(err), "%s", err)
	}
	if len(doc.Content) == 0 {
		return nil, bad(1, "the file is empty; write a domain with a list of lines")
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, bad(root.Line, "the file is not a mapping; write a domain, then its list of lines")
	}
	var out []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		domain, list := root.Content[i], root.Content[i+1]
		if seen[domain.Value] {
			return nil, bad(domain.Line, "domain %q comes twice", domain.Value)
		}
		seen[domain.Value] = true
		if list.Kind != yaml.SequenceNode {
			return nil, bad(list.Line, "domain %q holds no list of lines", domain.Value)
		}
		for _, item := range list.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, bad(item.Line, "an item is one line of terms separated by commas")
			}
			out = append(out, entry{domain.Value, item.Value, item.Line})
		}
	}
	return out, nil
}
