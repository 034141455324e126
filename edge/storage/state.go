// Package storage stores all mutable data of the service: accounts and keys, request counts,
// submissions, webhooks and their events. A single edge can use an embedded SQLite database;
// several edges can share a PostgreSQL database. Both engines run the same statements.
package storage

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Engine is a kind of database.
type Engine string

// The engines.
const (
	SQLite     Engine = "SQLite"
	PostgreSQL Engine = "PostgreSQL"
)

// ErrInUse means that another edge is using the SQLite file.
var ErrInUse = errors.New("another kindex serve is using this database; to share one among several, use PostgreSQL: --state postgres://…")

// Options configure how a state is opened.
type Options struct {
	// Now returns the time. If nil, time.Now is used.
	Now func() time.Time
	// Exclusive keeps a second edge from using the same SQLite file. Commands can still use it.
	Exclusive bool
	// MustExist prevents Open from creating a missing SQLite file.
	MustExist bool
	// SkipMigrations leaves the schema as it is, whatever its version.
	SkipMigrations bool
}

// State is an open database. It is safe for concurrent use.
type State struct {
	engine        Engine
	target        string // the address for messages, without the password
	file          string // SQLite: the absolute path, without symbolic links
	now           func() time.Time
	db            *sql.DB      // SQLite: for reading only
	writer        *sql.DB      // SQLite: its only connection is held by the transaction that writes
	writes        sync.RWMutex // read-locked during a transaction
	counters      *sql.DB      // SQLite: for request counts, which are not on disk when a statement ends
	exclusiveLock interface{ Unlock() error }
}

// IsPostgreSQL reports whether a target is the address of a PostgreSQL database rather than
// the path of a SQLite file.
func IsPostgreSQL(target string) bool {
	return strings.HasPrefix(target, "postgres://") || strings.HasPrefix(target, "postgresql://")
}

// Open opens a database and upgrades its schema. The target is postgres://… or the path of a
// SQLite file. A missing SQLite file is created, readable only by its owner.
func Open(ctx context.Context, target string, o Options) (*State, error) {
	s := &State{now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	open := s.openSQLite
	if IsPostgreSQL(target) {
		open = s.openPostgreSQL
	}
	if err := open(ctx, target, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if !o.SkipMigrations {
		if err := s.Migrate(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	return s, nil
}

// Close closes the database when running transactions have ended.
func (s *State) Close() error {
	s.writes.Lock()
	defer s.writes.Unlock()
	var errs []error
	for _, db := range []*sql.DB{s.writer, s.counters, s.db} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if s.exclusiveLock != nil {
		errs = append(errs, s.exclusiveLock.Unlock())
	}
	return errors.Join(errs...)
}

// Engine returns the kind of the database.
func (s *State) Engine() Engine { return s.engine }

// String returns the address of the database without a password.
func (s *State) String() string { return s.target }

// Ping returns an error if the database cannot be reached, or does not accept writes, as a standby
// of PostgreSQL.
func (s *State) Ping(ctx context.Context) error {
	if s.engine == SQLite {
		return s.db.PingContext(ctx)
	}
	var readOnly string
	if err := s.row(ctx, "SHOW transaction_read_only").Scan(&readOnly); err != nil {
		return err
	}
	if readOnly != "off" {
		return fmt.Errorf("the database %s is read-only", s.target)
	}
	return nil
}

// row runs a query for one row, outside a transaction.
func (s *State) row(ctx context.Context, query string, args ...any) *sql.Row {
	return s.db.QueryRowContext(ctx, query, args...)
}

// rows runs a query outside a transaction.
func (s *State) rows(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.db.QueryContext(ctx, query, args...)
}

// exec runs one statement in a separate transaction, and returns the number of affected rows.
// On PostgreSQL, this is a single round trip.
func (s *State) exec(ctx context.Context, query string, args ...any) (n int64, err error) {
	return affected(s.writer.ExecContext(ctx, query, args...))
}

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

// all reads the rows of a query. into lists where the columns of a row go.
func all[T any](rows *sql.Rows, err error, into func(*T) []any) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []T{}
	for rows.Next() {
		var v T
		if err := rows.Scan(into(&v)...); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// one reads the only row of a query. If there is none, the error is missing.
func one[T any](row *sql.Row, missing error, into func(*T) []any) (v T, err error) {
	if err = row.Scan(into(&v)...); errors.Is(err, sql.ErrNoRows) {
		err = missing
	}
	return v, err
}

// column receives the value of a column.
type column func(value any) error

// Scan implements sql.Scanner.
func (c column) Scan(value any) error { return c(value) }

// orZero receives a column; null becomes the zero value.
func orZero[T any](to *T) column {
	return func(value any) error {
		var n sql.Null[T]
		err := n.Scan(value)
		*to = n.V
		return err
	}
}

// moment receives a stored time.
func moment(t *time.Time) column {
	return func(value any) error {
		var n sql.NullInt64
		err := n.Scan(value)
		*t = fromMillis(n)
		return err
	}
}

// lasting receives a stored duration.
func lasting(d *time.Duration) column {
	return func(value any) error {
		var n sql.NullInt64
		err := n.Scan(value)
		*d = time.Duration(n.Int64) * time.Millisecond
		return err
	}
}

// placeholder returns the placeholder for argument n.
func placeholder(n int) string { return "$" + strconv.Itoa(n) }

// textInto receives a row of one text.
func textInto(s *string) []any { return []any{s} }

// NewID returns a new unguessable identifier: a prefix and 100 random bits.
func NewID(prefix string) string {
	var b [13]byte
	rand.Read(b[:])
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:20])
}

// toMillis converts a time to its stored form: milliseconds since 1970, UTC. The zero
// time becomes null.
func toMillis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// fromMillis converts a stored time back. Null becomes the zero time.
func fromMillis(n sql.NullInt64) time.Time {
	if !n.Valid {
		return time.Time{}
	}
	return time.UnixMilli(n.Int64).UTC()
}

// wrap adds a description of what the program was doing to a database error.
func (s *State) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s (%s): %w", doing, s.target, err)
}
