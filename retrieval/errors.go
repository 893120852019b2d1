package retrieval

import "errors"

// ErrLate says that a route did not answer within its share of the deadline.
var ErrLate = errors.New("late")

// ErrCorrupt says that files of an index are damaged or of another form; the
// index is rebuilt from the store.
var ErrCorrupt = errors.New("index files are damaged")
