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
	readOnly, err := value[string](s.on(ctx), "SHOW transaction_read_only")
	if err == nil && readOnly != "off" {
		err = fmt.Errorf("the database %s is read-only", s.target)
	}
	return err
}

// NewID returns a new unguessable identifier: a prefix and 100 random bits.
func NewID(prefix string) string {
	var b [13]byte
	rand.Read(b[:])
	return prefix + strings.ToLower(base32.StdEncoding.EncodeToString(b[:])[:20])
}

func (s *State) wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s (%s): %w", doing, s.target, err)
}
