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
	switch {
	case errors.Is(err, ErrNotInstalled):
		suite.NotRun(t, strings.TrimPrefix(err.Error(), "NOT RUN: "))
	case err != nil:
		t.Fatalf("PostgreSQL: %v", err)
	}
	return target
}

// NewDatabase is like PostgreSQL, but for callers without a testing.TB.
func NewDatabase() (string, error) {
	own.once.Do(func() {
		own.server, own.err = startServer()
	})
	switch {
	case errors.Is(own.err, exec.ErrNotFound) && os.Getenv("CI") == "":
		return "", ErrNotInstalled
	case own.err != nil:
		return "", own.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return own.database(ctx)
}
