package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite" // registers the driver "sqlite"
)

const busyTimeout = 10 * time.Second

// busyCode is SQLITE_BUSY; extended codes use the upper bytes
// (https://www.sqlite.org/rescode.html).
const busyCode = 5

// pragmas make commits durable (write-ahead log, synchronous FULL) and allow commands to
// run alongside the edge.
const pragmas = "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=fullfsync(1)&_pragma=foreign_keys(1)"

// connectionString matches the other form of PostgreSQL's addresses. A file of that name would show
// the password.
var connectionString = regexp.MustCompile(`(?i)(^|\s)(host|hostaddr|user|dbname|password|service)\s*=`)

func (s *State) openSQLite(ctx context.Context, path string, o Options) error {
	s.engine, s.target = SQLite, path
	scheme, _, ok := strings.Cut(path, ":")
	if ok && (strings.Contains(path, "://") || strings.HasPrefix(strings.ToLower(scheme), "postgres")) {
		return fmt.Errorf("the database %s://…: use the path of a SQLite file, or the address of a PostgreSQL database, postgres://…", scheme)
	}
	if connectionString.MatchString(path) {
		return errors.New("the database is given in the form name=value; use the path of a SQLite file, or the address of a PostgreSQL database, postgres://…")
	}
	if err := createPrivate(path, o.MustExist); err != nil {
		return err
	}
	// All processes that use the file must use the same lock files next to it.
	file, err := filepath.Abs(path)
	if err == nil {
		s.file, err = filepath.EvalSymlinks(file)
	}
	if err != nil {
		return err
	}
	// Commands that only read do not fail: Check reports this as a problem.
	if readOnly := o.SkipMigrations && !o.Exclusive; !readOnly && maybeSQLite(s.file) {
		if err := checkPrivate(s.file); err != nil {
			return err
		}
	}
	if o.Exclusive {
		if err := s.LockExclusive(); err != nil {
			return err
		}
	}
	dsn := (&url.URL{Scheme: "file", Path: filepath.ToSlash(s.file)}).String() + "?" + pragmas
	if s.writer, err = sql.Open("sqlite", dsn+"&_txlock=immediate"); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	if err := connect(ctx, s.writer); err != nil {
		return fmt.Errorf("cannot use %s as a database: %w", path, err)
	}
	if s.counters, err = sql.Open("sqlite", dsn+"&_pragma=synchronous(NORMAL)"); err != nil {
		return err
	}
	s.counters.SetMaxOpenConns(1)
	if s.db, err = sql.Open("sqlite", dsn+"&_pragma=query_only(1)"); err != nil {
		return err
	}
	readers := max(4, runtime.GOMAXPROCS(0))
	s.db.SetMaxOpenConns(readers)
	s.db.SetMaxIdleConns(readers)
	return nil
}

// connect opens the file. If several processes create it concurrently, only one enables the
// write-ahead log. To avoid a deadlock, SQLite rejects the others immediately (SQLITE_BUSY),
// ignoring busy_timeout, so connect retries.
func connect(ctx context.Context, db *sql.DB) error {
	for end := time.Now().Add(busyTimeout); ; {
		err := db.PingContext(ctx)
		var refused *sqlite.Error
		if err == nil || !errors.As(err, &refused) || refused.Code()&0xff != busyCode || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// LockExclusive locks the database until Close so that no edge can use it. If an edge is using it, the
// error is ErrInUse. On PostgreSQL it does nothing.
func (s *State) LockExclusive() error {
	if s.engine == PostgreSQL || s.exclusiveLock != nil {
		return nil
	}
	lock := flock.New(s.file+".serving", flock.SetPermissions(0o600))
	ok, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("%s: %w", s.target, err)
	}
	if !ok {
		return fmt.Errorf("%s: %w", s.target, ErrInUse)
	}
	s.exclusiveLock = lock
	return chownLike(lock.Path(), s.file)
}

// createPrivate creates the file, readable only by its owner, because SQLite would create it
// readable by everyone. The files that SQLite creates next to it inherit the mode.
func createPrivate(path string, existing bool) error {
	i, err := os.Stat(path)
	switch {
	case err == nil && i.IsDir():
		return fmt.Errorf("%s is a directory; use a file, such as %s", path, filepath.Join(path, "kindex.db"))
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case existing:
		return fmt.Errorf("no database at %s; kindex serve creates one, and --state sets its path", path)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot create the database %s: no directory %s", path, filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("cannot create the database: %w", err)
	}
	return f.Close()
}

// maybeSQLite reports whether a file is a SQLite database (https://www.sqlite.org/fileformat.html,
// section 1.3) or can become one. Opening any other file fails with a more specific error.
func maybeSQLite(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // opening it will return the error
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, 16))
	return len(head) == 0 || string(head) == "SQLite format 3\x00"
}
