// Package sufficiency holds the sufficiency model inside the binary. README.md says
// what it is and how it was made.
package sufficiency

import _ "embed"

// Model is the file that model/trees reads.
//
//go:embed model.ubj
var Model []byte

// Manifest is JSON: the SHA-256 of Model, the command that trained it, its features
// and what was measured.
//
//go:embed model.json
var Manifest []byte

// Joint are the weights that rerank.DecodeJoint reads.
//
//go:embed joint.json
var Joint []byte
