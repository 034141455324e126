package storage_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// database opens the database of a state, bypassing package storage.
func database(t *testing.T, target string) *sql.DB {
	t.Helper()
	db := suite.Must(storagetest.Database(target))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

// texts returns the rows of a query that selects one text column.
func texts(t *testing.T, db *sql.DB, query string, args ...any) (list []string) {
	t.Helper()
	rows, err := db.Query(query, args...)
	suite.Require(t, err == nil, query, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		suite.Check(t, rows.Scan(&s))
		list = append(list, s)
	}
	suite.Check(t, rows.Err())
	return list
}

// rowsFilled is the number of rows per table. It is larger than the number of rows that one
// statement inserts.
const rowsFilled = 450

// fill inserts that many generated rows into every table of a SQLite state: long strings, extreme
// numbers, and nulls wherever they are allowed. It returns the names of the tables.
func fill(t *testing.T, target string, rows int) (tables []string) {
	t.Helper()
	s := storagetest.Open(t, target)
	tables, err := s.Tables(t.Context())
	suite.Require(t, err == nil && len(tables) >= 10, "tables", tables, err)
	db := database(t, target)
	for _, name := range tables {
		columns := texts(t, db, `SELECT name || ' ' || UPPER(type) || CASE WHEN "notnull" = 0 AND pk = 0 THEN ' NULL' ELSE '' END FROM pragma_table_info($1)`, name)
		refers := map[string]string{}
		for _, r := range texts(t, db, `SELECT "from" || ' ' || "table" || '.' || "to" FROM pragma_foreign_key_list($1)`, name) {
			from, to, _ := strings.Cut(r, " ")
			refers[from] = to
		}
		tx := suite.Must(db.Begin())(t)
		for i := range rows {
			var names, marks []string
			var args []any
			for j, c := range columns {
				word := strings.Fields(c)
				names, marks = append(names, word[0]), append(marks, fmt.Sprintf("$%d", j+1))
				args = append(args, value(name+"."+word[0], refers[word[0]], word[1:], i, j))
			}
			suite.Must(tx.Exec("INSERT INTO "+name+" ("+strings.Join(names, ",")+") VALUES ("+strings.Join(marks, ",")+")", args...))(t)
		}
		suite.Check(t, tx.Commit())
	}
	return tables
}

// value returns a value that is unique in its column.
func value(name, refers string, kind []string, i, j int) any {
	switch {
	case refers != "":
		return value(refers, "", []string{"TEXT"}, i, j)
	case len(kind) == 2 && (i+j)%3 == 0:
		return nil
	case kind[0] == "BIGINT":
		return []int64{math.MinInt64 + int64(i), int64(i), math.MaxInt64 - int64(i)}[i%3]
	case i == 7:
		return ""
	}
	return fmt.Sprintf("%s %d\n\t'\"\\ ü 💡 %s", name, i, strings.Repeat("x", i))
}

// dump returns the contents of a state by table, independently of the order of rows.
func dump(t *testing.T, target string, tables []string) map[string]string {
	t.Helper()
	all := map[string]string{}
	db := database(t, target)
	for _, name := range tables {
		rows := suite.Must(db.Query("SELECT * FROM " + name))(t)
		columns := suite.Must(rows.Columns())(t)
		var lines []string
		for rows.Next() {
			row, into := make([]any, len(columns)), make([]any, len(columns))
			for i := range row {
				into[i] = &row[i]
			}
			suite.Check(t, rows.Scan(into...))
			lines = append(lines, fmt.Sprintf("%q", row))
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil { //nolint:sqlclosecheck // the error of Close is checked
			t.Fatal(err)
		}
		slices.Sort(lines)
		all[name] = strings.Join(columns, " ") + "\n" + strings.Join(lines, "\n")
	}
	return all
}

func copyState(t *testing.T, from, to string) ([]storage.TableCount, error) {
	t.Helper()
	open := func(target string) *storage.State {
		s := suite.Must(storage.Open(t.Context(), target, storage.Options{SkipMigrations: true}))(t)
		t.Cleanup(func() { s.Close() })
		return s
	}
	return open(from).CopyTo(t.Context(), open(to))
}

// TestCopyOfEverything copies from SQLite to PostgreSQL and back, with rows in every table
// that the migrations create.
func TestCopyOfEverything(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	first, shared, last := filepath.Join(dir, "first.db"), storagetest.PostgreSQL(t), filepath.Join(dir, "last.db")
	tables := fill(t, first, rowsFilled)
	for _, step := range [][2]string{{first, shared}, {shared, last}} {
		counts, err := copyState(t, step[0], step[1])
		suite.Require(t, err == nil && len(counts) == len(tables), counts, err)
		for _, c := range counts {
			suite.Equal(t, c.Rows, rowsFilled, c.Table, "rows")
		}
	}
	want := dump(t, first, tables)
	for _, target := range []string{shared, last} {
		got := dump(t, target, tables)
		for _, name := range tables {
			suite.Equal(t, got[name], want[name], name, "differs in", target)
		}
	}
	suite.Fails(t, suite.Err(copyState(t, first, shared)), "is not empty: its table accounts has 450 rows")
}

// TestCopyIsCompared makes the target change or lose a row during the copy.
func TestCopyIsCompared(t *testing.T) {
	suite.InTest(t)
	first := filepath.Join(t.TempDir(), "first.db")
	tables := fill(t, first, 10)
	for name, statements := range map[string][]string{
		"changed": {`CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.used = 7 THEN NEW.used := 8; END IF; RETURN NEW; END $$`,
			`CREATE TRIGGER other BEFORE INSERT ON counters FOR EACH ROW EXECUTE FUNCTION other()`},
		"lost": {`CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.used = 7 THEN RETURN NULL; END IF; RETURN NEW; END $$`,
			`CREATE TRIGGER other BEFORE INSERT ON counters FOR EACH ROW EXECUTE FUNCTION other()`},
	} {
		t.Run(name, func(t *testing.T) {
			target := storagetest.PostgreSQL(t)
			storagetest.Open(t, target)
			for _, statement := range statements {
				suite.Check(t, storagetest.Exec(target, statement))
			}
			if _, err := copyState(t, first, target); err == nil || !strings.Contains(err.Error(), "copying the table counters") || !strings.Contains(err.Error(), "checksum") {
				t.Errorf("%v", err)
			}
			for _, name := range tables {
				n := texts(t, database(t, target), "SELECT CAST(COUNT(*) AS TEXT) FROM "+name)[0]
				suite.Holds(t, n == "0", name, n, "rows")
			}
		})
	}
}

// TestCopyRefuses checks that states that cannot be copied are refused.
func TestCopyRefuses(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	full, fresh := filepath.Join(dir, "full.db"), filepath.Join(dir, "fresh.db")
	storagetest.Open(t, full)
	suite.Check(t, storagetest.Exec(full, "ALTER TABLE counters ADD COLUMN more TEXT"))
	suite.Fails(t, suite.Err(copyState(t, full, fresh)), "the table counters (ends, lasts, subject, used, more)")
	suite.Fails(t, suite.Err(copyState(t, filepath.Join(dir, "empty.db"), filepath.Join(dir, "other.db"))), "it has no schema")
	// A database with an earlier schema version is copied without a migration. Copying it into a
	// database with a later schema version is refused.
	old := filepath.Join(dir, "old.db")
	s := suite.Must(storage.Open(t.Context(), old, storage.Options{SkipMigrations: true}))(t)
	suite.Check(t, errors.Join(s.MigrateTo(t.Context(), 2), s.Close()))
	suite.Fails(t, suite.Err(copyState(t, old, fresh)), "kindex state migrate")
	counts := suite.Must(copyState(t, old, filepath.Join(dir, "old2.db")))(t)
	suite.Holds(t, len(counts) != 0, "an earlier schema", counts)
}

// TestSchemaIsTheSame fails if a migration creates something that the copy does not support:
// both engines must have the same tables, with columns of the two types that exist in both,
// and nothing else except indexes.
func TestSchemaIsTheSame(t *testing.T) {
	suite.InTest(t)
	lite, shared := filepath.Join(t.TempDir(), "kindex.db"), storagetest.PostgreSQL(t)
	storagetest.Open(t, lite)
	storagetest.Open(t, shared)
	a := texts(t, database(t, lite), `SELECT t.name || '.' || c.name || ' ' || UPPER(c.type) AS line FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'goose_db_version' ORDER BY line`)
	b := texts(t, database(t, shared), `SELECT table_name || '.' || column_name || ' ' || UPPER(data_type) AS line FROM information_schema.columns
		WHERE table_schema = current_schema() AND table_name <> 'goose_db_version' ORDER BY line`)
	slices.Sort(a)
	slices.Sort(b)
	suite.Equal(t, a, b, "SQLite", "PostgreSQL")
	for _, c := range a {
		kind := strings.Fields(c)[1]
		suite.Holds(t, kind == "TEXT" || kind == "BIGINT", c, "only TEXT and BIGINT exist in both engines")
	}
	if other := texts(t, database(t, lite), "SELECT type || ' ' || name FROM sqlite_schema WHERE type NOT IN ('table', 'index')"); len(other) > 0 {
		t.Errorf("SQLite also has %v", other)
	}
	if other := texts(t, database(t, shared), `SELECT CAST(relkind AS TEXT) || ' ' || relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
		AND relkind NOT IN ('r', 'i') AND relname NOT LIKE 'goose_db_version%'`); len(other) > 0 {
		t.Errorf("PostgreSQL also has %v", other)
	}
}

// TestBackupDuringWrites makes backups while rows are being written two at a time.
func TestBackupDuringWrites(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, dir := open(), t.TempDir()
		pair := "INSERT INTO counters (ends, lasts, subject, used) VALUES (2, 1, $1, 1)"
		end, done := make(chan struct{}), make(chan int, 1)
		go func() {
			// Each backup reads everything that was written before it, so backups fall behind
			// a writer that never pauses.
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			for i := 0; ; i++ {
				select {
				case <-end:
					done <- i
					return
				case <-tick.C:
				}
				err := s.Write(context.Background(), func(tx *storage.Tx) error {
					return errors.Join(tx.Exec(pair, fmt.Sprint("a", i)), tx.Exec(pair, fmt.Sprint("b", i)))
				})
				suite.Holds(t, err == nil, err)
			}
		}()
		last := ""
		for i := range 5 {
			last = filepath.Join(dir, fmt.Sprint(i))
			if r, err := s.Backup(t.Context(), last, false); err != nil || len(r.Problems) > 0 {
				t.Errorf("%+v %v", r, err)
				break
			}
		}
		close(end)
		t.Logf("%d pairs were written during the backups", <-done)
		suite.Equal(t, suite.Must(os.Stat(last))(t).Mode().Perm(), 0o600)
		suite.Equal(t, len(suite.Must(os.ReadDir(dir))(t)), 5, "left over")
		for i := range 5 {
			n := texts(t, database(t, filepath.Join(dir, fmt.Sprint(i))), "SELECT COALESCE(SUM(subject LIKE 'a%'), 0) || ' ' || COALESCE(SUM(subject LIKE 'b%'), 0) FROM counters")[0]
			if a, b, _ := strings.Cut(n, " "); a != b || i == 4 && a == "0" {
				t.Errorf("rows: %s", n)
			}
		}
	})
}

// TestBackupRemovesWhatWasLeft checks that a backup removes what a backup that was killed has left, and
// nothing else.
func TestBackupRemovesWhatWasLeft(t *testing.T) {
	s, dir := storagetest.SQLite(t), t.TempDir()
	left, keep := []string{".b.db-1.part", ".b.db-1.part-wal"}, []string{".b.db-2.part", ".c.db-1.part", "b.db-1.part"}
	for _, name := range slices.Concat(left, keep) {
		suite.Check(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		if at := time.Now().Add(-25 * time.Hour); name != ".b.db-2.part" { // which is being written
			suite.Check(t, os.Chtimes(filepath.Join(dir, name), at, at))
		}
	}
	suite.Must(s.Backup(t.Context(), filepath.Join(dir, "b.db"), false))(t)
	entries := suite.Must(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := append(keep, "b.db"); !slices.Equal(slices.Sorted(slices.Values(names)), slices.Sorted(slices.Values(want))) {
		t.Errorf("the folder has %v, want %v", names, want)
	}
}

// TestBackupRefuses tries file names that are taken, and a backup that fails halfway.
func TestBackupRefuses(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, dir := open(), t.TempDir()
		in := func(name string) string { return filepath.Join(dir, name) }
		refuse := func(ctx context.Context, path string, replace bool, words string) {
			t.Helper()
			suite.Fails(t, suite.Err(s.Backup(ctx, path, replace)), words, path)
		}
		for _, name := range []string{"there", "used", "used-wal"} {
			suite.Check(t, os.WriteFile(in(name), []byte("mine"), 0o644))
		}
		ctx := t.Context()
		refuse(ctx, in("there"), false, "already exists")
		refuse(ctx, in("used"), true, "used-wal exists")
		refuse(ctx, dir, true, "is a directory")
		refuse(ctx, in("none/backup"), false, "no such file or directory")
		if s.Engine() == storage.SQLite {
			refuse(ctx, s.String(), true, "is the database itself")
		}
		ended, cancel := context.WithCancel(ctx)
		cancel()
		refuse(ended, in("backup"), false, context.Canceled.Error())
		suite.Equal(t, string(suite.Must(os.ReadFile(in("there")))(t)), "mine")
		suite.Must(s.Backup(ctx, in("there"), true))(t)
		i := suite.Must(os.Stat(in("there")))(t)
		suite.Holds(t, i.Mode().Perm() == 0o600 && i.Size() >= 1000, i)
		suite.Equal(t, len(suite.Must(os.ReadDir(dir))(t)), 3, "left over")
	})
}
