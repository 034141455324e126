package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

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
