package suite

import (
	"bytes"
	"flag"
	"os"
	"testing"
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
