package storage

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// querier is a database or a transaction from which rows are read.
type querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
}

// table describes a table in the database.
type table struct {
	name    string
	columns []columnType // in the order of the table
	parents []string     // the tables that its foreign keys refer to
}

type columnType struct {
	name string
	kind string // TEXT or BIGINT
}

// columnList returns the names of the columns, separated by commas.
func (t *table) columnList() string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}

// These queries return the schema in the same form for both engines: the tables with their
// columns, and the foreign keys.
const (
	columnsSQLite = `SELECT t.name, c.name, UPPER(c.type) FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY t.name, c.cid`
	parentsSQLite = `SELECT DISTINCT t.name, f."table" FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) f
		WHERE t.type = 'table' ORDER BY 1, 2`
	columnsPostgreSQL = `SELECT c.table_name, c.column_name, UPPER(c.data_type) FROM information_schema.columns c
		JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
		WHERE c.table_schema = current_schema() ORDER BY c.table_name, c.ordinal_position`
	parentsPostgreSQL = `SELECT DISTINCT a.relname, b.relname FROM pg_constraint f JOIN pg_class a ON a.oid = f.conrelid JOIN pg_class b ON b.oid = f.confrelid
		WHERE f.contype = 'f' AND f.connamespace = current_schema()::regnamespace ORDER BY 1, 2`
)

// tables returns the tables of the schema, except the version table, each after the tables
// that it refers to.
func (s *State) tables(ctx context.Context) ([]table, error) {
	columns, parents := columnsSQLite, parentsSQLite
	if s.engine == PostgreSQL {
		columns, parents = columnsPostgreSQL, parentsPostgreSQL
	}
	var list []table
	rows, err := s.rows(ctx, columns)
	cells, err := all(rows, err, func(c *[3]string) []any { return []any{&c[0], &c[1], &c[2]} })
	if err != nil {
		return nil, s.wrap("reading the schema", err)
	}
	for _, c := range cells {
		if c[0] == versionTable {
			continue
		}
		if len(list) == 0 || list[len(list)-1].name != c[0] {
			list = append(list, table{name: c[0]})
		}
		t := &list[len(list)-1]
		t.columns = append(t.columns, columnType{c[1], c[2]})
	}
	rows, err = s.rows(ctx, parents)
	pairs, err := all(rows, err, func(p *[2]string) []any { return []any{&p[0], &p[1]} })
	if err != nil {
		return nil, s.wrap("reading the schema", err)
	}
	for _, p := range pairs {
		if i := slices.IndexFunc(list, func(t table) bool { return t.name == p[0] }); i >= 0 {
			list[i].parents = append(list[i].parents, p[1])
		}
	}
	return topologicalSort(list)
}

// topologicalSort sorts tables so that each one follows the tables that it refers to. Apart
// from that, it keeps their order.
func topologicalSort(list []table) ([]table, error) {
	done := map[string]bool{}
	var out []table
	for len(out) < len(list) {
		before := len(out)
		for _, t := range list {
			ready := !done[t.name] && !slices.ContainsFunc(t.parents, func(p string) bool { return !done[p] })
			if ready {
				done[t.name] = true
				out = append(out, t)
			}
		}
		if len(out) == before {
			return nil, fmt.Errorf("the foreign keys of the schema form a cycle: none of the remaining tables can be filled first")
		}
	}
	return out, nil
}
