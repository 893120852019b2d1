package lexicon

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/text"
)

//go:embed contrast.yaml
var builtinContrasts []byte

var defaultContrasts = sync.OnceValue(func() *Contrasts {
	c, err := ParseContrasts("contrast.yaml", builtinContrasts)
	if err != nil {
		panic("built-in contrasts: " + err.Error()) // the file is compiled in; a test reads it
	}
	return c
})

// DefaultContrasts returns the built-in groups of words that set cases apart. It is
// read at the first call.
func DefaultContrasts() *Contrasts { return defaultContrasts() }

// Contrasts are groups of words that exclude each other: minimum and maximum, adults
// and children, open and closed. It does not change and is safe for concurrent use.
type Contrasts struct {
	trie    *text.Trie
	members []Member
}

// Member is one side of a group.
type Member struct {
	Group int32
	Side  int32
	State bool // the group is of states: yes-no questions about one side are answered by the other
}

// ParseContrasts reads a file of groups; see contrast.yaml for the form. Errors are
// *FormatError.
func ParseContrasts(file string, data []byte) (*Contrasts, error) {
	var doc map[string][]string
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, &FormatError{File: file, Line: yamlLine(err), Reason: err.Error()}
	}
	c := &Contrasts{}
	phrases := map[int16][]string{}
	group := int32(0)
	for _, section := range []string{"cases", "states"} {
		for _, line := range doc[section] {
			sides := strings.Split(line, "|")
			if len(sides) < 2 {
				return nil, &FormatError{File: file, Reason: fmt.Sprintf("group %q has one side; separate sides by |", line)}
			}
			group++
			for side, words := range sides {
				c.members = append(c.members, Member{Group: group, Side: int32(side), State: section == "states"})
				for w := range strings.SplitSeq(words, ",") {
					if w = string(text.Fold([]rune(strings.TrimSpace(w)))); w != "" {
						phrases[int16(len(c.members))] = append(phrases[int16(len(c.members))], w)
					}
				}
			}
		}
		delete(doc, section)
	}
	for section := range doc {
		return nil, &FormatError{File: file, Reason: fmt.Sprintf("unknown section %q; there are cases and states", section)}
	}
	joined := map[int16]string{}
	for id, words := range phrases {
		joined[id] = strings.Join(words, "|")
	}
	c.trie = text.NewTrie(joined)
	return c, nil
}

// Found is a member named in a text.
type Found struct {
	Member
	text.Span
}

// Find lists the members that a folded text names, in order, longest first at each
// place, without overlap. Latin words match whole.
func (c *Contrasts) Find(folded []rune) []Found {
	var out []Found
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i]) && text.IsWord(folded[i-1]) {
			continue
		}
		if end, id, ok := c.trie.Longest(folded, i); ok && end > i {
			out = append(out, Found{c.members[id-1], text.Span{Start: i, End: end}})
			i = end - 1
		}
	}
	return out
}
