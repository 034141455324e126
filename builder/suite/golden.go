package suite

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "update golden files instead of comparing with them")

// Updating reports whether golden files are to be updated, that is, whether go
// test was run with -update.
func Updating() bool { return *update }

// Golden compares got with a golden file, or writes the file if Updating.
func Golden(t testing.TB, file string, got []byte) {
	t.Helper()
	if Updating() {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; to create it: go test -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("output differs from %s; if all differences are intended, run go test -update. Got:\n%s", file, got)
	}
}

// Archives runs a test for each txtar archive in a folder, of which there are at least some. An archive has a
// comment on what it is about, files, and at the end the file want: what check returns for the others. If
// Updating, that is written instead.
func Archives(t *testing.T, folder string, least int, check func(t *testing.T, name string, files []txtar.File) string) {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(folder, "*.txtar"))
	if err != nil || len(archives) < least {
		t.Fatalf("%s has only %d archives: %v", folder, len(archives), err)
	}
	for _, path := range archives {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			path, err := filepath.Abs(path) // check may change the working directory
			if err != nil {
				t.Fatal(err)
			}
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			last := len(a.Files) - 1
			if len(bytes.TrimSpace(a.Comment)) == 0 || last < 1 || a.Files[last].Name != "want" {
				t.Fatal("an archive needs a comment on what it is about, files, and want at the end")
			}
			got := check(t, name, a.Files[:last])
			if want := string(a.Files[last].Data); got != want && !Updating() {
				t.Errorf("--- got\n%s--- want\n%s", got, want)
			}
			if a.Files[last].Data = []byte(got); Updating() {
				err = os.WriteFile(path, txtar.Format(a), 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
