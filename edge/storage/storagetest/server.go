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
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// server is a PostgreSQL server with its own folder. It listens only on a Unix socket in that
// folder.
type server struct {
	folder    string
	postgres  string              // the program
	as        *syscall.Credential // the user that runs it, or nil
	databases atomic.Int64
	process   *os.Process
	exited    chan struct{} // closed when the process has ended
}

// startServer creates a server and starts it. The error wraps exec.ErrNotFound if PostgreSQL is
// not installed. The server runs until stop is called or the process that started it ends.
func startServer() (*server, error) {
	initdb, err := program("initdb")
	if err != nil {
		return nil, err
	}
	s := &server{}
	if s.postgres, err = program("postgres"); err != nil {
		return nil, err
	}
	// TMPDIR is not used because the path of a socket is limited to 107 bytes.
	if s.folder, err = os.MkdirTemp("/tmp", "kindex-pg-"); err != nil {
		return nil, err
	}
	if err := s.create(initdb); err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.folder))
	}
	return s, nil
}

func (s *server) create(initdb string) (err error) {
	if s.as, err = unprivileged(s.folder); err != nil {
		return err
	}
	data := filepath.Join(s.folder, "data")
	run := exec.Command(initdb, "-D", data, "-U", "kindex", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	run.Dir, run.SysProcAttr = s.folder, &syscall.SysProcAttr{Credential: s.as}
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	if err := guard(filepath.Join(data, "pg_hba.conf")); err != nil {
		return err
	}
	return s.launch()
}

// Guarded is a role that a test may create. It must log in with its password.
const Guarded = "guarded"

// guard makes a server require a password from Guarded, and from no other role.
func guard(rules string) error {
	text, err := os.ReadFile(rules)
	if err != nil {
		return err
	}
	return os.WriteFile(rules, append([]byte("local all "+Guarded+" scram-sha-256\n"), text...), 0o600)
}

// halt ends the server, which can be launched again.
func (s *server) halt() {
	_ = s.process.Signal(syscall.SIGINT) // a fast shutdown; the server may have ended already
	<-s.exited
}

// stop ends the server and removes its files.
func (s *server) stop() error {
	s.halt()
	return os.RemoveAll(s.folder)
}

// database creates an empty database and returns its address.
func (s *server) database(ctx context.Context) (string, error) {
	c, err := pgx.Connect(ctx, s.address("postgres"))
	if err != nil {
		return "", err
	}
	defer c.Close(ctx)
	name := fmt.Sprintf("test%d", s.databases.Add(1))
	if _, err := c.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0"); err != nil {
		return "", err
	}
	return s.address(name), nil
}

// address returns the address of a database on the server's socket.
func (s *server) address(database string) string {
	return "postgres://kindex@/" + database + "?host=" + url.QueryEscape(s.folder)
}

// launch starts the server and waits until it responds.
func (s *server) launch() error {
	// Tests do not need their data after a crash, so the server need not wait for the disk.
	run := exec.Command(s.postgres, "-D", filepath.Join(s.folder, "data"), "-k", s.folder, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "synchronous_commit=off",
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
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(folder, int(uid), int(gid))
}
