// Package wording holds the model that says from the words of a claim, the verdict of
// facts and the reader's vote whether passages support it. README.md says how it was
// made.
package wording

import _ "embed"

// Model is the file that model/linear reads.
//
//go:embed model.bin
var Model []byte
