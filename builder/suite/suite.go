// Package suite divides the tests into three suites. Only tests import it.
//
//   - make check runs the fast tests, in less than a minute: go test -short.
//   - make test runs what every change should pass, in minutes: go test, then the tests marked
//     InRace with the race detector.
//   - make soak runs everything, including tests that are slow only because they repeat:
//     go test with KINDEX_SOAK=1, then go test -race -short on packages with concurrent code.
//
// Each test names the first suite that should run it, and all later suites run it too.
package suite

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// InTest skips a test in make check.
func InTest(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("skipped by go test -short; make test runs it")
	}
}

// InRace marks a test of concurrent code. It skips the test, except in make soak and under the
// race detector, which make test uses for such tests and no others. Call it in the first line of
// the test, where the Makefile searches for it.
func InRace(t testing.TB) {
	t.Helper()
	if !Race && !Soaking() {
		t.Skip("runs only with the race detector: go test -race")
	}
}

// InSoak skips a test except in make soak. The reason states what makes the test slow, and which
// test that make test runs checks the same behaviour on a smaller scale.
func InSoak(t testing.TB, reason string) {
	t.Helper()
	if !Soaking() {
		t.Skipf("runs only in make soak: %s", reason)
	}
}

// Soaking reports whether make soak runs.
func Soaking() bool { return !testing.Short() && os.Getenv("KINDEX_SOAK") != "" }

// Pick returns the size of a test that runs in every suite: many in make soak, and few in the
// others and under the race detector.
func Pick[T any](few, many T) T {
	if Soaking() {
		return many
	}
	return few
}

// WithoutRace skips a test under the race detector. Use it for tests that would fail there, such
// as those that count allocations, and for slow ones in which it can find nothing.
func WithoutRace(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("skipped under the race detector; make test runs it without")
	}
}

// FreeAddress returns an unused loopback address, for a server in another program.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Missing skips a test because a program that it needs is not installed. In continuous
// integration, where CI is set, it fails the test instead.
func Missing(t testing.TB, program string) {
	t.Helper()
	NotRun(t, program+" is not installed; make test-tools installs it")
}

// Python returns the path of a Python interpreter with some modules. A program such as python3 can
// be a script of a version manager, which starts dozens of programs to find the interpreter. If
// there is none, Python skips the test or, if CI is set, fails it.
func Python(t testing.TB, name string, modules ...string) string {
	t.Helper()
	script := strings.Join(append([]string{"import sys"}, modules...), ", ") + "; print(sys.executable, end='')"
	key := name + " " + script
	if path, ok := pythons.Load(key); ok {
		return path.(string)
	}
	out, err := exec.Command(name, "-c", script).Output()
	if err != nil {
		t.Log(err)
		Missing(t, strings.TrimSuffix(name+" with "+strings.Join(modules, " and "), " with "))
	}
	pythons.Store(key, string(out))
	return string(out)
}

// pythons has the results of Python.
var pythons sync.Map

// NodeModules returns the folder of the packages that npm has installed for the tests. If
// Node.js or one of the packages is missing, it skips the test or, if CI is set, fails it.
func NodeModules(t testing.TB, packages ...string) string {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		Missing(t, "node")
	}
	dir := filepath.Join(Root(t), "site", "node_modules")
	for _, name := range packages {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			Missing(t, "the npm package "+name)
		}
	}
	return dir
}

// NotRun skips a test because something that it needs is missing on this machine. If CI is set,
// it fails the test instead. The reason states how to install or obtain what is missing.
func NotRun(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(reason)
	}
	CannotRun(t, reason)
}

// CannotRun skips a test that this machine cannot run, even in continuous integration. go test
// does not show why tests are skipped, so the reason is also appended to the file that
// KINDEX_NOT_RUN names; make test and make soak print it at the end.
func CannotRun(t testing.TB, reason string) {
	t.Helper()
	if name := os.Getenv("KINDEX_NOT_RUN"); name != "" {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = fmt.Fprintf(f, "NOT RUN: %s: %s\n", t.Name(), reason)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("NOT RUN: " + reason)
}

// Collections returns the folder with the public collections for a test of the program. It skips
// the test if make soak is not running, or if the collections are missing; see Shared.
func Collections(t testing.TB) string {
	t.Helper()
	InSoak(t, "it uses whole collections; make test uses small extracts of them")
	return Shared(t)
}

// Shared returns the folder with the public collections: KINDEX_SHARED, or the one next to the
// repository. If it is missing, it skips the test and reports it as NOT RUN.
func Shared(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("KINDEX_SHARED"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
			t.Fatalf("KINDEX_SHARED: %v", err)
		}
		return dir
	}
	dir := filepath.Join(Root(t), "..", "shared")
	if _, err := os.Stat(filepath.Join(dir, "data")); err != nil {
		CannotRun(t, "the public collections are not next to the repository; set KINDEX_SHARED to their folder")
	}
	return dir
}

// Root returns the root folder of the repository.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Fatal("no go.mod in the working directory or its parents")
	return ""
}
