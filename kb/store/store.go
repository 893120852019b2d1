// Package store keeps the knowledge base in one SQLite file or in a PostgreSQL
// database: documents with their versions, chunks and readings, the change feed,
// gaps, reviews and feedback. Both forms run the same statements.
//
// It is the truth from which the indexes are derived. What Put has acknowledged
// survives kill -9: every commit is synced. Readers see whole commits. One process
// owns a data folder. A PostgreSQL database may be shared: of the processes that
// write, one at a time does, so that the change feed has one order for all.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/gap"
	"suffice.dev/suffice/kb/ingest/chunk"
)

// File is the name of the database in a data folder.
const File = "suffice.db"

//go:embed migrations
var migrations embed.FS

// Reader reads the facts of a chunk. It is called from several goroutines; it
// gets the document without its text.
type Reader interface {
	// ReadPage returns the encoded page (nil = nothing was read) and the complete
	// facts, with spans in code points of the chunk's text.
	ReadPage(doc kb.Document, c kb.Chunk) (page []byte, facts []FactRow)
}

// Embedder turns the text of a chunk into its encoded window vectors. It is
// called from several goroutines.
type Embedder interface {
	Encode(chunkText string) []byte
}

// FactRow is a complete fact as it stands in the table.
type FactRow struct {
	Subject, Attribute string
	Value              string
	ValueKind          string
	Denied             bool
	Modality           string
	Condition          string
	Place              string
	HoldsFrom, HoldsTo time.Time // days; zero = open
	Start, End         int       // of the stating clause, code points of the chunk's text
	Confidence         float64   // 0..1
}

// Options are the parts that a store works with.
type Options struct {
	Reader   Reader       // nil: no facts are read
	Embedder Embedder     // nil: nothing is embedded
	Chunk    chunk.Config // zero: chunk.Default
	// Fingerprint names what makes readings: the release of the reader and of the
	// embedding. A store whose readings were made by another one is Outdated.
	Fingerprint string
	Workers     int // goroutines that chunk, read and embed; 0 = number of cores
	Now         func() time.Time

	// DSN is the connection string of a PostgreSQL database; "" = SQLite in the
	// folder. Password takes the place of one in the DSN.
	DSN      string
	Password string
}

// Store is a kb.Knowledge on a data folder, or on a database and a folder that tells
// which process uses it. It is safe for concurrent use.
type Store struct {
	dir   string
	name  string // of the database, for messages
	opt   Options
	lock  *lock
	write *database // SQLite: one connection
	read  *database // PostgreSQL: the same as write

	writing sync.Mutex // held over a write transaction

	filing sync.RWMutex // guards what follows; asked for within writing, never around it
	gaps   gap.Index
	gapSeq int64 // last filed wording that is in gaps; of a shared database

	notify struct {
		sync.Mutex
		ch chan struct{}
	}
}

var _ kb.Knowledge = (*Store)(nil)

// Open opens the data folder, and makes it where it is missing. A folder that
// another process owns gives a *Holder.
func Open(ctx context.Context, dir string, opt Options) (*Store, error) {
	if opt.Chunk == (chunk.Config{}) {
		opt.Chunk = chunk.Default()
	}
	if err := opt.Chunk.Validate(); err != nil {
		return nil, fmt.Errorf("store: chunk size: %w", err)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, err)
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, folderError(abs, fs.ErrExist)
	}
	if err := os.MkdirAll(abs, 0o755); err != nil {
		return nil, folderError(abs, err)
	}
	l, err := acquire(abs)
	if err != nil {
		return nil, err
	}
	s := &Store{dir: abs, opt: opt, lock: l}
	s.notify.ch = make(chan struct{})
	openIt := s.openSQLite
	if opt.DSN != "" {
		openIt = s.openPostgres
	}
	if err := openIt(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) openSQLite(ctx context.Context) error {
	name := filepath.Join(s.dir, File)
	s.name = name
	if f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return folderError(s.dir, err)
	} else if err := f.Close(); err != nil {
		return folderError(s.dir, err)
	}
	var err error
	if s.write, err = connect(name, "_txlock=immediate"); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if err := s.migrate(ctx, name); err != nil {
		return err
	}
	if s.read, err = connect(name, "_pragma=query_only(1)"); err != nil {
		return err
	}
	s.read.SetMaxOpenConns(max(4, runtime.GOMAXPROCS(0)))
	if err := s.claim(ctx); err != nil {
		return err
	}
	return s.loadGaps(ctx)
}

func connect(name, more string) (*database, error) {
	dsn := "file:" + (&url.URL{Path: name}).EscapedPath() +
		"?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=cache_size(-32768)&" + more
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", name, err)
	}
	return &database{DB: db, dialect: sqlite}, nil
}

func (s *Store) migrate(ctx context.Context, name string) error {
	sub, err := fs.Sub(migrations, "migrations/sqlite")
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	if err := s.write.PingContext(ctx); err != nil {
		return fmt.Errorf("store: %s cannot be opened; restore it from a backup, or move it away and ingest again: %w", name, err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, s.write.DB, sub)
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	current, target, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("store: %s cannot be read; restore it from a backup, or move it away and ingest again: %w", name, err)
	}
	if current > target {
		return fmt.Errorf("store: %s has schema %d, this release knows up to %d; use the release that wrote it, or a newer one", name, current, target)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("store: migrate %s: %w", name, err)
	}
	return nil
}

// Close lets go of the data folder.
func (s *Store) Close() error {
	var errs []error
	if s.read != nil && s.read != s.write {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	errs = append(errs, s.lock.release())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("store: close %s: %w", s.dir, err)
	}
	return nil
}

// Dir is the absolute path of the data folder.
func (s *Store) Dir() string { return s.dir }

// Shared reports whether other processes may write to the same database: Changed
// then tells of the changes of this process alone.
func (s *Store) Shared() bool { return s.opt.DSN != "" }

// SetAddr tells other processes, by the lock file, where the owner serves.
func (s *Store) SetAddr(addr string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.lock.held.Addr = addr
	if err := s.lock.write(); err != nil {
		return fmt.Errorf("store: write address: %w", err)
	}
	return nil
}

// Changed returns a channel that is closed at the next change of documents.
// Take it before reading Changes, so that none is missed.
func (s *Store) Changed() <-chan struct{} {
	s.notify.Lock()
	defer s.notify.Unlock()
	return s.notify.ch
}

func (s *Store) announce() {
	s.notify.Lock()
	defer s.notify.Unlock()
	close(s.notify.ch)
	s.notify.ch = make(chan struct{})
}

// update runs fn in a write transaction.
func (s *Store) update(ctx context.Context, op string, fn func(ctx context.Context, tx *txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	caller := ctx
	if s.Shared() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, writeTime)
		defer cancel()
	}
	begun, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return s.fail(caller, op, err)
	}
	tx := &txn{Tx: begun, dialect: s.write.dialect}
	// Also when fn panics: the connection is the only one that writes. After a commit it does
	// nothing, and of two errors the one that led here matters.
	defer func() { _ = tx.Rollback() }()
	if err := alone(ctx, tx); err != nil {
		return s.fail(caller, op, err)
	}
	if err := fn(ctx, tx); err != nil {
		return s.fail(caller, op, err)
	}
	if err := tx.Commit(); err != nil {
		return s.fail(caller, op, err)
	}
	return nil
}

// view runs fn on one state of the data.
func (s *Store) view(ctx context.Context, op string, fn func(ctx context.Context, tx *txn) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	caller := ctx
	opt := &sql.TxOptions{ReadOnly: true}
	if s.Shared() {
		opt.Isolation = sql.LevelRepeatableRead
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, readTime)
		defer cancel()
	}
	begun, err := s.read.BeginTx(ctx, opt)
	if err != nil {
		return s.fail(caller, op, err)
	}
	tx := &txn{Tx: begun, dialect: s.read.dialect}
	// Nothing was written: there is nothing that a failed rollback could lose.
	defer func() { _ = tx.Rollback() }()
	return s.fail(caller, op, fn(ctx, tx))
}

// fail sorts errors: the context's and those of the interface stay what they
// are, all others mean that the database did not answer.
func (s *Store) fail(ctx context.Context, op string, err error) error {
	if err == nil {
		return nil
	}
	if cerr := ctx.Err(); cerr != nil {
		return fmt.Errorf("store: %s: %w", op, cerr)
	}
	for _, known := range []error{kb.ErrInvalid, kb.ErrNotFound, kb.ErrConflict, kb.ErrUnavailable} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("store: %s: %w: %w", op, kb.ErrUnavailable, err)
}

// Stats counts what the store holds.
type Stats struct {
	Documents, Versions, Chunks, Facts, Gaps, Reviews int
	LastSeq                                           int64 // of the change feed
	Bytes                                             int64 // size of the database file and its log, or of the whole database
}

// Stats counts what the store holds.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var st Stats
	err := s.view(ctx, "stats", func(ctx context.Context, tx *txn) error {
		return tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM versions),
			(SELECT count(*) FROM chunks), (SELECT count(*) FROM facts), (SELECT count(*) FROM gaps), (SELECT count(*) FROM reviews),
			(SELECT coalesce(max(seq), 0) FROM changes)`).Scan(&st.Documents, &st.Versions, &st.Chunks, &st.Facts, &st.Gaps, &st.Reviews, &st.LastSeq)
	})
	if err != nil {
		return Stats{}, err
	}
	if s.Shared() {
		if err := s.read.QueryRowContext(ctx, `SELECT pg_database_size(current_database())`).Scan(&st.Bytes); err != nil {
			return Stats{}, s.fail(ctx, "stats", err)
		}
		return st, nil
	}
	for _, name := range []string{File, File + "-wal"} {
		if info, err := os.Stat(filepath.Join(s.dir, name)); err == nil {
			st.Bytes += info.Size()
		}
	}
	return st, nil
}
