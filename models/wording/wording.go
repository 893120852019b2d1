// Package wording holds the model that says from the words of a claim and the verdict of
// facts whether passages support it, and the weights that join it with the reader's
// vote. README.md says how they were made.
package wording

import _ "embed"

// Model is the file that model/linear reads.
//
//go:embed model.bin
var Model []byte

// Joint are the weights that validate.DecodeJoint reads.
//
//go:embed joint.json
var Joint []byte
