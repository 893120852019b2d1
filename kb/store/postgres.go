package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	sessionlock "github.com/pressly/goose/v3/lock"

	"suffice.dev/suffice/kb"
)

// ErrDSN says that the connection string, or what it names, is refused: another try
// with the same gives the same.
var ErrDSN = errors.New("connection string")

// Longest times that a PostgreSQL server may leave a call without an answer: a frozen
// server keeps its connections open and says nothing.
const (
	connectTime = 5 * time.Second
	readTime    = 15 * time.Second
	writeTime   = 60 * time.Second
	probeTime   = 15 * time.Second // between two signs of life of an idle connection
)

// parseDSN reads a connection string, in the form of a URL or of key=value pairs.
// The error never shows it: it may hold a password.
func parseDSN(dsn, password string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("%w: not one of PostgreSQL; write postgres://USER@HOST:PORT/DATABASE or host=HOST user=USER dbname=DATABASE", ErrDSN)
	}
	if password != "" {
		cfg.Password = password
	}
	if cfg.ConnectTimeout == 0 || cfg.ConnectTimeout > connectTime {
		cfg.ConnectTimeout = connectTime
	}
	cfg.DialFunc = (&net.Dialer{Timeout: cfg.ConnectTimeout, KeepAlive: probeTime}).DialContext
	return cfg, nil
}

// CheckDSN reports a connection string that cannot be read.
func CheckDSN(dsn string) error {
	_, err := parseDSN(dsn, "")
	return err
}

// place names the database of a configuration, without its password.
func place(cfg *pgx.ConnConfig) string {
	return fmt.Sprintf("%s@%s:%d/%s", cfg.User, cfg.Host, cfg.Port, cfg.Database)
}

// openPostgres connects, and brings the tables to this release.
func (s *Store) openPostgres(ctx context.Context) error {
	cfg, err := parseDSN(s.opt.DSN, s.opt.Password)
	if err != nil {
		return fmt.Errorf("store: %w", err)
	}
	s.name = place(cfg)
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	db := stdlib.OpenDB(*cfg)
	var synced string
	if err := db.QueryRowContext(ctx, "SHOW synchronous_commit").Scan(&synced); err != nil {
		return errors.Join(s.refused(err), db.Close())
	}
	if synced == "off" { // what is acknowledged must be on disk
		cfg.RuntimeParams["synchronous_commit"] = "on"
		if err := db.Close(); err != nil {
			return fmt.Errorf("store: %s: %w", s.name, err)
		}
		db = stdlib.OpenDB(*cfg)
	}
	db.SetMaxOpenConns(max(8, 2*runtime.GOMAXPROCS(0)))
	db.SetMaxIdleConns(4)
	db.SetConnMaxIdleTime(time.Minute)
	s.write = &database{DB: db, dialect: postgres}
	s.read = s.write
	if err := s.migratePostgres(ctx, db); err != nil {
		return err
	}
	if err := s.claim(ctx); err != nil {
		return err
	}
	return s.loadGaps(ctx)
}

// refused sorts an error of connecting: what another try cannot mend is an ErrDSN.
func (s *Store) refused(err error) error {
	var pg *pgconn.PgError
	if errors.As(err, &pg) && slices.Contains([]string{"28000", "28P01", "3D000", "3F000", "42501"}, pg.Code) {
		return fmt.Errorf("store: %w: %s refuses: %s; correct user, password or database", ErrDSN, s.name, strings.TrimSpace(pg.Message))
	}
	return fmt.Errorf("store: %w: %s does not answer: %w", kb.ErrUnavailable, s.name, err)
}

func (s *Store) migratePostgres(ctx context.Context, db *sql.DB) error {
	sub, err := fs.Sub(migrations, "migrations/postgres")
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	// Of several processes that start together one migrates, the others wait.
	locker, err := sessionlock.NewPostgresSessionLocker(sessionlock.WithLockTimeout(1, 60))
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, sub, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	// Asking first needs no lock: the usual start has nothing to migrate.
	if pending, err := p.HasPending(ctx); err == nil && !pending {
		return s.knownSchema(ctx, p)
	}
	if _, err := p.Up(ctx); err != nil {
		return s.refused(fmt.Errorf("migrate: %w", err))
	}
	return s.knownSchema(ctx, p)
}

func (s *Store) knownSchema(ctx context.Context, p *goose.Provider) error {
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return s.refused(err)
	}
	if current > target {
		return fmt.Errorf("store: %s has schema %d, this release knows up to %d; use the release that wrote it, or a newer one", s.name, current, target)
	}
	return nil
}

// alone waits until no other process writes. The lock ends with the transaction,
// after its changes are visible: so numbers of the change feed appear in order.
func alone(ctx context.Context, tx *txn) error {
	if tx.dialect == sqlite {
		return nil // its write transactions exclude each other
	}
	_, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock(1398097478, hashtext(current_schema()))`)
	return err
}

// readGaps adds the wordings that other processes have filed since the last call.
func (s *Store) readGaps(ctx context.Context, tx *txn) error {
	if tx.dialect == sqlite {
		return nil // nobody else writes
	}
	s.filing.RLock()
	seq := s.gapSeq
	s.filing.RUnlock()
	return s.fileGaps(ctx, tx, `SELECT g.kind, q.gap_id, q.question, q.seq FROM gap_questions q JOIN gaps g ON g.id = q.gap_id WHERE q.seq > ? ORDER BY q.seq`, seq)
}
