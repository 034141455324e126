package storage

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Tx is a running transaction. It must not be used outside the function that received it.
type Tx struct {
	ctx   context.Context
	sql   *sql.Tx
	state *State
	actor Actor // who makes the changes
	// failed is the error of the first failed statement. It ends the transaction, as on
	// PostgreSQL. SQLite may have rolled the transaction back, and would run and commit later
	// statements separately.
	failed error
}

// exec runs a statement and returns the number of rows that it changed.
func (tx *Tx) exec(query string, args ...any) (int64, error) {
	if tx.failed != nil {
		return 0, tx.failed
	}
	n, err := affected(tx.sql.ExecContext(tx.ctx, query, args...))
	tx.failed = err
	return n, err
}

func (tx *Tx) row(query string, args ...any) *sql.Row {
	if tx.failed != nil {
		return tx.sql.QueryRowContext(canceledContext, query, args...)
	}
	r := tx.sql.QueryRowContext(tx.ctx, query, args...)
	tx.failed = r.Err()
	return r
}

// rows runs a query. The result must be closed before the next statement.
func (tx *Tx) rows(query string, args ...any) (*sql.Rows, error) {
	if tx.failed != nil {
		return nil, tx.failed
	}
	rows, err := tx.sql.QueryContext(tx.ctx, query, args...)
	tx.failed = err
	return rows, err
}

// canceledContext is a context that has ended, so that a statement with it fails without
// being run.
var canceledContext = func() context.Context {
	ctx, end := context.WithCancel(context.Background())
	end()
	return ctx
}()

// run runs a function in the transaction. It returns the error of a failed statement even
// if the function ignored it.
func (tx *Tx) run(do func(*Tx) error) error {
	if err := do(tx); err != nil {
		return err
	}
	return tx.failed
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
	t := &Tx{ctx: ctx, sql: tx, state: s, actor: actorOf(ctx)}
	if err := t.run(do); isRetryable(t.failed) {
		return t.failed // whatever error the function returned instead
	} else if err != nil {
		return err
	}
	return tx.Commit()
}

// isRetryable reports whether err is a serialization failure or a deadlock (PostgreSQL,
// appendix A).
func isRetryable(err error) bool {
	var p *pgconn.PgError
	return errors.As(err, &p) && (p.Code == "40001" || p.Code == "40P01")
}
