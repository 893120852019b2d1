//go:build !amd64

package reader

// fastest is the only kernel set of this processor.
func fastest() *kernels { return &portable }
