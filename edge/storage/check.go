package storage

import (
	"context"
	"database/sql"
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
	var err error
	if r.Version, r.Latest, err = s.Versions(ctx); err != nil {
		return nil, err
	}
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: s.snapshot(), ReadOnly: true})
	if err != nil {
		return nil, s.wrap("checking", err)
	}
	defer func() { _ = tx.Rollback() }() // the transaction only reads
	c := &checker{conn: &conn{ctx: ctx, read: tx}, report: r, tables: tables}
	c.version()
	if s.engine == SQLite {
		c.sqlite(s.file)
	} else {
		c.postgreSQL()
	}
	c.count()
	return r, s.wrap("checking", c.err)
}

// checker holds the state of a check.
type checker struct {
	*conn
	report *Report
	tables []table
	err    error
}

func (c *checker) addProblem(format string, args ...any) {
	c.report.Problems = append(c.report.Problems, fmt.Sprintf(format, args...))
}

// texts returns the rows of a query that selects one text column. After an error, it returns
// nil.
func (c *checker) texts(query string) []string {
	if c.err != nil {
		return nil
	}
	var lines []string
	lines, c.err = list(c.conn, into1[string], query)
	return lines
}

func (c *checker) version() {
	switch r := c.report; {
	case r.Version == 0:
		c.addProblem("it has no schema: it is new, or not a kindex database")
	case r.Version > r.Latest:
		c.addProblem("it has schema version %d, but this kindex supports only versions up to %d: use the kindex that created it, or a newer one", r.Version, r.Latest)
	case r.Version < r.Latest:
		r.Notes = append(r.Notes, fmt.Sprintf("kindex serve or kindex state migrate will upgrade it from schema version %d to %d", r.Version, r.Latest))
	}
}

func (c *checker) sqlite(file string) {
	c.report.Server = strings.Join(c.texts("SELECT sqlite_version()"), "")
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
	c.report.Server = strings.Join(c.texts("SHOW server_version"), "")
	if e := c.texts("SHOW server_encoding"); c.err == nil && !slices.Equal(e, []string{"UTF8"}) {
		c.addProblem("the database has %s encoding: create a database with UTF8 encoding", strings.Join(e, ""))
	}
	if c.err == nil && slices.Equal(c.texts("SELECT CAST(pg_is_in_recovery() AS TEXT)"), []string{"true"}) {
		c.addProblem("the server is a read-only standby: use the primary")
	}
	for _, setting := range []string{"fsync", "full_page_writes", "synchronous_commit"} {
		if slices.Equal(c.texts("SHOW "+setting), []string{"off"}) {
			c.report.Notes = append(c.report.Notes, setting+" is off on the server: a crash may lose acknowledged writes")
		}
	}
}

func (c *checker) count() {
	for _, t := range c.tables {
		n := TableCount{Table: t.name}
		if c.err == nil {
			n.Rows, c.err = value[int64](c.conn, "SELECT COUNT(*) FROM "+t.name)
		}
		c.report.Counts = append(c.report.Counts, n)
	}
}
