//go:build !amd64

package reader

// available are the kernel sets for this processor: none.
func available() []*kernels { return nil }
