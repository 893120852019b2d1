package config

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"suffice.dev/suffice/services"
)

// ErrConfig is the class of all problems of a configuration.
var ErrConfig = errors.New("invalid configuration")

// Problem is one thing that is wrong with one key.
type Problem struct {
	Source  string // file name, variable or flag that set the key; "" = default
	Line    int    // in the file, from 1; 0 = not known
	Key     string // path of the key; "" = the source as a whole
	Message string // what is wrong with which value, and the remedy
}

func (p Problem) String() string {
	var b strings.Builder
	if p.Source != "" {
		b.WriteString(p.Source)
		if p.Line > 0 {
			b.WriteString(":" + strconv.Itoa(p.Line))
		}
		b.WriteString(": ")
	}
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	return b.String() + p.Message
}

// Error carries all problems of a configuration, by source, line and key.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Is makes every Error an ErrConfig.
func (e *Error) Is(target error) bool { return target == ErrConfig }

// hint proposes the nearest of the known words, or nothing when none is near. A
// beginning of a word is near.
func hint(word string, known []string) string {
	best, least := "", max(2, len([]rune(word))/3)+1
	for _, k := range known {
		if len(k) > 2 && strings.HasPrefix(word, k) || len(word) > 2 && strings.HasPrefix(k, word) {
			return "; did you mean " + k + "?"
		}
		if d := services.EditDistance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

func sortedKeys[M ~map[string]V, V any](m M) []string { return slices.Sorted(maps.Keys(m)) }
