package suite

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write golden files instead of comparing output with them")

// Updating reports whether golden files should be written: go test -update.
func Updating() bool { return *update }

// Golden compares got with the content of a golden file or, if Updating, writes
// the file.
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
		t.Fatalf("%v; create it with go test -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("output differs from %s; if every difference is intended, update it with go test -update. Got:\n%s", file, got)
	}
}
