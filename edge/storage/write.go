package storage

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

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
