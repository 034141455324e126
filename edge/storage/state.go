// Package storage stores all mutable data of the service: accounts and keys, request counts,
// submissions, webhooks and their events. A single edge can use an embedded SQLite database;
// several edges can share a PostgreSQL database. Both engines run the same statements.
package storage

import (
	"context"
	cryptorand "crypto/rand"
	"database/sql"
	"encoding/base32"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
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
	readOnly, err := value[string](s.on(ctx), "SHOW transaction_read_only")
	if err == nil && readOnly != "off" {
		err = fmt.Errorf("the database %s is read-only", s.target)
	}
	return err
}

// NewID returns a new unguessable identifier: a prefix and 100 random bits.
func NewID(prefix string) string {
	var b [13]byte
	cryptorand.Read(b[:])
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:20])
}

func (s *State) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s (%s): %w", doing, s.target, err)
}

// Tx is a running transaction. It must not be used outside the function that received it. After a
// failed statement, the transaction fails, even if the function ignores the error.
type Tx struct {
	*conn
	state *State
	actor Actor // who makes the changes
}

// now returns the time in the stored format.
func (tx *Tx) now() int64 { return tx.state.now().UnixMilli() }

// skipLocked returns the end of a subquery that skips rows of a table locked by other transactions.
// SQLite has a single writer and does not need it.
func (tx *Tx) skipLocked(table string) string {
	if tx.state.engine == PostgreSQL {
		return " FOR UPDATE OF " + table + " SKIP LOCKED"
	}
	return ""
}

// lockTable keeps other transactions from writing to a table until this one ends. SQLite has a
// single writer and does not need it.
func (tx *Tx) lockTable(table string) {
	if tx.state.engine == PostgreSQL {
		tx.do("LOCK TABLE " + table + " IN SHARE ROW EXCLUSIVE MODE")
	}
}

// Write runs a function in a separate transaction. When Write returns nil, the changes are on
// disk. When it returns an error, nothing has changed. The function may be run more than once and
// must do nothing except use the database: PostgreSQL aborts transactions because of conflicts. On
// SQLite, it blocks all other writes.
func (s *State) Write(ctx context.Context, do func(*Tx) error) error {
	s.writes.RLock()
	defer s.writes.RUnlock()
	for attempt := 0; ; attempt++ {
		err := s.tryWrite(ctx, do)
		if !isRetryable(err) || attempt == 5 {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(time.Duration(rand.Int64N(int64(10*time.Millisecond) << attempt))): //nolint:gosec // not a secret, only a pause
		}
	}
}

func (s *State) tryWrite(ctx context.Context, do func(*Tx) error) error {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // has no effect after a commit
	c := &conn{ctx: ctx, read: tx, write: tx}
	if err := do(&Tx{c, s, actorOf(ctx)}); err != nil && !isRetryable(c.failed) {
		return err
	}
	if c.failed != nil {
		return c.failed // whatever the function returned instead
	}
	return tx.Commit()
}

// isRetryable reports whether err is a serialization failure or a deadlock (PostgreSQL,
// appendix A).
func isRetryable(err error) bool {
	var p *pgconn.PgError
	return errors.As(err, &p) && (p.Code == "40001" || p.Code == "40P01")
}
