package index

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// mostEarlier is how many models before the wanted one may serve at once: a change that
// is followed by another before it was done.
const mostEarlier = 2

// servedName is the file that says which models served when the process ended.
const servedName = "serving.json"

// served is a model that serves collections, the latest first in the file. Its vectors are
// in the file of its name.
type served struct {
	Name        string   `json:"name"`
	Dims        int      `json:"dims"`
	Origin      string   `json:"origin"` // see Options.Origin
	Collections []string `json:"collections"`
}

func readServed(dir string) ([]served, error) {
	data, err := os.ReadFile(filepath.Join(dir, servedName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", servedName, err)
	}
	var out []served
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("read %s: %w", servedName, err)
	}
	return out, nil
}

// noteServed writes which models serve, and removes the vectors of models that were given
// up before the last change: those of the wanted model and the one before it stay, so that a
// change back costs nothing.
func (x *Index) noteServed() error {
	before, err := readServed(x.dir)
	if err != nil {
		before = nil // it was said when the index was opened
	}
	var now []served
	keep := map[string]bool{lockName: true}
	for _, r := range x.remotes() {
		s := served{Name: r.endpoint.Name(), Dims: r.endpoint.Dims(), Origin: r.origin}
		for c := range r.serving {
			if x.cat.chunks[c] > 0 {
				s.Collections = append(s.Collections, c)
			}
		}
		slices.Sort(s.Collections)
		keep[vectorsName(s.Name)] = true
		if len(s.Collections) > 0 {
			now = append(now, s)
		}
	}
	for _, s := range before {
		if len(keep) > 2 {
			break
		}
		keep[vectorsName(s.Name)] = true
	}
	data, err := json.Marshal(now)
	if err != nil {
		return fmt.Errorf("write %s: %w", servedName, err)
	}
	path := filepath.Join(x.dir, servedName)
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", servedName, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("write %s: %w", servedName, err)
	}
	old, err := filepath.Glob(filepath.Join(x.dir, "vectors-*.log"))
	if err != nil {
		return fmt.Errorf("old vectors: %w", err)
	}
	for _, f := range old {
		if !keep[filepath.Base(f)] {
			if err := os.Remove(f); err != nil {
				return fmt.Errorf("old vectors: %w", err)
			}
		}
	}
	return nil
}
