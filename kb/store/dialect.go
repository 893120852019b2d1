package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"sync"
)

// dialect is how a database wants its statements: one text serves both, written for
// SQLite, with ? for the next parameter and ?2 for the second.
type dialect int

const (
	sqlite dialect = iota
	postgres
)

// numbered caches the statements in PostgreSQL's form, where parameters are $1, $2.
var numbered sync.Map // string to string

// sql returns the statement in the dialect's form. No statement holds a question mark
// that is not a parameter.
func (d dialect) sql(statement string) string {
	if d == sqlite {
		return statement
	}
	if known, ok := numbered.Load(statement); ok {
		return known.(string)
	}
	var b strings.Builder
	next := 1
	for i := 0; i < len(statement); i++ {
		if statement[i] != '?' {
			b.WriteByte(statement[i])
			continue
		}
		b.WriteByte('$')
		if i+1 < len(statement) && statement[i+1] >= '0' && statement[i+1] <= '9' {
			continue // the number follows
		}
		b.WriteString(strconv.Itoa(next))
		next++
	}
	out := b.String()
	numbered.Store(statement, out)
	return out
}

// database is a pool that takes statements in the common form.
type database struct {
	*sql.DB
	dialect dialect
}

func (d *database) QueryRowContext(ctx context.Context, statement string, args ...any) *sql.Row {
	return d.DB.QueryRowContext(ctx, d.dialect.sql(statement), args...)
}

// txn is a transaction that takes statements in the common form.
type txn struct {
	*sql.Tx
	dialect dialect
}

func (t *txn) ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error) {
	return t.Tx.ExecContext(ctx, t.dialect.sql(statement), args...)
}

func (t *txn) QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error) {
	return t.Tx.QueryContext(ctx, t.dialect.sql(statement), args...)
}

func (t *txn) QueryRowContext(ctx context.Context, statement string, args ...any) *sql.Row {
	return t.Tx.QueryRowContext(ctx, t.dialect.sql(statement), args...)
}

func (t *txn) PrepareContext(ctx context.Context, statement string) (*sql.Stmt, error) {
	return t.Tx.PrepareContext(ctx, t.dialect.sql(statement))
}
