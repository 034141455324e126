package baseline

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL is a database with the documents in one table: a weighted tsvector with a GIN
// index, and the distinct words of all documents with a trigram index, which is how the manual
// of pg_trgm combines both.
type PostgreSQL struct {
	db  *pgx.Conn
	ctx context.Context //nolint:containedctx // the yardsticks have no context of their own
}

// PostgreSQLSettings are the settings of the server: enough memory for the whole database,
// planned for fast random reads, and no parallel workers for queries that take milliseconds.
// Loading need not survive a crash.
var PostgreSQLSettings = []string{"shared_buffers=1GB", "work_mem=64MB", "maintenance_work_mem=512MB", "effective_cache_size=2GB",
	"random_page_cost=1.1", "max_parallel_workers_per_gather=0", "jit=off", "fsync=off", "synchronous_commit=off", "autovacuum=off"}

const postgresqlSchema = `
CREATE EXTENSION pg_trgm;
CREATE TABLE doc (id integer PRIMARY KEY, json text NOT NULL, category text, license text, words tsvector NOT NULL);
CREATE TABLE tag (id integer, tag text);`

const postgresqlIndexes = `
CREATE INDEX ON doc USING gin (words) WITH (fastupdate = off);
CREATE INDEX ON tag (id);
CREATE TABLE word AS SELECT word FROM ts_stat('SELECT words FROM doc');
CREATE INDEX ON word USING gin (word gin_trgm_ops);
VACUUM ANALYZE;`

const (
	postgresqlFind   = `SELECT json FROM doc, to_tsquery('simple', $1) AS q WHERE words @@ q ORDER BY ts_rank(words, q) DESC, id LIMIT 20`
	postgresqlNear   = `SELECT word FROM word WHERE word % $1 ORDER BY similarity(word, $1) DESC, word LIMIT 5`
	postgresqlFacets = `WITH found AS MATERIALIZED (SELECT id, category, license FROM doc WHERE words @@ to_tsquery('simple', $1))
		(SELECT 'category', category, count(*) FROM found GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 20)
		UNION ALL (SELECT 'license', license, count(*) FROM found GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 20)
		UNION ALL (SELECT 'tag', tag, count(*) FROM found JOIN tag USING (id) GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT 20)`
)

// NewPostgreSQL fills an empty database at an address.
func NewPostgreSQL(ctx context.Context, address string, docs Documents) (*PostgreSQL, error) {
	db, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, err
	}
	p := &PostgreSQL{db, ctx}
	if err := p.fill(docs); err != nil {
		return nil, errors.Join(fmt.Errorf("fill the PostgreSQL database: %w", err), db.Close(ctx))
	}
	return p, nil
}

func (p *PostgreSQL) fill(docs Documents) error {
	if err := p.script(postgresqlSchema); err != nil {
		return err
	}
	const chunk = 2000
	b := &pgx.Batch{}
	if err := docs.each(func(i int, d *Document) error {
		t := d.texts()
		b.Queue(`INSERT INTO doc VALUES ($1, $2, $3, $4, setweight(to_tsvector('simple', $5), 'A') || setweight(to_tsvector('simple', $6), 'B') || setweight(to_tsvector('simple', $7), 'C'))`,
			i, string(d.Record), d.Category, d.License, fmt.Sprint(t[0], " ", t[1]), fmt.Sprint(t[2], " ", t[3]), t[4])
		for _, tag := range d.Tags {
			b.Queue(`INSERT INTO tag VALUES ($1, $2)`, i, tag)
		}
		if (i+1)%chunk != 0 && i+1 != docs.Len {
			return nil
		}
		full := b
		b = &pgx.Batch{}
		return p.db.SendBatch(p.ctx, full).Close()
	}); err != nil {
		return err
	}
	return p.script(postgresqlIndexes)
}

// script executes statements one by one, because VACUUM cannot run in a transaction.
func (p *PostgreSQL) script(text string) error {
	for statement := range strings.SplitSeq(text, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := p.db.Exec(p.ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", strings.TrimSpace(statement), err)
		}
	}
	return nil
}

// Close closes the connection.
func (p *PostgreSQL) Close() error { return p.db.Close(p.ctx) }

// All finds the top 20 documents that contain all of the words.
func (p *PostgreSQL) All(dst []byte, words ...string) ([]byte, int, error) {
	return p.found(dst, lexemes(words, "", " & "))
}

// Prefix finds the top 20 documents that contain a word with the given prefix.
func (p *PostgreSQL) Prefix(dst []byte, begin string) ([]byte, int, error) {
	return p.found(dst, lexemes([]string{begin}, ":*", ""))
}

// Fuzzy finds the five most similar words by trigrams, and the top 20 documents that contain any
// of them.
func (p *PostgreSQL) Fuzzy(dst []byte, word string) ([]byte, int, error) {
	rows, err := p.db.Query(p.ctx, postgresqlNear, word)
	if err != nil {
		return dst, 0, err
	}
	near, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(near) == 0 {
		return dst, 0, err
	}
	return p.found(dst, lexemes(near, "", " | "))
}

// Faceted works like All with a single word, but also appends the 20 most frequent
// categories, tags and licences among all matches.
func (p *PostgreSQL) Faceted(dst []byte, word string) ([]byte, int, error) {
	q := lexemes([]string{word}, "", "")
	dst, n, err := p.found(dst, q)
	if err != nil {
		return dst, n, err
	}
	rows, err := p.db.Query(p.ctx, postgresqlFacets, q)
	if err != nil {
		return dst, n, err
	}
	defer rows.Close()
	for rows.Next() {
		var field string
		var value *string
		var count int
		if err := rows.Scan(&field, &value, &count); err != nil {
			return dst, n, err
		}
		if dst = append(dst, field...); value != nil {
			dst = append(dst, *value...)
		}
	}
	return dst, n, rows.Err()
}

// found runs a query and appends the records to dst.
func (p *PostgreSQL) found(dst []byte, match string) ([]byte, int, error) {
	rows, err := p.db.Query(p.ctx, postgresqlFind, match)
	if err != nil {
		return dst, 0, fmt.Errorf("%s: %w", match, err)
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		dst = append(dst, rows.RawValues()[0]...)
	}
	return dst, n, rows.Err()
}

// lexemes quotes words in the syntax of to_tsquery.
func lexemes(words []string, suffix, join string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(w) + "'" + suffix
	}
	return strings.Join(quoted, join)
}
