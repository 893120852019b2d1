package apikey_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/apikey"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		place apikey.Place
		want  apikey.Key
		field string // of the error
	}{
		"none":             {place: apikey.Place{}},
		"environment":      {place: apikey.Place{Env: "GOOD"}, want: "k1"},
		"unset":            {place: apikey.Place{Env: "BAD"}, field: "llm.key_env"},
		"file":             {place: apikey.Place{File: file("good", "k2\n")}, want: "k2"},
		"empty file":       {place: apikey.Place{File: file("empty", " \n")}, field: "llm.key_file"},
		"file of two keys": {place: apikey.Place{File: file("two", "k3\nk4\n")}, field: "llm.key_file"},
	} {
		t.Run(name, func(t *testing.T) {
			c.place.Section = "llm"
			got, err := c.place.Read(func(name string) string { return map[string]string{"GOOD": " k1 "}[name] })
			if got != c.want {
				t.Errorf("key %q, want %q", string(got), string(c.want))
			}
			var invalid *kb.InvalidError
			if errors.As(err, &invalid) != (c.field != "") || invalid != nil && invalid.Field != c.field {
				t.Errorf("error %v, want field %q", err, c.field)
			}
		})
	}
	if _, err := (apikey.Place{Section: "llm", File: filepath.Join(dir, "gone")}).Read(nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	var invalid *kb.InvalidError
	if err := (apikey.Place{Section: "embedding", Env: "A", File: "b"}).Validate(); !errors.As(err, &invalid) || invalid.Field != "embedding.key_file" {
		t.Errorf("error %v", err)
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	for _, verb := range []string{"%v", "%s", "%#v", "%+v", "%q"} {
		if s := fmt.Sprintf(verb, struct{ K apikey.Key }{"s3cret"}); strings.Contains(s, "s3cret") {
			t.Errorf("%s prints %s", verb, s)
		}
	}
}
