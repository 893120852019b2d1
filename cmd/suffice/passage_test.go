package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPassageFiles: a file that --passage names and that holds no text, or none in UTF-8, is
// an error of the flag, not a passage without the answer.
func TestPassageFiles(t *testing.T) {
	for content, want := range map[string]string{
		"Marlow harbour has 14 berths.": "",
		"":                              "holds no text",
		" \n":                           "holds no text",
		"\xc2\xed\xc2\xe5\xb8\xdb":      "is not UTF-8",
	} {
		file := filepath.Join(t.TempDir(), "passage.txt")
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := (&callFlags{passages: []string{file}}).files()
		var status *statusError
		switch {
		case want == "" && (err != nil || len(got) != 1 || got[0].Text != content):
			t.Errorf("%q: %v, %v", content, got, err)
		case want != "" && (!errors.As(err, &status) || status.status != exitSetup || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: error %v, want status 2, the file and %q", content, err, want)
		}
	}
}
