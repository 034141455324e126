package suite

import (
	"bytes"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating reports whether golden files are to be written: go test -update.
func Updating() bool { return *update }

// Golden compares got with the content of a golden file, or writes the file if
// Updating.
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
		t.Fatalf("%v; go test -update writes it", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got something else than %s; if every difference is wanted, write it with go test -update. Got:\n%s", file, got)
	}
}
