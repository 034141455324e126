package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Backup writes a consistent copy of the whole database into a new SQLite file, which only its
// owner can read, also while the service runs. The file appears once it is on disk and has passed
// Check. An existing file is an error, unless replace is set.
func (s *State) Backup(ctx context.Context, path string, replace bool) (*Report, error) {
	if err := s.checkBackupTarget(path, replace); err != nil {
		return nil, err
	}
	s.removeParts(path)
	f, err := os.CreateTemp(filepath.Dir(path), partPrefix(path)+"*"+partSuffix) // with mode 0600
	if err != nil {
		return nil, fmt.Errorf("writing the backup: %w", err)
	}
	part := f.Name()
	defer removeDatabase(part)
	if err := f.Close(); err != nil {
		return nil, err
	}
	report, err := s.writeBackup(ctx, part, path)
	if err != nil {
		// What is wrong with the database may be why it cannot be copied.
		var failed error
		if report, failed = s.Check(ctx); failed != nil || len(report.Problems) == 0 {
			return nil, fmt.Errorf("writing the backup: %w", err)
		}
	}
	if len(report.Problems) > 0 {
		return report, fmt.Errorf("no backup was written because the database has problems; see kindex state check")
	}
	return report, errors.Join(syncFile(part), publishFile(part, path, replace))
}

// The names of unfinished backups.
const partSuffix = ".part"

func partPrefix(path string) string { return "." + filepath.Base(path) + "-" }

// removeParts removes what backups to the same path have left that were killed: unfinished files that are
// more than a day old.
func (s *State) removeParts(path string) {
	dir := filepath.Dir(path)
	list, _ := os.ReadDir(dir) // leftovers are harmless
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), partPrefix(path)) || !strings.HasSuffix(e.Name(), partSuffix) {
			continue
		}
		if i, err := e.Info(); err == nil && s.now().Sub(i.ModTime()) > 24*time.Hour {
			removeDatabase(filepath.Join(dir, e.Name()))
		}
	}
}

// checkBackupTarget rejects file names for which a backup would cause damage.
func (s *State) checkBackupTarget(path string, replace bool) error {
	switch there, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("writing the backup: %w", err)
	case there.IsDir():
		return fmt.Errorf("%s is a directory; use a file, such as %s", path, filepath.Join(path, "kindex-backup.db"))
	case !replace:
		return fmt.Errorf("%s already exists: choose another name, or use --force to replace it", path)
	default:
		if own, err := os.Stat(s.file); err == nil && os.SameFile(own, there) {
			return fmt.Errorf("%s is the database itself", path)
		}
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		return fmt.Errorf("%s-wal exists: the database %s is in use, or was not closed properly; choose another name", path, path)
	}
	return nil
}

// writeBackup writes the backup to an empty file and checks it. name is its name in messages.
func (s *State) writeBackup(ctx context.Context, path, name string) (r *Report, err error) {
	to, err := Open(ctx, path, Options{Now: s.now, SkipMigrations: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	to.target = name
	if _, err := s.CopyTo(ctx, to); err != nil {
		return nil, err
	}
	return to.Check(ctx)
}

func publishFile(part, path string, replace bool) error {
	if replace {
		return errors.Join(os.Rename(part, path), syncFile(filepath.Dir(path)))
	}
	err := os.Link(part, path) // unlike a rename, it does not replace a file
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s was created in the meantime; choose another name", path)
	case err != nil: // the file system has no links
		err = os.Rename(part, path)
	}
	return errors.Join(err, syncFile(filepath.Dir(path)))
}

// syncFile syncs a file, or the entries of a folder, to disk.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeDatabase removes a SQLite file and the files that SQLite and Open created next to it.
func removeDatabase(path string) {
	for _, end := range []string{"", "-wal", "-shm", "-journal", ".migrating", ".serving"} {
		_ = os.Remove(path + end) // leftovers are harmless
	}
}

// Report is the result of Check.
type Report struct {
	State           string // the address of the database, without the password
	Engine          Engine
	Server          string // the version of the database engine
	Version, Latest int64  // the schema's version, and the newest supported one
	Counts          []TableCount
	Problems        []string // human-readable
	Notes           []string // other findings
}

// Check reads a consistent snapshot of the whole database and reports damage and settings that
// would cause some. It does not change the database. An error means that the database could not be
// read.
func (s *State) Check(ctx context.Context) (*Report, error) {
	r := &Report{State: s.target, Engine: s.engine}
	var err1 error
	r.Version, r.Latest, err1 = s.Versions(ctx)
	tables, err2 := s.tables(ctx)
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: s.snapshot(), ReadOnly: true})
	if err != nil {
		return nil, s.wrap("checking", err)
	}
	defer func() { _ = tx.Rollback() }() // the transaction only reads
	c := &checker{conn: &conn{ctx: ctx, read: tx}, Report: r}
	c.version()
	if s.engine == SQLite {
		c.sqlite(s.file)
	} else {
		c.postgreSQL()
	}
	for _, t := range tables {
		r.Counts = append(r.Counts, TableCount{t.name, int64(c.count(t.name))})
	}
	return r, s.wrap("checking", c.failed)
}

type checker struct {
	*conn
	*Report
}

func (c *checker) addProblem(format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
}

// texts returns the rows of a query that selects one text column, or nil after a failure.
func (c *checker) texts(query string) []string {
	lines, _ := list(c.conn, into1[string], query)
	return lines
}

func (c *checker) version() {
	switch {
	case c.Version == 0:
		c.addProblem("it has no schema: it is new, or not a kindex database")
	case c.Version > c.Latest:
		c.addProblem("it has schema version %d, but this kindex supports only versions up to %d: use the kindex that created it, or a newer one", c.Version, c.Latest)
	case c.Version < c.Latest:
		c.Notes = append(c.Notes, fmt.Sprintf("kindex serve or kindex state migrate will upgrade it from schema version %d to %d", c.Version, c.Latest))
	}
}

func (c *checker) sqlite(file string) {
	c.Server = strings.Join(c.texts("SELECT sqlite_version()"), "")
	for _, line := range c.texts("PRAGMA integrity_check") {
		if line != "ok" {
			c.addProblem("the file is damaged: %s", line)
		}
	}
	for _, line := range c.texts(`SELECT "table" || ' to ' || parent || ', row ' || COALESCE(rowid, 0) FROM pragma_foreign_key_check`) {
		c.addProblem("dangling reference: from %s", line)
	}
	if err := checkPrivate(file); err != nil {
		c.addProblem("%v", err)
	}
}

func (c *checker) postgreSQL() {
	c.Server = strings.Join(c.texts("SHOW server_version"), "")
	if e := strings.Join(c.texts("SHOW server_encoding"), ""); c.failed == nil && e != "UTF8" {
		c.addProblem("the database has %s encoding: create a database with UTF8 encoding", e)
	}
	if slices.Equal(c.texts("SELECT CAST(pg_is_in_recovery() AS TEXT)"), []string{"true"}) {
		c.addProblem("the server is a read-only standby: use the primary")
	}
	for _, setting := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if slices.Equal(c.texts("SHOW "+setting), []string{"off"}) {
			c.Notes = append(c.Notes, setting+" is off on the server: a crash may lose acknowledged writes")
		}
	}
}
