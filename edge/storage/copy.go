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

	"kindex/edge/seal"
	"kindex/edge/webhook"
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
			tx.lockTable(t.name)
			if n := tx.count(t.name); n > 0 {
				return fmt.Errorf("%s is not empty: its table %s has %d rows; copy into a new database", to.target, t.name, n)
			}
		}
		for _, t := range tables {
			n, err := tx.copyTable(from, t)
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
	tables, err1 := s.tables(ctx)
	others, err2 := to.tables(ctx)
	if err := errors.Join(err1, err2); err != nil {
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

func (tx *Tx) copyTable(from querier, t table) (int64, error) {
	into := tx.inserter(t.name, t.columnList())
	read, err := eachRow(tx.ctx, from, t, into.add)
	into.flush()
	if err = errors.Join(err, tx.failed); err != nil {
		return 0, err
	}
	arrived, err := eachRow(tx.ctx, tx.read, t, func(...any) {})
	if err == nil && arrived != read {
		err = fmt.Errorf("expected %d rows with the checksum %x, got %d rows with the checksum %x", read.rows, read.sum, arrived.rows, arrived.sum)
	}
	return read.rows, err
}

// checksum consists of the number of rows and the sum of their hashes. It does not depend on the
// order of the rows, which differs between engines.
type checksum struct {
	rows int64
	sum  uint64
}

// eachRow calls do for each row of a table and returns the checksum. The values in a row are int64,
// string or nil.
func eachRow(ctx context.Context, from querier, t table, do func(row ...any)) (f checksum, err error) {
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
		sum := sha256.Sum256(fmt.Appendf(nil, "%#v", row))
		f.rows, f.sum = f.rows+1, f.sum+binary.BigEndian.Uint64(sum[:])
		do(row...)
	}
	return f, rows.Err()
}

const insertBatchSize = 200

// inserter collects rows of a table and inserts them in batches. Like conn.do, it does nothing after a failure.
type inserter struct {
	tx      *Tx
	into    string
	columns int
	args    []any
}

func (tx *Tx) inserter(table, columns string) *inserter {
	return &inserter{tx: tx, into: table + " (" + columns + ")", columns: strings.Count(columns, ",") + 1}
}

func (in *inserter) add(row ...any) {
	if in.args = append(in.args, row...); len(in.args) >= insertBatchSize*in.columns {
		in.flush()
	}
}

func (in *inserter) flush() {
	if len(in.args) > 0 {
		in.tx.do("INSERT INTO "+in.into+" VALUES "+placeholders(len(in.args), in.columns), in.args...)
		in.args = in.args[:0]
	}
}

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

// sealed is a stored secret: the current one of a webhook, or the one before.
type sealed struct {
	webhook, column, text string
	secret                []byte
}

// CheckSealed returns an error if a stored secret cannot be opened with the operator's keys.
// If a key is missing, the error names its id. Errors never contain the secrets.
func (s *State) CheckSealed(ctx context.Context, keys *seal.Keys) error {
	_, err := s.openSealed(ctx, keys)
	return err
}

func (s *State) openSealed(ctx context.Context, keys *seal.Keys) ([]sealed, error) {
	stored, err := list(s.on(ctx), func(s *sealed) []any { return []any{&s.webhook, &s.column, &s.text} }, `SELECT id, 'secret', secret FROM webhooks
		UNION ALL SELECT id, 'previous_secret', previous_secret FROM webhooks WHERE previous_secret IS NOT NULL`)
	if err != nil {
		return nil, err
	}
	var missing []string
	damaged := 0
	for i := range stored {
		one := &stored[i]
		var unknown *seal.UnknownKeyError
		if one.secret, err = keys.Open(one.text, webhook.Purpose, one.webhook); errors.As(err, &unknown) {
			missing = append(missing, unknown.ID)
		} else if err != nil {
			damaged++
		}
	}
	slices.Sort(missing)
	switch {
	case len(missing) > 0:
		return nil, fmt.Errorf("the database %s has secrets sealed with the operator's key %s, but the key file contains only %s: add the missing key to the file, below the newest key",
			s.target, strings.Join(slices.Compact(missing), " and "), strings.Join(keys.IDs(), ", "))
	case damaged > 0:
		return nil, fmt.Errorf("the database %s has %d damaged or moved secrets", s.target, damaged)
	}
	return stored, nil
}

// Rekey seals every secret with the first of the operator's keys, unless it is already sealed
// with that key, and returns how many secrets it changed. The operator's keys must include
// all keys in use. An edge can keep running meanwhile if it also has the new key.
func (s *State) Rekey(ctx context.Context, keys *seal.Keys) (n int, err error) {
	stored, err := s.openSealed(ctx, keys)
	if err != nil {
		return 0, err
	}
	err = s.Write(ctx, func(tx *Tx) error {
		n = 0
		for _, one := range stored {
			if !keys.Current(one.text) {
				n += int(tx.do("UPDATE webhooks SET "+one.column+" = $1 WHERE id = $2 AND "+one.column+" = $3",
					keys.Seal(one.secret, webhook.Purpose, one.webhook), one.webhook, one.text))
			}
		}
		return tx.failed
	})
	return n, err
}
