package baseline

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	_ "modernc.org/sqlite" // the driver
)

// FTS5 is a SQLite database that contains the documents in two full-text tables: one of
// words, with the default tokenizer and a prefix index, and one of trigrams, the only help
// that FTS5 offers for misspelled words.
type FTS5 struct {
	db *sql.DB

	Words, Trigrams Size // size and build time of the two tables

	search, fuzzy, facets *sql.Stmt
	corrector             *spellCorrector
}

// Size holds the size and build time of a table.
type Size struct {
	Bytes int64
	Took  time.Duration
}

// schema stores the records, the full-text index (without its content) and the values to
// count in separate tables, so that each table is as small and as fast as possible.
const schema = `
CREATE TABLE record (id INTEGER PRIMARY KEY, json BLOB) STRICT;
CREATE TABLE label (id INTEGER PRIMARY KEY, category TEXT, license TEXT) STRICT;
CREATE TABLE tag (id INTEGER, tag TEXT, PRIMARY KEY (id, tag)) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(%[1]s, content='', prefix='2 3 4');
CREATE VIRTUAL TABLE trigrams USING fts5(%[1]s, content='', tokenize='trigram');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row');`

// The queries. Their page size is the API's default.
const (
	wordsQuery = `SELECT record.json FROM words JOIN record ON record.id = words.rowid
		WHERE words MATCH ? ORDER BY words.rank LIMIT 20`
	trigramsQuery = `SELECT record.json FROM trigrams JOIN record ON record.id = trigrams.rowid
		WHERE trigrams MATCH ? ORDER BY trigrams.rank LIMIT 20`
	facetsQuery = `WITH found AS MATERIALIZED (SELECT rowid AS id FROM words WHERE words MATCH ?)
		SELECT * FROM (SELECT 'category', category, count(*) FROM found JOIN label USING (id) GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 20)
		UNION ALL SELECT * FROM (SELECT 'license', license, count(*) FROM found JOIN label USING (id) GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 20)
		UNION ALL SELECT * FROM (SELECT 'tag', tag, count(*) FROM found JOIN tag USING (id) GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 20)`
)

// NewFTS5 creates the database in a file. Each full-text table is merged into one
// segment, and the cache is large enough for the whole database.
func NewFTS5(path string, docs Documents) (*FTS5, error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the settings are per connection
	f := &FTS5{db: db}
	if err := f.fill(docs); err != nil {
		return nil, errors.Join(fmt.Errorf("create the SQLite database: %w", err), db.Close())
	}
	return f, nil
}

func (f *FTS5) fill(docs Documents) error {
	for _, s := range []string{"PRAGMA journal_mode = OFF", "PRAGMA synchronous = OFF", "PRAGMA cache_size = -2000000",
		"PRAGMA temp_store = MEMORY", fmt.Sprintf(schema, strings.Join(columns, ", "))} {
		if _, err := f.db.Exec(s); err != nil {
			return err
		}
	}
	if err := f.records(docs); err != nil {
		return err
	}
	var err error
	if f.Words, err = f.table("words", docs); err != nil {
		return err
	}
	if f.Trigrams, err = f.table("trigrams", docs); err != nil {
		return err
	}
	if f.corrector, err = newSpellCorrector(f.db); err != nil {
		return err
	}
	for _, p := range []struct {
		stmt  **sql.Stmt
		query string
	}{{&f.search, wordsQuery}, {&f.fuzzy, trigramsQuery}, {&f.facets, facetsQuery}} {
		if *p.stmt, err = f.db.Prepare(p.query); err != nil { //nolint:sqlclosecheck // it is closed with the database
			return err
		}
	}
	return nil
}

func (f *FTS5) records(docs Documents) error {
	return insertRows(f.db, []string{"INSERT INTO record VALUES (?, ?)", "INSERT INTO label VALUES (?, ?, ?)", "INSERT INTO tag VALUES (?, ?)"}, func(stmts []*sql.Stmt) error {
		return docs.each(func(i int, d *Document) error {
			_, err := stmts[0].Exec(i, d.Record)
			if err == nil {
				_, err = stmts[1].Exec(i, d.Category, d.License)
			}
			if err != nil {
				return err
			}
			for _, t := range d.Tags {
				if _, err := stmts[2].Exec(i, t); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// table fills a full-text table and merges its segments into one, as recommended
// for a read-only index.
func (f *FTS5) table(name string, docs Documents) (s Size, err error) {
	start := time.Now()
	query := fmt.Sprintf("INSERT INTO %s (rowid, %s) VALUES (?%s)", name, strings.Join(columns, ", "), strings.Repeat(", ?", len(columns)))
	err = insertRows(f.db, []string{query}, func(stmts []*sql.Stmt) error {
		return docs.each(func(i int, d *Document) error {
			_, err := stmts[0].Exec(append([]any{i}, d.texts()...)...)
			return err
		})
	})
	if err == nil {
		_, err = f.db.Exec(fmt.Sprintf("INSERT INTO %[1]s (%[1]s) VALUES ('optimize')", name))
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	s.Took = time.Since(start)
	err = f.db.QueryRow("SELECT sum(pgsize) FROM dbstat WHERE name GLOB ? || '_*'", name).Scan(&s.Bytes)
	return s, err
}

// insertRows runs fill with prepared statements in one transaction.
func insertRows(db *sql.DB, queries []string, fill func([]*sql.Stmt) error) (err error) {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	stmts := make([]*sql.Stmt, len(queries))
	for i, q := range queries {
		if stmts[i], err = tx.Prepare(q); err != nil { //nolint:sqlclosecheck // it is closed below
			return err
		}
		defer stmts[i].Close()
	}
	if err := fill(stmts); err != nil {
		return err
	}
	return tx.Commit()
}

// Close closes the database.
func (f *FTS5) Close() error { return f.db.Close() }

// All finds the top 20 documents that contain all of the exact words.
func (f *FTS5) All(dst []byte, words ...string) ([]byte, int, error) {
	return found(f.search, dst, phrases(words, " "))
}

// Prefix finds the top 20 documents that contain a word with the given prefix.
func (f *FTS5) Prefix(dst []byte, begin string) ([]byte, int, error) {
	return found(f.search, dst, phrases([]string{begin}, "")+"*")
}

// AnyTrigram finds the top 20 documents that contain any trigram of a word. This is
// the only fuzzy search built into FTS5.
func (f *FTS5) AnyTrigram(dst []byte, word string) ([]byte, int, error) {
	return found(f.fuzzy, dst, trigrams(word))
}

// Corrected finds the top 20 documents that contain a word within the edit distance that
// kindex allows. It first looks up similar words in the table's vocabulary. FTS5 itself
// does not correct spelling; this is the best that a program can build on top of it.
func (f *FTS5) Corrected(dst []byte, word string) ([]byte, int, error) {
	near, err := f.corrector.near(word)
	if err != nil || len(near) == 0 {
		return dst, 0, err
	}
	return found(f.search, dst, phrases(near, " OR "))
}

// Faceted works like All with a single word, but also appends the 20 most frequent
// categories, tags and licences among all matches.
func (f *FTS5) Faceted(dst []byte, word string) ([]byte, int, error) {
	q := phrases([]string{word}, "")
	dst, n, err := found(f.search, dst, q)
	if err != nil {
		return dst, n, err
	}
	rows, err := f.facets.Query(q)
	if err != nil {
		return dst, n, err
	}
	defer rows.Close()
	for rows.Next() {
		var field, value sql.RawBytes
		var count int
		if err := rows.Scan(&field, &value, &count); err != nil {
			return dst, n, err
		}
		dst = append(append(dst, field...), value...)
	}
	return dst, n, rows.Err()
}

// found runs a query and appends the records to dst.
func found(s *sql.Stmt, dst []byte, match string) ([]byte, int, error) {
	rows, err := s.Query(match)
	if err != nil {
		return dst, 0, fmt.Errorf("%s: %w", match, err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var record sql.RawBytes
		if err := rows.Scan(&record); err != nil {
			return dst, n, err
		}
		dst = append(dst, record...)
	}
	return dst, n, rows.Err()
}

// phrases quotes words in FTS5 syntax.
func phrases(words []string, join string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + strings.ReplaceAll(w, `"`, `""`) + `"`
	}
	return strings.Join(quoted, join)
}

// trigrams returns a query that matches any trigram of a word.
func trigrams(word string) string {
	var list []string
	for i := range word {
		end := i
		for range 3 {
			_, n := utf8.DecodeRuneInString(word[end:])
			end += n
		}
		if utf8.RuneCountInString(word[i:end]) == 3 {
			list = append(list, word[i:end])
		}
	}
	return phrases(list, " OR ")
}
