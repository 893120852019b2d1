//go:build unix

package index

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// view is the log as mapped memory: a question reads some hundred short stretches of
// it, and a call of the system for each costs more than reading them. It reaches
// beyond the end of the file, so that it is made anew only when the file has doubled;
// older ones stay until the end, since a reader may be in them.
type view struct {
	mu   sync.RWMutex
	maps [][]byte
}

const smallestView = 64 << 20

// of is memory that holds the first end bytes, which the file must have; nil where it
// cannot be mapped.
func (v *view) of(f *os.File, end int64) []byte {
	v.mu.RLock()
	data := v.last()
	v.mu.RUnlock()
	if int64(len(data)) >= end {
		return data
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if data = v.last(); int64(len(data)) >= end {
		return data
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(max(2*end, smallestView)), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	v.maps = append(v.maps, data)
	return data
}

func (v *view) last() []byte {
	if len(v.maps) == 0 {
		return nil
	}
	return v.maps[len(v.maps)-1]
}

func (v *view) close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	var errs []error
	for _, m := range v.maps {
		if err := unix.Munmap(m); err != nil {
			errs = append(errs, fmt.Errorf("unmap index log: %w", err))
		}
	}
	v.maps = nil
	return errors.Join(errs...)
}
