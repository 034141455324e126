package storage

import (
	"context"
	"slices"
	"strings"
)

type table struct {
	name    string
	columns []string // in the order of the table
}

func (t *table) columnList() string { return strings.Join(t.columns, ", ") }

// These queries return all tables with their columns.
const (
	columnsSQLite = `SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name <> '` + versionTable + `' ORDER BY t.name, c.cid`
	columnsPostgreSQL = `SELECT c.table_name, c.column_name FROM information_schema.columns c
		JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name AND t.table_type = 'BASE TABLE'
		WHERE c.table_schema = current_schema() AND c.table_name <> '` + versionTable + `' ORDER BY c.table_name, c.ordinal_position`
)

// lastTable is the only table that refers to another one, webhooks, that does not precede it in
// alphabetical order.
const lastTable = "webhook_deliveries"

// tables returns the tables of the schema, except the version table, each after the tables
// that it refers to.
func (s *State) tables(ctx context.Context) (tables []table, err error) {
	query := columnsSQLite
	if s.engine == PostgreSQL {
		query = columnsPostgreSQL
	}
	cells, err := list(s.on(ctx), func(c *[2]string) []any { return []any{&c[0], &c[1]} }, query)
	for _, c := range cells {
		if len(tables) == 0 || tables[len(tables)-1].name != c[0] {
			tables = append(tables, table{name: c[0]})
		}
		t := &tables[len(tables)-1]
		t.columns = append(t.columns, c[1])
	}
	if i := slices.IndexFunc(tables, func(t table) bool { return t.name == lastTable }); i >= 0 {
		tables = append(slices.Delete(slices.Clone(tables), i, i+1), tables[i])
	}
	return tables, s.wrap("reading the schema", err)
}
