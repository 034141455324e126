package storagetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

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
	if own.server != nil {
		if err := own.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping PostgreSQL:", err)
		}
	}
}

// own is the server of this test binary.
var own struct {
	*server
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

// Server is a server for a single test, which can stop it and start it again.
type Server struct {
	t      testing.TB
	server *server
	Target string // the address of its database
}

// NewServer starts a server with an empty database. It ends with the test.
func NewServer(t testing.TB) *Server {
	t.Helper()
	started, err := startServer()
	check(t, orNotInstalled(err))
	t.Cleanup(func() {
		if err := started.stop(); err != nil {
			t.Errorf("stopping PostgreSQL: %v", err)
		}
	})
	target, err := started.database(t.Context())
	check(t, err)
	return &Server{t, started, target}
}

// Stop stops the server as an operator would: it ends all connections, and keeps all that was
// committed.
func (s *Server) Stop() { s.server.halt() }

// Start starts the server again, and waits until it responds.
func (s *Server) Start() {
	s.t.Helper()
	check(s.t, s.server.launch())
}

// NewDatabase is like PostgreSQL, but for callers without a testing.TB.
func NewDatabase() (string, error) {
	own.once.Do(func() {
		own.server, own.err = startServer()
	})
	if own.err != nil {
		return "", orNotInstalled(own.err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return own.database(ctx)
}

// orNotInstalled returns the error, or ErrNotInstalled if it means that.
func orNotInstalled(err error) error {
	if errors.Is(err, exec.ErrNotFound) && os.Getenv("CI") == "" {
		return ErrNotInstalled
	}
	return err
}
