package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// writeRows writes rows as JSON Lines into the file that --out names.
func writeRows[T any](path string, rows []T) (err error) {
	file, err := os.Create(filepath.Clean(path))
	if err != nil {
		return usage("--out: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := json.NewEncoder(file)
	for _, row := range rows {
		if err := lines.Encode(row); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}
