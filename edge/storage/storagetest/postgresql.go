package storagetest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"kindex/builder/suite"
)

// Main runs the tests of a package and stops the server if they started one. It is meant for
// TestMain.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop stops the server if tests started one. It is for packages that cannot use Main.
func Stop() {
	if own.Server != nil {
		if err := own.end(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping PostgreSQL:", err)
		}
	}
}

// own is the server of this test binary.
var own struct {
	*Server
	once sync.Once
	err  error
}

// ErrNotInstalled means that PostgreSQL is not installed. In continuous integration, it is
// treated like any other error.
var ErrNotInstalled = errors.New("NOT RUN: PostgreSQL is not installed; make test installs it")

// PostgreSQL returns the address of an empty database. If PostgreSQL is not installed, it
// skips the test, or fails it in continuous integration.
func PostgreSQL(t testing.TB) string {
	t.Helper()
	target, err := NewDatabase()
	check(t, err)
	return target
}

// NewDatabase is like PostgreSQL, but for callers without a testing.TB.
func NewDatabase() (string, error) {
	own.once.Do(func() { own.Server, own.err = start() })
	if own.err != nil {
		return "", own.err
	}
	return own.database()
}

// NewServer starts a server with an empty database. It ends with the test.
func NewServer(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	check(t, err)
	t.Cleanup(func() { suite.Check(t, s.end()) })
	s.Target, err = s.database()
	check(t, err)
	return s
}

// check skips or fails a test for which there is no server.
func check(t testing.TB, err error) {
	t.Helper()
	switch {
	case errors.Is(err, ErrNotInstalled):
		suite.NotRun(t, strings.TrimPrefix(err.Error(), "NOT RUN: "))
	case err != nil:
		t.Fatalf("PostgreSQL: %v", err)
	}
}

// Server is a PostgreSQL server with its own folder, which can be stopped and started again. It
// listens only on a Unix socket in that folder. It ends when the process that started it does.
type Server struct {
	Target string // the address of the database that NewServer has created

	folder    string
	as        *syscall.Credential // the user that runs it, or nil
	databases atomic.Int64
	process   *os.Process
	exited    chan struct{} // closed when the process has ended
}

// start creates a server and starts it.
func start() (*Server, error) {
	initdb, err := program("initdb")
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		err = ErrNotInstalled
	}
	if err != nil {
		return nil, err
	}
	// TMPDIR is not used because the path of a socket is limited to 107 bytes.
	folder, err := os.MkdirTemp("/tmp", "kindex-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{folder: folder}
	if err := s.create(initdb); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	return s, nil
}

// Guarded is a role that a test may create. Unlike any other, it must log in with its password.
const Guarded = "guarded"

func (s *Server) create(initdb string) (err error) {
	if s.as, err = unprivileged(s.folder); err != nil {
		return err
	}
	data := filepath.Join(s.folder, "data")
	run := exec.Command(initdb, "-D", data, "-U", "kindex", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	run.Dir, run.SysProcAttr = s.folder, &syscall.SysProcAttr{Credential: s.as}
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	rules := filepath.Join(data, "pg_hba.conf")
	text, err := os.ReadFile(rules)
	if err != nil {
		return err
	}
	if err := os.WriteFile(rules, append([]byte("local all "+Guarded+" scram-sha-256\n"), text...), 0o600); err != nil {
		return err
	}
	return s.Start()
}

// Stop stops the server as an operator would: it ends all connections, and keeps all that was
// committed.
func (s *Server) Stop() {
	_ = s.process.Signal(syscall.SIGINT) // a fast shutdown; the server may have ended already
	<-s.exited
}

// end stops the server and removes its files.
func (s *Server) end() error {
	s.Stop()
	return os.RemoveAll(s.folder)
}

// database creates an empty database and returns its address.
func (s *Server) database() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c, err := pgx.Connect(ctx, s.address("postgres"))
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	_, err = c.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0")
	return s.address(name), err
}

// address returns the address of a database on the server's socket.
func (s *Server) address(database string) string {
	return "postgres://kindex@/" + database + "?host=" + url.QueryEscape(s.folder)
}

// Start starts the server and waits until it responds.
func (s *Server) Start() error {
	postgres, err := program("postgres")
	if err != nil {
		return err
	}
	// Tests do not need their data after a crash, so the server need not wait for the disk.
	run := exec.Command(postgres, "-D", filepath.Join(s.folder, "data"), "-k", s.folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "synchronous_commit=off",
		"-c", "full_page_writes=off", "-c", "max_connections=300")
	run.Dir, run.SysProcAttr = s.folder, &syscall.SysProcAttr{Credential: s.as}
	diesWithParent(run.SysProcAttr)
	log, err := os.Create(filepath.Join(s.folder, "log"))
	if err != nil {
		return err
	}
	defer log.Close()
	run.Stdout, run.Stderr = log, log
	started, exited := make(chan error), make(chan struct{})
	s.exited = exited
	go func() {
		runtime.LockOSThread() // the parent-death signal depends on the thread that started the process
		started <- run.Start()
		_ = run.Wait()
		runtime.UnlockOSThread() // a thread that ends would end whatever else it has started
		close(exited)
	}()
	if err := <-started; err != nil {
		return err
	}
	s.process = run.Process
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		c, err := pgx.Connect(context.Background(), s.address("postgres"))
		if err == nil {
			return c.Close(context.Background())
		}
		select {
		case <-s.exited:
			text, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the server ended unexpectedly:\n%s", text)
		default:
		}
		if time.Since(begin) > 5*time.Minute {
			return fmt.Errorf("the server does not respond: %w", err)
		}
	}
}

// program returns the path of a PostgreSQL program, which may not be in PATH on Debian.
func program(name string) (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if err == nil && len(found) > 0 {
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

// unprivileged gives the folder to an unprivileged user, because PostgreSQL refuses to run as
// root.
func unprivileged(folder string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2, os.Chown(folder, int(uid), int(gid)))
}
