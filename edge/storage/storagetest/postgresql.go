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
	"kindex/edge/storage/storagetest/server"
)

// Main runs the tests of a package and stops the server that they may have
// started. It is for TestMain.
func Main(m *testing.M) {
	code := m.Run()
	Stop()
	os.Exit(code)
}

// Stop stops the server that tests may have started, where Main cannot be used.
func Stop() {
	if own.Server != nil {
		if err := own.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping PostgreSQL:", err)
		}
	}
}

// own is the server of this test binary.
var own struct {
	*server.Server
	once sync.Once
	err  error
}

// ErrNotInstalled tells that there is no PostgreSQL, which in continuous
// integration is any other error.
var ErrNotInstalled = errors.New("NOT RUN: PostgreSQL is not installed; make test installs it")

// PostgreSQL returns the address of an empty database. Where no PostgreSQL is
// installed the test is skipped, and fails in continuous integration.
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

// NewDatabase is PostgreSQL where no testing.TB is at hand.
func NewDatabase() (string, error) {
	own.once.Do(func() {
		// Tests lose nothing where the machine stops, so that the server need not
		// wait for the disk.
		own.Server, own.err = server.Start("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=300")
	})
	switch {
	case errors.Is(own.err, exec.ErrNotFound) && os.Getenv("CI") == "":
		return "", ErrNotInstalled
	case own.err != nil:
		return "", own.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return own.Database(ctx)
}
