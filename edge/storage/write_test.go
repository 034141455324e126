package storage_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kindex/builder/suite"
	"kindex/edge/storage"
	"kindex/edge/storage/storagetest"
)

// hanging is the timeout after which a test is assumed to hang.
const hanging = 3 * time.Minute

// otherProcess is an environment variable. If it is set, this test binary acts as a separate
// process and writes to the state at the path that the variable contains.
const otherProcess = "STATE_OF_OTHER_PROCESS"

func TestMain(m *testing.M) {
	if target := os.Getenv(otherProcess); target != "" {
		if err := writeAsOther(target); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	storagetest.Main(m)
}

const (
	makeNotes = "CREATE TABLE IF NOT EXISTS notes (id TEXT NOT NULL PRIMARY KEY, text TEXT NOT NULL)"
	addNote   = "INSERT INTO notes (id, text) VALUES ($1, $2)"
)

// writeOne runs one statement in a transaction.
func writeOne(ctx context.Context, s *storage.State, statement string, args ...any) error {
	return s.Write(ctx, func(tx *storage.Tx) error { return tx.Exec(statement, args...) })
}

// withNotes adds a table of notes to a state for the test.
func withNotes(t *testing.T, s *storage.State) *storage.State {
	t.Helper()
	suite.Check(t, writeOne(t.Context(), s, makeNotes))
	return s
}

// notes counts the notes with the given ID.
func notes(t *testing.T, s *storage.State, like string) int64 {
	t.Helper()
	return suite.Must(s.Number(context.Background(), "SELECT COUNT(*) FROM notes WHERE id LIKE $1", like))(t)
}

func TestOpenTwice(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		for range 3 {
			at, newest, err := open().Versions(t.Context())
			suite.Require(t, err == nil && at == newest && at != 0, "schema", at, newest, err)
		}
	})
}

// held keeps the SQLite writer busy with a write until release is called. release returns the
// error of that write.
func held(t *testing.T, s *storage.State) (release func() error) {
	t.Helper()
	begun, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- s.Write(context.Background(), func(tx *storage.Tx) error {
			close(begun)
			<-end
			return tx.Exec(addNote, "held", "")
		})
	}()
	<-begun
	return func() error { close(end); return <-done }
}

// panicked returns the value with which a function panics.
func panicked(do func()) (p any) {
	defer func() { p = recover() }()
	do()
	return nil
}

// TestFailureIsOnesOwn runs writes that fail in every way at the same time as successful writes.
func TestFailureIsOnesOwn(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s, ctx := withNotes(t, open()), context.Background()
		mine := errors.New("mine")
		var wg sync.WaitGroup
		check := func(name string, want func(error, any) bool, do func(tx *storage.Tx) error) {
			wg.Go(func() {
				var err error
				p := panicked(func() { err = s.Write(ctx, do) })
				suite.Holds(t, want(err, p), name, "error", err, "panic", p)
			})
		}
		for i := range 5 {
			check("a good one", func(err error, p any) bool { return err == nil && p == nil },
				func(tx *storage.Tx) error { return tx.Exec(addNote, fmt.Sprint("good", i), "") })
			check("an error", func(err error, p any) bool { return errors.Is(err, mine) && p == nil }, func(tx *storage.Tx) error {
				if err := tx.Exec(addNote, fmt.Sprint("error", i), ""); err != nil {
					return err
				}
				return mine
			})
			check("a panic", func(err error, p any) bool { return p == "mine" }, func(tx *storage.Tx) error {
				if err := tx.Exec(addNote, fmt.Sprint("panic", i), ""); err != nil {
					return err
				}
				panic("mine")
			})
			check("a failed statement that nobody heeds", func(err error, p any) bool { return err != nil && p == nil }, func(tx *storage.Tx) error {
				_ = tx.Exec(addNote, fmt.Sprint("ignored", i), "")
				_ = tx.Exec("INSERT INTO nowhere (id) VALUES (1)")
				_ = tx.Exec(addNote, fmt.Sprint("ignored-later", i), "")
				_, _ = tx.Number("SELECT 1")
				return nil
			})
		}
		wg.Wait()
		suite.Equal(t, notes(t, s, "good%"), 5, "good rows")
		suite.Equal(t, notes(t, s, "%"), 5, "rows")
	})
}

// TestLostTransaction fills the file, so that SQLite rolls back the whole transaction by itself.
func TestLostTransaction(t *testing.T) {
	s, ctx := withNotes(t, storagetest.SQLite(t)), context.Background()
	pages := suite.Must(s.Number(ctx, "SELECT page_count FROM pragma_page_count"))(t)
	suite.Check(t, s.OnWriter(ctx, fmt.Sprintf("PRAGMA max_page_count(%d)", pages+4)))
	err := s.Write(ctx, func(tx *storage.Tx) error {
		if err := tx.Exec(addNote, "small", ""); err != nil {
			return err
		}
		_ = tx.Exec(addNote, "large", strings.Repeat("x", 100_000))
		return tx.Exec(addNote, "later", "")
	})
	suite.Holds(t, err != nil && strings.Contains(err.Error(), "full") &&
		notes(t, s, "%") == 0, err, notes(t, s, "%"), "rows")
	if err := writeOne(ctx, s, addNote, "behind", ""); err != nil || notes(t, s, "behind") != 1 {
		t.Errorf("the writer stopped working: %v", err)
	}
	suite.Check(t, s.OnWriter(ctx, "PRAGMA max_page_count(1000000)"))
	suite.Check(t, writeOne(ctx, s, addNote, "large", strings.Repeat("x", 100_000)))
}

// TestContextEnded checks what happens if the context ends before a write has ended.
func TestContextEnded(t *testing.T) {
	suite.InTest(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		s := withNotes(t, open())
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		suite.Is(t, writeOne(ctx, s, addNote, "ended", ""), context.Canceled)
		suite.Equal(t, notes(t, s, "%"), 0, "rows")
	})
	t.Run("in line", func(t *testing.T) {
		s := withNotes(t, storagetest.SQLite(t))
		release := held(t, s)
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- writeOne(ctx, s, addNote, "waited", "") }()
		cancel()
		suite.Check(t, release())
		suite.Is(t, <-done, context.Canceled)
		suite.Equal(t, notes(t, s, "waited"), 0)
	})
	t.Run("begun", func(t *testing.T) {
		s := withNotes(t, storagetest.SQLite(t))
		ctx, cancel := context.WithCancel(context.Background())
		err := s.Write(ctx, func(tx *storage.Tx) error { err := tx.Exec(addNote, "begun", ""); cancel(); return err })
		suite.Is(t, err, context.Canceled)
		suite.Equal(t, notes(t, s, "begun"), 0)
	})
}

func TestCloseWaitsForWrites(t *testing.T) {
	target := filepath.Join(t.TempDir(), "kindex.db")
	s := suite.Must(storage.Open(t.Context(), target, storage.Options{}))(t)
	withNotes(t, s)
	release := held(t, s)
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		t.Fatalf("Close did not wait: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	suite.Check(t, release())
	suite.Check(t, <-closed)
	suite.Fails(t, writeOne(context.Background(), s, addNote, "late", ""), "closed")
	suite.Check(t, s.Close())
	suite.Equal(t, notes(t, storagetest.Open(t, target), "held"), 1, "rows")
}

// TestDeadlock has two transactions lock two rows in opposite order. The transaction that is
// aborted hides the error.
func TestDeadlock(t *testing.T) {
	suite.InRace(t)
	s := withNotes(t, storagetest.Open(t, storagetest.PostgreSQL(t)))
	ctx := t.Context()
	for _, id := range []string{"a", "b"} {
		suite.Check(t, writeOne(ctx, s, addNote, id, ""))
	}
	var attempts atomic.Int64
	var both, wg sync.WaitGroup
	both.Add(2)
	lock := func(first, second string) {
		var once sync.Once
		err := s.Write(ctx, func(tx *storage.Tx) error {
			attempts.Add(1)
			if err := tx.Exec("UPDATE notes SET text = text || 'x' WHERE id = $1", first); err != nil {
				return err
			}
			once.Do(func() { both.Done(); both.Wait() })
			if err := tx.Exec("UPDATE notes SET text = text || 'x' WHERE id = $1", second); err != nil {
				return errors.New("something went wrong")
			}
			return nil
		})
		suite.Check(t, err)
	}
	wg.Go(func() { lock("a", "b") })
	wg.Go(func() { lock("b", "a") })
	wg.Wait()
	n, err := s.Number(ctx, "SELECT COUNT(*) FROM notes WHERE text = 'xx'")
	suite.Holds(t, err == nil && n == 2 &&
		attempts.Load() >= 3, err, n, "rows were changed twice, in", attempts.Load(), "attempts")
}

// TestSerializationFailure runs two transactions that cannot both succeed.
func TestSerializationFailure(t *testing.T) {
	s := withNotes(t, storagetest.Open(t, storagetest.PostgreSQL(t)))
	ctx := t.Context()
	var attempts atomic.Int64
	var both, wg sync.WaitGroup
	both.Add(2)
	for i := range 2 {
		var once sync.Once
		wg.Go(func() {
			err := s.Write(ctx, func(tx *storage.Tx) error {
				attempts.Add(1)
				if err := tx.Exec("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"); err != nil {
					return err
				}
				n, err := tx.Number("SELECT COUNT(*) FROM notes")
				if err != nil {
					return err
				}
				once.Do(func() { both.Done(); both.Wait() })
				return tx.Exec(addNote, fmt.Sprint(i), fmt.Sprint(n))
			})
			suite.Holds(t, err == nil, err)
		})
	}
	wg.Wait()
	n, err := s.Number(ctx, "SELECT COUNT(DISTINCT text) FROM notes")
	suite.Holds(t, err == nil && n == 2 &&
		attempts.Load() >= 3, err, n, "different counts, in", attempts.Load(), "attempts")
}

const writesOfOther = 100

func writeAsOther(target string) (failed error) {
	ctx := context.Background()
	s, err := storage.Open(ctx, target, storage.Options{})
	if err != nil {
		return err
	}
	defer func() { failed = errors.Join(failed, s.Close()) }()
	// On PostgreSQL, some of several concurrent CREATE TABLE statements fail, even with IF
	// NOT EXISTS.
	for range 5 {
		if err = writeOne(ctx, s, makeNotes); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	for i := range writesOfOther {
		if err := writeOne(ctx, s, addNote, fmt.Sprintf("other-%d-%d", os.Getpid(), i), ""); err != nil {
			return err
		}
	}
	return nil
}

// TestManyProcesses has several processes create the same state concurrently and write to it.
func TestManyProcesses(t *testing.T) {
	suite.InRace(t)
	exe := suite.Must(os.Executable())(t)
	const processes = 4
	storagetest.EachTarget(t, func(t *testing.T, target string) {
		var wg sync.WaitGroup
		for range processes {
			wg.Go(func() {
				cmd := exec.Command(exe)
				cmd.Env = append(os.Environ(), otherProcess+"="+target)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
		wg.Wait()
		suite.Equal(t, notes(t, storagetest.Open(t, target), "other%"), processes*writesOfOther, "rows")
	})
}

// TestOpenAtOnce has many edges open and migrate the same empty database concurrently.
func TestOpenAtOnce(t *testing.T) {
	suite.InRace(t)
	storagetest.Each(t, func(t *testing.T, open func() *storage.State) {
		states := make([]*storage.State, 8)
		var wg sync.WaitGroup
		for i := range states {
			wg.Go(func() { states[i] = open() })
		}
		wg.Wait()
		suite.Holds(t, !slices.Contains(states, nil), "not all edges opened the state")
	})
}
