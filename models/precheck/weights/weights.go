// Package weights holds the learned question-class model inside the binary. How it
// was made is in models/precheck/README.md.
package weights

import _ "embed"

// Model is read by model/linear.
//
//go:embed model.bin
var Model []byte
