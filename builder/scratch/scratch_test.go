package scratch_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"kindex/builder/scratch"
	"kindex/builder/suite"
)

// TestMain makes a folder and waits to be killed, if a test started it for that.
func TestMain(m *testing.M) {
	if os.Getenv("SCRATCH_TEST_HOLD") == "" {
		os.Exit(m.Run())
	}
	f, err := scratch.New("held")
	if err == nil {
		err = os.WriteFile(filepath.Join(f.Path, "big"), []byte("x"), 0o600)
	}
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(f.Path + "\n")
	time.Sleep(time.Hour) // without a timer, the runtime would report a deadlock
}

// hold starts a program that has made a folder in dir.
func hold(t *testing.T, dir string) (program *exec.Cmd, folder string) {
	t.Helper()
	program = exec.Command(os.Args[0])
	program.Env = append(os.Environ(), "SCRATCH_TEST_HOLD=1", "TMPDIR="+dir)
	out := suite.Must(program.StdoutPipe())(t)
	suite.Check(t, program.Start())
	t.Cleanup(func() { kill(program) })
	line := bufio.NewScanner(out)
	if !line.Scan() {
		t.Fatal("the program made no folder")
	}
	return program, line.Text()
}

func kill(program *exec.Cmd) {
	_ = program.Process.Kill()
	_ = program.Wait()
}

// TestKilled kills one of two programs with a folder. The next program removes that folder only, and
// nothing that is not of this package.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	dead, left := hold(t, dir)
	_, kept := hold(t, dir)
	kill(dead)
	foreign := filepath.Join(dir, "kindex-tmp-git-1") // without a lock, and not empty
	outside := filepath.Join(t.TempDir(), "outside")
	link := filepath.Join(dir, "kindex-tmp-git-2")
	for _, d := range []string{foreign, outside} {
		suite.Check(t, os.MkdirAll(filepath.Join(d, "x"), 0o700))
	}
	suite.Check(t, os.Symlink(outside, link))
	_, next := hold(t, dir)
	entries := suite.Must(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, filepath.Join(dir, e.Name()))
	}
	want := []string{kept, next, foreign, link}
	slices.Sort(want)
	suite.Equal(t, names, want, left)
	if _, err := os.Stat(filepath.Join(outside, "x")); err != nil {
		t.Error(err)
	}
}

// TestClose removes the folder with its contents.
func TestClose(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f := suite.Must(scratch.New("test"))(t)
	suite.Check(t, os.WriteFile(filepath.Join(f.Path, "file"), nil, 0o600))
	suite.Check(t, f.Close())
	if _, err := os.Stat(f.Path); !os.IsNotExist(err) {
		t.Error(err)
	}
}
