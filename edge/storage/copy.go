package storage

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// TableCount is the number of rows in a table.
type TableCount struct {
	Table string
	Rows  int64
}

// CopyTo copies all rows of all tables into an empty database, on either engine, and returns
// the number of rows per table. It reads a consistent snapshot, and writes in one
// transaction: if anything fails, the target stays empty. Before the commit, each table is
// read back and compared by row count and checksum.
func (s *State) CopyTo(ctx context.Context, to *State) ([]TableCount, error) {
	tables, err := s.sameSchema(ctx, to)
	if err != nil {
		return nil, err
	}
	from, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: s.snapshot(), ReadOnly: true})
	if err != nil {
		return nil, s.wrap("reading", err)
	}
	defer func() { _ = from.Rollback() }() // the transaction only reads
	var counts []TableCount
	err = to.Write(ctx, func(tx *Tx) error {
		counts = nil
		for _, t := range tables {
			if err := to.requireEmpty(tx, t); err != nil {
				return err
			}
		}
		for _, t := range tables {
			n, err := copyTable(ctx, from, tx, t)
			if err != nil {
				return fmt.Errorf("copying the table %s from %s to %s: %w", t.name, s.target, to.target, err)
			}
			counts = append(counts, TableCount{t.name, n})
		}
		return nil
	})
	return counts, err
}

// snapshot returns the isolation level in which all statements of a transaction see the same
// snapshot. In SQLite, this is the case in every transaction.
func (s *State) snapshot() sql.IsolationLevel {
	if s.engine == PostgreSQL {
		return sql.LevelRepeatableRead
	}
	return sql.LevelDefault
}

// sameSchema migrates the target to the schema version of the source, and returns the
// tables of both.
func (s *State) sameSchema(ctx context.Context, to *State) ([]table, error) {
	at, newest, err := s.Versions(ctx)
	switch {
	case err != nil:
		return nil, err
	case at == 0:
		return nil, fmt.Errorf("%s is not a kindex database: it has no schema", s.target)
	case at > newest:
		return nil, &SchemaTooNewError{s.target, at, newest}
	}
	if err := to.migrateTo(ctx, at); err != nil {
		return nil, err
	}
	if other, _, err := to.Versions(ctx); err != nil || other != at {
		return nil, errors.Join(err, fmt.Errorf("%s has schema version %d, but %s has schema version %d; upgrade the older one with kindex state migrate", to.target, other, s.target, at))
	}
	tables, err := s.tables(ctx)
	if err != nil {
		return nil, err
	}
	others, err := to.tables(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		i := slices.IndexFunc(others, func(o table) bool { return o.name == t.name })
		if i < 0 || !slices.Equal(others[i].columns, t.columns) {
			return nil, fmt.Errorf("the table %s (%s) in %s is missing from %s or defined differently there", t.name, t.columnList(), s.target, to.target)
		}
	}
	return tables, nil
}

// requireEmpty returns an error if a table has rows. On PostgreSQL, it keeps other
// transactions from writing to the table until this transaction ends.
func (s *State) requireEmpty(tx *Tx, t table) error {
	if s.engine == PostgreSQL {
		if _, err := tx.exec("LOCK TABLE " + t.name + " IN EXCLUSIVE MODE"); err != nil {
			return err
		}
	}
	n, err := value[int](tx.conn, "SELECT COUNT(*) FROM "+t.name)
	if err == nil && n > 0 {
		err = fmt.Errorf("%s is not empty: its table %s has %d rows; copy into a new database", s.target, t.name, n)
	}
	return err
}

// copyTable copies a table and verifies the copy.
func copyTable(ctx context.Context, from querier, tx *Tx, t table) (int64, error) {
	into := tx.inserter(t.name, t.columnList())
	read, err := eachRow(ctx, from, t, into.add)
	if err == nil {
		err = into.flush()
	}
	if err != nil {
		return 0, err
	}
	arrived, err := eachRow(ctx, tx.read, t, func(...any) error { return nil })
	if err == nil && arrived != read {
		err = fmt.Errorf("expected %d rows with the checksum %x, got %d rows with the checksum %x", read.rows, read.sum[0], arrived.rows, arrived.sum[0])
	}
	return read.rows, err
}

// checksum consists of the number of rows and the sum of their SHA-256 hashes, as four 64-bit
// numbers. It does not depend on the order of the rows, which differs between engines.
type checksum struct {
	rows int64
	sum  [4]uint64
}

func (f *checksum) add(row []any) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", row))
	for i := range f.sum {
		f.sum[i] += binary.BigEndian.Uint64(sum[8*i:])
	}
	f.rows++
}

// eachRow calls do for each row of a table and returns the checksum. The values in a row are int64,
// string or nil.
func eachRow(ctx context.Context, from querier, t table, do func(row ...any) error) (f checksum, err error) {
	rows, err := from.QueryContext(ctx, "SELECT "+t.columnList()+" FROM "+t.name)
	if err != nil {
		return f, err
	}
	defer rows.Close()
	for rows.Next() {
		row, into := make([]any, len(t.columns)), make([]any, len(t.columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return f, err
		}
		f.add(row)
		if err := do(row...); err != nil {
			return f, err
		}
	}
	return f, rows.Err()
}

// insertBatchSize is the number of rows that one statement inserts.
const insertBatchSize = 200

// inserter collects rows of a table and inserts them in batches.
type inserter struct {
	tx      *Tx
	into    string
	columns int
	args    []any
}

func (tx *Tx) inserter(table, columns string) *inserter {
	return &inserter{tx: tx, into: table + " (" + columns + ")", columns: strings.Count(columns, ",") + 1}
}

func (in *inserter) add(row ...any) error {
	if in.args = append(in.args, row...); len(in.args) < insertBatchSize*in.columns {
		return nil
	}
	return in.flush()
}

func (in *inserter) flush() error {
	if len(in.args) == 0 {
		return nil
	}
	_, err := in.tx.exec("INSERT INTO "+in.into+" VALUES "+placeholders(len(in.args), in.columns), in.args...)
	in.args = in.args[:0]
	return err
}

// placeholders returns the placeholders of rows with n values in all.
func placeholders(n, columns int) string {
	var rows []string
	for i := 0; i < n; i += columns {
		row := make([]string, columns)
		for j := range row {
			row[j] = "$" + strconv.Itoa(i+j+1)
		}
		rows = append(rows, "("+strings.Join(row, ", ")+")")
	}
	return strings.Join(rows, ", ")
}
