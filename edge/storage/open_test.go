package storage_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// refused checks that opening a state fails and that the error contains the given words.
func refused(t *testing.T, target string, o storage.Options, words ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hanging)
	defer cancel()
	s, err := storage.Open(ctx, target, o)
	if err == nil {
		t.Fatalf("%s was opened: %v", target, s.Close())
	}
	for _, w := range words {
		suite.Contains(t, err.Error(), w, target)
	}
	return err
}

// TestExclusive checks that a second edge cannot use the same file, under any name, but
// commands can.
func TestExclusive(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	target := filepath.Join(dir, "kindex.db")
	edge := suite.Must(storage.Open(t.Context(), target, storage.Options{Exclusive: true}))(t)
	suite.Check(t, os.Symlink("kindex.db", "link.db"))
	for _, name := range []string{target, "kindex.db", "./kindex.db", "link.db"} {
		suite.Is(t, refused(t, name, storage.Options{Exclusive: true}, "to share one among several, use PostgreSQL"), storage.ErrInUse, name)
		beside := withNotes(t, storagetest.Open(t, name))
		suite.Check(t, writeOne(t.Context(), beside, addNote, name, ""))
		suite.Is(t, beside.LockExclusive(), storage.ErrInUse, name)
	}
	suite.Equal(t, notes(t, edge, "%"), 4, "of 4 rows")
	suite.Check(t, edge.Close())
	next, err := storage.Open(t.Context(), target, storage.Options{Exclusive: true})
	suite.Require(t, err == nil, "after the edge ended", err)
	suite.Check(t, next.Close())
}

// TestFilesAreTheOwners checks the mode of each file while the state is in use.
func TestFilesAreTheOwners(t *testing.T) {
	dir := t.TempDir()
	s := suite.Must(storage.Open(t.Context(), filepath.Join(dir, "kindex.db"), storage.Options{Exclusive: true}))(t)
	defer s.Close()
	suite.Check(t, writeOne(t.Context(), s, makeNotes))
	seen := map[string]bool{}
	entries := suite.Must(os.ReadDir(dir))(t)
	for _, e := range entries {
		i := suite.Must(e.Info())(t)
		seen[e.Name()] = true
		suite.Equal(t, i.Mode().Perm(), 0o600, e.Name(), "has mode")
	}
	for _, name := range []string{"kindex.db", "kindex.db-wal", "kindex.db-shm"} {
		suite.Holds(t, seen[name], "missing", name, seen)
	}
}

// TestCommitsAreDurable checks the SQLite settings that make a commit durable before it is
// confirmed (https://www.sqlite.org/pragma.html#pragma_synchronous).
func TestCommitsAreDurable(t *testing.T) {
	s := suite.Must(storage.Open(t.Context(), filepath.Join(t.TempDir(), "kindex.db"), storage.Options{Exclusive: true}))(t)
	defer s.Close()
	const full = 2
	suite.Check(t, s.Write(t.Context(), func(tx *storage.Tx) error {
		for pragma, want := range map[string]int64{"synchronous": full, "fullfsync": 1, "foreign_keys": 1} {
			suite.Equal(t, suite.Must(tx.Number("PRAGMA "+pragma))(t), want, pragma)
		}
		return nil
	}))
}

// TestRootLeavesFilesToTheirOwner runs a command as root alongside an edge that runs as
// another user.
func TestRootLeavesFilesToTheirOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		suite.CannotRun(t, "only root can do this")
	}
	const edge = 12345
	target := filepath.Join(t.TempDir(), "kindex.db")
	suite.Check(t, errors.Join(os.WriteFile(target, nil, 0o600), os.Chown(target, edge, edge)))
	s := suite.Must(storage.Open(t.Context(), target, storage.Options{Exclusive: true}))(t)
	defer s.Close()
	files, err := filepath.Glob(target + "*")
	suite.Require(t, err == nil && len(files) == 5, files, err)
	for _, name := range files {
		suite.Equal(t, suite.Must(os.Stat(name))(t).Sys().(*syscall.Stat_t).Uid, edge, name, "is not owned by the edge")
	}
}

// TestPaths opens files whose names have a special meaning in SQLite addresses, and checks that
// the data is stored in exactly those files.
func TestPaths(t *testing.T) {
	suite.InTest(t)
	dir := t.TempDir()
	t.Chdir(dir)
	names := []string{"a b.db", "what?mode=memory", "half#whole", "100%.db", "%41.db", "a&b=c;d+e.db", ":memory:", "file:x.db", "ü…", "-x.db", `back\slash`, "new\nline", "./rel/../rel/x.db"}
	suite.Check(t, os.Mkdir("rel", 0o755))
	for _, name := range names {
		s, err := storage.Open(t.Context(), name, storage.Options{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		withNotes(t, s)
		err = errors.Join(writeOne(t.Context(), s, addNote, name, ""), s.Close())
		i, missing := os.Stat(name)
		suite.Holds(t, err == nil && missing == nil && i.Size() != 0, name, err, missing)
		suite.Equal(t, notes(t, storagetest.Open(t, name), "%"), 1, name, "rows")
	}
	suite.Check(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		suite.Holds(t, path != "A.db" && path != "what" && path != "half", path, "was created")
		return err
	}))
}

func TestNoState(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	suite.Check(t, os.WriteFile(in("text.db"), []byte(strings.Repeat("This is no database. ", 100)), 0o600))
	suite.Check(t, errors.Join(storagetest.Exec(in("alien.db"), "CREATE TABLE bookmarks (id INTEGER PRIMARY KEY)"), os.Chmod(in("alien.db"), 0o600)))
	_ = refused(t, in("none/kindex.db"), storage.Options{}, "no directory "+in("none"))
	_ = refused(t, in("none.db"), storage.Options{MustExist: true}, "no database at "+in("none.db"), "--state")
	_ = refused(t, dir, storage.Options{}, "is a directory", filepath.Join(dir, "kindex.db"))
	_ = refused(t, in("text.db"), storage.Options{}, "cannot use "+in("text.db")+" as a database", "not a database")
	_ = refused(t, in("alien.db"), storage.Options{}, "belongs to a different program", `"bookmarks"`)
	_ = refused(t, "mysql://me:hunter2@127.0.0.1/x", storage.Options{}, "the database mysql://…", "postgres://")
	_ = refused(t, "sqlite://"+in("x.db"), storage.Options{}, "use the path of a SQLite file")
	suite.Fails(t, suite.Err(os.Stat(in("none.db"))), "", "a file that must already exist was created")
	suite.Fails(t, suite.Err(os.Stat("mysql:")), "", "a file mysql: was created")
}

// TestNewerSchema opens a state from a newer version of kindex.
func TestNewerSchema(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := open()
		_, newest, err := s.Versions(t.Context())
		suite.Check(t, err)
		suite.Check(t, writeOne(t.Context(), s, "INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, TRUE)", newest+7))
		var newer *storage.SchemaTooNewError
		if err := s.Migrate(t.Context()); !errors.As(err, &newer) || newer.Version != newest+7 || newer.Latest != newest {
			t.Errorf("%v", err)
		}
		r, err := s.Check(t.Context())
		suite.Holds(t, err == nil && len(r.Problems) == 1 && strings.Contains(r.Problems[0], "newer"), r, err)
		if at, _, err := s.Versions(t.Context()); err != nil || at != newest+7 {
			t.Errorf("the version is now %d: %v", at, err)
		}
	})
}

// TestVersionsWritesNothing queries an empty database, which must stay empty.
func TestVersionsWritesNothing(t *testing.T) {
	for _, target := range []string{filepath.Join(t.TempDir(), "kindex.db"), storagetest.PostgreSQL(t)} {
		s := suite.Must(storage.Open(t.Context(), target, storage.Options{SkipMigrations: true}))(t)
		defer s.Close()
		at, newest, err := s.Versions(t.Context())
		tables, err2 := s.Tables(t.Context())
		suite.Holds(t, err == nil && err2 == nil && at == 0 && newest != 0 &&
			len(tables) == 0, "schema", at, newest, "tables", tables, err, err2)
		if s.Engine() == storage.SQLite {
			// The only page is the one that enables the write-ahead log.
			i := suite.Must(os.Stat(target))(t)
			suite.Holds(t, i.Size() <= 4096, i)
		}
		r, err := s.Check(t.Context())
		suite.Holds(t, err == nil && len(r.Problems) == 1 && strings.Contains(r.Problems[0], "no schema"), r, err)
	}
}

// TestPasswordIsNowhere tries invalid addresses that contain a password, which no error may
// show.
func TestPasswordIsNowhere(t *testing.T) {
	l := suite.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	nobody := l.Addr().String()
	l.Close()
	folder := url.QueryEscape(t.TempDir())
	for _, target := range []string{
		"postgres://me:hunter2@" + nobody + "/kindex",
		"postgres://" + nobody + "/kindex?user=me&password=hunter2",
		"postgresql://me:hunter2@/kindex?host=" + folder,
		"postgres://me:hunter2@127.0.0.1:port/kindex",
		"postgres://me:1/hunter2@127.0.0.1/kindex",
		"postgres://me:1?hunter2@127.0.0.1/kindex",
		"postgres://me:1#hunter2@127.0.0.1/kindex",
		"postgres://me:%zzhunter2@127.0.0.1/kindex",
		"postgres://me:hunter2@" + nobody + "/kindex?sslmode=perhaps",
		"postgres://me:hunter2@" + nobody + "/kindex?password=hunter2&;",
		"postgres://me:hunter2@[::1/kindex",
		"postgres://me:1@hunter2@" + nobody + "/kindex",
		"postgres:me:hunter2@" + nobody + "/kindex",
		"host=" + folder + " password=hunter2 dbname=kindex",
	} {
		err := refused(t, target, storage.Options{}, "postgres")
		suite.Holds(t, !strings.Contains(err.Error(), "hunter2"), "the error contains the password", err)
	}
}

// TestWrongPassword connects to a server on which the role exists, with a wrong password.
func TestWrongPassword(t *testing.T) {
	suite.InTest(t)
	target := storagetest.PostgreSQL(t)
	s := storagetest.Open(t, target)
	suite.Check(t, writeOne(t.Context(), s, "CREATE ROLE "+storagetest.Guarded+" LOGIN SUPERUSER PASSWORD 'right one/@'"))
	defer func() {
		suite.Check(t, writeOne(context.Background(), s, "DROP ROLE "+storagetest.Guarded))
	}()
	u := suite.Must(url.Parse(target))(t)
	u.User = url.UserPassword(storagetest.Guarded, "hunter2")
	err := refused(t, u.String(), storage.Options{}, "cannot be reached", "password authentication failed")
	suite.Lacks(t, err.Error(), "hunter2", "the error contains the password")
	u.User = url.UserPassword(storagetest.Guarded, "right one/@")
	name := storagetest.Open(t, u.String()).String()
	suite.Holds(t, !strings.Contains(name, "right") && strings.Contains(name, storagetest.Guarded), "the state is named", name)
}

// TestServerGone stops the database server while a state is open.
func TestServerGone(t *testing.T) {
	suite.InRace(t)
	target := storagetest.PostgreSQL(t)
	s := withNotes(t, storagetest.Open(t, target))
	suite.Check(t, s.Ping(t.Context()))
	u, err := url.Parse(target)
	suite.Check(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	// Broken connections are replaced, and the state keeps working.
	suite.Check(t, storagetest.Exec(u.String(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'"))
	for range 3 {
		err = writeOne(t.Context(), s, "INSERT INTO notes (id, text) VALUES ($1, '') ON CONFLICT DO NOTHING", "behind")
		if err == nil {
			break
		}
	}
	suite.Holds(t, err == nil && notes(t, s, "behind") == 1, "the state does not recover", err)
	// A standby, which accepts no writes, does not count as reachable.
	suite.Check(t, storagetest.Exec(u.String(), "ALTER DATABASE "+name+" SET default_transaction_read_only = on"))
	suite.Fails(t, storagetest.Open(t, target).Ping(t.Context()), "read-only")
	suite.Check(t, storagetest.Exec(u.String(), "DROP DATABASE "+name+" WITH (FORCE)"))
	if s.Ping(t.Context()) == nil && writeOne(t.Context(), s, addNote, "lost", "") == nil {
		t.Error("a stopped database accepts writes")
	}
}
