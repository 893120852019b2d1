// Package snapshot holds everything a request works with in one immutable value:
// the configuration, the layers built from it, the store, the versions to name in
// a reply. A new value is built whole, then swapped in behind one pointer;
// requests in flight keep the value they began with.
package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync/atomic"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/retrieval"
	"suffice.dev/suffice/services/config"
	"suffice.dev/suffice/validate"
)

// ErrClosed says that the holder was closed: the process is going down.
var ErrClosed = errors.New("shutting down")

// Snapshot is what one request sees. It is never changed once it is in use.
type Snapshot struct {
	Config    config.Config
	Versions  kb.Versions // Snapshot and Config set
	Precheck  precheck.Analyzer
	Retriever retrieval.Retriever // nil: no knowledge base, passages must be handed over
	Assessor  rerank.Assessor
	Validator validate.Validator
	Knowledge kb.Knowledge // nil: nothing is recorded

	// Close frees what was opened for this snapshot alone. It is called once, when
	// no request holds the snapshot any more; nil = nothing to free.
	Close func() error
}

// ID names a snapshot by what it was built from: the same contents give the same
// id, in every process. 12 hex digits.
func ID(contents ...string) string {
	h := sha256.New()
	for _, c := range contents {
		h.Write([]byte(c))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// entry counts who holds a snapshot: the holder itself, and each request.
type entry struct {
	snapshot *Snapshot
	refs     atomic.Int64
	onError  func(error)
}

// take adds a request, unless the snapshot was already freed.
func (e *entry) take() bool {
	for {
		n := e.refs.Load()
		if n == 0 {
			return false
		}
		if e.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

func (e *entry) release() {
	if e.refs.Add(-1) > 0 || e.snapshot.Close == nil {
		return
	}
	if err := e.snapshot.Close(); err != nil {
		e.onError(err)
	}
}
