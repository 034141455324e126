package storage

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*.sql
var migrations embed.FS

const versionTable = "goose_db_version"

// Versions returns the version of the database's schema, or 0 if it has none, and the newest
// version that this program supports. It does not change the database.
func (s *State) Versions(ctx context.Context) (at, newest int64, err error) {
	query := "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = '" + versionTable + "'"
	if s.engine == PostgreSQL {
		query = "SELECT COUNT(to_regclass('" + versionTable + "'))"
	}
	there, err := value[int](s.on(ctx), query)
	if err == nil && there > 0 {
		at, err = value[int64](s.on(ctx), "SELECT COALESCE(MAX(version_id), 0) FROM "+versionTable)
	}
	return at, latestSchema, s.wrap("reading the schema version", err)
}

// latestSchema is the version of the latest migration: their files are numbered from 1.
var latestSchema = func() int64 {
	files, _ := migrations.ReadDir("migrations")
	return int64(len(files))
}()

// Migrate upgrades the schema, which Open also does by default. Concurrent calls wait for
// each other.
func (s *State) Migrate(ctx context.Context) error { return s.migrateTo(ctx, latestSchema) }

// migrateTo upgrades the schema to a version. It never downgrades.
func (s *State) migrateTo(ctx context.Context, version int64) error {
	at, newest, err := s.Versions(ctx)
	switch {
	case err != nil:
		return err
	case at > newest:
		return &SchemaTooNewError{s.target, at, newest}
	case at >= version:
		return nil
	}
	if s.engine == SQLite {
		l := flock.New(s.file+".migrating", flock.SetPermissions(0o600))
		if _, err := l.TryLockContext(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		defer func() { _ = l.Unlock() }() // otherwise released when the process exits
		if err := chownLike(l.Path(), s.file); err != nil {
			return err
		}
		if err := s.checkOwnDatabase(ctx); err != nil {
			return err
		}
	}
	p, err := s.provider()
	if err == nil {
		_, err = p.UpTo(ctx, version)
	}
	return s.wrap("upgrading the schema", err)
}

// SchemaTooNewError means that a newer kindex created or migrated the database.
type SchemaTooNewError struct {
	Target          string
	Version, Latest int64 // the schema's version, and the newest supported one
}

func (e *SchemaTooNewError) Error() string {
	return fmt.Sprintf("the database %s has schema version %d, but this kindex supports only versions up to %d: use the kindex that created it, or a newer one", e.Target, e.Version, e.Latest)
}

// checkOwnDatabase rejects a SQLite file with tables that belong to another program. A
// PostgreSQL database can also contain other tables.
func (s *State) checkOwnDatabase(ctx context.Context) error {
	at, _, err := s.Versions(ctx)
	if err != nil || at > 0 {
		return err
	}
	tables, err := s.tables(ctx)
	if err != nil || len(tables) == 0 {
		return err
	}
	return fmt.Errorf("%s belongs to a different program: it has a table %q; use a separate file", s.target, tables[0].name)
}

func (s *State) provider() (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	db, dialect := s.db, goose.DialectPostgres
	if s.engine == SQLite {
		db, dialect = s.writer, goose.DialectSQLite3
	} else {
		// Try every second, for five minutes. The default is every five seconds.
		l, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(l))
	}
	return goose.NewProvider(dialect, db, files, options...)
}

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
