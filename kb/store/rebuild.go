package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
)

// Names of settings.
const (
	fingerprintSetting = "readings"
	identitySetting    = "store"
)

// claim notes the fingerprint in a store that holds nothing yet, and gives a new
// store its identity.
func (s *Store) claim(ctx context.Context) error {
	return s.update(ctx, "open", func(ctx context.Context, tx *txn) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) SELECT CAST(?1 AS TEXT), CAST(?2 AS TEXT) WHERE NOT EXISTS (SELECT 1 FROM documents)
			ON CONFLICT (name) DO UPDATE SET value = excluded.value`, fingerprintSetting, s.opt.Fingerprint)
		if err != nil {
			return err
		}
		var id [16]byte
		if _, err := rand.Read(id[:]); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, identitySetting, hex.EncodeToString(id[:]))
		return err
	})
}

// Identity is a name that no other store has: what was derived from another one is
// not of this.
func (s *Store) Identity(ctx context.Context) (string, error) {
	var id string
	err := s.read.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = ?`, identitySetting).Scan(&id)
	return id, s.fail(ctx, "identity", err)
}

// Outdated reports whether the pages and vectors were made by another reader or
// embedding than the one the store was opened with; Rebuild makes them anew.
func (s *Store) Outdated(ctx context.Context) (bool, error) {
	var made string
	err := s.view(ctx, "fingerprint", func(ctx context.Context, tx *txn) error {
		err := tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = ?`, fingerprintSetting).Scan(&made)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return err == nil && made != s.opt.Fingerprint, err
}

// Rebuild chunks, reads and embeds every stored version anew. Documents, versions
// and gaps stay as they are; every version comes on the change feed again. When it
// is interrupted, the store stays Outdated and Rebuild starts over.
func (s *Store) Rebuild(ctx context.Context, progress func(done, total int)) error {
	var rows []int64
	err := s.view(ctx, "rebuild", func(ctx context.Context, tx *txn) error {
		rs, err := tx.QueryContext(ctx, `SELECT id FROM versions ORDER BY id`)
		if err != nil {
			return err
		}
		defer func() { _ = rs.Close() }() // rs.Err tells what went wrong
		for rs.Next() {
			var id int64
			if err := rs.Scan(&id); err != nil {
				return err
			}
			rows = append(rows, id)
		}
		return rs.Err()
	})
	if err != nil {
		return err
	}
	for from := 0; from < len(rows); from += batchDocuments {
		batch := rows[from:min(from+batchDocuments, len(rows))]
		if err := s.rebuild(ctx, batch); err != nil {
			return err
		}
		if progress != nil {
			progress(from+len(batch), len(rows))
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.update(ctx, "rebuild", func(ctx context.Context, tx *txn) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
			fingerprintSetting, s.opt.Fingerprint)
		return err
	})
}

func (s *Store) rebuild(ctx context.Context, rows []int64) error {
	work := make([]built, len(rows))
	there := make([]bool, len(rows))
	err := s.view(ctx, "rebuild", func(ctx context.Context, tx *txn) error {
		for i, row := range rows {
			_, doc, err := scanVersion(tx.QueryRowContext(ctx, `SELECT `+versionColumns+` FROM versions v JOIN documents d ON d.id = v.document_id WHERE v.id = ?`, row))
			if errors.Is(err, sql.ErrNoRows) {
				continue // deleted meanwhile
			}
			if err != nil {
				return err
			}
			work[i].doc, there[i] = doc, true
		}
		return nil
	})
	if err != nil {
		return err
	}
	var g errgroup.Group
	g.SetLimit(s.opt.Workers)
	for i := range work {
		if there[i] {
			g.Go(func() error {
				s.build(&work[i])
				return work[i].err
			})
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	err = s.update(ctx, "rebuild", func(ctx context.Context, tx *txn) error {
		w, err := newWriter(ctx, tx)
		if err != nil {
			return err
		}
		defer w.close()
		for i, row := range rows {
			if !there[i] {
				continue
			}
			if err := w.again(ctx, row, &work[i]); err != nil {
				return fmt.Errorf("document %q version %d: %w", work[i].doc.ID, work[i].doc.Version, err)
			}
		}
		return nil
	})
	if err == nil {
		s.announce()
	}
	return err
}

// again replaces the chunks of a version, if it is still there.
func (w *writer) again(ctx context.Context, row int64, b *built) error {
	var id int64
	err := w.tx.QueryRowContext(ctx, `SELECT id FROM versions WHERE id = ? AND document_id = ? AND version = ?`, row, b.doc.ID, b.doc.Version).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := w.tx.ExecContext(ctx, `DELETE FROM chunks WHERE version_id = ?`, row); err != nil {
		return err
	}
	for i, c := range b.chunks {
		if _, err := w.writeChunk(ctx, row, c, b.packed[i], b.facts[i], b.sentences[i]); err != nil {
			return err
		}
	}
	return logChange(ctx, w.tx, b.doc.ID, b.doc.Collection, b.doc.Version)
}
