package storage

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// Tx is a running transaction. It must not be used outside the function that received it.
type Tx struct {
	ctx context.Context
	sql interface {
		ExecContext(context.Context, string, ...any) (sql.Result, error)
		QueryContext(context.Context, string, ...any) (*sql.Rows, error)
		QueryRowContext(context.Context, string, ...any) *sql.Row
	}
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
// disk. When it returns an error, nothing has changed. On PostgreSQL, the function may be run
// more than once and must do nothing except use the database. On SQLite, it blocks all other
// writes, and a transaction that has started is finished even if ctx ends.
func (s *State) Write(ctx context.Context, do func(*Tx) error) error {
	if s.writer == nil {
		return s.writePostgreSQL(ctx, do)
	}
	return s.writer.write(ctx, do)
}

// maxGroupSize and maxGroupLen limit the number and the duration of the transactions that
// share one commit.
const (
	maxGroupSize = 256
	maxGroupLen  = 50 * time.Millisecond
)

// errClosed means that the database is closed.
var errClosed = errors.New("the database is closed")

// writer is the single writer of a SQLite file. All jobs that are waiting when a commit ends
// are committed together next. A single write therefore does not wait, and many writes need
// few commits.
type writer struct {
	db    *sql.DB
	state *State
	jobs  chan *job
	done  chan struct{}

	mu     sync.RWMutex // read-locked while a job is added
	closed bool
}

// job is a transaction for which a caller is waiting.
type job struct {
	ctx      context.Context
	do       func(*Tx) error
	err      error
	panicked any
	done     chan struct{}
}

func newWriter(db *sql.DB, s *State) *writer {
	w := &writer{db: db, state: s, jobs: make(chan *job, maxGroupSize), done: make(chan struct{})}
	go w.loop()
	return w
}

func (w *writer) write(ctx context.Context, do func(*Tx) error) error {
	j := &job{ctx: ctx, do: do, done: make(chan struct{})}
	if err := w.enqueue(j); err != nil {
		return err
	}
	<-j.done
	if j.panicked != nil {
		panic(j.panicked)
	}
	return j.err
}

func (w *writer) enqueue(j *job) error {
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return errClosed
	}
	select {
	case w.jobs <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

// close waits for jobs that are already in the queue and ends the writer.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return nil
	}
	w.closed = true
	close(w.jobs)
	w.mu.Unlock()
	<-w.done
	return w.db.Close()
}

func (w *writer) loop() {
	defer close(w.done)
	group := make([]*job, 0, maxGroupSize)
	for first := range w.jobs {
		group = append(group[:0], first)
		w.commit(group)
	}
}

// commit runs a job, and the jobs that arrive meanwhile, in one transaction.
func (w *writer) commit(group []*job) {
	ctx := context.Background()
	tx, err := w.db.BeginTx(ctx, nil)
	if err == nil {
		if group, err = w.runAll(ctx, tx, group); err == nil {
			err = tx.Commit()
		}
		if err != nil {
			_ = tx.Rollback() // a failed commit may have left the transaction open
		}
	}
	for _, j := range group {
		if j.err == nil && err != nil {
			j.err = err
		}
		close(j.done)
	}
}

// runAll runs jobs until no more are waiting or the group is full. An error means that the
// whole transaction failed.
func (w *writer) runAll(ctx context.Context, tx *sql.Tx, group []*job) ([]*job, error) {
	start := time.Now()
	for i := 0; i < len(group); i++ {
		if err := w.run(ctx, tx, group[i]); err != nil {
			return group, err
		}
		if len(group) == maxGroupSize || time.Since(start) > maxGroupLen {
			continue
		}
		select {
		case j, ok := <-w.jobs:
			if ok {
				group = append(group, j)
			}
		default:
		}
	}
	return group, nil
}

// run runs one job after a savepoint, so that its failure does not affect other jobs. Some
// failures, such as a full disk, make SQLite roll back the whole transaction. In that case
// there is no savepoint left to roll back to.
func (w *writer) run(ctx context.Context, tx *sql.Tx, j *job) error {
	if j.err = j.ctx.Err(); j.err != nil {
		return nil //nolint:nilerr // only this job failed; j.err holds the error
	}
	if _, err := tx.ExecContext(ctx, "SAVEPOINT job"); err != nil {
		return err
	}
	func() {
		defer func() { j.panicked = recover() }()
		j.err = (&Tx{ctx: ctx, sql: tx, state: w.state, actor: actorOf(j.ctx)}).run(j.do)
	}()
	if j.err != nil || j.panicked != nil {
		if _, err := tx.ExecContext(ctx, "ROLLBACK TO job"); err != nil {
			return errors.Join(j.err, err)
		}
	}
	_, err := tx.ExecContext(ctx, "RELEASE job")
	return err
}
