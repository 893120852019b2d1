// Package apikey reads the keys of the servers that a configuration names: from the
// environment or from a file, never from the configuration itself.
package apikey

import (
	"fmt"
	"os"
	"strings"

	"suffice.dev/suffice/kb"
)

// Key is a key that no log prints.
type Key string

// String hides the key.
func (Key) String() string { return "[redacted]" }

// GoString hides the key.
func (Key) GoString() string { return "[redacted]" }

// Place says where a key is kept. The zero value says that the server needs none.
type Place struct {
	Section string // of the configuration, for errors: llm, embedding
	Env     string // name of the environment variable that holds the key
	File    string // file that holds the key alone, on one line
}

// Validate reports a place that is named twice. It reads no key.
func (p Place) Validate() error {
	if p.Env != "" && p.File != "" {
		return kb.Invalid(p.Section+".key_file", "%s.key_env is set too; leave one of them out", p.Section)
	}
	return nil
}

// Read reads the key; "" where the server needs none. getenv nil = os.Getenv. An error
// names the place, never its content.
func (p Place) Read(getenv func(name string) string) (Key, error) {
	if getenv == nil {
		getenv = os.Getenv
	}
	switch {
	case p.Env != "":
		k := strings.TrimSpace(getenv(p.Env))
		if k == "" {
			return "", kb.Invalid(p.Section+".key_env", "the variable %s is not set; set it, or leave %s.key_env out for a server without keys", p.Env, p.Section)
		}
		return Key(k), nil
	case p.File != "":
		data, err := os.ReadFile(p.File)
		if err != nil {
			return "", fmt.Errorf("%s.key_file: %w", p.Section, err)
		}
		k := strings.TrimSpace(string(data))
		if k == "" || strings.ContainsAny(k, "\n\r") {
			return "", kb.Invalid(p.Section+".key_file", "%s does not hold one key on one line", p.File)
		}
		return Key(k), nil
	}
	return "", nil
}
