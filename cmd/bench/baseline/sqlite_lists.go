package baseline

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"kindex/exports/record"
)

// SQLiteLists is a plain SQLite file for filters, sorting and paging: one row per document with a
// column for each number, rows for the tags and modalities, and indexes that answer each kind of
// list without reading other rows. IDs are in the order of documents.
type SQLiteLists struct{ db *sql.DB }

// NewSQLiteLists creates the database in a file.
func NewSQLiteLists(path string, docs Documents) (*SQLiteLists, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the settings are per connection
	l := &SQLiteLists{db}
	if err := l.fill(docs); err != nil {
		return nil, errors.Join(fmt.Errorf("create the SQLite database of lists: %w", err), db.Close())
	}
	return l, nil
}

// numberColumns lists the columns of numbers: the price, and the signals.
func numberColumns() []string {
	list := []string{"price"}
	for _, s := range record.SignalTypes {
		list = append(list, s.Name)
	}
	return list
}

func (l *SQLiteLists) fill(docs Documents) error {
	columns := numberColumns()
	script := []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -2000000", "PRAGMA temp_store = MEMORY",
		`CREATE TABLE doc (id INTEGER PRIMARY KEY, key TEXT, type TEXT, category TEXT, openWeights TEXT, "` + strings.Join(columns, `" REAL, "`) + `" REAL) STRICT`,
		"CREATE TABLE record (id INTEGER PRIMARY KEY, json BLOB) STRICT",
		"CREATE TABLE term (field TEXT, value TEXT, id INTEGER, PRIMARY KEY (field, value, id)) STRICT, WITHOUT ROWID"}
	for _, s := range script {
		if _, err := l.db.Exec(s); err != nil {
			return err
		}
	}
	row := "INSERT INTO doc VALUES (?, ?, ?, ?, ?" + strings.Repeat(", ?", len(columns)) + ")"
	err := insertRows(l.db, []string{row, "INSERT INTO record VALUES (?, ?)", "INSERT OR IGNORE INTO term VALUES (?, ?, ?)"}, func(stmts []*sql.Stmt) error {
		return docs.each(func(i int, d *Document) error { return addListed(stmts, i, d, columns) })
	})
	if err != nil {
		return err
	}
	script = []string{"CREATE INDEX by_category ON doc (type, category, id)", "CREATE INDEX by_context ON doc (contextTokens DESC, key)"}
	for _, c := range columns {
		script = append(script, fmt.Sprintf(`CREATE INDEX "by_type_%[1]s" ON doc (type, "%[1]s")`, c))
	}
	for _, s := range append(script, "ANALYZE") {
		if _, err := l.db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// addListed inserts the rows of a document.
func addListed(stmts []*sql.Stmt, id int, d *Document, columns []string) error {
	numbers := map[string]any{}
	d.addNumbers(numbers)
	openWeights := ""
	terms := map[string][]string{"tag": d.Tags}
	if d.Model != nil {
		openWeights, terms["modality"] = d.Model.OpenWeights.String(), d.Model.Input
	}
	row := []any{id, d.Type + "\x00" + d.Slug, d.Type, d.Category, openWeights}
	for _, c := range columns {
		row = append(row, numbers[c])
	}
	if _, err := stmts[0].Exec(row...); err != nil {
		return err
	}
	if _, err := stmts[1].Exec(id, d.Record); err != nil {
		return err
	}
	for field, values := range terms {
		for _, v := range values {
			if _, err := stmts[2].Exec(field, v, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// Page appends one page of records to dst, in the order of the filters. It returns the
// indexes of their documents and the total number of matches.
func (l *SQLiteLists) Page(dst []byte, f Filters, offset, limit int) (out []byte, page []uint32, total uint64, err error) {
	from, order, args := "doc", "doc.id", []any(nil)
	if f.Sort != "composite" {
		order = `doc."` + f.Sort + `" DESC, doc.key`
	}
	where := []string{"true"}
	for i, t := range f.Terms {
		if t.Field == "tag" || t.Field == "modality" {
			from += fmt.Sprintf(" JOIN term t%[1]d ON t%[1]d.id = doc.id", i)
			where = append(where, fmt.Sprintf("t%[1]d.field = ? AND t%[1]d.value = ?", i))
			args = append(args, t.Field, t.Value)
			continue
		}
		where, args = append(where, "doc."+t.Field+" = ?"), append(args, t.Value)
	}
	for _, r := range f.Ranges {
		operator := ">="
		if r.AtMost {
			operator = "<="
		}
		where, args = append(where, fmt.Sprintf(`doc."%s" %s ?`, r.Field, operator)), append(args, r.Bound)
	}
	matching := " FROM " + from + " WHERE " + strings.Join(where, " AND ")
	if err := l.db.QueryRow("SELECT count(*)"+matching, args...).Scan(&total); err != nil {
		return dst, nil, 0, err
	}
	// The page is found first, so that only its records are read; CROSS JOIN keeps its order.
	rows, err := l.db.Query("WITH page AS MATERIALIZED (SELECT doc.id AS id"+matching+" ORDER BY "+order+" LIMIT ? OFFSET ?) SELECT id, json FROM page CROSS JOIN record USING (id)", append(args, limit, offset)...)
	if err != nil {
		return dst, nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id uint32
		var record sql.RawBytes
		if err := rows.Scan(&id, &record); err != nil {
			return dst, nil, 0, err
		}
		page, dst = append(page, id), append(dst, record...)
	}
	return dst, page, total, rows.Err()
}

// Close closes the database.
func (l *SQLiteLists) Close() error { return l.db.Close() }
