package storage

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

type querier interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// conn runs statements: those of a transaction, or single ones.
type conn struct {
	ctx         context.Context
	read, write querier
	// failed is the error of the first failed statement, after which no other is run, as in a
	// transaction of PostgreSQL. SQLite may have rolled the transaction back, and would run and
	// commit later statements separately.
	failed error
}

// on returns a conn for single statements, each of which is a transaction.
func (s *State) on(ctx context.Context) *conn { return &conn{ctx: ctx, read: s.db, write: s.writer} }

func (c *conn) exec(statement string, args ...any) (n int64, err error) {
	if c.failed != nil {
		return 0, c.failed
	}
	r, err := c.write.ExecContext(c.ctx, statement, args...)
	if err == nil {
		n, err = r.RowsAffected()
	}
	c.failed = err
	return n, err
}

// do is exec for a transaction, which fails in the end if a statement has failed.
func (c *conn) do(statement string, args ...any) int64 {
	n, _ := c.exec(statement, args...)
	return n
}

// count returns the number of rows of a table that match a condition, or 0 after a failure.
func (c *conn) count(tableWhere string, args ...any) int {
	n, _ := value[int](c, "SELECT COUNT(*) FROM "+tableWhere, args...)
	return n
}

// list runs a query and returns its rows. into lists where the columns of a row go.
func list[T any](c *conn, into func(*T) []any, query string, args ...any) (all []T, err error) {
	if c.failed != nil {
		return nil, c.failed
	}
	defer func() { c.failed = err }()
	rows, err := c.read.QueryContext(c.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all = []T{}
	for rows.Next() {
		var v T
		if err := rows.Scan(into(&v)...); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}

// one runs a query and returns its only row. If there is none, the error is missing.
func one[T any](c *conn, missing error, into func(*T) []any, query string, args ...any) (v T, err error) {
	rows, err := list(c, into, query, args...)
	switch {
	case err != nil:
		return v, err
	case len(rows) == 0:
		return v, missing
	}
	return rows[0], nil
}

// value runs a query that selects one value. If there is none, the error is sql.ErrNoRows.
func value[T any](c *conn, query string, args ...any) (T, error) {
	return one(c, sql.ErrNoRows, into1[T], query, args...)
}

func into1[T any](v *T) []any { return []any{v} }

// column receives the value of a column.
type column func(value any) error

// Scan implements sql.Scanner.
func (c column) Scan(value any) error { return c(value) }

// converted receives a column that is stored in another form; null becomes the zero value.
func converted[S, T any](to *T, convert func(S) T) column {
	return func(value any) error {
		var n sql.Null[S]
		err := n.Scan(value)
		if *to = *new(T); n.Valid {
			*to = convert(n.V)
		}
		return err
	}
}

// orZero receives a column; null becomes the zero value.
func orZero[T any](to *T) column { return converted(to, func(v T) T { return v }) }

func moment(t *time.Time) column { return converted(t, fromMillis) }

func lasting(d *time.Duration) column {
	return converted(d, func(ms int64) time.Duration { return time.Duration(ms) * time.Millisecond })
}

func jsonInto(list *[]string) column {
	return func(value any) error {
		var text sql.NullString
		return errors.Join(text.Scan(value), json.Unmarshal([]byte(text.String), list))
	}
}

// orNull converts a value to its stored form, in which the zero value is null.
func orNull[T comparable](v T) sql.Null[T] { return sql.Null[T]{V: v, Valid: v != *new(T)} }

// toMillis converts a time to its stored form: milliseconds since 1970, UTC. The zero time becomes
// null.
func toMillis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

type arguments []any

// add adds an argument and returns its placeholder.
func (a *arguments) add(v any) string {
	*a = append(*a, v)
	return "$" + strconv.Itoa(len(*a))
}
